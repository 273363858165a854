//! `nearest_neighbours`: the rows nearest to each row, or to others.

use statistics::multivariate::{
    DistanceMetric, MultivariateError, NeighbourDistance, NeighbourIndex, PointTable,
    tables_in_one_unit,
};

use super::super::reporting::words::number_words;
use super::{PointRows, RowDistance, column_scaling, multivariate_fault};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most pairs of an answer.
const PAIRS_MAX: usize = 1_000_000;

/// The nearest rows of each row, or of other rows: a number of them, or all within a radius; Euclidean, Manhattan, Chebyshev, Minkowski or cosine distance. Exact; of
/// equal distances the lower row comes first.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table to search: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Rows whose neighbours are searched, with the same columns; the rows of `data` when absent, each without itself.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub queries: Option<Input<TableInput>>,
    /// Neighbours of each row; fewer where there are no more.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<5>")]
    pub k: BoundedInteger<1, 100_000>,
    /// All rows at most so far away, in place of the `k` nearest.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub radius: Option<Positive>,
    /// How far apart two rows are.
    #[value(default)]
    pub metric: RowDistance,
    /// The power of `minkowski`, from 1 to 100; 3 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub power: Option<Positive>,
    /// Whether each column is divided by its standard deviation first: for columns of different units.
    #[value(default)]
    pub standardise: bool,
}

/// Neighbours of rows.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The nearest and the farthest pair in a sentence.
    pub summary: String,
    /// The pairs, by row, the nearest first.
    pub pairs: Vec<NeighbourPair>,
    /// Neighbours of each complete row of the queries.
    pub counts: Vec<usize>,
    /// The row of each count in its table, from 0.
    pub rows: Vec<usize>,
    /// The columns.
    pub columns: Vec<String>,
    /// The metric.
    pub metric: String,
    /// Rows that were searched.
    pub n: usize,
    /// Rows of `data` left out because a cell is missing.
    pub missing: usize,
    /// Rows of `queries` left out because a cell is missing.
    pub queries_missing: usize,
    /// Whether the columns were divided by their standard deviations.
    pub standardised: bool,
}

/// A row and one of its neighbours.
#[derive(Debug, Encode, Describe)]
pub(crate) struct NeighbourPair {
    /// The row, of `queries` where these are given, otherwise of `data`; from 0.
    pub row: usize,
    /// The row of `data`.
    pub neighbour: usize,
    /// Their distance.
    pub distance: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("nearest_neighbours", "Nearest neighbours").tags(&[
        "statistics",
        "multivariate",
        "neighbors",
        "knn",
        "similarity",
        "distance",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the nearest number of each":
            r#"{"data": {"x": [1, 2, 5]}, "k": 1}"#
            => r#"{"summary": "Each of 3 rows has 1 neighbour: the nearest pair is 0 and 1 (distance 1), the farthest 2 and 1 (distance 3).",
                "pairs": [{"row": 0, "neighbour": 1, "distance": 1.0}, {"row": 1, "neighbour": 0, "distance": 1.0}, {"row": 2, "neighbour": 1, "distance": 3.0}],
                "counts": [1, 1, 1], "rows": [0, 1, 2], "columns": ["x"], "metric": "euclidean", "n": 3, "missing": 0, "queries_missing": 0, "standardised": false}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let metric = args.metric.metric(args.power)?;
        let rows = PointRows::load(&args.data, &args.columns, ctx)?;
        let queries = match &args.queries {
            None => None,
            Some(queries) => {
                let table = queries.load(ctx)?.into_table(ctx)?;
                let queries = PointRows::of_table(&table, rows.names.clone(), "/columns", ctx)?;
                if queries.rows.is_empty() {
                    refuse!(invalid "/queries", "too_few"; "expected rows with a number in every column, found none"; "pass a row with the columns of `data`");
                }
                Some(queries)
            }
        };
        rows.warn_of_spreads(args.standardise, ctx);
        let fault = |err| multivariate_fault(err, &rows, ctx);
        let others = queries.as_ref().unwrap_or(&rows);
        let scaling = column_scaling(args.standardise);
        let tables = tables_in_one_unit(&rows.columns, &others.columns, scaling, &CallWatch(ctx));
        let [points, asked] = tables.map_err(fault)?;
        let points = points.for_metric(metric).map_err(fault)?;
        let asked = asked.for_metric(metric).map_err(|err| match err {
            MultivariateError::ZeroRow { row } => {
                let row = others.rows[row];
                let pointer = if queries.is_some() {
                    "/queries"
                } else {
                    "/data"
                };
                ToolError::invalid(pointer, MultivariateError::ZeroRow { row })
                    .reason("undefined")
                    .hint("rows count from 0; leave the row out, or choose another `metric`")
            }
            other => fault(other),
        })?;
        let search = NeighbourSearch {
            points: &points,
            asked: &asked,
            metric,
            is_same: queries.is_none(),
        };
        let pairs = search.run(&args, &rows, others, ctx)?;
        let mut counts = vec![0; others.count()];
        let mut place = 0;
        for pair in &pairs {
            while others.rows[place] != pair.row {
                place += 1;
            }
            counts[place] += 1;
        }
        Ok(Output {
            summary: neighbour_sentence(&pairs, &counts, args.radius),
            pairs,
            counts,
            rows: others.rows.clone(),
            columns: rows.names.clone(),
            metric: args.metric.name().to_owned(),
            n: rows.count(),
            missing: rows.missing,
            queries_missing: queries.as_ref().map_or(0, |queries| queries.missing),
            standardised: args.standardise,
        })
    }
}

/// Rows that are searched, and those whose neighbours are.
struct NeighbourSearch<'a> {
    points: &'a PointTable,
    asked: &'a PointTable,
    metric: DistanceMetric,
    is_same: bool,
}

impl NeighbourSearch<'_> {
    fn run(
        &self,
        args: &Args,
        rows: &PointRows,
        others: &PointRows,
        ctx: &Ctx,
    ) -> Result<Vec<NeighbourPair>, ToolError> {
        let fault = |err| multivariate_fault(err, rows, ctx);
        let index =
            NeighbourIndex::new(self.points, self.metric, &CallWatch(ctx)).map_err(fault)?;
        let mut pairs: Vec<NeighbourPair> = Vec::new();
        for row in 0..self.asked.rows() {
            if row % 16 == 0 {
                ctx.check()?;
            }
            let point = self.asked.row(row);
            let but = self.is_same.then_some(row);
            let found: Vec<NeighbourDistance> = match args.radius {
                None => index.nearest(point, args.k.size(), but),
                Some(radius) => {
                    let radius = self.points.from_units(radius.get(), self.metric);
                    index.within(point, radius, but)
                }
            };
            if pairs.len() + found.len() > PAIRS_MAX {
                let error = ToolError::new(
                    ErrorCode::LimitExceeded,
                    format_args!("the answer has more than {PAIRS_MAX} pairs"),
                );
                let pointer = if args.radius.is_some() {
                    "/radius"
                } else {
                    "/k"
                };
                return Err(error
                    .at(pointer)
                    .reason("limit")
                    .hint("choose a smaller one, or fewer `queries`"));
            }
            ctx.reserve_doubles(found.len().saturating_mul(4))?;
            for one in found {
                let distance = self.points.in_units(one.distance, self.metric);
                if !distance.is_finite() {
                    return Err(fault(MultivariateError::Overflow));
                }
                pairs.push(NeighbourPair {
                    row: others.rows[row],
                    neighbour: rows.rows[one.row],
                    distance,
                });
            }
        }
        Ok(pairs)
    }
}

/// True of the pairs: how many there are, the nearest and the farthest.
fn neighbour_sentence(
    pairs: &[NeighbourPair],
    counts: &[usize],
    radius: Option<Positive>,
) -> String {
    let rows = match counts.len() {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    };
    let by_distance = |a: &&NeighbourPair, b: &&NeighbourPair| a.distance.total_cmp(&b.distance);
    let nearest = pairs.iter().min_by(by_distance);
    // Of equals the first one.
    let farthest = pairs.iter().rev().max_by(by_distance);
    let (Some(nearest), Some(farthest)) = (nearest, farthest) else {
        return match radius {
            Some(radius) => format!(
                "None of {rows} has a neighbour within {}.",
                number_words(radius.get())
            ),
            None => format!("None of {rows} has a neighbour."),
        };
    };
    let words = |pair: &NeighbourPair| {
        format!(
            "{} and {} (distance {})",
            pair.row,
            pair.neighbour,
            number_words(pair.distance)
        )
    };
    let least = counts.iter().min().copied().unwrap_or(0);
    let most = counts.iter().max().copied().unwrap_or(0);
    let each = match (least == most, least) {
        (true, 1) => "1 neighbour".to_owned(),
        (true, count) => format!("{count} neighbours"),
        (false, _) => format!("{least} to {most} neighbours"),
    };
    format!(
        "Each of {rows} has {each}: the nearest pair is {}, the farthest {}.",
        words(nearest),
        words(farthest)
    )
}
