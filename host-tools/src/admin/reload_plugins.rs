//! Reading plugins again.

use tool_core::convert;

use crate::prelude::*;

pub(crate) struct ReloadPlugins;

/// Read plugins and configuration again. Calls that run end as they began; what changed holds for calls that begin later. When
/// something is wrong, everything is said and what held before stays.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {}

/// What changed.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Output {
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
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "nothing changed",
        args: "{}",
        output: r#"{
            "added": [], "removed": [], "changed": [], "broken": [], "configuration": false,
            "generation": "0000000000000000000000000000000000000000000000000000000000000000"
        }"#,
    }];
}
