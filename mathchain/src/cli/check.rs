//! `mathchain check`: everything a project configures, held against what there is.

use std::process::ExitCode;

use registry::plugins::Status;
use tool_core::{Object, ToolError, Value};

use super::args::Global;
use super::{exit, print_data, session};
use crate::plugins::Loaded;

/// Reads everything; what is wrong is the error of opening.
pub(super) fn check(global: &Global) -> Result<ExitCode, ToolError> {
    let toolkit = session::open_to_look(global, true)?;
    Loaded::strict(&toolkit.broken_plugins())?;
    let file = session::places(global)?.config_file;
    let config = toolkit.config();
    let dispatcher = toolkit.dispatcher();
    let plugins = toolkit.plugins();
    let mut warnings: Vec<String> = plugins
        .iter()
        .filter_map(|plugin| match &plugin.status {
            Status::Unavailable(reason) => {
                Some(format!("plugin `{}`: {reason}", plugin.manifest.name))
            }
            _ => None,
        })
        .collect();
    warnings.extend(dispatcher.policy().notes().iter().map(ToString::to_string));
    let mut object = Object::new();
    let named = file.map(|file| file.path.to_string_lossy().into_owned());
    object.insert("configuration", named.clone());
    object.insert("tools", dispatcher.catalogue().len());
    object.insert("roles", dispatcher.policy().roles().count());
    object.insert("layers", config.layers.len());
    object.insert("phases", config.phases.len());
    object.insert("agents", dispatcher.policy().agents().count());
    object.insert("plugins", plugins.len());
    object.insert("warnings", Value::from(warnings.clone()));
    let counts: Vec<String> = ["roles", "layers", "phases", "agents", "plugins", "tools"]
        .iter()
        .map(|key| {
            let count = object.get(key).and_then(Value::as_i64).unwrap_or_default();
            format!("{count} {key}")
        })
        .collect();
    let text = format!(
        "{}: {}; nothing is wrong\n{}",
        named.as_deref().unwrap_or("no configuration"),
        counts.join(", "),
        warnings
            .iter()
            .map(|line| format!("warning: {line}\n"))
            .collect::<String>()
    );
    print_data(global, &Value::Object(object.into()), || text);
    Ok(exit::OK.into())
}
