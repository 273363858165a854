use proptest::prelude::*;

use super::*;
use crate::value::{Numbers, SAFE_INTEGER, Value};

fn read(text: &str) -> Result<Value, JsonError> {
    parse_json(text, JsonLimits::default())
}

fn fails(text: &str, message: &str, path: &str) {
    let err = read(text).expect_err(text);
    assert!(err.message.contains(message), "{text}: {err}");
    assert_eq!(err.path, path, "{text}: {err}");
}

#[test]
fn reads_what_it_writes() {
    for text in [
        "null",
        "true",
        "-0.0",
        "12",
        "0.1",
        "1e+300",
        "\"a\\nb\\u0001\"",
        "[]",
        "{}",
        "[1,2,3]",
        "[1.0,2.5]",
        "[[1,2],[3,4]]",
        "[[[1,2]],[[3,4]]]",
        "[[1,2],[3]]",
        "[1,\"a\"]",
        "[[],[]]",
        "{\"a\":{\"b\":[1,{\"c\":null}]}}",
        "9007199254740992",
    ] {
        assert_eq!(to_text(&read(text).expect(text)), text);
    }
}

#[test]
fn packs_blocks_of_numbers() {
    let value = read("[[1, 2, 3],\n [4, 5, 6]]").expect("valid");
    let numbers = value.as_numbers().expect("packed");
    assert_eq!(numbers.shape(), [2, 3]);
    assert_eq!(numbers.as_slice(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert!(numbers.integral());
    assert!(
        read("[[1,2],[3,\"x\"]]")
            .expect("valid")
            .as_numbers()
            .is_none()
    );
}

#[test]
fn refuses_what_the_grammar_refuses() {
    fails("", "the text is empty", "");
    fails("{\"a\":1,}", "expected a key", "");
    fails("[1,]", "expected a value", "/1");
    fails("[1 2]", "expected `,` or `]`", "");
    fails("01", "start with a zero", "");
    fails("[1, 2, 03]", "start with a zero", "/2");
    fails("[[1],[1.]]", "not a JSON number", "/1/0");
    fails("{\"a\":.5}", "expected a value", "/a");
    fails("+1", "expected a value", "");
    fails("1e", "not a JSON number", "");
    fails("1e5.5", "not a JSON number", "");
    fails("NaN", "expected a value", "");
    fails("[1,Infinity]", "expected a value", "/1");
    fails("-", "not a JSON number", "");
    fails("tru", "expected a value", "");
    fails("{} {}", "expected the end", "");
    fails("\"\\ud800\"", "lone surrogate", "");
    fails("\"\\x\"", "unknown escape", "");
    fails("\"a\nb\"", "control character", "");
    fails("\"abc", "ends inside a string", "");
    fails("{\"a\" 1}", "expected `:`", "");
    fails("1e999", "larger than any double", "");
    fails("[1.0, -1e400]", "larger than any double", "/1");
}

#[test]
fn refuses_duplicate_keys_at_every_level() {
    fails("{\"a\":1,\"a\":2}", "duplicate key \"a\"", "");
    fails(
        "{\"x\":[{\"b\":1,\"c\":2,\"b\":3}]}",
        "duplicate key \"b\"",
        "/x/0",
    );
    fails("{\"a\":1,\"\\u0061\":2}", "duplicate key \"a\"", "");
    let many: String = (0..100).map(|index| format!("\"k{index}\":0,")).collect();
    fails(&format!("{{{many}\"k7\":1}}"), "duplicate key \"k7\"", "");
    fails(
        &format!("{{{many}\"z\":1,\"z\":1}}"),
        "duplicate key \"z\"",
        "",
    );
}

#[test]
fn never_rounds_an_integer_silently() {
    fails("9223372036854775809", "beyond 2^63", "");
    fails("{\"seed\":18446744073709551615}", "beyond 2^63", "/seed");
    assert_eq!(
        read("18446744073709551616")
            .expect("2^64 is a double")
            .as_f64(),
        Some(18_446_744_073_709_551_616.0)
    );
    assert_eq!(
        read("100000000000000000000")
            .expect("1e20 is a double")
            .as_f64(),
        Some(1e20)
    );
    assert_eq!(
        read("9007199254740993.0")
            .expect("rounding is meant")
            .as_f64(),
        Some(9_007_199_254_740_992.0)
    );
}

#[test]
fn bounds_depth_size_and_memory() {
    for open in ["[", "{\"a\":"] {
        let err = read(&open.repeat(2_000_000)).expect_err("too deep");
        assert_eq!(err.code, crate::ErrorCode::LimitExceeded);
    }
    assert!(read(&format!("{}{}", "[".repeat(128), "]".repeat(128))).is_ok());
    assert!(read(&format!("{}{}", "[".repeat(129), "]".repeat(129))).is_err());
    assert!(read(&format!("{}1{}", "[".repeat(128), "]".repeat(128))).is_ok());
    assert!(read(&format!("{}1{}", "[".repeat(129), "]".repeat(129))).is_err());
    let limits = JsonLimits {
        bytes_max: 10,
        ..JsonLimits::default()
    };
    assert_eq!(
        parse_json("[1,2,3,4,5]", limits)
            .expect_err("too long")
            .code,
        crate::ErrorCode::LimitExceeded
    );
    let limits = JsonLimits {
        memory_bytes_max: 1000,
        ..JsonLimits::default()
    };
    assert!(parse_json(&format!("[{}0]", "0,".repeat(1000)), limits).is_err());
    assert!(parse_json(&format!("[{}{{}}]", "{},".repeat(1000)), limits).is_err());
}

#[test]
fn says_where() {
    let err = read("{\n  \"ä\": [1,\n 2, x]}").expect_err("bad");
    assert_eq!((err.line, err.column, err.path.as_str()), (3, 5, "/ä/2"));
    let err = parse_bytes(b"{\"a\": \"\xff\"}", JsonLimits::default()).expect_err("not UTF-8");
    assert_eq!(err.offset, 7);
}

/// serde_json with `float_roundtrip` rounds correctly; we must agree with it bit for bit.
fn agrees_with_serde_json(text: &str) {
    let ours = read(text);
    let theirs: Result<serde_json::Value, _> = serde_json::from_str(text);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => assert_eq!(
            serde_json::to_value(&ours).expect("finite"),
            normal(theirs),
            "{text}"
        ),
        (Err(err), Ok(_)) => assert!(
            err.message.contains("duplicate")
                || err.message.contains("2^63")
                || err.message.contains("deeper"),
            "{text}: {err}"
        ),
        (Ok(_), Err(err)) => panic!("{text} was accepted; serde_json says {err}"),
        (Err(_), Err(_)) => {}
    }
}

/// Arrays of mixed spellings come back as doubles.
fn normal(value: serde_json::Value) -> serde_json::Value {
    serde_json::to_value(read(&value.to_string()).expect("valid")).expect("finite")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn doubles_round_trip(bits in any::<u64>()) {
        let number = f64::from_bits(bits);
        prop_assume!(number.is_finite());
        let text = to_text(&Value::Float(number));
        prop_assert_eq!(read(&text).unwrap().as_f64().unwrap().to_bits(), bits);
        let long = format!("{number:e}");
        prop_assert_eq!(read(&long).unwrap().as_f64().unwrap().to_bits(), bits);
    }

    #[test]
    fn seventeen_digits_round_correctly(mantissa in 0_u64..100_000_000_000_000_000, exponent in -330_i32..310) {
        let text = format!("[{mantissa}e{exponent}]");
        let expected: f64 = text[1..text.len() - 1].parse().unwrap();
        match read(&text) {
            Ok(value) => prop_assert_eq!(value.at(0).unwrap().as_f64().unwrap().to_bits(), expected.to_bits()),
            Err(_) => prop_assert!(expected.is_infinite()),
        }
    }

    #[test]
    fn agrees_on_json_like_texts(text in "[\\[\\]{}\",:0-9a-c.eE+\\- \\\\ntu]{0,24}") {
        agrees_with_serde_json(&text);
    }

    #[test]
    fn agrees_on_number_lists(parts in prop::collection::vec("-?[0-9]{0,18}(\\.[0-9]{0,4})?([eE][+-]?[0-9]{0,3})?", 1..6)) {
        agrees_with_serde_json(&format!("[{}]", parts.join(",")));
        agrees_with_serde_json(&format!("[[{}],[{}]]", parts.join(","), parts.join(" , ")));
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parse_bytes(&bytes, JsonLimits::default());
    }
}

/// In tests two threads share every matrix of some length; wherever the second one begins, the document reads the same.
#[test]
fn long_matrices_are_shared_between_threads() {
    for rows in 1..40 {
        let row = |index: usize| format!("[{index}, {}.5, -1e{}]", index * 7, index % 30);
        let all: Vec<String> = (0..rows).map(row).collect();
        let text = format!(
            r#"{{"A": [{}], "b": [[1,2],[3,4],[5,6]], "s": "],[", "t": [[1],[2,3]]}}"#,
            all.join(" , ")
        );
        let value = parse_json(&text, JsonLimits::default()).unwrap();
        let a = value.get("A").and_then(Value::as_numbers).unwrap();
        assert_eq!(a.shape(), [rows, 3]);
        assert_eq!(a.as_slice()[3 * rows - 2], ((rows - 1) * 7) as f64 + 0.5);
        assert_eq!(value.pointer("/b/2/1").and_then(|x| x.as_f64()), Some(6.0));
        assert!(value.pointer("/t/1/1").is_some());
        // A fault anywhere has the place that one reader would find.
        let broken = text.replacen("-1e", "-1f", rows);
        let err = parse_json(&broken, JsonLimits::default()).unwrap_err();
        assert_eq!((err.path.as_str(), err.line), ("/A/0", 1), "{err:?}");
        let last = text.replacen(&format!("[{}, ", rows - 1), &format!("[0{}, ", rows - 1), 1);
        let err = parse_json(&last, JsonLimits::default()).unwrap_err();
        assert_eq!(err.path, format!("/A/{}/0", rows - 1), "{err:?}");
    }
}

/// The fault of the bytes comes before every other one, wherever it stands.
#[test]
fn bytes_that_are_not_utf8_are_refused_at_the_first_of_them() {
    for (bytes, offset) in [
        (b"{\"a\":\"x\xff\"}".as_slice(), 7),
        (b"{\"\xc3\":1}", 2),
        (b"[1,2,\xe2\x82]", 5),
        (b"[01, \"\\n\xff\"]", 8),
        (b"\xff", 0),
        (b"[1] \x80", 4),
        (b"\"ab\\u00e9\xc3\x28\"", 9),
    ] {
        let err = parse_bytes(bytes, JsonLimits::default()).unwrap_err();
        assert_eq!(
            (err.message.as_str(), err.offset, err.path.as_str()),
            ("the text is not UTF-8", offset, ""),
            "{bytes:?}"
        );
    }
    let text = "{\"é\":[\"ü\\n∞\",\"\u{10ffff}\"]} ";
    assert_eq!(
        parse_bytes(text.as_bytes(), JsonLimits::default()),
        parse_json(text, JsonLimits::default())
    );
    let err = parse_bytes("[1, é]".as_bytes(), JsonLimits::default()).unwrap_err();
    assert_eq!(err.message, "expected a value, found `é`");
}

/// Long blocks are written by two threads; here "long" is ten numbers.
#[test]
fn blocks_of_every_shape_are_written_as_nested_lists() {
    fn nested(shape: &[usize], numbers: &mut impl Iterator<Item = String>) -> String {
        let parts: Vec<String> = match shape {
            [count] => numbers.take(*count).collect(),
            [count, rest @ ..] => (0..*count).map(|_| nested(rest, numbers)).collect(),
            [] => Vec::new(),
        };
        format!("[{}]", parts.join(","))
    }
    for shape in [
        vec![1],
        vec![9],
        vec![10],
        vec![37],
        vec![1, 30],
        vec![30, 1],
        vec![5, 7],
        vec![1, 1, 12],
        vec![3, 2, 5],
        vec![2, 1, 3, 4],
    ] {
        let count = shape.iter().product();
        let entry = |index: usize| (index as f64 - 4.0) * 0.37_f64.powi(index as i32 % 40 - 20);
        let floats: Vec<f64> = (0..count).map(entry).collect();
        let whole: Vec<f64> = (0..count as i64)
            .map(|index| ((index - 3) * 10_i64.pow(index as u32 % 14)) as f64)
            .collect();
        let block = |data: &[f64], integral| {
            Value::Numbers(Numbers::new(shape.clone(), data.to_vec(), integral).unwrap())
        };
        let mut texts = floats.iter().map(|&number| to_text(&Value::Float(number)));
        assert_eq!(to_text(&block(&floats, false)), nested(&shape, &mut texts));
        let mut texts = whole.iter().map(|&number| (number as i64).to_string());
        assert_eq!(to_text(&block(&whole, true)), nested(&shape, &mut texts));
    }
    let edges = [
        i64::MIN,
        -SAFE_INTEGER,
        -1,
        0,
        9,
        10,
        SAFE_INTEGER,
        i64::MAX,
    ];
    for number in edges {
        assert_eq!(to_text(&Value::Int(number)), number.to_string());
    }
}

#[test]
fn integers_keep_their_digits() {
    for text in [
        "9007199254740993",
        "-1916823401231650818",
        "[9007199254740993,1]",
        "[[1,2],[9007199254740993,4]]",
        r#"{"id":1152921504606846976}"#,
        "9223372036854775807",
    ] {
        let value = super::parse_json(text, super::JsonLimits::default()).unwrap();
        assert_eq!(super::to_text(&value), text);
        let canonical = super::canonical_json(&value);
        let again = super::parse_json(&canonical, super::JsonLimits::default()).unwrap();
        assert_eq!(super::canonical_json(&again), canonical);
        assert_eq!(again, value);
    }
    let long = Value::Int(9_007_199_254_740_993);
    assert_eq!(long.as_f64(), None);
    assert_ne!(long, Value::Int(9_007_199_254_740_992));
    assert_ne!(long, Value::Float(9_007_199_254_740_992.0));
}
