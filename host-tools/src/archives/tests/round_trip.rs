//! What is packed is unpacked again, in every format; what other programs packed is read.

use super::make::*;
use super::*;

const FORMATS: [&str; 6] = ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"];

fn project() -> Place {
    let place = Place::new();
    let noise: Vec<u8> = (0..300_000_u32)
        .flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes())
        .collect();
    place.put("src/empty", b"");
    place.put("src/text.txt", "gr\u{fc}\u{df}e\nsecond line\n".as_bytes());
    place.put("src/deep/er/noise.bin", &noise);
    place.put("src/gr\u{fc}\u{df}e.txt", b"name\n");
    place.put(
        &format!("src/{}/{}.txt", "f".repeat(80), "n".repeat(80)),
        b"long\n",
    );
    place.put("src/run.sh", b"#!/bin/sh\n");
    place.put("src/.git/config", b"private\n");
    let script = place.folder.path().join("src/run.sh");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", place.folder.path().join("src/link")).unwrap();
    place
}

#[test]
fn every_format_round_trips() {
    let place = project();
    for format in FORMATS {
        let made = place
            .call(
                "archive_create",
                &format!(r#"{{"path":"out.{format}","from":"src"}}"#),
            )
            .unwrap();
        assert_eq!(
            (number(&made, "files"), number(&made, "skipped")),
            (6, 1),
            "{format}"
        );
        assert_eq!(text(&made, "format"), format);
        let manifest = place
            .call("archive_open", &format!(r#"{{"path":"out.{format}"}}"#))
            .unwrap();
        assert_eq!(text(&manifest, "status"), "valid", "{manifest:?}");
        assert_eq!(text(&manifest, "format"), format);
        assert_eq!(number(&manifest, "total_files"), 6);
        assert_eq!(number(&manifest, "total_size"), number(&made, "total_size"));
        let to = format!("un.{format}");
        let output = place
            .call(
                "archive_extract",
                &format!(r#"{{"path":"out.{format}","to":"{to}"}}"#),
            )
            .unwrap();
        assert_eq!(number(&output, "bytes"), number(&made, "total_size"));
        for path in texts(&manifest, "files", "name") {
            assert_eq!(
                place.content(&format!("{to}/{path}")),
                place.content(&format!("src/{path}")),
                "{format} {path}"
            );
        }
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| {
            place
                .folder
                .path()
                .join(&to)
                .join(name)
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o111
        };
        assert!(mode("run.sh") != 0 && mode("text.txt") == 0, "{format}");
        // Again, later and elsewhere: the same bytes.
        place
            .call(
                "archive_create",
                &format!(
                    r#"{{"path":"again","from":"{to}","format":"{format}","overwrite":true}}"#
                ),
            )
            .unwrap();
        assert_eq!(
            place.content("again"),
            place.content(&format!("out.{format}")),
            "{format}"
        );
    }
}

#[test]
fn other_programs_read_and_write_the_same() {
    // A zip by Info-ZIP 3.0 with a folder, a text and an executable; a tar.gz by GNU tar 1.35 of the same.
    const ZIP: &str = include_str!("infozip.b64");
    const TAR: &str = include_str!("gnutar.b64");
    use base64::Engine as _;
    let bytes = |text: &str| {
        base64::engine::general_purpose::STANDARD
            .decode(text.replace('\n', ""))
            .unwrap()
    };
    for archive in [bytes(ZIP), bytes(TAR)] {
        let place = Place::new();
        place.put("a", &archive);
        let manifest = place.call("archive_open", r#"{"path":"a"}"#).unwrap();
        assert_eq!(text(&manifest, "status"), "valid", "{manifest:?}");
        assert_eq!(
            (
                number(&manifest, "total_files"),
                number(&manifest, "total_folders")
            ),
            (2, 1)
        );
        place
            .call("archive_extract", r#"{"path":"a","to":"out"}"#)
            .unwrap();
        assert_eq!(
            place.content("out/folder/text.txt"),
            b"some text, some text, some text\n"
        );
        assert_eq!(
            place.paths(),
            [
                "a",
                "out",
                "out/folder",
                "out/folder/run.sh",
                "out/folder/text.txt"
            ]
        );
    }
}

#[test]
fn archives_of_7z_are_read() {
    let place = Place::new();
    place.put(
        "a.txt",
        &sevenz(&[
            ("d", 0x10, None),
            ("d/x.txt", 0, Some(b"hello\nworld\n")),
            ("empty", 0, Some(b"")),
            ("y.bin", 0o100_755 << 16 | 0x8000, Some(&[0, 1, 2])),
        ]),
    );
    let manifest = place.call("archive_open", r#"{"path":"a.txt"}"#).unwrap();
    assert_eq!(text(&manifest, "status"), "valid", "{manifest:?}");
    assert_eq!(text(&manifest, "format"), "7z");
    place
        .call("archive_extract", r#"{"path":"a.txt","to":"out"}"#)
        .unwrap();
    assert_eq!(place.content("out/d/x.txt"), b"hello\nworld\n");
    assert_eq!(place.content("out/empty"), b"");
    let read = place
        .call(
            "archive_file",
            r#"{"path":"a.txt","filename":"y.bin","encoding":"base64"}"#,
        )
        .unwrap();
    assert_eq!(text(&read, "content"), "AAEC");
    let found = place
        .call("archive_search", r#"{"path":"a.txt","query":"WORLD"}"#)
        .unwrap();
    assert_eq!(texts(&found, "matches", "file"), ["d/x.txt"]);
    assert_eq!(number(&found, "files_skipped"), 1);
}

#[test]
fn members_are_read_and_searched() {
    for archive in [
        zip(&[
            member("a.txt", b"one\nTwo\n"),
            member("d/b.txt", b"two\n"),
            member("c.bin", &[0, 1]),
        ]),
        gz(&tar(&[
            file("./a.txt", b"one\nTwo\n"),
            file("d/b.txt", b"two\n"),
            file("c.bin", &[0, 1]),
        ])),
    ] {
        let place = Place::new();
        place.put("a", &archive);
        let read = |more: &str| place.call("archive_file", &format!(r#"{{"path":"a",{more}}}"#));
        assert_eq!(
            text(&read(r#""filename":"a.txt""#).unwrap(), "content"),
            "one\nTwo\n"
        );
        let cut = read(r#""filename":"./d//b.txt","max_bytes":2"#).unwrap();
        assert_eq!(
            (
                text(&cut, "content"),
                cut.get("truncated").unwrap().as_bool()
            ),
            ("tw".to_owned(), Some(true))
        );
        assert_eq!(
            read(r#""filename":"b.txt""#).unwrap_err().path(),
            Some("/filename")
        );
        assert_eq!(
            read(r#""filename":"d""#).unwrap_err().reason_str(),
            Some("no_member")
        );
        place.put(
            "b",
            &zip(&[{
                let mut odd = member("x", &[0xff]);
                odd.method = 0;
                odd
            }]),
        );
        let err = place
            .call("archive_file", r#"{"path":"b","filename":"x"}"#)
            .unwrap_err();
        assert_eq!(err.path(), Some("/encoding"));
        let search = |more: &str| {
            let output = place
                .call("archive_search", &format!(r#"{{"path":"a",{more}}}"#))
                .unwrap();
            let files = texts(&output, "matches", "file");
            let lines = texts(&output, "matches", "match");
            let found: Vec<String> = files
                .iter()
                .zip(lines)
                .map(|(file, line)| format!("{file}={line}"))
                .collect();
            format!(
                "{} {}",
                found.join(" "),
                output.get("truncated").unwrap().as_bool().unwrap()
            )
        };
        assert_eq!(search(r#""query":"two""#), "a.txt=Two d/b.txt=two false");
        assert_eq!(
            search(r#""query":"two","ignore_case":false"#),
            "d/b.txt=two false"
        );
        assert_eq!(
            search(r#""query":"t.o","regex":true,"max_matches":1"#),
            "a.txt=Two true"
        );
        assert_eq!(search(r#""query":"t.o""#), " false");
        assert_eq!(
            search(r#""query":"o","pattern":"d/*""#),
            "d/b.txt=two false"
        );
    }
}

#[test]
fn packing_says_what_it_cannot() {
    let place = project();
    place.put("there.zip", b"x");
    for (args, reason) in [
        (r#"{"path":"there.zip","from":"src"}"#, "exists"),
        (r#"{"path":"x.rar","from":"src"}"#, "-"),
        (r#"{"path":"x.zip","from":"missing"}"#, "not_found"),
        (
            r#"{"path":"x.zip","from":"src","pattern":"*.nothing"}"#,
            "empty",
        ),
        (r#"{"path":"x.zip","from":"../"}"#, "outside_workspace"),
        (r#"{"path":"../x.zip","from":"src"}"#, "outside_workspace"),
        (r#"{"path":".git/x.zip","from":"src"}"#, "protected_path"),
    ] {
        let err = place.call("archive_create", args).unwrap_err();
        assert_eq!(err.reason_str().unwrap_or("-"), reason, "{args}: {err:?}");
        if reason == "exists" {
            assert!(
                err.hint_str()
                    .is_some_and(|hint| hint.contains("`overwrite`"))
            );
        }
    }
    // An archive in the folder that it packs is not in itself.
    for _ in 0..2 {
        place
            .call(
                "archive_create",
                r#"{"path":"src/self.tar","from":"src","overwrite":true}"#,
            )
            .unwrap();
    }
    let manifest = place
        .call("archive_open", r#"{"path":"src/self.tar"}"#)
        .unwrap();
    assert_eq!(number(&manifest, "total_files"), 6);
    let one = place
        .call(
            "archive_create",
            r#"{"path":"one.zip","from":"src/text.txt"}"#,
        )
        .unwrap();
    assert_eq!(number(&one, "files"), 1);
    let some = place
        .call(
            "archive_create",
            r#"{"path":"some.zip","from":"src","pattern":"*.txt"}"#,
        )
        .unwrap();
    assert_eq!(number(&some, "files"), 3);
}

/// What a call sets aside grows with what it packs, not with the number of files.
#[test]
fn many_small_files_are_packed() {
    let place = Place::new();
    for index in 0..1000 {
        place.put(&format!("src/{index}"), b"x");
    }
    for format in ["zip", "tar"] {
        let args = format!(r#"{{"path":"out.{format}","from":"src"}}"#);
        assert_eq!(
            number(&place.call("archive_create", &args).unwrap(), "files"),
            1000
        );
    }
}
