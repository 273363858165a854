//! Singular places inside the range: found by halving, and integrated from there to both sides.

use super::QuadratureError;
use super::chart::RangeChart;
use super::engine::QuadratureEngine;
use super::panel::{PanelEstimate, QuadraturePanel};

impl QuadratureEngine<'_, '_> {
    /// Follows the larger error down to a singular place, and integrates from there to both sides; a panel that turns out smooth is
    /// given back in pieces.
    pub(super) fn locate(&mut self, panel: QuadraturePanel) -> Result<(), QuadratureError> {
        const FINE: f64 = 0.01;
        const WIDE: f64 = 1e4 * f64::EPSILON;
        let around = panel.span;
        let mut siblings = Vec::new();
        let mut suspect = panel;
        while !self.is_narrow(suspect.span) {
            let target = self.target(&self.sum_of_settled(&suspect, &siblings));
            let width = suspect.span.high - suspect.span.low;
            let is_smooth = suspect.is_rounded() && width > WIDE * suspect.span.high;
            if is_smooth || suspect.part.error + suspect.part.noise <= FINE * target {
                siblings.push(suspect);
                for mut panel in siblings {
                    // Halved as others are, or it would come back here as it went.
                    panel.slow = 0;
                    self.keep(panel);
                }
                return Ok(());
            }
            let halves = self.measure(&suspect.span.halves())?;
            let [left, right] =
                <[QuadraturePanel; 2]>::try_from(halves).expect("two halves were measured");
            let (left, right) = (left.below(&suspect), right.below(&suspect));
            let key = |one: &QuadraturePanel| (one.undefined.min(1), one.part.error);
            let peak = |one: &QuadraturePanel| {
                one.values
                    .iter()
                    .fold(0.0_f64, |most, value| most.max(value.abs()))
            };
            let right_first = match key(&left).partial_cmp(&key(&right)) {
                Some(std::cmp::Ordering::Less) => true,
                Some(std::cmp::Ordering::Greater) => false,
                _ => peak(&right) > peak(&left),
            };
            let (chosen, other) = if right_first {
                (right, left)
            } else {
                (left, right)
            };
            if !self.is_narrow(other.span) {
                self.check_defined(&other)?;
            }
            siblings.push(other);
            suspect = chosen;
        }
        let chart = self.charts[around.chart];
        let at = self.sharpest(&suspect, &chart)?;
        let mut ends = [chart.place(around.low).0, chart.place(around.high).0];
        ends.sort_by(f64::total_cmp);
        self.singular.push(at);
        for (sign, reach) in [(-1.0, at - ends[0]), (1.0, ends[1] - at)] {
            if reach > 0.0 {
                self.charts.push(RangeChart::Near { origin: at, sign });
                self.ladder(self.charts.len() - 1, reach)?;
            }
        }
        Ok(())
    }

    /// Of the doubles around a narrow panel the first without a value, or that of the largest one.
    fn sharpest(
        &mut self,
        panel: &QuadraturePanel,
        chart: &RangeChart,
    ) -> Result<f64, QuadratureError> {
        const PLACES: usize = 96;
        let ends = [
            chart.place(panel.span.low).0,
            chart.place(panel.span.high).0,
        ];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let between =
            |index: usize| low + (high - low) * (index as f64 / (PLACES / 3) as f64 - 1.0);
        let mut places: Vec<f64> = (0..=PLACES).map(between).collect();
        places.push(if low <= 0.0 && high >= 0.0 { 0.0 } else { low });
        places.sort_by(f64::total_cmp);
        places.dedup();
        let values = self.values(&places)?;
        let size = |index: &usize| {
            let value: f64 = values[*index];
            if value.is_finite() {
                value.abs()
            } else {
                f64::INFINITY
            }
        };
        let best = (0..places.len()).max_by(|a, b| size(a).total_cmp(&size(b)).then(b.cmp(a)));
        Ok(places[best.expect("there are places")])
    }

    /// The sum, with panels that are in hand.
    fn sum_of_settled(
        &self,
        suspect: &QuadraturePanel,
        siblings: &[QuadraturePanel],
    ) -> PanelEstimate {
        let rough = self.heap.iter().chain(&self.done).chain(siblings);
        let parts = rough
            .map(|panel| panel.part)
            .chain(self.settled.iter().copied());
        parts.fold(suspect.part, PanelEstimate::plus)
    }
}
