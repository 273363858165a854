//! The order of rows: missing cells last in both directions, equal rows as they stood.

use arrow_array::Array;

use crate::column::TableColumn;
use crate::error::{StopCheck, TableError};
use crate::table::DataTable;

/// A column to sort by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortKey {
    /// The column.
    pub column: String,
    /// Whether the largest cell comes first.
    pub is_descending: bool,
}

/// A cell as a number of the same order; a missing one is after all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OrderCode {
    is_missing: bool,
    code: u64,
}

impl OrderCode {
    /// The code for the opposite direction.
    fn reverse(self) -> Self {
        Self {
            code: !self.code,
            ..self
        }
    }

    pub(crate) fn is_missing(self) -> bool {
        self.is_missing
    }
}

/// The place of each cell in the order of its type: numbers by value, texts by their characters, `false` before `true`.
pub(crate) fn order_codes(column: &TableColumn) -> Vec<OrderCode> {
    const SIGN: u64 = 1 << 63;
    let of_integer = |value: i64| value as u64 ^ SIGN;
    let of_double = |value: f64| {
        let bits = (value + 0.0).to_bits();
        if bits & SIGN == 0 { bits | SIGN } else { !bits }
    };
    let codes: Box<dyn Fn(usize) -> u64 + '_> = match column {
        TableColumn::Double(array) => Box::new(move |row| of_double(array.value(row))),
        TableColumn::Integer(array) => Box::new(move |row| of_integer(array.value(row))),
        TableColumn::Boolean(array) => Box::new(|row| u64::from(array.value(row))),
        TableColumn::Date(array) => Box::new(move |row| of_integer(array.value(row).into())),
        TableColumn::Moment(array) => Box::new(move |row| of_integer(array.value(row))),
        TableColumn::Missing(_) => Box::new(|_| 0),
        TableColumn::Text(texts) => {
            let entries = texts.entries();
            let ranks = ranks_of(entries.len(), |entry| entries.value(entry));
            Box::new(move |row| texts.key(row).map_or(0, |key| ranks[key]))
        }
        TableColumn::Decimal(array) => {
            let ranks = ranks_of(array.len(), |row| array.value(row));
            Box::new(move |row| ranks[row])
        }
    };
    let of_row = |row: usize| match column.is_missing(row) {
        true => OrderCode {
            is_missing: true,
            code: 0,
        },
        false => OrderCode {
            is_missing: false,
            code: codes(row),
        },
    };
    (0..column.len()).map(of_row).collect()
}

/// The rank of each of some values; equal values have equal ranks.
fn ranks_of<T: Ord>(count: usize, value: impl Fn(usize) -> T) -> Vec<u64> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|index| value(*index));
    let mut ranks = vec![0; count];
    for pair in order.windows(2) {
        let is_new = value(pair[0]) < value(pair[1]);
        ranks[pair[1]] = ranks[pair[0]] + u64::from(is_new);
    }
    ranks
}

/// The rows of a table in the order of some columns, the first of them first.
///
/// # Errors
/// A column that the table has not; a stop.
pub fn order_rows(
    table: &DataTable,
    keys: &[SortKey],
    stop: StopCheck<'_>,
) -> Result<Vec<u32>, TableError> {
    let mut codes = Vec::with_capacity(keys.len());
    for key in keys {
        if stop() {
            return Err(TableError::Stopped);
        }
        let mut column = order_codes(table.column(&key.column)?);
        if key.is_descending {
            let reversed = column.iter_mut().filter(|code| !code.is_missing);
            reversed.for_each(|code| *code = code.reverse());
        }
        codes.push(column);
    }
    let mut rows: Vec<u32> = (0..table.rows() as u32).collect();
    sort_rows(&mut rows, &codes);
    Ok(rows)
}

/// Sorts rows by their codes in some columns; equal rows stay as they stand.
pub(crate) fn sort_rows(rows: &mut [u32], codes: &[Vec<OrderCode>]) {
    if let [only] = codes {
        return rows.sort_by_key(|row| only[*row as usize]);
    }
    rows.sort_by(|one, two| {
        let pairs = codes.iter();
        let mut orders = pairs.map(|column| column[*one as usize].cmp(&column[*two as usize]));
        orders
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    });
}
