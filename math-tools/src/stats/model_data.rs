//! What the tools for models share: a table as columns of numbers and categories, a formula over it, and faults as errors of the call.

use ::tables::{DataTable, TableColumn};
use numerics::Interruption;
use statistics::design::{
    CategoryColumn, DesignError, Formula, FormulaError, FormulaProblem, ModelColumn, ModelColumns,
    ModelFrame, ModelResponse,
};
use statistics::models::ModelError;

use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::{did_you_mean, *};

/// A table and a formula, read.
pub(crate) struct ModelData {
    /// The columns that the formula and the other arguments use.
    pub columns: ModelColumns,
    /// The response, columns and groups over the complete rows.
    pub frame: ModelFrame,
}

/// A column named by an argument beside the formula: weights, clusters.
#[derive(Clone, Copy)]
pub(crate) struct ColumnArgument<'a> {
    /// The pointer of the argument.
    pub pointer: &'static str,
    /// The column.
    pub name: &'a str,
}

/// Reads a table and a formula with a response; rows with a missing cell in a used column are left out with a warning.
pub(crate) fn read_model(
    data: &Input<TableInput>,
    formula: &str,
    beside: &[ColumnArgument<'_>],
    ctx: &Ctx,
) -> Result<ModelData, ToolError> {
    let table = data.load(ctx)?.into_table(ctx)?;
    let names: Vec<&str> = table.names().iter().map(|name| &**name).collect();
    let formula = Formula::parse(formula, &names).map_err(formula_fault)?;
    if formula.response.is_none() {
        refuse!(invalid "/formula", "formula"; "the formula has no response";
            "write the response before `~`, such as `price ~ area`");
    }
    let mut used: Vec<String> = formula
        .columns(true)
        .iter()
        .map(|name| (*name).to_owned())
        .collect();
    for column in beside {
        let known = table.position(column.name);
        known.map_err(|err| crate::data::table::table_fault(err, column.pointer, &table, ctx))?;
        used.push(column.name.to_owned());
    }
    let columns = data_columns(&table, &used, ctx)?;
    let beside: Vec<&str> = beside.iter().map(|column| column.name).collect();
    let frame = ModelFrame::new(formula, &columns, &beside, &CallWatch(ctx))
        .map_err(|err| design_fault(err, "/formula", &names, ctx))?;
    if frame.missing > 0 {
        let (missing, rows) = (frame.missing, columns.rows());
        ctx.warn(format!(
            "{missing} of {rows} rows have a missing cell in a column of the model and are left out"
        ));
    }
    Ok(ModelData { columns, frame })
}

/// The named columns of a table; names that are no column are left to the formula to refuse.
pub(crate) fn data_columns(
    table: &DataTable,
    names: &[String],
    ctx: &Ctx,
) -> Result<ModelColumns, ToolError> {
    ctx.reserve_doubles(table.rows().saturating_mul(names.len() + 1))?;
    let mut columns: Vec<(String, ModelColumn)> = Vec::new();
    for name in names {
        let is_known = columns.iter().any(|(known, _)| known == name);
        if let (Ok(column), false) = (table.column(name), is_known) {
            columns.push((name.clone(), data_column(column)));
        }
    }
    // A formula without columns still has the rows of the table.
    if columns.is_empty() {
        columns.push((String::new(), ModelColumn::Numbers(vec![1.0; table.rows()])));
    }
    ModelColumns::new(columns).map_err(|err| ToolError::invalid("/data", err))
}

/// Texts, truth values, days and times are categories.
fn data_column(column: &TableColumn) -> ModelColumn {
    if let Some(numbers) = column.numbers() {
        let number = |cell: Option<f64>| cell.unwrap_or(f64::NAN);
        return ModelColumn::Numbers(numbers.into_iter().map(number).collect());
    }
    let labels: Vec<Option<String>> = match column.to_plain() {
        ::tables::PlainColumn::Numbers(numbers, _) => return ModelColumn::Numbers(numbers),
        ::tables::PlainColumn::Cells(cells) => cells.into_iter().map(cell_label).collect(),
    };
    if labels.iter().all(Option::is_none) {
        return ModelColumn::Numbers(vec![f64::NAN; labels.len()]);
    }
    ModelColumn::Categories(CategoryColumn::from_labels(
        labels.iter().map(Option::as_deref),
    ))
}

fn cell_label(cell: ::tables::PlainCell) -> Option<String> {
    match cell {
        ::tables::PlainCell::Null => None,
        ::tables::PlainCell::Integer(value) => Some(value.to_string()),
        ::tables::PlainCell::Double(value) => Some(value.to_string()),
        ::tables::PlainCell::Boolean(value) => Some(value.to_string()),
        ::tables::PlainCell::Text(text) => Some(text.to_string()),
    }
}

impl ModelData {
    /// The response, which [`read_model`] has made sure of.
    pub(crate) fn response(&self) -> Result<&ModelResponse, ToolError> {
        let missing = || ToolError::invalid("/formula", "the formula has no response");
        self.frame.response.as_ref().ok_or_else(missing)
    }

    /// The response as numbers; categories and pairs are refused.
    pub(crate) fn numeric_response(&self) -> Result<&ModelResponse, ToolError> {
        let response = self.response()?;
        let name = &response.name;
        if response.levels.is_some() {
            refuse!(invalid "/formula", "response"; "the response `{name}` is a category, and this model needs numbers";
                "`glm` with `family` binomial models a category of two levels");
        }
        if response.second.is_some() {
            refuse!(invalid "/formula", "response"; "the response `{name}` is a pair, and this model needs one number a row");
        }
        Ok(response)
    }

    /// The numbers of a column in the complete rows.
    pub(crate) fn numbers(&self, column: ColumnArgument<'_>) -> Result<Vec<f64>, ToolError> {
        let numbers = self
            .columns
            .numbers(column.name, column.pointer.trim_start_matches('/'));
        let numbers =
            numbers.map_err(|err| ToolError::invalid(column.pointer, err).reason("table"))?;
        Ok(self.frame.rows.iter().map(|row| numbers[*row]).collect())
    }

    /// The categories of a column in the complete rows, as places of levels.
    pub(crate) fn categories(
        &self,
        column: ColumnArgument<'_>,
    ) -> Result<CategoryColumn, ToolError> {
        let found = self.columns.get(column.name);
        let found = found.map_err(|err| ToolError::invalid(column.pointer, err).reason("table"))?;
        Ok(found.to_categories().take(&self.frame.rows))
    }

    /// The design matrix and offset of new rows; all cells have to be there.
    pub(crate) fn new_rows(
        &self,
        rows: &Input<TableInput>,
        ctx: &Ctx,
    ) -> Result<NewRows, ToolError> {
        let table = rows.load(ctx)?.into_table(ctx)?;
        let names: Vec<&str> = table.names().iter().map(|name| &**name).collect();
        let plan = &self.frame.plan;
        let used: Vec<String> = plan
            .formula()
            .columns(false)
            .iter()
            .map(|name| (*name).to_owned())
            .collect();
        let columns = data_columns(&table, &used, ctx)?;
        let fault = |err| design_fault(err, "/predict", &names, ctx);
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        let complete = columns.complete_rows(used).map_err(fault)?;
        if complete.len() < columns.rows() {
            let row = (0..columns.rows())
                .find(|row| !complete.contains(row))
                .unwrap_or(0);
            refuse!(invalid "/predict", "missing"; "row {row} has a missing cell (rows count from 0)";
                "a prediction needs a value in every column of the formula");
        }
        let matrix = plan.new_matrix(&columns, &CallWatch(ctx)).map_err(fault)?;
        let offset = plan.new_offset(&columns).map_err(fault)?;
        Ok(NewRows { matrix, offset })
    }

    /// The row of the table of a row of the fit.
    pub(crate) fn table_row(&self, row: usize) -> usize {
        self.frame.rows.get(row).copied().unwrap_or(row)
    }

    /// The error of a fit as that of the call, its row one of the table.
    pub(crate) fn model_fault(&self, err: ModelError, ctx: &Ctx) -> ToolError {
        let placed = match err {
            ModelError::Weight { row, value } => ModelError::Weight {
                row: self.table_row(row),
                value,
            },
            ModelError::FullLeverage { row } => ModelError::FullLeverage {
                row: self.table_row(row),
            },
            ModelError::Response {
                row,
                value,
                family,
                expected,
            } => ModelError::Response {
                row: self.table_row(row),
                value,
                family,
                expected,
            },
            other => other,
        };
        model_fault(placed, ctx)
    }
}

/// The columns of new rows.
pub(crate) struct NewRows {
    /// The design matrix.
    pub matrix: statistics::design::ModelMatrix,
    /// The sum of the offsets.
    pub offset: Option<Vec<f64>>,
}

/// The error of a text that is no formula.
pub(crate) fn formula_fault(err: FormulaError) -> ToolError {
    let hint = match &err.problem {
        FormulaProblem::UnknownFunction(name) => {
            let known = statistics::design::ColumnFunction::NAMED
                .iter()
                .map(|(name, _)| *name);
            let known = known.chain(["C", "poly", "I", "offset"]);
            did_you_mean(name, known).unwrap_or_else(|| {
                "the functions are log, log2, log10, log1p, exp, expm1, sqrt, abs, sin, cos, scale, center, poly, C and I".to_owned()
            })
        }
        FormulaProblem::Character(_) => {
            "a name with other characters stands between backquotes: `y ~ \\`unit price\\``"
                .to_owned()
        }
        _ => "such as `price ~ area + C(city)`, `y ~ x*g + poly(z, 2)`, `log(y) ~ I(x^2) - 1`"
            .to_owned(),
    };
    ToolError::invalid("/formula", err)
        .reason("formula")
        .hint(hint)
}

/// The error of data that give no design matrix.
pub(crate) fn design_fault(
    err: DesignError,
    pointer: &str,
    names: &[&str],
    ctx: &Ctx,
) -> ToolError {
    let hint = match &err {
        DesignError::Interrupted(interruption) => return interrupted(*interruption, ctx),
        DesignError::UnknownColumn { name } => did_you_mean(name, names.iter().copied())
            .unwrap_or_else(|| format!("the columns are {}", quoted_list(names))),
        DesignError::NotNumeric { .. } => "a category stands alone or as `C(column)`".to_owned(),
        DesignError::NotFinite { .. } => {
            "rows count from 0; leave the row out, or use another function such as log1p".to_owned()
        }
        DesignError::OneLevel { .. } => "leave the column out of the formula".to_owned(),
        DesignError::UnknownLevel { .. } => "levels are written as the cells are".to_owned(),
        DesignError::PolynomialDegree { .. } => "lower the degree".to_owned(),
        DesignError::NoRows { .. } => {
            "leave out the columns that are empty, or fill their cells".to_owned()
        }
        DesignError::Columns { .. } => {
            "a column with a level of its own in every row is no category".to_owned()
        }
        DesignError::ConstantScale { .. } | DesignError::Ragged { .. } => {
            "leave the column out".to_owned()
        }
    };
    ToolError::invalid(pointer, err)
        .reason("formula")
        .hint(hint)
}

fn quoted_list(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let mut list: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > SHOWN {
        list.push("...".to_owned());
    }
    list.join(", ")
}

fn interrupted(interruption: Interruption, ctx: &Ctx) -> ToolError {
    CallWatch(ctx).interruption_error(interruption)
}

/// The error of a fit as that of the call.
pub(crate) fn model_fault(err: ModelError, ctx: &Ctx) -> ToolError {
    let (pointer, reason, hint) = match &err {
        ModelError::Interrupted(interruption) => return interrupted(*interruption, ctx),
        ModelError::TooFewRows { .. } => {
            ("/data", "underdetermined", "pass more rows or fewer terms")
        }
        ModelError::NoColumns => (
            "/formula",
            "rank_deficient",
            "add a term with values that are not 0",
        ),
        ModelError::Weight { .. } => (
            "/weights",
            "weights",
            "rows count from 0; leave rows without weight out of the table",
        ),
        ModelError::FullLeverage { .. } => (
            "/errors",
            "leverage",
            "rows count from 0; leave the row out, or use `HC1`",
        ),
        ModelError::Clusters { .. } => (
            "/cluster",
            "clusters",
            "name a column with at least two groups",
        ),
        ModelError::Response { .. } => (
            "/formula",
            "response",
            "rows count from 0; choose a family that has such responses",
        ),
        ModelError::ConstantResponse { .. } => {
            ("/formula", "constant", "there is nothing to explain")
        }
        ModelError::Separation { .. } => (
            "/formula",
            "separation",
            "leave the column out, join its levels, or collect rows where the outcomes overlap",
        ),
        ModelError::NoConvergence { .. } => (
            "/formula",
            "no_convergence",
            "scale the columns, leave out terms, or choose another link",
        ),
        ModelError::Overflow => (
            "/formula",
            "overflow",
            "scale the columns, or choose another link",
        ),
        ModelError::Unsuitable(_) => (
            "/formula",
            "unsuitable",
            "look at the data and simplify the model",
        ),
    };
    let is_numeric = matches!(
        err,
        ModelError::Separation { .. }
            | ModelError::NoConvergence { .. }
            | ModelError::Overflow
            | ModelError::NoColumns
    );
    let error = match is_numeric {
        true => ToolError::numeric(pointer, err),
        false => ToolError::invalid(pointer, err),
    };
    error.reason(reason).hint(hint)
}

/// Warns of columns that were left out because they depend on others.
pub(crate) fn warn_of_aliases(aliased: &[String], ctx: &Ctx) {
    if !aliased.is_empty() {
        let names: Vec<&str> = aliased.iter().map(String::as_str).collect();
        ctx.warn(format!(
            "left out, since they are combinations of the columns before them: {}",
            quoted_list(&names)
        ));
    }
}
