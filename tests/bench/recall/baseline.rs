//! The baseline: the turns in one FTS5 table with the Porter stemmer, asked for any of a question's words without stop words.

use atlas_core::memory::index::terms;
use atlas_core::store::Connection;

use crate::data::Turn;
use crate::figures::DEPTH;

/// The table.
pub struct Baseline {
    conn: Connection,
}

impl Baseline {
    pub fn of(turns: &[Turn]) -> Self {
        let mut conn = Connection::open_in_memory().expect("a database in memory opens");
        conn.execute_batch("CREATE VIRTUAL TABLE turns USING fts5 (text, tokenize = 'porter unicode61')")
            .expect("the table is made");
        let tx = conn.transaction().expect("a transaction begins");
        for (at, turn) in turns.iter().enumerate() {
            tx.prepare_cached("INSERT INTO turns (rowid, text) VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute((at as i64, &turn.text)))
                .expect("a turn is written");
        }
        tx.commit().expect("it commits");
        Self { conn }
    }

    /// The best turns, best first.
    pub fn find(&self, question: &str) -> Vec<usize> {
        let words: Vec<String> = question
            .split(|c: char| !c.is_alphanumeric())
            .map(str::to_lowercase)
            .filter(|word| !word.is_empty() && !terms::is_passed_by(word))
            .map(|word| format!("\"{word}\""))
            .collect();
        if words.is_empty() {
            return Vec::new();
        }
        let sql = format!("SELECT rowid FROM turns WHERE turns MATCH ?1 ORDER BY rank, rowid LIMIT {DEPTH}");
        let mut statement = self.conn.prepare_cached(&sql).expect("it is good SQL");
        let rows = statement.query_map([words.join(" OR ")], |row| row.get::<_, i64>(0)).expect("it is asked");
        rows.map(|row| row.expect("it is read") as usize).collect()
    }
}
