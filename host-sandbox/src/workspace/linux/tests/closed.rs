//! What tools do not read: the state, by whatever name it is reached.

use tool_core::capability::LinkMode;

use super::*;

/// A workspace whose state lies in `.mathchain` and, as a configuration says, in `d/state`.
fn place() -> Place {
    let mut place = Place::new();
    for folder in [".mathchain", ".mathchain/artifacts", "d/state"] {
        fs::create_dir(place.real(folder)).unwrap();
    }
    for file in [
        ".mathchain/artifacts/a.json",
        "d/state/state.db",
        "d/stated",
    ] {
        put(&place.real(file), b"STATE");
    }
    place.workspace = Workspace::open(place.top.path().join("ws"))
        .unwrap()
        .close(&["d/state"]);
    place
}

#[test]
fn the_state_is_not_read() {
    let place = place();
    place.link(".mathchain", "l");
    place.link("d", "m");
    place.link(place.real("d/state"), "absolute");
    place.link(".mathchain/artifacts/a.json", "file");
    let whole = place.real(".mathchain/artifacts/a.json");
    for path in [
        ".mathchain/artifacts/a.json",
        ".MathChain/artifacts/a.json",
        "d/../.mathchain//artifacts/./a.json",
        "d/state/state.db",
        "D/State/state.db",
        "l/artifacts/a.json",
        "m/state/state.db",
        "absolute/state.db",
        "file",
        whole.to_str().unwrap(),
    ] {
        assert_reason(place.read(path), "protected_path");
        assert_reason(place.workspace.stat(path), "protected_path");
        let opened = place.workspace.open(path, LinkMode::Follow);
        assert_reason(opened.map(|(info, _)| info), "protected_path");
    }
    let plain = place.workspace.open("d/state/state.db", LinkMode::Refuse);
    assert_reason(plain.map(|(info, _)| info), "protected_path");
    assert_eq!(place.read("d/stated").unwrap(), "STATE");
    assert_eq!(place.read("m/f.txt").unwrap(), "inside");
}

#[test]
fn the_state_is_not_listed() {
    let place = place();
    place.link("d", "m");
    place.link(".mathchain/artifacts", "l");
    let stop = StopFlag::new();
    for path in [
        ".mathchain",
        ".mathchain/artifacts",
        "d/state",
        "m/state",
        "l",
    ] {
        assert_reason(place.list(path, false), "protected_path");
        let entries = place.workspace.entries(path, LinkMode::Follow, &stop);
        assert_reason(entries, "protected_path");
    }
    for path in [".mathchain", "d/state"] {
        assert_reason(place.list(path, true), "protected_path");
        let entries = place.workspace.entries(path, LinkMode::Refuse, &stop);
        assert_reason(entries, "protected_path");
    }
    let found = place.list(".", true).unwrap();
    assert_eq!(found, ["d", "d/e", "d/f.txt", "d/stated", "l", "m"]);
    let entries = place
        .workspace
        .entries("d", LinkMode::Refuse, &stop)
        .unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(!names.contains(&"d/state"));
}

/// Names that are no text are followed to the byte.
#[test]
fn a_link_to_a_name_that_is_no_text_is_read() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = place();
    let name = OsStr::from_bytes(b"\xff.txt");
    put(&place.top.path().join("ws").join(name), b"bytes");
    place.link(name, "text");
    assert_eq!(place.read("text").unwrap(), "bytes");
}
