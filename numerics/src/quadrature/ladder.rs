//! An end of the range, finite or infinite, where the integrand is not smooth: intervals that halve towards it, and the limit of their sum.

use std::collections::BinaryHeap;

use super::QuadratureError;
use super::chart::RangeChart;
use super::engine::QuadratureEngine;
use super::epsilon::EpsilonTable;
use super::panel::{ChartSpan, PanelEstimate, QuadraturePanel};
use super::rule::POINTS;

/// Sums over the rungs so far.
#[derive(Debug, Default)]
struct LadderClimb {
    rungs: Vec<PanelEstimate>,
    sum: PanelEstimate,
    limits: EpsilonTable,
    /// The best estimate: value, error, and the rounding of the rungs up to it.
    best: Option<(f64, f64, f64)>,
    best_at: usize,
}

/// What the rungs say about the rest.
enum LadderVerdict {
    Continue,
    Settled,
}

impl QuadratureEngine<'_, '_> {
    /// Integrates a chart from its end to a coordinate, over intervals that halve towards the end.
    ///
    /// The sum ends when the rest is small: by the rule on the rest, by the ratio of the last rungs, or by the epsilon algorithm.
    ///
    /// # Errors
    /// [`Fault::Divergent`] where the rungs do not become smaller, [`Fault::Undefined`] where there are no values.
    pub(super) fn ladder(&mut self, chart: usize, high: f64) -> Result<(), QuadratureError> {
        const SMOOTH: f64 = 0.02;
        const SURE: f64 = 1e-4;
        const PANELS_MAX: usize = 4096;
        const ROUNDED: f64 = 16.0 * f64::EPSILON;
        let mut climb = LadderClimb::default();
        let asked = self.target(&self.total()).max(f64::MIN_POSITIVE);
        let floor = self.charts[chart].floor();
        let (mut high, mut smooth, mut waves) = (high, 0, Vec::new());
        let mut low_is_reached;
        loop {
            // The rest of the integral may not be known yet; rounding errors of the rungs remain whatever it is.
            let target = asked.max(ROUNDED * climb.sum.absolute);
            let low = high / 2.0;
            low_is_reached = low < floor;
            if low_is_reached || self.evaluations >= self.evaluations_max {
                break;
            }
            let measured = self.measure(&[
                ChartSpan::new(chart, low, high),
                ChartSpan::new(chart, 0.0, low),
            ])?;
            let [rung, rest] =
                <[QuadraturePanel; 2]>::try_from(measured).expect("two intervals were measured");
            if rung.undefined > 0 && climb.is_divergent() {
                return Err(self.divergent(chart));
            }
            if rung.undefined == POINTS {
                if climb.rungs.is_empty() || !climb.is_over(target) {
                    let at = self.charts[chart].place(rung.span.nodes()[POINTS / 2]).0;
                    return Err(QuadratureError::Undefined { at });
                }
                break;
            }
            let (part, panels) = self.rung(rung, target)?;
            climb.push(part);
            waves.push(panels);
            if self.is_wavy(chart, &waves, &climb) && self.march(chart, low, target, climb.sum)? {
                return Ok(());
            }
            // Where the end is singular, both rules miss about the same part of what is left.
            let is_sure = rest.part.error <= (SURE * rest.part.absolute).max(rest.part.noise);
            let is_small = rest.part.error + rest.part.noise <= SMOOTH * target;
            smooth = if is_sure && is_small { smooth + 1 } else { 0 };
            if smooth == 2 {
                self.settled.push(climb.sum.plus(rest.part));
                return Ok(());
            }
            match climb.judge(target) {
                LadderVerdict::Continue if panels > PANELS_MAX && climb.best.is_some() => break,
                LadderVerdict::Continue => {}
                LadderVerdict::Settled => break,
            }
            high = low;
        }
        if low_is_reached && climb.is_divergent() {
            return Err(self.divergent(chart));
        }
        let mut part = climb.sum;
        let unknown = (part.value, f64::INFINITY, part.noise);
        (part.value, part.error, part.noise) = climb.best.unwrap_or(unknown);
        let value = part.value;
        part.absolute = part.absolute.max(value.abs());
        self.settled.push(part);
        Ok(())
    }

    pub(super) fn divergent(&self, chart: usize) -> QuadratureError {
        match self.charts[chart] {
            RangeChart::Near { origin, .. } | RangeChart::Pair { origin, .. } => {
                QuadratureError::Divergent { at: origin }
            }
            RangeChart::Far { sign, .. } => QuadratureError::Divergent {
                at: sign * f64::INFINITY,
            },
        }
    }

    /// One rung, halved where it needs to be; and the number of panels.
    pub(super) fn rung(
        &mut self,
        first: QuadraturePanel,
        target: f64,
    ) -> Result<(PanelEstimate, usize), QuadratureError> {
        const PANELS_MAX: usize = 50_000;
        const SHARE: f64 = 1e-3;
        const FEW: usize = 6;
        const BATCH: usize = 24;
        /// Errors below this part of the integral that twice as many panels do not halve are rounding of the integrand, which its values do
        /// not show; while the integral is 0 so far, nothing else ends the halving.
        const FAINT: f64 = 1e-8;
        let fine = SHARE * target;
        let mut before = (32, f64::INFINITY);
        let mut heap = BinaryHeap::new();
        let mut done = PanelEstimate::default();
        let mut count = 1;
        let mut open = first.part;
        heap.push(first);
        // Errors of rungs are enlarged in the limit, so the first few halvings go beyond the tolerance.
        let is_open = |open: &PanelEstimate, count| {
            open.error > fine || count < FEW && open.error > open.noise
        };
        while is_open(&open, count) && count < PANELS_MAX && self.evaluations < self.evaluations_max
        {
            let mut parents = Vec::new();
            let worst = heap
                .peek()
                .map_or(0.0, |panel: &QuadraturePanel| panel.part.error);
            while parents.len() < BATCH
                && heap
                    .peek()
                    .is_some_and(|panel| panel.part.error >= worst / 50.0)
            {
                let panel: QuadraturePanel = heap.pop().expect("it was seen");
                if panel.is_rounded() || self.is_narrow(panel.span) {
                    done = done.plus(panel.part);
                } else {
                    parents.push(panel);
                }
            }
            if parents.is_empty() && heap.is_empty() {
                break;
            }
            let spans: Vec<ChartSpan> = parents
                .iter()
                .flat_map(|panel| panel.span.halves())
                .collect();
            for child in self.measure(&spans)? {
                self.check_defined(&child)?;
                count += 1;
                heap.push(child);
            }
            open = heap
                .iter()
                .map(|panel| panel.part)
                .fold(PanelEstimate::default(), PanelEstimate::plus);
            if count >= 2 * before.0 {
                if open.error > before.1 / 2.0 && open.error <= FAINT * open.absolute {
                    break;
                }
                before = (count, open.error);
            }
        }
        let mut rest: Vec<QuadraturePanel> = heap.into_vec();
        rest.sort_by(|a, b| a.span.low.total_cmp(&b.span.low));
        let parts = rest.into_iter().map(|panel| panel.part);
        Ok((parts.fold(done, PanelEstimate::plus), count))
    }

    /// Whether the rungs need ever more panels for contributions that cancel.
    fn is_wavy(&self, chart: usize, panels: &[usize], climb: &LadderClimb) -> bool {
        if matches!(self.charts[chart], RangeChart::Pair { .. }) {
            return false;
        }
        if self.by_waves {
            return panels.len() >= 3;
        }
        let [.., before, last] = panels else {
            return false;
        };
        let [.., a, b] = climb.rungs.as_slice() else {
            return false;
        };
        *last >= 9 && *last as f64 >= 1.3 * *before as f64 && b.absolute >= 0.05 * a.absolute
    }
}

impl LadderClimb {
    fn push(&mut self, rung: PanelEstimate) {
        self.rungs.push(rung);
        self.sum = self.sum.plus(rung);
    }

    /// Ratio of a rung to the one before; NaN where there is none.
    fn ratio(&self, back: usize) -> f64 {
        let count = self.rungs.len();
        if count < back + 2 {
            return f64::NAN;
        }
        self.rungs[count - 1 - back].value / self.rungs[count - 2 - back].value
    }

    /// Whether the rungs, all of them seen, do not become smaller, or by no more than those of `1/(x log x)`.
    fn is_divergent(&self) -> bool {
        const FLAT: f64 = 1e-6;
        const NOISY: f64 = 1e-3;
        const FEW: usize = 6;
        let count = self.rungs.len();
        // Of the later half those that rounding has not spoiled; what is smooth beside a pole halves with each rung.
        let noise = |rung: &PanelEstimate| rung.noise / rung.value.abs();
        let clear = |index: &usize| *index >= count / 2 && noise(&self.rungs[*index]) < NOISY;
        let clear: Vec<usize> = (1..count).filter(clear).collect();
        let is_level = |index: usize| {
            let ratio = self.rungs[index].value / self.rungs[index - 1].value;
            let allowed = FLAT + 4.0 * noise(&self.rungs[index]) + 16.0 * (-(index as f64)).exp2();
            ratio >= 1.0 - allowed
        };
        if clear.len() >= FEW && clear.iter().all(|&index| is_level(index)) {
            return true;
        }
        let raabe = count as f64 * (1.0 / self.ratio(0) - 1.0);
        count >= 200 && self.ratio(0) > 0.98 && (0.0..=1.002).contains(&raabe)
    }

    /// Whether the rungs have become negligible.
    fn is_over(&self, target: f64) -> bool {
        let count = self.rungs.len();
        let last = self.rungs.iter().skip(count.saturating_sub(2));
        count >= 2 && last.map(|rung| rung.absolute).fold(0.0, f64::max) <= 0.1 * target
    }

    /// Looks at the rungs after each one.
    fn judge(&mut self, target: f64) -> LadderVerdict {
        const SAFETY: f64 = 4.0;
        /// Rungs without a better estimate until the search ends.
        const PATIENCE: usize = 24;
        let count = self.rungs.len();
        let ratio = self.ratio(0);
        let raabe = count as f64 * (1.0 / ratio - 1.0);
        let (limit, spread) = self.limits.push(self.sum.value);
        if count < 4 {
            return LadderVerdict::Continue;
        }
        let recent = (0..3).map(|back| self.ratio(back).abs());
        let recent = recent.fold(0.0, |most, ratio| {
            if ratio > most || ratio.is_nan() {
                ratio
            } else {
                most
            }
        });
        let noise = self.sum.noise + self.sum.error;
        let last = self.rungs[count - 1];
        let zero = self.rungs[count - 3..]
            .iter()
            .all(|rung| rung.absolute == 0.0);
        // A ratio that is still on its way to 1 belongs to a logarithm, whose sums no sequence method is sure of.
        let drift = (ratio - self.ratio(1)).abs() * (count * count) as f64;
        let is_geometric = count as f64 * (1.0 - recent) >= 6.0
            || count >= 6 && recent <= 0.6
            || drift <= 0.01 * (1.0 - recent);
        let gap = (1.0 - recent).max(1e-6);
        let mut candidates = Vec::new();
        if zero {
            candidates.push((self.sum.value, 0.0));
        }
        if recent < 0.95 {
            let rest = last.absolute.max(last.value.abs()) * recent / gap;
            candidates.push((self.sum.value, 2.0 * rest));
        }
        // A table that has seen other ratios before may point elsewhere.
        let rest = last.absolute.max(last.value.abs()) * recent / gap;
        let is_near = (limit - self.sum.value).abs() <= 4.0 * rest + noise;
        if is_geometric && recent < 1.0 && is_near {
            candidates.push((limit, SAFETY * spread + noise * 4.0 / (gap * gap)));
        } else if count >= 100 && raabe > 1.01 {
            let rest = last.value * count as f64 / (raabe - 1.0);
            candidates.push((self.sum.value + rest, rest.abs()));
        }
        for (value, error) in candidates {
            if value.is_finite() && self.best.is_none_or(|(_, least, _)| error < least) {
                self.best = Some((value, error, noise));
                self.best_at = count;
            }
        }
        let Some((_, error, _)) = self.best else {
            return LadderVerdict::Continue;
        };
        let is_late = count > self.best_at + PATIENCE && error.is_finite();
        if error <= target / 8.0 || is_late && (recent < 0.9 || noise / (gap * gap) > error) {
            LadderVerdict::Settled
        } else {
            LadderVerdict::Continue
        }
    }
}
