//! Reading text as text: folding, words, sentences, dates, and the language that a text is in. It knows nothing of memory.
//!
//! Whatever must know words of a language is in one data file a language, of one shape: [`lexicon`].

pub mod date;
pub mod language;
pub mod lexicon;
pub mod period;
mod words;

pub use words::*;
