//! The program of a call, checked.

use numerics::programming::quadratic::QuadraticProgram;
use numerics::sparse::CsrMatrix;

use super::Args;
use super::coefficients::CoefficientMatrix;
use crate::prelude::*;

/// The program, and whether `P` was symmetric.
pub(super) fn load_program(args: &Args, ctx: &Ctx) -> Result<(QuadraticProgram, bool), ToolError> {
    const SIZE_MAX: usize = 10_000_000;
    const BYTES_PER_ENTRY: u64 = 96;
    let p = args.p.load(ctx)?;
    let c = args.c.as_ref().map(|c| c.load(ctx)).transpose()?;
    let n = match (&c, p.shape()) {
        (Some(c), _) => c.len(),
        (None, Some((rows, _))) => rows,
        (None, None) => {
            refuse!(invalid "/c", "shape"; "a sparse `P` does not say how many variables there are"; "pass `c`, with a number for each");
        }
    };
    if n == 0 {
        refuse!(invalid "/c", "empty"; "`c` is empty"; "give a number for each variable");
    }
    let load =
        |input: &Option<Input<CoefficientMatrix>>| input.as_ref().map(|a| a.load(ctx)).transpose();
    let sides = |input: &Option<Input<Vector>>| input.as_ref().map(|b| b.load(ctx)).transpose();
    let (a_ub, a_eq) = (load(&args.a_ub)?, load(&args.a_eq)?);
    let (b_ub, b_eq) = (sides(&args.b_ub)?, sides(&args.b_eq)?);
    let rows = b_ub.as_ref().map_or(0, |b| b.len()) + b_eq.as_ref().map_or(0, |b| b.len());
    if n.saturating_add(rows) > SIZE_MAX {
        refuse!(invalid "/c", "size"; "{n} variables and {rows} constraints are more than {SIZE_MAX}");
    }
    let count = |a: &Option<CoefficientMatrix>| a.as_ref().map_or(0, CoefficientMatrix::count);
    let entries = p.count() + count(&a_ub) + count(&a_eq) + n + rows;
    ctx.reserve((entries as u64).saturating_mul(BYTES_PER_ENTRY))?;
    let (p, symmetric) = symmetric_part(p.matrix("/P", n, n)?);
    let (low, high) = load_bounds(args, n)?;
    let (a_ub, b_ub) = load_constraints(("A_ub", a_ub), ("b_ub", b_ub), n)?;
    let (a_eq, b_eq) = load_constraints(("A_eq", a_eq), ("b_eq", b_eq), n)?;
    let program = QuadraticProgram {
        p,
        c: c.map_or_else(|| vec![0.0; n], |c| c.to_vec()),
        a_ub,
        b_ub,
        a_eq,
        b_eq,
        low,
        high,
    };
    Ok((program, symmetric))
}

/// The symmetric part, and whether it is all.
fn symmetric_part(p: CsrMatrix) -> (CsrMatrix, bool) {
    let turned = p.transposed();
    if turned == p {
        return (p, true);
    }
    let n = p.row_count();
    let (mut rows, mut columns, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for of in [&p, &turned] {
        for row in 0..n {
            let (places, entries) = of.row(row);
            rows.resize(rows.len() + places.len(), row as u32);
            columns.extend_from_slice(places);
            values.extend(entries.iter().map(|value| 0.5 * value));
        }
    }
    (
        CsrMatrix::from_triplets(n, n, &rows, &columns, &values),
        false,
    )
}

type Named<T> = (&'static str, Option<T>);

fn load_constraints(
    (a_name, a): Named<CoefficientMatrix>,
    (b_name, b): Named<Vector>,
    n: usize,
) -> Result<(CsrMatrix, Vec<f64>), ToolError> {
    match (a, b) {
        (Some(a), Some(b)) => Ok((a.matrix(&format!("/{a_name}"), b.len(), n)?, b.to_vec())),
        (None, None) => Ok((CsrMatrix::from_triplets(0, n, &[], &[], &[]), Vec::new())),
        (Some(_), None) => {
            refuse!(invalid format!("/{b_name}"), "shape"; "`{a_name}` needs `{b_name}`: a right-hand side for each row"; "pass both");
        }
        (None, Some(_)) => {
            refuse!(invalid format!("/{a_name}"), "shape"; "`{b_name}` needs `{a_name}`: a row for each right-hand side"; "pass both");
        }
    }
}

fn load_bounds(args: &Args, n: usize) -> Result<(Vec<f64>, Vec<f64>), ToolError> {
    let Some(given) = &args.bounds else {
        return Ok((vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]));
    };
    if given.len() != n && given.len() != 1 {
        let found = given.len();
        refuse!(invalid "/bounds", "shape"; "expected {n} pairs [low, high], or one for all, found {found}"; "null where there is no bound");
    }
    let (mut low, mut high) = (Vec::with_capacity(n), Vec::with_capacity(n));
    for index in 0..n {
        let [from, to] = given[if given.len() == 1 { 0 } else { index }];
        let (from, to) = (
            from.map_or(f64::NEG_INFINITY, Finite::get),
            to.map_or(f64::INFINITY, Finite::get),
        );
        if from > to {
            refuse!(invalid format!("/bounds/{index}"), "infeasible"; "no x{index} satisfies the bounds: the low {from} is above the high {to}";
                "give each pair as [low, high]");
        }
        low.push(from);
        high.push(to);
    }
    Ok((low, high))
}
