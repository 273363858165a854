//! The adaptive integrator: panels in a heap, the worst halved first, with places that need more care handed on.

use std::collections::BinaryHeap;

use super::chart::RangeChart;
use super::panel::{ChartSpan, PanelEstimate, QuadraturePanel};
use super::rule::POINTS;
use super::{QuadratureEnd, QuadratureError, Values};
use crate::watch::Watch;

/// State of an integration.
pub(super) struct QuadratureEngine<'f, 'g> {
    f: &'f mut Values<'g>,
    watch: &'f dyn Watch,
    pub(super) charts: Vec<RangeChart>,
    pub(super) evaluations: u64,
    pub(super) evaluations_max: u64,
    /// Relative and absolute tolerance.
    pub(super) tolerances: (f64, f64),
    /// Panels that may be halved.
    pub(super) heap: BinaryHeap<QuadraturePanel>,
    /// Panels whose error is that of rounding.
    pub(super) done: Vec<QuadraturePanel>,
    /// Contributions of ends and of singular places.
    pub(super) settled: Vec<PanelEstimate>,
    /// Singular places inside.
    pub(super) singular: Vec<f64>,
    /// Whether a sum over half-waves was extrapolated.
    pub(super) oscillates: bool,
    /// Whether halving is all that is allowed.
    pub(super) is_plain: bool,
    /// Whether ends are summed by half-waves from the start.
    pub(super) by_waves: bool,
}

impl<'f, 'g> QuadratureEngine<'f, 'g> {
    pub(super) fn new(
        f: &'f mut Values<'g>,
        charts: Vec<RangeChart>,
        watch: &'f dyn Watch,
    ) -> Self {
        Self {
            f,
            watch,
            charts,
            evaluations: 0,
            evaluations_max: 0,
            tolerances: (0.0, 0.0),
            heap: BinaryHeap::new(),
            done: Vec::new(),
            settled: Vec::new(),
            singular: Vec::new(),
            oscillates: false,
            is_plain: false,
            by_waves: false,
        }
    }

    /// Values of the integrand.
    pub(super) fn values(&mut self, places: &[f64]) -> Result<Vec<f64>, QuadratureError> {
        let mut values = vec![f64::NAN; places.len()];
        self.watch.check()?;
        self.watch.count_evaluations(places.len() as u64)?;
        (self.f)(places, &mut values)?;
        self.evaluations += places.len() as u64;
        Ok(values)
    }

    /// The rule on each interval.
    pub(super) fn measure(
        &mut self,
        spans: &[ChartSpan],
    ) -> Result<Vec<QuadraturePanel>, QuadratureError> {
        let mut places = Vec::with_capacity(2 * POINTS * spans.len());
        for span in spans {
            let chart = self.charts[span.chart];
            let nodes = span.nodes();
            places.extend(nodes.map(|u| chart.place(u).0));
            if let RangeChart::Pair { origin, .. } = chart {
                places.extend(nodes.map(|u| origin - chart.rounded(u)));
            }
        }
        let values = self.values(&places)?;
        let mut from = 0;
        let mut panels = Vec::with_capacity(spans.len());
        for span in spans {
            let chart = self.charts[span.chart];
            let branches = if matches!(chart, RangeChart::Pair { .. }) {
                2
            } else {
                1
            };
            let mut given = Vec::with_capacity(branches);
            for _ in 0..branches {
                let to = from + POINTS;
                given.push((places[from..to].to_vec(), values[from..to].to_vec()));
                from = to;
            }
            panels.push(QuadraturePanel::new(*span, &chart, &given));
        }
        Ok(panels)
    }

    /// Sum of everything so far, in a fixed order.
    pub(super) fn total(&self) -> PanelEstimate {
        let panels = self.heap.iter().chain(&self.done);
        let mut parts: Vec<((usize, u64), PanelEstimate)> = panels
            .map(|panel| ((panel.span.chart, panel.span.low.to_bits()), panel.part))
            .collect();
        parts.sort_unstable_by_key(|(place, _)| *place);
        let parts = self
            .settled
            .iter()
            .copied()
            .chain(parts.into_iter().map(|(_, part)| part));
        let mut sum = PanelEstimate::default();
        let mut lost = 0.0;
        for part in parts {
            let before = sum.value;
            sum = sum.plus(part);
            // Neumaier's compensation.
            lost += if before.abs() >= part.value.abs() {
                (before - sum.value) + part.value
            } else {
                (part.value - sum.value) + before
            };
        }
        sum.value += lost;
        sum
    }

    /// The tolerance for an integral of this size.
    pub(super) fn target(&self, total: &PanelEstimate) -> f64 {
        let (relative, absolute) = self.tolerances;
        absolute.max(relative * total.value.abs())
    }

    /// Halves every panel that two rules do not agree on to rounding, so that it is known how the error falls.
    pub(super) fn halve_all(&mut self) -> Result<(), QuadratureError> {
        let parents = std::mem::take(&mut self.heap).into_vec();
        let spans: Vec<ChartSpan> = parents
            .iter()
            .flat_map(|panel| panel.span.halves())
            .collect();
        for (index, child) in self.measure(&spans)?.into_iter().enumerate() {
            self.check_defined(&child)?;
            self.keep(child.below(&parents[index / 2]));
        }
        Ok(())
    }

    /// Halves the worst panels until the error is as asked for, or nothing is gained.
    pub(super) fn refine(&mut self) -> Result<QuadratureEnd, QuadratureError> {
        const BATCH: usize = 32;
        let mut running = self.total();
        let mut rounds = 0_u64;
        loop {
            rounds += 1;
            if rounds.is_multiple_of(64) {
                running = self.total(); // differences of large errors leave rounding errors behind
            }
            if running.error + running.noise <= self.target(&running) || !running.value.is_finite()
            {
                running = self.total();
                if running.error + running.noise <= self.target(&running) {
                    return Ok(QuadratureEnd::Tolerance);
                }
            }
            let Some(worst) = self.heap.peek().map(|panel| panel.part.error) else {
                return Ok(QuadratureEnd::Rounding);
            };
            if self.evaluations >= self.evaluations_max {
                return Ok(QuadratureEnd::Evaluations);
            }
            if worst <= 1e-3 * running.noise {
                running = self.total();
                if running.error <= 0.1 * running.noise {
                    return Ok(QuadratureEnd::Rounding);
                }
            }
            let mut parents = Vec::new();
            while let Some(next) = self.heap.peek() {
                let is_bad = next.part.error >= worst / 50.0;
                if parents.len() >= BATCH || !is_bad {
                    break;
                }
                parents.extend(self.heap.pop());
            }
            let mut plain = Vec::new();
            let mut cared = false;
            for panel in parents {
                match self.care(panel)? {
                    Some(panel) => plain.push(panel),
                    None => cared = true,
                }
            }
            let spans: Vec<ChartSpan> =
                plain.iter().flat_map(|panel| panel.span.halves()).collect();
            let children = self.measure(&spans)?;
            for (index, child) in children.into_iter().enumerate() {
                let parent = &plain[index / 2];
                let child = child.below(parent);
                if !self.is_narrow(child.span) {
                    self.check_defined(&child)?;
                }
                if index % 2 == 0 {
                    running = subtract_part(running, parent.part);
                }
                running = running.plus(child.part);
                self.keep(child);
            }
            if cared || !running.error.is_finite() {
                running = self.total();
            }
        }
    }

    /// Puts a panel where it belongs.
    pub(super) fn keep(&mut self, panel: QuadraturePanel) {
        if panel.is_rounded() {
            self.done.push(panel);
        } else {
            self.heap.push(panel);
        }
    }

    /// A function without a value on a whole panel has no integral, unless the end is there.
    pub(super) fn check_defined(&self, panel: &QuadraturePanel) -> Result<(), QuadratureError> {
        if panel.undefined < POINTS || (panel.span.low == 0.0 && !self.is_plain) {
            return Ok(());
        }
        let at = self.charts[panel.span.chart]
            .place(panel.span.nodes()[POINTS / 2])
            .0;
        Err(QuadratureError::Undefined { at })
    }

    /// Whether an interval has too few doubles to be halved.
    pub(super) fn is_narrow(&self, span: ChartSpan) -> bool {
        let (x, stretch) = self.charts[span.chart].place(span.high);
        let width = span.high - span.low;
        let resolution = f64::EPSILON * span.high.max(x.abs() / stretch);
        span.low > 0.0 && width <= 16.0 * resolution || width <= f64::MIN_POSITIVE
    }

    /// Hands a panel on that halving does not help; gives back what is to be halved.
    fn care(&mut self, panel: QuadraturePanel) -> Result<Option<QuadraturePanel>, QuadratureError> {
        const SLOW_AT_END: u32 = 4;
        const DEPTH_AT_END: u32 = 6;
        const SLOW_INSIDE: u32 = 5;
        const DEPTH_INSIDE: u32 = 7;
        let span = panel.span;
        let chart = self.charts[span.chart];
        let is_stuck = panel.slow >= SLOW_AT_END || panel.depth >= DEPTH_AT_END;
        if span.low == 0.0 && !self.is_plain && is_stuck {
            self.ladder(span.chart, span.high)?;
            return Ok(None);
        }
        if self.is_narrow(span) || span.low == 0.0 && span.high <= chart.floor() {
            let mut panel = panel;
            if !panel.part.error.is_finite() {
                let sizes = panel.values.iter().map(|value| value.abs());
                panel.part.error = sizes.fold(0.0, f64::max) * (span.high - span.low) * 64.0;
            }
            self.done.push(panel);
            return Ok(None);
        }
        let inside = span.low > 0.0 && !matches!(chart, RangeChart::Pair { .. }) && !self.is_plain;
        if inside && panel.slow >= SLOW_INSIDE && panel.depth >= DEPTH_INSIDE {
            self.locate(panel)?;
            return Ok(None);
        }
        Ok(Some(panel))
    }

    /// Ends of the part of the range that holds all but a thousandth of the integral of the magnitude.
    pub(super) fn bulk(&self) -> (f64, f64) {
        const REST: f64 = 5e-4;
        let place = |panel: &QuadraturePanel| {
            let chart = &self.charts[panel.span.chart];
            let ends = [
                chart.place(panel.span.low).0,
                chart.place(panel.span.high).0,
            ];
            (
                ends[0].min(ends[1]),
                ends[0].max(ends[1]),
                panel.part.absolute,
            )
        };
        let mut pieces: Vec<(f64, f64, f64)> =
            self.heap.iter().chain(&self.done).map(place).collect();
        pieces.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: f64 = pieces.iter().map(|piece| piece.2).sum();
        let mut sum = 0.0;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (from, to, part) in pieces {
            if sum + part > REST * all && sum < (1.0 - REST) * all {
                low = low.min(from);
                high = high.max(to);
            }
            sum += part;
        }
        if low < high {
            (low.max(-1e3), high.min(1e3))
        } else {
            (-10.0, 10.0)
        }
    }
}

fn subtract_part(sum: PanelEstimate, part: PanelEstimate) -> PanelEstimate {
    PanelEstimate {
        value: sum.value - part.value,
        error: (sum.error - part.error).max(0.0),
        noise: (sum.noise - part.noise).max(0.0),
        absolute: sum.absolute - part.absolute,
    }
}
