//! The coefficients of Radau IIA with three stages, in the coordinates that split the linear system (Hairer and Wanner, section IV.8).

const SQRT6: f64 = 2.449_489_742_783_178;
/// Times of the first two stages; the third is the end of the step.
pub(super) const C1: f64 = (4.0 - SQRT6) / 10.0;
/// See [`C1`].
pub(super) const C2: f64 = (4.0 + SQRT6) / 10.0;

/// Weights of the stages in the error estimate.
pub(super) const ERROR: [f64; 3] = [
    -(13.0 + 7.0 * SQRT6) / 3.0,
    (-13.0 + 7.0 * SQRT6) / 3.0,
    -1.0 / 3.0,
];

/// Eigenvectors of the inverse Runge-Kutta matrix, real parts and imaginary parts in columns 2 and 3.
pub(super) const T: [[f64; 3]; 3] = [
    [
        0.091_232_394_870_892_94,
        -0.141_255_295_020_954_2,
        -0.030_029_194_105_147_424,
    ],
    [
        0.241_717_932_707_107,
        0.204_129_352_293_799_93,
        0.382_942_112_757_261_9,
    ],
    [0.966_048_182_615_093, 1.0, 0.0],
];

/// The inverse of [`T`].
pub(super) const T_INVERSE: [[f64; 3]; 3] = [
    [
        4.325_579_890_063_155,
        0.339_199_251_815_809_84,
        0.541_770_539_935_874_9,
    ],
    [
        -4.178_718_591_551_905,
        -0.327_682_820_761_062_37,
        0.476_623_554_500_550_45,
    ],
    [
        -0.502_872_634_945_786_9,
        2.571_926_949_855_605,
        -0.596_039_204_828_224_9,
    ],
];

/// The real eigenvalue of the inverse Runge-Kutta matrix, and real and imaginary part of the complex ones.
pub(super) fn eigenvalues() -> (f64, f64, f64) {
    let (ninth, eighty_first) = (9_f64.cbrt(), 81_f64.cbrt());
    let real = (6.0 + eighty_first - ninth) / 30.0;
    let alpha = (12.0 - eighty_first + ninth) / 60.0;
    let beta = (eighty_first + ninth) * 3_f64.sqrt() / 60.0;
    let size = alpha * alpha + beta * beta;
    (1.0 / real, alpha / size, beta / size)
}
