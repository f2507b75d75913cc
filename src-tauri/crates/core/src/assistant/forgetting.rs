//! Forgetting, as people see it: a preview, the forget with its time for an undo, the purge and its receipt.

use std::sync::Arc;

use super::view::AppEvent;
use super::{Assistant, Error};
use crate::memory::forgetting::preview::{self, ForgetPreview};
use crate::memory::forgetting::purge::{self, Purged};
use crate::memory::forgetting::receipt::{self, ErasureReceipt};
use crate::memory::forgetting::{ForgetMessages, ForgetTarget, forget};
use crate::memory::history::change::MemoryChange;
use crate::store::StoreError;
use crate::store::id::{EpisodeId, FactId, ProcedureId};

impl Assistant {
    /// What a forget would take.
    pub async fn forget_preview(&self, target: ForgetTarget) -> Result<ForgetPreview, Error> {
        Ok(self.store.read(move |conn| preview::preview(conn, &target)).await?)
    }

    /// Forgets: hidden at once, erased when the time for an undo is over. [`AppEvent::Erased`] tells of that.
    pub async fn forget(
        self: &Arc<Self>,
        target: ForgetTarget,
        messages: ForgetMessages,
    ) -> Result<Vec<MemoryChange>, Error> {
        if messages == ForgetMessages::Forget {
            // An answer that is still arriving may have it in its prompt, and would tell it after all was erased.
            self.running.stop_all().await;
        }
        let stillness = self.mind.be_still().await;
        let now = self.clock.now();
        let changes = self.store.write(move |tx| forget::forget(tx, &target, messages, None, now)).await?;
        drop(stillness);
        // What is owed still is done afterwards.
        self.mind.wake();
        self.purge_later();
        self.tell_memory_changed(changes.clone());
        if messages == ForgetMessages::Forget {
            self.tell(AppEvent::ConversationsChanged);
        }
        Ok(changes)
    }

    /// Forgets facts; the messages that they came from stay, and recall passes them by.
    pub async fn forget_facts(self: &Arc<Self>, ids: Vec<FactId>) -> Result<Vec<MemoryChange>, Error> {
        self.forget(ForgetTarget::Facts { ids }, ForgetMessages::Keep).await
    }

    /// Forgets episodes, in the same way.
    pub async fn forget_episodes(self: &Arc<Self>, ids: Vec<EpisodeId>) -> Result<Vec<MemoryChange>, Error> {
        self.forget(ForgetTarget::Episodes { ids }, ForgetMessages::Keep).await
    }

    /// Forgets procedures, in the same way.
    pub async fn forget_procedures(self: &Arc<Self>, ids: Vec<ProcedureId>) -> Result<Vec<MemoryChange>, Error> {
        self.forget(ForgetTarget::Procedures { ids }, ForgetMessages::Keep).await
    }

    /// What was erased so far, the newest first: kinds and numbers, never the text.
    pub async fn receipts(&self) -> Result<Vec<ErasureReceipt>, Error> {
        Ok(self.store.read(receipt::list).await?)
    }

    /// Erases what was forgotten and whose time for an undo is over.
    pub(super) async fn purge_forgotten(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let purged = self.store.write(move |tx| purge::due(tx, now)).await?;
        if !purged.receipts.is_empty() {
            self.erased(purged).await;
        }
        Ok(())
    }

    /// Purges when the time for an undo is over.
    pub(super) fn purge_later(self: &Arc<Self>) {
        let (assistant, clock) = (Arc::downgrade(self), self.clock.clone());
        tokio::spawn(async move {
            clock.sleep(forget::undo_window()).await;
            if let Some(assistant) = assistant.upgrade() {
                // What cannot be purged now is purged at the next start.
                let _ = assistant.purge_forgotten().await;
            }
        });
    }

    /// After a purge: the files hold nothing of it either, and everybody hears of it.
    pub(super) async fn erased(&self, purged: Purged) {
        let Purged { receipts, traces, many } = purged;
        // What cannot be swept now is swept at the next start.
        let _ = self.take_out_of_mirrors(&traces, many).await;
        let _ = self.sweep_files(traces, many).await;
        for receipt in receipts {
            self.tell(AppEvent::Erased { receipt });
        }
        // What offered an undo offers none any more.
        self.tell_memory_changed(Vec::new());
        self.tell(AppEvent::ConversationsChanged);
    }

    /// What the last run erased and could not sweep any more.
    pub(super) async fn sweep_what_is_owed(&self) -> Result<(), StoreError> {
        if self.store.read(receipt::is_unswept).await? {
            self.sweep_files(Vec::new(), true).await?;
        }
        Ok(())
    }

    /// Takes the traces of what was erased out of the write-ahead log, free pages and backups. A file that is quickly written
    /// anew is; a large one where any is left in it, or nobody knows.
    pub(super) async fn sweep_files(&self, traces: Vec<String>, rewrite: bool) -> Result<(), StoreError> {
        self.store.truncate_log().await?;
        if rewrite || self.store.is_small().await? || self.file_holds(traces).await? {
            self.store.compact().await?;
        }
        self.store.renew_backups(self.clock.now()).await?;
        self.store.write(receipt::mark_swept).await
    }

    async fn file_holds(&self, traces: Vec<String>) -> Result<bool, StoreError> {
        let gone = self.store.read(move |conn| purge::gone(conn, traces)).await?;
        self.store.file_holds(gone).await
    }

    /// Takes deleted text out of the write-ahead log. Where a reader is in the way the next sweep does it.
    pub(super) async fn sweep(&self) {
        // A fault of the file shows itself at the next read or write too.
        let _ = self.store.truncate_log().await;
    }
}
