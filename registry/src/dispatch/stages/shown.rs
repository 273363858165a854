//! Arguments as an approver sees them: with the texts of the files and artifacts that they refer to.

use std::collections::HashMap;

use tool_core::path::{push_index, push_key};
use tool_core::{Ctx, ToolCall, Value};

/// Most bytes of such texts; those beyond are shown by name and digest alone.
const TEXT_BYTES_MAX: usize = 8 << 20;

/// The arguments of a call, with loaded texts in place of references.
pub(super) fn resolved_arguments(call: &dyn ToolCall, ctx: &Ctx) -> Value {
    let mut left = TEXT_BYTES_MAX;
    let mut texts = HashMap::new();
    for reference in call.sources() {
        let Ok(loaded) = ctx.loaded(&reference.source) else {
            continue;
        };
        let bytes = loaded.as_str().map(str::len);
        if let Some(rest) = bytes.and_then(|bytes| left.checked_sub(bytes)) {
            left = rest;
            texts.insert(&*reference.pointer, loaded);
        }
    }
    match texts.is_empty() {
        true => call.args().clone(),
        false => substitute_loaded_texts(call.args(), &mut String::new(), &texts),
    }
}

fn substitute_loaded_texts(
    value: &Value,
    pointer: &mut String,
    texts: &HashMap<&str, Value>,
) -> Value {
    if let Some(text) = texts.get(&**pointer) {
        return text.clone();
    }
    let length = pointer.len();
    match value {
        Value::Object(object) => {
            let mut members = Vec::with_capacity(object.len());
            for (key, member) in object.iter() {
                push_key(pointer, key);
                members.push((
                    key.to_owned(),
                    substitute_loaded_texts(member, pointer, texts),
                ));
                pointer.truncate(length);
            }
            Value::object(members)
        }
        Value::Array(items) => {
            let mut found = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                push_index(pointer, index);
                found.push(substitute_loaded_texts(item, pointer, texts));
                pointer.truncate(length);
            }
            Value::array(found)
        }
        other => other.clone(),
    }
}
