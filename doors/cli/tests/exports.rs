//! `mathchain tools export`.

use crate::support::Place;

fn exported(place: &Place, args: &[&str]) -> serde_json::Value {
    let args: Vec<&str> = ["tools", "export"].iter().chain(args).copied().collect();
    let answer = place.run(&args, "");
    answer.expect_code(0);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

#[test]
fn every_provider_gets_its_declarations() {
    let place = Place::new();
    let openai = exported(&place, &["--format", "openai", "--catalog", "full"]);
    let all = openai.as_array().expect("a list");
    assert!(all.len() > 70, "{}", all.len());
    let usual = exported(&place, &["--format", "openai"]);
    assert!(
        usual.as_array().expect("a list").len() < 30,
        "a provider takes 128"
    );
    let solve = all
        .iter()
        .find(|one| one["function"]["name"] == "matrix_solve");
    let solve = solve.expect("the tool");
    assert_eq!(solve["type"], "function");
    assert_eq!(
        solve["function"]["parameters"]["required"],
        serde_json::json!(["A", "b"])
    );
    let anthropic = exported(&place, &["--format", "anthropic", "--catalog", "core"]);
    let names: Vec<_> = anthropic
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| one["name"].clone())
        .collect();
    assert_eq!(names.first(), Some(&"calculate".into()));
    assert!(names.contains(&"call_tool".into()) && !names.contains(&"matrix_qr".into()));
    assert!(anthropic[0]["input_schema"]["properties"]["expression"].is_object());
    let gemini = exported(&place, &["--format", "gemini", "--catalog", "search"]);
    assert_eq!(
        gemini[0]["functionDeclarations"].as_array().map(Vec::len),
        Some(4)
    );
    assert!(!gemini.to_string().contains("\"default\""), "{gemini}");
    let mcp = exported(&place, &["--format", "mcp", "--catalog", "search"]);
    assert_eq!(mcp["tools"][0]["name"], "search_tools");
    assert_eq!(mcp["tools"][0]["annotations"]["readOnlyHint"], true);
    let full = exported(&place, &["--format", "jsonschema"]);
    assert_eq!(
        full["matrix_solve"]["input_schema"]["additionalProperties"],
        false
    );
}

#[test]
fn an_export_has_what_the_caller_sees() {
    let place = Place::new();
    let of = |role: &str| exported(&place, &["--format", "anthropic", "--role", role]).to_string();
    assert!(of("operator").contains("\"write_file\""));
    assert!(!of("worker_math").contains("\"write_file\""));
    let unknown = place.run(
        &[
            "tools",
            "export",
            "--format",
            "openai",
            "--role",
            "worker_maths",
        ],
        "",
    );
    unknown.expect_code(3);
}

#[test]
fn pages_and_grammars_are_texts() {
    let place = Place::new();
    let page = place.run(
        &[
            "tools",
            "export",
            "--format",
            "markdown",
            "--catalog",
            "core",
        ],
        "",
    );
    let page = &page.expect_code(0).stdout;
    assert!(
        page.contains("## matrix_solve\n") && page.contains("- `A` (array | object, required): "),
        "{page}"
    );
    let grammar = place.run(
        &["tools", "export", "--format", "gbnf", "--catalog", "core"],
        "",
    );
    let grammar = &grammar.expect_code(0).stdout;
    assert!(
        grammar.starts_with("root ::= calculate | matrix-solve"),
        "{grammar}"
    );
}
