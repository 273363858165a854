use proptest::prelude::*;

use super::convolve::{SequenceBlock, by_transforms, convolve_direct, smooth_above};
use super::design::{FilterPrototype, PassBand, design_filter};
use super::filter::{FilterCascade, is_stable};
use super::peaks::PeakSearch;
use super::spectrum::{SpectrumScaling, TrendRemoval, WelchMethod, subtract_trend};
use super::transform::{
    TransformDirection, bin_frequencies, complex_2d, real_inverse, transform_complex,
    transform_real,
};
use super::window::WindowFunction;
use super::{Complex64, transform};
use crate::watch::NoWatch;
use crate::watch::tests::StoppedWatch;

/// Noise that is the same every time: splitmix64.
fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..n).map(next).collect()
}

/// The transform by its definition, with angles reduced exactly and sums in doubled precision.
fn by_definition(x: &[Complex64]) -> Vec<Complex64> {
    let n = x.len();
    let turns: Vec<(f64, f64)> = (0..n)
        .map(|k| {
            // Octants, so that the argument of the functions is small and exact but for one rounding.
            let angle = 2.0 * std::f64::consts::PI * k as f64 / n as f64;
            (libm::cos(angle), -libm::sin(angle))
        })
        .collect();
    (0..n)
        .map(|k| {
            let mut sums = [crate::exact::CompensatedSum::default(); 2];
            for (j, value) in x.iter().enumerate() {
                let (c, s) = turns[j * k % n];
                sums[0].add_product(value.re, c);
                sums[0].add_product(value.im, -s);
                sums[1].add_product(value.re, s);
                sums[1].add_product(value.im, c);
            }
            Complex64::new(sums[0].value(), sums[1].value())
        })
        .collect()
}

fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    let square = |of: &mut dyn Iterator<Item = f64>| of.sum::<f64>().sqrt();
    square(&mut a.iter().zip(b).map(|(a, b)| (a - b).norm_sqr()))
        / square(&mut b.iter().map(|b| b.norm_sqr()))
}

#[test]
fn transforms_are_those_of_the_definition() {
    for n in [
        1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 30, 60, 97, 127, 128, 243, 251, 256, 500, 509, 1000,
        1021, 1024, 2039,
    ] {
        let parts = noise(2 * n, n as u64);
        let x: Vec<Complex64> = parts
            .chunks(2)
            .map(|p| Complex64::new(p[0], p[1]))
            .collect();
        let expected = by_definition(&x);
        let mut found = x.clone();
        transform_complex(&mut found, TransformDirection::Forward);
        // Measured: 6e-16 at most.
        assert!(
            distance(&found, &expected) < 1e-15,
            "{n}: {:e}",
            distance(&found, &expected)
        );
        transform_complex(&mut found, TransformDirection::Inverse);
        assert!(distance(&found, &x) < 1e-15, "{n}");
        let samples: Vec<Complex64> = parts[..n].iter().map(|&x| Complex64::new(x, 0.0)).collect();
        let half = transform_real(&parts[..n]);
        assert!(
            distance(&half, &by_definition(&samples)[..n / 2 + 1]) < 1e-15,
            "{n}"
        );
        let back = real_inverse(&half, n);
        assert!(
            back.iter().zip(&parts).all(|(a, b)| (a - b).abs() < 2e-15),
            "{n}"
        );
    }
}

#[test]
fn matrices_are_transformed_over_both_indices() {
    let (rows, columns) = (6, 7);
    let parts = noise(2 * rows * columns, 3);
    let x: Vec<Complex64> = parts
        .chunks(2)
        .map(|p| Complex64::new(p[0], p[1]))
        .collect();
    let mut found = x.clone();
    complex_2d(&mut found, rows, columns, TransformDirection::Forward);
    for (row, column) in [(0, 0), (1, 2), (5, 6), (3, 3)] {
        let mut sum = Complex64::default();
        for (at, value) in x.iter().enumerate() {
            let turns = (row * (at / columns)) as f64 / rows as f64
                + (column * (at % columns)) as f64 / columns as f64;
            sum += value * Complex64::from_polar(1.0, -2.0 * std::f64::consts::PI * turns);
        }
        assert!((found[row * columns + column] - sum).norm() < 1e-13);
    }
    complex_2d(&mut found, rows, columns, TransformDirection::Inverse);
    assert!(distance(&found, &x) < 1e-15);
    assert_eq!(bin_frequencies(5, 10.0, true), [0.0, 2.0, 4.0, -4.0, -2.0]);
    assert_eq!(bin_frequencies(4, 1.0, true), [0.0, 0.25, -0.5, -0.25]);
    assert_eq!(bin_frequencies(4, 8.0, false), [0.0, 2.0, 4.0]);
}

#[test]
fn the_power_of_a_density_is_the_mean_square() {
    let x = noise(4000, 9);
    for window in [
        WindowFunction::None,
        WindowFunction::Hann,
        WindowFunction::Kaiser(6.0),
        WindowFunction::Tukey(0.3),
        WindowFunction::FlatTop,
    ] {
        let welch = WelchMethod {
            segment: 500,
            overlap: 250,
            points: 512,
            window,
            trend: TrendRemoval::None,
            scaling: SpectrumScaling::Density,
            rate: 100.0,
        };
        let found = welch.run(&x, &NoWatch).unwrap();
        assert_eq!(found.segments, 15);
        let power: f64 = found.power.iter().sum::<f64>() * 100.0 / 512.0;
        // White noise of variance 1/12.
        assert!((power * 12.0 - 1.0).abs() < 0.05, "{window:?} {power}");
    }
    let tone: Vec<f64> = (0..1000)
        .map(|j| 3.0 * (0.1 * j as f64 * 2.0 * std::f64::consts::PI).cos())
        .collect();
    let welch = WelchMethod {
        segment: 200,
        overlap: 100,
        points: 200,
        window: WindowFunction::Hann,
        trend: TrendRemoval::Constant,
        scaling: SpectrumScaling::Spectrum,
        rate: 1.0,
    };
    let found = welch.run(&tone, &NoWatch).unwrap();
    assert!((found.power[20] - 4.5).abs() < 1e-12);
    assert!(welch.run(&tone, &StoppedWatch).is_err());
    let mut line: Vec<f64> = (0..50).map(|j| 1e6 + 3.0 * j as f64).collect();
    subtract_trend(&mut line, TrendRemoval::Linear);
    assert!(line.iter().all(|x| x.abs() < 1e-9));
}

fn search(x: &[f64], window: WindowFunction, points: usize) -> Vec<super::peaks::SpectralPeak> {
    let weights = window.weights(x.len());
    let mut weighted: Vec<f64> = x.iter().zip(&weights).map(|(x, w)| x * w).collect();
    weighted.resize(points, 0.0);
    let unit = 2.0 / weights.iter().sum::<f64>();
    let magnitudes: Vec<f64> = transform_real(&weighted)
        .iter()
        .map(|z| z.norm() * unit)
        .collect();
    PeakSearch {
        magnitudes: &magnitudes,
        window,
        samples: x.len(),
        points,
        is_circular: false,
    }
    .peaks(20)
}

#[test]
fn tones_between_the_points_are_found_exactly() {
    let n = 1500;
    let tone = |cycles: f64, j: usize| {
        (2.0 * std::f64::consts::PI * cycles * j as f64 / n as f64 + 0.7).sin()
    };
    for window in [
        WindowFunction::None,
        WindowFunction::Hann,
        WindowFunction::Hamming,
        WindowFunction::Blackman,
        WindowFunction::FlatTop,
        WindowFunction::Kaiser(8.0),
        WindowFunction::Tukey(0.5),
    ] {
        for cycles in [100.0, 100.2, 100.5, 333.37, 600.01] {
            for points in [n, 4096] {
                let x: Vec<f64> = (0..n).map(|j| 2.5 * tone(cycles, j) + 0.3).collect();
                let found = search(&x, window, points);
                assert_eq!(found.len(), 1, "{window:?} {cycles} {points}: {found:?}");
                let seen = (found[0].index as f64 + found[0].offset) * n as f64 / points as f64;
                // Leakage from the negative frequencies is all that is left.
                let least = match window {
                    WindowFunction::None | WindowFunction::Tukey(_) => 5e-3,
                    WindowFunction::Hamming => 1e-3,
                    WindowFunction::FlatTop => {
                        found[0].uncertainty * n as f64 / points as f64 + 1e-9
                    }
                    _ => 2e-4,
                };
                assert!(
                    (seen - cycles).abs() < least,
                    "{window:?} {cycles} {points}: {seen}"
                );
                assert!(
                    (found[0].magnitude / 2.5 - 1.0).abs() < 5e-3,
                    "{window:?} {cycles}: {:?}",
                    found[0]
                );
            }
        }
    }
}

#[test]
fn uncertainties_of_tones_in_noise_cover_the_error() {
    let n = 512;
    let (mut within_two, mut all) = (0, 0);
    for seed in 0..300_u64 {
        let cycles = 60.0 + (seed as f64 * 0.37) % 100.0;
        let white = noise(n, seed);
        let x: Vec<f64> = (0..n)
            .map(|j| {
                0.4 * (2.0 * std::f64::consts::PI * cycles * j as f64 / n as f64 + seed as f64)
                    .sin()
                    + white[j]
            })
            .collect();
        let found = search(&x, WindowFunction::Hann, n);
        let Some(peak) = found.first() else { continue };
        let error = (peak.index as f64 + peak.offset - cycles).abs();
        all += 1;
        within_two += usize::from(error <= 2.0 * peak.uncertainty);
    }
    assert!(all >= 295, "{all}");
    // 95 % of a normal distribution; between two points the estimate is a little better than to first order.
    assert!(
        within_two as f64 > 0.93 * all as f64,
        "{within_two} of {all}"
    );
}

#[test]
fn white_noise_has_no_peaks() {
    let named: usize = (0..300)
        .map(|seed| search(&noise(1000, 77 + seed), WindowFunction::Hann, 1000).len())
        .sum();
    // Expected: 0.3 of 300 at the stated rate, and a little more for the estimate of the level.
    assert!(named <= 6, "{named}");
    assert!(search(&[0.0; 64], WindowFunction::None, 64).is_empty());
    assert!(search(&[5.0; 64], WindowFunction::Hann, 64).is_empty());
}

fn convolved(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            out[i + j] += x * y;
        }
    }
    out
}

fn row(data: &[f64]) -> SequenceBlock<'_> {
    SequenceBlock {
        data,
        rows: 1,
        columns: data.len(),
    }
}

#[test]
fn sizes_of_transforms_are_smooth() {
    for (n, next) in [
        (1, 1),
        (7, 8),
        (11, 12),
        (13, 15),
        (17, 18),
        (101, 108),
        (1000, 1000),
        (1021, 1024),
        (7000, 7200),
    ] {
        assert_eq!(smooth_above(n), next, "{n}");
    }
}

#[test]
fn designs_have_their_gain_at_the_cutoff_and_are_stable() {
    let half = 0.5_f64.sqrt();
    for order in 1..=12 {
        for cutoff in [5e-5, 1e-3, 0.1, 0.25, 0.4, 0.499] {
            for band in [PassBand::Low(cutoff), PassBand::High(cutoff)] {
                let sections = design_filter(FilterPrototype::Butterworth, order, band).sections();
                let filter = FilterCascade::of_sections(&sections);
                assert_eq!(sections.len(), order.div_ceil(2));
                let gain = filter.response(cutoff).norm();
                // Near 0 and 0.5 the rounding of coefficients counts more, by the square of the distance.
                let tolerance =
                    1e-13 + 1e-15 * (0.1 / cutoff.min(0.5 - cutoff)).powi(2) * order as f64;
                assert!((gain - half).abs() < tolerance, "{order} {band:?}: {gain}");
                assert!(filter.denominators().all(is_stable), "{order} {band:?}");
                let flat = if matches!(band, PassBand::Low(_)) {
                    0.0
                } else {
                    0.5
                };
                let gain = filter.response(flat).norm();
                assert!(
                    (gain - 1.0).abs() < tolerance * 10.0,
                    "{order} {band:?}: {gain}"
                );
            }
        }
        for (from, to) in [(0.1, 0.2), (0.01, 0.3), (0.24, 0.26)] {
            for band in [PassBand::Pass(from, to), PassBand::Stop(from, to)] {
                let filter = FilterCascade::of_sections(
                    &design_filter(FilterPrototype::Butterworth, order, band).sections(),
                );
                for edge in [from, to] {
                    let gain = filter.response(edge).norm();
                    assert!((gain - half).abs() < 1e-10, "{order} {band:?}: {gain}");
                }
                assert!(filter.denominators().all(is_stable), "{order} {band:?}");
            }
        }
    }
}

#[test]
fn ripples_are_as_asked() {
    for order in 1..=9 {
        let one = FilterCascade::of_sections(
            &design_filter(FilterPrototype::Chebyshev1(1.0), order, PassBand::Low(0.2)).sections(),
        );
        let two = FilterCascade::of_sections(
            &design_filter(FilterPrototype::Chebyshev2(40.0), order, PassBand::Low(0.2)).sections(),
        );
        let decibels = |filter: &FilterCascade, f: f64| 20.0 * filter.response(f).norm().log10();
        assert!((decibels(&one, 0.2) + 1.0).abs() < 1e-10, "{order}");
        assert!((decibels(&two, 0.2) + 40.0).abs() < 1e-9, "{order}");
        for k in 0..=100 {
            let inside = decibels(&one, 0.2 * k as f64 / 100.0);
            assert!((-1.0 - 1e-9..=1e-9).contains(&inside), "{order} {inside}");
            let outside = decibels(&two, 0.2 + 0.3 * k as f64 / 100.0);
            assert!(outside < -40.0 + 1e-8, "{order} {outside}");
        }
    }
}

#[test]
fn a_steady_state_stays_and_zero_phase_keeps_lines() {
    let filter = FilterCascade::of_sections(
        &design_filter(FilterPrototype::Butterworth, 5, PassBand::Low(0.05)).sections(),
    );
    let mut state = filter.steady().unwrap();
    let mut ones = vec![1.0; 200];
    filter.causal(&mut ones, &mut state);
    assert!(ones.iter().all(|y| (y - 1.0).abs() < 1e-12));
    let line: Vec<f64> = (0..200).map(|j| j as f64).collect();
    let out = filter.zero_phase(&line, filter.padding()).unwrap();
    // Far from the ends, where the first states are those of a constant.
    assert!((80..120).all(|j| (out[j] - line[j]).abs() < 1e-3));
    // The delay is minus the slope of the phase.
    for f in [0.0, 0.01, 0.04, 0.1] {
        let (h, phase) = (1e-5, |f: f64| filter.response(f).arg());
        let slope = -(phase(f + h) - phase(f - h)) / (2.0 * h) / (2.0 * std::f64::consts::PI);
        assert!((filter.group_delay(f) - slope).abs() < 1e-4, "{f}");
    }
    // A pole at 1 has no steady state.
    let sum = FilterCascade::of_polynomials(&[1.0], &[1.0, -1.0]);
    assert!(sum.steady().is_none() && !is_stable(&[1.0, -1.0]));
    let mut x = vec![1.0, 2.0, 3.0];
    sum.causal(&mut x, &mut sum.rest());
    assert_eq!(x, [1.0, 3.0, 6.0]);
}

proptest! {
    #[test]
    fn a_convolution_is_the_sum(a in prop::collection::vec(-1.0..1.0_f64, 1..80), b in prop::collection::vec(-1.0..1.0_f64, 1..80)) {
        let expected = convolved(&a, &b);
        let by_sum = convolve_direct(row(&a), row(&b), &NoWatch).unwrap();
        let transformed = by_transforms(row(&a), row(&b));
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let most = 2e-15 * norm(&a) * norm(&b) + 1e-300;
        for ((one, two), three) in expected.iter().zip(&by_sum).zip(&transformed) {
            prop_assert!((one - two).abs() < 1e-14);
            prop_assert!((one - three).abs() <= most, "{} {}", one, three);
        }
    }

    #[test]
    fn a_convolution_of_matrices_is_the_sum(
        (rows, columns, a) in (1_usize..6, 1_usize..6).prop_flat_map(|(r, c)| (Just(r), Just(c), prop::collection::vec(-9..9_i32, r * c))),
        (other_rows, other_columns, b) in (1_usize..6, 1_usize..6).prop_flat_map(|(r, c)| (Just(r), Just(c), prop::collection::vec(-9..9_i32, r * c))),
    ) {
        let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
        let one = SequenceBlock { data: &a, rows, columns };
        let two = SequenceBlock { data: &b, rows: other_rows, columns: other_columns };
        let wide = columns + other_columns - 1;
        let mut expected = vec![0.0; (rows + other_rows - 1) * wide];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                expected[(i / columns + j / other_columns) * wide + i % columns + j % other_columns] += x * y;
            }
        }
        prop_assert_eq!(&convolve_direct(one, two, &NoWatch).unwrap(), &expected);
        for (x, y) in by_transforms(one, two).iter().zip(&expected) {
            prop_assert!((x - y).abs() < 1e-11);
        }
    }

    #[test]
    fn transforms_keep_the_energy(x in prop::collection::vec(-1e3..1e3_f64, 1..600)) {
        let n = x.len();
        let energy: f64 = x.iter().map(|x| x * x).sum();
        let half = transform_real(&x);
        let both = |k: usize| if k == 0 || 2 * k == n { 1.0 } else { 2.0 };
        let there: f64 = half.iter().enumerate().map(|(k, z)| both(k) * z.norm_sqr()).sum();
        prop_assert!((there / n as f64 - energy).abs() <= 1e-13 * energy);
        prop_assert!(["avx", "sse4.1", "neon", "scalar"].contains(&transform::instruction_set()));
    }
}
