//! Shared parts of the benchmarks: data of a known shape, and tools with almost no work.

pub mod tools;

use rand::RngExt as _;
use tool_core::rng::stream_rng;
use tool_core::{Matrix, Value};

/// `count` uniform numbers from -1 to 1, the same every time.
pub fn uniform(count: usize) -> Vec<f64> {
    let mut rng = stream_rng(42, 0);
    (0..count).map(|_| rng.random_range(-1.0..1.0)).collect()
}

/// A square matrix of [`uniform`] entries.
///
/// # Panics
/// When `n` is zero.
pub fn matrix(n: usize) -> Matrix {
    Matrix::new(n, n, uniform(n * n)).expect("the sizes fit")
}

/// An object of arguments from JSON text.
///
/// # Panics
/// When the text is not JSON.
pub fn arguments(text: &str) -> Value {
    tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).expect("JSON")
}
