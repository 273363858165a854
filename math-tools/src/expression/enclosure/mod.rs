//! Expressions over intervals: bounds of the values and of the slopes, with what is known of domain and continuity.
//!
//! The arithmetic is that of [`kernels::roots::interval`]; slopes follow by forward accumulation. Numbers of a text are the decimals
//! that are spelled there: one that is no short binary fraction counts with the doubles beside it.

use kernels::roots::interval::{Interval, IntervalImage};

mod functions;

use self::functions::image_and_slope;
use super::Expression;
use super::ast::AstKind;
use super::evaluate::{Arithmetic, EvaluationFault, ValueError};
use super::functions::{Binary, Unary};
use super::rows;

/// What is known of an expression on a box.
#[derive(Debug, Clone)]
pub(crate) struct BoxEnclosure {
    /// Holds every value.
    pub(crate) values: Interval,
    /// By variable; where the expression is continuous, the slopes between any two points of the box.
    pub(crate) slopes: Vec<Interval>,
    /// Whether it is defined on the whole box.
    pub(crate) is_defined: bool,
    /// Whether it is continuous.
    pub(crate) is_continuous: bool,
}

/// A function without a form over intervals, by name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoIntervalForm(pub(crate) &'static str);

impl Expression {
    /// Doubles that bounds with the slopes by `n` variables take at a time: defined columns, and those at work.
    pub(crate) fn enclosed(&self, n: usize) -> usize {
        const AT_WORK: usize = 4;
        /// Of a row: two ends, flags, and the list of slopes.
        const EACH: usize = 8;
        let nodes = self.ast().nodes();
        let rows = self.numbers() / nodes.len();
        let defined = nodes
            .iter()
            .filter(|node| matches!(node.kind, AstKind::Define(_)));
        let columns = AT_WORK + defined.count();
        columns.saturating_mul(rows).saturating_mul(EACH + 2 * n)
    }

    /// Bounds over a box, an interval for each slot, with the slopes by the first `n` variables; `None` where it is defined nowhere.
    ///
    /// # Errors
    /// The first function that is not known over intervals.
    pub(crate) fn enclosure(
        &self,
        slots: &[Interval],
        n: usize,
    ) -> Result<Option<BoxEnclosure>, NoIntervalForm> {
        let mut boxes = BoxArithmetic { slots, n };
        match rows::evaluate_over_rows(self.ast(), &mut boxes) {
            Ok(found) => Ok(Some(found)),
            Err(err) if is_empty(&err) => Ok(None),
            Err(err) => Err(NoIntervalForm(err.name)),
        }
    }
}

fn is_empty(err: &ValueError) -> bool {
    matches!(
        err.fault,
        EvaluationFault::Domain | EvaluationFault::DivisionByZero | EvaluationFault::Outside
    )
}

struct BoxArithmetic<'a> {
    slots: &'a [Interval],
    n: usize,
}

impl BoxArithmetic<'_> {
    fn constant(&self, values: Interval) -> BoxEnclosure {
        BoxEnclosure {
            values,
            slopes: vec![Interval::ZERO; self.n],
            is_defined: true,
            is_continuous: true,
        }
    }
}

fn continuous_image(values: Interval) -> IntervalImage {
    IntervalImage {
        values,
        is_defined: true,
        is_continuous: true,
    }
}

fn interval_one() -> Interval {
    Interval::point(1.0)
}

/// Whether a decimal is the double that was read: at most six places after the point, and a multiple of 1/64.
fn is_exact(value: f64, text: &str) -> bool {
    let places = text.split_once('.').map_or(0, |(_, places)| places.len());
    let plain = !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_whole = value.fract() == 0.0 && places == 0 && value.abs() < 9e15;
    plain && (is_whole || places <= 6 && value.abs() < 1e6 && (64.0 * value).fract() == 0.0)
}

impl BoxEnclosure {
    fn through(&self, (image, slope): (IntervalImage, Interval)) -> Self {
        let times = |own: &Interval| {
            if *own == Interval::ZERO {
                *own
            } else {
                slope.times(*own).hull()
            }
        };
        Self {
            values: image.values,
            slopes: self.slopes.iter().map(times).collect(),
            is_defined: self.is_defined && image.is_defined,
            is_continuous: self.is_continuous && image.is_continuous,
        }
    }

    /// A function of two operands by its image and its slopes along both.
    fn joined(&self, other: &Self, image: IntervalImage, slopes: (Interval, Interval)) -> Self {
        let times = |slope: Interval, own: Interval| {
            if own == Interval::ZERO {
                own
            } else {
                slope.times(own).hull()
            }
        };
        let pairs = self.slopes.iter().zip(&other.slopes);
        Self {
            values: image.values,
            slopes: pairs
                .map(|(a, b)| times(slopes.0, *a).plus(times(slopes.1, *b)).hull())
                .collect(),
            is_defined: self.is_defined && other.is_defined && image.is_defined,
            is_continuous: self.is_continuous && other.is_continuous && image.is_continuous,
        }
    }

    fn is_constant(&self) -> bool {
        self.slopes.iter().all(|slope| *slope == Interval::ZERO)
    }
}

impl Arithmetic for BoxArithmetic<'_> {
    type Value = BoxEnclosure;

    fn number(&mut self, value: f64, text: &str) -> Result<BoxEnclosure, EvaluationFault> {
        let values = if is_exact(value, text) {
            Interval::point(value)
        } else {
            Interval::near(value)
        };
        Ok(self.constant(values))
    }

    fn datum(&mut self, value: f64) -> Result<BoxEnclosure, EvaluationFault> {
        // The double itself, as at points.
        Ok(self.constant(Interval::point(value)))
    }

    fn log_sum_exp(&mut self, values: &[BoxEnclosure]) -> Result<BoxEnclosure, EvaluationFault> {
        const SHARE: Interval = Interval::new(0.0, 1.0);
        // Shifted by a number: the shift cancels, whatever it is.
        let largest = values.iter().map(|value| value.values.hull().hi);
        let largest = largest.fold(f64::NEG_INFINITY, f64::max);
        let shift = Interval::point(if largest.is_finite() { largest } else { 0.0 });
        let mut terms = Vec::with_capacity(values.len());
        for value in values {
            terms.push(
                image_and_slope(Unary::Exp, value.values.minus(shift))?
                    .0
                    .values,
            );
        }
        let sum = terms
            .iter()
            .fold(Interval::ZERO, |sum, term| sum.plus(*term));
        let (logarithm, _) = image_and_slope(Unary::Ln, sum)?;
        // The slope is a mean of those of the values, and so among them.
        let share = |term: &Interval| {
            let found = term.over(sum).map(|image| image.values.hull());
            let found = found.and_then(|found| found.intersect(SHARE));
            found.unwrap_or(SHARE)
        };
        let shares: Vec<Interval> = terms.iter().map(share).collect();
        let slope = |slot: usize| {
            let slopes = values.iter().map(|value| value.slopes[slot].hull());
            let among = slopes.clone().reduce(Interval::union);
            let terms = shares
                .iter()
                .zip(slopes)
                .map(|(share, slope)| share.times(slope));
            let mean = terms.fold(Interval::ZERO, Interval::plus).hull();
            among
                .and_then(|among| mean.intersect(among))
                .unwrap_or(mean)
        };
        Ok(BoxEnclosure {
            values: logarithm.values.plus(shift),
            slopes: (0..self.n).map(slope).collect(),
            is_defined: values.iter().all(|value| value.is_defined),
            is_continuous: values.iter().all(|value| value.is_continuous),
        })
    }

    fn variable(&self, slot: usize) -> BoxEnclosure {
        let mut found = self.constant(self.slots.get(slot).copied().unwrap_or(Interval::WHOLE));
        if let Some(slope) = found.slopes.get_mut(slot) {
            *slope = interval_one();
        }
        found
    }

    fn function(&mut self, op: Unary, x: &BoxEnclosure) -> Result<BoxEnclosure, EvaluationFault> {
        Ok(x.through(image_and_slope(op, x.values)?))
    }

    fn operation(
        &mut self,
        op: Binary,
        a: &BoxEnclosure,
        b: &BoxEnclosure,
    ) -> Result<BoxEnclosure, EvaluationFault> {
        let (x, y) = (a.values, b.values);
        let with = |values: Interval, slopes| Ok(a.joined(b, continuous_image(values), slopes));
        match op {
            Binary::Add => with(x.plus(y), (interval_one(), interval_one())),
            Binary::Sub => with(x.minus(y), (interval_one(), interval_one().negated())),
            Binary::Mul => with(x.times(y), (y, x)),
            Binary::Div => {
                let image = x.over(y).ok_or(EvaluationFault::DivisionByZero)?;
                let inverse = y
                    .reciprocal()
                    .ok_or(EvaluationFault::DivisionByZero)?
                    .values;
                Ok(a.joined(b, image, (inverse, image.values.times(inverse).negated())))
            }
            Binary::Pow => power_enclosure(a, b),
            Binary::Min | Binary::Max => {
                let (x, y) = (x.hull(), y.hull());
                let is_min = op == Binary::Min;
                let pick = |p: f64, q: f64| if is_min { p.min(q) } else { p.max(q) };
                let values = Interval::new(pick(x.lo, y.lo), pick(x.hi, y.hi));
                let (first, second) = if is_min { (x, y) } else { (y, x) };
                let share = Interval::new(0.0, 1.0);
                let slopes = if first.hi < second.lo {
                    (interval_one(), Interval::ZERO)
                } else if second.hi < first.lo {
                    (Interval::ZERO, interval_one())
                } else {
                    // The slope of one of them: the hull of both, which the sum of shares would widen.
                    let mut found = a.joined(b, continuous_image(values), (share, share));
                    for (slope, (p, q)) in
                        found.slopes.iter_mut().zip(a.slopes.iter().zip(&b.slopes))
                    {
                        *slope = p.union(*q);
                    }
                    return Ok(found);
                };
                with(values, slopes)
            }
            Binary::Hypot => {
                let (square, other) = (
                    self.function(Unary::Square, a)?,
                    self.function(Unary::Square, b)?,
                );
                let sum = self.operation(Binary::Add, &square, &other)?;
                self.function(Unary::Sqrt, &sum)
            }
            Binary::LogBase => {
                let (a, b) = (self.function(Unary::Ln, a)?, self.function(Unary::Ln, b)?);
                self.operation(Binary::Div, &a, &b)
            }
            Binary::FloorDiv | Binary::Mod => {
                let quotient = self.operation(Binary::Div, a, b)?;
                let whole = self.function(Unary::Floor, &quotient)?;
                if op == Binary::FloorDiv {
                    return Ok(whole);
                }
                let multiple = self.operation(Binary::Mul, &whole, b)?;
                self.operation(Binary::Sub, a, &multiple)
            }
            Binary::Atan2 if y.sign() > 0 => {
                let quotient = self.operation(Binary::Div, a, b)?;
                self.function(Unary::Atan, &quotient)
            }
            _ if op.is_comparison() => Ok(compare_enclosures(op, a, b)),
            _ => Err(EvaluationFault::Unsupported),
        }
    }

    fn is_zero(&mut self, x: &BoxEnclosure) -> Result<bool, EvaluationFault> {
        match (x.values.contains(0.0), x.values == Interval::ZERO) {
            (false, _) => Ok(false),
            (_, true) => Ok(true),
            _ => Err(EvaluationFault::Undecided),
        }
    }

    fn select(
        &mut self,
        condition: &BoxEnclosure,
        branches: [Result<BoxEnclosure, ValueError>; 2],
    ) -> Result<Result<BoxEnclosure, ValueError>, EvaluationFault> {
        let [then, otherwise] = branches;
        let mut chosen = match self.is_zero(condition) {
            Ok(true) => otherwise,
            Ok(false) => then,
            Err(_) => match (then, otherwise) {
                (Ok(a), Ok(b)) => Ok(BoxEnclosure {
                    values: a.values.union(b.values),
                    slopes: vec![Interval::WHOLE; self.n],
                    is_defined: a.is_defined && b.is_defined,
                    is_continuous: false,
                }),
                (Ok(found), Err(err)) | (Err(err), Ok(found)) if is_empty(&err) => {
                    Ok(BoxEnclosure {
                        is_defined: false,
                        ..found
                    })
                }
                (Err(err), Ok(_)) | (Ok(_), Err(err)) => Err(err),
                (Err(a), Err(b)) => Err(if is_empty(&a) { b } else { a }),
            },
        };
        if let Ok(found) = &mut chosen {
            found.is_defined &= condition.is_defined;
        }
        Ok(chosen)
    }
}

fn compare_enclosures(op: Binary, a: &BoxEnclosure, b: &BoxEnclosure) -> BoxEnclosure {
    let (x, y) = (a.values.hull(), b.values.hull());
    // Whether it holds everywhere, nowhere, or is not known.
    let less = |x: Interval, y: Interval, or_equal: bool| {
        if x.hi < y.lo || or_equal && x.hi <= y.lo {
            Some(true)
        } else if x.lo > y.hi || !or_equal && x.lo >= y.hi {
            Some(false)
        } else {
            None
        }
    };
    let equal = if x.hi < y.lo || y.hi < x.lo {
        Some(false)
    } else if x.lo == x.hi && x == y {
        Some(true)
    } else {
        None
    };
    let holds = match op {
        Binary::Less => less(x, y, false),
        Binary::LessEqual => less(x, y, true),
        Binary::Greater => less(y, x, false),
        Binary::GreaterEqual => less(y, x, true),
        Binary::Equal => equal,
        _ => equal.map(|equal| !equal),
    };
    let values = match holds {
        Some(true) => interval_one(),
        Some(false) => Interval::ZERO,
        None => Interval::new(0.0, 1.0),
    };
    let image = IntervalImage {
        is_continuous: holds.is_some(),
        ..continuous_image(values)
    };
    a.joined(b, image, (Interval::ZERO, Interval::ZERO))
}

fn power_enclosure(a: &BoxEnclosure, b: &BoxEnclosure) -> Result<BoxEnclosure, EvaluationFault> {
    const WHOLE_MAX: f64 = 1024.0;
    let (x, y) = (a.values, b.values);
    let is_whole =
        y.lo == y.hi && y.lo.fract() == 0.0 && y.lo.abs() <= WHOLE_MAX && b.is_constant();
    if is_whole {
        let n = y.lo.abs() as u32;
        let image = if y.lo < 0.0 {
            x.power(n)
                .reciprocal()
                .ok_or(EvaluationFault::DivisionByZero)?
        } else {
            continuous_image(x.power(n))
        };
        let slope = if y.lo == 0.0 {
            Interval::ZERO
        } else if y.lo > 0.0 {
            y.times(x.power(n - 1))
        } else {
            y.times(
                x.power(n + 1)
                    .reciprocal()
                    .ok_or(EvaluationFault::DivisionByZero)?
                    .values,
            )
        };
        return Ok(a.joined(b, image, (slope, Interval::ZERO)));
    }
    let image = x.real_power(y).ok_or(EvaluationFault::Domain)?;
    let lower = x
        .real_power(y.minus(interval_one()))
        .ok_or(EvaluationFault::Domain)?;
    let log = image_and_slope(Unary::Ln, x).map_or(Interval::WHOLE, |(image, _)| image.values);
    Ok(a.joined(b, image, (y.times(lower.values), image.values.times(log))))
}
