//! [`OpenApiService`]: an HTTP service whose operations are tools, by its OpenAPI document.

use tool_core::{Decode, Describe};

use super::KeyVariable;

/// An HTTP service whose operations are called as tools `NAME_OPERATION` (docs/openapi.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["document", "digest", "base_url", "operations"]))]
pub struct OpenApiService {
    /// The key of its table.
    #[value(rename = "$name")]
    pub name: String,
    /// File of the OpenAPI document (3.0 or 3.1, JSON or YAML), relative to this file
    pub document: String,
    /// Digest of that file, which `mathchain check` names; with another file the service has no tools
    pub digest: String,
    /// Address of the service, in place of the servers that the document names
    pub base_url: String,
    /// Ids of the operations that are tools
    pub operations: Vec<String>,
    /// `env:NAME`, the environment variable that holds the key; never the key itself
    pub api_key: Option<KeyVariable>,
    /// Header that carries the key; `authorization`, with the key as a bearer token, where absent
    pub api_key_header: Option<String>,
    /// Longest call, in milliseconds
    #[schema(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Largest answer, in bytes
    #[schema(range(min = 1))]
    pub max_bytes: Option<u64>,
    /// Text of the document, or why it could not be read; the caller of the reader provides it.
    #[value(skip)]
    pub text: Option<Result<String, String>>,
}

impl OpenApiService {
    /// The digest of the text of a document, as `digest` states it.
    pub fn digest_of(text: &str) -> String {
        blake3::hash(text.as_bytes()).to_hex().to_string()
    }

    /// Why the document is not the one that is pinned.
    pub fn mismatch(&self) -> Option<String> {
        let name = &self.name;
        match &self.text {
            Some(Ok(text)) => {
                let digest = Self::digest_of(text);
                (digest != self.digest).then(|| {
                    format!("the document of `openapi.{name}` has the digest {digest}, not the one that is pinned")
                })
            }
            Some(Err(why)) => Some(format!(
                "the document of `openapi.{name}` cannot be read: {why}"
            )),
            None => Some(format!("the document of `openapi.{name}` was not read")),
        }
    }
}
