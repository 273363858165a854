//! What a step can say beside its tool and arguments: `when`, `map`, `retry`, deadlines, `approval`, `compensate`, `place`,
//! `budget`.

use std::time::Instant;

use chain_runtime::{ChainStatus, StepStatus};
use tool_core::json;

use crate::fakes::{World, logged, statuses, steps};

fn outputs(result: &chain_runtime::ChainResult) -> String {
    json::to_text(&tool_core::Value::Object(std::sync::Arc::new(
        result.outputs.clone(),
    )))
}

fn problem(plan: &str, expected: &[&str]) {
    let found = World::new().problems(plan);
    for part in expected {
        assert!(
            found.contains(part),
            "expected `{part}` in:\n{found}\nplan:\n{plan}"
        );
    }
}

fn fine(plan: &str) {
    let found = World::new().problems(plan);
    assert!(found.is_empty(), "{found}\nplan:\n{plan}");
}

#[test]
fn a_condition_decides_whether_a_step_runs() {
    let plan = |when: &str| {
        format!(
            "{}outputs: {{c: {{$ref: c.text, default: none}}, d: {{$ref: d.result}}}}\n",
            steps(&[
                "{id: a, tool: note, args: {key: when, text: x, number: 3}}",
                &format!("{{id: c, tool: note, when: \"{when}\", args: {{key: when, text: ran}}}}"),
                "{id: d, tool: any, args: {value: {$ref: c.text, default: nothing}}}",
            ])
        )
    };
    for (when, expected, status) in [
        (
            "a.mean > 2",
            r#"{"c":"ran","d":"ran"}"#,
            "a:done c:done d:done",
        ),
        (
            "a.mean > 3 && a.mean < 9",
            r#"{"c":"none","d":"nothing"}"#,
            "a:done c:skipped d:done",
        ),
        (
            "len(a.list) == 2 || a.mean > 5",
            r#"{"c":"ran","d":"ran"}"#,
            "a:done c:done d:done",
        ),
    ] {
        let result = World::new().run(&plan(when));
        assert_eq!(
            (outputs(&result).as_str(), statuses(&result).as_str()),
            (expected, status)
        );
        assert_eq!(result.status, ChainStatus::Success, "{when}");
    }
}

#[test]
fn what_may_be_skipped_is_guarded() {
    let plan = |second: &str, rest: &str| {
        format!(
            "{}{rest}",
            steps(&[
                "{id: a, tool: note, args: {key: k, text: x, number: 3}}",
                "{id: b, tool: note, when: \"a.mean > 2\", args: {key: k, text: y}}",
                second,
            ])
        )
    };
    problem(
        &plan("{id: c, tool: any, args: {value: {$ref: b.text}}}", ""),
        &[
            "`b.text` has no value when `b` is skipped (`when: a.mean > 2`)",
            "add a `default`, or the same `when`",
        ],
    );
    problem(
        &plan(
            "{id: c, tool: any, when: \"b.mean > 1\", args: {value: 1}}",
            "",
        ),
        &[
            "and the condition uses it anyway",
            "test `defined(b) &&` first",
        ],
    );
    problem(
        &plan(
            "{id: c, tool: any, args: {value: 1}}",
            "outputs: {b: {$ref: b.text}}\n",
        ),
        &["/outputs/b: `b.text` has no value"],
    );
    for second in [
        "{id: c, tool: any, args: {value: {$ref: b.text, default: 1}}}",
        "{id: c, tool: any, when: \"a.mean > 2\", args: {value: {$ref: b.text}}}",
        "{id: c, tool: any, when: \"a.mean>2 && b.mean < 9\", args: {value: {$ref: b.text}}}",
        "{id: c, tool: any, when: \"defined(b.mean) && b.mean < 9\", args: {value: 1}}",
        "{id: c, tool: any, after: [b], args: {value: 1}}",
    ] {
        fine(&plan(second, ""));
    }
}

#[test]
fn conditions_that_can_never_decide_are_refused() {
    let plan = |when: &str| {
        steps(&[
            "{id: a, tool: note, args: {key: k, text: x}}",
            &format!("{{id: b, tool: note, when: {when}, args: {{key: k, text: y}}}}"),
        ])
    };
    for (when, expected) in [
        (
            "\"a.mean > 2 && a.mean < 1\"",
            "can never run: `a.mean > 2` and `a.mean < 1`",
        ),
        ("\"1 < 2\"", "condition is constant"),
        ("\"a.mean\"", "gives a number, a condition is true or false"),
        ("\"a.text > 3\"", "compares a string with an integer"),
        ("\"a.meen > 3\"", "has no `.meen` (did you mean `mean`?)"),
        ("\"a.mean >\"", "position 8, found the end"),
        ("\"b.mean > 1\"", "`b` uses its own output"),
        (
            "7",
            "/when: expected text or a table, found the integer 7 (write `\"fit.r2 > 0.9\"`)",
        ),
        ("{expr: \"a.mean > 1\", x: 1}", "unknown key `x`"),
    ] {
        problem(&plan(when), &[expected]);
    }
}

#[test]
fn a_map_calls_its_tool_for_every_element_in_order() {
    for mode in ["dep", "seq"] {
        let result = World::new().run(&format!(
            "mode: {mode}\n{}outputs: {{all: {{$ref: \"m[*].text\"}}, first: {{$ref: \"m[0].mean\"}}}}\n",
            steps(&[
                "{id: m, tool: note, map: {over: [c, a, b], as: word}, args: {key: map, text: {$fmt: \"{}{}\", args: [{$ref: word}, {$ref: index}]}, number: {$ref: index}}}",
                "{id: s, tool: any, args: {value: {$ref: \"m[*].mean\"}}}",
            ])
        ));
        assert_eq!(outputs(&result), r#"{"all":["c0","a1","b2"],"first":0.0}"#);
        assert_eq!(logged("map").len(), 3);
    }
}

#[test]
fn a_condition_may_be_an_object_with_its_expression() {
    for (when, status) in [("a.mean > 0", "b:done"), ("a.mean > 2", "b:skipped")] {
        let step = format!("{{id: b, tool: any, when: {{expr: \"{when}\"}}, args: {{value: 1}}}}");
        let first = "{id: a, tool: note, args: {key: expr, text: x, number: 1}}";
        let result = World::new().run(&steps(&[first, &step]));
        assert!(statuses(&result).contains(status), "{}", statuses(&result));
    }
}

#[test]
fn a_map_makes_no_more_calls_at_once_than_it_says() {
    let run = |limit: &str, key: &str| {
        let step = format!(
            "{{id: m, tool: note, map: {{over: [400, 0]{limit}}}, args: {{key: {key}, text: {{$fmt: \"{{}}\", args: [{{$ref: item}}]}}, sleep_ms: {{$ref: item}}}}}}"
        );
        let options = chain_runtime::RunOptions {
            threads: 2,
            ..Default::default()
        };
        let plan = crate::fakes::parse(&steps(&[&step]));
        let world = World::new();
        world
            .run_with(&plan, &tool_core::Object::new(), options)
            .unwrap();
        logged(key)
    };
    assert_eq!(run(", concurrency: 1", "one"), ["note 400", "note 0"]);
    assert_eq!(run("", "both"), ["note 0", "note 400"]);
}

/// Case T23: an empty list gives an empty list; failures are collected in order.
#[test]
fn empty_maps_and_collected_failures() {
    let result = World::new().run(&format!(
        "{}outputs: {{none: {{$ref: n.result}}}}\n",
        steps(&[
            "{id: m, tool: note, map: {over: []}, args: {key: k, text: {$ref: item}}}",
            "{id: n, tool: any, args: {value: {$ref: \"m[*].text\"}}}",
        ])
    ));
    assert_eq!(outputs(&result), r#"{"none":[]}"#);

    let result = World::new().run(&format!(
        "{}outputs: {{ok: {{$ref: \"m[*].ok\"}}, code: {{$ref: \"m[1].error.code\", default: none}}}}\n",
        steps(&[
            "{id: list, tool: any, args: {value: [0, 9, 0]}}",
            "{id: m, tool: flaky, map: {over: {$ref: list.result}, on_item_error: collect, concurrency: 2}, args: {key: t23, fails: {$ref: item}}}",
        ])
    ));
    assert_eq!(
        outputs(&result),
        r#"{"ok":[true,false,true],"code":"tool_error"}"#
    );
    assert_eq!(result.status, ChainStatus::Success);
}

#[test]
fn the_first_failing_element_is_the_error_of_a_map() {
    let mut seen = Vec::new();
    for threads in [1, 8] {
        let world = World::new();
        let plan = crate::fakes::parse(&steps(&[
            "{id: m, tool: fail, map: {over: [30, 1, 10, 0]}, args: {key: k, text: {$fmt: \"n{}\", args: [{$ref: item}]}, sleep_ms: {$ref: item}}}",
            "{id: after, tool: any, args: {value: {$ref: \"m[0].text\"}}}",
        ]));
        let options = chain_runtime::RunOptions {
            threads,
            ..Default::default()
        };
        let result = world
            .run_with(&plan, &tool_core::Object::new(), options)
            .unwrap();
        assert_eq!(statuses(&result), "m:failed after:skipped(m)");
        assert!(
            result
                .error
                .as_ref()
                .unwrap()
                .message()
                .contains("element 0: told to fail: n30")
        );
        seen.push(json::to_text(&result.deterministic()));
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn seeds_of_elements_differ_and_repeat() {
    let run = |threads| {
        let world = World::new();
        let plan = crate::fakes::parse(&format!(
            "{}outputs: {{v: {{$ref: \"m[*].values\"}}}}\n",
            steps(&["{id: m, tool: random, map: {over: [1, 2, 3]}, args: {count: 2}}"])
        ));
        let options = chain_runtime::RunOptions {
            threads,
            ..Default::default()
        };
        outputs(
            &world
                .run_with(&plan, &tool_core::Object::new(), options)
                .unwrap(),
        )
    };
    let first = run(1);
    assert_eq!(first, run(8));
    let value = json::parse_json(&first, json::JsonLimits::default()).unwrap();
    let rows = value.get("v").unwrap().items().unwrap();
    assert!(rows[0] != rows[1] && rows[1] != rows[2]);
}

#[test]
fn maps_are_checked_before_they_run() {
    for (map, args, expected) in [
        (
            "{over: [1, 2]}",
            "{key: k, text: {$ref: item}}",
            "element 0 of the map",
        ),
        (
            "{over: {$ref: a.text}}",
            "{key: k, text: x}",
            "a map needs a list, found a string",
        ),
        (
            "{over: {$ref: a.list}}",
            "{key: k, text: {$ref: item}}",
            "`item` gives a number, `note` takes a string",
        ),
        (
            "{over: {$ref: a.rows}}",
            "{key: k, text: {$ref: item.nam}}",
            "has no `.nam`",
        ),
        (
            "{over: [1, 2, 3], max: 2}",
            "{key: k, text: x}",
            "at most 2 elements, found 3",
        ),
        (
            "{over: [1], as: a}",
            "{key: k, text: x}",
            "`a` is the id of a step",
        ),
        (
            "{over: [1], as: index}",
            "{key: k, text: x}",
            "`index` is reserved",
        ),
        ("{as: x}", "{key: k, text: x}", "missing key `over`"),
        (
            "{over: [1], on_item_error: ignore}",
            "{key: k, text: x}",
            "expected one of `fail`, `collect`",
        ),
        (
            "{over: [1], concurency: 2}",
            "{key: k, text: x}",
            "did you mean `concurrency`?",
        ),
        (
            "{over: [1], concurrency: 99999}",
            "{key: k, text: x}",
            "/concurrency: expected an integer from 1 to 10000, found the integer 99999",
        ),
    ] {
        problem(
            &steps(&[
                "{id: a, tool: note, args: {key: k, text: x}}",
                &format!("{{id: m, tool: note, map: {map}, args: {args}}}"),
            ]),
            &[expected],
        );
    }
    problem(
        &steps(&["{id: m, tool: direct, map: {over: [1]}}"]),
        &["`direct` cannot be used in a plan"],
    );
}

/// Case T23, the other half: a map whose calls write the same file makes them one after the other.
#[test]
fn elements_that_use_the_same_wait_for_each_other() {
    let result = World::new().run(&format!(
        "parallel_mutations: true\n{}",
        steps(&[
            "{id: w, tool: write, map: {over: [0, 1, 2, 3]}, args: {key: same, path: out/a, text: {$fmt: \"{}\", args: [{$ref: index}]}, sleep_ms: 3}}",
        ])
    ));
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    let expected: Vec<String> = (0..4).map(|index| format!("write out/a {index}")).collect();
    assert_eq!(logged("same"), expected);
}

/// Case T19: what may pass is tried again, three times in all here, and what cannot is not.
#[test]
fn retries_hold() {
    let plan = |key: &str, fails: u32, code: &str, retry: &str| {
        steps(&[&format!(
            "{{id: a, tool: flaky, retry: {retry}, args: {{key: {key}, fails: {fails}, code: {code}}}}}"
        )])
    };
    let run = |key: &str, fails, code: &str, retry: &str| {
        let result = World::new().run(&plan(key, fails, code, retry));
        (result.steps[0].end.status, logged(key).len())
    };
    let quick = "{max: 2, backoff_ms: 1}";
    assert_eq!(run("r1", 2, "tool_error", quick), (StepStatus::Done, 3));
    assert_eq!(run("r2", 3, "tool_error", quick), (StepStatus::Failed, 3));
    assert_eq!(run("r3", 1, "invalid_args", quick), (StepStatus::Failed, 1));
    assert_eq!(
        run(
            "r4",
            1,
            "tool_error",
            "{max: 2, backoff_ms: 1, on: [timeout]}"
        ),
        (StepStatus::Failed, 1)
    );
    assert_eq!(
        run(
            "r5",
            1,
            "tool_error",
            "{max: 2, backoff_ms: 1, jitter: full, on: [rate_limit]}"
        ),
        (StepStatus::Done, 2)
    );
    let began = Instant::now();
    let timed = crate::fakes::parse(&steps(&[
        "{id: a, tool: flaky, timeout_ms: 20, on_error: continue, retry: {max: 2, backoff_ms: 1}, args: {key: r6, fails: 0, sleep_ms: 60000}}",
        "{id: b, tool: note, args: {key: r6, text: beside}}",
    ]));
    let options = chain_runtime::RunOptions {
        threads: 1,
        ..Default::default()
    };
    let result = World::new()
        .run_with(&timed, &tool_core::Object::new(), options)
        .unwrap();
    assert_eq!(logged("r6"), ["note beside"], "its thread is free again");
    let end = &result.steps[0].end;
    assert_eq!(
        (end.error.as_ref().unwrap().code(), end.attempts),
        (tool_core::ErrorCode::Timeout, 3)
    );
    assert!(
        began.elapsed().as_secs() < 60,
        "the sleeper was not stopped"
    );
    for (retry, expected) in [
        (
            "{max: 11}",
            "expected an integer from 0 to 10, found the integer 11",
        ),
        (
            "{on: [invalid_args]}",
            "expected one of `precondition_failed`",
        ),
        (
            "{on: [\"Rate Limit\"]}",
            "expected one of `precondition_failed`",
        ),
        ("{on: [timout]}", "did you mean `timeout`?"),
        ("{on: [denied]}", "expected one of `precondition_failed`"),
        ("{on: [\"\"]}", "expected one of `precondition_failed`"),
        (
            "{factor: 0.5}",
            "expected a number of at least 1, found 0.5",
        ),
        ("{jitter: some}", "expected one of `none`, `full`"),
        ("{maximum: 1}", "unknown key `maximum`"),
        ("3", "expected a table"),
    ] {
        problem(&plan("k", 0, "tool_error", retry), &[expected]);
    }
}

/// `backoff_ms` grows by `factor`, and `jitter` takes a share of it.
#[test]
fn waits_before_retries_are_what_the_plan_says() {
    let waits = |retry: &str| {
        let step = format!("{{id: a, tool: flaky, retry: {retry}, args: {{key: k, fails: 0}}}}");
        let plan = crate::fakes::parse(&steps(&[&step]));
        [1, 2, 3].map(|number| plan.steps[0].retry.wait_ms(number, 0.5))
    };
    assert_eq!(waits("{max: 3, backoff_ms: 10, factor: 3}"), [10, 30, 90]);
    assert_eq!(waits("{max: 3, backoff_ms: 20, factor: 1}"), [20, 20, 20]);
    assert_eq!(
        waits("{max: 3, backoff_ms: 10, factor: 2, jitter: full}"),
        [5, 10, 20]
    );
}

#[test]
fn an_input_is_one_of_those_that_the_plan_lists() {
    let plan = crate::fakes::parse(
        "inputs: {n: {type: integer, enum: [1, 2]}}\nsteps: []\noutputs: {n: {$ref: inputs.n}}\n",
    );
    let run = |n: i64| {
        let mut inputs = tool_core::Object::new();
        inputs.insert("n", n);
        let result = World::new().run_with(&plan, &inputs, Default::default());
        result
            .map(|result| outputs(&result))
            .map_err(|problems| problems.to_string())
    };
    assert_eq!(run(2).as_deref(), Ok(r#"{"n":2}"#));
    let refused = run(3).unwrap_err();
    assert!(refused.contains("expected one of 1, 2"), "{refused}");
}

#[test]
fn a_step_deadline_holds_over_all_attempts() {
    let result = World::new().run(&steps(&[
        "{id: a, tool: flaky, deadline_ms: 120, retry: {max: 10, backoff_ms: 50}, args: {key: deadline, fails: 99}}",
    ]));
    assert_eq!(result.steps[0].end.status, StepStatus::Failed);
    let attempts = logged("deadline").len();
    assert!((1..=3).contains(&attempts), "{attempts}");
}

#[test]
fn a_failed_chain_is_undone_in_reverse() {
    let plan = steps(&[
        "{id: a, tool: write, args: {key: undo, path: a, text: one}, compensate: {tool: write, args: {key: undo, path: a, text: gone}}}",
        "{id: b, tool: write, args: {key: undo, path: b, text: two}, compensate: {tool: write, args: {key: undo, path: {$ref: b.path}, text: {$ref: a.text}}}}",
        "{id: c, tool: write, args: {key: undo, path: c, text: three}}",
        "{id: d, tool: fail, args: {key: undo, text: {$ref: c.text}}}",
        "{id: e, tool: write, args: {key: undo, path: e, text: {$ref: d.text}}, compensate: {tool: write, args: {key: undo, path: e, text: never}}}",
    ]);
    let result = World::new().run(&plan);
    assert_eq!(result.status, ChainStatus::Failed);
    let undone: Vec<(&str, StepStatus)> = result
        .undone
        .iter()
        .map(|one| (&*one.step, one.end.status))
        .collect();
    assert_eq!(undone, [("b", StepStatus::Done), ("a", StepStatus::Done)]);
    assert_eq!(
        logged("undo"),
        [
            "write a one",
            "write b two",
            "write c three",
            "fail three",
            "write b one",
            "write a gone"
        ]
    );

    let fine = plan.replace("tool: fail", "tool: note");
    let result = World::new().run(&fine);
    assert!(
        result.undone.is_empty(),
        "a chain that succeeds is not undone"
    );
    logged("undo");

    let tolerated = plan.replace(
        "{id: d, tool: fail,",
        "{id: d, on_error: skip_dependents, tool: fail,",
    );
    assert!(World::new().run(&tolerated).undone.is_empty());
    logged("undo");
}

#[test]
fn what_undoes_is_checked_and_its_failure_is_told() {
    problem(
        &steps(&["{id: a, tool: note, args: {key: k, text: x}, compensate: {tool: notes}}"]),
        &["/steps/0/compensate/tool"],
    );
    problem(
        &steps(&[
            "{id: a, tool: note, args: {key: k, text: x}, compensate: {tool: sum, args: {data: {$ref: a.text}}}}",
        ]),
        &["/steps/0/compensate/args/data: `a.text` gives a string"],
    );
    problem(
        &steps(&[
            "{id: a, tool: note, args: {key: k, text: x}, compensate: {tool: any, args: {value: {$ref: b.text}}}}",
            "{id: b, tool: note, args: {key: k, text: x}}",
        ]),
        &["`a` depends on `b`, which comes later"],
    );
    let result = World::new().run(&steps(&[
        "{id: a, tool: write, args: {key: k9, path: a}, compensate: {tool: fail_write, args: {path: a}}}",
        "{id: b, tool: fail, args: {key: k9, text: x}}",
    ]));
    assert_eq!(result.undone[0].end.status, StepStatus::Failed);
    let told = result
        .warnings
        .iter()
        .any(|warning| warning.contains("`a` could not be undone by `fail_write`: no place for a"));
    assert!(told, "{:?}", result.warnings);
}

#[test]
fn a_plan_has_a_budget() {
    let five =
        steps(&["{id: m, tool: note, map: {over: [1, 2, 3, 4, 5]}, args: {key: k, text: x}}"]);
    problem(
        &format!("budget: {{steps: 4}}\n{five}"),
        &["the plan has 5 calls, its budget allows 4"],
    );
    let dynamic = format!(
        "budget: {{steps: 4}}\n{}",
        steps(&[
            "{id: a, tool: any, args: {value: [1, 2, 3, 4, 5]}}",
            "{id: m, tool: note, map: {over: {$ref: a.result}}, args: {key: budget, text: x}}",
        ])
    );
    let result = World::new().run(&dynamic);
    let error = result.error.unwrap();
    assert_eq!(
        (error.code(), error.reason_str()),
        (tool_core::ErrorCode::LimitExceeded, Some("budget_exceeded"))
    );
    assert_eq!(
        (result.status, logged("budget").len()),
        (ChainStatus::Cancelled, 3)
    );
    let bytes = World::new().run(&format!(
        "budget: {{bytes_out: 10}}\n{}",
        steps(&[
            "{id: a, tool: any, args: {value: long enough a text}}",
            "{id: b, tool: any, args: {value: {$ref: a.result}}}"
        ])
    ));
    assert!(
        bytes
            .error
            .unwrap()
            .message()
            .contains("`bytes_out` is exhausted")
    );
    let wall = World::new().run(&format!(
        "budget: {{wall_ms: 30}}\n{}",
        steps(&["{id: a, tool: note, args: {key: k, text: x, sleep_ms: 9000}}"])
    ));
    assert_eq!(wall.status, ChainStatus::Cancelled);
    problem("budget: {step: 4}\nsteps: []\n", &["did you mean `steps`?"]);
}

#[test]
fn what_costs_more_goes_first() {
    let plan = crate::fakes::parse(&steps(&[
        "{id: a, tool: note, args: {key: costs, text: short}}",
        "{id: b, tool: note, cost_ms: 500, args: {key: costs, text: long}}",
        "{id: c, tool: note, cost_ms: 50, args: {key: costs, text: middle}}",
    ]));
    let options = chain_runtime::RunOptions {
        threads: 1,
        ..Default::default()
    };
    World::new()
        .run_with(&plan, &tool_core::Object::new(), options)
        .unwrap();
    assert_eq!(logged("costs"), ["note long", "note middle", "note short"]);
    problem(
        &steps(&["{id: a, tool: note, cost_ms: 0, args: {key: k, text: x}}"]),
        &["/cost_ms: expected an integer from 1 to 9007199254740992, found the integer 0"],
    );
}

#[test]
fn a_step_names_one_of_three_places() {
    for place in ["local", "prefer"] {
        fine(&steps(&[&format!(
            "{{id: a, tool: note, place: {place}, args: {{key: k, text: x}}}}"
        )]));
    }
    for place in ["cluster", "{prefer: cluster}", "3"] {
        problem(
            &steps(&[&format!(
                "{{id: a, tool: note, place: {place}, args: {{key: k, text: x}}}}"
            )]),
            &["there is no such place"],
        );
    }
    problem(
        &steps(&["{id: a, tool: write, place: require, args: {key: k, path: p}}"]),
        &["/steps/0/place", "`write` runs on this machine alone"],
    );
}

#[test]
fn a_plan_may_ask_more_than_the_policy_and_never_less() {
    use registry::{ApprovalAnswer, CallerContext};
    let world = World::new();
    let nobody = CallerContext {
        answer: ApprovalAnswer::Ask,
        ..crate::fakes::operator()
    };
    let required = steps(&["{id: a, tool: note, approval: required, args: {key: k, text: x}}"]);
    let found = world.problems_for(&required, &nobody);
    assert!(
        found.contains("layer plan: the plan requires an approval"),
        "{found}"
    );
    fine(&required);
    let never = steps(&["{id: a, tool: write, approval: never-ask, args: {key: k, path: a}}"]);
    problem(&never, &["its `approval` is `never-ask`"]);
    problem(
        &steps(&["{id: a, tool: note, approval: no, args: {key: k, text: x}}"]),
        &["expected one of `auto`, `required`, `never-ask`"],
    );
}
