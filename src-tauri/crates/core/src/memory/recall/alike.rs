//! Words that mean nearly the same: "puppy" is some of the way to "dog".

use std::collections::HashMap;

use crate::embedding::{StaticModel, StaticVector, dot};
use crate::memory::index::terms;
use crate::memory::recall::question::{MOST_TERMS, Question};

/// Cosines up to this one mean nothing: words of one language are never far apart.
const MEANS_NOTHING: f32 = 0.35;

/// How near terms are to those of one question. Each is compared once.
pub(in crate::memory) struct Alike<'a> {
    model: Option<&'a StaticModel>,
    asked: Vec<(String, StaticVector)>,
    known: HashMap<Box<str>, Vec<(u8, f32)>>,
}

impl<'a> Alike<'a> {
    /// Without the model only a term itself is alike.
    pub fn new(question: &Question, model: Option<&'a StaticModel>) -> Self {
        let vector = |typed: &str| model.map_or([0.0; _], |model| model.word(typed));
        let asked = question.terms.iter().map(|asked| (asked.term.clone(), vector(&asked.typed))).collect();
        Self { model, asked, known: HashMap::new() }
    }

    /// Raises how near a passage is to each term of the question by one term that it holds.
    pub fn raise(&mut self, term: &str, alike: &mut [f32; MOST_TERMS]) {
        if !self.known.contains_key(term) {
            let near = self.compare(term);
            self.known.insert(term.into(), near);
        }
        for (at, near) in self.known.get(term).into_iter().flatten() {
            let held = &mut alike[usize::from(*at)];
            *held = held.max(*near);
        }
    }

    fn compare(&self, term: &str) -> Vec<(u8, f32)> {
        let vector = self.model.map(|model| model.term(term, terms::stem));
        let near = self.asked.iter().enumerate().filter_map(|(at, (asked, direction))| {
            let near = match &vector {
                _ if asked == term => 1.0,
                Some(vector) => (dot(direction, vector) - MEANS_NOTHING) / (1.0 - MEANS_NOTHING),
                None => 0.0,
            };
            (near > 0.0).then_some((at as u8, near.min(1.0)))
        });
        near.collect()
    }
}
