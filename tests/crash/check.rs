//! The look at the database after a kill.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use atlas_core::home::{AGENT, Home};
use atlas_core::store::{Connection, Store, StoreError, StoreMode};

use crate::Expected;

/// What must be empty: things that are half there.
const HALVES: &[(&str, &str)] = &[
    (
        "a fact without an event",
        "SELECT id FROM facts WHERE id NOT IN (SELECT target_id FROM memory_events WHERE target_kind = 'fact')",
    ),
    (
        "a fact without its words",
        "SELECT id FROM facts WHERE quote = '' OR subject_key = '' OR relation_key = '' OR value_key = ''",
    ),
    (
        "a passage without its owner",
        "SELECT id FROM passages WHERE (kind = 0 AND owner_id NOT IN (SELECT id FROM messages))
             OR (kind = 1 AND owner_id NOT IN (SELECT id FROM facts WHERE forgotten_at IS NULL))
             OR (kind = 2 AND owner_id NOT IN (SELECT id FROM episodes WHERE forgotten_at IS NULL))
             OR (kind = 3 AND owner_id NOT IN (SELECT id FROM procedures WHERE forgotten_at IS NULL))",
    ),
    (
        "a current fact that is neither indexed nor waits for it",
        "SELECT id FROM facts WHERE retired_at IS NULL AND forgotten_at IS NULL
             AND id NOT IN (SELECT owner_id FROM passages WHERE kind = 1)
             AND id NOT IN (SELECT owner_id FROM passages_waiting WHERE kind = 1)",
    ),
    (
        "a vector without its passage",
        "SELECT passage_id FROM vector_codes WHERE passage_id NOT IN (SELECT id FROM passages)",
    ),
    (
        "a message without a conversation",
        "SELECT id FROM messages WHERE conversation_id NOT IN (SELECT id FROM conversations)",
    ),
    ("a turn without its message", "SELECT id FROM turns WHERE message_id NOT IN (SELECT id FROM messages)"),
    (
        "a message that was erased by half",
        "SELECT id FROM messages WHERE (state = 'forgotten') <> (text = '') AND state <> 'streaming'",
    ),
    ("an erased fact without a tombstone", "SELECT id FROM erasures WHERE NOT EXISTS (SELECT 1 FROM tombstones)"),
];

/// Opens the database as the next start does, and looks at all of it.
pub fn check(home: &Path, expected: &BTreeMap<String, Expected>) -> Result<(), String> {
    let folder = Home::at(home).agent(AGENT);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(told)?;
    let expected = expected.clone();
    runtime.block_on(async {
        let store = Store::open(&folder).await.map_err(told)?;
        let health = store.health().borrow().clone();
        let mut found = store.write(move |tx| look(tx, &expected)).await.map_err(told)?;
        if health.mode != StoreMode::Normal {
            found.push(format!("a sound database was taken for a damaged one: {health:?}"));
        }
        for backup in store.backups().await.map_err(told)? {
            let copy = Connection::open(folder.join("backups").join(&backup.name)).map_err(told)?;
            let sound = rows(&copy, "PRAGMA integrity_check").map_err(told)?;
            if sound != ["ok"] {
                found.push(format!("the backup {} is damaged: {sound:?}", backup.name));
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
    })
}

fn told(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

fn look(conn: &Connection, expected: &BTreeMap<String, Expected>) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let sound = rows(conn, "PRAGMA integrity_check")?;
    if sound != ["ok"] {
        found.push(format!("the file is damaged: {sound:?}"));
    }
    let loose = rows(conn, "SELECT \"table\" FROM pragma_foreign_key_check")?;
    if !loose.is_empty() {
        found.push(format!("rows point at nothing: {loose:?}"));
    }
    for index in rows(conn, "SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5 (%'")? {
        if let Err(error) =
            conn.execute(&format!("INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)"), [])
        {
            found.push(format!("the index {index} does not fit its texts: {error}"));
        }
    }
    for (what, sql) in HALVES {
        let halves = rows(conn, sql)?;
        if !halves.is_empty() {
            found.push(format!("{what}: {halves:?}"));
        }
    }
    let in_facts = words(conn, "SELECT quote FROM facts WHERE forgotten_at IS NULL")?;
    let in_messages = words(conn, "SELECT text FROM messages WHERE forgotten_at IS NULL")?;
    for (word, expected) in expected {
        let (fact, message) = (in_facts.contains(word), in_messages.contains(word));
        let fits = match expected {
            Expected::Fact => fact,
            Expected::Message => message,
            Expected::Gone => !fact && !message,
            Expected::Unknown => true,
        };
        if !fits {
            found.push(format!("{word} should be {expected:?}; in a fact: {fact}, in a message: {message}"));
        }
    }
    Ok(found)
}

/// All words of the texts.
fn words(conn: &Connection, sql: &str) -> Result<HashSet<String>, StoreError> {
    let texts = rows(conn, sql)?;
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    Ok(words.map(str::to_owned).collect())
}

/// The first column as text.
fn rows(conn: &Connection, sql: &str) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut all = Vec::new();
    while let Some(row) = rows.next()? {
        let value = row.get_ref(0)?;
        all.push(
            value
                .as_str()
                .map(str::to_owned)
                .or_else(|_| value.as_i64().map(|number| number.to_string()))
                .unwrap_or_default(),
        );
    }
    Ok(all)
}
