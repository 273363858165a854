//! The calculator's decimals, complex numbers and percentages.

use tool_core::{BoundedInteger, Ctx, ErrorCode, Tool, ToolError};

use crate::expression::NamedParameters;
use crate::expression::calculate::{AnswerKind, Args, CalculatedValue, Output};

fn args(expression: &str) -> Args {
    Args {
        expression: expression.into(),
        variables: NamedParameters::default(),
        data: None,
        exact: false,
        precision: None,
        complex: false,
    }
}

fn digits(expression: &str, digits: i64) -> Result<Output, ToolError> {
    let precision = BoundedInteger::new(digits);
    Args::run(
        Args {
            precision,
            ..args(expression)
        },
        &Ctx::default(),
    )
}

fn complex(expression: &str) -> Result<Output, ToolError> {
    Args::run(
        Args {
            complex: true,
            ..args(expression)
        },
        &Ctx::default(),
    )
}

fn text(output: &Output) -> &str {
    match &output.value {
        CalculatedValue::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// mpmath 1.4 with 1100 digits, rounded to 50.
#[test]
fn fifty_digits_are_correctly_rounded() {
    for (expression, expected) in [
        ("pi", "3.1415926535897932384626433832795028841971693993751"),
        ("e", "2.7182818284590452353602874713526624977572470937000"),
        (
            "sqrt(2)",
            "1.4142135623730950488016887242096980785696718753769",
        ),
        (
            "log(2)",
            "0.69314718055994530941723212145817656807550013436026",
        ),
        (
            "sin(1)",
            "0.84147098480789650665250232163029899962256306079837",
        ),
        (
            "cos(10**20)",
            "0.76397040444172830040014680273788112283447344174700",
        ),
        (
            "tan(1.5)",
            "14.101419947171719387646083651987756445659543577236",
        ),
        (
            "asin(0.3)",
            "0.30469265401539750797200296122752916695456003170678",
        ),
        (
            "acos(-0.9)",
            "2.6905658417935308059179987474851510579937468860909",
        ),
        (
            "atan(10**10)",
            "1.5707963266948966192313216916400847754319180330209",
        ),
        (
            "sinh(0.001)",
            "0.0010000001666666750000001984127011684303601491103097",
        ),
        (
            "cosh(20)",
            "242582597.70489514001513022649004919332528968455033",
        ),
        (
            "tanh(3)",
            "0.99505475368673045133188018525548847509781385470028",
        ),
        (
            "asinh(-2)",
            "-1.4436354751788103424932767402731052694055530031570",
        ),
        (
            "acosh(1.0000001)",
            "0.00044721359177317806063473190036158230364459608165517",
        ),
        (
            "atanh(0.99)",
            "2.6466524123622461977050606459342686009455526402847",
        ),
        (
            "cbrt(-5)",
            "-1.7099759466766969893531088725438601098680551105431",
        ),
        (
            "2**0.1",
            "1.0717734625362931642130063250233420229063846049776",
        ),
        (
            "log(10**50, 3)",
            "104.79516371446923021482837610107006253037590033990",
        ),
        (
            "log2(10)",
            "3.3219280948873623478703194294893901758648313930246",
        ),
        (
            "log10(7)",
            "0.84509804001425683071221625859263619348357239632397",
        ),
        (
            "exp(pi*sqrt(163))",
            "262537412640768743.99999999999925007259719818568888",
        ),
        (
            "erf(0.5)",
            "0.52049987781304653768274665389196452873645157575796",
        ),
        (
            "erfc(10)",
            "2.0884875837625447570007862949577886115608181193212e-45",
        ),
        (
            "gamma(0.1)",
            "9.5135076986687318362924871772654021925505786260884",
        ),
        (
            "gamma(-2.5)",
            "-0.94530872048294188122568932444861076415869304326527",
        ),
        (
            "lgamma(100.5)",
            "361.43554046777762155525191270252076285877883524722",
        ),
        (
            "lgamma(100)",
            "359.13420536957539877604401046028690961262171808563",
        ),
        (
            "lgamma(20001)",
            "178075.62173719870031286792817731163172093251082808",
        ),
        (
            "hypot(1, 3)",
            "3.1622776601683793319988935444327185337195551393252",
        ),
        (
            "atan2(-1, -2)",
            "-2.6779450445889871222483871518182884821686323450890",
        ),
        (
            "expm1(1e-40)",
            "1.0000000000000000000000000000000000000000500000000e-40",
        ),
        (
            "log1p(1e-40)",
            "9.9999999999999999999999999999999999999995000000000e-41",
        ),
        (
            "exp(-1000)",
            "5.0759588975494567652918094795743369193055992828928e-435",
        ),
        (
            "sqrt(10**40 + 1) - 10**20",
            "4.9999999999999999999999999999999999999998750000000e-21",
        ),
    ] {
        let output = digits(expression, 50).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        assert_eq!(text(&output), expected, "`{expression}`");
        assert_eq!(
            (output.kind, output.exact),
            (AnswerKind::Decimal, false),
            "`{expression}`"
        );
    }
}

/// The last thirty of a thousand digits; mpmath 1.4.
#[test]
fn a_thousand_digits() {
    for (expression, expected) in [
        ("pi", "613001927876611195909216420199"),
        ("log(3)", "954276761050547779542293397332"),
        ("sin(2)", "648063984074487667109626953327"),
        ("exp(sqrt(2))", "591779411873627471575851889439"),
    ] {
        let output =
            digits(expression, 1000).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        assert!(
            text(&output).ends_with(expected),
            "`{expression}`: {}",
            text(&output)
        );
    }
}

#[test]
fn rational_values_are_rounded_exactly() {
    for (expression, count, expected, exact, bound) in [
        (
            "2**200 + 1/3",
            60,
            "1.60693804425899027554196209234116260252220299378279283530138e+60",
            false,
            "5e0",
        ),
        (
            "2**200 + 1/3",
            63,
            "1606938044258990275541962092341162602522202993782792835301376.33",
            false,
            "5e-3",
        ),
        ("1/3", 5, "0.33333", false, "5e-6"),
        ("1/4", 60, "0.25", true, "0"),
        ("25/10", 1, "2", false, "5e-1"), // a tie, to even
        ("35/10", 1, "4", false, "5e-1"),
        ("99.96", 3, "100", false, "5e-1"),
        ("-0.00000123", 3, "-1.23e-6", true, "0"),
        ("0.1 + 0.2", 30, "0.3", true, "0"),
        ("0", 10, "0", true, "0"),
        ("10**30", 10, "1e+30", true, "0"),
        // At integers the gamma function is one, which no number of bits would show.
        ("gamma(06)%2 ", 12, "0", true, "0"),
        ("gamma(25)", 30, "620448401733239439360000", true, "0"),
        (
            "floor(gamma(16)/4) - lgamma(1)",
            20,
            "326918592000",
            true,
            "0",
        ),
    ] {
        let output =
            digits(expression, count).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        assert_eq!(text(&output), expected, "`{expression}`");
        assert_eq!(
            (output.exact, output.error_bound.as_deref()),
            (exact, Some(bound)),
            "`{expression}`"
        );
    }
}

#[test]
fn what_cannot_be_decided_says_so() {
    let ctx = Ctx::default();
    let args = Args {
        precision: BoundedInteger::new(20),
        ..args("sin(pi)")
    };
    let output = Args::run(args, &ctx).unwrap();
    assert_eq!((text(&output), output.exact), ("0", false));
    assert!(
        ctx.take_warnings()
            .iter()
            .any(|warning| warning.contains("zero"))
    );
    assert_eq!(
        digits("floor(sqrt(2)**2)", 20).unwrap_err().reason_str(),
        Some("undecided")
    );
}

/// By the root of the base, where other exponents go through its logarithm.
#[test]
fn half_integer_powers_have_the_digits_of_the_logarithm() {
    for (power, same) in [
        ("2**0.5", "exp(log(2) / 2)"),
        ("0.1**1.5", "exp(1.5 * log(0.1))"),
        ("10**-2.5", "exp(-2.5 * log(10))"),
        ("pi**31.5", "exp(63 * log(pi) / 2)"),
        ("(1/3)**(-7/2)", "exp(7 * log(3) / 2)"),
    ] {
        for count in [17, 60, 300] {
            let (power, same) = (digits(power, count).unwrap(), digits(same, count).unwrap());
            assert_eq!(text(&power), text(&same));
            assert_eq!(power.error_bound, same.error_bound);
        }
    }
    assert_eq!(
        text(&digits("4**0.5", 20).unwrap()),
        "2.0000000000000000000"
    );
    assert_eq!(text(&digits("0**0.5", 20).unwrap()), "0");
    for (expression, reason) in [("(-2)**0.5", "domain"), ("0**-0.5", "division_by_zero")] {
        let err = digits(expression, 20).unwrap_err();
        assert_eq!(err.reason_str(), Some(reason), "{expression}");
    }
    // sqrt(2) is the double 1.4142135623730951 less 9.667293313452913e-17.
    let output = Args::run(args("2**0.5"), &Ctx::default()).unwrap();
    let CalculatedValue::Double(found) = output.value else {
        panic!("{output:?}");
    };
    let error = (found - std::f64::consts::SQRT_2 + 9.667293313452913e-17).abs();
    let bound: f64 = output.error_bound.unwrap().parse().unwrap();
    // Two digits, rounded up.
    assert!(error <= bound && bound < 1.12 * error, "{error} {bound}");
}

#[test]
fn doubles_carry_a_bound_and_a_warning_where_digits_cancel() {
    let ctx = Ctx::default();
    let output = Args::run(args("sin(1)"), &ctx).unwrap();
    let bound: f64 = output.error_bound.unwrap().parse().unwrap();
    assert!(0.0 < bound && bound < 2e-16, "{bound}");
    assert!(ctx.take_warnings().is_empty());
    let output = Args::run(args("sqrt(1e16 + 1.0) - 1e8"), &ctx).unwrap();
    let bound: f64 = output.error_bound.unwrap().parse().unwrap();
    assert!(4e-9 < bound && bound < 6e-9, "{bound}"); // the value is 5e-9, doubles give 0
    assert!(
        ctx.take_warnings()
            .iter()
            .any(|warning| warning.contains("cancel"))
    );
}

#[test]
fn decimal_faults_are_typed() {
    use ErrorCode::{InvalidArgs, LimitExceeded, Numeric};
    for (expression, code, reason) in [
        ("1/0", Numeric, "division_by_zero"),
        ("log(-1)", Numeric, "domain"),
        ("asin(2)", Numeric, "domain"),
        ("acosh(0.5)", Numeric, "domain"),
        ("sqrt(0 - pi)", Numeric, "domain"),
        ("(-8)**(1/3)", Numeric, "domain"),
        ("gamma(-3)", Numeric, "domain"),
        ("10**10**10", LimitExceeded, "bits"),
        ("9**9**9**9", LimitExceeded, "bits"),
        ("exp(10**12)", LimitExceeded, "bits"),
        ("gamma(10**9 + 0.5)", LimitExceeded, "bits"),
        ("factorial(10**9)", LimitExceeded, "bits"),
        ("2 x", InvalidArgs, "expression"),
    ] {
        let err = digits(expression, 30).expect_err(expression);
        assert_eq!(
            (err.code(), err.reason_str()),
            (code, Some(reason)),
            "`{expression}`: {err:?}"
        );
        assert!(err.hint_str().is_some());
    }
}

#[test]
fn hostile_expressions_are_refused() {
    let nested = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    let long = format!("1{}", " + 1".repeat(1_000_000));
    for expression in [nested.as_str(), &long, "10**10**10"] {
        for (precision, complex) in [
            (None, false),
            (BoundedInteger::new(50), false),
            (None, true),
        ] {
            let args = Args {
                precision,
                complex,
                ..args(expression)
            };
            assert!(Args::run(args, &Ctx::default()).is_err());
        }
    }
}

#[test]
fn modes_exclude_each_other() {
    for (exact, precision, complex) in [
        (true, BoundedInteger::new(5), false),
        (false, BoundedInteger::new(5), true),
        (true, None, true),
    ] {
        let args = Args {
            exact,
            precision,
            complex,
            ..args("1")
        };
        let err = Args::run(args, &Ctx::default()).unwrap_err();
        assert_eq!(err.reason_str(), Some("conflict"));
    }
}

/// mpmath 1.4 with 40 digits; real arguments on a cut take the side of a positive zero.
#[test]
fn complex_values() {
    for (expression, re, im) in [
        ("sqrt(-1)", 0.0, 1.0),
        ("sqrt(3 + 4i)", 2.0, 1.0),
        ("sqrt(-3 - 4i)", 1.0, -2.0),
        ("1i**2", -1.0, 0.0),
        ("(1 + 2i)*(3 - 4j)", 11.0, 2.0),
        ("(1 + 2i)/(3 - 4i)", -0.2, 0.4),
        ("(1e300 + 1e300i)/(1e300 + 2e300i)", 0.6, -0.2),
        ("exp(1 + 2i)", -1.1312043837568135, 2.4717266720048188),
        ("log(-1)", 0.0, std::f64::consts::PI),
        ("log(3 + 4i)", 1.6094379124341003, 0.9272952180016122),
        ("sin(1 + 2i)", 3.165778513216168, 1.9596010414216058),
        ("cos(1 + 2i)", 2.0327230070196656, -3.0518977991518),
        ("tan(1 + 2i)", 0.03381282607989669, 1.0147936161466335),
        ("sinh(1 - 2i)", -0.4890562590412937, -1.4031192506220407),
        ("cosh(1 - 2i)", -0.64214812471552, -1.0686074213827783),
        ("tanh(1 - 2i)", 1.16673625724092, 0.24345820118572525),
        ("tanh(50 + 1i)", 1.0, 6.765311025183565e-44),
        ("asin(1 + 2i)", 0.42707858639247614, 1.5285709194809982),
        ("acos(1 + 2i)", 1.1437177404024206, -1.5285709194809982),
        ("atan(1 + 2i)", 1.3389725222944935, 0.40235947810852507),
        ("asinh(1 + 2i)", 1.4693517443681852, 1.0634400235777521),
        ("acosh(1 + 2i)", 1.5285709194809982, 1.1437177404024206),
        ("acosh(-2)", 1.3169578969248168, std::f64::consts::PI),
        ("atanh(1 + 2i)", 0.17328679513998632, 1.1780972450961724),
        ("(1 + 1i)**10", 0.0, 32.0),
        ("(1 + 1i)**-2", 0.0, -0.5),
        ("2**(1 + 1i)", 1.5384778027279442, 1.2779225526272695),
        ("conj(1 + 2i)*2i", 4.0, 2.0),
        ("1i**1i", 0.2078795763507619, 0.0),
        ("abs(3 + 4i) + re(1 + 2i) + im(1 + 2i)", 8.0, 0.0),
        ("2j - 2i", 0.0, 0.0),
    ] {
        let output = complex(expression).unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        let found: (f64, f64) = match output.value {
            CalculatedValue::Double(re) => (re, 0.0),
            CalculatedValue::Complex { re, im } => (re, im),
            other => panic!("`{expression}`: {other:?}"),
        };
        let (re, im): (f64, f64) = (re, im);
        let error = (found.0 - re).hypot(found.1 - im);
        assert!(
            error <= 1e-15 * re.hypot(im).max(0.1),
            "`{expression}`: {found:?}, expected {re} {im}"
        );
    }
}

#[test]
fn the_sides_of_the_cuts() {
    let pair = |expression: &str| match complex(expression).unwrap().value {
        CalculatedValue::Complex { re, im } => (re, im),
        other => panic!("`{expression}`: {other:?}"),
    };
    assert_eq!(pair("sqrt(-4)"), (0.0, 2.0));
    assert_eq!(pair("sqrt(0 - 4)"), (0.0, 2.0));
    assert_eq!(pair("sqrt(conj(-4 + 0i))"), (0.0, -2.0));
    assert_eq!(complex("1 < 2i").unwrap_err().reason_str(), Some("complex"));
    assert_eq!(
        complex("1/(0i)").unwrap_err().reason_str(),
        Some("division_by_zero")
    );
    assert_eq!(complex("log(0)").unwrap_err().code(), ErrorCode::Numeric);
    // Without `complex` there is no imaginary unit.
    let err = Args::run(args("2i"), &Ctx::default()).unwrap_err();
    assert_eq!(err.reason_str(), Some("expression"));
}

#[test]
fn percentages() {
    for (expression, expected) in [
        ("15% of 80", 12),
        ("200 + 10%", 220),
        ("200 - 10%", 180),
        ("(200 + 10%) - 50%", 110),
        ("50% * 8", 4),
        ("(10%) * 70 + 5", 12),
        ("max(300%, 1)", 3),
        ("10 + 50% of 8", 14),
        ("100 + 5% * 200", 110),
        ("7 % 4", 3),
        ("7 % -3", -2),
        ("7 %(4)", 3),
        ("50% == 1/2", 1),
        ("(2 + 3)% of 200", 10),
    ] {
        let output = Args::run(args(expression), &Ctx::default())
            .unwrap_or_else(|err| panic!("`{expression}`: {err:?}"));
        assert_eq!(
            output.value,
            CalculatedValue::Integer(expected),
            "`{expression}`"
        );
    }
    let ctx = Ctx::default();
    let output = Args::run(args("10% + 4"), &ctx).unwrap();
    assert_eq!(output.value, CalculatedValue::Integer(2)); // the remainder, as before, and a warning
    assert!(
        ctx.take_warnings()
            .iter()
            .any(|warning| warning.contains("remainder"))
    );
}
