//! The methods and reasons that `optimize_global` names.

use std::cell::RefCell;

use numerics::optimise::{GlobalEnd, GlobalMethod, GlobalPointSource};
use second_opinions::cube::{CubeSearch, search_cube};
use tool_core::{Decode, Describe, Encode};

/// The method.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimizeGlobalMethod {
    /// The methods that suit the objective, in turn.
    #[default]
    Auto,
    /// Differential evolution with adapted settings and a shrinking population.
    DifferentialEvolution,
    /// Evolution of a normal distribution, with restarts of two kinds.
    CmaEs,
    /// Local searches from many points.
    Multistart,
    /// Local searches from displacements of the best minimum.
    BasinHopping,
    /// Generalised simulated annealing with local searches.
    DualAnnealing,
    /// The standard particle swarm of 2011 (by `argmin`), and local searches from what it finds.
    ParticleSwarm,
    /// Simulated annealing with an exponential schedule (by `argmin`), and local searches from what it finds.
    SimulatedAnnealing,
}

/// Who proposes the points of a search.
pub(super) enum GlobalSearchMethod {
    /// A method of `numerics`.
    Native(GlobalMethod),
    /// A search of another library, from whose points local searches start.
    Proposed(CubeSearchSource),
}

impl OptimizeGlobalMethod {
    pub(super) fn search_method(self) -> GlobalSearchMethod {
        use GlobalSearchMethod::{Native, Proposed};
        match self {
            Self::Auto => Native(GlobalMethod::Auto),
            Self::DifferentialEvolution => Native(GlobalMethod::DifferentialEvolution),
            Self::CmaEs => Native(GlobalMethod::CmaEs),
            Self::Multistart => Native(GlobalMethod::Multistart),
            Self::BasinHopping => Native(GlobalMethod::BasinHopping),
            Self::DualAnnealing => Native(GlobalMethod::DualAnnealing),
            Self::ParticleSwarm => Proposed(CubeSearchSource(CubeSearch::ParticleSwarm)),
            Self::SimulatedAnnealing => Proposed(CubeSearchSource(CubeSearch::SimulatedAnnealing)),
        }
    }
}

/// A search of `argmin` as a source of points.
pub(super) struct CubeSearchSource(CubeSearch);

impl GlobalPointSource for CubeSearchSource {
    fn propose(
        &mut self,
        dimension: usize,
        seed: u64,
        evaluations: u64,
        value: &mut dyn FnMut(&[f64]) -> Option<f64>,
    ) -> Option<Vec<f64>> {
        let value = RefCell::new(value);
        let objective = |unit: &[f64]| (*value.borrow_mut())(unit);
        search_cube(self.0, &objective, dimension, seed, evaluations)
    }
}

/// Reason a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum OptimizeGlobalReason {
    /// Many independent searches ended at the best value before the budget was used up.
    Agreement,
    /// `max_evals` was used up.
    MaxEvals,
}

impl From<GlobalEnd> for OptimizeGlobalReason {
    fn from(end: GlobalEnd) -> Self {
        match end {
            GlobalEnd::Agreement => Self::Agreement,
            GlobalEnd::MaxEvaluations => Self::MaxEvals,
        }
    }
}
