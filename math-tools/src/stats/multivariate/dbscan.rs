//! `dbscan`: clusters as places where rows are dense.

use statistics::multivariate::{
    DensityClusters, DensityRequest, DistanceMetric, MultivariateError, PointTable,
    cluster_by_density, knee_of, neighbour_distances,
};

use super::super::reporting::words::number_words;
use super::{PointRows, RowDistance, count_words, multivariate_fault};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Places of the curve of neighbour distances that is answered.
const CURVE_POINTS: usize = 200;

/// Clusters of rows where they lie dense, of any shape, and noise where they do not: rows with enough neighbours within a radius, and what is connected through them.
/// The radius is given, or the knee of the distances to the k-th neighbour.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Rows at most so far away are neighbours; the knee of the distances to the neighbour `min_points - 1` when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub eps: Option<Positive>,
    /// Neighbours, the row itself among them, that make a row a core; twice the number of columns, at least 5, when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub min_points: Option<BoundedInteger<1, 100_000>>,
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

/// Dense clusters and noise.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The clusters in a sentence.
    pub summary: String,
    /// Number of clusters.
    pub k: usize,
    /// The clusters, numbered from 0 by their first row.
    pub clusters: Vec<DenseCluster>,
    /// Rows that are in no cluster.
    pub noise: usize,
    /// The radius, in units of the distance.
    pub eps: f64,
    /// Where it comes from: `given`, `knee of the distances to neighbour 7`.
    pub eps_from: String,
    /// Neighbours, the row itself among them, that make a core.
    pub min_points: usize,
    /// The distances to the neighbour `min_points - 1`, ascending, at up to 200 equally spaced places: what the knee is of; empty where `eps` is given.
    pub curve: Vec<f64>,
    /// The cluster of each complete row; -1 for noise.
    pub labels: Vec<i64>,
    /// Whether each complete row is a core.
    pub cores: Vec<bool>,
    /// The row of the table of each label, from 0.
    pub rows: Vec<usize>,
    /// The columns.
    pub columns: Vec<String>,
    /// The metric.
    pub metric: String,
    /// Rows that count.
    pub n: usize,
    /// Rows left out because a cell is missing.
    pub missing: usize,
    /// Whether the columns were divided by their standard deviations.
    pub standardised: bool,
    /// The line for a report.
    pub apa: String,
}

/// A dense cluster.
#[derive(Debug, Encode, Describe)]
pub(crate) struct DenseCluster {
    /// Its number.
    pub cluster: usize,
    /// Its rows.
    pub n: usize,
    /// Those with enough neighbours themselves.
    pub core: usize,
    /// The others, which belong to the cluster of their nearest core.
    pub border: usize,
    /// The mean of each column.
    pub centre: Vec<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("dbscan", "Density-based clustering (DBSCAN)").tags(&[
        "statistics",
        "multivariate",
        "clusters",
        "density",
        "noise",
        "unsupervised",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "three neighbours, and one row far away":
            r#"{"data": {"x": [1, 2, 3, 9]}, "eps": 1, "min_points": 3}"#
            => r#"{"summary": "1 cluster of 3 rows whose cores have at least 3 rows within 1; 1 of 4 rows is noise.", "k": 1,
                "clusters": [{"cluster": 0, "n": 3, "core": 1, "border": 2, "centre": [2.0]}], "noise": 1, "eps": 1.0, "eps_from": "given", "min_points": 3, "curve": [],
                "labels": [0, 0, 0, -1], "cores": [false, true, false, false], "rows": [0, 1, 2, 3], "columns": ["x"], "metric": "euclidean", "n": 4, "missing": 0,
                "standardised": false, "apa": "DBSCAN, eps = 1, min points = 3, n = 4: 1 cluster, 1 noise"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let metric = args.metric.metric(args.power)?;
        let rows = PointRows::load(&args.data, &args.columns, ctx)?;
        let points = rows.points(args.standardise, metric, ctx)?;
        let fault = |err| multivariate_fault(err, &rows, ctx);
        let least = args
            .min_points
            .map_or((2 * rows.names.len()).max(5), |least| least.size());
        let radius = match args.eps {
            Some(eps) => NeighbourRadius {
                radius: points.from_units(eps.get(), metric),
                from: "given".to_owned(),
                curve: Vec::new(),
            },
            None => NeighbourRadius::of_knee(&points, metric, least, ctx).map_err(fault)?,
        };
        let request = DensityRequest {
            points: &points,
            metric,
            radius: radius.radius,
            least,
        };
        let found = cluster_by_density(request, &CallWatch(ctx)).map_err(fault)?;
        let in_units = |distance: f64| points.in_units(distance, metric);
        let eps = args
            .eps
            .map_or_else(|| in_units(radius.radius), |eps| eps.get());
        let curve: Vec<f64> = radius.curve.iter().map(|value| in_units(*value)).collect();
        if !eps.is_finite() || curve.iter().any(|value| !value.is_finite()) {
            return Err(fault(MultivariateError::Overflow));
        }
        if found.clusters == 0 {
            ctx.warn("no row has enough neighbours: raise `eps`, or lower `min_points`");
        }
        let noise = found.labels.iter().filter(|label| label.is_none()).count();
        let n = rows.count();
        let eps_words = number_words(eps);
        let clusters = count_words(found.clusters, "cluster");
        Ok(Output {
            summary: density_sentence(&rows, &found, noise, eps, least),
            apa: format!(
                "DBSCAN, eps = {eps_words}, min points = {least}, n = {n}: {clusters}, {noise} noise"
            ),
            clusters: dense_clusters(&rows, &found),
            k: found.clusters,
            noise,
            eps,
            eps_from: radius.from,
            min_points: least,
            curve,
            labels: found
                .labels
                .iter()
                .map(|label| label.map_or(-1, |label| label as i64))
                .collect(),
            cores: found.is_core,
            columns: rows.names.clone(),
            metric: args.metric.name().to_owned(),
            n,
            missing: rows.missing,
            standardised: args.standardise,
            rows: rows.rows,
        })
    }
}

/// A radius in the unit of the table.
struct NeighbourRadius {
    radius: f64,
    from: String,
    curve: Vec<f64>,
}

impl NeighbourRadius {
    fn of_knee(
        points: &PointTable,
        metric: DistanceMetric,
        least: usize,
        ctx: &Ctx,
    ) -> Result<Self, MultivariateError> {
        let neighbour = least.saturating_sub(1).max(1);
        let distances = neighbour_distances(points, metric, neighbour, &CallWatch(ctx))?;
        let last = distances.len() - 1;
        let count = CURVE_POINTS.min(distances.len());
        let place = |index: usize| match count {
            1 => 0,
            _ => index * last / (count - 1),
        };
        Ok(Self {
            radius: knee_of(&distances).unwrap_or(0.0),
            from: format!("knee of the distances to neighbour {neighbour}"),
            curve: (0..count).map(|index| distances[place(index)]).collect(),
        })
    }
}

fn dense_clusters(rows: &PointRows, found: &DensityClusters) -> Vec<DenseCluster> {
    let mut members = vec![Vec::new(); found.clusters];
    for (row, label) in found.labels.iter().enumerate() {
        if let Some(label) = label {
            members[*label].push(row);
        }
    }
    let cluster = |(cluster, members): (usize, &Vec<usize>)| {
        let core = members.iter().filter(|row| found.is_core[**row]).count();
        DenseCluster {
            cluster,
            n: members.len(),
            core,
            border: members.len() - core,
            centre: rows.mean_of_rows(members),
        }
    };
    members.iter().enumerate().map(cluster).collect()
}

/// True of the numbers: clusters, their sizes, noise.
fn density_sentence(
    rows: &PointRows,
    found: &DensityClusters,
    noise: usize,
    eps: f64,
    least: usize,
) -> String {
    const SHOWN: usize = 6;
    let n = rows.count();
    let rule = format!("at least {least} rows within {}", number_words(eps));
    if found.clusters == 0 {
        return format!("No row has {rule}, so that all {n} are noise.");
    }
    let mut sizes = vec![0_usize; found.clusters];
    found
        .labels
        .iter()
        .flatten()
        .for_each(|label| sizes[*label] += 1);
    let mut words: Vec<String> = sizes.iter().take(SHOWN).map(usize::to_string).collect();
    if sizes.len() > SHOWN {
        words.push("...".to_owned());
    }
    let are = if noise == 1 { "is" } else { "are" };
    format!(
        "{} of {} rows whose cores have {rule}; {noise} of {n} rows {are} noise.",
        count_words(found.clusters, "cluster"),
        words.join(", ")
    )
}
