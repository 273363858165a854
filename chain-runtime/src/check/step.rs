//! The check of one step: its references, arguments, permission and resources.

use std::collections::HashMap;
use std::sync::Arc;

use registry::{Answer, Decision, Verdict};
use tool_core::{Call, Determinism, Effect, ToolError, Value};

use super::access::{self, Resources};
use super::args::{self, Findings};
use super::{CheckedStep, Checker, ToolFacts};
use crate::graph::{Edge, Reason};
use crate::problem::{Fault, PlanProblem};
use crate::template::{Node, Placed};
use crate::types::Walked;

/// What the policy says of a step before it runs; it is asked again when the step is called.
#[derive(Debug, Clone, PartialEq)]
pub struct Permit {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding layer.
    pub layer: String,
    /// Why.
    pub reason: String,
    /// Whether values that are not known yet could change it.
    pub certain: bool,
}

impl Permit {
    /// Of a step that is not checked because its tool is not known.
    fn unknown() -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: String::new(),
            reason: String::new(),
            certain: false,
        }
    }
}

impl<'d> Checker<'d> {
    pub(super) fn step(&mut self, position: usize) -> CheckedStep {
        let plan = self.plan;
        let step = &plan.steps[position];
        let base = format!("/steps/{position}/args");
        let (bound, from_inputs) = self.bind_inputs(&step.args, &base);
        let mut checked = CheckedStep {
            id: Arc::clone(&step.id),
            tool: "",
            tool_version: 0,
            args: bound,
            timeout_ms: step.timeout_ms,
            on_error: step.on_error.unwrap_or(plan.defaults.on_error),
            reads_world: false,
            seed: self.seed(&step.id),
            effects: &[],
            permit: Permit::unknown(),
            resources: Vec::new(),
            uses: Vec::new(),
            from_inputs,
        };
        let types = self.references(position, &mut checked);
        let Some(facts) = self.facts[position].clone() else {
            return checked;
        };
        let spec = facts.tool.spec();
        checked.tool = spec.id;
        checked.tool_version = spec.version;
        checked.effects = spec.effects;
        checked.reads_world = spec.determinism == Determinism::External;
        self.formats(&facts, &step.args, &base);
        match checked.args.literal() {
            Some(value) => match facts.tool.decode(value) {
                Ok(call) => self.settled(position, &facts, &*call, &mut checked),
                Err(err) => self.bad_arguments(&err, &base, &checked.from_inputs),
            },
            None => {
                let Findings { problems, notes } = args::check(
                    spec,
                    (&facts.input, &facts.slots),
                    &checked.args,
                    &base,
                    &|placed| types.get(placed.pointer.as_str()).cloned().flatten(),
                );
                let fine = problems.is_empty();
                problems
                    .into_iter()
                    .for_each(|problem| self.problems.push(problem));
                notes.into_iter().for_each(|note| self.note(note));
                if fine {
                    self.open(position, &facts, &mut checked);
                }
            }
        }
        checked
    }

    /// Every reference to a step: that it is there, comes earlier, and what it gives, by the pointer of the reference.
    fn references(
        &mut self,
        position: usize,
        checked: &mut CheckedStep,
    ) -> HashMap<String, Option<Walked>> {
        let mut placed_all: Vec<Arc<Placed>> = Vec::new();
        checked
            .args
            .for_each_reference(&mut |placed| placed_all.push(Arc::clone(placed)));
        let mut types = HashMap::new();
        for placed in placed_all
            .iter()
            .filter(|placed| placed.reference.root() != "inputs")
        {
            let target = self.target(placed.reference.root(), Some(position), &placed.pointer);
            let walked = target.and_then(|target| {
                self.edges.push(Edge {
                    from: target,
                    to: position,
                    reason: Reason::Reference(placed.reference.to_string().into()),
                });
                checked.uses.push(target);
                self.walked(target, placed)
            });
            types.insert(placed.pointer.clone(), walked);
        }
        checked.uses.sort_unstable();
        checked.uses.dedup();
        types
    }

    /// Refuses `$fmt` where the text would be read as a program or a name.
    fn formats(&mut self, facts: &ToolFacts<'_>, args: &Node, base: &str) {
        let mut found = Vec::new();
        formats(args, false, &mut found);
        for (pointer, in_file) in found {
            let slot = pointer.strip_prefix(base).unwrap_or_default();
            let marked = facts.tool.spec().syntax.iter().find(|(marked, _)| {
                slot == *marked
                    || slot
                        .strip_prefix(marked)
                        .is_some_and(|rest| rest.starts_with('/'))
            });
            let kind = match marked {
                Some((_, syntax)) => syntax.as_str(),
                None if in_file => "path",
                None => continue,
            };
            self.problems.push(
                PlanProblem::new(
                    Fault::Argument,
                    pointer.clone(),
                    format_args!(
                        "`$fmt` is refused for `{slot}` of `{}`: the text is read as {kind}, and a value in it could change its meaning",
                        facts.tool.spec().id
                    ),
                )
                .hint("pass the whole value with `$ref`, or write it out"),
            );
        }
    }

    fn bad_arguments(&mut self, err: &ToolError, base: &str, from_inputs: &[(String, String)]) {
        let mut report = |path: &str, message: &str, hint: Option<&str>| {
            let origin = from_inputs
                .iter()
                .find(|(pointer, _)| path == pointer || path.starts_with(&format!("{pointer}/")))
                .map(|(_, reference)| format!(" (from `{reference}`)"))
                .unwrap_or_default();
            self.problems.push(PlanProblem {
                hint: hint.map(str::to_owned),
                ..PlanProblem::new(
                    Fault::Argument,
                    format!("{base}{path}"),
                    format_args!("{message}{origin}"),
                )
            });
        };
        if err.problems().is_empty() {
            report(
                err.path().unwrap_or_default(),
                err.message(),
                err.hint_str(),
            );
        }
        for problem in err.problems() {
            report(&problem.path, &problem.message, problem.hint.as_deref());
        }
    }

    /// A step whose arguments are all known.
    fn settled(
        &mut self,
        position: usize,
        facts: &ToolFacts<'_>,
        call: &dyn Call,
        checked: &mut CheckedStep,
    ) {
        checked.effects = call.reach().effects;
        match self.dispatcher.resource_keys(facts.tool, call) {
            Ok(keys) => {
                let named = !keys.is_empty();
                checked.resources = keys;
                self.named(position, facts, checked.effects, named);
            }
            Err(err) => {
                let pointer = format!("/steps/{position}/args{}", err.path().unwrap_or_default());
                self.resource_problem(&err, pointer);
            }
        }
        let decision = if facts.strictest.certain {
            facts.strictest.clone()
        } else {
            self.dispatcher
                .preview(facts.tool, Some(call), &self.context)
        };
        checked.permit = self.permit(position, facts, decision, true);
    }

    /// A step some of whose arguments are not known yet.
    fn open(&mut self, position: usize, facts: &ToolFacts<'_>, checked: &mut CheckedStep) {
        let files = self.dispatcher.host().capabilities.files.as_deref();
        match access::of_open_call(facts.tool.spec(), &facts.input, &checked.args, files) {
            Ok(Resources { keys, unknown }) => {
                if let Some(unknown) = unknown {
                    self.fall_back(position, &unknown);
                }
                let named = !keys.is_empty();
                checked.resources = keys;
                self.named(position, facts, checked.effects, named);
            }
            Err(err) => self.resource_problem(&err, format!("/steps/{position}/args")),
        }
        let strictest = facts.strictest.clone();
        let (decision, known) = if strictest.certain || strictest.verdict == Verdict::Allow {
            (strictest, true)
        } else {
            match self.likely(facts, &checked.args) {
                // A denial of stand-ins is no denial of what will come.
                Some(decision) => {
                    let known = decision.verdict != Verdict::Deny;
                    (decision, known)
                }
                None => (strictest, false),
            }
        };
        checked.permit = self.permit(position, facts, decision, known);
    }

    /// The verdict on a call like this one, with stand-ins for values to come; only where every resource is named by the plan,
    /// so that what rules look at is what will be called.
    fn likely(&self, facts: &ToolFacts<'_>, node: &Node) -> Option<Decision> {
        let spec = facts.tool.spec();
        let named = |pointer: &str| node.pointer(pointer).is_none_or(|node| node.is_literal());
        if !spec
            .resources
            .iter()
            .all(|template| named(template.pointer))
        {
            return None;
        }
        let properties = facts.input.get("properties")?;
        let Node::Object(members) = node else {
            return None;
        };
        let args = Value::object(members.iter().filter_map(|(key, member)| {
            let value = match member {
                Node::Literal(value) => value.clone(),
                _ => args::sample(properties.get(&**key)?),
            };
            Some((Arc::clone(key), value))
        }));
        let call = facts.tool.decode(&args).ok()?;
        Some(
            self.dispatcher
                .preview(facts.tool, Some(&*call), &self.context),
        )
    }

    fn permit(
        &mut self,
        position: usize,
        facts: &ToolFacts<'_>,
        decision: Decision,
        known: bool,
    ) -> Permit {
        let (id, tool) = (&self.plan.steps[position].id, facts.tool.spec().id);
        let pointer = format!("/steps/{position}");
        let why = || match decision.reason.is_empty() {
            true => format!("layer {}", decision.layer),
            false => format!("layer {}: {}", decision.layer, decision.reason),
        };
        match decision.verdict {
            Verdict::Deny if known => self.problems.push(PlanProblem::new(
                Fault::Policy,
                pointer,
                format_args!("`{id}` may not call `{tool}`: denied by {}", why()),
            )),
            Verdict::Deny => self.note(format!(
                "{pointer}: `{id}` may be denied when it is called: {}",
                why()
            )),
            Verdict::Ask if self.context.answer != Answer::Yes => self.problems.push(
                PlanProblem::new(
                    Fault::Approval,
                    pointer,
                    format_args!("`{id}` needs an approval to call `{tool}`: {}", why()),
                )
                .hint("run with `--yes`, or add an `allow` rule that names the tool"),
            ),
            _ => {}
        }
        Permit {
            verdict: decision.verdict,
            layer: decision.layer.to_string(),
            reason: decision.reason.to_string(),
            certain: known,
        }
    }

    fn resource_problem(&mut self, err: &ToolError, pointer: String) {
        self.problems.push(PlanProblem {
            hint: err.hint_str().map(str::to_owned),
            ..PlanProblem::new(Fault::Resource, pointer, err.message())
        });
    }

    /// Falls back when a step has effects and names nothing they could be on, or its tool says nothing about itself.
    fn named(&mut self, position: usize, facts: &ToolFacts<'_>, effects: &[Effect], named: bool) {
        if !effects.is_empty() && !named {
            self.fall_back(position, "has effects and names no resources");
        } else if access::says_nothing(facts.tool.spec()) {
            self.fall_back(position, "has a tool that declares nothing about itself");
        }
    }

    fn fall_back(&mut self, position: usize, why: &str) {
        let id = &self.plan.steps[position].id;
        self.unnamed
            .get_or_insert_with(|| format!("step `{id}` {why}"));
    }
}

/// Where formatted texts are, and whether one names a file.
fn formats(node: &Node, in_file: bool, found: &mut Vec<(String, bool)>) {
    match node {
        Node::Format(format) => {
            found.push((format.pointer.clone(), in_file));
            format
                .args
                .iter()
                .for_each(|arg| formats(arg, in_file, found));
        }
        Node::Object(members) => {
            for (key, member) in members {
                formats(
                    member,
                    in_file || matches!(&**key, "$file" | "$artifact"),
                    found,
                );
            }
        }
        Node::Array(nodes) => nodes.iter().for_each(|node| formats(node, in_file, found)),
        Node::Literal(_) | Node::Reference(_) => {}
    }
}
