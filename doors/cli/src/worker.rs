//! `mathchain worker DIR`: computes the tickets of runs on a shared folder.

use std::path::PathBuf;
use std::time::Duration;

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
    /// What computes calls of pure tools: this process, workers on a folder, or workers that Slurm starts; the configuration's by default
    #[arg(long, value_name = "ENGINE", value_parser = one_of(ENGINES))]
    pub engine: Option<EngineName>,
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
];

impl EngineArgs {
    pub(super) fn request(&self) -> EngineRequest {
        EngineRequest {
            engine: self.engine,
            dir: self.dir.clone(),
        }
    }
}
