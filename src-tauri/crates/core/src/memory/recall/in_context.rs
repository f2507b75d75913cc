//! The closer look at the best: the question's words beside those of a passage, each as its text means it.

use rusqlite::Connection;
use rustc_hash::FxHashMap;

use crate::memory::index::PassageId;
use crate::memory::index::vectors::{Direction, Space, words as words_of};
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::question::{MOST_TERMS, Question};
use crate::memory::recall::view::BESIDE;
use crate::store::StoreError;

/// How near each word of a question is to the nearest word of a passage.
type Nearest = [f32; MOST_TERMS];

/// How much of a question's meaning passages hold, word by word, by the model that reads sentences.
pub(in crate::memory) struct InContext<'a> {
    lexical: &'a Lexical,
    /// The terms that the model knows as words, as bits; the others are held or not.
    words: u32,
    nearest: FxHashMap<PassageId, Nearest>,
}

impl<'a> InContext<'a> {
    /// Looks at passages and those beside them. Without the model nothing is near.
    pub fn look(
        conn: &Connection,
        directions: &[Direction],
        question: &Question,
        lexical: &'a Lexical,
        passages: impl Iterator<Item = PassageId>,
    ) -> Result<Self, StoreError> {
        let (mut nearest, mut words) = (FxHashMap::default(), 0);
        if let Some(dense) = directions.iter().find(|direction| direction.space == Space::Dense) {
            let place = |key: u64| question.terms.iter().position(|asked| asked.key == key);
            let asked: Vec<_> = dense.words.iter().filter_map(|word| Some((place(word.key)?, word))).collect();
            words = asked.iter().fold(0, |bits, (at, _)| bits | 1 << at);
            let around: Vec<PassageId> =
                passages.flat_map(|id| [-1, 0, 1].into_iter().filter_map(move |by| id.neighbour(by))).collect();
            words_of::each_passage(conn, dense, &around, |id, codes| {
                let mut found = [0.0_f32; MOST_TERMS];
                for (at, word) in &asked {
                    found[*at] = found[*at].max(word.nearest(codes));
                }
                nearest.insert(id, found);
            })?;
        }
        Ok(Self { lexical, words, nearest })
    }

    /// The share of the question's meaning that a passage holds, and that it holds with those beside it.
    pub fn of(&self, id: PassageId) -> (f32, f32) {
        let at = |by: i64| id.neighbour(by).map_or([0.0; MOST_TERMS], |id| self.at(id));
        let [before, own, after] = [-1, 0, 1].map(at);
        let near = |term: usize| own[term].max(BESIDE * before[term]).max(BESIDE * after[term]);
        (self.lexical.weighed(|term| own[term]), self.lexical.weighed(near))
    }

    fn at(&self, id: PassageId) -> Nearest {
        let Some(nearest) = self.nearest.get(&id) else { return [0.0; MOST_TERMS] };
        let held = self.lexical.held(id) & !self.words;
        std::array::from_fn(|term| if held & (1 << term) != 0 { 1.0 } else { nearest[term] })
    }
}
