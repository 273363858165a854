//! `lowess`: a smooth of points by local lines.

use ::statistics::density::{LowessError, LowessOptions, lowess};

use crate::prelude::*;

/// Locally weighted regression of Cleveland (lowess): a robust smooth of points, as in R and statsmodels.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Abscissas, in any order.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Input<Vector>,
    /// Ordinates, one for each `x`.
    #[schema(extend("x-shape" = ["n"]))]
    pub y: Input<Vector>,
    /// Share of the points in each local line.
    #[value(default = "default_share")]
    pub share: Probability,
    /// Fits after the first, in which points far from the smooth count less.
    #[value(default = "BoundedInteger::<0, 20>::of::<3>")]
    pub robust_iterations: BoundedInteger<0, 20>,
    /// Distance along x within which the smooth is interpolated, which saves time for many points; 0 fits a line at each.
    #[value(default = "default_delta")]
    pub delta: Tolerance,
}

fn default_share() -> Probability {
    Probability::literal(2.0 / 3.0)
}

fn default_delta() -> Tolerance {
    Tolerance::literal(0.0)
}

/// A smooth.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The abscissas, ascending.
    #[schema(extend("x-shape" = ["n"]))]
    pub x: Vec<f64>,
    /// The smooth at them.
    #[schema(extend("x-shape" = ["n"]))]
    pub fitted: Vec<f64>,
    /// Ordinates less smooth, in the order of `x` here.
    #[schema(extend("x-shape" = ["n"]))]
    pub residuals: Vec<f64>,
    /// Points in each line.
    pub neighbours: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("lowess", "Smooth by local regression").tags(&[
        "statistics",
        "smooth",
        "regression",
        "trend line",
        "loess",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "points on a line stay there":
            r#"{"x": [0, 1, 2, 3], "y": [2, 2, 2, 2], "share": 1}"#
            => r#"{"x": [0.0, 1.0, 2.0, 3.0], "fitted": [2.0, 2.0, 2.0, 2.0], "residuals": [0.0, 0.0, 0.0, 0.0], "neighbours": 4}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (x, y) = (args.x.load(ctx)?, args.y.load(ctx)?);
        if x.len() != y.len() {
            let (expected, found) = (x.len(), y.len());
            refuse!(invalid "/y", "shape"; "expected {expected} numbers, one for each `x`, found {found}"; "give one y for each x");
        }
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
        let along = |values: &[f64]| order.iter().map(|&k| values[k]).collect::<Vec<f64>>();
        let (x, y) = (along(&x), along(&y));
        let share = args.share.get();
        if args.delta.get() == 0.0 {
            let n = x.len() as f64;
            ctx.afford(n * n * share * 10.0 * (args.robust_iterations.size() + 1) as f64)?;
        }
        let options = LowessOptions {
            share,
            robust_iterations: args.robust_iterations.size(),
            delta: args.delta.get(),
        };
        let smooth = lowess(&x, &y, options, &|| ctx.stop().is_set());
        let fitted = match smooth {
            Ok(fitted) => fitted,
            Err(LowessError::Stopped) => {
                ctx.check()?;
                Vec::new()
            }
            Err(err) => {
                let pointer = if matches!(err, LowessError::TooFew(_)) {
                    "/x"
                } else {
                    "/share"
                };
                let hint = if pointer == "/x" {
                    "pass at least 3 points"
                } else {
                    "raise `share`"
                };
                return Err(ToolError::invalid(pointer, err).reason("lowess").hint(hint));
            }
        };
        if fitted.iter().any(|value| !value.is_finite()) {
            refuse!(numeric "/y", "overflow"; "the smooth overflows the range of doubles"; "scale `x` or `y`");
        }
        Ok(Output {
            residuals: y.iter().zip(&fitted).map(|(y, f)| y - f).collect(),
            neighbours: ((share * x.len() as f64 + 1e-10) as usize).min(x.len()),
            x,
            fitted,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    #[test]
    fn an_outlier_hardly_moves_the_smooth() {
        let output = run::<Args>(r#"{"x": [3, 1, 2, 0, 4, 5, 6, 7, 8, 9], "y": [3, 1, 2, 0, 4, 50, 6, 7, 8, 9], "share": 0.6}"#).unwrap();
        assert_eq!(output.x, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert!((output.fitted[5] - 5.0).abs() < 0.5, "{:?}", output.fitted);
        assert!((output.fitted[5] + output.residuals[5] - 50.0).abs() < 1e-12);
    }

    #[test]
    fn too_few_points_are_refused() {
        assert_refused::<Args>(&[
            (r#"{"x": [1, 2], "y": [1, 2]}"#, "/x", "3 pairs"),
            (r#"{"x": [1, 2, 3], "y": [1, 2]}"#, "/y", "3 numbers"),
            (
                r#"{"x": [1, 2, 3, 4], "y": [1, 2, 3, 4], "share": 0.1}"#,
                "/share",
                "share",
            ),
        ]);
    }
}
