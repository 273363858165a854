//! `plugin-settings/<name>.json`: the operator's settings for a plugin, which override the manifest.

use std::collections::BTreeMap;

use tool_core::convert::to_value;
use tool_core::{Decode, Describe, Encode, Value};

use super::manifest::PluginManifest;
use super::shape::PluginSchema;
use crate::document::{self, DocumentFormat, ParsedDocument};
use crate::error::{LoadError, LoadErrors};

/// The settings of one plugin.
#[derive(Debug, Clone, Default, PartialEq, Encode, Decode, Describe)]
#[value(default)]
pub struct PluginSettings {
    /// Whether the plugin is used; the manifest says where the settings do not.
    #[value(skip_encoding_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Tools that are switched on or off, by name without that of the plugin.
    #[value(rename = "tool_overrides")]
    pub tools: BTreeMap<String, PluginToolSettings>,
    /// Settings of the plugin's own, which it gets when it starts.
    #[schema(extend("type" = "object"))]
    pub custom_config: Value,
}

/// The settings of one tool.
#[derive(Debug, Clone, Default, PartialEq, Encode, Decode, Describe)]
#[value(default)]
pub struct PluginToolSettings {
    /// Whether the tool can be called; the manifest says where the settings do not.
    #[value(skip_encoding_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

impl PluginSettings {
    /// Reads settings and checks them against the manifest; the second value is the plugin's own settings with defaults.
    pub(super) fn read(
        document: Option<&ParsedDocument>,
        manifest: &PluginManifest,
        errors: &mut Vec<LoadError>,
    ) -> (Self, Value) {
        let settings = document.and_then(|document| Self::parse(document, errors));
        let settings = settings.unwrap_or_else(Self::none);
        let place = |pointer: &str| document.map(|document| document.place(pointer));
        let known = || manifest.tools.iter().map(|known| known.name.as_str());
        let is_unknown = |tool: &&String| !known().any(|known| known == *tool);
        for tool in settings.tools.keys().filter(is_unknown) {
            let pointer = format!("/tool_overrides/{tool}");
            let message = format!("the plugin `{}` has no tool `{tool}`", manifest.name);
            let error = LoadError::new(place(&pointer).as_ref(), message);
            errors.push(error.at(pointer).nearest(tool, known()));
        }
        let empty = PluginSchema::empty();
        let shape = manifest.settings_schema.as_ref().unwrap_or(&empty);
        for problem in shape.problems(&settings.custom_config) {
            let pointer = format!("/custom_config{}", problem.path);
            let message = problem.message.replace("argument", "setting");
            errors.push(LoadError::new(place(&pointer).as_ref(), message).at(pointer));
        }
        let told = shape.decode(&settings.custom_config).unwrap_or_default();
        (settings, told)
    }

    fn none() -> Self {
        Self {
            custom_config: Value::object::<&str, Value>([]),
            ..Self::default()
        }
    }

    fn parse(document: &ParsedDocument, errors: &mut Vec<LoadError>) -> Option<Self> {
        errors.extend(document.secrets());
        let mut settings: Self = document::read_typed(document, errors)?;
        if settings.custom_config.is_null() {
            settings.custom_config = Self::none().custom_config;
        }
        Some(settings)
    }

    /// Reads settings alone, to change them.
    ///
    /// # Errors
    /// All their problems.
    pub fn of_text(name: &str, text: &str) -> Result<Self, LoadErrors> {
        let document = document::parse_document(name, text, DocumentFormat::Json)?;
        let mut errors = Vec::new();
        let settings = Self::parse(&document, &mut errors);
        LoadErrors::check(errors).map(|()| settings.unwrap_or_else(Self::none))
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        let value = to_value(self).unwrap_or_default();
        let text = serde_json::to_string_pretty(&value).unwrap_or_default();
        text.replace("\"custom_config\": null", "\"custom_config\": {}") + "\n"
    }
}
