//! The tree of an expression, stored in post-order: each node comes after its operands.
//!
//! Walking the nodes from first to last with a stack evaluates the expression, so neither evaluation nor dropping recurses.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::data::DataColumns;
use super::functions::{
    BinaryDefinition, ReductionFunction, SUB, TernaryDefinition, UnaryDefinition,
};

/// An expression tree; the last node is the root, and there is at least one. Definitions come before it: each is a tree that ends with
/// [`Kind::Define`].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ast {
    nodes: Vec<AstNode>,
    /// The columns that are variables.
    data: Option<Arc<DataColumns>>,
    /// Whether its value is a column.
    pub(super) is_column: bool,
    /// Whether a column was read into a number: into a quantile or the number of rows.
    pub(super) folds_data: bool,
}

/// One node and its column in the text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AstNode {
    /// Kind of node.
    pub kind: AstKind,
    /// 1-based column of its operator, name or first digit, in characters.
    pub column: usize,
}

/// A kind of node; its operands are the nearest complete subtrees before it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AstKind {
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
    Unary(&'static UnaryDefinition),
    /// A function of the two operands.
    Binary(&'static BinaryDefinition),
    /// A function of the three operands.
    Ternary(&'static TernaryDefinition),
    /// `if(condition, then, else)`: the three operands, in this order. A condition of NaN gives NaN.
    Select,
    /// Gives its operand to a local name, and leaves no value.
    Define(usize),
    /// The value of a local name.
    Local(usize),
    /// One number from all rows of the operand, or (for running sums) a column again.
    Reduce(ReductionFunction),
    /// The second operand where the first, a condition, holds; minus infinity where it does not: the logarithm of a density outside
    /// its support.
    Support,
}

impl AstKind {
    /// Number of operands.
    pub(crate) fn arity(&self) -> usize {
        match self {
            Self::Number { .. } | Self::Slot(_) | Self::Local(_) => 0,
            Self::Unary(_) | Self::Define(_) | Self::Reduce(_) => 1,
            Self::Binary(_) | Self::Support => 2,
            Self::Select | Self::Ternary(_) => 3,
        }
    }
}

impl Ast {
    /// A tree from nodes in post-order that leave one value, and the columns of its variables.
    pub(super) fn new(nodes: Vec<AstNode>, data: Option<Arc<DataColumns>>) -> Self {
        Self {
            nodes,
            data,
            is_column: false,
            folds_data: false,
        }
    }

    /// The columns that are variables.
    pub(super) fn data(&self) -> Option<&Arc<DataColumns>> {
        self.data.as_ref()
    }

    /// Numbers that an evaluation row by row makes.
    pub(super) fn numbers(&self) -> usize {
        let rows = self.data.as_ref().map_or(1, |data| data.rows());
        self.nodes.len().saturating_mul(rows)
    }

    /// The slots of the variables that occur, in ascending order.
    pub(super) fn slots(&self) -> BTreeSet<usize> {
        let slots = self.nodes.iter().filter_map(|node| match node.kind {
            AstKind::Slot(slot) => Some(slot),
            _ => None,
        });
        slots.collect()
    }

    /// Whether the value has neither kinks nor steps as a function of the variables: no `abs`, `min`, `floor`, `%`, comparison
    /// or condition is made of them. Poles and the ends of domains and supports are not looked for.
    pub(crate) fn is_smooth(&self) -> bool {
        // By complete subtree, whether a variable occurs in it, and whether the value has kinks or steps.
        let mut found: Vec<(bool, bool)> = Vec::new();
        let mut locals: Vec<(bool, bool)> = Vec::new();
        for node in &self.nodes {
            let operands = found.split_off(found.len() - node.kind.arity());
            let varies = operands.iter().any(|(varies, _)| *varies);
            let rough = operands.iter().any(|(_, rough)| *rough);
            found.push(match node.kind {
                AstKind::Define(_) => {
                    locals.extend(operands);
                    continue;
                }
                AstKind::Local(local) => locals[local],
                AstKind::Number { .. } => (false, false),
                AstKind::Slot(slot) => (!self.data.as_ref().is_some_and(|d| d.has(slot)), false),
                AstKind::Unary(op) => (varies, rough || varies && !op.is_smooth),
                AstKind::Binary(op) => (varies, rough || varies && !op.is_smooth),
                AstKind::Ternary(op) => (varies, rough || varies && !op.is_smooth),
                AstKind::Reduce(op) => {
                    let extreme = matches!(op, ReductionFunction::Min | ReductionFunction::Max);
                    (varies, rough || varies && extreme)
                }
                AstKind::Select => (varies, rough || operands[0].0),
                // The condition has steps, but they end the support.
                AstKind::Support => operands[1],
            });
        }
        found.last().is_some_and(|(_, rough)| !rough)
    }

    /// Of a comparison its sign and the difference of its operands.
    pub(super) fn difference(&self) -> Option<(&'static str, Self)> {
        let (root, operands) = self.nodes.split_last()?;
        let AstKind::Binary(op) = root.kind else {
            return None;
        };
        op.relation?;
        let mut nodes = operands.to_vec();
        nodes.push(AstNode {
            kind: AstKind::Binary(&SUB),
            column: root.column,
        });
        let mut difference = Self::new(nodes, self.data.clone());
        difference.folds_data = self.folds_data;
        Some((op.name, difference))
    }

    /// The nodes in post-order.
    pub(crate) fn nodes(&self) -> &[AstNode] {
        &self.nodes
    }
}
