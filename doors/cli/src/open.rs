//! Opening the toolkit through the [`Door`] that the options name, with the log and the warnings of a command line.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agents::cli::quote_shell_word;
use journal::{FILE_NAME, StateStore};
use registry::{ApprovalAnswer, ApprovalsFrom, RuntimeFacts, Unattended};
use tool_core::{Reason, Result, object, tool_error};

use super::global::GlobalArgs;
use super::log;
use super::output::write_stderr;
use mathchain::door::{RunLocations, no_state};
use mathchain::trust::{self, TrustItem};
use mathchain::{Door, Toolkit, ToolkitBuilder, approvers};

/// Beginning of the name of the plugin that the tools of an MCP server are in.
const SERVER_PREFIX: &str = "mcp__";

impl GlobalArgs {
    /// The door that the options open.
    pub(super) fn door(&self) -> Door {
        Door {
            config: self.config.clone(),
            workspace: self.workspace.clone(),
        }
    }
}

/// Finds and reads the configuration, and locates workspace and state.
///
/// # Errors
/// As [`Door::locate`].
pub(super) fn locate_places(global: &GlobalArgs) -> Result<RunLocations> {
    global.door().locate()
}

/// What the folder of this run gives, with the folder without links; plugins too.
///
/// # Errors
/// As [`Door::folder_trust_items`].
pub(super) fn folder_trust_items(global: &GlobalArgs) -> Result<(PathBuf, Vec<TrustItem>)> {
    global.door().folder_trust_items()
}

/// The folder of this run's project: that of the configuration, else the current one.
pub(super) fn project_folder(global: &GlobalArgs) -> Result<PathBuf> {
    global.door().project_folder()
}

/// Files and folders whose change can change the policy, beside those of plugins.
pub(super) fn watched_paths(global: &GlobalArgs) -> Result<Vec<PathBuf>> {
    global.door().watched_paths()
}

/// The configuration file in use.
pub(super) fn config_path(global: &GlobalArgs) -> Result<Option<PathBuf>> {
    global.door().config_path()
}

/// The configuration file in use, where it is that of a project and not the user's own.
pub(super) fn project_config(global: &GlobalArgs) -> Result<Option<PathBuf>> {
    global.door().project_config()
}

/// The state folder of this run.
///
/// # Errors
/// As [`Door::state_folder`].
pub(super) fn state_folder(global: &GlobalArgs) -> Result<PathBuf> {
    global.door().state_folder()
}

fn toolkit_builder(
    global: &GlobalArgs,
    agents: bool,
    create_state: bool,
) -> Result<ToolkitBuilder> {
    let door = global.door();
    let places = door.locate()?;
    let shown = |path: &Path| path.display().to_string();
    log::log_opened_files(object! {
        "config" => places.config_file.as_ref().map(|file| shown(&file.path)),
        "workspace" => places.roots.first().map(|root| shown(&root.path)),
        "state" => places.state.as_deref().map(shown),
    });
    let builder = door.builder_at(places, agents, create_state)?;
    Ok(match log::log_witness() {
        Some(log) => builder.witness(log),
        None => builder,
    })
}

/// Opens the toolkit of this run.
pub(super) fn open_toolkit(global: &GlobalArgs) -> Result<Toolkit> {
    open_as(global, false, true).inspect(say_copy)
}

/// As [`open_toolkit`], without a word about a copied state.
pub(super) fn open_toolkit_quietly(global: &GlobalArgs) -> Result<Toolkit> {
    open_as(global, false, true)
}

/// Says, once, that the state is that of another folder.
fn say_copy(toolkit: &Toolkit) {
    static SAID: std::sync::Once = std::sync::Once::new();
    if let Some(original) = toolkit.copy_of() {
        SAID.call_once(|| {
            write_stderr(&format!(
                "warning: this state is a copy, or a restored backup, of that of `{original}`: `mathchain workspace adopt` makes it that of this folder\n"
            ));
        });
    }
}

/// As [`open_toolkit`], for commands that only inspect a project: a missing state is not created.
pub(super) fn read_only(global: &GlobalArgs, agents: bool) -> Result<Toolkit> {
    open_as(global, agents, false)
}

/// As [`open_toolkit`], with the agent files of the project.
pub(super) fn with_agents(global: &GlobalArgs) -> Result<Toolkit> {
    open_as(global, true, true).inspect(say_copy)
}

/// Agent files are read only if the command or the configuration refers to agents: a plain call does not wait for them.
fn open_as(global: &GlobalArgs, agents: bool, create_state: bool) -> Result<Toolkit> {
    let builder = toolkit_builder(global, agents, create_state)?;
    let toolkit = match &global.agent_program {
        Some(program) => builder.agent_program(program.clone()).build(),
        None => builder.build(),
    }?;
    warn_of_untrusted(global, &toolkit);
    Ok(toolkit)
}

/// Says once what of the folder's configuration does not count.
fn warn_of_untrusted(global: &GlobalArgs, toolkit: &Toolkit) {
    static SAID: AtomicBool = AtomicBool::new(false);
    let mut untrusted = toolkit.config().untrusted.clone();
    let plugins = toolkit.broken_plugins();
    let plugins = plugins.iter().filter(|one| one.is_untrusted && !one.is_off);
    let names = plugins.filter_map(|one| one.names.first());
    for name in names.map(|name| match name.strip_prefix(SERVER_PREFIX) {
        Some(server) => format!("mcp_servers.{server}"),
        None => format!("plugins.{name}"),
    }) {
        if !untrusted.contains(&name) {
            untrusted.push(name);
        }
    }
    if let Some(warning) = trust::untrusted_warning(&untrusted)
        && !global.completes
        && !SAID.swap(true, Ordering::Relaxed)
    {
        write_stderr(&format!("warning: {warning}\n"));
    }
}

/// The answer to approval requests, given in advance: by `--yes`, or by the configuration if no user can be prompted.
///
/// # Errors
/// `policy_denied` for `--yes` if approvers have keys.
pub(super) fn approval_answer(
    toolkit: &Toolkit,
    yes: bool,
    attended: bool,
) -> Result<ApprovalAnswer> {
    let config = toolkit.config();
    if yes && config.approvals.from == ApprovalsFrom::Key {
        return Err(approvers::key_needed("`--yes` approves nothing"));
    }
    Ok(match config.approvals.unattended {
        _ if yes => ApprovalAnswer::Yes,
        Unattended::Deny if !attended => ApprovalAnswer::Unattended,
        Unattended::Deny | Unattended::Pending => ApprovalAnswer::Ask,
    })
}

/// The command that starts this program with the same configuration, and the folder in which printed commands are valid.
pub(super) fn own_command_line(global: &GlobalArgs) -> (String, String) {
    let mut command = "mathchain".to_owned();
    if let Some(config) = &global.config {
        command.push_str(&format!(
            " --config {}",
            quote_shell_word(&config.to_string_lossy())
        ));
    }
    let here = std::env::current_dir().unwrap_or_default();
    (command, here.display().to_string())
}

/// The state of an open toolkit.
///
/// # Errors
/// The reason why there is none.
pub(super) fn require_state(toolkit: &Toolkit) -> Result<&Arc<StateStore>> {
    let fault = || toolkit.state_fault().cloned().unwrap_or_else(no_state);
    toolkit.state().ok_or_else(fault)
}

/// The state of an open toolkit for commands that only read it, even if it cannot be written.
///
/// # Errors
/// As [`require_state`]; the reason why it cannot be read.
pub(super) fn state_to_read(global: &GlobalArgs, toolkit: &Toolkit) -> Result<Arc<StateStore>> {
    let fault = match require_state(toolkit) {
        Ok(state) => return Ok(Arc::clone(state)),
        Err(fault) => fault,
    };
    // If it never existed, the error is the one from its creation.
    let folder = state_folder(global);
    let there = folder.ok().filter(|folder| folder.join(FILE_NAME).exists());
    let Some(folder) = there.filter(|_| fault.is(Reason::StateUnwritable)) else {
        return Err(fault);
    };
    let clock = Arc::new(mathchain::clock::SystemClock::default());
    let scratch = std::env::temp_dir();
    let state = StateStore::open_to_read(&folder, &scratch, clock)?;
    write_stderr("note: the state is read-only: this command is not recorded\n");
    Ok(Arc::new(state))
}

/// The facts of this machine, with those of the command line instead.
///
/// # Errors
/// `invalid_request` with the nearest name for an unknown fact.
pub(super) fn machine_facts(toolkit: &Toolkit, given: &[String]) -> Result<RuntimeFacts> {
    let mut facts = toolkit.dispatcher().facts().clone();
    for fact in given {
        let added = facts.add(fact);
        added.map_err(|unknown| tool_error!(InvalidRequest, "fact"; "{unknown}"))?;
    }
    Ok(facts)
}
