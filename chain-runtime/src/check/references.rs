//! References of a step: the step that each names, its position, and the type of its value.

use std::collections::HashMap;
use std::sync::Arc;

use super::checked::CheckedStep;
use super::checker::{Checker, Mapped, Site};
use super::{checked, conditions};
use crate::graph::{Edge, Reason};
use crate::problem::problem;
use crate::template::Placed;
use crate::types::Walked;

impl Checker<'_> {
    /// Checks every reference of the arguments, and returns their types by pointer.
    pub(super) fn references(
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

    /// Type of a reference to a step whose value is needed.
    pub(super) fn used(
        &mut self,
        site: &Site,
        placed: &Arc<Placed>,
        checked: &mut CheckedStep,
    ) -> Option<Walked> {
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
        site: &Site,
        placed: &Arc<Placed>,
        checked: &mut CheckedStep,
    ) -> Option<usize> {
        let root = placed.reference.root();
        let is_unknown = !self.index.contains_key(root) && !self.is_undefined_name(root);
        if is_unknown && self.is_within_subplan(site, placed) {
            let problem = problem!(
                ReferenceStep,
                &placed.pointer,
                "no step of this plan has the id `{root}`"
            );
            let hint = "the references of a plan within a plan are its own only below `$lit`: write `plan: {$lit: {..}}`";
            self.problems.push(problem.hint(hint));
            return None;
        }
        let own = site.undoing && *root == *self.plan.steps[site.position].id;
        let target = match own {
            true => site.position,
            false => self.target(root, Some(site.position), &placed.pointer)?,
        };
        if !site.undoing {
            self.found.edges.push(Edge {
                from: target,
                to: site.position,
                reason: Reason::Reference(placed.reference.to_string().into()),
            });
        }
        checked.uses.push(target);
        Some(target)
    }

    /// Whether a reference is located in a plan that the step runs.
    fn is_within_subplan(&self, site: &Site, placed: &Placed) -> bool {
        let inside = placed.pointer.strip_prefix(&*site.base);
        let facts = self.facts.get(site.position).and_then(Option::as_ref);
        inside.is_some_and(|rest| rest.starts_with("/plan/"))
            && facts.is_some_and(|facts| checked::is_chain(facts.tool.spec().id))
    }
}
