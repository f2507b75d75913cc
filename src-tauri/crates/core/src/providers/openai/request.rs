//! What is sent.

use serde_json::{Value, json};

use crate::providers::preset::Preset;
use crate::providers::{ChatRequest, JsonSchema};

/// The request's body.
pub(super) fn body(request: &ChatRequest, preset: Preset) -> Value {
    let mut body = json!({
        "model": request.model,
        "messages": request.messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if let Some(temperature) = request.temperature {
        body["temperature"] = json!(shortest_decimal(temperature));
    }
    if let Some(max_tokens) = request.max_tokens {
        body[limit_field(preset)] = json!(max_tokens);
    }
    if let Some(schema) = &request.schema {
        body["response_format"] = response_format(schema);
    }
    if let Some(count) = request.logprobs {
        body["logprobs"] = json!(true);
        body["top_logprobs"] = json!(count);
    }
    if preset == Preset::OpenRouter {
        // Its own way to ask for the cost.
        body["usage"] = json!({"include": true});
    }
    body
}

/// OpenAI's newer models refuse `max_tokens`; other servers know nothing else.
fn limit_field(preset: Preset) -> &'static str {
    match preset {
        Preset::OpenAi => "max_completion_tokens",
        Preset::BuiltIn
        | Preset::OpenRouter
        | Preset::Ollama
        | Preset::LmStudio
        | Preset::LlamaCpp
        | Preset::Custom => "max_tokens",
    }
}

fn response_format(schema: &JsonSchema) -> Value {
    json!({
        "type": "json_schema",
        "json_schema": {"name": schema.name, "strict": true, "schema": schema.schema},
    })
}

/// 0.2, not 0.20000000298023224: what an `f32` becomes as an `f64` reads oddly in a log.
fn shortest_decimal(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| f64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::providers::{ChatMessage, ChatRole};

    fn request() -> ChatRequest {
        ChatRequest {
            model: "m".into(),
            messages: vec![
                ChatMessage { role: ChatRole::System, content: "Be kind.".into() },
                ChatMessage { role: ChatRole::User, content: "Hello".into() },
            ],
            temperature: None,
            max_tokens: None,
            schema: None,
            logprobs: None,
        }
    }

    #[test]
    fn a_plain_request_asks_for_a_stream_with_usage_and_for_nothing_else() {
        assert_eq!(
            body(&request(), Preset::Custom),
            json!({
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Be kind."},
                    {"role": "user", "content": "Hello"},
                ],
                "stream": true,
                "stream_options": {"include_usage": true},
            })
        );
    }

    #[test]
    fn a_full_request_says_it_in_the_services_own_words() {
        let full = ChatRequest {
            temperature: Some(0.2),
            max_tokens: Some(64),
            schema: Some(JsonSchema { name: "facts", schema: json!({"type": "object"}) }),
            logprobs: Some(15),
            ..request()
        };
        let format = json!({
            "type": "json_schema",
            "json_schema": {"name": "facts", "strict": true, "schema": {"type": "object"}},
        });
        let open_router = body(&full, Preset::OpenRouter);
        assert_eq!(open_router["temperature"], json!(0.2));
        assert_eq!(open_router["max_tokens"], json!(64));
        assert_eq!(open_router["response_format"], format);
        assert_eq!(open_router["usage"], json!({"include": true}));
        assert_eq!((&open_router["logprobs"], &open_router["top_logprobs"]), (&json!(true), &json!(15)));
        let open_ai = body(&full, Preset::OpenAi);
        assert_eq!(open_ai["max_completion_tokens"], json!(64));
        assert_eq!((open_ai.get("max_tokens"), open_ai.get("usage")), (None, None));
    }
}
