//! The kinds of memory that recall knows. Passages are ranked alike; a kind says how its memories are told, what else speaks for
//! them, and what leads to them beside their words. Another kind joins by implementing one trait and standing in [`KINDS`].

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use rusqlite::Connection;

use super::{Room, Setting};
use crate::memory::conversation::{self, Role};
use crate::memory::fact::Origin;
use crate::memory::history::change::MemoryRef;
use crate::memory::index::passage::{self, Asks, Owner, OwnerKind, PassageId};
use crate::memory::index::terms;
use crate::memory::recall::candidates::{self, FactRow};
use crate::memory::recall::features::ReasonName;
use crate::memory::recall::lexical::Lexical;
use crate::memory::recall::weights::judged;
use crate::memory::{episode, procedure};
use crate::store::StoreError;
use crate::store::id::{ConversationId, EpisodeId, FactId, MessageId, ProcedureId};
use crate::text;

/// A memory, told.
#[derive(Debug, Clone)]
pub(in crate::memory) struct Told {
    /// Which.
    pub memory: MemoryRef,
    /// As one sentence.
    pub sentence: String,
    /// For a fact: where it came from.
    pub origin: Option<Origin>,
    /// When it was learned, said, or happened.
    pub at: DateTime<Utc>,
    /// The conversation that it stands in or came from.
    pub conversation: Option<ConversationId>,
    /// Who said it, where it was said.
    pub speaker: Option<String>,
    /// The messages that it came from.
    pub sources: Vec<MessageId>,
    /// What else speaks for it and against it.
    pub judged: Vec<(ReasonName, f32)>,
}

/// A kind of memory.
pub(in crate::memory) trait Kind: Sync {
    /// Which.
    fn kind(&self) -> OwnerKind;

    /// Passages to which others lead, with the terms of the question that lead there.
    fn led_to(&self, _conn: &Connection, _lexical: &Lexical) -> Result<Vec<(PassageId, u32)>, StoreError> {
        Ok(Vec::new())
    }

    /// Memories that are always told.
    fn always(&self, _conn: &Connection, _setting: &Setting<'_>) -> Result<Vec<Told>, StoreError> {
        Ok(Vec::new())
    }

    /// Memories as they are told, by number; each with the part of it that was found. What is gone is left out.
    fn tell(
        &self,
        conn: &Connection,
        setting: &Setting<'_>,
        wanted: &[(i64, u32)],
    ) -> Result<HashMap<i64, Told>, StoreError>;
}

/// All kinds.
pub(in crate::memory) const KINDS: [&dyn Kind; 4] = [&Messages, &Facts, &Episodes, &Procedures];

/// More words than these tell something, also in a question.
const MOST_THAT_ONLY_ASK: usize = 12;

/// Whether a text does nothing but ask.
fn asks(text: &str) -> bool {
    terms::count(text) <= MOST_THAT_ONLY_ASK
        && text::sentences(text).into_iter().all(|sentence| Asks::of(sentence) == Asks::AtTheEnd)
}

struct Messages;

impl Kind for Messages {
    fn kind(&self) -> OwnerKind {
        OwnerKind::Message
    }

    fn tell(
        &self,
        conn: &Connection,
        setting: &Setting<'_>,
        wanted: &[(i64, u32)],
    ) -> Result<HashMap<i64, Told>, StoreError> {
        let mut told = HashMap::with_capacity(wanted.len());
        for (id, part) in wanted {
            let Some(message) = conversation::told(conn, MessageId(*id))? else { continue };
            let mut judged = vec![(ReasonName::Recency, setting.recency(message.at))];
            if message.role == Role::User && message.speaker.is_none() && asks(&message.text) {
                judged.push((ReasonName::Form, judged::ASKED));
            }
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
            };
            let speaker = message.speaker.unwrap_or_else(|| role.to_owned());
            let text = passage::parts(&message.text).nth(*part as usize).unwrap_or(&message.text).to_owned();
            told.insert(
                *id,
                Told {
                    memory: MemoryRef::Message(MessageId(*id)),
                    sentence: text,
                    origin: None,
                    at: message.at,
                    conversation: Some(message.conversation),
                    speaker: Some(speaker),
                    sources: Vec::new(),
                    judged,
                },
            );
        }
        Ok(told)
    }
}

struct Facts;

/// Facts that are asked whom they introduce.
const MOST_INTRODUCING: usize = 32;

impl Facts {
    fn told(conn: &Connection, setting: &Setting<'_>, row: &FactRow) -> Result<Told, StoreError> {
        let mut judged = vec![
            (ReasonName::Kind, judged::FACT + judged::CONFIDENT * row.confidence as f32),
            (ReasonName::Recency, setting.recency(row.said_at)),
        ];
        if setting.question.is_about_you && row.is_about_user {
            judged.push((ReasonName::AboutYou, judged::ABOUT_YOU));
        }
        if row.is_pinned {
            judged.push((ReasonName::Pin, judged::PINNED));
        }
        Ok(Told {
            memory: MemoryRef::Fact(row.id),
            sentence: setting.told_fact(conn, row)?,
            origin: Some(row.origin),
            at: row.said_at,
            conversation: None,
            speaker: None,
            sources: candidates::sources(conn, row.id)?,
            judged,
        })
    }
}

impl Kind for Facts {
    fn kind(&self) -> OwnerKind {
        OwnerKind::Fact
    }

    /// "Mara is your sister" lets "sister" lead to all that is known of Mara.
    fn led_to(&self, conn: &Connection, lexical: &Lexical) -> Result<Vec<(PassageId, u32)>, StoreError> {
        let (first, last) = OwnerKind::Fact.range();
        let mut hits: Vec<(PassageId, u32)> =
            lexical.hits.iter().filter(|(id, _)| (first..=last).contains(id)).copied().collect();
        hits.sort_unstable_by(|a, b| lexical.share(b.1).total_cmp(&lexical.share(a.1)).then(b.0.cmp(&a.0)));
        hits.truncate(MOST_INTRODUCING);
        let ids: Vec<PassageId> = hits.iter().map(|(id, _)| *id).collect();
        let owners = passage::by_ids(conn, &ids)?;
        let facts: Vec<(FactId, u32)> =
            owners.iter().map(|found| (FactId(found.owner.id), lexical.held(found.id))).collect();
        let mut led = Vec::new();
        for (fact, bits) in candidates::introduced(conn, &facts)? {
            let passages = passage::of(conn, Owner { kind: OwnerKind::Fact, id: fact.0 })?;
            led.extend(passages.into_iter().map(|passage| (passage.id, bits)));
        }
        Ok(led)
    }

    fn always(&self, conn: &Connection, setting: &Setting<'_>) -> Result<Vec<Told>, StoreError> {
        candidates::pinned(conn)?.iter().map(|row| Self::told(conn, setting, row)).collect()
    }

    fn tell(
        &self,
        conn: &Connection,
        setting: &Setting<'_>,
        wanted: &[(i64, u32)],
    ) -> Result<HashMap<i64, Told>, StoreError> {
        let ids: Vec<FactId> = wanted.iter().map(|(id, _)| FactId(*id)).collect();
        let rows = candidates::by_ids(conn, &ids)?;
        rows.iter().map(|row| Ok((row.id.0, Self::told(conn, setting, row)?))).collect()
    }
}

struct Episodes;

impl Kind for Episodes {
    fn kind(&self) -> OwnerKind {
        OwnerKind::Episode
    }

    fn tell(
        &self,
        conn: &Connection,
        setting: &Setting<'_>,
        wanted: &[(i64, u32)],
    ) -> Result<HashMap<i64, Told>, StoreError> {
        let ids: Vec<EpisodeId> = wanted.iter().map(|(id, _)| EpisodeId(*id)).collect();
        let told = episode::by_ids(conn, &ids)?.into_iter().map(|episode| {
            let mut judged =
                vec![(ReasonName::Kind, judged::EPISODE), (ReasonName::Recency, setting.recency(episode.at))];
            if asks(&episode.text) {
                judged.push((ReasonName::Form, judged::ASKED));
            }
            let told = Told {
                memory: MemoryRef::Episode(episode.id),
                judged,
                sentence: episode.text,
                origin: None,
                at: episode.at,
                conversation: episode.conversation,
                speaker: None,
                sources: episode.source_message.into_iter().collect(),
            };
            (episode.id.0, told)
        });
        Ok(told.collect())
    }
}

struct Procedures;

impl Kind for Procedures {
    fn kind(&self) -> OwnerKind {
        OwnerKind::Procedure
    }

    fn tell(
        &self,
        conn: &Connection,
        setting: &Setting<'_>,
        wanted: &[(i64, u32)],
    ) -> Result<HashMap<i64, Told>, StoreError> {
        // Where nothing fills the room, somebody asks for what they told; failures are no answer.
        if setting.ask.room == Room::LeaveEmpty {
            return Ok(HashMap::new());
        }
        let ids: Vec<ProcedureId> = wanted.iter().map(|(id, _)| ProcedureId(*id)).collect();
        let told = procedure::by_ids(conn, &ids, setting.ask.now.to_utc())?.into_iter().map(|procedure| {
            let told = Told {
                memory: MemoryRef::Procedure(procedure.id),
                sentence: procedure.told(),
                origin: None,
                at: procedure.last_used_at,
                conversation: None,
                speaker: None,
                sources: Vec::new(),
                judged: vec![(ReasonName::Kind, judged::PROCEDURE)],
            };
            (procedure.id.0, told)
        });
        Ok(told.collect())
    }
}
