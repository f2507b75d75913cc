//! MiniLM: a small transformer that reads a sentence whole, in eight-bit arithmetic, on one thread.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value};
use rten_tensor::NdTensor;
use rten_tensor::prelude::*;
use tokenizers::{Encoding, Tokenizer, TruncationParams};

use super::error::EmbeddingError;
use super::vector::normalize;

const MODEL: &str = "minilm.onnx";
const TOKENIZER: &str = "minilm-tokenizer.json";

/// How texts become vectors here. Another way is another number: what is stored is made anew then.
const METHOD: u8 = 2;
const DIMENSIONS: usize = 384;
/// What the model reads of a text, in its own pieces; the rest is passed by.
const MOST_PIECES: usize = 256;
/// More than [`MOST_PIECES`] are, in bytes of any ordinary text: the tokenizer need not read more.
const MOST_BYTES: usize = 16_384;

/// A vector of the transformer's length.
pub type TransformerVector = [f32; DIMENSIONS];

/// A text as the transformer reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The direction of the whole, a unit vector: the mean over its pieces.
    pub whole: TransformerVector,
    /// Its words in their order.
    pub words: Vec<WordInContext>,
}

/// A word as this text means it: the bank of a river is another one than the bank that has money in it.
#[derive(Debug, Clone, PartialEq)]
pub struct WordInContext {
    /// Where it stands in the text, in bytes.
    pub place: Range<usize>,
    /// The mean of the states of its pieces, of any length.
    pub state: TransformerVector,
}

/// MiniLM, loaded.
pub struct Transformer {
    model: Model,
    /// Ids, mask, types.
    inputs: [NodeId; 3],
    output: NodeId,
    tokenizer: Tokenizer,
    /// One thread for questions and one for the rest, so that no question waits in a queue. They sleep when nothing is
    /// asked, and leave the other cores to the person.
    questions: Arc<ThreadPool>,
    background: Arc<ThreadPool>,
    version: u32,
}

impl Transformer {
    pub(super) fn load(folder: &Path) -> Result<Self, EmbeddingError> {
        let model = super::read(folder, MODEL)?;
        let tokenizer = super::read(folder, TOKENIZER)?;
        let version = super::version(METHOD, &[&model, &tokenizer]);
        let tokenizer = read_tokenizer(&tokenizer).ok_or(EmbeddingError::Damaged(TOKENIZER))?;
        let mut options = ModelOptions::with_all_ops();
        // Some 20 MB more, for a third less time at each question.
        options.prepack_weights(true);
        let model = options.load(model).map_err(|_| EmbeddingError::Damaged(MODEL))?;
        let node = |name: &str| model.node_id(name).map_err(|_| EmbeddingError::Damaged(MODEL));
        let inputs = [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?];
        let output = node("last_hidden_state")?;
        let [questions, background] = [(); 2].map(|()| Arc::new(ThreadPool::with_num_threads(1)));
        let loaded = Self { model, inputs, output, tokenizer, questions, background, version };
        // A file that is whole and another model is found here and not in the middle of a search.
        loaded.read("hello").map_err(|_| EmbeddingError::Damaged(MODEL))?;
        Ok(loaded)
    }

    /// Stands beside each vector that is kept.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Reads a text. It takes milliseconds, on a thread of this model.
    ///
    /// One text at a time: the eight-bit arithmetic finds its scale in what it reads, so that in a batch each text's vector
    /// would depend on its neighbours.
    pub fn read(&self, text: &str) -> Result<Reading, EmbeddingError> {
        self.read_on(&self.questions, text)
    }

    /// The same, on a thread that no question waits for.
    pub fn read_in_background(&self, text: &str) -> Result<Reading, EmbeddingError> {
        self.read_on(&self.background, text)
    }

    fn read_on(&self, thread: &Arc<ThreadPool>, text: &str) -> Result<Reading, EmbeddingError> {
        let text = &text[..text.floor_char_boundary(MOST_BYTES)];
        let pieces = self.tokenizer.encode(text, true).map_err(|_| EmbeddingError::Failed)?;
        let states = self.states(thread, &pieces).ok_or(EmbeddingError::Failed)?;
        let whole = mean(&states).ok_or(EmbeddingError::Failed)?;
        Ok(Reading { whole, words: words(&pieces, &states) })
    }

    /// The last state of each piece, one after the other.
    fn states(&self, thread: &Arc<ThreadPool>, pieces: &Encoding) -> Option<Vec<f32>> {
        let ids: Vec<i32> = pieces.get_ids().iter().map(|id| id.cast_signed()).collect();
        let shape = [1, ids.len()];
        let inputs = [NdTensor::from_data(shape, ids), NdTensor::full(shape, 1), NdTensor::full(shape, 0)];
        let inputs = self.inputs.into_iter().zip(inputs.map(|tensor| Value::from(tensor).into())).collect();
        let options = RunOptions::default().with_thread_pool(Some(thread.clone()));
        let [output] = self.model.run_n(inputs, [self.output], Some(options)).ok()?;
        let states: NdTensor<f32, 3> = output.try_into().ok()?;
        Some(states.to_vec())
    }
}

/// The tokenizer as this model is used: its file says to fill up to 128 pieces, which nobody needs here.
fn read_tokenizer(file: &[u8]) -> Option<Tokenizer> {
    let mut tokenizer = Tokenizer::from_bytes(file).ok()?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(Some(TruncationParams { max_length: MOST_PIECES, ..Default::default() })).ok()?;
    Some(tokenizer)
}

/// The mean of the states, as a unit vector. `None` where they are no numbers.
fn mean(states: &[f32]) -> Option<TransformerVector> {
    let mut mean = [0.0; DIMENSIONS];
    for state in states.chunks_exact(DIMENSIONS) {
        mean.iter_mut().zip(state).for_each(|(sum, x)| *sum += x);
    }
    normalize(&mut mean);
    mean.iter().all(|x| x.is_finite()).then_some(mean)
}

/// The words that the pieces are of, each with the mean of its pieces' states.
fn words(pieces: &Encoding, states: &[f32]) -> Vec<WordInContext> {
    let mut words: Vec<WordInContext> = Vec::new();
    let (mut last, mut count) = (None, 0.0);
    let each = pieces.get_word_ids().iter().zip(pieces.get_offsets()).zip(states.chunks_exact(DIMENSIONS));
    for ((word, (first, end)), state) in each {
        // What begins and ends the text for the model is no word.
        let Some(word) = word else { continue };
        match words.last_mut().filter(|_| last == Some(word)) {
            Some(known) => {
                count += 1.0;
                known.place.end = *end;
                known.state.iter_mut().zip(state).for_each(|(mean, x)| *mean += (x - *mean) / count);
            }
            None => {
                (last, count) = (Some(word), 1.0);
                let mut mean = [0.0; DIMENSIONS];
                mean.copy_from_slice(state);
                words.push(WordInContext { place: *first..*end, state: mean });
            }
        }
    }
    words
}
