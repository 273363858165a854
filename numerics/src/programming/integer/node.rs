//! Open nodes of the search, in the order in which they are taken up.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use crate::programming::linear::WarmBasis;

/// A bound of a variable and the ones before it, back to the root.
pub(super) struct BoundChange {
    pub(super) variable: u32,
    pub(super) bound: f64,
    pub(super) is_upper: bool,
    pub(super) before: Option<Rc<BoundChange>>,
}

impl Drop for BoundChange {
    /// Long chains are dropped one by one, not by a deep recursion.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(change) = next {
            next = Rc::try_unwrap(change)
                .ok()
                .and_then(|mut change| change.before.take());
        }
    }
}

/// A node that is still to be solved.
pub(super) struct BranchNode {
    /// Bound of its parent.
    pub(super) bound: f64,
    /// Place in the order of creation.
    pub(super) serial: u64,
    pub(super) changes: Option<Rc<BoundChange>>,
    /// The basis of its parent, where it was kept.
    pub(super) basis: Option<Rc<WarmBasis>>,
    /// Variable, direction and distance of the branch that made it.
    pub(super) branch: Option<(usize, usize, f64)>,
}

/// The open nodes, best bound first, then the latest.
#[derive(Default)]
pub(super) struct OpenNodes(BinaryHeap<RankedNode>);

struct RankedNode(BranchNode);

impl OpenNodes {
    pub(super) fn push(&mut self, node: BranchNode) {
        self.0.push(RankedNode(node));
    }

    pub(super) fn pop(&mut self) -> Option<BranchNode> {
        self.0.pop().map(|ranked| ranked.0)
    }

    pub(super) fn best(&self) -> Option<f64> {
        self.0.peek().map(|ranked| ranked.0.bound)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Ord for RankedNode {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = other.0.bound.total_cmp(&self.0.bound);
        by_bound.then(self.0.serial.cmp(&other.0.serial))
    }
}

impl PartialOrd for RankedNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for RankedNode {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for RankedNode {}
