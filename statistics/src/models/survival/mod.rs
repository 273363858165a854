//! Survival: Kaplan and Meier's curves, the log-rank test, Cox regression.

mod concordance;
mod cox;
mod cox_checks;
mod curve;
mod log_rank;

#[cfg(test)]
mod tests;

pub use self::concordance::{Concordance, measure_concordance};
pub use self::cox::{CoxFit, CoxRequest, CoxTies, fit_cox};
pub use self::cox_checks::{HazardCheck, HazardChecks};
pub use self::curve::{SurvivalCurve, SurvivalPoint, kaplan_meier};
pub use self::log_rank::{GroupEvents, LogRank, log_rank};
