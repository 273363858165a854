//! Reads LaTeX into a tree.

use thiserror::Error;

use super::commands::fenced;
use super::node::{FormulaNode, MatrixColumns, SymbolClass};
use super::symbols::{command_symbol, sign_symbol};
use super::tokens::{LatexToken, tokenise_latex};

/// Bounds of a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormulaLimits {
    /// Longest text in bytes.
    pub bytes: usize,
    /// Deepest nesting.
    pub depth: usize,
}

impl Default for FormulaLimits {
    fn default() -> Self {
        Self {
            bytes: 20_000,
            depth: 40,
        }
    }
}

/// Why a text is no formula.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FormulaError {
    /// It is too long.
    #[error("the formula has {found} bytes, at most {most} are read")]
    TooLong {
        /// Its length.
        found: usize,
        /// The limit.
        most: usize,
    },
    /// It is nested too deeply.
    #[error("the formula is nested deeper than {0}")]
    TooDeep(usize),
    /// Something is opened and not closed.
    #[error("`{0}` is not closed")]
    NotClosed(String),
    /// Something is closed that was not opened.
    #[error("`{0}` without its beginning")]
    NotOpened(String),
    /// A command lacks its argument.
    #[error("`{0}` without its argument")]
    NoArgument(String),
    /// Two scripts at one place.
    #[error("two {0}scripts of one symbol")]
    TwoScripts(&'static str),
}

/// A formula and what of it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaReading {
    /// The tree.
    pub formula: FormulaNode,
    /// Commands that are shown as they are, each once.
    pub unknown: Vec<String>,
}

/// Reads a formula; signs `$`, `\[`, `\(` around it are left out.
///
/// # Errors
/// [`FormulaError`].
pub fn read_formula(text: &str, limits: FormulaLimits) -> Result<FormulaReading, FormulaError> {
    if text.len() > limits.bytes {
        return Err(FormulaError::TooLong {
            found: text.len(),
            most: limits.bytes,
        });
    }
    let mut parser = FormulaParser {
        tokens: tokenise_latex(without_dollars(text)),
        at: 0,
        depth: 0,
        most: limits.depth,
        unknown: Vec::new(),
    };
    let formula = parser.row(&RowEnd::Text)?;
    Ok(FormulaReading {
        formula,
        unknown: parser.unknown,
    })
}

fn without_dollars(text: &str) -> &str {
    let text = text.trim();
    for (open, close) in [("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)")] {
        let inner = text
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

/// What ends a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowEnd {
    /// The end of the text.
    Text,
    /// `}`.
    Brace,
    /// `]` of an optional argument.
    Bracket,
    /// `\right`.
    Right,
    /// `\end` of an environment.
    Environment(String),
}

/// Reads tokens one after another.
pub(super) struct FormulaParser {
    tokens: Vec<LatexToken>,
    pub(super) at: usize,
    depth: usize,
    most: usize,
    /// Commands that are not known.
    pub(super) unknown: Vec<String>,
}

impl FormulaParser {
    pub(super) fn peek(&self) -> Option<&LatexToken> {
        self.tokens.get(self.at)
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek() == Some(&LatexToken::Blank) {
            self.at += 1;
        }
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.peek() == Some(&LatexToken::Sign(sign))
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let is_there = self.is_sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    fn enter(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        match self.depth > self.most {
            true => Err(FormulaError::TooDeep(self.most)),
            false => Ok(()),
        }
    }

    /// One row without columns.
    pub(super) fn row(&mut self, end: &RowEnd) -> Result<FormulaNode, FormulaError> {
        let mut rows = self.rows(end)?;
        Ok(match (rows.len(), rows.first().map_or(0, Vec::len)) {
            (1, 1) => rows.swap_remove(0).swap_remove(0),
            (0, _) => FormulaNode::Row(Vec::new()),
            _ => FormulaNode::Matrix {
                rows,
                open: String::new(),
                close: String::new(),
                columns: MatrixColumns::Equations,
            },
        })
    }

    /// Rows of columns up to an end, which is taken; the last row is left out where it is empty.
    pub(super) fn rows(&mut self, end: &RowEnd) -> Result<Vec<Vec<FormulaNode>>, FormulaError> {
        self.enter()?;
        let mut rows = vec![vec![]];
        let mut parts: Vec<FormulaNode> = Vec::new();
        loop {
            self.skip_blanks();
            let close_cell = |rows: &mut Vec<Vec<FormulaNode>>, parts: &mut Vec<FormulaNode>| {
                if let Some(row) = rows.last_mut() {
                    row.push(FormulaNode::Row(std::mem::take(parts)));
                }
            };
            match self.peek().cloned() {
                None if *end == RowEnd::Text => {
                    close_cell(&mut rows, &mut parts);
                    break;
                }
                None => return Err(FormulaError::NotClosed(end.name())),
                Some(LatexToken::Sign('&')) => {
                    self.at += 1;
                    close_cell(&mut rows, &mut parts);
                }
                Some(LatexToken::Command(name)) if name == "\\" || name == "cr" => {
                    self.at += 1;
                    if self.is_sign('[') {
                        self.optional_text();
                    }
                    close_cell(&mut rows, &mut parts);
                    rows.push(Vec::new());
                }
                Some(token) if self.ends(&token, end)? => {
                    close_cell(&mut rows, &mut parts);
                    break;
                }
                Some(LatexToken::Command(name)) if name == "over" || name == "choose" => {
                    self.at += 1;
                    let numerator = Box::new(FormulaNode::Row(std::mem::take(&mut parts)));
                    let denominator = Box::new(self.row(end)?);
                    let fraction = FormulaNode::Fraction {
                        numerator,
                        denominator,
                        has_line: name == "over",
                    };
                    parts.push(match name.as_str() {
                        "over" => fraction,
                        _ => fenced("(", ")", fraction),
                    });
                    close_cell(&mut rows, &mut parts);
                    break;
                }
                Some(_) => {
                    if let Some(part) = self.part()? {
                        parts.push(part);
                    }
                }
            }
        }
        if rows.len() > 1
            && rows
                .last()
                .is_some_and(|row| row.iter().all(FormulaNode::is_empty))
        {
            rows.pop();
        }
        self.depth -= 1;
        Ok(rows)
    }

    /// Whether a token ends the row; it is then taken.
    fn ends(&mut self, token: &LatexToken, end: &RowEnd) -> Result<bool, FormulaError> {
        let is_end = match (token, end) {
            (LatexToken::Sign('}'), RowEnd::Brace) | (LatexToken::Sign(']'), RowEnd::Bracket) => {
                true
            }
            (LatexToken::Command(name), RowEnd::Right) if name == "right" => true,
            (LatexToken::Command(name), RowEnd::Environment(_)) if name == "end" => true,
            (LatexToken::Sign('}'), _) => return Err(FormulaError::NotOpened("}".to_owned())),
            (LatexToken::Command(name), _) if name == "right" || name == "end" => {
                return Err(FormulaError::NotOpened(format!("\\{name}")));
            }
            _ => false,
        };
        if is_end {
            self.at += 1;
            if let RowEnd::Environment(name) = end {
                let found = self.name_argument("\\end")?;
                if found != *name {
                    return Err(FormulaError::NotClosed(end.name()));
                }
            }
        }
        Ok(is_end)
    }

    /// A symbol or group with its scripts.
    fn part(&mut self) -> Result<Option<FormulaNode>, FormulaError> {
        let starts_with_script = self.is_sign('^') || self.is_sign('_');
        let Some(base) = (match starts_with_script {
            true => Some(FormulaNode::Row(Vec::new())),
            false => self.nucleus()?,
        }) else {
            return Ok(None);
        };
        self.scripts(base).map(Some)
    }

    fn scripts(&mut self, base: FormulaNode) -> Result<FormulaNode, FormulaError> {
        let mut are_limits = match &base {
            FormulaNode::Symbol(symbol) => symbol.has_limits,
            FormulaNode::Accent { is_wide, mark, .. } => *is_wide && "⏞⏟".contains(*mark),
            _ => false,
        };
        let (mut below, mut above): (Option<FormulaNode>, Option<FormulaNode>) = (None, None);
        let mut primes = 0;
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(LatexToken::Command(name)) if name == "limits" => are_limits = true,
                Some(LatexToken::Command(name)) if name == "nolimits" => are_limits = false,
                Some(LatexToken::Sign('\'')) => primes += 1,
                Some(LatexToken::Sign('^')) => {
                    self.at += 1;
                    if above.is_some() {
                        return Err(FormulaError::TwoScripts("super"));
                    }
                    above = Some(self.argument("^")?);
                    continue;
                }
                Some(LatexToken::Sign('_')) => {
                    self.at += 1;
                    if below.is_some() {
                        return Err(FormulaError::TwoScripts("sub"));
                    }
                    below = Some(self.argument("_")?);
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        if primes > 0 {
            let marks = ["′", "″", "‴"]
                .get(primes - 1)
                .map_or_else(|| "′".repeat(primes), |mark| (*mark).to_owned());
            let marks = FormulaNode::symbol(marks, SymbolClass::Ordinary);
            above = Some(match above {
                None => marks,
                Some(other) => FormulaNode::Row(vec![marks, other]),
            });
        }
        if below.is_none() && above.is_none() {
            return Ok(base);
        }
        Ok(FormulaNode::Scripts {
            base: Box::new(base),
            below: below.map(Box::new),
            above: above.map(Box::new),
            are_limits,
        })
    }

    fn nucleus(&mut self) -> Result<Option<FormulaNode>, FormulaError> {
        let Some(token) = self.peek().cloned() else {
            return Ok(None);
        };
        self.at += 1;
        Ok(match token {
            LatexToken::Blank => None,
            LatexToken::Sign('{') => Some(self.row(&RowEnd::Brace)?),
            LatexToken::Sign('~') => Some(FormulaNode::Space(6)),
            LatexToken::Sign('$') => None,
            LatexToken::Sign(digit) if digit.is_ascii_digit() => {
                let mut number = digit.to_string();
                while let Some(LatexToken::Sign(next)) = self.peek() {
                    let is_point = *next == '.'
                        && matches!(self.tokens.get(self.at + 1), Some(LatexToken::Sign(after)) if after.is_ascii_digit());
                    if !next.is_ascii_digit() && !is_point {
                        break;
                    }
                    number.push(*next);
                    self.at += 1;
                }
                // The last digit alone carries a script in LaTeX too; drawn they are the same.
                Some(FormulaNode::symbol(number, SymbolClass::Ordinary))
            }
            LatexToken::Sign(sign) => Some(FormulaNode::Symbol(sign_symbol(sign))),
            LatexToken::Command(name) => self.command(&name)?,
        })
    }

    /// The argument of a command: a group, or one symbol.
    pub(super) fn argument(&mut self, of: &str) -> Result<FormulaNode, FormulaError> {
        self.skip_blanks();
        let no_argument = || FormulaError::NoArgument(of.to_owned());
        match self.peek() {
            None | Some(LatexToken::Sign('}' | '&' | '^' | '_')) => return Err(no_argument()),
            Some(LatexToken::Sign(digit)) if digit.is_ascii_digit() => {
                let digit = FormulaNode::symbol(digit.to_string(), SymbolClass::Ordinary);
                self.at += 1;
                return Ok(digit);
            }
            _ => {}
        }
        self.enter()?;
        let found = self.nucleus()?.ok_or_else(no_argument);
        self.depth -= 1;
        found
    }

    /// The text of `[..]` as it is, left out.
    pub(super) fn optional_text(&mut self) {
        while let Some(token) = self.peek() {
            let is_end = *token == LatexToken::Sign(']');
            self.at += 1;
            if is_end {
                return;
            }
        }
    }

    /// The words of a braced argument as they are.
    pub(super) fn raw_argument(&mut self, of: &str) -> Result<String, FormulaError> {
        self.skip_blanks();
        if !self.take_sign('{') {
            return Err(FormulaError::NoArgument(of.to_owned()));
        }
        let mut text = String::new();
        let mut depth = 1;
        while let Some(token) = self.peek().cloned() {
            self.at += 1;
            match token {
                LatexToken::Sign('}') => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(text);
                    }
                }
                LatexToken::Sign('{') => depth += 1,
                LatexToken::Sign('$') => {}
                LatexToken::Sign('~') | LatexToken::Blank => text.push(' '),
                LatexToken::Sign(sign) => text.push(sign),
                LatexToken::Command(name) => match command_symbol(&name) {
                    Some(symbol) => text.push_str(&symbol.text),
                    None if name.starts_with([',', ';', ':', ' ']) => text.push(' '),
                    None => {
                        text.push('\\');
                        text.push_str(&name);
                    }
                },
            }
        }
        Err(FormulaError::NotClosed("{".to_owned()))
    }

    pub(super) fn name_argument(&mut self, of: &str) -> Result<String, FormulaError> {
        let name = self.raw_argument(of)?;
        Ok(name.trim_end_matches('*').to_owned())
    }
}

impl RowEnd {
    /// What is not closed where it is missing.
    fn name(&self) -> String {
        match self {
            Self::Text => String::new(),
            Self::Brace => "{".to_owned(),
            Self::Bracket => "[".to_owned(),
            Self::Right => "\\left".to_owned(),
            Self::Environment(name) => format!("\\begin{{{name}}}"),
        }
    }
}
