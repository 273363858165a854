//! [`Fixture`]: a tool of the suite as a row of a table.

use tool_core::input::SourceRef;
use tool_core::schema::Schema;
use tool_core::tool::{EffectReach, ErasedExample, ToolCall};
use tool_core::{AnyTool, Ctx, ToolError, Value};
use tool_core::{Caller, Capability, Category, Determinism, ResourceKey, Spec};

/// A picture of one red pixel.
pub(crate) const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of one sample.
pub(crate) const SAMPLE: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA==";

pub(crate) type Run = fn(&Value, &Ctx) -> Result<Value, ToolError>;

pub(crate) struct Fixture {
    spec: Spec,
    description: &'static str,
    /// Properties of the arguments, as JSON.
    properties: &'static str,
    run: Run,
}

impl Fixture {
    pub(crate) const fn new(id: &'static str, description: &'static str, run: Run) -> Self {
        let spec = Spec {
            category: Category::Workflow,
            capabilities: &[Capability::Client],
            determinism: Determinism::External,
            callers: &[Caller::Direct],
            ..Spec::named(id, id)
        };
        Self {
            spec,
            description,
            properties: "{}",
            run,
        }
    }

    pub(crate) const fn with(mut self, properties: &'static str) -> Self {
        self.properties = properties;
        self
    }

    pub(crate) fn id(&self) -> &'static str {
        self.spec.id
    }
}

impl AnyTool for &'static Fixture {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn description(&self) -> String {
        self.description.to_owned()
    }

    fn input_schema(&self) -> Schema {
        let properties: Schema = serde_json::from_str(self.properties).expect("valid JSON");
        let required: Vec<&String> = properties.as_object().expect("an object").keys().collect();
        serde_json::json!({ "type": "object", "properties": properties, "required": required })
    }

    fn output_schema(&self) -> Schema {
        serde_json::json!({ "type": "object" })
    }

    fn examples(&self) -> Vec<ErasedExample> {
        Vec::new()
    }

    fn decode(&self, args: &Value) -> Result<Box<dyn ToolCall>, ToolError> {
        Ok(Box::new(FixtureCall {
            fixture: self,
            args: args.clone(),
        }))
    }
}

struct FixtureCall {
    fixture: &'static Fixture,
    args: Value,
}

impl ToolCall for FixtureCall {
    fn args(&self) -> &Value {
        &self.args
    }

    fn sources(&self) -> &[SourceRef] {
        &[]
    }

    fn resources(&self) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(Vec::new())
    }

    fn reach(&self) -> EffectReach {
        EffectReach::of(&self.fixture.spec)
    }

    fn run(self: Box<Self>, ctx: &Ctx) -> Result<Value, ToolError> {
        (self.fixture.run)(&self.args, ctx)
    }
}

/// A value that is written here as JSON.
pub(crate) fn json(text: &str) -> Value {
    mathchain::parse_json(text).expect("valid JSON")
}

/// A result with a text.
pub(crate) fn said(text: impl Into<String>) -> Value {
    tool_core::object! { "text" => text.into() }
}
