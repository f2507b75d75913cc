//! Semantic memory: the person's own words, each with its moment and origin, and over them a structure: (subject, relation, value),
//! whether it is so, when it was true, and when Atlas believed it. People see the words; the structure decides what replaces what.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::index::{self, Owner, OwnerKind};
use crate::memory::relation::{self, Key, Polarity, SAID, USER};
use crate::memory::writing::when::When;
use crate::store::StoreError;
use crate::store::id::{ConversationId, FactId, MessageId};
use crate::store::time::Millis;
use crate::text;

mod list;
mod past;

pub use list::{page, subjects, with_quote};
pub use past::{believed_at, history, true_at};

/// Where a fact came from. The order is one of trust: what the person said outranks all else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub enum Origin {
    /// The person said it, or entered it by hand.
    Said,
    /// A model concluded it.
    Inferred,
    /// It came with an import.
    Imported,
    /// It stood in a document, a web page or a long paste.
    Document,
}

impl Origin {
    /// Whether this origin may overrule a fact of the other one.
    pub fn outranks_or_equals(self, other: Self) -> bool {
        let trust = |origin| match origin {
            Self::Said => 3,
            Self::Inferred => 2,
            Self::Imported => 1,
            Self::Document => 0,
        };
        trust(self) >= trust(other)
    }
}

/// A fact, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct Fact {
    /// Which one.
    pub id: FactId,
    /// Whom or what it is about; the person is always `user`.
    pub subject: String,
    /// The relation in words: "lives in".
    pub relation: String,
    /// The value, in the words of the quote: "Porto".
    pub value: String,
    /// Whether it is so, is not, or is over.
    pub polarity: Polarity,
    /// The words that say it, exactly as they were written: "I live in Porto".
    pub quote: String,
    /// When they were said.
    pub said_at: DateTime<Utc>,
    /// The words of the quote for when it is: "tomorrow at nine".
    pub time_words: Option<String>,
    /// The date that these words mean where they were said, as ISO 8601: `2026-03-05`, `2026-03-05T09:00`, `2026-03` or `2026`; a week as
    /// `2026-03-09/2026-03-15`.
    pub date: Option<String>,
    /// What it is about, where that is known: "health".
    pub topic: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it came from.
    pub origin: Origin,
    /// The message that it came from, while that exists.
    pub source_message: Option<MessageId>,
    /// The conversation of that message.
    pub source_conversation: Option<ConversationId>,
    /// When it began to be true, as far as known.
    pub valid_from: Option<DateTime<Utc>>,
    /// When it ceased to be true; none while it is.
    pub valid_to: Option<DateTime<Utc>>,
    /// When Atlas learned it.
    pub recorded_at: DateTime<Utc>,
    /// When Atlas ceased to believe it; none while it does.
    pub retired_at: Option<DateTime<Utc>>,
    /// The values that this one replaced, newest first.
    pub replaced: Vec<String>,
    /// In how many answers it was used.
    #[ts(type = "number")]
    pub use_count: i64,
    /// When it was last used.
    pub last_used_at: Option<DateTime<Utc>>,
    /// The person pinned it: it is always recalled.
    pub pinned: bool,
}

/// A fact as somebody proposes it to the gate, or as a person edits it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct FactDraft {
    /// Whom or what it is about.
    pub subject: String,
    /// The relation in words.
    pub relation: String,
    /// The value in words.
    pub value: String,
}

/// Why a fact is history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Because {
    /// It was true and is no longer.
    Change,
    /// It never was true.
    Correction,
    /// The person edited it by hand.
    Edit,
    /// The text that alone supported it is gone: its message was edited, or its answer asked for again.
    Lost,
}

crate::store::text::stored_as_word!(Origin, Because);

/// A fact about to be written.
pub(in crate::memory) struct NewFact<'a> {
    pub draft: &'a FactDraft,
    pub key: &'a Key,
    pub quote: &'a str,
    pub polarity: Polarity,
    pub when: &'a When,
    pub topic: Option<&'a str>,
    pub said_at: DateTime<Utc>,
    pub confidence: f64,
    pub origin: Origin,
    pub message: Option<MessageId>,
    pub valid_from: Option<DateTime<Utc>>,
    pub pinned: bool,
}

/// A current fact, as far as deciding about a new one needs it.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::memory) struct Known {
    pub id: FactId,
    pub value: String,
    pub value_key: String,
    pub polarity: Polarity,
    pub quote: String,
    pub confidence: f64,
    pub origin: Origin,
    pub source_message: Option<MessageId>,
    pub valid_from: Option<DateTime<Utc>>,
    pub recorded_at: DateTime<Utc>,
}

/// The columns of [`fact`]; `f` is the fact, `m` the message that it came from.
const COLUMNS: &str = "f.id, f.subject, f.relation, f.value, f.polarity, f.quote, f.said_at, f.time_words, f.date, f.topic, f.confidence, f.origin, f.source_message_id,
    m.conversation_id AS source_conversation_id, f.valid_from, f.valid_to, f.recorded_at, f.retired_at, f.use_count,
    f.last_used_at, f.pinned";

/// Without the values that it replaced; see [`with_replaced`].
fn fact(row: &Row<'_>) -> rusqlite::Result<Fact> {
    let time = |name: &str| Ok::<_, rusqlite::Error>(row.get::<_, Option<Millis>>(name)?.map(|at| at.0));
    Ok(Fact {
        id: row.get("id")?,
        subject: row.get("subject")?,
        relation: row.get("relation")?,
        value: row.get("value")?,
        polarity: row.get("polarity")?,
        quote: row.get("quote")?,
        said_at: row.get::<_, Millis>("said_at")?.0,
        time_words: row.get("time_words")?,
        date: row.get("date")?,
        topic: row.get("topic")?,
        confidence: row.get("confidence")?,
        origin: row.get("origin")?,
        source_message: row.get("source_message_id")?,
        source_conversation: row.get("source_conversation_id")?,
        valid_from: time("valid_from")?,
        valid_to: time("valid_to")?,
        recorded_at: row.get::<_, Millis>("recorded_at")?.0,
        retired_at: time("retired_at")?,
        replaced: Vec::new(),
        use_count: row.get("use_count")?,
        last_used_at: time("last_used_at")?,
        pinned: row.get("pinned")?,
    })
}

fn with_replaced(conn: &Connection, mut facts: Vec<Fact>) -> Result<Vec<Fact>, StoreError> {
    // Words that got a structure were not replaced by it; words without one replaced those in whose place they stand.
    let mut statement = conn.prepare_cached(
        "WITH RECURSIVE older (id) AS (
             SELECT id FROM facts WHERE superseded_by = :id AND forgotten_at IS NULL
             UNION
             SELECT f.id FROM facts f JOIN older ON f.superseded_by = older.id WHERE f.forgotten_at IS NULL
         )
         SELECT CASE relation_key WHEN :said THEN quote ELSE value END FROM facts JOIN older USING (id)
         WHERE relation_key <> :said OR (:is_words AND quote <> :quote)
         ORDER BY recorded_at DESC, id DESC LIMIT 20",
    )?;
    for fact in &mut facts {
        let is_words = fact.relation == SAID;
        let values = named_params! { ":id": fact.id, ":said": SAID, ":is_words": is_words, ":quote": fact.quote };
        fact.replaced = statement.query_map(values, |row| row.get(0))?.collect::<Result<_, _>>()?;
        fact.replaced.dedup();
    }
    Ok(facts)
}

/// Facts by number, in the order asked for; what does not exist is left out.
pub fn by_ids(conn: &Connection, ids: &[FactId]) -> Result<Vec<Fact>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM facts f LEFT JOIN messages m ON m.id = f.source_message_id WHERE f.id = :id"
    ))?;
    let mut facts = Vec::with_capacity(ids.len());
    for id in ids {
        facts.extend(statement.query_row(named_params! { ":id": id }, fact).optional()?);
    }
    with_replaced(conn, facts)
}

/// One fact, whatever its state. Errors: [`StoreError::Missing`].
pub fn get(conn: &Connection, id: FactId) -> Result<Fact, StoreError> {
    by_ids(conn, &[id])?.pop().ok_or(StoreError::Missing("fact"))
}

/// Pins or unpins a fact: a pinned one is always recalled. Errors: [`StoreError::Missing`].
pub fn pin(tx: &Transaction<'_>, id: FactId, pinned: bool) -> Result<(), StoreError> {
    let changed = tx.execute(
        "UPDATE facts SET pinned = :pinned WHERE id = :id AND forgotten_at IS NULL",
        named_params! { ":pinned": pinned, ":id": id },
    )?;
    if changed == 0 { Err(StoreError::Missing("fact")) } else { Ok(()) }
}

/// The person's own name, where they told it.
pub fn person(conn: &Connection) -> Result<Option<String>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT value FROM facts WHERE subject_key = :user AND relation_key = 'name' AND retired_at IS NULL AND forgotten_at IS NULL
         ORDER BY id DESC LIMIT 1",
    )?;
    Ok(statement.query_row(named_params! { ":user": USER }, |row| row.get("value")).optional()?)
}

/// As many facts of one subject and relation as a decision looks at. What holds one value has a few; a list may be long, and
/// of it the newest are enough to tell what a sentence replaces.
const MOST_KNOWN: u32 = 200;

/// The current facts of one subject and relation, the newest ones of a long list; and in any case one with this very value.
pub(in crate::memory) fn known(conn: &Connection, key: &Key) -> Result<Vec<Known>, StoreError> {
    let mut newest = conn.prepare_cached(&format!(
        "{KNOWN} WHERE subject_key = :subject AND relation_key = :relation AND retired_at IS NULL AND forgotten_at IS NULL
         ORDER BY id DESC LIMIT {MOST_KNOWN}"
    ))?;
    let mut known: Vec<Known> = newest
        .query_map(named_params! { ":subject": key.subject, ":relation": key.relation }, known_row)?
        .collect::<Result<_, _>>()?;
    if known.len() == MOST_KNOWN as usize {
        let mut same = conn.prepare_cached(&format!(
            "{KNOWN} WHERE subject_key = :subject AND value_key = :value AND relation_key = :relation
                 AND retired_at IS NULL AND forgotten_at IS NULL LIMIT 1"
        ))?;
        let same = same.query_row(
            named_params! { ":subject": key.subject, ":value": key.value, ":relation": key.relation },
            known_row,
        );
        known.extend(same.optional()?.filter(|same| known.iter().all(|other| other.id != same.id)));
    }
    known.reverse();
    Ok(known)
}

/// The columns of [`known_row`].
const KNOWN: &str = "SELECT id, value, value_key, polarity, quote, confidence, origin, source_message_id, valid_from, recorded_at FROM facts";

fn known_row(row: &Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known {
        id: row.get("id")?,
        value: row.get("value")?,
        value_key: row.get("value_key")?,
        polarity: row.get("polarity")?,
        quote: row.get("quote")?,
        confidence: row.get("confidence")?,
        origin: row.get("origin")?,
        source_message: row.get("source_message_id")?,
        valid_from: row.get::<_, Option<Millis>>("valid_from")?.map(|at| at.0),
        recorded_at: row.get::<_, Millis>("recorded_at")?.0,
    })
}

/// Whether anything current is known about somebody or something.
pub(in crate::memory) fn knows_subject(conn: &Connection, subject_key: &str) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT EXISTS (SELECT 1 FROM facts WHERE subject_key = :key AND retired_at IS NULL AND forgotten_at IS NULL)
             OR EXISTS (SELECT 1 FROM facts WHERE subject_key = :user AND value_key = :key AND retired_at IS NULL AND forgotten_at IS NULL)",
    )?;
    Ok(statement.query_row(named_params! { ":key": subject_key, ":user": USER }, |row| row.get(0))?)
}

/// Writes a fact, with its first source.
pub(in crate::memory) fn insert(
    tx: &Transaction<'_>,
    new: &NewFact<'_>,
    now: DateTime<Utc>,
) -> Result<FactId, StoreError> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO facts (subject, relation, value, polarity, quote, said_at, time_words, date, topic, terms, subject_key,
                            relation_key, value_key, confidence, origin, source_message_id, valid_from, recorded_at, pinned)
         VALUES (:subject, :relation, :value, :polarity, :quote, :said_at, :time_words, :date, :topic, :terms, :subject_key,
                 :relation_key, :value_key, :confidence, :origin, :message, :valid_from, :now, :pinned)",
    )?;
    statement.execute(named_params! {
        ":subject": new.draft.subject, ":relation": new.draft.relation, ":value": new.draft.value, ":polarity": new.polarity,
        ":quote": new.quote, ":said_at": Millis(new.said_at), ":time_words": new.when.words, ":date": new.when.date,
        ":topic": new.topic, ":terms": terms(new.draft, new.key, new.quote), ":subject_key": new.key.subject,
        ":relation_key": new.key.relation, ":value_key": new.key.value, ":confidence": new.confidence, ":origin": new.origin,
        ":message": new.message, ":valid_from": new.valid_from.map(Millis), ":now": Millis(now), ":pinned": new.pinned,
    })?;
    let id = FactId(tx.last_insert_rowid());
    if let Some(message) = new.message {
        add_source(tx, id, message, now)?;
    }
    index::write(tx, Owner { kind: OwnerKind::Fact, id: id.0 })?;
    Ok(id)
}

/// The words without a structure that were kept of a message.
pub(in crate::memory) fn said_in(conn: &Connection, message: MessageId) -> Result<Vec<(FactId, String)>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT id, quote FROM facts WHERE source_message_id = ?1 AND relation_key = ?2 AND retired_at IS NULL
         AND forgotten_at IS NULL ORDER BY id",
    )?;
    let rows = statement.query_map((message, SAID), |row| Ok((row.get("id")?, row.get("quote")?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Gives words that were kept at once the structure that was read from them afterwards.
pub(in crate::memory) fn give_structure(tx: &Transaction<'_>, id: FactId, new: &NewFact<'_>) -> Result<(), StoreError> {
    let mut statement = tx.prepare_cached(
        "UPDATE facts SET subject = :subject, relation = :relation, value = :value, polarity = :polarity,
             time_words = coalesce(:time_words, time_words), date = coalesce(:date, date), topic = coalesce(:topic, topic),
             terms = :terms, subject_key = :subject_key, relation_key = :relation_key, value_key = :value_key,
             valid_from = coalesce(:valid_from, valid_from)
         WHERE id = :id",
    )?;
    statement.execute(named_params! {
        ":subject": new.draft.subject, ":relation": new.draft.relation, ":value": new.draft.value, ":polarity": new.polarity,
        ":time_words": new.when.words, ":date": new.when.date, ":topic": new.topic,
        ":terms": terms(new.draft, new.key, new.quote), ":subject_key": new.key.subject, ":relation_key": new.key.relation,
        ":value_key": new.key.value, ":valid_from": new.valid_from.map(Millis), ":id": id,
    })?;
    index::write(tx, Owner { kind: OwnerKind::Fact, id: id.0 })
}

/// Whether a fact is there and not about to be purged.
pub(in crate::memory) fn is_visible(conn: &Connection, id: FactId) -> Result<bool, StoreError> {
    let mut statement =
        conn.prepare_cached("SELECT EXISTS (SELECT 1 FROM facts WHERE id = :id AND forgotten_at IS NULL)")?;
    Ok(statement.query_row(named_params! { ":id": id }, |row| row.get(0))?)
}

/// Counts the uses of a fact for the one that takes its place.
pub(in crate::memory) fn take_over_use(tx: &Transaction<'_>, old: FactId, new: FactId) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE facts SET (use_count, last_used_at) = (SELECT use_count, last_used_at FROM facts WHERE id = :old) WHERE id = :new",
    )?
    .execute(named_params! { ":old": old, ":new": new })?;
    Ok(())
}

/// A fact's words.
pub(in crate::memory) fn quote_of(conn: &Connection, id: FactId) -> Result<String, StoreError> {
    let mut statement = conn.prepare_cached("SELECT quote FROM facts WHERE id = :id")?;
    let found = statement.query_row(named_params! { ":id": id }, |row| row.get("quote")).optional()?;
    found.ok_or(StoreError::Missing("fact"))
}

/// What a fact is found by beside its words.
fn terms(draft: &FactDraft, key: &Key, quote: &str) -> String {
    let mut other = vec![draft.subject.clone(), draft.relation.clone(), draft.value.clone(), key.relation.clone()];
    other.extend(relation::synonyms(key).iter().cloned());
    let in_quote = text::words(quote);
    let mut words: Vec<String> = text::words(&other.join(" "))
        .into_iter()
        .filter(|word| word != USER && word != SAID && !in_quote.contains(word) && !text::is_stop_word(word))
        .collect();
    words.sort();
    words.dedup();
    words.join(" ")
}

/// Adds a message that supports a fact; false where it was known to.
pub(in crate::memory) fn add_source(
    tx: &Transaction<'_>,
    id: FactId,
    message: MessageId,
    now: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let mut statement = tx
        .prepare_cached("INSERT OR IGNORE INTO fact_sources (fact_id, message_id, at) VALUES (:fact, :message, :at)")?;
    Ok(statement.execute(named_params! { ":fact": id, ":message": message, ":at": Millis(now) })? > 0)
}

/// Makes a fact history.
pub(in crate::memory) fn retire(
    tx: &Transaction<'_>,
    old: FactId,
    by: FactId,
    because: Because,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    // What never was true did not end.
    let ended = matches!(because, Because::Change).then_some(Millis(now));
    tx.prepare_cached(
        "UPDATE facts SET retired_at = :now, valid_to = coalesce(valid_to, :ended), superseded_by = :by, retired_because = :because
         WHERE id = :old",
    )?
    .execute(named_params! { ":now": Millis(now), ":ended": ended, ":by": by, ":because": because, ":old": old })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::testing::Memory;

    #[test]
    fn pinning_and_missing_facts() {
        let mut memory = Memory::new();
        memory.say("I drink tea", &[["user", "drinks", "tea"]]);
        let id = memory.facts()[0].id;
        memory.write(|tx| pin(tx, id, true).unwrap());
        assert!(memory.facts()[0].pinned);
        assert!(matches!(memory.write(|tx| pin(tx, FactId(99), true)), Err(StoreError::Missing("fact"))));
        assert!(matches!(history(&memory.conn, FactId(99)), Err(StoreError::Missing("fact"))));
    }
}
