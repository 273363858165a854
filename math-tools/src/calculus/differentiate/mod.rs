//! `differentiate`: exact derivatives of expressions at a point, and derivatives of samples.

mod formula;
mod of_samples;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::expression::NamedParameters;
use crate::prelude::*;

pub(crate) use self::formula::{DerivativePoint, OneOrManyFormulas};

/// Differentiate an expression at a point, exactly, or samples of a function, with an error.
///
/// Of an expression: give `f` and `at`. Of samples: give `y`, with `x` or `dx`.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Expression in `x` (or the names of `at`), or a list of them for a Jacobian.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub f: Option<OneOrManyFormulas>,
    /// The point: a number for one variable, a list for `x0`, `x1`, ... (`x`, `y`, `z`), or an object with names, such as `{"r": 2, "t": 0.5}`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub at: Option<DerivativePoint>,
    /// Order: 1 to 10 of one variable, 1 or 2 of several, 1 of a list, 1 to 4 of samples.
    #[value(default = "BoundedInteger::<1, 10>::of::<1>")]
    pub order: BoundedInteger<1, 10>,
    /// Named numbers the expressions use, such as `{"a": 1.5}`.
    #[value(default, skip_encoding_if = "NamedParameters::is_empty")]
    pub parameters: NamedParameters,
    /// Columns of numbers, inline or from a file, which `f` reduces to one number, such as `sum((y - a*t)**2)`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub data: Option<Input<Table>>,
    /// Values of the function, finite.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub y: Option<Input<Vector>>,
    /// Places of the values, strictly ascending or descending, of any spacing.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Option<Input<Vector>>,
    /// Distance of the places where there is no `x`; absent: 1.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub dx: Option<Positive>,
    /// For samples: `finite` (polynomials through neighbours), `spline` (cubic, not a knot), `savitzky_golay` (polynomials fitted to a window;
    /// for noisy samples).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub method: Option<DifferentiateMethod>,
    /// For `finite`: order of accuracy 2, 4 (the default) or 6.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub accuracy: Option<BoundedInteger<2, 6>>,
    /// For `savitzky_golay`: samples in a window, odd; absent: 7.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub window: Option<BoundedInteger<3, 501>>,
    /// For `savitzky_golay`: degree of the polynomials, at least `order` and below `window`; absent: 3, or `order` where that is more.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub degree: Option<BoundedInteger<1, 12>>,
}

/// How to differentiate samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DifferentiateMethod {
    /// Derivatives by formula.
    #[default]
    Exact,
    /// Polynomials through neighbours.
    Finite,
    /// The cubic spline with the ends "not a knot".
    Spline,
    /// Polynomials fitted to windows.
    SavitzkyGolay,
}

/// Derivatives; which members there are depends on what was given.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// Of one expression: its value.
    #[value(skip_encoding_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Of one expression in one variable: the derivative of the order asked for.
    #[value(skip_encoding_if = "Option::is_none")]
    pub derivative: Option<f64>,
    /// Of one expression in several variables: the derivative by each.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["d"]))]
    pub gradient: Option<Vec<f64>>,
    /// Of one expression in several variables, for order 2: the second derivatives.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["d", "d"]))]
    pub hessian: Option<Vec<Vec<f64>>>,
    /// Of a list of expressions: their values.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["m"]))]
    pub values: Option<Vec<f64>>,
    /// Of a list of expressions: one row for each, one column for each variable.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["m", "d"]))]
    pub jacobian: Option<Vec<Vec<f64>>>,
    /// Where `at` has names: the gradient, by name.
    #[value(skip_encoding_if = "Option::is_none")]
    pub named: Option<BTreeMap<String, f64>>,
    /// Of samples: the derivative at each place, in the order given.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub derivatives: Option<Vec<f64>>,
    /// Of samples: estimate of the error of each derivative: of `finite` and `spline` the difference from another rule, the largest of
    /// a sample and its neighbours; of `savitzky_golay` the standard error that the residuals of the window tell.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub errors: Option<Vec<f64>>,
    /// How: `exact` for expressions.
    pub method: DifferentiateMethod,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("differentiate", "Differentiate a function or samples")
        .tags(&[
            "derivative",
            "gradient",
            "jacobian",
            "hessian",
            "finite differences",
            "savitzky-golay",
            "calculus",
        ])
        .syntax(&[("/f", Syntax::Expression)])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "x^3 at 2": r#"{"f": "x**3", "at": 2}"#
            => r#"{"value": 8.0, "derivative": 12.0, "method": "exact"}"#;
        "second derivatives": r#"{"f": "x**2*y", "at": [1, 3], "order": 2}"#
            => r#"{"value": 3.0, "gradient": [6.0, 1.0], "hessian": [[6.0, 2.0], [2.0, 0.0]], "method": "exact"}"#;
        "a Jacobian": r#"{"f": ["x*y", "x+y"], "at": [2, 3]}"#
            => r#"{"values": [6.0, 5.0], "jacobian": [[3.0, 2.0], [1.0, 1.0]], "method": "exact"}"#;
        "samples of x^2": r#"{"y": [0, 1, 4, 9, 16, 25], "accuracy": 2}"#
            => r#"{"derivatives": [0.0, 2.0, 4.0, 6.0, 8.0, 10.0], "errors": [1.0, 1.0, 1.0, 1.0, 1.0, 1.0], "method": "finite"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        match (&args.f, &args.y) {
            (Some(f), None) => formula::differentiate_formulas(&args, f, ctx),
            (None, Some(y)) => of_samples::differentiate_samples(&args, y, ctx),
            (Some(_), Some(_)) => {
                refuse!(invalid "/y"; "`f` and `y` are two ways to give a function"; "leave one of them out");
            }
            (None, None) => {
                refuse!(invalid "/f"; "there is nothing to differentiate"; "give an expression `f` with `at`, or samples `y`");
            }
        }
    }
}

/// Refuses arguments of the other way to give a function.
fn refuse_given(given: &[(&str, bool)], of: &str) -> Result<(), ToolError> {
    if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
        refuse!(invalid format!("/{name}"); "`{name}` has no effect for {of}"; "leave it out");
    }
    Ok(())
}
