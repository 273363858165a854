//! Losses: how much a residual counts.

/// How much a residual counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LossKind {
    /// Its square.
    #[default]
    Linear,
    /// Its square near 0, its magnitude far from it.
    Huber,
    /// 2 (sqrt(1 + r^2) - 1).
    SoftL1,
    /// log(1 + r^2): far residuals hardly count.
    Cauchy,
}

/// A loss with the size at which residuals begin to count less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RobustLoss {
    /// How residuals count.
    pub kind: LossKind,
    /// The size at which they begin to count less, above 0.
    pub scale: f64,
}

impl RobustLoss {
    /// The loss rho(z) of z = (r / scale)^2, and its first and second derivative.
    fn of(self, z: f64) -> [f64; 3] {
        match self.kind {
            LossKind::Linear => [z, 1.0, 0.0],
            LossKind::Huber if z <= 1.0 => [z, 1.0, 0.0],
            LossKind::Huber => [2.0 * z.sqrt() - 1.0, z.powf(-0.5), -0.5 * z.powf(-1.5)],
            LossKind::SoftL1 => {
                let t = 1.0 + z;
                [2.0 * (t.sqrt() - 1.0), t.powf(-0.5), -0.5 * t.powf(-1.5)]
            }
            LossKind::Cauchy => {
                let t = 1.0 + z;
                [z.ln_1p(), 1.0 / t, -1.0 / (t * t)]
            }
        }
    }

    /// The objective: scale^2 times the sum of the losses.
    pub fn sum(self, residuals: &[f64]) -> f64 {
        if self.kind == LossKind::Linear {
            return residuals.iter().map(|r| r * r).sum();
        }
        let part = |r: &f64| self.of((r / self.scale).powi(2))[0];
        self.scale * self.scale * residuals.iter().map(part).sum::<f64>()
    }

    /// Scales residuals and rows of the Jacobian so that their gradient is that of the loss, and their squares its curvature (B. Triggs and
    /// others, "Bundle adjustment: a modern synthesis", 2000), but at least a tenth of the weight: far residuals have a curvature of 0 or
    /// less, of which no square is made.
    pub fn scale(self, residuals: &mut [f64], jacobian: &mut [Vec<f64>]) {
        const LEAST: f64 = 0.1;
        if self.kind == LossKind::Linear {
            return;
        }
        for (row, residual) in residuals.iter_mut().enumerate() {
            let z = (*residual / self.scale).powi(2);
            let [_, first, second] = self.of(z);
            let curvature = (first + 2.0 * second * z)
                .max(LEAST * first)
                .max(f64::MIN_POSITIVE);
            let root = curvature.sqrt();
            *residual *= first / root;
            for column in jacobian.iter_mut() {
                column[row] *= root;
            }
        }
    }

    /// The variance that estimates have per unit of (J'J)^-1: sum psi^2 / freedom by the square of the mean of psi' (P. J. Huber, "Robust
    /// Statistics", 1981, section 7.6); NaN where residuals are all beyond the scale, or nothing is free.
    pub fn variance(self, residuals: &[f64], freedom: usize) -> f64 {
        let (mut squares, mut slopes) = (0.0, 0.0);
        for residual in residuals {
            let z = (residual / self.scale).powi(2);
            let [_, first, second] = self.of(z);
            squares += (first * residual).powi(2);
            slopes += first + 2.0 * z * second;
        }
        let slope = slopes / residuals.len() as f64;
        match slope > 1e-6 && freedom > 0 {
            true => squares / freedom as f64 / (slope * slope),
            false => f64::NAN,
        }
    }
}
