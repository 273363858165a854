//! Plugins through the binary: loaded, sandboxed, switched, and read again while calls run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tool_core::Value;

use crate::support::{Answer, Place, Served, asking_json, root};

/// The `plugins` of the repository, in a folder of its own.
fn shipped() -> Place {
    let place = Place::new();
    for name in ["canvas", "example"] {
        for file in std::fs::read_dir(root().join("plugins").join(name)).expect("lists") {
            let file = file.expect("an entry").path();
            if file.is_file() {
                place.write(
                    &format!(
                        "plugins/{name}/{}",
                        file.file_name().expect("a name").to_string_lossy()
                    ),
                    &text(&file),
                );
            }
        }
    }
    place
}

#[expect(clippy::disallowed_methods, reason = "a test reads its own files")]
fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("reads")
}

/// Answers `version` with what its code says, `slow` after a while with the same, `env` with what it sees.
const CODE: &str = r#"
import json, os, sys, time
VERSION = @
def say(**message):
    print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1)
    elif message["type"] == "call":
        tool = message["tool"]
        if tool == "slow":
            open(os.environ["HOME"] + "/began", "w").close()
            time.sleep(1.5)
        if tool == "env":
            seen = {"environ": dict(os.environ)}
            for path in ["/proc/1/environ", "/proc/self/environ", "/etc/shadow", message["args"]["path"]]:
                try:
                    seen[path] = open(path, "rb").read().decode("latin-1")
                except OSError as error:
                    seen[path] = type(error).__name__
            say(type="result", id=message["id"], output=seen)
        elif tool == "crash":
            print("it hurts", file=sys.stderr, flush=True)
            os._exit(7)
        elif tool == "hang":
            time.sleep(60)
        else:
            say(type="result", id=message["id"], output={"version": VERSION})
"#;

const MANIFEST: &str = r#"{"schema_version": "1.0", "name": "demo", "version": "1.0.0", "description": "d", "command": ["python3", "./plugin.py"],
 "concurrency": 1, "tools": [
 {"name": "version", "description": "d", "category": "data", "effects": []},
 {"name": "slow", "description": "d", "effects": [], "command": ["python3", "-B", "./plugin.py"]},
 {"name": "crash", "description": "d", "effects": []},
 {"name": "hang", "description": "d", "effects": [], "timeout": 0.5},
 {"name": "env", "description": "d", "effects": [], "parameters": {"path": {"type": "string", "required": true}}}]}"#;

fn demo() -> Place {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"reload_plugins\"] }\ndecision = \"allow\"\n");
    place.write("plugins/demo/manifest.json", MANIFEST);
    replace(&place, "plugins/demo/plugin.py", &CODE.replace('@', "1"));
    place
}

/// Puts a file in place at once, as an editor should.
fn replace(place: &Place, name: &str, content: &str) {
    place.write("draft", content);
    std::fs::rename(place.path("work/draft"), place.path("work").join(name))
        .unwrap_or_else(|_| place.write(name, content));
    place.trust(&[]);
}

#[test]
fn a_clean_clone_lists_its_plugins_and_calls_them() {
    let place = Place::new();
    let run = |args: &[&str]| {
        Answer::of(
            &place
                .command(&asking_json(args))
                .current_dir(root())
                .stdin(Stdio::null())
                .output()
                .expect("runs"),
        )
    };
    // Of a stranger's they are shown, and none is called before the user agreed.
    assert_ne!(run(&["call", "example:word_count", "--text", "a"]).code, 0);
    run(&["trust", "--yes"]).expect_code(0);
    let listed = run(&["plugins", "list"]);
    let names: Vec<Value> = listed
        .expect_code(0)
        .json()
        .items()
        .expect("a list")
        .iter()
        .map(|one| one.get("name").cloned().expect("a name"))
        .collect();
    assert_eq!(names, [Value::from("canvas"), Value::from("example")]);
    let called = run(&["call", "canvas:list_canvases", "--folder", "examples"]);
    assert_eq!(
        called.expect_code(0).at("/output/truncated"),
        Value::Bool(false)
    );
    let source = run(&["audit", "list"]);
    assert!(
        source.stdout.contains("plugin canvas@1.0.0 "),
        "{}",
        source.stdout
    );
    run(&["plugins", "check"]).expect_code(0);
}

#[test]
fn the_example_counts_words_and_checks_its_arguments() {
    let place = shipped();
    let called = place.run(
        &["call", "example:word_count", "--text", "the cat the Dog"],
        "",
    );
    assert_eq!(
        called.expect_code(0).at("/output").to_string(),
        r#"{"counts":{"cat":1,"dog":1,"the":2},"words":4}"#
    );
    assert_eq!(called.at("/side_effects_declared").to_string(), "[]");
    place.write(
        "plugin-settings/example.json",
        r#"{"custom_config": {"least": 2}}"#,
    );
    let called = place.run(
        &["call", "example_word_count"],
        r#"{"text": "The the cat", "fold_case": false}"#,
    );
    assert_eq!(
        called.expect_code(0).at("/output").to_string(),
        r#"{"counts":{},"words":3}"#
    );
    let wrong = place.run(
        &["call", "example:word_count"],
        r#"{"text": 1, "fold": true}"#,
    );
    assert_eq!(
        wrong
            .expect_code(2)
            .at("/error/problems")
            .items()
            .expect("a list")
            .len(),
        2
    );
    place
        .run(&["call", "example:word_count", "--help"], "")
        .expect_code(0);
    place
        .run(&["tools", "show", "example:word_count"], "")
        .expect_code(0);
}

/// Case R66: a template; here it works.
#[test]
fn a_new_plugin_works_and_takes_no_name_that_is_there() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let made = place.run(&["plugins", "new", "mine"], "");
    let files = made.expect_code(0).at("/files");
    assert_eq!(files.items().expect("a list").len(), 2);
    let manifest = mathchain::parse_json(&place.read("plugins/mine/manifest.json")).expect("JSON");
    for (key, value) in [
        ("name", "mine"),
        ("schema_version", "1.0"),
        ("version", "1.0.0"),
    ] {
        assert_eq!(manifest.get(key), Some(&Value::from(value)));
    }
    place.run(&["plugins", "check"], "").expect_code(0);
    let called = place.run(
        &["call", "mine:word_count", "--text", "to be or not to be"],
        "",
    );
    assert_eq!(called.expect_code(0).at("/output/words"), Value::Int(6));
    let again = place.run(&["plugins", "new", "mine"], "");
    assert!(
        again.expect_code(1).stderr.contains(" exists"),
        "{}",
        again.stderr
    );
    for (name, expected) in [
        ("Mine", "[a-z][a-z0-9_]*"),
        ("../up", "[a-z][a-z0-9_]*"),
        ("group", "a name that selectors do not use"),
        (&"m".repeat(40), "at most 47 characters together"),
    ] {
        let refused = place.run(&["plugins", "new", name], "");
        assert!(
            refused.expect_code(2).stderr.contains(expected),
            "{}",
            refused.stderr
        );
    }
    assert_eq!(
        std::fs::read_dir(place.path("work/plugins"))
            .expect("lists")
            .count(),
        1
    );
}

#[test]
fn a_plan_goes_to_a_canvas_and_back() {
    let place = shipped();
    let plan = r#"{"version":1,"id":"p","steps":[{"id":"a","tool":"calculate","args":{"expression":"1+1"}},
      {"id":"b","tool":"calculate","args":{"expression":"2","x":{"$ref":"a.value"}}},
      {"id":"c","tool":"calculate","args":{"expression":"3"},"after":["a"]}],"outputs":{"o":{"$ref":"a.value"}}}"#;
    let result = r#"{"output":{"steps":[{"id":"a","status":"success"},{"id":"b","status":"error","error":{"message":"too big"}}]}}"#;
    let args = format!(r#"{{"plan":{plan},"result":{result},"path":"out/plan.canvas"}}"#);
    // It writes, so it asks; nothing is written before the answer.
    let asks = place.run(&["call", "canvas:export_reasoning_canvas"], &args);
    asks.expect_code(4);
    assert!(!place.path("work/out").exists());
    let id = asks.at("/metadata/approval_id");
    place
        .run(&["approve", id.as_str().expect("a text")], "")
        .expect_code(0);
    let written = place.run(&["call", "canvas:export_reasoning_canvas"], &args);
    assert_eq!(written.expect_code(0).at("/output/nodes"), Value::Int(4));
    assert_eq!(
        written.at("/output/files/0/path"),
        Value::from("out/plan.canvas")
    );
    let canvas = mathchain::parse_json(&place.read("out/plan.canvas")).expect("JSON");
    let edges = canvas.get("edges").and_then(Value::items).expect("a list");
    let labels: Vec<String> = edges
        .iter()
        .map(|edge| {
            format!(
                "{}>{} {}",
                edge.get("fromNode").unwrap(),
                edge.get("toNode").unwrap(),
                edge.get("label").unwrap()
            )
        })
        .collect();
    assert_eq!(
        labels,
        [
            r#""step-a">"step-b" "data""#,
            r#""step-a">"step-c" "after""#
        ]
    );
    assert!(canvas.to_string().contains("too big"));

    let listed = place.run(&["call", "canvas:list_canvases"], "{}");
    assert_eq!(
        listed.expect_code(0).at("/output/canvases").to_string(),
        r#"[{"path":"out/plan.canvas","nodes":4,"edges":2,"steps":3}]"#
    );
    let import = format!(r#"{{"path":"out/plan.canvas","plan":{plan}}}"#);
    let back = place.run(&["call", "canvas:import_canvas_edits"], &import);
    assert_eq!(
        back.expect_code(0).at("/output/plan"),
        mathchain::parse_json(plan).expect("JSON")
    );
    assert_eq!(back.at("/output/changed").to_string(), "[]");

    // A person edits: an argument, a note, an arrow from b to c, and takes `a` away from nothing.
    let edited = place
        .read("out/plan.canvas")
        .replace("\\\"1+1\\\"", "\\\"1+2\\\"");
    let edited = edited.replacen("\"nodes\": [", "\"nodes\": [{\"id\":\"n\",\"type\":\"text\",\"x\":0,\"y\":0,\"width\":9,\"height\":9,\"text\":\"why?\"},", 1);
    let edited = edited.replacen(
        "\"edges\": [",
        "\"edges\": [{\"id\":\"e\",\"fromNode\":\"step-b\",\"toNode\":\"step-c\"},",
        1,
    );
    place.write("edited.canvas", &edited);
    let back = place.run(
        &["call", "canvas:import_canvas_edits"],
        &import.replace("out/plan", "edited"),
    );
    assert_eq!(
        back.expect_code(0).at("/output/changed").to_string(),
        r#"["a","c"]"#
    );
    assert_eq!(back.at("/output/notes").to_string(), r#"["why?"]"#);
    assert_eq!(
        back.at("/output/plan/steps/2/after").to_string(),
        r#"["b","a"]"#
    );
    // Nothing is written over, and what is no canvas is said to be none.
    let again = place.run(
        &[
            "call",
            "canvas:export_reasoning_canvas",
            "--yes",
            "--arg",
            &format!("plan={plan}"),
            "--arg",
            "path=out/plan.canvas",
        ],
        "",
    );
    assert_eq!(
        again.expect_code(1).at("/error/code"),
        Value::from("conflict")
    );
    place.write("bad.canvas", "{\"nodes\": 1}");
    let bad = place.run(
        &["call", "canvas:import_canvas_edits", "--path", "bad.canvas"],
        "",
    );
    assert_eq!(bad.expect_code(2).at("/error/path"), Value::from("/path"));
    let out = place.run(
        &[
            "call",
            "canvas:import_canvas_edits",
            "--path",
            "../../etc/passwd",
        ],
        "",
    );
    assert_ne!(out.code, 0);
}

#[test]
fn broken_plugins_are_named_and_switches_hold_at_once() {
    let place = demo();
    place.run(&["call", "demo:version"], "{}").expect_code(0);
    let off = place.run(&["plugins", "disable", "demo:version"], "");
    off.expect_code(0);
    let refused = place.run(&["call", "demo:version"], "{}");
    assert_eq!(
        refused.expect_code(1).at("/error/code"),
        Value::from("precondition_failed")
    );
    assert!(
        refused.stdout.contains("tool demo:version=enabled")
            && refused.stdout.contains("mathchain plugins enable"),
        "{}",
        refused.stdout
    );
    place
        .run(&["plugins", "enable", "demo:version"], "")
        .expect_code(0);
    place.run(&["call", "demo:version"], "{}").expect_code(0);
    place
        .run(&["plugins", "disable", "demo"], "")
        .expect_code(0);
    place.run(&["call", "demo:version"], "{}").expect_code(1);
    assert_eq!(
        place
            .run(&["plugins", "list"], "")
            .expect_code(0)
            .at("/0/status"),
        Value::from("disabled")
    );
    assert!(
        place
            .read("plugin-settings/demo.json")
            .contains("\"enabled\": false")
    );
    place.run(&["plugins", "enable", "demo"], "").expect_code(0);
    assert!(
        place
            .run(&["plugins", "disable", "dmo"], "")
            .expect_code(2)
            .stderr
            .contains("did you mean `demo`?")
    );
    // A tool cannot switch itself on: neither manifest nor settings are ever written by one.
    for path in [
        "plugins/demo/plugin.py",
        "plugin-settings/demo.json",
        "plugins/new/manifest.json",
    ] {
        let write = place.run(
            &[
                "call",
                "write_file",
                "--path",
                path,
                "--content",
                "x",
                "--yes",
            ],
            "",
        );
        assert_ne!(write.code, 0, "{path}");
    }
    place.write(
        "plugins/demo/manifest.json",
        &MANIFEST.replace("\"concurrency\"", "\n \"concurency\""),
    );
    // It is listed with what is wrong; `check` is strict.
    let listed = place.run(&["plugins", "list"], "");
    let listed = &listed.expect_code(0).stdout;
    let strict = place.run(&["check"], "");
    for told in [listed, &strict.expect_code(2).stderr] {
        let wrong = "manifest.json:3:2: unknown key `concurency`";
        assert!(told.contains(wrong), "{told}");
        assert!(told.contains("did you mean `concurrency`?"), "{told}");
    }
    // `plugins check` names the key of a fault.
    let checked = place.run_as_typed(&["plugins", "check"], "");
    assert!(
        checked
            .expect_code(1)
            .stdout
            .contains("unknown key `concurency` (at `/concurency`)"),
        "{}",
        checked.stdout
    );
}

#[test]
fn a_plugin_sees_nothing_of_the_machine() {
    const SECRET: &str = "canary-71c4";
    let place = demo();
    place.write("notes.txt", SECRET);
    let path = place.path("work/notes.txt");
    let argument = format!("path={}", path.display());
    let mut command = place.command(&["call", "demo:env", "--arg", &argument]);
    command.env("SECRET_TOKEN", SECRET).stdin(Stdio::null());
    let answer = Answer::of(&command.output().expect("runs"));
    answer.expect_code(0);
    assert!(
        !answer.stdout.contains(SECRET) && !answer.stderr.contains(SECRET),
        "{}",
        answer.stdout
    );
    let names: BTreeSet<String> = answer
        .at("/output/environ")
        .as_object()
        .expect("an object")
        .iter()
        .map(|(name, _)| name.to_owned())
        .collect();
    let known = ["HOME", "LANG", "LC_CTYPE", "PATH", "TMPDIR"];
    assert!(
        names.iter().all(|name| known.contains(&name.as_str())),
        "{names:?}"
    );
    // The workspace is for plugins that ask for it.
    assert!(
        answer
            .stdout
            .contains(&format!("{}\":\"PermissionError\"", path.display()))
            || answer
                .stdout
                .contains(&format!("{}\":\"FileNotFoundError\"", path.display())),
        "{}",
        answer.stdout
    );
}

#[test]
fn crashes_and_deadlines_are_typed() {
    let place = demo();
    let crash = place.run(&["call", "demo:crash"], "{}");
    assert_eq!(
        crash.expect_code(1).at("/error/reason"),
        Value::from("plugin_crashed")
    );
    assert!(
        crash
            .at("/error/message")
            .to_string()
            .contains("ended with status 7 during a call: it hurts")
    );
    place.run(&["call", "demo:hang"], "{}").expect_code(5);
}

fn code(answer: &Value) -> Option<String> {
    Some(answer.pointer("/error/code")?.as_str()?.to_owned())
}

/// P16, R68: no call is lost, and each sees one generation: what ran is what the audit says.
#[test]
fn a_reload_under_load_loses_no_call() {
    let place = demo();
    let mut served = Served::start(&place, &["--workers", "4"]);
    let mut versions = BTreeMap::new();
    let mut open = 0;
    for version in 1..=4 {
        replace(
            &place,
            "plugins/demo/plugin.py",
            &CODE.replace('@', &version.to_string()),
        );
        let begun = Instant::now();
        while !versions.contains_key(&version) {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "version {version} never came"
            );
            served.send("demo:version");
            open += 1;
            while open > 8 {
                let answer = served.answer();
                open -= 1;
                let seen = answer
                    .pointer("/output/version")
                    .unwrap_or_else(|| panic!("lost: {answer}"));
                *versions
                    .entry(seen.as_i64().expect("a number"))
                    .or_insert(0) += 1;
            }
        }
    }
    for _ in 0..open {
        let answer = served.answer();
        assert!(
            answer.pointer("/output/version").is_some(),
            "lost: {answer}"
        );
    }
    let sent = served.sent;
    served.end();
    assert_eq!(versions.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
    let mut pairs = BTreeMap::new();
    let mut records = 0;
    let export = place.run(&["audit", "export"], "");
    for line in export.expect_code(0).stdout.lines() {
        let record = mathchain::parse_json(line).expect("JSON");
        let record = record.get("record").cloned().unwrap_or(record);
        if record.get("status").and_then(Value::as_str) != Some("success") {
            continue;
        }
        let of = |key: &str| {
            record
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_else(|| panic!("no {key} in {record}"))
                .to_owned()
        };
        records += 1;
        pairs
            .entry(of("source"))
            .or_insert_with(BTreeSet::new)
            .insert(of("output_digest"));
    }
    assert_eq!(records, sent);
    assert_eq!(pairs.len(), 4, "{pairs:?}");
    assert!(
        pairs.values().all(|outputs| outputs.len() == 1),
        "{pairs:?}"
    );
}

#[test]
fn edits_deletions_and_new_folders_are_taken_up_and_broken_ones_not() {
    let place = demo();
    let mut served = Served::start(&place, &["--workers", "4"]);
    let version = |wanted: i64| {
        move |answer: &Value| answer.pointer("/output/version") == Some(Value::Int(wanted))
    };
    served.until("demo:version", version(1));
    // A call that runs ends on the version it began with, another sees the new one meanwhile.
    let slow = served.send("demo:slow");
    std::thread::sleep(Duration::from_millis(700));
    replace(&place, "plugins/demo/plugin.py", &CODE.replace('@', "2"));
    let begun = Instant::now();
    let mut slow_answer = None;
    loop {
        served.send("demo:version");
        let answer = served.answer();
        if answer.get("id") == Some(&Value::Int(slow)) {
            slow_answer = Some(answer);
        } else if version(2)(&answer) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    // Answers that are still on their way, the slow one among them.
    while slow_answer.is_none() {
        let answer = served.answer();
        if answer.get("id") == Some(&Value::Int(slow)) {
            slow_answer = Some(answer);
        }
    }
    let slow_answer = slow_answer.expect("an answer");
    assert!(version(1)(&slow_answer), "{slow_answer}");
    while served
        .answers
        .recv_timeout(Duration::from_millis(300))
        .is_ok()
    {}

    replace(&place, "plugins/demo/manifest.json", "{\"name\": ");
    served.wait_told("not reloaded");
    served.until("demo:version", version(2));
    replace(
        &place,
        "plugins/demo/manifest.json",
        &MANIFEST.replace("\"version\": \"1.0.0\"", "\"version\": \"2.0.0\""),
    );
    served.until("reload_plugins", |answer| {
        answer.pointer("/output/generation").is_some()
    });
    place.write(
        "plugin-settings/demo.json",
        r#"{"tool_overrides": {"version": {"enabled": false}}}"#,
    );
    served.until("demo:version", |answer| {
        code(answer).as_deref() == Some("precondition_failed")
    });
    place.write("plugin-settings/demo.json", "{}");
    served.until("demo:version", version(2));
    place.write("plugins/later/plugin.py", &CODE.replace('@', "9"));
    replace(
        &place,
        "plugins/later/manifest.json",
        &MANIFEST.replace("\"demo\"", "\"later\""),
    );
    served.until("later:version", version(9));
    std::fs::remove_dir_all(place.path("work/plugins/later")).expect("removes");
    served.until("later:version", |answer| {
        code(answer).as_deref() == Some("unknown_tool")
    });
    served.until("demo:version", version(2));
    served.end();
}

/// What is switched off or removed stops at once, even while a broken configuration keeps everything from being read again.
#[test]
fn a_broken_neighbour_keeps_nothing_running_that_was_withdrawn() {
    let place = demo();
    place.write("plugins/other/plugin.py", &CODE.replace('@', "5"));
    let other = MANIFEST.replace("\"demo\"", "\"other\"");
    place.write("plugins/other/manifest.json", &other);
    let mut served = Served::start(&place, &["--workers", "4"]);
    for tool in ["demo:version", "other:version"] {
        served.until(tool, |answer| answer.pointer("/output/version").is_some());
    }
    // A plugin that cannot be read is listed and keeps nothing else back; a configuration that cannot be read does.
    place.write("plugins/broken/manifest.json", "{");
    served.wait_told("broken");
    let configuration = place.read("mathchain.toml");
    place.replace("mathchain.toml", "version = ");
    served.wait_told("not reloaded");
    let closed =
        |answer: &Value| answer.pointer("/error/reason") == Some(Value::from("plugin_closed"));
    place.write("plugin-settings/demo.json", r#"{"enabled": false}"#);
    served.until("demo:version", closed);
    std::fs::remove_dir_all(place.path("work/plugins/other")).expect("removes");
    served.until("other:version", closed);
    // Mended, everything is as the files say.
    std::fs::remove_dir_all(place.path("work/plugins/broken")).expect("removes");
    place.replace("mathchain.toml", &configuration);
    place.write("plugin-settings/demo.json", "{}");
    served.until("demo:version", |answer| {
        answer.pointer("/output/version") == Some(Value::Int(1))
    });
    served.until("other:version", |answer| {
        code(answer).as_deref() == Some("unknown_tool")
    });
    served.end();
}
