use std::os::unix::ffi::OsStrExt;

use tool_core::ErrorCode;
use tool_core::capability::FileKind;

use super::*;

#[test]
fn entries_come_in_path_order() {
    let place = Place::new();
    for file in ["d.txt", "d-1", "d/e/g", "b"] {
        put(&place.real(file), b"12345");
    }
    place.link("/", "d/out");
    let expected = ["b", "d", "d-1", "d.txt", "d/e", "d/e/g", "d/f.txt", "d/out"];
    assert_eq!(place.list(".", true).unwrap(), expected);
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(place.list(".", false).unwrap(), ["b", "d", "d-1", "d.txt"]);
    assert_eq!(
        place.list("d/", true).unwrap(),
        ["d/e", "d/e/g", "d/f.txt", "d/out"]
    );

    let (entries, _) = place
        .workspace
        .list("d", false, 10, &StopFlag::new())
        .unwrap();
    let facts: Vec<_> = entries
        .iter()
        .map(|entry| (entry.kind, entry.size))
        .collect();
    assert_eq!(
        facts,
        [
            (FileKind::Directory, 0),
            (FileKind::File, 6),
            (FileKind::Link, 0)
        ]
    );
    assert!(entries[1].modified_s > 1.6e9);
}

#[test]
fn a_cut_list_says_so() {
    let place = Place::new();
    for index in 0..10 {
        put(&place.real(&format!("f{index}")), b"");
    }
    // 10 files, d, d/e, d/f.txt: 13 in all.
    for (limit, expected, more) in [
        (0, 0, true),
        (3, 3, true),
        (12, 12, true),
        (13, 13, false),
        (100, 13, false),
    ] {
        let (entries, found_more) = place
            .workspace
            .list(".", true, limit, &StopFlag::new())
            .unwrap();
        assert_eq!((entries.len(), found_more), (expected, more), "{limit}");
    }
}

#[test]
fn stopping_and_missing_are_errors() {
    let place = Place::new();
    let stop = StopFlag::new();
    stop.cancel();
    let err = place.workspace.list(".", true, 10, &stop).unwrap_err();
    assert_eq!(err.code(), ErrorCode::Cancelled);
    assert_reason(place.list("nowhere", false), "not_found");
}

/// Names that are not UTF-8 are shown with their bytes spelled out.
#[test]
fn names_that_are_no_text_are_shown() {
    let place = Place::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    put(&place.real("").join(name), b"x");
    fs::create_dir(place.real("").join(std::ffi::OsStr::from_bytes(b"\xff"))).unwrap();
    put(
        &place.real("").join(std::ffi::OsStr::from_bytes(b"\xff/in")),
        b"x",
    );
    let entries = place.list(".", true).unwrap();
    for expected in ["caf\\xe9", "\\xff", "\\xff/in"] {
        assert!(entries.iter().any(|entry| entry == expected), "{entries:?}");
    }
    place.link(name, "to_it");
    assert_eq!(place.read("to_it").unwrap(), "x");
    assert_eq!(place.workspace.identity("to_it").unwrap().path, "caf\\xe9");
}

#[test]
fn deep_trees_neither_crash_nor_hide_that_they_go_on() {
    let place = Place::new();
    let mut fd = fs::File::open(place.real("")).unwrap();
    for _ in 0..400 {
        rustix::fs::mkdirat(&fd, "x", rustix::fs::Mode::from_raw_mode(0o700)).unwrap();
        fd = rustix::fs::openat(
            &fd,
            "x",
            rustix::fs::OFlags::RDONLY,
            rustix::fs::Mode::empty(),
        )
        .unwrap()
        .into();
    }
    let (entries, more) = place
        .workspace
        .list(".", true, 10_000, &StopFlag::new())
        .unwrap();
    assert!(more);
    assert!((257..=300).contains(&entries.len()), "{}", entries.len());
}
