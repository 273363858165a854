//! [`BoundaryFunction`]: equations and conditions that are functions of Rust.

use std::sync::Arc;

use super::super::differences::FiniteDifferences;
use super::super::flow::OdeFlow;
use super::super::matrix::JacobianPattern;
use super::super::sensitivity::ParametricFlow;
use super::problem::BoundaryEquations;

/// The right-hand side of `y' = f(t, y, p)`, called as `f(t, y, p, dy)`, and the conditions on the states `a` at the start and `b` at the end, called as
/// `conditions(a, b, p, rest)`, each of whose entries is to be 0. Derivatives are found by differences.
#[derive(Debug)]
pub struct BoundaryFunction<F, G> {
    f: F,
    conditions: G,
    n: usize,
    unknowns: usize,
    /// Every derivative of the conditions.
    places: Vec<(usize, usize)>,
    /// Every derivative by the unknowns.
    by_unknowns: Vec<(usize, usize)>,
    pattern: Arc<JacobianPattern>,
}

impl<F, G> BoundaryFunction<F, G>
where
    F: Fn(f64, &[f64], &[f64], &mut [f64]),
    G: Fn(&[f64], &[f64], &[f64], &mut [f64]),
{
    /// Of `n` components and as many conditions.
    pub fn new(n: usize, f: F, conditions: G) -> Self {
        Self::with_unknowns(n, 0, f, conditions)
    }

    /// Of `n` components and `unknowns` parameters that are to be found, with as many conditions as both.
    pub fn with_unknowns(n: usize, unknowns: usize, f: F, conditions: G) -> Self {
        let all = |rows: usize, columns: usize| {
            let row = move |row| (0..columns).map(move |column| (row, column));
            (0..rows).flat_map(row).collect::<Vec<_>>()
        };
        Self {
            f,
            conditions,
            n,
            unknowns,
            places: all(n + unknowns, 2 * n + unknowns),
            by_unknowns: all(n, unknowns),
            pattern: Arc::new(JacobianPattern::new(n, all(n, n), None)),
        }
    }
}

/// The step of a difference of a number.
fn difference_step(value: f64) -> f64 {
    f64::EPSILON.sqrt() * value.abs().max(1e-5)
}

impl<F, G> BoundaryEquations for BoundaryFunction<F, G>
where
    F: Fn(f64, &[f64], &[f64], &mut [f64]),
    G: Fn(&[f64], &[f64], &[f64], &mut [f64]),
{
    fn components(&self) -> usize {
        self.n
    }

    fn flow<'a>(&'a self, unknowns: &[f64]) -> Box<dyn ParametricFlow + 'a> {
        Box::new(BoundaryFlow {
            f: &self.f,
            unknowns: unknowns.to_vec(),
            by_unknowns: &self.by_unknowns,
            pattern: Arc::clone(&self.pattern),
            differences: FiniteDifferences::new(&self.pattern, None),
        })
    }

    fn conditions(&self, ends: &[f64], values: &mut [f64]) {
        let (a, rest) = ends.split_at(self.n);
        let (b, p) = rest.split_at(self.n);
        (self.conditions)(a, b, p, values);
    }

    fn condition_places(&self) -> &[(usize, usize)] {
        &self.places
    }

    fn condition_slopes(&self, ends: &[f64], slopes: &mut [f64]) {
        let rows = self.n + self.unknowns;
        let (mut here, mut there) = (vec![0.0; rows], vec![0.0; rows]);
        self.conditions(ends, &mut here);
        let mut point = ends.to_vec();
        for column in 0..ends.len() {
            point[column] += difference_step(ends[column]);
            let step = point[column] - ends[column];
            self.conditions(&point, &mut there);
            point[column] = ends[column];
            for (row, (there, here)) in there.iter().zip(&here).enumerate() {
                slopes[row * ends.len() + column] = (there - here) / step;
            }
        }
    }
}

/// The right-hand side with values of the unknowns.
struct BoundaryFlow<'a, F> {
    f: &'a F,
    unknowns: Vec<f64>,
    by_unknowns: &'a [(usize, usize)],
    pattern: Arc<JacobianPattern>,
    differences: FiniteDifferences,
}

impl<F: Fn(f64, &[f64], &[f64], &mut [f64])> OdeFlow for BoundaryFlow<'_, F> {
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        (self.f)(t, y, &self.unknowns, dy);
    }

    fn pattern(&mut self) -> Arc<JacobianPattern> {
        Arc::clone(&self.pattern)
    }

    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64 {
        let (f, unknowns) = (self.f, &self.unknowns);
        let mut at = |t: f64, y: &[f64], dy: &mut [f64]| f(t, y, unknowns, dy);
        self.differences.jacobian(&mut at, (t, y), entries)
    }

    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64 {
        let (f, unknowns) = (self.f, &self.unknowns);
        let mut at = |t: f64, y: &[f64], dy: &mut [f64]| f(t, y, unknowns, dy);
        self.differences.time_slope(&mut at, (t, y), slope)
    }
}

impl<F: Fn(f64, &[f64], &[f64], &mut [f64])> ParametricFlow for BoundaryFlow<'_, F> {
    fn parameter_places(&self) -> &[(usize, usize)] {
        self.by_unknowns
    }

    fn parameter_slopes(&mut self, t: f64, y: &[f64], slopes: &mut [f64]) {
        let (mut here, mut there) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        (self.f)(t, y, &self.unknowns, &mut here);
        let count = self.unknowns.len();
        for parameter in 0..count {
            let value = self.unknowns[parameter];
            self.unknowns[parameter] += difference_step(value);
            let step = self.unknowns[parameter] - value;
            (self.f)(t, y, &self.unknowns, &mut there);
            self.unknowns[parameter] = value;
            for (row, (there, here)) in there.iter().zip(&here).enumerate() {
                slopes[row * count + parameter] = (there - here) / step;
            }
        }
    }
}
