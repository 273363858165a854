//! Running a script of Python.

use std::time::Duration;

use super::python;
use super::run::{PROGRAM, Ran, run};
use crate::prelude::*;

pub(crate) struct PythonRun;

/// Longest script: the kernel takes no longer argument.
const CODE_BYTES_MAX: usize = 100_000;
/// Most bytes kept of each stream.
const OUTPUT_BYTES_MAX: i64 = 1_000_000;

/// Run a script of Python (CPython) in a sandbox: it reads the workspace, writes only to a scratch folder that disappears
/// (`$HOME`, `$TMPDIR`), and reaches neither network nor other processes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The script, at most 100000 bytes.
    pub code: String,
    /// Arguments of the script: `sys.argv[1:]`.
    #[serde(default)]
    pub args: Vec<String>,
    /// What the script reads from its standard input.
    #[serde(default)]
    pub stdin: String,
    /// Working folder, relative to the workspace root.
    #[serde(default = "root")]
    pub cwd: String,
    /// Timeout in seconds, 1 to 3600; the deadline of the call applies as well.
    #[serde(default = "Bounded::<1, 3600>::of::<30>")]
    pub timeout: Bounded<1, 3600>,
    /// Most bytes kept of each output stream, 1 to 1000000.
    #[serde(default = "Bounded::<1, OUTPUT_BYTES_MAX>::of::<50_000>")]
    pub max_output_bytes: Bounded<1, OUTPUT_BYTES_MAX>,
}

impl Tool for PythonRun {
    const SPEC: Spec = Spec {
        id: "python_run",
        title: "Run a script of Python in the sandbox",
        tags: &["python", "program"],
        permissions: &[Permission::Compute],
        // Text put together from data would be a program.
        syntax: &[
            ("/code", Syntax::Expression),
            ("/args", Syntax::Arguments),
            ("/cwd", Syntax::Path),
        ],
        ..PROGRAM
    };
    type Args = Args;
    type Output = Ran;

    fn run(args: Args, ctx: &Ctx) -> Result<Ran, ToolError> {
        if args.code.len() > CODE_BYTES_MAX {
            return Err(tool_error!(
                LimitExceeded,
                "the script has {} bytes, at most {CODE_BYTES_MAX} are taken",
                args.code.len()
            )
            .at("/code")
            .hint("put it into a file of the workspace and run that: `exec(open(path).read())`"));
        }
        let words: Vec<&str> = ["-c", args.code.as_str()]
            .into_iter()
            .chain(args.args.iter().map(String::as_str))
            .collect();
        let mut command = python::command(python::find(ctx)?, &words);
        command.directory = args.cwd;
        command.stdin = args.stdin.into_bytes();
        command.limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        command.limits.stdout_bytes = args.max_output_bytes.size();
        command.limits.stderr_bytes = args.max_output_bytes.size();
        Ok(run(&command, ctx)?.reported(ctx))
    }

    /// Which files a script reads cannot be told before it runs: the whole workspace.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text; times and level are the machine's.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a file of the workspace",
        args: r#"{"code": "import sys\nprint(len(open(sys.argv[1]).read()))", "args": ["notes.txt"]}"#,
        output: r#"{
            "stdout": "12\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5, "cpu_ms": 2.0,
            "stdout_truncated": false, "stdout_bytes": 3, "stderr_truncated": false, "stderr_bytes": 0,
            "timed_out": false, "exceeded": null, "level": "S3"
        }"#,
    }];
}
