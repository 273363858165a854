//! `mathchain plan`, call scripts, traces, and the examples that write.

use tool_core::Value;

use crate::support::{Place, root};

/// A copy of the examples, and where asked the configuration of the repository.
fn with_examples(configured: bool) -> Place {
    let place = Place::new();
    let data = place.path("work/examples/data");
    std::fs::create_dir_all(&data).expect("makes folders");
    for name in [
        "cleanup.yaml",
        "data/epidemic.csv",
        "data/houses.csv",
        "effects.yaml",
        "epidemic.yaml",
        "failing.yaml",
        "ode_study.yaml",
        "posterior.yaml",
        "quickstart.yaml",
        "script.chain",
    ] {
        let from = root().join("examples").join(name);
        std::fs::copy(from, place.path("work/examples").join(name)).expect("copies");
    }
    if configured {
        let from = root().join("mathchain.toml");
        std::fs::copy(from, place.path("work/mathchain.toml")).expect("copies");
    }
    place
}

const EXAMPLES: [&str; 8] = [
    "examples/cleanup.yaml",
    "examples/effects.yaml",
    "examples/epidemic.yaml",
    "examples/failing.yaml",
    "examples/ode_study.yaml",
    "examples/posterior.yaml",
    "examples/quickstart.yaml",
    "examples/script.chain",
];

const BROKEN: &str = "version: 1
id: p
inputs:
  n: {type: integer, maximum: 5}
steps:
  - {id: a, tool: statistcs, args: {data: [1]}}
  - {id: b, tool: statistics, args: {dta: [1]}, wen: x}
  - {id: c, tool: statistics, args: {data: {$ref: zz.x}}}
";

#[test]
fn a_check_needs_no_inputs_and_says_which_a_run_needs() {
    let place = with_examples(false);
    place.write(
        "plan.yaml",
        "version: 1\ninputs: {x: {type: list}}\nsteps: [{id: a, tool: statistics, args: {data: {$ref: inputs.x}}}]\n",
    );
    let answer = place.run(&["plan", "check", "plan.yaml"], "");
    let needed = answer.expect_code(0).at("/needs_inputs/0");
    assert_eq!(needed.as_str(), Some("x"));
    let human = place.run(&["plan", "check", "plan.yaml", "--output", "human"], "");
    assert!(
        human.stdout.contains("a run needs --input x=.."),
        "{}",
        human.stdout
    );
    let run = place.run(&["run", "plan.yaml"], "");
    run.expect_code(2);
    assert!(
        run.stderr.contains("the input `x` is missing"),
        "{}",
        run.stderr
    );
    // What is no regular file might never end.
    let pipe = place.run(&["plan", "check", "/dev/null"], "");
    pipe.expect_code(2);
    assert!(
        pipe.stderr.contains("is not a regular file"),
        "{}",
        pipe.stderr
    );
}

#[test]
fn a_check_names_every_problem_with_its_place() {
    let place = with_examples(false);
    for name in EXAMPLES {
        let answer = place.run(&["plan", "check", name], "");
        assert_eq!(
            answer.expect_code(0).at("/status").as_str(),
            Some("valid"),
            "{name}"
        );
        let human = place.run(&["plan", "check", name, "--output", "human"], "");
        assert!(
            human.expect_code(0).stdout.contains("is valid"),
            "{}",
            human.stdout
        );
    }
    place.write("plan.yaml", BROKEN);
    let answer = place.run(&["plan", "check", "plan.yaml", "--input", "n=9"], "");
    answer.expect_code(2);
    for needle in [
        "plan.yaml:6:13: /steps/0/tool: no tool named `statistcs`",
        "plan.yaml:7:49: /steps/1/wen: unknown key `wen` (did you mean `when`?)",
        "plan.yaml:7:38: /steps/1/args/dta: ",
        "plan.yaml:8:38: /steps/2/args/data: no step has the id `zz`",
        "plan.yaml:4:3: /inputs/n: the input `n`: expected at most 5, found 9",
    ] {
        assert!(
            answer.stderr.contains(needle),
            "{needle}: {}",
            answer.stderr
        );
    }
    let problems = answer.at("/error/problems").items().expect("a list");
    assert!(problems.len() >= 4, "{}", answer.stdout);
    for problem in &problems {
        let number = |key: &str| problem.get(key).and_then(Value::as_i64);
        assert!(
            number("line").is_some() && number("column").is_some(),
            "{problem}"
        );
    }
    // The codes are those of `run`.
    place.write(
        "denied.yaml",
        "version: 1\nsteps:\n  - {id: w, tool: write_file, args: {path: x, content: y}}\n",
    );
    for (args, code) in [
        (
            vec!["plan", "check", "denied.yaml", "--role", "worker_math"],
            3,
        ),
        (vec!["plan", "check", "denied.yaml", "--yes"], 0),
        (vec!["plan", "check", "no/such.yaml"], 2),
        (vec!["plan", "check", "denied.yaml", "--role", "nobody"], 3),
    ] {
        let answer = place.run(&args, "");
        let run = match args.contains(&"--yes") {
            true => code, // it would run
            false => place.run(&[&["run"], &args[2..]].concat(), "").code,
        };
        assert_eq!(
            (answer.code, run),
            (code, code),
            "{args:?}: {}",
            answer.stderr
        );
    }
    let nothing = place.run(&["plan", "check", "examples/cleanup.yaml"], "");
    nothing.expect_code(0);
    assert!(!place.path("work/cleanup-work").exists());
}

#[test]
fn a_script_runs_as_the_plan_it_is() {
    let place = with_examples(false);
    let outputs = |mode: &str| {
        let args = ["run", "examples/script.chain", "--mode", mode, "--trace"];
        let answer = place.run(&args, "");
        answer.expect_code(0);
        assert_eq!(answer.at("/metadata/mode_used").as_str(), Some(mode));
        assert_eq!(
            answer.at("/metadata/tool_chains/0/mode_used").as_str(),
            Some(mode)
        );
        answer.at("/output/outputs")
    };
    let dep = outputs("dep");
    assert_eq!(dep, outputs("seq"));
    assert!(dep.get("r2").and_then(Value::as_f64).expect("a number") > 0.9);
    let explained = place.run(&["plan", "explain", "examples/script.chain"], "");
    let waves = explained
        .expect_code(0)
        .at("/waves")
        .items()
        .expect("a list");
    assert_eq!(waves.len(), 4, "{}", explained.stdout);
    // From stdin it is known by its first line.
    let script = "# two calls\nx = calculate(expression=\"6*7\")\nreturn x.value\n";
    let answer = place.run(&["run", "-"], script);
    assert_eq!(
        answer.expect_code(0).at("/output/outputs/result").as_i64(),
        Some(42)
    );
}

#[test]
fn problems_of_a_script_stand_at_its_own_lines() {
    let place = Place::new();
    place.write("wrong.chain", "a = calculate(expression=\"1\")\n\nb = statistics(\n    dta=[1, 2],\n)\nc = calculat(expression=a.value)\n");
    for command in [
        &["plan", "check"][..],
        &["run"],
        &["plan", "graph"],
        &["plan", "explain"],
    ] {
        let answer = place.run(&[command, &["wrong.chain"]].concat(), "");
        answer.expect_code(2);
        for needle in [
            "wrong.chain:4:5: /steps/1/args/dta: ",
            "wrong.chain:6:5: /steps/2/tool: no tool named `calculat`",
        ] {
            assert!(
                answer.stderr.contains(needle),
                "{needle}: {}",
                answer.stderr
            );
        }
    }
    place.write(
        "wrong.chain",
        "a = calculate(\"1\")\nb = 5\nfor x in a: pass\n",
    );
    let answer = place.run(&["plan", "check", "wrong.chain"], "");
    answer.expect_code(2);
    for needle in [
        "wrong.chain:1:15: an argument has no name",
        "wrong.chain:2:5: ",
        "wrong.chain:3:1: `for`",
    ] {
        assert!(
            answer.stderr.contains(needle),
            "{needle}: {}",
            answer.stderr
        );
    }
    assert_eq!(answer.at("/error/problems/1/line").as_i64(), Some(2));
}

#[test]
fn an_explanation_says_everything_a_step_says() {
    let place = with_examples(true);
    let answer = place.run(&["plan", "explain", "examples/posterior.yaml"], "");
    answer.expect_code(0);
    for (pointer, expected) in [
        ("/calls", Value::from(13_i64)),
        ("/calls_certain", Value::Bool(true)),
        ("/budget/steps", Value::from(20_i64)),
        ("/steps/6/map/elements", Value::from(4_i64)),
        ("/steps/6/map/concurrency", Value::from(4_i64)),
        ("/steps/6/retry/max", Value::from(1_i64)),
        (
            "/steps/9/when",
            Value::from("diagnostics.converged && diagnostics.rhat_max < inputs.rhat"),
        ),
        ("/steps/9/verdict", Value::from("allow")),
    ] {
        assert_eq!(answer.at(pointer), expected, "{pointer}");
    }
    let path = answer.at("/critical_path");
    assert_eq!(
        path.to_string(),
        r#"["raw","prices","fit","chains","diagnostics","picture","save"]"#
    );
    let effects = place.run(&["plan", "explain", "examples/effects.yaml"], "");
    assert_eq!(
        effects.expect_code(0).at("/waits_for_person").to_string(),
        r#"["publish"]"#
    );
    assert_eq!(
        effects.at("/steps/3/compensate/tool").as_str(),
        Some("delete_file")
    );
    let human = place.run(
        &[
            "plan",
            "explain",
            "examples/effects.yaml",
            "--output",
            "human",
        ],
        "",
    );
    for needle in [
        "awaits approval: publish",
        "undone by delete_file",
        "critical path: ",
        "needs approval (plan: the plan requires an approval)",
    ] {
        assert!(human.stdout.contains(needle), "{needle}: {}", human.stdout);
    }
    let posterior = place.run(
        &[
            "plan",
            "explain",
            "examples/posterior.yaml",
            "--output",
            "human",
        ],
        "",
    );
    for needle in [
        "for every item of 4 elements, 4 at a time",
        "only when diagnostics.converged",
        "retried once on timeout",
        "budget: at most steps 20",
    ] {
        assert!(
            posterior.stdout.contains(needle),
            "{needle}: {}",
            posterior.stdout
        );
    }
}

/// A text of a picture: where it is, and how much room it takes.
struct Words {
    text: String,
    left: f64,
    right: f64,
    base: f64,
    size: f64,
}

fn words(svg: &str) -> Vec<Words> {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let texts = document
        .descendants()
        .filter(|node| node.has_tag_name("text"));
    texts
        .map(|node| {
            let number = |name: &str| -> f64 {
                node.attribute(name)
                    .and_then(|text| text.parse().ok())
                    .expect("a number")
            };
            let size = match node.attribute("class") {
                Some("title") => 16.0,
                Some("id") => 13.0,
                _ => 11.0,
            };
            let text = node.text().unwrap_or_default().to_owned();
            let left = number("x");
            Words {
                right: left + text.chars().count() as f64 * size * 0.602,
                left,
                base: number("y"),
                size,
                text,
            }
        })
        .collect()
}

#[test]
fn pictures_of_all_examples_can_be_read() {
    let place = with_examples(true);
    for name in EXAMPLES {
        for format in ["text", "dot", "mermaid", "svg"] {
            let draw = || place.run(&["plan", "graph", name, "--format", format], "");
            let picture = draw();
            picture.expect_code(0);
            assert_eq!(picture.stdout, draw().stdout, "{name} as {format}");
        }
        let file = place.path("work/picture.svg");
        let args = [
            "plan",
            "graph",
            name,
            "--format",
            "svg",
            "--out",
            "picture.svg",
        ];
        place.run(&args, "").expect_code(0);
        let svg = place.read("picture.svg");
        assert!(file.exists());
        let words = words(&svg);
        assert!(words.len() > 8, "{name}");
        for (index, one) in words.iter().enumerate() {
            for other in &words[..index] {
                let across = one.left < other.right && other.left < one.right;
                let tall = (one.base - other.base).abs() < one.size.min(other.size);
                assert!(
                    !(across && tall),
                    "{name}: `{}` lies on `{}`",
                    one.text,
                    other.text
                );
            }
        }
    }
    let dot = place.run(
        &["plan", "graph", "examples/cleanup.yaml", "--format", "dot"],
        "",
    );
    assert!(
        dot.stdout.starts_with("digraph \"cleanup\" {")
            && dot.stdout.contains("path:cleanup-work/report.md")
    );
    let mermaid = place.run(
        &[
            "plan",
            "graph",
            "examples/effects.yaml",
            "--format",
            "mermaid",
        ],
        "",
    );
    assert!(
        mermaid.stdout.starts_with("flowchart TB\n") && mermaid.stdout.contains("class s5 asks"),
        "{}",
        mermaid.stdout
    );
    let text = place.run(&["plan", "graph", "examples/effects.yaml"], "");
    assert!(text.stdout.contains("needs approval"), "{}", text.stdout);
}

#[test]
fn a_new_plan_checks_and_runs_as_it_is() {
    let place = Place::new();
    for (name, file) in [
        ("study", "study.yaml"),
        ("first.chain", "first.chain"),
        ("a-b.yml", "a-b.yml"),
    ] {
        let made = place.run(&["plan", "new", name], "");
        assert!(made.expect_code(0).stdout.contains(file), "{}", made.stdout);
        place.run(&["plan", "check", file], "").expect_code(0);
        let ran = place.run(&["run", file], "");
        ran.expect_code(0);
        assert!(
            ran.at("/output/outputs/picture").as_str().is_some(),
            "{}",
            ran.stdout
        );
        let again = place.run(&["plan", "new", name], "");
        assert!(
            again.expect_code(1).stderr.contains(" exists"),
            "{}",
            again.stderr
        );
    }
    place.run(&["plan", "new"], "").expect_code(0);
    assert!(place.path("work/plan.yaml").exists());
    place.run(&["plan", "new", "9 lives"], "").expect_code(2);
}

/// What `docs/plans.md` shows works: whole plans check and run, parts of plans are read.
#[test]
fn the_page_shows_plans_that_run() {
    let place = with_examples(false);
    let page = include_str!("../../../docs/plans.md");
    let blocks = |language: &str| -> Vec<String> {
        let begin = format!("```{language}\n");
        let parts = page.split(&begin).skip(1);
        parts
            .filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()))
            .collect()
    };
    let yaml = blocks("yaml");
    let whole: Vec<&String> = yaml
        .iter()
        .filter(|block| block.starts_with("version: 1"))
        .collect();
    assert_eq!((whole.len(), yaml.len()), (1, 4));
    place.write("page.yaml", whole[0]);
    place.run(&["run", "page.yaml"], "").expect_code(0);
    let steps: String = yaml[3].lines().map(|line| format!("  {line}\n")).collect();
    place.write("steps.yaml", &format!("version: 1\nsteps:\n{steps}"));
    place.run(&["run", "steps.yaml"], "").expect_code(0);
    let scripts = blocks("text");
    let script = scripts.iter().find(|text| text.contains(" = "));
    place.write("page.chain", script.expect("a script"));
    let ran = place.run(&["run", "page.chain"], "");
    assert!(
        ran.expect_code(0)
            .at("/output/outputs/first")
            .as_f64()
            .is_some()
    );
    for field in [
        "concurrency",
        "on_item_error",
        "parallel_mutations",
        "bytes_out",
        "never-ask",
        "jitter",
    ] {
        assert!(page.contains(field), "{field}");
    }
}

#[test]
fn the_schema_is_the_published_one() {
    let place = Place::new();
    let printed = place.run(&["schema", "plan"], "");
    assert_eq!(
        printed.expect_code(0).stdout,
        include_str!("../../../docs/schema/plan.schema.json")
    );
}

#[test]
fn a_trace_says_when_what_ran() {
    let place = with_examples(true);
    let answer = place.run(
        &[
            "run",
            "examples/posterior.yaml",
            "--trace",
            "--trace-file",
            "trace.json",
        ],
        "",
    );
    answer.expect_code(0);
    let chain = answer.at("/metadata/tool_chains/0");
    for key in [
        "chain_id",
        "tools",
        "elapsed_ms",
        "success",
        "mode_requested",
        "mode_used",
        "fallback_to_seq",
        "waves",
        "steps",
        "wave_timeline",
    ] {
        assert_eq!(
            chain.get(key),
            Some(&answer.at(&format!("/metadata/{key}"))),
            "{key}"
        );
    }
    let calls = chain.get("calls").and_then(Value::items).expect("a list");
    assert_eq!(calls.len(), 13);
    assert!(
        calls
            .iter()
            .any(|call| call.get("step").and_then(Value::as_str) == Some("chains[3]"))
    );
    let trace = mathchain::parse_json(&place.read("trace.json")).expect("JSON");
    let events = trace
        .get("traceEvents")
        .and_then(Value::items)
        .expect("a list");
    let mut lanes: Vec<(i64, i64, i64)> = events
        .iter()
        .filter(|event| event.get("ph").and_then(Value::as_str) == Some("X"))
        .filter(|event| event.get("pid").and_then(Value::as_i64) == Some(1))
        .map(|event| {
            let number = |key: &str| event.get(key).and_then(Value::as_i64).expect("a number");
            for key in ["tool", "wave", "status", "lane"] {
                assert!(
                    event.pointer(&format!("/args/{key}")).is_some(),
                    "{key}: {event}"
                );
            }
            (number("tid"), number("ts"), number("dur"))
        })
        .collect();
    assert_eq!(lanes.len(), 13);
    lanes.sort_unstable();
    for pair in lanes.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        // Both are cut to whole microseconds.
        assert!(
            pair[0].1 + pair[0].2 <= pair[1].1 + 1,
            "calls of one lane overlap: {pair:?}"
        );
    }
    let human = place.run(
        &[
            "run",
            "examples/failing.yaml",
            "--trace",
            "--output",
            "human",
        ],
        "",
    );
    assert!(
        human.stderr.contains("wave 0: ") && human.stderr.contains("lane 0"),
        "{}",
        human.stderr
    );
    let untraced = place.run(&["run", "examples/posterior.yaml"], "");
    let calls = untraced.expect_code(0).at("/metadata/tool_chains/0/calls");
    assert_eq!(
        calls.items().expect("a list").len(),
        13,
        "also without being asked"
    );
}

#[test]
fn the_posterior_is_saved_without_an_approval() {
    let place = with_examples(true);
    let answer = place.run(&["run", "examples/posterior.yaml"], "");
    answer.expect_code(0);
    assert_eq!(
        answer.at("/output/outputs/file").as_str(),
        Some("examples/out/posterior.txt")
    );
    assert_eq!(
        Some(place.read("examples/out/posterior.txt").as_str()),
        answer.at("/output/outputs/picture").as_str()
    );
    let mean = answer
        .at("/output/outputs/posterior_mean/0")
        .as_f64()
        .expect("a number");
    assert!((mean - 2.468).abs() < 0.01, "{mean}"); // the fitted slope; the Monte Carlo error is below 0.001
    // The chains do not agree well enough for everyone: nothing is drawn or saved then.
    let strict = place.run(
        &[
            "run",
            "examples/posterior.yaml",
            "--input",
            "rhat=1",
            "--input",
            "draws=200",
        ],
        "",
    );
    strict.expect_code(0);
    assert!(
        strict.at("/output/outputs/file").is_null()
            && strict.at("/output/outputs/picture").is_null()
    );
    // It is the rule of the configuration that lets it be saved.
    let elsewhere = with_examples(false);
    let asks = elsewhere.run(&["run", "examples/posterior.yaml"], "");
    assert_eq!(asks.code, 4, "{}", asks.stderr);
    assert!(!elsewhere.path("work/examples/out").exists());
}

#[test]
fn effects_wait_for_one_approval_and_run_again() {
    let place = with_examples(true);
    let waits = place.run(&["run", "examples/effects.yaml"], "");
    waits.expect_code(4);
    let draft = place.read("examples/out/effects/draft.md");
    assert!(draft.starts_with("# Houses\n"), "{draft}");
    assert!(
        !place
            .path("work/examples/out/effects/published.md")
            .exists()
    );
    answer_the_one_question(&place, "approve");
    let resumed = place.run(&["runs", "resume", &run_of(&waits)], "");
    resumed.expect_code(0);
    assert_eq!(place.read("examples/out/effects/published.md"), draft);
    for _ in 0..2 {
        let answer = place.run(&["run", "examples/effects.yaml", "--yes"], "");
        answer.expect_code(0);
        assert_eq!(
            answer.at("/output/outputs/published").as_str(),
            Some(draft.as_str())
        );
        assert_eq!(place.read("examples/out/effects/published.md"), draft);
    }
}

/// Answers what waits; there is exactly one question.
fn answer_the_one_question(place: &Place, verb: &str) {
    let open = place.run(&["approvals", "list"], "");
    let listed = open.expect_code(0).json().items().expect("a list");
    assert_eq!(listed.len(), 1, "{}", open.stdout);
    let id = listed[0].get("id").and_then(Value::as_str).expect("an id");
    place.run(&[verb, id], "").expect_code(0);
}

fn run_of(answer: &crate::support::Answer) -> String {
    let id = answer.at("/metadata/chain_id");
    id.as_str().expect("an id").to_owned()
}

/// What a person declines is followed by the compensations of what was done before.
#[test]
fn declined_effects_are_undone() {
    let place = with_examples(true);
    let waits = place.run(&["run", "examples/effects.yaml"], "");
    waits.expect_code(4);
    assert!(place.path("work/examples/out/effects/draft.md").exists());
    answer_the_one_question(&place, "deny");
    place
        .run(&["runs", "resume", &run_of(&waits)], "")
        .expect_code(3);
    for file in ["draft.md", "cheap.json", "published.md"] {
        let path = place.path("work/examples/out/effects").join(file);
        assert!(!path.exists(), "{file}");
    }
}

/// A run of a script and of a plan can be gone through again: the same bytes.
#[test]
fn runs_of_scripts_and_plans_are_replayed() {
    let place = with_examples(true);
    for name in ["examples/script.chain", "examples/posterior.yaml"] {
        place.run(&["run", name], "").expect_code(0);
        place.run(&["replay", "--last"], "").expect_code(0);
    }
}

/// A failure that a plan goes on without is a warning at the command line; the error of one that ends is that of the step that ended it.
#[test]
fn what_a_plan_goes_on_without_is_a_warning() {
    let place = Place::new();
    let bad = "version: 1\nsteps:\n  - {id: bad, tool: matrix_solve, on_error: continue, args: {A: [[1, 2], [2, 4]], b: [1, 2]}}\n  - {id: t, tool: statistics, args: {data: {$ref: bad.x, default: [1, 2]}}}\n";
    place.write(
        "on.yaml",
        &format!("{bad}outputs: {{m: {{$ref: t.mean}}}}\n"),
    );
    let answer = place.run(&["run", "on.yaml"], "");
    answer.expect_code(0);
    assert_eq!(answer.at("/output/outputs/m").as_f64(), Some(1.5));
    let warning = answer
        .at("/warnings/0")
        .as_str()
        .map(str::to_owned)
        .unwrap();
    assert!(
        warning.contains("step `bad` (`matrix_solve`)") && warning.contains("least_squares"),
        "{warning}"
    );
    let runs = place.run(&["runs", "list"], "");
    assert!(runs.stdout.contains("\"succeeded\""), "{}", runs.stdout);
    place.write(
        "ends.yaml",
        &format!("{bad}  - {{id: real, tool: read_file, after: [t], args: {{path: nope.txt}}}}\n"),
    );
    let answer = place.run(&["run", "ends.yaml"], "");
    answer.expect_code(1);
    let message = answer
        .at("/error/message")
        .as_str()
        .map(str::to_owned)
        .unwrap();
    assert!(message.starts_with("step `real`"), "{message}");
}

/// Looking again at a run that waits for a person does not do what waits, and says what there was to compare.
#[test]
fn a_replay_of_a_run_that_waits_does_nothing() {
    let place = Place::new();
    place.write("p.yaml", "version: 1\nsteps:\n  - {id: a, tool: statistics, args: {data: [1, 2, 3]}}\n  - {id: w, tool: write_file, approval: required, args: {path: x.txt, content: x}}\n");
    let waits = place.run(&["run", "p.yaml"], "");
    let run = waits
        .at("/output/chain_id")
        .as_str()
        .map(str::to_owned)
        .unwrap();
    for (state, code) in [("suspended", 0), ("cancelled", 0)] {
        let answer = place.run(&["--json", "replay", &run], "");
        answer.expect_code(code);
        let found = ["same", "state", "compared", "computed"]
            .map(|key| answer.at(&format!("/{key}")).to_string());
        assert_eq!(
            found,
            ["true", &format!("\"{state}\""), "\"steps\"", "1"],
            "{}",
            answer.stdout
        );
        assert!(!place.path("work/x.txt").exists(), "what waited was done");
        place.run(&["runs", "cancel", &run], "");
    }
}

/// `plan check` says why the steps run one after the other.
#[test]
fn a_check_says_why_a_plan_is_sequential() {
    let place = Place::new();
    place.write("p.yaml", "version: 1\nsteps:\n  - {id: a, tool: json_query, args: {data: [1], query: \"[0]\"}}\n  - {id: p, tool: apply_patch, args: {patch: {$ref: a.result}}}\n");
    let answer = place.run(&["plan", "check", "p.yaml", "--yes"], "");
    answer.expect_code(0);
    let reason = answer.at("/fallback_reason").as_str().map(str::to_owned);
    assert_eq!(
        reason.as_deref(),
        Some("step `p` names the resource at `/patch` only when it runs")
    );
    let human = place.run(
        &["plan", "check", "p.yaml", "--yes", "--output", "human"],
        "",
    );
    assert!(
        human.stdout.contains("steps run sequentially: step `p`"),
        "{}",
        human.stdout
    );
}

/// The estimates are those of SciPy (`tests/reference/curve_fit.py`), and the same seed draws the same band.
#[test]
fn the_epidemic_is_fitted_with_its_band() {
    let place = with_examples(false);
    let run = |extra: &[&str]| {
        let args = [&["run", "examples/epidemic.yaml"], extra].concat();
        let answer = place.run(&args, "");
        answer.expect_code(0).at("/output/outputs").clone()
    };
    let output = run(&[]);
    let expected = [
        0.529_863_287_6,
        990.642_207_9,
        0.211_129_582_0,
        2.479_848_578_9,
    ];
    for (index, expected) in expected.into_iter().enumerate() {
        let estimate = output.pointer(&format!("/parameters/{index}/estimate"));
        let estimate = estimate.as_ref().and_then(Value::as_f64).expect("a number");
        assert!(
            (estimate / expected - 1.0).abs() < 1e-6,
            "{index}: {estimate}"
        );
    }
    let plot = output.text("plot").expect("a plot");
    for words in ["people ill each day", "2.5 %", "97.5 %", "fit", "data"] {
        assert!(plot.contains(words), "{plot}");
    }
    assert_eq!(output.to_string(), run(&[]).to_string());
    let fewer = run(&["--input", "draws=20"]);
    assert_ne!(output.text("plot"), fewer.text("plot"));
}

#[test]
fn a_plan_has_its_answers_computed_twice() {
    let place = Place::new();
    let plan = |verify: &str| {
        format!(
            "version: 1\n{verify}steps:\n  - {{id: a, tool: matrix_solve, args: {{A: [[2, 1], [1, 3]], b: [1, 2]}}}}\n  - {{id: s, tool: statistics, args: {{data: {{$ref: a.x}}}}}}\noutputs: {{a: {{$ref: a.verified}}}}\n"
        )
    };
    place.write("plan.yaml", &plan("verify: independent\n"));
    let run = place.run(&["--json", "run", "plan.yaml"], "");
    run.expect_code(0);
    let outcome = run.at("/output/outputs/a/outcome");
    assert_eq!(outcome, "agrees".into(), "{}", run.stdout);
    // By a flag it is the same plan, also for a replay.
    place.write("plain.yaml", &plan(""));
    let run = place.run(
        &["--json", "run", "plain.yaml", "--verify", "independent"],
        "",
    );
    run.expect_code(0);
    assert_eq!(
        run.at("/output/outputs/a/outcome"),
        outcome,
        "{}",
        run.stdout
    );
    place.run(&["replay", "--last"], "").expect_code(0);
    place.write("wrong.yaml", &plan("verify: twice\n"));
    place.run(&["run", "wrong.yaml"], "").expect_code(2);
}

#[test]
fn a_rule_has_answers_computed_twice() {
    let place = Place::new();
    let args = r#"{"A": [[2, 1], [1, 3]], "b": [1, 2]}"#;
    let solve = || place.run(&["call", "matrix_solve", "--json"], args);
    assert!(!solve().stdout.contains("verified"));
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"group:all\"] }\ndecision = \"allow\"\nobligations = [\"verify\"]\n",
    );
    let solved = solve();
    assert_eq!(
        solved.at("/output/verified/outcome"),
        "agrees".into(),
        "{}",
        solved.stdout
    );
    let plain = place.run(&["call", "statistics", "--json"], r#"{"data": [1, 2]}"#);
    plain.expect_code(0);
}

/// What an earlier run stored is no answer to a rule that came after it.
#[test]
fn a_stored_answer_is_not_taken_for_a_verified_one() {
    let place = Place::new();
    place.write(
        "plan.yaml",
        "version: 1\nsteps: [{id: a, tool: monte_carlo, args: {expression: x+y, samples: 2000000}}]\noutputs: {a: {$ref: a}}\n",
    );
    let run = || {
        let run = place.run(&["--json", "run", "plan.yaml"], "");
        run.expect_code(0);
        let outcome = run.json().pointer("/output/outputs/a/verified/outcome");
        outcome.unwrap_or_default()
    };
    // One configuration, so one state with one cache.
    place.write("mathchain.toml", "version = 1\n");
    assert_eq!(run(), Value::Null);
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"monte_carlo\"] }\ndecision = \"allow\"\nobligations = [\"verify\"]\n",
    );
    assert_eq!(run(), "agrees".into());
}

/// A stored answer has no warnings, so that one with a warning is computed again.
#[test]
fn a_second_run_warns_as_the_first_did() {
    let place = Place::new();
    place.write(
        "plan.yaml",
        "version: 1\nsteps: [{id: a, tool: optimize_global, args: {objective: \"sin(50*x)+cos(70*y)+0.01*x*y\", bounds: [[-50, 50], [-50, 50]], max_evals: 20000}}]\noutputs: {f: {$ref: a.f}}\n",
    );
    let run = || {
        let run = place.run(&["--json", "run", "plan.yaml"], "");
        run.expect_code(0);
        run.at("/warnings").to_string()
    };
    let first = run();
    assert!(first.contains("better value"), "{first}");
    assert_eq!(run(), first);
}
