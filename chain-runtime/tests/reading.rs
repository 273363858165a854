//! Files that arguments refer to: what the policy says of reading them is part of the check, before anything happens.

use registry::{ApprovalAnswer, CallRequest, CallerContext, Config};
use tool_core::{ErrorCode, RandomSeed, StopFlag, ToolError, Value};

use crate::fakes::{World, logged, operator, steps};

const BEFORE: &str = "{id: w, tool: write, args: {key: KEY, path: out/a, text: one}}";

/// Reading below `private` is decided so.
fn world(decision: &str) -> World {
    let text = format!(
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\n\
         match = {{ tools = [\"read_file\"], path = {{ under = \"private\" }} }}\ndecision = \"{decision}\"\nreason = \"private data\"\n"
    );
    let world = World::with(Config::parse("test.toml", &text).unwrap());
    world.files.put("private/x.json", "[4711]");
    world.files.put("private/plan.txt", "the code is 4711");
    world
}

fn asking() -> CallerContext {
    CallerContext {
        answer: ApprovalAnswer::Ask,
        ..operator()
    }
}

/// A known file, one beside a reference, one whose path comes with an input, and one in a plan within the plan.
const READERS: [&str; 4] = [
    "{id: s, tool: sum, args: {data: {$file: private/x.json}}}",
    "{id: s, tool: sum, args: {data: {$file: private/x.json}, weight: {$ref: n.sum}}}",
    "{id: s, tool: sum, args: {data: {$file: {$ref: inputs.name}}}}",
    "{id: s, tool: chain_run, args: {plan: {$lit: {version: 1, steps: [{id: i, tool: sum, args: {data: {$file: private/x.json}}}]}}}}",
];

fn plan(key: &str, reader: &str) -> String {
    let before = BEFORE.replace("KEY", key);
    let number = "{id: n, tool: sum, args: {data: [1, 2]}}";
    let inputs = "inputs: {name: {type: string, default: private/x.json}}\n";
    format!("{}{inputs}", steps(&[&before, number, reader]))
}

#[test]
fn a_denied_file_is_found_before_anything_happens() {
    for reader in READERS {
        let denying = world("deny");
        let plan = plan("reading-deny", reader);
        let found = denying.problems(&plan);
        assert!(
            found.contains("needs `read_file`") && found.contains("private data"),
            "{reader}:\n{found}"
        );
        assert!(denying.try_run(&plan).is_err(), "{reader}");
        assert!(logged("reading-deny").is_empty(), "{reader}");
        assert_eq!(world("allow").problems(&plan), "", "{reader}");
    }
}

#[test]
fn a_file_that_asks_is_found_before_anything_happens() {
    for reader in READERS {
        let plan = plan("reading-ask", reader);
        let found = world("ask").problems_for(&plan, &asking());
        assert!(
            found.contains("needs an approval") && found.contains("needs `read_file`"),
            "{reader}:\n{found}"
        );
        assert_eq!(world("ask").problems(&plan), "", "with a yes: {reader}");
    }
}

/// A file where the tool takes none is refused, never handed on as data.
#[test]
fn a_file_where_none_is_taken_is_refused() {
    for value in [
        "{$file: private/x.json}",
        "{$lit: {a: {$file: private/x.json}}}",
    ] {
        let plan = steps(&[&format!("{{id: a, tool: any, args: {{value: {value}}}}}")]);
        let found = world("deny").problems(&plan);
        assert!(found.contains("opens no file"), "{value}: {found}");
    }
}

/// What the caller may not read is not quoted in what is wrong with it as a plan, however it is handed on.
#[test]
fn a_plan_in_a_denied_file_is_not_read() {
    for decision in ["deny", "ask"] {
        let world = world(decision);
        let outer = steps(&["{id: s, tool: chain_run, args: {plan: {$file: private/plan.txt}}}"]);
        let context = asking();
        let found = world.problems_for(&outer, &context);
        assert!(!found.is_empty() && !found.contains("4711"), "{found}");
        for tool in ["chain_check", "chain_run"] {
            let text = world
                .dispatcher
                .call(CallRequest {
                    tool: tool.to_owned(),
                    args: Value::object([("plan", format!("version: 1\n{outer}"))]),
                    context: context.clone(),
                    seed: RandomSeed::new(1),
                    timeout_ms: None,
                    stop: StopFlag::new(),
                    progress: None,
                    client: None,
                    remote: None,
                })
                .to_value()
                .to_string();
            assert!(text.contains("private data"), "{text}");
            assert!(!text.contains("4711"), "{text}");
        }
        let error = world.try_run(&outer);
        if decision == "deny" {
            let problems = error.expect_err("denied");
            assert_eq!(ToolError::from(problems).code(), ErrorCode::PolicyDenied);
        }
    }
}
