//! The line of `linear_regression`.

use std::collections::BTreeMap;

use super::super::NaturalPicture;
use super::super::result::{DrawnResult, NumberRows, column_numbers};
use super::formula::draw_formula_regression;
use super::{CURVE_POINTS, DrawnFit, FittedCurvePoints, SIZE, fit_words};
use crate::prelude::*;
use crate::stats::linear_regression::PredictorMatrix;
use tool_core::LoadInput;

pub(in crate::plot::natural) fn draw_linear_regression(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    if let Some(formula) = source.argument("formula").and_then(Value::as_str) {
        return draw_formula_regression(source, formula);
    }
    let coefficients = source.numbers("coefficients")?;
    let intercept = source.number("intercept")?;
    let sample = RegressionSample::of_call(source)?;
    let degree = source.argument("polynomial").and_then(Value::as_f64);
    let is_polynomial = sample.predictors.width == 1 && coefficients.len() > 1;
    if !is_polynomial && coefficients.len() != sample.predictors.width {
        refuse!(invalid "/data", "shape"; "the result has {} coefficients, the data have {} predictors",
            coefficients.len(), sample.predictors.width; "pass the data of the regression");
    }
    let value = |row: &[f64]| -> f64 {
        if is_polynomial {
            let powers = coefficients.iter().rev();
            return intercept + row[0] * powers.fold(0.0, |sum, b| sum * row[0] + b);
        }
        intercept
            + row
                .iter()
                .zip(&coefficients)
                .map(|(x, b)| x * b)
                .sum::<f64>()
    };
    let fitted: Vec<f64> = sample
        .predictors
        .cells
        .chunks(sample.predictors.width)
        .map(value)
        .collect();
    let is_single = sample.predictors.width == 1;
    let x = if is_single {
        sample.predictors.cells.clone()
    } else {
        fitted.clone()
    };
    let curve = match is_single {
        true => line_points(source, &x, &value, is_polynomial || degree.is_some()),
        false => FittedCurvePoints {
            x: fitted.clone(),
            y: fitted.clone(),
            half: vec![f64::NAN; fitted.len()],
        },
    };
    let x_name = if is_single {
        sample.x_name.clone()
    } else {
        "fitted".to_owned()
    };
    let fit = DrawnFit {
        x_title: source.x_label.map_or(x_name, str::to_owned),
        y_title: source.y_label.unwrap_or(&sample.y_name).to_owned(),
        x,
        observed: sample.responses,
        fitted,
        curve: curve.sorted(),
    };
    let mut picture = NaturalPicture::new("Linear regression", SIZE);
    picture.subtitle = fit_words(source, "terms");
    fit.compose(source, &mut picture)?;
    Ok(picture)
}

/// What a regression was made from.
struct RegressionSample {
    x_name: String,
    y_name: String,
    predictors: NumberRows,
    responses: Vec<f64>,
}

impl RegressionSample {
    /// From `data` by its columns `x` and `y`, or from the arguments of the call.
    fn of_call(source: &DrawnResult<'_>) -> Result<Self, ToolError> {
        if let Some(table) = &source.data {
            let (x_name, y_name) = (source.x.unwrap_or("x"), source.y.unwrap_or("y"));
            let columns: BTreeMap<&str, Vec<f64>> = [x_name, y_name]
                .into_iter()
                .filter_map(|name| Some((name, column_numbers(table, name)?)))
                .collect();
            let (Some(x), Some(y)) = (columns.get(x_name), columns.get(y_name)) else {
                refuse!(invalid "/data", "unknown_column"; "the data have no numbers `{x_name}` and `{y_name}`";
                    "name the columns of the regression with `x` and `y`");
            };
            let whole = x
                .iter()
                .zip(y)
                .filter(|(x, y)| x.is_finite() && y.is_finite());
            let (x, y): (Vec<f64>, Vec<f64>) = whole.map(|(x, y)| (*x, *y)).unzip();
            return Self::checked(x_name, y_name, NumberRows { width: 1, cells: x }, y);
        }
        let x = source.call_input::<PredictorMatrix>("x")?;
        let x = x.and_then(|x| NumberRows::of_value(&x.to_value()));
        let y = source.call_input::<Vector>("y")?.map(|y| y.to_vec());
        let (Some(x), Some(y)) = (x, y) else {
            refuse!(invalid "/data", "missing"; "the result of `linear_regression` has no data to draw";
                "pass a table as `data` with `x` and `y` for its columns, or the arguments of the regression as `call`");
        };
        Self::checked("x", "y", x, y)
    }

    fn checked(
        x_name: &str,
        y_name: &str,
        predictors: NumberRows,
        responses: Vec<f64>,
    ) -> Result<Self, ToolError> {
        if predictors.len() != responses.len() || responses.is_empty() {
            refuse!(invalid "/call", "shape"; "expected one row of `x` for each `y`, found {} and {}",
                predictors.len(), responses.len());
        }
        Ok(Self {
            x_name: x_name.to_owned(),
            y_name: y_name.to_owned(),
            predictors,
            responses,
        })
    }
}

/// The line with the 95 % interval of its mean; of a polynomial the curve alone, whose covariance the result does not have.
pub(super) fn line_points(
    source: &DrawnResult<'_>,
    x: &[f64],
    value: &impl Fn(&[f64]) -> f64,
    is_polynomial: bool,
) -> FittedCurvePoints {
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let last = (CURVE_POINTS - 1) as f64;
    let places = (0..CURVE_POINTS).map(|index| {
        let share = index as f64 / last;
        low * (1.0 - share) + high * share
    });
    let places: Vec<f64> = places.collect();
    let band = MeanBand::of_result(source, x).filter(|_| !is_polynomial);
    FittedCurvePoints {
        y: places.iter().map(|x| value(&[*x])).collect(),
        half: places
            .iter()
            .map(|x| band.as_ref().map_or(f64::NAN, |band| band.half_width(*x)))
            .collect(),
        x: places,
    }
}

/// The interval of the mean of a straight line, N. Draper, H. Smith, "Applied Regression Analysis", 3rd ed., section 3.1.
pub(in crate::plot::natural) struct MeanBand {
    /// Student's t times the residual standard deviation.
    scale: f64,
    /// Mean of x, and 1/n; both 0 without an intercept.
    centre: f64,
    share: f64,
    spread: f64,
}

impl MeanBand {
    pub(in crate::plot::natural) fn of_result(source: &DrawnResult<'_>, x: &[f64]) -> Option<Self> {
        let terms = source.result.items_at("terms");
        let slope = terms.last()?;
        let interval = number_pair(slope.get("interval")?)?;
        let error = slope.get("standard_error")?.as_f64()?;
        let t = (interval[1] - interval[0]) / (2.0 * error);
        let deviation = source.result.get("residual_std")?.as_f64()?;
        let has_intercept = terms.len() == 2;
        let count = x.len() as f64;
        let centre = if has_intercept {
            x.iter().sum::<f64>() / count
        } else {
            0.0
        };
        Some(Self {
            scale: t * deviation,
            centre,
            share: if has_intercept { 1.0 / count } else { 0.0 },
            spread: x.iter().map(|x| (x - centre) * (x - centre)).sum(),
        })
    }

    pub(in crate::plot::natural) fn half_width(&self, x: f64) -> f64 {
        let away = x - self.centre;
        self.scale * libm::sqrt(self.share + away * away / self.spread)
    }
}

fn number_pair(value: &Value) -> Option<[f64; 2]> {
    match super::super::result::number_list(value)?[..] {
        [low, high] => Some([low, high]),
        _ => None,
    }
}
