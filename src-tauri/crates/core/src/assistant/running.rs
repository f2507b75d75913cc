//! The turns that are under way: at most one in a conversation.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::store::id::{ConversationId, TurnId};

/// All turns under way.
#[derive(Clone, Default)]
pub(super) struct Running {
    /// How many hold all turns back.
    held: Arc<AtomicUsize>,
    places: Arc<Mutex<HashMap<ConversationId, Place>>>,
    pub(super) tasks: TaskTracker,
}

#[derive(Default)]
struct Place {
    turn: Option<TurnId>,
    cancel: CancellationToken,
    skip: Arc<Notify>,
    ended: CancellationToken,
}

/// A conversation's place; given back when it is dropped.
pub(super) struct Reserved {
    running: Running,
    conversation: ConversationId,
    /// The person's Stop.
    pub(super) cancel: CancellationToken,
    /// The person's "do not wait".
    pub(super) skip: Arc<Notify>,
}

impl Running {
    /// Takes the place of a conversation; `None` where a turn has it, or none may begin now.
    pub(super) fn reserve(&self, conversation: ConversationId) -> Option<Reserved> {
        let mut places = self.lock();
        if places.contains_key(&conversation) || self.is_held() {
            return None;
        }
        let place = Place::default();
        let (cancel, skip) = (place.cancel.clone(), place.skip.clone());
        places.insert(conversation, place);
        Some(Reserved { running: self.clone(), conversation, cancel, skip })
    }

    /// No turn begins while this is held.
    pub(super) fn hold(&self) -> Held {
        self.held.fetch_add(1, Ordering::AcqRel);
        Held(self.held.clone())
    }

    /// Whether no turn may begin now.
    pub(super) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire) > 0
    }

    /// The turn that is under way in a conversation.
    pub(super) fn turn_in(&self, conversation: ConversationId) -> Option<TurnId> {
        self.lock().get(&conversation).and_then(|place| place.turn)
    }

    /// Whether any turn is under way.
    pub(super) fn is_any(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Stops a turn; one that has ended already is no error.
    pub(super) fn stop(&self, turn: TurnId) {
        if let Some(place) = self.lock().values().find(|place| place.turn == Some(turn)) {
            place.cancel.cancel();
        }
    }

    /// Cuts a turn's wait short; one that does not wait goes on.
    pub(super) fn skip_wait(&self, turn: TurnId) {
        if let Some(place) = self.lock().values().find(|place| place.turn == Some(turn)) {
            place.skip.notify_waiters();
        }
    }

    /// Stops the turn of a conversation and waits until it has written what came.
    pub(super) async fn stop_in(&self, conversation: ConversationId) {
        let ended = self.lock().get(&conversation).map(|place| {
            place.cancel.cancel();
            place.ended.clone()
        });
        if let Some(ended) = ended {
            ended.cancelled().await;
        }
    }

    /// Stops all turns and waits until they have written what came.
    pub(super) async fn stop_all(&self) {
        // One that begins meanwhile is stopped too.
        while let Some(ended) = self.stop_one() {
            ended.cancelled().await;
        }
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }

    /// Stops all and says when one of them has ended; `None` where none is under way.
    fn stop_one(&self) -> Option<CancellationToken> {
        let places = self.lock();
        places.values().for_each(|place| place.cancel.cancel());
        places.values().next().map(|place| place.ended.clone())
    }

    /// No code panics while it holds this lock, so a poisoned one is good.
    fn lock(&self) -> MutexGuard<'_, HashMap<ConversationId, Place>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That no turn begins, for as long as this is held.
pub(super) struct Held(Arc<AtomicUsize>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Reserved {
    /// Names the turn, so that it can be stopped.
    pub(super) fn is_for(&self, turn: TurnId) {
        if let Some(place) = self.running.lock().get_mut(&self.conversation) {
            place.turn = Some(turn);
        }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Some(place) = self.running.lock().remove(&self.conversation) {
            place.ended.cancel();
        }
    }
}
