//! Models behind OpenAI-compatible endpoints (llama.cpp server, Ollama, vLLM and others): `LanguageModel` over `HttpTransport`.
//!
//! `request` builds requests and `answer` parses responses, both without a network; [`LlmEndpoints`] connects them with a
//! transport.

mod answer;
mod request;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::backend::no_endpoint;
use crate::prelude::*;

/// Maximum texts per request.
const BATCH: usize = 64;

/// Authentication at an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub enum EndpointKey {
    /// None.
    None,
    /// A bearer token.
    Known(String),
    /// A bearer token from an unset environment variable.
    NotSet(String),
}

/// Without the secret.
impl fmt::Debug for EndpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Known(_) => f.write_str("Known(...)"),
            Self::NotSet(variable) => write!(f, "NotSet({variable})"),
        }
    }
}

/// A configured endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LlmEndpoint {
    /// Absolute URL, such as `http://127.0.0.1:8080/v1/embeddings`.
    pub url: String,
    /// The model to request, if the server has several.
    pub model: Option<String>,
    /// Authentication.
    pub api_key: EndpointKey,
    /// Timeout of a request.
    pub timeout: Duration,
}

/// The configured endpoints and their transport.
pub struct LlmEndpoints {
    /// `models.embeddings`.
    pub embeddings: Option<LlmEndpoint>,
    /// `models.chat`.
    pub chat: Option<LlmEndpoint>,
    /// `models.vision`, for messages with images.
    pub vision: Option<LlmEndpoint>,
    /// The transport, if any; it enforces the rules on hosts.
    pub http: Option<Arc<dyn HttpTransport>>,
}

impl LlmEndpoints {
    /// Sends a request and returns the body of a successful response.
    fn exchange(
        &self,
        key: &str,
        (endpoint, request): (&LlmEndpoint, HttpRequest),
        stop: &StopFlag,
    ) -> Result<Vec<u8>> {
        stop.check()?;
        if let EndpointKey::NotSet(variable) = &endpoint.api_key {
            return Err(tool_error!(PreconditionFailed, "no_key";
                "`{key}.api_key` names the variable `{variable}`, which is not set";
                "set `{variable}`, or omit `{key}.api_key`"));
        }
        let Some(http) = &self.http else {
            return Err(tool_error!(PreconditionFailed, "no_transport";
                "`{key}` is unavailable: this program has no HTTP client";
                "use the backend `lexical`"));
        };
        let response = http.send(&request, stop)?;
        match response.status {
            200..=299 if response.truncated => {
                let most = request.bytes_max;
                Err(tool_error!(ToolError, "answer";
                    "the response of `{key}` is larger than {most} bytes";
                    "send fewer texts, or use a model with shorter vectors"))
            }
            200..=299 => Ok(response.body),
            status => Err(answer::server_status_error(key, status, &response.body)),
        }
    }
}

impl LanguageModel for LlmEndpoints {
    fn embed(&self, texts: &[&str], stop: &StopFlag) -> Result<TextEmbeddings> {
        const KEY: &str = "models.embeddings";
        let endpoint = self.embeddings.as_ref().ok_or_else(|| no_endpoint(KEY))?;
        let mut all: Option<TextEmbeddings> = None;
        for batch in texts.chunks(BATCH) {
            let request = request::embeddings_request(endpoint, batch);
            let body = self.exchange(KEY, (endpoint, request), stop)?;
            let part = answer::parse_embeddings(&body, batch.len(), endpoint.model.as_deref());
            let part = part.map_err(|err| err.of(KEY))?;
            match &mut all {
                Some(all) => answer::append_batch(all, part).map_err(|err| err.of(KEY))?,
                None => all = Some(part),
            }
        }
        Ok(all.unwrap_or_else(|| TextEmbeddings {
            backend: answer::backend_name(endpoint.model.as_deref()),
            vectors: Vec::new(),
        }))
    }

    fn chat(&self, messages: &[ModelMessage], stop: &StopFlag) -> Result<ModelReply> {
        let sees = messages.iter().any(|message| !message.images.is_empty());
        let (key, endpoint) = match sees {
            true => ("models.vision", &self.vision),
            false => ("models.chat", &self.chat),
        };
        let endpoint = endpoint.as_ref().ok_or_else(|| no_endpoint(key))?;
        let body = self.exchange(
            key,
            (endpoint, request::chat_request(endpoint, messages)),
            stop,
        )?;
        answer::parse_chat_reply(&body, endpoint.model.as_deref()).map_err(|err| err.of(key))
    }
}
