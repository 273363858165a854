//! Derivatives as further operations of the same builder, which share every common part with the function itself.
//!
//! Reverse accumulation ([`ProgramBuilder::gradient`]) costs a small multiple of the function regardless of the number of variables; forward
//! accumulation ([`ProgramBuilder::tangents`]) gives directional derivatives, also of gradients: a product of the Hessian and a vector.
//! Source: A. Griewank and A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, chapters 3 to 5.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10, PI};

use super::builder::{
    ColumnReduction, NodeOperation, ProgramBuilder, ProgramNode, RunningDirection, Slope,
};
use crate::vector::{Binary, Unary};

/// A function without a known derivative is on the path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the derivative of `{function}` is not known")]
pub struct NotDifferentiable {
    /// Name of the function.
    pub function: &'static str,
}

/// Partial derivative of an operation.
#[derive(Debug, Clone, Copy)]
enum PartialDerivative {
    /// As the operand does.
    One,
    /// As the operand does, with the other sign.
    Minus,
    /// By this factor.
    Times(ProgramNode),
    /// As the operand does where the condition is not zero (or, for `false`, where it is), else not at all.
    Where(ProgramNode, bool),
}

impl RunningDirection {
    fn reversed(self) -> Self {
        match self {
            Self::FromFirst => Self::ToLast,
            Self::ToLast => Self::FromFirst,
        }
    }
}

impl ProgramBuilder {
    /// The derivatives of an output with respect to variables, by reverse accumulation. At a kink (`abs`, `min`, `floor`, a
    /// condition) it is the derivative of the branch that is taken; steps have the derivative zero.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub fn gradient(
        &mut self,
        output: ProgramNode,
        variables: &[usize],
    ) -> Result<Vec<ProgramNode>, NotDifferentiable> {
        let depends = self.depends_on(&[output], variables);
        self.gradient_by(output, variables, &depends)
    }

    /// The derivatives of each output with respect to its own variables, as [`ProgramBuilder::gradient`] gives them; which operations depend on
    /// which variables is found once for all outputs.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub fn gradients(
        &mut self,
        outputs: &[ProgramNode],
        variables: &[Vec<usize>],
    ) -> Result<Vec<Vec<ProgramNode>>, NotDifferentiable> {
        let depends = self.depends_on(outputs, &variables.concat());
        let each = outputs.iter().zip(variables);
        each.map(|(&output, variables)| self.gradient_by(output, variables, &depends))
            .collect()
    }

    fn gradient_by(
        &mut self,
        output: ProgramNode,
        variables: &[usize],
        depends: &[bool],
    ) -> Result<Vec<ProgramNode>, NotDifferentiable> {
        let one = self.constant(1.0);
        if self.is_column(output) && self.has_running_sum(output, depends) {
            // A row depends on the rows before it: an adjoint by row would need them all.
            let mut gradient = Vec::with_capacity(variables.len());
            for &variable in variables {
                gradient.extend(self.tangents(&[output], &[(variable, one)])?);
            }
            return Ok(gradient);
        }
        let adjoints = self.sweep(output, one, false, depends)?;
        let mut gradient = vec![None; variables.len()];
        let leaves: Vec<ProgramNode> = variables.iter().map(|&v| self.variable(v)).collect();
        for (entry, leaf) in gradient.iter_mut().zip(&leaves) {
            *entry = adjoints.get(leaf).copied();
        }
        if self.is_column(output) {
            // Numbers that are computed from the variables before the rows are.
            for (number, part) in adjoints {
                if self.is_column(number) || leaves.contains(&number) {
                    continue;
                }
                for (entry, slope) in gradient.iter_mut().zip(self.gradient(number, variables)?) {
                    if self.constant_of(slope) != Some(0.0) {
                        let part = self.binary(Binary::Mul, part, slope);
                        *entry = Some(self.sum(*entry, part));
                    }
                }
            }
        }
        let zero = self.constant(0.0);
        Ok(gradient
            .into_iter()
            .map(|entry| entry.unwrap_or(zero))
            .collect())
    }

    fn sum(&mut self, sum: Option<ProgramNode>, part: ProgramNode) -> ProgramNode {
        let Some(sum) = sum else {
            return part;
        };
        if self.is_column(sum) && self.is_column(part) {
            // k x + k y = k (x + y)
            let ((k, x), (l, y)) = (self.parts(sum), self.parts(part));
            if let (Some(number), Some(x), Some(y), true) = (k, x, y, k == l) {
                let column = self.binary(Binary::Add, x, y);
                return self.product(number, column);
            }
        }
        self.binary(Binary::Add, sum, part)
    }

    /// The adjoints of the variables under a node, whose own adjoint is `seed`. From a column on, also those of numbers, which are columns:
    /// the contribution of each row, which the sweep does not carry further. Costs what the operations under the node do, however many
    /// others there are.
    fn sweep(
        &mut self,
        root: ProgramNode,
        seed: ProgramNode,
        is_branched: bool,
        depends: &[bool],
    ) -> Result<BTreeMap<ProgramNode, ProgramNode>, NotDifferentiable> {
        // The contribution of a branch is zero where the branch is not taken, and must stay so when the factor is not finite.
        let mut open = BTreeMap::from([(root, (seed, is_branched))]);
        let mut found = BTreeMap::new();
        while let Some((node, (adjoint, is_branched))) = open.pop_last() {
            let index = node.index();
            if !depends[index] {
                continue;
            }
            let is_leaf = matches!(self.operations[index], NodeOperation::Variable(_));
            if is_leaf || self.is_column(node) != self.is_column(root) {
                found.insert(node, adjoint);
                continue;
            }
            let parts = match self.operations[index] {
                NodeOperation::Reduce(reduction, column) => {
                    let slopes = self.slopes_of_reduction(reduction, column, node, depends)?;
                    let times = |(number, slope)| (number, PartialDerivative::Times(slope));
                    slopes.into_iter().map(times).collect()
                }
                NodeOperation::RunningSum(running, column) => {
                    let part = self.running_sum(running.reversed(), adjoint);
                    self.add_to(&mut open, column, part, is_branched);
                    Vec::new()
                }
                _ => self.partials(index, depends)?,
            };
            for (operand, partial) in parts {
                let part = self.scaled(adjoint, partial, is_branched);
                let is_branched = is_branched | matches!(partial, PartialDerivative::Where(..));
                self.add_to(&mut open, operand, part, is_branched);
            }
        }
        Ok(found)
    }

    /// Adds a part to the adjoint of an operation.
    fn add_to(
        &mut self,
        open: &mut BTreeMap<ProgramNode, (ProgramNode, bool)>,
        to: ProgramNode,
        part: ProgramNode,
        is_branched: bool,
    ) {
        let (known, branched) = open.get(&to).copied().unzip();
        let sum = self.sum(known, part);
        open.insert(to, (sum, is_branched | branched.unwrap_or(false)));
    }

    /// The derivatives of a reduction by the numbers that its column is computed from.
    fn slopes_of_reduction(
        &mut self,
        reduction: ColumnReduction,
        column: ProgramNode,
        value: ProgramNode,
        depends: &[bool],
    ) -> Result<Vec<(ProgramNode, ProgramNode)>, NotDifferentiable> {
        let weight = self.weight(reduction, column, value);
        let is_branched = reduction != ColumnReduction::Sum;
        let adjoints = self.sweep(column, weight, is_branched, depends)?;
        let mut slopes = Vec::new();
        for (number, part) in adjoints {
            if !self.is_column(number) {
                let total = self.total(part);
                let slope = self.per_extreme(reduction, weight, total);
                slopes.push((number, slope));
            }
        }
        Ok(slopes)
    }

    /// The weight of each row in the derivative of a reduction.
    fn weight(
        &mut self,
        reduction: ColumnReduction,
        column: ProgramNode,
        value: ProgramNode,
    ) -> ProgramNode {
        match reduction {
            ColumnReduction::Sum => self.constant(1.0),
            ColumnReduction::Min | ColumnReduction::Max => {
                self.binary(Binary::Equal, column, value)
            }
            ColumnReduction::LogSumExp => {
                let difference = self.binary(Binary::Sub, column, value);
                self.unary(Unary::Exp, difference)
            }
        }
    }

    /// A sum over the rows that have the extreme value, as their mean: a subgradient where there are several.
    fn per_extreme(
        &mut self,
        reduction: ColumnReduction,
        weight: ProgramNode,
        total: ProgramNode,
    ) -> ProgramNode {
        match reduction {
            ColumnReduction::Sum | ColumnReduction::LogSumExp => total,
            ColumnReduction::Min | ColumnReduction::Max => {
                let count = self.reduce(ColumnReduction::Sum, weight);
                self.binary(Binary::Div, total, count)
            }
        }
    }

    /// The derivatives of outputs along a direction: `direction` gives, by variable, the node that holds its component; variables
    /// it does not name do not move. By forward accumulation.
    ///
    /// # Errors
    /// [`NotDifferentiable`].
    pub fn tangents(
        &mut self,
        outputs: &[ProgramNode],
        direction: &[(usize, ProgramNode)],
    ) -> Result<Vec<ProgramNode>, NotDifferentiable> {
        let zero = self.constant(0.0);
        let Some(last) = outputs.iter().map(|output| output.index()).max() else {
            return Ok(Vec::new());
        };
        let moving: Vec<usize> = direction.iter().map(|(variable, _)| *variable).collect();
        let depends = self.depends_on(outputs, &moving);
        let mut tangents: Vec<Option<ProgramNode>> = vec![None; last + 1];
        for index in 0..=last {
            if !depends[index] {
                continue;
            }
            tangents[index] = match self.operations[index] {
                NodeOperation::Variable(variable) => direction
                    .iter()
                    .find(|(moving, _)| *moving == variable as usize)
                    .map(|(_, component)| *component),
                NodeOperation::Select(condition, then, otherwise) => {
                    let then = tangents[then.index()].unwrap_or(zero);
                    let otherwise = tangents[otherwise.index()].unwrap_or(zero);
                    Some(self.select(condition, then, otherwise))
                }
                NodeOperation::Reduce(reduction, column) => {
                    let weight = self.weight(reduction, column, ProgramNode(index as u32));
                    let tangent = tangents[column.index()].unwrap_or(zero);
                    let is_branched = reduction != ColumnReduction::Sum;
                    let part = self.scaled(weight, PartialDerivative::Times(tangent), is_branched);
                    let total = self.total(part);
                    Some(self.per_extreme(reduction, weight, total))
                }
                NodeOperation::RunningSum(running, column) => {
                    let tangent = tangents[column.index()].unwrap_or(zero);
                    Some(self.running_sum(running, tangent))
                }
                _ => {
                    let mut sum = None;
                    for (operand, partial) in self.partials(index, &depends)? {
                        let Some(tangent) = tangents[operand.index()] else {
                            continue;
                        };
                        let part = self.scaled(tangent, partial, false);
                        sum = Some(self.sum(sum, part));
                    }
                    sum
                }
            };
        }
        let found = outputs
            .iter()
            .map(|output| tangents[output.index()].unwrap_or(zero));
        Ok(found.collect())
    }

    /// Whether the rows of a column depend on each other by running sums of what varies.
    fn has_running_sum(&self, output: ProgramNode, depends: &[bool]) -> bool {
        let mut needed = vec![false; output.index() + 1];
        needed[output.index()] = true;
        for index in (0..=output.index()).rev() {
            if !needed[index] || !depends[index] || !self.is_column(ProgramNode(index as u32)) {
                continue;
            }
            if matches!(self.operations[index], NodeOperation::RunningSum(..)) {
                return true;
            }
            for operand in self.operations[index].operands() {
                needed[operand.index()] = true;
            }
        }
        false
    }

    /// By operation under some nodes, whether it depends on one of the variables.
    fn depends_on(&self, roots: &[ProgramNode], variables: &[usize]) -> Vec<bool> {
        let count = roots.iter().map(|root| root.index() + 1).max().unwrap_or(0);
        let mut moving = variables.to_vec();
        moving.sort_unstable();
        let mut seen = vec![false; count];
        let mut open: Vec<ProgramNode> = roots.to_vec();
        let mut under = Vec::new();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node.index()], true) {
                under.push(node.index());
                open.extend(self.operations[node.index()].operands());
            }
        }
        under.sort_unstable();
        let mut depends = vec![false; count];
        for index in under {
            let operation = &self.operations[index];
            depends[index] = match *operation {
                NodeOperation::Variable(variable) => {
                    moving.binary_search(&(variable as usize)).is_ok()
                }
                _ => operation.operands().any(|operand| depends[operand.index()]),
            };
        }
        depends
    }

    fn scaled(
        &mut self,
        by: ProgramNode,
        partial: PartialDerivative,
        branched: bool,
    ) -> ProgramNode {
        let zero = self.constant(0.0);
        match partial {
            PartialDerivative::One => by,
            PartialDerivative::Minus => {
                let minus = self.constant(-1.0);
                self.product(by, minus)
            }
            PartialDerivative::Where(condition, true) => self.select(condition, by, zero),
            PartialDerivative::Where(condition, false) => self.select(condition, zero, by),
            PartialDerivative::Times(factor) if branched && !self.is_finite(factor) => {
                let product = self.binary(Binary::Mul, by, factor);
                self.select(by, product, zero)
            }
            PartialDerivative::Times(factor) => self.product(by, factor),
        }
    }

    /// Whether a node is a column of data or a constant, finite both: zero times it is zero.
    fn is_finite(&self, node: ProgramNode) -> bool {
        match self.operations[node.index()] {
            NodeOperation::Constant(value) => value.is_finite(),
            NodeOperation::Variable(_) => self.is_column(node),
            _ => false,
        }
    }

    /// The product of two derivatives. Over rows their numbers come first, `(k x) y = k (x y)`: [`ProgramBuilder::total`] takes them out of the sum.
    fn product(&mut self, a: ProgramNode, b: ProgramNode) -> ProgramNode {
        if !self.is_column(a) && !self.is_column(b) {
            return self.binary(Binary::Mul, a, b);
        }
        let ((k, x), (l, y)) = (self.parts(a), self.parts(b));
        let of = |builder: &mut Self, a, b| match (a, b) {
            (Some(a), Some(b)) => Some(builder.binary(Binary::Mul, a, b)),
            (a, b) => a.or(b),
        };
        let (number, column) = (of(self, k, l), of(self, x, y));
        of(self, number, column).expect("a column is one of the parts")
    }

    /// The number and the column of which a node is the product.
    fn parts(&mut self, node: ProgramNode) -> (Option<ProgramNode>, Option<ProgramNode>) {
        if !self.is_column(node) {
            return (Some(node), None);
        }
        match self.operations[node.index()] {
            NodeOperation::Unary(Unary::Neg, x) => {
                let (number, column) = self.parts(x);
                let minus = match number {
                    Some(number) => self.unary(Unary::Neg, number),
                    None => self.constant(-1.0),
                };
                (Some(minus), column)
            }
            NodeOperation::Binary(Binary::Mul, a, b) if !self.is_column(a) => (Some(a), Some(b)),
            NodeOperation::Binary(Binary::Mul, a, b) if !self.is_column(b) => (Some(b), Some(a)),
            _ => (None, Some(node)),
        }
    }

    /// The sum of a derivative over the rows.
    fn total(&mut self, node: ProgramNode) -> ProgramNode {
        match self.parts(node) {
            (Some(number), Some(column)) => {
                let sum = self.reduce(ColumnReduction::Sum, column);
                self.binary(Binary::Mul, number, sum)
            }
            _ => self.reduce(ColumnReduction::Sum, node),
        }
    }

    /// Partial derivatives of an operation by the operands that depend on the variables.
    fn partials(
        &mut self,
        index: usize,
        depends: &[bool],
    ) -> Result<Vec<(ProgramNode, PartialDerivative)>, NotDifferentiable> {
        let y = ProgramNode(index as u32);
        let mut partials = match self.operations[index] {
            NodeOperation::Constant(_) | NodeOperation::Variable(_) => Vec::new(),
            NodeOperation::Unary(op, x) => match self.slope(op, x, y) {
                Some(partial) => vec![(x, partial)],
                None => Vec::new(),
            },
            NodeOperation::Binary(op, a, b) => self.slopes(op, a, b, y),
            NodeOperation::Select(condition, then, otherwise) => vec![
                (then, PartialDerivative::Where(condition, true)),
                (otherwise, PartialDerivative::Where(condition, false)),
            ],
            NodeOperation::Call1(function, x) => {
                let slope = function.slope.ok_or(NotDifferentiable {
                    function: function.name,
                })?;
                vec![(x, PartialDerivative::Times(slope(self, x, y)))]
            }
            NodeOperation::Call2(function, a, b) => {
                self.slopes_of_call((function.name, function.slopes), [a, b], y, depends)?
            }
            NodeOperation::Call3(function, a, b, c) => {
                self.slopes_of_call((function.name, function.slopes), [a, b, c], y, depends)?
            }
            NodeOperation::Reduce(..) | NodeOperation::RunningSum(..) => Vec::new(), // by the sweep
        };
        partials.retain(|(operand, _)| depends[operand.index()]);
        Ok(partials)
    }

    /// The derivatives of a function by those of its operands that depend on the variables.
    fn slopes_of_call<const N: usize>(
        &mut self,
        (function, slopes): (&'static str, [Option<Slope<N>>; N]),
        operands: [ProgramNode; N],
        y: ProgramNode,
        depends: &[bool],
    ) -> Result<Vec<(ProgramNode, PartialDerivative)>, NotDifferentiable> {
        let mut found = Vec::new();
        for (operand, slope) in operands.into_iter().zip(slopes) {
            if depends[operand.index()] {
                let slope = slope.ok_or(NotDifferentiable { function })?;
                found.push((operand, PartialDerivative::Times(slope(self, operands, y))));
            }
        }
        Ok(found)
    }

    /// The derivative of `y = op(x)`; `None` for a function made of steps.
    fn slope(&mut self, op: Unary, x: ProgramNode, y: ProgramNode) -> Option<PartialDerivative> {
        let one = self.constant(1.0);
        let factor = match op {
            Unary::Neg => return Some(PartialDerivative::Minus),
            Unary::Floor | Unary::Ceil | Unary::Round | Unary::Trunc | Unary::Sign => return None,
            Unary::Square => self.times(2.0, x),
            Unary::Abs => self.unary(Unary::Sign, x),
            Unary::Sqrt => {
                let half = self.constant(0.5);
                self.binary(Binary::Div, half, y)
            }
            Unary::Reciprocal => {
                let square = self.unary(Unary::Square, y);
                self.unary(Unary::Neg, square)
            }
            Unary::Degrees => self.constant(180.0 / PI),
            Unary::Radians => self.constant(PI / 180.0),
            Unary::Sin => self.unary(Unary::Cos, x),
            Unary::Cos => {
                let sine = self.unary(Unary::Sin, x);
                self.unary(Unary::Neg, sine)
            }
            Unary::Tan => {
                let square = self.unary(Unary::Square, y);
                self.binary(Binary::Add, one, square)
            }
            Unary::Asin => self.over_root_of_difference(one, x),
            Unary::Acos => {
                let slope = self.over_root_of_difference(one, x);
                self.unary(Unary::Neg, slope)
            }
            Unary::Atan => {
                let square = self.unary(Unary::Square, x);
                let sum = self.binary(Binary::Add, one, square);
                self.unary(Unary::Reciprocal, sum)
            }
            Unary::Sinh => self.unary(Unary::Cosh, x),
            Unary::Cosh => self.unary(Unary::Sinh, x),
            Unary::Tanh => {
                // 1 / cosh^2, where 1 - y^2 would cancel.
                let cosine = self.unary(Unary::Cosh, x);
                let square = self.unary(Unary::Square, cosine);
                self.unary(Unary::Reciprocal, square)
            }
            Unary::Asinh => {
                let root = self.binary(Binary::Hypot, one, x);
                self.unary(Unary::Reciprocal, root)
            }
            Unary::Acosh => {
                let (less, more) = self.around(x, one);
                let (less, more) = (self.unary(Unary::Sqrt, less), self.unary(Unary::Sqrt, more));
                let product = self.binary(Binary::Mul, less, more);
                self.unary(Unary::Reciprocal, product)
            }
            Unary::Atanh => {
                let (less, more) = self.around(one, x);
                let product = self.binary(Binary::Mul, less, more);
                self.unary(Unary::Reciprocal, product)
            }
            Unary::Exp => y,
            Unary::Exp2 => self.times(LN_2, y),
            Unary::Expm1 => self.unary(Unary::Exp, x),
            Unary::Log => self.unary(Unary::Reciprocal, x),
            Unary::Log2 => self.over(LN_2, x),
            Unary::Log10 => self.over(LN_10, x),
            Unary::Log1p => {
                let sum = self.binary(Binary::Add, one, x);
                self.unary(Unary::Reciprocal, sum)
            }
            Unary::Cbrt => {
                let square = self.unary(Unary::Square, y);
                self.over(3.0, square)
            }
            Unary::Erf => self.bell(x, FRAC_2_SQRT_PI),
            Unary::Erfc => self.bell(x, -FRAC_2_SQRT_PI),
        };
        Some(PartialDerivative::Times(factor))
    }

    /// The derivatives of `y = op(a, b)`; none for comparisons.
    fn slopes(
        &mut self,
        op: Binary,
        a: ProgramNode,
        b: ProgramNode,
        y: ProgramNode,
    ) -> Vec<(ProgramNode, PartialDerivative)> {
        match op {
            Binary::Add => vec![(a, PartialDerivative::One), (b, PartialDerivative::One)],
            Binary::Sub => vec![(a, PartialDerivative::One), (b, PartialDerivative::Minus)],
            Binary::Mul => vec![
                (a, PartialDerivative::Times(b)),
                (b, PartialDerivative::Times(a)),
            ],
            Binary::Div => {
                let by_a = self.unary(Unary::Reciprocal, b);
                let quotient = self.binary(Binary::Div, y, b);
                let by_b = self.unary(Unary::Neg, quotient);
                vec![
                    (a, PartialDerivative::Times(by_a)),
                    (b, PartialDerivative::Times(by_b)),
                ]
            }
            Binary::Mod | Binary::Fmod => {
                let whole = if op == Binary::Mod {
                    Unary::Floor
                } else {
                    Unary::Trunc
                };
                let quotient = self.binary(Binary::Div, a, b);
                let whole = self.unary(whole, quotient);
                let by_b = self.unary(Unary::Neg, whole);
                vec![
                    (a, PartialDerivative::One),
                    (b, PartialDerivative::Times(by_b)),
                ]
            }
            Binary::Min | Binary::Max => {
                let comparison = if op == Binary::Min {
                    Binary::LessEqual
                } else {
                    Binary::GreaterEqual
                };
                let first = self.binary(comparison, a, b);
                vec![
                    (a, PartialDerivative::Where(first, true)),
                    (b, PartialDerivative::Where(first, false)),
                ]
            }
            Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::Equal
            | Binary::NotEqual => Vec::new(),
            Binary::CopySign => {
                let one = self.constant(1.0);
                let of_a = self.binary(Binary::CopySign, one, a);
                let of_b = self.binary(Binary::CopySign, one, b);
                vec![(
                    a,
                    PartialDerivative::Times(self.binary(Binary::Mul, of_a, of_b)),
                )]
            }
            Binary::Pow => self.slopes_of_power(a, b, y),
            Binary::Atan2 => {
                let length = self.binary(Binary::Hypot, a, b);
                let along = self.binary(Binary::Div, b, length);
                let by_a = self.binary(Binary::Div, along, length);
                let across = self.binary(Binary::Div, a, length);
                let by_b = self.binary(Binary::Div, across, length);
                let by_b = self.unary(Unary::Neg, by_b);
                vec![
                    (a, PartialDerivative::Times(by_a)),
                    (b, PartialDerivative::Times(by_b)),
                ]
            }
            Binary::Hypot => {
                let by_a = self.binary(Binary::Div, a, y);
                let by_b = self.binary(Binary::Div, b, y);
                vec![
                    (a, PartialDerivative::Times(by_a)),
                    (b, PartialDerivative::Times(by_b)),
                ]
            }
        }
    }

    fn slopes_of_power(
        &mut self,
        a: ProgramNode,
        b: ProgramNode,
        y: ProgramNode,
    ) -> Vec<(ProgramNode, PartialDerivative)> {
        let one = self.constant(1.0);
        let less = self.binary(Binary::Sub, b, one);
        let power = self.binary(Binary::Pow, a, less);
        let by_a = self.binary(Binary::Mul, b, power);
        // 0^b does not change with b > 0, though the logarithm has no value there.
        let logarithm = self.unary(Unary::Log, a);
        let product = self.binary(Binary::Mul, y, logarithm);
        let zero = self.constant(0.0);
        let by_b = self.select(a, product, zero);
        vec![
            (a, PartialDerivative::Times(by_a)),
            (b, PartialDerivative::Times(by_b)),
        ]
    }

    fn times(&mut self, factor: f64, x: ProgramNode) -> ProgramNode {
        let factor = self.constant(factor);
        self.binary(Binary::Mul, factor, x)
    }

    /// `1 / (factor x)`.
    fn over(&mut self, factor: f64, x: ProgramNode) -> ProgramNode {
        let product = self.times(factor, x);
        self.unary(Unary::Reciprocal, product)
    }

    /// `a - b` and `a + b`.
    fn around(&mut self, a: ProgramNode, b: ProgramNode) -> (ProgramNode, ProgramNode) {
        (
            self.binary(Binary::Sub, a, b),
            self.binary(Binary::Add, a, b),
        )
    }

    /// `1 / sqrt(1 - x^2)`, without cancellation near 1.
    fn over_root_of_difference(&mut self, one: ProgramNode, x: ProgramNode) -> ProgramNode {
        let (less, more) = self.around(one, x);
        let product = self.binary(Binary::Mul, less, more);
        let root = self.unary(Unary::Sqrt, product);
        self.unary(Unary::Reciprocal, root)
    }

    /// `factor exp(-x^2)`.
    fn bell(&mut self, x: ProgramNode, factor: f64) -> ProgramNode {
        let square = self.unary(Unary::Square, x);
        let negative = self.unary(Unary::Neg, square);
        let bell = self.unary(Unary::Exp, negative);
        self.times(factor, bell)
    }
}
