//! From tokens to the tree: precedence climbing with a depth limit.
//!
//! Chains of equal precedence are loops, so a sum of thousands of terms has depth 1; only parentheses, signs, powers and
//! calls nest.

use crate::prelude::did_you_mean;
use tool_core::number;

use super::ast::{Ast, Kind, Node};
use super::error::{ExpressionError, GRAMMAR};
use super::functions::{self, Binary, Function, Unary};
use super::scope::Leaf;
use super::token::{Token, TokenKind, tokens};
use super::{DEPTH_MAX, Scope};

/// Parses a whole text.
pub(super) fn parse(text: &str, scope: &Scope) -> Result<Ast, ExpressionError> {
    let tokens = tokens(text)?;
    if tokens.len() == 1 {
        return Err(ExpressionError::new(
            "the expression is empty",
            "pass a formula such as \"sin(x) + 1\"",
        ));
    }
    let mut parser = Parser {
        tokens: &tokens,
        next: 0,
        depth: 0,
        scope,
        nodes: Vec::new(),
    };
    parser.comparison()?;
    let token = parser.peek();
    if token.kind != TokenKind::End {
        return Err(after_operand(token, "an operator or the end"));
    }
    Ok(Ast::new(parser.nodes))
}

struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    depth: usize,
    scope: &'a Scope,
    nodes: Vec<Node>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    fn advance(&mut self) -> Token<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    fn push(&mut self, kind: Kind, column: usize) {
        self.nodes.push(Node { kind, column });
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = is_sign(self.peek(), sign);
        if found {
            self.next += 1;
        }
        found
    }

    /// Consumes one of the operators of a level.
    fn operator(&mut self, level: &[(&str, Binary)]) -> Option<(Binary, usize)> {
        let token = self.peek();
        let (_, op) = level.iter().find(|(sign, _)| is_sign(token, sign))?;
        self.next += 1;
        Some((*op, token.column))
    }

    fn nested(
        &mut self,
        column: usize,
        parse: impl FnOnce(&mut Self) -> Result<(), ExpressionError>,
    ) -> Result<(), ExpressionError> {
        if self.depth == DEPTH_MAX {
            let message = format!("nested more than {DEPTH_MAX} levels deep at column {column}");
            return Err(ExpressionError::new(
                message,
                "remove parentheses, or split the expression",
            ));
        }
        self.depth += 1;
        parse(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), ExpressionError> {
        const LEVEL: &[(&str, Binary)] = &[
            ("<", Binary::Less),
            ("<=", Binary::LessEqual),
            (">", Binary::Greater),
            (">=", Binary::GreaterEqual),
            ("==", Binary::Equal),
            ("!=", Binary::NotEqual),
        ];
        self.sum()?;
        if let Some((op, column)) = self.operator(LEVEL) {
            self.sum()?;
            self.push(Kind::Binary(op), column);
            if let Some((_, column)) = self.operator(LEVEL) {
                return Err(ExpressionError::new(
                    format!(
                        "a second comparison at column {column}: comparisons cannot be chained"
                    ),
                    "multiply comparisons: `(a < b) * (b < c)`",
                ));
            }
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.product()?;
        while let Some((op, column)) = self.operator(&[("+", Binary::Add), ("-", Binary::Sub)]) {
            let start = self.nodes.len();
            if self.product()? {
                // `a + b%` is a (1 + b / 100)
                self.nodes.insert(start, whole(1.0, column));
                self.push(Kind::Binary(op), column);
                self.push(Kind::Binary(Binary::Mul), column);
            } else {
                self.push(Kind::Binary(op), column);
            }
        }
        Ok(())
    }

    /// Answers whether the product is a single percentage, `b%`.
    fn product(&mut self) -> Result<bool, ExpressionError> {
        const LEVEL: &[(&str, Binary)] = &[
            ("*", Binary::Mul),
            ("/", Binary::Div),
            ("//", Binary::FloorDiv),
            ("%", Binary::Mod),
        ];
        self.unary()?;
        let (mut operators, mut percents) = (0, 0);
        while let Some((op, column)) = self.operator(LEVEL) {
            operators += 1;
            if op == Binary::Mod && self.ends_percentage() {
                percents += 1;
                self.nodes.push(whole(100.0, column));
                self.push(Kind::Binary(Binary::Div), column);
                if is_name(self.peek(), "of") {
                    operators += 1;
                    self.next += 1;
                    self.unary()?;
                    self.push(Kind::Binary(Binary::Mul), column);
                }
                continue;
            }
            self.unary()?;
            self.push(Kind::Binary(op), column);
        }
        Ok(operators == 1 && percents == 1)
    }

    /// Whether the `%` just read is a percent sign: what follows cannot start a divisor. A sign can, so `7 % -3` is a remainder.
    fn ends_percentage(&self) -> bool {
        const FOLLOWERS: [&str; 12] = [
            ")", ",", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=",
        ];
        let token = self.peek();
        self.scope.percent
            && (token.kind == TokenKind::End
                || FOLLOWERS.iter().any(|sign| is_sign(token, sign))
                || (is_name(token, "of") && self.scope.leaf("of").is_none()))
    }

    /// `2i`: the number just pushed, times the imaginary unit.
    fn imaginary(&mut self, number: Token<'_>) {
        let unit = self.peek();
        let adjacent = unit.column == number.column + number.text.len();
        if let Some(slot) = self.scope.imaginary_unit
            && adjacent
            && (is_name(unit, "i") || is_name(unit, "j"))
        {
            self.next += 1;
            self.push(Kind::Slot(slot), unit.column);
            self.push(Kind::Binary(Binary::Mul), unit.column);
        }
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        let column = self.peek().column;
        if self.accept("-") {
            self.nested(column, Self::unary)?;
            self.push(Kind::Unary(Unary::Neg), column);
            Ok(())
        } else if self.accept("+") {
            self.nested(column, Self::unary)
        } else {
            self.power()
        }
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.primary()?;
        if let Some((op, column)) = self.operator(&[("**", Binary::Pow), ("^", Binary::Pow)]) {
            self.nested(column, Self::unary)?;
            self.push(Kind::Binary(op), column);
        }
        Ok(())
    }

    fn primary(&mut self) -> Result<(), ExpressionError> {
        let token = self.advance();
        match token.kind {
            TokenKind::Number(value) => {
                let text = token.text.into();
                self.push(Kind::Number { value, text }, token.column);
                self.imaginary(token);
                Ok(())
            }
            TokenKind::Name { name, prefixed } if is_sign(self.peek(), "(") => {
                self.call(name, prefixed, token.column)
            }
            TokenKind::Name { name, prefixed } => self.variable(name, prefixed, token),
            TokenKind::Sign if token.text == "(" => {
                self.nested(token.column, Self::comparison)?;
                self.close("an operator or `)`")
            }
            TokenKind::Sign | TokenKind::End => Err(unexpected(token, "a number, a name or `(`")),
        }
    }

    fn close(&mut self, expected: &str) -> Result<(), ExpressionError> {
        if self.accept(")") {
            Ok(())
        } else {
            Err(after_operand(self.peek(), expected))
        }
    }

    fn variable(
        &mut self,
        name: &str,
        prefixed: bool,
        token: Token<'_>,
    ) -> Result<(), ExpressionError> {
        let column = token.column;
        let leaf = match (prefixed, is_sign(self.peek(), "[")) {
            (true, _) => None,
            (false, true) => Some(self.entry(name, column)?),
            (false, false) => self.scope.leaf(name),
        };
        let kind = match (leaf, functions::constant(name)) {
            (Some(Leaf::Slot(slot)), _) => Kind::Slot(slot),
            (Some(Leaf::Number(value)), _) => {
                let text = number::spelling(value).into();
                Kind::Number { value, text }
            }
            (None, Some(value)) => {
                let text = "".into();
                Kind::Number { value, text }
            }
            (None, None) => {
                let message = format!("unknown name `{}` at column {column}", token.text);
                return Err(ExpressionError::new(message, self.name_hint(name)));
            }
        };
        self.push(kind, column);
        Ok(())
    }

    /// `name[2]`: the bracket is next.
    fn entry(&mut self, name: &str, column: usize) -> Result<Leaf, ExpressionError> {
        let fail = |problem: &str| {
            ExpressionError::new(
                format!("cannot read an entry of `{name}` at column {column}: {problem}"),
                "lists have entries `x[0]`, `x[1]`, ...: variables such as `x`, or parameters given as a list",
            )
        };
        let len = self
            .scope
            .list_len(name)
            .ok_or_else(|| fail("it is no list"))?;
        self.next += 1;
        let index = self.advance();
        let digits = matches!(index.kind, TokenKind::Number(_)).then_some(index.text);
        let Some(position) = digits.and_then(|digits| digits.parse().ok()) else {
            let found = words(index);
            return Err(fail(&format!(
                "expected a position such as `{name}[0]`, found {found}"
            )));
        };
        if !self.accept("]") {
            return Err(after_operand(self.peek(), "`]`"));
        }
        self.scope
            .entry(name, position)
            .ok_or_else(|| fail(&format!("it has {len} entries, counted from 0")))
    }

    fn name_hint(&self, name: &str) -> String {
        if let Some(len) = self.scope.list_len(name) {
            return format!("`{name}` is a list of {len}: read an entry as `{name}[0]`");
        }
        if functions::function(name).is_some() {
            return format!("`{name}` is a function: write `{name}(x)`");
        }
        let constants = || functions::CONSTANTS.iter().map(|(constant, _)| *constant);
        did_you_mean(name, self.scope.names().chain(constants())).unwrap_or_else(|| {
            const LISTED: usize = 12;
            let names = self.scope.names().take(LISTED).chain(constants());
            let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
            format!("known names: {}", names.join(", "))
        })
    }

    fn call(&mut self, name: &str, prefixed: bool, column: usize) -> Result<(), ExpressionError> {
        let Some(function) = functions::function(name) else {
            let message = format!("unknown function `{name}` at column {column}");
            return Err(ExpressionError::new(
                message,
                self.function_hint(name, prefixed),
            ));
        };
        self.next += 1; // the parenthesis that made this a call
        let mut second_starts = 0;
        let mut found = 0;
        let (fewest, most) = function.arity();
        if !is_sign(self.peek(), ")") {
            loop {
                if found == 1 {
                    second_starts = self.nodes.len();
                }
                self.nested(column, Self::comparison)?;
                found += 1;
                match (function, found) {
                    (Function::Fold(op), 2..) => self.push(Kind::Binary(op), column),
                    (Function::Clip, 2) => self.push(Kind::Binary(Binary::Max), column),
                    (Function::Clip, 3) => self.push(Kind::Binary(Binary::Min), column),
                    _ => {}
                }
                if !self.accept(",") {
                    break;
                }
            }
        }
        self.close("an operator, `,` or `)`")?;
        if found < fewest || found > most {
            let expected = arguments(fewest, most);
            let message = format!("`{name}` at column {column} takes {expected}, found {found}");
            return Err(ExpressionError::new(message, GRAMMAR));
        }
        match function {
            Function::Unary(op) => self.push(Kind::Unary(op), column),
            Function::Binary(op) => self.push(Kind::Binary(op), column),
            Function::Fold(_) | Function::Clip => {}
            Function::Select => self.push(Kind::Select, column),
            Function::Log if found == 1 => self.push(Kind::Unary(Unary::Ln), column),
            Function::Log => self.log(second_starts, column),
        }
        Ok(())
    }

    /// A logarithm with its base: the accurate function where the base is the literal 2 or 10.
    fn log(&mut self, base_starts: usize, column: usize) {
        let literal = match &self.nodes[base_starts..] {
            [
                Node {
                    kind: Kind::Number { value, .. },
                    ..
                },
            ] => Some(*value),
            _ => None,
        };
        let accurate = match literal {
            Some(2.0) => Some(Unary::Log2),
            Some(10.0) => Some(Unary::Log10),
            _ => None,
        };
        match accurate {
            Some(op) => {
                self.nodes.truncate(base_starts);
                self.push(Kind::Unary(op), column);
            }
            None => self.push(Kind::Binary(Binary::LogBase), column),
        }
    }

    fn function_hint(&self, name: &str, prefixed: bool) -> String {
        let value =
            functions::constant(name).is_some() || (!prefixed && self.scope.leaf(name).is_some());
        if value {
            return format!("`{name}` is a value: write the product with `*`, `{name} * (...)`");
        }
        did_you_mean(name, functions::function_names())
            .or_else(|| alike(name))
            .unwrap_or_else(|| "docs/expressions.md lists the functions".to_owned())
    }
}

/// The functions whose names begin as a name does.
fn alike(name: &str) -> Option<String> {
    const LETTERS: usize = 3;
    const LISTED_MAX: usize = 8;
    let beginning: String = name.to_lowercase().chars().take(LETTERS).collect();
    let mut names: Vec<&str> = functions::function_names()
        .filter(|known| beginning.len() >= LETTERS && known.starts_with(&beginning))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(LISTED_MAX);
    let listed = names.join("`, `");
    (!names.is_empty()).then(|| format!("functions with such a name: `{listed}`"))
}

/// A whole number that the text implies.
fn whole(value: f64, column: usize) -> Node {
    let text = value.to_string().into();
    let kind = Kind::Number { value, text };
    Node { kind, column }
}

fn is_name(token: Token<'_>, name: &str) -> bool {
    let prefixed = false;
    token.kind == TokenKind::Name { name, prefixed }
}

fn is_sign(token: Token<'_>, sign: &str) -> bool {
    token.kind == TokenKind::Sign && token.text == sign
}

fn words(token: Token<'_>) -> String {
    const SHOWN: usize = 40;
    if token.kind == TokenKind::End {
        return "end".into();
    }
    format!("`{}`", &token.text[..token.text.len().min(SHOWN)])
}

/// The error for a token that cannot follow an operand.
fn after_operand(token: Token<'_>, expected: &str) -> ExpressionError {
    let operand = matches!(token.kind, TokenKind::Number(_) | TokenKind::Name { .. });
    if !operand && !is_sign(token, "(") {
        return unexpected(token, expected);
    }
    let (column, found) = (token.column, words(token));
    ExpressionError::new(
        format!(
            "unexpected {found} at column {column}: two values without an operator between them"
        ),
        "write the product with `*`",
    )
}

fn unexpected(token: Token<'_>, expected: &str) -> ExpressionError {
    let (column, found) = (token.column, words(token));
    let message = format!("unexpected {found} at column {column}, expected {expected}");
    ExpressionError::new(message, GRAMMAR)
}

fn arguments(fewest: usize, most: usize) -> String {
    match (fewest, most) {
        (1, 1) => "1 argument".into(),
        (n, m) if n == m => format!("{n} arguments"),
        (n, usize::MAX) => format!("at least {n} argument{}", if n == 1 { "" } else { "s" }),
        (n, m) => format!("{n} to {m} arguments"),
    }
}
