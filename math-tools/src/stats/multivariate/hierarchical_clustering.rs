//! `hierarchical_clustering`: rows joined into clusters, and these into larger ones.

use statistics::multivariate::{
    ClusterTree, CondensedDistances, DistanceMetric, LinkageMethod, MultivariateError, PointTable,
    link_clusters,
};

use super::super::reporting::words::{apa_share, number_words};
use super::{
    ClusterSilhouettes, PointRows, RowDistance, cluster_silhouettes, count_words,
    multivariate_fault, rows_of_clusters, silhouette_words,
};
use crate::call_watch::CallWatch;
use crate::data::table::TableInput;
use crate::prelude::*;

/// Most rows: the distances of all pairs are 8 bytes each, twice.
const ROWS_MAX: usize = 5000;
/// Most clusters that are compared where neither a number nor a height is given.
const COMPARED_MAX: usize = 10;

/// Hierarchical clusters of rows: the tree of merges with their heights (single, complete, average, weighted, Ward, centroid, median linkage), clusters at a number or a
/// height, the cophenetic correlation, and the order of leaves of a dendrogram.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The table: a list of records, an object of columns, a matrix of rows, or `{"$file": path}`; at most 5000 rows.
    pub data: Input<TableInput>,
    /// Columns of numbers; all of them when empty.
    #[value(default)]
    pub columns: Vec<String>,
    /// How far apart two clusters are.
    #[value(default)]
    pub linkage: LinkageName,
    /// How far apart two rows are; `ward`, `centroid` and `median` take `euclidean` alone.
    #[value(default)]
    pub metric: RowDistance,
    /// The power of `minkowski`, from 1 to 100; 3 when absent.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub power: Option<Positive>,
    /// Number of clusters; that of the largest mean silhouette among 2 to 10 when neither it nor `height` is given.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub clusters: Option<BoundedInteger<1, 5000>>,
    /// Height at which the tree is cut, in units of the distance.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub height: Option<Positive>,
    /// Whether each column is divided by its standard deviation first: for columns of different units.
    #[value(default)]
    pub standardise: bool,
}

/// How far apart two clusters are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum LinkageName {
    /// By the growth of the sum of squares.
    #[default]
    Ward,
    /// As their rows on average.
    Average,
    /// As their farthest rows.
    Complete,
    /// As their nearest rows.
    Single,
    /// As the two parts of each on average.
    Weighted,
    /// As their means.
    Centroid,
    /// As the middles of their parts.
    Median,
}

impl LinkageName {
    fn method(self) -> LinkageMethod {
        match self {
            Self::Ward => LinkageMethod::Ward,
            Self::Average => LinkageMethod::Average,
            Self::Complete => LinkageMethod::Complete,
            Self::Single => LinkageMethod::Single,
            Self::Weighted => LinkageMethod::Weighted,
            Self::Centroid => LinkageMethod::Centroid,
            Self::Median => LinkageMethod::Median,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ward => "ward",
            Self::Average => "average",
            Self::Complete => "complete",
            Self::Single => "single",
            Self::Weighted => "weighted",
            Self::Centroid => "centroid",
            Self::Median => "median",
        }
    }
}

/// A tree of clusters.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The clusters in a sentence.
    pub summary: String,
    /// Number of clusters.
    pub k: usize,
    /// Where it comes from: `given`, `height`, `largest mean silhouette`, `no two rows differ`.
    pub k_from: String,
    /// The clusters, numbered from 0 by their first row.
    pub clusters: Vec<TreeCluster>,
    /// The numbers that were compared; empty where a number or height is given.
    pub choices: Vec<CutChoice>,
    /// Heights between which the tree has these clusters: at least the last merge that is made, below the next one; null above the last merge, or for heights that
    /// fall.
    pub cut: Vec<Option<f64>>,
    /// Mean silhouette, from -1 to 1; 0 for one cluster.
    pub silhouette: f64,
    /// Correlation of the distances with the heights at which rows are joined; null where one of both does not vary.
    pub cophenetic: Option<f64>,
    /// Whether a merge is lower than one of its parts, as `centroid` and `median` may have it.
    pub inversions: bool,
    /// The merges, as SciPy's linkage: numbers below n are rows, n + i is the cluster of merge i.
    pub merges: Vec<MergeRecord>,
    /// The rows from left to right in a dendrogram.
    pub leaf_order: Vec<usize>,
    /// The cluster of each complete row.
    pub labels: Vec<usize>,
    /// The row of the table of each label, from 0.
    pub rows: Vec<usize>,
    /// The columns.
    pub columns: Vec<String>,
    /// The linkage.
    pub linkage: String,
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

/// A cluster of the tree.
#[derive(Debug, Encode, Describe)]
pub(crate) struct TreeCluster {
    /// Its number.
    pub cluster: usize,
    /// Its rows.
    pub n: usize,
    /// Mean silhouette of its rows.
    pub silhouette: f64,
    /// The mean of each column.
    pub centre: Vec<f64>,
}

/// A number of clusters that was compared.
#[derive(Debug, Encode, Describe)]
pub(crate) struct CutChoice {
    /// Number of clusters.
    pub k: usize,
    /// Its mean silhouette.
    pub silhouette: f64,
}

/// Two clusters that were joined.
#[derive(Debug, Encode, Describe)]
pub(crate) struct MergeRecord {
    /// The one with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Their distance.
    pub height: f64,
    /// Rows of both.
    pub size: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("hierarchical_clustering", "Hierarchical clustering").tags(&[
        "statistics",
        "multivariate",
        "clusters",
        "dendrogram",
        "linkage",
        "ward",
        "table",
    ]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two pairs":
            r#"{"data": {"x": [0, 1, 10, 12]}, "linkage": "single"}"#
            => r#"{"summary": "2 clusters of 2, 2 rows (single linkage); a mean silhouette of 0.856 shows a strong structure. The tree keeps the distances with a correlation of 0.978.",
                "k": 2, "k_from": "largest mean silhouette", "clusters": [{"cluster": 0, "n": 2, "silhouette": 0.9045454545454545, "centre": [0.5]},
                {"cluster": 1, "n": 2, "silhouette": 0.8077803203661327, "centre": [11.0]}], "choices": [{"k": 2, "silhouette": 0.8561628874557936},
                {"k": 3, "silhouette": 0.4472222222222222}], "cut": [2.0, 9.0], "silhouette": 0.8561628874557936, "cophenetic": 0.9776359711433504, "inversions": false,
                "merges": [{"first": 0, "second": 1, "height": 1.0, "size": 2}, {"first": 2, "second": 3, "height": 2.0, "size": 2},
                {"first": 4, "second": 5, "height": 9.0, "size": 4}], "leaf_order": [0, 1, 2, 3], "labels": [0, 0, 1, 1], "rows": [0, 1, 2, 3], "columns": ["x"],
                "linkage": "single", "metric": "euclidean", "n": 4, "missing": 0, "standardised": false,
                "apa": "Hierarchical clustering (single linkage, euclidean distance), n = 4: 2 clusters, mean silhouette = .856, cophenetic r = .978"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        if args.clusters.is_some() && args.height.is_some() {
            refuse!(invalid "/height"; "expected `clusters` or `height`, found both"; "leave one of them out");
        }
        let method = args.linkage.method();
        if method.is_euclidean() && args.metric != RowDistance::Euclidean {
            let (linkage, metric) = (args.linkage.name(), args.metric.name());
            refuse!(invalid "/metric"; "`{linkage}` is defined by Euclidean distances, found `{metric}`"; "choose another `linkage`, such as `average`");
        }
        let metric = args.metric.metric(args.power)?;
        let rows = PointRows::load(&args.data, &args.columns, ctx)?;
        if rows.count() > ROWS_MAX {
            let err = MultivariateError::TooManyRows {
                most: ROWS_MAX,
                found: rows.count(),
            };
            return Err(multivariate_fault(err, &rows, ctx));
        }
        if let Some(clusters) = args
            .clusters
            .filter(|clusters| clusters.size() > rows.count())
        {
            let (found, n) = (clusters.size(), rows.count());
            refuse!(invalid "/clusters", "range"; "expected at most {n} clusters, one for each row, found {found}"; "choose a smaller number");
        }
        let points = rows.points(args.standardise, metric, ctx)?;
        let watch = CallWatch(ctx);
        let fault = |err| multivariate_fault(err, &rows, ctx);
        let all: Vec<usize> = (0..rows.count()).collect();
        let distances = CondensedDistances::new(&points, &all, metric, &watch).map_err(fault)?;
        ctx.reserve_doubles(distances.values().len())?;
        let tree = link_clusters(distances.clone(), method, &watch).map_err(fault)?;
        let cut = cut_tree(&args, &tree, &distances, &points, metric, ctx).map_err(fault)?;
        let cophenetic = tree
            .cophenetic_correlation(&distances, &watch)
            .map_err(fault)?;
        let answer = TreeAnswer {
            rows: &rows,
            points: &points,
            metric,
            tree: &tree,
        };
        answer.build(&args, cut, cophenetic, ctx)
    }
}

/// The clusters at the chosen place of the tree.
struct TreeCut {
    labels: Vec<usize>,
    silhouettes: ClusterSilhouettes,
    from: &'static str,
    choices: Vec<CutChoice>,
}

fn cut_tree(
    args: &Args,
    tree: &ClusterTree,
    distances: &CondensedDistances,
    points: &PointTable,
    metric: DistanceMetric,
    ctx: &Ctx,
) -> Result<TreeCut, MultivariateError> {
    let cut = |labels: Vec<usize>, from: &'static str| -> Result<TreeCut, MultivariateError> {
        let clusters = labels.iter().max().map_or(0, |most| most + 1);
        Ok(TreeCut {
            silhouettes: cluster_silhouettes(distances, &labels, clusters, ctx)?,
            labels,
            from,
            choices: Vec::new(),
        })
    };
    if let Some(clusters) = args.clusters {
        return cut(tree.cut_by_number(clusters.size()), "given");
    }
    if let Some(height) = args.height {
        let height = points.from_units(height.get(), metric);
        return cut(tree.cut_by_height(height), "height");
    }
    if distances.values().iter().all(|distance| *distance == 0.0) {
        return cut(tree.cut_by_number(1), "no two rows differ");
    }
    let mut choices = Vec::new();
    let mut best: Option<TreeCut> = None;
    for clusters in 2..=COMPARED_MAX.min(tree.rows().saturating_sub(1)).max(2) {
        /// Means of silhouettes that differ by rounding alone.
        const SAME: f64 = 1e-12;
        let found = cut(tree.cut_by_number(clusters), "largest mean silhouette")?;
        let mean = found.silhouettes.mean;
        choices.push(CutChoice {
            k: clusters,
            silhouette: mean,
        });
        if best
            .as_ref()
            .is_none_or(|before| mean > before.silhouettes.mean + SAME)
        {
            best = Some(found);
        }
    }
    let best = best.ok_or(MultivariateError::Constant)?;
    Ok(TreeCut { choices, ..best })
}

/// What an answer is made of.
struct TreeAnswer<'a> {
    rows: &'a PointRows,
    points: &'a PointTable,
    metric: DistanceMetric,
    tree: &'a ClusterTree,
}

impl TreeAnswer<'_> {
    fn in_units(&self, height: f64) -> f64 {
        self.points.in_units(height, self.metric)
    }

    fn build(
        &self,
        args: &Args,
        cut: TreeCut,
        cophenetic: Option<f64>,
        ctx: &Ctx,
    ) -> Result<Output, ToolError> {
        let record = |merge: &statistics::multivariate::ClusterMerge| MergeRecord {
            first: merge.first,
            second: merge.second,
            height: self.in_units(merge.height),
            size: merge.size,
        };
        let merges: Vec<MergeRecord> = self.tree.merges().iter().map(record).collect();
        if merges.iter().any(|merge| !merge.height.is_finite()) {
            return Err(multivariate_fault(
                MultivariateError::Overflow,
                self.rows,
                ctx,
            ));
        }
        let k = cut.silhouettes.of_clusters.len();
        let members = rows_of_clusters(&cut.labels, k);
        let cluster = |(cluster, members): (usize, &Vec<usize>)| TreeCluster {
            cluster,
            n: members.len(),
            silhouette: cut.silhouettes.of_clusters[cluster],
            centre: self.rows.mean_of_rows(members),
        };
        let inversions = self.tree.has_inversions();
        let n = self.rows.count();
        let height_of = |made: usize| match made.checked_sub(1) {
            _ if inversions => None,
            None => Some(0.0),
            Some(place) => merges.get(place).map(|merge| merge.height),
        };
        Ok(Output {
            summary: self.sentence(args, k, &cut, cophenetic),
            apa: format!(
                "Hierarchical clustering ({} linkage, {} distance), n = {n}: {}, mean silhouette = {}{}",
                args.linkage.name(),
                args.metric.name(),
                count_words(k, "cluster"),
                apa_share(cut.silhouettes.mean, 3),
                cophenetic.map_or_else(String::new, |value| format!(
                    ", cophenetic r = {}",
                    apa_share(value, 3)
                ))
            ),
            cut: vec![height_of(n - k), height_of(n - k + 1)],
            clusters: members.iter().enumerate().map(cluster).collect(),
            k,
            k_from: cut.from.to_owned(),
            choices: cut.choices,
            silhouette: cut.silhouettes.mean,
            cophenetic,
            inversions,
            leaf_order: self.tree.leaf_order(),
            labels: cut.labels,
            rows: self.rows.rows.clone(),
            columns: self.rows.names.clone(),
            linkage: args.linkage.name().to_owned(),
            metric: args.metric.name().to_owned(),
            n,
            missing: self.rows.missing,
            standardised: args.standardise,
            merges,
        })
    }

    /// True of the numbers: sizes, the words of the silhouette, the correlation.
    fn sentence(&self, args: &Args, k: usize, cut: &TreeCut, cophenetic: Option<f64>) -> String {
        const SHOWN: usize = 6;
        let tree = match cophenetic {
            Some(value) => format!(
                " The tree keeps the distances with a correlation of {}.",
                number_words(value)
            ),
            None => String::new(),
        };
        let name = args.linkage.name();
        if k == 1 {
            let count = count_words(self.rows.count(), "row");
            return format!("One cluster has all {count} ({name} linkage).{tree}");
        }
        let sizes = rows_of_clusters(&cut.labels, k);
        let sizes = sizes.iter().take(SHOWN).map(|rows| rows.len().to_string());
        let mut sizes: Vec<String> = sizes.collect();
        if k > SHOWN {
            sizes.push("...".to_owned());
        }
        let mean = cut.silhouettes.mean;
        format!(
            "{k} clusters of {} rows ({name} linkage); a mean silhouette of {} shows {}.{tree}",
            sizes.join(", "),
            number_words(mean),
            silhouette_words(mean)
        )
    }
}
