use std::os::unix::fs::{MetadataExt, PermissionsExt};

use tool_core::ErrorCode;

use super::*;

#[test]
fn modes_do_what_they_say() {
    let place = Place::new();
    assert_eq!(
        place.write("new.txt", "grüße", WriteMode::Create).unwrap(),
        7,
        "bytes, not characters"
    );
    let err = place.write("new.txt", "x", WriteMode::Create).unwrap_err();
    assert_eq!(
        (err.code(), err.message()),
        (ErrorCode::Conflict, "`new.txt` already exists")
    );
    assert_eq!(place.write("new.txt", "!", WriteMode::Append).unwrap(), 8);
    assert_eq!(place.content("new.txt"), "grüße!");
    assert_eq!(
        place.write("new.txt", "z", WriteMode::Overwrite).unwrap(),
        1
    );
    assert_eq!(place.write("log", "a", WriteMode::Append).unwrap(), 1);
    assert_eq!(place.write("other", "a", WriteMode::Overwrite).unwrap(), 1);
    assert_eq!(place.write("empty", "", WriteMode::Create).unwrap(), 0);
    assert_eq!(
        place.list(".", false).unwrap(),
        ["d", "empty", "log", "new.txt", "other"],
        "nothing is left over"
    );
}

#[test]
fn overwriting_keeps_the_mode_and_never_touches_the_old_file() {
    let place = Place::new();
    let real = place.real("d/f.txt");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o4640)).unwrap();
    let mut reader = fs::File::open(&real).unwrap();
    let before = fs::metadata(&real).unwrap();
    place
        .write("d/f.txt", "changed", WriteMode::Overwrite)
        .unwrap();
    let after = fs::metadata(&real).unwrap();
    assert_ne!(before.ino(), after.ino());
    assert_eq!(
        after.mode() & 0o7777,
        0o640,
        "the mode stays, the bits that lend rights do not"
    );
    assert_eq!(
        std::io::read_to_string(&mut reader).unwrap(),
        "inside",
        "an open reader sees the whole old file"
    );
}

#[test]
fn a_hard_link_is_parted_by_overwriting_and_refused_for_appending() {
    let place = Place::new();
    fs::hard_link(place.top.path().join("secret"), place.real("shared")).unwrap();
    assert_reason(place.write("shared", "x", WriteMode::Append), "link");
    place.write("shared", "mine", WriteMode::Overwrite).unwrap();
    assert_eq!(place.content("shared"), "mine");
    place.assert_outside_untouched();
}

#[test]
fn repository_state_and_configuration_are_never_written() {
    let place = Place::new();
    fs::create_dir_all(place.real("sub/.git/hooks")).unwrap();
    for path in [
        ".git/config",
        ".git",
        "sub/.git/hooks/pre-commit",
        "sub/.GIT/config",
        "d/../.git/config",
        ".mathchain/state.db",
        ".MathChain/x",
        "mathchain.toml",
        "./mathchain.toml",
        "d/../MATHCHAIN.TOML",
        "agents/x.md",
        "plugins/p/manifest.json",
    ] {
        for mode in [WriteMode::Create, WriteMode::Append, WriteMode::Overwrite] {
            assert_reason(place.write(path, "x", mode), "protected_path");
        }
        assert_reason(place.workspace.make_folder(path), "protected_path");
    }
    for path in [
        "d/mathchain.toml",
        "d/.MathChain/x",
        "d/plugins/p/manifest.json",
        "governance.yaml",
        "d/e/Choragen.Governance.yaml",
        "d/mcp-servers/x.json",
        "d/workflow/templates/t.yaml",
    ] {
        assert_reason(place.write(path, "x", WriteMode::Create), "protected_path");
    }
    for path in [
        ".gitignore",
        "d/agents.md",
        "agents.md",
        "x.git",
        "d/templates.md",
        "d/workflow.md",
    ] {
        place.write(path, "x", WriteMode::Create).unwrap();
    }
    let own = Workspace::with_protected(place.real(""), &["d/e", ""]).unwrap();
    assert_reason(
        own.write("d/e/x", b"x", WriteMode::Create),
        "protected_path",
    );
    assert_reason(
        own.write(".git/x", b"x", WriteMode::Create),
        "protected_path",
    );
    assert_reason(
        own.write("mathchain.toml", b"x", WriteMode::Create),
        "protected_path",
    );
    own.make_folder("agents").unwrap();
}

#[test]
fn folders_are_made_when_asked() {
    let place = Place::new();
    let err = place
        .write("a/b/c.txt", "x", WriteMode::Create)
        .unwrap_err();
    assert_eq!(
        (err.message(), err.reason_str()),
        ("the folder `a/b` does not exist", Some("not_found"))
    );
    place.workspace.make_folder("a/b").unwrap();
    place.workspace.make_folder("a/b").unwrap();
    place.write("a/b/c.txt", "x", WriteMode::Create).unwrap();
    assert_reason(place.workspace.make_folder("d/f.txt/x"), "not_a_folder");
    assert_reason(place.workspace.make_folder("d/../x"), "path");
    for path in ["d/", ".", "d/.", "d/.."] {
        assert_reason(place.write(path, "x", WriteMode::Create), "path");
    }
}

/// Appends of several threads come whole, in some order; none is lost.
#[test]
fn appends_at_once_are_whole() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for line in 0..25 {
                    let text = format!("{writer}:{line}:{}\n", "x".repeat(3000));
                    place.write("log", &text, WriteMode::Append).unwrap();
                }
            });
        }
    });
    let text = place.content("log");
    assert_eq!(text.lines().count(), 100);
    for writer in 0..4 {
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with(&format!("{writer}:")))
            .collect();
        assert_eq!(lines.len(), 25);
        assert!(lines.iter().enumerate().all(|(index, line)| {
            line.starts_with(&format!("{writer}:{index}:")) && line.len() > 3000
        }));
    }
}

/// Of several that create one name, exactly one does.
#[test]
fn creating_at_once_has_one_winner() {
    let place = Place::new();
    let wins: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|writer: usize| {
                let place = &place;
                scope.spawn(move || {
                    place
                        .write("one", &writer.to_string(), WriteMode::Create)
                        .is_ok()
                })
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| usize::from(writer.join().unwrap()))
            .sum()
    });
    assert_eq!(wins, 1);
    assert_eq!(place.content("one").len(), 1);
    assert_eq!(place.list(".", false).unwrap(), ["d", "one"]);
}

/// A write that fails half-way leaves the old content and nothing beside it.
#[test]
fn a_failed_write_leaves_nothing() {
    let place = Place::new();
    fs::create_dir(place.real("taken")).unwrap();
    assert!(place.write("taken", "x", WriteMode::Overwrite).is_err());
    assert!(place.write("d/f.txt", "x", WriteMode::Create).is_err());
    assert_eq!(place.content("d/f.txt"), "inside");
    assert_eq!(
        place.list(".", true).unwrap(),
        ["d", "d/e", "d/f.txt", "taken"]
    );
}
