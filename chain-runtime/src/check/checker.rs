//! State of the check of one plan; the passes over it are in the other files.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use registry::{CallerContext, Dispatcher};
use tool_core::rng::derive_seed;
use tool_core::{RandomSeed, Value};

use super::access::EarlierWrites;
use super::taint::InterpolationTaint;
use super::tools::ToolFacts;
use crate::graph::PlanEdge;
use crate::plan::{Approval, Plan};
use crate::problem::{PlanProblem, PlanProblems};
use crate::shapes::{ShapeId, ShapeSolver};
use crate::types::{ReferenceTarget, Type};

/// Maximum number of notes.
pub(super) const NOTES_MAX: usize = 1000;
/// Maximum number of suggestions of near names, the most expensive part of a report.
pub(super) const SUGGESTIONS_MAX: usize = 50;

/// The surroundings of a plan that is checked.
pub(super) struct CheckContext {
    /// Name and digest of the plans that run it, outermost first, and of itself.
    pub(super) around: Vec<(Arc<str>, String)>,
    /// Whether a run of it is resumed.
    pub(super) resumes: bool,
    /// Taint of the inputs, from the plan that runs this one.
    pub(super) taints: HashMap<Arc<str>, InterpolationTaint>,
}

pub(super) struct PlanChecker<'d> {
    pub(super) plan: &'d Plan,
    pub(super) dispatcher: &'d Dispatcher,
    pub(super) context: CallerContext,
    pub(super) inputs: Value,
    /// Types of the inputs whose values are not known yet.
    pub(super) open_inputs: HashMap<Arc<str>, Type>,
    pub(super) how: CheckContext,
    pub(super) index: HashMap<Arc<str>, usize>,
    /// Tools by name; an error for one that cannot be used in the plan.
    pub(super) tools: HashMap<Arc<str>, Result<Rc<ToolFacts<'d>>, PlanProblem>>,
    /// Facts by step; `None` where the tool is unknown or not allowed.
    pub(super) facts: Vec<Option<Rc<ToolFacts<'d>>>>,
    /// Type of the result by step.
    pub(super) outputs: Vec<Option<Type>>,
    /// Extents of arrays, of all steps so far.
    pub(super) solver: ShapeSolver,
    /// Shapes of the arrays in the result, by step.
    pub(super) shaped: Vec<StepShapes>,
    /// Dependencies by step, later steps included.
    pub(super) waits: Vec<Vec<usize>>,
    pub(super) problems: PlanProblems,
    pub(super) found: PlanFindings,
}

/// Findings of the passes over a plan.
#[derive(Default)]
pub(super) struct PlanFindings {
    /// Number of known calls: steps, and elements of literal lists.
    pub(super) units: usize,
    /// Their `cost_ms` together.
    pub(super) cost: u64,
    /// Number and `cost_ms` of the calls of nested plans.
    pub(super) within: (usize, u64),
    /// Resources that earlier steps may write.
    pub(super) written: EarlierWrites,
    pub(super) edges: Vec<PlanEdge>,
    /// Why the plan cannot be ordered by resources: the first step that names none.
    pub(super) unnamed: Option<String>,
    pub(super) notes: Vec<String>,
    pub(super) suggestions: usize,
}

impl PlanChecker<'_> {
    pub(super) fn report(&mut self, problem: PlanProblem) {
        self.problems.push(problem);
    }
}

/// Types of the references of a call, by pointer; `None` where a problem is reported already.
pub(super) type Types = HashMap<String, Option<ReferenceTarget>>;

/// A call with the facts of its tool and the types of its references.
#[derive(Clone, Copy)]
pub(super) struct ResolvedCall<'a> {
    pub(super) site: &'a StepSite,
    pub(super) facts: &'a ToolFacts<'a>,
    pub(super) types: &'a Types,
}

/// Location of a call in the plan.
#[derive(Default)]
pub(super) struct StepSite {
    pub(super) position: usize,
    /// JSON pointer of its arguments.
    pub(super) base: String,
    pub(super) approval: Approval,
    /// Whether it is the call that undoes the step.
    pub(super) undoing: bool,
    /// Taint of its arguments.
    pub(super) taint: InterpolationTaint,
}

impl StepSite {
    pub(super) fn new(position: usize, base: String) -> Self {
        Self {
            position,
            base,
            ..Self::default()
        }
    }
}

/// Knowledge about the arrays in the result of a step.
#[derive(Debug, Default)]
pub(super) struct StepShapes {
    /// Whether it runs in every run that no earlier step has ended.
    pub(super) runs: bool,
    /// Whether its failure ends the run, so that its dependents can rely on it.
    pub(super) ends: bool,
    /// Shapes by field of the tool's result.
    pub(super) outputs: Vec<Option<ShapeId>>,
    /// The number of its calls, with a map.
    pub(super) elements: Option<ShapeId>,
}

/// Knowledge about the elements of a map.
pub(super) struct MapElement {
    pub(super) name: Arc<str>,
    pub(super) item: Type,
    /// Taint of any element.
    pub(super) taint: InterpolationTaint,
    /// The elements, where they are literal.
    pub(super) items: Option<Vec<Value>>,
}

impl MapElement {
    /// Taint of a root of references inside the map.
    pub(super) fn taint(&self, root: &str) -> Option<&InterpolationTaint> {
        (*root == *self.name).then_some(&self.taint)
    }

    /// Type of a root of references inside the map.
    pub(super) fn of(&self, root: &str) -> Option<Type> {
        match root {
            "index" => Some(Type::Integer),
            name if *name == *self.name => Some(self.item.clone()),
            _ => None,
        }
    }
}

/// The seed of one call: from the plan's, the step's id and the element's index.
pub(crate) fn item_seed(seed: RandomSeed, id: &str, index: u64) -> RandomSeed {
    RandomSeed::new(derive_seed(seed.get(), id, index))
}
