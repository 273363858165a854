//! The JSON Schemas of documents, for editors and for tests.

#[cfg(test)]
mod tests;

use tool_core::schema::Schema;

use super::{approvers, legacy};
use crate::agents::AgentFrontmatter;
use crate::document::schema_of;
use crate::model::Config;
use crate::plugins::{PluginManifest, PluginSettings};
use crate::policy::PolicyCase;

/// The JSON Schema (draft 2020-12) of a configuration: the same keys and kinds of values that [`Config::parse`] takes.
pub fn config_schema() -> Schema {
    let mut schema = schema_of::<Config>();
    schema["title"] = "mathchain.toml".into();
    schema
}

/// The documents beside the configuration, each with its JSON Schema.
pub fn document_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("agent", schema_of::<AgentFrontmatter>()),
        ("plugin manifest", schema_of::<PluginManifest>()),
        ("plugin settings", schema_of::<PluginSettings>()),
        ("approvers", schema_of::<approvers::ApproversFile>()),
        ("policy case", schema_of::<PolicyCase>()),
        ("earlier tool", schema_of::<legacy::IndexedTool>()),
        ("earlier role", schema_of::<legacy::IndexedRole>()),
        ("earlier flat role", schema_of::<legacy::RolePermissions>()),
    ]
}
