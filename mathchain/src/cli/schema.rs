//! `mathchain schema`: JSON Schemas of the files that people write, for their editors.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use tool_core::schema::Schema;
use tool_core::{ToolError, Value};

use super::args::Global;
use super::{exit, print, print_data};

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
        schema: registry::config::schema,
    },
    Described {
        name: "plan",
        files: "plans in YAML and JSON",
        schema: chain_runtime::plan::schema,
    },
];

/// The names that can be given.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(SCHEMAS.iter().map(|described| described.name))
}

/// Prints one schema, or the list of them.
pub(super) fn schema(global: &Global, name: Option<&str>) -> Result<ExitCode, ToolError> {
    match SCHEMAS
        .iter()
        .find(|described| Some(described.name) == name)
    {
        // Laid out for a reader in every format: it is JSON in any case, and kept as a file.
        Some(described) => print(&format!("{:#}\n", (described.schema)())),
        None => {
            let row = |described: &Described| {
                Value::object([("name", described.name), ("files", described.files)])
            };
            let rows = Value::array(SCHEMAS.iter().map(row).collect());
            print_data(global, &rows, || {
                let line =
                    |described: &Described| format!("{:8}  {}\n", described.name, described.files);
                SCHEMAS.iter().map(line).collect()
            });
        }
    }
    Ok(exit::OK.into())
}
