//! [`Door`]: how a program on this library opens a project: finds and reads its configuration, locates workspace and state, and asks what the
//! user agreed to. The command line, the servers and the Python module are such doors.

use std::path::{Path, PathBuf};

use agents::AgentProject;
use journal::FILE_NAME;
use registry::Config;
use tool_core::{Result, ToolError, tool_error};

use crate::configured::ConfiguredTools;
use crate::environment::{self, LoadedConfigFile};
use crate::real_paths::RealPaths;
use crate::trust::{self, TrustBases, TrustItem, TrustRecord};
use crate::{PluginRoot, Toolkit, ToolkitBuilder, WorkspaceRoot, approvers, roots};

/// A way into a project: the configuration and the workspace that its user named, or none for the nearest ones.
///
/// ```
/// # fn main() -> Result<(), mathchain::ToolError> {
/// let toolkit = mathchain::Door::default().builder()?.without_state().build()?;
/// assert!(toolkit.call("calculate", &mathchain::parse_json(r#"{"expression": "2+2"}"#)?).output().is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Door {
    /// Configuration file; without one the nearest `mathchain.toml` (or `.yaml`) upwards, then the user's.
    pub config: Option<PathBuf>,
    /// Root of the workspace, in place of those of the configuration.
    pub workspace: Option<PathBuf>,
}

/// Locations of this run's configuration, workspace and state.
pub struct RunLocations {
    /// The configuration file, where there is one.
    pub config_file: Option<LoadedConfigFile>,
    /// The configuration, without what the user did not agree to.
    pub config: Config,
    /// The roots of the workspace.
    pub roots: Vec<WorkspaceRoot>,
    /// The state folder, where there can be one.
    pub state: Option<PathBuf>,
    /// Folders of plugins.
    pub plugins: Vec<PluginRoot>,
    /// What was found of paths.
    pub paths: RealPaths,
    /// What words of the configuration are relative to.
    bases: TrustBases,
    /// Files of the workspace that are programs of the configuration.
    programs: Vec<PathBuf>,
    /// Plans that schedules run.
    plans: Vec<PathBuf>,
}

impl Door {
    /// A builder for the project, with its agent files where the configuration refers to agents, and a state that is made where it is missing.
    ///
    /// # Errors
    /// As [`Door::builder_at`].
    pub fn builder(&self) -> Result<ToolkitBuilder> {
        self.builder_at(self.locate()?, false, true)
    }

    /// Finds and reads the configuration, and locates workspace and state.
    ///
    /// # Errors
    /// Every error of the configuration, with file, line and column.
    pub fn locate(&self) -> Result<RunLocations> {
        let here = std::env::current_dir()
            .map_err(|err| tool_error!(ToolError, "cannot use the current folder: {err}"))?;
        let config_file = environment::find_config(self.config.as_deref(), &here)?;
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
            self.workspace.as_ref().map(|root| here.join(root)),
        );
        let programs = trust::named_files(&config, &bases);
        let plans = trust::plan_files(&config, &bases);
        if config_file.as_ref().is_some_and(needs_trust) {
            trust::strip_untrusted(&mut config, &bases);
        }
        name_interpreters(&mut config, &bases);
        // `--workspace` moves the files of tools, not the audit.
        let own_roots = roots_of(&config, base);
        let own_root = own_roots.first().map_or(base, |root| &root.path);
        let roots = match &self.workspace {
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
            plans,
        })
    }

    /// A builder for the toolkit at these places.
    ///
    /// `agents` reads the agent files of the project even where nothing of the configuration names one; `create_state` makes a state that is
    /// missing.
    ///
    /// # Errors
    /// Every error of the configuration and of agent files.
    pub fn builder_at(
        &self,
        mut places: RunLocations,
        agents: bool,
        create_state: bool,
    ) -> Result<ToolkitBuilder> {
        let folder = project_of(&places);
        add_agents(&mut places.config, &folder, agents)?;
        let protected = protected_paths(&places);
        let foreign = places.config_file.as_ref().is_some_and(needs_trust);
        let file = places.config_file.map(|file| file.path);
        let (roots, state) = (places.roots.clone(), places.state.clone());
        let (bases, programs) = (places.bases, places.programs);
        let agent_project = file.clone().map(|config_file| AgentProject {
            config_file,
            folder: folder.clone(),
            workspace: self.workspace.clone(),
        });
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
                name_interpreters(&mut config, &bases);
                add_agents(&mut config, &folder, agents)?;
                let paths = RealPaths::default();
                add_recorded(&mut config, &roots, state.as_deref(), &paths)?;
                Ok(config)
            });
        builder = builder.agent_state(places.state.clone());
        if let Some(project) = agent_project {
            builder = builder.agent_project(project);
        }
        let is_there = |folder: &PathBuf| folder.join(FILE_NAME).exists();
        if let Some(state) = (places.state).filter(|folder| create_state || is_there(folder)) {
            builder = builder.state(state);
        }
        Ok(match crate::otel::span_witness() {
            Some(spans) => builder.witness(spans),
            None => builder,
        })
    }

    /// What the folder of this run gives, with the folder without links; plugins too.
    ///
    /// # Errors
    /// A configuration with errors, a folder of plugins that cannot be listed.
    pub fn folder_trust_items(&self) -> Result<(PathBuf, Vec<TrustItem>)> {
        let here = std::env::current_dir()
            .map_err(|err| tool_error!(ToolError, "cannot use the current folder: {err}"))?;
        let file = environment::find_config(self.config.as_deref(), &here)?;
        let file = file.filter(needs_trust);
        let folder = file.as_ref().and_then(|file| file.path.parent());
        let folder = environment::real_path(folder.unwrap_or(&here));
        let mut given = Vec::new();
        if let Some(file) = &file {
            let config = environment::config_of(&file.path, &file.text)?;
            let workspace = self.workspace.as_ref().map(|root| here.join(root));
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
    pub fn project_folder(&self) -> Result<PathBuf> {
        Ok(project_of(&self.locate()?))
    }

    /// Files and folders whose change can change the policy, beside those of plugins.
    pub fn watched_paths(&self) -> Result<Vec<PathBuf>> {
        let places = self.locate()?;
        let agents = project_of(&places).join(environment::AGENTS_FOLDER);
        let rules = places.state.as_deref().map(crate::user_rules::rules_path);
        let mut files = named_files(&places);
        files.extend(places.plans);
        files.extend(places.config_file.map(|file| file.path));
        files.extend(rules);
        files.extend(TrustRecord::file(&places.bases.folder));
        files.push(agents);
        Ok(files)
    }

    /// The configuration file in use.
    pub fn config_path(&self) -> Result<Option<PathBuf>> {
        Ok(self.locate()?.config_file.map(|file| file.path))
    }

    /// The configuration file in use, where it is that of a project and not the user's own.
    pub fn project_config(&self) -> Result<Option<PathBuf>> {
        let file = self.locate()?.config_file.filter(|file| file.of_project);
        Ok(file.map(|file| file.path))
    }

    /// The state folder of this run.
    ///
    /// # Errors
    /// As [`Door::locate`]; `precondition_failed` where there is none.
    pub fn state_folder(&self) -> Result<PathBuf> {
        self.locate()?.state.ok_or_else(no_state)
    }
}

/// The folder of a configuration and the roots that it or the command line names, without links.
fn trust_bases(config: &Config, folder: &Path, workspace: Option<PathBuf>) -> TrustBases {
    let roots = roots_of(config, folder).into_iter().map(|root| root.path);
    TrustBases::new(folder, roots.chain(workspace))
}

/// Names interpreters by their whole paths, whichever folder is the workspace.
fn name_interpreters(config: &mut Config, bases: &TrustBases) {
    let of_driver = config.cluster.ray.python.as_mut();
    // A name alone is a program of the search path.
    let of_driver = of_driver.filter(|python| python.contains(std::path::is_separator));
    for python in config.code.python.as_mut().into_iter().chain(of_driver) {
        let path = environment::resolve_interpreter(python, &bases.folder);
        *python = path.to_string_lossy().into_owned();
    }
}

/// Whether a configuration counts only as far as this user agreed to it: any but the user's own.
fn needs_trust(file: &LoadedConfigFile) -> bool {
    let own = environment::user_config_folder().map(|folder| environment::real_path(&folder));
    file.of_project && !own.is_some_and(|own| file.path.starts_with(own))
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
pub fn roots_of(config: &Config, base: &Path) -> Vec<WorkspaceRoot> {
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

/// The error of a place without a state folder.
pub fn no_state() -> ToolError {
    tool_error!(PreconditionFailed; "there is no state folder";
        "set HOME or XDG_STATE_HOME, or write a configuration with `mathchain init`")
}
