//! [`Tableau`]: the coefficients of a pair, and what all pairs do with them.

/// The coefficients of a pair and of its control.
pub(super) struct Tableau {
    /// Row `i` has the weights of the stages before `i`; the last row gives the solution.
    pub a: &'static [&'static [f64]],
    pub c: &'static [f64],
    /// Order of the method, for the first step.
    pub order: f64,
    /// Exponent of the error in the choice of the step.
    pub exponent: f64,
    /// Weight of the error before it.
    pub beta: f64,
    /// Smallest and largest change of a step.
    pub change: (f64, f64),
    /// Border of the stability region on the negative real axis.
    pub stability: f64,
}

/// A step that was taken: its length, the derivatives at its stages, and the states at its ends.
#[derive(Clone, Copy)]
pub(super) struct Taken<'a> {
    pub h: f64,
    pub k: &'a [f64],
    pub before: &'a [f64],
    pub after: &'a [f64],
}

/// The combination of stages with the weights of a row, from the state: `y + h sum a_j k_j`, added in the order of the stages.
pub(super) fn combine(out: &mut [f64], y: &[f64], h: f64, k: &[f64], weights: &[f64]) {
    /// Up to so many components the sums are taken one after the other, which avoids a pass over `out` per stage.
    const FEW: usize = 16;
    let n = out.len();
    if n > FEW {
        out.fill(0.0);
        for (weight, k) in weights.iter().zip(k.chunks_exact(n)) {
            let weight = h * weight;
            if weight != 0.0 {
                for (out, k) in out.iter_mut().zip(k) {
                    *out += weight * k;
                }
            }
        }
        for (out, y) in out.iter_mut().zip(y) {
            *out += y;
        }
        return;
    }
    let mut terms = [(0.0, 0); 16];
    let mut count = 0;
    for (stage, weight) in weights.iter().enumerate() {
        let weight = h * weight;
        if weight != 0.0 {
            terms[count] = (weight, stage * n);
            count += 1;
        }
    }
    for (index, (out, y)) in out.iter_mut().zip(y).enumerate() {
        let mut sum = 0.0;
        for &(weight, start) in &terms[..count] {
            sum += weight * k[start + index];
        }
        *out = sum + y;
    }
}
