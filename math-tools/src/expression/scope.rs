//! [`ExpressionScope`]: the names an expression may use, with their slots.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use tool_core::{Ctx, Input, Table, ToolError};

use super::data::DataColumns;
use super::parameters::{NamedParameters, ParameterValue};

/// The names an expression may use: variables, the value of each found in its slot, and parameters, whose values are known.
#[derive(Debug, Clone, Default)]
pub struct ExpressionScope {
    slots: BTreeMap<String, usize>,
    lists: BTreeMap<String, Range<usize>>,
    parameters: NamedParameters,
    len: usize,
    /// Whether percentages are read.
    pub(super) percent: bool,
    /// The slot of the imaginary unit.
    pub(super) imaginary_unit: Option<usize>,
    /// Columns of a table.
    pub(super) data: Option<Arc<DataColumns>>,
    /// Whether the value may be a column.
    pub(super) by_row: bool,
    /// Whether the text is the template of a density.
    pub(super) is_template: bool,
}

impl ExpressionScope {
    /// No variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable in the next slot. A name that is there already moves to the new slot.
    #[must_use]
    pub fn variable(mut self, name: &str) -> Self {
        self.slots.insert(name.to_owned(), self.len);
        self.len += 1;
        self
    }

    /// Adds `n` variables: `name0`, `name1`, ..., also read as `name[0]`, `name[1]`, ...
    #[must_use]
    pub fn variables(self, name: &str, n: usize) -> Self {
        let first = self.len;
        let scope = self.list(name, n);
        (0..n).fold(scope, |scope, index| {
            scope.alias(&format!("{name}{index}"), first + index)
        })
    }

    /// Adds a second name for a slot that exists.
    #[must_use]
    pub(crate) fn alias(mut self, name: &str, slot: usize) -> Self {
        assert!(slot < self.len, "an alias names a slot that exists");
        self.slots.insert(name.to_owned(), slot);
        self
    }

    /// Adds `n` variables read as `name[0]`, `name[1]`, ...
    #[must_use]
    pub fn list(mut self, name: &str, n: usize) -> Self {
        self.lists.insert(name.to_owned(), self.len..self.len + n);
        self.len += n;
        self
    }

    /// Adds parameters; `pointer` is their location in the arguments.
    ///
    /// # Errors
    /// `invalid_args` for a name that is a variable, or that [`NamedParameters::check`] refuses.
    pub(crate) fn with_parameters(
        mut self,
        parameters: &NamedParameters,
        pointer: &str,
    ) -> Result<Self, ToolError> {
        parameters.check(pointer)?;
        let hidden = |name: &&str| self.slot(name).is_some() || self.lists.contains_key(*name);
        if let Some(name) = parameters.iter().map(|(name, _)| name).find(hidden) {
            refuse!(invalid format!("{pointer}/{name}"); "`{name}` is a variable of the expression";
                "rename the parameter");
        }
        self.parameters = parameters.clone();
        Ok(self)
    }

    /// Adds the columns of a table in the next slots. A column hides other names for a variable, such as `x` for `x0`, and constants.
    ///
    /// # Errors
    /// `invalid_args` for a table without rows, and for a column with the name of a variable.
    pub fn with_data(mut self, table: &Table) -> Result<Self, ToolError> {
        let data = DataColumns::new(table, self.len)?;
        let numbered = |slot: usize, name: &str| {
            self.lists.iter().any(|(list, slots)| {
                slots.contains(&slot) && name == format!("{list}{}", slot - slots.start)
            })
        };
        for name in data.names() {
            let known = self.slot(name);
            let is_alias = |slot: usize| self.lists.values().any(|slots| slots.contains(&slot));
            if known.is_some_and(|slot| !is_alias(slot) || numbered(slot, name)) {
                let mut pointer = "/data".to_owned();
                tool_core::path::push_key(&mut pointer, name);
                refuse!(invalid pointer; "`{name}` is a variable of the expression"; "rename the column");
            }
        }
        for name in data.names() {
            self.slots
                .extend(data.slot(name).map(|slot| (name.to_owned(), slot)));
        }
        self.len += data.len();
        self.data = Some(Arc::new(data));
        Ok(self)
    }

    /// As [`ExpressionScope::with_data`], of a table that may be absent, with the memory of its numbers.
    ///
    /// # Errors
    /// Those of `with_data` and of the input.
    pub(crate) fn with_table(
        self,
        data: Option<&Input<Table>>,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let Some(data) = data else {
            return Ok(self);
        };
        let table = data.load(ctx)?;
        ctx.reserve_doubles(table.rows().saturating_mul(table.columns().len()))?;
        self.with_data(&table)
    }

    /// Number of rows of the data; 0 without data.
    pub(crate) fn rows(&self) -> usize {
        self.data.as_ref().map_or(0, |data| data.rows())
    }

    /// Reads expressions whose values are columns too.
    #[must_use]
    pub(crate) fn by_row(self) -> Self {
        let by_row = true;
        Self { by_row, ..self }
    }

    /// The operands of the template of a density.
    pub(super) fn template(names: &[&str]) -> Self {
        let scope = names
            .iter()
            .fold(Self::new(), |scope, name| scope.variable(name));
        let is_template = true;
        Self {
            is_template,
            ..scope
        }
    }

    /// Reads `15%`, `15% of x` and `x + 15%` as percentages.
    #[must_use]
    pub(crate) fn with_percent(mut self) -> Self {
        self.percent = true;
        self
    }

    /// Reads `2i` and `2j` as multiples of the imaginary unit, which is in the next slot.
    #[must_use]
    pub(crate) fn with_imaginary_unit(mut self) -> Self {
        self.imaginary_unit = Some(self.len);
        self.len += 1;
        self
    }

    /// The coordinates of a point: `x0..x{n-1}` or `x[0]..x[n-1]`, with `x` = `x0` and (n >= 2) `y` = `x1`, (n >= 3) `z` = `x2`.
    pub fn point(n: usize) -> Self {
        let coordinates = Self::new().variables("x", n);
        ["x", "y", "z"]
            .into_iter()
            .take(n)
            .enumerate()
            .fold(coordinates, |scope, (slot, name)| scope.alias(name, slot))
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The slot of a name.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.get(name).copied()
    }

    /// Meaning of a name.
    pub(super) fn leaf(&self, name: &str) -> Option<ScopeLeaf> {
        let number = || match self.parameters.get(name) {
            Some(ParameterValue::Number(value)) => Some(ScopeLeaf::Number(*value)),
            Some(ParameterValue::List(_)) | None => None,
        };
        self.slot(name).map(ScopeLeaf::Slot).or_else(number)
    }

    /// Number of entries of a list.
    pub(super) fn list_len(&self, name: &str) -> Option<usize> {
        match (self.lists.get(name), self.parameters.get(name)) {
            (Some(slots), _) => Some(slots.len()),
            (None, Some(ParameterValue::List(list))) => Some(list.len()),
            (None, Some(ParameterValue::Number(_)) | None) => None,
        }
    }

    /// Meaning of an entry of a list.
    pub(super) fn entry(&self, name: &str, index: usize) -> Option<ScopeLeaf> {
        if index >= self.list_len(name)? {
            return None;
        }
        match (self.lists.get(name), self.parameters.get(name)) {
            (Some(slots), _) => Some(ScopeLeaf::Slot(slots.start + index)),
            (None, Some(ParameterValue::List(list))) => Some(ScopeLeaf::Number(list[index])),
            (None, Some(ParameterValue::Number(_)) | None) => None,
        }
    }

    /// All names of single values: variables, then parameters, each in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let parameters = self.parameters.iter();
        let numbers = parameters.filter(|(_, value)| matches!(value, ParameterValue::Number(_)));
        let numbers = numbers.map(|(name, _)| name);
        self.slots.keys().map(String::as_str).chain(numbers)
    }
}

/// Meaning of a name or of an entry of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ScopeLeaf {
    /// A variable.
    Slot(usize),
    /// The value of a parameter.
    Number(f64),
}
