//! Stored records for readers: moments as times, numbers of bytes in units, digests by their beginning.

use tool_core::{Object, Value};

use super::text::{format_byte_size, format_local_time, shorten_digest};
use super::value::render_value;

/// Milliseconds since 1970 from which a number is a moment, no duration: in 1973.
const MOMENT_LEAST: i64 = 100_000_000_000;

/// A stored record for a reader; `--json` has it as it is.
pub(crate) fn render_record(stored: &Value) -> String {
    render_value(&readable_record(stored))
}

fn readable_record(stored: &Value) -> Value {
    match stored {
        Value::Object(object) => {
            let mut shown = Object::new();
            for (name, member) in object.iter() {
                let (name, member) = label_member(name, member);
                shown.insert(name, member);
            }
            shown.into()
        }
        Value::String(text) => shorten_digest(text).map_or_else(|| stored.clone(), Value::from),
        Value::Array(items) => Value::array(items.iter().map(readable_record).collect()),
        other => other.clone(),
    }
}

/// A member, whose name says what its number is.
fn label_member<'a>(name: &'a str, member: &Value) -> (&'a str, Value) {
    let number = member.as_i64();
    let moment = number.filter(|number| *number >= MOMENT_LEAST);
    if let (Some(plain), Some(moment)) = (name.strip_suffix("_ms"), moment) {
        return (plain, format_local_time(moment.unsigned_abs()).into());
    }
    let is_size = name == "bytes" || name.ends_with("_bytes");
    match number.filter(|number| is_size && *number >= 0) {
        Some(bytes) => (name, format_byte_size(bytes.unsigned_abs()).into()),
        None => (name, readable_record(member)),
    }
}

#[cfg(test)]
mod tests {
    use tool_core::object;

    use super::*;

    #[test]
    fn moments_sizes_and_digests_are_as_people_read_them() {
        let digest = "0123456789ab".to_owned() + &"c".repeat(52);
        let shown = render_record(&object! {
            "created_ms" => 1_764_979_617_639_i64,
            "elapsed_ms" => 12_i64,
            "bytes" => 195_000_i64,
            "digest" => digest.as_str(),
            "handle" => format!("b3:{digest}"),
            "within" => Value::array(vec![object! { "output_bytes" => 8_i64 }]),
        });
        let date = format_local_time(1_764_979_617_639);
        for line in [
            format!("created     {date}"),
            "elapsed_ms  12".to_owned(),
            "bytes       195.0 kB".to_owned(),
            "digest      0123456789ab...".to_owned(),
            format!("handle      b3:{digest}"),
        ] {
            assert!(shown.lines().any(|found| found == line), "{line}:\n{shown}");
        }
        assert!(shown.contains("8 B"), "{shown}");
    }
}
