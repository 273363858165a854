//! `mathchain tools export`: tools as model providers, clients and grammars want them declared.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use registry::offer::{self, Catalog};

use super::prelude::*;
use mathchain_servers::exported::{self, DeclarationFormat};

#[derive(Debug, Args)]
#[command(
    after_help = "The declarations are made for models: short types, and rare arguments left to `describe_tool`; `jsonschema` has the \
schemas that arguments are checked against. Names are wire names, which `call` and every server take.
Examples:
  mathchain tools export --format openai > tools.json
  mathchain tools export --format gbnf --role worker_math > call.gbnf"
)]
pub(super) struct ExportCommand {
    /// Format of the declarations
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: DeclarationFormat,
    /// Tools to export: `full`, `core` or `search`; by default `core` for providers and MCP, else `full`
    #[arg(long, value_name = "CATALOG", value_parser = catalogue_parser())]
    catalog: Option<Catalog>,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    role: Option<String>,
    #[command(flatten)]
    caller: CallerArgs,
}

/// Parses the name of a catalogue.
pub(super) fn catalogue_parser() -> impl TypedValueParser<Value = Catalog> {
    let names = Catalog::ALL.iter().map(|catalog| catalog.as_str());
    PossibleValuesParser::new(names)
        .try_map(|text| Catalog::parse(&text).ok_or("no such catalogue"))
}

/// Prints the declarations of the tools that a caller sees.
pub(super) fn export_tools(global: &GlobalArgs, export: &ExportCommand) -> Result<ExitCode> {
    let toolkit = export.caller.open(global)?;
    let dispatcher = toolkit.dispatcher();
    let caller = toolkit.caller(&export.caller.context(export.role.clone()));
    let usual = match export.format.dialect() {
        // No provider takes all tools.
        Some(_) => Catalog::Core,
        None => Catalog::Full,
    };
    let catalog = export.catalog.unwrap_or(usual);
    let offered = offer::visible_tools(&dispatcher, &caller, catalog)?;
    let elsewhere = exported::external_tools(&dispatcher, &caller)?;
    let text = export
        .format
        .text(&dispatcher, catalog, &offered, &elsewhere);
    if let Some(dialect) = export.format.dialect() {
        for fault in offer::dialect_faults(&offered, dialect) {
            write_stderr(&format!(
                "warning: {fault}; `--catalog core` or a role has fewer tools\n"
            ));
        }
    }
    // The document is the same in every output format.
    output::write_stdout(&text);
    Ok(exit::OK.into())
}
