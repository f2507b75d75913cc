//! The header of a GGUF file: what a model is, and whether its file is whole. Nothing that a file says of itself is
//! trusted: every length is checked against what is left of the file before it is used.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

/// The first bytes of each such file.
pub(in crate::supervisor) const MAGIC: [u8; 4] = *b"GGUF";
/// The versions whose lengths are 64 bits wide.
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;
/// The longest header, in bytes: a vocabulary takes a few million.
const LONGEST_HEADER: u64 = 1 << 28;
/// The longest text that is kept, in bytes.
const LONGEST_TEXT: u64 = 4096;
/// The most values of a list that are added up: one for each layer.
const LONGEST_LIST: u64 = 4096;
/// Where tensors begin, unless the file says otherwise: at a multiple of this.
const ALIGNMENT: u64 = 32;

/// What the header tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// The model's name, as its maker wrote it.
    pub name: Option<String>,
    /// Its architecture: `llama`, `qwen2` …
    pub architecture: Option<String>,
    /// What kind of file it is, where it says so: `model`, `adapter` …
    pub kind: Option<String>,
    /// How its numbers are kept: `Q4_K_M` …
    pub quantisation: Option<&'static str>,
    /// How many layers it has.
    pub layers: Option<u64>,
    /// How many attention heads a layer has.
    pub heads: Option<u64>,
    /// How many heads of keys and values a layer has; where layers differ, all together.
    pub kv_heads: Option<KvHeads>,
    /// The length of its inner vectors.
    pub embedding: Option<u64>,
    /// The length of a key, where it is not the inner vector's share of a head.
    pub key_length: Option<u64>,
    /// The length of a value, likewise.
    pub value_length: Option<u64>,
    /// How many tokens of context it was trained with.
    pub trained_context: Option<u64>,
    /// How many tokens it knows.
    pub vocabulary: Option<u64>,
    /// Which part of a model in several files it is, from 0 on.
    pub part: Option<u64>,
}

/// The number of heads of keys and values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KvHeads {
    /// Of each layer.
    Each(u64),
    /// Of all layers together.
    All(u64),
}

/// Why a file is no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GgufError {
    /// It is another kind of file.
    #[error("not a GGUF file")]
    NotGguf,
    /// It is of a version that nobody reads.
    #[error("a GGUF file of version {0}")]
    Version(u32),
    /// It ends too early.
    #[error("the file is not whole")]
    NotWhole,
    /// What it says cannot be.
    #[error("the file is damaged")]
    Damaged,
    /// It cannot be read.
    #[error("the file cannot be read")]
    Unreadable(io::ErrorKind),
}

impl From<io::Error> for GgufError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::NotWhole,
            kind => Self::Unreadable(kind),
        }
    }
}

impl Header {
    /// Reads a file's header, and checks that the file is as long as its header says. It blocks.
    pub fn read(file: &Path) -> Result<Self, GgufError> {
        let file = File::open(file)?;
        let length = file.metadata()?.len();
        let mut reader = Reader { file: BufReader::with_capacity(1 << 16, file), at: 0, length };
        let magic = reader.bytes().map_err(|error| match error {
            GgufError::NotWhole => GgufError::NotGguf,
            other => other,
        })?;
        if magic != MAGIC {
            return Err(GgufError::NotGguf);
        }
        let version = reader.u32()?;
        if !VERSIONS.contains(&version) {
            return Err(GgufError::Version(version));
        }
        let (tensors, entries) = (reader.u64()?, reader.u64()?);
        let (mut header, mut alignment) = (Self::default(), ALIGNMENT);
        for _ in 0..entries {
            let key = reader.text()?.unwrap_or_default();
            let value = reader.value()?;
            if key == "general.alignment" {
                alignment = value.number().filter(|n| n.is_power_of_two()).ok_or(GgufError::Damaged)?;
            }
            header.take(&key, value);
        }
        reader.check_tensors(tensors, alignment)?;
        Ok(header)
    }

    fn take(&mut self, key: &str, value: Value) {
        match key {
            "general.name" => self.name = value.text().filter(|name| !name.trim().is_empty()),
            "general.architecture" => self.architecture = value.text(),
            "general.type" => self.kind = value.text(),
            "general.file_type" => self.quantisation = value.number().and_then(quantisation),
            "split.no" => self.part = value.number(),
            "tokenizer.ggml.tokens" => self.vocabulary = value.count(),
            _ => self.take_of_architecture(key, &value),
        }
    }

    /// What stands under the architecture's own name.
    fn take_of_architecture(&mut self, key: &str, value: &Value) {
        // The architecture stands before what belongs to it.
        let Some(rest) = self.architecture.as_deref().and_then(|name| key.strip_prefix(name)) else { return };
        match rest {
            ".block_count" => self.layers = value.number(),
            ".context_length" => self.trained_context = value.number(),
            ".embedding_length" => self.embedding = value.number(),
            ".attention.head_count" => self.heads = value.number(),
            ".attention.key_length" => self.key_length = value.number(),
            ".attention.value_length" => self.value_length = value.number(),
            ".attention.head_count_kv" => {
                self.kv_heads = value.number().map(KvHeads::Each).or_else(|| value.sum().map(KvHeads::All));
            }
            _ => {}
        }
    }
}

/// A value, as far as it is of use.
enum Value {
    Number(u64),
    Text(Option<String>),
    List { count: u64, sum: Option<u64> },
    Other,
}

impl Value {
    fn number(&self) -> Option<u64> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }

    fn text(self) -> Option<String> {
        if let Self::Text(text) = self { text } else { None }
    }

    fn count(&self) -> Option<u64> {
        if let Self::List { count, .. } = self { Some(*count) } else { None }
    }

    fn sum(&self) -> Option<u64> {
        if let Self::List { sum, .. } = self { *sum } else { None }
    }
}

/// The types of values, by their numbers.
mod kind {
    pub(super) const BOOL: u32 = 7;
    pub(super) const STRING: u32 = 8;
    pub(super) const ARRAY: u32 = 9;
}

/// The length of a value of a type in bytes; none where it has no fixed one.
fn fixed_length(kind: u32) -> Result<Option<u64>, GgufError> {
    match kind {
        0 | 1 | kind::BOOL => Ok(Some(1)),
        2 | 3 => Ok(Some(2)),
        4..=6 => Ok(Some(4)),
        10..=12 => Ok(Some(8)),
        kind::STRING | kind::ARRAY => Ok(None),
        _ => Err(GgufError::Damaged),
    }
}

/// Whether a type is a whole number.
fn is_whole(kind: u32) -> bool {
    matches!(kind, 0..=5 | 10 | 11)
}

struct Reader {
    file: BufReader<File>,
    at: u64,
    length: u64,
}

impl Reader {
    /// Makes sure that so many bytes are there, and that the header does not get longer than any.
    fn need(&self, bytes: u64) -> Result<(), GgufError> {
        let end = self.at.checked_add(bytes).ok_or(GgufError::Damaged)?;
        if end > self.length {
            return Err(GgufError::NotWhole);
        }
        if end > LONGEST_HEADER { Err(GgufError::Damaged) } else { Ok(()) }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        self.need(N as u64)?;
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    fn skip(&mut self, bytes: u64) -> Result<(), GgufError> {
        self.need(bytes)?;
        self.file.seek_relative(i64::try_from(bytes).map_err(|_| GgufError::Damaged)?)?;
        self.at += bytes;
        Ok(())
    }

    /// A text; none where it is too long to be kept, or is none.
    fn text(&mut self) -> Result<Option<String>, GgufError> {
        let length = self.u64()?;
        if length > LONGEST_TEXT {
            self.skip(length)?;
            return Ok(None);
        }
        self.need(length)?;
        let mut text = vec![0; usize::try_from(length).map_err(|_| GgufError::Damaged)?];
        self.file.read_exact(&mut text)?;
        self.at += length;
        Ok(String::from_utf8(text).ok())
    }

    fn value(&mut self) -> Result<Value, GgufError> {
        let kind = self.u32()?;
        match kind {
            kind::STRING => Ok(Value::Text(self.text()?)),
            kind::ARRAY => self.list(),
            _ => Ok(self.scalar(kind)?.map_or(Value::Other, Value::Number)),
        }
    }

    /// A value of a fixed length; none where it is no whole number, or one below zero.
    fn scalar(&mut self, kind: u32) -> Result<Option<u64>, GgufError> {
        let length = fixed_length(kind)?.ok_or(GgufError::Damaged)?;
        if !is_whole(kind) {
            self.skip(length)?;
            return Ok(None);
        }
        let number = match length {
            1 => i128::from(self.bytes::<1>()?[0]),
            2 => i128::from(u16::from_le_bytes(self.bytes()?)),
            4 if kind == 5 => i128::from(i32::from_le_bytes(self.bytes()?)),
            4 => i128::from(self.u32()?),
            _ if kind == 11 => i128::from(i64::from_le_bytes(self.bytes()?)),
            _ => i128::from(self.u64()?),
        };
        Ok(u64::try_from(number).ok())
    }

    fn list(&mut self) -> Result<Value, GgufError> {
        let (kind, count) = (self.u32()?, self.u64()?);
        if kind == kind::ARRAY {
            return Err(GgufError::Damaged);
        }
        let Some(length) = fixed_length(kind)? else {
            for _ in 0..count {
                let length = self.u64()?;
                self.skip(length)?;
            }
            return Ok(Value::List { count, sum: None });
        };
        if !is_whole(kind) || count > LONGEST_LIST {
            self.skip(count.checked_mul(length).ok_or(GgufError::Damaged)?)?;
            return Ok(Value::List { count, sum: None });
        }
        let mut sum = Some(0_u64);
        for _ in 0..count {
            sum = sum.zip(self.scalar(kind)?).and_then(|(sum, number)| sum.checked_add(number));
        }
        Ok(Value::List { count, sum })
    }

    /// Checks that the last tensor ends within the file.
    fn check_tensors(&mut self, count: u64, alignment: u64) -> Result<(), GgufError> {
        let mut end = 0_u64;
        for _ in 0..count {
            self.text()?;
            let dimensions = self.u32()?;
            if dimensions > 8 {
                return Err(GgufError::Damaged);
            }
            let mut numbers = 1_u64;
            for _ in 0..dimensions {
                numbers = numbers.checked_mul(self.u64()?).ok_or(GgufError::Damaged)?;
            }
            let (kind, offset) = (self.u32()?, self.u64()?);
            let length = tensor_length(kind, numbers).ok_or(GgufError::Damaged)?;
            end = end.max(offset.checked_add(length).ok_or(GgufError::Damaged)?);
        }
        let begin = self.at.checked_next_multiple_of(alignment).ok_or(GgufError::Damaged)?;
        let end = begin.checked_add(end).ok_or(GgufError::Damaged)?;
        if end > self.length { Err(GgufError::NotWhole) } else { Ok(()) }
    }
}

/// How long a tensor is at least, in bytes: exactly where its type is a common one. None where it cannot be.
fn tensor_length(kind: u32, numbers: u64) -> Option<u64> {
    let (block, bytes) = match kind {
        0 => (1, 4),
        1 | 30 => (1, 2),
        2 => (32, 18),
        3 => (32, 20),
        6 => (32, 22),
        7 => (32, 24),
        8 => (32, 34),
        10 => (256, 84),
        11 => (256, 110),
        12 => (256, 144),
        13 => (256, 176),
        14 => (256, 210),
        _ => return Some(0),
    };
    (numbers / block).checked_mul(bytes)
}

/// The name of how a file keeps its numbers.
fn quantisation(file_type: u64) -> Option<&'static str> {
    const NAMES: &[(u64, &str)] = &[
        (0, "F32"),
        (1, "F16"),
        (2, "Q4_0"),
        (3, "Q4_1"),
        (7, "Q8_0"),
        (8, "Q5_0"),
        (9, "Q5_1"),
        (10, "Q2_K"),
        (11, "Q3_K_S"),
        (12, "Q3_K_M"),
        (13, "Q3_K_L"),
        (14, "Q4_K_S"),
        (15, "Q4_K_M"),
        (16, "Q5_K_S"),
        (17, "Q5_K_M"),
        (18, "Q6_K"),
        (19, "IQ2_XXS"),
        (20, "IQ2_XS"),
        (23, "IQ3_XXS"),
        (25, "IQ4_NL"),
        (30, "IQ4_XS"),
        (32, "BF16"),
    ];
    NAMES.iter().find(|(number, _)| *number == file_type).map(|(_, name)| *name)
}

#[cfg(test)]
pub(in super::super) mod tests;
