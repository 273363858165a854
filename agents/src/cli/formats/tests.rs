//! What the formats state, by lines as their command lines print them.

use super::{STREAM_FORMATS, read_output};
use crate::cli::formats::AgentOutput;
use registry::model::CliSpec;

fn said(format: &str, lines: &[&str]) -> AgentOutput {
    let mut said = read_output(format);
    lines.iter().for_each(|line| said.read_line(line));
    said
}

/// A table that names a format without a reader would count and limit nothing, and a reader without a table is never used.
#[test]
fn every_built_in_table_has_its_format_and_every_format_its_table() {
    let tables = CliSpec::built_in().iter();
    let named: Vec<&str> = tables.map(|cli| cli.stream_format.as_str()).collect();
    let known: Vec<&str> = STREAM_FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(named, known);
}

#[test]
fn claude_states_answer_turns_and_cost() {
    let said = said(
        "claude",
        &[
            r#"{"type":"system","subtype":"init","session_id":"s","tools":["Read"],"mcp_servers":[]}"#,
            r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"Let me see."}]},"session_id":"s"}"#,
            r#"{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Read","input":{}}]}}"#,
            r#"{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"42"}]}}"#,
            r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":5,"num_turns":2,"result":"42","total_cost_usd":0.0125,"usage":{"input_tokens":10,"output_tokens":4}}"#,
        ],
    );
    assert_eq!(
        (said.answer(), said.turns, said.cost_usd),
        ("42", Some(2), Some(0.0125))
    );
    assert_eq!(
        (said.input_tokens, said.output_tokens, said.error.as_ref()),
        (Some(10), Some(4), None)
    );
}

#[test]
fn claude_counts_turns_before_the_result() {
    let line =
        |id: &str| format!(r#"{{"type":"assistant","message":{{"id":"{id}","content":[]}}}}"#);
    let lines = [line("m1"), line("m1"), line("m2"), line("m3")];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let found = said("claude", &lines);
    assert_eq!((found.turns, found.cost_usd), (Some(3), None));
    let failed = said(
        "claude",
        &[r#"{"type":"result","subtype":"error_max_turns","is_error":true,"num_turns":9}"#],
    );
    assert_eq!(failed.error.as_deref(), Some("error_max_turns"));
}

#[test]
fn codex_states_tokens_and_no_cost() {
    let found = said(
        "codex",
        &[
            r#"{"type":"thread.started","thread_id":"t"}"#,
            r#"{"type":"turn.started"}"#,
            r#"{"type":"item.completed","item":{"id":"i0","type":"reasoning","text":"thinking"}}"#,
            r#"{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"done"}}"#,
            r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":50,"output_tokens":7}}"#,
        ],
    );
    assert_eq!(
        (found.answer(), found.turns, found.cost_usd),
        ("done", Some(1), None)
    );
    assert_eq!(
        (found.input_tokens, found.output_tokens),
        (Some(100), Some(7))
    );
    let failed = said(
        "codex",
        &[r#"{"type":"turn.failed","error":{"message":"429 Too Many Requests"}}"#],
    );
    assert_eq!(failed.error.as_deref(), Some("429 Too Many Requests"));
}

#[test]
fn gemini_copilot_and_opencode_state_what_they_state() {
    let gemini = said(
        "gemini",
        &[
            r#"{"type":"init","session_id":"s","model":"m"}"#,
            r#"{"type":"message","role":"user","content":"hello"}"#,
            r#"{"type":"message","role":"assistant","content":"good ","delta":true}"#,
            r#"{"type":"message","role":"assistant","content":"day","delta":true}"#,
            r#"{"type":"result","status":"success","stats":{"total_tokens":12,"input_tokens":8,"output_tokens":4}}"#,
        ],
    );
    assert_eq!(
        (gemini.answer(), gemini.turns, gemini.cost_usd),
        ("good day", None, None)
    );
    assert_eq!(gemini.output_tokens, Some(4));
    let copilot = said(
        "copilot",
        &[r#"{"type":"assistant.message","data":{"content":"hi"}}"#],
    );
    assert_eq!((copilot.answer(), copilot.cost_usd), ("hi", None));
    let opencode = said(
        "opencode",
        &[
            r#"{"type":"text","part":{"type":"text","text":"hi"}}"#,
            r#"{"type":"step_finish","part":{"cost":0.5,"tokens":{"input":3,"output":2}}}"#,
            r#"{"type":"step_finish","part":{"cost":0.25,"tokens":{"input":1,"output":1}}}"#,
        ],
    );
    assert_eq!(
        (opencode.answer(), opencode.turns, opencode.cost_usd),
        ("hi", Some(2), Some(0.75))
    );
    assert_eq!(
        (opencode.input_tokens, opencode.output_tokens),
        (Some(4), Some(3))
    );
}

#[test]
fn plain_output_is_the_answer_and_states_nothing_else() {
    let found = said("", &["one", "two"]);
    assert_eq!(
        (found.answer(), found.turns, found.cost_usd),
        ("one\ntwo", None, None)
    );
    let broken = said("claude", &["not json", "{", r#"{"type":7}"#, "[]", "null"]);
    assert_eq!((broken.answer(), broken.error.as_ref()), ("", None));
}
