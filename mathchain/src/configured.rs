//! A configuration as it would be in force: with the agents and plugins beside it, loaded strictly and compiled.

use std::path::Path;
use std::sync::Arc;

use host_sandbox::Sandbox;
use registry::policy::Policy;
use registry::{Catalogue, Config, LoadErrors};
use tool_core::{ErasedTool, Result};

use crate::clock::SystemClock;
use crate::plugins::{LoadedPlugins, PluginLoader};
use crate::real_paths::RealPaths;
use crate::{environment, io, roots};

/// Tools and policy of one configuration.
pub struct ConfiguredTools {
    pub catalogue: Catalogue,
    pub policy: Policy,
}

impl ConfiguredTools {
    /// Loads a configuration file. Plugin processes are not started: manifests and settings suffice.
    ///
    /// # Errors
    /// Everything that is wrong with the configuration, its agents and its plugins.
    pub fn load(path: &Path) -> Result<Self> {
        let text = environment::read_named(path)?;
        let name = format_args!("`{}`", path.display());
        let absolute = path.canonicalize();
        let absolute = absolute.map_err(|err| io::cannot_read(name, &err))?;
        let folder = absolute.parent().unwrap_or(Path::new("/"));
        let agents = environment::agent_texts(folder)?.into_iter().map(|agent| {
            let shown = path.with_file_name(&agent.path); // two configurations may have agents of one name
            (shown.to_string_lossy().into_owned(), agent.text)
        });
        let agents = agents.collect();
        let mut roots = environment::plugin_roots(Some(folder), folder);
        // What would be in force, whether this user agreed to it yet or not.
        for root in &mut roots {
            root.folder = None;
        }
        let sandbox = Arc::new(Sandbox::new(environment::sandbox_surroundings(
            &[],
            &[],
            &[],
        )));
        let loader = PluginLoader::new(roots, sandbox, Arc::new(SystemClock::default()));
        // Its other errors are reported with the policy's.
        let read = environment::config_of(path, &text).unwrap_or_default();
        let loaded = loader.load(&read.mcp_servers, &[])?;
        LoadedPlugins::strict(&loaded.broken)?;
        let tools = loaded.plugins.iter();
        let tools = tools.flat_map(|plugin| plugin.erased().iter().cloned());
        crate::openapi::check_documents(&read)?;
        let services = crate::openapi::service_tools(&read)?;
        let tools: Vec<_> = tools.chain(services).collect();
        let families: Vec<&[ErasedTool]> = crate::tool_families().collect();
        let catalogue = Catalogue::with_plugins(&families, &tools)?;
        let named = (&*path.to_string_lossy(), text.as_str());
        let fill = |config: &mut Config| {
            config.agent_texts = agents;
            config.workspace.opened = roots::root_names(
                &crate::door::roots_of(config, folder),
                &RealPaths::default(),
            );
            environment::read_named_files(path, config);
        };
        let (_, policy) = Config::load_with(named, fill, &catalogue)?;
        let broken = policy.broken_agents().iter();
        let broken = broken.flat_map(|agent| agent.errors.list().iter().cloned());
        LoadErrors::check(broken.collect())?;
        Ok(Self { catalogue, policy })
    }
}
