//! Looking for what was forgotten: in every file, in every table, in the vocabulary of every index, among the vectors.

use std::path::{Path, PathBuf};

use atlas_core::home::{AGENT, Home};
use atlas_core::store::Connection;
use atlas_tests::agent::Agent;

/// The files below a folder that hold some bytes; ASCII letters in any case.
pub fn files_with(folder: &Path, wanted: impl AsRef<[u8]>) -> Vec<String> {
    let wanted = wanted.as_ref().to_ascii_lowercase();
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, &wanted));
        } else {
            let bytes = std::fs::read(&path).unwrap().to_ascii_lowercase();
            if bytes.windows(wanted.len()).any(|window| window == wanted) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// The agent's folder.
pub fn folder(agent: &Agent) -> PathBuf {
    Home::at(agent.home.path()).agent(AGENT)
}

/// The agent's database, beside the agent's own connections.
pub fn database(agent: &Agent) -> Connection {
    Connection::open(folder(agent).join("atlas.db")).unwrap()
}

/// The columns that hold a text, as they are written and folded, with how many rows do: "messages.text: 2".
pub fn columns_with(conn: &Connection, wanted: &str) -> Vec<String> {
    let all = "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
               WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite_%'";
    let columns: Vec<(String, String)> = rows(conn, all, |row| (row.get(0).unwrap(), row.get(1).unwrap()));
    let mut found = Vec::new();
    for (table, column) in columns {
        let texts: Vec<Vec<u8>> = rows(
            conn,
            &format!("SELECT CAST(\"{column}\" AS BLOB) FROM \"{table}\" WHERE \"{column}\" IS NOT NULL"),
            |row| row.get(0).unwrap(),
        );
        let wanted = wanted.to_lowercase();
        let count = texts.iter().filter(|text| String::from_utf8_lossy(text).to_lowercase().contains(&wanted)).count();
        if count > 0 {
            found.push(format!("{table}.{column}: {count}"));
        }
    }
    found
}

/// The terms in the vocabularies of all text indexes that one of these stands in.
pub fn terms_with(conn: &Connection, parts: &[&str]) -> Vec<String> {
    let indexes: Vec<String> =
        rows(conn, "SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5 (%'", |row| row.get(0).unwrap());
    assert!(indexes.len() >= 4, "{indexes:?}");
    let mut found = Vec::new();
    for index in indexes {
        conn.execute_batch(&format!("CREATE VIRTUAL TABLE temp.v_{index} USING fts5vocab (main, {index}, row)"))
            .unwrap();
        let terms: Vec<String> = rows(conn, &format!("SELECT term FROM temp.v_{index}"), |row| row.get(0).unwrap());
        let known = terms.into_iter().filter(|term| parts.iter().any(|part| term.contains(part)));
        found.extend(known.map(|term| format!("{index}: {term}")));
        conn.execute_batch(&format!("DROP TABLE temp.v_{index}")).unwrap();
    }
    found
}

/// Tables of vectors and of their queues.
const OF_PASSAGES: &[&str] = &["static_vectors", "dense_vectors", "vector_codes", "static_waiting", "dense_waiting"];

/// Rows about passages that do not exist.
pub fn without_a_passage(conn: &Connection) -> Vec<String> {
    let loose = OF_PASSAGES.iter().filter(|table| {
        let sql = format!("SELECT count(*) FROM {table} WHERE passage_id NOT IN (SELECT id FROM passages)");
        rows(conn, &sql, |row| row.get::<_, i64>(0).unwrap())[0] > 0
    });
    loose.map(|table| (*table).to_owned()).collect()
}

/// The passages that a text is found by, and what their vectors are.
pub struct Vectors {
    passages: Vec<i64>,
    /// A piece of each vector; its bytes are found in no other.
    pieces: Vec<Vec<u8>>,
}

impl Vectors {
    /// Those of the passages that have a term.
    pub fn of(conn: &Connection, term: &str) -> Self {
        let passages: Vec<i64> =
            rows(conn, &format!("SELECT id FROM passages WHERE terms LIKE '%{term}%'"), |row| row.get(0).unwrap());
        let mut pieces = Vec::new();
        for (table, column) in [
            ("static_vectors", "vector"),
            ("dense_vectors", "vector"),
            ("dense_vectors", "words"),
            ("vector_codes", "dense_code"),
        ] {
            for id in &passages {
                let found = rows(conn, &format!("SELECT {column} FROM {table} WHERE passage_id = {id}"), |row| {
                    row.get::<_, Vec<u8>>(0).unwrap()
                });
                pieces.extend(
                    found.into_iter().filter(|bytes| bytes.len() >= 24 && bytes.iter().any(|byte| *byte != 0)).map(
                        |bytes| {
                            let middle = bytes.len() / 2;
                            bytes[middle - 12..middle + 12].to_vec()
                        },
                    ),
                );
            }
        }
        Self { passages, pieces }
    }

    /// How many vectors and codes there are.
    pub fn count(&self) -> usize {
        self.pieces.len()
    }

    /// Asserts that no table and no file has any of it.
    pub fn are_gone(&self, agent: &Agent) {
        let conn = database(agent);
        for table in OF_PASSAGES.iter().chain(&["vector_changes"]) {
            for id in &self.passages {
                let sql = format!("SELECT count(*) FROM {table} WHERE passage_id = {id}");
                // That a number changed says nothing of what had it.
                let left = rows(&conn, &sql, |row| row.get::<_, i64>(0).unwrap())[0];
                assert!(left == 0 || *table == "vector_changes", "{table} has passage {id}");
            }
        }
        let left = rows(&conn, "SELECT id FROM passages", |row| row.get::<_, i64>(0).unwrap());
        assert!(self.passages.iter().all(|id| !left.contains(id)), "a passage is left");
        for piece in &self.pieces {
            let found = files_holding(agent.home.path(), piece);
            assert!(found.is_empty(), "bytes of a vector are in {found:?}");
        }
    }
}

/// The files below a folder that hold these very bytes.
fn files_holding(folder: &Path, wanted: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_holding(&path, wanted));
        } else if std::fs::read(&path).unwrap().windows(wanted.len()).any(|window| window == wanted) {
            found.push(path);
        }
    }
    found
}

fn rows<T>(conn: &Connection, sql: &str, read: impl Fn(&atlas_core::store::Row<'_>) -> T) -> Vec<T> {
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| Ok(read(row))).unwrap().map(Result::unwrap).collect()
}
