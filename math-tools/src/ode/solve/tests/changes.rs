//! Events that change the state, and spans of no length.

use super::{from_json, solved};
use crate::ode::solve::SolveOdeReason;

const METHODS: [&str; 7] = [
    "auto", "dopri5", "tsit5", "dop853", "radau", "bdf", "rodas4",
];

/// A ball dropped from 10 m loses a tenth of its speed at each impact: impact k is at t1 (1 + 2 sum of e^i, i to k), its speed e^k v1.
#[test]
fn a_ball_bounces_as_its_closed_form_says() {
    let (gravity, e) = (9.81_f64, 0.9_f64);
    let first = (20.0 / gravity).sqrt();
    let speed = gravity * first;
    for method in METHODS {
        let (output, warnings) = solved(&format!(
            r#"{{"y0":[10],"v0":[0],"t_span":[0,12],"system":"-9.81","method":"{method}","rtol":1e-9,"atol":1e-10,
                "events":[{{"g":"y0","direction":"falling","set":{{"v0":"-0.9*v0"}}}}]}}"#
        ));
        assert!(
            output.completed && warnings.is_empty(),
            "{method}: {warnings}"
        );
        let events = &output.events.as_ref().unwrap()[0];
        let mut expected = first;
        let mut count = 0;
        while expected < 12.0 {
            let scale = e.powi(count);
            let at = count as usize;
            assert!(
                (events.t[at] - expected).abs() < 1e-5,
                "{method}: {:?}",
                events.t
            );
            assert!(
                (events.y[at][1] + scale * speed).abs() < 1e-4,
                "{method}: {:?}",
                events.y
            );
            assert!((events.after[at][1] - e * scale * speed).abs() < 1e-4);
            assert_eq!(events.after[at][1], -0.9 * events.y[at][1]);
            let rows = output
                .t
                .iter()
                .zip(&output.y)
                .filter(|(t, _)| **t == events.t[at]);
            let rows: Vec<&Vec<f64>> = rows.map(|(_, y)| y).collect();
            assert_eq!(rows, [&events.y[at], &events.after[at]], "both sides");
            expected += 2.0 * first * scale * e;
            count += 1;
        }
        assert_eq!(events.t.len(), count as usize, "{method}");
        assert!(output.y.iter().all(|y| y[0] > -1e-6), "{method}");
        assert!(
            output.error_estimate.is_some_and(|error| error < 1e-3),
            "{method}"
        );
    }
}

/// Impacts of a ball that loses half its speed pile up at three times the time of the first one.
#[test]
fn bounces_without_end_end_the_integration() {
    let first = (20.0 / 9.81_f64).sqrt();
    for method in ["auto", "dopri5", "tsit5", "radau"] {
        let call = |more: &str| {
            format!(
                r#"{{"y0":[10],"v0":[0],"t_span":[0,12],"system":"-9.81","method":"{method}"{more},
                    "events":[{{"g":"y0","direction":"falling","set":{{"v0":"-0.5*v0"}}}}]}}"#
            )
        };
        let (output, warnings) = solved(&call(""));
        assert_eq!(
            output.reason,
            Some(SolveOdeReason::EventsAccumulate),
            "{method}"
        );
        assert!(
            !output.completed && warnings.contains("terminal"),
            "{warnings}"
        );
        assert!(
            (output.t_end - 3.0 * first).abs() < 1e-5,
            "{method}: {}",
            output.t_end
        );
        let (output, warnings) = solved(&call(r#","max_events":3"#));
        assert_eq!(output.reason, Some(SolveOdeReason::MaxEvents), "{method}");
        assert!(
            !output.completed && warnings.contains("max_events"),
            "{warnings}"
        );
        let fourth = first * (1.0 + 2.0 * (0.5 + 0.25 + 0.125));
        assert!(
            (output.t_end - fourth).abs() < 1e-5,
            "{method}: {}",
            output.t_end
        );
        let events = &output.events.unwrap()[0];
        assert_eq!((events.y.len(), events.after.len()), (4, 3));
    }
    // Bounces of a ball above a ground that is not at 0 are lost in roundings of its height.
    let (output, _) = solved(
        r#"{"y0":[15],"v0":[0],"t_span":[0,12],"system":"-9.81","events":[{"g":"y0-5","set":{"v0":"-0.5*v0"}}]}"#,
    );
    assert_eq!(output.reason, Some(SolveOdeReason::EventsAccumulate));
    assert!(
        (output.t_end - 3.0 * first).abs() < 1e-5,
        "{}",
        output.t_end
    );
    // What `set` does not turn back continues.
    let (output, _) = solved(
        r#"{"y0":[1],"t_span":[0,9],"system":"-1","events":[{"g":"y0","direction":"falling","set":{"y0":"y0"}}]}"#,
    );
    assert!(output.completed && (output.y.last().unwrap()[0] + 8.0).abs() < 1e-9);
    assert_eq!(output.events.unwrap()[0].t.len(), 1);
}

/// Doses of 100 every 24 hours, with elimination: what is left of each is `exp(-k t)` of it.
#[test]
fn doses_add_up_as_their_closed_form_says() {
    let k = 0.1;
    let expected = |t: f64| -> f64 {
        let doses = [0.0, 24.0, 48.0, 72.0].into_iter().filter(|at| *at <= t);
        doses.map(|at| 100.0 * (-k * (t - at)).exp()).sum()
    };
    let single = r#"[{"g":"t-24","set":{"y0":"y0+dose"}},{"g":"t-48","set":{"y":"y0+dose"}},{"g":"t-72","set":{"y0":"y0+dose"}}]"#;
    let periodic = r#"[{"g":"sin(2*pi*t/24)","direction":"rising","set":{"y0":"y0+dose"}}]"#;
    for (method, events) in METHODS.iter().flat_map(|m| [(m, single), (m, periodic)]) {
        let (output, warnings) = solved(&format!(
            r#"{{"y0":[100],"t_span":[0,80],"system":"-0.1*y0","parameters":{{"dose":100}},"method":"{method}","rtol":1e-9,"atol":1e-10,
                "t_eval":[0,12,24,30,48,72,80],"events":{events}}}"#
        ));
        assert!(
            output.completed && warnings.is_empty(),
            "{method}: {warnings}"
        );
        assert_eq!(output.t, [0.0, 12.0, 24.0, 30.0, 48.0, 72.0, 80.0]);
        for (t, y) in output.t.iter().zip(&output.y) {
            let error = (y[0] / expected(*t) - 1.0).abs();
            assert!(error < 1e-5, "{method} {t}: {} for {}", y[0], expected(*t));
        }
    }
}

/// `y' = -y + 3 u`, with u switched on at 1 and off at 2: each phase takes log 2.
#[test]
fn a_thermostat_switches_with_its_period() {
    for method in METHODS {
        let (output, _) = solved(&format!(
            r#"{{"y0":[1,1],"t_span":[0,10],"system":["-y0+3*y1","0"],"method":"{method}","rtol":1e-8,
                "events":[{{"g":"y0-2","direction":"rising","set":{{"y1":"0"}}}},
                    {{"g":"y0-1","direction":"falling","set":{{"y1":"1"}}}}]}}"#
        ));
        let events = output.events.unwrap();
        assert_eq!((events[0].t.len(), events[1].t.len()), (7, 7), "{method}");
        for (index, (off, on)) in events[0].t.iter().zip(&events[1].t).enumerate() {
            let period = std::f64::consts::LN_2;
            let expected = (2 * index + 1) as f64 * period;
            assert!((off - expected).abs() < 1e-4, "{method}: {off}");
            assert!((on - expected - period).abs() < 1e-4, "{method}: {on}");
        }
    }
}

/// Events at the same time act in their order; one that ends the integration leaves the state as it is; backwards in time too.
#[test]
fn events_at_the_same_time_act_in_order() {
    for span in ["[0,2]", "[2,0]"] {
        let (output, _) = solved(&format!(
            r#"{{"y0":[1],"t_span":{span},"system":"0*y","events":[{{"g":"t-1","set":{{"y":"y+2"}}}},
                {{"g":"3-3*t","set":{{"y":"10*y"}}}},{{"g":"t-1"}}],"t_eval":[1]}}"#
        ));
        let events = output.events.unwrap();
        assert_eq!(output.y, [[30.0]], "{span}");
        assert_eq!(
            (&events[0].y[..], &events[1].y[..]),
            (&[vec![1.0]][..], &[vec![1.0]][..])
        );
        assert_eq!((events[0].t.len(), events[2].t.len()), (1, 1), "{span}");
    }
    let (output, _) = solved(
        r#"{"y0":[0],"t_span":[0,9],"system":"1","events":[{"g":"y-1","direction":"rising","set":{"y":"0"},"terminal":true,"count":3}]}"#,
    );
    let events = &output.events.unwrap()[0];
    assert_eq!(output.reason, Some(SolveOdeReason::TerminalEvent));
    assert!((output.t_end - 3.0).abs() < 1e-9 && (output.y.last().unwrap()[0] - 1.0).abs() < 1e-9);
    assert_eq!((events.y.len(), events.after.len()), (3, 2));
    assert!(output.error_estimate.unwrap() < 1e-9);
}

#[test]
fn changes_are_the_same_in_every_run() {
    let (output, _) = solved(
        r#"{"y0":[10],"v0":[1],"t_span":[0,9],"system":"-9.81-0.1*v","sweep":[{},{},{"y0":[9,0]},{}],
            "events":[{"g":"y","direction":"falling","set":{"v":"-0.9*v"}}]}"#,
    );
    for run in output
        .sweep
        .unwrap()
        .iter()
        .enumerate()
        .filter(|run| run.0 != 2)
    {
        assert_eq!((&run.1.t, &run.1.y), (&output.t, &output.y));
        let after = &run.1.events.as_ref().unwrap()[0].after;
        assert_eq!(after, &output.events.as_ref().unwrap()[0].after);
    }
}

#[test]
fn changes_that_cannot_be_made_are_refused() {
    for (text, path, words) in [
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y","events":[{"g":"t-0.5","set":{"t":"0"}}]}"#,
            "/events/0/set/t",
            "`t` is no entry",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y","events":[{"g":"t-0.5","set":{"y":"0","y0":"1"}}]}"#,
            "/events/0/set/y0",
            "another name",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-k*y","parameters":{"k":1},"sensitivities":["k"],"events":[{"g":"t-0.5","set":{"y":"0"}}]}"#,
            "/events/0/set",
            "derivatives by parameters",
        ),
        (
            r#"{"y0":[1,1],"t_span":[0,1],"system":["-y0","y0-y1"],"mass":[[1,0],[0,0]],"events":[{"g":"t-0.5","set":{"y0":"0"}}]}"#,
            "/events/0/set",
            "`mass` is singular",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y","events":[{"g":"t-0.5","set":{"y":"1/0"}}]}"#,
            "/events/0/set",
            "new value",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y","events":[{"g":"t-0.5","set":{"y":"1/(y-y)"}}]}"#,
            "/events/0/set",
            "new value",
        ),
        (
            r#"{"y0":[1],"t_span":[0,1],"system":"-y","max_events":0,"events":[]}"#,
            "/max_events",
            "",
        ),
    ] {
        let err = from_json(text).unwrap_err();
        assert_eq!(err.path(), Some(path), "{text}: {err:?}");
        assert!(err.message().contains(words), "{text}: {err:?}");
    }
}

/// An integration over no time returns the start, with its quantities.
#[test]
fn a_span_of_no_length_gives_the_start() {
    for method in METHODS {
        let (output, warnings) = solved(&format!(
            r#"{{"y0":[1,2],"t_span":[3,3],"system":["a*y1","-y0"],"parameters":{{"a":1}},"method":"{method}","t_eval":[3],"sweep":[{{"y0":[5,6]}}],
                "events":[{{"g":"y0"}}]}}"#
        ));
        assert!(
            output.completed && warnings.is_empty(),
            "{method}: {warnings}"
        );
        assert_eq!(
            (&output.t[..], &output.y[..]),
            (&[3.0][..], &[vec![1.0, 2.0]][..])
        );
        assert_eq!(
            (output.t_end, output.stats.steps, output.error_estimate),
            (3.0, 0, Some(0.0))
        );
        assert_eq!(output.sweep.unwrap()[0].y, [[5.0, 6.0]]);
    }
}
