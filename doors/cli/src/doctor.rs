//! `mathchain doctor`: checks of this installation, with fixes for missing parts and the tools that need them.

use std::path::Path;

use host_sandbox::sandbox::ProbeVerdict;
use journal::{StateStore, VerificationChecks};
use registry::plugins::BrokenPlugin;
use tool_core::capability::Spawner;
use tool_core::{Capability, Spec};

use super::prelude::*;
use mathchain::WorkspaceRoot;
use mathchain::audit_key;
use mathchain::door::RunLocations;

/// The result of one check.
struct DoctorCheck {
    name: &'static str,
    standing: ProbeVerdict,
    found: String,
    /// How to provide what is missing.
    cure: Option<String>,
    /// Whether the part is there and in a bad state.
    has_failed: bool,
    /// The tools that are unavailable without it.
    refused: Vec<&'static str>,
}

impl DoctorCheck {
    fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            standing: ProbeVerdict::Ok,
            found: found.into(),
            cure: None,
            has_failed: false,
            refused: Vec::new(),
        }
    }

    /// A part that is there, and in a bad state.
    fn failed(name: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            has_failed: true,
            ..Self::missing(name, found, cure)
        }
    }

    fn missing(name: &'static str, found: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            standing: ProbeVerdict::Missing,
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
            standing: ProbeVerdict::Optional,
            refused: refused.to_vec(),
            ..Self::missing(name, found, cure)
        }
    }

    /// The result in data, and on a line of text.
    fn words(&self) -> (&'static str, &'static str) {
        match self.standing {
            ProbeVerdict::Ok => ("ok", "ok"),
            ProbeVerdict::Optional => ("optional", "absent"),
            ProbeVerdict::Missing if self.has_failed => ("failed", "FAILED"),
            ProbeVerdict::Missing => ("missing", "MISSING"),
        }
    }

    fn line(&self) -> String {
        let mut line = format!("{:7} {:14} {}\n", self.words().1, self.name, self.found);
        if let Some(cure) = &self.cure {
            line += &format!("           fix: {cure}\n");
        }
        line
    }

    fn value(&self) -> Value {
        object! {
            "probe" => self.name,
            "ok" => self.standing == ProbeVerdict::Ok,
            "standing" => self.words().0,
            "found" => self.found.as_str(),
            "cure" => self.cure.clone(),
            "refused" => self.refused.clone(),
        }
    }
}

/// Runs all checks; exit code 1 if a required part is missing.
pub(super) fn run_doctor(global: &GlobalArgs) -> Result<ExitCode> {
    let places = open::locate_places(global)?;
    let toolkit = open::read_only(global, false)?;
    let mut probes = vec![
        probe_version(),
        probe_processor(),
        probe_configuration(&places),
        probe_policy(&toolkit),
        probe_workspace(&toolkit),
        probe_leftovers(&toolkit),
        probe_state(&toolkit, &places),
        probe_disk_space(&places),
        probe_audit(&toolkit),
    ];
    probes.extend(probe_sandbox(&toolkit));
    probes.extend(probe_programs(&toolkit));
    let broken_plugins = toolkit.broken_plugins();
    probes.extend(
        broken_plugins
            .iter()
            .filter(|one| !one.is_off)
            .map(probe_broken_plugin),
    );
    probes.push(probe_tools(&toolkit, &probes));
    let sound = |probe: &DoctorCheck| probe.standing != ProbeVerdict::Missing;
    let sound = probes.iter().all(sound);
    let data = probes.iter().map(DoctorCheck::value).collect::<Vec<_>>();
    let data = object! { "ok" => sound, "probes" => data };
    let line = |probe: &DoctorCheck| human::fit_list_entry(&probe.line()).into_owned();
    output::print_data(global, &data, || probes.iter().map(line).collect())?;
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
fn probe_broken_plugin(plugin: &BrokenPlugin) -> DoctorCheck {
    let name = plugin.names.last().map_or("", String::as_str);
    let found = format!("`{name}` is broken: {}", plugin.errors.with_keys());
    DoctorCheck {
        standing: ProbeVerdict::Missing,
        cure: Some(format!(
            "repair `{}`, or `mathchain plugins disable {name}`",
            plugin.manifest_name
        )),
        ..DoctorCheck::ok("plugin", found)
    }
}

fn probe_version() -> DoctorCheck {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let version = env!("CARGO_PKG_VERSION");
    DoctorCheck::ok("version", format!("mathchain {version} ({os} {arch})"))
}

fn probe_processor() -> DoctorCheck {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let features = cpu_features();
    let found = format!("{cores} cores, {}", features.join(" "));
    if cfg!(target_arch = "x86_64") && !features.contains(&"avx2") {
        let cure = "a processor with AVX2 and FMA is several times faster; results are identical within one numeric profile";
        return DoctorCheck::optional("processor", format!("{found}, no AVX2"), cure, &[]);
    }
    DoctorCheck::ok("processor", found)
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    let features = [
        ("sse2", true),
        ("avx2", std::arch::is_x86_feature_detected!("avx2")),
        ("fma", std::arch::is_x86_feature_detected!("fma")),
        ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
    ];
    let found = features.iter().filter(|(_, found)| *found);
    found.map(|(name, _)| *name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu_features() -> Vec<&'static str> {
    vec![std::env::consts::ARCH]
}

fn probe_configuration(places: &RunLocations) -> DoctorCheck {
    let found = match &places.config_file {
        Some(file) => file.path.display().to_string(),
        None => "none: built-in defaults (`mathchain init` writes one)".to_owned(),
    };
    DoctorCheck::ok("configuration", found)
}

fn probe_policy(toolkit: &Toolkit) -> DoctorCheck {
    let dispatcher = toolkit.dispatcher();
    let policy = dispatcher.policy();
    let generation: String = policy.generation().chars().take(16).collect();
    let (role, roles) = (policy.default_role(), policy.roles().count());
    let found = format!("generation {generation}, default role `{role}`, {roles} roles");
    DoctorCheck::ok("policy", found)
}

fn probe_workspace(toolkit: &Toolkit) -> DoctorCheck {
    match toolkit.roots() {
        [root] => DoctorCheck::ok("workspace", root.path.display().to_string()),
        [_, ..] => DoctorCheck::ok("workspace", root_list_text(toolkit.roots())),
        [] => DoctorCheck {
            refused: tools_that(toolkit, |spec| {
                spec.preconditions.contains(&"workspace=ready")
            }),
            ..DoctorCheck::missing("workspace", "none", "name one with --workspace")
        },
    }
}

/// Roots with their access.
fn root_list_text(roots: &[WorkspaceRoot]) -> String {
    let shown = |root: &WorkspaceRoot| format!("{} ({})", root.path.display(), root.access);
    roots.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Temporary files of killed calls in the workspace. Resuming a run removes its own.
fn probe_leftovers(toolkit: &Toolkit) -> DoctorCheck {
    const SHOWN_MAX: usize = 3;
    let roots = toolkit.roots();
    if roots.is_empty() {
        return DoctorCheck::ok("leftovers", "no workspace");
    }
    let (mut found, mut complete) = (Vec::new(), true);
    for root in roots {
        let (more, all) = host_sandbox::workspace::find_leftovers(&root.path, 1000);
        found.extend(more);
        complete &= all;
    }
    found.sort();
    found.dedup();
    if found.is_empty() {
        let beyond = [" in the part searched", ""][usize::from(complete)];
        return DoctorCheck::ok("leftovers", format!("no temporary files{beyond}"));
    }
    let names = found.iter().take(SHOWN_MAX);
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    let names = names.join(", ");
    let more = if found.len() > SHOWN_MAX { ", ..." } else { "" };
    let folders = roots
        .iter()
        .map(|root| format!("'{}'", root.path.display()));
    let cure = format!(
        "when no call runs: find {} -name '.mathchain-*.tmp' -prune -exec rm -r {{}} +",
        folders.collect::<Vec<_>>().join(" ")
    );
    let found = format!("{} temporary files: {names}{more}", found.len());
    DoctorCheck::optional("leftovers", found, cure, &[])
}

fn probe_state(toolkit: &Toolkit, places: &RunLocations) -> DoctorCheck {
    if let (None, None, Some(folder)) = (toolkit.state(), toolkit.state_fault(), &places.state)
        && can_be_made(folder)
    {
        let found = format!("{}: created by the first call", folder.display());
        return DoctorCheck::ok("state", found);
    }
    let missing = match (toolkit.state(), toolkit.state_fault()) {
        (Some(state), _) => {
            let file = state.file().display().to_string();
            return match toolkit.copy_of() {
                None => DoctorCheck::ok("state", file),
                Some(original) => DoctorCheck::failed(
                    "state",
                    format!("{file} is a copy, or a restored backup, of that of {original}"),
                    "`mathchain workspace adopt` makes it the state of this folder",
                ),
            };
        }
        (None, Some(fault)) => {
            let usual = "make the folder writable; until then calls with effects are refused";
            DoctorCheck::missing("state", fault.message(), fault.hint_str().unwrap_or(usual))
        }
        (None, None) => {
            let cure = "set HOME or XDG_STATE_HOME, or write a configuration with `mathchain init`";
            DoctorCheck::missing("state", "no folder", cure)
        }
    };
    DoctorCheck {
        refused: tools_that(toolkit, |spec| !spec.effects.is_empty()),
        ..missing
    }
}

/// The space that is left where the state is.
#[cfg(unix)]
fn probe_disk_space(places: &RunLocations) -> DoctorCheck {
    let folder = places.state.as_deref().unwrap_or(Path::new("."));
    let there = folder.ancestors().find(|above| above.exists());
    let found = there.and_then(|there| rustix::fs::statvfs(there).ok());
    match found {
        Some(found) => judge_free_space(found.f_bavail.saturating_mul(found.f_frsize)),
        None => DoctorCheck::ok("space", "unknown"),
    }
}

/// Whether so many free bytes are enough for the state.
#[cfg(unix)]
fn judge_free_space(bytes: u64) -> DoctorCheck {
    /// Below this many bytes calls may soon not be recorded.
    const SCARCE: u64 = 256 << 20;
    let words = format!("{} free for the state", human::format_byte_size(bytes));
    match bytes < SCARCE {
        false => DoctorCheck::ok("space", words),
        true => DoctorCheck::failed(
            "space",
            words,
            "make room: a call with effects is refused where it cannot be recorded; `mathchain state size` shows what the state holds, `mathchain state prune` removes old records",
        ),
    }
}

#[cfg(not(unix))]
fn probe_disk_space(_: &RunLocations) -> DoctorCheck {
    DoctorCheck::ok("space", "unknown")
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

fn probe_audit(toolkit: &Toolkit) -> DoctorCheck {
    let verified = |state: &StateStore| {
        state.verify_with(&VerificationChecks {
            published: &[],
            values: true,
            cut_keys: Some(&audit_key::trusted_cut_keys(&[])?),
        })
    };
    match toolkit.state().map(|state| verified(state)) {
        None if toolkit.state_fault().is_none() => DoctorCheck::ok("audit", "no records"),
        None => DoctorCheck::missing("audit", "no state", "see `state`"),
        Some(Err(err)) => {
            let usual = "retain the file, and start a new state folder";
            DoctorCheck::failed("audit", err.message(), err.hint_str().unwrap_or(usual))
        }
        Some(Ok(found)) if found.is_sound() => {
            let (records, sessions) = (found.records, found.sessions);
            let found = format!("{records} records in {sessions} audit sessions, sound");
            DoctorCheck::ok("audit", found)
        }
        Some(Ok(found)) => {
            let cure = "retain the file; `mathchain audit verify` lists the faults";
            let faults = count_phrase(found.faults.len() as u64, "fault");
            DoctorCheck::failed("audit", faults, cure)
        }
    }
}

/// Every part of the sandbox, tried. The last line is the resulting level, which determines the unavailable tools.
fn probe_sandbox(toolkit: &Toolkit) -> impl Iterator<Item = DoctorCheck> {
    let probes = toolkit.sandbox().probe().into_iter();
    probes.map(|probe| {
        let none = probe.name == "sandbox level" && probe.standing == ProbeVerdict::Missing;
        let spawns = |spec: &Spec| none && spec.capabilities.contains(&Capability::Spawn);
        DoctorCheck {
            name: probe.name,
            standing: probe.standing,
            found: probe.found,
            cure: probe.cure,
            has_failed: false,
            refused: tools_that(toolkit, spawns),
        }
    })
}

/// Programs that some tools run; without one only those tools are unavailable.
fn probe_programs(toolkit: &Toolkit) -> [DoctorCheck; 2] {
    let program = |name, cure, tools: &[&'static str]| match toolkit.sandbox().find(name) {
        Some(program) => DoctorCheck::ok(name, program.path),
        None => DoctorCheck::optional(name, "not found", cure, tools),
    };
    let of_ruff = ["lint_python", "format_python"];
    [
        program(
            "python3",
            "install Python 3",
            &["python_eval", "python_run"],
        ),
        program("ruff", "`pip install ruff`", &of_ruff),
    ]
}

/// The number of tools, and those that the other checks make unavailable.
fn probe_tools(toolkit: &Toolkit, probes: &[DoctorCheck]) -> DoctorCheck {
    let all = toolkit.dispatcher().catalogue().len();
    let refusing = probes.iter().filter(|probe| !probe.refused.is_empty());
    let causes: Vec<String> = refusing
        .map(|probe| format!("{} (no {})", probe.refused.join(", "), probe.name))
        .collect();
    if causes.is_empty() {
        return DoctorCheck::ok("tools", format!("{all} tools, all available"));
    }
    let refused = tools_that(toolkit, |spec| {
        probes.iter().any(|probe| probe.refused.contains(&spec.id))
    });
    let (run, refused) = (all - refused.len(), causes.join("; "));
    let found = format!("{all} tools, {run} available; unavailable: {refused}");
    DoctorCheck::ok("tools", found)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_a_fault_with_the_command_that_makes_room() {
        assert_eq!(
            judge_free_space(256 << 20).line(),
            "ok      space          268.4 MB free for the state\n"
        );
        for bytes in [0, (256 << 20) - 1] {
            let line = judge_free_space(bytes).line();
            assert!(line.starts_with("FAILED  space"), "{line}");
            assert!(line.contains("`mathchain state prune`"), "{line}");
        }
    }
}
