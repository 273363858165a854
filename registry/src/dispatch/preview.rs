//! What a person sees of a call before approving it: short, and without secrets.

use tool_core::Value;

use crate::redact;

const PREVIEW_CHARS: usize = 600;
const TEXT_CHARS: usize = 120;
const ITEMS: usize = 8;
const DEPTH: usize = 4;

/// The arguments in short. Secrets are taken out before anything is cut, so that no half of one is left.
pub(super) fn of(args: &Value) -> String {
    let (clean, _) = redact::value(args);
    let mut text = String::new();
    write(&clean, 0, &mut text);
    cut(&text, PREVIEW_CHARS)
}

fn cut(text: &str, chars: usize) -> String {
    let total = text.chars().count();
    if total <= chars {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars).collect();
    format!("{kept}... ({total} characters)")
}

fn write(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::String(text) => tool_core::json::write(&Value::from(cut(text, TEXT_CHARS)), out),
        Value::Numbers(numbers) if numbers.as_slice().len() > ITEMS => out.push_str(&value.kind()),
        Value::Array(items) if depth < DEPTH => {
            out.push('[');
            for (index, item) in items.iter().take(ITEMS).enumerate() {
                separate(index, out);
                write(item, depth + 1, out);
            }
            rest(items.len(), out);
            out.push(']');
        }
        Value::Object(object) if depth < DEPTH => {
            out.push('{');
            let shown = if depth == 0 { usize::MAX } else { ITEMS };
            for (index, (key, member)) in object.iter().take(shown).enumerate() {
                separate(index, out);
                tool_core::json::write(&Value::from(cut(key, TEXT_CHARS)), out);
                out.push_str(": ");
                write(member, depth + 1, out);
            }
            rest(if depth == 0 { 0 } else { object.len() }, out);
            out.push('}');
        }
        Value::Array(_) | Value::Object(_) => out.push_str(&value.kind()),
        scalar => tool_core::json::write(scalar, out),
    }
}

fn separate(index: usize, out: &mut String) {
    if index > 0 {
        out.push_str(", ");
    }
}

fn rest(count: usize, out: &mut String) {
    if count > ITEMS {
        out.push_str(&format!(", ... {} more", count - ITEMS));
    }
}
