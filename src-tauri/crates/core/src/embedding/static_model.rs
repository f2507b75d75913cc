//! WordLlama: a table of 32,000 word pieces with 256 dimensions each. A word is the sum of its pieces, a text the weighted sum
//! of its words.
//!
//! The table has learned how much a piece matters: common ones are short, telling ones are long. It overdoes that, so the
//! square root of the length stays; and words that everybody says weigh less. Each was measured: among the turns of real
//! conversations, the plain sum has .587 of the evidence among its first ten, this one .615.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use rustc_hash::FxHashMap;
use safetensors::{Dtype, SafeTensors};
use tokenizers::Tokenizer;

use super::common_words::weight;
use super::error::EmbeddingError;
use super::vector::{BITS_STATIC, Quantized, dot, normalize};

const WEIGHTS: &str = "wordllama.safetensors";
const TOKENIZER: &str = "wordllama-tokenizer.json";

/// How texts become vectors here. Another way is another number: what is stored is made anew then.
const METHOD: u8 = 1;
const DIMENSIONS: usize = 256;
/// More words than a passage has.
const MOST_WORDS: usize = 1_000;
/// The longest run of letters that is read as a word, in characters; longer ones are cut into words of this length.
const LONGEST_WORD: usize = 64;
/// How many words the memo of their pieces holds before it is begun anew: about 10 MB.
const MOST_MEMOS: usize = 100_000;
/// How many terms are kept as directions before that is begun anew: about 15 MB.
const MOST_TERMS: usize = 40_000;
/// The mark of a word's beginning, when it stands alone: before a script that has no pieces with a mark.
const BARE_MARK: &str = "▁";

/// A unit vector, or zero for a text without words.
pub type StaticVector = [f32; DIMENSIONS];

/// One word as a direction, to be compared with thousands of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    vector: Quantized,
    signs: [u64; BITS_STATIC],
}

impl Term {
    /// `None` for the zero vector.
    pub fn of(vector: &StaticVector) -> Option<Self> {
        let vector = Quantized::of(vector)?;
        Some(Self { signs: vector.signs(), vector })
    }

    /// The cosine with another word, where it is larger than some least.
    pub fn cosine_above(&self, least: Least, other: &Self) -> Option<f32> {
        let differing: u32 = self.signs.iter().zip(&other.signs).map(|(a, b)| (a ^ b).count_ones()).sum();
        (differing <= least.differing)
            .then(|| self.vector.cosine(&other.vector))
            .filter(|cosine| *cosine > least.cosine)
    }
}

/// A cosine that matters. Most words have nothing to do with each other, and their signs say so.
#[derive(Debug, Clone, Copy)]
pub struct Least {
    cosine: f32,
    differing: u32,
}

impl Least {
    /// As many signs differ as the angle is wide; two standard deviations more are looked at.
    pub fn of(cosine: f32) -> Self {
        let share = cosine.acos() / std::f32::consts::PI;
        let spread = (share * (1.0 - share) / DIMENSIONS as f32).sqrt();
        Self { cosine, differing: ((share + 2.0 * spread) * DIMENSIONS as f32) as u32 }
    }
}

/// Terms as the model knows them. While it lives, nobody else adds to what is kept of them.
pub struct Terms<'a> {
    model: &'a StaticModel,
    stem: fn(&str) -> String,
    held: Option<RwLockReadGuard<'a, FxHashMap<u64, Option<Term>>>>,
}

impl Terms<'_> {
    /// Looks at a term: the most common word with this stem, among those that the table has whole; else the stem's own pieces. `None` for
    /// what is no word. `key` stands for the term.
    pub fn with<T>(&mut self, term: &str, key: u64, look: impl FnOnce(&Term) -> T) -> Option<T> {
        let known = || self.model.terms.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.held.get_or_insert_with(known).get(&key) {
            return known.as_ref().map(look);
        }
        let read = self.model.read_term(term, self.stem);
        let found = read.as_ref().map(look);
        // It cannot be written while it is read.
        self.held = None;
        let mut terms = self.model.terms.write().unwrap_or_else(PoisonError::into_inner);
        if terms.len() >= MOST_TERMS {
            terms.clear();
        }
        terms.insert(key, read);
        found
    }
}

/// WordLlama, loaded.
pub struct StaticModel {
    table: Vec<StaticVector>,
    tokenizer: Tokenizer,
    bare_mark: Option<u32>,
    version: u32,
    pieces: Mutex<HashMap<Box<str>, Arc<[u32]>>>,
    by_stem: OnceLock<HashMap<Box<str>, u32>>,
    terms: RwLock<FxHashMap<u64, Option<Term>>>,
}

impl StaticModel {
    pub(super) fn load(folder: &Path) -> Result<Self, EmbeddingError> {
        let weights = super::read(folder, WEIGHTS)?;
        let tokenizer = super::read(folder, TOKENIZER)?;
        let version = super::version(METHOD, &[&weights, &tokenizer]);
        let tokenizer = Tokenizer::from_bytes(&tokenizer).map_err(|_| EmbeddingError::Damaged(TOKENIZER))?;
        let table = table(&weights).ok_or(EmbeddingError::Damaged(WEIGHTS))?;
        if tokenizer.get_vocab_size(true) != table.len() {
            return Err(EmbeddingError::Damaged(TOKENIZER));
        }
        let bare_mark = tokenizer.token_to_id(BARE_MARK);
        Ok(Self {
            table,
            tokenizer,
            bare_mark,
            version,
            pieces: Mutex::default(),
            by_stem: OnceLock::new(),
            terms: RwLock::default(),
        })
    }

    /// Stands beside each vector that is kept.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The direction of a text.
    pub fn embed(&self, text: &str) -> StaticVector {
        let mut sum = [0.0; DIMENSIONS];
        for word in words(text).take(MOST_WORDS) {
            let vector = self.sum_of_pieces(&word);
            let length = dot(&vector, &vector).sqrt();
            if length > 0.0 {
                let factor = weight(&word) / length.sqrt();
                sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
            }
        }
        normalize(&mut sum);
        sum
    }

    /// The direction of one word, to compare words with words; zero for what is no word.
    pub fn word(&self, word: &str) -> StaticVector {
        let mut vector = words(word).next().map_or([0.0; DIMENSIONS], |word| self.sum_of_pieces(&word));
        normalize(&mut vector);
        vector
    }

    /// Words of which only the stems are known, for many look-ups in a row. It must be the same `stem` at each call.
    pub fn terms(&self, stem: fn(&str) -> String) -> Terms<'_> {
        Terms { model: self, stem, held: None }
    }

    fn read_term(&self, term: &str, stem: fn(&str) -> String) -> Option<Term> {
        let by_stem = self.by_stem.get_or_init(|| self.whole_words(stem));
        let row = by_stem.get(term).and_then(|piece| self.table.get(*piece as usize));
        row.map_or_else(|| Term::of(&self.word(term)), Term::of)
    }

    /// The words that are one piece, by their stems. Common words come first in the table.
    fn whole_words(&self, stem: fn(&str) -> String) -> HashMap<Box<str>, u32> {
        let mut by_stem: HashMap<Box<str>, u32> = HashMap::new();
        for (piece, id) in self.tokenizer.get_vocab(false) {
            let Some(word) = piece.strip_prefix(BARE_MARK) else { continue };
            if word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
                let known = by_stem.entry(stem(word).into()).or_insert(id);
                *known = id.min(*known);
            }
        }
        by_stem
    }

    fn sum_of_pieces(&self, word: &str) -> StaticVector {
        let mut sum = [0.0; DIMENSIONS];
        for row in self.pieces(word).iter().filter_map(|piece| self.table.get(*piece as usize)) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        sum
    }

    /// The pieces of a word, in lower case.
    fn pieces(&self, word: &str) -> Arc<[u32]> {
        let memos = || self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pieces) = memos().get(word) {
            return pieces.clone();
        }
        // A word that cannot be cut into pieces has none; it is then as good as not said.
        let mut pieces =
            self.tokenizer.encode_fast(word, false).map(|read| read.get_ids().to_vec()).unwrap_or_default();
        if pieces.len() > 1 && pieces.first().copied() == self.bare_mark {
            pieces.remove(0);
        }
        let pieces: Arc<[u32]> = pieces.into();
        let mut memos = memos();
        if memos.len() >= MOST_MEMOS {
            memos.clear();
        }
        memos.insert(word.into(), pieces.clone());
        pieces
    }
}

/// The words of a text in lower case: runs of letters, digits and the marks on them, without what follows an apostrophe.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_alphanumeric() || is_apostrophe(c) || is_mark(c)))
        .filter_map(|run| run.trim_start_matches(is_apostrophe).split(is_apostrophe).next())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            let lower: Vec<char> = word.to_lowercase().chars().collect();
            lower.chunks(LONGEST_WORD).map(|part| part.iter().collect()).collect::<Vec<String>>()
        })
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// Marks above and below letters that are characters of their own.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// The one tensor of the file, widened to 32 bits. `None` where it is anything else.
fn table(weights: &[u8]) -> Option<Vec<StaticVector>> {
    let tensors = SafeTensors::deserialize(weights).ok()?;
    let (_, tensor) = tensors.iter().next()?;
    let [rows, DIMENSIONS] = *tensor.shape() else { return None };
    if tensors.len() != 1 || tensor.dtype() != Dtype::F16 {
        return None;
    }
    let mut table = vec![[0.0; DIMENSIONS]; rows];
    let halves = tensor.data().chunks_exact(2).map(|half| widened(u16::from_le_bytes([half[0], half[1]])));
    table.iter_mut().flatten().zip(halves).for_each(|(x, half)| *x = half);
    table.iter().flatten().all(|x| x.is_finite()).then_some(table)
}

/// A float of 16 bits as one of 32.
fn widened(half: u16) -> f32 {
    // The 15 bits of exponent and fraction, moved to where 32 bits have them; the factor mends the exponent's bias and
    // makes the smallest numbers right too.
    const MEND: f32 = f32::from_bits((127 + 127 - 15) << 23);
    let (sign, rest) = (u32::from(half & 0x8000) << 16, u32::from(half & 0x7fff));
    if rest >= 0x7c00 {
        return f32::NAN;
    }
    f32::from_bits(sign | (f32::from_bits(rest << 13) * MEND).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_stands_between_other_signs() {
        let read = |text| words(text).collect::<Vec<_>>();
        assert_eq!(read("Don't call Ana’s, 'tis C++ #42!"), ["don", "call", "ana", "tis", "c", "42"]);
        assert_eq!(read("苏州在哪里？ Ça va"), ["苏州在哪里", "ça", "va"]);
        assert_eq!(read(" '' 🙂 ’ … "), Vec::<String>::new());
        assert_eq!(read(&"ä".repeat(70)), ["ä".repeat(64), "ä".repeat(6)]);
    }

    #[test]
    fn sixteen_bits_are_widened_exactly() {
        let read = [0x0000, 0x0001, 0x0400, 0x3c00, 0x3555, 0xc000, 0x7bff].map(widened);
        assert_eq!(read, [0.0, 5.960_464_5e-8, 6.103_515_6e-5, 1.0, 0.333_251_95, -2.0, 65504.0]);
        assert!(widened(0x7c00).is_nan());
    }
}
