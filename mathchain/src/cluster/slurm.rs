//! Workers that Slurm starts: one job array on the folder of a run, which ends with the run.
//!
//! `sbatch` and `scancel` run as the user, outside of the sandbox: they are asked for by the command line, or by a configuration that the
//! user agreed to, and their arguments come from there alone.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::cli::quote_shell_word;
use chain_runtime::cluster::{Executor, ExecutorReport, FilesExecutor, SubmittedTicket, TicketId};
use registry::model::SlurmConfig;
use tool_core::capability::Spawner;
use tool_core::command::{Isolation, SandboxCommand};
use tool_core::{Result, StopFlag, tool_error};

use super::identity::python_host;
use super::shown;
use crate::environment;

/// Longest run of a command of Slurm.
const COMMAND_MAX: Duration = Duration::from_secs(60);

/// Tickets as files, for workers in a job array.
pub(super) struct SlurmExecutor {
    files: FilesExecutor,
    spawner: Arc<dyn Spawner>,
    job: String,
}

impl SlurmExecutor {
    /// Submits the job array.
    ///
    /// # Errors
    /// `precondition_failed` where Slurm does not take it.
    pub(super) fn submit(
        files: FilesExecutor,
        dir: &Path,
        config: &SlurmConfig,
        spawner: Arc<dyn Spawner>,
    ) -> Result<Self> {
        let submitted = run_slurm(&*spawner, sbatch_command(dir, config), script(dir, config)?);
        let job = submitted.and_then(|answer| {
            // `JOB`, or `JOB;CLUSTER`.
            let job = answer
                .trim()
                .split(';')
                .next()
                .unwrap_or_default()
                .to_owned();
            match !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit()) {
                true => Ok(job),
                false => Err(tool_error!(PreconditionFailed, "slurm";
                    "`sbatch` answered `{}` instead of the number of a job", answer.trim())),
            }
        });
        match job {
            Ok(job) => Ok(Self {
                files,
                spawner,
                job,
            }),
            Err(err) => {
                files.close();
                Err(err)
            }
        }
    }
}

impl Executor for SlurmExecutor {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn hint(&self) -> String {
        let job = &self.job;
        format!("`squeue --job {job}` shows why its workers do not run")
    }

    fn submit(&self, ticket: &SubmittedTicket<'_>) -> Result<()> {
        self.files.submit(ticket)
    }

    fn poll(&self) -> Result<ExecutorReport> {
        self.files.poll()
    }

    fn withdraw(&self, id: TicketId) {
        self.files.withdraw(id);
    }

    fn close(&self) {
        self.files.close();
        // Workers end by themselves too, but those that wait in the queue would still be started.
        let command = vec!["scancel".to_owned(), "--quiet".to_owned(), self.job.clone()];
        let _ = run_slurm(&*self.spawner, command, String::new());
    }
}

fn sbatch_command(dir: &Path, config: &SlurmConfig) -> Vec<String> {
    let minutes = config.time.ms().div_ceil(60_000).max(1);
    let mut words = vec![
        "sbatch".to_owned(),
        "--parsable".to_owned(),
        "--job-name=mathchain".to_owned(),
        format!("--array=1-{}", config.tasks),
        format!("--cpus-per-task={}", config.cpus),
        format!("--time={minutes}"),
        "--requeue".to_owned(),
        "--open-mode=append".to_owned(),
        format!("--chdir={}", shown(dir)),
        "--output=worker-%A_%a.log".to_owned(),
    ];
    let partition = config.partition.as_ref();
    words.extend(partition.map(|partition| format!("--partition={partition}")));
    words
}

/// The script of each task: a worker on the folder.
fn script(dir: &Path, config: &SlurmConfig) -> Result<String> {
    let python = python_host().map(|host| Ok((host.interpreter.clone(), " -m mathchain")));
    let program = python.unwrap_or_else(|| std::env::current_exe().map(|program| (program, "")));
    let (program, module) = program.map_err(|err| {
        tool_error!(PreconditionFailed, "build"; "the program does not know its own file: {err}")
    })?;
    let (program, dir) = (shown(&program), shown(dir));
    let (program, dir) = (quote_shell_word(&program), quote_shell_word(&dir));
    let slots = config.cpus;
    Ok(format!(
        "#!/bin/sh\nexec {program}{module} worker {dir} --slots {slots}\n"
    ))
}

/// Runs a command of Slurm and gives what it printed.
fn run_slurm(spawner: &dyn Spawner, argv: Vec<String>, stdin: String) -> Result<String> {
    let name = argv.first().cloned().unwrap_or_default();
    let mut command = SandboxCommand::new(argv);
    command.isolation = Isolation::None;
    command.environment = environment::of_user();
    let own = environment::read_variable("SLURM_CONF");
    command
        .environment
        .extend(own.map(|file| ("SLURM_CONF".to_owned(), file)));
    command.stdin = stdin.into_bytes();
    (command.limits.wall, command.limits.cpu) = (COMMAND_MAX, COMMAND_MAX);
    let finished = spawner.run(&command, &StopFlag::new()).map_err(|err| {
        tool_error!(PreconditionFailed, "slurm"; "`{name}` cannot be run: {}", err.message();
            "the engine `slurm` needs the commands of Slurm on this machine; `--engine files` needs none")
    })?;
    match finished.exit.success() && !finished.timed_out {
        true => Ok(finished.stdout.text()),
        false => Err(tool_error!(PreconditionFailed, "slurm";
            "`{name}` failed: {}", finished.stderr.text().trim())),
    }
}
