//! Checks conditions: their types, contradictions, and uses of steps that may be skipped.

use std::sync::Arc;

use super::checked::CheckedStep;
use super::checker::{PlanChecker, StepSite};
use crate::condition::{ConditionExpression, StepCondition, find_contradiction};
use crate::plan::Plan;
use crate::problem::{Fault, PlanProblem, problem};
use crate::template::PlacedReference;
use crate::types::{Type, TypeFit, check_type_fit};

/// The conjuncts of the condition of a step, as text.
pub(super) fn conjuncts_of(plan: &Plan, position: usize) -> Vec<String> {
    let parts = plan.steps[position]
        .when
        .as_ref()
        .map(StepCondition::conjuncts);
    let parts = parts.unwrap_or_default().iter();
    parts.map(ToString::to_string).collect()
}

impl PlanChecker<'_> {
    /// The condition of a step; its references are dependencies as those of the arguments are.
    pub(super) fn when(
        &mut self,
        position: usize,
        checked: &mut CheckedStep,
    ) -> Option<StepCondition> {
        let plan = self.plan;
        let when = plan.steps[position].when.as_ref()?;
        if !when.has_reference() {
            let message = format_args!("is constant: `{when}` references no step or input");
            self.never(when, format_args!("condition {message}"));
            return None;
        }
        let parts: Vec<&ConditionExpression> = when.conjuncts().iter().collect();
        let whole = |expr: &ConditionExpression| self.kind(expr) == Type::Integer;
        if let Some(never) = find_contradiction(&parts, &whole) {
            let what = match &never[..] {
                [one] => format!("`{one}` is never true"),
                [one, other] => format!("`{one}` and `{other}` are never true together"),
                _ => format!("`{when}` is never true"),
            };
            self.never(when, format_args!("the step can never run: {what}"));
        }
        let mut known: Vec<String> = Vec::new();
        for part in parts {
            self.typed(part, position, &known, checked);
            if !matches!(self.kind(part), Type::Boolean | Type::Any) {
                let kind = self.kind(part);
                self.report(problem!(Type, &when.pointer;
                    "`{part}` gives {kind}, a condition is true or false";
                    "compare it with something"));
            }
            known.push(part.to_string());
        }
        Some(when.clone())
    }

    fn never(&mut self, when: &StepCondition, message: std::fmt::Arguments<'_>) {
        let problem = PlanProblem::new(Fault::Condition, &when.pointer, message);
        self.report(problem.hint("remove the step, or fix the condition"));
    }

    /// Resolves the references of a part, given the parts that are true when it is evaluated, and compares the types of both
    /// sides.
    fn typed(
        &mut self,
        expr: &ConditionExpression,
        position: usize,
        known: &[String],
        checked: &mut CheckedStep,
    ) {
        match expr {
            ConditionExpression::Literal(_) => {}
            ConditionExpression::Reference(placed) | ConditionExpression::Length(placed) => {
                self.reference_of_condition(placed, position, Some(known), checked);
            }
            ConditionExpression::Defined(placed) => {
                self.reference_of_condition(placed, position, None, checked);
            }
            ConditionExpression::Not(inner) => self.typed(inner, position, known, checked),
            ConditionExpression::All(parts) => {
                let mut known = known.to_vec();
                for part in parts {
                    self.typed(part, position, &known, checked);
                    known.push(part.to_string());
                }
            }
            ConditionExpression::Any(parts) => parts
                .iter()
                .for_each(|part| self.typed(part, position, known, checked)),
            ConditionExpression::Compare(left, op, right) => {
                self.typed(left, position, known, checked);
                self.typed(right, position, known, checked);
                let (a, b) = (self.kind(left), self.kind(right));
                let kinds = [Type::Number, Type::String];
                let ordered = |ty: &Type| {
                    kinds
                        .iter()
                        .any(|kind| check_type_fit(ty, kind) != TypeFit::Never)
                };
                let never = check_type_fit(&a, &b) == TypeFit::Never
                    && check_type_fit(&b, &a) == TypeFit::Never;
                let null = a == Type::Null || b == Type::Null;
                if (op.is_order() && !(ordered(&a) && ordered(&b))) || (never && !null) {
                    let when = self.plan.steps[position].when.as_ref();
                    let pointer = when.map_or("", |when| &when.pointer);
                    self.report(problem!(Type, pointer, "`{expr}` compares {a} with {b}"));
                }
            }
        }
    }

    fn reference_of_condition(
        &mut self,
        placed: &Arc<PlacedReference>,
        position: usize,
        known: Option<&[String]>,
        checked: &mut CheckedStep,
    ) {
        if placed.reference.root() == "inputs" {
            if let Err(problem) = self.input(placed) {
                self.report(problem);
            }
            return;
        }
        let site = StepSite::new(position, String::new());
        let Some(target) = self.dependency(&site, placed, checked) else {
            return;
        };
        if let Some(known) = known {
            self.guarded(target, known, placed, "the condition");
        }
        let _ = self.walked(target, placed);
    }

    /// Type of one side of a comparison; errors are reported elsewhere.
    fn kind(&self, expr: &ConditionExpression) -> Type {
        match expr {
            ConditionExpression::Literal(value) => Type::of_value(value),
            ConditionExpression::Length(_) => Type::Integer,
            ConditionExpression::Reference(placed) if placed.reference.root() == "inputs" => {
                if let Some(found) = self.open_input(placed) {
                    return found.map_or(Type::Any, |walked| walked.ty);
                }
                let value = placed.reference.resolve(&self.inputs);
                value.map_or(Type::Any, |value| Type::of_value(&value))
            }
            ConditionExpression::Reference(placed) => {
                let reference = &placed.reference;
                let target = self.index.get(reference.root());
                let output = target.and_then(|&target| self.outputs[target].as_ref());
                let walked = output.and_then(|output| output.walk(reference.segments()).ok());
                walked.map_or(Type::Any, |walked| walked.ty)
            }
            ConditionExpression::Defined(_)
            | ConditionExpression::Not(_)
            | ConditionExpression::All(_)
            | ConditionExpression::Any(_)
            | ConditionExpression::Compare(..) => Type::Boolean,
        }
    }

    /// Reports a use of a step that may be skipped, unless the user has the same condition or a default.
    pub(super) fn guarded(
        &mut self,
        target: usize,
        known: &[String],
        placed: &PlacedReference,
        user: &str,
    ) {
        if placed.default.is_some() {
            return;
        }
        let needed = conjuncts_of(self.plan, target);
        let reference = &placed.reference;
        let asked = |text: &String| {
            let inside = text
                .strip_prefix("defined(")
                .and_then(|rest| rest.strip_suffix(')'));
            inside.is_some_and(|inside| {
                reference.to_string().starts_with(inside) && inside.starts_with(reference.root())
            })
        };
        if needed.iter().all(|part| known.contains(part)) || known.iter().any(asked) {
            return;
        }
        let (id, needed) = (&self.plan.steps[target].id, needed.join(" && "));
        let test = match user {
            "the condition" => format!(", or test `defined({id}) &&` first"),
            _ => String::new(),
        };
        self.report(problem!(Condition, &placed.pointer;
            "`{reference}` has no value when `{id}` is skipped (`when: {needed}`), and {user} uses it anyway";
            "add a `default`, or the same `when`{test}"));
    }
}
