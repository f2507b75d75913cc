//! What a question sees: the passages around its candidates, each reduced to what the features of its score need.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, named_params};

use crate::memory::index::passage::Asks;
use crate::memory::index::terms::{self, ABOUT_YOU};
use crate::memory::index::{Owner, PassageId};
use crate::memory::recall::alike::Alike;
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::question::{MOST_TERMS, Question};
use crate::store::StoreError;
use crate::store::id::ConversationId;
use crate::store::time::Millis;

/// A passage as one question sees it.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Seen {
    /// Which.
    pub id: PassageId,
    /// The memory that it is of.
    pub owner: Owner,
    /// Which part of it.
    pub part: u32,
    /// When it was said, learned or happened.
    pub at: DateTime<Utc>,
    /// Whether somebody said it whom the question is about.
    pub is_by_asked: bool,
    /// Whether the assistant said it.
    pub is_by_assistant: bool,
    /// Whether it asks.
    pub asks: Asks,
    /// How many words it has.
    pub words: f32,
    /// How often it holds each term of the question.
    pub counts: [u8; MOST_TERMS],
    /// How near its nearest term is to each term of the question, 0 to 1.
    pub alike: [f32; MOST_TERMS],
    /// How many names it tells.
    pub names: f32,
    /// Whether it tells a time.
    pub tells_time: bool,
    /// Whether it tells a number.
    pub tells_number: bool,
    /// The keys of its terms, ascending, to tell near copies.
    pub fingerprint: Vec<u64>,
}

impl Seen {
    /// The terms of the question that it holds, as bits.
    pub fn held(&self) -> u32 {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, _)| 1 << at).sum()
    }
}

/// The passages, ascending.
#[derive(Debug, Default)]
pub(in crate::memory) struct Scene {
    seen: Vec<Seen>,
}

/// Who a passage of the assistant is by.
const ASSISTANT: &str = "assistant";
/// As many terms as most passages have at most.
const USUAL_TERMS: usize = 32;
/// How far around a candidate is looked.
const REACH: i64 = 2;

impl Scene {
    /// Looks at these passages, ascending, and those around them, without those of the running conversation.
    pub fn look(
        conn: &Connection,
        question: &Question,
        lexical: &Lexical,
        alike: &mut Alike<'_>,
        candidates: &[PassageId],
        running: Option<ConversationId>,
    ) -> Result<Self, StoreError> {
        let mut statement = conn.prepare_cached(
            "SELECT id, kind, owner_id, conversation_id, at, speaker, is_question, words, terms, part, names FROM passages
             WHERE id BETWEEN :first AND :last",
        )?;
        let mut seen = Vec::with_capacity(candidates.len() * 5);
        for (first, last) in stretches(candidates) {
            let mut rows = statement.query(named_params! { ":first": first, ":last": last })?;
            while let Some(row) = rows.next()? {
                let conversation: Option<ConversationId> = row.get(3)?;
                if running.is_some() && conversation == running {
                    continue;
                }
                let id: PassageId = row.get(0)?;
                // Words that mean nearly the same are looked for in candidates, and in the questions that they may answer.
                let asks = row.get::<_, Asks>(6)? == Asks::AtTheEnd;
                let next = candidates.partition_point(|candidate| *candidate < id);
                let is_close = candidates.get(next).is_some_and(|candidate| candidate.0 <= id.0 + i64::from(asks));
                let mut passage = read(row, id, question, if is_close { Some(&mut *alike) } else { None })?;
                lead(&mut passage, lexical.held(id));
                seen.push(passage);
            }
        }
        Ok(Self { seen })
    }

    /// All of it, ascending.
    pub fn all(&self) -> &[Seen] {
        &self.seen
    }

    /// Where a passage stands.
    pub fn place_of(&self, id: PassageId) -> Option<usize> {
        self.seen.binary_search_by_key(&id, |seen| seen.id).ok()
    }

    /// Where the passage stands that is so many places before or after the one at a place, in the same session.
    pub fn beside(&self, at: usize, by: i64) -> Option<usize> {
        let wanted = self.seen[at].id.neighbour(by)?;
        // Between the two can only be as many as the distance.
        let mut there = at;
        loop {
            let id = self.seen.get(there)?.id;
            match id.cmp(&wanted) {
                Ordering::Equal => return Some(there),
                Ordering::Less if by > 0 => there += 1,
                Ordering::Greater if by < 0 => there = there.checked_sub(1)?,
                Ordering::Less | Ordering::Greater => return None,
            }
        }
    }
}

/// What leads to a passage without standing in its terms counts as if it stood there.
fn lead(seen: &mut Seen, bits: u32) {
    for at in (0..MOST_TERMS).filter(|at| bits & (1 << at) != 0) {
        seen.counts[at] = seen.counts[at].max(1);
        seen.alike[at] = 1.0;
    }
}

/// The columns by place: hundreds of rows are read for each question.
fn read(
    row: &Row<'_>,
    id: PassageId,
    question: &Question,
    mut alike: Option<&mut Alike<'_>>,
) -> Result<Seen, StoreError> {
    let text = |column: usize| match row.get_ref(column) {
        Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes).ok(),
        _ => None,
    };
    let speaker = text(5);
    let mut seen = Seen {
        id,
        owner: Owner { kind: row.get(1)?, id: row.get(2)? },
        part: row.get(9)?,
        at: row.get::<_, Millis>(4)?.0,
        is_by_asked: speaker.is_some_and(|speaker| question.speakers.iter().any(|asked| asked == speaker)),
        is_by_assistant: speaker == Some(ASSISTANT),
        asks: row.get(6)?,
        words: row.get(7)?,
        names: row.get(10)?,
        counts: [0; MOST_TERMS],
        alike: [0.0; MOST_TERMS],
        tells_time: false,
        tells_number: false,
        fingerprint: Vec::with_capacity(if alike.is_some() { USUAL_TERMS } else { 0 }),
    };
    for (term, key) in terms::keyed(text(8).unwrap_or_default()) {
        if let Some(at) = question.terms.iter().position(|asked| asked.key == key) {
            seen.counts[at] = seen.counts[at].saturating_add(1);
            seen.alike[at] = 1.0;
        }
        // What is known of the person is as if the person said it.
        seen.is_by_asked |= term == ABOUT_YOU && question.is_of_yours;
        if let Some(alike) = &mut alike {
            alike.raise(term, key, &mut seen.alike);
            seen.tells_time |= question.wants.time && tells_time(term);
            seen.tells_number |= question.wants.number && tells_number(term);
            seen.fingerprint.push(key);
        }
    }
    seen.fingerprint.sort_unstable();
    Ok(seen)
}

/// Ascending numbers with those around them, as stretches without a gap, ascending. No stretch leaves its session.
fn stretches(around: &[PassageId]) -> Vec<(PassageId, PassageId)> {
    let mut stretches: Vec<(PassageId, PassageId)> = Vec::new();
    for id in around.iter().copied() {
        let first = PassageId(id.0 - REACH.min(id.place()));
        let last = (0..=REACH).rev().find_map(|by| id.neighbour(by)).unwrap_or(id);
        match stretches.last_mut() {
            Some((_, end)) if first.0 <= end.0 + 1 => *end = last.max(*end),
            _ => stretches.push((first, last)),
        }
    }
    stretches
}

/// Stems of words that tell a time, as far as they are no stop words.
fn tells_time(term: &str) -> bool {
    matches!(
        term,
        "yesterday"
            | "today"
            | "tonight"
            | "tomorrow"
            | "last"
            | "next"
            | "ago"
            | "week"
            | "weekend"
            | "month"
            | "year"
            | "monday"
            | "tuesday"
            | "wednesday"
            | "thursday"
            | "friday"
            | "saturday"
            | "sunday"
            | "januari"
            | "februari"
            | "march"
            | "april"
            | "june"
            | "juli"
            | "august"
            | "septemb"
            | "octob"
            | "novemb"
            | "decemb"
            | "recent"
            | "day"
    ) || term.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && (term.ends_with("st")
            || term.ends_with("nd")
            || term.ends_with("rd")
            || term.ends_with("th")
            || term.len() == 4 && (term.starts_with("19") || term.starts_with("20")))
}

/// Stems of words that tell a number.
fn tells_number(term: &str) -> bool {
    matches!(
        term,
        "two"
            | "three"
            | "four"
            | "five"
            | "six"
            | "seven"
            | "eight"
            | "nine"
            | "ten"
            | "twice"
            | "dozen"
            | "coupl"
            | "sever"
            | "first"
            | "second"
            | "third"
    ) || term.bytes().all(|byte| byte.is_ascii_digit())
}
