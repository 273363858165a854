//! `mathchain session`: reads events, writes plans, waves, results and state, one JSON object a line. Every line of output is a line
//! of the session log, which `mathchain session replay` replays.
//!
//! A line is read only after all calls of the previous one have ended, so that the log depends on the input alone, not on timing.

mod replay;
mod world;

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use registry::{AnswerReader, CallLineage, CallRequest, CallerContext, Dispatcher};
use sessions::{
    AuditHead, CallSettled, CallSettlement, Emitted, Event, EventRefused, Failure, LineRefused,
    LiveRegistry, Record, SessionOpened, StartedCall, StateDocument, WaveStarted, WorkspaceChanged,
    WorkspaceStatus,
};
use tool_core::json::JsonLimits;
use tool_core::{CallOutcome, OutcomeStatus, RandomSeed};

use super::answer::CALL_STACK_BYTES;
use super::jsonl::{self, JsonlLine};
use super::prelude::*;
use super::signals::ServerClosing;
pub(super) use world::SessionWorld;

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "docs/sessions.md lists the events. Every line of output is a line of the session log.
Examples:
  mathchain session < examples/session.jsonl > log.jsonl
  mathchain session replay log.jsonl"
)]
pub(super) struct SessionArgs {
    #[command(subcommand)]
    pub command: Option<SessionCommand>,
    /// Decide and plan calls, but leave their execution to the caller
    #[arg(long)]
    pub plan_only: bool,
    /// Name of the session; by default the audit session of this process
    #[arg(long)]
    pub name: Option<String>,
    /// Role of the calls; overrides the agent's and the configuration's
    #[arg(long)]
    pub role: Option<String>,
    /// Agent of the calls
    #[arg(long)]
    pub agent: Option<String>,
    /// Phase of the calls
    #[arg(long)]
    pub phase: Option<String>,
    /// Kind of task of the calls, with its budget
    #[arg(long)]
    pub task: Option<String>,
    /// Initial toolset, instead of the one selected by phase, agent or role
    #[arg(long)]
    pub toolset: Option<String>,
    /// Initial provider profile
    #[arg(long)]
    pub profile: Option<String>,
    /// Maximum number of calls of a wave to run in parallel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    /// Approve every request automatically, as the operator
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum SessionCommand {
    /// Replay a session log, verify every line, print the final state
    Replay {
        /// The log, or `-` for stdin
        log: PathBuf,
    },
    /// Print the JSON Schema of events, or of lines of output
    Schema {
        /// Kind of lines
        #[arg(value_parser = one_of(SCHEMAS))]
        of: SchemaOf,
    },
}

type SchemaOf = fn() -> tool_core::schema::Schema;

const SCHEMAS: &[(&str, SchemaOf, &str)] = &[
    (
        "event",
        sessions::schema::event_line_schema,
        "Lines of input",
    ),
    (
        "output",
        sessions::schema::output_line_schema,
        "Lines of output, which are those of the log",
    ),
];

/// Serves one session, replays a log, or prints a schema.
pub(super) fn run_session_command(global: &GlobalArgs, args: &SessionArgs) -> Result<ExitCode> {
    match &args.command {
        Some(SessionCommand::Replay { log }) => replay::replay_log(global, log),
        Some(SessionCommand::Schema { of }) => {
            write_stdout(&format!("{:#}\n", of()));
            Ok(exit::OK.into())
        }
        None => serve_session(global, args),
    }
}

fn serve_session(global: &GlobalArgs, args: &SessionArgs) -> Result<ExitCode> {
    let toolkit = match args.agent {
        Some(_) => open::with_agents(global)?,
        None => open::open_toolkit(global)?,
    };
    let stop = StopFlag::new();
    let closing =
        ServerClosing::on_signal(&stop).and_then(|closing| Ok((closing.stdin()?, closing)));
    let (stdin, closing) = closing.map_err(|err| jsonl::stream_error("cannot read stdin", &err))?;
    let mut door = SessionServer::open(&toolkit, args, stop.clone(), closing)?;
    let served = answer::on_stack(|| {
        let input = std::io::BufReader::with_capacity(64 << 10, stdin);
        door.serve(input, &mut output::standard_output())
    });
    answer::close_audit(&toolkit);
    match served? {
        Ok(()) => Ok(exit::of_stop(&stop).into()),
        // The reader closed the output: no error of the session.
        Err(EventHalt::Closed) => Ok(exit::OK.into()),
        Err(EventHalt::Refused(error) | EventHalt::Failed(error)) => Err(error),
    }
}

/// The reason why an event was not applied.
enum EventHalt {
    /// The event is invalid; nothing changed.
    Refused(ToolError),
    /// The reader closed the output.
    Closed,
    /// The session cannot continue.
    Failed(ToolError),
}

struct SessionServer<'a> {
    toolkit: &'a Toolkit,
    session: sessions::Session<LiveRegistry>,
    world: SessionWorld,
    /// The dispatcher of this generation, with the whole workspace.
    base: Arc<Dispatcher>,
    opened: SessionOpened,
    plan_only: bool,
    threads: usize,
    answer: registry::ApprovalAnswer,
    line_bytes_max: usize,
    stop: StopFlag,
    closing: ServerClosing,
}

impl<'a> SessionServer<'a> {
    fn open(
        toolkit: &'a Toolkit,
        args: &SessionArgs,
        stop: StopFlag,
        closing: ServerClosing,
    ) -> Result<Self> {
        let base = toolkit.dispatcher();
        let of_agent = args.agent.as_deref();
        let of_agent = of_agent.and_then(|agent| base.policy().role_of_agent(agent));
        let role = args.role.as_deref().or(of_agent).map(str::to_owned);
        let name = args
            .name
            .clone()
            .or_else(|| toolkit.state().map(|state| state.session()));
        let flags = (registry::policy::FLAGS.into_iter())
            .filter(|fact| base.facts().holds(fact) || *fact == registry::policy::SESSION_OPEN);
        let opened = SessionOpened {
            session: name.unwrap_or_else(|| "session".to_owned()),
            role: role.unwrap_or_else(|| toolkit.config().default_role.text.clone()),
            agent: args.agent.clone(),
            phase: args.phase.clone(),
            task: args.task.clone(),
            toolset: args.toolset.clone(),
            profile: args.profile.clone(),
            facts: flags.map(str::to_owned).collect(),
        };
        let world = SessionWorld::new(toolkit);
        let live = LiveRegistry::new(world.dispatcher(&base, registry::RuntimeFacts::default()));
        Ok(Self {
            toolkit,
            session: sessions::Session::new(live)?,
            world,
            base,
            opened,
            plan_only: args.plan_only,
            threads: jsonl::worker_count(args.threads),
            answer: open::approval_answer(toolkit, args.yes, false)?,
            line_bytes_max: jsonl::line_bytes_max(toolkit),
            stop,
            closing,
        })
    }

    /// Applies lines until the input ends.
    fn serve(&mut self, mut input: impl BufRead, output: &mut impl Write) -> Result<(), EventHalt> {
        let opened = Event::from(self.opened.clone());
        self.event(opened, output)?;
        let mut number = 0;
        loop {
            number += 1;
            let read = jsonl::read_line(&mut input, number, self.line_bytes_max);
            let failed = |err| EventHalt::Failed(jsonl::stream_error("cannot read stdin", &err));
            let line = read.map_err(failed)?;
            match line {
                Some(line) if line.is_part() && self.closing.is_closed() => break,
                Some(line) => self.line(&line, output)?,
                None => break,
            }
        }
        if let Some(head) = answer::audit_head(self.toolkit) {
            let head = head.to_string();
            write_record(output, AuditHead { head }.into())?;
        }
        let end = StateDocument::of(self.session.state()).map_err(EventHalt::Failed)?;
        write_record(output, end.into())
    }

    fn line(&mut self, line: &JsonlLine, output: &mut impl Write) -> Result<(), EventHalt> {
        let event = match self.parse(line) {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error) => {
                let (line, error) = (line.number, Failure::from(&error));
                return write_record(output, LineRefused { line, error }.into());
            }
        };
        let kind = event.kind().to_owned();
        let applied = self.event(event, output);
        let Err(EventHalt::Refused(error)) = applied else {
            return applied;
        };
        let refused = EventRefused {
            line: Some(line.number),
            event: kind,
            error: Failure::from(&error),
        };
        write_record(output, refused.into())
    }

    /// The event of a line; `None` for an empty line.
    fn parse(&self, line: &JsonlLine) -> Result<Option<Event>> {
        let Some(bytes) = &line.bytes else {
            return Err(jsonl::too_long(self.line_bytes_max));
        };
        if line.is_empty() {
            return Ok(None);
        }
        let limits = JsonLimits {
            bytes_max: self.line_bytes_max,
            // The log nests an event one level deeper, and must be readable again.
            depth_max: JsonLimits::default().depth_max - 1,
            ..JsonLimits::default()
        };
        Event::from_value(&json::parse_bytes(bytes, limits)?).map(Some)
    }

    /// Applies an event of the caller, and runs the calls that it starts.
    fn event(&mut self, event: Event, output: &mut impl Write) -> Result<(), EventHalt> {
        match event {
            Event::WorkspaceChanged(changed) => self.workspace_changed(changed, output),
            Event::RegistrySet(_) => self.registry_set(&event, output),
            _ => {
                let started = self.apply(&event, output)?;
                self.run(started, output)
            }
        }
    }

    /// Applies an event, writes the resulting documents, and gives the calls to run.
    fn apply(
        &mut self,
        event: &Event,
        output: &mut impl Write,
    ) -> Result<Option<WaveStarted>, EventHalt> {
        let (applied, emitted) = self.session.feed(event).map_err(EventHalt::Refused)?;
        write_record(output, applied.into())?;
        let mut started = None;
        for document in emitted {
            write_document(output, &document.to_value().map_err(EventHalt::Failed)?)?;
            if let Emitted::WaveStarted(wave) = document {
                started = Some(wave);
            }
        }
        Ok(started)
    }

    /// Opens the workspace before the session applies the event, and closes it after.
    fn workspace_changed(
        &mut self,
        mut changed: WorkspaceChanged,
        output: &mut impl Write,
    ) -> Result<(), EventHalt> {
        let folder = match changed.status {
            WorkspaceStatus::Ready => {
                let path = changed.path.as_deref().unwrap_or(".");
                let folder = self.world.folder(path).map_err(EventHalt::Refused)?;
                changed.path = Some(folder.folder().to_owned());
                Some(folder)
            }
            _ => None,
        };
        let id = changed.id.clone();
        let started = self.apply(&Event::from(changed), output)?;
        self.world.set(folder.map(|folder| (id, folder)));
        self.update_facts()?;
        self.run(started, output)
    }

    /// Reloads configuration and plugins; errors leave everything unchanged.
    fn registry_set(&mut self, event: &Event, output: &mut impl Write) -> Result<(), EventHalt> {
        self.toolkit.reload().map_err(EventHalt::Refused)?;
        let before = std::mem::replace(&mut self.base, self.toolkit.dispatcher());
        self.update_facts()?;
        let applied = self.apply(event, output);
        if applied.is_err() {
            self.base = before;
            self.update_facts()?;
        }
        self.run(applied?, output)
    }

    /// Makes the open workspace part of the facts of later decisions.
    fn update_facts(&mut self) -> Result<(), EventHalt> {
        let facts = self.session.state().policy_facts();
        let facts = facts.map_err(|err| EventHalt::Failed(tool_error!(Internal, "{err}")))?;
        let now = self.world.dispatcher(&self.base, facts);
        self.session.registry_mut().set(now);
        Ok(())
    }

    /// Runs wave after wave and settles every call, in call order.
    fn run(
        &mut self,
        mut started: Option<WaveStarted>,
        output: &mut impl Write,
    ) -> Result<(), EventHalt> {
        while let Some(wave) = started.take().filter(|_| !self.plan_only) {
            self.world.count(self.session.state().workspace.opened);
            self.update_facts()?;
            let outcomes = self.outcomes(&wave.calls);
            for (call, outcome) in wave.calls.iter().zip(outcomes) {
                for mut changed in self.world.changes() {
                    changed.cause = Some(call.call_id.clone());
                    self.apply(&Event::from(changed), output)?;
                    self.update_facts()?;
                }
                if let Some(next) = self.settle(&call.call_id, outcome, output)? {
                    started = Some(next);
                }
            }
            self.update_facts()?;
        }
        Ok(())
    }

    fn settle(
        &mut self,
        call_id: &str,
        outcome: CallOutcome,
        output: &mut impl Write,
    ) -> Result<Option<WaveStarted>, EventHalt> {
        let has_acted = outcome.is_success() && !outcome.effects.is_empty();
        let settled = Event::from(call_settlement(call_id, outcome));
        let applied = self.apply(&settled, output);
        let Err(EventHalt::Refused(error)) = applied else {
            return applied;
        };
        // The result is too large for the session.
        let message = error.message().to_owned();
        let mut instead = CallOutcome::error(tool_error!(OutputTooLarge, "{message}"));
        if has_acted {
            // The effect happened, so the call has not failed.
            instead.status = OutcomeStatus::Success(Value::Null);
            instead.warnings.push(message);
        }
        self.apply(&Event::from(call_settlement(call_id, instead)), output)
    }

    /// Runs calls in parallel; the outcomes are in call order.
    fn outcomes(&self, calls: &[StartedCall]) -> Vec<CallOutcome> {
        let dispatcher = self.session.registry().dispatcher();
        let context = CallerContext {
            who: self.session.state().who(),
            chain: None,
            answer: self.answer,
            person: None,
            reader: AnswerReader::Model,
            origin: CallLineage::default(),
        };
        let stop = &self.stop;
        let next = AtomicUsize::new(0);
        let slots: Vec<OnceLock<CallOutcome>> = calls.iter().map(|_| OnceLock::new()).collect();
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(call) = calls.get(place) else {
                    return;
                };
                let mut context = context.clone();
                context.origin.client_id = Some(call.call_id.clone());
                let outcome = dispatcher.call(CallRequest {
                    tool: call.tool.clone(),
                    args: call.args.clone(),
                    context,
                    seed: RandomSeed::DEFAULT,
                    timeout_ms: None,
                    stop: stop.child(),
                    progress: None,
                    client: None,
                    remote: None,
                });
                let _ = slots[place].set(outcome); // each slot is set once
            }
        };
        std::thread::scope(|scope| {
            for number in 1..self.threads.min(calls.len()) {
                let builder = std::thread::Builder::new()
                    .name(format!("call-{number}"))
                    .stack_size(CALL_STACK_BYTES);
                // Fewer threads take longer and give the same outcomes.
                let _ = builder.spawn_scoped(scope, work);
            }
            work();
        });
        let lost = || CallOutcome::error(tool_error!(Internal, "the call ended without an answer"));
        (slots.into_iter())
            .map(|slot| slot.into_inner().unwrap_or_else(lost))
            .collect()
    }
}

/// The settlement of a call, from its outcome; times and record numbers are in the audit.
fn call_settlement(call_id: &str, outcome: CallOutcome) -> CallSettled {
    let mut settled = CallSettled {
        call_id: call_id.to_owned(),
        status: CallSettlement::Succeeded,
        output: None,
        error: None,
        approval_id: None,
        warnings: outcome.warnings,
    };
    match outcome.status {
        OutcomeStatus::Success(output) => settled.output = Some(output),
        OutcomeStatus::Error(error) => {
            settled.status = match error.code() {
                ErrorCode::Cancelled => CallSettlement::Cancelled,
                _ => CallSettlement::Failed,
            };
            settled.error = Some(Failure::from(&error));
        }
        OutcomeStatus::PendingApproval { approval_id, .. } => {
            settled.status = CallSettlement::PendingApproval;
            settled.approval_id = Some(approval_id);
        }
    }
    settled
}

fn write_record(output: &mut impl Write, record: Record) -> Result<(), EventHalt> {
    write_document(output, &record.to_value().map_err(EventHalt::Failed)?)
}

fn write_document(output: &mut impl Write, document: &Value) -> Result<(), EventHalt> {
    let mut text = json::to_text(document);
    text.push('\n');
    let written = output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush());
    written.map_err(|err| match output::stdout_error(&err) {
        Some(error) => EventHalt::Failed(error),
        None => EventHalt::Closed,
    })
}
