//! Cuts results that exceed the output limit: a call with effects is answered whatever the size of its result.

use std::sync::Arc;

use tool_core::{Object, Value, json};

use super::limits::json_bytes;

/// Stores a value that is not shown and returns its handle; `None` where it cannot be stored.
pub(super) type Keep<'a> = &'a mut dyn FnMut(&Value) -> Option<Value>;

/// Cuts a value to about this many bytes of JSON: texts are truncated, lists and arrays replaced by their handles; small members
/// of objects stay.
pub fn truncate_value(
    value: &Value,
    bytes_max: u64,
    keep: &mut dyn FnMut(&Value) -> Option<Value>,
) -> Value {
    if json_bytes(value, bytes_max) <= bytes_max {
        return value.clone();
    }
    match value {
        Value::String(text) => Value::from(truncate_text(text, bytes_max)),
        Value::Object(object) => truncate_members(object, bytes_max, keep),
        _ => summarise_value(value, keep),
    }
}

/// The handle of a value, or its size in words.
fn summarise_value(value: &Value, keep: Keep<'_>) -> Value {
    keep(value).unwrap_or_else(|| Value::object([("left_out_bytes", json::to_text(value).len())]))
}

/// Small members keep their size; the others share the rest equally.
fn truncate_members(object: &Object, bytes_max: u64, keep: Keep<'_>) -> Value {
    /// Minimum share of a member in bytes.
    const SHARE_LEAST: u64 = 300;
    let whole = || Value::Object(Arc::new(object.clone()));
    let names: u64 = object.iter().map(|(key, _)| key.len() as u64 + 4).sum();
    let mut sizes: Vec<(u64, usize)> = object
        .iter()
        .enumerate()
        .map(|(place, (_, member))| (json_bytes(member, bytes_max), place))
        .collect();
    sizes.sort_unstable();
    let mut shares = vec![0; sizes.len()];
    let mut left = bytes_max.saturating_sub(names + 2);
    for (done, (bytes, place)) in sizes.iter().enumerate() {
        let share = left / (sizes.len() - done) as u64;
        if *bytes > share && share < SHARE_LEAST && object.len() > 1 {
            return summarise_value(&whole(), keep);
        }
        shares[*place] = share;
        left -= share.min(*bytes);
    }
    let mut copy = Object::new();
    for ((key, member), share) in object.iter().zip(shares) {
        copy.insert(key, truncate_value(member, share, keep));
    }
    Value::Object(Arc::new(copy))
}

/// The part of a text that fits, with its length in words.
fn truncate_text(text: &str, bytes_max: u64) -> String {
    let note = format!("... ({} bytes in all)", text.len());
    let mut left = bytes_max.saturating_sub(note.len() as u64 + 2);
    let mut end = 0;
    for (place, character) in text.char_indices() {
        let bytes = match character {
            '"' | '\\' | '\n' | '\t' | '\r' => 2,
            character if character.is_control() => 6,
            character => character.len_utf8() as u64,
        };
        if bytes > left {
            break;
        }
        left -= bytes;
        end = place + character.len_utf8();
    }
    format!("{}{note}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(value: &Value) -> u64 {
        json::to_text(value).len() as u64
    }

    #[test]
    fn what_is_cut_fits_and_small_members_stay() {
        let numbers = Value::vector((0..5000).map(|n| f64::from(n) / 7.0).collect());
        let value = Value::object([
            ("stdout", Value::from("line \"1\"\n".repeat(10_000))),
            ("stderr", Value::from("\u{1}".repeat(10_000))),
            ("numbers", numbers.clone()),
            ("inner", Value::object([("text", "é".repeat(40_000))])),
            ("code", Value::Int(7)),
        ]);
        for limit in [1_500, 4_000, 60_000, 200_000] {
            let mut kept = Vec::new();
            let found = truncate_value(&value, limit, &mut |value| {
                kept.push(value.clone());
                Some(Value::object([("$artifact", "b3:0")]))
            });
            assert!(size(&found) <= limit, "{limit}: {}", size(&found));
            assert_eq!(found.get("code"), Some(&Value::Int(7)));
            let out = found.get("stdout").and_then(Value::as_str).unwrap();
            assert!(out.starts_with("line"), "{out}");
            if kept.is_empty() {
                assert_eq!(found.get("numbers"), Some(&numbers));
            } else {
                assert_eq!(kept, std::slice::from_ref(&numbers));
            }
        }
        assert_eq!(
            truncate_value(&value, 1 << 30, &mut |_| panic!("nothing is too large")),
            value
        );
    }

    #[test]
    fn what_has_too_many_members_is_replaced_whole() {
        let many: Vec<(String, Value)> = (0..3000)
            .map(|n| (format!("k{n}"), Value::from("x".repeat(40))))
            .collect();
        let value = Value::object([("many", Value::object(many)), ("id", Value::from("a"))]);
        let found = truncate_value(&value, 2_000, &mut |_| None);
        assert_eq!(found.get("id"), Some(&Value::from("a")));
        let left_out = found.pointer("/many/left_out_bytes");
        assert!(left_out.and_then(|bytes| bytes.as_i64()) > Some(100_000));
    }
}
