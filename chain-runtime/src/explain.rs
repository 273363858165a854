//! Explanation of a plan without running it: waves, edges with their reasons, verdicts, fallback.

use std::fmt::Write as _;

use tool_core::brief::count_phrase;
use tool_core::{Object, ResourceKey, Value, convert, fields, object};

use crate::check::{CheckedPlan, CheckedStep};
use crate::graph::PlanEdge;
use crate::plan::{PlanBudget, StepMap};
use crate::template::ArgumentNode;
use registry::conflicts::describe_resource_key;

/// Most edges of one step that the text shows.
const EDGES_SHOWN: usize = 8;

impl CheckedPlan {
    /// The steps of a critical path through the plan: no run is shorter than these, one after the other.
    pub fn critical_path(&self) -> Vec<usize> {
        let graph = &self.graph;
        let longest = (0..graph.len()).map(|step| graph.priority(step)).max();
        let mut next = (0..graph.len()).find(|&step| Some(graph.priority(step)) == longest);
        let mut path = Vec::new();
        while let Some(step) = next {
            path.push(step);
            let followers = graph.followers(step).iter();
            let followers = followers.map(|&follower| follower as usize);
            next = followers
                .filter(|&to| graph.priority(to) + 1 == graph.priority(step))
                .min();
        }
        path
    }

    /// The calls that are known to come, and whether lists that are not known yet can bring more.
    pub fn calls(&self) -> (usize, bool) {
        let of = |step: &CheckedStep| step.map.as_ref().map_or(Some(1), StepMap::elements);
        let known: usize = self.steps.iter().filter_map(of).sum();
        let open = self.steps.iter().any(|step| of(step).is_none());
        (known + self.calls_within, open)
    }

    /// The plan in order: waves, and for each step its tool, verdict, resources and what it waits for.
    pub fn explain(&self) -> Value {
        let (calls, more) = self.calls();
        let mut explained = fields! {
            "id" => &*self.id,
            "plan_digest" => &*self.digest,
            "seed" => self.seed.get(),
            "mode_requested" => self.mode_requested().as_str(),
            "mode_used" => self.mode_used.as_str(),
            "fallback_to_seq" => self.fallback_to_seq(),
            "fallback_reason" => self.fallback_reason.clone(),
            "barrier" => self.barrier,
            "parallel_mutations_enabled" => self.parallel_mutations(),
            "inputs" => self.inputs.clone(),
            "calls" => calls,
            "calls_certain" => !more,
        };
        explained.insert_some("budget", explain_budget(&self.budget));
        explained.insert_some("deadline_ms", self.deadline_ms);
        let waves = self.graph.waves();
        let steps = (0..self.steps.len()).map(|step| self.explain_step(step));
        explained.extend(&fields! {
            "waves" => waves.iter().map(|wave| self.ids(wave)).collect::<Vec<_>>(),
            "critical_path" => self.ids(&self.critical_path()),
            "waits_for_person" => self.ids(&self.waiting()),
            "steps" => steps.collect::<Vec<_>>(),
            "edges" => self.explain_edges(),
            "notes" => self.notes.clone(),
        });
        explained.into()
    }

    fn ids(&self, steps: &[usize]) -> Vec<&str> {
        steps.iter().map(|&step| &*self.steps[step].id).collect()
    }

    /// The steps that need an approval.
    fn waiting(&self) -> Vec<usize> {
        let asks = |&step: &usize| self.steps[step].needs_approval();
        (0..self.steps.len()).filter(asks).collect()
    }

    fn explain_step(&self, position: usize) -> Value {
        let step = &self.steps[position];
        let effects: Vec<&str> = step.effects.iter().map(|effect| effect.as_str()).collect();
        let mut fields = fields! {
            "id" => &*step.id,
            "tool" => step.tool,
            "wave" => self.graph.wave(position),
            "verdict" => step.permit.verdict.as_str(),
            "verdict_certain" => step.permit.certain,
            "layer" => &*step.permit.layer,
            "reason" => &*step.permit.reason,
            "effects" => effects,
            "resources" => resource_lines(step),
        };
        if !step.gives.is_empty() {
            let gives = step.gives.iter();
            let gives = gives.map(|(field, shape)| (field.as_str(), shape.as_str()));
            fields.insert("gives", Value::object(gives));
        }
        fields.extend(&fields! {
            "seed" => step.seed.get(),
            "timeout_ms" => step.timeout_ms,
            "on_error" => step.on_error.as_str(),
            "approval" => step.approval.as_str(),
            "waits_for_person" => step.needs_approval(),
        });
        fields.insert_some("deadline_ms", step.deadline_ms);
        fields.insert_some("when", step.when.as_ref().map(ToString::to_string));
        fields.insert_some("map", step.map.as_ref().map(explain_map));
        if step.retry.max > 0 {
            fields.insert("retry", convert::to_value(&step.retry).unwrap_or_default());
        }
        let undo = step.compensate.as_ref().map(|undo| {
            object! {
                "tool" => undo.tool,
                "verdict" => undo.permit.verdict.as_str(),
                "resources" => resource_lines(undo),
            }
        });
        fields.insert_some("compensate", undo);
        fields.into()
    }

    fn explain_edges(&self) -> Vec<Value> {
        let edge = |edge: &PlanEdge| {
            object! {
                "from" => &*self.steps[edge.from].id,
                "to" => &*self.steps[edge.to].id,
                "reason" => edge.reason.kind(),
                "detail" => edge.reason.detail().map(str::to_owned),
            }
        };
        self.graph.edges().iter().map(edge).collect()
    }

    /// The explanation as text for a terminal.
    pub fn explain_text(&self) -> String {
        // Writing to a string cannot fail.
        let mut text = String::new();
        let waves = self.graph.waves();
        let steps = count_phrase(self.steps.len() as u64, "step");
        let in_waves = count_phrase(waves.len() as u64, "wave");
        let barriers = if self.barrier { ", with barriers" } else { "" };
        let (id, mode) = (&self.id, self.mode_used);
        let _ = writeln!(
            text,
            "plan {id}: {steps} in {in_waves}, mode {mode}{barriers}"
        );
        if let Some(reason) = &self.fallback_reason {
            let _ = writeln!(text, "sequential, because {reason}");
        }
        let (calls, more) = self.calls();
        let at_least = if more { "at least " } else { "" };
        let _ = writeln!(text, "calls: {at_least}{calls}");
        if let Some(limits) = explain_budget(&self.budget) {
            let limits = limits.iter().map(|(key, value)| format!("{key} {value}"));
            let limits = limits.collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "budget: at most {limits}");
        }
        if let Some(ms) = self.deadline_ms {
            let _ = writeln!(text, "deadline: {ms} ms");
        }
        let path = self.ids(&self.critical_path()).join(" -> ");
        let _ = writeln!(text, "critical path: {path}");
        let waiting = self.ids(&self.waiting()).join(", ");
        if !waiting.is_empty() {
            let _ = writeln!(text, "awaits approval: {waiting}");
        }
        for (index, wave) in waves.iter().enumerate() {
            let _ = writeln!(text, "wave {index}");
            wave.iter()
                .for_each(|&step| self.write_step(step, &mut text));
        }
        text.extend(self.notes.iter().map(|note| format!("note: {note}\n")));
        text
    }

    fn write_step(&self, position: usize, text: &mut String) {
        let step = &self.steps[position];
        let verdict = step.permit.verdict.as_str();
        let _ = write!(text, "  {}: {} ({verdict})", step.id, step.tool);
        let resources = resource_lines(step);
        if !resources.is_empty() {
            let _ = write!(text, " [{}]", resources.join(", "));
        }
        text.push('\n');
        text.extend(
            describe_step_settings(step)
                .into_iter()
                .map(|line| format!("    {line}\n")),
        );
        let edges = self.graph.edges_into(position);
        for edge in edges.iter().take(EDGES_SHOWN) {
            let from = &self.steps[edge.from].id;
            let _ = writeln!(text, "    after {from}: {}", edge.reason);
        }
        if edges.len() > EDGES_SHOWN {
            let _ = writeln!(text, "    and {} more", edges.len() - EDGES_SHOWN);
        }
    }
}

/// Settings of a step other than its tool and arguments, one line each.
fn describe_step_settings(step: &CheckedStep) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(step.when.as_ref().map(|when| format!("only when {when}")));
    if let Some(map) = &step.map {
        let together = map.concurrency.map(|count| format!(", {count} at a time"));
        let list = map.over_words() + &together.unwrap_or_default();
        let (name, fails) = (&map.name, map.on_item_error);
        lines.push(format!(
            "for every {name} of {list}; an element that fails: {fails}"
        ));
    }
    if !step.gives.is_empty() {
        let gives = step.gives.iter();
        let gives = gives.map(|(field, shape)| format!("{field} {shape}"));
        lines.push(format!("gives {}", gives.collect::<Vec<_>>().join(", ")));
    }
    if step.retry.max > 0 {
        let times = match step.retry.max {
            1 => "once".to_owned(),
            more => format!("{more} times"),
        };
        let (on, ms) = (step.retry.on.join(", "), step.retry.backoff_ms);
        lines.push(format!("retried {times} on {on}, after {ms} ms"));
    }
    if step.needs_approval() {
        lines.push(format!("needs approval ({})", step.permit.why()));
    }
    let undo = step.compensate.as_ref();
    lines.extend(undo.map(|undo| format!("undone by {} if the run fails later", undo.tool)));
    lines
}

fn explain_map(map: &StepMap) -> Value {
    let over = match &map.over {
        ArgumentNode::Reference(placed) => Some(placed.reference.to_string()),
        _ => None,
    };
    object! {
        "as" => &*map.name,
        "over" => over,
        "elements" => map.elements(),
        "max" => map.max,
        "concurrency" => map.concurrency,
        "on_item_error" => map.on_item_error.as_str(),
    }
}

/// The limits of the plan itself; `None` where it has none.
fn explain_budget(budget: &PlanBudget) -> Option<Object> {
    let limits = convert::to_value(budget).ok()?;
    limits.as_object().filter(|set| !set.is_empty()).cloned()
}

fn resource_lines(step: &CheckedStep) -> Vec<String> {
    let text = |key: &ResourceKey| format!("{} {}", key.access, describe_resource_key(key));
    step.resources.iter().map(text).collect()
}
