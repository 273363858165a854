//! The tools of a plan, each looked up once.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use registry::{CallerContext, Decision};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Caller, ToolError, Value, json, present};

use super::{Checker, SUGGESTIONS_MAX};
use crate::problem::{Fault, PlanProblem};
use crate::reference::Segment;
use crate::shapes::Stated;
use crate::template::Node;
use crate::types::{Slots, Type};

/// What is known of a tool, once per plan.
pub(crate) struct ToolFacts<'d> {
    pub(super) tool: &'d dyn AnyTool,
    pub(super) input: Schema,
    pub(super) slots: Slots,
    pub(super) output: Type,
    pub(super) shapes: Stated,
    /// Parts of the result that arguments make present.
    present: Vec<present::Field>,
    /// What those arguments are where they are left out.
    defaults: HashMap<String, Value>,
    /// The strictest verdict that could come.
    pub(super) strictest: Decision,
}

impl ToolFacts<'_> {
    /// The type of what a call with these arguments gives.
    pub(super) fn gives(&self, args: &Node) -> Type {
        if matches!(args, Node::Reference(_) | Node::Format(_)) {
            return self.output.clone();
        }
        let argument = |name: &str| match args.pointer(&format!("/{name}")) {
            Some(node) => node.literal().cloned(),
            None => Some(self.defaults.get(name).cloned().unwrap_or_default()),
        };
        let there = self
            .present
            .iter()
            .filter(|field| field.is_there(&argument));
        there.fold(self.output.clone(), |output, field| {
            output.with_present(&field.path)
        })
    }

    /// For which arguments a part of the result is there, where the tool states that.
    pub(super) fn condition(&self, segments: &[Segment]) -> Option<&Schema> {
        let of_map = segments
            .iter()
            .take_while(|one| !matches!(one, Segment::Field(_)));
        let segments = &segments[of_map.count()..];
        let is_on_the_way = |field: &&present::Field| {
            field.path.len() <= segments.len()
                && field.path.iter().zip(segments).all(
                    |(name, segment)| matches!(segment, Segment::Field(found) if found == name),
                )
        };
        Some(self.present.iter().find(is_on_the_way)?.stated())
    }
}

impl<'d> Checker<'d> {
    /// The tool of a step; what keeps it out is reported for every step that names it.
    pub(super) fn facts_of(&mut self, name: &Arc<str>, pointer: &str) -> Option<Rc<ToolFacts<'d>>> {
        if name.is_empty() {
            return None; // reported with the form
        }
        if !self.tools.contains_key(name) {
            let found = self.find(name);
            self.tools.insert(Arc::clone(name), found);
        }
        match self.tools.get(name)? {
            Ok(facts) => Some(Rc::clone(facts)),
            Err(problem) => {
                self.problems.push(PlanProblem {
                    pointer: pointer.to_owned(),
                    ..problem.clone()
                });
                None
            }
        }
    }

    /// A tool that nobody has, once as many names were looked for as anybody reads.
    fn is_just_unknown(&mut self, name: &str) -> bool {
        if self.dispatcher.catalogue().get(name).is_some() {
            return false;
        }
        self.suggestions += 1;
        self.suggestions > SUGGESTIONS_MAX
    }

    fn find(&mut self, name: &str) -> Result<Rc<ToolFacts<'d>>, PlanProblem> {
        if self.is_just_unknown(name) {
            let message = format_args!("no tool named `{name}`");
            return Err(PlanProblem::new(Fault::UnknownTool, "", message));
        }
        match self.dispatcher.resolve(name, &self.context) {
            Ok(tool) if tool.spec().callers.contains(&Caller::Chain) => {
                let (input, output) = (tool.input_schema(), tool.output_schema());
                let present = present::fields(&output).unwrap_or_default();
                let deciding = present.iter().flat_map(present::Field::arguments);
                let default_of = |name: &str| {
                    let stated = input.get("properties")?.get(name)?.get("default")?;
                    let value = json::parse(&stated.to_string(), json::Limits::default());
                    Some((name.to_owned(), value.ok()?))
                };
                let defaults = deciding.filter_map(default_of).collect();
                Ok(Rc::new(ToolFacts {
                    tool,
                    shapes: Stated::of(&input, &output).unwrap_or_default(),
                    present,
                    defaults,
                    input,
                    slots: Slots::default(),
                    output: Type::of_schema(&output),
                    strictest: self.dispatcher.preview(tool, None, &self.context),
                }))
            }
            Ok(tool) => Err(blocked("", tool.spec().id)),
            Err(err) => Err(self.refused("", name, &err)),
        }
    }

    /// A tool that a direct caller sees and a chain does not is blocked; anything else is what the registry says.
    fn refused(&self, pointer: &str, name: &str, err: &ToolError) -> PlanProblem {
        let direct = CallerContext {
            chain: None,
            ..self.context.clone()
        };
        if let Ok(tool) = self.dispatcher.resolve(name, &direct)
            && !tool.spec().callers.contains(&Caller::Chain)
        {
            return blocked(pointer, tool.spec().id);
        }
        let fault = match err.code() {
            tool_core::ErrorCode::UnknownTool => Fault::UnknownTool,
            _ => Fault::Policy,
        };
        PlanProblem {
            hint: err.hint_str().map(str::to_owned),
            ..PlanProblem::new(fault, pointer, err.message())
        }
    }
}

fn blocked(pointer: &str, tool: &str) -> PlanProblem {
    PlanProblem::new(
        Fault::BlockedTool,
        pointer,
        format_args!("`{tool}` may not be in a plan: it does not list `chain` among its callers"),
    )
    .hint(format_args!("call `{tool}` directly"))
}
