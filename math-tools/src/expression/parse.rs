//! From tokens to the tree: precedence climbing with a depth limit.
//!
//! Chains of equal precedence are loops, so a sum of thousands of terms has depth 1; only parentheses, signs, powers and
//! calls nest.

use crate::prelude::did_you_mean;
use tool_core::number;

use super::ast::{Ast, AstKind, AstNode};
use super::error::{ExpressionError, GRAMMAR};
use super::functions::{
    self, ADD, BinaryDefinition, DIV, EQUAL, FLOOR_DIV, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL,
    MOD, MUL, NEG, NOT_EQUAL, POW, ReductionFunction, SUB,
};
use super::scope::ScopeLeaf;
use super::token::{ExpressionToken, TokenKind, tokenise_text};
use super::{DEPTH_MAX, ExpressionScope};

/// Parses a whole text.
pub(super) fn parse_expression(
    text: &str,
    scope: &ExpressionScope,
) -> Result<Ast, ExpressionError> {
    let tokens = tokenise_text(text)?;
    if tokens.len() == 1 {
        return Err(ExpressionError::new(
            "the expression is empty",
            "pass a formula such as \"sin(x) + 1\"",
        ));
    }
    let mut parser = ExpressionParser {
        tokens: &tokens,
        next: 0,
        depth: 0,
        scope,
        nodes: Vec::with_capacity(tokens.len()),
        locals: Vec::new(),
        folds_data: false,
    };
    parser.definitions()?;
    let starts = parser.nodes.len();
    parser.comparison()?;
    let has_ended = parser.accept(";");
    let token = parser.peek();
    if has_ended && token.kind != TokenKind::End {
        let message = format!("a second value at column {}", token.column);
        let hint = "give names to all values but the last: `name = value;`";
        return Err(ExpressionError::new(message, hint));
    }
    if token.kind != TokenKind::End {
        return Err(after_operand(token, "an operator or the end"));
    }
    let is_column = parser.is_column(starts);
    if is_column && !scope.by_row {
        return Err(ExpressionError::new(
            "the value is a column, one for each row of `data`",
            "make it one number with `sum(...)`, `mean(...)`, `max(...)` or the like",
        ));
    }
    if let Some(data) = &scope.data {
        for node in &parser.nodes {
            if let AstKind::Slot(slot) = node.kind
                && data.has(slot)
            {
                data.column(slot).map_err(ExpressionError::of_data)?;
            }
        }
    }
    let mut ast = Ast::new(parser.nodes, scope.data.clone());
    ast.is_column = is_column;
    ast.folds_data = parser.folds_data;
    Ok(ast)
}

pub(super) struct ExpressionParser<'a> {
    tokens: &'a [ExpressionToken<'a>],
    pub(super) next: usize,
    depth: usize,
    pub(super) scope: &'a ExpressionScope,
    pub(super) nodes: Vec<AstNode>,
    pub(super) locals: Vec<LocalDefinition<'a>>,
    /// Whether a column was read into a number, so that no node names it.
    pub(super) folds_data: bool,
}

/// A name that the text defines; without a name, an operand that a template uses several times.
pub(super) struct LocalDefinition<'a> {
    pub(super) name: &'a str,
    pub(super) is_column: bool,
}

impl<'a> ExpressionParser<'a> {
    pub(super) fn peek(&self) -> ExpressionToken<'a> {
        self.tokens[self.next]
    }

    pub(super) fn advance(&mut self) -> ExpressionToken<'a> {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.next += 1;
        }
        token
    }

    pub(super) fn push(&mut self, kind: AstKind, column: usize) {
        self.nodes.push(AstNode { kind, column });
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = is_sign(self.peek(), sign);
        if found {
            self.next += 1;
        }
        found
    }

    /// `name = value;`, as often as it stands there.
    fn definitions(&mut self) -> Result<(), ExpressionError> {
        loop {
            let (token, next) = (self.peek(), self.tokens.get(self.next + 1));
            let (TokenKind::Name { name, prefixed }, true) =
                (token.kind, next.is_some_and(|next| is_sign(*next, "=")))
            else {
                return Ok(());
            };
            let column = token.column;
            let known = match () {
                () if prefixed => Some("a name of a library"),
                () if functions::find_function(name).is_some() => Some("a function"),
                () if functions::find_constant(name).is_some() => Some("a constant"),
                () if self.locals.iter().any(|local| local.name == name) => {
                    Some("a name that is defined already")
                }
                () => None,
            };
            if self.scope.leaf(name).is_some() || self.scope.list_len(name).is_some() {
                let at = next.map_or(column, |next| next.column);
                let message = format!("unexpected `=` at column {at}: `{name}` has a value here");
                let hint = "write `==` to compare; a definition takes a new name";
                return Err(ExpressionError::new(message, hint));
            }
            if let Some(known) = known {
                let message = format!("cannot define `{name}` at column {column}: it is {known}");
                return Err(ExpressionError::new(message, "choose another name"));
            }
            self.next += 2;
            let starts = self.nodes.len();
            self.comparison()?;
            self.define(name, starts, column);
            if !self.accept(";") {
                return Err(after_operand(
                    self.peek(),
                    "`;` after the definition, and then the value",
                ));
            }
        }
    }

    /// Gives the value whose nodes start there to a name.
    pub(super) fn define(&mut self, name: &'a str, starts: usize, column: usize) -> usize {
        let is_column = self.is_column(starts);
        let local = self.locals.len();
        self.push(AstKind::Define(local), column);
        self.locals.push(LocalDefinition { name, is_column });
        local
    }

    /// Whether the value whose nodes start there is a column.
    pub(super) fn is_column(&self, starts: usize) -> bool {
        let Some(data) = &self.scope.data else {
            return false;
        };
        let mut columns: Vec<bool> = Vec::new();
        for node in &self.nodes[starts..] {
            let operands = columns.split_off(columns.len() - node.kind.arity());
            columns.push(match node.kind {
                AstKind::Define(_) => continue,
                AstKind::Slot(slot) => data.has(slot),
                AstKind::Local(local) => self.locals[local].is_column,
                AstKind::Reduce(op) => op == ReductionFunction::CumSum,
                _ => operands.contains(&true),
            });
        }
        columns.last().copied().unwrap_or(false)
    }

    /// Consumes one of the operators of a level.
    fn operator(
        &mut self,
        level: &[(&str, &'static BinaryDefinition)],
    ) -> Option<(&'static BinaryDefinition, usize)> {
        let token = self.peek();
        if token.kind != TokenKind::Sign {
            return None;
        }
        let (_, op) = level.iter().find(|(sign, _)| is_sign(token, sign))?;
        self.next += 1;
        Some((*op, token.column))
    }

    pub(super) fn nested(
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

    pub(super) fn comparison(&mut self) -> Result<(), ExpressionError> {
        const LEVEL: &[(&str, &BinaryDefinition)] = &[
            ("<", &LESS),
            ("<=", &LESS_EQUAL),
            (">", &GREATER),
            (">=", &GREATER_EQUAL),
            ("==", &EQUAL),
            ("!=", &NOT_EQUAL),
        ];
        self.sum()?;
        if let Some((op, column)) = self.operator(LEVEL) {
            self.sum()?;
            self.push(AstKind::Binary(op), column);
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
        while let Some((op, column)) = self.operator(&[("+", &ADD), ("-", &SUB)]) {
            let start = self.nodes.len();
            if self.product()? {
                // `a + b%` is a (1 + b / 100)
                self.nodes.insert(start, whole_number_node(1.0, column));
                self.push(AstKind::Binary(op), column);
                self.push(AstKind::Binary(&MUL), column);
            } else {
                self.push(AstKind::Binary(op), column);
            }
        }
        Ok(())
    }

    /// Answers whether the product is a single percentage, `b%`.
    fn product(&mut self) -> Result<bool, ExpressionError> {
        const LEVEL: &[(&str, &BinaryDefinition)] =
            &[("*", &MUL), ("/", &DIV), ("//", &FLOOR_DIV), ("%", &MOD)];
        self.unary()?;
        let (mut operators, mut percents) = (0, 0);
        while let Some((op, column)) = self.operator(LEVEL) {
            operators += 1;
            if *op == MOD && self.ends_percentage() {
                percents += 1;
                self.nodes.push(whole_number_node(100.0, column));
                self.push(AstKind::Binary(&DIV), column);
                if is_name(self.peek(), "of") {
                    operators += 1;
                    self.next += 1;
                    self.unary()?;
                    self.push(AstKind::Binary(&MUL), column);
                }
                continue;
            }
            self.unary()?;
            self.push(AstKind::Binary(op), column);
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
    fn imaginary(&mut self, number: ExpressionToken<'_>) {
        let unit = self.peek();
        let adjacent = unit.column == number.column + number.text.len();
        if let Some(slot) = self.scope.imaginary_unit
            && adjacent
            && (is_name(unit, "i") || is_name(unit, "j"))
        {
            self.next += 1;
            self.push(AstKind::Slot(slot), unit.column);
            self.push(AstKind::Binary(&MUL), unit.column);
        }
    }

    fn unary(&mut self) -> Result<(), ExpressionError> {
        let column = self.peek().column;
        if self.accept("-") {
            self.nested(column, Self::unary)?;
            self.push(AstKind::Unary(&NEG), column);
            Ok(())
        } else if self.accept("+") {
            self.nested(column, Self::unary)
        } else {
            self.power()
        }
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.primary()?;
        if let Some((op, column)) = self.operator(&[("**", &POW), ("^", &POW)]) {
            self.nested(column, Self::unary)?;
            self.push(AstKind::Binary(op), column);
        }
        Ok(())
    }

    fn primary(&mut self) -> Result<(), ExpressionError> {
        let token = self.advance();
        match token.kind {
            TokenKind::Number(value) => {
                let text = token.text.into();
                self.push(AstKind::Number { value, text }, token.column);
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
            TokenKind::Sign | TokenKind::End => {
                Err(unexpected_token_error(token, "a number, a name or `(`"))
            }
        }
    }

    pub(super) fn close(&mut self, expected: &str) -> Result<(), ExpressionError> {
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
        token: ExpressionToken<'_>,
    ) -> Result<(), ExpressionError> {
        let column = token.column;
        let mut locals = self.locals.iter();
        if let (false, Some(local)) = (prefixed, locals.position(|local| local.name == name)) {
            self.push(AstKind::Local(local), column);
            return Ok(());
        }
        let leaf = match (prefixed, is_sign(self.peek(), "[")) {
            (true, _) => None,
            (false, true) => Some(self.entry(name, column)?),
            (false, false) => self.scope.leaf(name),
        };
        let kind = match (leaf, functions::find_constant(name)) {
            (Some(ScopeLeaf::Slot(slot)), _) => AstKind::Slot(slot),
            (Some(ScopeLeaf::Number(value)), _) => {
                let text = number::non_finite_spelling(value).into();
                AstKind::Number { value, text }
            }
            (None, Some(value)) => {
                let text = "".into();
                AstKind::Number { value, text }
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
    fn entry(&mut self, name: &str, column: usize) -> Result<ScopeLeaf, ExpressionError> {
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
            let found = describe_token(index);
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
        if functions::find_function(name).is_some() {
            return format!("`{name}` is a function: write `{name}(x)`");
        }
        let constants = || functions::CONSTANTS.iter().map(|(constant, _)| *constant);
        let locals = self.locals.iter().map(|local| local.name);
        let locals = locals.filter(|name| !name.is_empty());
        did_you_mean(name, self.scope.names().chain(locals).chain(constants())).unwrap_or_else(
            || {
                const LISTED: usize = 12;
                let names = self.scope.names().take(LISTED).chain(constants());
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                format!("known names: {}", names.join(", "))
            },
        )
    }
}

/// A whole number that the text implies.
pub(super) fn whole_number_node(value: f64, column: usize) -> AstNode {
    let text = value.to_string().into();
    let kind = AstKind::Number { value, text };
    AstNode { kind, column }
}

fn is_name(token: ExpressionToken<'_>, name: &str) -> bool {
    let prefixed = false;
    token.kind == TokenKind::Name { name, prefixed }
}

pub(super) fn is_sign(token: ExpressionToken<'_>, sign: &str) -> bool {
    token.kind == TokenKind::Sign && token.text == sign
}

fn describe_token(token: ExpressionToken<'_>) -> String {
    const SHOWN: usize = 40;
    if token.kind == TokenKind::End {
        return "end".into();
    }
    format!("`{}`", &token.text[..token.text.len().min(SHOWN)])
}

/// The error for a token that cannot follow an operand.
pub(super) fn after_operand(token: ExpressionToken<'_>, expected: &str) -> ExpressionError {
    if is_sign(token, "=") {
        let message = format!("unexpected `=` at column {}", token.column);
        return ExpressionError::new(
            message,
            "write `==` to compare; a definition, `name = value;`, stands before the value",
        );
    }
    let operand = matches!(token.kind, TokenKind::Number(_) | TokenKind::Name { .. });
    if !operand && !is_sign(token, "(") {
        return unexpected_token_error(token, expected);
    }
    let (column, found) = (token.column, describe_token(token));
    ExpressionError::new(
        format!(
            "unexpected {found} at column {column}: two values without an operator between them"
        ),
        "write the product with `*`",
    )
}

fn unexpected_token_error(token: ExpressionToken<'_>, expected: &str) -> ExpressionError {
    let (column, found) = (token.column, describe_token(token));
    let message = format!("unexpected {found} at column {column}, expected {expected}");
    ExpressionError::new(message, GRAMMAR)
}
