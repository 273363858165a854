use super::*;
use crate::budget::{Budget, never_stopped};
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;

fn budget() -> Budget<'static> {
    Budget::new(4_000_000, &never_stopped)
}

fn read(text: &str) -> Expr {
    read_expression(text, &NotationOptions::default())
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
        .expr
}

fn texts(found: &EquationSolutions) -> Vec<String> {
    found
        .solutions
        .iter()
        .map(|solution| write_text(&solution.value))
        .collect()
}

#[test]
fn equations_have_as_many_solutions_as_known() {
    let file = include_str!("../../tests-data/equations.txt");
    let mut wrong = Vec::new();
    for line in file
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let (equation, expected) = line.split_once(';').unwrap();
        let mut words = expected.split_whitespace();
        let count: usize = words.next().unwrap().parse().unwrap();
        let rejected = words
            .next()
            .map(|word| word.trim_start_matches('r').parse::<usize>().unwrap());
        match solve_equation(
            &read(equation),
            &Expr::symbol("x"),
            SolveDomain::Real,
            &budget(),
        ) {
            Ok(found) => {
                let is_right = found.solutions.len() == count
                    && found.unsolved.is_empty()
                    && rejected.is_none_or(|count| count == found.rejected.len());
                if !is_right {
                    wrong.push(format!(
                        "{line}: {:?}, rejected {}, unsolved {}",
                        texts(&found),
                        found.rejected.len(),
                        found.unsolved.len()
                    ));
                }
            }
            Err(fault) => wrong.push(format!("{line}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn complex_solutions_and_parameters() {
    let x = Expr::symbol("x");
    let found = solve_equation(&read("x^2+1=0"), &x, SolveDomain::Complex, &budget()).unwrap();
    assert_eq!(texts(&found), ["i", "-i"]);
    let found = solve_equation(
        &read("a x^2 + b x + c = 0"),
        &x,
        SolveDomain::Complex,
        &budget(),
    )
    .unwrap();
    assert_eq!((found.solutions.len(), found.conditions.len()), (2, 1));
    let found = solve_equation(&read("x^4=1"), &x, SolveDomain::Complex, &budget()).unwrap();
    assert_eq!(found.solutions.len(), 4);
}

#[test]
fn systems_are_solved() {
    let unknowns = |names: &[&str]| {
        names
            .iter()
            .map(|name| Expr::symbol(name))
            .collect::<Vec<_>>()
    };
    let cases: [(&[&str], &[&str], usize); 6] = [
        (&["x+y=3", "x-y=1"], &["x", "y"], 1),
        (&["2x+3y-z=5", "x-y+z=2", "3x+y+2z=7"], &["x", "y", "z"], 1),
        (&["x+y=1", "2x+2y=3"], &["x", "y"], 0),
        (&["x^2+y^2=25", "x+y=7"], &["x", "y"], 2),
        (&["x^2+y^2=5", "x*y=2"], &["x", "y"], 4),
        (
            &["x+y+z=6", "x*y+y*z+x*z=11", "x*y*z=6"],
            &["x", "y", "z"],
            6,
        ),
    ];
    for (equations, names, count) in cases {
        let equations: Vec<Expr> = equations.iter().map(|text| read(text)).collect();
        let found =
            solve_system(&equations, &unknowns(names), SolveDomain::Real, &budget()).unwrap();
        assert_eq!(found.solutions.len(), count, "{equations:?}");
    }
}

#[test]
fn inequalities_are_intervals() {
    let x = Expr::symbol("x");
    let cases = [
        ("x^2<4", "(-2, 2)"),
        ("x^2>=4", "(-inf, -2] [2, inf)"),
        ("(x-1)/(x+2)>0", "(-inf, -2) (1, inf)"),
        ("(x-1)/(x+2)<=0", "(-2, 1]"),
        ("abs(x-1)<3", "(-2, 4)"),
        ("x^2+1>0", "(-inf, inf)"),
        ("x^2<0", ""),
        ("x^2<=0", "[0, 0]"),
        ("(x-1)^2>0", "(-inf, 1) (1, inf)"),
        ("ln(x)<1", "(0, e)"),
        ("sqrt(x)<2", "[0, 4)"),
        ("exp(x)>1", "(0, inf)"),
        ("2x+1<5", "(-inf, 2)"),
        // Nearer to each other than doubles tell apart.
        (
            "(x-1)*(x-1-10^-30)<0",
            "(1, 1000000000000000000000000000001/1000000000000000000000000000000)",
        ),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = solve_inequality(&read(text), &x, &budget())
            .unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let written: Vec<String> = found
            .iter()
            .map(|piece| {
                let (open, close) = (
                    if piece.has_low { '[' } else { '(' },
                    if piece.has_high { ']' } else { ')' },
                );
                format!(
                    "{open}{}, {}{close}",
                    write_text(&piece.low),
                    write_text(&piece.high)
                )
            })
            .collect();
        if written.join(" ") != expected {
            wrong.push(format!(
                "{text}: {}, expected {expected}",
                written.join(" ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An end that is only known by digits is no end that can be said to belong or not.
#[test]
fn inequalities_without_exact_ends_are_refused() {
    let fault = solve_inequality(&read("x^5-x-1<=0"), &Expr::symbol("x"), &budget()).unwrap_err();
    assert!(fault.to_string().contains("no short exact form"), "{fault}");
}

/// Roots that share the digits of a double keep each its own digits.
#[test]
fn near_roots_have_their_own_digits() {
    let x = Expr::symbol("x");
    let found =
        solve_equation(&read("x^2-2x+1-2*10^-20"), &x, SolveDomain::Real, &budget()).unwrap();
    assert_eq!(found.solutions.len(), 2);
    for solution in &found.solutions {
        let is_larger = write_text(&solution.value).contains("1 + ");
        let digits: f64 = solution.digits.as_deref().unwrap().parse().unwrap();
        assert_eq!(digits > 1.0, is_larger, "{solution:?}");
    }
}
