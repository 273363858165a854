//! `symbolic_ode`: differential equations in closed form.

use symbolic::ode::{ClosedFormSolution, InitialCondition, NO_CLOSED_FORM, OdeAnswer, OdeQuestion};
use symbolic::print::{write_latex, write_text, write_unicode};
use symbolic::tree::{Expr, RelationKind};

use super::engine::{EngineChoice, EngineName, WHOLE};
use super::ode_system;
use super::reading::{
    CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, render, texts_of,
};
use super::unknown::{detect_unknown, has_name, read_conditions};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Solve an ordinary differential equation in closed form: first order (linear, separable, Bernoulli, exact, homogeneous, Riccati), linear with constant
/// coefficients to order 6, Cauchy-Euler, and orders that a substitution makes lower; or a linear system with constant coefficients. With conditions or
/// constants `C1`, `C2`. Every solution is put back.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The equation, such as `y'' + 3y' + 2y = exp(-x)`, `dy/dx = x*y` or LaTeX with `\frac{dy}{dx}` or `\ddot{x}`; the function may stand without
    /// its argument. Of a system the equations with `;` between them, such as `x' = x + y; y' = 4x - 2y`, one for each function.
    pub equation: String,
    /// The unknown function; the one with a derivative when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub function: Option<String>,
    /// Its variable; that of `dy/dx` or `y(x)` when absent, else `x` or `t`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Values at points, such as `y(0) = 1, y'(0) = 0`; without them the solution has constants.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub conditions: Option<OneOrManyFormulas>,
    /// What is known of symbols, such as `k > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
    /// Who answers: `native`, `auto` or `sympy`.
    #[value(default)]
    pub engine: EngineChoice,
}

/// A solution.
#[derive(Debug, Encode, Describe)]
pub(crate) struct OdeSolutionRow {
    /// The solution as an equation: explicit `y = ...`, implicit a relation of both.
    pub equation: RenderedExpression,
    /// Of an explicit solution: the right side.
    #[value(skip_encoding_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether it is solved for the function.
    pub explicit: bool,
    /// Whether it fulfils the equation only where its roots are on the branch that the equation means.
    #[value(skip_encoding_if = "std::ops::Not::not")]
    pub on_branch: bool,
}

/// Solutions of a differential equation.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The solutions; of a system its one solution, a row for each function.
    pub solutions: Vec<OdeSolutionRow>,
    /// The constants that may be chosen.
    pub constants: Vec<String>,
    /// Solutions that no value of the constants gives, such as `y = 0`.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub singular: Vec<String>,
    /// How it was solved.
    pub method: String,
    /// The order.
    pub order: usize,
    /// What was assumed.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The unknown function with its variable.
    pub unknown: String,
    /// The equation as it was read.
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
const NATIVE: Spec = Spec::named("symbolic_ode", "Differential equation in closed form")
    .tags(&[
        "ode",
        "differential",
        "equation",
        "closed",
        "symbolic",
        "calculus",
        "initial",
        "latex",
    ])
    .syntax(&[
        ("/equation", Syntax::Expression),
        ("/conditions", Syntax::Expression),
        ("/assumptions", Syntax::Expression),
    ]);

impl Tool for Args {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a growth": r#"{"equation": "y' = 2y", "conditions": "y(0) = 3"}"#
            => r#"{"solutions": [{"equation": {"text": "y = 3*exp(2*x)", "latex": "y = 3 e^{2 x}", "unicode": "y = 3·exp(2·x)"}, "value": "3*exp(2*x)",
                "explicit": true}], "constants": [], "method": "linear, by an integrating factor", "order": 1, "unknown": "y(x)",
                "read_as": "derivative(y(x), x, 1) = 2*y(x)",
                "verified": {"how": "each solution was put back into the equation and the conditions", "points": 6, "digits": 30}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        if let Some(texts) = ode_system::split_equations(&args.equation) {
            return ode_system::solve(&args, &texts, ctx);
        }
        let (function, variable) = find_names(&args);
        if function == variable {
            refuse!(invalid "/variable"; "the function and its variable are both `{variable}`"; "name them differently");
        }
        let names = [function.clone(), variable.clone()];
        let mut reader = TextReader::new(args.assumptions.as_ref(), &names, false)?;
        reader.options.function = None;
        let x = reader.symbol(&variable, "/variable")?;
        reader.symbol(&function, "/function")?;
        reader.options.function = Some((function.clone(), variable.clone()));
        let equation = reader.read(&args.equation, "/equation")?;
        let conditions = read_conditions(args.conditions.as_ref(), "/conditions", &mut reader)?;
        let question = OdeQuestion {
            equation: equation.clone(),
            function: function.clone(),
            variable: x,
            conditions: conditions
                .into_iter()
                .map(|condition| InitialCondition {
                    order: condition.order,
                    at: condition.at,
                    value: condition.value,
                })
                .collect(),
        };
        let has_conditions = !question.conditions.is_empty();
        let answered = args.engine.answer(
            ctx,
            "/equation",
            |engine, budget| engine.solve_ode(&question, budget),
            |_| WHOLE,
        );
        let answered = answered.map_err(point_to_numbers)?;
        let names = (function.as_str(), variable.as_str());
        Ok(Output {
            engine: answered.engine,
            ..ode_output(&answered.found, names, &equation, has_conditions, reader)
        })
    }
}

/// The hint of a refusal that no formula is found names the tool that gives numbers.
fn point_to_numbers(error: ToolError) -> ToolError {
    match error.to_string().contains(NO_CLOSED_FORM) {
        true => ToolError::numeric("/equation", NO_CLOSED_FORM)
            .reason("unevaluated")
            .hint("`solve_ode` gives numbers: write the equation as a system of the first order"),
        false => error,
    }
}

/// Function and variable, given or as the text shows them.
fn find_names(args: &Args) -> (String, String) {
    let (shown, by) = detect_unknown(&args.equation);
    let function = args
        .function
        .clone()
        .or(shown)
        .unwrap_or_else(|| "y".to_owned());
    let conditions = texts_of(args.conditions.as_ref()).join(" ");
    let variable = args.variable.clone().or(by).unwrap_or_else(|| {
        let has = |name: &str| {
            name != function && (has_name(&args.equation, name) || has_name(&conditions, name))
        };
        let default = if function == "x" { "t" } else { "x" };
        match (has("x"), has("t")) {
            (true, _) => "x",
            (false, true) => "t",
            _ => default,
        }
        .to_owned()
    });
    (function, variable)
}

pub(super) fn solution_row(solution: &ClosedFormSolution, function: &str) -> OdeSolutionRow {
    let y = Expr::symbol(function);
    let equation = match solution.is_explicit {
        true => Expr::relation(RelationKind::Equal, y, solution.expr.clone()),
        false => solution.expr.clone(),
    };
    OdeSolutionRow {
        equation: RenderedExpression {
            text: write_text(&equation),
            latex: write_latex(&equation),
            unicode: write_unicode(&equation),
        },
        value: solution.is_explicit.then(|| write_text(&solution.expr)),
        explicit: solution.is_explicit,
        on_branch: solution.holds_on_branch,
    }
}

fn ode_output(
    found: &OdeAnswer,
    (function, variable): (&str, &str),
    equation: &Expr,
    has_conditions: bool,
    reader: TextReader,
) -> Output {
    let how = match has_conditions {
        true => "each solution was put back into the equation and the conditions",
        false => "each solution was put back into the equation at random points and constants",
    };
    let singular = found
        .singular
        .iter()
        .map(|value| format!("{function} = {}", write_text(value)));
    Output {
        solutions: found
            .solutions
            .iter()
            .map(|solution| solution_row(solution, function))
            .collect(),
        constants: found.constants.clone(),
        singular: singular.collect(),
        method: found.method.clone(),
        order: found.order,
        assumed: found.conditions.iter().map(write_text).collect(),
        unknown: format!("{function}({variable})"),
        read_as: render(equation).text,
        ambiguities: reader.ambiguities,
        verified: CheckEvidence {
            how: how.to_owned(),
            points: found.points,
            digits: 30,
        },
        engine: None,
    }
}
