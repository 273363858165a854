//! `/console/tools`: tools found by words, one tool with its arguments, and a try of it.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, Request, State};
use axum::http::StatusCode;
use maud::{Markup, html};
use registry::offer::{self, Finder};
use registry::{AnswerReader, ApprovalAnswer};
use tool_core::{CallOutcome, Object, OutcomeStatus, Result, Value, json, object, tool_error};

use super::super::server::HttpServer;
use super::form::{self, FormFields, encode_part};
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply, form_token};
use super::parts::{OutsideMessage, OutsideText, empty_block, error_block, shorten_text};
use super::values::{picture_source, text_block, value_block};
use mathchain::CallContext;

/// Longest result that a page shows as JSON, in characters.
const RESULT_CHARS: usize = 8000;
/// Longest argument that stands in a command to copy.
const COPIED_BYTES_MAX: usize = 4000;
/// Arguments that are shown before the rest.
const FIELDS_FIRST: usize = 6;
/// Beginning of the names of fields that are arguments.
const FIELD: &str = "a.";

/// Lists tools: those that fit words, or all by category.
pub(super) async fn list_tools(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let search = query.get("q").unwrap_or_default();
        let context = &visit.session.caller.context;
        let found = server
            .toolkit
            .find(context, Finder::Search, &object! { "query" => search });
        let body = html! {
            h1 { "Tools" }
            (super::inbox::search_form("/console/tools", search, "What it should do, such as: fit a line"))
            @match &found.status {
                OutcomeStatus::Success(found) => (found_tools(found, search)),
                OutcomeStatus::Error(error) => (error_block(error)),
                OutcomeStatus::PendingApproval { .. } => {}
            }
        };
        Ok(ConsolePage { title: "Tools".to_owned(), section: ConsoleSection::Tools, is_live: false, body })
    })
    .await
}

/// What a search found: tools, or all names by category.
fn found_tools(found: &Value, search: &str) -> Markup {
    let categories = found.get("categories").and_then(Value::as_object);
    let tools = found.items_at("tools");
    html! {
        @if let Some(note) = found.text("note") { p class="note" { (OutsideMessage(note)) } }
        @if let Some(categories) = categories {
            @for (category, names) in categories.iter() {
                section aria-labelledby={ "category-" (category) } {
                    h2 id={ "category-" (category) } { (OutsideText(category)) }
                    ul class="names" {
                        @for name in names.items().unwrap_or_default() {
                            @let name = name.as_str().unwrap_or_default();
                            li { a href={ "/console/tools/" (encode_part(name)) } { (OutsideText(name)) } }
                        }
                    }
                }
            }
        } @else if tools.is_empty() {
            (empty_block("No tool has these words."))
        } @else {
            ul class="found" aria-label={ "Tools for " (search) } {
                @for tool in &tools {
                    @let name = tool.text("name").unwrap_or_default();
                    li {
                        a href={ "/console/tools/" (encode_part(name)) } { b { (OutsideText(tool.text("title").unwrap_or(name))) } " " code { (OutsideText(name)) } }
                        p { (OutsideMessage(tool.text("description").unwrap_or_default())) }
                    }
                }
            }
            @if let Some(more @ 1..) = found.get("more").and_then(Value::as_i64) { p class="small" { (more) " more: add a word" } }
        }
    }
}

/// Shows a tool with a form to try it; the query may give arguments, or the number of an example.
pub(super) async fn show_tool(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let tool = ToolView::read(server, visit, &name)?;
        let example = query
            .get("example")
            .and_then(|text| text.parse::<usize>().ok());
        let example = example.and_then(|number| tool.examples.get(number));
        let given = match (query.get("args"), example) {
            (Some(text), _) => mathchain::parse_json(text).unwrap_or_default(),
            (None, Some(example)) => example.get("arguments").cloned().unwrap_or_default(),
            (None, None) => Value::Null,
        };
        Ok(tool.page(visit, &given, None))
    })
    .await
}

/// A tool as a caller sees it.
struct ToolView {
    name: String,
    described: Value,
    examples: Vec<Value>,
}

/// The end of a try.
struct ToolTry {
    args: Value,
    outcome: CallOutcome,
}

impl ToolView {
    fn read(server: &HttpServer, visit: &ConsoleVisit, name: &str) -> Result<Self> {
        let who = server.toolkit.caller(&visit.session.caller.context);
        let dispatcher = server.toolkit.dispatcher();
        let described = offer::describe_named_tool(&dispatcher, &who, name)?;
        Ok(Self {
            name: described.text("name").unwrap_or(name).to_owned(),
            examples: described.items_at("examples"),
            described,
        })
    }

    /// The arguments of the tool: names and schemas.
    fn properties(&self) -> Vec<(String, Value)> {
        let properties = self.described.pointer("/input_schema/properties");
        let members = properties.as_ref().and_then(Value::as_object);
        let members = members.into_iter().flat_map(Object::iter);
        members
            .map(|(name, schema)| (name.to_owned(), schema.clone()))
            .collect()
    }

    fn is_required(&self, name: &str) -> bool {
        let required = self.described.pointer("/input_schema/required");
        let required = required.and_then(|it| it.items()).unwrap_or_default();
        required.iter().any(|one| one.as_str() == Some(name))
    }

    fn page(&self, visit: &ConsoleVisit, given: &Value, tried: Option<&ToolTry>) -> ConsolePage {
        let effects = self.described.items_at("effects");
        let effects: Vec<&str> = effects.iter().filter_map(Value::as_str).collect();
        let output = self.described.get("output_schema").cloned();
        let body = html! {
            p class="crumbs" { a href="/console/tools" { "Tools" } }
            h1 { code { (OutsideText(&self.name)) } }
            p class="lead" { (OutsideMessage(self.described.text("description").unwrap_or_default())) }
            p class="small" {
                @if effects.is_empty() { "It changes nothing." } @else { "Effects: " (effects.join(", ")) }
            }
            @if let Some(tried) = tried { (try_block(&self.name, tried)) }
            section aria-labelledby="try" {
                h2 id="try" { "Try it" }
                @if !self.examples.is_empty() {
                    p { "Examples: "
                        @for (number, example) in self.examples.iter().enumerate() {
                            @if number > 0 { " · " }
                            a href={ "/console/tools/" (encode_part(&self.name)) "?example=" (number) "#try" } { (OutsideText(example.text("title").unwrap_or("example"))) }
                        }
                    }
                }
                (self.form(visit, given))
            }
            @if let Some(output) = output {
                details { summary { "Result (JSON Schema)" } pre tabindex="0" { (OutsideText(&shorten_text(&json::to_text(&output), RESULT_CHARS))) } }
            }
        };
        ConsolePage {
            title: self.name.clone(),
            section: ConsoleSection::Tools,
            is_live: false,
            body,
        }
    }

    /// A field for each argument, and one for all as JSON.
    fn form(&self, visit: &ConsoleVisit, given: &Value) -> Markup {
        let members = given.as_object().cloned().unwrap_or_default();
        let (mut first, mut more) = (Vec::new(), Vec::new());
        for (name, schema) in self.properties() {
            let comes_first = self.is_required(&name) || members.get(&name).is_some();
            let field = argument_field(&name, &schema, self.is_required(&name), members.get(&name));
            match comes_first {
                true => first.push(field),
                false => more.push(field),
            }
        }
        // Where little is needed, the next ones stand beside it.
        let next = FIELDS_FIRST.saturating_sub(first.len()).min(more.len());
        first.extend(more.drain(..next));
        html! {
            form method="post" action={ "/console/tools/" (encode_part(&self.name)) } class="stacked" data-keep {
                (form_token(&visit.session))
                @for field in &first { (field) }
                @if !more.is_empty() {
                    details { summary { (more.len()) " more arguments" } @for field in &more { (field) } }
                }
                details {
                    summary { "All arguments as JSON instead" }
                    label for="args" { "One JSON object; where it is given, the fields above are not used" }
                    textarea id="args" name="args" rows="4" spellcheck="false" {}
                }
                button class="main" { "Call" }
            }
        }
    }
}

/// The field of an argument.
fn argument_field(name: &str, schema: &Value, is_required: bool, given: Option<&Value>) -> Markup {
    let id = format!("a-{name}");
    let field = format!("{FIELD}{name}");
    let text = given.map(|value| match (value.as_str(), is_text(schema)) {
        (Some(text), true) => text.to_owned(),
        _ => json::to_text(value),
    });
    let text = text.unwrap_or_default();
    let described = schema.text("description").unwrap_or_default();
    let choices: Vec<String> = schema
        .items_at("enum")
        .iter()
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect();
    let kind = schema.text("type").unwrap_or_default();
    html! {
        div class="field" {
            label for=(id) { code { (OutsideText(name)) } @if is_required { " " span class="small" { "needed" } } }
            @if !choices.is_empty() || kind == "boolean" {
                select id=(id) name=(field) aria-describedby={ (id) "-help" } {
                    option value="" { "(not given)" }
                    @if kind == "boolean" {
                        @for choice in ["true", "false"] { option value=(choice) selected[text == choice] { (choice) } }
                    } @else {
                        @for choice in &choices { option value=(choice) selected[text == *choice] { (OutsideText(choice)) } }
                    }
                }
            } @else if matches!(kind, "number" | "integer") {
                input id=(id) name=(field) value=(text) inputmode="decimal" autocomplete="off" aria-describedby={ (id) "-help" };
            } @else {
                textarea id=(id) name=(field) rows=(if text.len() > 80 || text.contains('\n') { 4 } else { 1 }) spellcheck="false" aria-describedby={ (id) "-help" } { (text) }
            }
            p class="small" id={ (id) "-help" } { (OutsideMessage(&shorten_text(described, 400))) @if let Some(default) = schema.get("default").filter(|it| !it.is_null()) { " Default: " code { (OutsideText(&json::to_text(default))) } } }
        }
    }
}

/// Whether an argument is a text, so that a field holds it as it is.
fn is_text(schema: &Value) -> bool {
    schema.text("type") == Some("string")
}

/// Calls a tool with the arguments of a form, as the session's caller.
pub(super) async fn try_tool(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(name): Path<String>,
    request: Request,
) -> PageReply {
    let form = form::read_form(&server, &visit, request).await?;
    let permit = visit.session.caller.queue.enter().await?;
    server.callers.check(&visit.session.caller)?;
    let stop = server.calls.child();
    let visitor = visit.clone();
    let made = server
        .aside(move |server| {
            let _permit = permit;
            let tool = ToolView::read(server, &visitor, &name)?;
            let args = match read_arguments(&tool, &form) {
                Ok(args) => args,
                Err(error) => {
                    let outcome = CallOutcome::error(error);
                    let given = raw_arguments(&form);
                    return Ok((
                        tool.page(
                            &visitor,
                            &given,
                            Some(&ToolTry {
                                args: given.clone(),
                                outcome,
                            }),
                        ),
                        false,
                    ));
                }
            };
            let context = CallContext {
                // What needs approval waits in the inbox of who may approve.
                answer: ApprovalAnswer::Ask,
                reader: AnswerReader::Model,
                stop,
                ..visitor.session.caller.context.clone()
            };
            let outcome = server.toolkit.call_with(&context, &tool.name, &args);
            server.metrics.called(&outcome);
            let is_error = outcome.err().is_some();
            let page = tool.page(
                &visitor,
                &args,
                Some(&ToolTry {
                    args: args.clone(),
                    outcome,
                }),
            );
            Ok((page, !is_error))
        })
        .await?;
    let (page, is_success) = made;
    let mut response = layout::page_response(&server, &visit, &page);
    if !is_success {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

/// The arguments of a form: one object, or a value for each field that is not empty.
///
/// # Errors
/// `invalid_args` for a field that is not JSON.
fn read_arguments(tool: &ToolView, form: &FormFields) -> Result<Value> {
    if let Some(text) = form.get("args").filter(|text| !text.trim().is_empty()) {
        let value = mathchain::parse_json(text)?;
        return match value.as_object() {
            Some(_) => Ok(value),
            None => Err(
                tool_error!(InvalidArgs; "expected an object of arguments, found {}", value.kind()),
            ),
        };
    }
    let schemas = tool.properties();
    let mut members = Object::new();
    for (field, text) in form.iter().filter(|(_, text)| !text.is_empty()) {
        let Some(name) = field.strip_prefix(FIELD) else {
            continue;
        };
        let schema = schemas.iter().find(|(known, _)| known == name);
        let Some((_, schema)) = schema else {
            return Err(
                tool_error!(InvalidArgs at format!("/{name}"); "unknown argument `{name}`"),
            );
        };
        // A browser writes line ends in its own way.
        let text = text.replace("\r\n", "\n");
        members.insert(name, argument_value(name, schema, &text)?);
    }
    Ok(members.into())
}

/// The value of a field. What is no JSON is a text where the argument may be one.
fn argument_value(name: &str, schema: &Value, text: &str) -> Result<Value> {
    if is_text(schema) || !schema.items_at("enum").is_empty() {
        return Ok(Value::from(text));
    }
    let read = mathchain::parse_json(text.trim());
    let is_plain = !text.trim_start().starts_with(['{', '[', '"']);
    match read {
        Ok(value) => Ok(value),
        Err(_)
            if is_plain
                && !matches!(
                    schema.text("type"),
                    Some("number" | "integer" | "boolean" | "array" | "object")
                ) =>
        {
            Ok(Value::from(text))
        }
        Err(error) => Err(
            tool_error!(InvalidArgs at format!("/{name}"); "`{name}` is not valid JSON: {}", error.message(); "write a text in quotes, a list in brackets"),
        ),
    }
}

/// The fields of a form as they were written, so that nothing is lost with an error.
fn raw_arguments(form: &FormFields) -> Value {
    let mut members = Object::new();
    for (field, text) in form.iter().filter(|(_, text)| !text.is_empty()) {
        if let Some(name) = field.strip_prefix(FIELD) {
            members.insert(name, text);
        }
    }
    members.into()
}

/// The answer of a try, and the same call for other doors.
fn try_block(name: &str, tried: &ToolTry) -> Markup {
    let metadata = &tried.outcome.metadata;
    html! {
        section aria-labelledby="answer" class="answer" {
            h2 id="answer" { "Answer" }
            @match &tried.outcome.status {
                OutcomeStatus::Success(output) => { (answer_block(output)) }
                OutcomeStatus::Error(error) => {
                    (error_block(error))
                    @if let Some(evidence) = error.evidence_value() { (value_block(evidence)) }
                }
                OutcomeStatus::PendingApproval { approval_id, .. } => {
                    p class="note" {
                        "It waits for an approval: " a href={ "/console/approvals/" (approval_id) } { "request " (approval_id) }
                        ". Call it again with the same arguments once it is approved."
                    }
                }
            }
            @for warning in &tried.outcome.warnings { p class="note" { (OutsideText(warning)) } }
            @if !metadata.is_empty() { details { summary { "Evidence of the call" } (value_block(&Value::from(metadata.clone()))) } }
            (copied_calls(name, &tried.args))
        }
    }
}

/// A result: its pictures first.
fn answer_block(output: &Value) -> Markup {
    let members = output.as_object().into_iter().flat_map(Object::iter);
    let picture = members
        .filter_map(|(_, member)| picture_source(member))
        .next();
    html! {
        @if let Some(text) = output.as_str() { (text_block(text)) }
        @else { (value_block(output)) }
        @if picture.is_none() {
            details { summary { "As JSON" } pre tabindex="0" { (OutsideText(&shorten_text(&json::to_text(output), RESULT_CHARS))) } }
        }
    }
}

/// The call as a command, a line, a request, a message for MCP, a step of a plan, and Python.
fn copied_calls(name: &str, args: &Value) -> Markup {
    let text = json::to_text(args);
    if text.len() > COPIED_BYTES_MAX {
        return html! { p class="small" { "The arguments are too long to be shown as a command." } };
    }
    let quoted = format!("'{}'", text.replace('\'', "'\\''"));
    let line = format!("{{\"id\":1,\"tool\":\"{name}\",\"args\":{text}}}");
    let quoted_line = format!("'{}'", line.replace('\'', "'\\''"));
    let forms = [
        (
            "Command line",
            format!("printf '%s' {quoted} | mathchain call {name}"),
        ),
        ("JSON line", line),
        (
            "curl",
            format!(
                "curl -sS http://127.0.0.1:8931/v1/call -H 'Content-Type: application/json' -H \"Authorization: Bearer $KEY\" -d {quoted_line}"
            ),
        ),
        (
            "MCP",
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{text}}}}}"
            ),
        ),
        (
            "Step of a plan",
            format!("- {{id: step, tool: {name}, args: {text}}}"),
        ),
        (
            "Python",
            format!(
                "import json, mathchain\nmathchain.Toolkit().call(\"{name}\", json.loads({}))",
                json::to_text(&Value::from(text.as_str()))
            ),
        ),
    ];
    html! {
        details {
            summary { "The same call elsewhere" }
            @for (title, text) in &forms { h4 { (title) } pre tabindex="0" data-copy { (OutsideText(text)) } }
        }
    }
}
