//! An answer as the core makes it of a provider's stream, without a turn around it.

use atlas_core::healing::{FailureKind, classify, classify_end};
use atlas_core::providers::{ChatRequest, Chunk, FinishReason, Provider, ProviderError, TokenUsage};
use atlas_core::turn::memory_ops::{MemoryOps, OpsSplitter};
use atlas_core::turn::reasoning::ReasoningFilter;
use futures_util::StreamExt;

/// What came of one call.
#[derive(Debug, PartialEq)]
pub struct Answer {
    /// What a person sees.
    pub text: String,
    /// What is to be remembered.
    pub ops: MemoryOps,
    /// What it cost.
    pub usage: Option<TokenUsage>,
    /// Why it ended.
    pub finish: Option<FinishReason>,
    /// What is wrong with it.
    pub failure: Option<FailureKind>,
}

/// Asks once and reads the answer to its end.
pub async fn ask(provider: &dyn Provider, request: &ChatRequest) -> Answer {
    let (chunks, error) = read(provider, request).await;
    let (mut reasoning, mut splitter) = (ReasoningFilter::default(), OpsSplitter::default());
    let mut answer =
        Answer { text: String::new(), ops: MemoryOps::default(), usage: None, finish: None, failure: None };
    for chunk in chunks {
        match chunk {
            Chunk::Text(text) => answer.text.push_str(&splitter.push(&reasoning.push(&text))),
            Chunk::Reasoning(_) => {}
            Chunk::Usage(usage) => answer.usage = Some(usage),
            Chunk::Finish(reason) => answer.finish = Some(reason),
        }
    }
    answer.text.push_str(&splitter.push(&reasoning.finish()));
    let (rest, ops) = splitter.finish();
    answer.text.push_str(&rest);
    answer.ops = ops;
    answer.failure = match error {
        Some(error) => Some(classify(&error)),
        None => classify_end(answer.finish.as_ref(), &answer.text),
    };
    answer
}

/// The chunks of an answer, and the error that ended it, if one did.
pub async fn read(provider: &dyn Provider, request: &ChatRequest) -> (Vec<Chunk>, Option<ProviderError>) {
    let mut stream = match provider.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut chunks = Vec::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => chunks.push(chunk),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing comes after an error");
                return (chunks, Some(error));
            }
        }
    }
    (chunks, None)
}
