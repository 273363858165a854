//! Sweeps, and derivatives by parameters.

use super::from_json;
use crate::ode::solve::stepper::Reason;

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
    assert_eq!(runs[0].reason, Some(Reason::BlowUp));
    assert_eq!(
        (runs[1].reason, runs[1].completed),
        (Some(Reason::NotStarted), false)
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
