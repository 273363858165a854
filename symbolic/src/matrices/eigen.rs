//! The characteristic polynomial, its roots, and eigenvectors in the field of each irreducible factor.

use num_rational::BigRational;

use super::ExprMatrix;
use super::check::{check_at_points, symbols_of};
use super::convert::{RingMatrix, convert_entries, convert_matrix, in_ring, lcm_poly};
use super::eliminate::eliminate_rows;
use super::operations::{conditions_for, null_vectors, reduce_rows, shorten_entry};
use super::products::{multiply_rows, unit_rows};
use super::ring::{EliminationRing, KernelField, PolynomialRing, WholeRing};
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::numeric::evaluate::describe_value;
use crate::poly::dense::RationalPoly;
use crate::poly::factor::factor_polynomial;
use crate::poly::fraction::{KernelFraction, normal_form_of_prepared};
use crate::poly::kernels::KernelRelation;
use crate::poly::roots::polynomial_roots;
use crate::poly::sparse::SparsePoly;
use crate::poly::sparse_factor::factor_sparse;
use crate::solve::{SolveDomain, solve_equation};
use crate::tree::Expr;

/// The unknown of a factor while vectors are sought.
const INNER_NAME: &str = "\u{3bb}\u{2217}";
/// Steps of the vectors of one factor.
const VECTOR_STEPS: u64 = 2_000_000;

/// An eigenvalue with its multiplicities and vectors.
#[derive(Debug, Clone)]
pub struct EigenvalueWithVectors {
    /// The value; exact, or digits where no exact form is short.
    pub value: Expr,
    /// Whether the value is exact.
    pub is_exact: bool,
    /// Digits, where no symbol occurs.
    pub digits: Option<String>,
    /// How often the characteristic polynomial has it as a root.
    pub multiplicity: usize,
    /// A basis of its eigenvectors; none where they were not sought or not found.
    pub vectors: Vec<Vec<Expr>>,
}

/// Eigenvalues of a matrix.
#[derive(Debug, Clone)]
pub struct MatrixEigenvalues {
    /// The characteristic polynomial in the variable.
    pub polynomial: Expr,
    /// The eigenvalues, each once.
    pub pairs: Vec<EigenvalueWithVectors>,
    /// Factors of the characteristic polynomial that could not be solved.
    pub unsolved: Vec<Expr>,
    /// What must hold for it.
    pub conditions: Vec<Expr>,
    /// Points at which it was checked.
    pub points: usize,
}

/// The determinant of `variable*I - A`, by traces of powers (D. K. Faddeev and V. N. Faddeeva, "Computational methods of linear algebra", 1963), compared with
/// determinants of digits.
pub fn characteristic_polynomial(
    matrix: &ExprMatrix,
    variable: &Expr,
    budget: &Budget<'_>,
) -> Outcome<(Expr, usize)> {
    matrix.admit_square()?;
    let coefficients = characteristic_coefficients(matrix, budget)?;
    let size = coefficients.len() - 1;
    let terms = coefficients
        .iter()
        .enumerate()
        .map(|(place, value)| value * variable.powi((size - place) as i64));
    let polynomial = budget.admit(Expr::sum(terms))?;
    // At a number in place of the variable, which is no symbol of the matrix.
    let at = Expr::ratio(-1_234_577, 98_765);
    let shifted = matrix.less_multiple(&at);
    let value = Expr::sum(
        coefficients
            .iter()
            .enumerate()
            .map(|(place, value)| value * at.powi((size - place) as i64)),
    );
    let points = check_at_points(&symbols_of(matrix.entries()), budget, |point| {
        let (Some(digits), Some(found)) = (point.matrix(&shifted)?, point.value(&value)?) else {
            return Ok(None);
        };
        let (_, mut determinant) = point.rank_and_determinant(&digits)?;
        if size % 2 == 1 {
            determinant = point.arithmetic().neg(&determinant);
        }
        let none = point.arithmetic().real(0);
        Ok(Some(point.agree(&found, &determinant, &none)))
    })?;
    Ok((polynomial, points))
}

/// Coefficients from the leading one, which is 1, down.
fn characteristic_coefficients(matrix: &ExprMatrix, budget: &Budget<'_>) -> Outcome<Vec<Expr>> {
    let size = matrix.rows();
    let converted = convert_matrix(matrix, true, budget)?;
    in_ring!(converted, budget, |ring, rows, scale| {
        let mut found = vec![Expr::one()];
        let mut product = unit_rows(&ring, size);
        let mut divisor = ring.one();
        for k in 1..=size {
            product = multiply_rows(&ring, &rows, &product)?;
            let mut trace = ring.zero();
            for (place, row) in product.iter().enumerate() {
                trace = ring.add(&trace, &row[place])?;
            }
            let coefficient = ring.div_exact(&trace, &ring.small(-(k as i64)))?;
            for (place, row) in product.iter_mut().enumerate() {
                row[place] = ring.add(&row[place], &coefficient)?;
            }
            divisor = ring.mul(&divisor, &scale[0])?;
            found.push(ring.quotient(&coefficient, &divisor)?);
        }
        Ok(found)
    })
}

/// A factor of the characteristic polynomial with its roots.
struct CharacteristicFactor {
    /// In the variable.
    polynomial: Expr,
    degree: usize,
    roots: Vec<EigenvalueWithVectors>,
}

/// Eigenvalues, and where asked for a basis of the vectors of each.
pub fn eigensystem_of(
    matrix: &ExprMatrix,
    variable: &Expr,
    with_vectors: bool,
    budget: &Budget<'_>,
) -> Outcome<MatrixEigenvalues> {
    let (polynomial, points) = characteristic_polynomial(matrix, variable, budget)?;
    let inner = Expr::symbol(INNER_NAME);
    let mut system = MatrixEigenvalues {
        polynomial: polynomial.clone(),
        pairs: Vec::new(),
        unsolved: Vec::new(),
        conditions: conditions_for(matrix.entries(), &[], budget)?,
        points,
    };
    for factor in factors_with_roots(&polynomial.replace(variable, &inner), &inner, budget)? {
        if factor.roots.is_empty() {
            system
                .unsolved
                .push(factor.polynomial.replace(&inner, variable));
            continue;
        }
        let mut pairs = factor.roots.clone();
        if with_vectors {
            let share = budget.share(VECTOR_STEPS);
            let nonzero = find_vectors(matrix, &factor, &inner, &mut pairs, &share)?;
            for condition in conditions_for([], &nonzero, budget)? {
                if !system.conditions.contains(&condition) {
                    system.conditions.push(condition);
                }
            }
        }
        for pair in &pairs {
            check_pair(matrix, pair, budget)?;
        }
        system.pairs.extend(pairs);
    }
    Ok(system)
}

fn factors_with_roots(
    polynomial: &Expr,
    inner: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Vec<CharacteristicFactor>> {
    let rational = crate::simplify::apart::as_rational_function(polynomial, inner, budget)?;
    if let Some((poly, _)) = rational {
        let factors = factor_polynomial(&poly, budget)?.factors;
        let solved = factors
            .into_iter()
            .map(|(factor, multiplicity)| numeric_factor(&factor, multiplicity, inner, budget));
        let mut all: Vec<CharacteristicFactor> = solved.collect::<Outcome<_>>()?;
        sort_by_roots(&mut all);
        return Ok(all);
    }
    let form = normal_form_of_prepared(polynomial, Some(inner), budget)?;
    let Some(place) = form.table.place_of(inner) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for (factor, multiplicity) in factor_sparse(&form.fraction.num, budget)?.factors {
        if !factor.depends_on(place) {
            continue;
        }
        let polynomial = form.table.poly_to_expr(&factor);
        let degree = factor.degree(place) as usize;
        let solved = solve_equation(&polynomial, inner, SolveDomain::Complex, budget);
        let roots = match solved {
            Ok(solved) => {
                let count: usize = solved.solutions.iter().map(|root| root.multiplicity).sum();
                let roots = solved
                    .solutions
                    .into_iter()
                    .map(|root| EigenvalueWithVectors {
                        value: root.value,
                        is_exact: root.is_exact,
                        digits: root.digits,
                        multiplicity: root.multiplicity * multiplicity,
                        vectors: Vec::new(),
                    });
                match solved.unsolved.is_empty() && count == degree {
                    true => roots.collect(),
                    false => Vec::new(),
                }
            }
            Err(SymbolicFault::Stopped) => return Err(SymbolicFault::Stopped),
            Err(_) => Vec::new(),
        };
        all.push(CharacteristicFactor {
            polynomial,
            degree,
            roots,
        });
    }
    Ok(all)
}

fn numeric_factor(
    factor: &RationalPoly,
    multiplicity: usize,
    inner: &Expr,
    budget: &Budget<'_>,
) -> Outcome<CharacteristicFactor> {
    let mut roots = Vec::new();
    for root in polynomial_roots(factor, budget)? {
        let text = describe_value(&root.value, 16).text;
        let (value, is_exact) = match root.exact {
            Some(exact) => (exact, true),
            None => (crate::solve::number_of_digits(&root.value), false),
        };
        roots.push(EigenvalueWithVectors {
            value,
            is_exact,
            digits: Some(text),
            multiplicity,
            vectors: Vec::new(),
        });
    }
    Ok(CharacteristicFactor {
        polynomial: factor.to_expr(inner),
        degree: factor.degree(),
        roots,
    })
}

/// Factors by the digits of their first root.
fn sort_by_roots(factors: &mut [CharacteristicFactor]) {
    let first = |factor: &CharacteristicFactor| {
        let root = factor.roots.first().and_then(|root| root.digits.as_ref());
        root.and_then(|digits| digits.parse::<f64>().ok())
            .unwrap_or(f64::INFINITY)
    };
    factors.sort_by(|a, b| first(a).total_cmp(&first(b)));
}

/// The vectors of all roots of a factor, and what must not be zero for them.
fn find_vectors(
    matrix: &ExprMatrix,
    factor: &CharacteristicFactor,
    inner: &Expr,
    pairs: &mut [EigenvalueWithVectors],
    budget: &Budget<'_>,
) -> Outcome<Vec<Expr>> {
    if factor.degree > 1 {
        if pairs.iter().any(|pair| !pair.is_exact) {
            return Ok(Vec::new());
        }
        if let Some(general) = general_vectors(matrix, factor, inner, budget)? {
            for pair in pairs {
                pair.vectors =
                    at_root(&general.vectors, inner, &pair.value, factor.degree, budget)?;
            }
            return Ok(general.nonzero);
        }
    }
    let mut nonzero = Vec::new();
    for pair in pairs {
        let shifted = matrix.less_multiple(&pair.value);
        let reduced = reduce_rows(&shifted, matrix.columns(), budget)?;
        let mut vectors = null_vectors(&reduced, matrix.columns());
        for vector in &mut vectors {
            clear_denominators(vector, budget)?;
        }
        pair.vectors = vectors;
        nonzero.extend(reduced.factors);
    }
    Ok(nonzero)
}

/// Vectors in which the root stands as a symbol.
struct GeneralVectors {
    vectors: Vec<Vec<Expr>>,
    /// What must not be zero for them.
    nonzero: Vec<Expr>,
}

/// The vectors of a factor, found in the field that the factor makes; `None` where entries have relations of their own.
fn general_vectors(
    matrix: &ExprMatrix,
    factor: &CharacteristicFactor,
    inner: &Expr,
    budget: &Budget<'_>,
) -> Outcome<Option<GeneralVectors>> {
    let mut shifted = matrix.less_multiple(inner);
    // The factor is read in the same kernels.
    shifted.rows += 1;
    let mut last = vec![Expr::zero(); matrix.columns()];
    last[0] = factor.polynomial.clone();
    shifted.entries.extend(last);
    let (mut table, mut rows) = convert_entries(&shifted, Some(inner), budget)?;
    if table.relations.iter().any(Option::is_some) {
        return Ok(None);
    }
    let Some(place) = table.place_of(inner) else {
        return Ok(None);
    };
    let Some(polynomial) = rows
        .pop()
        .and_then(|mut row| (!row.is_empty()).then(|| row.remove(0)))
    else {
        return Ok(None);
    };
    let parts = polynomial.num.coefficients(place);
    let Some((leading, lower)) = parts.split_last() else {
        return Ok(None);
    };
    let mut rest = SparsePoly::zero(table.count());
    for (power, part) in lower.iter().enumerate() {
        let power = SparsePoly::power_of(table.count(), place, power as u32);
        rest = rest.sub(&part.mul(&power, budget)?);
    }
    table.relations[place] = Some(KernelRelation {
        degree: factor.degree as u32,
        value: KernelFraction {
            num: rest,
            den: leading.clone(),
        },
        is_constant: false,
    });
    let ring = KernelField {
        table: &table,
        budget,
        has_hidden_zeros: false,
    };
    let size = matrix.columns();
    let done = eliminate_rows(&ring, rows, size, true)?;
    let (mut vectors, mut nonzero) = (Vec::new(), Vec::new());
    for free in (0..size).filter(|column| !done.pivots.contains(column)) {
        let mut vector = vec![ring.zero(); size];
        vector[free] = done.minor.clone();
        for (row, &pivot) in done.pivots.iter().enumerate() {
            vector[pivot] = ring.sub(&ring.zero(), &done.rows[row][free])?;
        }
        let vector = primitive_vector(&ring, vector)?;
        if !vector[free].contains(inner) && !vector[free].symbols().is_empty() {
            nonzero.push(vector[free].clone());
        }
        vectors.push(vector);
    }
    Ok(Some(GeneralVectors { vectors, nonzero }))
}

/// The vector times what makes it polynomials without a common factor.
fn primitive_vector(ring: &KernelField<'_>, vector: Vec<KernelFraction>) -> Outcome<Vec<Expr>> {
    let budget = ring.budget;
    let mut common = SparsePoly::one(ring.table.count());
    for entry in &vector {
        common = lcm_poly(&common, &entry.den, budget)?;
    }
    let mut cleared = Vec::new();
    for entry in &vector {
        let share = common.div_exact(&entry.den, budget)?;
        let share = share.unwrap_or_else(|| common.clone());
        let product = KernelFraction {
            num: entry.num.mul(&share, budget)?,
            den: SparsePoly::one(ring.table.count()),
        };
        cleared.push(ring.table.reduce(product, budget)?);
    }
    // What the reduction has divided by, which is the same kind of factor.
    let mut below = SparsePoly::one(ring.table.count());
    for entry in &cleared {
        below = lcm_poly(&below, &entry.den, budget)?;
    }
    let mut polys = Vec::new();
    let mut factor = SparsePoly::zero(ring.table.count());
    for entry in &cleared {
        let share = below.div_exact(&entry.den, budget)?;
        let share = share.unwrap_or_else(|| below.clone());
        let poly = entry.num.mul(&share, budget)?;
        if !poly.is_zero() {
            factor = match factor.is_zero() {
                true => poly.clone(),
                false => crate::poly::sparse_gcd::sparse_gcd(&factor, &poly, budget)?,
            };
        }
        polys.push(poly);
    }
    let mut divided = Vec::new();
    for poly in polys {
        divided.push(poly.div_exact(&factor, budget)?.unwrap_or(poly));
    }
    Ok(scale_numbers(&divided)
        .iter()
        .map(|poly| ring.table.poly_to_expr(poly))
        .collect())
}

/// Whole coefficients without a common number.
fn scale_numbers(polys: &[SparsePoly]) -> Vec<SparsePoly> {
    use num_traits::{One, Zero};
    let values = || polys.iter().flat_map(|poly| poly.terms.values());
    let bottom = values().fold(num_bigint::BigInt::one(), |all, value| {
        crate::tree::integer::lcm_of(&all, value.denom())
    });
    let top = values().fold(num_bigint::BigInt::zero(), |all, value| {
        crate::tree::integer::gcd_of(&all, &(value.numer() * (&bottom / value.denom())))
    });
    if top.is_zero() {
        return polys.to_vec();
    }
    let factor = BigRational::new(bottom, top);
    polys.iter().map(|poly| poly.scale(&factor)).collect()
}

/// A vector of expressions times its common denominator.
fn clear_denominators(vector: &mut [Expr], budget: &Budget<'_>) -> Outcome<()> {
    let Some(row) = ExprMatrix::from_rows(vec![vector.to_vec()]) else {
        return Ok(());
    };
    let (table, rows) = convert_entries(&row, None, budget)?;
    let ring = KernelField {
        table: &table,
        budget,
        has_hidden_zeros: false,
    };
    let cleared = primitive_vector(&ring, rows.into_iter().flatten().collect())?;
    for (entry, value) in vector.iter_mut().zip(cleared) {
        *entry = shorten_entry(&value, budget)?;
    }
    Ok(())
}

fn at_root(
    general: &[Vec<Expr>],
    inner: &Expr,
    value: &Expr,
    degree: usize,
    budget: &Budget<'_>,
) -> Outcome<Vec<Vec<Expr>>> {
    let mut vectors = Vec::new();
    for vector in general {
        let mut entries = Vec::new();
        for entry in vector {
            let set = budget.admit(entry.replace(inner, value))?;
            // Roots of cubics and quartics are long in every form.
            entries.push(match degree {
                2 => shorten_entry(&crate::simplify::expand::expand(&set, budget)?, budget)?,
                _ => set,
            });
        }
        vectors.push(entries);
    }
    Ok(vectors)
}

/// Puts back: `A v = value*v`, and without vectors that `A - value*I` is singular.
fn check_pair(
    matrix: &ExprMatrix,
    pair: &EigenvalueWithVectors,
    budget: &Budget<'_>,
) -> Outcome<()> {
    if !pair.is_exact {
        // Digits are isolated roots of the polynomial that was checked.
        return Ok(());
    }
    let mut symbols = symbols_of(matrix.entries());
    symbols.extend(pair.value.symbols());
    let shifted = matrix.less_multiple(&pair.value);
    let basis = ExprMatrix::from_rows(pair.vectors.clone()).map(|basis| basis.transpose());
    check_at_points(&symbols, budget, |point| {
        let Some(digits) = point.matrix(&shifted)? else {
            return Ok(None);
        };
        let (rank, _) = point.rank_and_determinant(&digits)?;
        let Some(basis) = &basis else {
            return Ok(Some(rank < matrix.rows()));
        };
        let Some(basis) = point.matrix(basis)? else {
            return Ok(None);
        };
        if point.rank_and_determinant(&basis)?.0 != matrix.rows() - rank
            || basis.columns != matrix.rows() - rank
        {
            return Ok(Some(false));
        }
        let zero = super::check::DigitMatrix {
            rows: digits.rows,
            columns: basis.columns,
            entries: vec![point.arithmetic().small(0); digits.rows * basis.columns],
        };
        point.is_product(&digits, &basis, &zero).map(Some)
    })?;
    Ok(())
}
