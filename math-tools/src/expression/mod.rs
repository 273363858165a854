//! The expression language of every tool that takes a user's formula, and the calculator.
//!
//! A text is read once (`parse`) into a tree in post-order (`ast`), compiled to a program of the
//! kernels (`program`) and evaluated without allocation, point by point or in blocks. [`Expression`] is the type to read first. There are no assignments, no loops and no user
//! functions: every expression ends.
//!
//! # Grammar
//! ```text
//! comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]     value 1 or 0
//! sum        = product { ( "+" | "-" ) product }
//! product    = unary { ( "*" | "/" | "//" | "%" ) unary }               "//" rounds down, "%" takes the divisor's sign
//! unary      = ( "-" | "+" ) unary | power
//! power      = primary [ ( "**" | "^" ) unary ]                         right-associative, tighter than unary minus
//! primary    = number | name | name "[" digits "]" | name "(" comparison { "," comparison } ")" | "(" comparison ")"
//! ```
//! Names may carry the prefix `np.`, `numpy.` or `math.`.

use tool_core::{Entry, entry};

pub(crate) mod ast;
mod ball;
mod ball_functions;
mod ball_series;
mod big;
pub mod calculate;
mod complex;
mod error;
mod evaluate;
mod exact;
pub mod functions;
mod magnitude;
pub mod parameters;
mod parse;
mod program;
pub(crate) mod rational;
mod scope;
mod special;
mod token;

pub use error::ExpressionError;
pub use evaluate::ValueError;
pub use kernels::program::NotDifferentiable;
pub use parameters::Parameters;
pub use program::{Evaluator, LANES, System};
pub use scope::Scope;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use ast::Ast;
use kernels::program::{Builder, Program};

#[cfg(test)]
mod tests;

/// The tools of this family.
pub static TOOLS: &[Entry] = &[entry::<calculate::Args>()];

/// Longest text, in bytes.
pub(crate) const LENGTH_MAX: usize = 100_000;
/// Most tokens in a text.
pub(crate) const TOKENS_MAX: usize = 10_000;
/// Deepest nesting of parentheses, signs, powers and calls.
pub(crate) const DEPTH_MAX: usize = 128;

/// A parsed expression: a flat program over numbered slots. Cloning is a pointer copy.
#[derive(Debug, Clone)]
pub struct Expression(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    ast: Ast,
    /// Made at the first use: a single value needs the tree alone.
    program: OnceLock<Program>,
}

/// The names in a text that are no functions, in alphabetical order, each once; names of constants among them.
///
/// # Errors
/// The first thing that is no token.
pub(crate) fn names(text: &str) -> Result<Vec<String>, ExpressionError> {
    let tokens = token::tokens(text)?;
    let mut names = std::collections::BTreeSet::new();
    for (index, token) in tokens.iter().enumerate() {
        let token::TokenKind::Name { name, prefixed } = token.kind else {
            continue;
        };
        let is_call = tokens.get(index + 1).is_some_and(|next| next.text == "(");
        if !prefixed && !is_call {
            names.insert(name.to_owned());
        }
    }
    Ok(names.into_iter().collect())
}

/// Whether a name is that of a constant.
pub(crate) fn is_constant(name: &str) -> bool {
    functions::constant(name).is_some()
}

impl Expression {
    /// Parses a text whose names are those of the scope, plus the functions and constants of the language.
    ///
    /// Cost is linear in the length of the text.
    ///
    /// # Errors
    /// The first thing that cannot be read, with its 1-based column; `LENGTH_MAX`, `TOKENS_MAX` and `DEPTH_MAX`.
    pub fn parse(text: &str, scope: &Scope) -> Result<Self, ExpressionError> {
        let ast = parse::parse(text, scope)?;
        Ok(Self(Arc::new(Inner {
            text: text.to_owned(),
            ast,
            program: OnceLock::new(),
        })))
    }

    /// An evaluator with its own scratch stack; make one per thread.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(self.0.program.get_or_init(|| {
            let mut builder = Builder::new();
            let value = program::lower(&self.0.ast, &mut builder);
            builder.finish(&[value])
        }))
    }

    /// The value at one point of finite numbers, or which operation has no finite value there and why. Slower than an
    /// [`Evaluator`]: for single values and for diagnosis.
    ///
    /// # Errors
    /// Division by zero, an operand outside a function's domain, overflow.
    pub fn value(&self, slots: &[f64]) -> Result<f64, ValueError> {
        evaluate::evaluate(&self.0.ast, &mut evaluate::Doubles(slots))
    }

    /// Of a comparison its sign and the difference of its sides, left minus right; `None` of anything else.
    pub(crate) fn difference(&self) -> Option<(&'static str, Self)> {
        let (sign, ast) = self.0.ast.difference()?;
        let text = self.0.text.clone();
        let program = OnceLock::new();
        Some((sign, Self(Arc::new(Inner { text, ast, program }))))
    }

    /// The text it was parsed from.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether the variable in a slot occurs in it.
    pub(crate) fn uses(&self, slot: usize) -> bool {
        self.0
            .ast
            .nodes()
            .iter()
            .any(|node| matches!(node.kind, ast::Kind::Slot(used) if used == slot))
    }

    /// The slots of the variables that occur in it, in ascending order.
    pub(crate) fn slots(&self) -> Vec<usize> {
        let nodes = self.0.ast.nodes().iter();
        let slots: BTreeSet<usize> = nodes
            .filter_map(|node| match node.kind {
                ast::Kind::Slot(slot) => Some(slot),
                _ => None,
            })
            .collect();
        slots.into_iter().collect()
    }

    /// The tree.
    pub(crate) fn ast(&self) -> &Ast {
        &self.0.ast
    }
}
