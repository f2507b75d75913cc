//! Finding what matters for a question, best first, each with the reasons for its place.
//!
//! In the order of the files: the [`question`] is read; [`lexical`] and [`dense`] look it up, by words and by meaning, and
//! the index chooses the passages that are looked at closely; [`scene`] reads them with those around them; [`features`]
//! are what they are judged by, [`weights`] how much each counts, [`rank`] the order that comes of it. [`silence`] decides
//! whether any of it is relevant, [`diversity`] that one thing is not told twice, [`fill`] what the prompt has room for,
//! [`fence`] how it stands there. [`kind`] is what facts, messages, episodes and procedures differ in.
//!
//! The same question over the same memory gives the same list. It only reads.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use chrono::{DateTime, FixedOffset, NaiveDate, Utc};
use rusqlite::{Connection, Transaction, named_params};

use crate::memory::fact::{FactDraft, Origin};
use crate::memory::history::change::{MemoryRef, UsedMemory};
use crate::memory::index::{Index, OwnerKind, passage::Asks};
use crate::memory::relation::{Polarity, SAID, USER};
use crate::memory::writing::when;
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId};
use crate::store::time::Millis;
use crate::text;
use candidates::FactRow;
use diversity::Found;
use features::Feature;
use fill::Basket;
use kind::{KINDS, Told};
use question::Question;
use rank::{Candidate, Ranking};
use weights::judged;

mod alike;
mod asking;
pub(in crate::memory) mod candidates;
mod dense;
mod diversity;
pub mod features;
pub mod fence;
mod fill;
mod in_context;
mod kind;
mod lexical;
pub mod query;
mod question;
pub mod rank;
mod scene;
pub mod silence;
mod view;
pub mod weights;

pub use features::ReasonName;

/// A question to memory.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// What the person said.
    pub question: &'a str,
    /// Now, where the person is.
    pub now: DateTime<FixedOffset>,
    /// About how many tokens the answer may take in a prompt.
    pub budget: u64,
    /// The running conversation: what was said in it is not recalled, because it is before the model already.
    pub conversation: Option<ConversationId>,
    /// What to do with the room that is left.
    pub room: Room,
}

/// What to do with the room that relevant memories leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// Fill it with what is familiar: the person's facts, the last episodes, learned procedures.
    Fill,
    /// Leave it. Where nothing relevant is known, nothing is recalled.
    LeaveEmpty,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recalled {
    /// Best first.
    pub items: Vec<RecalledItem>,
    /// Nothing relevant is known: what is there is pinned, or fills the room.
    pub is_silent: bool,
}

/// One memory that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledItem {
    /// Which.
    pub memory: MemoryRef,
    /// As one sentence; what is past is told as past.
    pub sentence: String,
    /// For a fact: where it came from.
    pub origin: Option<Origin>,
    /// When it was learned, said, or happened.
    pub at: DateTime<Utc>,
    /// The same as a day, where the person is.
    pub day: NaiveDate,
    /// The conversation that it stands in.
    pub conversation: Option<ConversationId>,
    /// Who said it, for a message: `user`, `assistant` or a name.
    pub speaker: Option<String>,
    /// Higher is better; 0 for what only fills the room.
    pub score: f64,
    /// Why it stands where it does; their contributions add up to the score.
    pub reasons: Vec<Reason>,
}

/// A reason for a memory's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// Which.
    pub name: ReasonName,
    /// How much of it there is, mostly from 0 to 1.
    pub value: f64,
    /// What it adds to the score.
    pub contribution: f64,
    /// The words of the question that the memory holds, or that lead to it.
    pub words: Vec<String>,
}

impl Reason {
    /// A reason without a number.
    fn plain(name: ReasonName) -> Self {
        Self { name, value: 1.0, contribution: 0.0, words: Vec::new() }
    }
}

impl Recalled {
    /// The memories as the chip under an answer shows them.
    pub fn used(&self) -> Vec<UsedMemory> {
        self.items.iter().map(|item| UsedMemory { memory: item.memory, sentence: item.sentence.clone() }).collect()
    }

    /// The block for the prompt.
    pub fn render(&self) -> String {
        fence::render(self)
    }
}

/// As many memories are told at most.
const MOST_TOLD: usize = 60;

/// Finds what matters for a question.
pub fn recall(conn: &Connection, index: &Index, ask: &Ask<'_>) -> Result<Recalled, StoreError> {
    let question = Question::read(conn, ask.question, ask.now.date_naive())?;
    let ranking = rank::rank(conn, index, &question, ask, rank::MOST_CLOSELY)?;
    let setting = Setting { ask, question: &question, today: ask.now.date_naive() };
    let mut found = setting.told(conn, &ranking)?;
    if question.asks_by_time() {
        let is_then = |one: &Found| question.periods.iter().any(|period| period.holds(one.item.day));
        found.retain(is_then);
    }
    // Common words and times show nothing of a question: what they ask for is there or not.
    let asks_openly = question.asks_by_time() || question.asks_for_the_person();
    let is_held = |wanted: u32| ranking.candidates.iter().any(|candidate| candidate.held & wanted != 0);
    let is_silent = !asks_openly && ranking.evidence().is_too_little(ranking.column)
        || found.is_empty()
        || question.asks_name_of_unknown(is_held);
    let best = found.first().map_or(0.0, |best| best.item.score);
    found.retain(|one| !is_silent && one.item.score >= best - f64::from(silence::SPREAD));
    // What was once asked in these very words answers nothing.
    let asked = text::words(ask.question);
    found.retain(|one| !(Asks::of(&one.item.sentence) == Asks::AtTheEnd && text::words(&one.item.sentence) == asked));
    let mut found = diversity::spread(diversity::once(found));
    found.truncate(MOST_TOLD);
    let mut basket = Basket::new(ask.budget);
    for kind in KINDS {
        for told in kind.always(conn, &setting)? {
            let known = found.iter().position(|one| one.item.memory == told.memory);
            basket.put(known.map_or_else(|| setting.item(told, None), |at| found.remove(at).item));
        }
    }
    if question.asks_for_the_person() {
        fill::known_of_the_person(conn, &setting, &mut basket)?;
    }
    found.into_iter().for_each(|one| basket.put(one.item));
    if ask.room == Room::Fill {
        fill::fill(conn, &setting, &mut basket)?;
    }
    let mut items = basket.items;
    items.sort_by(better);
    let is_silent = is_silent && !items.iter().any(|item| item.score > 0.0 && question.asks_for_the_person());
    Ok(Recalled { items, is_silent })
}

/// What a question finds, all of it looked at closely, before anything is decided, and what is known of it besides: for whoever
/// fits the weights.
pub fn explain(
    conn: &Connection,
    index: &Index,
    ask: &Ask<'_>,
) -> Result<(Vec<Candidate>, silence::Asked), StoreError> {
    let question = Question::read(conn, ask.question, ask.now.date_naive())?;
    let ranking = rank::rank(conn, index, &question, ask, usize::MAX)?;
    Ok((ranking.candidates, ranking.asked))
}

/// Best first; among equals the newer, then the later written.
fn better(a: &RecalledItem, b: &RecalledItem) -> Ordering {
    let key = |item: &RecalledItem| crate::memory::history::change::parts(item.memory);
    b.score.total_cmp(&a.score).then(b.at.cmp(&a.at)).then(key(b).cmp(&key(a)))
}

/// What is the same for all memories of one question.
struct Setting<'a> {
    ask: &'a Ask<'a>,
    question: &'a Question,
    today: NaiveDate,
}

impl Setting<'_> {
    /// The best candidates as memories, each once, by its best part; best first.
    fn told(&self, conn: &Connection, ranking: &Ranking) -> Result<Vec<Found>, StoreError> {
        // Of each kind as many as are told at all: what else speaks for a kind is known only when its memories are read.
        let (mut best, mut owners, mut of_kind) = (Vec::new(), HashSet::new(), [0_usize; KINDS.len()]);
        for candidate in &ranking.candidates {
            let count = &mut of_kind[candidate.owner.kind as usize];
            let shows = self.question.asks_by_time() || silence::shows_something(candidate, ranking.column);
            let may_stand = *count < MOST_TOLD && shows;
            if may_stand && owners.insert(candidate.owner) {
                best.push(candidate);
                *count += 1;
            }
        }
        let mut told: HashMap<(OwnerKind, i64), Told> = HashMap::new();
        for kind in KINDS {
            let of_kind = best.iter().filter(|candidate| candidate.owner.kind == kind.kind());
            let wanted: Vec<(i64, u32)> = of_kind.map(|candidate| (candidate.owner.id, candidate.part)).collect();
            let memories = kind.tell(conn, self, &wanted)?;
            told.extend(memories.into_iter().map(|(id, memory)| ((kind.kind(), id), memory)));
        }
        let mut found: Vec<Found> = best
            .into_iter()
            .filter_map(|candidate| {
                let told = told.remove(&(candidate.owner.kind, candidate.owner.id))?;
                Some(Found {
                    sources: told.sources.clone(),
                    fingerprint: candidate.fingerprint.clone(),
                    words: candidate.feature(Feature::Length).exp_m1(),
                    item: self.item(told, Some((candidate, ranking))),
                })
            })
            .collect();
        found.sort_by(|a, b| better(&a.item, &b.item));
        Ok(found)
    }

    /// A memory as it is recalled, with the reasons for its place.
    fn item(&self, told: Told, place: Option<(&Candidate, &Ranking)>) -> RecalledItem {
        let mut reasons = place.map(|(candidate, ranking)| self.reasons(candidate, ranking)).unwrap_or_default();
        // What was not found by its words or meaning is here because it is pinned, and for nothing else.
        let counts = |(name, _): &&(ReasonName, f32)| place.is_some() || *name == ReasonName::Pin;
        for (name, contribution) in told.judged.iter().filter(counts) {
            let contribution = f64::from(*contribution);
            match reasons.iter_mut().find(|reason| reason.name == *name) {
                Some(reason) => reason.contribution += contribution,
                None => reasons.push(Reason { contribution, ..Reason::plain(*name) }),
            }
        }
        RecalledItem {
            memory: told.memory,
            sentence: told.sentence,
            origin: told.origin,
            at: told.at,
            day: self.day(told.at),
            conversation: told.conversation,
            speaker: told.speaker,
            score: reasons.iter().map(|reason| reason.contribution).sum(),
            reasons,
        }
    }

    /// The features of a candidate as people read them: what belongs together as one, the strongest first.
    fn reasons(&self, candidate: &Candidate, ranking: &Ranking) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Vec::new();
        for feature in Feature::ALL {
            let value = candidate.feature(*feature);
            let contribution = f64::from(value * weights::of(*feature, ranking.column));
            if contribution == 0.0 {
                continue;
            }
            match reasons.iter_mut().find(|reason| reason.name == feature.reason()) {
                Some(reason) => reason.contribution += contribution,
                None => {
                    reasons.push(Reason { value: f64::from(value), contribution, ..Reason::plain(feature.reason()) })
                }
            }
        }
        let asked = self.question.terms.iter().enumerate().filter(|(at, _)| candidate.held & (1 << at) != 0);
        let words: Vec<String> = asked.map(|(_, asked)| asked.typed.clone()).collect();
        if let Some(lexical) = reasons.iter_mut().find(|reason| reason.name == ReasonName::Lexical) {
            lexical.words = words;
        }
        reasons.sort_by(|a, b| b.contribution.abs().total_cmp(&a.contribution.abs()));
        reasons
    }

    /// A fact as it is told: the person's words, the day that they mean, whether that is past, and what it was before.
    fn told_fact(&self, conn: &Connection, row: &FactRow) -> Result<String, StoreError> {
        let mut told = row.quote.clone();
        if let Some(label) = label(row) {
            told.push_str(&format!(" ({label})"));
        }
        if let Some(date) = &row.date {
            let is_past = self.is_past(date);
            let spoken = date.replace('T', " ").replace('/', " to ");
            told.push_str(&format!(" [{spoken}{}]", if is_past { ", past" } else { "" }));
        }
        match candidates::before(conn, row.id)? {
            Some((value, Some(until))) => {
                told.push_str(&format!(" (before: {value}, until {})", fence::spoken(self.day(until))));
            }
            Some((value, None)) => told.push_str(&format!(" (before: {value})")),
            None => {}
        }
        Ok(told)
    }

    /// Whether a date lies before today, where the person is.
    fn is_past(&self, date: &str) -> bool {
        let (today, date) = (self.today.to_string(), when::end_of(date));
        date[..date.len().min(today.len())] < today[..date.len().min(today.len())]
    }

    /// A moment as a day, where the person is.
    fn day(&self, at: DateTime<Utc>) -> NaiveDate {
        at.with_timezone(&self.ask.now.timezone()).date_naive()
    }

    /// What being new adds.
    fn recency(&self, at: DateTime<Utc>) -> f32 {
        let days = (self.ask.now.with_timezone(&Utc) - at).num_days().max(0) as f32;
        judged::RECENT * 0.5_f32.powf(days / 90.0)
    }
}

/// Words of fewer than so many words may not say what they are about: "And to cats."
const FEW_WORDS: usize = 4;

/// The structure of a fact, for words that do not tell it by themselves.
fn label(row: &FactRow) -> Option<String> {
    let FactDraft { subject, relation, value } = &row.draft;
    let is_few = text::words(&row.quote).len() < FEW_WORDS && !row.quote.chars().any(text::is_unspaced);
    let names_it = row.subject_key == USER || text::fold(&row.quote).contains(&text::fold(subject));
    if relation == SAID || (names_it && !is_few) {
        return None;
    }
    let polarity = match row.polarity {
        Polarity::Holds => "",
        Polarity::Denied => "not: ",
        Polarity::Ended => "no longer: ",
    };
    Some(format!("{polarity}{subject}, {relation}: {value}"))
}

/// Counts that memories stood in an answer's prompt.
pub fn count_use(tx: &Transaction<'_>, used: &[UsedMemory], now: DateTime<Utc>) -> Result<(), StoreError> {
    for memory in used {
        let (table, id) = match memory.memory {
            MemoryRef::Fact(FactId(id)) => ("facts", id),
            MemoryRef::Episode(EpisodeId(id)) => ("episodes", id),
            // A procedure counts its tries, not its readers; a message is no memory that somebody keeps.
            MemoryRef::Procedure(_) | MemoryRef::Message(_) => continue,
        };
        tx.prepare_cached(&format!(
            "UPDATE {table} SET use_count = use_count + 1, last_used_at = :now WHERE id = :id"
        ))?
        .execute(named_params! { ":now": Millis(now), ":id": id })?;
    }
    Ok(())
}

#[cfg(test)]
pub(in crate::memory) mod tests;
