//! `group_statistics`: summary statistics of columns of a table, by groups.

use ::statistics::summary::{CentralMoments, median_of};
use numerics::quantile::QuantileDefinition;

use super::reporting::samples::{CategoryRows, category_rows, number_cells, number_column_names};
use super::statistics::QuantileRule;
use super::statistics::extended::{ExtendedStatistics, extended_statistics};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most rows of an answer.
const ROWS_MAX: usize = 100_000;

/// Summary statistics of columns of a table, for each group of rows: count, missing cells, mean with its interval, spread, quantiles, shape, and robust
/// measures.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// A column whose categories make the groups; all rows are one group without it.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub by: Option<String>,
    /// Probabilities of further quantiles, such as `[0.05, 0.95]`.
    #[value(default)]
    #[schema(extend("x-shape" = ["k"]))]
    pub quantiles: Vec<Probability>,
    /// Definition of all quantiles, by NumPy's name or R's `type1` to `type9`; absent: `linear`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub definition: Option<QuantileRule>,
    /// Share of the values that the trimmed and winsorised mean take off each side, below 0.5.
    #[value(default = "default_trim")]
    pub trim: Probability,
    /// Confidence of the interval of the mean.
    #[value(default = "crate::prelude::default_confidence")]
    pub confidence: Probability,
}

fn default_trim() -> Probability {
    Probability::literal(0.2)
}

/// Statistics by column and group.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// One row for each column and group.
    pub groups: Vec<GroupStatistics>,
    /// Rows of the table.
    pub rows: usize,
    /// Rows without a category, which are in no group.
    pub ungrouped: usize,
}

/// The statistics of a column in a group.
#[derive(Debug, Encode, Describe)]
pub(crate) struct GroupStatistics {
    /// The column.
    pub column: String,
    /// The category; empty without `by`.
    pub group: String,
    /// Values that count.
    pub n: usize,
    /// Missing cells.
    pub missing: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation with divisor n - 1; "NaN" of one value.
    pub sd: Real,
    /// Smallest value.
    pub min: f64,
    /// Lower quartile.
    pub q25: f64,
    /// Median.
    pub median: f64,
    /// Upper quartile.
    pub q75: f64,
    /// Largest value.
    pub max: f64,
    /// The quantiles that were asked for.
    #[schema(extend("x-shape" = ["k"]))]
    pub quantiles: Vec<f64>,
    /// EstimateInterval of the mean, shape and robust measures.
    pub more: ExtendedStatistics,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("group_statistics", "Summary statistics by group").tags(&[
        "statistics",
        "table",
        "groups",
        "describe",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one group of equal values":
            r#"{"data": {"a": [4, 4, null]}}"#
            => r#"{"groups": [{"column": "a", "group": "", "n": 2, "missing": 1, "mean": 4.0, "sd": 0.0, "min": 4.0, "q25": 4.0, "median": 4.0,
                "q75": 4.0, "max": 4.0, "quantiles": [], "more": {"standard_error": 0.0, "mean_interval": [4.0, 4.0], "skewness": "NaN",
                    "excess_kurtosis": "NaN", "mad": 0.0, "mad_normal": 0.0, "trimmed_mean": 4.0, "trimmed_standard_error": 0.0,
                    "winsorised_mean": 4.0, "geometric_mean": 4.0, "harmonic_mean": 4.0, "mode": 4.0, "mode_count": 2,
                    "coefficient_of_variation": 0.0}}],
                "rows": 3, "ungrouped": 0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let confidence = confidence_level(args.confidence)?;
        let trim = check_trim(args.trim)?;
        let table = args.data.load(ctx)?.into_table(ctx)?;
        let names = match args.columns.is_empty() {
            true => {
                let mut names = number_column_names(&table);
                names.retain(|name| args.by.as_ref() != Some(name));
                names
            }
            false => args.columns.clone(),
        };
        if names.is_empty() {
            refuse!(invalid "/columns"; "the table has no column of numbers"; "name columns, or compute one with `table_select`");
        }
        let groups = match &args.by {
            Some(by) => category_rows(&table, by, "/by", ctx)?,
            None => vec![CategoryRows {
                label: String::new(),
                rows: (0..table.rows()).collect(),
            }],
        };
        let count = groups.len().saturating_mul(names.len());
        if count > ROWS_MAX {
            refuse!(invalid "/by", "limit"; "expected at most {ROWS_MAX} groups and columns together, found {count}"; "choose a column with fewer categories, or `table_group`");
        }
        let definition = args.definition.unwrap_or(QuantileRule::Linear).into();
        let probabilities: Vec<f64> = args.quantiles.iter().map(|p| p.get()).collect();
        let mut rows = Vec::with_capacity(count);
        for (index, name) in names.iter().enumerate() {
            let column = number_cells(&table, name, &format!("/columns/{index}"), ctx)?;
            for group in &groups {
                ctx.check()?;
                let values: Vec<f64> = group.rows.iter().filter_map(|&row| column[row]).collect();
                if values.is_empty() {
                    ctx.warn(format!(
                        "`{name}` has no value in the group `{}`, which is left out",
                        group.label
                    ));
                    continue;
                }
                let request = GroupRequest {
                    definition,
                    probabilities: &probabilities,
                    trim,
                    confidence,
                };
                rows.push(request.summarise(name, group, &values));
            }
        }
        let grouped: usize = groups.iter().map(|group| group.rows.len()).sum();
        Ok(Output {
            groups: rows,
            rows: table.rows(),
            ungrouped: table.rows() - grouped,
        })
    }
}

/// A share that leaves a value in the middle.
pub(crate) fn check_trim(trim: Probability) -> Result<f64, ToolError> {
    let share = trim.get();
    if share >= 0.5 {
        refuse!(invalid "/trim"; "expected a share below 0.5, found {share}"; "the median is what is left of all");
    }
    Ok(share)
}

/// What is asked of each group.
struct GroupRequest<'a> {
    definition: QuantileDefinition,
    probabilities: &'a [f64],
    trim: f64,
    confidence: f64,
}

impl GroupRequest<'_> {
    fn summarise(&self, column: &str, group: &CategoryRows, values: &[f64]) -> GroupStatistics {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let moments = CentralMoments::new(values);
        let quantile = |p: f64| self.definition.of(&sorted, p);
        GroupStatistics {
            column: column.to_owned(),
            group: group.label.clone(),
            n: values.len(),
            missing: group.rows.len() - values.len(),
            mean: moments.mean,
            sd: Real(moments.variance().sqrt()),
            min: sorted[0],
            q25: quantile(0.25),
            median: median_of(&sorted),
            q75: quantile(0.75),
            max: sorted[sorted.len() - 1],
            quantiles: self.probabilities.iter().map(|&p| quantile(p)).collect(),
            more: extended_statistics(values, self.trim, self.confidence),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run};

    #[test]
    fn groups_are_counted_with_what_is_missing() {
        let text = r#"{"data": {"v": [1, 2, 3, 7, null, 9, 5], "g": ["a", "a", "a", "b", "b", "b", null]}, "by": "g", "quantiles": [0.5]}"#;
        let output = run::<Args>(text).unwrap();
        let [first, second] = &output.groups[..] else {
            panic!("{:?}", output.groups);
        };
        assert_eq!(
            (first.group.as_str(), first.n, first.missing, first.mean),
            ("a", 3, 0, 2.0)
        );
        assert_eq!(
            (second.group.as_str(), second.n, second.missing, second.mean),
            ("b", 2, 1, 8.0)
        );
        assert_eq!((first.quantiles[0], output.ungrouped), (2.0, 1));
        // t(2) of 0.975 is 4.302652729749464, and the standard error 1 / sqrt(3).
        let low = first.more.mean_interval[0].0;
        assert!(
            (low - (2.0 - 4.302652729749464 / 3_f64.sqrt())).abs() < 1e-12,
            "{low}"
        );
    }

    #[test]
    fn tables_without_numbers_are_refused() {
        assert_refused::<Args>(&[
            (r#"{"data": {"v": ["x"]}}"#, "/columns", "no column"),
            (r#"{"data": {"v": [1]}, "trim": 0.5}"#, "/trim", "below 0.5"),
            (r#"{"data": {"v": [1]}, "by": "q"}"#, "/by", "q"),
        ]);
    }
}
