//! Procedural memory: what was tried when something failed, and how often it helped.

use chrono::{DateTime, TimeDelta, Utc};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::forgetting::{erase, tombstone};
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
    /// The remedy, as a stable code.
    pub remedy: String,
    /// What was learned, where something was.
    pub lesson: Option<String>,
    /// Who wrote that.
    pub lesson_by: Option<LessonBy>,
    /// How often it helped.
    #[ts(type = "number")]
    pub successes: i64,
    /// How often it did not.
    #[ts(type = "number")]
    pub failures: i64,
    /// How far it can be relied on today, 0 to 1: see [`Tally::reliability`].
    pub reliability: f64,
    /// Whether it is not tried any more: the person said so, or its lesson kept failing.
    pub retired: bool,
    /// When it was first stored.
    pub created_at: DateTime<Utc>,
    /// When it was last tried.
    pub last_used_at: DateTime<Utc>,
}

/// Who wrote a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum LessonBy {
    /// A model that reflected on the failure.
    Model,
    /// Atlas's own rules.
    Rules,
    /// The person.
    Person,
}

impl LessonBy {
    pub(in crate::memory) fn code(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Rules => "rules",
            Self::Person => "person",
        }
    }
}

impl FromSql for LessonBy {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = value.as_str()?;
        let known = [Self::Model, Self::Rules, Self::Person].into_iter().find(|by| by.code() == code);
        known.ok_or_else(|| FromSqlError::Other(format!("nobody writes lessons as {code}").into()))
    }
}

/// Tries as they count at a moment: they halve with age, and the newest push out the oldest, so that what was learned follows
/// the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// How many of them helped.
    pub successes: f64,
    /// How many did not.
    pub failures: f64,
    /// The moment.
    pub as_of: DateTime<Utc>,
}

/// The age at which a try counts half.
const HALF_LIFE: TimeDelta = TimeDelta::days(3);
/// How many tries count at most.
const MOST_TRIES: f64 = 12.0;

impl Tally {
    /// No tries.
    pub fn none(as_of: DateTime<Utc>) -> Self {
        Self { successes: 0.0, failures: 0.0, as_of }
    }

    /// The same tries at a later moment. At an earlier one (a clock was set back) they count as they did.
    pub fn faded(self, now: DateTime<Utc>) -> Self {
        let age = (now - self.as_of).max(TimeDelta::zero()).as_seconds_f64();
        let share = 0.5_f64.powf(age / HALF_LIFE.as_seconds_f64()).min(MOST_TRIES / self.tries());
        Self { successes: self.successes * share, failures: self.failures * share, as_of: self.as_of.max(now) }
    }

    /// With one try more.
    pub fn with(self, worked: bool, now: DateTime<Utc>) -> Self {
        let before = self.faded(now);
        let share = ((MOST_TRIES - 1.0) / before.tries()).min(1.0);
        let (one, other) = if worked { (1.0, 0.0) } else { (0.0, 1.0) };
        Self {
            successes: before.successes * share + one,
            failures: before.failures * share + other,
            as_of: before.as_of,
        }
    }

    /// How many tries it amounts to.
    pub fn tries(self) -> f64 {
        self.successes + self.failures
    }

    /// Laplace's rule of succession: 0 to 1, one half for what was never tried.
    pub fn reliability(self) -> f64 {
        (self.successes + 1.0) / (self.tries() + 2.0)
    }
}

/// A procedure's tally with what it is kept under.
#[derive(Debug, Clone, PartialEq)]
pub struct Tallied {
    /// Failure kind, provider, model, phase and remedy, as one key.
    pub signature: String,
    /// The remedy, as a stable code.
    pub remedy: String,
    /// What came of it.
    pub tally: Tally,
    /// Whether it is not tried any more.
    pub is_retired: bool,
}

/// One try of one remedy for one kind of failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureOutcome {
    /// Failure kind, provider, model, phase and remedy, as one key.
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

/// A failure in a row of this number since its lesson was written retires a procedure.
const LESSON_FAILURES: i64 = 3;
/// What only tells the person: it can neither work nor fail.
const TELLS: &str = "ask_person";

/// What an older Atlas noted of failures that only the person can mend is nothing learned, unless there is a lesson to it.
pub(super) const IS_LEARNED: &str = "(remedy IS NOT 'ask_person' OR lesson IS NOT NULL)";

const COLUMNS: &str = "id, trigger, strategy, category, remedy, lesson, lesson_by, successes, failures, recent_successes, \
     recent_failures, weighed_at, retired_at, created_at, last_used_at";

fn procedure(row: &Row<'_>, now: DateTime<Utc>) -> rusqlite::Result<Procedure> {
    Ok(Procedure {
        id: row.get("id")?,
        trigger: row.get("trigger")?,
        strategy: row.get("strategy")?,
        category: row.get("category")?,
        remedy: row.get("remedy")?,
        lesson: row.get("lesson")?,
        lesson_by: row.get("lesson_by")?,
        successes: row.get("successes")?,
        failures: row.get("failures")?,
        reliability: tally(row)?.faded(now).reliability(),
        retired: row.get::<_, Option<Millis>>("retired_at")?.is_some(),
        created_at: row.get::<_, Millis>("created_at")?.0,
        last_used_at: row.get::<_, Millis>("last_used_at")?.0,
    })
}

/// A row's tally, as it was kept.
fn tally(row: &Row<'_>) -> rusqlite::Result<Tally> {
    let weighed: Option<Millis> = row.get("weighed_at")?;
    let as_of = weighed.map_or_else(|| row.get("last_used_at"), Ok)?;
    Ok(Tally { successes: row.get("recent_successes")?, failures: row.get("recent_failures")?, as_of: as_of.0 })
}

/// What came of every remedy for every signature; what is being forgotten is left out.
pub fn tallies(conn: &Connection) -> Result<Vec<Tallied>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT signature, remedy, recent_successes, recent_failures, weighed_at, last_used_at, retired_at
         FROM procedures WHERE forgotten_at IS NULL ORDER BY id",
    )?;
    let tallied = |row: &Row<'_>| {
        Ok(Tallied {
            signature: row.get("signature")?,
            remedy: row.get("remedy")?,
            tally: tally(row)?,
            is_retired: row.get::<_, Option<Millis>>("retired_at")?.is_some(),
        })
    };
    let rows = statement.query_map([], tallied)?.collect::<Result<_, _>>()?;
    Ok(rows)
}

/// Procedures by number, in the order asked for; what does not exist, is forgotten or retired is left out.
pub fn by_ids(conn: &Connection, ids: &[ProcedureId], now: DateTime<Utc>) -> Result<Vec<Procedure>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM procedures WHERE id = :id AND forgotten_at IS NULL AND retired_at IS NULL"
    ))?;
    let mut procedures = Vec::with_capacity(ids.len());
    for id in ids {
        procedures.extend(statement.query_row(named_params! { ":id": id }, |row| procedure(row, now)).optional()?);
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
    let known = tx
        .prepare_cached(
            "SELECT recent_successes, recent_failures, weighed_at, last_used_at FROM procedures WHERE signature = :signature",
        )?
        .query_row(named_params! { ":signature": outcome.signature }, tally)
        .optional()?;
    let tally = known.unwrap_or_else(|| Tally::none(now)).with(outcome.worked, now);
    let mut statement = tx.prepare_cached(
        "INSERT INTO procedures (signature, trigger, strategy, category, remedy, successes, failures, recent_successes,
             recent_failures, weighed_at, created_at, last_used_at)
         VALUES (:signature, :trigger, :strategy, :category, :remedy, :worked, 1 - :worked, :recent_successes, :recent_failures,
             :weighed, :now, :now)
         ON CONFLICT (signature) DO UPDATE SET trigger = excluded.trigger, strategy = excluded.strategy,
             successes = successes + excluded.successes, failures = failures + excluded.failures,
             recent_successes = excluded.recent_successes, recent_failures = excluded.recent_failures,
             weighed_at = excluded.weighed_at, last_used_at = excluded.last_used_at
         RETURNING id",
    )?;
    let id: i64 = statement.query_row(
        named_params! {
            ":signature": outcome.signature, ":trigger": outcome.trigger, ":strategy": outcome.strategy,
            ":category": outcome.category, ":remedy": outcome.remedy, ":worked": i64::from(outcome.worked),
            ":recent_successes": tally.successes, ":recent_failures": tally.failures, ":weighed": Millis(tally.as_of),
            ":now": Millis(now),
        },
        |row| row.get("id"),
    )?;
    judge_lesson(tx, ProcedureId(id), outcome, now)?;
    index::write(tx, Owner { kind: OwnerKind::Procedure, id })?;
    Ok(ProcedureId(id))
}

/// Counts against a lesson, where there is one, and retires what failed too often since it was written.
fn judge_lesson(
    tx: &Transaction<'_>,
    id: ProcedureId,
    outcome: &ProcedureOutcome,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    if outcome.remedy == TELLS {
        return Ok(());
    }
    tx.prepare_cached(
        "UPDATE procedures SET lesson_failures = CASE WHEN :worked THEN 0 ELSE lesson_failures + 1 END,
             retired_at = CASE WHEN NOT :worked AND lesson_failures + 1 >= :most THEN coalesce(retired_at, :now) ELSE retired_at END
         WHERE id = :id AND lesson IS NOT NULL",
    )?
    .execute(named_params! { ":worked": outcome.worked, ":most": LESSON_FAILURES, ":now": Millis(now), ":id": id })?;
    Ok(())
}

/// A lesson about a remedy that was not tried for this failure yet, or did not get to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcedureLesson {
    /// Failure kind, provider, model, phase and remedy, as one key.
    pub signature: String,
    /// What it answers to, in words for people.
    pub trigger: String,
    /// What is done, in words for people.
    pub strategy: String,
    /// The kind of failure, as a stable code.
    pub category: String,
    /// The remedy, as a stable code.
    pub remedy: String,
    /// What was learned, in words for people.
    pub lesson: String,
    /// Who says so.
    pub by: LessonBy,
}

/// What a lesson counts as, beside real tries: as much as one that helped.
const LESSON_WEIGHT: f64 = 1.0;

/// Whether a lesson was written under one of these signatures. One that the person took away is not written again.
pub fn has_lesson(conn: &Connection, signatures: &[String]) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached("SELECT lesson IS NOT NULL OR lesson_by IS NOT NULL OR retired_at IS NOT NULL OR forgotten_at IS NOT NULL FROM procedures WHERE signature = ?1")?;
    for signature in signatures {
        if statement.query_row([signature], |row| row.get(0)).optional()?.unwrap_or(false) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes a lesson that was learned by reflecting: the remedy counts as if it had helped once, until real tries say more.
/// Nothing where a model tells in it what was forgotten.
pub fn write_lesson(
    tx: &Transaction<'_>,
    lesson: &ProcedureLesson,
    now: DateTime<Utc>,
) -> Result<Option<ProcedureId>, StoreError> {
    if lesson.by == LessonBy::Model && tombstone::tells_forgotten(tx, &lesson.lesson, "")? {
        return Ok(None);
    }
    let known = tx
        .prepare_cached(
            "SELECT recent_successes, recent_failures, weighed_at, last_used_at FROM procedures WHERE signature = :signature",
        )?
        .query_row(named_params! { ":signature": lesson.signature }, tally)
        .optional()?;
    let tally = known.unwrap_or_else(|| Tally::none(now)).faded(now);
    let mut statement = tx.prepare_cached(
        "INSERT INTO procedures (signature, trigger, strategy, category, remedy, lesson, lesson_by, recent_successes,
             recent_failures, weighed_at, created_at, last_used_at)
         VALUES (:signature, :trigger, :strategy, :category, :remedy, :lesson, :by, :successes, :failures, :now, :now, :now)
         ON CONFLICT (signature) DO UPDATE SET lesson = excluded.lesson, lesson_by = excluded.lesson_by, lesson_failures = 0,
             recent_successes = excluded.recent_successes, recent_failures = excluded.recent_failures, weighed_at = excluded.weighed_at
         RETURNING id",
    )?;
    let id: i64 = statement.query_row(
        named_params! {
            ":signature": lesson.signature, ":trigger": lesson.trigger, ":strategy": lesson.strategy,
            ":category": lesson.category, ":remedy": lesson.remedy, ":lesson": lesson.lesson, ":by": lesson.by.code(),
            ":successes": tally.successes + LESSON_WEIGHT, ":failures": tally.failures, ":now": Millis(now),
        },
        |row| row.get("id"),
    )?;
    index::write(tx, Owner { kind: OwnerKind::Procedure, id })?;
    Ok(Some(ProcedureId(id)))
}

/// Writes a procedure's lesson; an empty text takes it away. A new lesson is a new chance: it is tried again where it had
/// retired. Whether there is such a procedure.
pub fn edit_lesson(tx: &Transaction<'_>, id: ProcedureId, text: &str, by: LessonBy) -> Result<bool, StoreError> {
    let lesson = Some(text.trim()).filter(|text| !text.is_empty());
    let by = lesson.map(|_| by.code());
    let changed = tx
        .prepare_cached(
            "UPDATE procedures SET lesson = :lesson, lesson_by = :by, lesson_failures = 0, retired_at = NULL
             WHERE id = :id AND forgotten_at IS NULL",
        )?
        .execute(named_params! { ":lesson": lesson, ":by": by, ":id": id })?;
    if changed > 0 {
        index::write(tx, Owner { kind: OwnerKind::Procedure, id: id.0 })?;
    }
    Ok(changed > 0)
}

/// Says that a procedure is not to be tried any more, or is again. Whether there is such a procedure.
pub fn retire(tx: &Transaction<'_>, id: ProcedureId, retired: bool, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let at = retired.then_some(Millis(now));
    let changed = tx
        .prepare_cached(
            "UPDATE procedures SET retired_at = :at, lesson_failures = 0 WHERE id = :id AND forgotten_at IS NULL",
        )?
        .execute(named_params! { ":at": at, ":id": id })?;
    Ok(changed > 0)
}

/// The procedures that match, in pages. There are few, so the words are looked for in each.
/// Never used is one that was tried no more than the once that made it.
pub fn page(conn: &Connection, query: &MemoryQuery, now: DateTime<Utc>) -> Result<Page<Procedure>, StoreError> {
    let patterns: Vec<(String, String)> = query
        .search
        .split_whitespace()
        .enumerate()
        .map(|(at, word)| (format!(":word{at}"), query::like(word)))
        .collect();
    let mut matching = format!("procedures WHERE forgotten_at IS NULL AND {IS_LEARNED}");
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
        // What fades with age is sorted below.
        MemoryOrder::LeastConfident => "id DESC",
        MemoryOrder::Alphabetical => "trigger COLLATE NOCASE, id",
    };
    let mut values: Vec<(&str, &dyn ToSql)> =
        patterns.iter().map(|(name, value)| (name.as_str(), value as &dyn ToSql)).collect();
    values.extend(then.iter().map(|then| (":then", then as &dyn ToSql)));
    let total = conn
        .prepare_cached(&format!("SELECT count(*) FROM {matching}"))?
        .query_row(values.as_slice(), |row| row.get(0))?;
    let mut statement = conn.prepare_cached(&format!("SELECT {COLUMNS} FROM {matching} ORDER BY {order}"))?;
    let rows = statement.query_map(values.as_slice(), |row| procedure(row, now))?;
    let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
    if query.order == MemoryOrder::LeastConfident {
        rows.sort_by(|one, other| one.reliability.total_cmp(&other.reliability));
    }
    let rows = rows.into_iter().skip(query.offset as usize).take(query.rows() as usize).collect();
    Ok(Page { rows, total })
}

/// The procedures worth telling the model: those that have helped, the most often tried first, the latest among equals.
/// What only the person could mend, what never helped and what has retired is for the Memory page.
pub fn worth_telling(conn: &Connection, limit: u32, now: DateTime<Utc>) -> Result<Vec<Procedure>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM procedures
         WHERE forgotten_at IS NULL AND retired_at IS NULL AND successes > 0 AND remedy NOT IN ('ask_person', 'repair')
         ORDER BY successes + failures DESC, last_used_at DESC, id DESC LIMIT :limit"
    ))?;
    let rows =
        statement.query_map(named_params! { ":limit": limit }, |row| procedure(row, now))?.collect::<Result<_, _>>()?;
    Ok(rows)
}

#[cfg(test)]
mod tests;
