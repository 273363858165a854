//! Times of the dense factorisations, for `benches/peers/dense.py`, which runs this program and its peer in turns.
//!
//! `cargo bench -p benches --bench dense -- THREADS` reads requests `OPERATION N SECONDS` line by line from standard input and
//! answers each with one JSON line: the time, of the processor for one thread and of the clock for more, and how many digits the
//! result carries.

use std::hint::black_box;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use numerics::dense::{self, Lu, SingularVectors, max_abs};
use numerics::dense::{columns_of, matrix_product, rows_of};

fn main() {
    let threads = std::env::args()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    CLOCK.store(threads > 1, Ordering::Relaxed);
    // Inside the pool, so that one thread does all the work and its processor time is the whole.
    pool.install(answer_lines);
}

fn answer_lines() {
    let mut matrices = Matrices::new(0);
    for line in std::io::stdin().lines() {
        let line = line.expect("standard input is text");
        let parts: Vec<&str> = line.split_whitespace().collect();
        let [operation, size, seconds] = parts[..] else {
            panic!("expected `OPERATION N SECONDS`, found `{line}`");
        };
        let (n, seconds) = (
            size.parse().expect("a size"),
            seconds.parse().expect("seconds"),
        );
        if matrices.n != n {
            matrices = Matrices::new(n);
        }
        let (times, evidence) = matrices.row(operation, seconds);
        let (median, least) = (times[times.len() / 2], times[0]);
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{{\"median_us\":{median:.4},\"min_us\":{least:.4},{evidence}}}"
        )
        .and_then(|()| out.flush())
        .expect("standard output is open");
    }
}

/// The matrices of one size; the peer makes the same.
struct Matrices {
    n: usize,
    general: Vec<f64>,
    symmetric: Vec<f64>,
    definite: Vec<f64>,
    rhs: Vec<f64>,
}

/// Random numbers in (-1, 1) by xorshift64, the same in every run and at the peer.
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

/// Times in ascending order, and evidence as members of a JSON object.
type Row = (Vec<f64>, String);

impl Matrices {
    fn new(n: usize) -> Self {
        let general = random(n * n);
        let mut symmetric = general.clone();
        let mut definite = general.clone();
        for i in 0..n {
            for j in 0..n {
                symmetric[i * n + j] = 0.5 * (general[i * n + j] + general[j * n + i]);
                definite[i * n + j] = symmetric[i * n + j] + if i == j { n as f64 } else { 0.0 };
            }
        }
        Self {
            n,
            general,
            symmetric,
            definite,
            rhs: random(n),
        }
    }

    fn row(&self, operation: &str, seconds: f64) -> Row {
        let n = self.n;
        let a = columns_of(&self.general, n, n);
        let symmetric = columns_of(&self.symmetric, n, n);
        let definite = columns_of(&self.definite, n, n);
        match operation {
            "gemm" => {
                let (times, c) = timed(seconds, || matrix_product(a.as_ref(), symmetric.as_ref()));
                let (sum, scale) = (
                    self.times(&self.symmetric, &self.rhs),
                    norm(&self.symmetric),
                );
                let back = self.times(&self.general, &sum);
                let found = self.times(&rows_of(c.as_ref()), &self.rhs);
                digits(
                    times,
                    &found,
                    &back,
                    norm(&self.general) * scale * norm(&self.rhs),
                )
            }
            "lu" => {
                let (times, lu) = timed(seconds, || Lu::new(a.clone()));
                let packed = rows_of(lu.packed.as_ref());
                let found = triangles(&packed, &self.rhs);
                let whole = self.times(&self.general, &self.rhs);
                let expected: Vec<f64> = lu.order.iter().map(|&row| whole[row]).collect();
                digits(
                    times,
                    &found,
                    &expected,
                    norm(&self.general) * norm(&self.rhs),
                )
            }
            "solve" => {
                let (times, x) = timed(seconds, || {
                    let mut x = self.rhs.clone();
                    Lu::new(a.clone()).solve_vector(&mut x);
                    x
                });
                let found = self.times(&self.general, &x);
                digits(times, &found, &self.rhs, norm(&self.general) * norm(&x))
            }
            "chol" => {
                let (times, l) = timed(seconds, || {
                    dense::cholesky::Cholesky::new(definite.clone())
                        .expect("it is positive definite")
                        .packed
                });
                let lower =
                    |row: usize, column: usize| if row < column { 0.0 } else { l[(row, column)] };
                let half: Vec<f64> = (0..n)
                    .map(|row| (row..n).map(|k| lower(k, row) * self.rhs[k]).sum())
                    .collect();
                let found: Vec<f64> = (0..n)
                    .map(|row| (0..=row).map(|k| lower(row, k) * half[k]).sum())
                    .collect();
                let expected = self.times(&self.definite, &self.rhs);
                digits(
                    times,
                    &found,
                    &expected,
                    norm(&self.definite) * norm(&self.rhs),
                )
            }
            "qr" => {
                let (times, _) = timed(seconds, || dense::qr_factors(a.clone()));
                let (q, r) = dense::thin_qr(a.clone());
                let half = self.times(&rows_of(r.as_ref()), &self.rhs);
                let found = self.times(&rows_of(q.as_ref()), &half);
                let expected = self.times(&self.general, &self.rhs);
                digits(
                    times,
                    &found,
                    &expected,
                    norm(&self.general) * norm(&self.rhs),
                )
            }
            "eigvalsh" => {
                let (times, found) = timed(seconds, || {
                    dense::symmetric_eigen(symmetric.as_ref(), false).expect("it converges")
                });
                values(times, &found.0)
            }
            "eigh" => {
                let (times, found) = timed(seconds, || {
                    dense::symmetric_eigen(symmetric.as_ref(), true).expect("it converges")
                });
                values(times, &found.0)
            }
            "eigvals" | "eig" => {
                let vectors = operation == "eig";
                let (times, found) = timed(seconds, || {
                    dense::general_eigen(a.as_ref(), vectors).expect("it converges")
                });
                let mut sizes: Vec<f64> = (0..n)
                    .map(|index| found.real[index].hypot(found.imaginary[index]))
                    .collect();
                sizes.sort_by(f64::total_cmp);
                values(times, &sizes)
            }
            "svdvals" | "svd" => {
                let vectors = if operation == "svd" {
                    SingularVectors::Thin
                } else {
                    SingularVectors::None
                };
                let (times, found) = timed(seconds, || {
                    dense::singular_decomposition(a.as_ref(), vectors).expect("it converges")
                });
                let mut sizes = found.0;
                sizes.sort_by(f64::total_cmp);
                values(times, &sizes)
            }
            other => panic!("no operation named `{other}`"),
        }
    }

    /// A row-major matrix times a vector.
    fn times(&self, matrix: &[f64], x: &[f64]) -> Vec<f64> {
        let rows = matrix.chunks_exact(self.n);
        rows.map(|row| dense::dot(row, x)).collect()
    }
}

/// `L U x` from the packed factors.
fn triangles(packed: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let upper: Vec<f64> = (0..n)
        .map(|row| dense::dot(&packed[row * n + row..][..n - row], &x[row..]))
        .collect();
    (0..n)
        .map(|row| upper[row] + dense::dot(&packed[row * n..][..row], &upper[..row]))
        .collect()
}

fn norm(data: &[f64]) -> f64 {
    dense::euclidean_norm(data)
}

/// Digits of the backward error: `-log10(max|found - expected| / scale)`.
fn digits(times: Vec<f64>, found: &[f64], expected: &[f64], scale: f64) -> Row {
    let differences: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    let digits = -(max_abs(&differences) / scale).max(1e-17).log10();
    (times, format!("\"digits\":{digits:.2}"))
}

/// The values in ascending order: how many digits two sides agree on is found where both are known.
fn values(times: Vec<f64>, values: &[f64]) -> Row {
    let list: Vec<String> = values.iter().map(f64::to_string).collect();
    (times, format!("\"values\":[{}]", list.join(",")))
}

/// A batch takes about this long, so that reading the clock does not count.
const BATCH_US: f64 = 200.0;

/// Whether the clock on the wall is read.
static CLOCK: AtomicBool = AtomicBool::new(false);

/// The processor time of this thread, which other work on the machine disturbs less, or the time on the clock.
fn now_us() -> f64 {
    let clock = if CLOCK.load(Ordering::Relaxed) {
        rustix::time::ClockId::Monotonic
    } else {
        rustix::time::ClockId::ThreadCPUTime
    };
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 * 1e-3
}

/// Runs for the given time, at least three times unless one takes a second: the times in ascending order in microseconds, and the last result.
fn timed<T>(seconds: f64, mut run: impl FnMut() -> T) -> (Vec<f64>, T) {
    let first = Instant::now();
    let mut result = black_box(run());
    let seconds_each = first.elapsed().as_secs_f64();
    let batch = (BATCH_US / (seconds_each * 1e6)).ceil().max(1.0) as usize;
    let runs_least = if seconds_each > 1.0 { 1 } else { 3 };
    let mut times = Vec::new();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while times.len() < runs_least || Instant::now() < end {
        let start = now_us();
        for _ in 0..batch {
            result = black_box(run());
        }
        times.push((now_us() - start) / batch as f64);
    }
    times.sort_by(f64::total_cmp);
    (times, result)
}
