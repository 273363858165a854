//! Any bytes: no reader panics, and what is refused leaves nothing.

use proptest::prelude::*;

use super::make::*;
use super::*;

fn samples() -> Vec<Vec<u8>> {
    let plain = tar(&[
        pax("path", "long/name", b'x'),
        file("x", b"some text"),
        block(b"d/", b'5', 0o755, b""),
        block(b"l", b'L', 0, b"other\0"),
        file("y", &[3; 600]),
    ]);
    let mut stored = member("c", b"stored");
    stored.method = 0;
    vec![
        zip(&[member("a/b", b"text text text"), stored, member("d/", b"")]),
        gz(&plain),
        bz2(&plain),
        xz(&plain, 1 << 16),
        zst(&plain, 12),
        sevenz(&[
            ("d", 0x10, None),
            ("d/x", 0, Some(b"hello hello")),
            ("y", 0, Some(b"z")),
        ]),
        plain,
    ]
}

fn all_tools(bytes: &[u8]) {
    let place = Place::new();
    place.put("a", bytes);
    let manifest = place.call("archive_open", r#"{"path":"a"}"#).unwrap();
    let valid = text(&manifest, "status") == "valid";
    let extracted = place.call("archive_extract", r#"{"path":"a","to":"out"}"#);
    assert_eq!(extracted.is_ok(), valid, "{manifest:?} {extracted:?}");
    if extracted.is_err() {
        assert_eq!(place.paths(), ["a"]);
    }
    let _ = place.call("archive_file", r#"{"path":"a","filename":"y"}"#);
    let _ = place.call("archive_search", r#"{"path":"a","query":"t"}"#);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    /// Good archives with some bytes changed, cut or repeated.
    #[test]
    fn damaged_archives_are_refused_or_read(
        sample in 0_usize..7,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<prop::sample::Index>()),
        double in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(at) = double {
            let rest = bytes[at.index(bytes.len())..].to_vec();
            bytes.extend(rest);
        }
        if let Some(at) = cut {
            bytes.truncate(at.index(bytes.len()));
        }
        all_tools(&bytes);
    }

    /// A right beginning and then anything.
    #[test]
    fn noise_is_refused(sample in 0_usize..7, kept in 4_usize..40, noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = samples().swap_remove(sample);
        bytes.truncate(kept);
        bytes.extend(noise);
        all_tools(&bytes);
    }
}
