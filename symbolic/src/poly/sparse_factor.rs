//! Factors of polynomials of several variables, by Kronecker's substitution of one variable for all.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;

use super::dense::RationalPoly;
use super::factor::{factor_polynomial, next_subset};
use super::sparse::SparsePoly;
use super::sparse_gcd::{content_in, from_dense, sparse_gcd, to_dense};
use crate::budget::{Budget, Outcome};

/// The degree of the polynomial of one variable that is factored instead.
const DEGREE_LIMIT: usize = 400;

/// The constant in front and the factors by their multiplicity.
#[derive(Debug, Clone)]
pub(crate) struct SparseFactors {
    pub constant: BigRational,
    pub factors: Vec<(SparsePoly, usize)>,
}

/// Factors a polynomial. Where the limit of degrees is passed, factors stay together that could be split.
pub(crate) fn factor_sparse(poly: &SparsePoly, budget: &Budget<'_>) -> Outcome<SparseFactors> {
    let (constant, primitive) = poly.primitive();
    let mut factors = Vec::new();
    if poly.is_zero() {
        return Ok(SparseFactors {
            constant: BigRational::from_integer(BigInt::from(0)),
            factors,
        });
    }
    let monomial = primitive.monomial_content();
    for (variable, &power) in monomial.iter().enumerate().filter(|(_, power)| **power > 0) {
        factors.push((
            SparsePoly::power_of(poly.variables, variable, 1),
            power as usize,
        ));
    }
    split_contents(
        &primitive.divide_monomial(&monomial),
        1,
        &mut factors,
        budget,
    )?;
    Ok(SparseFactors { constant, factors })
}

/// Splits by content in each variable, then by multiplicity, then into irreducible factors.
fn split_contents(
    poly: &SparsePoly,
    multiplicity: usize,
    found: &mut Vec<(SparsePoly, usize)>,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let used: Vec<usize> = (0..poly.variables)
        .filter(|&v| poly.depends_on(v))
        .collect();
    let Some(&main) = used.first() else {
        return Ok(());
    };
    if used.len() == 1 {
        let factored = factor_polynomial(&to_dense(poly, main), budget)?;
        for (factor, count) in factored.factors {
            found.push((
                from_dense(&factor, main, poly.variables),
                count * multiplicity,
            ));
        }
        return Ok(());
    }
    for &variable in &used {
        let content = content_in(poly, variable, budget)?;
        if content.as_constant().is_none() {
            let rest = poly
                .div_exact(&content, budget)?
                .unwrap_or_else(|| poly.clone());
            split_contents(&content, multiplicity, found, budget)?;
            return split_contents(&rest, multiplicity, found, budget);
        }
    }
    // Square-free parts in the main variable.
    let mut rest = poly.clone();
    let mut repeated = sparse_gcd(&rest, &rest.derivative(main), budget)?;
    let mut count = 1;
    if repeated.as_constant().is_none() {
        let mut product = rest
            .div_exact(&repeated, budget)?
            .unwrap_or_else(|| rest.clone());
        while product.as_constant().is_none() {
            let common = sparse_gcd(&product, &repeated, budget)?;
            let part = product
                .div_exact(&common, budget)?
                .unwrap_or_else(|| product.clone());
            if part.as_constant().is_none() {
                split_square_free(&part.primitive().1, count * multiplicity, found, budget)?;
            }
            rest = repeated.clone();
            repeated = rest.div_exact(&common, budget)?.unwrap_or(rest);
            product = common;
            count += 1;
        }
        return Ok(());
    }
    split_square_free(&rest, multiplicity, found, budget)
}

/// The substitution and its inverse.
struct KroneckerMap {
    weights: Vec<usize>,
    bases: Vec<usize>,
}

impl KroneckerMap {
    fn of(poly: &SparsePoly) -> Option<(Self, usize)> {
        let mut weights = Vec::new();
        let mut bases = Vec::new();
        let mut weight = 1usize;
        for variable in 0..poly.variables {
            let base = poly.degree(variable) as usize + 1;
            weights.push(weight);
            bases.push(base);
            weight = weight
                .checked_mul(base)
                .filter(|&weight| weight <= DEGREE_LIMIT)?;
        }
        Some((Self { weights, bases }, weight))
    }

    fn apply(&self, poly: &SparsePoly) -> RationalPoly {
        let mut coefficients = vec![BigRational::from_integer(BigInt::from(0)); DEGREE_LIMIT + 1];
        for (exponents, value) in &poly.terms {
            let power: usize = exponents
                .iter()
                .zip(&self.weights)
                .map(|(&e, w)| e as usize * w)
                .sum();
            coefficients[power] += value;
        }
        RationalPoly::new(coefficients)
    }

    fn invert(&self, poly: &RationalPoly, variables: usize) -> SparsePoly {
        let mut sparse = SparsePoly::zero(variables);
        for (power, value) in poly.0.iter().enumerate() {
            let exponents = self
                .weights
                .iter()
                .zip(&self.bases)
                .map(|(weight, base)| (power / weight % base) as u32)
                .collect();
            sparse.add_term(exponents, value.clone());
        }
        sparse
    }
}

fn split_square_free(
    poly: &SparsePoly,
    multiplicity: usize,
    found: &mut Vec<(SparsePoly, usize)>,
    budget: &Budget<'_>,
) -> Outcome<()> {
    let Some((map, _)) = KroneckerMap::of(poly) else {
        found.push((poly.clone(), multiplicity));
        return Ok(());
    };
    let factored = factor_polynomial(&map.apply(poly), budget)?;
    let mut images: Vec<RationalPoly> = Vec::new();
    for (factor, count) in factored.factors {
        images.extend(std::iter::repeat_n(factor, count));
    }
    if images.len() > 14 {
        found.push((poly.clone(), multiplicity));
        return Ok(());
    }
    let mut rest = poly.clone();
    let mut size = 1;
    while 2 * size <= images.len() {
        let mut chosen: Vec<usize> = (0..size).collect();
        let mut hit = None;
        loop {
            budget.spend(images.len() + 1)?;
            let product = chosen.iter().fold(
                RationalPoly::constant(BigRational::one()),
                |product, &place| product.mul(&images[place]),
            );
            let candidate = map.invert(&product, poly.variables).primitive().1;
            if candidate.as_constant().is_none()
                && let Some(quotient) = rest.div_exact(&candidate, budget)?
            {
                hit = Some((candidate, quotient));
                break;
            }
            if !next_subset(&mut chosen, images.len()) {
                break;
            }
        }
        match hit {
            Some((factor, quotient)) => {
                found.push((factor, multiplicity));
                rest = quotient;
                let kept = images
                    .iter()
                    .enumerate()
                    .filter(|(place, _)| !chosen.contains(place));
                images = kept.map(|(_, image)| image.clone()).collect();
            }
            None => size += 1,
        }
    }
    if rest.as_constant().is_none() {
        found.push((rest.primitive().1, multiplicity));
    }
    Ok(())
}
