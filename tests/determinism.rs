//! A chain gives the same bytes for any number of threads, in any mode, with and without barriers.

use std::path::Path;

use chain_runtime::{Mode, Plan};
use mathchain::{CallContext, Config, Toolkit};
use rand::RngExt as _;
use tool_core::rng::stream_rng;
use tool_core::{Object, Value, json};

/// Sizes at which a factorisation whose order of operations follows the live threads gives itself away.
const SIZES: [usize; 4] = [100, 300, 500, 600];

#[expect(
    clippy::disallowed_methods,
    reason = "the test makes the files of its workspace"
)]
fn write(folder: &Path, name: &str, value: &Value) {
    std::fs::write(folder.join(name), json::to_text(value)).expect("writes");
}

fn matrix(rows: usize, columns: usize, stream: u64) -> Value {
    let mut rng = stream_rng(7, stream);
    let row = |_| Value::vector((0..columns).map(|_| rng.random_range(-1.0..1.0)).collect());
    Value::array((0..rows).map(row).collect())
}

fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for n in SIZES {
        write(
            folder.path(),
            &format!("a{n}.json"),
            &matrix(n, n, n as u64),
        );
        write(
            folder.path(),
            &format!("x{n}.json"),
            &matrix(n, 5, n as u64 + 1),
        );
        let column = matrix(1, n, n as u64 + 2).at(0).expect("a row");
        write(folder.path(), &format!("b{n}.json"), &column);
    }
    folder
}

fn plan() -> String {
    let mut steps = Vec::new();
    for n in SIZES {
        steps.push(format!("  - {{id: solve{n}, tool: matrix_solve, args: {{A: {{$file: a{n}.json}}, b: {{$file: b{n}.json}}}}}}"));
        steps.push(format!(
            "  - {{id: eigen{n}, tool: matrix_eigenvalues, args: {{A: {{$file: a{n}.json}}}}}}"
        ));
        steps.push(format!(
            "  - {{id: svd{n}, tool: matrix_svd, args: {{A: {{$file: a{n}.json}}}}}}"
        ));
        steps.push(format!("  - {{id: fit{n}, tool: linear_regression, args: {{x: {{$file: x{n}.json}}, y: {{$ref: solve{n}.x}}}}}}"));
    }
    steps.push("  - {id: integral, tool: monte_carlo_native, args: {function: \"sin(x0)*x1\", bounds: [[0, 1], [0, 1]], n_samples: 100000}}".to_owned());
    steps.push("  - {id: chains, tool: mcmc, args: {log_density: \"-0.5*x0**2\", x0: [0], n_samples: 500}}".to_owned());
    format!(
        "version: 1\nid: same_bytes\nseed: 11\nsteps:\n{}\noutputs: {{slope: {{$ref: fit600.coefficients}}, s: {{$ref: svd600.singular_values}}}}\n",
        steps.join("\n")
    )
}

#[test]
fn a_chain_gives_the_same_bytes_for_any_threads_mode_and_barrier() {
    let folder = workspace();
    let toolkit = Toolkit::builder()
        .workspace(folder.path())
        .build()
        .expect("builds");
    let text = plan();
    let run = |threads: usize, mode: Mode, barrier: bool| {
        let mut plan = Plan::parse(&text).expect("a plan").with_mode(mode);
        plan.barrier = barrier;
        let options = chain_runtime::RunOptions {
            threads,
            ..Default::default()
        };
        let result = toolkit
            .run_plan(&CallContext::default(), &plan, &Object::new(), options)
            .expect("sound");
        assert!(result.is_success(), "{}", result.to_value());
        json::to_text(&result.deterministic())
    };
    let first = run(1, Mode::Dep, false);
    assert!(
        first.len() > 1000,
        "the document holds the results: {first}"
    );
    for (threads, mode, barrier) in [
        (2, Mode::Dep, false),
        (8, Mode::Dep, false),
        (32, Mode::Dep, false),
        (8, Mode::Dep, true),
        (1, Mode::Seq, false),
        (8, Mode::Seq, true),
    ] {
        assert!(
            run(threads, mode, barrier) == first,
            "{threads} threads, {mode:?}, barrier {barrier}: other bytes"
        );
    }
}

/// Kernels inside a pool of any size give the same bits.
#[test]
fn a_call_gives_the_same_bytes_inside_any_pool() {
    let folder = workspace();
    // Without a state folder, arrays beyond the usual limit have no other place than the answer.
    let config = "version = 1\n[limits]\nmax_output_bytes = 16777216\n";
    let toolkit = Toolkit::builder()
        .workspace(folder.path())
        .config(Config::parse("mathchain.toml", config).expect("a configuration"))
        .build()
        .expect("builds");
    let calls = [
        (
            "matrix_solve",
            r#"{"A":{"$file":"a600.json"},"b":{"$file":"b600.json"}}"#,
        ),
        ("matrix_svd", r#"{"A":{"$file":"a300.json"}}"#),
        (
            "matrix_eigenvalues",
            r#"{"A":{"$file":"a300.json"},"vectors":true}"#,
        ),
        (
            "monte_carlo_native",
            r#"{"function":"exp(-x0**2)","bounds":[[-3,3]],"n_samples":300000}"#,
        ),
        (
            "mcmc",
            r#"{"log_density":"-0.5*x0**2","x0":[0],"n_samples":500}"#,
        ),
        ("statistics", r#"{"data":{"$file":"b600.json"}}"#),
    ];
    for (tool, args) in calls {
        let args = mathchain::parse_json(args).expect("JSON");
        let answer = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("a pool");
            let outcome = pool.install(|| toolkit.call(tool, &args));
            json::to_text(
                outcome
                    .output()
                    .unwrap_or_else(|| panic!("{tool}: {}", outcome.to_value())),
            )
        };
        let first = answer(1);
        for threads in [2, 8] {
            assert!(
                answer(threads) == first,
                "{tool} with {threads} threads: other bytes"
            );
        }
    }
}
