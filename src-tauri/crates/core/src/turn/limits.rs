//! How much the models read, as far as it was learned: from a refusal that names its limit, and from a server that silently
//! cut a prompt. It is learned anew after a restart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::providers::ChatRequest;
use crate::providers::tokens::{estimate_tokens, fewest_tokens};

/// How much of a limit a prompt may take, in tenths: the answer needs room too, and estimates err.
const SHARE: u64 = 7;
/// A prompt of fewer tokens than this is not suspected of having been cut.
const SHORTEST_SUSPECT: u64 = 600;

/// What was learned. Clones are the same.
#[derive(Clone, Default)]
pub struct ContextLimits {
    tokens: Arc<Mutex<HashMap<(String, String), u64>>>,
}

impl ContextLimits {
    /// How many tokens a model reads; none where nothing was learned.
    pub(super) fn of(&self, provider: &str, model: &str) -> Option<u64> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.get(&(provider.to_owned(), model.to_owned())).copied()
    }

    pub(super) fn learn(&self, provider: &str, model: &str, limit: u64) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.insert((provider.to_owned(), model.to_owned()), limit);
    }
}

/// Whether a request is no longer than a model reads.
pub(super) fn fits(request: &ChatRequest, limit: Option<u64>) -> bool {
    let sent = || request.messages.iter().map(|message| estimate_tokens(&message.content)).sum::<u64>();
    limit.is_none_or(|limit| sent() * 10 <= limit * SHARE)
}

/// How many tokens were sent at least and how many were read, where those are far fewer: no tokenizer makes so few of it.
pub(super) fn cut(request: &ChatRequest, read: Option<u64>) -> Option<(u64, u64)> {
    let sent: u64 = request.messages.iter().map(|message| fewest_tokens(&message.content)).sum();
    // A server that counts nothing says 0.
    let read = read.filter(|read| *read > 0)?;
    (sent >= SHORTEST_SUSPECT && read * 2 < sent).then_some((sent, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::{ChatMessage, ChatRole};

    fn request(words: usize) -> ChatRequest {
        let message = ChatMessage { role: ChatRole::User, content: "a plain word ".repeat(words / 3) };
        ChatRequest { model: "m".into(), messages: vec![message], temperature: None, max_tokens: None, schema: None }
    }

    #[test]
    fn a_prompt_of_which_far_less_was_read_than_sent_was_cut() {
        let long = request(6_000);
        let sent = fewest_tokens(&long.messages[0].content);
        assert_eq!(cut(&long, Some(1_000)), Some((sent, 1_000)));
        for read in [None, Some(0), Some(6_000), Some(sent)] {
            assert_eq!(cut(&long, read), None, "{read:?}");
        }
        assert_eq!(cut(&request(300), Some(10)), None, "a short prompt is not suspected");
    }

    #[test]
    fn a_prompt_leaves_room_for_the_answer() {
        let tokens = estimate_tokens(&request(3_000).messages[0].content);
        assert!(fits(&request(3_000), None));
        assert!(fits(&request(3_000), Some(tokens * 2)));
        assert!(!fits(&request(3_000), Some(tokens)));
    }

    #[test]
    fn what_was_learned_holds_for_one_model_of_one_service() {
        let limits = ContextLimits::default();
        limits.clone().learn("Ollama", "small", 4_096);
        assert_eq!((limits.of("Ollama", "small"), limits.of("Ollama", "large")), (Some(4_096), None));
    }
}
