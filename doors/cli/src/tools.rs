//! `mathchain tools list|show|search`.

use registry::dispatch::ToolListing;
use registry::policy::{HandedTool, PolicyDecision};
use registry::search::ToolQuery;
use registry::{Catalogue, Verdict};
use tool_core::{AnyTool, Category, Effect, spec};

use super::flags;
use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum ToolsCommand {
    /// List the tools visible to a caller, by category
    #[command(after_help = "Examples:
  mathchain tools list --role worker_math
  mathchain tools list --agent researcher --phase research --all
  mathchain tools list --caller chain --json")]
    List(ToolListArgs),
    /// Show one tool: description, arguments, result, examples
    Show {
        /// Tool name
        #[arg(required_unless_present = "digest", conflicts_with = "digest", add = complete::complete_tools())]
        tool: Option<String>,
        /// Show the tool whose listing in a session has this digest
        #[arg(long, value_name = "DIGEST")]
        digest: Option<String>,
        /// Print the JSON Schemas of arguments and result
        #[arg(long)]
        schema: bool,
    },
    /// Search tools by everyday words, category, tag or effect
    #[command(after_help = "Exit code 1 if nothing matches.
Examples:
  mathchain tools search curve fit
  mathchain tools search category:data table")]
    Search {
        /// Search terms; `category:c`, `tag:t` and `effect:e` narrow the search
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Export the tools that a caller sees for providers, clients and grammars
    Export(super::export::ExportCommand),
}

#[derive(Debug, Args)]
pub(super) struct ToolListArgs {
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller", add = complete::complete_roles())]
    role: Option<String>,
    #[command(flatten)]
    caller: CallerArgs,
    /// Only tools for direct calls, or for steps of plans
    #[arg(long = "caller", value_name = "CALLER", value_parser = one_of(CALLERS))]
    by: Option<spec::Caller>,
    /// Include hidden tools, with the reason
    #[arg(long)]
    all: bool,
}

const CALLERS: &[(&str, spec::Caller, &str)] = &[
    ("direct", spec::Caller::Direct, "Calls"),
    ("chain", spec::Caller::Chain, "Steps of plans"),
];

/// Lists, shows or searches tools.
pub(super) fn run_tools_command(global: &GlobalArgs, tools: &ToolsCommand) -> Result<ExitCode> {
    match tools {
        ToolsCommand::List(wanted) => list_tools(global, wanted),
        ToolsCommand::Show {
            tool,
            digest,
            schema,
        } => {
            let toolkit = open::open_toolkit(global)?;
            let dispatcher = toolkit.dispatcher();
            let catalogue = dispatcher.catalogue();
            let aliases = registry::ToolAliases::built_in();
            let elsewhere = tool.as_ref().filter(|name| {
                let is_known =
                    aliases.provider_tool(name).is_some() || aliases.own_tool(name).is_some();
                is_known && catalogue.called(name).is_none()
            });
            if let Some(name) = elsewhere {
                return show_elsewhere(global, &HandedTool::of(name));
            }
            let tool = match (tool, digest) {
                (Some(name), _) => find_tool(catalogue, name)?,
                (None, digest) => of_digest(catalogue, digest.as_deref().unwrap_or_default())?,
            };
            show_tool(global, tool, *schema)
        }
        ToolsCommand::Export(export) => super::export::export_tools(global, export),
        ToolsCommand::Search { words } => search_tools(global, &open::open_toolkit(global)?, words),
    }
}

fn list_tools(global: &GlobalArgs, wanted: &ToolListArgs) -> Result<ExitCode> {
    let toolkit = wanted.caller.open(global)?;
    let facts = open::machine_facts(&toolkit, &wanted.caller.facts)?;
    let caller = toolkit.caller(&wanted.caller.context(wanted.role.clone()));
    let dispatcher = toolkit.dispatcher();
    let mut shown = dispatcher.visible_with(&caller, &facts)?;
    shown.retain(|entry| wanted.all || entry.hidden.is_none());
    let may = |tool: &dyn AnyTool| wanted.by.is_none_or(|by| tool.spec().callers.contains(&by));
    shown.retain(|entry| may(entry.tool));
    let reason = |entry: &ToolListing<'_>| {
        entry
            .hidden
            .as_ref()
            .map(|hidden| hidden.reason.to_string())
    };
    let policy = dispatcher.policy();
    let selection = policy.caller(dispatcher.catalogue(), &caller.who, &facts)?;
    let mut elsewhere = match wanted.by {
        Some(_) => Vec::new(),
        None => selection.handed(),
    };
    elsewhere.retain(|(_, decision)| wanted.all || decision.verdict != Verdict::Deny);
    let hidden = |decision: &PolicyDecision| {
        let denied = decision.verdict == Verdict::Deny;
        denied.then(|| decision.reason.to_string())
    };
    let handed = elsewhere.iter().map(|(tool, decision)| {
        let known = tool.to_value();
        let mut fields = known.as_object().cloned().unwrap_or_default();
        fields.insert("hidden", Value::from(hidden(decision)));
        Value::Object(fields.into())
    });
    let data = shown.iter().map(|entry| {
        let mut fields = tool_summary(entry.tool);
        fields.push(("hidden", Value::from(reason(entry))));
        Value::object(fields)
    });
    output::print_data(global, &Value::array(data.chain(handed).collect()), || {
        let rows: Vec<_> = shown
            .iter()
            .map(|entry| (entry.tool, reason(entry)))
            .collect();
        let count = count_phrase((rows.len() + elsewhere.len()) as u64, "tool");
        let outside: Vec<_> = elsewhere
            .iter()
            .map(|(tool, decision)| {
                let hidden = hidden(decision).map(|why| format!(" [hidden: {why}]"));
                let text = format!(
                    "{} ({}){}",
                    tool.description,
                    tool.home,
                    hidden.unwrap_or_default()
                );
                (tool.name.clone(), text)
            })
            .collect();
        let outside = match outside.is_empty() {
            true => String::new(),
            false => format!("run elsewhere\n{}\n", name_table(&outside)),
        };
        format!("{}{outside}{count}\n", by_category(&rows))
    })
}

/// Tools with their titles, in groups by category.
fn by_category(rows: &[(&dyn AnyTool, Option<String>)]) -> String {
    let mut text = String::new();
    let width = name_width(rows.iter().map(|(tool, _)| tool.spec().id));
    for &category in Category::ALL.iter() {
        let of = |(tool, _): &&(&dyn AnyTool, _)| tool.spec().category == category;
        let rows: Vec<_> = rows.iter().filter(of).map(tool_row).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "{category}\n{}", table_of(&rows, width));
        }
    }
    text
}

/// The name and title of a tool, with the reason if it is hidden.
fn tool_row((tool, hidden): &(&dyn AnyTool, Option<String>)) -> (String, String) {
    let spec = tool.spec();
    let title = match hidden {
        Some(reason) => format!("{} [hidden: {reason}]", spec.title),
        None => spec.title.to_owned(),
    };
    (spec.id.to_owned(), title)
}

fn search_tools(global: &GlobalArgs, toolkit: &Toolkit, words: &[String]) -> Result<ExitCode> {
    let text: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !is_filter(word))
        .collect();
    let text = text.join(" ");
    let query = parse_query(&text, words)?;
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let found = catalogue.search(&query);
    let data = found.iter().map(|tool| Value::object(tool_summary(*tool)));
    let rows = |tools: &[&dyn AnyTool]| -> Vec<_> {
        tools.iter().map(|tool| tool_row(&(*tool, None))).collect()
    };
    output::print_data(global, &Value::array(data.collect()), || {
        name_table(&rows(&found))
    })?;
    if found.is_empty() {
        let words = words.join(" ");
        let instead = catalogue.instead_of(&query);
        let said = instead
            .said
            .map_or_else(String::new, |said| format!(": {said}"));
        write_stderr(&match instead.tools {
            near if near.is_empty() => {
                format!("no tool matches `{words}`{said}; `mathchain tools list` shows all\n")
            }
            near => format!(
                "no tool matches `{words}`{said}; the nearest:\n{}",
                name_table(&rows(&near))
            ),
        });
    }
    Ok(exit::of_check(!found.is_empty()))
}

const FILTERS: [&str; 3] = ["category:", "effect:", "tag:"];

fn is_filter(word: &str) -> bool {
    FILTERS.iter().any(|filter| word.starts_with(filter))
}

fn parse_query<'a>(text: &'a str, words: &'a [String]) -> Result<ToolQuery<'a>> {
    let mut query = ToolQuery {
        text,
        ..ToolQuery::default()
    };
    for (kind, name) in words.iter().filter_map(|word| word.split_once(':')) {
        match kind {
            "category" => {
                let all = Category::ALL.iter().map(|category| category.as_str());
                query.category = Some(require_known(kind, name, Category::parse(name), all)?);
            }
            "effect" => {
                let all = Effect::ALL.iter().map(|effect| effect.as_str());
                query.effect = Some(require_known(kind, name, Effect::parse(name), all)?);
            }
            "tag" => query.tag = Some(name),
            _ => {}
        }
    }
    Ok(query)
}

fn require_known<'a, T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    all: impl Iterator<Item = &'a str>,
) -> Result<T> {
    found.ok_or_else(|| {
        let names: Vec<&str> = all.collect();
        let err = tool_error!(InvalidRequest, "no {kind} named `{name}`");
        let otherwise = format!("expected one of: {}", names.join(", "));
        output::suggest_nearest_name(err, name, names.iter().copied(), otherwise)
    })
}

fn find_tool<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a dyn AnyTool> {
    let unknown = || catalogue.unknown(name, catalogue.nearest(name));
    let index = catalogue.called(name).ok_or_else(unknown)?;
    Ok(catalogue.tool(index))
}

/// Hex digits of a digest on a page, by which it is found again.
const DIGEST_SHOWN: usize = 12;

/// The tool with a digest, or with one that begins so.
fn of_digest<'a>(catalogue: &'a Catalogue, digest: &str) -> Result<&'a dyn AnyTool> {
    let is_enough = digest.len() >= DIGEST_SHOWN;
    let mut all = catalogue.iter();
    let found = all.find(|tool| is_enough && registry::digest::of_tool(*tool).starts_with(digest));
    found.ok_or_else(|| {
        tool_error!(UnknownTool, "no tool has the digest `{digest}`")
            .hint("the tool has changed since the listing: `mathchain tools list` shows the tools there are")
    })
}

/// Shows a tool that a provider or an agent command line runs.
fn show_elsewhere(global: &GlobalArgs, tool: &HandedTool) -> Result<ExitCode> {
    output::print_data(global, &tool.to_value(), || {
        let (name, description, home) = (&tool.name, &tool.description, tool.home);
        let effects = tool.effects.iter().flatten().map(|effect| effect.as_str());
        let effects: Vec<&str> = effects.collect();
        let effects = match effects.is_empty() {
            true => "none".to_owned(),
            false => effects.join(", "),
        };
        format!("{name} - {description}\n\nrun by its {home}, never here; effects {effects}\n")
    })
}

fn show_tool(global: &GlobalArgs, tool: &dyn AnyTool, schema: bool) -> Result<ExitCode> {
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let as_value = |schema: &serde_json::Value| mathchain::parse_json(&schema.to_string());
    let schemas = [
        ("input_schema", as_value(&input)?),
        ("output_schema", as_value(&output)?),
    ];
    if schema {
        return output::print_data(global, &Value::object(schemas), || {
            let both = serde_json::json!({"input_schema": input, "output_schema": output});
            format!("{both:#}\n")
        });
    }
    let examples = tool.examples().into_iter().map(|example| {
        object! { "title" => example.title, "args" => example.args, "output" => example.output }
    });
    let mut fields = tool_summary(tool);
    fields.push(("digest", registry::digest::of_tool(tool).into()));
    fields.extend(schemas);
    fields.push(("examples", Value::array(examples.collect())));
    let data = Value::object(fields);
    output::print_data(global, &data, || tool_page(tool, &input, &output))
}

fn tool_summary(tool: &dyn AnyTool) -> Vec<(&'static str, Value)> {
    let spec = tool.spec();
    let effects = spec.effects.iter().map(|effect| effect.as_str());
    let permissions = spec.permissions.iter().map(|one| one.as_str());
    let callers = spec.callers.iter().map(|caller| caller.as_str());
    vec![
        ("id", spec.id.into()),
        ("version", spec.version.into()),
        ("title", spec.title.into()),
        ("description", tool.description().into()),
        ("category", spec.category.as_str().into()),
        ("tags", spec.tags.to_vec().into()),
        ("effects", effects.collect::<Vec<_>>().into()),
        ("network", registry::policy::network_use(spec).into()),
        ("permissions", permissions.collect::<Vec<_>>().into()),
        ("callers", callers.collect::<Vec<_>>().into()),
        ("calls_tools", spec.calls_tools.into()),
        ("read_only", spec.changes_nothing().into()),
        ("destructive", spec.destructive.into()),
        ("human_gate", spec.human_gate.into()),
        ("idempotent", spec.idempotent.into()),
        ("determinism", spec.determinism.as_str().into()),
    ]
}

fn tool_page(tool: &dyn AnyTool, input: &serde_json::Value, output: &serde_json::Value) -> String {
    let spec = tool.spec();
    let mut effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
    if spec.calls_tools {
        effects.push("those of the calls it makes");
    }
    let mut effects = match effects.is_empty() {
        true => "none".to_owned(),
        false => effects.join(", "),
    };
    if registry::policy::network_use(spec) == Some("read") {
        effects.push_str(", reads from the network");
    }
    let (id, title, category) = (spec.id, spec.title, spec.category);
    let determinism = spec.determinism_in_words();
    let gate = match spec.human_gate {
        true => ", every call needs a person's approval",
        false => "",
    };
    let description = tool.description();
    let description = human::wrap_paragraph(&description, human::terminal_width(), 0);
    let digest = registry::digest::of_tool(tool);
    let mut text = format!(
        "{id} - {title}\n\n{description}\n\ncategory {category}, effects {effects}, {determinism}{gate}\nversion {}, digest {}\n",
        spec.version,
        &digest[..DIGEST_SHOWN]
    );
    for (heading, schema) in [("Arguments", input), ("Result", output)] {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let rows = properties.map(|(name, property)| {
            let is_required = heading == "Arguments" && required.contains(&name.as_str().into());
            let text = flags::describe_argument(property, is_required);
            (name.clone(), text.replace('\n', " "))
        });
        let _ = write!(
            text,
            "\n{heading}\n{}",
            name_table(&rows.collect::<Vec<_>>())
        );
    }
    for example in tool.examples() {
        let (title, args, id) = (example.title, example.args, spec.id);
        let output = indent_text(&human::render_value(&example.output));
        let args = flags::quote_shell_arguments(&args);
        text += &format!("\nExample: {title}\n  echo {args} | mathchain call {id}\n{output}");
    }
    text
}

fn indent_text(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

/// Names, and words that wrap beside them.
fn name_table(rows: &[(String, String)]) -> String {
    table_of(rows, name_width(rows.iter().map(|(name, _)| name.as_str())))
}

/// Width of the column of names; a longer one has a line of its own.
fn name_width<'a>(names: impl Iterator<Item = &'a str>) -> usize {
    const NAME_MAX: usize = 32;
    names.map(str::len).max().unwrap_or(0).min(NAME_MAX)
}

fn table_of(rows: &[(String, String)], width: usize) -> String {
    let indent = width + 4;
    let row = |(name, words): &(String, String)| {
        let words = human::wrap_paragraph(words, human::terminal_width() - indent, 0);
        let words = words.replace('\n', &format!("\n{}", " ".repeat(indent)));
        let gap = match name.len() > width {
            true => format!("\n{}", " ".repeat(indent)),
            false => " ".repeat(width + 2 - name.len()),
        };
        format!("  {name}{gap}{words}\n")
    };
    rows.iter().map(row).collect()
}
