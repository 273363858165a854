use std::collections::BTreeMap;

use super::{encode_value, from_value, to_value};
use crate::error::ErrorCode;
use crate::input::{DataSource, Input, InputKind, Matrix, TextInput, Vector};
use crate::json::{JsonLimits, parse_json, to_text};
use crate::types::{BoundedInteger, Count, Positive, RandomSeed, Real};
use crate::value::Value;
use crate::{Decode, Describe, Encode};

/// Arguments with every kind of field.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct Args {
    a: Input<Matrix>,
    b: Input<Vector>,
    #[value(default)]
    text: Option<Input<TextInput>>,
    #[value(default = "positive")]
    scale: Positive,
    #[value(default)]
    seed: Option<RandomSeed>,
    #[value(default)]
    any: Value,
    #[value(default)]
    kind: Kind,
    #[value(default)]
    named: BTreeMap<String, Count>,
    #[value(default)]
    flag: bool,
    #[value(default)]
    small: Option<BoundedInteger<0, 9>>,
}

fn positive() -> Positive {
    Positive::literal(1.5)
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
enum Kind {
    #[default]
    Plain,
    Fancy,
}

fn value(text: &str) -> Value {
    parse_json(text, JsonLimits::default()).expect(text)
}

fn decode(text: &str) -> Args {
    from_value(&value(text)).expect(text)
}

fn fails(text: &str, path: &str, message: &str) {
    let problem = from_value::<Args>(&value(text)).expect_err(text);
    assert_eq!(problem.path, path, "{text}: {}", problem.message);
    assert!(
        problem.message.contains(message),
        "{text}: {}",
        problem.message
    );
}

#[test]
fn decodes_and_fills_defaults() {
    let args = decode(
        r#"{"a":[[1,2],[3,4]],"b":[1,2.5],"seed":"18446744073709551615","any":{"x":[1,null]},"named":{"n":3}}"#,
    );
    assert_eq!(args.seed, Some(RandomSeed::new(u64::MAX)));
    assert_eq!(args.scale.get(), 1.5);
    let canonical = to_value(&args).expect("finite");
    assert_eq!(
        to_text(&canonical),
        r#"{"a":[[1.0,2.0],[3.0,4.0]],"b":[1.0,2.5],"text":null,"scale":1.5,"seed":"18446744073709551615","any":{"x":[1,null]},"kind":"plain","named":{"n":3},"flag":false,"small":null}"#
    );
    assert_eq!(
        from_value::<Args>(&canonical).expect("canonical arguments decode"),
        args
    );
}

#[test]
fn arrays_move_as_pointers() {
    let text = value(r#"{"a":[[1.5]],"b":[1.5,2.5]}"#);
    let args: Args = from_value(&text).expect("valid");
    let Input::Inline(b) = &args.b else {
        panic!("inline")
    };
    let original = text
        .get("b")
        .and_then(Value::as_numbers)
        .expect("packed")
        .as_slice()
        .as_ptr();
    assert_eq!(b.as_ptr(), original);
    let again = to_value(&args).expect("finite");
    assert_eq!(
        again
            .get("b")
            .and_then(Value::as_numbers)
            .expect("packed")
            .as_slice()
            .as_ptr(),
        original
    );
}

#[test]
fn names_the_culprit() {
    fails(
        r#"{"a":[[1,2],[3]],"b":[]}"#,
        "/a",
        "row 1 has 1 entry, expected 2 (rows count from 0)",
    );
    fails(
        r#"{"a":[[1,"x"]],"b":[]}"#,
        "/a/0/1",
        "expected a number, found the string \"x\"",
    );
    fails(r#"{"a":[],"b":[]}"#, "/a", "at least one row");
    fails(r#"{"a":[[]],"b":[]}"#, "/a/0", "row 0 is empty");
    fails(r#"{"a":[1,2],"b":[]}"#, "/a", "flat list");
    fails(r#"{"a":[[1]],"b":[[1]]}"#, "/b", "flat list");
    fails(r#"{"a":[[1]],"b":"x"}"#, "/b", "expected a list of numbers");
    fails(r#"{"a":[[1]]}"#, "/b", "missing required argument `b`");
    fails(
        r#"{"a":[[1]],"b":[1],"sede":1}"#,
        "/sede",
        "did you mean `seed`?",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"seed":1.5}"#,
        "/seed",
        "expected an integer",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"scale":0}"#,
        "/scale",
        "expected a number greater than 0, found 0",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"scale":"1"}"#,
        "/scale",
        "expected a number greater than 0, found the string",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"kind":"fanci"}"#,
        "/kind",
        "did you mean `fancy`?",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"flag":1}"#,
        "/flag",
        "expected a boolean",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"small":true}"#,
        "/small",
        "expected an integer from 0 to 9",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"small":10}"#,
        "/small",
        "expected an integer from 0 to 9",
    );
    fails(
        r#"{"a":[[1]],"b":[1],"named":{"x":0}}"#,
        "/named/x",
        "at least 1",
    );
    fails(r#"[[[1]],[1]]"#, "", "expected an object");
}

#[test]
fn lists_the_files_that_arguments_refer_to() {
    let args = decode(
        r#"{"a":{"$file":"m.npy"},"b":[1],"text":{"$file":"t.txt"},"any":{"$file":"data, not a reference"}}"#,
    );
    let encoded = encode_value(&args).expect("finite");
    let found: Vec<_> = encoded
        .sources
        .iter()
        .map(|source| (source.pointer.as_str(), source.source.clone(), source.kind))
        .collect();
    assert_eq!(
        found,
        [
            ("/a", DataSource::file("m.npy"), InputKind::Data),
            ("/text", DataSource::file("t.txt"), InputKind::Text)
        ]
    );
}

#[test]
fn refuses_or_spells_what_is_not_finite() {
    #[derive(Encode)]
    struct Output<T> {
        plain: T,
    }
    let err = to_value(&Output {
        plain: vec![1.0, f64::NAN],
    })
    .expect_err("not finite");
    assert_eq!(err.path(), Some("/plain/1"));
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Numeric, Some("not_finite"))
    );
    let block = Output::<Value> {
        plain: Value::vector(vec![0.0, f64::INFINITY]),
    };
    assert_eq!(
        to_value(&block).expect_err("not finite").path(),
        Some("/plain")
    );
    let spelled = to_value(&[Real(1.0), Real(f64::NAN), Real(f64::NEG_INFINITY)]).expect("spelled");
    assert_eq!(to_text(&spelled), r#"[1.0,"NaN","-Infinity"]"#);
    let back: Vec<Real> = from_value(&spelled).expect("reads its own spelling");
    assert!(back[1].0.is_nan() && back[2].0 == f64::NEG_INFINITY);
}

#[test]
fn values_are_ordinary_data_to_other_serializers() {
    let value = value(r#"{"x":[[1,2],[3,4]],"y":[1.5,"a",null,true]}"#);
    let text = serde_json::to_string(&value).expect("serialises");
    assert_eq!(text, r#"{"x":[[1,2],[3,4]],"y":[1.5,"a",null,true]}"#);
}

#[derive(Debug, PartialEq, Encode, Decode)]
#[value(rename_all = "kebab-case")]
enum Shape {
    #[value(alias = "dot")]
    Point,
    Circle(f64),
    LineSegment {
        from: f64,
        #[value(default)]
        to: f64,
    },
    Pair(f64, String),
}

#[derive(Debug, Default, PartialEq, Encode, Decode)]
#[value(default)]
struct Style {
    width: u8,
    #[value(rename = "type", skip_encoding_if = "Option::is_none")]
    kind: Option<String>,
    #[value(skip)]
    cached: bool,
}

#[test]
fn variants_are_texts_or_objects_with_one_member() {
    for (text, shape) in [
        (r#""point""#, Shape::Point),
        (r#"{"circle":1.5}"#, Shape::Circle(1.5)),
        (
            r#"{"line-segment":{"from":1.0,"to":2.0}}"#,
            Shape::LineSegment { from: 1.0, to: 2.0 },
        ),
        (r#"{"pair":[1.0,"x"]}"#, Shape::Pair(1.0, "x".to_owned())),
    ] {
        assert_eq!(from_value::<Shape>(&value(text)).as_ref(), Ok(&shape));
        assert_eq!(to_text(&to_value(&shape).expect("written")), text);
    }
    assert_eq!(from_value::<Shape>(&value(r#""dot""#)), Ok(Shape::Point));
    let absent = from_value::<Shape>(&value(r#"{"line-segment":{"from":1}}"#));
    assert_eq!(absent, Ok(Shape::LineSegment { from: 1.0, to: 0.0 }));
    for (text, path, message) in [
        (
            r#""circle""#,
            "",
            "expected newtype variant, found unit variant",
        ),
        (
            r#""circel""#,
            "",
            "expected one of `dot`, `point`, `circle`, `line-segment`, `pair`, found `circel`; did you mean `circle`?",
        ),
        (
            r#"{"circle":"x"}"#,
            "/circle",
            "expected f64, found the string \"x\"",
        ),
        (
            r#"{"pair":[1]}"#,
            "/pair",
            "expected an array of 2 elements, found 1",
        ),
        (
            r#"{"pair":[1,2]}"#,
            "/pair/1",
            "expected a string, found the integer 2",
        ),
        (
            r#"{"point":1}"#,
            "/point",
            "expected unit, found the integer 1",
        ),
        ("[]", "", "expected a name, found an array of 0"),
    ] {
        let problem = from_value::<Shape>(&value(text)).expect_err(text);
        assert_eq!(
            (problem.path.as_str(), problem.message.as_str()),
            (path, message),
            "{text}"
        );
    }
}

#[test]
fn the_error_is_that_of_the_field_written_first_then_the_first_one_missing() {
    #[derive(Debug, Decode)]
    #[expect(dead_code, reason = "only its errors are looked at")]
    struct Line {
        a: f64,
        b: f64,
        c: Option<f64>,
    }
    for (text, path) in [
        (r#"{"b":"x","a":"y"}"#, "/b"),
        (r#"{"c":"x"}"#, "/c"),
        (r#"{"c":null}"#, "/a"),
        (r#"{"a":1}"#, "/b"),
        (r#"{"a":"x","d":1}"#, "/d"),
    ] {
        let problem = from_value::<Line>(&value(text)).expect_err(text);
        assert_eq!(problem.path, path, "{text}");
    }
}

#[test]
fn fields_that_are_absent_take_the_default_of_their_type_or_of_the_struct() {
    let style: Style = from_value(&value(r#"{"type":"dashed"}"#)).expect("read");
    let kind = Some("dashed".to_owned());
    assert_eq!(
        style,
        Style {
            kind,
            ..Style::default()
        }
    );
    let plain = Style {
        cached: true,
        ..Style::default()
    };
    assert_eq!(
        to_text(&to_value(&plain).expect("written")),
        r#"{"width":0}"#
    );
    let problem = from_value::<Style>(&value(r#"{"width":300}"#)).expect_err("too wide");
    assert_eq!(problem.message, "expected u8, found the integer 300");
    assert!(from_value::<Style>(&value(r#"{"cached":true}"#)).is_err());
}

#[test]
fn an_array_of_fixed_length_takes_exactly_that_many() {
    assert_eq!(from_value::<[f64; 2]>(&value("[1,2]")), Ok([1.0, 2.0]));
    let nested = from_value::<Vec<[f64; 2]>>(&value("[[1,2,3],[4,5,6]]")).expect_err("too long");
    assert_eq!(nested.path, "/0");
    for text in ["[1]", "[1,2,3]", "[]", "[1,\"x\",2]"] {
        let problem = from_value::<[f64; 2]>(&value(text)).expect_err(text);
        assert!(
            problem.message.contains("expected an array of 2 elements"),
            "{text}: {}",
            problem.message
        );
    }
    assert!(from_value::<(f64, String)>(&value("[1,\"x\",2]")).is_err());
}
