use proptest::prelude::*;
use tool_core::Value;

use super::ItemPage;

const PAGE: &str = "---\r\n# who made it\r\nid: 001-a\r\nstatus: todo   # changes often\r\nfiles:\r\n- a.rs\r\n- b.rs\r\n\r\nowner: Ann  \r\nnote: |\r\n  ## not a heading\r\n  ---\r\nmine: {x: 1}\r\n---\r\n\r\n# A\r\n\r\nText.  \r\n\r\n---\r\n\r\n## Notes\r\n\r\n```sh\r\n## no heading\r\n---\r\n```\r\n\r\n<!--\r\n## hidden\r\n-->\r\nlast\r\n\r\n## Other ##\r\nx";

fn page(text: &str) -> ItemPage {
    ItemPage::parse(text).unwrap()
}

#[test]
fn one_field_changes_and_nothing_else() {
    for (key, value, from, to) in [
        (
            "status",
            Value::from("in-progress"),
            "status: todo   # changes",
            "status: in-progress   # changes",
        ),
        (
            "owner",
            Value::from("Bob: the \"second\""),
            "owner: Ann  \r\n",
            "owner: \"Bob: the \\\"second\\\"\"  \r\n",
        ),
        (
            "files",
            Value::array(vec!["c, d".into(), "e".into()]),
            "files:\r\n- a.rs\r\n- b.rs\r\n",
            "files: [\"c, d\", e]\r\n",
        ),
        (
            "note",
            Value::from("short"),
            "note: |\r\n  ## not a heading\r\n  ---\r\n",
            "note: short\r\n",
        ),
        (
            "count",
            Value::from(3_i64),
            "mine: {x: 1}\r\n",
            "mine: {x: 1}\r\ncount: 3\r\n",
        ),
        ("id", Value::from("002"), "id: 001-a", "id: \"002\""),
        ("mine", Value::from(true), "mine: {x: 1}", "mine: true"),
    ] {
        let mut changed = page(PAGE);
        changed.set_field(key, &value).unwrap();
        assert_eq!(changed.render(), PAGE.replacen(from, to, 1), "{key}");
        assert_eq!(changed.field(key).unwrap(), Some(value));
    }
    let mut same = page(PAGE);
    same.set_field("owner", &Value::from("Ann")).unwrap();
    same.remove_field("absent").unwrap();
    assert_eq!(same.render(), PAGE);
    same.remove_field("files").unwrap();
    assert_eq!(
        same.render(),
        PAGE.replacen("files:\r\n- a.rs\r\n- b.rs\r\n", "", 1)
    );
}

#[test]
fn sections_end_at_headings_alone() {
    let mut changed = page(PAGE);
    assert_eq!(
        changed.section("Notes").unwrap(),
        "```sh\n## no heading\n---\n```\n\n<!--\n## hidden\n-->\nlast"
    );
    assert_eq!(changed.section("Other").as_deref(), Some("x"));
    assert_eq!(changed.section("hidden"), None);
    changed.set_section("Other", "y\nz").unwrap();
    assert_eq!(
        changed.render(),
        PAGE.strip_suffix('x').unwrap().to_owned() + "y\r\nz"
    );
    changed.set_section("New", "one").unwrap();
    assert!(
        changed
            .render()
            .ends_with("y\r\nz\r\n\r\n## New\r\n\r\none\r\n")
    );
    changed.remove_section("New");
    changed.remove_section("Notes");
    assert!(
        !changed.render().contains("hidden") && changed.section("Other").as_deref() == Some("y\nz")
    );
    for bad in ["## x", "# x", "```\nopen", "<!-- open", "a\rb", "  ## x"] {
        let before = changed.clone();
        assert!(changed.set_section("Other", bad).is_err(), "{bad}");
        assert_eq!(changed, before);
    }
    let mut open = page("```\ncode");
    assert!(
        open.set_section("New", "x")
            .unwrap_err()
            .to_string()
            .contains("not closed")
    );
    let mut empty = page("## A\n## B\n");
    empty.set_section("A", "x").unwrap();
    assert_eq!(empty.render(), "## A\n\nx\n\n## B\n");
}

#[test]
fn frontmatter_that_cannot_be_changed_safely_stays() {
    for (text, expected) in [
        ("---\na: [1\n---\n", "frontmatter: "),
        ("---\na: 1\na: 2\n---\n", "given twice"),
        ("---\n- a\n---\n", "expected a table of keys"),
        ("---\n\"status\": x\n---\n", "one to a line"),
        ("---\n{status: x}\n---\n", "one to a line"),
    ] {
        let mut page = page(text);
        let told = page
            .set_field("status", &Value::from("done"))
            .unwrap_err()
            .to_string();
        assert!(told.contains(expected), "{told}");
        assert_eq!(page.render(), text);
    }
    let told = page("---\nok: 1\nbad: &x 1\n---\n")
        .fields()
        .unwrap_err()
        .to_string();
    assert!(told.contains("frontmatter:3:6"), "{told}");
    for key in ["", "a b", "é", "1a", "a:"] {
        assert!(page("").set_field(key, &Value::from("x")).is_err(), "{key}");
    }
    assert!(page("").set_field("x", &Value::from(1.5)).is_err());
    assert!(ItemPage::parse("x".repeat(crate::limits::ITEM_BYTES_MAX + 1)).is_err());
}

/// Lines of the kind that break naive readers.
fn hostile() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("---".to_owned()),
        Just("--- ".to_owned()),
        Just("status: todo # c".to_owned()),
        Just("status: 'a # b' # c".to_owned()),
        Just("list:\n- a\n- b".to_owned()),
        Just("block: |\n  ## x\n\n  ---".to_owned()),
        Just("# comment".to_owned()),
        Just("## Notes".to_owned()),
        Just("```".to_owned()),
        Just("~~~~ x".to_owned()),
        Just("<!-- a".to_owned()),
        Just("-->".to_owned()),
        Just("  trailing  ".to_owned()),
        Just(String::new()),
        Just("\u{feff}x".to_owned()),
        "\\PC{0,12}",
        any::<String>(),
    ];
    let ending = prop_oneof![Just("\n"), Just("\r\n")];
    (
        proptest::collection::vec(line, 0..16),
        ending,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(lines, ending, last, front)| {
            let body = lines.join("\n").replace('\n', ending) + if last { ending } else { "" };
            match front {
                true => format!("---{ending}id: x{ending}{body}"),
                false => body,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn reading_and_writing_a_page_keeps_every_byte(text in hostile()) {
        let page = page(&text);
        prop_assert_eq!(page.render(), text.as_str());
    }

    #[test]
    fn a_field_that_was_set_is_read_back(text in hostile(), value in any::<String>(), key in "status|fresh|list|block|id") {
        let mut changed = page(&text);
        let fields = changed.fields();
        match changed.set_field(&key, &Value::from(value.as_str())) {
            Ok(()) => {
                prop_assert_eq!(changed.field(&key).unwrap(), Some(Value::from(value.as_str())));
                for (other, old) in fields.unwrap().iter().filter(|(other, _)| *other != key) {
                    let new = changed.field(other).unwrap();
                    prop_assert_eq!(new.as_ref(), Some(old));
                }
                // Nothing but one stretch of the text differs, and the body stays.
                let front = super::frontmatter::find_table(&text);
                let body = front.map_or(0, |table| table.end);
                let rest = text[body..].trim_start_matches(registry::frontmatter::BYTE_ORDER_MARK);
                let kept = changed.render().ends_with(rest);
                prop_assert!(kept);
            }
            Err(_) => prop_assert_eq!(changed.render(), text.as_str()),
        }
    }

    #[test]
    fn a_page_without_frontmatter_takes_every_field(text in "[^-\u{feff}]\\PC{0,40}(\n\\PC{0,20}){0,4}", value in any::<String>()) {
        let mut changed = page(&text);
        changed.set_field("status", &Value::from(value.as_str())).unwrap();
        prop_assert_eq!(changed.field("status").unwrap(), Some(Value::from(value.as_str())));
        prop_assert!(changed.render().ends_with(&text));
    }

    #[test]
    fn a_section_that_was_set_is_read_back(text in hostile(), new in hostile(), name in "Notes|Fresh") {
        let mut changed = page(&text);
        match changed.set_section(&name, &new) {
            Ok(()) => {
                let section = changed.section(&name);
                let wanted = new.replace("\r\n", "\n");
                prop_assert_eq!(section.as_deref(), Some(wanted.trim_matches('\n')));
                prop_assert_eq!(changed.fields().is_ok(), page(&text).fields().is_ok());
            }
            Err(_) => prop_assert_eq!(changed.render(), text.as_str()),
        }
    }

    #[test]
    fn a_list_that_was_set_is_read_back(text in hostile(), list in proptest::collection::vec(any::<String>(), 0..5)) {
        let mut changed = page(&text);
        let list = Value::array(list.iter().map(|text| Value::from(text.as_str())).collect());
        match changed.set_field("list", &list) {
            Ok(()) => prop_assert_eq!(changed.field("list").unwrap(), Some(list)),
            Err(_) => prop_assert_eq!(changed.render(), text.as_str()),
        }
    }
}
