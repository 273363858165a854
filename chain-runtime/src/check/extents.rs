//! Extents across the plan: steps that certainly run are solved together; those that may not run are tried and rolled back.

use std::sync::Arc;

use super::checked::CheckedStep;
use super::checker::{PlanChecker, ResolvedCall};
use crate::plan::{OnError, OnItemError};
use crate::problem::{Fault, PlanProblem};
use crate::reference::{PlanReference, ReferenceSegment};
use crate::shapes::{
    ExtentAxis, ExtentOrigin, ShapeCall, ShapeCallSite, ShapeId, ShapeSolver, element_type,
    shape_of_node,
};

impl PlanChecker<'_> {
    /// Solves the extents of the arrays of a step whose arguments have no other problem.
    pub(super) fn extents(&mut self, called: ResolvedCall<'_>, checked: &CheckedStep) {
        let ResolvedCall { site, facts, types } = called;
        if facts.shapes.is_empty() {
            return;
        }
        let step = &self.plan.steps[site.position];
        let map = checked.map.as_ref();
        let counted = map.map_or(Some(1), crate::plan::StepMap::elements);
        let sure = self.shaped[site.position].runs && counted != Some(0) && counted.is_some();
        let collects = map.is_some_and(|map| map.on_item_error == OnItemError::Collect);
        let lasts = sure && self.shaped[site.position].ends && !collects;
        let mut solver = std::mem::take(&mut self.solver);
        if !lasts {
            solver.mark();
        }
        let (item, elements) = match map {
            Some(map) => {
                let base = format!("/steps/{}/map/over", site.position);
                let over = shape_of_node(&mut solver, &map.over, &base, &mut |solver, placed| {
                    let known = placed.default.is_none().then_some(&placed.reference)?;
                    self.leads_to(solver, known)
                });
                let parts = over.and_then(|over| solver.part(over));
                let elements = match counted {
                    Some(count) => {
                        let axis = ExtentAxis::Entries;
                        let pointer = base.into();
                        solver.size(count as u64, ExtentOrigin { pointer, axis })
                    }
                    None => parts.map_or_else(|| solver.open(None), |(elements, _)| elements),
                };
                (parts.map(|(_, item)| item), Some(elements))
            }
            None => (None, None),
        };
        let place = ShapeCallSite {
            tool: facts.tool.spec().id,
            step: site.position,
            base: &site.base,
        };
        let mut call = ShapeCall::new(place, &facts.shapes, &checked.args);
        let misfits = call.arguments(&mut solver, &mut |solver, placed| {
            let walked = types.get(placed.pointer.as_str())?.as_ref()?;
            if walked.maybe || walked.gaps.is_some() || placed.default.is_some() {
                return None; // another value may replace it
            }
            let reference = &placed.reference;
            match map.filter(|map| *map.name == *reference.root()) {
                Some(_) => project_shape(solver, item?, reference.segments()),
                None => self.leads_to(solver, reference),
            }
        });
        let outputs = call.outputs(&mut solver);
        if !lasts {
            solver.take_back();
        }
        self.solver = solver;
        for misfit in misfits {
            let slot = misfit.pointer.strip_prefix(&site.base).unwrap_or_default();
            let mut input = checked.from_inputs.iter();
            let input = input.find(|(pointer, _)| pointer == slot);
            let from = input.map(|(_, input)| format!(" (`{slot}` is `{input}`)"));
            let message = misfit.message + &from.unwrap_or_default();
            if sure {
                let problem = PlanProblem::new(Fault::Shape, misfit.pointer, message);
                self.report(problem.hint("change one of the two arrays, or what is between them"));
            } else {
                let (pointer, id) = (&misfit.pointer, &step.id);
                self.note(format!("{pointer}: if `{id}` runs, it fails: {message}"));
            }
        }
        let shaped = &mut self.shaped[site.position];
        (shaped.outputs, shaped.elements) = (outputs, elements);
    }

    /// Determines whether a step runs in every run that gets this far, and whether its failure ends the run.
    pub(super) fn certainty(&mut self, position: usize, checked: &CheckedStep) {
        let after = self.plan.steps[position].after.iter();
        let waits = after
            .filter_map(|id| self.index.get(id))
            .chain(&checked.uses);
        let relied = |&step: &usize| {
            let shaped = self.shaped.get(step);
            step < position && shaped.is_some_and(|shaped| shaped.runs && shaped.ends)
        };
        let is_sure = self.plan.steps[position].when.is_none();
        let runs = is_sure && waits.copied().all(|step| relied(&step));
        let shaped = &mut self.shaped[position];
        (shaped.runs, shaped.ends) = (runs, checked.on_error == OnError::FailChain);
    }

    /// Shape of the value of a reference to a step.
    fn leads_to(&self, solver: &mut ShapeSolver, reference: &PlanReference) -> Option<ShapeId> {
        let target = *self.index.get(reference.root())?;
        let (shaped, facts) = (self.shaped.get(target)?, self.facts[target].as_ref()?);
        let mut segments = reference.segments();
        let mut each = None;
        if let Some(elements) = shaped.elements {
            match segments.first()? {
                ReferenceSegment::Each => each = Some(elements),
                ReferenceSegment::Index(_) => {}
                ReferenceSegment::Field(_) => return None,
            }
            segments = &segments[1..];
        }
        let named = |path: &[Arc<str>]| {
            let names = segments.iter().map(|segment| match segment {
                ReferenceSegment::Field(name) => Some(name),
                _ => None,
            });
            path.len() <= segments.len() && path.iter().zip(names).all(|(a, b)| Some(a) == b)
        };
        let mut fields = facts.shapes.output.iter().zip(&shaped.outputs);
        let (field, shape) = fields.find(|(field, _)| named(&field.path))?;
        let mut shape = (*shape)?;
        if shaped.elements.is_some() {
            shape = solver.known_part(shape); // every call of a map has its own arrays
        }
        let inner = project_shape(solver, shape, &segments[field.path.len()..])?;
        Some(match each {
            Some(elements) => solver.list(&[elements], inner),
            None => inner,
        })
    }

    /// Records the shapes of the arrays in the result of every step that are stated and always present.
    pub(super) fn record_shapes(&mut self, steps: &mut [CheckedStep]) {
        let mut solver = std::mem::take(&mut self.solver);
        let id_of = |step: usize| Arc::clone(&self.plan.steps[step].id);
        for (position, step) in steps.iter_mut().enumerate() {
            let (Some(facts), shaped) = (&self.facts[position], &self.shaped[position]) else {
                continue;
            };
            let each = shaped.elements.map(|_| ReferenceSegment::Each).into_iter();
            let is_there = |path: &[Arc<str>]| {
                let fields = path.iter().cloned().map(ReferenceSegment::Field);
                let way: Vec<ReferenceSegment> = each.clone().chain(fields).collect();
                let walked = self.outputs[position].as_ref()?.walk(&way).ok()?;
                Some(!walked.maybe && walked.gaps.is_none())
            };
            let fields = facts.shapes.output.iter().zip(&shaped.outputs);
            for (field, shape) in fields.filter(|(field, _)| is_there(&field.path) == Some(true)) {
                let Some(mut shape) = *shape else { continue };
                if let Some(elements) = shaped.elements {
                    shape = solver.known_part(shape);
                    shape = solver.list(&[elements], shape);
                }
                let extents = solver.write(shape, position, &id_of);
                let text = format!("{}{extents}", element_type(field));
                step.gives.push((field.path.join("."), text));
            }
        }
    }
}

/// The shape of a part of an array: an index drops an axis, `[*]` keeps it.
fn project_shape(
    solver: &mut ShapeSolver,
    shape: ShapeId,
    segments: &[ReferenceSegment],
) -> Option<ShapeId> {
    let mut kept = Vec::new();
    let mut current = shape;
    for segment in segments {
        if matches!(segment, ReferenceSegment::Field(_)) {
            return None;
        }
        let (extent, below) = solver.part(current)?;
        if *segment == ReferenceSegment::Each {
            kept.push(extent);
        }
        current = below;
    }
    Some(solver.list(&kept, current))
}
