use std::io::Read;
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tool_core::capability::{FileChange, FileKind, LinkMode};

use super::*;

/// Every path that must not be reached, by reading, writing, listing, making folders or naming.
#[test]
fn no_path_leads_out() {
    let place = Place::new();
    let top = place.top.path().display().to_string();
    place.link("../secret", "up");
    place.link("..", "parent");
    place.link(format!("{top}/secret"), "absolute");
    place.link(format!("{top}/ws-evil"), "sibling");
    place.link("d/../../secret", "winding");
    place.link("/proc/self/root", "proc_root");
    place.link("/proc/self/cwd", "proc_cwd");
    place.link("/", "root");
    place.link("hop2", "hop1");
    place.link("parent", "hop2");
    for path in [
        "../secret",
        "d/../../secret",
        "d/e/../../../secret",
        "..",
        "../ws-evil/secret",
        "/etc/passwd",
        "//etc/passwd",
        "/proc/self/root/etc/passwd",
        "up",
        "parent/secret",
        "absolute",
        "sibling/secret",
        "winding",
        "proc_root/etc/passwd",
        "proc_root",
        "proc_cwd/x",
        "root/etc/passwd",
        "hop1/secret",
        &format!("{top}/secret"),
        &format!("{top}/ws-evil/secret"),
        &format!("{top}/ws/../secret"),
        &format!("{top}/ws/parent/secret"),
        &top,
    ] {
        assert_reason(place.read(path), "outside_workspace");
        assert_reason(place.workspace.identity(path), "outside_workspace");
        assert_reason(place.list(path, false), "outside_workspace");
        for recursive in [
            place.list(path, true).err(),
            place.write(path, "x", WriteMode::Overwrite).err(),
            place.write(path, "x", WriteMode::Create).err(),
            place.write(path, "x", WriteMode::Append).err(),
            place.workspace.make_folder(path).err(),
        ] {
            let err = recursive.unwrap_or_else(|| panic!("{path} was taken"));
            let reason = err.reason_str().unwrap();
            assert!(
                [
                    "outside_workspace",
                    "link",
                    "path",
                    "not_a_folder",
                    "not_a_file"
                ]
                .contains(&reason),
                "{path}: {err:?}"
            );
        }
    }
    place.assert_outside_untouched();
}

/// Case R76: decided by components after resolution.
#[test]
fn the_root_is_found_by_components() {
    let place = Place::new();
    let top = place.top.path().display().to_string();
    std::os::unix::fs::symlink(place.real(""), place.top.path().join("alias")).unwrap();
    for path in [
        format!("{top}/ws/d/f.txt"),
        format!("{top}/ws//d/./f.txt"),
        format!("{top}/ws-evil/../ws/d/f.txt"),
        format!("{top}/alias/d/f.txt"),
        format!("/{top}/ws/d/f.txt"),
        "d/f.txt".to_owned(),
        "./d//f.txt".to_owned(),
        "d/e/../f.txt".to_owned(),
    ] {
        assert_eq!(place.read(&path).unwrap(), "inside", "{path}");
        assert_eq!(
            place.workspace.identity(&path).unwrap().path,
            "d/f.txt",
            "{path}"
        );
    }
    for root in [
        format!("{top}/ws"),
        format!("{top}/ws/"),
        ".".to_owned(),
        "d/..".to_owned(),
    ] {
        assert_eq!(place.workspace.identity(&root).unwrap().path, ".", "{root}");
        assert!(
            place
                .list(&root, false)
                .unwrap()
                .contains(&if root == "d/.." {
                    "d/../d".into()
                } else {
                    "d".into()
                })
        );
    }
    std::fs::remove_file(place.top.path().join("alias")).unwrap();
    place.assert_outside_untouched();
}

#[test]
fn links_within_are_followed_for_reading_only() {
    let place = Place::new();
    place.link("d/f.txt", "file_link");
    place.link("d", "folder_link");
    place.link(place.real("d"), "absolute_link");
    place.link("absolute_link", "second_hop");
    for path in [
        "file_link",
        "folder_link/f.txt",
        "absolute_link/f.txt",
        "second_hop/f.txt",
    ] {
        assert_eq!(place.read(path).unwrap(), "inside", "{path}");
        assert_eq!(place.workspace.identity(path).unwrap().path, "d/f.txt");
        for mode in [WriteMode::Create, WriteMode::Append, WriteMode::Overwrite] {
            assert_reason(place.write(path, "changed", mode), "link");
        }
    }
    for path in ["folder_link/new", "absolute_link/new", "second_hop/../x"] {
        assert_reason(place.write(path, "new", WriteMode::Create), "link");
    }
    assert_reason(place.workspace.make_folder("folder_link/new"), "link");
    assert_eq!(
        place.list("folder_link", false).unwrap(),
        ["folder_link/e", "folder_link/f.txt"]
    );
    assert_reason(place.list("folder_link", true), "link");
    assert_eq!(place.content("d/f.txt"), "inside");
}

#[test]
fn a_circle_of_links_ends() {
    let place = Place::new();
    place.link("b", "a");
    place.link("a", "b");
    assert_reason(place.read("a"), "link");
    assert_reason(place.workspace.identity("a"), "link");
}

#[test]
fn only_regular_files_are_read_and_written() {
    let place = Place::new();
    mknodat(
        CWD,
        place.real("pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(place.real("socket")).unwrap();
    let mut paths = vec!["pipe", "socket", "d", "."];
    // Making a device takes rights that a test may not have.
    let null = rustix::fs::makedev(1, 3);
    if mknodat(
        CWD,
        place.real("null"),
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o600),
        null,
    )
    .is_ok()
    {
        paths.push("null");
    }
    for path in paths {
        assert_reason(place.read(path), "not_a_file");
        if path != "." {
            for mode in [WriteMode::Create, WriteMode::Append, WriteMode::Overwrite] {
                assert_reason(place.write(path, "x", mode), "not_a_file");
            }
        }
    }
    assert_reason(place.list("d/f.txt", false), "not_a_folder");
    assert_reason(place.read("d/f.txt/x"), "not_a_folder");
}

#[test]
fn malformed_paths_are_refused_in_words() {
    let place = Place::new();
    let long_name = "n".repeat(256);
    let long_path = "p/".repeat(2048);
    let many_parts = vec!["p"; 257].join("/");
    for path in ["", "a\0b", "\0", &long_name, &long_path, &many_parts] {
        assert_reason(place.read(path), "path");
        assert_reason(place.write(path, "x", WriteMode::Create), "path");
        assert_reason(place.list(path, true), "path");
        assert_reason(place.workspace.identity(path), "path");
    }
    let most_parts = vec!["p"; 256].join("/");
    assert_reason(place.read(&most_parts), "not_found");
    let err = place.read("line\nbreak\u{1b}[31m").unwrap_err();
    assert_eq!(err.message(), "`line\\nbreak\\u{1b}[31m` does not exist");
}

#[test]
fn a_racing_link_never_leads_out() {
    race(Duration::from_secs(1));
}

#[test]
#[ignore = "takes a minute; .ci/soak runs it"]
fn a_racing_link_never_leads_out_in_a_minute() {
    race(Duration::from_secs(60));
}

/// One thread exchanges a folder and a file for links to the outside while the other reads, writes, changes, deletes and lists.
fn race(duration: Duration) {
    let place = Place::new();
    let outside = place.top.path().join("ws-evil");
    std::os::unix::fs::symlink(&outside, place.real("link_folder")).unwrap();
    std::os::unix::fs::symlink(outside.join("secret"), place.real("link_file")).unwrap();
    std::fs::create_dir(place.real("race")).unwrap();
    put(&place.real("race/secret"), b"inside");
    put(&place.real("file"), b"inside");
    let done = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = |a: &str, b: &str| {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(CWD, place.real(a), CWD, place.real(b), flags).unwrap();
            };
            while !done.load(Ordering::Relaxed) {
                exchange("race", "link_folder");
                exchange("file", "link_file");
            }
        });
        let end = Instant::now() + duration;
        let stop = StopFlag::new();
        while Instant::now() < end {
            for path in ["race/secret", "file", "race/../race/secret"] {
                match place.read(path) {
                    Ok(text) => {
                        assert_ne!(text, "SECRET");
                        inside += 1;
                    }
                    Err(_) => refused += 1,
                }
            }
            let _ = place.write("race/new", "x", WriteMode::Overwrite);
            let _ = place.write("race/log", "x", WriteMode::Append);
            let _ = place.workspace.make_folder("race/made");
            for links in [LinkMode::Follow, LinkMode::Refuse] {
                if let Ok((_, mut reader)) = place.workspace.open("race/secret", links) {
                    let mut text = String::new();
                    reader.read_to_string(&mut text).unwrap();
                    assert_ne!(text, "SECRET");
                }
                if let Ok(entries) = place.workspace.entries("race", links, &stop) {
                    assert!(
                        entries
                            .iter()
                            .all(|entry| !entry.path.ends_with("only_outside"))
                    );
                }
            }
            let _ = place.workspace.change(&[
                FileChange::Create {
                    path: "race/deep/made".to_owned(),
                    content: b"x".to_vec(),
                    mode: None,
                },
                FileChange::Replace {
                    path: "race/secret".to_owned(),
                    before: b"inside".to_vec(),
                    content: b"inside".to_vec(),
                },
            ]);
            let _ = place.workspace.remove("race/deep/made", FileKind::File);
            if let Ok(mut draft) = place.workspace.draft("race/draft/folder") {
                let _ = draft.make_file("d/f", false);
                let _ = draft.finish();
            }
            let _ = place
                .workspace
                .remove("race/draft/folder/d/f", FileKind::File);
            for folder in ["race/draft/folder/d", "race/draft/folder", "race/draft"] {
                let _ = place.workspace.remove(folder, FileKind::Directory);
            }
            let _ = place.workspace.remove("race/only_outside", FileKind::File);
            if let Ok((entries, _)) = place.workspace.list(".", true, 1000, &stop) {
                assert!(
                    entries
                        .iter()
                        .all(|entry| !entry.path.ends_with("only_outside"))
                );
            }
            if let Ok(identity) = place.workspace.identity("race/secret") {
                assert_eq!(identity.path, "race/secret");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(
        inside > 0 && refused > 0,
        "the race did not happen: {inside} inside, {refused} refused"
    );
    place.assert_outside_untouched();
}
