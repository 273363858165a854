use super::*;
use crate::budget::{Budget, never_stopped};
use crate::numeric::evaluate_digits;
use crate::parse::{NotationOptions, read_expression};
use crate::print::write_text;
use crate::tree::{ExprNode, MathFunction};

fn budget() -> Budget<'static> {
    Budget::new(4_000_000, &never_stopped)
}

fn question(equation: &str, conditions: &str) -> OdeQuestion {
    let of_time = equation.contains("dx/dt") || equation.contains("\\dot");
    let (function, variable) = if of_time { ("x", "t") } else { ("y", "x") };
    let options = NotationOptions {
        function: Some((function.to_owned(), variable.to_owned())),
        ..NotationOptions::default()
    };
    let read = |text: &str| {
        read_expression(text, &options)
            .unwrap_or_else(|fault| panic!("{text}: {fault}"))
            .expr
    };
    let conditions = conditions
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    OdeQuestion {
        equation: read(equation),
        function: function.to_owned(),
        variable: Expr::symbol(variable),
        conditions: conditions.map(|text| condition(&read(text))).collect(),
    }
}

fn condition(expr: &Expr) -> InitialCondition {
    let ExprNode::Relation(_, left, value) = expr.node() else {
        panic!("{}", write_text(expr));
    };
    let (order, at) = match left.as_call() {
        Some((MathFunction::Named(_), [at])) => (0, at.clone()),
        Some((MathFunction::Derivative, [_, _, order, at])) => {
            (order.as_integer().unwrap_or(0) as usize, at.clone())
        }
        _ => panic!("{}", write_text(expr)),
    };
    InitialCondition {
        order,
        at,
        value: value.clone(),
    }
}

fn write(answer: &OdeAnswer) -> String {
    let solutions: Vec<String> = answer
        .solutions
        .iter()
        .map(|one| write_text(&one.expr))
        .collect();
    format!(
        "{} [{}] {:?}",
        solutions.join(" | "),
        answer.method,
        answer.singular.iter().map(write_text).collect::<Vec<_>>()
    )
}

/// Whether a solution has a value at a point: a relation where both sides agree with it.
fn has_value(solution: &ClosedFormSolution, x: &Expr, y: &Expr, at: &Expr, expected: f64) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-2);
    let number = |expr: &Expr| {
        let value = evaluate_digits(expr, 20, &budget());
        value
            .ok()
            .flatten()
            .filter(|value| value.im.abs() < 1e-12)
            .map(|value| value.re)
    };
    match solution.expr.node() {
        ExprNode::Relation(_, left, right) if !solution.is_explicit => {
            let exact = num_rational::BigRational::from_float(expected).map(Expr::number);
            let Some(exact) = exact else {
                return false;
            };
            let left = number(&left.replace(x, at).replace(y, &exact));
            let right = number(&right.replace(x, at));
            left.zip(right).is_some_and(|(a, b)| near(a, b))
        }
        _ => number(&solution.expr.replace(x, at)).is_some_and(|value| near(value, expected)),
    }
}

#[test]
fn initial_value_problems_agree_with_their_integration() {
    let mut wrong = Vec::new();
    let file = include_str!("../../tests-data/odes.txt");
    for line in file
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let parts: Vec<&str> = line.split(" ; ").collect();
        let [equation, conditions, at, value] = parts.as_slice() else {
            panic!("{line}");
        };
        let general = solve_differential_equation(&question(equation, ""), &budget());
        let general = match general {
            Ok(general) if general.constants.len() == general.order => write(&general),
            Ok(general) => {
                wrong.push(format!("{equation}: constants {:?}", general.constants));
                continue;
            }
            Err(fault) => {
                wrong.push(format!("{equation}: {fault}"));
                continue;
            }
        };
        let asked = question(equation, conditions);
        let (x, y) = (asked.variable.clone(), Expr::symbol(&asked.function));
        let at = read_expression(at, &NotationOptions::default())
            .unwrap()
            .expr;
        let expected: f64 = value.trim().parse().unwrap_or(f64::NAN);
        match solve_differential_equation(&asked, &budget()) {
            Ok(found)
                if found
                    .solutions
                    .iter()
                    .any(|one| has_value(one, &x, &y, &at, expected)) => {}
            Ok(found) => wrong.push(format!(
                "{equation}: {general} || {} is not {expected}",
                write(&found)
            )),
            Err(fault) => wrong.push(format!("{equation}: {general} || {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Equations with parameters and of kinds that no initial value problem of the file has, with a part of the method's name.
#[test]
fn other_kinds_are_known() {
    let mut wrong = Vec::new();
    for (equation, method) in [
        ("(3x^2+y*cos(x)) + (sin(x) - 4*y^3)*y' = 0", "exact"),
        ("x*y' = y*ln(y)", "separable"),
        ("y'^2 = 4*y", "separable"),
        ("y'^2 - y^2 = 0", "linear"),
        ("y' = y/x + tan(y/x)", "homogeneous"),
        ("x^2*y' + x*y + x^2*y^2 = 4", "Riccati"),
        ("y' = cos(x+y)", "linear argument"),
        ("y'' + w^2*y = 0", "constant"),
        ("y'' + 2*b*y' + c*y = 0", "constant"),
        ("y'' + y = tan(x)", "variation"),
        ("y'' - 3y' + 2y = exp(x)/(1+exp(x))", "variation"),
        ("x^3*y''' + x^2*y'' - 2*x*y' + 2*y = 0", "Cauchy"),
        ("x^2*y'' + 3*x*y' + y = 1/x", "Cauchy"),
        ("(1-x^2)*y'' - 2*x*y' + 2*y = 0", "reduced"),
        ("y'' + y'^2 = 1", "without the function"),
        ("y'''''' - y = 0", "constant"),
        ("y' = k*(y - a)", "linear"),
        ("y' = a*y - b*y^2", "Bernoulli"),
        ("L*y' + R*y = V*sin(w*x)", "linear"),
        ("y' = abs(x)", "direct"),
    ] {
        match solve_differential_equation(&question(equation, ""), &budget()) {
            Ok(found) if found.method.contains(method) && found.constants.len() == found.order => {}
            Ok(found) => wrong.push(format!("{equation}: {}", write(&found))),
            Err(fault) => wrong.push(format!("{equation}: {fault}")),
        }
    }
    for equation in [
        "y'' + x*y = 0",
        "y' = x^2 + y^2",
        "y' = sin(x*y)",
        "y'' = -y' + sin(y)",
    ] {
        match solve_differential_equation(&question(equation, ""), &budget()) {
            Err(SymbolicFault::Refused(words)) if words == NO_CLOSED_FORM => {}
            Ok(found) => wrong.push(format!("{equation}: {}", write(&found))),
            Err(fault) => wrong.push(format!("{equation}: {fault}")),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A system in functions of t; the first function of each equation is the one with the derivative.
fn system(
    equations: &[(&str, &str)],
    conditions: &[(usize, i64, &str)],
) -> Outcome<OdeSystemAnswer> {
    let functions: Vec<String> = equations
        .iter()
        .map(|(name, _)| (*name).to_owned())
        .collect();
    let read = |name: &str, text: &str| {
        let options = NotationOptions {
            function: Some((name.to_owned(), "t".to_owned())),
            symbols: functions.clone(),
            ..NotationOptions::default()
        };
        read_expression(text, &options)
            .unwrap_or_else(|fault| panic!("{text}: {fault}"))
            .expr
    };
    let question = OdeSystemQuestion {
        equations: equations
            .iter()
            .map(|(name, text)| read(name, text))
            .collect(),
        functions: functions.clone(),
        variable: Expr::symbol("t"),
        conditions: conditions
            .iter()
            .map(|(function, at, value)| SystemCondition {
                function: *function,
                at: Expr::integer(*at),
                value: read("none", value),
            })
            .collect(),
    };
    solve_linear_system(&question, &budget())
}

#[test]
fn linear_systems_are_solved_and_put_back() {
    let written = |answer: &OdeSystemAnswer| -> Vec<String> {
        answer.values.iter().map(write_text).collect()
    };
    let plain = system(&[("x", "x' = x + y"), ("y", "y' = 4x + y")], &[]).expect("a solution");
    assert_eq!(plain.constants, ["C1", "C2"]);
    assert!(plain.points >= 3);
    let fitted = system(
        &[("x", "x' = x + y"), ("y", "y' = 4x + y")],
        &[(0, 0, "1"), (1, 0, "2")],
    );
    assert_eq!(
        written(&fitted.expect("a solution")),
        ["exp(3*t)", "2*exp(3*t)"]
    );
    let turning = system(
        &[("x", "x' = y"), ("y", "y' = -x")],
        &[(0, 0, "0"), (1, 0, "1")],
    );
    assert_eq!(written(&turning.expect("a solution")), ["sin(t)", "cos(t)"]);
    // Defective, with a parameter, with forces, implicit in the slopes, and of three functions.
    for (equations, conditions) in [
        (
            vec![("x", "x' = x"), ("y", "y' = x + y")],
            vec![(0, 0, "1"), (1, 0, "0")],
        ),
        (vec![("x", "x' = y"), ("y", "y' = -w^2*x")], vec![]),
        (
            vec![("x", "x' = x + y + exp(2t)"), ("y", "y' = 4x + y + t")],
            vec![(0, 0, "0"), (1, 0, "0")],
        ),
        (vec![("x", "x' = y + sin(t)"), ("y", "y' = -x")], vec![]),
        (vec![("x", "2x' - x = y"), ("y", "y' + x = 0")], vec![]),
        (
            vec![("x", "x' = y"), ("y", "y' = z"), ("z", "z' = x")],
            vec![],
        ),
        (
            vec![("x", "x' = 2x"), ("y", "y' = 3y"), ("z", "z' = z + x")],
            vec![(0, 1, "1")],
        ),
    ] {
        let answer = system(&equations, &conditions);
        let answer = answer.unwrap_or_else(|fault| panic!("{equations:?}: {fault}"));
        assert!(answer.points >= 3, "{equations:?}");
        assert_eq!(answer.constants.len() + conditions.len(), equations.len());
    }
}

#[test]
fn systems_of_other_kinds_are_refused() {
    for equations in [
        vec![("x", "x' = x*y"), ("y", "y' = x")],
        vec![("x", "x' = t*y"), ("y", "y' = x")],
        vec![("x", "x'' = y"), ("y", "y' = x")],
        vec![("x", "x' = x"), ("y", "x + y = 1")],
    ] {
        let refused = system(&equations, &[]);
        assert!(
            matches!(refused, Err(SymbolicFault::Refused(_))),
            "{equations:?}: {refused:?}"
        );
    }
    let twice = system(
        &[("x", "x' = y"), ("y", "y' = x")],
        &[(0, 0, "1"), (0, 0, "2")],
    );
    assert!(twice.is_err());
}
