//! The command `mathchain` of the package, and the launcher of sandboxed programs, which is this module in another interpreter.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use mathchain::agents::AgentProgram;
use pyo3::prelude::*;

/// Runs the command line with these words, the name of the program first, and returns the exit code. `agents` is the command that serves
/// the agents it starts, with what that reads.
#[pyfunction]
pub(crate) fn main(
    py: Python<'_>,
    words: Vec<OsString>,
    agents: Option<(Vec<String>, Vec<PathBuf>)>,
) -> PyResult<u8> {
    let agents = agents.map(agent_program);
    crate::ticket::name_python(py)?;
    let code = py.detach(|| mathchain_cli::run_command_line(words, agents));
    // A code cannot be read, but compared.
    let mut numbers = 0..=u8::MAX;
    let code = numbers.find(|number| ExitCode::from(*number) == code);
    Ok(code.unwrap_or(1))
}

/// The program that serves agents: an interpreter with this module, and what it reads.
pub(crate) fn agent_program((words, readable): (Vec<String>, Vec<PathBuf>)) -> AgentProgram {
    AgentProgram { words, readable }
}

/// Sets the command that starts the launcher of sandboxed programs: an interpreter that calls [`launch`].
#[pyfunction]
pub(crate) fn name_launcher(program: OsString, arguments: Vec<OsString>) {
    host_sandbox::sandbox::launch_by(program, arguments);
}

/// Becomes the launcher of one sandboxed program; never returns.
#[pyfunction]
pub(crate) fn launch() {
    host_sandbox::sandbox::run_as_launcher();
}
