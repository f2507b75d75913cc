//! Review: what the gate would not decide alone waits here for the person's word. Nothing that waits is recalled.
//!
//! Invariant: what waits was fit, touches no sealed topic, and is not known already. A candidate waits once, however often it
//! is proposed, and one that was dismissed does not come back.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, Transaction, named_params};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::memory::conversation::title_of;
use crate::memory::fact::{self, FactDraft, Origin};
use crate::memory::forgetting::tombstone;
use crate::memory::history::change::{self, Before, ChangeKind, MemoryChange, NewEvent};
use crate::memory::page::{MemoryOrder, MemoryQuery, Page};
use crate::memory::relation::{self, Holds, Key, Polarity, USER};
use crate::memory::writing::candidate::{Authority, Candidate, Decision, Refusal, Rules, Source};
use crate::memory::writing::verify::Sound;
use crate::memory::writing::when::When;
use crate::memory::writing::{gate, names, refusal::refusal, replace, topic};
use crate::store::StoreError;
use crate::store::id::{ConversationId, FactId, MessageId, ReviewId};
use crate::store::time::Millis;
use crate::text;

/// Why only the person can decide about a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Doubt {
    /// It stood in a document, a web page or a long paste.
    Document,
    /// It came with an import.
    Imported,
    /// It would overrule what the person said.
    Overrules,
    /// It does not go together with what is known, and nothing says which of the two is right.
    Exclusive,
    /// The model that read it is not certain of it.
    Uncertain,
    /// No fact, but perhaps a wish that nothing on a topic be stored.
    Seal,
    /// No fact, but perhaps something that the person wants of every answer.
    Rule,
}

/// The relation of a wish that a topic be sealed.
const SEALS: &str = "wants never remembered";
/// The relation of a wish for every answer.
const RULES: &str = "wants of every answer";

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Waiting,
    Accepted,
    Dismissed,
    /// Another row took its place.
    Edited,
}

crate::store::text::stored_as_word!(Doubt, State);

impl Doubt {
    /// Why it waits, for people.
    fn reason(self) -> &'static str {
        match self {
            Self::Document => "It stood in a document or a long paste, so you did not say it yourself.",
            Self::Imported => "It came with an import.",
            Self::Overrules => "It contradicts what you said.",
            Self::Uncertain => "Atlas is not certain that you meant it like this.",
            Self::Seal => "You may have asked never to remember anything about it.",
            Self::Rule => "You may want this of every answer from now on. Accepted, it becomes a rule under Behaviour.",
            Self::Exclusive => "It does not seem to go together with what Atlas knows.",
        }
    }
}

/// A candidate that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct ReviewItem {
    /// Which one.
    pub id: ReviewId,
    /// The structure, as it would be kept.
    pub draft: FactDraft,
    /// Whether it says that something is so.
    pub polarity: Polarity,
    /// The words, as they were written.
    pub quote: String,
    /// When they were written.
    pub said_at: DateTime<Utc>,
    /// The date that they mean.
    pub date: Option<String>,
    /// Why it waits, for people.
    pub why: String,
    /// Where it came from.
    pub origin: Origin,
    /// The latest message that proposed it, while that exists.
    pub source_message: Option<MessageId>,
    /// The conversation of that message.
    pub source_conversation: Option<ConversationId>,
    /// What people call the source: the conversation's title, or the name of a file.
    pub source_title: Option<String>,
    /// When it was proposed last.
    pub proposed_at: DateTime<Utc>,
    /// What is known and would give way to it, in its words.
    pub conflicts_with: Option<String>,
    /// Whether both could hold, so that the person may keep both: nobody lives in two towns.
    pub both_may_hold: bool,
}

/// Proposes a candidate to the person, whatever the gate would make of it: imports do. Whether it waits now.
///
/// What is unfit, sealed, known already or was dismissed before does not.
pub fn propose(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    source: &Source<'_>,
    rules: &Rules<'_>,
    doubt: Doubt,
    title: Option<&str>,
) -> Result<Proposal, StoreError> {
    let person = fact::person(tx)?;
    let sound = gate::vouched_for(candidate);
    let key = gate::key_of(tx, &sound, person.as_deref())?;
    if let Some(refusal) = refusal(candidate, &sound, &key, source, rules) {
        return Ok(Proposal::Refused(refusal));
    }
    let known = names::known(tx, &key)?;
    if replace::known_already(tx, &key, sound.polarity, &known)?.is_some() {
        return Ok(Proposal::Known);
    }
    if tombstone::bars(tx, &key, candidate.origin, source)? {
        return Ok(Proposal::Refused(Refusal::Forgotten));
    }
    let conflict = match key.holds {
        Holds::One | Holds::MostlyOne => known.last().map(|old| old.id),
        Holds::Many => None,
    };
    let waiting = Waiting { candidate, sound: &sound, key: &key, doubt, conflict, title };
    Ok(if wait(tx, &waiting, source, rules)? { Proposal::Waits } else { Proposal::Refused(Refusal::Dismissed) })
}

/// What came of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// It waits for the person.
    Waits,
    /// Atlas knows it.
    Known,
    /// It is not wanted.
    Refused(Refusal),
}

/// A candidate on its way into the list.
pub(super) struct Waiting<'a> {
    pub candidate: &'a Candidate,
    pub sound: &'a Sound,
    pub key: &'a Key,
    pub doubt: Doubt,
    pub conflict: Option<FactId>,
    pub title: Option<&'a str>,
}

/// Lets a candidate wait; one that waits already only gets the newer source. False where it was dismissed before.
pub(super) fn wait(
    tx: &Transaction<'_>,
    waiting: &Waiting<'_>,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<bool, StoreError> {
    let Waiting { candidate, sound, key, doubt, conflict, title } = *waiting;
    let now = Millis(rules.utc());
    let keys = named_params! { ":subject": key.subject, ":relation": key.relation, ":value": key.value };
    let mut statement = tx.prepare_cached(
        "SELECT id, state, value_key FROM review WHERE subject_key = :subject AND relation_key = :relation
         AND state <> 'edited' AND (value_key = :value OR rowid IN
             (SELECT id FROM review WHERE subject_key = :subject AND relation_key = :relation LIMIT 200)) ORDER BY id DESC",
    )?;
    let rows = statement.query_map(keys, |row| Ok((row.get("id")?, row.get("state")?, row.get("value_key")?)))?;
    for row in rows {
        let (id, state, value): (ReviewId, State, String) = row?;
        if !relation::same_value(&key.relation, &value, &key.value) {
            continue;
        }
        if state == State::Dismissed {
            return Ok(false);
        }
        tx.prepare_cached(
            "UPDATE review SET source_message_id = coalesce(:message, source_message_id), proposed_at = :now, state = 'waiting',
             confidence = max(confidence, :confidence), conflicts_with = :conflict, fact_id = NULL WHERE id = :id",
        )?
        .execute(named_params! {
            ":message": source.message, ":now": now, ":confidence": candidate.confidence, ":conflict": conflict, ":id": id,
        })?;
        return Ok(true);
    }
    let Sound { draft, quote, polarity, when, origin, .. } = sound;
    tx.prepare_cached(
        "INSERT INTO review (subject, relation, value, polarity, quote, folded, said_at, time_words, date, topic, subject_key,
                             relation_key, value_key, confidence, origin, doubt, conflicts_with, source_message_id, source_title,
                             proposed_at, state)
         VALUES (:subject, :relation, :value, :polarity, :quote, :folded, :said_at, :time_words, :date, :topic, :subject_key,
                 :relation_key, :value_key, :confidence, :origin, :doubt, :conflict, :message, :title, :now, 'waiting')",
    )?
    .execute(named_params! {
        ":subject": draft.subject, ":relation": draft.relation, ":value": draft.value, ":polarity": polarity, ":quote": quote,
        ":folded": text::fold(quote), ":said_at": Millis(source.said_at.to_utc()), ":time_words": when.words,
        ":date": when.date, ":topic": candidate.topic, ":subject_key": key.subject, ":relation_key": key.relation,
        ":value_key": key.value, ":confidence": candidate.confidence, ":origin": origin, ":doubt": doubt,
        ":conflict": conflict, ":message": source.message, ":title": title, ":now": now,
    })?;
    Ok(true)
}

/// The columns of [`item`]; `r` is the candidate, `m` its message, `c` that one's conversation, `f` what it goes against.
const COLUMNS: &str =
    "r.id, r.subject, r.relation, r.value, r.polarity, r.quote, r.said_at, r.time_words, r.date, r.topic, r.doubt, r.origin, r.confidence, r.source_message_id,
    r.proposed_at, r.source_title, m.conversation_id AS source_conversation_id,
    (SELECT title FROM given_titles WHERE id = c.id) AS conversation_title,
    (SELECT text FROM messages WHERE conversation_id = c.id AND role = 'user' AND replaced_by IS NULL
         AND state <> 'forgotten' AND forgotten_at IS NULL ORDER BY id LIMIT 1) AS first_text,
    CASE WHEN f.retired_at IS NULL AND f.forgotten_at IS NULL THEN f.quote END AS conflict";
const FROM: &str = "review r LEFT JOIN messages m ON m.id = r.source_message_id
    LEFT JOIN conversations c ON c.id = m.conversation_id LEFT JOIN facts f ON f.id = r.conflicts_with";

/// What waits, and is not about to be purged.
const WAITS: &str =
    "r.state = 'waiting' AND NOT EXISTS (SELECT 1 FROM hidden WHERE kind = 'review' AND target_id = r.id)";

fn item(row: &Row<'_>) -> rusqlite::Result<ReviewItem> {
    let (given, title): (Option<String>, Option<String>) = (row.get("source_title")?, row.get("conversation_title")?);
    let first_text: Option<String> = row.get("first_text")?;
    let draft = FactDraft { subject: row.get("subject")?, relation: row.get("relation")?, value: row.get("value")? };
    Ok(ReviewItem {
        id: row.get("id")?,
        both_may_hold: relation::key(&draft, None).holds != Holds::One,
        draft,
        polarity: row.get("polarity")?,
        quote: row.get("quote")?,
        said_at: row.get::<_, Millis>("said_at")?.0,
        date: row.get("date")?,
        why: row.get::<_, Doubt>("doubt")?.reason().to_owned(),
        origin: row.get("origin")?,
        source_message: row.get("source_message_id")?,
        source_conversation: row.get("source_conversation_id")?,
        source_title: given.or(title).or_else(|| first_text.map(|text| title_of(&text))),
        proposed_at: row.get::<_, Millis>("proposed_at")?.0,
        conflicts_with: row.get("conflict")?,
    })
}

/// What waits and matches, in pages.
pub fn page(conn: &Connection, query: &MemoryQuery) -> Result<Page<ReviewItem>, StoreError> {
    let words: Vec<String> = query.search.split_whitespace().map(text::fold).collect();
    let holds: String = (0..words.len()).map(|at| format!(" AND instr(r.folded, :word{at}) > 0")).collect();
    let matching = format!("{FROM} WHERE {WAITS}{holds}");
    let names: Vec<String> = (0..words.len()).map(|at| format!(":word{at}")).collect();
    let mut values: Vec<(&str, &dyn ToSql)> =
        names.iter().zip(&words).map(|(name, word)| (name.as_str(), word as &dyn ToSql)).collect();
    let total = conn
        .prepare_cached(&format!("SELECT count(*) FROM {matching}"))?
        .query_row(values.as_slice(), |row| row.get(0))?;
    let order = match query.order {
        MemoryOrder::Oldest => "r.proposed_at, r.id",
        _ => "r.proposed_at DESC, r.id DESC",
    };
    let (limit, offset) = (query.rows(), query.offset);
    values.extend([(":limit", &limit as &dyn ToSql), (":offset", &offset as &dyn ToSql)]);
    let rows = conn
        .prepare_cached(&format!("SELECT {COLUMNS} FROM {matching} ORDER BY {order} LIMIT :limit OFFSET :offset"))?
        .query_map(values.as_slice(), item)?
        .collect::<Result<_, _>>()?;
    Ok(Page { rows, total })
}

fn waiting(conn: &Connection, id: ReviewId) -> Result<Option<ReviewItem>, StoreError> {
    let found = conn
        .prepare_cached(&format!("SELECT {COLUMNS} FROM {FROM} WHERE r.id = ?1 AND {WAITS}"))?
        .query_row([id], item)
        .optional()?;
    Ok(found)
}

/// Lets a topic wait that the person may want sealed.
pub fn propose_seal(
    tx: &Transaction<'_>,
    topic: &str,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<(), StoreError> {
    propose_wish(tx, (SEALS, topic), Doubt::Seal, source, rules)
}

/// Lets wait what the person may want of every answer.
pub fn propose_rule(
    tx: &Transaction<'_>,
    rule: &str,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<(), StoreError> {
    propose_wish(tx, (RULES, rule), Doubt::Rule, source, rules)
}

fn propose_wish(
    tx: &Transaction<'_>,
    (relation, wish): (&str, &str),
    doubt: Doubt,
    source: &Source<'_>,
    rules: &Rules<'_>,
) -> Result<(), StoreError> {
    let draft = FactDraft { subject: USER.to_owned(), relation: relation.to_owned(), value: wish.to_owned() };
    let bare = Candidate::bare(draft, Origin::Said, 0.5, "you may have asked for it");
    let candidate = Candidate { quote: Some(wish.to_owned()), ..bare };
    let sound = gate::vouched_for(&candidate);
    let key = relation::key(&sound.draft, None);
    let waiting = Waiting { candidate: &candidate, sound: &sound, key: &key, doubt, conflict: None, title: None };
    wait(tx, &waiting, source, rules).map(drop)
}

/// What the person accepted.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Accepted {
    /// What changed in memory.
    pub changes: Vec<MemoryChange>,
    /// Topics that are to be sealed: the caller's, because the spec has them.
    pub seals: Vec<String>,
    /// Rules that are to be added to the spec: the caller's too.
    pub rules: Vec<String>,
}

/// Takes candidates over, through the gate and with the person's authority. What does not wait (any more) is passed by.
///
/// Errors: the first refusal, where the person sealed its topic in the meantime; nothing is written then.
pub fn accept(
    tx: &Transaction<'_>,
    ids: &[ReviewId],
    authority: Authority,
    rules: &Rules<'_>,
) -> Result<Result<Accepted, Refusal>, StoreError> {
    let mut accepted = Accepted::default();
    for id in ids {
        let Some(item) = waiting(tx, *id)? else { continue };
        let wishes = match item.draft.relation.as_str() {
            SEALS => Some(&mut accepted.seals),
            RULES => Some(&mut accepted.rules),
            _ => None,
        };
        if let Some(wishes) = wishes {
            tx.prepare_cached("DELETE FROM review WHERE id = ?1")?.execute([id])?;
            wishes.push(item.draft.value);
            continue;
        }
        // The person vouches for it now.
        let bare = Candidate::bare(item.draft, Origin::Said, 1.0, "you accepted it in Review");
        let candidate = Candidate { quote: Some(item.quote), ..bare };
        let said_at = item.said_at.with_timezone(&rules.now.timezone());
        let source = Source { message: item.source_message, ..Source::of_text("", said_at) };
        let sound = Sound { polarity: item.polarity, when: when_of(tx, *id)?, ..gate::vouched_for(&candidate) };
        let decision = gate::accept(tx, &candidate, &sound, &source, rules, authority)?;
        if let Decision::Refused(refusal) = decision {
            return Ok(Err(refusal));
        }
        let change = decision.change().cloned();
        let fact = change.as_ref().and_then(|change| change.fact);
        tx.prepare_cached("UPDATE review SET state = 'accepted', fact_id = ?2 WHERE id = ?1")?.execute((id, fact))?;
        if let Some(change) = change {
            change::came_from_review(tx, change.event, *id)?;
            accepted.changes.push(change);
        }
    }
    Ok(Ok(accepted))
}

/// When a candidate says that it is.
fn when_of(conn: &Connection, id: ReviewId) -> Result<When, StoreError> {
    let mut statement = conn.prepare_cached("SELECT time_words, date FROM review WHERE id = ?1")?;
    Ok(statement.query_row([id], |row| Ok(When { words: row.get("time_words")?, date: row.get("date")? }))?)
}

/// Puts another structure over a candidate's words; it waits on.
///
/// Errors: [`StoreError::Missing`] where it does not wait. A [`Refusal`] changes nothing.
pub fn edit(
    tx: &Transaction<'_>,
    id: ReviewId,
    draft: &FactDraft,
    rules: &Rules<'_>,
) -> Result<Result<MemoryChange, Refusal>, StoreError> {
    let item = waiting(tx, id)?.ok_or(StoreError::Missing("candidate"))?;
    let person = fact::person(tx)?;
    let said_at = item.said_at.with_timezone(&rules.now.timezone());
    let bare = Candidate::bare(draft.clone(), item.origin, 1.0, "edited in Review");
    let words = gate::words_of_edited(&item.quote, draft);
    let keeps_words = words == item.quote;
    let candidate = Candidate { quote: Some(words), ..bare };
    let sound = gate::vouched_for(&candidate);
    let key = gate::key_of(tx, &sound, person.as_deref())?;
    let source = Source { message: item.source_message, ..Source::of_text("", said_at) };
    if let Some(refusal) = refusal(&candidate, &sound, &key, &source, rules) {
        return Ok(Err(refusal));
    }
    tx.prepare_cached(
        "INSERT INTO review (subject, relation, value, polarity, quote, folded, said_at, time_words, date, topic, subject_key,
                             relation_key, value_key, confidence, origin, doubt, conflicts_with, source_message_id, source_title,
                             proposed_at, state)
         SELECT :subject, :relation, :value, :polarity, :quote, :folded, said_at, iif(:keeps_words, time_words, NULL),
                iif(:keeps_words, date, NULL), topic, :subject_key, :relation_key, :value_key, confidence, origin,
                doubt, conflicts_with, source_message_id, source_title, proposed_at, 'waiting' FROM review WHERE id = :id",
    )?
    .execute(named_params! {
        ":subject": sound.draft.subject, ":relation": sound.draft.relation, ":value": sound.draft.value,
        ":polarity": sound.polarity, ":quote": sound.quote, ":folded": text::fold(&sound.quote), ":keeps_words": keeps_words,
        ":subject_key": key.subject, ":relation_key": key.relation, ":value_key": key.value, ":id": id,
    })?;
    let new = ReviewId(tx.last_insert_rowid());
    tx.prepare_cached("UPDATE review SET state = 'edited', edited_into = ?2 WHERE id = ?1")?.execute((id, new))?;
    Ok(Ok(record(tx, ChangeKind::Edited, new, &sound.quote, item.source_message, rules.utc())?))
}

/// Sends candidates away, for good. What does not wait (any more) is passed by.
pub fn dismiss(tx: &Transaction<'_>, ids: &[ReviewId], now: DateTime<Utc>) -> Result<Vec<MemoryChange>, StoreError> {
    let mut changes = Vec::new();
    for id in ids {
        let Some(item) = waiting(tx, *id)? else { continue };
        tx.prepare_cached("UPDATE review SET state = 'dismissed' WHERE id = ?1")?.execute([id])?;
        changes.push(record(tx, ChangeKind::Dismissed, *id, &item.quote, item.source_message, now)?);
    }
    Ok(changes)
}

fn record(
    tx: &Transaction<'_>,
    kind: ChangeKind,
    id: ReviewId,
    sentence: &str,
    message: Option<MessageId>,
    now: DateTime<Utc>,
) -> Result<MemoryChange, StoreError> {
    let before = Before::default();
    let event = NewEvent { kind, target: id, other: None, before, sentence, why: "decided in Review", message };
    change::record(tx, &event, now)
}

/// Takes a dismissal or an edit back.
pub(in crate::memory) fn take_back(tx: &Transaction<'_>, id: ReviewId, kind: ChangeKind) -> Result<(), StoreError> {
    if kind == ChangeKind::Edited {
        tx.prepare_cached("UPDATE review SET state = 'waiting' WHERE edited_into = ?1")?.execute([id])?;
        tx.prepare_cached("DELETE FROM review WHERE id = ?1")?.execute([id])?;
        return Ok(());
    }
    wait_again(tx, id)
}

/// What was accepted or dismissed waits again.
pub(in crate::memory) fn wait_again(tx: &Transaction<'_>, id: ReviewId) -> Result<(), StoreError> {
    tx.prepare_cached("UPDATE review SET state = 'waiting', fact_id = NULL WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Takes away all that touches a topic which the person sealed: it was never to be stored.
pub fn drop_sealed(tx: &Transaction<'_>, sealed: &[String]) -> Result<(), StoreError> {
    let rows: Vec<(ReviewId, String)> = tx
        .prepare_cached("SELECT id, quote || ' ' || relation AS said FROM review")?
        .query_map([], |row| Ok((row.get("id")?, row.get("said")?)))?
        .collect::<Result<_, _>>()?;
    for (id, _) in rows.iter().filter(|(_, said)| topic::touches(said, sealed)) {
        tx.prepare_cached("DELETE FROM review WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
