//! Edits, patches, deletions, folders.

use tool_core::ResourceKey;

use super::*;

fn fails(place: &Place, tool: &str, args: &str) -> (String, String) {
    let before = snapshot(place);
    let err = place.call(tool, args).unwrap_err();
    assert_eq!(
        snapshot(place),
        before,
        "a refused call changes nothing: {args}"
    );
    let reason = err.reason_str().unwrap_or("-").to_owned();
    (
        format!("{} {reason} {}", err.code(), err.path().unwrap_or("-")),
        err.message().to_owned(),
    )
}

/// Every path below the folder, with the content of files.
fn snapshot(place: &Place) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![place.folder.path().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(place.folder.path())
                .unwrap()
                .display()
                .to_string();
            if path.is_dir() {
                found.push((name, Vec::new()));
                open.push(path);
            } else {
                found.push((name.clone(), place.content(&name)));
            }
        }
    }
    found.sort();
    found
}

fn patch(place: &Place, text: &str) -> Result<Value, ToolError> {
    place.call("apply_patch", &patch_args(text))
}

fn patch_args(text: &str) -> String {
    json::to_text(&Value::object([("patch", Value::from(text))]))
}

#[test]
fn an_edit_needs_one_exact_place() {
    let place = Place::new();
    place.put("f", b"one two\n\tthree two\r\ntwo\n");
    let edit = |old: &str, new: &str, more: &str| {
        format!(
            r#"{{"path":"f","old_string":{},"new_string":{}{more}}}"#,
            Value::from(old),
            Value::from(new)
        )
    };
    for (args, kind, words) in [
        (
            edit("two", "2", ""),
            "invalid_args ambiguous /old_string",
            "3 times, on lines 1, 2, 3",
        ),
        (
            edit("four", "4", ""),
            "invalid_args no_match /old_string",
            "is not in `f`",
        ),
        (edit("", "x", ""), "invalid_args - /old_string", "empty"),
        (edit("one", "one", ""), "invalid_args - /new_string", "same"),
        (
            r#"{"path":"g","old_string":"a","new_string":"b"}"#.to_owned(),
            "tool_error not_found /path",
            "does not exist",
        ),
        (
            r#"{"path":"data","old_string":"a","new_string":"b"}"#.to_owned(),
            "invalid_args not_a_file /path",
            "folder",
        ),
        (
            r#"{"path":"../f","old_string":"a","new_string":"b"}"#.to_owned(),
            "invalid_args outside_workspace /path",
            "leaves",
        ),
    ] {
        let (found, message) = fails(&place, "edit_file", &args);
        assert_eq!(found, kind, "{args}");
        assert!(message.contains(words), "{message}");
    }
    let hint = |old: &str| {
        place
            .call("edit_file", &edit(old, "x", ""))
            .unwrap_err()
            .hint_str()
            .unwrap()
            .to_owned()
    };
    assert!(
        hint("two\n\tthree two\ntwo").contains("CR LF"),
        "{}",
        hint("two\n\tthree two\ntwo")
    );
    assert!(hint("one  two").contains("line 1"));
    let output = place
        .call("edit_file", &edit("\tthree two\r\n", "3\n\n", ""))
        .unwrap();
    assert_eq!(json::to_text(output.get("lines").unwrap()), "[2]");
    assert_eq!(place.content("f"), b"one two\n3\n\ntwo\n");
    let output = place
        .call("edit_file", &edit("two", "2\n", r#","replace_all":true"#))
        .unwrap();
    assert_eq!(json::to_text(output.get("lines").unwrap()), "[1,5]");
    assert_eq!(place.content("f"), b"one 2\n\n3\n\n2\n\n");
    place.put("f", b"\xff bytes");
    assert_eq!(
        fails(&place, "edit_file", &edit("bytes", "x", "")).0,
        "invalid_args encoding /path"
    );
}

#[test]
fn an_edit_keeps_mode_and_refuses_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new();
    let real = place.folder.path().join("notes.txt");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o750)).unwrap();
    place
        .call(
            "edit_file",
            r#"{"path":"notes.txt","old_string":"world","new_string":"moon"}"#,
        )
        .unwrap();
    assert_eq!(place.content("notes.txt"), b"hello moon\n");
    assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    symlink("notes.txt", place.folder.path().join("link")).unwrap();
    let args = r#"{"path":"link","old_string":"moon","new_string":"sun"}"#;
    assert_eq!(
        fails(&place, "edit_file", args).0,
        "invalid_args link /path"
    );
}

#[test]
fn a_patch_is_applied_whole_or_not_at_all() {
    let good = "*** Update File: notes.txt\n@@\n-hello world\n+hello there\n*** Add File: new/deep/file\n+x\n*** Delete File: data/b.txt\n";
    for (bad, kind, words) in [
        (
            "*** Update File: data/a.csv\n@@\n-9,9\n+1\n",
            "invalid_args no_match /patch",
            "has no line `9,9`",
        ),
        (
            "*** Update File: missing\n@@\n-9\n+1\n",
            "tool_error not_found /patch",
            "does not exist",
        ),
        (
            "*** Delete File: missing\n",
            "tool_error not_found /patch",
            "does not exist",
        ),
        (
            "*** Add File: data/a.csv\n+x\n",
            "conflict exists /patch",
            "already exists",
        ),
        (
            "*** Add File: data\n+x\n",
            "conflict exists /patch",
            "already exists",
        ),
        (
            "*** Add File: ../x\n+x\n",
            "invalid_args outside_workspace /patch",
            "leaves",
        ),
        (
            "*** Add File: .git/hooks/x\n+x\n",
            "policy_denied protected_path /patch",
            "tools never write",
        ),
        (
            "*** Add File: deeper/still/.git/config\n+x\n",
            "policy_denied protected_path /patch",
            "tools never write",
        ),
        (
            "*** Add File: mathchain.toml\n+x\n",
            "policy_denied protected_path /patch",
            "tools never write",
        ),
        (
            "*** Add File: data/a.csv/x\n+x\n",
            "invalid_args not_a_folder /patch",
            "not a folder",
        ),
        (
            "*** Update File: ./notes.txt\n@@\n-hello world\n+x\n",
            "invalid_args patch /patch",
            "changed on line 2",
        ),
        (
            "*** Update File: data/a.csv\n*** Move to: notes.txt\n",
            "invalid_args patch /patch",
            "again",
        ),
        (
            "*** Update File: data/a.csv\n*** Move to: data\n",
            "conflict exists /patch",
            "already exists",
        ),
    ] {
        let place = Place::new();
        let text = format!("*** Begin Patch\n{good}{bad}*** End Patch\n");
        let (found, message) = fails(&place, "apply_patch", &patch_args(&text));
        assert_eq!(found, kind, "{bad}: {message}");
        assert!(message.contains(words), "{message}");
    }
    let place = Place::new();
    patch(&place, &format!("*** Begin Patch\n{good}*** Update File: data/a.csv\n*** Move to: moved/c.csv\n@@\n 1,2\n-3\n+4\n*** End Patch")).unwrap();
    assert_eq!(place.content("notes.txt"), b"hello there\n");
    assert_eq!(place.content("new/deep/file"), b"x\n");
    assert_eq!(place.content("moved/c.csv"), b"1,2\n4\n");
    let paths: Vec<String> = snapshot(&place).into_iter().map(|(path, _)| path).collect();
    assert_eq!(
        paths,
        [
            "data",
            "moved",
            "moved/c.csv",
            "new",
            "new/deep",
            "new/deep/file",
            "notes.txt"
        ]
    );
}

#[test]
fn git_diffs_add_delete_and_rename() {
    let place = Place::new();
    let text = "From: somebody\n\ndiff --git a/notes.txt b/readme.md\nsimilarity index 80%\nrename from notes.txt\nrename to readme.md\nindex 1..2 100644\n--- a/notes.txt\n+++ b/readme.md\n@@ -1 +1 @@\n-hello world\n+hello\n\\ No newline at end of file\ndiff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1,2 @@\n+#!/bin/sh\n+true\ndiff --git a/data/b.txt b/data/b.txt\ndeleted file mode 100644\n--- a/data/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n-- \n2.47\n";
    let output = patch(&place, text).unwrap();
    assert_eq!(place.content("readme.md"), b"hello");
    assert_eq!(place.content("run.sh"), b"#!/bin/sh\ntrue\n");
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &str| {
        place
            .folder
            .path()
            .join(path)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("run.sh"), 0o755);
    assert!(!place.folder.path().join("notes.txt").exists());
    assert!(!place.folder.path().join("data/b.txt").exists());
    assert_eq!(output.get("added").and_then(Value::as_i64), Some(3));
    assert_eq!(output.get("removed").and_then(Value::as_i64), Some(2));
    let wrong = "--- a/data/a.csv\n+++ /dev/null\n@@ -1 +0,0 @@\n-1,2\n";
    let (_, message) = fails(&place, "apply_patch", &patch_args(wrong));
    assert!(message.contains("more lines than"), "{message}");
}

#[test]
fn a_patch_names_what_it_writes() {
    let reach = |text: &str| {
        let args = json::parse_json(&patch_args(text), json::JsonLimits::default()).unwrap();
        let call = find("apply_patch").decode(&args).unwrap();
        (call.resources().ok(), call.reach().destructive)
    };
    let (keys, destructive) = reach(
        "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Add File: c\n+x\n*** End Patch\n",
    );
    assert_eq!(keys.unwrap(), ["a", "b", "c"].map(ResourceKey::write_path));
    assert!(!destructive);
    let (keys, destructive) = reach("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    assert_eq!(keys.unwrap(), [ResourceKey::write_path("x")]);
    assert!(destructive);
    let (keys, destructive) = reach("nonsense");
    assert!(keys.is_none() && destructive);
}

#[test]
fn deleting_is_of_one_kind() {
    let place = Place::new();
    for (args, kind) in [
        (r#"{"path":"missing"}"#, "tool_error not_found /path"),
        (r#"{"path":"data"}"#, "invalid_args not_a_file /path"),
        (
            r#"{"path":"data","kind":"folder"}"#,
            "conflict not_empty /path",
        ),
        (
            r#"{"path":"notes.txt","kind":"folder"}"#,
            "invalid_args not_a_folder /path",
        ),
        (r#"{"path":"."}"#, "invalid_args path /path"),
        (r#"{"path":"data/.."}"#, "invalid_args path /path"),
        (r#"{"path":"../x"}"#, "invalid_args outside_workspace /path"),
        (
            r#"{"path":"mathchain.toml"}"#,
            "policy_denied protected_path /path",
        ),
    ] {
        assert_eq!(fails(&place, "delete_file", args).0, kind, "{args}");
    }
    std::os::unix::fs::symlink("notes.txt", place.folder.path().join("link")).unwrap();
    assert_eq!(
        fails(&place, "delete_file", r#"{"path":"link"}"#).0,
        "invalid_args link /path"
    );
    place
        .call("delete_file", r#"{"path":"data/a.csv"}"#)
        .unwrap();
    place
        .call("delete_file", r#"{"path":"data/b.txt"}"#)
        .unwrap();
    place
        .call("delete_file", r#"{"path":"data/","kind":"folder"}"#)
        .unwrap();
    assert_eq!(snapshot(&place).len(), 2);
}

#[test]
fn folders_are_made_with_those_above() {
    let place = Place::new();
    for (args, kind) in [
        (r#"{"path":"notes.txt"}"#, "invalid_args not_a_folder /path"),
        (
            r#"{"path":"notes.txt/x"}"#,
            "invalid_args not_a_folder /path",
        ),
        (r#"{"path":"../x"}"#, "invalid_args outside_workspace /path"),
        (r#"{"path":".git/x"}"#, "policy_denied protected_path /path"),
    ] {
        assert_eq!(fails(&place, "create_directory", args).0, kind, "{args}");
    }
}
