//! A log that was touched is noticed, at the line.

use chain_runtime::session::{Divergence, Replay, Replayed};
use tool_core::json::{self, Limits};

const LOG: &str = include_str!("../golden/session.jsonl");

fn replay(log: &str) -> Result<Replayed, Divergence> {
    let mut replay = Replay::default();
    for (number, line) in log.lines().enumerate() {
        let value = json::parse(line, Limits::default()).unwrap();
        replay.line(number as u64 + 1, &value)?;
    }
    replay.finish()
}

#[test]
fn a_log_replays_to_the_state_it_ends_with() {
    let replayed = replay(LOG).unwrap();
    assert!(replayed.complete);
    assert_eq!(replayed.generations, ["g0"]);
    let end = json::parse(LOG.lines().last().unwrap(), Limits::default()).unwrap();
    let state = replayed.state.to_value().unwrap();
    assert_eq!(
        json::to_text(end.get("state").unwrap()),
        json::to_text(&state)
    );
    let cut: String = LOG
        .lines()
        .take(1)
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(!replay(&cut).unwrap().complete);
}

#[test]
fn every_line_that_is_missing_doubled_or_changed_is_found() {
    let lines: Vec<&str> = LOG.lines().collect();
    let join = |lines: &[&str]| lines.join("\n");
    for (place, line) in lines.iter().enumerate() {
        let last = place + 1 == lines.len();
        let mut without = lines.clone();
        without.remove(place);
        let found = replay(&join(&without));
        assert!(
            found.is_err() || last && !found.unwrap().complete,
            "line {place} is missing"
        );
        let mut twice = lines.clone();
        twice.insert(place, line);
        // The state may be said twice.
        assert!(
            last || replay(&join(&twice)).is_err(),
            "line {place} stands twice"
        );
    }
    for (old, new) in [
        (r#""status":"expired""#, r#""status":"closed""#),
        (
            r#""message":"the deadline passed""#,
            r#""message":"the deadline passed.""#,
        ),
        (
            r#""output":{"content":"old""#,
            r#""output":{"content":"new""#,
        ),
        (r#""numbers":[1.0,2.5,1.0]"#, r#""numbers":[1.0,2.5,1.5]"#),
        (r#""generation":"g0""#, r#""generation":"g1""#),
        (r#""layer":"defaults""#, r#""layer":"global""#),
        (r#""digest":"calc-0""#, r#""digest":"calc-1""#),
        (r#""seq":4"#, r#""seq":5"#),
        (r#""runs":1"#, r#""runs":2"#),
        (r#""wave":1"#, r#""wave":0"#),
    ] {
        for (place, _) in LOG.match_indices(old) {
            let touched = format!("{}{new}{}", &LOG[..place], &LOG[place + old.len()..]);
            let line = LOG[..place].lines().count() as u64;
            let divergence = replay(&touched).expect_err(old);
            assert!(divergence.line >= line, "{old}: {divergence}");
        }
        assert!(LOG.contains(old), "{old}");
    }
}

#[test]
fn what_is_no_log_is_refused() {
    for line in [
        r#"{"type":"run.requested"}"#,
        "[]",
        r#"{"type":"applied"}"#,
        r#"{"type":"state","digest":"0","state":{}}"#,
    ] {
        assert!(replay(line).is_err(), "{line}");
    }
}
