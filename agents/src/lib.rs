//! Agents: programs around a language model, with what they may do, how they are started and what they say.
//!
//! [`cli`] knows their command lines: [`cli::translate_cli_request`] says how each is told what its agent may do, [`cli::formats`] has a
//! file for each format of output. [`pipeline`] runs phases of agents: its machine says what comes next, from the events that were
//! recorded, without clock, files or processes; [`tools`] run pipelines that calls ask for. [`spawn`] starts one agent. Processes start through the capability `Spawner` alone;
//! everything else of the machine is an [`AgentHost`].

pub mod cli;
mod host;
pub mod pipeline;
mod service;
pub mod spawn;
pub mod tools;

pub use host::{AgentExchange, AgentFileText, AgentHost, AgentProgram, AgentProject, MovedFile};
pub use service::AgentService;
