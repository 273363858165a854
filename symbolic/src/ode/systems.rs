//! Linear systems with constant coefficients, `x' = A x + f(t)`: the exponential of the matrix by the inverse Laplace transform of `(s - A)^-1`, a
//! particular solution by variation of the constants. Every solution is put back into all equations and conditions.

use super::check::compare_at_points;
use super::{antiderivative, shorten_form};
use crate::budget::{Budget, Outcome, refuse};
use crate::calculus::derivative_of;
use crate::matrices::{ExprMatrix, inverse_of};
use crate::numeric::compare_values;
use crate::solve::{SolveDomain, solve_system};
use crate::transforms::inverse_laplace;
use crate::tree::{Expr, ExprNode, MathFunction, RelationKind, SymbolTraits};

/// Functions that a system may have.
const FUNCTIONS_LIMIT: usize = 6;
/// Points at which a solution fulfils an equation at least.
const POINTS_LEAST: usize = 3;

/// A value of a function at a point.
#[derive(Debug, Clone)]
pub struct SystemCondition {
    /// The place of the function.
    pub function: usize,
    /// The point.
    pub at: Expr,
    /// The value there.
    pub value: Expr,
}

/// A system as it was read: each function is a symbol, or a call of the variable.
#[derive(Debug, Clone)]
pub struct OdeSystemQuestion {
    /// The equations.
    pub equations: Vec<Expr>,
    /// The names of the unknown functions.
    pub functions: Vec<String>,
    /// The variable.
    pub variable: Expr,
    /// Values at points.
    pub conditions: Vec<SystemCondition>,
}

/// The solution of a system.
#[derive(Debug, Clone)]
pub struct OdeSystemAnswer {
    /// The functions, in their order.
    pub values: Vec<Expr>,
    /// The names of the constants of integration that remain.
    pub constants: Vec<String>,
    /// How it was solved.
    pub method: &'static str,
    /// What was assumed on the way.
    pub conditions: Vec<Expr>,
    /// Points at which the solution was put back, in each equation.
    pub points: usize,
}

/// The equations as both sides, in symbols.
struct LinearSystem {
    t: Expr,
    functions: Vec<Expr>,
    slopes: Vec<Expr>,
    sides: Vec<(Expr, Expr)>,
    /// `A`, and `f`, of `x' = A x + f`.
    matrix: ExprMatrix,
    right: Vec<Expr>,
}

/// Solves a linear system with constant coefficients.
pub fn solve_linear_system(
    question: &OdeSystemQuestion,
    budget: &Budget<'_>,
) -> Outcome<OdeSystemAnswer> {
    let system = LinearSystem::read(question, budget)?;
    let flow = system.flow(budget)?;
    let names = constant_names(question, system.functions.len());
    let constants: Vec<Expr> = names.iter().map(|name| Expr::symbol(name)).collect();
    let is_forced = system.right.iter().any(|part| !part.is_zero());
    let particular = match is_forced {
        true => system.particular(&flow.0, budget)?,
        false => vec![Expr::zero(); system.functions.len()],
    };
    let mut values = Vec::new();
    for (row, own) in flow.0.to_rows().iter().zip(particular) {
        let terms = row.iter().zip(&constants).map(|(entry, one)| entry * one);
        values.push(budget.admit(Expr::sum(terms.chain([own])))?);
    }
    let mut kept = names;
    if !question.conditions.is_empty() {
        values = fit_conditions(question, &system, &values, &constants, budget)?;
        let remain = |name: &String| {
            let constant = Expr::symbol(name);
            values.iter().any(|value| value.contains(&constant))
        };
        kept.retain(remain);
    }
    let points = system.put_back(&values, budget)?;
    Ok(OdeSystemAnswer {
        values,
        constants: kept,
        method: match is_forced {
            true => "the exponential of the matrix, and variation of the constants",
            false => "the exponential of the matrix",
        },
        conditions: flow.1,
        points,
    })
}

impl LinearSystem {
    fn read(question: &OdeSystemQuestion, budget: &Budget<'_>) -> Outcome<Self> {
        let count = question.functions.len();
        if count > FUNCTIONS_LIMIT {
            return refuse(format!("a system has at most {FUNCTIONS_LIMIT} functions"));
        }
        if question.equations.len() != count {
            return refuse(format!(
                "a system has as many equations as functions, found {} and {count}",
                question.equations.len()
            ));
        }
        let t = question.variable.clone();
        let functions: Vec<Expr> = question
            .functions
            .iter()
            .map(|name| Expr::symbol(name))
            .collect();
        let slopes: Vec<Expr> = (0..count)
            .map(|place| Expr::symbol(&format!("\u{3b7}s{place}")))
            .collect();
        let mut sides = Vec::new();
        for equation in &question.equations {
            let (left, right) = match equation.node() {
                ExprNode::Relation(RelationKind::Equal, a, b) => (a.clone(), b.clone()),
                ExprNode::Relation(..) => return refuse("a system is made of equations"),
                _ => (equation.clone(), Expr::zero()),
            };
            sides.push((
                in_symbols(&left, question, &slopes)?,
                in_symbols(&right, question, &slopes)?,
            ));
        }
        let (matrix, right) = explicit_form(&sides, (&functions, &slopes), &t, budget)?;
        Ok(Self {
            t,
            functions,
            slopes,
            sides,
            matrix,
            right,
        })
    }

    /// `exp(A t)`, and what must hold for it.
    fn flow(&self, budget: &Budget<'_>) -> Outcome<(ExprMatrix, Vec<Expr>)> {
        let size = self.functions.len();
        let s = Expr::symbol("\u{3c3}");
        let time = Expr::symbol_with("\u{3c4}", SymbolTraits::POSITIVE);
        let unit = ExprMatrix::identity(size);
        let rows = (0..size).map(|row| {
            let entries =
                (0..size).map(|column| &s * unit.at(row, column) - self.matrix.at(row, column));
            entries.collect()
        });
        let Some(resolvent) = ExprMatrix::from_rows(rows.collect()) else {
            return refuse("a system has a function");
        };
        let inverse = inverse_of(&resolvent, budget)?;
        let mut conditions = Vec::new();
        let mut entries = Vec::new();
        for row in inverse.matrix.to_rows() {
            let mut found = Vec::new();
            for entry in row {
                let back = inverse_laplace(&entry, &s, &time, budget)?;
                for condition in back.conditions {
                    if !condition.contains(&s) && !conditions.contains(&condition) {
                        conditions.push(condition);
                    }
                }
                // For all times, since both sides are entire functions of it.
                found.push(back.function.replace(&time, &self.t));
            }
            entries.push(found);
        }
        match ExprMatrix::from_rows(entries) {
            Some(flow) => Ok((flow, conditions)),
            None => refuse("a system has a function"),
        }
    }

    /// `F(t)` times an antiderivative of `F(-t) f(t)`.
    fn particular(&self, flow: &ExprMatrix, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
        let mut weights = Vec::new();
        for row in flow.to_rows() {
            let terms = row
                .iter()
                .zip(&self.right)
                .map(|(entry, force)| entry.replace(&self.t, &-&self.t) * force);
            let integrand = crate::simplify::expand::expand(&Expr::sum(terms), budget)?;
            match antiderivative(&integrand, &self.t, budget)? {
                Some(found) => weights.push(found),
                None => return refuse(super::NO_CLOSED_FORM),
            }
        }
        let mut values = Vec::new();
        for row in flow.to_rows() {
            let terms = row
                .iter()
                .zip(&weights)
                .map(|(entry, weight)| entry * weight);
            let expanded = crate::simplify::expand::expand(&Expr::sum(terms), budget)?;
            values.push(shorten_form(&expanded, budget)?);
        }
        Ok(values)
    }

    /// The least number of points at which an equation holds; refuses values that do not fulfil one.
    fn put_back(&self, values: &[Expr], budget: &Budget<'_>) -> Outcome<usize> {
        let mut least = usize::MAX;
        let mut slopes = Vec::new();
        for value in values {
            slopes.push(derivative_of(value, &self.t, budget)?);
        }
        let set = |side: &Expr| {
            let slopes = self.slopes.iter().zip(&slopes);
            let functions = self.functions.iter().zip(values);
            slopes
                .chain(functions)
                .fold(side.clone(), |side, (symbol, value)| {
                    side.replace(symbol, value)
                })
        };
        for (left, right) in &self.sides {
            let count = compare_at_points(&set(left), &set(right), budget)?;
            if count.differed > 0 || count.agreed < POINTS_LEAST {
                return refuse(
                    "the solution that was found does not fulfil the equations: it is not returned",
                );
            }
            least = least.min(count.agreed);
        }
        Ok(least)
    }
}

/// Calls of the functions as their symbols, and derivatives as symbols of their own.
fn in_symbols(side: &Expr, question: &OdeSystemQuestion, slopes: &[Expr]) -> Outcome<Expr> {
    let mut side = side.clone();
    for (name, slope) in question.functions.iter().zip(slopes) {
        let call = Expr::apply(
            MathFunction::Named(name.as_str().into()),
            question.variable.clone(),
        );
        let order = Expr::one();
        let derivative = Expr::call(
            MathFunction::Derivative,
            vec![call.clone(), question.variable.clone(), order],
        );
        side = side.replace(&derivative, slope);
        side = side.replace(&call, &Expr::symbol(name));
    }
    let is_left_over = |part: &Expr| {
        matches!(
            part.as_call(),
            Some((
                MathFunction::Derivative | MathFunction::Named(_) | MathFunction::Integral,
                _
            ))
        )
    };
    match side.any(&is_left_over) {
        true => refuse(
            "a system has first derivatives alone, each equation that of one function: write `x' = y; y' = ...` for a higher order",
        ),
        false => Ok(side),
    }
}

/// `A` and `f` of `x' = A x + f`, where the sides are linear with constant coefficients.
fn explicit_form(
    sides: &[(Expr, Expr)],
    (functions, slopes): (&[Expr], &[Expr]),
    t: &Expr,
    budget: &Budget<'_>,
) -> Outcome<(ExprMatrix, Vec<Expr>)> {
    let unknowns: Vec<&Expr> = slopes.iter().chain(functions).collect();
    let (mut leading, mut lower, mut free) = (Vec::new(), Vec::new(), Vec::new());
    for (left, right) in sides {
        let residual = budget.admit(left - right)?;
        let mut row = Vec::new();
        for unknown in &unknowns {
            let coefficient = shorten_form(&derivative_of(&residual, unknown, budget)?, budget)?;
            if coefficient.contains(t) || unknowns.iter().any(|one| coefficient.contains(one)) {
                return refuse(
                    "the system is not linear with constant coefficients: `solve_ode` gives numbers",
                );
            }
            row.push(coefficient);
        }
        let rest = unknowns.iter().fold(residual, |rest, unknown| {
            rest.replace(unknown, &Expr::zero())
        });
        let (slope_part, function_part) = row.split_at(slopes.len());
        leading.push(slope_part.to_vec());
        lower.push(function_part.to_vec());
        free.push(budget.admit(rest)?);
    }
    let Some(leading) = ExprMatrix::from_rows(leading) else {
        return refuse("a system has a function");
    };
    let inverse = inverse_of(&leading, budget)?.matrix;
    // x' = -M^-1 (B x + g)
    let times = |column: &dyn Fn(usize) -> Expr, row: usize| -> Outcome<Expr> {
        let terms = (0..slopes.len()).map(|k| inverse.at(row, k) * column(k));
        shorten_form(&-Expr::sum(terms), budget)
    };
    let (mut rows, mut right) = (Vec::new(), Vec::new());
    for row in 0..slopes.len() {
        let entries = (0..functions.len()).map(|column| times(&|k| lower[k][column].clone(), row));
        rows.push(entries.collect::<Outcome<Vec<Expr>>>()?);
        right.push(times(&|k| free[k].clone(), row)?);
    }
    match ExprMatrix::from_rows(rows) {
        Some(matrix) => Ok((matrix, right)),
        None => refuse("a system has a function"),
    }
}

/// Names of constants that do not occur.
fn constant_names(question: &OdeSystemQuestion, count: usize) -> Vec<String> {
    let is_taken = |name: &str| {
        let in_names = question.functions.iter().any(|known| known == name);
        in_names
            || question
                .equations
                .iter()
                .any(|one| one.symbols().iter().any(|symbol| &*symbol.name == name))
    };
    let of_stem =
        |stem: &str| -> Vec<String> { (1..=count).map(|place| format!("{stem}{place}")).collect() };
    ["C", "K", "c_"]
        .into_iter()
        .map(of_stem)
        .find(|names| !names.iter().any(|name| is_taken(name)))
        .unwrap_or_else(|| of_stem("constant"))
}

/// The values with constants that fulfil the conditions.
fn fit_conditions(
    question: &OdeSystemQuestion,
    system: &LinearSystem,
    values: &[Expr],
    constants: &[Expr],
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    let mut equations = Vec::new();
    for condition in &question.conditions {
        let there = values[condition.function].replace(&system.t, &condition.at);
        let there = budget.admit(there)?;
        equations.push(Expr::relation(
            RelationKind::Equal,
            there,
            condition.value.clone(),
        ));
    }
    let unknowns: Vec<Expr> = constants
        .iter()
        .filter(|constant| equations.iter().any(|equation| equation.contains(constant)))
        .cloned()
        .collect();
    let found = solve_system(&equations, &unknowns, SolveDomain::Complex, budget)?;
    let [only] = found.solutions.as_slice() else {
        return refuse("no constants fulfil the conditions");
    };
    let mut fitted = Vec::new();
    for value in values {
        let pairs = unknowns.iter().zip(&only.values);
        let full = pairs.fold(value.clone(), |value, (constant, found)| {
            value.replace(constant, found)
        });
        fitted.push(shorten_form(&budget.admit(full)?, budget)?);
    }
    for condition in &question.conditions {
        let there = fitted[condition.function].replace(&system.t, &condition.at);
        if !compare_values(&there, &condition.value, 4, budget)?.is_agreement() {
            return refuse("no constants fulfil the conditions");
        }
    }
    Ok(fitted)
}
