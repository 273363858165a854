//! `symbolic_series`: series in powers of a variable.

use symbolic::calculus::{check_series, power_of_order};
use symbolic::print::write_text;

use super::engine::{EngineChoice, EngineName, WHOLE};
use super::reading::{
    CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, evidence_of, render,
};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// The series of an expression about a point or at infinity: Taylor, Laurent or with fractions as exponents, up to an order.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, as `calculate` reads it, with `2x`, `sin^2 x`, or in LaTeX.
    pub expression: String,
    /// The variable; the only symbol, or `x`, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The point; `0` when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub point: Option<String>,
    /// The power of `x - point` at which the series is cut off.
    #[value(default = "BoundedInteger::<1, 30>::of::<6>")]
    pub order: BoundedInteger<1, 30>,
    /// What is known of symbols, such as `a > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// A series.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The terms below the order.
    pub series: RenderedExpression,
    /// The power that is left out with all above it.
    pub order: String,
    /// The variable.
    pub variable: String,
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
const NATIVE: Spec = Spec::named("symbolic_series", "Series as a formula")
    .tags(&[
        "series", "taylor", "laurent", "symbolic", "calculus", "latex",
    ])
    .syntax(&[
        ("/expression", Syntax::Expression),
        ("/point", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the geometric series": r#"{"expression": "1/(1-x)", "order": 3}"#
            => r#"{"series": {"text": "x**2 + x + 1", "latex": "x^{2} + x + 1", "unicode": "x² + x + 1"}, "order": "3", "variable": "x",
                "read_as": "-1/(x - 1)",
                "verified": {"how": "the error falls as the power that is left out, at two points near", "points": 2, "digits": 34}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let expr = reader.read(&args.expression, "/expression")?;
        let x = reader.variable(args.variable.as_deref(), &expr)?;
        let point = reader.read(args.point.as_deref().unwrap_or("0"), "/point")?;
        let order = args.order.size();
        let answered = args.engine.answer(
            ctx,
            "/expression",
            |engine, budget| {
                let found = engine.expand_series(&expr, &x, &point, order, budget)?;
                let power = power_of_order(&found.order).unwrap_or(0.0);
                let check = check_series(&expr, &x, &point, &found.terms, power, budget)?;
                Ok((found, check))
            },
            |_| WHOLE,
        )?;
        let (found, check) = answered.found;
        let verified = evidence_of(
            check,
            "the error falls as the power that is left out, at two points near",
            "it follows from rules; the expression has no value near the point",
        )?;
        Ok(Output {
            series: render(&found.terms),
            order: found.order,
            variable: write_text(&x),
            read_as: write_text(&expr),
            ambiguities: reader.ambiguities,
            verified,
            engine: answered.engine,
        })
    }
}
