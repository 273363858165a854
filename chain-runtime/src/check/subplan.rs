//! Plans within plans: what a step hands on is checked with the plan that holds it, where it is known.

use registry::dispatch::DEPTH_MAX;
use registry::{Layer, Level, Verdict};
use tool_core::{Effect, Object, Value};

use super::step::Site;
use super::{CheckedPlan, CheckedStep, Checker};
use crate::plan::Plan;
use crate::problem::{Fault, PlanProblem};

/// The tool that runs a plan.
const TOOL: &str = "chain_run";

/// Whether a call of this tool does what a plan says.
pub(crate) fn is_chain(tool: &str) -> bool {
    tool == TOOL
}

impl Checker<'_> {
    /// A step that runs a plan: what that does is what the step does.
    pub(super) fn subplan(&mut self, site: &Site, args: &Value, checked: &mut CheckedStep) {
        let plan = match args.get("plan") {
            Some(Value::String(text)) => Plan::parse(text).ok(),
            Some(value @ Value::Object(object)) if object.get("$file").is_none() => {
                Some(Plan::from_value(value))
            }
            _ => None,
        };
        let Some(plan) = plan else {
            return self.unknown_subplan(site);
        };
        let plan = plan.with_defaults(self.plan.defaults);
        let nested = |layer: &&Layer| layer.level == Level::Delegation;
        if self.context.who.layers.iter().filter(nested).count() >= DEPTH_MAX {
            self.problems.push(PlanProblem::new(
                Fault::Limit,
                site.base.as_str(),
                format_args!("calls are nested at most {DEPTH_MAX} deep"),
            ));
            return;
        }
        let mut context = self.context.clone();
        context.who = context.who.narrow(Layer::new(Level::Delegation, TOOL));
        let none = Object::new();
        let inputs = args
            .get("inputs")
            .and_then(Value::as_object)
            .unwrap_or(&none);
        match super::check(&plan, self.dispatcher, &context, inputs) {
            Ok(inner) => take_over(checked, &inner),
            Err(problems) => {
                for problem in problems.list() {
                    self.problems.push(PlanProblem {
                        pointer: format!("{}/plan{}", site.base, problem.pointer),
                        place: None,
                        ..problem.clone()
                    });
                }
            }
        }
    }

    /// A plan that is not known yet may do anything that its caller may.
    pub(super) fn unknown_subplan(&mut self, site: &Site) {
        self.fall_back(site, "runs a plan that is known only when it runs");
        self.note(format!("{}: the plan is checked when it runs", site.base));
    }
}

fn take_over(checked: &mut CheckedStep, inner: &CheckedPlan) {
    let mut effects: Vec<Effect> = Vec::new();
    for step in &inner.steps {
        checked.resources.extend(step.resources.iter().cloned());
        effects.extend(step.effects);
        let stricter = match (checked.permit.verdict, step.permit.verdict) {
            (Verdict::Allow, Verdict::Ask | Verdict::Deny) | (Verdict::Ask, Verdict::Deny) => true,
            _ => step.permit.verdict == checked.permit.verdict && checked.permit.layer.is_empty(),
        };
        if stricter {
            checked.permit = step.permit.clone();
        }
    }
    checked.resources.sort();
    checked.resources.dedup();
    effects.sort_unstable();
    effects.dedup();
    checked.effects = match effects.as_slice() {
        [] => &[],
        [one] => std::slice::from_ref(
            Effect::ALL
                .iter()
                .find(|effect| *effect == one)
                .unwrap_or(&Effect::ALL[0]),
        ),
        _ => Effect::ALL,
    };
}
