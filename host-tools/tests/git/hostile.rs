//! A repository of a stranger: whatever it names, nothing of it runs.

use tool_core::ErrorCode;

use super::{Place, member};

crate::trials!(
    programs_of_a_repository_do_not_run,
    settings_that_change_contents_are_refused_by_name,
    attributes_with_filters_are_refused_for_commits_and_checkouts,
    a_tool_cannot_be_led_to_another_repository,
    configuration_and_hooks_stay_read_only,
);

/// Each program leaves a mark when it runs; that it would is shown by git itself at the end.
fn programs_of_a_repository_do_not_run() {
    for place in [Place::new(), Place::new().unconfined()] {
        no_program_runs(&place);
    }
}

fn no_program_runs(place: &Place) {
    let program = place.marker("evil");
    for hook in [
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "pre-push",
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "post-rewrite",
        "pre-auto-gc",
    ] {
        place.marker(&format!("repo/.git/hooks/{hook}"));
    }
    for key in [
        "core.fsmonitor",
        "core.editor",
        "core.pager",
        "core.askPass",
        "core.sshCommand",
        "core.gitProxy",
        "sequence.editor",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "merge.x.driver",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
        "pager.log",
        "pager.status",
        "pager.diff",
        "credential.helper",
        "interactive.diffFilter",
        "uploadpack.packObjectsHook",
        "remote.origin.uploadpack",
        "gc.recentObjectsHook",
        "trailer.x.cmd",
        "submodule.x.update",
        "alias.status",
        "alias.commit",
        "browser.x.cmd",
        "man.x.cmd",
        "difftool.x.cmd",
    ] {
        place.git("repo", &["config", key, &program]);
    }
    let alias = format!("!{program}");
    for (key, value) in [
        ("alias.st", alias.as_str()),
        ("commit.gpgSign", "true"),
        ("log.showSignature", "true"),
        ("gc.auto", "1"),
        ("user.signingkey", "key"),
        ("protocol.ext.allow", "always"),
        ("submodule.recurse", "true"),
        ("core.hooksPath", ".git/hooks"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ext::sh -c evil"),
    ] {
        place.git("repo", &["config", key, value]);
    }
    place.put("repo/.gitattributes", "* diff=x merge=x\n");
    place.put("repo/notes.txt", "changed\n");
    place.output("git:status", r#"{"ignored": true}"#);
    let output = place.output("git:diff", "{}");
    assert!(member(&output, "/diff").contains("+changed"));
    place.output("git:log", "{}");
    place.output(
        "git:commit",
        r#"{"message": "feat: x", "files": ["notes.txt", ".gitattributes"]}"#,
    );
    place.output("git:branch", r#"{"name": "topic", "action": "create"}"#);
    place.put("repo/notes.txt", "again\n");
    place.output(
        "git:commit",
        r#"{"message": "feat: y", "files": ["notes.txt"]}"#,
    );
    place.output("git:branch", r#"{"name": "topic", "action": "checkout"}"#);
    place.output("git:diff", r#"{"staged": true}"#);
    place.output("git:log", r#"{"path": "notes.txt"}"#);
    assert_eq!(place.text("repo/notes.txt"), "changed\n");
    assert!(!place.is_marked());
    let _ = place.git_output("repo", &["status"]);
    assert!(place.is_marked(), "git itself runs them");
}

fn settings_that_change_contents_are_refused_by_name() {
    for (key, value) in [
        ("include.path", "other"),
        ("includeIf.gitdir:/.path", "other"),
        ("core.worktree", "/"),
        ("hook.x.command", "evil"),
    ] {
        let place = Place::new();
        place.git("repo", &["config", key, value]);
        for (tool, args) in [
            ("git:status", "{}"),
            ("git:diff", "{}"),
            ("git:log", "{}"),
            ("git:commit", r#"{"message": "feat: x"}"#),
            ("git:branch", r#"{"name": "x", "action": "create"}"#),
            ("git:push", "{}"),
        ] {
            let err = place.error(tool, args);
            assert_eq!(
                (err.code(), err.reason_str(), err.path()),
                (
                    ErrorCode::PolicyDenied,
                    Some("git_config"),
                    Some("/repo_path")
                ),
                "{tool} {key}: {err:?}"
            );
            let name = key.split('.').next().expect("a section").to_lowercase();
            assert!(err.message().contains(&name), "{err:?}");
        }
    }
    // The second file of settings counts too.
    let place = Place::new();
    place.git("repo", &["config", "extensions.worktreeConfig", "true"]);
    place.git("repo", &["config", "--worktree", "core.worktree", "/"]);
    assert_eq!(
        place.error("git:status", "{}").reason_str(),
        Some("git_config")
    );
    let place = Place::new();
    place.put("repo/.git/config", "[core\n");
    let err = place.error("git:status", "{}");
    assert_eq!(err.code(), ErrorCode::ToolError, "{err:?}");
}

fn attributes_with_filters_are_refused_for_commits_and_checkouts() {
    let place = Place::new();
    place.git("repo", &["checkout", "--quiet", "-b", "large"]);
    place.put("repo/big.bin", "pointer\n");
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: big"]);
    place.git("repo", &["checkout", "--quiet", "main"]);
    place.put("repo/.gitattributes", "*.bin filter=lfs\n");
    place.put("repo/sub/x.bin", "content\n");
    place.put("repo/plain", "x\n");
    for files in [r#"["sub/x.bin"]"#, r#"["sub"]"#, r#"["."]"#] {
        let args = format!(r#"{{"message": "feat: x", "files": {files}}}"#);
        let err = place.error("git:commit", &args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PolicyDenied, Some("git_filter")),
            "{files}: {err:?}"
        );
    }
    let err = place.error("git:branch", r#"{"name": "large", "action": "checkout"}"#);
    assert_eq!(err.reason_str(), Some("git_filter"), "{err:?}");
    assert!(!place.path("repo/big.bin").exists());
    place.output(
        "git:commit",
        r#"{"message": "feat: x", "files": ["plain"]}"#,
    );
}

fn a_tool_cannot_be_led_to_another_repository() {
    let with_victim = || {
        let place = Place::new();
        place.git(".", &["clone", "--quiet", "repo", "victim"]);
        place
    };
    let link = |place: &Place, name: &str, up: &str| {
        let own = place.path("repo/.git").join(name);
        std::fs::rename(&own, place.path("kept")).expect("moves");
        std::os::unix::fs::symlink(format!("{up}/victim/.git/{name}"), own).expect("links");
    };
    let refused = |place: &Place, reason: &str| {
        for (tool, args) in [
            ("git:status", "{}"),
            ("git:commit", r#"{"message": "feat: x"}"#),
        ] {
            let err = place.error(tool, args);
            assert_eq!(err.reason_str(), Some(reason), "{err:?}");
        }
    };
    let place = with_victim();
    place.put("repo/.git/commondir", "../../victim/.git\n");
    refused(&place, "git_file");
    for name in ["config", "objects", "refs", "HEAD", "index"] {
        let place = with_victim();
        link(&place, name, "../..");
        refused(&place, "git_link");
    }
    let place = with_victim();
    // Folders deeper in are not checked: there the sandbox refuses to write elsewhere.
    let heads = place.git("victim", &["for-each-ref"]);
    link(&place, "refs/heads", "../../..");
    place.error("git:branch", r#"{"name": "topic", "action": "create"}"#);
    assert_eq!(place.git("victim", &["for-each-ref"]), heads);
}

/// What a commit could change besides its own files, were git tricked into it.
fn configuration_and_hooks_stay_read_only() {
    let place = Place::new();
    let before = (
        place.text("repo/.git/config"),
        place.text("repo/.git/info/exclude"),
    );
    place.put("repo/a", "a\n");
    place.output("git:commit", r#"{"message": "feat: x", "files": ["a"]}"#);
    place.output("git:branch", r#"{"name": "topic", "action": "create"}"#);
    place.output("git:branch", r#"{"name": "topic", "action": "checkout"}"#);
    let after = (
        place.text("repo/.git/config"),
        place.text("repo/.git/info/exclude"),
    );
    assert_eq!(before, after);
}
