//! `laplace_transform`: the transform of a formula, and the formula of a transform.

use symbolic::print::write_text;
use symbolic::transforms::{TransformCheck, UnknownFunction, inverse_laplace, laplace_transform};
use symbolic::tree::{Expr, ExprNode, MathFunction};

use super::reading::{
    CheckEvidence, ReadAmbiguity, RenderedExpression, TextReader, answer, render,
};
use super::unknown::{detect_unknown, read_conditions};
use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// The Laplace transform of a function of time as a formula with its half plane of convergence, or the function of a transform: partial fractions, delays as
/// steps, impulses; of equations with an unknown function too. Each answer is compared with a quadrature or transformed back.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The function of `t`, such as `exp(-2t)*sin(3t)` or `heaviside(t-1)`, or with `inverse` the transform, such as `1/(s^2+4)`; as `calculate` reads it or in
    /// LaTeX. With an unknown function also an equation such as `y'' + y = sin(t)`.
    pub expression: String,
    /// Whether the expression is a transform, whose function of time is computed.
    #[value(default)]
    pub inverse: bool,
    /// The variable of the expression; `t` when absent, with `inverse` `s`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The variable of the answer; `s` when absent, with `inverse` `t`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub to: Option<String>,
    /// Values of the unknown function at 0, such as `y(0) = 1, y'(0) = 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub initial: Option<OneOrManyFormulas>,
    /// What is known of symbols, such as `a > 0`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub assumptions: Option<OneOrManyFormulas>,
}

/// A transform, or its function.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The answer: the transform, or the function for times above 0.
    pub result: RenderedExpression,
    /// Where the integral of the transform converges, such as `re(s) > -2`; of an unknown function where its own does.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "inverse": false }))]
    pub converges: Option<String>,
    /// Of an equation: the transform of the unknown function.
    #[value(skip_encoding_if = "Option::is_none")]
    pub solved: Option<RenderedExpression>,
    /// What must hold for the answer.
    #[value(skip_encoding_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
    /// The variable of the expression.
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
    const SPEC: Spec = Spec::named("laplace_transform", "Laplace transform as a formula")
        .tags(&[
            "laplace",
            "transform",
            "inverse",
            "symbolic",
            "control",
            "differential",
            "formula",
            "latex",
        ])
        .syntax(&[
            ("/expression", Syntax::Expression),
            ("/initial", Syntax::Expression),
            ("/assumptions", Syntax::Expression),
        ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a decay": r#"{"expression": "exp(-2t)"}"#
            => r#"{"result": {"text": "1/(s + 2)", "latex": "\\frac{1}{s + 2}", "unicode": "1/(s + 2)"}, "converges": "re(s) > -2", "variable": "t",
                "read_as": "exp(-2*t)",
                "verified": {"how": "the image agrees with a quadrature of the definition inside the half plane", "points": 3, "digits": 7}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (default_from, default_to) = if args.inverse { ("s", "t") } else { ("t", "s") };
        let from = args.variable.as_deref().unwrap_or(default_from);
        let to = args.to.as_deref().unwrap_or(default_to);
        if from == to {
            refuse!(invalid "/to"; "both variables are `{to}`"; "name them differently");
        }
        let names = [from.to_owned(), to.to_owned()];
        let mut reader = TextReader::new(args.assumptions.as_ref(), &names, false)?;
        let x = reader.symbol(from, "/variable")?;
        let image_variable = reader.symbol(to, "/to")?;
        let unknown = match args.inverse {
            true => None,
            false => detect_unknown(&args.expression).0,
        };
        if let Some(name) = &unknown {
            reader.options.function = Some((name.clone(), from.to_owned()));
        }
        let expr = reader.read(&args.expression, "/expression")?;
        if expr.contains(&image_variable) {
            return Err(ToolError::invalid(
                "/expression",
                format_args!("the expression has the variable `{to}` of the answer"),
            )
            .hint("name the variables: `variable` is that of the expression, `to` that of the answer; `inverse` goes from `s` to `t`"));
        }
        if args.inverse {
            return run_inverse(&args, expr, &x, &image_variable, reader, ctx);
        }
        let conditions = read_conditions(args.initial.as_ref(), "/initial", &mut reader)?;
        let unknown = unknown_function(unknown, &conditions)?;
        run_forward(expr, &x, &image_variable, unknown.as_ref(), reader, ctx)
    }
}

fn unknown_function(
    name: Option<String>,
    conditions: &[super::unknown::ReadCondition],
) -> Result<Option<UnknownFunction>, ToolError> {
    let Some(name) = name else {
        if !conditions.is_empty() {
            refuse!(invalid "/initial"; "the expression has no unknown function"; "write one as `y'` or `y(t)`");
        }
        return Ok(None);
    };
    let mut initial: Vec<Option<Expr>> = Vec::new();
    for condition in conditions {
        if !condition.at.is_zero() {
            refuse!(invalid "/initial"; "the transform takes values at 0 only"; "`symbolic_ode` takes values anywhere");
        }
        if condition.order >= 20 {
            refuse!(invalid "/initial"; "a derivative has an order below 20");
        }
        if initial.len() <= condition.order {
            initial.resize(condition.order + 1, None);
        }
        initial[condition.order] = Some(condition.value.clone());
    }
    let capital = name.to_uppercase();
    let image = match capital == name {
        true => format!("L_{name}"),
        false => capital,
    };
    Ok(Some(UnknownFunction {
        name,
        image,
        initial,
    }))
}

fn evidence(check: &TransformCheck) -> CheckEvidence {
    CheckEvidence {
        how: check.how.to_owned(),
        points: check.points,
        digits: check.digits,
    }
}

fn run_forward(
    expr: Expr,
    t: &Expr,
    s: &Expr,
    unknown: Option<&UnknownFunction>,
    reader: TextReader,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let (sides, kind) = match expr.node() {
        ExprNode::Relation(kind, left, right) => (vec![left.clone(), right.clone()], Some(*kind)),
        _ => (vec![expr.clone()], None),
    };
    let found = answer(ctx, "/expression", |budget| {
        let mut images = Vec::new();
        for side in &sides {
            images.push(laplace_transform(side, t, s, unknown, budget)?);
        }
        let solved = match (images.as_slice(), unknown) {
            ([left, right], Some(unknown)) => {
                let name = MathFunction::Named(unknown.image.as_str().into());
                let image = Expr::apply(name, s.clone());
                symbolic::transforms::solve_for_image(&left.image, &right.image, &image, budget)?
            }
            _ => None,
        };
        Ok((images, solved))
    })?;
    let (images, solved) = found;
    let bounds: Vec<&Expr> = images.iter().flat_map(|image| &image.bounds).collect();
    let result = match (kind, images.as_slice()) {
        (Some(kind), [left, right]) => {
            Expr::relation(kind, left.image.clone(), right.image.clone())
        }
        _ => images[0].image.clone(),
    };
    Ok(Output {
        result: render(&result),
        converges: Some(match unknown {
            None => half_plane(&bounds, s),
            Some(unknown) => format!("where the transform of {} converges", unknown.name),
        }),
        solved: solved.as_ref().map(render),
        conditions: Vec::new(),
        variable: write_text(t),
        read_as: write_text(&expr),
        ambiguities: reader.ambiguities,
        verified: evidence(&images[0].check),
    })
}

/// `re(s) > max(0, a)`.
fn half_plane(bounds: &[&Expr], s: &Expr) -> String {
    let s = write_text(s);
    let texts: Vec<String> = bounds.iter().map(|bound| write_text(bound)).collect();
    match texts.as_slice() {
        [] => format!("all {s}"),
        [only] => format!("re({s}) > {only}"),
        several => format!("re({s}) > max({})", several.join(", ")),
    }
}

fn run_inverse(
    args: &Args,
    expr: Expr,
    s: &Expr,
    t: &Expr,
    reader: TextReader,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    if args.initial.is_some() {
        refuse!(invalid "/initial"; "values at 0 belong to an unknown function of time"; "leave them out with `inverse`");
    }
    if matches!(expr.node(), ExprNode::Relation(..)) {
        refuse!(invalid "/expression"; "expected a transform, found an equation"; "give the side that has the variable");
    }
    let found = answer(ctx, "/expression", |budget| {
        inverse_laplace(&expr, s, t, budget)
    })?;
    Ok(Output {
        result: render(&found.function),
        converges: None,
        solved: None,
        conditions: found.conditions.iter().map(write_text).collect(),
        variable: write_text(s),
        read_as: write_text(&expr),
        ambiguities: reader.ambiguities,
        verified: evidence(&found.check),
    })
}
