//! The likelihood of an ARMA series by the filter of Kalman, and the sum of squares given the first values.

/// An ARMA model with its polynomials multiplied out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ArmaModel {
    /// Autoregressive coefficients from lag 1.
    pub ar: Vec<f64>,
    /// Moving average coefficients from lag 1.
    pub ma: Vec<f64>,
}

/// The state after the last value: predicted states of each series, and their covariance in units of the variance of the errors.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FilterEnd {
    /// For each series.
    pub states: Vec<Vec<f64>>,
    /// Row by row.
    pub covariance: Vec<f64>,
}

/// Products of the standardised innovations of a series and of the column of a constant.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InnovationSums {
    pub yy: f64,
    pub yc: f64,
    pub cc: f64,
    /// Sum of the logarithms of the variances of innovations.
    pub log_sum: f64,
}

impl InnovationSums {
    /// The coefficient of the constant with the least squares.
    pub(super) fn constant(&self) -> f64 {
        match self.cc > 0.0 {
            true => self.yc / self.cc,
            false => 0.0,
        }
    }

    /// The sum of squares for a coefficient of the constant.
    pub(super) fn squares(&self, constant: f64) -> f64 {
        (self.yy - 2.0 * constant * self.yc + constant * constant * self.cc).max(0.0)
    }
}

impl ArmaModel {
    /// Length of the state.
    pub(super) fn states(&self) -> usize {
        self.ar.len().max(self.ma.len() + 1)
    }

    fn phi(&self, at: usize) -> f64 {
        self.ar.get(at).copied().unwrap_or(0.0)
    }

    /// The coefficients of the errors by lag, 1 at lag 0.
    fn theta(&self, at: usize) -> f64 {
        match at {
            0 => 1.0,
            at => self.ma.get(at - 1).copied().unwrap_or(0.0),
        }
    }

    /// Weights of past errors in a value: 1, psi_1, ...
    pub(super) fn error_weights(&self, count: usize) -> Vec<f64> {
        let mut psi: Vec<f64> = Vec::with_capacity(count);
        for at in 0..count {
            let past = self.ar.iter().zip(psi.iter().rev());
            let sum: f64 = past.map(|(phi, psi)| phi * psi).sum();
            psi.push(self.theta(at) + sum);
        }
        psi
    }

    /// Autocovariances at lags from 0 in units of the variance of the errors; `None` where they are not finite.
    fn autocovariances(&self, count: usize, psi: &[f64]) -> Option<Vec<f64>> {
        let p = self.ar.len();
        let cross = |lag: usize| -> f64 {
            (lag..=self.ma.len())
                .map(|j| self.theta(j) * psi[j - lag])
                .sum()
        };
        let size = p + 1;
        let mut matrix = vec![0.0; size * size];
        for lag in 0..size {
            matrix[lag * size + lag] += 1.0;
            for (j, phi) in self.ar.iter().enumerate() {
                matrix[lag * size + lag.abs_diff(j + 1)] -= phi;
            }
        }
        let mut gamma: Vec<f64> = (0..size).map(cross).collect();
        solve_in_place(&mut matrix, &mut gamma)?;
        for lag in size..count {
            let past = self.ar.iter().enumerate();
            let sum: f64 = past.map(|(j, phi)| phi * gamma[lag - j - 1]).sum();
            gamma.push(cross(lag) + sum);
        }
        let is_good = gamma[0] > 0.0 && gamma.iter().all(|value| value.is_finite());
        is_good.then_some(gamma)
    }

    /// Covariance of the state without any values: its first row from autocovariances, the others from the corner upwards.
    fn start_covariance(&self) -> Option<Vec<f64>> {
        let r = self.states();
        let psi = self.error_weights(r + 1);
        let gamma = self.autocovariances(r + 1, &psi)?;
        let mut covariance = vec![0.0; r * r];
        for k in 0..r {
            let by_values: f64 = (k..self.ar.len())
                .map(|j| self.ar[j] * gamma[j + 1 - k])
                .sum();
            let by_errors: f64 = (k..r).map(|j| self.theta(j) * psi[j - k]).sum();
            covariance[k] = match k {
                0 => gamma[0],
                _ => by_values + by_errors,
            };
        }
        let first: Vec<f64> = covariance[..r].to_vec();
        let at_first = |k: usize| first.get(k).copied().unwrap_or(0.0);
        for i in (1..r).rev() {
            for k in (i..r).rev() {
                let corner = match k + 1 < r {
                    true => covariance[(i + 1) * r + k + 1],
                    false => 0.0,
                };
                let value = self.phi(i) * self.phi(k) * first[0]
                    + self.phi(i) * at_first(k + 1)
                    + self.phi(k) * at_first(i + 1)
                    + corner
                    + self.theta(i) * self.theta(k);
                covariance[i * r + k] = value;
                covariance[k * r + i] = value;
            }
            covariance[i * r] = first[i];
        }
        Some(covariance)
    }

    /// Filters a series, and with it the column of a constant where there is one; innovations and their variances are told one by one. `None` where the
    /// model has no start. Costs `n states^2`, less once the variance of innovations stands still.
    pub(super) fn filter(
        &self,
        y: &[f64],
        column: Option<f64>,
        mut tell: impl FnMut([f64; 2], f64),
    ) -> Option<(InnovationSums, FilterEnd)> {
        let r = self.states();
        let mut covariance = self.start_covariance()?;
        let phi: Vec<f64> = (0..r).map(|at| self.phi(at)).collect();
        let theta: Vec<f64> = (0..r).map(|at| self.theta(at)).collect();
        let mut states = vec![vec![0.0; r + 1]; 1 + usize::from(column.is_some())];
        let mut sums = InnovationSums::default();
        let mut gain = vec![0.0; r];
        let mut settled = 0;
        for &value in y {
            let variance = covariance[0];
            if !(variance > 0.0 && variance.is_finite()) {
                return None;
            }
            if settled <= r {
                for i in 0..r {
                    let below = if i + 1 < r {
                        covariance[(i + 1) * r]
                    } else {
                        0.0
                    };
                    gain[i] = phi[i] + below / variance;
                }
            }
            let innovation = value - states[0][0];
            let mut both = [innovation, 0.0];
            advance_state(&mut states[0], &phi, &gain, innovation);
            if let Some(column) = column {
                both[1] = column - states[1][0];
                advance_state(&mut states[1], &phi, &gain, both[1]);
            }
            sums.yy += both[0] * both[0] / variance;
            sums.yc += both[0] * both[1] / variance;
            sums.cc += both[1] * both[1] / variance;
            sums.log_sum += variance.ln();
            tell(both, variance);
            settled = match (variance - 1.0).abs() < 1e-13 {
                true => settled + 1,
                false => 0,
            };
            if settled <= r {
                advance_covariance(&mut covariance, &theta);
            }
        }
        states.iter_mut().for_each(|state| state.truncate(r));
        let end = FilterEnd { states, covariance };
        (sums.yy.is_finite() && sums.log_sum.is_finite()).then_some((sums, end))
    }

    /// Squares of the errors given the first values and errors of 0 before them, as sums like those of the filter, and how many errors there are.
    pub(super) fn conditional_sums(
        &self,
        y: &[f64],
        column: Option<f64>,
        errors: &mut [Vec<f64>; 2],
    ) -> (InnovationSums, usize) {
        let nonzero = |list: &[f64]| -> Vec<(usize, f64)> {
            let terms = list.iter().enumerate().filter(|(_, value)| **value != 0.0);
            terms.map(|(at, value)| (at + 1, *value)).collect()
        };
        let (ar, ma) = (nonzero(&self.ar), nonzero(&self.ma));
        let from = self.ar.len();
        let constant = column.unwrap_or(0.0);
        let ar_sum: f64 = ar.iter().map(|(_, phi)| phi).sum();
        let mut sums = InnovationSums::default();
        for list in errors.iter_mut() {
            list.clear();
            list.resize(y.len(), 0.0);
        }
        for at in from..y.len() {
            let past: f64 = ar.iter().map(|(lag, phi)| phi * y[at - lag]).sum();
            let mut error = [y[at] - past, constant * (1.0 - ar_sum)];
            for (lag, theta) in &ma {
                if *lag <= at {
                    error[0] -= theta * errors[0][at - lag];
                    error[1] -= theta * errors[1][at - lag];
                }
            }
            errors[0][at] = error[0];
            errors[1][at] = error[1];
            sums.yy += error[0] * error[0];
            sums.yc += error[0] * error[1];
            sums.cc += error[1] * error[1];
        }
        (sums, y.len() - from.min(y.len()))
    }
}

/// The next state: moved one step, with the gain of an innovation. The last entry is always 0.
fn advance_state(state: &mut [f64], phi: &[f64], gain: &[f64], innovation: f64) {
    // The gain contains phi times the innovation, so the state moves with phi times the forecast alone.
    let forecast = state[0];
    for i in 0..phi.len() {
        state[i] = phi[i] * forecast + state[i + 1] + gain[i] * innovation;
    }
}

/// The covariance of the next state: that of the filtered state, moved one step, with the next error. In place, since a row needs the next row alone.
fn advance_covariance(covariance: &mut [f64], theta: &[f64]) {
    let r = theta.len();
    let variance = covariance[0];
    let first: Vec<f64> = (0..r).map(|i| covariance[i * r]).collect();
    for i in 0..r {
        for k in i..r {
            let moved = match (i + 1 < r, k + 1 < r) {
                (true, true) => {
                    covariance[(i + 1) * r + k + 1] - first[i + 1] * first[k + 1] / variance
                }
                _ => 0.0,
            };
            let value = moved + theta[i] * theta[k];
            covariance[i * r + k] = value;
            covariance[k * r + i] = value;
        }
    }
}

/// Solves a square system by elimination with pivots; `None` where it is singular.
fn solve_in_place(matrix: &mut [f64], right: &mut [f64]) -> Option<()> {
    let size = right.len();
    for column in 0..size {
        let pivot = (column..size).max_by(|&a, &b| {
            let size_of = |row: usize| matrix[row * size + column].abs();
            size_of(a).total_cmp(&size_of(b))
        })?;
        if matrix[pivot * size + column] == 0.0 {
            return None;
        }
        if pivot != column {
            for k in column..size {
                matrix.swap(pivot * size + k, column * size + k);
            }
            right.swap(pivot, column);
        }
        for row in column + 1..size {
            let factor = matrix[row * size + column] / matrix[column * size + column];
            if factor == 0.0 {
                continue;
            }
            for k in column..size {
                matrix[row * size + k] -= factor * matrix[column * size + k];
            }
            right[row] -= factor * right[column];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size)
            .map(|k| matrix[row * size + k] * right[k])
            .sum();
        right[row] = (right[row] - known) / matrix[row * size + row];
    }
    Some(())
}
