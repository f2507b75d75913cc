//! Procedural memory: what was tried when something failed, and how often it helped.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::forgetting::erase;
use crate::memory::index::{self, Owner, OwnerKind};
use crate::memory::page::{MemoryOrder, MemoryQuery, Page};
use crate::memory::recall::query;
use crate::store::StoreError;
use crate::store::id::ProcedureId;
use crate::store::time::Millis;

/// A learned procedure, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Procedure {
    /// Which one.
    pub id: ProcedureId,
    /// What it answers to, in words for people: "OpenRouter is busy (rate limit)".
    pub trigger: String,
    /// What is done then, in words for people: "Wait as long as it asks, then ask again".
    pub strategy: String,
    /// The kind of failure, as a stable code.
    pub category: String,
    /// What was learned, where something was.
    pub lesson: Option<String>,
    /// How often it helped.
    #[ts(type = "number")]
    pub successes: i64,
    /// How often it did not.
    #[ts(type = "number")]
    pub failures: i64,
    /// (successes + 1) / (successes + failures + 2): Laplace's rule of succession, 0 to 1.
    pub reliability: f64,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last tried.
    pub last_used_at: DateTime<Utc>,
}

/// One try of one remedy for one kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureOutcome {
    /// Failure kind, provider, model and remedy, as one key.
    pub signature: String,
    /// What it answers to, in words for people.
    pub trigger: String,
    /// What was done, in words for people.
    pub strategy: String,
    /// The kind of failure, as a stable code.
    pub category: String,
    /// The remedy, as a stable code.
    pub remedy: String,
    /// Whether it helped.
    pub worked: bool,
}

const COLUMNS: &str = "id, trigger, strategy, category, lesson, successes, failures, created_at, last_used_at";

fn procedure(row: &Row<'_>) -> rusqlite::Result<Procedure> {
    let (successes, failures): (i64, i64) = (row.get("successes")?, row.get("failures")?);
    Ok(Procedure {
        id: row.get("id")?,
        trigger: row.get("trigger")?,
        strategy: row.get("strategy")?,
        category: row.get("category")?,
        lesson: row.get("lesson")?,
        successes,
        failures,
        reliability: reliability(successes, failures),
        created_at: row.get::<_, Millis>("created_at")?.0,
        last_used_at: row.get::<_, Millis>("last_used_at")?.0,
    })
}

/// Procedures by number, in the order asked for; what does not exist or is forgotten is left out.
pub fn by_ids(conn: &Connection, ids: &[ProcedureId]) -> Result<Vec<Procedure>, StoreError> {
    let mut statement =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM procedures WHERE id = :id AND forgotten_at IS NULL"))?;
    let mut procedures = Vec::with_capacity(ids.len());
    for id in ids {
        procedures.extend(statement.query_row(named_params! { ":id": id }, procedure).optional()?);
    }
    Ok(procedures)
}

impl Procedure {
    /// As one line for the model.
    pub fn told(&self) -> String {
        let tries = self.successes + self.failures;
        let reliability = self.reliability * 100.0;
        let helped = format!("helped {} of {tries} times, reliability {reliability:.0}%", self.successes);
        format!("{} → {} ({helped})", self.trigger, self.strategy)
    }
}

/// Laplace's rule of succession: 0 to 1, one half for what was never tried.
pub fn reliability(successes: i64, failures: i64) -> f64 {
    (successes as f64 + 1.0) / ((successes + failures) as f64 + 2.0)
}

/// Counts an outcome, under the procedure of its signature. One that is being forgotten does not come back through it: it
/// is erased, and a new one begins.
pub fn record_outcome(
    tx: &Transaction<'_>,
    outcome: &ProcedureOutcome,
    now: DateTime<Utc>,
) -> Result<ProcedureId, StoreError> {
    let forgotten: Option<ProcedureId> = tx
        .prepare_cached("SELECT id FROM procedures WHERE signature = :signature AND forgotten_at IS NOT NULL")?
        .query_row(named_params! { ":signature": outcome.signature }, |row| row.get("id"))
        .optional()?;
    if let Some(id) = forgotten {
        erase::procedure(tx, id)?;
    }
    let mut statement = tx.prepare_cached(
        "INSERT INTO procedures (signature, trigger, strategy, category, remedy, successes, failures, created_at, last_used_at)
         VALUES (:signature, :trigger, :strategy, :category, :remedy, :worked, 1 - :worked, :now, :now)
         ON CONFLICT (signature) DO UPDATE SET trigger = excluded.trigger, strategy = excluded.strategy,
             successes = successes + excluded.successes, failures = failures + excluded.failures, last_used_at = excluded.last_used_at
         RETURNING id",
    )?;
    let id: i64 = statement.query_row(
        named_params! {
            ":signature": outcome.signature, ":trigger": outcome.trigger, ":strategy": outcome.strategy,
            ":category": outcome.category, ":remedy": outcome.remedy, ":worked": i64::from(outcome.worked), ":now": Millis(now),
        },
        |row| row.get("id"),
    )?;
    index::write(tx, Owner { kind: OwnerKind::Procedure, id })?;
    Ok(ProcedureId(id))
}

/// The procedures that match, in pages. There are few, so the words are looked for in each.
/// Never used is one that was tried no more than the once that made it.
pub fn page(conn: &Connection, query: &MemoryQuery) -> Result<Page<Procedure>, StoreError> {
    let patterns: Vec<(String, String)> = query
        .search
        .split_whitespace()
        .enumerate()
        .map(|(at, word)| (format!(":word{at}"), query::like(word)))
        .collect();
    let mut matching = "procedures WHERE forgotten_at IS NULL".to_owned();
    for (name, _) in &patterns {
        matching.push_str(&format!(
            " AND trigger || ' ' || strategy || ' ' || category || ' ' || coalesce(lesson, '') LIKE {name} ESCAPE '\\'"
        ));
    }
    if query.filters.never_used {
        matching.push_str(" AND successes + failures <= 1");
    }
    let then = query.filters.as_of.map(|then| Millis(then.at));
    if then.is_some() {
        matching.push_str(" AND created_at <= :then");
    }
    let order = match query.order {
        MemoryOrder::Newest => "last_used_at DESC, id DESC",
        MemoryOrder::Oldest => "last_used_at, id",
        MemoryOrder::MostUsed => "successes + failures DESC, id DESC",
        MemoryOrder::LeastConfident => "(successes + 1.0) / (successes + failures + 2.0), id DESC",
        MemoryOrder::Alphabetical => "trigger COLLATE NOCASE, id",
    };
    let mut values: Vec<(&str, &dyn ToSql)> =
        patterns.iter().map(|(name, value)| (name.as_str(), value as &dyn ToSql)).collect();
    values.extend(then.iter().map(|then| (":then", then as &dyn ToSql)));
    let total = conn
        .prepare_cached(&format!("SELECT count(*) FROM {matching}"))?
        .query_row(values.as_slice(), |row| row.get(0))?;
    let (limit, offset) = (query.rows(), query.offset);
    values.extend([(":limit", &limit as &dyn ToSql), (":offset", &offset as &dyn ToSql)]);
    let mut statement =
        conn.prepare_cached(&format!("SELECT {COLUMNS} FROM {matching} ORDER BY {order} LIMIT :limit OFFSET :offset"))?;
    let rows = statement.query_map(values.as_slice(), procedure)?.collect::<Result<_, _>>()?;
    Ok(Page { rows, total })
}

/// The procedures worth telling the model: those that have helped, the most often tried first, the latest among equals.
/// What only the person could mend, and what never helped, is for the Memory page.
pub fn worth_telling(conn: &Connection, limit: u32) -> Result<Vec<Procedure>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM procedures WHERE forgotten_at IS NULL AND successes > 0 AND remedy NOT IN ('ask_person', 'leave_out')
         ORDER BY successes + failures DESC, last_used_at DESC, id DESC LIMIT :limit"
    ))?;
    let rows = statement.query_map(named_params! { ":limit": limit }, procedure)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::forgetting::forget;
    use crate::memory::testing::Memory;

    fn outcome(remedy: &str, worked: bool) -> ProcedureOutcome {
        ProcedureOutcome {
            signature: format!("rate_limit\u{1f}OpenRouter\u{1f}m\u{1f}{remedy}"),
            trigger: "OpenRouter is busy".into(),
            strategy: format!("{remedy}, then ask again"),
            category: "rate_limit".into(),
            remedy: remedy.into(),
            worked,
        }
    }

    #[test]
    fn outcomes_of_one_signature_are_counted_together() {
        let mut memory = Memory::new();
        let now = memory.utc();
        memory.write(|tx| {
            for worked in [true, true, false] {
                record_outcome(tx, &outcome("wait", worked), now).unwrap();
            }
            record_outcome(tx, &outcome("switch", false), now).unwrap();
        });
        let told = worth_telling(&memory.conn, 5).unwrap();
        assert_eq!((told[0].successes, told[0].failures, told[0].reliability), (2, 1, 0.6));
        assert_eq!(told.len(), 1, "what never helped is not told");
        let query = MemoryQuery {
            search: "SWITCH again".into(),
            order: MemoryOrder::MostUsed,
            limit: 5,
            ..MemoryQuery::default()
        };
        assert_eq!(page(&memory.conn, &query).unwrap().total, 1);
    }

    #[test]
    fn a_forgotten_procedure_begins_anew() {
        let mut memory = Memory::new();
        let now = memory.utc();
        let first = memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
        memory.write(|tx| forget::procedures(tx, &[first], now).unwrap());
        assert_eq!(worth_telling(&memory.conn, 5).unwrap(), []);
        memory.write(|tx| record_outcome(tx, &outcome("wait", true), now).unwrap());
        let told = worth_telling(&memory.conn, 5).unwrap();
        assert_eq!((told.len(), told[0].successes, told[0].failures), (1, 1, 0));
    }
}
