//! What the configuration of a folder gives beyond narrowing, and what of it this user agreed to.
//!
//! A folder may come from anywhere. Programs outside the sandbox, secrets, servers, plugins, files of elsewhere and `allow` rules count
//! only after `mathchain trust` (or the command that wrote them) has recorded them as they are, with the digests of the files that they
//! name. The record is the user's own, outside of the folder, and no tool writes there. Configuration in the user's own folder needs none.

mod files;
mod given;
mod record;

use std::path::{Path, PathBuf};

use registry::Config;
use registry::model::McpServer;
use registry::plugins::PluginBundle;

pub use files::{plan_files, program_files as named_files};
pub use given::{of_agents, of_config};
pub use record::TrustRecord;

/// What ends the message about a part that does not count yet.
pub const NOT_TRUSTED: &str = "this user has not agreed to it as it is now";
/// The command that shows what is given.
pub const HINT: &str = "`mathchain trust` shows it, and asks";

/// Something that a folder gives, as it is shown and agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustItem {
    /// Its table: `notify`, `mcp_servers.NAME`, `plugins.NAME`.
    pub what: String,
    /// All of it, a line for each part, with the digests of files.
    pub shown: String,
}

/// The places that words of a configuration are relative to.
#[derive(Debug, Clone)]
pub struct TrustBases {
    /// Folder of the configuration, without links.
    pub folder: PathBuf,
    /// Roots of the workspace, without links.
    pub roots: Vec<PathBuf>,
}

impl TrustBases {
    pub fn new(folder: &Path, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |path: PathBuf| crate::environment::real_path(&path);
        Self {
            folder: real(folder.to_owned()),
            roots: roots.into_iter().map(real).collect(),
        }
    }

    /// Every base, the folder first.
    fn all(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.folder)
            .chain(&self.roots)
            .map(PathBuf::as_path)
    }
}

/// The plugin of a folder, as it is agreed to.
pub fn of_plugin(name: &str, digest: &str) -> TrustItem {
    TrustItem {
        what: format!("plugins.{name}"),
        shown: format!("digest of its files: {digest}\n"),
    }
}

/// The name of a bundle, for records.
pub fn name_of(bundle: &PluginBundle) -> String {
    let folder = bundle.manifest_name.rsplit('/').nth(1);
    folder.unwrap_or_default().to_owned()
}

/// Takes away from the configuration of a folder what this user has not agreed to, and notes it there. `allow` then asks, and what starts
/// agents refuses those of noted tables.
pub fn strip_untrusted(config: &mut Config, bases: &TrustBases) {
    let given = of_config(config, bases);
    if given.is_empty() {
        return;
    }
    let mut record = TrustRecord::of(&bases.folder);
    let mut adopted = Vec::new();
    let mut untrusted = Vec::new();
    for one in given {
        if record.has(&one) {
            continue;
        }
        match server_of(config, &one.what) {
            // A pin of an earlier version of this program, taken over with the programs as they are.
            Some(server) if !record.knows(&one.what) && record::was_pinned(server) => {
                adopted.push(one);
            }
            _ => untrusted.push(one.what),
        }
    }
    if !adopted.is_empty() {
        // Without a place for the record it counts as before.
        let _ = record.agree(adopted);
    }
    take_away(config, &untrusted, &bases.folder);
    config.untrusted = untrusted;
}

/// Notes the agent files of a folder whose `allow` rules this user has not agreed to: they ask then.
pub fn settle_agents(config: &mut Config, folder: &Path) {
    let given = of_agents(&config.agent_texts);
    if !given.is_empty() {
        let record = TrustRecord::of(folder);
        let untrusted = given.into_iter().filter(|one| !record.has(one));
        config.untrusted.extend(untrusted.map(|one| one.what));
    }
}

fn server_of<'a>(config: &'a Config, what: &str) -> Option<&'a McpServer> {
    let name = what.strip_prefix("mcp_servers.")?;
    config.mcp_servers.iter().find(|server| server.name == name)
}

fn take_away(config: &mut Config, untrusted: &[String], folder: &Path) {
    for what in untrusted {
        match what.as_str() {
            "notify" => config.notify = Default::default(),
            "cluster" => config.cluster = Default::default(),
            "models.embeddings" => config.models.embeddings = None,
            "models.chat" => config.models.chat = None,
            "models.vision" => config.models.vision = None,
            "web.search" => config.web.search = None,
            "code" => config.code.python = None,
            "symbolic" => config.symbolic = Default::default(),
            "workflow.gates" => config.workflow.gates.clear(),
            "permissions" => {
                let permissions = &mut config.permissions;
                permissions.filesystem.requires_approval = true;
                permissions.shell.requires_approval = true;
                let network = &mut permissions.network;
                network.requires_approval = network.requires_approval.filter(|asks| *asks);
                network.allowed_hosts.clear();
                network.allow_private.clear();
            }
            "policies" => {
                for layer in &mut config.layers {
                    layer.untrusted = true;
                }
            }
            "approvals" => given::wait_as_usual(&mut config.approvals),
            "server" => given::stay_on_this_machine(&mut config.server),
            "workspace.writable" => config.workspace.writable.clear(),
            "workspace" => given::stay_inside(&mut config.workspace, folder),
            other if other.starts_with("schedules.") => {
                let name = other.trim_start_matches("schedules.");
                config.schedules.retain(|schedule| schedule.name != name);
            }
            // The tools of a service stay known by name; `openapi` looks at the note.
            other if other.starts_with("openapi.") => {}
            // The tables of agents and phases stay, for lists: what starts agents looks at the note.
            other => {
                let name = other.strip_prefix("mcp_servers.").unwrap_or_default();
                let mut servers = config.mcp_servers.iter_mut();
                if let Some(server) = servers.find(|server| server.name == name) {
                    server.pin = Some(Err(NOT_TRUSTED.to_owned()));
                }
            }
        }
    }
}

/// The line about what does not count.
pub fn untrusted_warning(untrusted: &[String]) -> Option<String> {
    if untrusted.is_empty() {
        return None;
    }
    let names: Vec<String> = untrusted.iter().map(|what| format!("`{what}`")).collect();
    Some(format!(
        "this folder's configuration gives more than you have agreed to: {} {} not count until `mathchain trust`",
        names.join(", "),
        if names.len() == 1 { "does" } else { "do" },
    ))
}
