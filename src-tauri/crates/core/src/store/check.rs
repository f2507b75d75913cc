//! Finding damage, and telling what of it can be made anew: indexes from their tables, and what is derived from the memories
//! and messages from those.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;

use super::error::StoreError;
use super::upkeep::QUICKLY_READ;

/// What follows from the memories and messages alone: passages, their vectors, and what waits to become them.
pub(super) const DERIVED: [&str; 12] = [
    "passages",
    "passage_totals",
    "sessions",
    "next_session",
    "passages_waiting",
    "static_vectors",
    "dense_vectors",
    "vector_codes",
    "vector_models",
    "static_waiting",
    "dense_waiting",
    "vector_changes",
];

/// The tables in which FTS5 keeps an index, after its name.
const SHADOWS: [&str; 5] = ["_data", "_idx", "_content", "_docsize", "_config"];

/// The bytes that a database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// The shape of every table and index.
    Quick,
    /// Whether the indexes fit their tables and texts too.
    Whole,
}

/// What is damaged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Broken {
    /// Indexes of tables.
    pub indexes: BTreeSet<String>,
    /// Indexes of words and of pieces of words.
    pub texts: BTreeSet<String>,
    /// Something of [`DERIVED`].
    pub derived: bool,
    /// Pages that belong to nothing: writing the file anew leaves them behind.
    pub loose: bool,
    /// Other tables, or what no table is known for.
    pub tables: BTreeSet<String>,
}

impl Broken {
    pub(super) fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Whether all of it can be made anew.
    pub(super) fn is_repairable(&self) -> bool {
        self.tables.is_empty()
    }
}

/// Looks at the file that a connection has open.
///
/// Errors: what kept it from being looked at; damage is none.
pub(super) fn look(conn: &Connection, depth: Depth) -> Result<Broken, StoreError> {
    let is_whole = match depth {
        Depth::Quick => are_shaped(conn)?,
        Depth::Whole => is_ok(conn, "PRAGMA integrity_check(1)")?,
    };
    if is_whole { Ok(Broken::default()) } else { part_by_part(conn) }
}

/// Whether all pages of all tables and their indexes are as pages are. Indexes of texts are looked at as the tables that they
/// are kept in: to read through them takes ten times as long.
fn are_shaped(conn: &Connection) -> Result<bool, StoreError> {
    let Some(tables) = unless_damaged(tables(conn))? else { return Ok(false) };
    for table in tables {
        if !is_ok(conn, &format!("PRAGMA quick_check({table})"))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether SQLite has no complaint. It breaks a look off where it cannot go on.
fn is_ok(conn: &Connection, pragma: &str) -> Result<bool, StoreError> {
    let said: Result<String, StoreError> = conn.query_row(pragma, [], |row| row.get(0)).map_err(StoreError::from);
    match said {
        Ok(said) => Ok(said == "ok"),
        Err(StoreError::Corrupt) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Looks at each part by itself, to tell what is damaged.
fn part_by_part(conn: &Connection) -> Result<Broken, StoreError> {
    let mut broken = Broken::default();
    let (Some(tables), Some(texts)) = (unless_damaged(tables(conn))?, unless_damaged(texts(conn))?) else {
        broken.tables.insert("the schema".to_owned());
        return Ok(broken);
    };
    for name in &texts {
        if !is_ok(conn, &format!("PRAGMA integrity_check({name})"))? {
            broken.texts.insert(name.clone());
        }
    }
    for table in tables {
        let text =
            texts.iter().find(|text| table.strip_prefix(text.as_str()).is_some_and(|end| SHADOWS.contains(&end)));
        let is_read = unless_damaged(read_through(conn, &table))?.is_some();
        let is_whole = is_read && is_ok(conn, &format!("PRAGMA integrity_check({table})"))?;
        match text {
            _ if is_whole => {}
            Some(text) => {
                broken.texts.insert(text.clone());
            }
            None if DERIVED.contains(&table.as_str()) => broken.derived = true,
            // Its rows are there: it is one of its indexes.
            None if is_read => broken.indexes.extend(indexes_of(conn, &table)?),
            None => {
                broken.tables.insert(table);
            }
        }
    }
    broken.loose = broken.is_nothing();
    Ok(broken)
}

fn unless_damaged<T>(result: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(StoreError::Corrupt) => Ok(None),
        Err(error) => Err(error),
    }
}

/// All tables that have pages.
pub(super) fn tables(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = conn
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name <> 'sqlite_stat1'")?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

/// Reads every value of every row of a table.
fn read_through(conn: &Connection, table: &str) -> Result<(), StoreError> {
    let mut statement = conn.prepare(&format!("SELECT * FROM {table} NOT INDEXED"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

pub(super) fn indexes_of(conn: &Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let mut statement =
        conn.prepare("SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 AND rootpage > 0")?;
    let names = statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

/// The names of the indexes of texts.
pub(super) fn texts(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5 (%'")?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

/// What is damaged, and the indexes of texts that do not fit their texts, where those are few enough to be read now. The
/// connection can write, and writes nothing.
pub(super) fn with_texts(conn: &Connection, mut broken: Broken) -> Result<Broken, StoreError> {
    if !broken.is_repairable() || bytes(conn)? > QUICKLY_READ || is_streaming(conn)? {
        return Ok(broken);
    }
    for name in texts(conn)? {
        match conn.execute(&format!("INSERT INTO {name} ({name}, rank) VALUES ('integrity-check', 1)"), []) {
            Ok(_) => {}
            Err(error) => match StoreError::from(error) {
                StoreError::Corrupt => drop(broken.texts.insert(name)),
                error => return Err(error),
            },
        }
    }
    Ok(broken)
}

/// How large a database is, in bytes.
pub(super) fn bytes(conn: &Connection) -> Result<u64, StoreError> {
    let pages: i64 = conn.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let page_size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
    Ok(pages.saturating_mul(page_size).unsigned_abs())
}

/// An answer that is still arriving is not in the index yet.
fn is_streaming(conn: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM messages WHERE state = 'streaming')";
    Ok(conn.query_row(sql, [], |row| row.get(0))?)
}

/// Whether a file begins as a database does and is as long as it says. One with a log may be shorter: the log has the rest.
pub(super) fn is_a_database(file: &Path, has_log: bool) -> std::io::Result<bool> {
    let Some((header, length)) = header(file)? else { return Ok(false) };
    let Some(page_size) = page_size_in(&header) else { return Ok(false) };
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    // The count of pages holds where the change counter beside it is the one of this version.
    let pages = if number(24) == number(92) { number(28) as usize } else { 0 };
    Ok(has_log || length >= (pages * page_size) as u64)
}

/// The size of a database's pages in bytes; `None` where the file does not begin as one.
pub(super) fn page_size(file: &Path) -> std::io::Result<Option<usize>> {
    if !file.exists() {
        return Ok(None);
    }
    Ok(header(file)?.and_then(|(header, _)| page_size_in(&header)))
}

/// The first bytes of a file, and its length; `None` where it is shorter.
fn header(file: &Path) -> std::io::Result<Option<([u8; 100], u64)>> {
    let mut file = File::open(file)?;
    let (mut header, length) = ([0; 100], file.metadata()?.len());
    match file.read_exact(&mut header) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        result => result.map(|()| Some((header, length))),
    }
}

fn page_size_in(header: &[u8; 100]) -> Option<usize> {
    let size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => usize::from(size),
    };
    (header.starts_with(MAGIC) && size.is_power_of_two() && size >= 512).then_some(size)
}
