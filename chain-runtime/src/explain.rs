//! What a plan would do, without doing it: waves, edges with their reasons, verdicts, fallback.

use std::fmt::Write as _;
use std::sync::Arc;

use tool_core::{Object, Value};

use crate::check::{CheckedPlan, CheckedStep};
use crate::conflicts::describe;

/// Most edges of one step that the text shows.
const EDGES_SHOWN: usize = 8;

impl CheckedPlan {
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
        explained.insert("mode_requested", self.mode_requested.as_str());
        explained.insert("mode_used", self.mode_used.as_str());
        explained.insert("fallback_to_seq", self.fallback_to_seq());
        explained.insert("fallback_reason", self.fallback_reason.clone());
        explained.insert("barrier", self.barrier);
        explained.insert("parallel_mutations_enabled", self.parallel_mutations);
        explained.insert("inputs", self.inputs.clone());
        explained.insert("waves", Value::array(waves));
        let steps = (0..self.steps.len()).map(|step| self.explain_step(step));
        explained.insert("steps", Value::array(steps.collect()));
        explained.insert("edges", self.explain_edges());
        explained.insert("notes", self.notes.clone());
        Value::Object(Arc::new(explained))
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
        fields.insert("seed", step.seed.get());
        fields.insert("timeout_ms", step.timeout_ms);
        fields.insert("on_error", step.on_error.as_str());
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

    /// The same for people.
    pub fn explain_text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "plan {}: {} steps in {} waves, mode {}{}",
            self.id,
            self.steps.len(),
            self.graph.waves().len(),
            self.mode_used,
            if self.barrier { ", with barriers" } else { "" },
        );
        if let Some(reason) = &self.fallback_reason {
            let _ = writeln!(text, "one after the other, because {reason}");
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

fn resources(step: &CheckedStep) -> Vec<String> {
    step.resources
        .iter()
        .map(|key| format!("{} {}", key.access, describe(key)))
        .collect()
}
