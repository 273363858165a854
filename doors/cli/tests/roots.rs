//! `[workspace] roots`: several folders, each read-only or writable, at the command line.

use std::os::unix::fs::symlink;

use tool_core::Value;

use crate::support::{Answer, Place, root};

/// The first root `here` is written and holds the read-only `here/kept`; `data` is read and `out` written; `elsewhere` is none.
const CONFIG: &str = r#"version = 1
[workspace]
roots = [
    { path = "here", access = "write" },
    { path = "data", access = "read" },
    { path = "out", access = "write" },
    { path = "here/kept", access = "read" },
]
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    for file in [
        "here/f.txt",
        "here/kept/f.txt",
        "data/f.txt",
        "out/f.txt",
        "elsewhere/f.txt",
    ] {
        place.write(file, &format!("in {file}\n"));
    }
    place.write("data/n.csv", "a,b\n1,2\n3,4\n");
    place
}

/// The absolute path of a file of the place.
fn real(place: &Place, name: &str) -> String {
    let work = place.path("work").canonicalize().expect("there");
    work.join(name).display().to_string()
}

/// Calls a tool with everything approved.
fn call(place: &Place, tool: &str, args: &str) -> Answer {
    place.run(&["call", tool, "--yes", "--output", "json"], args)
}

fn reason(answer: &Answer) -> String {
    let json = answer.json();
    let reason = json.pointer("/error/reason");
    reason.map_or_else(
        || "ok".to_owned(),
        |reason| reason.as_str().unwrap_or_default().to_owned(),
    )
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.items().expect("a list").into_iter();
    items
        .map(|item| item.as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn every_reading_tool_reads_every_root() {
    let place = place();
    let data = real(&place, "data");
    for path in ["../data/f.txt", &format!("{data}/f.txt")] {
        let args = format!(r#"{{"path":"{path}"}}"#);
        let read = call(&place, "read_file", &args);
        assert_eq!(
            read.expect_code(0).at("/output/content"),
            "in data/f.txt\n".into(),
            "{path}"
        );
        let stat = call(&place, "stat", &args);
        assert_eq!(
            stat.expect_code(0).at("/output/real_path"),
            format!("{data}/f.txt").into()
        );
    }
    let kept = call(&place, "read_file", r#"{"path":"kept/f.txt"}"#);
    assert_eq!(
        kept.expect_code(0).at("/output/content"),
        "in here/kept/f.txt\n".into()
    );
    let of = |tool: &str, args: String, pointer: &str| {
        call(&place, tool, &args).expect_code(0).at(pointer)
    };
    let found = of(
        "glob",
        format!(r#"{{"path":"{data}","pattern":"*.csv"}}"#),
        "/output/paths",
    );
    assert_eq!(texts(&found), [format!("{data}/n.csv")]);
    let found = of(
        "grep",
        format!(r#"{{"path":"{data}","pattern":"in data"}}"#),
        "/output/count",
    );
    assert_eq!(found, Value::Int(1));
    let found = of(
        "list_directory",
        format!(r#"{{"path":"{data}","recursive":true}}"#),
        "/output/count",
    );
    assert_eq!(found, Value::Int(2));
    let found = of(
        "disk_usage",
        format!(r#"{{"path":"{data}","disk":false}}"#),
        "/output/files",
    );
    assert_eq!(found, Value::Int(2));
    let mean = r#"{"data":{"$file":"../data/n.csv","column":"a"}}"#.to_owned();
    assert_eq!(of("statistics", mean, "/output/mean").as_f64(), Some(2.0));
    // The first root has the files at and below it, the read-only root within it too, and none of another root.
    let found = of(
        "glob",
        r#"{"path":".","pattern":"**/*.txt"}"#.to_owned(),
        "/output/paths",
    );
    assert_eq!(texts(&found), ["f.txt", "kept/f.txt"]);
    let found = of(
        "archive_create",
        format!(r#"{{"path":"../out/a.zip","from":"{data}"}}"#),
        "/output/files",
    );
    assert_eq!(found, Value::Int(2));
}

#[test]
fn nothing_outside_the_roots_is_read_or_written() {
    let place = place();
    symlink("../elsewhere/f.txt", place.path("work/here/link")).expect("links");
    symlink(real(&place, "elsewhere"), place.path("work/data/link")).expect("links");
    let elsewhere = real(&place, "elsewhere/f.txt");
    for path in [
        "../elsewhere/f.txt",
        "../mathchain.toml",
        "../data/../elsewhere/f.txt",
        "../data/link/f.txt",
        "link",
        &elsewhere,
        &real(&place, "data/../elsewhere/f.txt"),
    ] {
        let read = call(&place, "read_file", &format!(r#"{{"path":"{path}"}}"#));
        assert_eq!(reason(&read), "outside_workspace", "{path}");
        let args = format!(r#"{{"path":"{path}","content":"x","mode":"overwrite"}}"#);
        assert_ne!(reason(&call(&place, "write_file", &args)), "ok", "{path}");
    }
    assert_eq!(place.read("elsewhere/f.txt"), "in elsewhere/f.txt\n");
    // What is outside is told with what is inside.
    let refused = call(&place, "read_file", &format!(r#"{{"path":"{elsewhere}"}}"#));
    let hint = refused.at("/error/hint");
    assert!(
        hint.as_str()
            .is_some_and(|hint| hint.contains(&real(&place, "data"))),
        "{hint}"
    );
}

#[test]
fn no_tool_writes_in_a_read_only_root() {
    let place = place();
    call(
        &place,
        "archive_create",
        r#"{"path":"a.zip","from":"f.txt"}"#,
    )
    .expect_code(0);
    let data = real(&place, "data");
    symlink(&data, place.path("work/here/link")).expect("links");
    for (folder, expected) in [
        (data.as_str(), "read_only_root"),
        ("../data", "read_only_root"),
        ("kept", "read_only_root"),
        ("link", "link"),
    ] {
        let patch = |text: &str| format!(r#"{{"patch":"*** Begin Patch\n{text}\n*** End Patch"}}"#);
        let file = match folder {
            "kept" => "here/kept/f.txt",
            _ => "data/f.txt",
        };
        let old = format!("in {file}");
        for (tool, args) in [
            (
                "write_file",
                format!(r#"{{"path":"{folder}/new","content":"x"}}"#),
            ),
            (
                "write_file",
                format!(r#"{{"path":"{folder}/f.txt","content":"x","mode":"append"}}"#),
            ),
            (
                "write_file",
                format!(r#"{{"path":"{folder}/f.txt","content":"x","mode":"overwrite"}}"#),
            ),
            (
                "write_file",
                format!(r#"{{"path":"{folder}/deep/new","content":"x","parents":true}}"#),
            ),
            (
                "edit_file",
                format!(r#"{{"path":"{folder}/f.txt","old_string":"in","new_string":"x"}}"#),
            ),
            ("delete_file", format!(r#"{{"path":"{folder}/f.txt"}}"#)),
            (
                "create_directory",
                format!(r#"{{"path":"{folder}/deep/new"}}"#),
            ),
            (
                "apply_patch",
                patch(&format!(r"*** Add File: {folder}/new\n+x")),
            ),
            (
                "apply_patch",
                patch(&format!(r"*** Delete File: {folder}/f.txt")),
            ),
            (
                "apply_patch",
                patch(&format!(r"*** Update File: {folder}/f.txt\n-{old}\n+x")),
            ),
            (
                "apply_patch",
                patch(&format!(
                    r"*** Update File: f.txt\n*** Move to: {folder}/new\n-in here/f.txt\n+x"
                )),
            ),
            (
                "archive_create",
                format!(r#"{{"path":"{folder}/new.zip","from":"f.txt"}}"#),
            ),
            (
                "archive_extract",
                format!(r#"{{"path":"a.zip","to":"{folder}/new"}}"#),
            ),
            (
                "archive_extract",
                format!(r#"{{"path":"a.zip","to":"{folder}/deep/new"}}"#),
            ),
        ] {
            let refused = call(&place, tool, &args);
            assert_eq!(
                reason(&refused),
                expected,
                "{tool} {args}: {}",
                refused.stdout
            );
        }
    }
    for folder in ["data", "here/kept"] {
        let names = std::fs::read_dir(place.path("work").join(folder)).expect("lists");
        let names: Vec<_> = names.flatten().map(|entry| entry.file_name()).collect();
        let expected = if folder == "data" { 2 } else { 1 };
        assert_eq!(names.len(), expected, "{names:?}");
        let name = format!("{folder}/f.txt");
        assert_eq!(place.read(&name), format!("in {name}\n"));
    }
    assert_eq!(place.read("here/f.txt"), "in here/f.txt\n");
    // Roots themselves are neither deleted nor replaced.
    std::fs::remove_file(place.path("work/here/kept/f.txt")).expect("removes");
    let gone = call(&place, "delete_file", r#"{"path":"kept","kind":"folder"}"#);
    assert_eq!(reason(&gone), "root", "{}", gone.stdout);
    let replaced = call(&place, "archive_extract", r#"{"path":"a.zip","to":"kept"}"#);
    assert_eq!(reason(&replaced), "root", "{}", replaced.stdout);
    // Other roots are written as the first is.
    let written = call(
        &place,
        "write_file",
        r#"{"path":"../out/new","content":"x"}"#,
    );
    assert_eq!(
        written.expect_code(0).at("/output/path"),
        real(&place, "out/new").into()
    );
}

/// No approval could let it through, so none is asked for.
#[test]
fn a_write_that_is_refused_anyway_does_not_ask() {
    let place = place();
    for (path, expected) in [
        ("../data/new", "read_only_root"),
        ("kept/deep/new", "read_only_root"),
        ("mathchain.toml", "protected_path"),
        ("../elsewhere/new", "outside_workspace"),
    ] {
        let args = format!(r#"{{"path":"{path}","content":"x","parents":true}}"#);
        let asked = place.run(&["call", "write_file", "--output", "json"], &args);
        assert_eq!(reason(&asked), expected, "{path}: {}", asked.stdout);
        let plan = format!("version: 1\nsteps: [{{id: w, tool: write_file, args: {args}}}]\n");
        place.write("p.yaml", &plan);
        let checked = place.run(&["plan", "check", "p.yaml"], "");
        assert_eq!(checked.code, 2, "{path}: {}", checked.stdout);
    }
    let asked = place.run(&["call", "write_file"], r#"{"path":"new","content":"x"}"#);
    asked.expect_code(4);
}

#[test]
fn a_session_opens_a_folder_of_any_root() {
    let place = place();
    let data = real(&place, "data");
    let mut session = String::from("{\"type\":\"run.requested\"}\n");
    for (tool, args) in [
        ("workspace_open", format!(r#"{{"path":"{data}"}}"#)),
        ("read_file", format!(r#"{{"path":"{data}/f.txt"}}"#)),
        ("read_file", r#"{"path":"f.txt"}"#.to_owned()),
    ] {
        session += &format!(
            "{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"c{}\",\"tool\":\"{tool}\",\"args\":{args}}}]}}\n",
            session.lines().count()
        );
    }
    let ran = place.run(&["session"], &session);
    let settled = ran
        .stdout
        .lines()
        .filter(|line| line.contains("\"type\":\"batch.settled\""));
    let settled: Vec<&str> = settled.collect();
    for (line, expected) in settled
        .iter()
        .zip([&*data, "in data/f.txt", "outside_folder"])
    {
        assert!(line.contains(expected), "{expected}: {line}");
    }
    assert_eq!(settled.len(), 3, "{}", ran.stderr);
}

#[test]
fn a_plugin_writes_where_tools_may() {
    let place = place();
    std::fs::create_dir_all(place.path("work/plugins/canvas")).expect("makes folders");
    for entry in std::fs::read_dir(root().join("plugins/canvas"))
        .expect("lists")
        .flatten()
    {
        let to = place.path("work/plugins/canvas").join(entry.file_name());
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to).expect("copies");
        }
    }
    let plan = r#"{"version":1,"id":"p","steps":[{"id":"a","tool":"calculate","args":{"expression":"1"}}],"outputs":{"o":{"$ref":"a.value"}}}"#;
    let export = |path: &str| {
        let args = format!(r#"{{"plan":{plan},"path":"{path}"}}"#);
        call(&place, "canvas:export_reasoning_canvas", &args)
    };
    for path in ["../data/p.canvas", "kept/p.canvas"] {
        assert_eq!(reason(&export(path)), "read_only_root", "{path}");
    }
    assert_eq!(
        reason(&export("../elsewhere/p.canvas")),
        "outside_workspace"
    );
    export("../out/p.canvas").expect_code(0);
    assert!(place.path("work/out/p.canvas").exists());
    assert!(!place.path("work/data/p.canvas").exists());
}

#[test]
fn programs_read_every_root_and_write_none() {
    let place = place();
    let (data, out) = (real(&place, "data"), real(&place, "out"));
    let shell = |script: &str, cwd: &str| {
        let args = format!(r#"{{"argv":["sh","-c","{script}"],"cwd":"{cwd}"}}"#);
        call(&place, "run_shell", &args)
    };
    let read = shell(
        &format!("cat f.txt kept/f.txt {data}/f.txt {out}/f.txt"),
        ".",
    );
    let expected = "in here/f.txt\nin here/kept/f.txt\nin data/f.txt\nin out/f.txt\n";
    assert_eq!(read.expect_code(0).at("/output/stdout"), expected.into());
    assert_eq!(
        shell("cat f.txt", &data)
            .expect_code(0)
            .at("/output/stdout"),
        "in data/f.txt\n".into()
    );
    for folder in [".", &data, &out] {
        let wrote = shell("echo x > new || echo refused", folder);
        assert_eq!(wrote.at("/output/stdout"), "refused\n".into(), "{folder}");
    }
    let elsewhere = real(&place, "elsewhere/f.txt");
    let read = shell(&format!("cat {elsewhere} || echo refused"), ".");
    assert_eq!(read.at("/output/stdout"), "refused\n".into());
}

/// Paths of rules are relative to the first root, or places in the others.
#[test]
fn rules_on_paths_mean_the_same_in_every_root() {
    let place = place();
    let rule = |under: &str, decision: &str| {
        format!(
            "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"write_file\"], path = {{ under = \"{under}\" }} }}\ndecision = \"{decision}\"\n"
        )
    };
    let out = real(&place, "out");
    let write = |path: &str| {
        let args = format!(r#"{{"path":"{path}","content":"x","mode":"append"}}"#);
        let answer = place
            .run(&["call", "write_file", "--output", "json"], &args)
            .json();
        let said = answer
            .pointer("/error/code")
            .or_else(|| answer.get("status").cloned());
        said.expect("a status").as_str().expect("a text").to_owned()
    };
    for (under, decision, results) in [
        // `f.txt`, its absolute path, and `out/f.txt` as a path relative to the first root and as an absolute one
        (
            ".",
            "allow",
            ["success", "success", "pending_approval", "pending_approval"],
        ),
        (
            "../out",
            "allow",
            ["pending_approval", "pending_approval", "success", "success"],
        ),
        (
            &out,
            "allow",
            ["pending_approval", "pending_approval", "success", "success"],
        ),
        (
            &real(&place, "here"),
            "allow",
            ["success", "success", "pending_approval", "pending_approval"],
        ),
        (
            ".",
            "deny",
            [
                "policy_denied",
                "policy_denied",
                "pending_approval",
                "pending_approval",
            ],
        ),
        (
            "../out",
            "deny",
            [
                "pending_approval",
                "pending_approval",
                "policy_denied",
                "policy_denied",
            ],
        ),
        ("out", "deny", ["pending_approval"; 4]),
    ] {
        place.write(
            "mathchain.toml",
            &format!("{CONFIG}{}", rule(under, decision)),
        );
        let absolute = real(&place, "here/f.txt");
        let found = ["f.txt", &absolute, "../out/f.txt", &format!("{out}/f.txt")].map(write);
        assert_eq!(found, results, "{decision} under {under}");
    }
    // A link is judged by its target, also in another root.
    symlink("../data", place.path("work/here/link")).expect("links");
    let deny = rule("../data", "deny").replace("write_file", "read_file");
    place.write("mathchain.toml", &format!("{CONFIG}{deny}"));
    let read = call(&place, "read_file", r#"{"path":"link/f.txt"}"#);
    assert_eq!(read.at("/error/code"), "policy_denied".into());
    let file = call(
        &place,
        "statistics",
        r#"{"data":{"$file":"link/n.csv","column":"a"}}"#,
    );
    assert_eq!(file.at("/error/code"), "policy_denied".into());
    place.write("mathchain.toml", CONFIG);
    let read = call(&place, "read_file", r#"{"path":"link/f.txt"}"#);
    assert_eq!(
        read.expect_code(0).at("/output/content"),
        "in data/f.txt\n".into()
    );
    for under in ["../elsewhere", "/etc", "../here-more"] {
        place.write(
            "mathchain.toml",
            &format!("{CONFIG}{}", rule(under, "deny")),
        );
        let refused = place.run(&["check"], "");
        assert!(
            refused
                .expect_code(2)
                .stderr
                .contains("a path inside the workspace"),
            "{}",
            refused.stderr
        );
    }
}

#[test]
fn approvals_and_runs_belong_to_the_set_of_roots() {
    let place = place();
    let wider = CONFIG.replace("\"out\", access = \"write\"", "\"out\", access = \"read\"");
    let more = CONFIG.replace(
        "    { path = \"out\"",
        "    { path = \"elsewhere\", access = \"read\" },\n    { path = \"out\"",
    );
    let moved = {
        let (data, out) = (
            "    { path = \"data\", access = \"read\" },\n",
            "    { path = \"out\", access = \"write\" },\n",
        );
        CONFIG.replace(&format!("{data}{out}"), &format!("{out}{data}"))
    };
    assert!(wider != CONFIG && more != CONFIG && moved != CONFIG);
    let args = r#"{"path":"new.txt","content":"x"}"#;
    let ask = || place.run(&["call", "write_file", "--output", "json"], args);
    let id = |answer: &Answer| {
        let id = answer.expect_code(4).at("/metadata/approval_id");
        id.as_str().expect("a text").to_owned()
    };
    let first = id(&ask());
    place.run(&["approve", &first], "").expect_code(0);
    for config in [&wider, &more] {
        place.write("mathchain.toml", config);
        assert_ne!(id(&ask()), first);
    }
    // The order of the others says nothing.
    place.write("mathchain.toml", &moved);
    ask().expect_code(0);

    place.write(
        "p.yaml",
        "version: 1\nsteps: [{id: w, tool: write_file, args: {path: made.txt, content: x}}]\n",
    );
    let suspended = place.run(&["run", "p.yaml", "--output", "json"], "");
    let run = suspended.expect_code(4).at("/metadata/chain_id");
    let run = run.as_str().expect("a text");
    place.run(&["approve", &id(&suspended)], "").expect_code(0);
    place.write("mathchain.toml", &more);
    let refused = place.run(&["runs", "resume", run], "");
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("its other roots were"),
        "{}",
        refused.stderr
    );
    place.write("mathchain.toml", CONFIG);
    place.run(&["runs", "resume", run], "").expect_code(0);
    assert_eq!(place.read("here/made.txt"), "x");
}

#[test]
fn roots_that_cannot_be_are_errors_with_their_place() {
    let place = place();
    let with = |roots: &str| format!("version = 1\n[workspace]\n{roots}\n");
    for (text, expected) in [
        (
            "root = \".\"\nroots = [{ path = \"data\", access = \"read\" }]",
            "`root` and `roots` are both set",
        ),
        ("roots = []", "`roots` lists no folder"),
        (
            "roots = [{ path = \"\", access = \"read\" }]",
            "expected the path of a folder",
        ),
        ("roots = [{ path = \"data\" }]", "access"),
        ("roots = [{ path = \"data\", access = \"both\" }]", "both"),
        (
            "roots = [{ path = \"data\", access = \"read\", name = \"d\" }]",
            "`name`",
        ),
    ] {
        place.write("mathchain.toml", &with(text));
        let refused = place.run(&["check"], "");
        assert!(
            refused.expect_code(2).stderr.contains(expected),
            "{}",
            refused.stderr
        );
        assert!(
            refused.stderr.contains("mathchain.toml:"),
            "{}",
            refused.stderr
        );
    }
    symlink("data", place.path("work/alias")).expect("links");
    for (text, expected) in [
        (
            "roots = [{ path = \"here\", access = \"write\" }, { path = \"none\", access = \"read\" }]",
            "cannot be opened",
        ),
        (
            "roots = [{ path = \"here\", access = \"write\" }, { path = \"data/f.txt\", access = \"read\" }]",
            "cannot be opened",
        ),
        (
            "roots = [{ path = \"data\", access = \"read\" }, { path = \"alias\", access = \"write\" }]",
            "given twice",
        ),
        (
            "roots = [{ path = \"here\", access = \"write\" }, { path = \".\", access = \"read\" }]",
            "name the outer one first",
        ),
        (
            "roots = [{ path = \"here\", access = \"write\" }, { path = \"/\", access = \"read\" }]",
            "it contains the others",
        ),
    ] {
        place.write("mathchain.toml", &with(text));
        for command in [&["check"][..], &["call", "calculate", "--expression", "1"]] {
            let refused = place.run(command, "");
            assert_ne!(refused.code, 0);
            let said = refused.stderr.clone() + &refused.stdout;
            assert!(said.contains(expected), "{expected}: {said}");
        }
    }
}

/// The folder named at the command line is the only root.
#[test]
fn a_folder_of_the_command_line_replaces_all_roots() {
    let place = place();
    let read = |path: &str| {
        let args = format!(r#"{{"path":"{path}"}}"#);
        reason(&place.run(
            &[
                "call",
                "read_file",
                "--workspace",
                "data",
                "--output",
                "json",
            ],
            &args,
        ))
    };
    assert_eq!(read("f.txt"), "ok");
    assert_eq!(read("../here/f.txt"), "outside_workspace");
    let args = r#"{"path":"new","content":"x"}"#;
    let flags = [
        "call",
        "write_file",
        "--workspace",
        "data",
        "--yes",
        "--output",
        "json",
    ];
    place.run(&flags, args).expect_code(0);
}

/// The owner of a root says nothing: the kernel decides what this user may read and write in it.
#[test]
fn a_root_of_another_user_is_used_as_the_kernel_allows() {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let place = place();
    if place.path("work").metadata().expect("there").uid() != 0 {
        return; // only root gives files away
    }
    for folder in ["data", "out"] {
        chown(place.path("work").join(folder), Some(12345), Some(12345)).expect("gives away");
    }
    let read = call(&place, "read_file", r#"{"path":"../data/f.txt"}"#);
    read.expect_code(0);
    let written = call(
        &place,
        "write_file",
        r#"{"path":"../out/new","content":"x"}"#,
    );
    written.expect_code(0);
    let refused = call(
        &place,
        "write_file",
        r#"{"path":"../data/new","content":"x"}"#,
    );
    assert_eq!(reason(&refused), "read_only_root");
}
