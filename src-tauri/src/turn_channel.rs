//! From the assistant's turn events to a window's channel, with the answer's text coalesced to about 30 pieces a second.

use std::time::Duration;

use atlas_core::turn::event::TurnEvent;
use tauri::ipc::Channel;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// The shortest time between two pieces of text: a frame of 30 a second.
const FRAME: Duration = Duration::from_millis(33);

/// How many events may wait for the window before the turn waits too.
const WAITING: usize = 256;

/// A sink for one turn's events; they arrive at the channel in the same order.
///
/// When the window is gone (closed, or its page loaded anew) the events go nowhere and the turn goes on: its answer
/// belongs to the conversation, not to the window.
pub fn into_channel(channel: Channel<TurnEvent>) -> mpsc::Sender<TurnEvent> {
    let (sink, events) = mpsc::channel(WAITING);
    tauri::async_runtime::spawn(pump(events, move |event| {
        let _ = channel.send(event);
    }));
    sink
}

async fn pump(mut events: mpsc::Receiver<TurnEvent>, send: impl Fn(TurnEvent)) {
    let mut coalescer = Coalescer::default();
    loop {
        let due = coalescer.due();
        let event = tokio::select! {
            event = events.recv() => event,
            () = wait_until(due) => {
                if let Some(text) = coalescer.flush(Instant::now()) {
                    send(text);
                }
                continue;
            }
        };
        match event {
            Some(event) => coalescer.take(event, Instant::now()).into_iter().for_each(&send),
            None => {
                coalescer.flush(Instant::now()).into_iter().for_each(&send);
                return;
            }
        }
    }
}

async fn wait_until(due: Option<Instant>) {
    match due {
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Joins pieces of text that come faster than a window can show them. Pure: it is told the time.
///
/// Invariant: text and other events keep their order, and no text is lost or doubled.
#[derive(Debug, Default)]
struct Coalescer {
    waiting: String,
    sent_at: Option<Instant>,
}

impl Coalescer {
    /// Takes an event and gives back what is to be sent now.
    fn take(&mut self, event: TurnEvent, now: Instant) -> Vec<TurnEvent> {
        match event {
            TurnEvent::Delta { text } => {
                self.waiting.push_str(&text);
                let frame_over = self.sent_at.is_none_or(|sent| now >= sent + FRAME);
                if frame_over { self.flush(now).into_iter().collect() } else { Vec::new() }
            }
            other => self.flush(now).into_iter().chain([other]).collect(),
        }
    }

    /// When the waiting text must be sent, if there is any.
    fn due(&self) -> Option<Instant> {
        match self.sent_at {
            Some(sent) if !self.waiting.is_empty() => Some(sent + FRAME),
            _ => None,
        }
    }

    /// The waiting text, if there is any.
    fn flush(&mut self, now: Instant) -> Option<TurnEvent> {
        if self.waiting.is_empty() {
            return None;
        }
        self.sent_at = Some(now);
        Some(TurnEvent::Delta { text: std::mem::take(&mut self.waiting) })
    }
}

#[cfg(test)]
mod tests {
    use atlas_core::healing::HealingNote;
    use atlas_core::memory::conversation::Usage;

    use super::*;

    fn delta(text: &str) -> TurnEvent {
        TurnEvent::Delta { text: text.to_owned() }
    }

    fn healing() -> TurnEvent {
        TurnEvent::Healing {
            note: HealingNote {
                code: "rate_limit".to_owned(),
                line: "OpenRouter is busy.".to_owned(),
                past: "OpenRouter was busy.".to_owned(),
                wait_seconds: 2.0,
                remedy: "wait".to_owned(),
            },
        }
    }

    fn usage() -> TurnEvent {
        TurnEvent::Usage { usage: Usage::default() }
    }

    fn after(start: Instant, milliseconds: u64) -> Instant {
        start + Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_first_piece_of_text_is_sent_at_once() {
        let start = Instant::now();
        let mut coalescer = Coalescer::default();
        assert_eq!(coalescer.take(delta("H"), start), vec![delta("H")]);
        assert_eq!(coalescer.due(), None);
    }

    #[test]
    fn pieces_within_a_frame_become_one() {
        let start = Instant::now();
        let mut coalescer = Coalescer::default();
        coalescer.take(delta("H"), start);
        assert_eq!(coalescer.take(delta("e"), after(start, 5)), vec![]);
        assert_eq!(coalescer.take(delta("l"), after(start, 32)), vec![]);
        assert_eq!(coalescer.due(), Some(start + FRAME));
        assert_eq!(coalescer.flush(after(start, 33)), Some(delta("el")));
        assert_eq!(coalescer.flush(after(start, 34)), None);
        assert_eq!(coalescer.due(), None);
    }

    #[test]
    fn a_piece_after_a_quiet_frame_is_sent_at_once() {
        let start = Instant::now();
        let mut coalescer = Coalescer::default();
        coalescer.take(delta("a"), start);
        coalescer.take(delta("b"), after(start, 10));
        assert_eq!(coalescer.take(delta("c"), after(start, 40)), vec![delta("bc")]);
    }

    #[test]
    fn any_other_event_flushes_the_text_before_it() {
        let start = Instant::now();
        let mut coalescer = Coalescer::default();
        coalescer.take(delta("a"), start);
        coalescer.take(delta("b"), after(start, 1));
        assert_eq!(coalescer.take(healing(), after(start, 2)), vec![delta("b"), healing()]);
        assert_eq!(coalescer.take(usage(), after(start, 3)), vec![usage()]);
    }

    #[test]
    fn an_empty_piece_sends_nothing() {
        let mut coalescer = Coalescer::default();
        assert_eq!(coalescer.take(delta(""), Instant::now()), vec![]);
        assert_eq!(coalescer.due(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_arrives_whole_in_order_and_about_thirty_times_a_second() {
        let (sink, events) = mpsc::channel(8);
        let received = std::sync::Mutex::new(Vec::new());
        let produce = async move {
            for number in 0..1000 {
                sink.send(delta(&format!("{number} "))).await.unwrap();
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            sink.send(usage()).await.unwrap();
        };
        tokio::join!(produce, pump(events, |event| received.lock().unwrap().push(event)));
        let received = received.into_inner().unwrap();
        let text: String = received
            .iter()
            .filter_map(|event| match event {
                TurnEvent::Delta { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let expected: String = (0..1000).map(|number| format!("{number} ")).collect();
        assert_eq!(text, expected);
        assert_eq!(received.last(), Some(&usage()));
        assert!((28..=34).contains(&received.len()), "{}", received.len());
    }
}
