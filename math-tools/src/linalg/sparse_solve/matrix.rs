//! The matrix of a call: coordinates, compressed rows or Matrix Market text, whichever is given.

use numerics::sparse::{CsrMatrix, csr::SIZE_MAX};
use tool_core::{Ctx, ToolError, Vector, tool_error};

use super::Args;
use super::matrix_market;

/// Memory per entry while a matrix is made: indices, an order of them, and the matrix itself.
const BYTES_PER_ENTRY: u64 = 48;

/// The square matrix with as many rows as `b`.
///
/// # Errors
/// `invalid_args` at the argument that does not fit; `limit_exceeded`.
pub(super) fn load_matrix(
    args: &Args,
    rows_of_b: usize,
    ctx: &Ctx,
) -> Result<CsrMatrix, ToolError> {
    let coordinates = [
        ("rows", &args.rows),
        ("cols", &args.cols),
        ("values", &args.values),
    ];
    let compressed = [
        ("indptr", &args.indptr),
        ("indices", &args.indices),
        ("data", &args.data),
    ];
    let any = |form: [(&str, &Option<_>); 3]| form.iter().any(|(_, input)| input.is_some());
    let forms = [
        any(coordinates),
        any(compressed),
        args.matrix_market.is_some(),
    ];
    if forms.iter().filter(|given| **given).count() != 1 {
        let found = if forms.contains(&true) {
            "more than one of them"
        } else {
            "none of them"
        };
        refuse!(invalid "", "matrix";
            "expected the matrix as `rows`, `cols`, `values`, as `indptr`, `indices`, `data`, or as `matrix_market`, found {found}";
            "give all three lists of one form, or `matrix_market`");
    }
    let n = system_size(args, rows_of_b)?;
    if let Some(market) = &args.matrix_market {
        let entries = matrix_market::parse_matrix_market(&market.load(ctx)?, ctx)?;
        if entries.shape != (n, n) {
            let found = format!("{} x {}", entries.shape.0, entries.shape.1);
            return Err(shape_error("/matrix_market", found, n));
        }
        let (rows, columns, values) = (entries.rows, entries.columns, entries.values);
        check_count("/matrix_market", "the matrix", values.len())?;
        ctx.reserve(BYTES_PER_ENTRY * values.len() as u64)?;
        return Ok(CsrMatrix::from_triplets(n, n, &rows, &columns, &values));
    }
    let form = if forms[0] { coordinates } else { compressed };
    let mut lists: [Vector; 3] = Default::default();
    for (list, (missing, input)) in lists.iter_mut().zip(form) {
        let Some(input) = input else {
            let names = form.map(|(name, _)| format!("`{name}`")).join(", ");
            refuse!(invalid format!("/{missing}"), "matrix";
                "`{missing}` is missing: {names} belong together"; "give all three");
        };
        *list = input.load(ctx)?;
    }
    let make = if forms[0] {
        from_coordinates
    } else {
        from_compressed
    };
    make(&lists[0], &lists[1], &lists[2], n, ctx)
}

fn system_size(args: &Args, rows_of_b: usize) -> Result<usize, ToolError> {
    if rows_of_b == 0 {
        refuse!(invalid "/b", "shape"; "`b` is empty"; "give one entry per row of the matrix");
    }
    check_count("/b", "`b`", rows_of_b)?;
    match args.n {
        Some(n) if n.size() != rows_of_b => {
            refuse!(invalid "/n", "shape"; "`n` is {} but `b` has {rows_of_b} entries", n.get();
                "leave `n` out: it is the length of `b`");
        }
        _ => Ok(rows_of_b),
    }
}

fn shape_error(path: &str, found: String, n: usize) -> ToolError {
    tool_error!(InvalidArgs at path, "shape";
        "expected a {n} x {n} matrix, as `b` has {n} entries, found {found}";
        "a matrix that is not square needs `least_squares`")
}

fn check_count(path: &str, what: &str, count: usize) -> Result<(), ToolError> {
    if count <= SIZE_MAX {
        return Ok(());
    }
    let error = tool_error!(
        LimitExceeded,
        "{what} has {count} entries; the limit is {SIZE_MAX}"
    );
    Err(error.at(path))
}

fn same_length(name: &str, found: usize, expected: usize, of: &str) -> Result<(), ToolError> {
    if found == expected {
        return Ok(());
    }
    refuse!(invalid format!("/{name}"), "shape";
        "`{name}` has {found} entries but `{of}` has {expected}";
        "each entry of the matrix has one of both");
}

fn from_coordinates(
    rows: &[f64],
    cols: &[f64],
    values: &[f64],
    n: usize,
    ctx: &Ctx,
) -> Result<CsrMatrix, ToolError> {
    same_length("cols", cols.len(), rows.len(), "rows")?;
    same_length("values", values.len(), rows.len(), "rows")?;
    check_count("/values", "the matrix", values.len())?;
    ctx.reserve(BYTES_PER_ENTRY * values.len() as u64 + 32 * n as u64)?;
    let (rows, cols) = (
        check_indices("/rows", rows, n)?,
        check_indices("/cols", cols, n)?,
    );
    Ok(CsrMatrix::from_triplets(n, n, &rows, &cols, values))
}

fn from_compressed(
    indptr: &[f64],
    columns: &[f64],
    data: &[f64],
    n: usize,
    ctx: &Ctx,
) -> Result<CsrMatrix, ToolError> {
    if indptr.len() != n + 1 {
        let found = format!("{} row pointers, one more than rows", indptr.len());
        return Err(shape_error("/indptr", found, n));
    }
    same_length("data", data.len(), columns.len(), "indices")?;
    check_count("/data", "the matrix", data.len())?;
    ctx.reserve(BYTES_PER_ENTRY * data.len() as u64 + 40 * n as u64)?;
    let starts = check_indices("/indptr", indptr, data.len() + 1)?;
    let starts: Vec<usize> = starts.into_iter().map(|start| start as usize).collect();
    let falls = starts.windows(2).position(|pair| pair[1] < pair[0]);
    let wrong = if starts[0] != 0 {
        Some((0, "0".to_owned()))
    } else if let Some(at) = falls {
        Some((at + 1, format!("at least {}", starts[at])))
    } else {
        let length = data.len();
        (starts[n] != length).then(|| (n, format!("{length}, the length of `data`")))
    };
    if let Some((at, expected)) = wrong {
        refuse!(invalid format!("/indptr/{at}"), "indptr"; "expected {expected}, found {}", starts[at];
            "`indptr[i]` is where row i starts in `indices` and `data`; it begins with 0 and ends with their length");
    }
    let columns = check_indices("/indices", columns, n)?;
    Ok(CsrMatrix::from_rows(n, starts, columns, data.to_vec()))
}

/// Whole numbers from 0 to `count` - 1.
fn check_indices(path: &str, numbers: &[f64], count: usize) -> Result<Vec<u32>, ToolError> {
    let good = |number: f64| number >= 0.0 && number < count as f64 && number.fract() == 0.0;
    match numbers.iter().position(|&number| !good(number)) {
        None => Ok(numbers.iter().map(|&number| number as u32).collect()),
        Some(at) => {
            let (last, found) = (count - 1, numbers[at]);
            refuse!(invalid format!("{path}/{at}"), "index";
                "expected a whole number from 0 to {last}, found {found}";
                "rows and columns are counted from 0");
        }
    }
}
