//! `symbolic_sum`: sums in closed form.

use symbolic::print::write_text;

use super::engine::{EngineChoice, EngineName, worth_of_option};
use super::reading::{ReadAmbiguity, RenderedExpression, TextReader, render};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// A finite or infinite sum in closed form: of polynomials, geometric and telescoping terms, and known series.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The term, such as `k^2` or `1/2^k`.
    pub expression: String,
    /// The index.
    #[value(default = "default_index")]
    pub index: String,
    /// The first index, a whole number or a symbol.
    pub from: String,
    /// The last index: a whole number, a symbol such as `n`, or `inf`.
    pub to: String,
    /// What is known of symbols, such as `n integer`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

fn default_index() -> String {
    "k".to_owned()
}

/// A sum.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The sum.
    pub sum: RenderedExpression,
    /// The term as it was read.
    pub read_as: String,
    /// What could be read otherwise.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub ambiguities: Vec<ReadAmbiguity>,
    /// Who answered, where `engine` is `auto` or `sympy`.
    #[value(skip_encoding_if = "Option::is_none")]
    pub engine: Option<EngineName>,
}

/// The tool as this program answers it.
const NATIVE: Spec = Spec::named("symbolic_sum", "Sum in closed form")
    .tags(&["sum", "series", "symbolic", "closed form", "latex"])
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
        "ten squares": r#"{"expression": "k^2", "from": "1", "to": "10"}"#
            => r#"{"sum": {"text": "385", "latex": "385", "unicode": "385"}, "read_as": "k**2"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut reader = TextReader::new(
            args.assumptions.as_ref(),
            std::slice::from_ref(&args.index),
            false,
        )?;
        let expr = reader.read(&args.expression, "/expression")?;
        let k = reader.symbol(&args.index, "/index")?;
        let (low, high) = (
            reader.read(&args.from, "/from")?,
            reader.read(&args.to, "/to")?,
        );
        let answered = args.engine.answer(
            ctx,
            "/expression",
            |engine, budget| engine.sum_terms(&expr, &k, &low, &high, budget),
            worth_of_option,
        )?;
        match answered.found {
            Some(found) => Ok(Output {
                sum: render(&found),
                read_as: write_text(&expr),
                ambiguities: reader.ambiguities,
                engine: answered.engine,
            }),
            None => Err(
                ToolError::numeric("/expression", "no closed form of the sum is found")
                    .reason("unevaluated"),
            ),
        }
    }
}
