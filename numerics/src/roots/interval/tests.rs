use proptest::prelude::*;

use super::*;
use crate::vector::Unary;

#[test]
fn exact_operations_stay_exact() {
    let (one, three) = (Interval::point(1.0), Interval::point(3.0));
    assert_eq!(three.minus(three), Interval::ZERO);
    assert_eq!(three.times(three), Interval::point(9.0));
    assert_eq!(three.over(one).unwrap().values, three);
    assert_eq!(Interval::point(9.0).square_root().unwrap().values, three);
    let third = one.over(three).unwrap().values;
    assert!(third.lo < third.hi && third.contains(1.0 / 3.0));
}

#[test]
fn a_divisor_across_zero_gives_an_exterior() {
    let image = Interval::point(1.0)
        .over(Interval::new(-0.5, 0.25))
        .unwrap();
    assert!(image.values.is_exterior() && !image.is_defined && !image.is_continuous);
    assert!(
        image.values.contains(4.0) && image.values.contains(-2.0) && !image.values.contains(0.0)
    );
    let shifted = image.values.minus(Interval::point(1.0));
    assert!(!shifted.contains(0.0) && shifted.contains(3.0) && shifted.contains(-3.0));
    assert!(Interval::point(1.0).over(Interval::ZERO).is_none());
}

#[test]
fn what_overflows_is_not_lost() {
    let large = Interval::new(800.0, 900.0)
        .increasing(
            Unary::Exp,
            Interval::WHOLE,
            Interval::new(0.0, f64::INFINITY),
        )
        .unwrap();
    assert_eq!(large.values, Interval::new(f64::MAX, f64::INFINITY));
    assert!(
        Interval::point(1e200)
            .times(Interval::point(1e200))
            .contains(f64::MAX)
    );
    assert_eq!(Interval::WHOLE.times(Interval::ZERO), Interval::ZERO);
    assert_eq!(
        Interval::ZERO
            .increasing(Unary::Exp, Interval::WHOLE, Interval::WHOLE)
            .unwrap()
            .values,
        Interval::point(1.0)
    );
    assert_eq!(
        (Interval::ZERO.sine(), Interval::ZERO.cosine().hi),
        (Interval::ZERO, 1.0)
    );
}

#[test]
fn waves_have_their_extrema() {
    assert_eq!(Interval::new(1.0, 2.0).sine().hi, 1.0);
    assert_eq!(Interval::new(3.0, 3.3).cosine().lo, -1.0);
    assert_eq!(Interval::new(0.0, 100.0).sine(), Interval::new(-1.0, 1.0));
    let narrow = Interval::new(3.0, 3.2).sine();
    assert!(narrow.lo < -0.05 && narrow.hi < 0.15);
}

proptest! {
    /// Values at places inside are inside.
    #[test]
    fn images_hold_values(a in -20.0f64..20.0, width in 0.0f64..8.0, b in -5.0f64..5.0, part in 0.0f64..=1.0) {
        let (x, y) = (Interval::new(a, a + width), Interval::new(b, b + width / 3.0));
        let (s, t) = (a + part * width, b + part * width / 3.0);
        prop_assume!(x.contains(s) && y.contains(t));
        prop_assert!(x.plus(y).contains(s + t));
        prop_assert!(x.minus(y).contains(s - t));
        prop_assert!(x.times(y).contains(s * t));
        prop_assert!(x.sine().contains(s.sin()) && x.cosine().contains(s.cos()));
        for n in 0..6 {
            prop_assert!(x.power(n).contains(s.powi(n as i32)) || x.power(n).width() > 0.0 && (x.power(n).lo - s.powi(n as i32)).abs() < 1e-9 * s.abs().powi(n as i32));
        }
        if t != 0.0 {
            prop_assert!(x.over(y).unwrap().values.contains(s / t));
        }
        if s > 0.0 {
            prop_assert!(x.square_root().unwrap().values.contains(s.sqrt()));
            prop_assert!(x.real_power(y).unwrap().values.contains(s.powf(t)));
        }
    }
}
