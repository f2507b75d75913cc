//! The body of a successful response, read as an answer while it arrives.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use reqwest::Response;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::answer;
use crate::providers::error::{NetworkKind, ProviderError, TimeoutPhase};
use crate::providers::secret::Secret;
use crate::providers::sse::{SseEvent, SseParser};
use crate::providers::{Chunk, ChunkStream};

/// The longest answer of a server that does not stream, in bytes.
const LONGEST_WHOLE: usize = 16 * 1024 * 1024;

/// How long to go on listening after the finish reason, for the usage that may follow it. Some servers never close.
const AFTER_FINISH: Duration = Duration::from_secs(5);

/// The byte order mark that may stand first.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Until when to wait, and for how long between two pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub first_token: Instant,
    pub stalled: Duration,
    pub whole: Instant,
}

/// The answer in a response. Dropping it ends the request.
pub(super) fn answer(response: Response, waiting: Waiting, key: Option<Secret>) -> ChunkStream {
    let bytes = response.bytes_stream().map(|piece| piece.map(|bytes| bytes.to_vec()).map_err(|_| ())).boxed();
    let reader = Reader {
        bytes,
        key,
        stalled: waiting.stalled,
        deadline: waiting.first_token,
        whole: waiting.whole,
        phase: TimeoutPhase::FirstToken,
        body: Body::Unknown(Vec::new()),
        ready: VecDeque::new(),
        finished: false,
        ended: false,
    };
    stream::unfold(reader, |mut reader| async move { reader.next().await.map(|item| (item, reader)) }).boxed()
}

struct Reader {
    bytes: BoxStream<'static, Result<Vec<u8>, ()>>,
    key: Option<Secret>,
    stalled: Duration,
    deadline: Instant,
    whole: Instant,
    phase: TimeoutPhase,
    body: Body,
    ready: VecDeque<Result<Chunk, ProviderError>>,
    /// A finish reason has come.
    finished: bool,
    /// Nothing more will be read.
    ended: bool,
}

/// What kind of body it is. Its first character tells; the content type does not: servers send either kind under any.
enum Body {
    /// Nothing but white space so far.
    Unknown(Vec<u8>),
    /// Server-sent events.
    Events(SseParser),
    /// One JSON value, from a server that does not stream.
    Whole(Vec<u8>),
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Chunk, ProviderError>> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(item);
            }
            if self.ended {
                return None;
            }
            match timeout_at(self.deadline.min(self.whole), self.bytes.next()).await {
                Ok(Some(Ok(bytes))) => self.take(&bytes),
                Ok(Some(Err(()))) => self.broke_off(),
                Ok(None) => self.came_to_its_end(),
                Err(_) if self.finished => self.ended = true,
                Err(_) if self.deadline > self.whole => {
                    self.fail(ProviderError::Timeout { phase: TimeoutPhase::Whole });
                }
                Err(_) => self.fail(ProviderError::Timeout { phase: self.phase }),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        match &mut self.body {
            Body::Unknown(head) => {
                head.extend_from_slice(bytes);
                let head = std::mem::take(head);
                self.begin(head);
            }
            Body::Whole(whole) if whole.len() + bytes.len() <= LONGEST_WHOLE => whole.extend_from_slice(bytes),
            Body::Whole(_) => self.fail(ProviderError::Malformed),
            Body::Events(parser) => {
                let mut events = Vec::new();
                let outcome = parser.push(bytes, &mut events);
                events.into_iter().for_each(|event| self.take_event(&event));
                if let Err(error) = outcome {
                    self.fail(error);
                }
            }
        }
    }

    /// Decides what kind of body it is, at its first character.
    fn begin(&mut self, head: Vec<u8>) {
        let text = head.strip_prefix(BOM).unwrap_or(&head).trim_ascii_start();
        self.body = match text.first() {
            None => Body::Unknown(head),
            Some(_) if BOM.starts_with(&head) => Body::Unknown(head),
            Some(b'<') => return self.fail(ProviderError::WebPage),
            Some(b'{' | b'[') => Body::Whole(text.to_vec()),
            Some(_) => {
                self.body = Body::Events(SseParser::default());
                return self.take(&head);
            }
        };
    }

    fn take_event(&mut self, event: &SseEvent) {
        if self.ended || event.data.trim().is_empty() {
            return;
        }
        if event.data.trim() == "[DONE]" {
            self.ended = true;
            return;
        }
        match serde_json::from_str(&event.data) {
            Ok(value) => self.take_value(&value),
            Err(_) => self.fail(ProviderError::Malformed),
        }
    }

    fn take_value(&mut self, value: &Value) {
        let parts = answer::parts(value, self.key.as_ref());
        // Some servers send an event that only names the role before they have read the prompt.
        if !parts.is_empty() {
            self.phase = TimeoutPhase::Stalled;
        }
        for part in parts {
            match part {
                Ok(chunk) => {
                    self.finished |= matches!(chunk, Chunk::Finish(_));
                    self.ready.push_back(Ok(chunk));
                }
                Err(error) => return self.fail(error),
            }
        }
        if self.phase == TimeoutPhase::Stalled {
            self.deadline = Instant::now() + if self.finished { AFTER_FINISH.min(self.stalled) } else { self.stalled };
        }
    }

    /// The connection ended in order: that is an end of the answer only where the answer was at its end.
    fn came_to_its_end(&mut self) {
        match std::mem::replace(&mut self.body, Body::Unknown(Vec::new())) {
            Body::Unknown(_) => self.fail(ProviderError::Empty),
            Body::Whole(whole) => self.take_whole(&whole),
            Body::Events(parser) => {
                // A last event that cannot be read was cut in the middle.
                let whole = |event: &SseEvent| {
                    event.data.trim() == "[DONE]" || serde_json::from_str::<Value>(&event.data).is_ok()
                };
                if let Some(event) = parser.finish().filter(whole) {
                    self.take_event(&event);
                }
                self.end_unless_truncated();
            }
        }
    }

    fn take_whole(&mut self, whole: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(whole) else {
            return self.fail(ProviderError::Truncated);
        };
        let is_answer = value.get("choices").is_some();
        self.take_value(&value);
        if self.ended {
            return;
        }
        if is_answer {
            // It is whole because its JSON is; old servers give no reason.
            self.ended = true;
        } else {
            self.fail(ProviderError::Malformed);
        }
    }

    /// The connection broke.
    fn broke_off(&mut self) {
        match &self.body {
            Body::Unknown(_) => self.fail(ProviderError::Network { kind: NetworkKind::Reset }),
            Body::Whole(_) | Body::Events(_) => self.end_unless_truncated(),
        }
    }

    fn end_unless_truncated(&mut self) {
        if self.finished {
            self.ended = true;
        } else if !self.ended {
            self.fail(ProviderError::Truncated);
        }
    }

    fn fail(&mut self, error: ProviderError) {
        if !self.ended {
            self.ready.push_back(Err(error));
            self.ended = true;
        }
    }
}
