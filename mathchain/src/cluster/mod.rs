//! Engines of plans: what computes calls past this process, as the configuration or the command line names it.

mod driver;
mod identity;
mod local_ray;
mod ray;
mod slurm;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chain_runtime::cluster::{
    BuildIdentity, Cluster, ClusterSettings, Executor, FilesExecutor, FilesSettings, TicketRequest,
    TicketResult, WorkerOptions, WorkerReport, serve_tickets,
};
use registry::model::{ClusterConfig, EngineName, UnitDuration};
use tool_core::{AnyTool, Result, StopFlag, tool_error};

use crate::{Toolkit, environment};
pub use identity::{build_identity, node_name, run_in_python};
pub use local_ray::{RayCommand, run_ray_command};

/// An engine for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineRequest {
    /// The engine; that of the configuration where absent.
    pub engine: Option<EngineName>,
    /// The folder of tickets; that of the configuration where absent.
    pub dir: Option<PathBuf>,
    /// The address of a Ray cluster; that of the configuration where absent.
    pub address: Option<String>,
}

/// A worker to be run by this process.
pub struct WorkerRequest<'a> {
    /// The folder of tickets.
    pub dir: PathBuf,
    /// Tickets at a time; one for each processor where absent.
    pub slots: Option<usize>,
    /// Time without a ticket after which it ends; where it is given, the worker also waits for further runs.
    pub idle: Option<Duration>,
    /// Whether it ends after one ticket.
    pub once: bool,
    /// Name of this node; that of the machine where absent.
    pub node: Option<String>,
    /// Set to end it.
    pub stop: StopFlag,
    /// Told of what a person should know.
    pub log: &'a (dyn Fn(&str) + Sync),
}

/// Time without a ticket after which a worker ends.
const IDLE: Duration = Duration::from_secs(300);

/// Computes tickets with the pure tools of this program until the runs of a folder are over.
///
/// # Errors
/// As [`serve_tickets`]; `precondition_failed` where the program cannot read itself.
pub fn run_worker(request: WorkerRequest<'_>) -> Result<WorkerReport> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    serve_tickets(&WorkerOptions {
        dir: request.dir,
        slots: request.slots.unwrap_or_else(processors),
        idle: request.idle.unwrap_or(IDLE),
        stays: request.idle.is_some(),
        once: request.once,
        node: request.node.unwrap_or_else(node_name),
        identity: build_identity()?,
        stop: request.stop,
        tool: &pure_tool,
        log: request.log,
    })
}

/// Computes one ticket with the pure tools of this program.
///
/// # Errors
/// As [`chain_runtime::cluster::compute_ticket`]; `precondition_failed` where the program cannot read itself.
pub fn compute_ticket(request: &TicketRequest<'_>, stop: &StopFlag) -> Result<TicketResult> {
    static IDENTITY: OnceLock<Result<BuildIdentity>> = OnceLock::new();
    let identity = IDENTITY.get_or_init(build_identity).as_ref();
    let identity = identity.map_err(Clone::clone)?;
    chain_runtime::cluster::compute_ticket(request, identity, &pure_tool, stop)
}

/// A tool of those that `math-tools` has, by its canonical name: all that a worker computes with.
fn pure_tool(id: &str) -> Option<&'static dyn AnyTool> {
    let families = math_tools::FAMILIES.iter().copied().flatten();
    families
        .map(|entry| entry.tool())
        .find(|tool| tool.spec().id == id)
}

impl Toolkit {
    /// Opens the engine of a run; `None` for the threads of this process. It ends when it is closed or dropped.
    ///
    /// # Errors
    /// `precondition_failed` where its folder, its scheduler or its cluster cannot be used, `invalid_args` where it has no folder or an invalid address.
    pub fn open_engine(&self, request: &EngineRequest) -> Result<Option<Arc<Cluster>>> {
        let configured = self.config().cluster.clone();
        let engine = request.engine.unwrap_or(configured.engine);
        let executor: Box<dyn Executor> = match engine {
            EngineName::Local => return Ok(None),
            EngineName::Files => {
                let dir = self.ticket_folder(request, &configured).ok_or_else(|| {
                    tool_error!(InvalidArgs, "run_folder";
                        "the engine `files` has no folder";
                        "`--dir DIR`, or `dir` in `[cluster]`; then `mathchain worker DIR` on each machine")
                })?;
                Box::new(open_folder(dir, &configured)?)
            }
            EngineName::Slurm => {
                let shared = || Some(environment::user_state_folder()?.join("cluster"));
                let dir = self.ticket_folder(request, &configured).or_else(shared);
                let dir = dir.ok_or_else(|| {
                    tool_error!(InvalidArgs, "run_folder"; "the engine `slurm` has no folder";
                        "`--dir DIR` on a disk that all nodes see")
                })?;
                let spawner = Arc::clone(&self.sandbox) as _;
                let files = open_folder(dir.clone(), &configured)?;
                Box::new(slurm::SlurmExecutor::submit(
                    files,
                    &dir,
                    &configured.slurm,
                    spawner,
                )?)
            }
            EngineName::Ray => {
                let mut config = configured.ray.clone();
                config.address = request.address.clone().or(config.address);
                Box::new(ray::RayExecutor::start(&config)?)
            }
        };
        let settings = ClusterSettings {
            wait: duration_of(configured.wait),
            ..ClusterSettings::default()
        };
        let has_tool = |id: &str| pure_tool(id).is_some();
        Cluster::start(executor, settings, has_tool).map(Some)
    }

    fn ticket_folder(
        &self,
        request: &EngineRequest,
        configured: &ClusterConfig,
    ) -> Option<PathBuf> {
        let base = || self.roots().first().map(|root| root.path.clone());
        let configured = configured.dir.as_ref();
        let configured = configured.map(|dir| base().unwrap_or_default().join(dir));
        let dir = request.dir.clone().or(configured)?;
        Some(std::path::absolute(&dir).unwrap_or(dir))
    }
}

fn open_folder(dir: PathBuf, configured: &ClusterConfig) -> Result<FilesExecutor> {
    FilesExecutor::create(FilesSettings {
        dir,
        // Files on other machines are not seen at once.
        lease: duration_of(configured.lease).max(Duration::from_secs(1)),
        identity: build_identity()?,
    })
}

fn duration_of(duration: UnitDuration) -> Duration {
    Duration::from_millis(duration.ms())
}

/// The folder of tickets of a path, for messages.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
