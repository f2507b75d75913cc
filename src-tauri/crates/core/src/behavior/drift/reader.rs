//! How close an English answer is to a text, by the model that reads whole sentences.

use crate::embedding::{Models, Transformer, TransformerVector, dot};
use crate::text::language;

/// The cosine of two texts about the same. A third of it is more than chance.
const ALIGNED: f64 = 0.5;

/// An answer as the model reads it.
pub(super) struct Reader<'a> {
    transformer: &'a Transformer,
    answer: TransformerVector,
}

impl<'a> Reader<'a> {
    /// `None` without the model, and for other languages than English: there it finds all texts alike.
    pub fn of(answer: &str, models: &'a Models) -> Option<Self> {
        if !matches!(language::likely(answer).as_slice(), [only] if only.code() == "en") {
            return None;
        }
        let transformer = models.transformer().ok()?;
        let answer = transformer.read_in_background(answer).ok()?.whole;
        Some(Self { transformer, answer })
    }

    /// How close the answer is to a text, 0 to 1.
    pub fn closeness(&self, text: &str) -> f64 {
        if text.trim().is_empty() {
            return 0.0;
        }
        let read = self.transformer.read_in_background(text);
        read.map_or(0.0, |read| (f64::from(dot(&self.answer, &read.whole)) / ALIGNED).clamp(0.0, 1.0))
    }
}
