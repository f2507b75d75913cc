//! What a file brought, on its way into memory: conversations become conversations, what people said in them and what somebody
//! wrote down becomes candidates that wait for the person. Nothing becomes a fact here, except from an export of Atlas.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::archive::{self, Restored};
use super::candidates;
use super::import::{Brought, Format, Said, Transcript};
use super::imports;
use crate::memory::conversation::{self, MessageState, NewMessage, Role};
use crate::memory::fact::{self, FactDraft, Origin};
use crate::memory::forgetting::tombstone;
use crate::memory::index;
use crate::memory::relation::{self, Key, SAID};
use crate::memory::writing::candidate::{Candidate, Refusal, Rules, Source};
use crate::memory::writing::review::{self, Doubt, Proposal};
use crate::memory::writing::{refusal, topic};
use crate::store::StoreError;
use crate::store::id::{ConversationId, ImportId};
use crate::store::time::Millis;

/// What an import would bring, or brought, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Conversations that are new, and that got longer.
    pub conversations: u32,
    /// Messages in them.
    pub messages: u32,
    /// Memories that are new.
    pub added: u32,
    /// Candidates that wait.
    pub review: u32,
    /// What was known.
    pub known: u32,
    /// What was forgotten, or is on a sealed topic.
    pub barred: u32,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Waits,
    Known,
    Refused,
}

/// What an import would bring. Nothing is written.
pub fn plan(conn: &Connection, brought: &Brought, rules: &Rules<'_>) -> Result<Tally, StoreError> {
    let mut tally = Tally::default();
    let mut wanted = Vec::new();
    for transcript in &brought.transcripts {
        let Some(new) = new_messages(conn, transcript)? else { continue };
        if new.is_empty() {
            continue;
        }
        tally.conversations += 1;
        tally.messages += new.len() as u32;
        wanted.extend(new.iter().filter(|said| said.by_person).flat_map(|said| candidates::of_message(&said.text)));
    }
    wanted.extend(brought.lines.iter().map(candidates::of_line));
    let person = fact::person(conn)?;
    let mut counted = HashSet::new();
    for Candidate { draft, .. } in wanted {
        let key = relation::key(&draft, person.as_deref());
        let known = fact::known(conn, &key)?;
        let is_known = known.iter().any(|known| relation::same_value(&key.relation, &known.value_key, &key.value));
        if is_known || is_known_in_words(conn, &draft)? || was_proposed(conn, &key)? {
            tally.known += 1;
        } else if refusal::unfit(&draft).is_some() || bars_fact(conn, &draft, &key, rules)? {
            tally.barred += 1;
        } else {
            let is_new = counted.insert((key.subject, key.relation, key.value));
            *if is_new { &mut tally.review } else { &mut tally.known } += 1;
        }
    }
    if let Some(archive) = &brought.archive {
        for conversation in &archive.conversations {
            if !archive::is_here(conn, conversation)? {
                tally.conversations += 1;
                tally.messages += conversation.messages.len() as u32;
            }
        }
        for fact in &archive.facts {
            let draft =
                FactDraft { subject: fact.subject.clone(), relation: fact.relation.clone(), value: fact.value.clone() };
            let key = relation::key(&draft, person.as_deref());
            let here = archive::same_fact(conn, &key, fact, true)?.is_some();
            *if here { &mut tally.known } else { &mut tally.added } += 1;
        }
        tally.added += (archive.episodes.len() + archive.procedures.len()) as u32;
    }
    Ok(tally)
}

/// Takes everything in. The import, where it brought anything, can be taken back whole.
pub fn take_in(
    tx: &Transaction<'_>,
    brought: &Brought,
    rules: &Rules<'_>,
) -> Result<(Tally, Option<ImportId>), StoreError> {
    let before = imports::Before::now(tx)?;
    let tally = take_all(tx, brought, rules)?;
    let import = imports::record(tx, &before, brought.format, &tally, rules.now.to_utc())?;
    Ok((tally, import))
}

fn take_all(tx: &Transaction<'_>, brought: &Brought, rules: &Rules<'_>) -> Result<Tally, StoreError> {
    let mut tally = Tally::default();
    if let Some(archive) = &brought.archive {
        let Restored { conversations, messages, added, review, known, barred } = archive::restore(tx, archive, rules)?;
        tally = Tally { conversations, messages, added, review, known, barred };
    }
    let messages = brought.transcripts.iter().map(|transcript| transcript.messages.len()).sum();
    index::together(tx, messages, || {
        let all = &mut brought.transcripts.iter();
        all.try_for_each(|transcript| take_transcript(tx, transcript, brought.format, rules, &mut tally))
    })?;
    for line in &brought.lines {
        let here = rules.now.timezone();
        let said_at = line.at.map_or(rules.now, |at| at.with_timezone(&here));
        let source = Source::of_text(&line.text, said_at);
        tally.count(propose(tx, &candidates::of_line(line), &source, &line.file, rules)?);
    }
    Ok(tally)
}

impl Tally {
    fn count(&mut self, taken: Taken) {
        match taken {
            Taken::Waits => self.review += 1,
            Taken::Known => self.known += 1,
            Taken::Refused => self.barred += 1,
        }
    }
}

fn take_transcript(
    tx: &Transaction<'_>,
    transcript: &Transcript,
    format: Format,
    rules: &Rules<'_>,
    tally: &mut Tally,
) -> Result<(), StoreError> {
    let Some(new) = new_messages(tx, transcript)? else { return Ok(()) };
    let mut wanted = Vec::new();
    for said in new {
        if is_barred(tx, &said.text)? {
            tally.barred += 1;
        } else {
            wanted.push(said);
        }
    }
    let Some(first) = wanted.first() else { return Ok(()) };
    let id = match imported(tx, transcript)?.and_then(|imported| imported.conversation) {
        Some(id) => id,
        None => begin(tx, transcript, first.at)?,
    };
    let messages = wanted.iter().map(|said| (new_message(id, said, format), said.at)).collect();
    for (said, message) in wanted.iter().zip(conversation::add_messages(tx, id, messages)?) {
        if said.by_person {
            let said_at = said.at.with_timezone(&rules.now.timezone());
            let source = Source { message: Some(message), ..Source::of_text(&said.text, said_at) };
            for candidate in candidates::of_message(&said.text) {
                tally.count(propose(tx, &candidate, &source, "", rules)?);
            }
        }
    }
    // Nothing is to be summed up: it was not talked about here.
    tx.prepare_cached("UPDATE conversations SET summed_up_at = updated_at WHERE id = ?1")?.execute([id])?;
    tx.prepare_cached(
        "INSERT INTO imported (key, conversation_id, messages, at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (key) DO UPDATE SET messages = excluded.messages, at = excluded.at",
    )?
    .execute(params![key_of(transcript), id, transcript.messages.len() as i64, Millis(rules.now.to_utc())])?;
    tally.conversations += 1;
    tally.messages += wanted.len() as u32;
    Ok(())
}

fn begin(tx: &Transaction<'_>, transcript: &Transcript, at: DateTime<Utc>) -> Result<ConversationId, StoreError> {
    let id = conversation::begin(tx, at)?;
    if let Some(title) = &transcript.title
        && !tells_forgotten(tx, title)?
    {
        conversation::rename(tx, id, title)?;
    }
    Ok(id)
}

fn new_message(conversation: ConversationId, said: &Said, format: Format) -> NewMessage {
    let program = format.title().trim_end_matches(" export").to_owned();
    NewMessage {
        conversation,
        turn: None,
        role: if said.by_person { Role::User } else { Role::Assistant },
        text: said.text.clone(),
        state: MessageState::Complete,
        model: (!said.by_person).then(|| (said.model.clone().unwrap_or_else(|| program.clone()), program)),
        speaker: None,
    }
}

/// What is known of an earlier import.
struct Imported {
    conversation: Option<ConversationId>,
    messages: usize,
}

fn imported(conn: &Connection, transcript: &Transcript) -> Result<Option<Imported>, StoreError> {
    let found = conn
        .prepare_cached("SELECT conversation_id, messages FROM imported WHERE key = ?1")?
        .query_row([key_of(transcript)], |row| {
            let messages: u32 = row.get("messages")?;
            Ok(Imported { conversation: row.get("conversation_id")?, messages: messages as usize })
        })
        .optional()?;
    Ok(found)
}

/// The messages that were not there at an earlier import; `None` where the conversation was deleted since.
fn new_messages<'a>(conn: &Connection, transcript: &'a Transcript) -> Result<Option<&'a [Said]>, StoreError> {
    Ok(match imported(conn, transcript)? {
        None => Some(&transcript.messages),
        Some(Imported { conversation: None, .. }) => None,
        Some(Imported { messages, .. }) => Some(transcript.messages.get(messages..).unwrap_or_default()),
    })
}

/// A conversation of another program, as a name that tells nothing.
fn key_of(transcript: &Transcript) -> String {
    blake3::hash(transcript.key.as_bytes()).to_hex().to_string()
}

/// Whether a candidate waits, or was sent away.
fn was_proposed(conn: &Connection, key: &Key) -> Result<bool, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT 1 FROM review WHERE subject_key = ?1 AND relation_key = ?2 AND value_key = ?3 AND state IN ('waiting', 'dismissed')",
    )?;
    Ok(statement.exists(params![key.subject, key.relation, key.value])?)
}

/// Whether words without a structure are known word for word, whatever structure stands over them.
fn is_known_in_words(conn: &Connection, draft: &FactDraft) -> Result<bool, StoreError> {
    Ok(draft.relation == SAID && !fact::with_quote(conn, &draft.value)?.is_empty())
}

/// Lets a candidate wait for the person.
pub(super) fn propose(
    tx: &Transaction<'_>,
    candidate: &Candidate,
    source: &Source<'_>,
    title: &str,
    rules: &Rules<'_>,
) -> Result<Taken, StoreError> {
    let key = relation::key(&candidate.draft, fact::person(tx)?.as_deref());
    if was_proposed(tx, &key)? || is_known_in_words(tx, &candidate.draft)? {
        return Ok(Taken::Known);
    }
    if bars_fact(tx, &candidate.draft, &key, rules)? {
        return Ok(Taken::Refused);
    }
    let title = Some(title).filter(|title| !title.is_empty());
    Ok(match review::propose(tx, candidate, source, rules, Doubt::Imported, title)? {
        Proposal::Waits => Taken::Waits,
        Proposal::Known | Proposal::Refused(Refusal::Dismissed) => Taken::Known,
        Proposal::Refused(_) => Taken::Refused,
    })
}

/// Whether a text was forgotten here.
pub(super) fn is_barred(conn: &Connection, text: &str) -> Result<bool, StoreError> {
    tombstone::bars_text(conn, text)
}

/// Whether a title or a note tells what was forgotten here.
pub(super) fn tells_forgotten(conn: &Connection, text: &str) -> Result<bool, StoreError> {
    Ok(is_barred(conn, text)? || tombstone::tells_forgotten(conn, text, "")?)
}

/// Whether a fact was forgotten here, or is on a topic that the person sealed.
pub(super) fn bars_fact(
    conn: &Connection,
    draft: &FactDraft,
    key: &Key,
    rules: &Rules<'_>,
) -> Result<bool, StoreError> {
    let source = Source::of_text("", rules.now);
    // Whoever said it then: what was forgotten since is not brought back by a file.
    let words = format!("{} | {}", draft.subject, draft.value);
    Ok(is_sealed(draft, rules)
        || tombstone::bars(conn, key, Origin::Imported, &source)?
        || tombstone::bars_text(conn, &words)?)
}

fn is_sealed(draft: &FactDraft, rules: &Rules<'_>) -> bool {
    topic::touches(&format!("{} {} {}", draft.subject, draft.relation, draft.value), rules.sealed)
}

#[cfg(test)]
mod tests;
