//! What the tools that change files can tell after a crash.

use tool_core::CallProbe;

use super::*;

/// Calls that change something, on [`Place::new`].
const CALLS: &[(&str, &str)] = &[
    ("write_file", r#"{"path":"./new.txt","content":"abc"}"#),
    (
        "write_file",
        r#"{"path":"out/new.txt","content":"abc","parents":true}"#,
    ),
    (
        "write_file",
        r#"{"path":"notes.txt","content":"abc","mode":"append"}"#,
    ),
    (
        "write_file",
        r#"{"path":"notes.txt","content":"abc","mode":"overwrite"}"#,
    ),
    ("delete_file", r#"{"path":"data/b.txt"}"#),
    (
        "edit_file",
        r#"{"path":"notes.txt","old_string":"world","new_string":"there"}"#,
    ),
    (
        "apply_patch",
        r#"{"patch":"*** Begin Patch\n*** Update File: notes.txt\n*** Move to: moved/notes.txt\n@@\n-hello world\n+hello there\n*** Add File: out/new.txt\n+first\n*** Delete File: data/b.txt\n*** End Patch\n"}"#,
    ),
];

fn decoded(tool: &str, args: &str) -> Box<dyn tool_core::ToolCall> {
    let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
    find(tool).decode(&args).unwrap()
}

#[test]
fn before_a_call_nothing_has_happened_and_after_it_the_result_is_known() {
    for (tool, args) in CALLS {
        let place = Place::new();
        let call = decoded(tool, args);
        let before = call.before(&place.ctx).unwrap();
        let before = before.unwrap_or_else(|| panic!("{tool} {args} notes nothing"));
        assert_eq!(
            call.probe(&before, &place.ctx).unwrap(),
            CallProbe::NotHappened,
            "{tool} {args}"
        );
        let output = place.call(tool, args).unwrap();
        assert_eq!(
            call.probe(&before, &place.ctx).unwrap(),
            CallProbe::Happened(output),
            "{tool} {args}"
        );
    }
}

#[test]
fn what_somebody_else_wrote_meanwhile_is_not_taken_for_the_call() {
    for (tool, args) in CALLS {
        let place = Place::new();
        let call = decoded(tool, args);
        let before = call.before(&place.ctx).unwrap().unwrap();
        for path in ["new.txt", "notes.txt", "data/b.txt", "out/new.txt"] {
            std::fs::create_dir_all(place.folder.path().join("out")).unwrap();
            place.put(path, b"of somebody else");
        }
        assert_eq!(
            call.probe(&before, &place.ctx).unwrap(),
            CallProbe::Unknown,
            "{tool} {args}"
        );
    }
}

/// A change of several files that was stopped half-way.
#[test]
fn half_a_patch_is_for_a_person() {
    let place = Place::new();
    let (tool, args) = CALLS[CALLS.len() - 1];
    let call = decoded(tool, args);
    let before = call.before(&place.ctx).unwrap().unwrap();
    std::fs::remove_file(place.folder.path().join("data/b.txt")).unwrap();
    assert_eq!(call.probe(&before, &place.ctx).unwrap(), CallProbe::Unknown);
}

/// What will fail notes nothing; contents are never noted.
#[test]
fn evidence_is_of_digests() {
    let place = Place::new();
    let taken = decoded(
        "write_file",
        r#"{"path":"notes.txt","content":"secret-word"}"#,
    );
    assert_eq!(taken.before(&place.ctx).unwrap(), None);
    let absent = decoded("delete_file", r#"{"path":"no.txt"}"#);
    assert_eq!(absent.before(&place.ctx).unwrap(), None);
    let folder = decoded("delete_file", r#"{"path":"data","kind":"folder"}"#);
    assert!(folder.before(&place.ctx).unwrap_or_default().is_none());
    let call = decoded(
        "write_file",
        r#"{"path":"new.txt","content":"secret-word"}"#,
    );
    let before = json::to_text(&call.before(&place.ctx).unwrap().unwrap());
    assert!(!before.contains("secret-word"), "{before}");
    let odd = call.probe(&Value::from("not ours"), &place.ctx).unwrap();
    assert_eq!(odd, CallProbe::Unknown);
}
