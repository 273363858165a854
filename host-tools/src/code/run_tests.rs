//! Running the tests of a project.

mod count;
mod runner;

use std::time::Duration;

use tool_core::command::{Excess, Level};

use super::run::{PROGRAM, ProgramResult, run_command};
use crate::prelude::*;
use runner::TestFramework;

/// What of the output is looked at for counts.
const LOOKED_BYTES_MAX: usize = 16 << 20;
/// Most bytes shown of each stream.
const OUTPUT_BYTES_MAX: i64 = 400_000;

/// Run the tests of a project in a sandbox: pytest, cargo, npm or go, found by the files of the folder, or a command given in
/// `argv`. They read the workspace, write only to a scratch folder that disappears, and reach no network; what they build is
/// built anew each time. A test that fails is a result and no error.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Program and arguments instead of a runner.
    #[value(default)]
    pub argv: Option<Vec<String>>,
    /// The runner; absent: found by the files of the folder.
    #[value(default)]
    pub runner: Option<TestFramework>,
    /// Further arguments of the runner, such as `["-k", "fast"]`.
    #[value(default)]
    pub args: Vec<String>,
    /// Folder of the project, relative to the workspace root.
    #[value(default = "default_root")]
    pub cwd: String,
    /// Timeout in seconds, 1 to 3600; the deadline of the call applies as well.
    #[value(default = "BoundedInteger::<1, 3600>::of::<600>")]
    pub timeout: BoundedInteger<1, 3600>,
    /// Most bytes shown of the end of each output stream, 1 to 400000.
    #[value(default = "BoundedInteger::<1, OUTPUT_BYTES_MAX>::of::<20_000>")]
    pub max_output_bytes: BoundedInteger<1, OUTPUT_BYTES_MAX>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Whether the runner ended with status 0.
    pub success: bool,
    /// The runner; absent for a command of one's own.
    pub runner: Option<TestFramework>,
    /// Tests that passed; absent when the output does not say.
    pub passed: Option<u64>,
    /// Tests that failed, or could not be run.
    pub failed: Option<u64>,
    /// Tests that were left out.
    pub skipped: Option<u64>,
    /// Exit status; 128 plus the number for a signal, -1 for a deadline.
    pub returncode: i32,
    /// End of standard output.
    pub stdout: String,
    /// End of standard error.
    pub stderr: String,
    /// Whether something is missing before `stdout`.
    pub stdout_truncated: bool,
    /// Whether something is missing before `stderr`.
    pub stderr_truncated: bool,
    /// Elapsed time in milliseconds.
    pub elapsed_ms: f64,
    /// Whether the timeout ended it.
    pub timed_out: bool,
    /// The limit on all processes together for which it was killed: `memory`, `disk` (the scratch folder) or `files` in it.
    pub exceeded: Option<Excess>,
    /// The sandbox level it ran at.
    pub level: Level,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "run_tests",
        title: "Run the tests of a project",
        tags: &["test", "program"],
        capabilities: &[Capability::Spawn, Capability::FilesRead],
        syntax: &[
            ("/argv", Syntax::Shell),
            ("/args", Syntax::Arguments),
            ("/cwd", Syntax::Path),
        ],
        timeout_ms: Some(600_000),
        ..PROGRAM
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let (runner, mut command) = runner::test_command(&args, ctx)?;
        command.directory.clone_from(&args.cwd);
        let limits = &mut command.limits;
        limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        limits.cpu = limits.wall * 4;
        limits.memory_bytes = 16 << 30;
        limits.tree_memory_bytes = 8 << 30;
        limits.file_bytes = 1 << 30;
        limits.scratch_bytes = 8 << 30;
        limits.scratch_entries = 500_000;
        limits.processes = 512;
        limits.open_files = 1024;
        limits.stdout_bytes = LOOKED_BYTES_MAX;
        limits.stderr_bytes = LOOKED_BYTES_MAX;
        let ran = run_command(&command, ctx)?;
        runner::check_runner_start(runner, &ran, ctx)?;
        let ran = ran.reported(ctx);
        let counts = count::parse_counts(runner, &ran.stdout);
        let bytes_max = args.max_output_bytes.size();
        let (stdout, stderr) = (end(&ran.stdout, bytes_max), end(&ran.stderr, bytes_max));
        Ok(Output {
            success: ran.returncode == 0,
            runner,
            passed: counts.map(|counts| counts.passed),
            failed: counts.map(|counts| counts.failed),
            skipped: counts.map(|counts| counts.skipped),
            returncode: ran.returncode,
            stdout_truncated: (stdout.len() as u64) < ran.stdout_bytes,
            stderr_truncated: (stderr.len() as u64) < ran.stderr_bytes,
            stdout: stdout.to_owned(),
            stderr: stderr.to_owned(),
            elapsed_ms: ran.elapsed_ms,
            timed_out: ran.timed_out,
            exceeded: ran.exceeded,
            level: ran.level,
        })
    }

    /// Which files tests read cannot be told before they run: the whole workspace.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// Times and level are the machine's.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a command of one's own": r#"{"argv": ["echo", "2 passed"]}"# => r#"{
            "success": true, "runner": null, "passed": 2, "failed": 0, "skipped": 0, "returncode": 0,
            "stdout": "2 passed\n", "stderr": "", "stdout_truncated": false, "stderr_truncated": false,
            "elapsed_ms": 12.5, "timed_out": false, "exceeded": null, "level": "S3"
        }"#;
    };
}

/// The end of a text, from a whole character on.
fn end(text: &str, bytes_max: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes_max);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}
