//! `mathchain schema`: JSON Schemas of configuration and plan files, for editors.

use clap::builder::PossibleValuesParser;
use tool_core::schema::Schema;

use super::prelude::*;

/// A kind of file.
struct Described {
    name: &'static str,
    files: &'static str,
    schema: fn() -> Schema,
}

/// Every kind, in the order of the list.
const SCHEMAS: &[Described] = &[
    Described {
        name: "config",
        files: "mathchain.toml, mathchain.yaml",
        schema: registry::load::schema,
    },
    Described {
        name: "plan",
        files: "plans in YAML and JSON",
        schema: chain_runtime::plan::schema,
    },
];

/// The names of the schemas.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SCHEMAS.iter().map(|described| described.name))
}

/// Prints one schema, or the list of them.
pub(super) fn schema(global: &Global, name: Option<&str>) -> Result<ExitCode> {
    let named = SCHEMAS
        .iter()
        .find(|described| Some(described.name) == name);
    if let Some(described) = named {
        // Indented in every format, since it is JSON in any case and stored as a file.
        output::print(&format!("{:#}\n", (described.schema)()));
        return Ok(exit::OK.into());
    }
    let value = |one: &Described| object! { "name" => one.name, "files" => one.files };
    let line = |one: &Described| format!("{:8}  {}\n", one.name, one.files);
    output::list(global, SCHEMAS, value, "no schemas", line)
}
