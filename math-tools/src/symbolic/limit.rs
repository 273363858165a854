//! `symbolic_limit`: limits, exactly.

use symbolic::calculus::LimitSide;
use symbolic::print::write_text;

use super::engine::{EngineChoice, EngineName, WHOLE};
use super::reading::{CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, render};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Most parts of the point: it stands in the expression as often as the variable does.
const POINT_SIZE_MAX: u32 = 200;

/// The limit of an expression at a point or at infinity, exactly, from one side or both.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, as `calculate` reads it, with `2x`, `sin^2 x`, or in LaTeX.
    pub expression: String,
    /// The variable; the only symbol, or `x`, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The point, such as `0`, `pi/2`, `inf` or `-inf`.
    pub point: String,
    /// From where.
    #[value(default)]
    pub side: SideChoice,
    /// What is known of symbols, such as `a > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// From where a point is approached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SideChoice {
    /// From both sides, which must agree.
    #[default]
    Both,
    /// From below.
    Left,
    /// From above.
    Right,
}

/// A limit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The limit.
    pub limit: RenderedExpression,
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
const NATIVE: Spec = Spec::named("symbolic_limit", "Limit as a formula")
    .tags(&["limit", "symbolic", "calculus", "infinity", "latex"])
    .syntax(&[
        ("/expression", Syntax::Expression),
        ("/point", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "sin(x)/x": r#"{"expression": "sin(x)/x", "point": "0"}"#
            => r#"{"limit": {"text": "1", "latex": "1", "unicode": "1"}, "variable": "x", "read_as": "sin(x)/x",
                "verified": {"how": "values nearer to the point are nearer to the limit", "points": 6, "digits": 1}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader =
            TextReader::new(args.assumptions.as_ref(), args.variable.as_slice(), false)?;
        let expr = reader.read(&args.expression, "/expression")?;
        let x = reader.variable(args.variable.as_deref(), &expr)?;
        let point = reader.read(&args.point, "/point")?;
        if point.size() > POINT_SIZE_MAX {
            refuse!(invalid "/point", "limit"; "expected a number or a short expression, found {} parts", point.size();
                "write a symbol in its place and put the value in afterwards");
        }
        let side = match args.side {
            SideChoice::Both => LimitSide::Both,
            SideChoice::Left => LimitSide::Left,
            SideChoice::Right => LimitSide::Right,
        };
        let answered = args.engine.answer(
            ctx,
            "/expression",
            |engine, budget| engine.take_limit(&expr, &x, &point, side, budget),
            |_| WHOLE,
        )?;
        let found = answered.found;
        Ok(Output {
            limit: render(&found.value),
            variable: write_text(&x),
            read_as: write_text(&expr),
            ambiguities: reader.ambiguities,
            verified: CheckEvidence {
                how: "values nearer to the point are nearer to the limit".to_owned(),
                points: found.points,
                digits: 1,
            },
            engine: answered.engine,
        })
    }
}
