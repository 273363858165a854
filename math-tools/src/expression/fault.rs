//! Why an operation has no value, and the error of the operation without one.

use std::fmt;

use tool_core::{ErrorCode, ToolError};

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
    pub(super) operands: String,
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
