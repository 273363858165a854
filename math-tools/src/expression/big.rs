//! Evaluation to any number of digits, with a proven bound.
//!
//! Every value is exact (a rational number) or a ball: a number of many bits and a radius that the true value cannot leave. The work
//! is repeated with more bits until all numbers of the ball round to the same digits, so the answer is the correctly rounded one
//! (A. Ziv, "Fast evaluation of elementary mathematical functions with correctly rounded last bit", ACM TOMS 17, 1991; balls as in
//! F. Johansson, "Arb: efficient arbitrary-precision midpoint-radius interval arithmetic", IEEE Trans. Comput. 66, 2017).

use std::cell::RefCell;

use astro_float_num::{BigFloat, Consts};
use tool_core::{Ctx, ToolError, tool_error};

use super::ast::{Ast, AstKind, AstNode};
use super::ball::{Ball, BallArithmetic, ExactOrBall};
use super::evaluate::Arithmetic;
use super::fault::EvaluationFault;
use super::functions::{BinaryDefinition, DigitCost, UnaryDefinition};
use super::rational::Rational;
use super::rows;

/// Bits per decimal digit, rounded up.
const BITS_PER_DIGIT: f64 = 3.3220;

/// A value written in decimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecimalResult {
    pub(super) text: String,
    /// Whether the text is the value.
    pub(super) exact: bool,
    /// A bound on its absolute error.
    pub(super) error_bound: String,
    /// Whether the value could not be told from zero.
    pub(super) vanishing: bool,
}

/// The value of an expression to `digits` significant digits; `slots` are the values of the variables.
///
/// # Errors
/// A value that does not exist (`numeric`), one beyond the range of exponents or too costly (`limit_exceeded`), a function without
/// an arbitrary-precision form (`invalid_args`), a call that is stopped.
pub(super) fn evaluate_to_digits(
    ast: &Ast,
    slots: &[Rational],
    digits: usize,
    ctx: &Ctx,
) -> Result<DecimalResult, ToolError> {
    let first = digits as f64 * BITS_PER_DIGIT;
    let costly = ast
        .nodes()
        .iter()
        .map(|node| node_cost(node, digits as f64));
    let rows = ast.data().map_or(1, |data| data.rows());
    ctx.afford(2.0 * rows as f64 * costly.sum::<f64>())?;
    ctx.reserve((ast.numbers() as u64).saturating_mul(first as u64 / 4 + 256))?;
    let mut consts = Consts::new().map_err(|err| {
        let error = tool_error!(LimitExceeded, "no memory for the constants: {err:?}");
        error.hint("request fewer digits")
    })?;
    let most = 4.0 * first + 4096.0;
    let mut extra = 64.0;
    loop {
        let bits = (first + extra).min(most) as usize;
        let last = bits as f64 + 1.0 > most;
        let mut machine = BallArithmetic {
            bits,
            consts: &mut consts,
            slots,
            ctx,
        };
        match rows::evaluate_over_rows(ast, &mut machine) {
            Ok(ExactOrBall::Exact(value)) => return Ok(exact_decimal(&value, digits)),
            Ok(ExactOrBall::Ball(ball)) => {
                if let Some(decimal) = ball_decimal(&ball, digits, &mut machine)? {
                    return Ok(decimal);
                }
                if last {
                    return decimal_around_zero(&ball)
                        .ok_or_else(|| undecided_error(1, "the value", digits));
                }
            }
            Err(err) => match err.fault {
                EvaluationFault::Undecided if !last => {}
                EvaluationFault::Undecided => {
                    return Err(undecided_error(
                        err.column,
                        &format!("`{}`", err.name),
                        digits,
                    ));
                }
                _ => {
                    ctx.check()?;
                    return Err(err.into_tool_error("/expression"));
                }
            },
        }
        extra *= 2.0;
    }
}

thread_local! {
    /// Pi and the like, made once per thread: they take longer than most expressions.
    static CONSTANTS: RefCell<Option<Consts>> = RefCell::new(Consts::new().ok());
}

/// The difference between a double and the exact value, as an upper bound; `None` where unknown.
pub(super) fn double_error(ast: &Ast, slots: &[Rational], found: f64, ctx: &Ctx) -> Option<f64> {
    /// Enough where no more than half the digits of a double cancel; then the second.
    const BITS: [usize; 2] = [128, 256];
    CONSTANTS.with_borrow_mut(|consts| {
        let consts = consts.as_mut()?;
        let mut bound = f64::INFINITY;
        for bits in BITS {
            let mut machine = BallArithmetic {
                bits,
                consts,
                slots,
                ctx,
            };
            let value = rows::evaluate_over_rows(ast, &mut machine).ok()?;
            let ball = machine.ball(&value).ok()?;
            let difference = machine.sub(&ball, &Ball::exact(BigFloat::from_f64(found, 64)));
            bound = difference.ok()?.magnitude().to_f64_up();
            if bound <= f64::EPSILON.sqrt() * found.abs() {
                break;
            }
        }
        Some(bound)
    })
}

/// Steps of the processor that a node takes.
fn node_cost(node: &AstNode, digits: f64) -> f64 {
    match &node.kind {
        AstKind::Unary(op) => op.digit_steps(digits),
        AstKind::Binary(op) => op.digit_steps(digits),
        AstKind::Slot(_)
        | AstKind::Number { .. }
        | AstKind::Define(_)
        | AstKind::Local(_)
        | AstKind::Reduce(_)
        | AstKind::Support
        | AstKind::Ternary(_)
        | AstKind::Select => DigitCost::Copy.steps(digits),
    }
}

impl Arithmetic for BallArithmetic<'_> {
    type Value = ExactOrBall;

    fn number(&mut self, value: f64, text: &str) -> Result<ExactOrBall, EvaluationFault> {
        if text.is_empty() {
            return self.constant(value).map(ExactOrBall::Ball);
        }
        let exact = Rational::parse(text).map_err(|_| EvaluationFault::Exponent)?;
        Ok(ExactOrBall::Exact(exact))
    }

    fn variable(&self, slot: usize) -> ExactOrBall {
        ExactOrBall::Exact(self.slots[slot].clone())
    }

    fn function(
        &mut self,
        op: &UnaryDefinition,
        x: &ExactOrBall,
    ) -> Result<ExactOrBall, EvaluationFault> {
        if let ExactOrBall::Exact(x) = x {
            if let Some(value) = exact_number(op.exact_value(x))? {
                return Ok(value);
            }
            if let Some(value) = op.ball_of_exact(self, x)? {
                return Ok(value);
            }
        }
        let x = self.ball(x)?;
        op.ball_value(self, &x).map(ExactOrBall::Ball)
    }

    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &ExactOrBall,
        b: &ExactOrBall,
    ) -> Result<ExactOrBall, EvaluationFault> {
        if let (ExactOrBall::Exact(a), ExactOrBall::Exact(b)) = (a, b)
            && let Some(value) = exact_number(op.exact_value(a, b))?
        {
            return Ok(value);
        }
        if let Some(value) = op.ball_of_exact(self, a, b)? {
            return Ok(value);
        }
        let (a, b) = (self.ball(a)?, self.ball(b)?);
        op.ball_value(self, &a, &b)
    }

    fn is_zero(&mut self, x: &ExactOrBall) -> Result<bool, EvaluationFault> {
        match x {
            ExactOrBall::Exact(value) => Ok(value.is_zero()),
            ExactOrBall::Ball(ball) => Ok(ball.sign()? == 0),
        }
    }

    fn check(&self) -> Result<(), EvaluationFault> {
        self.check_stop()
    }
}

/// An exact value; `None` where it is not rational or too long.
fn exact_number(
    value: Result<Rational, EvaluationFault>,
) -> Result<Option<ExactOrBall>, EvaluationFault> {
    match value {
        Ok(value) => Ok(Some(ExactOrBall::Exact(value))),
        Err(EvaluationFault::Inexact | EvaluationFault::TooLarge) => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// An exact value to `digits` significant digits, halves to even; all its digits where they are fewer.
pub(super) fn exact_decimal(value: &Rational, digits: usize) -> DecimalResult {
    if value.is_zero() {
        return DecimalResult {
            text: "0".into(),
            exact: true,
            error_bound: "0".into(),
            vanishing: false,
        };
    }
    let mut exponent = value.decimal_exponent_estimate();
    loop {
        let (rounded, exact) = value.scaled_round(digits as i64 - 1 - exponent);
        let text = rounded.to_string();
        match text.len() as i64 - digits as i64 {
            0 => return format_decimal(value.is_negative(), &text, exponent, exact),
            difference => exponent += difference,
        }
    }
}

/// The digits that all numbers of a ball round to, when they do.
fn ball_decimal(
    ball: &Ball,
    digits: usize,
    machine: &mut BallArithmetic<'_>,
) -> Result<Option<DecimalResult>, ToolError> {
    let outcome: Result<DecimalResult, EvaluationFault> = (|| {
        if ball.sign()? == 0 {
            return Err(EvaluationFault::Undecided);
        }
        let mut exponent = ball.decimal_exponent_estimate();
        for _ in 0..4 {
            let scaled = machine.times_power_of_ten(ball, digits as i64 - 1 - exponent)?;
            let rounded = machine.nearest_integer(&scaled)?;
            let text = rounded.magnitude().to_string();
            match text.len() as i64 - digits as i64 {
                0 => return Ok(format_decimal(ball.sign()? < 0, &text, exponent, false)),
                difference => exponent += difference,
            }
        }
        Err(EvaluationFault::Undecided)
    })();
    machine.ctx.check()?;
    Ok(outcome.ok())
}

/// Zero, with the bound that is known, for a ball around it.
fn decimal_around_zero(ball: &Ball) -> Option<DecimalResult> {
    ball.sign().is_err().then(|| DecimalResult {
        text: "0".into(),
        exact: false,
        error_bound: format!("1e{}", ball.magnitude().decimal_exponent_up()),
        vanishing: true,
    })
}

/// `digits` with the decimal point after the first one moved by `exponent`: positional where all digits are needed for it,
/// else with an exponent. Trailing zeros of an exact value are left out.
fn format_decimal(negative: bool, digits: &str, exponent: i64, exact: bool) -> DecimalResult {
    const LEADING_ZEROS_MAX: i64 = 5;
    let count = digits.len() as i64;
    let error_bound = if exact {
        "0".into()
    } else {
        format!("5e{}", exponent - count)
    };
    let kept = if exact {
        digits.trim_end_matches('0')
    } else {
        digits
    };
    let mut text = String::from(if negative { "-" } else { "" });
    if (0..count).contains(&exponent) {
        let whole = exponent as usize + 1;
        text.push_str(&digits[..whole]);
        if kept.len() > whole {
            text.push('.');
            text.push_str(&kept[whole..]);
        }
    } else if exponent < 0 && -exponent <= LEADING_ZEROS_MAX {
        text.push_str("0.");
        text.extend(std::iter::repeat_n('0', (-exponent - 1) as usize));
        text.push_str(kept);
    } else {
        text.push_str(&kept[..1]);
        if kept.len() > 1 {
            text.push('.');
            text.push_str(&kept[1..]);
        }
        text.push_str(&format!("e{exponent:+}"));
    }
    DecimalResult {
        text,
        exact,
        error_bound,
        vanishing: false,
    }
}

fn undecided_error(column: usize, name: &str, digits: usize) -> ToolError {
    ToolError::numeric("/expression", format_args!("{name} at column {column} cannot be decided: the numbers it depends on agree to more than {digits} digits")).reason("undecided").hint("simplify the expression: it compares or rounds two forms of one number")
}
