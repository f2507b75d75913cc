//! One call to the model: chunks in, visible text out, and how it ended.

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use super::memory_ops::OpsSplitter;
use super::outlet::Outlet;
use super::reasoning::ReasoningFilter;
use crate::behavior::conduct::Violation;
use crate::healing::{FailureKind, classify, classify_end};
use crate::memory::conversation::Usage;
use crate::memory::writing::ops::MemoryOps;
use crate::providers::{ChatRequest, Chunk, FinishReason, Provider, TokenUsage};

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum End {
    /// The model finished.
    Finished,
    /// The token limit cut it.
    CutByLimit,
    /// The person stopped it.
    Cancelled,
    /// It failed.
    Failed(FailureKind),
    /// It broke a rule, and was broken off.
    Broke(Violation),
    /// The person stopped it, and what came broke a rule: nothing of it stays.
    Withheld,
}

/// An answer as it grows over the calls of one turn.
pub struct Answer {
    /// What the person sees.
    pub text: String,
    /// What it cost.
    pub usage: Usage,
    /// What it wants remembered.
    pub ops: MemoryOps,
    /// What stood there before this turn: a cut answer that is being continued.
    kept: usize,
}

impl Answer {
    /// An answer that goes on from `kept`.
    pub fn going_on(kept: String) -> Self {
        Self { kept: kept.len(), text: kept, usage: Usage::default(), ops: MemoryOps::default() }
    }

    /// What this turn has shown.
    fn new_text(&self) -> &str {
        &self.text[self.kept..]
    }

    /// Takes back what this turn has shown.
    pub fn withdraw(&mut self) {
        self.text.truncate(self.kept);
    }

    /// Whether this turn has shown anything.
    pub fn has_new_text(&self) -> bool {
        !self.new_text().trim().is_empty()
    }
}

/// Makes one call. What it says is appended to `answer` and passed on at once, as long as it breaks no rule.
pub async fn attempt(
    provider: &dyn Provider,
    request: &ChatRequest,
    answer: &mut Answer,
    cancel: &CancellationToken,
    mut outlet: Outlet<'_>,
) -> End {
    let opened = tokio::select! {
        biased;
        () = cancel.cancelled() => return End::Cancelled,
        opened = provider.stream(request) => opened,
    };
    let mut chunks = match opened {
        Ok(chunks) => chunks,
        Err(error) => return End::Failed(classify(&error)),
    };
    let mut reader = Reader::default();
    let end = loop {
        let chunk = tokio::select! {
            biased;
            () = cancel.cancelled() => break End::Cancelled,
            chunk = chunks.next() => chunk,
        };
        let broken = match chunk {
            Some(Ok(chunk)) => outlet.pass_on(&reader.read(chunk, answer), answer).await,
            Some(Err(error)) => break End::Failed(classify(&error)),
            None => break End::Finished,
        };
        if let Err(violation) = broken {
            return End::Broke(violation);
        }
    };
    let finish = reader.finish_reason.take();
    let rest = reader.finish(answer, matches!(end, End::Failed(_)));
    if let Err(violation) = outlet.pass_on(&rest, answer).await {
        return End::Broke(violation);
    }
    let end = match end {
        End::Finished => how_it_ended(finish.as_ref(), answer.new_text()),
        End::CutByLimit | End::Cancelled | End::Failed(_) | End::Broke(_) | End::Withheld => end,
    };
    match outlet.finish(answer, end == End::Finished).await {
        // Who stopped it does not want another one; what was forbidden goes all the same.
        Err(_) if end == End::Cancelled => End::Withheld,
        Err(violation) => End::Broke(violation),
        Ok(()) => end,
    }
}

/// What a stream that came to its end amounts to.
fn how_it_ended(finish: Option<&FinishReason>, text: &str) -> End {
    match classify_end(finish, text) {
        Some(kind) => End::Failed(kind),
        None if finish == Some(&FinishReason::Length) => End::CutByLimit,
        None => End::Finished,
    }
}

/// Takes the hidden parts out of a stream.
#[derive(Default)]
struct Reader {
    reasoning: ReasoningFilter,
    splitter: OpsSplitter,
    finish_reason: Option<FinishReason>,
}

impl Reader {
    /// The visible part of a chunk.
    fn read(&mut self, chunk: Chunk, answer: &mut Answer) -> String {
        match chunk {
            Chunk::Text(text) => {
                let spoken = self.reasoning.push(&text);
                self.splitter.push(&spoken)
            }
            Chunk::Reasoning(_) | Chunk::Tokens(_) => String::new(),
            Chunk::Usage(usage) => {
                answer.usage = usage_of(usage);
                String::new()
            }
            Chunk::Finish(reason) => {
                self.finish_reason = Some(reason);
                String::new()
            }
        }
    }

    /// What was held back and turned out to be text; the blocks go to the answer. `is_cut`: it may be gone on with.
    fn finish(self, answer: &mut Answer, is_cut: bool) -> String {
        let Self { mut reasoning, mut splitter, .. } = self;
        let mut rest = splitter.push(&reasoning.finish());
        let space = if is_cut { splitter.space_at_the_end().to_owned() } else { String::new() };
        let (last, ops) = splitter.finish();
        rest.push_str(&last);
        // What is left is either text after that space, which brings it along, or nothing.
        if last.is_empty() {
            rest.push_str(&space);
        }
        answer.ops = ops;
        rest
    }
}

pub(super) fn usage_of(usage: TokenUsage) -> Usage {
    Usage { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens, cost: usage.cost }
}
