//! Operations with common subexpressions shared.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;

use crate::vector::{self, Binary, Unary};

/// A value in a [`ProgramBuilder`]: the operation that computes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProgramNode(pub(super) u32);

impl ProgramNode {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function of one number beside those of [`Unary`], evaluated point by point.
#[derive(Debug)]
pub struct UnaryFunction {
    /// Name, for messages.
    pub name: &'static str,
    /// Value of the function.
    pub value: fn(f64) -> f64,
    /// Derivative at `x`, where the value is `y`; `None` when there is no formula.
    pub slope:
        Option<fn(builder: &mut ProgramBuilder, x: ProgramNode, y: ProgramNode) -> ProgramNode>,
}

/// The derivative of a function of several numbers by one of them, from the operands and the value.
pub type Slope<const N: usize> =
    fn(builder: &mut ProgramBuilder, operands: [ProgramNode; N], y: ProgramNode) -> ProgramNode;

/// A function of two numbers beside those of [`Binary`], evaluated point by point.
#[derive(Debug)]
pub struct BinaryFunction {
    /// Name, for messages.
    pub name: &'static str,
    /// Value of the function.
    pub value: fn(f64, f64) -> f64,
    /// Derivatives by each operand; `None` when there is no formula.
    pub slopes: [Option<Slope<2>>; 2],
}

/// A function of three numbers, evaluated point by point.
#[derive(Debug)]
pub struct TernaryFunction {
    /// Name, for messages.
    pub name: &'static str,
    /// Value of the function.
    pub value: fn(f64, f64, f64) -> f64,
    /// Derivatives by each operand; `None` when there is no formula.
    pub slopes: [Option<Slope<3>>; 3],
}

/// A function of all rows of a column that gives one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnReduction {
    /// The sum.
    Sum,
    /// The smallest; NaN when one is NaN.
    Min,
    /// The largest; NaN when one is NaN.
    Max,
    /// The logarithm of the sum of the exponentials, without overflow.
    LogSumExp,
}

/// The rows that a running sum adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunningDirection {
    /// The first row to this one.
    FromFirst,
    /// This row to the last one.
    ToLast,
}

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodeOperation {
    Constant(f64),
    Variable(u32),
    Unary(Unary, ProgramNode),
    Binary(Binary, ProgramNode, ProgramNode),
    Select(ProgramNode, ProgramNode, ProgramNode),
    Call1(&'static UnaryFunction, ProgramNode),
    Call2(&'static BinaryFunction, ProgramNode, ProgramNode),
    Call3(
        &'static TernaryFunction,
        ProgramNode,
        ProgramNode,
        ProgramNode,
    ),
    Reduce(ColumnReduction, ProgramNode),
    RunningSum(RunningDirection, ProgramNode),
}

impl NodeOperation {
    /// The operands, without absent ones.
    pub(super) fn operands(&self) -> impl Iterator<Item = ProgramNode> {
        let three = match *self {
            Self::Constant(_) | Self::Variable(_) => [None; 3],
            Self::Unary(_, a) | Self::Call1(_, a) | Self::Reduce(_, a) | Self::RunningSum(_, a) => {
                [Some(a), None, None]
            }
            Self::Binary(_, a, b) | Self::Call2(_, a, b) => [Some(a), Some(b), None],
            Self::Select(a, b, c) | Self::Call3(_, a, b, c) => [Some(a), Some(b), Some(c)],
        };
        three.into_iter().flatten()
    }

    /// Identity of the operation: the function or number, two operands, the third one with the kind.
    fn key(&self) -> Key {
        let none = ProgramNode(u32::MAX);
        let key = |kind: u32, what: u64, [a, b, c]: [ProgramNode; 3]| {
            let pair = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
            [what, pair(a.0, b.0), pair(c.0, kind)]
        };
        match *self {
            Self::Constant(value) => key(0, value.to_bits(), [none; 3]),
            Self::Variable(index) => key(1, u64::from(index), [none; 3]),
            Self::Unary(op, a) => key(2, op as u64, [a, none, none]),
            Self::Binary(op, a, b) => key(3, op as u64, [a, b, none]),
            Self::Select(a, b, c) => key(4, 0, [a, b, c]),
            Self::Call1(function, a) => {
                key(5, std::ptr::from_ref(function) as u64, [a, none, none])
            }
            Self::Call2(function, a, b) => {
                key(6, std::ptr::from_ref(function) as u64, [a, b, none])
            }
            Self::Call3(function, a, b, c) => {
                key(9, std::ptr::from_ref(function) as u64, [a, b, c])
            }
            Self::Reduce(reduction, a) => key(7, reduction as u64, [a, none, none]),
            Self::RunningSum(running, a) => key(8, running as u64, [a, none, none]),
        }
    }
}

/// What tells an operation from others.
type Key = [u64; 3];

/// Collects operations; equal ones become one node, constant ones are computed.
///
/// A node is a number, or a column: a value for each row. Variables of [`ProgramBuilder::with_columns`] are columns, and so is what is
/// computed from one, until a reduction gives a number again.
#[derive(Debug, Clone, Default)]
pub struct ProgramBuilder {
    pub(super) operations: Vec<NodeOperation>,
    known: HashMap<Key, ProgramNode, RandomState>,
    /// By operation, whether it is a column.
    is_column: Vec<bool>,
    pub(super) columns: Range<usize>,
    pub(super) rows: usize,
}

impl ProgramBuilder {
    /// Without operations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Without operations; the variables of a range are columns of so many rows, at least one.
    pub fn with_columns(columns: Range<usize>, rows: usize) -> Self {
        Self {
            columns,
            rows,
            ..Self::default()
        }
    }

    /// Makes room for so many operations.
    pub fn reserve(&mut self, operations: usize) {
        self.operations.reserve(operations);
        self.is_column.reserve(operations);
        self.known.reserve(operations);
    }

    /// Whether a node is a column.
    pub fn is_column(&self, node: ProgramNode) -> bool {
        self.is_column[node.index()]
    }

    /// One more than the highest variable that is a number, without the columns before it.
    pub(super) fn numbers(&self) -> usize {
        let columns = &self.columns;
        let number = |operation: &NodeOperation| match *operation {
            NodeOperation::Variable(variable) if (variable as usize) < columns.start => {
                Some(variable as usize + 1)
            }
            NodeOperation::Variable(variable) if (variable as usize) >= columns.end => {
                Some(variable as usize + 1 - columns.len())
            }
            _ => None,
        };
        self.operations.iter().filter_map(number).max().unwrap_or(0)
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Whether there is no operation.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// A number.
    pub fn constant(&mut self, value: f64) -> ProgramNode {
        self.add(NodeOperation::Constant(value))
    }

    /// The variable of an index.
    ///
    /// # Panics
    /// Beyond 2^32 variables.
    pub fn variable(&mut self, index: usize) -> ProgramNode {
        let index = u32::try_from(index).expect("fewer than 2^32 variables");
        self.add(NodeOperation::Variable(index))
    }

    /// A function of one value.
    pub fn unary(&mut self, op: Unary, a: ProgramNode) -> ProgramNode {
        match (op, self.operations[a.index()]) {
            (_, NodeOperation::Constant(value)) => self.constant(vector::evaluate_unary(op, value)),
            (Unary::Neg, NodeOperation::Unary(Unary::Neg, inner)) => inner,
            _ => self.add(NodeOperation::Unary(op, a)),
        }
    }

    /// A function of two values. Powers with the exponents -1, 0.5, 1, 2, 3 and 4 become quotients, roots and products, which are
    /// more accurate than a general power and several times faster (0.5 only where its sign and infinities agree: `sqrt(x + 0)`).
    pub fn binary(&mut self, op: Binary, a: ProgramNode, b: ProgramNode) -> ProgramNode {
        let (left, right) = (self.operations[a.index()], self.operations[b.index()]);
        match (op, left, right) {
            (_, NodeOperation::Constant(x), NodeOperation::Constant(y)) => {
                self.constant(vector::evaluate_binary(op, x, y))
            }
            (Binary::Mul, _, _) if a == b => self.unary(Unary::Square, a),
            (Binary::Mul, NodeOperation::Constant(1.0), _) => b,
            (Binary::Mul | Binary::Div, _, NodeOperation::Constant(1.0)) => a,
            (Binary::Mul, NodeOperation::Constant(-1.0), _) => self.unary(Unary::Neg, b),
            (Binary::Mul, _, NodeOperation::Constant(-1.0)) => self.unary(Unary::Neg, a),
            (Binary::Div, NodeOperation::Constant(1.0), _) => self.unary(Unary::Reciprocal, b),
            (Binary::Pow, _, NodeOperation::Constant(exponent)) => self.power(a, b, exponent),
            // Sums and products do not depend on the order, bit for bit (but for the payload of a NaN).
            (Binary::Add | Binary::Mul, _, _) if b < a => self.add(NodeOperation::Binary(op, b, a)),
            _ => self.add(NodeOperation::Binary(op, a, b)),
        }
    }

    fn power(&mut self, a: ProgramNode, b: ProgramNode, exponent: f64) -> ProgramNode {
        if exponent == 1.0 {
            a
        } else if exponent == -1.0 {
            self.unary(Unary::Reciprocal, a)
        } else if exponent == 2.0 {
            self.unary(Unary::Square, a)
        } else if exponent == 3.0 {
            let square = self.unary(Unary::Square, a);
            self.binary(Binary::Mul, square, a)
        } else if exponent == 4.0 {
            let square = self.unary(Unary::Square, a);
            self.unary(Unary::Square, square)
        } else {
            self.add(NodeOperation::Binary(Binary::Pow, a, b))
        }
    }

    /// `then` where the condition is not zero, `otherwise` where it is, NaN where it is NaN.
    pub fn select(
        &mut self,
        condition: ProgramNode,
        then: ProgramNode,
        otherwise: ProgramNode,
    ) -> ProgramNode {
        match self.operations[condition.index()] {
            NodeOperation::Constant(value) if value.is_nan() => self.constant(f64::NAN),
            NodeOperation::Constant(0.0) => otherwise,
            NodeOperation::Constant(_) => then,
            _ => self.add(NodeOperation::Select(condition, then, otherwise)),
        }
    }

    /// A function of one value that has a definition of its own.
    pub fn call1(&mut self, function: &'static UnaryFunction, a: ProgramNode) -> ProgramNode {
        match self.operations[a.index()] {
            NodeOperation::Constant(value) => self.constant((function.value)(value)),
            _ => self.add(NodeOperation::Call1(function, a)),
        }
    }

    /// A function of two values that has a definition of its own.
    pub fn call2(
        &mut self,
        function: &'static BinaryFunction,
        a: ProgramNode,
        b: ProgramNode,
    ) -> ProgramNode {
        match (self.operations[a.index()], self.operations[b.index()]) {
            (NodeOperation::Constant(x), NodeOperation::Constant(y)) => {
                self.constant((function.value)(x, y))
            }
            _ => self.add(NodeOperation::Call2(function, a, b)),
        }
    }

    /// A function of three values.
    pub fn call3(
        &mut self,
        function: &'static TernaryFunction,
        [a, b, c]: [ProgramNode; 3],
    ) -> ProgramNode {
        match [a, b, c].map(|node| self.constant_of(node)) {
            [Some(x), Some(y), Some(z)] => self.constant((function.value)(x, y, z)),
            _ => self.add(NodeOperation::Call3(function, a, b, c)),
        }
    }

    /// One number from all rows of a column; a node that is a number counts as a column of equal rows.
    pub fn reduce(&mut self, reduction: ColumnReduction, a: ProgramNode) -> ProgramNode {
        if self.is_column(a) {
            return self.add(NodeOperation::Reduce(reduction, a));
        }
        let rows = self.rows as f64;
        match reduction {
            ColumnReduction::Sum => {
                let rows = self.constant(rows);
                self.binary(Binary::Mul, rows, a)
            }
            ColumnReduction::Min | ColumnReduction::Max => a,
            ColumnReduction::LogSumExp => {
                let logarithm = self.constant(vector::evaluate_unary(Unary::Log, rows));
                self.binary(Binary::Add, a, logarithm)
            }
        }
    }

    /// The running sums of a column.
    pub fn running_sum(&mut self, running: RunningDirection, a: ProgramNode) -> ProgramNode {
        self.add(NodeOperation::RunningSum(running, a))
    }

    /// The value of a node that is a constant.
    pub fn constant_of(&self, node: ProgramNode) -> Option<f64> {
        match self.operations[node.index()] {
            NodeOperation::Constant(value) => Some(value),
            _ => None,
        }
    }

    fn add(&mut self, operation: NodeOperation) -> ProgramNode {
        let next =
            ProgramNode(u32::try_from(self.operations.len()).expect("fewer than 2^32 operations"));
        let node = *self.known.entry(operation.key()).or_insert(next);
        if node == next {
            let column = match operation {
                NodeOperation::Variable(variable) => self.columns.contains(&(variable as usize)),
                NodeOperation::Reduce(..) => false,
                NodeOperation::RunningSum(..) => true,
                _ => operation.operands().any(|operand| self.is_column(operand)),
            };
            self.is_column.push(column);
            self.operations.push(operation);
        }
        node
    }
}
