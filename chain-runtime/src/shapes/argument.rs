//! The shapes of arguments: of literals from their values, of references from what is known of their steps.

use std::sync::Arc;

use tool_core::Value;

use super::solver::{Axis, Id, Origin, Solver};
use crate::template::{Node, Placed};

/// Returns the shape of the value of a reference, where known.
pub type Given<'a> = &'a mut dyn FnMut(&mut Solver, &Placed) -> Option<Id>;

/// An argument, in a plan or in a literal of it.
#[derive(Clone, Copy)]
pub(super) enum Argument<'a> {
    Node(&'a Node),
    Value(&'a Value),
}

impl<'a> Argument<'a> {
    pub(super) fn get(self, name: &str) -> Option<Self> {
        match self {
            Self::Node(Node::Literal(value)) | Self::Value(value) => {
                value.get(name).map(Self::Value)
            }
            Self::Node(Node::Object(members)) => {
                let found = members.iter().find(|(key, _)| **key == *name)?;
                Some(Self::Node(&found.1))
            }
            Self::Node(_) => None,
        }
    }

    /// The argument at a path below this one.
    pub(super) fn at(self, path: &[Arc<str>]) -> Option<Self> {
        path.iter().try_fold(self, |inner, name| inner.get(name))
    }

    pub(super) fn literal(self) -> Option<&'a Value> {
        match self {
            Self::Node(node) => node.literal(),
            Self::Value(value) => Some(value),
        }
    }
}

/// The shape of an argument, where something is known of it.
pub fn shape_of_node(
    solver: &mut Solver,
    node: &Node,
    pointer: &str,
    given: Given<'_>,
) -> Option<Id> {
    shape_of(solver, Argument::Node(node), pointer, given)
}

/// The same of an argument within a literal too.
pub(super) fn shape_of(
    solver: &mut Solver,
    argument: Argument<'_>,
    pointer: &str,
    given: Given<'_>,
) -> Option<Id> {
    match argument {
        Argument::Value(value) | Argument::Node(Node::Literal(value)) => {
            of_value(solver, value, pointer)
        }
        Argument::Node(Node::Reference(placed)) => given(solver, placed),
        Argument::Node(Node::Array(nodes)) => {
            let (rest, mut axis) = (solver.open(None), Axis::Entries);
            for (index, node) in nodes.iter().enumerate() {
                let pointer = format!("{pointer}/{index}");
                if let Some(element) = shape_of_node(solver, node, &pointer, given) {
                    axis = Axis::Rows;
                    solver.unify(element, rest, &mut Vec::new()); // rows that differ are refused where they arrive
                }
            }
            let length = solver.size(nodes.len() as u64, Origin::new(pointer, axis));
            Some(solver.list(&[length], rest))
        }
        Argument::Node(Node::Object(_) | Node::Format(_)) => None,
    }
}

/// The shape of a literal; `None` for what is no array: a file, a text, or nothing.
fn of_value(solver: &mut Solver, value: &Value, pointer: &str) -> Option<Id> {
    let (sizes, whole) = extents(value)?;
    let pointer: Arc<str> = pointer.into();
    let mut extent = |(axis, &size): (usize, &usize)| {
        let origin = Origin::new(Arc::clone(&pointer), Axis::of(axis, sizes.len()));
        solver.size(size as u64, origin)
    };
    let ids: Vec<Id> = sizes.iter().enumerate().map(&mut extent).collect();
    let rest = match whole {
        true => solver.end(),
        false => solver.open(None),
    };
    Some(solver.list(&ids, rest))
}

/// The extents of an array, and whether these are all: nothing is known below an empty one, or one whose elements differ.
fn extents(value: &Value) -> Option<(Vec<usize>, bool)> {
    match value {
        Value::Numbers(numbers) => {
            let empty = numbers.shape().iter().position(|&extent| extent == 0);
            let known = empty.map_or(numbers.rank(), |empty| empty + 1);
            Some((numbers.shape()[..known].to_vec(), empty.is_none()))
        }
        Value::Array(items) => {
            let mut inner = items.iter().map(extents);
            let first = inner.next();
            let (mut sizes, whole) = match first {
                Some(first) if inner.all(|one| one == first) => {
                    first.unwrap_or_else(|| (Vec::new(), true))
                }
                _ => (Vec::new(), false),
            };
            sizes.insert(0, items.len());
            Some((sizes, whole))
        }
        _ => None,
    }
}
