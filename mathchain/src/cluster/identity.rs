//! What two processes must have in common to give the same bytes: the program itself, instructions and caches of the processor.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chain_runtime::cluster::BuildIdentity;
use chain_runtime::run::{build_version, processor_profile};
use tool_core::{Result, tool_error};

use crate::environment;

/// An interpreter of Python that runs this program as a module.
#[derive(Debug)]
pub(super) struct PythonHost {
    pub(super) interpreter: PathBuf,
    module: PathBuf,
}

static PYTHON: OnceLock<PythonHost> = OnceLock::new();

/// Names the interpreter that runs this program, and the file of the module that the program is; the first call counts.
pub fn run_in_python(interpreter: PathBuf, module: PathBuf) {
    let host = PythonHost {
        interpreter,
        module,
    };
    let _ = PYTHON.set(host);
}

/// The interpreter that runs this program, if one does.
pub(super) fn python_host() -> Option<&'static PythonHost> {
    PYTHON.get()
}

/// Build and processor of this process. The build is the version with the digest of the program's file (of the module, in Python): two builds of
/// one version may round differently. Products of matrices are blocked by the sizes of caches, so those count as well.
///
/// # Errors
/// `precondition_failed` where the program cannot read itself.
pub fn build_identity() -> Result<BuildIdentity> {
    let digest = open_program().and_then(registry::digest::of_reader);
    let digest = digest.map_err(|err| {
        tool_error!(PreconditionFailed, "build"; "the program cannot read its own file: {err}";
            "an engine compares the builds of its workers by it")
    })?;
    let profile = format!("{} {}", processor_profile(), cache_sizes());
    Ok(BuildIdentity {
        build: format!("{} {}", build_version(), &digest[..16]),
        profile: profile.trim_end().to_owned(),
    })
}

/// The name of this node: as Slurm calls it, else that of the machine.
pub fn node_name() -> String {
    let variable = |name: &str| environment::read_variable(name).filter(|name| !name.is_empty());
    variable("SLURMD_NODENAME")
        .or_else(|| first_line(Path::new("/proc/sys/kernel/hostname")))
        .or_else(|| variable("HOSTNAME"))
        .unwrap_or_else(|| "unnamed".to_owned())
}

/// The running program, also where its file was replaced.
fn open_program() -> io::Result<File> {
    if let Some(host) = python_host() {
        return File::open(&host.module);
    }
    File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))
}

/// The sizes of the data caches of the first processor, such as `L1=32K L2=1024K L3=36608K`; empty where the system does not tell.
fn cache_sizes() -> String {
    let folder = Path::new("/sys/devices/system/cpu/cpu0/cache");
    let read = |index: usize, name: &str| first_line(&folder.join(format!("index{index}/{name}")));
    let caches = (0..8).filter_map(|index| {
        let (kind, level) = (read(index, "type")?, read(index, "level")?);
        let size = read(index, "size")?;
        (kind != "Instruction").then(|| format!("L{level}={size}"))
    });
    caches.collect::<Vec<_>>().join(" ")
}

/// The text of a small file of the system, without its end of line.
fn first_line(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(256).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned())
}
