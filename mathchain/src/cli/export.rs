//! `mathchain tools export`: tools as model providers, clients and grammars want them declared.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use registry::offer::{self, Catalog, Dialect, Offered};
use serde_json::{Value as Json, json};

use super::prelude::*;

#[derive(Debug, Args)]
#[command(
    after_help = "The declarations are made for models: short types, and rare arguments left to `describe_tool`; `jsonschema` has the \
schemas that arguments are checked against. Names are wire names, which `call` and every server take.
Examples:
  mathchain tools export --format openai --catalog core > tools.json
  mathchain tools export --format gbnf --role worker_math > call.gbnf"
)]
pub(super) struct Export {
    /// Format of the declarations
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormat,
    /// Tools to export: `full`, `core` or `search`
    #[arg(long, value_name = "CATALOG", default_value = "full", value_parser = catalog())]
    catalog: Catalog,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    role: Option<String>,
    #[command(flatten)]
    caller: Caller,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Tools of the chat completions interface
    Openai,
    /// Tools of the messages interface
    Anthropic,
    /// Function declarations
    Gemini,
    /// The list of tools that an MCP server answers with
    Mcp,
    /// Full schemas of arguments and results, by name
    Jsonschema,
    /// A page for a prompt
    Markdown,
    /// A grammar of calls, as llama.cpp reads it
    Gbnf,
}

/// Parses the name of a catalogue.
pub(super) fn catalog() -> impl TypedValueParser<Value = Catalog> {
    let names = Catalog::ALL.iter().map(|catalog| catalog.as_str());
    PossibleValuesParser::new(names)
        .try_map(|text| Catalog::parse(&text).ok_or("no such catalogue"))
}

/// Prints the declarations of the tools that a caller sees.
pub(super) fn export(global: &Global, export: &Export) -> Result<ExitCode> {
    let toolkit = export.caller.open(global)?;
    let dispatcher = toolkit.dispatcher();
    let caller = toolkit.caller(&export.caller.context(export.role.clone()));
    let offered = offer::offered(&dispatcher, &caller, export.catalog)?;
    let declared = |dialect: Dialect| format!("{:#}\n", dialect.declare(&offered));
    let text = match export.format {
        ExportFormat::Openai => declared(Dialect::Openai),
        ExportFormat::Anthropic => declared(Dialect::Anthropic),
        ExportFormat::Gemini => declared(Dialect::Gemini),
        ExportFormat::Mcp => declared(Dialect::Mcp),
        ExportFormat::Jsonschema => format!("{:#}\n", schemas(&dispatcher, &offered)),
        ExportFormat::Markdown => markdown(export.catalog, &offered),
        ExportFormat::Gbnf => offer::grammar(&offered),
    };
    // The document is the same in every output format.
    output::print(&text);
    Ok(exit::OK.into())
}

/// The schemas that arguments are checked against, by wire name.
fn schemas(dispatcher: &registry::Dispatcher, offered: &[Offered]) -> Json {
    let of = |offered: &Offered| {
        let (input, output) = match dispatcher.catalogue().get(&offered.name) {
            Some(tool) => (tool.input_schema(), tool.output_schema()),
            None => (offered.input.clone(), offered.output.clone()),
        };
        let (title, description) = (&offered.title, &offered.description);
        let schemas = json!({ "title": title, "description": description, "input_schema": input, "output_schema": output });
        (offered.name.clone(), schemas)
    };
    Json::Object(offered.iter().map(of).collect())
}

fn markdown(catalog: Catalog, offered: &[Offered]) -> String {
    let mut text = format!("# Tools\n\n{}\n", offer::instructions(catalog));
    for tool in offered {
        let (name, title, description) = (&tool.name, &tool.title, &tool.description);
        let _ = write!(text, "\n## {name}\n\n{title}. {description}\n\n");
        let required = tool.input["required"].as_array();
        for (argument, schema) in tool.input["properties"].as_object().into_iter().flatten() {
            let is_required = required.is_some_and(|all| all.contains(&argument.as_str().into()));
            let required = if is_required { ", required" } else { "" };
            let description = schema["description"].as_str().unwrap_or_default();
            let _ = writeln!(
                text,
                "- `{argument}` ({}{required}): {description}",
                types(schema)
            );
        }
    }
    text
}

/// The types of a schema in words, or its names.
fn types(schema: &Json) -> String {
    let texts = |list: &Json| {
        let texts = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str);
        texts.collect::<Vec<_>>().join(" | ")
    };
    match (&schema["enum"], &schema["type"]) {
        (names @ Json::Array(_), _) => texts(names),
        (_, Json::String(one)) => one.clone(),
        (_, several) => texts(several),
    }
}
