//! State of the check of one plan; the passes over it are in the other files.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use registry::{CallerContext, Dispatcher};
use tool_core::rng::derive_seed;
use tool_core::{Seed, Value};

use super::facts::ToolFacts;
use super::taint::Interpolated;
use super::writes::Written;
use crate::graph::Edge;
use crate::plan::{Approval, Plan};
use crate::problem::{PlanProblem, Problems};
use crate::shapes::{Id, Solver};
use crate::types::Type;

/// Most notes that are kept.
pub(super) const NOTES_MAX: usize = 1000;
/// Most names that are looked for the nearest of; looking is the dearest part of a report.
pub(super) const SUGGESTIONS_MAX: usize = 50;

/// The surroundings of a plan that is checked.
pub(super) struct How {
    /// Name and digest of the plans that run it, outermost first, and of itself.
    pub(super) around: Vec<(Arc<str>, String)>,
    /// Whether a run of it is resumed.
    pub(super) resumes: bool,
    /// Taint of the inputs, from the plan that runs this one.
    pub(super) taints: HashMap<Arc<str>, Interpolated>,
}

pub(super) struct Checker<'d> {
    pub(super) plan: &'d Plan,
    pub(super) dispatcher: &'d Dispatcher,
    pub(super) context: CallerContext,
    pub(super) inputs: Value,
    /// Inputs whose values come later, by their types.
    pub(super) open_inputs: HashMap<Arc<str>, Type>,
    pub(super) how: How,
    pub(super) index: HashMap<Arc<str>, usize>,
    /// None for a tool that may not be in the plan, reported where it was met first.
    pub(super) tools: HashMap<Arc<str>, Result<Rc<ToolFacts<'d>>, PlanProblem>>,
    /// By step; `None` where the tool is not known or not allowed.
    pub(super) facts: Vec<Option<Rc<ToolFacts<'d>>>>,
    /// By step, the type of what it gives.
    pub(super) outputs: Vec<Option<Type>>,
    /// Extents of arrays, of all steps so far.
    pub(super) solver: Solver,
    /// By step, what is known of the arrays it gives.
    pub(super) shaped: Vec<Shaped>,
    /// Calls that are known to come: steps, and elements of lists that the plan holds.
    pub(super) units: usize,
    /// Their `cost_ms` together.
    pub(super) cost: u64,
    /// The same of the plans within this one.
    pub(super) within: (usize, u64),
    /// What earlier steps may write.
    pub(super) written: Written,
    /// By step, the steps it waits for, later ones included.
    pub(super) waits: Vec<Vec<usize>>,
    pub(super) edges: Vec<Edge>,
    /// The first step whose resources the plan does not tell, and why that matters.
    pub(super) unnamed: Option<String>,
    pub(super) problems: Problems,
    pub(super) notes: Vec<String>,
    pub(super) suggestions: usize,
}

/// Where a call stands in the plan.
pub(super) struct Site {
    pub(super) position: usize,
    /// JSON pointer of its arguments.
    pub(super) base: String,
    pub(super) approval: Approval,
    /// Whether it undoes the step instead of being it.
    pub(super) undoing: bool,
    /// What of its arguments the plan puts together.
    pub(super) taint: Interpolated,
}

/// What is known of the arrays that a step gives.
#[derive(Debug, Default)]
pub(super) struct Shaped {
    /// Whether it runs whenever no step before it ended the chain.
    pub(super) runs: bool,
    /// Whether its failure ends the chain, so that whatever uses it can count on it.
    pub(super) ends: bool,
    /// By field of its tool's result.
    pub(super) outputs: Vec<Option<Id>>,
    /// The number of its calls, with a map.
    pub(super) elements: Option<Id>,
}

/// What is known of the elements.
pub(super) struct Mapped {
    pub(super) name: Arc<str>,
    pub(super) item: Type,
    /// What of some element the plan puts together.
    pub(super) taint: Interpolated,
    /// The elements, where the plan holds them.
    pub(super) items: Option<Vec<Value>>,
}

impl Mapped {
    /// What the plan puts together of what a root means inside the map.
    pub(super) fn taint(&self, root: &str) -> Option<&Interpolated> {
        (*root == *self.name).then_some(&self.taint)
    }

    /// The type of what a root means inside the map.
    pub(super) fn of(&self, root: &str) -> Option<Type> {
        match root {
            "index" => Some(Type::Integer),
            name if *name == *self.name => Some(self.item.clone()),
            _ => None,
        }
    }
}

/// The seed of one call: from the plan's, the step's id and the element's index.
pub(crate) fn item_seed(seed: Seed, id: &str, index: u64) -> Seed {
    Seed::new(derive_seed(seed.get(), id, index))
}
