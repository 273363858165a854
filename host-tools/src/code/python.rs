//! The Python interpreter.

use tool_core::command::{SandboxCommand, SandboxProgram};

use crate::prelude::*;

/// The declaration of a tool on Python code that uses only its arguments.
pub(super) const SPEC: Spec = Spec {
    category: Category::Code,
    permissions: &[Permission::Compute],
    capabilities: &[Capability::Spawn],
    determinism: Determinism::External,
    callers: &[Caller::Direct, Caller::Chain],
    ..Spec::pure()
};

/// Finds the interpreter.
///
/// # Errors
/// `precondition_failed` with reason `python` if it is not installed.
pub(super) fn find_interpreter(ctx: &Ctx) -> Result<SandboxProgram> {
    ctx.spawner()?.find("python3").ok_or_else(|| {
        tool_error!(PreconditionFailed, "python"; "`python3` is not installed";
            "install Python 3, or repair what `[code] python` names; `calculate` evaluates formulas without it")
    })
}

/// A command of the interpreter, isolated from environment, user folders and working folder, without writing byte code.
pub(super) fn isolated_command(python: SandboxProgram, arguments: &[&str]) -> SandboxCommand {
    let words = [python.path.as_str(), "-I", "-B"];
    let mut command = SandboxCommand::new(words.iter().chain(arguments).copied());
    command.readable = python.readable;
    command
}
