//! Extents of arrays: what tools state is true of real calls, plans that cannot fit are refused, and no plan that runs is.

mod plans;
mod random;
mod stated;

use chain_runtime::{CheckedPlan, Plan, PlanProblems};
use mathchain::{CallContext, Toolkit};
use tool_core::{AnyTool, Ctx, Object, ToolError, Value, json};

pub(crate) use stated::calls;

pub(crate) fn tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    let families = mathchain::tool_families();
    families
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
}

fn tool(id: &str) -> &'static dyn AnyTool {
    let found = tools().find(|tool| tool.spec().id == id);
    found.unwrap_or_else(|| panic!("no tool `{id}`"))
}

pub(crate) fn value(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).expect("JSON")
}

pub(crate) fn run(tool: &dyn AnyTool, args: &Value) -> Result<Value, ToolError> {
    tool.decode(args)?.run(&Ctx::default())
}

thread_local! {
    static TOOLKIT: Toolkit = Toolkit::builder().build().expect("builds");
}

fn check(plan: &Plan, inputs: &Object) -> Result<CheckedPlan, PlanProblems> {
    TOOLKIT.with(|toolkit| {
        toolkit.check(
            &CallContext::default(),
            plan,
            inputs,
            chain_runtime::CheckMode::Run,
        )
    })
}
