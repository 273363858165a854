//! Resources: pages of documentation, artifacts, runs, plans and the audit log, each for the roles that may read it.

use journal::{AuditFilter, StateScope, StateStore};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use tool_core::{Result, Value, convert, json, object, tool_error};

use super::door::McpServerState;
use super::{apps, extras, media};
use crate::recorded;

const SCHEME: &str = "mathchain://";
/// Longest text of a resource in bytes.
const BYTES_MAX: u64 = 1 << 20;
/// Largest value that is opened for a part of it, in bytes.
const PART_BYTES_MAX: u64 = 16 * BYTES_MAX;
/// Items of a list of runs, records and artifacts.
const NEWEST: usize = 50;

/// Pages that come with the program: name, title, text.
const DOCS: &[(&str, &str, &str)] = &[
    ("plans", "Plans", include_str!("../../assets/docs/plans.md")),
    (
        "expressions",
        "Expressions",
        include_str!("../../assets/docs/expressions.md"),
    ),
    (
        "answers",
        "Answers and errors",
        include_str!("../../assets/docs/answers.md"),
    ),
    (
        "policy",
        "Policy and approvals",
        include_str!("../../assets/docs/policy.md"),
    ),
    ("files", "Files", include_str!("../../assets/docs/files.md")),
    (
        "glossary",
        "Glossary",
        include_str!("../../assets/docs/glossary.md"),
    ),
];

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// Templates: URI, name, title, description, type of content.
const TEMPLATES: &[(&str, &str, &str, &str, &str)] = &[
    (
        "mathchain://docs/{page}",
        "docs",
        "A page of documentation",
        "Plans, expressions, answers, policy, files, glossary",
        MARKDOWN,
    ),
    (
        "mathchain://artifact/{handle}",
        "artifact",
        "A large value",
        "The value of a handle `b3:..`, up to 1 MiB",
        JSON,
    ),
    (
        "mathchain://artifact/{handle}/{from}/{count}",
        "artifact_part",
        "A part of a large value",
        "Elements of a list from an index, counted from 0",
        JSON,
    ),
    (
        "mathchain://run/{run}",
        "run",
        "A recorded run",
        "State, records and times of a run",
        JSON,
    ),
    (
        "mathchain://pipeline/{pipeline}",
        "pipeline",
        "A recorded pipeline",
        "State, phases and agents of a pipeline",
        JSON,
    ),
    (
        "mathchain://plan/{run}",
        "plan",
        "The plan of a run",
        "The plan and its inputs",
        JSON,
    ),
    (
        "mathchain://audit/{call}",
        "audit_record",
        "A record of the audit log",
        "The record of a call, by its id",
        JSON,
    ),
];

/// The templates.
pub(super) fn resource_templates() -> Vec<ResourceTemplate> {
    let template = |&(uri, name, title, description, mime): &(&str, &str, &str, &str, &str)| {
        ResourceTemplate::new(uri, name)
            .with_title(title)
            .with_description(description)
            .with_mime_type(mime)
    };
    TEMPLATES.iter().map(template).collect()
}

/// The resources that can be listed: pages, the newest runs, records and artifacts of the caller's role.
pub(super) fn list_resources(door: &McpServerState) -> Result<Vec<Resource>> {
    let page = |(name, title, text): &(&str, &str, &str)| {
        Resource::new(format!("{SCHEME}docs/{name}"), *name)
            .with_title(*title)
            .with_mime_type(MARKDOWN)
            .with_size(text.len() as u64)
    };
    let mut listed: Vec<Resource> = DOCS.iter().map(page).collect();
    if let Some(extra) = &door.settings.extra {
        listed.extend(extras::read_documents(&extra.resources())?);
    }
    let Some(state) = door.toolkit.state() else {
        return Ok(listed);
    };
    for (name, title) in [
        ("runs", "The newest runs"),
        ("pipelines", "The newest pipelines"),
        ("audit", "The newest records of the audit log"),
        ("workflow/events", "The newest events of workflows"),
        (
            "workflow/feedback",
            "Questions in workflows, with their answers",
        ),
    ] {
        listed.push(
            Resource::new(format!("{SCHEME}{name}"), name)
                .with_title(title)
                .with_mime_type(JSON),
        );
    }
    let scope = door.scope();
    for run in state.runs_in(&scope, None, NEWEST)? {
        let title = format!("Run of `{}`: {}", run.plan_id, run.state_shown());
        listed.push(
            Resource::new(format!("{SCHEME}run/{}", run.id), run.id)
                .with_title(title)
                .with_mime_type(JSON),
        );
    }
    for artifact in state.artifacts_in(&scope, NEWEST)? {
        let name = artifact.handle.hash.to_string();
        let resource = Resource::new(format!("{SCHEME}artifact/{name}"), name);
        listed.push(
            resource
                .with_title("Artifact")
                .with_mime_type(JSON)
                .with_size(artifact.handle.bytes()),
        );
    }
    Ok(listed)
}

/// The contents of a resource.
///
/// # Errors
/// `invalid_args` for a URI of none, `policy_denied` for one of another role, and as reading the state.
pub(super) fn read_resource(door: &McpServerState, uri: &str) -> Result<Vec<ResourceContents>> {
    if let Some(contents) = extras::read_extra_resource(door, uri) {
        return contents;
    }
    // A client may read a page over another connection than the one that was told of it.
    if let Some(page) = apps::read_app(uri) {
        return Ok(vec![page]);
    }
    let path = uri
        .strip_prefix(SCHEME)
        .ok_or_else(|| unknown_resource_error(uri))?;
    let parts: Vec<&str> = path.split('/').collect();
    if let ["docs", name] = parts[..] {
        let page = DOCS
            .iter()
            .find(|(page, ..)| *page == name)
            .ok_or_else(|| unknown_resource_error(uri))?;
        return Ok(vec![
            ResourceContents::text(page.2, uri).with_mime_type(MARKDOWN),
        ]);
    }
    let state = door.toolkit.state().ok_or_else(|| {
        tool_error!(PreconditionFailed, "state"; "there is no state folder"; "`mathchain doctor` checks the state folder")
    })?;
    let scope = door.scope();
    let value = match parts[..] {
        ["workflow", "events"] => newest_events(door)?,
        ["workflow", "feedback"] => {
            let outcome =
                door.toolkit
                    .call_with(&door.settings.context, "feedback:list", &object! {});
            match outcome.status {
                tool_core::OutcomeStatus::Success(feedback) => feedback,
                tool_core::OutcomeStatus::Error(error) => return Err(error),
                tool_core::OutcomeStatus::PendingApproval { .. } => {
                    return Err(unknown_resource_error(uri));
                }
            }
        }
        ["artifact", handle] => return artifact_contents(state, &scope, handle, uri),
        ["artifact", handle, from, count] => artifact_slice(state, &scope, handle, [from, count])?,
        ["runs"] => Value::array(
            state
                .runs_in(&scope, None, NEWEST)?
                .iter()
                .map(recorded::run_summary)
                .collect(),
        ),
        ["run", id] => {
            let run = recorded::visible_run(state, &scope, id)
                .map_err(|_| unknown_resource_error(uri))?;
            let records = state.run_records(&run.id)?;
            object! { "run" => recorded::run_summary(&run), "records" => Value::array(records) }
        }
        ["pipelines"] => {
            let rows = state.pipelines_in(&scope, NEWEST)?;
            Value::array(rows.iter().map(recorded::pipeline_summary).collect())
        }
        ["pipeline", id] => {
            let row = recorded::visible_pipeline(state, &scope, id)
                .map_err(|_| unknown_resource_error(uri))?;
            recorded::pipeline_details(state, row)?
        }
        ["plan", id] => {
            let run = recorded::visible_run(state, &scope, id)
                .map_err(|_| unknown_resource_error(uri))?;
            run.with_values()?;
            object! { "plan" => state.value(&run.plan)?, "inputs" => state.value(&run.inputs)? }
        }
        ["audit"] => {
            let filter = AuditFilter::of(&scope);
            let records = state.audit_matching(&filter, NEWEST)?;
            Value::array(
                records
                    .iter()
                    .map(|record| convert::to_value(record).unwrap_or_default())
                    .collect(),
            )
        }
        ["audit", call] => {
            let found = state.audit_find(&AuditFilter::of(&scope), call);
            let found = found.map_err(|_| unknown_resource_error(uri))?;
            convert::to_value(&found)?
        }
        _ => return Err(unknown_resource_error(uri)),
    };
    Ok(vec![text_contents(&value, uri)])
}

/// The newest events of workflows.
fn newest_events(door: &McpServerState) -> Result<Value> {
    let mut events = door.toolkit.events_for(&door.settings.context, 0)?;
    let older = events.len().saturating_sub(NEWEST);
    let newest = events.split_off(older).into_iter().map(|body| {
        let event = json::parse_json(&body, json::JsonLimits::default());
        Ok(event?)
    });
    Ok(Value::array(newest.collect::<Result<Vec<Value>>>()?))
}

fn unknown_resource_error(uri: &str) -> tool_core::ToolError {
    let shown: String = uri.chars().take(120).collect();
    tool_error!(InvalidArgs, "resource"; "no resource `{shown}`"; "`resources/list` and `resources/templates/list` show what there is")
}

/// A value as JSON, cut to the limit.
fn text_contents(value: &Value, uri: &str) -> ResourceContents {
    let shown = registry::truncate_value(value, BYTES_MAX, &mut |_| None);
    ResourceContents::text(json::to_text(&shown), uri).with_mime_type(JSON)
}

/// A large value; a picture in it also as an image.
fn artifact_contents(
    state: &StateStore,
    scope: &StateScope,
    handle: &str,
    uri: &str,
) -> Result<Vec<ResourceContents>> {
    let value = state.open_in(scope, handle, 64 * BYTES_MAX)?;
    let written = json::to_text(&value);
    let mut contents = Vec::new();
    let members = value
        .as_object()
        .into_iter()
        .flat_map(tool_core::Object::iter);
    let pictures = members.filter_map(|(_, member)| media::encode_png(member.as_str()?));
    contents.extend(
        pictures.map(|image| ResourceContents::blob(image, uri).with_mime_type("image/png")),
    );
    if written.len() as u64 > BYTES_MAX && contents.is_empty() {
        let bytes = written.len();
        return Err(
            tool_error!(OutputTooLarge, "artifact_size"; "the artifact has {bytes} bytes as JSON, the limit is {BYTES_MAX}";
            "read a part: mathchain://artifact/{handle}/FROM/COUNT, or pass {{\"$artifact\": \"{handle}\"}} to a tool"),
        );
    }
    contents.insert(0, text_contents(&value, uri));
    Ok(contents)
}

/// Elements of a list, with memory for them alone where it is a block of numbers.
fn artifact_slice(
    state: &StateStore,
    scope: &StateScope,
    handle: &str,
    [from, count]: [&str; 2],
) -> Result<Value> {
    let number = |text: &str| {
        text.parse::<usize>().map_err(|_| {
            tool_error!(InvalidArgs, "resource"; "expected an index and a count, found `{text}`"; "mathchain://artifact/HANDLE/0/100")
        })
    };
    let (from, count) = (number(from)?, number(count)?);
    let wanted = from..from.saturating_add(count);
    let slice = state.slice_in(scope, handle, wanted, PART_BYTES_MAX)?;
    Ok(object! { "total" => slice.total, "from" => from, "items" => slice.items })
}

/// Values that complete a variable of a template.
pub(super) fn complete_variable(door: &McpServerState, variable: &str) -> Vec<String> {
    let state = door.toolkit.state();
    match (variable, state) {
        ("page", _) => DOCS.iter().map(|(name, ..)| (*name).to_owned()).collect(),
        ("run", Some(state)) => state
            .runs_in(&door.scope(), None, NEWEST)
            .unwrap_or_default()
            .into_iter()
            .map(|run| run.id)
            .collect(),
        ("pipeline", Some(state)) => state
            .pipelines_in(&door.scope(), NEWEST)
            .unwrap_or_default()
            .into_iter()
            .map(|row| row.id)
            .collect(),
        ("handle", Some(_)) => {
            let listed = list_resources(door).unwrap_or_default();
            let prefix = format!("{SCHEME}artifact/");
            listed
                .iter()
                .filter_map(|one| Some(one.uri.strip_prefix(&prefix)?.to_owned()))
                .collect()
        }
        _ => Vec::new(),
    }
}
