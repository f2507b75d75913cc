//! Episodes: the dated notes and summaries of conversations.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::conversation::title_of;
use crate::memory::index::{self, Owner, OwnerKind};
use crate::memory::page::{List, MemoryOrder, MemoryQuery, Page, Searched, hits};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, MessageId};
use crate::store::time::Millis;
use crate::text;

/// What an episode covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum EpisodeKind {
    /// One turn.
    Note,
    /// A whole conversation, written when it ended.
    Summary,
}

/// An episode, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Episode {
    /// Which one.
    pub id: EpisodeId,
    /// What it covers.
    pub kind: EpisodeKind,
    /// The text.
    pub text: String,
    /// When it happened.
    pub at: DateTime<Utc>,
    /// The conversation that it is about, while that exists.
    pub conversation: Option<ConversationId>,
    /// That conversation's title.
    pub conversation_title: Option<String>,
    /// The person's message that it came from, while that exists.
    pub source_message: Option<MessageId>,
    /// In how many answers it was used.
    #[ts(type = "number")]
    pub use_count: i64,
}

crate::store::text::stored_as_word!(EpisodeKind);

/// The longest episode, in characters: it is a note, not a copy.
const LONGEST: usize = 1_000;

/// The columns of [`episode`]; `e` is the episode, `c` its conversation. The title is what the list of conversations shows.
const COLUMNS: &str = "e.id, e.kind, e.text, e.at, e.conversation_id, e.source_message_id, e.use_count,
    (SELECT title FROM given_titles WHERE id = c.id) AS title, (SELECT text FROM messages WHERE conversation_id = c.id AND role = 'user' AND replaced_by IS NULL
                           AND state <> 'forgotten' AND forgotten_at IS NULL ORDER BY id LIMIT 1) AS first_text";

fn episode(row: &Row<'_>) -> rusqlite::Result<Episode> {
    Ok(Episode {
        id: row.get("id")?,
        kind: row.get("kind")?,
        text: row.get("text")?,
        at: row.get::<_, Millis>("at")?.0,
        conversation: row.get("conversation_id")?,
        conversation_title: match row.get("title")? {
            Some(title) => Some(title),
            None => row.get::<_, Option<String>>("first_text")?.map(|text| title_of(&text)),
        },
        source_message: row.get("source_message_id")?,
        use_count: row.get("use_count")?,
    })
}

/// Writes the note of a turn. One that repeats the last note of its conversation is not written again. What may be noted is
/// the gate's to say: see [`crate::memory::writing::gate::admits_episode`].
pub fn add_note(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    message: MessageId,
    note: &str,
    now: DateTime<Utc>,
) -> Result<Option<EpisodeId>, StoreError> {
    let note = shortened(note);
    let last: Option<String> = tx
        .prepare_cached(
            "SELECT text FROM episodes WHERE conversation_id = :conversation AND kind = 'note' AND forgotten_at IS NULL
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row(named_params! { ":conversation": conversation }, |row| row.get("text"))
        .optional()?;
    if note.is_empty() || last.is_some_and(|last| text::fold(&last) == text::fold(&note)) {
        return Ok(None);
    }
    insert(tx, EpisodeKind::Note, conversation, Some(message), &note, now).map(Some)
}

/// Writes the summary of a conversation, in place of the one that it had.
pub fn replace_summary(
    tx: &Transaction<'_>,
    conversation: ConversationId,
    summary: &str,
    now: DateTime<Utc>,
) -> Result<EpisodeId, StoreError> {
    let summary = shortened(summary);
    let known: Option<EpisodeId> = tx
        .prepare_cached(
            "SELECT id FROM episodes WHERE conversation_id = :conversation AND kind = 'summary' AND forgotten_at IS NULL
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row(named_params! { ":conversation": conversation }, |row| row.get("id"))
        .optional()?;
    let Some(id) = known else { return insert(tx, EpisodeKind::Summary, conversation, None, &summary, now) };
    tx.prepare_cached("UPDATE episodes SET text = :text, at = :at WHERE id = :id")?
        .execute(named_params! { ":text": summary, ":at": Millis(now), ":id": id })?;
    index::write(tx, passages_of(id))?;
    Ok(id)
}

fn insert(
    tx: &Transaction<'_>,
    kind: EpisodeKind,
    conversation: ConversationId,
    message: Option<MessageId>,
    said: &str,
    now: DateTime<Utc>,
) -> Result<EpisodeId, StoreError> {
    tx.prepare_cached(
        "INSERT INTO episodes (kind, text, at, conversation_id, source_message_id)
         VALUES (:kind, :text, :at, :conversation, :message)",
    )?
    .execute(named_params! {
        ":kind": kind, ":text": said, ":at": Millis(now),
        ":conversation": conversation, ":message": message,
    })?;
    let id = EpisodeId(tx.last_insert_rowid());
    index::write(tx, passages_of(id))?;
    Ok(id)
}

/// What the index calls an episode.
fn passages_of(id: EpisodeId) -> Owner {
    Owner { kind: OwnerKind::Episode, id: id.0 }
}

fn shortened(said: &str) -> String {
    crate::text::clean(said).chars().take(LONGEST).collect()
}

/// The notes of a conversation, oldest first.
pub fn notes_of(conn: &Connection, conversation: ConversationId) -> Result<Vec<String>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT text FROM episodes WHERE conversation_id = :conversation AND kind = 'note' AND forgotten_at IS NULL ORDER BY id",
    )?;
    let notes = statement
        .query_map(named_params! { ":conversation": conversation }, |row| row.get("text"))?
        .collect::<Result<_, _>>()?;
    Ok(notes)
}

/// The episodes that match, in pages. No episode has an origin, a confidence, a pin or a successor.
pub fn page(conn: &Connection, query: &MemoryQuery) -> Result<Page<Episode>, StoreError> {
    let order = match query.order {
        MemoryOrder::Newest | MemoryOrder::LeastConfident => "at DESC, id DESC",
        MemoryOrder::Oldest => "at, id",
        MemoryOrder::MostUsed => "use_count DESC, id DESC",
        MemoryOrder::Alphabetical => "text COLLATE NOCASE, id",
    };
    let mut list = List {
        table: "episodes",
        visible: "forgotten_at IS NULL".to_owned(),
        conditions: Vec::new(),
        values: Vec::new(),
        order,
        narrow: None,
        hits: hits(conn, &query.search, Searched { table: "episodes", column: "text" })?,
        offset: query.offset,
        limit: query.rows(),
    };
    if query.filters.never_used {
        list.conditions.push("use_count = 0".to_owned());
    }
    if let Some(kind) = query.filters.episode_kind {
        list.conditions.push("kind = :kind".to_owned());
        list.values.push((":kind", Box::new(kind)));
    }
    if let Some(then) = query.filters.as_of {
        list.conditions.push("at <= :at".to_owned());
        list.values.push((":at", Box::new(Millis(then.at))));
    }
    let rows = list.rows(conn)?;
    let ids: Vec<EpisodeId> = rows.ids.into_iter().map(EpisodeId).collect();
    Ok(Page { rows: by_ids(conn, &ids)?, total: rows.total })
}

/// Episodes by number, in the order asked for; what does not exist or is about to be purged is left out.
pub fn by_ids(conn: &Connection, ids: &[EpisodeId]) -> Result<Vec<Episode>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM episodes e LEFT JOIN conversations c ON c.id = e.conversation_id
         WHERE e.id = :id AND e.forgotten_at IS NULL"
    ))?;
    let mut episodes = Vec::with_capacity(ids.len());
    for id in ids {
        episodes.extend(statement.query_row(named_params! { ":id": id }, episode).optional()?);
    }
    Ok(episodes)
}

/// The latest episodes outside a conversation: one for each other conversation, its summary where it has one.
pub fn recent(conn: &Connection, outside: Option<ConversationId>, limit: u32) -> Result<Vec<Episode>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM episodes e LEFT JOIN conversations c ON c.id = e.conversation_id
         WHERE e.forgotten_at IS NULL AND e.conversation_id IS NOT :outside
             AND (e.kind = 'summary' OR NOT EXISTS
                  (SELECT 1 FROM episodes s WHERE s.conversation_id = e.conversation_id AND s.kind = 'summary' AND s.forgotten_at IS NULL))
         ORDER BY e.at DESC, e.id DESC LIMIT :limit"
    ))?;
    // NULL IS NOT NULL is false: without a running conversation, episodes of deleted ones would be left out.
    let outside = outside.map_or(-1, |id| id.0);
    let rows = statement
        .query_map(named_params! { ":outside": outside, ":limit": limit }, episode)?
        .collect::<Result<_, _>>()?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    #[test]
    fn a_turn_leaves_one_note_and_a_conversation_one_summary() {
        let mut memory = Memory::new();
        let (message, conversation, now) = (memory.message("Where shall we eat?"), memory.conversation(), memory.utc());
        memory.write(|tx| {
            assert!(add_note(tx, conversation, message, "where to eat", now).unwrap().is_some());
            assert_eq!(add_note(tx, conversation, message, "Where to eat", now).unwrap(), None);
            assert_eq!(add_note(tx, conversation, message, "  ", now).unwrap(), None);
            let first = replace_summary(tx, conversation, "Eating", now).unwrap();
            assert_eq!(replace_summary(tx, conversation, "Eating out", now).unwrap(), first);
        });
        assert_eq!(notes_of(&memory.conn, conversation).unwrap(), ["where to eat"]);
        let query = |search: &str| MemoryQuery { search: search.into(), limit: 10, ..MemoryQuery::default() };
        let all = page(&memory.conn, &query("")).unwrap();
        assert_eq!(
            all.rows.iter().map(|episode| episode.text.as_str()).collect::<Vec<_>>(),
            ["Eating out", "where to eat"]
        );
        assert_eq!(all.rows[1].conversation_title.as_deref(), Some("Where shall we eat?"));
        assert_eq!(page(&memory.conn, &query("eating")).unwrap().total, 2);
        assert_eq!(page(&memory.conn, &query("eating out")).unwrap().total, 1);
    }

    #[test]
    fn the_latest_episodes_are_those_of_other_conversations() {
        let mut memory = Memory::new();
        let now = memory.utc();
        let (first, message) = (memory.conversation(), memory.message("a"));
        memory.write(|tx| add_note(tx, first, message, "a note", now).unwrap());
        let second = memory.new_conversation();
        let message = memory.message("b");
        memory.write(|tx| {
            add_note(tx, second, message, "b note", now).unwrap();
            replace_summary(tx, second, "b summary", now).unwrap();
        });
        let texts = |outside| {
            recent(&memory.conn, outside, 9).unwrap().into_iter().map(|episode| episode.text).collect::<Vec<_>>()
        };
        assert_eq!(texts(Some(second)), ["a note"]);
        assert_eq!(texts(None), ["b summary", "a note"]);
    }
}
