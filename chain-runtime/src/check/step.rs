//! The check of one step: its references, arguments, permission and resources.

use std::collections::HashMap;
use std::sync::Arc;

use registry::{Answer, Decision, Verdict};
use tool_core::{Call, Determinism, Effect, ToolError, Value};

use super::access::{self, Resources};
use super::args::{self, Findings};
use super::maps::{self, Mapped};
use super::{CheckedStep, Checker, ToolFacts, conditions, subplan};
use crate::graph::{Edge, Reason};
use crate::plan::{Approval, COMPENSATE_SUFFIX, Compensate, Retry};
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
    pub(crate) fn unknown() -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: String::new(),
            reason: String::new(),
            certain: false,
        }
    }
}

/// Where a call stands in the plan.
pub(super) struct Site {
    pub(super) position: usize,
    /// JSON pointer of its arguments.
    pub(super) base: String,
    pub(super) approval: Approval,
    /// Whether it undoes the step instead of being it.
    pub(super) undoing: bool,
}

/// What the tool says about its calls.
fn describe(checked: &mut CheckedStep, facts: &ToolFacts<'_>) {
    let spec = facts.tool.spec();
    checked.tool = spec.id;
    checked.tool_version = spec.version;
    checked.effects = spec.effects;
    checked.idempotent = spec.idempotent;
    checked.exclusive = spec.exclusive;
    checked.reads_world = spec.determinism == Determinism::External;
    checked.is_function = spec.effects.is_empty() && !checked.reads_world;
    checked.waits = checked.reads_world;
}

impl<'d> Checker<'d> {
    pub(super) fn step(&mut self, position: usize) -> CheckedStep {
        let plan = self.plan;
        let step = &plan.steps[position];
        let site = Site {
            position,
            base: format!("/steps/{position}/args"),
            approval: step.approval,
            undoing: false,
        };
        let mut checked = self.blank(&step.id, &step.args, &site.base);
        checked.retry = step.retry.clone();
        checked.timeout_ms = step.timeout_ms;
        checked.deadline_ms = step.deadline_ms;
        checked.cost_ms = step.cost_ms;
        checked.on_error = step.on_error.unwrap_or(plan.defaults.on_error);
        checked.approval = step.approval;
        let when = self.when(position, &mut checked);
        let mapped = step
            .map
            .as_ref()
            .and_then(|map| self.over(position, map, &mut checked));
        if step.map.is_none() {
            self.units += 1;
            self.cost = self.cost.saturating_add(step.cost_ms.unwrap_or(0));
        }
        let types = self.references(&site, mapped.as_ref(), &mut checked);
        self.standing(position, &checked);
        if let Some(facts) = self.facts[position].clone() {
            let before = self.problems.count();
            self.outputs[position] = Some(match &step.map {
                Some(map) => maps::output(facts.output.clone(), map.on_item_error),
                None => facts.output.clone(),
            });
            describe(&mut checked, &facts);
            self.formats(&facts, &step.args, &site.base);
            match mapped.as_ref().and_then(|mapped| mapped.items.as_deref()) {
                Some(items) if maps::is_known(&checked) => {
                    self.known_items(&site, &facts, items, &mut checked);
                }
                _ => self.call(&site, &facts, &types, &mut checked),
            }
            if self.problems.count() == before {
                self.extents(&site, &facts, &types, &checked);
            }
        }
        checked.when = when;
        checked.compensate = step
            .compensate
            .as_ref()
            .map(|undo| Box::new(self.compensation(position, undo, mapped.as_ref())));
        checked
    }

    /// The call that undoes a step: checked as any, except that it may use the output of the step itself; that of a map undoes one
    /// element, and uses what that gave.
    fn compensation(
        &mut self,
        position: usize,
        undo: &Compensate,
        mapped: Option<&Mapped>,
    ) -> CheckedStep {
        let plan = self.plan;
        let step = &plan.steps[position];
        let site = Site {
            position,
            base: format!("/steps/{position}/compensate/args"),
            approval: Approval::Auto,
            undoing: true,
        };
        let id = format!("{}{COMPENSATE_SUFFIX}", step.id).into();
        let mut checked = self.blank(&id, &undo.args, &site.base);
        checked.timeout_ms = step.timeout_ms;
        let of_step = self.outputs[position].clone();
        if let (Some(_), Some(facts)) = (mapped, &self.facts[position]) {
            self.outputs[position] = Some(facts.output.clone());
        }
        let types = self.references(&site, mapped, &mut checked);
        self.outputs[position] = of_step;
        let pointer = format!("/steps/{position}/compensate/tool");
        if let Some(facts) = self.facts_of(&undo.tool, &pointer) {
            describe(&mut checked, &facts);
            self.formats(&facts, &undo.args, &site.base);
            self.call(&site, &facts, &types, &mut checked);
        }
        checked
    }

    fn blank(&mut self, id: &Arc<str>, args: &Node, base: &str) -> CheckedStep {
        let (bound, from_inputs) = self.bind_inputs(args, base);
        CheckedStep {
            id: Arc::clone(id),
            tool: "",
            tool_version: 0,
            args: bound,
            when: None,
            map: None,
            retry: Retry::default(),
            timeout_ms: None,
            deadline_ms: None,
            cost_ms: None,
            approval: Approval::Auto,
            compensate: None,
            waits: false,
            idempotent: true,
            is_function: false,
            exclusive: false,
            on_error: self.plan.defaults.on_error,
            reads_world: false,
            seed: self.seed(id),
            effects: &[],
            permit: Permit::unknown(),
            resources: Vec::new(),
            uses: Vec::new(),
            gives: Vec::new(),
            plans: None,
            from_inputs,
        }
    }

    /// A call whose arguments are literals, or hold references.
    fn call(
        &mut self,
        site: &Site,
        facts: &ToolFacts<'_>,
        types: &HashMap<String, Option<Walked>>,
        checked: &mut CheckedStep,
    ) {
        let spec = facts.tool.spec();
        match checked.args.literal() {
            Some(value) => match facts.tool.decode(value) {
                Ok(call) => self.settled(site, facts, &*call, checked),
                Err(err) => self.bad_arguments(&err, &site.base, &checked.from_inputs),
            },
            None => {
                let Findings { problems, notes } = args::check(
                    spec,
                    (&facts.input, &facts.slots),
                    &checked.args,
                    &site.base,
                    &|placed| types.get(placed.pointer.as_str()).cloned().flatten(),
                    self.plan.is_script,
                );
                let fine = problems.is_empty();
                problems
                    .into_iter()
                    .for_each(|problem| self.problems.push(problem));
                notes.into_iter().for_each(|note| self.note(note));
                if fine {
                    self.open(site, facts, types, checked);
                }
            }
        }
    }

    /// Every reference of the arguments: that its step is there, comes earlier, and what it gives, by the pointer of the
    /// reference.
    fn references(
        &mut self,
        site: &Site,
        mapped: Option<&Mapped>,
        checked: &mut CheckedStep,
    ) -> HashMap<String, Option<Walked>> {
        let mut placed_all: Vec<Arc<Placed>> = Vec::new();
        checked
            .args
            .for_each_reference(&mut |placed| placed_all.push(Arc::clone(placed)));
        let mut types = HashMap::new();
        for placed in &placed_all {
            if placed.reference.root() == "inputs" {
                let open = self.open_input(placed).and_then(Result::ok);
                types.insert(placed.pointer.clone(), open);
                continue;
            }
            let walked = match mapped.and_then(|mapped| mapped.of(placed.reference.root())) {
                Some(ty) => self.walked_item(&ty, placed),
                None => self.used(site, placed, checked),
            };
            types.insert(placed.pointer.clone(), walked);
        }
        checked.uses.sort_unstable();
        checked.uses.dedup();
        types
    }

    /// A reference to a step, where its value is needed.
    pub(super) fn used(
        &mut self,
        site: &Site,
        placed: &Arc<Placed>,
        checked: &mut CheckedStep,
    ) -> Option<Walked> {
        let target = self.dependency(site, placed, checked)?;
        if target != site.position {
            let known = conditions::of(self.plan, site.position);
            self.guarded(target, &known, placed, "the step");
        }
        self.walked(target, placed)
    }

    /// The step that a reference means; waiting for it is part of the graph.
    pub(super) fn dependency(
        &mut self,
        site: &Site,
        placed: &Arc<Placed>,
        checked: &mut CheckedStep,
    ) -> Option<usize> {
        let root = placed.reference.root();
        if !self.index.contains_key(root) && self.is_within_subplan(site, placed) {
            let message = format_args!("no step of this plan has the id `{root}`");
            self.problems.push(
                PlanProblem::new(Fault::ReferenceStep, placed.pointer.as_str(), message).hint(
                    "the references of a plan within a plan are its own only below `$lit`: write `plan: {$lit: {..}}`",
                ),
            );
            return None;
        }
        let own = site.undoing && *root == *self.plan.steps[site.position].id;
        let target = match own {
            true => site.position,
            false => self.target(root, Some(site.position), &placed.pointer)?,
        };
        if !site.undoing {
            self.edges.push(Edge {
                from: target,
                to: site.position,
                reason: Reason::Reference(placed.reference.to_string().into()),
            });
        }
        checked.uses.push(target);
        Some(target)
    }

    /// Whether a reference stands in a plan that the step hands on.
    fn is_within_subplan(&self, site: &Site, placed: &Placed) -> bool {
        let inside = placed.pointer.strip_prefix(&*site.base);
        let facts = self.facts.get(site.position).and_then(Option::as_ref);
        inside.is_some_and(|rest| rest.starts_with("/plan/"))
            && facts.is_some_and(|facts| subplan::is_chain(facts.tool.spec().id))
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

    pub(super) fn bad_arguments(
        &mut self,
        err: &ToolError,
        base: &str,
        from_inputs: &[(String, String)],
    ) {
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
    pub(super) fn settled(
        &mut self,
        site: &Site,
        facts: &ToolFacts<'_>,
        call: &dyn Call,
        checked: &mut CheckedStep,
    ) {
        let reach = call.reach();
        checked.effects = reach.effects;
        checked.idempotent = reach.idempotent;
        match self.dispatcher.resource_keys(facts.tool, call) {
            Ok(keys) => {
                let named = !keys.is_empty();
                checked.resources = keys;
                self.named(site, facts, checked.effects, named);
            }
            Err(err) => {
                let pointer = format!("{}{}", site.base, err.path().unwrap_or_default());
                self.resource_problem(&err, pointer);
            }
        }
        let decision = if facts.strictest.certain {
            facts.strictest.clone()
        } else {
            self.dispatcher
                .preview(facts.tool, Some(call), &self.context)
        };
        checked.permit = self.permit(site, facts, decision, true);
        if subplan::is_chain(checked.tool) {
            let args = Node::Literal(call.args().clone());
            self.subplan(site, &args, &HashMap::new(), checked);
        }
    }

    /// A step some of whose arguments are not known yet.
    fn open(
        &mut self,
        site: &Site,
        facts: &ToolFacts<'_>,
        types: &HashMap<String, Option<Walked>>,
        checked: &mut CheckedStep,
    ) {
        let files = self.dispatcher.host().capabilities.files.as_deref();
        match access::of_open_call(facts.tool.spec(), &facts.input, &checked.args, files) {
            Ok(Resources { keys, unknown }) => {
                if let Some(unknown) = unknown {
                    self.fall_back(site, &unknown);
                }
                let named = !keys.is_empty();
                checked.resources = keys;
                self.named(site, facts, checked.effects, named);
            }
            Err(err) => self.resource_problem(&err, site.base.clone()),
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
        checked.permit = self.permit(site, facts, decision, known);
        if subplan::is_chain(checked.tool) {
            let args = checked.args.clone();
            self.subplan(site, &args, types, checked);
        }
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
        site: &Site,
        facts: &ToolFacts<'_>,
        mut decision: Decision,
        known: bool,
    ) -> Permit {
        let (id, tool) = (&self.plan.steps[site.position].id, facts.tool.spec().id);
        let pointer = format!("/steps/{}", site.position);
        if site.approval == Approval::Required && decision.verdict == Verdict::Allow {
            decision.require("plan", "the plan requires an approval");
        }
        let why = || match decision.reason.is_empty() {
            true => format!("layer {}", decision.layer),
            false => format!("layer {}: {}", decision.layer, decision.reason),
        };
        let asks = self.context.answer == Answer::Ask && self.dispatcher.host().approvals.is_some();
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
            Verdict::Ask if site.approval == Approval::NeverAsk && known => self.problems.push(
                PlanProblem::new(
                    Fault::Approval,
                    pointer,
                    format_args!(
                        "`{id}` needs an approval to call `{tool}`, and its `approval` is `never-ask`: {}",
                        why()
                    ),
                )
                .hint("add an `allow` rule that names the tool, or leave `approval` out"),
            ),
            Verdict::Ask if asks => self.note(format!(
                "{pointer}: `{id}` waits for a person's approval to call `{tool}`: {}",
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
    fn named(&mut self, site: &Site, facts: &ToolFacts<'_>, effects: &[Effect], named: bool) {
        if !effects.is_empty() && !named {
            self.fall_back(site, "has effects and names no resources");
        } else if access::says_nothing(facts.tool.spec()) {
            self.fall_back(site, "has a tool that declares nothing about itself");
        }
    }

    pub(super) fn fall_back(&mut self, site: &Site, why: &str) {
        if site.undoing {
            return; // when it runs, nothing else does
        }
        let id = &self.plan.steps[site.position].id;
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
