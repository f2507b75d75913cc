//! What was known of a subject and relation, and what was true of it, at any time.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, named_params};

use super::{COLUMNS, Fact, FactDraft, fact, person, with_replaced};
use crate::memory::page::{AsOf, AsOfView};
use crate::memory::relation::{self, SAID};
use crate::store::StoreError;
use crate::store::id::FactId;
use crate::store::time::Millis;

/// What a fact replaced and what replaced it, with all else that was ever known of its subject and relation; newest first, the
/// retired ones too. Words without a structure have no relation: other words are not their history.
pub fn history(conn: &Connection, id: FactId) -> Result<Vec<Fact>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "WITH RECURSIVE line (id) AS (
             VALUES (:id)
             UNION
             SELECT f.id FROM facts f JOIN line ON f.superseded_by = line.id
             UNION
             SELECT f.superseded_by FROM facts f JOIN line ON f.id = line.id WHERE f.superseded_by IS NOT NULL
         )
         SELECT {COLUMNS} FROM facts this JOIN facts f ON f.id IN (SELECT id FROM line)
             OR (f.subject_key = this.subject_key AND f.relation_key = this.relation_key AND f.relation_key <> :said)
         LEFT JOIN messages m ON m.id = f.source_message_id
         WHERE this.id = :id AND f.forgotten_at IS NULL
         ORDER BY f.recorded_at DESC, f.id DESC"
    ))?;
    let facts =
        statement.query_map(named_params! { ":id": id, ":said": SAID }, fact)?.collect::<Result<Vec<_>, _>>()?;
    if facts.is_empty() {
        return Err(StoreError::Missing("fact"));
    }
    with_replaced(conn, facts)
}

/// What was true of a subject and relation at a moment, as Atlas knows it today; newest first.
pub fn true_at(conn: &Connection, of: &FactDraft, at: DateTime<Utc>) -> Result<Vec<Fact>, StoreError> {
    as_of(conn, of, AsOf { at, view: AsOfView::True })
}

/// What Atlas believed of a subject and relation at a moment; newest first.
pub fn believed_at(conn: &Connection, of: &FactDraft, at: DateTime<Utc>) -> Result<Vec<Fact>, StoreError> {
    as_of(conn, of, AsOf { at, view: AsOfView::Believed })
}

fn as_of(conn: &Connection, of: &FactDraft, then: AsOf) -> Result<Vec<Fact>, StoreError> {
    let key = relation::key(of, person(conn)?.as_deref());
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM facts f LEFT JOIN messages m ON m.id = f.source_message_id
         WHERE f.subject_key = :subject AND f.relation_key = :relation AND f.forgotten_at IS NULL AND {}
         ORDER BY f.recorded_at DESC, f.id DESC",
        held(then.view)
    ))?;
    let facts = statement
        .query_map(named_params! { ":subject": key.subject, ":relation": key.relation, ":at": Millis(then.at) }, fact)?
        .collect::<Result<Vec<_>, _>>()?;
    with_replaced(conn, facts)
}

/// The condition for what held at `:at`. What was never true (a correction, an edit) was believed, and was not true.
pub(super) fn held(view: AsOfView) -> &'static str {
    match view {
        AsOfView::True => {
            "coalesce(valid_from, recorded_at) <= :at AND (valid_to IS NULL OR valid_to > :at)
             AND (retired_because IS NULL OR retired_because = 'change')"
        }
        AsOfView::Believed => "recorded_at <= :at AND (retired_at IS NULL OR retired_at > :at)",
    }
}
