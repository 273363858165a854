//! HTTP services of the configuration, whose operations are tools: requests from arguments, answers from responses.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use registry::model::{KeyVariable, OpenApiService};
use registry::plugins::{
    BODY, OpenApiOperation, ParameterPlace, PluginRunner, operation_tool, read_operations,
};
use registry::{Config, LoadError, LoadErrors};
use tool_core::capability::{HostJudge, HttpMethod, HttpRequest, HttpResponse, HttpTransport};
use tool_core::json::{self, JsonLimits};
use tool_core::{AnyTool, Ctx, ErrorCode, Reason, Result, ToolError, Value, object, tool_error};

use crate::environment;
use crate::trust;

/// Longest call and largest answer, where the configuration says nothing.
const TIMEOUT: Duration = Duration::from_secs(30);
const BYTES_MAX: u64 = 1 << 20;
/// Redirects that a reading request follows, on its host.
const REDIRECTS_MAX: u32 = 3;
/// Characters of the body of an error that its message has.
const ERROR_CHARS: usize = 300;

/// The tools of all services. Those of a service whose document changed, or to which this user has not agreed, are known by name, so that
/// policies may name them, and cannot be called.
///
/// # Errors
/// A document that is none, an operation that cannot be called.
pub(crate) fn service_tools(config: &Config) -> Result<Vec<Arc<dyn AnyTool>>> {
    let mut tools = Vec::new();
    for service in config.openapi.iter() {
        let what = format!("openapi.{}", service.name);
        let unmet = match (config.untrusted.contains(&what), service.mismatch()) {
            (true, _) => Some(format!("{what}=agreed")),
            (false, Some(_)) => Some(format!("{what}=pinned")),
            (false, None) => None,
        };
        // Without a document there are no names.
        if !matches!(service.text, Some(Ok(_))) {
            continue;
        }
        let client = crate::web::service_client(config, &service.base_url)?;
        for operation in read_operations(service)? {
            let runner = Arc::new(OperationRunner {
                service: service.clone(),
                operation: operation.clone(),
                host: client.host.clone(),
                http: client.http.clone(),
                refusal: unmet.is_some().then(|| refusal(config, service)),
            });
            let address = &client.address;
            tools.push(operation_tool(
                service,
                &operation,
                address,
                unmet.as_deref(),
                runner,
            )?);
        }
    }
    Ok(tools)
}

/// Refuses documents that are not those that the configuration pins.
///
/// # Errors
/// Each such document, with its digest.
pub fn check_documents(config: &Config) -> Result<(), LoadErrors> {
    let found = config.openapi.iter().filter_map(OpenApiService::mismatch);
    let errors = found.map(|why| {
        LoadError::new(None, why)
            .hint("look at what changed, then write its digest into the configuration")
    });
    LoadErrors::check(errors.collect())
}

/// Why the tools of a service cannot be called.
fn refusal(config: &Config, service: &OpenApiService) -> ToolError {
    let name = &service.name;
    match config.untrusted.contains(&format!("openapi.{name}")) {
        true => {
            tool_error!(PreconditionFailed, "untrusted"; "this user has not agreed to `openapi.{name}` and its document as they are now";
            "{}", trust::HINT)
        }
        false => {
            tool_error!(PreconditionFailed, "openapi_document"; "{}", service.mismatch().unwrap_or_default();
            "look at what changed, then write its digest into the configuration")
        }
    }
}

struct OperationRunner {
    service: OpenApiService,
    operation: OpenApiOperation,
    host: String,
    http: Option<Arc<dyn HttpTransport>>,
    refusal: Option<ToolError>,
}

impl PluginRunner for OperationRunner {
    fn call(&self, _: &str, args: &Value, ctx: &Ctx) -> Result<Value> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let http = self.http.as_ref().ok_or_else(
            || tool_error!(PreconditionFailed, "no_transport"; "this build has no HTTP client"),
        )?;
        let request = self.request(args)?;
        ctx.reserve(request.bytes_max.saturating_mul(5))?;
        let response = http.send(&request, ctx.stop()).map_err(|err| {
            // What was refused, or reached no server, was not sent.
            let is_unsent = err.code() == ErrorCode::PolicyDenied
                || err.is(Reason::Connect)
                || err.is(Reason::Dns);
            match self.operation.method == "GET" || is_unsent {
                true => err,
                false => err.may_have_happened(),
            }
        })?;
        self.answer(&response, ctx)
    }
}

impl OperationRunner {
    fn request(&self, args: &Value) -> Result<HttpRequest> {
        let (service, operation) = (&self.service, &self.operation);
        let mut url = format!(
            "{}{}",
            service.base_url.trim_end_matches('/'),
            operation.path
        );
        let mut query = String::new();
        let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
        for parameter in &operation.parameters {
            let name = parameter.name.as_str();
            let Some(value) = args.get(name).filter(|value| !value.is_null()) else {
                continue;
            };
            match parameter.place {
                ParameterPlace::Path => {
                    let text = scalar_text(name, value)?;
                    if matches!(&*text, "" | "." | "..") {
                        return Err(argument_error(
                            name,
                            "is empty, `.` or `..`, which leads to another path",
                        ));
                    }
                    url = url.replace(&format!("{{{name}}}"), &encode_part(&text));
                }
                ParameterPlace::Query => {
                    append_query(&mut query, name, value, parameter.explode)?;
                }
                ParameterPlace::Header => {
                    let text = scalar_text(name, value)?;
                    if text.chars().any(char::is_control) {
                        return Err(argument_error(name, "has control characters"));
                    }
                    headers.push((name.to_owned(), text));
                }
            }
        }
        if !query.is_empty() {
            url = format!("{url}?{query}");
        }
        headers.extend(self.key_header()?);
        let body = args.get(BODY).filter(|_| operation.has_body);
        if body.is_some() {
            headers.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let own = self.host.clone();
        Ok(HttpRequest {
            method: HttpMethod::parse(operation.method).unwrap_or(HttpMethod::Post),
            headers,
            body: body.map_or_else(Vec::new, |body| json::to_text(body).into_bytes()),
            timeout: service.timeout_ms.map_or(TIMEOUT, Duration::from_millis),
            bytes_max: service.max_bytes.unwrap_or(BYTES_MAX),
            // What changes something is not sent again.
            redirects_max: if operation.method == "GET" {
                REDIRECTS_MAX
            } else {
                0
            },
            hosts: HostJudge::new(move |host| match host == own {
                true => Ok(()),
                false => Err(
                    tool_error!(PolicyDenied, "redirect"; "`{host}` is not the host of the service"),
                ),
            }),
            ..HttpRequest::get(url)
        })
    }

    /// The header with the key of the service.
    fn key_header(&self) -> Result<Option<(String, String)>> {
        let service = &self.service;
        let Some(variable) = service.api_key.as_ref().and_then(KeyVariable::variable) else {
            return Ok(None);
        };
        let secret = environment::read_secret(variable).ok_or_else(|| {
            tool_error!(PreconditionFailed, "api_key"; "the variable `{variable}` of the key of `openapi.{}` is not set", service.name;
                "set it in the environment of mathchain")
        })?;
        Ok(Some(match &service.api_key_header {
            Some(header) => (header.clone(), secret),
            None => ("authorization".to_owned(), format!("Bearer {secret}")),
        }))
    }

    fn answer(&self, response: &HttpResponse, ctx: &Ctx) -> Result<Value> {
        let kind = response.header("content-type").unwrap_or_default();
        let kind = kind
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_json = kind == "application/json" || kind.ends_with("+json");
        let status = i64::from(response.status);
        if status >= 400 {
            let text = String::from_utf8_lossy(&response.body);
            let plain = |one: &char| !one.is_control() && !registry::is_unseen(*one);
            let text: String = text.chars().filter(plain).take(ERROR_CHARS).collect();
            let (id, operation) = (&self.operation.tool, &self.operation);
            let error = tool_error!(ToolError, "http_status"; "`{id}` answered {status} to `{} {}`: {text}", operation.method, operation.path;
                "the text is that of the service; change the arguments, or ask for access");
            return Err(match operation.method {
                "GET" => error,
                _ => error.may_have_happened(),
            });
        }
        let limits = JsonLimits {
            bytes_max: response.body.len(),
            ..JsonLimits::default()
        };
        let parsed = (is_json && !response.truncated && !response.body.is_empty())
            .then(|| json::parse_bytes(&response.body, limits));
        let body = match parsed {
            Some(Ok(value)) => value,
            Some(Err(err)) => {
                ctx.warn(format!(
                    "the body says that it is JSON and is none: {}",
                    err.message
                ));
                Value::from(String::from_utf8_lossy(&response.body).into_owned())
            }
            None if response.body.is_empty() => Value::Null,
            None if is_json || kind.starts_with("text/") || kind.is_empty() => {
                Value::from(String::from_utf8_lossy(&response.body).into_owned())
            }
            None => {
                ctx.warn(format!(
                    "the body is `{kind}`, neither JSON nor text, and is left out"
                ));
                Value::Null
            }
        };
        if response.truncated {
            ctx.warn("the body is longer than `max_bytes` and was cut: it is text, not JSON");
        }
        Ok(object! {
            "status_code" => status,
            "media_type" => kind,
            "body" => body,
            "truncated" => response.truncated,
        })
    }
}

fn argument_error(name: &str, what: &str) -> ToolError {
    let mut pointer = String::new();
    tool_core::path::push_key(&mut pointer, name);
    tool_error!(InvalidArgs, "value"; "the argument {what}"; "give another value").at(pointer)
}

/// A text, number or boolean as it is sent.
fn scalar_text(name: &str, value: &Value) -> Result<String> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None if value.as_object().is_some() || value.items().is_some() => {
            Err(argument_error(name, "is no text, number or boolean"))
        }
        None => Ok(json::to_text(value)),
    }
}

fn append_query(query: &mut String, name: &str, value: &Value, explode: bool) -> Result<()> {
    let values = match value.items().filter(|_| value.as_str().is_none()) {
        Some(items) => items
            .iter()
            .map(|item| scalar_text(name, item))
            .collect::<Result<Vec<_>>>()?,
        None => vec![scalar_text(name, value)?],
    };
    let parts: Vec<String> = values.iter().map(|value| encode_part(value)).collect();
    let parts = match explode {
        true => parts,
        false => vec![parts.join(",")],
    };
    for part in parts {
        let between = if query.is_empty() { "" } else { "&" };
        query.push_str(&format!("{between}{}={part}", encode_part(name)));
    }
    Ok(())
}

/// A text with every byte encoded that may mean anything in a URL.
fn encode_part(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => encoded.push(char::from(byte)),
            false => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}
