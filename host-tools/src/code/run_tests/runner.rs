//! Detection of the test runner, and its command.

use std::path::PathBuf;

use tool_core::capability::FileKind;
use tool_core::command::{Command, Program};

use super::{Args, Ran};
use crate::prelude::*;

/// A test runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Runner {
    /// Python: `pytest`.
    Pytest,
    /// Rust: `cargo test --offline`.
    Cargo,
    /// JavaScript: `npm test`.
    Npm,
    /// Go: `go test -json ./...`.
    Go,
}

impl Runner {
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
    fn fits(self, name: &str, kind: FileKind) -> bool {
        if kind == FileKind::Directory {
            return false;
        }
        match self {
            Self::Cargo => name == "Cargo.toml",
            Self::Npm => name == "package.json",
            Self::Go => name == "go.mod",
            Self::Pytest => {
                let python = name.ends_with(".py");
                matches!(
                    name,
                    "pytest.ini" | "tox.ini" | "pyproject.toml" | "setup.cfg"
                ) || python && (name.starts_with("test_") || name.ends_with("_test.py"))
                    || matches!(name, "conftest.py" | "setup.py")
            }
        }
    }
}

/// Maximum entries of the folder examined.
const ENTRIES_MAX: usize = 10_000;

/// The command, and its runner unless the caller gave the command.
pub(super) fn command(args: &Args, ctx: &Ctx) -> Result<(Option<Runner>, Command), ToolError> {
    let runner = match (&args.argv, args.runner) {
        (Some(_), Some(_)) => {
            return Err(
                ToolError::invalid("/argv", "`argv` and `runner` exclude each other")
                    .hint("omit one of them"),
            );
        }
        (Some(argv), None) => {
            return Ok((None, Command::new(argv.iter().chain(&args.args).cloned())));
        }
        (None, Some(runner)) => runner,
        (None, None) => detect(args, ctx)?,
    };
    let spawner = ctx.spawner()?;
    let program = match (spawner.find(runner.name()), runner) {
        (Some(program), _) => program,
        // Installed as a module, without its own program.
        (None, Runner::Pytest) => super::super::python::find(ctx)?,
        (None, _) => return Err(missing(runner)),
    };
    let mut command = words(runner, &program, &args.args);
    command.readable = program.readable;
    if let Some(home) = spawner.home() {
        share(runner, &home, &mut command);
    }
    Ok((Some(runner), command))
}

/// Failures of runners at the start, with their cure.
pub(super) fn check(runner: Option<Runner>, ran: &Ran, ctx: &Ctx) -> Result<(), ToolError> {
    match runner {
        Some(Runner::Pytest) if ran.stderr.contains("No module named pytest") => {
            Err(missing(Runner::Pytest))
        }
        Some(Runner::Cargo) if ran.returncode == 101 && ran.stderr.contains("Cargo.lock") => {
            ctx.warn("cargo cannot write a `Cargo.lock` in the sandbox: make one with `cargo generate-lockfile`");
            Ok(())
        }
        _ => Ok(()),
    }
}

fn detect(args: &Args, ctx: &Ctx) -> Result<Runner, ToolError> {
    let listed = ctx
        .files()?
        .list(&args.cwd, false, ENTRIES_MAX, ctx.stop())
        .at("/cwd")?;
    let fits = |runner: &Runner| {
        listed.0.iter().any(|entry| {
            let name = entry.path.rsplit('/').next().unwrap_or_default();
            runner.fits(name, entry.kind)
        })
    };
    let found: Vec<Runner> = Runner::ALL.into_iter().filter(fits).collect();
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let tests = listed.0.iter().any(|entry| {
                entry.kind == FileKind::Directory && entry.path.rsplit('/').next() == Some("tests")
            });
            if tests {
                return Ok(Runner::Pytest);
            }
            Err(tool_error!(
                PreconditionFailed,
                "no test runner detected in `{}`",
                args.cwd
            )
            .reason("runner")
            .at("/runner")
            .hint("set `runner`, or pass a command in `argv`"))
        }
        several => {
            let names: Vec<&str> = several.iter().map(|runner| runner.name()).collect();
            Err(tool_error!(
                PreconditionFailed,
                "several test runners detected in `{}`: {}",
                args.cwd,
                names.join(" and ")
            )
            .reason("runner")
            .at("/runner")
            .hint("set `runner`"))
        }
    }
}

fn missing(runner: Runner) -> ToolError {
    let name = runner.name();
    tool_error!(PreconditionFailed, "`{name}` is not installed")
        .reason("runner")
        .at("/runner")
        .hint(format!("install `{name}`, or add its folder to PATH"))
}

/// The command of a runner. All its files go to the scratch folder, whose path only a shell can expand.
fn words(runner: Runner, program: &Program, further: &[String]) -> Command {
    let path = program.path.as_str();
    let python = path.ends_with("/python3");
    let fixed: &[&str] = match runner {
        Runner::Pytest if python => &["-B", "-m", "pytest", "-p", "no:cacheprovider", "--color=no"],
        Runner::Pytest => &["-p", "no:cacheprovider", "--color=no"],
        Runner::Cargo => &["test", "--offline", "--color=never"],
        Runner::Npm => &["test"],
        Runner::Go => &["test", "-json"],
    };
    const IN_SCRATCH: &str =
        "CARGO_TARGET_DIR=\"$HOME/target\" GOCACHE=\"$HOME/go-build\" exec \"$@\"";
    let shell = ["sh", "-c", IN_SCRATCH, "sh", path];
    let mut words: Vec<String> = shell
        .iter()
        .chain(fixed)
        .map(|&word| word.to_owned())
        .collect();
    words.extend(further.iter().cloned());
    if runner == Runner::Go && further.is_empty() {
        words.push("./...".to_owned());
    }
    let mut command = Command::new(words);
    let variables: &[(&str, &str)] = match runner {
        Runner::Pytest => &[("PYTHONDONTWRITEBYTECODE", "1")],
        Runner::Npm => &[("CI", "1"), ("NO_COLOR", "1")],
        Runner::Go => &[("GOFLAGS", "-mod=readonly"), ("GOTOOLCHAIN", "local")],
        Runner::Cargo => &[],
    };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    command.environment = variables.iter().map(owned).collect();
    command
}

/// Folders of tool chains in the home folder: programs and packages, never credentials.
fn share(runner: Runner, home: &std::path::Path, command: &mut Command) {
    let mut set = |name: &str, value: PathBuf| {
        if let Some(value) = value.to_str() {
            command
                .environment
                .push((name.to_owned(), value.to_owned()));
        }
    };
    let shared: &[&str] = match runner {
        Runner::Cargo => {
            set("CARGO_HOME", home.join(".cargo"));
            set("RUSTUP_HOME", home.join(".rustup"));
            &[".cargo/bin", ".cargo/registry", ".cargo/git", ".rustup"]
        }
        Runner::Go => {
            set("GOMODCACHE", home.join("go/pkg/mod"));
            &["go/pkg/mod"]
        }
        Runner::Pytest | Runner::Npm => &[],
    };
    command
        .readable
        .extend(shared.iter().map(|path| home.join(path)));
}
