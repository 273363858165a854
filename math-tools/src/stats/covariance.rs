//! `covariance`: the covariance matrix of columns.

use ::statistics::summary::{compensated_sum, mean_of};

use super::reporting::samples::{number_cells, number_column_names};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most columns of a matrix.
const COLUMNS_MAX: usize = 500;

/// Covariance matrix of columns of a table, with means and standard deviations. Missing cells are left out by row, or pair by pair.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Which rows count.
    #[value(default = "default_rows")]
    pub rows: CovarianceRows,
    /// 1 divides by n - 1, 0 by n.
    #[value(default = "BoundedInteger::<0, 1>::of::<1>")]
    pub ddof: BoundedInteger<0, 1>,
}

fn default_rows() -> CovarianceRows {
    CovarianceRows::Complete
}

/// The rows of which a covariance is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CovarianceRows {
    /// Rows without any missing cell: the matrix is positive semidefinite.
    Complete,
    /// For each pair of columns the rows in which both are there; the matrix may have a negative eigenvalue.
    Pairwise,
}

/// A covariance matrix.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The columns.
    pub columns: Vec<String>,
    /// The covariances, in units of one column times those of the other.
    pub matrix: Vec<Vec<f64>>,
    /// Means of the columns, each of its rows on the diagonal.
    pub means: Vec<f64>,
    /// Their standard deviations.
    pub sds: Vec<f64>,
    /// Rows of each pair.
    pub counts: Vec<Vec<usize>>,
    /// Rows with a missing cell in one of the columns.
    pub missing: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("covariance", "Covariance matrix").tags(&[
        "statistics",
        "covariance",
        "matrix",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one column is twice the other":
            r#"{"data": {"a": [1, 2, 3], "b": [2, 4, 6]}}"#
            => r#"{"columns": ["a", "b"], "matrix": [[1.0, 2.0], [2.0, 4.0]], "means": [2.0, 4.0], "sds": [1.0, 2.0],
                "counts": [[3, 3], [3, 3]], "missing": 0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let table = args.data.load(ctx)?.into_table(ctx)?;
        let names = match args.columns.is_empty() {
            true => number_column_names(&table),
            false => args.columns.clone(),
        };
        if names.is_empty() || names.len() > COLUMNS_MAX {
            let found = names.len();
            refuse!(invalid "/columns"; "expected 1 to {COLUMNS_MAX} columns of numbers, found {found}"; "name the columns");
        }
        let column = |(index, name): (usize, &String)| {
            number_cells(&table, name, &format!("/columns/{index}"), ctx)
        };
        let columns: Vec<Vec<Option<f64>>> = names
            .iter()
            .enumerate()
            .map(column)
            .collect::<Result<_, _>>()?;
        let is_complete: Vec<bool> = (0..table.rows())
            .map(|row| columns.iter().all(|column| column[row].is_some()))
            .collect();
        let takes = |row: usize| match args.rows {
            CovarianceRows::Complete => is_complete[row],
            CovarianceRows::Pairwise => true,
        };
        let count = names.len();
        let mut output = Output {
            columns: names,
            matrix: vec![vec![0.0; count]; count],
            means: vec![0.0; count],
            sds: vec![0.0; count],
            counts: vec![vec![0; count]; count],
            missing: is_complete
                .iter()
                .filter(|is_complete| !**is_complete)
                .count(),
        };
        for first in 0..count {
            for second in first..count {
                ctx.check()?;
                let pairs = pairs_of(&columns[first], &columns[second], &takes);
                let lost = args.ddof.size();
                if pairs.x.len() <= lost {
                    let (a, b) = (&output.columns[first], &output.columns[second]);
                    let found = pairs.x.len();
                    refuse!(invalid "/data", "too_few"; "expected at least {} rows with `{a}` and `{b}`, found {found}", lost + 1;
                        "pass more rows, or choose `rows`: `pairwise`");
                }
                let value = pairs.covariance(lost);
                if !value.is_finite() {
                    refuse!(numeric "/data", "overflow"; "a covariance is beyond the largest double"; "scale the columns");
                }
                output.matrix[first][second] = value;
                output.matrix[second][first] = value;
                output.counts[first][second] = pairs.x.len();
                output.counts[second][first] = pairs.x.len();
                if first == second {
                    output.means[first] = mean_of(&pairs.x);
                    output.sds[first] = value.sqrt();
                }
            }
        }
        Ok(output)
    }
}

/// The rows in which two columns are there.
struct PairedValues {
    x: Vec<f64>,
    y: Vec<f64>,
}

impl PairedValues {
    fn covariance(&self, lost: usize) -> f64 {
        let (mean_x, mean_y) = (mean_of(&self.x), mean_of(&self.y));
        let products = self
            .x
            .iter()
            .zip(&self.y)
            .map(|(x, y)| (x - mean_x) * (y - mean_y));
        compensated_sum(products) / (self.x.len() - lost) as f64
    }
}

fn pairs_of(x: &[Option<f64>], y: &[Option<f64>], takes: &dyn Fn(usize) -> bool) -> PairedValues {
    let rows = (0..x.len()).filter(|&row| takes(row));
    let pairs = rows.filter_map(|row| Some((x[row]?, y[row]?)));
    let (x, y) = pairs.unzip();
    PairedValues { x, y }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    #[test]
    fn missing_cells_are_left_out_by_row_or_by_pair() {
        let data = r#"{"a": [1, 2, 3, null], "b": [2, 4, null, 8], "c": [5, 1, 3, 3]}"#;
        let complete = run::<Args>(&format!(r#"{{"data": {data}}}"#)).unwrap();
        assert_eq!((complete.missing, &complete.counts[2]), (2, &vec![2, 2, 2]));
        assert_eq!(complete.matrix[0], [0.5, 1.0, -2.0]);
        let pairwise = run::<Args>(&format!(r#"{{"data": {data}, "rows": "pairwise"}}"#)).unwrap();
        assert_eq!(pairwise.counts[2], [3, 3, 4]);
        assert_eq!(pairwise.matrix[0][0], 1.0);
    }

    #[test]
    fn single_rows_have_no_covariance() {
        assert_refused::<Args>(&[
            (
                r#"{"data": {"a": [1], "b": [2]}}"#,
                "/data",
                "at least 2 rows",
            ),
            (
                r#"{"data": {"a": ["x"]}}"#,
                "/columns",
                "columns of numbers",
            ),
        ]);
    }
}
