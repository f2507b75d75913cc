//! MEMORY.md and USER.md in the agent's folder: written when a conversation or the session ends, and never over what somebody
//! changed in them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::transfer::{beside, write_whole};
use super::view::{ImportReport, MemoryFileEdits};
use super::{Assistant, Error};
use crate::memory::forgetting::purge;
use crate::memory::history::change::ChangeKind;
use crate::memory::transfer::archive;
use crate::memory::transfer::mirror::{self, Edits, FILES, Known, Written};
use crate::store::StoreError;
use crate::store::id::ConversationId;

/// How long changes are collected before the memory files are written anew.
const SOON: Duration = Duration::from_secs(2);

const MEMORY_FILES: &str = "the memory files (MEMORY.md, USER.md)";

/// Who writes the memory files, and who will.
#[derive(Default)]
pub(super) struct Mirrors {
    /// Held while they are written: the place beside a file has room for one.
    writing: tokio::sync::Mutex<()>,
    /// They are about to be written.
    waits: AtomicBool,
}

impl Assistant {
    /// What somebody changed in the memory files outside Atlas; `None` where they are as Atlas left them.
    pub async fn memory_file_edits(&self) -> Result<Option<MemoryFileEdits>, Error> {
        Ok(self.edits().await?.view())
    }

    /// Takes the edits of the memory files over: new lines as said by hand, lines that are gone as forgotten.
    pub async fn accept_memory_file_edits(self: &Arc<Self>) -> Result<ImportReport, Error> {
        let (edits, rules) = (self.edits().await?, self.owned_rules());
        let changes = self.store.write(move |tx| rules.with(|rules| edits.accept(tx, rules))).await?;
        let forgotten = changes.iter().any(|change| change.kind == ChangeKind::Forgotten);
        let added = changes.len() as u32;
        self.tell_memory_changed(changes);
        if forgotten {
            self.purge_later();
        }
        self.write_mirrors(true).await?;
        Ok(ImportReport { added, ..ImportReport::default() })
    }

    /// Writes the memory files anew, over what was changed in them.
    pub async fn dismiss_memory_file_edits(&self) -> Result<(), Error> {
        Ok(self.write_mirrors(true).await?)
    }

    /// Writes the memory files where they changed. `over` what somebody changed in them only where they decided.
    ///
    /// A file that cannot be written is no reason to stop: it is tried again the next time.
    pub(super) async fn write_mirrors(&self, over: bool) -> Result<(), StoreError> {
        if !self.store.is_writable() {
            // What is read may be older than what the files say.
            return Ok(());
        }
        let _alone = self.mirrors.writing.lock().await;
        self.write_mirrors_alone(over).await
    }

    async fn write_mirrors_alone(&self, over: bool) -> Result<(), StoreError> {
        let (agent, now) = (self.behavior_in_force().spec.identity.name.clone(), self.clock.now());
        let name = agent.clone();
        let (mut written, known) =
            self.store.read(move |conn| Ok((Written::load(conn)?, Known::now(conn, &name)?))).await?;
        if !over && written.of.as_ref() == Some(&known) && self.are_there(&written).await {
            return Ok(());
        }
        let before = written.clone();
        let texts = self.store.read(move |conn| {
            let all = archive::facts_only(conn, &agent, now)?;
            Ok(FILES.map(|file| mirror::render(file, &all)))
        });
        let mut are_all = true;
        for (file, text) in FILES.into_iter().zip(texts.await?) {
            are_all &= self.write_mirror(file, text, over, &mut written).await;
        }
        written.of = Some(known).filter(|_| are_all);
        if written != before {
            self.store.write(move |tx| written.save(tx)).await?;
        }
        Ok(())
    }

    /// Whether the files that were written are where they were.
    async fn are_there(&self, written: &Written) -> bool {
        for file in written.hashes.keys() {
            if !tokio::fs::try_exists(self.mirror(file)).await.unwrap_or_default() {
                return false;
            }
        }
        true
    }

    /// Writes one memory file; false where it is left as somebody made it, or cannot be written.
    async fn write_mirror(&self, file: &str, text: String, over: bool, written: &mut Written) -> bool {
        let path = self.mirror(file);
        let here = tokio::fs::read_to_string(&path).await;
        let is_there = here.as_ref().is_ok_and(|here| *here == text);
        let is_edited = here.as_ref().is_ok_and(|here| !written.is(file, here));
        let is_unreadable = here.as_ref().is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound);
        if !over && (is_edited && !is_there || is_unreadable) {
            return false;
        }
        let says_nothing = !text.contains("\n- ");
        if here.is_err() && says_nothing {
            return true;
        }
        if !written.is(file, &text) || written.at.is_none() {
            written.set(file, &text, self.clock.now());
        }
        let whole = tokio::task::spawn_blocking(move || if is_there { Ok(()) } else { write_whole(&path, &text) });
        matches!(whole.await, Ok(Ok(())))
    }

    /// Writes the memory files when nothing has changed them for a moment: many changes in a row are one.
    pub(super) fn write_mirrors_soon(self: &Arc<Self>) {
        if self.mirrors.waits.swap(true, Ordering::Relaxed) {
            return;
        }
        let (assistant, clock) = (Arc::downgrade(self), self.clock.clone());
        tokio::spawn(async move {
            clock.sleep(SOON).await;
            if let Some(assistant) = assistant.upgrade() {
                assistant.mirrors.waits.store(false, Ordering::Relaxed);
                // What cannot be written now is written when the session ends.
                let _ = assistant.write_mirrors(false).await;
            }
        });
    }

    /// After a purge no memory file holds what is gone. What somebody changed in one stays, unless nobody can tell what is
    /// gone any more: erasing outranks it.
    pub(super) async fn take_out_of_mirrors(&self, forgotten: &[String], unknown: bool) -> Result<(), StoreError> {
        let _alone = self.mirrors.writing.lock().await;
        for file in FILES {
            // What a crash left of writing one.
            let _ = tokio::fs::remove_file(beside(&self.mirror(file))).await;
        }
        if unknown {
            return self.write_mirrors_alone(true).await;
        }
        let written = self.store.read(Written::load).await?;
        for file in FILES {
            let path = self.mirror(file);
            let Ok(here) = tokio::fs::read_to_string(&path).await else { continue };
            if written.is(file, &here) || mirror::without(&here, forgotten) == here {
                continue;
            }
            let traces = forgotten.to_vec();
            let gone = self.store.read(move |conn| purge::gone(conn, traces)).await?;
            let without = mirror::without(&here, &gone);
            if without != here {
                let _ = tokio::task::spawn_blocking(move || write_whole(&path, &without)).await;
            }
        }
        self.write_mirrors_alone(false).await
    }

    /// Waits until nobody writes the memory files; nobody does while this is held.
    pub(super) async fn hold_mirrors(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.mirrors.writing.lock().await
    }

    /// Removes the memory files. Who writes them is [held](Self::hold_mirrors) meanwhile.
    pub(super) async fn remove_mirrors(&self) -> std::io::Result<()> {
        for file in FILES {
            match tokio::fs::remove_file(self.mirror(file)).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    async fn edits(&self) -> Result<Edits, Error> {
        let written = self.store.read(Written::load).await?;
        let (agent, now) = (self.behavior_in_force().spec.identity.name.clone(), self.clock.now());
        let known = self.store.read(move |conn| archive::facts_only(conn, &agent, now)).await?;
        let mut edits = Edits::default();
        for file in FILES {
            match tokio::fs::read_to_string(self.mirror(file)).await {
                Ok(text) if written.is(file, &text) || text == mirror::render(file, &known) => {}
                Ok(text) => edits.add(file, &text, &known, &written),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) => return Err(Error::NotWritten(MEMORY_FILES.to_owned())),
            }
        }
        Ok(edits)
    }

    /// A conversation goes on, and the one before it has ended.
    pub(super) async fn goes_on_in(&self, conversation: ConversationId) {
        let before = self.latest.swap(conversation.0, Ordering::Relaxed);
        if before != conversation.0 {
            // What cannot be written now is written when the session ends.
            let _ = self.write_mirrors(false).await;
        }
    }

    fn mirror(&self, file: &str) -> PathBuf {
        self.store.folder().join(file)
    }
}
