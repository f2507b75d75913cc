//! What memories say, as far as their passages need it, and which of them recall may find.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, named_params};

use crate::memory::index::parts::parts;
use crate::memory::index::passage::{Owner, OwnerKind, Passage};
use crate::memory::index::sealed;
use crate::memory::writing::topic;
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;
use crate::text::lexicon;

/// The text of a passage, from its owner; none where the owner is gone.
pub fn text_of(conn: &Connection, passage: &Passage) -> Result<Option<String>, StoreError> {
    let Some(said) = source(conn, passage.owner)? else { return Ok(None) };
    let part = parts(&said.text).nth(passage.part as usize).map(str::to_owned);
    Ok(part)
}

/// What an owner says, as far as its passages need it.
pub(super) struct Said {
    pub text: String,
    /// What else it is found by.
    pub also: String,
    /// Whether it is about the person.
    pub is_yours: bool,
    pub conversation: Option<ConversationId>,
    pub at: DateTime<Utc>,
    pub speaker: Option<String>,
    pub is_current: bool,
}

pub(super) fn source(conn: &Connection, owner: Owner) -> Result<Option<Said>, StoreError> {
    let sql = match owner.kind {
        OwnerKind::Message => {
            "SELECT text, '' AS also, 0 AS is_yours, conversation_id, at, coalesce(speaker, role) AS speaker,
                 replaced_by IS NULL AND forgotten_at IS NULL AND recall = 1 AND state NOT IN ('streaming', 'forgotten') AS is_current
             FROM messages WHERE id = :id"
        }
        OwnerKind::Fact => {
            "SELECT quote AS text, terms AS also, (subject_key = 'user' AND value_key <> lower(subject) OR subject_key LIKE 'user''s %') AS is_yours,
                 NULL AS conversation_id, recorded_at AS at, NULL AS speaker, retired_at IS NULL AND forgotten_at IS NULL AS is_current
             FROM facts WHERE id = :id"
        }
        OwnerKind::Episode => {
            "SELECT text, '' AS also, 0 AS is_yours, conversation_id, at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM episodes WHERE id = :id"
        }
        OwnerKind::Procedure => {
            "SELECT trigger || ' ' || strategy || ' ' || coalesce(lesson, '') AS text, category AS also, 0 AS is_yours,
                 NULL AS conversation_id, last_used_at AS at, NULL AS speaker, forgotten_at IS NULL AS is_current
             FROM procedures WHERE id = :id"
        }
    };
    let said = conn.prepare_cached(sql)?.query_row(named_params! { ":id": owner.id }, |row| {
        Ok(Said {
            text: row.get("text")?,
            also: row.get("also")?,
            is_yours: row.get("is_yours")?,
            conversation: row.get("conversation_id")?,
            at: row.get::<_, Millis>("at")?.0,
            speaker: row.get("speaker")?,
            is_current: row.get("is_current")?,
        })
    });
    Ok(said.optional()?)
}

/// Whether a memory is to be found by recall.
pub fn should_hold(conn: &Connection, owner: Owner) -> Result<bool, StoreError> {
    match source(conn, owner)? {
        Some(said) => Ok(said.is_current && holds(owner.kind, &said.text, &sealed::topics(conn)?)),
        None => Ok(false),
    }
}

/// Whether recall may find what somebody said: it says something, and nothing of a sealed topic.
pub(super) fn holds(kind: OwnerKind, said: &str, sealed: &[String]) -> bool {
    let says_something = said.chars().any(|c| !c.is_whitespace());
    let is_chatter = || lexicon::is_small_talk(said);
    let passed_by = || kind == OwnerKind::Message && (is_chatter() || topic::touches(said, sealed));
    says_something && !passed_by()
}
