//! A log that was touched is noticed, at the line.

use sessions::{LogDivergence, LogReplay, LogReplayResult, Record, StateDocument};
use tool_core::json::{self, JsonLimits};

const LOG: &str = include_str!("golden/session.jsonl");

fn replay(log: &str) -> Result<LogReplayResult, LogDivergence> {
    let mut replay = LogReplay::default();
    for (number, line) in log.lines().enumerate() {
        let value = json::parse_json(line, JsonLimits::default()).unwrap();
        replay.line(number as u64 + 1, &value)?;
    }
    replay.finish()
}

#[test]
fn a_log_replays_to_the_state_it_ends_with() {
    let replayed = replay(LOG).unwrap();
    assert!(replayed.complete);
    assert_eq!(replayed.generations, ["g0"]);
    let end = json::parse_json(LOG.lines().last().unwrap(), JsonLimits::default()).unwrap();
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
    // The state of before is not that of the end.
    let lines: Vec<&str> = LOG.lines().collect();
    let state = replay(&cut).unwrap().state;
    let early = Record::from(StateDocument::of(&state).unwrap());
    let early = json::to_text(&early.to_value().unwrap());
    let inside = [lines[0], &early, lines[1], lines[2]].join("\n");
    assert!(!replay(&inside).unwrap().complete);
    // An offer that no turn of the log was asked with.
    assert!(replay(&cut.replace("open it", "open me")).is_err());
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
        assert!(replay(&join(&twice)).is_err(), "line {place} stands twice");
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
        (
            r#""version":1,"digest":"read""#,
            r#""version":2,"digest":"read""#,
        ),
        (r#""hint":"open it""#, r#""hint":"open me""#),
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

/// The tool that a model asked for is held against what follows, for every call: the answers of the log are those for that name.
#[test]
fn another_tool_in_place_of_the_one_that_was_asked_for_is_found() {
    let mut looked_at = 0;
    for (place, line) in LOG.lines().enumerate() {
        let value = json::parse_json(line, JsonLimits::default()).unwrap();
        let calls = value.pointer("/event/calls");
        let Some(calls) = calls.as_ref().and_then(|calls| calls.items()) else {
            continue;
        };
        for call in calls {
            let asked = json::to_text(&call);
            let tool = json::to_text(call.get("tool").unwrap());
            for other in ["run_shell", "delete_file"] {
                let changed = asked.replace(
                    &format!(r#""tool":{tool}"#),
                    &format!(r#""tool":"{other}""#),
                );
                assert_ne!(asked, changed);
                let touched: Vec<String> = (LOG.lines().enumerate())
                    .map(|(number, line)| match number == place {
                        true => line.replacen(&asked, &changed, 1),
                        false => line.to_owned(),
                    })
                    .collect();
                assert_ne!(touched[place], line);
                let divergence = replay(&touched.join("\n")).expect_err(&asked);
                assert_eq!(divergence.line, place as u64 + 1, "{divergence}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 4, "{looked_at}");
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
