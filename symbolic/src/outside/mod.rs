//! Answers of an outside computer algebra system: asked in a notation of their own, read back by the parser of this crate, and checked as those of
//! [`NativeEngine`] are. The system itself, and how it is reached, is the caller's.

mod notation;

#[cfg(test)]
mod tests;

use self::notation::SymbolNames;
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::calculus::definite::definite_from;
use crate::calculus::integrate::keep_antiderivative;
use crate::calculus::limit::keep_limit;
use crate::calculus::summation::keep_sum;
use crate::calculus::{
    CheckedLimit, DefiniteIntegral, LimitSide, SeriesExpansion, check_series, power_of_order,
};
use crate::engine::{NativeEngine, SymbolicEngine};
use crate::ode::{OdeAnswer, OdeQuestion, ask_outside};
use crate::simplify::{EqualityVerdict, SimplifyForm};
use crate::solve::{
    EquationSolutions, OutsideValue, SolutionInterval, SolveDomain, SystemSolutions,
    keep_system_values, keep_values, zero_of_equation,
};
use crate::tree::{Expr, SymbolTraits};

/// Answers that are looked at.
const ANSWERS_LIMIT: usize = 100;

/// A question to an outside system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideQuestion {
    /// What is asked: `integrate`, `limit`, `sum`, `series`, `simplify`, `solve`, `system`, `ode`.
    pub task: &'static str,
    /// The expressions, as lists with the operator first.
    pub expressions: Vec<String>,
    /// What is known of the symbols `v0`, `v1`, ...
    pub symbols: Vec<SymbolTraits>,
    /// How: a side, a form, a domain.
    pub words: Vec<String>,
    /// An order, or a number of equations.
    pub count: usize,
}

/// The rows of an answer: what a row has depends on the task; the first is the best.
pub type OutsideRows = Vec<Vec<String>>;

/// Asks the system; a fault ends the search.
pub type AskOutside<'a> = dyn Fn(&OutsideQuestion) -> Outcome<OutsideRows> + Sync + 'a;

/// An outside system as an engine.
pub struct OutsideEngine<'a> {
    /// Its name in results.
    pub name: &'static str,
    /// Asks it.
    pub ask: &'a AskOutside<'a>,
}

impl std::fmt::Debug for OutsideEngine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OutsideEngine({})", self.name)
    }
}

impl OutsideEngine<'_> {
    fn rows(&self, question: &OutsideQuestion) -> Outcome<OutsideRows> {
        let mut rows = (self.ask)(question)?;
        rows.truncate(ANSWERS_LIMIT);
        Ok(rows)
    }

    /// The first expressions of all rows.
    fn expressions(&self, question: &OutsideQuestion, names: &SymbolNames) -> Outcome<Vec<Expr>> {
        let rows = self.rows(question)?;
        let firsts = rows.iter().filter_map(|row| row.first());
        Ok(firsts.filter_map(|text| names.read(text)).collect())
    }

    /// No answer that holds.
    fn nothing<T>(&self) -> Outcome<T> {
        refuse(format!(
            "{} gives no answer that stands its check",
            self.name
        ))
    }
}

/// How a domain is asked for.
fn domain_word(domain: SolveDomain) -> Vec<String> {
    let word = match domain {
        SolveDomain::Real => "real",
        SolveDomain::Complex => "complex",
    };
    vec![word.to_owned()]
}

impl SymbolicEngine for OutsideEngine<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn differentiate(
        &self,
        expr: &Expr,
        x: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<Expr> {
        NativeEngine.differentiate(expr, x, order, budget)
    }

    fn integrate(
        &self,
        expr: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<(Expr, usize)>> {
        let names = SymbolNames::of([expr, x]);
        let question = names.question("integrate", &[expr, x])?;
        let candidates = self.expressions(&question, &names)?;
        keep_antiderivative(&candidates, expr, x, budget)
    }

    fn integrate_between(
        &self,
        expr: &Expr,
        x: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<DefiniteIntegral>> {
        match self.integrate(expr, x, budget)? {
            Some(found) => definite_from(found, expr, x, (low, high), budget).map(Some),
            None => Ok(None),
        }
    }

    fn simplify(
        &self,
        expr: &Expr,
        form: SimplifyForm,
        variable: Option<&Expr>,
        budget: &Budget<'_>,
    ) -> Outcome<Expr> {
        let all: Vec<&Expr> = [expr].into_iter().chain(variable).collect();
        let names = SymbolNames::of(all.iter().copied());
        let mut question = names.question("simplify", &all)?;
        let word = match form {
            SimplifyForm::Simple => "simple",
            SimplifyForm::Expand => "expand",
            SimplifyForm::Factor => "factor",
            SimplifyForm::Together => "together",
            SimplifyForm::Apart => "apart",
            SimplifyForm::Trig => "trig",
            SimplifyForm::Rational => "rational",
        };
        question.words = vec![word.to_owned()];
        for candidate in self.expressions(&question, &names)? {
            if crate::numeric::compare_values(&candidate, expr, 4, budget)?.is_agreement() {
                return Ok(candidate);
            }
        }
        self.nothing()
    }

    fn decide_equality(&self, a: &Expr, b: &Expr, budget: &Budget<'_>) -> Outcome<EqualityVerdict> {
        NativeEngine.decide_equality(a, b, budget)
    }

    fn solve(
        &self,
        equation: &Expr,
        x: &Expr,
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<EquationSolutions> {
        let zero = zero_of_equation(equation)?;
        let family = Expr::symbol_with(&fresh_name("k", &[&zero]), SymbolTraits::INTEGER);
        let names = SymbolNames::of([&zero, x]).bringing("w0", family.clone());
        let mut question = names.question("solve", &[&zero, x])?;
        question.words = domain_word(domain);
        let values = self.expressions(&question, &names)?.into_iter();
        let values: Vec<OutsideValue> = values
            .map(|value| OutsideValue {
                family: value.contains(&family).then(|| family.clone()),
                value,
            })
            .collect();
        let found = keep_values(equation, x, domain, values, budget)?;
        match found.solutions.is_empty() && !found.is_identity {
            true => self.nothing(),
            false => Ok(found),
        }
    }

    fn solve_system(
        &self,
        equations: &[Expr],
        unknowns: &[Expr],
        domain: SolveDomain,
        budget: &Budget<'_>,
    ) -> Outcome<SystemSolutions> {
        let zeros = equations
            .iter()
            .map(zero_of_equation)
            .collect::<Outcome<Vec<Expr>>>()?;
        let all: Vec<&Expr> = zeros.iter().chain(unknowns).collect();
        let names = SymbolNames::of(all.iter().copied());
        let mut question = names.question("system", &all)?;
        question.words = domain_word(domain);
        question.count = zeros.len();
        let mut candidates = Vec::new();
        for row in self.rows(&question)? {
            let values: Vec<Expr> = row.iter().filter_map(|text| names.read(text)).collect();
            if values.len() == unknowns.len() {
                candidates.push(values);
            }
        }
        let found = keep_system_values(&zeros, unknowns, domain, candidates, budget)?;
        match found.solutions.is_empty() {
            true => self.nothing(),
            false => Ok(found),
        }
    }

    fn solve_inequality(
        &self,
        relation: &Expr,
        x: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Vec<SolutionInterval>> {
        NativeEngine.solve_inequality(relation, x, budget)
    }

    fn expand_series(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        order: usize,
        budget: &Budget<'_>,
    ) -> Outcome<SeriesExpansion> {
        let names = SymbolNames::of([expr, x, point]);
        let mut question = names.question("series", &[expr, x, point])?;
        question.count = order;
        for row in self.rows(&question)? {
            let [terms, order] = row.as_slice() else {
                continue;
            };
            let Some(terms) = names.read(terms) else {
                continue;
            };
            let Some(power) = power_of_order(order) else {
                continue;
            };
            let check = check_series(expr, x, point, &terms, power, budget)?;
            if !check.has_failed && check.points > 0 {
                let order = order.clone();
                return Ok(SeriesExpansion { terms, order });
            }
        }
        self.nothing()
    }

    fn take_limit(
        &self,
        expr: &Expr,
        x: &Expr,
        point: &Expr,
        side: LimitSide,
        budget: &Budget<'_>,
    ) -> Outcome<CheckedLimit> {
        let names = SymbolNames::of([expr, x, point]);
        let mut question = names.question("limit", &[expr, x, point])?;
        let word = match side {
            LimitSide::Left => "-",
            LimitSide::Both => "+-",
            LimitSide::Right => "+",
        };
        question.words = vec![word.to_owned()];
        for candidate in self.expressions(&question, &names)? {
            if let Some(found) = keep_limit(&candidate, expr, x, point, side, budget)? {
                return Ok(found);
            }
        }
        self.nothing()
    }

    fn sum_terms(
        &self,
        expr: &Expr,
        k: &Expr,
        low: &Expr,
        high: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<Option<Expr>> {
        // A closed form for every upper limit can be compared with sums of few terms.
        let last = match high.as_number() {
            Some(_) => {
                let name = fresh_name("n", &[expr, k, low]);
                Expr::symbol_with(&name, SymbolTraits::INTEGER)
            }
            None => high.clone(),
        };
        let names = SymbolNames::of([expr, k, low, &last]);
        let question = names.question("sum", &[expr, k, low, &last])?;
        for candidate in self.expressions(&question, &names)? {
            if let Some(found) = keep_sum(&candidate, expr, k, (low, &last), budget)? {
                let value = budget.admit(found.replace(&last, high))?;
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn solve_ode(&self, question: &OdeQuestion, budget: &Budget<'_>) -> Outcome<OdeAnswer> {
        let ask = |problem: &crate::ode::OutsideProblem<'_>| {
            let all: Vec<&Expr> = [problem.residual, problem.x]
                .into_iter()
                .chain(problem.slots)
                .collect();
            let constants = problem.constants.iter().enumerate();
            let names = constants.fold(
                SymbolNames::of(all.iter().copied()),
                |names, (place, constant)| {
                    names.bringing(&format!("c{}", place + 1), constant.clone())
                },
            );
            let asked = names.question("ode", &all)?;
            self.expressions(&asked, &names)
        };
        match ask_outside(question, &ask, self.name, budget) {
            Err(SymbolicFault::Undefined | SymbolicFault::Size) => self.nothing(),
            other => other,
        }
    }
}

/// A name that no expression has.
fn fresh_name(stem: &str, expressions: &[&Expr]) -> String {
    let is_taken = |name: &str| {
        expressions
            .iter()
            .any(|expr| expr.symbols().iter().any(|symbol| &*symbol.name == name))
    };
    let numbered = (1..).map(|number| format!("{stem}{number}"));
    std::iter::once(stem.to_owned())
        .chain(numbered)
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
