//! Workers past this machine.

use tool_core::{Decode, Describe, names};

use super::UnitDuration;

names! {
    /// What computes the calls of a plan that may leave this process.
    #[derive(Default)]
    EngineName {
        /// The threads of this process.
        #[default]
        Local = "local",
        /// Workers on a shared folder, which a person starts.
        Files = "files",
        /// Workers on a shared folder, which Slurm starts.
        Slurm = "slurm",
        /// Workers of a Ray cluster, or of a Ray on this machine.
        Ray = "ray",
    }
}

/// Workers that compute calls of plans (docs/cluster.md).
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct ClusterConfig {
    /// What computes the calls of `mathchain run` that may leave this process
    pub engine: EngineName,
    /// Folder for the tickets of runs, on a disk that all workers see; relative to the first root
    pub dir: Option<String>,
    /// How long calls wait for a worker while there is none, such as `1min`
    pub wait: UnitDuration,
    /// Time after which a silent worker counts as lost, such as `15s`
    pub lease: UnitDuration,
    /// Jobs of the engine `slurm`
    pub slurm: SlurmConfig,
    /// The cluster of the engine `ray`
    pub ray: RayConfig,
}

impl Default for ClusterConfig {
    fn default() -> Self {
        Self {
            engine: EngineName::Local,
            dir: None,
            wait: UnitDuration::seconds(60),
            lease: UnitDuration::seconds(15),
            slurm: SlurmConfig::default(),
            ray: RayConfig::default(),
        }
    }
}

/// The job array of workers that Slurm starts for a run.
#[derive(Debug, Clone, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct SlurmConfig {
    /// Partition; the cluster's default where absent
    pub partition: Option<String>,
    /// Number of workers, each a task of the array
    #[schema(range(min = 1, max = 10_000))]
    pub tasks: u64,
    /// Processors of a worker, each a slot
    #[schema(range(min = 1, max = 1_024))]
    pub cpus: u64,
    /// Longest life of a worker, such as `1h`
    pub time: UnitDuration,
}

impl Default for SlurmConfig {
    fn default() -> Self {
        Self {
            partition: None,
            tasks: 2,
            cpus: 1,
            time: UnitDuration::seconds(3_600),
        }
    }
}

/// The Ray cluster of runs, and the driver that speaks with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct RayConfig {
    /// `HOST:PORT` of the head of a cluster of which this machine is a node; a Ray of this machine alone where absent
    pub address: Option<String>,
    /// Interpreter with the packages `mathchain` and `ray`: a name of the search path, or with a slash a file or a virtual environment, relative to this
    /// file; `python3` where absent, and the interpreter in use where `mathchain` is the command of the Python package
    pub python: Option<String>,
    /// Most tickets at a time; one for each processor of the cluster where absent
    #[schema(range(min = 1, max = 10_000))]
    pub slots: Option<u64>,
}
