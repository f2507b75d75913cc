//! A whole answer in one piece, for calls that nobody watches.

use futures_util::StreamExt;

use super::{ChatRequest, Chunk, Provider, ProviderError, TokenUsage};

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// What it cost.
    pub usage: TokenUsage,
}

/// Asks for one answer and waits for its end.
pub async fn whole(provider: &dyn Provider, request: &ChatRequest) -> Result<Reply, ProviderError> {
    let mut chunks = provider.stream(request).await?;
    let mut reply = Reply::default();
    while let Some(chunk) = chunks.next().await {
        match chunk? {
            Chunk::Text(text) => reply.text.push_str(&text),
            Chunk::Usage(usage) => reply.usage = usage,
            Chunk::Reasoning(_) | Chunk::Finish(_) => {}
        }
    }
    Ok(reply)
}
