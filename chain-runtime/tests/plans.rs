//! Plans within plans, and plans as tools.

use tool_core::{ErrorCode, RandomSeed, StopFlag, Value, json};

use crate::fakes::{World, logged, operator, statuses, steps};

fn call(world: &World, tool: &str, args: &str) -> tool_core::CallOutcome {
    world.dispatcher.call(registry::CallRequest {
        tool: tool.to_owned(),
        args: json::parse_json(args, json::JsonLimits::default()).unwrap(),
        context: operator(),
        seed: RandomSeed::DEFAULT,
        timeout_ms: None,
        stop: StopFlag::new(),
        progress: None,
        client: None,
        remote: None,
    })
}

const PLAN: &str = r#"{"version":1,"inputs":{"n":{"type":"number","default":2}},"steps":[
    {"id":"a","tool":"note","args":{"key":"sub","text":"x","number":{"$ref":"inputs.n"}}},
    {"id":"b","tool":"any","args":{"value":{"$ref":"a.mean"}}}],"outputs":{"m":{"$ref":"b.result"}}}"#;

#[test]
fn an_agent_submits_a_whole_plan_in_one_call() {
    let world = World::new();
    let text = Value::from(PLAN).to_string();
    for plan in [PLAN, text.as_str()] {
        let outcome = call(
            &world,
            "chain_run",
            &format!(r#"{{"plan":{plan},"inputs":{{"n":5}}}}"#),
        );
        let output = outcome.output().unwrap_or_else(|| panic!("{outcome:?}"));
        assert_eq!(
            json::to_text(output.get("outputs").unwrap()),
            r#"{"m":5.0}"#
        );
        assert_eq!(json::to_text(output.get("steps").unwrap()), r#"{"done":2}"#);
        assert_eq!(output.get("waves").and_then(Value::as_i64), Some(2));
        assert_eq!(logged("sub"), ["note x"]);
    }
    // Each step is in the audit, as a step of the chain.
    let records = world.records();
    let of_chain =
        |record: &&Value| record.get("caller_type").and_then(Value::as_str) == Some("chain");
    let calls = records
        .iter()
        .filter(of_chain)
        .filter(|record| record.get("tool").is_some());
    assert_eq!(calls.count(), 4);
}

#[test]
fn a_plan_is_checked_and_nothing_runs() {
    let world = World::new();
    let outcome = call(&world, "chain_check", &format!(r#"{{"plan":{PLAN}}}"#));
    let plan = outcome.output().unwrap().get("plan").unwrap().clone();
    assert_eq!(
        json::to_text(plan.get("waves").unwrap()),
        r#"[["a"],["b"]]"#
    );
    let wrong = PLAN
        .replace("a.mean", "a.meen")
        .replace("\"any\"", "\"ani\"");
    let outcome = call(&world, "chain_check", &format!(r#"{{"plan":{wrong}}}"#));
    let err = outcome.err().unwrap();
    assert!(err.problems().len() >= 2, "{err:?}");
    assert!(logged("sub").is_empty());
}

#[test]
fn what_a_plan_is_not_says_so() {
    let world = World::new();
    for (args, code, message) in [
        (r#"{"plan":3}"#, ErrorCode::InvalidArgs, "expected a plan"),
        (
            r#"{"plan":{"version":1,"steps":[]},"inputs":[1]}"#,
            ErrorCode::InvalidArgs,
            "expected an object",
        ),
        (r#"{"plan":"steps: ["}"#, ErrorCode::InvalidRequest, ""),
        (
            r#"{"plan":{"version":1,"steps":[{"id":"d","tool":"direct"}]}}"#,
            ErrorCode::PolicyDenied,
            "cannot be used in a plan",
        ),
    ] {
        let outcome = call(&world, "chain_run", args);
        let err = outcome.err().unwrap_or_else(|| panic!("{args}"));
        assert_eq!(err.code(), code, "{args}: {err:?}");
        assert!(err.to_string().contains(message), "{args}: {err}");
    }
}

#[test]
fn a_plan_within_a_plan_is_checked_with_it_and_keeps_the_order() {
    let inner = |text: &str| {
        format!(
            "{{$lit: {{version: 1, steps: [{{id: w, tool: write, args: {{key: nested, path: out/a, text: {text}}}}}]}}}}"
        )
    };
    let plan = steps(&[
        "{id: before, tool: write, args: {key: nested, path: out/a, text: one}}",
        &format!(
            "{{id: sub, tool: chain_run, args: {{plan: {}}}}}",
            inner("two")
        ),
        "{id: after, tool: read, args: {key: nested, path: out/a}}",
    ]);
    let world = World::new();
    assert_eq!(world.waves(&plan), "before|sub|after");
    let result = world.run(&plan);
    assert_eq!(
        statuses(&result),
        "before:done sub:done after:done",
        "{:?}",
        result.error
    );
    assert_eq!(
        logged("nested"),
        ["write out/a one", "write out/a two", "read out/a"]
    );
    let wrong = plan.replace("text: two", "txt: two");
    let found = World::new().problems(&wrong);
    assert!(found.contains("/steps/1/args/plan/steps/0/args"), "{found}");
    assert!(found.contains("did you mean `text`?"), "{found}");
}

#[test]
fn a_plan_that_is_not_known_yet_makes_the_steps_run_in_order() {
    let plan = steps(&[
        "{id: text, tool: any, args: {value: \"{\\\"version\\\":1,\\\"steps\\\":[]}\"}}",
        "{id: sub, tool: chain_run, args: {plan: {$ref: text.result}}}",
    ]);
    let world = World::new();
    let checked = world.checked(&plan);
    assert!(
        checked
            .fallback_reason
            .as_deref()
            .unwrap()
            .contains("`sub` runs a plan that is known only when it runs")
    );
    assert_eq!(statuses(&world.run(&plan)), "text:done sub:done");
}

#[test]
fn plans_nest_only_so_deep() {
    let mut plan =
        r#"{"version":1,"steps":[{"id":"a","tool":"any","args":{"value":1}}]}"#.to_owned();
    for _ in 0..6 {
        plan = format!(
            r#"{{"version":1,"steps":[{{"id":"s","tool":"chain_run","args":{{"plan":{{"$lit":{plan}}}}}}}]}}"#
        );
    }
    let world = World::new();
    let err = call(&world, "chain_run", &format!(r#"{{"plan":{plan}}}"#));
    assert!(
        format!("{:?}", err.err().unwrap()).contains("nested at most 4 deep"),
        "{err:?}"
    );
}
