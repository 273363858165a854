//! Opening the toolkit: finds and reads the configuration, locates workspace and state.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use journal::{FILE_NAME, StateStore};
use registry::agent_cli::quote_shell_word;
use registry::{ApprovalAnswer, ApprovalsFrom, Config, RuntimeFacts, Unattended};
use tool_core::{Reason, Result, ToolError, object, tool_error};

use super::configured::ConfiguredTools;
use super::global::GlobalArgs;
use super::log;
use super::output::write_stderr;
use crate::environment::{self, LoadedConfigFile};
use crate::real_paths::RealPaths;
use crate::toolkit::AgentStarter;
use crate::trust::{self, TrustBases, TrustItem, TrustRecord};
use crate::{PluginRoot, Toolkit, ToolkitBuilder, WorkspaceRoot, approvers, roots};

/// Beginning of the name of the plugin that the tools of an MCP server are in.
const SERVER_PREFIX: &str = "mcp__";

/// Locations of this run's configuration, workspace and state.
pub(super) struct RunLocations {
    pub config_file: Option<LoadedConfigFile>,
    pub config: Config,
    /// The roots of the workspace.
    pub roots: Vec<WorkspaceRoot>,
    pub state: Option<PathBuf>,
    pub plugins: Vec<PluginRoot>,
    /// What was found of paths.
    pub paths: RealPaths,
    /// What words of the configuration are relative to.
    bases: TrustBases,
    /// Files of the workspace that are programs of the configuration.
    programs: Vec<PathBuf>,
}

/// Finds and reads the configuration, and locates workspace and state.
///
/// # Errors
/// Every error of the configuration, with file, line and column.
pub(super) fn locate_places(global: &GlobalArgs) -> Result<RunLocations> {
    let here = std::env::current_dir()
        .map_err(|err| tool_error!(ToolError, "cannot use the current folder: {err}"))?;
    let config_file = environment::find_config(global.config.as_deref(), &here)?;
    let config = match &config_file {
        Some(file) => environment::config_of(&file.path, &file.text)
            .map_err(|err| ConfiguredTools::load(&file.path).err().unwrap_or(err))?,
        None => Config::default(),
    };
    let of_project = config_file.as_ref().filter(|file| file.of_project);
    let project = of_project.and_then(|file| file.path.parent());
    let base = project.unwrap_or(&here);
    let mut config = config;
    let bases = trust_bases(
        &config,
        base,
        global.workspace.as_ref().map(|root| here.join(root)),
    );
    let programs = trust::named_files(&config, &bases);
    if config_file.as_ref().is_some_and(needs_trust) {
        trust::strip_untrusted(&mut config, &bases);
    }
    name_interpreter(&mut config, &bases);
    // `--workspace` moves the files of tools, not the audit.
    let own_roots = roots_of(&config, base);
    let own_root = own_roots.first().map_or(base, |root| &root.path);
    let roots = match &global.workspace {
        Some(root) => roots::single_root(here.join(root)),
        None => own_roots.clone(),
    };
    let state = match (&config.workspace.state, project) {
        (Some(folder), _) => Some(normalise_path(&own_root.join(folder))),
        (None, Some(_)) => Some(own_root.join(environment::STATE_FOLDER)),
        (None, None) => environment::user_state_folder(),
    };
    if let (Some(_), Some(folder)) = (project, &state) {
        crate::owned::is_present(folder)?;
    }
    let paths = RealPaths::default();
    crate::identity::recognise_workspace(&roots, state.as_deref(), &paths);
    add_recorded(&mut config, &roots, state.as_deref(), &paths)?;
    Ok(RunLocations {
        paths,
        plugins: environment::plugin_roots(project, &here),
        config_file,
        config,
        roots,
        state,
        bases,
        programs,
    })
}

/// The folder of a configuration and the roots that it or the command line names, without links.
fn trust_bases(config: &Config, folder: &Path, workspace: Option<PathBuf>) -> TrustBases {
    let roots = roots_of(config, folder).into_iter().map(|root| root.path);
    TrustBases::new(folder, roots.chain(workspace))
}

/// Names the interpreter by its whole path, whichever folder is the workspace.
fn name_interpreter(config: &mut Config, bases: &TrustBases) {
    if let Some(python) = &mut config.code.python {
        let path = environment::resolve_interpreter(python, &bases.folder);
        *python = path.to_string_lossy().into_owned();
    }
}

/// Whether a configuration counts only as far as this user agreed to it: any but the user's own.
fn needs_trust(file: &LoadedConfigFile) -> bool {
    let own = environment::user_config_folder().map(|folder| environment::real_path(&folder));
    file.of_project && !own.is_some_and(|own| file.path.starts_with(own))
}

/// What the folder of this run gives, with the folder without links; plugins too.
///
/// # Errors
/// A configuration with errors, a folder of plugins that cannot be listed.
pub(super) fn folder_trust_items(global: &GlobalArgs) -> Result<(PathBuf, Vec<TrustItem>)> {
    let here = std::env::current_dir()
        .map_err(|err| tool_error!(ToolError, "cannot use the current folder: {err}"))?;
    let file = environment::find_config(global.config.as_deref(), &here)?;
    let file = file.filter(needs_trust);
    let folder = file.as_ref().and_then(|file| file.path.parent());
    let folder = environment::real_path(folder.unwrap_or(&here));
    let mut given = Vec::new();
    if let Some(file) = &file {
        let config = environment::config_of(&file.path, &file.text)?;
        let workspace = global.workspace.as_ref().map(|root| here.join(root));
        given = trust::of_config(&config, &trust_bases(&config, &folder, workspace));
    }
    let agents = environment::agent_texts(&folder)?.into_iter();
    let agents: Vec<_> = agents.map(|agent| (agent.path, agent.text)).collect();
    given.extend(trust::of_agents(&agents));
    let of_project = file.as_ref().map(|_| folder.as_path());
    for root in environment::plugin_roots(of_project, &here) {
        if root.folder.is_some() {
            given.extend(crate::plugins::plugin_trust_items(&root)?);
        }
    }
    Ok((folder, given))
}

/// The folder of this run's project: that of the configuration, else the current one.
pub(super) fn project_folder(global: &GlobalArgs) -> Result<PathBuf> {
    Ok(project_of(&locate_places(global)?))
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

/// A builder for the project of a folder, as the command line opens it: the named or nearest configuration with its workspace, state
/// folder and plugins.
///
/// # Errors
/// Every error of the configuration.
pub fn project_builder(
    config: Option<PathBuf>,
    workspace: Option<PathBuf>,
) -> Result<ToolkitBuilder> {
    let global = GlobalArgs {
        config,
        workspace,
        ..GlobalArgs::default()
    };
    toolkit_builder(&global, false, true).map(|(builder, _)| builder)
}

/// Agent files are read only if the command or the configuration refers to agents: a plain call does not wait for them.
fn open_as(global: &GlobalArgs, agents: bool, create_state: bool) -> Result<Toolkit> {
    let (builder, opened) = toolkit_builder(global, agents, create_state)?;
    let toolkit = match STARTER.get().and_then(|starter| starter(global, opened)) {
        Some(starter) => builder.agents(starter).build(),
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

/// What starts agents where this program opens a project: only it can be the server of its agents.
type Starter = fn(&GlobalArgs, OpenedConfig) -> Option<AgentStarter>;
static STARTER: OnceLock<Starter> = OnceLock::new();

/// Lets `spawn_agent` start agents; the first setting is kept.
#[cfg(all(feature = "servers", target_os = "linux"))]
pub(super) fn start_agents_by(starter: Starter) {
    let _ = STARTER.set(starter);
}

/// What was opened.
#[cfg_attr(
    not(all(feature = "servers", target_os = "linux")),
    expect(dead_code, reason = "agents need servers")
)]
pub(super) struct OpenedConfig {
    pub file: Option<PathBuf>,
    pub workspace: Option<PathBuf>,
    /// What no tool writes.
    pub protected: Vec<PathBuf>,
    pub state: Option<PathBuf>,
}

fn toolkit_builder(
    global: &GlobalArgs,
    agents: bool,
    create_state: bool,
) -> Result<(ToolkitBuilder, OpenedConfig)> {
    let mut places = locate_places(global)?;
    let folder = project_of(&places);
    add_agents(&mut places.config, &folder, agents)?;
    let protected = protected_paths(&places);
    let foreign = places.config_file.as_ref().is_some_and(needs_trust);
    let file = places.config_file.map(|file| file.path);
    let shown = |path: &Path| path.display().to_string();
    log::log_opened_files(object! {
        "config" => file.as_deref().map(shown),
        "workspace" => places.roots.first().map(|root| shown(&root.path)),
        "state" => places.state.as_deref().map(shown),
    });
    let (roots, state) = (places.roots.clone(), places.state.clone());
    let (bases, programs) = (places.bases, places.programs);
    let opened = OpenedConfig {
        file: file.clone(),
        workspace: roots.first().map(|root| root.path.clone()),
        protected: roots::protected_paths(&places.plugins, &protected, &places.paths),
        state: state.clone(),
    };
    let mut builder = Toolkit::builder()
        .config(places.config)
        .plugins(places.plugins)
        .protected(protected)
        .roots(places.roots)
        .real_paths(places.paths)
        .reread(move || {
            let mut config = match &file {
                Some(path) => {
                    let again = environment::read_config(path, true)?;
                    environment::config_of(path, &again.text)?
                }
                None => Config::default(),
            };
            let named = trust::named_files(&config, &bases);
            if let Some(new) = named.iter().find(|path| !programs.contains(path)) {
                return Err(tool_error!(Conflict, "configuration";
                    "the configuration now names the program `{}`, which requires a restart: tools could write it till then", new.display();
                    "start the server again"));
            }
            if foreign {
                trust::strip_untrusted(&mut config, &bases);
            }
            name_interpreter(&mut config, &bases);
            add_agents(&mut config, &folder, agents)?;
            let paths = RealPaths::default();
            add_recorded(&mut config, &roots, state.as_deref(), &paths)?;
            Ok(config)
        });
    let is_there = |folder: &PathBuf| folder.join(FILE_NAME).exists();
    if let Some(state) = (places.state).filter(|folder| create_state || is_there(folder)) {
        builder = builder.state(state);
    }
    for witness in crate::otel::span_witness()
        .into_iter()
        .chain(log::log_witness())
    {
        builder = builder.witness(witness);
    }
    Ok((builder, opened))
}

/// Files and folders whose change can change the policy, beside those of plugins.
pub(super) fn watched_paths(global: &GlobalArgs) -> Result<Vec<PathBuf>> {
    let places = locate_places(global)?;
    let agents = project_of(&places).join(environment::AGENTS_FOLDER);
    let rules = places.state.as_deref().map(crate::user_rules::rules_path);
    let mut files = named_files(&places);
    files.extend(places.config_file.map(|file| file.path));
    files.extend(rules);
    files.extend(TrustRecord::file(&places.bases.folder));
    files.push(agents);
    Ok(files)
}

/// The configuration file in use.
pub(super) fn config_path(global: &GlobalArgs) -> Result<Option<PathBuf>> {
    Ok(locate_places(global)?.config_file.map(|file| file.path))
}

/// The configuration file in use, where it is that of a project and not the user's own.
pub(super) fn project_config(global: &GlobalArgs) -> Result<Option<PathBuf>> {
    let file = locate_places(global)?
        .config_file
        .filter(|file| file.of_project);
    Ok(file.map(|file| file.path))
}

/// Files of earlier systems that the configuration names, beside it.
fn named_files(places: &RunLocations) -> Vec<PathBuf> {
    let beside = |file: &LoadedConfigFile| -> Vec<PathBuf> {
        let named = places.config.files.iter().map(|named| &named.path.text);
        named.map(|named| file.path.with_file_name(named)).collect()
    };
    places.config_file.as_ref().map_or_else(Vec::new, beside)
}

/// Everything that determines the permissions of tools: the configuration with the files it names and those beside it, and the user's
/// own, which lists approvers. The targets of links in these folders are included.
fn protected_paths(places: &RunLocations) -> Vec<PathBuf> {
    let project = project_of(places);
    let mut folders = vec![project.join(environment::AGENTS_FOLDER)];
    for root in &places.plugins {
        folders.extend([&root.plugins, &root.settings, &root.servers].map(Clone::clone));
    }
    let mut found = named_files(places);
    found.extend(places.config_file.as_ref().map(|file| file.path.clone()));
    found.extend(environment::user_config_folder());
    found.extend(places.programs.iter().cloned());
    let there = |folder: &&PathBuf| places.paths.existing(folder).is_some();
    for folder in folders.iter().filter(there) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, agent) = (entry.path(), entry.path().join("agent.md"));
            found.extend([path, agent].into_iter().filter(|path| path.is_symlink()));
        }
    }
    found.extend(folders);
    found
}

/// The folder of a project's configuration; without one the current folder.
fn project_of(places: &RunLocations) -> PathBuf {
    let project = places.config_file.as_ref().filter(|file| file.of_project);
    let folder = project.and_then(|file| file.path.parent());
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Adds the user's decisions beside the configuration: rules recorded in the workspace, and whether approvers have keys.
fn add_recorded(
    config: &mut Config,
    roots: &[WorkspaceRoot],
    state: Option<&Path>,
    paths: &RealPaths,
) -> Result<()> {
    if let Some(folder) = state {
        let here = roots::workspace_identity(roots, paths);
        let layers = crate::user_rules::load_rules(folder, here.as_ref())?;
        config.layers.extend(layers);
    }
    approvers::require_approver_keys(config)
}

fn add_agents(config: &mut Config, folder: &Path, wanted: bool) -> Result<()> {
    let of_agent = |layer: &registry::PolicyLayer| layer.level == registry::Level::Agent;
    let named = !config.phases.is_empty() || config.layers.iter().any(of_agent);
    if wanted || named {
        let agents = environment::agent_texts(folder)?.into_iter();
        config.agent_texts = agents.map(|agent| (agent.path, agent.text)).collect();
        let folder = environment::real_path(folder);
        let own = environment::user_config_folder().map(|folder| environment::real_path(&folder));
        if !own.is_some_and(|own| folder.starts_with(own)) {
            trust::settle_agents(config, &folder);
        }
    }
    Ok(())
}

/// The roots of a configuration, whose paths are relative to a folder.
pub(super) fn roots_of(config: &Config, base: &Path) -> Vec<WorkspaceRoot> {
    let folders = config.workspace.folders().into_iter();
    let root = |folder: registry::model::RootFolderConfig| WorkspaceRoot {
        path: normalise_path(&base.join(folder.path)),
        access: folder.access,
    };
    folders.map(root).collect()
}

/// The path without `.` components, for messages.
fn normalise_path(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| !matches!(part, std::path::Component::CurDir))
        .collect()
}

/// The state folder of this run.
///
/// # Errors
/// As [`locate_places`]; `precondition_failed` where there is none.
pub(super) fn state_folder(global: &GlobalArgs) -> Result<PathBuf> {
    locate_places(global)?.state.ok_or_else(no_state)
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

fn no_state() -> ToolError {
    tool_error!(PreconditionFailed; "there is no state folder";
        "set HOME or XDG_STATE_HOME, or write a configuration with `mathchain init`")
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
    let clock = Arc::new(crate::clock::SystemClock::default());
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
