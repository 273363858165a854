//! Runs whose process is killed, at every place where it matters: the test starts itself again as a process that dies there.

#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at what a killed process left"
)]

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chain_runtime::run::{OutcomeRuling, ResumeRequest};
use chain_runtime::{ChainResult, ChainStatus, RunOptions, StepStatus};
use journal::RunState;
use journal::failpoints::PLACES;
use tool_core::{Object, Value, json};

use registry::CallerContext;

use crate::durable::{Durable, approval_of, asker, outputs};
use crate::fakes::{operator, parse};

/// Names the folder for the process that is to die.
const FOLDER: &str = "MATHCHAIN_TEST_DURABLE";
/// Its plan; without one it goes on with the run.
const PLAN: &str = "MATHCHAIN_TEST_PLAN";
/// Whether it goes on as somebody who has to ask.
const ASKS: &str = "MATHCHAIN_TEST_ASKS";
/// What `abort` ends a process with.
const SIGABRT: i32 = 6;

const CRASHING: &str = "steps:
  - {id: a, tool: note, args: {key: k, text: alpha, number: 2}}
  - {id: big, tool: block, args: {count: 8000, value: {$ref: a.mean}}}
  - {id: m, tool: append, map: {over: [x, y]}, args: {path: {$ref: inputs.file}, text: {$ref: item}}}
  - {id: w, tool: append, after: [m], args: {path: {$ref: inputs.file}, text: w}}
  - {id: sum, tool: sum, args: {data: {$ref: big.data}}}
inputs:
  file: {type: string}
outputs: {sum: {$ref: sum.sum}, words: {$ref: w.text}}
";

/// How often a run of [`CRASHING`] passes each place: those of this crate and those in the tool that has the effect.
const PASSED: [(&str, u64); 11] = [
    ("journal.before_intent", 3),
    ("journal.after_intent", 3),
    ("artifact.temp", 1),
    ("artifact.sync", 1),
    ("artifact.rename", 1),
    ("journal.before_settled", 6),
    ("journal.after_settled", 6),
    ("journal.before_finish", 1),
    ("journal.after_finish", 1),
    ("run.before_effect", 3),
    ("run.after_effect", 3),
];

/// As [`CRASHING`], with a tool that can tell whether it did its work.
const STAMPING: &str = "steps:
  - {id: w, tool: stamp, args: {path: {$ref: inputs.file}, text: w}}
  - {id: after, tool: any, args: {value: {$ref: w.text}}}
inputs:
  file: {type: string}
outputs: {word: {$ref: after.result}}
";

fn run_crashing(folder: &Path, plan: &str, context: &CallerContext) -> ChainResult {
    let durable = Durable::open(&folder.join("state"));
    let mut inputs = Object::new();
    inputs.insert("file", folder.join("effects.txt").to_str().unwrap());
    let options = RunOptions {
        threads: 1,
        chain_id: Some("crashing".to_owned()),
        ..durable.options()
    };
    chain_runtime::execute_plan(&parse(plan), &durable.asking(), context, &inputs, options).unwrap()
}

/// The answer of a run of a plan that nobody killed.
fn uninterrupted(plan: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let result = run_crashing(folder.path(), plan, &operator());
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    bytes(&result)
}

/// All of an answer that is the same in every run; the digest of the plan covers the name of its folder.
fn bytes(result: &ChainResult) -> String {
    let whole = result.deterministic();
    let keep = ["status", "outputs", "waves", "steps", "undone"];
    let kept = Value::object(keep.map(|key| (key, whole.get(key).cloned().unwrap_or_default())));
    json::to_text(&kept)
}

/// The process that is to die; nothing on its own.
#[test]
fn dies_where_it_is_told() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    match std::env::var(PLAN) {
        Ok(plan) => drop(run_crashing(&folder, &plan, &operator())),
        Err(_) => {
            let durable = Durable::open(&folder.join("state"));
            let context = match std::env::var_os(ASKS) {
                Some(_) => asker(),
                None => operator(),
            };
            let resumed = durable.resume("crashing", &context, &ResumeRequest::default());
            resumed.unwrap();
        }
    }
}

/// Whether a process that runs a plan, or goes on with it, is killed at a place; else it ends as it should.
fn dies_at(folder: &Path, plan: Option<&str>, place: &str) -> bool {
    dies_with(folder, plan, place, &[])
}

fn dies_with(folder: &Path, plan: Option<&str>, place: &str, more: &[(&str, &str)]) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "crashes::dies_where_it_is_told", "--nocapture"])
        .env(FOLDER, folder)
        .env("MATHCHAIN_FAILPOINT", place)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null());
    command.envs(more.iter().copied());
    if let Some(plan) = plan {
        command.env(PLAN, plan);
    }
    let status = command.status().unwrap();
    match (status.signal(), status.success()) {
        (Some(SIGABRT), _) => true,
        (None, true) => false,
        _ => panic!("{place}: neither killed there nor ended: {status}"),
    }
}

/// Goes on with the run as a person would who looks what happened, and gives its result and how often they were asked.
fn gone_on(folder: &Path, place: &str) -> (ChainResult, usize) {
    let durable = Durable::open(&folder.join("state"));
    let mut how = ResumeRequest::default();
    let mut asked = 0;
    loop {
        let result = durable
            .resume("crashing", &operator(), &how)
            .unwrap_or_else(|err| panic!("{place}: {err:?}"));
        if result.status != ChainStatus::NeedsDecision {
            return (result, asked);
        }
        asked += 1;
        assert_eq!(durable.state_of("crashing"), RunState::NeedsDecision);
        let mut steps = result.steps.iter();
        let open = steps.find(|step| step.end.status == StepStatus::Unknown);
        let error = open.unwrap().end.error.as_ref().unwrap();
        let hint = error.hint_str().unwrap();
        let (_, rest) = hint.split_once("--decide ").unwrap();
        let name = rest.split_once('=').unwrap().0;
        // To a shell brackets are a pattern.
        assert_eq!(name.contains('['), rest.starts_with('\''), "{hint}");
        let name = name.trim_start_matches('\'').to_owned();
        let word = match &*name {
            "m[0]" => "x",
            "m[1]" => "y",
            _ => "w",
        };
        let text = std::fs::read_to_string(folder.join("effects.txt")).unwrap_or_default();
        let decision = match text.lines().any(|line| line == word) {
            true => OutcomeRuling::Done(Value::object([("text", word)])),
            false => OutcomeRuling::Again,
        };
        how.decisions = vec![(name, decision)];
    }
}

/// Every effect happened once, in order, and every record is there.
fn assert_whole(folder: &Path, place: &str) {
    let text = std::fs::read_to_string(folder.join("effects.txt")).unwrap();
    assert_eq!(text, "x\ny\nw\n", "{place}");
    let durable = Durable::open(&folder.join("state"));
    let report = durable.state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{place}: {:?}", report.faults);
    assert_eq!(durable.state_of("crashing"), RunState::Succeeded, "{place}");
    let replayed = durable.replay("crashing", 2);
    assert_eq!(replayed.result_same, Some(true), "{place}");
}

/// Case T25, for every place and each time it is passed: an effect is never repeated; where it is not known whether one happened,
/// a person is asked; the result is that of a run that nobody killed.
#[test]
fn killed_anywhere_a_run_goes_on_and_repeats_no_effect() {
    assert_eq!(
        PASSED[..PLACES.len()]
            .iter()
            .map(|one| one.0)
            .collect::<Vec<_>>(),
        PLACES
    );
    let expected = uninterrupted(CRASHING);
    let mut asked = 0;
    for (name, passed) in PASSED {
        for nth in 1.. {
            let place = format!("{name}:{nth}");
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            if !dies_at(folder, Some(CRASHING), &place) {
                assert_eq!(nth - 1, passed, "{name} is passed another number of times");
                break;
            }
            if name == "journal.after_finish" {
                let durable = Durable::open(&folder.join("state"));
                let err = durable.resume("crashing", &operator(), &ResumeRequest::default());
                assert_eq!(err.unwrap_err().reason_str(), Some("run_ended"));
            } else {
                let (result, decisions) = gone_on(folder, &place);
                assert_eq!(bytes(&result), expected, "{place}");
                asked += decisions;
            }
            assert_whole(folder, &place);
        }
    }
    // Between the intent of an effect and its outcome, the second of which may be two places of the journal.
    assert!(asked >= 9, "{asked}");
}

/// Killed again while it goes on, and then again: the same.
#[test]
fn killed_twice_a_run_goes_on_and_repeats_no_effect() {
    let expected = uninterrupted(CRASHING);
    let mut killed = 0;
    for (first, _) in PASSED {
        if first == "journal.after_finish" {
            continue; // there is nothing to go on with
        }
        for second in ["artifact.sync", "run.after_effect", "journal.before_finish"] {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let place = format!("{first}, {second}");
            assert!(dies_at(folder, Some(CRASHING), first), "{first}");
            // It may pass no such place any more: then it ends, or waits for a decision.
            killed += u32::from(dies_at(folder, None, second));
            let state = Durable::open(&folder.join("state")).state_of("crashing");
            if state != RunState::Succeeded {
                let (result, _) = gone_on(folder, &place);
                assert_eq!(bytes(&result), expected, "{place}");
            }
            assert_whole(folder, &place);
        }
    }
    assert!(killed > 12, "{killed}");
}

/// A tool that can look says itself whether a call happened: nobody is asked, and the call is neither lost nor repeated.
#[test]
fn a_tool_that_can_look_settles_what_a_crash_left_open() {
    let expected = uninterrupted(STAMPING);
    let points = [
        "journal.before_intent",
        "journal.after_intent",
        "run.before_effect",
        "run.after_effect",
        "journal.before_settled",
    ];
    for point in points {
        let folder = tempfile::tempdir().unwrap();
        assert!(dies_at(folder.path(), Some(STAMPING), point), "{point}");
        let durable = Durable::open(&folder.path().join("state"));
        let result = durable
            .resume("crashing", &operator(), &ResumeRequest::default())
            .unwrap();
        assert_eq!(bytes(&result), expected, "{point}");
        let file = folder.path().join("effects.txt");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "w", "{point}");
        let probed = durable.state.run_records("crashing").unwrap();
        let probed = probed
            .iter()
            .find_map(|record| record.get("probed")?.as_str().map(str::to_owned));
        let wanted = match point {
            "journal.before_intent" => None,
            "journal.after_intent" | "run.before_effect" => Some("not_happened"),
            _ => Some("happened"),
        };
        assert_eq!(probed.as_deref(), wanted, "{point}");
        assert!(
            durable.state.verify(&[], true).unwrap().is_sound(),
            "{point}"
        );
    }
}

/// The same across an approval: the one intent that uses it up names it and has what was noted, so that nobody has to decide. Who
/// was killed before the effect has used up the approval, and asks anew.
#[test]
fn an_approved_call_that_a_crash_left_open_is_settled() {
    let expected = uninterrupted(STAMPING);
    for (point, asks_anew) in [
        ("journal.before_intent", false),
        ("journal.after_intent", true),
        ("run.before_effect", true),
        ("run.after_effect", false),
        ("journal.before_settled", false),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let waits = run_crashing(folder.path(), STAMPING, &asker());
        assert_eq!(waits.status, ChainStatus::Suspended, "{point}");
        let state = folder.path().join("state");
        let approve = |result: &ChainResult| {
            let durable = Durable::open(&state);
            let approval = approval_of(result, "w");
            durable.state.approve(&approval, "terminal").unwrap();
        };
        approve(&waits);
        assert!(
            dies_with(folder.path(), None, point, &[(ASKS, "1")]),
            "{point}"
        );
        let go_on = || {
            let durable = Durable::open(&state);
            durable
                .resume("crashing", &asker(), &ResumeRequest::default())
                .unwrap_or_else(|err| panic!("{point}: {err}"))
        };
        let mut result = go_on();
        if asks_anew {
            assert_eq!(result.status, ChainStatus::Suspended, "{point}");
            approve(&result);
            result = go_on();
        }
        assert_eq!(bytes(&result), expected, "{point}");
        let file = folder.path().join("effects.txt");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "w", "{point}");
        let durable = Durable::open(&state);
        let records = durable.state.run_records("crashing").unwrap();
        let kind = |record: &&Value| record.get("kind") == Some(&Value::from("intent"));
        let intents: Vec<&Value> = records.iter().filter(kind).collect();
        assert_eq!(intents.len(), 1 + usize::from(asks_anew), "{point}");
        for intent in intents {
            let by = intent.get("approved_by").and_then(Value::as_str);
            assert_eq!(by, Some("terminal"), "{point}: {intent}");
            let named = intent.get("approval_id").and_then(Value::as_str);
            assert!(named.is_some_and(|id| id.len() == 12), "{point}: {intent}");
            assert!(intent.get("before").is_some(), "{point}: {intent}");
        }
        assert!(
            durable.state.verify(&[], true).unwrap().is_sound(),
            "{point}"
        );
    }
}

/// Where it cannot tell, a person is asked as ever.
#[test]
fn a_tool_that_looks_and_cannot_tell_leaves_it_to_a_person() {
    let folder = tempfile::tempdir().unwrap();
    assert!(dies_at(folder.path(), Some(STAMPING), "run.after_effect"));
    std::fs::write(folder.path().join("effects.txt"), "of somebody else").unwrap();
    let durable = Durable::open(&folder.path().join("state"));
    let result = durable
        .resume("crashing", &operator(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(result.status, ChainStatus::NeedsDecision);
    let mut how = ResumeRequest::default();
    let odd = Value::object([("size", 3_i64)]);
    how.decisions
        .push(("w".to_owned(), OutcomeRuling::Done(odd)));
    let refused = durable.resume("crashing", &operator(), &how).unwrap_err();
    assert!(refused.message().contains("cannot give"), "{refused}");
    how.decisions[0].1 = OutcomeRuling::Done(Value::object([("text", "w")]));
    let result = durable.resume("crashing", &operator(), &how).unwrap();
    assert_eq!(outputs(&result), r#"{"word":"w"}"#);
}
