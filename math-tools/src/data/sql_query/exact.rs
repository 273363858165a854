//! Aggregates whose value does not depend on the order of the rows: `sum`, `total`, `avg`, and `var`, `std` and `corr`, which SQLite has not.
//!
//! The rules of SQLite hold but for the rounding: a sum of integers is an integer, of nothing null, and a text counts as the number that it
//! begins with.

use ::tables::exact_sum::{DoubleMoments, ExactCorrelation, ExactMoments, ExactSum};
use rusqlite::functions::{Aggregate, Context, FunctionFlags, WindowAggregate};
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, Error, Result};

/// A value of moments.
type ReadMoments = fn(&ExactMoments) -> Option<f64>;

/// Puts the aggregates in place of those of SQLite.
pub(super) fn install_aggregates(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, read) in [
        ("sum", SumResult::Sum),
        ("total", SumResult::Total),
        ("avg", SumResult::Mean),
    ] {
        connection.create_window_function(name, 1, flags, ExactSumFunction(read))?;
    }
    let moments: [(&str, ReadMoments); 6] = [
        ("var", ExactMoments::variance),
        ("var_samp", ExactMoments::variance),
        ("variance", ExactMoments::variance),
        ("std", ExactMoments::deviation),
        ("stddev", ExactMoments::deviation),
        ("stddev_samp", ExactMoments::deviation),
    ];
    for (name, read) in moments {
        connection.create_window_function(name, 1, flags, MomentFunction(read))?;
    }
    connection.create_aggregate_function("corr", 2, flags, CorrelationFunction)
}

/// A number of a cell.
#[derive(Clone, Copy)]
enum SqlNumber {
    Integer(i64),
    Real(f64),
}

/// The number that SQLite reads in a cell; `None` of null.
fn number_of(cell: ValueRef<'_>) -> Option<SqlNumber> {
    Some(match cell {
        ValueRef::Null => return None,
        ValueRef::Integer(value) => SqlNumber::Integer(value),
        ValueRef::Real(value) => SqlNumber::Real(value),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            number_of_text(&String::from_utf8_lossy(text))
        }
    })
}

/// The number of a text, the number that it begins with, or 0.
fn number_of_text(text: &str) -> SqlNumber {
    let text = text.trim_matches(|letter: char| letter.is_ascii_whitespace());
    if let Ok(integer) = text.parse() {
        return SqlNumber::Integer(integer);
    }
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let whole = digits(end);
    end += whole;
    let mut fraction = 0;
    if bytes.get(end) == Some(&b'.') {
        fraction = digits(end + 1);
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        return SqlNumber::Real(0.0);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let start = end + 1 + sign;
        let exponent = bytes.get(start..).map_or(0, |_| digits(start));
        if exponent > 0 {
            end = start + exponent;
        }
    }
    SqlNumber::Real(text[..end].parse().unwrap_or(0.0))
}

/// What a sum becomes.
#[derive(Clone, Copy)]
enum SumResult {
    /// An integer of integers, else a number; null of nothing.
    Sum,
    /// A number, 0 of nothing.
    Total,
    /// The mean; null of nothing.
    Mean,
}

/// A sum in steps.
#[derive(Default)]
struct SumState {
    count: i64,
    /// How many of them are no integers.
    reals: i64,
    integers: i128,
    sum: ExactSum,
}

impl SumState {
    fn add(&mut self, number: SqlNumber, times: i64) {
        self.count += times;
        match number {
            SqlNumber::Integer(value) => {
                self.integers += i128::from(value) * i128::from(times);
                match times {
                    1 => self.sum.add_integer(value),
                    _ => self.sum.remove_integer(value),
                }
            }
            SqlNumber::Real(value) => {
                self.reals += times;
                self.sum.add(value * times as f64);
            }
        }
    }

    fn value(&self, wanted: SumResult) -> Result<SqlValue> {
        let real = |value: f64| match value.is_nan() {
            true => SqlValue::Null,
            false => SqlValue::Real(value),
        };
        Ok(match wanted {
            SumResult::Total => real(self.sum.value()),
            _ if self.count == 0 => SqlValue::Null,
            SumResult::Mean => real(self.sum.mean(self.count.unsigned_abs())),
            SumResult::Sum if self.reals > 0 => real(self.sum.value()),
            SumResult::Sum => SqlValue::Integer(
                i64::try_from(self.integers)
                    .map_err(|_| Error::UserFunctionError("integer overflow".into()))?,
            ),
        })
    }
}

struct ExactSumFunction(SumResult);

impl Aggregate<SumState, SqlValue> for ExactSumFunction {
    fn init(&self, _: &mut Context<'_>) -> Result<SumState> {
        Ok(SumState::default())
    }

    fn step(&self, context: &mut Context<'_>, state: &mut SumState) -> Result<()> {
        if let Some(number) = number_of(context.get_raw(0)) {
            state.add(number, 1);
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, state: Option<SumState>) -> Result<SqlValue> {
        state.unwrap_or_default().value(self.0)
    }
}

impl WindowAggregate<SumState, SqlValue> for ExactSumFunction {
    fn value(&self, state: Option<&mut SumState>) -> Result<SqlValue> {
        match state {
            Some(state) => state.value(self.0),
            None => SumState::default().value(self.0),
        }
    }

    fn inverse(&self, context: &mut Context<'_>, state: &mut SumState) -> Result<()> {
        if let Some(number) = number_of(context.get_raw(0)) {
            state.add(number, -1);
        }
        Ok(())
    }
}

/// A variance or a deviation with `n - 1`; null of fewer than two numbers.
struct MomentFunction(ReadMoments);

impl MomentFunction {
    fn read(&self, state: Option<&DoubleMoments>) -> Option<f64> {
        (self.0)(&state?.finish()?)
    }
}

impl Aggregate<Box<DoubleMoments>, Option<f64>> for MomentFunction {
    fn init(&self, _: &mut Context<'_>) -> Result<Box<DoubleMoments>> {
        Ok(Box::default())
    }

    fn step(&self, context: &mut Context<'_>, state: &mut Box<DoubleMoments>) -> Result<()> {
        match number_of(context.get_raw(0)) {
            None => {}
            Some(SqlNumber::Integer(value)) => state.add_integer(value),
            Some(SqlNumber::Real(value)) => state.add(value),
        }
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        state: Option<Box<DoubleMoments>>,
    ) -> Result<Option<f64>> {
        Ok(self.read(state.as_deref()))
    }
}

impl WindowAggregate<Box<DoubleMoments>, Option<f64>> for MomentFunction {
    fn value(&self, state: Option<&mut Box<DoubleMoments>>) -> Result<Option<f64>> {
        Ok(self.read(state.map(|state| &**state)))
    }

    fn inverse(&self, context: &mut Context<'_>, state: &mut Box<DoubleMoments>) -> Result<()> {
        match number_of(context.get_raw(0)) {
            None => {}
            Some(SqlNumber::Integer(value)) => state.remove_integer(value),
            Some(SqlNumber::Real(value)) => state.remove(value),
        }
        Ok(())
    }
}

/// Pearson's coefficient of the rows where both are there.
struct CorrelationFunction;

impl Aggregate<Box<ExactCorrelation>, Option<f64>> for CorrelationFunction {
    fn init(&self, _: &mut Context<'_>) -> Result<Box<ExactCorrelation>> {
        Ok(Box::default())
    }

    fn step(&self, context: &mut Context<'_>, state: &mut Box<ExactCorrelation>) -> Result<()> {
        let double = |number: SqlNumber| match number {
            SqlNumber::Integer(value) => value as f64,
            SqlNumber::Real(value) => value,
        };
        let (one, two) = (number_of(context.get_raw(0)), number_of(context.get_raw(1)));
        if let (Some(one), Some(two)) = (one, two) {
            state.add(double(one), double(two));
        }
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        state: Option<Box<ExactCorrelation>>,
    ) -> Result<Option<f64>> {
        Ok(state.and_then(|state| state.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_count_as_the_number_that_they_begin_with() {
        for (text, expected) in [
            ("12", 12.0),
            (" 1.5e2 ", 150.0),
            ("12abc", 12.0),
            ("-3.5x", -3.5),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("abc", 0.0),
            ("", 0.0),
            (".", 0.0),
            ("99999999999999999999", 1e20),
        ] {
            let found = match number_of_text(text) {
                SqlNumber::Integer(value) => value as f64,
                SqlNumber::Real(value) => value,
            };
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
