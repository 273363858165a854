//! The tools of a plan, each looked up once, and their facts.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use registry::{CallerContext, PolicyDecision};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Caller, ToolError, Value, json, present};

use super::checker::{PlanChecker, SUGGESTIONS_MAX};
use crate::problem::{Fault, PlanProblem, problem};
use crate::reference::ReferenceSegment;
use crate::shapes::ToolShapes;
use crate::template::ArgumentNode;
use crate::types::{SchemaTypes, Type};

impl<'d> PlanChecker<'d> {
    /// The tool of a step; a tool that is refused is reported for every step that names it.
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
                self.report(PlanProblem {
                    pointer: pointer.to_owned(),
                    ..problem.clone()
                });
                None
            }
        }
    }

    /// Whether a tool is unknown and enough suggestions were made already.
    fn is_just_unknown(&mut self, name: &str) -> bool {
        if self.dispatcher.catalogue().get(name).is_some() {
            return false;
        }
        self.found.suggestions += 1;
        self.found.suggestions > SUGGESTIONS_MAX
    }

    fn find(&mut self, name: &str) -> Result<Rc<ToolFacts<'d>>, PlanProblem> {
        if self.is_just_unknown(name) {
            return Err(problem!(UnknownTool, "", "no tool named `{name}`"));
        }
        match self.dispatcher.resolve(name, &self.context) {
            Ok(tool) if tool.spec().callers.contains(&Caller::Chain) => {
                let (input, output) = (tool.input_schema(), tool.output_schema());
                let present = present::condition_fields(&output).unwrap_or_default();
                let deciding = present
                    .iter()
                    .flat_map(present::ConditionalField::arguments);
                let default_of = |name: &str| {
                    let stated = input.get("properties")?.get(name)?.get("default")?;
                    let value = json::parse_json(&stated.to_string(), json::JsonLimits::default());
                    Some((name.to_owned(), value.ok()?))
                };
                let defaults = deciding.filter_map(default_of).collect();
                Ok(Rc::new(ToolFacts {
                    tool,
                    shapes: ToolShapes::of(&input, &output).unwrap_or_default(),
                    present,
                    defaults,
                    input,
                    slots: SchemaTypes::default(),
                    output: Type::of_schema(&output),
                    strictest: self.dispatcher.preview(tool, None, &self.context),
                }))
            }
            Ok(tool) => Err(blocked_tool_problem(tool.spec().id)),
            Err(err) => Err(self.refused(name, &err)),
        }
    }

    /// A tool that is visible to direct callers only is blocked; any other error is the registry's.
    fn refused(&self, name: &str, err: &ToolError) -> PlanProblem {
        let direct = CallerContext {
            chain: None,
            ..self.context.clone()
        };
        if let Ok(tool) = self.dispatcher.resolve(name, &direct)
            && !tool.spec().callers.contains(&Caller::Chain)
        {
            return blocked_tool_problem(tool.spec().id);
        }
        let fault = match err.code() {
            tool_core::ErrorCode::UnknownTool => Fault::UnknownTool,
            _ => Fault::Policy,
        };
        PlanProblem::of_error(fault, "", err)
    }
}

fn blocked_tool_problem(tool: &str) -> PlanProblem {
    let why = "it does not list `chain` among its callers";
    problem!(BlockedTool, ""; "`{tool}` cannot be used in a plan: {why}"; "call `{tool}` directly")
}

/// Facts of a tool, collected once per plan.
pub(crate) struct ToolFacts<'d> {
    pub(super) tool: &'d dyn AnyTool,
    pub(super) input: Schema,
    pub(super) slots: SchemaTypes,
    pub(super) output: Type,
    pub(super) shapes: ToolShapes,
    /// Parts of the result whose presence depends on arguments.
    pub(super) present: Vec<present::ConditionalField>,
    /// Defaults of those arguments.
    pub(super) defaults: HashMap<String, Value>,
    /// The strictest verdict that could come.
    pub(super) strictest: PolicyDecision,
}

impl ToolFacts<'_> {
    /// Type of the result of a call with these arguments.
    pub(super) fn gives(&self, args: &ArgumentNode) -> Type {
        if matches!(args, ArgumentNode::Reference(_) | ArgumentNode::Format(_)) {
            return self.output.clone();
        }
        let argument = |name: &str| match args.pointer(&format!("/{name}")) {
            Some(node) => node.literal().cloned(),
            None => Some(self.defaults.get(name).cloned().unwrap_or_default()),
        };
        let there = self.present.iter();
        let there = there.filter(|field| field.is_there(&argument));
        there.fold(self.output.clone(), |output, field| {
            output.with_present(&field.path)
        })
    }

    /// Arguments for which a part of the result is present, where the tool states them.
    pub(super) fn condition(&self, segments: &[ReferenceSegment]) -> Option<&Schema> {
        let of_map = segments
            .iter()
            .take_while(|one| !matches!(one, ReferenceSegment::Field(_)));
        let segments = &segments[of_map.count()..];
        let is_field = |(name, segment): (&Arc<str>, &ReferenceSegment)| matches!(segment, ReferenceSegment::Field(found) if found == name);
        let is_on_the_way = |field: &&present::ConditionalField| {
            field.path.len() <= segments.len() && field.path.iter().zip(segments).all(is_field)
        };
        Some(self.present.iter().find(is_on_the_way)?.stated())
    }
}
