//! Writes a [`Value`] as compact JSON; doubles are the shortest text that reads back as the same bits.

use crate::value::{Numbers, SAFE_INTEGER, Value};

/// How free choices of spelling are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// As given: members in their order, integers and doubles as they were.
    Given,
    /// One text per value.
    Canonical,
}

/// The value as one line of JSON.
pub fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Appends the value to a text.
pub fn write(value: &Value, out: &mut String) {
    write_styled(value, Style::Given, out);
}

pub(super) fn write_styled(value: &Value, style: Style, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => integer(*number, out),
        Value::Float(number) => float(*number, style, out),
        Value::String(text) => string(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_styled(item, style, out);
            }
            out.push(']');
        }
        Value::Numbers(numbers) => {
            block(numbers, numbers.shape(), numbers.as_slice(), style, out);
        }
        Value::Object(object) => {
            out.push('{');
            match style {
                Style::Given => members(object.iter(), style, out),
                Style::Canonical => {
                    let mut sorted: Vec<_> = object.iter().collect();
                    sorted.sort_unstable_by_key(|(key, _)| *key);
                    members(sorted.into_iter(), style, out);
                }
            }
            out.push('}');
        }
    }
}

fn members<'a>(
    members: impl Iterator<Item = (&'a str, &'a Value)>,
    style: Style,
    out: &mut String,
) {
    for (index, (key, member)) in members.enumerate() {
        if index > 0 {
            out.push(',');
        }
        string(key, out);
        out.push(':');
        write_styled(member, style, out);
    }
}

fn block(numbers: &Numbers, shape: &[usize], data: &[f64], style: Style, out: &mut String) {
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
                float(number, style, out)
            }
        }
    } else {
        let stride = data.len() / shape[0];
        for (index, part) in data.chunks_exact(stride).enumerate() {
            if index > 0 {
                out.push(',');
            }
            block(numbers, &shape[1..], part, style, out);
        }
    }
    out.push(']');
}

fn integer(number: i64, out: &mut String) {
    use std::fmt::Write as _;
    // Writing to a string cannot fail.
    let _ = write!(out, "{number}");
}

fn float(number: f64, style: Style, out: &mut String) {
    if style == Style::Canonical && is_plain_integer(number) {
        integer(number as i64, out);
    } else if number.is_finite() {
        out.push_str(zmij::Buffer::new().format_finite(number));
    } else {
        string(&crate::number::spelling(number), out);
    }
}

/// A whole number within 2^53 that is not minus zero.
fn is_plain_integer(number: f64) -> bool {
    number.fract() == 0.0
        && number.abs() <= SAFE_INTEGER as f64
        && (number != 0.0 || number.is_sign_positive())
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
