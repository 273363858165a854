//! Status, differences and history.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use tool_core::ErrorCode;

use super::{Place, member};

crate::trials!(
    every_state_of_a_file_is_listed,
    conflicts_have_their_kind,
    names_are_exact,
    a_branch_is_compared_with_its_upstream,
    a_repository_without_commits_has_a_state,
    a_detached_head_has_no_branch,
    submodules_are_not_entered,
    lists_are_cut_where_asked,
    differences_are_of_the_files_named,
    binary_files_and_renames_have_their_numbers,
    history_has_rows_and_starts_where_asked,
    reading_changes_nothing,
    commits_are_compared_with_one_another,
    filters_do_not_keep_from_looking,
    ignore_files_are_read_as_git_reads_them,
    what_is_no_repository_is_refused,
);

fn states(place: &Place, args: &str) -> Vec<String> {
    let output = place.output("git:status", args);
    let rows = output.pointer("/entries").and_then(|rows| rows.items());
    let rows = rows.expect("rows");
    let text = |row: &tool_core::Value, name: &str| {
        let found = row.pointer(name);
        found.and_then(|found| found.as_str().map(str::to_owned))
    };
    rows.iter()
        .map(|row| {
            let part = |name| text(row, name).unwrap_or_default();
            let from = text(row, "/original_path").map(|from| format!(" from {from}"));
            format!(
                "{} {} {}{}",
                part("/path"),
                part("/index"),
                part("/worktree"),
                from.unwrap_or_default()
            )
        })
        .collect()
}

fn every_state_of_a_file_is_listed() {
    let place = Place::new();
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let text: String = (0..40).map(|line| format!("{name} {line}\n")).collect();
        place.put(&format!("repo/{name}"), &text);
    }
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: add files"]);
    place.put("repo/.git/info/exclude", "*.log\n");
    place.put("repo/a", "changed\n"); // modified
    place.put("repo/b", "changed\n");
    place.git("repo", &["add", "b"]); // staged
    place.put("repo/b", "again\n"); // and modified
    place.git("repo", &["mv", "c", "renamed"]);
    std::fs::copy(place.path("repo/d"), place.path("repo/copied")).expect("copies");
    place.put("repo/d", &(place.text("repo/d") + "more\n")); // git takes changed files as sources of copies
    place.git("repo", &["add", "copied", "d"]);
    place.git("repo", &["rm", "--quiet", "e"]);
    std::fs::remove_file(place.path("repo/f")).expect("deletes");
    std::fs::remove_file(place.path("repo/g")).expect("deletes");
    std::os::unix::fs::symlink("a", place.path("repo/g")).expect("links"); // of another type
    place.put("repo/new", "n\n");
    place.git("repo", &["add", "new"]);
    place.put("repo/folder/untracked", "u\n");
    place.put("repo/x.log", "ignored\n");
    let expected = [
        "a unmodified modified",
        "b modified modified",
        "copied copied unmodified from d",
        "d modified unmodified",
        "e deleted unmodified",
        "f unmodified deleted",
        "g unmodified type_changed",
        "new added unmodified",
        "renamed renamed unmodified from c",
        "folder/untracked unmodified untracked",
    ];
    assert_eq!(states(&place, "{}"), expected);
    let with = [&expected[..], &["x.log unmodified ignored"]].concat();
    assert_eq!(states(&place, r#"{"ignored": true}"#), with);
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/modified"), r#"["a","b","f","g"]"#);
    assert_eq!(
        member(&output, "/staged"),
        r#"["b","copied","d","e","new","renamed"]"#
    );
    assert_eq!(member(&output, "/untracked"), r#"["folder/untracked"]"#);
    assert_eq!(member(&output, "/branch"), r#""main""#);
}

fn conflicts_have_their_kind() {
    let place = Place::new();
    for name in ["both", "ours", "theirs"] {
        place.put(&format!("repo/{name}"), "base\n");
    }
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: base"]);
    place.git("repo", &["checkout", "--quiet", "-b", "other"]);
    place.put("repo/both", "theirs\n");
    place.put("repo/added", "theirs\n");
    place.put("repo/ours", "theirs\n");
    place.git("repo", &["rm", "--quiet", "theirs"]);
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: theirs"]);
    place.git("repo", &["checkout", "--quiet", "main"]);
    place.put("repo/both", "ours\n");
    place.put("repo/added", "ours\n");
    place.put("repo/theirs", "ours\n");
    place.git("repo", &["rm", "--quiet", "ours"]);
    place.git("repo", &["add", "."]);
    place.git("repo", &["commit", "--quiet", "-m", "chore: ours"]);
    assert!(
        !place
            .git_output("repo", &["merge", "other"])
            .status
            .success()
    );
    let output = place.output("git:status", "{}");
    let kinds: Vec<String> = (0..4)
        .map(|row| {
            let part = |name: &str| member(&output, &format!("/entries/{row}/{name}"));
            format!("{} {}", part("path"), part("conflict"))
        })
        .collect();
    assert_eq!(
        kinds,
        [
            r#""added" "both_added""#,
            r#""both" "both_modified""#,
            r#""ours" "deleted_by_us""#,
            r#""theirs" "deleted_by_them""#
        ]
    );
    assert_eq!(
        member(&output, "/modified"),
        r#"["added","both","ours","theirs"]"#
    );
    let diff = place.output("git:diff", "{}");
    assert!(member(&diff, "/diff").contains("diff --cc both"));
    let err = place.error("git:commit", r#"{"message": "fix: x", "files": ["both"]}"#);
    assert_eq!(err.reason_str(), Some("unfinished"), "{err:?}");
    let err = place.error("git:branch", r#"{"name": "other", "action": "checkout"}"#);
    assert_eq!(err.reason_str(), Some("unfinished"), "{err:?}");
}

fn names_are_exact() {
    let place = Place::new();
    for name in ["-rf", "a\nb", "a\"b", "größe", "a b", "*.rs", ":(top)x"] {
        place.put(&format!("repo/{name}"), "x\n");
    }
    let bytes = place.path("repo").join(OsStr::from_bytes(b"caf\xe9"));
    std::fs::File::create(bytes).expect("makes");
    let output = place.output("git:status", "{}");
    assert_eq!(
        member(&output, "/untracked"),
        "[\"*.rs\",\"-rf\",\":(top)x\",\"a\\nb\",\"a b\",\"a\\\"b\",\"caf\u{fffd}\",\"größe\"]"
    );
    assert_eq!(member(&output, "/entries/6/path_base64"), r#""Y2Fm6Q==""#);
    assert_eq!(member(&output, "/entries/0/path_base64"), "null");
    // Each is that file, and neither an option nor a pattern.
    for name in ["-rf", "a\\nb", "a\\\"b", "größe", "a b", "*.rs", ":(top)x"] {
        let args = format!(r#"{{"message": "chore: add", "files": ["{name}"]}}"#);
        let output = place.output("git:commit", &args);
        assert_eq!(member(&output, "/files/0/path"), format!("\"{name}\""));
        assert_eq!(member(&output, "/files/1"), "absent", "{name}");
    }
    let output = place.output(
        "git:diff",
        r#"{"files": ["--output=stolen", "--no-index"]}"#,
    );
    assert_eq!(member(&output, "/files"), "[]");
    assert!(!place.path("repo/stolen").exists());
}

fn a_branch_is_compared_with_its_upstream() {
    let place = Place::new();
    place.git("repo", &["branch", "base"]);
    place.git(
        "repo",
        &["commit", "--quiet", "--allow-empty", "-m", "chore: one"],
    );
    place.git(
        "repo",
        &["commit", "--quiet", "--allow-empty", "-m", "chore: two"],
    );
    place.git("repo", &["branch", "--set-upstream-to=base"]);
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/upstream"), r#""base""#);
    assert_eq!(member(&output, "/ahead"), "2");
    assert_eq!(member(&output, "/behind"), "0");
    place.git("repo", &["branch", "-D", "base"]);
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/upstream"), r#""base""#);
    assert_eq!(member(&output, "/ahead"), "null");
}

fn a_repository_without_commits_has_a_state() {
    let place = Place::empty();
    place.git("repo", &["init", "--quiet", "--initial-branch=trunk"]);
    place.put("repo/a", "a\n");
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/branch"), r#""trunk""#);
    assert_eq!(member(&output, "/initial"), "true");
    assert_eq!(member(&output, "/head"), "null");
    assert_eq!(member(&output, "/untracked"), r#"["a"]"#);
    let output = place.output("git:log", "{}");
    assert_eq!(member(&output, "/commits"), "[]");
    assert_eq!(member(&place.output("git:diff", "{}"), "/files"), "[]");
    for action in ["create", "checkout"] {
        let args = format!(r#"{{"name": "x", "action": "{action}"}}"#);
        let err = place.error("git:branch", &args);
        assert!(err.hint_str().is_some(), "{err:?}");
    }
    // Without a name there is no commit, and with one in the user's configuration there is.
    let commit = r#"{"message": "feat: begin", "files": ["a"]}"#;
    let err = place.error("git:commit", commit);
    assert_eq!(err.reason_str(), Some("identity"), "{err:?}");
    place.put(
        "../home/.gitconfig",
        "[include]\n\tpath = more\n[commit]\n\tgpgSign = true\n",
    );
    place.put(
        "../home/more",
        "[user]\n\tname = Ada\n\temail = ada@example.org\n",
    );
    let output = place.output("git:commit", commit);
    assert_eq!(member(&output, "/parents"), "[]");
    assert_eq!(member(&output, "/branch"), r#""trunk""#);
    let log = place.output("git:log", "{}");
    assert_eq!(member(&log, "/commits/0/email"), r#""ada@example.org""#);
}

fn a_detached_head_has_no_branch() {
    let place = Place::new();
    place.git("repo", &["checkout", "--quiet", "--detach"]);
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/branch"), "null");
    assert_eq!(member(&output, "/detached"), "true");
    assert_eq!(member(&output, "/initial"), "false");
    place.put("repo/a", "a\n");
    let output = place.output("git:commit", r#"{"message": "feat: x", "files": ["a"]}"#);
    assert_eq!(member(&output, "/branch"), "null");
    let err = place.error("git:push", "{}");
    assert_eq!(err.reason_str(), Some("detached"), "{err:?}");
}

fn submodules_are_not_entered() {
    let place = Place::new().unconfined();
    place.put("repo/inner/file", "x\n");
    place.git("repo/inner", &["init", "--quiet"]);
    for (key, value) in [("user.name", "Eve"), ("user.email", "eve@example.org")] {
        place.git("repo/inner", &["config", key, value]);
    }
    place.git("repo/inner", &["add", "."]);
    place.git("repo/inner", &["commit", "--quiet", "-m", "chore: x"]);
    place.git(
        "repo",
        &["-c", "advice.addEmbeddedRepo=false", "add", "inner"],
    );
    place.git("repo", &["commit", "--quiet", "-m", "chore: add inner"]);
    let program = place.marker("evil");
    place.git("repo/inner", &["config", "core.fsmonitor", &program]);
    place.git("repo/inner", &["config", "filter.x.clean", &program]);
    place.put("repo/inner/.gitattributes", "* filter=x\n");
    place.put("repo/inner/file", "changed\n");
    assert_eq!(states(&place, "{}"), [] as [&str; 0]);
    place.git(
        "repo/inner",
        &[
            "-c",
            "core.fsmonitor=",
            "commit",
            "--quiet",
            "--allow-empty",
            "-m",
            "chore: y",
        ],
    );
    std::fs::remove_file(place.outside("mark")).unwrap_or_default();
    assert_eq!(states(&place, "{}"), ["inner unmodified modified"]);
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/entries/0/submodule"), "true");
    let output = place.output("git:diff", "{}");
    assert!(member(&output, "/diff").contains("Subproject commit"));
    assert!(!place.is_marked());
    let err = place.error("git:status", r#"{"repo_path": "repo/none"}"#);
    assert_eq!(err.path(), Some("/repo_path"), "{err:?}");
}

fn lists_are_cut_where_asked() {
    let place = Place::new();
    for name in ["a", "b", "c"] {
        place.put(&format!("repo/{name}"), "x\n");
    }
    let output = place.output("git:status", r#"{"max_entries": 2}"#);
    assert_eq!(member(&output, "/untracked"), r#"["a","b"]"#);
    assert_eq!(member(&output, "/total"), "3");
    assert_eq!(member(&output, "/truncated"), "true");
    place.put("repo/notes.txt", &"é\n".repeat(1000));
    let output = place.output("git:diff", r#"{"max_bytes": 101}"#);
    assert_eq!(member(&output, "/truncated"), "true");
    let diff = output.pointer("/diff").expect("a text");
    assert!((98..=101).contains(&diff.as_str().expect("a text").len()));
    assert_eq!(member(&output, "/files/0/added"), "1000");
}

fn differences_are_of_the_files_named() {
    let place = Place::new();
    place.put("repo/notes.txt", "hello\n");
    place.put("repo/other", "x\n");
    place.git("repo", &["add", "other"]);
    let output = place.output("git:diff", "{}");
    assert_eq!(
        member(&output, "/diff"),
        member(
            &tool_core::object! { "d" => place.git("repo", &["diff"]) + "\n" },
            "/d"
        )
    );
    assert_eq!(member(&output, "/files/0/path"), r#""notes.txt""#);
    let output = place.output("git:diff", r#"{"staged": true}"#);
    assert_eq!(member(&output, "/files/0/path"), r#""other""#);
    assert_eq!(member(&output, "/files/1"), "absent");
    let output = place.output("git:diff", r#"{"files": ["other", "missing"]}"#);
    assert_eq!(member(&output, "/diff"), r#""""#);
    // A file name is one word, whatever it contains.
    let output = place.output("git:diff", r#"{"files": ["a.txt; echo X > p"]}"#);
    assert_eq!(member(&output, "/files"), "[]");
    assert!(!place.path("repo/p").exists());
    for file in ["", "/etc/passwd", "../x", ".git/config"] {
        let err = place.error("git:diff", &format!(r#"{{"files": ["{file}"]}}"#));
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/files/0"))
        );
    }
}

fn binary_files_and_renames_have_their_numbers() {
    let place = Place::new();
    place.put("repo/bytes", "a\0b");
    place.git("repo", &["add", "."]);
    place.git("repo", &["mv", "notes.txt", "renamed"]);
    let output = place.output("git:diff", r#"{"staged": true}"#);
    assert_eq!(member(&output, "/files/0/added"), "null");
    assert_eq!(member(&output, "/files/1/original_path"), r#""notes.txt""#);
    assert_eq!(member(&output, "/files/1/path"), r#""renamed""#);
    assert_eq!(member(&output, "/files/1/added"), "0");
}

fn history_has_rows_and_starts_where_asked() {
    let place = Place::new();
    place.git("repo", &["checkout", "--quiet", "-b", "topic"]);
    place.put("repo/a", "a\n");
    place.git("repo", &["add", "a"]);
    place.git(
        "repo",
        &["commit", "--quiet", "-m", "feat: a\n\nbody of\nthe message"],
    );
    place.git("repo", &["checkout", "--quiet", "main"]);
    place.git(
        "repo",
        &["merge", "--quiet", "--no-ff", "-m", "chore: merge", "topic"],
    );
    place.git("repo", &["tag", "v1"]);
    let output = place.output("git:log", "{}");
    assert_eq!(member(&output, "/commits/0/subject"), r#""chore: merge""#);
    assert_eq!(member(&output, "/commits/0/parents/2"), "absent");
    assert!(member(&output, "/commits/0/parents/1").len() > 40);
    assert_eq!(member(&output, "/commits/3"), "absent");
    assert!(member(&output, "/commits").contains("19cabfff2a05339fece78056567f8c665c43c179"));
    assert_eq!(member(&output, "/truncated"), "false");
    let output = place.output("git:log", r#"{"ref": "topic", "count": 1}"#);
    assert_eq!(
        member(&output, "/commits/0/body"),
        r#""body of\nthe message""#
    );
    assert_eq!(member(&output, "/truncated"), "true");
    for start in [
        "v1",
        "refs/heads/main",
        "19cabfff2a05339fece78056567f8c665c43c179",
        "19cabff",
    ] {
        place.output("git:log", &format!(r#"{{"ref": "{start}"}}"#));
    }
    let output = place.output("git:log", r#"{"path": "a"}"#);
    assert_eq!(member(&output, "/commits/0/subject"), r#""feat: a""#);
    assert_eq!(member(&output, "/commits/1"), "absent");
    for start in [
        "--output=x",
        "-1",
        "a..b",
        "main:notes.txt",
        "HEAD~1",
        "a b",
        "",
    ] {
        let err = place.error("git:log", &format!(r#"{{"ref": "{start}"}}"#));
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/ref")),
            "{start}"
        );
    }
    let err = place.error("git:log", r#"{"ref": "missing"}"#);
    assert_eq!(err.reason_str(), Some("not_found"));
}

/// Not even the index is written, whose times git would like to refresh.
fn reading_changes_nothing() {
    let place = Place::new();
    place.put("repo/notes.txt", "hello world\n"); // the same content at another time
    let times = || {
        let found = place.path("repo/.git/index").metadata().expect("there");
        let folder = place.path("repo/.git").metadata().expect("there");
        (
            found.modified().expect("a time"),
            folder.modified().expect("a time"),
        )
    };
    let before = times();
    for tool in ["git:status", "git:diff", "git:log"] {
        place.output(tool, "{}");
    }
    assert_eq!(times(), before);
}

fn commits_are_compared_with_one_another() {
    let place = Place::new();
    place.git("repo", &["tag", "before"]);
    place.put("repo/notes.txt", "hello there\n");
    place.git("repo", &["commit", "--quiet", "-am", "docs: greet"]);
    place.put("repo/notes.txt", "changed\n");
    let diff = |args: &str| member(&place.output("git:diff", args), "/diff");
    let between = diff(r#"{"from": "before", "to": "main"}"#);
    assert!(
        between.contains("+hello there") && !between.contains("changed"),
        "{between}"
    );
    let with_tree = diff(r#"{"from": "before"}"#);
    assert!(
        with_tree.contains("-hello world") && with_tree.contains("+changed"),
        "{with_tree}"
    );
    for (args, at) in [
        (r#"{"to": "main"}"#, "/from"),
        (
            r#"{"from": "main", "to": "main", "staged": true}"#,
            "/staged",
        ),
        (r#"{"from": "nothing"}"#, "/from"),
        (r#"{"from": "main", "to": "--output=x"}"#, "/to"),
    ] {
        assert_eq!(place.error("git:diff", args).path(), Some(at), "{args}");
    }
}

/// The filter does not run, and no other file is in the way of it.
fn filters_do_not_keep_from_looking() {
    let place = Place::new().unconfined();
    let program = place.marker("evil");
    for name in ["clean", "smudge", "process"] {
        place.git(
            "repo",
            &["config", &format!("filter.strip.{name}"), &program],
        );
    }
    place.git("repo", &["config", "filter.strip.required", "true"]);
    place.put("repo/.gitattributes", "*.ipynb filter=strip\n");
    place.put("repo/notes.txt", "changed\n");
    let output = place.output("git:status", "{}");
    assert_eq!(member(&output, "/modified/0"), r#""notes.txt""#);
    assert!(member(&place.output("git:diff", "{}"), "/diff").contains("+changed"));
    place.output("git:log", "{}");
    place.output(
        "git:commit",
        r#"{"message": "docs: change", "files": ["notes.txt"]}"#,
    );
    place.put("repo/book.ipynb", "{}\n");
    let err = place.error(
        "git:commit",
        r#"{"message": "docs: book", "files": ["book.ipynb"]}"#,
    );
    assert_eq!(err.reason_str(), Some("git_filter"), "{err:?}");
    assert!(!place.is_marked());
}

/// `glob` lists the files that `git check-ignore` does not name.
fn ignore_files_are_read_as_git_reads_them() {
    let files = [
        "a.js",
        "a.ts",
        "a.{js,ts}",
        "b.txt",
        "b.txt{}",
        "{{cookiecutter}}.yml",
        "folder/bar.txt",
        "folder.bar.txt",
        "deep/folder/bar.txt",
        "x1.log",
        "xa.log",
        "x-.log",
        "x].log",
        "x!.log",
        "a,b",
        "build/out",
        "deep/build/out",
        "keep.tmp",
        "drop.tmp",
        "sp ace",
        "tail ",
        "#hash",
        "!bang",
    ];
    for lines in [
        "*.{js,ts}\n",
        "*.txt{}\n",
        "/{{cookiecutter}}.yml\n",
        "folder[/]bar.txt\n",
        "folder[./]bar.txt\n",
        "folder[!a]bar.txt\n",
        "folder[+-9]bar.txt\n",
        "x[[:digit:]].log\n",
        "x[!0-9].log\n",
        "x[]-].log\n",
        "x[!a].log\nx[!].log\n",
        "x[\\]].log\n",
        "x[-a].log\n",
        "[{]*\n",
        "{a,b}\na,b\n",
        "build/\n",
        "/build\n",
        "deep/**/out\n",
        "*.tmp\n!keep.tmp\n",
        "\u{feff}*.tmp\r\n",
        "sp\\ ace\ntail\\ \n",
        "\\#hash\n\\!bang\n#hash\n",
        "deep/*/bar.txt\n",
        "**/bar.txt\n",
    ] {
        let place = Place::empty();
        place.git("repo", &["init", "--quiet"]);
        place.put("repo/.gitignore", lines);
        for file in files {
            place.put(&format!("repo/{file}"), "x\n");
        }
        let listed = place.git(
            "repo",
            &["ls-files", "-z", "--others", "--exclude-standard"],
        );
        let mut by_git: Vec<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
        by_git.sort_unstable();
        let found = place
            .call("glob", r#"{"pattern": "**", "path": "repo"}"#)
            .expect("lists");
        let found = found.items_at("paths");
        let names = found.iter().filter_map(tool_core::Value::as_str);
        let mut found: Vec<&str> = names.map(|path| path.trim_start_matches("repo/")).collect();
        found.sort_unstable();
        assert_eq!(found, by_git, "{lines:?}");
    }
}

fn what_is_no_repository_is_refused() {
    let place = Place::new();
    place.put("plain/file", "x\n");
    std::fs::create_dir(place.path("bare.git")).expect("makes");
    place.git("bare.git", &["init", "--quiet", "--bare"]);
    // A folder that says it is a work tree of a repository, which names another one; and one whose repository lies elsewhere.
    place.git("repo", &["worktree", "add", "--quiet", "../linked"]);
    let named = place.text("linked/.git");
    place.put("forged/.git", &named);
    std::fs::create_dir(place.outside("other")).expect("makes");
    place.git("../other", &["init", "--quiet"]);
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
        place.git("../other", &["config", key, value]);
    }
    place.git(
        "../other",
        &["commit", "--quiet", "--allow-empty", "-m", "x"],
    );
    let beyond = place.path("beyond").display().to_string();
    place.git("../other", &["worktree", "add", "--quiet", &beyond]);
    std::fs::create_dir(place.path("moved")).expect("makes");
    std::os::unix::fs::symlink("../repo/.git", place.path("moved/.git")).expect("links");
    std::os::unix::fs::symlink("/", place.path("root")).expect("links");
    place.put("repo/sub/file", "x\n");
    place.git(".", &["clone", "--quiet", "--shared", "repo", "shared"]);
    for (folder, reason) in [
        ("plain", "no_repository"),
        ("shared", "alternates"),
        ("repo/sub", "no_repository"),
        ("bare.git", "bare"),
        ("forged", "git_file"),
        ("beyond", "git_file"),
        ("moved", "git_link"),
        ("repo/.git", "bare"),
        ("missing", "not_found"),
        ("repo/notes.txt", "not_a_folder"),
        ("..", "outside_workspace"),
        ("/", "outside_workspace"),
        ("root", "outside_workspace"),
    ] {
        for tool in ["git:status", "git:commit", "git:push"] {
            let args = match tool {
                "git:commit" => format!(r#"{{"repo_path": "{folder}", "message": "feat: x"}}"#),
                _ => format!(r#"{{"repo_path": "{folder}"}}"#),
            };
            let err = place.error(tool, &args);
            assert_eq!(
                (err.reason_str(), err.path()),
                (Some(reason), Some("/repo_path")),
                "{folder}: {err:?}"
            );
        }
    }
}
