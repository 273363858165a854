//! Locations of configuration, workspace and state. Only this module reads the process environment.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use host_sandbox::sandbox::SandboxEnvironment;
use registry::Config;
use registry::model::{McpServer, ToolListPin};
use tool_core::{Result, tool_error};

use crate::real_paths::RealPaths;
use crate::schedules::DueTimes;
use crate::{PluginRoot, WorkspaceRoot, io, owned};

/// Names of the configuration file, in order of preference.
pub const CONFIG_NAMES: [&str; 3] = ["mathchain.toml", "mathchain.yaml", "mathchain.yml"];

/// Name of the state folder beside a project's configuration.
pub const STATE_FOLDER: &str = ".mathchain";

/// A configuration file and its text.
#[derive(Debug, Clone)]
pub struct LoadedConfigFile {
    /// Path without links.
    pub path: PathBuf,
    /// Its content.
    pub text: String,
    /// Whether it belongs to the project (found from the working folder upwards, or named) and not to the user.
    pub of_project: bool,
}

/// Folder of agent files beside a project's configuration.
pub const AGENTS_FOLDER: &str = "agents";

/// An agent file.
#[derive(Debug, Clone)]
pub struct AgentText {
    /// The agent's name, from the file or its folder.
    pub name: String,
    /// Path relative to the project.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// The agent files of a project, by name: `agents/NAME.md`, and `agents/NAME/agent.md` as earlier systems have it.
///
/// # Errors
/// A file that cannot be read.
pub fn agent_texts(project: &Path) -> Result<Vec<AgentText>> {
    let folder = project.join(AGENTS_FOLDER);
    if !owned::is_present(&folder)? {
        return Ok(Vec::new());
    }
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        // Other programs may have a file of this name.
        Err(_) if folder.is_file() => return Ok(Vec::new()),
        Err(err) => {
            let why = format!("cannot be listed: {err}");
            return Err(owned::unusable_file_error(&folder, &why));
        }
    };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = entry.path();
        if name.ends_with(".md") && !path.is_dir() {
            found.push((path, format!("{AGENTS_FOLDER}/{name}")));
        } else if owned::is_present(&path.join("agent.md"))? {
            let shown = format!("{AGENTS_FOLDER}/{name}/agent.md");
            found.push((path.join("agent.md"), shown));
        }
    }
    found.sort();
    let mut texts = Vec::with_capacity(found.len());
    for (path, shown) in found {
        owned::open_owned_file(&path)?;
        texts.push(agent_text(&path, &shown)?);
    }
    Ok(texts)
}

/// One agent file.
///
/// # Errors
/// When it cannot be read.
pub fn agent_text(path: &Path, shown: &str) -> Result<AgentText> {
    use std::io::Read as _;
    let name = format_args!("the agent file `{shown}`");
    let failed = |err: std::io::Error| io::cannot_read(name, &err);
    let mut text = String::new();
    let most = registry::agents::BYTES_MAX as u64 + 1; // one byte more than allowed exceeds the limit
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(most).read_to_string(&mut text).map_err(failed)?;
    Ok(AgentText {
        name: registry::agents::name_of(shown).to_owned(),
        path: shown.to_owned(),
        text,
    })
}

/// Reads a configuration, with the files of earlier systems that it names.
///
/// # Errors
/// Every error of the configuration; an unreadable named file is reported when the policy is compiled.
pub fn config_of(path: &Path, text: &str) -> Result<Config> {
    let mut config = Config::parse(&path.to_string_lossy(), text)?;
    read_named_files(path, &mut config);
    for schedule in &config.schedules {
        DueTimes::of(schedule)?;
    }
    Ok(config)
}

/// Reads the files that a configuration names; failures are reported with its other errors.
pub fn read_named_files(path: &Path, config: &mut Config) {
    for file in config.files.iter_mut() {
        let path = path.with_file_name(&file.path.text);
        file.text = match owned::read_owned_file(&path) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err("it does not exist".to_owned()),
            Err(err) => Err(err.message().to_owned()),
        };
    }
    for schedule in &mut config.schedules {
        let path = path.with_file_name(&schedule.plan);
        schedule.text = Some(match owned::read_owned_file(&path) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(format!("the plan `{}` does not exist", schedule.plan)),
            Err(err) => Err(err.message().to_owned()),
        });
    }
    for service in config.openapi.iter_mut() {
        let path = path.with_file_name(&service.document);
        service.text = Some(match owned::read_owned_file(&path) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err("it does not exist".to_owned()),
            Err(err) => Err(err.message().to_owned()),
        });
    }
    for server in config.mcp_servers.iter_mut() {
        server.pin = match read_pin(path, &server.name) {
            Ok(Some(pin)) => Some(Ok(pin)),
            Ok(None) => None,
            Err(err) => Some(Err(err.message().to_owned())),
        };
    }
}

/// The pinned tools of an MCP server, whoever pinned them.
pub fn read_pin(config: &Path, server: &str) -> Result<Option<ToolListPin>> {
    let path = pin_path(config, server);
    let text = owned::read_owned_file(&path)?;
    let path = path.to_string_lossy().into_owned();
    Ok(text.map(|text| ToolListPin { path, text }))
}

/// The file of the pinned tools of an MCP server, beside the configuration that names it.
pub fn pin_path(config: &Path, server: &str) -> PathBuf {
    config
        .with_file_name(McpServer::PINS)
        .join(format!("{server}.json"))
}

/// Finds the configuration: the named file, else the nearest from `start` upwards, else the user's.
///
/// # Errors
/// A configuration that is not a regular file, is unreadable or belongs to another user, unless it is named; a folder with two.
pub fn find_config(named: Option<&Path>, start: &Path) -> Result<Option<LoadedConfigFile>> {
    if let Some(path) = named {
        owned::trust_owner_of(path);
        return read_config(path, true).map(Some);
    }
    for folder in start.ancestors() {
        if let Some(path) = config_in(folder)? {
            return read_config(&path, true).map(Some);
        }
    }
    let users = user_config_folder().map(|folder| config_in(&folder));
    let users = users.transpose()?.flatten();
    users.map(|path| read_config(&path, false)).transpose()
}

/// The user's configuration folder for mathchain: `$XDG_CONFIG_HOME/mathchain`, else `~/.config/mathchain`.
pub fn user_config_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config")
}

/// The folder of this user's keys in the configuration folder; tools and programs never read it.
pub fn keys_folder() -> Option<PathBuf> {
    Some(user_config_folder()?.join("keys"))
}

/// The folders of plugins: beside the project's configuration (without one, in the current folder), then in the user's
/// configuration folder.
pub fn plugin_roots(project: Option<&Path>, here: &Path) -> Vec<PluginRoot> {
    let own = match project {
        Some(folder) => PluginRoot::beside(folder).of_folder(folder),
        // Other programs may have a folder of this name.
        None => PluginRoot::beside(here).shared().of_folder(here),
    };
    let user = user_config_folder().map(|folder| PluginRoot::beside(&folder));
    let mut roots = vec![own];
    roots.extend(user.filter(|user| user.plugins != roots[0].plugins));
    roots
}

/// The user's state folder for mathchain: `$XDG_STATE_HOME/mathchain`, else `~/.local/state/mathchain`.
pub fn user_state_folder() -> Option<PathBuf> {
    user_folder("XDG_STATE_HOME", ".local/state")
}

/// The folders of a workspace that tools and programs may not read, absolute and without links: the state folder in use, the user's,
/// any folder with the name of one, and that of the user's keys.
pub fn closed_folders(roots: &[WorkspaceRoot], state: Option<&Path>) -> Vec<PathBuf> {
    closed_by(roots, state, &RealPaths::default())
}

/// As [`closed_folders`], with what was found of paths.
pub fn closed_by(roots: &[WorkspaceRoot], state: Option<&Path>, paths: &RealPaths) -> Vec<PathBuf> {
    let named = roots.iter().flat_map(|root| {
        let names = host_sandbox::workspace::CLOSED.iter();
        names.map(|name| root.path.join(name))
    });
    let states = state
        .map(Path::to_owned)
        .into_iter()
        .chain(user_state_folder())
        .chain(keys_folder());
    named
        .chain(states)
        .map(|folder| paths.real(&folder))
        .collect()
}

/// A path without links, as far as it exists.
pub fn real_path(path: &Path) -> PathBuf {
    RealPaths::default().real(path)
}

/// The settings of the sandbox: search path of programs, folder for scratch folders, the roots of the workspace, and its [`closed_folders`]
/// folders. Sandboxed programs do not see the latter.
pub fn sandbox_surroundings(
    roots: &[PathBuf],
    closed: &[PathBuf],
    protected: &[PathBuf],
) -> SandboxEnvironment {
    surroundings_by(roots, closed, protected, &RealPaths::default())
}

/// As [`sandbox_surroundings`], with what was found of paths.
pub fn surroundings_by(
    roots: &[PathBuf],
    closed: &[PathBuf],
    protected: &[PathBuf],
    paths: &RealPaths,
) -> SandboxEnvironment {
    let workspace = roots.first();
    let home = read_variable("HOME").map(PathBuf::from);
    let folders = |name: &str| -> Vec<PathBuf> {
        let value = read_variable(name);
        value.map_or_else(Vec::new, |value| std::env::split_paths(&value).collect())
    };
    // The Python environment of the caller, that of the workspace, and programs installed for the user.
    let environments = [
        read_variable("VIRTUAL_ENV").map(PathBuf::from),
        workspace.map(|root| root.join(".venv")),
        home.as_ref().map(|home| home.join(".local")),
    ];
    let environments = environments.into_iter().flatten();
    SandboxEnvironment {
        workspace: workspace.map(|root| paths.real(root)),
        roots: (roots.iter().skip(1).map(|root| paths.real(root))).collect(),
        closed: closed.to_vec(),
        protected: protected.to_vec(),
        writable: Vec::new(),
        scratch: std::env::temp_dir(),
        path: folders("PATH")
            .into_iter()
            .chain(environments.map(|folder| folder.join("bin")))
            .filter(|folder| folder.is_absolute())
            .collect(),
        home: home.filter(|home| home.is_absolute()),
        ssh_agent: read_variable("SSH_AUTH_SOCK")
            .map(PathBuf::from)
            .filter(|socket| socket.is_absolute()),
        python: None,
    }
}

/// The interpreter that `[code] python` names, a file or the folder of a virtual environment, absolute or in a folder.
pub fn resolve_interpreter(named: &str, folder: &Path) -> PathBuf {
    let path = folder.join(named);
    let within = |name: &str| path.join("bin").join(name);
    match path.is_dir() {
        true if within("python3").exists() => within("python3"),
        true => within("python"),
        false => path,
    }
}

/// The time zone of the user: that of `TZ`, else of this machine, else UTC.
pub fn time_zone() -> jiff::tz::TimeZone {
    let named = read_variable("TZ").filter(|name| !name.is_empty());
    let named = named.and_then(|name| jiff::tz::TimeZone::get(name.trim_start_matches(':')).ok());
    let local = || {
        // The target of the link names the zone.
        let place = std::fs::read_link("/etc/localtime").ok()?;
        let name = place.to_str()?.split_once("zoneinfo/")?.1.to_owned();
        jiff::tz::TimeZone::get(&name).ok()
    };
    named.or_else(local).unwrap_or(jiff::tz::TimeZone::UTC)
}

/// Whether output may be coloured (<https://no-color.org>).
pub fn colour_wanted() -> bool {
    read_variable("NO_COLOR").is_none_or(|value| value.is_empty()) && !is_dumb()
}

/// Whether the terminal cannot redraw a line.
pub fn is_dumb() -> bool {
    read_variable("TERM").is_some_and(|value| value == "dumb")
}

/// The secret in a variable that the configuration names; `None` if unset or empty.
pub fn read_secret(name: &str) -> Option<String> {
    read_variable(name).filter(|value| !value.is_empty())
}

/// The sorted names of this process's environment variables, without their values.
pub fn variable_names() -> Vec<String> {
    let mut names: Vec<String> = std::env::vars_os()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// The variables of this process that a program outside the sandbox gets: those that say where and for whom it runs, and none that may
/// hold a secret. Its table names others.
pub fn of_user() -> Vec<(String, String)> {
    own_variables(is_of_user)
}

/// Those, and what an interpreter and Ray go by: where packages are, the address, settings and token of a cluster.
pub fn of_ray_driver() -> Vec<(String, String)> {
    const NAMES: [&str; 5] = [
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "LD_LIBRARY_PATH",
    ];
    own_variables(|name| is_of_user(name) || NAMES.contains(&name) || name.starts_with("RAY_"))
}

fn is_of_user(name: &str) -> bool {
    const NAMES: [&str; 16] = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TERM",
        "TZ",
        "TMPDIR",
        // A notifier reaches the desktop by these.
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XDG_RUNTIME_DIR",
        "DBUS_SESSION_BUS_ADDRESS",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
    ];
    NAMES.contains(&name) || name.starts_with("LC_")
}

fn own_variables(is_given: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    let variables = std::env::vars_os().filter_map(text);
    variables.filter(|(name, _)| is_given(name)).collect()
}

fn config_in(folder: &Path) -> Result<Option<PathBuf>> {
    let mut present = Vec::new();
    for path in CONFIG_NAMES.iter().map(|name| folder.join(name)) {
        if owned::is_present(&path)? {
            present.push(path);
        }
    }
    match present.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(only.clone())),
        [first, second, ..] => {
            let (first, second) = (first.display(), second.display());
            Err(tool_error!(Conflict;
                "two configurations: `{first}` and `{second}`";
                "remove one of them, or name one with --config"))
        }
    }
}

/// The content of a file named on the command line.
///
/// # Errors
/// When it cannot be read.
#[expect(
    clippy::disallowed_methods,
    reason = "the operator names it; it may be outside the workspace"
)]
pub fn read_named(path: &Path) -> Result<String> {
    let name = format_args!("`{}`", path.display());
    std::fs::read_to_string(path).map_err(|err| io::cannot_read(name, &err))
}

/// Reads a configuration. Files that it names are relative to its path without links.
pub fn read_config(path: &Path, of_project: bool) -> Result<LoadedConfigFile> {
    let Some(text) = owned::read_owned_file(path)? else {
        return Err(owned::unusable_file_error(path, "does not exist"));
    };
    let real = path.canonicalize();
    let path = real.map_err(|err| owned::unusable_file_error(path, &err.to_string()))?;
    Ok(LoadedConfigFile {
        path,
        text,
        of_project,
    })
}

fn user_folder(name: &str, below_home: &str) -> Option<PathBuf> {
    let base = folder_in(name).or_else(|| Some(home_folder()?.join(below_home)))?;
    Some(base.join("mathchain"))
}

/// The home folder of this user.
pub fn home_folder() -> Option<PathBuf> {
    folder_in("HOME")
}

/// The absolute path in a variable.
fn folder_in(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(read_variable(name)?)).filter(|path| path.is_absolute())
}

/// The text of an environment variable; `None` where it is absent or no Unicode.
#[expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read"
)]
pub fn read_variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use tool_core::ErrorCode;

    use super::*;

    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        std::fs::write(path, text).expect("writes");
    }

    #[test]
    fn the_nearest_configuration_upwards_wins() {
        let folder = tempfile::tempdir().expect("a folder");
        let deep = folder.path().join("a/b/c");
        write(&folder.path().join("mathchain.toml"), "version = 1");
        write(&folder.path().join("a/b/mathchain.yaml"), "version: 1");
        write(&deep.join("x"), "");
        let found = find_config(None, &deep).expect("readable").expect("found");
        assert!(found.path.ends_with("a/b/mathchain.yaml") && found.of_project);
        let named = find_config(Some(&folder.path().join("mathchain.toml")), &deep)
            .expect("readable")
            .expect("named");
        assert_eq!(named.text, "version = 1");
        write(&folder.path().join("a/b/mathchain.toml"), "version = 1");
        assert_eq!(
            find_config(None, &deep).expect_err("two").code(),
            ErrorCode::Conflict
        );
        assert!(find_config(Some(Path::new("no/such/file.toml")), &deep).is_err());
    }
}
