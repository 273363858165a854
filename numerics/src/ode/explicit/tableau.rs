//! [`ButcherTableau`]: the coefficients of a pair, and what all pairs do with them.

/// The coefficients of a pair and of its control.
pub(super) struct ButcherTableau {
    /// Row `i` has the weights of the stages before `i`; the last row gives the solution.
    pub a: &'static [&'static [f64]],
    pub c: &'static [f64],
    /// Order of the method, the power of the step with which its error estimate goes.
    pub order: f64,
    /// Largest growth of a step.
    pub growth: f64,
    /// Border of the stability region on the negative real axis.
    pub stability: f64,
}

/// A step that was taken: its length, the derivatives at its stages, and the states at its ends.
#[derive(Clone, Copy)]
pub(super) struct RungeKuttaStep<'a> {
    pub h: f64,
    pub k: &'a [f64],
    pub before: &'a [f64],
    pub after: &'a [f64],
}

/// The combination of stages with the weights of a row, from the state: `y + h sum a_j k_j`, added in the order of the stages.
pub(super) fn combine_stages(out: &mut [f64], y: &[f64], h: f64, k: &[f64], weights: &[f64]) {
    // The sums of few components stay in registers.
    match out.len() {
        1 => combine_few::<1>(out, y, h, k, weights),
        2 => combine_few::<2>(out, y, h, k, weights),
        3 => combine_few::<3>(out, y, h, k, weights),
        4 => combine_few::<4>(out, y, h, k, weights),
        5 => combine_few::<5>(out, y, h, k, weights),
        6 => combine_few::<6>(out, y, h, k, weights),
        7 => combine_few::<7>(out, y, h, k, weights),
        8 => combine_few::<8>(out, y, h, k, weights),
        _ => combine_many(out, y, h, k, weights),
    }
}

fn combine_few<const N: usize>(out: &mut [f64], y: &[f64], h: f64, k: &[f64], weights: &[f64]) {
    let mut sums = [0.0; N];
    let (stages, _) = k.as_chunks::<N>();
    for (weight, k) in weights.iter().zip(stages) {
        let weight = h * weight;
        if weight != 0.0 {
            for (sum, k) in sums.iter_mut().zip(k) {
                *sum += weight * k;
            }
        }
    }
    for ((out, sum), y) in out.iter_mut().zip(sums).zip(y) {
        *out = sum + y;
    }
}

fn combine_many(out: &mut [f64], y: &[f64], h: f64, k: &[f64], weights: &[f64]) {
    out.fill(0.0);
    for (weight, k) in weights.iter().zip(k.chunks_exact(out.len())) {
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
}
