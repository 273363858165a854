//! Formulas: LaTeX to a tree, and the tree as two-dimensional text, as a line, as MathML and as outlines.
//!
//! Every tree has a bounded depth and size ([`FormulaLimits`]), so that no layout recurses deeply. Commands that are not known stay visible.

mod commands;
mod fences;
mod glyphs;
mod linear;
mod marks;
mod mathml;
mod node;
mod outline;
mod parser;
mod picture;
mod scripts;
mod symbols;
#[cfg(test)]
mod tests;
mod text_box;
mod text_layout;
mod tokens;

pub use linear::formula_line;
pub use mathml::formula_mathml;
pub use node::{FormulaNode, FormulaSymbol, MatrixColumns, SymbolClass};
pub use outline::{FormulaOutline, OutlineSegment, PlacedPath};
pub use parser::{FormulaError, FormulaLimits, FormulaReading, read_formula};
pub use picture::draw_formula;
pub use text_layout::{TextAlphabet, formula_text};
