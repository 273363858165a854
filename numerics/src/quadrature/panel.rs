//! [`QuadraturePanel`]: a rule on one interval of a chart, with its error and the rounding errors of its values.

use std::cmp::Ordering;

use super::chart::RangeChart;
use super::rule::{NODES, POINTS, legendre_roughness};

/// An interval of a chart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ChartSpan {
    pub(super) chart: usize,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl ChartSpan {
    pub(super) fn new(chart: usize, low: f64, high: f64) -> Self {
        Self { chart, low, high }
    }

    /// Both halves.
    pub(super) fn halves(self) -> [Self; 2] {
        let Self { chart, low, high } = self;
        let middle = low + (high - low) / 2.0;
        [
            Self::new(chart, low, middle),
            Self::new(chart, middle, high),
        ]
    }

    /// The coordinates of the nodes.
    pub(super) fn nodes(&self) -> [f64; POINTS] {
        let half = (self.high - self.low) / 2.0;
        NODES.map(|[node, ..]| self.low + half * (1.0 + node))
    }
}

/// What an interval contributes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PanelEstimate {
    pub(super) value: f64,
    /// Estimate of the error of the rule.
    pub(super) error: f64,
    /// Bound on the rounding errors.
    pub(super) noise: f64,
    /// Integral of the magnitude.
    pub(super) absolute: f64,
}

impl PanelEstimate {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            error: self.error + other.error,
            noise: self.noise + other.noise,
            absolute: self.absolute + other.absolute,
        }
    }
}

/// A rule on an interval.
#[derive(Debug, Clone)]
pub(super) struct QuadraturePanel {
    pub(super) span: ChartSpan,
    pub(super) part: PanelEstimate,
    /// Halvings since the first interval.
    pub(super) depth: u32,
    /// Halvings in a row that the error hardly felt.
    pub(super) slow: u32,
    /// Values at the nodes; 0 where there is none.
    pub(super) values: [f64; POINTS],
    /// Nodes without a finite value.
    pub(super) undefined: usize,
    /// Difference of the two rules.
    raw: f64,
}

impl QuadraturePanel {
    /// The error is the larger of the difference of the rules and of what the highest Legendre coefficients say, since the first can be
    /// small by chance.
    ///
    /// From the places and values of each branch of the integrand, `dx/du` included in neither.
    pub(super) fn new(
        span: ChartSpan,
        chart: &RangeChart,
        branches: &[(Vec<f64>, Vec<f64>)],
    ) -> Self {
        const FEW_DOUBLES: f64 = 128.0;
        const ROUGH: f64 = 1.5;
        /// Rounding errors reach the coefficients enlarged.
        const ROUNDED: f64 = 8.0;
        let nodes = span.nodes();
        let mut values = [0.0; POINTS];
        let mut noise = [0.0; POINTS];
        let mut undefined = [false; POINTS];
        for (places, given) in branches {
            let slope =
                |a: usize, b: usize| ((given[b] - given[a]) / (places[b] - places[a])).abs();
            for index in 0..POINTS {
                let (x, y) = (places[index], given[index]);
                if !y.is_finite() {
                    undefined[index] = true;
                    continue;
                }
                let stretch = chart.place(nodes[index]).1;
                let left = if index > 0 {
                    slope(index - 1, index)
                } else {
                    0.0
                };
                let right = if index + 1 < POINTS {
                    slope(index, index + 1)
                } else {
                    0.0
                };
                let steep = [left, right].into_iter().filter(|slope| slope.is_finite());
                let steep = steep.fold(0.0, f64::max);
                values[index] += y * stretch;
                noise[index] += f64::EPSILON * (2.0 * y.abs() + x.abs() * steep) * stretch;
                if !values[index].is_finite() {
                    undefined[index] = true;
                }
            }
        }
        let undefined_count = undefined.iter().filter(|one| **one).count();
        for index in 0..POINTS {
            if undefined[index] {
                (values[index], noise[index]) = (0.0, 0.0);
            }
        }
        let half = (span.high - span.low) / 2.0;
        let sum = |of: &dyn Fn(usize) -> f64| (0..POINTS).map(of).sum::<f64>() * half;
        let value = sum(&|i| NODES[i][1] * values[i]);
        let gauss = sum(&|i| NODES[i][2] * values[i]);
        let noise = sum(&|i| NODES[i][1] * noise[i]);
        let rough = ROUGH * half * legendre_roughness(&values);
        let rough = if rough > ROUNDED * noise { rough } else { 0.0 };
        let absolute = sum(&|i| NODES[i][1] * values[i].abs());
        let (x, stretch) = chart.place(span.high);
        let resolution = f64::EPSILON * span.high.max(x.abs() / stretch);
        let error = if undefined_count > 0 {
            f64::INFINITY
        } else if span.high - span.low <= FEW_DOUBLES * resolution {
            absolute // so few doubles that rules say little
        } else {
            (value - gauss).abs().max(rough)
        };
        let part = PanelEstimate {
            value,
            error,
            noise,
            absolute,
        };
        let (depth, slow) = (0, 0);
        let (raw, undefined) = (part.error, undefined_count);
        Self {
            span,
            part,
            depth,
            slow,
            values,
            undefined,
            raw,
        }
    }

    /// Made by halving another.
    ///
    /// Where the error falls slowly there is a singularity, of which both rules miss about the same part: for a power, `K - G` is the
    /// error times about one minus the ratio of the errors.
    pub(super) fn below(mut self, parent: &Self) -> Self {
        /// The error of a smooth function falls by far more.
        const FELT: f64 = 8.0;
        const SHARE_MIN: f64 = 0.01;
        self.depth = parent.depth + 1;
        let is_slow = self.raw >= parent.raw / FELT;
        self.slow = if is_slow { parent.slow + 1 } else { 0 };
        if self.raw.is_finite() && (is_slow && self.raw > self.part.noise || self.slow > 2) {
            let ratio = if parent.raw.is_finite() {
                self.raw / parent.raw
            } else {
                1.0
            };
            self.part.error = self.raw / (1.0 - ratio).max(SHARE_MIN);
        }
        self
    }

    /// Whether halving it can gain anything.
    pub(super) fn is_rounded(&self) -> bool {
        self.raw <= self.part.noise && self.part.error <= 2.0 * self.part.noise
    }
}

/// By error; among equals by place, so that the order is always the same.
impl Ord for QuadraturePanel {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |one: &Self| (one.span.chart, one.span.low.to_bits());
        let errors = self.part.error.total_cmp(&other.part.error);
        errors.then_with(|| place(other).cmp(&place(self)))
    }
}

impl PartialOrd for QuadraturePanel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QuadraturePanel {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for QuadraturePanel {}
