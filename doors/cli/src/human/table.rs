//! Aligned tables with a header.

use super::text::terminal_width;

/// Rows of cells below names of columns.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether all cells of a column are numbers, which are aligned at their decimal points.
    numeric: Vec<bool>,
    /// Longest fraction of each column, with its point.
    fractions: Vec<usize>,
}

/// Spaces between two columns.
const GAP: usize = 2;
/// Longest cell, in characters.
const CELL_MAX: usize = 60;

impl TextTable {
    /// A table without rows.
    pub(crate) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        Self {
            numeric: vec![true; header.len()],
            fractions: vec![0; header.len()],
            header,
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each column.
    pub(crate) fn push(&mut self, cells: Vec<String>) {
        let columns = self.numeric.iter_mut().zip(&mut self.fractions);
        for (cell, (numeric, longest)) in cells.iter().zip(columns) {
            *numeric &= is_number(cell);
            *longest = (*longest).max(fraction_width(cell));
        }
        self.rows.push(cells);
    }

    /// The lines, indented; `None` for a table that is wider than the screen or has a cell of several lines.
    pub(crate) fn fitting(&self, indent: usize) -> Option<String> {
        let cells = || self.rows.iter().flatten();
        let fits = |cell: &String| !cell.contains('\n') && cell_width(cell) <= CELL_MAX;
        let total: usize = self.widths().iter().map(|width| width + GAP).sum();
        (cells().all(fits) && indent + total <= terminal_width() + GAP).then(|| self.lines(indent))
    }

    /// The lines, indented.
    pub(crate) fn lines(&self, indent: usize) -> String {
        let widths = self.widths();
        let has_header = self.header.iter().any(|name| !name.is_empty());
        let header = has_header.then_some(&self.header);
        let header = header.map(|row| self.line(row, &widths, indent, false));
        let rows = self.rows.iter();
        let rows = rows.map(|row| self.line(row, &widths, indent, true));
        header.into_iter().chain(rows).collect()
    }

    /// One line; the point of a number is `fractions` characters before the end of its column.
    fn line(&self, row: &[String], widths: &[usize], indent: usize, pointed: bool) -> String {
        let mut line = " ".repeat(indent);
        for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
            let after = match pointed && self.numeric[column] {
                true => self.fractions[column] - fraction_width(cell),
                false => 0,
            };
            let pad = " ".repeat(width - (cell_width(cell) + after).min(width));
            let after = " ".repeat(after);
            match self.numeric[column] {
                true => line.extend([&pad, cell.as_str(), &after]),
                false => line.extend([cell.as_str(), &pad]),
            }
            line.push_str(&" ".repeat(GAP));
        }
        line.truncate(line.trim_end().len());
        line.push('\n');
        line
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let whole = |cell: &String| match self.numeric[column] {
                true => cell_width(cell) + self.fractions[column] - fraction_width(cell),
                false => cell_width(cell),
            };
            let header = self.header.get(column).map(|name| cell_width(name));
            cells.map(whole).chain(header).max().unwrap_or(0)
        };
        (0..self.header.len()).map(width).collect()
    }
}

fn cell_width(cell: &str) -> usize {
    console::measure_text_width(cell)
}

/// Length of the fraction of a number with its point; none in scientific notation.
fn fraction_width(cell: &str) -> usize {
    match cell.contains('e') || cell == "..." {
        true => 0,
        false => cell.find('.').map_or(0, |point| cell.len() - point),
    }
}

/// Whether a cell is a number, or stands for one that is missing.
fn is_number(cell: &str) -> bool {
    matches!(cell, "-" | "..." | "NaN" | "Infinity" | "-Infinity") || cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &[&str]) -> Vec<String> {
        row.iter().map(|cell| (*cell).to_owned()).collect()
    }

    #[test]
    fn numbers_are_aligned_right_and_words_left() {
        let mut table = TextTable::new(["name", "mean"]);
        table.push(cells(&["a", "3"]));
        table.push(cells(&["long name", "11.25"]));
        assert_eq!(
            table.lines(1),
            " name        mean\n a           3\n long name  11.25\n"
        );
        assert!(table.fitting(0).is_some());
        table.push(cells(&["two\nlines", "-"]));
        assert!(table.fitting(0).is_none());
    }
}
