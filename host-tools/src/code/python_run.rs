//! Running a Python script.

use std::time::Duration;

use super::python;
use super::run::{PROGRAM, ProgramResult, run_command};
use crate::prelude::*;

/// Maximum size of a script in bytes, below the limit of the kernel on one argument.
const CODE_BYTES_MAX: usize = 100_000;
/// Maximum bytes retained per stream.
const OUTPUT_BYTES_MAX: i64 = 1_000_000;

/// Run a Python script (CPython) in a sandbox: it can read the workspace, write only to a scratch folder that is deleted afterwards
/// (`$HOME`, `$TMPDIR`), and has no access to the network or other processes.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The script, at most 100000 bytes.
    pub code: String,
    /// Arguments of the script (`sys.argv[1:]`).
    #[value(default)]
    pub args: Vec<String>,
    /// Standard input of the script.
    #[value(default)]
    pub stdin: String,
    /// Working folder, relative to the workspace root.
    #[value(default = "default_root")]
    pub cwd: String,
    /// Timeout in seconds, 1 to 3600; the deadline of the call applies as well.
    #[value(default = "BoundedInteger::<1, 3600>::of::<30>")]
    pub timeout: BoundedInteger<1, 3600>,
    /// Maximum bytes retained of each output stream, 1 to 1000000.
    #[value(default = "BoundedInteger::<1, OUTPUT_BYTES_MAX>::of::<50_000>")]
    pub max_output_bytes: BoundedInteger<1, OUTPUT_BYTES_MAX>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "python_run",
        title: "Run a script of Python in the sandbox",
        tags: &["python", "program"],
        permissions: &[Permission::Compute],
        // Text assembled from data would be code.
        syntax: &[
            ("/code", Syntax::Expression),
            ("/args", Syntax::Arguments),
            ("/cwd", Syntax::Path),
        ],
        ..PROGRAM
    };
    type Output = ProgramResult;

    fn run(args: Args, ctx: &Ctx) -> Result<ProgramResult> {
        if args.code.len() > CODE_BYTES_MAX {
            let length = args.code.len();
            return Err(tool_error!(LimitExceeded at "/code";
                "the script has {length} bytes; the maximum is {CODE_BYTES_MAX}";
                "write it to a file in the workspace and run that: `exec(open(path).read())`"));
        }
        let words = ["-c", args.code.as_str()].into_iter();
        let words = words.chain(args.args.iter().map(String::as_str));
        let words: Vec<&str> = words.collect();
        let mut command = python::isolated_command(python::find_interpreter(ctx)?, &words);
        command.directory = args.cwd;
        command.stdin = args.stdin.into_bytes();
        command.limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        command.limits.stdout_bytes = args.max_output_bytes.size();
        command.limits.stderr_bytes = args.max_output_bytes.size();
        Ok(run_command(&command, ctx)?.reported(ctx))
    }

    /// The whole workspace, since the files read are unknown before the run.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// In a workspace with `notes.txt`, 12 bytes of text; times and level depend on the machine.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "reading a file of the workspace":
            r#"{"code": "import sys\nprint(len(open(sys.argv[1]).read()))", "args": ["notes.txt"]}"#
            => r#"{
                "stdout": "12\n", "stderr": "", "returncode": 0, "signal": null, "elapsed_ms": 12.5, "cpu_ms": 2.0,
                "stdout_truncated": false, "stdout_bytes": 3, "stderr_truncated": false, "stderr_bytes": 0,
                "timed_out": false, "exceeded": null, "level": "S3"
            }"#;
    };
}
