//! Matrix Market text: a strict parser whose errors have line and column.
//!
//! Coordinate and array formats; real, integer and pattern fields; general, symmetric and skew-symmetric storage. The format is that
//! of R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935, 1996.

use tool_core::{Ctx, ToolError};

/// The matrix of a text, entries counted from 0.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entries {
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
enum Field {
    Real,
    Integer,
    Pattern,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// A format error with its line, counted from 1.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub(super) struct Fault {
    line: usize,
    column: usize,
    message: String,
}

/// A piece of a line without white space.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn fault(self, message: impl Into<String>) -> Fault {
        Fault {
            line: self.line,
            column: self.column,
            message: message.into(),
        }
    }

    /// The text, shortened for a message.
    fn shown(self) -> String {
        const SHOWN: usize = 40;
        self.text.chars().take(SHOWN).collect()
    }

    fn size(self) -> Result<usize, Fault> {
        let digits = !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit());
        let size = self.text.parse().ok().filter(|_| digits);
        size.ok_or_else(|| self.fault(format!("expected a size, found `{}`", self.shown())))
    }

    /// An index from 1 to `count`, counted from 0.
    fn index(self, count: usize, of: &str) -> Result<u32, Fault> {
        let index = self
            .text
            .parse::<u64>()
            .ok()
            .filter(|_| self.text.bytes().all(|byte| byte.is_ascii_digit()));
        match index {
            Some(index) if index >= 1 && index <= count as u64 => Ok((index - 1) as u32),
            _ => Err(self.fault(format!(
                "expected a {of} from 1 to {count}, found `{}`",
                self.shown()
            ))),
        }
    }

    fn value(self, field: Field) -> Result<f64, Fault> {
        const EXACT: i64 = 1 << 53;
        if field == Field::Integer {
            let value = self
                .text
                .parse::<i64>()
                .ok()
                .filter(|value| value.abs() <= EXACT);
            return value.map(|value| value as f64).ok_or_else(|| {
                self.fault(format!(
                    "expected an integer up to 2^53, found `{}`",
                    self.shown()
                ))
            });
        }
        let value = self
            .text
            .parse::<f64>()
            .ok()
            .filter(|value| value.is_finite());
        value.ok_or_else(|| {
            self.fault(format!(
                "expected a finite number, found `{}`",
                self.shown()
            ))
        })
    }
}

/// Reads a text.
///
/// # Errors
/// `invalid_args` with line and column, `limit_exceeded`, or stopped.
pub(super) fn read(text: &str, ctx: &Ctx) -> Result<Entries, ToolError> {
    let mut reader = Reader {
        lines: text.lines().enumerate(),
        last_line: 1,
        text_len: text.len(),
        ctx,
    };
    reader.matrix()
}

struct Reader<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    last_line: usize,
    text_len: usize,
    ctx: &'a Ctx,
}

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        Self::invalid("/matrix_market", fault)
            .reason("matrix_market")
            .hint("the text must start with `%%MatrixMarket matrix coordinate real general` or its like, then a line `rows columns \
                   entries`, then one line `row column value` per entry, counted from 1")
    }
}

impl<'a> Reader<'a> {
    fn matrix(&mut self) -> Result<Entries, ToolError> {
        let (array, field, symmetry) = self.banner()?;
        let sizes = self.words("the sizes")?;
        let expected = if array { 2 } else { 3 };
        let [rows, columns] = [0, 1].map(|at| sizes.get(at).copied());
        let (Some(rows), Some(columns)) = (rows, columns) else {
            return Err(sizes[0]
                .fault(format!("expected {expected} sizes, found {}", sizes.len()))
                .into());
        };
        if sizes.len() != expected {
            return Err(sizes[0]
                .fault(format!("expected {expected} sizes, found {}", sizes.len()))
                .into());
        }
        let shape = (rows.size()?, columns.size()?);
        for (word, size) in [(rows, shape.0), (columns, shape.1)] {
            if size == 0 || size > kernels::sparse::csr::SIZE_MAX {
                return Err(word
                    .fault(format!(
                        "expected a size from 1 to {}",
                        kernels::sparse::csr::SIZE_MAX
                    ))
                    .into());
            }
        }
        if symmetry != Symmetry::General && shape.0 != shape.1 {
            return Err(rows
                .fault(format!(
                    "a symmetric matrix is square, found {} x {}",
                    shape.0, shape.1
                ))
                .into());
        }
        let count = match (array, symmetry) {
            (false, _) => sizes[2].size()?,
            (true, Symmetry::General) => shape.0.saturating_mul(shape.1),
            (true, Symmetry::Symmetric) => shape.0.saturating_mul(shape.0 + 1) / 2,
            (true, Symmetry::Skew) => shape.0.saturating_mul(shape.0 - 1) / 2,
        };
        // An entry takes at least a digit and the end of a line (coordinates: two digits and a space), so a text of this length
        // can hold only so many.
        let least = if array { 2 } else { 4 };
        if count > self.text_len / least + 1 {
            return Err(rows
                .fault(format!(
                    "the sizes announce {count} entries, more than the text can hold"
                ))
                .into());
        }
        let stored = if symmetry == Symmetry::General {
            count
        } else {
            2 * count
        };
        self.ctx.reserve(16 * stored as u64)?;
        let mut out = Entries {
            shape,
            rows: Vec::with_capacity(stored),
            columns: Vec::with_capacity(stored),
            values: Vec::with_capacity(stored),
        };
        if array {
            self.array(&mut out, field, symmetry)?;
        } else {
            self.coordinates(&mut out, count, field, symmetry)?;
        }
        self.end()?;
        Ok(out)
    }

    fn banner(&mut self) -> Result<(bool, Field, Symmetry), Fault> {
        let first = self.lines.next().map_or("", |(_, line)| line);
        let words: Vec<Word<'a>> = words(first, 1).collect();
        let start = Word {
            text: first,
            line: 1,
            column: 1,
        };
        if words.len() != 5 {
            return Err(start.fault(format!(
                "expected `%%MatrixMarket matrix FORMAT FIELD SYMMETRY`, found `{}`",
                start.shown()
            )));
        }
        let choose = |at: usize, choices: &[&str]| -> Result<usize, Fault> {
            let found = choices
                .iter()
                .position(|choice| words[at].text.eq_ignore_ascii_case(choice));
            found.ok_or_else(|| {
                words[at].fault(format!(
                    "expected `{}`, found `{}`",
                    choices.join("` or `"),
                    words[at].shown()
                ))
            })
        };
        choose(0, &["%%MatrixMarket"])?;
        choose(1, &["matrix"])?;
        let array = choose(2, &["coordinate", "array"])? == 1;
        let field = [Field::Real, Field::Integer, Field::Pattern]
            [choose(3, &["real", "integer", "pattern"])?];
        let symmetries = [Symmetry::General, Symmetry::Symmetric, Symmetry::Skew];
        let symmetry = symmetries[choose(4, &["general", "symmetric", "skew-symmetric"])?];
        if field == Field::Pattern && (array || symmetry == Symmetry::Skew) {
            return Err(words[3]
                .fault("a pattern has the format `coordinate` and is `general` or `symmetric`"));
        }
        Ok((array, field, symmetry))
    }

    fn coordinates(
        &mut self,
        out: &mut Entries,
        count: usize,
        field: Field,
        symmetry: Symmetry,
    ) -> Result<(), ToolError> {
        let expected = if field == Field::Pattern { 2 } else { 3 };
        for entry in 0..count {
            self.look(entry)?;
            let Some((number, line)) = self.next_line() else {
                return Err(self.short(entry, count).into());
            };
            let mut words = words(line, number);
            let (Some(row), Some(column)) = (words.next(), words.next()) else {
                return Err(Word {
                    text: line,
                    line: number,
                    column: 1,
                }
                .fault(format!("expected {expected} words"))
                .into());
            };
            let place = (
                row.index(out.shape.0, "row")?,
                column.index(out.shape.1, "column")?,
            );
            let value = match (field, words.next()) {
                (Field::Pattern, None) => 1.0,
                (Field::Pattern, Some(word)) => return Err(unexpected(word).into()),
                (_, Some(word)) => word.value(field)?,
                (_, None) => return Err(column.fault("expected a value after the column").into()),
            };
            if let Some(word) = words.next() {
                return Err(unexpected(word).into());
            }
            let below =
                place.0 > place.1 || (place.0 == place.1 && symmetry == Symmetry::Symmetric);
            if symmetry != Symmetry::General && !below {
                let kept = if symmetry == Symmetry::Skew {
                    "strictly below"
                } else {
                    "on or below"
                };
                return Err(row
                    .fault(format!(
                        "a matrix with this symmetry lists only entries {kept} the diagonal"
                    ))
                    .into());
            }
            out.push(place, value, symmetry);
        }
        Ok(())
    }

    /// Column by column, one value a line.
    fn array(
        &mut self,
        out: &mut Entries,
        field: Field,
        symmetry: Symmetry,
    ) -> Result<(), ToolError> {
        let (rows, columns) = (out.shape.0 as u32, out.shape.1 as u32);
        let mut entry = 0;
        for column in 0..columns {
            let first = match symmetry {
                Symmetry::General => 0,
                Symmetry::Symmetric => column,
                Symmetry::Skew => column + 1,
            };
            for row in first..rows {
                self.look(entry)?;
                let Some((number, line)) = self.next_line() else {
                    return Err(self.short(entry, entry + 1).into());
                };
                let mut words = words(line, number);
                if let (Some(word), None) = (words.next(), words.next()) {
                    out.push((row, column), word.value(field)?, symmetry);
                } else {
                    let line = Word {
                        text: line,
                        line: number,
                        column: 1,
                    };
                    return Err(line
                        .fault(format!("expected one value, found `{}`", line.shown()))
                        .into());
                }
                entry += 1;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Fault> {
        match self
            .next_line()
            .and_then(|(number, line)| words(line, number).next())
        {
            Some(word) => Err(word.fault(format!(
                "expected the end after the last entry, found `{}`",
                word.shown()
            ))),
            None => Ok(()),
        }
    }

    fn look(&self, entry: usize) -> Result<(), ToolError> {
        const CHECK: usize = 1 << 14;
        if entry.is_multiple_of(CHECK) {
            self.ctx.check()
        } else {
            Ok(())
        }
    }

    /// The next line that is neither blank nor a comment.
    fn next_line(&mut self) -> Option<(usize, &'a str)> {
        for (index, line) in self.lines.by_ref() {
            self.last_line = index + 1;
            let content = line.trim_ascii_start();
            if !content.is_empty() && !content.starts_with('%') {
                return Some((index + 1, line));
            }
        }
        None
    }

    fn words(&mut self, what: &str) -> Result<Vec<Word<'a>>, Fault> {
        let Some((number, line)) = self.next_line() else {
            let last = Word {
                text: "",
                line: self.last_line,
                column: 1,
            };
            return Err(last.fault(format!("the text ends before {what}")));
        };
        Ok(words(line, number).collect())
    }

    fn short(&self, found: usize, expected: usize) -> Fault {
        let last = Word {
            text: "",
            line: self.last_line,
            column: 1,
        };
        last.fault(format!("expected {expected} entries, found {found}"))
    }
}

impl Entries {
    fn push(&mut self, (row, column): (u32, u32), value: f64, symmetry: Symmetry) {
        let mut add = |row, column, value| {
            self.rows.push(row);
            self.columns.push(column);
            self.values.push(value);
        };
        add(row, column, value);
        if row != column {
            match symmetry {
                Symmetry::General => {}
                Symmetry::Symmetric => add(column, row, value),
                Symmetry::Skew => add(column, row, -value),
            }
        }
    }
}

fn words(line: &str, number: usize) -> impl Iterator<Item = Word<'_>> {
    let start = line.as_ptr() as usize;
    line.split_ascii_whitespace().map(move |text| Word {
        text,
        line: number,
        column: text.as_ptr() as usize - start + 1,
    })
}

fn unexpected(word: Word<'_>) -> Fault {
    word.fault(format!(
        "expected the end of the line, found `{}`",
        word.shown()
    ))
}
