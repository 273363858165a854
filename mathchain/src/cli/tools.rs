//! `mathchain tools list|show|search`.

use registry::catalogue::Query;
use tool_core::{AnyTool, Category, Effect};

use super::flags;
use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum Tools {
    /// List the tools visible to a caller, in the order of its selection
    #[command(after_help = "Examples:
  mathchain tools list --role worker_math
  mathchain tools list --agent researcher --phase research --all
  mathchain tools list --profile openai --enable sql_query")]
    List {
        /// Role of the caller
        #[arg(long, value_name = "ROLE", help_heading = "Caller")]
        role: Option<String>,
        #[command(flatten)]
        caller: Caller,
        /// Include hidden tools, with the reason
        #[arg(long)]
        all: bool,
    },
    /// Show one tool: description, arguments, result, examples
    Show {
        /// Tool name
        tool: String,
        /// Print the JSON Schemas of arguments and result
        #[arg(long)]
        schema: bool,
    },
    /// Search tools by name, text, category, tag or effect
    Search {
        /// Search terms; `category:c`, `tag:t` and `effect:e` narrow the search
        #[arg(required = true)]
        words: Vec<String>,
    },
}

/// Lists, shows or searches tools.
pub(super) fn tools(global: &Global, tools: &Tools) -> Result<ExitCode> {
    match tools {
        Tools::List { role, caller, all } => {
            let toolkit = caller.open(global)?;
            let facts = open::facts(&toolkit, &caller.facts)?;
            let context = caller.context(role.clone());
            list(global, &toolkit, &context, *all, &facts)
        }
        Tools::Show { tool, schema } => show(global, &open::toolkit(global)?, tool, *schema),
        Tools::Search { words } => search(global, &open::toolkit(global)?, words),
    }
}

fn list(
    global: &Global,
    toolkit: &Toolkit,
    context: &Context,
    all: bool,
    facts: &registry::Facts,
) -> Result<ExitCode> {
    let caller = toolkit.caller(context);
    let dispatcher = toolkit.dispatcher();
    let mut shown = dispatcher.visible_with(&caller, facts)?;
    shown.retain(|entry| all || entry.hidden.is_none());
    let data = shown.iter().map(|entry| {
        let hidden = entry.hidden.as_ref();
        let hidden = hidden.map(|decision| decision.reason.clone());
        let mut fields = summary(entry.tool);
        fields.push(("hidden", Value::from(hidden)));
        Value::object(fields)
    });
    output::data(global, &Value::array(data.collect()), || {
        let row = |entry: &registry::dispatch::Listing<'_>| {
            let hidden = entry.hidden.as_ref();
            let hidden = hidden.map(|decision| format!("  [hidden: {}]", decision.reason));
            let line = first_line(&entry.tool.description());
            let id = entry.tool.spec().id.to_owned();
            (id, line + &hidden.unwrap_or_default())
        };
        table(&shown.iter().map(row).collect::<Vec<_>>())
    })
}

fn search(global: &Global, toolkit: &Toolkit, words: &[String]) -> Result<ExitCode> {
    let mut query = Query::default();
    let mut text = Vec::new();
    for word in words {
        match word.split_once(':') {
            Some(("category", name)) => {
                let all = Category::ALL.iter().map(|category| category.as_str());
                query.category = Some(known("category", name, Category::parse(name), all)?);
            }
            Some(("effect", name)) => {
                let all = Effect::ALL.iter().map(|effect| effect.as_str());
                query.effect = Some(known("effect", name, Effect::parse(name), all)?);
            }
            Some(("tag", name)) => query.tag = Some(name),
            _ => text.push(word.as_str()),
        }
    }
    let text = text.join(" ");
    query.text = &text;
    let dispatcher = toolkit.dispatcher();
    let found = dispatcher.catalogue().search(&query);
    let data = found.iter().map(|tool| Value::object(summary(*tool)));
    output::data(global, &Value::array(data.collect()), || {
        if found.is_empty() {
            let words = words.join(" ");
            return format!("no tool matches `{words}`; `mathchain tools list` shows all\n");
        }
        let rows = found.iter();
        let rows = rows.map(|tool| (tool.spec().id.to_owned(), first_line(&tool.description())));
        table(&rows.collect::<Vec<_>>())
    })
}

fn known<'a, T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    all: impl Iterator<Item = &'a str>,
) -> Result<T> {
    found.ok_or_else(|| {
        let names: Vec<&str> = all.collect();
        let err = tool_error!(InvalidRequest, "no {kind} named `{name}`");
        let otherwise = format!("expected one of: {}", names.join(", "));
        output::nearest(err, name, names.iter().copied(), otherwise)
    })
}

fn show(global: &Global, toolkit: &Toolkit, name: &str, schema: bool) -> Result<ExitCode> {
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let unknown = || catalogue.unknown(name, None);
    let tool = catalogue.get(name).ok_or_else(unknown)?;
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let as_value = |schema: &serde_json::Value| crate::parse(&schema.to_string());
    let schemas = [
        ("input_schema", as_value(&input)?),
        ("output_schema", as_value(&output)?),
    ];
    if schema {
        return output::data(global, &Value::object(schemas), || {
            let both = serde_json::json!({"input_schema": input, "output_schema": output});
            format!("{both:#}\n")
        });
    }
    let examples = tool.examples().into_iter().map(|example| {
        object! { "title" => example.title, "args" => example.args, "output" => example.output }
    });
    let mut fields = summary(tool);
    fields.extend(schemas);
    fields.push(("examples", Value::array(examples.collect())));
    let data = Value::object(fields);
    output::data(global, &data, || page(tool, &input, &output))
}

fn summary(tool: &dyn AnyTool) -> Vec<(&'static str, Value)> {
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
        ("permissions", permissions.collect::<Vec<_>>().into()),
        ("callers", callers.collect::<Vec<_>>().into()),
        ("calls_tools", spec.calls_tools.into()),
        ("read_only", spec.changes_nothing().into()),
        ("destructive", spec.destructive.into()),
        ("idempotent", spec.idempotent.into()),
        ("determinism", spec.determinism.as_str().into()),
    ]
}

fn page(tool: &dyn AnyTool, input: &serde_json::Value, output: &serde_json::Value) -> String {
    let spec = tool.spec();
    let mut effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
    if spec.calls_tools {
        effects.push("those of the calls it makes");
    }
    let effects = match effects.is_empty() {
        true => "none".to_owned(),
        false => effects.join(", "),
    };
    let (id, title, category, determinism) = (spec.id, spec.title, spec.category, spec.determinism);
    let description = tool.description();
    let mut text = format!(
        "{id} - {title}\n\n{description}\n\ncategory {category}, effects {effects}, {determinism}\n"
    );
    for (heading, schema) in [("Arguments", input), ("Result", output)] {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let rows = properties.map(|(name, property)| {
            let is_required = heading == "Arguments" && required.contains(&name.as_str().into());
            let text = flags::described(property, is_required);
            (name.clone(), text.replace('\n', " "))
        });
        let _ = write!(text, "\n{heading}\n{}", table(&rows.collect::<Vec<_>>()));
    }
    for example in tool.examples() {
        let (title, args, id) = (example.title, example.args, spec.id);
        let output = indented(&human::value(&example.output));
        text += &format!("\nExample: {title}\n  echo '{args}' | mathchain call {id}\n{output}");
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

fn table(rows: &[(String, String)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, words)| format!("  {name:width$}  {words}\n"))
        .collect()
}

/// The first sentence of a description, on one line.
fn first_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_owned(),
        None => text,
    }
}
