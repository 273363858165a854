//! `symbolic_diff`: the formula of a derivative.

use symbolic::calculus::check_derivative;
use symbolic::engine::{NativeEngine, SymbolicEngine};
use symbolic::print::write_text;

use super::reading::{
    CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, answer, evidence_of, render,
};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// The derivative of an expression as a formula, simplified; it runs in `calculate` and `plot_function`.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, as `calculate` reads it, with `2x`, `sin^2 x`, or in LaTeX.
    pub expression: String,
    /// The variable; the only symbol, or `x`, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Order of the derivative.
    #[value(default = "BoundedInteger::<1, 20>::of::<1>")]
    pub order: BoundedInteger<1, 20>,
    /// What is known of symbols, such as `x > 0` or `n integer`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
}

/// A derivative.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The derivative.
    pub derivative: RenderedExpression,
    /// The variable.
    pub variable: String,
    /// The expression as it was read.
    pub read_as: String,
    /// What could be read otherwise.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub ambiguities: Vec<ReadAmbiguity>,
    /// How the answer was checked.
    pub verified: CheckEvidence,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("symbolic_diff", "Derivative as a formula")
        .tags(&["derivative", "symbolic", "calculus", "formula", "latex"])
        .syntax(&[
            ("/expression", Syntax::Expression),
            ("/assumptions", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a power": r#"{"expression": "x^3"}"#
            => r#"{"derivative": {"text": "3*x**2", "latex": "3 x^{2}", "unicode": "3·x²"}, "variable": "x", "read_as": "x**3",
                "verified": {"how": "the derivative agrees with central differences of the eighth order at random points", "points": 3, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let expr = reader.read(&args.expression, "/expression")?;
        let x = reader.variable(args.variable.as_deref(), &expr)?;
        let order = args.order.size();
        let (found, check) = answer(ctx, "/expression", |budget| {
            let found = NativeEngine.differentiate(&expr, &x, order, budget)?;
            let check = check_derivative(&expr, &x, order, &found, budget)?;
            Ok((found, check))
        })?;
        let verified = evidence_of(
            check,
            "the derivative agrees with central differences of the eighth order at random points",
            "it follows from rules; no differences were taken, since the expression has no values, is constant or the order is above 12",
        )?;
        Ok(Output {
            derivative: render(&found),
            variable: write_text(&x),
            read_as: write_text(&expr),
            ambiguities: reader.ambiguities,
            verified,
        })
    }
}
