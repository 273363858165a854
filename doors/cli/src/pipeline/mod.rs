//! `mathchain pipeline`: runs the phases of a file with agent command lines, and shows, resumes and lists such runs.

mod plan;
mod render;
mod view;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::AgentService;
use agents::pipeline::{
    End, OUTPUT, PhaseEvent, PhaseSelection, PipelineMachine, PipelineProject, PipelineRun,
    ReadyPipeline, RecordedPipeline, Stop, check_resumable, check_same_file, completed_phases,
    pipeline_value, prepare_pipeline, shown_machine,
};
use journal::{PipelineRequester, StateStore};
use registry::{Config, Dispatcher};

use super::folders::FolderArgs;
use super::prelude::*;
use super::{asking, signals};

/// Which phases run.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct PhaseSelectionArgs {
    /// Leave a phase out; those that depend on it do not run; repeatable
    #[arg(long, value_name = "PHASE")]
    pub skip: Vec<String>,
    /// Run one phase only; those that it depends on must be done by an earlier pipeline of this file
    #[arg(long, value_name = "PHASE", conflicts_with = "from")]
    pub only: Option<String>,
    /// Begin with a phase; those before it count as done where an earlier pipeline of this file completed them
    #[arg(long, value_name = "PHASE")]
    pub from: Option<String>,
}

impl PhaseSelectionArgs {
    fn selection(&self) -> PhaseSelection {
        PhaseSelection {
            skip: self.skip.clone(),
            only: self.only.clone(),
            from: self.from.clone(),
        }
    }
}

/// The project of a toolkit, while its pipeline is prepared and runs.
struct OpenedProject {
    service: Arc<AgentService>,
    config: Arc<Config>,
    dispatcher: Arc<Dispatcher>,
}

impl OpenedProject {
    fn of(toolkit: &Toolkit) -> Result<Self> {
        let service = toolkit.agents().ok_or_else(|| {
            tool_error!(InvalidRequest, "no_file"; "there is no configuration with phases here";
                "name a file: `mathchain pipeline run FILE.toml`")
        })?;
        Ok(Self {
            service: Arc::clone(service),
            config: toolkit.config(),
            dispatcher: toolkit.dispatcher(),
        })
    }

    fn project(&self) -> PipelineProject<'_> {
        PipelineProject {
            service: &self.service,
            config: &self.config,
            dispatcher: &self.dispatcher,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum PipelineCommand {
    /// Run the phases of a file
    #[command(after_help = "Examples:
  mathchain pipeline run examples/pipeline.toml --dry-run
  mathchain pipeline run examples/pipeline.toml
  mathchain pipeline run team.toml --from review
Ctrl-C asks the agents to end, and kills them after 30 seconds; a second one kills them at once (docs/pipelines.md).")]
    Run {
        /// Configuration with `[[phases]]`; by default the project's
        file: Option<PathBuf>,
        /// Show what would run, with commands, tools and limits; nothing starts
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        choice: PhaseSelectionArgs,
    },
    /// Resume a pipeline that stopped or failed; what was done is kept
    Resume {
        /// Id of the pipeline, or a unique prefix
        id: String,
        /// Run agents again whose outcome is unknown, because the process that ran the pipeline ended first
        #[arg(long)]
        retry_unknown: bool,
    },
    /// List pipelines, newest first
    List {
        #[command(flatten)]
        folders: FolderArgs,
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show the phases and agents of a pipeline
    Show {
        /// Id of the pipeline, or a unique prefix
        id: String,
    },
    /// Print the events and the output of a pipeline
    Log {
        /// Id of the pipeline, or a unique prefix
        id: String,
    },
}

/// Runs, resumes, lists and shows pipelines.
pub(super) fn run_pipeline_command(
    global: &GlobalArgs,
    command: &PipelineCommand,
) -> Result<ExitCode> {
    match command {
        PipelineCommand::Run {
            file,
            dry_run,
            choice,
        } => {
            let global = match file {
                Some(file) => with_file(global, file)?,
                None => global.clone(),
            };
            run_pipeline(&global, choice, *dry_run)
        }
        PipelineCommand::Resume { id, retry_unknown } => {
            resume_pipeline(&where_it_ran(global)?, id, *retry_unknown)
        }
        PipelineCommand::List { folders, limit } => {
            list_pipelines(&where_it_ran(global)?, folders, *limit)
        }
        PipelineCommand::Show { id } => {
            let global = &where_it_ran(global)?;
            let toolkit = open::open_toolkit(global)?;
            let state = open::state_to_read(global, &toolkit)?;
            let recorded = RecordedPipeline::load(&state, state.pipeline(id)?)?;
            let RecordedPipeline {
                row,
                machine,
                events,
            } = &recorded;
            print_record(global, &row.id, &row.file, &row.state, machine, events)
        }
        PipelineCommand::Log { id } => print_pipeline_log(&where_it_ran(global)?, id),
    }
}

/// The options with the file of the newest pipeline of the state in the current folder, where no configuration says which state is meant:
/// a pipeline in a file of its own has its state beside that file.
fn where_it_ran(global: &GlobalArgs) -> Result<GlobalArgs> {
    let places = open::locate_places(global)?;
    let of_project = places
        .config_file
        .as_ref()
        .is_some_and(|file| file.of_project);
    let folder = Path::new(mathchain::environment::STATE_FOLDER);
    if global.config.is_some() || of_project || !folder.join(journal::FILE_NAME).exists() {
        return Ok(global.clone());
    }
    let clock = Arc::new(mathchain::clock::SystemClock::default());
    let state = StateStore::open_to_read(folder, &std::env::temp_dir(), clock)?;
    let rows = state.pipelines(None, 1)?;
    match rows.first().map(|row| Path::new(&row.file)) {
        Some(file) if file.is_file() => with_file(global, file),
        _ => Ok(global.clone()),
    }
}

/// The options with this configuration.
fn with_file(global: &GlobalArgs, file: &Path) -> Result<GlobalArgs> {
    if global.config.is_some() {
        return Err(
            tool_error!(InvalidRequest, "config"; "the file is given twice: as an argument and by --config"),
        );
    }
    let config = Some(file.to_owned());
    Ok(GlobalArgs {
        config,
        ..global.clone()
    })
}

fn run_pipeline(
    global: &GlobalArgs,
    choice: &PhaseSelectionArgs,
    dry_run: bool,
) -> Result<ExitCode> {
    let toolkit = match dry_run {
        true => open::read_only(global, true)?,
        false => open::with_agents(global)?,
    };
    let opened = OpenedProject::of(&toolkit)?;
    let needs_record = choice.only.is_some() || choice.from.is_some();
    let mut completed = BTreeMap::new();
    if let (true, Some(state)) = (needs_record, toolkit.state()) {
        let file = opened.service.project.config_file.display().to_string();
        completed.extend(completed_phases(state, &file)?);
    }
    let done = |phase: &str| completed.get(phase).cloned();
    let ready = prepare_pipeline(opened.project(), &choice.selection(), None, &done)?;
    if dry_run {
        return plan::print_pipeline_plan(global, &ready);
    }
    let state = open::require_state(&toolkit)?;
    let run = PipelineRun::begin(state, &ready, &PipelineRequester::default())?;
    print_agent_warnings(&ready);
    write_stderr(&format!("pipeline {}\n", run.id));
    drive_pipeline(global, &toolkit, &opened, &ready, run)
}

fn print_agent_warnings(ready: &ReadyPipeline) {
    for phase in &ready.phases {
        for agent in phase.agents.iter().map(|agent| &agent.ready) {
            for warning in &agent.warnings {
                write_stderr(&format!(
                    "warning: {}/{}: {warning}\n",
                    phase.phase.name, agent.name
                ));
            }
        }
    }
}

fn resume_pipeline(global: &GlobalArgs, id: &str, retry_unknown: bool) -> Result<ExitCode> {
    let row = {
        let toolkit = open::open_toolkit(global)?;
        open::require_state(&toolkit)?.pipeline(id)?
    };
    let global = match &global.config {
        Some(_) => global.clone(),
        None => with_file(global, Path::new(&row.file))?,
    };
    let toolkit = open::with_agents(&global)?;
    let state = open::require_state(&toolkit)?;
    let opened = OpenedProject::of(&toolkit)?;
    let recorded = RecordedPipeline::load(state, state.pipeline(&row.id)?)?;
    check_resumable(&recorded)?;
    let none = PhaseSelection::default();
    let ready = prepare_pipeline(opened.project(), &none, None, &|_| None)?;
    check_same_file(&recorded, &ready)?;
    let unknown = recorded.machine.running();
    let mut again = retry_unknown;
    if !unknown.is_empty() && !again {
        let names: Vec<String> = unknown
            .iter()
            .map(|(phase, agent)| format!("{phase}/{agent}"))
            .collect();
        let names = names.join(", ");
        let question = format!(
            "the outcome of {names} is unknown: the process that ran the pipeline ended first\n"
        );
        again = asking::ask_yes_no(&question, "run again?", "an unknown outcome").map_err(|_| {
            tool_error!(Conflict, "unknown_outcome"; "the outcome of {names} is unknown: the process that ran the pipeline ended first";
                "look at what was done, then resume with --retry-unknown")
        })?;
        if !again {
            return Ok(exit::CANCELLED.into());
        }
    }
    let run = PipelineRun::reopen(state, &ready, recorded, again)?;
    print_agent_warnings(&ready);
    write_stderr(&format!("pipeline {}\n", run.id));
    drive_pipeline(&global, &toolkit, &opened, &ready, run)
}

/// Runs a pipeline to its end, prints it, and gives the exit code.
fn drive_pipeline(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    opened: &OpenedProject,
    ready: &ReadyPipeline,
    mut run: PipelineRun,
) -> Result<ExitCode> {
    let state: &Arc<StateStore> = open::require_state(toolkit)?;
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let mut view = view::PipelineView::new(open::own_command_line(global).0);
    let end = run.drive(opened.project(), ready, state, &mut view, &stop)?;
    answer::close_audit(toolkit);
    let file = ready.file.display().to_string();
    print_record(
        global,
        &run.id,
        &file,
        end.as_str(),
        &run.machine,
        &run.events,
    )?;
    Ok(match (end, run.machine.stop()) {
        (End::Succeeded, _) => exit::OK,
        (End::Stopped, Some(Stop::Cancelled)) => exit::CANCELLED,
        (End::Stopped, Some(Stop::Interrupted)) => exit::INTERRUPTED,
        _ => exit::TOOL_ERROR,
    }
    .into())
}

fn print_record(
    global: &GlobalArgs,
    id: &str,
    file: &str,
    state: &str,
    machine: &PipelineMachine,
    events: &[PhaseEvent],
) -> Result<ExitCode> {
    let machine = shown_machine(machine, state);
    let data = pipeline_value(id, file, state, &machine, events);
    output::print_data(global, &data, || {
        render::render_pipeline(id, state, &machine, events)
    })
}

fn list_pipelines(global: &GlobalArgs, folders: &FolderArgs, limit: u32) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let state = open::state_to_read(global, &toolkit)?;
    let rows = state.pipelines(folders.of(&toolkit).as_ref(), limit as usize)?;
    let none = folders.none(&toolkit, "no pipelines");
    output::print_list(global, &rows, plain_value, &none, |row| {
        let time = human::format_local_time(row.created_ms);
        let line = format!("{}  {time}  {:<11}  {}\n", row.id, row.state, row.file);
        folders.line(line, row.folder_root.as_deref())
    })
}

fn print_pipeline_log(global: &GlobalArgs, id: &str) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let state = open::state_to_read(global, &toolkit)?;
    let row = state.pipeline(id)?;
    let events = state.pipeline_events(&row.id, 0)?;
    let value = |one: &journal::PipelineEvent| {
        object! { "number" => one.number, "time_ms" => one.time_ms, "event" => one.event.clone() }
    };
    output::print_list(global, &events, value, "no events", |one| {
        let time = human::format_local_time(one.time_ms);
        let Some(output) = one.event.get(OUTPUT) else {
            return format!("{time}  {}\n", json::to_text(&one.event));
        };
        let who = [output.text("phase"), output.text("agent")]
            .map(Option::unwrap_or_default)
            .join("/");
        let lines = output.items_at("lines");
        let lines = lines.iter().filter_map(Value::as_str);
        lines
            .map(|line| format!("{time}  {who} | {line}\n"))
            .collect()
    })
}
