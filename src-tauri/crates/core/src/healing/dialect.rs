//! What providers mean by their codes and, where only the wording tells, by their sentences.
//!
//! Invariant: this is the only file that looks into a message. A pattern covers a whole message from its first to its
//! last character: `*` stands for any text, `#` for a number. Each has its message, as it was seen, among the tests.

use super::classify::Meaning::{
    self, ContentRefused, ContextTooLong, Credentials, Credit, EngineLoading, NotAnApi, RateLimit, Server, UnknownModel,
};

/// Codes and types that mean the same wherever they are used. They are compared in lower case.
const WORDS: &[(&str, Meaning)] = &[
    // OpenAI, and most that follow it
    ("invalid_api_key", Credentials),
    ("invalid_authentication", Credentials),
    ("authentication_error", Credentials),
    ("permission_error", Credentials),
    ("permission_denied", Credentials),
    ("insufficient_quota", Credit),
    ("billing_hard_limit_reached", Credit),
    ("billing_not_active", Credit),
    ("account_deactivated", Credentials),
    ("insufficient_balance", Credit),
    ("billing_error", Credit),
    ("model_not_found", UnknownModel),
    ("context_length_exceeded", ContextTooLong),
    ("request_too_large", ContextTooLong),
    ("content_policy_violation", ContentRefused),
    ("content_filter", ContentRefused),
    ("moderation_blocked", ContentRefused),
    ("rate_limit_exceeded", RateLimit),
    ("rate_limit_error", RateLimit),
    ("rate_limited", RateLimit),
    ("server_error", Server),
    ("internal_error", Server),
    ("internal_server_error", Server),
    ("api_connection_error", Server),
    // Anthropic
    ("overloaded_error", Server),
    // Google
    ("unauthenticated", Credentials),
    ("resource_exhausted", RateLimit),
    ("unavailable", Server),
    // llama.cpp
    ("exceed_context_size_error", ContextTooLong),
    ("unavailable_error", EngineLoading),
];

/// A sentence and what it means.
type Sentence = (&'static str, Meaning);

const OPEN_AI: &[Sentence] = &[
    ("Incorrect API key provided*", Credentials),
    ("You didn't provide an API key*", Credentials),
    ("You exceeded your current quota*", Credit),
    ("This model's maximum context length is # tokens*", ContextTooLong),
    ("Your input exceeds the context window of this model*", ContextTooLong),
    ("Input tokens exceed the configured limit of # tokens*", ContextTooLong),
    ("The model `*` does not exist*", UnknownModel),
    ("Invalid URL (*)", NotAnApi),
];

const OPEN_ROUTER: &[Sentence] = &[
    ("* is not a valid model ID", UnknownModel),
    ("No endpoints found for *", UnknownModel),
    ("No allowed providers are available for the selected model*", UnknownModel),
    ("This endpoint's maximum context length is # tokens*", ContextTooLong),
    ("Insufficient credits*", Credit),
    ("This request requires more credits*", Credit),
    ("More credits are required to run this request*", Credit),
    ("Prompt tokens limit exceeded: *", Credit),
    ("Key limit exceeded*", Credit),
    ("No auth credentials found*", Credentials),
    ("Your chosen model requires moderation and your input was flagged*", ContentRefused),
];

const ANTHROPIC: &[Sentence] = &[
    ("prompt is too long: * tokens > # maximum", ContextTooLong),
    ("Your credit balance is too low*", Credit),
    ("Overloaded", Server),
];

const GOOGLE: &[Sentence] = &[
    ("API key not valid. *", Credentials),
    ("The input token count * exceeds the maximum number of tokens allowed (#)*", ContextTooLong),
    ("The input token count * exceeds the maximum number of tokens allowed #*", ContextTooLong),
    ("models/* is not found for API version *", UnknownModel),
];

const OLLAMA: &[Sentence] = &[
    ("model \"*\" not found*", UnknownModel),
    ("model '*' not found*", UnknownModel),
    ("model * not found, try pulling it first", UnknownModel),
];

const LM_STUDIO: &[Sentence] = &[
    ("No models loaded*", UnknownModel),
    ("Model not found*", UnknownModel),
    ("Multiple models are loaded. Please specify a model*", UnknownModel),
    ("Model is unloaded*", EngineLoading),
    ("Model is loading*", EngineLoading),
    ("*number of tokens to keep from the initial prompt is greater than the context length*", ContextTooLong),
    (
        "Trying to keep the first * tokens when context the overflows. However, the model is loaded with context length \
         of only # tokens*",
        ContextTooLong,
    ),
    ("Unexpected endpoint or method*", NotAnApi),
];

const LLAMA_CPP: &[Sentence] = &[
    ("Loading model", EngineLoading),
    ("the request exceeds the available context size*", ContextTooLong),
    ("File Not Found", NotAnApi),
    ("Invalid API Key", Credentials),
];

const OTHERS: &[Sentence] = &[
    // DeepSeek
    ("Insufficient Balance", Credit),
    ("Model Not Exist", UnknownModel),
    // Mistral
    ("Invalid model: *", UnknownModel),
    // xAI
    ("This model's maximum prompt length is # but the request contains # tokens*", ContextTooLong),
    // Groq
    ("Please reduce the length of the messages or completion*", ContextTooLong),
];

/// The tables, one for each dialect. All are tried, whoever answers: OpenRouter hands on what others said, and a
/// server of one's own may be any of them.
const DIALECTS: &[&[Sentence]] = &[OPEN_AI, OPEN_ROUTER, ANTHROPIC, GOOGLE, OLLAMA, LM_STUDIO, LLAMA_CPP, OTHERS];

/// What a code or a type means, where it is a known word.
pub(super) fn of_word(word: &str) -> Option<Meaning> {
    let word = word.to_ascii_lowercase();
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// What a sentence means, where it is a known one, and the first number that its pattern names.
pub(super) fn of_sentence(message: &str) -> Option<(Meaning, Option<u64>)> {
    DIALECTS
        .iter()
        .flat_map(|table| table.iter())
        .find_map(|(pattern, meaning)| Some((*meaning, matches(pattern, message)?)))
}

/// Whether a whole message fits a pattern: the outer option; the inner is the first number in place of a `#`.
fn matches(pattern: &str, message: &str) -> Option<Option<u64>> {
    let Some(special) = pattern.find(['*', '#']) else {
        return message.eq_ignore_ascii_case(pattern).then_some(None);
    };
    let rest = strip_prefix_ignoring_case(message, &pattern[..special])?;
    let after = &pattern[special + 1..];
    if pattern[special..].starts_with('#') {
        // `8192`, `8,192`, `8192.`: digits, with commas between them.
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != ',').unwrap_or(rest.len());
        let digits: String = rest[..end].chars().filter(char::is_ascii_digit).collect();
        let number = digits.parse().ok()?;
        return matches(after, &rest[end..]).map(|_| Some(number));
    }
    rest.char_indices().map(|(at, _)| at).chain([rest.len()]).find_map(|at| matches(after, &rest[at..]))
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of each pattern, as it was seen.
    const SEEN: &[(&str, Meaning, Option<u64>)] = &[
        ("Incorrect API key provided: sk-x. You can find your API key at the dashboard.", Credentials, None),
        (
            "You didn't provide an API key. You need to provide your API key in an Authorization header.",
            Credentials,
            None,
        ),
        ("You exceeded your current quota, please check your plan and billing details.", Credit, None),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9120 tokens.",
            ContextTooLong,
            Some(8192),
        ),
        (
            "This model's maximum context length is 8192 tokens, however you requested 8977 tokens (8977 in your prompt; 0 \
             for the completion). Please reduce your prompt; or completion length.",
            ContextTooLong,
            Some(8192),
        ),
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            ContextTooLong,
            None,
        ),
        (
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
            ContextTooLong,
            Some(272_000),
        ),
        ("The model `gpt-9` does not exist or you do not have access to it.", UnknownModel, None),
        ("Invalid URL (POST /chat/completions)", NotAnApi, None),
        ("anthropic/fake-model-that-does-not-exist is not a valid model ID", UnknownModel, None),
        ("No endpoints found for nousresearch/hermes-3-llama-3.1-405b:free.", UnknownModel, None),
        ("No allowed providers are available for the selected model.", UnknownModel, None),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens.",
            ContextTooLong,
            Some(131_072),
        ),
        ("Insufficient credits. Add more using the credits page.", Credit, None),
        (
            "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 0.",
            Credit,
            None,
        ),
        (
            "More credits are required to run this request. 128000 token capacity required, 19484 available.",
            Credit,
            None,
        ),
        (
            "Prompt tokens limit exceeded: 230799 > 91442. To increase, create a key with a higher monthly limit",
            Credit,
            None,
        ),
        ("Key limit exceeded. Manage it using the keys page", Credit, None),
        ("No auth credentials found", Credentials, None),
        ("Your chosen model requires moderation and your input was flagged", ContentRefused, None),
        ("prompt is too long: 213462 tokens > 200000 maximum", ContextTooLong, Some(200_000)),
        ("Your credit balance is too low to access the API. Please go to Plans & Billing.", Credit, None),
        ("Overloaded", Server, None),
        ("API key not valid. Please pass a valid API key.", Credentials, None),
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            ContextTooLong,
            Some(1_048_575),
        ),
        (
            "The input token count 1196265 exceeds the maximum number of tokens allowed 1048575.",
            ContextTooLong,
            Some(1_048_575),
        ),
        (
            "models/gemini-x is not found for API version v1main, or is not supported for generateContent.",
            UnknownModel,
            None,
        ),
        ("model \"nope\" not found, try pulling it first", UnknownModel, None),
        ("model 'nope' not found", UnknownModel, None),
        ("model nope not found, try pulling it first", UnknownModel, None),
        ("No models loaded. Please load a model first.", UnknownModel, None),
        ("Model not found: nope", UnknownModel, None),
        ("Multiple models are loaded. Please specify a model by providing a 'model' field.", UnknownModel, None),
        ("Model is unloaded.", EngineLoading, None),
        ("Model is loading", EngineLoading, None),
        (
            "The number of tokens to keep from the initial prompt is greater than the context length. Try a larger one.",
            ContextTooLong,
            None,
        ),
        (
            "Trying to keep the first 4846 tokens when context the overflows. However, the model is loaded with context \
             length of only 4096 tokens, which is not enough.",
            ContextTooLong,
            Some(4096),
        ),
        ("Unexpected endpoint or method. (POST /chat/completions)", NotAnApi, None),
        ("Loading model", EngineLoading, None),
        ("the request exceeds the available context size, try increasing it", ContextTooLong, None),
        ("File Not Found", NotAnApi, None),
        ("Invalid API Key", Credentials, None),
        ("Insufficient Balance", Credit, None),
        ("Model Not Exist", UnknownModel, None),
        ("Invalid model: mistral-nope", UnknownModel, None),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            ContextTooLong,
            Some(131_072),
        ),
        ("Please reduce the length of the messages or completion.", ContextTooLong, None),
        ("The model `nope` does not exist.", UnknownModel, None),
        (
            "This model's maximum context length is 4096 tokens and your request has 5000 input tokens.",
            ContextTooLong,
            Some(4096),
        ),
    ];

    #[test]
    fn every_message_that_was_seen_is_understood() {
        for (message, meaning, number) in SEEN {
            assert_eq!(of_sentence(message), Some((*meaning, *number)), "{message}");
        }
    }

    #[test]
    fn every_pattern_has_a_message_that_was_seen() {
        for (pattern, _) in DIALECTS.iter().flat_map(|table| table.iter()) {
            assert!(SEEN.iter().any(|(message, ..)| matches(pattern, message).is_some()), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_covers_the_whole_message() {
        assert_eq!(of_sentence("He said: Overloaded"), None);
        assert_eq!(of_sentence("Overloaded. And more."), None);
        assert_eq!(of_sentence("overloaded"), Some((Server, None)));
        assert_eq!(of_sentence(""), None);
        assert_eq!(of_sentence("é"), None);
    }

    #[test]
    fn words_are_known_in_any_case_and_only_whole() {
        assert_eq!(of_word("RESOURCE_EXHAUSTED"), Some(RateLimit));
        assert_eq!(of_word("insufficient_quota"), Some(Credit));
        assert_eq!(of_word("insufficient"), None);
        assert_eq!(of_word("invalid_request_error"), None, "it says nothing");
    }

    #[test]
    fn numbers_are_read_with_and_without_commas() {
        assert_eq!(matches("at most # tokens*", "at most 1,048,576 tokens."), Some(Some(1_048_576)));
        assert_eq!(matches("at most # tokens*", "at most many tokens."), None);
        assert_eq!(matches("# #", "1 2"), Some(Some(1)));
    }
}
