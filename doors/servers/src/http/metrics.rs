//! `GET /metrics`: counters in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use chain_runtime::cluster::{EngineTickets, engine_tickets};
use tool_core::{CallOutcome, ErrorCode, OutcomeStatus, ToolError, Value};

/// Upper bounds of durations, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];

#[derive(Default)]
pub(super) struct HttpMetrics(Mutex<HttpCounts>);

#[derive(Default)]
struct HttpCounts {
    /// Requests by route and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// Calls by tool, role and the end of each.
    calls: BTreeMap<(String, String, &'static str), u64>,
    /// Requests that took at most as long as each bound.
    within: [u64; BOUNDS.len()],
    seconds: f64,
    count: u64,
}

/// The name under which requests for a path are counted: one of a few, whatever a client sends.
pub(super) fn route_label(path: &str) -> &'static str {
    const ROUTES: [&str; 15] = [
        "/console",
        "/healthz",
        "/readyz",
        "/metrics",
        "/mcp",
        "/v1/openapi.json",
        "/v1/call",
        "/v1/tools",
        "/v1/chains",
        "/v1/pipelines",
        "/v1/events",
        "/v1/runs",
        "/v1/schedules",
        "/v1/approvals",
        "/v1/artifacts",
    ];
    if path == "/" {
        return "/";
    }
    let is_it = |route: &&&str| {
        let rest = path.strip_prefix(**route);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROUTES.iter().find(is_it).copied().unwrap_or("other")
}

impl HttpMetrics {
    /// Counts a request whose head was answered.
    pub(super) fn answered(&self, route: &'static str, status: StatusCode, time: Duration) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.requests.entry((route, status.as_u16())).or_default() += 1;
        let seconds = time.as_secs_f64();
        for (within, bound) in counts.within.iter_mut().zip(BOUNDS) {
            *within += u64::from(seconds <= bound);
        }
        counts.seconds += seconds;
        counts.count += 1;
    }

    /// Counts a call that ended, by the tool and role that its metadata name.
    pub(super) fn called(&self, outcome: &CallOutcome) {
        let named = |key: &str| {
            let name = outcome.metadata.get(key).and_then(Value::as_str);
            name.unwrap_or("unknown").to_owned()
        };
        let end = match &outcome.status {
            OutcomeStatus::Success(_) => "success",
            OutcomeStatus::PendingApproval { .. } => "pending_approval",
            OutcomeStatus::Error(error) => error.code().as_str(),
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A name that no tool has is one of any that a client sends.
        let tool = match outcome.err().map(ToolError::code) {
            Some(ErrorCode::UnknownTool) => "unknown".to_owned(),
            _ => named("tool"),
        };
        let key = (tool, named("role"), end);
        *counts.calls.entry(key).or_default() += 1;
    }

    /// The counters, with what the server and the state hold now.
    pub(super) fn text(&self, now: &HttpGauges) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        write_metric_head(
            &mut text,
            "mathchain_http_requests_total",
            "counter",
            "Requests by route and status",
        );
        for ((route, status), count) in &counts.requests {
            let _ = writeln!(
                text,
                "mathchain_http_requests_total{{route=\"{route}\",status=\"{status}\"}} {count}"
            );
        }
        write_metric_head(
            &mut text,
            "mathchain_calls_total",
            "counter",
            "Calls by tool, role, and status or error code",
        );
        for ((tool, role, end), count) in &counts.calls {
            let (tool, role) = (label_value(tool), label_value(role));
            let _ = writeln!(
                text,
                "mathchain_calls_total{{tool=\"{tool}\",role=\"{role}\",status=\"{end}\"}} {count}"
            );
        }
        let name = "mathchain_http_request_duration_seconds";
        write_metric_head(
            &mut text,
            name,
            "histogram",
            "Time until the head of an answer",
        );
        for (within, bound) in counts.within.iter().zip(BOUNDS) {
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {within}");
        }
        let (count, seconds) = (counts.count, counts.seconds);
        let _ = writeln!(
            text,
            "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {seconds}\n{name}_count {count}"
        );
        for (name, value, help) in [
            (
                "mathchain_calls_running",
                Some(now.running as u64),
                "Calls and plans that run",
            ),
            (
                "mathchain_calls_waiting",
                Some(now.waiting as u64),
                "Calls and plans that wait for a thread",
            ),
            (
                "mathchain_approvals_pending",
                now.approvals_pending,
                "Requests for approval of the workspace that wait",
            ),
            (
                "mathchain_state_free_bytes",
                now.free_bytes,
                "Free space on the disk of the state",
            ),
        ] {
            if let Some(value) = value {
                write_metric_head(&mut text, name, "gauge", help);
                let _ = writeln!(text, "{name} {value}");
            }
        }
        if let Some(seconds) = now.oldest_waiting {
            let name = "mathchain_plans_oldest_waiting_seconds";
            write_metric_head(
                &mut text,
                name,
                "gauge",
                "Age of the oldest plan that waits for a thread",
            );
            let _ = writeln!(text, "{name} {}", seconds.as_secs_f64());
        }
        if let Some(runs) = &now.runs {
            let name = "mathchain_runs";
            write_metric_head(
                &mut text,
                name,
                "gauge",
                "Recorded runs of the workspace by state",
            );
            for (state, count) in runs {
                let _ = writeln!(text, "{name}{{state=\"{state}\"}} {count}");
            }
        }
        write_engine_metrics(&mut text);
        if let Some(failures) = now.state_failures {
            let name = "mathchain_state_failures_total";
            write_metric_head(
                &mut text,
                name,
                "counter",
                "Failed accesses to the state, such as audit records that a full disk did not take",
            );
            let _ = writeln!(text, "{name} {failures}");
        }
        text
    }
}

/// Tickets of the engines that plans of this server used.
fn write_engine_metrics(text: &mut String) {
    let engines = engine_tickets();
    type Count = fn(&EngineTickets) -> u64;
    let metrics: [(&str, &str, &str, Count); 3] = [
        (
            "mathchain_engine_tickets_out",
            "gauge",
            "Tickets without a result, by engine",
            |counts| counts.out,
        ),
        (
            "mathchain_engine_tickets_done_total",
            "counter",
            "Tickets with a result, by engine",
            |counts| counts.done,
        ),
        (
            "mathchain_engine_fallbacks_total",
            "counter",
            "Calls computed here although an engine was wanted, by engine",
            |counts| counts.fallen_back,
        ),
    ];
    for (name, kind, help, count) in metrics {
        if engines.is_empty() {
            break;
        }
        write_metric_head(text, name, kind, help);
        for (engine, counts) in &engines {
            let _ = writeln!(text, "{name}{{engine=\"{engine}\"}} {}", count(counts));
        }
    }
}

/// A value of a label: tools and roles have no character that a label escapes, whatever a configuration says.
fn label_value(text: &str) -> String {
    let plain = |letter: char| !matches!(letter, '"' | '\\' | '\n');
    text.chars().filter(|letter| plain(*letter)).collect()
}

/// What the server and the state hold now; `None` where there is no state.
#[derive(Default)]
pub(super) struct HttpGauges {
    pub(super) running: usize,
    pub(super) waiting: usize,
    pub(super) oldest_waiting: Option<Duration>,
    pub(super) approvals_pending: Option<u64>,
    pub(super) runs: Option<BTreeMap<String, u64>>,
    pub(super) free_bytes: Option<u64>,
    pub(super) state_failures: Option<u64>,
}

fn write_metric_head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
