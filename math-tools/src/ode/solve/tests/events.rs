//! Events, systems of second order, component-wise tolerances, and what is refused.

use super::from_json;
use crate::ode::solve::SolveOdeReason;

/// A ball thrown upwards at 20 m/s: at its highest after 20/9.81 s, back after twice that.
#[test]
fn events_are_found_and_end_the_integration() {
    for method in ["auto", "dopri5", "dop853", "tsit5", "radau"] {
        let (output, _) = from_json(&format!(
            r#"{{"y0":[0],"v0":[20],"t_span":[0,10],"system":"-9.81","method":"{method}",
                "events":[{{"g":"v"}},{{"g":"y","direction":"falling","terminal":true}}]}}"#
        ))
        .unwrap();
        let events = output.events.unwrap();
        let (top, ground) = (20.0 / 9.81, 40.0 / 9.81);
        assert_eq!((events[0].t.len(), events[1].t.len()), (1, 1), "{method}");
        assert!(
            (events[0].t[0] - top).abs() < 1e-8,
            "{method}: {:?}",
            events[0].t
        );
        assert!((events[0].y[0][0] - 200.0 / 9.81).abs() < 1e-6);
        assert!(
            (output.t_end - ground).abs() < 1e-8,
            "{method}: {}",
            output.t_end
        );
        assert!(output.completed && output.reason == Some(SolveOdeReason::TerminalEvent));
        assert_eq!(output.t.last(), Some(&output.t_end));
        assert!(output.error_estimate.is_some());
    }
}

/// The sine has zeros at the multiples of pi; `count` limits them, `direction` halves them, and times after the end are not returned.
#[test]
fn directions_and_counts_of_events() {
    let pi = std::f64::consts::PI;
    let (output, _) = from_json(
        r#"{"y0":[0,1],"t_span":[0,30],"system":"y1; -y0","rtol":1e-10,"atol":1e-12,"t_eval":[1,10,29],
            "events":[{"g":"y0"},{"g":"y0","direction":"rising"},{"g":"y0","direction":"falling","count":2},
                {"g":"y0","terminal":true,"count":6}]}"#,
    )
    .unwrap();
    let events = output.events.unwrap();
    let counts: Vec<usize> = events.iter().map(|event| event.t.len()).collect();
    assert_eq!(counts, [6, 3, 2, 6]);
    for (index, t) in events[0].t.iter().enumerate() {
        let expected = (index + 1) as f64 * pi;
        assert!((t - expected).abs() < 1e-8, "{t} instead of {expected}");
    }
    assert_eq!(output.t, [1.0, 10.0]);
    let (output, _) = from_json(
        r#"{"y0":[0,1],"t_span":[0,-10],"system":"y1; -y0","events":[{"g":"y0","direction":"falling"}]}"#,
    )
    .unwrap();
    assert_eq!(
        output.events.unwrap()[0].t.len(),
        1,
        "backwards in time -2 pi is a fall"
    );
}

#[test]
fn each_component_has_its_own_tolerance() {
    let with = |atol: &str| {
        let text = format!(
            r#"{{"y0":[1e6,1e-6],"t_span":[0,10],"system":"y0*cos(t); y1*cos(t)","rtol":1e-13,"atol":{atol}}}"#
        );
        let (output, _) = from_json(&text).unwrap();
        (output.stats.steps, output.y.last().unwrap()[1])
    };
    let exact = 1e-6 * 10.0_f64.sin().exp();
    let (loose, _) = with("1e-3");
    let (each, y1) = with("[1e-3, 1e-18]");
    assert!(
        each > loose && (y1 / exact - 1.0).abs() < 1e-10,
        "{each} {loose} {y1}"
    );
    let err = from_json(r#"{"y0":[1],"t_span":[0,1],"system":"y","atol":[1,1]}"#).unwrap_err();
    assert_eq!(err.path(), Some("/atol"));
}

#[test]
fn what_cannot_be_solved_is_told() {
    for (text, path, words) in [
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y(t-1)"}"#,
            "/system",
            "delays",
        ),
        (
            r#"{"y0":[1,2],"t_span":[0,1],"system":["y1","y0 (t - 0.5)"]}"#,
            "/system/1",
            "delays",
        ),
        (
            r#"{"y0":[1],"v0":[1,2],"t_span":[0,1],"system":"-y"}"#,
            "/v0",
            "expected 1 velocities",
        ),
        (
            r#"{"y0":[1],"v0":[1],"t_span":[0,1],"coefficients":{"A":[[1]]}}"#,
            "/v0",
            "first order",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"y","events":[{"g":"z"}]}"#,
            "/events/0/g",
            "unknown name",
        ),
    ] {
        let err = from_json(text).unwrap_err();
        assert_eq!(err.path(), Some(path), "{text}: {err:?}");
        assert!(err.message().contains(words), "{text}: {err:?}");
    }
}

/// y' = y^2 grows without bound at t = 1; sqrt(1 - t) is no number beyond it.
#[test]
fn reasons_are_told_apart() {
    for (system, y0, reason) in [
        ("y**2", 1.0, SolveOdeReason::BlowUp),
        ("sqrt(1-t)", 0.0, SolveOdeReason::NotFinite),
    ] {
        for method in ["auto", "dopri5", "tsit5", "radau"] {
            let text = format!(
                r#"{{"y0":[{y0}],"t_span":[0,2],"system":"{system}","method":"{method}"}}"#
            );
            let (output, warnings) = from_json(&text).unwrap();
            assert_eq!(output.reason, Some(reason), "{text}: {warnings}");
            assert!(
                (output.t_end - 1.0).abs() < 1e-3 && warnings.contains("singularity"),
                "{warnings}"
            );
        }
    }
}

/// The derivative of the root is infinite at the start, where the solution is (t / 2)^2 or stays at 0.
#[test]
fn an_infinite_derivative_by_the_state_is_no_obstacle() {
    for method in ["auto", "radau", "bdf"] {
        let text = format!(
            r#"{{"y0":[0],"t_span":[0,2],"system":"sqrt(abs(y))+1","method":"{method}","rtol":1e-8}}"#
        );
        let (output, warnings) = from_json(&text).unwrap();
        assert!(output.completed, "{method}: {warnings}");
        // t = 2 sqrt(y) - 2 log(1 + sqrt(y)) inverted at t = 2.
        let root = output.y.last().unwrap()[0].sqrt();
        assert!(
            (2.0 * root - 2.0 * (1.0 + root).ln() - 2.0).abs() < 1e-6,
            "{method}: {root}"
        );
    }
}

/// y = cos t by a stiff equation, over long steps: every zero is found, and is one.
#[test]
fn zeros_within_long_stiff_steps_are_found() {
    let expected: [&[f64]; 2] = [
        &[1.98231, 4.30087, 8.26550, 10.58406],
        &[0.79540, 5.48779, 7.07858, 11.77097],
    ];
    for method in ["auto", "radau", "bdf", "rodas4"] {
        let (output, _) = from_json(&format!(
            r#"{{"system":["-1e6*(y-cos(t))-sin(t)"],"y0":[1],"t_span":[0,12],"method":"{method}",
                "events":[{{"g":"y+0.4"}},{{"g":"y-0.7"}}]}}"#
        ))
        .unwrap();
        for (found, expected) in output.events.unwrap().iter().zip(expected) {
            assert_eq!(found.t.len(), expected.len(), "{method}: {:?}", found.t);
            for (t, expected) in found.t.iter().zip(expected) {
                assert!((t - expected).abs() < 1e-4, "{method}: {t} for {expected}");
            }
        }
    }
}

#[test]
fn zeros_of_time_are_found_within_one_step_and_what_stays_zero_counts_once() {
    let (output, _) = from_json(
        r#"{"system":["0"],"y0":[0],"t_span":[0,10],"events":[{"g":"cos(5*t)"},{"g":"min(t-1,0)"}]}"#,
    )
    .unwrap();
    let events = output.events.unwrap();
    assert_eq!((events[0].t.len(), events[1].t.len()), (16, 1));
    assert!((events[1].t[0] - 1.0).abs() < 1e-9, "{:?}", events[1].t);
}

/// A pulse between the steps is seen also where an event ends the run.
#[test]
fn a_pulse_is_seen_before_a_terminal_event() {
    let (output, warnings) = from_json(
        r#"{"system":"if((t>5)*(t<5.2),10,0)","y0":[0],"t_span":[0,10],
            "events":[{"g":"y-1","terminal":true},{"g":"t-9.5","terminal":true}]}"#,
    )
    .unwrap();
    assert!(
        (output.t_end - 5.1).abs() < 1e-6,
        "{} {warnings}",
        output.t_end
    );
}

/// Values between the steps of stiff problems have the accuracy of the steps, for every implicit method.
#[test]
fn values_within_long_stiff_steps_are_accurate() {
    for method in ["radau", "bdf", "rodas4"] {
        let (output, _) = from_json(&format!(
            r#"{{"system":["-1e6*(y-cos(t))-sin(t)"],"y0":[1],"t_span":[0,12],"method":"{method}","t_eval":[2,4,6,8,10,12]}}"#
        ))
        .unwrap();
        for (t, y) in output.t.iter().zip(&output.y) {
            assert!((y[0] - t.cos()).abs() < 1e-5, "{method}: {} at {t}", y[0]);
        }
    }
}
