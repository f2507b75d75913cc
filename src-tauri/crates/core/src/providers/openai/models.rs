//! The list of models, from servers that agree on little more than `id`.

use serde_json::Value;

use crate::providers::ModelInfo;
use crate::providers::error::{ErrorBody, ProviderError};
use crate::providers::error_body::is_error;
use crate::providers::secret::Secret;

/// The longest list that is read, in bytes.
pub(super) const LONGEST_LIST: usize = 16 * 1024 * 1024;

/// The most entries that are taken.
const MOST_MODELS: usize = 5000;

/// Reads a list of models: `{"data": […]}`, `{"models": […]}` or `[…]`. Entries without an id are passed by.
///
/// # Errors
/// [`ProviderError::WebPage`] for a page, [`ProviderError::InStream`] for an error that came with a success,
/// [`ProviderError::Malformed`] for anything else that is no list.
pub(super) fn parse(body: &[u8], key: Option<&Secret>) -> Result<Vec<ModelInfo>, ProviderError> {
    if body.trim_ascii_start().starts_with(b"<") {
        return Err(ProviderError::WebPage);
    }
    let value: Value = serde_json::from_slice(body).map_err(|_| ProviderError::Malformed)?;
    let list = value.as_array().or_else(|| ["data", "models"].iter().find_map(|name| value.get(*name)?.as_array()));
    match list {
        Some(entries) => Ok(entries.iter().filter_map(model).take(MOST_MODELS).collect()),
        None if is_error(&value) => Err(ProviderError::InStream { body: ErrorBody::from_json(value, key) }),
        // A server without any model may say `"data": null`.
        None if value.get("data").is_some_and(Value::is_null) => Ok(Vec::new()),
        None => Err(ProviderError::Malformed),
    }
}

fn model(entry: &Value) -> Option<ModelInfo> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let id = entry.as_str().or_else(|| text("id")).or_else(|| text("model")).or_else(|| text("name"))?;
    let name = text("display_name").or_else(|| text("name")).filter(|name| *name != id);
    Some(ModelInfo { id: id.to_owned(), name: name.map(str::to_owned), context_tokens: context_tokens(entry) })
}

/// The context's size: what the server runs with before what the model was trained with.
fn context_tokens(entry: &Value) -> Option<u64> {
    let known = [
        "/loaded_context_length",
        "/meta/n_ctx",
        "/context_length",
        "/context_window",
        "/max_model_len",
        "/max_context_length",
        "/top_provider/context_length",
        "/meta/n_ctx_train",
    ];
    known.iter().find_map(|path| entry.pointer(path)?.as_u64().filter(|tokens| *tokens > 0))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Vec<ModelInfo>, ProviderError> {
        parse(value.to_string().as_bytes(), None)
    }

    fn info(id: &str, name: Option<&str>, context_tokens: Option<u64>) -> ModelInfo {
        ModelInfo { id: id.into(), name: name.map(Into::into), context_tokens }
    }

    #[test]
    fn every_usual_list_is_read_in_its_own_order() {
        let list = json!({"data": [
            {"id": "z/b", "name": "B", "context_length": 200000, "top_provider": {"context_length": 1}},
            {"id": "a.gguf", "meta": {"n_ctx_train": 32768}},
            {"id": "v", "max_model_len": 4096},
            {"id": "plain", "name": "plain"},
        ]});
        let expected = vec![
            info("z/b", Some("B"), Some(200_000)),
            info("a.gguf", None, Some(32768)),
            info("v", None, Some(4096)),
            info("plain", None, None),
        ];
        assert_eq!(read(list), Ok(expected));
        assert_eq!(read(json!([{"id": "a"}])), Ok(vec![info("a", None, None)]));
        assert_eq!(read(json!({"models": [{"name": "a", "model": "a"}]})), Ok(vec![info("a", None, None)]));
        assert_eq!(read(json!({"data": null})), Ok(vec![]));
        assert_eq!(read(json!([])), Ok(vec![]));
    }

    #[test]
    fn odd_entries_do_not_hide_the_good_ones() {
        let list =
            json!({"data": [null, 7, {}, {"id": ""}, {"id": 3}, "bare", {"id": " good ", "context_length": "8k"}]});
        assert_eq!(read(list), Ok(vec![info("bare", None, None), info("good", None, None)]));
    }

    #[test]
    fn a_list_without_end_is_cut() {
        let list: Vec<_> = (0..MOST_MODELS + 1).map(|n| json!({"id": n.to_string()})).collect();
        assert_eq!(read(Value::Array(list)).map(|models| models.len()), Ok(MOST_MODELS));
    }

    #[test]
    fn what_is_no_list_says_why() {
        assert_eq!(parse(b"\n<!DOCTYPE html><html>", None), Err(ProviderError::WebPage));
        assert_eq!(parse(b"ok", None), Err(ProviderError::Malformed));
        assert_eq!(read(json!({"status": "ok"})), Err(ProviderError::Malformed));
        assert!(
            matches!(read(json!({"error": "no"})), Err(ProviderError::InStream { body }) if body.message.as_deref() == Some("no"))
        );
    }
}
