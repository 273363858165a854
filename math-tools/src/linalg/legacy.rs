//! The operations of the older `matrix_op` command, by their own names and result shapes.
//!
//! Not a tool: the `math-tools` binary answers the command with [`run`]. `solve`, `eigen` and `svd` are the tools of this family
//! in the command's spelling; `inverse`, `det`, `lu`, `qr` and `rank` live here.

use tool_core::nearest::nearest;
use tool_core::{Ctx, ErrorCode, Load, Matrix, Tool, ToolError, Value, convert};

use super::dense::{self, Lu, SingularVectors, normalised, scaled};
use super::no_convergence;
use super::{eigen, solve, svd};

/// Every operation, in the order of the documentation.
pub const OPERATIONS: [&str; 8] = [
    "solve", "inverse", "det", "eigen", "svd", "lu", "qr", "rank",
];

/// Runs one operation on the parameters `A`, `b`, `vectors`, `full`, `matrices` and `tolerance`; others are ignored.
///
/// Results: `solve` {x, relative_error}; `inverse` {inverse, condition_number (2-norm)}; `det` {determinant, sign,
/// log_abs_determinant}; `eigen` {eigenvalues (numbers, or {real, imag} where complex), eigenvectors (a list of vectors)};
/// `svd` {singular_values, rank, U, V}; `lu` {L, U, P} with `A[P[i]] = (L U)[i]`, any shape; `qr` {Q, R}, thin;
/// `rank` {rank, tolerance (relative to the largest singular value, 1e-10 unless given)}.
///
/// # Errors
/// `invalid_args` for an unknown operation or a matrix that does not fit, `numeric` where there is no answer.
pub fn run(operation: &str, params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    if !OPERATIONS.contains(&operation) {
        let near = nearest(operation, OPERATIONS)
            .map(|name| format!("did you mean `{name}`?"))
            .unwrap_or_else(|| format!("one of {}", OPERATIONS.join(", ")));
        return Err(ToolError::invalid(
            "/operation",
            format_args!("no matrix operation named `{operation}`"),
        )
        .reason("unknown_operation")
        .hint(near));
    }
    let a = matrix(params)?;
    let (m, n) = (a.rows(), a.columns());
    ctx.afford(6.0 * m as f64 * n as f64 * m.min(n) as f64)?;
    ctx.reserve_doubles(12 * m * n)?;
    let result = match operation {
        "solve" => run_solve(params, ctx),
        "inverse" => inverse(&a),
        "det" => determinant(&a),
        "eigen" => run_eigen(params, ctx),
        "svd" => run_svd(params, ctx),
        "lu" => Ok(lu(&a)),
        "qr" => Ok(qr(&a)),
        _ => rank(&a, params),
    }?;
    ctx.check()?;
    Ok(result)
}

fn matrix(params: &Value) -> Result<Matrix, ToolError> {
    let Some(value) = params.get("A") else {
        return Err(ToolError::invalid("/A", "missing required argument `A`"));
    };
    Matrix::from_value(value).map_err(|problem| {
        let error =
            ToolError::invalid(format!("/A{}", problem.path), problem.message).reason("shape");
        match problem.hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    })
}

fn flag(params: &Value, name: &str) -> Result<bool, ToolError> {
    match params.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(ToolError::invalid(
            format!("/{name}"),
            format_args!("expected a boolean, found {}", other.kind()),
        )),
    }
}

/// Calls a tool of this family with some of the parameters.
fn call<T: Tool>(arguments: Vec<(&'static str, Value)>, ctx: &Ctx) -> Result<T::Output, ToolError> {
    let args = convert::from_value::<T::Args>(&Value::object(arguments))
        .map_err(|problem| ToolError::of_problems(ErrorCode::InvalidArgs, vec![problem]))?;
    T::run(args, ctx)
}

fn given(params: &Value, names: &[&'static str]) -> Vec<(&'static str, Value)> {
    names
        .iter()
        .filter_map(|&name| params.get(name).map(|value| (name, value.clone())))
        .collect()
}

fn run_solve(params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let solved = call::<solve::MatrixSolve>(given(params, &["A", "b"]), ctx)?;
    Ok(Value::object([
        ("x", convert::to_value(&solved.x)?),
        ("relative_error", Value::from(solved.relative_error)),
    ]))
}

fn run_eigen(params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let mut arguments = given(params, &["A"]);
    arguments.push(("vectors", Value::from(flag(params, "vectors")?)));
    let found = call::<eigen::MatrixEigenvalues>(arguments, ctx)?;
    let number = |re: f64, im: f64| {
        if im == 0.0 {
            Value::from(re)
        } else {
            Value::object([("real", re), ("imag", im)])
        }
    };
    let values: Vec<Value> = found
        .real
        .iter()
        .zip(&found.imaginary)
        .map(|(&re, &im)| number(re, im))
        .collect();
    let mut fields = vec![("eigenvalues", Value::array(values))];
    let real = found
        .eigenvectors
        .as_ref()
        .or(found.eigenvectors_real.as_ref());
    if let Some(real) = real {
        let entry = |row: usize, column: usize| {
            let im = found
                .eigenvectors_imaginary
                .as_ref()
                .map_or(0.0, |imaginary| imaginary.row(row)[column]);
            number(real.row(row)[column], im)
        };
        let vectors: Vec<Value> = (0..real.columns())
            .map(|column| Value::array((0..real.rows()).map(|row| entry(row, column)).collect()))
            .collect();
        fields.push(("eigenvectors", Value::array(vectors)));
    }
    Ok(Value::object(fields))
}

fn run_svd(params: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let vectors = flag(params, "full")? || flag(params, "matrices")?;
    let mut arguments = given(params, &["A"]);
    arguments.push((
        "vectors",
        Value::from(if vectors { "thin" } else { "none" }),
    ));
    let found = call::<svd::MatrixSvd>(arguments, ctx)?;
    let mut fields = vec![
        ("singular_values", Value::vector(found.singular_values)),
        ("rank", Value::from(found.rank)),
    ];
    for (name, factor) in [("U", found.u), ("V", found.v)] {
        if let Some(factor) = factor {
            fields.push((name, Load::to_value(&factor)));
        }
    }
    Ok(Value::object(fields))
}

fn inverse(a: &Matrix) -> Result<Value, ToolError> {
    let n = eigen::square(a)?;
    let mut identity = vec![0.0; n * n];
    (0..n).for_each(|index| identity[index * n + index] = 1.0);
    let solution =
        dense::system::solve(a.as_slice(), n, &identity, n, None).map_err(solve::system_error)?;
    let values = svd::kernel::singular(a.as_slice(), n, n, SingularVectors::None)
        .map_err(no_convergence)?
        .values;
    Ok(Value::object([
        ("inverse", block(n, n, solution.x)),
        ("condition_number", Value::from(values[0] / values[n - 1])),
    ]))
}

/// The determinant from the pivots: rows scaled by powers of two and exponents counted apart, so that only the result itself can
/// overflow.
fn determinant(a: &Matrix) -> Result<Value, ToolError> {
    let n = eigen::square(a)?;
    let mut data = Vec::with_capacity(n * n);
    let mut power = 0_i64;
    for row in 0..n {
        let (scaled_row, exponent) = normalised(a.row(row));
        data.extend(scaled_row);
        power += i64::from(exponent);
    }
    let factors = Lu::new(dense::columns_of(&data, n, n));
    let mut mantissa = factors.sign();
    for index in 0..n {
        mantissa *= factors.packed[(index, index)];
        let shift = dense::exponent_of(mantissa.abs());
        mantissa = scaled(mantissa, -shift);
        power += i64::from(shift);
    }
    let limited = power.clamp(-5000, 5000) as i32;
    let sign = if mantissa == 0.0 {
        0.0
    } else {
        mantissa.signum()
    };
    let log = if mantissa == 0.0 {
        f64::NEG_INFINITY
    } else {
        mantissa.abs().ln() + power as f64 * std::f64::consts::LN_2
    };
    Ok(Value::object([
        ("determinant", scaled(mantissa, limited)),
        ("sign", sign),
        ("log_abs_determinant", log),
    ]))
}

fn lu(a: &Matrix) -> Value {
    let (m, n) = (a.rows(), a.columns());
    let size = m.min(n);
    let factors = Lu::new(dense::columns_of(a.as_slice(), m, n));
    let entry = |row: usize, column: usize| factors.packed[(row, column)];
    let mut lower = vec![0.0; m * size];
    let mut upper = vec![0.0; size * n];
    for row in 0..m {
        for column in 0..size.min(row) {
            lower[row * size + column] = entry(row, column);
        }
        if row < size {
            lower[row * size + row] = 1.0;
            (row..n).for_each(|column| upper[row * n + column] = entry(row, column));
        }
    }
    Value::object([
        ("L", block(m, size, lower)),
        ("U", block(size, n, upper)),
        ("P", Value::from(factors.order.clone())),
    ])
}

fn qr(a: &Matrix) -> Value {
    let (m, n) = (a.rows(), a.columns());
    let (data, exponent) = normalised(a.as_slice());
    let (q, r) = dense::qr(dense::columns_of(&data, m, n));
    let restored = dense::rows_of(r.as_ref())
        .into_iter()
        .map(|value| scaled(value, exponent))
        .collect();
    Value::object([
        ("Q", block(m, q.ncols(), dense::rows_of(q.as_ref()))),
        ("R", block(r.nrows(), n, restored)),
    ])
}

fn rank(a: &Matrix, params: &Value) -> Result<Value, ToolError> {
    const RELATIVE: f64 = 1e-10;
    let relative = match params.get("tolerance") {
        None | Some(Value::Null) => RELATIVE,
        Some(value) => value
            .as_f64()
            .filter(|value| *value >= 0.0)
            .ok_or_else(|| {
                ToolError::invalid(
                    "/tolerance",
                    format_args!("expected a number of at least 0, found {}", value.kind()),
                )
            })?,
    };
    let found = svd::kernel::singular(a.as_slice(), a.rows(), a.columns(), SingularVectors::None)
        .map_err(no_convergence)?;
    let threshold = relative * found.values[0];
    let rank = found
        .values
        .iter()
        .filter(|&&value| value > threshold)
        .count();
    Ok(Value::object([
        ("rank", Value::from(rank)),
        ("tolerance", Value::from(relative)),
    ]))
}

fn block(rows: usize, columns: usize, data: Vec<f64>) -> Value {
    Matrix::new(rows, columns, data).map_or(Value::Null, |matrix| Load::to_value(&matrix))
}
