//! Large arrays of answers as handles: what a model reads stays short, and no number is lost.

use tool_core::{Object, Value, json};

use super::cut::Keep;
use super::limits::json_bytes;

/// Longest JSON of an answer that holds its arrays of numbers itself, in bytes.
pub const READABLE_BYTES: u64 = 32 << 10;

/// About the longest JSON of a handle.
const HANDLE_BYTES: u64 = 320;

/// Replaces arrays of numbers by their handles, the largest first, until the value has at most `bytes_max` bytes of JSON or only
/// arrays that are shorter than a handle are left. An array for which `keep` has no handle stays.
pub fn fold_number_arrays(value: &Value, bytes_max: u64, keep: Keep<'_>) -> Value {
    if json_bytes(value, bytes_max) <= bytes_max {
        return value.clone();
    }
    let mut sizes = Vec::new();
    let skeleton = map_arrays(value, &mut |array| {
        sizes.push(array_bytes(array, bytes_max));
        Value::Null
    });
    let mut left = json::to_text(&skeleton).len() as u64 + sizes.iter().sum::<u64>();
    let mut largest: Vec<usize> = (0..sizes.len()).collect();
    largest.sort_by_key(|&place| std::cmp::Reverse(sizes[place]));
    let mut is_replaced = vec![false; sizes.len()];
    for place in largest {
        if left <= bytes_max || sizes[place] <= HANDLE_BYTES {
            break;
        }
        left = left - sizes[place] + HANDLE_BYTES;
        is_replaced[place] = true;
    }
    let mut places = is_replaced.into_iter();
    map_arrays(value, &mut |array| match places.next() {
        Some(true) => keep(array).unwrap_or_else(|| array.clone()),
        _ => array.clone(),
    })
}

/// Size of an array as JSON, without writing one that exceeds the limit by itself.
fn array_bytes(array: &Value, bytes_max: u64) -> u64 {
    const LEAST: u64 = 2; // a digit and a comma
    let count = array
        .as_numbers()
        .map_or(0, |numbers| numbers.as_slice().len()) as u64;
    match LEAST * count > bytes_max {
        true => json_bytes(array, u64::MAX),
        false => json_bytes(array, 0),
    }
}

/// A copy in which every array of numbers is replaced, in the order of the text.
fn map_arrays(value: &Value, replace: &mut dyn FnMut(&Value) -> Value) -> Value {
    match value {
        Value::Numbers(_) => replace(value),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| map_arrays(item, replace))
                .collect::<Vec<_>>()
                .into(),
        ),
        Value::Object(object) => {
            let mut copy = Object::new();
            for (key, member) in object.iter() {
                copy.insert(key, map_arrays(member, replace));
            }
            copy.into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u32) -> Value {
        Value::vector((0..count).map(|n| f64::from(n) / 7.0).collect())
    }

    fn folded(value: &Value, bytes_max: u64) -> (Value, Vec<usize>) {
        let mut kept = Vec::new();
        let found = fold_number_arrays(value, bytes_max, &mut |array| {
            kept.push(array.as_numbers()?.as_slice().len());
            Some(Value::object([("$artifact", "b3:0")]))
        });
        (found, kept)
    }

    #[test]
    fn the_largest_arrays_are_replaced_until_the_rest_fits() {
        let value = Value::object([
            ("small", numbers(3)),
            ("middle", numbers(300)),
            (
                "records",
                Value::array(vec![Value::object([("y", numbers(500))])]),
            ),
            ("large", numbers(5_000)),
            ("text", Value::from("x".repeat(500))),
        ]);
        let whole = json::to_text(&value).len() as u64;
        for (limit, replaced) in [
            (whole, [].as_slice()),
            (whole - 1, &[5_000]),
            (14_000, &[5_000, 500]),
            (2_000, &[300, 500, 5_000]),
            (10, &[300, 500, 5_000]),
        ] {
            let (found, mut kept) = folded(&value, limit);
            let size = json::to_text(&found).len() as u64;
            assert!(size <= limit.max(1_200), "{limit}: {size}");
            assert_eq!(found.get("text"), value.get("text"));
            assert_eq!(found.get("small"), value.get("small"));
            let mut replaced = replaced.to_vec();
            kept.sort_unstable();
            replaced.sort_unstable();
            assert_eq!(kept, replaced, "{limit}");
        }
    }

    #[test]
    fn an_array_that_cannot_be_kept_stays() {
        let value = Value::object([("x", numbers(5_000))]);
        assert_eq!(fold_number_arrays(&value, 100, &mut |_| None), value);
        let (found, _) = folded(&numbers(5_000), 100);
        assert_eq!(found, Value::object([("$artifact", "b3:0")]));
    }
}
