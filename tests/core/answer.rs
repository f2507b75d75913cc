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
    let texts =
        chunks.iter().filter_map(|chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None });
    let (text, ops) = seen(texts);
    let mut answer = Answer { text, ops, usage: None, finish: None, failure: None };
    for chunk in chunks {
        match chunk {
            Chunk::Text(_) | Chunk::Reasoning(_) | Chunk::Tokens(_) => {}
            Chunk::Usage(usage) => answer.usage = Some(usage),
            Chunk::Finish(reason) => answer.finish = Some(reason),
        }
    }
    answer.failure = match error {
        Some(error) => Some(classify(&error)),
        None => classify_end(answer.finish.as_ref(), &answer.text),
    };
    answer
}

/// What is seen of an answer that arrives in these pieces, and what is to be remembered.
pub fn seen<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, MemoryOps) {
    let (mut reasoning, mut splitter) = (ReasoningFilter::default(), OpsSplitter::default());
    let mut text: String = pieces.into_iter().map(|piece| splitter.push(&reasoning.push(piece))).collect();
    text.push_str(&splitter.push(&reasoning.finish()));
    let (rest, ops) = splitter.finish();
    text.push_str(&rest);
    (text, ops)
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
