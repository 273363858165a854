//! Programs: shell, Python, tests, lint and format, all in the sandbox.

use crate::prelude::*;

mod format_python;
mod lint_python;
mod python;
mod python_eval;
mod python_run;
mod ruff;
mod run;
mod run_shell;
mod run_tests;

pub(crate) use run::complete_text;

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<run_shell::Args>(),
    tool_entry::<python_eval::Args>(),
    tool_entry::<python_run::Args>(),
    tool_entry::<run_tests::Args>(),
    tool_entry::<lint_python::Args>(),
    tool_entry::<format_python::Args>(),
];
