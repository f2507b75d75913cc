//! Words that mean nearly the same: "puppy" is some of the way to "dog".

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::embedding::{Quantized, StaticModel};
use crate::memory::index::terms;
use crate::memory::recall::question::{MOST_TERMS, Question};

/// Cosines up to this one mean nothing: words of one language are never far apart.
const MEANS_NOTHING: f32 = 0.35;

/// How near terms are to those of one question. Each is compared once.
pub(in crate::memory) struct Alike<'a> {
    model: Option<&'a StaticModel>,
    asked: Vec<Option<Quantized>>,
    known: HashMap<u64, Vec<(u8, f32)>, BuildHasherDefault<Key>>,
}

impl<'a> Alike<'a> {
    /// Without the model only a term itself is alike.
    pub fn new(question: &Question, model: Option<&'a StaticModel>) -> Self {
        let direction = |typed: &str| Quantized::of(&model?.word(typed));
        let asked = question.terms.iter().map(|asked| direction(&asked.typed)).collect();
        Self { model, asked, known: HashMap::default() }
    }

    /// Raises how near a passage is to each term of the question by one term that it holds.
    pub fn raise(&mut self, term: &str, key: u64, alike: &mut [f32; MOST_TERMS]) {
        let Some(model) = self.model else { return };
        let near = self.known.entry(key).or_insert_with(|| compare(&self.asked, model, term, key));
        for (at, near) in near {
            let held = &mut alike[usize::from(*at)];
            *held = held.max(*near);
        }
    }
}

fn compare(asked: &[Option<Quantized>], model: &StaticModel, term: &str, key: u64) -> Vec<(u8, f32)> {
    let Some(direction) = model.term(term, key, terms::stem) else { return Vec::new() };
    let near = asked.iter().enumerate().filter_map(|(at, asked)| {
        let near = (asked.as_ref()?.cosine(&direction) - MEANS_NOTHING) / (1.0 - MEANS_NOTHING);
        (near > 0.0).then_some((at as u8, near.min(1.0)))
    });
    near.collect()
}

/// Keys of terms are spread well already.
#[derive(Default)]
struct Key(u64);

impl Hasher for Key {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |key, byte| (key << 8) | u64::from(*byte));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
