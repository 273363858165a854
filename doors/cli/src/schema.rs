//! `mathchain schema`: JSON Schemas of configuration and plan files, for editors, and the OpenAPI document of the HTTP server.

use clap::builder::PossibleValuesParser;
use tool_core::schema::Schema;

use super::prelude::*;

/// A kind of file.
struct SchemaFile {
    name: &'static str,
    files: &'static str,
    schema: fn(&GlobalArgs) -> Result<Schema>,
}

/// Every kind, in the order of the list.
const SCHEMAS: &[SchemaFile] = &[
    SchemaFile {
        name: "config",
        files: "mathchain.toml, mathchain.yaml",
        schema: |_| Ok(registry::load::config_schema()),
    },
    SchemaFile {
        name: "plan",
        files: "plans in YAML and JSON",
        schema: |_| Ok(chain_runtime::plan::plan_schema()),
    },
    SchemaFile {
        name: "openapi",
        files: "the HTTP server, as `GET /v1/openapi.json` describes it to the default caller",
        schema: openapi_document,
    },
];

/// The names of the schemas.
pub(super) fn schema_names() -> PossibleValuesParser {
    PossibleValuesParser::new(SCHEMAS.iter().map(|described| described.name))
}

/// Prints one schema, or the list of them.
pub(super) fn print_schema(global: &GlobalArgs, name: Option<&str>) -> Result<ExitCode> {
    let named = SCHEMAS
        .iter()
        .find(|described| Some(described.name) == name);
    if let Some(described) = named {
        // Indented in every format, since it is JSON in any case and stored as a file.
        output::write_stdout(&format!("{:#}\n", (described.schema)(global)?));
        return Ok(exit::OK.into());
    }
    let value = |one: &SchemaFile| object! { "name" => one.name, "files" => one.files };
    let line = |one: &SchemaFile| format!("{:8}  {}\n", one.name, one.files);
    output::print_list(global, SCHEMAS, value, "no schemas", line)
}

/// The document for a caller without options.
fn openapi_document(global: &GlobalArgs) -> Result<Schema> {
    let toolkit = open::open_toolkit(global)?;
    let caller = toolkit.caller(&CallContext::default());
    let has_keys = match mathchain_servers::keys::keys_path() {
        Some(file) => mathchain_servers::keys::read_keys(&file)?.is_some(),
        None => false,
    };
    mathchain_servers::http::openapi::openapi_document(&toolkit.dispatcher(), &caller, has_keys)
}
