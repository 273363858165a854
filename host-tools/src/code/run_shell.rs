//! Running a program.

use std::time::Duration;

use tool_core::command::Command;

use super::run::{PROGRAM, Ran, run};
use crate::prelude::*;

pub(crate) struct RunShell;

/// Most bytes kept of each stream.
const OUTPUT_BYTES_MAX: i64 = 1_000_000;

/// Run a program in a sandbox: it reads the workspace, writes only to a scratch folder that disappears, and reaches neither
/// network nor other processes. Give `argv` (a program with its arguments, which no shell reads) or `command` (a text for
/// `sh`), not both. To write to the workspace, print the result and use `write_file`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Program and arguments, such as `["ls", "-l"]`. The program is looked for in /usr/local/bin, /usr/bin and /bin; one with a
    /// `/` is a path.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// A text for `sh -c`. Rules decide it command by command where it consists of plain commands, else as a whole.
    #[serde(default)]
    pub command: Option<String>,
    /// Working folder, relative to the workspace root.
    #[serde(default = "root")]
    pub cwd: String,
    /// Timeout in seconds, 1 to 3600; the deadline of the call applies as well.
    #[serde(default = "Bounded::<1, 3600>::of::<30>")]
    pub timeout: Bounded<1, 3600>,
    /// What the program reads from its standard input.
    #[serde(default)]
    pub stdin: String,
    /// Most bytes kept of each output stream, 1 to 1000000; by default 50000 of standard output and 10000 of standard error.
    #[serde(default)]
    pub max_output_bytes: Option<Bounded<1, OUTPUT_BYTES_MAX>>,
}

impl Args {
    fn words(&self) -> Result<Vec<String>, ToolError> {
        match (&self.argv, &self.command) {
            (Some(argv), None) if argv.first().is_some_and(|program| !program.is_empty()) => {
                Ok(argv.clone())
            }
            (Some(_), None) => Err(tool_error!(
                InvalidArgs,
                "expected a program and its arguments, found no program"
            )
            .at("/argv")),
            (None, Some(command)) if !command.trim().is_empty() => {
                Ok(vec!["sh".to_owned(), "-c".to_owned(), command.clone()])
            }
            (None, Some(_)) => Err(ToolError::invalid("/command", "it is empty")),
            (None, None) => Err(
                ToolError::invalid("", "neither `argv` nor `command` is given")
                    .hint("`argv` is a list such as [\"ls\", \"-l\"]"),
            ),
            (Some(_), Some(_)) => Err(tool_error!(
                InvalidArgs,
                "both `argv` and `command` are given"
            )
            .at("/command")
            .hint("leave one of them out")),
        }
    }
}

impl Tool for RunShell {
    const SPEC: Spec = Spec {
        id: "run_shell",
        title: "Run a program in the sandbox",
        tags: &["shell", "program"],
        callers: &[Caller::Direct],
        syntax: &[
            ("/argv", Syntax::Shell),
            ("/command", Syntax::Shell),
            ("/cwd", Syntax::Path),
        ],
        ..PROGRAM
    };
    type Args = Args;
    type Output = Ran;

    fn run(args: Args, ctx: &Ctx) -> Result<Ran, ToolError> {
        let mut command = Command::new(args.words()?);
        command.directory = args.cwd;
        command.stdin = args.stdin.into_bytes();
        command.limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        if let Some(bytes) = args.max_output_bytes {
            command.limits.stdout_bytes = bytes.size();
            command.limits.stderr_bytes = bytes.size();
        }
        Ok(run(&command, ctx)?.reported(ctx))
    }

    /// Which files a program reads cannot be told before it runs: the whole workspace.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text; times and level are the machine's.
    const EXAMPLES: &'static [JsonExample] = &[
        JsonExample {
            title: "words of a file",
            args: r#"{"argv": ["wc", "-w", "notes.txt"]}"#,
            output: r#"{
                "stdout": "2 notes.txt\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5,
                "cpu_ms": 2.0, "stdout_truncated": false, "stdout_bytes": 12, "stderr_truncated": false,
                "stderr_bytes": 0, "timed_out": false, "exceeded": null, "level": "S3"
            }"#,
        },
        JsonExample {
            title: "a pipe of plain commands",
            args: r#"{"command": "cat notes.txt | tr a-z A-Z"}"#,
            output: r#"{
                "stdout": "HELLO WORLD\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5,
                "cpu_ms": 2.0, "stdout_truncated": false, "stdout_bytes": 12, "stderr_truncated": false,
                "stderr_bytes": 0, "timed_out": false, "exceeded": null, "level": "S3"
            }"#,
        },
    ];
}
