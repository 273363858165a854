use proptest::prelude::*;

use super::{AxisRange, choose_ticks};

fn labels(low: f64, high: f64, ticks_max: usize) -> String {
    let found = choose_ticks(AxisRange::exact(low, high), ticks_max);
    found
        .iter()
        .map(|tick| tick.label.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn ticks_are_round_numbers() {
    let cases = [
        (0.0, 10.0, 6, "0 2 4 6 8 10"),
        (0.0, 10.0, 5, "0 5 10"),
        (-1.0, 1.0, 5, "-1.0 -0.5 0 0.5 1.0"),
        (-0.05, 1.05, 7, "0 0.2 0.4 0.6 0.8 1.0"),
        (98.6, 99.9, 8, "98.6 98.8 99.0 99.2 99.4 99.6 99.8"),
        (0.0, 1e-9, 3, "0 5e-10 1e-9"),
        (0.0, 2e10, 5, "0 5e9 1e10 1.5e10 2e10"),
        (1e9, 1e9 + 4.0, 3, "1e9 1.000000002e9 1.000000004e9"),
        (0.0, 1e6, 3, "0 500000 1000000"),
        (-1.7e308, 1.7e308, 5, "-1e308 0 1e308"),
        (3.0, 3.0, 3, "2 3 4"),
        (5e-324, 1e-323, 3, "-1 0 1"),
    ];
    for (low, high, ticks_max, expected) in cases {
        assert_eq!(labels(low, high, ticks_max), expected, "{low} .. {high}");
    }
}

#[test]
fn one_value_gets_a_range() {
    let cases = [
        (0.0, [-1.0, 1.0]),
        (7.0, [6.0, 8.0]),
        (-1000.0, [-1050.0, -950.0]),
        (f64::MAX, [f64::MAX * 0.95, f64::MAX]),
    ];
    for (value, expected) in cases {
        assert_eq!(
            AxisRange::with_margin(value, value).ends(),
            expected,
            "{value}"
        );
    }
    let rounding_noise = AxisRange::with_margin(0.1 + 0.2, 0.3);
    assert!(rounding_noise.half_span() == 1.0, "{rounding_noise:?}");
}

proptest! {
    #[test]
    fn ticks_rise_inside_the_range(a in proptest::num::f64::NORMAL, b in proptest::num::f64::NORMAL, ticks_max in 2_usize..20) {
        let range = AxisRange::with_margin(a.min(b), a.max(b));
        let found = choose_ticks(range, ticks_max);
        prop_assert!(!found.is_empty() && found.len() <= ticks_max, "{range:?}: {found:?}");
        prop_assert!(found.iter().all(|tick| range.contains(tick.value)));
        prop_assert!(found.windows(2).all(|pair| pair[0].value < pair[1].value && pair[0].label != pair[1].label));
        for tick in &found {
            let read: f64 = tick.label.parse().expect("a label is a number");
            prop_assert_eq!(read, tick.value);
        }
    }

    #[test]
    fn places_keep_their_order(values in proptest::collection::vec(-1e6..1e6_f64, 2..50)) {
        let (low, high) = crate::plot::series::value_extent(&values);
        let range = AxisRange::with_margin(low, high);
        let mut sorted = values;
        sorted.sort_by(f64::total_cmp);
        let places: Vec<f64> = sorted.iter().map(|value| range.fraction(*value)).collect();
        prop_assert!(places.windows(2).all(|pair| pair[0] <= pair[1]));
        prop_assert!(places.iter().all(|place| (0.0..=1.0).contains(place)));
    }
}
