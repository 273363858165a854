//! Requests to OpenAI-compatible endpoints.

use tool_core::capability::MessageSpeaker;

use super::{EndpointKey, LlmEndpoint};
use crate::prelude::*;

/// Maximum size of a response in bytes: 64 vectors of 16,384 numbers as JSON.
const EMBEDDINGS_BYTES_MAX: u64 = 32 << 20;
const CHAT_BYTES_MAX: u64 = 4 << 20;
/// Maximum length of a reply in tokens.
const TOKENS_MAX: i64 = 4096;

/// A request for vectors.
pub(crate) fn embeddings_request(endpoint: &LlmEndpoint, texts: &[&str]) -> HttpRequest {
    let inputs = texts.iter().map(|text| Value::from(*text)).collect();
    let mut members = model_member(endpoint);
    members.push(("input", Value::array(inputs)));
    members.push(("encoding_format", Value::from("float")));
    post_request(endpoint, members, EMBEDDINGS_BYTES_MAX)
}

/// A chat request with the most deterministic settings.
pub(crate) fn chat_request(endpoint: &LlmEndpoint, messages: &[ModelMessage]) -> HttpRequest {
    let mut members = model_member(endpoint);
    let messages = messages.iter().map(message_to_json).collect();
    members.push(("messages", Value::array(messages)));
    members.push(("temperature", Value::from(0_i64)));
    members.push(("max_tokens", Value::from(TOKENS_MAX)));
    members.push(("stream", Value::from(false)));
    post_request(endpoint, members, CHAT_BYTES_MAX)
}

fn model_member(endpoint: &LlmEndpoint) -> Vec<(&'static str, Value)> {
    let model = endpoint
        .model
        .as_deref()
        .map(|model| ("model", model.into()));
    model.into_iter().collect()
}

/// Without images the content is a plain text, which servers without vision accept.
fn message_to_json(message: &ModelMessage) -> Value {
    let role = match message.speaker {
        MessageSpeaker::System => "system",
        MessageSpeaker::User => "user",
        MessageSpeaker::Assistant => "assistant",
    };
    let content = match message.images.as_slice() {
        [] => Value::from(message.text.as_str()),
        images => {
            let text = Value::object([
                ("type", Value::from("text")),
                ("text", Value::from(message.text.as_str())),
            ]);
            let images = images.iter().map(|image| {
                let url = format!("data:{};base64,{}", image.media_type, image.base64);
                let url = Value::object([("url", Value::from(url.as_str()))]);
                Value::object([("type", Value::from("image_url")), ("image_url", url)])
            });
            Value::array(std::iter::once(text).chain(images).collect())
        }
    };
    Value::object([("role", Value::from(role)), ("content", content)])
}

fn post_request(
    endpoint: &LlmEndpoint,
    members: Vec<(&'static str, Value)>,
    bytes_max: u64,
) -> HttpRequest {
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        ("Accept".to_owned(), "application/json".to_owned()),
    ];
    if let EndpointKey::Known(key) = &endpoint.api_key {
        headers.push(("Authorization".to_owned(), format!("Bearer {key}")));
    }
    HttpRequest {
        method: HttpMethod::Post,
        headers,
        body: json::to_text(&Value::object(members)).into_bytes(),
        timeout: endpoint.timeout,
        bytes_max,
        redirects_max: 0,
        ..HttpRequest::get(endpoint.url.clone())
    }
}
