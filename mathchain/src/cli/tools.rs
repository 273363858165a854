//! `mathchain tools list|show|search`.

use std::fmt::Write as _;
use std::process::ExitCode;

use registry::catalogue::Query;
use tool_core::{AnyTool, Category, Effect, ErrorCode, ToolError, Value, nearest};

use super::args::{Global, Tools};
use super::{exit, human, print_data, session};
use crate::{Context, Toolkit};

/// Lists, shows or searches.
pub(super) fn tools(global: &Global, tools: &Tools) -> Result<ExitCode, ToolError> {
    match tools {
        Tools::List {
            role,
            caller,
            all,
            facts,
        } => {
            let toolkit = caller.open(global)?;
            let facts = session::facts(&toolkit, facts)?;
            list(
                global,
                &toolkit,
                &caller.context(role.clone()),
                *all,
                &facts,
            )
        }
        Tools::Show { tool, schema } => show(global, &session::open(global)?, tool, *schema),
        Tools::Search { words } => search(global, &session::open(global)?, words),
    }?;
    Ok(exit::OK.into())
}

fn list(
    global: &Global,
    toolkit: &Toolkit,
    context: &Context,
    all: bool,
    facts: &registry::Facts,
) -> Result<(), ToolError> {
    let caller = toolkit.caller(context);
    let dispatcher = toolkit.dispatcher();
    let listing = dispatcher.visible_with(&caller, facts)?;
    let shown: Vec<_> = listing
        .iter()
        .filter(|entry| all || entry.hidden.is_none())
        .collect();
    let data = shown
        .iter()
        .map(|entry| {
            let hidden = entry
                .hidden
                .as_ref()
                .map(|decision| decision.reason.clone());
            let mut fields = summary(entry.tool);
            fields.push(("hidden", Value::from(hidden)));
            Value::object(fields)
        })
        .collect();
    print_data(global, &Value::array(data), || {
        let rows: Vec<(String, String)> = shown
            .iter()
            .map(|entry| {
                let hidden = entry
                    .hidden
                    .as_ref()
                    .map(|decision| format!("  [hidden: {}]", decision.reason))
                    .unwrap_or_default();
                (
                    entry.tool.spec().id.to_owned(),
                    format!("{}{hidden}", first_line(&entry.tool.description())),
                )
            })
            .collect();
        table(&rows)
    });
    Ok(())
}

fn search(global: &Global, toolkit: &Toolkit, words: &[String]) -> Result<(), ToolError> {
    let mut query = Query::default();
    let mut text = Vec::new();
    for word in words {
        match word.split_once(':') {
            Some(("category", name)) => {
                query.category = Some(known(
                    "category",
                    name,
                    Category::parse(name),
                    Category::ALL.iter().map(|category| category.as_str()),
                )?)
            }
            Some(("effect", name)) => {
                query.effect = Some(known(
                    "effect",
                    name,
                    Effect::parse(name),
                    Effect::ALL.iter().map(|effect| effect.as_str()),
                )?)
            }
            Some(("tag", name)) => query.tag = Some(name),
            _ => text.push(word.as_str()),
        }
    }
    let text = text.join(" ");
    query.text = &text;
    let dispatcher = toolkit.dispatcher();
    let found = dispatcher.catalogue().search(&query);
    let data = found
        .iter()
        .map(|tool| Value::object(summary(*tool)))
        .collect();
    print_data(global, &Value::array(data), || {
        if found.is_empty() {
            return format!(
                "no tool fits `{}`; `mathchain tools list` shows all\n",
                words.join(" ")
            );
        }
        table(
            &found
                .iter()
                .map(|tool| (tool.spec().id.to_owned(), first_line(&tool.description())))
                .collect::<Vec<_>>(),
        )
    });
    Ok(())
}

fn known<'a, T>(
    kind: &str,
    name: &str,
    found: Option<T>,
    all: impl Iterator<Item = &'a str>,
) -> Result<T, ToolError> {
    let names: Vec<&str> = all.collect();
    found.ok_or_else(|| {
        let err = ToolError::new(
            ErrorCode::InvalidRequest,
            format_args!("no {kind} named `{name}`"),
        );
        match nearest::nearest(name, names.iter().copied()) {
            Some(near) => err.hint(format!("did you mean `{near}`?")),
            None => err.hint(format!("there are: {}", names.join(", "))),
        }
    })
}

fn show(global: &Global, toolkit: &Toolkit, name: &str, schema: bool) -> Result<(), ToolError> {
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let tool = catalogue
        .get(name)
        .ok_or_else(|| catalogue.unknown(name, None))?;
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let as_value = |schema: &serde_json::Value| crate::parse(&schema.to_string());
    let mut fields = summary(tool);
    fields.push(("input_schema", as_value(&input)?));
    fields.push(("output_schema", as_value(&output)?));
    let examples = tool.examples();
    fields.push((
        "examples",
        Value::array(
            examples
                .iter()
                .map(|example| {
                    Value::object([
                        ("title", Value::from(example.title)),
                        ("args", example.args.clone()),
                        ("output", example.output.clone()),
                    ])
                })
                .collect(),
        ),
    ));
    if schema {
        let schemas = Value::object([
            ("input_schema", as_value(&input)?),
            ("output_schema", as_value(&output)?),
        ]);
        print_data(global, &schemas, || {
            format!(
                "{:#}\n",
                serde_json::json!({"input_schema": input, "output_schema": output})
            )
        });
        return Ok(());
    }
    print_data(global, &Value::object(fields), || {
        page(tool, &input, &output)
    });
    Ok(())
}

fn summary(tool: &dyn AnyTool) -> Vec<(&'static str, Value)> {
    let spec = tool.spec();
    vec![
        ("id", Value::from(spec.id)),
        ("version", Value::from(spec.version)),
        ("title", Value::from(spec.title)),
        ("description", Value::from(tool.description())),
        ("category", Value::from(spec.category.as_str())),
        ("tags", Value::from(spec.tags.to_vec())),
        (
            "effects",
            Value::from(
                spec.effects
                    .iter()
                    .map(|effect| effect.as_str())
                    .collect::<Vec<_>>(),
            ),
        ),
        (
            "permissions",
            Value::from(
                spec.permissions
                    .iter()
                    .map(|permission| permission.as_str())
                    .collect::<Vec<_>>(),
            ),
        ),
        (
            "callers",
            Value::from(
                spec.callers
                    .iter()
                    .map(|caller| caller.as_str())
                    .collect::<Vec<_>>(),
            ),
        ),
        ("hands_on", Value::from(spec.hands_on)),
        ("read_only", Value::from(spec.changes_nothing())),
        ("destructive", Value::from(spec.destructive)),
        ("idempotent", Value::from(spec.idempotent)),
        ("determinism", Value::from(spec.determinism.as_str())),
    ]
}

fn page(tool: &dyn AnyTool, input: &serde_json::Value, output: &serde_json::Value) -> String {
    let spec = tool.spec();
    let mut effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
    if spec.hands_on {
        effects.push("those of the calls it makes");
    }
    let effects = match effects.is_empty() {
        true => "none".to_owned(),
        false => effects.join(", "),
    };
    let mut text = format!(
        "{} - {}\n\n{}\n\ncategory {}, effects {effects}, {}\n",
        spec.id,
        spec.title,
        tool.description(),
        spec.category,
        spec.determinism
    );
    for (heading, schema) in [("Arguments", input), ("Result", output)] {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let rows: Vec<(String, String)> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, property)| {
                let mut words = property["description"]
                    .as_str()
                    .unwrap_or_default()
                    .replace('\n', " ");
                if heading == "Arguments" && required.contains(&name.as_str().into()) {
                    words.push_str(" [required]");
                } else if let Some(default) =
                    property.get("default").filter(|default| !default.is_null())
                {
                    let _ = write!(words, " [default: {default}]");
                }
                (name.clone(), words)
            })
            .collect();
        let _ = write!(text, "\n{heading}\n{}", table(&rows));
    }
    for example in tool.examples() {
        let _ = write!(
            text,
            "\nExample: {}\n  echo '{}' | mathchain call {}\n{}",
            example.title,
            example.args,
            spec.id,
            indented(&human::value(&example.output))
        );
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
