//! The answer to a call: structured content, the text that a model reads, pictures, and links to what was cut.

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::Value as Json;
use tool_core::{CallOutcome, Object, OutcomeStatus, ToolError, Value, json as text_of, object};

use super::{json, media};

/// Texts of results up to this many bytes are the JSON of the whole; longer ones are a summary.
const TEXT_BYTES_MAX: u64 = 2048;
/// Where facts about the call are in the metadata of an answer.
const METADATA: &str = "mathchain/metadata";

/// Stores a value that is not shown, and returns its handle.
pub(super) type Keep<'a> = &'a mut dyn FnMut(&Value) -> Option<Value>;

/// The answer to a call that ended.
pub(super) fn of_outcome(outcome: &CallOutcome, bytes_max: u64, keep: Keep<'_>) -> CallToolResult {
    let mut answer = match &outcome.status {
        OutcomeStatus::Success(output) => success_answer(output, bytes_max, keep),
        OutcomeStatus::Error(error) => failure_answer(error),
        OutcomeStatus::PendingApproval {
            approval_id,
            so_far,
        } => pending_answer(approval_id, so_far),
    };
    let warnings = outcome
        .warnings
        .iter()
        .map(|warning| ContentBlock::text(format!("warning: {warning}")));
    answer.content.extend(warnings);
    let mut meta = MetaObject::new();
    meta.insert(
        METADATA.to_owned(),
        Json::Object(json::of_object(&outcome.metadata)),
    );
    answer.meta = Some(meta);
    answer
}

/// The answer to `describe_tool`: its text has the whole schema of the arguments, for clients that show a model texts alone.
pub(super) fn description_answer(outcome: &CallOutcome, bytes_max: u64) -> CallToolResult {
    let mut answer = of_outcome(outcome, bytes_max, &mut |_| None);
    if let OutcomeStatus::Success(described) = &outcome.status {
        let mut shown = described.as_object().cloned().unwrap_or_default();
        shown.remove("output_schema");
        answer.content = vec![ContentBlock::text(text_of::to_text(&shown.into()))];
    }
    answer
}

/// The answer to a call that reached no tool, and to one that failed.
pub(super) fn failure_answer(error: &ToolError) -> CallToolResult {
    let mut text = format!("{}: {}", error.code(), error.message());
    if let Some(path) = error.path().filter(|path| !path.is_empty()) {
        text.push_str(&format!(" (at {path})"));
    }
    for problem in error.problems().iter().skip(1) {
        text.push_str(&format!("\n{} (at {})", problem.message, problem.path));
    }
    if let Some(hint) = error.hint_str() {
        text.push_str(&format!("\nhint: {hint}"));
    }
    let mut answer = CallToolResult::error(vec![ContentBlock::text(text)]);
    let shown = registry::truncate_value(&error.to_value(), 16 << 10, &mut |_| None);
    answer.structured_content = Some(json::of_value(&object! { "error" => shown }));
    answer
}

fn pending_answer(approval_id: &str, so_far: &Value) -> CallToolResult {
    let text = format!(
        "approval_required: the call needs an approval and has not run\nhint: the operator runs `mathchain approve {approval_id}` in a terminal; then repeat the same call"
    );
    let mut answer = CallToolResult::error(vec![ContentBlock::text(text)]);
    let mut error = Object::new();
    error.insert("code", "approval_required");
    error.insert("approval_id", approval_id);
    if !so_far.is_null() {
        error.insert(
            "so_far",
            registry::truncate_value(so_far, 16 << 10, &mut |_| None),
        );
    }
    answer.structured_content = Some(json::of_value(&object! { "error" => error }));
    answer
}

fn success_answer(output: &Value, bytes_max: u64, keep: Keep<'_>) -> CallToolResult {
    // Structured content is an object in every version of the protocol.
    let output = match output {
        Value::Object(_) => output.clone(),
        other => object! { "result" => other.clone() },
    };
    let (output, media) = media::split_media(&output);
    let mut is_cut = false;
    let shown = registry::truncate_value(&output, bytes_max, &mut |value| {
        is_cut = true;
        keep(value)
    });
    is_cut = is_cut || shown != output;
    let mut content = text_blocks(&shown);
    if is_cut {
        let whole = keep(&output);
        let name = whole
            .as_ref()
            .and_then(|handle| handle.text("$artifact").or(handle.text("$value")));
        content.extend(name.map(|name| artifact_link(name, whole.as_ref())));
    }
    content.extend(media);
    let mut answer = CallToolResult::success(content);
    answer.structured_content = Some(json::of_value(&shown));
    answer
}

fn artifact_link(name: &str, handle: Option<&Value>) -> ContentBlock {
    let resource = Resource::new(format!("mathchain://artifact/{name}"), name)
        .with_title("The whole result")
        .with_description(
            "The answer shows a part; pass the handle on, or read a part with `json_query`",
        )
        .with_mime_type("application/json");
    let size = handle.and_then(|handle| u64::try_from(handle.get("bytes")?.as_i64()?).ok());
    ContentBlock::resource_link(match size {
        Some(size) => resource.with_size(size),
        None => resource,
    })
}

/// The text of a result: texts of several lines as they are, the rest as JSON.
fn text_blocks(shown: &Value) -> Vec<ContentBlock> {
    let members = shown.as_object().cloned().unwrap_or_default();
    let is_page = |member: &Value| {
        member
            .as_str()
            .is_some_and(|text| text.trim_end().contains('\n'))
    };
    let pages = members.iter().filter(|(_, member)| is_page(member));
    let mut content: Vec<ContentBlock> = pages
        .filter_map(|(_, page)| Some(ContentBlock::text(page.as_str()?)))
        .collect();
    let mut rest = Object::new();
    for (name, member) in members.iter().filter(|(_, member)| !is_page(member)) {
        rest.insert(name, member.clone());
    }
    if !rest.is_empty() || content.is_empty() {
        let rest = registry::truncate_value(&rest.into(), TEXT_BYTES_MAX, &mut |_| None);
        content.push(ContentBlock::text(text_of::to_text(&rest)));
    }
    content
}
