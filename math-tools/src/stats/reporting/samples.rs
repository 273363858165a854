//! Numbers of a table by groups, conditions and subjects.

use std::collections::HashMap;

use ::tables::{DataTable, TableCell, TableColumn};
use statistics::hypothesis::CountTable;

use crate::data::table::{column_numbers, table_fault};
use crate::prelude::*;

/// Most groups that are compared with each other.
const GROUPS_MAX: usize = 10_000;

/// The numbers of a group, and how many cells of it have none.
#[derive(Debug, Clone, Default)]
pub(crate) struct SampleGroup {
    /// The category, as text.
    pub label: String,
    /// The numbers.
    pub values: Vec<f64>,
    /// Cells without a number.
    pub missing: usize,
}

impl SampleGroup {
    pub(crate) fn new(label: impl Into<String>, values: Vec<f64>) -> Self {
        Self {
            label: label.into(),
            values,
            missing: 0,
        }
    }
}

/// The slices of groups.
pub(crate) fn group_slices(groups: &[SampleGroup]) -> Vec<&[f64]> {
    groups.iter().map(|group| group.values.as_slice()).collect()
}

/// A column of a table by name.
fn column_of<'a>(
    table: &'a DataTable,
    name: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<&'a TableColumn, ToolError> {
    table
        .column(name)
        .map_err(|err| table_fault(err, pointer, table, ctx))
}

/// The numbers of a column; truth values are 1 and 0, missing cells `None`.
pub(crate) fn number_cells(
    table: &DataTable,
    name: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<Vec<Option<f64>>, ToolError> {
    let column = column_of(table, name, pointer, ctx)?;
    let Some(numbers) = column_numbers(column) else {
        let found = column.column_type();
        refuse!(invalid pointer, "table"; "expected a column of numbers, found `{name}`, which is {found}";
            "name a column of numbers, or compute one with `table_select`")
    };
    let infinite = numbers.iter().flatten().find(|number| number.is_infinite());
    match infinite {
        Some(found) => {
            refuse!(invalid pointer, "table"; "expected finite numbers in `{name}`, found {found}";
                "leave the row out")
        }
        None => Ok(numbers),
    }
}

/// The names of the columns that have numbers.
pub(crate) fn number_column_names(table: &DataTable) -> Vec<String> {
    let has_numbers = |column: &TableColumn| {
        column.column_type().is_number() && column.missing_count() < column.len()
    };
    let columns = table.iter().filter(|(_, column)| has_numbers(column));
    columns.map(|(name, _)| name.to_string()).collect()
}

/// The category of each row, and the names of the categories: ascending where they are numbers, otherwise by first appearance.
pub(crate) struct RowCategories {
    /// The place of the category in `labels`; `None` where the cell is missing.
    pub places: Vec<Option<usize>>,
    /// The categories.
    pub labels: Vec<String>,
}

impl RowCategories {
    pub(crate) fn new(
        table: &DataTable,
        name: &str,
        pointer: &str,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        Self::at_most(GROUPS_MAX, table, name, pointer, ctx)
    }

    /// As [`RowCategories::new`], for another number of categories at most.
    fn at_most(
        most: usize,
        table: &DataTable,
        name: &str,
        pointer: &str,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let column = column_of(table, name, pointer, ctx)?;
        let mut known: HashMap<String, usize> = HashMap::new();
        let (mut labels, mut numbers) = (Vec::new(), Vec::new());
        let mut places = Vec::with_capacity(table.rows());
        for (row, cell) in column.cells().enumerate() {
            if row % 65_536 == 0 {
                ctx.check()?;
            }
            if matches!(cell, TableCell::Missing) {
                places.push(None);
                continue;
            }
            let text = cell.to_string();
            let place = match known.get(&text) {
                Some(&place) => place,
                None => {
                    known.insert(text.clone(), labels.len());
                    labels.push(text);
                    numbers.push(cell.as_double());
                    labels.len() - 1
                }
            };
            places.push(Some(place));
            if labels.len() > most {
                refuse!(invalid pointer, "table"; "expected at most {most} categories in `{name}`, found more";
                    "a column of measurements goes to `value`");
            }
        }
        let mut categories = Self { places, labels };
        if let Some(numbers) = numbers.into_iter().collect::<Option<Vec<f64>>>() {
            categories.order_by(&numbers);
        }
        Ok(categories)
    }

    fn order_by(&mut self, numbers: &[f64]) {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
        let mut rank = vec![0; order.len()];
        for (place, &at) in order.iter().enumerate() {
            rank[at] = place;
        }
        self.labels = order.iter().map(|&at| self.labels[at].clone()).collect();
        for place in self.places.iter_mut().flatten() {
            *place = rank[*place];
        }
    }
}

/// The rows of a category.
pub(crate) struct CategoryRows {
    /// The category, as text.
    pub label: String,
    /// Its rows, ascending.
    pub rows: Vec<usize>,
}

/// The rows of each category of a column; rows without one are in none.
pub(crate) fn category_rows(
    table: &DataTable,
    name: &str,
    pointer: &str,
    ctx: &Ctx,
) -> Result<Vec<CategoryRows>, ToolError> {
    /// Most categories that are described one by one.
    const CATEGORIES_MAX: usize = 100_000;
    let categories = RowCategories::at_most(CATEGORIES_MAX, table, name, pointer, ctx)?;
    let mut found: Vec<CategoryRows> = categories
        .labels
        .into_iter()
        .map(|label| CategoryRows {
            label,
            rows: Vec::new(),
        })
        .collect();
    for (row, place) in categories.places.iter().enumerate() {
        if let Some(place) = place {
            found[*place].rows.push(row);
        }
    }
    Ok(found)
}

/// Numbers of a table by category.
pub(crate) struct GroupedSamples {
    /// The groups, in the order of the categories.
    pub groups: Vec<SampleGroup>,
    /// Rows whose category is missing.
    pub without_group: usize,
}

/// The numbers of a column by the categories of another.
pub(crate) fn grouped_samples(
    table: &DataTable,
    value: &str,
    group: &str,
    ctx: &Ctx,
) -> Result<GroupedSamples, ToolError> {
    let numbers = number_cells(table, value, "/value", ctx)?;
    let categories = RowCategories::new(table, group, "/group", ctx)?;
    ctx.reserve_doubles(numbers.len())?;
    let mut groups: Vec<SampleGroup> = categories
        .labels
        .iter()
        .map(|label| SampleGroup::new(label.clone(), Vec::new()))
        .collect();
    let mut without_group = 0;
    for (number, place) in numbers.iter().zip(&categories.places) {
        match (place, number) {
            (None, _) => without_group += 1,
            (Some(place), Some(number)) => groups[*place].values.push(*number),
            (Some(place), None) => groups[*place].missing += 1,
        }
    }
    Ok(GroupedSamples {
        groups,
        without_group,
    })
}

/// The numbers of each condition for the subjects who have one in all of them.
pub(crate) struct PairedSamples {
    /// The conditions, each with a number of every complete subject, in one order; `missing` counts its empty cells.
    pub conditions: Vec<SampleGroup>,
    /// Subjects left out because a condition has no number of them.
    pub incomplete: usize,
}

/// Conditions of subjects from a long table: a row for each subject and condition.
pub(crate) fn paired_samples(
    table: &DataTable,
    value: &str,
    group: &str,
    subject: &str,
    ctx: &Ctx,
) -> Result<PairedSamples, ToolError> {
    let numbers = number_cells(table, value, "/value", ctx)?;
    let conditions = RowCategories::new(table, group, "/group", ctx)?;
    let subjects = subject_places(table, subject, ctx)?;
    let (width, count) = (conditions.labels.len(), subjects.count);
    ctx.reserve_doubles(width.saturating_mul(count).saturating_mul(2))?;
    let mut cells: Vec<Option<f64>> = vec![None; width * count];
    let mut is_seen = vec![false; width * count];
    let mut missing = vec![0; width];
    for (row, number) in numbers.iter().enumerate() {
        let (Some(condition), Some(person)) = (conditions.places[row], subjects.places[row]) else {
            continue;
        };
        let at = person * width + condition;
        if is_seen[at] {
            let label = &conditions.labels[condition];
            refuse!(invalid "/subject", "table";
                "expected one row for each subject and condition, found another one for condition `{label}` in row {row}";
                "rows count from 0; take the mean of such rows first, with `table_group`");
        }
        is_seen[at] = true;
        cells[at] = *number;
        missing[condition] += usize::from(number.is_none());
    }
    let complete: Vec<&[Option<f64>]> = cells
        .chunks(width.max(1))
        .filter(|row| row.iter().all(Option::is_some))
        .collect();
    let groups = conditions.labels.iter().enumerate().map(|(at, label)| {
        let values = complete.iter().filter_map(|row| row[at]).collect();
        SampleGroup {
            label: label.clone(),
            values,
            missing: missing[at],
        }
    });
    Ok(PairedSamples {
        conditions: groups.collect(),
        incomplete: count - complete.len(),
    })
}

struct SubjectPlaces {
    places: Vec<Option<usize>>,
    count: usize,
}

fn subject_places(table: &DataTable, name: &str, ctx: &Ctx) -> Result<SubjectPlaces, ToolError> {
    let column = column_of(table, name, "/subject", ctx)?;
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut places = Vec::with_capacity(table.rows());
    for cell in column.cells() {
        places.push(match cell {
            TableCell::Missing => None,
            cell => {
                let next = known.len();
                Some(*known.entry(cell.to_string()).or_insert(next))
            }
        });
    }
    ctx.check()?;
    Ok(SubjectPlaces {
        places,
        count: known.len(),
    })
}

/// Conditions as columns: the rows that have a number in each.
pub(crate) fn column_samples(
    table: &DataTable,
    columns: &[String],
    ctx: &Ctx,
) -> Result<PairedSamples, ToolError> {
    let mut cells = Vec::with_capacity(columns.len());
    for (index, name) in columns.iter().enumerate() {
        cells.push(number_cells(
            table,
            name,
            &format!("/columns/{index}"),
            ctx,
        )?);
    }
    let is_complete = |row: &usize| cells.iter().all(|column| column[*row].is_some());
    let rows: Vec<usize> = (0..table.rows()).filter(is_complete).collect();
    let conditions = columns
        .iter()
        .zip(&cells)
        .map(|(name, column)| SampleGroup {
            label: name.clone(),
            values: rows.iter().filter_map(|row| column[*row]).collect(),
            missing: column.iter().filter(|cell| cell.is_none()).count(),
        });
    Ok(PairedSamples {
        conditions: conditions.collect(),
        incomplete: table.rows() - rows.len(),
    })
}

/// Counts of the categories of two columns.
pub(crate) struct CrossCounts {
    /// The counts.
    pub table: CountTable,
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of the table in which one of the two is missing.
    pub missing: usize,
}

/// Counts the rows of a table by two columns of categories.
pub(crate) fn cross_counts(
    table: &DataTable,
    rows: &str,
    columns: &str,
    pointers: [&str; 2],
    ctx: &Ctx,
) -> Result<CrossCounts, ToolError> {
    /// Most cells.
    const CELLS_MAX: usize = 1_000_000;
    let first = RowCategories::new(table, rows, pointers[0], ctx)?;
    let second = RowCategories::new(table, columns, pointers[1], ctx)?;
    let width = second.labels.len();
    let cells = first.labels.len().saturating_mul(width);
    if cells > CELLS_MAX {
        refuse!(invalid pointers[0], "table"; "expected at most {CELLS_MAX} cells, found {cells}";
            "choose columns of fewer categories");
    }
    let (mut counts, mut missing) = (vec![0.0; cells], 0);
    for places in first.places.iter().zip(&second.places) {
        match places {
            (Some(row), Some(column)) => counts[row * width + column] += 1.0,
            _ => missing += 1,
        }
    }
    let made = CountTable::new(&counts, first.labels.len(), width);
    Ok(CrossCounts {
        table: made.map_err(|err| super::faults::test_fault(err, pointers[0], ctx))?,
        rows: first.labels,
        columns: second.labels,
        missing,
    })
}
