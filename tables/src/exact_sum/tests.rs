//! Against Python's `math.fsum` and `statistics` (`tests/reference/exact_sums.py`), to the last bit.

use proptest::prelude::*;

use super::*;

fn reference() -> serde_json::Value {
    let text = include_str!("../../../tests/reference/exact_sums.json");
    serde_json::from_str(text).expect("JSON")
}

fn double(bits: &serde_json::Value) -> f64 {
    let bits = u64::from_str_radix(bits.as_str().expect("a text"), 16).expect("hexadecimal digits");
    f64::from_bits(bits)
}

fn doubles(list: &serde_json::Value) -> Vec<f64> {
    list.as_array()
        .expect("a list")
        .iter()
        .map(double)
        .collect()
}

fn exact_sum(terms: &[f64]) -> f64 {
    let mut sum = ExactSum::default();
    terms.iter().for_each(|term| sum.add(*term));
    sum.value()
}

fn moments(terms: &[f64]) -> ExactMoments {
    let mut moments = DoubleMoments::default();
    terms.iter().for_each(|term| moments.add(*term));
    moments.finish().expect("finite numbers")
}

#[test]
fn sums_means_and_variances_are_those_of_python() {
    let reference = reference();
    let cases = reference["sums"].as_array().expect("a list");
    assert!(cases.len() > 30);
    for case in cases {
        let name = &case["name"];
        let terms = doubles(&case["terms"]);
        let expected = double(&case["sum"]);
        assert_eq!(exact_sum(&terms), expected, "{name}");
        let moments = moments(&terms);
        for (key, found) in [
            ("mean", moments.mean()),
            ("variance", moments.variance()),
            ("deviation", moments.deviation()),
        ] {
            if let Some(expected) = case.get(key) {
                assert_eq!(found, Some(double(expected)), "{key} of {name}");
            }
        }
    }
}

#[test]
fn correlations_are_correctly_rounded() {
    let reference = reference();
    for pair in reference["pairs"].as_array().expect("a list") {
        let (x, y) = (doubles(&pair["x"]), doubles(&pair["y"]));
        let mut correlation = ExactCorrelation::default();
        x.iter().zip(&y).for_each(|(x, y)| correlation.add(*x, *y));
        assert_eq!(correlation.value(), Some(double(&pair["correlation"])));
    }
    let mut constant = ExactCorrelation::default();
    [1.0, 2.0].iter().for_each(|x| constant.add(*x, 3.0));
    assert_eq!(constant.value(), None);
    let mut line = ExactCorrelation::default();
    [0.1, 0.2, 0.3].iter().for_each(|x| line.add(*x, -*x));
    assert_eq!(line.value(), Some(-1.0));
}

#[test]
fn what_is_not_finite_is_the_sum() {
    let sum = |terms: &[f64]| exact_sum(terms);
    assert_eq!(sum(&[1.0, f64::INFINITY]), f64::INFINITY);
    assert!(sum(&[f64::NEG_INFINITY, 1.0, f64::INFINITY]).is_nan());
    assert_eq!(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_eq!(sum(&[-f64::MAX, -f64::MAX]), f64::NEG_INFINITY);
    assert_eq!(sum(&[]).to_bits(), 0);
}

#[test]
fn integers_of_any_size_are_added() {
    let large = ExactMoments::of_integers([i128::MAX, i128::MAX, 2].into_iter(), 0);
    assert_eq!(large.mean(), Some(2.0 * (i128::MAX as f64) / 3.0));
    let decimals = ExactMoments::of_integers([10, 20, 30].into_iter(), 2);
    assert_eq!(decimals.mean(), Some(0.2));
    assert_eq!(decimals.deviation(), Some(0.1));
    assert_eq!(decimals.variance(), Some(0.01));
}

#[test]
fn integers_beside_doubles_keep_their_digits() {
    let mut sum = ExactSum::default();
    sum.add_integer(i64::MAX);
    sum.add(0.5);
    sum.add_integer(-i64::MAX);
    assert_eq!(sum.value(), 0.5);
    let mut moments = DoubleMoments::default();
    moments.add_integer(i64::MAX);
    moments.add_integer(i64::MAX - 2);
    moments.add(1e300);
    moments.remove(1e300);
    let whole = moments.finish().expect("finite numbers");
    assert_eq!(whole.variance(), Some(2.0));
    moments.remove_integer(i64::MAX);
    let one = moments.finish().expect("finite numbers");
    assert_eq!(one.mean(), Some((i64::MAX - 2) as f64));
}

#[test]
fn many_terms_carry_over() {
    let mut sum = LimbSum::<SUM_LIMBS>::new();
    sum.add(u64::MAX, 1000, false);
    sum.terms = TERMS_BETWEEN_CARRIES - 1;
    sum.add(u64::MAX, 1000, false);
    assert_eq!(sum.terms, 1);
    assert_eq!(sum.to_integer(), BigInt::from(u64::MAX) << 1001_u32);
}

proptest! {
    /// The same bits for every order and every way to share the terms out.
    #[test]
    fn order_and_shares_do_not_matter(
        terms in prop::collection::vec(any::<f64>().prop_filter("finite", |term| term.is_finite()), 1..60),
        cut in 0_usize..60,
        seed in any::<u64>(),
    ) {
        let whole = exact_sum(&terms);
        let mut shuffled = terms.clone();
        let length = shuffled.len();
        for index in 0..length {
            shuffled.swap(index, (seed as usize).wrapping_mul(index + 7) % length);
        }
        prop_assert_eq!(exact_sum(&shuffled).to_bits(), whole.to_bits());
        let cut = cut.min(length);
        let (mut one, mut two) = (ExactSum::default(), ExactSum::default());
        terms[..cut].iter().for_each(|term| one.add(*term));
        terms[cut..].iter().for_each(|term| two.add(*term));
        two.merge(&one);
        prop_assert_eq!(two.value().to_bits(), whole.to_bits());
    }
}
