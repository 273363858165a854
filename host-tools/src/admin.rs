//! Administration of the running toolkit.

use tool_core::convert;

use crate::prelude::*;

/// The tools of this family.
pub(crate) static TOOLS: &[ErasedTool] = &[tool_entry::<ReloadPlugins>()];

/// Reload plugins and configuration. Running calls are unaffected; changes apply to later calls. On errors, all of them are reported and
/// the previous generation remains in force.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct ReloadPlugins {}

/// The changes of a reload.
#[derive(Debug, Encode, Decode, Describe)]
pub(crate) struct Output {
    /// New plugins.
    pub added: Vec<String>,
    /// Removed plugins.
    pub removed: Vec<String>,
    /// Plugins whose files, settings or status changed.
    pub changed: Vec<String>,
    /// Plugins that no longer load; `mathchain plugins list` shows the reason.
    pub broken: Vec<String>,
    /// Whether the configuration changed.
    pub configuration: bool,
    /// Digest of the policy in force.
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
    type Output = Output;

    fn run(_: ReloadPlugins, ctx: &Ctx) -> Result<Output> {
        let reloaded = ctx.reload()?()?;
        convert::from_value(&reloaded).map_err(|problem| {
            ToolError::new(ErrorCode::Internal, problem.message).at(problem.path)
        })
    }

    /// Without a change since the start.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "nothing changed": "{}" => r#"{
            "added": [], "removed": [], "changed": [], "broken": [], "configuration": false,
            "generation": "0000000000000000000000000000000000000000000000000000000000000000"
        }"#;
    };
}
