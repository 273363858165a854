//! Matrices of digits at random points, by which exact answers are compared.

use astro_float_num::BigFloat;

use super::ExprMatrix;
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::numeric::compare::PointSequence;
use crate::numeric::complex::{BigArithmetic, ManyDigitComplex, to_double};
use crate::numeric::evaluate::{Assignment, Evaluation, WORKING_BITS};
use crate::tree::{Expr, Symbol};

/// Points at which an answer with symbols is compared.
const POINTS: usize = 3;
/// Points that are tried for each one wanted.
const TRIES: usize = 8;
/// Bits to which values have to agree: 30 digits.
const AGREEMENT_BITS: i64 = 100;

/// A matrix of digits.
#[derive(Debug, Clone)]
pub(super) struct DigitMatrix {
    pub rows: usize,
    pub columns: usize,
    pub entries: Vec<ManyDigitComplex>,
}

/// One point: its arithmetic with the values of the symbols.
pub(super) struct CheckPoint<'a> {
    evaluation: Evaluation<'a>,
    budget: &'a Budget<'a>,
}

/// Compares at points of all symbols of the expressions: the number of points at which `agrees` held. `None` from it is a point without values; `false` is a
/// fault, and the answer is not given.
pub(super) fn check_at_points<'a>(
    symbols: &std::collections::BTreeSet<Symbol>,
    budget: &'a Budget<'a>,
    mut agrees: impl FnMut(&mut CheckPoint<'a>) -> Outcome<Option<bool>>,
) -> Outcome<usize> {
    let mut sequence = PointSequence::new();
    let wanted = if symbols.is_empty() { 1 } else { POINTS };
    let mut count = 0;
    for attempt in 0..wanted * TRIES {
        let Some(empty) = Evaluation::new(WORKING_BITS, Assignment::new(), budget) else {
            break;
        };
        let values: Assignment = symbols
            .iter()
            .map(|symbol| {
                let value = sequence.value(symbol, attempt);
                let value = empty.arithmetic.fraction(&value);
                (symbol.clone(), empty.arithmetic.complex(value))
            })
            .collect();
        let Some(evaluation) = Evaluation::new(WORKING_BITS, values, budget) else {
            break;
        };
        match agrees(&mut CheckPoint { evaluation, budget })? {
            Some(true) => count += 1,
            Some(false) => return Err(failed_check()),
            None if symbols.is_empty() => break,
            None => {}
        }
        if count == wanted {
            break;
        }
    }
    match count {
        0 => Err(SymbolicFault::Refused(
            "the entries have no value at any point that was tried, so that nothing can be checked"
                .to_owned(),
        )),
        _ => Ok(count),
    }
}

fn failed_check() -> SymbolicFault {
    SymbolicFault::Refused("the answer that was found fails its check".to_owned())
}

/// The symbols of several matrices and expressions.
pub(super) fn symbols_of<'e>(
    parts: impl IntoIterator<Item = &'e Expr>,
) -> std::collections::BTreeSet<Symbol> {
    parts.into_iter().flat_map(Expr::symbols).collect()
}

impl CheckPoint<'_> {
    /// The values of a matrix.
    pub(super) fn matrix(&mut self, matrix: &ExprMatrix) -> Outcome<Option<DigitMatrix>> {
        let mut entries = Vec::new();
        for entry in matrix.entries() {
            match self.value(entry)? {
                Some(value) => entries.push(value),
                None => return Ok(None),
            }
        }
        Ok(Some(DigitMatrix {
            rows: matrix.rows(),
            columns: matrix.columns(),
            entries,
        }))
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Expr) -> Outcome<Option<ManyDigitComplex>> {
        self.evaluation.value(expr)
    }

    pub(super) fn arithmetic(&self) -> &BigArithmetic {
        &self.evaluation.arithmetic
    }

    /// Whether a product is another matrix, each entry beside the size of its terms.
    pub(super) fn is_product(
        &self,
        a: &DigitMatrix,
        b: &DigitMatrix,
        product: &DigitMatrix,
    ) -> Outcome<bool> {
        let math = self.arithmetic();
        for row in 0..a.rows {
            for column in 0..b.columns {
                self.budget.spend(a.columns)?;
                let mut total = math.small(0);
                let mut size = math.modulus(&product.entries[row * b.columns + column]);
                for place in 0..a.columns {
                    let term = math.mul(
                        &a.entries[row * a.columns + place],
                        &b.entries[place * b.columns + column],
                    );
                    size = math.fadd(&size, &math.modulus(&term));
                    total = math.add(&total, &term);
                }
                let gap = math.sub(&total, &product.entries[row * b.columns + column]);
                if !is_small(&math.modulus(&gap), &size) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a matrix is a power of another, by as many products.
    pub(super) fn is_power(
        &self,
        base: &DigitMatrix,
        exponent: i64,
        power: &DigitMatrix,
    ) -> Outcome<bool> {
        let math = self.arithmetic();
        let size = base.rows;
        let unit = (0..size * size).map(|at| math.small(i64::from(at % (size + 1) == 0)));
        let mut total: Vec<ManyDigitComplex> = unit.collect();
        let mut scale = math.real(1);
        let bound = base.entries.iter().fold(math.real(0), |sum, entry| {
            math.fadd(&sum, &math.modulus(entry))
        });
        for _ in 0..exponent {
            self.budget.spend(size * size * size)?;
            scale = math.fmul(&scale, &bound);
            let mut next = Vec::with_capacity(total.len());
            for row in 0..size {
                for column in 0..size {
                    next.push((0..size).fold(math.small(0), |sum, place| {
                        let factor = &base.entries[place * size + column];
                        math.add(&sum, &math.mul(&total[row * size + place], factor))
                    }));
                }
            }
            total = next;
        }
        Ok(total.iter().zip(&power.entries).all(|(a, b)| {
            let gap = math.modulus(&math.sub(a, b));
            let own = math.fadd(&math.modulus(a), &math.modulus(b));
            // Entries that cancel to zero are compared with what was added up.
            is_small(&gap, &own) || is_small(&gap, &scale)
        }))
    }

    /// Whether two values agree, beside a size that their computation has passed.
    pub(super) fn agree(
        &self,
        a: &ManyDigitComplex,
        b: &ManyDigitComplex,
        size: &BigFloat,
    ) -> bool {
        let math = self.arithmetic();
        let size = math.fadd(&math.fadd(&math.modulus(a), &math.modulus(b)), size);
        is_small(&math.modulus(&math.sub(a, b)), &size)
    }

    /// Rank and determinant of a matrix by elimination with the largest pivots; the determinant of a square one.
    pub(super) fn rank_and_determinant(
        &self,
        matrix: &DigitMatrix,
    ) -> Outcome<(usize, ManyDigitComplex)> {
        let math = self.arithmetic();
        let (rows, columns) = (matrix.rows, matrix.columns);
        let mut rest: Vec<Vec<ManyDigitComplex>> =
            matrix.entries.chunks(columns).map(<[_]>::to_vec).collect();
        let size = matrix.entries.iter().fold(math.real(0), |size, entry| {
            math.fadd(&size, &math.modulus(entry))
        });
        let mut determinant = math.small(1);
        let mut rank = 0;
        for column in 0..columns {
            self.budget.spend(rows * columns)?;
            let largest = (rank..rows).max_by(|&a, &b| {
                let of = |row: usize| to_double(&math.modulus(&rest[row][column]));
                of(a).total_cmp(&of(b))
            });
            let Some(largest) = largest else {
                break;
            };
            if is_small(&math.modulus(&rest[largest][column]), &size) {
                continue;
            }
            if largest != rank {
                rest.swap(largest, rank);
                determinant = math.neg(&determinant);
            }
            let pivot_row = rest[rank].clone();
            determinant = math.mul(&determinant, &pivot_row[column]);
            for row in rest.iter_mut().skip(rank + 1) {
                let factor = math.div(&row[column], &pivot_row[column]);
                for place in column..columns {
                    let step = math.mul(&factor, &pivot_row[place]);
                    row[place] = math.sub(&row[place], &step);
                }
            }
            rank += 1;
        }
        if rank < rows.min(columns) {
            determinant = math.small(0);
        }
        Ok((rank, determinant))
    }
}

/// Whether a value is below the other by 30 digits.
pub(super) fn is_small(gap: &BigFloat, size: &BigFloat) -> bool {
    match (gap.exponent(), size.exponent()) {
        _ if gap.is_zero() => true,
        _ if size.is_zero() => false,
        (Some(gap), Some(size)) => i64::from(size) - i64::from(gap) > AGREEMENT_BITS,
        _ => false,
    }
}
