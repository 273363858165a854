use tool_core::capability::identities_overlap;

use super::*;

#[test]
fn one_file_has_one_identity() {
    let place = Place::new();
    place.link("d", "l");
    place.link("l/../d/f.txt", "deep");
    for (path, expected) in [
        ("d/f.txt", "d/f.txt"),
        ("l/f.txt", "d/f.txt"),
        ("l/../d//f.txt", "d/f.txt"),
        ("deep", "d/f.txt"),
        ("d/e/..", "d"),
        ("d/", "d"),
        (".", "."),
        ("d/..", "."),
        ("d/missing", "d/missing"),
        ("l/missing/below", "d/missing/below"),
        ("./missing", "missing"),
    ] {
        assert_eq!(place.workspace.identity(path).unwrap(), expected, "{path}");
    }
    assert_reason(place.workspace.identity("d/missing/.."), "not_found");
    assert_reason(place.workspace.identity("d/f.txt/.."), "not_a_folder");
    assert_reason(place.workspace.identity("d/f.txt/x"), "not_a_folder");
}

/// A link to what is missing means the place it points to.
#[test]
fn a_dangling_link_is_its_target() {
    let place = Place::new();
    place.link("d/later", "soon");
    assert_eq!(place.workspace.identity("soon").unwrap(), "d/later");
    assert_eq!(place.workspace.identity("soon/x").unwrap(), "d/later/x");
}

#[test]
fn hard_links_and_containment_overlap() {
    let place = Place::new();
    fs::hard_link(place.real("d/f.txt"), place.real("twin")).unwrap();
    put(&place.real("d/e/other"), b"");
    let identity = |path| place.workspace.identity(path).unwrap();
    let check = |a, b, expected| {
        assert_eq!(
            identities_overlap(&identity(a), &identity(b)),
            expected,
            "{a} {b}"
        );
        assert_eq!(
            identities_overlap(&identity(b), &identity(a)),
            expected,
            "{b} {a}"
        );
    };
    assert!(identity("twin").starts_with("twin//"));
    check("twin", "d/f.txt", true);
    check("d", "d/f.txt", true);
    check("d", "twin", false);
    check("d/e", "d/f.txt", false);
    check("d/e/other", "d/f.txt", false);
    check(".", "twin", true);
    check("d", "d/new", true);
    check("d/new", "d/new2", false);
}
