//! Calls: their arguments, and the nodes that they become.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::prelude::did_you_mean;

use super::ExpressionScope;
use super::ast::{Ast, AstKind, AstNode};
use super::densities::{self, LogDensity};
use super::error::{ExpressionError, GRAMMAR};
use super::functions::{
    self, ADD, DIV, ExpressionFunction, LN, LOG_BASE, LOG2, LOG10, MAX, MIN, MUL, ReductionFunction,
};
use super::parse::{
    ExpressionParser, LocalDefinition, is_sign, parse_expression, whole_number_node,
};

/// By operand of a call, where its nodes start, and whether it is a column.
struct CallOperands {
    starts: Vec<usize>,
    columns: Vec<bool>,
}

impl ExpressionParser<'_> {
    pub(super) fn call(
        &mut self,
        name: &str,
        prefixed: bool,
        column: usize,
    ) -> Result<(), ExpressionError> {
        let template = Some(ExpressionFunction::Support)
            .filter(|_| self.scope.is_template && name == "support");
        let Some(function) = template.or_else(|| functions::find_function(name)) else {
            let message = format!("unknown function `{name}` at column {column}");
            return Err(ExpressionError::new(
                message,
                self.function_hint(name, prefixed),
            ));
        };
        self.next += 1; // the parenthesis that made this a call
        let CallOperands { starts, columns } = self.operands(function, column)?;
        let found = starts.len();
        let (fewest, most) = function.arity();
        if found < fewest || found > most {
            let expected = argument_count_text(fewest, most);
            let message = format!("`{name}` at column {column} takes {expected}, found {found}");
            return Err(ExpressionError::new(message, GRAMMAR));
        }
        match function {
            ExpressionFunction::Unary(op) => self.push(AstKind::Unary(op), column),
            ExpressionFunction::Binary(op) => self.push(AstKind::Binary(op), column),
            ExpressionFunction::Fold(op) if found == 1 && columns[0] => match op.reduction {
                Some(reduction) => self.push(AstKind::Reduce(reduction), column),
                None => {
                    let message =
                        format!("`{name}` at column {column} does not take a column of data");
                    let hint = "of positive numbers write `exp(sum(log(...)))`";
                    return Err(ExpressionError::new(message, hint));
                }
            },
            ExpressionFunction::Fold(_) | ExpressionFunction::Clip => {}
            ExpressionFunction::Mean => {
                let rows = self.scope.data.as_ref().map_or(1, |data| data.rows());
                let mut count = found;
                if found == 1 && columns[0] {
                    self.push(AstKind::Reduce(ReductionFunction::Sum), column);
                    count = rows;
                }
                self.nodes.push(whole_number_node(count as f64, column));
                self.push(AstKind::Binary(&DIV), column);
            }
            ExpressionFunction::Dot | ExpressionFunction::CumSum | ExpressionFunction::Count
                if !columns.contains(&true) =>
            {
                return Err(self.no_column(name, column));
            }
            ExpressionFunction::Dot => {
                self.push(AstKind::Binary(&MUL), column);
                self.push(AstKind::Reduce(ReductionFunction::Sum), column);
            }
            ExpressionFunction::CumSum => {
                self.push(AstKind::Reduce(ReductionFunction::CumSum), column)
            }
            ExpressionFunction::Count => {
                let rows = self.scope.data.as_ref().map_or(1, |data| data.rows());
                self.nodes.truncate(starts[0]);
                self.folds_data = true;
                self.nodes.push(whole_number_node(rows as f64, column));
            }
            ExpressionFunction::Ternary(op) => self.push(AstKind::Ternary(op), column),
            ExpressionFunction::Quantile | ExpressionFunction::Median => {
                self.quantile(name, &starts, &columns, column)?
            }
            ExpressionFunction::Select => self.push(AstKind::Select, column),
            ExpressionFunction::Support => self.push(AstKind::Support, column),
            ExpressionFunction::Density(density) => self.density(density, &columns, column),
            ExpressionFunction::Log if found == 1 => self.push(AstKind::Unary(&LN), column),
            ExpressionFunction::Log => self.log(starts[1], column),
        }
        Ok(())
    }

    /// The operands of a call, up to its closing parenthesis; those of folds are combined as they are read.
    fn operands(
        &mut self,
        function: ExpressionFunction,
        column: usize,
    ) -> Result<CallOperands, ExpressionError> {
        let (mut starts, mut columns) = (Vec::new(), Vec::new());
        while !is_sign(self.peek(), ")") || !starts.is_empty() {
            let start = self.nodes.len();
            starts.push(start);
            self.nested(column, Self::comparison)?;
            columns.push(self.is_column(start));
            match (function, starts.len()) {
                (ExpressionFunction::Fold(op), 2..) => self.push(AstKind::Binary(op), column),
                (ExpressionFunction::Mean, 2..) => self.push(AstKind::Binary(&ADD), column),
                (ExpressionFunction::Clip, 2) => self.push(AstKind::Binary(&MAX), column),
                (ExpressionFunction::Clip, 3) => self.push(AstKind::Binary(&MIN), column),
                _ => {}
            }
            if !self.accept(",") {
                break;
            }
        }
        self.close("an operator, `,` or `)`")?;
        Ok(CallOperands { starts, columns })
    }

    /// The nodes of a density in place of its operands, which become locals: the last one is the first to be taken.
    fn density(&mut self, density: &LogDensity, columns: &[bool], column: usize) {
        let operands = columns.len();
        let first = self.locals.len();
        for is_column in columns.iter().rev() {
            self.push(AstKind::Define(self.locals.len()), column);
            let (name, is_column) = ("", *is_column);
            self.locals.push(LocalDefinition { name, is_column });
        }
        let own = self.locals.len();
        let mut starts = self.nodes.len();
        for node in density_template(density) {
            match node.kind {
                AstKind::Slot(operand) => {
                    self.push(AstKind::Local(first + operands - 1 - operand), column);
                }
                AstKind::Local(local) => self.push(AstKind::Local(own + local), column),
                AstKind::Define(_) => {
                    self.define("", starts, column);
                    starts = self.nodes.len();
                }
                ref kind => self.push(kind.clone(), column),
            }
        }
    }

    pub(super) fn no_column(&self, name: &str, column: usize) -> ExpressionError {
        let message =
            format!("`{name}` at column {column} takes a column of `data`, found a number");
        let hint = match &self.scope.data {
            Some(data) => {
                let names: Vec<&str> = data.names().take(12).collect();
                format!("the columns are `{}`", names.join("`, `"))
            }
            None => "there are no columns here".to_owned(),
        };
        ExpressionError::new(message, hint)
    }

    /// A logarithm with its base: the accurate function where the base is the literal 2 or 10.
    fn log(&mut self, base_starts: usize, column: usize) {
        let literal = match &self.nodes[base_starts..] {
            [
                AstNode {
                    kind: AstKind::Number { value, .. },
                    ..
                },
            ] => Some(*value),
            _ => None,
        };
        let accurate = match literal {
            Some(2.0) => Some(&LOG2),
            Some(10.0) => Some(&LOG10),
            _ => None,
        };
        match accurate {
            Some(op) => {
                self.nodes.truncate(base_starts);
                self.push(AstKind::Unary(op), column);
            }
            None => self.push(AstKind::Binary(&LOG_BASE), column),
        }
    }

    fn function_hint(&self, name: &str, prefixed: bool) -> String {
        let value = functions::find_constant(name).is_some()
            || (!prefixed && self.scope.leaf(name).is_some());
        if value {
            return format!("`{name}` is a value: write the product with `*`, `{name} * (...)`");
        }
        did_you_mean(name, functions::function_names())
            .or_else(|| similar_functions(name))
            .unwrap_or_else(|| "docs/expressions.md lists the functions".to_owned())
    }
}

/// The nodes of the template of a density; its slots are the operands.
fn density_template(density: &LogDensity) -> &'static [AstNode] {
    static TEMPLATES: LazyLock<HashMap<&str, Ast>> = LazyLock::new(|| {
        let parsed = |density: &'static LogDensity| {
            let scope = ExpressionScope::template(density.names);
            let ast = parse_expression(density.text, &scope).expect("every template is tested");
            (density.name, ast)
        };
        densities::density_templates().map(parsed).collect()
    });
    TEMPLATES[density.name].nodes()
}

/// The functions whose names begin as a name does.
fn similar_functions(name: &str) -> Option<String> {
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

fn argument_count_text(fewest: usize, most: usize) -> String {
    match (fewest, most) {
        (1, 1) => "1 argument".into(),
        (n, m) if n == m => format!("{n} arguments"),
        (n, usize::MAX) => format!("at least {n} argument{}", if n == 1 { "" } else { "s" }),
        (n, m) => format!("{n} to {m} arguments"),
    }
}
