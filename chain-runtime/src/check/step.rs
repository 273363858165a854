//! The check of one step; `references` and `permit` check the parts of its call.

use tool_core::{Determinism, Spec, ToolError};

use super::checked::CheckedStep;
use super::checker::{MapElement, PlanChecker, ResolvedCall, StepSite, item_seed};
use super::taint::InterpolationTaint;
use super::tools::ToolFacts;
use super::{args, maps};
use crate::plan::{COMPENSATE_SUFFIX, Place, PlanStep, StepCompensation};
use crate::problem::problem;
use crate::template::{ArgumentNode, PlacedReference};
use crate::types::Type;

/// Copies the properties of the tool to the step.
fn copy_tool_properties(checked: &mut CheckedStep, facts: &ToolFacts<'_>) {
    let spec = spec_of_step(facts.tool.spec(), &checked.args);
    checked.tool = spec.id;
    checked.tool_version = spec.version;
    checked.effects = spec.effects;
    checked.idempotent = spec.idempotent;
    checked.is_movable = registry::is_movable(spec);
    checked.exclusive = spec.exclusive;
    checked.reads_world = spec.determinism == Determinism::External;
    checked.is_function = spec.effects.is_empty() && !checked.reads_world;
}

/// The specification for the engine that the step names; the most that the tool does where it is not known yet.
fn spec_of_step<'s>(spec: &'s Spec, args: &ArgumentNode) -> &'s Spec {
    let is_open =
        |node: &ArgumentNode| matches!(node, ArgumentNode::Reference(_) | ArgumentNode::Format(_));
    match args.pointer(&format!("/{}", Spec::ENGINE)) {
        None if is_open(args) => spec,
        Some(node) => node
            .literal()
            .map_or(spec, |engine| spec.of_engine(Some(engine))),
        None => spec.of_engine(None),
    }
}

impl<'d> PlanChecker<'d> {
    /// Checks a step; `written` is that of the plan at this position.
    pub(super) fn step(&mut self, position: usize, written: PlanStep) -> CheckedStep {
        let plan = self.plan;
        let step = &plan.steps[position];
        let mut site = StepSite::new(position, format!("/steps/{position}/args"));
        site.approval = step.approval;
        let mut checked = self.blank(written, &site.base);
        checked.on_error = step.on_error.unwrap_or(plan.defaults.on_error);
        let when = self.when(position, &mut checked);
        let map = step.map.as_ref();
        let mapped = map.and_then(|map| self.over(position, map, &mut checked));
        if step.map.is_none() {
            self.found.units += 1;
            self.found.cost = self.found.cost.saturating_add(step.cost_ms.unwrap_or(0));
        }
        site.taint =
            InterpolationTaint::of(&step.args, &|placed| self.taint_of(mapped.as_ref(), placed));
        let types = self.references(&site, mapped.as_ref(), &mut checked);
        self.certainty(position, &checked);
        let mut given = None;
        if let Some(facts) = self.facts[position].clone() {
            let before = self.problems.count();
            let gives = facts.gives(&checked.args);
            given = Some(gives.clone());
            self.outputs[position] = Some(match &step.map {
                Some(map) => maps::map_output_type(gives, map.on_item_error),
                None => gives,
            });
            copy_tool_properties(&mut checked, &facts);
            if step.place == Some(Place::Require) && !checked.is_movable {
                let tool = facts.tool.spec().id;
                self.report(problem!(Place, format!("/steps/{position}/place");
                    "`{tool}` runs on this machine alone: only tools without effects and capabilities are computed elsewhere";
                    "leave `place` out, or write `place: local`"));
            }
            self.formats(&facts, &step.args, &site.base, mapped.as_ref());
            let called = ResolvedCall {
                site: &site,
                facts: &facts,
                types: &types,
            };
            match mapped.as_ref().and_then(|mapped| mapped.items.as_deref()) {
                Some(items) if maps::is_known(&checked) => {
                    self.known_items(called, items, &mut checked);
                }
                _ => self.call(called, &mut checked),
            }
            if self.problems.count() == before {
                self.extents(called, &checked);
            }
        }
        checked.step.when = when;
        let undo = step.compensate.as_ref();
        let undo = undo.map(|undo| self.compensation(position, undo, mapped.as_ref(), given));
        checked.compensate = undo.map(Box::new);
        checked
    }

    /// Checks the call that undoes a step: as any other, except that it may use the output of the step itself. That of a map
    /// undoes one element and uses its result, of the type `given`.
    fn compensation(
        &mut self,
        position: usize,
        undo: &StepCompensation,
        mapped: Option<&MapElement>,
        given: Option<Type>,
    ) -> CheckedStep {
        let plan = self.plan;
        let step = &plan.steps[position];
        let mut site = StepSite::new(position, format!("/steps/{position}/compensate/args"));
        site.undoing = true;
        site.taint = InterpolationTaint::of(&undo.args, &|placed| self.taint_of(mapped, placed));
        let id = format!("{}{COMPENSATE_SUFFIX}", step.id).into();
        let call = PlanStep {
            id,
            args: undo.args.clone(),
            timeout_ms: step.timeout_ms,
            ..PlanStep::default()
        };
        let mut checked = self.blank(call, &site.base);
        let of_step = self.outputs[position].clone();
        if let (Some(_), Some(given)) = (mapped, given) {
            self.outputs[position] = Some(given);
        }
        let types = self.references(&site, mapped, &mut checked);
        self.outputs[position] = of_step;
        let pointer = format!("/steps/{position}/compensate/tool");
        if let Some(facts) = self.facts_of(&undo.tool, &pointer) {
            copy_tool_properties(&mut checked, &facts);
            self.formats(&facts, &undo.args, &site.base, mapped);
            let called = ResolvedCall {
                site: &site,
                facts: &facts,
                types: &types,
            };
            self.call(called, &mut checked);
        }
        checked
    }

    /// A step before anything is known of its tool, with the inputs filled in.
    fn blank(&mut self, mut step: PlanStep, base: &str) -> CheckedStep {
        let (args, from_inputs) = self.bind_inputs(&step.args, base);
        step.args = args;
        CheckedStep {
            seed: item_seed(self.plan.seed, &step.id, 0),
            step,
            idempotent: true,
            on_error: self.plan.defaults.on_error,
            from_inputs,
            ..CheckedStep::default()
        }
    }

    /// A call whose arguments are literals, or hold references.
    fn call(&mut self, called: ResolvedCall<'_>, checked: &mut CheckedStep) {
        let ResolvedCall { site, facts, types } = called;
        if let Some(value) = checked.args.literal() {
            return match facts.tool.decode(value) {
                Ok(call) => self.permit_known(called, &*call, checked),
                Err(err) => self.bad_arguments(&err, &site.base, &checked.from_inputs),
            };
        }
        let lookup =
            |placed: &PlacedReference| types.get(placed.pointer.as_str()).cloned().flatten();
        let is_script = self.plan.is_script;
        let found = args::check_arguments(facts, &checked.args, &site.base, &lookup, is_script);
        let fine = found.problems.is_empty();
        for problem in found.problems {
            self.report(problem);
        }
        found.notes.into_iter().for_each(|note| self.note(note));
        if fine {
            self.permit_open(called, checked);
        }
    }

    pub(super) fn bad_arguments(
        &mut self,
        err: &ToolError,
        base: &str,
        from_inputs: &[(String, String)],
    ) {
        let mut report = |path: &str, message: &str, hint: Option<&str>| {
            let mut inputs = from_inputs.iter();
            let input = inputs.find(|(pointer, _)| {
                path.strip_prefix(&**pointer)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            });
            let origin = input.map(|(_, reference)| format!(" (from `{reference}`)"));
            let origin = origin.unwrap_or_default();
            let problem = problem!(Argument, format!("{base}{path}"), "{message}{origin}");
            self.report(problem.hint_some(hint.map(str::to_owned)));
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
}
