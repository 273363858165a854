//! The ten hazards of chaining, each done right.

use tool_core::Value;

use crate::fakes::{World, logged, statuses, steps};

#[test]
fn a_step_receives_the_value_it_names() {
    // `a` is made, used, and made again under another id: ids are versions, and none can be overwritten.
    let world = World::new();
    let plan = steps(&[
        "{id: a1, tool: note, args: {key: h01, text: first, sleep_ms: 10}}",
        "{id: b, tool: note, args: {key: h01, text: {$ref: a1.text}}}",
        "{id: a2, tool: note, args: {key: h01, text: second}}",
    ]);
    assert_eq!(world.waves(&plan), "a1 a2|b");
    let result = world.run(&format!("{plan}outputs: {{b: {{$ref: b.text}}}}"));
    assert_eq!(result.outputs.get("b"), Some(&Value::from("first")));
    let reused = steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        "{id: a, tool: note, args: {key: k, text: y}}",
    ]);
    assert!(
        world
            .problems(&reused)
            .contains("two steps have the id `a`")
    );
    let _ = logged("h01");
}

#[test]
fn a_read_keeps_its_place_behind_a_write() {
    let world = World::new();
    let plan = steps(&[
        "{id: w, tool: write, args: {key: h02, path: out/x, sleep_ms: 20}}",
        "{id: r, tool: read, args: {key: h02, path: out/x}}",
    ]);
    assert_eq!(world.waves(&plan), "w|r");
    world.run(&plan);
    assert_eq!(logged("h02"), ["write out/x ", "read out/x"]);
}

#[test]
fn fallback_is_decided_before_anything_runs() {
    let world = World::new();
    let plan = steps(&[
        "{id: a, tool: note, args: {key: h03, text: a}}",
        "{id: s, tool: shell, args: {key: h03, text: {$ref: a.text}}}",
        "{id: c, tool: note, args: {key: h03, text: c}}",
    ]);
    let result = world.run(&plan);
    assert_eq!(
        logged("h03"),
        ["note a", "shell a", "note c"],
        "each step ran once, in plan order"
    );
    assert_eq!(
        result.diagnostics.get("fallback_to_seq"),
        Some(&Value::Bool(true))
    );
    let calls = world
        .records()
        .iter()
        .filter(|record| record.get("kind") == Some(&Value::from("call")))
        .count();
    assert_eq!(calls, 3);
}

#[test]
fn null_is_a_value() {
    let world = World::new();
    let plan = steps(&[
        "{id: a, tool: any, args: {value: null}}",
        "{id: b, tool: any, args: {value: {$ref: a.result}}}",
    ]);
    let result = world.run(&format!("{plan}outputs: {{b: {{$ref: b.result}}}}"));
    assert_eq!(result.outputs.get("b"), Some(&Value::Null));
    assert_eq!(world.records().len(), 3, "two calls and the chain");
}

#[test]
fn the_record_agrees_with_itself() {
    let world = World::new();
    let plan = steps(&[
        "{id: s, tool: shell, args: {key: h05, text: x}}",
        "{id: n, tool: note, args: {key: h05, text: y}}",
    ]);
    let result = world.run(&plan);
    let get = |name: &str| result.diagnostics.get(name).cloned().unwrap();
    assert_eq!(get("mode_requested"), Value::from("dep"));
    assert_eq!(get("mode_used"), Value::from("seq"));
    assert_eq!(
        get("fallback_reason"),
        Value::from("step `s` has effects and names no resources")
    );
    let timeline = get("wave_timeline").items().unwrap();
    assert_eq!(get("waves"), Value::from(timeline.len()));
    for wave in timeline {
        assert_eq!(wave.get("mode_used"), Some(&Value::from("seq")));
        assert_eq!(wave.get("fallback_to_seq"), Some(&Value::Bool(true)));
    }
    let _ = logged("h05");
}

#[test]
fn independent_steps_run_together() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    /// Counts how many steps are between their start and their end.
    #[derive(Default)]
    struct Together(AtomicUsize, AtomicUsize);
    impl chain_runtime::StepObserver for Together {
        fn started(&self, _: &chain_runtime::CheckedStep, _: usize, _: usize) {
            let now = self.0.fetch_add(1, Ordering::SeqCst) + 1;
            self.1.fetch_max(now, Ordering::SeqCst);
        }
        fn finished(
            &self,
            _: &chain_runtime::CheckedStep,
            _: usize,
            _: &chain_runtime::StepOutcome,
        ) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let together = std::sync::Arc::new(Together::default());
    let plan = crate::fakes::parse(&steps(&[
        "{id: a, tool: note, args: {key: h06, text: a, sleep_ms: 200}}",
        "{id: b, tool: note, args: {key: h06, text: b, sleep_ms: 200}}",
        "{id: c, tool: note, args: {key: h06, text: c, sleep_ms: 200}}",
    ]));
    let options = chain_runtime::RunOptions {
        threads: 3,
        observer: Some(
            std::sync::Arc::clone(&together) as std::sync::Arc<dyn chain_runtime::StepObserver>
        ),
        ..Default::default()
    };
    World::new()
        .run_with(&plan, &tool_core::Object::new(), options)
        .unwrap();
    assert_eq!(together.1.load(Ordering::SeqCst), 3);
    let _ = logged("h06");
}

#[test]
fn a_rejection_is_recorded_as_one() {
    let world = World::new();
    world
        .try_run(&steps(&["{id: a, tool: direct, args: {}}"]))
        .unwrap_err();
    let records = world.records();
    assert_eq!(records.len(), 1);
    let record = &records[0];
    assert_eq!(record.get("status"), Some(&Value::from("rejected")));
    assert_eq!(record.get("success"), Some(&Value::Bool(false)));
    assert_eq!(
        record.get("blocked_tools"),
        Some(&Value::from(vec!["direct"]))
    );
    let problems = record.get("problems").unwrap().items().unwrap();
    assert!(
        problems[0]
            .get("message")
            .unwrap()
            .as_str()
            .unwrap()
            .contains("cannot be used in a plan")
    );
}

#[test]
fn a_failing_chain_says_which_step_and_what_was_done() {
    let world = World::new();
    let plan = steps(&[
        "{id: a, tool: note, args: {key: h08, text: a, number: 3}}",
        "{id: b, tool: fail, args: {key: h08, text: {$ref: a.text}}}",
        "{id: c, tool: note, args: {key: h08, text: {$ref: b.text}}}",
    ]);
    let result = world.run(&format!(
        "{plan}outputs: {{mean: {{$ref: a.mean}}, c: {{$ref: c.text}}}}"
    ));
    assert_eq!(statuses(&result), "a:done b:failed c:skipped(b)");
    assert_eq!(
        result.outputs.get("mean").and_then(Value::as_f64),
        Some(3.0),
        "what was done is reported"
    );
    assert_eq!(&*result.missing_outputs[0].0, "c");
    assert!(
        result
            .error
            .as_ref()
            .unwrap()
            .message()
            .contains("step `b` (`fail`): told to fail: a")
    );
    let record = world.records().pop().unwrap();
    assert_eq!(record.get("kind"), Some(&Value::from("chain")));
    assert_eq!(record.get("failed_step"), Some(&Value::from("b")));
    assert_eq!(record.get("success"), Some(&Value::Bool(false)));
    let _ = logged("h08");
}

#[test]
fn every_run_has_an_id_and_every_call_its_index() {
    let world = World::new();
    let plan = steps(&[
        "{id: a, tool: note, args: {key: h09, text: a, sleep_ms: 30}}",
        "{id: b, tool: fail, on_error: continue, args: {key: h09, text: b}}",
        "{id: c, tool: note, args: {key: h09, text: c}}",
    ]);
    let result = world.run(&plan);
    let mut indices = Vec::new();
    for record in world
        .records()
        .iter()
        .filter(|record| record.get("kind") == Some(&Value::from("call")))
    {
        assert_eq!(record.get("caller_type"), Some(&Value::from("chain")));
        assert_eq!(
            record.get("chain_id"),
            Some(&Value::from(result.chain_id.as_str()))
        );
        indices.push(record.get("chain_index").unwrap().as_i64().unwrap());
    }
    indices.sort_unstable();
    assert_eq!(
        indices,
        [0, 1, 2],
        "the index is the place in the plan, also of a failed step"
    );
    assert_ne!(
        world.run("steps: []").chain_id,
        world.run("steps: []").chain_id
    );
    let _ = logged("h09");
}

#[test]
fn the_record_is_whole() {
    let world = World::new();
    let plan = "parallel_mutations: true\n".to_owned()
        + &steps(&[
            "{id: r, tool: read, args: {key: h10, path: a, sleep_ms: 5}}",
            "{id: w, tool: write, args: {key: h10, path: b, text: {$ref: r.text}}}",
        ]);
    let result = world.run(&plan);
    let record = world.records().pop().unwrap();
    for record in [
        Value::Object(std::sync::Arc::new(result.diagnostics)),
        record,
    ] {
        for key in [
            "chain_id",
            "caller_type",
            "tools",
            "success",
            "mode_requested",
            "mode_used",
            "fallback_to_seq",
            "fallback_reason",
            "parallel_mutations_enabled",
            "waves",
            "steps",
            "wave_timeline",
            "elapsed_ms",
        ] {
            assert!(record.get(key).is_some(), "{key} is missing in {record}");
        }
        assert_eq!(
            record.get("tools"),
            Some(&Value::from(vec!["read", "write"]))
        );
        assert_eq!(record.get("waves"), Some(&Value::Int(2)));
        assert_eq!(record.get("steps"), Some(&Value::Int(2)));
        assert_eq!(record.get("mode_used"), Some(&Value::from("dep")));
        let timeline = record.get("wave_timeline").unwrap().items().unwrap();
        for (index, wave) in timeline.iter().enumerate() {
            assert_eq!(wave.get("wave_index"), Some(&Value::from(index)));
            assert_eq!(wave.get("tools").unwrap().items().unwrap().len(), 1);
            assert!(wave.get("elapsed_ms").unwrap().as_f64().is_some());
            assert_eq!(
                wave.get("parallel_mutations_enabled"),
                Some(&Value::Bool(index == 1))
            );
        }
    }
    let _ = logged("h10");
}
