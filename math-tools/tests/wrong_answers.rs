//! Requests that an earlier program of this kind answered wrongly, or not at all: cases W1 to W42, at the door of the binary.
//!
//! The families test their cases more closely; here each is asked as a caller asks it. Cases of commands that come with later
//! releases (W37 to W39) are held by [`commands_of_later_releases`].

use std::f64::consts::PI;

use math_tools::protocol::answer_request;
use tool_core::{Value, json};

fn ask(request: &str) -> Value {
    let (line, _) = answer_request(request.as_bytes());
    json::parse_json(&line, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{request}: {err}"))
}

fn number(found: &Value, pointer: &str) -> f64 {
    let value = found.pointer(pointer).and_then(|value| value.as_f64());
    value.unwrap_or_else(|| panic!("no number at {pointer}: {}", head(found)))
}

fn head(found: &Value) -> String {
    found.to_string().chars().take(600).collect()
}

/// The numbers at a pointer of a successful answer are near to what they should be.
fn near(request: &str, pointer: &str, expected: &[f64], tolerance: f64) -> Value {
    let found = ask(request);
    let value = found.pointer(pointer).unwrap_or_default();
    let numbers = match value.as_f64() {
        Some(one) => vec![one],
        None => value
            .as_numbers()
            .map(|block| block.as_slice().to_vec())
            .unwrap_or_default(),
    };
    let close = numbers
        .iter()
        .zip(expected)
        .all(|(a, b)| (a - b).abs() <= tolerance);
    let right = numbers.len() == expected.len() && close;
    assert!(
        right,
        "{request}: {pointer} is {value}, expected {expected:?}: {}",
        head(&found)
    );
    found
}

/// The request is refused with a code, and message or hint hold a word.
fn refused(request: &str, code: &str, word: &str) {
    let found = ask(request);
    let text = |name: &str| {
        found
            .pointer(&format!("/error/{name}"))
            .unwrap_or_default()
            .to_string()
    };
    assert_eq!(
        text("code"),
        format!("\"{code}\""),
        "{request}: {}",
        head(&found)
    );
    let words = text("message") + &text("hint");
    assert!(words.contains(word), "{request}: {}", head(&found));
}

/// The last state of an integration.
fn last_state(request: &str) -> (Value, f64) {
    let found = ask(request);
    let states = found
        .pointer("/result/y")
        .and_then(|y| y.items())
        .unwrap_or_default();
    let last = states
        .last()
        .and_then(|state| state.at(0))
        .and_then(|value| value.as_f64());
    let last = last.unwrap_or_else(|| panic!("{request}: {}", head(&found)));
    (found, last)
}

#[test]
fn formulas_keep_their_meaning() {
    for (latex, linear) in [
        (r"\\frac{a+b}{c+d}", "(a + b)/(c + d)"),
        (r"\\infty \\in A", "∞ ∈ A"),
        (r"\\frac{\\frac{a}{b}}{\\sqrt{x^{2}+1}}", "(a/b)/√(x² + 1)"),
        (
            r"\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
            "(a, b; c, d)",
        ),
    ] {
        let found = ask(&format!(r#"{{"command":"render_math","latex":"{latex}"}}"#));
        let found = found.pointer("/result/linear").unwrap_or_default();
        assert_eq!(found.as_str(), Some(linear), "{latex}");
    }
}

#[test]
fn integrals_hold() {
    for (function, a, b, expected) in [
        ("-x**2", 0, 1, -1.0 / 3.0),
        ("1/sqrt(x)", 0, 1, 2.0),
        ("exp(-1e6*(x-0.3)**2)", -10, 10, 1.772_453_850_905_516e-3),
        ("sin(2*pi*x)**2", 0, 4, 2.0),
    ] {
        let request = format!(
            r#"{{"command":"integrate","function":"{function}","a":{a},"b":{b},"tol":1e-10,"max_depth":50}}"#
        );
        let found = near(&request, "/result", &[expected], 1e-12);
        assert!(number(&found, "/stats/evaluations") > 20.0);
        assert!(number(&found, "/stats/error") < 1e-10);
    }
}

#[test]
fn documented_examples_of_bayesian_optimisation() {
    let one = r#"{"command":"bayesopt","bounds":[[0,5]],"objective":"-(x0-2)**2","n_iter":20}"#;
    let found = near(one, "/result/x_best", &[2.0], 1e-2);
    assert!(number(&found, "/result/y_best").abs() < 1e-3);
    let two =
        r#"{"command":"bayesopt","bounds":[[0,5],[0,5]],"objective":"-(x0-2)**2 - (x1-3)**2"}"#;
    near(two, "/result/x_best", &[2.0, 3.0], 5e-2);
}

#[test]
fn bayesian_optimisation_in_a_wide_box() {
    let wide =
        r#"{"command":"bayesopt","bounds":[[0,500]],"objective":"-(x0-200)**2","n_iter":25}"#;
    near(wide, "/result/x_best", &[200.0], 1e-2);
}

#[test]
fn an_unknown_acquisition() {
    let request = r#"{"command":"bayesopt","bounds":[[0,1]],"objective":"x","acquisition":"foo"}"#;
    refused(request, "invalid_args", "`ei`");
}

#[test]
fn powers_in_a_density() {
    for density in ["-x0**2/2", "-0.5*x0^2", "(-0.5*(x0 ** 2))", "-0.5*x0 ** 2"] {
        let request = format!(
            r#"{{"command":"mcmc","log_density":"{density}","x0":[0],"return_samples":false}}"#
        );
        let found = near(&request, "/result/mean", &[0.0], 0.1);
        assert!(
            (number(&found, "/result/std_dev/0") - 1.0).abs() < 0.1,
            "{density}"
        );
    }
}

#[test]
fn text_behind_an_expression() {
    let request = r#"{"command":"mcmc","log_density":"-0.5*x0**2 garbage","x0":[0]}"#;
    refused(request, "invalid_args", "column 12");
}

#[test]
fn a_narrow_target() {
    let request =
        r#"{"command":"mcmc","log_density":"-0.5*(x0/0.001)**2","x0":[0],"return_samples":false}"#;
    let found = near(request, "/result/std_dev", &[0.001], 1e-4);
    assert!(number(&found, "/result/acceptance_rate") > 0.1);
}

#[test]
fn seeds_have_sixty_four_bits() {
    let with = |seed: &str| {
        let request = format!(
            r#"{{"command":"mcmc","log_density":"-x0**2/2","x0":[0],"n_samples":100,"seed":{seed},"return_samples":false}}"#
        );
        number(&ask(&request), "/result/mean/0")
    };
    let seeds = [
        "1",
        "4294967297",
        "\"9223372036854775809\"",
        "-1",
        "\"18446744073709551615\"",
    ];
    let means = seeds.map(with);
    assert_ne!(means[0], means[1], "bits above 31 count");
    assert_ne!(means[0], means[2], "the highest bit counts");
    assert_eq!(means[3], means[4], "-1 is 2^64 - 1");
}

#[test]
fn right_hand_sides_are_expressions() {
    // y' = -y/2 + sin t: y = 4/5 (sin(t)/2 - cos t) + 9/5 exp(-t/2) for y(0) = 1.
    let forced = 0.8 * (0.5 * 5_f64.sin() - 5_f64.cos()) + 1.8 * (-2.5_f64).exp();
    for (system, y0, expected) in [
        ("-0.5*y + sin(t)", 1.0, forced),
        ("sin(t)", 1.0, 1.0 - 5_f64.cos() + 1.0),
        ("y*(1-y)", 0.1, 1.0 / (1.0 + 9.0 * (-5_f64).exp())),
    ] {
        let request =
            format!(r#"{{"command":"solve_ode","y0":[{y0}],"t_span":[0,5],"system":"{system}"}}"#);
        let (_, found) = last_state(&request);
        assert!(
            (found - expected).abs() < 1e-4,
            "{system}: {found}, expected {expected}"
        );
    }
}

#[test]
fn integration_backwards() {
    let request = r#"{"command":"solve_ode","y0":[1],"t_span":[5,0],"system":"-y"}"#;
    let (_, found) = last_state(request);
    assert!((found - 5_f64.exp()).abs() < 1e-2, "{found}");
}

#[test]
fn an_integration_that_stops_early_says_so() {
    let few = r#"{"command":"solve_ode","y0":[1],"t_span":[0,100],"system":"-y","max_steps":5}"#;
    let stiff = r#"{"command":"solve_ode","y0":[1,1],"t_span":[0,100],"coefficients":{"A":[[-10000,0],[0,-1]]}}"#;
    for request in [few, stiff] {
        let (found, last) = last_state(request);
        let completed = found
            .pointer("/result/completed")
            .and_then(|value| value.as_bool());
        let at_end = number(&found, "/result/t_end") == 100.0;
        assert_eq!(completed, Some(at_end), "{request}: {}", head(&found));
        assert!(!at_end || last.abs() < 1e-6, "{request}: {last}");
    }
}

#[test]
fn descent_reaches_the_minimum() {
    let ten = ["-1.2"; 10].join(",");
    for request in [
        r#"{"command":"optimize","x0":[-1.2,1],"rosenbrock":true,"method":"gd"}"#.to_owned(),
        r#"{"command":"optimize","x0":[1,1],"quadratic":{"A":[[1000,0],[0,1]],"b":[0,0],"c":0},"method":"gradient_descent"}"#.to_owned(),
        format!(r#"{{"command":"optimize","x0":[{ten}],"objective":"rosenbrock"}}"#),
    ] {
        let found = ask(&request);
        assert!(number(&found, "/result/f").abs() < 1e-6, "{request}: {}", head(&found));
    }
}

#[test]
fn a_flat_start_is_not_convergence() {
    let request = r#"{"command":"optimize","x0":[1e-6,1e-6],"sphere":true,"method":"simplex"}"#;
    let found = ask(request);
    assert!(
        number(&found, "/result/iterations") > 0.0,
        "{}",
        head(&found)
    );
    assert!(number(&found, "/result/f") < 1e-12, "{}", head(&found));
}

#[test]
fn an_unbounded_objective() {
    let request = r#"{"command":"optimize","x0":[1,1],"sphere":true,"mode":"maximize"}"#;
    refused(request, "numeric", "bound");
}

#[test]
fn the_seed_zero() {
    let pi = r#"{"command":"monte_carlo","operation":"pi","n_samples":1000000,"seed":0}"#;
    near(pi, "/result/pi_estimate", &[PI], 0.01);
    let normal = r#"{"command":"monte_carlo","operation":"normal_stats","seed":0}"#;
    let found = near(normal, "/result/sample_mean", &[0.0], 0.05);
    assert!((number(&found, "/result/sample_std") - 1.0).abs() < 0.05);
}

#[test]
fn threads_do_not_change_a_result() {
    let request = r#"{"command":"monte_carlo","operation":"pi","n_samples":300000}"#;
    let estimate = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("a pool");
        let params =
            json::parse_json(r#"{"n_samples":300000}"#, json::JsonLimits::default()).expect("JSON");
        let ctx = tool_core::Ctx::default();
        let run = || math_tools::sampling::legacy::run_operation("pi", &params, &ctx);
        number(&pool.install(run).expect("an estimate"), "/pi_estimate")
    };
    let found = number(&ask(request), "/result/pi_estimate");
    assert_eq!([estimate(1), estimate(2), estimate(5)], [found; 3]);
}

#[test]
fn an_integrand_is_an_expression_or_refused() {
    let of = |function: &str| {
        format!(
            r#"{{"command":"monte_carlo","operation":"integrate","bounds":[[-1,1]],"function":"{function}","n_samples":200000}}"#
        )
    };
    near(&of("x^2"), "/result/integral", &[2.0 / 3.0], 0.01);
    refused(&of("spere"), "invalid_args", "sphere");
}

#[test]
fn bootstrap_and_sizes_are_checked() {
    let max =
        r#"{"command":"monte_carlo","operation":"bootstrap","data":[1,2,3],"statistic":"max"}"#;
    refused(max, "invalid_args", "median");
    let empty = r#"{"command":"monte_carlo","operation":"bootstrap","data":[]}"#;
    refused(empty, "invalid_args", "observations");
    refused(
        r#"{"command":"monte_carlo","operation":"pi","n_samples":0}"#,
        "invalid_args",
        "2",
    );
}

#[test]
fn shapes_of_matrices() {
    let operation = |name: &str, rest: &str| {
        format!(r#"{{"command":"matrix_op","operation":"{name}",{rest}}}"#)
    };
    refused(
        &operation("det", r#""A":[[1,2],[3]]"#),
        "invalid_args",
        "row 1",
    );
    refused(
        &operation("solve", r#""A":[[1,2],[3,4]],"b":[1,2,3]"#),
        "invalid_args",
        "b",
    );
    let rectangular = ask(&operation("lu", r#""A":[[1,2,3],[4,5,6]]"#));
    assert!(
        rectangular.pointer("/result/L").is_some(),
        "{}",
        head(&rectangular)
    );
}

#[test]
fn sizes_of_nothing() {
    for (request, word) in [
        (r#"{"command":"matrix_op","operation":"det","A":[]}"#, "row"),
        (r#"{"command":"plot","x":[],"y":[]}"#, "at least one point"),
        (
            r#"{"command":"mcmc","log_density":"-x0**2","x0":[0],"n_samples":0}"#,
            "1",
        ),
        (
            r#"{"command":"mcmc","log_density":"-x0**2","x0":[0],"thin":0}"#,
            "1",
        ),
        (
            r#"{"command":"bayesopt","bounds":[[0,1]],"objective":"x","n_init":0}"#,
            "1",
        ),
    ] {
        refused(request, "invalid_args", word);
    }
}

#[test]
fn a_singular_system() {
    let request = r#"{"command":"matrix_op","A":[[1,2],[2,4]],"b":[1,1]}"#;
    refused(request, "numeric", "singular");
}

#[test]
fn functions_to_plot() {
    let log = ask(r#"{"command":"plot","type":"function","function":"log"}"#);
    assert_eq!(number(&log, "/result/undefined"), 200.0);
    refused(
        r#"{"command":"plot","type":"function","function":"bessel"}"#,
        "invalid_args",
        "bessel",
    );
}

#[test]
fn pictures_hold() {
    let three = ask(r#"{"command":"plot_sixel","x":[1,2,3],"y":[1,4,9]}"#);
    let sixel = three
        .pointer("/result/sixel")
        .and_then(|text| text.as_str().map(str::len));
    assert!(
        sixel.is_some_and(|bytes| (500..12_000).contains(&bytes)),
        "{sixel:?} bytes"
    );
    let several = ask(r#"{"command":"plot_sixel","x":[1,2,3],"y":[[1,4,9],[9,4,1]]}"#);
    assert_eq!(number(&several, "/result/n_points"), 6.0);
}
