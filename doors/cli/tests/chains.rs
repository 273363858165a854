use tool_core::Value;

use crate::support::{Place, root};

fn example(name: &str) -> String {
    root()
        .join("examples")
        .join(name)
        .to_str()
        .expect("UTF-8")
        .to_owned()
}

fn with_examples() -> Place {
    let place = Place::new();
    let target = place.path("work/examples/data");
    std::fs::create_dir_all(&target).expect("makes folders");
    std::fs::copy(
        root().join("examples/data/houses.csv"),
        target.join("houses.csv"),
    )
    .expect("copies");
    place
}

#[test]
fn the_quickstart_reads_fits_samples_and_plots() {
    let place = with_examples();
    let answer = place.run(&["run", &example("quickstart.yaml")], "");
    answer.expect_code(0);
    let slope = answer
        .at("/output/outputs/coefficients")
        .items()
        .expect("a list");
    assert!(!slope.is_empty());
    assert!(answer.at("/output/outputs/r2").as_f64().expect("a number") > 0.9);
    assert!(
        answer
            .at("/output/outputs/plot")
            .as_str()
            .expect("a text")
            .contains("price by area")
    );
    let chain = answer.at("/metadata");
    for (key, expected) in [
        ("mode_requested", Value::from("dep")),
        ("mode_used", Value::from("dep")),
        ("fallback_to_seq", Value::Bool(false)),
        ("caller_type", Value::from("chain")),
    ] {
        assert_eq!(chain.get(key), Some(&expected), "{key}");
    }
    assert!(chain.get("waves").and_then(Value::as_i64).expect("a count") >= 3);
    assert!(
        chain
            .get("wave_timeline")
            .and_then(Value::items)
            .expect("a list")
            .len()
            >= 3
    );
    let audit = place.run(&["audit", "list", "--limit", "100"], "");
    assert!(
        audit.expect_code(0).stdout.contains("wave_timeline"),
        "the chain is in the audit"
    );
}

#[test]
fn a_plan_is_explained_without_running() {
    let place = with_examples();
    for flag in ["--explain", "--dry-run"] {
        let answer = place.run(&["run", &example("cleanup.yaml"), flag, "--yes"], "");
        answer.expect_code(0);
        assert!(
            answer.stdout.contains("report.md"),
            "the conflict names its resource: {}",
            answer.stdout
        );
        assert!(!place.path("work/cleanup-work").exists());
    }
    let human = place.run(
        &[
            "run",
            &example("quickstart.yaml"),
            "--explain",
            "--output",
            "human",
        ],
        "",
    );
    assert!(
        human.expect_code(0).stdout.contains("wave"),
        "{}",
        human.stdout
    );
}

#[test]
fn a_plan_that_asks_needs_yes() {
    let place = with_examples();
    let refused = place.run(&["run", &example("cleanup.yaml")], "");
    refused.expect_code(4);
    assert!(
        refused.stdout.contains("header"),
        "the step is named: {}",
        refused.stdout
    );
    assert!(!place.path("work/cleanup-work").exists());
    let answer = place.run(&["run", &example("cleanup.yaml"), "--yes"], "");
    answer.expect_code(0);
    assert_eq!(
        answer.at("/output/outputs/left_over").as_i64(),
        Some(0),
        "the patch was applied before anyone read"
    );
    assert!(
        !place.path("work/cleanup-work").exists(),
        "the plan takes its folder away"
    );
    assert!(
        answer
            .at("/output/outputs/report")
            .as_str()
            .expect("a text")
            .starts_with("# Houses\n")
    );
    assert!(
        place
            .run(&["audit", "export"], "")
            .stdout
            .contains("caller-yes")
    );
}

#[test]
fn a_failing_plan_shows_the_causes() {
    let place = with_examples();
    let answer = place.run(&["run", &example("failing.yaml")], "");
    answer.expect_code(1);
    assert!(
        answer.stdout.contains("skipped") && answer.stdout.contains("inverse"),
        "{}",
        answer.stdout
    );
    let human = place.run(&["run", &example("failing.yaml"), "--output", "human"], "");
    assert!(
        human.stderr.contains("spread") && human.stderr.contains("inverse"),
        "{}",
        human.stderr
    );
}

#[test]
fn the_parameter_study_runs_in_both_modes() {
    let place = with_examples();
    let outputs = |mode: &str| {
        place
            .run(
                &[
                    "run",
                    &example("ode_study.yaml"),
                    "--mode",
                    mode,
                    "--input",
                    "t_end=10",
                ],
                "",
            )
            .expect_code(0)
            .at("/output/outputs")
    };
    assert_eq!(outputs("dep"), outputs("seq"));
}

#[test]
fn a_broken_plan_reports_all_at_once() {
    let place = Place::new();
    place.write(
        "plan.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: statistcs, args: {data: [1]}}\n  - {id: a, tool: statistics, args: {data: {$ref: zz.x}}}\n  - {id: b, tool: statistics, args: {dta: [1]}}\n",
    );
    let answer = place.run(&["run", "plan.yaml"], "");
    answer.expect_code(2);
    for needle in ["statistics", "zz", "dta", "4:"] {
        assert!(
            answer.stderr.contains(needle),
            "{needle}: {}",
            answer.stderr
        );
    }
    for text in [
        "",
        "[]",
        "a: *b",
        "a: &x 1\nb: *x",
        "version: 1\nversion: 1",
        "{",
        "\u{0}",
    ] {
        place.write("plan.yaml", text);
        let answer = place.run(&["run", "plan.yaml"], "");
        assert_eq!(answer.code, 2, "{text:?}: {}", answer.stderr);
    }
    place.run(&["run", "no/such/plan.yaml"], "").expect_code(2);
    let unknown = place.run(
        &["run", &example("quickstart.yaml"), "--input", "cvs=x"],
        "",
    );
    assert!(
        unknown.expect_code(2).stderr.contains("csv"),
        "{}",
        unknown.stderr
    );
}

/// `examples/library.rs`, built beside this test.
#[test]
fn the_library_example_runs() {
    let deps = std::env::current_exe().expect("a path");
    let built = deps
        .ancestors()
        .nth(2)
        .expect("the profile's folder")
        .join("examples/library");
    let output = std::process::Command::new(built)
        .output()
        .expect("the example is built with the tests");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        output.status.success() && text.contains("[0.0,0.5,0.75]"),
        "{text}"
    );
    assert!(text.contains("write_file as worker_math: "), "{text}");
}

#[test]
fn a_delegate_has_what_its_parent_has_and_less() {
    let toolkit = mathchain::Toolkit::builder().build().expect("builds");
    let math = mathchain::CallContext::default()
        .role("worker_math")
        .narrow(mathchain::PolicyLayer::read_only());
    let args = mathchain::parse_json(r#"{"A":[[3,1],[1,2]],"b":[9,8]}"#).expect("JSON");
    assert!(toolkit.call_with(&math, "matrix_solve", &args).is_success());
    let delegate = math.delegate("plots only", &["plot_braille", "write_file"]);
    for tool in ["matrix_solve", "write_file"] {
        let outcome = toolkit.call_with(&delegate, tool, &args);
        assert_eq!(
            outcome.code(),
            Some(mathchain::ErrorCode::NotVisible),
            "{tool}"
        );
    }
}

/// Vectors of an earlier step, not known when the plan is checked, change nothing about who is asked: the lexical backend has no
/// effects, the endpoint has.
#[test]
fn a_list_of_earlier_results_asks_only_for_what_the_call_can_do() {
    let place = Place::new();
    for (backend, code) in [("lexical", 0), ("endpoint", 4)] {
        let plan = format!(
            "version: 1\nsteps:\n  - id: one\n    tool: embed_text\n    args: {{text: bread}}\n  - id: find\n    tool: similarity_search\n    args: {{query: bread, items: [bread recipe], backend: {backend}, vectors: [{{$ref: one}}]}}\n"
        );
        place.write("plan.yaml", &plan);
        let answer = place.run(&["run", "plan.yaml"], "");
        assert_eq!(answer.code, code, "{backend}: {}", answer.stdout);
    }
}
