//! `mathchain check`: everything that a project configures.

use registry::LoadErrors;
use registry::plugins::PluginStatus;

use super::phases;
use super::prelude::*;
use mathchain::plugins::LoadedPlugins;

/// Reads everything; problems are errors of opening the toolkit.
pub(super) fn check_configuration(global: &GlobalArgs) -> Result<ExitCode> {
    let toolkit = open::read_only(global, true)?;
    LoadedPlugins::strict(&toolkit.broken_plugins())?;
    mathchain::openapi::check_documents(&toolkit.config())?;
    let file = open::locate_places(global)?.config_file;
    let file = file.map(|file| file.path.to_string_lossy().into_owned());
    let config = toolkit.config();
    let dispatcher = toolkit.dispatcher();
    let (policy, plugins) = (dispatcher.policy(), toolkit.plugins());
    let broken = policy.broken_agents().iter();
    let broken = broken.flat_map(|agent| agent.errors.list().iter().cloned());
    LoadErrors::check(broken.collect())?;
    let lacking = plugins.iter().filter_map(|plugin| match &plugin.status {
        PluginStatus::Unavailable(reason) => {
            Some(format!("plugin `{}`: {reason}", plugin.manifest.name))
        }
        _ => None,
    });
    let notes = policy.notes().iter().map(ToString::to_string);
    let mut warnings: Vec<String> = lacking.chain(notes).collect();
    warnings.extend(phases::lacking_tools(&toolkit)?);
    let counts = [
        ("roles", policy.roles().count()),
        ("layers", config.layers.len()),
        ("phases", config.phases.len()),
        ("agents", policy.agents().count()),
        ("plugins", plugins.len()),
        ("tools", dispatcher.catalogue().len()),
    ];
    let mut data = vec![("configuration", Value::from(file.clone()))];
    data.extend(counts.map(|(name, count)| (name, Value::from(count))));
    data.push(("warnings", Value::from(warnings.clone())));
    output::print_data(global, &Value::object(data), || {
        let counts = counts
            .map(|(name, count)| count_phrase(count as u64, name.trim_end_matches('s')))
            .join(", ");
        let file = file.as_deref().unwrap_or("no configuration");
        let warnings = warnings.iter().map(|line| format!("warning: {line}\n"));
        format!(
            "{file}: {counts}; no errors\n{}",
            warnings.collect::<String>()
        )
    })
}
