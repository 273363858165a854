//! `outliers`: rows that lie apart, by several methods beside each other.

use statistics::distribution::{chi_squared_quantile, chi_squared_sf};
use statistics::multivariate::{
    ColumnScaling, DeviateTest, FenceLimits, MultivariateError, PointTable, RobustScores, fit_mcd,
    generalised_deviates, local_outlier_factors, robust_scores, tukey_fences,
};

use super::super::reporting::words::{number_words, p_words};
use super::{PointRows, count_words, multivariate_fault};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most steps of the test of deviates, each of which costs all rows.
const DEVIATES_MAX: usize = 50;
/// Share of the rows up to which the test looks for outliers.
const DEVIATES_SHARE: f64 = 0.1;
/// Columns up to which a robust covariance is computed.
const COVARIANCE_COLUMNS_MAX: usize = 50;
/// Methods that a row can be an outlier by.
const METHODS: usize = 5;

/// Rows that lie apart: in single columns by robust scores, Tukey's fences and Rosner's generalised test of deviates (Grubbs's is its first step), in all columns by robust
/// Mahalanobis distances (FastMCD) and local outlier factors. Every method's verdict stands beside the others, with the reason.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Robust score beyond which a value is an outlier.
    #[value(default = "default_score")]
    pub score_limit: Positive,
    /// Interquartile ranges beyond the quartiles: 1.5 outside, 3 far outside.
    #[value(default = "default_fence")]
    pub fence: Positive,
    /// Level of the test of deviates, for each column.
    #[value(default = "default_level")]
    pub level: Probability,
    /// Most outliers that the test looks for in a column; a tenth of the rows, at most 50, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub most: Option<BoundedInteger<1, 50>>,
    /// Quantile of the chi-squared distribution beyond which a robust distance is an outlier's.
    #[value(default = "default_quantile")]
    pub quantile: Probability,
    /// Neighbours of the local outlier factor; fewer where there are fewer rows.
    #[value(default = "BoundedInteger::<1, 1000>::of::<20>")]
    pub neighbours: BoundedInteger<1, 1000>,
    /// Local outlier factor beyond which a row is an outlier; columns are divided by their standard deviations first.
    #[value(default = "default_factor")]
    pub factor_limit: Positive,
    /// Seed of the starts of the robust covariance; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

fn default_score() -> Positive {
    Positive::literal(3.5)
}

fn default_fence() -> Positive {
    Positive::literal(1.5)
}

fn default_level() -> Probability {
    Probability::literal(0.05)
}

fn default_quantile() -> Probability {
    Probability::literal(0.975)
}

fn default_factor() -> Positive {
    Positive::literal(1.5)
}

/// Rows that lie apart.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The rows in a sentence.
    pub summary: String,
    /// Rows that a method calls outliers, those of most methods first.
    pub outliers: Vec<OutlierRow>,
    /// The methods: what each found, with its limit.
    pub methods: Vec<OutlierMethod>,
    /// Robust Mahalanobis distance of each complete row; empty where there is none.
    pub distances: Vec<f64>,
    /// Local outlier factor of each complete row; empty where there is none.
    pub factors: Vec<f64>,
    /// The row of the table of each distance and factor, from 0.
    pub rows: Vec<usize>,
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that count.
    pub n: usize,
    /// Rows left out because a cell is missing.
    pub missing: usize,
    /// Seed of the starts of the robust covariance.
    pub seed: RandomSeed,
    /// The line for a report.
    pub apa: String,
}

/// A row that lies apart.
#[derive(Debug, Encode, Describe)]
pub(crate) struct OutlierRow {
    /// The row of the table, from 0.
    pub row: usize,
    /// Methods that call it an outlier, of five; a method of columns counts once.
    pub votes: usize,
    /// Whether robust scores do.
    pub score: bool,
    /// Whether Tukey's fences do.
    pub fence: bool,
    /// Whether the test of deviates does.
    pub deviate: bool,
    /// Whether the robust distance does; null where there is none.
    pub distance: Option<bool>,
    /// Whether the local outlier factor does; null where there is none.
    pub factor: Option<bool>,
    /// Why: the column or method with its number.
    pub reason: String,
}

/// A method, for one column or all.
#[derive(Debug, Encode, Describe)]
pub(crate) struct OutlierMethod {
    /// The method: `robust score`, `fences`, `deviates`, `robust distance`, `local outlier factor`.
    pub method: String,
    /// The column; `all` for methods of rows.
    pub column: String,
    /// Rows that it calls outliers.
    pub outliers: usize,
    /// Values below it are outliers; null for methods with one limit.
    pub low: Option<f64>,
    /// Values above it are outliers: of the column for scores and fences, of the statistic for the others.
    pub high: Option<f64>,
    /// What else it says: centre and scale, p values, or why it has no verdict.
    pub note: String,
}

/// The verdicts of the methods on a row.
#[derive(Debug, Clone, Default)]
struct RowVerdict {
    marks: [bool; METHODS],
    reasons: Vec<String>,
}

impl RowVerdict {
    fn add(&mut self, method: usize, reason: String) {
        self.marks[method] = true;
        self.reasons.push(reason);
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("outliers", "Outliers").seeded().tags(&[
        "statistics",
        "multivariate",
        "outlier",
        "anomaly",
        "grubbs",
        "mahalanobis",
        "lof",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one number far from the others":
            r#"{"data": {"x": [1, 2, 3, 4, 5, 50]}, "seed": 1}"#
            => r#"{"summary": "1 of 6 rows is an outlier by at least one of 4 methods, 1 by at least two; row 5 by 3 methods: score 20.9 in `x`; `x` 18.1 ranges above the quartiles; deviate 2.04 of `x`, p < 0.001.",
                "outliers": [{"row": 5, "votes": 3, "score": true, "fence": true, "deviate": true, "distance": null, "factor": false,
                "reason": "score 20.9 in `x`; `x` 18.1 ranges above the quartiles; deviate 2.04 of `x`, p < 0.001"}],
                "methods": [{"method": "robust score", "column": "x", "outliers": 1, "low": -4.283661647154411, "high": 11.28366164715441, "note": "by median distances from the median"},
                {"method": "fences", "column": "x", "outliers": 1, "low": -1.5, "high": 8.5, "note": "1.5 interquartile ranges beyond the quartiles"},
                {"method": "deviates", "column": "x", "outliers": 1, "low": null, "high": 1.8871451177839333, "note": "up to 1; Grubbs: row 5, G = 2.04, p < 0.001"},
                {"method": "robust distance", "column": "all", "outliers": 0, "low": null, "high": null, "note": "needs 2 to 50 columns"},
                {"method": "local outlier factor", "column": "all", "outliers": 0, "low": null, "high": 1.5, "note": "5 neighbours, columns over their deviations"}],
                "distances": [], "factors": [0.9915964899220515, 0.9966671132832143, 1.0017377366443774, 1.00680836000554, 1.0118789833667028, 0.9915964899220515],
                "rows": [0, 1, 2, 3, 4, 5], "columns": ["x"], "n": 6, "missing": 0, "seed": 1,
                "apa": "Outliers by robust scores, fences, deviates, robust distances and local outlier factors: 1 of n = 6"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let level = args.level.get();
        if level == 0.0 || level == 1.0 {
            refuse!(invalid "/level"; "expected a probability above 0 and below 1, found {level}"; "the usual one is 0.05");
        }
        let quantile = args.quantile.get();
        if quantile == 0.0 || quantile == 1.0 {
            refuse!(invalid "/quantile"; "expected a probability above 0 and below 1, found {quantile}"; "the usual one is 0.975");
        }
        let rows = PointRows::load(&args.data, &args.columns, ctx)?;
        let seed = ctx.seed(args.seed);
        let mut search = OutlierSearch {
            args: &args,
            rows: &rows,
            verdicts: vec![RowVerdict::default(); rows.count()],
            methods: Vec::new(),
            ctx,
        };
        for column in 0..rows.names.len() {
            ctx.check()?;
            search.mark_scores(column);
            search.mark_outside(column);
            search.mark_deviates(column);
        }
        let distances = search.mark_distances(seed.get())?;
        let factors = search.mark_sparse()?;
        let outliers = search.outlier_rows(!distances.is_empty(), !factors.is_empty());
        let count = outliers.len();
        Ok(Output {
            summary: outlier_sentence(&outliers, &rows, &search.methods),
            apa: format!(
                "Outliers by robust scores, fences, deviates, robust distances and local outlier factors: {count} of n = {}",
                rows.count()
            ),
            outliers,
            methods: search.methods,
            distances,
            factors,
            columns: rows.names.clone(),
            n: rows.count(),
            missing: rows.missing,
            seed,
            rows: rows.rows,
        })
    }
}

struct OutlierSearch<'a> {
    args: &'a Args,
    rows: &'a PointRows,
    verdicts: Vec<RowVerdict>,
    methods: Vec<OutlierMethod>,
    ctx: &'a Ctx,
}

impl OutlierSearch<'_> {
    fn mark_scores(&mut self, column: usize) {
        let (values, name) = (&self.rows.columns[column], &self.rows.names[column]);
        let limit = self.args.score_limit.get();
        let found: RobustScores = robust_scores(values);
        let mut count = 0;
        for (verdict, score) in self.verdicts.iter_mut().zip(&found.scores) {
            if score.abs() > limit {
                count += 1;
                verdict.add(0, format!("score {} in `{name}`", number_words(*score)));
            }
        }
        let is_constant = found.scale == 0.0;
        let bound = |sign: f64| {
            let bound = found.median + sign * limit * found.scale;
            (!is_constant && bound.is_finite()).then_some(bound)
        };
        let note = match (is_constant, found.is_mean) {
            (true, _) => "every value is the same",
            (false, true) => "by mean distances: half of the values are equal",
            (false, false) => "by median distances from the median",
        };
        let note = note.to_owned();
        self.add_method(
            "robust score",
            name.clone(),
            count,
            [bound(-1.0), bound(1.0)],
            note,
        );
    }

    fn mark_outside(&mut self, column: usize) {
        let (values, name) = (&self.rows.columns[column], &self.rows.names[column]);
        let fence = self.args.fence.get();
        let FenceLimits { low, high } = tukey_fences(values, fence);
        // Interquartile ranges beyond the fence.
        let range = (0.5 * high - 0.5 * low) / (0.5 + fence);
        let mut count = 0;
        for (verdict, value) in self.verdicts.iter_mut().zip(values) {
            if *value < low || *value > high {
                count += 1;
                let (side, away) = match *value < low {
                    true => ("below", 0.5 * low - 0.5 * value),
                    false => ("above", 0.5 * value - 0.5 * high),
                };
                let far = fence + 2.0 * away / range;
                let words = match range > 0.0 && far.is_finite() {
                    true => format!("`{name}` {} ranges {side} the quartiles", number_words(far)),
                    false => format!("`{name}` {side} the quartiles, which are equal"),
                };
                verdict.add(1, words);
            }
        }
        let note = format!(
            "{} interquartile ranges beyond the quartiles",
            number_words(fence)
        );
        self.add_method("fences", name.clone(), count, [Some(low), Some(high)], note);
    }

    fn mark_deviates(&mut self, column: usize) {
        let (values, name) = (&self.rows.columns[column], &self.rows.names[column]);
        let tenth = (values.len() as f64 * DEVIATES_SHARE).ceil() as usize;
        let most = self
            .args
            .most
            .map_or(tenth.clamp(1, DEVIATES_MAX), |most| most.size());
        let test: DeviateTest = generalised_deviates(values, most, self.args.level.get());
        for step in &test.steps[..test.outliers] {
            let words = format!(
                "deviate {} of `{name}`, {}",
                number_words(step.statistic),
                p_words(step.p)
            );
            self.verdicts[step.place].add(2, words);
        }
        let note = match test.steps.first() {
            None => "needs 3 values that vary".to_owned(),
            Some(first) => format!(
                "up to {most}; Grubbs: row {}, G = {}, {}",
                self.rows.rows[first.place],
                number_words(first.statistic),
                p_words(first.p)
            ),
        };
        let high = test.steps.first().map(|step| step.limit);
        self.add_method("deviates", name.clone(), test.outliers, [None, high], note);
    }

    /// Robust distances, or nothing with a note that says why.
    fn mark_distances(&mut self, seed: u64) -> Result<Vec<f64>, ToolError> {
        let columns = self.rows.names.len();
        let method = "robust distance";
        if !(2..=COVARIANCE_COLUMNS_MAX).contains(&columns) {
            let note = format!("needs 2 to {COVARIANCE_COLUMNS_MAX} columns");
            self.add_method(method, "all".to_owned(), 0, [None; 2], note);
            return Ok(Vec::new());
        }
        let points = self.standard_points()?;
        let robust = match fit_mcd(&points, seed, &CallWatch(self.ctx)) {
            Ok(robust) => robust,
            Err(err @ (MultivariateError::Dependent(_) | MultivariateError::TooFewRows { .. })) => {
                self.add_method(method, "all".to_owned(), 0, [None; 2], err.to_string());
                return Ok(Vec::new());
            }
            Err(err) => return Err(multivariate_fault(err, self.rows, self.ctx)),
        };
        let df = columns as f64;
        let limit = chi_squared_quantile(self.args.quantile.get(), df);
        let mut count = 0;
        for (verdict, square) in self.verdicts.iter_mut().zip(&robust.squares) {
            if *square > limit {
                count += 1;
                let words = format!(
                    "robust distance {}, {}",
                    number_words(square.sqrt()),
                    p_words(chi_squared_sf(*square, df))
                );
                verdict.add(3, words);
            }
        }
        let note = format!(
            "chi-squared with {columns} degrees of freedom; mean and covariance of {} rows",
            robust.weighted
        );
        let high = Some(limit.sqrt());
        self.add_method(method, "all".to_owned(), count, [None, high], note);
        Ok(robust.squares.iter().map(|square| square.sqrt()).collect())
    }

    fn mark_sparse(&mut self) -> Result<Vec<f64>, ToolError> {
        let method = "local outlier factor";
        let neighbours = self.args.neighbours.size().min(self.rows.count() - 1);
        if neighbours == 0 {
            let note = "needs 2 rows".to_owned();
            self.add_method(method, "all".to_owned(), 0, [None; 2], note);
            return Ok(Vec::new());
        }
        let points = self.standard_points()?;
        let factors = local_outlier_factors(&points, neighbours, &CallWatch(self.ctx))
            .map_err(|err| multivariate_fault(err, self.rows, self.ctx))?;
        let limit = self.args.factor_limit.get();
        let mut count = 0;
        for (verdict, factor) in self.verdicts.iter_mut().zip(&factors) {
            if *factor > limit {
                count += 1;
                verdict.add(4, format!("local outlier factor {}", number_words(*factor)));
            }
        }
        let note = format!("{neighbours} neighbours, columns over their deviations");
        self.add_method(method, "all".to_owned(), count, [None, Some(limit)], note);
        Ok(factors)
    }

    fn standard_points(&self) -> Result<PointTable, ToolError> {
        let scaling = ColumnScaling::Standard;
        PointTable::new(&self.rows.columns, scaling, &CallWatch(self.ctx))
            .map_err(|err| multivariate_fault(err, self.rows, self.ctx))
    }

    fn add_method(
        &mut self,
        method: &str,
        column: String,
        outliers: usize,
        [low, high]: [Option<f64>; 2],
        note: String,
    ) {
        self.methods.push(OutlierMethod {
            method: method.to_owned(),
            column,
            outliers,
            low,
            high,
            note,
        });
    }

    fn outlier_rows(&self, has_distances: bool, has_factors: bool) -> Vec<OutlierRow> {
        let row = |(place, verdict): (usize, &RowVerdict)| OutlierRow {
            row: self.rows.rows[place],
            votes: verdict.marks.iter().filter(|mark| **mark).count(),
            score: verdict.marks[0],
            fence: verdict.marks[1],
            deviate: verdict.marks[2],
            distance: has_distances.then_some(verdict.marks[3]),
            factor: has_factors.then_some(verdict.marks[4]),
            reason: verdict.reasons.join("; "),
        };
        let verdicts = self.verdicts.iter().enumerate();
        let marked = verdicts.filter(|(_, verdict)| !verdict.reasons.is_empty());
        let mut outliers: Vec<OutlierRow> = marked.map(row).collect();
        outliers.sort_by(|a, b| b.votes.cmp(&a.votes).then(a.row.cmp(&b.row)));
        outliers
    }
}

/// True of the verdicts: how many rows, by how many methods, and which row most agree on.
fn outlier_sentence(
    outliers: &[OutlierRow],
    rows: &PointRows,
    methods: &[OutlierMethod],
) -> String {
    let n = count_words(rows.count(), "row");
    let has_verdict = |method: &&OutlierMethod| method.high.is_some();
    let mut names: Vec<&str> = Vec::new();
    for method in methods.iter().filter(has_verdict) {
        if !names.contains(&method.method.as_str()) {
            names.push(&method.method);
        }
    }
    let of = names.len();
    let Some(first) = outliers.first() else {
        return format!("No method of {of} calls one of {n} an outlier.");
    };
    let several = outliers.iter().filter(|row| row.votes > 1).count();
    let votes = count_words(first.votes, "method");
    let found = match outliers.len() {
        1 => format!("1 of {n} is an outlier"),
        count => format!("{count} of {n} are outliers"),
    };
    format!(
        "{found} by at least one of {of} methods, {several} by at least two; row {} by {votes}: {}.",
        first.row, first.reason
    )
}
