mod calculate;
mod calculate_digits;
mod columns;
mod distributions;
mod limits;
mod models;
mod parameters;

use proptest::prelude::*;

use super::*;

/// The value at `x0 = x`, `x1 = y`, `x2 = z`.
fn value_at(text: &str, point: [f64; 3]) -> f64 {
    let expression = Expression::parse(text, &ExpressionScope::point(3))
        .unwrap_or_else(|err| panic!("`{text}`: {err}"));
    expression.evaluator().eval(&point)
}

fn value(text: &str) -> f64 {
    value_at(text, [2.0, 3.0, -0.5])
}

fn error(text: &str) -> ExpressionError {
    Expression::parse(text, &ExpressionScope::point(3)).expect_err(text)
}

#[test]
fn precedence_and_associativity() {
    // x = 2, y = 3, z = -0.5
    for (text, expected) in [
        ("-x**2", -4.0),
        ("(-x)**2", 4.0),
        ("2**-1", 0.5),
        ("2**-x**2", 0.0625),
        ("2**3**2", 512.0),
        ("2^3^2", 512.0),
        ("-2**-2", -0.25),
        ("10-4-3", 3.0),
        ("100/10/5", 2.0),
        ("2+3*4", 14.0),
        ("2*-3", -6.0),
        ("-2*3", -6.0),
        ("--2", 2.0),
        ("+2", 2.0),
        ("1 - -1", 2.0),
        ("2*x**2", 8.0),
        ("-7 % 3", 2.0),
        ("7 % -3", -2.0),
        ("-(7 % 3)", -1.0),
        ("7.5 % 2", 1.5),
        ("fmod(-7, 3)", -1.0),
        ("1 + 2 < 4", 1.0),
        ("(1 < 2) == 1", 1.0),
        ("3 != 3", 0.0),
        ("3 >= 3", 1.0),
        ("x0*x1 + x2", 5.5),
        ("x*y + z", 5.5),
        (" ( ( x ) ) ", 2.0),
        ("1.5e1 + .5 + 1.", 16.5),
        ("1e-3", 0.001),
    ] {
        assert_eq!(value(text), expected, "`{text}`");
    }
}

#[test]
fn api_slots_aliases_and_uses() {
    let scope = ExpressionScope::new()
        .variable("t")
        .variable("y0")
        .alias("y", 1);
    let expression = Expression::parse("y * 2", &scope).unwrap();
    assert_eq!(scope.len(), 2);
    assert!(expression.uses(1) && !expression.uses(0));
    assert_eq!(expression.evaluator().eval(&[9.0, 4.0]), 8.0);
    assert_eq!(expression.text(), "y * 2");
}

#[test]
fn limits() {
    let nested = |n: usize| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(value(&nested(DEPTH_MAX)), 2.0);
    for (text, expected) in [
        (nested(DEPTH_MAX + 1), "nested more than"),
        (nested(4000), "nested more than"),
        (nested(10_000), "numbers, names and signs"),
        ("-".repeat(5000), "nested more than"),
        ("2**".repeat(3000), "nested more than"),
        ("sin(".repeat(3000), "nested more than"),
        (" ".repeat(LENGTH_MAX + 1), "bytes, the limit is"),
    ] {
        let message = error(&text).to_string();
        assert!(message.contains(expected), "{message}");
    }
    let sum = vec!["x"; 5000].join("+");
    assert_eq!(value(&sum), 10_000.0);
}

#[test]
fn unary_minus_binds_weaker_than_power() {
    for (text, expected) in [
        ("-x**2", -4.0),
        ("-x^2", -4.0),
        ("-x0**2/2", -2.0),
        ("-x ** 2", -4.0),
        ("1-x**2", -3.0),
    ] {
        assert_eq!(value(text), expected, "`{text}`");
    }
}

/// Expected values: mpmath 1.4 with 30 digits.
#[test]
fn functions_agree_with_mpmath() {
    for (text, expected) in [
        ("sin(0.7)", 0.644_217_687_237_691),
        ("cos(0.7)", 0.764_842_187_284_488_5),
        ("tan(0.7)", 0.842_288_380_463_079_4),
        ("asin(0.7)", 0.775_397_496_610_753),
        ("arccos(0.7)", 0.795_398_830_184_143_6),
        ("np.arctan(0.7)", 0.610_725_964_389_208_6),
        ("atan2(1, -2)", 2.677_945_044_588_987),
        ("sinh(0.7)", 0.758_583_701_839_533_4),
        ("cosh(0.7)", 1.255_169_005_630_943),
        ("tanh(0.7)", 0.604_367_777_117_163_5),
        ("asinh(0.7)", 0.652_666_566_082_355_8),
        ("acosh(1.7)", 1.123_230_982_587_296),
        ("atanh(0.7)", 0.867_300_527_694_053_1),
        ("exp(0.7)", 2.013_752_707_470_476_5),
        ("expm1(1e-10)", 1.000_000_000_05e-10),
        ("log(0.7)", -0.356_674_943_938_732_4),
        ("ln(0.7)", -0.356_674_943_938_732_4),
        ("log(5, 3)", 1.464_973_520_717_927_2),
        ("log(0.7, 2)", -0.514_573_172_829_758_3),
        ("math.log10(0.7)", -0.154_901_959_985_743_2),
        ("log2(8)", 3.0),
        ("log1p(1e-10)", 9.999_999_999_5e-11),
        ("sqrt(0.7)", 0.836_660_026_534_075_5),
        ("cbrt(0.7)", 0.887_904_001_742_600_6),
        ("cbrt(-8)", -2.0),
        ("erf(0.7)", 0.677_801_193_837_418_4),
        ("erfc(3)", 2.209_049_699_858_544e-5),
        ("gamma(4.5)", 11.631_728_396_567_448),
        ("gamma(-1.5)", 2.363_271_801_207_355),
        ("lgamma(100.5)", 361.435_540_467_777_6),
        ("factorial(5)", 120.0),
        ("hypot(3, 5)", 5.830_951_894_845_301),
        ("radians(30)", std::f64::consts::FRAC_PI_6),
        ("degrees(1)", 57.295_779_513_082_32),
        ("numpy.exp(-2*0.3**2)*np.sin(3)", 0.117_873_338_966_525_71),
        ("abs(-2) + floor(-0.5) + ceil(0.5) + trunc(-1.5)", 1.0),
        ("round(0.5) + round(1.5) + round(-2.5)", 0.0),
        ("sign(-3) + sign(0) + sign(2)", 0.0),
        ("min(3, 1, 2) + 10 * max(3, 1, 2) + min(7)", 38.0),
        ("pow(2, 10) + mod(-1, 3) + fmod(-1, 3)", 1025.0),
        (
            "pi + tau + e",
            3.0 * std::f64::consts::PI + std::f64::consts::E,
        ),
    ] {
        let found = value(text);
        assert!(
            (found - expected).abs() <= 4.0 * f64::EPSILON * f64::abs(expected),
            "`{text}`: {found}, expected {expected}"
        );
    }
}

#[test]
fn undefined_values_are_nan_and_do_not_leak_through_if() {
    for text in [
        "log(-x)",
        "sqrt(-x)",
        "asin(x)",
        "(-x)**0.5",
        "gamma(0)",
        "gamma(-2)",
        "factorial(-1)",
        "0/(x - x)",
        "x % 0",
        "min(x, log(-x))",
        "max(log(-x), x)",
        "if(log(-x), 1, 2)",
    ] {
        assert!(value(text).is_nan(), "`{text}`");
    }
    for (text, expected) in [
        ("if(x > 0, 1, log(-x))", 1.0),
        ("if(x < 0, log(-x), 2)", 2.0),
        ("if(x < 0, 1/0, if(y == 3, 4, sqrt(-1)))", 4.0),
        ("where(z < 0, 0, sqrt(z))", 0.0),
    ] {
        assert_eq!(value(text), expected, "`{text}`");
        let expression = Expression::parse(text, &ExpressionScope::point(3)).unwrap();
        assert_eq!(
            expression.value(&[2.0, 3.0, -0.5]),
            Ok(expected),
            "`{text}`"
        );
    }
}

/// The message and the hint, as a caller reads them.
#[test]
fn errors_say_where_what_and_what_next() {
    for (text, message, hint) in [
        (
            "",
            "the expression is empty",
            "pass a formula such as \"sin(x) + 1\"",
        ),
        (
            "  ",
            "the expression is empty",
            "pass a formula such as \"sin(x) + 1\"",
        ),
        (
            "x + )",
            "unexpected `)` at column 5, expected a number, a name or `(`",
            "",
        ),
        (
            "(x",
            "unexpected end at column 3, expected an operator or `)`",
            "",
        ),
        (
            "x +",
            "unexpected end at column 4, expected a number, a name or `(`",
            "",
        ),
        (
            "x)",
            "unexpected `)` at column 2, expected an operator or the end",
            "",
        ),
        (
            "sin(x, 2)",
            "`sin` at column 1 takes 1 argument, found 2",
            "",
        ),
        (
            "1 + if(x, 2)",
            "`if` at column 5 takes 3 arguments, found 2",
            "",
        ),
        (
            "min()",
            "`min` at column 1 takes at least 1 argument, found 0",
            "",
        ),
        (
            "2x",
            "unexpected `x` at column 2: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "2(x)",
            "unexpected `(` at column 2: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "(x)(y)",
            "unexpected `(` at column 4: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "x y",
            "unexpected `y` at column 3: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "x(2)",
            "unknown function `x` at column 1",
            "`x` is a value: write the product with `*`, `x * (...)`",
        ),
        (
            "1.5.2",
            "unexpected `.2` at column 4: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "-0.5*x0**2 garbage",
            "unexpected `garbage` at column 12: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "logg(x)",
            "unknown function `logg` at column 1",
            "did you mean `log`?",
        ),
        (
            "gamaincc(2, x)",
            "unknown function `gamaincc` at column 1",
            "did you mean `gammaincc`?",
        ),
        (
            "besselfunction(x)",
            "unknown function `besselfunction` at column 1",
            "functions with such a name: `besseli`, `besseli0`, `besseli1`, `besselj`, `besselj0`, `besselj1`, `besselk`, `besselk0`",
        ),
        (
            "wurzel(x)",
            "unknown function `wurzel` at column 1",
            "docs/expressions.md lists the functions",
        ),
        (
            "np.sine(x)",
            "unknown function `sine` at column 1",
            "did you mean `sin`?",
        ),
        (
            "x + x9",
            "unknown name `x9` at column 5",
            "did you mean `x`?",
        ),
        ("np.x0", "unknown name `np.x0` at column 1", ""),
        ("os.system", "unexpected character `.` at column 3", ""),
        (
            "sin + 1",
            "unknown name `sin` at column 1",
            "`sin` is a function: write `sin(x)`",
        ),
        (
            "theta",
            "unknown name `theta` at column 1",
            "known names: `x`, `x0`, `x1`, `x2`, `y`, `z`, `pi`, `e`, `tau`",
        ),
        (
            "0 < x < 1",
            "a second comparison at column 7: comparisons cannot be chained",
            "multiply comparisons: `(a < b) * (b < c)`",
        ),
        (
            "x = 2",
            "unexpected `=` at column 3: `x` has a value here",
            "write `==` to compare; a definition takes a new name",
        ),
        (
            "x² + 1",
            "unexpected character `²` at column 2",
            "write `**2`",
        ),
        ("2 × x", "unexpected character `×` at column 3", "write `*`"),
        ("π", "unexpected character `π` at column 1", "write `pi`"),
        ("é", "unexpected character `é` at column 1", ""),
        (
            "x; y",
            "a second value at column 4",
            "give names to all values but the last",
        ),
        (
            "1e999",
            "the number at column 1 is beyond the range of a double",
            "the largest double is about 1.8e308",
        ),
        (
            "1e",
            "unexpected `e` at column 2: two values without an operator between them",
            "write the product with `*`",
        ),
        (
            "x***2",
            "unexpected `*` at column 4, expected a number, a name or `(`",
            "",
        ),
        (
            "x**",
            "unexpected end at column 4, expected a number, a name or `(`",
            "",
        ),
        (
            "sin(x",
            "unexpected end at column 6, expected an operator, `,` or `)`",
            "",
        ),
        (
            "(1, 2)",
            "unexpected `,` at column 3, expected an operator or `)`",
            "",
        ),
    ] {
        let err = error(text);
        assert_eq!(err.to_string(), message, "`{text}`");
        assert!(
            err.hint().starts_with(hint) && !err.hint().is_empty(),
            "`{text}`: {}",
            err.hint()
        );
        let tool_error = err.into_tool_error("/expression");
        assert_eq!(tool_error.code(), tool_core::ErrorCode::InvalidArgs);
        assert_eq!(
            (tool_error.path(), tool_error.reason_str()),
            (Some("/expression"), Some("expression"))
        );
    }
}

/// A random tree with its text and, computed apart from the parser, its value.
#[derive(Debug, Clone)]
enum Tree {
    Number(u16),
    Variable(usize),
    Minus(Box<Tree>),
    Call(&'static str, Box<Tree>),
    Operator(&'static str, Box<Tree>, Box<Tree>),
    If(Box<Tree>, Box<Tree>, Box<Tree>),
}

impl Tree {
    /// With every operand in parentheses.
    fn text(&self) -> String {
        match self {
            Self::Number(n) => format!("{}", f64::from(*n) / 8.0),
            Self::Variable(slot) => format!("x{slot}"),
            Self::Minus(x) => format!("-({})", x.text()),
            Self::Call(name, x) => format!("{name}({})", x.text()),
            Self::Operator(sign, a, b) => format!("({}) {sign} ({})", a.text(), b.text()),
            Self::If(c, a, b) => format!("if({}, {}, {})", c.text(), a.text(), b.text()),
        }
    }

    fn value(&self, point: &[f64; 2]) -> f64 {
        match self {
            Self::Number(n) => f64::from(*n) / 8.0,
            Self::Variable(slot) => point[*slot],
            Self::Minus(x) => -x.value(point),
            // The sine of the language: the system may round it differently.
            Self::Call("sin", x) => {
                let sine = numerics::vector::Unary::Sin;
                numerics::vector::evaluate_unary(sine, x.value(point))
            }
            Self::Call("sqrt", x) => x.value(point).sqrt(),
            Self::Call(_, x) => x.value(point).abs(),
            Self::Operator(sign, a, b) => {
                let (a, b) = (a.value(point), b.value(point));
                match *sign {
                    "+" => a + b,
                    "-" => a - b,
                    "*" => a * b,
                    "/" => a / b,
                    _ => f64::from(u8::from(a < b)),
                }
            }
            Self::If(c, a, b) => {
                let c = c.value(point);
                if c.is_nan() {
                    c
                } else if c != 0.0 {
                    a.value(point)
                } else {
                    b.value(point)
                }
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        any::<u16>().prop_map(Tree::Number),
        (0..2_usize).prop_map(Tree::Variable)
    ];
    leaf.prop_recursive(6, 60, 3, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Tree::Minus),
            (prop::sample::select(vec!["sin", "sqrt", "abs"]), boxed())
                .prop_map(|(name, x)| Tree::Call(name, x)),
            (
                prop::sample::select(vec!["+", "-", "*", "/", "<"]),
                boxed(),
                boxed()
            )
                .prop_map(|(sign, a, b)| Tree::Operator(sign, a, b)),
            (boxed(), boxed(), boxed()).prop_map(|(c, a, b)| Tree::If(c, a, b)),
        ]
    })
}

/// Equal bits, or both NaN.
fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        let _ = Expression::parse(&text, &ExpressionScope::point(2));
    }

    #[test]
    fn no_sequence_of_tokens_panics(tokens in prop::collection::vec(prop::sample::select(vec![
        "x", "y", "1", ".5", "2e3", "+", "-", "*", "**", "^", "%", "/", "(", ")", ",", "<", ">=", "==", "sin", "if", "min", "log", "np.", " ",
    ]), 0..40)) {
        let text = tokens.concat();
        if let Ok(expression) = Expression::parse(&text, &ExpressionScope::point(2)) {
            let value = expression.evaluator().eval(&[0.5, -1.5]);
            // The checked evaluation fails exactly where something on the way is not finite.
            if let Ok(checked) = expression.value(&[0.5, -1.5]) {
                prop_assert!((checked - value).abs() <= 1e-9 * checked.abs(), "`{}`: {} {}", text, checked, value);
            }
        }
    }

    #[test]
    fn a_printed_tree_reads_back_with_the_same_value(tree in trees(), point in prop::array::uniform2(-10.0..10.0_f64)) {
        let text = tree.text();
        let expression = Expression::parse(&text, &ExpressionScope::point(2)).unwrap();
        let (found, expected) = (expression.evaluator().eval(&point), tree.value(&point));
        prop_assert!(same(found, expected), "`{}`: {} {}", text, found, expected);
    }

    #[test]
    fn a_block_has_the_bits_of_single_evaluations(tree in trees(), count in 1..300_usize) {
        let expression = Expression::parse(&format!("({}) ** 2 + x0 % 0.7 + log(abs(x1) + 1)", tree.text()), &ExpressionScope::point(2)).unwrap();
        let x: Vec<f64> = (0..count).map(|i| (i as f64) * 0.37 - 20.0).collect();
        let y: Vec<f64> = x.iter().map(|x| 1.0 / (x + 0.1)).collect();
        let mut block = vec![0.0; count];
        let mut evaluator = expression.evaluator();
        evaluator.eval_block(&[&x, &y], &mut block);
        for lane in 0..count {
            prop_assert!(same(block[lane], evaluator.eval(&[x[lane], y[lane]])), "lane {}", lane);
        }
    }

    /// The remainder takes the divisor's sign, is smaller than the divisor, and differs by a multiple of it.
    #[test]
    fn remainders_are_python_s(a in -1000..1000_i32, b in prop_oneof![-50..0_i32, 1..50_i32]) {
        let found = value(&format!("({a}) % ({b})"));
        let expected = if b > 0 { a.rem_euclid(b) } else { -(-a).rem_euclid(-b) };
        prop_assert_eq!(found, f64::from(expected));
    }
}

#[test]
fn functions_of_numpy_and_scipy() {
    // Closed forms; the others SciPy 1.17.1.
    for (text, expected) in [
        ("clip(5, 0, 3)", 3.0),
        ("clip(-1, 0, 3)", 0.0),
        ("clip(z, 0, x)", 0.0),
        ("sum(x, y, z)", 4.5),
        ("prod(x, y, z)", -3.0),
        ("logsumexp(0, 0)", std::f64::consts::LN_2),
        ("logsumexp(1000, 1000, 1000)", 1_001.098_612_288_668),
        ("logaddexp(-1/0, -1/0)", f64::NEG_INFINITY),
        ("logaddexp(1/0, 1)", f64::INFINITY),
        ("copysign(x, z)", -2.0),
        ("exp2(0.5)", std::f64::consts::SQRT_2),
        ("reciprocal(x)", 0.5),
        ("beta(2, 3)", 1.0 / 12.0),
        ("erfinv(0.5)", 0.476_936_276_204_469_9),
        ("normcdf(-1)", 0.158_655_253_931_457_05),
        ("normppf(0.975)", 1.959_963_984_540_054),
        ("besselj0(1)", 0.765_197_686_557_966_6),
        ("besselj(2, 3)", 0.486_091_260_585_891_1),
        ("comb(10, 3)", 120.0),
        ("gcd(12, 18)", 6.0),
        ("digamma(1)", -0.577_215_664_901_532_9),
        ("lambertw(1)", 0.567_143_290_409_783_8),
    ] {
        let found = value(text);
        let close = (found - expected).abs() <= 4.0 * f64::EPSILON * expected.abs();
        assert!(close || found == expected, "`{text}`: {found} {expected}");
    }
}

/// Compares the derivative by x with differences of the value.
fn check_derivative(text: &str, at: f64) {
    let expression = Expression::parse(text, &ExpressionScope::point(1)).unwrap();
    let system = ExpressionSystem::value_and_gradient(&expression, &[0])
        .unwrap_or_else(|err| panic!("{text}: {err}"));
    let mut evaluator = system.evaluator();
    let mut found = [0.0; 2];
    evaluator.point(&[at], &mut found);
    let value = |x: f64| expression.evaluator().eval(&[x]);
    let h = 1e-4;
    let coarse = (value(at + 2.0 * h) - value(at - 2.0 * h)) / (4.0 * h);
    let fine = (value(at + h) - value(at - h)) / (2.0 * h);
    let difference = (4.0 * fine - coarse) / 3.0;
    assert!(
        (found[1] - difference).abs() <= 1e-8 * (1.0 + difference.abs()),
        "{text} at {at}: {} {difference}",
        found[1]
    );
}

#[test]
fn every_function_of_one_number_has_a_derivative() {
    for one in functions::unary_definitions() {
        let name = one.name;
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            continue;
        }
        let at = if name == "acosh" { 1.6 } else { 0.6 };
        check_derivative(&format!("{name}(x)"), at);
    }
}

#[test]
fn functions_of_several_numbers_have_derivatives_by_the_last() {
    for text in [
        "beta(x, 2)",
        "beta(2, x)",
        "lbeta(x, 2)",
        "lbeta(2, x)",
        "comb(x + 4, 2)",
        "comb(5, x)",
        "gammainc(2.5, x)",
        "gammaincc(2.5, x)",
        "gammaincinv(2.5, x)",
        "besselj(2.5, x)",
        "bessely(0.3, x)",
        "besseli(2, x)",
        "besselk(0.25, x)",
        "polygamma(2, x)",
        "betainc(2, 3, x)",
        "betaincc(2, 3, x)",
        "betaincinv(2, 3, x)",
        "tcdf(x, 4)",
        "tinv(x, 4)",
        "log(3, x)",
        "atan2(1, x)",
        "hypot(1, x)",
        "logaddexp(1, x)",
        "x**x",
        "fmod(7.3, x)",
        "normal_cdf(x, 1, 2)",
        "student_t_ccdf(x, 4, 1, 2)",
        "f_cdf(x, 3, 10)",
        "f_quantile(x, 3, 10)",
        "chi_square_ccdf(x, 5)",
        "gamma_quantile(x, 2, 3)",
        "beta_cdf(x, 2, 3)",
        "normal_quantile(x, 1, 2)",
    ] {
        check_derivative(text, 0.6);
    }
    check_derivative("sinc(x)", 0.499);
    check_derivative("sinc(x)", -7.3);
    check_derivative("zeta(x)", -3.4);
    let unknown = Expression::parse("gcd(x, 2)", &ExpressionScope::point(1)).unwrap();
    let error = ExpressionSystem::value_and_gradient(&unknown, &[0]).unwrap_err();
    assert_eq!(error.to_string(), "the derivative of `gcd` is not known");
}

#[test]
fn derivatives_of_sinc_of_high_order_at_zero() {
    let expression = Expression::parse("sinc(x)", &ExpressionScope::point(1)).unwrap();
    let system = ExpressionSystem::derivatives(&expression, 0, 6, 1_000_000)
        .unwrap()
        .unwrap();
    let mut found = [f64::NAN; 7];
    system.evaluator().point(&[0.0], &mut found);
    let pi = std::f64::consts::PI;
    let expected = [
        1.0,
        0.0,
        -pi.powi(2) / 3.0,
        0.0,
        pi.powi(4) / 5.0,
        0.0,
        -pi.powi(6) / 7.0,
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (found - expected).abs() <= 1e-13 * expected.abs(),
            "{found} {expected}"
        );
    }
}
