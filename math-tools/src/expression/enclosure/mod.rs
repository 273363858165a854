//! Expressions over intervals: bounds of the values and of the slopes, with what is known of domain and continuity.
//!
//! The arithmetic is that of [`numerics::roots::interval`]; slopes follow by forward accumulation. Numbers of a text are the decimals
//! that are spelled there: one that is no short binary fraction counts with the doubles beside it.

use numerics::roots::interval::Interval;

pub(crate) mod bounds;
pub(crate) mod images;

pub(crate) use self::bounds::BoxEnclosure;

use self::images::{exponential_image, interval_one, natural_logarithm_image};
use super::Expression;
use super::ast::AstKind;
use super::evaluate::Arithmetic;
use super::fault::{EvaluationFault, ValueError};
use super::functions::{BinaryDefinition, UnaryDefinition};
use super::rows;

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
            let (term, _) = exponential_image(value.values.minus(shift))?;
            terms.push(term.values);
        }
        let sum = terms
            .iter()
            .fold(Interval::ZERO, |sum, term| sum.plus(*term));
        let (logarithm, _) = natural_logarithm_image(sum)?;
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

    fn function(
        &mut self,
        op: &UnaryDefinition,
        x: &BoxEnclosure,
    ) -> Result<BoxEnclosure, EvaluationFault> {
        x.through(|x| op.image_and_slope(x))
    }

    fn operation(
        &mut self,
        op: &BinaryDefinition,
        a: &BoxEnclosure,
        b: &BoxEnclosure,
    ) -> Result<BoxEnclosure, EvaluationFault> {
        op.enclosure(a, b)
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
