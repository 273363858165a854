//! What is refused before anything runs, and how it is said.

use chain_runtime::{CheckedPlan, Plan};
use proptest::prelude::*;
use registry::{ApprovalAnswer, CallerContext, Config, Level, PolicyLayer};
use tool_core::{ErrorCode, Object, ToolError, Value};

use crate::fakes::{World, logged, operator, parse, steps};

fn check(plan: &str, expected: &[&str]) {
    let problems = World::new().problems(plan);
    for text in expected {
        assert!(
            problems.contains(text),
            "expected `{text}` in:\n{problems}\nplan:\n{plan}"
        );
    }
    if expected.is_empty() {
        assert_eq!(problems, "", "{plan}");
    }
}

#[test]
fn cycle_is_shown_and_nothing_runs() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: t03, text: {$ref: b.text}}}",
        "{id: b, tool: note, args: {key: t03, text: {$ref: a.text}}}",
    ]);
    check(
        &plan,
        &["steps depend on each other: a -> b -> a", "break the cycle"],
    );
    let world = World::new();
    assert!(world.try_run(&plan).is_err());
    assert!(logged("t03").is_empty());
    let records = world.records();
    assert_eq!(records.len(), 1, "the rejection, and no call: {records:?}");
    assert_eq!(records[0].get("status").unwrap().as_str(), Some("rejected"));
}

#[test]
fn unknown_step_offers_the_nearest() {
    let base = "{id: first, tool: note, args: {key: k, text: x}}";
    let plan = steps(&[
        base,
        "{id: b, tool: note, args: {key: k, text: {$ref: frist.text}}}",
    ]);
    check(
        &plan,
        &[
            "/steps/1/args/text",
            "no step has the id `frist`",
            "did you mean `first`?",
        ],
    );
    let plan = steps(&[
        base,
        "{id: b, tool: note, after: [zz], args: {key: k, text: y}}",
    ]);
    check(&plan, &["/steps/1/after/0", "no step has the id `zz`"]);
    let plan = steps(&["{id: b, tool: note, args: {key: k, text: {$ref: b.text}}}"]);
    check(&plan, &["`b` uses its own output"]);
    let plan = steps(&[
        "{id: b, tool: note, args: {key: k, text: {$ref: first.text}}}",
        base,
    ]);
    check(
        &plan,
        &[
            "`b` depends on `first`, which comes later",
            "move `first` before `b`",
        ],
    );
    let plan = steps(&["{id: b, tool: note, args: {key: k, text: {$ref: item.x}}}"]);
    check(
        &plan,
        &["`item` is defined only in the arguments of a step with `map`"],
    );
}

#[test]
fn unknown_field_offers_the_nearest() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        "{id: b, tool: sum, args: {data: [{$ref: a.meen}]}}",
        "{id: c, tool: any, args: {value: {$ref: \"a.rows[*].q\"}}}",
    ]);
    check(
        &plan,
        &[
            "/steps/1/args/data/0: `a.meen`: `a` of `note` gives a record of",
            "has no `.meen` (did you mean `mean`?)",
            "`a.rows[*].q`: `a.rows[*]` of `note` gives a record of `name`, `p`, which has no `.q`",
        ],
    );
}

#[test]
fn type_conflict_names_both_ends() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        "{id: b, tool: trace, args: {a: {$ref: a.text}}}",
        "{id: c, tool: trace, args: {a: {$ref: a.list}}}",
        "{id: d, tool: sum, args: {data: {$ref: a.rows}}}",
        "{id: e, tool: sum, args: {data: {$ref: \"a.rows[*].p\"}, weight: {$ref: a.list}}}",
    ]);
    check(
        &plan,
        &[
            "/steps/1/args/a: `a.text` gives a string, `trace` takes an array of numbers of rank 2",
            "/steps/2/args/a: `a.list` gives a list of numbers, `trace` takes an array of numbers of rank 2",
            "/steps/3/args/data: `a.rows` gives a list of records",
            "/steps/4/args/weight: `a.list` gives a list of numbers, `sum` takes a number at `/weight`",
        ],
    );
}

#[test]
fn types_that_fit_are_accepted() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        "{id: b, tool: sum, args: {data: {$ref: \"a.rows[*].p\"}, weight: {$ref: a.mean}}}",
        "{id: c, tool: sum, args: {data: [{$ref: a.mean}, 2, {$ref: b.sum}]}}",
        "{id: d, tool: trace, args: {a: [{$ref: a.list}, {$ref: b.data}]}}",
        "{id: e, tool: any, args: {value: {deep: [{$ref: a}]}}}",
        "{id: f, tool: sum, args: {data: {$ref: e.result}}}",
        "{id: g, tool: note, args: {key: k, text: {$fmt: \"mean={}\", args: [{$ref: a.mean}]}}}",
    ]);
    check(&plan, &[]);
    let checked = World::new().checked(&plan);
    assert!(
        checked
            .notes
            .iter()
            .any(|note| note.contains("`e.result` is checked when it arrives")),
        "{:?}",
        checked.notes
    );
}

#[test]
fn maybe_needs_a_default() {
    let given = "{id: a, tool: maybe, args: {give: null}}";
    let plan = steps(&[
        given,
        "{id: b, tool: sum, args: {data: [1], weight: {$ref: a.value}}}",
    ]);
    check(
        &plan,
        &[
            "`a.value` may be absent or null, `sum` takes a number at `/weight`",
            "add a `default`",
        ],
    );
    let plan = steps(&[
        given,
        "{id: b, tool: sum, args: {data: [1], weight: {$ref: a.value, default: 2}}}",
    ]);
    check(&plan, &[]);
    let result = World::new().run(&plan);
    assert_eq!(result.steps[1].end.defaults_used, ["a.value"]);
    let plan = steps(&[
        given,
        "{id: b, tool: sum, args: {data: [1], weight: {$ref: a.value, default: two}}}",
    ]);
    check(
        &plan,
        &["/steps/1/args/weight/default", "expected a number"],
    );
}

#[test]
fn all_argument_problems_are_reported() {
    let plan = steps(&[
        "{id: a, tool: sum, args: {data: [1, x], weight: y, extra: 1}}",
        "{id: b, tool: sum, args: {dta: {$ref: a.data}, weight: y}}",
        "{id: c, tool: trace, args: {a: [[1], {$ref: a.sum}]}}",
    ]);
    check(
        &plan,
        &[
            "/steps/0/args/data/1: expected a number, found the string \"x\"",
            "/steps/0/args/weight",
            "/steps/0/args/extra: unknown argument `extra`",
            "/steps/1/args/data: missing required argument `data`",
            "/steps/1/args/dta: unknown argument `dta` of `sum` (did you mean `data`?)",
            "/steps/1/args/weight: expected a number",
            "/steps/2/args/a/1: `a.sum` gives a number, `trace` takes a list of numbers",
        ],
    );
}

#[test]
fn tools_without_chain_are_blocked() {
    let plan = steps(&[
        "{id: a, tool: note, args: {key: t14, text: x}}",
        "{id: b, tool: direct, args: {}}",
        "{id: c, tool: nope, args: {}}",
        "{id: d, tool: nte, args: {}}",
    ]);
    check(
        &plan,
        &[
            "`direct` cannot be used in a plan: it does not list `chain` among its callers",
            "no tool named `nope`",
            "no tool named `nte` (did you mean `note`?)",
        ],
    );
    let problems = World::new().try_run(&plan).unwrap_err();
    assert_eq!(problems.blocked_tools(), ["direct"]);
    assert!(logged("t14").is_empty());
    let err = ToolError::from(
        World::new()
            .try_run(&steps(&["{id: b, tool: direct, args: {}}"]))
            .unwrap_err(),
    );
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PolicyDenied, Some("blocked_tool"))
    );
    assert!(err.hint_str().unwrap().contains("Blocked tools: direct"));
}

#[test]
fn a_hidden_tool_is_refused_with_its_layer() {
    let config = Config::parse(
        "test.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"note\"]\n",
    )
    .unwrap();
    let problems =
        World::with(config).problems(&steps(&["{id: a, tool: note, args: {key: k, text: x}}"]));
    assert!(
        problems.contains("may not call `note`") && problems.contains("global"),
        "{problems}"
    );
    // What hands work on takes away from what the role may, and is named.
    let config = Config::parse(
        "test.toml",
        "version = 1\n[[policies]]\nlevel = \"role\"\nname = \"operator\"\nallow = [\"note\"]\n[[policies]]\nlevel = \"delegation\"\ndeny = [\"note\"]\n",
    )
    .unwrap();
    let world = World::with(config);
    let plan = steps(&["{id: a, tool: note, args: {key: k, text: x}}"]);
    assert_eq!(world.problems(&plan), "", "the role itself may");
    let mut context = operator();
    let child = PolicyLayer::new(Level::Delegation, "child").allow(["note"]);
    context.who = context.who.narrow(child);
    let problems = world.problems_for(&plan, &context);
    assert!(
        problems.contains("may not call `note`") && problems.contains("delegation"),
        "{problems}"
    );
}

#[test]
fn a_step_that_needs_approval_is_refused_without_yes() {
    let ask = CallerContext {
        answer: ApprovalAnswer::Ask,
        ..operator()
    };
    let plan = steps(&[
        "{id: a, tool: note, args: {key: t16, text: x}}",
        "{id: save, tool: write, args: {key: t16, path: out/x, text: {$ref: a.text}}}",
    ]);
    let problems = World::new().problems_for(&plan, &ask);
    assert!(
        problems.contains("`save` needs an approval to call `write`"),
        "{problems}"
    );
    assert!(problems.contains("--yes"), "{problems}");
    assert!(!problems.contains("`a`"), "{problems}");
    let world = World::new();
    assert!(world.run(&plan).is_success());
    let approved: Vec<Value> = world
        .records()
        .iter()
        .filter_map(|record| record.get("approved_by").cloned())
        .collect();
    assert!(
        approved.contains(&Value::from("caller-yes")),
        "{approved:?}"
    );
    let _ = logged("t16");
}

#[test]
fn an_allow_rule_replaces_the_question() {
    let text = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\n\
                match = { tools = [\"write\"], path = { under = \"out\" } }\ndecision = \"allow\"\nreason = \"results\"\n";
    let ask = CallerContext {
        answer: ApprovalAnswer::Ask,
        ..operator()
    };
    let plan = |path: &str| {
        steps(&[
            "{id: a, tool: note, args: {key: allow, text: x}}",
            &format!(
                "{{id: save, tool: write, args: {{key: allow, path: {path}, text: {{$ref: a.text}}}}}}"
            ),
        ])
    };
    let world = World::with(Config::parse("test.toml", text).unwrap());
    assert_eq!(world.problems_for(&plan("out/x"), &ask), "");
    assert!(
        world
            .problems_for(&plan("elsewhere/x"), &ask)
            .contains("needs an approval")
    );
    // A path that is known only when it runs is asked for by the strictest answer that could come.
    assert!(
        world
            .problems_for(&plan("{$ref: a.text}"), &ask)
            .contains("needs an approval")
    );
}

#[test]
fn form_problems_come_together() {
    let plan = "colour: red\nmode: fast\n".to_owned()
        + &steps(&[
            "{id: a, tool: note, args: {key: k, text: x}}",
            "{id: a, tool: note, args: {key: k, text: x}}",
            "{id: inputs, tool: note, args: {key: k, text: x}}",
            "{id: Big, tool: note, args: {key: k, text: x}}",
            "{tool: note}",
            "{id: z, args: {}, tool: 3}",
            "{id: m, tool: note, map: {over: [1]}, args: {key: k, text: x}}",
            "{id: t, tool: note, argss: 1, timeout_ms: 0, on_error: panic, args: {key: k, text: x}}",
            "7",
        ]);
    check(
        &plan,
        &[
            "unknown key `colour`",
            "expected one of `dep`, `seq`, found",
            "two steps have the id `a`",
            "`inputs` is reserved",
            "`Big` is not a valid id",
            "missing key `id`",
            "/tool: expected text, found the integer 3",
            "did you mean `args`?",
            "/timeout_ms: expected an integer from 1 to 9007199254740992, found the integer 0",
            "expected one of `fail_chain`, `skip_dependents`, `continue`",
            "/steps/8: expected a table, found the integer 7",
        ],
    );
}

#[test]
fn duplicate_keys_and_tags_are_refused_in_the_text() {
    for text in [
        "version: 1\nsteps: []\nsteps: []\n",
        "version: 1\nsteps: [{id: a, tool: note, tool: note}]\n",
        "version: 1\nsteps: &x []\n",
        "version: 1\nsteps: !!seq []\n",
        "{\"version\":1,\"version\":1,\"steps\":[]}",
    ] {
        assert_ne!(World::new().problems_for_text(text), "", "{text}");
    }
    // All of them at once.
    let problems = World::new().problems_for_text(
        "version: 1\nsteps:\n  - {id: a, tool: any, args: {value: 1}}\n  - {id: a, tool: any, tool: any, args: {value: 1}}\n  - {id: inputs, tool: any, args: {value: 1}}\n",
    );
    for expected in [
        "two steps have the id `a`",
        "`tool`",
        "`inputs` is reserved",
    ] {
        assert!(problems.contains(expected), "{problems}");
    }
}

/// Numbers that neither 64 bits nor a double hold are refused, never changed.
#[test]
fn numbers_are_never_changed() {
    let with = |number: &str| {
        let text = format!(
            "{{\"version\":1,\"steps\":[{{\"id\":\"a\",\"tool\":\"any\",\"args\":{{\"value\":{number}}}}}]}}"
        );
        World::new().problems_for_text(&text)
    };
    for number in ["9007199254740991", "9007199254740993"] {
        assert_eq!(with(number), "");
        let plan = format!(
            "outputs: {{x: {{$ref: a.result}}}}\nsteps: [{{id: a, tool: any, args: {{value: {number}}}}}]"
        );
        let result = World::new().run(&plan);
        assert_eq!(result.outputs.get("x").unwrap().to_string(), number);
    }
    for number in ["9223372036854775809", "NaN", "1e999"] {
        assert_ne!(with(number), "", "{number}");
    }
    let result = World::new()
        .run("outputs: {x: {$ref: a.result}}\nsteps: [{id: a, tool: any, args: {value: -0.0}}]");
    assert_eq!(
        result.outputs.get("x").unwrap().as_f64().map(f64::to_bits),
        Some((-0.0_f64).to_bits())
    );
}

#[test]
fn problems_have_lines_and_columns() {
    let problems = World::new()
        .try_run("steps:\n  - id: a\n    tool: nope\n")
        .unwrap_err();
    assert_eq!(problems.list()[0].place, Some((4, 5)), "{problems}");
    let json =
        Plan::parse("{\"version\":1,\n\"steps\":[{\"id\":\"a\",\n  \"tool\":\"nope\"}]}").unwrap();
    let world = World::new();
    let problems = chain_runtime::check_plan(
        &json,
        &world.dispatcher,
        &operator(),
        &Object::new(),
        chain_runtime::CheckMode::Run,
    )
    .unwrap_err();
    assert_eq!(
        problems.list()[0].place.map(|(line, _)| line),
        Some(3),
        "{problems}"
    );
}

#[test]
fn limits_hold() {
    let one = |id: usize| {
        Value::object([
            ("id", Value::from(format!("s{id}"))),
            ("tool", Value::from("maybe")),
        ])
    };
    let plan = |count: usize| {
        Plan::from_value(&Value::object([
            ("version", Value::from(1_u32)),
            ("steps", Value::array((0..count).map(one).collect())),
        ]))
    };
    let world = World::new();
    let check = |plan: &Plan| {
        chain_runtime::check_plan(
            plan,
            &world.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
    };
    assert!(
        check(&plan(10_001))
            .unwrap_err()
            .to_string()
            .contains("/steps: expected at most 10000 elements, found 10001")
    );
    let mut deep = Value::Int(1);
    for _ in 0..70 {
        deep = Value::array(vec![Value::object([("x", deep)])]);
    }
    let deep = Plan::from_value(&Value::object([
        ("version", Value::from(1_u32)),
        ("steps", deep),
    ]));
    assert!(
        check(&deep)
            .unwrap_err()
            .to_string()
            .contains("nested at most 64 deep")
    );
    let names: Vec<String> = (0..1_001).map(|number| format!("o{number}: 1")).collect();
    let names = parse(&format!("steps: []\noutputs: {{{}}}", names.join(", ")));
    assert!(
        check(&names)
            .unwrap_err()
            .to_string()
            .contains("/outputs: expected at most 1000 members, found 1001")
    );
    let long = format!("version: 1\nsteps: []\n# {}", "x".repeat(5 << 20));
    assert_eq!(
        Plan::parse(&long).unwrap_err().code(),
        ErrorCode::LimitExceeded
    );
}

/// A plan of any size is checked without recursion and in memory that grows with it.
#[test]
fn ten_thousand_steps() {
    let steps = |dependent: bool| {
        let one = |id: usize| {
            let value = if dependent && id > 0 {
                Value::object([("$ref", format!("s{}.result", id - 1))])
            } else {
                Value::from(id)
            };
            Value::object([
                ("id", Value::from(format!("s{id}"))),
                ("tool", Value::from("any")),
                ("args", Value::object([("value", value)])),
            ])
        };
        let list = (0..10_000).map(one).collect();
        let outputs = Value::object([("last", Value::object([("$ref", "s9999.result")]))]);
        Value::object([
            ("version", Value::from(1_u32)),
            ("steps", Value::array(list)),
            ("outputs", outputs),
        ])
    };
    let world = World::new();
    let check = |dependent: bool| -> CheckedPlan {
        let plan = Plan::from_value(&steps(dependent));
        chain_runtime::check_plan(
            &plan,
            &world.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
        .unwrap()
    };
    assert_eq!(check(false).graph.waves().len(), 1);
    let chain = check(true);
    assert_eq!(chain.graph.waves().len(), 10_000);
    let result = chain_runtime::run_checked_plan(&chain, &world.dispatcher, Default::default());
    assert!(result.is_success());
    assert_eq!(result.outputs.get("last"), Some(&Value::Int(0)));
}

#[test]
fn inputs_are_checked_and_filled_in() {
    let plan = parse(
        "inputs:\n  n: {type: integer, minimum: 1, maximum: 9, default: 2}\n  data: {type: list}\n  csv: {type: path, default: a.csv}\n\
         steps:\n  - {id: a, tool: sum, args: {data: {$ref: inputs.data}, weight: {$ref: inputs.n}}}\n\
         \x20 - {id: b, tool: sum, args: {data: {$file: {$ref: inputs.csv}}}}\n\
         outputs: {sum: {$ref: a.sum}, file: {$ref: b.sum}, n: {$ref: inputs.n}}\n",
    );
    let world = World::new();
    let problems = |inputs: &[(&str, Value)]| {
        let Value::Object(inputs) = Value::object(inputs.iter().cloned()) else {
            unreachable!()
        };
        match world.run_with(&plan, &inputs, Default::default()) {
            Ok(result) => Value::Object(std::sync::Arc::new(result.outputs)).to_string(),
            Err(problems) => problems.to_string(),
        }
    };
    let data = || ("data", Value::vector(vec![1.0, 2.0]));
    assert_eq!(problems(&[data()]), r#"{"sum":5.0,"file":6.0,"n":2}"#);
    for (inputs, expected) in [
        (
            vec![],
            "the input `data` is missing (give it: `--input data=...`",
        ),
        (
            vec![data(), ("n", Value::Int(10))],
            "the input `n`: expected at most 9, found 10",
        ),
        (
            vec![data(), ("n", Value::Float(1.5))],
            "the input `n`: expected an integer",
        ),
        (
            vec![data(), ("m", Value::Int(1))],
            "the plan has no input `m`",
        ),
        (
            vec![("data", Value::array(vec!["x".into()]))],
            "expected a number, found the string \"x\" (from `inputs.data`)",
        ),
        (
            vec![("data", Value::Int(1))],
            "the input `data`: expected a list",
        ),
    ] {
        let found = problems(&inputs);
        assert!(
            found.contains(expected),
            "expected `{expected}` in: {found}"
        );
    }
    assert_eq!(plan.input("n").unwrap().read("3").unwrap(), Value::Int(3));
    assert!(plan.input("n").unwrap().read("x").is_err());
    assert_eq!(
        plan.input("csv").unwrap().read("3").unwrap(),
        Value::from("3")
    );
    assert!(
        world
            .problems("inputs: {n: {type: integer, default: x}}\nsteps: []")
            .contains("/inputs/n/default")
    );
}

#[test]
fn formats_are_refused_where_text_is_read_as_a_program() {
    let note = "{id: a, tool: note, args: {key: k, text: x}}";
    let fmt = "{$fmt: \"{}+1\", args: [{$ref: a.text}]}";
    check(
        &steps(&[
            note,
            &format!("{{id: b, tool: expression, args: {{expression: {fmt}}}}}"),
        ]),
        &[
            "/steps/1/args/expression",
            "`$fmt` is refused for `/expression` of `expression`: the text is read as expression",
        ],
    );
    check(
        &steps(&[
            note,
            "{id: b, tool: expression, args: {expression: {$ref: a.text}}}",
        ]),
        &[],
    );
    check(
        &steps(&[
            note,
            &format!("{{id: b, tool: sum, args: {{data: {{$file: {fmt}}}}}}}"),
        ]),
        &["the text is read as path"],
    );
    check(
        &steps(&[
            note,
            &format!("{{id: b, tool: note, args: {{key: k, text: {fmt}}}}}"),
        ]),
        &[],
    );
}

/// Case T29: what a step gives is data, also when it looks like a reference to a file.
#[test]
fn outputs_open_no_files() {
    let plan = steps(&[
        "{id: a, tool: any, args: {value: {$lit: {$ref: b.secret}}}}",
        "{id: b, tool: any, args: {value: {$ref: a.result}}}",
        r#"{id: c, tool: spelled, args: {text: '{"$file": "secret.csv"}'}}"#,
        "{id: d, tool: sum, args: {data: {$ref: c.result}}}",
    ]);
    let result = World::new().run(&format!("{plan}outputs: {{b: {{$ref: b.result}}}}"));
    assert_eq!(
        result.outputs.get("b").unwrap().to_string(),
        r#"{"$ref":"b.secret"}"#
    );
    let error = result.steps[3].end.error.as_ref().unwrap();
    assert_eq!(
        (error.code(), error.reason_str(), error.path()),
        (ErrorCode::InvalidArgs, Some("injection"), Some("/data"))
    );
    // Nor artifacts; nor as the element of a map.
    let handle = format!(r#"{{"$artifact": "b3:{}"}}"#, "0".repeat(64));
    for (value, step) in [
        (
            handle.as_str(),
            "{id: d, tool: sum, args: {data: {$ref: c.result}}}",
        ),
        (
            r#"[{"$file": "secret.csv"}]"#,
            "{id: d, tool: sum, map: {over: {$ref: c.result}}, args: {data: {$ref: item}}}",
        ),
    ] {
        let plan = steps(&[
            &format!("{{id: c, tool: spelled, args: {{text: '{value}'}}}}"),
            step,
        ]);
        let result = World::new().run(&plan);
        let error = result.steps[1].end.error.as_ref().unwrap();
        assert_eq!(error.reason_str(), Some("injection"), "{value}: {error:?}");
    }
}

#[test]
fn outputs_are_checked() {
    let note = "{id: a, tool: note, args: {key: k, text: x}}";
    let plan = format!(
        "outputs: {{x: {{$ref: a.meen}}, y: {{$ref: b.x}}, z: {{$ref: inputs.q}}}}\n{}",
        steps(&[note])
    );
    check(
        &plan,
        &[
            "/outputs/x: `a.meen`",
            "did you mean `mean`?",
            "/outputs/y: no step has the id `b`",
            "/outputs/z: `inputs.q`",
        ],
    );
}

#[test]
fn no_steps_is_a_plan_without_waves() {
    let world = World::new();
    assert_eq!(world.waves("steps: []"), "");
    let result = world.run("steps: []\noutputs: {one: 1}");
    assert!(result.is_success());
    assert_eq!(result.outputs.get("one"), Some(&Value::Int(1)));
    check("id: x", &["missing key `steps`"]);
    check(
        "steps: 3",
        &["/steps: expected a list, found the integer 3"],
    );
}

/// A plan of the tests with every part of the language in it.
const WHOLE: &str = r#"{"version":1,"id":"whole","seed":"7","mode":"dep","barrier":true,"parallel_mutations":false,
"inputs":{"n":{"type":"integer","minimum":1,"maximum":9,"default":2,"enum":[1,2]}},
"steps":[{"id":"a","tool":"note","args":{"key":"w","text":"x","number":{"$ref":"inputs.n"}},"timeout_ms":9,"on_error":"continue"},
{"id":"b","tool":"sum","args":{"data":[{"$ref":"a.mean"},2],"weight":{"$ref":"a.list[0]","default":1}},"after":["a"]},
{"id":"c","tool":"any","args":{"value":{"$fmt":"{} {{}}","args":[{"$ref":"a.rows[*].p"}]}},"after":"b"},
{"id":"d","tool":"sum","args":{"data":{"$file":{"$ref":"a.text"}}}},
{"id":"e","tool":"write","args":{"key":"w","path":"p","text":{"$ref":"c.result"}}}],
"outputs":{"x":{"$ref":"b.sum"},"y":[{"$lit":{"$ref":1}},{"$ref":"d"}]}}"#;

#[test]
fn the_whole_language_is_accepted() {
    assert_eq!(World::new().problems_for_text(WHOLE), "");
}

proptest! {
    /// Whatever is in the text, the answer is a plan or problems.
    #[test]
    fn mangled_plans_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(
            vec!["", "\"", "{", "}", "[", "]", ":", ",", "$", "0", "-1", "null", "a", ".", "[*]", "$ref", "1e999", "\\u0000"],
        ), 0..4_usize), 1..6)
    ) {
        let mut text = WHOLE.to_owned();
        for (at, replacement, cut) in edits {
            let at = at.index(text.len());
            let end = (at + cut).min(text.len());
            text.replace_range(at..end, replacement); // the text is ASCII
        }
        let _ = World::new().problems_for_text(&text);
    }
}
