//! Spans as a collector gets them, and as a file holds them. Only loopback is reached.

mod collector;
mod wire;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use collector::{Collector, Manner, Span, spans_in};

use crate::support::{Answer, Place, answer_of};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
/// Stands in arguments; nothing of it may leave.
const CANARY: &str = "canary-4711";

/// Runs the binary with more environment.
fn run(place: &Place, environment: &[(&str, &str)], args: &[&str], stdin: &str) -> Answer {
    let mut command = place.command(args);
    command.envs(environment.iter().copied());
    answer_of(command, stdin.as_bytes())
}

/// Runs it with a good collector; the answer, and the spans that came.
fn traced(place: &Place, more: &[(&str, &str)], args: &[&str], stdin: &str) -> (Answer, Vec<Span>) {
    let collector = Collector::start(Manner::Good);
    let endpoint = collector.endpoint();
    let mut environment = vec![
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
    ];
    environment.extend(more);
    let answer = run(place, &environment, args, stdin);
    assert_eq!(
        answer.stderr.matches("dropped").count(),
        0,
        "{}",
        answer.stderr
    );
    (answer, collector.spans())
}

fn named<'s>(spans: &'s [Span], attribute: &str, value: &str) -> &'s Span {
    let mut found = spans.iter().filter(|span| span.get(attribute) == value);
    let first = found
        .next()
        .unwrap_or_else(|| panic!("no {attribute}={value} in {spans:?}"));
    assert!(found.next().is_none(), "several {attribute}={value}");
    first
}

#[test]
fn a_call_is_a_span_with_the_names_of_the_conventions() {
    let place = Place::new();
    let more = [
        ("OTEL_SERVICE_NAME", "sums"),
        ("OTEL_RESOURCE_ATTRIBUTES", "team=blue"),
    ];
    let (answer, spans) = traced(
        &place,
        &more,
        &["call", "statistics"],
        r#"{"data":[4711.25,2]}"#,
    );
    let [span] = &spans[..] else {
        panic!("{spans:?}");
    };
    assert_eq!(span.name, "execute_tool statistics");
    assert_eq!(
        span.id,
        answer
            .expect_code(0)
            .at("/metadata/call_id")
            .as_str()
            .expect("a text")
    );
    assert_eq!((span.parent.as_str(), span.status()), ("", 0));
    assert_eq!(span.whole["kind"], 1, "internal");
    let names: BTreeSet<&str> = span.attributes.keys().map(String::as_str).collect();
    let expected = [
        "gen_ai.operation.name",
        "gen_ai.tool.name",
        "gen_ai.tool.type",
        "mathchain.call_id",
        "mathchain.caller_type",
        "mathchain.policy.decision",
        "mathchain.policy.generation",
        "mathchain.policy.layer",
        "mathchain.role",
        "mathchain.status",
        "mathchain.tool.version",
    ];
    assert_eq!(names, BTreeSet::from(expected));
    assert_eq!(span.get("gen_ai.operation.name"), "execute_tool");
    assert_eq!(span.get("mathchain.policy.decision"), "allow");
    assert_eq!(span.resource["service.name"], "sums");
    assert_eq!(span.resource["team"], "blue");
    assert!(!span.whole.to_string().contains("4711.25"));
}

#[test]
fn an_error_has_its_code_and_content_is_sent_only_when_asked_for() {
    let place = Place::new();
    let args = format!(r#"{{"expression":"{CANARY} password=hunter2hunter2"}}"#);
    let call = ["call", "calculate"];
    let (answer, spans) = traced(&place, &[], &call, &args);
    answer.expect_code(2);
    assert_eq!(
        (spans[0].status(), spans[0].get("error.type")),
        (2, "invalid_args")
    );
    assert!(!spans[0].whole.to_string().contains(CANARY), "{spans:?}");
    let (_, spans) = traced(&place, &[], &["call", CANARY], "");
    assert_eq!(spans[0].name, "execute_tool _OTHER");
    assert!(!spans[0].whole.to_string().contains(CANARY), "{spans:?}");

    let content = [("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true")];
    let (_, spans) = traced(&place, &content, &call, &args);
    let sent = spans[0].get("gen_ai.tool.call.arguments");
    assert!(sent.contains(CANARY) && !sent.contains("hunter2"), "{sent}");
    let (_, spans) = traced(&place, &content, &call, r#"{"expression":"6*7"}"#);
    assert!(
        spans[0].get("gen_ai.tool.call.result").contains("42"),
        "{spans:?}"
    );
    let many = format!("{{\"data\":[{}0]}}", "1.5,".repeat(20_000));
    let (_, spans) = traced(&place, &content, &["call", "statistics"], &many);
    assert_eq!(
        spans[0].get("gen_ai.tool.call.arguments").split(':').next(),
        Some("left out")
    );
}

const PLAN: &str = "version: 1
id: fan
steps:
  - {id: a, tool: statistics, args: {data: [1, 2, 3]}}
  - {id: b, tool: calculate, map: {over: [1, 2], as: n}, args: {expression: '2+2'}}
  - {id: c, tool: statistics, args: {data: [{$ref: a.mean, default: 0}]}, approval: required}
outputs: {mean: {$ref: c.mean}}
";

#[test]
fn steps_are_children_of_their_chain_and_the_file_holds_what_was_sent() {
    let place = Place::new();
    place.write("plan.yaml", PLAN);
    let (answer, first) = traced(&place, &[], &["run", "plan.yaml"], "");
    let run_id = answer.expect_code(4).at("/metadata/chain_id");
    let run_id = run_id.as_str().expect("an id");
    let waiting = place.run(&["approvals", "list"], "");
    let approval = waiting.at("/0/id");
    place
        .run(&["approve", approval.as_str().expect("an id")], "")
        .expect_code(0);
    let (answer, second) = traced(&place, &[], &["runs", "resume", run_id], "");
    answer.expect_code(0);

    let chain = named(&first, "gen_ai.operation.name", "invoke_workflow");
    assert_eq!(
        (chain.name.as_str(), chain.parent.as_str()),
        ("invoke_workflow fan", "")
    );
    assert_eq!(
        (chain.get("mathchain.status"), chain.status()),
        ("suspended", 0)
    );
    assert_eq!(chain.get("mathchain.chain_id"), run_id);
    assert_eq!(chain.get("mathchain.mode_used"), "dep");
    assert_eq!(chain.get("mathchain.fallback_to_seq"), "false");
    assert_eq!(
        first.len(),
        1 + 1 + 2 + 1,
        "chain, a, b twice, c that waits: {first:?}"
    );
    for step in first.iter().filter(|span| span.id != chain.id) {
        assert_eq!((&step.trace, &step.parent), (&chain.trace, &chain.id));
        assert_eq!(step.get("mathchain.caller_type"), "chain");
    }
    assert_eq!(
        named(&first, "mathchain.item", "1").get("mathchain.step"),
        "b"
    );
    let waits = named(&first, "mathchain.step", "c");
    assert_eq!(
        (waits.get("mathchain.wave"), waits.get("mathchain.attempt")),
        ("1", "1")
    );
    assert_eq!(waits.get("mathchain.status"), "pending_approval");

    let later = named(&second, "gen_ai.operation.name", "invoke_workflow");
    assert_eq!(
        (later.get("mathchain.part"), later.get("mathchain.status")),
        ("2", "success")
    );
    assert_eq!(later.whole["links"][0]["spanId"], chain.id.as_str());
    assert_eq!(later.trace, chain.trace);
    let done = named(&second, "mathchain.step", "c");
    assert_eq!(
        (&done.parent, second.len()),
        (&later.id, 2),
        "nothing is called twice"
    );

    let exported = place.run(&["runs", "export", run_id, "--format", "otlp"], "");
    assert_eq!(exported.expect_code(0).stdout.lines().count(), 1);
    let sorted = |mut spans: Vec<Span>| {
        spans.sort_by(|a, b| a.id.cmp(&b.id));
        spans
    };
    let sent = sorted([first, second].concat());
    assert_eq!(sorted(spans_in(&exported.stdout)), sent);
}

#[test]
fn what_a_tool_calls_is_its_child_in_one_trace() {
    let place = Place::new();
    let args = r#"{"plan":{"version":1,"id":"inner","steps":[{"id":"s","tool":"statistics","args":{"data":[1,2]}}]}}"#;
    let more = [("TRACEPARENT", PARENT)];
    let (answer, spans) = traced(&place, &more, &["call", "chain_run"], args);
    answer.expect_code(0);
    let outer = named(&spans, "gen_ai.tool.name", "chain_run");
    let chain = named(&spans, "gen_ai.agent.name", "inner");
    let step = named(&spans, "mathchain.step", "s");
    assert_eq!(outer.parent, "b7ad6b7169203331");
    assert_eq!((&chain.parent, &step.parent), (&outer.id, &chain.id));
    assert!(
        spans
            .iter()
            .all(|span| span.trace == "0af7651916cd43dd8448eb211c80319c")
    );
    let (_, spans) = traced(&place, &[], &["call", "chain_run"], args);
    let traces: BTreeSet<&str> = spans.iter().map(|span| span.trace.as_str()).collect();
    assert_eq!((traces.len(), spans.len()), (1, 3), "{spans:?}");
    let unsampled = [("TRACEPARENT", &*PARENT.replace("-01", "-00"))];
    let (_, spans) = traced(&place, &unsampled, &["call", "chain_run"], args);
    assert_eq!(spans, []);
}

#[test]
fn a_door_of_many_calls_gives_the_ids_of_its_client() {
    let place = Place::new();
    let lines = "{\"id\":\"call_1\",\"tool\":\"calculate\",\"args\":{\"expression\":\"1+1\"}}\n{\"id\":2,\"tool\":\"calculate\",\"args\":{\"expression\":\"1+2\"}}\n";
    let of_client = format!(
        "{{\"id\":3,\"tool\":\"calculate\",\"args\":{{\"expression\":\"1+3\"}},\"traceparent\":\"{PARENT}\"}}\n"
    );
    let unkept = of_client.replace("-01\"", "-00\"").replace(":3,", ":4,");
    let malformed = of_client.replace("-01\"", "\"").replace(":3,", ":5,");
    let lines = [lines, &of_client, &unkept, &malformed].concat();
    let (answer, spans) = traced(&place, &[], &["serve", "--jsonl"], &lines);
    assert_eq!(answer.expect_code(0).stdout.lines().count(), 5);
    let traces =
        ["call_1", "2", "5"].map(|id| named(&spans, "gen_ai.tool.call.id", id).trace.clone());
    let apart: BTreeSet<&String> = traces.iter().collect();
    assert_eq!(apart.len(), 3, "calls that nothing joins");
    let followed = named(&spans, "gen_ai.tool.call.id", "3");
    assert_eq!(followed.trace, "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(followed.parent, "b7ad6b7169203331");
    assert_eq!(spans.len(), 4, "the client keeps no span of the fourth");
    let events = "{\"type\":\"run.requested\",\"run\":\"sums\"}\n{\"type\":\"calls.observed\",\"calls\":[{\"call_id\":\"a1\",\"tool\":\"calculate\",\"args\":{\"expression\":\"1+1\"}}]}\n";
    let (_, spans) = traced(&place, &[], &["session"], events);
    assert_eq!(
        named(&spans, "gen_ai.tool.call.id", "a1").name,
        "execute_tool calculate"
    );
}

#[test]
fn the_default_is_protobuf_with_the_headers_of_the_environment() {
    let (place, collector) = (Place::new(), Collector::start(Manner::Good));
    let traces = format!("{}/own/path", collector.endpoint());
    let environment = [
        ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", traces.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-team=blue"),
    ];
    let args = ["call", "calculate", "--expression", "6*7"];
    let answer = run(&place, &environment, &args, "");
    assert_eq!(answer.expect_code(0).stderr, "");
    let requests = collector.requests();
    let [request] = &requests[..] else {
        panic!("{} requests", requests.len());
    };
    assert_eq!(request.path, "/own/path");
    assert_eq!(request.headers["content-type"], "application/x-protobuf");
    assert_eq!(request.headers["x-team"], "blue");
    for off in [
        ("OTEL_SDK_DISABLED", "true"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ] {
        run(&place, &[environment[0], off], &args, "").expect_code(0);
        assert_eq!(collector.requests().len(), 0, "{off:?}");
    }
}

const FAILS: &str = "version: 1
id: fails
steps:
  - {id: a, tool: statistics, args: {data: [1, 2, 3]}}
  - {id: b, tool: calculate, map: {over: [1, 2], as: n}, args: {expression: '2+2'}}
  - {id: c, tool: matrix_inverse, after: [a, b], args: {A: [[1, 1], [1, 1]]}}
";

#[test]
fn what_is_sent_as_protobuf_is_what_the_file_holds() {
    let place = Place::new();
    place.write("plan.yaml", FAILS);
    let more = [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
        ("TRACEPARENT", PARENT),
    ];
    let (answer, mut sent) = traced(&place, &more, &["run", "plan.yaml"], "");
    let run_id = answer.expect_code(1).at("/metadata/chain_id");
    let run_id = run_id.as_str().expect("an id");
    assert_eq!(sent.len(), 1 + 1 + 2 + 1, "{sent:?}");

    let chain = named(&sent, "gen_ai.operation.name", "invoke_workflow");
    assert_eq!(chain.name, "invoke_workflow fails");
    assert_eq!(chain.trace, "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(chain.parent, "b7ad6b7169203331");
    assert_eq!((chain.status(), chain.get("error.type")), (2, "numeric"));
    for step in sent.iter().filter(|span| span.id != chain.id) {
        assert_eq!((&step.trace, &step.parent), (&chain.trace, &chain.id));
        assert_eq!(step.id.len(), 16);
        let fails = step.get("mathchain.step") == "c";
        let error = if fails { (2, "numeric") } else { (0, "") };
        assert_eq!((step.status(), step.get("error.type")), error, "{step:?}");
        // Beginnings are cut to whole milliseconds, so an end may lie that much behind its parent's.
        let ([began, ended], [first, last]) = (step.times(), chain.times());
        assert!(first <= began && began <= ended && ended <= last + 1_000_000);
    }
    let [a, c] = ["a", "c"].map(|step| named(&sent, "mathchain.step", step).times());
    assert!(a[0] <= c[0], "c waits for a");
    let second = named(&sent, "mathchain.item", "1");
    assert_eq!(second.get("mathchain.chain_index"), "1");

    let parent = [("TRACEPARENT", PARENT)];
    let export = ["runs", "export", run_id, "--format", "otlp"];
    let exported = run(&place, &parent, &export, "");
    let mut held = spans_in(&exported.expect_code(0).stdout);
    let all_said = |spans: &mut Vec<Span>| -> Vec<_> {
        spans.sort_by(|a, b| a.id.cmp(&b.id));
        let spans = spans.iter();
        spans
            .map(|span| {
                let Span {
                    name,
                    trace,
                    id,
                    parent,
                    attributes,
                    resource,
                    ..
                } = span.clone();
                let said = [name, trace, id, parent];
                let facts = (span.whole["kind"].clone(), span.status(), span.times());
                (said, facts, attributes, resource)
            })
            .collect()
    };
    assert_eq!(all_said(&mut sent), all_said(&mut held));
}

/// A bound that only a hang exceeds.
const WAIT_MAX: Duration = Duration::from_secs(60);

#[test]
fn a_collector_that_is_absent_slow_or_hostile_changes_no_call() {
    let place = Place::new();
    let args = [
        "call",
        "calculate",
        "--expression",
        "2**200",
        "--output",
        "raw",
    ];
    let plain = run(&place, &[], &args, "");
    assert_eq!(plain.expect_code(0).stderr, "");
    let victim = Collector::start(Manner::Good);
    // A port that nobody listens at any more.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let absent = format!("http://{}", closed.local_addr().expect("bound"));
    drop(closed);
    let manners = [
        (Manner::Good, "http/protobuf", ""),
        (Manner::Good, "grpc", "expected `http/protobuf`"),
        (Manner::Status(503), "http/json", "503"),
        (Manner::Status(400), "http/json", "400"),
        (Manner::Silent, "http/json", "no answer within 2 s"),
        (Manner::Endless, "http/json", "dropped"),
        (Manner::Redirects(victim.port), "http/json", "307"),
    ];
    let mut endpoints = vec![
        (absent, "http/json", "dropped"),
        ("no endpoint".to_owned(), "http/json", "invalid"),
    ];
    endpoints.extend(
        manners
            .map(|(manner, protocol, says)| (Collector::start(manner).endpoint(), protocol, says)),
    );
    for (endpoint, protocol, says) in &endpoints {
        let environment = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
        ];
        let begun = Instant::now();
        let answer = run(&place, &environment, &args, "");
        assert!(begun.elapsed() < WAIT_MAX, "{says}: {:?}", begun.elapsed());
        assert_eq!((answer.code, &answer.stdout), (0, &plain.stdout), "{says}");
        let told = answer.stderr.lines().count();
        assert_eq!(told, usize::from(!says.is_empty()), "{}", answer.stderr);
        assert!(answer.stderr.contains(says), "{says}: {}", answer.stderr);
        assert_eq!(
            answer.stderr.contains("1 of 1 spans"),
            told == 1,
            "{}",
            answer.stderr
        );
    }
    assert_eq!(victim.requests().len(), 0, "nothing is sent on");
}
