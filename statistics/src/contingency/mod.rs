//! Measures of tables of counts beyond chi-squared: residuals, reduction of error, order, agreement.

mod measures;

pub use self::measures::{
    CellResidual, agreement_kappa, cell_residuals, goodman_kruskal_gamma, kendall_tau_b,
    predictive_lambda,
};
