//! From what was said, or what a model made of it, to the gate. The only way from a turn into memory.

use std::ops::Range;

use chrono::{DateTime, FixedOffset};

use super::record;
use crate::behavior::spec::BehaviorSpec;
use crate::clock::Clock;
use crate::memory::conversation::{self, Message};
use crate::memory::episode;
use crate::memory::fact::{self, FactDraft, Origin};
use crate::memory::find;
use crate::memory::forgetting::{forget, tombstone};
use crate::memory::history::change::MemoryChange;
use crate::memory::recall::query;
use crate::memory::relation::USER;
use crate::memory::writing::{
    directive::{self, Order, OrderKind, Orders},
    gate::{self, Candidate, Decision, Refusal, Rules, Source},
    lost,
    ops::MemoryOps,
    review,
};
use crate::store::id::{FactId, TurnId};
use crate::store::{Store, StoreError, Transaction};
use crate::text::lexicon;

/// How sure a fact is that the person asked to remember.
const ASKED: f64 = 1.0;
/// Why it is kept, for the log of changes.
const ASKED_WHY: &str = "you asked Atlas to remember it";
/// Why it is kept what a model read in a message.
const SAID_WHY: &str = "you said so in a conversation";

/// How many earlier messages of a conversation may name whom a message speaks of.
pub const SUPPORTING_MESSAGES: u32 = 12;
/// The longest note in the person's own words, in characters.
const GIST_CHARS: usize = 120;

/// What came of what the person told Atlas itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Followed {
    /// Whether nothing else stands in the message that could be remembered.
    pub is_all: bool,
    /// What it changed in memory.
    pub changes: Vec<MemoryChange>,
    /// The topics that it seals.
    pub seals: Vec<String>,
    /// What came of it, as a sentence for the person and for the model; none where the changes tell it all.
    pub remark: Option<String>,
}

/// Does what the person told Atlas itself: remember, forget, seal. By code, whatever the model.
pub async fn follow_orders(
    store: &Store,
    message: &Message,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Followed, StoreError> {
    let orders = directive::read(&message.text);
    if orders.orders.is_empty() {
        return Ok(Followed::default());
    }
    let (message, rules) = (message.clone(), OwnedRules::of(spec, clock));
    store.write(move |tx| follow(tx, &orders, &message, &rules)).await
}

fn follow(
    tx: &Transaction<'_>,
    orders: &Orders,
    message: &Message,
    rules: &OwnedRules,
) -> Result<Followed, StoreError> {
    let mut followed = Followed { is_all: is_all(orders, &message.text), ..Followed::default() };
    let mut remarks = Vec::new();
    for order in &orders.orders {
        let remark = follow_one(tx, order, orders, message, rules, &mut followed)?;
        remarks.extend(remark.filter(|remark| !remarks.contains(remark)));
    }
    if orders.orders.iter().any(|order| order.kind == OrderKind::DontStore) {
        forget::pass_by(tx, message.id)?;
    }
    followed.remark = (!remarks.is_empty()).then(|| remarks.join(" "));
    Ok(followed)
}

/// Does one order. What came of it, as a sentence, where no change tells it.
fn follow_one(
    tx: &Transaction<'_>,
    order: &Order,
    orders: &Orders,
    message: &Message,
    rules: &OwnedRules,
    followed: &mut Followed,
) -> Result<Option<String>, StoreError> {
    let words = &message.text[order.object.clone()];
    let decided = match order.kind {
        OrderKind::Remember => {
            let asked = Candidate::words(words, Origin::Said, ASKED, ASKED_WHY);
            consider(tx, &[asked], Some(message), orders, &message.text, rules)?
        }
        OrderKind::CallMe => {
            let draft = FactDraft { subject: USER.into(), relation: "name".into(), value: words.to_owned() };
            let named = Candidate {
                draft,
                ..Candidate::words(&message.text[order.range.clone()], Origin::Said, ASKED, ASKED_WHY)
            };
            consider(tx, &[named], Some(message), orders, &message.text, rules)?
        }
        OrderKind::Forget => {
            let named = find::named(tx, words)?;
            let changes = forget::facts(tx, &named, Some(message.id), rules.now.to_utc())?;
            let nothing = "Nothing like that is remembered, so nothing was forgotten.";
            let remark = changes.is_empty().then(|| nothing.to_owned());
            followed.changes.extend(changes);
            return Ok(remark);
        }
        OrderKind::DontStore => return Ok(Some("Nothing of this is stored.".to_owned())),
        OrderKind::Seal => {
            followed.seals.push(words.to_owned());
            return Ok(Some(format!("From now on nothing about “{words}” is stored. It stands under Behaviour.")));
        }
        OrderKind::MaybeSeal => {
            let source = source(tx, Some(message), &message.text, "", &[], rules)?;
            review::propose_seal(tx, words, &source, &rules.as_rules())?;
            return Ok(Some(format!(
                "Whether nothing about “{words}” shall be stored from now on waits in Review, for you to say. Nothing of this is."
            )));
        }
        OrderKind::Instruction => {
            let source = source(tx, Some(message), &message.text, "", &[], rules)?;
            review::propose_rule(tx, words, &source, &rules.as_rules())?;
            return Ok(Some(format!("Whether “{words}” shall hold from now on waits in Review, for you to say.")));
        }
    };
    followed.changes.extend(changes(&decided));
    decided.iter().find_map(|decision| not_stored(tx, decision).transpose()).transpose()
}

/// Why what the person asked to remember changed nothing, in a sentence.
fn not_stored(tx: &Transaction<'_>, decision: &Decision) -> Result<Option<String>, StoreError> {
    Ok(match decision {
        Decision::Confirmed { fact, change: None } => Some(format!("Known already: “{}”", fact::get(tx, *fact)?.quote)),
        Decision::Refused(refusal) => Some(format!("This was not stored. {}", refusal.message())),
        _ => None,
    })
}

/// Whether a message holds nothing but orders that teach nothing.
fn is_all(orders: &Orders, text: &str) -> bool {
    let teaches = |kind| matches!(kind, OrderKind::Remember | OrderKind::Instruction | OrderKind::CallMe);
    !orders.orders.iter().any(|order| teaches(order.kind)) && query::terms(&orders.rest(text)).is_empty()
}

/// The parts of a message that must not be kept: what the person wants forgotten, kept to themself or sealed.
fn barred(orders: &Orders) -> Vec<Range<usize>> {
    let bars = |order: &&Order| match order.kind {
        OrderKind::Forget | OrderKind::DontStore | OrderKind::Seal | OrderKind::MaybeSeal => true,
        OrderKind::Remember | OrderKind::CallMe | OrderKind::Instruction => false,
    };
    let parts = |order: &Order| [order.range.clone(), order.object.clone()];
    let wanted: Vec<&Order> = orders.orders.iter().filter(|order| order.kind == OrderKind::Remember).collect();
    let mut ranges: Vec<Range<usize>> = orders.orders.iter().filter(bars).flat_map(parts).collect();
    // "Don't keep this. But do remember …": what is wanted is kept.
    for order in wanted {
        ranges = ranges.into_iter().flat_map(|range| without(range, &order.range)).collect();
    }
    ranges
}

fn without(range: Range<usize>, hole: &Range<usize>) -> Vec<Range<usize>> {
    let parts = [range.start..range.end.min(hole.start), range.start.max(hole.end)..range.end];
    if hole.end <= range.start || range.end <= hole.start {
        return vec![range];
    }
    parts.into_iter().filter(|part| !part.is_empty()).collect()
}

/// In a temporary conversation nothing is remembered, forgotten or sealed: who asks for it is told.
pub fn in_a_temporary_conversation(message: &Message) -> Followed {
    let asks = !directive::read(&message.text).orders.is_empty();
    let remark = "This conversation is temporary: nothing is remembered, forgotten or sealed in it.";
    Followed { remark: asks.then(|| remark.to_owned()), ..Followed::default() }
}

/// Remembers words that stand in no conversation (`/remember`). The outer result is the database's; a [`Refusal`] keeps nothing.
pub async fn remember(
    store: &Store,
    words: &str,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Result<Vec<MemoryChange>, Refusal>, StoreError> {
    let asked = Candidate::words(words.trim(), Origin::Said, ASKED, ASKED_WHY);
    let (words, rules) = (words.trim().to_owned(), OwnedRules::of(spec, clock));
    let decided = store
        .write(move |tx| consider(tx, std::slice::from_ref(&asked), None, &Orders::default(), &words, &rules))
        .await?;
    let refusal = decided.iter().find_map(|decision| match decision {
        Decision::Refused(refusal) => Some(refusal.clone()),
        _ => None,
    });
    Ok(refusal.map_or_else(|| Ok(changes(&decided)), Err))
}

/// Who took facts from a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBy {
    /// The model that answered, inside its answer.
    Answer(TurnId),
    /// A second call that was owed to a turn. Where it is owed no more (the memory was wiped meanwhile), nothing is written.
    SecondCall(TurnId),
}

/// Puts what a model says of a message through the gate, and notes what the turn was about: one transaction. What only earlier
/// answers to the message had proposed goes, unless the annotations could not be read.
pub async fn apply_ops(
    store: &Store,
    message: &Message,
    ops: MemoryOps,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
    by: TakenBy,
) -> Result<Vec<MemoryChange>, StoreError> {
    let takes_facts = !spec.memory_directives.store_facts.trim().is_empty();
    let notes_episodes = !spec.memory_directives.store_episodes.trim().is_empty();
    let (message, rules) = (message.clone(), OwnedRules::of(spec, clock));
    store
        .write(move |tx| {
            let turn = match by {
                TakenBy::SecondCall(turn) if !record::settle_owed(tx, turn)? => return Ok(Vec::new()),
                TakenBy::Answer(turn) | TakenBy::SecondCall(turn) => turn,
            };
            // What the person had forgotten since is not learned again from the old message.
            if !conversation::may_teach(tx, message.id)? && !keeps_a_part(&message.text) {
                return Ok(Vec::new());
            }
            let is_whole = !ops.invalid;
            let (decided, note) = learn(tx, &message, ops.clone(), takes_facts, &rules)?;
            let facts: Vec<FactId> = decided.iter().filter_map(Decision::fact).collect();
            lost::mark_turn(tx, message.id, &facts, turn)?;
            let mut changes = changes(&decided);
            if is_whole {
                changes.extend(lost::retire_of_earlier_answers(tx, message.id, turn, rules.now.to_utc())?);
            }
            if let Some(note) = note.filter(|_| notes_episodes) {
                episode::add_note(tx, message.conversation, message.id, &note, rules.now.to_utc())?;
            }
            Ok(changes)
        })
        .await
}

/// A message that the person does not want kept is passed by, and may still hold something that they do.
fn keeps_a_part(text: &str) -> bool {
    let orders = directive::read(text);
    orders.has(OrderKind::DontStore) && orders.has(OrderKind::Remember)
}

/// Puts what a model says of a message through the gate. What was decided, and the note of what it was about where one may be
/// kept.
pub fn learn(
    tx: &Transaction<'_>,
    message: &Message,
    ops: MemoryOps,
    takes_facts: bool,
    rules: &OwnedRules,
) -> Result<(Vec<Decision>, Option<String>), StoreError> {
    let orders = directive::read(&message.text);
    let annotations = ops.facts.into_iter().filter(|_| takes_facts);
    let candidates: Vec<_> = annotations.map(|annotation| Candidate::annotated(annotation, SAID_WHY)).collect();
    let decided = consider(tx, &candidates, Some(message), &orders, &message.text, rules)?;
    if let Some(instruction) = ops.instruction.filter(|_| !orders.has(OrderKind::Instruction)) {
        let source = source(tx, Some(message), &message.text, "", &[], rules)?;
        if gate::stands_in(&message.text, &instruction) {
            review::propose_rule(tx, &instruction, &source, &rules.as_rules())?;
        }
    }
    let is_private = [OrderKind::Forget, OrderKind::DontStore, OrderKind::Seal, OrderKind::MaybeSeal]
        .into_iter()
        .any(|kind| orders.has(kind))
        || decided.iter().any(|decision| matches!(decision, Decision::Refused(Refusal::Sealed(_))));
    let note = ops.note.filter(|_| !is_private).or_else(|| gist(&message.text).filter(|_| !is_private));
    let note = match note {
        Some(note) if tombstone::tells_forgotten(tx, &note, &message.text)? => gist(&message.text),
        note => note,
    };
    let admits = |note: &String| gate::admits_episode(note, &message.text, &rules.sealed).is_ok();
    Ok((decided, note.filter(admits)))
}

/// What the gate goes by, as a transaction can take it along.
pub struct OwnedRules {
    sealed: Vec<String>,
    agent: String,
    now: DateTime<FixedOffset>,
}

impl OwnedRules {
    /// Those of a spec, now.
    pub fn of(spec: &BehaviorSpec, clock: &dyn Clock) -> Self {
        Self { sealed: spec.sealed_topics.clone(), agent: spec.identity.name.clone(), now: clock.local_now() }
    }

    fn as_rules(&self) -> Rules<'_> {
        Rules { sealed: &self.sealed, agent: &self.agent, now: self.now }
    }
}

fn consider(
    tx: &Transaction<'_>,
    candidates: &[Candidate],
    message: Option<&Message>,
    orders: &Orders,
    text: &str,
    rules: &OwnedRules,
) -> Result<Vec<Decision>, StoreError> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let conversation = message.map(|message| said_before(tx, message)).transpose()?.unwrap_or_default();
    let barred = barred(orders);
    let source = source(tx, message, text, &conversation, &barred, rules)?;
    gate::consider(tx, candidates, &source, &rules.as_rules())
}

fn source<'a>(
    tx: &Transaction<'_>,
    message: Option<&Message>,
    text: &'a str,
    conversation: &'a str,
    barred: &'a [Range<usize>],
    rules: &OwnedRules,
) -> Result<Source<'a>, StoreError> {
    let said_at = match message {
        Some(message) => conversation::said_at(tx, message.id, *rules.now.offset())?,
        None => rules.now,
    };
    Ok(Source { message: message.map(|message| message.id), text, conversation, said_at, barred })
}

fn changes(decided: &[Decision]) -> Vec<MemoryChange> {
    decided.iter().filter_map(Decision::change).cloned().collect()
}

/// What the person said before in the conversation, as far as it may name whom they speak of now.
fn said_before(tx: &Transaction<'_>, message: &Message) -> Result<String, StoreError> {
    Ok(conversation::said_before(tx, message.conversation, message.id, SUPPORTING_MESSAGES)?.join("\n"))
}

/// The beginning of what the person said, as a note; nothing where there is no word of weight in it.
fn gist(text: &str) -> Option<String> {
    if query::terms(text).is_empty() || lexicon::is_small_talk(text) {
        return None;
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut chars = line.chars();
    let beginning: String = chars.by_ref().take(GIST_CHARS).collect();
    Some(if chars.next().is_some() { format!("{}…", beginning.trim_end()) } else { beginning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::memory::fact;
    use crate::memory::page::MemoryQuery;
    use crate::store::id::SpecVersion;
    use crate::turn::begin;

    fn tokyo() -> MemoryOps {
        crate::memory::writing::ops::parse(r#"{"facts":[{"subject":"user","relation":"lives in","value":"Tokyo"}]}"#)
    }

    async fn known(store: &Store) -> usize {
        let all = MemoryQuery { limit: 10, ..MemoryQuery::default() };
        store.read(move |conn| fact::page(conn, &all)).await.unwrap().rows.len()
    }

    #[test]
    fn small_talk_is_no_note() {
        assert_eq!(gist("Thanks, that was lovely!"), None);
        assert_eq!(gist("I paint boats.").as_deref(), Some("I paint boats."));
    }

    #[tokio::test]
    async fn what_a_label_seals_leaves_no_note() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let now = SystemClock.now();
        let begin =
            move |tx: &Transaction<'_>| begin::begin(tx, None, "I take Qorvex.", SpecVersion(1), now.fixed_offset());
        let begun = store.write(begin).await.unwrap();
        let spec = BehaviorSpec { sealed_topics: vec!["health".into()], ..BehaviorSpec::default() };
        let of =
            r#"{"facts":[{"subject":"user","relation":"takes","value":"Qorvex","topic":"health"}],"note":"a pill"}"#;
        let ops = crate::memory::writing::ops::parse(of);
        let rules = OwnedRules::of(&spec, &SystemClock);
        let (_, note) = store.write(move |tx| learn(tx, &begun.message, ops.clone(), true, &rules)).await.unwrap();
        assert_eq!(note, None);
    }

    #[tokio::test]
    async fn a_second_call_that_is_owed_no_more_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let now = SystemClock.now();
        let begun = store
            .write(move |tx| {
                let begun = begin::begin(tx, None, "I live in Tokyo.", SpecVersion(1), now.fixed_offset())?;
                tx.execute("UPDATE turns SET extraction_owed = 1", [])?;
                Ok(begun)
            })
            .await
            .unwrap();
        let (spec, turn) = (BehaviorSpec::default(), TakenBy::SecondCall(begun.turn));
        store.write(record::settle_all).await.unwrap();
        let late = apply_ops(&store, &begun.message, tokyo(), &spec, &SystemClock, turn).await.unwrap();
        assert_eq!((late, known(&store).await), (Vec::new(), 0));

        store.write(|tx| Ok(tx.execute("UPDATE turns SET extraction_owed = 1", [])?)).await.unwrap();
        apply_ops(&store, &begun.message, tokyo(), &spec, &SystemClock, turn).await.unwrap();
        assert_eq!(known(&store).await, 1);
    }
}
