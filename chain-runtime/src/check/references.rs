//! References of a step: to inputs, which are replaced by their values where known, and to steps, whose results have types.

use std::sync::Arc;

use tool_core::Value;
use tool_core::nearest::nearest_name;

use super::checked::{self, CheckedStep};
use super::checker::{MapElement, PlanChecker, StepSite, Types};
use super::conditions;
use crate::graph::{EdgeReason, PlanEdge};
use crate::problem::{Fault, PlanProblem, problem};
use crate::reference::ReferenceSegment;
use crate::template::{ArgumentNode, PlacedReference};
use crate::types::{DeadEnd, ReferenceTarget, Type};

impl PlanChecker<'_> {
    /// Checks every reference of the arguments, and returns their types by pointer.
    pub(super) fn references(
        &mut self,
        site: &StepSite,
        mapped: Option<&MapElement>,
        checked: &mut CheckedStep,
    ) -> Types {
        let placed_all: Vec<Arc<PlacedReference>> =
            checked.args.references().into_iter().cloned().collect();
        let mut types = Types::new();
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

    /// Type of a reference to a step whose value is needed.
    pub(super) fn used(
        &mut self,
        site: &StepSite,
        placed: &Arc<PlacedReference>,
        checked: &mut CheckedStep,
    ) -> Option<ReferenceTarget> {
        let target = self.dependency(site, placed, checked)?;
        if target != site.position {
            let known = conditions::conjuncts_of(self.plan, site.position);
            self.guarded(target, &known, placed, "the step");
        }
        self.walked(target, placed)
    }

    /// The step that a reference names; adds the dependency to the graph.
    pub(super) fn dependency(
        &mut self,
        site: &StepSite,
        placed: &Arc<PlacedReference>,
        checked: &mut CheckedStep,
    ) -> Option<usize> {
        let root = placed.reference.root();
        let is_unknown = !self.index.contains_key(root) && !self.is_undefined_name(root);
        if is_unknown && self.is_within_subplan(site, placed) {
            self.report(problem!(ReferenceStep, &placed.pointer;
                "no step of this plan has the id `{root}`";
                "the references of a plan within a plan are its own only below `$lit`: write `plan: {{$lit: {{..}}}}`"));
            return None;
        }
        let own = site.undoing && *root == *self.plan.steps[site.position].id;
        let target = match own {
            true => site.position,
            false => self.target(root, Some(site.position), &placed.pointer)?,
        };
        if !site.undoing {
            self.found.edges.push(PlanEdge {
                from: target,
                to: site.position,
                reason: EdgeReason::Reference(placed.reference.to_string().into()),
            });
        }
        checked.uses.push(target);
        Some(target)
    }

    /// Whether a reference is located in a plan that the step runs.
    fn is_within_subplan(&self, site: &StepSite, placed: &PlacedReference) -> bool {
        let inside = placed.pointer.strip_prefix(&*site.base);
        let facts = self.facts.get(site.position).and_then(Option::as_ref);
        inside.is_some_and(|rest| rest.starts_with("/plan/"))
            && facts.is_some_and(|facts| checked::is_chain(facts.tool.spec().id))
    }
}

impl PlanChecker<'_> {
    /// The value of a reference to an input; `None` for references to steps and inputs that are reported as missing.
    pub(super) fn input(&self, placed: &PlacedReference) -> Result<Option<Value>, PlanProblem> {
        let reference = &placed.reference;
        if reference.root() != "inputs" {
            return Ok(None);
        }
        if let Some(found) = self.open_input(placed) {
            let problem = |end: DeadEnd| {
                let found = end.found;
                problem!(ReferenceField, &placed.pointer; "`{reference}`: the input gives {found}")
            };
            return found.map(|_| None).map_err(problem);
        }
        let missing = match placed.resolve(&self.inputs) {
            Ok((value, _)) => return Ok(Some(value)),
            Err(missing) => missing,
        };
        let asked = reference.segments().first();
        let asked = asked.map(ToString::to_string).unwrap_or_default();
        let name = asked.trim_start_matches('.');
        if self.plan.input(name).is_some() && reference.segments().len() == 1 {
            return Ok(None); // declared, and reported as missing
        }
        let known = self.plan.inputs.iter().map(|input| &*input.name);
        let problem = problem!(ReferenceField, &placed.pointer; "`{reference}`: {missing}");
        Err(problem.near(nearest_name(name, known)))
    }

    /// Type of a reference to an input whose value is not known yet; `None` for other references.
    pub(super) fn open_input(
        &self,
        placed: &PlacedReference,
    ) -> Option<Result<ReferenceTarget, DeadEnd>> {
        if self.open_inputs.is_empty() || placed.reference.root() != "inputs" {
            return None;
        }
        let (first, rest) = match placed.reference.segments() {
            [ReferenceSegment::Field(name), rest @ ..] => (name, rest),
            _ => return Some(Type::Any.walk(&[])),
        };
        Some(self.open_inputs.get(first)?.walk(rest))
    }

    /// Fills inputs in; which arguments came from them is kept for messages.
    pub(super) fn bind_inputs(
        &mut self,
        node: &ArgumentNode,
        base: &str,
    ) -> (ArgumentNode, Vec<(String, String)>) {
        let mut origins = Vec::new();
        let mut faults = Vec::new();
        let bound = node.bind(&mut |placed| match self.input(placed) {
            Ok(value) => {
                if value.is_some() {
                    let pointer = placed.pointer.strip_prefix(base).unwrap_or_default();
                    origins.push((pointer.to_owned(), placed.reference.to_string()));
                }
                Ok(value)
            }
            Err(fault) => {
                faults.push(fault);
                Ok(None)
            }
        });
        faults.into_iter().for_each(|fault| self.report(fault));
        let bound = bound.unwrap_or_else(|err| {
            self.report(PlanProblem::new(Fault::Limit, base, err.message()));
            node.clone()
        });
        (bound, origins)
    }
}
