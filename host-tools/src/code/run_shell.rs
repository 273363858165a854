//! Running a program.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::command::Command;
use tool_core::{
    Bounded, Caller, Capability, Category, Ctx, Determinism, Effect, Example, Permission,
    ResourceKey, Spec, Syntax, Tool, ToolError,
};

use super::run::Ran;

/// Runs a program in the sandbox.
pub struct RunShell;

/// Most bytes kept of each stream.
const OUTPUT_BYTES_MAX: i64 = 1_000_000;

/// Run a program in a sandbox: it reads the workspace, writes only to a scratch folder that disappears, and reaches neither
/// network nor other processes. Give `argv` (a program with its arguments, which no shell reads) or `command` (a text for
/// `sh`), not both. To write to the workspace, print the result and use `write_file`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
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
    /// Longest run in seconds, 1 to 3600; the call's own deadline holds as well.
    #[serde(default = "default_timeout")]
    pub timeout: Bounded<1, 3600>,
    /// What the program reads from its standard input.
    #[serde(default)]
    pub stdin: String,
    /// Most bytes kept of each output stream, 1 to 1000000; by default 50000 of standard output and 10000 of standard error.
    #[serde(default)]
    pub max_output_bytes: Option<Bounded<1, OUTPUT_BYTES_MAX>>,
}

fn root() -> String {
    ".".to_owned()
}

fn default_timeout() -> Bounded<1, 3600> {
    Bounded::literal(30)
}

impl Args {
    fn words(&self) -> Result<Vec<String>, ToolError> {
        match (&self.argv, &self.command) {
            (Some(argv), None) if argv.first().is_some_and(|program| !program.is_empty()) => {
                Ok(argv.clone())
            }
            (Some(_), None) => Err(ToolError::invalid(
                "/argv",
                "expected a program and its arguments, found no program",
            )),
            (None, Some(command)) if !command.trim().is_empty() => {
                Ok(vec!["sh".to_owned(), "-c".to_owned(), command.clone()])
            }
            (None, Some(_)) => Err(ToolError::invalid("/command", "it is empty")),
            (None, None) => Err(
                ToolError::invalid("", "neither `argv` nor `command` is given")
                    .hint("`argv` is a list such as [\"ls\", \"-l\"]"),
            ),
            (Some(_), Some(_)) => Err(ToolError::invalid(
                "/command",
                "both `argv` and `command` are given",
            )
            .hint("leave one of them out")),
        }
    }
}

impl Tool for RunShell {
    const SPEC: Spec = Spec {
        id: "run_shell",
        title: "Run a program in the sandbox",
        category: Category::Code,
        tags: &["shell", "program"],
        effects: &[Effect::LocalExec],
        permissions: &[Permission::Shell],
        capabilities: &[Capability::Spawn],
        idempotent: false,
        determinism: Determinism::External,
        callers: &[Caller::Direct],
        preconditions: &["workspace=ready"],
        syntax: &[
            ("/argv", Syntax::Shell),
            ("/command", Syntax::Shell),
            ("/cwd", Syntax::Path),
        ],
        ..Spec::pure()
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
        ctx.reserve((command.limits.stdout_bytes + command.limits.stderr_bytes) as u64 * 2)?;
        Ok(Ran::from(ctx.spawner()?.run(&command, ctx.stop())?).told(ctx))
    }

    /// Which files a program reads cannot be told before it runs: the whole workspace.
    fn resources(_: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(vec![ResourceKey::read_path(".")])
    }

    /// Run in a workspace that has `notes.txt`, 12 bytes of text; times and level are the machine's.
    fn examples() -> Vec<Example<Args, Ran>> {
        let args = || Args {
            argv: None,
            command: None,
            cwd: root(),
            timeout: default_timeout(),
            stdin: String::new(),
            max_output_bytes: None,
        };
        vec![
            Example {
                title: "words of a file",
                args: Args {
                    argv: Some(["wc", "-w", "notes.txt"].map(str::to_owned).to_vec()),
                    ..args()
                },
                output: Ran::example("2 notes.txt\n", "", 0),
            },
            Example {
                title: "a pipe of plain commands",
                args: Args {
                    command: Some("cat notes.txt | tr a-z A-Z".to_owned()),
                    ..args()
                },
                output: Ran::example("HELLO WORLD\n", "", 0),
            },
        ]
    }
}
