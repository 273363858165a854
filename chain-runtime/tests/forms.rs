//! What is said of the form of a plan: everything together, once for each place, and quickly.

use chain_runtime::{Fault, Plan, PlanProblem, StepStatus};
use tool_core::{Object, ToolError, Value};

use crate::fakes::{World, operator, parse, steps};

#[track_caller]
fn check(text: &str, expected: &[&str], unexpected: &[&str]) {
    let found = World::new().problems_for_text(text);
    for part in expected {
        assert!(
            found.contains(part),
            "expected `{part}` in:\n{found}\n{text}"
        );
    }
    for part in unexpected {
        assert!(!found.contains(part), "`{part}` in:\n{found}\n{text}");
    }
}

/// Case T21: what is wrong with the text and what is wrong with the plan come together.
#[test]
fn duplicate_keys_ids_and_reserved_names_come_together() {
    let yaml = "version: 1\nversion: 1\nsteps:\n  - {id: a, tool: note, args: {key: k, text: x, text: y}}\n  - {id: a, tool: note, args: {key: k, text: x}}\n  - {id: inputs, tool: nope}\n";
    let expected = [
        "2:1: /version: the key `version` is given twice",
        "4:49: /steps/0/args/text: the key `text` is given twice",
        "5:6: /steps/1/id: two steps have the id `a`",
        "6:6: /steps/2/id: `inputs` is reserved",
        "no tool named `nope`",
    ];
    check(yaml, &expected, &[]);
    let json = "{\"version\":1,\"version\":1,\n\"steps\":[{\"id\":\"a\",\"tool\":\"note\",\"tool\":\"any\",\"args\":{\"key\":\"k\",\"text\":\"x\",\"number\":1e999}},\n{\"id\":\"a\",\"tool\":\"nope\"},\n{\"id\":\"inputs\",\"tool\":\"maybe\"}]}";
    check(
        json,
        &[
            "1:14: ",
            "2:34: ",
            "is beyond the range of a double",
            "two steps have the id `a`",
            "`inputs` is reserved",
            "no tool named `nope`",
        ],
        &["found null"],
    );
    check(
        "version: 1\nsteps: &all [{id: a, tool: !t any, args: {value: .inf, x: *all}}]\nseed: 1.5\n",
        &[
            "an anchor",
            "a tag",
            "`.inf` is not a finite number",
            "an alias",
            "/seed: expected an integer or text, found the number 1.5",
        ],
        &[],
    );
}

#[test]
fn a_fault_is_told_once_at_its_place() {
    let note = "{id: a, tool: note, args: {key: k, text: x}}";
    let plan = |step: &str| {
        format!(
            "version: 1\n{}",
            steps(&[note, "{id: m, tool: maybe, args: {give: 1}}", step])
        )
    };
    check(
        &plan("{id: b, tool: note, args: {key: k, text: {$fmt: \"{} {}\", args: [1]}}}"),
        &["the text has 2 places"],
        &["found null"],
    );
    check(
        &plan("{id: b, tool: note, args: {key: k, text: {$ref: m.value}}}"),
        &["`m.value` gives a number, `note` takes a string"],
        &["may be absent"],
    );
}

#[test]
fn a_tool_has_a_name() {
    check(
        "version: 1\nsteps: [{id: a, tool: ''}, {id: b, tool: maybe, compensate: {tool: ''}}]",
        &[
            "/steps/0/tool: expected at least 1 character",
            "/steps/1/compensate/tool: expected at least 1 character",
        ],
        &[],
    );
}

#[test]
fn inputs_and_outputs_that_mean_nothing_are_refused() {
    let with = |inputs: &str, outputs: &str| {
        format!(
            "version: 1\ninputs: {inputs}\nsteps: [{{id: a, tool: maybe}}]\noutputs: {outputs}\n"
        )
    };
    for (inputs, outputs, expected) in [
        (
            "{n: {type: string, minimum: 1}}",
            "{}",
            "`minimum` is for numbers, the input is a string",
        ),
        (
            "{n: {type: number, minimum: 2, maximum: 1}}",
            "{}",
            "`minimum` 2 is greater than `maximum` 1",
        ),
        (
            "{n: {enum: [], default: 1}}",
            "{}",
            "/enum: expected at least 1 element",
        ),
        ("{}", "{$ref: a}", "expected outputs by name"),
        (
            "{}",
            "{x: {$file: a.csv}}",
            "/outputs/x: `$file` opens nothing in an output",
        ),
        (
            "{}",
            "{x: [{y: {$artifact: a}}]}",
            "/outputs/x/0/y: `$artifact` opens nothing",
        ),
    ] {
        check(&with(inputs, outputs), &[expected], &[]);
    }
    check(
        &with("{}", "{x: {$lit: {$file: a.csv}}}"),
        &[],
        &["opens nothing"],
    );
    for limit in ["deadline_ms: 1e18", "budget: {bytes_out: 1e18}"] {
        check(
            &format!("version: 1\nsteps: []\n{limit}"),
            &["expected an integer from 1 to 9007199254740992"],
            &[],
        );
    }
}

#[test]
fn a_plan_is_looked_at_without_its_inputs() {
    let plan = parse(&format!(
        "inputs: {{n: {{type: number}}, list: {{type: list}}}}\n{}outputs: {{n: {{$ref: inputs.n}}}}\n",
        steps(&[
            "{id: a, tool: sum, args: {data: {$ref: inputs.list}, weight: {$ref: inputs.n}}}",
            "{id: m, tool: note, when: \"inputs.n > 1\", map: {over: {$ref: inputs.list}}, args: {key: k, text: x}}",
        ])
    ));
    let world = World::new();
    let look = |plan: &Plan| {
        chain_runtime::check_plan(
            plan,
            &world.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Inspect,
        )
    };
    let looked = look(&plan).unwrap();
    assert_eq!(
        looked
            .open_inputs
            .iter()
            .map(|name| &**name)
            .collect::<Vec<_>>(),
        ["list", "n"]
    );
    let result = chain_runtime::run_checked_plan(&looked, &world.dispatcher, Default::default());
    assert!(
        !result.is_success()
            && result
                .steps
                .iter()
                .all(|step| step.end.status != StepStatus::Done)
    );
    let wrong = parse(&format!(
        "inputs: {{n: {{type: string}}}}\n{}",
        steps(&["{id: a, tool: sum, args: {data: [1], weight: {$ref: inputs.n}}}"])
    ));
    let found = look(&wrong).unwrap_err().to_string();
    assert!(
        found.contains("`inputs.n` gives a string, `sum` takes a number"),
        "{found}"
    );
}

#[test]
fn scripts_are_answered_in_their_own_words() {
    let found =
        World::new().problems_for_text("a = maybe(give=1)\nb = sum(data=[1], weight=a.value)\n");
    assert!(
        found.contains("(add a default: `a.value ?? ...`)"),
        "{found}"
    );
    assert_eq!(
        World::new()
            .problems_for_text("a = maybe(give=1)\nb = sum(data=[1], weight=a.value ?? 0)\n"),
        ""
    );
}

/// Of ten thousand faults a thousand are told, the others counted.
#[test]
fn many_faults_are_told_and_counted() {
    let plan = |steps: String, rest: &str| format!("{{\"version\":1,{rest}\"steps\":[{steps}]}}");
    let joined =
        |one: &dyn Fn(usize) -> String| (0..10_000).map(one).collect::<Vec<_>>().join(",\n");
    let fields = joined(&|number| format!("\"field{number}\":1"));
    let tools = joined(&|number| format!("{{\"id\":\"s{number}\",\"tool\":\"tool{number}\"}}"));
    let dense = joined(&|number| {
        let ids: Vec<String> = (1..20)
            .map(|by| format!("\"s{}\"", (number + by * 499) % 10_000))
            .collect();
        format!(
            "{{\"id\":\"s{number}\",\"tool\":\"maybe\",\"after\":[{}]}}",
            ids.join(",")
        )
    });
    for text in [
        plan(String::new(), &format!("{fields},")),
        plan(tools, ""),
        plan(dense, ""),
    ] {
        let world = World::new();
        let plan = Plan::parse(&text).unwrap();
        let found = chain_runtime::check_plan(
            &plan,
            &world.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        );
        let problems = found.unwrap_err();
        assert!(
            problems.list().len() == 1000 && problems.more() > 8_000,
            "{}",
            problems.more()
        );
        assert!(
            problems
                .list()
                .iter()
                .all(|problem| problem.place.is_some())
        );
        let value: Value = ToolError::from(problems).to_value();
        assert!(value.to_string().len() < 32 << 10, "{value}");
        assert!(value.get("problems").is_some());
    }
}

/// What is said of a plan does not grow with the names in it, however often one of them stands on the way to a fault.
#[test]
fn long_names_are_told_once_and_in_short() {
    let long = "k".repeat(300_000);
    let many = |one: &dyn Fn(usize) -> String| (0..2_000).map(one).collect::<Vec<_>>().join(",");
    let unknown = many(&|number| format!("\"u{number}\":1"));
    let references = many(&|_| "{\"$ref\":\"nobody\"}".to_owned());
    let formats = many(&|_| "{\"$fmt\":\"{\"}".to_owned());
    let files = many(&|_| "{\"$file\":\"x\"}".to_owned());
    let any = |value: &str| {
        format!("\"steps\":[{{\"id\":\"a\",\"tool\":\"any\",\"args\":{{\"value\":{value}}}}}]")
    };
    let one = any("1");
    for (members, expected) in [
        (
            format!("\"inputs\":{{\"{long}\":{{{unknown}}}}},{one}"),
            "the names on the way here have more than 1024 bytes (shorten them)",
        ),
        (
            format!("\"outputs\":{{\"{long}\":[{references}]}},{one}"),
            "at most 1024 are allowed",
        ),
        (
            format!("\"outputs\":{{\"{long}\":[{files}]}},{one}"),
            "opens nothing",
        ),
        (
            any(&format!("{{\"{long}\":[{references}]}}")),
            "at most 1024 are allowed",
        ),
        (
            any(&format!("{{\"{long}\":[{formats}]}}")),
            "at most 1024 are allowed",
        ),
        (format!("\"{long}\":1,{one}"), "unknown key `kkk"),
        (
            format!("\"steps\":[{{\"id\":\"{long}\",\"tool\":\"any\",\"args\":{{{unknown}}}}}]"),
            "is not a valid id",
        ),
        (
            format!("\"steps\":[{{\"id\":\"a\",\"tool\":\"{long}\",\"args\":{{}}}}]"),
            "no tool named",
        ),
    ] {
        let text = format!("{{\"version\":1,{members}}}");
        let world = World::new();
        let plan = Plan::parse(&text).unwrap();
        let found = chain_runtime::check_plan(
            &plan,
            &world.dispatcher,
            &operator(),
            &Object::new(),
            chain_runtime::CheckMode::Run,
        );
        let problems = found.unwrap_err();
        let words = problems.to_string();
        assert!(
            words.contains(expected),
            "{expected}: {}",
            &words[..words.len().min(2_000)]
        );
        assert!(
            problems
                .list()
                .iter()
                .all(|problem| problem.pointer.len() < 1_024)
        );
        let answer = tool_core::ToolError::from(problems).to_value();
        let bytes = tool_core::json::to_text(&answer).len();
        assert!(bytes < 1 << 20, "{expected}: {bytes} bytes");
    }
}

/// Problems with much to say are told up to a size, the others counted.
#[test]
fn the_words_of_all_problems_have_a_limit() {
    let mut problems = chain_runtime::PlanProblems::default();
    for number in 0..1_000 {
        let message = "x".repeat(4_000);
        problems.push(PlanProblem::new(Fault::Form, format!("/{number}"), message));
    }
    let words = problems.to_string();
    assert!(
        words.len() < tool_core::error::PROBLEMS_BYTES_MAX + 32_768,
        "{}",
        words.len()
    );
    assert_eq!(problems.list().len() + problems.more(), 1_000);
    assert!(problems.list().len() > 40 && problems.more() > 900);
    assert!(
        words.contains(&format!("and {} more", problems.more())),
        "the rest is counted"
    );
}
