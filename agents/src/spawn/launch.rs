//! One agent: its process in the sandbox of its phase, its output, and the reason why it ended.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use registry::model::{Confinement, EnvPolicy, PhaseLimits, PromptVia};
use tool_core::capability::Spawner;
use tool_core::command::{Isolation, ProcessExit, SandboxCommand};
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::{Reason, Result, StopFlag, ToolError, tool_error};

use super::ready::ReadyAgent;
use crate::cli::formats::{AgentOutput, rate_limit, read_output};
use crate::cli::{AgentEnvironment, CliArgs, CliConfigFile, ServerStart, server_registration_text};
use crate::host::{AgentExchange, AgentHost, AgentProgram, HOME, MCP_CONFIG, MovedFile, SETTINGS};
use crate::pipeline::{AgentResult, Category};

/// Longest run and longest silence where the phase states none.
const TIMEOUT_S: u64 = 3600;
const STALL_S: u64 = 300;
/// Time for an agent to end after it was asked to.
const GRACE: Duration = Duration::from_secs(30);
/// Interval at which an agent is looked after.
const LOOK: Duration = Duration::from_millis(100);
/// Longest line of output, in bytes.
const LINE_BYTES_MAX: usize = 8 << 20;
const STDERR_BYTES_MAX: usize = 64 << 10;
/// Address space: runtimes reserve far more than they use, which is limited by itself.
const ADDRESSES_BYTES_MAX: u64 = 256 << 30;
/// Largest file of the home folder that an agent gets.
const HOME_FILE_BYTES_MAX: u64 = 1 << 20;

/// What an agent tells the pipeline or the call that started it.
pub(crate) struct AgentMessage {
    pub phase: String,
    pub agent: String,
    pub what: AgentMessageKind,
}

pub(crate) enum AgentMessageKind {
    /// A line of output, with what was said so far.
    Line {
        text: String,
        said: Box<AgentProgress>,
    },
    /// It ended, with its answer.
    Ended { result: AgentResult, answer: String },
}

/// What an agent has said so far, in short.
#[derive(Debug, Clone, Default)]
pub struct AgentProgress {
    /// Turns, where its command line shows them.
    pub turns: Option<u64>,
    /// Cost in US dollars, where its command line states it.
    pub cost_usd: Option<f64>,
    /// Whether it has stated its answer, and only has to end.
    pub is_over: bool,
    /// Its last words.
    pub last: String,
}

/// A request to stop an agent, with its reason; the first one counts.
#[derive(Default)]
pub(crate) struct AgentStop(Mutex<Option<(Category, String)>>);

impl AgentStop {
    pub(crate) fn stop(&self, category: Category, message: impl Into<String>) {
        let mut reason = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert((category, message.into()));
    }

    fn reason(&self) -> Option<(Category, String)> {
        let reason = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reason.clone()
    }
}

/// An agent that is started.
pub(crate) struct AgentLaunch<'a> {
    pub phase: &'a str,
    pub ready: &'a ReadyAgent,
    pub limits: &'a PhaseLimits,
    /// Folder of the configuration file.
    pub folder: &'a Path,
    pub workspace: &'a Path,
    /// The command of the MCP server of this phase and agent.
    pub server: Vec<String>,
    pub program: &'a AgentProgram,
    pub host: &'a dyn AgentHost,
    pub control: Arc<AgentStop>,
    pub tell: SyncSender<AgentMessage>,
}

impl AgentLaunch<'_> {
    /// Runs the agent to its end and tells the result.
    pub(crate) fn run(&self, spawner: &dyn Spawner) {
        let begun = Instant::now();
        let mut said = read_output(&self.ready.cli.stream_format);
        let writes = self.ready.permission() != Confinement::ReadOnly
            || self.ready.isolation == Isolation::None;
        let before = writes.then(|| self.host.protected_files(self.workspace));
        let (mut result, answer) = match self.converse(spawner, &mut said) {
            Ok(done) => done,
            Err(error) => {
                let category = if error.is(Reason::NotFound) {
                    Category::BinaryNotFound
                } else {
                    Category::OsError
                };
                (
                    AgentResult::failed(category, error_text(&error)),
                    String::new(),
                )
            }
        };
        if let Some(before) = before {
            let moved = self.host.set_aside(self.workspace, &before);
            if !moved.is_empty() {
                result.category = Some(Category::ProtectedPath);
                result.message = moved_files_message(self.workspace, &moved);
            }
        }
        result.turns = said.turns;
        result.cost_usd = said.cost_usd;
        result.input_tokens = said.input_tokens;
        result.output_tokens = said.output_tokens;
        result.elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.tell(AgentMessageKind::Ended { result, answer });
    }

    fn tell(&self, what: AgentMessageKind) {
        // The pipeline hears its agents to the end.
        let _ = self.tell.send(AgentMessage {
            phase: self.phase.to_owned(),
            agent: self.ready.name.clone(),
            what,
        });
    }

    fn converse(
        &self,
        spawner: &dyn Spawner,
        said: &mut AgentOutput,
    ) -> Result<(AgentResult, String)> {
        let exchange = self.host.open_exchange()?;
        let command = self.command(spawner, &*exchange)?;
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| exchange.serve(&self.server, &ended));
            let done = (|| {
                let conversation = spawner.converse(&command, &StopFlag::new())?;
                if self.ready.cli.prompt_via == PromptVia::Stdin {
                    for line in self.ready.prompt.lines() {
                        // A program that does not read its task ends, and says why.
                        if conversation.send(line, &StopFlag::new()).is_err() {
                            break;
                        }
                    }
                }
                conversation.end_input();
                Ok(self.listen(&*conversation, said, &*exchange))
            })();
            ended.store(true, Ordering::SeqCst);
            done
        })
    }

    /// Hears the agent until it ends, and stops it where it must.
    fn listen(
        &self,
        conversation: &dyn ProcessConversation,
        said: &mut AgentOutput,
        exchange: &dyn AgentExchange,
    ) -> (AgentResult, String) {
        let timeout = Duration::from_secs(self.limits.timeout_s.unwrap_or(TIMEOUT_S));
        let stall = Duration::from_secs(self.limits.stall_s.unwrap_or(STALL_S));
        let (begun, mut heard) = (Instant::now(), Instant::now());
        let mut asked: Option<Instant> = None;
        let mut fault = None;
        let exit = loop {
            match conversation.receive(LOOK, &StopFlag::new()) {
                Ok(LineWaitResult::Line(line)) => {
                    heard = Instant::now();
                    self.hear(line, said);
                }
                Ok(LineWaitResult::Silence) => {}
                Ok(LineWaitResult::Ended(exit)) => break exit,
                Err(error) => {
                    fault = Some(error);
                    conversation.kill();
                    let begun = conversation.unfinished();
                    if !begun.is_empty() {
                        self.hear(begun, said);
                    }
                    break None;
                }
            }
            if begun.elapsed() > timeout {
                let message = format!("it ran for more than {} s", timeout.as_secs());
                self.control.stop(Category::Timeout, message);
            } else if heard.elapsed() > stall {
                let message = format!("it was silent for {} s", stall.as_secs());
                self.control.stop(Category::StallTimeout, message);
            }
            match (self.control.reason(), asked) {
                (Some(_), None) => {
                    conversation.terminate();
                    asked = Some(Instant::now());
                }
                (Some(_), Some(since)) if since.elapsed() > GRACE => conversation.kill(),
                _ => {}
            }
        };
        let answer = match (self.writes_answer(), said.answer()) {
            (true, spoken) => match exchange.answer() {
                written if written.is_empty() => spoken.to_owned(),
                written => written,
            },
            (false, spoken) => spoken.to_owned(),
        };
        let result = self.judge(exit, fault, said, &answer, &conversation.stderr());
        (result, answer)
    }

    /// Takes one line of output, and stops the agent where it took too many turns.
    fn hear(&self, line: String, said: &mut AgentOutput) {
        said.read_line(&line);
        let turns = self.ready.effective.max_turns;
        if turns > 0 && said.turns.is_some_and(|found| found > turns) {
            let message = format!("it took more than {turns} turns");
            self.control.stop(Category::Limit, message);
        }
        let progress = AgentProgress {
            turns: said.turns,
            cost_usd: said.cost_usd,
            is_over: said.is_over,
            last: said.last.clone(),
        };
        self.tell(AgentMessageKind::Line {
            text: line,
            said: Box::new(progress),
        });
    }

    /// Whether its command names a file for the answer.
    fn writes_answer(&self) -> bool {
        let cli = &self.ready.cli;
        let templates = [&cli.prompt_argv, &cli.prompt_stdin, &cli.output];
        templates
            .iter()
            .any(|words| words.iter().any(|word| word.contains("{output}")))
    }

    fn judge(
        &self,
        exit: Option<ProcessExit>,
        fault: Option<ToolError>,
        said: &AgentOutput,
        answer: &str,
        stderr: &str,
    ) -> AgentResult {
        let mut result = AgentResult {
            exit: exit.map(ProcessExit::code),
            ..AgentResult::default()
        };
        let mut failed = |category: Category, message: String| {
            result.category = Some(category);
            result.message = message;
        };
        let error = said.error.clone();
        if let Some((category, message)) = self.control.reason() {
            failed(category, message);
        } else if let Some(fault) = fault {
            let category = match fault.reason_str() {
                _ if fault.is(Reason::NotFound) => Category::BinaryNotFound,
                Some("exec" | "sandbox" | "arguments" | "processes") => Category::OsError,
                _ => Category::StreamError,
            };
            failed(category, error_text(&fault));
        } else if exit != Some(ProcessExit::Status(0)) || error.is_some() {
            let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
            let words = error.as_deref().or(last).unwrap_or_default().trim();
            let everything = format!("{}\n{stderr}", error.as_deref().unwrap_or_default());
            let how = match exit {
                Some(ProcessExit::Status(status)) => format!("status {status}"),
                Some(ProcessExit::Signal(signal)) => format!("signal {signal}"),
                None => "an unknown end".to_owned(),
            };
            let message = match words {
                "" => how,
                words => format!("{how}: {words}"),
            };
            match rate_limit(&everything) {
                Some(reset_s) => {
                    failed(Category::RateLimit, message);
                    result.reset_s = reset_s;
                }
                None if exit != Some(ProcessExit::Status(0)) => {
                    failed(Category::NonzeroExit, message)
                }
                None => failed(Category::StreamError, message),
            }
        } else if answer.is_empty() {
            failed(
                Category::EmptyOutput,
                "it ended without an answer".to_owned(),
            );
        }
        result
    }

    /// The command in its sandbox, with the files that it reads.
    fn command(
        &self,
        spawner: &dyn Spawner,
        exchange: &dyn AgentExchange,
    ) -> Result<SandboxCommand> {
        let join = (self.program).joining(&exchange.folder().display().to_string());
        let (config, output) = (exchange.path(MCP_CONFIG), exchange.output());
        let workspace = self.workspace.display().to_string();
        let words = [
            ("mcp_config", config.as_str()),
            ("workspace", workspace.as_str()),
            ("output", output.as_str()),
        ];
        let start = ServerStart {
            argv: &join,
            file: &config,
        };
        let args = self.ready.translate(&words, Some(start))?;
        let of_table = args.mcp_config.as_ref().map(|file| file.text.clone());
        let text = of_table.unwrap_or_else(|| server_registration_text(&join));
        exchange.write(MCP_CONFIG, text.as_bytes())?;
        let mut named = None;
        if let Some(CliConfigFile {
            variable: Some(variable),
            text,
            ..
        }) = &args.config
        {
            exchange.write(SETTINGS, text.as_bytes())?;
            named = Some((variable.clone(), exchange.path(SETTINGS)));
        }
        self.home(exchange)?;
        let (argv, mut readable) = self.argv(spawner, args)?;
        readable.extend(self.program.readable.iter().cloned());
        readable.extend(
            self.ready
                .cli
                .readable
                .iter()
                .map(|path| self.folder.join(path.strip_prefix("./").unwrap_or(path))),
        );
        let mut command = SandboxCommand::new(argv);
        command.isolation = self.ready.isolation;
        command.environment = self.environment(exchange, named, &command.argv[0]);
        command.readable = readable;
        command.exchange = Some(exchange.folder().to_owned());
        if self.ready.permission() != Confinement::ReadOnly
            && self.ready.isolation != Isolation::None
        {
            command.writable = vec![".".to_owned()];
        }
        let wall = Duration::from_secs(self.limits.timeout_s.unwrap_or(TIMEOUT_S)) + 2 * GRACE;
        let limits = &mut command.limits;
        (limits.wall, limits.cpu) = (wall, wall);
        limits.memory_bytes = ADDRESSES_BYTES_MAX;
        limits.tree_memory_bytes = 16 << 30;
        limits.file_bytes = 4 << 30;
        limits.scratch_bytes = 4 << 30;
        limits.scratch_entries = 1_000_000;
        limits.processes = 1024;
        limits.open_files = 4096;
        limits.stdout_bytes = LINE_BYTES_MAX;
        limits.stderr_bytes = STDERR_BYTES_MAX;
        Ok(command)
    }

    /// The arguments with the program where it is found, and what the program needs to read.
    fn argv(&self, spawner: &dyn Spawner, args: CliArgs) -> Result<(Vec<String>, Vec<PathBuf>)> {
        let mut argv = args.argv;
        let mut readable = Vec::new();
        if let Some(program) = argv.first_mut().filter(|program| !program.contains('/')) {
            let found = spawner.find(program).ok_or_else(|| {
                tool_error!(ToolError, Reason::NotFound; "the program `{program}` is not found";
                    "install it, or name it with its path as `binary` in its table")
            })?;
            *program = found.path;
            readable = found.readable;
        }
        Ok((argv, readable))
    }

    /// Copies the files of the user's home folder that the agent is given.
    fn home(&self, exchange: &dyn AgentExchange) -> Result<()> {
        if self.ready.isolation == Isolation::None {
            return Ok(());
        }
        for name in &self.ready.cli.home_files {
            let content = self.host.read_home_file(name, HOME_FILE_BYTES_MAX)?;
            exchange.write(&format!("{HOME}/{name}"), &content)?;
        }
        Ok(())
    }

    /// The variables that the policy of the command line passes, those of its files, and its home folder.
    fn environment(
        &self,
        exchange: &dyn AgentExchange,
        named: Option<(String, String)>,
        program: &str,
    ) -> Vec<(String, String)> {
        /// Places of the user, for which the sandbox has others.
        const PLACES: [&str; 8] = [
            "PATH", "HOME", "TMPDIR", "TMP", "TEMP", "LANG", "PWD", "OLDPWD",
        ];
        let names = self.host.variable_names();
        let mut cli = self.ready.cli.clone();
        if cli.env_policy == EnvPolicy::Filtered {
            // What is no secret by its name may be one: a process gets what is known to be none.
            cli.env_policy = EnvPolicy::Clean;
        }
        let passed = AgentEnvironment::of_cli(&cli, names.iter().map(String::as_str)).passed;
        let free = self.ready.isolation == Isolation::None;
        let own = |name: &String| {
            free || !(PLACES.contains(&name.as_str())
                || (name.starts_with("XDG_") && name.ends_with("_HOME")))
        };
        let value = |name: String| Some((name.clone(), self.host.variable(&name)?));
        let mut variables: Vec<(String, String)> =
            passed.into_iter().filter(own).filter_map(value).collect();
        if !free {
            variables.push(("HOME".to_owned(), exchange.path(HOME)));
            let folder = Path::new(program)
                .parent()
                .map(|folder| folder.display().to_string());
            let folder = folder
                .filter(|folder| folder.starts_with('/'))
                .unwrap_or_default();
            variables.push((
                "PATH".to_owned(),
                format!("/usr/local/bin:/usr/bin:/bin:{folder}")
                    .trim_end_matches(':')
                    .to_owned(),
            ));
        }
        if let Some((name, value)) = named {
            variables.retain(|(known, _)| *known != name);
            variables.push((name, value));
        }
        variables
    }
}

/// The failure of an agent that left these.
fn moved_files_message(workspace: &Path, moved: &[MovedFile]) -> String {
    let named = moved.iter().map(|file| {
        let path = file.path.strip_prefix(workspace).unwrap_or(&file.path);
        let path = path.display();
        match &file.place {
            Some(place) => format!("`{path}` (now `{}`)", place.display()),
            None => format!("`{path}` (which could not be moved: remove it)"),
        }
    });
    let named: Vec<String> = named.collect();
    format!(
        "it wrote {}, which decides what tools may do and is written by people only",
        named.join(", ")
    )
}

/// An error as the record of an agent has it: message, place and code, and the next step.
fn error_text(error: &ToolError) -> String {
    let path = error.path().unwrap_or_default();
    let place = if path.is_empty() {
        String::new()
    } else {
        format!(" (at `{path}`)")
    };
    let hint = error.hint_str();
    let hint = hint.map_or_else(String::new, |hint| format!("\nhint: {hint}"));
    format!("error: {}{place} [{}]{hint}", error.message(), error.code())
}
