//! What tools reach beyond this machine: the web and models.

use std::collections::BTreeMap;

use tool_core::{Decode, Describe, names};

/// Access to the web.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct WebConfig {
    /// Where present, the only hosts that may be reached, whatever was approved
    pub allow_hosts: Option<Vec<String>>,
    /// Hosts that may never be reached, redirects included
    pub deny_hosts: Vec<String>,
    /// Longest exchange, in seconds
    #[schema(range(min = 1))]
    pub timeout_s: Option<u64>,
    /// Largest answer, in bytes
    #[schema(range(min = 1))]
    pub bytes_max: Option<u64>,
    /// Addresses of services instead of the public ones, by provider
    pub services: BTreeMap<String, String>,
    /// Provider of `web_search`
    pub search: Option<WebSearchConfig>,
}

names! {
    /// A provider of `web_search`.
    SearchProvider {
        /// Wikipedia: without a key.
        Wikipedia = "wikipedia",
        /// A SearXNG server of the user's.
        Searxng = "searxng",
        /// The Brave Search API: with a key.
        Brave = "brave",
    }
}

/// The provider of `web_search`.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
pub struct WebSearchConfig {
    /// Name of the provider
    pub provider: SearchProvider,
    /// Address, http or https
    #[value(default)]
    pub endpoint: Option<String>,
    /// `env:NAME`, the environment variable that holds the key; never the key itself
    #[value(default)]
    pub api_key: Option<KeyVariable>,
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
pub struct ModelEndpoint {
    /// Absolute http(s) URL without user and password
    pub endpoint: String,
    /// `env:NAME`, the environment variable that holds the key; never the key itself
    #[value(default)]
    pub api_key: Option<KeyVariable>,
    /// Name of the model, where the server has several
    #[value(default)]
    pub model: Option<String>,
    /// Longest wait for one answer, in milliseconds
    #[value(default)]
    #[schema(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// The environment variable that holds a key, written `env:NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
#[value(transparent)]
pub struct KeyVariable(String);

impl KeyVariable {
    /// The name of the variable; `None` where the text is of another form, such as a key.
    pub fn variable(&self) -> Option<&str> {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let name = self.0.strip_prefix("env:")?;
        let starts = name.starts_with(|first: char| !first.is_ascii_digit());
        (starts && name.bytes().all(word)).then_some(name)
    }
}

/// Models that tools may call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct ModelsConfig {
    /// Computes embedding vectors of texts
    pub embeddings: Option<ModelEndpoint>,
    /// Answers texts
    pub chat: Option<ModelEndpoint>,
    /// Answers texts with images
    pub vision: Option<ModelEndpoint>,
}
