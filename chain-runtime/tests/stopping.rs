//! Runs that are stopped: asked to end with their process, cancelled by another one, out of time; and what is asked then.

use std::time::{Duration, Instant};

use chain_runtime::run::{OutcomeRuling, ResumeRequest, cancel_run};
use chain_runtime::{ChainResult, ChainStatus, RunOptions, StepStatus};
use journal::RunState;
use registry::CallerContext;
use tool_core::{ErrorCode, Object, StopFlag, Value};

use crate::durable::{Durable, asker};
use crate::fakes::{has_logged, logged, operator, parse, statuses, steps};

const RUN: &str = "stopping";

/// Runs a plan, and does something once a tool has noted so many lines.
fn run_and(
    durable: &Durable,
    (plan, context): (&str, &CallerContext),
    (key, lines): (&str, usize),
    then: impl FnOnce(&StopFlag) + Send,
) -> ChainResult {
    let stop = StopFlag::new();
    let options = RunOptions {
        chain_id: Some(RUN.to_owned()),
        stop: stop.clone(),
        ..durable.options()
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let began = Instant::now();
            while has_logged(key) < lines && began.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(2));
            }
            std::thread::sleep(Duration::from_millis(50));
            then(&stop);
        });
        let (plan, none) = (parse(plan), Object::new());
        chain_runtime::execute_plan(&plan, &durable.asking(), context, &none, options)
            .unwrap_or_else(|problems| panic!("{problems}"))
    })
}

fn undone_note(key: &str, id: &str, ms: u64) -> String {
    format!(
        "{{id: {id}, tool: note, args: {{key: {key}, text: {id}}}, compensate: {{tool: note, args: {{key: {key}, text: undo {id}, sleep_ms: {ms}}}}}}}"
    )
}

/// A process that is asked to end leaves the run as it is: nothing is undone, and it goes on where it stood.
#[test]
fn a_run_whose_process_is_asked_to_end_goes_on_later() {
    let folder = tempfile::tempdir().unwrap();
    let key = "interrupted";
    let plan = steps(&[
        &undone_note(key, "a", 0),
        &format!(
            "{{id: b, tool: note, after: [a], args: {{key: {key}, text: b, sleep_ms: 1000}}}}"
        ),
        &format!("{{id: c, tool: note, after: [b], args: {{key: {key}, text: c}}}}"),
    ]);
    let durable = Durable::open(folder.path());
    let result = run_and(
        &durable,
        (&plan, &operator()),
        (key, 1),
        StopFlag::interrupt,
    );
    assert_eq!(result.status, ChainStatus::Interrupted);
    assert_eq!(statuses(&result), "a:done b:cancelled c:not_run");
    let error = result.error.as_ref().unwrap();
    let said = (error.code(), error.reason_str(), error.hint_str());
    let hint = format!("`mathchain runs resume {RUN}` continues it");
    assert_eq!(
        said,
        (ErrorCode::Cancelled, Some("interrupted"), Some(&*hint))
    );
    assert_eq!(logged(key), ["note a"], "nothing is undone");
    let run = durable.state.run(RUN).unwrap();
    assert_eq!((run.state, run.holder), (RunState::Running, None));
    let outcome = result.to_outcome();
    assert_eq!(
        outcome.metadata.get("run_state"),
        Some(&Value::from("interrupted"))
    );

    let durable = Durable::open(folder.path());
    let result = durable
        .resume(RUN, &operator(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(logged(key), ["note b", "note c"]);
    assert!(durable.state.verify(&[], true).unwrap().is_sound());
}

/// Also on its way back, and within a plan within: both go on with it.
#[test]
fn a_process_that_is_asked_to_end_leaves_the_way_back_to_another() {
    for (number, inner) in [false, true].into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let key = &format!("interrupted-back-{number}");
        let last = format!("{{id: f, tool: fail, after: [b], args: {{key: {key}, text: f}}}}");
        let back = [undone_note(key, "a", 0), undone_note(key, "b", 1000), last];
        let plan = match inner {
            false => steps(&[&back[0], &back[1], &back[2]]),
            true => steps(&[&format!(
                "{{id: s, tool: chain_run, args: {{plan: {{$lit: {{version: 1, steps: [{}]}}}}}}}}",
                back.join(", ")
            )]),
        };
        let durable = Durable::open(folder.path());
        // The failing step is the third that notes something.
        let result = run_and(
            &durable,
            (&plan, &operator()),
            (key, 3),
            StopFlag::interrupt,
        );
        assert_eq!(
            result.status,
            ChainStatus::Interrupted,
            "{:?}",
            result.error
        );
        let mut noted = logged(key);
        noted.sort();
        assert_eq!(noted, ["fail f", "note a", "note b"]);
        let durable = Durable::open(folder.path());
        let result = durable
            .resume(RUN, &operator(), &ResumeRequest::default())
            .unwrap();
        assert_eq!(result.status, ChainStatus::Failed);
        assert_eq!(logged(key), ["note undo b", "note undo a"]);
    }
}

/// What undoes a step may need a person: the run waits, and goes on undoing.
#[test]
fn an_undoing_that_needs_an_approval_waits_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: undo-asks, text: undo a}}}",
        "{id: b, tool: any, args: {value: 1}, compensate: {tool: write, args: {key: undo-asks, path: out, text: undo}}}",
        "{id: f, tool: fail, after: [a, b], args: {key: undo-asks, text: f}}",
    ]);
    let result = durable.run(&plan, &asker());
    assert_eq!(result.status, ChainStatus::Suspended, "{:?}", result.error);
    assert_eq!(logged("undo-asks"), ["fail f"]);
    let approvals = result.approvals();
    assert_eq!(approvals.len(), 1);
    durable.state.approve(approvals[0], "terminal").unwrap();
    let result = durable
        .resume(&result.chain_id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(result.status, ChainStatus::Failed);
    assert_eq!(logged("undo-asks"), ["write out undo", "note undo a"]);
    assert_eq!(durable.state_of(&result.chain_id), RunState::Failed);
}

/// Another process asks; who works on the run stops and undoes.
#[test]
fn a_run_is_cancelled_by_another_process() {
    let folder = tempfile::tempdir().unwrap();
    let key = "asked";
    let plan = steps(&[
        &undone_note(key, "a", 0),
        &format!(
            "{{id: b, tool: note, after: [a], args: {{key: {key}, text: b, sleep_ms: 20000}}}}"
        ),
    ]);
    let durable = Durable::open(folder.path());
    let other = Durable::open(folder.path());
    let result = run_and(&durable, (&plan, &operator()), (key, 1), |_| {
        let busy = cancel_run(&other.state, RUN, &other.asking(), &operator());
        assert_eq!(busy.unwrap_err().reason_str(), Some("run_busy"));
        other.state.request_cancel(RUN).unwrap();
    });
    assert_eq!(result.status, ChainStatus::Cancelled);
    assert_eq!(logged(key), ["note a", "note undo a"]);
    let ended = other.state.request_cancel(RUN).unwrap_err();
    assert_eq!(ended.reason_str(), Some("run_ended"));
}

/// A request that nobody had seen yet stands: whoever goes on with the run only undoes it.
#[test]
fn a_request_to_cancel_stands() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        &undone_note("stands", "a", 0),
        "{id: w, tool: write, after: [a], args: {key: stands, path: out}}",
    ]);
    let result = durable.run(&plan, &asker());
    assert_eq!(result.status, ChainStatus::Suspended);
    let id = &result.chain_id;
    durable.state.request_cancel(id).unwrap();
    let result = durable
        .resume(id, &operator(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(statuses(&result), "a:done w:cancelled");
    assert_eq!(logged("stands"), ["note a", "note undo a"]);
    assert_eq!(durable.state_of(id), RunState::Cancelled);
}

/// A call with effects whose time was up is asked about; one without ended.
#[test]
fn only_a_call_with_effects_may_have_happened() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = |tool: &str| {
        steps(&[
            &undone_note("may", "a", 0),
            &format!(
                "{{id: b, tool: {tool}, after: [a], timeout_ms: 30, args: {{key: may, path: out, sleep_ms: 20000}}}}"
            ),
        ])
    };
    let asked = durable.run(&plan("write"), &operator());
    assert_eq!(statuses(&asked), "a:done b:needs_decision");
    assert_eq!(asked.status, ChainStatus::NeedsDecision);
    assert_eq!(logged("may"), ["note a"]);
    let id = &asked.chain_id;
    let how = ResumeRequest {
        decisions: vec![("b".to_owned(), OutcomeRuling::Failed)],
        ..ResumeRequest::default()
    };
    let failed = durable.resume(id, &operator(), &how).unwrap();
    assert_eq!(statuses(&failed), "a:done b:failed");
    assert_eq!(logged("may"), ["note undo a"]);
    let read = durable.run(&plan("read"), &operator());
    assert_eq!(statuses(&read), "a:done b:failed");
    assert_eq!(logged("may"), ["note a", "note undo a"]);
}

/// A map of which an element may have happened, in a run that is cancelled.
#[test]
fn an_element_that_was_on_its_way_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let key = "element";
    let plan = steps(&[&format!(
        "{{id: m, tool: write, map: {{over: [0, 20000], concurrency: 1}}, args: {{key: {key}, path: out, text: it, sleep_ms: {{$ref: item}}}}, compensate: {{tool: shell, args: {{key: {key}, text: {{$ref: m.text}}}}}}}}"
    )]);
    let result = run_and(&durable, (&plan, &operator()), (key, 1), StopFlag::cancel);
    assert_eq!(result.status, ChainStatus::NeedsDecision);
    assert_eq!(result.steps[0].end.status, StepStatus::Unknown);
    let hint = result.error.as_ref().unwrap().hint_str().unwrap();
    assert!(hint.contains("--decide 'm[1]=done'"), "{hint}");
    assert_eq!(logged(key), ["write out it"]);
    let done = Value::object([
        ("path", Value::from("out")),
        ("text", Value::from("it")),
        ("bytes", Value::from(2_i64)),
    ]);
    let how = ResumeRequest {
        decisions: vec![("m[1]".to_owned(), OutcomeRuling::Done(done))],
        ..ResumeRequest::default()
    };
    let result = durable.resume(RUN, &operator(), &how).unwrap();
    assert_eq!(result.status, ChainStatus::Cancelled, "{:?}", result.error);
    assert_eq!(logged(key), ["shell it", "shell it"]);
}

/// What a run did not come to is not done by going through it again.
#[test]
fn a_replay_has_no_effects() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: any, args: {value: 1}}",
        "{id: w, tool: write, after: [a], args: {key: replayed, path: out}}",
    ]);
    let waits = durable.run(&plan, &asker());
    let cancelled = cancel_run(&durable.state, &waits.chain_id, &durable.asking(), &asker());
    assert!(cancelled.unwrap().result.is_ok());
    durable.replay(&waits.chain_id, 2);
    assert!(logged("replayed").is_empty());
}
