//! Searches by a method of the caller, with local searches from what it proposes.

use rand::RngExt;

use super::search::GlobalSearch;
use crate::optimise::error::OptimiseError;

/// A global method of the caller, over the unit cube.
pub trait GlobalPointSource {
    /// The best point of one search, for a seed, in about so many evaluations. `value` is the objective in units of its range over the
    /// box; it answers `None` when the search must end. Answers `None` where nothing was found.
    fn propose(
        &mut self,
        dimension: usize,
        seed: u64,
        evaluations: u64,
        value: &mut dyn FnMut(&[f64]) -> Option<f64>,
    ) -> Option<Vec<f64>>;
}

/// Asks for one point after another until the budget is used up, and descends from each. The searches become longer, so that a budget has
/// several short ones and one long one.
///
/// # Errors
/// Those of the search.
pub(super) fn search_by_proposals(
    search: &mut GlobalSearch<'_>,
    source: &mut dyn GlobalPointSource,
) -> Result<(), OptimiseError> {
    /// Evaluations of the first search for each variable, and by how much those of the next are more.
    const FIRST: u64 = 400;
    const GROWTH: f64 = 1.5;
    let d = search.dimension();
    let mut evaluations = FIRST * (1 + d as u64);
    loop {
        let before = search.spent();
        let seed = search.rng().random();
        let range = search.range()?;
        let mut end = None;
        let mut value = |unit: &[f64]| match search.at(unit) {
            Ok(value) => Some(value / range),
            Err(error) => {
                end.get_or_insert(error);
                None
            }
        };
        let proposed = source.propose(d, seed, evaluations, &mut value);
        if let Some(error) = end {
            return Err(error);
        }
        if let Some(unit) = proposed {
            let x = search.point(&unit);
            search.descend(&x)?;
        }
        if search.spent() == before {
            return Ok(());
        }
        evaluations = (evaluations as f64 * GROWTH) as u64;
    }
}
