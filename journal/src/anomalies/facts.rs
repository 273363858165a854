//! The calls and plans in records, as the rules need them. Incomplete records are ignored.

use std::collections::BTreeMap;

use tool_core::{Object, Value};

use crate::AuditRecord;

/// The tool that runs a plan. Its duration is that of the calls within, which are counted themselves.
const PLAN_TOOL: &str = "chain_run";

/// The place of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Site<'a> {
    /// The run of a plan, by its id.
    Run(&'a str),
    /// A session of direct calls.
    Session(&'a str),
}

/// A call that has ended; one that waits for approval has not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub site: Site<'a>,
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
pub(super) struct Chain<'a> {
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
pub(super) struct Facts<'a> {
    pub calls: Vec<Call<'a>>,
    pub chains: Vec<Chain<'a>>,
}

impl<'a> Facts<'a> {
    pub(super) fn read(records: &'a [AuditRecord]) -> Self {
        let mut calls = Vec::new();
        let mut chains: BTreeMap<&str, Chain<'_>> = BTreeMap::new();
        for record in records {
            let Some(object) = record.record.as_object() else {
                continue;
            };
            match text(object, "kind") {
                Some("call") => calls.extend(call(record, object)),
                Some("chain") => {
                    let Some(chain) = chain(record, object) else {
                        continue;
                    };
                    match chains.get(chain.id) {
                        Some(known) if known.age() >= chain.age() => {}
                        _ => drop(chains.insert(chain.id, chain)),
                    }
                }
                _ => {}
            }
        }
        // Newest first, since only the newest of many are shown.
        calls.sort_by(|a: &Call<'_>, b| b.age().cmp(&a.age()));
        Self {
            calls,
            chains: chains.into_values().collect(),
        }
    }

    /// The median duration of successful calls by tool, for tools with enough of them. Nested plans are excluded, since their steps are
    /// counted themselves.
    pub(super) fn usual_ms(&self, calls_least: u64) -> BTreeMap<&'a str, f64> {
        let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        let told =
            |call: &&Call<'_>| call.failed.is_none() && !call.cached && call.tool != PLAN_TOOL;
        for call in self.calls.iter().filter(told) {
            times.entry(call.tool).or_default().push(call.elapsed_ms);
        }
        times
            .into_iter()
            .filter(|(_, times)| times.len() as u64 >= calls_least)
            .map(|(tool, times)| (tool, median(times)))
            .collect()
    }
}

impl Call<'_> {
    fn age(&self) -> (i64, u64, &str) {
        (self.time_ms, self.sequence, self.call_id)
    }
}

impl Chain<'_> {
    fn age(&self) -> (i64, u64) {
        (self.time_ms, self.sequence)
    }
}

/// The median of some numbers; 0 for none.
pub(super) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    match (numbers.len() % 2, numbers.get(half)) {
        (_, None) => 0.0,
        (1, Some(middle)) => *middle,
        (_, Some(above)) => numbers[half - 1].midpoint(*above),
    }
}

fn call<'a>(record: &'a AuditRecord, object: &'a Object) -> Option<Call<'a>> {
    let failed = match text(object, "status")? {
        "success" => None,
        "error" => Some(text(object, "error_code").unwrap_or("unknown")),
        _ => return None,
    };
    Some(Call {
        site: match text(object, "chain_id") {
            Some(chain) => Site::Run(chain),
            None => Site::Session(&record.session),
        },
        step: text(object, "step"),
        item: integer(object, "item"),
        wave: integer(object, "wave"),
        attempt: integer(object, "attempt").map_or(1, i64::unsigned_abs),
        tool: text(object, "tool")?,
        role: text(object, "role").unwrap_or_default(),
        call_id: text(object, "call_id").unwrap_or_default(),
        time_ms: integer(object, "time_ms").unwrap_or_default(),
        sequence: record.sequence,
        elapsed_ms: object.get("elapsed_ms").and_then(Value::as_f64)?,
        failed,
        cached: object.get("cached").and_then(Value::as_bool) == Some(true),
    })
}

fn chain<'a>(record: &'a AuditRecord, object: &'a Object) -> Option<Chain<'a>> {
    if text(object, "status") == Some("rejected") {
        return None;
    }
    let truth = |key: &str| object.get(key).and_then(Value::as_bool) == Some(true);
    let waves = object.get("wave_timeline").and_then(Value::items);
    let elapsed = |wave: Value| wave.get("elapsed_ms").and_then(Value::as_f64);
    Some(Chain {
        id: text(object, "chain_id")?,
        barrier: truth("barrier"),
        wanted_dep: text(object, "mode_requested") == Some("dep"),
        fallback: truth("fallback_to_seq")
            .then(|| text(object, "fallback_reason").unwrap_or("no reason is recorded")),
        waves: waves
            .unwrap_or_default()
            .into_iter()
            .map(|wave| elapsed(wave).unwrap_or_default())
            .collect(),
        time_ms: integer(object, "recorded_ms").unwrap_or_default(),
        sequence: record.sequence,
    })
}

fn text<'a>(object: &'a Object, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn integer(object: &Object, key: &str) -> Option<i64> {
    object.get(key).and_then(Value::as_i64)
}
