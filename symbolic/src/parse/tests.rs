use super::*;

fn read(text: &str) -> ReadExpression {
    let read = read_expression(text, &NotationOptions::default());
    read.unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// Other notations of one expression.
#[test]
fn notations_have_one_tree() {
    for (text, plain) in [
        (r"\frac{a+b}{c}", "(a+b)/c"),
        (r"\frac12", "1/2"),
        (r"\dfrac{1}{x^{2}+1}", "1/(x**2+1)"),
        (r"\sqrt{x+1}", "sqrt(x+1)"),
        (r"\sqrt[3]{x}", "x**(1/3)"),
        (r"x^{2}y^{3}", "x**2*y**3"),
        (r"x^2y", "x**2*y"),
        (r"2x", "2*x"),
        (r"2x^2", "2*x**2"),
        (r"-x^2", "-(x**2)"),
        (r"2\cdot x\times y", "2*x*y"),
        (r"\left(x+1\right)\left(x-1\right)", "(x+1)*(x-1)"),
        (r"\sin x", "sin(x)"),
        (r"\sin(x)", "sin(x)"),
        (r"\sin{x}", "sin(x)"),
        (r"\sin^{2} x", "sin(x)**2"),
        (r"\sin^2\left(x\right)", "sin(x)**2"),
        (r"\ln x", "log(x)"),
        (r"\ln\left(x^2+1\right)", "log(x**2+1)"),
        (r"\exp(x)", "exp(x)"),
        (r"e^{x}", "exp(x)"),
        (r"e^{-x^{2}}", "exp(-x**2)"),
        (r"\pi r^2", "pi*r**2"),
        (r"\alpha+\beta", "alpha+beta"),
        (r"|x-1|", "abs(x-1)"),
        (r"\left|x-1\right|", "abs(x-1)"),
        (r"\arctan x", "atan(x)"),
        (r"\cosh x", "cosh(x)"),
        (r"x_1+x_2", "x_1+x_2"),
        (r"\frac{x^2-1}{x-1}", "(x**2-1)/(x-1)"),
        (r"x^{\frac{1}{2}}", "sqrt(x)"),
        (r"\frac{\frac{a}{b}}{c}", "a/b/c"),
        (r"3.5x", "3.5*x"),
        (r"x^2+y^2=r^2", "x**2+y**2=r**2"),
        (r"x\le 2", "x<=2"),
        (r"x \geq y", "x>=y"),
        (r"x \neq 0", "x!=0"),
        ("sin^2 x", "sin(x)**2"),
        ("x²+1", "x**2+1"),
        ("√x", "sqrt(x)"),
        ("2·x×y", "2*x*y"),
        ("π/2", "pi/2"),
        ("x ≤ 2", "x<=2"),
        ("2(x+1)", "2*(x+1)"),
        ("x^2^3", "x**(2**3)"),
        ("x^-1", "1/x"),
        ("-2^2", "-(2**2)"),
        ("1/2/x", "(1/2)/x"),
    ] {
        assert_eq!(read(text).expr, read(plain).expr, "{text}");
    }
}

/// What has two readings is named with both.
#[test]
fn two_readings_are_named() {
    for (text, plain) in [
        ("1/2x", "(1/2)*x"),
        (r"\sin x^2", "sin(x**2)"),
        ("x(y+1)", "x*(y+1)"),
        (r"\frac{1}{x}+x^23", "1/x+x**23"),
    ] {
        let found = read(text);
        assert_eq!(found.expr, read(plain).expr, "{text}");
        assert!(!found.ambiguities.is_empty(), "{text} is named nowhere");
        assert_ne!(
            found.ambiguities[0].read_as, found.ambiguities[0].or,
            "{text}"
        );
    }
    for text in ["x+1", "2*x*y", r"\frac{1}{2}x", "sin(x)"] {
        assert!(read(text).ambiguities.is_empty(), "{text}");
    }
}

/// A name of several letters before a bracket is a function, or an error: never a product.
#[test]
fn an_unknown_function_is_no_product() {
    for text in ["foo(x)", "2besselk(x)", "x + arcfoo(x)/2", "sinc(x)"] {
        let error = read_expression(text, &NotationOptions::default()).unwrap_err();
        assert!(
            error.message.contains("is no function"),
            "{text}: {error:?}"
        );
    }
    for (text, plain) in [
        ("foo*(x)", "(x)*foo"),
        ("foo (x)", "foo*x"),
        ("acsc(x)", "asin(1/x)"),
        ("arcsec(2x)", "acos(1/(2*x))"),
        ("acoth(x)^2", "atanh(1/x)^2"),
    ] {
        assert_eq!(read(text).expr, read(plain).expr, "{text}");
    }
    assert!(!read("acot(x)").ambiguities.is_empty());
}

#[test]
fn what_is_no_expression_is_refused() {
    for text in [
        "",
        "x+",
        "(x",
        "x)",
        r"\frac{1}",
        r"\sqrt",
        "1..2",
        "2 3",
        "x**",
        "*x",
        r"\left(x",
        r"\begin{pmatrix}1",
        "x = ",
        "sin",
        "@",
    ] {
        let read = read_expression(text, &NotationOptions::default());
        assert!(read.is_err(), "`{text}` was read as {read:?}");
    }
    let deep = format!("{}x{}", "(".repeat(500), ")".repeat(500));
    assert!(read_expression(&deep, &NotationOptions::default()).is_err());
}
