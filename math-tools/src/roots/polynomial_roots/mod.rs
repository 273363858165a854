//! `polynomial_roots`: all roots of a polynomial, each with a bound of its error.

use numerics::roots::polynomial::{self, PolynomialRoots};

use crate::call_watch::CallWatch;
use crate::prelude::*;

/// Find all roots of a polynomial, real and complex, each in a disc that is proven to hold it.
///
/// Coefficients count as exact. Roots that doubles do not tell apart are one entry with their number.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Coefficients, highest power first as in NumPy: `[1, -3, 2]` is x^2 - 3x + 2. At most 1001.
    #[schema(extend("x-shape" = ["n"]))]
    pub coefficients: Input<Vector>,
    /// Imaginary parts of the coefficients, in the same order; absent: real.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["n"]))]
    pub imaginary: Option<Input<Vector>>,
    /// Which coefficient comes first.
    #[value(default)]
    pub order: CoefficientOrder,
}

/// Which coefficient comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CoefficientOrder {
    /// That of the highest power.
    #[default]
    HighestFirst,
    /// The constant.
    LowestFirst,
}

/// The roots and how they were found.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// By real part, then by imaginary part.
    pub roots: Vec<EnclosedRoot>,
    /// Degree: the number of roots with their multiplicity.
    pub degree: usize,
    /// Whether every disc is as small as doubles allow.
    pub converged: bool,
    /// Why it ended.
    pub reason: PolynomialRootsReason,
    /// Sweeps of the iteration over all roots.
    pub iterations: usize,
    /// Most bits of the arithmetic.
    pub bits: usize,
}

/// A root, or several within the radius.
#[derive(Debug, Encode, Describe)]
pub(crate) struct EnclosedRoot {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
    /// The true roots are within this distance: proven, rounding included.
    pub radius: f64,
    /// Number of roots within the radius; more than 1: a multiple root, or roots nearer to each other than doubles show.
    pub multiplicity: usize,
    /// Whether the root is proven to be a real number.
    pub real: bool,
    /// Relative change of the root per relative change of the coefficients; infinite for several roots in one.
    pub condition: Real,
}

/// Why the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum PolynomialRootsReason {
    /// Every disc is as small as doubles allow.
    Enclosed,
    /// The limit of bits was reached first: some radii are large.
    Precision,
}

/// Highest degree.
const DEGREE_MAX: usize = 1000;

impl Tool for Args {
    const SPEC: Spec = Spec::named("polynomial_roots", "Find the roots of a polynomial").tags(&[
        "polynomial",
        "roots",
        "zeros",
        "complex",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "x^2 - 3x + 2 = (x - 1)(x - 2)": r#"{"coefficients": [1, -3, 2]}"#
            => r#"{"roots": [{"re": 1.0, "im": 0.0, "radius": 8.463582791929145e-37, "multiplicity": 1, "real": true, "condition": 6.0},
                {"re": 2.0, "im": 0.0, "radius": 1.6927165583858123e-36, "multiplicity": 1, "real": true, "condition": 6.0}],
                "degree": 2, "converged": true, "reason": "enclosed", "iterations": 1, "bits": 128}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut re = args.coefficients.load(ctx)?.to_vec();
        let mut im = match &args.imaginary {
            Some(imaginary) => imaginary.load(ctx)?.to_vec(),
            None => vec![0.0; re.len()],
        };
        if re.len() != im.len() {
            refuse!(invalid "/imaginary", "shape"; "expected {} numbers, one for each coefficient, found {}", re.len(), im.len();
                "give 0 for a real coefficient");
        }
        if args.order == CoefficientOrder::HighestFirst {
            re.reverse();
            im.reverse();
        }
        let is_zero = |at: &usize| re[*at] == 0.0 && im[*at] == 0.0;
        let Some(degree) = (0..re.len()).rev().find(|at| !is_zero(at)) else {
            refuse!(invalid "/coefficients", "zero"; "expected a coefficient that is not zero, found none";
                "every number is a root of the polynomial 0");
        };
        if degree > DEGREE_MAX {
            refuse!(invalid "/coefficients", "degree"; "expected a degree of at most {DEGREE_MAX}, found {degree}";
                "for more, take the eigenvalues of a companion matrix");
        }
        let dropped = re.len() - 1 - degree;
        if dropped > 0 {
            ctx.warn(format!(
                "{dropped} leading coefficients are zero: the degree is {degree}"
            ));
        }
        ctx.reserve_doubles(4 * (degree + 1) * (degree + 64))?;
        let watch = CallWatch(ctx);
        let found = polynomial::find_roots(&re, &im, &watch)
            .map_err(|interruption| watch.interruption_error(interruption))?;
        polynomial_roots_output(&found, degree, ctx)
    }
}

fn polynomial_roots_output(
    found: &PolynomialRoots,
    degree: usize,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let finite = |root: &polynomial::PolynomialRoot| {
        root.re.is_finite() && root.im.is_finite() && root.radius.is_finite()
    };
    if !found.roots.iter().all(finite) {
        refuse!(numeric "/coefficients", "overflow"; "a root or its bound is beyond the range of doubles";
            "scale the variable: multiply the coefficient of x^k by s^k, and the roots by s");
    }
    if !found.converged {
        ctx.warn("some radii are large: the roots are closer to each other than the limit of bits resolves");
    }
    let roots = found.roots.iter().map(|root| EnclosedRoot {
        re: root.re,
        im: root.im,
        radius: root.radius,
        multiplicity: root.multiplicity,
        real: root.is_real,
        condition: Real(root.condition),
    });
    Ok(Output {
        roots: roots.collect(),
        degree,
        converged: found.converged,
        reason: if found.converged {
            PolynomialRootsReason::Enclosed
        } else {
            PolynomialRootsReason::Precision
        },
        iterations: found.sweeps,
        bits: found.bits,
    })
}

#[cfg(test)]
mod tests;
