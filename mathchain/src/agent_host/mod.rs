//! This machine as agents need it: their folders with pipes, files of the home folder, the environment, and the border of the workspace.

#[cfg(target_os = "linux")]
mod border;
#[cfg(target_os = "linux")]
mod exchange;
#[cfg(target_os = "linux")]
mod local;
mod program;

#[cfg(target_os = "linux")]
pub use exchange::join_exchange;
pub use program::program_of_this_process;

use std::path::PathBuf;
use std::sync::Arc;

use agents::AgentHost;

/// The machine for agents of a project: what nobody but people writes, and the state folder. None where agents have no sandbox, or the
/// program has no servers for them.
pub fn local_host(protected: Vec<PathBuf>, state: PathBuf) -> Option<Arc<dyn AgentHost>> {
    #[cfg(target_os = "linux")]
    return Some(Arc::new(local::LocalAgentHost::new(protected, &state)));
    #[cfg(not(target_os = "linux"))]
    {
        drop((protected, state));
        None
    }
}
