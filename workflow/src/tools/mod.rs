//! The tools of workflows: one for each command, declared in its file of [`crate::commands`], and those that read. A tool decides on the newest state, writes its events, and then
//! the files below `workflow/` that show them.

mod advance;
mod changes;
pub mod examples;
pub mod governance;
pub mod log;
mod reads;
mod spawn;
mod transitions;
mod views;

use tool_core::{Capability, Category, Determinism, ErasedTool, Permission, Spec, tool_entry};

use crate::commands::{self, with_commands};

/// Defines [`TOOLS`] from the list of commands.
macro_rules! define_tools {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        /// The tools of this family, in the order of the documentation.
        pub static TOOLS: &[ErasedTool] = &[$(
            $(tool_entry::<commands::$transition>(),)?
            $(tool_entry::<commands::$tool>(),)?
            $(tool_entry::<$module::$other>(),)?
        )+];
    };
}
with_commands!(define_tools);

/// What the tools that read share.
const READS: Spec = Spec {
    category: Category::Workflow,
    tags: &["workflow", "items"],
    permissions: &[Permission::Workflow],
    capabilities: &[Capability::Events],
    determinism: Determinism::External,
    ..Spec::pure()
};
