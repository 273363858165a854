//! The stored form of a value: JSON that decodes to exactly the same value.
//!
//! Most values are their own stored form. Values that JSON cannot represent become objects whose key begins with `$`, and a
//! user's object with such a key is escaped:
//!
//! | form | value |
//! | --- | --- |
//! | `{"$artifact": ...}` | a block of numbers in a file ([`ArtifactHandle`]) |
//! | `{"$lit": {...}}` | the object inside, which has a key that begins with `$` |
//! | `{"$f64": "<16 hex digits>"}` | a double that is not finite, by its bits |
//! | `{"$int": "..."}` | an integer beyond 2^53 |
//! | `{"$block": {"shape", "integral", "bits"}}` | a small block of numbers whose text would not parse to the same value |
//! | `{"$list": ["...", ...]}` | an array that the parser would read as a block of numbers; each item as the text of its form |

use std::sync::Arc;

use tool_core::value::{Numbers, SAFE_INTEGER};
use tool_core::{ErrorCode, Object, Result, ToolError, Value, json, object, tool_error};

use super::block::block_handle;
use super::handle::{ArtifactHandle, ArtifactKind, FILE_KEY};
use super::{ArtifactHash, DEPTH_MAX, JSON_BYTES_MAX};

const LITERAL: &str = "$lit";
const DOUBLE: &str = "$f64";
const INTEGER: &str = "$int";
const BLOCK: &str = "$block";
const LIST: &str = "$list";

/// Most dimensions of a block that the parser packs, and of a stored NumPy file.
pub(super) const RANK_MAX: usize = 8;

/// A value in its stored form, not yet written.
pub(crate) struct StoredForm {
    /// Handle of the whole value.
    pub(crate) handle: ArtifactHandle,
    /// The stored form, unless the whole is one block.
    pub(crate) body: Option<String>,
    /// The blocks to be written as files.
    pub(crate) blocks: Vec<(ArtifactHandle, Numbers)>,
}

/// Converts a value to its stored form: blocks and JSON of more than `least` bytes become files.
///
/// # Errors
/// `limit_exceeded` for a value that is too deep or too large.
pub(crate) fn encode_value(value: &Value, least: usize) -> Result<StoredForm> {
    let mut encoder = ArtifactEncoder {
        least,
        blocks: Vec::new(),
    };
    let encoded = match is_plain(value, least, 0)? {
        true => value.clone(),
        false => encoder.encode(value)?,
    };
    let mut blocks = encoder.blocks;
    if let (Value::Numbers(_), [_]) = (value, blocks.as_slice()) {
        let (handle, body) = (blocks[0].0.clone(), None);
        return Ok(StoredForm {
            handle,
            body,
            blocks,
        });
    }
    let body = json::to_text(&encoded);
    let bytes = body.len() as u64;
    if body.len() > JSON_BYTES_MAX {
        return Err(too_large("value_size", bytes, JSON_BYTES_MAX as u64));
    }
    blocks.sort_by_key(|(handle, _)| handle.hash);
    blocks.dedup_by_key(|(handle, _)| handle.hash);
    let kind = match body.len() > least {
        true => ArtifactKind::Json { bytes },
        false => ArtifactKind::Small,
    };
    let hash = ArtifactHash::of(body.as_bytes());
    let (handle, body) = (ArtifactHandle { hash, kind }, Some(body));
    Ok(StoredForm {
        handle,
        body,
        blocks,
    })
}

/// Decodes a stored form; `open` reads the blocks in files.
///
/// # Errors
/// `artifact_corrupt` for an invalid form, and the errors of `open`.
pub(crate) fn decode_stored_form(
    body: &str,
    open: &mut dyn FnMut(&ArtifactHandle) -> Result<Value>,
) -> Result<Value> {
    let value = parse_stored_json(body)?;
    match has_form(&value) {
        true => decode_value(&value, open),
        false => Ok(value),
    }
}

fn parse_stored_json(body: &str) -> Result<Value> {
    let limits = json::JsonLimits {
        bytes_max: JSON_BYTES_MAX,
        // Each level may have an escape of two levels.
        depth_max: 3 * DEPTH_MAX + 8,
        ..json::JsonLimits::default()
    };
    json::parse_json(body, limits).map_err(|err| damaged_value_error(&err.to_string()))
}

pub(super) fn too_large(reason: &'static str, found: u64, limit: u64) -> ToolError {
    ToolError::new(
        ErrorCode::LimitExceeded,
        format_args!("a value of {found} bytes cannot be stored; the limit is {limit}"),
    )
    .reason(reason)
    .hint("split it, or write it to a file of the workspace")
}

pub(super) fn damaged_value_error(why: &str) -> ToolError {
    tool_error!(ToolError, "artifact_corrupt"; "a stored value cannot be read: {why}").hint(
        "`mathchain audit verify` lists all damage; run the plan again to recompute the value",
    )
}

/// Whether the plain JSON text of a value parses to the same value.
fn is_plain(value: &Value, least: usize, depth: usize) -> Result<bool> {
    check_depth(depth)?;
    Ok(match value {
        Value::Null | Value::Bool(_) | Value::String(_) => true,
        Value::Int(number) => is_safe(*number),
        Value::Float(number) => number.is_finite(),
        Value::Array(items) => {
            let first = items.first();
            let numeric = |first: &Value| {
                matches!(first, Value::Int(_) | Value::Float(_) | Value::Numbers(_))
            };
            let mut plain = !first.is_some_and(numeric) || !is_packable(items);
            for item in items.iter() {
                plain &= is_plain(item, least, depth + 1)?;
            }
            plain
        }
        Value::Numbers(numbers) => !is_large(numbers, least) && is_text_exact(numbers),
        Value::Object(object) => {
            let mut plain = true;
            object.visit(|key, member| -> Result<()> {
                plain &= !key.starts_with('$') && is_plain(member, least, depth + 1)?;
                Ok(())
            })?;
            plain
        }
    })
}

fn check_depth(depth: usize) -> Result<()> {
    if depth <= DEPTH_MAX {
        return Ok(());
    }
    Err(tool_error!(LimitExceeded, "value_depth";
        "a value nested more than {DEPTH_MAX} deep cannot be stored";
        "flatten it"))
}

fn is_safe(number: i64) -> bool {
    number.unsigned_abs() <= SAFE_INTEGER as u64
}

fn is_large(numbers: &Numbers, least: usize) -> bool {
    size_of_val(numbers.as_slice()) > least
}

/// Whether the text of a block parses to the same bits and the same spelling.
fn is_text_exact(numbers: &Numbers) -> bool {
    let integer = |number: f64| {
        number.fract() == 0.0
            && number.abs() <= SAFE_INTEGER as f64
            && (number != 0.0 || number.is_sign_positive())
    };
    let integral = numbers.integral();
    !numbers.as_slice().is_empty()
        && numbers.rank() <= RANK_MAX
        && numbers
            .as_slice()
            .iter()
            .all(|&number| number.is_finite() && (!integral || integer(number)))
}

/// Whether the parser would pack these items into one block.
fn is_packable(items: &[Value]) -> bool {
    matches!(Value::array(items.to_vec()), Value::Numbers(_))
}

struct ArtifactEncoder {
    least: usize,
    blocks: Vec<(ArtifactHandle, Numbers)>,
}

impl ArtifactEncoder {
    fn encode(&mut self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::Int(number) if !is_safe(*number) => {
                Value::object([(INTEGER, number.to_string())])
            }
            Value::Float(number) if !number.is_finite() => {
                Value::object([(DOUBLE, format_float_bits([*number]))])
            }
            Value::Null | Value::Bool(_) | Value::String(_) | Value::Int(_) | Value::Float(_) => {
                value.clone()
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.encode(item));
                let items = items.collect::<Result<Vec<_>>>()?;
                if !is_packable(&items) {
                    return Ok(Value::Array(Arc::new(items)));
                }
                let texts = items.iter().map(|item| Value::from(json::to_text(item)));
                Value::object([(LIST, Value::Array(Arc::new(texts.collect())))])
            }
            Value::Numbers(numbers) if is_large(numbers, self.least) => self.file(numbers)?,
            Value::Numbers(numbers) if is_text_exact(numbers) => value.clone(),
            Value::Numbers(numbers) => {
                let block = object! {
                    "shape" => numbers.shape().to_vec(),
                    "integral" => numbers.integral(),
                    "bits" => format_float_bits(numbers.as_slice().iter().copied()),
                };
                Value::object([(BLOCK, block)])
            }
            Value::Object(object) => {
                let mut copy = Object::new();
                let mut literal = false;
                object.visit(|key, member| -> Result<()> {
                    literal |= key.starts_with('$');
                    copy.push_unique(Arc::clone(key), self.encode(member)?);
                    Ok(())
                })?;
                let copy = Value::Object(copy.into());
                match literal {
                    true => Value::object([(LITERAL, copy)]),
                    false => copy,
                }
            }
        })
    }

    fn file(&mut self, numbers: &Numbers) -> Result<Value> {
        let handle = block_handle(numbers)?;
        let value = handle.to_value();
        self.blocks.push((handle, numbers.clone()));
        Ok(value)
    }
}

/// Formats the bits of doubles, 16 hex digits each.
fn format_float_bits(numbers: impl IntoIterator<Item = f64>) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for number in numbers {
        // Writing to a string cannot fail.
        let _ = write!(text, "{:016x}", number.to_bits());
    }
    text
}

fn of_bits(text: &str) -> Option<Vec<f64>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(16) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let number = |digits| {
        let digits = std::str::from_utf8(digits).ok()?;
        u64::from_str_radix(digits, 16).ok().map(f64::from_bits)
    };
    digits.chunks(16).map(number).collect()
}

/// Whether a form contains anything to decode.
fn has_form(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_form),
        Value::Object(object) => object
            .iter()
            .any(|(key, member)| key.starts_with('$') || has_form(member)),
        _ => false,
    }
}

type Open<'a> = &'a mut dyn FnMut(&ArtifactHandle) -> Result<Value>;

fn decode_value(value: &Value, open: Open<'_>) -> Result<Value> {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| decode_value(item, open));
            Ok(Value::Array(Arc::new(items.collect::<Result<_, _>>()?)))
        }
        Value::Object(object) => match object.iter().next() {
            Some((key, inside)) if key.starts_with('$') => {
                decode_tagged_form(value, key, inside, open)
            }
            _ => decode_members(object, open),
        },
        other => Ok(other.clone()),
    }
}

fn decode_members(object: &Object, open: Open<'_>) -> Result<Value> {
    let mut copy = Object::new();
    for (key, member) in object.iter() {
        copy.push_unique(key.into(), decode_value(member, open)?);
    }
    Ok(Value::Object(copy.into()))
}

fn decode_tagged_form(whole: &Value, key: &str, inside: &Value, open: Open<'_>) -> Result<Value> {
    let text = inside.as_str().unwrap_or_default();
    let found = match key {
        FILE_KEY => ArtifactHandle::from_value(whole)
            .map(|handle| open(&handle))
            .transpose()?,
        LITERAL => inside
            .as_object()
            .map(|object| decode_members(object, open))
            .transpose()?,
        DOUBLE => match of_bits(text).as_deref() {
            Some(&[number]) => Some(Value::Float(number)),
            _ => None,
        },
        INTEGER => text.parse().ok().map(Value::Int),
        BLOCK => small_block(inside),
        LIST => match inside.items() {
            Some(texts) => {
                let items = texts.iter().map(|text| {
                    let item = parse_stored_json(text.as_str().unwrap_or_default())?;
                    decode_value(&item, open)
                });
                Some(Value::Array(Arc::new(items.collect::<Result<_, _>>()?)))
            }
            None => None,
        },
        _ => None,
    };
    found.ok_or_else(|| damaged_value_error(&format!("`{key}` is not a stored form")))
}

fn small_block(inside: &Value) -> Option<Value> {
    let shape = inside.get("shape")?.items()?;
    let shape = shape
        .iter()
        .map(|extent| usize::try_from(extent.as_i64()?).ok());
    let shape = shape.collect::<Option<Vec<_>>>()?;
    let integral = inside.get("integral")?.as_bool()?;
    let data = of_bits(inside.get("bits")?.as_str()?)?;
    if shape == [0] && data.is_empty() {
        return Some(Value::Numbers(Numbers::vector(data, integral)));
    }
    Numbers::new(shape, data, integral).map(Value::Numbers)
}
