//! Ranges of bytes and of lines.

use super::*;

fn read(place: &Place, more: &str) -> Result<Value, ToolError> {
    place.call("read_file", &format!(r#"{{"path":"f"{more}}}"#))
}

fn member(output: &Value, name: &str) -> String {
    output
        .get(name)
        .map_or("-".to_owned(), |value| match value.as_str() {
            Some(text) => text.to_owned(),
            None => json::to_text(value),
        })
}

#[test]
fn lines_are_counted_from_one() {
    let place = Place::new();
    let long = "x".repeat(200_000);
    let file = format!("one\ntwo\r\n\n{long}\nlast");
    place.put("f", file.as_bytes());
    for (first, last, content, lines, truncated) in [
        (1, Some(1), "one\n", r#"{"first":1,"last":1}"#, true),
        (2, Some(3), "two\r\n\n", r#"{"first":2,"last":3}"#, true),
        (5, None, "last", r#"{"first":5,"last":5}"#, false),
        (5, Some(9), "last", r#"{"first":5,"last":5}"#, false),
        (
            3,
            Some(4),
            &format!("\n{long}\n"),
            r#"{"first":3,"last":4}"#,
            true,
        ),
        (1, None, &file, r#"{"first":1,"last":5}"#, false),
    ] {
        let last = last.map_or(String::new(), |last: i32| format!(r#","last_line":{last}"#));
        let output = read(&place, &format!(r#","first_line":{first}{last}"#)).unwrap();
        assert_eq!(member(&output, "content"), content, "{first}");
        assert_eq!(member(&output, "lines"), lines, "{first}");
        assert_eq!(
            member(&output, "truncated"),
            truncated.to_string(),
            "{first}"
        );
        assert_eq!(member(&output, "next_offset"), "-");
    }
    let err = read(&place, r#","first_line":6"#).unwrap_err();
    assert_eq!(
        (err.path(), err.message()),
        (Some("/first_line"), "the file has 5 lines")
    );
    for (more, path) in [
        (r#","first_line":3,"last_line":2"#, "/last_line"),
        (r#","first_line":0"#, "/first_line"),
        (r#","first_line":1,"offset":1"#, "/offset"),
        (r#","first_line":1,"encoding":"base64""#, "/encoding"),
        (r#","offset":200019"#, "/offset"),
    ] {
        assert_eq!(read(&place, more).unwrap_err().path(), Some(path), "{more}");
    }
    place.put("f", b"");
    let output = read(&place, r#","first_line":1"#).unwrap();
    assert_eq!(member(&output, "lines"), r#"{"first":1,"last":0}"#);
    place.put("f", b"a\n");
    let output = read(&place, r#","first_line":1"#).unwrap();
    assert_eq!(member(&output, "lines"), r#"{"first":1,"last":1}"#);
    assert!(read(&place, r#","first_line":2"#).is_err());
}

#[test]
fn lines_of_two_byte_units_are_found() {
    let place = Place::new();
    // U+010A and U+0A00 hold the byte of a line feed and are none.
    for big in [false, true] {
        let units: Vec<u16> = "\u{feff}\u{10a}\u{a00}a\nb\u{a0a}\nc"
            .encode_utf16()
            .collect();
        let bytes: Vec<u8> = units
            .iter()
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect();
        place.put("f", &bytes);
        let output = read(
            &place,
            r#","encoding":"utf-16","first_line":1,"last_line":1"#,
        )
        .unwrap();
        assert_eq!(member(&output, "content"), "\u{10a}\u{a00}a\n");
        if !big {
            let output = read(
                &place,
                r#","encoding":"utf-16","first_line":2,"last_line":2"#,
            )
            .unwrap();
            assert_eq!(member(&output, "content"), "b\u{a0a}\n");
        }
    }
}

#[test]
fn long_lines_are_cut_and_say_where() {
    let place = Place::new();
    place.put("f", "ab\nüüü\nc".as_bytes());
    let output = read(&place, r#","first_line":2,"max_bytes":3"#).unwrap();
    assert_eq!(member(&output, "content"), "ü");
    assert_eq!(member(&output, "next_offset"), "5");
    assert_eq!(member(&output, "lines"), r#"{"first":2,"last":2}"#);
    let output = read(&place, r#","max_bytes":3"#).unwrap();
    assert_eq!(member(&output, "content"), "ab\n");
    let output = read(&place, r#","first_line":1,"max_bytes":3"#).unwrap();
    assert_eq!(member(&output, "lines"), r#"{"first":1,"last":1}"#);
}

/// Parts read one after the other, each from where the last was cut, are the whole file.
#[test]
fn parts_go_on_where_they_were_cut() {
    let place = Place::new();
    let text = "aü€𝄞\n".repeat(50);
    for (encoding, bytes) in [
        ("utf-8", text.as_bytes().to_vec()),
        (
            "utf-16",
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        ),
    ] {
        place.put("f", &bytes);
        for max_bytes in [4, 5, 6, 7, 11, 1000] {
            let (mut whole, mut offset) = (String::new(), 0);
            loop {
                let more = format!(
                    r#","encoding":"{encoding}","offset":{offset},"max_bytes":{max_bytes}"#
                );
                let output = read(&place, &more).unwrap();
                whole.push_str(&member(&output, "content"));
                match output.get("next_offset").and_then(Value::as_i64) {
                    Some(next) => {
                        assert!(next > offset);
                        offset = next;
                    }
                    None => break,
                }
            }
            assert_eq!(whole, text, "{encoding} {max_bytes}");
        }
    }
    place.put("f", "ü".as_bytes());
    let err = read(&place, r#","offset":1"#).unwrap_err();
    assert!(err.hint_str().unwrap().contains("next_offset"), "{err:?}");
}

/// Files such as those of `/proc` have size 0 and content.
#[test]
fn the_limit_holds_on_the_bytes() {
    let files = Workspace::open("/proc/self").unwrap();
    let ctx = Ctx::new(StopFlag::new(), CallBudget::default()).with_capabilities(Capabilities {
        files: Some(Arc::new(files)),
        ..Capabilities::default()
    });
    let args = json::parse_json(
        r#"{"path":"status","max_bytes":20}"#,
        json::JsonLimits::default(),
    )
    .unwrap();
    let output = find("read_file").decode(&args).unwrap().run(&ctx).unwrap();
    assert_eq!(member(&output, "content").len(), 20);
    assert_eq!(member(&output, "truncated"), "true");
}
