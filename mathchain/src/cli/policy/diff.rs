//! `mathchain policy diff`: what a change of a configuration, its agents and its plugins grants and revokes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use host_sandbox::Sandbox;
use registry::policy::{AccessChange, Policy, difference};
use registry::{Catalogue, Config, Facts};
use tool_core::{Entry, ErrorCode, ToolError, Value};

use super::super::args::Global;
use super::super::{exit, print_data, session};
use crate::clock::SystemClock;
use crate::environment;
use crate::plugins::{Loaded, Loader};

/// All that is wrong with a configuration, shapes and names together; `None` where nothing is.
pub(in crate::cli) fn every_error(path: &Path) -> Option<ToolError> {
    Side::load(path).err()
}

/// What one configuration amounts to, with the agents and plugins beside it.
struct Side {
    catalogue: Catalogue,
    policy: Policy,
}

/// What a change of configuration grants and revokes.
pub(super) fn diff(global: &Global, before: &Path, after: &Path) -> Result<ExitCode, ToolError> {
    let (old, new) = (Side::load(before)?, Side::load(after)?);
    // Compared is what the configuration decides, wherever it is used: everything a tool can need is there.
    let facts = ["workspace=ready", "sandbox=ready", "state=ready"]
        .into_iter()
        .fold(Facts::default(), Facts::with);
    let changes = difference(
        (&old.catalogue, &old.policy),
        (&new.catalogue, &new.policy),
        &facts,
    );
    let data = Value::array(changes.iter().map(AccessChange::to_value).collect());
    print_data(global, &data, || {
        if changes.is_empty() {
            return "no role, agent or phase gains or loses a tool\n".to_owned();
        }
        changes.iter().map(line).collect()
    });
    Ok(exit::OK.into())
}

impl Side {
    fn load(path: &Path) -> Result<Self, ToolError> {
        let text = environment::read_named(path)?;
        let absolute = path.canonicalize().map_err(|err| {
            let message = format_args!("cannot read `{}`: {err}", path.display());
            ToolError::new(ErrorCode::InvalidRequest, message).reason("io")
        })?;
        let folder = absolute.parent().unwrap_or(Path::new("/"));
        let agents = environment::agent_texts(folder)?
            .into_iter()
            .map(|agent| {
                let shown = path.with_file_name(&agent.path); // both sides may have one of that name
                (shown.to_string_lossy().into_owned(), agent.text)
            })
            .collect();
        // Their processes are not started: what counts is what their manifests and settings say.
        let sandbox = Sandbox::new(environment::surroundings(None, &[]));
        let loader = Loader::new(
            session::plugin_roots(Some(folder), folder),
            Arc::new(sandbox),
            Arc::new(SystemClock::default()),
        );
        let loaded = loader.load(&[])?;
        Loaded::strict(&loaded.broken)?;
        let tools: Vec<_> = loaded
            .plugins
            .iter()
            .flat_map(|plugin| plugin.erased().iter().cloned())
            .collect();
        let families: Vec<&[Entry]> = crate::families().collect();
        let catalogue = Catalogue::with_plugins(&families, &tools)?;
        let named = (&*path.to_string_lossy(), text.as_str());
        let fill = |config: &mut Config| {
            config.agent_texts = agents;
            environment::read_named_files(path, config);
        };
        let (_, policy) = Config::load_with(named, fill, &catalogue)?;
        Ok(Self { catalogue, policy })
    }
}

fn line(change: &AccessChange) -> String {
    let mut who = format!("role `{}`", change.role);
    for (what, name) in [("agent", &change.agent), ("phase", &change.phase)] {
        if let Some(name) = name {
            let _ = write!(who, ", {what} `{name}`");
        }
    }
    let (kind, tool) = (change.kind(), &change.tool);
    let (before, after) = (change.before.as_str(), change.after.as_str());
    format!("{who}: {kind} `{tool}` ({before} -> {after})\n")
}
