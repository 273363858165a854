//! References to inputs: replaced by their values where known, typed where not.

use tool_core::Value;
use tool_core::nearest::nearest;

use super::checker::Checker;
use crate::problem::{Fault, PlanProblem, problem};
use crate::reference::Segment;
use crate::template::{Node, Placed};
use crate::types::{DeadEnd, Type, Walked};

impl Checker<'_> {
    /// The value of a reference to an input; `None` for references to steps and inputs that are reported as missing.
    pub(super) fn input(&self, placed: &Placed) -> Result<Option<Value>, PlanProblem> {
        let reference = &placed.reference;
        if reference.root() != "inputs" {
            return Ok(None);
        }
        if let Some(found) = self.open_input(placed) {
            let problem = |end: DeadEnd| {
                let found = end.found;
                problem!(
                    ReferenceField,
                    &placed.pointer,
                    "`{reference}`: the input gives {found}"
                )
            };
            return found.map(|_| None).map_err(problem);
        }
        let missing = match placed.resolve(&self.inputs) {
            Ok((value, _)) => return Ok(Some(value)),
            Err(missing) => missing,
        };
        let asked = reference
            .segments()
            .first()
            .map(ToString::to_string)
            .unwrap_or_default();
        let name = asked.trim_start_matches('.');
        if self.plan.input(name).is_some() && reference.segments().len() == 1 {
            return Ok(None); // declared, and reported as missing
        }
        let known = self.plan.inputs.iter().map(|input| &*input.name);
        let (why, reached) = (missing.message, missing.reached);
        let problem = problem!(
            ReferenceField,
            &placed.pointer,
            "`{reference}`: {why} (at `{reached}`)"
        );
        Err(problem.near(nearest(name, known)))
    }

    /// Type of a reference to an input whose value is not known yet; `None` for other references.
    pub(super) fn open_input(&self, placed: &Placed) -> Option<Result<Walked, DeadEnd>> {
        if self.open_inputs.is_empty() || placed.reference.root() != "inputs" {
            return None;
        }
        let (first, rest) = match placed.reference.segments() {
            [Segment::Field(name), rest @ ..] => (name, rest),
            _ => return Some(Type::Any.walk(&[])),
        };
        Some(self.open_inputs.get(first)?.walk(rest))
    }

    /// Fills inputs in; which arguments came from them is kept for messages.
    pub(super) fn bind_inputs(&mut self, node: &Node, base: &str) -> (Node, Vec<(String, String)>) {
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
        faults
            .into_iter()
            .for_each(|fault| self.problems.push(fault));
        let bound = bound.unwrap_or_else(|err| {
            self.problems
                .push(PlanProblem::new(Fault::Limit, base, err.message()));
            node.clone()
        });
        (bound, origins)
    }
}
