//! Expressions over whole columns, in doubled precision where arithmetic permits, and what new rows need to know of the fitted ones.

use numerics::exact::{CompensatedSum, two_product};

use super::formula::{ArithmeticSign, ColumnFunction, NumericExpression};
use super::{DesignError, ModelColumns};

/// A column of numbers with what rounding took from them: `high + low`; `low` is empty where the numbers are exact or no more is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct PreciseColumn {
    pub high: Vec<f64>,
    pub low: Vec<f64>,
}

impl PreciseColumn {
    pub(super) fn new(high: Vec<f64>) -> Self {
        Self {
            high,
            low: Vec::new(),
        }
    }

    fn entry(&self, row: usize) -> CompensatedSum {
        CompensatedSum {
            high: self.high[row],
            low: self.low.get(row).copied().unwrap_or(0.0),
        }
    }

    fn from_entries(entries: impl Iterator<Item = CompensatedSum>) -> Self {
        let mut out = Self::default();
        for entry in entries {
            out.high.push(entry.high);
            // What overflowed in the splitting has no rest.
            out.low.push(if entry.low.is_finite() {
                entry.low
            } else {
                0.0
            });
        }
        if out.low.iter().all(|low| *low == 0.0) {
            out.low = Vec::new();
        }
        out
    }

    /// The product row by row.
    pub(super) fn times(&self, other: &Self) -> Self {
        let product = |row: usize| precise_product(self.entry(row), other.entry(row));
        Self::from_entries((0..self.high.len()).map(product))
    }
}

/// The product to about 31 digits, or the plain one where the splitting overflows.
fn precise_product(one: CompensatedSum, two: CompensatedSum) -> CompensatedSum {
    let product = one.times(two);
    match product.high.is_finite() && product.low.is_finite() {
        true => product,
        false => CompensatedSum::new(one.high * two.high),
    }
}

/// What functions of a whole column learn of the fitted rows and replay on new ones: means, deviations, polynomials.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ColumnMemory {
    facts: Vec<Vec<f64>>,
    next: usize,
    is_replay: bool,
}

impl ColumnMemory {
    /// The same facts for new rows, from the first on.
    pub(super) fn replay(&self) -> Self {
        Self {
            facts: self.facts.clone(),
            next: 0,
            is_replay: true,
        }
    }

    /// The next fact: learnt now, or as it was learnt.
    pub(super) fn fact(
        &mut self,
        learn: impl FnOnce() -> Result<Vec<f64>, DesignError>,
    ) -> Result<Vec<f64>, DesignError> {
        if !self.is_replay {
            self.facts.push(learn()?);
        }
        let fact = self.facts.get(self.next).cloned().unwrap_or_default();
        self.next += 1;
        Ok(fact)
    }
}

/// The value of an expression in every row.
pub(super) fn evaluate_expression(
    expression: &NumericExpression,
    data: &ModelColumns,
    memory: &mut ColumnMemory,
    place: &str,
) -> Result<PreciseColumn, DesignError> {
    Ok(match expression {
        NumericExpression::Number(number) => PreciseColumn::new(vec![*number; data.rows()]),
        NumericExpression::Column(name) => PreciseColumn::new(data.numbers(name, place)?.to_vec()),
        NumericExpression::Negative(of) => {
            let mut column = evaluate_expression(of, data, memory, place)?;
            let both = column.high.iter_mut().chain(&mut column.low);
            both.for_each(|value| *value = -*value);
            column
        }
        NumericExpression::Binary(sign, left, right) => {
            let left = evaluate_expression(left, data, memory, place)?;
            if let (ArithmeticSign::Power, NumericExpression::Number(exponent)) = (sign, &**right) {
                return Ok(power_column(&left, *exponent));
            }
            let right = evaluate_expression(right, data, memory, place)?;
            let join = |row: usize| join_entries(*sign, left.entry(row), right.entry(row));
            PreciseColumn::from_entries((0..data.rows()).map(join))
        }
        NumericExpression::Function(function, of) => {
            let column = evaluate_expression(of, data, memory, place)?;
            apply_function(*function, column, memory, place)?
        }
    })
}

fn join_entries(
    sign: ArithmeticSign,
    left: CompensatedSum,
    right: CompensatedSum,
) -> CompensatedSum {
    let sum = |left: CompensatedSum, right: CompensatedSum| {
        let mut sum = left;
        sum.add(right.high);
        sum.low += right.low;
        normalised(sum)
    };
    match sign {
        ArithmeticSign::Add => sum(left, right),
        ArithmeticSign::Subtract => sum(
            left,
            CompensatedSum {
                high: -right.high,
                low: -right.low,
            },
        ),
        ArithmeticSign::Multiply => precise_product(left, right),
        ArithmeticSign::Divide => precise_quotient(left, right),
        ArithmeticSign::Power => CompensatedSum::new(left.high.powf(right.high)),
    }
}

fn normalised(sum: CompensatedSum) -> CompensatedSum {
    let high = sum.high + sum.low;
    match high.is_finite() {
        true => CompensatedSum {
            high,
            low: (sum.high - high) + sum.low,
        },
        false => CompensatedSum::new(sum.high),
    }
}

fn precise_quotient(left: CompensatedSum, right: CompensatedSum) -> CompensatedSum {
    let quotient = left.high / right.high;
    let (product, error) = two_product(quotient, right.high);
    let rest = ((left.high - product) - error + left.low - quotient * right.low) / right.high;
    match rest.is_finite() {
        true => normalised(CompensatedSum {
            high: quotient,
            low: rest,
        }),
        false => CompensatedSum::new(quotient),
    }
}

/// Whole powers by products in doubled precision.
fn power_column(base: &PreciseColumn, exponent: f64) -> PreciseColumn {
    const PRODUCTS_MAX: f64 = 64.0;
    let is_whole = exponent.fract() == 0.0 && (1.0..=PRODUCTS_MAX).contains(&exponent);
    let power = |row: usize| {
        let base = base.entry(row);
        match is_whole {
            true => (1..exponent as usize).fold(base, |power, _| precise_product(power, base)),
            false => CompensatedSum::new(base.high.powf(exponent)),
        }
    };
    PreciseColumn::from_entries((0..base.high.len()).map(power))
}

fn apply_function(
    function: ColumnFunction,
    column: PreciseColumn,
    memory: &mut ColumnMemory,
    place: &str,
) -> Result<PreciseColumn, DesignError> {
    let plain: fn(f64) -> f64 = match function {
        ColumnFunction::Log => f64::ln,
        ColumnFunction::Log2 => f64::log2,
        ColumnFunction::Log10 => f64::log10,
        ColumnFunction::Log1p => f64::ln_1p,
        ColumnFunction::Exp => f64::exp,
        ColumnFunction::Expm1 => f64::exp_m1,
        ColumnFunction::Sqrt => f64::sqrt,
        ColumnFunction::Abs => f64::abs,
        ColumnFunction::Sin => f64::sin,
        ColumnFunction::Cos => f64::cos,
        ColumnFunction::Scale | ColumnFunction::Center => {
            return standardise(function, column, memory, place);
        }
    };
    Ok(PreciseColumn::new(
        column.high.into_iter().map(plain).collect(),
    ))
}

/// The column less its mean, over its standard deviation for `scale`.
fn standardise(
    function: ColumnFunction,
    column: PreciseColumn,
    memory: &mut ColumnMemory,
    place: &str,
) -> Result<PreciseColumn, DesignError> {
    let is_scaled = function == ColumnFunction::Scale;
    let facts = memory.fact(|| {
        let n = column.high.len() as f64;
        let mean = numerics::exact::compensated_sum(&column.high)
            .divide(n)
            .value();
        let squares = column.high.iter().map(|value| (value - mean).powi(2));
        let deviation = (squares.sum::<f64>() / (n - 1.0)).sqrt();
        if is_scaled && (deviation.is_nan() || deviation <= 0.0) {
            return Err(DesignError::ConstantScale {
                factor: place.to_owned(),
            });
        }
        Ok(vec![mean, if is_scaled { deviation } else { 1.0 }])
    })?;
    let [mean, deviation] = facts[..] else {
        return Ok(column);
    };
    let values = column
        .high
        .into_iter()
        .map(|value| (value - mean) / deviation);
    Ok(PreciseColumn::new(values.collect()))
}
