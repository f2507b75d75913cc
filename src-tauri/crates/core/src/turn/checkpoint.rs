//! Keeps a growing answer on disk, so that a crash costs at most a second of it.
//!
//! It runs beside the stream and never holds it up: the stream hands over text, the writing happens here.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::memory::conversation::{self, MessageState, NewMessage};
use crate::store::id::MessageId;
use crate::store::{Store, StoreError};

/// The pause between two writes.
const PAUSE: Duration = Duration::from_millis(500);

/// Writes an answer while it grows.
pub struct Checkpoint {
    text: watch::Sender<String>,
    finished: CancellationToken,
    writer: JoinHandle<Option<MessageId>>,
}

impl Checkpoint {
    /// Begins; nothing is written before the first new text comes. `answer` is how the message is first stored; its text
    /// is what stands there already, of an answer that goes on.
    pub fn begin(store: Store, clock: Arc<dyn Clock>, answer: NewMessage) -> Self {
        let (text, updates) = watch::channel(answer.text.clone());
        let finished = CancellationToken::new();
        let writer = tokio::spawn(write_along(store, clock, answer, updates, finished.clone()));
        Self { text, finished, writer }
    }

    /// More text came.
    pub fn append(&self, delta: &str) {
        self.text.send_modify(|text| text.push_str(delta));
    }

    /// What came is taken back: this stands there instead.
    pub fn replace(&self, text: &str) {
        self.text.send_modify(|kept| text.clone_into(kept));
    }

    /// Stops writing. The message, where one was begun; the caller writes the whole.
    pub async fn finish(self) -> Option<MessageId> {
        self.finished.cancel();
        self.writer.await.unwrap_or(None)
    }
}

async fn write_along(
    store: Store,
    clock: Arc<dyn Clock>,
    answer: NewMessage,
    mut updates: watch::Receiver<String>,
    finished: CancellationToken,
) -> Option<MessageId> {
    let mut message = None;
    loop {
        tokio::select! {
            biased;
            () = finished.cancelled() => return message,
            changed = updates.changed() => if changed.is_err() { return message },
        }
        let text = updates.borrow_and_update().clone();
        // A write that fails is made good by the next one, or by the last, which reports its failure.
        message = write(&store, &answer, message, text, clock.now()).await.ok().or(message);
        tokio::select! {
            () = finished.cancelled() => return message,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

async fn write(
    store: &Store,
    answer: &NewMessage,
    message: Option<MessageId>,
    text: String,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<MessageId, StoreError> {
    let answer = NewMessage { text, state: MessageState::Streaming, ..answer.clone() };
    store
        .write(move |tx| match message {
            Some(id) => conversation::set_streaming_text(tx, id, &answer.text).map(|()| id),
            None => conversation::add_message(tx, &answer, now),
        })
        .await
}
