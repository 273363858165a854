//! [`ShapeSolver`]: extents and shapes that are known, or known to be the same, with where each was said.
//!
//! A shape is a list: an extent and the shape of what is below it, or the end; so a shape whose rank is not known yet is a list
//! whose rest is open. What is the same is linked, the younger to the older, so that what was learned since a mark can be taken back
//! without touching what came before.

use std::sync::Arc;

/// Deepest shape that is looked into.
const RANK_MAX: usize = 64;

/// An extent or a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShapeId(u32);

#[derive(Debug, Clone, Copy, PartialEq)]
enum ShapeNode {
    /// What another one is.
    Same(ShapeId),
    /// Not known; the index of its label.
    Open(Option<u32>),
    /// An extent, and the index of where it was said.
    Size(u64, u32),
    /// The shape of what is no array.
    End,
    /// The shape of an array: its extent, and the shape of its elements.
    List(ShapeId, ShapeId),
}

/// Meaning of an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtentAxis {
    /// The entries of a list.
    Entries,
    /// The rows of a matrix.
    Rows,
    /// The columns of a matrix.
    Columns,
    /// An axis beyond those two, from 0.
    Further(usize),
    /// Nothing: an argument is the number itself.
    Value,
}

impl ExtentAxis {
    /// The axis of an array of that many axes.
    pub fn of(axis: usize, rank: usize) -> Self {
        match (axis, rank) {
            (0, 1) => Self::Entries,
            (0, _) => Self::Rows,
            (1, _) => Self::Columns,
            _ => Self::Further(axis),
        }
    }

    /// A number along it, in words.
    pub fn count(self, size: u64) -> String {
        let counted =
            |one: &str, many: &str| format!("{size} {}", if size == 1 { one } else { many });
        match self {
            Self::Entries => counted("entry", "entries"),
            Self::Rows => counted("row", "rows"),
            Self::Columns => counted("column", "columns"),
            Self::Further(axis) => format!("{size} along axis {axis}"),
            Self::Value => size.to_string(),
        }
    }
}

/// Origin of an extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtentOrigin {
    /// JSON pointer of the argument in the plan.
    pub pointer: Arc<str>,
    /// Which part of the value it counts.
    pub axis: ExtentAxis,
}

impl ExtentOrigin {
    pub(super) fn new(pointer: impl Into<Arc<str>>, axis: ExtentAxis) -> Self {
        let pointer = pointer.into();
        Self { pointer, axis }
    }
}

/// Two shapes that cannot be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShapeClash {
    /// Two extents differ along this axis, from 0: the one found, and the one expected.
    Extent(usize, ShapeId, ShapeId),
    /// One is deeper than the other.
    Rank,
}

/// Extents of all arrays of a plan.
#[derive(Debug, Default)]
pub struct ShapeSolver {
    nodes: Vec<ShapeNode>,
    origins: Vec<ExtentOrigin>,
    labels: Vec<(usize, Arc<str>)>,
    /// Changes since the mark.
    trail: Option<(u32, Vec<(ShapeId, ShapeNode)>)>,
}

impl ShapeSolver {
    fn add(&mut self, node: ShapeNode) -> ShapeId {
        let id = ShapeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// Unknown; shown by its label, the name that it has in a step.
    pub fn open(&mut self, label: Option<(usize, Arc<str>)>) -> ShapeId {
        let label = label.map(|label| {
            self.labels.push(label);
            (self.labels.len() - 1) as u32
        });
        self.add(ShapeNode::Open(label))
    }

    /// A known extent.
    pub fn size(&mut self, size: u64, origin: ExtentOrigin) -> ShapeId {
        self.origins.push(origin);
        let origin = (self.origins.len() - 1) as u32;
        self.add(ShapeNode::Size(size, origin))
    }

    /// The shape of an array with these extents and a shape of its elements.
    pub fn list(&mut self, extents: &[ShapeId], rest: ShapeId) -> ShapeId {
        let onto = |rest, &extent: &ShapeId| self.add(ShapeNode::List(extent, rest));
        extents.iter().rev().fold(rest, onto)
    }

    /// The shape of what is no array.
    pub fn end(&mut self) -> ShapeId {
        self.add(ShapeNode::End)
    }

    fn at(&self, id: ShapeId) -> ShapeNode {
        let node = self.nodes.get(id.0 as usize);
        node.copied().unwrap_or(ShapeNode::Open(None))
    }

    fn set(&mut self, id: ShapeId, node: ShapeNode) {
        let Some(place) = self.nodes.get_mut(id.0 as usize) else {
            return;
        };
        if let Some((mark, trail)) = &mut self.trail
            && id.0 < *mark
        {
            trail.push((id, *place));
        }
        *place = node;
    }

    fn find(&mut self, mut id: ShapeId) -> ShapeId {
        while let ShapeNode::Same(parent) = self.at(id) {
            if let ShapeNode::Same(further) = self.at(parent) {
                self.set(id, ShapeNode::Same(further));
            }
            id = parent;
        }
        id
    }

    /// Sets a mark: later knowledge about older extents can be rolled back.
    pub fn mark(&mut self) {
        self.trail = Some((self.nodes.len() as u32, Vec::new()));
    }

    /// Rolls back to the mark.
    pub fn take_back(&mut self) {
        let (_, trail) = self.trail.take().unwrap_or_default();
        for (id, node) in trail.into_iter().rev() {
            self.set(id, node);
        }
    }

    /// A known extent, and where it was said.
    pub fn known(&mut self, extent: ShapeId) -> Option<(u64, ExtentOrigin)> {
        let root = self.find(extent);
        match self.at(root) {
            ShapeNode::Size(size, origin) => Some((size, self.origins[origin as usize].clone())),
            _ => None,
        }
    }

    /// The smaller of two extents; where that is not known, something new with a label.
    pub fn least(&mut self, a: ShapeId, b: ShapeId, label: (usize, Arc<str>)) -> ShapeId {
        let (a, b) = (self.find(a), self.find(b));
        match (self.at(a), self.at(b)) {
            (ShapeNode::Size(first, _), ShapeNode::Size(second, _)) if first > second => b,
            (ShapeNode::Size(..), ShapeNode::Size(..)) => a,
            _ if a == b => a,
            _ => self.open(Some(label)),
        }
    }

    /// Makes two shapes the same, and adds what keeps them from it.
    pub fn unify(&mut self, found: ShapeId, expected: ShapeId, clashes: &mut Vec<ShapeClash>) {
        let (mut a, mut b) = (found, expected);
        for axis in 0..RANK_MAX {
            (a, b) = (self.find(a), self.find(b));
            match (self.at(a), self.at(b)) {
                _ if a == b => return,
                (ShapeNode::List(first, below), ShapeNode::List(second, under)) => {
                    if !self.same(first, second) {
                        clashes.push(ShapeClash::Extent(axis, first, second));
                    }
                    (a, b) = (below, under);
                }
                _ => {
                    if !self.same(a, b) {
                        clashes.push(ShapeClash::Rank);
                    }
                    return;
                }
            }
        }
    }

    /// Makes two the same; `false` where both are known and differ.
    fn same(&mut self, a: ShapeId, b: ShapeId) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (older, younger) = (a.min(b), a.max(b));
        if older == younger {
            return true;
        }
        match (self.at(older), self.at(younger)) {
            (ShapeNode::Open(None), node)
            | (
                ShapeNode::Open(Some(_)),
                node @ (ShapeNode::Size(..) | ShapeNode::End | ShapeNode::List(..)),
            ) => {
                self.set(older, node);
            }
            (ShapeNode::Open(_), _)
            | (_, ShapeNode::Open(_))
            | (ShapeNode::End, ShapeNode::End) => {}
            (ShapeNode::Size(first, _), ShapeNode::Size(second, _)) if first == second => {}
            _ => return false,
        }
        self.set(younger, ShapeNode::Same(older));
        true
    }

    /// The extent of an array, and the shape of its elements; what is not known becomes an array.
    pub fn part(&mut self, shape: ShapeId) -> Option<(ShapeId, ShapeId)> {
        let root = self.find(shape);
        match self.at(root) {
            ShapeNode::List(extent, below) => Some((extent, below)),
            ShapeNode::Open(_) => {
                let (extent, below) = (self.open(None), self.open(None));
                self.set(root, ShapeNode::List(extent, below));
                Some((extent, below))
            }
            _ => None,
        }
    }

    /// The extents of a shape as far as they are known, and what is below the last one.
    fn spine(&mut self, shape: ShapeId) -> (Vec<ShapeId>, ShapeId) {
        let mut extents = Vec::new();
        let mut current = self.find(shape);
        while let ShapeNode::List(extent, below) = self.at(current) {
            extents.push(self.find(extent));
            current = self.find(below);
            if extents.len() == RANK_MAX {
                break;
            }
        }
        (extents, current)
    }

    /// Number of known axes; further ones count as one.
    pub fn rank(&mut self, shape: ShapeId) -> usize {
        let (extents, rest) = self.spine(shape);
        extents.len() + usize::from(self.at(rest) != ShapeNode::End)
    }

    /// A shape of which only what is known for certain is left: open extents are no longer those of the original.
    pub fn known_part(&mut self, shape: ShapeId) -> ShapeId {
        let (mut extents, mut rest) = self.spine(shape);
        for extent in &mut extents {
            if matches!(self.at(*extent), ShapeNode::Open(_)) {
                *extent = self.open(None);
            }
        }
        if self.at(rest) != ShapeNode::End {
            rest = self.open(None);
        }
        self.list(&extents, rest)
    }

    /// The extents as a text, `[3,n,*]`; names of other steps with the id of theirs.
    pub fn write(
        &mut self,
        shape: ShapeId,
        step: usize,
        id_of: &dyn Fn(usize) -> Arc<str>,
    ) -> String {
        let (extents, rest) = self.spine(shape);
        let text = |&extent: &ShapeId| match self.at(extent) {
            ShapeNode::Size(size, _) => size.to_string(),
            ShapeNode::Open(Some(label)) => match &self.labels[label as usize] {
                (of, name) if *of == step => name.to_string(),
                (of, name) => format!("{}.{name}", id_of(*of)),
            },
            _ => "?".to_owned(),
        };
        let mut texts: Vec<String> = extents.iter().map(text).collect();
        if self.at(rest) != ShapeNode::End {
            texts.push("*".to_owned());
        }
        format!("[{}]", texts.join(","))
    }
}
