//! A memory that was told all turns, through the same functions as the app's, with every passage read by the models.
//!
//! Vectors are kept in `target/recall-vectors` from run to run, by the text that they are of: reading 100,000 texts takes the
//! transformer a quarter of an hour.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use atlas_core::embedding::{Models, Quantized};
use atlas_core::memory::conversation::{self, MessageState, NewMessage, Role};
use atlas_core::memory::index::vectors::words::BYTES;
use atlas_core::memory::index::vectors::{self, Kept, Space, queue};
use atlas_core::memory::index::{Index, Owner, OwnerKind, PassageId, passage};
use atlas_core::store::id::MessageId;
use atlas_core::store::{Connection, Store, StoreError};

use crate::data::Turn;

/// A memory in a folder of its own.
pub struct Memory {
    pub store: Store,
    pub index: Index,
    /// Which turn a message is.
    pub turns: HashMap<MessageId, usize>,
    _folder: tempfile::TempDir,
}

impl Memory {
    /// Tells all turns. Each session is a conversation.
    pub async fn of(turns: &[Turn], models: &Models) -> Self {
        let folder = tempfile::tempdir().expect("there is a place for temporary files");
        let store = Store::open(folder.path()).await.expect("a database opens");
        let told: Vec<Turn> = turns.to_vec();
        let ids = store.write(move |tx| tell(tx, &told)).await.expect("it is written");
        let index = Index::new(models.clone());
        let turns = ids.into_iter().enumerate().map(|(at, id)| (id, at)).collect();
        let memory = Self { store, index, turns, _folder: folder };
        for space in Space::ALL {
            memory.read(space, models).await;
        }
        memory
    }

    async fn read(&self, space: Space, models: &Models) {
        let Ok(model) = space.model(models) else { return };
        let mut cache = Cache::open(space, model);
        let waiting = self.store.read(move |conn| waiting(conn, space)).await.expect("passages are read");
        let (known, new): (Vec<_>, Vec<_>) = waiting.into_iter().partition(|(_, text)| cache.has(text));
        let known: Vec<queue::Read> = known.iter().map(|(id, text)| (*id, cache.get(text))).collect();
        let keep = move |tx: &atlas_core::store::Transaction<'_>| {
            queue::adopt(tx, space, model)?;
            queue::keep(tx, space, model, &known)
        };
        self.store.write(keep).await.expect("vectors are kept");
        if new.is_empty() {
            return;
        }
        eprintln!("{} texts are read ({space:?})…", new.len());
        while self.index.embed_some(&self.store, space, 500, || false).await.expect("passages are read") > 0 {}
        let ids: Vec<PassageId> = new.iter().map(|(id, _)| *id).collect();
        let read = self.store.read(move |conn| vectors::kept_of(conn, space, &ids)).await.expect("vectors are read");
        for (id, text) in new {
            cache.put(&text, read.get(&id));
        }
        cache.save();
    }
}

fn tell(tx: &atlas_core::store::Transaction<'_>, turns: &[Turn]) -> Result<Vec<MessageId>, StoreError> {
    let mut conversations = HashMap::new();
    let mut ids = Vec::with_capacity(turns.len());
    for turn in turns {
        // The speakers too: two dialogues may number their sessions alike.
        let conversation = match conversations.get(&turn.session) {
            Some(conversation) => *conversation,
            None => {
                let conversation = conversation::begin(tx, turn.at)?;
                conversations.insert(turn.session, conversation);
                conversation
            }
        };
        let (role, speaker) = match turn.speaker.as_str() {
            "user" => (Role::User, None),
            "assistant" => (Role::Assistant, None),
            name => (Role::User, Some(name.to_owned())),
        };
        let new = NewMessage {
            conversation,
            turn: None,
            role,
            text: turn.text.clone(),
            state: MessageState::Complete,
            model: None,
            speaker,
        };
        ids.push(conversation::add_message(tx, &new, turn.at)?);
    }
    Ok(ids)
}

/// The passages that wait for a vector, with their texts.
fn waiting(conn: &Connection, space: Space) -> Result<Vec<(PassageId, String)>, StoreError> {
    let table = match space {
        Space::Static => "static_waiting",
        Space::Dense => "dense_waiting",
    };
    let mut statement = conn.prepare(&format!(
        "SELECT w.passage_id AS id, p.part AS part, m.text AS text FROM {table} w JOIN passages p ON p.id = w.passage_id
         JOIN messages m ON m.id = p.owner_id WHERE p.kind = 0"
    ))?;
    let rows = statement.query_map([], |row| {
        let (text, part): (String, u32) = (row.get("text")?, row.get("part")?);
        Ok((row.get("id")?, passage::parts(&text).nth(part as usize).unwrap_or_default().to_owned()))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The passages of one message.
#[allow(dead_code)]
pub fn passages_of(conn: &Connection, id: MessageId) -> Result<Vec<PassageId>, StoreError> {
    let passages = passage::of(conn, Owner { kind: OwnerKind::Message, id: id.0 })?;
    Ok(passages.into_iter().map(|passage| passage.id).collect())
}

/// What one model made of texts, by text. A text without direction has no bytes.
struct Cache {
    file: PathBuf,
    length: usize,
    kept: HashMap<[u8; 16], (Vec<u8>, Vec<u8>)>,
}

impl Cache {
    fn open(space: Space, model: u32) -> Self {
        let length = match space {
            Space::Static => 256,
            Space::Dense => 384,
        };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/recall-vectors");
        let file = folder.join(format!("{space:?}-{model}.bin"));
        let bytes = std::fs::read(&file).unwrap_or_default();
        let mut kept = HashMap::new();
        let mut rest = bytes.as_slice();
        // A key, the vector, how many words, the words.
        while let Some((key, after)) = rest.split_first_chunk::<16>() {
            let (vector, after) = after.split_at(length);
            let (words, after) = after.split_first().expect("an entry is whole");
            let (words, after) = after.split_at(usize::from(*words) * BYTES);
            kept.insert(*key, (vector.to_vec(), words.to_vec()));
            rest = after;
        }
        Self { kept, file, length }
    }

    fn key(text: &str) -> [u8; 16] {
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
        key
    }

    fn has(&self, text: &str) -> bool {
        self.kept.contains_key(&Self::key(text))
    }

    fn get(&self, text: &str) -> Option<Kept> {
        let (vector, words) = self.kept.get(&Self::key(text))?;
        Some(Kept { vector: Quantized::from_bytes(vector.clone())?, words: words.clone() })
    }

    fn put(&mut self, text: &str, kept: Option<&Kept>) {
        let bytes = kept.map_or_else(
            || (vec![0; self.length], Vec::new()),
            |kept| (kept.vector.bytes().to_vec(), kept.words.clone()),
        );
        self.kept.insert(Self::key(text), bytes);
    }

    fn save(&self) {
        let entry = |(key, (vector, words)): (&[u8; 16], &(Vec<u8>, Vec<u8>))| {
            [&key[..], vector, &[(words.len() / BYTES) as u8], words].concat()
        };
        let bytes: Vec<u8> = self.kept.iter().flat_map(entry).collect();
        let folder = self.file.parent().expect("it stands in a folder");
        let saved = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&self.file, bytes));
        if let Err(error) = saved {
            eprintln!("The vectors are not kept for the next run: {error}");
        }
    }
}
