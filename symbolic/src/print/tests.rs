use super::*;
use crate::parse::{NotationOptions, read_expression};

/// What is printed is read again as the same expression, as text and as LaTeX.
#[test]
fn printed_expressions_are_read_again() {
    let read = |text: &str| {
        let found = read_expression(text, &NotationOptions::default());
        found.unwrap_or_else(|fault| panic!("{text}: {fault}")).expr
    };
    for text in [
        "x",
        "-x",
        "1/2",
        "-3/7*x",
        "x**2",
        "x**(-2)",
        "x**(1/3)",
        "2**x",
        "(x+1)*(x-1)",
        "(x+1)/(x-1)",
        "-(x+1)**2",
        "a/(b*c)",
        "sqrt(x**2+1)",
        "1/sqrt(x)",
        "exp(-x**2)",
        "exp(x)/x",
        "log(x)**2",
        "sin(x)**2*cos(x)",
        "tan(2*x)",
        "atan(x/2)",
        "abs(x-1)",
        "pi*r**2",
        "(a+b)*(c-d)",
        "a-(b-c)",
        "a-b-c",
        "a/b/c",
        "x*(y+z)**3",
        "(-2)**x",
        "(-x)**2",
        "(x**2)**y",
        "2*(-x)",
        "x-(-1)",
        "x = 2",
        "x**2 <= 4",
        "x != 0",
        "cosh(x)+sinh(x)",
        "1/(1+1/x)",
    ] {
        let expr = read(text);
        assert_eq!(
            read(&write_text(&expr)),
            expr,
            "{text} as {}",
            write_text(&expr)
        );
        assert_eq!(
            read(&write_latex(&expr)),
            expr,
            "{text} as {}",
            write_latex(&expr)
        );
    }
}
