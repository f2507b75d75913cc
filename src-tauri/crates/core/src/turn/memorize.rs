//! From what was said, or what a model made of it, to the gate. The only way from a turn into memory.

use chrono::{DateTime, FixedOffset};

use super::record;
use crate::behavior::spec::BehaviorSpec;
use crate::clock::Clock;
use crate::memory::conversation::{self, Message};
use crate::memory::episode;
use crate::memory::fact::{FactDraft, Origin};
use crate::memory::find;
use crate::memory::forgetting::{forget, tombstone};
use crate::memory::history::change::MemoryChange;
use crate::memory::recall::query;
use crate::memory::writing::{
    directive::{self, Directive},
    gate::{self, Candidate, ChangeHint, Decision, Rules, Source},
    lost,
    ops::{MemoryOps, ProposedFact},
    review,
};
use crate::store::id::{FactId, MessageId, TurnId};
use crate::store::{Store, StoreError, Transaction};

/// How sure a fact is that the person asked to remember.
const ASKED: f64 = 1.0;
/// How sure a fact is that a model took from the person's message, where it does not say.
const TAKEN: f64 = 0.8;

/// How many earlier messages of a conversation are looked at for support.
const SUPPORTING_MESSAGES: u32 = 12;
/// The longest note in the person's own words, in characters.
const GIST_CHARS: usize = 120;

/// What a message may teach besides what a directive in it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Teaches {
    /// All that is in it: it is no directive.
    #[default]
    Facts,
    /// What it was about: its facts were taken by code, and an undo takes them back for good.
    Note,
    /// Nothing: "forget that I live in Tokyo" says where the person lives, and must not teach it.
    Nothing,
}

/// What came of a directive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Followed {
    /// What the message may teach besides.
    pub teaches: Teaches,
    /// What it changed in memory.
    pub changes: Vec<MemoryChange>,
    /// The topic that it seals.
    pub seals: Option<String>,
    /// What came of it, as a sentence for the person and for the model; none where the changes tell it all.
    pub remark: Option<String>,
}

/// Does what the person told Atlas itself: remember, forget, seal. By code, whatever the model.
pub async fn follow_directive(
    store: &Store,
    message: &Message,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Followed, StoreError> {
    let (teaches, changes) = match directive::first(&message.text, clock.local_now()) {
        None => return Ok(Followed::default()),
        Some(Directive::Seal(topic)) => {
            let remark = Some(format!("From now on nothing about “{topic}” is stored. It stands under Behaviour."));
            return Ok(Followed { teaches: Teaches::Nothing, changes: Vec::new(), seals: Some(topic), remark });
        }
        Some(Directive::MaybeSeal(topic)) => {
            let remark = Some(format!(
                "Whether nothing about “{topic}” shall be stored from now on waits in Review, for you to say. Nothing of this is."
            ));
            let (message, rules) = (message.id, OwnedRules::of(spec, clock));
            let proposed = store.write(move |tx| {
                let rules = Rules { sealed: &rules.sealed, agent: &rules.agent, now: rules.now };
                review::propose_seal(tx, &topic, Some(message), &rules)
            });
            proposed.await?;
            return Ok(Followed { teaches: Teaches::Nothing, changes: Vec::new(), seals: None, remark });
        }
        Some(Directive::Forget(words)) => (Teaches::Nothing, forget_by_words(store, words, message.id, clock).await?),
        Some(Directive::Remember { facts, .. }) => {
            let asked: Vec<_> = facts.into_iter().map(asked).collect();
            let (message, rules) = (message.clone(), OwnedRules::of(spec, clock));
            let decided = store.write(move |tx| consider(tx, &asked, Some(&message), &message.text, &rules)).await?;
            (Teaches::Note, changes(&decided))
        }
    };
    let nothing = match teaches {
        Teaches::Note => "This was not stored: it is known already, or on a topic that you sealed.",
        Teaches::Facts | Teaches::Nothing => "Nothing like that is remembered, so nothing was forgotten.",
    };
    let remark = changes.is_empty().then_some(nothing);
    Ok(Followed { teaches, changes, seals: None, remark: remark.map(str::to_owned) })
}

/// In a temporary conversation nothing is remembered, forgotten or sealed: who asks for it is told.
pub fn in_a_temporary_conversation(message: &Message, clock: &dyn Clock) -> Followed {
    let asks = directive::first(&message.text, clock.local_now()).is_some();
    let remark = "This conversation is temporary: nothing is remembered, forgotten or sealed in it.";
    Followed { teaches: Teaches::Nothing, remark: asks.then(|| remark.to_owned()), ..Followed::default() }
}

/// Remembers a sentence that stands in no conversation (`/remember`).
pub async fn remember(
    store: &Store,
    sentence: &str,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Vec<MemoryChange>, StoreError> {
    let Some(Directive::Remember { facts, words }) =
        directive::first(&format!("/remember {sentence}"), clock.local_now())
    else {
        return Ok(Vec::new());
    };
    let asked: Vec<_> = facts.into_iter().map(asked).collect();
    let rules = OwnedRules::of(spec, clock);
    Ok(changes(&store.write(move |tx| consider(tx, &asked, None, &words, &rules)).await?))
}

/// Who took facts from a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TakenBy {
    /// The model that answered, inside its answer.
    Answer(TurnId),
    /// A second call that was owed to a turn. Where it is owed no more (the memory was wiped meanwhile), nothing is written.
    SecondCall(TurnId),
}

/// Puts what a model proposed through the gate, and notes what the turn was about: one transaction. What only earlier
/// answers to the message had proposed goes, unless the proposals could not be read.
pub async fn apply_ops(
    store: &Store,
    message: &Message,
    ops: MemoryOps,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
    by: TakenBy,
) -> Result<Vec<MemoryChange>, StoreError> {
    let takes_facts = !spec.memory_directives.store_facts.trim().is_empty();
    let invalid = ops.invalid;
    let candidates: Vec<_> = ops.facts.into_iter().filter(|_| takes_facts).map(taken).collect();
    let note = ops.episode_note.or_else(|| gist(&message.text)).filter(|_| notes_episodes(spec));
    let (message, rules, now) = (message.clone(), OwnedRules::of(spec, clock), clock.now());
    store
        .write(move |tx| {
            let turn = match by {
                TakenBy::SecondCall(turn) if !record::settle_owed(tx, turn)? => return Ok(Vec::new()),
                TakenBy::Answer(turn) | TakenBy::SecondCall(turn) => turn,
            };
            // What the person had forgotten since is not learned again from the old message.
            if !conversation::may_teach(tx, message.id)? {
                return Ok(Vec::new());
            }
            let decided = consider(tx, &candidates, Some(&message), &message.text, &rules)?;
            let facts: Vec<FactId> = decided.iter().filter_map(Decision::fact).collect();
            lost::mark_turn(tx, message.id, &facts, turn)?;
            let mut changes = changes(&decided);
            if !invalid {
                changes.extend(lost::retire_of_earlier_answers(tx, message.id, turn, now)?);
            }
            let note = match &note {
                Some(note) if tombstone::tells_forgotten(tx, note, &message.text)? => gist(&message.text),
                note => note.clone(),
            };
            if let Some(note) = &note
                && gate::admits_episode(note, &message.text, &rules.sealed).is_ok()
            {
                episode::add_note(tx, message.conversation, message.id, note, now)?;
            }
            Ok(changes)
        })
        .await
}

fn notes_episodes(spec: &BehaviorSpec) -> bool {
    !spec.memory_directives.store_episodes.trim().is_empty()
}

/// What the gate goes by, as a transaction can take it along.
struct OwnedRules {
    sealed: Vec<String>,
    agent: String,
    now: DateTime<FixedOffset>,
}

impl OwnedRules {
    fn of(spec: &BehaviorSpec, clock: &dyn Clock) -> Self {
        Self { sealed: spec.sealed_topics.clone(), agent: spec.identity.name.clone(), now: clock.local_now() }
    }
}

fn consider(
    tx: &Transaction<'_>,
    candidates: &[Candidate],
    message: Option<&Message>,
    text: &str,
    rules: &OwnedRules,
) -> Result<Vec<Decision>, StoreError> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let conversation = message.map(|message| said_before(tx, message)).transpose()?.unwrap_or_default();
    let source = Source { message: message.map(|message| message.id), text, conversation: &conversation };
    let rules = Rules { sealed: &rules.sealed, agent: &rules.agent, now: rules.now };
    gate::consider(tx, candidates, &source, &rules)
}

fn changes(decided: &[Decision]) -> Vec<MemoryChange> {
    decided.iter().filter_map(Decision::change).cloned().collect()
}

/// What the person said before in the conversation, as far as it may support what they say now.
fn said_before(tx: &Transaction<'_>, message: &Message) -> Result<String, StoreError> {
    Ok(conversation::said_before(tx, message.conversation, message.id, SUPPORTING_MESSAGES)?.join("\n"))
}

async fn forget_by_words(
    store: &Store,
    words: String,
    message: MessageId,
    clock: &dyn Clock,
) -> Result<Vec<MemoryChange>, StoreError> {
    let now = clock.now();
    store
        .write(move |tx| {
            let named = find::named(tx, &words)?;
            forget::facts(tx, &named, Some(message), now)
        })
        .await
}

/// The beginning of what the person said, as a note; nothing where there is no word of weight in it.
fn gist(text: &str) -> Option<String> {
    if query::terms(text).is_empty() {
        return None;
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let mut chars = line.chars();
    let beginning: String = chars.by_ref().take(GIST_CHARS).collect();
    Some(if chars.next().is_some() { format!("{}…", beginning.trim_end()) } else { beginning })
}

fn asked(draft: FactDraft) -> Candidate {
    Candidate {
        draft,
        origin: Origin::Said,
        confidence: ASKED,
        // It is kept as it was asked for, beside what it does not seem to go together with.
        hint: Some(ChangeHint::Add),
        topic: None,
        why: "you asked Atlas to remember it",
    }
}

fn taken(proposed: ProposedFact) -> Candidate {
    Candidate {
        draft: FactDraft { subject: proposed.subject, relation: proposed.relation, value: proposed.value },
        origin: Origin::Said,
        confidence: proposed.confidence.unwrap_or(TAKEN),
        hint: proposed.kind,
        topic: proposed.topic,
        why: "you said so in a conversation",
    }
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

    #[tokio::test]
    async fn a_second_call_that_is_owed_no_more_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let now = SystemClock.now();
        let begun = store
            .write(move |tx| {
                let begun = begin::begin(tx, None, "I live in Tokyo.", SpecVersion(1), now)?;
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
