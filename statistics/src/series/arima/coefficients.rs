//! Polynomials in the lag, and stationary coefficients as unbounded variables.

use super::ArimaOrder;

/// Coefficients of the four polynomials: `1 - phi B - ...` and `1 + theta B + ...`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArmaTerms {
    pub ar: Vec<f64>,
    pub ma: Vec<f64>,
    pub seasonal_ar: Vec<f64>,
    pub seasonal_ma: Vec<f64>,
}

impl ArmaTerms {
    /// From a list: autoregressive, moving average, seasonal autoregressive, seasonal moving average.
    pub(super) fn of_list(list: &[f64], order: ArimaOrder) -> Self {
        let (ar, rest) = list.split_at(order.p);
        let (ma, rest) = rest.split_at(order.q);
        let (seasonal_ar, seasonal_ma) = rest.split_at(order.seasonal_p);
        Self {
            ar: ar.to_vec(),
            ma: ma.to_vec(),
            seasonal_ar: seasonal_ar.to_vec(),
            seasonal_ma: seasonal_ma[..order.seasonal_q].to_vec(),
        }
    }

    pub(super) fn to_list(&self) -> Vec<f64> {
        [&self.ar, &self.ma, &self.seasonal_ar, &self.seasonal_ma]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    /// From unbounded variables, the inverse hyperbolic tangents of partial autocorrelations.
    pub(super) fn of_variables(u: &[f64], order: ArimaOrder) -> Self {
        let mut terms = Self::of_list(u, order);
        terms.ar = stationary_coefficients(&terms.ar);
        terms.seasonal_ar = stationary_coefficients(&terms.seasonal_ar);
        for part in [&mut terms.ma, &mut terms.seasonal_ma] {
            *part = stationary_coefficients(part);
            part.iter_mut().for_each(|theta| *theta = -*theta);
        }
        terms
    }

    /// Coefficients of the product of the autoregressive polynomials, from lag 1.
    pub(super) fn expanded_ar(&self, period: usize) -> Vec<f64> {
        let negative = |part: &[f64]| part.iter().map(|phi| -phi).collect::<Vec<f64>>();
        let product = expand_product(&negative(&self.ar), &negative(&self.seasonal_ar), period);
        product.iter().map(|phi| -phi).collect()
    }

    /// Coefficients of the product of the moving average polynomials, from lag 1.
    pub(super) fn expanded_ma(&self, period: usize) -> Vec<f64> {
        expand_product(&self.ma, &self.seasonal_ma, period)
    }

    /// Whether all roots of the polynomials lie outside of a circle of this radius about 0.
    pub(super) fn has_roots_beyond(&self, radius: f64, period: usize) -> bool {
        let negative = |part: &[f64]| part.iter().map(|theta| -theta).collect::<Vec<f64>>();
        let outer = radius.powf(period as f64);
        is_stationary(&self.ar, radius)
            && is_stationary(&negative(&self.ma), radius)
            && is_stationary(&self.seasonal_ar, outer)
            && is_stationary(&negative(&self.seasonal_ma), outer)
    }
}

/// Coefficients from lag 1 of `(1 + a1 B + ...)(1 + b1 B^period + ...)`.
fn expand_product(a: &[f64], b: &[f64], period: usize) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() * period];
    for (i, a) in a.iter().enumerate() {
        product[i] += a;
    }
    for (j, b) in b.iter().enumerate() {
        let base = (j + 1) * period;
        product[base - 1] += b;
        for (i, a) in a.iter().enumerate() {
            product[base + i] += a * b;
        }
    }
    product
}

/// Coefficients of a stationary autoregression by its partial autocorrelations, the hyperbolic tangents of the variables.
fn stationary_coefficients(u: &[f64]) -> Vec<f64> {
    let mut phi: Vec<f64> = Vec::with_capacity(u.len());
    for u in u {
        let partial = u.tanh();
        let before: Vec<f64> = phi.iter().rev().copied().collect();
        for (phi, back) in phi.iter_mut().zip(before) {
            *phi -= partial * back;
        }
        phi.push(partial);
    }
    phi
}

/// Whether `1 - phi1 z - ...` has no root within the circle of a radius: the recursion of [`stationary_coefficients`] backwards.
fn is_stationary(phi: &[f64], radius: f64) -> bool {
    let mut phi: Vec<f64> = phi
        .iter()
        .enumerate()
        .map(|(at, phi)| phi * radius.powf(at as f64 + 1.0))
        .collect();
    while let Some(partial) = phi.pop() {
        if partial.abs() >= 1.0 || partial.is_nan() {
            return false;
        }
        let left = 1.0 - partial * partial;
        let before: Vec<f64> = phi.iter().rev().copied().collect();
        for (phi, back) in phi.iter_mut().zip(before) {
            *phi = (*phi + partial * back) / left;
        }
    }
    true
}
