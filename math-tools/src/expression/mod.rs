//! The expression language of every tool that takes a user's formula, and the calculator.
//!
//! A text is read once (`parse`) into a tree in post-order (`ast`), compiled to a program of the
//! kernels (`program`) and evaluated without allocation, point by point or in blocks. [`Expression`] is the type to read first. There are no loops and no user
//! functions: every expression ends.
//!
//! # Grammar
//! ```text
//! text       = { name "=" comparison ";" } comparison                    definitions, then the value
//! comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]     value 1 or 0
//! sum        = product { ( "+" | "-" ) product }
//! product    = unary { ( "*" | "/" | "//" | "%" ) unary }               "//" rounds down, "%" takes the divisor's sign
//! unary      = ( "-" | "+" ) unary | power
//! power      = primary [ ( "**" | "^" ) unary ]                         right-associative, tighter than unary minus
//! primary    = number | name | name "[" digits "]" | name "(" comparison { "," comparison } ")" | "(" comparison ")"
//! ```
//! Names may carry the prefix `np.`, `numpy.` or `math.`.

use tool_core::{ErasedTool, tool_entry};

pub(crate) mod ast;
mod ball;
mod ball_functions;
mod ball_series;
mod big;
pub mod calculate;
mod call;
mod complex;
pub(crate) mod data;
mod densities;
pub(crate) mod enclosure;
mod error;
mod evaluate;
mod exact;
mod fault;
pub mod functions;
mod lowered;
mod magnitude;
pub mod parameters;
mod parse;
mod plane;
pub(crate) mod program;
mod quantile;
pub(crate) mod rational;
mod rows;
mod scope;
mod token;
pub(crate) mod unknowns;

pub use error::ExpressionError;
pub use fault::ValueError;
pub(crate) use lowered::LoweredExpressions;
pub use numerics::bytecode::NotDifferentiable;
pub use parameters::NamedParameters;
pub use program::{ExpressionSystem, LANES, SystemEvaluator};
pub use scope::ExpressionScope;

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use ast::Ast;

#[cfg(test)]
mod tests;

/// The tools of this family.
pub static TOOLS: &[ErasedTool] = &[tool_entry::<calculate::Args>()];

/// Longest text, in bytes.
pub(crate) const LENGTH_MAX: usize = 100_000;
/// Most tokens in a text.
pub(crate) const TOKENS_MAX: usize = 10_000;
/// Deepest nesting of parentheses, signs, powers and calls.
pub(crate) const DEPTH_MAX: usize = 128;

/// A parsed expression: a flat program over numbered slots. Cloning is a pointer copy.
#[derive(Debug, Clone)]
pub struct Expression(Arc<ExpressionInner>);

#[derive(Debug)]
struct ExpressionInner {
    text: String,
    ast: Ast,
    /// Made at the first use: a single value needs the tree alone.
    program: OnceLock<ExpressionSystem>,
}

/// The names in a text that are no functions and not defined in it, in alphabetical order, each once; names of constants among them.
///
/// # Errors
/// The first thing that is no token.
pub(crate) fn free_names(text: &str) -> Result<Vec<String>, ExpressionError> {
    let tokens = token::tokenise_text(text)?;
    let mut names = BTreeSet::new();
    let mut defined = BTreeSet::new();
    for (index, token) in tokens.iter().enumerate() {
        let token::TokenKind::Name { name, prefixed } = token.kind else {
            continue;
        };
        match tokens.get(index + 1).map(|next| next.text) {
            Some("(") => {}
            Some("=") => _ = defined.insert(name.to_owned()),
            _ if !prefixed => _ = names.insert(name.to_owned()),
            _ => {}
        }
    }
    Ok(names.difference(&defined).cloned().collect())
}

/// Whether a name is that of a constant.
pub(crate) fn is_constant(name: &str) -> bool {
    functions::find_constant(name).is_some()
}

impl Expression {
    /// Parses a text whose names are those of the scope, plus the functions and constants of the language.
    ///
    /// Cost is linear in the length of the text.
    ///
    /// # Errors
    /// The first thing that cannot be read, with its 1-based column; `LENGTH_MAX`, `TOKENS_MAX` and `DEPTH_MAX`.
    pub fn parse(text: &str, scope: &ExpressionScope) -> Result<Self, ExpressionError> {
        let ast = parse::parse_expression(text, scope)?;
        Ok(Self(Arc::new(ExpressionInner {
            text: text.to_owned(),
            ast,
            program: OnceLock::new(),
        })))
    }

    /// An evaluator with memory of its own; make one per thread.
    pub fn evaluator(&self) -> SystemEvaluator<'_> {
        let compile = || ExpressionSystem::values([self]);
        self.0.program.get_or_init(compile).evaluator()
    }

    /// The value at one point of finite numbers, or which operation has no finite value there and why. Slower than an
    /// [`SystemEvaluator`]: for single values and for diagnosis.
    ///
    /// # Errors
    /// Division by zero, an operand outside a function's domain, overflow.
    pub fn value(&self, slots: &[f64]) -> Result<f64, ValueError> {
        rows::evaluate_over_rows(&self.0.ast, &mut evaluate::DoubleArithmetic(slots))
    }

    /// Of a comparison its sign and the difference of its sides, left minus right; `None` of anything else.
    pub(crate) fn difference(&self) -> Option<(&'static str, Self)> {
        let (sign, ast) = self.0.ast.difference()?;
        let text = self.0.text.clone();
        let program = OnceLock::new();
        Some((sign, Self(Arc::new(ExpressionInner { text, ast, program }))))
    }

    /// Checks that a text can be the name of a variable; `pointer` is where it stands.
    ///
    /// # Errors
    /// `invalid_args` for what is no name or a name of the language.
    pub(crate) fn check_name(name: &str, pointer: &str) -> Result<(), tool_core::ToolError> {
        parameters::check_name(name, pointer)
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
            .any(|node| matches!(node.kind, ast::AstKind::Slot(used) if used == slot))
    }

    /// The slots of the variables that occur in it, in ascending order.
    pub(crate) fn slots(&self) -> Vec<usize> {
        self.0.ast.slots().into_iter().collect()
    }

    /// Whether a function occurs in it whose values are computed point by point, at microseconds each.
    pub(crate) fn is_pointwise(&self) -> bool {
        let called = |node: &ast::AstNode| match node.kind {
            ast::AstKind::Unary(op) => op.is_pointwise(),
            ast::AstKind::Binary(op) => op.is_pointwise(),
            _ => false,
        };
        self.0.ast.nodes().iter().any(called)
    }

    /// Points to evaluate between two looks at the stop flag, at most `most`: fewer where each takes many rows.
    pub(crate) fn strip(&self, most: usize) -> usize {
        const ROWS: usize = 1 << 18;
        let rows = self.0.ast.data().map_or(1, |data| data.rows());
        (ROWS / rows).clamp(1, most)
    }

    /// Whether a column of data occurs in it.
    pub(crate) fn uses_data(&self) -> bool {
        let data = self.0.ast.data();
        let named =
            |data: &Arc<data::DataColumns>| self.slots().into_iter().any(|slot| data.has(slot));
        self.0.ast.folds_data || data.is_some_and(named)
    }

    /// Numbers that an evaluation row by row makes, as over intervals.
    /// Whether columns of data are reduced in it, so that its value in a row depends on the others.
    pub(crate) fn reduces_columns(&self) -> bool {
        let reduces = |node: &ast::AstNode| matches!(node.kind, ast::AstKind::Reduce(_));
        self.0.ast.folds_data || self.0.ast.nodes().iter().any(reduces)
    }

    pub(crate) fn numbers(&self) -> usize {
        self.0.ast.numbers()
    }

    /// Doubles that running sums and their derivatives keep for the rows.
    pub(crate) fn buffered(&self) -> usize {
        /// Those of the value, the gradient, and a product with the Hessian.
        const EACH: usize = 6;
        let nodes = self.0.ast.nodes().iter();
        let sums = nodes
            .filter(|node| node.kind == ast::AstKind::Reduce(functions::ReductionFunction::CumSum));
        let rows = self.0.ast.data().map_or(0, |data| data.rows());
        sums.count().saturating_mul(EACH).saturating_mul(rows)
    }

    /// Whether its value is a column.
    pub(crate) fn is_column(&self) -> bool {
        self.0.ast.is_column
    }

    /// The tree.
    pub(crate) fn ast(&self) -> &Ast {
        &self.0.ast
    }
}
