//! The envelope, the audit and what an observer sees.

use std::sync::{Arc, Mutex};

use chain_runtime::{CheckedStep, RunOptions, StepObserver, StepOutcome};
use tool_core::{ErrorCode, Object, ToolError, Value};

use crate::fakes::{World, logged, parse, steps};

#[test]
fn the_envelope_is_that_of_a_call() {
    let world = World::new();
    let good = world
        .run("outputs: {x: {$ref: a.result}}\nsteps: [{id: a, tool: any, args: {value: [1, 2]}}]");
    let envelope = good.to_outcome().to_value();
    assert_eq!(envelope.get("status"), Some(&Value::from("success")));
    assert_eq!(
        envelope.pointer("/output/outputs/x").unwrap().to_string(),
        "[1,2]"
    );
    assert_eq!(
        envelope.pointer("/output/steps/0/status"),
        Some(Value::from("done"))
    );
    assert_eq!(
        envelope.pointer("/metadata/chain_id"),
        Some(Value::from(good.chain_id.as_str()))
    );
    let head = envelope.pointer("/metadata/audit/head").expect("a head");
    assert_eq!(
        head.as_str().and_then(|head| head.split(':').nth(1)),
        Some("2")
    );
    let bad = world.run("steps: [{id: a, tool: boom, args: {}}]");
    let envelope = bad.to_outcome().to_value();
    assert_eq!(envelope.get("status"), Some(&Value::from("error")));
    assert_eq!(
        envelope.pointer("/error/evidence/steps/0/status"),
        Some(Value::from("failed"))
    );
}

#[test]
fn problems_become_one_error_with_all_of_them() {
    let problems = World::new()
        .try_run("steps: [{id: a, tool: nope}, {id: a, tool: sum}]")
        .unwrap_err();
    let error = ToolError::from(problems);
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert_eq!(error.problems().len(), 3);
    let evidence = error.to_value();
    assert_eq!(
        evidence.pointer("/problems/0/reason"),
        Some(Value::from("unknown_tool"))
    );
    let words = evidence.to_string();
    assert_eq!(words.matches("no tool named `nope`").count(), 2, "{words}"); // the first, and in the list
    assert_eq!(
        evidence.pointer("/evidence/status"),
        Some(Value::from("rejected"))
    );
}

/// What a model is told of a plan in which everything is wrong does not grow with the plan, at every door.
#[test]
fn the_error_of_a_plan_is_bounded_and_counts_the_rest() {
    let wrong: Vec<String> = (0..500)
        .map(|number| format!("{{id: s{number}, tool: note, args: {{key: k, txet: x}}}}"))
        .collect();
    let wrong: Vec<&str> = wrong.iter().map(String::as_str).collect();
    let plan = steps(&wrong);
    let error = ToolError::from(World::new().try_run(&plan).unwrap_err());
    let value = error.to_value();
    assert!(
        value.to_string().len() < 24 << 10,
        "{} bytes",
        value.to_string().len()
    );
    assert_eq!(error.problems().len(), 50);
    assert!(
        error
            .message()
            .starts_with("plan check failed with 1000 problems, the first: "),
        "{error}"
    );
    assert_eq!(
        value.pointer("/evidence/more_problems"),
        Some(Value::from(950_i64))
    );
    assert_eq!(value.pointer("/evidence/problems"), None, "once is enough");
}

#[test]
fn secrets_found_in_the_world_do_not_leave() {
    let world = World::new();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let plan = format!(
        "outputs: {{text: {{$ref: r.text}}}}\n{}",
        steps(&[&format!(
            "{{id: r, tool: read, args: {{key: secret, path: {secret}}}}}"
        )])
    );
    let result = world.run(&plan);
    assert!(
        !result.deterministic().to_string().contains(&secret),
        "{}",
        result.deterministic()
    );
    for record in world.records() {
        assert!(!record.to_string().contains(&secret), "{record}");
    }
    let _ = logged("secret");
}

#[test]
fn an_observer_sees_every_step() {
    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);
    impl StepObserver for Seen {
        fn started(&self, step: &CheckedStep, position: usize, wave: usize) {
            self.0
                .lock()
                .unwrap()
                .push(format!("start {} {position} {wave}", step.id));
        }
        fn finished(&self, step: &CheckedStep, _: usize, end: &StepOutcome) {
            self.0
                .lock()
                .unwrap()
                .push(format!("end {} {}", step.id, end.status.as_str()));
        }
    }
    let seen = Arc::new(Seen::default());
    let options = RunOptions {
        threads: 1,
        observer: Some(Arc::clone(&seen) as Arc<dyn StepObserver>),
        ..RunOptions::default()
    };
    let plan = parse(&steps(&[
        "{id: a, tool: boom, on_error: skip_dependents, args: {}}",
        "{id: b, tool: any, args: {value: {$ref: a.mean}}}",
        "{id: c, tool: any, args: {value: 1}}",
    ]));
    World::new()
        .run_with(&plan, &Object::new(), options)
        .unwrap();
    let seen = seen.0.lock().unwrap();
    assert_eq!(
        *seen,
        [
            "start a 0 0",
            "end a failed",
            "end b skipped",
            "start c 2 0",
            "end c done"
        ]
    );
}

#[test]
fn the_same_warning_is_said_once() {
    let result = World::new().run(&steps(&[
        "{id: a, tool: any, args: {value: 1}}",
        "{id: b, tool: any, args: {value: 2}}",
    ]));
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
}
