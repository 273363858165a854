//! Nested plans: a plan that a step runs is checked together with the plan around it, where it is known.

use std::collections::HashMap;
use std::sync::Arc;

use registry::dispatch::DEPTH_MAX;
use registry::{ApprovalAnswer, Level, PolicyLayer, Verdict, digest};
use tool_core::input::InputKind;
use tool_core::{DataSource, Effect, Object, Value};

use super::checked::{CheckedPlan, CheckedStep, TOOL};
use super::checker::{CheckContext, PlanChecker, ResolvedCall, StepSite, Types};
use super::taint::InterpolationTaint;
use crate::plan::{InputBindings, Plan};
use crate::problem::{Fault, PlanProblem, PlanProblems, problem};
use crate::reference::ReferenceSegment;
use crate::template::ArgumentNode;
use crate::types::Type;

/// Most calls of all plans within one; looking at each costs as much as a step of its own.
const CALLS_WITHIN_MAX: usize = 100_000;

/// The plan of a call, as the call reads it.
pub(crate) fn read_subplan(plan: &Value) -> Result<Plan, PlanProblems> {
    match plan {
        Value::String(text) => Plan::read("plan", text),
        value => Ok(Plan::from_value(value)),
    }
}

impl PlanChecker<'_> {
    /// A step that runs a plan has the effects and resources of that plan. Inputs may contain references.
    pub(super) fn subplan(
        &mut self,
        called: ResolvedCall<'_>,
        args: &ArgumentNode,
        checked: &mut CheckedStep,
    ) {
        let ResolvedCall { site, types, .. } = called;
        let Some(ArgumentNode::Literal(named)) = args.pointer("/plan") else {
            let why = "runs a plan that is known only when it runs";
            return self.unknown_subplan(site, checked, why);
        };
        let pointer = format!("{}/plan", site.base);
        let nested = |layer: &&PolicyLayer| layer.level == Level::Delegation;
        if self.context.who.layers.iter().filter(nested).count() >= DEPTH_MAX {
            let problem = problem!(Limit, &site.base; "calls are nested at most {DEPTH_MAX} deep");
            return self.report(problem);
        }
        let (name, value) = match DataSource::from_value(&named) {
            None => ("plan".to_owned(), named),
            Some(Err(problem)) => {
                let problem = problem!(
                    Argument,
                    format!("{pointer}{}", problem.path),
                    "{}",
                    problem.message
                );
                return self.report(problem);
            }
            Some(Ok(source)) => match self.opened(site, &source, checked) {
                Ok(Some(value)) => (source.name().to_owned(), value),
                Ok(None) => return,
                Err(problem) => return self.report(problem),
            },
        };
        let plan = match read_subplan(&value) {
            Ok(plan) => plan.with_defaults(self.plan.defaults),
            Err(problems) => return self.inner_problems(&pointer, &name, &problems),
        };
        if let Some(problem) = self.runs_itself(&plan, &name, &pointer) {
            return self.report(problem);
        }
        let plans = checked.plans.get_or_insert_default();
        plans.push(digest::of_value(&value));
        plans.sort();
        plans.dedup();
        let mut context = self.context.clone();
        context.who = context
            .who
            .narrow(PolicyLayer::new(Level::Delegation, TOOL));
        let mut around = self.how.around.clone();
        around.push((Arc::from(&*name), plan.digest.clone()));
        let how = CheckContext {
            around,
            resumes: self.how.resumes,
            taints: tainted_inputs(site),
        };
        let given = subplan_inputs(args.pointer("/inputs"), types);
        match super::check_within(&plan, self.dispatcher, &context, given, how) {
            Ok(inner) => self.take_over(site, checked, inner),
            Err(problems) => self.inner_problems(&pointer, &name, &problems),
        }
    }

    /// Content of a file or an artifact, read as the call will read it; `None` where it is known only at run time.
    fn opened(
        &mut self,
        site: &StepSite,
        source: &DataSource,
        checked: &mut CheckedStep,
    ) -> Result<Option<Value>, PlanProblem> {
        let is_permitted = match checked.permit.verdict {
            Verdict::Allow => true,
            Verdict::Ask => self.context.answer == ApprovalAnswer::Yes,
            Verdict::Deny => return Ok(None), // reported, or noted
        };
        let pointer = || format!("{}/plan", site.base);
        let why = match is_permitted {
            false => "reads its plan only after an approval",
            true if self.found.written.touches(&checked.resources) => {
                "runs a plan that an earlier step may write"
            }
            true => {
                let Some(arrays) = &self.dispatcher.host().arrays else {
                    return Err(problem!(Argument, pointer();
                        "files cannot be opened here: pass the plan inline"));
                };
                let (role, limits) = (&self.context.who.role, self.dispatcher.limits());
                match arrays.open_for(role, source, InputKind::Text, limits.max_input_bytes) {
                    Ok(value) => return Ok(Some(value)),
                    // A resumed run may be past the step.
                    Err(_) if self.how.resumes => "runs a plan that can no longer be read",
                    Err(err) => {
                        return Err(PlanProblem::of_error(Fault::Resource, pointer(), &err));
                    }
                }
            }
        };
        self.unknown_subplan(site, checked, why);
        Ok(None)
    }

    /// Refuses a plan that runs itself, which would never end.
    fn runs_itself(&self, plan: &Plan, name: &str, pointer: &str) -> Option<PlanProblem> {
        let around = &self.how.around;
        let first = around
            .iter()
            .position(|(_, digest)| *digest == plan.digest)?;
        let names = around[first..].iter();
        let names = names.map(|(name, _)| &**name).chain([name]);
        let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
        let way = names.join(" -> ");
        Some(problem!(Cycle, pointer; "the plan runs itself: {way}";
            "a plan runs other plans only; repeat a step with `map`"))
    }

    /// Reports the problems of an inner plan by its pointers, and by its lines where it was text.
    fn inner_problems(&mut self, pointer: &str, name: &str, problems: &PlanProblems) {
        for problem in problems.list() {
            let message = match problem.place {
                Some((line, column)) => format!("{name}:{line}:{column}: {}", problem.message),
                None => problem.message.clone(),
            };
            self.report(PlanProblem {
                pointer: format!("{pointer}{}", problem.pointer),
                place: None,
                message,
                ..problem.clone()
            });
        }
    }

    /// A plan that is not known yet may have every effect.
    fn unknown_subplan(&mut self, site: &StepSite, checked: &mut CheckedStep, why: &str) {
        checked.effects = Effect::ALL;
        checked.idempotent = false;
        self.fall_back(site, why);
        self.note(format!("{}: the plan is checked when it runs", site.base));
    }

    fn take_over(&mut self, site: &StepSite, checked: &mut CheckedStep, inner: CheckedPlan) {
        self.found.within.0 += inner.known_calls;
        self.found.within.1 = self.found.within.1.saturating_add(inner.known_cost);
        if self.found.within.0 > CALLS_WITHIN_MAX {
            let message = "the plans within a plan have at most";
            self.report(problem!(Limit, &site.base; "{message} {CALLS_WITHIN_MAX} calls"));
        }
        if let Some(why) = &inner.unnamed {
            self.fall_back(site, &format!("runs a plan whose {why}"));
        }
        for note in &inner.notes {
            self.note(format!("{}/plan{note}", site.base));
        }
        let mut effects: Vec<Effect> = Vec::new();
        for step in inner.steps {
            effects.extend(step.effects);
            checked.exclusive |= step.exclusive;
            let (found, known) = (step.permit.verdict, checked.permit.verdict);
            let stricter = found > known || (found == known && checked.permit.layer.is_empty());
            if stricter {
                checked.permit = step.permit;
            }
            checked.resources.extend(step.resources);
        }
        checked.resources.sort();
        checked.resources.dedup();
        effects.sort_unstable();
        effects.dedup();
        checked.effects = match effects.as_slice() {
            [] => &[],
            [one] => Effect::ALL
                .chunks(1)
                .find(|all| all[0] == *one)
                .unwrap_or(Effect::ALL),
            _ => Effect::ALL,
        };
    }
}

/// Taint of the inputs of the inner plan.
fn tainted_inputs(site: &StepSite) -> HashMap<Arc<str>, InterpolationTaint> {
    match site.taint.at(&[ReferenceSegment::Field("inputs".into())]) {
        InterpolationTaint::Members(members) => members.into_iter().collect(),
        _ => HashMap::new(),
    }
}

/// The inputs of the inner plan: values, and types of what comes from other steps.
fn subplan_inputs(inputs: Option<ArgumentNode>, types: &Types) -> InputBindings {
    let type_at = |pointer: &str| {
        let walked = types.get(pointer).cloned().flatten();
        walked.map_or(Type::Any, |walked| walked.ty)
    };
    let mut given = InputBindings::default();
    match inputs {
        None => {}
        Some(ArgumentNode::Literal(value)) => {
            given.values = value.as_object().cloned().unwrap_or_else(Object::new);
        }
        Some(ArgumentNode::Object(members)) => {
            for (name, member) in members {
                match member {
                    ArgumentNode::Literal(value) => given.values.insert(&*name, value),
                    other => {
                        let ty = match other {
                            ArgumentNode::Reference(placed) => type_at(&placed.pointer),
                            ArgumentNode::Format(_) => Type::String,
                            _ => Type::Any,
                        };
                        given.open.insert(name, ty);
                    }
                }
            }
        }
        // All inputs come from one step.
        Some(_) => given.may_miss = true,
    }
    given
}
