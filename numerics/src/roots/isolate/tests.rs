use std::convert::Infallible;

use super::*;
use crate::roots::interval::IntervalImage;

const LIMITS: IsolationLimits = IsolationLimits {
    parts: 20_000,
    roots: 1000,
};

fn smooth(values: Interval, slope: Interval) -> FunctionEnclosure {
    FunctionEnclosure {
        values: Some(values),
        slope,
        is_defined: true,
        is_continuous: true,
    }
}

fn found(low: f64, high: f64, f: impl Fn(Interval) -> FunctionEnclosure) -> RootIsolation {
    let mut f = |x| Ok::<FunctionEnclosure, Infallible>(f(x));
    let Ok(found) = isolate_roots(Interval::new(low, high), LIMITS, &mut f);
    found
}

fn one(x: f64) -> Interval {
    Interval::point(x)
}

#[test]
fn the_roots_of_tan_x_minus_x_and_no_pole() {
    let found = found(0.1, 20.0, |x| {
        let Some(IntervalImage {
            values: tangent,
            is_defined,
            is_continuous,
        }) = x.sine().over(x.cosine())
        else {
            unreachable!("the cosine of an interval is not zero alone");
        };
        FunctionEnclosure {
            values: Some(tangent.minus(x)),
            slope: tangent.squared(),
            is_defined,
            is_continuous,
        }
    });
    let expected = [
        4.493_409_457_909_064,
        7.725_251_836_937_707,
        10.904_121_659_428_9,
        14.066_193_912_831_473,
        17.220_755_271_930_768,
    ];
    assert_eq!(found.roots.len(), expected.len(), "{found:?}");
    assert!(found.regions.is_empty(), "{found:?}");
    for (root, expected) in found.roots.iter().zip(expected) {
        assert!((root.middle() - expected).abs() < 1e-14 * expected && root.width() < 1e-12);
    }
}

#[test]
fn roots_at_ends_and_at_places_of_division() {
    let cubic = |x: Interval| {
        smooth(
            x.power(3).minus(x),
            one(3.0).times(x.squared()).minus(one(1.0)),
        )
    };
    for (low, high) in [(-1.0, 1.0), (-2.0, 2.0), (-1.0, 1.3), (-7.0, 1.0)] {
        let found = found(low, high, cubic);
        let roots: Vec<f64> = found.roots.iter().map(|root| root.middle()).collect();
        assert_eq!(roots.len(), 3, "{low} {high} {found:?}");
        assert!(found.regions.is_empty());
    }
    let sine = |x: Interval| smooth(x.sine(), x.cosine());
    let found = found(0.0, std::f64::consts::PI, sine);
    assert_eq!(found.roots.len(), 2, "{found:?}");
}

#[test]
fn roots_of_even_order_are_left_and_told() {
    let found = found(-3.0, 2.7, |x| {
        let d = x.minus(one(1.0));
        smooth(d.squared(), one(2.0).times(d))
    });
    assert!(found.roots.is_empty());
    assert_eq!(found.regions.len(), 1, "{found:?}");
    let region = found.regions[0];
    assert_eq!(
        (region.kind, region.exact),
        (UnprovenReason::Undecided, Some(1.0))
    );
    assert!(region.part.width() < 1e-7);
}

#[test]
fn a_root_of_third_order_is_proven_but_not_alone() {
    let found = found(-3.0, 2.7, |x| {
        let d = x.minus(one(1.0));
        smooth(d.power(3), one(3.0).times(d.squared()))
    });
    assert!(
        found.roots.is_empty() && found.regions.len() == 1,
        "{found:?}"
    );
    assert!(found.regions[0].has_root && found.regions[0].part.contains(1.0));
}

#[test]
fn zero_everywhere_no_root_and_a_cancelling_double_root() {
    let zero = found(-1.0, 1.0, |_| smooth(Interval::ZERO, Interval::ZERO));
    assert_eq!(zero.regions[0].kind, UnprovenReason::Zero);
    let none = found(-9.0, 9.0, |x| {
        smooth(x.squared().plus(one(0.001)), one(2.0).times(x))
    });
    assert!(none.roots.is_empty() && none.regions.is_empty());
    // x^2 - 2 x + 1 by Horner's rule
    let cancelling = found(-3.1, 2.0, |x| {
        smooth(
            x.minus(one(2.0)).times(x).plus(one(1.0)),
            one(2.0).times(x).minus(one(2.0)),
        )
    });
    assert!(cancelling.evaluations < 5000, "{cancelling:?}");
    assert!(
        cancelling.roots.is_empty()
            && cancelling
                .regions
                .iter()
                .all(|region| region.part.width() < 1e-6)
    );
}

#[test]
fn the_number_of_parts_is_limited() {
    let found = found(0.0, 1.0, |x| {
        let Some(inverse) = one(1.0).over(x) else {
            return FunctionEnclosure {
                values: None,
                slope: Interval::WHOLE,
                is_defined: false,
                is_continuous: true,
            };
        };
        let y = inverse.values.hull();
        FunctionEnclosure {
            values: Some(y.sine()),
            slope: y.cosine().times(y.squared()).negated(),
            is_defined: inverse.is_defined,
            is_continuous: true,
        }
    });
    assert!(found.roots.len() >= 500, "{}", found.roots.len());
    let wave = self::found(0.0, 1e6, |x| smooth(x.sine(), x.cosine()));
    assert!(
        wave.roots.len() >= 1000
            && wave
                .regions
                .iter()
                .any(|region| region.kind == UnprovenReason::Unsearched)
    );
    assert!(
        found
            .regions
            .iter()
            .any(|region| region.kind == UnprovenReason::Unsearched)
    );
}
