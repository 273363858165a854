//! Several changes at once, and folders in the making.

use std::io::Write;

use tool_core::capability::{DraftFolder, FileChange};

use super::*;

fn create(path: &str, content: &str) -> FileChange {
    FileChange::Create {
        path: path.to_owned(),
        content: content.as_bytes().to_vec(),
        mode: None,
    }
}

fn replace(path: &str, before: &str, content: &str) -> FileChange {
    FileChange::Replace {
        path: path.to_owned(),
        before: before.as_bytes().to_vec(),
        content: content.as_bytes().to_vec(),
    }
}

fn delete(path: &str, before: &str) -> FileChange {
    FileChange::Delete {
        path: path.to_owned(),
        before: before.as_bytes().to_vec(),
    }
}

/// Every path below the workspace, hidden ones included.
fn paths(place: &Place) -> Vec<String> {
    place.list(".", true).unwrap()
}

#[test]
fn all_changes_happen_or_none() {
    let place = Place::new();
    put(&place.real("a"), b"old a");
    put(&place.real("b"), b"old b");
    let before = paths(&place);
    for (last, reason) in [
        (create("b", "x"), "exists"),
        (create("d", "x"), "not_a_file"),
        (create("d/f.txt/x", "x"), "not_a_folder"),
        (create("../x", "x"), "outside_workspace"),
        (create("new/.git/x", "x"), "protected_path"),
        (replace("missing", "", "x"), "not_found"),
        (replace("b", "other b", "x"), "changed"),
        (replace("b", "old", "x"), "changed"),
        (delete("b", "old b and more"), "changed"),
        (delete("d", ""), "not_a_file"),
        (replace("a", "old a", "twice"), "changed"),
    ] {
        let changes = [
            replace("a", "old a", "new a"),
            create("new/deep/c", "new c"),
            delete("d/f.txt", "inside"),
            last.clone(),
        ];
        assert_reason(place.workspace.change(&changes), reason);
        assert_eq!(paths(&place), before, "{last:?}");
        for (path, content) in [("a", "old a"), ("b", "old b"), ("d/f.txt", "inside")] {
            assert_eq!(place.content(path), content, "{last:?}");
        }
    }
    let changes = [
        replace("a", "old a", "new a"),
        create("new/deep/c", "new c"),
        delete("d/f.txt", "inside"),
    ];
    let infos = place.workspace.change(&changes).unwrap();
    let sizes: Vec<u64> = infos.iter().map(|info| info.size).collect();
    assert_eq!(sizes, [5, 5, 6]);
    assert_eq!(place.content("a"), "new a");
    assert_eq!(place.content("new/deep/c"), "new c");
    assert_eq!(
        paths(&place),
        ["a", "b", "d", "d/e", "new", "new/deep", "new/deep/c"]
    );
    place.assert_outside_untouched();
}

#[test]
fn links_are_never_changed() {
    let place = Place::new();
    place.link("d/f.txt", "link");
    place.link("d", "folder");
    for change in [
        replace("link", "inside", "x"),
        delete("link", "inside"),
        create("folder/new", "x"),
        replace("folder/f.txt", "inside", "x"),
    ] {
        assert_reason(place.workspace.change(&[change]), "link");
    }
    for path in ["link", "folder/f.txt"] {
        assert_reason(
            place
                .workspace
                .remove(path, tool_core::capability::FileKind::File),
            "link",
        );
    }
    assert_eq!(place.content("d/f.txt"), "inside");
}

#[test]
fn a_folder_has_its_name_when_it_is_finished() {
    let place = Place::new();
    let before = paths(&place);
    let fill = |draft: &mut dyn DraftFolder| {
        draft.make_folder("empty/folder").unwrap();
        draft
            .make_file("x/y/z", true)
            .unwrap()
            .write_all(b"z")
            .unwrap();
        draft
            .make_file("x/w", false)
            .unwrap()
            .write_all(b"w")
            .unwrap();
    };
    let mut draft = place.workspace.draft("out/put").unwrap();
    fill(draft.as_mut());
    assert!(!place.real("out/put").exists());
    drop(draft);
    assert_eq!(paths(&place), before, "what is dropped leaves nothing");

    let mut draft = place.workspace.draft("out/put").unwrap();
    fill(draft.as_mut());
    for path in ["x/w", "x", "x/w/below"] {
        assert!(draft.make_file(path, false).is_err(), "{path}");
    }
    for path in ["../x", "/x", "a//b", "a/./b", "", ".git/config", "a/.GIT/x"] {
        assert!(draft.make_file(path, false).is_err(), "{path}");
        assert!(draft.make_folder(path).is_err(), "{path}");
    }
    draft.finish().unwrap();
    assert_eq!(place.content("out/put/x/y/z"), "z");
    assert!(place.real("out/put/empty/folder").is_dir());
    assert_eq!(
        paths(&place)
            .iter()
            .filter(|path| path.contains(".tmp"))
            .count(),
        0
    );

    for (path, reason) in [
        ("out/put", "not_empty"),
        ("d/f.txt", "exists"),
        (".", "not_empty"),
        ("d/../x", "path"),
        ("../x", "outside_workspace"),
        ("agents", "protected_path"),
    ] {
        assert_reason(place.workspace.draft(path).map(|_| ()), reason);
    }
    place.workspace.draft("d/e").unwrap().finish().unwrap();
    // Somebody else takes the name while the folder is made.
    let draft = place.workspace.draft("late").unwrap();
    put(&place.real("late"), b"first");
    assert_reason(draft.finish(), "exists");
    assert_eq!(place.content("late"), "first");
    assert_eq!(
        paths(&place)
            .iter()
            .filter(|path| path.contains(".tmp"))
            .count(),
        0
    );
}
