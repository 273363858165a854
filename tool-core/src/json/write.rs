//! Writes a [`Value`] as compact JSON; doubles are the shortest text that reads back as the same bits.

use crate::value::{Numbers, Value};

/// The value as one line of JSON.
pub fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Appends the value to a text.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => integer(*number, out),
        Value::Float(number) => float(*number, out),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Numbers(numbers) => block(numbers, numbers.shape(), numbers.as_slice(), out),
        Value::Object(object) => {
            out.push('{');
            for (index, (key, member)) in object.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(key, out);
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
    }
}

fn block(numbers: &Numbers, shape: &[usize], data: &[f64], out: &mut String) {
    out.push('[');
    if let [_] = shape {
        out.reserve(data.len() * 8);
        for (index, &number) in data.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if numbers.integral() {
                integer(number as i64, out)
            } else {
                float(number, out)
            }
        }
    } else {
        let stride = data.len() / shape[0];
        for (index, part) in data.chunks_exact(stride).enumerate() {
            if index > 0 {
                out.push(',');
            }
            block(numbers, &shape[1..], part, out);
        }
    }
    out.push(']');
}

fn integer(number: i64, out: &mut String) {
    use std::fmt::Write as _;
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
}

fn float(number: f64, out: &mut String) {
    if number.is_finite() {
        out.push_str(zmij::Buffer::new().format_finite(number));
    } else {
        string(&crate::number::spelling(number), out);
    }
}

fn string(text: &str, out: &mut String) {
    use std::fmt::Write as _;
    out.push('"');
    let mut clean = 0;
    for (index, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x00..=0x1f | 0x7f => "",
            _ => continue,
        };
        out.push_str(&text[clean..index]);
        clean = index + 1;
        if escape.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(&text[clean..]);
    out.push('"');
}
