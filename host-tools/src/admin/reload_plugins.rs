//! Reading plugins again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{
    Caller, Capability, Category, Ctx, Determinism, Effect, Example, Permission, Spec, Tool,
    ToolError, convert,
};

/// Reads plugins and configuration again.
pub struct ReloadPlugins;

/// Read plugins and configuration again. Calls that run end as they began; what changed holds for calls that begin later. When
/// something is wrong, everything is said and what held before stays.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {}

/// What changed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    /// Plugins that are new.
    pub added: Vec<String>,
    /// Plugins that are gone.
    pub removed: Vec<String>,
    /// Plugins whose files, settings or status changed.
    pub changed: Vec<String>,
    /// Plugins that cannot be read since; `mathchain plugins list` says why.
    pub broken: Vec<String>,
    /// Whether the configuration changed.
    pub configuration: bool,
    /// Digest of the policy that holds now.
    pub generation: String,
}

impl Tool for ReloadPlugins {
    const SPEC: Spec = Spec {
        id: "reload_plugins",
        title: "Read plugins again",
        category: Category::System,
        tags: &["plugin"],
        effects: &[Effect::SystemState],
        permissions: &[Permission::Compute],
        capabilities: &[Capability::Reload],
        determinism: Determinism::External,
        callers: &[Caller::Direct],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(_: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let reloaded = ctx.reload()?()?;
        convert::from_value(&reloaded).map_err(|problem| {
            ToolError::new(tool_core::ErrorCode::Internal, problem.message).at(problem.path)
        })
    }

    /// Nothing changed since the start.
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "nothing changed",
            args: Args {},
            output: Output {
                added: Vec::new(),
                removed: Vec::new(),
                changed: Vec::new(),
                broken: Vec::new(),
                configuration: false,
                generation: "0".repeat(64),
            },
        }]
    }
}
