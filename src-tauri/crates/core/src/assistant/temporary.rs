//! Temporary conversations: each in a store of its own that touches no disk. It reads no memory and writes none, has no draft
//! and no title in the list, and is gone when it ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::turns::Asks;
use super::view::TurnHandle;
use super::{Assistant, Error};
use crate::memory::conversation;
use crate::store::id::{ConversationId, MessageId};
use crate::store::{Store, StoreError};
use crate::turn::begin;
use crate::turn::event::TurnEvent;

/// The temporary conversations that are going on.
#[derive(Default)]
pub(super) struct Temporary {
    stores: Mutex<HashMap<ConversationId, Store>>,
}

impl Temporary {
    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Store>> {
        self.stores.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Assistant {
    /// Sends a message that is stored nowhere, in a new temporary conversation where none is given.
    pub async fn send_temporary(
        self: &Arc<Self>,
        conversation: Option<ConversationId>,
        text: &str,
        events: mpsc::Sender<TurnEvent>,
    ) -> Result<TurnHandle, Error> {
        match conversation {
            Some(id) if id.is_temporary() => return self.send(conversation, text, events).await,
            Some(_) => return Err(Error::NotTemporary),
            None => {}
        }
        super::turns::fits(text)?;
        self.drop_draft_of_new().await?;
        let store = Store::in_memory().await?;
        let (text, version, now) = (text.to_owned(), self.behavior_in_force().version, self.clock.local_now());
        let begun = store.write(move |tx| begin::begin(tx, None, &text, version, now)).await?;
        let id = begun.message.conversation;
        let reserved = self.running.reserve(id).ok_or(Error::TurnRunning)?;
        self.temporary.lock().insert(id, store.clone());
        Ok(self.start(begun, reserved, Asks { events, first: None }, store))
    }

    /// Ends the temporary conversations: what was said in them is gone.
    pub async fn end_temporary(&self) {
        let ids: Vec<ConversationId> = self.temporary.lock().keys().copied().collect();
        for id in ids {
            self.end_one(id).await;
        }
    }

    pub(super) async fn end_one(&self, id: ConversationId) {
        self.running.stop_in(id).await;
        self.temporary.lock().remove(&id);
    }

    /// Where a conversation is kept.
    pub(super) fn store_of(&self, id: ConversationId) -> Result<Store, StoreError> {
        if !id.is_temporary() {
            return Ok(self.store.clone());
        }
        self.temporary.lock().get(&id).cloned().ok_or(StoreError::Missing("conversation"))
    }

    /// Where a message is kept.
    pub(super) async fn store_of_message(&self, id: MessageId) -> Result<Store, StoreError> {
        if !id.is_temporary() {
            return Ok(self.store.clone());
        }
        let stores: Vec<Store> = self.temporary.lock().values().cloned().collect();
        for store in stores {
            if store.read(move |conn| conversation::message(conn, id)).await.is_ok() {
                return Ok(store);
            }
        }
        Err(StoreError::Missing("message"))
    }

    /// What was typed before the person chose that nothing of it is stored.
    async fn drop_draft_of_new(&self) -> Result<(), StoreError> {
        if !self.store.read(|conn| conversation::draft(conn, None)).await?.is_empty() {
            self.store.write(|tx| conversation::save_draft(tx, None, "")).await?;
            self.sweep().await;
        }
        Ok(())
    }
}
