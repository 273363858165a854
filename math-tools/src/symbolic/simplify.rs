//! `symbolic_simplify`: forms of an expression, and whether two are equal.

use symbolic::numeric::{Comparison, compare_values};
use symbolic::print::write_text;
use symbolic::simplify::{EqualityVerdict, SimplifyForm, lost_conditions};

use super::engine::{EngineChoice, EngineName, WHOLE};
use super::reading::{CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, render};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Points at which a form is compared with the expression.
const POINTS: usize = 6;

/// Simplify, expand, factor or rewrite an expression, with the values at which the short form holds though the expression is not defined; or decide whether two
/// expressions are equal, with proof or counter-example.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, as `calculate` reads it, with `2x`, `sin^2 x`, or in LaTeX.
    pub expression: String,
    /// The form asked for.
    #[value(default)]
    pub form: FormChoice,
    /// Another expression: is it equal?
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub equal_to: Option<String>,
    /// The variable of partial fractions.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// What is known of symbols, such as `x > 0` or `n integer`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// A form of an expression.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum FormChoice {
    /// The shortest that is found.
    #[default]
    Simple,
    /// Products multiplied out.
    Expand,
    /// Factors that cannot be split over the rationals.
    Factor,
    /// One fraction.
    Together,
    /// Partial fractions.
    Apart,
    /// By circular identities.
    Trig,
    /// One fraction without common factors.
    Rational,
}

/// Whether two expressions are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum EqualityAnswer {
    /// Proved: the normal form of the difference is zero.
    Equal,
    /// Different at a point.
    Different,
    /// Equal at random points, without proof.
    Undecided,
}

/// A form, or a decision.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The form.
    pub result: RenderedExpression,
    /// Of two expressions: whether they are equal wherever both are defined.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "equal_to": { "not": null } }))]
    pub equal: Option<EqualityAnswer>,
    /// Where they differ: the point and both values.
    #[value(skip_encoding_if = "Option::is_none")]
    pub counter_example: Option<String>,
    /// What must hold for the expression to be defined where the result is: the two agree under these conditions.
    pub conditions: Vec<String>,
    /// The expression as it was read.
    pub read_as: String,
    /// What could be read otherwise.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub ambiguities: Vec<ReadAmbiguity>,
    /// How the answer was checked.
    pub verified: CheckEvidence,
    /// Who answered, where `engine` is `auto` or `sympy`.
    #[value(skip_encoding_if = "Option::is_none")]
    pub engine: Option<EngineName>,
}

/// The tool as this program answers it.
const NATIVE: Spec = Spec::named("symbolic_simplify", "Simplify, expand, factor")
    .tags(&[
        "simplify", "expand", "factor", "symbolic", "algebra", "identity", "latex",
    ])
    .syntax(&[
        ("/expression", Syntax::Expression),
        ("/equal_to", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a quotient, with what it loses": r#"{"expression": "(x^2-1)/(x-1)"}"#
            => r#"{"result": {"text": "x + 1", "latex": "x + 1", "unicode": "x + 1"}, "conditions": ["x != 1"], "read_as": "(x**2 - 1)/(x - 1)",
                "verified": {"how": "the values agree at random points", "points": 6, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let expr = reader.read(&args.expression, "/expression")?;
        let other = args
            .equal_to
            .as_ref()
            .map(|text| reader.read(text, "/equal_to"))
            .transpose()?;
        let variable = args
            .variable
            .as_ref()
            .map(|name| reader.symbol(name, "/variable"))
            .transpose()?;
        let form = simplify_form(args.form);
        let answered = args.engine.answer(
            ctx,
            "/expression",
            |engine, budget| {
                let result = engine.simplify(&expr, form, variable.as_ref(), budget)?;
                let check = compare_values(&result, &expr, POINTS, budget)?;
                let conditions = lost_conditions(&expr, &result, budget)?;
                let verdict = other
                    .as_ref()
                    .map(|other| engine.decide_equality(&expr, other, budget))
                    .transpose()?;
                Ok((result, check, conditions, verdict))
            },
            |_| WHOLE,
        )?;
        let (result, check, conditions, verdict) = answered.found;
        // An answer that fails its check is not returned: the expression itself is the answer.
        let (result, points) = match check {
            Comparison::Agree { points } => (result, points),
            Comparison::Unknown => (result, 0),
            Comparison::Differ(_) => {
                return Err(ToolError::numeric(
                    "/expression",
                    "the form that was found fails its check",
                )
                .reason("unverified"));
            }
        };
        let how = match points {
            0 => "no point has a value; the rules hold wherever both sides are defined",
            _ => "the values agree at random points",
        };
        let (equal, counter_example) = verdict.map_or((None, None), equality_answer);
        Ok(Output {
            result: render(&result),
            equal,
            counter_example,
            conditions: conditions.iter().map(write_text).collect(),
            read_as: write_text(&expr),
            ambiguities: reader.ambiguities,
            verified: CheckEvidence {
                how: how.to_owned(),
                points,
                digits: 30,
            },
            engine: answered.engine,
        })
    }
}

fn simplify_form(form: FormChoice) -> SimplifyForm {
    match form {
        FormChoice::Simple => SimplifyForm::Simple,
        FormChoice::Expand => SimplifyForm::Expand,
        FormChoice::Factor => SimplifyForm::Factor,
        FormChoice::Together => SimplifyForm::Together,
        FormChoice::Apart => SimplifyForm::Apart,
        FormChoice::Trig => SimplifyForm::Trig,
        FormChoice::Rational => SimplifyForm::Rational,
    }
}

fn equality_answer(verdict: EqualityVerdict) -> (Option<EqualityAnswer>, Option<String>) {
    match verdict {
        EqualityVerdict::Proved => (Some(EqualityAnswer::Equal), None),
        EqualityVerdict::Undecided { .. } => (Some(EqualityAnswer::Undecided), None),
        EqualityVerdict::Refuted(point) => {
            let values: Vec<String> = point
                .values
                .iter()
                .map(|(name, value)| format!("{name} = {value}"))
                .collect();
            let place = match values.is_empty() {
                true => "the values are".to_owned(),
                false => format!("at {}:", values.join(", ")),
            };
            let text = format!("{place} {} and {}", point.first, point.second);
            (Some(EqualityAnswer::Different), Some(text))
        }
    }
}
