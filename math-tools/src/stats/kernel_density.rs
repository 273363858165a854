//! `kernel_density`: a smooth density of a sample.

use ::statistics::density::{BandwidthRule, DensityError, kernel_density};

use crate::plot::{plot_braille, series};
use crate::prelude::*;

/// Density of a sample by a Gaussian kernel on an even grid, with the bandwidth of Silverman, Scott, Sheather and Jones, or a given one.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The sample: finite numbers in any order.
    pub data: Input<Vector>,
    /// The rule of the bandwidth.
    #[value(default = "default_rule")]
    pub rule: DensityRule,
    /// The bandwidth (standard deviation of the kernel) in units of the data, instead of a rule.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub bandwidth: Option<Positive>,
    /// Number of places of the grid, which reaches 3 bandwidths beyond the data.
    #[value(default = "BoundedInteger::<2, 100_000>::of::<128>")]
    pub points: BoundedInteger<2, 100_000>,
    /// Places at which to give the density instead of a grid.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub at: Option<Vec<Finite>>,
    /// Whether to draw the density as text.
    #[value(default)]
    pub plot: bool,
}

fn default_rule() -> DensityRule {
    DensityRule::Silverman
}

/// A rule of the bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum DensityRule {
    /// `0.9 min(sd, iqr / 1.34) n^(-1/5)`, R's default.
    Silverman,
    /// `sd n^(-1/5)`, SciPy's default.
    Scott,
    /// Sheather and Jones's equation solved: narrower where there are several peaks.
    SheatherJones,
}

/// A density.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Places, ascending on a grid.
    #[schema(extend("x-shape" = ["m"]))]
    pub x: Vec<f64>,
    /// Density at them, in units of 1 over those of the data.
    #[schema(extend("x-shape" = ["m"]))]
    pub density: Vec<f64>,
    /// The bandwidth.
    pub bandwidth: f64,
    /// The place of the largest density.
    pub mode: f64,
    /// Number of values.
    pub n: usize,
    /// The density as text.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "plot": true }))]
    pub plot: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("kernel_density", "Kernel density").tags(&[
        "statistics",
        "density",
        "distribution",
        "smooth",
        "plot",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two values far apart: each has half of a normal density":
            r#"{"data": [0, 100], "bandwidth": 1, "at": [0, 50]}"#
            => r#"{"x": [0.0, 50.0], "density": [0.19947114020071635, 0.0], "bandwidth": 1.0, "mode": 0.0, "n": 2}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut sorted = args.data.load(ctx)?.to_vec();
        if sorted.is_empty() {
            refuse!(invalid "/data", "empty"; "`data` is empty"; "pass at least two numbers");
        }
        sorted.sort_by(f64::total_cmp);
        let rule = match (args.bandwidth, args.rule) {
            (Some(bandwidth), _) => BandwidthRule::Fixed(bandwidth.get()),
            (None, DensityRule::Silverman) => BandwidthRule::Silverman,
            (None, DensityRule::Scott) => BandwidthRule::Scott,
            (None, DensityRule::SheatherJones) => BandwidthRule::SheatherJones,
        };
        let bandwidth = rule.bandwidth(&sorted).map_err(density_fault)?;
        let x = match &args.at {
            Some(at) => at.iter().map(|x| x.get()).collect(),
            None => even_grid(&sorted, bandwidth, args.points.size()),
        };
        if x.is_empty() || x.iter().any(|x| !x.is_finite()) || bandwidth == 0.0 {
            refuse!(invalid "/at"; "expected at least one finite place"; "leave `at` out for a grid");
        }
        ctx.afford(x.len() as f64 * sorted.len() as f64 * 20.0)?;
        let mut density = Vec::with_capacity(x.len());
        for chunk in x.chunks(64) {
            ctx.check()?;
            density.extend(kernel_density(&sorted, bandwidth, chunk));
        }
        let top = (0..x.len()).max_by(|&a, &b| density[a].total_cmp(&density[b]).then(b.cmp(&a)));
        let plot = match args.plot && x.len() > 1 {
            true => Some(draw_density(&x, &density, ctx)?),
            false => args.plot.then(String::new),
        };
        Ok(Output {
            mode: top.map_or(x[0], |top| x[top]),
            n: sorted.len(),
            bandwidth,
            x,
            density,
            plot,
        })
    }
}

fn even_grid(sorted: &[f64], bandwidth: f64, points: usize) -> Vec<f64> {
    let (low, high) = (
        sorted[0] - 3.0 * bandwidth,
        sorted[sorted.len() - 1] + 3.0 * bandwidth,
    );
    let last = (points - 1) as f64;
    (0..points)
        .map(|k| {
            let share = k as f64 / last;
            low * (1.0 - share) + high * share
        })
        .collect()
}

fn density_fault(err: DensityError) -> ToolError {
    let error = ToolError::invalid("/data", err).reason("density");
    error.hint("pass different values, or a `bandwidth`")
}

fn draw_density(x: &[f64], density: &[f64], ctx: &Ctx) -> Result<String, ToolError> {
    let values = std::sync::Arc::new(vec![Vector::from(density.to_vec())]);
    let args = plot_braille::Args {
        x: Input::inline(x.to_vec()),
        y: Input::Inline(series::PlotSeries(values)),
        plot_type: series::PlotType::Line,
        points: Vec::new(),
        width: BoundedInteger::literal(72),
        height: BoundedInteger::literal(14),
        title: "density".to_owned(),
        x_label: None,
        y_label: None,
        labels: None,
    };
    plot_braille::Args::run(args, ctx).map(|output| output.plot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    #[test]
    fn a_grid_holds_all_of_the_probability() {
        let output = run::<Args>(r#"{"data": [1.2, 3.4, 2.2, 8.9, 4.1, 3.3, 2.8, 5.0, 3.4, 12.5], "points": 400, "plot": true}"#).unwrap();
        let step = output.x[1] - output.x[0];
        let sum: f64 = output.density.iter().sum::<f64>() * step;
        assert!((sum - 1.0).abs() < 2e-3, "{sum}");
        assert!(
            output.mode > 2.0
                && output.mode < 5.0
                && output.plot.is_some_and(|plot| plot.len() > 100)
        );
    }

    #[test]
    fn samples_without_spread_are_refused() {
        assert_refused::<Args>(&[
            (r#"{"data": []}"#, "/data", "empty"),
            (r#"{"data": [1]}"#, "/data", "2 values"),
            (r#"{"data": [1, 1, 1]}"#, "/data", "equal"),
        ]);
    }
}
