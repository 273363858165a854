//! Logs: the same bytes for the same input, and what a replay finds.

use tool_core::{Value, json};

use super::{example, kind, lines, place, replays, results};
use crate::support::{Place, root};

/// Digests by the order in which they come, ids that are new in every run, and times of files.
fn masked(text: &str) -> String {
    let mut seen: Vec<&str> = Vec::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let (before, quoted) = rest.split_at(start + 1);
        out.push_str(before);
        let end = quoted.find('"').unwrap_or(quoted.len());
        let word = &quoted[..end];
        let is_head =
            |hash: &str| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if hex && (word.len() == 64 || out.ends_with(r#""approval_id":""#)) {
            let place = seen
                .iter()
                .position(|known| *known == word)
                .unwrap_or_else(|| {
                    seen.push(word);
                    seen.len() - 1
                });
            out.push_str(&format!("<{place}>"));
        } else if word.rsplit_once(':').is_some_and(|(_, hash)| is_head(hash)) {
            out.push_str("<head>");
        } else {
            out.push_str(word);
        }
        rest = &quoted[end..];
        if let Some(closing) = rest.strip_prefix('"') {
            out.push('"');
            rest = closing;
        }
        // When the test wrote the file.
        if word == "modified" && rest.starts_with(':') {
            out.push_str(":0");
            rest = rest[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        }
    }
    out.push_str(rest);
    out
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a golden file is no file of a workspace"
)]
fn the_log_of_the_example_is_as_it_was() {
    let place = place();
    let answer = place.run(
        &["session", "--name", "golden", "--threads", "3"],
        &example(),
    );
    let found = masked(&answer.expect_code(0).stdout);
    let path = root().join("doors/cli/tests/golden/session.jsonl");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).expect("writes");
    }
    let golden = std::fs::read_to_string(&path).expect("the golden log");
    for (number, (golden, found)) in golden.lines().zip(found.lines()).enumerate() {
        assert_eq!(found, golden, "line {}; UPDATE=1 rewrites it", number + 1);
    }
    assert_eq!(golden.lines().count(), found.lines().count());
    // The same lines for another number of threads.
    let again = place.run(
        &["session", "--name", "golden", "--threads", "1"],
        &example(),
    );
    assert_eq!(masked(&again.expect_code(0).stdout), found);
}

#[test]
fn the_log_of_a_call_as_deep_as_a_line_may_be_replays() {
    let place = place();
    // Three levels are around the arguments.
    let call = |levels: usize| {
        let deep = "[".repeat(levels - 3) + &"]".repeat(levels - 3);
        format!(
            "{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"{levels}\",\"tool\":\"statistics\",\"args\":{deep}}}]}}\n"
        )
    };
    let most = json::JsonLimits::default().depth_max - 1;
    let input = "{\"type\":\"run.requested\"}\n".to_owned() + &call(most) + &call(most + 1);
    let answer = place.run(&["session"], &input);
    let lines = lines(answer.expect_code(0));
    assert_eq!(results(&lines), [format!("{most} rejected limit_exceeded")]);
    let refused = lines.iter().filter(|line| kind(line) == "line.refused");
    assert_eq!(refused.count(), 1);
    replays(&place, &answer);
}

#[test]
fn a_log_that_was_touched_does_not_replay_and_schemas_are_printed() {
    let place = place();
    let answer = place.run(&["session"], &example());
    let touched = answer
        .stdout
        .replace("\"status\":\"expired\"", "\"status\":\"closed\"");
    let replay = place.run(&["session", "replay", "-", "--json"], &touched);
    assert_eq!(
        replay.expect_code(1).at("/error/reason"),
        Value::from("divergence")
    );
    let other = Place::new();
    let replay = other.run(&["session", "replay", "-"], &answer.stdout);
    assert!(
        replay
            .expect_code(0)
            .stderr
            .contains("was recorded with registry generation"),
        "{}",
        replay.stderr
    );
    for nothing in [
        "",
        r#"{"type":"line.refused","line":1,"error":{"code":"invalid_request","message":"no"}}"#,
    ] {
        let replay = place.run(&["session", "replay", "-", "--json"], nothing);
        let replay = replay.expect_code(2);
        assert_eq!(replay.at("/error/reason"), Value::from("log"), "{nothing}");
        let hint = replay.at("/error/hint").to_string();
        assert!(hint.contains("mathchain session <"), "{hint}");
    }
    let schema = place.run(&["session", "schema", "event"], "");
    assert_eq!(
        schema.expect_code(0).at("/oneOf/0/properties/type/const"),
        Value::from("session.opened")
    );
}
