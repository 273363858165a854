//! The tree of an expression, stored in post-order: each node comes after its operands.
//!
//! Walking the nodes from first to last with a stack evaluates the expression, so neither evaluation nor dropping recurses.

use super::functions::{Binary, Unary};

/// An expression tree; the last node is the root, and there is at least one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ast {
    nodes: Vec<Node>,
}

/// One node and its column in the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// Kind of node.
    pub kind: Kind,
    /// 1-based column of its operator, name or first digit, in characters.
    pub column: usize,
}

/// A kind of node; its operands are the nearest complete subtrees before it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// A number.
    Number {
        /// The nearest double.
        value: f64,
        /// As it was spelled; empty for a named constant, which has no exact value.
        text: Box<str>,
    },
    /// A variable.
    Slot(usize),
    /// A function of the one operand.
    Unary(Unary),
    /// A function of the two operands.
    Binary(Binary),
    /// `if(condition, then, else)`: the three operands, in this order. A condition of NaN gives NaN.
    Select,
}

impl Kind {
    /// Number of operands.
    pub(crate) fn arity(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Slot(_) => 0,
            Self::Unary(_) => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
        }
    }
}

impl Ast {
    /// A tree from nodes in post-order that leave one value.
    pub(super) fn new(nodes: Vec<Node>) -> Self {
        Self { nodes }
    }

    /// Whether the value has neither kinks nor steps as a function of the variables: no `abs`, `min`, `floor`, `%`, comparison
    /// or condition is made of them. Poles and the ends of domains are not looked for.
    pub(crate) fn is_smooth(&self) -> bool {
        let mut varies: Vec<bool> = Vec::new(); // by complete subtree, whether a variable occurs in it
        for node in &self.nodes {
            let operands = varies.split_off(varies.len() - node.kind.arity());
            let any = operands.contains(&true);
            let rough = match node.kind {
                Kind::Number { .. } | Kind::Slot(_) => false,
                Kind::Unary(op) => any && !op.is_smooth(),
                Kind::Binary(op) => any && !op.is_smooth(),
                Kind::Select => operands[0],
            };
            if rough {
                return false;
            }
            varies.push(any || matches!(node.kind, Kind::Slot(_)));
        }
        true
    }

    /// Of a comparison its sign and the difference of its operands.
    pub(super) fn difference(&self) -> Option<(&'static str, Self)> {
        let (root, operands) = self.nodes.split_last()?;
        let Kind::Binary(op) = root.kind else {
            return None;
        };
        if !op.is_comparison() {
            return None;
        }
        let mut nodes = operands.to_vec();
        nodes.push(Node {
            kind: Kind::Binary(Binary::Sub),
            column: root.column,
        });
        Some((op.name(), Self::new(nodes)))
    }

    /// The nodes in post-order.
    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
