//! Times of the dense factorisations, one JSON line per row, for `benches/peers/dense.py`.
//!
//! `cargo bench -p benches --bench dense -- OPS SIZES SECONDS` with comma-separated operations and sizes. Not criterion: the
//! rows are compared with another process that runs in turns, so each row is the median and minimum of a short run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use kernels::dense::{self, Lu, SingularVectors};

const OPERATIONS: &[&str] = &[
    "gemm", "lu", "solve", "chol", "qr", "eigvalsh", "eigh", "eigvals", "eig", "svdvals", "svd",
];

fn main() {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let part = |index: usize, default: &str| args.get(index).cloned().unwrap_or(default.to_owned());
    let (operations, sizes) = (part(0, &OPERATIONS.join(",")), part(1, "10,50,100,200,500"));
    let seconds: f64 = part(2, "0.3").parse().expect("seconds");
    for size in sizes.split(',') {
        let n: usize = size.parse().expect("a size");
        for operation in operations.split(',') {
            let (runs, median, least) = row(operation, n, seconds);
            write(&format!(
                "{{\"op\":\"{operation}\",\"n\":{n},\"runs\":{runs},\"median_us\":{median:.4},\"min_us\":{least:.4}}}"
            ));
        }
    }
}

fn write(line: &str) {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}").expect("standard output is open");
}

/// Random numbers in (-1, 1), the same in every run.
fn random(count: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

fn row(operation: &str, n: usize, seconds: f64) -> (usize, f64, f64) {
    let data = random(n * n);
    let a = dense::columns_of(&data, n, n);
    let mut mean = data.clone();
    let mut positive = data.clone();
    for i in 0..n {
        for j in 0..n {
            mean[i * n + j] = 0.5 * (data[i * n + j] + data[j * n + i]);
            positive[i * n + j] = mean[i * n + j] + if i == j { n as f64 } else { 0.0 };
        }
    }
    let symmetric = dense::columns_of(&mean, n, n);
    let definite = dense::columns_of(&positive, n, n);
    let rhs = random(n);
    match operation {
        "gemm" => timed(seconds, || dense::product(a.as_ref(), symmetric.as_ref())),
        "lu" => timed(seconds, || Lu::new(a.clone())),
        "solve" => timed(seconds, || {
            let mut x = rhs.clone();
            Lu::new(a.clone()).solve_vector(&mut x);
            x
        }),
        "chol" => timed(seconds, || dense::cholesky(definite.clone())),
        "qr" => timed(seconds, || dense::qr_factors(a.clone())),
        "eigvalsh" => timed(seconds, || {
            dense::symmetric_eigen(symmetric.as_ref(), false)
        }),
        "eigh" => timed(seconds, || dense::symmetric_eigen(symmetric.as_ref(), true)),
        "eigvals" => timed(seconds, || dense::general_eigen(a.as_ref(), false)),
        "eig" => timed(seconds, || dense::general_eigen(a.as_ref(), true)),
        "svdvals" => timed(seconds, || {
            dense::singular(a.as_ref(), SingularVectors::None)
        }),
        "svd" => timed(seconds, || {
            dense::singular(a.as_ref(), SingularVectors::Thin)
        }),
        other => unreachable!("no operation named {other}"),
    }
}

/// A batch takes about this long, so that reading the clock does not count.
const BATCH_US: f64 = 200.0;

/// The processor time of this thread: other work on the machine counts less than on a wall clock.
fn processor_us() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 * 1e-3
}

/// Runs for the given time, at least three times: (runs, median, least) in microseconds.
fn timed<T>(seconds: f64, mut run: impl FnMut() -> T) -> (usize, f64, f64) {
    let first = Instant::now();
    black_box(run());
    let batch = (BATCH_US / (first.elapsed().as_secs_f64() * 1e6))
        .ceil()
        .max(1.0) as usize;
    let mut times = Vec::new();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while times.len() < 3 || Instant::now() < end {
        let start = processor_us();
        for _ in 0..batch {
            black_box(run());
        }
        times.push((processor_us() - start) / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    (times.len(), times[times.len() / 2], times[0])
}
