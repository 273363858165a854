//! The grammar: relations, sums, products with and without signs, powers, groups.

use super::lexer::{NotationTokenKind, TextToken};
use super::{Ambiguity, NotationOptions, ReadExpression, ReadFault};
use crate::tree::{Expr, MathConstant, MathFunction, SymbolTraits};

/// Nesting of a text.
const NESTING_LIMIT: usize = 60;

/// A reader of tokens.
pub(super) struct ExpressionReader<'a> {
    pub tokens: &'a [TextToken],
    pub text: &'a str,
    pub at: usize,
    pub options: &'a NotationOptions,
    pub ambiguities: Vec<Ambiguity>,
    pub nesting: usize,
    /// Inside an integral, whose end is `d` and a variable.
    pub integrals: usize,
    /// The variable of the integral, once read.
    pub differential: Option<String>,
    /// Indices of sums, which are symbols.
    pub bound: Vec<String>,
    /// Bars that are open.
    pub bars: usize,
}

pub(super) type Read<T> = Result<T, ReadFault>;

/// Reads all tokens as one expression.
pub(super) fn read_tokens(
    tokens: &[TextToken],
    text: &str,
    options: &NotationOptions,
) -> Read<ReadExpression> {
    let mut reader = ExpressionReader {
        tokens,
        text,
        at: 0,
        options,
        ambiguities: Vec::new(),
        nesting: 0,
        integrals: 0,
        differential: None,
        bound: Vec::new(),
        bars: 0,
    };
    let expr = reader.relation()?;
    if reader.at < tokens.len() {
        return Err(reader.fault(&format!("expected the end, found {}", reader.describe())));
    }
    if expr.poison() == Some(crate::tree::Poison::TooLarge) {
        return Err(reader.fault("the expression is too large or too deep"));
    }
    Ok(ReadExpression {
        expr,
        ambiguities: reader.ambiguities,
    })
}

impl ExpressionReader<'_> {
    pub(super) fn peek(&self) -> Option<&NotationTokenKind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<&NotationTokenKind> {
        self.tokens.get(self.at + ahead).map(|token| &token.kind)
    }

    pub(super) fn place(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.text.len(), |token| token.place)
    }

    pub(super) fn fault(&self, message: &str) -> ReadFault {
        ReadFault {
            message: message.to_owned(),
            place: self.place(),
        }
    }

    pub(super) fn describe(&self) -> String {
        match self.peek() {
            None => "the end".to_owned(),
            Some(_) => {
                let rest: String = self.text[self.place()..].chars().take(12).collect();
                format!("`{rest}`")
            }
        }
    }

    pub(super) fn is_sign(&self, sign: char) -> bool {
        self.peek() == Some(&NotationTokenKind::Sign(sign))
    }

    pub(super) fn take_sign(&mut self, sign: char) -> bool {
        let is_there = self.is_sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn expect_sign(&mut self, sign: char) -> Read<()> {
        match self.take_sign(sign) {
            true => Ok(()),
            false => Err(self.fault(&format!("expected `{sign}`, found {}", self.describe()))),
        }
    }

    pub(super) fn is_command(&self, name: &str) -> bool {
        matches!(self.peek(), Some(NotationTokenKind::Command(found)) if found == name)
    }

    pub(super) fn take_command(&mut self, name: &str) -> bool {
        let is_there = self.is_command(name);
        self.at += usize::from(is_there);
        is_there
    }

    /// Names a reading where another is possible.
    pub(super) fn note(&mut self, from: usize, read_as: impl Into<String>, or: impl Into<String>) {
        let start = self.tokens.get(from).map_or(0, |token| token.place);
        let fragment = self
            .text
            .get(start..self.place().max(start))
            .unwrap_or_default()
            .trim()
            .to_owned();
        let ambiguity = Ambiguity {
            fragment,
            read_as: read_as.into(),
            or: or.into(),
        };
        if self.ambiguities.len() < 20 && !self.ambiguities.contains(&ambiguity) {
            self.ambiguities.push(ambiguity);
        }
    }

    /// One level deeper.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.nesting += 1;
        if self.nesting > NESTING_LIMIT {
            return Err(self.fault(&format!("nested deeper than {NESTING_LIMIT} levels")));
        }
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    pub(super) fn relation(&mut self) -> Read<Expr> {
        let left = self.sum()?;
        let Some(NotationTokenKind::Relation(kind)) = self.peek() else {
            return Ok(left);
        };
        let kind = *kind;
        self.at += 1;
        let right = self.sum()?;
        if let Some(NotationTokenKind::Relation(_)) = self.peek() {
            return Err(self.fault(
                "expected one relation, found a chain; write each as an equation of its own",
            ));
        }
        Ok(Expr::relation(kind, left, right))
    }

    pub(super) fn sum(&mut self) -> Read<Expr> {
        self.nested(|reader| {
            let mut terms = vec![reader.signed_product()?];
            while reader.differential.is_none() || reader.integrals == 0 {
                let is_plus = reader.is_sign('+');
                if !is_plus && !reader.is_sign('-') && !reader.is_command("pm") {
                    break;
                }
                if reader.is_command("pm") {
                    return Err(reader.fault("`\\pm` is two expressions: write each by itself"));
                }
                reader.at += 1;
                let term = reader.signed_product()?;
                terms.push(if is_plus { term } else { -term });
            }
            Ok(Expr::sum(terms))
        })
    }

    fn signed_product(&mut self) -> Read<Expr> {
        let mut is_negative = false;
        while self.is_sign('-') || self.is_sign('+') {
            is_negative ^= self.is_sign('-');
            self.at += 1;
        }
        let product = self.product()?;
        Ok(if is_negative { -product } else { product })
    }

    /// Factors with `*`, `/` or nothing between them, from left to right.
    fn product(&mut self) -> Read<Expr> {
        let start = self.at;
        let mut total = self.factor()?;
        let mut last_division: Option<usize> = None;
        loop {
            if self.differential.is_some() && self.integrals > 0 {
                return Ok(total);
            }
            if self.take_sign('*') {
                last_division = None;
                let factor = self.signed_factor()?;
                total = total * factor;
            } else if self.is_sign('/') {
                if matches!(self.peek_at(1), Some(NotationTokenKind::Sign('/'))) {
                    return Err(self.fault("`//` rounds and is not symbolic: write `floor(a/b)`"));
                }
                self.at += 1;
                last_division = Some(self.at);
                let factor = self.signed_factor()?;
                total = total / factor;
            } else if self.starts_factor() {
                let is_number = |at: usize| {
                    let kind = self.tokens.get(at).map(|token| &token.kind);
                    matches!(kind, Some(NotationTokenKind::Number(_)))
                };
                if is_number(self.at - 1) && is_number(self.at) {
                    return Err(self.fault(
                        "two numbers stand side by side: write `*` between them, or braces around an exponent",
                    ));
                }
                let before = self.at;
                let factor = self.factor()?;
                if let Some(divisor) = last_division {
                    let text = |from: usize, to: usize| {
                        self.text
                            .get(from..to)
                            .unwrap_or_default()
                            .trim()
                            .to_owned()
                    };
                    let divided = text(self.tokens[divisor].place, self.tokens[before].place);
                    let times = text(self.tokens[before].place, self.place());
                    self.note(
                        start,
                        format!("(.../{divided})*{times}"),
                        format!(".../({divided}*{times})"),
                    );
                }
                total = total * factor;
            } else {
                return Ok(total);
            }
        }
    }

    pub(super) fn signed_factor(&mut self) -> Read<Expr> {
        let mut is_negative = false;
        while self.is_sign('-') || self.is_sign('+') {
            is_negative ^= self.is_sign('-');
            self.at += 1;
        }
        let factor = self.factor()?;
        Ok(if is_negative { -factor } else { factor })
    }

    /// Whether what follows can be a factor without a sign before it.
    pub(super) fn starts_factor(&self) -> bool {
        match self.peek() {
            Some(NotationTokenKind::Number(_) | NotationTokenKind::Name(_)) => true,
            Some(NotationTokenKind::Sign(sign)) => {
                matches!(sign, '(' | '{' | '[') || (*sign == '|' && self.bars == 0)
            }
            Some(NotationTokenKind::Command(name)) => !matches!(
                name.as_str(),
                "to" | "rightarrow"
                    | "rbrace"
                    | "rfloor"
                    | "rceil"
                    | "end"
                    | "pm"
                    | "mp"
                    | "rangle"
            ),
            _ => false,
        }
    }

    /// An atom with its exponents and factorials.
    pub(super) fn factor(&mut self) -> Read<Expr> {
        self.nested(|reader| {
            let start = reader.at;
            let mut value = reader.atom()?;
            loop {
                if reader.take_sign('!') {
                    value = Expr::apply(MathFunction::Factorial, value);
                } else if reader.is_sign('^') {
                    reader.at += 1;
                    let exponent = reader.exponent()?;
                    if reader.is_sign('^') {
                        reader.at += 1;
                        let upper = reader.exponent()?;
                        reader.note(start, "a^(b^c)", "(a^b)^c");
                        value = value.pow(&exponent.pow(&upper));
                    } else {
                        value = value.pow(&exponent);
                    }
                } else {
                    return Ok(value);
                }
            }
        })
    }

    /// What stands after `^`: a group, a signed atom, or in LaTeX one digit or letter.
    pub(super) fn exponent(&mut self) -> Read<Expr> {
        if self.is_sign('{') {
            return self.group();
        }
        let is_latex = self.text.contains('\\');
        if let (true, Some(NotationTokenKind::Number(value))) = (is_latex, self.peek()) {
            let value = value.clone();
            let digits = value.to_string();
            if digits.len() > 1 && value.is_integer() {
                let from = self.at;
                self.at += 1;
                self.note(
                    from,
                    format!("the exponent {digits}"),
                    "the first digit alone, as LaTeX sets it",
                );
                return Ok(Expr::number(value));
            }
        }
        let is_negative = self.take_sign('-');
        let base = self.atom()?;
        let value = match self.is_sign('!') {
            true => {
                self.at += 1;
                Expr::apply(MathFunction::Factorial, base)
            }
            false => base,
        };
        Ok(if is_negative { -value } else { value })
    }

    /// `{ ... }` or one atom.
    pub(super) fn group(&mut self) -> Read<Expr> {
        if self.take_sign('{') {
            let bars = std::mem::take(&mut self.bars);
            let value = self.sum()?;
            self.bars = bars;
            self.expect_sign('}')?;
            return Ok(value);
        }
        // `\frac12` takes one digit each.
        if let Some(NotationTokenKind::Number(value)) = self.peek() {
            let value = value.clone();
            self.at += 1;
            return Ok(Expr::number(value));
        }
        self.atom()
    }

    fn atom(&mut self) -> Read<Expr> {
        let Some(kind) = self.peek().cloned() else {
            return Err(self.fault("expected a number, a name or a bracket, found the end"));
        };
        match kind {
            NotationTokenKind::Number(value) => {
                self.at += 1;
                Ok(Expr::number(value))
            }
            NotationTokenKind::Name(name) => self.name(&name),
            NotationTokenKind::Command(name) => self.command(&name),
            NotationTokenKind::Sign('(') => self.bracketed(')'),
            NotationTokenKind::Sign('[') => self.bracketed(']'),
            NotationTokenKind::Sign('{') => self.group(),
            NotationTokenKind::Sign('|') => {
                self.at += 1;
                self.bars += 1;
                let inside = self.sum()?;
                self.bars -= 1;
                self.expect_sign('|')?;
                Ok(Expr::apply(MathFunction::Abs, inside))
            }
            _ => Err(self.fault(&format!(
                "expected a number, a name or a bracket, found {}",
                self.describe()
            ))),
        }
    }

    pub(super) fn bracketed(&mut self, close: char) -> Read<Expr> {
        self.at += 1;
        let bars = std::mem::take(&mut self.bars);
        let differential = self.differential.take();
        let integrals = std::mem::take(&mut self.integrals);
        let value = self.sum()?;
        self.bars = bars;
        self.integrals = integrals;
        self.differential = differential;
        self.expect_sign(close)?;
        Ok(value)
    }

    /// The symbol of a name.
    pub(super) fn symbol(&self, name: &str) -> Expr {
        let traits = match self.options.traits.get(name) {
            Some(traits) => *traits,
            None if self.options.is_complex => SymbolTraits::default(),
            None => SymbolTraits::REAL,
        };
        Expr::symbol_with(name, traits)
    }

    /// The constant of a name, unless it is declared a symbol.
    pub(super) fn constant(&mut self, name: &str) -> Option<Expr> {
        let is_declared = self.options.traits.contains_key(name)
            || self.options.symbols.iter().any(|known| known == name)
            || self.bound.iter().any(|known| known == name);
        if is_declared {
            return None;
        }
        let from = self.at.saturating_sub(1);
        Some(match name {
            "pi" => Expr::pi(),
            "tau" if !self.text.contains('\\') => Expr::integer(2) * Expr::pi(),
            "inf" | "oo" | "infinity" | "infty" => Expr::infinity(),
            "e" => {
                self.note(
                    from,
                    "Euler's number 2.718...",
                    "a symbol `e`, if it is declared",
                );
                Expr::constant(MathConstant::E)
            }
            "i" => {
                self.note(
                    from,
                    "the imaginary unit",
                    "a symbol `i`, if it is declared",
                );
                Expr::i()
            }
            "euler_gamma" => Expr::constant(MathConstant::EulerGamma),
            _ => return None,
        })
    }
}
