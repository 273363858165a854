//! [`Search`]: the objective in the unit cube, its budget, and what has been found.

use tool_core::rng::StreamRng;
use tool_core::{Ctx, Seed, ToolError};

use crate::linalg::dense::max_abs;
use crate::optimise::minimise::bounds::Bounds;
use crate::optimise::minimise::lbfgs;
use crate::optimise::minimise::smooth::Smooth;
use crate::optimise::minimise::target::Target;

/// The reason of the error that ends a method whose evaluations are used up; it never leaves this folder.
const SPENT: &str = "global_budget_spent";

/// Values that differ by less, relative to their size or to 1, are those of one minimum.
const SAME: f64 = 1e-8;

/// The state of a global search.
pub(super) struct Search<'a> {
    pub target: Target<'a>,
    pub bounds: Bounds,
    pub ctx: &'a Ctx,
    pub seed: Seed,
    /// Whether local searches have gradients to follow.
    pub smooth: bool,
    /// Evaluations that the current method may use, counted from the first of all.
    pub limit: u64,
    /// The best value and its point.
    pub best: (f64, Vec<f64>),
    /// Values at the ends of independent searches.
    pub ends: Vec<f64>,
    streams: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        target: Target<'a>,
        bounds: Bounds,
        (ctx, seed): (&'a Ctx, Seed),
        smooth: bool,
    ) -> Self {
        let centre = bounds.low.clone();
        Self {
            target,
            bounds,
            ctx,
            seed,
            smooth,
            limit: u64::MAX,
            best: (f64::INFINITY, centre),
            ends: Vec::new(),
            streams: 0,
        }
    }

    pub(super) fn dimension(&self) -> usize {
        self.bounds.low.len()
    }

    /// A generator of its own for each part of the search.
    pub(super) fn rng(&mut self) -> StreamRng {
        self.streams += 1;
        self.ctx.rng(self.seed, self.streams)
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
    /// Those of the target, and one that [`Search::within`] takes back when the budget is used up.
    pub(super) fn at(&mut self, unit: &[f64]) -> Result<f64, ToolError> {
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
        method: impl FnOnce(&mut Self) -> Result<(), ToolError>,
    ) -> Result<bool, ToolError> {
        let outer = std::mem::replace(&mut self.limit, limit);
        self.limit = self.limit.min(outer);
        let outcome = method(self);
        self.limit = outer;
        match outcome {
            Err(error) if error.reason_str() == Some(SPENT) => Ok(false),
            other => other.map(|()| true),
        }
    }

    fn afford(&self) -> Result<(), ToolError> {
        if self.target.evaluations < self.limit {
            return Ok(());
        }
        Err(ToolError::numeric("/max_evals", "the evaluations are used up").reason(SPENT))
    }

    /// Descends from a point to a local minimum; without gradients the point itself is the end.
    ///
    /// # Errors
    /// As [`Search::at`].
    pub(super) fn settle(&mut self, x: &[f64]) -> Result<(Vec<f64>, f64), ToolError> {
        const ITERATIONS_MAX: u64 = 200;
        const TOLERANCE: f64 = 1e-6;
        if !self.smooth {
            return Ok((x.to_vec(), self.value(x)?));
        }
        let bounds = self.bounds.clone();
        let found = lbfgs::descend(self, &bounds, x, ITERATIONS_MAX, TOLERANCE)?;
        Ok((found.x, found.value))
    }

    /// Descends from a point to a local minimum and notes it as the end of a search.
    ///
    /// # Errors
    /// As [`Search::at`].
    pub(super) fn descend(&mut self, x: &[f64]) -> Result<(Vec<f64>, f64), ToolError> {
        let found = self.settle(x)?;
        self.ends.push(found.1);
        Ok(found)
    }

    /// How many searches ended at the best value.
    pub(super) fn agreeing(&self) -> usize {
        let bar = self.best.0 + SAME * self.best.0.abs().max(1.0);
        self.ends.iter().filter(|end| **end <= bar).count()
    }

    /// Whether the searches have probably met every local minimum: from w different ones at the ends of N searches, w (N - 1) / (N - w - 2)
    /// are expected to exist.
    ///
    /// # References
    /// C. G. E. Boender, A. H. G. Rinnooy Kan, "Bayesian stopping rules for multistart global optimization methods", Mathematical
    /// Programming 37, 1987.
    pub(super) fn is_exhausted(&self) -> bool {
        const UNSEEN: f64 = 0.5;
        let mut ends = self.ends.clone();
        ends.sort_by(f64::total_cmp);
        let step = |pair: &&[f64]| pair[1] - pair[0] > SAME * pair[1].abs().max(1.0);
        let different = 1.0 + ends.windows(2).filter(step).count() as f64;
        let count = ends.len() as f64;
        self.agreeing() >= 2
            && count > different + 2.0
            && different * (count - 1.0) / (count - different - 2.0) <= different + UNSEEN
    }

    /// The evaluations that a share of the rest of the budget reaches to.
    pub(super) fn share(&self, part: f64) -> u64 {
        let left = self.limit.saturating_sub(self.target.evaluations) as f64;
        self.target.evaluations + (part * left).ceil() as u64
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
    pub(super) fn slope(&mut self) -> Result<f64, ToolError> {
        let (value, x) = self.best.clone();
        let gradient = self.target.gradient(&x, value)?;
        Ok(max_abs(&self.bounds.descent(&x, &gradient)))
    }
}

impl Smooth for Search<'_> {
    fn value(&mut self, x: &[f64]) -> Result<f64, ToolError> {
        self.afford()?;
        let value = self.target.value(x)?;
        if value < self.best.0 {
            self.best = (value, x.to_vec());
        }
        Ok(value)
    }

    fn gradient(&mut self, x: &[f64], value: f64) -> Result<Vec<f64>, ToolError> {
        self.afford()?;
        self.target.gradient(x, value)
    }

    fn hessian_times(&mut self, x: &[f64], v: &[f64]) -> Result<Option<Vec<f64>>, ToolError> {
        self.afford()?;
        self.target.hessian_times(x, v)
    }

    fn gradient_noise(&self, x: &[f64], value: f64) -> f64 {
        self.target.gradient_noise(x, value)
    }
}
