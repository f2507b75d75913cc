//! What is typed into the search box of a list: every word must be there, somewhere in the text, as it stands or in another
//! form of it. It is text and never query syntax.

use rusqlite::{Connection, ToSql};
use unicode_normalization::UnicodeNormalization;

use crate::memory::index::terms;
use crate::memory::recall::query::like;
use crate::store::StoreError;
use crate::text;

/// A table whose text can be searched: its substring index is named after it.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory) struct Searched {
    pub table: &'static str,
    pub column: &'static str,
}

/// The index knows three characters in a row and more.
const SHORTEST: usize = 3;

/// The rows that hold all the words, by number, ascending; `None` where nothing was typed.
pub(in crate::memory) fn hits(
    conn: &Connection,
    search: &str,
    searched: Searched,
) -> Result<Option<Vec<i64>>, StoreError> {
    let typed: String = search.nfc().filter(|c| !c.is_control() || c.is_whitespace()).collect();
    let words: Vec<&str> = typed.split_whitespace().collect();
    if words.is_empty() {
        return Ok(None);
    }
    let Searched { table, column } = searched;
    let (long, short): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.chars().count() >= SHORTEST);
    let (mut conditions, mut values) = (Vec::new(), Vec::new());
    if !long.is_empty() {
        let expression = long.iter().map(|word| any_form(word)).collect::<Vec<_>>().join(" AND ");
        let found = format!("SELECT rowid FROM {table}_trigram WHERE {table}_trigram MATCH ?");
        if short.is_empty() {
            return ids(conn, &format!("{found} ORDER BY rowid"), &[expression]).map(Some);
        }
        conditions.push(format!("id IN ({found})"));
        values.push(expression);
    }
    for word in short {
        conditions.push(format!("{column} LIKE ? ESCAPE '\\'"));
        values.push(like(word));
    }
    // An order of the column: where an index of it exists, less has to be read.
    let found = format!("SELECT id FROM {table} WHERE {} ORDER BY id", conditions.join(" AND "));
    ids(conn, &found, &values).map(Some)
}

fn ids(conn: &Connection, sql: &str, values: &[String]) -> Result<Vec<i64>, StoreError> {
    let values: Vec<&dyn ToSql> = values.iter().map(|value| value as &dyn ToSql).collect();
    let mut statement = conn.prepare_cached(sql)?;
    let ids = statement.query_map(values.as_slice(), |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

/// "gardens" is there where "gardens" is, and where a word begins with "garden".
fn any_form(word: &str) -> String {
    let stem = terms::stem(&text::fold(word));
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic());
    if !is_word || stem.len() < SHORTEST || stem.eq_ignore_ascii_case(word) {
        return quoted(word);
    }
    format!("({} OR {} OR ^ {})", quoted(word), quoted(&format!(" {stem}")), quoted(&stem))
}

/// A string as FTS5 takes it for one phrase, whatever is in it.
fn quoted(typed: &str) -> String {
    format!("\"{}\"", typed.replace('"', "\"\""))
}
