//! The matrix of a call: coordinates, compressed rows or Matrix Market text, whichever is given.

use kernels::sparse::{Csr, csr::SIZE_MAX};
use tool_core::{Ctx, ErrorCode, Input, ToolError, Vector};

use super::Args;
use super::matrix_market;

/// Memory per entry while a matrix is made: indices, an order of them, and the matrix itself.
const BYTES_PER_ENTRY: u64 = 48;

/// The square matrix with as many rows as `b`.
///
/// # Errors
/// `invalid_args` at the argument that does not fit; `limit_exceeded`.
pub(super) fn matrix(args: &Args, rows_of_b: usize, ctx: &Ctx) -> Result<Csr, ToolError> {
    let coordinates = [
        ("rows", args.rows.is_some()),
        ("cols", args.cols.is_some()),
        ("values", args.values.is_some()),
    ];
    let compressed = [
        ("indptr", args.indptr.is_some()),
        ("indices", args.indices.is_some()),
        ("data", args.data.is_some()),
    ];
    let any = |form: &[(&str, bool)]| form.iter().any(|(_, given)| *given);
    let forms = [
        any(&coordinates),
        any(&compressed),
        args.matrix_market.is_some(),
    ];
    if forms.iter().filter(|given| **given).count() != 1 {
        let found = if forms.contains(&true) {
            "more than one of them"
        } else {
            "none of them"
        };
        return Err(ToolError::invalid(
            "",
            format_args!("expected the matrix as `rows`, `cols`, `values`, as `indptr`, `indices`, `data`, or as `matrix_market`, found {found}"),
        )
        .reason("matrix")
        .hint("give all three lists of one form, or `matrix_market`"));
    }
    let n = size(args, rows_of_b)?;
    if let Some(market) = &args.matrix_market {
        let entries = matrix_market::read(&market.load(ctx)?, ctx)?;
        if entries.shape != (n, n) {
            return Err(shape(
                "/matrix_market",
                format_args!("{} x {}", entries.shape.0, entries.shape.1),
                n,
            ));
        }
        check_count("/matrix_market", entries.values.len())?;
        ctx.reserve(BYTES_PER_ENTRY * entries.values.len() as u64)?;
        return Ok(Csr::from_triplets(
            n,
            n,
            &entries.rows,
            &entries.columns,
            &entries.values,
        ));
    }
    let form = if forms[0] { coordinates } else { compressed };
    if let Some((missing, _)) = form.iter().find(|(_, given)| !given) {
        let names = form.map(|(name, _)| format!("`{name}`")).join(", ");
        return Err(ToolError::invalid(
            format!("/{missing}"),
            format_args!("`{missing}` is missing: {names} belong together"),
        )
        .reason("matrix")
        .hint("give all three"));
    }
    let load = |input: &Option<Input<Vector>>| {
        input
            .as_ref()
            .map_or_else(|| Ok(Vector::default()), |input| input.load(ctx))
    };
    if forms[0] {
        from_coordinates(
            &load(&args.rows)?,
            &load(&args.cols)?,
            &load(&args.values)?,
            n,
            ctx,
        )
    } else {
        from_compressed(
            &load(&args.indptr)?,
            &load(&args.indices)?,
            &load(&args.data)?,
            n,
            ctx,
        )
    }
}

fn size(args: &Args, rows_of_b: usize) -> Result<usize, ToolError> {
    if rows_of_b == 0 {
        return Err(ToolError::invalid("/b", "`b` is empty")
            .reason("shape")
            .hint("give one entry per row of the matrix"));
    }
    if rows_of_b > SIZE_MAX {
        return Err(ToolError::new(
            ErrorCode::LimitExceeded,
            format_args!("`b` has {rows_of_b} entries; the limit is {SIZE_MAX}"),
        )
        .at("/b"));
    }
    match args.n {
        Some(n) if n.size() != rows_of_b => Err(ToolError::invalid(
            "/n",
            format_args!("`n` is {} but `b` has {rows_of_b} entries", n.get()),
        )
        .reason("shape")
        .hint("leave `n` out: it is the length of `b`")),
        _ => Ok(rows_of_b),
    }
}

fn shape(path: &str, found: impl std::fmt::Display, n: usize) -> ToolError {
    ToolError::invalid(
        path,
        format_args!("expected a {n} x {n} matrix, as `b` has {n} entries, found {found}"),
    )
    .reason("shape")
    .hint("a matrix that is not square needs `least_squares`")
}

fn check_count(path: &str, count: usize) -> Result<(), ToolError> {
    if count <= SIZE_MAX {
        return Ok(());
    }
    Err(ToolError::new(
        ErrorCode::LimitExceeded,
        format_args!("the matrix has {count} entries; the limit is {SIZE_MAX}"),
    )
    .at(path))
}

fn same_length(path: &str, found: usize, expected: usize, of: &str) -> Result<(), ToolError> {
    if found == expected {
        return Ok(());
    }
    Err(ToolError::invalid(
        path,
        format_args!(
            "`{}` has {found} entries but `{of}` has {expected}",
            &path[1..]
        ),
    )
    .reason("shape")
    .hint("each entry of the matrix has one of both"))
}

fn from_coordinates(
    rows: &[f64],
    cols: &[f64],
    values: &[f64],
    n: usize,
    ctx: &Ctx,
) -> Result<Csr, ToolError> {
    same_length("/cols", cols.len(), rows.len(), "rows")?;
    same_length("/values", values.len(), rows.len(), "rows")?;
    check_count("/values", values.len())?;
    ctx.reserve(BYTES_PER_ENTRY * values.len() as u64 + 32 * n as u64)?;
    let (rows, cols) = (indices("/rows", rows, n)?, indices("/cols", cols, n)?);
    Ok(Csr::from_triplets(n, n, &rows, &cols, values))
}

fn from_compressed(
    indptr: &[f64],
    columns: &[f64],
    data: &[f64],
    n: usize,
    ctx: &Ctx,
) -> Result<Csr, ToolError> {
    if indptr.len() != n + 1 {
        return Err(shape(
            "/indptr",
            format_args!("{} row pointers, one more than rows", indptr.len()),
            n,
        ));
    }
    same_length("/data", data.len(), columns.len(), "indices")?;
    check_count("/data", data.len())?;
    ctx.reserve(BYTES_PER_ENTRY * data.len() as u64 + 40 * n as u64)?;
    let starts: Vec<usize> = indices("/indptr", indptr, data.len() + 1)?
        .into_iter()
        .map(|start| start as usize)
        .collect();
    let ordered = |message: String, at: usize| {
        ToolError::invalid(format!("/indptr/{at}"), message)
            .reason("indptr")
            .hint("`indptr[i]` is where row i starts in `indices` and `data`; it begins with 0 and ends with their length")
    };
    if starts[0] != 0 {
        return Err(ordered(format!("expected 0, found {}", starts[0]), 0));
    }
    if let Some(at) = starts.windows(2).position(|pair| pair[1] < pair[0]) {
        return Err(ordered(
            format!("expected at least {}, found {}", starts[at], starts[at + 1]),
            at + 1,
        ));
    }
    if starts[n] != data.len() {
        return Err(ordered(
            format!(
                "expected {}, the length of `data`, found {}",
                data.len(),
                starts[n]
            ),
            n,
        ));
    }
    let columns = indices("/indices", columns, n)?;
    Ok(Csr::from_rows(n, starts, columns, data.to_vec()))
}

/// Whole numbers from 0 to `count` - 1.
fn indices(path: &str, numbers: &[f64], count: usize) -> Result<Vec<u32>, ToolError> {
    let good = |number: f64| number >= 0.0 && number < count as f64 && number.fract() == 0.0;
    match numbers.iter().position(|&number| !good(number)) {
        None => Ok(numbers.iter().map(|&number| number as u32).collect()),
        Some(at) => Err(ToolError::invalid(
            format!("{path}/{at}"),
            format_args!(
                "expected a whole number from 0 to {}, found {}",
                count - 1,
                numbers[at]
            ),
        )
        .reason("index")
        .hint("rows and columns are counted from 0")),
    }
}
