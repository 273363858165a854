use proptest::prelude::*;
use tool_core::{ErrorCode, convert, json};

use super::*;
use crate::testing;

fn run(text: &str) -> Result<Output, ToolError> {
    testing::run::<Args>(text)
}

fn list(rhs: &Option<Rhs>) -> &[f64] {
    rhs.as_ref().expect("present").as_slice()
}

#[test]
fn faults_name_the_argument() {
    testing::assert_refused::<Args>(&[
        (r#"{"data": []}"#, "/data", "empty"),
        (r#"{"data": [1, null]}"#, "/data/1", "number"),
        (
            r#"{"data": [1, 2], "imaginary": [1]}"#,
            "/imaginary",
            "1 x 1",
        ),
        (r#"{"data": [1], "rate": 0}"#, "/rate", "greater than 0"),
        (r#"{"data": [1], "n": 0}"#, "/n", "from 1"),
        (r#"{"data": [1], "n": 1e18}"#, "/n", "from 1"),
        (r#"{"data": [1, 2], "segment": 2}"#, "/segment", "kind"),
        (
            r#"{"data": [1, 2], "scaling": "density"}"#,
            "/scaling",
            "kind",
        ),
        (
            r#"{"data": [1, 2], "kind": "power", "segment": 3}"#,
            "/segment",
            "longer",
        ),
        (
            r#"{"data": [1, 2], "kind": "power", "overlap": 2}"#,
            "/overlap",
            "fewer",
        ),
        (
            r#"{"data": [1, 2], "kind": "power", "n": 1}"#,
            "/n",
            "fewer",
        ),
        (
            r#"{"data": [1, 2], "kind": "power", "imaginary": [1, 2]}"#,
            "/imaginary",
            "real",
        ),
        (r#"{"data": [1, 2], "beta": 3}"#, "/beta", "kaiser"),
        (
            r#"{"data": [1, 2], "alpha": 0.3, "window": "hann"}"#,
            "/alpha",
            "tukey",
        ),
        (
            r#"{"data": [1, 2], "window": "kaiser", "beta": 1000}"#,
            "/beta",
            "700",
        ),
        (
            r#"{"data": [1, 2], "inverse": true, "window": "hann"}"#,
            "/window",
            "inverse",
        ),
        (
            r#"{"data": [1, 2], "inverse": true, "rate": 3}"#,
            "/rate",
            "inverse",
        ),
        (
            r#"{"data": [1, 2], "inverse": true, "kind": "power"}"#,
            "/kind",
            "inverse",
        ),
        (
            r#"{"data": [1, 2], "inverse": true, "n": 4}"#,
            "/n",
            "number of coefficients",
        ),
        (
            r#"{"data": [1, 2, 3], "inverse": true, "sides": "one", "n": 8}"#,
            "/n",
            "5",
        ),
        (
            r#"{"data": [1, 2], "imaginary": [0, 0], "sides": "one"}"#,
            "/sides",
            "negative",
        ),
        (
            r#"{"data": [1, 2], "imaginary": [0, 0], "detrend": "constant"}"#,
            "/detrend",
            "real",
        ),
        (r#"{"data": [[1, 2], [3, 4]], "n": 4}"#, "/n", "matrix"),
        (
            r#"{"data": [[1, 2], [3, 4]], "kind": "power"}"#,
            "/kind",
            "matrix",
        ),
        (r#"{"data": [[1, 2], [3]]}"#, "/data", "row"),
        (r#"{"data": [1], "windw": "hann"}"#, "/windw", "unknown"),
    ]);
}

#[test]
fn limits_are_asked_before_the_work() {
    let budget = tool_core::CallBudget {
        memory_bytes: 1_000_000,
        ..tool_core::CallBudget::default()
    };
    let ctx = Ctx::new(tool_core::StopFlag::new(), budget);
    let args = |n: i64| Args {
        n: BoundedInteger::new(n),
        ..convert::from_value(
            &json::parse_json(r#"{"data": [1]}"#, json::JsonLimits::default()).unwrap(),
        )
        .unwrap()
    };
    let error = Args::run(args(1 << 30), &ctx).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::LimitExceeded, Some("memory"))
    );
    let budget = tool_core::CallBudget {
        timeout_ms: 10,
        ..tool_core::CallBudget::default()
    };
    let ctx = Ctx::new(tool_core::StopFlag::new(), budget);
    let error = Args::run(args(1 << 22), &ctx).unwrap_err();
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::LimitExceeded, Some("cost"))
    );
}

#[test]
fn the_smallest_data_have_transforms() {
    let one = run(r#"{"data": [3]}"#).unwrap();
    assert_eq!(
        (list(&one.real), list(&one.imaginary), one.n),
        (&[3.0][..], &[0.0][..], 1)
    );
    let back = run(r#"{"data": [3], "inverse": true, "sides": "one", "n": 1}"#).unwrap();
    assert_eq!(list(&back.real), [3.0]);
    let zeros = run(r#"{"data": [0, 0, 0, 0], "kind": "power"}"#).unwrap();
    assert_eq!((zeros.power.unwrap(), zeros.peaks.len()), (vec![0.0; 3], 0));
    let large = run(r#"{"data": [1e308, -1e308, 1e308, 1e308]}"#);
    assert!(large.is_err() || list(&large.unwrap().real).iter().all(|x| x.is_finite()));
}

#[test]
fn both_sides_of_real_samples_are_those_of_complex_ones() {
    for data in ["[1, 2, 4, 3, 7]", "[1, 2, 4, 3, 7, -2]"] {
        let real = run(&format!(r#"{{"data": {data}, "sides": "two"}}"#)).unwrap();
        let zeros = format!("[{}]", vec!["0"; real.n].join(","));
        let complex = run(&format!(r#"{{"data": {data}, "imaginary": {zeros}}}"#)).unwrap();
        assert_eq!(real.frequencies, complex.frequencies);
        for (a, b) in [
            (&real.real, &complex.real),
            (&real.imaginary, &complex.imaginary),
        ] {
            assert!(
                list(a)
                    .iter()
                    .zip(list(b))
                    .all(|(a, b)| (a - b).abs() < 1e-14)
            );
        }
    }
}

#[test]
fn tones_of_complex_samples_have_signs() {
    let n = 200;
    let wave = |part: fn(f64) -> f64| {
        let values =
            (0..n).map(|j| part(-2.0 * std::f64::consts::PI * 0.1203 * f64::from(j)).to_string());
        values.collect::<Vec<_>>().join(",")
    };
    let text = format!(
        r#"{{"data": [{}], "imaginary": [{}], "rate": 10, "window": "hann"}}"#,
        wave(f64::cos),
        wave(f64::sin)
    );
    let found = run(&text).unwrap();
    let [tone] = &found.peaks[..] else {
        panic!("{:?}", found.peaks);
    };
    assert!((tone.frequency + 1.203).abs() < 1e-9, "{tone:?}");
    assert!((tone.amplitude - 1.0).abs() < 1e-9, "{tone:?}");
}

/// Pure tones, with every window and in the worst places: the error is within what is stated.
#[test]
fn stated_uncertainties_cover_pure_tones() {
    for window in [
        "none", "hann", "hamming", "blackman", "kaiser", "tukey", "flat_top",
    ] {
        for n in [97, 256, 1000, 5000] {
            for cycles in [5.0, 10.5, 20.25, 31.0, 33.3] {
                let wave = |j: usize| {
                    (2.0 * std::f64::consts::PI * cycles * j as f64 / n as f64 + 0.4).sin()
                };
                let data: Vec<f64> = (0..n).map(wave).collect();
                let args: Args = convert::from_value(
                    &json::parse_json(
                        &format!(r#"{{"data": [1], "window": "{window}", "plot": false}}"#),
                        json::JsonLimits::default(),
                    )
                    .unwrap(),
                )
                .unwrap();
                let args = Args {
                    data: Input::Inline(Rhs::One(data.into())),
                    ..args
                };
                let found = Args::run(args, &Ctx::default()).unwrap();
                let Some(tone) = found.peaks.first() else {
                    panic!("{window} {n} {cycles}");
                };
                let error = (tone.frequency - cycles / n as f64).abs();
                assert!(
                    error <= 3.0 * tone.uncertainty,
                    "{window} {n} {cycles}: {error:e} {tone:?}"
                );
            }
        }
    }
}

#[test]
fn what_the_example_file_holds_is_named() {
    let file = include_str!("../../../../examples/data/signal.csv");
    let values = file
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).expect("two columns"));
    let data = values.collect::<Vec<_>>().join(",");
    for more in ["", r#", "window": "hann""#, r#", "kind": "power""#] {
        let found = run(&format!(r#"{{"data": [{data}], "rate": 1000{more}}}"#)).unwrap();
        let tones: Vec<f64> = found
            .peaks
            .iter()
            .map(|tone| tone.frequency.round())
            .collect();
        assert_eq!(tones, [50.0, 120.0], "{more} {:?}", found.peaks);
        for (tone, (frequency, amplitude)) in found.peaks.iter().zip([(50.0, 1.0), (120.0, 0.5)]) {
            assert!(
                (tone.frequency - frequency).abs() < 3.0 * tone.uncertainty,
                "{more} {tone:?}"
            );
            assert!((tone.amplitude - amplitude).abs() < 0.06, "{more} {tone:?}");
        }
        assert!(found.plot.is_some_and(|plot| plot.contains("Hz")));
    }
}

/// The energy is beyond the largest double, or below the smallest, where every coefficient is neither.
#[test]
fn energies_beyond_the_range_take_no_answer_away() {
    let found = run(r#"{"data": [1e154, 1e154], "plot": false}"#).unwrap();
    assert_eq!(list(&found.real), [2e154, 0.0]);
    assert_eq!(found.parseval_error, Some(0.0));
    for scale in ["e300", "e-300"] {
        let data = format!(
            "[1{scale}, 0{scale}, -1{scale}, 0{scale}, 1{scale}, 0{scale}, -1{scale}, 0{scale}]"
        );
        // A cosine, and a turn in one direction: the peaks of a cosine in two directions would be noise to each other here.
        let sines =
            format!(r#", "imaginary": [0, 1{scale}, 0, -1{scale}, 0, 1{scale}, 0, -1{scale}]"#);
        for more in ["", sines.as_str()] {
            let found = run(&format!(r#"{{"data": {data}{more}, "plot": false}}"#)).unwrap();
            let back = run(&format!(
                r#"{{"data": {:?}, "imaginary": {:?}, "inverse": true, "plot": false, "peaks": 0{}}}"#,
                list(&found.real),
                list(&found.imaginary),
                if more.is_empty() { r#", "sides": "one""# } else { "" },
            ))
            .unwrap();
            let unit: f64 = format!("1{scale}").parse().unwrap();
            let expected = [1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0];
            for (value, expected) in list(&back.real).iter().zip(expected) {
                assert!((value / unit - expected).abs() < 1e-15, "{back:?}");
            }
            assert!(found.parseval_error.unwrap() < 1e-15, "{found:?}");
            assert!(back.parseval_error.unwrap() < 1e-15, "{back:?}");
            assert!(
                (found.peaks[0].amplitude / unit - 1.0).abs() < 1e-12,
                "{found:?}"
            );
        }
    }
    let whole = run(r#"{"data": [[1e200, 0], [0, 1e200]], "plot": false}"#).unwrap();
    assert!(whole.parseval_error.unwrap() < 1e-15);
    let beyond = run(r#"{"data": [1.7e308, 1.7e308], "plot": false}"#).unwrap_err();
    assert_eq!(beyond.reason_str(), Some("overflow"));
}

/// What says nothing more than leaving it out is no contradiction.
#[test]
fn an_inverse_takes_peaks_of_none() {
    let text = r#"{"data": [6, 0], "imaginary": [0, 0], "inverse": true, "plot": false, "peaks": 0, "window": "none", "detrend": "none"}"#;
    assert_eq!(list(&run(text).unwrap().real), [3.0, 3.0]);
    let err = run(r#"{"data": [6, 0], "inverse": true, "peaks": 3}"#).unwrap_err();
    assert_eq!(err.path(), Some("/peaks"));
}

proptest! {
    #[test]
    fn the_inverse_of_a_transform_is_the_samples(data in prop::collection::vec(-1e6..1e6_f64, 2..200)) {
        let text = |args: &str, of: &[f64]| format!(r#"{{"data": {of:?}{args}}}"#);
        let there = run(&text("", &data)).unwrap();
        let more = format!(r#", "imaginary": {:?}, "inverse": true, "sides": "one", "n": {}"#, list(&there.imaginary), data.len());
        let back = run(&text(&more, list(&there.real))).unwrap();
        let most = data.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (a, b) in list(&back.real).iter().zip(&data) {
            prop_assert!((a - b).abs() <= 1e-14 * most);
        }
        prop_assert!(there.parseval_error.unwrap() < 1e-14 && back.parseval_error.unwrap() < 1e-14);
    }
}

/// As `welch(..., return_onesided=False)` of SciPy: half of the one-sided power at each of both frequencies, all of it at 0 and half the rate;
/// the sums are the same.
#[test]
fn two_sided_power_shares_the_one_sided_power() {
    for (count, rest) in [
        (16, ""),
        (15, ""),
        (16, r#", "n": 24, "segment": 8, "scaling": "spectrum""#),
    ] {
        let data: Vec<f64> = (0..count)
            .map(|j| (f64::from(j) * 0.9).sin() + 0.3 * f64::from(j % 3))
            .collect();
        let call = |sides: &str| {
            run(&format!(
                r#"{{"data": {data:?}, "kind": "power", "rate": 8, "sides": "{sides}"{rest}}}"#
            ))
            .unwrap()
        };
        let (one, two) = (call("one"), call("two"));
        let n = two.n;
        let (one_power, two_power) = (one.power.unwrap(), two.power.unwrap());
        let frequencies = two.frequencies.unwrap();
        assert_eq!((two_power.len(), frequencies.len()), (n, n));
        for k in 0..n {
            let mirrored = k.min(n - k);
            let share = if k == 0 || 2 * k == n { 1.0 } else { 0.5 };
            assert_eq!(two_power[k], share * one_power[mirrored], "{n} {k}");
            assert!((frequencies[k].abs() - 8.0 * mirrored as f64 / n as f64).abs() < 1e-12);
        }
        let (a, b): (f64, f64) = (one_power.iter().sum(), two_power.iter().sum());
        assert!((a - b).abs() < 1e-12 * a);
        assert_eq!(one.peaks.len(), two.peaks.len());
        assert!(two.plot.is_some());
    }
}
