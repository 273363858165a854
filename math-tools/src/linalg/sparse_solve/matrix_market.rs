//! Matrix Market text: a strict parser whose errors have line and column.
//!
//! Coordinate and array formats; real, integer and pattern fields; general, symmetric and skew-symmetric storage. The format is that
//! of R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.

use numerics::sparse::csr::SIZE_MAX;
use tool_core::{Ctx, ToolError};

/// The matrix of a text, entries counted from 0.
#[derive(Debug, Default, PartialEq)]
pub(super) struct MatrixMarketEntries {
    /// Size that the text states.
    pub(super) shape: (usize, usize),
    /// Row of each entry; both of a symmetric pair are listed.
    pub(super) rows: Vec<u32>,
    /// Column of each entry.
    pub(super) columns: Vec<u32>,
    /// The entries.
    pub(super) values: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq)]
enum MatrixMarketField {
    Real,
    Integer,
    Pattern,
}

#[derive(Clone, Copy, PartialEq)]
enum MatrixMarketSymmetry {
    General,
    Symmetric,
    Skew,
}

/// A piece of a line, or the whole, and where it starts; both counted from 1.
#[derive(Clone, Copy)]
struct MatrixMarketWord<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl<'a> MatrixMarketWord<'a> {
    /// A whole line.
    fn of_line(text: &'a str, line: usize) -> Self {
        let column = 1;
        Self { text, line, column }
    }

    /// The words of a line.
    fn words(self) -> impl Iterator<Item = MatrixMarketWord<'a>> {
        let (start, line) = (self.text.as_ptr() as usize, self.line);
        let column = move |text: &str| text.as_ptr() as usize - start + 1;
        let words = self.text.split_ascii_whitespace();
        words.map(move |text| MatrixMarketWord {
            text,
            line,
            column: column(text),
        })
    }

    fn fault(self, message: impl std::fmt::Display) -> ToolError {
        let Self { line, column, .. } = self;
        ToolError::invalid("/matrix_market", format_args!("line {line}, column {column}: {message}"))
            .reason("matrix_market")
            .hint("the text must start with `%%MatrixMarket matrix coordinate real general` or its like, then a line `rows columns \
                   entries`, then one line `row column value` per entry, counted from 1")
    }

    /// Something else was expected; the text is shortened.
    fn expected(self, expected: impl std::fmt::Display) -> ToolError {
        const SHOWN: usize = 40;
        let shown: String = self.text.chars().take(SHOWN).collect();
        self.fault(format_args!("expected {expected}, found `{shown}`"))
    }

    /// A number of digits alone.
    fn digits(self) -> Option<u64> {
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        self.text.parse().ok().filter(|_| digits)
    }

    fn size(self) -> Result<usize, ToolError> {
        let size = self.digits().ok_or_else(|| self.expected("a size"))?;
        Ok(size as usize)
    }

    /// An index from 1 to `count`, counted from 0.
    fn index(self, count: usize, of: &str) -> Result<u32, ToolError> {
        match self.digits() {
            Some(index) if index >= 1 && index <= count as u64 => Ok((index - 1) as u32),
            _ => Err(self.expected(format_args!("a {of} from 1 to {count}"))),
        }
    }

    fn value(self, field: MatrixMarketField) -> Result<f64, ToolError> {
        const EXACT: i64 = 1 << 53;
        let (value, expected) = if field == MatrixMarketField::Integer {
            let integer = self.text.parse::<i64>().ok();
            let exact = integer.filter(|value| value.abs() <= EXACT);
            (exact.map(|value| value as f64), "an integer up to 2^53")
        } else {
            let value = self.text.parse::<f64>().ok();
            (value.filter(|value| value.is_finite()), "a finite number")
        };
        value.ok_or_else(|| self.expected(expected))
    }
}

/// Reads a text.
///
/// # Errors
/// `invalid_args` with line and column, `limit_exceeded`, or stopped.
pub(super) fn parse_matrix_market(text: &str, ctx: &Ctx) -> Result<MatrixMarketEntries, ToolError> {
    let mut reader = MatrixMarketReader {
        lines: text.lines().enumerate(),
        last_line: 1,
        ctx,
    };
    let (array, field, symmetry) = reader.banner()?;
    let Some(line) = reader.next_line() else {
        let last = MatrixMarketWord::of_line("", reader.last_line);
        return Err(last.fault("the text ends before the sizes"));
    };
    let sizes: Vec<MatrixMarketWord<'_>> = line.words().collect();
    let expected = if array { 2 } else { 3 };
    if sizes.len() != expected {
        let message = format!("expected {expected} sizes, found {}", sizes.len());
        return Err(sizes[0].fault(message));
    }
    let shape = (sizes[0].size()?, sizes[1].size()?);
    for (word, size) in sizes.iter().zip([shape.0, shape.1]) {
        if size == 0 || size > SIZE_MAX {
            return Err(word.fault(format_args!("expected a size from 1 to {SIZE_MAX}")));
        }
    }
    let (rows, columns) = shape;
    if symmetry != MatrixMarketSymmetry::General && rows != columns {
        let message = format!("a symmetric matrix is square, found {rows} x {columns}");
        return Err(sizes[0].fault(message));
    }
    let count = match (array, symmetry) {
        (false, _) => sizes[2].size()?,
        (true, MatrixMarketSymmetry::General) => rows.saturating_mul(columns),
        (true, MatrixMarketSymmetry::Symmetric) => rows.saturating_mul(rows + 1) / 2,
        (true, MatrixMarketSymmetry::Skew) => rows.saturating_mul(rows - 1) / 2,
    };
    // An entry takes at least a digit and the end of a line (coordinates: two digits and a space), so a text of this length
    // can hold only so many.
    let least = if array { 2 } else { 4 };
    if count > text.len() / least + 1 {
        let message = format!("the sizes announce {count} entries, more than the text can hold");
        return Err(sizes[0].fault(message));
    }
    let stored = match symmetry {
        MatrixMarketSymmetry::General => count,
        _ => 2 * count,
    };
    ctx.reserve(16 * stored as u64)?;
    let mut out = MatrixMarketEntries {
        shape,
        rows: Vec::with_capacity(stored),
        columns: Vec::with_capacity(stored),
        values: Vec::with_capacity(stored),
    };
    if array {
        reader.array(&mut out, field, symmetry)?;
    } else {
        reader.coordinates(&mut out, count, field, symmetry)?;
    }
    match reader.next_line().and_then(|line| line.words().next()) {
        Some(word) => Err(word.expected("the end after the last entry")),
        None => Ok(out),
    }
}

struct MatrixMarketReader<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    last_line: usize,
    ctx: &'a Ctx,
}

impl<'a> MatrixMarketReader<'a> {
    fn banner(&mut self) -> Result<(bool, MatrixMarketField, MatrixMarketSymmetry), ToolError> {
        let first = MatrixMarketWord::of_line(self.lines.next().map_or("", |(_, line)| line), 1);
        let words: Vec<MatrixMarketWord<'a>> = first.words().collect();
        if words.len() != 5 {
            return Err(first.expected("`%%MatrixMarket matrix FORMAT FIELD SYMMETRY`"));
        }
        let choose = |at: usize, choices: &[&str]| -> Result<usize, ToolError> {
            let same = |choice: &&str| words[at].text.eq_ignore_ascii_case(choice);
            let found = choices.iter().position(same);
            found.ok_or_else(|| words[at].expected(format_args!("`{}`", choices.join("` or `"))))
        };
        choose(0, &["%%MatrixMarket"])?;
        choose(1, &["matrix"])?;
        let array = choose(2, &["coordinate", "array"])? == 1;
        let field = [
            MatrixMarketField::Real,
            MatrixMarketField::Integer,
            MatrixMarketField::Pattern,
        ][choose(3, &["real", "integer", "pattern"])?];
        let symmetries = [
            MatrixMarketSymmetry::General,
            MatrixMarketSymmetry::Symmetric,
            MatrixMarketSymmetry::Skew,
        ];
        let symmetry = symmetries[choose(4, &["general", "symmetric", "skew-symmetric"])?];
        if field == MatrixMarketField::Pattern && (array || symmetry == MatrixMarketSymmetry::Skew)
        {
            return Err(words[3]
                .fault("a pattern has the format `coordinate` and is `general` or `symmetric`"));
        }
        Ok((array, field, symmetry))
    }

    fn coordinates(
        &mut self,
        out: &mut MatrixMarketEntries,
        count: usize,
        field: MatrixMarketField,
        symmetry: MatrixMarketSymmetry,
    ) -> Result<(), ToolError> {
        let expected = if field == MatrixMarketField::Pattern {
            2
        } else {
            3
        };
        let kept = match symmetry {
            MatrixMarketSymmetry::Skew => "strictly below",
            _ => "on or below",
        };
        for entry in 0..count {
            let line = self.entry(entry, count)?;
            let mut words = line.words();
            let (Some(row), Some(column)) = (words.next(), words.next()) else {
                return Err(line.fault(format_args!("expected {expected} words")));
            };
            let place = (
                row.index(out.shape.0, "row")?,
                column.index(out.shape.1, "column")?,
            );
            let value = match field {
                MatrixMarketField::Pattern => 1.0,
                _ => {
                    let missing = || column.fault("expected a value after the column");
                    words.next().ok_or_else(missing)?.value(field)?
                }
            };
            if let Some(word) = words.next() {
                return Err(word.expected("the end of the line"));
            }
            let below = place.0 > place.1
                || (place.0 == place.1 && symmetry == MatrixMarketSymmetry::Symmetric);
            if symmetry != MatrixMarketSymmetry::General && !below {
                let message =
                    format!("a matrix with this symmetry lists only entries {kept} the diagonal");
                return Err(row.fault(message));
            }
            out.push(place, value, symmetry);
        }
        Ok(())
    }

    /// Column by column, one value a line.
    fn array(
        &mut self,
        out: &mut MatrixMarketEntries,
        field: MatrixMarketField,
        symmetry: MatrixMarketSymmetry,
    ) -> Result<(), ToolError> {
        let (rows, columns) = (out.shape.0 as u32, out.shape.1 as u32);
        let mut entry = 0;
        for column in 0..columns {
            let first = match symmetry {
                MatrixMarketSymmetry::General => 0,
                MatrixMarketSymmetry::Symmetric => column,
                MatrixMarketSymmetry::Skew => column + 1,
            };
            for row in first..rows {
                let line = self.entry(entry, entry + 1)?;
                let mut words = line.words();
                let (Some(word), None) = (words.next(), words.next()) else {
                    return Err(line.expected("one value"));
                };
                out.push((row, column), word.value(field)?, symmetry);
                entry += 1;
            }
        }
        Ok(())
    }

    /// The line of an entry.
    fn entry(&mut self, entry: usize, count: usize) -> Result<MatrixMarketWord<'a>, ToolError> {
        const CHECK: usize = 1 << 14;
        if entry.is_multiple_of(CHECK) {
            self.ctx.check()?;
        }
        self.next_line().ok_or_else(|| {
            let last = MatrixMarketWord::of_line("", self.last_line);
            last.fault(format_args!("expected {count} entries, found {entry}"))
        })
    }

    /// The next line that is neither blank nor a comment.
    fn next_line(&mut self) -> Option<MatrixMarketWord<'a>> {
        for (index, line) in self.lines.by_ref() {
            self.last_line = index + 1;
            let content = line.trim_ascii_start();
            if !content.is_empty() && !content.starts_with('%') {
                return Some(MatrixMarketWord::of_line(line, index + 1));
            }
        }
        None
    }
}

impl MatrixMarketEntries {
    fn push(&mut self, (row, column): (u32, u32), value: f64, symmetry: MatrixMarketSymmetry) {
        let mut add = |row, column, value| {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        };
        add(row, column, value);
        match symmetry {
            MatrixMarketSymmetry::Symmetric if row != column => add(column, row, value),
            MatrixMarketSymmetry::Skew if row != column => add(column, row, -value),
            _ => {}
        }
    }
}
