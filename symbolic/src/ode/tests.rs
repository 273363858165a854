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
