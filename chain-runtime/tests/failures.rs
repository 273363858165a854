//! Failing, skipping, stopping.

use std::time::Duration;

use chain_runtime::{ChainStatus, RunOptions, StepStatus};
use tool_core::{ErrorCode, Object, StopFlag, Value};

use crate::fakes::{World, logged, parse, statuses, steps};

/// Runs with `on_error` of the failing step `a`; `b` refers to it, `c` is free, `d` has a default, `e` comes after it.
fn shape(on_error: &str, key: &str, called: &[&str]) -> String {
    let world = World::new();
    let plan = steps(&[
        &format!("{{id: a, tool: fail, on_error: {on_error}, args: {{key: {key}, text: a}}}}"),
        &format!("{{id: b, tool: note, args: {{key: {key}, text: {{$ref: a.text}}}}}}"),
        &format!("{{id: c, tool: note, args: {{key: {key}, text: c}}}}"),
        "{id: d, tool: sum, args: {data: [1], weight: {$ref: a.mean, default: 2}}}",
        &format!("{{id: e, tool: note, after: [a], args: {{key: {key}, text: e}}}}"),
        &format!("{{id: f, tool: note, args: {{key: {key}, text: {{$ref: b.text}}}}}}"),
    ]);
    // One after the other, so that nothing beside `a` has run when it fails.
    let options = RunOptions {
        threads: 1,
        ..RunOptions::default()
    };
    let result = world
        .run_with(&parse(&plan), &Object::new(), options)
        .unwrap();
    // A failure that the plan goes on without is no failure of the plan.
    assert_eq!(result.is_success(), on_error == "continue");
    let mut lines = logged(key);
    lines.sort();
    assert_eq!(lines, called, "{on_error}: nothing else was called");
    statuses(&result)
}

#[test]
fn what_a_failure_means() {
    assert_eq!(
        shape("fail_chain", "t07a", &["fail a"]),
        "a:failed b:skipped(a) c:not_run(a) d:skipped(a) e:skipped(a) f:skipped(a)"
    );
    assert_eq!(
        shape("skip_dependents", "t07b", &["fail a", "note c"]),
        "a:failed b:skipped(a) c:done d:skipped(a) e:skipped(a) f:skipped(a)"
    );
    assert_eq!(
        shape("continue", "t08", &["fail a", "note c", "note e"]),
        "a:failed b:skipped(a) c:done d:done e:done f:skipped(a)"
    );
}

#[test]
fn the_default_is_recorded() {
    let world = World::new();
    let result = world.run(&steps(&[
        "{id: a, tool: fail, on_error: continue, args: {key: t08d, text: a}}",
        "{id: b, tool: any, args: {value: {$ref: a.mean, default: null}}}",
    ]));
    assert_eq!(result.steps[1].end.status, StepStatus::Done);
    assert_eq!(result.steps[1].end.defaults_used, ["a.mean"]);
    let record = world.records().pop().unwrap();
    let steps = record.get("step_status").unwrap().items().unwrap();
    assert_eq!(
        steps[1].get("defaults_used"),
        Some(&Value::from(vec!["a.mean"]))
    );
    let _ = logged("t08d");
}

#[test]
fn a_reader_of_what_was_not_written_is_skipped_and_a_writer_after_a_failed_reader_is_not() {
    let world = World::new();
    let result = world.run(&steps(&[
        "{id: w, tool: fail_write, on_error: skip_dependents, args: {path: out/x}}",
        "{id: r, tool: read, args: {key: conflict, path: out/x}}",
        "{id: other, tool: write, args: {key: conflict, path: out/y}}",
    ]));
    assert_eq!(statuses(&result), "w:failed r:skipped(w) other:done");
    assert_eq!(logged("conflict"), ["write out/y "]);
}

#[test]
fn the_lowest_failure_is_reported_whatever_ends_first() {
    for threads in [1, 2, 8] {
        let plan = parse(&steps(&[
            "{id: slow, tool: fail, args: {key: low, text: slow, sleep_ms: 300}}",
            "{id: quick, tool: fail, args: {key: low, text: quick}}",
            "{id: n, tool: note, args: {key: low, text: n}}",
        ]));
        let options = RunOptions {
            threads,
            ..RunOptions::default()
        };
        let result = World::new()
            .run_with(&plan, &Object::new(), options)
            .unwrap();
        assert_eq!(
            statuses(&result),
            "slow:failed quick:not_run(slow) n:not_run(slow)"
        );
        assert!(
            result
                .error
                .unwrap()
                .message()
                .contains("told to fail: slow")
        );
        if threads > 1 {
            // What really happened is not hidden.
            assert_eq!(result.steps[1].real_status, StepStatus::Failed);
            assert!(
                result
                    .warnings
                    .iter()
                    .any(|warning| warning.contains("step `quick` had already run")),
                "{:?}",
                result.warnings
            );
        }
    }
    let _ = logged("low");
}

#[test]
fn a_panic_is_an_error_of_its_step() {
    let result = World::new().run(&steps(&[
        "{id: a, tool: boom, on_error: skip_dependents, args: {}}",
        "{id: b, tool: note, args: {key: boom, text: b}}",
    ]));
    assert_eq!(statuses(&result), "a:failed b:done");
    assert_eq!(
        result.steps[0].end.error.as_ref().unwrap().code(),
        ErrorCode::Internal
    );
    let _ = logged("boom");
}

#[test]
fn a_step_has_a_deadline() {
    let result = World::new().run(&steps(&[
        "{id: a, tool: note, timeout_ms: 20, args: {key: late, text: a, sleep_ms: 10000}}",
    ]));
    assert_eq!(statuses(&result), "a:failed");
    assert_eq!(result.error.unwrap().code(), ErrorCode::Timeout);
    assert!(logged("late").is_empty());
}

#[test]
fn a_chain_has_a_deadline() {
    let plan = parse(&steps(&[
        "{id: a, tool: note, args: {key: deadline, text: a, sleep_ms: 10000}}",
        "{id: b, tool: note, after: [a], args: {key: deadline, text: b}}",
    ]));
    let options = RunOptions {
        timeout_ms: Some(30),
        ..RunOptions::default()
    };
    let result = World::new()
        .run_with(&plan, &Object::new(), options)
        .unwrap();
    assert_eq!(statuses(&result), "a:cancelled b:cancelled");
    assert_eq!(
        (result.status, result.error.unwrap().code()),
        (ChainStatus::Cancelled, ErrorCode::Timeout)
    );
    assert!(logged("deadline").is_empty());
}

/// Whatever stops a chain, what was done before is undone: a cancelled call may be the last thing that happens in it.
#[test]
fn a_chain_that_is_stopped_is_undone() {
    let plan = |limit: &str, sleeps: &str| {
        let steps = steps(&[
            "{id: a, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: stopped, text: undo}}}",
            &format!("{{id: b, tool: {sleeps}, after: [a]}}"),
        ]);
        parse(&format!("{limit}{steps}"))
    };
    let b = "note, args: {key: stopped, text: b, sleep_ms: 60000}";
    for (limit, timeout_ms) in [
        ("", Some(30)),
        ("deadline_ms: 30\n", None),
        ("budget: {wall_ms: 30}\n", None),
    ] {
        let options = RunOptions {
            timeout_ms,
            ..RunOptions::default()
        };
        let result = World::new()
            .run_with(&plan(limit, b), &Object::new(), options)
            .unwrap();
        assert_eq!(statuses(&result), "a:done b:cancelled", "{limit}");
        assert_eq!(result.undone.len(), 1, "{limit}");
        assert_eq!(logged("stopped"), ["note undo"], "{limit}");
    }
}

#[test]
fn cancelling_stops_what_runs_and_starts_nothing() {
    let plan = parse(&steps(&[
        "{id: a, tool: note, args: {key: t20, text: a}}",
        "{id: b, tool: note, after: [a], args: {key: t20, text: b, sleep_ms: 10000}}",
        "{id: w, tool: write, after: [b], args: {key: t20, path: x}}",
    ]));
    let stop = StopFlag::new();
    let options = RunOptions {
        stop: stop.clone(),
        ..RunOptions::default()
    };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !logged_so_far("t20") {
                std::thread::sleep(Duration::from_millis(2));
            }
            stop.cancel();
            stop.cancel();
        });
        World::new()
            .run_with(&plan, &Object::new(), options)
            .unwrap()
    });
    assert_eq!(statuses(&result), "a:done b:cancelled w:cancelled");
    assert_eq!(result.error.unwrap().code(), ErrorCode::Cancelled);
    assert!(
        logged("t20").is_empty(),
        "nothing ran to its end after that"
    );
}

/// Whether the first step has run; it takes the line.
fn logged_so_far(key: &str) -> bool {
    !logged(key).is_empty()
}

#[test]
fn a_value_of_any_type_is_checked_when_it_arrives() {
    let result = World::new().run(&steps(&[
        "{id: a, tool: any, args: {value: [1, two]}}",
        "{id: b, tool: sum, args: {data: {$ref: a.result}}}",
    ]));
    let error = result.error.unwrap();
    assert_eq!(
        (error.code(), error.path()),
        (ErrorCode::InvalidArgs, Some("/data/1"))
    );
    assert_eq!(error.hint_str(), Some("the value came from `a.result`"));
    let result = World::new().run(&steps(&[
        "{id: a, tool: any, args: {value: {mean: 1}}}",
        "{id: b, tool: any, args: {value: {$ref: a.result.meen}}}",
    ]));
    let error = result.error.unwrap();
    assert!(
        error
            .message()
            .contains("there is no field `meen`; did you mean `mean`? (at `a.result`)"),
        "{error:?}"
    );
}

#[test]
fn an_observer_that_panics_stops_nothing() {
    struct Rude;
    impl chain_runtime::StepObserver for Rude {
        fn started(&self, _: &chain_runtime::CheckedStep, _: usize, _: usize) {
            panic!("rude");
        }
    }
    let options = RunOptions {
        observer: Some(std::sync::Arc::new(Rude)),
        ..RunOptions::default()
    };
    let plan = parse("steps: [{id: a, tool: any, args: {value: 1}}]");
    assert!(
        World::new()
            .run_with(&plan, &Object::new(), options)
            .unwrap()
            .is_success()
    );
}

/// Values that a plan refers to again and again are small in memory and large wherever they are read: that is found before.
#[test]
fn arguments_put_together_have_a_limit() {
    let many = |of: &str, count: usize| {
        let one = format!("{{$ref: {of}}}");
        format!("[{}]", vec![one; count].join(", "))
    };
    let plan = steps(&[
        &format!(
            "{{id: a, tool: any, args: {{value: \"{}\"}}}}",
            "x".repeat(200_000)
        ),
        &format!(
            "{{id: b, tool: any, args: {{value: {}}}}}",
            many("a.result", 20)
        ),
        &format!(
            "{{id: c, tool: any, args: {{value: {}}}}}",
            many("b.result", 10)
        ),
        &format!(
            "{{id: d, tool: any, args: {{value: {}}}}}",
            many("c.result", 100)
        ),
    ]);
    let result = World::new().run(&plan);
    assert_eq!(statuses(&result), "a:done b:done c:done d:failed");
    let error = result.steps[3].end.error.as_ref().unwrap();
    assert_eq!(
        (error.code(), error.reason_str(), error.path()),
        (ErrorCode::LimitExceeded, Some("arguments"), Some("/value"))
    );
}
