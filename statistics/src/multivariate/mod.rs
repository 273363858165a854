//! Rows as points: principal components, clusters, neighbours, outliers.

mod chain;
mod dbscan;
mod distances;
mod error;
mod gap;
mod hierarchy;
mod kd_tree;
mod kmeans;
mod local_outlier;
mod mcd;
mod metric;
mod parallel;
mod pca;
mod points;
mod seeding;
mod silhouette;
#[cfg(test)]
mod tests;
mod univariate;

pub use self::chain::{LinkageMethod, link_clusters};
pub use self::dbscan::{
    DensityClusters, DensityRequest, cluster_by_density, knee_of, neighbour_distances,
};
pub use self::distances::CondensedDistances;
pub use self::error::MultivariateError;
pub use self::gap::{GapStatistic, gap_statistics};
pub use self::hierarchy::{ClusterMerge, ClusterTree};
pub use self::kd_tree::{NeighbourDistance, NeighbourIndex};
pub use self::kmeans::{KMeansFit, KMeansRequest, fit_kmeans};
pub use self::local_outlier::local_outlier_factors;
pub use self::mcd::{RobustCovariance, fit_mcd};
pub use self::metric::DistanceMetric;
pub use self::parallel::parallel_limits;
pub use self::pca::{PrincipalComponents, fit_pca};
pub use self::points::{ColumnScaling, PointTable, column_deviations, tables_in_one_unit};
pub use self::silhouette::{sample_rows, silhouette_values};
pub use self::univariate::{
    DeviateStep, DeviateTest, FenceLimits, RobustScores, generalised_deviates, robust_scores,
    tukey_fences,
};

/// Numbers clusters by the first row of each, from 0.
pub fn number_by_appearance(labels: &mut [usize]) -> usize {
    let mut numbers: Vec<Option<usize>> = Vec::new();
    let mut count = 0;
    for label in labels {
        if *label >= numbers.len() {
            numbers.resize(*label + 1, None);
        }
        *label = *numbers[*label].get_or_insert_with(|| {
            count += 1;
            count - 1
        });
    }
    count
}
