//! Ridge, lasso and elastic net, with the strength by cross-validation.

use numerics::Watch;
use numerics::dense::lstsq::DesignMatrix;
use rand::RngExt;
use random_streams::stream_rng;

use crate::design::ModelMatrix;
use crate::models::ModelError;
use crate::models::least_squares::{cholesky_lower, cholesky_solve, is_positive};

/// Strengths of a path.
const PATH_LENGTH: usize = 100;
/// Sweeps of coordinate descent for one strength.
const SWEEPS_MAX: usize = 100_000;
/// The stream of random numbers that folds are drawn from.
const FOLD_STREAM: u64 = 0;

/// A penalised fit to make.
///
/// The objective is that of glmnet: `1/(2n) |y - a - X b|^2 + s (r |b|_1 + (1 - r)/2 |b|_2^2)` over columns of variance 1 (divisor n), the constant
/// without penalty.
#[derive(Debug, Clone, Copy)]
pub struct PenaltyRequest<'a> {
    /// The columns.
    pub design: &'a ModelMatrix,
    /// The responses.
    pub y: &'a [f64],
    /// Share r of the absolute penalty: 1 for lasso, 0 for ridge.
    pub l1_ratio: f64,
    /// The strength s; by cross-validation when `None`.
    pub strength: Option<f64>,
    /// Folds of the cross-validation, 2 to n.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
}

/// One strength of the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyPoint {
    /// The strength.
    pub strength: f64,
    /// Mean squared error of rows that were left out.
    pub error: f64,
    /// Standard error of it over the folds.
    pub deviation: f64,
    /// Coefficients that are not 0 in the fit of all rows.
    pub nonzero: usize,
}

/// A penalised fit.
#[derive(Debug, Clone, PartialEq)]
pub struct PenaltyFit {
    /// The constant; 0 where the model has none.
    pub intercept: f64,
    /// Names of the columns but the constant.
    pub names: Vec<String>,
    /// Their coefficients, in units of y per unit of the column.
    pub coefficients: Vec<f64>,
    /// The strength.
    pub strength: f64,
    /// The largest strength whose error is within one standard error of the least.
    pub strength_1se: Option<f64>,
    /// The path of the cross-validation, strongest first; empty where the strength was given.
    pub path: Vec<PenaltyPoint>,
    /// Share of the variation that the fit explains.
    pub r2: f64,
    /// Fitted responses.
    pub fitted: Vec<f64>,
}

/// Fits a linear model with a penalty.
///
/// # Method
/// Ridge by Cholesky, the others by coordinate descent to 1e-13 of the response's deviation, along a path of 100 strengths that starts where all
/// coefficients are 0 (J. Friedman, T. Hastie and R. Tibshirani, J. Stat. Softw. 33(1), 2010).
///
/// # Errors
/// [`ModelError`].
pub fn fit_penalised(
    request: PenaltyRequest<'_>,
    watch: &dyn Watch,
) -> Result<PenaltyFit, ModelError> {
    let design = request.design;
    let slopes: Vec<usize> = (0..design.names.len())
        .filter(|column| design.terms[*column].is_some())
        .collect();
    let has_intercept = slopes.len() < design.names.len();
    if slopes.is_empty() {
        return Err(ModelError::NoColumns);
    }
    let n = request.y.len();
    let rows: Vec<usize> = (0..n).collect();
    let whole = StandardisedColumns::new(&design.matrix, &slopes, request.y, &rows, has_intercept);
    if !is_positive(whole.y_deviation) {
        let value = request.y.first().copied().unwrap_or(0.0);
        return Err(ModelError::ConstantResponse { value });
    }
    let mut path = Vec::new();
    let (mut strength, mut strength_1se) = (request.strength.unwrap_or(0.0), None);
    if request.strength.is_none() {
        let strengths = whole.strengths(request.l1_ratio);
        path = cross_validate(request, &slopes, has_intercept, &whole, &strengths, watch)?;
        let best = path
            .iter()
            .copied()
            .reduce(|best, point| match point.error < best.error {
                true => point,
                false => best,
            });
        if let Some(best) = best {
            strength = best.strength;
            let near = path
                .iter()
                .find(|point| point.error <= best.error + best.deviation);
            strength_1se = near.map(|point| point.strength);
        }
    }
    let mut scaled = vec![0.0; slopes.len()];
    for step in whole
        .strengths(request.l1_ratio)
        .into_iter()
        .filter(|step| *step > strength)
    {
        whole.descend(&mut scaled, step, request.l1_ratio, watch)?;
    }
    whole.descend(&mut scaled, strength, request.l1_ratio, watch)?;
    let fit = whole.restored(&scaled);
    let fitted = fit.predict(&design.matrix, &slopes, &rows);
    let mean = if has_intercept {
        request.y.iter().sum::<f64>() / n as f64
    } else {
        0.0
    };
    let squares =
        |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
    let rest = squares(&mut request.y.iter().zip(&fitted).map(|(y, fitted)| y - fitted));
    let total = squares(&mut request.y.iter().map(|y| y - mean));
    Ok(PenaltyFit {
        intercept: fit.intercept,
        names: slopes
            .iter()
            .map(|column| design.names[*column].clone())
            .collect(),
        coefficients: fit.slopes,
        strength,
        strength_1se,
        path,
        r2: 1.0 - rest / total,
        fitted,
    })
}

/// Coefficients in units of the columns.
struct RestoredFit {
    intercept: f64,
    slopes: Vec<f64>,
}

impl RestoredFit {
    fn predict(&self, matrix: &DesignMatrix, columns: &[usize], rows: &[usize]) -> Vec<f64> {
        let mut out = vec![self.intercept; rows.len()];
        for (column, slope) in columns.iter().zip(&self.slopes) {
            let entries = matrix.column(*column);
            out.iter_mut()
                .zip(rows)
                .for_each(|(out, row)| *out += slope * entries[*row]);
        }
        out
    }
}

/// Rows with columns of mean 0 and variance 1.
struct StandardisedColumns {
    columns: Vec<Vec<f64>>,
    means: Vec<f64>,
    /// 0 for a constant column, which gets no coefficient.
    deviations: Vec<f64>,
    y: Vec<f64>,
    y_mean: f64,
    y_deviation: f64,
    has_intercept: bool,
}

impl StandardisedColumns {
    fn new(
        matrix: &DesignMatrix,
        slopes: &[usize],
        y: &[f64],
        rows: &[usize],
        has_intercept: bool,
    ) -> Self {
        let n = rows.len() as f64;
        let mean_of = |values: &[f64]| match has_intercept {
            true => values.iter().sum::<f64>() / n,
            false => 0.0,
        };
        let deviation_of =
            |values: &[f64]| (values.iter().map(|value| value * value).sum::<f64>() / n).sqrt();
        let (mut columns, mut means, mut deviations) = (Vec::new(), Vec::new(), Vec::new());
        for column in slopes {
            let entries = matrix.column(*column);
            let mut values: Vec<f64> = rows.iter().map(|row| entries[*row]).collect();
            let mean = mean_of(&values);
            let largest = numerics::dense::max_abs(&values);
            values.iter_mut().for_each(|value| *value -= mean);
            let deviation = deviation_of(&values);
            let deviation = if deviation > 1e-14 * largest {
                deviation
            } else {
                0.0
            };
            if deviation > 0.0 {
                values.iter_mut().for_each(|value| *value /= deviation);
            }
            columns.push(values);
            means.push(mean);
            deviations.push(deviation);
        }
        let mut y: Vec<f64> = rows.iter().map(|row| y[*row]).collect();
        let y_mean = mean_of(&y);
        y.iter_mut().for_each(|value| *value -= y_mean);
        Self {
            columns,
            means,
            deviations,
            y_deviation: deviation_of(&y),
            y,
            y_mean,
            has_intercept,
        }
    }

    /// From where all coefficients are 0, falling by equal ratios.
    fn strengths(&self, l1_ratio: f64) -> Vec<f64> {
        let n = self.y.len() as f64;
        let inner = |column: &Vec<f64>| numerics::dense::dot(column, &self.y).abs() / n;
        let largest = self.columns.iter().map(inner).fold(0.0, f64::max) / l1_ratio.max(1e-3);
        let least: f64 = if self.y.len() > self.columns.len() {
            1e-4
        } else {
            1e-2
        };
        let step = least.ln() / (PATH_LENGTH - 1) as f64;
        (0..PATH_LENGTH)
            .map(|k| largest * (step * k as f64).exp())
            .collect()
    }

    /// The coefficients of scaled columns at a strength, from those of the strength before.
    fn descend(
        &self,
        b: &mut [f64],
        strength: f64,
        l1_ratio: f64,
        watch: &dyn Watch,
    ) -> Result<(), ModelError> {
        let n = self.y.len() as f64;
        if l1_ratio == 0.0 {
            return self.solve_ridge(b, strength);
        }
        let (threshold, shrink) = (strength * l1_ratio, 1.0 + strength * (1.0 - l1_ratio));
        let mut rest = self.y.clone();
        for (column, b) in self.columns.iter().zip(&*b) {
            numerics::dense::add_multiple(&mut rest, -b, column);
        }
        for _ in 0..SWEEPS_MAX {
            watch.check()?;
            let mut most = 0.0_f64;
            for (k, column) in self.columns.iter().enumerate() {
                if self.deviations[k] == 0.0 {
                    continue;
                }
                let pull = numerics::dense::dot(column, &rest) / n + b[k];
                let next = (pull.abs() - threshold).max(0.0).copysign(pull) / shrink;
                let change = next - b[k];
                if change != 0.0 {
                    numerics::dense::add_multiple(&mut rest, -change, column);
                    b[k] = next;
                    most = most.max(change.abs());
                }
            }
            if most <= 1e-13 * self.y_deviation {
                return Ok(());
            }
        }
        Err(ModelError::NoConvergence {
            method: "coordinate descent",
            iterations: SWEEPS_MAX,
        })
    }

    fn solve_ridge(&self, b: &mut [f64], strength: f64) -> Result<(), ModelError> {
        let (n, size) = (self.y.len() as f64, self.columns.len());
        let mut gram = vec![0.0; size * size];
        for row in 0..size {
            for column in 0..=row {
                let inner = numerics::dense::dot(&self.columns[row], &self.columns[column]) / n;
                gram[row * size + column] = inner;
                gram[column * size + row] = inner;
            }
            // A constant column has the coefficient 0.
            gram[row * size + row] += strength + f64::from(u8::from(self.deviations[row] == 0.0));
            b[row] = numerics::dense::dot(&self.columns[row], &self.y) / n;
        }
        let lower = cholesky_lower(&gram, size).ok_or_else(|| {
            let words = "the columns depend on each other, and a ridge penalty of 0 does not choose among their coefficients";
            ModelError::Unsuitable(words.to_owned())
        })?;
        cholesky_solve(&lower, size, b);
        Ok(())
    }

    fn restored(&self, b: &[f64]) -> RestoredFit {
        let scaled = b.iter().zip(&self.deviations);
        let slopes: Vec<f64> = scaled
            .map(|(b, deviation)| if *deviation > 0.0 { b / deviation } else { 0.0 })
            .collect();
        let shift: f64 = slopes
            .iter()
            .zip(&self.means)
            .map(|(b, mean)| b * mean)
            .sum();
        RestoredFit {
            intercept: if self.has_intercept {
                self.y_mean - shift
            } else {
                0.0
            },
            slopes,
        }
    }
}

/// The error of each strength over rows that were left out.
fn cross_validate(
    request: PenaltyRequest<'_>,
    slopes: &[usize],
    has_intercept: bool,
    whole: &StandardisedColumns,
    strengths: &[f64],
    watch: &dyn Watch,
) -> Result<Vec<PenaltyPoint>, ModelError> {
    let n = request.y.len();
    let folds = request.folds.clamp(2, n);
    let fold_of = draw_folds(n, folds, request.seed);
    let mut errors = vec![Vec::with_capacity(folds); strengths.len()];
    for fold in 0..folds {
        let (outside, inside): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|row| fold_of[*row] != fold);
        let part = StandardisedColumns::new(
            &request.design.matrix,
            slopes,
            request.y,
            &outside,
            has_intercept,
        );
        let mut b = vec![0.0; slopes.len()];
        for (index, strength) in strengths.iter().enumerate() {
            part.descend(&mut b, *strength, request.l1_ratio, watch)?;
            let predicted = part
                .restored(&b)
                .predict(&request.design.matrix, slopes, &inside);
            let squares = inside
                .iter()
                .zip(&predicted)
                .map(|(row, value)| (request.y[*row] - value).powi(2));
            errors[index].push(squares.sum::<f64>() / inside.len() as f64);
        }
    }
    let mut b = vec![0.0; slopes.len()];
    let mut path = Vec::with_capacity(strengths.len());
    for (strength, errors) in strengths.iter().zip(&errors) {
        whole.descend(&mut b, *strength, request.l1_ratio, watch)?;
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let spread = errors
            .iter()
            .map(|error| (error - mean).powi(2))
            .sum::<f64>();
        path.push(PenaltyPoint {
            strength: *strength,
            error: mean,
            deviation: (spread / (count - 1.0) / count).sqrt(),
            nonzero: b.iter().filter(|value| **value != 0.0).count(),
        });
    }
    Ok(path)
}

/// The fold of each row: equal shares in an order drawn by the seed.
fn draw_folds(n: usize, folds: usize, seed: u64) -> Vec<usize> {
    let mut rng = stream_rng(seed, FOLD_STREAM);
    let mut order: Vec<usize> = (0..n).collect();
    for last in (1..n).rev() {
        order.swap(last, rng.random_range(0..=last));
    }
    let mut fold_of = vec![0; n];
    order
        .iter()
        .enumerate()
        .for_each(|(place, row)| fold_of[*row] = place % folds);
    fold_of
}
