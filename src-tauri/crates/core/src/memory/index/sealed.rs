//! The topics that are sealed, as the index knows them: a message on one of them is found by no recall.

use rusqlite::{Connection, params};

use crate::store::StoreError;

/// The sealed topics.
pub fn topics(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT topic FROM sealed_topics ORDER BY topic")?;
    let topics = statement.query_map([], |row| row.get("topic"))?.collect::<Result<_, _>>()?;
    Ok(topics)
}

/// Takes over which topics are sealed. Where that changes something, all messages wait to be judged again.
pub fn seal(conn: &Connection, topics: &[String]) -> Result<(), StoreError> {
    let mut wanted = topics.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted == self::topics(conn)? {
        return Ok(());
    }
    conn.execute("DELETE FROM sealed_topics", [])?;
    for topic in &wanted {
        conn.execute("INSERT INTO sealed_topics (topic) VALUES (?1)", params![topic])?;
    }
    conn.execute(
        "INSERT OR IGNORE INTO passages_waiting
         SELECT 0, id FROM messages WHERE state <> 'streaming' AND replaced_by IS NULL AND recall = 1",
        [],
    )?;
    Ok(())
}
