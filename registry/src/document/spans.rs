//! Where each part of a document was written.

use std::sync::Arc;

use tool_core::Value;

/// Places of the parts of a value.
#[derive(Debug, Clone)]
pub(super) enum Spans {
    /// One node for each part, in the shape of the value.
    Tree(Node),
    /// The text of a document already known to be valid JSON: scanned again when somebody asks.
    Json(Arc<str>),
}

/// The place of one part and of those below it, in order.
#[derive(Debug, Clone, Default)]
pub struct Node {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Of a list its elements, of an object its members (the place of a member is that of its key).
    pub children: Vec<Node>,
}

impl Node {
    /// A part without parts of its own.
    pub fn at((line, column): (u32, u32)) -> Self {
        Self {
            line,
            column,
            children: Vec::new(),
        }
    }
}

impl Spans {
    pub(super) fn locate(&self, value: &Value, pointer: &str) -> (u32, u32) {
        let indices = indices(value, pointer);
        match self {
            Self::Tree(root) => {
                let mut node = root;
                for index in indices {
                    match node.children.get(index) {
                        Some(child) => node = child,
                        None => break,
                    }
                }
                (node.line, node.column)
            }
            Self::Json(text) => super::json::locate(text, &indices),
        }
    }
}

/// The pointer as positions in each list or object on the way, as far as it leads.
fn indices(value: &Value, pointer: &str) -> Vec<usize> {
    let mut indices = Vec::new();
    let mut current = value.clone();
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        let (index, next) = match &current {
            Value::Object(object) => {
                let found = object
                    .iter()
                    .enumerate()
                    .find(|(_, (key, _))| *key == token);
                match found {
                    Some((index, (_, member))) => (index, member.clone()),
                    None => break,
                }
            }
            list => match token
                .parse()
                .ok()
                .and_then(|index| Some((index, list.at(index)?)))
            {
                Some(found) => found,
                None => break,
            },
        };
        indices.push(index);
        current = next;
    }
    indices
}

/// Line and column (in characters), both from 1, of a byte offset.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0)
            .chain(
                text.bytes()
                    .enumerate()
                    .filter(|(_, byte)| *byte == b'\n')
                    .map(|(at, _)| at + 1),
            )
            .collect();
        Self { text, starts }
    }

    pub(super) fn of(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1]; // the first line starts at 0, so at least one does
        let before = self.text.get(start..offset).unwrap_or_default();
        (saturate(line), saturate(before.chars().count() + 1))
    }
}

pub(super) fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
