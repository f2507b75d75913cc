//! Making anew what can be: indexes from their tables, indexes of texts from their texts, and what is derived from memories
//! and messages. Rows of people are only read here.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::check::{self, Broken, DERIVED, Depth};
use super::error::StoreError;

/// Makes anew what is damaged, and says what that was, for people.
///
/// Errors: [`StoreError::Corrupt`] where it is no index, or could not be made anew; nothing is changed then.
pub(super) fn repair(conn: &mut Connection, broken: &Broken) -> Result<Vec<String>, StoreError> {
    if !broken.is_repairable() {
        return Err(StoreError::Corrupt);
    }
    match gently(conn, broken).and_then(|()| found_whole(conn)) {
        // What is left of a damaged index may be beyond what SQLite can take apart.
        Err(StoreError::Corrupt | StoreError::Sqlite(_)) => from_the_ground(conn, broken)?,
        result => result?,
    }
    found_whole(conn)?;
    Ok(told(broken))
}

/// Makes all indexes anew.
///
/// Errors: [`StoreError::Corrupt`] where more is damaged.
pub(super) fn rebuild_all(conn: &mut Connection) -> Result<(), StoreError> {
    let mut broken = check::look(conn, Depth::Whole)?;
    if !broken.is_repairable() {
        return Err(StoreError::Corrupt);
    }
    broken.texts.extend(check::texts(conn)?);
    let mut statement = conn.prepare("SELECT name FROM sqlite_master WHERE type = 'index'")?;
    let names: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    drop(statement);
    broken.indexes.extend(names);
    repair(conn, &broken).map(drop)
}

fn told(broken: &Broken) -> Vec<String> {
    let mut told = Vec::new();
    if !broken.indexes.is_empty() {
        told.push("indexes of tables".to_owned());
    }
    if !broken.texts.is_empty() {
        told.push("the index of words".to_owned());
    }
    if broken.derived {
        told.push("the passages that memory is searched by".to_owned());
    }
    if broken.loose {
        told.push("free pages".to_owned());
    }
    told
}

fn found_whole(conn: &Connection) -> Result<(), StoreError> {
    let broken = check::with_texts(conn, check::look(conn, Depth::Whole)?)?;
    if broken.is_nothing() { Ok(()) } else { Err(StoreError::Corrupt) }
}

/// With SQLite's own means.
fn gently(conn: &mut Connection, broken: &Broken) -> Result<(), StoreError> {
    if broken.derived || broken.loose {
        return Err(StoreError::Corrupt);
    }
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for index in &broken.indexes {
        tx.execute_batch(&format!("REINDEX {}", quoted(index)))?;
    }
    for text in &broken.texts {
        rebuild_text(&tx, text)?;
    }
    Ok(tx.commit()?)
}

/// By striking the damaged parts out of the schema and making them again; the pages that they had are lost to the file until
/// it is written anew, which follows.
fn from_the_ground(conn: &mut Connection, broken: &Broken) -> Result<(), StoreError> {
    conn.pragma_update(None, "foreign_keys", false)?;
    let remade = strike_and_remake(conn, broken);
    conn.pragma_update(None, "foreign_keys", true)?;
    remade?;
    conn.execute_batch("VACUUM")?;
    Ok(())
}

fn strike_and_remake(conn: &mut Connection, broken: &Broken) -> Result<(), StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut made_by = Vec::new();
    tx.pragma_update(None, "writable_schema", true)?;
    // An index that belongs to a table's own declaration cannot be made by itself: it stays, and is found damaged again.
    for index in broken.indexes.iter().filter(|name| !name.starts_with("sqlite_autoindex_")) {
        made_by.extend(strike(&tx, "name = ?1 AND type = 'index'", index)?);
    }
    for text in &broken.texts {
        strike(&tx, "tbl_name GLOB ?1 || '_*' AND type IN ('table', 'index') AND sql NOT LIKE '%fts5vocab%'", text)?;
        made_by.extend(strike(&tx, "name = ?1 AND type = 'table'", text)?);
    }
    if broken.derived {
        for table in DERIVED {
            made_by.extend(strike(&tx, "tbl_name = ?1", table)?);
        }
    }
    tx.execute_batch("PRAGMA writable_schema = RESET")?;
    for sql in made_by {
        tx.execute_batch(&sql)?;
    }
    if broken.derived {
        tx.execute_batch(DERIVE_ANEW)?;
    }
    for text in &broken.texts {
        tx.execute_batch(&format!("INSERT INTO {text} ({text}, rank) VALUES ('secure-delete', 1)"))?;
        rebuild_text(&tx, text)?;
    }
    Ok(tx.commit()?)
}

/// Takes entries out of the schema; what made them, tables first.
fn strike(tx: &Transaction<'_>, which: &str, name: &str) -> Result<Vec<String>, StoreError> {
    let made_by = tx
        .prepare(&format!(
            "SELECT sql FROM sqlite_master WHERE ({which}) AND sql IS NOT NULL ORDER BY type = 'table' DESC, type"
        ))?
        .query_map([name], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    tx.execute(&format!("DELETE FROM sqlite_master WHERE {which}"), [name])?;
    Ok(made_by)
}

fn rebuild_text(tx: &Transaction<'_>, text: &str) -> Result<(), StoreError> {
    tx.execute_batch(&format!("INSERT INTO {text} ({text}) VALUES ('rebuild')"))?;
    if text == "messages_trigram" {
        // An answer that is still arriving is indexed when it is there.
        tx.execute_batch(
            "INSERT INTO messages_trigram (messages_trigram, rowid, text)
             SELECT 'delete', id, text FROM messages WHERE state = 'streaming'",
        )?;
    }
    Ok(())
}

/// Empty again, and all that has passages waits for them. A change is left out, so that who holds vectors in memory reads all
/// of them anew.
const DERIVE_ANEW: &str = "
    UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'vector_changes';
    INSERT INTO passage_totals VALUES (0, 0);
    INSERT INTO next_session VALUES (1);
    INSERT INTO passages_fts (passages_fts) VALUES ('rebuild');
    INSERT INTO passages_waiting SELECT 0, id FROM messages
        WHERE state <> 'streaming' AND replaced_by IS NULL AND recall = 1 AND forgotten_at IS NULL;
    INSERT INTO passages_waiting SELECT 1, id FROM facts WHERE retired_at IS NULL AND forgotten_at IS NULL;
    INSERT INTO passages_waiting SELECT 2, id FROM episodes WHERE forgotten_at IS NULL;
    INSERT INTO passages_waiting SELECT 3, id FROM procedures WHERE forgotten_at IS NULL;";

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
