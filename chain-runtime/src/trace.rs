//! The timeline of a run: one line per call, as text, as data and as a Chrome trace.
//!
//! Calls on one lane never overlap; the number of lanes is the largest number of concurrent calls. A call includes its attempts and
//! the pauses between them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use tool_core::{Object, Value, fields, object};

use crate::run::{ChainResult, StepOutcome, StepReport, duration_in_ms};
use crate::tools::TOOL_CHAINS;

/// One call of a chain.
struct TraceCall<'r> {
    step: &'r StepReport,
    /// Index of the element, for a step with `map`.
    element: Option<usize>,
    end: &'r StepOutcome,
    lane: usize,
}

impl TraceCall<'_> {
    fn name(&self) -> String {
        let index = self.element.map(|index| format!("[{index}]"));
        format!("{}{}", self.step.id, index.unwrap_or_default())
    }

    /// Start of its first attempt.
    fn began(&self) -> Duration {
        let first = self.end.tries.first();
        first.map_or(self.end.began, |first| first.began)
    }

    /// The chains of plans that it ran, from its answer.
    fn within(&self) -> Vec<Value> {
        let chains = self.end.metadata.get(TOOL_CHAINS);
        chains.and_then(Value::items).unwrap_or_default()
    }
}

/// Width of the timeline, in columns.
const COLUMNS: usize = 80;

/// A name, shortened to a width.
fn shorten_name(name: &str, width: usize) -> Cow<'_, str> {
    match name.chars().count() > width {
        true => format!("{}~", name.chars().take(width - 1).collect::<String>()).into(),
        false => name.into(),
    }
}

fn duration_in_us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl ChainResult {
    /// All calls, in the order of their start.
    fn calls(&self) -> Vec<TraceCall<'_>> {
        let mut calls = Vec::new();
        for step in &self.steps {
            let elements = step.end.items.iter().enumerate();
            let mut ends: Vec<_> = elements.map(|(index, end)| (Some(index), end)).collect();
            if ends.is_empty() {
                ends.push((None, &step.end));
            }
            ends.retain(|(_, end)| end.attempts > 0 || end.ended > Duration::ZERO);
            calls.extend(ends.into_iter().map(|(element, end)| TraceCall {
                step,
                element,
                end,
                lane: 0,
            }));
        }
        calls.sort_by_key(TraceCall::began); // stable: at one moment in plan order
        let mut free: Vec<Duration> = Vec::new();
        for call in &mut calls {
            let lane = free.iter().position(|&until| until <= call.began());
            call.lane = lane.unwrap_or(free.len());
            match free.get_mut(call.lane) {
                Some(until) => *until = call.end.ended,
                None => free.push(call.end.ended),
            }
        }
        calls
    }

    /// The diagnostics of the chain with one object per call: an entry of `tool_chains`; with at most so many calls of nested plans.
    pub(crate) fn with_calls(&self, mut inner_max: usize) -> Object {
        let mut chain = self.diagnostics.clone();
        chain.insert("status", self.status.as_str());
        let calls = self.calls().into_iter().map(|call| {
            let mut line = fields! {
                "step" => call.name(),
                "tool" => call.step.tool,
                "wave" => call.step.wave,
                "lane" => call.lane,
                "status" => call.end.status.as_str(),
                "began_ms" => duration_in_ms(call.began()),
                "ended_ms" => duration_in_ms(call.end.ended),
                "attempts" => call.end.attempts,
            };
            line.insert_some("node", call.end.node());
            let within = call.within();
            let count: usize = within.iter().map(calls_of).sum();
            if let (1.., Some(rest)) = (count, inner_max.checked_sub(count)) {
                inner_max = rest;
                line.insert(TOOL_CHAINS, within);
            }
            Value::from(line)
        });
        chain.insert("calls", calls.collect::<Vec<_>>());
        chain
    }

    /// The timeline as text: waves, and below each its calls as bars.
    pub fn trace_text(&self) -> String {
        let calls = self.calls();
        let of = |key: &str| self.diagnostics.get(key).cloned().unwrap_or_default();
        let whole = of("elapsed_ms").as_f64().unwrap_or_default();
        let lanes = calls.iter().map(|call| call.lane + 1).max().unwrap_or(0);
        let (id, count, mode) = (&self.chain_id, calls.len(), of("mode_used"));
        let mode = mode.as_str().unwrap_or_default();
        let mut text =
            format!("chain {id}: {count} calls on {lanes} lanes in {whole:.1} ms, mode {mode}\n");
        if let Some(reason) = of("fallback_reason").as_str() {
            let _ = writeln!(text, "sequential, because {reason}");
        }
        let end = |call: &TraceCall<'_>| {
            let status = call.end.status.as_str();
            let mut text = match call.end.attempts {
                0 | 1 => status.to_owned(),
                more => format!("{status}, {more} attempts"),
            };
            if let Some(node) = call.end.node() {
                let _ = write!(text, " on {node}");
            }
            text
        };
        let widest = |of: &dyn Fn(&TraceCall<'_>) -> usize| calls.iter().map(of).max().unwrap_or(0);
        let width = widest(&|call| call.name().chars().count()).min(16);
        let tools = widest(&|call| call.step.tool.chars().count()).min(14);
        let numbers = lanes.to_string().len();
        // The separators: `  `, `  `, `  lane `, `  |`, `| `, 8 columns and ` ms  `.
        let taken = width + tools + numbers + widest(&|call| end(call).len()) + 29;
        let bar = COLUMNS.saturating_sub(taken).clamp(6, 40);
        let waves = of("wave_timeline").items().unwrap_or_default();
        for (wave, line) in waves.iter().enumerate() {
            let elapsed = line.get("elapsed_ms").and_then(Value::as_f64);
            let _ = writeln!(text, "wave {wave}: {:.1} ms", elapsed.unwrap_or_default());
            for call in calls.iter().filter(|call| call.step.wave == wave) {
                let (began, ended) = (duration_in_ms(call.began()), duration_in_ms(call.end.ended));
                let at = |time: f64| match whole > 0.0 {
                    true => ((time / whole) * bar as f64) as usize,
                    false => 0,
                };
                let from = at(began).min(bar - 1);
                let to = at(ended).clamp(from + 1, bar);
                let _ = writeln!(
                    text,
                    "  {:width$}  {:tools$}  lane {:numbers$}  |{}{}{}| {:8.1} ms  {}",
                    shorten_name(&call.name(), width),
                    shorten_name(call.step.tool, tools),
                    call.lane,
                    " ".repeat(from),
                    "=".repeat(to - from),
                    " ".repeat(bar - to),
                    ended - began,
                    end(call),
                );
            }
        }
        text
    }

    /// The timeline as a Chrome trace (`chrome://tracing`, Perfetto): attempts of calls on lanes, waves below them, maps as spans of
    /// their own, and the calls of nested plans as further processes.
    pub fn chrome_trace(&self) -> Value {
        let calls = self.calls();
        let mut trace = ChromeTrace {
            events: Vec::new(),
            processes: WAVES,
        };
        let name = format!("chain {}", self.chain_id);
        trace.name("process_name", CALLS, 0, &name);
        trace.name("process_name", WAVES, 0, "waves");
        let lanes = calls.iter().map(|call| call.lane + 1).max().unwrap_or(0);
        for lane in 0..lanes as u64 {
            trace.name("thread_name", CALLS, lane, &format!("lane {lane}"));
        }
        calls.iter().for_each(|call| trace.call(call));
        let waves = self.steps.iter().map(|step| step.wave + 1).max();
        for wave in 0..waves.unwrap_or(0) {
            let of_wave = || calls.iter().filter(|call| call.step.wave == wave);
            let began = of_wave().map(TraceCall::began).min();
            let ended = of_wave().map(|call| call.end.ended).max();
            if let (Some(began), Some(ended)) = (began, ended) {
                let (name, lane) = (format!("wave {wave}"), wave as u64);
                trace.name("thread_name", WAVES, lane, &name);
                let times = (duration_in_us(began), duration_in_us(ended));
                let args = object! { "wave" => wave };
                trace.span((WAVES, lane), &name, "wave", times, args);
            }
        }
        let mapped = self.steps.iter().filter(|step| !step.end.items.is_empty());
        for (number, step) in mapped.enumerate() {
            for (phase, time) in [("b", step.end.began), ("e", step.end.ended)] {
                let args = object! { "wave" => step.wave, "status" => step.end.status.as_str() };
                let members = fields! {
                    "cat" => "map",
                    "id" => number,
                    "ts" => duration_in_us(time),
                    "args" => args,
                };
                trace.event((CALLS, 0), phase, &step.id, &members);
            }
        }
        object! {
            "traceEvents" => trace.events,
            "displayTimeUnit" => "ms",
            "otherData" => object! {
                "chain_id" => &*self.chain_id,
                "status" => self.status.as_str(),
            },
        }
    }
}

/// The processes of a Chrome trace; those of nested plans follow.
const CALLS: u64 = 1;
const WAVES: u64 = 2;

/// The events of a Chrome trace.
struct ChromeTrace {
    events: Vec<Value>,
    /// The newest process.
    processes: u64,
}

impl ChromeTrace {
    /// Adds an event on a lane of a process.
    fn event(&mut self, place: (u64, u64), phase: &str, name: &str, members: &Object) {
        let (process, lane) = place;
        let mut event = fields! { "name" => name, "ph" => phase, "pid" => process, "tid" => lane };
        event.extend(members);
        self.events.push(event.into());
    }

    /// Names a process or a lane.
    fn name(&mut self, what: &str, process: u64, lane: u64, name: &str) {
        let members = fields! { "args" => object! { "name" => name } };
        self.event((process, lane), "M", what, &members);
    }

    /// Adds a span between two times in microseconds.
    fn span(
        &mut self,
        place: (u64, u64),
        name: &str,
        category: &str,
        (began, ended): (u64, u64),
        args: Value,
    ) {
        let members = fields! {
            "cat" => category,
            "ts" => began,
            "dur" => ended.saturating_sub(began),
            "args" => args,
        };
        self.event(place, "X", name, &members);
    }

    /// Adds every attempt of a call, and the calls of the plans that it ran.
    fn call(&mut self, call: &TraceCall<'_>) {
        let tries = call.end.tries.iter();
        let tries = tries.map(|one| {
            (
                one.code.as_str(),
                duration_in_us(one.began),
                duration_in_us(one.ended),
            )
        });
        let (status, began, ended) = (call.end.status, call.end.began, call.end.ended);
        let end = (
            status.as_str(),
            duration_in_us(began),
            duration_in_us(ended),
        );
        for (before, (status, began, ended)) in tries.chain([end]).enumerate() {
            let attempt = before + 1;
            let name = match call.end.tries.is_empty() {
                true => call.name(),
                false => format!("{} (attempt {attempt})", call.name()),
            };
            let mut args = fields! {
                "tool" => call.step.tool,
                "wave" => call.step.wave,
                "lane" => call.lane,
                "status" => status,
                "attempt" => attempt,
                "attempts" => call.end.attempts,
            };
            args.insert_some("node", call.end.node());
            let place = (CALLS, call.lane as u64);
            self.span(place, &name, call.step.tool, (began, ended), args.into());
        }
        for chain in call.within() {
            self.nested(&chain, &call.name(), duration_in_us(call.end.began));
        }
    }

    /// Adds the calls of a nested plan, and of those within it, from the time when the call around them began.
    fn nested(&mut self, chain: &Value, around: &str, offset: u64) {
        self.processes += 1;
        let process = self.processes;
        let id = chain.text("chain_id").unwrap_or_default();
        let name = format!("chain {id} of {around}");
        self.name("process_name", process, 0, &name);
        for call in chain.items_at("calls") {
            let time = |key: &str| {
                let ms = call.get(key).and_then(Value::as_f64).unwrap_or_default();
                offset + (ms * 1e3) as u64
            };
            let member = |key: &'static str| (key, call.get(key).cloned().unwrap_or_default());
            let lane = member("lane").1.as_i64().unwrap_or_default().unsigned_abs();
            let name = format!("{around}/{}", call.text("step").unwrap_or_default());
            let args = ["tool", "wave", "lane", "status", "attempts"].map(member);
            let times = (time("began_ms"), time("ended_ms"));
            let tool = call.text("tool").unwrap_or_default();
            self.span((process, lane), &name, tool, times, Value::object(args));
            for inner in call.items_at(TOOL_CHAINS) {
                self.nested(&inner, &name, times.0);
            }
        }
    }
}

/// The number of calls in an entry of `tool_chains`, nested ones included.
fn calls_of(chain: &Value) -> usize {
    let calls = chain.items_at("calls");
    let nested = calls.iter().flat_map(|call| call.items_at(TOOL_CHAINS));
    calls.len() + nested.map(|chain| calls_of(&chain)).sum::<usize>()
}
