//! Zeros of an event that lie close together.

use super::solved;

/// Two zeros of one function, closer than the points at which a step is sampled.
#[test]
fn close_zeros_of_an_event_are_both_found() {
    for gap in [0.02, 0.01, 0.005, 0.002, 0.001, 1e-5] {
        for max_step in [
            "",
            r#","max_step":0.01"#,
            r#","max_step":0.1"#,
            r#","max_step":1"#,
        ] {
            for (sign, method) in [("", "auto"), ("-", "dopri5"), ("", "radau")] {
                let second = 5.0 + gap;
                let (output, warnings) = solved(&format!(
                    r#"{{"system":["1+0*y0"],"y0":[0],"t_span":[0,10],"t_eval":[10],"method":"{method}"{max_step},
                        "events":[{{"g":"{sign}(y0-5)*(y0-{second})"}}]}}"#
                ));
                let events = &output.events.unwrap()[0];
                assert_eq!(events.t.len(), 2, "{gap} {max_step} {method}: {warnings}");
                assert!((events.t[0] - 5.0).abs() < 1e-8 && (events.t[1] - second).abs() < 1e-8);
            }
        }
    }
}

#[test]
fn zeros_that_may_have_been_missed_are_warned_of() {
    let near = |depth: &str| {
        solved(&format!(
            r#"{{"system":["1+0*y0"],"y0":[0],"t_span":[0,10],"events":[{{"g":"(y0-5)**2+{depth}"}}]}}"#
        ))
    };
    let (output, warnings) = near("1e-13");
    assert!(output.events.unwrap()[0].t.is_empty());
    assert!(
        warnings.contains("event 0 comes within") && warnings.contains("rtol"),
        "{warnings}"
    );
    let (_, warnings) = solved(
        r#"{"system":["1+0*y0"],"y0":[6],"t_span":[0,10],"events":[{"g":"(y0-5)**2+1e-13"}],"sweep":[{},{"y0":[0]}]}"#,
    );
    assert!(warnings.contains("1 of 2 runs"), "{warnings}");
    assert_eq!(near("0.1").1, "");
    let fast = |max_step: &str| {
        solved(&format!(
            r#"{{"system":["0"],"y0":[0],"t_span":[0,10],"events":[{{"g":"sin(200*t)"}}]{max_step}}}"#
        ))
    };
    let (_, warnings) = fast("");
    assert!(warnings.contains("turns too often"), "{warnings}");
    let (output, warnings) = fast(r#","max_step":0.01"#);
    assert_eq!(
        (output.events.unwrap()[0].t.len(), &warnings[..]),
        (636, "")
    );
}
