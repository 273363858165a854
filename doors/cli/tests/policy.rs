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

/// A configuration that names files of an earlier system is compared with them.
#[test]
fn a_difference_includes_the_files_that_a_configuration_names() {
    let place = Place::new();
    let config = "version = 1\n[files]\nroles = [\"roles.yaml\"]\n";
    let flat = |allowed: &str| format!("roles:\n  clerk:\n    allowed_tools: [{allowed}]\n");
    for (side, allowed) in [("before", "read_file"), ("after", "read_file, grep")] {
        place.write(&format!("{side}/mathchain.toml"), config);
        place.write(&format!("{side}/roles.yaml"), &flat(allowed));
    }
    let answer = place.run(
        &[
            "policy",
            "diff",
            "before/mathchain.toml",
            "after/mathchain.toml",
        ],
        "",
    );
    let changes = answer.expect_code(0).json().items().unwrap_or_default();
    let grants = changes.iter().filter(|change| {
        change.get("role").and_then(Value::as_str) == Some("clerk")
            && change.get("tool").and_then(Value::as_str) == Some("grep")
    });
    assert_eq!(grants.count(), 1, "{changes:?}");
}

/// Each side has the agents and plugins that lie beside it; the same ones where both lie in one folder.
#[test]
fn a_difference_includes_agents_and_plugins() {
    let place = Place::new();
    let agent = |tools: &str| {
        format!(
            "---\nname: helper\nrole: coder_escalation\ntools: [{tools}]\n---\n# System Prompt\nx\n"
        )
    };
    let plugin = |tools: &[&str]| {
        let tools: Vec<String> = tools
            .iter()
            .map(|name| format!(r#"{{"name":"{name}","description":"d","effects":[]}}"#))
            .collect();
        format!(
            r#"{{"schema_version":"1.0","name":"demo","version":"1.0.0","description":"d","command":["./run"],"tools":[{}]}}"#,
            tools.join(",")
        )
    };
    let rule = "version = 1\n[[policies]]\nlevel = \"role\"\nname = \"worker_math\"\ndeny = [\"demo:same\"]\n";
    for (side, tools, of_plugin) in [
        ("before", "read_file", ["same", "gone"]),
        ("after", "read_file, grep", ["same", "new"]),
    ] {
        place.write(&format!("{side}/mathchain.toml"), rule);
        place.write(&format!("{side}/agents/helper.md"), &agent(tools));
        place.write(
            &format!("{side}/plugins/demo/manifest.json"),
            &plugin(&of_plugin),
        );
        place.write(&format!("{side}/plugins/demo/run"), "#!/bin/sh\n");
    }
    let diff = |before: &str, after: &str| {
        let answer = place.run(&["policy", "diff", before, after], "");
        let changes = answer.expect_code(0).json().items().unwrap_or_default();
        let text = |change: &Value, key: &str| {
            let found = change.get(key).and_then(Value::as_str);
            found.unwrap_or("-").to_owned()
        };
        let line = |change: &Value| {
            let fields = ["role", "agent", "change", "tool"].map(|key| text(change, key));
            fields.join(" ")
        };
        changes.iter().map(line).collect::<Vec<String>>()
    };
    let changes = diff("before/mathchain.toml", "after/mathchain.toml");
    for line in [
        "coder_escalation helper grants grep",
        "operator - grants demo:new",
        "operator - revokes demo:gone",
    ] {
        assert!(
            changes.iter().any(|change| change == line),
            "{line}: {changes:?}"
        );
    }
    assert!(
        !changes
            .iter()
            .any(|change| change.contains("demo:same") || change.contains("read_file")),
        "{changes:?}"
    );
    place.write("before/next.toml", "version = 1\n");
    let same_folder = diff("before/mathchain.toml", "before/next.toml");
    assert!(
        same_folder
            .iter()
            .all(|change| change.starts_with("worker_math - ") && change.ends_with("demo:same")),
        "{same_folder:?}"
    );
    // Settings count, and an agent that there is on one side only has nothing on the other.
    place.write("after/plugin-settings/demo.json", r#"{"enabled": false}"#);
    std::fs::remove_file(place.path("work/after/agents/helper.md")).expect("removes");
    let changes = diff("before/mathchain.toml", "after/mathchain.toml");
    for line in [
        "operator - revokes demo:same",
        "coder_escalation helper revokes read_file",
    ] {
        assert!(
            changes.iter().any(|change| change == line),
            "{line}: {changes:?}"
        );
    }
    // What is wrong is named with its side.
    place.write(
        "after/agents/broken.md",
        &agent("reed_file").replace("helper", "broken"),
    );
    let broken = place.run(
        &[
            "policy",
            "diff",
            "before/mathchain.toml",
            "after/mathchain.toml",
        ],
        "",
    );
    broken.expect_code(2);
    assert!(
        broken.stderr.contains("after/agents/broken.md:4") && broken.stderr.contains("`read_file`"),
        "{}",
        broken.stderr
    );
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

const WRITE: &str = r#"{"path":"out/a.txt","content":"new","mode":"append"}"#;

fn waits(place: &Place, args: &str) -> String {
    let answer = place.run(&["call", "write_file"], args);
    let id = answer.expect_code(4).at("/metadata/approval_id");
    id.as_str().expect("an id").to_owned()
}

#[test]
fn an_approval_becomes_a_rule_for_calls_like_it() {
    let place = Place::new();
    place.write("out/there", "");
    let id = waits(&place, WRITE);
    let approved = place.run(&["approve", &id, "--always"], "");
    assert_eq!(
        approved.expect_code(0).at("/recorded_rule"),
        Value::from(1_i64)
    );
    place.run(&["call", "write_file"], WRITE).expect_code(0);
    place.run(&["call", "write_file"], WRITE).expect_code(0);
    waits(
        &place,
        r#"{"path":"out/b.txt","content":"x","mode":"overwrite"}"#,
    );
    let other = place.run(&["call", "write_file", "--role", "toolrunner"], WRITE);
    other.expect_code(4);
    let rules = place.run(&["policy", "rules"], "");
    assert_eq!(
        rules.expect_code(0).at("/0/path_under/0"),
        Value::from("out/a.txt")
    );
    assert_eq!(rules.at("/0/role"), Value::from("operator"));
    let explained = place.run(
        &[
            "policy",
            "explain",
            "operator",
            "write_file",
            "--args",
            WRITE,
        ],
        "",
    );
    let file = explained.expect_code(0).at("/file");
    assert!(
        file.as_str()
            .is_some_and(|file| file.ends_with("user-rules.toml"))
    );
    place.run(&["policy", "forget", "2"], "").expect_code(2);
    place.run(&["policy", "forget", "1"], "").expect_code(0);
    waits(&place, WRITE);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn no_rule_is_recorded_over_what_the_configuration_says() {
    let place = Place::new();
    let rule = |decision: &str| {
        format!(
            "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"write_file\"] }}\ndecision = \"{decision}\"\n"
        )
    };
    place.write("mathchain.toml", &rule("ask"));
    let id = waits(&place, WRITE);
    let refused = place.run(&["approve", &id, "--always"], "");
    refused.expect_code(3);
    assert!(refused.stderr.contains("says `ask`"), "{}", refused.stderr);
    place.write("mathchain.toml", &rule("deny"));
    place.run(&["approve", &id, "--always"], "").expect_code(3);
    let listed = place.run(&["approvals", "list"], "");
    assert_eq!(
        listed.expect_code(0).at("/0/state"),
        Value::from("pending"),
        "nothing was granted either"
    );
    let rules = place.run(&["policy", "rules"], "");
    assert_eq!(rules.expect_code(0).stdout.trim(), "[]");
}

#[test]
fn where_nobody_can_answer_a_call_that_asks_is_denied_if_so_configured() {
    let place = Place::new();
    place.write("out/there", "");
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nunattended = \"deny\"\n",
    );
    let denied = place.run(&["call", "write_file"], WRITE);
    assert_eq!(
        denied.expect_code(3).at("/error/reason"),
        Value::from("unattended")
    );
    let line = format!("{{\"id\":1,\"tool\":\"write_file\",\"args\":{WRITE}}}\n");
    let served = place.run(&["serve", "--jsonl"], &line);
    assert!(served.expect_code(0).stdout.contains("unattended"));
    place
        .run(&["call", "write_file", "--yes"], WRITE)
        .expect_code(0);
    let listed = place.run(&["approvals", "list"], "");
    assert_eq!(listed.expect_code(0).stdout.trim(), "[]", "nothing waits");
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nunattended = \"denied\"\n",
    );
    let wrong = place.run(&["call", "calculate"], r#"{"expression":"1"}"#);
    wrong.expect_code(2);
    assert!(wrong.stderr.contains("expected one of `pending`, `deny`"));
}

const OBLIGED: &str = r#"version = 1
[[policies]]
level = "global"
[[policies.rules]]
match = { tools = ["write_file", "delete_file", "apply_patch"] }
decision = "allow"
obligations = ["backup", "notify"]
"#;

#[test]
fn what_a_call_replaces_or_deletes_can_be_brought_back() {
    let place = Place::new();
    place.write("mathchain.toml", OBLIGED);
    place.write("out/a.txt", "old");
    let overwrite = WRITE.replace("append", "overwrite");
    let written = place.run(&["call", "write_file"], &overwrite);
    let copy = written.expect_code(0).at("/metadata/backups/0/id");
    let copy = copy.as_str().expect("an id").to_owned();
    assert_eq!(place.read("out/a.txt"), "new");
    let told = place.run(&["notifications", "list"], "");
    assert_eq!(told.expect_code(0).at("/0/tool"), Value::from("write_file"));
    assert_eq!(
        told.at("/0/id"),
        written.at("/metadata/notice"),
        "the answer names it"
    );
    place.run(&["files", "restore", &copy], "").expect_code(0);
    assert_eq!(place.read("out/a.txt"), "old");
    let deleted = place.run(&["call", "delete_file"], r#"{"path":"out/a.txt"}"#);
    deleted.expect_code(0);
    assert!(!place.path("work/out/a.txt").exists());
    let back = place.run(&["files", "restore", "out/a.txt"], "");
    assert_eq!(
        back.expect_code(0).at("/restored/path"),
        Value::from("out/a.txt")
    );
    assert_eq!(place.read("out/a.txt"), "old");
    let listed = place.run(&["files", "backups"], "");
    let count = listed.expect_code(0).json().items().map(|list| list.len());
    assert_eq!(
        count,
        Some(3),
        "two calls, and what was there before a return"
    );
    place
        .run(&["files", "restore", "no/such.txt"], "")
        .expect_code(2);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn without_room_for_the_copy_nothing_is_changed() {
    let place = Place::new();
    place.write("mathchain.toml", OBLIGED);
    place.write("out/a.txt", "old");
    // Where the folder of copies belongs there is a file.
    place.write(".mathchain/backups", "in the way");
    let refused = place.run(&["call", "write_file"], WRITE);
    assert_eq!(
        refused.expect_code(3).at("/error/reason"),
        Value::from("obligation")
    );
    assert_eq!(place.read("out/a.txt"), "old");
}

#[test]
fn a_task_has_a_budget_that_can_be_raised() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[budgets.bugfix]\nread = 1\noverrides = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"budget_override\"] }\ndecision = \"allow\"\n",
    );
    let add = r#"{"id":1,"tool":"calculate","args":{"expression":"1+1"}}"#;
    let raise =
        r#"{"id":2,"tool":"budget_override","args":{"category":"read","reason":"one more look"}}"#;
    let lines = format!("{add}\n{add}\n{raise}\n{add}\n{raise}\n");
    let served = place.run(
        &["serve", "--jsonl", "--workers", "1", "--task", "bugfix"],
        &lines,
    );
    let answers: Vec<Value> = served
        .expect_code(0)
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("an answer"))
        .collect();
    let at = |index: usize, pointer: &str| answers[index].pointer(pointer).unwrap_or_default();
    assert_eq!(at(0, "/status"), Value::from("success"));
    assert_eq!(at(1, "/error/reason"), Value::from("budget"));
    assert_eq!(at(2, "/output/ok"), Value::from(true));
    assert_eq!(at(3, "/status"), Value::from("success"));
    assert_eq!(at(4, "/output/ok"), Value::from(false));
    place
        .run(&["serve", "--jsonl", "--task", "no_such"], "")
        .expect_code(3);
}

#[test]
fn a_delegate_and_a_question_at_the_command_line() {
    let place = Place::new();
    let args = r#"{"name":"helper","tools":["calculate"],"calls":[
        {"tool":"calculate","args":{"expression":"2**10"}},
        {"tool":"read_file","args":{"path":"x"}}]}"#;
    let delegated = place.run(&["call", "delegate"], args);
    assert_eq!(
        delegated.expect_code(0).at("/output/results/0/status"),
        Value::from("success")
    );
    assert_eq!(
        delegated.at("/output/results/1/error/code"),
        Value::from("not_visible")
    );
    let asked = place.run(
        &["call", "escalate"],
        r#"{"reason":"may I push?","tool":"run_shell"}"#,
    );
    let told = place.run(&["notifications", "list"], "");
    assert_eq!(told.expect_code(0).at("/0/kind"), Value::from("question"));
    assert_eq!(told.at("/0/id"), asked.expect_code(0).at("/output/id"));
}

const NAMED: &str = "version = 1\n[files]\nroles = [\"roles.yaml\", \"permissions.yaml\"]\ntools = [\"tools/index.yaml\"]\n";
const ROLES: &str = include_str!("../../../tests/conformance/earlier/roles.yaml");
const INDEX: &str = include_str!("../../../tests/conformance/earlier/tools/index.yaml");
const PERMISSIONS: &str = include_str!("../../../tests/conformance/earlier/permissions.yaml");

#[test]
fn files_of_earlier_systems_load_as_they_are() {
    let place = Place::new();
    place.write("mathchain.toml", NAMED);
    place.write("roles.yaml", ROLES);
    place.write("permissions.yaml", PERMISSIONS);
    place.write("tools/index.yaml", INDEX);
    let checked = place.run(&["check"], "");
    let warnings = checked.expect_code(0).at("/warnings");
    let warnings: Vec<String> = warnings
        .items()
        .expect("a list")
        .iter()
        .map(|warning| warning.as_str().expect("a text").to_owned())
        .collect();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let seen = |role: &str| -> Vec<String> {
        let listed = place.run(&["tools", "list", "--role", role], "");
        let listed = listed.expect_code(0).json();
        let id = |tool: &Value| tool.get("id").and_then(Value::as_str).map(str::to_owned);
        listed
            .items()
            .expect("a list")
            .iter()
            .filter_map(id)
            .collect()
    };
    assert_eq!(
        seen("researcher"),
        ["read_file", "list_directory", "grep", "task:status"]
    );
    assert_eq!(
        seen("implementation"),
        [
            "read_file",
            "write_file",
            "list_directory",
            "grep",
            "run_shell",
            "task:start",
            "git:commit"
        ]
    );
    assert!(seen("idle").is_empty() && seen("nobody").is_empty());
    assert_eq!(seen("reader_of_pages"), ["fetch_docs"]);
    let worker = seen("worker_general");
    assert!(worker.contains(&"read_file".to_owned()) && worker.contains(&"json_query".to_owned()));
    assert!(!worker.contains(&"write_file".to_owned()) && !worker.contains(&"http_get".to_owned()));
    assert!(seen("frontdoor").contains(&"http_get".to_owned()));
    // What says who may do what, no tool writes.
    let write = r#"{"path":"tools/index.yaml","content":"","mode":"overwrite"}"#;
    let refused = place.run(&["call", "write_file", "--yes"], write);
    assert_ne!(refused.code, 0, "{}", refused.stdout);
    assert_eq!(place.read("tools/index.yaml"), INDEX);
}

#[test]
fn a_misspelt_tool_of_an_earlier_file_is_an_error_with_its_line() {
    let place = Place::new();
    place.write("mathchain.toml", NAMED);
    place.write(
        "roles.yaml",
        &ROLES.replace("- search_files", "- serch_files"),
    );
    place.write(
        "permissions.yaml",
        &PERMISSIONS.replace("[write_file]", "[wrte_file]"),
    );
    let checked = place.run(&["check"], "");
    assert_eq!(checked.code, 2, "{}", checked.stdout);
    for part in [
        "roles.yaml:9:9: no tool named `serch_files`\n    did you mean `search_files`?",
        "permissions.yaml:9:23: no tool named `wrte_file`\n    did you mean `write_file`?",
        "mathchain.toml:4:10: cannot read `tools/index.yaml`",
    ] {
        assert!(checked.stderr.contains(part), "{part}: {}", checked.stderr);
    }
}

#[test]
fn the_schema_of_the_configuration_is_printed() {
    let place = Place::new();
    let listed = place.run(&["schema"], "");
    assert_eq!(listed.expect_code(0).at("/0/name"), Value::from("config"));
    let printed = place.run(&["schema", "config"], "");
    assert_eq!(
        printed.expect_code(0).stdout,
        format!("{:#}\n", registry::load::config_schema())
    );
    assert_eq!(place.run(&["schema", "confg"], "").code, 2);
}
