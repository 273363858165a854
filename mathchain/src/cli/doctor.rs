//! `mathchain doctor`: what this installation has, what is missing, and the cure.

use std::process::ExitCode;

use tool_core::capability::Spawner;
use tool_core::{ToolError, Value};

use super::args::Global;
use super::session::{self, Places};
use super::{exit, print_data};
use crate::Toolkit;

/// One thing looked at.
struct Probe {
    name: &'static str,
    found: String,
    /// What to do when it is missing; `None` when it is there.
    cure: Option<String>,
}

impl Probe {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            found: found.into(),
            cure: None,
        }
    }

    fn missing(name: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            name,
            found: found.into(),
            cure: Some(cure.into()),
        }
    }
}

/// Looks at everything; exit code 1 when something is missing.
pub(super) fn doctor(global: &Global) -> Result<ExitCode, ToolError> {
    let places = session::places(global)?;
    let toolkit = session::open(global)?;
    let mut probes = vec![
        version(),
        processor(),
        configuration(&places),
        policy(&toolkit),
        workspace(&toolkit),
        state(&toolkit),
        audit(&toolkit),
        tools(&toolkit),
    ];
    probes.extend(sandbox(&toolkit));
    probes.extend(programs(&toolkit));
    let sound = probes.iter().all(|probe| probe.cure.is_none());
    let data = probes
        .iter()
        .map(|probe| {
            Value::object([
                ("probe", Value::from(probe.name)),
                ("ok", Value::from(probe.cure.is_none())),
                ("found", Value::from(probe.found.as_str())),
                ("cure", Value::from(probe.cure.clone())),
            ])
        })
        .collect();
    print_data(
        global,
        &Value::object([("ok", Value::from(sound)), ("probes", Value::array(data))]),
        || {
            let line = |probe: &Probe| {
                let cure = probe
                    .cure
                    .as_ref()
                    .map(|cure| format!("\n           cure: {cure}"))
                    .unwrap_or_default();
                format!(
                    "{:7} {:14} {}{cure}\n",
                    if probe.cure.is_none() {
                        "ok"
                    } else {
                        "MISSING"
                    },
                    probe.name,
                    probe.found
                )
            };
            probes.iter().map(line).collect()
        },
    );
    Ok(if sound { exit::OK } else { exit::TOOL_ERROR }.into())
}

fn version() -> Probe {
    Probe::ok(
        "version",
        format!(
            "mathchain {} ({} {})",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
    )
}

fn processor() -> Probe {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let features = features();
    if cfg!(target_arch = "x86_64") && !features.contains(&"avx2") {
        return Probe::missing(
            "processor",
            format!("{cores} cores, {}", features.join(" ")),
            "a processor with AVX2 and FMA is several times faster; results are the same within one numeric profile",
        );
    }
    Probe::ok(
        "processor",
        format!("{cores} cores, {}", features.join(" ")),
    )
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let mut found = vec!["sse2"];
    if std::arch::is_x86_feature_detected!("avx2") {
        found.push("avx2");
    }
    if std::arch::is_x86_feature_detected!("fma") {
        found.push("fma");
    }
    if std::arch::is_x86_feature_detected!("avx512f") {
        found.push("avx512f");
    }
    found
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    vec![std::env::consts::ARCH]
}

fn configuration(places: &Places) -> Probe {
    match &places.config_file {
        Some(file) => Probe::ok("configuration", file.path.display().to_string()),
        None => Probe::ok(
            "configuration",
            "none: built-in defaults (`mathchain init` writes one)",
        ),
    }
}

fn policy(toolkit: &Toolkit) -> Probe {
    let policy = toolkit.dispatcher().policy();
    let generation: String = policy.generation().chars().take(16).collect();
    Probe::ok(
        "policy",
        format!(
            "generation {generation}, default role `{}`, {} roles",
            policy.default_role(),
            policy.roles().count()
        ),
    )
}

fn workspace(toolkit: &Toolkit) -> Probe {
    match toolkit.workspace() {
        Some(root) => Probe::ok("workspace", root.display().to_string()),
        None => Probe::missing("workspace", "none", "name one with --workspace"),
    }
}

fn state(toolkit: &Toolkit) -> Probe {
    match (toolkit.state(), toolkit.state_fault()) {
        (Some(state), _) => Probe::ok("state", state.file().display().to_string()),
        (None, Some(fault)) => Probe::missing(
            "state",
            fault.message(),
            fault
                .hint_str()
                .unwrap_or("make the folder writable; until then effects are refused"),
        ),
        (None, None) => Probe::missing(
            "state",
            "no folder",
            "set HOME or XDG_STATE_HOME, or write a configuration with `mathchain init`",
        ),
    }
}

fn audit(toolkit: &Toolkit) -> Probe {
    match toolkit.state().map(|state| state.verify(&[])) {
        None => Probe::missing("audit", "no state", "see `state`"),
        Some(Err(err)) => Probe::missing(
            "audit",
            err.message(),
            err.hint_str()
                .unwrap_or("keep the file and start a new state folder"),
        ),
        Some(Ok(found)) if found.is_sound() => Probe::ok(
            "audit",
            format!(
                "{} records in {} sessions, sound",
                found.records, found.sessions
            ),
        ),
        Some(Ok(found)) => Probe::missing(
            "audit",
            format!("{} faults", found.faults.len()),
            "`mathchain audit verify` lists them; keep the file",
        ),
    }
}

/// Every part of the sandbox, tried.
fn sandbox(toolkit: &Toolkit) -> impl Iterator<Item = Probe> {
    let probes = toolkit.sandbox().probe().into_iter();
    probes.map(|probe| Probe {
        name: probe.name,
        found: probe.found,
        cure: probe.cure,
    })
}

/// Programs that tools run where they are there; without one only those tools are refused.
fn programs(toolkit: &Toolkit) -> [Probe; 2] {
    [
        (
            "python3",
            "`python_eval` and `python_run` are refused; install Python 3",
        ),
        (
            "ruff",
            "`lint_python` and `format_python` are refused; `pip install ruff`",
        ),
    ]
    .map(|(name, without)| match toolkit.sandbox().find(name) {
        Some(program) => Probe::ok(name, program.path),
        None => Probe::ok(name, format!("not found: {without}")),
    })
}

fn tools(toolkit: &Toolkit) -> Probe {
    Probe::ok(
        "tools",
        format!("{} tools", toolkit.dispatcher().catalogue().len()),
    )
}
