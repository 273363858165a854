//! `mathchain worker DIR`: computes the tickets of runs on a shared folder.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, TypedValueParser};
use mathchain::cluster::{EngineRequest, WorkerRequest, run_worker};
use registry::model::EngineName;

use super::prelude::*;
use super::signals;

#[derive(Debug, Args)]
#[command(
    after_help = "A worker has the pure tools alone: no workspace, no state, no configuration. It computes for runs of its own user, by the same build of this program, and ends when they are over.
Examples:
  mathchain run examples/study.yaml --engine files --dir /shared/tickets &
  mathchain worker /shared/tickets                      # on each machine; --slots N for fewer processors
  mathchain worker /shared/tickets --idle 3600          # waits an hour for further runs"
)]
pub(super) struct WorkerCommand {
    /// Folder of tickets, on a disk that the run sees too
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Tickets to compute at a time; one for each processor by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub slots: Option<u16>,
    /// Seconds without a ticket after which it ends, 300 by default; with it, the worker also waits for further runs
    #[arg(long, value_name = "SECONDS")]
    pub idle: Option<u64>,
    /// End after one ticket
    #[arg(long)]
    pub once: bool,
    /// Name of this node in records; that of the machine by default
    #[arg(long, value_name = "NAME")]
    pub node: Option<String>,
}

/// Runs a worker to its end.
pub(super) fn run_worker_command(global: &GlobalArgs, worker: &WorkerCommand) -> Result<ExitCode> {
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let report = run_worker(WorkerRequest {
        dir: std::path::absolute(&worker.dir).unwrap_or_else(|_| worker.dir.clone()),
        slots: worker.slots.map(usize::from),
        idle: worker.idle.map(Duration::from_secs),
        once: worker.once,
        node: worker.node.clone(),
        stop,
        log: &|text| write_stderr(&format!("worker: {text}\n")),
    })?;
    let data = object! {
        "tickets" => report.tickets,
        "calls" => report.calls,
        "refused" => report.refused,
    };
    output::print_data(global, &data, || {
        let tickets = count_phrase(report.tickets, "ticket");
        let calls = count_phrase(report.calls, "call");
        format!(
            "computed {tickets} with {calls}, refused {}\n",
            report.refused
        )
    })
}

/// Options that choose the engine of a run.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct EngineArgs {
    /// What computes calls of pure tools: this process, workers on a folder, workers that Slurm starts, or Ray; the configuration's by default
    #[arg(long, value_name = "ENGINE", value_parser = EngineParser)]
    pub engine: Option<EngineChoice>,
    /// Folder of tickets for `--engine files` and `slurm`, on a disk that all workers see
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

const ENGINES: &[(&str, EngineName, &str)] = &[
    ("local", EngineName::Local, "Threads of this process"),
    (
        "files",
        EngineName::Files,
        "Workers of `mathchain worker DIR`",
    ),
    ("slurm", EngineName::Slurm, "Workers in a job array"),
    (
        "ray",
        EngineName::Ray,
        "A Ray of this machine; `ray://HOST:PORT` for a cluster",
    ),
];

/// An engine, and the address of the cluster where one is named.
#[derive(Debug, Clone)]
pub(super) struct EngineChoice {
    engine: EngineName,
    address: Option<String>,
}

/// Reads the name of an engine, or `ray://HOST:PORT`.
#[derive(Debug, Clone)]
struct EngineParser;

impl TypedValueParser for EngineParser {
    type Value = EngineChoice;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> std::result::Result<EngineChoice, clap::Error> {
        let address = value.to_str().and_then(|text| text.strip_prefix("ray://"));
        let (engine, address) = match address {
            Some(address) => (EngineName::Ray, Some(address.to_owned())),
            None => (one_of(ENGINES).parse_ref(command, argument, value)?, None),
        };
        Ok(EngineChoice { engine, address })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = ENGINES.iter();
        let names = names.map(|(name, _, help)| PossibleValue::new(*name).help(*help));
        Some(Box::new(names))
    }
}

impl EngineArgs {
    /// The engine, where one is named.
    pub(super) fn wanted(&self) -> Option<EngineRequest> {
        self.engine.is_some().then(|| self.request())
    }

    pub(super) fn request(&self) -> EngineRequest {
        EngineRequest {
            engine: self.engine.as_ref().map(|choice| choice.engine),
            dir: self.dir.clone(),
            address: (self.engine.as_ref()).and_then(|choice| choice.address.clone()),
        }
    }
}
