//! Reference values: mpmath 1.4 with 60 digits, rounded to the nearest double.

use super::check;
use crate::special::dd::DoubleDouble;
use crate::special::incomplete::beta_share;
use crate::special::*;

#[test]
fn gammainc_values() {
    check(
        |(a, x)| regularised_gamma_p(a, x),
        &[
            ((0.5, 0.1), 0.345279153981423),
            ((0.5, 5.0), 0.9984345977419975),
            ((1.0, 1.0), 0.6321205588285577),
            ((2.0, 0.01), 4.966791334026589e-05),
            ((1e-10, 0.5), 0.9999999999440227),
            ((1e-14, 3.0), 0.9999999999999999),
            ((1e-20, 1e-05), 1.0),
            ((1e-05, 20.0), 0.999999999999999),
            ((3.3, 3.3), 0.5732410974708844),
            ((10.0, 5.0), 0.03182805730620481),
            ((10.0, 30.0), 0.9999928782491372),
            ((100.0, 80.0), 0.017108313035133115),
            ((100.0, 99.0), 0.473304330399461),
            ((100.0, 130.0), 0.9972495916326934),
            ((500.0, 480.0), 0.1862819731903246),
            ((900.0, 990.0), 0.9982299609362878),
            ((1000.0, 1000.0), 0.5042052441802155),
            ((1000.0, 1090.0), 0.9972429055274884),
            ((10000.0, 9900.0), 0.15865119219356466),
            ((10000.0, 10300.0), 0.9985295051036143),
            ((100000.0, 100000.0), 0.5004205221103651),
            ((2500.0, 1800.0), 6.1740080682541985e-55),
            ((50.0, 400.0), 1.0),
        ],
        12.0,
    );
}

#[test]
fn gammaincc_values() {
    check(
        |(a, x)| regularised_gamma_q(a, x),
        &[
            ((0.5, 0.1), 0.654720846018577),
            ((0.5, 5.0), 0.0015654022580025497),
            ((1.0, 1.0), 0.36787944117144233),
            ((2.0, 0.01), 0.9999503320866597),
            ((1e-10, 0.5), 5.597735948054988e-11),
            ((1e-14, 3.0), 1.3048381094197285e-16),
            ((1e-20, 1e-05), 1.0935719800043694e-19),
            ((1e-05, 20.0), 9.835881210662359e-16),
            ((3.3, 3.3), 0.4267589025291157),
            ((10.0, 5.0), 0.9681719426937951),
            ((10.0, 30.0), 7.121750862815577e-06),
            ((100.0, 80.0), 0.9828916869648668),
            ((100.0, 99.0), 0.526695669600539),
            ((100.0, 130.0), 0.002750408367306526),
            ((500.0, 480.0), 0.8137180268096754),
            ((900.0, 990.0), 0.0017700390637122101),
            ((1000.0, 1000.0), 0.4957947558197845),
            ((1000.0, 1090.0), 0.002757094472511636),
            ((10000.0, 9900.0), 0.8413488078064354),
            ((10000.0, 10300.0), 0.0014704948963856813),
            ((100000.0, 100000.0), 0.4995794778896348),
            ((2500.0, 1800.0), 1.0),
            ((50.0, 400.0), 1.1366407840501794e-109),
        ],
        12.0,
    );
}

/// `I_x(a, b)` for x between 0 and 1.
fn betainc(a: f64, b: f64, x: f64) -> f64 {
    let (x, y) = (DoubleDouble::from(x), DoubleDouble::sum(1.0, -x));
    let ln_y = if x.hi < 0.1 { (-x).ln_1p() } else { y.ln() };
    beta_share(a, b, (x, x.ln()), (y, ln_y))
}

#[test]
fn betainc_values() {
    check(
        |(a, b, x)| betainc(a, b, x),
        &[
            ((0.5, 0.5, 0.1), 0.20483276469913345),
            ((0.5, 0.5, 0.9), 0.7951672353008665),
            ((1.0, 1.0, 0.3), 0.3),
            ((2.0, 3.0, 0.5), 0.6875),
            ((10.0, 0.1, 0.5), 2.2297472458379067e-05),
            ((1e-05, 3.0, 0.2), 0.9999951056021333),
            ((3.0, 1e-05, 0.2), 3.143593264883929e-08),
            (
                (14.316591213438178, 0.005135267857262703, 0.9477556285481918),
                0.001781829373444606,
            ),
            ((6.02, 0.00175, 0.9999), 0.012045904521361292),
            ((50.0, 50.0, 0.5), 0.5),
            ((50.0, 50.0, 0.45), 0.15865219893709884),
            ((100.0, 3.0, 0.99), 0.9169110148894397),
            ((200.0, 150.0, 0.6), 0.8601906604801526),
            ((1000.0, 1000.0, 0.51), 0.8144473405684886),
            ((3000.0, 2000.0, 0.6), 0.4992322120544092),
            ((3000.0, 2000.0, 0.58), 0.002027667604028052),
            ((0.001, 0.002, 0.5), 0.6666672128812938),
            ((5.0, 10000.0, 0.0001), 0.0036636803676854237),
            ((10000.0, 5.0, 0.9999), 0.9963363196323163),
            ((2.5, 3.5, 1e-100), 1.0864977448406722e-249),
            ((7.0, 8.0, 0.9999999999999999), 1.0),
        ],
        1.0,
    );
}

#[test]
fn e1_values() {
    check(
        exponential_integral_e1,
        &[
            (1e-300, 690.1983122333122),
            (1e-20, 45.474486194979384),
            (1e-05, 10.935719800043696),
            (0.1, 1.8229239584193906),
            (0.5, 0.5597735947761608),
            (1.0, 0.21938393439552029),
            (1.5, 0.10001958240663265),
            (2.0, 0.04890051070806112),
            (3.0, 0.013048381094197037),
            (4.5, 0.0020734007547146146),
            (5.999, 0.00036049581861089154),
            (6.0, 0.0003600824521626587),
            (6.001, 0.00035966956769407406),
            (8.0, 3.76656228439249e-05),
            (12.0, 4.751081824672494e-07),
            (20.0, 9.835525290649882e-11),
            (50.0, 3.783264029550459e-24),
            (100.0, 3.683597761682032e-46),
            (400.5, 2.893191156588132e-177),
            (700.0, 1.406518766234033e-307),
        ],
        1.5,
    );
}

#[test]
fn ei_values() {
    check(
        exponential_integral_ei,
        &[
            (1e-300, -690.1983122333122),
            (1e-20, -45.474486194979384),
            (1e-05, -10.935699800043695),
            (0.1, -1.6228128139692766),
            (0.37, -0.009790148500068083),
            (0.38, 0.02901122141928304),
            (0.5, 0.4542199048631736),
            (1.0, 1.8951178163559368),
            (2.0, 4.95423435600189),
            (5.0, 40.18527535580318),
            (10.0, 2492.2289762418777),
            (20.0, 25615652.664056588),
            (39.9, 5479032048901894.0),
            (40.0, 6039718263611242.0),
            (40.1, 6657825191607100.0),
            (50.0, 1.058563689713169e+20),
            (100.0, 2.71555274485388e+41),
            (400.5, 2.154894206354088e+171),
            (700.0, 1.4509787360525608e+301),
            (-1.0, -0.21938393439552029),
            (-30.0, -3.0215520106888124e-15),
        ],
        1.5,
    );
}

#[test]
fn ei_near_its_zero_values() {
    check(
        exponential_integral_ei,
        &[
            (0.3725074107813666, -5.1196989365556847e-17),
            (0.3725074107813666, -5.1196989365556847e-17),
            (0.3725, -2.8874183188745963e-05),
        ],
        20.0,
    );
}

#[test]
fn ends() {
    assert_eq!(
        (regularised_gamma_p(2.0, 0.0), regularised_gamma_q(2.0, 0.0)),
        (0.0, 1.0)
    );
    assert_eq!(
        (
            regularised_gamma_p(2.0, f64::INFINITY),
            regularised_gamma_q(2.0, f64::INFINITY)
        ),
        (1.0, 0.0)
    );
    assert!(
        regularised_gamma_p(0.0, 1.0).is_nan()
            && regularised_gamma_p(1.0, -1.0).is_nan()
            && regularised_gamma_p(f64::NAN, 1.0).is_nan()
    );
    assert_eq!(
        (
            exponential_integral_e1(0.0),
            exponential_integral_e1(800.0),
            exponential_integral_ei(0.0)
        ),
        (f64::INFINITY, 0.0, f64::NEG_INFINITY)
    );
    assert!(exponential_integral_e1(-1.0).is_nan());
}

fn check_student(t: f64, freedom: u32, expected: f64) {
    let found = student_two_sided(t, f64::from(freedom));
    assert!(
        (found - expected).abs() <= 1e-12 * expected,
        "t = {t}, {freedom} degrees: {found:e}, expected {expected:e}"
    );
}

#[test]
fn student_closed_forms() {
    // One degree of freedom is the Cauchy distribution: p = 1 - 2/pi atan(t) = 2/pi atan(1/t).
    for t in [1e-3, 0.1, 1.0, 5.0, 12.706, 1e4, 1e9] {
        check_student(t, 1, 2.0 / std::f64::consts::PI * (1.0 / t).atan());
    }
    // Two degrees: p = 1 - t / sqrt(2 + t^2), written without cancellation.
    for t in [0.01, 0.5, 1.0, 4.303, 50.0, 1e5] {
        let root = (2.0_f64 + t * t).sqrt();
        check_student(t, 2, 2.0 / (root * (root + t)));
    }
    // Four degrees: F = 1/2 + s (3 - s^2) / 4 with s = t / sqrt(4 + t^2).
    for t in [0.2, 1.0, 2.776] {
        let s = t / (4.0_f64 + t * t).sqrt();
        check_student(t, 4, 1.0 - s * (3.0 - s * s) / 2.0);
    }
}

#[test]
fn student_of_large_freedom_is_nearly_normal() {
    // P(|Z| >= 1.959963984540054) = 0.05; the first correction of the t tail is z (z^2 + 1) phi(z) / (2 nu).
    let z: f64 = 1.959_963_984_540_054;
    let nu = 1e7;
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let expected = 0.05 + z * (z * z + 1.0) * density / (2.0 * nu);
    assert!((student_two_sided(z, nu) / expected - 1.0).abs() < 1e-9);
}

/// Even degrees of freedom have a finite sum (Abramowitz & Stegun 26.7.4), here in 80 decimal digits.
#[test]
fn student_of_many_degrees() {
    for (t, freedom, expected) in [
        (0.001, 120, 0.9992037760829927),
        (0.5, 120, 0.6179907243383971),
        (1.5, 120, 0.13624083523071986),
        (5.0, 120, 1.9781905804539657e-06),
        (10.0, 120, 1.7139441175361015e-17),
        (0.001, 122, 0.9992037488899991),
        (0.5, 122, 0.6179757330477123),
        (1.5, 122, 0.13619785030912107),
        (5.0, 122, 1.942953471721257e-06),
        (10.0, 122, 1.4699094853902856e-17),
        (0.001, 1000, 0.9992023150184527),
        (0.5, 1000, 0.6171850808338748),
        (1.5, 1000, 0.13393003882208618),
        (5.0, 1000, 6.767256364648631e-07),
        (10.0, 1000, 1.6670702958600067e-22),
        (0.001, 4000, 0.999202165438429),
        (0.5, 4000, 0.6171025814917356),
        (1.5, 4000, 0.13369332339679207),
        (5.0, 4000, 5.978759174046772e-07),
        (10.0, 4000, 2.8530323975435387e-23),
    ] {
        check_student(t, freedom, expected);
    }
}

#[test]
fn student_edges() {
    assert_eq!(student_two_sided(0.0, 7.0), 1.0);
    assert_eq!(student_two_sided(f64::INFINITY, 7.0), 0.0);
    assert!(student_two_sided(f64::NAN, 7.0).is_nan());
    assert_eq!(student_two_sided(-2.0, 9.0), student_two_sided(2.0, 9.0));
}

#[test]
fn student_inverse() {
    // Tables of the t distribution (Abramowitz & Stegun, table 26.10, and closed forms for 1 and 2 degrees).
    for (p, freedom, expected) in [
        (0.05, 1.0, (0.475 * std::f64::consts::PI).tan()),
        (0.05, 2.0, 0.95 * (2.0_f64 / (1.0 - 0.95 * 0.95)).sqrt()),
        (0.05, 10.0, 2.228138851964939),
        (0.01, 30.0, 2.749_995_653_567_227),
    ] {
        let found = student_two_sided_inverse(p, freedom);
        assert!(
            (found / expected - 1.0).abs() < 1e-8,
            "{p}, {freedom}: {found}"
        );
        assert!((student_two_sided(found, freedom) / p - 1.0).abs() < 1e-12);
    }
    // With many degrees it is the quantile of the normal distribution.
    let normal = student_two_sided_inverse(0.05, 1e9);
    assert!((normal - 1.959963984540054).abs() < 1e-7, "{normal}");
    for (p, freedom) in [(0.0, 3.0), (1.0, 3.0), (0.5, 0.0), (f64::NAN, 3.0)] {
        assert!(student_two_sided_inverse(p, freedom).is_nan());
    }
    assert!(student_two_sided_inverse(1e-300, 1.0) > 1e299);
}

/// Neighbouring doubles are more than 1 apart there, so that the search has to end at them.
#[test]
fn quantiles_of_more_trials_than_doubles_count_end() {
    let found = binomial_quantile(0.5, 1e16, 0.5);
    assert!((0.0..=1e16).contains(&found), "{found}");
    let found = poisson_quantile(0.5, 1e16);
    assert!((0.0..=3e16).contains(&found), "{found}");
}

/// Where the steps of the continued fraction no longer change; it was no number there.
#[test]
fn arguments_far_beyond_the_tail_have_none_of_it() {
    for x in [1e4, 1e16, 1e30, 1e152, 1e308] {
        for a in [0.01, 0.5, 3.0] {
            assert_eq!(
                (regularised_gamma_q(a, x), regularised_gamma_p(a, x)),
                (0.0, 1.0),
                "{a} {x}"
            );
        }
    }
}
