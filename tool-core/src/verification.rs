//! Answers that are computed twice: tools with the argument `verify`, by another library and another method.

use std::marker::PhantomData;

use crate::convert::{from_value, to_value};
use crate::ctx::Ctx;
use crate::error::{ErrorCode, ToolError};
use crate::input::SourceRef;
use crate::outcome::Shortfall;
use crate::resource::ResourceKey;
use crate::schema::{self, Schema, json};
use crate::spec::Spec;
use crate::tool::{
    AnyTool, CallProbe, EffectReach, ErasedExample, ErasedTool, Tool, ToolCall, TypedCall,
    TypedTool,
};
use crate::types::Real;
use crate::value::Value;
use crate::{Describe, Encode};

/// The argument that asks for a second computation.
pub const ARGUMENT: &str = "verify";
/// Its value.
pub const INDEPENDENT: &str = "independent";
/// The member of the result that tells how the computations agree.
pub const RESULT: &str = "verified";
/// Digits of a double.
const DIGITS_MAX: f64 = 16.0;

names! {
    /// How two computations of one answer compare.
    VerificationOutcome {
        /// They differ by no more than both error estimates.
        Agrees = "agrees",
        /// They differ by more.
        Differs = "differs",
        /// There is no second answer.
        Unavailable = "unavailable",
    }
}

/// A second computation of the answer, by another library and another method.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub struct AnswerVerification {
    /// `agrees`, `differs` (by more than both error estimates), or `unavailable`, where the other method has no answer
    pub outcome: VerificationOutcome,
    /// Library and method of the second computation
    pub by: String,
    /// The part of the result that was compared
    pub compared: String,
    /// Decimal digits in which both agree, at most 16
    #[value(skip_encoding_if = "Option::is_none")]
    pub digits: Option<f64>,
    /// Largest difference, relative to the largest number compared
    #[value(skip_encoding_if = "Option::is_none")]
    pub difference: Option<Real>,
    /// Largest difference that both error estimates explain, likewise
    #[value(skip_encoding_if = "Option::is_none")]
    pub tolerance: Option<Real>,
    /// Where they part, what was not compared, or why there is no second answer
    #[value(skip_encoding_if = "Option::is_none")]
    pub note: Option<String>,
}

impl AnswerVerification {
    /// Compares two lists of numbers of one length; the tolerance is relative to the largest of them.
    pub fn of_numbers(
        by: impl Into<String>,
        compared: impl Into<String>,
        (first, second): (&[f64], &[f64]),
        tolerance: f64,
    ) -> Self {
        let (by, compared) = (by.into(), compared.into());
        if first.len() != second.len() {
            let message = format!("there are {} numbers and {}", first.len(), second.len());
            return Self::unavailable(by, compared, message);
        }
        if first.iter().all(|x| x.is_finite()) && !second.iter().all(|x| x.is_finite()) {
            return Self::unavailable(by, compared, "its numbers are not finite");
        }
        let all = first.iter().chain(second);
        let scale = all.fold(0.0, |most: f64, x| most.max(x.abs()));
        let unit = if scale > 0.0 { scale } else { 1.0 };
        let gaps = first.iter().zip(second);
        let gaps = gaps.map(|(a, b)| (a / unit - b / unit).abs());
        let (mut place, mut difference) = (0, 0.0);
        for (index, gap) in gaps.enumerate() {
            // NaN is larger than every number here.
            if gap.is_nan() || gap > difference {
                (place, difference) = (index, gap);
            }
        }
        let agrees = difference <= tolerance;
        let note = (!agrees).then(|| {
            let [a, b] =
                [first, second].map(|numbers| numbers.get(place).copied().unwrap_or(f64::NAN));
            format!("number {place} of `{compared}` is {a:e}, the second computation has {b:e}")
        });
        Self {
            outcome: if agrees {
                VerificationOutcome::Agrees
            } else {
                VerificationOutcome::Differs
            },
            by,
            compared,
            digits: Some(agreement_digits(difference)),
            difference: Some(Real(difference)),
            tolerance: Some(Real(tolerance)),
            note,
        }
    }

    /// There is no second answer, for this reason.
    pub fn unavailable(
        by: impl Into<String>,
        compared: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            outcome: VerificationOutcome::Unavailable,
            by: by.into(),
            compared: compared.into(),
            digits: None,
            difference: None,
            tolerance: None,
            note: Some(reason.into()),
        }
    }

    /// With a note where there is none yet.
    #[must_use]
    pub fn noting(mut self, note: impl Into<String>) -> Self {
        self.note.get_or_insert_with(|| note.into());
        self
    }

    /// Tells callers of an answer that another computation does not bear out.
    fn warn(&self, ctx: &Ctx) {
        let note = self.note.as_deref().unwrap_or_default();
        let message = match self.outcome {
            VerificationOutcome::Agrees => return,
            VerificationOutcome::Differs => format!("{} disagrees: {note}", self.by),
            VerificationOutcome::Unavailable => {
                format!("not verified: {} has no second answer: {note}", self.by)
            }
        };
        ctx.fall_short(Shortfall::Unverified, message);
    }
}

/// Decimal digits that a relative difference leaves, to a tenth.
fn agreement_digits(difference: f64) -> f64 {
    let digits = if difference > 0.0 {
        -difference.log10()
    } else {
        DIGITS_MAX
    };
    (10.0 * digits.clamp(0.0, DIGITS_MAX)).round() / 10.0
}

/// A tool whose answers another library and another method can compute again.
pub trait Verify: Tool {
    /// Computes the answer again and compares. It sees the arguments and the answer.
    ///
    /// # Errors
    /// A stop request; any other error means that there is no second answer.
    fn verify(
        args: Self,
        output: &Self::Output,
        ctx: &Ctx,
    ) -> Result<AnswerVerification, ToolError>;
}

/// Erases a tool for a family's list, with the argument `verify`.
pub const fn verified_entry<T: Verify>() -> ErasedTool {
    ErasedTool::of(const { &VerifiedTool::<T>(TypedTool(PhantomData)) })
}

struct VerifiedTool<T>(TypedTool<T>);

impl<T: Verify> AnyTool for VerifiedTool<T> {
    fn spec(&self) -> &Spec {
        self.0.spec()
    }

    fn description(&self) -> String {
        self.0.description()
    }

    fn input_schema(&self) -> Schema {
        let mut schema = self.0.input_schema();
        schema["properties"][ARGUMENT] = json!({
            "description": "`independent`: compute the answer again by another library and another method, and say in `verified` how far they agree.",
            "enum": [INDEPENDENT],
        });
        schema
    }

    fn output_schema(&self) -> Schema {
        let mut schema = self.0.output_schema();
        let mut verified = AnswerVerification::describe(schema::Contract::Write);
        verified[crate::present::KEYWORD] = json!({ ARGUMENT: INDEPENDENT });
        schema["properties"][RESULT] = verified;
        schema
    }

    fn examples(&self) -> Vec<ErasedExample> {
        self.0.examples()
    }

    fn verifies(&self) -> bool {
        true
    }

    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        let (own, verify) = split_verification_arguments(args)?;
        let call = self.0.decode_typed(own.as_ref().unwrap_or(args))?;
        let own_args = call.args().clone();
        let args = match (verify, own_args.as_object()) {
            (true, Some(object)) => {
                let mut object = object.clone();
                object.insert(ARGUMENT, INDEPENDENT);
                Value::from(object)
            }
            _ => own_args.clone(),
        };
        Ok(Box::new(VerifiedCall {
            call,
            own_args,
            args,
            verify,
        }))
    }
}

/// The arguments of the tool itself, where they are others, and whether a second computation is asked for.
fn split_verification_arguments(args: &Value) -> Result<(Option<Value>, bool), ToolError> {
    let Some((object, verify)) = args
        .as_object()
        .and_then(|all| Some((all, all.get(ARGUMENT)?)))
    else {
        return Ok((None, false));
    };
    if !verify.is_null() && verify.as_str() != Some(INDEPENDENT) {
        let found = crate::json::to_text(verify);
        return Err(ToolError::invalid(
            "/verify",
            format_args!(
                "expected \"{INDEPENDENT}\", found {}",
                crate::brief::brief_name(&found)
            ),
        )
        .hint("leave it out for an answer that is computed once"));
    }
    let own = object.iter().filter(|(name, _)| *name != ARGUMENT);
    let own = Value::object(own.map(|(name, value)| (name, value.clone())));
    Ok((Some(own), !verify.is_null()))
}

struct VerifiedCall<T> {
    call: TypedCall<T>,
    own_args: Value,
    args: Value,
    verify: bool,
}

impl<T: Verify> ToolCall for VerifiedCall<T> {
    fn args(&self) -> &Value {
        &self.args
    }

    fn sources(&self) -> &[SourceRef] {
        self.call.sources()
    }

    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError> {
        self.call.resources()
    }

    fn reach(&self) -> EffectReach {
        self.call.reach()
    }

    fn before(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        self.call.before(ctx)
    }

    fn bound(&self, ctx: &Ctx) -> Result<Option<Value>, ToolError> {
        self.call.bound(ctx)
    }

    fn probe(&self, before: &Value, ctx: &Ctx) -> Result<CallProbe, ToolError> {
        self.call.probe(before, ctx)
    }

    fn run(self: Box<Self>, ctx: &Ctx) -> Result<Value, ToolError> {
        if !self.verify && !ctx.must_verify() {
            return Box::new(self.call).run(ctx);
        }
        let again: T = from_value(&self.own_args)
            .map_err(|problem| ToolError::of_problems(ErrorCode::Internal, vec![problem]))?;
        let output = T::run(self.call.typed, ctx)?;
        let verification = match T::verify(again, &output, ctx) {
            Ok(verification) => verification,
            Err(err) if err.code() == ErrorCode::Cancelled => return Err(err),
            // The answer stands without it.
            Err(err) => AnswerVerification::unavailable("the second method", "", err.message()),
        };
        verification.warn(ctx);
        let value = to_value(&output)?;
        let Some(object) = value.as_object() else {
            return Ok(value);
        };
        let mut object = object.clone();
        object.insert(RESULT, to_value(&verification)?);
        Ok(Value::from(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_relative_to_the_largest() {
        let compare =
            |a: &[f64], b: &[f64]| AnswerVerification::of_numbers("b", "x", (a, b), 1e-12);
        let same = compare(&[1e6, 1e-6], &[1e6, 2e-6]);
        assert_eq!(same.outcome, VerificationOutcome::Agrees);
        assert_eq!(same.digits, Some(12.0));
        let other = compare(&[1.0, 2.0], &[1.0, 2.1]);
        assert_eq!(other.outcome, VerificationOutcome::Differs);
        assert!(other.note.unwrap().starts_with("number 1 of `x`"));
        assert_eq!(compare(&[0.0], &[0.0]).digits, Some(16.0));
        assert_eq!(
            compare(&[1.0], &[f64::NAN]).outcome,
            VerificationOutcome::Unavailable
        );
        assert_eq!(
            compare(&[f64::MAX], &[-f64::MAX]).difference,
            Some(Real(2.0))
        );
        assert_eq!(
            compare(&[1.0], &[]).outcome,
            VerificationOutcome::Unavailable
        );
    }
}
