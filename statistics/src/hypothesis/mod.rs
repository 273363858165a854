//! Tests of hypotheses, one file a family.
//!
//! Each takes slices of finite numbers and returns a [`HypothesisResult`]: statistic, degrees of freedom, p value with its source, the estimate with its interval,
//! and effect sizes. Tests whose time grows beyond milliseconds take a [`numerics::Watch`] or state a limit.

mod anderson_groups;
mod barnard;
mod correction;
mod counts;
mod fisher;
mod fisher_network;
mod kolmogorov;
mod location;
mod normality;
mod outcome;
mod paired_counts;
mod permutation;
mod proportions;
mod rank_groups;
mod rank_states;
mod rank_sums;
mod rank_tables;
mod ranks;
mod rates;
pub(crate) mod sample;
mod series;
mod signed;
pub(crate) mod spread;
#[cfg(test)]
mod tests;

pub use self::anderson_groups::test_anderson_groups;
pub use self::barnard::{BARNARD_MAX, test_barnard};
pub use self::correction::{PValueCorrection, correct_p_values};
pub use self::counts::{
    CountStatistic, CountTable, TableMargins, association_effects, test_goodness, test_independence,
};
pub use self::fisher::test_fisher;
pub use self::fisher_network::{NETWORK_MAX, test_fisher_table};
pub use self::kolmogorov::{
    EXACT_KOLMOGOROV_MAX, EXACT_SMIRNOV_MAX, kolmogorov_sf, test_kolmogorov, test_smirnov,
};
pub use self::location::{
    SampleDescription, describe_sample, test_mean, test_pairs, test_pooled, test_welch, test_yuen,
};
pub use self::normality::{
    SHAPIRO_MAX, test_anderson, test_jarque_bera, test_lilliefors, test_shapiro,
};
pub use self::outcome::{
    Alternative, EffectSize, HypothesisError, HypothesisResult, PValueBasis, ParameterEstimate,
    TestOptions,
};
pub use self::paired_counts::{EXACT_DISCORDANT_MAX, McNemarForm, test_cochran, test_mcnemar};
pub use self::permutation::{
    ARRANGEMENTS_MAX, PermutationDraws, test_permutation, test_permutation_groups,
    test_sign_permutation,
};
pub use self::proportions::{
    SuccessCount, clopper_pearson, test_binomial, test_proportions, wilson_interval,
};
pub use self::rank_groups::{test_friedman, test_kruskal};
pub use self::ranks::{
    EXACT_RANKS_MAX, ExactChoice, RankMethod, test_brunner_munzel, test_mann_whitney,
};
pub use self::rates::{EventCount, test_rate, test_rates};
pub use self::series::{SeriesTrend, test_dickey_fuller, test_kpss, test_ljung_box, test_runs};
pub use self::signed::{test_signed_ranks, test_signs};
pub use self::spread::{SpreadCentre, test_bartlett, test_spread};
