//! The curve of `curve_fit`.

use super::super::NaturalPicture;
use super::super::result::{DrawnResult, NumberRows, column_numbers};
use super::{CURVE_POINTS, DrawnFit, FittedCurvePoints, SIZE, fit_words};
use crate::expression::{Expression, ExpressionScope, NamedParameters};
use crate::prelude::*;

/// Relative step of the differences by which a model is differentiated by its parameters.
const STEP: f64 = 1e-6;

pub(in crate::plot::natural) fn draw_curve_fit(
    source: &DrawnResult<'_>,
) -> Result<NaturalPicture, ToolError> {
    let Some(table) = source.table()? else {
        refuse!(invalid "/data", "missing"; "the result of `curve_fit` has no data to draw";
            "pass the table of the fit as `data`, with `x` and `y` for its columns, or the arguments of the fit as `call`");
    };
    let fitted = source.numbers("fitted")?;
    let band = source.numbers("band")?;
    let response = source
        .y
        .or(source.argument("response").and_then(Value::as_str));
    let response = response.unwrap_or("y");
    let predictors = predictor_names(source, &table, response);
    let mut used: Vec<&str> = predictors.iter().map(String::as_str).collect();
    used.push(response);
    let columns = complete_columns(&table, &used, fitted.len())?;
    let observed = columns[columns.len() - 1].clone();
    let (x, x_name) = match predictors.as_slice() {
        [only] => (columns[0].clone(), only.clone()),
        _ => (fitted.clone(), "fitted".to_owned()),
    };
    let at_rows = || FittedCurvePoints {
        x: x.clone(),
        y: fitted.clone(),
        half: band.clone(),
    };
    let curve = match predictors.as_slice() {
        [only] => ModelCurve::new(source, only)
            .map(|model| model.points(&x, &band))
            .unwrap_or_else(at_rows),
        _ => FittedCurvePoints {
            half: vec![f64::NAN; fitted.len()],
            ..at_rows()
        },
    };
    let fit = DrawnFit {
        x_title: source.x_label.map_or(x_name, str::to_owned),
        y_title: source.y_label.unwrap_or(response).to_owned(),
        x,
        observed,
        fitted,
        curve: curve.sorted(),
    };
    let model = source.argument("model").and_then(Value::as_str);
    let title = model.map_or_else(|| "Fit".to_owned(), |model| format!("{response} = {model}"));
    let mut picture = NaturalPicture::new(title, SIZE);
    picture.subtitle = fit_words(source, "parameters");
    fit.compose(source, &mut picture)?;
    Ok(picture)
}

/// The columns that the model is a function of: `x`, those that its formula or `time` names, or else the others of the table.
fn predictor_names(source: &DrawnResult<'_>, table: &Table, response: &str) -> Vec<String> {
    if let Some(x) = source.x {
        return vec![x.to_owned()];
    }
    let sigma = source.argument("sigma").and_then(Value::as_str);
    let others = table
        .names()
        .filter(|name| *name != response && Some(*name) != sigma)
        .filter(|name| column_numbers(table, name).is_some());
    let others: Vec<String> = others.map(str::to_owned).collect();
    match source.argument("model") {
        Some(Value::String(formula)) => {
            let used = crate::expression::free_names(formula).unwrap_or_default();
            let is_used = |name: &String| used.contains(name);
            others.into_iter().filter(is_used).collect()
        }
        Some(equations) => vec![equations.text("time").unwrap_or("t").to_owned()],
        None => others,
    }
}

/// The numbers of columns in the rows where all have one, as many as the fit had.
fn complete_columns(
    table: &Table,
    names: &[&str],
    rows: usize,
) -> Result<Vec<Vec<f64>>, ToolError> {
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let Some(column) = column_numbers(table, name) else {
            let hint = did_you_mean(name, table.names())
                .unwrap_or_else(|| "name the columns of the fit with `x` and `y`".to_owned());
            let err = ToolError::invalid("/data", format!("the data have no numbers `{name}`"));
            return Err(err.reason("unknown_column").hint(hint));
        };
        columns.push(column);
    }
    let is_whole = |row: &usize| columns.iter().all(|column| column[*row].is_finite());
    let whole: Vec<usize> = (0..table.rows()).filter(is_whole).collect();
    if whole.len() != rows {
        refuse!(invalid "/data", "shape"; "expected the {rows} rows of the fit, found {} complete ones", whole.len();
            "pass the table that the fit was made from");
    }
    let pick = |column: &Vec<f64>| whole.iter().map(|&row| column[row]).collect();
    Ok(columns.iter().map(pick).collect())
}

/// A formula of one predictor at its estimates, with their covariance.
pub(in crate::plot::natural) struct ModelCurve {
    expression: Expression,
    /// The estimates, in the order of the variables after the predictor.
    estimates: Vec<f64>,
    covariance: NumberRows,
    covariance_is_known: bool,
}

impl ModelCurve {
    /// `None` for a model that is no formula of the one predictor.
    pub(in crate::plot::natural) fn new(source: &DrawnResult<'_>, predictor: &str) -> Option<Self> {
        let formula = source.argument("model")?.as_str()?;
        let parameters = source.result.items_at("parameters");
        let mut scope = ExpressionScope::new().variable(predictor);
        let mut estimates = Vec::with_capacity(parameters.len());
        for parameter in &parameters {
            scope = scope.variable(parameter.text("name")?);
            estimates.push(parameter.get("estimate")?.as_f64()?);
        }
        let fixed = match source.argument("parameters") {
            Some(value) => NamedParameters::decode(value).ok()?,
            None => NamedParameters::default(),
        };
        let scope = scope.with_parameters(&fixed, "/call/parameters").ok()?;
        let covariance = source.result.get("covariance");
        let covariance = covariance.and_then(NumberRows::of_value);
        let covariance = covariance.filter(|rows| rows.width == estimates.len());
        let covariance_is_known = covariance.is_some();
        Some(Self {
            expression: Expression::parse(formula, &scope).ok()?,
            covariance: covariance.unwrap_or(NumberRows {
                width: estimates.len(),
                cells: vec![f64::NAN; estimates.len() * estimates.len()],
            }),
            estimates,
            covariance_is_known,
        })
    }

    /// The curve over the range of the data, with a band as wide as that of the rows: both are the same multiple of the standard error,
    /// by the gradient of the model by its parameters and their covariance.
    pub(in crate::plot::natural) fn points(&self, x: &[f64], band: &[f64]) -> FittedCurvePoints {
        let low = x.iter().copied().fold(f64::INFINITY, f64::min);
        let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let last = (CURVE_POINTS - 1) as f64;
        let places: Vec<f64> = (0..CURVE_POINTS)
            .map(|index| {
                let share = index as f64 / last;
                low * (1.0 - share) + high * share
            })
            .collect();
        let ratios = x
            .iter()
            .zip(band)
            .map(|(x, half)| half / self.deviation(*x));
        let mut ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
        ratios.sort_by(f64::total_cmp);
        let multiple = ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN);
        let mut evaluator = self.expression.evaluator();
        let y = places.iter().map(|x| evaluator.eval(&self.slots(*x)));
        FittedCurvePoints {
            y: y.collect(),
            half: places
                .iter()
                .map(|x| multiple * self.deviation(*x))
                .collect(),
            x: places,
        }
    }

    fn slots(&self, x: f64) -> Vec<f64> {
        std::iter::once(x)
            .chain(self.estimates.iter().copied())
            .collect()
    }

    /// Standard error of the curve at a place, up to a common factor.
    fn deviation(&self, x: f64) -> f64 {
        if !self.covariance_is_known {
            return f64::NAN;
        }
        let mut evaluator = self.expression.evaluator();
        let mut slots = self.slots(x);
        let gradient: Vec<f64> = (0..self.estimates.len())
            .map(|index| {
                let estimate = self.estimates[index];
                let variance = self.covariance.cells[index * self.covariance.width + index];
                // A parameter at a bound has no variance, and no part in the band.
                if variance.is_nan() || variance <= 0.0 {
                    return 0.0;
                }
                let step = STEP * estimate.abs().max(libm::sqrt(variance));
                let mut at = |value: f64| {
                    slots[index + 1] = value;
                    let y = evaluator.eval(&slots);
                    slots[index + 1] = estimate;
                    y
                };
                (at(estimate + step) - at(estimate - step)) / (2.0 * step)
            })
            .collect();
        let width = self.covariance.width;
        let terms = (0..width * width).map(|place| {
            let product = gradient[place / width] * gradient[place % width];
            match product {
                0.0 => 0.0,
                product => product * self.covariance.cells[place],
            }
        });
        libm::sqrt(terms.sum())
    }
}
