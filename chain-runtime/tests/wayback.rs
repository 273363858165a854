//! The way back, killed anywhere: a model of what the world has seen, and processes that die while a run is undone, cancelled or
//! out of time.
//!
//! What must hold of every run in the end: whatever was done was undone, once, in reverse; nothing was undone that was not done,
//! unless it may be undone twice; after the first undoing nothing was done; the journal is sound.

#![expect(
    clippy::disallowed_methods,
    reason = "the test looks at what a killed process left"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use chain_runtime::run::{OutcomeRuling, ResumeRequest, cancel_run};
use chain_runtime::{ChainResult, ChainStatus, RunOptions};
use journal::RunState;
use journal::failpoints::PLACES;
use rand::rngs::SmallRng;
use rand::{RngExt as _, SeedableRng as _};
use tool_core::{Object, StopFlag, ToolError, Value, json};

use crate::durable::Durable;
use crate::fakes::{operator, parse};

const FOLDER: &str = "MATHCHAIN_TEST_WAYBACK";
/// What the process that may die does: [`Way::run`]'s words, `resume` or `cancel`.
const WHAT: &str = "MATHCHAIN_TEST_WAYBACK_DOES";
const RUN: &str = "wayback";

/// The way a run comes to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its last step fails.
    Fails,
    /// It is cancelled where it runs.
    Cancelled,
    /// Its time is up.
    Late,
    /// Its process was killed before, and it is cancelled by another one.
    CancelledLater,
}

const WAYS: [Way; 4] = [Way::Fails, Way::Cancelled, Way::Late, Way::CancelledLater];

impl Way {
    fn word(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Cancelled => "cancelled",
            Self::Late => "late",
            Self::CancelledLater => "killed",
        }
    }

    fn plan(self) -> String {
        let last = match self {
            Self::Fails => "{id: last, tool: fail, after: [n], args: {key: wayback, text: last}}",
            _ => {
                "{id: last, tool: note, after: [n], args: {key: wayback, text: last, sleep_ms: 60000}}"
            }
        };
        let limit = match self {
            Self::Late => "deadline_ms: 150\n",
            _ => "",
        };
        format!(
            "{limit}{PLAN}  - {last}\n  - {{id: never, tool: append, after: [last], args: {{path: {{$ref: inputs.file}}, text: never}}}}\ninputs:\n  file: {{type: string}}\n"
        )
    }
}

/// Effects of every kind: a step, elements of a map, a plan within, one whose undoing may be done twice, one that says nothing of it.
const PLAN: &str = "steps:
  - {id: a, tool: append, args: {path: {$ref: inputs.file}, text: a}, compensate: {tool: append, args: {path: {$ref: inputs.file}, text: undo a}}}
  - {id: m, tool: append, after: [a], map: {over: [x, y]}, args: {path: {$ref: inputs.file}, text: {$ref: item}}, compensate: {tool: append, args: {path: {$ref: inputs.file}, text: {$fmt: 'undo {}', args: [{$ref: item}]}}}}
  - {id: s, tool: chain_run, after: [m], args: {inputs: {file: {$ref: inputs.file}}, plan: {$lit: {version: 1, inputs: {file: {type: string}}, steps: [
      {id: i, tool: append, args: {path: {$ref: inputs.file}, text: i}, compensate: {tool: append, args: {path: {$ref: inputs.file}, text: undo i}}}, SLOW]}}}}
  - {id: p, tool: append, after: [s], args: {path: {$ref: inputs.file}, text: p}, compensate: {tool: mark, args: {path: {$ref: inputs.file}, text: undo p}}}
  - {id: n, tool: append, after: [p], args: {path: {$ref: inputs.file}, text: n}}
";

/// The process that may die; nothing on its own.
#[test]
fn goes_back_where_it_is_told() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let durable = Durable::open(&folder.join("state"));
    let what = std::env::var(WHAT).unwrap();
    // A run that stands as it should is no fault of the process.
    match what.as_str() {
        "resume" => drop(durable.resume(RUN, &operator(), &ResumeRequest::default())),
        "cancel" => drop(cancel_run(
            &durable.state,
            RUN,
            &durable.asking(),
            &operator(),
        )),
        word => run(
            &durable,
            &folder,
            WAYS.into_iter().find(|way| way.word() == word).unwrap(),
        ),
    }
}

fn run(durable: &Durable, folder: &Path, way: Way) {
    let stop = StopFlag::new();
    let file = folder.join("effects.txt");
    let (seen, flag) = (file.clone(), stop.clone());
    std::thread::spawn(move || {
        while !lines(&seen).iter().any(|line| line == "n") {
            std::thread::sleep(Duration::from_millis(1));
        }
        match way {
            Way::Cancelled => flag.cancel(),
            Way::CancelledLater => std::process::abort(),
            Way::Fails | Way::Late => {}
        }
    });
    let mut inputs = Object::new();
    inputs.insert("file", file.to_str().unwrap());
    let options = RunOptions {
        threads: 2,
        chain_id: Some(RUN.to_owned()),
        stop,
        ..durable.options()
    };
    let plan = parse(&way.plan().replace(", SLOW", ""));
    let ended =
        chain_runtime::execute_plan(&plan, &durable.asking(), &operator(), &inputs, options);
    ended.unwrap();
}

fn lines(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn start(folder: &Path, what: &str, place: Option<&str>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "wayback::goes_back_where_it_is_told",
            "--nocapture",
        ])
        .env(FOLDER, folder)
        .env(WHAT, what)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(place) = place {
        command.env("MATHCHAIN_FAILPOINT", place);
    }
    command.spawn().unwrap()
}

/// Whether a process was killed, or ended as it should.
fn dies(folder: &Path, what: &str, place: &str) -> bool {
    use std::os::unix::process::ExitStatusExt as _;
    let status = start(folder, what, Some(place)).wait().unwrap();
    assert!(
        status.signal().is_some() || status.success(),
        "{what} {place}: {status}"
    );
    status.signal().is_some()
}

/// Goes on with the run as a person would who looks what happened; gives the result where it had not ended before.
fn settle(folder: &Path, name: &str, cancels: bool) -> Option<ChainResult> {
    let durable = Durable::open(&folder.join("state"));
    let mut how = ResumeRequest::default();
    let mut first = cancels;
    for _ in 0..40 {
        let result = match first {
            true => cancelled(&durable),
            false => durable.resume(RUN, &operator(), &how),
        };
        first = false;
        let result = match result {
            Ok(result) => result,
            Err(err) if err.reason_str() == Some("run_ended") => return None,
            Err(err) => panic!("{name}: {err:?}"),
        };
        if result.status != ChainStatus::NeedsDecision {
            return Some(result);
        }
        assert_eq!(durable.state_of(RUN), RunState::NeedsDecision, "{name}");
        // The answer itself says what is asked.
        let error = result.error.as_ref().unwrap();
        let hint = error
            .hint_str()
            .unwrap_or_else(|| panic!("{name}: {error:?}"));
        how = answered(hint, &lines(&folder.join("effects.txt")), name);
    }
    panic!("{name}: it does not end");
}

fn cancelled(durable: &Durable) -> Result<ChainResult, ToolError> {
    let cancelled = cancel_run(&durable.state, RUN, &durable.asking(), &operator())?;
    cancelled.result.map(|result| *result)
}

/// What a person says who reads the hint and looks at the world.
fn answered(hint: &str, lines: &[String], name: &str) -> ResumeRequest {
    let (_, rest) = hint
        .split_once("runs resume ")
        .unwrap_or_else(|| panic!("{name}: {hint}"));
    let (run, rest) = rest
        .split_once(" --decide ")
        .unwrap_or_else(|| panic!("{name}: {hint}"));
    let call = rest.trim_start_matches('\'').split_once('=').unwrap().0;
    let (step, undoes) = match call.strip_suffix("!compensate") {
        Some(step) => (step, true),
        None => (call, false),
    };
    let word = match step {
        "m[0]" => "x",
        "m[1]" => "y",
        step => step,
    };
    let word = if undoes {
        format!("undo {word}")
    } else {
        word.to_owned()
    };
    let decision = match lines.contains(&word) {
        true => OutcomeRuling::Done(Value::object([("text", word)])),
        false if hint.contains("=again") => OutcomeRuling::Again,
        false => OutcomeRuling::Failed,
    };
    let decisions = vec![(call.to_owned(), decision)];
    match run == RUN {
        true => ResumeRequest {
            decisions,
            ..ResumeRequest::default()
        },
        false => ResumeRequest {
            within: BTreeMap::from([(run.to_owned(), decisions)]),
            ..ResumeRequest::default()
        },
    }
}

/// Holds what the world has seen against what must hold of a run that ended.
fn assert_undone(folder: &Path, name: &str) {
    let seen = lines(&folder.join("effects.txt"));
    let count = |word: &str| seen.iter().filter(|line| *line == word).count();
    for word in ["a", "x", "y", "i", "p"] {
        let (done, undone) = (count(word), count(&format!("undo {word}")));
        assert!(done <= 1, "{name}: {word} was done twice: {seen:?}");
        // What a plan within did stays when it has ended well: it says nothing of how that plan is undone.
        match word {
            "i" => assert!(undone <= done, "{name}: {seen:?}"),
            "p" => assert!(undone >= done, "{name}: {seen:?}"),
            _ => assert_eq!(done, undone, "{name}: {word}: {seen:?}"),
        }
    }
    assert!(count("n") <= 1 && count("never") == 0, "{name}: {seen:?}");
    let first = seen.iter().position(|line| line.starts_with("undo"));
    let (forward, back) = seen.split_at(first.unwrap_or(seen.len()));
    assert!(
        back.iter().all(|line| line.starts_with("undo")),
        "{name}: forward after the way back had begun: {seen:?}"
    );
    let reversed: Vec<String> = forward
        .iter()
        .rev()
        .map(|word| format!("undo {word}"))
        .collect();
    let mut expected = reversed.iter();
    for undo in back.iter().filter(|undo| reversed.contains(*undo)) {
        // The last of those that may be done twice counts.
        let again = *undo == "undo p" && !expected.clone().any(|one| one == undo);
        assert!(again || expected.any(|one| one == undo), "{name}: {seen:?}");
    }
    let durable = Durable::open(&folder.join("state"));
    let report = durable.state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{name}: {:?}", report.faults);
    for run in durable.state.runs(None, 9).unwrap() {
        assert!(run.state.is_final(), "{name}: {} {:?}", run.id, run.state);
    }
}

/// What every run that ended so answers alike: how each step ended, and what was undone.
fn told(result: &ChainResult) -> String {
    let whole = result.deterministic();
    let keep = ["status", "outputs", "undone"];
    let kept = keep.map(|key| (key, whole.get(key).cloned().unwrap_or_default()));
    json::to_text(&Value::object(kept))
}

/// Every place, the first and a later time it is passed, on each way to the end; then gone on with, or cancelled.
#[test]
fn killed_anywhere_on_the_way_back_a_run_is_undone() {
    let places = PLACES
        .into_iter()
        .chain(["run.before_effect", "run.after_effect"]);
    let places: Vec<&str> = places
        .filter(|place| !place.starts_with("artifact"))
        .collect();
    let mut killed = 0;
    let mut answers: BTreeMap<&str, String> = BTreeMap::new();
    for (number, way) in WAYS.into_iter().enumerate() {
        for place in &places {
            // Steps forward pass most places some six times: the later ones are on the way back.
            for nth in [4, 7, 8, 9, 10] {
                if place.ends_with("finish") && nth > 4 {
                    continue;
                }
                let nth = if place.ends_with("finish") {
                    1 + nth % 2
                } else {
                    nth
                };
                let name = format!("{way:?} {place}:{nth}");
                let folder = tempfile::tempdir().unwrap();
                let folder = folder.path();
                let at = format!("{place}:{nth}");
                if way == Way::CancelledLater {
                    start(folder, way.word(), None).wait().unwrap();
                    let at = format!("{place}:{}", nth % 4 + 1);
                    killed += usize::from(dies(folder, "cancel", &at));
                } else {
                    killed += usize::from(dies(folder, way.word(), &at));
                }
                if !folder.join("effects.txt").exists() {
                    continue;
                }
                let cancels = way != Way::Fails && (number + nth as usize).is_multiple_of(2);
                // Without a cancel what was not ended goes forward, as it should; only what never ends is cancelled.
                let forward = way != Way::Fails && !has_ending(folder);
                let result = settle(folder, &name, cancels || forward);
                assert_undone(folder, &name);
                if let (Way::Fails, Some(result)) = (way, &result) {
                    let told = told(result);
                    let first = answers.entry("fails").or_insert_with(|| told.clone());
                    assert_eq!(*first, told, "{name}");
                }
            }
        }
    }
    assert!(killed > 60, "{killed}");
}

/// Whether it is written that the run ends.
fn has_ending(folder: &Path) -> bool {
    let durable = Durable::open(&folder.join("state"));
    let records = durable.state.run_records(RUN).unwrap_or_default();
    let kind = Value::from("ending");
    records
        .iter()
        .any(|record| record.get("kind") == Some(&kind))
}

/// Kills at moments that are drawn, again and again until it ends.
fn kill_at_random(seed: u64, kills: usize) {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut killed = 0;
    let mut rounds = 0;
    while killed < kills {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let way = WAYS[rng.random_range(0..WAYS.len())];
        let name = format!("round {rounds} of seed {seed}: {way:?}");
        rounds += 1;
        let mut what = way.word();
        for _ in 0..rng.random_range(1..5) {
            let mut child = start(folder, what, None);
            std::thread::sleep(Duration::from_micros(rng.random_range(2_000..60_000)));
            let _ = child.kill();
            killed += usize::from(!child.wait().unwrap().success());
            if !folder.join("state/state.db").exists() {
                continue;
            }
            what = match way {
                Way::Fails => "resume",
                _ if rng.random_bool(0.3) && has_ending(folder) => "resume",
                _ => "cancel",
            };
        }
        if !folder.join("effects.txt").exists() {
            continue;
        }
        let cancels = way != Way::Fails;
        settle(folder, &name, cancels);
        assert_undone(folder, &name);
    }
    // Were processes to end before they are killed, nothing would be tried.
    assert!(rounds <= 20 * kills, "{killed} kills in {rounds} runs");
}

#[test]
fn killed_at_random_a_run_is_undone() {
    kill_at_random(7, 40);
}

#[test]
#[ignore = "2,000 random kills of processes: minutes; `.ci/soak` runs it"]
fn killed_two_thousand_times_a_run_is_undone() {
    kill_at_random(20_261_123, 2_000);
}
