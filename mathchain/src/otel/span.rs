//! Spans of audit records: names, ids, parents and attributes are functions of the record.
//!
//! Names are those of the conventions for generative AI (`execute_tool`, `invoke_workflow`, `gen_ai.*`), own ones begin with
//! `mathchain.`. Arguments, results and texts that may quote them (messages, digests, resources) are omitted; the
//! caller adds content if the environment enables it.

use std::time::{Duration, SystemTime};

use opentelemetry::trace::{
    Link, SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use registry::{TraceParent, digest, redact};
use tool_core::Value as Data;

/// Replaces the name of an unknown tool, which is arbitrary text of the caller.
const NO_SUCH_TOOL: &str = "_OTHER";

/// Fields of both kinds of record. An attribute is named `mathchain.` and the field, unless [`NAMED`] has another name.
const OF_BOTH: &str = "client_id caller_type chain_id part role agent phase task status";
const OF_CALL: &str = "call_id version source step item wave decision layer rule policy_generation \
    approval_id approved_by effects cached redacted error_reason node placement_fallback";
const OF_CHAIN: &str = "plan mode_requested mode_used fallback_to_seq fallback_reason \
    parallel_mutations_enabled barrier threads waves steps failed_step engine";
const NAMED: &[(&str, &str)] = &[
    ("client_id", "gen_ai.tool.call.id"),
    ("version", "mathchain.tool.version"),
    ("source", "mathchain.tool.source"),
    ("decision", "mathchain.policy.decision"),
    ("layer", "mathchain.policy.layer"),
    ("rule", "mathchain.policy.rule"),
    ("policy_generation", "mathchain.policy.generation"),
    ("error_reason", "mathchain.error.reason"),
    ("plan", "gen_ai.agent.name"),
];

/// Converts records to spans.
pub(super) struct SpanConverter {
    /// The span that this process belongs to.
    pub(super) parent: Option<SpanContext>,
}

impl SpanConverter {
    /// The span of a record; `None` for records of other kinds, and if the client's span is not sampled.
    pub(super) fn of_record(&self, record: &Data) -> Option<SpanData> {
        if client_span(record).is_some_and(|client| !client.is_sampled()) {
            return None;
        }
        match record_text(record, "kind")? {
            "call" => self.of_call(record),
            "chain" => self.of_chain(record),
            _ => None,
        }
    }

    fn of_call(&self, record: &Data) -> Option<SpanData> {
        let call_id = record_text(record, "call_id")?;
        let chain = record_text(record, "chain_id");
        let tool = match record.get("version") {
            None | Some(Data::Null) => NO_SUCH_TOOL,
            Some(_) => record_text(record, "tool")?,
        };
        let mut span = self.span(SpanBasis {
            record,
            operation: "execute_tool",
            name: tool,
            id: span_of_call(call_id)?,
            own: chain.unwrap_or(call_id),
            chain: chain.map(|chain| span_of_chain(chain, run_part(record))),
        });
        let attributes = &mut span.attributes;
        attributes.push(KeyValue::new("gen_ai.tool.name", tool.to_owned()));
        attributes.push(KeyValue::new("gen_ai.tool.type", "function"));
        add_attributes(attributes, record, OF_CALL);
        if chain.is_some() {
            add_attributes(attributes, record, "chain_index");
            let attempt = record.get("attempt").and_then(Data::as_i64).unwrap_or(1);
            attributes.push(KeyValue::new("mathchain.attempt", attempt));
        }
        Some(span)
    }

    fn of_chain(&self, record: &Data) -> Option<SpanData> {
        let refused;
        let chain = match record_text(record, "chain_id") {
            Some(chain) => chain,
            // A refused plan has no run; its digest and time identify it.
            None => {
                let time = record.get("time_ms")?.to_string();
                refused = digest::of_texts([record_text(record, "plan_digest")?, &time]);
                &refused
            }
        };
        let part = run_part(record);
        let plan = record_text(record, "plan")?;
        let mut span = self.span(SpanBasis {
            record,
            operation: "invoke_workflow",
            name: plan,
            id: span_of_chain(chain, part),
            own: chain,
            chain: None,
        });
        if part > 1 {
            let (trace, first) = (span.span_context.trace_id(), span_of_chain(chain, 1));
            let first = sampled_context(trace, first, TraceState::NONE);
            span.links.links.push(Link::with_context(first));
        }
        add_attributes(&mut span.attributes, record, OF_CHAIN);
        Some(span)
    }

    /// The common part of all spans. The parent is the call that made this one, else its run, else the span of the process.
    fn span(&self, basis: SpanBasis<'_>) -> SpanData {
        let (record, operation) = (basis.record, basis.operation);
        let client = client_span(record).and_then(|client| {
            let trace = TraceId::from_hex(client.trace()).ok()?;
            let span = SpanId::from_hex(client.span()).ok()?;
            Some(sampled_context(trace, span, TraceState::NONE))
        });
        let outside = client.as_ref().or(self.parent.as_ref());
        let trace = match outside {
            Some(parent) => parent.trace_id(),
            None => trace_of(record_text(record, "root").unwrap_or(basis.own)),
        };
        let state = outside.map(|parent| parent.trace_state().clone());
        let within = record_text(record, "within").and_then(span_of_call);
        let inside = within.or(basis.chain);
        let parent = inside.or_else(|| outside.map(SpanContext::span_id));
        let began = record.get("time_ms").and_then(Data::as_i64).unwrap_or(0);
        let elapsed = record
            .get("elapsed_ms")
            .and_then(Data::as_f64)
            .unwrap_or(0.0);
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(began.unsigned_abs());
        let lasted = Duration::try_from_secs_f64(elapsed / 1e3).unwrap_or_default();
        let mut attributes = vec![KeyValue::new("gen_ai.operation.name", operation)];
        add_attributes(&mut attributes, record, OF_BOTH);
        let failure = failure_kind(record);
        if let Some(kind) = failure {
            attributes.push(KeyValue::new("error.type", kind.to_owned()));
        }
        let scope = InstrumentationScope::builder("mathchain");
        SpanData {
            span_context: sampled_context(trace, basis.id, state.unwrap_or_default()),
            parent_span_id: parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: inside.is_none() && outside.is_some(),
            span_kind: SpanKind::Internal,
            name: format!("{operation} {}", redact::redact_text(basis.name).0).into(),
            start_time: start,
            end_time: start.checked_add(lasted).unwrap_or(start),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: failure.map_or(Status::Unset, |_| Status::error("")),
            instrumentation_scope: scope.with_version(env!("CARGO_PKG_VERSION")).build(),
        }
    }
}

/// The parts of a span beside the fields of its record.
struct SpanBasis<'r> {
    record: &'r Data,
    operation: &'static str,
    /// The tool, or the plan.
    name: &'r str,
    id: SpanId,
    /// The run it belongs to, or its own call: the root of the trace without an outer span.
    own: &'r str,
    /// The span of the run that it is a step of.
    chain: Option<SpanId>,
}

/// The kind of error: its code, or the status of a run without one.
fn failure_kind(record: &Data) -> Option<&str> {
    let status = record_text(record, "status")?;
    let has_failed = matches!(status, "error" | "failed" | "cancelled" | "rejected");
    has_failed.then(|| record_text(record, "error_code").unwrap_or(status))
}

/// The client's span that a call or run belongs to, if it named one; it overrides that of the process.
fn client_span(record: &Data) -> Option<TraceParent> {
    TraceParent::parse(record_text(record, "traceparent")?)
}

/// The number of times that a process started or resumed the run.
fn run_part(record: &Data) -> i64 {
    record.get("part").and_then(Data::as_i64).unwrap_or(1)
}

fn sampled_context(trace: TraceId, span: SpanId, state: TraceState) -> SpanContext {
    SpanContext::new(trace, span, TraceFlags::SAMPLED, false, state)
}

fn trace_of(root: &str) -> TraceId {
    let digest = digest::of_texts(["trace", root]);
    TraceId::from_hex(&digest[..32]).unwrap_or(TraceId::INVALID)
}

/// The id of a call is also its span id, so that `mathchain audit show` finds the record of a span.
fn span_of_call(call_id: &str) -> Option<SpanId> {
    SpanId::from_hex(call_id).ok()
}

fn span_of_chain(chain: &str, part: i64) -> SpanId {
    let digest = digest::of_texts(["chain", chain, &part.to_string()]);
    SpanId::from_hex(&digest[..16]).unwrap_or(SpanId::INVALID)
}

fn record_text<'r>(record: &'r Data, key: &str) -> Option<&'r str> {
    record.get(key).and_then(Data::as_str)
}

/// Adds the fields that the record has.
fn add_attributes(attributes: &mut Vec<KeyValue>, record: &Data, fields: &str) {
    for field in fields.split(' ') {
        if let Some(value) = record.get(field).and_then(field_attribute) {
            let named = NAMED.iter().find(|(named, _)| *named == field);
            let name = named.map_or_else(
                || format!("mathchain.{field}"),
                |(_, name)| (*name).to_owned(),
            );
            attributes.push(KeyValue::new(name, value));
        }
    }
}

/// A field of the record as an attribute, with secrets redacted as in the audit.
fn field_attribute(data: &Data) -> Option<Value> {
    let clean = |text: &str| StringValue::from(redact::redact_text(text).0.into_owned());
    Some(match data {
        Data::String(text) => Value::String(clean(text)),
        Data::Bool(truth) => Value::Bool(*truth),
        Data::Int(number) => Value::I64(*number),
        Data::Float(number) => Value::F64(*number),
        Data::Array(items) if !items.is_empty() => {
            let items = items.iter().filter_map(Data::as_str).map(clean);
            Value::Array(Array::String(items.collect()))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = r#"{"kind":"call","call_id":"00000000000000aa","tool":"statistics","version":1,"status":"success","time_ms":1000,"elapsed_ms":2.5,"chain_index":0}"#;

    fn spans(parent: bool) -> SpanConverter {
        let parent = parent.then(|| {
            SpanContext::new(
                TraceId::from(7),
                SpanId::from(8),
                TraceFlags::SAMPLED,
                true,
                TraceState::NONE,
            )
        });
        SpanConverter { parent }
    }

    /// The span of a record with more members, which come last and count.
    fn span(record: &str, more: &[(&str, &str)], parent: bool) -> SpanData {
        let mut record = crate::parse_json(record)
            .ok()
            .and_then(|record| record.as_object().cloned())
            .expect("an object");
        for (key, text) in more {
            let value = crate::parse_json(text).unwrap_or_else(|_| Data::from(*text));
            record.insert(*key, value);
        }
        let span = spans(parent).of_record(&Data::Object(record.into()));
        span.expect("a span")
    }

    fn found(span: &SpanData, name: &str) -> Option<String> {
        let mut attributes = span.attributes.iter();
        let attribute = attributes.find(|attribute| attribute.key.as_str() == name)?;
        Some(attribute.value.to_string())
    }

    #[test]
    fn the_node_of_a_call_is_an_attribute() {
        let there = span(CALL, &[("node", "\"n1\"")], false);
        assert_eq!(found(&there, "mathchain.node").as_deref(), Some("n1"));
        assert_eq!(found(&span(CALL, &[], false), "mathchain.node"), None);
    }

    #[test]
    fn the_nearest_that_began_a_call_is_its_parent() {
        let chain = [("chain_id", "\"c1\"")];
        let nested = [
            ("chain_id", "\"c1\""),
            ("root", "\"c0\""),
            ("within", "\"00000000000000bb\""),
        ];
        let alone = span(CALL, &[], false);
        assert_eq!(alone.parent_span_id, SpanId::INVALID);
        assert_eq!(alone.span_context.span_id().to_string(), "00000000000000aa");
        assert_eq!(found(&alone, "mathchain.chain_index"), None);
        let step = span(CALL, &chain, false);
        assert_eq!(step.parent_span_id, span_of_chain("c1", 1));
        assert_eq!(step.span_context.trace_id(), trace_of("c1"));
        let inner = span(CALL, &nested, false);
        assert_eq!(inner.parent_span_id, SpanId::from(0xbb));
        assert_eq!(inner.span_context.trace_id(), trace_of("c0"));
        for (more, remote) in [(&[][..], true), (&chain[..], false), (&nested[..], false)] {
            let here = span(CALL, more, true);
            assert_eq!(here.span_context.trace_id(), TraceId::from(7));
            assert_eq!(here.parent_span_is_remote, remote, "{more:?}");
            assert_eq!(here.parent_span_id == SpanId::from(8), remote, "{more:?}");
        }
    }

    #[test]
    fn the_span_that_a_client_names_is_the_parent() {
        let named = |flags: &str| format!("00-{:032x}-{:016x}-{flags}", 0xc1, 0xc2);
        let sampled = named("01");
        let client = ("traceparent", sampled.as_str());
        for of_process in [false, true] {
            let call = span(CALL, &[client], of_process);
            assert_eq!(call.span_context.trace_id(), TraceId::from(0xc1));
            assert_eq!(call.parent_span_id, SpanId::from(0xc2));
            assert!(call.parent_span_is_remote);
        }
        let inner = span(CALL, &[client, ("within", "00000000000000bb")], false);
        assert_eq!(inner.span_context.trace_id(), TraceId::from(0xc1));
        assert_eq!(inner.parent_span_id, SpanId::from(0xbb));
        assert!(!inner.parent_span_is_remote);
        let unkept = CALL.replace('}', &format!(",\"traceparent\":\"{}\"}}", named("00")));
        let unkept = crate::parse_json(&unkept).expect("a record");
        assert_eq!(spans(false).of_record(&unkept), None);
    }

    #[test]
    fn attempts_errors_and_times_are_those_of_the_record() {
        let span = span(
            CALL,
            &[
                ("chain_id", "\"c1\""),
                ("attempt", "2"),
                ("status", "\"error\""),
                ("error_code", "\"timeout\""),
                ("error", "\"words\""),
                ("args_digest", "\"ab\""),
                ("client_id", "password=hunter2hunter2"),
            ],
            false,
        );
        assert_eq!(found(&span, "mathchain.attempt").as_deref(), Some("2"));
        assert_eq!(found(&span, "error.type").as_deref(), Some("timeout"));
        assert_eq!(span.status, Status::error(""));
        let lasted = span.end_time.duration_since(span.start_time);
        assert_eq!(lasted.ok(), Some(Duration::from_micros(2500)));
        let all = format!("{span:?}");
        assert!(!all.contains("words") && !all.contains("hunter2"), "{all}");
    }

    #[test]
    fn a_plan_that_was_refused_and_a_run_that_goes_on_have_spans() {
        const REFUSED: &str = r#"{"kind":"chain","chain_id":null,"time_ms":1,"plan":"p","plan_digest":"ab","status":"rejected"}"#;
        let refused = span(REFUSED, &[], false);
        assert_eq!(found(&refused, "error.type").as_deref(), Some("rejected"));
        assert_ne!(
            refused.span_context,
            span(REFUSED, &[("time_ms", "2")], false).span_context
        );
        let later = [("chain_id", "\"c1\""), ("part", "2"), ("status", "success")];
        let later = span(REFUSED, &later, false);
        assert_eq!(later.span_context.span_id(), span_of_chain("c1", 2));
        assert_eq!(
            later.links[0].span_context.span_id(),
            span_of_chain("c1", 1)
        );
        assert_eq!(
            (later.status, refused.status),
            (Status::Unset, Status::error(""))
        );
        let intent = crate::parse_json(&CALL.replace("\"call\"", "\"intent\"")).expect("a record");
        assert_eq!(spans(false).of_record(&intent), None);
    }
}
