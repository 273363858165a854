//! `correlation`: Pearson's, Spearman's, Kendall's, partial and distance correlation of columns.

use ::statistics::resampling::draw_places;
use ::statistics::summary::{
    Correlation, CorrelationError, average_ranks, distance_correlation, kendall,
    partial_correlation, pearson, spearman,
};
use ::tables::DataTable;

use super::reporting::samples::{number_cells, number_column_names};
use super::reporting::words::{apa_p, apa_share, number_words, p_words};
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most columns of a matrix.
const COLUMNS_MAX: usize = 200;
/// Most rows of a distance correlation, which costs their square for each permutation.
const DISTANCE_ROWS_MAX: usize = 3000;

/// Correlation of each pair of columns of a table, with p value, interval and number of pairs. Missing cells are left out pair by pair. Small samples
/// without ties have exact p values for Spearman (up to 9 pairs) and Kendall (up to 60).
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Two or more columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// The coefficient.
    #[value(default = "default_method")]
    pub method: CorrelationMethod,
    /// Columns whose linear influence is removed from both others first (partial correlation; of ranks for `spearman`); not for `kendall` and `distance`.
    #[value(default)]
    pub given: Vec<String>,
    /// Confidence of the intervals.
    #[value(default = "crate::prelude::default_confidence")]
    pub confidence: Probability,
    /// Permutations of the p value of `distance`.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<199>")]
    pub permutations: BoundedInteger<1, 100_000>,
    /// Seed of the permutations; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

fn default_method() -> CorrelationMethod {
    CorrelationMethod::Pearson
}

/// A coefficient of correlation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum CorrelationMethod {
    /// Product-moment: linear association.
    Pearson,
    /// Of ranks: monotone association.
    Spearman,
    /// Kendall's tau-b: concordant less discordant pairs.
    Kendall,
    /// Of distances: any association, from 0 to 1.
    Distance,
}

/// Correlations of pairs of columns.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The columns.
    pub columns: Vec<String>,
    /// The coefficient: `pearson`, `spearman`, `kendall`, `distance`, or one of the first two with `partial` before it.
    pub method: String,
    /// Each pair of columns.
    pub pairs: Vec<CorrelationPair>,
    /// The coefficients as a symmetric matrix in the order of `columns`.
    pub matrix: Vec<Vec<Real>>,
    /// The strongest pair in APA's style.
    pub apa: String,
    /// The strongest pair in a sentence.
    pub summary: String,
}

/// The correlation of two columns.
#[derive(Debug, Encode, Describe)]
pub(crate) struct CorrelationPair {
    /// The first column.
    pub x: String,
    /// The second column.
    pub y: String,
    /// The coefficient; "NaN" where one of the columns is constant or there are fewer than 3 pairs.
    pub estimate: Real,
    /// The ends of its confidence interval; "NaN" of `distance`.
    pub interval: [Real; 2],
    /// The statistic of the test: t, or z of `kendall`; "NaN" where the p value is exact or by permutations.
    pub statistic: Real,
    /// Two-sided p value of no association.
    pub p: Real,
    /// How it is computed: `t`, `normal`, `exact`, `permutations`.
    pub p_method: String,
    /// Pairs without a missing cell.
    pub n: usize,
    /// Rows left out for a missing cell.
    pub missing: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("correlation", "Correlation").seeded().tags(&[
        "statistics",
        "correlation",
        "pearson",
        "spearman",
        "kendall",
        "association",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "five of the six pairs of rows have the same order":
            r#"{"data": {"a": [1, 2, 3, 4], "b": [10, 30, 20, 40]}, "method": "kendall"}"#
            => r#"{"columns": ["a", "b"], "method": "kendall",
                "pairs": [{"x": "a", "y": "b", "estimate": 0.6666666666666667, "interval": [-1.0, 1.0], "statistic": "NaN",
                    "p": 0.3333333333333333, "p_method": "exact", "n": 4, "missing": 0}],
                "matrix": [[1.0, 0.6666666666666667], [0.6666666666666667, 1.0]],
                "apa": "tau(4) = .67, 95% CI [-1.00, 1.00], p = .333",
                "summary": "No clear association of a and b was found (tau = 0.67, p = 0.33), which does not show that there is none."}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let confidence = confidence_level(args.confidence)?;
        let table = args.data.load(ctx)?.into_table(ctx)?;
        let names = chosen_columns(&args, &table)?;
        if !args.given.is_empty()
            && matches!(
                args.method,
                CorrelationMethod::Kendall | CorrelationMethod::Distance
            )
        {
            refuse!(invalid "/given"; "partial correlations are by `pearson` or `spearman`"; "choose one of them as `method`");
        }
        let load = |list: &[String], pointer: &str| -> Result<Vec<Vec<Option<f64>>>, ToolError> {
            let column = |(index, name): (usize, &String)| {
                number_cells(&table, name, &format!("{pointer}/{index}"), ctx)
            };
            list.iter().enumerate().map(column).collect()
        };
        let columns = load(&names, "/columns")?;
        let given = load(&args.given, "/given")?;
        ctx.reserve_doubles(table.rows().saturating_mul(columns.len() + given.len() + 8))?;
        let seed = ctx.seed(args.seed).get();
        let mut pairs = Vec::new();
        let mut matrix = vec![vec![Real(1.0); names.len()]; names.len()];
        for second in 1..names.len() {
            for first in 0..second {
                ctx.check()?;
                let rows = complete_rows(&columns[first], &columns[second], &given);
                let found = correlate(&rows, args.method, &args, seed, ctx)?;
                let pair = correlation_pair(
                    &names[first],
                    &names[second],
                    found,
                    rows.x.len(),
                    table.rows(),
                    confidence,
                );
                matrix[first][second] = pair.estimate;
                matrix[second][first] = pair.estimate;
                pairs.push(pair);
            }
        }
        warn_of_undefined(&pairs, ctx);
        let strongest = pairs
            .iter()
            .filter(|pair| pair.estimate.0.is_finite())
            .max_by(|a, b| a.estimate.0.abs().total_cmp(&b.estimate.0.abs()));
        let Some(strongest) = strongest else {
            refuse!(invalid "/data", "constant"; "no pair of columns has 3 complete rows in which both vary"; "pass more rows, or other `columns`");
        };
        Ok(Output {
            method: method_words(&args),
            apa: apa_line(strongest, args.method, args.given.len(), confidence),
            summary: association_sentence(strongest, args.method, confidence),
            columns: names,
            pairs,
            matrix,
        })
    }
}

fn chosen_columns(args: &Args, table: &DataTable) -> Result<Vec<String>, ToolError> {
    let names = match args.columns.is_empty() {
        false => args.columns.clone(),
        true => {
            let mut all = number_column_names(table);
            all.retain(|name| !args.given.contains(name));
            all
        }
    };
    if names.len() < 2 {
        let found = names.len();
        refuse!(invalid "/columns"; "expected at least two columns of numbers, found {found}"; "name two columns");
    }
    if names.len() > COLUMNS_MAX {
        let found = names.len();
        refuse!(invalid "/columns", "limit"; "expected at most {COLUMNS_MAX} columns, found {found}"; "name those of interest");
    }
    Ok(names)
}

/// The complete rows of two columns and those that are given.
struct CompleteRows {
    x: Vec<f64>,
    y: Vec<f64>,
    given: Vec<Vec<f64>>,
}

fn complete_rows(x: &[Option<f64>], y: &[Option<f64>], given: &[Vec<Option<f64>>]) -> CompleteRows {
    let mut rows = CompleteRows {
        x: Vec::new(),
        y: Vec::new(),
        given: vec![Vec::new(); given.len()],
    };
    for row in 0..x.len() {
        let others: Option<Vec<f64>> = given.iter().map(|column| column[row]).collect();
        if let (Some(x), Some(y), Some(others)) = (x[row], y[row], others) {
            rows.x.push(x);
            rows.y.push(y);
            rows.given
                .iter_mut()
                .zip(others)
                .for_each(|(column, value)| column.push(value));
        }
    }
    rows
}

/// A coefficient and how its p value came about.
struct FoundCorrelation {
    correlation: Result<Correlation, CorrelationError>,
    p_method: &'static str,
}

fn correlate(
    rows: &CompleteRows,
    method: CorrelationMethod,
    args: &Args,
    seed: u64,
    ctx: &Ctx,
) -> Result<FoundCorrelation, ToolError> {
    let lost = rows.given.len();
    let by = |correlation: Result<Correlation, CorrelationError>, usual: &'static str| {
        let is_exact = correlation.is_ok_and(|found| found.is_exact);
        FoundCorrelation {
            correlation,
            p_method: if is_exact { "exact" } else { usual },
        }
    };
    Ok(match method {
        CorrelationMethod::Pearson if lost > 0 => {
            by(partial_correlation(&rows.x, &rows.y, &rows.given), "t")
        }
        CorrelationMethod::Pearson => by(pearson(&rows.x, &rows.y, 0), "t"),
        CorrelationMethod::Spearman if lost > 0 => {
            let ranks: Vec<Vec<f64>> = rows
                .given
                .iter()
                .map(|column| average_ranks(column))
                .collect();
            by(
                partial_correlation(&average_ranks(&rows.x), &average_ranks(&rows.y), &ranks),
                "t",
            )
        }
        CorrelationMethod::Spearman => by(spearman(&rows.x, &rows.y, 0), "t"),
        CorrelationMethod::Kendall => by(kendall(&rows.x, &rows.y), "normal"),
        CorrelationMethod::Distance => FoundCorrelation {
            correlation: by_distances(rows, args.permutations.size(), seed, ctx)?,
            p_method: "permutations",
        },
    })
}

fn by_distances(
    rows: &CompleteRows,
    permutations: usize,
    seed: u64,
    ctx: &Ctx,
) -> Result<Result<Correlation, CorrelationError>, ToolError> {
    let n = rows.x.len();
    if n > DISTANCE_ROWS_MAX {
        refuse!(invalid "/data", "limit"; "`distance` takes at most {DISTANCE_ROWS_MAX} rows, found {n}"; "draw a sample with `table_select`");
    }
    let estimate = match distance_correlation(&rows.x, &rows.y) {
        Ok(estimate) => estimate,
        Err(err) => return Ok(Err(err)),
    };
    let mut hits = 1;
    for permutation in 0..permutations {
        ctx.check()?;
        let places = draw_places(n, n, false, (seed, permutation as u64));
        let places = places.unwrap_or_default();
        let turned: Vec<f64> = places.iter().map(|&place| rows.y[place]).collect();
        let other = distance_correlation(&rows.x, &turned).unwrap_or(0.0);
        hits += usize::from(other >= estimate * (1.0 - 1e-12));
    }
    Ok(Ok(Correlation {
        estimate,
        statistic: f64::NAN,
        p: hits as f64 / (permutations + 1) as f64,
        is_exact: false,
        tangent_error: f64::NAN,
    }))
}

fn correlation_pair(
    x: &str,
    y: &str,
    found: FoundCorrelation,
    n: usize,
    rows: usize,
    confidence: f64,
) -> CorrelationPair {
    let pair = |estimate: f64, interval: [f64; 2], statistic: f64, p: f64| CorrelationPair {
        x: x.to_owned(),
        y: y.to_owned(),
        estimate: Real(estimate),
        interval: interval.map(Real),
        statistic: Real(statistic),
        p: Real(p),
        p_method: found.p_method.to_owned(),
        n,
        missing: rows - n,
    };
    match found.correlation {
        Ok(one) => {
            let interval = match found.p_method {
                "permutations" => [f64::NAN; 2],
                _ => {
                    let interval = one.interval(confidence);
                    [interval.low, interval.high]
                }
            };
            pair(one.estimate, interval, one.statistic, one.p)
        }
        Err(_) => pair(f64::NAN, [f64::NAN; 2], f64::NAN, f64::NAN),
    }
}

fn warn_of_undefined(pairs: &[CorrelationPair], ctx: &Ctx) {
    for pair in pairs.iter().filter(|pair| !pair.estimate.0.is_finite()) {
        ctx.warn(format!(
            "`{}` and `{}` have no correlation: fewer than 3 complete rows, or one of them does not vary in these",
            pair.x, pair.y
        ));
    }
}

fn method_words(args: &Args) -> String {
    let name = match args.method {
        CorrelationMethod::Pearson => "pearson",
        CorrelationMethod::Spearman => "spearman",
        CorrelationMethod::Kendall => "kendall",
        CorrelationMethod::Distance => "distance",
    };
    match args.given.is_empty() {
        true => name.to_owned(),
        false => format!("partial {name}"),
    }
}

fn symbol(method: CorrelationMethod) -> &'static str {
    match method {
        CorrelationMethod::Pearson => "r",
        CorrelationMethod::Spearman => "rho",
        CorrelationMethod::Kendall => "tau",
        CorrelationMethod::Distance => "dCor",
    }
}

fn apa_line(
    pair: &CorrelationPair,
    method: CorrelationMethod,
    lost: usize,
    confidence: f64,
) -> String {
    let count = match method {
        CorrelationMethod::Pearson | CorrelationMethod::Spearman => pair.n - 2 - lost,
        _ => pair.n,
    };
    let interval = match pair.interval[0].0.is_finite() {
        true => format!(
            ", {}% CI [{}, {}]",
            number_words(100.0 * confidence),
            apa_share(pair.interval[0].0, 2),
            apa_share(pair.interval[1].0, 2)
        ),
        false => String::new(),
    };
    let estimate = apa_share(pair.estimate.0, 2);
    format!(
        "{}({count}) = {estimate}{interval}, {}",
        symbol(method),
        apa_p(pair.p.0)
    )
}

/// True of the numbers: clear means a p value below 1 less the confidence.
fn association_sentence(
    pair: &CorrelationPair,
    method: CorrelationMethod,
    confidence: f64,
) -> String {
    let CorrelationPair {
        x, y, estimate, p, ..
    } = pair;
    let numbers = format!("{} = {:.2}, {}", symbol(method), estimate.0, p_words(p.0));
    if p.0.is_nan() || p.0 >= 1.0 - confidence {
        return format!(
            "No clear association of {x} and {y} was found ({numbers}), which does not show that there is none."
        );
    }
    let direction = match (method, estimate.0 > 0.0) {
        (CorrelationMethod::Distance, _) => "are associated",
        (_, true) => "rise together",
        (_, false) => "go in opposite directions",
    };
    format!("{x} and {y} {direction} ({numbers}).")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_refused, run, run_warned};

    const DATA: &str = r#"{"x": [1, 2, 3, 4, 5, 6, 7, 8], "y": [2.1, 1.3, 4.4, 3.9, 6.2, 4.8, 8.8, 7.0],
        "z": [3, 1, 4, 1, 5, 9, 2, null]}"#;

    /// The sentence and the line are those of the numbers.
    #[test]
    fn the_sentence_says_what_the_numbers_say() {
        let output = run::<Args>(&format!(r#"{{"data": {DATA}}}"#)).unwrap();
        assert_eq!(output.pairs.len(), 3);
        let first = &output.pairs[0];
        assert!((first.estimate.0 - 0.8827800517227966).abs() < 1e-14 && first.n == 8);
        assert_eq!((output.pairs[1].n, output.pairs[1].missing), (7, 1));
        assert!(first.p.0 < 0.05 && first.estimate.0 > 0.0);
        assert_eq!(
            output.summary,
            format!(
                "x and y rise together (r = {:.2}, p = {:.3}).",
                first.estimate.0, first.p.0
            )
        );
        assert_eq!(output.apa, "r(6) = .88, 95% CI [.47, .98], p = .004");
    }

    /// By residuals of two regressions: pingouin's `partial_corr` has the same definition. With an unrelated third column that is a rotation of both.
    #[test]
    fn partial_correlations_take_the_third_column_out() {
        let text = r#"{"data": {"a": [1, 2, 3, 4, 5, 6], "b": [3, 4, 9, 10, 15, 12], "c": [1, 2, 3, 4, 5, 7]}, "columns": ["a", "b"], "given": ["c"]}"#;
        let output = run::<Args>(text).unwrap();
        // From the three plain correlations.
        let plain = |x: &[f64], y: &[f64]| pearson(x, y, 0).unwrap().estimate;
        let (a, b, c) = (
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
            [3.0, 4.0, 9.0, 10.0, 15.0, 12.0],
            [1.0, 2.0, 3.0, 4.0, 5.0, 7.0],
        );
        let (ab, ac, bc) = (plain(&a, &b), plain(&a, &c), plain(&b, &c));
        let expected = (ab - ac * bc) / ((1.0 - ac * ac) * (1.0 - bc * bc)).sqrt();
        assert!(
            (output.pairs[0].estimate.0 - expected).abs() < 1e-12,
            "{}",
            output.pairs[0].estimate.0
        );
        assert_eq!(output.method, "partial pearson");
    }

    #[test]
    fn constant_columns_are_told() {
        let (output, warnings) =
            run_warned::<Args>(r#"{"data": {"a": [1, 2, 3], "b": [2, 2, 2], "c": [1, 3, 2]}}"#)
                .unwrap();
        assert!(warnings.contains("`a` and `b`") && output.pairs[0].estimate.0.is_nan());
        assert_refused::<Args>(&[
            (
                r#"{"data": {"a": [1, 2, 3], "b": [2, 2, 2]}}"#,
                "/data",
                "no pair",
            ),
            (r#"{"data": {"a": [1, 2, 3]}}"#, "/columns", "two columns"),
            (
                r#"{"data": {"a": [1, 2], "b": ["x", "y"]}, "columns": ["a", "b"]}"#,
                "/columns/1",
                "column of numbers",
            ),
            (
                r#"{"data": {"a": [1, 2], "b": [1, 2]}, "columns": ["a", "q"]}"#,
                "/columns/1",
                "q",
            ),
        ]);
    }

    #[test]
    fn distances_have_p_values_by_permutations() {
        let output = run::<Args>(r#"{"data": {"x": [-3, -2, -1, 0, 1, 2, 3, 4, -4, 5], "y": [9, 4, 1, 0, 1, 4, 9, 16, 16, 25]}, "method": "distance"}"#).unwrap();
        let pair = &output.pairs[0];
        assert!(pair.estimate.0 > 0.4 && pair.p.0 < 0.2 && pair.interval[0].0.is_nan());
        assert_eq!(pair.p_method, "permutations");
    }
}
