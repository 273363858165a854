//! The twelve neutral tools that the cases of `tests/conformance/` are about, and a world for them.

use std::sync::Arc;

use fakes::{NumberArgs, RunCommand, TWELVE, TestClock};
use registry::{CallLimits, Catalogue, DispatchHost, Dispatcher, LoadErrors, Policy};
use tool_core::tool::ErasedExample;
use tool_core::{
    AnyTool, Category, Ctx, Determinism, Effect, EffectReach, ErasedTool, ErrorCode, Spec,
    ToolCall, ToolError, Value, tool_entry,
};

fakes::tool!(Calculate(NumberArgs) { id: "calculate", category: Category::Math } = |args, _| {
    tool_core::convert::to_value(&args).map_err(|err| ToolError::new(ErrorCode::Internal, err))
});

/// The twelve; `run_shell` takes a command line, and `calculate` returns its arguments.
fn twelve() -> Vec<ErasedTool> {
    let neutral = |one: &ErasedTool| match one.tool().spec().id {
        "run_shell" => tool_entry::<RunCommand>(),
        "calculate" => tool_entry::<Calculate>(),
        _ => *one,
    };
    TWELVE.iter().map(neutral).collect()
}

/// A tool that a case describes beside the twelve; it takes no arguments.
struct Described(Spec);

impl AnyTool for Described {
    fn spec(&self) -> &Spec {
        &self.0
    }
    fn description(&self) -> String {
        "A tool of one case.".to_owned()
    }
    fn input_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false})
    }
    fn output_schema(&self) -> tool_core::schema::Schema {
        serde_json::json!(true)
    }
    fn examples(&self) -> Vec<ErasedExample> {
        Vec::new()
    }
    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        DescribedCall::check(args, self.0.clone())
    }
}

/// A call of a described tool.
struct DescribedCall(Value, Spec);

impl DescribedCall {
    fn check(args: &Value, spec: Spec) -> Result<Box<dyn ToolCall>, ToolError> {
        match args
            .as_object()
            .is_some_and(|object| object.iter().next().is_none())
        {
            true => Ok(Box::new(Self(args.clone(), spec))),
            false => Err(ToolError::new(
                ErrorCode::InvalidArgs,
                "expected no arguments",
            )),
        }
    }
}

impl ToolCall for DescribedCall {
    fn args(&self) -> &Value {
        &self.0
    }
    fn sources(&self) -> &[tool_core::input::SourceRef] {
        &[]
    }
    fn resources(&self) -> Result<Vec<tool_core::ResourceKey>, ToolError> {
        Ok(Vec::new())
    }
    fn reach(&self) -> EffectReach {
        EffectReach::of(&self.1)
    }
    fn run(self: Box<Self>, _: &Ctx) -> Result<Value, ToolError> {
        Ok(self.0)
    }
}

/// A spec from the words of a case: `{id, category, effects, destructive}`.
fn spec(described: &Value) -> Spec {
    let text = |key: &str| described.get(key).and_then(Value::as_str);
    // Specs are static everywhere else; a handful of short names may stay for the time of the test.
    let id: &'static str = text("id").expect("an id").to_owned().leak();
    let effects: Vec<Effect> = described
        .get("effects")
        .and_then(Value::items)
        .unwrap_or_default()
        .iter()
        .map(|name| Effect::parse(name.as_str().expect("a name")).expect("an effect"))
        .collect();
    let category = text("category").map_or(Category::System, |name| {
        Category::parse(name).expect("a category")
    });
    Spec {
        id,
        title: "described",
        category,
        effects: effects.leak(),
        destructive: described.get("destructive").and_then(Value::as_bool) == Some(true),
        determinism: Determinism::External,
        ..Spec::pure()
    }
}

/// The twelve, and what a case describes beside them.
pub(crate) fn catalogue(described: &[Value]) -> Result<Catalogue, LoadErrors> {
    let more: Vec<Arc<dyn AnyTool>> = described
        .iter()
        .map(|tool| Arc::new(Described(spec(tool))) as Arc<dyn AnyTool>)
        .collect();
    Catalogue::with_plugins(&[&twelve()], &more)
}

/// A dispatcher without files, audit and approvals: what only needs a decision is answered, and nothing has effects.
pub(crate) fn dispatcher(catalogue: Catalogue, policy: Policy) -> Dispatcher {
    Dispatcher::new(
        Arc::new(catalogue),
        Arc::new(policy),
        CallLimits::default(),
        DispatchHost::bare(TestClock::at(1_800_000_000_000)),
    )
    .with_facts(registry::policy::RuntimeFacts::default().with(registry::policy::WORKSPACE_READY))
}
