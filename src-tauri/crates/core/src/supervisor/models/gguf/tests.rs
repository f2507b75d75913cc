use super::*;

/// A GGUF file, put together piece by piece.
pub(in super::super::super) struct Made {
    entries: u64,
    header: Vec<u8>,
    tensors: u64,
    infos: Vec<u8>,
    data: Vec<u8>,
}

impl Made {
    pub(in super::super::super) fn new() -> Self {
        Self { entries: 0, header: Vec::new(), tensors: 0, infos: Vec::new(), data: Vec::new() }
    }

    fn raw(mut self, key: &str, kind: u32, value: &[u8]) -> Self {
        self.entries += 1;
        self.header.extend(string(key));
        self.header.extend(kind.to_le_bytes());
        self.header.extend(value);
        self
    }

    pub(in super::super::super) fn number(self, key: &str, value: u32) -> Self {
        self.raw(key, 4, &value.to_le_bytes())
    }

    pub(in super::super::super) fn text(self, key: &str, value: &str) -> Self {
        let value = string(value);
        self.raw(key, kind::STRING, &value)
    }

    fn list(self, key: &str, kind: u32, count: u64, values: &[u8]) -> Self {
        let value = [&kind.to_le_bytes(), &count.to_le_bytes()[..], values].concat();
        self.raw(key, kind::ARRAY, &value)
    }

    /// A tensor of 32-bit numbers, with its data.
    fn tensor(mut self, name: &str, numbers: u64) -> Self {
        self.tensors += 1;
        self.infos.extend(string(name));
        self.infos.extend(1_u32.to_le_bytes());
        self.infos.extend(numbers.to_le_bytes());
        self.infos.extend(0_u32.to_le_bytes());
        self.infos.extend((self.data.len() as u64).to_le_bytes());
        self.data.extend(vec![0; numbers as usize * 4]);
        self
    }

    pub(in super::super::super) fn bytes(self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(3_u32.to_le_bytes());
        bytes.extend(self.tensors.to_le_bytes());
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(self.header);
        bytes.extend(self.infos);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes.extend(self.data);
        bytes
    }

    /// A small model to talk to.
    pub(in super::super::super) fn model() -> Self {
        Self::new()
            .text("general.architecture", "llama")
            .text("general.name", "Tiny Talker")
            .number("general.file_type", 15)
            .number("llama.block_count", 4)
            .number("llama.context_length", 2048)
            .number("llama.embedding_length", 64)
            .number("llama.attention.head_count", 8)
            .number("llama.attention.head_count_kv", 2)
            .list("tokenizer.ggml.tokens", kind::STRING, 2, &[string("a"), string("b")].concat())
            .tensor("token_embd.weight", 128)
    }
}

fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
}

fn read(bytes: &[u8]) -> Result<Header, GgufError> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.gguf");
    std::fs::write(&file, bytes).unwrap();
    Header::read(&file)
}

#[test]
fn a_header_tells_what_a_model_is() {
    let expected = Header {
        name: Some("Tiny Talker".into()),
        architecture: Some("llama".into()),
        quantisation: Some("Q4_K_M"),
        layers: Some(4),
        heads: Some(8),
        kv_heads: Some(KvHeads::Each(2)),
        embedding: Some(64),
        trained_context: Some(2048),
        vocabulary: Some(2),
        ..Header::default()
    };
    assert_eq!(read(&Made::model().bytes()), Ok(expected));
}

#[test]
fn layers_with_different_heads_are_added_up() {
    let heads: Vec<u8> = [2_i32, 0, 4].into_iter().flat_map(i32::to_le_bytes).collect();
    let made = Made::new().text("general.architecture", "x").list("x.attention.head_count_kv", 5, 3, &heads);
    assert_eq!(read(&made.bytes()).unwrap().kv_heads, Some(KvHeads::All(6)));
}

#[test]
fn what_is_no_gguf_file_is_told_apart_from_one_that_nobody_reads() {
    assert_eq!(read(b""), Err(GgufError::NotGguf));
    assert_eq!(read(b"<!doctype html><title>Sign in</title>"), Err(GgufError::NotGguf));
    let mut bytes = Made::model().bytes();
    bytes[4] = 1;
    assert_eq!(read(&bytes), Err(GgufError::Version(1)));
    let missing = Header::read(Path::new("/nowhere/a.gguf"));
    assert_eq!(missing, Err(GgufError::Unreadable(io::ErrorKind::NotFound)));
}

#[test]
fn a_file_that_was_cut_anywhere_is_not_whole() {
    let bytes = Made::model().bytes();
    for length in 4..bytes.len() {
        assert_eq!(read(&bytes[..length]), Err(GgufError::NotWhole), "{length} of {}", bytes.len());
    }
}

#[test]
fn lengths_that_cannot_be_are_never_followed() {
    let huge = u64::MAX.to_le_bytes();
    let texts = Made::new().raw("general.name", kind::STRING, &huge);
    assert_eq!(read(&texts.bytes()), Err(GgufError::Damaged));
    let numbers = Made::new().list("x", 10, u64::MAX / 2, &[]);
    assert_eq!(read(&numbers.bytes()), Err(GgufError::Damaged));
    let lists = Made::new().list("x", kind::STRING, u64::MAX, &[]);
    assert_eq!(read(&lists.bytes()), Err(GgufError::NotWhole));
    let nested = Made::new().list("x", kind::ARRAY, 1, &huge);
    assert_eq!(read(&nested.bytes()), Err(GgufError::Damaged));
    let unknown = Made::new().raw("x", 99, &huge);
    assert_eq!(read(&unknown.bytes()), Err(GgufError::Damaged));
    let alignment = Made::new().number("general.alignment", 0);
    assert_eq!(read(&alignment.bytes()), Err(GgufError::Damaged));
}

#[test]
fn no_byte_that_is_changed_makes_the_reader_fail_otherwise_than_with_an_error() {
    let bytes = Made::model().bytes();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.gguf");
    for at in 0..bytes.len() {
        for value in [0, 0x7f, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            std::fs::write(&file, &changed).unwrap();
            if let Ok(header) = Header::read(&file) {
                assert!(header.name.is_none_or(|name| name.len() <= LONGEST_TEXT as usize));
            }
        }
    }
}
