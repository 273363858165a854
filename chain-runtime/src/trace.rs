//! When what ran: a line for each call, for people, for programs, and for viewers of Chrome traces.
//!
//! A lane is a place among the calls that ran at the same time: calls on one lane never overlap, and the number of lanes is the
//! most calls that ran together. Waits before a retry are part of a call.

use std::fmt::Write as _;
use std::time::Duration;

use tool_core::{Object, Value};

use crate::run::{ChainResult, Finished, StepReport};

/// One call of a chain.
struct Ran<'r> {
    step: &'r StepReport,
    /// Which element of its map, where it has one.
    element: Option<usize>,
    end: &'r Finished,
    lane: usize,
}

impl Ran<'_> {
    fn name(&self) -> String {
        match self.element {
            Some(index) => format!("{}[{index}]", self.step.id),
            None => self.step.id.to_string(),
        }
    }
}

/// Milliseconds with a microsecond's resolution.
fn ms(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e6).round() / 1e3
}

fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl ChainResult {
    /// Everything that was called, in the order it began.
    fn calls(&self) -> Vec<Ran<'_>> {
        let mut calls = Vec::new();
        for step in &self.steps {
            let whole = (None, &step.end);
            let elements = step.end.items.iter().enumerate();
            let ends: Vec<_> = match step.end.items.is_empty() {
                true => vec![whole],
                false => elements.map(|(index, end)| (Some(index), end)).collect(),
            };
            let ran = ends
                .into_iter()
                .filter(|(_, end)| end.attempts > 0 || end.ended > Duration::ZERO);
            calls.extend(ran.map(|(element, end)| Ran {
                step,
                element,
                end,
                lane: 0,
            }));
        }
        calls.sort_by_key(|call| call.end.began); // stable: at one moment in plan order
        let mut free: Vec<Duration> = Vec::new();
        for call in &mut calls {
            let lane = free.iter().position(|&until| until <= call.end.began);
            call.lane = lane.unwrap_or(free.len());
            match free.get_mut(call.lane) {
                Some(until) => *until = call.end.ended,
                None => free.push(call.end.ended),
            }
        }
        calls
    }

    /// The diagnostics of the chain with a line for each call: an entry of `tool_chains`.
    pub(crate) fn with_calls(&self) -> Object {
        let mut chain = self.diagnostics.clone();
        chain.insert("status", self.status.as_str());
        let calls = self.calls().into_iter().map(|call| {
            Value::object([
                ("step", Value::from(call.name())),
                ("tool", Value::from(call.step.tool)),
                ("wave", Value::from(call.step.wave)),
                ("lane", Value::from(call.lane)),
                ("status", Value::from(call.end.status.as_str())),
                ("began_ms", Value::from(ms(call.end.began))),
                ("ended_ms", Value::from(ms(call.end.ended))),
                ("attempts", Value::from(call.end.attempts)),
            ])
        });
        chain.insert("calls", Value::array(calls.collect()));
        chain
    }

    /// The same for people: waves, and below each its calls as bars.
    pub fn trace_text(&self) -> String {
        const BAR: usize = 40;
        let calls = self.calls();
        let of = |key: &str| self.diagnostics.get(key).cloned().unwrap_or_default();
        let whole = of("elapsed_ms").as_f64().unwrap_or_default();
        let lanes = calls.iter().map(|call| call.lane + 1).max().unwrap_or(0);
        let mut text = format!(
            "chain {}: {} calls on {lanes} lanes in {whole:.1} ms, mode {}\n",
            self.chain_id,
            calls.len(),
            of("mode_used").as_str().unwrap_or_default(),
        );
        if let Some(reason) = of("fallback_reason").as_str() {
            let _ = writeln!(text, "one after the other, because {reason}");
        }
        let width = calls.iter().map(|call| call.name().len()).max();
        let width = width.unwrap_or(0);
        let tools = calls.iter().map(|call| call.step.tool.len()).max();
        let tools = tools.unwrap_or(0);
        let waves = of("wave_timeline").items().unwrap_or_default();
        for (wave, line) in waves.iter().enumerate() {
            let elapsed = line.get("elapsed_ms").and_then(Value::as_f64);
            let _ = writeln!(text, "wave {wave}: {:.1} ms", elapsed.unwrap_or_default());
            for call in calls.iter().filter(|call| call.step.wave == wave) {
                let (began, ended) = (ms(call.end.began), ms(call.end.ended));
                let at = |time: f64| match whole > 0.0 {
                    true => ((time / whole) * BAR as f64) as usize,
                    false => 0,
                };
                let from = at(began).min(BAR - 1);
                let to = at(ended).clamp(from + 1, BAR);
                let attempts = match call.end.attempts {
                    0 | 1 => String::new(),
                    more => format!(", {more} attempts"),
                };
                let _ = writeln!(
                    text,
                    "  {:width$}  {:tools$}  lane {}  |{}{}{}| {:8.1} ms  {}{attempts}",
                    call.name(),
                    call.step.tool,
                    call.lane,
                    " ".repeat(from),
                    "=".repeat(to - from),
                    " ".repeat(BAR - to),
                    ended - began,
                    call.end.status.as_str(),
                );
            }
        }
        text
    }

    /// The same as a Chrome trace (`chrome://tracing`, Perfetto): calls on lanes, waves below them, maps as spans of their own.
    pub fn chrome_trace(&self) -> Value {
        const CALLS: u64 = 1;
        const WAVES: u64 = 2;
        let calls = self.calls();
        let named = |what: &str, pid: u64, tid: u64, name: String| {
            Value::object([
                ("name", Value::from(what)),
                ("ph", Value::from("M")),
                ("pid", Value::from(pid)),
                ("tid", Value::from(tid)),
                ("args", Value::object([("name", name)])),
            ])
        };
        let mut events = vec![
            named("process_name", CALLS, 0, format!("chain {}", self.chain_id)),
            named("process_name", WAVES, 0, "waves".to_owned()),
        ];
        let lanes = calls.iter().map(|call| call.lane + 1).max().unwrap_or(0);
        let lane_names =
            (0..lanes as u64).map(|lane| named("thread_name", CALLS, lane, format!("lane {lane}")));
        events.extend(lane_names);
        for call in &calls {
            events.push(Value::object([
                ("name", Value::from(call.name())),
                ("cat", Value::from(call.step.tool)),
                ("ph", Value::from("X")),
                ("ts", Value::from(us(call.end.began))),
                (
                    "dur",
                    Value::from(us(call.end.ended.saturating_sub(call.end.began))),
                ),
                ("pid", Value::from(CALLS)),
                ("tid", Value::from(call.lane)),
                (
                    "args",
                    Value::object([
                        ("tool", Value::from(call.step.tool)),
                        ("wave", Value::from(call.step.wave)),
                        ("lane", Value::from(call.lane)),
                        ("status", Value::from(call.end.status.as_str())),
                        ("attempts", Value::from(call.end.attempts)),
                    ]),
                ),
            ]));
        }
        let waves = self.steps.iter().map(|step| step.wave + 1).max();
        for wave in 0..waves.unwrap_or(0) {
            let of_wave = || calls.iter().filter(|call| call.step.wave == wave);
            let began = of_wave().map(|call| call.end.began).min();
            let ended = of_wave().map(|call| call.end.ended).max();
            let (Some(began), Some(ended)) = (began, ended) else {
                continue;
            };
            events.push(named(
                "thread_name",
                WAVES,
                wave as u64,
                format!("wave {wave}"),
            ));
            events.push(Value::object([
                ("name", Value::from(format!("wave {wave}"))),
                ("cat", Value::from("wave")),
                ("ph", Value::from("X")),
                ("ts", Value::from(us(began))),
                ("dur", Value::from(us(ended.saturating_sub(began)))),
                ("pid", Value::from(WAVES)),
                ("tid", Value::from(wave)),
                ("args", Value::object([("wave", Value::from(wave))])),
            ]));
        }
        let mapped = self.steps.iter().filter(|step| !step.end.items.is_empty());
        for (number, step) in mapped.enumerate() {
            for (phase, time) in [("b", step.end.began), ("e", step.end.ended)] {
                events.push(Value::object([
                    ("name", Value::from(&*step.id)),
                    ("cat", Value::from("map")),
                    ("ph", Value::from(phase)),
                    ("id", Value::from(number)),
                    ("ts", Value::from(us(time))),
                    ("pid", Value::from(CALLS)),
                    ("tid", Value::from(0_u64)),
                    (
                        "args",
                        Value::object([
                            ("wave", Value::from(step.wave)),
                            ("status", Value::from(step.end.status.as_str())),
                        ]),
                    ),
                ]));
            }
        }
        let other = Value::object([
            ("chain_id", Value::from(self.chain_id.as_str())),
            ("status", Value::from(self.status.as_str())),
        ]);
        Value::object([
            ("traceEvents", Value::array(events)),
            ("displayTimeUnit", Value::from("ms")),
            ("otherData", other),
        ])
    }
}
