//! Cells as small numbers: equal cells have equal numbers, in one column or in the columns of two tables.

use std::collections::HashMap;
use std::hash::Hash;

use arrow_array::{Array as _, Int64Array};
use foldhash::fast::FixedState;

use crate::cell::{DecimalNumber, TableCell};
use crate::column::TableColumn;
use crate::error::{StopCheck, TableError, check_row};

/// The code of missing cells.
pub(crate) const MISSING_CODE: u32 = 0;

type CodeMap<K> = HashMap<K, u32, FixedState>;

/// What is compared of a cell: numbers by value, whatever their type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum KeyAtom<'a> {
    /// The bits of a double, without a negative zero.
    Number(u64),
    /// An integer that no double is.
    Integer(i64),
    /// A decimal of more digits than a double tells apart.
    Decimal(i128, i8),
    Text(&'a str),
    Boolean(bool),
    Date(i32),
    Moment(i64),
}

impl<'a> KeyAtom<'a> {
    fn of(cell: TableCell<'a>) -> Option<Self> {
        Some(match cell {
            TableCell::Missing => return None,
            TableCell::Double(value) => Self::Number((value + 0.0).to_bits()),
            TableCell::Integer(value) => Self::of_integer(value),
            TableCell::Decimal(value) => Self::of_decimal(value),
            TableCell::Text(text) => Self::Text(text),
            TableCell::Boolean(value) => Self::Boolean(value),
            TableCell::Date(date) => Self::Date(date.0),
            TableCell::Moment(moment) => Self::Moment(moment.micros),
        })
    }

    fn of_integer(value: i64) -> Self {
        let double = value as f64;
        match double as i128 == i128::from(value) {
            true => Self::Number(double.to_bits()),
            false => Self::Integer(value),
        }
    }

    fn of_decimal(value: DecimalNumber) -> Self {
        /// Digits that every double tells apart.
        const DIGITS: u32 = 15;
        let DecimalNumber {
            mut units,
            mut scale,
        } = value;
        while scale > 0 && units % 10 == 0 {
            (units, scale) = (units / 10, scale - 1);
        }
        match i64::try_from(units) {
            Ok(integer) if scale == 0 => Self::of_integer(integer),
            _ if units.unsigned_abs() < 10_u128.pow(DIGITS) => {
                let number = DecimalNumber { units, scale };
                Self::Number((number.to_double() + 0.0).to_bits())
            }
            _ => Self::Decimal(units, scale),
        }
    }
}

/// The code of each cell of some columns, from 1: equal cells have equal codes, in all of the columns; [`MISSING_CODE`] for missing ones.
pub(crate) fn codes_of<const COUNT: usize>(
    columns: [&TableColumn; COUNT],
    stop: StopCheck<'_>,
) -> Result<[Vec<u32>; COUNT], TableError> {
    let mut codes = [const { Vec::new() }; COUNT];
    let places = codes.iter_mut();
    let integers = columns.iter().map(|column| match column {
        TableColumn::Integer(array) => Some(array),
        _ => None,
    });
    if let Some(integers) = integers.collect::<Option<Vec<_>>>() {
        let mut interner = IntegerInterner::new(&integers);
        for (codes, column) in places.zip(integers) {
            *codes = interner.codes(column, stop)?;
        }
    } else {
        let mut interner = KeyInterner::default();
        for (codes, column) in places.zip(columns) {
            *codes = interner.codes(column, stop)?;
        }
    }
    Ok(codes)
}

/// As [`codes_of`], of one column.
pub(crate) fn codes_of_column(
    column: &TableColumn,
    stop: StopCheck<'_>,
) -> Result<Vec<u32>, TableError> {
    let [codes] = codes_of([column], stop)?;
    Ok(codes)
}

/// Gives equal integers the same code: by a list where their range is not much larger than their number, else by a map.
struct IntegerInterner {
    low: i64,
    /// The code of `low` and of those after it; empty where the map has them.
    list: Vec<u32>,
    map: CodeMap<i64>,
    next: u32,
}

impl IntegerInterner {
    fn new(columns: &[&Int64Array]) -> Self {
        /// Most entries of the list for each cell.
        const SPREAD: u64 = 4;
        let values = || columns.iter().flat_map(|column| column.iter().flatten());
        let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        let cells: usize = columns.iter().map(|column| column.len()).sum();
        let range = high.abs_diff(low);
        let list = match range < SPREAD * cells as u64 {
            true => vec![MISSING_CODE; range as usize + 1],
            false => Vec::new(),
        };
        Self {
            low,
            list,
            map: CodeMap::default(),
            next: MISSING_CODE + 1,
        }
    }

    fn code(&mut self, value: i64) -> u32 {
        let code = match self.list.get_mut(value.abs_diff(self.low) as usize) {
            Some(code) => code,
            None => self.map.entry(value).or_insert(MISSING_CODE),
        };
        if *code == MISSING_CODE {
            *code = self.next;
            self.next += 1;
        }
        *code
    }

    fn codes(&mut self, column: &Int64Array, stop: StopCheck<'_>) -> Result<Vec<u32>, TableError> {
        let mut codes = Vec::with_capacity(column.len());
        for (row, cell) in column.iter().enumerate() {
            check_row(row, stop)?;
            codes.push(cell.map_or(MISSING_CODE, |value| self.code(value)));
        }
        Ok(codes)
    }
}

/// Gives equal cells of one or several columns the same code.
#[derive(Debug, Default)]
struct KeyInterner<'a> {
    atoms: CodeMap<KeyAtom<'a>>,
}

impl<'a> KeyInterner<'a> {
    fn code(&mut self, cell: TableCell<'a>) -> u32 {
        let next = self.atoms.len() as u32 + 1;
        match KeyAtom::of(cell) {
            None => MISSING_CODE,
            Some(atom) => *self.atoms.entry(atom).or_insert(next),
        }
    }

    fn codes(
        &mut self,
        column: &'a TableColumn,
        stop: StopCheck<'_>,
    ) -> Result<Vec<u32>, TableError> {
        let mut codes = Vec::with_capacity(column.len());
        if let TableColumn::Text(texts) = column {
            // Each entry is looked up once, when a cell has it.
            let mut known = vec![MISSING_CODE; texts.entries().iter().len()];
            for row in 0..column.len() {
                check_row(row, stop)?;
                codes.push(match texts.key(row) {
                    None => MISSING_CODE,
                    Some(key) => {
                        if known[key] == MISSING_CODE {
                            known[key] = self.code(TableCell::Text(texts.entries().value(key)));
                        }
                        known[key]
                    }
                });
            }
            return Ok(codes);
        }
        for (row, cell) in column.cells().enumerate() {
            check_row(row, stop)?;
            codes.push(self.code(cell));
        }
        Ok(codes)
    }
}

/// Rows by what they have in some columns; groups are numbered in the order of their first rows.
#[derive(Debug)]
pub(crate) struct RowGroups {
    /// The group of each row.
    pub(crate) groups: Vec<u32>,
    /// The first row of each group.
    pub(crate) first_rows: Vec<u32>,
}

impl RowGroups {
    /// Groups rows; a missing cell is a value of its own. Without columns all rows are one group.
    pub(crate) fn new(
        columns: &[&TableColumn],
        rows: usize,
        stop: StopCheck<'_>,
    ) -> Result<Self, TableError> {
        let mut columns = columns.iter();
        let mut codes = match columns.next() {
            None => vec![0; rows],
            Some(first) => codes_of_column(first, stop)?,
        };
        for column in columns {
            let more = codes_of_column(column, stop)?;
            codes = PairCodes::default().join(&codes, &more, stop)?;
        }
        Self::of_codes(&codes, stop)
    }

    fn of_codes(codes: &[u32], stop: StopCheck<'_>) -> Result<Self, TableError> {
        const NO_GROUP: u32 = u32::MAX;
        let most = codes.iter().copied().max().unwrap_or(0) as usize;
        // Codes are not larger than the number of rows.
        let mut numbers = vec![NO_GROUP; most + 1];
        let mut first_rows = Vec::new();
        let mut groups = Vec::with_capacity(codes.len());
        for (row, code) in codes.iter().enumerate() {
            check_row(row, stop)?;
            let number = &mut numbers[*code as usize];
            if *number == NO_GROUP {
                *number = first_rows.len() as u32;
                first_rows.push(row as u32);
            }
            groups.push(*number);
        }
        Ok(Self { groups, first_rows })
    }

    /// The rows of each group, in their order.
    pub(crate) fn members(&self) -> GroupMembers {
        GroupMembers::new(&self.groups, self.first_rows.len())
    }
}

/// Codes of pairs of codes, the same for all rows that are joined through it.
#[derive(Debug, Default)]
pub(crate) struct PairCodes(CodeMap<(u32, u32)>);

impl PairCodes {
    /// The code of each pair, from 1.
    pub(crate) fn join(
        &mut self,
        one: &[u32],
        two: &[u32],
        stop: StopCheck<'_>,
    ) -> Result<Vec<u32>, TableError> {
        let mut joined = Vec::with_capacity(one.len());
        for (row, pair) in one.iter().zip(two).enumerate() {
            check_row(row, stop)?;
            let next = self.0.len() as u32 + 1;
            joined.push(*self.0.entry((*pair.0, *pair.1)).or_insert(next));
        }
        Ok(joined)
    }
}

/// Rows by group, those of each group in their order.
#[derive(Debug)]
pub(crate) struct GroupMembers {
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl GroupMembers {
    pub(crate) fn new(groups: &[u32], count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        for group in groups {
            starts[*group as usize + 1] += 1;
        }
        for group in 0..count {
            starts[group + 1] += starts[group];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; groups.len()];
        for (row, group) in groups.iter().enumerate() {
            let place = &mut next[*group as usize];
            rows[*place] = row as u32;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a group.
    pub(crate) fn rows(&self, group: usize) -> &[u32] {
        &self.rows[self.starts[group]..self.starts[group + 1]]
    }

    /// The rows of every group.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.rows(group))
    }
}
