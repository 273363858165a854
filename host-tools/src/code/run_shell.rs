//! Running a program.

use std::time::Duration;

use tool_core::command::SandboxCommand;

use super::run::{PROGRAM, ProgramResult, run_command};
use crate::prelude::*;

/// Maximum bytes retained per stream.
const OUTPUT_BYTES_MAX: i64 = 1_000_000;

/// Run a program in a sandbox: it can read the workspace, write only to a scratch folder that is deleted afterwards and to folders that
/// the configuration opens for programs, and has no access to the network or other processes. Pass either `argv` (a program with its arguments, without a shell) or `command` (a text
/// for `sh`). To write elsewhere in the workspace, print the result and use `write_file`.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Program and arguments, such as `["ls", "-l"]`. The program is searched in /usr/local/bin, /usr/bin and /bin; a name with
    /// a `/` is a path.
    #[value(default)]
    pub argv: Option<Vec<String>>,
    /// A text for `sh -c`. Rules decide plain commands one by one, any other text as a whole.
    #[value(default)]
    pub command: Option<String>,
    /// Working folder, relative to the workspace root.
    #[value(default = "default_root")]
    pub cwd: String,
    /// Timeout in seconds, 1 to 3600; the deadline of the call applies as well.
    #[value(default = "BoundedInteger::<1, 3600>::of::<30>")]
    pub timeout: BoundedInteger<1, 3600>,
    /// Standard input of the program.
    #[value(default)]
    pub stdin: String,
    /// Maximum bytes retained of each output stream, 1 to 1000000; by default 50000 of standard output and 10000 of standard error.
    #[value(default)]
    pub max_output_bytes: Option<BoundedInteger<1, OUTPUT_BYTES_MAX>>,
}

impl Args {
    fn words(&self) -> Result<Vec<String>> {
        let (at, message) = match (&self.argv, &self.command) {
            (Some(argv), None) if argv.first().is_some_and(|program| !program.is_empty()) => {
                return Ok(argv.clone());
            }
            (Some(_), None) => (
                "/argv",
                "expected a program and its arguments, found no program",
            ),
            (None, Some(command)) if !command.trim().is_empty() => {
                return Ok(vec!["sh".to_owned(), "-c".to_owned(), command.clone()]);
            }
            (None, Some(_)) => ("/command", "it is empty"),
            (None, None) => {
                return Err(tool_error!(InvalidArgs at "";
                    "`argv` or `command` is required";
                    "`argv` is a list such as [\"ls\", \"-l\"]"));
            }
            (Some(_), Some(_)) => {
                return Err(tool_error!(InvalidArgs at "/command";
                    "`argv` and `command` exclude each other"; "omit one of them"));
            }
        };
        Err(ToolError::invalid(at, message))
    }
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "run_shell",
        title: "Run a program in the sandbox",
        tags: &["shell", "program"],
        syntax: &[
            ("/argv", Syntax::Shell),
            ("/command", Syntax::Shell),
            ("/cwd", Syntax::Path),
        ],
        ..PROGRAM
    };
    type Output = ProgramResult;

    fn run(args: Args, ctx: &Ctx) -> Result<ProgramResult> {
        let mut command = SandboxCommand::new(args.words()?);
        command.directory = args.cwd;
        command.writable = ctx.spawner()?.writable();
        command.stdin = args.stdin.into_bytes();
        command.limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        if let Some(bytes) = args.max_output_bytes {
            command.limits.stdout_bytes = bytes.size();
            command.limits.stderr_bytes = bytes.size();
        }
        Ok(run_command(&command, ctx)?.reported(ctx))
    }

    /// The whole workspace, since the files read are unknown before the run.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// In a workspace with `notes.txt`, 12 bytes of text; times and level depend on the machine.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "counting the words of a file": r#"{"argv": ["wc", "-w", "notes.txt"]}"# => r#"{
            "stdout": "2 notes.txt\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5,
            "cpu_ms": 2.0, "stdout_truncated": false, "stdout_bytes": 12, "stderr_truncated": false,
            "stderr_bytes": 0, "timed_out": false, "exceeded": null, "level": "S3"
        }"#;
        "a pipe of plain commands": r#"{"command": "cat notes.txt | tr a-z A-Z"}"# => r#"{
            "stdout": "HELLO WORLD\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5,
            "cpu_ms": 2.0, "stdout_truncated": false, "stdout_bytes": 12, "stderr_truncated": false,
            "stderr_bytes": 0, "timed_out": false, "exceeded": null, "level": "S3"
        }"#;
    };
}
