//! Programs: shell, Python, tests, lint and format, all in the sandbox.

mod format_python;
mod lint_python;
mod python;
mod python_eval;
mod python_run;
mod ruff;
mod run;
mod run_shell;
mod run_tests;

use tool_core::{Entry, entry};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<run_shell::RunShell>(),
    entry::<python_eval::PythonEval>(),
    entry::<python_run::PythonRun>(),
    entry::<run_tests::RunTests>(),
    entry::<lint_python::LintPython>(),
    entry::<format_python::FormatPython>(),
];
