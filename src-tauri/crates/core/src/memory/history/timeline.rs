//! The log of changes, as people read it: what happened, why, from which message, and what can still be taken back.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, ToSql};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::history::change::{self, ChangeKind, MemoryRef};
use crate::memory::page::{MemoryQuery, Page};
use crate::memory::recall::query::like;
use crate::store::StoreError;
use crate::store::id::{ConversationId, FactId, MemoryEventId, MessageId};
use crate::store::time::Millis;

/// Which changes, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
#[ts(export)]
pub struct EventQuery {
    /// Words to look for in what changed; empty for all. Text, never query syntax.
    pub search: String,
    /// Of these kinds; empty for all.
    pub kinds: Vec<ChangeKind>,
    /// Of one fact and of what it replaced.
    pub fact: Option<FactId>,
    /// How many rows to pass by.
    pub offset: u32,
    /// How many rows at most, up to 500.
    pub limit: u32,
}

/// One change of memory, as the timeline tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct MemoryEventView {
    /// Which one; to undo it, and to do it again.
    pub event: MemoryEventId,
    /// When.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: ChangeKind,
    /// To what; none where it was a candidate of Review.
    pub memory: Option<MemoryRef>,
    /// As one sentence; empty once it was forgotten for good.
    pub sentence: String,
    /// Why, for people.
    pub why: String,
    /// The message that caused it, while that exists.
    pub message: Option<MessageId>,
    /// The conversation of that message.
    pub conversation: Option<ConversationId>,
    /// It was taken back.
    pub undone: bool,
    /// It can be taken back now.
    pub can_undo: bool,
}

/// The changes that match, the newest first.
pub fn page(conn: &Connection, query: &EventQuery) -> Result<Page<MemoryEventView>, StoreError> {
    let mut conditions = vec!["TRUE".to_owned()];
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    for word in query.search.split_whitespace() {
        conditions.push("sentence LIKE ? ESCAPE '\\'".to_owned());
        values.push(Box::new(like(word)));
    }
    if !query.kinds.is_empty() {
        conditions.push(format!("kind IN ({})", vec!["?"; query.kinds.len()].join(", ")));
        values.extend(query.kinds.iter().map(|kind| Box::new(*kind) as _));
    }
    if let Some(fact) = query.fact {
        conditions.push(OF_ONE_FACT.to_owned());
        values.push(Box::new(fact));
    }
    let from = format!("FROM memory_events WHERE {}", conditions.join(" AND "));
    let mut bound: Vec<&dyn ToSql> = values.iter().map(|value| value.as_ref()).collect();
    let total =
        conn.prepare_cached(&format!("SELECT count(*) {from}"))?.query_row(bound.as_slice(), |row| row.get(0))?;
    let (limit, offset) = (query.limit.min(MemoryQuery::MOST_ROWS), query.offset);
    bound.extend([&limit as &dyn ToSql, &offset]);
    let mut statement = conn.prepare_cached(&format!(
        "SELECT e.id, e.at, e.kind, e.target_kind, e.target_id, e.sentence, e.why, e.message_id, m.conversation_id, e.undone_at,
                e.before IS NOT NULL AS can_undo
         FROM (SELECT * {from} ORDER BY at DESC, id DESC LIMIT ? OFFSET ?) e LEFT JOIN messages m ON m.id = e.message_id
         ORDER BY e.at DESC, e.id DESC"
    ))?;
    let rows = statement.query_map(bound.as_slice(), view)?.collect::<Result<_, _>>()?;
    Ok(Page { rows, total })
}

/// The events of a fact and of all that it replaced.
const OF_ONE_FACT: &str = "target_kind = 'fact' AND target_id IN (
    WITH RECURSIVE chain (id) AS (VALUES (?) UNION SELECT f.id FROM facts f JOIN chain ON f.superseded_by = chain.id)
    SELECT id FROM chain)";

fn view(row: &Row<'_>) -> rusqlite::Result<MemoryEventView> {
    let undone = row.get::<_, Option<Millis>>("undone_at")?.is_some();
    Ok(MemoryEventView {
        event: row.get("id")?,
        at: row.get::<_, Millis>("at")?.0,
        kind: row.get("kind")?,
        memory: change::target(&row.get::<_, String>("target_kind")?, row.get("target_id")?).ok(),
        sentence: row.get("sentence")?,
        why: row.get("why")?,
        message: row.get("message_id")?,
        conversation: row.get("conversation_id")?,
        undone,
        can_undo: !undone && row.get("can_undo")?,
    })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::memory::forgetting::{forget, purge};
    use crate::memory::history::{pin, undo};
    use crate::memory::testing::Memory;

    fn told(memory: &Memory, query: &EventQuery) -> Vec<(ChangeKind, String, bool, bool)> {
        let page = page(&memory.conn, &EventQuery { limit: 50, ..query.clone() }).unwrap();
        assert_eq!(page.total, page.rows.len() as i64);
        page.rows.into_iter().map(|event| (event.kind, event.sentence, event.undone, event.can_undo)).collect()
    }

    #[test]
    fn the_timeline_tells_what_happened_and_what_can_be_taken_back() {
        let mut memory = Memory::new();
        memory.say("I live in Porto.", &[["user", "lives in", "Porto"]]);
        memory.later(TimeDelta::days(1));
        memory.say("I moved to Lyon. I like tea.", &[["user", "lives in", "Lyon"], ["user", "likes", "tea"]]);
        let (lyon, tea, now) = (memory.facts()[0].id, memory.facts()[1].id, memory.utc());
        let all = page(&memory.conn, &EventQuery { limit: 50, ..EventQuery::default() }).unwrap().rows;
        assert_eq!(
            all[0],
            MemoryEventView {
                event: MemoryEventId(3),
                at: now,
                kind: ChangeKind::Added,
                memory: Some(MemoryRef::Fact(tea)),
                sentence: "I like tea.".into(),
                why: "a test".into(),
                message: Some(MessageId(2)),
                conversation: Some(memory.conversation()),
                undone: false,
                can_undo: true,
            }
        );
        memory.write(|tx| {
            pin::fact(tx, lyon, true, now).unwrap();
            let forgotten = forget::facts(tx, &[tea], None, now).unwrap();
            assert_eq!(forgotten.len(), 1);
        });
        let every = EventQuery::default();
        let row = |kind, sentence: &str, undone, can_undo| (kind, sentence.to_owned(), undone, can_undo);
        assert_eq!(
            told(&memory, &every),
            [
                row(ChangeKind::Forgotten, "I like tea.", false, true),
                row(ChangeKind::Pinned, "I moved to Lyon.", false, true),
                row(ChangeKind::Added, "I like tea.", false, true),
                row(ChangeKind::Superseded, "I moved to Lyon.", false, true),
                row(ChangeKind::Added, "I live in Porto.", false, true),
            ]
        );
        let of_lyon = EventQuery { fact: Some(lyon), ..EventQuery::default() };
        assert_eq!(
            told(&memory, &of_lyon).into_iter().map(|row| row.0).collect::<Vec<_>>(),
            [ChangeKind::Pinned, ChangeKind::Superseded, ChangeKind::Added]
        );
        let searched = EventQuery { search: "LIVE porto".into(), ..EventQuery::default() };
        assert_eq!(told(&memory, &searched), [row(ChangeKind::Added, "I live in Porto.", false, true)]);
        let pins = EventQuery { kinds: vec![ChangeKind::Pinned, ChangeKind::Unpinned], ..EventQuery::default() };
        assert_eq!(told(&memory, &pins).len(), 1);
        memory.write(|tx| {
            undo::undo(tx, &[MemoryEventId(4)], now).unwrap();
            purge::due(tx, now + TimeDelta::minutes(1)).unwrap();
        });
        assert!(!memory.facts()[0].pinned);
        assert_eq!(
            told(&memory, &every)[..3],
            [
                row(ChangeKind::Forgotten, "", false, false),
                row(ChangeKind::Pinned, "I moved to Lyon.", true, false),
                row(ChangeKind::Added, "", false, false),
            ]
        );
    }
}
