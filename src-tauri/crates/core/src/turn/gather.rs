//! What a turn does and looks up before the model is asked: orders to Atlas itself, and what stands in the prompt.

use std::sync::Arc;

use chrono::FixedOffset;
use rusqlite::{Row, named_params};

use super::digest::Notes;
use super::memorize::{self, Followed};
use super::{LOCAL_MEMORY_BUDGET, MEMORY_BUDGET, Turn, prompt, record};
use crate::behavior::drift::{self, samples};
use crate::behavior::{self, versions};
use crate::healing::playbook::{self, Playbook};
use crate::healing::timeline;
use crate::memory::conversation::{self, Message, Role};
use crate::memory::history::change::{ChangeKind, MemoryRef, UsedMemory};
use crate::memory::recall::{
    fence, {self, Ask, ReasonName, RecalledItem, Room},
};
use crate::memory::writing::{gate, lost, review};
use crate::store::id::{FactId, MessageId, TurnId};
use crate::store::time::Millis;
use crate::store::{Connection, StoreError};
use crate::text::{self, lexicon};

/// What stands in a turn's prompt, and what healing goes by.
pub(super) struct Gathered {
    pub working_memory: Vec<Message>,
    /// What was noted of its exchanges, for when it must shrink.
    pub notes: Notes,
    pub memory_block: String,
    pub used: Vec<UsedMemory>,
    /// What is remembered about the question; nothing where nothing relevant is.
    pub relevant: Vec<RecalledItem>,
    /// What Atlas did about the message by itself.
    pub done: Option<String>,
    /// What was learned from earlier failures.
    pub playbook: Playbook,
    /// The answers so far have left the role: this one begins afresh.
    pub has_left_role: bool,
}

impl Gathered {
    /// What the person said before in this conversation.
    pub(super) fn said_before(&self) -> Vec<String> {
        let by_person = self.working_memory.iter().filter(|message| message.role == Role::User);
        by_person.map(|message| message.text.clone()).collect()
    }
}

impl Turn {
    /// What the person told Atlas itself to remember, forget or seal: done by code, whatever the model.
    pub(super) async fn follow_orders(&mut self) -> Result<Followed, StoreError> {
        if self.is_temporary() {
            return Ok(memorize::in_a_temporary_conversation(&self.begun.message));
        }
        let followed =
            memorize::follow_orders(&self.store, &self.begun.message, &self.spec, self.clock.as_ref()).await?;
        for topic in &followed.seals {
            self.seal(topic).await?;
        }
        Ok(followed)
    }

    /// Seals a topic, from this turn on: a new version of the spec.
    async fn seal(&mut self, topic: &str) -> Result<(), StoreError> {
        let is_known = |known: &String| known.trim().to_lowercase() == topic.trim().to_lowercase();
        if self.spec.sealed_topics.iter().any(is_known) {
            return Ok(());
        }
        let mut spec = self.spec.as_ref().clone();
        spec.sealed_topics.push(topic.to_owned());
        self.spec_prompt = behavior::render(&spec).into();
        self.spec = Arc::new(spec.clone());
        let now = self.clock.now();
        let saved = self.store.write(move |tx| {
            review::drop_sealed(tx, &spec.sealed_topics)?;
            versions::save(tx, &spec, now)
        });
        self.spec_version = saved.await?;
        Ok(())
    }

    pub(super) async fn gather(&self, followed: &Followed) -> Result<Gathered, StoreError> {
        // What this very message taught is not something that was remembered before.
        let taught: Vec<FactId> = followed.changes.iter().filter_map(|change| change.fact).collect();
        let (message, limit) = (self.begun.message.clone(), self.settings.working_memory_limit);
        let turn = self.begun.turn;
        let (now, budget) = (self.clock.local_now(), self.memory_budget());
        let (index, sealed) = (self.index.clone(), self.spec.sealed_topics.clone());
        self.store
            .read(move |conn| {
                let afresh = timeline::began_afresh(conn, message.conversation)?;
                let samples = samples::of_conversation(conn, message.conversation, afresh)?;
                let has_left_role = drift::left_the_role(&samples);
                let working_memory = match has_left_role {
                    true => Vec::new(),
                    false => working_memory(conn, &message, limit, afresh)?,
                };
                let notes = notes_of(conn, &working_memory, &sealed, *now.offset())?;
                let ask = Ask {
                    question: &message.text,
                    now,
                    budget,
                    conversation: Some(message.conversation),
                    room: Room::Fill,
                };
                let mut recalled = recall::recall(conn, &index, &ask)?;
                // Nor is what an earlier answer to it took from it: this one shall say so again, or it goes.
                let again = lost::only_from_earlier_answers(conn, message.id, turn)?;
                let is_own = |id: &FactId| taught.contains(id) || again.contains(id);
                recalled.items.retain(|item| !matches!(&item.memory, MemoryRef::Fact(id) if is_own(id)));
                let (memory_block, used) = (recalled.render(), recalled.used());
                // A greeting asks for nothing that is remembered.
                let asks_for_none = recalled.is_silent || lexicon::is_small_talk(&message.text);
                let relevant = if asks_for_none { Vec::new() } else { told_as_answer(recalled.items) };
                let playbook = Playbook::new(playbook::rows(conn)?);
                let gathered = Gathered {
                    working_memory,
                    notes,
                    memory_block,
                    used,
                    relevant,
                    done: None,
                    playbook,
                    has_left_role,
                };
                Ok(gathered)
            })
            .await
    }

    fn memory_budget(&self) -> u64 {
        if self.target.is_small() { LOCAL_MEMORY_BUDGET } else { MEMORY_BUDGET }
    }
}

/// The memories that can stand in an answer: what was found by its words, its meaning or its time. What is pinned or only fills
/// the room, what was learned from failures, what was an answer or asks itself has none in it.
fn told_as_answer(items: Vec<RecalledItem>) -> Vec<RecalledItem> {
    let finds = |name| matches!(name, ReasonName::Lexical | ReasonName::Dense | ReasonName::Date);
    let is_found =
        |item: &RecalledItem| item.reasons.iter().any(|reason| finds(reason.name) && reason.contribution > 0.0);
    let tells = |item: &RecalledItem| {
        let was_answer = item.speaker.as_deref() == Some("assistant");
        let asks = item.sentence.trim_end().ends_with(['?', '？', '؟']);
        !matches!(item.memory, MemoryRef::Procedure(_)) && !was_answer && !asks
    };
    items.into_iter().filter(|item| item.score > 0.0 && is_found(item) && tells(item)).collect()
}

/// The earlier messages that a prompt holds: none from before a fresh start.
fn working_memory(
    conn: &Connection,
    message: &Message,
    limit: u32,
    afresh: Option<TurnId>,
) -> Result<Vec<Message>, StoreError> {
    let first = afresh.map(|turn| record::message_of(conn, turn)).transpose()?.flatten();
    let count = conversation::count_before(conn, message.conversation, message.id)?;
    let start = prompt::working_memory_start(count, limit as usize);
    let kept = u32::try_from(count - start).unwrap_or(limit);
    let mut messages = conversation::messages_before(conn, message.conversation, message.id, kept)?;
    messages.retain(|message| first.is_none_or(|first| message.id >= first));
    Ok(messages)
}

/// What was noted of exchanges that a prompt holds, with the day where the person is. A note that is about to be purged, one of
/// a message that memory passes by, one on a topic that is sealed by now, and one that is only the message's own beginning
/// stand for nothing.
fn notes_of(conn: &Connection, told: &[Message], sealed: &[String], here: FixedOffset) -> Result<Notes, StoreError> {
    let Some(first) = told.first() else { return Ok(Notes::new()) };
    let mut statement = conn.prepare_cached(
        "SELECT m.id AS message, m.text AS said, e.text AS note, e.at FROM episodes e JOIN messages m ON m.id = e.source_message_id
         WHERE e.conversation_id = :conversation AND e.kind = 'note' AND e.forgotten_at IS NULL
             AND m.id >= :first AND m.recall = 1 AND m.state <> 'forgotten' AND m.forgotten_at IS NULL ORDER BY e.id",
    )?;
    let columns = |row: &Row<'_>| -> rusqlite::Result<(MessageId, String, String, Millis)> {
        Ok((row.get("message")?, row.get("said")?, row.get("note")?, row.get("at")?))
    };
    let rows = statement
        .query_map(named_params! { ":conversation": first.conversation, ":first": first.id }, columns)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let stands = |said: &str, note: &str| {
        let only_begins = text::fold(said).starts_with(&text::fold(note.trim_end_matches('…')));
        !only_begins && gate::admits_episode(note, said, sealed).is_ok()
    };
    let dated = rows.into_iter().filter(|(_, said, note, _)| stands(said, note));
    Ok(dated
        .map(|(message, _, note, at)| (message, format!("{}: {note}", at.0.with_timezone(&here).date_naive())))
        .collect())
}

/// What the model must know of what code did, so that it neither does it again nor claims what did not happen.
pub(super) fn done_by_code(followed: &Followed) -> Option<String> {
    let told = followed.changes.iter().map(|change| {
        let what = match change.kind {
            ChangeKind::Forgotten => "forgotten",
            ChangeKind::Dismissed | ChangeKind::Retired => "no longer stored",
            ChangeKind::Added
            | ChangeKind::Confirmed
            | ChangeKind::Superseded
            | ChangeKind::Edited
            | ChangeKind::Imported
            | ChangeKind::Accepted
            | ChangeKind::Pinned
            | ChangeKind::Unpinned => "stored",
        };
        format!("{what}: {}", fence::harmless(&change.sentence))
    });
    let all: Vec<String> = told.chain(followed.remark.clone()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
