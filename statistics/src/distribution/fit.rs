//! Fits of a family to a sample by maximum likelihood.

use super::starts::SampleSketch;
use super::{Distribution, Family, ParameterRange};

/// A fit by maximum likelihood.
#[derive(Debug)]
pub struct FamilyFit {
    /// The distribution with the estimates.
    pub distribution: Box<dyn Distribution>,
    /// The parameters in the order of the family.
    pub parameters: Vec<f64>,
    /// Their standard errors by the observed information; `None` of those that were given, and where the likelihood has no curvature.
    pub standard_errors: Vec<Option<f64>>,
    /// The logarithm of the likelihood.
    pub ln_likelihood: f64,
    /// Parameters that were estimated.
    pub estimated: usize,
    /// Akaike's criterion, `2 estimated - 2 ln_likelihood`.
    pub aic: f64,
    /// Schwarz's criterion, with `ln(n)` for the 2.
    pub bic: f64,
    /// Whether the search ended where no direction improves the likelihood.
    pub has_converged: bool,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// Fewer values than parameters, or all equal.
    #[error("{0} values do not determine {1} parameters")]
    TooFew(usize, usize),
    /// The values do not vary.
    #[error("the values are all equal")]
    Constant,
    /// A value that the family cannot have.
    #[error("the value {value} at {index} is outside of the support of `{family}`")]
    OutsideSupport {
        /// The family.
        family: &'static str,
        /// Its place among the values.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A parameter that maximum likelihood does not estimate.
    #[error("`{parameter}` of `{family}` is not estimated: give it")]
    NotEstimated {
        /// The family.
        family: &'static str,
        /// Its parameter.
        parameter: &'static str,
    },
    /// The likelihood has no greatest value.
    #[error(
        "the likelihood of `{0}` grows without a bound, or the search for its greatest value failed"
    )]
    NoMaximum(&'static str),
    /// The parameters that were given are not those of a distribution.
    #[error(transparent)]
    Parameters(#[from] super::DistributionError),
    /// The caller said so.
    #[error("stopped")]
    Stopped,
}

/// Families whose likelihood is largest at the ends of the sample: no curvature, no standard errors.
const AT_ENDS: [&str; 3] = ["uniform", "discrete_uniform", "pareto"];

/// Parameters of which the likelihood has no inner maximum; they are held unless they are given.
fn is_held(family: &str, parameter: &str) -> bool {
    matches!((family, parameter), ("generalised_pareto", "location"))
}

/// A parameter as any number, by its range.
fn to_line(value: f64, range: ParameterRange) -> f64 {
    match range {
        ParameterRange::Positive | ParameterRange::NonNegative => value.max(1e-300).ln(),
        ParameterRange::AboveOne => (value - 1.0).max(1e-12).ln(),
        ParameterRange::OpenUnit
        | ParameterRange::Probability
        | ParameterRange::PositiveProbability => {
            let p = value.clamp(1e-12, 1.0 - 1e-12);
            (p / (1.0 - p)).ln()
        }
        ParameterRange::Line | ParameterRange::Whole | ParameterRange::Integer => value,
    }
}

fn from_line(y: f64, range: ParameterRange) -> f64 {
    match range {
        ParameterRange::Positive | ParameterRange::NonNegative => y.exp(),
        ParameterRange::AboveOne => 1.0 + y.exp(),
        ParameterRange::OpenUnit
        | ParameterRange::Probability
        | ParameterRange::PositiveProbability => 1.0 / (1.0 + (-y).exp()),
        ParameterRange::Line | ParameterRange::Whole | ParameterRange::Integer => y,
    }
}

/// The slope of [`from_line`].
fn line_slope(value: f64, range: ParameterRange) -> f64 {
    match range {
        ParameterRange::Positive | ParameterRange::NonNegative => value,
        ParameterRange::AboveOne => value - 1.0,
        ParameterRange::OpenUnit
        | ParameterRange::Probability
        | ParameterRange::PositiveProbability => value * (1.0 - value),
        ParameterRange::Line | ParameterRange::Whole | ParameterRange::Integer => 1.0,
    }
}

/// The likelihood of the parameters that are free.
struct Likelihood<'a> {
    family: &'static Family,
    values: &'a [f64],
    parameters: Vec<f64>,
    free: Vec<usize>,
    /// The size of a change of a free parameter on the whole line.
    sizes: Vec<f64>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl Likelihood<'_> {
    fn at(&self, line: &[f64]) -> Vec<f64> {
        let mut parameters = self.parameters.clone();
        for ((&place, &y), size) in self.free.iter().zip(line).zip(&self.sizes) {
            parameters[place] = from_line(y * size, self.family.parameters[place].range);
        }
        parameters
    }

    /// Minus its logarithm; infinite where the parameters are not those of a distribution.
    fn cost(&self, line: &[f64]) -> f64 {
        if (self.is_stopped)() {
            return f64::INFINITY;
        }
        let Ok(distribution) = self.family.build(&self.at(line)) else {
            return f64::INFINITY;
        };
        let cost = -sum_ln_density(distribution.as_ref(), self.values);
        if cost.is_nan() { f64::INFINITY } else { cost }
    }
}

fn sum_ln_density(distribution: &dyn Distribution, values: &[f64]) -> f64 {
    let (mut sum, mut rest) = (0.0_f64, 0.0_f64);
    for &x in values {
        let term = distribution.ln_density(x);
        let next = sum + term;
        rest += match sum.abs() >= term.abs() {
            true => (sum - next) + term,
            false => (term - next) + sum,
        };
        sum = next;
    }
    if rest.is_finite() { sum + rest } else { sum }
}

/// The fit of a family to a sample; `given` has the parameters that are not estimated, in the order of the family.
///
/// A search by Nelder and Mead's simplex over parameters transformed to the whole line, then Newton's steps on central differences. Costs some hundred
/// evaluations of the density at each value. The standard errors are those of the observed information.
pub fn fit_family(
    family: &'static Family,
    values: &[f64],
    given: &[Option<f64>],
    is_stopped: &dyn Fn() -> bool,
) -> Result<FamilyFit, FitError> {
    let n = values.len();
    let free = free_parameters(family, given)?;
    if n < free.len().max(1) {
        return Err(FitError::TooFew(n, free.len()));
    }
    let sketch = SampleSketch::new(values);
    if sketch.sd == 0.0 && free.len() > 1 {
        return Err(FitError::Constant);
    }
    let starts = sketch.starts(family.name, values);
    if starts.is_empty() && !free.is_empty() {
        let parameter = family.parameters[free[0]].name;
        return Err(FitError::NotEstimated {
            family: family.name,
            parameter,
        });
    }
    let mut parameters = starts;
    parameters.resize(family.parameters.len(), 0.0);
    for (place, value) in given.iter().enumerate() {
        if let Some(value) = value {
            parameters[place] = *value;
        }
    }
    if AT_ENDS.contains(&family.name) || free.is_empty() {
        return finish(family, values, parameters, &free, None);
    }
    let size = |&place: &usize| match family.parameters[place].range {
        ParameterRange::Line if family.parameters[place].name != "shape" => sketch.sd.max(1e-300),
        _ => 1.0,
    };
    let likelihood = Likelihood {
        family,
        values,
        sizes: free.iter().map(size).collect(),
        parameters,
        free,
        is_stopped,
    };
    check_support(&likelihood)?;
    let optimum = maximise(&likelihood)?;
    if is_stopped() {
        return Err(FitError::Stopped);
    }
    let parameters = likelihood.at(&optimum.line);
    finish(
        family,
        values,
        parameters,
        &likelihood.free,
        Some(optimum.with(&likelihood)),
    )
}

/// The places of the parameters to estimate.
fn free_parameters(family: &'static Family, given: &[Option<f64>]) -> Result<Vec<usize>, FitError> {
    let mut free = Vec::new();
    for (place, parameter) in family.parameters.iter().enumerate() {
        if given.get(place).copied().flatten().is_some() || is_held(family.name, parameter.name) {
            continue;
        }
        let is_fixed = matches!(parameter.range, ParameterRange::Whole)
            || matches!(family.name, "triangular" | "arcsine" | "hypergeometric");
        if is_fixed {
            return Err(FitError::NotEstimated {
                family: family.name,
                parameter: parameter.name,
            });
        }
        free.push(place);
    }
    Ok(free)
}

/// A value that no parameters of the family can give.
fn check_support(likelihood: &Likelihood<'_>) -> Result<(), FitError> {
    let line = start_line(likelihood);
    let distribution = likelihood.family.build(&likelihood.at(&line))?;
    let is_moving = matches!(
        likelihood.family.name,
        "gev" | "generalised_pareto" | "von_mises"
    );
    let outside = |x: &f64| match is_moving {
        true => likelihood.family.name == "generalised_pareto" && *x < likelihood.parameters[1],
        false => distribution.ln_density(*x) == f64::NEG_INFINITY,
    };
    match likelihood.values.iter().position(outside) {
        Some(index) => Err(FitError::OutsideSupport {
            family: likelihood.family.name,
            index,
            value: likelihood.values[index],
        }),
        None => Ok(()),
    }
}

fn start_line(likelihood: &Likelihood<'_>) -> Vec<f64> {
    let pairs = likelihood.free.iter().zip(&likelihood.sizes);
    let line = pairs.map(|(&place, size)| {
        to_line(
            likelihood.parameters[place],
            likelihood.family.parameters[place].range,
        ) / size
    });
    line.collect()
}

/// Where the likelihood is largest, with the curvature of its logarithm.
struct LikelihoodOptimum {
    line: Vec<f64>,
    covariance: Option<Vec<Vec<f64>>>,
    has_converged: bool,
}

/// Standard errors of the free parameters.
struct Spread {
    errors: Vec<Option<f64>>,
    has_converged: bool,
}

impl LikelihoodOptimum {
    fn with(self, likelihood: &Likelihood<'_>) -> Spread {
        let parameters = likelihood.at(&self.line);
        let error = |index: usize| {
            let place = likelihood.free[index];
            let variance = self.covariance.as_ref()?[index][index];
            let slope = line_slope(parameters[place], likelihood.family.parameters[place].range);
            let error = variance.sqrt() * slope * likelihood.sizes[index];
            (error.is_finite() && error > 0.0).then_some(error)
        };
        Spread {
            errors: (0..likelihood.free.len()).map(error).collect(),
            has_converged: self.has_converged,
        }
    }
}

fn maximise(likelihood: &Likelihood<'_>) -> Result<LikelihoodOptimum, FitError> {
    let mut line = start_line(likelihood);
    let cost = |line: &[f64]| likelihood.cost(line);
    for step in [0.3, 0.05] {
        line = super::super::simplex::minimise_simplex(&cost, &line, step);
    }
    if !cost(&line).is_finite() {
        return Err(match (likelihood.is_stopped)() {
            true => FitError::Stopped,
            false => FitError::NoMaximum(likelihood.family.name),
        });
    }
    let mut has_converged = false;
    let mut covariance = None;
    for _ in 0..8 {
        let Some(step) = newton_step(&cost, &line) else {
            break;
        };
        let next: Vec<f64> = line.iter().zip(&step.step).map(|(y, s)| y - s).collect();
        let largest = step.step.iter().fold(0.0_f64, |most, s| most.max(s.abs()));
        covariance = Some(step.inverse);
        if largest < 1e-7 {
            has_converged = true;
            if cost(&next) <= cost(&line) {
                line = next;
            }
            break;
        }
        if cost(&next) >= cost(&line) {
            has_converged = largest < 1e-4;
            break;
        }
        line = next;
    }
    if line.iter().any(|y| y.abs() > 500.0 && y.abs() > 1e6) {
        return Err(FitError::NoMaximum(likelihood.family.name));
    }
    Ok(LikelihoodOptimum {
        line,
        covariance,
        has_converged,
    })
}

/// A Newton step, and the inverse of the curvature.
struct NewtonStep {
    step: Vec<f64>,
    inverse: Vec<Vec<f64>>,
}

/// The step by central differences; `None` where the curvature is not positive definite.
fn newton_step(cost: &dyn Fn(&[f64]) -> f64, line: &[f64]) -> Option<NewtonStep> {
    const H: f64 = 1e-4;
    let d = line.len();
    let widths: Vec<f64> = line.iter().map(|y| H * y.abs().max(1.0)).collect();
    let shifted = |changes: &[(usize, f64)]| {
        let mut moved = line.to_vec();
        changes
            .iter()
            .for_each(|&(i, by)| moved[i] += by * widths[i]);
        cost(&moved)
    };
    let middle = cost(line);
    let mut gradient = vec![0.0; d];
    let mut hessian = vec![vec![0.0; d]; d];
    for i in 0..d {
        let (up, down) = (shifted(&[(i, 1.0)]), shifted(&[(i, -1.0)]));
        gradient[i] = (up - down) / (2.0 * widths[i]);
        let (far, back) = (shifted(&[(i, 2.0)]), shifted(&[(i, -2.0)]));
        hessian[i][i] =
            (16.0 * (up + down) - far - back - 30.0 * middle) / (12.0 * widths[i] * widths[i]);
        for j in 0..i {
            let corner = |a: f64, b: f64| shifted(&[(i, a), (j, b)]);
            let mixed =
                corner(1.0, 1.0) - corner(1.0, -1.0) - corner(-1.0, 1.0) + corner(-1.0, -1.0);
            hessian[i][j] = mixed / (4.0 * widths[i] * widths[j]);
            hessian[j][i] = hessian[i][j];
        }
    }
    let inverse = invert_positive(&hessian)?;
    let step = inverse
        .iter()
        .map(|row| row.iter().zip(&gradient).map(|(a, b)| a * b).sum())
        .collect();
    Some(NewtonStep { step, inverse })
}

/// The inverse of a positive definite matrix of a few rows, by Gauss and Jordan; `None` where a pivot is not positive.
fn invert_positive(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let d = matrix.len();
    let mut work: Vec<Vec<f64>> = matrix.to_vec();
    let mut inverse: Vec<Vec<f64>> = (0..d)
        .map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for k in 0..d {
        let pivot = work[k][k];
        if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
            return None;
        }
        for j in 0..d {
            work[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for i in (0..d).filter(|&i| i != k) {
            let factor = work[i][k];
            for j in 0..d {
                work[i][j] -= factor * work[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    Some(inverse)
}

fn finish(
    family: &'static Family,
    values: &[f64],
    parameters: Vec<f64>,
    free: &[usize],
    spread: Option<Spread>,
) -> Result<FamilyFit, FitError> {
    let distribution = family.build(&parameters)?;
    let ln_likelihood = sum_ln_density(distribution.as_ref(), values);
    if ln_likelihood == f64::NEG_INFINITY {
        let outside = |x: &f64| distribution.ln_density(*x) == f64::NEG_INFINITY;
        let index = values.iter().position(outside).unwrap_or(0);
        return Err(FitError::OutsideSupport {
            family: family.name,
            index,
            value: values[index],
        });
    }
    if !ln_likelihood.is_finite() {
        return Err(FitError::NoMaximum(family.name));
    }
    let mut standard_errors = vec![None; parameters.len()];
    let has_converged = spread.as_ref().is_none_or(|spread| spread.has_converged);
    for (&place, error) in free
        .iter()
        .zip(spread.map(|s| s.errors).unwrap_or_default())
    {
        standard_errors[place] = error;
    }
    let estimated = free.len();
    Ok(FamilyFit {
        distribution,
        parameters,
        standard_errors,
        ln_likelihood,
        estimated,
        aic: 2.0 * estimated as f64 - 2.0 * ln_likelihood,
        bic: estimated as f64 * (values.len() as f64).ln() - 2.0 * ln_likelihood,
        has_converged,
    })
}
