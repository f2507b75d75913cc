//! A whole answer in one piece, for calls that nobody watches.

use futures_util::StreamExt;

use super::{ChatRequest, Chunk, Provider, ProviderError, TokenChoices, TokenUsage};

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Its tokens with what might have stood in their places, where that was asked for and the server tells it.
    pub tokens: Vec<TokenChoices>,
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
            Chunk::Tokens(tokens) => reply.tokens.extend(tokens),
            Chunk::Usage(usage) => reply.usage = usage,
            Chunk::Reasoning(_) | Chunk::Finish(_) => {}
        }
    }
    Ok(reply)
}
