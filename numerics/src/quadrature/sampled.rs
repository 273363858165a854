//! Integrals of sampled functions with estimates of their errors, by comparison of rules.

use super::samples::{
    hermite_integrals, pchip_slopes, simpson_integrals, spline_slopes, trapezoid_integrals,
};
use crate::vector::sum_numbers;

/// What stands for the function between its samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SampleRule {
    /// Parabolas through three neighbours.
    #[default]
    Simpson,
    /// Straight lines.
    Trapezoid,
    /// The cubic spline with the ends "not a knot".
    Spline,
    /// The monotone cubic of Fritsch and Butland.
    Pchip,
}

/// The integral of samples.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledIntegral {
    /// The integral.
    pub value: f64,
    /// The largest difference from other rules and from every second sample, plus the difference from trapezia over uneven intervals; `None`
    /// for fewer than 3 samples.
    pub error: Option<f64>,
    /// The rule that was used: trapezia for 2 samples.
    pub rule: SampleRule,
    /// The integral of each interval.
    pub pieces: Vec<f64>,
    /// Intervals more than [`UNEVEN_STEPS`] times as long or short as a neighbour.
    pub uneven: usize,
}

/// Ratio of neighbouring intervals from which parabolas and splines are not trusted.
pub const UNEVEN_STEPS: f64 = 3.0;

/// Integrates samples at strictly ascending places, at least two, values as many.
///
/// ```
/// use numerics::quadrature::{SampleRule, integrate_samples};
///
/// let found = integrate_samples(&[0.0, 1.0, 2.0], &[0.0, 1.0, 4.0], SampleRule::Simpson);
/// assert!((found.value - 8.0 / 3.0).abs() < 1e-15);
/// ```
///
/// # Panics
/// For fewer than two samples.
pub fn integrate_samples(x: &[f64], y: &[f64], rule: SampleRule) -> SampledIntegral {
    let rule = if x.len() == 2 {
        SampleRule::Trapezoid
    } else {
        rule
    };
    let pieces = interval_integrals(rule, x, y);
    let value = sum_numbers(&pieces);
    let uneven = find_uneven_intervals(x);
    let error = (x.len() > 2).then(|| estimate_error(rule, value, x, y));
    let error = error.map(|error| error + apart_where(&uneven, rule, &pieces, x, y));
    SampledIntegral {
        value,
        error,
        rule,
        pieces,
        uneven: uneven.iter().filter(|is_uneven| **is_uneven).count(),
    }
}

/// The integral of each interval.
fn interval_integrals(rule: SampleRule, x: &[f64], y: &[f64]) -> Vec<f64> {
    match rule {
        SampleRule::Trapezoid => trapezoid_integrals(x, y),
        SampleRule::Simpson => simpson_integrals(x, y),
        SampleRule::Spline => hermite_integrals(x, y, &spline_slopes(x, y)),
        SampleRule::Pchip => hermite_integrals(x, y, &pchip_slopes(x, y)),
    }
}

/// The intervals much longer or shorter than a neighbour.
fn find_uneven_intervals(x: &[f64]) -> Vec<bool> {
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut uneven = vec![false; steps.len()];
    for (index, pair) in steps.windows(2).enumerate() {
        if pair[0] > UNEVEN_STEPS * pair[1] || pair[1] > UNEVEN_STEPS * pair[0] {
            uneven[index] = true;
            uneven[index + 1] = true;
        }
    }
    uneven
}

/// The difference from trapezia over some intervals.
fn apart_where(uneven: &[bool], rule: SampleRule, pieces: &[f64], x: &[f64], y: &[f64]) -> f64 {
    if rule == SampleRule::Trapezoid || !uneven.contains(&true) {
        return 0.0;
    }
    let trapezia = trapezoid_integrals(x, y);
    let differences = pieces.iter().zip(&trapezia).zip(uneven);
    let counted = differences.filter(|(_, is_uneven)| **is_uneven);
    counted.map(|((a, b), _)| (a - b).abs()).sum()
}

fn estimate_error(rule: SampleRule, integral: f64, x: &[f64], y: &[f64]) -> f64 {
    /// Fewer samples have no half.
    const HALF_MIN: usize = 7;
    let others: &[SampleRule] = match rule {
        SampleRule::Trapezoid => &[SampleRule::Simpson],
        SampleRule::Simpson => &[SampleRule::Spline],
        SampleRule::Spline => &[SampleRule::Simpson],
        SampleRule::Pchip => &[SampleRule::Simpson, SampleRule::Spline],
    };
    let apart = others
        .iter()
        .map(|other| (sum_numbers(&interval_integrals(*other, x, y)) - integral).abs());
    let mut most = apart.fold(0.0, f64::max);
    if x.len() >= HALF_MIN && x.len() % 2 == 1 {
        let every_second = |values: &[f64]| values.iter().copied().step_by(2).collect::<Vec<f64>>();
        let halves = interval_integrals(rule, &every_second(x), &every_second(y));
        let coarse = sum_numbers(&halves);
        // Orders 2 and 4: the error falls to a quarter and to a sixteenth.
        let share = if matches!(rule, SampleRule::Trapezoid | SampleRule::Pchip) {
            3.0
        } else {
            15.0
        };
        most = most.max((coarse - integral).abs() / share);
    }
    most
}
