//! One table of a damaged database: its readable rows, the gaps between them, and how they come into the copy.

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, Statement, Transaction, params_from_iter};

use crate::store::error::StoreError;

/// So many numbers after an unreadable row are tried one by one, and then every so many.
const TRIED_ONE_BY_ONE: i64 = 5_000;
const STRIDE: i64 = 256;

/// Numbers of rows between which a table could not be read.
pub(super) struct Gap {
    pub table: String,
    pub after: i64,
    pub before: i64,
}

/// One table in both files.
pub(super) struct Table<'a> {
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
    pub(super) fn of(
        tx: &'a Transaction<'a>,
        damaged: &'a Connection,
        name: &'a str,
    ) -> Result<Option<Self>, StoreError> {
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
    pub(super) fn take_over(&self, gaps: &mut Vec<Gap>) -> Result<i64, StoreError> {
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

fn quoted(name: String) -> String {
    format!("\"{name}\"")
}

/// The columns of a table, quoted, and whether each is of its key.
fn columns(conn: &Connection, table: &str) -> Result<Vec<(String, bool)>, StoreError> {
    let mut statement = conn.prepare("SELECT name, pk > 0 AS is_key FROM pragma_table_info(?1)")?;
    let columns = statement
        .query_map([table], |row| Ok((quoted(row.get("name")?), row.get("is_key")?)))?
        .collect::<Result<_, _>>()?;
    Ok(columns)
}

fn values(row: &rusqlite::Row<'_>, count: usize) -> Result<Vec<Value>, StoreError> {
    let values = (0..count).map(|at| row.get(at)).collect::<Result<_, _>>()?;
    Ok(values)
}

pub(super) fn unless_damaged<T>(result: rusqlite::Result<T>) -> Result<Option<T>, StoreError> {
    match result.map_err(StoreError::from) {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Corrupt) => Ok(None),
        Err(error) => Err(error),
    }
}
