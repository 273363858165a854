//! `symbolic_integrate`: the formula of an integral.

use symbolic::print::write_text;

use super::engine::{EngineChoice, EngineName, worth_of_option};
use super::reading::{CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, render};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// An antiderivative, or a definite integral exactly. Each antiderivative is differentiated and compared at random points, each definite value with a quadrature.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The integrand, as `calculate` reads it, with `2x`, `sin^2 x`, or in LaTeX.
    pub expression: String,
    /// The variable; the only symbol, or `x`, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Lower limit, such as `0` or `-inf`; with `to`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub from: Option<String>,
    /// Upper limit, such as `pi/2` or `inf`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub to: Option<String>,
    /// What is known of symbols, such as `a > 0` or `n integer`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// An integral.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The antiderivative, without its constant.
    pub antiderivative: RenderedExpression,
    /// Of a definite integral: its value.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "from": { "not": null } }))]
    pub value: Option<RenderedExpression>,
    /// Of a definite integral without parameters: the value by quadrature.
    #[value(skip_encoding_if = "Option::is_none")]
    pub quadrature: Option<f64>,
    /// The variable.
    pub variable: String,
    /// The integrand as it was read.
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
const NATIVE: Spec = Spec::named("symbolic_integrate", "Integral as a formula")
    .tags(&[
        "integral",
        "antiderivative",
        "symbolic",
        "calculus",
        "formula",
        "latex",
    ])
    .syntax(&[
        ("/expression", Syntax::Expression),
        ("/from", Syntax::Expression),
        ("/to", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a power": r#"{"expression": "x^2"}"#
            => r#"{"antiderivative": {"text": "x**3/3", "latex": "\\frac{x^{3}}{3}", "unicode": "x³/3"}, "variable": "x", "read_as": "x**2",
                "verified": {"how": "the derivative agrees with the integrand at random points", "points": 4, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let expr = reader.read(&args.expression, "/expression")?;
        let x = reader.variable(args.variable.as_deref(), &expr)?;
        let (Some(from), Some(to)) = (&args.from, &args.to) else {
            if args.from.is_some() || args.to.is_some() {
                refuse!(invalid "/to"; "a definite integral has two limits, found one"; "give `from` and `to`");
            }
            let answered = args.engine.answer(
                ctx,
                "/expression",
                |engine, budget| engine.integrate(&expr, &x, budget),
                worth_of_option,
            )?;
            let Some((found, points)) = answered.found else {
                return Err(not_found());
            };
            let how = "the derivative agrees with the integrand at random points";
            return Ok(Output {
                engine: answered.engine,
                ..integral_output(&x, &expr, reader, render(&found), how, points)
            });
        };
        let (low, high) = (reader.read(from, "/from")?, reader.read(to, "/to")?);
        let answered = args.engine.answer(
            ctx,
            "/expression",
            |engine, budget| engine.integrate_between(&expr, &x, &low, &high, budget),
            worth_of_option,
        )?;
        let Some(found) = answered.found else {
            return Err(not_found());
        };
        let how = match found.quadrature {
            Some(_) => {
                "the value agrees with a quadrature, the derivative of the antiderivative with the integrand"
            }
            None => {
                "the derivative of the antiderivative agrees with the integrand at random points"
            }
        };
        let mut output = integral_output(
            &x,
            &expr,
            reader,
            render(&found.antiderivative),
            how,
            found.points,
        );
        output.value = Some(render(&found.value));
        output.quadrature = found.quadrature;
        output.engine = answered.engine;
        Ok(output)
    }
}

fn not_found() -> ToolError {
    ToolError::numeric("/expression", "no antiderivative in closed form is found")
        .reason("unevaluated")
        .hint("`integrate` gives the value between two numbers; `engine: \"auto\"` asks SymPy too, where the configuration has it")
}

fn integral_output(
    x: &symbolic::tree::Expr,
    expr: &symbolic::tree::Expr,
    reader: TextReader,
    antiderivative: RenderedExpression,
    how: &str,
    points: usize,
) -> Output {
    Output {
        antiderivative,
        value: None,
        quadrature: None,
        variable: write_text(x),
        read_as: write_text(expr),
        ambiguities: reader.ambiguities,
        verified: CheckEvidence {
            how: how.to_owned(),
            points,
            digits: 30,
        },
        engine: None,
    }
}
