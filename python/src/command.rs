//! The command `mathchain` of the package, and the launcher of sandboxed programs, which is this module in another interpreter.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the command line with these words, the name of the program first, and returns the exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let code = py.detach(|| mathchain::cli::run_command_line(words));
    // A code cannot be read, but compared.
    let mut numbers = 0..=u8::MAX;
    numbers
        .find(|number| ExitCode::from(*number) == code)
        .unwrap_or(1)
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
