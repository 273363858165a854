//! [`GitRepository`]: an opened repository, and how git is started in it.

use std::time::Duration;

use tool_core::command::{CommandOutput, Isolation, SandboxCommand, SandboxProgram};

use super::failure;
use super::place::Place;
use super::settings::{self, FIXED, GitOperation, GitSetting};
use crate::prelude::*;

/// Longest run of git.
const WALL: Duration = Duration::from_secs(300);
/// Most bytes of output that is parsed.
const OUTPUT_BYTES_MAX: usize = 32 << 20;

/// A repository whose configuration was read and judged.
pub(super) struct GitRepository<'a> {
    ctx: &'a Ctx,
    /// Its folder in the workspace.
    pub(super) folder: String,
    /// Where its parts are.
    place: Place,
    git: SandboxProgram,
    overrides: Vec<(String, String)>,
    /// Settings of the repository.
    pub(super) settings: Vec<GitSetting>,
}

/// What a start of git may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GitAccess {
    /// Nothing.
    Read,
    /// The repository: everything in `.git` but its configuration and hooks.
    Repository,
    /// The repository and the work tree around it.
    WorkTree,
}

/// One start of git.
pub(super) struct GitInvocation<'a> {
    pub(super) words: &'a [&'a str],
    pub(super) stdin: &'a [u8],
    pub(super) grant: GitAccess,
    pub(super) isolation: Isolation,
    /// Folders beside the repository that may be changed too, relative to it.
    pub(super) further: &'a [String],
    /// Settings above those of the repository.
    pub(super) settings: &'a [(String, String)],
    /// Further variables of its environment.
    pub(super) variables: &'a [(String, String)],
    /// Most bytes of output that are kept.
    pub(super) output_bytes: usize,
}

impl<'a> GitInvocation<'a> {
    pub(super) fn new(words: &'a [&'a str]) -> Self {
        Self {
            words,
            stdin: &[],
            grant: GitAccess::Read,
            isolation: Isolation::Offline,
            further: &[],
            settings: &[],
            variables: &[],
            output_bytes: OUTPUT_BYTES_MAX,
        }
    }
}

impl<'a> GitRepository<'a> {
    /// Opens the repository whose work tree is a folder of the workspace.
    ///
    /// # Errors
    /// `precondition_failed` where there is none, where its `.git` is a link or leads to a repository that does not know it; `policy_denied`
    /// with the name of a setting.
    pub(super) fn open(ctx: &'a Ctx, folder: &str, work: GitOperation) -> Result<Self> {
        let place = Place::of(ctx, folder).map_err(|err| match err.path() {
            None => err.at("/repo_path"),
            Some(_) => err,
        })?;
        let git = ctx.spawner()?.find("git").ok_or_else(|| {
            tool_error!(PreconditionFailed, "git_missing"; "`git` is not installed";
                "install git 2.32 or newer")
        })?;
        let mut repository = Self {
            ctx,
            folder: ctx.files()?.identity(folder)?.path, // without links
            place,
            git,
            overrides: Vec::new(),
            settings: Vec::new(),
        };
        let mut files = vec![format!("{}/config", repository.place.common)];
        if repository.has("config.worktree")? {
            files.push(format!("{}/config.worktree", repository.place.git));
        }
        for file in &files {
            let words = ["config", "--file", file, "--no-includes", "--list", "-z"];
            let listed = repository.output(&words)?;
            repository.settings.extend(GitSetting::list(&listed));
        }
        repository.overrides = settings::required_overrides(&repository.settings, work)?;
        Ok(repository)
    }

    /// Says that filters of the repository do not run, which shows where a file was changed.
    pub(super) fn warn_of_filters(&self) {
        let filters = settings::filter_names(&self.settings);
        if !filters.is_empty() {
            self.ctx.warn(format!(
                "the filters `{}` of the repository do not run here: a file that has one may be shown as modified, and as it is in the work tree",
                filters.join("`, `").escape_debug()
            ));
        }
    }

    /// The context of the call.
    pub(super) fn ctx(&self) -> &'a Ctx {
        self.ctx
    }

    /// The output of a start that only reads.
    ///
    /// # Errors
    /// Those of the sandbox, and [`failure::error_from_stderr`] what git printed.
    pub(super) fn output(&self, words: &[&str]) -> Result<Vec<u8>> {
        self.run(&GitInvocation::new(words))
    }

    /// The output of a start, which is one line of text.
    ///
    /// # Errors
    /// As [`GitRepository::output`].
    pub(super) fn line(&self, words: &[&str]) -> Result<String> {
        let output = self.output(words)?;
        Ok(String::from_utf8_lossy(&output).trim_end().to_owned())
    }

    /// As [`GitRepository::line`]; `None` where git ends with status 1, which is how it says that there is no such thing.
    ///
    /// # Errors
    /// As [`GitRepository::output`].
    pub(super) fn line_if_any(&self, words: &[&str]) -> Result<Option<String>> {
        let finished = self.finished(&GitInvocation::new(words))?;
        let text = finished.stdout.text();
        match finished.exit.code() {
            0 => Ok(Some(text.trim_end().to_owned())),
            1 => Ok(None),
            code => Err(failure::error_from_stderr(&finished.stderr.text(), code)),
        }
    }

    /// The id of a commit, if there is one of this name.
    ///
    /// # Errors
    /// As [`GitRepository::output`].
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>> {
        let name = format!("{name}^{{commit}}");
        self.line_if_any(&["rev-parse", "--verify", "--quiet", &name])
    }

    /// The branch that `HEAD` names, with `refs/heads/`; `None` where it is detached.
    ///
    /// # Errors
    /// As [`GitRepository::output`].
    pub(super) fn head(&self) -> Result<Option<String>> {
        self.line_if_any(&["symbolic-ref", "--quiet", "HEAD"])
    }

    /// Whether a file of `.git` exists, of its own in a linked work tree.
    ///
    /// # Errors
    /// Those of the workspace.
    pub(super) fn has(&self, name: &str) -> Result<bool> {
        let path = format!("{}/{name}", self.place.inner);
        match self.ctx.files()?.stat(&path) {
            Ok(_) => Ok(true),
            Err(err) if err.is(Reason::NotFound) => Ok(false),
            Err(err) => Err(err),
        }
    }

    /// The whole output of a successful start.
    ///
    /// # Errors
    /// As [`GitRepository::output`]; `output_too_large` where it is cut.
    pub(super) fn run(&self, start: &GitInvocation<'_>) -> Result<Vec<u8>> {
        let finished = self.finished(start)?;
        if !finished.exit.success() {
            let code = finished.exit.code();
            return Err(failure::error_from_stderr(&finished.stderr.text(), code));
        }
        if finished.stdout.truncated() {
            let (bytes, most) = (finished.stdout.bytes_total, start.output_bytes);
            return Err(tool_error!(OutputTooLarge;
                "git printed {bytes} bytes; the maximum is {most}"; "ask for fewer files or commits"));
        }
        Ok(finished.stdout.bytes)
    }

    /// Starts git and waits for its end, whatever its status.
    ///
    /// # Errors
    /// Those of the sandbox, `timeout`, and `limit_exceeded`.
    pub(super) fn finished(&self, start: &GitInvocation<'_>) -> Result<CommandOutput> {
        let command = self.command(start);
        self.ctx
            .reserve((start.output_bytes + command.limits.stderr_bytes) as u64)?;
        let spawner = self.ctx.spawner()?;
        check_finished(spawner.run(&command, self.ctx.stop())?)
    }

    fn command(&self, start: &GitInvocation<'_>) -> SandboxCommand {
        let mut command = base_command(&self.git, start.words);
        command.directory.clone_from(&self.folder);
        command.stdin = start.stdin.to_vec();
        command.limits.stdout_bytes = start.output_bytes;
        command.isolation = start.isolation;
        let shared = self.place.writable.clone();
        command.kept = self.place.kept();
        command.writable = match start.grant {
            GitAccess::Read => Vec::new(),
            GitAccess::Repository => vec![shared],
            GitAccess::WorkTree => vec![".".to_owned(), shared],
        };
        // A program of the user writes as the user does.
        if start.isolation == Isolation::None {
            command.writable.clear();
        }
        if command.writable.is_empty() {
            command.kept.clear();
        }
        command.writable.extend(start.further.iter().cloned());
        let locks = if start.grant == GitAccess::Read {
            "0"
        } else {
            "1"
        };
        let common = ("GIT_COMMON_DIR", self.place.common.as_str());
        let common = self.place.is_linked().then_some(common);
        let variables = [
            ("GIT_DIR", self.place.git.as_str()),
            ("GIT_WORK_TREE", "."),
            ("GIT_OPTIONAL_LOCKS", locks),
        ];
        let variables = variables.into_iter().chain(common);
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        command.environment.extend(variables);
        let given = |name: &str| start.variables.iter().any(|(given, _)| given == name);
        command.environment.retain(|(name, _)| !given(name));
        command.environment.extend(start.variables.iter().cloned());
        let own = self.overrides.iter().chain(start.settings);
        override_settings(&mut command, own);
        command
    }
}

/// A start of git without a repository, in an environment built from nothing.
pub(super) fn base_command(git: &SandboxProgram, words: &[&str]) -> SandboxCommand {
    const VARIABLES: [(&str, &str); 16] = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_CEILING_DIRECTORIES", "/"),
        ("GIT_EDITOR", "false"),
        ("GIT_SEQUENCE_EDITOR", "false"),
        ("GIT_PAGER", "cat"),
        ("GIT_ASKPASS", "false"),
        ("SSH_ASKPASS", "false"),
        ("GIT_SSH_COMMAND", "false"),
        ("GIT_ADVICE", "0"),
        ("GIT_MERGE_AUTOEDIT", "no"),
        ("TZ", "UTC"),
    ];
    let argv = std::iter::once(git.path.as_str()).chain(words.iter().copied());
    let mut command = SandboxCommand::new(argv);
    command.readable.clone_from(&git.readable);
    command.limits.wall = WALL;
    command.limits.cpu = WALL;
    command.limits.memory_bytes = 16 << 30; // git maps whole packs
    command.limits.file_bytes = 2 << 30;
    let variables = VARIABLES.map(|(name, value)| (name.to_owned(), value.to_owned()));
    command.environment = variables.to_vec();
    command
}

/// Puts settings above those of every file: first [`FIXED`], then the given ones.
pub(super) fn override_settings<'s>(
    command: &mut SandboxCommand,
    settings: impl Iterator<Item = &'s (String, String)>,
) {
    let fixed = FIXED.iter().copied();
    let given = settings.map(|(key, value)| (key.as_str(), value.as_str()));
    let mut count = 0;
    for (key, value) in fixed.chain(given) {
        let environment = &mut command.environment;
        environment.push((format!("GIT_CONFIG_KEY_{count}"), key.to_owned()));
        environment.push((format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()));
        count += 1;
    }
    let count = ("GIT_CONFIG_COUNT".to_owned(), count.to_string());
    command.environment.push(count);
}

/// Refuses a run that a limit ended.
pub(super) fn check_finished(finished: CommandOutput) -> Result<CommandOutput> {
    if finished.timed_out {
        return Err(tool_error!(Timeout; "git did not finish before the timeout"));
    }
    if let Some(excess) = finished.exceeded {
        let what = excess.as_str();
        return Err(tool_error!(LimitExceeded, what; "git exceeded its limit on {what}"));
    }
    Ok(finished)
}
