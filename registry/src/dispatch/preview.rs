//! Previews of calls for approval requests: short, and redacted.

use tool_core::Value;

use crate::redact;

const PREVIEW_CHARS: usize = 600;
const TEXT_CHARS: usize = 120;
const ITEMS: usize = 8;
const DEPTH: usize = 4;

/// The arguments in short, and whether any were cut. Secrets are redacted before the cut, so that no part of one
/// remains.
pub(super) fn preview_arguments(args: &Value) -> (String, bool) {
    let (clean, _) = redact::redact_value(args);
    let mut preview = CallPreview::default();
    preview.write(&clean, 0);
    let text = std::mem::take(&mut preview.text);
    let text = preview.shorten(&text, PREVIEW_CHARS);
    (text, preview.cut)
}

#[derive(Default)]
struct CallPreview {
    text: String,
    cut: bool,
}

impl CallPreview {
    fn shorten(&mut self, text: &str, chars: usize) -> String {
        let total = text.chars().count();
        if total <= chars {
            return text.to_owned();
        }
        self.cut = true;
        let kept: String = text.chars().take(chars).collect();
        format!("{kept}... ({total} characters)")
    }

    fn quote(&mut self, text: &str) {
        let short = self.shorten(text, TEXT_CHARS);
        tool_core::json::write_value(&Value::from(short), &mut self.text);
    }

    fn kind(&mut self, value: &Value) {
        self.cut = true;
        self.text.push_str(&value.kind());
    }

    fn write(&mut self, value: &Value, depth: usize) {
        match value {
            Value::String(text) => self.quote(text),
            Value::Numbers(numbers) if numbers.as_slice().len() > ITEMS => self.kind(value),
            Value::Array(items) if depth < DEPTH => {
                self.text.push('[');
                for (index, item) in items.iter().take(ITEMS).enumerate() {
                    self.separate(index);
                    self.write(item, depth + 1);
                }
                self.rest(items.len());
                self.text.push(']');
            }
            Value::Object(object) if depth < DEPTH => {
                self.text.push('{');
                let shown = if depth == 0 { usize::MAX } else { ITEMS };
                for (index, (key, member)) in object.iter().take(shown).enumerate() {
                    self.separate(index);
                    self.quote(key);
                    self.text.push_str(": ");
                    self.write(member, depth + 1);
                }
                self.rest(if depth == 0 { 0 } else { object.len() });
                self.text.push('}');
            }
            Value::Array(_) | Value::Object(_) => self.kind(value),
            scalar => tool_core::json::write_value(scalar, &mut self.text),
        }
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push_str(", ");
        }
    }

    fn rest(&mut self, count: usize) {
        if count > ITEMS {
            self.cut = true;
            self.text.push_str(&format!(", ... {} more", count - ITEMS));
        }
    }
}
