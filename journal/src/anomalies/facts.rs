//! The calls and plans in records, as the rules need them. Incomplete records are ignored.

use std::collections::BTreeMap;

use tool_core::Value;

use crate::AuditRecord;

/// The tool that runs a plan. Its duration is that of the calls within, which are counted themselves.
const PLAN_TOOL: &str = "chain_run";

/// The place of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CallSite<'a> {
    /// The run of a plan, by its id.
    Run(&'a str),
    /// A session of direct calls.
    Session(&'a str),
}

/// A call that has ended; one that waits for approval has not.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndedCall<'a> {
    pub site: CallSite<'a>,
    pub step: Option<&'a str>,
    pub item: Option<i64>,
    pub wave: Option<i64>,
    pub attempt: u64,
    pub tool: &'a str,
    pub role: &'a str,
    pub call_id: &'a str,
    time_ms: i64,
    sequence: u64,
    pub elapsed_ms: f64,
    /// Code of its error.
    pub failed: Option<&'a str>,
    /// Whether the result was cached, so that its duration is meaningless.
    pub cached: bool,
}

/// A plan that ran; for a resumed one the newest record.
#[derive(Debug)]
pub(super) struct PlanExecution<'a> {
    pub id: &'a str,
    pub barrier: bool,
    /// Whether execution by dependencies was requested.
    pub wanted_dep: bool,
    /// The reason for sequential execution instead.
    pub fallback: Option<&'a str>,
    /// Duration of each wave in milliseconds.
    pub waves: Vec<f64>,
    time_ms: i64,
    sequence: u64,
}

/// Calls and plans in a canonical order, so that the order of records does not matter.
#[derive(Debug, Default)]
pub(super) struct RunFacts<'a> {
    pub calls: Vec<EndedCall<'a>>,
    pub chains: Vec<PlanExecution<'a>>,
}

impl<'a> RunFacts<'a> {
    pub(super) fn read(records: &'a [AuditRecord]) -> Self {
        let mut calls = Vec::new();
        let mut chains: BTreeMap<&str, PlanExecution<'_>> = BTreeMap::new();
        for record in records {
            match text_member(record, "kind") {
                Some("call") => calls.extend(call_from_record(record)),
                Some("chain") => {
                    let newer = |chain: &PlanExecution<'_>| {
                        chains
                            .get(chain.id)
                            .is_none_or(|known| known.age() < chain.age())
                    };
                    if let Some(chain) = chain_from_record(record).filter(newer) {
                        chains.insert(chain.id, chain);
                    }
                }
                _ => {}
            }
        }
        // Newest first, since only the newest of many are shown.
        calls.sort_by(|a: &EndedCall<'_>, b| b.age().cmp(&a.age()));
        Self {
            calls,
            chains: chains.into_values().collect(),
        }
    }

    /// The median duration of successful calls by tool, for tools with enough of them. Nested plans are excluded, since their steps are
    /// counted themselves.
    pub(super) fn usual_ms(&self, calls_least: u64) -> BTreeMap<&'a str, f64> {
        let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let counts =
            |call: &&EndedCall<'_>| call.failed.is_none() && !call.cached && call.tool != PLAN_TOOL;
        for call in self.calls.iter().filter(counts) {
            times.entry(call.tool).or_default().push(call.elapsed_ms);
        }
        times.retain(|_, times| times.len() as u64 >= calls_least);
        let times = times.into_iter();
        times
            .map(|(tool, times)| (tool, median_or_zero(times)))
            .collect()
    }
}

impl EndedCall<'_> {
    fn age(&self) -> (i64, u64, &str) {
        (self.time_ms, self.sequence, self.call_id)
    }
}

impl PlanExecution<'_> {
    fn age(&self) -> (i64, u64) {
        (self.time_ms, self.sequence)
    }
}

/// The median of some numbers; 0 for none.
pub(super) fn median_or_zero(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match (numbers.len() % 2, numbers.get(half)) {
        (_, None) => 0.0,
        (1, Some(middle)) => *middle,
        (_, Some(above)) => numbers[half - 1].midpoint(*above),
    }
}

fn call_from_record(record: &AuditRecord) -> Option<EndedCall<'_>> {
    let failed = match text_member(record, "status")? {
        "success" => None,
        "error" => Some(text_member(record, "error_code").unwrap_or("unknown")),
        _ => return None,
    };
    Some(EndedCall {
        site: match text_member(record, "chain_id") {
            Some(chain) => CallSite::Run(chain),
            None => CallSite::Session(&record.session),
        },
        step: text_member(record, "step"),
        item: integer_member(record, "item"),
        wave: integer_member(record, "wave"),
        attempt: integer_member(record, "attempt").map_or(1, i64::unsigned_abs),
        tool: text_member(record, "tool")?,
        role: text_member(record, "role").unwrap_or_default(),
        call_id: text_member(record, "call_id").unwrap_or_default(),
        time_ms: integer_member(record, "time_ms").unwrap_or_default(),
        sequence: record.sequence,
        elapsed_ms: record.record.get("elapsed_ms")?.as_f64()?,
        failed,
        cached: is_true(record, "cached"),
    })
}

fn chain_from_record(record: &AuditRecord) -> Option<PlanExecution<'_>> {
    if text_member(record, "status") == Some("rejected") {
        return None;
    }
    let waves = record.record.get("wave_timeline").and_then(Value::items);
    let elapsed = |wave: &Value| wave.get("elapsed_ms").and_then(Value::as_f64);
    let reason = || text_member(record, "fallback_reason").unwrap_or("no reason is recorded");
    Some(PlanExecution {
        id: text_member(record, "chain_id")?,
        barrier: is_true(record, "barrier"),
        wanted_dep: text_member(record, "mode_requested") == Some("dep"),
        fallback: is_true(record, "fallback_to_seq").then(reason),
        waves: (waves.iter().flatten())
            .map(|wave| elapsed(wave).unwrap_or_default())
            .collect(),
        time_ms: integer_member(record, "recorded_ms").unwrap_or_default(),
        sequence: record.sequence,
    })
}

fn text_member<'a>(record: &'a AuditRecord, key: &str) -> Option<&'a str> {
    record.record.get(key)?.as_str()
}

fn integer_member(record: &AuditRecord, key: &str) -> Option<i64> {
    record.record.get(key)?.as_i64()
}

fn is_true(record: &AuditRecord, key: &str) -> bool {
    record.record.get(key).and_then(Value::as_bool) == Some(true)
}
