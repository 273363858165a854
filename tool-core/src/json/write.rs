//! Writes a [`Value`] as compact JSON; doubles are the shortest text that reads back as the same bits.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use crate::value::{Numbers, SAFE_INTEGER, Value, exact_double};

/// How free choices of spelling are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonStyle {
    /// As given: members in their order, integers and doubles as they were.
    Given,
    /// One text per value.
    Canonical,
}

/// The value as one line of JSON.
pub fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write_value(value, &mut text);
    text
}

/// Appends the value to a text.
pub fn write_value(value: &Value, out: &mut String) {
    write_styled(value, JsonStyle::Given, out);
}

pub(super) fn write_styled(value: &Value, style: JsonStyle, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => match exact_double(*number) {
            // Equal values have equal texts.
            Some(double)
                if style == JsonStyle::Canonical && number.unsigned_abs() > SAFE_INTEGER as u64 =>
            {
                write_float(double, style, out);
            }
            _ => write_integer(*number, out),
        },
        Value::Float(number) => write_float(*number, style, out),
        Value::String(text) => write_string(text, out),
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
            write_number_block(numbers, numbers.shape(), numbers.as_slice(), style, out);
        }
        Value::Object(object) => {
            out.push('{');
            let mut is_first = true;
            let write_member = |key: &Arc<str>, member: &Value| -> Result<(), Infallible> {
                if !is_first {
                    out.push(',');
                }
                is_first = false;
                write_string(key, out);
                out.push(':');
                write_styled(member, style, out);
                Ok(())
            };
            let Ok(()) = match style {
                JsonStyle::Given => object.visit(write_member),
                JsonStyle::Canonical => object.visit_sorted(write_member),
            };
            out.push('}');
        }
    }
}

/// Longest text of a double or of an integer within 2^53, with its comma.
const NUMBER_BYTES_MAX: usize = 25;
/// Blocks with at least this many numbers are written by two threads, where there are two processors.
const SPLIT_LEAST: usize = if cfg!(test) { 10 } else { 1 << 16 };

fn write_number_block(
    numbers: &Numbers,
    shape: &[usize],
    data: &[f64],
    style: JsonStyle,
    out: &mut String,
) {
    // Room for the longest texts: addresses, but no memory before they are used.
    out.reserve((NUMBER_BYTES_MAX + 2 * (shape.len() - 1)) * data.len() + 2);
    let (count, stride) = (shape[0], data.len() / shape[0]);
    let spelling = NumberSpelling {
        integral: numbers.integral(),
        style,
    };
    out.push('[');
    let shared = data.len() >= SPLIT_LEAST && count > 1;
    if !shared || std::thread::available_parallelism().is_ok_and(|threads| threads.get() < 2) {
        spelling.parts(shape, data, out);
    } else {
        let middle = count / 2;
        let (first, second) = data.split_at(middle * stride);
        let shape_of = |count| [&[count], &shape[1..]].concat();
        let (first_shape, second_shape) = (shape_of(middle), shape_of(count - middle));
        std::thread::scope(|scope| {
            let writer = std::thread::Builder::new().spawn_scoped(scope, || {
                let mut text = String::with_capacity(NUMBER_BYTES_MAX * second.len());
                spelling.parts(&second_shape, second, &mut text);
                text
            });
            spelling.parts(&first_shape, first, out);
            out.push(',');
            match writer.ok().and_then(|writer| writer.join().ok()) {
                Some(text) => out.push_str(&text),
                None => spelling.parts(&second_shape, second, out),
            }
        });
    }
    out.push(']');
}

/// How the numbers of a block are spelled.
#[derive(Clone, Copy)]
struct NumberSpelling {
    integral: bool,
    style: JsonStyle,
}

impl NumberSpelling {
    /// The parts of a block along its first extent, without the brackets around them.
    fn parts(self, shape: &[usize], data: &[f64], out: &mut String) {
        if let [_] = shape {
            return self.numbers(data, out);
        }
        for (index, part) in data.chunks_exact(data.len() / shape[0]).enumerate() {
            out.push_str(if index > 0 { ",[" } else { "[" });
            self.parts(&shape[1..], part, out);
            out.push(']');
        }
    }

    fn numbers(self, data: &[f64], out: &mut String) {
        for (index, &number) in data.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if self.integral {
                write_integer(number as i64, out);
            } else {
                write_float(number, self.style, out);
            }
        }
    }
}

fn write_integer(number: i64, out: &mut String) {
    const DIGITS_MAX: usize = 20;
    let mut digits = [0; DIGITS_MAX];
    let (mut first, mut rest) = (DIGITS_MAX, number.unsigned_abs());
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[first..]).expect("digits are ASCII"));
}

fn write_float(number: f64, style: JsonStyle, out: &mut String) {
    if style == JsonStyle::Canonical && is_plain_integer(number) {
        write_integer(number as i64, out);
    } else if number.is_finite() {
        out.push_str(zmij::Buffer::new().format_finite(number));
    } else {
        write_string(&crate::number::non_finite_spelling(number), out);
    }
}

/// A whole number within 2^53 that is not minus zero.
fn is_plain_integer(number: f64) -> bool {
    number.fract() == 0.0
        && number.abs() <= SAFE_INTEGER as f64
        && (number != 0.0 || number.is_sign_positive())
}

fn write_string(text: &str, out: &mut String) {
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

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(self))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&to_text(self))
    }
}
