//! [`DeclarationFormat`]: tools as model providers, clients and grammars want them declared.

use std::fmt::Write as _;

use clap::ValueEnum;
use registry::offer::{self, Catalog, Dialect, ToolOffer};
use registry::policy::HandedTool;
use registry::{CallerContext, Dispatcher, ToolAliases, Verdict};
use serde_json::{Value as Json, json};
use tool_core::Result;

/// A form of declarations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeclarationFormat {
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
    /// The index of tools in the layout of an earlier system, as YAML
    Index,
}

impl DeclarationFormat {
    /// Every format by name.
    pub fn names() -> Vec<String> {
        let values = Self::value_variants().iter();
        let names = values.filter_map(|one| Some(one.to_possible_value()?.get_name().to_owned()));
        names.collect()
    }

    /// Whether the text is JSON.
    pub fn is_json(self) -> bool {
        !matches!(self, Self::Markdown | Self::Gbnf | Self::Index)
    }

    /// The dialect of a provider, where it is one.
    pub fn dialect(self) -> Option<Dialect> {
        match self {
            Self::Openai => Some(Dialect::Openai),
            Self::Anthropic => Some(Dialect::Anthropic),
            Self::Gemini => Some(Dialect::Gemini),
            Self::Mcp => Some(Dialect::Mcp),
            Self::Jsonschema | Self::Markdown | Self::Gbnf | Self::Index => None,
        }
    }

    /// The declarations of tools.
    pub fn text(
        self,
        dispatcher: &Dispatcher,
        catalog: Catalog,
        offered: &[ToolOffer],
        elsewhere: &[HandedTool],
    ) -> String {
        let declared = |dialect: Dialect| format!("{:#}\n", dialect.declare(offered));
        match self {
            Self::Openai => declared(Dialect::Openai),
            Self::Anthropic => declared(Dialect::Anthropic),
            Self::Gemini => format!("{:#}\n", gemini_declarations(offered, elsewhere)),
            Self::Mcp => declared(Dialect::Mcp),
            Self::Jsonschema => format!("{:#}\n", argument_schemas(dispatcher, offered)),
            Self::Markdown => render_markdown(catalog, offered) + &run_elsewhere(elsewhere),
            Self::Gbnf => offer::tool_call_grammar(offered),
            Self::Index => {
                let catalogue = dispatcher.catalogue();
                let tools = offered.iter().filter_map(|tool| catalogue.get(&tool.name));
                offer::index(tools)
            }
        }
    }
}

/// The tools of a caller's selection that run elsewhere, without denied ones.
///
/// # Errors
/// An unknown role, agent or phase.
pub fn external_tools(dispatcher: &Dispatcher, caller: &CallerContext) -> Result<Vec<HandedTool>> {
    let policy = dispatcher.policy();
    let caller = policy.caller(dispatcher.catalogue(), &caller.who, dispatcher.facts())?;
    let handed = caller.handed().into_iter();
    let kept = handed.filter(|(_, decision)| decision.verdict != Verdict::Deny);
    Ok(kept.map(|(tool, _)| tool).collect())
}

/// Function declarations, and beside them the tools that the provider runs itself.
fn gemini_declarations(offered: &[ToolOffer], elsewhere: &[HandedTool]) -> Json {
    let mut declared = Dialect::Gemini.declare(offered);
    let aliases = ToolAliases::built_in();
    let of_provider = elsewhere.iter().filter_map(|tool| {
        let declaration = aliases
            .provider_tool(&tool.name)?
            .declaration
            .get("gemini")?;
        serde_json::to_value(declaration).ok()
    });
    if let Json::Array(list) = &mut declared {
        list.extend(of_provider);
    }
    declared
}

/// The tools that run elsewhere, for a reader.
fn run_elsewhere(elsewhere: &[HandedTool]) -> String {
    let mut text = String::new();
    for tool in elsewhere {
        let (name, home, description) = (&tool.name, tool.home, &tool.description);
        let _ = write!(
            text,
            "\n## {name}\n\n{description}. Run by its {home}, never here.\n"
        );
    }
    text
}

/// The schemas that arguments are checked against, by wire name.
fn argument_schemas(dispatcher: &Dispatcher, offered: &[ToolOffer]) -> Json {
    let of = |offered: &ToolOffer| {
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

fn render_markdown(catalog: Catalog, offered: &[ToolOffer]) -> String {
    let mut text = format!("# Tools\n\n{}\n", offer::catalog_instructions(catalog));
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
                schema_type_text(schema)
            );
        }
    }
    text
}

/// The types of a schema in words, or its names.
fn schema_type_text(schema: &Json) -> String {
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
