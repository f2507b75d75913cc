//! One JSON value of an answer, taken apart: a piece of a stream, or a whole answer from a server that does not stream.

use serde_json::Value;

use crate::providers::error::{ErrorBody, ProviderError};
use crate::providers::error_body::is_error;
use crate::providers::secret::Secret;
use crate::providers::{Chunk, FinishReason, TokenChoices, TokenUsage};

/// What a value holds, in the order in which it is to be told.
pub(super) fn parts(value: &Value, key: Option<&Secret>) -> Vec<Result<Chunk, ProviderError>> {
    let choice = value.get("choices").and_then(|choices| choices.get(0));
    let mut parts: Vec<_> = choice.map(texts).unwrap_or_default().into_iter().map(Ok).collect();
    parts.extend(choice.and_then(tokens).map(|tokens| Ok(Chunk::Tokens(tokens))));
    if let Some(error) = error_in(value, choice) {
        parts.push(Err(ProviderError::InStream { body: ErrorBody::from_json(error.clone(), key) }));
        return parts;
    }
    match choice.and_then(|choice| choice.get("finish_reason")).and_then(Value::as_str) {
        Some("error") => parts.push(Err(ProviderError::InStream { body: ErrorBody::default() })),
        Some(reason) if !reason.is_empty() => parts.push(Ok(Chunk::Finish(finish_reason(reason)))),
        _ => {}
    }
    parts.extend(value.get("usage").and_then(usage).map(|usage| Ok(Chunk::Usage(usage))));
    parts
}

/// The tokens of a choice, each with the likeliest in its place (`logprobs.content`).
fn tokens(choice: &Value) -> Option<Vec<TokenChoices>> {
    let word = |token: &Value| token.get("token")?.as_str().map(str::to_owned);
    let choice_of = |token: &Value| Some((word(token)?, token.get("logprob")?.as_f64()?));
    let read = |token: &Value| {
        let likeliest = token.get("top_logprobs").and_then(Value::as_array);
        let choices = likeliest.into_iter().flatten().filter_map(choice_of).collect();
        Some(TokenChoices { token: word(token)?, choices })
    };
    let tokens: Vec<_> = choice.get("logprobs")?.get("content")?.as_array()?.iter().filter_map(read).collect();
    (!tokens.is_empty()).then_some(tokens)
}

/// The error that a value is, or that one of its choices carries.
fn error_in<'a>(value: &'a Value, choice: Option<&'a Value>) -> Option<&'a Value> {
    if is_error(value) {
        return Some(value);
    }
    choice.filter(|choice| choice.get("error").is_some_and(|error| !error.is_null()))
}

/// The reasoning and the text of a choice: `delta` in a stream, `message` in a whole answer, `text` in old servers.
fn texts(choice: &Value) -> Vec<Chunk> {
    let Some(delta) = ["delta", "message"].iter().find_map(|name| choice.get(*name).filter(|field| field.is_object()))
    else {
        return choice.get("text").map(content).unwrap_or_default();
    };
    let mut chunks = Vec::new();
    // Servers that send both fields send the same text in both.
    let reasoning = ["reasoning_content", "reasoning"].iter().find_map(|name| non_empty(delta.get(*name)?));
    chunks.extend(reasoning.map(|text| Chunk::Reasoning(text.to_owned())));
    for name in ["content", "refusal"] {
        chunks.extend(delta.get(name).map(content).unwrap_or_default());
    }
    chunks
}

/// Content is a text, nothing, or a list of parts, some of which are reasoning.
fn content(content: &Value) -> Vec<Chunk> {
    match content {
        Value::String(text) if !text.is_empty() => vec![Chunk::Text(text.clone())],
        Value::Array(parts) => parts.iter().flat_map(part).collect(),
        _ => Vec::new(),
    }
}

fn part(part: &Value) -> Vec<Chunk> {
    if let Some(thinking) = part.get("thinking") {
        return content(thinking)
            .into_iter()
            .map(|chunk| match chunk {
                Chunk::Text(text) => Chunk::Reasoning(text),
                other => other,
            })
            .collect();
    }
    let text = part.get("text").or_else(|| part.get("refusal")).unwrap_or(part);
    non_empty(text).map(|text| Chunk::Text(text.to_owned())).into_iter().collect()
}

fn non_empty(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "stop_sequence" => FinishReason::Stop,
        "length" | "max_tokens" | "model_length" => FinishReason::Length,
        "content_filter" | "safety" | "refusal" | "prohibited_content" | "recitation" => FinishReason::ContentFilter,
        _ => FinishReason::Other(reason.to_owned()),
    }
}

fn usage(value: &Value) -> Option<TokenUsage> {
    let count = |name: &str| {
        let count = value.get(name)?;
        count.as_u64().or_else(|| count.as_f64().filter(|count| *count >= 0.0).map(|count| count as u64))
    };
    let usage = TokenUsage {
        prompt_tokens: count("prompt_tokens"),
        completion_tokens: count("completion_tokens"),
        cost: value.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0),
    };
    (usage != TokenUsage::default()).then_some(usage)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Vec<Result<Chunk, ProviderError>> {
        parts(&value, None)
    }

    fn text(text: &str) -> Result<Chunk, ProviderError> {
        Ok(Chunk::Text(text.into()))
    }

    fn delta(delta: Value) -> Value {
        json!({"choices": [{"delta": delta, "finish_reason": null}]})
    }

    #[test]
    fn content_is_a_text_or_nothing_or_a_list_of_parts() {
        assert_eq!(read(delta(json!({"content": "a"}))), [text("a")]);
        for nothing in [json!({}), json!({"content": null}), json!({"content": ""}), json!({"role": "assistant"})] {
            assert_eq!(read(delta(nothing)), []);
        }
        let parts = json!([{"type": "text", "text": "a"}, "b", {"type": "image_url"}, {"type": "text", "text": ""}]);
        assert_eq!(read(delta(json!({"content": parts}))), [text("a"), text("b")]);
        assert_eq!(read(delta(json!({"refusal": "I won't."}))), [text("I won't.")]);
    }

    #[test]
    fn reasoning_has_fields_of_its_own() {
        let reasoning = |text: &str| Ok(Chunk::Reasoning(text.into()));
        assert_eq!(read(delta(json!({"reasoning_content": "r", "content": "a"}))), [reasoning("r"), text("a")]);
        assert_eq!(read(delta(json!({"reasoning": "r", "reasoning_content": "r"}))), [reasoning("r")]);
        assert_eq!(read(delta(json!({"reasoning": null, "content": "a"}))), [text("a")]);
        let thinking = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}]);
        assert_eq!(read(delta(json!({"content": thinking}))), [reasoning("r")]);
    }

    #[test]
    fn a_whole_answer_reads_like_a_stream_of_one() {
        let whole = json!({
            "choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        });
        let usage = TokenUsage { prompt_tokens: Some(3), completion_tokens: Some(1), cost: None };
        assert_eq!(read(whole), [text("Hi"), Ok(Chunk::Finish(FinishReason::Stop)), Ok(Chunk::Usage(usage))]);
        assert_eq!(read(json!({"choices": [{"text": "Hi"}]})), [text("Hi")]);
    }

    #[test]
    fn the_likeliest_tokens_come_along_where_the_server_tells_them() {
        let logprobs = json!({"content": [
            {"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": [{"token": "a", "logprob": -0.5}, {"token": "b"}]},
        ]});
        let value = json!({"choices": [{"delta": {"content": "a"}, "logprobs": logprobs, "finish_reason": null}]});
        let token = TokenChoices { token: "a".into(), choices: vec![("a".into(), -0.5)] };
        assert_eq!(read(value), [text("a"), Ok(Chunk::Tokens(vec![token]))]);
        let without = json!({"choices": [{"delta": {"content": "a"}, "logprobs": null}]});
        assert_eq!(read(without), [text("a")]);
    }

    #[test]
    fn finish_reasons_are_read_in_every_providers_word() {
        let finish = |reason: &str| read(json!({"choices": [{"delta": {}, "finish_reason": reason}]}));
        assert_eq!(finish("max_tokens"), [Ok(Chunk::Finish(FinishReason::Length))]);
        assert_eq!(finish("SAFETY"), [Ok(Chunk::Finish(FinishReason::ContentFilter))]);
        assert_eq!(finish("tool_calls"), [Ok(Chunk::Finish(FinishReason::Other("tool_calls".into())))]);
        assert_eq!(finish("error"), [Err(ProviderError::InStream { body: ErrorBody::default() })]);
        assert_eq!(finish(""), []);
    }

    #[test]
    fn usage_that_says_nothing_is_no_usage() {
        assert_eq!(read(json!({"choices": [], "usage": null})), []);
        assert_eq!(read(json!({"choices": [], "usage": {}})), []);
        let usage = TokenUsage { prompt_tokens: Some(9), completion_tokens: None, cost: Some(2e-5) };
        assert_eq!(
            read(json!({"choices": [], "usage": {"prompt_tokens": 9.0, "completion_tokens": -1, "cost": 2e-5}})),
            [Ok(Chunk::Usage(usage))]
        );
    }

    #[test]
    fn an_error_comes_after_the_text_of_its_own_event_and_ends_it() {
        let event = json!({
            "error": {"code": 502, "message": "gone"},
            "choices": [{"delta": {"content": "a"}, "finish_reason": "error"}],
            "usage": {"prompt_tokens": 1},
        });
        let body = ErrorBody::from_json(event.clone(), None);
        assert_eq!((body.message.as_deref(), body.code.as_deref()), (Some("gone"), Some("502")));
        assert_eq!(read(event), [text("a"), Err(ProviderError::InStream { body })]);
        let in_choice = json!({"choices": [{"delta": {}, "error": {"message": "gone"}}]});
        assert!(
            matches!(&read(in_choice)[..], [Err(ProviderError::InStream { body })] if body.message.as_deref() == Some("gone"))
        );
    }
}
