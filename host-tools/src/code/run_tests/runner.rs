//! Detection of the test runner, and its command.

use std::path::PathBuf;

use tool_core::command::{SandboxCommand, SandboxProgram};

use super::{Args, ProgramResult};
use crate::prelude::*;

/// A test runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TestFramework {
    /// Python: `pytest`.
    Pytest,
    /// Rust: `cargo test --offline`.
    Cargo,
    /// JavaScript: `npm test`.
    Npm,
    /// Go: `go test -json ./...`.
    Go,
}

impl TestFramework {
    const ALL: [Self; 4] = [Self::Pytest, Self::Cargo, Self::Npm, Self::Go];

    fn name(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Cargo => "cargo",
            Self::Npm => "npm",
            Self::Go => "go",
        }
    }

    /// Whether a file of the folder indicates this runner.
    fn fits(self, name: &str) -> bool {
        const PYTHON: &str = "pytest.ini tox.ini pyproject.toml setup.cfg conftest.py setup.py";
        match self {
            Self::Cargo => name == "Cargo.toml",
            Self::Npm => name == "package.json",
            Self::Go => name == "go.mod",
            Self::Pytest => {
                PYTHON.split(' ').any(|known| known == name)
                    || name.starts_with("test_") && name.ends_with(".py")
                    || name.ends_with("_test.py")
            }
        }
    }
}

/// Maximum entries of the folder examined.
const ENTRIES_MAX: usize = 10_000;

/// The command, and its runner unless the caller gave the command.
pub(super) fn test_command(
    args: &Args,
    ctx: &Ctx,
) -> Result<(Option<TestFramework>, SandboxCommand)> {
    let runner = match (&args.argv, args.runner) {
        (Some(_), Some(_)) => {
            return Err(tool_error!(InvalidArgs at "/argv";
                "`argv` and `runner` exclude each other"; "omit one of them"));
        }
        (Some(argv), None) => {
            return Ok((
                None,
                SandboxCommand::new(argv.iter().chain(&args.args).cloned()),
            ));
        }
        (None, Some(runner)) => runner,
        (None, None) => detect_runner(args, ctx)?,
    };
    let spawner = ctx.spawner()?;
    let program = match (spawner.find(runner.name()), runner) {
        (Some(program), _) => program,
        // Installed as a module, without its own program.
        (None, TestFramework::Pytest) => super::super::python::find_interpreter(ctx)?,
        (None, _) => return Err(missing_runner_error(runner)),
    };
    let mut command = runner_command(runner, &program, &args.args);
    command.readable = program.readable;
    if let Some(home) = spawner.home() {
        share_toolchain_folders(runner, &home, &mut command);
    }
    Ok((Some(runner), command))
}

/// Failures of runners at the start, with their cure.
pub(super) fn check_runner_start(
    runner: Option<TestFramework>,
    ran: &ProgramResult,
    ctx: &Ctx,
) -> Result<()> {
    let says = |words: &str| ran.stderr.contains(words);
    match runner {
        Some(TestFramework::Pytest) if says("No module named pytest") => {
            return Err(missing_runner_error(TestFramework::Pytest));
        }
        Some(TestFramework::Cargo) if ran.returncode == 101 && says("Cargo.lock") => {
            ctx.warn("cargo cannot write a `Cargo.lock` in the sandbox: make one with `cargo generate-lockfile`");
        }
        _ => {}
    }
    Ok(())
}

fn detect_runner(args: &Args, ctx: &Ctx) -> Result<TestFramework> {
    let listed = ctx
        .files()?
        .list(&args.cwd, false, ENTRIES_MAX, ctx.stop())
        .at("/cwd")?;
    let name = |entry: &FileInfo| entry.path.rsplit('/').next().map(str::to_owned);
    let (folders, files): (Vec<_>, Vec<_>) =
        (listed.0.iter()).partition(|entry| entry.kind == FileKind::Directory);
    let files: Vec<String> = files.into_iter().filter_map(name).collect();
    let fits = |runner: &TestFramework| files.iter().any(|name| runner.fits(name));
    let found: Vec<TestFramework> = TestFramework::ALL.into_iter().filter(fits).collect();
    let tests = |folder: &FileInfo| name(folder).as_deref() == Some("tests");
    match found.as_slice() {
        [only] => Ok(*only),
        [] if folders.into_iter().any(tests) => Ok(TestFramework::Pytest),
        [] => Err(tool_error!(PreconditionFailed at "/runner", "runner";
            "no test runner detected in `{}`", args.cwd;
            "set `runner`, or pass a command in `argv`")),
        several => {
            let names: Vec<&str> = several.iter().map(|runner| runner.name()).collect();
            Err(tool_error!(PreconditionFailed at "/runner", "runner";
                "several test runners detected in `{}`: {}", args.cwd, names.join(" and ");
                "set `runner`"))
        }
    }
}

fn missing_runner_error(runner: TestFramework) -> ToolError {
    let name = runner.name();
    tool_error!(PreconditionFailed at "/runner", "runner"; "`{name}` is not installed";
        "install `{name}`, or add its folder to PATH")
}

/// The command of a runner. All its files go to the scratch folder, whose path only a shell can expand.
fn runner_command(
    runner: TestFramework,
    program: &SandboxProgram,
    further: &[String],
) -> SandboxCommand {
    let path = program.path.as_str();
    let python = path.ends_with("/python3");
    let fixed: &[&str] = match runner {
        TestFramework::Pytest if python => {
            &["-B", "-m", "pytest", "-p", "no:cacheprovider", "--color=no"]
        }
        TestFramework::Pytest => &["-p", "no:cacheprovider", "--color=no"],
        TestFramework::Cargo => &["test", "--offline", "--color=never"],
        TestFramework::Npm => &["test"],
        TestFramework::Go => &["test", "-json"],
    };
    const IN_SCRATCH: &str =
        "CARGO_TARGET_DIR=\"$HOME/target\" GOCACHE=\"$HOME/go-build\" exec \"$@\"";
    let shell = ["sh", "-c", IN_SCRATCH, "sh", path];
    let words = shell.iter().chain(fixed).map(|&word| word.to_owned());
    let mut words: Vec<String> = words.chain(further.iter().cloned()).collect();
    if runner == TestFramework::Go && further.is_empty() {
        words.push("./...".to_owned());
    }
    let mut command = SandboxCommand::new(words);
    let variables: &[(&str, &str)] = match runner {
        TestFramework::Pytest => &[("PYTHONDONTWRITEBYTECODE", "1")],
        TestFramework::Npm => &[("CI", "1"), ("NO_COLOR", "1")],
        TestFramework::Go => &[("GOFLAGS", "-mod=readonly"), ("GOTOOLCHAIN", "local")],
        TestFramework::Cargo => &[],
    };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    command.environment = variables.iter().map(owned).collect();
    command
}

/// Folders of tool chains in the home folder: programs and packages, never credentials.
fn share_toolchain_folders(
    runner: TestFramework,
    home: &std::path::Path,
    command: &mut SandboxCommand,
) {
    let mut set = |name: &str, value: PathBuf| {
        let value = value.to_str().map(str::to_owned);
        command
            .environment
            .extend(value.map(|value| (name.to_owned(), value)));
    };
    let shared: &[&str] = match runner {
        TestFramework::Cargo => {
            set("CARGO_HOME", home.join(".cargo"));
            set("RUSTUP_HOME", home.join(".rustup"));
            &[".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup"]
        }
        TestFramework::Go => {
            set("GOMODCACHE", home.join("go/pkg/mod"));
            &["go/pkg/mod"]
        }
        TestFramework::Pytest | TestFramework::Npm => &[],
    };
    let shared = shared.iter().map(|path| home.join(path));
    command.readable.extend(shared);
}
