//! Calls that take long, for tests of what a server does meanwhile.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// Longest wait of a small request beside any number of long calls.
const SMALL: Duration = Duration::from_millis(50);

/// Calls without an end, of each way to compute: chains and samples side by side, steps of one thread, a search, a query.
pub(crate) fn endless() -> Vec<(&'static str, Json)> {
    let wave = "sin(x0)*exp(-x1**2) + log(1+x2**2)";
    vec![
        (
            "mcmc",
            json!({"log_density": "-x0**2/2", "x0": [0], "n_samples": 1000, "chains": 6, "burnin": 100_000_000}),
        ),
        (
            "mcmc",
            json!({"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}),
        ),
        (
            "monte_carlo",
            json!({"expression": wave, "samples": 100_000_000}),
        ),
        (
            "monte_carlo_native",
            json!({"function": wave, "bounds": [[0, 1], [0, 1], [0, 1]], "n_samples": 1_000_000_000}),
        ),
        (
            "optimize_global",
            json!({"objective": "sin(x0*x1)+cos(x2)*x3**2", "bounds": [[-50, 50], [-50, 50], [-50, 50], [-50, 50]], "max_evals": 1_000_000_000}),
        ),
        (
            "solve_ode",
            json!({"system": ["1e3*y1", "-1e3*y0"], "y0": [1, 0], "t_span": [0, 1e6], "max_steps": 10_000_000, "rtol": 1e-10}),
        ),
        (
            "sql_query",
            json!({"query": "with recursive c(x) as (select 1 union all select x+1 from c where x < 1000000000) select count(*) from c"}),
        ),
        (
            "integrate_nd",
            json!({"f": "sin(x0*x1*x2)*exp(x3)", "bounds": [[0, 50], [0, 50], [0, 50], [0, 5]], "rtol": 1e-14, "max_evals": 1_000_000_000}),
        ),
    ]
}

/// Expects that the fastest of some requests is answered at once: other tests run at the same time.
#[track_caller]
pub(crate) fn expect_prompt(what: &str, mut request: impl FnMut()) {
    const TRIES: u32 = 20;
    let time = || {
        let begun = Instant::now();
        request();
        begun.elapsed()
    };
    let times = std::iter::repeat_with(time).take(TRIES as usize);
    let found = times.min().expect("some");
    assert!(found < SMALL, "{what}: {found:?}");
}
