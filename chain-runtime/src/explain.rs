//! Explanation of a plan without running it: waves, edges with their reasons, verdicts, fallback.

use std::fmt::Write as _;
use std::sync::Arc;

use tool_core::{Object, Value, convert};

use crate::check::{CheckedPlan, CheckedStep};
use crate::plan::{Budget, Map};
use crate::template::Node;
use registry::conflicts::describe;

/// Most edges of one step that the text shows.
const EDGES_SHOWN: usize = 8;

impl CheckedPlan {
    /// The steps of one longest way through the plan: no run is shorter than these, one after the other.
    pub fn critical_path(&self) -> Vec<usize> {
        let graph = &self.graph;
        let longest = (0..graph.len()).map(|step| graph.priority(step)).max();
        let mut next = (0..graph.len()).find(|&step| Some(graph.priority(step)) == longest);
        let mut path = Vec::new();
        while let Some(step) = next {
            path.push(step);
            let followers = graph
                .followers(step)
                .iter()
                .map(|&follower| follower as usize);
            next = followers
                .filter(|&follower| graph.priority(follower) + 1 == graph.priority(step))
                .min();
        }
        path
    }

    /// The calls that are known to come, and whether lists that are not known yet can bring more.
    pub fn calls(&self) -> (usize, bool) {
        let of = |step: &CheckedStep| step.map.as_ref().map_or(Some(1), Map::elements);
        let known: usize = self.steps.iter().filter_map(of).sum();
        let open = self.steps.iter().any(|step| of(step).is_none());
        (known + self.calls_within, open)
    }

    /// The plan in order: waves, and for each step its tool, verdict, resources and what it waits for.
    pub fn explain(&self) -> Value {
        let ids = |steps: &[usize]| -> Value {
            Value::array(
                steps
                    .iter()
                    .map(|&step| Value::from(&*self.steps[step].id))
                    .collect(),
            )
        };
        let waves: Vec<Value> = self.graph.waves().iter().map(|wave| ids(wave)).collect();
        let mut explained = Object::new();
        explained.insert("id", &*self.id);
        explained.insert("plan_digest", self.digest.as_str());
        explained.insert("seed", self.seed.get());
        explained.insert("mode_requested", self.mode_requested().as_str());
        explained.insert("mode_used", self.mode_used.as_str());
        explained.insert("fallback_to_seq", self.fallback_to_seq());
        explained.insert("fallback_reason", self.fallback_reason.clone());
        explained.insert("barrier", self.barrier);
        explained.insert("parallel_mutations_enabled", self.parallel_mutations());
        explained.insert("inputs", self.inputs.clone());
        let (calls, more) = self.calls();
        explained.insert("calls", calls);
        explained.insert("calls_certain", !more);
        if let Some(budget) = budget(&self.budget) {
            explained.insert("budget", Value::Object(Arc::new(budget)));
        }
        if let Some(ms) = self.deadline_ms {
            explained.insert("deadline_ms", ms);
        }
        explained.insert("waves", Value::array(waves));
        explained.insert("critical_path", ids(&self.critical_path()));
        explained.insert("waits_for_person", ids(&self.waiting()));
        let steps = (0..self.steps.len()).map(|step| self.explain_step(step));
        explained.insert("steps", Value::array(steps.collect()));
        explained.insert("edges", self.explain_edges());
        explained.insert("notes", self.notes.clone());
        Value::Object(Arc::new(explained))
    }

    /// The steps that need an approval.
    fn waiting(&self) -> Vec<usize> {
        let asks = |&step: &usize| self.steps[step].needs_approval();
        (0..self.steps.len()).filter(asks).collect()
    }

    fn explain_step(&self, position: usize) -> Value {
        let step = &self.steps[position];
        let mut fields = Object::new();
        fields.insert("id", &*step.id);
        fields.insert("tool", step.tool);
        fields.insert("wave", self.graph.wave(position));
        fields.insert("verdict", step.permit.verdict.as_str());
        fields.insert("verdict_certain", step.permit.certain);
        fields.insert("layer", step.permit.layer.as_str());
        fields.insert("reason", step.permit.reason.as_str());
        fields.insert(
            "effects",
            step.effects
                .iter()
                .map(|effect| effect.as_str())
                .collect::<Vec<_>>(),
        );
        fields.insert("resources", resources(step));
        if !step.gives.is_empty() {
            let gives = step.gives.iter();
            let gives = gives.map(|(field, shape)| (field.as_str(), shape.as_str()));
            fields.insert("gives", Value::object(gives));
        }
        fields.insert("seed", step.seed.get());
        fields.insert("timeout_ms", step.timeout_ms);
        fields.insert("on_error", step.on_error.as_str());
        fields.insert("approval", step.approval.as_str());
        fields.insert("waits_for_person", step.needs_approval());
        if let Some(ms) = step.deadline_ms {
            fields.insert("deadline_ms", ms);
        }
        if let Some(when) = &step.when {
            fields.insert("when", when.to_string());
        }
        if let Some(map) = &step.map {
            fields.insert("map", explain_map(map));
        }
        if step.retry.max > 0 {
            fields.insert("retry", convert::to_value(&step.retry).unwrap_or_default());
        }
        if let Some(undo) = &step.compensate {
            let undo = Value::object([
                ("tool", Value::from(undo.tool)),
                ("verdict", Value::from(undo.permit.verdict.as_str())),
                ("resources", Value::from(resources(undo))),
            ]);
            fields.insert("compensate", undo);
        }
        Value::Object(Arc::new(fields))
    }

    fn explain_edges(&self) -> Value {
        let edges = self.graph.edges().iter().map(|edge| {
            Value::object([
                ("from", Value::from(&*self.steps[edge.from].id)),
                ("to", Value::from(&*self.steps[edge.to].id)),
                ("reason", Value::from(edge.reason.kind())),
                (
                    "detail",
                    Value::from(edge.reason.detail().map(str::to_owned)),
                ),
            ])
        });
        Value::array(edges.collect())
    }

    /// The explanation as text for a terminal.
    pub fn explain_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "plan {}: {} in {}, mode {}{}",
            self.id,
            counted(self.steps.len() as u64, "step"),
            counted(self.graph.waves().len() as u64, "wave"),
            self.mode_used,
            if self.barrier { ", with barriers" } else { "" },
        );
        if let Some(reason) = &self.fallback_reason {
            let _ = writeln!(text, "sequential, because {reason}");
        }
        let names = |steps: &[usize], by: &str| -> String {
            let ids: Vec<&str> = steps.iter().map(|&step| &*self.steps[step].id).collect();
            ids.join(by)
        };
        let (calls, more) = self.calls();
        let at_least = if more { "at least " } else { "" };
        let _ = writeln!(text, "calls: {at_least}{calls}");
        if let Some(limits) = budget(&self.budget) {
            let limits = limits.iter().map(|(key, value)| format!("{key} {value}"));
            let _ = writeln!(
                text,
                "budget: at most {}",
                limits.collect::<Vec<_>>().join(", ")
            );
        }
        if let Some(ms) = self.deadline_ms {
            let _ = writeln!(text, "deadline: {ms} ms");
        }
        let _ = writeln!(
            text,
            "critical path: {}",
            names(&self.critical_path(), " -> ")
        );
        let waiting = self.waiting();
        if !waiting.is_empty() {
            let _ = writeln!(text, "awaits approval: {}", names(&waiting, ", "));
        }
        for (index, wave) in self.graph.waves().iter().enumerate() {
            let _ = writeln!(text, "wave {index}");
            wave.iter()
                .for_each(|&step| self.write_step(step, &mut text));
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {note}");
        }
        text
    }

    fn write_step(&self, position: usize, text: &mut String) {
        let step = &self.steps[position];
        let _ = write!(
            text,
            "  {}: {} ({})",
            step.id,
            step.tool,
            step.permit.verdict.as_str()
        );
        let resources = resources(step);
        if !resources.is_empty() {
            let _ = write!(text, " [{}]", resources.join(", "));
        }
        text.push('\n');
        for line in said(step) {
            let _ = writeln!(text, "    {line}");
        }
        let edges = self.graph.edges_into(position);
        for edge in edges.iter().take(EDGES_SHOWN) {
            let detail = edge
                .reason
                .detail()
                .map(|detail| format!(" {detail}"))
                .unwrap_or_default();
            let _ = writeln!(
                text,
                "    after {}: {}{detail}",
                self.steps[edge.from].id,
                edge.reason.kind()
            );
        }
        if edges.len() > EDGES_SHOWN {
            let _ = writeln!(text, "    and {} more", edges.len() - EDGES_SHOWN);
        }
    }
}

/// Settings of a step other than its tool and arguments, one line each.
fn said(step: &CheckedStep) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(when) = &step.when {
        lines.push(format!("only when {when}"));
    }
    if let Some(map) = &step.map {
        let together = match map.concurrency {
            Some(count) => format!(", {count} at a time"),
            None => String::new(),
        };
        lines.push(format!(
            "for every {} of {}{together}; an element that fails: {}",
            map.name,
            map.over_words(),
            map.on_item_error.as_str()
        ));
    }
    if !step.gives.is_empty() {
        let gives = step.gives.iter();
        let gives: Vec<String> = gives
            .map(|(field, shape)| format!("{field} {shape}"))
            .collect();
        lines.push(format!("gives {}", gives.join(", ")));
    }
    if step.retry.max > 0 {
        let retry = &step.retry;
        lines.push(format!(
            "retried {} on {}, after {} ms",
            match retry.max {
                1 => "once".to_owned(),
                more => format!("{more} times"),
            },
            retry.on.join(", "),
            retry.backoff_ms
        ));
    }
    if step.needs_approval() {
        let why = match step.permit.reason.is_empty() {
            true => step.permit.layer.clone(),
            false => format!("{}: {}", step.permit.layer, step.permit.reason),
        };
        lines.push(format!("needs approval ({why})"));
    }
    if let Some(undo) = &step.compensate {
        lines.push(format!("undone by {} if the run fails later", undo.tool));
    }
    lines
}

fn explain_map(map: &Map) -> Value {
    let over = match &map.over {
        Node::Reference(placed) => Value::from(placed.reference.to_string()),
        _ => Value::Null,
    };
    Value::object([
        ("as", Value::from(&*map.name)),
        ("over", over),
        ("elements", Value::from(map.elements())),
        ("max", Value::from(map.max)),
        ("concurrency", Value::from(map.concurrency)),
        ("on_item_error", Value::from(map.on_item_error.as_str())),
    ])
}

/// The limits of the plan itself; `None` where it has none.
fn budget(budget: &Budget) -> Option<Object> {
    let limits = convert::to_value(budget).ok()?;
    limits.as_object().filter(|set| !set.is_empty()).cloned()
}

fn resources(step: &CheckedStep) -> Vec<String> {
    step.resources
        .iter()
        .map(|key| format!("{} {}", key.access, describe(key)))
        .collect()
}

/// A number of things, in words.
pub fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}
