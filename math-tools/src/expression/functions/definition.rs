//! The columns of the table of functions: what a function is in each number system.
//!
//! A definition is one static with everything about its function. What it leaves out (`..UnaryDefinition::lanes(..)`) is not known in
//! that number system, and a call there is refused by the name of the function.

use std::cmp::Ordering;
use std::fmt;

use numerics::bytecode::{
    BinaryFunction, ColumnReduction, ProgramBuilder, ProgramNode, RunningDirection, Slope,
    TernaryFunction, UnaryFunction,
};
use numerics::roots::interval::Interval;
use numerics::vector;

use super::super::ball::{Ball, BallArithmetic, BallResult, ExactOrBall};
use super::super::enclosure::bounds::{BoxEnclosure, BoxResult};
use super::super::enclosure::images::ImageAndSlope;
use super::super::fault::EvaluationFault;
use super::super::plane::{PlaneResult, RealOrComplex};
use super::super::rational::{ExactResult, Rational};

/// A function of one number.
pub(crate) struct UnaryDefinition {
    /// Its name, or the sign of the operator.
    pub(crate) name: &'static str,
    /// Other spellings.
    pub(crate) aliases: &'static [&'static str],
    /// In doubles, with the derivative; NaN outside the domain.
    pub(super) real: UnaryMethod,
    /// Whether it has neither kinks nor steps inside its domain.
    pub(crate) is_smooth: bool,
    /// Of an operand and a value in doubles, the fault where it is another than a value outside the domain or an overflow.
    pub(super) fault: Option<fn(x: f64, value: f64) -> Option<EvaluationFault>>,
    /// Over the complex numbers.
    pub(super) complex: ComplexForm,
    /// Over the rational numbers, `Inexact` where the value is none.
    pub(super) exact: Option<fn(&Rational) -> ExactResult>,
    /// To any number of digits.
    pub(super) ball: Option<fn(&mut BallArithmetic<'_>, &Ball) -> BallResult>,
    /// To any number of digits of an exact operand whose value is not exact: tried before `ball`.
    pub(super) ball_of_exact: Option<fn(&mut BallArithmetic<'_>, &Rational) -> ShortCut>,
    /// Of an interval the image, and the slopes on it.
    pub(super) interval: Option<fn(Interval) -> ImageAndSlope>,
    /// What `ball` costs.
    pub(super) digit_cost: DigitCost,
}

/// A function of two numbers.
pub(crate) struct BinaryDefinition {
    /// Its name, or the sign of the operator.
    pub(crate) name: &'static str,
    /// Other spellings.
    pub(crate) aliases: &'static [&'static str],
    /// In doubles, with the derivatives; NaN outside the domain.
    pub(super) real: BinaryMethod,
    /// Whether it has neither kinks nor steps inside its domain.
    pub(crate) is_smooth: bool,
    /// Of operands and a value in doubles, the fault where it is another than a value outside the domain or an overflow.
    pub(super) fault: Option<BinaryFault>,
    /// Of a relation, the orders of its operands in which it holds.
    pub(crate) relation: Option<fn(Ordering) -> bool>,
    /// What it is for the rows of a column.
    pub(crate) reduction: Option<ReductionFunction>,
    /// Over the complex numbers; without it, of real operands as in doubles.
    pub(super) complex: Option<fn(RealOrComplex, RealOrComplex) -> PlaneResult>,
    /// Over the rational numbers, `Inexact` where the value is none.
    pub(super) exact: Option<fn(&Rational, &Rational) -> ExactResult>,
    /// To any number of digits.
    pub(super) ball: Option<fn(&mut BallArithmetic<'_>, &Ball, &Ball) -> BallResult>,
    /// To any number of digits where the value is not exact and an operand may be: tried before `ball`.
    pub(super) ball_of_exact:
        Option<fn(&mut BallArithmetic<'_>, &ExactOrBall, &ExactOrBall) -> ShortCut>,
    /// Bounds over a box, with slopes.
    pub(super) enclosure: Option<fn(&BoxEnclosure, &BoxEnclosure) -> BoxResult>,
    /// What `ball` costs.
    pub(super) digit_cost: DigitCost,
}

/// A function of three numbers, in doubles alone; of real operands over the complex numbers too.
pub(crate) struct TernaryDefinition {
    /// In doubles, with the derivatives; NaN outside the domain.
    pub(super) real: TernaryFunction,
    /// Whether it has no steps inside its domain.
    pub(crate) is_smooth: bool,
}

/// Of operands and a value in doubles, the fault that is another than a value outside the domain or an overflow.
type BinaryFault = fn(operands: [f64; 2], value: f64) -> Option<EvaluationFault>;

/// A value that was found in a quicker or more exact way; `None` where there is none such.
pub(super) type ShortCut = Result<Option<ExactOrBall>, EvaluationFault>;

/// A function over the complex numbers.
#[derive(Clone, Copy)]
pub(crate) enum ComplexForm {
    /// Known for real operands alone.
    RealOnly,
    /// For operands off the real line, and for those on it without a finite real value.
    Beyond(fn(RealOrComplex) -> PlaneResult),
    /// For every operand.
    Everywhere(fn(RealOrComplex) -> PlaneResult),
}

/// Steps of the processor that a value to many digits takes, from measurements.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DigitCost {
    /// A copy, or another sign.
    Copy,
    /// A product.
    Product,
    /// So many elementary functions.
    Elementary(f64),
    /// A series whose terms are as many as the digits: this factor times the third power of these.
    Series(f64),
}

impl DigitCost {
    /// The steps for so many digits.
    pub(crate) fn steps(self, digits: f64) -> f64 {
        match self {
            Self::Copy => 100.0,
            Self::Product => digits * digits / 10.0 + 1e3,
            Self::Elementary(count) => count * (10.0 * digits * digits + 2e4),
            Self::Series(factor) => factor * digits * digits * digits + 1e6,
        }
    }
}

/// Implementation of a function of one number in doubles.
pub(crate) enum UnaryMethod {
    /// By lanes.
    Lanes(vector::Unary),
    /// Point by point.
    Pointwise(UnaryFunction),
}

/// Implementation of a function of two numbers in doubles.
pub(crate) enum BinaryMethod {
    /// By lanes.
    Lanes(vector::Binary),
    /// Point by point.
    Pointwise(BinaryFunction),
    /// A formula of others.
    Composed(fn(&mut ProgramBuilder, ProgramNode, ProgramNode) -> ProgramNode),
}

/// A derivative by the only operand, from the operand and the value.
type UnarySlope = fn(&mut ProgramBuilder, x: ProgramNode, y: ProgramNode) -> ProgramNode;

impl UnaryDefinition {
    /// Of real numbers by lanes; its derivative is known with them.
    pub(super) const fn lanes(name: &'static str, op: vector::Unary) -> Self {
        Self::real(name, UnaryMethod::Lanes(op))
    }

    /// Of real numbers point by point, with a formula for the derivative where there is one.
    pub(super) const fn pointwise(
        name: &'static str,
        value: fn(f64) -> f64,
        slope: Option<UnarySlope>,
    ) -> Self {
        Self::real(
            name,
            UnaryMethod::Pointwise(UnaryFunction { name, value, slope }),
        )
    }

    const fn real(name: &'static str, real: UnaryMethod) -> Self {
        Self {
            name,
            aliases: &[],
            real,
            is_smooth: true,
            fault: None,
            complex: ComplexForm::RealOnly,
            exact: None,
            ball: None,
            ball_of_exact: None,
            interval: None,
            digit_cost: DigitCost::Elementary(1.0),
        }
    }

    /// The value in doubles; the same bits as in a program.
    pub(crate) fn value(&self, x: f64) -> f64 {
        match &self.real {
            UnaryMethod::Lanes(op) => vector::evaluate_unary(*op, x),
            UnaryMethod::Pointwise(function) => (function.value)(x),
        }
    }

    /// The operation in a program.
    pub(crate) fn lower(
        &'static self,
        builder: &mut ProgramBuilder,
        x: ProgramNode,
    ) -> ProgramNode {
        match &self.real {
            UnaryMethod::Lanes(op) => builder.unary(*op, x),
            UnaryMethod::Pointwise(function) => builder.call1(function, x),
        }
    }

    /// Whether values are computed point by point.
    pub(crate) fn is_pointwise(&self) -> bool {
        matches!(self.real, UnaryMethod::Pointwise(_))
    }

    /// The value in doubles, which is finite.
    pub(crate) fn finite_value(&self, x: f64) -> Result<f64, EvaluationFault> {
        let value = self.value(x);
        match self.fault.and_then(|fault| fault(x, value)) {
            Some(fault) => Err(fault),
            None => finite_value(value),
        }
    }

    /// The value over the complex numbers.
    pub(crate) fn complex_value(&self, x: RealOrComplex) -> PlaneResult {
        let is_real = matches!(x, RealOrComplex::Real(_));
        if let RealOrComplex::Real(value) = x
            && !matches!(self.complex, ComplexForm::Everywhere(_))
        {
            let found = self.value(value);
            // A finite real value is the value; where there is none, the plane may have one.
            if found.is_finite() {
                return Ok(RealOrComplex::Real(found));
            }
        }
        match self.complex {
            ComplexForm::Beyond(form) | ComplexForm::Everywhere(form) => form(x),
            ComplexForm::RealOnly if is_real => Err(EvaluationFault::NotFinite),
            ComplexForm::RealOnly => Err(EvaluationFault::RealOnly),
        }
    }

    /// The exact value.
    pub(crate) fn exact_value(&self, x: &Rational) -> ExactResult {
        self.exact
            .map_or(Err(EvaluationFault::Inexact), |form| form(x))
    }

    /// The value to many digits.
    pub(crate) fn ball_value(&self, machine: &mut BallArithmetic<'_>, x: &Ball) -> BallResult {
        let form = self.ball.ok_or(EvaluationFault::Unsupported)?;
        form(machine, x)
    }

    /// A value to many digits that an exact operand has in another way.
    pub(crate) fn ball_of_exact(&self, machine: &mut BallArithmetic<'_>, x: &Rational) -> ShortCut {
        self.ball_of_exact.map_or(Ok(None), |form| form(machine, x))
    }

    /// The image of an interval, and the slopes on it.
    pub(crate) fn image_and_slope(&self, x: Interval) -> ImageAndSlope {
        let form = self.interval.ok_or(EvaluationFault::Unsupported)?;
        form(x)
    }

    /// Steps of the processor that a value to so many digits takes.
    pub(crate) fn digit_steps(&self, digits: f64) -> f64 {
        self.digit_cost.steps(digits)
    }
}

impl BinaryDefinition {
    /// Of real numbers by lanes; its derivatives are known with them.
    pub(super) const fn lanes(name: &'static str, op: vector::Binary) -> Self {
        Self::real(name, BinaryMethod::Lanes(op))
    }

    /// Of real numbers point by point, with formulas for the derivatives by each operand where there are some.
    pub(super) const fn pointwise(
        name: &'static str,
        value: fn(f64, f64) -> f64,
        slopes: [Option<Slope<2>>; 2],
    ) -> Self {
        let function = BinaryFunction {
            name,
            value,
            slopes,
        };
        Self::real(name, BinaryMethod::Pointwise(function))
    }

    /// Of real numbers by a formula of other functions.
    pub(super) const fn composed(
        name: &'static str,
        formula: fn(&mut ProgramBuilder, ProgramNode, ProgramNode) -> ProgramNode,
    ) -> Self {
        Self::real(name, BinaryMethod::Composed(formula))
    }

    const fn real(name: &'static str, real: BinaryMethod) -> Self {
        Self {
            name,
            aliases: &[],
            real,
            is_smooth: true,
            fault: None,
            relation: None,
            reduction: None,
            complex: None,
            exact: None,
            ball: None,
            ball_of_exact: None,
            enclosure: None,
            digit_cost: DigitCost::Product,
        }
    }

    /// The value in doubles; the same bits as in a program.
    pub(crate) fn value(&self, a: f64, b: f64) -> f64 {
        match &self.real {
            BinaryMethod::Lanes(op) => vector::evaluate_binary(*op, a, b),
            BinaryMethod::Pointwise(function) => (function.value)(a, b),
            BinaryMethod::Composed(formula) => {
                let mut builder = ProgramBuilder::new();
                let (a, b) = (builder.constant(a), builder.constant(b));
                let value = formula(&mut builder, a, b);
                // Operations on constants are computed as they are added.
                builder.constant_of(value).unwrap_or(f64::NAN)
            }
        }
    }

    /// The operations in a program.
    pub(crate) fn lower(
        &'static self,
        builder: &mut ProgramBuilder,
        a: ProgramNode,
        b: ProgramNode,
    ) -> ProgramNode {
        match &self.real {
            BinaryMethod::Lanes(op) => builder.binary(*op, a, b),
            BinaryMethod::Pointwise(function) => builder.call2(function, a, b),
            BinaryMethod::Composed(formula) => formula(builder, a, b),
        }
    }

    /// Whether values are computed point by point.
    pub(crate) fn is_pointwise(&self) -> bool {
        matches!(self.real, BinaryMethod::Pointwise(_))
    }

    /// The value in doubles, which is finite.
    pub(crate) fn finite_value(&self, a: f64, b: f64) -> Result<f64, EvaluationFault> {
        let value = self.value(a, b);
        match self.fault.and_then(|fault| fault([a, b], value)) {
            Some(fault) => Err(fault),
            None => finite_value(value),
        }
    }

    /// The value over the complex numbers.
    pub(crate) fn complex_value(&self, a: RealOrComplex, b: RealOrComplex) -> PlaneResult {
        match (self.complex, a, b) {
            (Some(form), _, _) => form(a, b),
            (None, RealOrComplex::Real(a), RealOrComplex::Real(b)) => {
                Ok(RealOrComplex::Real(self.value(a, b)))
            }
            (None, _, _) => Err(EvaluationFault::RealOnly),
        }
    }

    /// The exact value.
    pub(crate) fn exact_value(&self, a: &Rational, b: &Rational) -> ExactResult {
        match (self.relation, self.exact) {
            (Some(holds), _) => Ok(Rational::from(i32::from(holds(a.cmp(b))))),
            (None, Some(form)) => form(a, b),
            (None, None) => Err(EvaluationFault::Inexact),
        }
    }

    /// The value to many digits; of a relation it is exact.
    pub(crate) fn ball_value(
        &self,
        machine: &mut BallArithmetic<'_>,
        a: &Ball,
        b: &Ball,
    ) -> Result<ExactOrBall, EvaluationFault> {
        if let Some(holds) = self.relation {
            let order = machine.order(a, b)?;
            return Ok(ExactOrBall::Exact(i32::from(holds(order)).into()));
        }
        let form = self.ball.ok_or(EvaluationFault::Unsupported)?;
        form(machine, a, b).map(ExactOrBall::Ball)
    }

    /// A value to many digits that exact operands have in another way.
    pub(crate) fn ball_of_exact(
        &self,
        machine: &mut BallArithmetic<'_>,
        a: &ExactOrBall,
        b: &ExactOrBall,
    ) -> ShortCut {
        self.ball_of_exact
            .map_or(Ok(None), |form| form(machine, a, b))
    }

    /// Bounds over a box.
    pub(crate) fn enclosure(&self, a: &BoxEnclosure, b: &BoxEnclosure) -> BoxResult {
        match (self.relation, self.enclosure) {
            (Some(holds), _) => Ok(a.compared(b, holds)),
            (None, Some(form)) => form(a, b),
            (None, None) => Err(EvaluationFault::Unsupported),
        }
    }

    /// Steps of the processor that a value to so many digits takes.
    pub(crate) fn digit_steps(&self, digits: f64) -> f64 {
        self.digit_cost.steps(digits)
    }
}

impl TernaryDefinition {
    /// Of real numbers point by point, with formulas for the derivatives by each operand where there are some.
    pub(super) const fn pointwise(
        name: &'static str,
        value: fn(f64, f64, f64) -> f64,
        slopes: [Option<Slope<3>>; 3],
    ) -> Self {
        let real = TernaryFunction {
            name,
            value,
            slopes,
        };
        let is_smooth = true;
        Self { real, is_smooth }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        self.real.name
    }

    /// The value; the same bits as in a program.
    pub(crate) fn value(&self, a: f64, b: f64, c: f64) -> f64 {
        (self.real.value)(a, b, c)
    }

    /// The operation in a program.
    pub(crate) fn lower(
        &'static self,
        builder: &mut ProgramBuilder,
        operands: [ProgramNode; 3],
    ) -> ProgramNode {
        builder.call3(&self.real, operands)
    }

    /// The value, which is finite.
    pub(crate) fn finite_value(&self, a: f64, b: f64, c: f64) -> Result<f64, EvaluationFault> {
        finite_value(self.value(a, b, c))
    }
}

/// A definition is itself alone: two operations are the same where they have the same one.
macro_rules! identity {
    ($($definition:ident => $name:expr;)+) => {$(
        impl PartialEq for $definition {
            fn eq(&self, other: &Self) -> bool {
                std::ptr::eq(self, other)
            }
        }

        impl Eq for $definition {}

        impl fmt::Debug for $definition {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let name: fn(&Self) -> &str = $name;
                f.write_str(name(self))
            }
        }
    )+};
}

identity! {
    UnaryDefinition => |definition| definition.name;
    BinaryDefinition => |definition| definition.name;
    TernaryDefinition => |definition| definition.name();
}

/// The value, when it is finite.
fn finite_value(value: f64) -> Result<f64, EvaluationFault> {
    if value.is_finite() {
        Ok(value)
    } else if value.is_nan() {
        Err(EvaluationFault::Domain)
    } else {
        Err(EvaluationFault::Overflow)
    }
}

/// The fault of functions whose infinite values are poles and no overflows.
pub(super) fn pole(_: f64, value: f64) -> Option<EvaluationFault> {
    value.is_infinite().then_some(EvaluationFault::Domain)
}

/// The short cut of functions that are exactly zero at zero, where no number of bits would show it.
pub(super) fn zero_at_zero(_: &mut BallArithmetic<'_>, x: &Rational) -> ShortCut {
    Ok(x.is_zero().then(|| ExactOrBall::Exact(x.clone())))
}

/// Functions of all rows of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ReductionFunction {
    /// The sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The logarithm of the sum of the exponentials.
    LogSumExp,
    /// The sum of the rows so far: a column again.
    CumSum,
}

impl ReductionFunction {
    /// The canonical name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::LogSumExp => "logsumexp",
            Self::CumSum => "cumsum",
        }
    }

    /// The operation in a program.
    pub(crate) fn lower(self, builder: &mut ProgramBuilder, x: ProgramNode) -> ProgramNode {
        let reduction = match self {
            Self::Sum => ColumnReduction::Sum,
            Self::Min => ColumnReduction::Min,
            Self::Max => ColumnReduction::Max,
            Self::LogSumExp => ColumnReduction::LogSumExp,
            Self::CumSum => return builder.running_sum(RunningDirection::FromFirst, x),
        };
        builder.reduce(reduction, x)
    }
}

/// The definitions of a file.
pub(super) struct FunctionFamily {
    pub(super) unary: &'static [&'static UnaryDefinition],
    pub(super) binary: &'static [&'static BinaryDefinition],
    pub(super) ternary: &'static [&'static TernaryDefinition],
}
