mod algebraic;
mod changes;
mod close;
mod events;
mod problems;
mod variations;

use proptest::prelude::*;
use tool_core::{
    BoundedInteger, CallBudget, Ctx, ErrorCode, Input, StopFlag, Tool, ToolError, convert,
};

use crate::linalg::tests::parse;

use super::method::SolveOdeMethod;
use super::system::OdeEquations;
use super::{Args, Output, SolveOdeReason};

fn args(y0: &[f64], span: [f64; 2], system: impl Into<OdeEquations>) -> Args {
    Args {
        y0: Input::inline(y0.to_vec()),
        t_span: span.map(|t| tool_core::Finite::new(t).unwrap()),
        system: Some(system.into()),
        parameters: Default::default(),
        data: None,
        coefficients: None,
        rtol: super::arguments::default_rtol(),
        atol: super::arguments::default_atol(),
        max_steps: BoundedInteger::literal(10_000),
        max_step: None,
        method: SolveOdeMethod::Auto,
        t_eval: None,
        v0: None,
        mass: None,
        events: Vec::new(),
        max_events: BoundedInteger::literal(1_000),
        sensitivities: Vec::new(),
        sweep: Vec::new(),
        quantiles: Vec::new(),
        error_estimate: true,
        error_control: Default::default(),
    }
}

fn absolute(atol: f64) -> super::arguments::AbsoluteTolerance {
    super::arguments::AbsoluteTolerance::One(tool_core::Tolerance::literal(atol))
}

fn tight(args: Args) -> Args {
    Args {
        rtol: tool_core::Tolerance::literal(1e-10),
        atol: absolute(1e-12),
        ..args
    }
}

fn run(args: Args) -> Output {
    Args::run(args, &Ctx::default()).unwrap()
}

fn last(output: &Output) -> &[f64] {
    output.y.last().unwrap()
}

/// Runs a call written as JSON, through decoding; the result comes with its warnings.
fn from_json(text: &str) -> Result<(Output, String), ToolError> {
    let ctx = Ctx::default();
    let args: Args = convert::from_value(&parse(text))
        .map_err(|problem| ToolError::invalid(problem.path, problem.message))?;
    Ok((Args::run(args, &ctx)?, ctx.take_warnings().join("\n")))
}

/// As [`from_json`], of a call that is answered.
fn solved(text: &str) -> (Output, String) {
    from_json(text).unwrap_or_else(|err| panic!("{text}: {err:?}"))
}

const METHODS: [SolveOdeMethod; 7] = [
    SolveOdeMethod::Auto,
    SolveOdeMethod::Dopri5,
    SolveOdeMethod::Dop853,
    SolveOdeMethod::Tsit5,
    SolveOdeMethod::Radau,
    SolveOdeMethod::Bdf,
    SolveOdeMethod::Rodas4,
];

fn assert_end(args: Args, expected: &[f64], tolerance: f64) {
    for method in METHODS {
        let args = Args {
            method,
            ..args.clone()
        };
        let output = run(args);
        assert!(output.completed && output.reason.is_none());
        let error = last(&output)
            .iter()
            .zip(expected)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        // Formulas of low order add up more of the local errors.
        let factor = if method == SolveOdeMethod::Bdf {
            10.0
        } else {
            1.0
        };
        assert!(
            error < factor * tolerance,
            "{method:?}: {:?}, expected {expected:?}",
            last(&output)
        );
        let estimate = output.error_estimate.unwrap();
        assert!(
            error <= 30.0 * estimate + 1e-13,
            "error {error:e}, estimate {estimate:e}"
        );
    }
}

/// Case W11: the forcing term counts. Exact: 1.8 exp(-t/2) + (0.5 sin t - cos t) / 1.25.
#[test]
fn forced_decay() {
    let expected = 1.8 * (-2.5_f64).exp() + (0.5 * 5.0_f64.sin() - 5.0_f64.cos()) / 1.25;
    assert_end(
        args(&[1.0], [0.0, 5.0], "-0.5*y + sin(t)"),
        &[expected],
        1e-5,
    );
    assert_end(
        tight(args(&[1.0], [0.0, 5.0], "-0.5*y + sin(t)")),
        &[expected],
        1e-9,
    );
}

/// Case W12: a right-hand side in t alone.
#[test]
fn sine_in_time() {
    assert_end(
        args(&[0.5], [0.0, 5.0], "sin(t)"),
        &[1.5 - 5.0_f64.cos()],
        1e-6,
    );
}

/// Case W13.
#[test]
fn logistic_equation() {
    let growth = 5.0_f64.exp();
    let expected = 0.1 * growth / (0.9 + 0.1 * growth);
    assert!((expected - 0.942826).abs() < 1e-6);
    assert_end(args(&[0.1], [0.0, 5.0], "y*(1-y)"), &[expected], 1e-5);
}

/// Case W14: integration runs backwards, and back to where it came from.
#[test]
fn backwards_in_time() {
    assert_end(args(&[(-5.0_f64).exp()], [5.0, 0.0], "-y"), &[1.0], 1e-5);
    let there = run(tight(args(&[1.0, 0.0], [1.0, 7.0], ["y1", "-y0*t"])));
    let back = run(tight(args(last(&there), [7.0, 1.0], ["y1", "-y0*t"])));
    assert_eq!((back.t[0], *back.t.last().unwrap()), (7.0, 1.0));
    assert!(back.t.windows(2).all(|pair| pair[1] < pair[0]));
    assert!((last(&back)[0] - 1.0).abs() < 1e-8 && last(&back)[1].abs() < 1e-8);
}

/// Case W15: an explicit method cannot finish this within its steps, and says so; `auto` changes to one that can.
#[test]
fn stiff_systems_are_told_and_solved() {
    let (output, warnings) = from_json(
        r#"{"y0":[1,1],"t_span":[0,100],"coefficients":{"A":[[-1e4,0],[0,-1]]},"method":"dop853"}"#,
    )
    .unwrap();
    assert!(!output.completed && output.stiff);
    assert_eq!(output.reason, Some(SolveOdeReason::MaxSteps));
    assert!(output.t_end < 100.0 && *output.t.last().unwrap() == output.t_end);
    assert_eq!(output.stats.steps + output.stats.rejected, 10_000);
    assert!(output.error_estimate.is_none());
    assert!(
        warnings.contains("stiff") && warnings.contains("max_steps"),
        "{warnings}"
    );
    // What it returns is right as far as it goes.
    assert!((last(&output)[1] - (-output.t_end).exp()).abs() < 1e-6);
    for text in [
        r#"{"y0":[1,1],"t_span":[0,100],"coefficients":{"A":[[-1e4,0],[0,-1]]}}"#,
        r#"{"y0":[1,1],"t_span":[100,0],"coefficients":{"A":[[1e4,0],[0,1]]}}"#,
    ] {
        let (output, warnings) = from_json(text).unwrap();
        assert!(output.completed && output.stiff, "{text}: {warnings}");
        assert_eq!(output.method, "dop853, radau");
        assert!(output.switched_at.is_some() && output.stats.steps < 300);
        assert!(last(&output)[0].abs() < 1e-8 && (last(&output)[1]).abs() < 1e-8);
    }
}

/// Case W16: the limit of steps is exact and flagged.
#[test]
fn max_steps_is_flagged() {
    for method in ["dopri5", "dop853"] {
        let text = format!(
            r#"{{"y0":[1,0],"t_span":[0,100],"system":"y1; -y0","max_steps":5,"method":"{method}"}}"#
        );
        let (output, warnings) = from_json(&text).unwrap();
        assert_eq!(
            (output.completed, output.reason),
            (false, Some(SolveOdeReason::MaxSteps))
        );
        assert_eq!(output.stats.steps + output.stats.rejected, 5, "{method}");
        assert!(output.t_end > 0.0 && output.t_end < 100.0);
        assert!(warnings.contains("5 steps"), "{warnings}");
    }
}

/// E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", section II.0: a closed orbit of the
/// restricted three body problem, with its period.
#[test]
fn arenstorf_orbit_closes() {
    let y0 = [0.994, 0.0, 0.0, -2.001_585_106_379_082_5];
    let period = 17.065_216_560_157_964;
    let (m, k) = ("0.012277471", "0.987722529");
    let d1 = format!("((y0+{m})^2+y1^2)^1.5");
    let d2 = format!("((y0-{k})^2+y1^2)^1.5");
    let system = format!(
        "y2; y3; y0+2*y3-{k}*(y0+{m})/{d1}-{m}*(y0-{k})/{d2}; y1-2*y2-{k}*y1/{d1}-{m}*y1/{d2}"
    );
    for (method, tolerance) in [
        (SolveOdeMethod::Dop853, 1e-4),
        (SolveOdeMethod::Dopri5, 1e-3),
    ] {
        let output = run(Args {
            rtol: tool_core::Tolerance::literal(1e-11),
            atol: absolute(1e-11),
            method,
            ..args(&y0, [0.0, period], system.as_str())
        });
        assert!(output.completed && !output.stiff);
        for (found, expected) in last(&output).iter().zip(&y0[..2]) {
            assert!(
                (found - expected).abs() < tolerance,
                "{method:?}: {:?}",
                last(&output)
            );
        }
    }
}

/// Case of the accuracy table: one period of the oscillator at rtol 1e-10.
#[test]
fn harmonic_oscillator() {
    let period = 2.0 * std::f64::consts::PI;
    assert_end(
        tight(args(&[1.0, 0.0], [0.0, period], ["y1", "-y0"])),
        &[1.0, 0.0],
        1e-9,
    );
}

#[test]
fn linear_systems_and_expressions_agree() {
    let (linear, _) = from_json(
        r#"{"y0":[1,2],"t_span":[0,2],"coefficients":{"A":[[-1,2],[0,-3]],"b":[1,0.5]}}"#,
    )
    .unwrap();
    let expressions = run(args(&[1.0, 2.0], [0.0, 2.0], "-y0+2*y1+1; -3*y1+0.5;"));
    assert_eq!(linear.t.len(), expressions.t.len());
    for (a, b) in last(&linear).iter().zip(last(&expressions)) {
        assert!((a - b).abs() < 1e-12);
    }
}

#[test]
fn a_singularity_is_reported_where_it_is() {
    let (output, warnings) = from_json(r#"{"y0":[1],"t_span":[0,2],"system":"y^2"}"#).unwrap();
    assert!(
        !output.completed && output.reason != Some(SolveOdeReason::MaxSteps),
        "{:?}",
        output.reason
    );
    assert!(
        (output.t_end - 1.0).abs() < 1e-3,
        "1 / (1 - t) ends at 1, found {}",
        output.t_end
    );
    assert!(warnings.contains("singularity"));
    let (output, _) = from_json(r#"{"y0":[0],"t_span":[0,2],"system":"sqrt(1-t)"}"#).unwrap();
    assert!(
        !output.completed && (output.t_end - 1.0).abs() < 1e-6,
        "{}",
        output.t_end
    );
    let (output, _) = from_json(r#"{"y0":[1],"t_span":[0,2000],"system":"y"}"#).unwrap();
    assert!(
        !output.completed && (output.t_end - 709.0).abs() < 2.0,
        "{}",
        output.t_end
    );
}

#[test]
fn values_between_the_steps_have_the_accuracy_of_the_steps() {
    let times: Vec<f64> = (0..=60).map(|index| f64::from(index) / 6.0).collect();
    for (direction, method) in [
        (1.0, SolveOdeMethod::Dop853),
        (-1.0, SolveOdeMethod::Dop853),
        (1.0, SolveOdeMethod::Dopri5),
    ] {
        let times: Vec<f64> = times.iter().map(|t| direction * t).collect();
        let output = run(Args {
            t_eval: Some(Input::inline(times.clone())),
            method,
            ..tight(args(&[0.0, 1.0], [0.0, direction * 10.0], ["y1", "-y0"]))
        });
        assert_eq!(output.t, times);
        for (t, y) in times.iter().zip(&output.y) {
            assert!(
                (y[0] - t.sin()).abs() < 3e-9 && (y[1] - t.cos()).abs() < 3e-9,
                "t = {t}: {y:?}"
            );
        }
    }
    // Points that were not reached are not returned.
    let (output, _) =
        from_json(r#"{"y0":[1],"t_span":[0,2],"system":"y^2","t_eval":[0.5,1.5]}"#).unwrap();
    assert_eq!(output.t, [0.5]);
    assert!((output.y[0][0] - 2.0).abs() < 1e-4);
}

#[test]
fn large_times_and_short_spans() {
    assert_end(args(&[0.0], [1e12, 1e12 + 10.0], "1"), &[10.0], 1e-6);
    assert_end(args(&[0.0], [0.0, 1e-12], "1e12"), &[1.0], 1e-9);
    assert_end(args(&[0.0], [-1e-300, 1e-300], "1"), &[2e-300], 1e-301);
    let constant = run(args(&[3.0], [0.0, 1e6], "0"));
    assert_eq!(
        (last(&constant), *constant.t.last().unwrap()),
        (&[3.0][..], 1e6)
    );
}

#[test]
fn bad_input_names_the_argument() {
    let cases = [
        (r#"{"y0":[],"t_span":[0,1],"system":"y"}"#, "/y0", "empty"),
        (r#"{"y0":[1],"t_span":[0],"system":"y"}"#, "/t_span", "2"),
        (
            r#"{"y0":[1],"t_span":[0,1,2],"system":"y"}"#,
            "/t_span",
            "2",
        ),
        (
            r#"{"y0":[1],"t_span":[1,1],"t_eval":[2],"system":"y"}"#,
            "/t_eval/0",
            "within",
        ),
        (
            r#"{"y0":[1],"t_span":[-1e308,1e308],"system":"y"}"#,
            "/t_span",
            "too large",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1]}"#,
            "/system",
            "missing right-hand side",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","coefficients":{"A":[[1]]}}"#,
            "/coefficients",
            "both",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y;y"}"#,
            "/system",
            "expected 1 equations",
        ),
        (
            r#"{"y0":[1,2],"t_span":[0,1],"system":"y0"}"#,
            "/system",
            "expected 2 equations",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":[]}"#,
            "/system",
            "expected 1 equations",
        ),
        (
            r#"{"y0":[1,2],"t_span":[0,1],"system":["y1","y0+"]}"#,
            "/system/1",
            "column",
        ),
        (
            r#"{"y0":[1,2],"t_span":[0,1],"system":["y","y0"]}"#,
            "/system/0",
            "unknown name `y`",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":5}"#,
            "/system",
            "expected an expression",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":[5]}"#,
            "/system/0",
            "expected a string",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"coefficients":{"A":[[1,2]]}}"#,
            "/coefficients/A",
            "expected 1 x 1",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"coefficients":{"A":[[1]],"b":[1,2]}}"#,
            "/coefficients/b",
            "expected 1 entries",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"coefficients":{"A":[[1]],"B":[1]}}"#,
            "/coefficients/B",
            "unknown",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","rtol":-1}"#,
            "/rtol",
            "at least 0",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","rtol":0,"atol":0}"#,
            "/rtol",
            "both 0",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","max_steps":0}"#,
            "/max_steps",
            "from 1 to",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","method":"rk4"}"#,
            "/method",
            "expected one of",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","t_eval":[]}"#,
            "/t_eval",
            "empty",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","t_eval":[0.5,2]}"#,
            "/t_eval/1",
            "within",
        ),
        (
            r#"{"y0":[1],"t_span":[1,0],"system":"y","t_eval":[0.2,0.5]}"#,
            "/t_eval/1",
            "descending",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","tol":1}"#,
            "/tol",
            "unknown",
        ),
    ];
    for (text, path, words) in cases {
        let err = from_json(text)
            .err()
            .unwrap_or_else(|| panic!("{text} was accepted"));
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{text}: {err:?}"
        );
        assert!(err.message().contains(words), "{text}: {err:?}");
    }
    let err = from_json(r#"{"y0":[0],"t_span":[0,1],"system":"1/y"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("not_finite"))
    );
}

#[test]
fn stops_and_budgets_reach_the_loop() {
    let long = || Args {
        max_steps: tool_core::BoundedInteger::literal(10_000_000),
        ..args(&[1.0], [0.0, 1e9], "cos(t)")
    };
    let stop = StopFlag::new();
    stop.cancel();
    let with = |ctx: Ctx| Args::run(long(), &ctx).unwrap_err();
    assert_eq!(
        with(Ctx::new(stop, CallBudget::default())).code(),
        ErrorCode::Cancelled
    );
    let err = with(Ctx::new(
        StopFlag::new(),
        CallBudget {
            evaluations: 5000,
            ..CallBudget::default()
        },
    ));
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("evaluations"))
    );
    let err = with(Ctx::new(
        StopFlag::new(),
        CallBudget {
            memory_bytes: 100_000,
            ..CallBudget::default()
        },
    ));
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::LimitExceeded, Some("memory"))
    );

    let stop = StopFlag::new();
    let setter = stop.clone();
    let timer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(30));
        setter.time_out();
    });
    assert_eq!(
        with(Ctx::new(stop, CallBudget::default())).code(),
        ErrorCode::Timeout
    );
    timer.join().unwrap();
}

proptest! {
    #[test]
    fn the_end_is_exact_and_decay_is_right(start in -5.0_f64..5.0, length in 0.01_f64..20.0, rate in 0.01_f64..3.0, backwards in any::<bool>()) {
        let end = if backwards { start - length } else { start + length };
        let rate = if backwards { rate } else { -rate };
        let output = run(args(&[1.0], [start, end], format!("{rate}*y").as_str()));
        prop_assert!(output.completed);
        prop_assert_eq!(output.t[0], start);
        prop_assert_eq!(*output.t.last().unwrap(), end);
        prop_assert_eq!(output.t.len(), output.y.len());
        let expected = (rate * (end - start)).exp();
        prop_assert!((last(&output)[0] - expected).abs() < 1e-5, "{:?} {}", last(&output), expected);
    }
}

/// The sum of two integrals of a bell curve and of nothing: what happens within a step is found.
#[test]
fn what_steps_jump_over_is_found() {
    for (system, span, expected) in [
        ("exp(-1000*(t-5)**2)", [0.0, 10.0], 0.056_049_912),
        ("exp(-1000*(t-5)**2)", [10.0, 0.0], -0.056_049_912),
        ("exp(-1000*(t-7.77)**2)", [0.0, 10.0], 0.056_049_912),
        ("if(abs(t-5)<0.1, 3, 0)", [0.0, 10.0], 0.6),
        ("1e-3*exp(-400*(t-3.3)**2)", [0.0, 10.0], 8.862_269e-5),
    ] {
        for method in [SolveOdeMethod::Dopri5, SolveOdeMethod::Dop853] {
            let ctx = Ctx::default();
            let args = Args {
                method,
                ..args(&[0.0], span, system)
            };
            let output = Args::run(args, &ctx).unwrap();
            let warnings = ctx.take_warnings().join("\n");
            let found = last(&output)[0];
            // Where the right-hand side jumps, errors of a step exceed their estimate: `dopri5` is off by more than 1e-4 at 27 of 300 such pulses.
            let limit = if system.starts_with("if") { 2e-4 } else { 1e-4 };
            assert!(
                (found - expected).abs() < limit * f64::abs(expected),
                "{system} {method:?}: {found}"
            );
            assert!(warnings.contains("`max_step`"), "{system}: {warnings}");
        }
    }
    let (output, warnings) = from_json(
        r#"{"y0":[0],"t_span":[0,10],"system":"exp(-1000*(t-5)**2)","max_step":0.05,"t_eval":[10]}"#,
    )
    .unwrap();
    assert!((last(&output)[0] - 0.056_049_912).abs() < 1e-7 && warnings.is_empty());
    // What the limit of steps forbids is said.
    let (_, warnings) =
        from_json(r#"{"y0":[0],"t_span":[0,10],"system":"exp(-1000*(t-5)**2)","max_steps":50}"#)
            .unwrap();
    assert!(warnings.contains("does not count it"), "{warnings}");
}

#[test]
fn no_step_exceeds_its_limit() {
    for method in ["dopri5", "dop853"] {
        for span in ["[0,10]", "[10,0]"] {
            let text = format!(
                r#"{{"y0":[1],"t_span":{span},"system":"0*y","max_step":0.25,"method":"{method}"}}"#
            );
            let (output, _) = from_json(&text).unwrap();
            let longest = output.t.windows(2).map(|pair| (pair[1] - pair[0]).abs());
            assert!(
                longest.fold(0.0, f64::max) <= 0.25 * (1.0 + 1e-12),
                "{text}"
            );
            assert!(output.completed);
        }
    }
}

/// Problems whose steps see everything are not warned of, and cost no second integration.
#[test]
fn ordinary_problems_are_not_warned_of() {
    let problems: [(&[f64], [f64; 2], &str); 16] = [
        (&[1.0], [0.0, 10.0], "-y"),
        (&[1.0], [0.0, 1.0], "y"),
        (&[0.1], [0.0, 20.0], "y*(1-y)"),
        (&[0.0, 1.0], [0.0, 6.0], "y1; -y0"),
        (&[0.0, 1.0], [0.0, 100.0], "y1; -y0"),
        (&[2.0, 0.0], [0.0, 20.0], "y1; (1-y0**2)*y1-y0"),
        (
            &[1.0, 1.0, 1.0],
            [0.0, 10.0],
            "10*(y1-y0); y0*(28-y2)-y1; y0*y1-8/3*y2",
        ),
        (
            &[10.0, 5.0],
            [0.0, 15.0],
            "1.1*y0-0.4*y0*y1; 0.1*y0*y1-0.4*y1",
        ),
        (&[1.0], [0.0, 5.0], "sin(t)*y"),
        (&[0.0], [0.0, 10.0], "sin(5*t)"),
        (&[0.0], [0.0, 10.0], "t**3-2*t"),
        (&[3.0, 0.0], [0.0, 10.0], "y1; -sin(y0)-0.2*y1"),
        (
            &[0.99, 0.01, 0.0],
            [0.0, 60.0],
            "-0.5*y0*y1; 0.5*y0*y1-0.1*y1; 0.1*y1",
        ),
        (
            &[1.0, 0.0, 0.0, 1.2],
            [0.0, 10.0],
            "y2; y3; -y0/(y0**2+y1**2)**1.5; -y1/(y0**2+y1**2)**1.5",
        ),
        (&[0.0, 0.0], [0.0, 50.0], "y1; cos(2*t)-0.3*y1-y0"),
        (&[1.0], [0.0, 1e6], "-1e-6*y"),
    ];
    for (y0, span, system) in problems {
        for (method, loose) in [
            (SolveOdeMethod::Dopri5, false),
            (SolveOdeMethod::Dop853, false),
            (SolveOdeMethod::Dop853, true),
        ] {
            let mut args = Args {
                method,
                ..args(y0, span, system)
            };
            if loose {
                args.rtol = tool_core::Tolerance::literal(1e-3);
                args.atol = absolute(1e-6);
            }
            let ctx = Ctx::default();
            let output = Args::run(args, &ctx).unwrap();
            assert!(output.completed);
            assert_eq!(
                ctx.take_warnings(),
                Vec::<String>::new(),
                "{system} {method:?} {loose}"
            );
        }
    }
}
