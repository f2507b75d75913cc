//! The SQL functions that Atlas adds to each connection.

use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::Connection;
use rusqlite::functions::FunctionFlags;

use super::error::StoreError;
use super::key::Key;
use crate::text;

/// How many bytes of a hash are kept: none is met by chance.
const HASH_BYTES: usize = 16;

/// Where the numbers of rows in memory begin: far below zero, and exact as a number of the window too.
const FIRST_IN_MEMORY: i64 = -(1 << 52);

/// The next number of a row in memory; no two stores of one process share one.
static NEXT_IN_MEMORY: AtomicI64 = AtomicI64::new(FIRST_IN_MEMORY);

/// What the functions go by.
#[derive(Clone)]
pub(super) struct Functions {
    key: Key,
    is_in_memory: bool,
}

impl Functions {
    /// Those of an agent's database.
    pub(super) fn of_an_agent(key: Key) -> Self {
        Self { key, is_in_memory: false }
    }

    /// Those of a store in memory.
    pub(super) fn of_memory() -> Self {
        Self { key: rand::random(), is_in_memory: true }
    }

    /// Adds them: `keyed_hash(text)`, a hash that tells nothing without the key; `new_id()`, the number of a new row, or
    /// NULL where SQLite gives it.
    pub(super) fn register(&self, conn: &Connection) -> Result<(), StoreError> {
        let (key, is_in_memory) = (self.key, self.is_in_memory);
        let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
        conn.create_scalar_function("keyed_hash", 1, pure, move |context| {
            let text: Option<String> = context.get(0)?;
            Ok(text.map(|text| blake3::keyed_hash(&key, text.as_bytes()).as_bytes()[..HASH_BYTES].to_vec()))
        })?;
        let impure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
        conn.create_scalar_function("new_id", 0, impure, move |_| {
            Ok(is_in_memory.then(|| NEXT_IN_MEMORY.fetch_add(1, Ordering::Relaxed)))
        })?;
        Ok(())
    }
}

/// Adds what a step of the schema needs: `sentence_with(text, words)`, the first sentence of a text that holds the words, or NULL.
pub(super) fn register_for_steps(conn: &Connection) -> Result<(), StoreError> {
    let pure = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    conn.create_scalar_function("sentence_with", 2, pure, |context| {
        let (text, words): (Option<String>, Option<String>) = (context.get(0)?, context.get(1)?);
        let (Some(text), Some(words)) = (text, words.map(|words| text::fold(&words))) else { return Ok(None) };
        let holds = |sentence: &&&str| !words.is_empty() && text::fold(sentence).contains(&words);
        Ok(text::sentences(&text).iter().find(holds).map(|sentence| (*sentence).to_owned()))
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_the_key_and_on_the_text() {
        let hash = |key: Key, text: &str| -> Vec<u8> {
            let conn = Connection::open_in_memory().unwrap();
            Functions::of_an_agent(key).register(&conn).unwrap();
            conn.query_row("SELECT keyed_hash(?1)", [text], |row| row.get(0)).unwrap()
        };
        assert_eq!(hash([1; 32], "a"), hash([1; 32], "a"));
        assert_ne!(hash([1; 32], "a"), hash([2; 32], "a"));
        assert_ne!(hash([1; 32], "a"), hash([1; 32], "b"));
        assert_eq!(hash([1; 32], "a").len(), HASH_BYTES);
    }

    #[test]
    fn only_rows_in_memory_get_their_number_here() {
        let number = |functions: Functions| -> Option<i64> {
            let conn = Connection::open_in_memory().unwrap();
            functions.register(&conn).unwrap();
            conn.query_row("SELECT new_id()", [], |row| row.get(0)).unwrap()
        };
        assert_eq!(number(Functions::of_an_agent([1; 32])), None);
        let (first, second) = (number(Functions::of_memory()).unwrap(), number(Functions::of_memory()).unwrap());
        assert!(first < second && second < 0);
    }
}
