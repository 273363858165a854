//! Positions of the parts of a document.

use std::collections::HashMap;
use std::sync::Arc;

use tool_core::{Object, Value};

use super::fault::DocumentFault;

/// A value, the positions of its parts, and the errors after which reading continued.
pub(super) type Parsed = (Value, DocumentSpans, Vec<DocumentFault>);

/// Places of the parts of a value.
#[derive(Debug, Clone)]
pub(super) enum DocumentSpans {
    /// One node for each part, in the shape of the value.
    Tree(SpanNode),
    /// The text of a document already known to be valid JSON: scanned again on demand.
    Json(Arc<str>),
}

/// The place of one part and of those below it, in order.
#[derive(Debug, Clone, Default)]
pub struct SpanNode {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Of a list its elements, of an object its members (the place of a member is that of its key).
    pub children: Vec<SpanNode>,
}

impl SpanNode {
    /// A part without parts of its own.
    pub fn at((line, column): (u32, u32)) -> Self {
        Self {
            line,
            column,
            children: Vec::new(),
        }
    }
}

impl DocumentSpans {
    /// The place of each pointer.
    pub(super) fn locate(&self, value: &Value, pointers: &[&str]) -> Vec<(u32, u32)> {
        let mut members = Members::default();
        let ways: Vec<Vec<usize>> = pointers
            .iter()
            .map(|pointer| pointer_positions(value, pointer, &mut members))
            .collect();
        match self {
            Self::Tree(root) => ways.iter().map(|way| root.below(way)).collect(),
            Self::Json(text) => super::json::locate_json_parts(text, &ways),
        }
    }
}

impl SpanNode {
    fn below(&self, way: &[usize]) -> (u32, u32) {
        match way.split_first() {
            Some((&index, rest)) if index < self.children.len() => self.children[index].below(rest),
            _ => (self.line, self.column),
        }
    }
}

/// The positions of the members of large objects, each object read once.
type Members = HashMap<*const Object, HashMap<String, usize>>;

/// Members from which on a table is worth it.
const LARGE: usize = 16;

fn member_position(object: &Arc<Object>, key: &str, members: &mut Members) -> Option<usize> {
    if object.len() < LARGE {
        return object.iter().position(|(name, _)| name == key);
    }
    let known = members.entry(Arc::as_ptr(object)).or_insert_with(|| {
        let names = object.iter().map(|(name, _)| name.to_owned());
        names.zip(0..).collect()
    });
    known.get(key).copied()
}

/// The pointer as positions in each list or object on the way, as far as it leads.
fn pointer_positions(value: &Value, pointer: &str, members: &mut Members) -> Vec<usize> {
    let mut indices = Vec::new();
    let mut current = value.clone();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let index = match &current {
            Value::Object(object) => member_position(object, &token, members),
            _ => token.parse().ok(),
        };
        let next = match &current {
            Value::Object(object) => index.and_then(|index| object.nth(index).cloned()),
            list => index.and_then(|index| list.at(index)),
        };
        let (Some(index), Some(next)) = (index, next) else {
            break;
        };
        indices.push(index);
        current = next;
    }
    indices
}

/// Line and column (in characters), both from 1, of a byte offset.
pub(super) struct LineIndex<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { text, starts }
    }

    pub(super) fn of(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1]; // the first line starts at 0, so at least one does
        let before = self.text.get(start..offset).unwrap_or_default();
        (
            saturate_to_u32(line),
            saturate_to_u32(before.chars().count() + 1),
        )
    }
}

pub(super) fn saturate_to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
