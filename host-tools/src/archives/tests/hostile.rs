//! Archives that would do harm: each is refused with its reason, and nothing is left behind.

use super::make::*;
use super::*;

const REGULAR: u32 = 0o100_644;

#[track_caller]
fn check(label: &str, archive: &[u8], kind: &str, status: &str) {
    let place = Place::new();
    place.put("a", archive);
    let manifest = place.call("archive_open", r#"{"path":"a"}"#).unwrap();
    let kinds = texts(&manifest, "problems", "kind");
    assert!(
        kinds.iter().any(|found| found == kind),
        "{label}: {kinds:?}, not {kind}"
    );
    assert_eq!(text(&manifest, "status"), status, "{label}: {kinds:?}");
    assert_eq!(text(&manifest, "recommendation"), "refuse", "{label}");
    let err = place
        .call("archive_extract", r#"{"path":"a","to":"new/folder"}"#)
        .expect_err(label);
    let reason = err.reason_str().unwrap();
    assert!(
        reason == kind || kinds.iter().any(|found| found == reason),
        "{label}: {err:?}"
    );
    assert_eq!(err.path(), Some("/path"), "{label}");
    assert!(err.hint_str().is_some(), "{label}");
    assert_eq!(place.paths(), ["a"], "{label}: something was left");
}

fn with(name: &str, change: impl Fn(&mut Member)) -> Vec<u8> {
    let mut made = member(name, b"content");
    change(&mut made);
    zip(&[member("first", b"x"), made])
}

#[test]
fn names_that_do_harm() {
    let deep = "d/".repeat(32) + "f";
    let long = "n".repeat(256);
    let longer = "n/".repeat(1100) + "f";
    for (name, kind) in [
        ("../x", "parent_name"),
        ("a/../../x", "parent_name"),
        ("a/..", "parent_name"),
        ("/etc/x", "absolute_name"),
        ("//x", "absolute_name"),
        ("..\\x", "backslash"),
        ("a\\b", "backslash"),
        ("C:/x", "drive_letter"),
        ("c:x", "drive_letter"),
        ("a\nb", "control_character"),
        ("a\u{1b}[2Jb", "control_character"),
        ("a\u{7f}", "control_character"),
        ("a\u{202e}txt.exe", "invisible_character"),
        ("a\u{2066}b", "invisible_character"),
        ("a\u{200b}b", "invisible_character"),
        (".git/hooks/post-checkout", "protected_name"),
        ("x/.GIT/config", "protected_name"),
        (&deep, "depth"),
        (&long, "name_length"),
        (&longer, "name_length"),
        (".", "name_length"),
    ] {
        let status = "suspicious";
        check(name, &zip(&[member(name, b"x")]), kind, status);
        if name.len() <= 100 {
            check(name, &tar(&[file(name, b"x")]), kind, status);
        } else {
            check(
                name,
                &tar(&[pax("path", name, b'x'), file("short", b"x")]),
                kind,
                status,
            );
        }
        if !name.contains('\u{1b}') {
            check(name, &sevenz(&[(name, 0, Some(b"x"))]), kind, status);
        }
    }
    check(
        "no UTF-8 in zip",
        &with("n", |made| made.name = vec![b'a', 0xff]),
        "name_encoding",
        "suspicious",
    );
    check(
        "no UTF-8 in tar",
        &tar(&[block(b"a\xff", b'0', 0o644, b"x")]),
        "name_encoding",
        "suspicious",
    );
    check(
        "empty name",
        &tar(&[block(b"", b'0', 0o644, b"x")]),
        "name_length",
        "suspicious",
    );
    check(
        "long GNU name",
        &tar(&[block(b"l", b'L', 0, b"../x\0"), file("short", b"x")]),
        "parent_name",
        "suspicious",
    );
}

#[test]
fn names_that_clash() {
    for (first, second, kind) in [
        ("a", "a", "duplicate"),
        ("a", "./a", "duplicate"),
        ("d/a", "d//a", "duplicate"),
        ("a", "A", "case_clash"),
        ("d/a", "D/b", "case_clash"),
        ("stra\u{df}e", "STRASSE", "case_clash"),
        ("\u{e9}", "e\u{301}", "case_clash"),
        ("\u{3c3}", "\u{3c2}", "case_clash"),
        ("a", "a/b", "file_and_folder"),
        ("a/b", "a", "file_and_folder"),
    ] {
        let label = format!("{first} {second}");
        check(
            &label,
            &zip(&[member(first, b"1"), member(second, b"2")]),
            kind,
            "suspicious",
        );
        check(
            &label,
            &tar(&[file(first, b"1"), file(second, b"2")]),
            kind,
            "suspicious",
        );
        check(
            &label,
            &sevenz(&[(first, 0, Some(b"1")), (second, 0, Some(b"2"))]),
            kind,
            "suspicious",
        );
    }
    check(
        "folder and file",
        &tar(&[block(b"a/", b'5', 0o755, b""), file("a", b"x")]),
        "file_and_folder",
        "suspicious",
    );
}

#[test]
fn members_that_are_no_files() {
    for (kind, expected) in [
        (b'1', "link"),
        (b'2', "link"),
        (b'3', "special"),
        (b'4', "special"),
        (b'6', "special"),
        (b'V', "special"),
    ] {
        check(
            "tar",
            &tar(&[file("f", b"x"), block(b"m", kind, 0o644, b"")]),
            expected,
            "suspicious",
        );
    }
    for (mode, expected) in [
        (0o120_777, "link"),
        (0o020_644, "special"),
        (0o060_644, "special"),
        (0o010_644, "special"),
        (0o140_644, "special"),
        (0o104_755, "setuid"),
        (0o102_755, "setuid"),
    ] {
        check(
            "zip",
            &with("m", |made| made.mode = mode),
            expected,
            "suspicious",
        );
        check(
            "7z",
            &sevenz(&[("m", mode << 16 | 0x8000, Some(b"x"))]),
            expected,
            "suspicious",
        );
    }
    check(
        "setuid in tar",
        &tar(&[block(b"m", b'0', 0o4755, b"x")]),
        "setuid",
        "suspicious",
    );
    check(
        "sparse",
        &tar(&[block(b"m", b'S', 0o644, b"x")]),
        "unsupported",
        "invalid",
    );
    check(
        "sparse by pax",
        &tar(&[pax("GNU.sparse.major", "1", b'x'), file("m", b"x")]),
        "unsupported",
        "invalid",
    );
}

#[test]
fn headers_that_lie() {
    check(
        "size too small",
        &with("m", |made| made.size = Some(3)),
        "lying_header",
        "suspicious",
    );
    check(
        "size too large",
        &with("m", |made| made.size = Some(30)),
        "lying_header",
        "suspicious",
    );
    check(
        "stored size",
        &with("m", |made| {
            made.method = 0;
            made.size = Some(3);
        }),
        "lying_header",
        "suspicious",
    );
    check(
        "checksum",
        &with("m", |made| made.crc = Some(1)),
        "corrupt",
        "invalid",
    );
    check(
        "local name",
        &with("m", |made| made.local_name = Some(b"n".to_vec())),
        "lying_header",
        "suspicious",
    );
    check(
        "local size",
        &with("m", |made| made.local_size = Some(8)),
        "lying_header",
        "suspicious",
    );
    check(
        "packed into the directory",
        &with("m", |made| made.packed = Some(500)),
        "lying_header",
        "suspicious",
    );
    check(
        "offset",
        &with("m", |made| made.offset = Some(5)),
        "lying_header",
        "suspicious",
    );
    check(
        "offset far away",
        &with("m", |made| made.offset = Some(u32::MAX - 1)),
        "lying_header",
        "suspicious",
    );
    check(
        "second name",
        &with("m", |made| {
            made.extra = b"\x75\x70\x06\0\x01\0\0\0\0n".to_vec()
        }),
        "lying_header",
        "suspicious",
    );
    check(
        "folder with content",
        &with("m/", |made| made.mode = 0o040_755),
        "lying_header",
        "suspicious",
    );
    check(
        "more entries",
        &zip_of(&[member("a", b"x"), member("b", b"x")], 1),
        "lying_header",
        "suspicious",
    );
    check(
        "fewer entries",
        &zip_of(&[member("a", b"x")], 2),
        "lying_header",
        "suspicious",
    );
    check(
        "two long names",
        &tar(&[
            pax("path", "a", b'x'),
            block(b"l", b'L', 0, b"b\0"),
            file("c", b"x"),
        ]),
        "lying_header",
        "suspicious",
    );
    check(
        "name for all",
        &tar(&[pax("path", "a", b'g'), file("c", b"x")]),
        "lying_header",
        "suspicious",
    );
    check(
        "behind the end",
        &[tar(&[file("a", b"x")]), file("b", b"x")].concat(),
        "trailing_data",
        "suspicious",
    );
    // Both members are the same bytes.
    let mut made = vec![member("a", &[0; 1000]), member("a", &[0; 1000])];
    made[1].offset = Some(0);
    check("overlap", &zip(&made), "overlap", "suspicious");
}

#[test]
fn archives_that_grow() {
    let zeros = vec![0; 20 << 20];
    check("zip", &zip(&[member("m", &zeros)]), "bomb", "too_large");
    // The headers say that it does not grow.
    let mut lying = member("m", &zeros);
    lying.size = Some(100);
    check("lying zip", &zip(&[lying]), "lying_header", "suspicious");
    let plain = tar(&[file("m", &zeros)]);
    check("gz", &gz(&plain), "bomb", "too_large");
    check("bz2", &bz2(&plain), "bomb", "too_large");
    check("xz", &xz(&plain, 1 << 20), "bomb", "too_large");
    check("zst", &zst(&plain, 20), "bomb", "too_large");
    check(
        "7z",
        &sevenz(&[("m", 0, Some(&zeros))]),
        "bomb",
        "too_large",
    );
    let huge = |size: &str| {
        let mut header = file("m", b"");
        header[124..136].copy_from_slice(size.as_bytes());
        sum(&mut header);
        tar(&[header])
    };
    check(
        "large file",
        &huge("77777777777\0"),
        "file_too_large",
        "too_large",
    );
    check(
        "size beyond numbers",
        &huge("\u{7f}1111111111\0"),
        "corrupt",
        "invalid",
    );
    check(
        "long pax",
        &tar(&[
            block(b"x", b'x', 0, &vec![b'x'; (1 << 20) + 1]),
            file("m", b""),
        ]),
        "name_length",
        "suspicious",
    );
    let many: Vec<Vec<u8>> = (0..10_001)
        .map(|index| file(&index.to_string(), b""))
        .collect();
    check(
        "many in tar",
        &tar(&many),
        "too_many_files",
        "too_many_files",
    );
    let many: Vec<Member> = (0..10_001)
        .map(|index| member(&index.to_string(), b""))
        .collect();
    check(
        "many in zip",
        &zip(&many),
        "too_many_files",
        "too_many_files",
    );
    check(
        "window of xz",
        &xz(&plain[..5 << 20], 512 << 20),
        "memory",
        "too_large",
    );
    check("window of zst", &zst(&plain, 28), "memory", "too_large");
}

#[test]
fn archives_that_are_damaged() {
    let good = zip(&[member("a", b"hello hello hello"), member("b", b"x")]);
    check("zip cut", &good[..good.len() - 1], "truncated", "invalid");
    check(
        "zip cut in half",
        &good[..good.len() / 2],
        "truncated",
        "invalid",
    );
    check(
        "zip with a tail",
        &[&good[..], b"x"].concat(),
        "truncated",
        "invalid",
    );
    check(
        "encrypted",
        &with("m", |made| made.flags |= 1),
        "encrypted",
        "invalid",
    );
    check(
        "method",
        &with("m", |made| made.method = 97),
        "unsupported",
        "invalid",
    );
    let mut broken = member("m", b"content");
    broken.method = 0;
    broken.data = vec![0xff; 100];
    let mut broken = zip(&[broken]);
    broken[8] = 8;
    let at = broken.len() - 22 - 47 + 10;
    broken[at] = 8;
    check("no deflate", &broken, "corrupt", "invalid");
    let plain = tar(&[file("a", &[7; 3000])]);
    check("tar cut", &plain[..2000], "truncated", "invalid");
    check(
        "tar without end",
        &plain[..plain.len() - 1024],
        "truncated",
        "invalid",
    );
    let mut summed = plain.clone();
    summed[3] ^= 1;
    let other = [file("b", b"x"), summed].concat();
    check("checksum of a header", &other, "corrupt", "invalid");
    for (label, packed) in [
        ("gz", gz(&plain)),
        ("bz2", bz2(&plain)),
        ("xz", xz(&plain, 1 << 20)),
        ("zst", zst(&plain, 20)),
    ] {
        check(label, &packed[..packed.len() - 5], "truncated", "invalid");
        check(
            label,
            &[&packed[..], b"garbage garbage garbage"].concat(),
            "corrupt",
            "invalid",
        );
    }
    check(
        "gz of a text",
        &gz(b"no tar at all, and shorter than a block"),
        "truncated",
        "invalid",
    );
    let seven = sevenz(&[("a", 0, Some(&[7; 3000]))]);
    check("7z cut", &seven[..seven.len() - 5], "truncated", "invalid");
    let mut flipped = seven;
    flipped[40] ^= 0xff;
    check("7z damaged", &flipped, "corrupt", "invalid");
    check("nothing", b"", "not_an_archive", "invalid");
    check("text", &b"text ".repeat(200), "not_an_archive", "invalid");
    check(
        "start of 7z alone",
        b"7z\xbc\xaf\x27\x1c\0\x04",
        "truncated",
        "invalid",
    );
    check(
        "regular mode",
        &with("m", |made| {
            made.mode = REGULAR;
            made.crc = Some(2);
        }),
        "corrupt",
        "invalid",
    );
}

/// A directory that asks for a lot before anything can be checked.
#[test]
fn directories_of_7z_are_bounded() {
    let start = |directory: &[u8]| {
        let mut out = b"7z\xbc\xaf\x27\x1c\0\x04".to_vec();
        let mut rest = Vec::new();
        rest.extend(0_u64.to_le_bytes());
        rest.extend((directory.len() as u64).to_le_bytes());
        rest.extend(crc32fast::hash(directory).to_le_bytes());
        out.extend(crc32fast::hash(&rest).to_le_bytes());
        out.extend(rest);
        out.extend(directory);
        out
    };
    // One stream through LZMA with a window of 2 GiB; through LZMA2, unpacked to 1 GiB; through AES.
    let lzma: &[u8] = &[
        0x17, 6, 0, 1, 9, 10, 0, 7, 11, 1, 0, 1, 0x23, 3, 1, 1, 5, 0x5d, 0, 0, 0, 0x80, 12, 100, 0,
        0,
    ];
    let grows: &[u8] = &[
        0x17, 6, 0, 1, 9, 10, 0, 7, 11, 1, 0, 1, 0x21, 0x21, 1, 10, 12, 0xf0, 0, 0, 0, 0x40, 0, 0,
    ];
    let aes: &[u8] = &[
        0x17, 6, 0, 1, 9, 10, 0, 7, 11, 1, 0, 1, 0x24, 6, 0xf1, 7, 1, 1, 0, 12, 100, 0, 0,
    ];
    check("window", &start(lzma), "memory", "too_large");
    check("unpacked", &start(grows), "memory", "too_large");
    check("encrypted", &start(aes), "encrypted", "invalid");
    check(
        "several streams",
        &start(&[0x17, 6, 0, 2]),
        "unsupported",
        "invalid",
    );
    check("cut", &start(&[0x17, 6, 0, 1, 9]), "corrupt", "invalid");
}

#[test]
fn what_is_not_chosen_does_no_harm() {
    let place = Place::new();
    place.put(
        "a",
        &zip(&[
            member("good", b"fine"),
            member("../bad", b"x"),
            member("d/good", b"x"),
        ]),
    );
    let output = place
        .call(
            "archive_extract",
            r#"{"path":"a","to":"out","files":["good","./d/good"]}"#,
        )
        .unwrap();
    assert_eq!(
        (number(&output, "extracted"), number(&output, "skipped")),
        (2, 1)
    );
    assert_eq!(place.content("out/good"), b"fine");
    for (args, reason) in [
        (
            r#"{"path":"a","to":"more","files":["good","missing"]}"#,
            "no_member",
        ),
        (r#"{"path":"a","to":"more","pattern":"*.txt"}"#, "no_member"),
        (r#"{"path":"a","to":"more","pattern":"**"}"#, "parent_name"),
        (r#"{"path":"a","to":"out","files":["good"]}"#, "not_empty"),
        (r#"{"path":"a","to":"a","files":["good"]}"#, "exists"),
        (
            r#"{"path":"a","to":"a/x","files":["good"]}"#,
            "not_a_folder",
        ),
        (r#"{"path":"a","to":".","files":["good"]}"#, "not_empty"),
        (
            r#"{"path":"a","to":"../x","files":["good"]}"#,
            "outside_workspace",
        ),
        (
            r#"{"path":"a","to":".git/x","files":["good"]}"#,
            "protected_path",
        ),
        (
            r#"{"path":"a","to":"plugins","files":["good"]}"#,
            "protected_path",
        ),
        (r#"{"path":"b","to":"more"}"#, "not_found"),
    ] {
        let err = place.call("archive_extract", args).unwrap_err();
        assert_eq!(err.reason_str(), Some(reason), "{args}: {err:?}");
        assert_eq!(
            place.paths(),
            ["a", "out", "out/d", "out/d/good", "out/good"],
            "{args}"
        );
    }
    for args in [
        r#"{"path":"a","to":"more","pattern":"*","files":["good"]}"#,
        r#"{"path":"a","to":"more","files":[]}"#,
    ] {
        assert_eq!(
            place.call("archive_extract", args).unwrap_err().path(),
            Some("/files")
        );
    }
}

/// A call that is stopped leaves nothing either.
#[test]
fn a_stopped_call_leaves_nothing() {
    let place = Place::new();
    place.put("a", &gz(&tar(&[file("x", &[1; 100_000])])));
    place.ctx.stop().cancel();
    for (tool, args) in [
        ("archive_extract", r#"{"path":"a","to":"out"}"#),
        ("archive_open", r#"{"path":"a"}"#),
        ("archive_search", r#"{"path":"a","query":"x"}"#),
        ("archive_create", r#"{"path":"b.zip","from":"a"}"#),
    ] {
        let err = place.call(tool, args).unwrap_err();
        assert_eq!(err.code(), tool_core::ErrorCode::Cancelled, "{tool}");
        assert_eq!(place.paths(), ["a"], "{tool}");
    }
}

/// The archive of the examples shows what it is there for.
#[test]
fn the_example_is_hostile_in_many_ways() {
    let archive = include_bytes!("../../../../examples/hostile.zip");
    check("examples/hostile.zip", archive, "parent_name", "suspicious");
    let place = Place::new();
    place.put("a", archive);
    let manifest = place.call("archive_open", r#"{"path":"a"}"#).unwrap();
    assert_eq!(
        texts(&manifest, "problems", "kind"),
        [
            "parent_name",
            "absolute_name",
            "drive_letter",
            "backslash",
            "protected_name",
            "link",
            "special",
            "setuid",
            "invisible_character",
            "control_character",
            "case_clash"
        ]
    );
}
