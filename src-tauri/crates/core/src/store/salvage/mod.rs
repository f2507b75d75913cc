//! Salvage: every row that can still be read in a damaged database, put into a copy of a backup of it.
//!
//! The damaged file is newer than any backup. So what can be read in it holds, and what is missing there between readable rows
//! was deleted; only what lies in a gap that cannot be read comes from the backup. The copy's own triggers keep its indexes and
//! what is derived in step.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::{Connection, OpenFlags, Transaction, params};

use self::table::{Gap, Table, unless_damaged};
use super::check::{self, DERIVED};
use super::connection::connect;
use super::error::StoreError;
use super::functions::Functions;
use super::time::Millis;

mod table;

/// Whether a text was forgotten, by what a database keeps of that.
pub type IsForgotten = fn(&Connection, &str) -> Result<bool, StoreError>;

/// The tables that count what happens in others, and hold nothing of people.
const COUNTERS: [&str; 2] = ["facts_version", "indexing"];

/// The texts that may have been forgotten since the backup.
const TEXTS: [(&str, &str); 3] = [
    ("messages", "SELECT id, text FROM messages WHERE id > ?1 AND id < ?2 AND recall = 1"),
    ("facts", "SELECT id, quote AS text FROM facts WHERE id > ?1 AND id < ?2"),
    ("episodes", "SELECT id, text FROM episodes WHERE id > ?1 AND id < ?2"),
];

/// What was salvaged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Rows of the damaged file that the backup had not, or not like that.
    pub from_damaged: i64,
    /// Rows of the backup that could not be read in the damaged file any more.
    pub from_backup: i64,
}

/// Brings a copy of a backup to the state of a damaged file, as far as that can be read.
pub(super) fn salvage(
    copy: &mut Connection,
    damaged: &Path,
    functions: &Functions,
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<Salvaged, StoreError> {
    let Some(damaged) = opened(damaged, functions)? else {
        return Ok(Salvaged { from_damaged: 0, from_backup: all_rows(copy)? });
    };
    // Rows come before what they point at: what is still loose at the end is tied up there.
    copy.pragma_update(None, "foreign_keys", false)?;
    let tx = copy.transaction()?;
    let mut salvaged = Salvaged::default();
    // Triggers of one table touch rows of another: the second time there is nothing left but that.
    for is_first in [true, false] {
        let mut gaps = Vec::new();
        let (mut taken, mut kept) = (0, 0);
        for table in tables(&tx)? {
            match Table::of(&tx, &damaged, &table)? {
                Some(table) => taken += table.take_over(&mut gaps)?,
                None => kept += rows(&tx, &table)?,
            }
        }
        if is_first {
            salvaged.from_damaged = taken;
            salvaged.from_backup = kept + count_in(&tx, &gaps)?;
        } else {
            hide_forgotten(&tx, &gaps, is_forgotten, now)?;
        }
    }
    take_over_sequences(&tx, &damaged)?;
    tie_up(&tx)?;
    tx.commit()?;
    copy.pragma_update(None, "foreign_keys", true)?;
    Ok(salvaged)
}

/// The damaged file for reading; `None` where SQLite finds no schema in it. Of a schema that is damaged itself, the tables
/// before the damage are there.
fn opened(damaged: &Path, functions: &Functions) -> Result<Option<Connection>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let conn = connect(damaged, flags, functions)?;
        // What is odd is taken for damage, and not for a row.
        conn.pragma_update(None, "cell_size_check", true)?;
        // With this, the statement that meets damage in the schema fails, and the next one works with what was read of it.
        conn.pragma_update(None, "writable_schema", true)?;
        let known = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'";
        let count = || conn.query_row(known, [], |row| row.get::<_, i64>(0));
        let tables = match unless_damaged(count())? {
            Some(tables) => tables,
            None => count()?,
        };
        Ok((tables > 0).then_some(conn))
    };
    match open() {
        Ok(conn) => Ok(conn),
        Err(StoreError::Corrupt | StoreError::ReadOnly) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The tables that hold what cannot be made anew.
fn tables(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let sql =
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'";
    let names: Vec<String> = conn.prepare(sql)?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let is_source = |name: &String| !DERIVED.contains(&name.as_str()) && !COUNTERS.contains(&name.as_str());
    Ok(names.into_iter().filter(is_source).collect())
}

fn all_rows(conn: &Connection) -> Result<i64, StoreError> {
    tables(conn)?.iter().map(|table| rows(conn, table)).sum()
}

fn rows(conn: &Connection, table: &str) -> Result<i64, StoreError> {
    Ok(conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?)
}

fn count_in(conn: &Connection, gaps: &[Gap]) -> Result<i64, StoreError> {
    let mut rows = 0;
    for gap in gaps {
        let sql = format!("SELECT count(*) FROM {} WHERE rowid > ?1 AND rowid < ?2", gap.table);
        rows += conn.query_row(&sql, [gap.after, gap.before], |row| row.get::<_, i64>(0))?;
    }
    Ok(rows)
}

/// Hides what was forgotten, wherever it is: see [`hide_forgotten`].
pub(super) fn hide_all_forgotten(
    tx: &Transaction<'_>,
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let all = TEXTS.map(|(table, _)| Gap { table: table.to_owned(), after: i64::MIN, before: i64::MAX });
    hide_forgotten(tx, &all, is_forgotten, now)
}

/// What was forgotten since the backup and lies in a gap is hidden, for the purge at the next start.
fn hide_forgotten(
    tx: &Transaction<'_>,
    gaps: &[Gap],
    is_forgotten: IsForgotten,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    // Longer ago than a forget can be undone.
    let at = Millis(now - TimeDelta::hours(1));
    for gap in gaps {
        let Some((table, sql)) = TEXTS.iter().find(|(table, _)| *table == gap.table) else { continue };
        let texts: Vec<(i64, String)> = tx
            .prepare(sql)?
            .query_map([gap.after, gap.before], |row| Ok((row.get("id")?, row.get("text")?)))?
            .collect::<Result<_, _>>()?;
        for (id, text) in texts {
            if is_forgotten(tx, &text)? {
                tx.execute(&format!("UPDATE {table} SET forgotten_at = ?2 WHERE id = ?1"), params![id, at])?;
            }
        }
    }
    Ok(())
}

/// No number is given twice, also not one whose row was deleted since the backup.
fn take_over_sequences(tx: &Transaction<'_>, damaged: &Connection) -> Result<(), StoreError> {
    for table in tables(tx)? {
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
        let given: Option<i64> = match unless_damaged(damaged.query_row(sql, [&table], |row| row.get(0))) {
            Err(StoreError::Sqlite(rusqlite::Error::QueryReturnedNoRows)) => None,
            result => result?,
        };
        tx.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
            params![table, given.unwrap_or(0)],
        )?;
    }
    Ok(())
}

/// What points at a row that is lost points at nothing, or goes with it, as the schema says; but a conversation whose own row is
/// lost is made again for its messages.
pub(super) fn tie_up(tx: &Transaction<'_>) -> Result<(), StoreError> {
    tx.execute_batch(
        "INSERT INTO conversations (id, created_at, updated_at) SELECT conversation_id, min(at), max(at) FROM messages
             WHERE conversation_id NOT IN (SELECT id FROM conversations) GROUP BY conversation_id",
    )?;
    loop {
        let mut changed = 0;
        for table in check::tables(tx)? {
            let keys: Vec<(String, String, String, String)> = tx
                .prepare("SELECT \"table\", \"from\", \"to\", on_delete FROM pragma_foreign_key_list(?1)")?
                .query_map([&table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?
                .collect::<Result<_, _>>()?;
            for (parent, from, to, on_delete) in keys {
                let loose = format!(
                    "WHERE {from} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {parent} AS parent WHERE parent.{to} = {table}.{from})"
                );
                changed += match on_delete.as_str() {
                    "SET NULL" => tx.execute(&format!("UPDATE {table} SET {from} = NULL {loose}"), [])?,
                    _ => tx.execute(&format!("DELETE FROM {table} {loose}"), [])?,
                };
            }
        }
        if changed == 0 {
            return Ok(());
        }
    }
}
