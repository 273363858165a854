//! `mathchain doctor`: checks of this installation, with fixes for missing parts and the tools that need them.

use std::path::Path;
use std::process::ExitCode;

use host_sandbox::sandbox::Standing;
use registry::plugins::Broken;
use tool_core::capability::Spawner;
use tool_core::{Capability, Spec, ToolError, Value};

use super::exit;
use super::global::Global;
use super::open::{self, Places};
use super::output::{self, object};
use crate::Toolkit;

/// The result of one check.
struct Probe {
    name: &'static str,
    standing: Standing,
    found: String,
    /// How to provide what is missing.
    cure: Option<String>,
    /// The tools that are unavailable without it.
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

    /// A missing part that is optional; `refused` lists the tools that need it.
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
            line += &format!("           fix: {cure}\n");
        }
        line
    }

    fn value(&self) -> Value {
        let standing = match self.standing {
            Standing::Ok => "ok",
            Standing::Optional => "optional",
            Standing::Missing => "missing",
        };
        object! {
            "probe" => self.name,
            "ok" => self.standing == Standing::Ok,
            "standing" => standing,
            "found" => self.found.as_str(),
            "cure" => self.cure.clone(),
            "refused" => self.refused.clone(),
        }
    }
}

/// Runs all checks; exit code 1 if a required part is missing.
pub(super) fn doctor(global: &Global) -> Result<ExitCode, ToolError> {
    let places = open::places(global)?;
    let toolkit = open::read_only(global, false)?;
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
    let data = probes.iter().map(Probe::value).collect::<Vec<_>>();
    let data = object! { "ok" => sound, "probes" => data };
    output::data(global, &data, || probes.iter().map(Probe::line).collect())?;
    Ok(exit::of_check(sound))
}

/// The tools whose specification satisfies a predicate.
fn tools_that(toolkit: &Toolkit, fits: impl Fn(&Spec) -> bool) -> Vec<&'static str> {
    let dispatcher = toolkit.dispatcher();
    let specs = dispatcher.catalogue().iter().map(|tool| tool.spec());
    specs
        .filter(|spec| fits(spec))
        .map(|spec| spec.id)
        .collect()
}

/// A broken plugin, none of whose tools is available.
fn broken(plugin: &Broken) -> Probe {
    let name = plugin.names.last().map_or("", String::as_str);
    let found = format!("`{name}` is broken: {}", plugin.errors);
    Probe {
        standing: Standing::Missing,
        cure: Some(format!(
            "repair `{}`, or remove its folder",
            plugin.manifest_name
        )),
        ..Probe::ok("plugin", found)
    }
}

fn version() -> Probe {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let version = env!("CARGO_PKG_VERSION");
    Probe::ok("version", format!("mathchain {version} ({os} {arch})"))
}

fn processor() -> Probe {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let features = features();
    let found = format!("{cores} cores, {}", features.join(" "));
    if cfg!(target_arch = "x86_64") && !features.contains(&"avx2") {
        let cure = "a processor with AVX2 and FMA is several times faster; results are identical within one numeric profile";
        return Probe::optional("processor", format!("{found}, no AVX2"), cure, &[]);
    }
    Probe::ok("processor", found)
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let features = [
        ("sse2", true),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    features
        .into_iter()
        .filter(|(_, found)| *found)
        .map(|(name, _)| name)
        .collect()
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
    let (role, roles) = (policy.default_role(), policy.roles().count());
    let found = format!("generation {generation}, default role `{role}`, {roles} roles");
    Probe::ok("policy", found)
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

/// Temporary files of killed calls in the workspace. Resuming a run removes its own.
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
            " in the part searched"
        };
        return Probe::ok("leftovers", format!("no temporary files{beyond}"));
    }
    let names = found
        .iter()
        .take(SHOWN_MAX)
        .map(|path| path.display().to_string());
    let names = names.collect::<Vec<_>>().join(", ");
    let more = if found.len() > SHOWN_MAX { ", ..." } else { "" };
    let cure = format!(
        "when no call runs: find '{}' -name '.mathchain-*.tmp' -prune -exec rm -r {{}} +",
        root.display()
    );
    let found = format!("{} temporary files: {names}{more}", found.len());
    Probe::optional("leftovers", found, cure, &[])
}

fn state(toolkit: &Toolkit, places: &Places) -> Probe {
    if let (None, None, Some(folder)) = (toolkit.state(), toolkit.state_fault(), &places.state)
        && can_be_made(folder)
    {
        let found = format!("{}: created by the first call", folder.display());
        return Probe::ok("state", found);
    }
    let missing = match (toolkit.state(), toolkit.state_fault()) {
        (Some(state), _) => return Probe::ok("state", state.file().display().to_string()),
        (None, Some(fault)) => Probe::missing(
            "state",
            fault.message(),
            fault
                .hint_str()
                .unwrap_or("make the folder writable; until then calls with effects are refused"),
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

/// Whether the folder, or its nearest existing parent, is writable.
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
                .unwrap_or("retain the file, and start a new state folder"),
        ),
        Some(Ok(found)) if found.is_sound() => Probe::ok(
            "audit",
            format!(
                "{} records in {} audit sessions, sound",
                found.records, found.sessions
            ),
        ),
        Some(Ok(found)) => Probe::missing(
            "audit",
            format!("{} faults", found.faults.len()),
            "retain the file; `mathchain audit verify` lists the faults",
        ),
    }
}

/// Every part of the sandbox, tried. The last line is the resulting level, which determines the unavailable tools.
fn sandbox(toolkit: &Toolkit) -> impl Iterator<Item = Probe> {
    let probes = toolkit.sandbox().probe().into_iter();
    probes.map(|probe| {
        let none = probe.name == "sandbox level" && probe.standing == Standing::Missing;
        Probe {
            name: probe.name,
            standing: probe.standing,
            found: probe.found,
            cure: probe.cure,
            refused: match none {
                true => tools_that(toolkit, |spec| {
                    spec.capabilities.contains(&Capability::Spawn)
                }),
                false => Vec::new(),
            },
        }
    })
}

/// Programs that some tools run; without one only those tools are unavailable.
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

/// The number of tools, and those that the other checks make unavailable.
fn tools(toolkit: &Toolkit, probes: &[Probe]) -> Probe {
    let all = toolkit.dispatcher().catalogue().len();
    let refusing = probes.iter().filter(|probe| !probe.refused.is_empty());
    let causes: Vec<String> = refusing
        .map(|probe| format!("{} (no {})", probe.refused.join(", "), probe.name))
        .collect();
    if causes.is_empty() {
        return Probe::ok("tools", format!("{all} tools, all available"));
    }
    let refused = tools_that(toolkit, |spec| {
        probes.iter().any(|probe| probe.refused.contains(&spec.id))
    });
    let (run, refused) = (all - refused.len(), causes.join("; "));
    Probe::ok(
        "tools",
        format!("{all} tools, {run} available; unavailable: {refused}"),
    )
}
