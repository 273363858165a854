//! The pair 5(4) of J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6, 1980, with the interpolation of order 4 of L. F. Shampine
//! (Hairer, Norsett, Wanner, section II.6).

use super::tableau::{ButcherTableau, RungeKuttaStep};

pub(super) static TABLEAU: ButcherTableau = ButcherTableau {
    a: &[
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
        ],
        &[
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
        ],
        &[
            35.0 / 384.0,
            0.0,
            500.0 / 1113.0,
            125.0 / 192.0,
            -2187.0 / 6784.0,
            11.0 / 84.0,
        ],
    ],
    c: &[0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
    order: 5.0,
    growth: 10.0,
    stability: 3.25,
};

/// Difference of the two solutions.
pub(super) const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

const D: [f64; 7] = [
    -12_715_105_075.0 / 11_282_082_432.0,
    0.0,
    87_487_479_700.0 / 32_700_410_799.0,
    -10_690_763_975.0 / 1_880_347_072.0,
    701_980_252_875.0 / 199_316_789_632.0,
    -1_453_857_185.0 / 822_651_844.0,
    69_997_945.0 / 29_380_423.0,
];

/// The coefficients of the interpolation, four per entry of the state.
pub(super) fn dense_coefficients(step: RungeKuttaStep<'_>, dense: &mut [f64]) {
    let (n, h) = (step.before.len(), step.h);
    for index in 0..n {
        let k = |stage: usize| step.k[stage * n + index];
        let change = step.after[index] - step.before[index];
        let bow = h * k(0) - change;
        let sum: f64 = D
            .iter()
            .enumerate()
            .map(|(stage, weight)| weight * k(stage))
            .sum();
        let coefficients = [change, bow, change - h * k(6) - bow, h * sum];
        dense[4 * index..4 * index + 4].copy_from_slice(&coefficients);
    }
}

pub(super) fn interpolate_step(dense: &[f64], before: &[f64], s: f64, y: &mut [f64]) {
    let r = 1.0 - s;
    for ((y, before), c) in y.iter_mut().zip(before).zip(dense.chunks_exact(4)) {
        *y = before + s * (c[0] + r * (c[1] + s * (c[2] + r * c[3])));
    }
}
