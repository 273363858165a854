//! Settings of spans from the environment. No configuration, plan or call can determine their destination.

use std::collections::HashMap;
use std::time::Duration;

use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanContext, TraceContextExt};
use opentelemetry::{Key, KeyValue, Value};
use opentelemetry_otlp::Protocol;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// Default timeout for a collector, as specified by OTLP.
const TIMEOUT_DEFAULT: Duration = Duration::from_secs(10);
/// Whether arguments and results are sent too.
const CONTENT: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// Reads a variable.
pub(super) type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Settings of the sender; the exporter reads endpoint and headers itself.
pub(super) struct OtelSettings {
    /// The encoding, or the error in its setting.
    pub(super) protocol: Result<Protocol, String>,
    pub(super) timeout: Duration,
    pub(super) parent: Option<SpanContext>,
    /// Whether arguments and results are sent too.
    pub(super) content: bool,
}

impl OtelSettings {
    /// `None` if the environment does not enable spans.
    pub(super) fn read(variables: Variables<'_>) -> Option<Self> {
        let is = |name: &str, word: &str| {
            nonempty_variable(variables, name).is_some_and(|value| value.eq_ignore_ascii_case(word))
        };
        let exporter = nonempty_variable(variables, "OTEL_TRACES_EXPORTER");
        let wanted = match &exporter {
            Some(name) => name == "otlp",
            None => exporter_variable(variables, "ENDPOINT").is_some(),
        };
        let parent = parent_span(variables);
        let is_sampled = parent.as_ref().is_none_or(SpanContext::is_sampled);
        if !wanted || is("OTEL_SDK_DISABLED", "true") || !is_sampled {
            return None;
        }
        let timeout =
            exporter_variable(variables, "TIMEOUT").and_then(|(_, ms)| ms.trim().parse().ok());
        let content = ["true", "span_only", "span_and_event"];
        Some(Self {
            protocol: export_protocol(variables),
            timeout: timeout.map_or(TIMEOUT_DEFAULT, Duration::from_millis),
            parent,
            content: content.iter().any(|word| is(CONTENT, word)),
        })
    }
}

/// The span that this process belongs to, from `TRACEPARENT`.
pub(super) fn parent_span(variables: Variables<'_>) -> Option<SpanContext> {
    let named = ["traceparent", "tracestate"].into_iter().filter_map(|key| {
        let value = nonempty_variable(variables, &key.to_ascii_uppercase())?;
        Some((key.to_owned(), value))
    });
    let named: HashMap<String, String> = named.collect();
    let context = TraceContextPropagator::new().extract(&named);
    let parent = context.span().span_context().clone();
    parent.is_valid().then_some(parent)
}

/// The sending service: that of the environment, else this program.
pub(super) fn service_resource() -> Resource {
    const SERVICE: &str = "service.name";
    let found = Resource::builder().build();
    let is_unknown = |name: &Value| name.as_str().starts_with("unknown_service");
    let mut attributes = Vec::new();
    let name = found.get(&Key::new(SERVICE));
    if name.is_none_or(|name| is_unknown(&name)) {
        attributes.push(KeyValue::new(SERVICE, "mathchain"));
    }
    if found.get(&Key::new("service.version")).is_none() {
        let version = env!("CARGO_PKG_VERSION");
        attributes.push(KeyValue::new("service.version", version));
    }
    Resource::builder().with_attributes(attributes).build()
}

fn export_protocol(variables: Variables<'_>) -> Result<Protocol, String> {
    match exporter_variable(variables, "PROTOCOL") {
        None => Ok(Protocol::HttpBinary),
        Some((_, name)) if name.eq_ignore_ascii_case("http/protobuf") => Ok(Protocol::HttpBinary),
        Some((_, name)) if name.eq_ignore_ascii_case("http/json") => Ok(Protocol::HttpJson),
        Some((variable, name)) => Err(format!(
            "`{variable}` is `{name}`: expected `http/protobuf` or `http/json`"
        )),
    }
}

/// A variable; an empty one counts as absent.
fn nonempty_variable(variables: Variables<'_>, name: &str) -> Option<String> {
    variables(name).filter(|value| !value.is_empty())
}

/// The variable of an exporter's setting for spans, else the one for all signals, with its name.
fn exporter_variable(variables: Variables<'_>, setting: &str) -> Option<(String, String)> {
    let names = ["TRACES_", ""].map(|of| format!("OTEL_EXPORTER_OTLP_{of}{setting}"));
    let value = |name: String| nonempty_variable(variables, &name).map(|value| (name, value));
    names.into_iter().find_map(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318");
    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

    fn read(given: &[(&str, &str)]) -> Option<OtelSettings> {
        let given: HashMap<&str, &str> = given.iter().copied().collect();
        OtelSettings::read(&|name| given.get(name).map(|value| (*value).to_owned()))
    }

    #[test]
    fn spans_are_sent_where_the_environment_asks_and_not_else() {
        assert!(read(&[]).is_none());
        assert!(read(&[(HERE.0, "")]).is_none());
        assert!(read(&[HERE]).is_some());
        assert!(read(&[("OTEL_TRACES_EXPORTER", "otlp")]).is_some());
        assert!(read(&[HERE, ("OTEL_TRACES_EXPORTER", "none")]).is_none());
        assert!(read(&[HERE, ("OTEL_SDK_DISABLED", "True")]).is_none());
        assert!(read(&[HERE, ("OTEL_SDK_DISABLED", "false")]).is_some());
    }

    #[test]
    fn the_parent_decides_whether_a_trace_is_kept() {
        let kept = format!("{PARENT}01");
        let parent = read(&[HERE, ("TRACEPARENT", &kept), ("TRACESTATE", "a=b")])
            .and_then(|settings| settings.parent)
            .expect("a parent");
        assert_eq!(parent.span_id().to_string(), "b7ad6b7169203331");
        assert_eq!(parent.trace_state().header(), "a=b");
        assert!(read(&[HERE, ("TRACEPARENT", &format!("{PARENT}00"))]).is_none());
        let settings =
            read(&[HERE, ("TRACEPARENT", "00-nonsense")]).expect("spans without a parent");
        assert!(settings.parent.is_none());
    }

    #[test]
    fn the_variable_of_the_signal_comes_first() {
        let settings = read(&[
            HERE,
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "1"),
            ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "250"),
        ])
        .expect("spans");
        assert!(matches!(settings.protocol, Ok(Protocol::HttpJson)));
        assert_eq!(settings.timeout, Duration::from_millis(250));
        let refused = read(&[HERE, ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).expect("spans");
        assert!(refused.protocol.is_err_and(|why| why.contains("`grpc`")));
        let usual = read(&[HERE]).expect("spans");
        assert!(matches!(usual.protocol, Ok(Protocol::HttpBinary)));
        assert!(!usual.content);
        assert!(read(&[HERE, (CONTENT, "true")]).is_some_and(|settings| settings.content));
        assert!(read(&[HERE, (CONTENT, "no_content")]).is_some_and(|settings| !settings.content));
    }
}
