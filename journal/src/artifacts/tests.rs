use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use tool_core::value::Numbers;
use tool_core::{Object, Value, json};

use super::folder::ArtifactFolder;
use super::*;

/// Whether nothing tells them apart: bits, spelling, order of members, packing.
fn same(a: &Value, b: &Value) -> bool {
    let bits = |a: &Numbers| -> Vec<u64> { a.as_slice().iter().map(|x| x.to_bits()).collect() };
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| same(a, b))
        }
        (Value::Numbers(a), Value::Numbers(b)) => {
            a.shape() == b.shape() && a.integral() == b.integral() && bits(a) == bits(b)
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b.iter())
                    .all(|((k, a), (l, b))| k == l && same(a, b))
        }
        _ => false,
    }
}

fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<u64>().prop_map(f64::from_bits),
        prop::sample::select(vec![
            0.0,
            -0.0,
            1.0,
            -1.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            9_007_199_254_740_993.0,
            1e300,
            5e-324,
        ]),
    ]
}

/// Keys and texts that look like forms, among others.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "$artifact",
            "$value",
            "$lit",
            "$f64",
            "$int",
            "$block",
            "$list",
            "$ref",
            "$",
            "",
            "a",
            "\u{0}\"\\",
        ])
        .prop_map(str::to_owned),
        ".{0,6}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-9_i64..9).prop_map(Value::Int),
        double().prop_map(Value::Float),
        word().prop_map(Value::from),
        vec(-3_i64..3, 1..9).prop_map(Value::from),
        (vec(double(), 1..30), any::<bool>())
            .prop_map(|(data, integral)| Value::Numbers(Numbers::vector(data, integral))),
        (vec(double(), 12), any::<bool>()).prop_map(|(data, integral)| {
            Value::Numbers(Numbers::new(vec![2, 3, 2], data, integral).unwrap())
        }),
        (vec(double(), 1), any::<bool>()).prop_map(|(data, integral)| {
            Value::Numbers(Numbers::new(vec![1; 10], data, integral).unwrap())
        }),
        Just(Value::Numbers(Numbers::vector(Vec::new(), true))),
        Just(Value::object([(
            "$artifact",
            format!("b3:{}", "0".repeat(64))
        )])),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::array),
            // Also arrays that a parser would pack.
            vec(inner.clone(), 0..5).prop_map(|items| Value::Array(Arc::new(items))),
            vec((word(), inner), 0..5).prop_map(|members| {
                let mut object = Object::new();
                for (key, member) in members {
                    object.insert(key, member);
                }
                Value::Object(Arc::new(object))
            }),
        ]
    })
}

/// Through stored form and files and back.
fn round_trip(folder: &ArtifactFolder, value: &Value, least: usize) -> (ArtifactHandle, Value) {
    let kept = encode_value(value, least).unwrap();
    for (handle, numbers) in &kept.blocks {
        folder.keep_block(handle, numbers).unwrap();
    }
    // The handle in an event is read back as it was written.
    let text = json::canonical_json(&kept.handle.to_value());
    let handle = json::parse_json(&text, json::JsonLimits::default()).unwrap();
    let handle = ArtifactHandle::from_value(&handle).unwrap();
    assert_eq!(handle, kept.handle);
    let back = match &kept.body {
        Some(body) => decode_stored_form(body, &mut |block| folder.block(block)).unwrap(),
        None => folder.block(&handle).unwrap(),
    };
    (handle, back)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever the value: the same comes back, and the same value has one name. With a small limit blocks become files.
    #[test]
    fn what_is_kept_comes_back_bit_for_bit(value in value()) {
        let top = tempfile::tempdir().unwrap();
        let folder = ArtifactFolder::beside(&top.path().join("state.db"));
        for least in [16, 1 << 20] {
            let (handle, back) = round_trip(&folder, &value, least);
            prop_assert!(same(&value, &back), "{value:?} {back:?}");
            let (again, _) = round_trip(&folder, &back, least);
            prop_assert_eq!(handle.hash, again.hash);
        }
    }

    /// The same as one text, which another process reads.
    #[test]
    fn an_exact_text_comes_back_bit_for_bit(value in value()) {
        let text = to_exact_text(&value).unwrap();
        let back = from_exact_text(&text).unwrap();
        prop_assert!(same(&value, &back), "{value:?} {back:?}");
        prop_assert_eq!(to_exact_text(&back).unwrap(), text);
    }
}

#[test]
fn values_that_differ_have_different_names() {
    let values = [
        Value::Int(1),
        Value::Float(1.0),
        Value::Float(-0.0),
        Value::Int(0),
        Value::from("1"),
        Value::object([("$int", "1")]),
        Value::Int(i64::MAX),
        Value::Float(f64::NAN),
        Value::from("NaN"),
        Value::object([("a", 1_i64), ("b", 2)]),
        Value::object([("b", 2_i64), ("a", 1)]),
    ];
    let names: std::collections::BTreeSet<_> = values
        .iter()
        .map(|value| encode_value(value, FILE_BYTES_LEAST).unwrap().handle.hash)
        .collect();
    assert_eq!(names.len(), values.len());
}

#[test]
fn a_block_is_a_numpy_file_with_a_summary() {
    let top = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::beside(&top.path().join("state.db"));
    let mut data = vec![1.0, -2.0, 4.0, f64::NAN];
    data.resize(5000, 0.0);
    let block = Value::Numbers(Numbers::new(vec![50, 100], data, false).unwrap());
    let (handle, _) = round_trip(&folder, &block, FILE_BYTES_LEAST);
    let shown = handle.to_value();
    assert_eq!(shown.get("media"), Some(&Value::from("application/x-npy")));
    assert_eq!(shown.get("shape"), Some(&Value::from(vec![50_usize, 100])));
    assert_eq!(shown.get("bytes"), Some(&Value::from(128_usize + 40_000)));
    let expected = format!(
        r#"{{"max":4,"mean":{},"min":-2,"non_finite":1}}"#,
        3.0 / 4999.0
    );
    assert_eq!(
        json::canonical_json(shown.get("summary").unwrap()),
        expected
    );
    // The file is one that `numpy.load` reads; our own reader takes it too.
    let bytes = folder.read(&handle).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY\x01\x00"));
    assert_eq!(bytes.len(), 40_128);
    assert_eq!(*blake3::hash(&bytes).as_bytes(), handle.hash.0);
    let read = tool_core::npy::parse_npy(&bytes).unwrap();
    assert_eq!(read.as_numbers().unwrap().shape(), [50, 100]);
}

#[test]
fn limits_are_typed_errors() {
    let deep = |levels| {
        (0..levels).fold(Value::Null, |inner, _| {
            Value::Array(Arc::new(vec![inner, Value::Null]))
        })
    };
    assert!(encode_value(&deep(DEPTH_MAX), FILE_BYTES_LEAST).is_ok());
    let err = encode_value(&deep(DEPTH_MAX + 1), FILE_BYTES_LEAST)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(err.reason_str(), Some("value_depth"));
    // The deepest value that is kept is also read, with an escape at every level.
    let mut lit = Value::Float(f64::NAN);
    for _ in 0..DEPTH_MAX {
        lit = Value::object([("$lit", lit)]);
    }
    let kept = encode_value(&lit, 1 << 20).unwrap();
    let body = kept.body.unwrap();
    let back = decode_stored_form(&body, &mut |_| panic!("no files")).unwrap();
    assert!(same(&lit, &back));
    for damaged in [
        "{",
        r#"{"$new":1}"#,
        r#"{"$f64":"12"}"#,
        r#"{"$artifact":"b3:00"}"#,
        r#"{"$block":{"shape":[2],"integral":false,"bits":""}}"#,
        r#"{"$list":[1]}"#,
    ] {
        let err = decode_stored_form(damaged, &mut |_| panic!("no files")).unwrap_err();
        assert_eq!(err.reason_str(), Some("artifact_corrupt"), "{damaged}");
    }
}

#[test]
fn a_handle_is_exact() {
    let hash = "b3:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    assert_eq!(ArtifactHash::parse(hash).unwrap().to_string(), hash);
    for other in [
        &hash[3..],
        &hash[..66],
        "b3:../../../../etc/passwd",
        &hash.to_uppercase(),
        &hash.replace("abc", "ABC"),
        "",
    ] {
        let err = ArtifactHash::parse(other).unwrap_err();
        assert_eq!(err.reason_str(), Some("handle"), "{other}");
    }
}

#[test]
fn a_block_keeps_its_name_and_another_shape_has_its_own() {
    let data: Vec<f64> = (0..6000).map(f64::from).collect();
    let flat = Numbers::vector(data.clone(), false);
    let name = |numbers: &Numbers| block::block_handle(numbers).unwrap();
    let matrix = flat.clone().reshaped(vec![60, 100], false).unwrap();
    let (first, second, third) = (name(&flat), name(&matrix), name(&flat));
    assert_eq!(first, third);
    assert_ne!(first.hash, second.hash);
    assert_eq!(
        second,
        name(&Numbers::new(vec![60, 100], data, false).unwrap())
    );
    let row = matrix.get(1).unwrap();
    let row = row.as_numbers().unwrap();
    assert_eq!(
        name(row).bytes(),
        name(&Numbers::vector(vec![0.0; 100], false)).bytes()
    );
    assert_ne!(name(row).hash, first.hash);
}
