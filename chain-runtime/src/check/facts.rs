//! Facts of a tool that the check of a plan needs, collected once per plan.

use std::collections::HashMap;
use std::sync::Arc;

use registry::Decision;
use tool_core::schema::Schema;
use tool_core::{AnyTool, Value, present};

use crate::reference::Segment;
use crate::shapes::Stated;
use crate::template::Node;
use crate::types::{Slots, Type};

/// Facts of a tool, collected once per plan.
pub(crate) struct ToolFacts<'d> {
    pub(super) tool: &'d dyn AnyTool,
    pub(super) input: Schema,
    pub(super) slots: Slots,
    pub(super) output: Type,
    pub(super) shapes: Stated,
    /// Parts of the result whose presence depends on arguments.
    pub(super) present: Vec<present::Field>,
    /// Defaults of those arguments.
    pub(super) defaults: HashMap<String, Value>,
    /// The strictest verdict that could come.
    pub(super) strictest: Decision,
}

impl ToolFacts<'_> {
    /// Type of the result of a call with these arguments.
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

    /// Arguments for which a part of the result is present, where the tool states them.
    pub(super) fn condition(&self, segments: &[Segment]) -> Option<&Schema> {
        let of_map = segments
            .iter()
            .take_while(|one| !matches!(one, Segment::Field(_)));
        let segments = &segments[of_map.count()..];
        let is_field = |(name, segment): (&Arc<str>, &Segment)| matches!(segment, Segment::Field(found) if found == name);
        let is_on_the_way = |field: &&present::Field| {
            field.path.len() <= segments.len() && field.path.iter().zip(segments).all(is_field)
        };
        Some(self.present.iter().find(is_on_the_way)?.stated())
    }
}
