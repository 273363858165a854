//! Tickets of runs of other processes: a worker of Ray computes them with this module, without a toolkit, a workspace or a state.

use std::path::PathBuf;

use mathchain::chain_runtime::cluster::{BuildIdentity, TicketRequest};
use mathchain::cluster;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tool_core::StopFlag;

use crate::call::Stop;
use crate::errors::OrRaise as _;

/// Names this interpreter and the file of this module, which the build of the program is known by. A module that is loaded under another name
/// serves agents, and has no engines.
pub(crate) fn name_python(py: Python<'_>) -> PyResult<()> {
    let modules = py.import("sys")?;
    let module = modules
        .getattr("modules")?
        .call_method1("get", ("mathchain._mathchain",))?;
    if module.is_none() {
        return Ok(());
    }
    let interpreter: Option<PathBuf> = modules.getattr("executable")?.extract()?;
    let file: Option<PathBuf> = module.getattr("__file__")?.extract()?;
    if let (Some(interpreter), Some(file)) = (interpreter, file) {
        cluster::run_in_python(interpreter, file);
    }
    Ok(())
}

/// Build and processor, which must be those of the head of a run for its tickets to be computed here.
#[pyfunction]
pub(crate) fn build_identity(py: Python<'_>) -> PyResult<(String, String)> {
    name_python(py)?;
    let identity = py.detach(cluster::build_identity).or_raise(py)?;
    Ok((identity.build, identity.profile))
}

/// The results of a ticket with their digest, the milliseconds that they took, and whether every call ended by itself. `digest` is that of the
/// body, `head` the build and the processor of the head.
#[pyfunction]
#[pyo3(signature = (body, tool, digest, head, stop=None))]
pub(crate) fn compute_ticket(
    py: Python<'_>,
    body: &[u8],
    tool: &str,
    digest: &str,
    head: (String, String),
    stop: Option<&Stop>,
) -> PyResult<(Py<PyBytes>, String, f64, bool)> {
    name_python(py)?;
    let (build, profile) = head;
    let head = BuildIdentity { build, profile };
    let request = TicketRequest {
        tool,
        digest,
        body,
        head: &head,
    };
    let stop = stop.map_or_else(StopFlag::new, |stop| stop.0.clone());
    let result = py.detach(|| cluster::compute_ticket(&request, &stop));
    let result = result.or_raise(py)?;
    let bytes = PyBytes::new(py, result.body.as_bytes()).unbind();
    Ok((bytes, result.digest, result.elapsed_ms, result.is_whole))
}
