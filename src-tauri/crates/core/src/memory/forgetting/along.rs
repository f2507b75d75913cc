//! What goes with a forget and is no memory: titles and drafts in which the person tells it, and candidates that wait in
//! Review. It is hidden until the purge, and so is kept until then by which words it is known again in an import.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use rusqlite::types::{ToSql, ToSqlOutput};
use rusqlite::{Connection, Transaction, named_params, params};

use super::phrase::{Phrase, Phrases};
use super::receipt::Erased;
use crate::store::StoreError;
use crate::store::id::{FactId, MessageId, ReviewId};
use crate::store::time::Millis;

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Title,
    Draft,
    Review,
    Name,
}

impl ToSql for Kind {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Title => "title",
            Self::Draft => "draft",
            Self::Review => "review",
            Self::Name => "name",
        }
        .into())
    }
}

/// What else goes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Along {
    /// Conversations whose titles tell it.
    pub titles: BTreeSet<i64>,
    /// Conversations in which something is typed that tells it; 0 is the one that does not exist yet.
    pub drafts: BTreeSet<i64>,
    /// Candidates that tell it, or that came from it.
    pub review: BTreeSet<ReviewId>,
    /// What must not come in from outside any more, in whatever text.
    pub names: Vec<String>,
}

impl Along {
    /// All there is.
    pub fn everything(conn: &Connection) -> Result<Self, StoreError> {
        Ok(Self {
            titles: those(conn, TITLES, |_| true)?,
            drafts: those(conn, DRAFTS, |_| true)?,
            review: those(conn, REVIEW, |_| true)?.into_iter().map(ReviewId).collect(),
            names: Vec::new(),
        })
    }

    /// What tells these phrases, and what waits because of these messages or says the same as these facts.
    pub fn of<'a>(
        conn: &Connection,
        phrases: &[Phrase],
        messages: impl Iterator<Item = &'a MessageId>,
        facts: impl Iterator<Item = &'a FactId>,
    ) -> Result<Self, StoreError> {
        let told = Phrases::of(phrases);
        let mut review: BTreeSet<ReviewId> =
            those(conn, REVIEW, |text| told.are_in(text))?.into_iter().map(ReviewId).collect();
        let mut of_message = conn.prepare_cached("SELECT id FROM review WHERE source_message_id = ?1")?;
        for message in messages {
            review.extend(of_message.query_map([message], |row| row.get("id"))?.collect::<Result<Vec<ReviewId>, _>>()?);
        }
        let mut of_fact = conn.prepare_cached(
            "SELECT r.id FROM facts f JOIN review r ON r.subject_key = f.subject_key AND r.relation_key = f.relation_key
                 AND r.value_key = f.value_key WHERE f.id = ?1",
        )?;
        for fact in facts {
            review.extend(of_fact.query_map([fact], |row| row.get("id"))?.collect::<Result<Vec<ReviewId>, _>>()?);
        }
        Ok(Self {
            titles: those(conn, TITLES, |text| told.are_in(text))?,
            drafts: those(conn, DRAFTS, |text| told.are_in(text))?,
            review,
            names: Vec::new(),
        })
    }
}

/// Each with what the person sees of it, where it is not hidden.
const TITLES: &str = "SELECT id, title AS text FROM given_titles";
const DRAFTS: &str = "SELECT conversation_id AS id, text FROM drafts
    WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'draft' AND target_id = conversation_id)";
const REVIEW: &str = "SELECT id, quote || ' ' || value || ' ' || coalesce(source_title, '') AS text FROM review
    WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'review' AND target_id = review.id)";

fn those(conn: &Connection, sql: &str, is_one: impl Fn(&str) -> bool) -> Result<BTreeSet<i64>, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut found = BTreeSet::new();
    while let Some(row) = rows.next()? {
        if is_one(&row.get::<_, String>("text")?) {
            found.insert(row.get("id")?);
        }
    }
    Ok(found)
}

/// Hides it; drafts, and the names, only where the messages go too. The rows that an undo takes away.
pub(super) fn hide(
    tx: &Transaction<'_>,
    along: &Along,
    with_messages: bool,
    now: DateTime<Utc>,
) -> Result<Vec<i64>, StoreError> {
    let mut insert = tx.prepare_cached("INSERT INTO hidden (at, kind, target_id, name) VALUES (?1, ?2, ?3, ?4)")?;
    let mut ids = Vec::new();
    let mut hide = |kind: Kind, target: i64, name: Option<&str>| -> Result<(), StoreError> {
        ids.push(insert.insert(params![Millis(now), kind, target, name])?);
        Ok(())
    };
    along.titles.iter().try_for_each(|id| hide(Kind::Title, *id, None))?;
    if with_messages {
        along.drafts.iter().try_for_each(|id| hide(Kind::Draft, *id, None))?;
    }
    along.review.iter().try_for_each(|id| hide(Kind::Review, id.0, None))?;
    if with_messages {
        along.names.iter().try_for_each(|name| hide(Kind::Name, 0, Some(name)))?;
    }
    Ok(ids)
}

/// Shows it again.
pub(super) fn bring_back(tx: &Transaction<'_>, ids: &[i64]) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached("DELETE FROM hidden WHERE id = ?1")?;
    for id in ids {
        statement.execute([id])?;
    }
    Ok(())
}

/// The names of what was forgotten at one moment with all that tells it.
pub(super) fn names(conn: &Connection, at: Millis) -> Result<Vec<Phrase>, StoreError> {
    let names: Vec<String> = conn
        .prepare_cached("SELECT name FROM hidden WHERE at = ?1 AND kind = ?2")?
        .query_map(params![at, Kind::Name], |row| row.get("name"))?
        .collect::<Result<_, _>>()?;
    Ok(names.iter().filter_map(|name| Phrase::named(name)).collect())
}

/// Deletes what was hidden at one moment.
pub(super) fn erase(tx: &Transaction<'_>, at: Millis, erased: &mut Erased) -> Result<(), StoreError> {
    let gone = |kind: Kind, sql: &str| -> Result<usize, StoreError> {
        let of_kind = "IN (SELECT target_id FROM hidden WHERE at = :at AND kind = :kind)";
        Ok(tx.prepare_cached(&format!("{sql} {of_kind}"))?.execute(named_params! { ":at": at, ":kind": kind })?)
    };
    erased.review = gone(Kind::Review, "DELETE FROM review WHERE id")?;
    erased.titles = gone(Kind::Title, "UPDATE conversations SET title = NULL WHERE title IS NOT NULL AND id")?;
    erased.drafts = gone(Kind::Draft, "DELETE FROM drafts WHERE conversation_id")?;
    tx.prepare_cached("DELETE FROM hidden WHERE at = ?1")?.execute([at])?;
    Ok(())
}
