//! [`Solver`]: extents and shapes that are known, or known to be the same, with where each was said.
//!
//! A shape is a list: an extent and the shape of what is below it, or the end; so a shape whose rank is not known yet is a list
//! whose rest is open. What is the same is linked, the younger to the older, so that what was learned since a mark can be taken back
//! without touching what came before.

use std::sync::Arc;

/// Deepest shape that is looked into.
const RANK_MAX: usize = 64;

/// An extent or a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(u32);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// What another one is.
    Same(Id),
    /// Not known; the index of its label.
    Open(Option<u32>),
    /// An extent, and the index of where it was said.
    Size(u64, u32),
    /// The shape of what is no array.
    End,
    /// The shape of an array: its extent, and the shape of its elements.
    List(Id, Id),
}

/// Meaning of an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
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

impl Axis {
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
pub struct Origin {
    /// JSON pointer of the argument in the plan.
    pub pointer: Arc<str>,
    /// Which part of the value it counts.
    pub axis: Axis,
}

impl Origin {
    pub(super) fn new(pointer: impl Into<Arc<str>>, axis: Axis) -> Self {
        let pointer = pointer.into();
        Self { pointer, axis }
    }
}

/// Two shapes that cannot be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// Two extents differ along this axis, from 0: the one found, and the one expected.
    Extent(usize, Id, Id),
    /// One is deeper than the other.
    Rank,
}

/// Extents of all arrays of a plan.
#[derive(Debug, Default)]
pub struct Solver {
    nodes: Vec<Node>,
    origins: Vec<Origin>,
    labels: Vec<(usize, Arc<str>)>,
    /// Changes since the mark.
    trail: Option<(u32, Vec<(Id, Node)>)>,
}

impl Solver {
    fn add(&mut self, node: Node) -> Id {
        let id = Id(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(node);
        id
    }

    /// Unknown; shown by its label, the name that it has in a step.
    pub fn open(&mut self, label: Option<(usize, Arc<str>)>) -> Id {
        let label = label.map(|label| {
            self.labels.push(label);
            (self.labels.len() - 1) as u32
        });
        self.add(Node::Open(label))
    }

    /// A known extent.
    pub fn size(&mut self, size: u64, origin: Origin) -> Id {
        self.origins.push(origin);
        let origin = (self.origins.len() - 1) as u32;
        self.add(Node::Size(size, origin))
    }

    /// The shape of an array with these extents and a shape of its elements.
    pub fn list(&mut self, extents: &[Id], rest: Id) -> Id {
        let onto = |rest, &extent: &Id| self.add(Node::List(extent, rest));
        extents.iter().rev().fold(rest, onto)
    }

    /// The shape of what is no array.
    pub fn end(&mut self) -> Id {
        self.add(Node::End)
    }

    fn at(&self, id: Id) -> Node {
        let node = self.nodes.get(id.0 as usize);
        node.copied().unwrap_or(Node::Open(None))
    }

    fn set(&mut self, id: Id, node: Node) {
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

    fn find(&mut self, mut id: Id) -> Id {
        while let Node::Same(parent) = self.at(id) {
            if let Node::Same(further) = self.at(parent) {
                self.set(id, Node::Same(further));
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
    pub fn known(&mut self, extent: Id) -> Option<(u64, Origin)> {
        let root = self.find(extent);
        match self.at(root) {
            Node::Size(size, origin) => Some((size, self.origins[origin as usize].clone())),
            _ => None,
        }
    }

    /// The smaller of two extents; where that is not known, something new with a label.
    pub fn least(&mut self, a: Id, b: Id, label: (usize, Arc<str>)) -> Id {
        let (a, b) = (self.find(a), self.find(b));
        match (self.at(a), self.at(b)) {
            (Node::Size(first, _), Node::Size(second, _)) if first > second => b,
            (Node::Size(..), Node::Size(..)) => a,
            _ if a == b => a,
            _ => self.open(Some(label)),
        }
    }

    /// Makes two shapes the same, and adds what keeps them from it.
    pub fn unify(&mut self, found: Id, expected: Id, clashes: &mut Vec<Clash>) {
        let (mut a, mut b) = (found, expected);
        for axis in 0..RANK_MAX {
            (a, b) = (self.find(a), self.find(b));
            match (self.at(a), self.at(b)) {
                _ if a == b => return,
                (Node::List(first, below), Node::List(second, under)) => {
                    if !self.same(first, second) {
                        clashes.push(Clash::Extent(axis, first, second));
                    }
                    (a, b) = (below, under);
                }
                _ => {
                    if !self.same(a, b) {
                        clashes.push(Clash::Rank);
                    }
                    return;
                }
            }
        }
    }

    /// Makes two the same; `false` where both are known and differ.
    fn same(&mut self, a: Id, b: Id) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        let (older, younger) = (a.min(b), a.max(b));
        if older == younger {
            return true;
        }
        match (self.at(older), self.at(younger)) {
            (Node::Open(None), node)
            | (Node::Open(Some(_)), node @ (Node::Size(..) | Node::End | Node::List(..))) => {
                self.set(older, node);
            }
            (Node::Open(_), _) | (_, Node::Open(_)) | (Node::End, Node::End) => {}
            (Node::Size(first, _), Node::Size(second, _)) if first == second => {}
            _ => return false,
        }
        self.set(younger, Node::Same(older));
        true
    }

    /// The extent of an array, and the shape of its elements; what is not known becomes an array.
    pub fn part(&mut self, shape: Id) -> Option<(Id, Id)> {
        let root = self.find(shape);
        match self.at(root) {
            Node::List(extent, below) => Some((extent, below)),
            Node::Open(_) => {
                let (extent, below) = (self.open(None), self.open(None));
                self.set(root, Node::List(extent, below));
                Some((extent, below))
            }
            _ => None,
        }
    }

    /// The extents of a shape as far as they are known, and what is below the last one.
    fn spine(&mut self, shape: Id) -> (Vec<Id>, Id) {
        let mut extents = Vec::new();
        let mut current = self.find(shape);
        while let Node::List(extent, below) = self.at(current) {
            extents.push(self.find(extent));
            current = self.find(below);
            if extents.len() == RANK_MAX {
                break;
            }
        }
        (extents, current)
    }

    /// Number of known axes; further ones count as one.
    pub fn rank(&mut self, shape: Id) -> usize {
        let (extents, rest) = self.spine(shape);
        extents.len() + usize::from(self.at(rest) != Node::End)
    }

    /// A shape of which only what is known for certain is left: open extents are no longer those of the original.
    pub fn known_part(&mut self, shape: Id) -> Id {
        let (mut extents, mut rest) = self.spine(shape);
        for extent in &mut extents {
            if matches!(self.at(*extent), Node::Open(_)) {
                *extent = self.open(None);
            }
        }
        if self.at(rest) != Node::End {
            rest = self.open(None);
        }
        self.list(&extents, rest)
    }

    /// The extents as a text, `[3,n,*]`; names of other steps with the id of theirs.
    pub fn write(&mut self, shape: Id, step: usize, id_of: &dyn Fn(usize) -> Arc<str>) -> String {
        let (extents, rest) = self.spine(shape);
        let text = |&extent: &Id| match self.at(extent) {
            Node::Size(size, _) => size.to_string(),
            Node::Open(Some(label)) => match &self.labels[label as usize] {
                (of, name) if *of == step => name.to_string(),
                (of, name) => format!("{}.{name}", id_of(*of)),
            },
            _ => "?".to_owned(),
        };
        let mut texts: Vec<String> = extents.iter().map(text).collect();
        if self.at(rest) != Node::End {
            texts.push("*".to_owned());
        }
        format!("[{}]", texts.join(","))
    }
}
