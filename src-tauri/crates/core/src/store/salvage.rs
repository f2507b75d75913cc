//! Salvage: every row that can still be read in a damaged database, put into a copy of a backup of it.
//!
//! The damaged file is newer than any backup. So what can be read in it holds, and what is missing there between readable rows
//! was deleted; only what lies in a gap that cannot be read comes from the backup. The copy's own triggers keep its indexes and
//! what is derived in step.

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, OpenFlags, Statement, Transaction, params, params_from_iter};

use super::check::{self, DERIVED};
use super::connection::connect;
use super::error::StoreError;
use super::functions::Functions;
use super::time::Millis;

/// Whether a text was forgotten, by what a database keeps of that.
pub type IsForgotten = fn(&Connection, &str) -> Result<bool, StoreError>;

/// So many numbers after an unreadable row are tried one by one, and then every so many.
const TRIED_ONE_BY_ONE: i64 = 5_000;
const STRIDE: i64 = 256;

/// The tables that count what happens in others, and hold nothing of people.
const COUNTERS: [&str; 2] = ["facts_version", "indexing"];

/// The texts that may have been forgotten since the backup.
const TEXTS: [(&str, &str); 3] = [
    ("messages", "SELECT id, text FROM messages WHERE id > ?1 AND id < ?2 AND recall = 1"),
    ("facts", "SELECT id, sentence AS text FROM facts WHERE id > ?1 AND id < ?2"),
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

/// Numbers of rows between which a table could not be read.
struct Gap {
    table: String,
    after: i64,
    before: i64,
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
        let mut taken = 0;
        for table in tables(&tx)? {
            taken += Table::of(&tx, &damaged, &table)?.map_or(Ok(0), |table| table.take_over(&mut gaps))?;
        }
        if is_first {
            salvaged.from_damaged = taken;
            salvaged.from_backup = count_in(&tx, &gaps)?;
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

/// The damaged file for reading; `None` where SQLite finds no schema in it.
fn opened(damaged: &Path, functions: &Functions) -> Result<Option<Connection>, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let conn = connect(damaged, flags, functions)?;
        // What is odd is taken for damage, and not for a row.
        conn.pragma_update(None, "cell_size_check", true)?;
        let parts: i64 = conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        Ok((parts > 0).then_some(conn))
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
    let mut rows = 0;
    for table in tables(conn)? {
        rows += conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))?;
    }
    Ok(rows)
}

/// One table in both files.
struct Table<'a> {
    tx: &'a Transaction<'a>,
    damaged: &'a Connection,
    name: &'a str,
    /// The columns that both have.
    columns: Vec<String>,
    /// What a row is known by: `rowid`, or the columns of its key.
    key: Vec<String>,
}

impl<'a> Table<'a> {
    /// `None` where the damaged file has no such table, or does not tell.
    fn of(tx: &'a Transaction<'a>, damaged: &'a Connection, name: &'a str) -> Result<Option<Self>, StoreError> {
        let there = columns(damaged, name)?;
        let columns: Vec<(String, bool)> = columns(tx, name)?
            .into_iter()
            .filter(|(column, _)| there.iter().any(|(there, _)| there == column))
            .collect();
        if columns.is_empty() {
            return Ok(None);
        }
        let is_numbered: bool =
            tx.query_row("SELECT NOT wr FROM pragma_table_list WHERE name = ?1", [name], |row| row.get(0))?;
        let key = match is_numbered {
            true => vec!["rowid".to_owned()],
            false => columns.iter().filter(|(_, is_key)| *is_key).map(|(column, _)| column.clone()).collect(),
        };
        let columns = columns.into_iter().map(|(column, _)| column).collect();
        Ok(Some(Self { tx, damaged, name, columns, key }))
    }

    /// How many rows of the copy were put in, or put right.
    fn take_over(&self, gaps: &mut Vec<Gap>) -> Result<i64, StoreError> {
        if self.key == ["rowid"] { self.take_over_numbered(gaps) } else { self.take_over_keyed() }
    }

    /// The key and all columns, of the rows that a condition names.
    fn select(&self, of: &'a Connection, condition: &str) -> Result<Statement<'a>, StoreError> {
        let (key, columns, name) = (self.key.join(", "), self.columns.join(", "), self.name);
        Ok(of.prepare(&format!("SELECT {key}, {columns} FROM {name} {condition}"))?)
    }

    fn by_key(&self) -> String {
        let parts: Vec<String> =
            self.key.iter().enumerate().map(|(at, column)| format!("{column} = ?{}", at + 1)).collect();
        format!("WHERE {}", parts.join(" AND "))
    }

    fn take_over_numbered(&self, gaps: &mut Vec<Gap>) -> Result<i64, StoreError> {
        let mut writer = Writer::of(self)?;
        let mut probe = self.select(self.damaged, "WHERE rowid >= ?1 ORDER BY rowid LIMIT 1")?;
        let mut gone = self.tx.prepare(&format!("DELETE FROM {} WHERE rowid > ?1 AND rowid < ?2", self.name))?;
        let last = self.last_number()?;
        // `after` was the last number that is done with.
        let mut after = i64::MIN;
        loop {
            let mut statement = self.select(self.damaged, "WHERE rowid > ?1 ORDER BY rowid")?;
            let mut rows = statement.query([after])?;
            let ended = loop {
                let row = match unless_damaged(rows.next())? {
                    Some(Some(row)) => values(row, self.width())?,
                    Some(None) => break true,
                    None => break false,
                };
                let Value::Integer(number) = row[0] else { break false };
                // Numbers only go up in a sound table.
                if number <= after {
                    break false;
                }
                gone.execute([after, number])?;
                writer.put(&row)?;
                after = number;
            };
            if ended {
                gone.execute([after, i64::MAX])?;
                return Ok(writer.written);
            }
            let next = self.readable_after(&mut probe, after, last)?;
            gaps.push(Gap { table: self.name.to_owned(), after, before: next.unwrap_or(i64::MAX) });
            match next {
                Some(next) => {
                    if let Some(row) = self.read_at(&mut probe, next)? {
                        writer.put(&row)?;
                    }
                    after = next;
                }
                None => return Ok(writer.written),
            }
        }
    }

    fn width(&self) -> usize {
        self.key.len() + self.columns.len()
    }

    /// The highest number that a row of either file can have.
    fn last_number(&self) -> Result<i64, StoreError> {
        let sql = format!("SELECT coalesce(max(rowid), 0) FROM {}", self.name);
        let here: i64 = self.tx.query_row(&sql, [], |row| row.get(0))?;
        let there: Option<i64> = unless_damaged(self.damaged.query_row(&sql, [], |row| row.get(0)))?;
        // Where its end cannot be read, the file still says how many numbers it gave.
        let given = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?1";
        let given: Option<i64> = unless_damaged(self.damaged.query_row(given, [self.name], |row| row.get(0)))?;
        Ok(here.max(there.unwrap_or(0)).max(given.unwrap_or(0)))
    }

    /// The first row from a number on, where it can be read whole.
    fn read_at(&self, probe: &mut Statement<'_>, number: i64) -> Result<Option<Vec<Value>>, StoreError> {
        let mut rows = probe.query([number])?;
        match unless_damaged(rows.next())? {
            Some(Some(row)) => Ok(Some(values(row, self.width())?)),
            _ => Ok(None),
        }
    }

    /// The first number after an unreadable row from which the table can be read again.
    fn readable_after(&self, probe: &mut Statement<'_>, after: i64, last: i64) -> Result<Option<i64>, StoreError> {
        let first = after.max(0) + 1;
        let (mut low, mut tried) = (first - 1, first);
        while tried <= last {
            if let Some(mut found) = self.number_at(probe, tried)? {
                // Every so many were tried: the first readable one is after the last that was not.
                while low + 1 < tried {
                    let middle = low + (tried - low) / 2;
                    match self.number_at(probe, middle)? {
                        Some(number) => (tried, found) = (middle, number),
                        None => low = middle,
                    }
                }
                return Ok(Some(found));
            }
            low = tried;
            tried += if tried - first < TRIED_ONE_BY_ONE { 1 } else { STRIDE };
        }
        Ok(None)
    }

    fn number_at(&self, probe: &mut Statement<'_>, number: i64) -> Result<Option<i64>, StoreError> {
        Ok(self.read_at(probe, number)?.and_then(|row| match row[0] {
            Value::Integer(number) => Some(number),
            _ => None,
        }))
    }

    /// Rows that are known by their texts or by pairs of numbers: from both ends as far as they can be read.
    fn take_over_keyed(&self) -> Result<i64, StoreError> {
        let mut writer = Writer::of(self)?;
        let mut is_whole = true;
        for direction in ["ASC", "DESC"] {
            let order: Vec<String> = self.key.iter().map(|column| format!("{column} {direction}")).collect();
            let mut statement = self.select(self.damaged, &format!("ORDER BY {}", order.join(", ")))?;
            let mut rows = statement.query([])?;
            is_whole = loop {
                match unless_damaged(rows.next())? {
                    Some(Some(row)) => writer.put(&values(row, self.width())?)?,
                    Some(None) => break true,
                    None => break false,
                }
            };
            if is_whole {
                break;
            }
        }
        if is_whole {
            self.delete_what_is_gone()?;
        }
        Ok(writer.written)
    }

    fn delete_what_is_gone(&self) -> Result<(), StoreError> {
        let mut there = self.damaged.prepare(&format!("SELECT 1 FROM {} {}", self.name, self.by_key()))?;
        let mut delete = self.tx.prepare(&format!("DELETE FROM {} {}", self.name, self.by_key()))?;
        let mut all = self.tx.prepare(&format!("SELECT {} FROM {}", self.key.join(", "), self.name))?;
        let mut rows = all.query([])?;
        let mut gone = Vec::new();
        while let Some(row) = rows.next()? {
            let key = values(row, self.key.len())?;
            if !there.exists(params_from_iter(&key))? {
                gone.push(key);
            }
        }
        drop(rows);
        gone.iter().try_for_each(|key| delete.execute(params_from_iter(key)).map(drop).map_err(StoreError::from))
    }
}

/// Puts rows into the copy.
struct Writer<'a> {
    keys: usize,
    same: Statement<'a>,
    insert: Statement<'a>,
    update: Statement<'a>,
    written: i64,
}

impl<'a> Writer<'a> {
    fn of(table: &Table<'a>) -> Result<Self, StoreError> {
        let (name, keys) = (table.name, table.key.len());
        let place = |at: usize| format!("?{}", keys + at + 1);
        let sets: Vec<String> =
            table.columns.iter().enumerate().map(|(at, column)| format!("{column} = {}", place(at))).collect();
        let places: Vec<String> = (0..table.columns.len()).map(place).collect();
        // A number that is no column of its own is given all the same.
        let is_apart = table.key == ["rowid"] && !has_number_column(table.tx, name)?;
        let (also, number) = if is_apart { ("rowid, ", "?1, ") } else { ("", "") };
        Ok(Self {
            keys,
            same: table.select(table.tx, &table.by_key())?,
            insert: table.tx.prepare(&format!(
                "INSERT INTO {name} ({also}{}) VALUES ({number}{})",
                table.columns.join(", "),
                places.join(", ")
            ))?,
            update: table.tx.prepare(&format!("UPDATE {name} SET {} {}", sets.join(", "), table.by_key()))?,
            written: 0,
        })
    }

    fn put(&mut self, row: &[Value]) -> Result<(), StoreError> {
        let mut found = self.same.query(params_from_iter(&row[..self.keys]))?;
        let here = found.next()?.map(|here| values(here, row.len())).transpose()?;
        drop(found);
        let statement = match here {
            Some(here) if here == row => return Ok(()),
            Some(_) => &mut self.update,
            None => &mut self.insert,
        };
        match statement.execute(params_from_iter(row)) {
            Ok(_) => self.written += 1,
            // No row of the schema: it is damage that could be read. Or another row that is about to go is in its place.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

/// Whether a table's number is a column of it.
fn has_number_column(conn: &Connection, table: &str) -> Result<bool, StoreError> {
    let sql = "SELECT count(*) = 1 AND max(type) = 'INTEGER' FROM pragma_table_info(?1) WHERE pk > 0";
    Ok(conn.query_row(sql, [table], |row| row.get::<_, Option<bool>>(0))?.unwrap_or(false))
}

/// The columns of a table, and whether each is of its key.
fn columns(conn: &Connection, table: &str) -> Result<Vec<(String, bool)>, StoreError> {
    let mut statement = conn.prepare("SELECT name, pk > 0 AS is_key FROM pragma_table_info(?1)")?;
    let columns =
        statement.query_map([table], |row| Ok((row.get("name")?, row.get("is_key")?)))?.collect::<Result<_, _>>()?;
    Ok(columns)
}

fn values(row: &rusqlite::Row<'_>, count: usize) -> Result<Vec<Value>, StoreError> {
    let values = (0..count).map(|at| row.get(at)).collect::<Result<_, _>>()?;
    Ok(values)
}

fn unless_damaged<T>(result: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
    match result.map_err(StoreError::from) {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Corrupt) => Ok(None),
        Err(error) => Err(error),
    }
}

fn count_in(conn: &Connection, gaps: &[Gap]) -> Result<i64, StoreError> {
    let mut rows = 0;
    for gap in gaps {
        let sql = format!("SELECT count(*) FROM {} WHERE rowid > ?1 AND rowid < ?2", gap.table);
        rows += conn.query_row(&sql, [gap.after, gap.before], |row| row.get::<_, i64>(0))?;
    }
    Ok(rows)
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
