//! Reads what is sent as protobuf, from the wire format and the field numbers of `opentelemetry/proto/*`, as the JSON of OTLP.

use serde_json::{Map, Value, json};

/// What a field holds.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// Bytes that JSON shows in hexadecimal digits.
    Id,
    /// A whole number of any size, and a truth.
    Number,
    Truth,
    /// A whole number that JSON writes as a text.
    Long,
    /// Eight bytes as a whole number, which JSON writes as a text.
    Nanoseconds,
    Double,
    Flags,
    One(Fields),
    Many(Fields),
}

type Fields = fn(u64) -> Option<(&'static str, Kind)>;

/// The message of a request.
pub(super) fn request(bytes: &[u8]) -> Value {
    message(bytes, |number| match number {
        1 => Some(("resourceSpans", Kind::Many(resource_spans))),
        _ => None,
    })
}

fn resource_spans(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        1 => Some(("resource", Kind::One(attributed))),
        2 => Some(("scopeSpans", Kind::Many(scope_spans))),
        _ => None,
    }
}

fn attributed(number: u64) -> Option<(&'static str, Kind)> {
    (number == 1).then_some(("attributes", Kind::Many(key_value)))
}

fn scope_spans(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        1 => Some(("scope", Kind::One(scope))),
        2 => Some(("spans", Kind::Many(span))),
        _ => None,
    }
}

fn scope(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        1 => Some(("name", Kind::Text)),
        2 => Some(("version", Kind::Text)),
        _ => None,
    }
}

fn span(number: u64) -> Option<(&'static str, Kind)> {
    Some(match number {
        1 => ("traceId", Kind::Id),
        2 => ("spanId", Kind::Id),
        3 => ("traceState", Kind::Text),
        4 => ("parentSpanId", Kind::Id),
        5 => ("name", Kind::Text),
        6 => ("kind", Kind::Number),
        7 => ("startTimeUnixNano", Kind::Nanoseconds),
        8 => ("endTimeUnixNano", Kind::Nanoseconds),
        9 => ("attributes", Kind::Many(key_value)),
        13 => ("links", Kind::Many(link)),
        15 => ("status", Kind::One(status)),
        16 => ("flags", Kind::Flags),
        _ => return None,
    })
}

fn link(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        1 => Some(("traceId", Kind::Id)),
        2 => Some(("spanId", Kind::Id)),
        6 => Some(("flags", Kind::Flags)),
        _ => None,
    }
}

fn status(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        2 => Some(("message", Kind::Text)),
        3 => Some(("code", Kind::Number)),
        _ => None,
    }
}

fn key_value(number: u64) -> Option<(&'static str, Kind)> {
    match number {
        1 => Some(("key", Kind::Text)),
        2 => Some(("value", Kind::One(any))),
        _ => None,
    }
}

fn any(number: u64) -> Option<(&'static str, Kind)> {
    Some(match number {
        1 => ("stringValue", Kind::Text),
        2 => ("boolValue", Kind::Truth),
        3 => ("intValue", Kind::Long),
        4 => ("doubleValue", Kind::Double),
        5 => ("arrayValue", Kind::One(values)),
        _ => return None,
    })
}

fn values(number: u64) -> Option<(&'static str, Kind)> {
    (number == 1).then_some(("values", Kind::Many(any)))
}

/// A message by its fields; those that are not named may only be zeros, which a writer may leave out.
fn message(mut bytes: &[u8], fields: Fields) -> Value {
    let mut found = Map::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let (number, wire) = (tag >> 3, tag & 7);
        let (scalar, content): (u64, &[u8]) = match wire {
            0 => (varint(&mut bytes), &[]),
            1 => (little_endian(take(&mut bytes, 8)), &[]),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).expect("a length");
                (0, take(&mut bytes, length))
            }
            5 => (little_endian(take(&mut bytes, 4)), &[]),
            other => panic!("wire type {other} of field {number}"),
        };
        let Some((name, kind)) = fields(number) else {
            assert!(scalar == 0 && content.is_empty(), "field {number} is new");
            continue;
        };
        let (expected, value) = match kind {
            Kind::Text => (2, std::str::from_utf8(content).expect("UTF-8").into()),
            Kind::Id => (2, hex(content).into()),
            Kind::Number => (0, scalar.into()),
            Kind::Truth => (0, (scalar == 1).into()),
            Kind::Long => (0, scalar.cast_signed().to_string().into()),
            Kind::Nanoseconds => (1, scalar.to_string().into()),
            Kind::Double => (1, f64::from_bits(scalar).into()),
            Kind::Flags => (5, scalar.into()),
            Kind::One(fields) => (2, message(content, fields)),
            Kind::Many(fields) => {
                let list = found.entry(name).or_insert_with(|| json!([]));
                let list = list.as_array_mut().expect("a list");
                list.push(message(content, fields));
                (2, Value::Null)
            }
        };
        assert_eq!(wire, expected, "the wire type of `{name}`");
        if !matches!(kind, Kind::Many(_)) {
            found.insert(name.to_owned(), value);
        }
    }
    Value::Object(found)
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return value;
        }
    }
    panic!("a number that does not end");
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, left) = bytes.split_at_checked(count).expect("a whole message");
    *bytes = left;
    taken
}

fn little_endian(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().rev();
    digits.fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
