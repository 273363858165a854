mod changing;
mod finding;
mod looking;
mod reading;
mod tables;

use std::fs::File;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use tool_core::schema;
use tool_core::{
    AnyTool, CallBudget, Capabilities, Capability, Ctx, ErrorCode, StopFlag, ToolError, Value, json,
};

use super::TOOLS;
use host_sandbox::Workspace;

/// A workspace with the files that the examples name.
struct Place {
    folder: TempDir,
    ctx: Ctx,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = Self {
            ctx: ctx(&folder),
            folder,
        };
        std::fs::create_dir(place.folder.path().join("data")).unwrap();
        place.put("notes.txt", b"hello world\n");
        place.put("data/a.csv", b"1,2\n3\n");
        place.put("data/b.txt", b"x\n");
        place
    }

    fn put(&self, path: &str, content: &[u8]) {
        let mut file = File::create(self.folder.path().join(path)).unwrap();
        file.write_all(content).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        file.set_modified(then).unwrap();
    }

    fn content(&self, path: &str) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut file = File::open(self.folder.path().join(path)).unwrap();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        bytes
    }

    fn call(&self, tool: &str, args: &str) -> Result<Value, ToolError> {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        find(tool).decode(&args)?.run(&self.ctx)
    }

    fn text(&self, tool: &str, args: &str, member: &str) -> String {
        let output = self.call(tool, args).unwrap();
        output
            .get(member)
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    }
}

fn ctx(folder: &TempDir) -> Ctx {
    let files = Workspace::open(folder.path()).unwrap();
    Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        files: Some(Arc::new(files)),
        clock: Some(fakes::TestClock::at(1_700_000_000_000)),
        state: Some(Arc::new(fakes::MemoryState::default())),
        ..Capabilities::default()
    })
}

fn find(id: &str) -> &'static dyn AnyTool {
    TOOLS
        .iter()
        .map(|entry| entry.tool())
        .find(|tool| tool.spec().id == id)
        .unwrap()
}

fn reach_is_destructive(args: &str) -> bool {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    find("write_file")
        .decode(&args)
        .unwrap()
        .reach()
        .destructive
}

/// Every example of every tool, each in a fresh workspace, gives what it says.
#[test]
fn examples_give_what_they_say() {
    for entry in TOOLS {
        let tool = entry.tool();
        assert_eq!(tool.spec().fault(), None);
        assert!(!tool.description().is_empty());
        for (side, document) in [
            ("argument", tool.input_schema()),
            ("result", tool.output_schema()),
        ] {
            for (name, property) in document["properties"].as_object().into_iter().flatten() {
                assert!(
                    property["description"].is_string(),
                    "{side} `{name}` of `{}`",
                    tool.spec().id
                );
            }
        }
        let examples = tool.examples();
        assert!(!examples.is_empty());
        // Those need the launcher, which this test program is not: `tests/code` runs them.
        if tool.spec().capabilities.contains(&Capability::Spawn) {
            continue;
        }
        for example in examples {
            let place = Place::new();
            if tool.spec().category == tool_core::Category::Archive {
                place.put("bundle.zip", &crate::archives::tests::bundle());
            }
            if tool.spec().id == "read_table" {
                let sales = b"day;city;price\n2024-05-17;Rome;3,5\n2024-05-18;;1,25\n";
                place.put("data/sales.csv", sales);
            }
            if tool.spec().id == "todo_update" {
                let first = crate::todo::TOOLS[0].tool();
                let task = first.examples().swap_remove(0).args;
                first.decode(&task).unwrap().run(&place.ctx).unwrap();
            }
            let call = tool.decode(&example.args).unwrap();
            let output = call.run(&place.ctx).unwrap();
            assert_eq!(
                output,
                example.output,
                "`{}`, {}",
                tool.spec().id,
                example.title
            );
            assert_eq!(schema::check_value(&tool.input_schema(), &example.args), []);
            assert_eq!(schema::check_value(&tool.output_schema(), &output), []);
        }
    }
}

#[test]
fn long_files_are_cut_and_say_so() {
    let place = Place::new();
    let check = |args: &str, content: &str, truncated: bool| {
        let output = place.call("read_file", args).unwrap();
        assert_eq!(
            output.get("content").and_then(Value::as_str),
            Some(content),
            "{args}"
        );
        assert_eq!(
            output.get("truncated").and_then(Value::as_bool),
            Some(truncated),
            "{args}"
        );
    };
    check(
        r#"{"path":"notes.txt","max_bytes":12}"#,
        "hello world\n",
        false,
    );
    check(
        r#"{"path":"notes.txt","max_bytes":11}"#,
        "hello world",
        true,
    );
    place.put("umlaut", "aü€𝄞".as_bytes());
    for (bytes, content) in [
        (1, "a"),
        (2, "a"),
        (3, "aü"),
        (5, "aü"),
        (6, "aü€"),
        (9, "aü€"),
    ] {
        check(
            &format!(r#"{{"path":"umlaut","max_bytes":{bytes}}}"#),
            content,
            true,
        );
    }
    check(r#"{"path":"umlaut","max_bytes":10}"#, "aü€𝄞", false);
    place.put("empty", b"");
    check(r#"{"path":"empty"}"#, "", false);
}

#[test]
fn bytes_that_are_no_text_are_an_error_or_base64() {
    let place = Place::new();
    place.put("bytes", &[0x61, 0xff, 0x00]);
    let err = place.call("read_file", r#"{"path":"bytes"}"#).unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/encoding"))
    );
    assert_eq!(err.message(), "the file is not UTF-8: byte 1 is 0xff");
    assert!(err.hint_str().unwrap().contains("base64"));
    let read = |encoding: &str| {
        place.call(
            "read_file",
            &format!(r#"{{"path":"bytes","encoding":"{encoding}"}}"#),
        )
    };
    let text = |encoding: &str| {
        read(encoding)
            .unwrap()
            .get("content")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    };
    assert_eq!(text("base64"), "Yf8A");
    assert_eq!(text("latin-1"), "aÿ\0");
    assert!(read("utf-16").is_err(), "an odd number of bytes");
    assert!(
        read("utf-7").unwrap_err().message().contains("utf-8"),
        "the encodings are named"
    );
    place.put("bytes", &[0xff, 0xfe, 0x61, 0, 0x1e, 0x20]);
    assert!(
        read("utf-8")
            .unwrap_err()
            .hint_str()
            .unwrap()
            .contains("utf-16")
    );
    assert_eq!(text("utf-16"), "a\u{201e}");
    place.put("bytes", &[0xfe, 0xff, 0, 0x61]);
    assert_eq!(text("utf-16"), "a");
    place.put("bytes", &[0x00, 0xd8]);
    assert!(
        read("utf-16")
            .unwrap_err()
            .message()
            .contains("lone surrogate")
    );
    place.put("bytes", b"\xef\xbb\xbfmarked");
    assert_eq!(text("utf-8"), "marked");
}

/// What is written in an encoding is read back in it.
#[test]
fn encodings_round_trip() {
    let place = Place::new();
    for (encoding, content, bytes) in [
        ("utf-8", "ü€", "ü€".as_bytes()),
        (
            "utf-16",
            "ü€𝄞",
            &[0xff, 0xfe, 0xfc, 0, 0xac, 0x20, 0x34, 0xd8, 0x1e, 0xdd],
        ),
        ("latin-1", "ü\0", &[0xfc, 0]),
        ("base64", "AP8=", &[0, 0xff]),
    ] {
        let args = format!(
            r#"{{"path":"f","content":{},"encoding":"{encoding}","mode":"overwrite"}}"#,
            Value::from(content)
        );
        let output = place.call("write_file", &args).unwrap();
        assert_eq!(
            output.get("bytes_written").and_then(Value::as_i64),
            Some(bytes.len() as i64)
        );
        assert_eq!(place.content("f"), bytes);
        assert_eq!(
            place.text(
                "read_file",
                &format!(r#"{{"path":"f","encoding":"{encoding}"}}"#),
                "content"
            ),
            content
        );
    }
    for args in [
        r#"{"path":"f","content":"€","encoding":"latin-1"}"#,
        r#"{"path":"f","content":"a b","encoding":"base64"}"#,
    ] {
        let err = place.call("write_file", args).unwrap_err();
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/content"))
        );
    }
}

#[test]
fn arrays_are_written_in_the_format_of_the_path() {
    let place = Place::new();
    let write = |path: &str, more: &str| {
        place.call(
            "write_file",
            &format!(r#"{{"path":"{path}","content":[[1,2.5],[-3,1e300]]{more}}}"#),
        )
    };
    write("a.csv", "").unwrap();
    assert_eq!(place.content("a.csv"), b"1.0,2.5\n-3.0,1e+300\n");
    write("a.json", "").unwrap();
    let text = String::from_utf8(place.content("a.json")).unwrap();
    let read = json::parse_json(&text, json::JsonLimits::default()).unwrap();
    assert_eq!(
        read.as_numbers().unwrap().as_slice(),
        [1.0, 2.5, -3.0, 1e300]
    );
    write("a.npy", "").unwrap();
    let Value::Numbers(found) = tool_core::npy::parse_npy(&place.content("a.npy")).unwrap() else {
        panic!("not an array");
    };
    assert_eq!(
        (found.shape(), found.as_slice()),
        (&[2, 2][..], &[1.0, 2.5, -3.0, 1e300][..])
    );
    for (path, more, pointer) in [
        ("a.txt", "", "/path"),
        ("noending", "", "/path"),
        ("b.npy", r#","mode":"append""#, "/mode"),
        ("b.npy", r#","encoding":"base64""#, "/encoding"),
    ] {
        let err = write(path, more).expect_err(path);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(pointer)),
            "{path}"
        );
    }
    let deep = r#"{"path":"deep.csv","content":[[[1,2]]]}"#;
    assert_eq!(
        place.call("write_file", deep).unwrap_err().path(),
        Some("/content")
    );
}

#[test]
fn modes_have_their_short_spellings() {
    let place = Place::new();
    let write = |mode: &str| {
        place.call(
            "write_file",
            &format!(r#"{{"path":"notes.txt","content":"x","mode":"{mode}"}}"#),
        )
    };
    let size = |output: Value| output.get("size").and_then(Value::as_i64).unwrap();
    assert_eq!(size(write("a").unwrap()), 13);
    assert_eq!(size(write("append").unwrap()), 14);
    let err = write("create").unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::Conflict, Some("/path"))
    );
    assert_eq!(size(write("w").unwrap()), 1);
    assert_eq!(size(write("overwrite").unwrap()), 1);
    let err = write("overwite").unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/mode"))
    );
}

#[test]
fn only_overwriting_is_destructive() {
    for (mode, expected) in [
        ("create", false),
        ("append", false),
        ("a", false),
        ("overwrite", true),
        ("w", true),
    ] {
        let args = format!(r#"{{"path":"p","content":"","mode":"{mode}"}}"#);
        assert_eq!(reach_is_destructive(&args), expected, "{mode}");
    }
    assert!(
        !reach_is_destructive(r#"{"path":"p","content":""}"#),
        "the default creates"
    );
}

#[test]
fn folders_are_made_only_when_asked() {
    let place = Place::new();
    let err = place
        .call("write_file", r#"{"path":"x/y/z","content":"1"}"#)
        .unwrap_err();
    assert!(err.hint_str().unwrap().contains("parents"), "{err:?}");
    place
        .call(
            "write_file",
            r#"{"path":"x/y/z","content":"1","parents":true}"#,
        )
        .unwrap();
    assert_eq!(place.content("x/y/z"), b"1");
    place
        .call(
            "write_file",
            r#"{"path":"top","content":"1","parents":true}"#,
        )
        .unwrap();
    let absolute = place.folder.path().join("abs/new").display().to_string();
    let args = format!(
        r#"{{"path":{},"content":"1","parents":true}}"#,
        Value::from(absolute)
    );
    assert_eq!(place.text("write_file", &args, "path"), "abs/new");
}

#[test]
fn listings_filter_and_say_when_they_are_cut() {
    let place = Place::new();
    let list = |args: &str| {
        let output = place.call("list_directory", args).unwrap();
        let entries = output.get("entries").unwrap().items().unwrap();
        let paths: Vec<String> = entries
            .iter()
            .map(|entry| {
                entry
                    .get("path")
                    .and_then(Value::as_str)
                    .unwrap()
                    .to_owned()
            })
            .collect();
        (
            paths.join(" "),
            output.get("truncated").and_then(Value::as_bool).unwrap(),
        )
    };
    assert_eq!(list("{}"), ("data notes.txt".to_owned(), false));
    assert_eq!(
        list(r#"{"recursive":true}"#),
        ("data data/a.csv data/b.txt notes.txt".to_owned(), false)
    );
    assert_eq!(
        list(r#"{"recursive":true,"pattern":"*.txt"}"#),
        ("data/b.txt notes.txt".to_owned(), false)
    );
    assert_eq!(
        list(r#"{"recursive":true,"pattern":"*.txt","limit":1}"#),
        ("data/b.txt".to_owned(), true)
    );
    assert!(!list(r#"{"recursive":true,"limit":4}"#).1);
    let err = place
        .call("list_directory", r#"{"pattern":"../*"}"#)
        .unwrap_err();
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::InvalidArgs, Some("/pattern"))
    );
    let err = place
        .call("list_directory", r#"{"path":"../"}"#)
        .unwrap_err();
    assert_eq!(
        (err.reason_str(), err.path()),
        (Some("outside_workspace"), Some("/path"))
    );
}

/// Without the capability there is nothing a tool could read.
#[test]
fn tools_reach_only_what_they_are_given() {
    let args = json::parse_json(r#"{"path":"notes.txt"}"#, json::JsonLimits::default()).unwrap();
    let err = find("read_file")
        .decode(&args)
        .unwrap()
        .run(&Ctx::default())
        .unwrap_err();
    assert_eq!(err.code(), ErrorCode::PreconditionFailed);
    for tool in TOOLS {
        let spec = tool.tool().spec();
        assert!(
            spec.callers.contains(&tool_core::Caller::Chain),
            "`{}` can be in a plan",
            spec.id
        );
        // The files of a patch are in its text.
        let in_text = spec.id == "apply_patch";
        assert_eq!(spec.resources.len(), usize::from(!in_text), "`{}`", spec.id);
    }
}

/// Memory is set aside before the file is read.
#[test]
fn memory_is_budgeted() {
    let place = Place::new();
    let budget = CallBudget {
        memory_bytes: 100,
        ..CallBudget::default()
    };
    let files: Arc<dyn tool_core::capability::WorkspaceFiles> =
        Arc::new(Workspace::open(place.folder.path()).unwrap());
    let capabilities = Capabilities {
        files: Some(files),
        ..Capabilities::default()
    };
    let ctx = Ctx::new(StopFlag::new(), budget).with_capabilities(capabilities);
    let run = |args: &str| {
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        find("read_file").decode(&args).unwrap().run(&ctx)
    };
    assert_eq!(
        run(r#"{"path":"notes.txt"}"#).unwrap_err().code(),
        ErrorCode::LimitExceeded
    );
    run(r#"{"path":"notes.txt","max_bytes":20}"#).unwrap();
}
