//! Sweeps, and derivatives by parameters.

use super::{from_json, last};
use crate::ode::solve::Output;
use crate::ode::solve::SolveOdeReason;

/// y = y0 exp(-k t) + c t: the derivatives are -t y0 exp(-k t) and t.
#[test]
fn derivatives_by_parameters_are_those_of_the_solution() {
    for method in ["auto", "dop853", "dopri5", "tsit5", "radau", "bdf"] {
        let (output, _) = from_json(&format!(
            r#"{{"y0":[2],"t_span":[0,3],"system":"-k*(y-c*t)+c","parameters":{{"k":0.7,"c":1.5}},"sensitivities":["k","c"],
                "method":"{method}","rtol":1e-8,"atol":1e-10,"t_eval":[0,1,3]}}"#
        ))
        .unwrap();
        let by = output.sensitivities.unwrap();
        assert_eq!(
            (by[0].parameter.as_str(), by[1].parameter.as_str()),
            ("k", "c")
        );
        for (row, t) in [0.0, 1.0, 3.0_f64].into_iter().enumerate() {
            let decay = 2.0 * (-0.7 * t).exp();
            assert!(
                (output.y[row][0] - decay - 1.5 * t).abs() < 1e-6,
                "{method}"
            );
            assert!(
                (by[0].y[row][0] + t * decay).abs() < 1e-6,
                "{method}: {:?}",
                by[0].y
            );
            assert!(
                (by[1].y[row][0] - t).abs() < 1e-6,
                "{method}: {:?}",
                by[1].y
            );
        }
    }
}

/// Robertson's problem: derivatives by the rates agree with differences of runs at a tighter tolerance.
#[test]
fn derivatives_of_a_stiff_problem() {
    let call = |a: f64, more: &str| {
        let text = format!(
            r#"{{"y0":[1,0,0],"t_span":[0,40],"parameters":{{"a":{a},"b":1e4,"c":3e7}},
                "system":["-a*y0+b*y1*y2","a*y0-b*y1*y2-c*y1**2","c*y1**2"],"t_eval":[40],"atol":1e-14,{more}}}"#
        );
        from_json(&text).unwrap().0
    };
    let step = 4e-6;
    let above = call(0.04 + step, r#""rtol":1e-11"#);
    let below = call(0.04 - step, r#""rtol":1e-11"#);
    for method in ["auto", "radau", "bdf"] {
        let more = format!(r#""rtol":1e-8,"sensitivities":["a","c"],"method":"{method}""#);
        let output = call(0.04, &more);
        assert!(
            output.completed && output.stats.steps < 2000,
            "{method}: {:?}",
            output.stats
        );
        let by = &output.sensitivities.unwrap()[0].y[0];
        for (index, value) in by.iter().enumerate() {
            let difference = (above.y[0][index] - below.y[0][index]) / (2.0 * step);
            assert!(
                (value / difference - 1.0).abs() < 3e-5,
                "{method}: {value} {difference}"
            );
        }
    }
}

/// Each run of a sweep has the bits of a call of its own, on any number of threads.
#[test]
fn a_sweep_is_the_calls_it_stands_for() {
    let lorenz =
        r#""t_span":[0,2],"system":["10*(y1-y0)","y0*(r-y2)-y1","y0*y1-8/3*y2"],"t_eval":[1,2]"#;
    let rates: Vec<String> = (0..40)
        .map(|index| {
            format!(
                r#"{{"y0":[1,{index},1],"parameters":{{"r":{}}}}}"#,
                20 + index
            )
        })
        .collect();
    let text = format!(
        r#"{{"y0":[1,1,1],{lorenz},"parameters":{{"r":28}},"sweep":[{}]}}"#,
        rates.join(",")
    );
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| from_json(&text).unwrap().0.sweep.unwrap())
    };
    let (one, three) = (on(1), on(3));
    assert_eq!(one.len(), 40);
    for (index, (run, other)) in one.iter().zip(&three).enumerate() {
        assert_eq!((&run.t, &run.y), (&other.t, &other.y));
        let (alone, _) = from_json(&format!(
            r#"{{"y0":[1,{index},1],{lorenz},"parameters":{{"r":{}}},"sweep":[{{}}]}}"#,
            20 + index
        ))
        .unwrap();
        let error = run.y[1].iter().zip(&alone.y[1]).map(|(a, b)| (a - b).abs());
        assert!(error.fold(0.0, f64::max) < 1e-4, "run {index}");
        assert!(run.completed && run.error_estimate.is_some());
    }
}

#[test]
fn each_run_of_a_sweep_has_its_own_outcome() {
    let (output, warnings) = from_json(
        r#"{"y0":[1],"t_span":[0,2],"system":"a*y**2+log(b)","parameters":{"a":-1,"b":1},"t_eval":[2],
            "sweep":[{"parameters":{"a":1}},{"parameters":{"b":-1}},{"y0":[0.25],"parameters":{"a":1}}]}"#,
    )
    .unwrap();
    assert!((output.y[0][0] - 1.0 / 3.0).abs() < 1e-6);
    let runs = output.sweep.unwrap();
    assert_eq!(runs[0].reason, Some(SolveOdeReason::BlowUp));
    assert_eq!(
        (runs[1].reason, runs[1].completed),
        (Some(SolveOdeReason::NotStarted), false)
    );
    assert!(runs[1].error.as_ref().unwrap().contains("derivative of y0"));
    assert!((runs[2].y[0][0] - 0.5).abs() < 1e-6 && runs[2].completed);
    assert!(warnings.contains("2 of 3 runs"), "{warnings}");
}

#[test]
fn what_cannot_vary_is_told() {
    for (more, path) in [
        (r#""sensitivities":["z"]"#, "/sensitivities/0"),
        (r#""sensitivities":["k","k"]"#, "/sensitivities/1"),
        (r#""sensitivities":["w"]"#, "/sensitivities/0"),
        (r#""sensitivities":["k"],"method":"rodas4""#, "/method"),
        (r#""sweep":[{"parameters":{"z":1}}]"#, "/sweep"),
        (r#""sweep":[{"y0":[1,2]}]"#, "/sweep/0/y0"),
        (r#""sweep":[{"y":[1]}]"#, "/sweep/0/y"),
    ] {
        let text = format!(
            r#"{{"y0":[1],"t_span":[0,1],"system":"-k*y+w[0]","parameters":{{"k":1,"w":[1,2]}},{more}}}"#
        );
        let err = from_json(&text).unwrap_err();
        assert_eq!(err.path(), Some(path), "{text}: {err:?}");
    }
}

/// y = c: the runs have 0 to 10 in some order, whose quantiles of type 7 are those of NumPy.
#[test]
fn quantiles_of_a_sweep_are_those_of_its_runs() {
    let values = [7, 2, 10, 0, 4, 9, 1, 3, 8, 6, 5];
    let sweep = values
        .map(|value| format!(r#"{{"y0":[{value}]}}"#))
        .join(",");
    let call = |more: &str| {
        from_json(&format!(
            r#"{{"y0":[1],"t_span":[0,2],"system":"0","sweep":[{sweep}],{more}}}"#
        ))
    };
    let (output, warnings) = call(r#""t_eval":[0,1,2],"quantiles":[0,0.025,0.5,0.75,1]"#).unwrap();
    for (found, expected) in output
        .quantiles
        .unwrap()
        .iter()
        .zip([0.0, 0.25, 5.0, 7.5, 10.0])
    {
        assert_eq!(found.y, vec![vec![expected]; 3], "{}", found.probability);
    }
    assert_eq!(warnings, "");
    for (more, place) in [
        (r#""quantiles":[0.5]"#, "/quantiles"),
        (r#""t_eval":[1],"quantiles":[1.5]"#, "/quantiles/0"),
    ] {
        assert_eq!(call(more).err().unwrap().path(), Some(place));
    }
}

/// Runs of y' = y^2 from above 1/2 end before t = 2, and do not count.
#[test]
fn quantiles_are_of_the_runs_that_reach_the_end() {
    let call = |sweep: &str| {
        from_json(&format!(
            r#"{{"y0":[0.1],"t_span":[0,2],"system":"y^2","sweep":[{sweep}],"t_eval":[2],"quantiles":[0.5]}}"#
        ))
    };
    let (output, warnings) = call(r#"{"y0":[0.25]},{"y0":[0.7]},{"y0":[0.25]}"#).unwrap();
    let median = output.quantiles.unwrap()[0].y[0][0];
    assert!((median - 0.5).abs() < 1e-6, "{median}");
    assert!(warnings.contains("1 of 3"), "{warnings}");
    assert_eq!(
        call(r#"{"y0":[0.7]}"#).err().unwrap().path(),
        Some("/quantiles")
    );
}

/// y' = -(1e5 exp(-t) + 1) (y - cos t) - sin t with y = cos t is stiff up to t = 11: `auto` goes back to the explicit method, whose long
/// steps need fewer evaluations than those of the stiff one. With five stages those of the stiff one are as long.
#[test]
fn the_explicit_method_returns_where_the_problem_is_no_longer_stiff() {
    let call = |method: &str, rtol: f64, end: f64| {
        let text = format!(
            r#"{{"y0":[1],"t_span":[0,{end}],"system":"-(1e5*exp(-t)+1)*(y-cos(t))-sin(t)","method":"{method}","rtol":{rtol},"t_eval":[{end}]}}"#
        );
        from_json(&text).unwrap().0
    };
    let output = call("auto", 1e-6, 200.0);
    assert_eq!(output.method, "dop853, radau, dop853");
    let error = (output.y[0][0] - 200.0_f64.cos()).abs();
    assert!(error < 1e-6, "{error}");
    assert!(output.stiff && output.switched_at.unwrap() < 5.0);
    // `auto` aims at one more digit.
    let radau = call("radau", 1e-7, 200.0);
    assert!(
        output.stats.function_evals < radau.stats.function_evals,
        "{:?} {:?}",
        output.stats,
        radau.stats
    );
    assert_eq!(call("auto", 1e-6, 5.0).method, "dop853, radau");
    let tight = call("auto", 1e-9, 200.0);
    assert_eq!(tight.method, "dop853, radau");
    let error = (tight.y[0][0] - 200.0_f64.cos()).abs();
    assert!(error < 1e-8, "{error}");
}

/// A derivative that is infinite where the solution stays does not keep `auto` from the stiff method.
#[test]
fn an_infinite_derivative_does_not_hide_stiffness() {
    for system in [
        r#"["-1000*(y0-1)","-sqrt(y1)"]"#,
        r#"["-1000*(y0-1)","-abs(y1)**0.3"]"#,
    ] {
        for rtol in [1e-3, 1e-6] {
            let text =
                format!(r#"{{"y0":[0,0],"t_span":[0,1000],"system":{system},"rtol":{rtol}}}"#);
            let (output, _) = from_json(&text).unwrap();
            assert!(output.completed, "{system}, {rtol}: {:?}", output.reason);
            let end = last(&output);
            assert!((end[0] - 1.0).abs() < rtol && end[1] == 0.0, "{end:?}");
        }
    }
}

/// A relaxation oscillation changes between fast and slow phases for ever: methods change seldom, and results stay right. The end value is
/// that of scipy 1.17's Radau at 1e-12.
#[test]
fn methods_do_not_change_to_and_fro() {
    let (output, _) = from_json(
        r#"{"y0":[2,0],"t_span":[0,3000],"system":["y1","1000*(1-y0**2)*y1-y0"],"rtol":1e-8,"atol":1e-10,"t_eval":[3000]}"#,
    )
    .unwrap();
    let changes = output.method.matches(',').count();
    assert!(output.completed && changes <= 5, "{}", output.method);
    assert!(
        (output.y[0][0] + 1.510_606_936_744).abs() < 1e-5,
        "{:?}",
        output.y
    );
}

/// A component that is 0 without an absolute tolerance has a reason of its own; 1e-300 is enough of a tolerance where it stays 0.
#[test]
fn a_component_without_tolerance_is_told() {
    for method in ["auto", "dop853", "radau", "bdf", "rodas4"] {
        let call = |atol: &str| {
            from_json(&format!(
                r#"{{"y0":[1,0],"t_span":[0,1],"system":["-y0","0"],"method":"{method}","atol":{atol}}}"#
            ))
            .unwrap()
        };
        let (output, warnings) = call("0");
        assert_eq!(output.reason, Some(SolveOdeReason::NoTolerance), "{method}");
        assert!(warnings.contains("set `atol` above 0"), "{warnings}");
        assert!(call("1e-300").0.completed, "{method}");
    }
}

/// Steps that `max_step` makes are the same at every tolerance: the estimate comes from steps half as long, and holds.
#[test]
fn an_error_estimate_does_not_compare_a_run_with_itself() {
    let (output, _) = from_json(
        r#"{"y0":[1],"t_span":[0,10],"system":"-y*cos(5*t)","method":"dopri5","max_step":0.02,"rtol":1e-2,"atol":1e-2}"#,
    )
    .unwrap();
    let exact = (-(50.0_f64).sin() / 5.0).exp();
    let error = (output.y.last().unwrap()[0] - exact).abs();
    let estimate = output.error_estimate.unwrap();
    assert!(
        estimate > 0.0 && error <= 2.0 * estimate,
        "{error:e} {estimate:e}"
    );
}

/// Without the estimate the solution and its events are the same, and less is evaluated.
#[test]
fn the_error_estimate_can_be_left_out() {
    for method in ["auto", "dopri5", "radau", "bdf", "rodas4"] {
        let call = |estimates: bool| {
            let text = format!(
                r#"{{"y0":[2,0],"t_span":[0,20],"system":["y1","5*(1-y0**2)*y1-y0"],"method":"{method}","error_estimate":{estimates},
                    "events":[{{"g":"y0"}}],"sweep":[{{"y0":[1,0]}}]}}"#
            );
            from_json(&text).unwrap().0
        };
        let (with, without) = (call(true), call(false));
        assert!(without.completed && without.error_estimate.is_none());
        assert!(with.error_estimate.is_some_and(|estimate| estimate > 0.0));
        assert!(without.y == with.y && without.t == with.t, "{method}");
        assert_eq!(with.stats.function_evals, without.stats.function_evals);
        assert!(without.stats.extra_evals < with.stats.extra_evals);
        let run = |output: &Output| output.sweep.as_ref().unwrap()[0].error_estimate;
        assert!(run(&with).is_some() && run(&without).is_none());
    }
}

/// A comet's orbit, closed after each of five turns: the errors of the steps grow a hundredfold.
#[test]
fn tolerances_bound_the_error_at_the_end_where_asked_for() {
    let comet = |control: &str, more: &str| {
        from_json(&format!(
            r#"{{"y0":[0.2,0,0,3],"t_span":[0,31.41592653589793],"t_eval":[31.41592653589793],"rtol":1e-7,"atol":1e-10,{more}
                "system":["y2","y3","-y0/(y0**2+y1**2)**1.5","-y1/(y0**2+y1**2)**1.5"],"error_control":"{control}"}}"#
        ))
        .unwrap()
    };
    let error = |output: &Output| {
        let pairs = output.y[0].iter().zip([0.2, 0.0, 0.0, 3.0]);
        pairs.map(|(y, end)| (y - end).abs()).fold(0.0, f64::max)
    };
    // The largest sizes of the components are from 1 to 3.
    let limit = 3e-7;
    let (by_steps, _) = comet("step", "");
    assert!(error(&by_steps) > 10.0 * limit, "{:?}", by_steps.y);
    let sweep = r#""sweep":[{"y0":[0.2,0,0,3]}],"#;
    let (by_end, notes) = comet("end", sweep);
    let estimate = by_end.error_estimate.unwrap();
    assert!(error(&by_end) < estimate && estimate < limit, "{estimate}");
    assert!(!notes.contains("error_control"), "{notes}");
    let runs = by_end.sweep.as_ref().unwrap();
    assert_eq!(
        (&runs[0].y, runs[0].error_estimate),
        (&by_end.y, Some(estimate))
    );

    // After 40 units of time doubles do not resolve the equations of Lorenz, with any tolerance.
    let lorenz = r#""y0":[1,1,1],"t_span":[0,40],"t_eval":[40],"max_steps":100000,"system":["10*(y1-y0)","y0*(28-y2)-y1","y0*y1-8/3*y2"],"error_control":"end""#;
    let (output, notes) =
        from_json(&format!(r#"{{{lorenz},"sweep":[{{"y0":[1,1,1]}}]}}"#)).unwrap();
    assert!(output.completed && output.error_estimate.unwrap() > 1e-3);
    let said = |words: &str| notes.contains(words);
    assert!(
        said("times what `error_control` asks for") && said("1 of 1 runs of `sweep`"),
        "{notes}"
    );
    let refused = from_json(&format!(r#"{{{lorenz},"error_estimate":false}}"#)).unwrap_err();
    assert_eq!(refused.path(), Some("/error_estimate"));
    // What tighter tolerances need is said where it is steps.
    let (_, notes) = from_json(&format!(
        r#"{{{},"sweep":[]}}"#,
        lorenz.replace("100000", "1500")
    ))
    .unwrap();
    assert!(notes.contains("asks for: raise `max_steps`"), "{notes}");
    // A pulse that the steps jumped over is still warned of when the shorter steps that see it are tightened.
    let (_, notes) = from_json(
        r#"{"y0":[1],"t_span":[0,1],"t_eval":[1],"system":"20*(y-cos(t))-sin(t)+exp(-72492*(t-0.871)**2)","rtol":1.0511807064517991e-8,"atol":1.0511807064517991e-8,
            "error_control":"end"}"#,
    )
    .unwrap();
    assert!(
        notes.contains("integrated again with steps of at most"),
        "{notes}"
    );
}

/// Oscillations that died away long ago limit the steps of `dop853`, though its test, which sees the direction of the solution, does not find it.
#[test]
fn steps_that_are_shorter_than_a_smooth_solution_needs_are_left_to_the_stiff_method() {
    let (output, _) = from_json(
        r#"{"y0":[1,0],"t_span":[0,10],"system":["-100*y0-1000*y1+100","1000*y0-100*y1"],"rtol":1e-13,"atol":1e-16,"t_eval":[10]}"#,
    )
    .unwrap();
    assert_eq!(output.method, "dop853, radau");
    assert!(output.stats.steps < 1350, "{:?}", output.stats);
    let error = (output.y[0][0] - 100.0 / 10_100.0).abs();
    assert!(error < 1e-13, "{error}");
}
