//! Greatest common divisors of polynomials of several variables, by primitive remainders in one variable over the others (D. Knuth, The Art of Computer
//! Programming 2, section 4.6.1, algorithm C), and resultants.

use num_rational::BigRational;
use num_traits::{One, Zero};

use super::dense::RationalPoly;
use super::sparse::SparsePoly;
use crate::budget::{Budget, Outcome};

/// The gcd, primitive with positive leading coefficient; 1 where one of them is a constant.
pub(crate) fn sparse_gcd(
    a: &SparsePoly,
    b: &SparsePoly,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    if a.is_zero() {
        return Ok(b.primitive().1);
    }
    if b.is_zero() {
        return Ok(a.primitive().1);
    }
    let variables = a.variables;
    let (ma, mb) = (a.monomial_content(), b.monomial_content());
    let monomial: Vec<u32> = ma.iter().zip(&mb).map(|(x, y)| *x.min(y)).collect();
    let mut common = SparsePoly::zero(variables);
    common.add_term(monomial, BigRational::one());
    let (a, b) = (
        a.divide_monomial(&ma).primitive().1,
        b.divide_monomial(&mb).primitive().1,
    );
    let inner = gcd_without_monomials(&a, &b, budget)?;
    common.mul(&inner, budget)
}

fn gcd_without_monomials(
    a: &SparsePoly,
    b: &SparsePoly,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    let variables = a.variables;
    let one = SparsePoly::one(variables);
    if a.as_constant().is_some() || b.as_constant().is_some() {
        return Ok(one);
    }
    if a == b {
        return Ok(a.clone());
    }
    let shared: Vec<usize> = (0..variables)
        .filter(|&v| a.depends_on(v) && b.depends_on(v))
        .collect();
    if shared.is_empty() {
        return Ok(one);
    }
    // A variable of one only: the gcd divides all its coefficients.
    for v in 0..variables {
        let (with, without) = match (a.depends_on(v), b.depends_on(v)) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            _ => continue,
        };
        let mut gcd = without.clone();
        for part in with.coefficients(v).iter().filter(|part| !part.is_zero()) {
            gcd = sparse_gcd(&gcd, part, budget)?;
            if gcd.is_one() {
                break;
            }
        }
        return Ok(gcd);
    }
    if let [variable] = shared.as_slice() {
        let gcd = to_dense(a, *variable).gcd(&to_dense(b, *variable), budget)?;
        return Ok(from_dense(&gcd.primitive().1, *variable, variables));
    }
    let main = shared
        .iter()
        .copied()
        .min_by_key(|&v| a.degree(v).min(b.degree(v)))
        .unwrap_or(shared[0]);
    if is_coprime_image(a, b, main, budget)? {
        let (ca, cb) = (content_in(a, main, budget)?, content_in(b, main, budget)?);
        return sparse_gcd(&ca, &cb, budget);
    }
    let (ca, cb) = (content_in(a, main, budget)?, content_in(b, main, budget)?);
    let divide = |poly: &SparsePoly, content: &SparsePoly| -> Outcome<SparsePoly> {
        Ok(poly
            .div_exact(content, budget)?
            .unwrap_or_else(|| poly.clone()))
    };
    let (mut p, mut q) = (divide(a, &ca)?, divide(b, &cb)?);
    if p.degree(main) < q.degree(main) {
        std::mem::swap(&mut p, &mut q);
    }
    while !q.is_zero() {
        let rest = pseudo_remainder(&p, &q, main, budget)?;
        p = q;
        if rest.is_zero() {
            break;
        }
        if rest.degree(main) == 0 {
            p = one.clone();
            break;
        }
        let content = content_in(&rest, main, budget)?;
        q = divide(&rest, &content)?.primitive().1;
    }
    let content = sparse_gcd(&ca, &cb, budget)?;
    Ok(content.mul(&p.primitive().1, budget)?.primitive().1)
}

/// Whether images with the other variables set to numbers have no common factor: then the gcd does not contain the main variable.
fn is_coprime_image(
    a: &SparsePoly,
    b: &SparsePoly,
    main: usize,
    budget: &Budget<'_>,
) -> Outcome<bool> {
    let (mut x, mut y) = (a.clone(), b.clone());
    for v in (0..a.variables).filter(|&v| v != main) {
        let value = BigRational::from_integer((17 + 24 * v as i64).into());
        x = x.set(v, &value);
        y = y.set(v, &value);
    }
    if x.degree(main) != a.degree(main) || y.degree(main) != b.degree(main) {
        return Ok(false);
    }
    Ok(to_dense(&x, main)
        .gcd(&to_dense(&y, main), budget)?
        .degree()
        == 0)
}

/// The gcd of the coefficients by powers of a variable.
pub(crate) fn content_in(
    poly: &SparsePoly,
    variable: usize,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    let mut gcd = SparsePoly::zero(poly.variables);
    for part in poly
        .coefficients(variable)
        .iter()
        .rev()
        .filter(|part| !part.is_zero())
    {
        gcd = sparse_gcd(&gcd, part, budget)?;
        if gcd.is_one() {
            break;
        }
    }
    Ok(gcd)
}

/// The remainder of `lc(q)^k * p` by `q` in a variable.
pub(crate) fn pseudo_remainder(
    p: &SparsePoly,
    q: &SparsePoly,
    variable: usize,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    let degree = q.degree(variable);
    let parts = q.coefficients(variable);
    let leading = parts[degree as usize].clone();
    let mut rest = p.clone();
    while !rest.is_zero() && rest.degree(variable) >= degree {
        let top = rest.degree(variable);
        let head = rest.coefficients(variable)[top as usize].clone();
        let shift = SparsePoly::power_of(p.variables, variable, top - degree);
        let left = rest.mul(&leading, budget)?;
        let right = q.mul(&head, budget)?.mul(&shift, budget)?;
        rest = left.sub(&right);
    }
    Ok(rest)
}

/// The polynomial of the one variable that occurs.
pub(crate) fn to_dense(poly: &SparsePoly, variable: usize) -> RationalPoly {
    let mut coefficients = vec![BigRational::zero(); poly.degree(variable) as usize + 1];
    for (exponents, value) in &poly.terms {
        coefficients[exponents[variable] as usize] += value;
    }
    RationalPoly::new(coefficients)
}

/// The polynomial among others of several variables.
pub(crate) fn from_dense(poly: &RationalPoly, variable: usize, variables: usize) -> SparsePoly {
    let mut sparse = SparsePoly::zero(variables);
    for (power, value) in poly.0.iter().enumerate() {
        let mut exponents = vec![0; variables];
        exponents[variable] = power as u32;
        sparse.add_term(exponents, value.clone());
    }
    sparse
}

/// The resultant in a variable, up to a factor without it: the last remainder of the primitive sequence. Zero where both share a factor.
pub(crate) fn eliminate(
    a: &SparsePoly,
    b: &SparsePoly,
    variable: usize,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    let rows = a.degree(variable) as usize;
    let columns = b.degree(variable) as usize;
    let size = rows + columns;
    let (pa, pb) = (a.coefficients(variable), b.coefficients(variable));
    let zero = SparsePoly::zero(a.variables);
    let mut matrix = vec![vec![zero.clone(); size]; size];
    for row in 0..columns {
        for (power, part) in pa.iter().rev().enumerate() {
            matrix[row][row + power] = part.clone();
        }
    }
    for row in 0..rows {
        for (power, part) in pb.iter().rev().enumerate() {
            matrix[columns + row][row + power] = part.clone();
        }
    }
    determinant(matrix, a.variables, budget)
}

/// The determinant of a matrix of polynomials, by fraction-free elimination (E. Bareiss, Math. Comp. 22, 1968).
pub(crate) fn determinant(
    mut matrix: Vec<Vec<SparsePoly>>,
    variables: usize,
    budget: &Budget<'_>,
) -> Outcome<SparsePoly> {
    let size = matrix.len();
    let mut sign = BigRational::one();
    let mut previous = SparsePoly::one(variables);
    for k in 0..size {
        let Some(pivot) = (k..size)
            .filter(|&row| !matrix[row][k].is_zero())
            .min_by_key(|&row| matrix[row][k].terms.len())
        else {
            return Ok(SparsePoly::zero(variables));
        };
        if pivot != k {
            matrix.swap(pivot, k);
            sign = -sign;
        }
        for row in k + 1..size {
            for column in k + 1..size {
                let left = matrix[row][column].mul(&matrix[k][k], budget)?;
                let right = matrix[row][k].mul(&matrix[k][column], budget)?;
                let value = left.sub(&right);
                matrix[row][column] = value.div_exact(&previous, budget)?.unwrap_or(value);
            }
        }
        previous = matrix[k][k].clone();
    }
    Ok(match size {
        0 => SparsePoly::one(variables),
        _ => matrix[size - 1][size - 1].scale(&sign),
    })
}
