//! Evaluation of a tree over any kind of numbers, and the error of the operation without a value.

use std::fmt;

use tool_core::{ErrorCode, ToolError, number};

use super::ast::{Ast, AstKind, AstNode};
use super::functions::{Binary, ReductionFunction, Ternary, Unary};
use super::rational::{FRACTION_BITS_MAX, INTEGER_BITS_MAX};

/// Reasons for an operation without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EvaluationFault {
    /// A divisor is zero.
    DivisionByZero,
    /// An operand lies outside the function's domain.
    Domain,
    /// The value is beyond the range of a double.
    Overflow,
    /// The value is no rational number.
    Inexact,
    /// An exact value would have more bits than the limit.
    TooLarge,
    /// More bits may decide it.
    Undecided,
    /// The exponent of a number of many bits is beyond the range.
    Exponent,
    /// The argument would need more bits than are allowed.
    Argument,
    /// The function is known in doubles only.
    Unsupported,
    /// A complex value is not finite.
    NotFinite,
    /// Known for real operands only.
    RealOnly,
    /// The call was stopped.
    Stopped,
    /// A density is zero there.
    Outside,
    /// Known for whole numbers only.
    Whole,
    /// Known for smaller orders and arguments only.
    Far,
}

/// An operation without a value, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    pub(super) fault: EvaluationFault,
    /// Column of the operation.
    pub(super) column: usize,
    /// Name of the operation.
    pub(super) name: &'static str,
    /// The operands in words, such as ` for 1 and 2`; empty where they are not named.
    operands: String,
}

impl std::error::Error for ValueError {}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, column, operands) = (self.name, self.column, &self.operands);
        let problem = match self.fault {
            EvaluationFault::DivisionByZero => {
                return write!(f, "division by zero in `{name}` at column {column}");
            }
            EvaluationFault::TooLarge => {
                return write!(
                    f,
                    "`{name}` at column {column} gives more than {INTEGER_BITS_MAX} bits ({FRACTION_BITS_MAX} in a fraction)"
                );
            }
            EvaluationFault::Domain => "has no real value",
            EvaluationFault::Overflow => "overflows a double",
            EvaluationFault::Inexact => "has no exact rational value",
            EvaluationFault::Undecided => "cannot be decided",
            EvaluationFault::Exponent => "gives a number with an exponent beyond 10^8",
            EvaluationFault::Argument => "would need more bits than are allowed for its argument",
            EvaluationFault::Unsupported => "is known in doubles only",
            EvaluationFault::NotFinite => "has no finite value",
            EvaluationFault::RealOnly => "is for real numbers, an operand is complex",
            EvaluationFault::Stopped => "was stopped",
            EvaluationFault::Outside => "is minus infinity",
            EvaluationFault::Whole => "takes whole numbers to 2^53 and has no value",
            EvaluationFault::Far => {
                "is computed for orders to 100,000 and arguments to 200,000, not"
            }
        };
        write!(f, "`{name}` at column {column} {problem}{operands}")
    }
}

impl ValueError {
    /// An operation of a row, whose place the operation over all rows says.
    pub(super) fn new(fault: EvaluationFault, name: &'static str) -> Self {
        let (column, operands) = (0, String::new());
        Self {
            fault,
            column,
            name,
            operands,
        }
    }

    /// The error of the argument at a JSON pointer: `numeric` or `limit_exceeded`, with a reason such as `division_by_zero`, `domain`
    /// or `overflow`; a function without an arbitrary-precision form is an error of `/precision`.
    pub fn into_tool_error(self, pointer: &str) -> ToolError {
        let (reason, hint) = match self.fault {
            EvaluationFault::DivisionByZero => {
                ("division_by_zero", "guard it: `if(b != 0, a / b, 0)`")
            }
            EvaluationFault::Domain if self.name == "**" => (
                "domain",
                "a negative number has only whole powers; `cbrt` takes its cube root",
            ),
            EvaluationFault::Domain => ("domain", "guard it with `if(condition, a, b)`"),
            EvaluationFault::Overflow => (
                "overflow",
                "work with logarithms; `calculate` with `precision` or `exact` has no such limit",
            ),
            EvaluationFault::Inexact => ("inexact", "leave `exact` out to get a double"),
            EvaluationFault::TooLarge => (
                "bits",
                "compute its logarithm, or for a remainder of smaller numbers",
            ),
            EvaluationFault::Undecided | EvaluationFault::Stopped => (
                "undecided",
                "simplify the expression: it compares or rounds two forms of one number",
            ),
            EvaluationFault::Exponent => ("bits", "compute its logarithm"),
            EvaluationFault::Argument => ("bits", "reduce the argument first"),
            EvaluationFault::Unsupported => ("precision", "leave `precision` out to get a double"),
            EvaluationFault::NotFinite => (
                "domain",
                "a pole or an overflow: work with logarithms or guard it",
            ),
            EvaluationFault::Outside => ("domain", "pass a point at which the density is not zero"),
            EvaluationFault::Whole => ("domain", "round it first: `round(x)`"),
            EvaluationFault::Far => (
                "domain",
                "an order below the root of the argument has no such limit",
            ),
            EvaluationFault::RealOnly => ("complex", "take `re(z)`, `im(z)` or `abs(z)` first"),
        };
        let error = match self.fault {
            EvaluationFault::Unsupported => ToolError::invalid("/precision", self),
            EvaluationFault::TooLarge | EvaluationFault::Exponent | EvaluationFault::Argument => {
                ToolError::new(ErrorCode::LimitExceeded, self).at(pointer)
            }
            _ => ToolError::numeric(pointer, self),
        };
        error.reason(reason).hint(hint)
    }
}

/// The arithmetic that a tree is evaluated in.
pub(super) trait Arithmetic {
    type Value: Clone;

    /// A number with its nearest double and its spelling, which is empty for a named constant.
    fn number(&mut self, value: f64, text: &str) -> Result<Self::Value, EvaluationFault>;
    /// The value of a variable.
    fn variable(&self, slot: usize) -> Self::Value;
    fn function(&mut self, op: Unary, x: &Self::Value) -> Result<Self::Value, EvaluationFault>;
    fn operation(
        &mut self,
        op: Binary,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Result<Self::Value, EvaluationFault>;
    fn is_zero(&mut self, x: &Self::Value) -> Result<bool, EvaluationFault>;

    /// A function of three values.
    fn ternary(
        &mut self,
        _: Ternary,
        _: [&Self::Value; 3],
    ) -> Result<Self::Value, EvaluationFault> {
        Err(EvaluationFault::Unsupported)
    }

    /// A number of a column of data.
    fn datum(&mut self, value: f64) -> Result<Self::Value, EvaluationFault> {
        self.number(value, &number::non_finite_spelling(value))
    }

    /// The logarithm of the sum of the exponentials of at least one value.
    fn log_sum_exp(&mut self, values: &[Self::Value]) -> Result<Self::Value, EvaluationFault> {
        let mut largest = values[0].clone();
        for value in &values[1..] {
            largest = self.operation(Binary::Max, &largest, value)?;
        }
        let mut sum = self.number(0.0, "0")?;
        for value in values {
            let below = self.operation(Binary::Sub, value, &largest)?;
            let term = self.function(Unary::Exp, &below)?;
            sum = self.operation(Binary::Add, &sum, &term)?;
        }
        let logarithm = self.function(Unary::Ln, &sum)?;
        self.operation(Binary::Add, &largest, &logarithm)
    }

    /// A reduction of a column.
    fn reduction(
        &mut self,
        _: ReductionFunction,
        _: &Self::Value,
    ) -> Result<Self::Value, EvaluationFault> {
        Err(EvaluationFault::Unsupported)
    }

    /// The value of `if`.
    ///
    /// # Errors
    /// That of the condition, or of the branch that is taken.
    fn select(
        &mut self,
        condition: &Self::Value,
        branches: [Result<Self::Value, ValueError>; 2],
    ) -> Result<Result<Self::Value, ValueError>, EvaluationFault> {
        let [then, otherwise] = branches;
        Ok(match self.is_zero(condition)? {
            true => otherwise,
            false => then,
        })
    }

    /// The operands of a failed operation in words.
    fn words(_: &[&Self::Value]) -> String {
        String::new()
    }

    /// Fails with [`Fault::Stopped`] when the call is stopped.
    fn check(&self) -> Result<(), EvaluationFault> {
        Ok(())
    }
}

/// The value of a tree; a failure in the branch that `if` does not take does not count.
pub(super) fn evaluate_tree<A: Arithmetic>(
    ast: &Ast,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let mut stack: Vec<Result<A::Value, ValueError>> = Vec::new();
    let mut locals = Vec::new();
    for node in ast.nodes() {
        let operands = stack.split_off(stack.len() - node.kind.arity());
        match node.kind {
            AstKind::Define(_) => {
                locals.extend(operands);
                continue;
            }
            AstKind::Local(local) => {
                stack.push(locals[local].clone());
                continue;
            }
            _ => {}
        }
        let value = apply_node(node, operands, arithmetic);
        if value
            .as_ref()
            .is_err_and(|err| err.fault == EvaluationFault::Stopped)
        {
            return value;
        }
        stack.push(value);
    }
    stack.pop().expect("a tree has a root")
}

fn apply_node<A: Arithmetic>(
    node: &AstNode,
    operands: Vec<Result<A::Value, ValueError>>,
    arithmetic: &mut A,
) -> Result<A::Value, ValueError> {
    let fail = |name, operands: &[&A::Value]| {
        let (column, operands) = (node.column, A::words(operands));
        move |fault| ValueError {
            fault,
            column,
            name,
            operands,
        }
    };
    let mut operands = operands.into_iter();
    let mut next = || operands.next().expect("an operand for each place");
    arithmetic.check().map_err(fail("the value", &[]))?;
    match &node.kind {
        AstKind::Number { value, text } => {
            let name = if text.is_empty() {
                "a constant"
            } else {
                "the number"
            };
            arithmetic.number(*value, text).map_err(fail(name, &[]))
        }
        AstKind::Slot(slot) => Ok(arithmetic.variable(*slot)),
        AstKind::Unary(op) => {
            let x = next()?;
            let value = arithmetic.function(*op, &x);
            value.map_err(|fault| fail(op.name(), &[&x])(fault))
        }
        AstKind::Binary(op) => {
            let (a, b) = (next(), next());
            let (a, b) = (a?, b?);
            let value = arithmetic.operation(*op, &a, &b);
            value.map_err(|fault| fail(op.name(), &[&a, &b])(fault))
        }
        AstKind::Ternary(op) => {
            let (a, b, c) = (next()?, next()?, next()?);
            let value = arithmetic.ternary(*op, [&a, &b, &c]);
            value.map_err(|fault| fail(op.name(), &[&a, &b, &c])(fault))
        }
        AstKind::Select => {
            let (condition, branches) = (next()?, [next(), next()]);
            let chosen = arithmetic.select(&condition, branches);
            chosen.map_err(fail("if", &[]))?
        }
        AstKind::Support => {
            let (condition, value) = (next()?, next());
            let outside = Err(fail("the logarithm of a density outside its support", &[])(
                EvaluationFault::Outside,
            ));
            let chosen = arithmetic.select(&condition, [value, outside]);
            chosen.map_err(fail("a support", &[]))?
        }
        AstKind::Reduce(op) => {
            let column = next()?;
            let value = arithmetic.reduction(*op, &column);
            value.map_err(|fault| fail(op.name(), &[&column])(fault))
        }
        AstKind::Define(_) | AstKind::Local(_) => unreachable!("names are no operations"),
    }
}

/// Doubles at a point of finite numbers; a value that is not finite is a fault.
pub(super) struct DoubleArithmetic<'a>(pub(super) &'a [f64]);

impl Arithmetic for DoubleArithmetic<'_> {
    type Value = f64;

    fn number(&mut self, value: f64, _: &str) -> Result<f64, EvaluationFault> {
        Ok(value)
    }

    fn datum(&mut self, value: f64) -> Result<f64, EvaluationFault> {
        Ok(value)
    }

    fn variable(&self, slot: usize) -> f64 {
        self.0[slot]
    }

    fn function(&mut self, op: Unary, x: &f64) -> Result<f64, EvaluationFault> {
        let pole = matches!(
            op,
            Unary::Ln | Unary::Log2 | Unary::Log10 | Unary::Log1p | Unary::Atanh | Unary::Lgamma
        );
        check_finite(op.value(*x), pole)
    }

    fn operation(&mut self, op: Binary, a: &f64, b: &f64) -> Result<f64, EvaluationFault> {
        use Binary::{
            BesselI, BesselJ, BesselK, BesselY, Div, FloorDiv, Fmod, Gcd, Lcm, LogBase, Mod,
            Polygamma, Pow,
        };
        let divides = matches!(op, Div | FloorDiv | Mod | Fmod) && *b == 0.0;
        if divides || (op == Pow && *a == 0.0 && *b < 0.0) {
            return Err(EvaluationFault::DivisionByZero);
        }
        let value = op.value(*a, *b);
        match op {
            Gcd | Lcm if value.is_nan() => Err(EvaluationFault::Whole),
            BesselJ | BesselY | BesselI | BesselK if value.is_nan() && *b >= 0.0 => {
                Err(EvaluationFault::Far)
            }
            Polygamma if value.is_nan() && (*a < 0.0 || a.fract() != 0.0) => {
                Err(EvaluationFault::Whole)
            }
            _ => check_finite(value, op == LogBase),
        }
    }

    fn ternary(&mut self, op: Ternary, [a, b, c]: [&f64; 3]) -> Result<f64, EvaluationFault> {
        check_finite(op.value(*a, *b, *c), false)
    }

    fn is_zero(&mut self, x: &f64) -> Result<bool, EvaluationFault> {
        Ok(*x == 0.0)
    }

    fn words(operands: &[&f64]) -> String {
        match operands {
            [] => String::new(),
            [x] => format!(" for {x}"),
            [a, b] => format!(" for {a} and {b}"),
            [first @ .., last] => {
                let first: Vec<String> = first.iter().map(ToString::to_string).collect();
                format!(" for {} and {last}", first.join(", "))
            }
        }
    }
}

/// The value, when it is finite; `pole` says that an infinite value is a pole and not an overflow.
fn check_finite(value: f64, pole: bool) -> Result<f64, EvaluationFault> {
    if value.is_finite() {
        Ok(value)
    } else if value.is_nan() || pole {
        Err(EvaluationFault::Domain)
    } else {
        Err(EvaluationFault::Overflow)
    }
}
