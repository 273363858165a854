//! `plugin-settings/<name>.json`: what its user says about a plugin; it wins over the manifest.

use std::collections::BTreeMap;
use std::sync::Arc;

use tool_core::{Object, Value};

use super::manifest::Manifest;
use super::shape::Shape;
use crate::config::part::Part;
use crate::document::Document;
use crate::error::LoadError;

/// The settings of one plugin.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Whether it is used; `None` leaves it to the manifest.
    pub enabled: Option<bool>,
    /// Tools that are switched on or off, by their name without the plugin's.
    pub tools: BTreeMap<String, bool>,
    /// What the plugin itself is told.
    pub custom_config: Value,
}

impl Settings {
    /// Reads settings and holds them against the manifest; the second value is what the plugin is told, defaults filled in.
    pub(super) fn read(
        document: Option<&Document>,
        manifest: &Manifest,
        errors: &mut Vec<LoadError>,
    ) -> (Self, Value) {
        let mut settings = match document {
            Some(document) => Self::parse(document, errors),
            None => Self::default(),
        };
        if settings.custom_config.is_null() {
            settings.custom_config = Value::Object(Arc::default());
        }
        let place = |pointer: &str| document.map(|document| document.place(pointer));
        for tool in settings
            .tools
            .keys()
            .filter(|tool| !manifest.tools.iter().any(|known| known.name == **tool))
        {
            let pointer = format!("/tool_overrides/{tool}");
            let message = format!("the plugin `{}` has no tool `{tool}`", manifest.name);
            let known = manifest.tools.iter().map(|known| known.name.as_str());
            errors.push(
                LoadError::new(place(&pointer).as_ref(), message)
                    .at(pointer)
                    .nearest(tool, known),
            );
        }
        let empty = Shape::empty();
        let shape = manifest.settings_schema.as_ref().unwrap_or(&empty);
        let problems = shape.problems(&settings.custom_config);
        for problem in &problems {
            let pointer = format!("/custom_config{}", problem.path);
            let message = problem.message.replace("argument", "setting");
            errors.push(LoadError::new(place(&pointer).as_ref(), message).at(pointer));
        }
        let told = if problems.is_empty() {
            shape.decode(&settings.custom_config).unwrap_or_default()
        } else {
            Value::Null
        };
        (settings, told)
    }

    fn parse(document: &Document, errors: &mut Vec<LoadError>) -> Self {
        errors.extend(document.secrets());
        Self::of(Part::root(document, errors))
    }

    /// What settings can say.
    pub(crate) fn of(part: Part<'_>) -> Self {
        let mut settings = Self::default();
        let Some(mut top) = part.table(&["enabled", "tool_overrides", "custom_config"]) else {
            return settings;
        };
        settings.enabled = top.truth("enabled");
        top.each_named("tool_overrides", |name, part| {
            if let Some(mut table) = part.into_table(&["enabled"])
                && let Some(enabled) = table.truth("enabled")
            {
                settings.tools.insert(name, enabled);
            }
        });
        top.within("custom_config", |mut part| match &part.value {
            Value::Object(_) => settings.custom_config = part.value.clone(),
            other => part.report(format!("expected a table, found {}", other.kind()), None),
        });
        settings
    }

    /// Reads settings alone, to change them.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn of_text(name: &str, text: &str) -> Result<Self, crate::LoadErrors> {
        let document = crate::document::parse(name, text, crate::document::Format::Json)?;
        let mut errors = Vec::new();
        let settings = Self::parse(&document, &mut errors);
        crate::LoadErrors::check(errors).map(|()| settings)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut object = Object::new();
        if let Some(enabled) = self.enabled {
            object.insert("enabled", enabled);
        }
        let tools = self
            .tools
            .iter()
            .map(|(name, enabled)| (name.as_str(), Value::object([("enabled", *enabled)])));
        object.insert("tool_overrides", Value::object(tools));
        let config = if self.custom_config.is_null() {
            Value::Object(Arc::default())
        } else {
            self.custom_config.clone()
        };
        object.insert("custom_config", config);
        let mut text = String::new();
        pretty(&Value::Object(Arc::new(object)), 0, &mut text);
        text.push('\n');
        text
    }
}

/// One member a line; lists stay on theirs.
fn pretty(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ",\n" } else { "\n" });
                out.push_str(&"  ".repeat(depth + 1));
                tool_core::json::write(&Value::from(name), out);
                out.push_str(": ");
                pretty(member, depth + 1, out);
            }
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
            out.push('}');
        }
        other => tool_core::json::write(other, out),
    }
}
