//! What ends a chain, what it goes on without, and runs that are gone through again although they did not come to their end.

use chain_runtime::run::{ResumeRequest, cancel_run};
use chain_runtime::{ChainStatus, StepStatus};
use journal::RunState;
use registry::{CallRequest, CallerContext, ChainPosition};
use tool_core::capability::RecordDurability;
use tool_core::{OutcomeStatus, RandomSeed, StopFlag, Value, json};

use crate::durable::{Durable, approval_of, asker, outputs};
use crate::fakes::{World, logged, operator, statuses, steps};

const BAD: &str = "{id: bad, tool: fail, on_error: continue, args: {key: KEY, text: bad}}";
const DEFAULT: &str = "{id: t, tool: any, args: {value: {$ref: bad.text, default: 1}}}";

#[test]
fn the_error_names_the_step_that_ended_the_chain() {
    for ends in ["fail_chain", "skip_dependents"] {
        let real = format!(
            "{{id: real, tool: fail, after: [t], on_error: {ends}, args: {{key: KEY, text: real}}}}"
        );
        let plan = steps(&[BAD, DEFAULT, &real]).replace("KEY", "ended-by");
        let world = World::new();
        let result = world.run(&plan);
        let error = result.error.as_ref().unwrap();
        assert!(error.message().starts_with("step `real`"), "{error}");
        assert_eq!(result.failed_step, Some(2));
        let record = world.records().pop().unwrap();
        assert_eq!(record.get("failed_step"), Some(&Value::from("real")));
        logged("ended-by");
    }
}

#[test]
fn a_plan_that_goes_on_without_what_failed_succeeds_with_warnings() {
    let skipped = "{id: s, tool: any, args: {value: {$ref: bad.text}}}";
    let plan = steps(&[BAD, DEFAULT, skipped]).replace("KEY", "without");
    let with = |outputs: &str| World::new().run(&format!("{plan}outputs: {outputs}\n"));
    let result = with("{t: {$ref: t.result}, b: {$ref: bad.text, default: none}}");
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(outputs(&result), r#"{"t":1,"b":"none"}"#);
    assert_eq!(
        result.warnings,
        [
            "step `bad` (`fail`): told to fail: bad; the run continues without it (`on_error: continue`); 1 step not run because of it"
        ]
    );
    assert_eq!(result.failed_step, None);
    // What the plan answers with is of a step that failed, or did not run because of one.
    for missing in ["bad.text", "s.result"] {
        let result = with(&format!(
            "{{t: {{$ref: t.result}}, x: {{$ref: {missing}}}}}"
        ));
        assert_eq!(result.status, ChainStatus::Failed);
        let error = result.error.unwrap();
        assert!(error.message().starts_with("step `bad`"), "{error}");
    }
    logged("without");
}

#[test]
fn a_map_that_gathers_errors_warns_of_them() {
    let result = World::new().run(&steps(&[
        "{id: m, tool: attempt, map: {over: [1, 2, 3], on_item_error: collect}, args: {key: gathers, call: m, number: {$ref: item}, bad: [2]}}",
    ]));
    assert_eq!(result.status, ChainStatus::Success);
    let expected = "step `m`: 1 of 3 elements failed; element 1: attempt 0 of m 2";
    assert_eq!(result.warnings, [expected]);
    logged("gathers");
}

/// Within a plan, in elements of maps, in a run that goes on after its process ended, and in a replay: the same.
#[test]
fn what_a_plan_goes_on_without_is_the_same_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let inner = format!(
        "{{$lit: {{version: 1, outputs: {{t: {{$ref: t.result}}}}, steps: [{BAD}, {DEFAULT}]}}}}"
    );
    let plan = steps(&[
        &format!("{{id: sub, tool: chain_run, args: {{plan: {inner}}}}}"),
        &format!(
            "{{id: m, tool: chain_run, map: {{over: [1, 2], on_item_error: collect}}, args: {{plan: {inner}}}}}"
        ),
        "{id: w, tool: write, after: [sub, m], args: {key: KEY, path: out/w}}",
    ]) + "outputs: {sub: {$ref: sub.outputs}, warned: {$ref: sub.warnings}, steps: {$ref: sub.steps}, oks: {$ref: \"m[*].ok\"}}\n";
    let plan = plan.replace("KEY", "everywhere");
    let waits = durable.run(&plan, &asker());
    assert_eq!(waits.status, ChainStatus::Suspended, "{:?}", waits.error);
    let approval = approval_of(&waits, "w");
    durable.state.approve(&approval, "terminal").unwrap();
    let result = durable.resume(&waits.chain_id, &asker(), &ResumeRequest::default());
    let result = result.unwrap();
    assert_eq!(
        outputs(&result),
        r#"{"sub":{"t":1},"warned":["step `bad` (`fail`): told to fail: bad; the run continues without it (`on_error: continue`)"],"steps":{"done":1,"failed":1},"oks":[true,true]}"#
    );
    assert_eq!(durable.state_of(&result.chain_id), RunState::Succeeded);
    let replayed = durable.replay(&result.chain_id, 2);
    assert!(replayed.is_same(), "{replayed:?}");
    logged("everywhere");
}

/// The last call exceeds a budget: its result stands, nothing is undone, and the answer says so.
#[test]
fn a_budget_that_the_last_call_exceeds_is_told() {
    let write = "{id: w, tool: write, args: {key: last, path: out/w, text: long enough a text}, compensate: {tool: write, args: {key: last, path: out/w, text: undone}}}";
    let block = "{id: b, tool: block, after: [w], args: {count: 9000, value: 1}}";
    for (what, most, called) in [
        ("bytes_out", 10, &[write][..]),
        ("artifact_bytes", 1000, &[write, block]),
    ] {
        let plan = format!("budget: {{{what}: {most}}}\n{}", steps(called));
        let result = World::new().run(&plan);
        assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
        assert_eq!(result.undone.len(), 0);
        let expected = format!(
            "the plan's budget of `{what}` is exhausted, exceeded by the last call; its result is kept"
        );
        assert_eq!(result.warnings, [expected]);
        assert_eq!(logged("last"), ["write out/w long enough a text"]);
    }
}

/// A step whose process ended before it knew that its plan had: the recorded answer is the one that was given.
#[test]
fn a_plan_within_that_had_ended_answers_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let inner = format!(
        "version: 1\n{}",
        steps(&[BAD, DEFAULT]).replace("KEY", "had-ended")
    );
    let outer = durable.run(
        &steps(&["{id: a, tool: any, args: {value: 1}}"]),
        &operator(),
    );
    let call = || {
        let context = CallerContext {
            chain: Some(ChainPosition {
                chain_id: outer.chain_id.clone(),
                step: "a".to_owned(),
                ..ChainPosition::default()
            }),
            ..operator()
        };
        let outcome = durable.asking().call(CallRequest {
            tool: "chain_run".to_owned(),
            args: Value::object([("plan", Value::from(inner.as_str()))]),
            context,
            seed: RandomSeed::DEFAULT,
            timeout_ms: None,
            stop: StopFlag::new(),
            progress: None,
            client: None,
            remote: None,
        });
        match outcome.status {
            OutcomeStatus::Success(value) => json::to_text(&value),
            other => panic!("{other:?}"),
        }
    };
    let first = call();
    assert!(first.contains("the run continues without it"), "{first}");
    assert_eq!(logged("had-ended").len(), 1);
    assert_eq!(call(), first);
    assert!(logged("had-ended").is_empty(), "it was run again");
}

/// What waits is not done by looking again at what was done.
#[test]
fn a_replay_of_a_run_that_waits_compares_and_does_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: r, tool: random, args: {count: 3}}",
        "{id: w, tool: write, args: {key: replay-waits, path: out/w}}",
        "{id: n, tool: note, after: [w], args: {key: replay-waits, text: after}}",
    ]);
    let waits = durable.run(&plan, &asker());
    assert_eq!(waits.status, ChainStatus::Suspended);
    for state in [RunState::Suspended, RunState::Cancelled] {
        let replayed = durable.replay(&waits.chain_id, 0);
        assert_eq!(replayed.run.state, state);
        assert!(replayed.is_same(), "{replayed:?}");
        assert_eq!((replayed.compared.same, replayed.compared.taken), (1, 0));
        assert_eq!(
            (replayed.result_same, replayed.open.as_slice()),
            (None, &["w".to_owned()][..])
        );
        assert!(logged("replay-waits").is_empty(), "what waits was done");
        if state == RunState::Suspended {
            cancel_run(&durable.state, &waits.chain_id, &durable.asking(), &asker()).unwrap();
        }
    }
}

/// Of a run whose process ended the calls are compared that had ended; one that was on its way is not made again.
#[test]
fn a_replay_of_a_run_whose_process_ended_compares_its_calls() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: r, tool: random, args: {count: 3}}",
        "{id: w, tool: write, args: {key: replay-ended, path: out/w}}",
    ]);
    let waits = durable.run(&plan, &asker());
    // As a process leaves it that dies in the call.
    let (journal, _) = durable.state.take_run(&waits.chain_id).unwrap();
    let intent = Value::object([("kind", "intent"), ("step", "w"), ("tool", "write")]);
    journal.write(&intent, RecordDurability::Synced).unwrap();
    drop(journal);
    let replayed = durable.replay(&waits.chain_id, 0);
    assert_eq!(replayed.run.state, RunState::Running);
    assert!(replayed.is_same(), "{replayed:?}");
    assert_eq!((replayed.compared.same, replayed.result_same), (1, None));
    assert_eq!(replayed.open, ["w"]);
    assert!(logged("replay-ended").is_empty(), "it was made again");
}

/// A chain that failed and was undone is gone through without doing or undoing anything.
#[test]
fn a_replay_of_a_run_that_was_undone_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: one, tool: any, args: {value: 1}, compensate: {tool: write, args: {key: replay-undone, path: out/w, text: undone}}}",
        "{id: f, tool: fail, after: [one], args: {key: replay-undone, text: f}}",
        "{id: n, tool: write, after: [f], args: {key: replay-undone, path: out/n}}",
    ]);
    let result = durable.run(&plan, &operator());
    assert_eq!(result.undone.len(), 1);
    assert_eq!(logged("replay-undone"), ["fail f", "write out/w undone"]);
    let replayed = durable.replay(&result.chain_id, 0);
    assert!(
        replayed.is_same() && replayed.open.is_empty(),
        "{replayed:?}"
    );
    assert_eq!(replayed.result_same, Some(true));
    assert_eq!(
        logged("replay-undone"),
        ["fail f"],
        "computed, and nothing else done"
    );
}

/// Time and people are no function of arguments: what they ended is taken as it is.
#[test]
fn a_replay_takes_what_time_and_people_ended() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: slow, tool: note, timeout_ms: 1, on_error: continue, args: {key: ended, text: x, sleep_ms: 60}}",
        "{id: f, tool: fail, args: {key: ended, text: y}}",
    ]);
    let result = durable.run(&plan, &operator());
    assert_eq!(statuses(&result), "slow:failed f:failed");
    let replayed = durable.replay(&result.chain_id, 0);
    assert!(replayed.is_same(), "{replayed:?}");
    assert_eq!((replayed.compared.same, replayed.compared.taken), (1, 1));
    assert_eq!(replayed.result_same, Some(true));
    logged("ended");
}

/// Another program gives another end: the reason is said, also where no call that is computed again tells.
#[test]
fn a_replay_that_is_not_the_same_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: c, tool: counting, args: {key: why}}",
        "{id: w, tool: write, args: {key: why, path: out/w}}",
    ]);
    let waits = durable.run(&plan, &asker());
    let replayed = durable.replay(&waits.chain_id, 0);
    assert!(!replayed.is_same());
    assert_eq!(replayed.reasons, ["step `c` gave another result"]);
    assert_eq!(replayed.compared.divergences.len(), 1);
    let step = &waits.steps[1];
    assert_eq!(
        step.end.status,
        StepStatus::Pending,
        "{}",
        json::to_text(&waits.to_value())
    );
    logged("why");
}

/// Each attempt is a span, and so is each call of a plan within the plan; the timeline fits a terminal.
#[test]
fn a_trace_shows_attempts_and_plans_within() {
    let inner =
        "{$lit: {version: 1, steps: [{id: deep, tool: note, args: {key: traced, text: x}}]}}";
    let outer = format!(
        "{{$lit: {{version: 1, steps: [{{id: middle, tool: chain_run, args: {{plan: {inner}}}}}, {{id: beside, tool: note, args: {{key: traced, text: y}}}}]}}}}"
    );
    let result = World::new().run(&steps(&[
        "{id: a_step_with_quite_a_long_name_that_would_not_fit, tool: flaky, retry: {max: 3, backoff_ms: 1, on: [rate_limit]}, args: {key: tries, fails: 2}}",
        &format!("{{id: sub, tool: chain_run, args: {{plan: {outer}}}}}"),
    ]));
    assert!(result.is_success(), "{:?}", result.error);
    logged("traced");
    logged("tries");
    let trace = result.chrome_trace();
    let events = trace.get("traceEvents").and_then(Value::items).unwrap();
    let text = |event: &Value, key: &str| event.get(key).unwrap().as_str().unwrap().to_owned();
    let spans = events.iter().filter(|event| text(event, "ph") == "X");
    let mut names: Vec<String> = spans.map(|event| text(event, "name")).collect();
    names.sort();
    let long = "a_step_with_quite_a_long_name_that_would_not_fit";
    let attempts = [1, 2, 3].map(|number| format!("{long} (attempt {number})"));
    let others = [
        "sub",
        "sub/beside",
        "sub/middle",
        "sub/middle/deep",
        "wave 0",
    ];
    let expected: Vec<&str> = attempts.iter().map(String::as_str).chain(others).collect();
    assert_eq!(names, expected);
    let at = |name: &str| {
        let event = events
            .iter()
            .find(|event| event.get("name") == Some(&Value::from(name)));
        let number = |key: &str| event.unwrap().get(key).unwrap().as_i64().unwrap();
        (number("ts"), number("ts") + number("dur"))
    };
    let (around, deep) = (at("sub"), at("sub/middle/deep"));
    assert!(
        around.0 <= deep.0 && deep.1 <= around.1,
        "{around:?} {deep:?}"
    );
    assert!(at(&attempts[0]).1 <= at(&attempts[1]).0);
    let timeline = result.trace_text();
    for line in timeline.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert!(
        timeline.contains("a_step_with_qui~") && timeline.contains("done, 3 attempts"),
        "{timeline}"
    );
}
