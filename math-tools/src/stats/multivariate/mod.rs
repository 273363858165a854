//! Rows of a table as points: what the tools for components, clusters, neighbours and outliers share.

pub(crate) mod dbscan;
pub(crate) mod hierarchical_clustering;
pub(crate) mod kmeans;
pub(crate) mod nearest_neighbours;
pub(crate) mod outliers;
pub(crate) mod pca;
#[cfg(test)]
mod tests;

use ::tables::DataTable;
use statistics::multivariate::{
    ColumnScaling, CondensedDistances, DistanceMetric, MultivariateError, PointTable,
    column_deviations, silhouette_values,
};

use super::reporting::samples::{number_cells, number_column_names};
use super::reporting::words::number_words;
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most columns of points.
const COLUMNS_MAX: usize = 1000;
/// Rows whose silhouettes are computed, which costs their square; of more rows a sample.
pub(super) const SILHOUETTE_ROWS_MAX: usize = 2000;

/// The complete rows of columns of numbers.
pub(super) struct PointRows {
    /// The columns.
    pub names: Vec<String>,
    /// Their numbers in the complete rows.
    pub columns: Vec<Vec<f64>>,
    /// The rows of the table.
    pub rows: Vec<usize>,
    /// Rows left out.
    pub missing: usize,
}

impl PointRows {
    /// The named columns, or all with numbers; rows with a missing cell are left out with a warning.
    pub(super) fn load(
        data: &Input<TableInput>,
        columns: &[String],
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        let table = data.load(ctx)?.into_table(ctx)?;
        let names = match columns.is_empty() {
            true => number_column_names(&table),
            false => columns.to_vec(),
        };
        if names.is_empty() || names.len() > COLUMNS_MAX {
            let found = names.len();
            refuse!(invalid "/columns"; "expected 1 to {COLUMNS_MAX} columns of numbers, found {found}"; "name the columns");
        }
        if let Some(place) = (1..names.len()).find(|place| names[..*place].contains(&names[*place]))
        {
            let name = &names[place];
            refuse!(invalid format!("/columns/{place}"); "expected different columns, found `{name}` twice"; "name each column once");
        }
        let points = Self::of_table(&table, names, "/columns", ctx)?;
        if points.missing > 0 {
            let (missing, rows) = (points.missing, table.rows());
            ctx.warn(format!(
                "{missing} of {rows} rows have a missing cell in a used column and are left out"
            ));
        }
        if points.rows.is_empty() {
            let rows = table.rows();
            refuse!(invalid "/data", "too_few"; "expected rows with a number in every used column, found none of {rows}"; "name columns with numbers, or fill the missing cells");
        }
        Ok(points)
    }

    /// Columns of a table by name.
    pub(super) fn of_table(
        table: &DataTable,
        names: Vec<String>,
        pointer: &str,
        ctx: &Ctx,
    ) -> Result<Self, ToolError> {
        ctx.reserve_doubles(table.rows().saturating_mul(3 * names.len() + 1))?;
        let cells = |(index, name): (usize, &String)| {
            number_cells(table, name, &format!("{pointer}/{index}"), ctx)
        };
        let cells: Vec<Vec<Option<f64>>> = names
            .iter()
            .enumerate()
            .map(cells)
            .collect::<Result<_, _>>()?;
        let is_complete = |row: &usize| cells.iter().all(|column| column[*row].is_some());
        let rows: Vec<usize> = (0..table.rows()).filter(is_complete).collect();
        let column = |cells: &Vec<Option<f64>>| -> Vec<f64> {
            rows.iter().filter_map(|row| cells[*row]).collect()
        };
        Ok(Self {
            columns: cells.iter().map(column).collect(),
            missing: table.rows() - rows.len(),
            names,
            rows,
        })
    }

    /// Number of complete rows.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// The points; constant columns and very different spreads are said.
    pub(super) fn points(
        &self,
        standardise: bool,
        metric: DistanceMetric,
        ctx: &Ctx,
    ) -> Result<PointTable, ToolError> {
        let points = PointTable::new(&self.columns, column_scaling(standardise), &CallWatch(ctx));
        let points = points.map_err(|err| multivariate_fault(err, self, ctx))?;
        self.warn_of_spreads(standardise, ctx);
        points
            .for_metric(metric)
            .map_err(|err| multivariate_fault(err, self, ctx))
    }

    /// Columns whose spreads differ more than tenfold: the wide ones decide distances.
    pub(super) fn warn_of_spreads(&self, standardise: bool, ctx: &Ctx) {
        /// Ratio of the deviations.
        const SPREAD: f64 = 10.0;
        let deviations = column_deviations(&self.columns);
        let constant = deviations.iter().zip(&self.names);
        let constant: Vec<String> = constant
            .filter(|(deviation, _)| **deviation == 0.0)
            .map(|(_, name)| format!("`{name}`"))
            .collect();
        if !constant.is_empty() && self.count() > 1 {
            let names = constant.join(", ");
            ctx.warn(format!(
                "{names}: every value is the same, which separates no rows"
            ));
        }
        let places = 0..self.names.len();
        let varying: Vec<usize> = places.filter(|place| deviations[*place] > 0.0).collect();
        let by_spread = |a: &&usize, b: &&usize| deviations[**a].total_cmp(&deviations[**b]);
        let (Some(least), Some(most)) = (
            varying.iter().min_by(by_spread),
            varying.iter().max_by(by_spread),
        ) else {
            return;
        };
        if !standardise && deviations[*most] / SPREAD > deviations[*least] {
            let ratio = number_words(deviations[*most] / deviations[*least]);
            ctx.warn(format!(
                "`{}` spreads {ratio} times as far as `{}` and weighs more; `standardise` gives all columns one spread",
                self.names[*most], self.names[*least]
            ));
        }
    }

    /// The mean of some of the complete rows, in units of the columns.
    pub(super) fn mean_of_rows(&self, rows: &[usize]) -> Vec<f64> {
        let mean = |column: &Vec<f64>| {
            let cells: Vec<f64> = rows.iter().map(|row| column[*row]).collect();
            statistics::summary::mean_of(&cells)
        };
        self.columns.iter().map(mean).collect()
    }

    /// The columns in words: up to three by name.
    pub(super) fn column_words(&self) -> String {
        let name = |name: &String| format!("`{name}`");
        match self.names.len() {
            1..=3 => self.names.iter().map(name).collect::<Vec<_>>().join(", "),
            count => format!("{count} columns"),
        }
    }
}

/// The unit of columns by the argument.
pub(super) fn column_scaling(standardise: bool) -> ColumnScaling {
    match standardise {
        true => ColumnScaling::Standard,
        false => ColumnScaling::Plain,
    }
}

/// How far apart two rows are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum RowDistance {
    /// Root of the sum of squared differences.
    #[default]
    Euclidean,
    /// Sum of the differences.
    #[value(alias = "cityblock")]
    Manhattan,
    /// Largest difference.
    Chebyshev,
    /// Root of order `power` of the sum of such powers.
    Minkowski,
    /// 1 less the cosine of the angle between the rows.
    Cosine,
}

impl RowDistance {
    /// With the power of Minkowski's.
    pub(super) fn metric(self, power: Option<Positive>) -> Result<DistanceMetric, ToolError> {
        /// Numbers of rows are below 4 in the unit of a table, and their powers finite.
        const POWER_MAX: f64 = 100.0;
        let power = power.map_or(3.0, |power| power.get());
        if !(1.0..=POWER_MAX).contains(&power) {
            refuse!(invalid "/power", "range"; "expected a power from 1 to {POWER_MAX}, found {power}"; "2 is the Euclidean distance, 1 the Manhattan distance");
        }
        Ok(match self {
            Self::Euclidean => DistanceMetric::Euclidean,
            Self::Manhattan => DistanceMetric::Manhattan,
            Self::Chebyshev => DistanceMetric::Chebyshev,
            Self::Minkowski => DistanceMetric::Minkowski(power),
            Self::Cosine => DistanceMetric::Cosine,
        })
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Euclidean => "euclidean",
            Self::Manhattan => "manhattan",
            Self::Chebyshev => "chebyshev",
            Self::Minkowski => "minkowski",
            Self::Cosine => "cosine",
        }
    }
}

/// Mean silhouettes: of all rows, and of each cluster.
pub(super) struct ClusterSilhouettes {
    pub mean: f64,
    pub of_clusters: Vec<f64>,
}

/// Of rows with the distances of a sample of them; 0 for one cluster, and for clusters without a row in the sample.
pub(super) fn cluster_silhouettes(
    distances: &CondensedDistances,
    labels: &[usize],
    clusters: usize,
    ctx: &Ctx,
) -> Result<ClusterSilhouettes, MultivariateError> {
    if clusters < 2 {
        return Ok(ClusterSilhouettes {
            mean: 0.0,
            of_clusters: vec![0.0; clusters],
        });
    }
    let values = silhouette_values(distances, labels, &CallWatch(ctx))?;
    let (mut sums, mut counts) = (vec![0.0; clusters], vec![0_usize; clusters]);
    for (label, value) in labels.iter().zip(&values) {
        sums[*label] += value;
        counts[*label] += 1;
    }
    let means = sums.iter().zip(counts);
    Ok(ClusterSilhouettes {
        mean: values.iter().sum::<f64>() / values.len().max(1) as f64,
        of_clusters: means
            .map(|(sum, count)| sum / count.max(1) as f64)
            .collect(),
    })
}

/// The rows of each cluster.
pub(super) fn rows_of_clusters(labels: &[usize], clusters: usize) -> Vec<Vec<usize>> {
    let mut rows = vec![Vec::new(); clusters];
    for (row, label) in labels.iter().enumerate() {
        rows[*label].push(row);
    }
    rows
}

/// L. Kaufman and P. J. Rousseeuw, "Finding Groups in Data", 1990, table 4 of chapter 2, in words.
pub(super) fn silhouette_words(mean: f64) -> &'static str {
    match mean {
        mean if mean > 0.7 => "a strong structure",
        mean if mean > 0.5 => "a reasonable structure",
        mean if mean > 0.25 => "a weak structure, which may be artificial",
        _ => "no substantial structure",
    }
}

/// `1 cluster`, `3 clusters`.
pub(super) fn count_words(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// The error of a computation as that of the call.
pub(super) fn multivariate_fault(
    err: MultivariateError,
    points: &PointRows,
    ctx: &Ctx,
) -> ToolError {
    let err = match err {
        MultivariateError::ZeroRow { row } => MultivariateError::ZeroRow {
            row: points.rows.get(row).copied().unwrap_or(row),
        },
        other => other,
    };
    let (pointer, reason, hint) = match &err {
        MultivariateError::Interrupted(interruption) => {
            return CallWatch(ctx).interruption_error(*interruption);
        }
        MultivariateError::Overflow => {
            let hint = "divide the columns by a power of ten, or choose `standardise`";
            return ToolError::numeric("/data", &err)
                .reason("overflow")
                .hint(hint);
        }
        MultivariateError::NoConvergence(_) => {
            return ToolError::numeric("/data", &err).hint("pass other columns");
        }
        MultivariateError::TooManyRows { .. } => {
            return ToolError::new(ErrorCode::LimitExceeded, &err)
                .at("/data")
                .reason("limit")
                .hint("draw a sample with `table_select`, or use `kmeans` or `dbscan`");
        }
        MultivariateError::NoColumns => ("/columns", "too_few", "name a column"),
        MultivariateError::TooFewRows { .. } => ("/data", "too_few", "pass more complete rows"),
        MultivariateError::Ragged { .. } => ("/data", "shape", "pass columns of one length"),
        MultivariateError::Constant => ("/data", "constant", "pass columns that vary"),
        MultivariateError::Clusters { .. } => ("/k", "range", "choose a smaller number"),
        MultivariateError::ZeroRow { .. } => (
            "/data",
            "undefined",
            "rows count from 0; leave the row out, or choose another `metric`",
        ),
        MultivariateError::Dependent(_) => ("/columns", "rank_deficient", "leave a column out"),
    };
    ToolError::invalid(pointer, &err).reason(reason).hint(hint)
}
