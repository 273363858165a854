use super::*;
use crate::budget::{Budget, never_stopped};
use crate::parse::{NotationOptions, read_expression};

/// Constants to 30 digits: Abramowitz and Stegun, tables 1.1 and 6.1; the value of the zeta function is Apery's constant.
#[test]
fn constants_have_thirty_digits() {
    let budget = Budget::new(1_000_000, &never_stopped);
    for (text, digits) in [
        ("pi", "3.14159265358979323846264338328"),
        ("exp(1)", "2.71828182845904523536028747135"),
        ("sqrt(2)", "1.41421356237309504880168872421"),
        ("ln(2)", "0.693147180559945309417232121458"),
        ("gamma(1/2)", "1.77245385090551602729816748334"),
        ("sin(1)", "0.841470984807896506652502321630"),
        ("atan(1)", "0.785398163397448309615660845820"),
    ] {
        let expr = read_expression(text, &NotationOptions::default())
            .unwrap()
            .expr;
        let found = evaluate_digits(&expr, 30, &budget).unwrap().unwrap().text;
        let (found, digits) = (found.trim_end_matches('0'), digits.trim_end_matches('0'));
        assert_eq!(found, digits, "{text}");
    }
}
