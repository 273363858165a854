//! Digests of values: the same for every spelling of the same value.

use tool_core::Value;

/// Hex digits of the digest of a value.
///
/// The value is hashed in a canonical binary form: a letter for the kind, then numbers as eight bytes of their double
/// (little end first), texts and arrays behind their length, members of objects sorted by key. A packed block of numbers
/// hashes as the nested arrays it stands for, so `1` and `1.0`, packed or not, give one digest.
pub fn of_value(value: &Value) -> String {
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, value);
    hasher.finalize().to_hex().to_string()
}

/// Hex digits of the digest of several texts; each is hashed behind its length.
pub fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        sized(&mut hasher, b's', text.len());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

fn sized(hasher: &mut blake3::Hasher, kind: u8, length: usize) {
    hasher.update(&[kind]);
    hasher.update(&(length as u64).to_le_bytes());
}

fn update(hasher: &mut blake3::Hasher, value: &Value) {
    match value {
        Value::Null => drop(hasher.update(b"n")),
        Value::Bool(false) => drop(hasher.update(b"f")),
        Value::Bool(true) => drop(hasher.update(b"t")),
        Value::Int(number) => drop(hasher.update(&scalar(*number as f64))),
        Value::Float(number) => drop(hasher.update(&scalar(*number))),
        Value::String(text) => {
            sized(hasher, b's', text.len());
            hasher.update(text.as_bytes());
        }
        Value::Array(items) => {
            sized(hasher, b'a', items.len());
            for item in items.iter() {
                update(hasher, item);
            }
        }
        Value::Numbers(numbers) => block(hasher, numbers.shape(), numbers.as_slice()),
        Value::Object(object) => {
            sized(hasher, b'o', object.len());
            let mut members: Vec<(&str, &Value)> = object.iter().collect();
            members.sort_unstable_by_key(|(key, _)| *key);
            for (key, member) in members {
                sized(hasher, b's', key.len());
                hasher.update(key.as_bytes());
                update(hasher, member);
            }
        }
    }
}

fn scalar(number: f64) -> [u8; 9] {
    let mut bytes = [b'd'; 9];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn block(hasher: &mut blake3::Hasher, shape: &[usize], data: &[f64]) {
    sized(hasher, b'a', shape[0]);
    if shape.len() > 1 {
        for part in data.chunks_exact(data.len() / shape[0]) {
            block(hasher, &shape[1..], part);
        }
        return;
    }
    const CHUNK: usize = 1024;
    let mut buffer = Vec::with_capacity(9 * CHUNK.min(data.len()));
    for chunk in data.chunks(CHUNK) {
        buffer.clear();
        for number in chunk {
            buffer.extend_from_slice(&scalar(*number));
        }
        hasher.update(&buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> String {
        of_value(&tool_core::json::parse(text, tool_core::json::Limits::default()).unwrap())
    }

    #[test]
    fn spellings_of_one_value_share_a_digest_and_values_do_not() {
        for (a, b) in [
            ("1", "1.0"),
            ("[1,2]", "[1.0, 2e0]"),
            ("[[1,2],[3,4]]", "[[1,2.0],[3,4]]"),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#),
            (r#""\u0041""#, r#""A""#),
        ] {
            assert_eq!(digest(a), digest(b), "{a} {b}");
        }
        let apart = [
            "null",
            "false",
            "0",
            "\"\"",
            "[]",
            "{}",
            "[1,2]",
            "[[1],[2]]",
            "[[1,2]]",
            "[1,[2]]",
            "[\"12\"]",
            "[\"1\",\"2\"]",
            "{\"a\":1}",
            "{\"a\":null}",
            "-0.0",
        ];
        let digests: std::collections::BTreeSet<String> =
            apart.iter().map(|text| digest(text)).collect();
        assert_eq!(digests.len(), apart.len());
        assert_ne!(of_texts(["ab", "c"]), of_texts(["a", "bc"]));
    }

    #[test]
    fn a_packed_block_hashes_as_the_arrays_it_stands_for() {
        let packed = digest("[[1,2],[3,4]]");
        let rows =
            [[1.0, 2.0], [3.0, 4.0]].map(|row| Value::Array(row.map(Value::from).to_vec().into()));
        assert_eq!(of_value(&Value::Array(rows.to_vec().into())), packed);
    }
}
