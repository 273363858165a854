//! Analysis of variance: one factor and several, repeated measures, comparisons of pairs.

mod factorial;
mod groups;
pub(crate) mod least_squares;
mod post_hoc;
mod repeated;
mod studentised;
#[cfg(test)]
mod tests;

pub use self::factorial::{
    FactorCodes, FactorTerm, SquaresType, VarianceRow, VarianceTable, analyse_factors,
};
pub use self::groups::{test_one_way, test_welch_groups};
pub use self::post_hoc::{
    COMPARED_MAX, GroupComparison, compare_dunn, compare_dunnett, compare_games_howell,
    compare_tukey,
};
pub use self::repeated::{MauchlyResult, RepeatedResult, analyse_repeated};
pub use self::studentised::{DunnettSizes, studentised_range_isf, studentised_range_sf};
