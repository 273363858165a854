//! The program that serves agents.

use agents::AgentProgram;

/// This very program; `None` where its path is not known.
pub fn program_of_this_process() -> Option<AgentProgram> {
    std::env::current_exe().ok().map(AgentProgram::at)
}
