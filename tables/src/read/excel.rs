//! A sheet of an Excel workbook (`.xlsx`): the first row names the columns.

use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use std::sync::Arc;

use calamine::{DataRef, ExcelDateTime, Reader, Xlsx};

use super::loose::{LooseCell, LooseColumn};
use super::{ReadLimits, TableRead, table_of_typed};
use crate::error::{StopCheck, TableError, check_row};
use crate::moment::CalendarDate;
use crate::table::check_column_count;

const HINT: &str = "save the workbook again, or export the sheet as .csv";

fn format_fault(err: impl std::fmt::Display) -> TableError {
    TableError::format(format_args!("no readable workbook: {err}"), HINT)
}

/// Reads a sheet; blank rows before the header are passed over.
///
/// # Errors
/// A file that is no workbook, a sheet that is not there, cells with an error of a formula, limits; a stop.
pub(super) fn read_excel(
    bytes: &[u8],
    sheet: Option<&str>,
    limits: ReadLimits,
    stop: StopCheck<'_>,
) -> Result<TableRead, TableError> {
    check_unpacked_size(bytes, limits)?;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).map_err(format_fault)?;
    let names = workbook.sheet_names();
    let name = match sheet {
        Some(sheet) => match names.iter().find(|name| *name == sheet) {
            Some(name) => name.clone(),
            None => {
                return Err(TableError::UnknownMember {
                    message: format!(
                        "no sheet is named `{sheet}`: the sheets are {}",
                        names.join(", ")
                    ),
                    hint: "choose one of them; names are compared exactly",
                });
            }
        },
        None => names
            .first()
            .cloned()
            .ok_or_else(|| format_fault("it has no sheet"))?,
    };
    let mut columns = SheetColumns::default();
    let mut cells = workbook
        .worksheet_cells_reader(&name)
        .map_err(format_fault)?;
    while let Some(cell) = cells.next_cell().map_err(format_fault)? {
        let (row, column) = cell.get_position();
        columns.add(row, column as usize, cell.get_value(), limits, stop)?;
    }
    let mut read = columns.finish(limits)?;
    read.found.push(format!("sheet `{name}`"));
    let others = names.len() - 1;
    if sheet.is_none() && others > 0 {
        let plural = if others == 1 {
            "sheet is"
        } else {
            "sheets are"
        };
        read.notes.push(format!(
            "the first sheet, `{name}`, was read; {others} more {plural} there"
        ));
    }
    Ok(read)
}

/// Unpacks every file of the workbook once, to nowhere: a small one can become very large, and the reader does not ask.
fn check_unpacked_size(bytes: &[u8], limits: ReadLimits) -> Result<(), TableError> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(format_fault)?;
    let mut unpacked = 0;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(format_fault)?;
        let most = limits.bytes_max.saturating_add(1) - unpacked;
        let size =
            std::io::copy(&mut file.take(most), &mut std::io::sink()).map_err(format_fault)?;
        unpacked += size;
        if unpacked > limits.bytes_max {
            return Err(TableError::Limit {
                what: "bytes of a file when it is decompressed",
                found: format!("more than {}", limits.bytes_max),
                most: limits.bytes_max,
            });
        }
    }
    Ok(())
}

/// The columns of a sheet, from its cells row by row.
#[derive(Default)]
struct SheetColumns {
    /// The row of the header, and its names by column.
    header: Option<SheetHeader>,
    /// Rows of data so far.
    rows: usize,
    columns: Vec<LooseColumn>,
    unnamed: usize,
    /// The texts that several cells share, by their place in the list of the workbook.
    shared: HashMap<usize, Arc<str>, foldhash::fast::FixedState>,
}

struct SheetHeader {
    row: u32,
    names: Vec<Option<Arc<str>>>,
}

impl SheetColumns {
    fn add(
        &mut self,
        row: u32,
        column: usize,
        value: &DataRef<'_>,
        limits: ReadLimits,
        stop: StopCheck<'_>,
    ) -> Result<(), TableError> {
        if matches!(value, DataRef::Empty) {
            return Ok(());
        }
        check_column_count(column + 1)?;
        let header = self.header.get_or_insert_with(|| SheetHeader {
            row,
            names: Vec::new(),
        });
        if row == header.row {
            header
                .names
                .resize(header.names.len().max(column + 1), None);
            let cell = read_cell(row, column, value)?;
            header.names[column] = cell_text(&cell);
            return Ok(());
        }
        let place = (row - header.row) as usize - 1;
        check_row(place, stop)?;
        if column >= self.columns.len() {
            self.columns.resize(column + 1, LooseColumn::default());
        }
        self.rows = self.rows.max(place + 1);
        limits.check_cells(self.rows, self.columns.len())?;
        let cells = &mut self.columns[column];
        if cells.len() > place {
            return Err(format_fault("its cells are not in order"));
        }
        cells.fill_to(place);
        let cell = match value {
            DataRef::SharedString(text) => {
                let text = self
                    .shared
                    .entry(text.as_ptr() as usize)
                    .or_insert_with(|| (*text).into());
                LooseCell::Text(Arc::clone(text))
            }
            value => read_cell(row, column, value)?,
        };
        cells.push(cell);
        Ok(())
    }

    fn finish(mut self, limits: ReadLimits) -> Result<TableRead, TableError> {
        let Some(header) = self.header else {
            return Err(format_fault("the sheet is empty"));
        };
        let width = header.names.len().max(self.columns.len());
        limits.check_cells(self.rows, width)?;
        self.columns.resize(width, LooseColumn::default());
        let mut columns = Vec::new();
        let names = header.names.into_iter().chain(std::iter::repeat(None));
        for ((index, mut column), name) in self.columns.into_iter().enumerate().zip(names) {
            // A column without a name and without a cell is a gap.
            if name.is_none() && column.is_empty() {
                continue;
            }
            column.fill_to(self.rows);
            let name = name.unwrap_or_else(|| {
                self.unnamed += 1;
                format!("column_{}", index + 1).into()
            });
            columns.push((name, column.finish()));
        }
        let mut read = table_of_typed(columns)?;
        if self.unnamed > 0 {
            read.notes.push(format!(
                "{} columns have no name in the first row: named by their numbers",
                self.unnamed
            ));
        }
        Ok(read)
    }
}

fn cell_text(cell: &LooseCell) -> Option<Arc<str>> {
    let mut column = LooseColumn::default();
    column.push(cell.clone());
    let typed = column.finish().column;
    let cell = typed.cell(0);
    (!cell.is_missing()).then(|| cell.to_string().trim().into())
}

fn read_cell(row: u32, column: usize, value: &DataRef<'_>) -> Result<LooseCell, TableError> {
    /// Largest number up to which every whole double is an integer.
    const SAFE: f64 = 9_007_199_254_740_992.0;
    Ok(match value {
        DataRef::Empty => LooseCell::Missing,
        DataRef::Int(value) => LooseCell::Integer(*value),
        // A workbook has doubles alone: whole ones are integers.
        DataRef::Float(value) if value.fract() == 0.0 && value.abs() <= SAFE => {
            LooseCell::Integer(*value as i64)
        }
        DataRef::Float(value) => LooseCell::Double(*value),
        DataRef::String(text) => LooseCell::Text(text.as_str().into()),
        DataRef::SharedString(text) => LooseCell::Text((*text).into()),
        DataRef::Bool(value) => LooseCell::Boolean(*value),
        DataRef::DateTime(moment) => read_date(moment),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            LooseCell::Text(text.as_str().into())
        }
        DataRef::Error(error) => {
            let (row, column) = (row + 1, column + 1);
            let message = format!("row {row}, column {column} of the sheet has the error {error}");
            return Err(TableError::format(
                message,
                "mend the formula, or clear the cell",
            ));
        }
    })
}

/// A day, a time, or the number of days of a duration.
fn read_date(moment: &ExcelDateTime) -> LooseCell {
    if !moment.is_datetime() {
        return LooseCell::Double(moment.as_f64());
    }
    let (year, month, day, hour, minute, second, milli) = moment.to_ymd_hms_milli();
    let date = jiff::civil::Date::new(year as i16, month as i8, day as i8);
    let Some(date) = date
        .ok()
        .and_then(|date| crate::moment::parse_date(&date.to_string()))
    else {
        return LooseCell::Double(moment.as_f64());
    };
    if moment.as_f64().fract() == 0.0 {
        return LooseCell::Date(date);
    }
    let CalendarDate(days) = date;
    let seconds = i64::from(days) * 86_400
        + i64::from(hour) * 3600
        + i64::from(minute) * 60
        + i64::from(second);
    LooseCell::Moment(seconds * 1_000_000 + i64::from(milli) * 1000)
}
