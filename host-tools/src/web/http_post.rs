//! POST requests.

use std::collections::BTreeMap;

use tool_core::capability::HttpMethod;

use super::exchange::{self, Call, MaxBytes, Output, Timeout};
use crate::prelude::*;

/// The header by which a server recognises a repeated request (draft-ietf-httpapi-idempotency-key-header).
const KEY: &str = "idempotency-key";

pub(crate) struct HttpPost;

/// Send JSON to a URL with POST. The effect on the server cannot be predicted or undone, so every call requires approval, for listed
/// hosts too, unless an `allow` rule of the configuration names this tool. It is never retried unless `repeatable` is set.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Absolute http or https URL, without credentials.
    pub url: String,
    /// The JSON to send. A text with a `content-type` header other than JSON is sent unchanged. Without data the body is empty.
    #[serde(default)]
    pub data: Option<Value>,
    /// Additional headers, name to value; `content-type` defaults to `application/json`.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Whether the server deduplicates requests by their `Idempotency-Key`. If so, the header is sent, equal for all attempts of a step
    /// of a run, and a step whose outcome is unknown after a crash is retried without a decision of the operator.
    #[serde(default)]
    pub repeatable: bool,
    /// Timeout in seconds, redirects included, 1 to 600; the configuration may set a shorter one.
    #[serde(default = "exchange::default_timeout")]
    pub timeout: Timeout,
    /// Maximum bytes of the decoded response, 1 to 10485760; a longer one is cut.
    #[serde(default = "exchange::default_max_bytes")]
    pub max_bytes: MaxBytes,
}

impl Tool for HttpPost {
    const SPEC: Spec = Spec {
        id: "http_post",
        keyed_by: Some(&["/url"]),
        title: "Send JSON to a URL",
        tags: &["http", "url"],
        effects: &[Effect::NetworkAccess],
        destructive: true,
        idempotent: false,
        syntax: &[("/url", Syntax::Url)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut headers = args.headers;
        let named = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let is_json = named.is_none_or(|(_, kind)| kind.to_ascii_lowercase().contains("json"));
        let names_type = named.is_some();
        let body = match &args.data {
            None => Vec::new(),
            Some(Value::String(text)) if !is_json => text.as_bytes().to_vec(),
            Some(_) if !is_json => {
                return Err(tool_error!(
                    InvalidArgs,
                    "expected a text, as the `content-type` is not JSON"
                )
                .at("/data")
                .hint("pass the body as a text, or omit the `content-type`"));
            }
            Some(data) => {
                ctx.reserve(data.memory_bytes().saturating_mul(4))?;
                json::to_text(data).into_bytes()
            }
        };
        if args.data.is_some() && !names_type {
            headers.insert("content-type".to_owned(), "application/json".to_owned());
        }
        if args.repeatable
            && let Some(key) = ctx.idempotency_key()
            && !headers.keys().any(|name| name.eq_ignore_ascii_case(KEY))
        {
            headers.insert(KEY.to_owned(), key.to_owned());
        }
        let call = Call {
            method: HttpMethod::Post,
            url: &args.url,
            headers: &headers,
            body,
            timeout: args.timeout,
            max_bytes: args.max_bytes,
        };
        exchange::run(call, ctx)
    }

    fn narrow(args: &Args) -> Reach {
        Reach {
            idempotent: args.repeatable,
            ..Reach::of(&Self::SPEC)
        }
    }

    fn resources(args: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        exchange::host(&args.url, Access::Write)
    }

    /// Against a server that echoes the request.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "an object",
        args: r#"{"url": "https://example.org/echo", "data": {"a": 1}}"#,
        output: r#"{
            "status_code": 200, "headers": {"content-type": "application/json"}, "body": "{\"a\":1}",
            "body_encoding": "text", "truncated": false, "url": "https://example.org/echo", "elapsed_ms": 5.0
        }"#,
    }];
}
