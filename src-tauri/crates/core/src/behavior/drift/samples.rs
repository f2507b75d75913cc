//! What is kept of each answer's conduct: figures and codes, for the drift view and for the next turn.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, Row, Transaction, params};

use super::{ConductSample, OFF, RoleSample};
use crate::store::StoreError;
use crate::store::id::{ConversationId, TurnId};
use crate::store::time::Millis;

/// How many rows are kept.
const KEPT_ROWS: i64 = 20_000;
/// How many of the latest faulty answers the view tells.
const LATEST: u32 = 20;

/// Writes a sample down, in the place of an earlier one of the same turn.
pub fn record(tx: &Transaction<'_>, turn: TurnId, sample: &ConductSample) -> Result<(), StoreError> {
    let violations = serde_json::to_string(&sample.violations).expect("codes are plain data");
    tx.prepare_cached("DELETE FROM conduct_samples WHERE turn_id = ?1")?.execute([turn])?;
    tx.prepare_cached(
        "INSERT INTO conduct_samples (at, turn_id, model, provider, violations, on_role) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![Millis(sample.at), turn, sample.model, sample.provider, violations, sample.on_role])?;
    tx.prepare_cached("DELETE FROM conduct_samples WHERE id <= (SELECT max(id) - ?1 FROM conduct_samples)")?
        .execute([KEPT_ROWS])?;
    Ok(())
}

/// The samples since a moment, oldest first.
pub fn since(conn: &Connection, from: DateTime<Utc>) -> Result<Vec<ConductSample>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT at, model, provider, violations, on_role FROM conduct_samples WHERE at >= ?1 ORDER BY at, id",
    )?;
    let samples = statement.query_map([Millis(from)], sample)?.collect::<Result<_, _>>()?;
    Ok(samples)
}

/// The latest answers since a moment that broke a rule or were out of the role, the newest first.
pub fn latest_faulty(conn: &Connection, from: DateTime<Utc>) -> Result<Vec<ConductSample>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT at, model, provider, violations, on_role FROM conduct_samples
         WHERE at >= ?1 AND (violations <> '[]' OR on_role < ?2) ORDER BY at DESC, id DESC LIMIT ?3",
    )?;
    let samples = statement.query_map(params![Millis(from), OFF, LATEST], sample)?.collect::<Result<_, _>>()?;
    Ok(samples)
}

/// How the answers of a conversation stood to the role after a turn, oldest first; all of them where no turn is given.
pub fn of_conversation(
    conn: &Connection,
    conversation: ConversationId,
    after: Option<TurnId>,
) -> Result<Vec<RoleSample>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT on_role FROM conduct_samples JOIN turns ON turns.id = turn_id
         WHERE turns.conversation_id = ?1 AND turn_id > ?2 ORDER BY turn_id",
    )?;
    let after = after.map_or(0, |turn| turn.0);
    let read = |row: &Row<'_>| Ok(RoleSample::remembered(row.get("on_role")?));
    let samples = statement.query_map(params![conversation, after], read)?.collect::<Result<_, _>>()?;
    Ok(samples)
}

fn sample(row: &Row<'_>) -> rusqlite::Result<ConductSample> {
    let violations: String = row.get("violations")?;
    Ok(ConductSample {
        at: row.get::<_, Millis>("at")?.0,
        model: row.get("model")?,
        provider: row.get("provider")?,
        violations: serde_json::from_str(&violations)
            .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, error.into()))?,
        on_role: row.get("on_role")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behavior::conduct::ViolationKind;
    use crate::store::scratch;

    fn sample(at: &str, violations: &[ViolationKind], on_role: Option<f64>) -> ConductSample {
        ConductSample {
            at: at.parse().unwrap(),
            model: "small".into(),
            provider: "OpenRouter".into(),
            violations: violations.to_vec(),
            on_role,
        }
    }

    #[test]
    fn samples_are_read_as_they_were_written_and_a_turn_has_one() {
        let mut conn = scratch();
        let tx = conn.transaction().unwrap();
        tx.execute_batch(
            "INSERT INTO conversations (id, created_at, updated_at) VALUES (1, 0, 0), (2, 0, 0);
             INSERT INTO messages (id, conversation_id, role, text, at, state) VALUES (1, 1, 'user', '', 0, 'complete');
             INSERT INTO turns (id, conversation_id, message_id, started_at, outcome, spec_version)
             VALUES (1, 1, 1, 0, 'completed', 1), (2, 1, 1, 0, 'completed', 1), (3, 2, 1, 0, 'completed', 1);",
        )
        .unwrap();
        let first = sample("2026-03-02T09:00:00Z", &[ViolationKind::LeakedKey], None);
        let second = sample("2026-03-02T10:00:00Z", &[], Some(0.2));
        let third = sample("2026-03-03T10:00:00Z", &[], Some(0.9));
        record(&tx, TurnId(1), &sample("2026-03-01T09:00:00Z", &[], Some(1.0))).unwrap();
        record(&tx, TurnId(1), &first).unwrap();
        record(&tx, TurnId(2), &second).unwrap();
        record(&tx, TurnId(3), &third).unwrap();
        let begin = "2026-01-01T00:00:00Z".parse().unwrap();
        assert_eq!(since(&tx, begin).unwrap(), [first.clone(), second.clone(), third]);
        assert_eq!(latest_faulty(&tx, begin).unwrap(), [second, first]);
        let judged = |after| -> Vec<bool> {
            of_conversation(&tx, ConversationId(1), after).unwrap().iter().map(RoleSample::is_off).collect()
        };
        assert_eq!((judged(None), judged(Some(TurnId(1)))), (vec![false, true], vec![true]));
    }
}
