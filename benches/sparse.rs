//! Times of sparse systems, one JSON line per row, for `benches/peers/sparse_peer.py`.
//!
//! `cargo bench -p benches --bench sparse -- PROBLEMS METHODS RUNS` with comma-separated names; `call` runs the whole tool on a JSON
//! text instead of the kernel. Every row states the relative residual that was reached; iterations end at 1e-8 on both sides.

use numerics::NoWatch;
use numerics::sparse::{
    CsrMatrix, PreconditionerMethod, SparseEvidence, SparseMethod, SparseOptions,
    solve_sparse_system,
};
use tool_core::{CallBudget, Ctx, StopFlag, Tool, convert, json};

const PROBLEMS: &str = "poisson2d_300,poisson2d_1000,poisson3d_100,convection2d_200";
const METHODS: &str = "auto,cholesky,cg_amg,cg_ic0,cg_jacobi,cg_none,lu,gmres_ilu0,call";
const TOLERANCE: f64 = 1e-8;

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let part = |index: usize, default: &str| args.get(index).cloned().unwrap_or(default.to_owned());
    let (problems, methods) = (part(0, PROBLEMS), part(1, METHODS));
    let runs: usize = part(2, "3").parse().expect("a number of runs");
    for name in problems.split(',') {
        let a = problem(name);
        let b = vec![1.0; a.row_count()];
        for method in methods.split(',') {
            row(name, method, &a, &b, runs);
        }
    }
}

fn row(name: &str, method: &str, a: &CsrMatrix, b: &[f64], runs: usize) {
    let mut best: Option<(f64, String)> = None;
    for _ in 0..runs {
        let start = processor_ms();
        let outcome = if method == "call" {
            call(a, b)
        } else {
            run(method, a, b)
        };
        let elapsed = processor_ms() - start;
        if best.as_ref().is_none_or(|(least, _)| elapsed < *least) {
            best = Some((elapsed, outcome));
        }
    }
    if let Some((least, outcome)) = best {
        write(&format!(
            "{{\"op\":\"{name}\",\"method\":\"{method}\",\"n\":{},\"nonzeros\":{},\"runs\":{runs},\"min_ms\":{least:.1},{outcome}}}",
            a.row_count(),
            a.nonzeros()
        ));
    }
}

fn run(method: &str, a: &CsrMatrix, b: &[f64]) -> String {
    let iteration = |method, preconditioning| (Some(method), Some(preconditioning));
    let (method, preconditioning) = match method {
        "auto" => (None, None),
        "cholesky" => (Some(SparseMethod::Cholesky), None),
        "lu" => (Some(SparseMethod::Lu), None),
        "cg_none" => iteration(SparseMethod::ConjugateGradient, PreconditionerMethod::None),
        "cg_jacobi" => iteration(
            SparseMethod::ConjugateGradient,
            PreconditionerMethod::Jacobi,
        ),
        "cg_ic0" => iteration(
            SparseMethod::ConjugateGradient,
            PreconditionerMethod::IncompleteCholesky,
        ),
        "cg_amg" => iteration(
            SparseMethod::ConjugateGradient,
            PreconditionerMethod::Multigrid,
        ),
        "gmres_ilu0" => iteration(SparseMethod::Gmres, PreconditionerMethod::IncompleteLu),
        other => unreachable!("no method named {other}"),
    };
    let options = SparseOptions {
        method,
        preconditioning,
        tolerance: TOLERANCE,
        ..SparseOptions::default()
    };
    match solve_sparse_system(a, b, 1, &options, &NoWatch) {
        Ok(found) => {
            let (key, count) = match found.evidence {
                SparseEvidence::Direct { fill, .. } => ("fill", fill),
                SparseEvidence::Iterative { iterations, .. } => ("iterations", iterations),
            };
            format!(
                "\"used\":\"{:?}\",\"{key}\":{count},\"relative_residual\":{:.1e}",
                found.method, found.relative_residual
            )
        }
        Err(err) => format!("\"error\":\"{err}\""),
    }
}

/// The whole call: text, decoding, the tool, and its answer as text.
fn call(a: &CsrMatrix, b: &[f64]) -> String {
    use std::fmt::Write;
    let mut text = String::from("{\"indptr\":[");
    let mut list = |items: &mut dyn Iterator<Item = f64>, end: &str| {
        for (index, item) in items.enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(text, "{comma}{item}").expect("writing to a string");
        }
        text.push_str(end);
    };
    list(
        &mut a.starts().iter().map(|&start| start as f64),
        "],\"indices\":[",
    );
    list(
        &mut a.columns().iter().map(|&column| f64::from(column)),
        "],\"data\":[",
    );
    list(&mut a.values().iter().copied(), "],\"b\":[");
    list(&mut b.iter().copied(), "],\"tolerance\":1e-8}");
    let start = processor_ms();
    let ctx = Ctx::new(
        StopFlag::new(),
        CallBudget {
            timeout_ms: 600_000,
            ..CallBudget::default()
        },
    );
    let limits = json::JsonLimits {
        bytes_max: text.len(),
        ..json::JsonLimits::default()
    };
    let value = json::parse_json(&text, limits).expect("JSON");
    let args = convert::from_value(&value).expect("arguments");
    let output = math_tools::linalg::sparse_solve::Args::run(args, &ctx).expect("a solution");
    let answer = json::to_text(&convert::to_value(&output).expect("a value"));
    format!(
        "\"call_ms\":{:.1},\"request_bytes\":{},\"answer_bytes\":{}",
        processor_ms() - start,
        text.len(),
        answer.len()
    )
}

fn problem(name: &str) -> CsrMatrix {
    let (kind, size) = name.split_once('_').expect("KIND_SIZE");
    let m: usize = size.parse().expect("a size");
    match kind {
        "poisson2d" => grid(m, 2, 0.0),
        "poisson3d" => grid(m, 3, 0.0),
        "convection2d" => grid(m, 2, 0.5),
        other => unreachable!("no problem named {other}"),
    }
}

/// Second differences on a grid of `m` points each way, and first differences along the first axis times `wind`.
fn grid(m: usize, dimensions: u32, wind: f64) -> CsrMatrix {
    let n = m.pow(dimensions);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in 0..n {
        let mut add = |column: usize, value: f64| {
            columns.push(column as u32);
            values.push(value);
        };
        let strides: Vec<usize> = (0..dimensions).map(|axis| m.pow(axis)).collect();
        let wind_along = |axis: usize| if axis == 0 { wind } else { 0.0 };
        for (axis, stride) in strides.iter().enumerate().rev() {
            if row / stride % m > 0 {
                add(row - stride, -1.0 - wind_along(axis));
            }
        }
        add(row, 2.0 * f64::from(dimensions));
        for (axis, stride) in strides.iter().enumerate() {
            if row / stride % m + 1 < m {
                add(row + stride, -1.0 + wind_along(axis));
            }
        }
        starts.push(columns.len());
    }
    CsrMatrix::from_rows(n, starts, columns, values)
}

/// The processor time of this thread: other work on the machine counts less than on a wall clock.
fn processor_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}

fn write(line: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}").expect("standard output is open");
}
