//! The schema: numbered steps, each in one transaction, with a backup of what was there before; and the repair of
//! missing columns.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::backup::{self, BackupReason};
use super::error::StoreError;
use super::functions;
use crate::clock::{Clock, SystemClock};

/// The steps, in order. A step that has landed is never edited; a change is a new step.
const STEPS: &[&str] = &[
    include_str!("migrations/0001_first.sql"),
    include_str!("migrations/0002_passages.sql"),
    include_str!("migrations/0003_vectors.sql"),
    include_str!("migrations/0004_forgetting.sql"),
    include_str!("migrations/0005_review.sql"),
    include_str!("migrations/0006_history.sql"),
    include_str!("migrations/0007_whole.sql"),
    include_str!("migrations/0008_words_in_context.sql"),
    include_str!("migrations/0009_health.sql"),
    include_str!("migrations/0010_folding.sql"),
    include_str!("migrations/0011_quotes.sql"),
];

/// The version that this Atlas writes.
pub(super) fn newest() -> u32 {
    u32::try_from(STEPS.len()).expect("there are few migrations")
}

/// Brings the database in a folder up to date. A backup of it is made before the first step that changes data.
///
/// Errors: [`StoreError::Newer`] where a newer Atlas wrote it; nothing is changed then.
pub(super) fn migrate(conn: &mut Connection, folder: &Path) -> Result<(), StoreError> {
    let found = is_known(conn)?;
    if found > 0 && found < newest() {
        backup::make(conn, folder, BackupReason::BeforeUpdate, SystemClock.now())?;
    }
    bring_up_to_date(conn)
}

/// The version of a database. Errors: [`StoreError::Newer`] where a newer Atlas wrote it.
pub(super) fn is_known(conn: &Connection) -> Result<u32, StoreError> {
    let found = version(conn)?;
    if found > newest() { Err(StoreError::Newer { found, known: newest() }) } else { Ok(found) }
}

/// Whether a database is of the newest version. Errors: [`StoreError::Newer`] where a newer Atlas wrote it.
pub(super) fn is_newest(conn: &Connection) -> Result<bool, StoreError> {
    Ok(is_known(conn)? == newest())
}

/// Takes the steps that a database lacks. One that fails leaves it as the step before left it.
pub(super) fn bring_up_to_date(conn: &mut Connection) -> Result<(), StoreError> {
    bring_up(conn, STEPS)
}

/// Takes the steps of a schema that a database has not taken yet. [`StoreError::Newer`] where it has taken more.
pub(super) fn bring_up(conn: &mut Connection, steps: &[&str]) -> Result<(), StoreError> {
    let found = version(conn)?;
    let known = u32::try_from(steps.len()).expect("there are few migrations");
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    functions::register_for_steps(conn)?;
    for (step, version) in steps.iter().zip(1_u32..).skip(found as usize) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(step)?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
    }
    add_missing_columns(conn, steps)
}

fn version(conn: &Connection) -> Result<u32, StoreError> {
    Ok(conn.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

#[derive(Debug, PartialEq)]
struct Column {
    name: String,
    definition: String,
}

/// Adds every column that the schema declares and the file lacks. The declaration is the schema itself, built in memory.
fn add_missing_columns(conn: &Connection, steps: &[&str]) -> Result<(), StoreError> {
    let declared = Connection::open_in_memory()?;
    functions::register_for_steps(&declared)?;
    for step in steps {
        declared.execute_batch(step)?;
    }
    for table in tables(&declared)? {
        let present = columns(conn, &table)?;
        for column in columns(&declared, &table)? {
            if present.iter().all(|found| found.name != column.name) {
                conn.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {}", column.definition))?;
            }
        }
    }
    Ok(())
}

/// The ordinary tables; the shadow tables of the text indexes look after themselves.
fn tables(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
    )?;
    let names = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok(names)
}

fn columns(conn: &Connection, table: &str) -> Result<Vec<Column>, StoreError> {
    let mut statement = conn.prepare("SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1)")?;
    let columns = statement
        .query_map([table], |row| {
            let (name, kind): (String, String) = (row.get("name")?, row.get("type")?);
            let default: Option<String> = row.get("dflt_value")?;
            let not_null: bool = row.get("notnull")?;
            // SQLite adds a NOT NULL column only with a default; an old row has no value for one without.
            let definition = match default {
                Some(default) if not_null => format!("{name} {kind} NOT NULL DEFAULT {default}"),
                Some(default) => format!("{name} {kind} DEFAULT {default}"),
                None => format!("{name} {kind}"),
            };
            Ok(Column { name, definition })
        })?
        .collect::<Result<_, _>>()?;
    Ok(columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_new_database_gets_the_newest_version_and_no_backup() {
        let folder = scratch();
        let mut conn = Connection::open(folder.path().join("a.db")).unwrap();
        migrate(&mut conn, folder.path()).unwrap();
        assert_eq!(version(&conn).unwrap(), newest());
        assert!(!folder.path().join("backups").exists());
    }

    #[test]
    fn a_missing_column_is_added_with_its_default_and_the_rows_stay() {
        let folder = scratch();
        let mut conn = Connection::open(folder.path().join("a.db")).unwrap();
        migrate(&mut conn, folder.path()).unwrap();
        conn.execute_batch(
            "INSERT INTO facts (subject, relation, value, quote, subject_key, relation_key, value_key, confidence, origin, recorded_at)
             VALUES ('user', 'lives in', 'Porto', 'I live in Porto', 'user', 'lives in', 'porto', 1, 'said', 1);
             ALTER TABLE facts DROP COLUMN level; ALTER TABLE facts DROP COLUMN last_used_at;",
        )
        .unwrap();
        migrate(&mut conn, folder.path()).unwrap();
        let row: (String, i64, Option<i64>) = conn
            .query_row("SELECT value, level, last_used_at FROM facts", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })
            .unwrap();
        assert_eq!(row, ("Porto".to_owned(), 0, None));
    }

    #[test]
    fn a_database_of_a_newer_atlas_is_left_alone() {
        let folder = scratch();
        let mut conn = Connection::open(folder.path().join("a.db")).unwrap();
        conn.pragma_update(None, "user_version", newest() + 1).unwrap();
        let error = migrate(&mut conn, folder.path()).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found, known } if (found, known) == (newest() + 1, newest())));
        assert_eq!(tables(&conn).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn an_older_database_is_backed_up_before_it_is_changed() {
        let folder = scratch();
        let mut conn = Connection::open(folder.path().join("a.db")).unwrap();
        for step in &STEPS[..3] {
            conn.execute_batch(step).unwrap();
        }
        conn.pragma_update(None, "user_version", 3).unwrap();
        conn.execute("INSERT INTO drafts VALUES (0, 'hello')", []).unwrap();
        migrate(&mut conn, folder.path()).unwrap();
        assert_eq!(version(&conn).unwrap(), newest());
        let made = backup::list(folder.path()).unwrap();
        assert_eq!(made.iter().map(|backup| backup.reason).collect::<Vec<_>>(), [BackupReason::BeforeUpdate]);
        let copy = Connection::open(folder.path().join("backups").join(&made[0].name)).unwrap();
        let text: String = copy.query_row("SELECT text FROM drafts", [], |row| row.get(0)).unwrap();
        assert_eq!((version(&copy).unwrap(), text.as_str()), (3, "hello"));
    }

    #[test]
    fn a_step_that_fails_leaves_nothing_of_itself_and_the_backup_is_there() {
        let folder = scratch();
        let mut conn = Connection::open(folder.path().join("a.db")).unwrap();
        for step in &STEPS[..3] {
            conn.execute_batch(step).unwrap();
        }
        conn.pragma_update(None, "user_version", 3).unwrap();
        // In the way of a table that the fourth step makes after it has changed others.
        conn.execute_batch("CREATE TABLE tombstones (mine TEXT)").unwrap();
        let before = tables(&conn).unwrap();
        assert!(migrate(&mut conn, folder.path()).is_err());
        assert_eq!((version(&conn).unwrap(), tables(&conn).unwrap()), (3, before));
        assert!(columns(&conn, "messages").unwrap().iter().all(|column| column.name != "forgotten_at"));
        assert_eq!(backup::list(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn what_was_folded_by_older_rules_is_folded_anew_and_indexed_anew() {
        let mut conn = Connection::open_in_memory().unwrap();
        for step in &STEPS[..9] {
            conn.execute_batch(step).unwrap();
        }
        conn.execute_batch(
            "INSERT INTO facts (subject, relation, value, sentence, subject_key, relation_key, value_key, confidence, origin, recorded_at)
             VALUES ('user', 'street', 'Işık ٧٣', 'Işık ٧٣', 'user', 'street', 'ısık ٧٣', 1, 'said', 1);
             INSERT INTO passages (id, kind, owner_id, part, at, is_question, words, names, terms) VALUES
             (1, 1, 1, 0, 1, 0, 2, 0, 'ısık ٧٣'), (2, 2, 9, 0, 1, 0, 1, 0, 'plain');
             DELETE FROM passages_waiting;",
        )
        .unwrap();
        conn.pragma_update(None, "user_version", 9).unwrap();
        bring_up_to_date(&mut conn).unwrap();
        let key: String = conn.query_row("SELECT value_key FROM facts", [], |row| row.get(0)).unwrap();
        let waiting: (i64, i64) = conn
            .query_row("SELECT kind, owner_id FROM passages_waiting", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let left: i64 = conn.query_row("SELECT sum(id) FROM passages", [], |row| row.get(0)).unwrap();
        assert_eq!((key.as_str(), waiting, left), ("isik 73", (1, 1), 2));
    }

    #[test]
    fn an_older_fact_is_told_in_the_words_of_its_message_and_where_there_is_none_in_its_own() {
        let mut conn = Connection::open_in_memory().unwrap();
        for step in &STEPS[..10] {
            conn.execute_batch(step).unwrap();
        }
        conn.execute_batch(
            "INSERT INTO conversations (id, created_at, updated_at) VALUES (1, 1, 1);
             INSERT INTO messages (id, conversation_id, role, text, state, at)
             VALUES (1, 1, 'user', 'Hello. We moved to Porto in May. Why not?', 'complete', 7);
             INSERT INTO facts (subject, relation, value, sentence, subject_key, relation_key, value_key, confidence, origin,
                                source_message_id, recorded_at) VALUES
             ('user', 'lives in', 'Porto', 'You live in Porto', 'user', 'lives in', 'porto', 1, 'said', 1, 9),
             ('user', 'drinks', 'tea', 'You drink tea', 'user', 'drinks', 'tea', 1, 'said', NULL, 9),
             ('user', 'asked to remember', 'the bin is blue', 'You asked to remember: the bin is blue', 'user',
              'asked to remember', 'the bin is blue', 1, 'said', NULL, 9),
             ('user', 'no longer works at', 'Acme', 'You no longer work at Acme', 'user', 'no longer works at', 'acme', 1,
              'said', NULL, 9);",
        )
        .unwrap();
        conn.pragma_update(None, "user_version", 10).unwrap();
        bring_up_to_date(&mut conn).unwrap();
        let mut statement = conn.prepare("SELECT quote, relation, polarity, said_at FROM facts ORDER BY id").unwrap();
        let told = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
        let told: Vec<(String, String, String, i64)> = told.map(Result::unwrap).collect();
        let row =
            |quote: &str, relation: &str, polarity: &str, at| (quote.into(), relation.into(), polarity.into(), at);
        assert_eq!(
            told,
            [
                row("We moved to Porto in May.", "lives in", "holds", 7),
                row("You drink tea", "drinks", "holds", 9),
                row("the bin is blue", "said", "holds", 9),
                row("You no longer work at Acme", "works at", "ended", 9),
            ]
        );
        let found: i64 = conn.query_row("SELECT count(*) FROM facts_trigram('moved')", [], |row| row.get(0)).unwrap();
        assert_eq!(found, 1);
    }
}
