//! `mathchain doctor`: what this installation has, what is missing, the cure, and which tools are refused until then.

use std::path::Path;
use std::process::ExitCode;

use host_sandbox::sandbox::Standing;
use registry::plugins::Broken;
use tool_core::capability::Spawner;
use tool_core::{Capability, Spec, ToolError, Value};

use super::args::Global;
use super::session::{self, Places};
use super::{exit, print_data};
use crate::Toolkit;

/// One thing looked at.
struct Probe {
    name: &'static str,
    standing: Standing,
    found: String,
    /// What to do when it is not there.
    cure: Option<String>,
    /// The tools that are refused for it.
    refused: Vec<&'static str>,
}

impl Probe {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            standing: Standing::Ok,
            found: found.into(),
            cure: None,
            refused: Vec::new(),
        }
    }

    fn missing(name: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            standing: Standing::Missing,
            cure: Some(cure.into()),
            ..Self::ok(name, found)
        }
    }

    /// Something a user may do without; `refused` names the tools that need it.
    fn optional(
        name: &'static str,
        found: impl Into<String>,
        cure: impl Into<String>,
        refused: &[&'static str],
    ) -> Self {
        Self {
            standing: Standing::Optional,
            refused: refused.to_vec(),
            ..Self::missing(name, found, cure)
        }
    }

    fn line(&self) -> String {
        let standing = match self.standing {
            Standing::Ok => "ok",
            Standing::Optional => "absent",
            Standing::Missing => "MISSING",
        };
        let mut line = format!("{standing:7} {:14} {}\n", self.name, self.found);
        if let Some(cure) = &self.cure {
            line += &format!("           cure: {cure}\n");
        }
        line
    }

    fn value(&self) -> Value {
        let standing = match self.standing {
            Standing::Ok => "ok",
            Standing::Optional => "optional",
            Standing::Missing => "missing",
        };
        let refused = self.refused.iter().map(|&tool| Value::from(tool)).collect();
        Value::object([
            ("probe", Value::from(self.name)),
            ("ok", Value::from(self.standing == Standing::Ok)),
            ("standing", Value::from(standing)),
            ("found", Value::from(self.found.as_str())),
            ("cure", Value::from(self.cure.clone())),
            ("refused", Value::array(refused)),
        ])
    }
}

/// Looks at everything; exit code 1 when something is missing that a user cannot do without.
pub(super) fn doctor(global: &Global) -> Result<ExitCode, ToolError> {
    let places = session::places(global)?;
    let toolkit = session::open_to_look(global, false)?;
    let mut probes = vec![
        version(),
        processor(),
        configuration(&places),
        policy(&toolkit),
        workspace(&toolkit),
        leftovers(&toolkit),
        state(&toolkit, &places),
        audit(&toolkit),
    ];
    probes.extend(sandbox(&toolkit));
    probes.extend(programs(&toolkit));
    probes.extend(toolkit.broken_plugins().iter().map(broken));
    probes.push(tools(&toolkit, &probes));
    let sound = probes
        .iter()
        .all(|probe| probe.standing != Standing::Missing);
    let data = probes.iter().map(Probe::value).collect();
    print_data(
        global,
        &Value::object([("ok", Value::from(sound)), ("probes", Value::array(data))]),
        || probes.iter().map(Probe::line).collect(),
    );
    Ok(if sound { exit::OK } else { exit::TOOL_ERROR }.into())
}

/// The tools that something holds for.
fn tools_that(toolkit: &Toolkit, holds: impl Fn(&Spec) -> bool) -> Vec<&'static str> {
    let dispatcher = toolkit.dispatcher();
    let specs = dispatcher.catalogue().iter().map(|tool| tool.spec());
    specs
        .filter(|spec| holds(spec))
        .map(|spec| spec.id)
        .collect()
}

/// A plugin of which nothing is used.
fn broken(plugin: &Broken) -> Probe {
    let name = plugin.names.last().map_or("", String::as_str);
    let found = format!("`{name}` is broken: {}", plugin.errors);
    Probe {
        standing: Standing::Missing,
        cure: Some(format!(
            "mend `{}`, or remove its folder",
            plugin.manifest_name
        )),
        ..Probe::ok("plugin", found)
    }
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
        return Probe::optional(
            "processor",
            format!("{cores} cores, {}, no AVX2", features.join(" ")),
            "a processor with AVX2 and FMA is several times faster; results are the same within one numeric profile",
            &[],
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
    let dispatcher = toolkit.dispatcher();
    let policy = dispatcher.policy();
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
        None => Probe {
            refused: tools_that(toolkit, |spec| {
                spec.preconditions.contains(&"workspace=ready")
            }),
            ..Probe::missing("workspace", "none", "name one with --workspace")
        },
    }
}

/// Files that killed calls left in the workspace. Those of a run are removed when it is resumed.
fn leftovers(toolkit: &Toolkit) -> Probe {
    const SHOWN_MAX: usize = 3;
    let Some(root) = toolkit.workspace() else {
        return Probe::ok("leftovers", "no workspace");
    };
    let (found, complete) = host_sandbox::workspace::leftovers(root, 1000);
    if found.is_empty() {
        let beyond = if complete {
            ""
        } else {
            " in the part looked at"
        };
        return Probe::ok("leftovers", format!("no temporary files{beyond}"));
    }
    let names = found.iter().take(SHOWN_MAX);
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    let more = if found.len() > SHOWN_MAX { ", ..." } else { "" };
    Probe::optional(
        "leftovers",
        format!(
            "{} temporary files: {}{more}",
            found.len(),
            names.join(", ")
        ),
        format!(
            "when no call runs: find '{}' -name '.mathchain-*.tmp' -prune -exec rm -r {{}} +",
            root.display()
        ),
        &[],
    )
}

fn state(toolkit: &Toolkit, places: &Places) -> Probe {
    if let (None, None, Some(folder)) = (toolkit.state(), toolkit.state_fault(), &places.state)
        && can_be_made(folder)
    {
        let found = format!("{}: made with the first call", folder.display());
        return Probe::ok("state", found);
    }
    let missing = match (toolkit.state(), toolkit.state_fault()) {
        (Some(state), _) => return Probe::ok("state", state.file().display().to_string()),
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
    };
    Probe {
        refused: tools_that(toolkit, |spec| !spec.effects.is_empty()),
        ..missing
    }
}

/// Whether a folder is there that can be written, or one that it can be made in.
#[cfg(unix)]
fn can_be_made(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    let above = folder.ancestors().find(|above| above.exists());
    above.is_some_and(|above| {
        above.is_dir() && access(above, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    })
}

#[cfg(not(unix))]
fn can_be_made(folder: &Path) -> bool {
    folder.ancestors().any(Path::is_dir)
}

fn audit(toolkit: &Toolkit) -> Probe {
    match toolkit.state().map(|state| state.verify(&[])) {
        None if toolkit.state_fault().is_none() => Probe::ok("audit", "no records"),
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

/// Every part of the sandbox, tried. The last line says what they come to, and so which tools are refused.
fn sandbox(toolkit: &Toolkit) -> impl Iterator<Item = Probe> {
    let probes = toolkit.sandbox().probe().into_iter();
    probes.map(|probe| {
        let none = probe.name == "sandbox level" && probe.standing == Standing::Missing;
        Probe {
            name: probe.name,
            standing: probe.standing,
            found: probe.found,
            cure: probe.cure,
            refused: if none {
                tools_that(toolkit, |spec| {
                    spec.capabilities.contains(&Capability::Spawn)
                })
            } else {
                Vec::new()
            },
        }
    })
}

/// Programs that tools run where they are there; without one only those tools are refused.
fn programs(toolkit: &Toolkit) -> [Probe; 2] {
    let program = |name, cure, tools: &[&'static str]| match toolkit.sandbox().find(name) {
        Some(program) => Probe::ok(name, program.path),
        None => Probe::optional(name, "not found", cure, tools),
    };
    [
        program(
            "python3",
            "install Python 3",
            &["python_eval", "python_run"],
        ),
        program(
            "ruff",
            "`pip install ruff`",
            &["lint_python", "format_python"],
        ),
    ]
}

/// How many tools there are, and which of them the other lines refuse.
fn tools(toolkit: &Toolkit, probes: &[Probe]) -> Probe {
    let all = toolkit.dispatcher().catalogue().len();
    let refusing = probes.iter().filter(|probe| !probe.refused.is_empty());
    let causes: Vec<String> = refusing
        .map(|probe| format!("{} (no {})", probe.refused.join(", "), probe.name))
        .collect();
    if causes.is_empty() {
        return Probe::ok("tools", format!("{all} tools, each can run here"));
    }
    let refused = tools_that(toolkit, |spec| {
        probes.iter().any(|probe| probe.refused.contains(&spec.id))
    });
    let (run, refused) = (all - refused.len(), causes.join("; "));
    Probe::ok(
        "tools",
        format!("{all} tools, {run} can run here; refused: {refused}"),
    )
}
