//! Redacts secrets in texts and values, at every depth.
//!
//! Three dozen kinds of secret are recognised by form. The text of a member with a secret name (`password`, `api_key`) is redacted
//! whatever its form. The replacement is `[redacted:<kind>]`. This limits accidents; it is no barrier against deliberate hiding.

mod patterns;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;

use tool_core::{Object, ToolError, Value};

/// The redacted text, and the number of secrets.
pub fn redact_text(text: &str) -> (Cow<'_, str>, usize) {
    /// A replacement can complete the form of another secret: `password://:...@` is an address and then a password.
    const PASSES_MAX: usize = 8;
    let (mut clean, count) = redact_text_once(text);
    let passes = if count > 0 { PASSES_MAX } else { 0 };
    for _ in 1..passes {
        let again = redact_text_once(&clean).0.into_owned();
        if *clean == again {
            break;
        }
        clean = Cow::Owned(again);
    }
    (clean, count)
}

fn redact_text_once(text: &str) -> (Cow<'_, str>, usize) {
    let found = patterns::find_secrets(text);
    if found.is_empty() {
        return (Cow::Borrowed(text), 0);
    }
    let mut clean = String::with_capacity(text.len());
    let mut end = 0;
    for hit in &found {
        clean.push_str(&text[end..hit.start]);
        clean.push_str("[redacted:");
        clean.push_str(hit.kind);
        clean.push(']');
        end = hit.end;
    }
    clean.push_str(&text[end..]);
    (Cow::Owned(clean), found.len())
}

/// The redacted value, and the number of secrets; without any, the same value without a copy.
///
/// Values that reach this are at most 128 deep, so it may recurse.
pub fn redact_value(value: &Value) -> (Value, usize) {
    match value {
        Value::String(string) => match redact_text(string) {
            (Cow::Borrowed(_), _) => (value.clone(), 0),
            (Cow::Owned(clean), count) => (Value::from(clean), count),
        },
        Value::Array(items) => {
            let cleaned: Vec<(Value, usize)> = items.iter().map(self::redact_value).collect();
            let count = cleaned.iter().map(|(_, count)| count).sum();
            if count == 0 {
                return (value.clone(), 0);
            }
            let items = cleaned.into_iter().map(|(item, _)| item).collect();
            (Value::Array(Arc::new(items)), count)
        }
        Value::Object(object) => redact_members(value, object),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Numbers(_) => {
            (value.clone(), 0)
        }
    }
}

/// The error with every text redacted: errors quote arguments and data.
pub fn redact_error(error: ToolError) -> ToolError {
    let (clean, count) = redact_value(&error.to_value());
    if count == 0 {
        return error;
    }
    let Some(mut clean) = ToolError::from_value(&clean) else {
        return error;
    };
    if error.is_outcome_unknown() {
        clean = clean.may_have_happened();
    }
    match error.approval() {
        Some(approval) => clean.waits_for(approval),
        None => clean,
    }
}

/// Whether a member is a header that authenticates, whatever the form of its value.
fn is_credential_header(name: &str) -> bool {
    const HEADERS: [&str; 4] = [
        "authorization",
        "cookie",
        "set-cookie",
        "proxy-authorization",
    ];
    HEADERS
        .iter()
        .any(|header| name.eq_ignore_ascii_case(header))
}

fn redact_members(whole: &Value, object: &Object) -> (Value, usize) {
    let mut clean = Object::new();
    let mut total = 0;
    let is_table = object.table().is_some();
    let Ok(()) = object.visit(|key, member| -> Result<(), Infallible> {
        let (name, in_name) = redact_text(key);
        let (member, count) = match member {
            Value::String(secret)
                if !secret.is_empty()
                    && (patterns::names_a_secret(key) || is_credential_header(key)) =>
            {
                (Value::from("[redacted:env_secret]"), 1)
            }
            other => redact_value(other),
        };
        total += in_name + count;
        // Columns of a table are looked at twice where one has a secret, and kept nowhere where none has.
        if !is_table || total > 0 {
            clean.push_unique(name.into(), member);
        }
        Ok(())
    });
    if is_table && total > 0 {
        let written = object.clone().into_iter().collect::<Object>();
        return redact_members(&Value::Null, &written);
    }
    if total == 0 {
        (whole.clone(), 0)
    } else {
        (Value::Object(Arc::new(clean)), total)
    }
}
