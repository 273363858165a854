//! The rules of the project on files and the locks of chains, as they hold for calls.

use super::{CHAIN, Project, text};
use crate::support::Answer;

/// Every write is allowed by the configuration, so that what is refused here is refused by the rules of the project.
const ALLOWED: &str = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\", \"delete_file\"] }\ndecision = \"allow\"\n";

const RULES: &str = "mutations:\n  allow:\n    - pattern: \"src/**\"\n      actions: [create, modify]\n  approve:\n    - pattern: \"docs/**\"\n      actions: [create, modify, delete]\n  deny:\n    - pattern: \"src/secret/**\"\n      actions: [create, modify, delete]\n      reason: keys live here\n";

fn write(project: &Project, role: &[&str], path: &str) -> Answer {
    let args =
        format!(r#"{{"path": "{path}", "content": "x", "mode": "overwrite", "parents": true}}"#);
    let words = [&["call"], role, &["write_file"]].concat();
    project.place.run(&words, &args)
}

#[test]
fn rules_on_files_decide_calls() {
    let project = Project::new(ALLOWED);
    let own = ["--role", "impl"];
    write(&project, &own, "free.txt").expect_code(0);
    project.place.write("governance.yaml", RULES);
    write(&project, &own, "src/a.rs").expect_code(0);
    let denied = write(&project, &own, "src/secret/key");
    denied.expect_code(3);
    for part in ["governance", "src/secret/**", "keys live here"] {
        assert!(denied.stdout.contains(part), "{part}: {}", denied.stdout);
    }
    let elsewhere = write(&project, &own, "free.txt");
    elsewhere.expect_code(3);
    assert!(
        elsewhere.stdout.contains("no rule of the project"),
        "{}",
        elsewhere.stdout
    );
    // Another spelling is the same file.
    write(&project, &own, "src/../src/secret/key").expect_code(3);
    // What a person is asked about is asked over a rule that allows it, and done once approved.
    let asked = write(&project, &own, "docs/a.md");
    asked.expect_code(4);
    let id = text(&asked, "/metadata/approval_id");
    project.place.run(&["approve", &id], "").expect_code(0);
    write(&project, &own, "docs/a.md").expect_code(0);
    // A file may be changed and not deleted; below a folder the rules cannot tell.
    let delete = |path: &str, more: &str| {
        let args = format!(r#"{{"path": "{path}"{more}}}"#);
        project
            .place
            .run(&["call", "--role", "impl", "delete_file"], &args)
    };
    delete("src/a.rs", "").expect_code(3);
    assert_eq!(project.place.read("src/a.rs"), "x");
    let plan = "version: 1\nsteps:\n  - id: w\n    tool: write_file\n    args: {path: src/secret/key, content: x}\n";
    project.place.write("plan.yaml", plan);
    let run = project
        .place
        .run(&["run", "plan.yaml", "--role", "impl", "--yes"], "");
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert!(!project.place.path("work/src/secret/key").exists());
    // Rules that cannot be read refuse every change.
    project.place.write("governance.yaml", "mutations: [\n");
    let unread = write(&project, &own, "src/a.rs");
    assert_ne!(unread.code, 0, "{}", unread.stdout);
    assert!(
        unread.stdout.contains("repair `governance.yaml`"),
        "{}",
        unread.stdout
    );
    // And no tool writes the rules.
    write(&project, &own, "governance.yaml").expect_code(3);
}

/// What no rule allows is denied, in the other roots of a workspace too, for which no pattern can be written.
#[test]
fn files_of_another_root_are_allowed_by_no_rule() {
    let roots = "[workspace]\nroots = [{ path = \".\", access = \"write\" }, { path = \"../more\", access = \"write\" }]\n";
    let project = Project::new("");
    let more = project.place.path("more");
    std::fs::create_dir(&more).expect("makes");
    let config = format!("version = 1\n{roots}{ALLOWED}");
    project.place.write("mathchain.toml", &config);
    let other = more.canonicalize().expect("there").join("a.txt");
    let other = other.display().to_string();
    write(&project, &["--role", "impl"], &other).expect_code(0);
    project.place.write(
        "governance.yaml",
        "mutations:\n  allow: [{pattern: \"src/**\"}]\n",
    );
    write(&project, &["--role", "impl"], "src/a.rs").expect_code(0);
    let denied = write(&project, &["--role", "impl"], &other);
    denied.expect_code(3);
    assert!(
        denied.stdout.contains("allow nothing in another"),
        "{}",
        denied.stdout
    );
}

#[test]
fn rules_by_role_ask_the_person_at_the_terminal() {
    let project = Project::new(ALLOWED);
    let rules = format!(
        "{RULES}roles:\n  impl:\n    allow:\n      - pattern: \"src/**\"\n        actions: [create, modify]\n"
    );
    project.place.write("governance.yaml", &rules);
    write(&project, &["--role", "impl"], "src/a.rs").expect_code(0);
    write(&project, &["--role", "toolrunner"], "src/a.rs").expect_code(3);
    write(&project, &["--role", "operator"], "src/a.rs").expect_code(4);
    write(&project, &["--role", "operator", "--yes"], "src/a.rs").expect_code(0);
}

#[test]
fn a_lock_keeps_others_out() {
    let project = Project::new(&format!("[cli.other]\nbinary = \"true\"\n{ALLOWED}"));
    let args = format!(r#"{{"chainId": "{CHAIN}", "patterns": ["src/**"]}}"#);
    project.ok("operator", "lock:acquire", &args);
    write(&project, &["--role", "operator"], "src/a.rs").expect_code(0);
    let kept = write(&project, &["--role", "impl"], "src/a.rs");
    kept.expect_code(3);
    assert!(kept.stdout.contains(CHAIN), "{}", kept.stdout);
    write(
        &project,
        &["--role", "impl", "--agent", "other"],
        "src/b.rs",
    )
    .expect_code(3);
    write(&project, &["--role", "impl"], "lib/a.rs").expect_code(0);
    project.ok(
        "operator",
        "lock:release",
        &format!(r#"{{"chainId": "{CHAIN}"}}"#),
    );
    write(&project, &["--role", "impl"], "src/a.rs").expect_code(0);
}
