//! From an archive to the rows. Into an empty Atlas it goes as it is; into another one, what that knows already stays as it
//! is there, and what goes against it waits for the person.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, named_params, params};

use super::{
    Archive, ArchivedConversation, ArchivedEpisode, ArchivedEvent, ArchivedFact, ArchivedMessage, ArchivedProcedure,
    ArchivedTally, Numbers, renumbered,
};
use crate::memory::conversation::{self, MessageState, NewMessage};
use crate::memory::fact::{self, FactDraft, NewFact, Origin};
use crate::memory::history::change::{self, Before, ChangeKind, MemoryRef, NewEvent};
use crate::memory::index::{self, Owner, OwnerKind};
use crate::memory::procedure::LessonBy;
use crate::memory::relation::{self, Holds, Key};
use crate::memory::transfer::take_in::{self, Taken};
use crate::memory::writing::candidate::{Candidate, Rules, Source};
use crate::memory::writing::{refusal, when::When};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};
use crate::store::time::Millis;

/// What came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Restored {
    /// Conversations that are new here.
    pub conversations: u32,
    /// Messages in them.
    pub messages: u32,
    /// Facts, episodes and procedures that are new here.
    pub added: u32,
    /// Facts that wait in Review, because they go against what is known here.
    pub review: u32,
    /// What was here.
    pub known: u32,
    /// What was forgotten here, or is on a sealed topic.
    pub barred: u32,
}

/// Restores what is not here yet.
pub fn restore(tx: &Transaction<'_>, archive: &Archive, rules: &Rules<'_>) -> Result<Restored, StoreError> {
    let mut restoring = Restoring {
        tx,
        rules,
        now: rules.now.to_utc(),
        is_empty: is_empty(tx)?,
        restored: Restored::default(),
        conversations: Numbers::default(),
        messages: Numbers::default(),
        facts: Numbers::default(),
        episodes: Numbers::default(),
        procedures: Numbers::default(),
        came: HashSet::new(),
    };
    for conversation in &archive.conversations {
        restoring.conversation(conversation)?;
    }
    restoring.facts(&archive.facts)?;
    for episode in &archive.episodes {
        restoring.episode(episode)?;
    }
    for procedure in &archive.procedures {
        restoring.procedure(procedure)?;
    }
    for event in &archive.events {
        restoring.event(event)?;
    }
    restoring.tell(&archive.facts)?;
    Ok(restoring.restored)
}

/// Whether nothing is remembered here.
fn is_empty(tx: &Transaction<'_>) -> Result<bool, StoreError> {
    Ok(tx.query_row("SELECT NOT EXISTS (SELECT 1 FROM facts)", [], |row| row.get(0))?)
}

/// The numbers of the archive, as numbers here; what was here already has none of its own events told again.
struct Restoring<'a> {
    tx: &'a Transaction<'a>,
    rules: &'a Rules<'a>,
    now: DateTime<Utc>,
    is_empty: bool,
    restored: Restored,
    conversations: Numbers,
    messages: Numbers,
    facts: Numbers,
    episodes: Numbers,
    procedures: Numbers,
    /// The facts that are new here.
    came: HashSet<FactId>,
}

impl Restoring<'_> {
    fn conversation(&mut self, conversation: &ArchivedConversation) -> Result<(), StoreError> {
        if let Some(here) = same_conversation(self.tx, conversation)? {
            self.conversations.set(conversation.id, here.0);
            for message in &conversation.messages {
                let same = self
                    .tx
                    .prepare_cached(
                        "SELECT id FROM messages WHERE conversation_id = ?1 AND at = ?2 AND role = ?3 AND text = ?4",
                    )?
                    .query_row(params![here, Millis(message.at), message.role, message.text], |row| {
                        row.get::<_, i64>("id")
                    })
                    .optional()?;
                if let Some(same) = same {
                    self.messages.set(message.id, same);
                }
            }
            return Ok(());
        }
        let mut wanted = Vec::new();
        for message in &conversation.messages {
            if !take_in::is_barred(self.tx, &message.text)? {
                wanted.push(message);
            }
        }
        if wanted.is_empty() && !conversation.messages.is_empty() {
            self.restored.barred += 1;
            return Ok(());
        }
        let id = conversation::begin(self.tx, conversation.created_at)?;
        if let Some(title) = &conversation.title
            && !take_in::tells_forgotten(self.tx, title)?
        {
            conversation::rename(self.tx, id, title)?;
        }
        self.add_messages(id, &wanted)?;
        for message in &wanted {
            if let (Some(here), Some(by)) = (self.messages.get(message.id), self.messages.of(message.replaced_by)) {
                self.tx
                    .prepare_cached("UPDATE messages SET replaced_by = ?2 WHERE id = ?1")?
                    .execute(params![here, by])?;
            }
        }
        // Its summary comes along, where it has one.
        self.tx
            .prepare_cached("UPDATE conversations SET updated_at = ?2, summed_up_at = ?2 WHERE id = ?1")?
            .execute(params![id, Millis(conversation.updated_at)])?;
        self.conversations.set(conversation.id, id.0);
        self.restored.conversations += 1;
        self.restored.messages += wanted.len() as u32;
        Ok(())
    }

    fn add_messages(&mut self, conversation: ConversationId, messages: &[&ArchivedMessage]) -> Result<(), StoreError> {
        let new = |message: &ArchivedMessage| NewMessage {
            conversation,
            turn: None,
            role: message.role,
            text: message.text.clone(),
            // An answer that was arriving when it was exported does not arrive any more.
            state: if message.state == MessageState::Streaming { MessageState::Partial } else { message.state },
            model: message.model.clone().map(|model| (model, message.provider.clone().unwrap_or_default())),
            speaker: message.speaker.clone(),
        };
        let all = messages.iter().map(|message| (new(message), message.at)).collect();
        for (message, id) in messages.iter().zip(conversation::add_messages(self.tx, conversation, all)?) {
            self.messages.set(message.id, id.0);
            let ArchivedMessage { prompt_tokens, completion_tokens, cost, provider, .. } = message;
            if prompt_tokens.is_some() || completion_tokens.is_some() || cost.is_some() || provider.is_some() {
                self.tx
                    .prepare_cached(
                        "UPDATE messages SET prompt_tokens = ?2, completion_tokens = ?3, cost = ?4, provider = ?5 WHERE id = ?1",
                    )?
                    .execute(params![id, prompt_tokens, completion_tokens, cost, provider])?;
            }
            if !message.recall {
                self.tx.prepare_cached("UPDATE messages SET recall = 0 WHERE id = ?1")?.execute([id])?;
            }
        }
        Ok(())
    }

    fn facts(&mut self, facts: &[ArchivedFact]) -> Result<(), StoreError> {
        let mut new = Vec::new();
        for fact in facts {
            if let Some(id) = self.fact(fact)? {
                self.came.insert(id);
                self.facts.set(fact.id, id.0);
                new.push((fact, id));
            }
        }
        for (fact, id) in new {
            self.tx
                .prepare_cached(
                    "UPDATE facts SET valid_to = :valid_to, retired_at = :retired_at,
                         retired_because = :because, superseded_by = :by, level = :level, use_count = :uses,
                         last_used_at = :used WHERE id = :id",
                )?
                .execute(named_params! {
                    ":valid_to": fact.valid_to.map(Millis),
                    ":retired_at": fact.retired_at.map(Millis), ":because": fact.retired_because,
                    ":by": self.facts.of(fact.superseded_by), ":level": fact.level, ":uses": fact.use_count,
                    ":used": fact.last_used_at.map(Millis), ":id": id,
                })?;
            index::write(self.tx, Owner { kind: OwnerKind::Fact, id: id.0 })?;
        }
        Ok(())
    }

    /// Writes a fact that is not here; `None` where it is, or must not be, or waits. What is here takes its number.
    fn fact(&mut self, archived: &ArchivedFact) -> Result<Option<FactId>, StoreError> {
        let ArchivedFact { subject, relation, value, .. } = archived;
        let draft = FactDraft { subject: subject.clone(), relation: relation.clone(), value: value.clone() };
        let person = fact::person(self.tx)?;
        let key = relation::key(&draft, person.as_deref());
        if let Some(same) = same_fact(self.tx, &key, archived, !self.is_empty)? {
            self.facts.set(archived.id, same.0);
            self.restored.known += 1;
            return Ok(None);
        }
        if refusal::unfit(&draft).is_some() || take_in::bars_fact(self.tx, &draft, &key, self.rules)? {
            self.restored.barred += 1;
            return Ok(None);
        }
        let is_opposed = !self.is_empty
            && archived.retired_at.is_none()
            && key.holds != Holds::Many
            // What came with it is no rival: there the two go together, or one is the other's history.
            && fact::known(self.tx, &key)?.iter().any(|known| !self.came.contains(&known.id));
        if is_opposed {
            let message = self.messages.of(archived.source_message).map(MessageId);
            let quote = Some(archived.quote.clone());
            let why = "it came with an import";
            let bare = Candidate::bare(draft, Origin::Imported, archived.confidence, why);
            let source = Source { message, ..Source::of_text("", self.rules.now) };
            match take_in::propose(self.tx, &Candidate { quote, ..bare }, &source, "an export of Atlas", self.rules)? {
                Taken::Waits => self.restored.review += 1,
                Taken::Known => self.restored.known += 1,
                Taken::Refused => self.restored.barred += 1,
            }
            return Ok(None);
        }
        let when = When { words: archived.time_words.clone(), date: archived.date.clone() };
        let new = NewFact {
            draft: &draft,
            key: &key,
            quote: &archived.quote,
            polarity: archived.polarity,
            when: &when,
            topic: archived.topic.as_deref(),
            said_at: archived.said_at.unwrap_or(archived.recorded_at),
            confidence: archived.confidence.clamp(0.0, 1.0),
            origin: archived.origin,
            message: None,
            valid_from: archived.valid_from,
            pinned: archived.pinned,
        };
        let id = fact::insert(self.tx, &new, archived.recorded_at)?;
        let source = self.messages.of(archived.source_message);
        self.tx
            .prepare_cached("UPDATE facts SET source_message_id = ?2 WHERE id = ?1")?
            .execute(params![id, source])?;
        for source in &archived.sources {
            if let Some(message) = self.messages.get(source.message) {
                fact::add_source(self.tx, id, MessageId(message), source.at)?;
            }
        }
        self.restored.added += 1;
        Ok(Some(id))
    }

    fn episode(&mut self, episode: &ArchivedEpisode) -> Result<(), StoreError> {
        let conversation = self.conversations.of(episode.conversation);
        let same: Option<i64> = self
            .tx
            .prepare_cached(
                "SELECT id FROM episodes WHERE kind = ?1 AND forgotten_at IS NULL
                     AND ((at = ?2 AND text = ?3) OR (kind = 'summary' AND conversation_id = ?4))",
            )?
            .query_row(params![episode.kind, Millis(episode.at), episode.text, conversation], |row| row.get("id"))
            .optional()?;
        if let Some(same) = same {
            self.episodes.set(episode.id, same);
            self.restored.known += 1;
            return Ok(());
        }
        if refusal::admits_episode(&episode.text, "", self.rules.sealed).is_err()
            || take_in::tells_forgotten(self.tx, &episode.text)?
        {
            self.restored.barred += 1;
            return Ok(());
        }
        self.tx
            .prepare_cached(
                "INSERT INTO episodes (kind, text, at, conversation_id, source_message_id, use_count, last_used_at)
                 VALUES (:kind, :text, :at, :conversation, :message, :uses, :used)",
            )?
            .execute(named_params! {
                ":kind": episode.kind, ":text": episode.text,
                ":at": Millis(episode.at), ":conversation": conversation,
                ":message": self.messages.of(episode.source_message), ":uses": episode.use_count,
                ":used": episode.last_used_at.map(Millis),
            })?;
        let id = self.tx.last_insert_rowid();
        index::write(self.tx, Owner { kind: OwnerKind::Episode, id })?;
        self.episodes.set(episode.id, id);
        self.restored.added += 1;
        Ok(())
    }

    fn procedure(&mut self, procedure: &ArchivedProcedure) -> Result<(), StoreError> {
        let known: Option<i64> = self
            .tx
            .prepare_cached("SELECT id FROM procedures WHERE signature = ?1")?
            .query_row([&procedure.signature], |row| row.get("id"))
            .optional()?;
        if let Some(known) = known {
            self.procedures.set(procedure.id, known);
            self.restored.known += 1;
            return Ok(());
        }
        let recent = procedure.recent.unwrap_or(ArchivedTally {
            successes: procedure.successes as f64,
            failures: procedure.failures as f64,
            at: procedure.last_used_at,
        });
        self.tx
            .prepare_cached(
                "INSERT INTO procedures (signature, trigger, strategy, category, remedy, lesson, lesson_by, lesson_failures, retired_at,
                     successes, failures, recent_successes, recent_failures, weighed_at, created_at, last_used_at)
                 VALUES (:signature, :trigger, :strategy, :category, :remedy, :lesson, :by, :lesson_failures, :retired,
                     :successes, :failures, :recent_successes, :recent_failures, :weighed, :created, :used)",
            )?
            .execute(named_params! {
                ":signature": procedure.signature, ":trigger": procedure.trigger, ":strategy": procedure.strategy,
                ":category": procedure.category, ":remedy": procedure.remedy, ":lesson": procedure.lesson,
                ":by": procedure.lesson_by.map(LessonBy::code), ":lesson_failures": procedure.lesson_failures,
                ":retired": procedure.retired_at.map(Millis), ":recent_successes": recent.successes,
                ":recent_failures": recent.failures, ":weighed": Millis(recent.at),
                ":successes": procedure.successes, ":failures": procedure.failures,
                ":created": Millis(procedure.created_at), ":used": Millis(procedure.last_used_at),
            })?;
        let id = self.tx.last_insert_rowid();
        index::write(self.tx, Owner { kind: OwnerKind::Procedure, id })?;
        self.procedures.set(procedure.id, id);
        self.restored.added += 1;
        Ok(())
    }

    /// Tells what happened, where it is not told here.
    fn event(&self, event: &ArchivedEvent) -> Result<(), StoreError> {
        let target = match event.target_kind.as_str() {
            "fact" => self.facts.get(event.target).map(|id| MemoryRef::Fact(FactId(id))),
            "episode" => self.episodes.get(event.target).map(|id| MemoryRef::Episode(EpisodeId(id))),
            "procedure" => self.procedures.get(event.target).map(|id| MemoryRef::Procedure(ProcedureId(id))),
            _ => None,
        };
        let Some(target) = target else { return Ok(()) };
        let (kind, id) = change::parts(target);
        let before = event.before.clone().and_then(|before| renumbered(before, &self.messages, &self.facts));
        self.tx
            .prepare_cached(
                "INSERT INTO memory_events (at, kind, target_kind, target_id, other_id, before, sentence, why, message_id, undone_at)
                 SELECT :at, :kind, :target_kind, :target, :other, :before, :sentence, :why, :message, :undone
                 WHERE NOT EXISTS (SELECT 1 FROM memory_events
                     WHERE target_kind = :target_kind AND target_id = :target AND kind = :kind AND at = :at)",
            )?
            .execute(named_params! {
                ":at": Millis(event.at), ":kind": event.kind, ":target_kind": kind, ":target": id,
                ":other": self.facts.of(event.other), ":before": before.map(|before| before.to_string()),
                ":sentence": event.sentence, ":why": event.why, ":message": self.messages.of(event.message),
                ":undone": event.undone_at.map(Millis),
            })?;
        Ok(())
    }

    /// Each current fact that came is a change of today too, which can be taken back.
    fn tell(&self, facts: &[ArchivedFact]) -> Result<(), StoreError> {
        let mut came = self.tx.prepare_cached(
            "SELECT 1 FROM facts WHERE id = ?1 AND retired_at IS NULL AND NOT EXISTS
                 (SELECT 1 FROM memory_events WHERE target_kind = 'fact' AND target_id = ?1)",
        )?;
        for fact in facts {
            let Some(id) = self.facts.get(fact.id) else { continue };
            if !came.exists([id])? {
                continue;
            }
            let event = NewEvent {
                kind: ChangeKind::Imported,
                target: MemoryRef::Fact(FactId(id)),
                other: None,
                before: Before::default(),
                sentence: &fact.quote,
                why: "it came with an export of Atlas",
                message: None,
            };
            change::record(self.tx, &event, self.now)?;
        }
        Ok(())
    }
}

/// A conversation that began at the same moment with the same message; its text may be forgotten here.
fn same_conversation(
    conn: &Connection,
    conversation: &ArchivedConversation,
) -> Result<Option<ConversationId>, StoreError> {
    let first = conversation.messages.first();
    let same = conn
        .prepare_cached(
            "SELECT c.id FROM conversations c
             LEFT JOIN messages m ON m.id = (SELECT min(id) FROM messages WHERE conversation_id = c.id)
             WHERE c.created_at = :created AND m.at IS :at AND (m.text IS :text OR m.text = '')",
        )?
        .query_row(
            named_params! {
                ":created": Millis(conversation.created_at), ":at": first.map(|first| Millis(first.at)),
                ":text": first.map(|first| &first.text),
            },
            |row| row.get("id"),
        )
        .optional()?;
    Ok(same)
}

/// Whether a conversation is here.
pub(in crate::memory::transfer) fn is_here(
    conn: &Connection,
    conversation: &ArchivedConversation,
) -> Result<bool, StoreError> {
    Ok(same_conversation(conn, conversation)?.is_some())
}

/// The same fact of the same moment, or, of a current one, the current fact that says the same.
pub(in crate::memory::transfer) fn same_fact(
    conn: &Connection,
    key: &Key,
    fact: &ArchivedFact,
    merges: bool,
) -> Result<Option<FactId>, StoreError> {
    let same = conn
        .prepare_cached(
            "SELECT id FROM facts WHERE subject_key = :subject AND recorded_at = :at AND forgotten_at IS NULL
                 AND (relation_key = :relation AND value_key = :key OR relation = :words AND value = :value) LIMIT 1",
        )?
        .query_row(
            named_params! {
                ":subject": key.subject, ":relation": key.relation, ":key": key.value, ":words": fact.relation,
                ":value": fact.value, ":at": Millis(fact.recorded_at),
            },
            |row| row.get("id"),
        )
        .optional()?;
    if same.is_some() || !merges || fact.retired_at.is_some() {
        return Ok(same);
    }
    let known = fact::known(conn, key)?;
    Ok(known
        .iter()
        .find(|known| relation::same_value(&key.relation, &known.value_key, &key.value))
        .map(|known| known.id))
}
