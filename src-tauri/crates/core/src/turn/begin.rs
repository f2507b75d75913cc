//! The first step of a turn: the person's message on disk, before anything else can fail.

use chrono::{DateTime, FixedOffset, Utc};
use rusqlite::Transaction;

use super::record;
use crate::memory::conversation::{self, Message, MessageState, NewMessage, Role};
use crate::memory::history::change::MemoryChange;
use crate::memory::writing::lost;
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId, SpecVersion, TurnId};

/// A turn that has begun.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// Which.
    pub turn: TurnId,
    /// The person's message.
    pub message: Message,
    /// The answer that a token limit cut and that this turn goes on with.
    pub continues: Option<Message>,
}

/// Stores a new message, in a new conversation where none is given, and drops the draft that it was.
pub fn begin(
    tx: &Transaction<'_>,
    conversation: Option<ConversationId>,
    text: &str,
    spec: SpecVersion,
    now: DateTime<FixedOffset>,
) -> Result<Begun, StoreError> {
    let (zone, now) = (*now.offset(), now.to_utc());
    conversation::save_draft(tx, conversation, "")?;
    let conversation = match conversation {
        Some(id) => id,
        None => conversation::begin(tx, now)?,
    };
    let new = NewMessage {
        conversation,
        turn: None,
        role: Role::User,
        text: text.to_owned(),
        state: MessageState::Complete,
        model: None,
        speaker: None,
    };
    let id = conversation::add_message(tx, &new, now)?;
    conversation::set_zone(tx, id, zone)?;
    let turn = record::begin(tx, conversation, id, spec, now)?;
    Ok(Begun { turn, message: conversation::message(tx, id)?, continues: None })
}

/// Puts another text in the place of one of the person's messages, and begins anew from there: the message and all that came
/// after it is kept as versions, and what only the lost text supported is no longer believed. What changed in memory.
///
/// Errors: [`StoreError::Missing`] where it is no message of the person's that stands.
pub fn begin_edited(
    tx: &Transaction<'_>,
    message: MessageId,
    text: &str,
    spec: SpecVersion,
    now: DateTime<FixedOffset>,
) -> Result<(Begun, Vec<MemoryChange>), StoreError> {
    let (zone, now) = (*now.offset(), now.to_utc());
    let old = conversation::message(tx, message)?;
    let stands = conversation::messages(tx, old.conversation)?.iter().any(|standing| standing.id == message);
    if old.role != Role::User || !stands {
        return Err(StoreError::Missing("message"));
    }
    let new = NewMessage {
        conversation: old.conversation,
        turn: None,
        role: Role::User,
        text: text.to_owned(),
        state: MessageState::Complete,
        model: None,
        speaker: None,
    };
    let id = conversation::add_message(tx, &new, now)?;
    conversation::set_zone(tx, id, zone)?;
    conversation::replace_from(tx, message, id)?;
    record::settle_replaced(tx, id)?;
    let changes = lost::retire_unsupported(tx, id, now)?;
    let turn = record::begin(tx, old.conversation, id, spec, now)?;
    Ok((Begun { turn, message: conversation::message(tx, id)?, continues: None }, changes))
}

/// Asks again for an answer to the last message of its conversation, or goes on with an answer that was cut.
///
/// Errors: [`StoreError::Missing`] where the message is not the person's last one.
pub fn begin_again(
    tx: &Transaction<'_>,
    message: MessageId,
    spec: SpecVersion,
    now: DateTime<Utc>,
) -> Result<Begun, StoreError> {
    let message = conversation::message(tx, message)?;
    let all = conversation::messages(tx, message.conversation)?;
    let last =
        all.iter().rfind(|candidate| candidate.role == Role::User).filter(|last| last.state != MessageState::Forgotten);
    if last.map(|last| last.id) != Some(message.id) {
        return Err(StoreError::Missing("latest message"));
    }
    let continues = all.into_iter().rfind(|answer| answer.id > message.id && answer.state == MessageState::CutByLimit);
    let turn = record::begin(tx, message.conversation, message.id, spec, now)?;
    Ok(Begun { turn, message, continues })
}
