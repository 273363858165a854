//! Trace of a run: a line for each call, as text, as data, and for viewers of Chrome traces.
//!
//! A lane is a place among the calls that ran at the same time: calls on one lane never overlap, and the number of lanes is the
//! most calls that ran together. Attempts of a call, and the waits between them, are parts of it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tool_core::{Object, Value};

use crate::run::{ChainResult, Finished, LISTED_MAX, StepReport};
use crate::tools::TOOL_CHAINS;

/// One call of a chain.
struct Ran<'r> {
    step: &'r StepReport,
    /// Index of the element of its map.
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

    /// Start of its first attempt.
    fn began(&self) -> Duration {
        self.end
            .tries
            .first()
            .map_or(self.end.began, |first| first.began)
    }

    /// The chains of a plan that it handed on, as its answer has them.
    fn within(&self) -> Vec<Value> {
        let chains = self.end.metadata.get(TOOL_CHAINS);
        chains.and_then(Value::items).unwrap_or_default()
    }
}

/// Columns of a terminal that a line of the timeline fits in.
const COLUMNS: usize = 80;

/// A name in so many columns.
fn cut(name: &str, width: usize) -> Cow<'_, str> {
    match name.chars().count() > width {
        true => format!("{}~", name.chars().take(width - 1).collect::<String>()).into(),
        false => name.into(),
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
        calls.sort_by_key(Ran::began); // stable: at one moment in plan order
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

    /// The diagnostics of the chain with a line for each call: an entry of `tool_chains`.
    pub(crate) fn with_calls(&self) -> Object {
        self.entry(&mut 0)
    }

    /// The same with the calls of the plans that its calls handed on, as far as they are few.
    pub(crate) fn with_inner_calls(&self) -> Object {
        let mut left = LISTED_MAX;
        self.entry(&mut left)
    }

    fn entry(&self, left: &mut usize) -> Object {
        let mut chain = self.diagnostics.clone();
        chain.insert("status", self.status.as_str());
        let calls = self.calls().into_iter().map(|call| {
            let mut line = Object::new();
            line.insert("step", call.name());
            line.insert("tool", call.step.tool);
            line.insert("wave", call.step.wave);
            line.insert("lane", call.lane);
            line.insert("status", call.end.status.as_str());
            line.insert("began_ms", ms(call.began()));
            line.insert("ended_ms", ms(call.end.ended));
            line.insert("attempts", call.end.attempts);
            let within = call.within();
            let count: usize = within.iter().map(calls_of).sum();
            if let (1.., Some(rest)) = (count, left.checked_sub(count)) {
                *left = rest;
                line.insert(TOOL_CHAINS, Value::array(within));
            }
            Value::Object(Arc::new(line))
        });
        let calls = Value::array(calls.collect());
        chain.insert("calls", calls);
        chain
    }

    /// The same for people: waves, and below each its calls as bars.
    pub fn trace_text(&self) -> String {
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
            let _ = writeln!(text, "sequential, because {reason}");
        }
        let end = |call: &Ran<'_>| {
            let status = call.end.status.as_str();
            match call.end.attempts {
                0 | 1 => status.to_owned(),
                more => format!("{status}, {more} attempts"),
            }
        };
        let widest = |of: &dyn Fn(&Ran<'_>) -> usize| calls.iter().map(of).max().unwrap_or(0);
        let width = widest(&|call| call.name().chars().count()).min(16);
        let tools = widest(&|call| call.step.tool.chars().count()).min(14);
        let numbers = lanes.to_string().len();
        // Between them stand `  `, `  `, `  lane `, `  |`, `| `, 8 columns and ` ms  `.
        let taken = width + tools + numbers + widest(&|call| end(call).len()) + 29;
        let bar = COLUMNS.saturating_sub(taken).clamp(6, 40);
        let waves = of("wave_timeline").items().unwrap_or_default();
        for (wave, line) in waves.iter().enumerate() {
            let elapsed = line.get("elapsed_ms").and_then(Value::as_f64);
            let _ = writeln!(text, "wave {wave}: {:.1} ms", elapsed.unwrap_or_default());
            for call in calls.iter().filter(|call| call.step.wave == wave) {
                let (began, ended) = (ms(call.began()), ms(call.end.ended));
                let at = |time: f64| match whole > 0.0 {
                    true => ((time / whole) * bar as f64) as usize,
                    false => 0,
                };
                let from = at(began).min(bar - 1);
                let to = at(ended).clamp(from + 1, bar);
                let _ = writeln!(
                    text,
                    "  {:width$}  {:tools$}  lane {:numbers$}  |{}{}{}| {:8.1} ms  {}",
                    cut(&call.name(), width),
                    cut(call.step.tool, tools),
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

    /// The same as a Chrome trace (`chrome://tracing`, Perfetto): attempts of calls on lanes, waves below them, maps as spans of their
    /// own, and the calls of plans within this one as processes of their own.
    pub fn chrome_trace(&self) -> Value {
        const CALLS: u64 = 1;
        const WAVES: u64 = 2;
        let calls = self.calls();
        let mut events = vec![
            named("process_name", CALLS, 0, format!("chain {}", self.chain_id)),
            named("process_name", WAVES, 0, "waves".to_owned()),
        ];
        let lanes = calls.iter().map(|call| call.lane + 1).max().unwrap_or(0);
        let lane_names =
            (0..lanes as u64).map(|lane| named("thread_name", CALLS, lane, format!("lane {lane}")));
        events.extend(lane_names);
        let mut inner = WAVES;
        for call in &calls {
            let place = (CALLS, call.lane as u64);
            let of_call = |status: &str, attempt: usize| {
                Value::object([
                    ("tool", Value::from(call.step.tool)),
                    ("wave", Value::from(call.step.wave)),
                    ("lane", Value::from(call.lane)),
                    ("status", Value::from(status)),
                    ("attempt", Value::from(attempt)),
                    ("attempts", Value::from(call.end.attempts)),
                ])
            };
            for (number, one) in call.end.tries.iter().enumerate() {
                let name = format!("{} (attempt {})", call.name(), number + 1);
                let args = of_call(one.code.as_str(), number + 1);
                let times = (us(one.began), us(one.ended));
                events.push(span(name, call.step.tool, times, place, args));
            }
            let name = match call.end.tries.len() {
                0 => call.name(),
                before => format!("{} (attempt {})", call.name(), before + 1),
            };
            let args = of_call(call.end.status.as_str(), call.end.tries.len() + 1);
            let times = (us(call.end.began), us(call.end.ended));
            events.push(span(name, call.step.tool, times, place, args));
            for chain in call.within() {
                within(
                    &chain,
                    &call.name(),
                    us(call.end.began),
                    &mut inner,
                    &mut events,
                );
            }
        }
        let waves = self.steps.iter().map(|step| step.wave + 1).max();
        for wave in 0..waves.unwrap_or(0) {
            let of_wave = || calls.iter().filter(|call| call.step.wave == wave);
            let began = of_wave().map(Ran::began).min();
            let ended = of_wave().map(|call| call.end.ended).max();
            let (Some(began), Some(ended)) = (began, ended) else {
                continue;
            };
            let (name, place) = (format!("wave {wave}"), (WAVES, wave as u64));
            events.push(named("thread_name", WAVES, wave as u64, name.clone()));
            let args = Value::object([("wave", Value::from(wave))]);
            events.push(span(name, "wave", (us(began), us(ended)), place, args));
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

/// Number of calls in an entry of `tool_chains`, those of nested plans included.
fn calls_of(chain: &Value) -> usize {
    let calls = chain
        .get("calls")
        .and_then(Value::items)
        .unwrap_or_default();
    let inner = |call: &Value| -> usize {
        let chains = call.get(TOOL_CHAINS).and_then(Value::items);
        chains.unwrap_or_default().iter().map(calls_of).sum()
    };
    calls.len() + calls.iter().map(inner).sum::<usize>()
}

/// A name of a process or a lane.
fn named(what: &str, pid: u64, tid: u64, name: String) -> Value {
    Value::object([
        ("name", Value::from(what)),
        ("ph", Value::from("M")),
        ("pid", Value::from(pid)),
        ("tid", Value::from(tid)),
        ("args", Value::object([("name", name)])),
    ])
}

/// A span from one microsecond to another, on a lane of a process.
fn span(
    name: String,
    category: &str,
    (began, ended): (u64, u64),
    (pid, tid): (u64, u64),
    args: Value,
) -> Value {
    Value::object([
        ("name", Value::from(name)),
        ("cat", Value::from(category)),
        ("ph", Value::from("X")),
        ("ts", Value::from(began)),
        ("dur", Value::from(ended.saturating_sub(began))),
        ("pid", Value::from(pid)),
        ("tid", Value::from(tid)),
        ("args", args),
    ])
}

/// The calls of a plan that a call handed on, and of those within it, from when that call began.
fn within(chain: &Value, around: &str, offset: u64, pid: &mut u64, events: &mut Vec<Value>) {
    *pid += 1;
    let own = *pid;
    let text = |value: &Value, key: &str| {
        let found = value.get(key).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    let name = format!("chain {} of {around}", text(chain, "chain_id"));
    events.push(named("process_name", own, 0, name));
    for call in chain
        .get("calls")
        .and_then(Value::items)
        .unwrap_or_default()
    {
        let time = |key: &str| {
            let ms = call.get(key).and_then(Value::as_f64).unwrap_or_default();
            offset + (ms * 1e3) as u64
        };
        let number = |key: &str| call.get(key).cloned().unwrap_or_default();
        let lane = number("lane").as_i64().unwrap_or_default().unsigned_abs();
        let name = format!("{around}/{}", text(&call, "step"));
        let args = ["tool", "wave", "lane", "status", "attempts"];
        let args = Value::object(args.map(|key| (key, number(key))));
        let times = (time("began_ms"), time("ended_ms"));
        events.push(span(
            name.clone(),
            &text(&call, "tool"),
            times,
            (own, lane),
            args,
        ));
        for inner in call
            .get(TOOL_CHAINS)
            .and_then(Value::items)
            .unwrap_or_default()
        {
            within(&inner, &name, times.0, pid, events);
        }
    }
}
