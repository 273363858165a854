//! `kmeans`: clusters around means.

use numerics::dense::scale_by_exponent;
use statistics::multivariate::{
    CondensedDistances, DistanceMetric, GapStatistic, KMeansFit, KMeansRequest, MultivariateError,
    PointTable, fit_kmeans, gap_statistics, sample_rows,
};

use super::super::reporting::words::{apa_share, number_words};
use super::{
    ClusterSilhouettes, PointRows, SILHOUETTE_ROWS_MAX, cluster_silhouettes, count_words,
    multivariate_fault, rows_of_clusters, silhouette_words,
};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Clusters of rows around their means, with the least sum of squared distances that several seeded starts find: labels, centres, silhouettes, and the number of clusters
/// by silhouettes or the gap statistic where `k` is absent.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// Number of clusters; chosen by `choose` when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub k: Option<BoundedInteger<1, 1000>>,
    /// How the number is chosen.
    #[value(default)]
    pub choose: ClusterNumberRule,
    /// Most clusters to choose from.
    #[value(default = "BoundedInteger::<2, 50>::of::<10>")]
    pub k_max: BoundedInteger<2, 50>,
    /// Whether each column is divided by its standard deviation first: for columns of different units.
    #[value(default)]
    pub standardise: bool,
    /// Seeded starts, of which the best counts.
    #[value(default = "BoundedInteger::<1, 1000>::of::<10>")]
    pub starts: BoundedInteger<1, 1000>,
    /// Most iterations of a start.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<300>")]
    pub max_iterations: BoundedInteger<1, 100_000>,
    /// Seed of the starts; 42 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub seed: Option<RandomSeed>,
}

/// How the number of clusters is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ClusterNumberRule {
    /// The largest mean silhouette; at least two clusters.
    #[default]
    Silhouette,
    /// The first number whose gap is within one error of the next one's (Tibshirani); one cluster is possible.
    Gap,
}

/// Clusters around means.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The clusters in a sentence.
    pub summary: String,
    /// Number of clusters.
    pub k: usize,
    /// Where it comes from: `given`, `largest mean silhouette`, `gap statistic`, `no two rows differ`.
    pub k_from: String,
    /// The clusters, numbered from 0 by their first row.
    pub clusters: Vec<MeanCluster>,
    /// The numbers that were compared; empty where `k` is given.
    pub choices: Vec<ClusterNumberChoice>,
    /// Sum of the squared distances from the centres, in squared units of the columns, or of their standard deviations.
    pub inertia: f64,
    /// Sum of the squared distances from the mean of all rows.
    pub total: f64,
    /// Share of the total that lies between the clusters.
    pub between_share: f64,
    /// Mean silhouette, from -1 to 1; 0 for one cluster.
    pub silhouette: f64,
    /// Rows whose silhouettes were computed: all up to 2000, a sample beyond.
    pub silhouette_rows: usize,
    /// Starts that ended with this inertia.
    pub agreeing: usize,
    /// Starts.
    pub starts: usize,
    /// Iterations of the best start.
    pub iterations: usize,
    /// Whether no move of a row to another cluster lowers the inertia.
    pub converged: bool,
    /// Why the best start ended.
    pub reason: ClusterMoveReason,
    /// The cluster of each complete row.
    pub labels: Vec<usize>,
    /// The row of the table of each label, from 0.
    pub rows: Vec<usize>,
    /// The columns.
    pub columns: Vec<String>,
    /// Rows that count.
    pub n: usize,
    /// Rows left out because a cell is missing.
    pub missing: usize,
    /// Whether the columns were divided by their standard deviations.
    pub standardised: bool,
    /// Seed of the starts.
    pub seed: RandomSeed,
    /// The line for a report.
    pub apa: String,
}

/// Why rows stay in their clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ClusterMoveReason {
    /// No move of a row lowers the inertia.
    Settled,
    /// `max_iterations` were made.
    MaxIterations,
}

/// A cluster around its mean.
#[derive(Debug, Encode, Describe)]
pub(crate) struct MeanCluster {
    /// Its number.
    pub cluster: usize,
    /// Its rows.
    pub n: usize,
    /// Mean silhouette of its rows.
    pub silhouette: f64,
    /// Sum of the squared distances from its centre.
    pub within: f64,
    /// The mean of each column, in units of the columns.
    pub centre: Vec<f64>,
}

/// A number of clusters that was compared.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ClusterNumberChoice {
    /// Number of clusters.
    pub k: usize,
    /// Its inertia; null beside gaps.
    pub inertia: Option<f64>,
    /// Its mean silhouette; null beside gaps.
    pub silhouette: Option<f64>,
    /// Its gap; null beside silhouettes.
    pub gap: Option<f64>,
    /// The error of the gap.
    pub gap_error: Option<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("kmeans", "k-means clustering").seeded().tags(&[
        "statistics",
        "multivariate",
        "clusters",
        "k-means",
        "segmentation",
        "unsupervised",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two pairs":
            r#"{"data": {"x": [0, 1, 10, 11]}, "k": 2, "seed": 1}"#
            => r#"{"summary": "2 clusters of 2, 2 rows; 99.0 % of the squares lie between them, and a mean silhouette of 0.9 shows a strong structure.",
                "k": 2, "k_from": "given", "clusters": [{"cluster": 0, "n": 2, "silhouette": 0.8997493734335840, "within": 0.5, "centre": [0.5]},
                {"cluster": 1, "n": 2, "silhouette": 0.8997493734335840, "within": 0.5, "centre": [10.5]}], "choices": [], "inertia": 1.0, "total": 101.0,
                "between_share": 0.9900990099009901, "silhouette": 0.8997493734335840, "silhouette_rows": 4, "agreeing": 10, "starts": 10, "iterations": 2, "converged": true, "reason": "settled",
                "labels": [0, 0, 1, 1], "rows": [0, 1, 2, 3], "columns": ["x"], "n": 4, "missing": 0, "standardised": false, "seed": 1,
                "apa": "k-means, k = 2, n = 4: between/total = .990, mean silhouette = .900"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let rows = PointRows::load(&args.data, &args.columns, ctx)?;
        let points = rows.points(args.standardise, DistanceMetric::Euclidean, ctx)?;
        let seed = ctx.seed(args.seed);
        let fault = |err| multivariate_fault(err, &rows, ctx);
        let sample = sample_rows(points.rows(), SILHOUETTE_ROWS_MAX, seed.get());
        let metric = DistanceMetric::Euclidean;
        let distances = CondensedDistances::new(&points, &sample, metric, &CallWatch(ctx));
        let search = ClusterSearch {
            request: KMeansRequest {
                points: &points,
                clusters: args.k.map_or(1, |k| k.size()),
                starts: args.starts.size(),
                iterations_max: args.max_iterations.size(),
                seed: seed.get(),
            },
            sample,
            distances: distances.map_err(fault)?,
            most: args.k_max.size(),
            ctx,
        };
        let chosen = match (args.k, args.choose) {
            (Some(_), _) => search.given(),
            (None, ClusterNumberRule::Silhouette) => search.by_silhouettes(),
            (None, ClusterNumberRule::Gap) => search.by_gaps(),
        };
        let chosen = chosen.map_err(fault)?;
        if !chosen.fit.converged {
            ctx.warn(format!(
                "rows still changed their clusters after {} iterations; raise `max_iterations`",
                chosen.fit.iterations
            ));
        }
        build_output(&args, &rows, &points, &search, chosen, seed, ctx)
    }
}

/// The clusters of a chosen number.
struct ChosenClusters {
    fit: KMeansFit,
    silhouettes: ClusterSilhouettes,
    from: &'static str,
    choices: Vec<ClusterNumberChoice>,
}

struct ClusterSearch<'a> {
    request: KMeansRequest<'a>,
    sample: Vec<usize>,
    distances: CondensedDistances,
    most: usize,
    ctx: &'a Ctx,
}

impl ClusterSearch<'_> {
    fn silhouettes(&self, fit: &KMeansFit) -> Result<ClusterSilhouettes, MultivariateError> {
        let labels: Vec<usize> = self.sample.iter().map(|row| fit.labels[*row]).collect();
        cluster_silhouettes(&self.distances, &labels, fit.sizes.len(), self.ctx)
    }

    fn fit(&self, clusters: usize) -> Result<KMeansFit, MultivariateError> {
        let request = KMeansRequest {
            clusters,
            ..self.request
        };
        fit_kmeans(request, &CallWatch(self.ctx))
    }

    fn given(&self) -> Result<ChosenClusters, MultivariateError> {
        let fit = self.fit(self.request.clusters)?;
        Ok(ChosenClusters {
            silhouettes: self.silhouettes(&fit)?,
            fit,
            from: "given",
            choices: Vec::new(),
        })
    }

    /// The number from 2 on with the largest mean silhouette, the smaller one of equals; one cluster where no two rows differ.
    fn by_silhouettes(&self) -> Result<ChosenClusters, MultivariateError> {
        let exponent = 2 * self.request.points.exponent();
        let mut choices = Vec::new();
        let mut best: Option<(KMeansFit, ClusterSilhouettes)> = None;
        let most = self.request.points.rows().saturating_sub(1);
        for clusters in 2..=self.most.min(most).max(2) {
            let fit = match self.fit(clusters) {
                Err(MultivariateError::Clusters { .. }) => break,
                other => other?,
            };
            let silhouettes = self.silhouettes(&fit)?;
            choices.push(ClusterNumberChoice {
                k: clusters,
                inertia: Some(scale_by_exponent(fit.inertia(), exponent).min(f64::MAX)),
                silhouette: Some(silhouettes.mean),
                gap: None,
                gap_error: None,
            });
            /// Means of silhouettes that differ by rounding alone.
            const SAME: f64 = 1e-12;
            let is_better = |(_, before): &(KMeansFit, ClusterSilhouettes)| {
                silhouettes.mean > before.mean + SAME
            };
            if best.as_ref().is_none_or(is_better) {
                best = Some((fit, silhouettes));
            }
        }
        let Some((fit, silhouettes)) = best else {
            let fit = self.fit(1)?;
            return Ok(ChosenClusters {
                silhouettes: self.silhouettes(&fit)?,
                fit,
                from: "no two rows differ",
                choices,
            });
        };
        Ok(ChosenClusters {
            fit,
            silhouettes,
            from: "largest mean silhouette",
            choices,
        })
    }

    fn by_gaps(&self) -> Result<ChosenClusters, MultivariateError> {
        let gaps = gap_statistics(self.request, self.most, &CallWatch(self.ctx))?;
        let is_enough = |pair: &&[GapStatistic]| pair[0].gap >= pair[1].gap - pair[1].error;
        let chosen = gaps.windows(2).find(is_enough).map(|pair| pair[0]);
        let chosen = chosen.or(gaps.last().copied());
        let fit = self.fit(chosen.map_or(1, |gap| gap.clusters))?;
        let choice = |gap: &GapStatistic| ClusterNumberChoice {
            k: gap.clusters,
            inertia: None,
            silhouette: None,
            gap: Some(gap.gap),
            gap_error: Some(gap.error),
        };
        Ok(ChosenClusters {
            silhouettes: self.silhouettes(&fit)?,
            fit,
            from: "gap statistic",
            choices: gaps.iter().map(choice).collect(),
        })
    }
}

fn build_output(
    args: &Args,
    rows: &PointRows,
    points: &PointTable,
    search: &ClusterSearch<'_>,
    chosen: ChosenClusters,
    seed: RandomSeed,
    ctx: &Ctx,
) -> Result<Output, ToolError> {
    let ChosenClusters {
        fit,
        silhouettes,
        from,
        choices,
    } = chosen;
    let in_units = |squares: f64| scale_by_exponent(squares, 2 * points.exponent());
    let inertia = in_units(fit.inertia());
    let total = in_units(fit.total);
    if !total.is_finite() || !inertia.is_finite() {
        return Err(multivariate_fault(MultivariateError::Overflow, rows, ctx));
    }
    let k = fit.sizes.len();
    let between_share = match fit.total > 0.0 {
        true => (1.0 - fit.inertia() / fit.total).clamp(0.0, 1.0),
        false => 0.0,
    };
    let members = rows_of_clusters(&fit.labels, k);
    let cluster = |(cluster, members): (usize, &Vec<usize>)| MeanCluster {
        cluster,
        n: members.len(),
        silhouette: silhouettes.of_clusters[cluster],
        within: in_units(fit.within[cluster]),
        centre: rows.mean_of_rows(members),
    };
    Ok(Output {
        summary: cluster_sentence(rows, &fit, between_share, silhouettes.mean),
        apa: format!(
            "k-means, k = {k}, n = {}: between/total = {}, mean silhouette = {}",
            rows.count(),
            apa_share(between_share, 3),
            apa_share(silhouettes.mean, 3)
        ),
        clusters: members.iter().enumerate().map(cluster).collect(),
        k,
        k_from: from.to_owned(),
        choices,
        inertia,
        total,
        between_share,
        silhouette: silhouettes.mean,
        silhouette_rows: search.sample.len(),
        agreeing: fit.agreeing,
        starts: args.starts.size(),
        iterations: fit.iterations,
        converged: fit.converged,
        reason: match fit.converged {
            true => ClusterMoveReason::Settled,
            false => ClusterMoveReason::MaxIterations,
        },
        labels: fit.labels,
        rows: rows.rows.clone(),
        columns: rows.names.clone(),
        n: rows.count(),
        missing: rows.missing,
        standardised: args.standardise,
        seed,
    })
}

/// True of the numbers: sizes, the share between clusters, the words of the silhouette.
fn cluster_sentence(rows: &PointRows, fit: &KMeansFit, between: f64, silhouette: f64) -> String {
    const SHOWN: usize = 6;
    let k = fit.sizes.len();
    if k == 1 {
        let count = count_words(rows.count(), "row");
        return format!("One cluster has all {count}.");
    }
    let mut sizes: Vec<String> = fit.sizes.iter().take(SHOWN).map(usize::to_string).collect();
    if k > SHOWN {
        sizes.push("...".to_owned());
    }
    format!(
        "{k} clusters of {} rows; {:.1} % of the squares lie between them, and a mean silhouette of {} shows {}.",
        sizes.join(", "),
        100.0 * between,
        number_words(silhouette),
        silhouette_words(silhouette)
    )
}
