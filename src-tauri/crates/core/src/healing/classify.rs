//! From what happened on the wire to what it means. Facts first: the status, the code, the type; a provider's wording
//! only where nothing else tells, and only in [`super::dialect`].

use std::time::Duration;

use serde_json::Value;

use super::dialect;
use super::failure::{EngineFault, FailureKind};
use crate::providers::{EngineError, ErrorBody, FinishReason, NetworkKind, ProviderError};

/// What an error body can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Credentials,
    Credit,
    RateLimit,
    UnknownModel,
    ContextTooLong,
    ContentRefused,
    Server,
    EngineLoading,
    NotAnApi,
}

/// How often an error may be wrapped in another that is looked into.
const DEEPEST: usize = 3;

/// What a provider's error means.
pub fn classify(error: &ProviderError) -> FailureKind {
    match error {
        ProviderError::Network { kind } => FailureKind::Network { kind: *kind },
        ProviderError::Timeout { phase } => FailureKind::Timeout { phase: *phase },
        ProviderError::Status { status: 407, .. } => FailureKind::Network { kind: NetworkKind::Proxy },
        ProviderError::Status { status, retry_after, body } => refused(*status, *retry_after, body),
        ProviderError::InStream { body } => refused(status_in(body), None, body),
        ProviderError::Truncated => FailureKind::TruncatedStream,
        ProviderError::Empty => FailureKind::EmptyAnswer,
        ProviderError::Malformed => FailureKind::MalformedAnswer,
        ProviderError::WebPage => FailureKind::NotAnApi,
        ProviderError::NoKey => FailureKind::NoKey,
        ProviderError::UnusableKey => FailureKind::Credentials,
        ProviderError::BadAddress => FailureKind::BadAddress,
        ProviderError::Engine(error) => FailureKind::Engine(of_engine(error)),
    }
}

fn of_engine(error: &EngineError) -> EngineFault {
    match error {
        EngineError::NotInstalled | EngineError::NoModel => EngineFault::Missing,
        EngineError::WillNotStart { diagnosis, .. } => EngineFault::Start { diagnosis: *diagnosis },
        EngineError::NotReady => EngineFault::Start { diagnosis: None },
        EngineError::Exited { diagnosis, .. } => EngineFault::Exited { diagnosis: *diagnosis },
        EngineError::KilledForMemory { .. } => EngineFault::OutOfMemory,
        EngineError::Unhealthy => EngineFault::Unhealthy,
        EngineError::Resting { until } => EngineFault::Resting { until: *until },
        EngineError::Flapping { until, diagnosis, .. } => {
            EngineFault::Flapping { until: *until, diagnosis: *diagnosis }
        }
    }
}

/// What is wrong with an answer that came to its end, if anything is. `text` is what a person would see of it.
pub fn classify_end(finish: Option<&FinishReason>, text: &str) -> Option<FailureKind> {
    match finish {
        Some(FinishReason::ContentFilter) => Some(FailureKind::ContentRefused),
        Some(FinishReason::Stop | FinishReason::Length | FinishReason::Other(_)) | None => {
            text.trim().is_empty().then_some(FailureKind::EmptyAnswer)
        }
    }
}

/// The status of an error that came with a success: its code where that is one, else 200.
fn status_in(body: &ErrorBody) -> u16 {
    let code = body.code.as_deref().and_then(|code| code.parse().ok());
    code.filter(|code| (400..600).contains(code)).unwrap_or(200)
}

fn refused(status: u16, retry_after: Option<Duration>, body: &ErrorBody) -> FailureKind {
    let (meaning, limit_tokens) = match meaning_of(body, DEEPEST) {
        Some((meaning, limit)) => (meaning, limit),
        None => (
            match meaning_of_status(status, body) {
                Some(meaning) => meaning,
                None => return FailureKind::Rejected { status, said: said(body) },
            },
            None,
        ),
    };
    match meaning {
        Meaning::Credentials => FailureKind::Credentials,
        Meaning::Credit => FailureKind::Credit,
        Meaning::RateLimit => FailureKind::RateLimit { retry_after },
        Meaning::UnknownModel => FailureKind::UnknownModel,
        Meaning::ContextTooLong => FailureKind::ContextTooLong { limit_tokens },
        Meaning::ContentRefused => FailureKind::ContentRefused,
        Meaning::Server => FailureKind::Server { status, retry_after },
        Meaning::EngineLoading => FailureKind::EngineLoading,
        Meaning::NotAnApi => FailureKind::NotAnApi,
    }
}

/// What a body says by its facts, then by what it wraps, then by its sentence; and a limit in tokens where it names one.
fn meaning_of(body: &ErrorBody, depth: usize) -> Option<(Meaning, Option<u64>)> {
    let sentence = body.message.as_deref().and_then(dialect::of_sentence);
    let limit = || token_limit(body).or(sentence.and_then(|(_, number)| number));
    let word = [&body.code, &body.kind].into_iter().flatten().find_map(|word| dialect::of_word(word));
    let fact = word.or_else(|| was_flagged(body).then_some(Meaning::ContentRefused));
    if let Some(meaning) = fact {
        return Some((meaning, limit()));
    }
    if let Some(inner) = wrapped(body).filter(|_| depth > 0) {
        // What a provider behind the provider says of *its* account is not about the person's.
        let found = meaning_of(&inner, depth - 1).filter(|(meaning, _)| !is_about_the_account(*meaning));
        if found.is_some() {
            return found;
        }
    }
    sentence.map(|(meaning, _)| (meaning, limit()))
}

fn is_about_the_account(meaning: Meaning) -> bool {
    match meaning {
        Meaning::Credentials | Meaning::Credit => true,
        Meaning::RateLimit
        | Meaning::UnknownModel
        | Meaning::ContextTooLong
        | Meaning::ContentRefused
        | Meaning::Server
        | Meaning::EngineLoading
        | Meaning::NotAnApi => false,
    }
}

/// What the status alone tells.
fn meaning_of_status(status: u16, body: &ErrorBody) -> Option<Meaning> {
    match status {
        // An error inside a success is the provider's fault unless it says otherwise.
        200..=299 => Some(Meaning::Server),
        401 => Some(Meaning::Credentials),
        402 => Some(Meaning::Credit),
        413 => Some(Meaning::ContextTooLong),
        429 => Some(Meaning::RateLimit),
        // A model service tells of a missing model in an error object; anything else is not one.
        404 if has_error_object(body) => Some(Meaning::UnknownModel),
        300..=399 | 404 | 405 | 410 => Some(Meaning::NotAnApi),
        408 | 500..=599 => Some(Meaning::Server),
        _ => None,
    }
}

fn has_error_object(body: &ErrorBody) -> bool {
    body.json.as_deref().and_then(|json| json.get("error")).is_some_and(Value::is_object)
}

/// The `metadata` that OpenRouter adds to an error.
fn metadata(body: &ErrorBody) -> Option<&Value> {
    let json = body.json.as_deref()?;
    ["/error/metadata", "/metadata"].iter().find_map(|path| json.pointer(path))
}

/// OpenRouter names the reasons of a moderation.
fn was_flagged(body: &ErrorBody) -> bool {
    metadata(body).is_some_and(|metadata| metadata.get("flagged_input").is_some())
}

/// The error of the provider behind OpenRouter, as JSON in a text or as plain words.
fn wrapped(body: &ErrorBody) -> Option<ErrorBody> {
    let raw = metadata(body)?.get("raw")?;
    let value = match raw {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| raw.clone()),
        other => other.clone(),
    };
    Some(ErrorBody::of(value))
}

/// The words nearest to the cause.
fn said(body: &ErrorBody) -> Option<String> {
    wrapped(body).and_then(|inner| inner.message).or_else(|| body.message.clone())
}

/// The context's size, where it is a field of its own.
fn token_limit(body: &ErrorBody) -> Option<u64> {
    let json = body.json.as_deref()?;
    ["/error/n_ctx", "/n_ctx"].iter().find_map(|path| json.pointer(path)?.as_u64())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(status: u16, body: Value) -> FailureKind {
        classify(&ProviderError::Status { status, retry_after: None, body: ErrorBody::of(body) })
    }

    fn in_stream(body: Value) -> FailureKind {
        classify(&ProviderError::InStream { body: ErrorBody::of(body) })
    }

    const NO_WAIT: Option<Duration> = None;

    #[test]
    fn a_status_that_nothing_explains_means_what_it_usually_means() {
        let nothing = || json!({});
        let bare = |code| status(code, nothing());
        assert_eq!(bare(401), FailureKind::Credentials);
        assert_eq!(bare(402), FailureKind::Credit);
        assert_eq!(bare(429), FailureKind::RateLimit { retry_after: NO_WAIT });
        assert_eq!(bare(413), FailureKind::ContextTooLong { limit_tokens: None });
        assert_eq!(bare(408), FailureKind::Server { status: 408, retry_after: NO_WAIT });
        assert_eq!(bare(529), FailureKind::Server { status: 529, retry_after: NO_WAIT });
        assert_eq!(bare(407), FailureKind::Network { kind: NetworkKind::Proxy });
        for elsewhere in [301, 308, 404, 405] {
            assert_eq!(bare(elsewhere), FailureKind::NotAnApi, "{elsewhere}");
        }
        for unknown in [400, 403, 409, 418, 422, 451] {
            assert_eq!(bare(unknown), FailureKind::Rejected { status: unknown, said: None });
        }
    }

    #[test]
    fn facts_outrank_the_status_and_the_sentence() {
        let quota = json!({"error": {"message": "Loading model", "code": "insufficient_quota"}});
        assert_eq!(status(503, quota), FailureKind::Credit);
        let model = json!({"error": {"message": "x", "code": "model_not_found"}});
        assert_eq!(status(403, model), FailureKind::UnknownModel);
    }

    #[test]
    fn a_missing_model_is_told_from_a_missing_page() {
        let missing = json!({"error": {"message": "no such thing", "code": 404}});
        assert_eq!(status(404, missing), FailureKind::UnknownModel);
        assert_eq!(status(404, json!({"detail": "Not Found"})), FailureKind::NotAnApi);
        assert_eq!(status(404, json!({"error": {"message": "File Not Found", "code": 404}})), FailureKind::NotAnApi);
        let wrong_path =
            json!({"error": {"message": "Invalid URL (POST /v2/chat/completions)", "type": "invalid_request_error"}});
        assert_eq!(status(404, wrong_path), FailureKind::NotAnApi);
    }

    #[test]
    fn an_error_inside_a_success_is_the_providers_fault_unless_it_says_otherwise() {
        let server = |status| FailureKind::Server { status, retry_after: NO_WAIT };
        assert_eq!(classify(&ProviderError::InStream { body: ErrorBody::default() }), server(200));
        assert_eq!(in_stream(json!({"error": "gone"})), server(200));
        assert_eq!(in_stream(json!({"error": {"code": 502, "message": "x"}})), server(502));
        assert_eq!(
            in_stream(json!({"error": {"code": "429", "message": "x"}})),
            FailureKind::RateLimit { retry_after: NO_WAIT }
        );
        assert_eq!(
            in_stream(json!({"error": {"code": 400, "message": "x"}})),
            FailureKind::Rejected { status: 400, said: Some("x".into()) }
        );
        assert_eq!(in_stream(json!({"error": "Unexpected endpoint or method. (POST /x)"})), FailureKind::NotAnApi);
    }

    fn relayed(code: u16, raw: Value) -> Value {
        json!({"error": {"message": "Provider returned error", "code": code, "metadata": {"raw": raw, "provider_name": "P"}}})
    }

    #[test]
    fn what_open_router_hands_on_is_looked_into() {
        let raw = json!({"error": {"message": "This model's maximum context length is 8192 tokens. However, x.", "code": null}});
        let too_long = FailureKind::ContextTooLong { limit_tokens: Some(8192) };
        assert_eq!(status(400, relayed(400, json!(raw.to_string()))), too_long);
        assert_eq!(status(400, relayed(400, raw)), too_long);
        let busy = relayed(429, json!("m is temporarily rate-limited upstream. Please retry shortly"));
        assert_eq!(status(429, busy), FailureKind::RateLimit { retry_after: NO_WAIT });
        let their_key = relayed(502, json!(json!({"error": {"code": "invalid_api_key", "message": "x"}}).to_string()));
        assert_eq!(status(502, their_key), FailureKind::Server { status: 502, retry_after: NO_WAIT });
    }

    #[test]
    fn a_rejection_carries_the_words_nearest_to_the_cause() {
        let said = |text: &str| FailureKind::Rejected { status: 400, said: Some(text.into()) };
        assert_eq!(status(400, json!({"error": "too many images"})), said("too many images"));
        assert_eq!(status(400, relayed(400, json!("only one image per prompt"))), said("only one image per prompt"));
    }

    #[test]
    fn an_answer_without_text_is_a_failure_and_a_refused_one_too() {
        assert_eq!(classify_end(Some(&FinishReason::Stop), " \n"), Some(FailureKind::EmptyAnswer));
        assert_eq!(classify_end(Some(&FinishReason::Length), "a"), None);
        assert_eq!(classify_end(None, "a"), None);
        assert_eq!(classify_end(Some(&FinishReason::ContentFilter), "I "), Some(FailureKind::ContentRefused));
    }
}
