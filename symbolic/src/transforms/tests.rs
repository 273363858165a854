use super::*;
use crate::budget::{Budget, never_stopped};
use crate::numeric::evaluate_digits;
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;
use crate::tree::SymbolTraits;

fn budget() -> Budget<'static> {
    Budget::new(4_000_000, &never_stopped)
}

fn read(text: &str) -> Expr {
    let mut options = NotationOptions {
        symbols: vec!["t".to_owned(), "s".to_owned()],
        ..NotationOptions::default()
    };
    options
        .traits
        .insert("a".to_owned(), SymbolTraits::POSITIVE);
    if text.contains('y') {
        options.function = Some(("y".to_owned(), "t".to_owned()));
    }
    read_expression(text, &options)
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
        .expr
}

fn t() -> Expr {
    Expr::symbol("t")
}

fn s() -> Expr {
    Expr::symbol("s")
}

fn lines(file: &str) -> impl Iterator<Item = (&str, f64)> {
    file.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .filter_map(|line| line.rsplit_once(" ; "))
        .map(|(text, value)| (text.trim(), value.trim().parse().unwrap_or(f64::NAN)))
}

fn is_near(found: &Expr, x: &Expr, at: &Expr, expected: f64) -> bool {
    let value = evaluate_digits(&found.replace(x, at), 20, &budget());
    let Ok(Some(value)) = value else {
        return false;
    };
    (value.re - expected).abs() <= 1e-10 * expected.abs().max(1e-3) && value.im.abs() < 1e-15
}

#[test]
fn transforms_agree_with_their_integrals() {
    let mut wrong = Vec::new();
    for (text, expected) in lines(include_str!("../../tests-data/laplace.txt")) {
        match laplace_transform(&read(text), &t(), &s(), None, &budget()) {
            Ok(found) if is_near(&found.image, &s(), &Expr::integer(4), expected) => {}
            Ok(found) => wrong.push(format!("{text}: {}", write_text(&found.image))),
            Err(fault) => wrong.push(format!("{text}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn functions_agree_with_the_contour_integral() {
    let mut wrong = Vec::new();
    for (text, expected) in lines(include_str!("../../tests-data/inverse-laplace.txt")) {
        match inverse_laplace(&read(text), &s(), &t(), &budget()) {
            Ok(found) if is_near(&found.function, &t(), &Expr::ratio(3, 2), expected) => {}
            Ok(found) => wrong.push(format!("{text}: {}", write_text(&found.function))),
            Err(fault) => wrong.push(format!("{text}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn symbols_stay_symbols() {
    let forward = |text: &str| {
        let found = laplace_transform(&read(text), &t(), &s(), None, &budget());
        found.map(|found| {
            let bounds: Vec<String> = found.bounds.iter().map(write_text).collect();
            (write_text(&found.image), bounds.join(", "))
        })
    };
    for (text, image, bounds) in [
        ("exp(-a*t)", "1/(a + s)", "-a"),
        ("sin(w*t)", "w/(s**2 + w**2)", "0"),
        ("heaviside(t-a)", "exp(-a*s)/s", "0"),
        ("exp(b*t)*sin(w*t)", "w/((s - b)**2 + w**2)", "b"),
        ("dirac(t-a)", "exp(-a*s)", ""),
        ("t^a", "s**(-a - 1)*gamma(a + 1)", "0"),
    ] {
        let found = forward(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let expected = read(image);
        let is_equal = crate::numeric::compare_values(&read(&found.0), &expected, 4, &budget());
        assert!(
            is_equal.is_ok_and(|found| found.is_agreement()),
            "{text}: {found:?}"
        );
        assert_eq!(found.1, bounds, "{text}");
    }
    let back = |text: &str| {
        let found = inverse_laplace(&read(text), &s(), &t(), &budget());
        found.map(|found| write_text(&found.function))
    };
    for (text, function) in [
        ("1/(s^2+w^2)", "sin(t*w)/w"),
        ("1/((s+a)*(s+b))", "(exp(-b*t) - exp(-a*t))/(a - b)"),
        ("w/((s+b)^2+w^2)", "exp(-b*t)*sin(t*w)"),
        ("exp(-a*s)/s^2", "(t - a)*heaviside(t - a)"),
        ("1/(s^2-b^2)", "(exp(b*t) - exp(-b*t))/(2*b)"),
    ] {
        let found = back(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let is_equal = crate::numeric::compare_values(&read(&found), &read(function), 4, &budget());
        assert!(
            is_equal.is_ok_and(|found| found.is_agreement()),
            "{text}: {found}"
        );
    }
}

#[test]
fn equations_with_an_unknown_function_are_transformed() {
    let unknown = UnknownFunction {
        name: "y".to_owned(),
        image: "Y".to_owned(),
        initial: vec![Some(Expr::integer(1))],
    };
    let found = laplace_transform(
        &read("y'' + 3y' + t*y"),
        &t(),
        &s(),
        Some(&unknown),
        &budget(),
    );
    let found = found.unwrap_or_else(|fault| panic!("{fault}"));
    assert!(found.image.size() > 10);
    assert_eq!(found.check.digits, 30);
}

#[test]
fn what_has_no_transform_is_refused() {
    for text in [
        "1/t",
        "exp(t^2)",
        "t^(-2)",
        "tan(t)",
        "heaviside(t-c)",
        "ln(t)^3*sin(t)",
    ] {
        let found = laplace_transform(&read(text), &t(), &s(), None, &budget());
        assert!(found.is_err(), "{text}: {found:?}");
    }
    for text in [
        "s^2",
        "exp(s)",
        "sin(s)",
        "1/(s^5+s+1)",
        "exp(-c*s)/s",
        "ln(s)",
    ] {
        let found = inverse_laplace(&read(text), &s(), &t(), &budget());
        assert!(found.is_err(), "{text}: {found:?}");
    }
}
