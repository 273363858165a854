//! Solutions put back.

use num_traits::Zero;

use super::{EquationSolution, EquationSolutions, RejectedSolution, SolveDomain};
use crate::budget::{Budget, Outcome};
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS, describe_value};
use crate::numeric::{Comparison, compare_values};
use crate::tree::{Expr, Symbol};

/// A value before it is put back.
#[derive(Debug, Clone)]
pub(super) struct SolutionCandidate {
    pub value: Expr,
    pub is_exact: bool,
    pub digits: Option<String>,
    pub multiplicity: usize,
    /// The integer symbols of a family.
    pub family: Option<Expr>,
}

impl SolutionCandidate {
    pub(super) fn exact(value: Expr) -> Self {
        Self {
            value,
            is_exact: true,
            digits: None,
            multiplicity: 1,
            family: None,
        }
    }
}

/// What a candidate is worth.
enum CandidateVerdict {
    Holds,
    Fails(String),
    OutOfDomain,
}

/// Puts candidates back into both sides and sorts them.
pub(super) fn check_candidates(
    candidates: Vec<SolutionCandidate>,
    sides: (&Expr, &Expr),
    x: &Expr,
    domain: SolveDomain,
    result: &mut EquationSolutions,
    budget: &Budget<'_>,
) -> Outcome<()> {
    for mut candidate in candidates {
        budget.spend(50)?;
        let simple = crate::simplify::forms::simplify(&candidate.value, &budget.share(150_000));
        if let (Ok(simple), true) = (simple, candidate.is_exact) {
            candidate.value = simple;
        }
        let is_known = result
            .solutions
            .iter()
            .any(|known| known.value == candidate.value)
            || result
                .rejected
                .iter()
                .any(|known| known.value == candidate.value);
        if is_known || is_equal_to_known(&candidate, result, budget)? {
            continue;
        }
        match judge(&candidate, sides, x, domain, budget)? {
            CandidateVerdict::Holds => {
                result.checked += 1;
                let digits = match candidate.digits {
                    Some(digits) => Some(digits),
                    None if candidate.value.symbols().is_empty() => {
                        digits_of(&candidate.value, budget)?
                    }
                    None => None,
                };
                result.solutions.push(EquationSolution {
                    family: candidate.family.and_then(|symbol| {
                        symbol.as_symbol().map(|symbol| symbol.name.to_string())
                    }),
                    is_exact: candidate.is_exact,
                    multiplicity: candidate.multiplicity,
                    value: candidate.value,
                    digits,
                });
            }
            CandidateVerdict::Fails(reason) => result.rejected.push(RejectedSolution {
                value: candidate.value,
                reason,
            }),
            CandidateVerdict::OutOfDomain => {}
        }
    }
    Ok(())
}

fn digits_of(value: &Expr, budget: &Budget<'_>) -> Outcome<Option<String>> {
    Ok(crate::numeric::evaluate_digits(value, 16, budget)?.map(|value| value.text))
}

fn is_equal_to_known(
    candidate: &SolutionCandidate,
    result: &EquationSolutions,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    if !candidate.value.symbols().is_empty() || candidate.digits.is_some() {
        return Ok(false);
    }
    for known in result
        .solutions
        .iter()
        .filter(|known| known.value.symbols().is_empty() && known.is_exact)
    {
        if compare_values(&known.value, &candidate.value, 1, budget)?.is_agreement() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn judge(
    candidate: &SolutionCandidate,
    (a, b): (&Expr, &Expr),
    x: &Expr,
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<CandidateVerdict> {
    if candidate.value.poison().is_some() || candidate.value.is_infinite() {
        return Ok(CandidateVerdict::OutOfDomain);
    }
    let has_parameters = candidate
        .value
        .symbols()
        .iter()
        .any(|symbol| !is_family(symbol, candidate))
        || a.symbols().len() + b.symbols().len() > 2;
    if domain == SolveDomain::Real
        && candidate.is_exact
        && !has_parameters
        && !is_real(candidate, budget)?
    {
        return Ok(CandidateVerdict::OutOfDomain);
    }
    if !candidate.is_exact {
        // Digits come from Sturm's count and Aberth's method.
        return Ok(CandidateVerdict::Holds);
    }
    let (left, right) = (
        a.replace(x, &candidate.value),
        b.replace(x, &candidate.value),
    );
    if left.poison().is_some() || right.poison().is_some() {
        return Ok(CandidateVerdict::Fails(
            "a side of the equation is not defined there".to_owned(),
        ));
    }
    match compare_values(&left, &right, 4, budget)? {
        Comparison::Agree { .. } if has_parameters => Ok(CandidateVerdict::Holds),
        Comparison::Agree { .. } => Ok(
            match domain == SolveDomain::Complex || is_real_side(&left, budget)? {
                true => CandidateVerdict::Holds,
                false => CandidateVerdict::Fails("the sides are not real there".to_owned()),
            },
        ),
        Comparison::Differ(point) => Ok(CandidateVerdict::Fails(format!(
            "put back, the sides are {} and {}",
            short(&point.first),
            short(&point.second)
        ))),
        Comparison::Unknown => Ok(CandidateVerdict::Fails(
            "a side of the equation is not defined there".to_owned(),
        )),
    }
}

fn short(digits: &str) -> String {
    digits.chars().take(40).collect()
}

fn is_family(symbol: &Symbol, candidate: &SolutionCandidate) -> bool {
    candidate.family.as_ref().and_then(Expr::as_symbol) == Some(symbol)
}

/// Whether the value is real, in a family for two of its members.
fn is_real(candidate: &SolutionCandidate, budget: &Budget<'_>) -> Outcome<bool> {
    let value = match &candidate.family {
        Some(symbol) => candidate.value.replace(symbol, &Expr::integer(3)),
        None => candidate.value.clone(),
    };
    is_real_side(&value, budget)
}

fn is_real_side(value: &Expr, budget: &Budget<'_>) -> Outcome<bool> {
    let value = match value.symbols().into_iter().next() {
        Some(symbol) => value.replace(
            &Expr::symbol_with(&symbol.name, symbol.traits),
            &Expr::integer(3),
        ),
        None => value.clone(),
    };
    let Some(mut evaluation) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
        return Ok(false);
    };
    Ok(evaluation.value(&value)?.is_some_and(|value| {
        let (re, im) = value.to_doubles();
        im.is_zero()
            || im.abs() <= re.abs() * 1e-40
            || describe_value(&value, 10).im == 0.0
            || (re.abs() < 1e-60 && im.abs() < 1e-60)
    }))
}
