//! What failed, what was done about it, and what came of it: one row for each try, for the Health page and for reflection.

use chrono::{DateTime, Duration, Utc};
use rusqlite::{Connection, Row, Transaction, named_params, params};
use serde::{Deserialize, Serialize};

use super::failure::{Failure, Phase};
use super::remedy::Remedy;
use crate::store::StoreError;
use crate::store::id::{ConversationId, TurnId};
use crate::store::text::stored_as_word;
use crate::store::time::Millis;

/// How long the timeline is kept, in days, and how many rows of it at most.
const KEPT_DAYS: i64 = 90;
const KEPT_ROWS: i64 = 5_000;

/// Where something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, rename = "HealthSource")]
pub enum Source {
    /// In a turn.
    Turn,
    /// In the work after a turn.
    Background,
    /// In the built-in engine.
    Engine,
    /// In the database.
    Store,
    /// In how an answer kept to the spec.
    Conduct,
}

/// What came of a remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ts_rs::TS)]
#[serde(rename_all = "camelCase")]
#[ts(export, rename = "HealthOutcome")]
pub enum Outcome {
    /// It helped.
    Worked,
    /// It did not.
    Failed,
    /// Nothing was tried: the person was told.
    Told,
}

stored_as_word!(Source, Outcome);

/// One try of one remedy, or a failure that only the person could do something about.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When.
    pub at: DateTime<Utc>,
    /// Where.
    pub source: Source,
    /// The failure's stable code.
    pub code: String,
    /// The service, by name.
    pub provider: String,
    /// The model.
    pub model: String,
    /// How far the turn had come.
    pub phase: Phase,
    /// What happened, in words for people. It holds nothing that a person or a provider wrote.
    pub trigger: String,
    /// What was done; none where there was nothing to do.
    pub remedy: Option<Remedy>,
    /// What came of it.
    pub outcome: Outcome,
    /// How long was waited.
    pub waited: std::time::Duration,
    /// The turn, where it was one.
    pub turn: Option<TurnId>,
}

impl Event {
    /// A failure and what was done about it.
    pub fn of(failure: &Failure, source: Source, outcome: Outcome, at: DateTime<Utc>) -> Self {
        Self {
            at,
            source,
            code: failure.kind.code().to_owned(),
            provider: failure.provider.clone(),
            model: failure.model.clone(),
            phase: failure.phase,
            trigger: failure.trigger(),
            remedy: None,
            outcome,
            waited: std::time::Duration::ZERO,
            turn: None,
        }
    }

    /// Writes it down, and lets go of what is too old.
    pub fn record(&self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        tx.prepare_cached(
            "INSERT INTO health_events (at, source, code, provider, model, phase, trigger, remedy, outcome, waited_ms, turn_id)
             VALUES (:at, :source, :code, :provider, :model, :phase, :trigger, :remedy, :outcome, :waited, :turn)",
        )?
        .execute(named_params! {
            ":at": Millis(self.at), ":source": self.source, ":code": self.code, ":provider": self.provider,
            ":model": self.model, ":phase": self.phase.code(), ":trigger": self.trigger,
            ":remedy": self.remedy.map(Remedy::code), ":outcome": self.outcome,
            ":waited": i64::try_from(self.waited.as_millis()).unwrap_or(i64::MAX), ":turn": self.turn,
        })?;
        let oldest = Millis(self.at - Duration::days(KEPT_DAYS));
        tx.prepare_cached("DELETE FROM health_events WHERE at < ?1 OR id <= (SELECT max(id) - ?2 FROM health_events)")?
            .execute(params![oldest, KEPT_ROWS])?;
        Ok(())
    }
}

/// Which part of the timeline is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Only what comes from there.
    pub source: Option<Source>,
    /// Only what no remedy helped.
    pub only_unhealed: bool,
    /// How many rows to pass over.
    pub offset: u32,
    /// How many rows.
    pub limit: u32,
}

/// A row of the timeline, as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its number.
    pub id: i64,
    /// The event.
    pub event: Event,
    /// The conversation that it happened in, where there is one still.
    pub conversation: Option<ConversationId>,
}

/// A part of the timeline, the latest first, and how many rows match.
pub fn page(conn: &Connection, wanted: Wanted) -> Result<(Vec<Stored>, i64), StoreError> {
    let matching = "health_events LEFT JOIN turns ON turns.id = turn_id
        WHERE (:source IS NULL OR source = :source) AND (NOT :unhealed OR health_events.outcome <> 'worked')";
    let total = conn
        .prepare_cached(&format!("SELECT count(*) FROM {matching}"))?
        .query_row(named_params! { ":source": wanted.source, ":unhealed": wanted.only_unhealed }, |row| row.get(0))?;
    let mut statement = conn.prepare_cached(&format!(
        "SELECT health_events.*, turns.conversation_id FROM {matching} ORDER BY health_events.id DESC LIMIT :limit OFFSET :offset"
    ))?;
    let rows = statement.query_map(
        named_params! {
            ":source": wanted.source, ":unhealed": wanted.only_unhealed, ":limit": wanted.limit, ":offset": wanted.offset,
        },
        stored,
    )?;
    Ok((rows.collect::<Result<_, _>>()?, total))
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let (phase, remedy): (String, Option<String>) = (row.get("phase")?, row.get("remedy")?);
    let waited: i64 = row.get("waited_ms")?;
    Ok(Stored {
        id: row.get("id")?,
        event: Event {
            at: row.get::<_, Millis>("at")?.0,
            source: row.get("source")?,
            code: row.get("code")?,
            provider: row.get("provider")?,
            model: row.get("model")?,
            phase: Phase::ALL.into_iter().find(|known| known.code() == phase).unwrap_or(Phase::Asking),
            trigger: row.get("trigger")?,
            remedy: remedy.as_deref().and_then(Remedy::of_code),
            outcome: row.get("outcome")?,
            waited: std::time::Duration::from_millis(u64::try_from(waited).unwrap_or(0)),
            turn: row.get("turn_id")?,
        },
        conversation: row.get("conversation_id")?,
    })
}

/// The latest turn of a conversation that began afresh, because the answers before it had left the role.
pub fn began_afresh(conn: &Connection, conversation: ConversationId) -> Result<Option<TurnId>, StoreError> {
    let turn = conn
        .prepare_cached(
            "SELECT max(turn_id) AS turn FROM health_events JOIN turns ON turns.id = turn_id
             WHERE turns.conversation_id = ?1 AND remedy = ?2",
        )?
        .query_row(params![conversation, Remedy::StartAfresh.code()], |row| row.get("turn"))?;
    Ok(turn)
}

/// Forgets all of it.
pub fn wipe(tx: &Transaction<'_>) -> Result<(), StoreError> {
    Ok(tx.execute_batch("DELETE FROM health_events; DELETE FROM conduct_samples;")?)
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;
    use crate::healing::FailureKind;
    use crate::store::scratch;

    fn event(code: &str, outcome: Outcome, day: u32) -> Event {
        let failure = Failure {
            kind: FailureKind::EmptyAnswer,
            provider: "OpenRouter".into(),
            model: "some/model".into(),
            phase: Phase::Answering,
        };
        let at = Utc.with_ymd_and_hms(2026, 3, day, 9, 0, 0).unwrap();
        Event {
            code: code.into(),
            remedy: Some(Remedy::Wait),
            waited: std::time::Duration::from_millis(1500),
            ..Event::of(&failure, Source::Turn, outcome, at)
        }
    }

    fn codes(conn: &Connection, wanted: Wanted) -> (Vec<String>, i64) {
        let (rows, total) = page(conn, wanted).unwrap();
        (rows.into_iter().map(|row| row.event.code).collect(), total)
    }

    #[test]
    fn the_timeline_tells_the_latest_first_and_only_what_is_wanted() {
        let mut conn = scratch();
        let tx = conn.transaction().unwrap();
        let first = event("server", Outcome::Failed, 1);
        first.record(&tx).unwrap();
        event("network", Outcome::Worked, 2).record(&tx).unwrap();
        Event { source: Source::Engine, ..event("engine_exited", Outcome::Told, 3) }.record(&tx).unwrap();
        let all = Wanted { limit: 2, ..Wanted::default() };
        assert_eq!(codes(&tx, all), (vec!["engine_exited".to_owned(), "network".to_owned()], 3));
        assert_eq!(page(&tx, Wanted { offset: 2, ..all }).unwrap().0[0].event, first);
        let unhealed = Wanted { only_unhealed: true, ..all };
        assert_eq!(codes(&tx, unhealed), (vec!["engine_exited".to_owned(), "server".to_owned()], 2));
        let engine = Wanted { source: Some(Source::Engine), ..all };
        assert_eq!(codes(&tx, engine), (vec!["engine_exited".to_owned()], 1));
        wipe(&tx).unwrap();
        assert_eq!(codes(&tx, all), (Vec::new(), 0));
    }

    #[test]
    fn what_is_older_than_three_months_is_let_go() {
        let mut conn = scratch();
        let tx = conn.transaction().unwrap();
        event("old", Outcome::Told, 1).record(&tx).unwrap();
        let later = Utc.with_ymd_and_hms(2026, 7, 1, 0, 0, 0).unwrap();
        Event { at: later, ..event("new", Outcome::Told, 1) }.record(&tx).unwrap();
        assert_eq!(codes(&tx, Wanted { limit: 9, ..Wanted::default() }), (vec!["new".to_owned()], 1));
    }
}
