//! Quotients of polynomials in one symbol, with other symbols in the coefficients, as partial fractions.

use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::matrices::solve_field_system;
use crate::poly::fraction::{KernelFraction, NormalForm, normal_form_of_prepared};
use crate::poly::sparse::SparsePoly;
use crate::poly::sparse_factor::factor_sparse;
use crate::tree::Expr;

/// Degree of a denominator with symbols in its coefficients.
const DEGREE_LIMIT: u32 = 12;

/// `numerator/factor^power`, coefficients from the constant up.
#[derive(Debug, Clone)]
pub(super) struct FractionTerm {
    pub numerator: Vec<Expr>,
    pub factor: Vec<Expr>,
    pub power: usize,
}

/// A polynomial and proper terms.
#[derive(Debug, Clone)]
pub(super) struct FractionSum {
    pub whole: Vec<Expr>,
    pub terms: Vec<FractionTerm>,
}

/// Real and imaginary part of an expression whose symbols are real; `None` where it is not a quotient of polynomials in the imaginary unit and real parts.
pub(crate) fn split_complex(expr: &Expr, budget: &Budget<'_>) -> Outcome<Option<(Expr, Expr)>> {
    if !expr.contains(&Expr::i()) {
        return Ok(Some((expr.clone(), Expr::zero())));
    }
    let form = normal_form_of_prepared(expr, None, budget)?;
    let NormalForm { table, fraction } = &form;
    let Some(place) = table.place_of(&Expr::i()) else {
        return Ok(Some((form.to_expr(), Expr::zero())));
    };
    let is_hidden =
        (0..table.count()).any(|other| other != place && table.kernels[other].contains(&Expr::i()));
    if is_hidden || fraction.den.depends_on(place) {
        return Ok(None);
    }
    let parts = fraction.num.coefficients(place);
    let below = table.poly_to_expr(&fraction.den);
    let part = |at: usize| match parts.get(at) {
        Some(poly) => table.poly_to_expr(poly) / &below,
        None => Expr::zero(),
    };
    Ok(Some((part(0), part(1))))
}

/// Decomposes an expression; `None` where it is no quotient of polynomials in the symbol.
pub(super) fn decompose_fraction(
    expr: &Expr,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<FractionSum>> {
    if let Some((num, den)) = crate::simplify::apart::as_rational_function(expr, s, budget)? {
        let parts = crate::simplify::apart::partial_fractions(&num, &den, budget)?;
        let numbers = |values: &[num_rational::BigRational]| {
            values.iter().cloned().map(Expr::number).collect()
        };
        return Ok(Some(FractionSum {
            whole: numbers(&parts.whole.0),
            terms: parts
                .terms
                .iter()
                .map(|term| FractionTerm {
                    numerator: numbers(&term.numerator.0),
                    factor: numbers(&term.factor.0),
                    power: term.power,
                })
                .collect(),
        }));
    }
    let form = normal_form_of_prepared(expr, Some(s), budget)?;
    let place = form.table.place_of(s);
    let is_hidden = (0..form.table.count())
        .any(|other| Some(other) != place && form.table.kernels[other].contains(s));
    let Some(place) = place.filter(|_| !is_hidden) else {
        return Ok((!expr.contains(s)).then(|| FractionSum {
            whole: vec![expr.clone()],
            terms: Vec::new(),
        }));
    };
    decompose_with_symbols(&form, place, s, budget)
}

fn decompose_with_symbols(
    form: &NormalForm,
    place: usize,
    s: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<FractionSum>> {
    let (num, den) = (&form.fraction.num, &form.fraction.den);
    let degree = den.degree(place);
    if degree > DEGREE_LIMIT {
        return Err(SymbolicFault::Size);
    }
    let expr_of = |poly: &SparsePoly| form.table.poly_to_expr(poly);
    let coefficients =
        |poly: &SparsePoly| -> Vec<Expr> { poly.coefficients(place).iter().map(expr_of).collect() };
    if degree == 0 {
        let below = expr_of(den);
        return Ok(Some(FractionSum {
            whole: coefficients(num).iter().map(|part| part / &below).collect(),
            terms: Vec::new(),
        }));
    }
    if num.degree(place) > degree {
        return refuse("the numerator has a higher degree than the denominator");
    }
    if num.degree(place) == degree {
        let (top, bottom) = (coefficients(num), coefficients(den));
        let ratio = &top[degree as usize] / &bottom[degree as usize];
        let rest = form.to_expr() - &ratio;
        let mut sum = match decompose_fraction(&rest, s, budget)? {
            Some(sum) => sum,
            None => return Ok(None),
        };
        match sum.whole.first_mut() {
            Some(constant) => *constant = &*constant + ratio,
            None => sum.whole.push(ratio),
        }
        return Ok(Some(sum));
    }
    // Unknown numerators over each power of each factor: as many as the degree.
    let factors: Vec<(SparsePoly, usize)> = factor_sparse(den, budget)?
        .factors
        .into_iter()
        .filter(|(factor, _)| factor.depends_on(place))
        .collect();
    let mut columns: Vec<Vec<SparsePoly>> = Vec::new();
    let mut owners = Vec::new();
    for (which, (factor, multiplicity)) in factors.iter().enumerate() {
        let mut cofactor = den.clone();
        for power in 1..=*multiplicity {
            cofactor = cofactor
                .div_exact(factor, budget)?
                .ok_or(SymbolicFault::Undefined)?;
            for shift in 0..factor.degree(place) {
                let monomial = SparsePoly::power_of(den.variables, place, shift);
                columns.push(cofactor.mul(&monomial, budget)?.coefficients(place));
                owners.push((which, power));
            }
        }
    }
    let zero = || SparsePoly::zero(den.variables);
    let one = SparsePoly::one(den.variables);
    let right = num.coefficients(place);
    let rows = (0..degree as usize).map(|power| {
        let entry = |parts: &Vec<SparsePoly>| KernelFraction {
            num: parts.get(power).cloned().unwrap_or_else(zero),
            den: one.clone(),
        };
        let mut row: Vec<KernelFraction> = columns.iter().map(entry).collect();
        row.push(entry(&right));
        row
    });
    let Some(values) = solve_field_system(&form.table, rows.collect(), budget)? else {
        return Ok(None);
    };
    let mut terms: Vec<FractionTerm> = Vec::new();
    let mut last = None;
    for (value, owner) in values.iter().zip(owners) {
        if last != Some(owner) {
            terms.push(FractionTerm {
                numerator: Vec::new(),
                factor: coefficients(&factors[owner.0].0),
                power: owner.1,
            });
            last = Some(owner);
        }
        if let Some(term) = terms.last_mut() {
            term.numerator.push(form.table.to_expr(value));
        }
    }
    terms.retain(|term| term.numerator.iter().any(|part| !part.is_zero()));
    Ok(Some(FractionSum {
        whole: Vec::new(),
        terms,
    }))
}
