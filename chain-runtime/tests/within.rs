//! Plans within plans: checked with the plan around them before anything happens, and bound by its budget.

use chain_runtime::{ChainStatus, Plan};
use tool_core::{Effect, ErrorCode, Object};

use crate::fakes::{World, logged, operator, statuses, steps};

const BEFORE: &str = "{id: w, tool: write, args: {key: K, path: out/a, text: one}}";

fn outer(key: &str, plan: &str) -> String {
    steps(&[
        &BEFORE.replace('K', key),
        &format!("{{id: s, tool: chain_run, args: {{plan: {plan}}}}}"),
    ])
}

#[test]
fn a_plan_in_a_file_is_checked_before_anything_happens() {
    let world = World::new();
    world.files.put(
        "sub.yaml",
        "version: 1\nsteps:\n  - {id: a, tool: nope}\n  - {id: b, tool: note, args: {key: k}}\n",
    );
    let plan = outer("file", "{$file: sub.yaml}");
    let found = world.problems(&plan);
    for expected in [
        "/steps/1/args/plan/steps/0/tool: sub.yaml:3:13: no tool named `nope`",
        "/steps/1/args/plan/steps/1/args/text: sub.yaml:4:",
    ] {
        assert!(found.contains(expected), "{expected} in:\n{found}");
    }
    assert!(world.try_run(&plan).is_err());
    assert!(logged("file").is_empty());
    let missing = World::new().problems(&plan);
    assert!(missing.contains("`sub.yaml` does not exist"), "{missing}");
}

#[test]
fn a_text_that_is_no_plan_is_told() {
    for (text, expected) in [
        (
            "\"version: 1\\nsteps: [\"",
            "/steps/1/args/plan/steps/0: plan:3:1: ",
        ),
        ("\"a = f(\"", "the call does not end"),
        ("\"version: 1\\nsteps: [{id: a, tool: nope}]\"", "plan:2:"),
    ] {
        let found = World::new().problems(&outer("text", text));
        assert!(found.contains(expected), "{expected} in:\n{found}");
    }
}

#[test]
fn a_plan_that_runs_itself_is_named() {
    let world = World::new();
    let runs = |path: &str| {
        format!(
            "version: 1\nsteps: [{{id: s, tool: chain_run, args: {{plan: {{$file: {path}}}}}}}]\n"
        )
    };
    world.files.put("a.yaml", runs("b.yaml"));
    world.files.put("b.yaml", runs("a.yaml"));
    let plan = Plan::read("a.yaml", &runs("b.yaml")).unwrap();
    let checked = chain_runtime::check_plan(
        &plan,
        &world.dispatcher,
        &operator(),
        &Object::new(),
        chain_runtime::CheckMode::Run,
    )
    .unwrap_err();
    let found = checked.to_string();
    assert!(
        found.contains("the plan runs itself: `plan` -> `b.yaml` -> `a.yaml`"),
        "{found}"
    );
}

#[test]
fn known_plans_keep_steps_that_share_nothing_together() {
    let world = World::new();
    world.files.put(
        "sub.yaml",
        "version: 1\ninputs: {text: {type: string}, n: {type: number, default: 1}}\n\
         steps: [{id: r, tool: read, args: {key: k, path: in/a}}, {id: n, tool: note, args: {key: k, text: {$ref: inputs.text}}}]\n",
    );
    let plan = steps(&[
        "{id: a, tool: note, args: {key: k, text: x}}",
        "{id: s, tool: chain_run, args: {plan: {$file: sub.yaml}, inputs: {text: {$ref: a.text}}}}",
        "{id: other, tool: read, args: {key: k, path: in/b}}",
    ]);
    let checked = world.checked(&plan);
    assert_eq!(checked.fallback_reason, None);
    assert_eq!(world.waves(&plan), "a other|s");
    let reads = checked.steps[1].resources.iter();
    assert!(reads.map(|key| &*key.name).any(|name| name == "in/a"));
    // Types of inputs are held against what the plan takes.
    let wrong = plan.replace(
        "text: {$ref: a.text}",
        "text: {$ref: a.text}, n: {$ref: a.text}",
    );
    let found = world.problems(&wrong);
    assert!(
        found.contains("the input `n` takes a number, found a string"),
        "{found}"
    );
    let unknown = plan.replace("text: {$ref: a.text}", "txt: {$ref: a.text}");
    let found = world.problems(&unknown);
    assert!(found.contains("the plan has no input `txt`"), "{found}");
    assert!(found.contains("the input `text` is missing"), "{found}");
    // A key that depends on such an input is not known.
    world.files.put(
        "sub.yaml",
        "version: 1\ninputs: {text: {type: string}}\nsteps: [{id: w, tool: write, args: {key: k, path: {$ref: inputs.text}}}]\n",
    );
    let reason = world.checked(&plan).fallback_reason.unwrap();
    assert_eq!(
        reason,
        "step `s` runs a plan whose step `w` names the resource at `/path` only when it runs"
    );
}

#[test]
fn a_plan_that_an_earlier_step_may_write_is_read_when_it_runs() {
    let world = World::new();
    let plan = steps(&[
        "{id: w, tool: write, args: {key: k, path: sub.yaml, text: x}}",
        "{id: s, tool: chain_run, args: {plan: {$file: sub.yaml}}}",
    ]);
    let reason = world.checked(&plan).fallback_reason.unwrap();
    assert_eq!(
        reason,
        "step `s` runs a plan that an earlier step may write"
    );
}

#[test]
fn a_plan_that_changed_since_the_check_does_not_run() {
    let world = World::new();
    let text = |word: &str| {
        format!(
            "version: 1\nsteps: [{{id: n, tool: note, args: {{key: changed, text: {word}}}}}]\n"
        )
    };
    world.files.put("sub.yaml", text("first"));
    let checked = world.checked(&steps(&[
        "{id: s, tool: chain_run, args: {plan: {$file: sub.yaml}}}",
    ]));
    world.files.put("sub.yaml", text("second"));
    let result = chain_runtime::run_checked_plan(&checked, &world.dispatcher, Default::default());
    let error = result.error.unwrap();
    assert_eq!(error.code(), ErrorCode::ResourceChanged, "{error}");
    assert!(logged("changed").is_empty());
    world.files.put("sub.yaml", text("first"));
    let result = chain_runtime::run_checked_plan(&checked, &world.dispatcher, Default::default());
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    assert_eq!(logged("changed"), ["note first"]);
}

#[test]
fn references_of_an_inner_plan_without_lit_say_so() {
    let found = World::new().problems(&steps(&[
        "{id: s, tool: chain_run, args: {plan: {version: 1, steps: [{id: a, tool: maybe}, {id: b, tool: any, args: {value: {$ref: a.value}}}]}}}",
    ]));
    assert!(found.contains("write `plan: {$lit: {..}}`"), "{found}");
}

fn calling(budget: &str, key: &str, over: &str) -> String {
    format!(
        "budget: {{{budget}}}\n{}",
        steps(&[
            "{id: list, tool: any, args: {value: [1, 2, 3, 4, 5, 6, 7, 8]}}",
            &format!(
                "{{id: s, tool: chain_run, args: {{plan: {{$lit: {{version: 1, inputs: {{list: {{type: list}}}}, steps: [{{id: m, tool: note, cost_ms: 5, map: {{over: {over}, concurrency: 1}}, args: {{key: {key}, text: x}}}}]}}}}, inputs: {{list: {{$ref: list.result}}}}}}}}"
            ),
        ])
    )
}

/// What a plan within a plan uses counts against the budget of the plan around it.
#[test]
fn a_budget_binds_the_plans_within() {
    let known = "[1, 2, 3, 4, 5, 6, 7, 8]";
    for (budget, expected) in [
        (
            "steps: 9",
            "the plan has 10 calls, those of the plans within it counted, its budget allows 9",
        ),
        ("cost: 39", "the plan has 40 ms of `cost_ms`"),
    ] {
        let found = World::new().problems(&calling(budget, "known", known));
        assert!(found.contains(expected), "{found}");
    }
    assert_eq!(
        World::new().problems(&calling("steps: 10, cost: 40", "known", known)),
        ""
    );
    let open = "{$ref: inputs.list}";
    for (key, budget, made) in [("steps", "steps: 5", 3), ("cost", "cost: 17", 3)] {
        let name = format!("within_{key}");
        let result = World::new().run(&calling(budget, &name, open));
        assert_ne!(result.status, ChainStatus::Success);
        assert_eq!(statuses(&result), "list:done s:failed");
        let error = result.error.unwrap();
        assert!(
            error
                .message()
                .contains("of an enclosing plan is exhausted"),
            "{error}"
        );
        assert_eq!(logged(&name).len(), made, "{budget}");
    }
    let result = World::new().run(&calling("bytes_out: 900", "within_bytes", open));
    assert_ne!(result.status, ChainStatus::Success);
    let made = logged("within_bytes").len();
    assert!(made < 8, "{made}");
}

#[test]
fn large_results_count_as_artifacts() {
    let plan = |most: u64| {
        format!(
            "budget: {{artifact_bytes: {most}}}\n{}",
            steps(&[
                "{id: small, tool: block, args: {count: 10, value: 1.5}}",
                "{id: a, tool: block, args: {count: 10000, value: 1.5}, after: [small]}",
                "{id: b, tool: block, args: {count: 10000, value: 2.5}, after: [a]}",
                "{id: c, tool: any, args: {value: 1}, after: [b]}",
            ])
        )
    };
    let result = World::new().run(&plan(100_000));
    assert_eq!(result.status, ChainStatus::Cancelled);
    assert_eq!(statuses(&result), "small:done a:done b:done c:cancelled");
    assert_eq!(
        World::new().run(&plan(200_000)).status,
        ChainStatus::Success
    );
}

/// Set where a process of its own counts: other tests of this one ask for more threads than there are processors.
const COUNTS: &str = "MATHCHAIN_TEST_COUNTS";

#[test]
fn plans_within_plans_compute_no_more_at_once_than_there_are_processors() {
    if std::env::var_os(COUNTS).is_some() {
        return count();
    }
    let name = "within::plans_within_plans_compute_no_more_at_once_than_there_are_processors";
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(COUNTS, "1")
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "more at once than processors, or none");
}

fn count() {
    let inner: Vec<String> = (0..4)
        .map(|step| format!("{{id: c{step}, tool: crowd}}"))
        .collect();
    let inner = format!(
        "{{$lit: {{version: 1, outputs: {{most: {{$ref: c3.most}}}}, steps: [{}]}}}}",
        inner.join(", ")
    );
    let plan = steps(&[&format!(
        "{{id: s, tool: chain_run, map: {{over: [1, 2, 3, 4, 5, 6, 7, 8], as: n}}, args: {{plan: {inner}}}}}"
    )]);
    let result = World::new().run(&plan);
    assert_eq!(result.status, ChainStatus::Success, "{:?}", result.error);
    // Whoever comes last has seen all the others.
    let last =
        "outputs: {most: {$ref: last.most}}\n".to_owned() + &steps(&["{id: last, tool: crowd}"]);
    let outputs = World::new().run(&last).outputs;
    let most = outputs.get("most").unwrap();
    let most = most.as_i64().unwrap();
    let processors = std::thread::available_parallelism().unwrap().get() as i64;
    assert!((1..=processors).contains(&most), "{most} at once");
}

/// What it did before it was stopped is not known to the plan around it.
#[test]
fn a_plan_that_was_not_known_is_not_tried_again_after_it_was_stopped() {
    let inner = "version: 1\\nsteps:\\n  - {id: w, tool: write, args: {key: again, path: out/x, text: one}}\\n  - {id: f, tool: flaky, after: w, timeout_ms: 20, args: {key: again, fails: 0, sleep_ms: 10000}}\\n";
    let plan = steps(&[
        &format!("{{id: text, tool: any, args: {{value: \"{inner}\"}}}}"),
        "{id: s, tool: chain_run, retry: {max: 2, backoff_ms: 1}, args: {plan: {$ref: text.result}}}",
    ]);
    let world = World::new();
    assert_eq!(world.checked(&plan).steps[1].effects, Effect::ALL);
    let result = world.run(&plan);
    let error = result.error.unwrap();
    assert_eq!(error.code(), ErrorCode::Timeout, "{error}");
    assert_eq!(result.steps[1].end.attempts, 1);
    assert_eq!(logged("again"), ["write out/x one"]);
}
