//! Starting agents: what one may do, its process in the sandbox, and agents that a call starts.

pub(crate) mod inherit;
pub(crate) mod launch;
pub(crate) mod ready;
mod role;
pub(crate) mod trusted;

pub use inherit::PipelineCaller;
pub use launch::AgentProgress;
pub use ready::ReadyAgent;
pub use role::prepare_role_agent;
