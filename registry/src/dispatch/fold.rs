//! Large arrays and tables of answers as handles: what a model reads stays short, and no number is lost.

use tool_core::{Object, Value, json};

use super::cut::Keep;
use super::limits::json_bytes;

/// Longest JSON of an answer that holds its arrays of numbers and its tables itself, in bytes.
pub const READABLE_BYTES: u64 = 32 << 10;

/// About the longest JSON of a handle.
const HANDLE_BYTES: u64 = 320;
/// Names of columns that the handle of a table lists.
const COLUMNS_LISTED: usize = 50;
/// The member of an answer that is a table, also where all of its columns are numbers.
const TABLE: &str = "table";

/// Replaces arrays of numbers and tables by their handles, the largest first, until the value has at most `bytes_max` bytes of JSON or
/// only such as are shorter than a handle are left. One for which `keep` has no handle stays.
pub fn fold_large_data(value: &Value, bytes_max: u64, keep: Keep<'_>) -> Value {
    if json_bytes(value, bytes_max) <= bytes_max {
        return value.clone();
    }
    let mut sizes = Vec::new();
    let skeleton = map_data(value, &mut |part| {
        sizes.push(data_bytes(part, bytes_max));
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
    map_data(value, &mut |part| match places.next() {
        Some(true) => {
            keep(part).map_or_else(|| part.clone(), |handle| describe_table(handle, part))
        }
        _ => part.clone(),
    })
}

/// The handle of a table with its rows and columns, so that a reader need not open it to use it; any other handle as it is.
fn describe_table(handle: Value, part: &Value) -> Value {
    let (Some(rows), Some(columns)) = (part.table_rows(), part.as_object()) else {
        return handle;
    };
    let mut members = handle.as_object().cloned().unwrap_or_default();
    members.insert("rows", rows);
    let names = columns.keys().take(COLUMNS_LISTED);
    members.insert("columns", names.map(Value::from).collect::<Vec<_>>());
    if columns.len() > COLUMNS_LISTED {
        members.insert("column_count", columns.len());
    }
    members.into()
}

/// Size as JSON, without writing what exceeds the limit by itself.
fn data_bytes(part: &Value, bytes_max: u64) -> u64 {
    const LEAST: u64 = 2; // a digit and a comma
    let count = match (part, part.table_rows()) {
        (Value::Numbers(numbers), _) => numbers.as_slice().len(),
        (Value::Object(columns), Some(rows)) => columns.len() * rows,
        _ => 0,
    } as u64;
    match LEAST * count > bytes_max {
        true => json_bytes(part, u64::MAX),
        false => json::to_text(part).len() as u64,
    }
}

/// A copy in which every array of numbers and every table is replaced, in the order of the text.
fn map_data(value: &Value, replace: &mut dyn FnMut(&Value) -> Value) -> Value {
    match value {
        Value::Numbers(_) => replace(value),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| map_data(item, replace))
                .collect::<Vec<_>>()
                .into(),
        ),
        Value::Object(object) => {
            let mut copy = Object::new();
            for (key, member) in object.iter() {
                let mapped = match is_table(key, member) {
                    true => replace(member),
                    false => map_data(member, replace),
                };
                copy.push_unique(key.into(), mapped);
            }
            copy.into()
        }
        other => other.clone(),
    }
}

/// Whether a member is one table and not several arrays: it is called so, or a column has more than numbers.
fn is_table(key: &str, member: &Value) -> bool {
    let has_other_cells = |columns: &Object| {
        let mut cells = columns.iter();
        columns.table().is_some() || cells.any(|(_, column)| column.as_numbers().is_none())
    };
    member.table_rows().is_some_and(|rows| rows > 0)
        && (key == TABLE || member.as_object().is_some_and(has_other_cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u32) -> Value {
        Value::vector((0..count).map(|n| f64::from(n) / 7.0).collect())
    }

    fn folded(value: &Value, bytes_max: u64) -> (Value, Vec<usize>) {
        let mut kept = Vec::new();
        let found = fold_large_data(value, bytes_max, &mut |array| {
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
    fn a_table_is_one_handle_that_names_its_columns() {
        let texts = Value::array((0..500).map(|n| Value::from(format!("t{n}"))).collect());
        let mixed = Value::object([("name", texts), ("size", numbers(500))]);
        let numeric = Value::object([("x", numbers(500)), ("y", numbers(500))]);
        let mut kept = Vec::new();
        let value = Value::object([
            ("sales", mixed.clone()),
            ("table", numeric.clone()),
            ("fit", numeric.clone()),
        ]);
        let found = fold_large_data(&value, 1_000, &mut |part| {
            kept.push(part.clone());
            Some(Value::object([("$artifact", "b3:0")]))
        });
        let [x, y] = ["x", "y"].map(|name| numeric.get(name).expect("a column").clone());
        assert_eq!(kept, [mixed, numeric, x, y]);
        let handle = found.get("sales").expect("a handle");
        assert_eq!(
            json::to_text(handle),
            r#"{"$artifact":"b3:0","rows":500,"columns":["name","size"]}"#
        );
        assert!(found.pointer("/fit/x/$artifact").is_some());
        let ragged = Value::object([(
            "table",
            Value::object([("a", numbers(3)), ("b", numbers(2))]),
        )]);
        assert_eq!(ragged.get("table").and_then(Value::table_rows), None);
    }

    #[test]
    fn an_array_that_cannot_be_kept_stays() {
        let value = Value::object([("x", numbers(5_000))]);
        assert_eq!(fold_large_data(&value, 100, &mut |_| None), value);
        let (found, _) = folded(&numbers(5_000), 100);
        assert_eq!(found, Value::object([("$artifact", "b3:0")]));
    }
}
