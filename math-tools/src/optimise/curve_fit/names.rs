//! The names of a model, and what they mean: parameters, columns, states.

use std::collections::BTreeSet;

use tool_core::{LoadInput as _, path};

use super::arguments::Args;
use super::equations::{OdeModel, ResponseModel};
use super::model::FitRows;
use crate::expression::{self, ExpressionScope, NamedParameters};
use crate::prelude::*;

/// Most parameters of a fit.
const PARAMETERS_MAX: usize = 100;

/// The names in a model: parameters in alphabetical order, columns as they were found.
#[derive(Default)]
pub(super) struct ModelNames {
    pub(super) parameters: Vec<String>,
    /// Columns, by their names and places in the table; of differential equations the time is the first.
    pub(super) predictors: Vec<(String, usize)>,
    /// States of differential equations, in alphabetical order.
    pub(super) states: Vec<String>,
}

/// What a name of a text is.
enum NameMeaning {
    /// A number that is given, or a constant.
    Known,
    /// A column of the table.
    Column(usize),
    /// What is fitted.
    Parameter,
}

impl ModelNames {
    /// # Errors
    /// `invalid_args` for a model without parameters, for names that mean two things or nothing, and for names of `start` and `bounds`
    /// that the model does not have.
    pub(super) fn of(args: &Args, table: &Table) -> Result<Self, ToolError> {
        let mut found = NameCollector {
            args,
            table,
            names: Self::default(),
            parameters: BTreeSet::new(),
        };
        match &args.model {
            ResponseModel::Formula(text) => found.columns_and_parameters(text, "/model")?,
            ResponseModel::Equations(equations) => found.equations(equations)?,
        }
        let mut names = found.names;
        names.parameters = found.parameters.into_iter().collect();
        names.check(args)?;
        Ok(names)
    }

    fn check(&self, args: &Args) -> Result<(), ToolError> {
        if self.parameters.is_empty() {
            refuse!(invalid "/model"; "the model has no parameter: every name is a column, a constant or given";
                "use names that are no columns of `data` for what is fitted");
        }
        if self.parameters.len() > PARAMETERS_MAX {
            let found = self.parameters.len();
            refuse!(invalid "/model", "parameters"; "the model has {found} parameters, the limit is {PARAMETERS_MAX}");
        }
        for (argument, given) in [
            ("start", args.start.keys().collect::<Vec<_>>()),
            ("bounds", args.bounds.keys().collect()),
        ] {
            let mut unknown = given
                .into_iter()
                .filter(|name| !self.parameters.contains(name));
            if let Some(name) = unknown.next() {
                return Err(self.unknown(argument, name));
            }
        }
        Ok(())
    }

    /// The error for a name in an argument that is no parameter.
    fn unknown(&self, argument: &str, name: &str) -> ToolError {
        let message = format!("the model has no parameter `{name}`");
        let error = ToolError::invalid(member_pointer(&format!("/{argument}"), name), message);
        let near = did_you_mean(name, self.parameters.iter().map(String::as_str));
        let listed = || format!("its parameters are `{}`", self.parameters.join("`, `"));
        error.hint(near.unwrap_or_else(listed))
    }

    /// The parameters in the first slots, then all columns of the table.
    pub(super) fn scope_of_data(
        &self,
        table: &Table,
        parameters: &NamedParameters,
    ) -> Result<ExpressionScope, ToolError> {
        let names = self.parameters.iter();
        let scope = names.fold(ExpressionScope::new(), |scope, name| scope.variable(name));
        let scope = scope.with_data(table)?;
        scope.with_parameters(parameters, "/parameters")
    }

    /// The columns of some rows as a table.
    ///
    /// # Errors
    /// `internal` where they are of different lengths.
    pub(super) fn table(&self, rows: &FitRows, response: &str) -> Result<Table, ToolError> {
        let names = self.predictors.iter().map(|(name, _)| name.as_str());
        let columns = names.zip(&rows.predictors);
        let columns = columns.chain([(response, &rows.response)]);
        let columns = columns.map(|(name, column)| (name, Value::vector(column.clone())));
        Table::from_value(&Value::object(columns))
            .map_err(|problem| ToolError::new(ErrorCode::Internal, problem.message))
    }

    /// The parameters in the first slots, then the columns, then the states.
    pub(super) fn scope(&self, parameters: &NamedParameters) -> Result<ExpressionScope, ToolError> {
        let columns = self.predictors.iter().map(|(name, _)| name);
        let names = self.parameters.iter().chain(columns).chain(&self.states);
        scope_of_names(names, parameters)
    }
}

/// Names in the slots of a scope, with numbers that are given.
pub(super) fn scope_of_names<'n>(
    names: impl IntoIterator<Item = &'n String>,
    parameters: &NamedParameters,
) -> Result<ExpressionScope, ToolError> {
    let names = names.into_iter();
    let scope = names.fold(ExpressionScope::new(), |scope, name| scope.variable(name));
    scope.with_parameters(parameters, "/parameters")
}

/// The pointer of a member.
pub(super) fn member_pointer(pointer: &str, name: &str) -> String {
    let mut pointer = pointer.to_owned();
    path::push_key(&mut pointer, name);
    pointer
}

/// The place of a column that an argument names.
///
/// # Errors
/// `invalid_args` at the argument where the table has none of that name.
pub(super) fn find_column(table: &Table, pointer: &str, name: &str) -> Result<usize, ToolError> {
    let found = table.names().position(|known| known == name);
    found.ok_or_else(|| {
        let columns: Vec<&str> = table.names().collect();
        let message = format!(
            "`data` has no column `{name}`; its columns are `{}`",
            columns.join("`, `")
        );
        let error = ToolError::invalid(pointer, message);
        match did_you_mean(name, table.names()) {
            Some(near) => error.hint(near),
            None => error,
        }
    })
}

/// The names found so far.
struct NameCollector<'a> {
    args: &'a Args,
    table: &'a Table,
    names: ModelNames,
    parameters: BTreeSet<String>,
}

impl NameCollector<'_> {
    /// Adds the names of a text that may use every column but the response.
    fn columns_and_parameters(&mut self, text: &str, pointer: &str) -> Result<(), ToolError> {
        for name in parse_free_names(text, pointer)? {
            if self.names.states.contains(&name) {
                continue;
            }
            match self.meaning(&name)? {
                NameMeaning::Column(_) if name == self.args.response => {
                    refuse!(invalid pointer; "the model of `{name}` contains `{name}`";
                        "name the column of the response with `response`");
                }
                NameMeaning::Column(column) => {
                    let known = self.names.predictors.iter().any(|known| known.1 == column);
                    if !known {
                        self.names.predictors.push((name, column));
                    }
                }
                NameMeaning::Parameter => {
                    self.parameters.insert(name);
                }
                NameMeaning::Known => {}
            }
        }
        Ok(())
    }

    /// Adds the names of differential equations.
    fn equations(&mut self, equations: &OdeModel) -> Result<(), ToolError> {
        self.names.states = self.states(equations)?;
        let time = &equations.time;
        let column = find_column(self.table, "/model/time", time)?;
        if self.args.parameters.get(time).is_some() {
            return Err(self.ambiguous(time));
        }
        if *time == self.args.response {
            refuse!(invalid "/response"; "`{time}` is the column of the time"; "name the column that the model describes");
        }
        self.names.predictors.push((time.clone(), column));
        for (state, text) in &equations.system {
            let pointer = member_pointer("/model/system", state);
            for name in parse_free_names(text, &pointer)? {
                if name == *time || self.names.states.contains(&name) {
                    continue;
                }
                match self.meaning(&name)? {
                    NameMeaning::Column(_) => {
                        refuse!(invalid pointer; "`{name}` is a column of `data`, which has no values between the rows: of the columns only the time, `{time}`, can be used here";
                            "give another name to what is fitted, or use the column in `observe`");
                    }
                    NameMeaning::Parameter => _ = self.parameters.insert(name),
                    NameMeaning::Known => {}
                }
            }
        }
        for (state, initial) in &equations.y0 {
            let pointer = member_pointer("/model/y0", state);
            for name in parse_free_names(&initial.text(), &pointer)? {
                let is_state = self.names.states.contains(&name);
                match self.meaning(&name)? {
                    meaning if is_state || matches!(meaning, NameMeaning::Column(_)) => {
                        let what = if is_state {
                            "state"
                        } else {
                            "column of `data`"
                        };
                        refuse!(invalid pointer; "`{name}` is a {what}: initial values are numbers, or expressions in parameters";
                            "use another name for what is fitted");
                    }
                    NameMeaning::Parameter => _ = self.parameters.insert(name),
                    _ => {}
                }
            }
        }
        match (&equations.observe, &self.names.states[..]) {
            (Some(text), _) => self.columns_and_parameters(text, "/model/observe"),
            (None, [_]) => Ok(()),
            (None, states) => {
                let states = states.join("`, `");
                refuse!(invalid "/model/observe"; "`observe` is missing: the response may measure any of `{states}`";
                    "name the state, or give an expression in the states");
            }
        }
    }

    /// The states, with one equation and one initial value each.
    fn states(&self, equations: &OdeModel) -> Result<Vec<String>, ToolError> {
        let states: Vec<String> = equations.system.keys().cloned().collect();
        if states.is_empty() {
            refuse!(invalid "/model/system", "empty"; "expected at least one state, found none");
        }
        for state in &states {
            let pointer = member_pointer("/model/system", state);
            let is_name =
                expression::free_names(state).is_ok_and(|names| names == [state.as_str()]);
            if !is_name {
                refuse!(invalid pointer; "expected a name of letters, digits and `_` that starts with a letter, found `{state}`";
                    "rename the state");
            }
            if *state == equations.time {
                refuse!(invalid pointer; "`{state}` is the column of the time too"; "rename the state, or name the column of the time with `time`");
            }
            if self.args.parameters.get(state).is_some() {
                refuse!(invalid member_pointer("/parameters", state); "`{state}` is a state of the model too"; "rename one of them");
            }
            if !equations.y0.contains_key(state) {
                refuse!(invalid "/model/y0"; "the state `{state}` has no initial value";
                    "give a number, or an expression in parameters");
            }
        }
        if let Some(extra) = equations.y0.keys().find(|name| !states.contains(name)) {
            let message = format!("`{extra}` has no equation in `system`");
            let error = ToolError::invalid(member_pointer("/model/y0", extra), message);
            let listed = || format!("the states are `{}`", states.join("`, `"));
            let near = did_you_mean(extra, states.iter().map(String::as_str));
            return Err(error.hint(near.unwrap_or_else(listed)));
        }
        Ok(states)
    }

    /// What a name is that is no state.
    fn meaning(&self, name: &str) -> Result<NameMeaning, ToolError> {
        let column = self.table.names().position(|known| known == name);
        let is_given = self.args.parameters.get(name).is_some();
        Ok(match column {
            Some(_) if is_given => return Err(self.ambiguous(name)),
            Some(column) => NameMeaning::Column(column),
            None if is_given || expression::is_constant(name) => NameMeaning::Known,
            None => NameMeaning::Parameter,
        })
    }

    /// The error for a name that is given and in the table.
    fn ambiguous(&self, name: &str) -> ToolError {
        let message = format!("`{name}` is a column of `data` too");
        ToolError::invalid(member_pointer("/parameters", name), message).hint("rename one of them")
    }
}

/// The names in a text.
fn parse_free_names(text: &str, pointer: &str) -> Result<Vec<String>, ToolError> {
    expression::free_names(text).map_err(|err| err.into_tool_error(pointer))
}
