//! Checks of the plan as a whole: number of calls, cycles, and the order of effects.

use super::checked::CheckedStep;
use super::checker::PlanChecker;
use crate::graph::{EdgeReason, PlanEdge, shortest_cycle};
use crate::plan::CALLS_MAX;
use crate::problem::{Fault, PlanProblem, problem};
use registry::conflicts::{self, ConflictCollector};

impl PlanChecker<'_> {
    /// Compares the number of known calls with the limit and the plan's budget.
    pub(super) fn check_quota(&mut self) {
        let found = self.found.units;
        if found > CALLS_MAX {
            let message = "steps, elements of maps counted; found";
            let problem = problem!(Limit, "/steps";
                "a plan has at most {CALLS_MAX} {message} {found}");
            return self.report(problem);
        }
        let ((calls, cost), budget) = (self.found.within, self.plan.budget);
        let inner = match calls {
            0 => "",
            _ => ", those of the plans within it counted",
        };
        let units = found.saturating_add(calls) as u64;
        let cost = self.found.cost.saturating_add(cost);
        let known = [
            ("steps", units, budget.steps, "calls"),
            ("cost", cost, budget.cost, "ms of `cost_ms`"),
        ];
        for (name, found, most, what) in known {
            if let Some(most) = most.filter(|&most| found > most) {
                let message =
                    format_args!("the plan has {found} {what}{inner}, its budget allows {most}");
                let problem = PlanProblem::new(Fault::Budget, format!("/budget/{name}"), message);
                let hint = format_args!("raise `budget.{name}`, or remove steps");
                self.report(problem.hint(hint));
            }
        }
    }

    /// Reports one shortest cycle, and every dependency on a later step that is not on it.
    pub(super) fn cycles(&mut self) {
        let cycle = shortest_cycle(&self.waits).unwrap_or_default();
        if let Some(&first) = cycle.first() {
            let on_cycle = cycle.iter().chain([&first]);
            let ids: Vec<&str> = on_cycle.map(|&step| &*self.plan.steps[step].id).collect();
            let message = match ids.len() {
                2 => format!("`{}` uses its own output", ids[0]),
                3..=22 => format!("steps depend on each other: {}", ids.join(" -> ")),
                more => {
                    let (count, first) = (more - 1, ids[..20].join(" -> "));
                    format!("{count} steps depend on each other: {first} -> ...")
                }
            };
            let problem = PlanProblem::new(Fault::Cycle, format!("/steps/{first}"), message);
            self.report(problem.hint("a step uses earlier steps only; break the cycle"));
        }
        let mut on_cycle = vec![false; self.waits.len()];
        cycle.iter().for_each(|&step| on_cycle[step] = true);
        for (step, waits) in std::mem::take(&mut self.waits).into_iter().enumerate() {
            for later in waits.into_iter().filter(|&later| later >= step) {
                if on_cycle[step] && on_cycle[later] {
                    continue;
                }
                let (id, other) = (&self.plan.steps[step].id, &self.plan.steps[later].id);
                let pointer = format!("/steps/{step}");
                self.report(problem!(ReferenceStep, pointer;
                    "`{id}` depends on `{other}`, which comes later";
                    "move `{other}` before `{id}`"));
            }
        }
    }

    /// Adds the edges that order steps: conflicts of resources, effects, exclusive steps.
    pub(super) fn order(&mut self, steps: &[CheckedStep]) {
        let mut conflicts = ConflictCollector::default();
        let mut last_effect: Option<usize> = None;
        let mut alone: Option<usize> = None;
        let mut since: Vec<usize> = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            conflicts.step(position, &step.resources);
            let mut edge = |from: usize, reason: EdgeReason| {
                let to = position;
                self.found.edges.push(PlanEdge { from, to, reason });
            };
            if !step.effects.is_empty() && !self.plan.parallel_mutations() {
                if let Some(from) = last_effect {
                    edge(from, EdgeReason::Mutations);
                }
                last_effect = Some(position);
            }
            if let Some(from) = alone {
                edge(from, EdgeReason::Exclusive);
            }
            if step.exclusive {
                since
                    .drain(..)
                    .for_each(|from| edge(from, EdgeReason::Exclusive));
                alone = Some(position);
            } else {
                since.push(position);
            }
        }
        match conflicts.finish() {
            Some(found) => self
                .found
                .edges
                .extend(found.into_iter().map(|conflict| PlanEdge {
                    from: conflict.from,
                    to: conflict.to,
                    reason: EdgeReason::Conflict {
                        resource: conflict.resource,
                        from_writes: conflict.from_writes,
                    },
                })),
            None => {
                let (most, unnamed) = (conflicts::EDGES_MAX, &mut self.found.unnamed);
                let why = format!("the steps have more than {most} conflicts of resources");
                unnamed.get_or_insert(why);
            }
        }
    }
}
