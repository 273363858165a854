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
        assert_eq!(
            place.workspace.identity(path).unwrap().path,
            expected,
            "{path}"
        );
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
    assert_eq!(place.workspace.identity("soon").unwrap().path, "d/later");
    assert_eq!(
        place.workspace.identity("soon/x").unwrap().path,
        "d/later/x"
    );
}

#[test]
fn hard_links_and_containment_overlap() {
    let place = Place::new();
    fs::hard_link(place.real("d/f.txt"), place.real("twin")).unwrap();
    put(&place.real("d/e/other"), b"");
    let identity = |path| place.workspace.identity(path).unwrap();
    let check = |a, b, expected| {
        assert_eq!(identity(a).overlaps(&identity(b)), expected, "{a} {b}");
        assert_eq!(identity(b).overlaps(&identity(a)), expected, "{b} {a}");
    };
    assert!(identity("twin").to_string().starts_with("twin//"));
    check("twin", "d/f.txt", true);
    check("d", "d/f.txt", true);
    check("d", "twin", false);
    check("d/e", "d/f.txt", false);
    check("d/e/other", "d/f.txt", false);
    check(".", "twin", true);
    check("d", "d/new", true);
    check("d/new", "d/new2", false);
}

/// What a call was judged by is what it reads, wherever a link leads by then.
#[test]
fn a_path_is_read_where_it_led_when_the_call_was_judged() {
    use tool_core::capability::{FileCall, LinkMode};
    let place = Place::new();
    fs::create_dir(place.real("other")).unwrap();
    put(&place.real("other/f.txt"), b"other");
    place.link("d", "l");
    let judged = place.workspace.identity("l/f.txt").unwrap().path;
    let call = FileCall {
        key: "k".to_owned(),
        places: [("l/f.txt".to_owned(), judged)].into(),
    };
    let files = place.workspace.for_call(&call).unwrap();
    fs::remove_file(place.real("l")).unwrap();
    place.link("other", "l");
    assert_eq!(files.read("l/f.txt", 100).unwrap().bytes, b"inside");
    assert_eq!(
        place.workspace.read("l/f.txt", 100).unwrap().bytes,
        b"other"
    );
    // The place itself is turned into a link.
    fs::rename(place.real("d"), place.real("moved")).unwrap();
    place.link("other", "d");
    assert_reason(files.read("l/f.txt", 100), "resource_changed");
    let opened = files.open("l/f.txt", LinkMode::Follow);
    assert_reason(opened.map(|(info, _)| info), "resource_changed");
    assert_reason(files.stat("l/f.txt"), "resource_changed");
}

/// What a killed call left is found by its key alone, and removed.
#[test]
fn what_a_call_left_is_its_own() {
    use tool_core::capability::FileCall;
    let place = Place::new();
    let files = |key: &str| {
        let call = FileCall {
            key: key.to_owned(),
            ..FileCall::default()
        };
        place.workspace.for_call(&call).unwrap()
    };
    let name = super::super::leftovers::fresh_name(&super::super::leftovers::of_call("one"));
    put(&place.real(&format!("d/{name}")), b"kept");
    assert_eq!(files("two").leftovers("d").unwrap().len(), 0);
    files("two").clear_leftovers("d").unwrap();
    assert!(place.real(&format!("d/{name}")).exists());
    assert_eq!(files("one").leftovers("d").unwrap().len(), 1);
    files("one").clear_leftovers("d").unwrap();
    assert!(!place.real(&format!("d/{name}")).exists());
    assert_eq!(place.content("d/f.txt"), "inside");
}
