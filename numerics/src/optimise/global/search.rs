//! [`GlobalSearch`]: the objective in the unit cube, its budget, and what has been found.
//!
//! Under constraints, points are ordered by their keys: feasible ones by their values, below all others, which their violation orders.
//!
//! K. Deb, "An efficient constraint handling method for genetic algorithms", Comput. Methods Appl. Mech. Engrg. 186, 2000.

use rand::RngExt;
use random_streams::{StreamRng, stream_rng};

use super::cma::CmaRestarts;
use crate::dense::max_abs;
use crate::optimise::error::OptimiseError;
use crate::optimise::minimise::bounds::VariableBounds;
use crate::optimise::minimise::constrained::{
    ConstrainedProblem, TOLERANCE, cobyla, constraint_violations, sqp,
};
use crate::optimise::minimise::lbfgs;
use crate::optimise::minimise::scale::{ProblemScale, ScaledFunction};
use crate::optimise::minimise::sizes::{ORDINARY, round_to_scale};
use crate::optimise::minimise::smooth::SmoothFunction;

/// Values that differ by less, relative to their size or to [`GlobalSearch::resolution`], are those of one minimum.
const SAME: f64 = 1e-8;

/// Keys from here on are those of points that violate a constraint.
pub(super) const INFEASIBLE: f64 = 1e100;

/// The state of a global search.
pub(super) struct GlobalSearch<'a> {
    pub problem: ConstrainedProblem<'a>,
    pub bounds: VariableBounds,
    seed: u64,
    /// Whether local searches have gradients to follow.
    pub smooth: bool,
    /// Evaluations that the current method may use, counted from the first of all.
    pub limit: u64,
    /// The best key and its point.
    pub best: (f64, Vec<f64>),
    /// The restarts of `cma_es` so far: with another share of the budget it goes on from there.
    pub restarts: CmaRestarts,
    /// Values and points at the ends of independent searches.
    ends: Vec<(f64, Vec<f64>)>,
    /// The first values, of points all over the box, until [`GlobalSearch::range`] is asked for.
    seen: Vec<f64>,
    range: Option<f64>,
    /// Points at which constraints failed, so that the objective was not evaluated.
    outside: u64,
    streams: u64,
}

impl<'a> GlobalSearch<'a> {
    /// A search in a box, of which one point was evaluated.
    pub(super) fn new(
        problem: ConstrainedProblem<'a>,
        seed: u64,
        smooth: bool,
        first: (f64, Vec<f64>),
    ) -> Self {
        Self {
            bounds: problem.bounds.clone(),
            problem,
            seed,
            smooth,
            limit: u64::MAX,
            best: first,
            restarts: CmaRestarts::default(),
            ends: Vec::new(),
            seen: Vec::new(),
            range: None,
            outside: 0,
            streams: 0,
        }
    }

    /// Whether there are constraints.
    pub(super) fn is_constrained(&self) -> bool {
        !self.problem.equal().is_empty()
    }

    /// Evaluations so far.
    pub(super) fn spent(&self) -> u64 {
        self.problem.target.evaluations + self.outside
    }

    /// Notes the end of a search.
    pub(super) fn end(&mut self, x: &[f64], key: f64) {
        if key < INFEASIBLE {
            self.ends.push((key, self.unit(x)));
        }
    }

    /// Number of searches that ended.
    pub(super) fn searches(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn dimension(&self) -> usize {
        self.bounds.low.len()
    }

    /// A generator of its own for each part of the search.
    pub(super) fn rng(&mut self) -> StreamRng {
        self.streams += 1;
        stream_rng(self.seed, self.streams)
    }

    /// The point of the box at coordinates of the unit cube.
    pub(super) fn point(&self, unit: &[f64]) -> Vec<f64> {
        let coordinate = |(index, u): (usize, &f64)| {
            let (low, high) = (self.bounds.low[index], self.bounds.high[index]);
            self.bounds.nearest(index, low * (1.0 - u) + high * u)
        };
        unit.iter().enumerate().map(coordinate).collect()
    }

    /// The coordinates of a point in the unit cube.
    pub(super) fn unit(&self, x: &[f64]) -> Vec<f64> {
        let coordinate = |(index, x): (usize, &f64)| {
            let (low, high) = (self.bounds.low[index], self.bounds.high[index]);
            let width = high / 2.0 - low / 2.0;
            if width > 0.0 {
                ((x / 2.0 - low / 2.0) / width).clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        x.iter().enumerate().map(coordinate).collect()
    }

    /// The value at coordinates of the unit cube.
    ///
    /// # Errors
    /// Those of the target, and one that [`GlobalSearch::within`] takes back when the budget is used up.
    pub(super) fn at(&mut self, unit: &[f64]) -> Result<f64, OptimiseError> {
        let x = self.point(unit);
        self.value(&x)
    }

    /// Runs a method until it ends or has used its share of the evaluations; answers whether it ended.
    ///
    /// # Errors
    /// Those of the target.
    pub(super) fn within(
        &mut self,
        limit: u64,
        method: impl FnOnce(&mut Self) -> Result<(), OptimiseError>,
    ) -> Result<bool, OptimiseError> {
        let outer = std::mem::replace(&mut self.limit, limit);
        self.limit = self.limit.min(outer);
        let outcome = method(self);
        self.limit = outer;
        match outcome {
            Err(OptimiseError::EvaluationsSpent) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// By how much values differ over the box, as a power of two: the least quarter of some points above the best of them; 1 where that is
    /// an ordinary size.
    ///
    /// # Errors
    /// As [`GlobalSearch::at`].
    pub(super) fn range(&mut self) -> Result<f64, OptimiseError> {
        /// Values that tell a range.
        const ENOUGH: usize = 8;
        if let Some(range) = self.range {
            return Ok(range);
        }
        let mut rng = stream_rng(self.seed, u64::MAX);
        for _ in self.seen.len()..ENOUGH {
            let unit: Vec<f64> = (0..self.dimension()).map(|_| rng.random()).collect();
            self.at(&unit)?;
        }
        let range = self.seen_range();
        self.range = Some(range);
        Ok(range)
    }

    /// As [`GlobalSearch::range`], of the points so far.
    fn seen_range(&self) -> f64 {
        let low = self.seen.iter().copied().fold(f64::INFINITY, f64::min);
        let above = self.seen.iter().map(|value| value - low);
        let mut above: Vec<f64> = above.filter(|gap| *gap > 0.0).collect();
        above.sort_by(f64::total_cmp);
        let quarter = above.get(above.len() / 4).copied();
        quarter
            .filter(|gap| gap.is_finite())
            .map_or(1.0, round_to_scale)
    }

    /// The size relative to which values of one minimum agree: the range of the values, or, where that is beyond an ordinary size, no more
    /// than the ends of searches differ by, since one steep wall says little about minima.
    fn resolution(&self) -> f64 {
        const LEAST: f64 = 1e-4;
        let range = self.range.unwrap_or(1.0);
        if range <= ORDINARY.1 {
            return range;
        }
        let worst = self
            .ends
            .iter()
            .map(|end| end.0)
            .fold(self.best.0, f64::max);
        (worst - self.best.0).clamp(LEAST * range, range)
    }

    /// The units of a local search: those of the box and of the range of the values.
    fn scale(&mut self) -> Result<ProblemScale, OptimiseError> {
        let value = self.range()?;
        Ok(self.scale_of(value))
    }

    fn scale_of(&self, value: f64) -> ProblemScale {
        let width = |(low, high): (&f64, &f64)| round_to_scale((high / 2.0 - low / 2.0) * 2.0);
        let x: Vec<f64> = self
            .bounds
            .low
            .iter()
            .zip(&self.bounds.high)
            .map(width)
            .collect();
        // A box of ordinary size and one that is fixed have the unit 1.
        let x = x.into_iter().map(|unit| {
            if unit.is_finite() && unit > 0.0 {
                unit
            } else {
                1.0
            }
        });
        ProblemScale {
            value,
            x: x.collect(),
        }
    }

    fn afford(&self) -> Result<(), OptimiseError> {
        if self.spent() < self.limit {
            return Ok(());
        }
        Err(OptimiseError::EvaluationsSpent)
    }

    /// The key of a point under constraints: the objective is evaluated where they hold.
    fn key(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        let c = self.problem.constraints(x)?;
        let most = constraint_violations(&c, self.problem.equal()).fold(0.0, f64::max);
        let sum: f64 = constraint_violations(&c, self.problem.equal()).sum();
        if most <= TOLERANCE {
            // The largest value that is ordered among the feasible ones.
            return Ok(self.problem.target.value(x)?.min(0.99 * INFEASIBLE));
        }
        self.outside += 1;
        let sum = if sum.is_finite() { sum } else { f64::MAX };
        Ok(INFEASIBLE * (1.0 + sum.min(INFEASIBLE)))
    }

    /// Descends from a point to a local minimum; without gradients the point itself is the end. Without constraints, it ends early by
    /// `enough`, as [`lbfgs::descend_by_lbfgs`] does.
    ///
    /// # Errors
    /// As [`GlobalSearch::at`].
    pub(super) fn settle(
        &mut self,
        x: &[f64],
        enough: f64,
    ) -> Result<(Vec<f64>, f64), OptimiseError> {
        const ITERATIONS_MAX: u64 = 200;
        const TOLERANCE: f64 = 1e-6;
        if !self.smooth {
            return Ok((x.to_vec(), self.value(x)?));
        }
        if self.is_constrained() {
            return self.under_constraints(x, ITERATIONS_MAX);
        }
        let scale = self.scale()?;
        let (bounds, start) = (scale.bounds(&self.bounds), scale.inside(x));
        let mut scaled = ScaledFunction {
            function: self,
            scale: &scale,
        };
        let ends = (TOLERANCE, enough);
        let found = lbfgs::descend_by_lbfgs(&mut scaled, &bounds, &start, ITERATIONS_MAX, ends)?;
        Ok((scale.outside(&found.x), found.value * scale.value))
    }

    /// The end of a local search under constraints, or the point where it fails.
    ///
    /// # Errors
    /// As [`GlobalSearch::at`].
    pub(super) fn under_constraints(
        &mut self,
        x: &[f64],
        iterations_max: u64,
    ) -> Result<(Vec<f64>, f64), OptimiseError> {
        self.afford()?;
        if !self.smooth && x.len() > cobyla::COORDINATES_MAX {
            return Ok((x.to_vec(), self.value(x)?));
        }
        self.problem.limit = Some(self.limit - self.outside.min(self.limit));
        let value = self.range.unwrap_or_else(|| self.seen_range());
        let scale = self.scale_of(value);
        let start = scale.inside(x);
        self.problem.set_scale(scale.clone());
        let found = match self.smooth {
            true => sqp::minimise_by_sqp(&mut self.problem, &start, iterations_max, TOLERANCE),
            false => {
                cobyla::minimise_by_cobyla(&mut self.problem, &start, iterations_max, TOLERANCE)
            }
        };
        self.problem.set_scale(ProblemScale::one(x.len()));
        self.problem.limit = None;
        let end = match found {
            Ok(found) => scale.outside(&found.at.x),
            Err(OptimiseError::Infeasible(_) | OptimiseError::NotFinite(_)) => x.to_vec(),
            Err(error) => return Err(error),
        };
        let key = self.value(&end)?;
        Ok((end, key))
    }

    /// Descends from a point to a local minimum and notes it as the end of a search.
    ///
    /// # Errors
    /// As [`GlobalSearch::at`].
    pub(super) fn descend(&mut self, x: &[f64]) -> Result<(Vec<f64>, f64), OptimiseError> {
        let found = self.settle(x, 0.0)?;
        self.end(&found.0, found.1);
        Ok(found)
    }

    /// The largest difference of a coordinate, in the unit cube, between the ends at the best value.
    pub(super) fn spread(&self) -> f64 {
        let bar = self.bar();
        let best = || {
            self.ends
                .iter()
                .filter(|end| end.0 <= bar)
                .map(|end| &end.1)
        };
        let width = |index: usize| {
            let (low, high) = best().fold((1.0_f64, 0.0_f64), |(low, high), unit| {
                (low.min(unit[index]), high.max(unit[index]))
            });
            (high - low).max(0.0)
        };
        (0..self.dimension()).map(width).fold(0.0, f64::max)
    }

    /// Values up to here are the best one.
    fn bar(&self) -> f64 {
        self.best.0 + SAME * self.best.0.abs().max(self.resolution())
    }

    /// How many searches ended at the best value.
    pub(super) fn agreeing(&self) -> usize {
        let bar = self.bar();
        self.ends.iter().filter(|end| end.0 <= bar).count()
    }

    /// Whether the searches have probably met every local minimum: from w different ones at the ends of N searches, w (N - 1) / (N - w - 2)
    /// are expected to exist.
    ///
    /// # References
    /// C. G. E. Boender, A. H. G. Rinnooy Kan, "Bayesian stopping rules for multistart global optimization methods", Mathematical
    /// Programming 37, 1987.
    pub(super) fn is_exhausted(&self) -> bool {
        const UNSEEN: f64 = 0.5;
        let mut ends: Vec<f64> = self.ends.iter().map(|end| end.0).collect();
        ends.sort_by(f64::total_cmp);
        let unit = self.resolution();
        let step = |pair: &&[f64]| pair[1] - pair[0] > SAME * pair[1].abs().max(unit);
        let different = 1.0 + ends.windows(2).filter(step).count() as f64;
        let count = ends.len() as f64;
        self.agreeing() >= 2
            && count > different + 2.0
            && different * (count - 1.0) / (count - different - 2.0) <= different + UNSEEN
    }

    /// The evaluations that a share of the rest of the budget reaches to.
    pub(super) fn share(&self, part: f64) -> u64 {
        let left = self.limit.saturating_sub(self.spent()) as f64;
        self.spent() + (part * left).ceil() as u64
    }

    /// Evaluations that a gradient takes.
    pub(super) fn gradient_cost(&self) -> u64 {
        if self.smooth {
            1
        } else {
            2 * self.dimension() as u64 + 1
        }
    }

    /// Largest component of the projected gradient at the best point.
    ///
    /// # Errors
    /// A stop request or a budget of the call.
    pub(super) fn slope(&mut self) -> Result<f64, OptimiseError> {
        let (value, x) = self.best.clone();
        let gradient = self.problem.target.gradient(&x, value)?;
        Ok(max_abs(&self.bounds.descent(&x, &gradient)))
    }
}

impl SmoothFunction for GlobalSearch<'_> {
    fn value(&mut self, x: &[f64]) -> Result<f64, OptimiseError> {
        /// Feasible points that tell by how much values differ.
        const FEASIBLE: usize = 32;
        self.afford()?;
        let value = match self.is_constrained() {
            true => self.key(x)?,
            false => self.problem.target.value(x)?,
        };
        if self.range.is_none() && value.is_finite() && value < INFEASIBLE {
            self.seen.push(value);
            // Where constraints leave it open how many points have a value, those of the searches tell.
            if self.is_constrained() && self.seen.len() == FEASIBLE {
                self.range = Some(self.seen_range());
            }
        }
        if value < self.best.0 {
            self.best = (value, x.to_vec());
        }
        Ok(value)
    }

    fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, OptimiseError> {
        self.afford()?;
        self.problem.target.gradient(x, value)
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, OptimiseError> {
        self.afford()?;
        self.problem.target.hessian_times(x, v)
    }

    fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        self.problem.target.gradient_noise(x, value)
    }
}
