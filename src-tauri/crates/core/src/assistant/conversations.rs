//! Conversations: list, open, rename, delete, drafts.

use std::collections::HashMap;

use super::view::{AppEvent, ConversationView, Learned, MessageView};
use super::{Assistant, Error};
use crate::memory::conversation::{self, Conversation, Message, Role};
use crate::memory::forgetting::forget;
use crate::memory::forgetting::purge::{MOST_TRACES, Purged};
use crate::memory::history::change::{self, MemoryChange};
use crate::store::StoreError;
use crate::store::id::{ConversationId, MessageId};
use crate::turn::record;

impl Assistant {
    /// The conversations, the newest first; with words to look for, those that hold them.
    pub async fn conversations(&self, search: &str) -> Result<Vec<Conversation>, Error> {
        let search = search.trim().to_owned();
        let found = self.store.read(move |conn| match search.as_str() {
            "" => conversation::list(conn),
            words => conversation::search(conn, words),
        });
        Ok(found.await?)
    }

    /// A conversation, opened.
    pub async fn conversation(&self, id: ConversationId) -> Result<ConversationView, Error> {
        let running = self.running.turn_in(id);
        let store = self.store_of(id)?;
        let view = store.read(move |conn| {
            let mut turns = record::latest(conn, id)?;
            let mut used = record::used_in(conn, id)?;
            let edited = conversation::edited(conn, id)?;
            let mut changes = changes_by_message(change::of_conversation(conn, id)?);
            let view_of = |message: Message| {
                let turn = turns.remove(&message.id).filter(|_| message.role == Role::User);
                let (healing, failure) = turn.map(|turn| (turn.healing, turn.failure)).unwrap_or_default();
                MessageView {
                    used: used.remove(&message.id).unwrap_or_default(),
                    edited: edited.contains(&message.id),
                    changes: changes.remove(&message.id).unwrap_or_default(),
                    healing,
                    failure,
                    message,
                }
            };
            let messages = conversation::messages(conn, id)?.into_iter().map(view_of).collect();
            Ok(ConversationView { conversation: conversation::get(conn, id)?, messages, running })
        });
        Ok(view.await?)
    }

    /// Gives a conversation a title; an empty one gives the title back to its first message.
    pub async fn rename_conversation(&self, id: ConversationId, title: &str) -> Result<(), Error> {
        let title = title.to_owned();
        self.store_of(id)?.write(move |tx| conversation::rename(tx, id, &title)).await?;
        self.tell(AppEvent::ConversationsChanged);
        Ok(())
    }

    /// Deletes a conversation, and what only it taught where the person wants that too. The text is gone from the disk
    /// when this returns.
    pub async fn delete_conversation(&self, id: ConversationId, learned: Learned) -> Result<(), Error> {
        if id.is_temporary() {
            self.end_one(id).await;
            return Ok(());
        }
        self.running.stop_in(id).await;
        let stillness = self.mind.be_still().await;
        let now = self.clock.now();
        let gone = self
            .store
            .write(move |tx| {
                conversation::get(tx, id)?;
                if learned == Learned::Keep {
                    let texts = conversation::messages(tx, id)?.into_iter().map(|message| message.text).collect();
                    conversation::delete(tx, id)?;
                    return Ok(Gone::Messages(texts));
                }
                let purged = forget::erase_learned_from(tx, id, now)?;
                match conversation::delete(tx, id) {
                    // With its last message it went already.
                    Ok(()) | Err(StoreError::Missing(_)) => Ok(Gone::Learned(purged)),
                    Err(error) => Err(error),
                }
            })
            .await?;
        drop(stillness);
        self.mind.wake();
        match gone {
            Gone::Learned(purged) => self.erased(purged).await,
            // What cannot be swept now is swept with the next forget.
            Gone::Messages(texts) => {
                let many = texts.len() > MOST_TRACES;
                drop(self.sweep_files(texts, many).await);
            }
        }
        self.tell(AppEvent::ConversationsChanged);
        Ok(())
    }

    /// What was typed and not yet sent; nothing of a temporary conversation is kept.
    pub async fn draft(&self, id: Option<ConversationId>) -> Result<String, Error> {
        if id.is_some_and(ConversationId::is_temporary) {
            return Ok(String::new());
        }
        Ok(self.store.read(move |conn| conversation::draft(conn, id)).await?)
    }

    /// Keeps what was typed, unless it was in a temporary conversation.
    pub async fn save_draft(&self, id: Option<ConversationId>, text: &str) -> Result<(), Error> {
        if id.is_some_and(ConversationId::is_temporary) {
            return Ok(());
        }
        let text = text.to_owned();
        Ok(self.store.write(move |tx| conversation::save_draft(tx, id, &text)).await?)
    }
}

/// What went with a conversation.
enum Gone {
    /// Its messages, with these texts.
    Messages(Vec<String>),
    /// What it taught too.
    Learned(Purged),
}

fn changes_by_message(changes: Vec<MemoryChange>) -> HashMap<MessageId, Vec<MemoryChange>> {
    let mut by_message: HashMap<MessageId, Vec<MemoryChange>> = HashMap::new();
    for change in changes {
        if let Some(message) = change.message {
            by_message.entry(message).or_default().push(change);
        }
    }
    by_message
}
