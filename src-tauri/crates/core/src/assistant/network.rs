//! Whether there is a network, and the messages that wait for it.
//!
//! It is known from what became of the last questions and from what the window hears of the system. Only while something
//! waits does Atlas look for itself, ever more rarely, and it asks no model for that.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Mutex, Notify, mpsc, watch};

use super::view::AppEvent;
use super::{Assistant, Error};
use crate::store::StoreError;
use crate::store::id::MessageId;
use crate::turn::event::TurnEvent;
use crate::turn::record;

/// The pause between two looks: it doubles from the first to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What is known of the network.
pub(super) struct Network {
    is_there: watch::Sender<Option<bool>>,
    /// It may be back, or something new waits for it.
    wake: Arc<Notify>,
    /// Held while what waits is sent: nothing is sent twice.
    sending: Mutex<()>,
}

impl Default for Network {
    fn default() -> Self {
        Self { is_there: watch::Sender::new(None), wake: Arc::default(), sending: Mutex::default() }
    }
}

impl Network {
    /// Whether it is there; `None` where nothing is known.
    pub(super) fn online(&self) -> Option<bool> {
        *self.is_there.borrow()
    }

    /// Whether that is something new.
    fn set(&self, online: bool) -> bool {
        self.is_there.send_if_modified(|known| known.replace(online) != Some(online))
    }
}

impl Assistant {
    /// What the window hears of the system: the network went away or came back.
    pub fn network_changed(&self, online: bool) {
        self.know_of_the_network(online);
        self.network.wake.notify_one();
    }

    /// How many messages wait for the network.
    pub async fn queued(&self) -> Result<u64, Error> {
        Ok(self.store.read(record::count_queued).await?)
    }

    /// A message shall not be sent by itself any more; it stays in its conversation.
    pub async fn cancel_queued(&self, message: MessageId) -> Result<(), Error> {
        self.store.write(move |tx| record::unqueue(tx, message)).await?;
        self.tell(AppEvent::ConversationsChanged);
        Ok(())
    }

    /// Sends what waits, without looking whether the network is there. Whether all of it went.
    pub async fn send_queued(self: &Arc<Self>) -> Result<bool, Error> {
        let _one_at_a_time = self.network.sending.lock().await;
        for message in self.store.read(record::queued).await? {
            if !self.send_one(message).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether it was answered, or cannot be asked any more; not where it waits again.
    async fn send_one(self: &Arc<Self>, message: MessageId) -> Result<bool, Error> {
        // It may have been sent meanwhile, or is not wanted any more.
        if !self.store.read(move |conn| record::is_queued(conn, message)).await? {
            return Ok(true);
        }
        let (events, mut heard) = mpsc::channel(64);
        match self.retry(message, events).await {
            Ok(_) => {}
            // The conversation has gone on; it is answered with what was said since.
            Err(Error::Store(StoreError::Missing(_))) => {
                self.cancel_queued(message).await?;
                return Ok(true);
            }
            Err(Error::TurnRunning) => return Ok(true),
            Err(error) => return Err(error),
        }
        self.tell(AppEvent::ConversationsChanged);
        let mut went = true;
        while let Some(event) = heard.recv().await {
            if let TurnEvent::Failed { failure, .. } = event {
                went = !failure.queued;
            }
        }
        Ok(went)
    }

    /// What a turn's end tells of the network.
    pub(super) fn hear_of_the_network(&self, terminal: &TurnEvent, came_over_the_network: bool) {
        match terminal {
            TurnEvent::Failed { failure, .. } if failure.queued => {
                self.know_of_the_network(false);
                // What was being sent is looked after by whoever sends it, and not at once again.
                if self.network.sending.try_lock().is_ok() {
                    self.network.wake.notify_one();
                }
            }
            TurnEvent::Completed { .. } if came_over_the_network => self.know_of_the_network(true),
            _ => {}
        }
    }

    fn know_of_the_network(&self, online: bool) {
        if self.network.set(online) {
            if online {
                // Nobody was to blame but the network.
                self.breakers.network_is_back();
            }
            self.tell(AppEvent::Network { online });
        }
    }

    /// Looks for the network while something waits for it, and sends that when it is back.
    pub(super) fn begin_to_watch_the_network(self: &Arc<Self>) {
        let (wake, stopped, clock) = (self.network.wake.clone(), self.mind.stopped(), self.clock.clone());
        let assistant = Arc::downgrade(self);
        tokio::spawn(async move {
            let mut pause = FIRST_PAUSE;
            loop {
                let waits = try_to_send(&assistant).await;
                let sleep = async {
                    match waits {
                        true => clock.sleep(pause).await,
                        false => std::future::pending().await,
                    }
                };
                tokio::select! {
                    () = stopped.cancelled() => return,
                    () = wake.notified() => pause = FIRST_PAUSE,
                    () = sleep => pause = (pause * 2).min(LONGEST_PAUSE),
                }
            }
        });
    }
}

/// Sends what waits where the service can be reached. Whether something waits still.
async fn try_to_send(assistant: &Weak<Assistant>) -> bool {
    let Some(assistant) = assistant.upgrade() else { return false };
    let Ok(1..) = assistant.queued().await else { return false };
    let Some(endpoint) = assistant.settings_in_force().endpoint.clone() else { return false };
    if !endpoint.is_here() && !assistant.http.is_reachable(&endpoint.base_url).await {
        assistant.know_of_the_network(false);
        return true;
    }
    assistant.know_of_the_network(true);
    // What cannot be sent now waits on.
    !assistant.send_queued().await.unwrap_or(false)
}
