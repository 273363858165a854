//! What packing and unpacking can tell after a crash.

use tool_core::CallProbe;

use super::*;

/// Calls on [`packed`], and a file that each of them makes.
const CALLS: &[(&str, &str, &str)] = &[
    (
        "archive_create",
        r#"{"path":"./new.zip","from":"src"}"#,
        "new.zip",
    ),
    (
        "archive_create",
        r#"{"path":"old.tar.gz","from":"src","overwrite":true}"#,
        "old.tar.gz",
    ),
    (
        "archive_extract",
        r#"{"path":"old.tar.gz","to":"out/new"}"#,
        "out/new/b/c.txt",
    ),
    (
        "archive_extract",
        r#"{"path":"old.tar.gz","to":"empty","pattern":"*.txt"}"#,
        "empty/b/c.txt",
    ),
];

/// A folder, and an archive of what it held before.
fn packed() -> Place {
    let place = Place::new();
    place.put("src/a.csv", b"1,2\n");
    place.put("src/b/c.txt", b"text\n");
    place
        .call("archive_create", r#"{"path":"old.tar.gz","from":"src"}"#)
        .unwrap();
    place.put("src/d.txt", b"more\n");
    std::fs::create_dir(place.folder.path().join("empty")).unwrap();
    place
}

fn decoded(tool: &str, args: &str) -> Box<dyn tool_core::ToolCall> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    let mut tools = TOOLS.iter().map(|entry| entry.tool());
    let found = tools.find(|found| found.spec().id == tool);
    found.unwrap().decode(&args).unwrap()
}

#[test]
fn before_a_call_nothing_has_happened_and_after_it_the_result_is_known() {
    for (tool, args, file) in CALLS {
        let place = packed();
        let call = decoded(tool, args);
        let before = call.before(&place.ctx).unwrap();
        let before = before.unwrap_or_else(|| panic!("{tool} {args} notes nothing"));
        let probe = || call.probe(&before, &place.ctx).unwrap();
        assert_eq!(probe(), CallProbe::NotHappened, "{tool} {args}");
        let output = place.call(tool, args).unwrap();
        assert_eq!(probe(), CallProbe::Happened(output), "{tool} {args}");
        // As long as before, and something else.
        let mut content = place.content(file);
        *content.last_mut().unwrap() ^= 1;
        place.put(file, &content);
        assert_eq!(probe(), CallProbe::Unknown, "{tool} {args}");
    }
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_taken_for_the_call() {
    for (tool, args, _) in CALLS {
        let place = packed();
        let call = decoded(tool, args);
        let before = call.before(&place.ctx).unwrap().unwrap();
        for path in ["new.zip", "old.tar.gz", "out/new/x.txt", "empty/x.txt"] {
            place.put(path, b"of somebody else");
        }
        let found = call.probe(&before, &place.ctx).unwrap();
        assert_eq!(found, CallProbe::Unknown, "{tool} {args}");
    }
}

/// The files that were packed, or the archive that was unpacked, are what the result is compared with.
#[test]
fn what_cannot_be_compared_any_more_is_for_a_person() {
    for (tool, args, _) in CALLS {
        let place = packed();
        let call = decoded(tool, args);
        let before = call.before(&place.ctx).unwrap().unwrap();
        place.call(tool, args).unwrap();
        let happened = call.probe(&before, &place.ctx).unwrap();
        assert!(matches!(happened, CallProbe::Happened(_)), "{tool} {args}");
        let (source, added) = match *tool {
            "archive_create" => ("src/b/c.txt", "src/e.txt"),
            _ if args.contains("empty") => ("old.tar.gz", "empty/e.txt"),
            _ => ("old.tar.gz", "out/new/e.txt"),
        };
        place.put(added, b"");
        let more = call.probe(&before, &place.ctx).unwrap();
        assert_eq!(more, CallProbe::Unknown, "{tool} {args}: one file more");
        std::fs::remove_file(place.folder.path().join(added)).unwrap();
        std::fs::remove_file(place.folder.path().join(source)).unwrap();
        let gone = call.probe(&before, &place.ctx).unwrap();
        assert_eq!(gone, CallProbe::Unknown, "{tool} {args}: {source} is gone");
    }
}

#[test]
fn a_call_that_will_fail_notes_nothing() {
    let place = packed();
    for (tool, args) in [
        ("archive_create", r#"{"path":"old.tar.gz","from":"src"}"#),
        ("archive_extract", r#"{"path":"old.tar.gz","to":"src"}"#),
    ] {
        let call = decoded(tool, args);
        assert_eq!(call.before(&place.ctx).unwrap(), None, "{tool}");
        let odd = call.probe(&Value::from("not ours"), &place.ctx).unwrap();
        assert_eq!(odd, CallProbe::Unknown);
    }
}
