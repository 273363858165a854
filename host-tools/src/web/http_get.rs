//! GET requests.

use std::collections::BTreeMap;

use tool_core::capability::HttpMethod;

use super::exchange::{self, Call, MaxBytes, Output, Timeout};
use crate::prelude::*;

pub(crate) struct HttpGet;

/// Fetch a URL with GET: http and https, public addresses unless the configuration lists others. Redirects are followed on the same
/// host and to listed hosts. A busy server is tried up to three times.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Absolute http or https URL, without credentials.
    pub url: String,
    /// Additional headers, name to value; connection headers are refused.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Timeout in seconds, redirects included, 1 to 600; the configuration may set a shorter one.
    #[serde(default = "exchange::default_timeout")]
    pub timeout: Timeout,
    /// Maximum bytes of the decoded body, 1 to 10485760; a longer body is cut.
    #[serde(default = "exchange::default_max_bytes")]
    pub max_bytes: MaxBytes,
}

impl Tool for HttpGet {
    const SPEC: Spec = Spec {
        id: "http_get",
        keyed_by: Some(&["/url"]),
        title: "Fetch a URL",
        tags: &["http", "url"],
        syntax: &[("/url", Syntax::Url)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let call = Call {
            method: HttpMethod::Get,
            url: &args.url,
            headers: &args.headers,
            body: Vec::new(),
            timeout: args.timeout,
            max_bytes: args.max_bytes,
        };
        exchange::run(call, ctx)
    }

    fn resources(args: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        exchange::host(&args.url, Access::Read)
    }

    /// Against a server that sends 12 bytes of text in 5 ms.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a text file",
        args: r#"{"url": "https://example.org/notes.txt"}"#,
        output: r#"{
            "status_code": 200, "headers": {"content-type": "text/plain"}, "body": "hello world\n",
            "body_encoding": "text", "truncated": false, "url": "https://example.org/notes.txt",
            "elapsed_ms": 5.0
        }"#,
    }];
}
