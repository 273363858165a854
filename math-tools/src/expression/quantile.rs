//! Quantiles of columns: the value of a column of data alone, found while the text is read.

use std::sync::Arc;

use numerics::bytecode::ProgramBuilder;
use numerics::quantile::QuantileDefinition;
use tool_core::number;

use super::ast::{Ast, AstKind, AstNode};
use super::data::DataColumns;
use super::error::ExpressionError;
use super::evaluate::{self, DoubleArithmetic};
use super::functions::NEG;
use super::parse::ExpressionParser;
use super::program::lower_tree;

impl ExpressionParser<'_> {
    /// `quantile(x, p, definition)` or `median(x)`: the number in place of the nodes of its operands.
    pub(super) fn quantile(
        &mut self,
        name: &str,
        starts: &[usize],
        columns: &[bool],
        column: usize,
    ) -> Result<(), ExpressionError> {
        let fail = |expected: &str, hint: &'static str| {
            let message = format!("`{name}` at column {column} takes {expected}");
            ExpressionError::new(message, hint)
        };
        let Some(data) = self.scope.data.clone().filter(|_| columns[0]) else {
            return Err(self.no_column(name, column));
        };
        let mut operands = Vec::with_capacity(starts.len());
        for &start in starts.iter().rev() {
            operands.push(self.nodes.split_off(start));
        }
        operands.reverse();
        let own = |node: &AstNode| match node.kind {
            AstKind::Slot(slot) => data.has(slot),
            AstKind::Local(_) | AstKind::Define(_) | AstKind::Reduce(_) => false,
            _ => true,
        };
        if !operands[0].iter().all(own) {
            let hint = "write the column itself in the call, such as `quantile(log(y), 0.9)`";
            return Err(fail(
                "a column of data alone: no unknowns, definitions or sums",
                hint,
            ));
        }
        let number = |operand: Option<&Vec<AstNode>>, otherwise: f64| match operand {
            Some(nodes) => constant_value(nodes),
            None => Some(otherwise),
        };
        let p = number(operands.get(1), 0.5).filter(|p| (0.0..=1.0).contains(p));
        let hint = "as in `quantile(y, 0.95)`";
        let p = p.ok_or_else(|| fail("a probability from 0 to 1 as its second argument", hint))?;
        let kind = number(operands.get(2), 7.0).and_then(|kind| {
            let types = QuantileDefinition::ALL.into_iter().zip(1_u8..);
            types
                .into_iter()
                .find(|(_, index)| f64::from(*index) == kind)
        });
        let hint = "R's types; 7 is the default of R and NumPy, `docs/expressions.md` lists them";
        let (definition, _) =
            kind.ok_or_else(|| fail("a whole number from 1 to 9 as its definition", hint))?;
        let mut values = column_values(&operands[0], &data).ok_or_else(|| {
            fail(
                "a column with a finite value in each row",
                "look at its rows",
            )
        })?;
        values.sort_unstable_by(f64::total_cmp);
        let value = definition.of(&values, p);
        self.folds_data = true;
        let text = number::non_finite_spelling(value.abs()).into();
        let value_node = AstKind::Number {
            value: value.abs(),
            text,
        };
        self.nodes.push(AstNode {
            kind: value_node,
            column,
        });
        if value < 0.0 {
            self.nodes.push(AstNode {
                kind: AstKind::Unary(&NEG),
                column,
            });
        }
        Ok(())
    }
}

/// The value of nodes without variables.
fn constant_value(nodes: &[AstNode]) -> Option<f64> {
    let fixed = |node: &AstNode| {
        !matches!(
            node.kind,
            AstKind::Slot(_) | AstKind::Local(_) | AstKind::Define(_)
        )
    };
    if !nodes.iter().all(fixed) {
        return None;
    }
    let mut builder = ProgramBuilder::new();
    let value = lower_tree(&Ast::new(nodes.to_vec(), None), &mut builder);
    builder.constant_of(value)
}

/// The finite values of a column.
fn column_values(nodes: &[AstNode], data: &Arc<DataColumns>) -> Option<Vec<f64>> {
    let ast = Ast::new(nodes.to_vec(), None);
    let mut slots = vec![0.0; data.first() + data.len()];
    let used: Vec<usize> = ast.slots().into_iter().collect();
    let row = |row: usize| {
        for &slot in &used {
            slots[slot] = data.column(slot).ok()?[row];
        }
        evaluate::evaluate_tree(&ast, &mut DoubleArithmetic(&slots)).ok()
    };
    (0..data.rows()).map(row).collect()
}
