use std::sync::Mutex;

use super::*;
use crate::budget::ordinary_budget;
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;

fn read(text: &str) -> Expr {
    let options = NotationOptions::default();
    read_expression(text, &options).expect("an expression").expr
}

fn rows(texts: &[&str]) -> OutsideRows {
    texts.iter().map(|text| vec![(*text).to_owned()]).collect()
}

/// Asks an engine that gives these rows whatever it is asked.
fn with_rows<T>(rows: OutsideRows, work: impl FnOnce(&OutsideEngine<'_>) -> T) -> T {
    let ask = move |_: &OutsideQuestion| Ok(rows.clone());
    let name = "fake";
    work(&OutsideEngine { name, ask: &ask })
}

#[test]
fn a_question_has_names_of_its_own_and_an_answer_gets_the_old_ones_back() {
    let seen = Mutex::new(None);
    let ask = |question: &OutsideQuestion| {
        *seen.lock().expect("no panic") = Some(question.clone());
        Ok(rows(&["v0*v1**2/2"]))
    };
    let engine = OutsideEngine {
        name: "fake",
        ask: &ask,
    };
    let (expr, x) = (read("lambda*v0"), read("v0"));
    let found = engine
        .integrate(&expr, &x, &ordinary_budget())
        .expect("an answer");
    let (found, points) = found.expect("an antiderivative");
    assert_eq!((write_text(&found).as_str(), points), ("lambda*v0**2/2", 4));
    let seen = seen.into_inner().expect("no panic").expect("a question");
    assert_eq!(seen.task, "integrate");
    assert_eq!(seen.expressions, ["(* v0 v1)", "v1"]);
    assert_eq!(seen.symbols, [SymbolTraits::REAL; 2]);
}

#[test]
fn the_first_answer_that_stands_its_check_is_kept_and_others_are_not() {
    let (expr, x) = (read("x^2"), read("x"));
    let integral = |texts: &[&str]| {
        let budget = ordinary_budget();
        with_rows(rows(texts), |engine| engine.integrate(&expr, &x, &budget))
            .expect("an answer")
            .map(|(found, _)| write_text(&found))
    };
    assert_eq!(
        integral(&["v0**3", "v0**3/3 + 7"]).as_deref(),
        Some("x**3/3")
    );
    for wrong in [
        "v0**3",
        "v0**3/3 + y*v0",
        "hyper(v0)",
        "v0**3/",
        "1/0",
        "",
        "v0**3/3.0000001",
    ] {
        assert_eq!(integral(&[wrong]), None, "{wrong}");
    }
    let deep = format!("{}v0{}", "(".repeat(100), ")".repeat(100));
    let long = format!("v0**3/3 + {}", "0*".repeat(20_000));
    assert_eq!(integral(&[&deep]), None);
    assert_eq!(integral(&[&long]), None);
    assert_eq!(integral(&[]), None);
}

#[test]
fn a_definite_integral_jumps_over_no_pole() {
    let budget = ordinary_budget();
    let between = |expr: &str, answer: &str, low: &str, high: &str| {
        let (expr, x) = (read(expr), read("x"));
        with_rows(rows(&[answer]), |engine| {
            engine.integrate_between(&expr, &x, &read(low), &read(high), &budget)
        })
    };
    let found = between("x^2", "v0**3/3", "0", "3")
        .expect("an answer")
        .expect("a value");
    assert_eq!(write_text(&found.value), "9");
    between("1/x^2", "-1/v0", "-1", "1").expect_err("a pole");
}

#[test]
fn values_are_put_back_and_none_is_called_all() {
    let (equation, x) = (read("x*exp(x) = 2"), read("x"));
    let budget = ordinary_budget();
    let solve = |texts: &[&str]| {
        with_rows(rows(texts), |engine| {
            engine.solve(&equation, &x, SolveDomain::Real, &budget)
        })
    };
    let found = solve(&["lambertw(2)", "1", "v0"]).expect("a solution");
    let digits: Vec<_> = found
        .solutions
        .iter()
        .map(|one| one.digits.clone())
        .collect();
    assert_eq!(digits, [Some("0.8526055020137255".to_owned())]);
    assert!(!found.unsolved.is_empty() && !found.rejected.is_empty());
    solve(&["1"]).expect_err("no solution");
    let (equation, all) = (read("sin(x) = 1/2"), &["2*pi*w0 + pi/6", "2*pi*w0 + pi/5"]);
    let found = with_rows(rows(all), |engine| {
        engine.solve(&equation, &x, SolveDomain::Real, &budget)
    });
    let found = found.expect("a family");
    let families: Vec<_> = found
        .solutions
        .iter()
        .map(|one| one.family.as_deref())
        .collect();
    assert_eq!(families, [Some("k")]);
}

#[test]
fn systems_are_put_back() {
    let equations = [read("x^2 + y^2 = 5"), read("x*y = 2")];
    let unknowns = [read("x"), read("y")];
    let pair = |a: &str, b: &str| vec![a.to_owned(), b.to_owned()];
    let answers = vec![
        pair("1", "2"),
        pair("2", "2"),
        pair("i", "2"),
        pair("1", "2"),
    ];
    let found = with_rows(answers, |engine| {
        engine.solve_system(&equations, &unknowns, SolveDomain::Real, &ordinary_budget())
    });
    let found = found.expect("a solution");
    assert_eq!((found.solutions.len(), found.undecided), (1, 1));
}

#[test]
fn limits_are_approached_from_the_sides_that_are_meant() {
    let x = read("x");
    let limit = |expr: &str, side: LimitSide, answer: &str| {
        let (expr, zero) = (read(expr), Expr::zero());
        with_rows(rows(&[answer]), |engine| {
            engine.take_limit(&expr, &x, &zero, side, &ordinary_budget())
        })
        .map(|found| write_text(&found.value))
    };
    assert_eq!(limit("sin(x)/x", LimitSide::Both, "1").as_deref(), Ok("1"));
    assert_eq!(limit("1/x", LimitSide::Right, "inf").as_deref(), Ok("inf"));
    limit("1/x", LimitSide::Both, "inf").expect_err("two limits");
    limit("sin(x)/x", LimitSide::Both, "2").expect_err("another");
}

#[test]
fn sums_are_compared_with_their_terms() {
    let integer = SymbolTraits::INTEGER;
    let (k, n) = (Expr::symbol("k"), Expr::symbol_with("n", integer));
    let sum = |expr: &str, high: &Expr, answer: &str| {
        let expr = read(expr);
        with_rows(rows(&[answer]), |engine| {
            engine.sum_terms(&expr, &k, &Expr::one(), high, &ordinary_budget())
        })
        .expect("an answer")
        .map(|found| write_text(&found))
    };
    assert_eq!(
        sum("k", &n, "v1*(v1 + 1)/2").as_deref(),
        Some("n*(n + 1)/2")
    );
    assert_eq!(sum("k", &n, "v1**2/2"), None);
    assert_eq!(
        sum("k", &Expr::integer(10_000), "v1*(v1 + 1)/2").as_deref(),
        Some("50005000")
    );
    let infinite = Expr::infinity();
    assert!(sum("1/k^2", &infinite, "pi**2/6").is_some());
    assert!(sum("1/(k^2+1)", &infinite, "-1/2 + pi/(2*tanh(pi))").is_some());
    assert!(sum("(-1)^k/k", &infinite, "-ln(2)").is_some());
    assert!(sum("1/2^k", &infinite, "1").is_some());
    for (term, wrong) in [
        ("1/k^2", "pi**2/6 + 1/10**9"),
        ("1/k", "egamma"),
        ("(-1)^k", "-1/2"),
        ("2^k", "-2"),
        ("sin(k)", "1"),
    ] {
        assert_eq!(sum(term, &infinite, wrong), None, "{term}");
    }
}

#[test]
fn series_and_forms_are_compared_with_values() {
    let x = read("x");
    let series = |row: &[&str]| {
        let row: Vec<String> = row.iter().map(|text| (*text).to_owned()).collect();
        with_rows(vec![row], |engine| {
            engine.expand_series(&read("sin(x)"), &x, &Expr::zero(), 4, &ordinary_budget())
        })
    };
    let found = series(&["v0 - v0**3/6", "4"]).expect("a series");
    assert_eq!(
        (write_text(&found.terms).as_str(), found.order.as_str()),
        ("x - x**3/6", "4")
    );
    for wrong in [["v0 - v0**3/5", "4"], ["v0", "x"], ["v0", "1/0"]] {
        series(&wrong).expect_err("no series");
    }
    let form = |answer: &str| {
        with_rows(rows(&[answer]), |engine| {
            engine.simplify(
                &read("sin(x)^2"),
                SimplifyForm::Trig,
                None,
                &ordinary_budget(),
            )
        })
    };
    form("(1 - cos(2*v0))/2").expect("a form");
    form("1 - cos(v0)").expect_err("another value");
}

#[test]
fn solutions_of_differential_equations_are_put_back_and_fitted() {
    let x = read("x");
    let options = NotationOptions {
        function: Some(("y".to_owned(), "x".to_owned())),
        symbols: vec!["y".to_owned(), "x".to_owned()],
        ..NotationOptions::default()
    };
    let equation = read_expression("y' = y*cos(x)", &options)
        .expect("an equation")
        .expr;
    let solve = |answer: &str, conditions: Vec<crate::ode::InitialCondition>| {
        let question = OdeQuestion {
            equation: equation.clone(),
            function: "y".to_owned(),
            variable: x.clone(),
            conditions,
        };
        with_rows(rows(&[answer]), |engine| {
            engine.solve_ode(&question, &ordinary_budget())
        })
    };
    let found = solve("c1*exp(sin(v0))", Vec::new()).expect("a solution");
    assert_eq!(write_text(&found.solutions[0].expr), "C1*exp(sin(x))");
    let at_zero = crate::ode::InitialCondition {
        order: 0,
        at: Expr::zero(),
        value: Expr::integer(3),
    };
    let found = solve("c1*exp(sin(v0))", vec![at_zero]).expect("a solution");
    assert_eq!(write_text(&found.solutions[0].expr), "3*exp(sin(x))");
    solve("c1*exp(cos(v0))", Vec::new()).expect_err("another equation");
    solve("exp(sin(v0))", Vec::new()).expect_err("a constant is missing");
}

#[test]
fn what_the_system_does_not_know_is_not_asked() {
    let x = read("x");
    with_rows(rows(&["1"]), |engine| {
        let inner = read(r"\int x dx");
        engine.integrate(&inner, &x, &ordinary_budget())
    })
    .expect_err("an integral within");
}
