//! What a picture is made of: the result, the arguments of its call, and the table that the call took.

use tool_core::LoadInput;

use super::super::drawing::call::without_shared_arguments;
use super::DrawnTool;
use crate::data::table::TableInput;
use crate::prelude::*;

/// A result with what belongs to it.
pub(in crate::plot) struct DrawnResult<'a> {
    /// The result, an object.
    pub(in crate::plot) result: &'a Value,
    /// The arguments of the call, an object.
    pub(in crate::plot) call: Option<&'a Value>,
    /// The table in place of that of the call.
    pub(in crate::plot) data: Option<Table>,
    /// Columns of the table, as `x` and `y` of the call of `plot`.
    pub(in crate::plot) x: Option<&'a str>,
    pub(in crate::plot) y: Option<&'a str>,
    /// Titles of the axes.
    pub(in crate::plot) x_label: Option<&'a str>,
    pub(in crate::plot) y_label: Option<&'a str>,
    /// The theme, whose colours marks have.
    pub(in crate::plot) theme: plots::PlotTheme,
    /// Opens what the call takes from files.
    pub(in crate::plot) ctx: &'a Ctx,
}

/// Members by which a result is recognised.
const SIGNS: [(DrawnTool, &[&str]); 19] = [
    (DrawnTool::CurveFit, &["fitted", "band", "parameters"]),
    (
        DrawnTool::LinearRegression,
        &["coefficients", "intercept", "terms"],
    ),
    (DrawnTool::Mcmc, &["rhat", "ess", "summary"]),
    (DrawnTool::SolveOde, &["t", "y", "completed"]),
    (DrawnTool::Histogram, &["bin_edges", "counts"]),
    (DrawnTool::Optimize, &["x", "f", "evaluations"]),
    (DrawnTool::Fft, &["window", "n", "peaks"]),
    (
        DrawnTool::TimeSeries,
        &["forecast", "held_out", "anomalies"],
    ),
    (
        DrawnTool::HierarchicalClustering,
        &["merges", "leaf_order", "labels"],
    ),
    (DrawnTool::Dbscan, &["labels", "cores", "eps"]),
    (DrawnTool::Kmeans, &["labels", "inertia", "clusters"]),
    (DrawnTool::Outliers, &["outliers", "methods", "factors"]),
    (DrawnTool::Pca, &["components", "loadings", "scores"]),
    (DrawnTool::CompareGroups, &["groups", "comparisons", "p"]),
    (DrawnTool::HypothesisTest, &["alternative", "estimate", "p"]),
    (DrawnTool::Survival, &["groups", "curve", "events"]),
    (DrawnTool::Survival, &["terms", "proportional", "events"]),
    (DrawnTool::Correlation, &["columns", "pairs", "matrix"]),
    (DrawnTool::KernelDensity, &["x", "density", "bandwidth"]),
];

/// The tool that a result came from.
pub(super) fn recognise_tool(source: &DrawnResult<'_>) -> Result<DrawnTool, ToolError> {
    let has = |name: &&str| source.result.get(name).is_some();
    let found = SIGNS.iter().find(|(_, names)| names.iter().all(has));
    if let Some((tool, _)) = found {
        return Ok(*tool);
    }
    let known = DrawnTool::ALL.map(DrawnTool::name).join(", ");
    let kind = source.result.kind();
    refuse!(invalid "/result", "shape"; "expected the whole result of {known}, found {kind}";
        "pass the answer as it is, in a plan {\"$ref\": \"step\"}; a table is `data`")
}

impl<'a> DrawnResult<'a> {
    /// A list of numbers of the result.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<f64>, ToolError> {
        let found = self.result.get(name).and_then(number_list);
        found.ok_or_else(|| self.missing(name, "a list of numbers"))
    }

    /// A number of the result.
    pub(super) fn number(&self, name: &str) -> Result<f64, ToolError> {
        let found = self.result.get(name).and_then(Value::as_f64);
        found.ok_or_else(|| self.missing(name, "a number"))
    }

    pub(super) fn missing(&self, name: &str, expected: &str) -> ToolError {
        let found = match self.result.get(name) {
            Some(value) => value.kind(),
            None => "none".to_owned(),
        };
        ToolError::invalid(
            format!("/result/{name}"),
            format!("expected {expected}, found {found}"),
        )
        .reason("shape")
        .hint("pass the whole result of the tool, and name the tool with `of`")
    }

    /// An argument of the call.
    pub(super) fn argument(&self, name: &str) -> Option<&'a Value> {
        self.call?.get(name).filter(|value| !value.is_null())
    }

    /// The arguments of the call as those of the tool; `None` without a call.
    pub(super) fn call_arguments<T: Decode>(&self) -> Result<Option<T>, ToolError> {
        let Some(call) = self.call else {
            return Ok(None);
        };
        let args = T::decode(&without_shared_arguments(call)).map_err(|error| {
            let problem: RequestProblem = error.into();
            ToolError::invalid(format!("/call{}", problem.path), problem.message)
        })?;
        Ok(Some(args))
    }

    /// An argument of the call that may come from a file.
    pub(super) fn call_input<T: LoadInput>(&self, name: &str) -> Result<Option<T>, ToolError> {
        let Some(value) = self.argument(name) else {
            return Ok(None);
        };
        let input = Input::<T>::decode(value).map_err(|error| {
            let problem: RequestProblem = error.into();
            ToolError::invalid(format!("/call/{name}{}", problem.path), problem.message)
        })?;
        input.load(self.ctx).map(Some)
    }

    /// The table that the call took: `data`, or that of the call.
    pub(super) fn table(&self) -> Result<Option<Table>, ToolError> {
        match &self.data {
            Some(table) => Ok(Some(table.clone())),
            None => self.call_input("data"),
        }
    }

    /// The table by its typed columns, as the tools for tables read it.
    pub(super) fn typed_table(&self) -> Result<Option<TableInput>, ToolError> {
        let Some(table) = &self.data else {
            return self.call_input("data");
        };
        let typed = TableInput::from_value(&table.to_value());
        let typed = typed.map_err(|problem| {
            ToolError::invalid(format!("/data{}", problem.path), problem.message)
        })?;
        Ok(Some(typed))
    }
}

/// An error of the arguments of a call, at their place in `call`.
pub(super) fn in_call(error: ToolError) -> ToolError {
    let message = error.message().to_owned();
    ToolError::invalid("/call", message)
}

/// The numbers of a column; NaN where a cell is missing, `None` where one is no number.
pub(super) fn column_numbers(table: &Table, name: &str) -> Option<Vec<f64>> {
    let place = table.names().position(|one| one == name)?;
    let number = |cell: &Value| match cell {
        Value::Null => Some(f64::NAN),
        other => other.as_f64(),
    };
    table.columns().get(place)?.iter().map(number).collect()
}

/// A list of numbers; what is spelled out, such as "NaN", is NaN.
pub(super) fn number_list(value: &Value) -> Option<Vec<f64>> {
    if let Some(numbers) = value.as_numbers().filter(|numbers| numbers.rank() == 1) {
        return Some(numbers.as_slice().to_vec());
    }
    let number = |item: &Value| match item {
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        other => other.as_f64(),
    };
    value.items()?.iter().map(number).collect()
}

/// Rows of numbers of one length.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NumberRows {
    pub(super) width: usize,
    pub(super) cells: Vec<f64>,
}

impl NumberRows {
    /// Of a list of rows; a list of numbers is one column.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        if let Some(numbers) = value.as_numbers() {
            return match numbers.shape() {
                [_] => Some(Self {
                    width: 1,
                    cells: numbers.as_slice().to_vec(),
                }),
                [_, width] => Some(Self {
                    width: *width,
                    cells: numbers.as_slice().to_vec(),
                }),
                _ => None,
            };
        }
        let rows: Option<Vec<Vec<f64>>> = value.items()?.iter().map(number_list).collect();
        let rows = rows?;
        let width = rows.first().map_or(0, Vec::len);
        let is_regular = width > 0 && rows.iter().all(|row| row.len() == width);
        is_regular.then(|| Self {
            width,
            cells: rows.concat(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.cells.len() / self.width.max(1)
    }

    pub(super) fn column(&self, index: usize) -> Vec<f64> {
        let cells = self.cells.iter().skip(index);
        cells.step_by(self.width.max(1)).copied().collect()
    }
}
