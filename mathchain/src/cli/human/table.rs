//! Aligned tables with a header.

use super::text::width;

/// Rows of cells below names of columns.
#[derive(Debug, Default)]
pub(in crate::cli) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Whether all cells of a column are numbers, which are aligned at their right ends.
    numeric: Vec<bool>,
}

/// Spaces between two columns.
const GAP: usize = 2;
/// Longest cell, in characters.
const CELL_MAX: usize = 60;

impl Table {
    /// A table without rows.
    pub(in crate::cli) fn new(header: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let header: Vec<String> = header.into_iter().map(Into::into).collect();
        Self {
            numeric: vec![true; header.len()],
            header,
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each column.
    pub(in crate::cli) fn push(&mut self, cells: Vec<String>) {
        for (cell, numeric) in cells.iter().zip(&mut self.numeric) {
            *numeric &= is_number(cell);
        }
        self.rows.push(cells);
    }

    /// The lines, indented; `None` for a table that is wider than the screen or has a cell of several lines.
    pub(in crate::cli) fn fitting(&self, indent: usize) -> Option<String> {
        let cells = || self.rows.iter().flatten();
        let fits = |cell: &String| !cell.contains('\n') && length(cell) <= CELL_MAX;
        let total: usize = self.widths().iter().map(|width| width + GAP).sum();
        (cells().all(fits) && indent + total <= width() + GAP).then(|| self.lines(indent))
    }

    /// The lines, indented.
    pub(in crate::cli) fn lines(&self, indent: usize) -> String {
        let widths = self.widths();
        let has_header = self.header.iter().any(|name| !name.is_empty());
        let header = has_header.then_some(&self.header);
        let rows = header.into_iter().chain(&self.rows);
        rows.map(|row| self.line(row, &widths, indent)).collect()
    }

    fn line(&self, row: &[String], widths: &[usize], indent: usize) -> String {
        let mut line = " ".repeat(indent);
        for ((cell, &width), &numeric) in row.iter().zip(widths).zip(&self.numeric) {
            let pad = " ".repeat(width - length(cell).min(width));
            match numeric {
                true => line.extend([&pad, cell.as_str()]),
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
            let cells = cells.chain(self.header.get(column));
            cells.map(|cell| length(cell)).max().unwrap_or(0)
        };
        (0..self.header.len()).map(width).collect()
    }
}

fn length(cell: &str) -> usize {
    console::measure_text_width(cell)
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
        let mut table = Table::new(["name", "mean"]);
        table.push(cells(&["a", "3"]));
        table.push(cells(&["long name", "11.25"]));
        assert_eq!(
            table.lines(1),
            " name        mean\n a              3\n long name  11.25\n"
        );
        assert!(table.fitting(0).is_some());
        table.push(cells(&["two\nlines", "-"]));
        assert!(table.fitting(0).is_none());
    }
}
