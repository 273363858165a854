use super::*;

fn parse_toml(text: &str) -> Result<ParsedDocument, LoadErrors> {
    parse_document("toml", text, DocumentFormat::Toml)
}

fn parse_json(text: &str) -> Result<ParsedDocument, LoadErrors> {
    parse_document("json", text, DocumentFormat::Json)
}

fn yaml(text: &str) -> Value {
    parse_yaml(text)
        .unwrap_or_else(|err| panic!("{text:?}: {err}"))
        .value
}

fn json(text: &str) -> Value {
    parse_json(text).unwrap().value
}

fn fault(text: &str, format: DocumentFormat) -> String {
    parse_document("t", text, format)
        .expect_err(text)
        .to_string()
}

#[test]
fn core_schema_scalars() {
    let cases = [
        ("no", r#""no""#),
        ("on", r#""on""#),
        ("y", r#""y""#),
        ("~", "null"),
        ("null", "null"),
        ("true", "true"),
        ("FALSE", "false"),
        ("12", "12"),
        ("+12", "12"),
        ("-0", "-0.0"),
        ("007", "7"),
        ("0o17", "15"),
        ("0x1F", "31"),
        ("0b11", r#""0b11""#),
        ("1_000", r#""1_000""#),
        ("1.5e3", "1500.0"),
        (".5", "0.5"),
        ("2.", "2.0"),
        ("1e", r#""1e""#),
        (".", r#"".""#),
        ("1.2.3", r#""1.2.3""#),
        ("12:30", r#""12:30""#),
        ("2026-11-22", r#""2026-11-22""#),
        ("'12'", r#""12""#),
        ("\"a\\nb\"", r#""a\nb""#),
        ("|\n  x\n  y\n", r#""x\ny\n""#),
        ("[]", "[]"),
        ("{}", "{}"),
        ("", "null"),
    ];
    for (text, expected) in cases {
        assert_eq!(yaml(text), json(expected), "{text:?}");
    }
}

#[test]
fn yaml_and_json_and_toml_read_the_same_value() {
    let expected =
        json(r#"{"a":[1,2.5,"no"],"b":{"c":[{"d":null},{"d":true}]},"m":[[1,2],[3,4]]}"#);
    assert_eq!(
        yaml("a: [1, 2.5, no]\nb:\n  c:\n    - d:\n    - {d: true}\nm: [[1, 2], [3, 4]]\n"),
        expected
    );
    let table = parse_toml(
        "a = [1, 2.5, 'no']\nm = [[1, 2], [3, 4]]\n[[b.c]]\nd = 0x1F\n[[b.c]]\nd = 1_000\n",
    )
    .unwrap()
    .value;
    assert_eq!(
        table,
        json(r#"{"a":[1,2.5,"no"],"m":[[1,2],[3,4]],"b":{"c":[{"d":31},{"d":1000}]}}"#)
    );
}

#[test]
fn what_a_document_may_not_hold() {
    let cases = [
        ("a: &x 1\nb: *x\n", DocumentFormat::Yaml, "t:1:4: an anchor"),
        ("a: *x\n", DocumentFormat::Yaml, "t:1:4"),
        ("a: !!str 1\n", DocumentFormat::Yaml, "a tag"),
        (
            "a: 1\nb: 2\na: 3\n",
            DocumentFormat::Yaml,
            "t:3:1: the key `a` is given twice",
        ),
        (
            "{a: {b: 1, b: 2}}",
            DocumentFormat::Yaml,
            "the key `b` is given twice",
        ),
        (
            "a: 1\n---\nb: 2\n",
            DocumentFormat::Yaml,
            "expected one document",
        ),
        (
            "? [1, 2]\n: x\n",
            DocumentFormat::Yaml,
            "expected text as a key",
        ),
        ("a: .inf", DocumentFormat::Yaml, "not a finite number"),
        (
            "a: 1e999",
            DocumentFormat::Yaml,
            "beyond the range of a double",
        ),
        (
            "a: 9223372036854775809",
            DocumentFormat::Yaml,
            "beyond 64 bits",
        ),
        ("a: [1, 2", DocumentFormat::Yaml, "t:"),
        ("a: 1\n b: 2\n", DocumentFormat::Yaml, "t:"),
        ("a = 1\na = 2\n", DocumentFormat::Toml, "t:2:1"),
        ("a = inf\n", DocumentFormat::Toml, "a double"),
        (
            "a = 9223372036854775809\n",
            DocumentFormat::Toml,
            "beyond 64 bits",
        ),
        ("a = \n", DocumentFormat::Toml, "t:1:"),
        ("{\"a\": 1,\n \"a\": 2}", DocumentFormat::Json, "t:2:"),
    ];
    for (text, format, expected) in cases {
        let found = fault(text, format);
        assert!(
            found.contains(expected),
            "{text:?}: expected {expected:?}, found {found:?}"
        );
    }
}

#[test]
fn every_fault_that_can_be_seen_is_reported() {
    let yaml = "a: 1\na: 2\nb: &x .inf\nc: !t 1\nc: {d: 1, d: 2}\n";
    let errors = parse_document("t", yaml, DocumentFormat::Yaml).unwrap_err();
    let found: Vec<String> = errors.list().iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 6, "{found:#?}");
    let (document, errors) = read_document("t", yaml, DocumentFormat::Yaml).unwrap();
    assert_eq!(document.value, json(r#"{"a":1,"b":null,"c":1}"#));
    assert_eq!(errors.len(), 6);
    let text = "{\"a\": 1, \"a\": 2,\n \"b\": 1e999, \"b\": NaN}";
    let errors = parse_document("t", text, DocumentFormat::Json).unwrap_err();
    let places: Vec<(u32, u32)> = errors
        .list()
        .iter()
        .filter_map(|error| Some((error.place.as_ref()?.line, error.place.as_ref()?.column)))
        .collect();
    assert_eq!(places, [(1, 10), (2, 7), (2, 14)], "{errors}");
}

#[test]
fn many_places_are_found_at_once() {
    let text =
        "{\"a\": [[1, 2], {\"b\": \"x,y\", \"c\": [ ]}, 3],\n \"d\": {}, \"e\": [{\"f\": 1}]}";
    let document = parse_json(text).unwrap();
    let pointers = [
        "/e/0/f", "", "/a/1/c", "/a/0/1", "/d", "/a/2", "/a/1", "/a/1/c", "/e/0", "/none",
    ];
    let alone: Vec<(u32, u32)> = pointers
        .iter()
        .map(|pointer| document.locate(pointer))
        .collect();
    assert_eq!(document.locate_all(&pointers), alone);
    assert_eq!(alone[0], (2, 18));
    assert_eq!(alone[2], (1, 29));
}

#[test]
fn depth_and_size_are_bounded() {
    for open in ["[", "{a: ", "- "] {
        let deep = open.repeat(5_000);
        assert!(parse_yaml(&deep).is_err(), "{open}");
    }
    let fits = format!("{}1{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
    assert!(parse_yaml(&fits).is_ok());
    let beyond = format!(
        "{}1{}",
        "[".repeat(DEPTH_MAX + 1),
        "]".repeat(DEPTH_MAX + 1)
    );
    assert!(fault(&beyond, DocumentFormat::Yaml).contains("nested deeper than 128"));
    let blocks: String = (0..2_000)
        .map(|depth| format!("{}a:\n", " ".repeat(depth)))
        .collect();
    assert!(fault(&blocks, DocumentFormat::Yaml).contains("nested deeper than 128"));
    assert!(parse_toml(&format!("a = {}1{}", "[".repeat(5_000), "]".repeat(5_000))).is_err());
    let large = "#".repeat(BYTES_MAX + 1);
    assert!(fault(&large, DocumentFormat::Yaml).contains("the limit is"));
    assert!(fault(&large, DocumentFormat::Toml).contains("the limit is"));
}

#[test]
fn every_pointer_has_its_place() {
    let yaml =
        parse_yaml("a: 1\nsteps:\n  - id: x\n    args: {k: [1, 2, 3]}\n  - id: y\n").unwrap();
    let toml =
        parse_toml("a = 1\n[[steps]]\nid = 'x'\nargs = { k = [1, 2, 3] }\n[[steps]]\nid = 'y'\n")
            .unwrap();
    let json = parse_json("{\"a\": \"}{\\\"\",\n \"steps\": [\n  {\"id\": \"x\", \"args\": {\"k\": [1, 2, 3]}},\n  {\"id\": \"y\"}]}").unwrap();
    let cases = [
        ("", (1, 1), (1, 1), (1, 1)),
        ("/a", (1, 1), (1, 1), (1, 2)),
        ("/steps/0/id", (3, 5), (3, 1), (3, 4)),
        ("/steps/0/args/k", (4, 12), (4, 10), (3, 24)),
        ("/steps/0/args/k/2", (4, 22), (4, 21), (3, 36)),
        ("/steps/1/id", (5, 5), (6, 1), (4, 4)),
        ("/steps/1/nope/deeper", (5, 5), (5, 1), (4, 3)),
    ];
    for (pointer, in_yaml, in_toml, in_json) in cases {
        assert_eq!(yaml.locate(pointer), in_yaml, "yaml {pointer}");
        assert_eq!(json.locate(pointer), in_json, "json {pointer}");
        if pointer != "/steps/1/nope/deeper" {
            assert_eq!(toml.locate(pointer), in_toml, "toml {pointer}");
        }
    }
    assert_eq!(
        yaml.named("plan.yaml").place("/a").to_string(),
        "plan.yaml:1:1"
    );
}

#[test]
fn members_keep_the_order_of_the_text() {
    let order = |document: ParsedDocument| {
        document
            .value
            .as_object()
            .unwrap()
            .iter()
            .map(|(key, _)| key.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        order(parse_yaml("z: 1\na: 2\nm: 3\n").unwrap()),
        ["z", "a", "m"]
    );
    assert_eq!(
        order(parse_toml("z = 1\na = 2\nm = 3\n").unwrap()),
        ["z", "a", "m"]
    );
}

proptest::proptest! {
    #[test]
    fn no_text_crashes_a_parser(text in "[ -~\\n\\t\u{e9}]{0,200}") {
        for format in [DocumentFormat::Yaml, DocumentFormat::Toml, DocumentFormat::Json] {
            if let Ok(document) = parse_document("t", &text, format) {
                document.locate("/a/0/b");
            }
        }
    }

    #[test]
    fn no_structure_crashes_the_yaml_parser(parts in proptest::collection::vec("(\\[|\\]|\\{|\\}|: |- |\\? |, |\\n|  |a|'|\"|&a|\\*a|!t|\\||>|#|---|%)", 0..60)) {
        let text = parts.concat();
        if let Ok(document) = parse_yaml(&text) {
            document.locate("/a/0/b");
        }
    }
}
