//! `GET /metrics`: counters in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tool_core::{Outcome, Status};

/// Upper bounds of durations, in seconds.
const BOUNDS: [f64; 8] = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];

#[derive(Default)]
pub(super) struct Metrics(Mutex<Counts>);

#[derive(Default)]
struct Counts {
    /// Requests by route and status.
    requests: BTreeMap<(&'static str, u16), u64>,
    /// Calls of `/v1/call` by the end of each.
    calls: BTreeMap<&'static str, u64>,
    /// Requests that took at most as long as each bound.
    within: [u64; BOUNDS.len()],
    seconds: f64,
    count: u64,
}

/// The name under which requests for a path are counted: one of a few, whatever a client sends.
pub(super) fn route(path: &str) -> &'static str {
    const ROUTES: [&str; 11] = [
        "/healthz",
        "/readyz",
        "/metrics",
        "/mcp",
        "/v1/openapi.json",
        "/v1/call",
        "/v1/tools",
        "/v1/chains",
        "/v1/runs",
        "/v1/approvals",
        "/v1/artifacts",
    ];
    let is_it = |route: &&&str| {
        let rest = path.strip_prefix(**route);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROUTES.iter().find(is_it).copied().unwrap_or("other")
}

impl Metrics {
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

    /// Counts a call that ended.
    pub(super) fn called(&self, outcome: &Outcome) {
        let end = match &outcome.status {
            Status::Success(_) => "success",
            Status::PendingApproval { .. } => "pending_approval",
            Status::Error(error) => error.code().as_str(),
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.calls.entry(end).or_default() += 1;
    }

    /// The counters, with the calls that run and wait.
    pub(super) fn text(&self, running: usize, waiting: usize) -> String {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        head(
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
        head(
            &mut text,
            "mathchain_calls_total",
            "counter",
            "Calls of /v1/call by status or error code",
        );
        for (end, count) in &counts.calls {
            let _ = writeln!(text, "mathchain_calls_total{{status=\"{end}\"}} {count}");
        }
        let name = "mathchain_http_request_duration_seconds";
        head(
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
                running,
                "Calls and plans that run",
            ),
            (
                "mathchain_calls_waiting",
                waiting,
                "Calls and plans that wait for a thread",
            ),
        ] {
            head(&mut text, name, "gauge", help);
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}
