//! From what was said, or what a model made of it, to the gate. The only way from a turn into memory.

use crate::behavior::spec::BehaviorSpec;
use crate::clock::Clock;
use crate::memory::change::MemoryChange;
use crate::memory::conversation::Message;
use crate::memory::directive::{self, Directive};
use crate::memory::fact::{FactDraft, Origin};
use crate::memory::gate::{self, Candidate, Decision, Rules, Source};
use crate::memory::ops::{MemoryOps, ProposedFact};
use crate::memory::{episode, find, forget, query};
use crate::store::id::MessageId;
use crate::store::{Store, StoreError};

/// How sure a fact is that the person asked to remember.
const ASKED: f64 = 1.0;
/// How sure a fact is that a model took from the person's message, where it does not say.
const TAKEN: f64 = 0.8;

/// The longest note in the person's own words, in characters.
const GIST_CHARS: usize = 120;

/// What came of a directive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Followed {
    /// What it changed in memory.
    pub changes: Vec<MemoryChange>,
    /// The topic that it seals.
    pub seals: Option<String>,
}

/// Does what the person told Atlas itself: remember, forget, seal. By code, whatever the model.
pub async fn follow_directive(
    store: &Store,
    message: &Message,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Followed, StoreError> {
    let changes = match directive::read(&message.text, clock.local_now()) {
        None => Vec::new(),
        Some(Directive::Seal(topic)) => return Ok(Followed { changes: Vec::new(), seals: Some(topic) }),
        Some(Directive::Forget(words)) => forget_by_words(store, words, message.id, clock).await?,
        Some(Directive::Remember { facts, .. }) => {
            let asked = facts.into_iter().map(asked).collect();
            consider(store, asked, Some(message.id), &message.text, spec, clock).await?
        }
    };
    Ok(Followed { changes, seals: None })
}

/// Remembers a sentence that stands in no conversation (`/remember`).
pub async fn remember(
    store: &Store,
    sentence: &str,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Vec<MemoryChange>, StoreError> {
    let Some(Directive::Remember { facts, words }) = directive::read(&format!("/remember {sentence}"), clock.local_now())
    else {
        return Ok(Vec::new());
    };
    let asked = facts.into_iter().map(asked).collect();
    consider(store, asked, None, &words, spec, clock).await
}

/// Puts what a model proposed through the gate, and notes what the turn was about.
pub async fn apply_ops(
    store: &Store,
    message: &Message,
    ops: MemoryOps,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Vec<MemoryChange>, StoreError> {
    let candidates: Vec<_> = ops.facts.into_iter().map(taken).collect();
    let changes = match candidates.is_empty() {
        true => Vec::new(),
        false => consider(store, candidates, Some(message.id), &message.text, spec, clock).await?,
    };
    note_episode(store, message, ops.episode_note, spec, clock).await?;
    Ok(changes)
}

async fn consider(
    store: &Store,
    candidates: Vec<Candidate>,
    message: Option<MessageId>,
    text: &str,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<Vec<MemoryChange>, StoreError> {
    let (text, now) = (text.to_owned(), clock.local_now());
    let (sealed, agent) = (spec.sealed_topics.clone(), spec.identity.name.clone());
    let decisions = store
        .write(move |tx| {
            let source = Source { message, text: &text, conversation: "" };
            gate::consider(tx, &candidates, &source, &Rules { sealed: &sealed, agent: &agent, now })
        })
        .await?;
    Ok(decisions.iter().filter_map(Decision::change).cloned().collect())
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

/// Notes what a turn was about: in the model's words, else in the person's own.
async fn note_episode(
    store: &Store,
    message: &Message,
    note: Option<String>,
    spec: &BehaviorSpec,
    clock: &dyn Clock,
) -> Result<(), StoreError> {
    let Some(note) = note.or_else(|| gist(&message.text)) else { return Ok(()) };
    let switched_off = spec.memory_directives.store_episodes.trim().is_empty();
    if switched_off || gate::admits_episode(&note, &message.text, &spec.sealed_topics).is_err() {
        return Ok(());
    }
    let (conversation, id, now) = (message.conversation, message.id, clock.now());
    store.write(move |tx| episode::add_note(tx, conversation, id, &note, now).map(drop)).await
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
    Candidate { draft, origin: Origin::Said, confidence: ASKED, hint: None, topic: None, why: "you asked Atlas to remember it" }
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
