//! Commits and branches.

use tool_core::{CallProbe, ErrorCode};

use super::{Place, member};

crate::trials!(
    files_are_staged_and_committed,
    what_is_staged_is_committed_without_files,
    named_files_are_committed_alone,
    a_message_against_the_rules_changes_nothing,
    a_commit_that_cannot_be_is_refused,
    a_commit_is_found_after_a_crash,
    branches_are_created_and_changed_to,
    a_checkout_loses_nothing,
    files_that_tools_never_write_keep_their_content,
    branches_are_found_after_a_crash,
    names_of_branches_are_checked,
    a_linked_work_tree_is_looked_at_and_committed_in,
);

/// Beside its main work tree and below it, as people and agents make them; the other work trees stay as they are.
fn a_linked_work_tree_is_looked_at_and_committed_in() {
    for folder in ["trees/one", "repo/.worktrees/one"] {
        let place = Place::new();
        let made = place.path(folder).display().to_string();
        place.git(
            "repo",
            &["worktree", "add", "--quiet", "-b", "topic", &made],
        );
        let beside = place.path("trees/two").display().to_string();
        place.git(
            "repo",
            &["worktree", "add", "--quiet", "-b", "other", &beside],
        );
        place.put(&format!("{folder}/notes.txt"), "changed\n");
        let of = |more: &str| format!(r#"{{"repo_path": "{folder}"{more}}}"#);
        let status = place.output("git:status", &of(""));
        assert_eq!(member(&status, "/branch"), r#""topic""#, "{folder}");
        assert_eq!(
            member(&status, "/entries/0/path"),
            r#""notes.txt""#,
            "{folder}"
        );
        let diff = place.output("git:diff", &of(""));
        assert_eq!(member(&diff, "/files/0/path"), r#""notes.txt""#, "{folder}");
        let before = place.git("repo", &["rev-parse", "main"]);
        let commit = r#", "message": "feat: change", "files": ["notes.txt"]"#;
        let committed = place.output("git:commit", &of(commit));
        assert_eq!(member(&committed, "/branch"), r#""topic""#);
        let topic = place.git("repo", &["rev-parse", "topic"]);
        assert_eq!(member(&committed, "/commit"), format!("\"{topic}\""));
        assert_eq!(
            place.git("repo", &["rev-parse", "topic^", "main", "other"]),
            format!("{before}\n{before}\n{before}")
        );
        let create = r#", "name": "next", "action": "create""#;
        place.output("git:branch", &of(create));
        place.output(
            "git:branch",
            &of(r#", "name": "next", "action": "checkout""#),
        );
        assert_eq!(
            place.git(folder, &["symbolic-ref", "HEAD"]),
            "refs/heads/next"
        );
        // A branch is in one work tree at a time.
        for name in ["main", "other"] {
            let checkout = format!(r#", "name": "{name}", "action": "checkout""#);
            let err = place.error("git:branch", &of(&checkout));
            assert_eq!(err.reason_str(), Some("checked_out"), "{name}: {err:?}");
        }
        assert_eq!(place.git("repo", &["fsck", "--strict"]), "");
    }
}

fn files_are_staged_and_committed() {
    let place = Place::new();
    place.put("repo/new", "n\n");
    place.put("repo/folder/a", "a\n");
    place.put("repo/folder/b", "b\n");
    place.put("repo/other", "o\n");
    std::fs::remove_file(place.path("repo/notes.txt")).expect("deletes");
    let args = r#"{"message": "feat(x): y\n\nbody\n\n[CR-20250101-001]", "files": ["new", "folder", "notes.txt"]}"#;
    let output = place.output("git:commit", args);
    let names: Vec<String> = (0..5)
        .map(|row| member(&output, &format!("/files/{row}/path")))
        .collect();
    assert_eq!(
        names,
        [
            r#""folder/a""#,
            r#""folder/b""#,
            r#""new""#,
            r#""notes.txt""#,
            "absent"
        ]
    );
    assert_eq!(member(&output, "/subject"), r#""feat(x): y""#);
    let head = place.git("repo", &["rev-parse", "HEAD"]);
    assert_eq!(member(&output, "/commit"), format!("\"{head}\""));
    let message = place.git("repo", &["log", "-1", "--format=%B%an <%ae>"]);
    assert_eq!(
        message,
        "feat(x): y\n\nbody\n\n[CR-20250101-001]\nAda <ada@example.org>"
    );
    assert_eq!(place.git("repo", &["status", "--porcelain"]), "?? other");
    assert_eq!(place.git("repo", &["fsck", "--strict"]), "");
}

fn named_files_are_committed_alone() {
    let place = Place::new();
    place.put("repo/secret.env", "K=1\n");
    place.git("repo", &["add", "secret.env"]);
    place.put("repo/a.txt", "a\n");
    place.output(
        "git:commit",
        r#"{"message": "feat: add", "files": ["a.txt"]}"#,
    );
    let files = ["show", "--name-only", "--format=", "HEAD"];
    assert_eq!(place.git("repo", &files), "a.txt");
    assert_eq!(
        place.git("repo", &["diff", "--cached", "--name-only"]),
        "secret.env"
    );
    // A first commit, and a deletion beside something staged.
    let first = Place::empty();
    first.git("repo", &["init", "--quiet", "--initial-branch=main"]);
    first.git("repo", &["config", "user.name", "Ada"]);
    first.git("repo", &["config", "user.email", "ada@example.org"]);
    first.put("repo/secret.env", "K=1\n");
    first.put("repo/a.txt", "a\n");
    first.git("repo", &["add", "secret.env"]);
    first.output(
        "git:commit",
        r#"{"message": "feat: add", "files": ["a.txt"]}"#,
    );
    assert_eq!(first.git("repo", &files), "a.txt");
    std::fs::remove_file(first.path("repo/a.txt")).expect("deletes");
    first.output(
        "git:commit",
        r#"{"message": "feat: drop", "files": ["a.txt"]}"#,
    );
    assert_eq!(
        first.git("repo", &["show", "--name-status", "--format=", "HEAD"]),
        "D\ta.txt"
    );
}

fn what_is_staged_is_committed_without_files() {
    let place = Place::new();
    place.put("repo/a", "staged\n");
    place.git("repo", &["add", "a"]);
    place.put("repo/a", "later\n");
    place.output("git:commit", r##"{"message": "chore: a\n\n# no comment"}"##);
    assert_eq!(place.git("repo", &["show", "HEAD:a"]), "staged");
    let body = place.git("repo", &["log", "-1", "--format=%b"]);
    assert_eq!(body, "# no comment");
}

fn a_message_against_the_rules_changes_nothing() {
    let place = Place::new();
    place.put("repo/a", "a\n");
    let err = place.error(
        "git:commit",
        r#"{"message": "bad message", "files": ["a"]}"#,
    );
    assert_eq!(
        (err.code(), err.path(), err.reason_str()),
        (
            ErrorCode::InvalidArgs,
            Some("/message"),
            Some("commit_message")
        )
    );
    assert!(
        err.hint_str()
            .expect("a hint")
            .contains("`type[(scope)]: subject`")
    );
    assert_eq!(place.git("repo", &["status", "--porcelain"]), "?? a");
}

fn a_commit_that_cannot_be_is_refused() {
    let place = Place::new();
    let err = place.error("git:commit", r#"{"message": "fix: x"}"#);
    assert_eq!(err.reason_str(), Some("nothing_staged"));
    let err = place.error(
        "git:commit",
        r#"{"message": "fix: x", "files": ["notes.txt"]}"#,
    );
    assert_eq!(err.reason_str(), Some("nothing_staged"));
    let err = place.error(
        "git:commit",
        r#"{"message": "fix: x", "files": ["missing"]}"#,
    );
    assert_eq!(
        (err.code(), err.reason_str(), err.path()),
        (ErrorCode::InvalidArgs, Some("not_found"), Some("/files"))
    );
    place.put("repo/.git/info/exclude", "*.log\n");
    place.put("repo/a.log", "x\n");
    let err = place.error("git:commit", r#"{"message": "fix: x", "files": ["a.log"]}"#);
    assert_eq!(err.reason_str(), Some("ignored"), "{err:?}");
    place.put("repo/.git/index.lock", "");
    place.put("repo/notes.txt", "changed\n");
    let err = place.error(
        "git:commit",
        r#"{"message": "fix: x", "files": ["notes.txt"]}"#,
    );
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Conflict, Some("locked"))
    );
    // Reading does not need the lock.
    place.output("git:status", "{}");
}

fn a_commit_is_found_after_a_crash() {
    let args = r#"{"message": "fix: x", "files": ["notes.txt"]}"#;
    let prepared = || {
        let place = Place::new();
        place.put("repo/notes.txt", "changed\n");
        place
    };
    let place = prepared();
    let none = place.probe("git:commit", args, || {});
    assert_eq!(none, CallProbe::NotHappened);
    // Staged, and killed before the commit.
    let none = place.probe("git:commit", args, || {
        place.git("repo", &["add", "notes.txt"]);
    });
    assert_eq!(none, CallProbe::NotHappened);
    let mut made = None;
    let found = place.probe("git:commit", args, || {
        made = Some(place.output("git:commit", args))
    });
    assert_eq!(found, CallProbe::Happened(made.expect("made")));
    let place = prepared();
    for message in ["fix: y", "fix: x\n\nbody"] {
        let other = place.probe("git:commit", args, || {
            place.put("repo/notes.txt", message);
            place.git("repo", &["commit", "--quiet", "-a", "-m", message]);
        });
        assert_eq!(other, CallProbe::Unknown, "{message}");
    }
    let moved = place.probe("git:commit", args, || {
        place.git("repo", &["checkout", "--quiet", "-b", "other"]);
    });
    assert_eq!(moved, CallProbe::Unknown);
    // The first commit has no parent.
    let place = Place::empty();
    place.git("repo", &["init", "--quiet", "--initial-branch=main"]);
    place.git("repo", &["config", "user.name", "Ada"]);
    place.git("repo", &["config", "user.email", "ada@example.org"]);
    place.put("repo/notes.txt", "x\n");
    let found = place.probe("git:commit", args, || {
        drop(place.output("git:commit", args))
    });
    assert!(matches!(found, CallProbe::Happened(_)), "{found:?}");
}

fn branch(name: &str, action: &str) -> String {
    format!(r#"{{"name": "{name}", "action": "{action}"}}"#)
}

fn branches_are_created_and_changed_to() {
    let place = Place::new();
    let output = place.output("git:branch", &branch("topic/a", "create"));
    assert_eq!(member(&output, "/current"), r#""main""#);
    let err = place.error("git:branch", &branch("topic/a", "create"));
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Conflict, Some("/name"))
    );
    let err = place.error("git:branch", &branch("topic", "create"));
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Conflict, Some("/name")),
        "{err:?}"
    );
    let output = place.output("git:branch", &branch("topic/a", "checkout"));
    assert_eq!(member(&output, "/current"), r#""topic/a""#);
    assert_eq!(member(&output, "/changed"), "true");
    let output = place.output("git:branch", &branch("topic/a", "checkout"));
    assert_eq!(member(&output, "/changed"), "false");
    place.put("repo/sub/deep/a", "a\n");
    place.put("repo/run", "#!/bin/sh\n");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path("repo/run"), executable).expect("sets");
    std::os::unix::fs::symlink("run", place.path("repo/link")).expect("links");
    place.output(
        "git:commit",
        r#"{"message": "feat: a", "files": ["sub", "run", "link"]}"#,
    );
    place.output("git:branch", &branch("main", "checkout"));
    assert!(!place.path("repo/sub").exists() && !place.path("repo/run").exists());
    place.output("git:branch", &branch("topic/a", "checkout"));
    assert_eq!(place.text("repo/sub/deep/a"), "a\n");
    assert_eq!(place.git("repo", &["status", "--porcelain"]), "");
    let mode = |path: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        let found = place.path(path).metadata().expect("there");
        found.permissions().mode() & 0o777
    };
    assert_eq!(mode("repo/run") & 0o100, 0o100);
    assert_eq!(mode("repo/sub/deep/a"), mode("repo/notes.txt"));
    let log = place.git("repo", &["reflog", "-1", "--format=%gs"]);
    assert_eq!(log, "checkout: moving from main to topic/a");
    let err = place.error("git:branch", &branch("missing", "checkout"));
    assert_eq!(err.reason_str(), Some("not_found"));
    // Neither a tag nor a commit is a branch.
    place.git("repo", &["tag", "v1"]);
    let err = place.error("git:branch", &branch("v1", "checkout"));
    assert_eq!(err.reason_str(), Some("not_found"));
}

fn a_checkout_loses_nothing() {
    let place = Place::new();
    place.git("repo", &["checkout", "--quiet", "-b", "topic"]);
    place.put("repo/notes.txt", "topic\n");
    place.put("repo/new", "topic\n");
    place.put("repo/made.log", "topic\n");
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: topic"]);
    place.git("repo", &["checkout", "--quiet", "main"]);
    place.put("repo/.git/info/exclude", "*.log\n");
    for file in ["notes.txt", "new", "made.log"] {
        place.put(&format!("repo/{file}"), "mine\n");
        let err = place.error("git:branch", &branch("topic", "checkout"));
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::Conflict, Some("local_changes")),
            "{file}: {err:?}"
        );
        assert_eq!(place.text(&format!("repo/{file}")), "mine\n");
        assert_eq!(
            place.git("repo", &["symbolic-ref", "HEAD"]),
            "refs/heads/main"
        );
        match file {
            "notes.txt" => drop(place.git("repo", &["checkout", "--quiet", "--", file])),
            _ => std::fs::remove_file(place.path("repo").join(file)).expect("deletes"),
        }
    }
    // A folder of ignored files, or a file, in the place of the other.
    place.put("repo/made.log/inner.log", "mine\n");
    let err = place.error("git:branch", &branch("topic", "checkout"));
    assert_eq!(err.reason_str(), Some("local_changes"), "{err:?}");
    assert_eq!(place.text("repo/made.log/inner.log"), "mine\n");
    std::fs::remove_dir_all(place.path("repo/made.log")).expect("deletes");
    // Changes of files that are the same on both sides come along.
    place.put("repo/kept", "x\n");
    place.git("repo", &["add", "kept"]);
    place.output("git:branch", &branch("topic", "checkout"));
    assert_eq!(place.git("repo", &["status", "--porcelain"]), "A  kept");
}

/// A branch of a stranger could otherwise bring a configuration along that permits everything.
fn files_that_tools_never_write_keep_their_content() {
    for file in [
        "mathchain.toml",
        "agents/a.md",
        "sub/.mathchain/state.db",
        "plugins/p/manifest.json",
    ] {
        let place = Place::empty();
        place.git(".", &["init", "--quiet", "--initial-branch=main"]);
        place.git(".", &["config", "user.name", "Ada"]);
        place.git(".", &["config", "user.email", "ada@example.org"]);
        place.put("notes.txt", "x\n");
        place.git(".", &["add", "notes.txt"]);
        place.git(".", &["commit", "--quiet", "-m", "docs: x"]);
        place.git(".", &["checkout", "--quiet", "-b", "evil"]);
        place.put(file, "evil\n");
        place.git(".", &["add", file]);
        place.git(".", &["commit", "--quiet", "-m", "docs: y"]);
        place.git(".", &["checkout", "--quiet", "main"]);
        let args = r#"{"repo_path": ".", "name": "evil", "action": "checkout"}"#;
        let err = place.error("git:branch", args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PolicyDenied, Some("protected_path")),
            "{file}: {err:?}"
        );
        assert!(!place.path(file).exists(), "{file}");
        assert_eq!(place.git(".", &["symbolic-ref", "HEAD"]), "refs/heads/main");
    }
}

fn branches_are_found_after_a_crash() {
    let place = Place::new();
    let create = branch("topic", "create");
    assert_eq!(
        place.probe("git:branch", &create, || {}),
        CallProbe::NotHappened
    );
    let mut made = None;
    let found = place.probe("git:branch", &create, || {
        made = Some(place.output("git:branch", &create))
    });
    assert_eq!(found, CallProbe::Happened(made.expect("made")));
    // The branch was there before: the call fails, however often.
    assert_eq!(
        place.probe("git:branch", &create, || {}),
        CallProbe::NotHappened
    );
    let checkout = branch("topic", "checkout");
    assert_eq!(
        place.probe("git:branch", &checkout, || {}),
        CallProbe::NotHappened
    );
    let killed = place.probe("git:branch", &checkout, || {
        place.put("repo/.git/index.lock", "")
    });
    assert_eq!(killed, CallProbe::Unknown);
    std::fs::remove_file(place.path("repo/.git/index.lock")).expect("deletes");
    let found = place.probe("git:branch", &checkout, || {
        drop(place.output("git:branch", &checkout))
    });
    assert!(matches!(found, CallProbe::Happened(_)), "{found:?}");
}

fn names_of_branches_are_checked() {
    let place = Place::new();
    place.git("repo", &["branch", "feat1"]);
    for name in [
        "-D", "-D feat1", "+main", "a..b", "HEAD", "@", "--orphan", "a b", "",
    ] {
        for action in ["create", "checkout"] {
            let err = place.error("git:branch", &branch(name, action));
            assert_eq!(
                (err.code(), err.path()),
                (ErrorCode::InvalidArgs, Some("/name")),
                "{name}"
            );
        }
    }
    let err = place.error("git:branch", &branch("feat1", "delete"));
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/action"))
    );
    assert_eq!(
        place.git("repo", &["branch", "--list", "--format=%(refname:short)"]),
        "feat1\nmain"
    );
}
