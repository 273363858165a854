//! Expressions as an outside system is given them and as it gives them back.
//!
//! It is given lists, an operator first, such as `(+ (* 2 v0) (^ v1 3))`, and symbols as `v0`, `v1`, ... : no name of a user is read as anything else
//! there, and nothing has to be parsed as a program. What it gives back is text in the language of this crate, with the same symbols.

use num_traits::One;

use super::OutsideQuestion;
use crate::budget::{Outcome, refuse};
use crate::parse::{NotationOptions, read_expression};
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction, Symbol};

/// Bytes that a question may have.
const QUESTION_LIMIT: usize = 200_000;

/// The symbols of a question, each under a name of its own.
#[derive(Debug, Default)]
pub(super) struct SymbolNames {
    symbols: Vec<Symbol>,
    /// Symbols that an answer may bring with it, by the names that the system gives them.
    brought: Vec<(String, Expr)>,
}

impl SymbolNames {
    /// Of the symbols of expressions.
    pub(super) fn of<'e>(expressions: impl IntoIterator<Item = &'e Expr>) -> Self {
        let found: std::collections::BTreeSet<Symbol> =
            expressions.into_iter().flat_map(Expr::symbols).collect();
        Self {
            symbols: found.into_iter().collect(),
            brought: Vec::new(),
        }
    }

    /// With a symbol that answers may have.
    pub(super) fn bringing(mut self, name: &str, symbol: Expr) -> Self {
        self.brought.push((name.to_owned(), symbol));
        self
    }

    /// A question about expressions.
    pub(super) fn question(
        &self,
        task: &'static str,
        expressions: &[&Expr],
    ) -> Outcome<OutsideQuestion> {
        let texts = expressions.iter().map(|expr| self.written(expr));
        let expressions = texts.collect::<Outcome<Vec<String>>>()?;
        if expressions.iter().map(String::len).sum::<usize>() > QUESTION_LIMIT {
            return refuse("the expression is too large for an outside system");
        }
        Ok(OutsideQuestion {
            task,
            expressions,
            symbols: self.symbols.iter().map(|symbol| symbol.traits).collect(),
            words: Vec::new(),
            count: 0,
        })
    }

    fn written(&self, expr: &Expr) -> Outcome<String> {
        let mut text = String::new();
        self.write(expr, &mut text)?;
        Ok(text)
    }

    fn write(&self, expr: &Expr, text: &mut String) -> Outcome<()> {
        match expr.node() {
            ExprNode::Number(value) if value.denom().is_one() => {
                text.push_str(&value.numer().to_string());
            }
            ExprNode::Number(value) => {
                text.push_str(&format!("{}/{}", value.numer(), value.denom()));
            }
            ExprNode::Constant(constant) => text.push_str(match constant {
                MathConstant::Pi => "pi",
                MathConstant::E => "e",
                MathConstant::I => "i",
                MathConstant::EulerGamma => "egamma",
                MathConstant::Infinity => "inf",
                MathConstant::MinusInfinity => "-inf",
            }),
            ExprNode::Symbol(symbol) => {
                match self.symbols.iter().position(|known| known == symbol) {
                    Some(place) => text.push_str(&format!("v{place}")),
                    None => return refuse("a symbol of the question is not known"),
                }
            }
            ExprNode::Sum(parts) => self.list("+", parts, text)?,
            ExprNode::Product(parts) => self.list("*", parts, text)?,
            ExprNode::Power(base, exponent) => {
                self.list("^", &[base.clone(), exponent.clone()], text)?;
            }
            ExprNode::Call(function, parts) if is_shared(function) && parts.len() == 1 => {
                self.list(function.name(), parts, text)?;
            }
            ExprNode::Call(function, _) => {
                return refuse(format!(
                    "`{}` is not asked of an outside system",
                    function.name()
                ));
            }
            ExprNode::Relation(..) => {
                return refuse("a relation is not asked of an outside system");
            }
            ExprNode::Poisoned(_) => return refuse("the expression has no value"),
        }
        Ok(())
    }

    fn list(&self, head: &str, parts: &[Expr], text: &mut String) -> Outcome<()> {
        text.push('(');
        text.push_str(head);
        for part in parts {
            text.push(' ');
            self.write(part, text)?;
        }
        text.push(')');
        Ok(())
    }

    /// Reads an expression of an answer; `None` where it is none, or has symbols that were not given.
    pub(super) fn read(&self, text: &str) -> Option<Expr> {
        let given = self.symbols.iter().enumerate().map(|(place, symbol)| {
            let known = Expr::symbol_with(&symbol.name, symbol.traits);
            (format!("v{place}"), symbol.traits, known)
        });
        let brought = self.brought.iter().filter_map(|(name, symbol)| {
            Some((name.clone(), symbol.as_symbol()?.traits, symbol.clone()))
        });
        let names: Vec<_> = given.chain(brought).collect();
        let options = NotationOptions {
            traits: names
                .iter()
                .map(|(name, traits, _)| (name.clone(), *traits))
                .collect(),
            ..NotationOptions::default()
        };
        let read = read_expression(text, &options).ok()?.expr;
        let is_known = |symbol: &Symbol| names.iter().any(|(name, ..)| **name == *symbol.name);
        if read.poison().is_some() || !read.symbols().iter().all(is_known) {
            return None;
        }
        let renamed = read.rewrite(&|part| {
            let symbol = part.as_symbol()?;
            let known = names.iter().find(|(name, ..)| **name == *symbol.name)?;
            Some(known.2.clone())
        });
        renamed.poison().is_none().then_some(renamed)
    }
}

/// Whether a function means the same in the outside system.
fn is_shared(function: &MathFunction) -> bool {
    !matches!(
        function,
        MathFunction::Integral
            | MathFunction::Derivative
            | MathFunction::SumOver
            | MathFunction::Limit
            | MathFunction::MatrixOf
            | MathFunction::Row
            | MathFunction::Named(_)
    )
}
