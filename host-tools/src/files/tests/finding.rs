//! Finding and searching.

use super::*;

/// A small project with ignored files, links, a repository and a binary file.
fn project() -> Place {
    let place = Place::new();
    let root = place.folder.path();
    for folder in [".git", "src/deep", "target/debug", "docs"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (path, content) in [
        (".gitignore", "/target\n*.log\n!keep.log\n"),
        ("src/.gitignore", "deep/*.tmp\n"),
        (".git/config", "needle\n"),
        (
            "src/main.rs",
            "fn main() {\n    needle();\n}\n\n// needle\nneedle needle\n",
        ),
        ("src/deep/lib.rs", "pub fn needle() {}\r\n"),
        ("src/deep/x.tmp", "needle\n"),
        ("target/debug/out.rs", "needle\n"),
        ("a.log", "needle\n"),
        ("keep.log", "needle\n"),
        ("docs/Read.md", "Needle\nünder €\n"),
        ("binary", "needle\0needle\n"),
    ] {
        place.put(path, content.as_bytes());
    }
    place.put(
        "utf16",
        &"\u{feff}needle in utf-16\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>(),
    );
    std::os::unix::fs::symlink("src", root.join("link")).unwrap();
    std::os::unix::fs::symlink("/etc", root.join("outside")).unwrap();
    place
}

fn paths(place: &Place, args: &str) -> String {
    let output = place.call("glob", args).unwrap();
    let found: Vec<String> = output
        .get("paths")
        .unwrap()
        .items()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap().to_owned())
        .collect();
    let truncated = output.get("truncated").and_then(Value::as_bool).unwrap();
    format!("{}{}", found.join(" "), if truncated { " ..." } else { "" })
}

#[test]
fn globs_find_paths_in_order() {
    let place = project();
    for (args, expected) in [
        (r#"{"pattern":"*.rs"}"#, "src/deep/lib.rs src/main.rs"),
        (
            r#"{"pattern":"*.rs","ignored":true}"#,
            "src/deep/lib.rs src/main.rs target/debug/out.rs",
        ),
        (r#"{"pattern":"src/*.rs"}"#, "src/main.rs"),
        (
            r#"{"pattern":"src/**"}"#,
            "src/.gitignore src/deep/lib.rs src/main.rs",
        ),
        (
            r#"{"pattern":"src/**","folders":true}"#,
            "src/.gitignore src/deep src/deep/lib.rs src/main.rs",
        ),
        (r#"{"pattern":"**/*.{md,log}"}"#, "docs/Read.md keep.log"),
        (r#"{"pattern":"deep/*","path":"src"}"#, "src/deep/lib.rs"),
        (r#"{"pattern":"*","path":"./src/deep/"}"#, "src/deep/lib.rs"),
        (
            r#"{"pattern":"deep/*","path":"docs/../src"}"#,
            "src/deep/lib.rs",
        ),
        (r#"{"pattern":"*.rs","limit":1}"#, "src/deep/lib.rs ..."),
        (r#"{"pattern":"[A-Z]*"}"#, "docs/Read.md"),
        (r#"{"pattern":"nothing"}"#, ""),
        (r#"{"pattern":"config","ignored":true}"#, ""),
        (r#"{"pattern":"passwd","ignored":true}"#, ""),
    ] {
        assert_eq!(paths(&place, args), expected, "{args}");
    }
    for (args, at) in [
        (r#"{"pattern":""}"#, "/pattern"),
        (r#"{"pattern":"../*"}"#, "/pattern"),
        (r#"{"pattern":"/etc/*"}"#, "/pattern"),
        (r#"{"pattern":"[z-a]"}"#, "/pattern"),
        (r#"{"pattern":"{a"}"#, "/pattern"),
        (r#"{"pattern":"*","path":"outside"}"#, "/path"),
        (r#"{"pattern":"*","path":"link"}"#, "/path"),
        (r#"{"pattern":"*","path":"keep.log"}"#, "/path"),
        (r#"{"pattern":"*","path":".."}"#, "/path"),
    ] {
        let err = place.call("glob", args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(at)),
            "{args}"
        );
    }
}

fn found(place: &Place, args: &str) -> String {
    let output = place.call("grep", args).unwrap();
    let matches = output.get("matches").unwrap().items().unwrap();
    let texts = |value: &Value, name: &str| -> String {
        let lines = value
            .get(name)
            .and_then(|lines| lines.items())
            .unwrap_or_default();
        lines
            .iter()
            .map(|line| format!("({name} {})", line.as_str().unwrap()))
            .collect()
    };
    let mut lines: Vec<String> = matches
        .iter()
        .map(|line| {
            let number = |name: &str| line.get(name).and_then(Value::as_i64).unwrap();
            format!(
                "{}:{}:{} {}{}",
                line.get("path").unwrap().as_str().unwrap(),
                number("line"),
                number("column"),
                texts(line, "before"),
                texts(line, "after")
            )
            .trim()
            .to_owned()
        })
        .collect();
    for name in ["files_searched", "files_skipped"] {
        let number = output.get(name).and_then(Value::as_i64).unwrap();
        lines.push(number.to_string());
    }
    if output.get("truncated").and_then(Value::as_bool).unwrap() {
        lines.push("...".to_owned());
    }
    lines.join("\n")
}

#[test]
fn grep_finds_lines() {
    let place = project();
    for (args, expected) in [
        (
            r#"{"pattern":"needle"}"#,
            "keep.log:1:1\nsrc/deep/lib.rs:1:8\nsrc/main.rs:2:5\nsrc/main.rs:5:4\nsrc/main.rs:6:1\nutf16:1:1\n10\n1",
        ),
        (
            r#"{"pattern":"NEEDLE","ignore_case":true,"glob":"*.md"}"#,
            "docs/Read.md:1:1\n1\n0",
        ),
        (
            r#"{"pattern":"needle","path":"src/main.rs","before":1,"after":1}"#,
            "src/main.rs:2:5 (before fn main() {)(after })\nsrc/main.rs:5:4 (before )(after needle needle)\nsrc/main.rs:6:1 (before // needle)\n1\n0",
        ),
        (
            r#"{"pattern":"needle","path":"src","max_matches":2}"#,
            "src/deep/lib.rs:1:8\nsrc/main.rs:2:5\n3\n0\n...",
        ),
        (
            r#"{"pattern":"needle()","path":"src","literal":true}"#,
            "src/deep/lib.rs:1:8\nsrc/main.rs:2:5\n3\n0",
        ),
        (
            r#"{"pattern":"^n.*e$","path":"src/main.rs"}"#,
            "src/main.rs:6:1\n1\n0",
        ),
        (
            r#"{"pattern":"\\{\\}$","path":"src/deep"}"#,
            "src/deep/lib.rs:1:17\n1\n0",
        ),
        (r#"{"pattern":"€"}"#, "docs/Read.md:2:8\n10\n1"),
        (
            r#"{"pattern":"needle","path":"src/deep","ignored":true}"#,
            "src/deep/lib.rs:1:8\nsrc/deep/x.tmp:1:1\n2\n0",
        ),
        (r#"{"pattern":"root:"}"#, "10\n1"),
    ] {
        assert_eq!(found(&place, args), expected, "{args}");
    }
    for (args, at) in [
        (r#"{"pattern":""}"#, "/pattern"),
        (r#"{"pattern":"("}"#, "/pattern"),
        (r#"{"pattern":"a\nb"}"#, "/pattern"),
        (r#"{"pattern":"(?:x{1000}){1000}"}"#, "/pattern"),
        (r#"{"pattern":"(a)\\1"}"#, "/pattern"),
        (r#"{"pattern":"x","glob":"[z-a]"}"#, "/glob"),
        (r#"{"pattern":"x","path":"outside"}"#, "/path"),
        (r#"{"pattern":"x","path":"link/main.rs"}"#, "/path"),
    ] {
        let err = place.call("grep", args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(at)),
            "{args}"
        );
        assert!(!err.message().contains('\n'), "{err:?}");
    }
}

#[test]
fn long_lines_are_cut_for_the_answer() {
    let place = Place::new();
    place.put(
        "long",
        format!("{}needle{}\n", "ü".repeat(600), "x".repeat(1 << 20)).as_bytes(),
    );
    let output = place
        .call("grep", r#"{"pattern":"needle","path":"long"}"#)
        .unwrap();
    let line = output.get("matches").unwrap().items().unwrap()[0].clone();
    assert_eq!(line.get("column").and_then(Value::as_i64), Some(1201));
    let text = line.get("text").unwrap();
    assert_eq!(text.as_str().unwrap().chars().count(), 503);
    assert!(text.as_str().unwrap().ends_with("ü..."));
}

#[test]
fn a_search_stops_when_told() {
    let place = project();
    let stop = StopFlag::new();
    stop.cancel();
    let files = Workspace::open(place.folder.path()).unwrap();
    let ctx = Ctx::new(stop, CallBudget::default()).with_capabilities(Capabilities {
        files: Some(Arc::new(files)),
        ..Capabilities::default()
    });
    for (tool, args) in [
        ("grep", r#"{"pattern":"x","path":"src/main.rs"}"#),
        ("read_file", r#"{"path":"notes.txt"}"#),
    ] {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        let err = find(tool).decode(&args).unwrap().run(&ctx).unwrap_err();
        assert_eq!(err.code(), ErrorCode::Cancelled, "{tool}");
    }
}

#[test]
fn facts_of_places() {
    let place = project();
    let facts = |path: &str| {
        let output = place
            .call("stat", &format!(r#"{{"path":"{path}"}}"#))
            .unwrap();
        let member = |name: &str| output.get(name).unwrap().as_str().unwrap().to_owned();
        format!(
            "{} {} {}",
            member("path"),
            member("real_path"),
            member("type")
        )
    };
    assert_eq!(facts("link"), "link src directory");
    assert_eq!(
        facts("link/deep/../main.rs"),
        "link/deep/../main.rs src/main.rs file"
    );
    assert_eq!(facts("."), ". . directory");
    std::fs::hard_link(
        place.folder.path().join("notes.txt"),
        place.folder.path().join("second"),
    )
    .unwrap();
    assert_eq!(facts("second"), "second second file");
    let there = |path: &str| {
        place
            .call("exists", &format!(r#"{{"path":"{path}"}}"#))
            .map(|output| output.get("exists").unwrap().as_bool().unwrap())
    };
    for (path, expected) in [
        ("notes.txt", true),
        ("link/main.rs", true),
        ("src", true),
        ("nothing", false),
        ("notes.txt/x", false),
        ("nothing/x", false),
    ] {
        assert_eq!(there(path).unwrap(), expected, "{path}");
    }
    for path in ["outside/passwd", "../x", "/etc/passwd"] {
        assert_eq!(
            there(path).unwrap_err().reason_str(),
            Some("outside_workspace"),
            "{path}"
        );
    }
    let usage = place.call("disk_usage", r#"{"path":"src"}"#).unwrap();
    let number = |name: &str| usage.get(name).and_then(Value::as_i64).unwrap();
    assert_eq!(
        (number("files"), number("folders"), number("bytes")),
        (4, 1, 11 + 53 + 20 + 7)
    );
    assert!(number("disk_bytes") >= number("free_bytes") && number("free_bytes") > 0);
    let largest = json::to_text(usage.get("largest").unwrap());
    assert_eq!(
        largest,
        r#"[{"path":"src/main.rs","bytes":53},{"path":"src/deep","bytes":27},{"path":"src/.gitignore","bytes":11}]"#
    );
}
