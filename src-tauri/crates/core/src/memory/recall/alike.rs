//! Words that mean nearly the same: "puppy" is some of the way to "dog".

use rustc_hash::FxHashMap;

use crate::embedding::{Least, StaticModel, Term, Terms};
use crate::memory::index::terms;
use crate::memory::recall::question::{MOST_TERMS, Question};

/// Cosines up to this one mean nothing: words of one language are never far apart.
const MEANS_NOTHING: f32 = 0.35;

/// How near terms are to those of one question. Each is compared once.
pub(in crate::memory) struct Alike<'a> {
    terms: Option<Terms<'a>>,
    asked: Vec<Option<Term>>,
    least: Least,
    known: FxHashMap<u64, Vec<(u8, f32)>>,
}

impl<'a> Alike<'a> {
    /// Without the model only a term itself is alike.
    pub fn new(question: &Question, model: Option<&'a StaticModel>) -> Self {
        let asked = question.terms.iter().map(|asked| Term::of(&model?.word(&asked.typed))).collect();
        Self {
            terms: model.map(|model| model.terms(terms::stem)),
            asked,
            least: Least::of(MEANS_NOTHING),
            known: FxHashMap::default(),
        }
    }

    /// Raises how near a passage is to each term of the question by one term that it holds.
    pub fn raise(&mut self, term: &str, key: u64, alike: &mut [f32; MOST_TERMS]) {
        let Some(terms) = &mut self.terms else { return };
        let near = self.known.entry(key).or_insert_with(|| {
            terms.with(term, key, |term| compare(&self.asked, self.least, term)).unwrap_or_default()
        });
        for (at, near) in near {
            let held = &mut alike[usize::from(*at)];
            *held = held.max(*near);
        }
    }
}

fn compare(asked: &[Option<Term>], least: Least, term: &Term) -> Vec<(u8, f32)> {
    let near = asked.iter().enumerate().filter_map(|(at, asked)| {
        let cosine = asked.as_ref()?.cosine_above(least, term)?;
        Some((at as u8, ((cosine - MEANS_NOTHING) / (1.0 - MEANS_NOTHING)).min(1.0)))
    });
    near.collect()
}
