//! Receipts: what verifies without the state, and what is found changed.

use tool_core::convert::{from_value, to_value};

use super::*;

const CALLS: usize = 3;

fn key() -> CutKey {
    CutKey::of_seed([7; SEED_BYTES])
}

fn issued(folder: &Path, name: &str) -> CallReceipt {
    open(folder).receipt(name, &key(), &[]).unwrap()
}

/// A state with records of every kind of number.
fn with_numbers(folder: &Path) -> LedgerHead {
    filled(folder, CALLS);
    let state = open(folder);
    let record = Value::object([
        ("call_id", Value::from("numbers")),
        ("elapsed_ms", Value::from(0.1)),
        ("tiny", Value::from(5e-324)),
        ("whole", Value::from(9_007_199_254_740_993_i64)),
        ("text", Value::from("\u{1f600} \" \\ \u{7f}")),
    ]);
    state.record(&record, RecordDurability::Synced).unwrap()
}

#[test]
fn a_receipt_verifies_without_the_state_and_names_the_head_of_the_answer() {
    let top = folder();
    let head = with_numbers(top.path());
    let receipt = issued(top.path(), "numbers");
    assert_eq!(receipt.head(), head);
    drop(top);
    let text = to_value(&receipt).unwrap().to_string();
    let read = CallReceipt::read(&text).unwrap();
    assert_eq!(read.faults(&[key().public()]), Vec::<String>::new());
    assert_eq!(read, receipt);
    // Laid out anew, it is the same receipt.
    let spaced = text.replacen("{", "{\n  ", 1);
    assert!(
        CallReceipt::read(&spaced)
            .unwrap()
            .faults(&[key().public()])
            .is_empty()
    );
    // The first of a chain follows its header, the others the record before.
    let first = open_first();
    assert!(first.faults(&[key().public()]).is_empty());
    assert_eq!(first.sequence, 1);
}

fn open_first() -> CallReceipt {
    let top = folder();
    filled(top.path(), CALLS);
    let state = open(top.path());
    let listed = state.audit_list(None, 100).unwrap();
    let first = listed.iter().find(|one| one.sequence == 1).unwrap();
    let name = format!("{}:1", first.session);
    drop(state);
    issued(top.path(), &name)
}

/// Each member, changed alone, is found; so is another key.
#[test]
fn every_changed_field_is_found() {
    let top = folder();
    with_numbers(top.path());
    let receipt = issued(top.path(), "numbers");
    let trusted = [key().public()];
    let value = to_value(&receipt).unwrap();
    let members = value.as_object().unwrap();
    let mut changed = 0;
    for (name, member) in members.iter().filter(|(name, _)| *name != "receipt") {
        let other = match member {
            Value::String(text) => {
                let end = if text.ends_with('0') { "1" } else { "0" };
                Value::from(format!("{}{end}", &text[..text.len() - 1]))
            }
            Value::Object(_) => {
                let with = |key: &str, value: Value| {
                    let mut record = member.as_object().unwrap().clone();
                    record.insert(key, value);
                    Value::Object(Arc::new(record))
                };
                with("elapsed_ms", Value::from(0.2))
            }
            number => Value::from(number.as_i64().unwrap() + 1),
        };
        let mut object = members.clone();
        object.insert(name, other);
        let tampered: CallReceipt = from_value(&Value::Object(Arc::new(object))).unwrap();
        assert_ne!(tampered, receipt, "{name}");
        assert!(!tampered.faults(&trusted).is_empty(), "{name}");
        changed += 1;
    }
    assert_eq!(changed, 8);
    // Signed anew by another key, it is a receipt of another user.
    let foreign = open(top.path())
        .receipt("numbers", &CutKey::of_seed([8; SEED_BYTES]), &[])
        .unwrap();
    let faults = foreign.faults(&trusted);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("not among those given"));
    // Nothing is trusted where no key is.
    assert_eq!(receipt.faults(&[]).len(), 1);
}

/// The signature of a cut is none of a receipt, although the key is the same.
#[test]
fn a_signature_for_one_purpose_is_none_for_another() {
    let (key, text) = (key(), "text");
    let of_cut = key.sign(seal::SealPurpose::Cut, text);
    assert!(seal::is_signed(
        seal::SealPurpose::Cut,
        text,
        &key.public(),
        &of_cut
    ));
    assert!(!seal::is_signed(
        seal::SealPurpose::Receipt,
        text,
        &key.public(),
        &of_cut
    ));
}

#[test]
fn no_receipt_is_issued_of_a_log_with_faults() {
    let top = folder();
    with_numbers(top.path());
    intruder(top.path())
        .execute(
            "UPDATE events SET body = replace(body, '0.1', '0.2') WHERE body LIKE '%numbers%'",
            [],
        )
        .unwrap();
    let refused = open(top.path()).receipt("numbers", &key(), &[]);
    assert_eq!(refused.unwrap_err().reason_str(), Some("state_unsound"));
    let unknown = folder();
    filled(unknown.path(), 1);
    let refused = open(unknown.path()).receipt("no-such-call", &key(), &[]);
    assert_eq!(refused.unwrap_err().reason_str(), Some("unknown_record"));
}

#[test]
fn other_texts_are_no_receipts() {
    let top = folder();
    with_numbers(top.path());
    let whole = to_value(&issued(top.path(), "numbers"))
        .unwrap()
        .to_string();
    let newer = whole.replacen("\"receipt\":1", "\"receipt\":2", 1);
    for text in [
        "",
        "{}",
        "[1]",
        "null",
        &newer,
        &whole[..whole.len() - 1],
        &format!("{whole}x"),
    ] {
        let refused = CallReceipt::read(text).unwrap_err();
        assert_eq!(refused.reason_str(), Some("receipt"), "{text}");
        assert!(refused.hint_str().is_some());
    }
}
