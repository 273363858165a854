//! An end of the range that the integrand approaches in ever more waves: the sum over half-waves, and its limit.
//!
//! # References
//! I. M. Longman, "Note on a method for computing infinite integrals of oscillatory functions", Math. Proc. Camb. Phil. Soc. 52, 1956.

use super::QuadratureError;
use super::engine::QuadratureEngine;
use super::epsilon::EpsilonTable;
use super::panel::{ChartSpan, PanelEstimate};
use super::rule::POINTS;

impl QuadratureEngine<'_, '_> {
    /// Sums the rest of a ladder over half-waves, from a coordinate towards the end; `false` where there are no waves.
    ///
    /// # Errors
    /// [`Fault::Divergent`] where the half-waves do not become smaller.
    pub(super) fn march(
        &mut self,
        chart: usize,
        high: f64,
        target: f64,
        sum: PanelEstimate,
    ) -> Result<bool, QuadratureError> {
        const WAVES_MAX: usize = 600;
        const FEW: usize = 4;
        let start = 1.0 / high;
        let Some(mut step) = self.half_wave(chart, start, FEW)? else {
            return Ok(false);
        };
        let mut limits = EpsilonTable::default();
        let mut sum = sum;
        let mut zero = start;
        let mut best: Option<(f64, f64)> = None;
        let mut best_at = 0;
        let mut sizes: Vec<f64> = Vec::new();
        for wave in 0..WAVES_MAX {
            let Some(next) = self.next_zero(chart, zero, step)? else {
                break;
            };
            let panels = self.measure(&[ChartSpan::new(chart, 1.0 / next, 1.0 / zero)])?;
            let first = panels
                .into_iter()
                .next()
                .expect("one interval was measured");
            if first.undefined == POINTS {
                break;
            }
            let (part, _) = self.rung(first, target)?;
            sum = sum.plus(part);
            if wave > 0 {
                sizes.push(part.value.abs());
                let (limit, spread) = limits.push(sum.value);
                let error = 4.0 * spread + 2.0 * (sum.noise + sum.error);
                if best.is_none_or(|(_, least)| error < least) {
                    best = Some((limit, error));
                    best_at = wave;
                }
            }
            (step, zero) = (next - zero, next);
            let enough = best.is_some_and(|(_, error)| error <= target / 8.0);
            if enough && wave >= 12
                || wave > best_at + 40
                || self.evaluations >= self.evaluations_max
            {
                break;
            }
        }
        let is_level = |pair: &[f64]| pair[1] >= pair[0] * (1.0 - 1e-6);
        if sizes.len() >= 8 && sizes[sizes.len() - 8..].windows(2).all(is_level) {
            return Err(self.divergent(chart));
        }
        let Some((value, error)) = best else {
            return Ok(false);
        };
        self.oscillates = true;
        (sum.value, sum.error) = (value, error);
        self.settled.push(sum);
        Ok(true)
    }

    /// Mean distance of the zeros before a place `v = 1/u`, where there are at least `few`.
    fn half_wave(
        &mut self,
        chart: usize,
        to: f64,
        few: usize,
    ) -> Result<Option<f64>, QuadratureError> {
        const SAMPLES: usize = 4096;
        let from = to / 2.0;
        let places: Vec<f64> = (0..SAMPLES)
            .map(|index| from + (to - from) * index as f64 / SAMPLES as f64)
            .map(|v| self.charts[chart].place(1.0 / v).0)
            .collect();
        let values = self.values(&places)?;
        let changes = values
            .windows(2)
            .filter(|pair| pair[0] * pair[1] < 0.0)
            .count();
        Ok((changes >= few).then(|| (to - from) / changes as f64))
    }

    /// The next place `v = 1/u` behind one where the integrand changes its sign.
    fn next_zero(
        &mut self,
        chart: usize,
        from: f64,
        step: f64,
    ) -> Result<Option<f64>, QuadratureError> {
        const PARTS: f64 = 12.0;
        const AHEAD: usize = 64;
        const HALVINGS: usize = 50;
        let place = |engine: &Self, v: f64| engine.charts[chart].place(1.0 / v).0;
        // A little behind the last zero, whose own sign is uncertain.
        let ahead: Vec<f64> = (0..AHEAD)
            .map(|index| from + step * (index as f64 + 1.5) / PARTS)
            .collect();
        let places: Vec<f64> = ahead.iter().map(|&v| place(self, v)).collect();
        let values = self.values(&places)?;
        let Some(at) = values
            .windows(2)
            .position(|pair| pair[0] * pair[1] <= 0.0 && pair[0] != 0.0)
        else {
            return Ok(None);
        };
        let (mut low, mut high) = (ahead[at], ahead[at + 1]);
        let sign = values[at].signum();
        for _ in 0..HALVINGS {
            let middle = low + (high - low) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            let value = self.values(&[place(self, middle)])?[0];
            if value == 0.0 {
                return Ok(Some(middle));
            }
            *(if value.signum() == sign {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        Ok(Some(high))
    }
}
