//! Times of objectives over columns of data with their gradients, and of differential equations with right-hand sides in Rust, for
//! `benches/peers/models.py`, which runs this program and its peers in turns.
//!
//! `cargo bench -p benches --bench models -- THREADS` reads requests `MODEL SECONDS` line by line from standard input and answers each
//! with one JSON line: the time of the value and the gradient, of the processor for one thread and of the clock for more, and what they are.
//! Lines that are JSON are those of `equations.rs`.

mod equations;

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use math_tools::expression::{Expression, ExpressionScope, ExpressionSystem};
use tool_core::json::{self, JsonLimits};
use tool_core::{LoadInput as _, Table};

/// Rows of every column.
const ROWS: usize = 100_000;

/// A name, its objective, and the unknowns with their values.
type Model = (&'static str, &'static str, &'static [(&'static str, f64)]);

/// Name, objective, and where its gradient is taken. The columns x0 to x4 and y are those of [`columns`].
const MODELS: &[Model] = &[
    (
        "least_squares",
        "sum((a*exp(-b*x0) + c + d*sin(w*x0) - y)**2)",
        &[("a", 3.0), ("b", 0.7), ("c", 1.0), ("d", 0.5), ("w", 2.3)],
    ),
    (
        "normal",
        "sum(normal_lpdf(y, a + b*x0 + c*x1 + d*x2, exp(s)))",
        &[("a", 1.0), ("b", 0.7), ("c", -0.4), ("d", 0.2), ("s", 0.1)],
    ),
    (
        "mixture",
        "sum(logsumexp(log(p) + normal_lpdf(y, m, exp(s)), log1p(-p) + normal_lpdf(y, n, exp(u))))",
        &[("m", -0.5), ("n", 1.0), ("p", 0.3), ("s", -0.5), ("u", 0.2)],
    ),
    (
        "choice",
        "eta = a*x0 + b*x1 + c*x2 + d*x3 + e*x4; dot(y, eta) - sum(y)*logsumexp(eta)",
        &[("a", 0.3), ("b", 0.7), ("c", -0.4), ("d", 0.2), ("e", 1.1)],
    ),
];

fn main() {
    let threads = std::env::args()
        .find_map(|arg| arg.parse().ok())
        .unwrap_or(1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads");
    // Inside the pool, so that one thread does all the work and its processor time is the whole.
    pool.install(|| answer_lines(threads > 1));
}

fn answer_lines(by_clock: bool) {
    let table = columns();
    for line in std::io::stdin().lines() {
        let line = line.expect("standard input is text");
        if line.starts_with('{') {
            let request = serde_json::from_str(&line).expect("JSON");
            answer_with(&equations::answer(&request));
            continue;
        }
        let (name, seconds) = line.split_once(' ').expect("`MODEL SECONDS`");
        let (_, text, point) = MODELS
            .iter()
            .find(|(model, ..)| *model == name)
            .expect("a model");
        let scope = point
            .iter()
            .fold(ExpressionScope::new(), |scope, (name, _)| {
                scope.variable(name)
            })
            .with_data(&table)
            .expect("columns of numbers");
        let expression = Expression::parse(text, &scope).expect("an objective");
        let slots: Vec<usize> = (0..point.len()).collect();
        let system = ExpressionSystem::value_and_gradient(&expression, &slots).expect("a gradient");
        let mut evaluator = system.evaluator();
        let values: Vec<f64> = point.iter().map(|(_, value)| *value).collect();
        let mut found = vec![0.0; 1 + values.len()];
        let seconds = seconds.parse().expect("seconds");
        let times = timed(seconds, by_clock, || {
            evaluator.point(black_box(&values), &mut found)
        });
        let (median, least) = (times[times.len() / 2], times[0]);
        answer_with(&format!(
            "{{\"median_us\":{median:.3},\"min_us\":{least:.3},\"values\":{found:?}}}"
        ));
    }
}

fn answer_with(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .expect("standard output is open");
}

/// Columns of random numbers in (-1, 1) by xorshift64, the same in every run and at the peer; x0 is moved to (0, 2), and y to be a signal in noise.
fn columns() -> Table {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut columns: Vec<(&str, Vec<f64>)> = ["x0", "x1", "x2", "x3", "x4", "y"]
        .into_iter()
        .map(|name| (name, (0..ROWS).map(|_| next()).collect()))
        .collect();
    for x in &mut columns[0].1 {
        *x += 1.0;
    }
    let signal: Vec<f64> = columns[0].1.iter().map(|x| 1.0 + 0.5 * x).collect();
    for (y, signal) in columns[5].1.iter_mut().zip(signal) {
        *y = signal + 0.5 * *y;
    }
    let mut text = String::from("{");
    for (name, column) in &columns {
        let comma = if *name == "x0" { "" } else { "," };
        write!(text, "{comma}\"{name}\":{column:?}").expect("a string grows");
    }
    text.push('}');
    let value = json::parse_json(&text, JsonLimits::default()).expect("JSON");
    Table::from_value(&value).expect("columns of equal length")
}

/// The processor time of this thread, which other work on the machine disturbs less, or the time on the clock.
fn now_us(by_clock: bool) -> f64 {
    let clock = if by_clock {
        rustix::time::ClockId::Monotonic
    } else {
        rustix::time::ClockId::ThreadCPUTime
    };
    let time = rustix::time::clock_gettime(clock);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 * 1e-3
}

/// Runs for the given time: the times in ascending order in microseconds.
fn timed(seconds: f64, by_clock: bool, mut run: impl FnMut()) -> Vec<f64> {
    run();
    let mut times = Vec::new();
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while times.len() < 3 || Instant::now() < end {
        let start = now_us(by_clock);
        run();
        times.push(now_us(by_clock) - start);
    }
    times.sort_by(f64::total_cmp);
    times
}
