//! `f(u) = v` solved for u.

use super::SolveDomain;
use crate::budget::{Budget, Outcome};
use crate::numeric::compare::real_double;
use crate::tree::walk::{is_known_nonnegative, is_known_positive};
use crate::tree::{Expr, MathFunction, SymbolTraits};

/// Values of the argument; each may be a family over the symbol `k`.
pub(super) struct InverseValues {
    pub values: Vec<Expr>,
    pub family: Option<Expr>,
}

impl InverseValues {
    fn plain(values: Vec<Expr>) -> Self {
        Self {
            values,
            family: None,
        }
    }
}

/// The symbol of families, any whole number.
pub(crate) fn family_symbol() -> Expr {
    Expr::symbol_with("k", SymbolTraits::INTEGER)
}

/// Solves `kernel = value` for the argument of the kernel; `None` where the kernel has no known inverse.
pub(super) fn invert_kernel(
    kernel: &Expr,
    value: &Expr,
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<Option<(Expr, InverseValues)>> {
    if let Some((function, [argument])) = kernel.as_call() {
        return Ok(
            invert_call(function, value, domain, budget)?.map(|values| (argument.clone(), values))
        );
    }
    let (base, exponent) = kernel.base_and_exponent();
    if base.symbols().is_empty() {
        // base^u = value
        if value.is_zero() {
            return Ok(Some((exponent, InverseValues::plain(Vec::new()))));
        }
        let size = real_double(value, budget)?;
        let principal = value.ln() / base.ln();
        let values = match domain {
            SolveDomain::Real if size.is_some_and(|size| size <= 0.0) => {
                InverseValues::plain(Vec::new())
            }
            SolveDomain::Real if size.is_none() && value.symbols().is_empty() => {
                InverseValues::plain(Vec::new())
            }
            SolveDomain::Real => InverseValues::plain(vec![principal]),
            SolveDomain::Complex => {
                let k = family_symbol();
                let turns = Expr::integer(2) * Expr::pi() * Expr::i() * &k / base.ln();
                InverseValues {
                    values: vec![principal + turns],
                    family: Some(k),
                }
            }
        };
        return Ok(Some((exponent, values)));
    }
    if let Some(part) = exponent.as_number() {
        // u^(p/q) = value: candidates are put back.
        if num_traits::Signed::is_positive(part) && !part.is_integer() {
            return Ok(Some((
                base,
                InverseValues::plain(vec![value.pow(&exponent.recip())]),
            )));
        }
    }
    Ok(None)
}

fn invert_call(
    function: &MathFunction,
    value: &Expr,
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<Option<InverseValues>> {
    use MathFunction as F;
    let of = |function: F| Expr::apply(function, value.clone());
    let k = family_symbol();
    let turn = || Expr::integer(2) * Expr::pi() * &k;
    let half_turn = || Expr::pi() * &k;
    let family = |values: Vec<Expr>| InverseValues {
        values,
        family: Some(k.clone()),
    };
    let size = real_double(value, budget)?;
    let is_outside = domain == SolveDomain::Real
        && match size {
            Some(size) => {
                size.abs() > 1.0
                    && !value.as_number().is_some_and(|value| {
                        num_traits::Signed::abs(value) == num_traits::One::one()
                    })
            }
            None => value.symbols().is_empty(),
        };
    Ok(Some(match function {
        F::Sin | F::Cos if is_outside => InverseValues::plain(Vec::new()),
        F::Sin if value.is_zero() => family(vec![half_turn()]),
        F::Cos if value.is_zero() => family(vec![Expr::pi() / Expr::integer(2) + half_turn()]),
        F::Sin if value.as_integer().is_some_and(|value| value.abs() == 1) => {
            family(vec![of(F::Asin) + turn()])
        }
        F::Cos if value.as_integer().is_some_and(|value| value.abs() == 1) => {
            family(vec![of(F::Acos) + turn()])
        }
        F::Sin => family(vec![
            of(F::Asin) + turn(),
            Expr::pi() - of(F::Asin) + turn(),
        ]),
        F::Cos => family(vec![of(F::Acos) + turn(), turn() - of(F::Acos)]),
        F::Tan => family(vec![of(F::Atan) + half_turn()]),
        F::Ln => InverseValues::plain(vec![value.exp()]),
        F::Asin => InverseValues::plain(vec![of(F::Sin)]),
        F::Acos => InverseValues::plain(vec![of(F::Cos)]),
        F::Atan => InverseValues::plain(vec![of(F::Tan)]),
        F::Abs if domain == SolveDomain::Real => match is_known_positive(&-value) {
            true => InverseValues::plain(Vec::new()),
            false if is_known_nonnegative(value) || value.symbols().is_empty() => {
                InverseValues::plain(vec![value.clone(), -value])
            }
            false => return Ok(None),
        },
        _ => return Ok(None),
    }))
}
