//! `mathchain policy` as a project's operator and its CI use it.

use tool_core::Value;

use crate::support::Place;

const CONFIG: &str = r#"version = 1
[[policies]]
level = "global"
deny = ["http_post"]
[[policies.rules]]
match = { tools = ["write_file"], path = { under = ["secret"] } }
decision = "deny"
reason = "nobody writes there"
"#;

#[test]
fn a_denial_names_file_line_and_what_would_allow_it() {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    let denied = place.run(
        &[
            "policy",
            "explain",
            "operator",
            "write_file",
            "--args",
            r#"{"path":"secret/a","content":"x"}"#,
        ],
        "",
    );
    assert_eq!(denied.expect_code(0).at("/decision"), Value::from("deny"));
    assert_eq!(denied.at("/line"), Value::from(5_i64));
    let file = denied.at("/file");
    assert!(
        file.as_str()
            .is_some_and(|file| file.ends_with("mathchain.toml"))
    );
    assert!(denied.at("/what_would_allow").as_str().is_some());
    let asks = place.run(
        &[
            "policy",
            "explain",
            "operator",
            "write_file",
            "--arg",
            "path=out/a",
            "--arg",
            "content=x",
        ],
        "",
    );
    assert_eq!(asks.expect_code(0).at("/decision"), Value::from("ask"));
    let closed = [
        "policy",
        "explain",
        "operator",
        "read_file",
        "--fact",
        "workspace=closed",
    ];
    let hidden = place.run(&closed, "");
    assert_eq!(hidden.expect_code(0).at("/visible"), Value::Bool(false));
    assert_eq!(hidden.at("/layer"), Value::from("preconditions"));
    place
        .run(
            &["policy", "explain", "operator", "read_file", "--fact", "x"],
            "",
        )
        .expect_code(2);
    let listed = place.run(&["tools", "list", "--fact", "workspace=closed"], "");
    assert!(!listed.expect_code(0).stdout.contains("\"read_file\""));
}

#[test]
fn a_matrix_and_a_difference_are_tables() {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    let matrix = place.run(&["policy", "matrix"], "");
    let roles = |role: &str, tool: &str| matrix.at(&format!("/roles/{role}/{tool}"));
    matrix.expect_code(0);
    assert_eq!(roles("operator", "http_post"), Value::from("hidden"));
    assert_eq!(roles("operator", "calculate"), Value::from("allow"));
    assert_eq!(roles("worker_math", "write_file"), Value::from("hidden"));
    let shown = place.run(&["policy", "matrix", "--output", "human"], "");
    assert!(shown.expect_code(0).stdout.contains("worker_math"));
    place
        .run(&["policy", "matrix", "--phase", "none"], "")
        .expect_code(3);
    place.write("after.toml", "version = 1\n");
    let diff = place.run(&["policy", "diff", "mathchain.toml", "after.toml"], "");
    let changes = diff.expect_code(0).json().items().unwrap_or_default();
    assert!(changes.iter().any(|change| {
        change.get("tool").and_then(|tool| tool.as_str()) == Some("http_post")
            && change.get("change").and_then(|change| change.as_str()) == Some("grants")
    }));
    place.write("broken.toml", "version = 1\ndefault_rol = \"x\"\n");
    place
        .run(&["policy", "diff", "mathchain.toml", "broken.toml"], "")
        .expect_code(2);
}

#[test]
fn a_table_of_verdicts_is_a_test() {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    place.write(
        "good.yaml",
        "cases:\n  - {role: operator, tool: calculate, expect: allow}\n",
    );
    place.write(
        "bad.yaml",
        "cases:\n  - {role: operator, tool: http_post, expect: allow}\n",
    );
    place.write("broken.yaml", "cases:\n  - {role: operator}\n");
    let good = place.run(&["policy", "test", "good.yaml"], "");
    assert_eq!(good.expect_code(0).at("/cases"), Value::from(1_i64));
    let bad = place.run(&["policy", "test", "bad.yaml"], "");
    assert_eq!(
        bad.expect_code(1).at("/mismatches/0/mismatch"),
        Value::from("expected `allow`, found `hidden`")
    );
    assert_eq!(bad.at("/mismatches/0/line"), Value::from(2_i64));
    place
        .run(&["policy", "test", "broken.yaml"], "")
        .expect_code(2);
    place
        .run(&["policy", "test", "missing.yaml"], "")
        .expect_code(2);
}
