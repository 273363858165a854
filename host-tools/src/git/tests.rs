//! Rules without a repository: names, messages, settings, and output that git prints. `tests/git` runs the tools.

use std::process::Command;

use proptest::prelude::*;
use tool_core::ErrorCode;
use tool_core::capability::{CommitRules, Presence};

use super::message::CommitMessage;
use super::porcelain::{Conflict, FileChange, parse_status};
use super::settings::{GitOperation, GitSetting, refuse_filters, required_overrides};
use super::{names, paths};

/// Whether `git check-ref-format` takes the name of a branch.
fn git_takes(name: &str) -> bool {
    let reference = format!("refs/heads/{name}");
    let status = Command::new("git")
        .args(["check-ref-format", &reference])
        .status();
    !name.contains('\0') && status.is_ok_and(|status| status.success())
}

#[test]
fn names_that_force_delete_or_mean_something_else_are_refused() {
    for name in [
        "",
        "-D",
        "--force origin",
        "+main",
        "a..b",
        "HEAD",
        "@",
        "a@{1}",
        "a b",
        "a~1",
        "a^",
        "a:b",
        ":main",
        "a?",
        "a*",
        "a[",
        "a\\b",
        ".a",
        "a/.b",
        "a.lock",
        "a/b.lock/c",
        "a//b",
        "/a",
        "a/",
        "a.",
        "a\u{7f}",
        "a\nb",
        "a\tb",
    ] {
        let err = names::branch_reference(name, "/name").expect_err(name);
        assert_eq!(
            (err.code(), err.path(), err.reason_str()),
            (ErrorCode::InvalidArgs, Some("/name"), Some("ref_name")),
            "{name}"
        );
    }
    for name in ["main", "topic/a-b_c.d", "größe", "v1.0", "a-", "x@y"] {
        assert_eq!(
            names::branch_reference(name, "/name").expect(name),
            format!("refs/heads/{name}")
        );
    }
    assert_eq!(
        names::check_commit("HEAD", "/ref").expect("a commit"),
        "HEAD"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Names that git refuses are refused here; beyond them only a few that git takes for options, forces or `HEAD`.
    #[test]
    fn names_follow_the_rules_of_git(name in "[-+@a.{/~^:?*\\[\\\\ lock\u{7f}é]{0,8}") {
        let ours = names::name_fault(&name).is_none();
        let further = name.starts_with(['-', '+']) || name == "@";
        prop_assert_eq!(ours, git_takes(&name) && !further, "{:?}", name);
    }

    #[test]
    fn any_output_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_status(&bytes);
        let _ = super::changes::parse_raw_changes(&bytes);
        let _ = required_overrides(&GitSetting::list(&bytes), GitOperation::Push);
    }

    #[test]
    fn any_message_is_read_or_refused(text in "(feat|x)?[(!a)]{0,4}:? ?\\PC{0,20}\n{0,2}\\[?[CF]?R?-?[0-9]{0,9}-?[0-9]{0,3}\\]?") {
        let rules = CommitRules::default();
        if let Ok(message) = CommitMessage::parse(&text, &rules) {
            let again = CommitMessage::parse(&message.text, &rules).expect("what was accepted");
            prop_assert_eq!(again, message);
        }
    }
}

#[test]
fn messages_follow_the_grammar() {
    let rules = CommitRules::default();
    for text in [
        "feat(x): y",
        "feat(x):y",
        "feat: y",
        "ci!: y",
        "fix(a/b)!: y",
        "feat(x): y\n\n[CR-20250101-001]",
        "feat(x): y\n\nbody\nmore\n\n[FR-20240229-999]\n",
        "revert: y\n\nbody",
    ] {
        CommitMessage::parse(text, &rules).expect(text);
    }
    for (text, words) in [
        ("bad message", "no type"),
        ("", "empty"),
        (" \n ", "empty"),
        ("feature: y", "`feature` is no type"),
        ("Feat: y", "`Feat` is no type"),
        (": y", "`` is no type"),
        ("feat(: y", "no `)`"),
        ("feat(): y", "no scope"),
        ("feat(a)(b): y", "no scope"),
        ("feat(x): ", "no subject"),
        ("feat:", "no subject"),
        ("feat: y\nbody", "line 2 is not blank"),
        ("feat: y\n[CR-20250101-001]", "line 2 is not blank"),
        ("feat: y\n\nbody\n[CR-20250101-001]", "no blank line before"),
        ("feat: y\n\n[CR-20250230-001]", "no date"),
        ("feat: y\n\n[CR-00000000-001]", "no date"),
        ("feat: y\n\n[CR-20250101-1]", "expected `[CR-YYYYMMDD-NNN]`"),
        ("feat: y\u{1b}[2J", "control character"),
    ] {
        let err = CommitMessage::parse(text, &rules).expect_err(text);
        assert!(err.message().contains(words), "{text:?}: {}", err.message());
        assert_eq!(err.path(), Some("/message"));
        let hint = err.hint_str().expect("a hint");
        assert!(
            hint.contains("`type[(scope)]: subject`") && hint.contains("feat, fix"),
            "{hint}"
        );
    }
    let err =
        CommitMessage::parse(&format!("feat: {}", "y".repeat(20_000)), &rules).expect_err("long");
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
}

/// Each key of `[git.commit]` acts.
#[test]
fn rules_of_messages_are_configured() {
    let given = |change: fn(&mut CommitRules)| {
        let mut rules = CommitRules::default();
        change(&mut rules);
        move |text: &str| CommitMessage::parse(text, &rules).is_ok()
    };
    let types = given(|rules| rules.types = vec!["change".to_owned()]);
    assert!(types("change: y") && !types("feat: y"));
    let scopes = given(|rules| rules.scopes = Some(vec!["core".to_owned()]));
    assert!(scopes("feat(core): y") && scopes("feat: y") && !scopes("feat(x): y"));
    let scope = given(|rules| rules.scope = Presence::Required);
    assert!(scope("feat(x): y") && !scope("feat: y"));
    let reference = given(|rules| rules.reference = Presence::Required);
    assert!(reference("feat: y\n\n[CR-20250101-001]") && !reference("feat: y\n\nbody"));
    assert!(!reference("feat: y"));
    let none = given(|rules| rules.types = Vec::new());
    assert!(!none("feat: y"));
}

#[test]
fn paths_stay_in_the_repository_and_out_of_its_folder() {
    for path in [
        "",
        "/etc/passwd",
        "../a",
        "a/../b",
        "a\0b",
        ".git/config",
        "sub/.GIT/config",
    ] {
        let err = paths::check_paths(&[path.to_owned()]).expect_err(path);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/files/0")),
            "{path}"
        );
    }
    for path in [
        "a", "-rf", ":(top)a", "a b", "*.rs", ".", "a/./b", "x.git/a",
    ] {
        paths::check_paths(&[path.to_owned()]).expect(path);
    }
    let err = paths::check_paths(&vec!["a".to_owned(); 1001]).expect_err("many");
    assert_eq!(err.code(), ErrorCode::LimitExceeded);
}

fn settings(entries: &[(&str, Option<&str>)]) -> Vec<GitSetting> {
    let setting = |(key, value): &(&str, Option<&str>)| GitSetting {
        key: (*key).to_owned(),
        value: value.map(str::to_owned),
    };
    entries.iter().map(setting).collect()
}

#[test]
fn settings_that_run_programs_are_overridden_or_refused_by_name() {
    for key in [
        "include.path",
        "includeif.gitdir:/x/.path",
        "core.worktree",
        "core.alternaterefscommand",
        "hook.a.command",
    ] {
        let err =
            required_overrides(&settings(&[(key, Some("x"))]), GitOperation::Local).expect_err(key);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PolicyDenied, Some("git_config"))
        );
        assert!(err.message().contains(key), "{}", err.message());
    }
    for key in [
        "remote.origin.receivepack",
        "remote.origin.vcs",
        "remote.a.b.proxy",
        "remote.origin.mirror",
        "credential.helper",
        "credential.https://x.org.helper",
        "http.proxy",
        "http.https://x.org.sslverify",
        "url.ext::sh.insteadof",
        "protocol.ext.allow",
    ] {
        let given = settings(&[(key, Some("x"))]);
        required_overrides(&given, GitOperation::Local).expect(key);
        required_overrides(&given, GitOperation::Push).expect_err(key);
    }
    let plain = settings(&[
        ("core.bare", Some("false")),
        ("core.hookspath", Some("hooks")),
        ("core.fsmonitor", Some("/x")),
        ("alias.x", Some("!x")),
        ("remote.origin.url", Some("https://x.org/r")),
        ("user.name", Some("Ada")),
    ]);
    assert_eq!(
        required_overrides(&plain, GitOperation::Push).expect("taken"),
        []
    );
    let drivers = settings(&[
        ("merge.X.driver", Some("run")),
        ("diff.a.b.textconv", Some("run")),
        ("diff.X.command", Some("run")),
    ]);
    let found = required_overrides(&drivers, GitOperation::Local).expect("taken");
    let expected = drivers
        .iter()
        .map(|one| (one.key.clone(), "false".to_owned()));
    assert_eq!(found, expected.collect::<Vec<_>>());
    let filters = settings(&[
        ("filter.lfs.clean", Some("run")),
        ("filter.a.b.process", Some("run")),
    ]);
    let found = required_overrides(&filters, GitOperation::Push).expect("taken");
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        found,
        [
            pair("filter.lfs.clean", ""),
            pair("filter.lfs.required", "false"),
            pair("filter.a.b.process", ""),
            pair("filter.a.b.required", "false"),
        ]
    );
    assert_eq!(super::settings::filter_names(&filters), ["lfs", "a.b"]);
    for value in [None, Some("true"), Some("1"), Some("yes")] {
        let err = required_overrides(&settings(&[("core.bare", value)]), GitOperation::Local)
            .expect_err("bare");
        assert_eq!(err.reason_str(), Some("bare"));
    }
}

#[test]
fn settings_are_read_with_line_ends_and_without_values() {
    let list = GitSetting::list(b"core.bare\nfalse\0alias.x\n!a\nb\0core.fsmonitor\0");
    assert_eq!(
        list,
        settings(&[
            ("core.bare", Some("false")),
            ("alias.x", Some("!a\nb")),
            ("core.fsmonitor", None)
        ])
    );
    assert_eq!(list[1].kind(), "alias.x");
    assert_eq!(
        settings(&[("Filter.A.B.Clean", None)])[0].kind(),
        "filter.clean"
    );
}

#[test]
fn a_file_with_a_filter_is_refused() {
    refuse_filters(b"a\0filter\0unspecified\0b\0filter\0unset\0").expect("none");
    let err = refuse_filters(b"a\0filter\0unspecified\0b\0filter\0lfs\0").expect_err("one");
    assert!(err.message().contains("`b` has the filter `lfs`"));
    assert_eq!(err.reason_str(), Some("git_filter"));
}

#[test]
fn each_kind_of_line_is_read() {
    let output = b"# branch.oid 1234\0# branch.head topic/a\0# branch.upstream origin/main\0# branch.ab +2 -13\0\
        1 MT N... 100644 100644 120000 1234 1234 -a b\0\
        2 C. N... 100644 100644 100644 1234 1234 C75 new\nname\0old name\0\
        1 .M SC.. 160000 160000 160000 1234 1234 sub\0\
        u DU N... 100644 000000 100644 100644 1234 0000 1234 caf\xe9\0? with space\0! build/\0";
    let found = parse_status(output).expect("read");
    assert_eq!(found.branch.as_deref(), Some("topic/a"));
    assert_eq!(found.head.as_deref(), Some("1234"));
    assert_eq!(found.upstream.as_deref(), Some("origin/main"));
    assert_eq!(found.ahead_behind, Some((2, 13)));
    let rows = found.rows.iter();
    let rows: Vec<_> = rows
        .map(|row| (row.path.as_str(), row.index, row.worktree, row.submodule))
        .collect();
    use FileChange::{Copied, Ignored, Modified, TypeChanged, Unmerged, Unmodified, Untracked};
    assert_eq!(
        rows,
        [
            ("-a b", Modified, TypeChanged, false),
            ("new\nname", Copied, Unmodified, false),
            ("sub", Unmodified, Modified, true),
            ("caf\u{fffd}", Unmerged, Unmerged, false),
            ("with space", Unmodified, Untracked, false),
            ("build/", Unmodified, Ignored, false),
        ]
    );
    assert_eq!(found.rows[1].original_path.as_deref(), Some("old name"));
    assert_eq!(found.rows[1].similarity, Some(75));
    assert_eq!(found.rows[3].conflict, Some(Conflict::DeletedByUs));
    assert_eq!(found.rows[3].path_base64.as_deref(), Some("Y2Fm6Q=="));
    let initial =
        parse_status(b"# branch.oid (initial)\0# branch.head (detached)\0").expect("read");
    assert_eq!((initial.head, initial.branch), (None, None));
    for broken in [
        &b"x y"[..],
        b"1 M. N...",
        b"2 R. N... 1 1 1 1 1 R100 a",
        b"1 ZZ N... 1 1 1 1 1 a",
    ] {
        assert_eq!(
            parse_status(broken).expect_err("refused").code(),
            ErrorCode::Internal
        );
    }
}

/// Every letter of a conflict.
#[test]
fn conflicts_have_seven_kinds() {
    for (letters, kind) in [
        ("DD", "both_deleted"),
        ("AU", "added_by_us"),
        ("UD", "deleted_by_them"),
        ("UA", "added_by_them"),
        ("DU", "deleted_by_us"),
        ("AA", "both_added"),
        ("UU", "both_modified"),
    ] {
        let line = format!("u {letters} N... 1 1 1 1 1 1 1 a\0");
        let found = parse_status(line.as_bytes()).expect("read");
        assert_eq!(found.rows[0].conflict.map(Conflict::as_str), Some(kind));
    }
}
