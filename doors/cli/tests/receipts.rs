//! Receipts of single calls: issued with a state, verified without one.

use tool_core::Value;

use crate::support::Place;

const ONE: &str = r#"{"expression":"1+1"}"#;

/// A receipt and the answer of its call.
fn issued() -> (String, Value) {
    let place = Place::new();
    let answer = place.run(&["call", "calculate"], ONE);
    let call = answer.expect_code(0).at("/metadata/call_id");
    let receipt = place.run(&["audit", "receipt", call.as_str().expect("an id")], "");
    (receipt.expect_code(0).stdout.clone(), answer.json())
}

#[test]
fn a_receipt_verifies_where_neither_state_nor_configuration_is() {
    let (receipt, answer) = issued();
    let key = mathchain::parse_json(receipt.trim()).expect("JSON");
    let key = key.text("key").expect("a key").to_owned();
    let elsewhere = Place::new();
    elsewhere.write("receipt.json", &receipt);
    elsewhere.write("mathchain.toml", "this is no configuration");
    let verify = ["audit", "verify-receipt", "receipt.json", "--key", &key];
    let verified = elsewhere.run(&verify, "");
    assert_eq!(verified.expect_code(0).at("/sound"), Value::Bool(true));
    assert_eq!(verified.at("/tool"), Value::from("calculate"));
    // The place is that which the answer named.
    let head = answer.pointer("/metadata/audit/head").expect("a head");
    assert_eq!(verified.at("/head"), head);
    assert!(!elsewhere.path("state").exists(), "no state was made");
    assert!(!elsewhere.path("work/.mathchain").exists());
    // By a pipe, and for a reader.
    let piped = elsewhere.run_as_typed(&["audit", "verify-receipt", "-", "--key", &key], &receipt);
    assert!(
        piped
            .expect_code(0)
            .stdout
            .contains("receipt of `calculate`"),
        "{}",
        piped.stdout
    );
}

#[test]
fn a_changed_receipt_and_a_foreign_key_are_faults() {
    let (receipt, _) = issued();
    let value = mathchain::parse_json(receipt.trim()).expect("JSON");
    let key = value.text("key").expect("a key").to_owned();
    let place = Place::new();
    let verify = |receipt: &str, key: &str| {
        place.write("receipt.json", receipt);
        place.run(
            &["audit", "verify-receipt", "receipt.json", "--key", key],
            "",
        )
    };
    let changed = verify(&receipt.replacen("\"operator\"", "\"reviewer\"", 1), &key);
    assert_ne!(receipt, receipt.replacen("\"operator\"", "\"reviewer\"", 1));
    assert_eq!(changed.expect_code(1).at("/sound"), Value::Bool(false));
    assert_eq!(
        changed.at("/faults").items().map(|faults| faults.len()),
        Some(2)
    );
    let foreign = verify(&receipt, &"0".repeat(64));
    assert_eq!(foreign.expect_code(1).at("/sound"), Value::Bool(false));
    assert_eq!(
        verify("{}", &key).expect_code(2).at("/error/reason"),
        Value::from("receipt")
    );
    assert_eq!(
        verify(&receipt, "short").expect_code(2).at("/error/reason"),
        Value::from("cut_key")
    );
    // Whoever has no key of their own names one.
    let none = place.run(&["audit", "verify-receipt", "receipt.json"], "");
    assert_eq!(
        none.expect_code(2).at("/error/reason"),
        Value::from("cut_key")
    );
}
