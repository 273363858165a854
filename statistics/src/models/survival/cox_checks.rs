//! Whether hazards are proportional.

use super::cox::{CoxFit, CoxRequest, CoxTies, RiskSums, risk_order};
use super::curve::kaplan_meier;
use crate::models::WaldTest;
use crate::models::least_squares::is_positive;

/// The check of one term.
#[derive(Debug, Clone, PartialEq)]
pub struct HazardCheck {
    /// The column.
    pub name: String,
    /// Chi-squared with one degree of freedom.
    pub test: WaldTest,
    /// Correlation of the scaled residuals with the transformed times: positive where the hazard ratio grows.
    pub correlation: f64,
}

/// The checks of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct HazardChecks {
    /// Each term.
    pub terms: Vec<HazardCheck>,
    /// All terms together.
    pub global: Option<WaldTest>,
}

impl CoxFit {
    /// Tests that hazard ratios do not change with time, by Schoenfeld's residuals and 1 - Kaplan and Meier's estimate before each event as the scale of time.
    /// `None` with fewer than three events.
    ///
    /// # References
    /// P. M. Grambsch and T. M. Therneau, Biometrika 81, 1994 (R's `cox.zph` before version 3 of the package survival).
    pub fn hazard_checks(&self, request: &CoxRequest<'_>) -> Option<HazardChecks> {
        let order = risk_order(request, self);
        let size = order.size;
        let curve = kaplan_meier(request.times, request.is_event, 0.95);
        let before = |time: f64| {
            let place = curve.points.partition_point(|point| point.time < time);
            place
                .checked_sub(1)
                .map_or(0.0, |place| 1.0 - curve.points[place].survival)
        };
        let (mut scales, mut residuals): (Vec<f64>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut sums = RiskSums::new(size);
        for tie in &order.ties {
            if tie.begins_stratum {
                sums = RiskSums::new(size);
            }
            let weight = |row: &usize| self.predictors[*row].exp();
            let mut tied = RiskSums::new(size);
            tie.events
                .iter()
                .for_each(|row| tied.add(order.row(*row), weight(row)));
            tie.events
                .iter()
                .chain(&tie.censored)
                .for_each(|row| sums.add(order.row(*row), weight(row)));
            let count = tie.events.len();
            let mut mean = vec![0.0; size];
            for event in 0..count {
                let share = match request.ties {
                    CoxTies::Efron => event as f64 / count as f64,
                    CoxTies::Breslow => 0.0,
                };
                let zero = (sums.zero - share * tied.zero) * count as f64;
                let parts = sums
                    .one
                    .iter()
                    .zip(&tied.one)
                    .map(|(all, tied)| (all - share * tied) / zero);
                mean.iter_mut()
                    .zip(parts)
                    .for_each(|(mean, part)| *mean += part);
            }
            for row in &tie.events {
                scales.push(before(tie.time));
                residuals.push(
                    order
                        .row(*row)
                        .iter()
                        .zip(&mean)
                        .map(|(x, mean)| x - mean)
                        .collect(),
                );
            }
        }
        let events = scales.len() as f64;
        if events < 3.0 {
            return None;
        }
        let centre = scales.iter().sum::<f64>() / events;
        scales.iter_mut().for_each(|scale| *scale -= centre);
        let squares: f64 = scales.iter().map(|scale| scale * scale).sum();
        if !is_positive(squares) {
            return None;
        }
        let mut inner = vec![0.0; size];
        for (scale, residual) in scales.iter().zip(&residuals) {
            numerics::dense::add_multiple(&mut inner, *scale, residual);
        }
        let scaled = |vector: &[f64]| -> Vec<f64> {
            let rows = self.covariance.chunks_exact(size);
            rows.map(|row| row.iter().zip(vector).map(|(v, x)| v * x).sum())
                .collect()
        };
        let pulled = scaled(&inner);
        let all: Vec<Vec<f64>> = residuals.iter().map(|residual| scaled(residual)).collect();
        let term = |k: usize| {
            let statistic =
                pulled[k] * pulled[k] * events / (self.covariance[k * size + k] * squares);
            let mean = all.iter().map(|row| row[k]).sum::<f64>() / events;
            let spread: f64 = all.iter().map(|row| (row[k] - mean).powi(2)).sum();
            HazardCheck {
                name: self.coefficients[k].name.clone(),
                test: WaldTest::from_chi_squared(statistic, 1.0),
                correlation: pulled[k] / (squares * spread).sqrt(),
            }
        };
        let form: f64 = inner.iter().zip(&pulled).map(|(one, two)| one * two).sum();
        Some(HazardChecks {
            terms: (0..size).map(term).collect(),
            global: Some(WaldTest::from_chi_squared(
                form * events / squares,
                size as f64,
            )),
        })
    }
}
