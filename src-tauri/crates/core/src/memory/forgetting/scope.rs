//! What a forget takes: what the person means, what is derived from it, and the messages that tell it.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, Params, named_params};

use super::along::Along;
use super::phrase::{EPISODES, FACTS, MESSAGES, PROCEDURES, Phrase};
use super::target::ForgetTarget;
use crate::memory::fact::{self, FactDraft};
use crate::memory::relation::{self, USER};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};

/// What a forget takes. Only what is visible now.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Scope {
    /// The facts that are meant.
    pub facts: BTreeSet<FactId>,
    /// The values that they had replaced.
    pub older: BTreeSet<FactId>,
    /// The notes and summaries that are meant.
    pub episodes: BTreeSet<EpisodeId>,
    /// Notes and summaries that tell it too.
    pub derived: BTreeSet<EpisodeId>,
    /// The procedures that are meant.
    pub procedures: BTreeSet<ProcedureId>,
    /// The messages that it came from, their answers, and others that repeat it.
    pub messages: BTreeSet<MessageId>,
    /// What tells it.
    pub phrases: Vec<Phrase>,
    /// What goes with it and is no memory.
    pub along: Along,
}

impl Scope {
    /// Finds it.
    pub fn of(conn: &Connection, target: &ForgetTarget) -> Result<Self, StoreError> {
        let mut scope = Self::default();
        match target {
            ForgetTarget::Facts { ids } => scope.take_facts(conn, ids)?,
            ForgetTarget::Episodes { ids } => scope.take_episodes(conn, ids)?,
            ForgetTarget::Procedures { ids } => {
                scope.procedures = visible(conn, "procedures", ids.iter().map(|id| id.0))?.map(ProcedureId).collect();
            }
            ForgetTarget::Subject { name } => scope.take_subject(conn, name)?,
            ForgetTarget::Conversation { id } => scope.take_conversation(conn, *id)?,
            ForgetTarget::Messages { ids } => scope.take_messages(conn, ids)?,
            ForgetTarget::Everything => scope.take_everything(conn)?,
        }
        scope.derived.retain(|id| !scope.episodes.contains(id));
        scope.older.retain(|id| !scope.facts.contains(id));
        if *target != ForgetTarget::Everything {
            let facts = scope.facts.iter().chain(&scope.older);
            let found = Along::of(conn, &scope.phrases, scope.messages.iter(), facts)?;
            scope.along = Along { names: std::mem::take(&mut scope.along.names), ..found };
        }
        Ok(scope)
    }

    /// How many rows of text it takes.
    pub fn size(&self) -> usize {
        [self.facts.len(), self.older.len(), self.episodes.len(), self.derived.len(), self.messages.len()].iter().sum()
    }

    fn take_facts(&mut self, conn: &Connection, ids: &[FactId]) -> Result<(), StoreError> {
        self.facts = visible(conn, "facts", ids.iter().map(|id| id.0))?.map(FactId).collect();
        self.older = self.replaced(conn)?;
        self.phrases = self.telling(conn)?;
        self.follow_sources(conn)?;
        for phrase in self.phrases.clone() {
            let telling = phrase.mentions(conn, MESSAGES)?;
            if !telling.is_empty() {
                self.along.names.push(phrase.written.clone());
            }
            self.messages.extend(telling.into_iter().map(MessageId));
            self.derived.extend(phrase.mentions(conn, EPISODES)?.into_iter().map(EpisodeId));
        }
        self.complete_exchanges(conn)?;
        // What nothing but these messages taught, and what tells it too.
        let also: Vec<FactId> = self.taught_only_here(conn)?;
        for id in also.into_iter().filter(|id| !self.older.contains(id)).collect::<Vec<_>>() {
            let quote = fact::quote_of(conn, id)?;
            if self.phrases.iter().any(|phrase| phrase.is_in(&quote)) {
                self.facts.insert(id);
            }
        }
        self.follow_messages(conn)
    }

    fn take_subject(&mut self, conn: &Connection, name: &str) -> Result<(), StoreError> {
        let person = fact::person(conn)?;
        let key = relation::subject_key(name, person.as_deref());
        let owned = format!("{key}'s %");
        let about: BTreeSet<i64> = ids(
            conn,
            "SELECT id FROM facts WHERE forgotten_at IS NULL AND (subject_key = :key OR (:key <> 'user' AND (value_key = :key OR subject_key LIKE :owned)))",
            named_params! { ":key": key, ":owned": owned },
        )?;
        self.facts = about.into_iter().map(FactId).collect();
        let named = Phrase::named(name).filter(|_| key != USER);
        if let Some(phrase) = &named {
            let telling = visible(conn, "facts", phrase.all(conn, FACTS)?)?;
            self.facts.extend(telling.map(FactId));
            self.derived.extend(phrase.all(conn, EPISODES)?.into_iter().map(EpisodeId));
            self.messages.extend(phrase.all(conn, MESSAGES)?.into_iter().map(MessageId));
            self.messages.extend(spoken_by(conn, phrase)?);
            self.procedures = visible(conn, "procedures", phrase.all(conn, PROCEDURES)?)?.map(ProcedureId).collect();
            self.along.names.push(phrase.written.clone());
        }
        self.older = self.replaced(conn)?;
        self.phrases = named.into_iter().collect();
        self.follow_sources(conn)?;
        self.complete_exchanges(conn)?;
        self.follow_messages(conn)
    }

    fn take_episodes(&mut self, conn: &Connection, wanted: &[EpisodeId]) -> Result<(), StoreError> {
        self.episodes = visible(conn, "episodes", wanted.iter().map(|id| id.0))?.map(EpisodeId).collect();
        for id in &self.episodes {
            self.messages.extend(
                ids(
                    conn,
                    "SELECT source_message_id AS id FROM episodes WHERE id = ?1 AND source_message_id IS NOT NULL",
                    [id],
                )?
                .into_iter()
                .map(MessageId),
            );
        }
        self.complete_exchanges(conn)
    }

    fn take_conversation(&mut self, conn: &Connection, id: ConversationId) -> Result<(), StoreError> {
        self.messages =
            ids(conn, "SELECT id FROM messages WHERE conversation_id = ?1", [id])?.into_iter().map(MessageId).collect();
        self.facts = self.taught_only_here(conn)?.into_iter().collect();
        self.phrases = self.telling(conn)?;
        self.derived =
            ids(conn, "SELECT id FROM episodes WHERE conversation_id = ?1", [id])?.into_iter().map(EpisodeId).collect();
        self.retain_there(conn)
    }

    fn take_messages(&mut self, conn: &Connection, wanted: &[MessageId]) -> Result<(), StoreError> {
        self.messages = wanted.iter().copied().collect();
        self.complete_exchanges(conn)?;
        self.facts = self.taught_only_here(conn)?.into_iter().collect();
        self.phrases = self.telling(conn)?;
        self.follow_messages(conn)
    }

    fn take_everything(&mut self, conn: &Connection) -> Result<(), StoreError> {
        let all = |table: &str| ids(conn, &format!("SELECT id FROM {table} WHERE forgotten_at IS NULL"), []);
        self.facts = all("facts")?.into_iter().map(FactId).collect();
        self.episodes = all("episodes")?.into_iter().map(EpisodeId).collect();
        self.procedures = all("procedures")?.into_iter().map(ProcedureId).collect();
        self.messages = all("messages")?.into_iter().map(MessageId).collect();
        self.along = Along::everything(conn)?;
        self.retain_there(conn)
    }

    /// All that the facts replaced, directly or not.
    fn replaced(&self, conn: &Connection) -> Result<BTreeSet<FactId>, StoreError> {
        let mut older = BTreeSet::new();
        for id in &self.facts {
            older.extend(super::forget::replaced_by(conn, *id)?);
        }
        Ok(older)
    }

    fn telling(&self, conn: &Connection) -> Result<Vec<Phrase>, StoreError> {
        let mut statement = conn.prepare_cached("SELECT subject, relation, value FROM facts WHERE id = :id")?;
        let (mut phrases, mut seen) = (Vec::new(), HashSet::new());
        for id in self.facts.iter().chain(&self.older) {
            let draft = statement.query_row(named_params! { ":id": id }, |row| {
                Ok(FactDraft { subject: row.get("subject")?, relation: row.get("relation")?, value: row.get("value")? })
            })?;
            phrases.extend(Phrase::of_fact(&draft).into_iter().filter(|phrase| seen.insert(phrase.clone())));
        }
        Ok(phrases)
    }

    /// The messages that the facts came from.
    fn follow_sources(&mut self, conn: &Connection) -> Result<(), StoreError> {
        for id in self.facts.iter().chain(&self.older) {
            let sources = ids(
                conn,
                "SELECT message_id AS id FROM fact_sources WHERE fact_id = :id
                 UNION SELECT source_message_id FROM facts WHERE id = :id AND source_message_id IS NOT NULL",
                named_params! { ":id": id },
            )?;
            self.messages.extend(sources.into_iter().map(MessageId));
        }
        Ok(())
    }

    /// Answers to the messages, and earlier versions of all.
    fn complete_exchanges(&mut self, conn: &Connection) -> Result<(), StoreError> {
        let mut open: Vec<MessageId> = self.messages.iter().copied().collect();
        while let Some(id) = open.pop() {
            let more = ids(
                conn,
                "SELECT answer_id AS id FROM turns WHERE message_id = :id AND answer_id IS NOT NULL
                 UNION SELECT id FROM messages WHERE replaced_by = :id",
                named_params! { ":id": id },
            )?;
            open.extend(more.into_iter().map(MessageId).filter(|id| self.messages.insert(*id)));
        }
        self.retain_there(conn)
    }

    /// Facts that no message outside supports. What was entered by hand has none and is not meant.
    fn taught_only_here(&self, conn: &Connection) -> Result<Vec<FactId>, StoreError> {
        let mut taught = BTreeSet::new();
        for message in &self.messages {
            taught.extend(ids(conn, "SELECT fact_id AS id FROM fact_sources WHERE message_id = ?1", [message])?);
        }
        let mut only = Vec::new();
        for id in visible(conn, "facts", taught)? {
            let sources = ids(conn, "SELECT message_id AS id FROM fact_sources WHERE fact_id = ?1", [id])?;
            if sources.into_iter().all(|message| self.messages.contains(&MessageId(message))) {
                only.push(FactId(id));
            }
        }
        Ok(only)
    }

    /// The notes of the messages, and the summaries made of them.
    fn follow_messages(&mut self, conn: &Connection) -> Result<(), StoreError> {
        for id in &self.messages {
            let made = ids(
                conn,
                "SELECT id FROM episodes WHERE source_message_id = :id
                 UNION SELECT e.id FROM messages m JOIN episodes e ON e.conversation_id = m.conversation_id AND e.kind = 'summary' WHERE m.id = :id",
                named_params! { ":id": id },
            )?;
            self.derived.extend(made.into_iter().map(EpisodeId));
        }
        self.retain_there(conn)
    }

    fn retain_there(&mut self, conn: &Connection) -> Result<(), StoreError> {
        self.derived = visible(conn, "episodes", self.derived.iter().map(|id| id.0))?.map(EpisodeId).collect();
        let mut is_there = conn.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?1 AND forgotten_at IS NULL AND state <> 'forgotten')",
        )?;
        let mut kept = BTreeSet::new();
        for id in &self.messages {
            if is_there.query_row([id], |row| row.get(0))? {
                kept.insert(*id);
            }
        }
        self.messages = kept;
        Ok(())
    }
}

/// What somebody of this name said, in a transcript that was imported.
fn spoken_by(conn: &Connection, name: &Phrase) -> Result<Vec<MessageId>, StoreError> {
    let mut statement = conn.prepare_cached("SELECT id, speaker FROM messages WHERE speaker IS NOT NULL")?;
    let mut rows = statement.query([])?;
    let mut said = Vec::new();
    while let Some(row) = rows.next()? {
        if name.is_in(&row.get::<_, String>("speaker")?) {
            said.push(row.get("id")?);
        }
    }
    Ok(said)
}

fn ids(conn: &Connection, sql: &str, params: impl Params) -> Result<BTreeSet<i64>, StoreError> {
    let ids = conn.prepare_cached(sql)?.query_map(params, |row| row.get("id"))?.collect::<Result<_, _>>()?;
    Ok(ids)
}

/// The rows that are there and not hidden.
fn visible(
    conn: &Connection,
    table: &str,
    ids: impl IntoIterator<Item = i64>,
) -> Result<std::collections::btree_set::IntoIter<i64>, StoreError> {
    let mut statement =
        conn.prepare_cached(&format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE id = ?1 AND forgotten_at IS NULL)"))?;
    let mut visible = BTreeSet::new();
    for id in ids {
        if statement.query_row([id], |row| row.get(0))? {
            visible.insert(id);
        }
    }
    Ok(visible.into_iter())
}
