//! YAML 1.2 (core schema) into a document, from the parser's events; no recursion.

use std::collections::HashSet;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use tool_core::{Object, Value};

use super::fault::{self, DEPTH_MAX, DocumentFault, FAULTS_MAX, check_size};
use super::spans::{DocumentSpans, Parsed, SpanNode, saturate_to_u32};

pub(super) fn parse_yaml_document(text: &str) -> Result<Parsed, Vec<DocumentFault>> {
    check_size(text).map_err(|fault| vec![fault])?;
    let mut build = YamlBuilder::default();
    for event in Parser::new_from_str(text) {
        let built = match event {
            Ok((event, span)) => build.event(event, span),
            Err(err) => Err(DocumentFault::new(
                marker_position(err.marker()),
                err.info(),
            )),
        };
        if let Err(fault) = built {
            build.note(fault);
            return Err(build.faults);
        }
    }
    let root = build.root;
    let (value, node) = root.unwrap_or_else(|| (Value::Null, SpanNode::at((1, 1))));
    Ok((value, DocumentSpans::Tree(node), build.faults))
}

fn marker_position(marker: &Marker) -> (u32, u32) {
    (
        saturate_to_u32(marker.line()),
        saturate_to_u32(marker.col() + 1),
    )
}

/// A list or mapping that is not yet closed.
enum OpenCollection {
    List {
        items: Vec<Value>,
        node: SpanNode,
    },
    Map {
        members: Object,
        seen: HashSet<Arc<str>>,
        key: Option<PendingKey>,
        node: SpanNode,
    },
}

/// A key whose value is still to come.
struct PendingKey {
    name: Arc<str>,
    at: (u32, u32),
    /// Whether the mapping has it already.
    again: bool,
}

#[derive(Default)]
struct YamlBuilder {
    open: Vec<OpenCollection>,
    root: Option<(Value, SpanNode)>,
    documents: usize,
    /// What reading went on after.
    faults: Vec<DocumentFault>,
}

impl YamlBuilder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), DocumentFault> {
        let at = marker_position(&span.start);
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(DocumentFault::new(
                        at,
                        "expected one document, found a second",
                    ));
                }
                Ok(())
            }
            Event::Alias(_) => {
                let hint = "write the value again, or refer to it where the format has references";
                self.note(DocumentFault::new(at, "an alias (`*name`) is not accepted").hint(hint));
                match self.expects_key() {
                    true => self.key("*", at),
                    false => self.close(Value::Null, SpanNode::at(at)),
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_node(at, anchor, tag.is_some());
                if self.expects_key() {
                    return self.key(&text, at);
                }
                let value = match style {
                    ScalarStyle::Plain => core_scalar(&text).unwrap_or_else(|message| {
                        self.note(DocumentFault::new(at, message));
                        Value::Null
                    }),
                    _ => Value::from(text.as_ref()),
                };
                self.close(value, SpanNode::at(at))
            }
            Event::SequenceStart(anchor, tag) => {
                self.enter(at, anchor, tag.is_some())?;
                self.open.push(OpenCollection::List {
                    items: Vec::new(),
                    node: SpanNode::at(at),
                });
                Ok(())
            }
            Event::MappingStart(anchor, tag) => {
                self.enter(at, anchor, tag.is_some())?;
                self.open.push(OpenCollection::Map {
                    members: Object::new(),
                    seen: HashSet::new(),
                    key: None,
                    node: SpanNode::at(at),
                });
                Ok(())
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenCollection::List { items, node }) => self.close(Value::array(items), node),
                Some(OpenCollection::Map { members, node, .. }) => {
                    self.close(Value::Object(Arc::new(members)), node)
                }
                None => Err(DocumentFault::new(
                    at,
                    "a list or mapping ends that did not begin",
                )),
            },
        }
    }

    /// Notes an anchor or a tag; the value holds without.
    fn plain_node(&mut self, at: (u32, u32), anchor: usize, tagged: bool) {
        if anchor != 0 {
            let fault = DocumentFault::new(at, "an anchor (`&name`) is not accepted");
            self.note(fault.hint("write the value again where it is needed"));
        }
        if tagged {
            let fault = DocumentFault::new(at, "a tag (`!name`) is not accepted");
            self.note(fault.hint("quote the value to make it text"));
        }
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(OpenCollection::Map { key: None, .. })
        )
    }

    /// Keeps what is wrong; reading goes on.
    fn note(&mut self, mut fault: DocumentFault) {
        if self.faults.len() < FAULTS_MAX {
            fault.pointer = self.pointer();
            self.faults.push(fault);
        }
    }

    fn enter(&mut self, at: (u32, u32), anchor: usize, tagged: bool) -> Result<(), DocumentFault> {
        self.plain_node(at, anchor, tagged);
        if self.expects_key() {
            let message = "expected text as a key, found a list or mapping";
            return Err(DocumentFault::new(at, message));
        }
        if self.open.len() == DEPTH_MAX {
            return Err(DocumentFault::new(
                at,
                format!("nested deeper than {DEPTH_MAX}"),
            ));
        }
        Ok(())
    }

    /// The first value of a key holds; one that is given again is read and forgotten.
    fn key(&mut self, text: &str, at: (u32, u32)) -> Result<(), DocumentFault> {
        let mut again = false;
        if let Some(OpenCollection::Map { seen, key, .. }) = self.open.last_mut() {
            let name: Arc<str> = text.into();
            again = !seen.insert(Arc::clone(&name));
            *key = Some(PendingKey { name, at, again });
        }
        if again {
            self.note(DocumentFault::new(
                at,
                format!("the key `{text}` is given twice"),
            ));
        }
        Ok(())
    }

    /// A finished value goes to the list or mapping around it.
    fn close(&mut self, value: Value, mut child: SpanNode) -> Result<(), DocumentFault> {
        match self.open.last_mut() {
            None => self.root = Some((value, child)),
            Some(OpenCollection::List { items, node }) => {
                items.push(value);
                node.children.push(child);
            }
            Some(OpenCollection::Map {
                members, key, node, ..
            }) => {
                if let Some(key) = key.take().filter(|key| !key.again) {
                    (child.line, child.column) = key.at;
                    members.push_unique(key.name, value);
                    node.children.push(child);
                }
            }
        }
        Ok(())
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for open in &self.open {
            match open {
                OpenCollection::List { items, .. } => {
                    tool_core::path::push_index(&mut pointer, items.len())
                }
                OpenCollection::Map { key: Some(key), .. } => {
                    tool_core::path::push_key(&mut pointer, &key.name)
                }
                OpenCollection::Map { .. } => {}
            }
        }
        pointer
    }
}

/// A plain scalar by the core schema (YAML 1.2.2, 10.3.2): `no`, `on` and `y` are texts.
fn core_scalar(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    let radix = |digits: &str, radix| {
        i64::from_str_radix(digits, radix)
            .map(Value::Int)
            .map_err(|_| fault::too_wide(text))
    };
    type Digit = fn(&u8) -> bool;
    let octal: Digit = |byte| (b'0'..=b'7').contains(byte);
    for (prefix, base, fits) in [("0o", 8, octal), ("0x", 16, u8::is_ascii_hexdigit as Digit)] {
        let digits = text
            .strip_prefix(prefix)
            .filter(|digits| !digits.is_empty());
        if let Some(digits) = digits.filter(|digits| digits.as_bytes().iter().all(fits)) {
            return radix(digits, base);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("`{text}` is not a finite number"));
    }
    if is_number(unsigned) {
        fault::parse_double(text)
    } else {
        Ok(Value::from(text))
    }
}

/// `(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`
fn is_number(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = digits(after);
        if whole + fraction == 0 {
            return false;
        }
        rest = &after[fraction..];
    } else if whole == 0 {
        return false;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        return length > 0 && length == exponent.len();
    }
    rest.is_empty()
}
