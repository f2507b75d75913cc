//! How much the models read, as far as it was learned: from a refusal that names its limit, and from a server that silently
//! cut a prompt. It is learned anew after a restart.
//!
//! Some servers count only what they had to read anew, and not what they still had of the request before (Ollama's
//! `prompt_eval_count` was like that): so few tokens are no sign of a cut.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::providers::tokens::{estimate_tokens, fewest_tokens};
use crate::providers::{ChatMessage, ChatRequest};

/// How much of a limit a prompt may take, in tenths: the answer needs room too, and estimates err.
const SHARE: u64 = 7;
/// A prompt of fewer tokens than this is not suspected of having been cut.
const SHORTEST_SUSPECT: u64 = 600;

/// So many tokens are read anew in any case: the last ones of a request that was sent before, and what the server puts around.
const ALWAYS_NEW: u64 = 64;

/// What was learned. Clones are the same.
#[derive(Clone, Default)]
pub struct ContextLimits {
    models: Arc<Mutex<HashMap<(String, String), Reader>>>,
}

/// What is known of one model of one service.
#[derive(Default)]
struct Reader {
    /// How many tokens it reads.
    tokens: Option<u64>,
    /// The messages of the last request that it answered, as hashes.
    answered: Vec<u64>,
}

impl ContextLimits {
    /// How many tokens a model reads; none where nothing was learned.
    pub(super) fn of(&self, provider: &str, model: &str) -> Option<u64> {
        self.models().get(&(provider.to_owned(), model.to_owned()))?.tokens
    }

    pub(super) fn learn(&self, provider: &str, model: &str, limit: u64) {
        self.models().entry((provider.to_owned(), model.to_owned())).or_default().tokens = Some(limit);
    }

    /// How many tokens of an answered request were sent at least and how many were read, where those are far fewer: no
    /// tokenizer makes so few of it, and they are not just what is new since the request before.
    pub(super) fn cut(
        &self,
        provider: &str,
        model: &str,
        request: &ChatRequest,
        read: Option<u64>,
    ) -> Option<(u64, u64)> {
        let hashes: Vec<u64> = request.messages.iter().map(|message| hash(&message.content)).collect();
        let mut models = self.models();
        let reader = models.entry((provider.to_owned(), model.to_owned())).or_default();
        let known = hashes.iter().zip(&reader.answered).take_while(|(now, before)| now == before).count();
        let new = &request.messages[known..];
        let fewest = |messages: &[ChatMessage]| messages.iter().map(|message| fewest_tokens(&message.content)).sum();
        let (sent, fewest_new): (u64, u64) = (fewest(&request.messages), fewest(new));
        let most_new = ALWAYS_NEW + 2 * new.iter().map(|message| estimate_tokens(&message.content)).sum::<u64>();
        // A server that counts nothing says 0.
        let cut = read.filter(|read| *read > 0).and_then(|read| {
            let is_what_is_new = known > 0 && read * 2 >= fewest_new && read <= most_new;
            (sent >= SHORTEST_SUSPECT && read * 2 < sent && !is_what_is_new).then_some((sent, read))
        });
        // Of a prompt that was cut, nobody knows what is still there.
        reader.answered = if cut.is_some() { Vec::new() } else { hashes };
        cut
    }

    fn models(&self) -> MutexGuard<'_, HashMap<(String, String), Reader>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Whether a request is no longer than a model reads.
pub(super) fn fits(request: &ChatRequest, limit: Option<u64>) -> bool {
    let sent = || request.messages.iter().map(|message| estimate_tokens(&message.content)).sum::<u64>();
    limit.is_none_or(|limit| sent() * 10 <= limit * SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::ChatRole;

    fn request(words: usize) -> ChatRequest {
        let message = ChatMessage { role: ChatRole::User, content: "a plain word ".repeat(words / 3) };
        ChatRequest {
            model: "m".into(),
            messages: vec![message],
            temperature: None,
            max_tokens: None,
            schema: None,
            logprobs: None,
        }
    }

    fn cut(request: &ChatRequest, read: Option<u64>) -> Option<(u64, u64)> {
        ContextLimits::default().cut("Ollama", "m", request, read)
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
    fn a_server_that_counts_only_what_is_new_has_cut_nothing() {
        let limits = ContextLimits::default();
        let first = request(6_000);
        let mut second = request(6_000);
        second.messages.extend(request(300).messages);
        let new = estimate_tokens(&second.messages[1].content);
        let cut = |request: &ChatRequest, read| limits.cut("Ollama", "m", request, Some(read));
        assert_eq!(cut(&first, 7_000), None);
        assert_eq!(cut(&second, new), None, "the rest was still there");
        assert_eq!(cut(&second, 1), None, "all of it was still there");
        assert!(cut(&second, 1_500).is_some(), "more than what is new was read, and not all");
        let (short, mut pasted) = (request(300), request(300));
        pasted.messages.extend(request(60_000).messages);
        assert_eq!(cut(&short, 300), None);
        assert!(cut(&pasted, 4_096).is_some(), "of what is new, too little was read");
        assert!(limits.cut("Ollama", "other", &second, Some(new)).is_some(), "this one has read nothing before");
        assert!(cut(&request(5_700), new).is_some(), "it is another conversation");
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
