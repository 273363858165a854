//! Joins: rows of two tables side by side.

use std::collections::HashSet;
use std::sync::Arc;

use crate::cell::TableCell;
use crate::column::{NO_ROW, TableColumn};
use crate::error::{StopCheck, TableError, check_row};
use crate::keys::{GroupMembers, MISSING_CODE, PairCodes, codes_of};
use crate::table::DataTable;

/// Most rows of a join.
pub const JOIN_ROWS_MAX: usize = 50_000_000;

/// Which rows a join has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    /// Pairs of rows with equal keys.
    Inner,
    /// These, and the left rows without a partner.
    Left,
    /// These, and the right rows without a partner.
    Outer,
    /// The left rows with a partner, each once, without the columns of the right table.
    Semi,
    /// The left rows without a partner.
    Anti,
}

/// What a join compares.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JoinKeys {
    /// Columns whose cells are equal, left and right.
    pub equal: Vec<ColumnPair>,
    /// Columns of which the nearest right cell is taken.
    pub nearest: Option<NearestKey>,
}

/// A column of each of two tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnPair {
    /// Of the left table.
    pub left: String,
    /// Of the right table.
    pub right: String,
}

/// Columns of numbers, dates or times of which the nearest right cell is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct NearestKey {
    /// The columns.
    pub columns: ColumnPair,
    /// Where to look.
    pub direction: NearestDirection,
    /// The largest distance, in the unit of the column: days of dates, microseconds of times.
    pub tolerance: Option<f64>,
}

/// Where the nearest cell is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NearestDirection {
    /// At or before the left cell.
    Backward,
    /// At or after it.
    Forward,
    /// On both sides; before it where both are as near.
    Both,
}

/// A pair of rows; [`NO_ROW`] where there is no partner.
#[derive(Debug, Clone, Copy)]
struct RowPair {
    left: u32,
    right: u32,
}

/// The partners of the rows of two tables.
struct RowPairs {
    pairs: Vec<RowPair>,
    stop_at: usize,
}

impl RowPairs {
    fn push(&mut self, left: u32, right: u32) -> Result<(), TableError> {
        if self.pairs.len() == self.stop_at {
            let found = format!("more than {}", self.stop_at);
            return Err(TableError::limit("rows of a join", found, self.stop_at));
        }
        self.pairs.push(RowPair { left, right });
        Ok(())
    }
}

/// The codes of the keys of both tables; [`MISSING_CODE`] where a part of the key is missing.
struct JoinCodes {
    left: Vec<u32>,
    right: Vec<u32>,
    /// Largest code.
    most: u32,
}

impl JoinCodes {
    fn new(
        left: &DataTable,
        right: &DataTable,
        pairs: &[ColumnPair],
        stop: StopCheck<'_>,
    ) -> Result<Self, TableError> {
        let (mut one, mut two) = (vec![1; left.rows()], vec![1; right.rows()]);
        for (index, pair) in pairs.iter().enumerate() {
            let (left, right) = (left.column(&pair.left)?, right.column(&pair.right)?);
            check_types(pair, left, right)?;
            let [more_one, more_two] = codes_of([left, right], stop)?;
            if index == 0 {
                (one, two) = (more_one, more_two);
                continue;
            }
            let mut joined = PairCodes::default();
            one = join_codes(&mut joined, &one, &more_one, stop)?;
            two = join_codes(&mut joined, &two, &more_two, stop)?;
        }
        let most = one.iter().chain(&two).copied().max().unwrap_or(0);
        Ok(Self {
            left: one,
            right: two,
            most,
        })
    }
}

/// Codes of pairs; missing where one of them is.
fn join_codes(
    pairs: &mut PairCodes,
    one: &[u32],
    two: &[u32],
    stop: StopCheck<'_>,
) -> Result<Vec<u32>, TableError> {
    let mut joined = pairs.join(one, two, stop)?;
    for (code, pair) in joined.iter_mut().zip(one.iter().zip(two)) {
        if *pair.0 == MISSING_CODE || *pair.1 == MISSING_CODE {
            *code = MISSING_CODE;
        }
    }
    Ok(joined)
}

/// Texts and numbers are never equal: their join would be empty without a word.
fn check_types(
    pair: &ColumnPair,
    left: &TableColumn,
    right: &TableColumn,
) -> Result<(), TableError> {
    let (one, two) = (left.column_type(), right.column_type());
    let is_open = |column: &TableColumn| matches!(column, TableColumn::Missing(_));
    let is_alike = one.word() == two.word() || (one.is_number() && two.is_number());
    match is_alike || is_open(left) || is_open(right) {
        true => Ok(()),
        false => Err(TableError::operation(
            format_args!(
                "column `{}` is {one} and `{}` of the other table is {two}: no cell of one equals a cell of the other",
                pair.left, pair.right
            ),
            "compute a column of the same type first",
        )),
    }
}

impl DataTable {
    /// Rows of two tables side by side: the columns of the left table, and those of the right one that are no keys. A name that is taken
    /// gets a suffix. A missing cell has no partner. Rows are in the order of the left table, then of the right one.
    ///
    /// # Errors
    /// Columns that are not there or cannot be compared, a name that is taken with the suffix too, and [`JOIN_ROWS_MAX`]; a stop.
    pub fn join(
        &self,
        right: &Self,
        keys: &JoinKeys,
        kind: JoinKind,
        suffix: &str,
        stop: StopCheck<'_>,
    ) -> Result<Self, TableError> {
        if keys.equal.is_empty() && keys.nearest.is_none() {
            return Err(TableError::operation(
                "no column is compared",
                "name the columns of the keys",
            ));
        }
        let codes = JoinCodes::new(self, right, &keys.equal, stop)?;
        let members = GroupMembers::new(&codes.right, codes.most as usize + 1);
        let partners = match &keys.nearest {
            Some(nearest) => Some(NearestRows::new(self, right, nearest, &members)?),
            None => None,
        };
        let mut found = RowPairs {
            pairs: Vec::with_capacity(self.rows()),
            stop_at: JOIN_ROWS_MAX,
        };
        let mut has_partner = vec![false; right.rows()];
        for (row, code) in codes.left.iter().enumerate() {
            check_row(row, stop)?;
            let nearest;
            let partners: &[u32] = match (*code, &partners) {
                (MISSING_CODE, _) => &[],
                (code, None) => members.rows(code as usize),
                (code, Some(rows)) => {
                    nearest = rows.find(row, code as usize);
                    nearest.as_slice()
                }
            };
            let row = row as u32;
            match kind {
                JoinKind::Semi | JoinKind::Anti => {
                    if partners.is_empty() == (kind == JoinKind::Anti) {
                        found.push(row, NO_ROW)?;
                    }
                }
                _ => {
                    if partners.is_empty() && kind != JoinKind::Inner {
                        found.push(row, NO_ROW)?;
                    }
                    for partner in partners {
                        has_partner[*partner as usize] = true;
                        found.push(row, *partner)?;
                    }
                }
            }
        }
        if kind == JoinKind::Outer {
            for row in (0..right.rows()).filter(|row| !has_partner[*row]) {
                found.push(NO_ROW, row as u32)?;
            }
        }
        self.assemble(right, keys, kind, suffix, &found.pairs)
    }

    /// The columns of pairs of rows.
    fn assemble(
        &self,
        right: &Self,
        keys: &JoinKeys,
        kind: JoinKind,
        suffix: &str,
        pairs: &[RowPair],
    ) -> Result<Self, TableError> {
        let left_rows: Vec<u32> = pairs.iter().map(|pair| pair.left).collect();
        if matches!(kind, JoinKind::Semi | JoinKind::Anti) {
            return Ok(self.take(&left_rows));
        }
        let right_rows: Vec<u32> = pairs.iter().map(|pair| pair.right).collect();
        let mut columns: Vec<(Arc<str>, TableColumn)> = Vec::new();
        for (name, column) in self.iter() {
            let mut taken = column.take(&left_rows);
            let pair = keys.equal.iter().find(|pair| pair.left == **name);
            if let (JoinKind::Outer, Some(pair)) = (kind, pair) {
                taken = fill_missing_keys(taken, right.column(&pair.right)?, pairs);
            }
            columns.push((Arc::clone(name), taken));
        }
        let mut taken: HashSet<Arc<str>> = self.names().iter().map(Arc::clone).collect();
        let key_names: HashSet<&str> = keys.equal.iter().map(|pair| &*pair.right).collect();
        for (name, column) in right
            .iter()
            .filter(|(name, _)| !key_names.contains(&***name))
        {
            let name = match taken.contains(name) {
                true => format!("{name}{suffix}").into(),
                false => Arc::clone(name),
            };
            taken.insert(Arc::clone(&name));
            columns.push((name, column.take(&right_rows)));
        }
        Self::new(columns)
    }
}

/// The keys of rows that the left table has not, from the right one, where both columns have one type; else they stay missing.
fn fill_missing_keys(left: TableColumn, right: &TableColumn, pairs: &[RowPair]) -> TableColumn {
    let is_new = |pair: &&RowPair| pair.left == NO_ROW;
    let new_rows: Vec<u32> = pairs.iter().filter(is_new).map(|pair| pair.right).collect();
    let old = left.len() - new_rows.len();
    let filled = left.slice(0, old).concat(&right.take(&new_rows));
    filled.unwrap_or(left)
}

/// The right rows of each key in the order of the cells that are to be near.
struct NearestRows {
    left: Vec<Option<f64>>,
    /// Rows of each key, without those whose cell is missing.
    sorted: Vec<Vec<NearestRow>>,
    direction: NearestDirection,
    tolerance: f64,
}

#[derive(Debug, Clone, Copy)]
struct NearestRow {
    place: f64,
    row: u32,
}

impl NearestRows {
    fn new(
        left: &DataTable,
        right: &DataTable,
        key: &NearestKey,
        members: &GroupMembers,
    ) -> Result<Self, TableError> {
        let (one, two) = (
            left.column(&key.columns.left)?,
            right.column(&key.columns.right)?,
        );
        check_types(&key.columns, one, two)?;
        let left = places(&key.columns.left, one)?;
        let places = places(&key.columns.right, two)?;
        let of_key = |rows: &[u32]| {
            let row = |row: &u32| {
                let place = places[*row as usize]?;
                Some(NearestRow { place, row: *row })
            };
            let mut sorted: Vec<NearestRow> = rows.iter().filter_map(row).collect();
            sorted.sort_by(|one, two| one.place.total_cmp(&two.place));
            sorted
        };
        Ok(Self {
            left,
            sorted: members.iter().map(of_key).collect(),
            direction: key.direction,
            tolerance: key.tolerance.unwrap_or(f64::INFINITY),
        })
    }

    /// The nearest row, if there is one: of several of one place the last before, and the first after.
    fn find(&self, row: usize, key: usize) -> Option<u32> {
        let place = self.left[row]?;
        let rows = &self.sorted[key];
        let after_equal = rows.partition_point(|one| one.place <= place);
        let first_equal = rows.partition_point(|one| one.place < place);
        let before = after_equal.checked_sub(1).map(|index| rows[index]);
        let after = rows.get(first_equal).copied();
        let distance = |one: &NearestRow| (one.place - place).abs();
        let chosen = match self.direction {
            NearestDirection::Backward => before,
            NearestDirection::Forward => after,
            NearestDirection::Both => match (before, after) {
                (Some(before), Some(after)) if distance(&after) < distance(&before) => Some(after),
                (before, after) => before.or(after),
            },
        };
        let chosen = chosen.filter(|one| distance(one) <= self.tolerance)?;
        Some(chosen.row)
    }
}

/// The cells of a column on a line.
fn places(name: &str, column: &TableColumn) -> Result<Vec<Option<f64>>, TableError> {
    let place = |cell: TableCell<'_>| match cell {
        TableCell::Date(date) => Some(f64::from(date.0)),
        TableCell::Moment(moment) => Some(moment.micros as f64),
        cell => cell.as_double(),
    };
    match column {
        TableColumn::Text(_) | TableColumn::Boolean(_) => Err(TableError::ColumnType {
            column: name.to_owned(),
            expected: "numbers, dates or times",
            found: column.column_type().to_string(),
        }),
        _ => Ok(column.cells().map(place).collect()),
    }
}
