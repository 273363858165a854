//! Statistics and regression.

use tool_core::{ErasedTool, tool_entry, verified_entry};

pub(crate) mod anova;
pub(crate) mod bootstrap;
pub(crate) mod compare_groups;
pub(crate) mod contingency;
pub(crate) mod correlation;
pub(crate) mod covariance;
pub(crate) mod distribution;
pub(crate) mod glm;
pub(crate) mod group_statistics;
pub(crate) mod hypothesis_test;
pub(crate) mod kernel_density;
pub(crate) mod linear_regression;
pub(crate) mod lowess;
pub(crate) mod mixed_model;
pub(crate) mod model_data;
pub(crate) mod model_words;
pub(crate) mod multivariate;
pub(crate) mod power_analysis;
pub(crate) mod quantile_regression;
pub(crate) mod random_sample;
pub(crate) mod reporting;
pub(crate) mod robust_regression;
pub(crate) mod statistics;
pub(crate) mod survival;
#[cfg(test)]
mod tests;
pub(crate) mod time_series;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<statistics::Args>(),
    verified_entry::<linear_regression::Args>(),
    verified_entry::<glm::Args>(),
    tool_entry::<mixed_model::Args>(),
    tool_entry::<quantile_regression::Args>(),
    tool_entry::<robust_regression::Args>(),
    tool_entry::<survival::Args>(),
    tool_entry::<time_series::Args>(),
    verified_entry::<hypothesis_test::Args>(),
    tool_entry::<compare_groups::Args>(),
    tool_entry::<anova::Args>(),
    tool_entry::<contingency::Args>(),
    tool_entry::<group_statistics::Args>(),
    tool_entry::<distribution::Args>(),
    tool_entry::<random_sample::Args>(),
    tool_entry::<power_analysis::Args>(),
    tool_entry::<correlation::Args>(),
    tool_entry::<covariance::Args>(),
    tool_entry::<bootstrap::Args>(),
    tool_entry::<kernel_density::Args>(),
    tool_entry::<lowess::Args>(),
    tool_entry::<multivariate::pca::Args>(),
    tool_entry::<multivariate::kmeans::Args>(),
    tool_entry::<multivariate::hierarchical_clustering::Args>(),
    tool_entry::<multivariate::dbscan::Args>(),
    tool_entry::<multivariate::nearest_neighbours::Args>(),
    tool_entry::<multivariate::outliers::Args>(),
];
