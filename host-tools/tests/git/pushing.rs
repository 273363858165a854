//! Pushing to bare repositories in the workspace. `doors/cli/tests/git.rs` pushes to a server, with a person's approval.

use tool_core::ErrorCode;

use super::{Place, find, member};

crate::trials!(
    a_branch_is_pushed_to_a_bare_repository,
    nothing_is_forced_or_deleted,
    other_remotes_are_refused,
    hooks_and_settings_of_a_remote_do_not_run,
    a_push_is_behind_a_human_gate,
);

fn with_remote() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("remote.git")).expect("makes");
    place.git("remote.git", &["init", "--quiet", "--bare"]);
    place.git("repo", &["remote", "add", "origin", "../remote.git"]);
    place
}

fn a_branch_is_pushed_to_a_bare_repository() {
    let place = with_remote();
    let head = place.git("repo", &["rev-parse", "HEAD"]);
    let output = place.output("git:push", "{}");
    assert_eq!(member(&output, "/result"), r#""new""#);
    assert_eq!(
        place.git("remote.git", &["rev-parse", "refs/heads/main"]),
        head
    );
    assert_eq!(
        place.git("repo", &["rev-parse", "refs/remotes/origin/main"]),
        head
    );
    assert_eq!(
        member(&place.output("git:push", "{}"), "/result"),
        r#""up_to_date""#
    );
    place.git(
        "repo",
        &["commit", "--quiet", "--allow-empty", "-m", "chore: x"],
    );
    assert_eq!(
        member(&place.output("git:push", "{}"), "/result"),
        r#""updated""#
    );
    place.git("repo", &["branch", "topic"]);
    place.output("git:push", r#"{"branch": "topic"}"#);
    let names = place.git("remote.git", &["for-each-ref", "--format=%(refname)"]);
    assert_eq!(names, "refs/heads/main\nrefs/heads/topic");
    assert_eq!(place.git("remote.git", &["fsck", "--strict"]), "");
    // By an absolute path, and by one that the user's configuration replaces.
    let path = place.path("remote.git").display().to_string();
    for url in [&path, &format!("file://{path}")] {
        place.git("repo", &["remote", "set-url", "origin", url]);
        assert_eq!(
            member(&place.output("git:push", "{}"), "/result"),
            r#""up_to_date""#
        );
    }
    place.put(
        "../home/.gitconfig",
        &format!("[url \"{path}\"]\n\tinsteadOf = our:remote\n"),
    );
    place.git("repo", &["remote", "set-url", "origin", "our:remote"]);
    assert_eq!(
        member(&place.output("git:push", "{}"), "/result"),
        r#""up_to_date""#
    );
}

fn nothing_is_forced_or_deleted() {
    let place = with_remote();
    place.git(
        "repo",
        &["commit", "--quiet", "--allow-empty", "-m", "chore: x"],
    );
    place.output("git:push", "{}");
    let pushed = place.git("repo", &["rev-parse", "HEAD"]);
    place.git("repo", &["reset", "--quiet", "--hard", "HEAD^"]);
    place.git(
        "repo",
        &["commit", "--quiet", "--allow-empty", "-m", "chore: y"],
    );
    let err = place.error("git:push", "{}");
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Conflict, Some("not_fast_forward")),
        "{err:?}"
    );
    for (argument, value) in [
        ("remote", "--force origin"),
        ("remote", "--force"),
        ("remote", "-f"),
        ("remote", "../remote.git"),
        ("remote", "ext::sh -c id"),
        ("branch", "+main"),
        ("branch", ":main"),
        ("branch", "main:topic"),
        ("branch", "--delete"),
        ("branch", "--mirror"),
        ("branch", "HEAD"),
        ("branch", "refs/heads/main:refs/heads/main"),
    ] {
        let err = place.error("git:push", &format!(r#"{{"{argument}": "{value}"}}"#));
        assert_eq!(err.code(), ErrorCode::InvalidArgs, "{value}: {err:?}");
        assert_eq!(err.path(), Some(&*format!("/{argument}")), "{value}");
    }
    assert_eq!(
        place.git("remote.git", &["rev-parse", "refs/heads/main"]),
        pushed
    );
    for args in [
        r#"{"force": true}"#,
        r#"{"delete": true}"#,
        r#"{"branch": ["main"]}"#,
    ] {
        assert_eq!(place.error("git:push", args).code(), ErrorCode::InvalidArgs);
    }
    let err = place.error("git:push", r#"{"branch": "missing"}"#);
    assert_eq!(
        (err.path(), err.reason_str()),
        (Some("/branch"), Some("not_found"))
    );
    let err = place.error("git:push", r#"{"remote": "upstream"}"#);
    assert_eq!(
        (err.path(), err.reason_str()),
        (Some("/remote"), Some("not_found"))
    );
}

fn other_remotes_are_refused() {
    let place = with_remote();
    place.put("../outside.git/config", "[core]\n\tbare = true\n");
    let outside = place.outside("outside.git").display().to_string();
    std::os::unix::fs::symlink("remote.git", place.path("linked.git")).expect("links");
    std::os::unix::fs::symlink(place.outside("outside.git"), place.path("out.git")).expect("links");
    place.put("work/file", "x\n");
    place.git("work", &["init", "--quiet"]);
    let before = place.git("remote.git", &["for-each-ref"]);
    for (url, reason) in [
        ("git@example.org:$(id)", "transport"),
        ("git:secret@example.org:a/b", "transport"),
        ("ssh://-oProxyCommand=x/a", "transport"),
        ("ssh://git:secret@example.org/a", "transport"),
        ("git://example.org/a", "transport"),
        ("http://example.org/a", "transport"),
        ("https://user:secret@example.org/a", "transport"),
        ("ext::sh -c 'touch x'", "transport"),
        ("foo::bar", "transport"),
        ("ftp://example.org/a", "transport"),
        (&outside, "outside_workspace"),
        ("../../outside.git", "outside_workspace"),
        ("../linked.git", "outside_workspace"),
        ("../out.git", "outside_workspace"),
        ("../work", "no_repository"),
        ("../missing.git", "no_repository"),
        ("../repo/.git", "protected_path"),
    ] {
        place.git("repo", &["remote", "set-url", "origin", url]);
        let err = place.error("git:push", "{}");
        assert_eq!(
            (err.reason_str(), err.path()),
            (Some(reason), Some("/remote")),
            "{url}: {err:?}"
        );
        assert!(!format!("{err:?}").contains("secret"), "{err:?}");
    }
    place.git("repo", &["remote", "set-url", "origin", "../remote.git"]);
    place.git(
        "repo",
        &[
            "remote",
            "set-url",
            "--add",
            "--push",
            "origin",
            "../remote.git",
        ],
    );
    place.git(
        "repo",
        &[
            "remote",
            "set-url",
            "--add",
            "--push",
            "origin",
            "../other.git",
        ],
    );
    assert_eq!(
        place.error("git:push", "{}").reason_str(),
        Some("addresses")
    );
    assert_eq!(place.git("remote.git", &["for-each-ref"]), before);
}

fn hooks_and_settings_of_a_remote_do_not_run() {
    for place in [with_remote(), with_remote().unconfined()] {
        nothing_of_a_remote_runs(&place);
    }
}

fn nothing_of_a_remote_runs(place: &Place) {
    place.git("repo", &["branch", "topic"]);
    for hook in [
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "reference-transaction",
        "proc-receive",
    ] {
        place.marker(&format!("remote.git/hooks/{hook}"));
    }
    for hook in ["pre-push", "reference-transaction"] {
        place.marker(&format!("repo/.git/hooks/{hook}"));
    }
    let program = place.marker("evil");
    place.git(
        "remote.git",
        &[
            "config",
            "core.hooksPath",
            &place.path("remote.git/hooks").display().to_string(),
        ],
    );
    place.git("remote.git", &["config", "core.fsmonitor", &program]);
    place.output("git:push", "{}");
    // A remote that leaves its references to a hook takes nothing without it.
    let procedure = ["config", "receive.procReceiveRefs", "refs/heads"];
    place.git("remote.git", &procedure);
    place.error("git:push", r#"{"branch": "topic"}"#);
    place.git(
        "remote.git",
        &["config", "--unset", "receive.procReceiveRefs"],
    );
    assert!(!place.is_marked());
    place.git(
        "remote.git",
        &["config", "core.alternateRefsCommand", &program],
    );
    let err = place.error("git:push", "{}");
    assert_eq!(err.reason_str(), Some("git_config"), "{err:?}");
    place.git(
        "remote.git",
        &["config", "--unset", "core.alternateRefsCommand"],
    );
    for (key, value) in [
        ("remote.origin.receivepack", program.as_str()),
        ("remote.origin.vcs", "evil"),
        ("credential.helper", &program),
        ("url.https://evil.example.org/.insteadOf", "../remote"),
        ("http.proxy", "http://evil.example.org"),
    ] {
        place.git("repo", &["config", key, value]);
        let err = place.error("git:push", "{}");
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PolicyDenied, Some("git_config")),
            "{key}: {err:?}"
        );
        place.git("repo", &["config", "--unset", key]);
    }
    assert!(!place.is_marked());
}

fn a_push_is_behind_a_human_gate() {
    for (tool, gated) in [
        ("git:push", true),
        ("git:commit", false),
        ("git:status", false),
    ] {
        assert_eq!(find(tool).spec().human_gate, gated, "{tool}");
    }
}
