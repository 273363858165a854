//! What the tools of symbolic mathematics share: texts read, faults worded, answers written.

use symbolic::budget::{Budget, Outcome, SymbolicFault, on_wide_stack};
use symbolic::calculus::ValueCheck;
use symbolic::parse::{NotationOptions, read_expression};
use symbolic::print::{write_latex, write_text, write_unicode};
use symbolic::tree::{Expr, SymbolTraits};

use crate::calculus::differentiate::OneOrManyFormulas;
use crate::prelude::*;

/// Steps of an answer; a step takes about a microsecond.
const STEPS: u64 = 4_000_000;

/// Most assumptions of a call.
const ASSUMPTIONS_MAX: usize = 100;

/// An expression in three notations.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct RenderedExpression {
    /// In the language of `calculate`, ready for its `expression`.
    pub text: String,
    /// In LaTeX.
    pub latex: String,
    /// On one line with mathematical signs.
    pub unicode: String,
}

/// What could be read in two ways.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub(crate) struct ReadAmbiguity {
    /// The part of the text.
    pub fragment: String,
    /// How it was read.
    pub read_as: String,
    /// The other reading: write brackets to have it.
    pub or: String,
}

/// How an answer was checked.
#[derive(Debug, Clone, Default, PartialEq, Encode, Describe)]
pub(crate) struct CheckEvidence {
    /// What was done.
    pub how: String,
    /// At how many points or solutions.
    pub points: usize,
    /// Significant digits to which values agreed.
    pub digits: usize,
}

/// The evidence of a check by values; an answer that fails it is not returned.
pub(crate) fn evidence_of(
    check: ValueCheck,
    how: &str,
    without: &str,
) -> Result<CheckEvidence, ToolError> {
    if check.has_failed {
        return Err(
            ToolError::numeric("/expression", "the answer that was found fails its check")
                .reason("unverified"),
        );
    }
    let how = if check.points == 0 { without } else { how };
    Ok(CheckEvidence {
        how: how.to_owned(),
        points: check.points,
        digits: if check.points == 0 { 0 } else { check.digits },
    })
}

/// Writes an expression.
pub(crate) fn render(expr: &Expr) -> RenderedExpression {
    RenderedExpression {
        text: write_text(expr),
        latex: write_latex(expr),
        unicode: write_unicode(expr),
    }
}

/// Reads texts of one call with the same assumptions.
#[derive(Debug, Default)]
pub(crate) struct TextReader {
    pub options: NotationOptions,
    pub ambiguities: Vec<ReadAmbiguity>,
}

impl TextReader {
    /// With assumptions such as `x > 0` or `n integer`; `symbols` are names that are no constants.
    pub(crate) fn new(
        assumptions: Option<&OneOrManyFormulas>,
        symbols: &[String],
        is_complex: bool,
    ) -> Result<Self, ToolError> {
        let mut options = NotationOptions {
            is_complex,
            symbols: symbols.to_vec(),
            ..NotationOptions::default()
        };
        let texts = texts_of(assumptions);
        if texts.len() > ASSUMPTIONS_MAX {
            let count = texts.len();
            refuse!(invalid "/assumptions", "limit"; "expected at most {ASSUMPTIONS_MAX} assumptions, found {count}";
                "leave out those of symbols that do not occur");
        }
        for text in texts {
            let (name, traits) = read_assumption(&text)?;
            options.traits.insert(name, traits);
        }
        Ok(Self {
            options,
            ambiguities: Vec::new(),
        })
    }

    /// Reads one text.
    pub(crate) fn read(&mut self, text: &str, path: &str) -> Result<Expr, ToolError> {
        let options = &self.options;
        let read = on_wide_stack(|| read_expression(text, options)).ok_or_else(no_thread)?;
        let read = read.map_err(|fault| {
            ToolError::invalid(path, fault).reason("syntax").hint(
                "write products with `*` and arguments in brackets, as in `2*x*sin(x)`, or LaTeX",
            )
        })?;
        for ambiguity in read.ambiguities {
            let ambiguity = ReadAmbiguity {
                fragment: ambiguity.fragment,
                read_as: ambiguity.read_as,
                or: ambiguity.or,
            };
            // The constants e and i are named only where they are not the plain reading.
            let is_plain = ambiguity.fragment.trim() == "e" || ambiguity.fragment.trim() == "i";
            if !is_plain && !self.ambiguities.contains(&ambiguity) {
                self.ambiguities.push(ambiguity);
            }
        }
        if let Some(name) = not_a_number(&read.expr) {
            return Err(
                ToolError::invalid(path, format_args!("`{name}` is no value"))
                    .reason("syntax")
                    .hint("leave the term out, or name a symbol otherwise"),
            );
        }
        match read.expr.poison() {
            None => Ok(read.expr),
            Some(_) => Err(ToolError::invalid(
                path,
                "the expression has no value: it divides by zero or is not defined",
            )),
        }
    }

    /// The symbol of a name as it is read.
    pub(crate) fn symbol(&mut self, name: &str, path: &str) -> Result<Expr, ToolError> {
        if !self.options.symbols.iter().any(|known| known == name) {
            self.options.symbols.push(name.to_owned());
        }
        let symbol = self.read(name, path)?;
        match symbol.as_symbol() {
            Some(_) => Ok(symbol),
            None => Err(ToolError::invalid(
                path,
                format_args!("`{name}` is no name of a variable"),
            )),
        }
    }

    /// The variable given, or the one symbol of an expression.
    pub(crate) fn variable(&mut self, given: Option<&str>, expr: &Expr) -> Result<Expr, ToolError> {
        if let Some(name) = given {
            return self.symbol(name, "/variable");
        }
        let symbols = expr.symbols();
        let chosen = match symbols.len() {
            1 => symbols.iter().next(),
            0 => return self.symbol("x", "/variable"),
            _ => symbols.iter().find(|symbol| &*symbol.name == "x"),
        };
        match chosen {
            Some(symbol) => Ok(Expr::symbol_with(&symbol.name, symbol.traits)),
            None => Err(ToolError::invalid(
                "/variable",
                "the expression has several symbols: which is the variable",
            )
            .hint("name it as `variable`")),
        }
    }
}

/// One text or several.
pub(crate) fn texts_of(texts: Option<&OneOrManyFormulas>) -> Vec<String> {
    match texts {
        None => Vec::new(),
        Some(OneOrManyFormulas::One(text)) => text
            .split([';', '\n'])
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect(),
        Some(OneOrManyFormulas::Many(texts)) => texts.clone(),
    }
}

/// A symbol that other systems write for a missing number.
fn not_a_number(expr: &Expr) -> Option<String> {
    expr.symbols()
        .iter()
        .map(|symbol| symbol.name.to_string())
        .find(|name| name.eq_ignore_ascii_case("nan"))
}

fn read_assumption(text: &str) -> Result<(String, SymbolTraits), ToolError> {
    let squeezed: String = text.chars().filter(|sign| !sign.is_whitespace()).collect();
    let name: String = squeezed
        .chars()
        .take_while(|sign| sign.is_alphanumeric() || *sign == '_')
        .collect();
    let rest = &squeezed[name.len()..];
    let words: Vec<&str> = text.split_whitespace().collect();
    let positive_integer = SymbolTraits {
        is_integer: true,
        ..SymbolTraits::POSITIVE
    };
    let nonnegative = SymbolTraits {
        is_nonnegative: true,
        ..SymbolTraits::REAL
    };
    let traits = match (rest, words.as_slice()) {
        (">0", _) => Some(SymbolTraits::POSITIVE),
        (">=0", _) => Some(nonnegative),
        (_, [_, "positive"]) => Some(SymbolTraits::POSITIVE),
        (_, [_, "real"]) => Some(SymbolTraits::REAL),
        (_, [_, "complex"]) => Some(SymbolTraits::default()),
        (_, [_, "integer"]) => Some(SymbolTraits::INTEGER),
        (_, [_, "positive", "integer"]) => Some(positive_integer),
        _ => None,
    };
    match traits {
        Some(traits) => {
            let name = if rest.starts_with('>') { name } else { words[0].to_owned() };
            Ok((name, traits))
        }
        None => Err(ToolError::invalid("/assumptions", format_args!("`{text}` is no assumption"))
            .hint("write `x > 0`, `x >= 0`, `x positive`, `x real`, `x complex`, `n integer` or `n positive integer`")),
    }
}

fn no_thread() -> ToolError {
    ToolError::new(
        ErrorCode::LimitExceeded,
        "no thread could be started for the work",
    )
    .reason("threads")
}

/// Runs an engine within the limits of a call.
pub(crate) fn answer<T: Send>(
    ctx: &Ctx,
    path: &str,
    work: impl FnOnce(&Budget<'_>) -> Outcome<T> + Send,
) -> Result<T, ToolError> {
    ctx.check()?;
    let stop = ctx.stop().clone();
    let found = on_wide_stack(move || {
        let is_stopped = || stop.is_set();
        work(&Budget::new(STEPS, &is_stopped))
    });
    match found.ok_or_else(no_thread)? {
        Ok(found) => Ok(found),
        Err(SymbolicFault::Stopped) => {
            ctx.check()?;
            Err(ToolError::new(ErrorCode::LimitExceeded, "stopped").at(path))
        }
        Err(fault @ (SymbolicFault::Work(_) | SymbolicFault::Size)) => {
            Err(ToolError::new(ErrorCode::LimitExceeded, fault)
                .at(path)
                .reason("work")
                .hint("pose a smaller question, or give symbols their values"))
        }
        Err(SymbolicFault::Undefined) => Err(ToolError::numeric(
            path,
            "a step of the answer divides by zero or is not defined",
        )
        .reason("undefined")),
        Err(SymbolicFault::Refused(reason)) => {
            Err(ToolError::numeric(path, reason).reason("refused"))
        }
    }
}
