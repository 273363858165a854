//! The coefficients of Radau IIA with three and five stages, in the coordinates that split the linear system (Hairer and Wanner, section
//! IV.8): the nodes are the roots of Legendre's P_S - P_(S-1) over [0, 1], from which the rest follows; computed with 50 digits.

/// The coefficients with `S` stages.
#[derive(Debug)]
pub(super) struct RadauCoefficients<const S: usize> {
    /// Times of the stages in a step; the last is its end.
    pub c: [f64; S],
    /// Eigenvectors of the inverse Runge-Kutta matrix: that of the real eigenvalue, then real and imaginary parts of the others.
    pub t: [[f64; S]; S],
    /// The inverse of `t`.
    pub t_inverse: [[f64; S]; S],
    /// The real eigenvalue.
    pub real: f64,
    /// Real and imaginary parts of the others, one of each pair.
    pub pairs: &'static [(f64, f64)],
    /// Weights of the stages in the error estimate: less the slope at the start of the polynomial through start and stages.
    pub error: [f64; S],
}

/// The methods with known coefficients.
pub(super) trait KnownRadauCoefficients<const S: usize> {
    /// The coefficients, known where the loops over stages are compiled.
    const OF: &'static RadauCoefficients<S>;
}

/// The method with `S` stages.
#[derive(Debug)]
pub(super) struct RadauStages<const S: usize>;

/// Order 5.
impl KnownRadauCoefficients<3> for RadauStages<3> {
    const OF: &'static RadauCoefficients<3> = &RadauCoefficients {
        c: [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0],
        t: [
            [
                0.094_438_762_488_975_24,
                -0.141_255_295_020_954_2,
                -0.030_029_194_105_147_424,
            ],
            [
                0.250_213_122_965_333_3,
                0.204_129_352_293_799_94,
                0.382_942_112_757_261_9,
            ],
            [1.0, 1.0, 0.0],
        ],
        t_inverse: [
            [
                4.178_718_591_551_905,
                0.327_682_820_761_062_37,
                0.523_376_445_499_449_5,
            ],
            [
                -4.178_718_591_551_905,
                -0.327_682_820_761_062_37,
                0.476_623_554_500_550_44,
            ],
            [
                -0.502_872_634_945_786_8,
                2.571_926_949_855_605,
                -0.596_039_204_828_224_9,
            ],
        ],
        real: 3.637_834_252_744_496,
        pairs: &[(2.681_082_873_627_752_3, 3.050_430_199_247_410_5)],
        error: [
            -10.048_809_399_827_416,
            1.382_142_733_160_749,
            -0.333_333_333_333_333_3,
        ],
    };
}

/// Order 9.
impl KnownRadauCoefficients<5> for RadauStages<5> {
    const OF: &'static RadauCoefficients<5> = &RadauCoefficients {
        c: [
            0.057_104_196_114_517_68,
            0.276_843_013_638_123_8,
            0.583_590_432_368_916_8,
            0.860_240_135_656_219_5,
            1.0,
        ],
        t: [
            [
                0.013_576_867_344_947_943,
                -0.011_478_515_255_229_515,
                -0.014_019_858_892_875_41,
                -0.010_242_047_817_908_826,
                0.047_673_877_290_295_72,
            ],
            [
                0.001_617_900_401_719_087_5,
                -0.007_668_830_749_180_163,
                0.024_708_578_426_518_527,
                0.050_172_864_517_371_06,
                -0.094_331_819_181_611_43,
            ],
            [
                0.079_157_853_347_447_21,
                0.019_398_463_998_828_95,
                0.081_800_353_703_751_17,
                -0.230_539_534_043_417_95,
                0.102_703_045_380_125_9,
            ],
            [
                0.412_256_082_680_461_43,
                0.407_601_171_280_199_07,
                0.199_682_427_886_802_52,
                0.377_893_902_248_861_27,
                0.466_744_130_332_494_34,
            ],
            [1.0, 1.0, 0.0, 1.0, 0.0],
        ],
        t_inverse: [
            [
                27.697_693_775_684_087,
                12.783_337_911_304_406,
                3.208_489_386_713_43,
                -0.951_490_412_248_916_2,
                0.741_550_496_025_989_7,
            ],
            [
                -33.041_880_213_519,
                -17.376_953_479_063_566,
                -0.172_129_063_254_005_57,
                -0.099_169_777_982_542_65,
                0.531_228_115_838_306_6,
            ],
            [
                -8.611_443_979_875_292,
                9.699_991_409_528_808,
                1.914_728_639_696_874_3,
                2.418_692_006_084_94,
                -1.047_463_487_935_337_5,
            ],
            [
                5.344_186_437_834_912,
                4.593_615_567_759_161,
                -3.036_360_323_459_424_3,
                1.050_660_190_231_459,
                -0.272_778_611_864_296_25,
            ],
            [
                3.748_059_807_439_805,
                -3.984_965_736_343_885,
                -1.044_415_641_608_018_8,
                1.184_098_568_137_948_6,
                -0.449_917_770_156_780_36,
            ],
        ],
        real: 6.286_704_751_729_276_5,
        pairs: &[
            (5.700_953_298_671_79, 3.210_265_600_308_549_7),
            (3.655_694_325_463_572, 6.543_736_899_360_077),
        ],
        error: [
            -27.780_933_944_064_64,
            3.641_478_498_049_213,
            -1.252_547_721_169_118_7,
            0.592_003_167_184_542_8,
            -0.2,
        ],
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `left` times `right`.
    fn times<const S: usize>(left: &[[f64; S]; S], right: [f64; S]) -> [f64; S] {
        left.map(|row| row.iter().zip(right).map(|(a, b)| a * b).sum())
    }

    /// Powers of the time solve their own equations: at the stages up to the power `S`, at the end up to 2 `S` - 1.
    fn powers_are_solved<const S: usize>()
    where
        RadauStages<S>: KnownRadauCoefficients<S>,
    {
        let of = RadauStages::<S>::OF;
        for power in 1..2 * S as i32 {
            let slope = of.c.map(|c| f64::from(power) * c.powi(power - 1));
            let mut split = times(&of.t_inverse, slope);
            split[0] /= of.real;
            for (pair, (alpha, beta)) in of.pairs.iter().enumerate() {
                let (re, im) = (split[2 * pair + 1], split[2 * pair + 2]);
                let size = alpha * alpha + beta * beta;
                split[2 * pair + 1] = (alpha * re + beta * im) / size;
                split[2 * pair + 2] = (alpha * im - beta * re) / size;
            }
            let found = times(&of.t, split);
            assert!((found[S - 1] - 1.0).abs() < 1e-13, "{power}: {found:?}");
            if power > S as i32 {
                continue;
            }
            for (found, c) in found.iter().zip(of.c) {
                assert!((found - c.powi(power)).abs() < 1e-13, "{power}: {found}");
            }
            let slope: f64 = of
                .error
                .iter()
                .zip(of.c)
                .map(|(e, c)| e * c.powi(power))
                .sum();
            let expected = if power == 1 { -1.0 } else { 0.0 };
            assert!((slope - expected).abs() < 1e-13, "{power}: {slope}");
        }
    }

    #[test]
    fn powers_of_the_time_are_solved_up_to_the_order() {
        powers_are_solved::<3>();
        powers_are_solved::<5>();
    }
}
