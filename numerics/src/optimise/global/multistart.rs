//! Local searches from many points.
//!
//! Each starts at the best of a few random points of the box, so that plateaus and bad regions cost little.
//!
//! A. H. G. Rinnooy Kan, G. T. Timmer, "Stochastic global optimization methods", Mathematical Programming 39, 1987.

use crate::optimise::error::OptimiseError;
use rand::RngExt;

use super::search::GlobalSearch;

/// Random points of which the best starts a search.
const SAMPLE: usize = 8;

/// Starts one search after another until the budget is used up.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_multistart(search: &mut GlobalSearch<'_>) -> Result<(), OptimiseError> {
    let d = search.dimension();
    let mut rng = search.rng();
    let mut first = vec![0.5; d];
    loop {
        let mut lowest = search.at(&first)?;
        for _ in 1..SAMPLE {
            let unit: Vec<f64> = (0..d).map(|_| rng.random()).collect();
            let value = search.at(&unit)?;
            if value < lowest {
                (lowest, first) = (value, unit);
            }
        }
        let x = search.point(&first);
        search.descend(&x)?;
        first = (0..d).map(|_| rng.random()).collect();
    }
}
