//! `GET /v1/openapi.json`: the paths of this server and the tools of the caller, as an OpenAPI 3.1 document.
//!
//! The schemas of arguments and results are those that calls are checked against.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use registry::offer::Catalog;
use registry::{CallerContext, Dispatcher};
use serde_json::{Map, Value as Json, json};
use tool_core::{AnyTool, Category, Effect, ErrorCode, Result};

use super::callers::HttpCaller;
use super::reply::{self, Replied};
use super::server::HttpServer;
use crate::exported::DeclarationFormat;

/// Shows the document.
pub(super) async fn show_document(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
) -> Replied {
    let text = server
        .aside(move |server| {
            let who = server.toolkit.caller(&caller.context);
            let needs_key = caller.key.is_some();
            Ok(openapi_document(&server.toolkit.dispatcher(), &who, needs_key)?.to_string() + "\n")
        })
        .await?;
    Ok(document_response(text))
}

fn document_response(text: String) -> Response {
    reply::text_response(axum::http::StatusCode::OK, reply::JSON, text)
}

/// The document for a caller, who needs a key as soon as one exists.
///
/// # Errors
/// `not_visible` for an unknown role.
pub fn openapi_document(
    dispatcher: &Dispatcher,
    caller: &CallerContext,
    needs_key: bool,
) -> Result<Json> {
    let mut listed = dispatcher.visible(caller)?;
    listed.retain(|listing| listing.hidden.is_none());
    let mut schemas = own_schemas();
    let mut calls = Vec::new();
    for tool in listed.iter().map(|listing| listing.tool) {
        let name = tool.spec().wire_name();
        for (part, schema) in [
            ("args", tool.input_schema()),
            ("result", tool.output_schema()),
        ] {
            let place = format!("{name}.{part}");
            let schema = rebase_schema(&schema, &format!("#/components/schemas/{place}"));
            schemas.insert(place, schema);
        }
        schemas.insert(format!("{name}.call"), call_of(tool, &name));
        calls.push(json!({ "$ref": format!("#/components/schemas/{name}.call") }));
    }
    schemas.insert("Call".to_owned(), json!({ "anyOf": calls }));
    Ok(json!({
        "openapi": "3.1.0",
        "info": {
            "title": "mathchain",
            "version": env!("CARGO_PKG_VERSION"),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
            "description": "Typed tools for numerics, data and files behind one policy, one audit log and replayable plans. \
                Of each tool NAME, `NAME.args` and `NAME.result` are the schemas of arguments and result. MCP clients use `/mcp`.",
        },
        "security": if needs_key { json!([{ "key": [] }]) } else { json!([]) },
        "paths": path_items(),
        "components": {
            "schemas": schemas,
            "responses": error_responses(),
            "securitySchemes": { "key": {
                "type": "http", "scheme": "bearer",
                "description": "A key of `mathchain keys create`; needed as soon as one exists",
            } },
        },
    }))
}

/// The body of a call of one tool.
fn call_of(tool: &dyn AnyTool, name: &str) -> Json {
    let required = tool.input_schema()["required"]
        .as_array()
        .is_some_and(|all| !all.is_empty());
    json!({
        "type": "object",
        "title": tool.spec().title,
        "description": tool.description(),
        "properties": {
            "id": { "type": ["string", "number", "null"], "description": "The answer carries it" },
            "tool": { "const": name },
            "args": { "$ref": format!("#/components/schemas/{name}.args") },
            "role": { "type": ["string", "null"], "description": "One of those that the server was started with" },
            "traceparent": { "type": ["string", "null"] },
        },
        "required": if required { json!(["tool", "args"]) } else { json!(["tool"]) },
        "additionalProperties": false,
    })
}

/// A schema as a part of the document: what it refers to within itself is below its new place.
fn rebase_schema(schema: &Json, place: &str) -> Json {
    match schema {
        Json::Object(members) => members
            .iter()
            .filter(|(key, _)| *key != "$schema")
            .map(|(key, value)| match value {
                Json::String(to) if key == "$ref" && to.starts_with('#') => {
                    (key.clone(), format!("{place}{}", &to[1..]).into())
                }
                _ => (key.clone(), rebase_schema(value, place)),
            })
            .collect(),
        Json::Array(items) => items
            .iter()
            .map(|item| rebase_schema(item, place))
            .collect(),
        other => other.clone(),
    }
}

/// The schemas of this interface.
fn own_schemas() -> Map<String, Json> {
    let names = |names: Vec<&'static str>| json!({ "type": "string", "enum": names });
    let codes = names(ErrorCode::ALL.iter().map(|one| one.as_str()).collect());
    let effects = names(Effect::ALL.iter().map(|one| one.as_str()).collect());
    let categories = names(Category::ALL.iter().map(|one| one.as_str()).collect());
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": { "type": "string" } });
    let problem = json!({
        "type": "object",
        "properties": { "message": text, "path": text, "hint": text, "reason": text, "line": { "type": "integer" }, "column": { "type": "integer" } },
        "required": ["message"],
    });
    let error = json!({
        "type": "object",
        "properties": {
            "code": codes, "reason": text, "message": text, "hint": text,
            "path": { "type": "string", "description": "JSON pointer of the argument" },
            "outcome": { "const": "unknown", "description": "The call may have had its effects" },
            "problems": { "type": "array", "items": problem }, "evidence": {},
        },
        "required": ["code", "message"],
    });
    let envelope = |status: &str, members: Json| {
        let mut properties = json!({
            "id": { "type": ["string", "number", "null"] },
            "protocol_version": { "const": tool_core::outcome::PROTOCOL_VERSION },
            "ok": { "const": status != "error" },
            "status": { "const": status },
            "output": {},
            "side_effects_declared": { "type": "array", "items": effects.clone() },
            "requires_approval": { "const": status == "pending_approval" },
            "warnings": texts.clone(),
            "metadata": { "type": "object" },
        });
        let mut required = vec!["protocol_version", "ok", "status", "metadata", "warnings"];
        for (name, schema) in members.as_object().into_iter().flatten() {
            properties[name] = schema.clone();
            if name == "error" {
                required.push("error");
            }
        }
        json!({ "type": "object", "properties": properties, "required": required })
    };
    let pending = json!({
        "approval_id": text,
        "message": text,
        "metadata": { "type": "object", "properties": { "approval_id": text }, "required": ["approval_id"] },
    });
    let members = |names: &[&str]| {
        let properties: Map<String, Json> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({})))
            .collect();
        json!({ "type": "object", "properties": properties, "required": names })
    };
    let list_of = |name: &str, of: Json| json!({ "type": "object", "properties": { name: { "type": "array", "items": of } }, "required": [name] });
    let run = members(&["id", "plan", "state", "role", "created_ms", "changed_ms"]);
    let chain = json!({
        "type": "object",
        "properties": { "id": text, "state": text, "answer": { "type": "object" } },
        "required": ["id", "state"],
    });
    let pipeline = json!({
        "type": "object",
        "properties": {
            "id": text, "file": text, "role": { "type": ["string", "null"] },
            "state": { "enum": ["running", "waiting", "succeeded", "failed", "stopped", "interrupted"] },
            "phases": { "type": "array" },
            "gate": { "type": "object", "properties": { "phase": text, "notice": text, "text": text }, "required": ["phase", "notice", "text"] },
        },
        "required": ["id", "state"],
    });
    let selection = json!({
        "type": "object",
        "properties": { "skip": texts, "only": { "type": ["string", "null"] }, "from": { "type": ["string", "null"] } },
        "additionalProperties": false,
    });
    let resumption = json!({
        "type": "object",
        "properties": { "retry_unknown": { "type": "boolean", "description": "Run agents again whose outcome is unknown" } },
        "additionalProperties": false,
    });
    let gate_answer = json!({
        "type": "object",
        "properties": { "answer": { "enum": ["yes", "no"] } },
        "required": ["answer"],
        "additionalProperties": false,
    });
    let approval = members(&[
        "id",
        "tool",
        "role",
        "state",
        "reason",
        "created_ms",
        "expires_ms",
        "left_ms",
        "fallback",
    ]);
    let plan = json!({
        "type": "object",
        "properties": {
            "plan": { "type": "object", "description": "docs/plans.md describes plans; `mathchain schema plan` prints their schema" },
            "inputs": { "type": ["object", "null"] },
        },
        "required": ["plan"],
        "additionalProperties": false,
    });
    Map::from_iter([
        (
            "Error".to_owned(),
            envelope("error", json!({ "error": error })),
        ),
        ("Result".to_owned(), envelope("success", json!({}))),
        ("Pending".to_owned(), envelope("pending_approval", pending)),
        ("Category".to_owned(), categories),
        (
            "Tool".to_owned(),
            members(&[
                "name",
                "description",
                "effects",
                "input_schema",
                "output_schema",
                "examples",
            ]),
        ),
        ("Plan".to_owned(), plan),
        ("Chain".to_owned(), chain),
        (
            "Pipelines".to_owned(),
            list_of("pipelines", pipeline.clone()),
        ),
        ("Pipeline".to_owned(), pipeline),
        ("PhaseSelection".to_owned(), selection),
        ("PipelineResumption".to_owned(), resumption),
        ("GateAnswer".to_owned(), gate_answer),
        (
            "AnsweredGate".to_owned(),
            members(&["id", "phase", "answer"]),
        ),
        ("Runs".to_owned(), list_of("runs", run.clone())),
        (
            "Run".to_owned(),
            json!({ "type": "object", "properties": { "run": run, "records": { "type": "array" } }, "required": ["run", "records"] }),
        ),
        (
            "Schedules".to_owned(),
            list_of(
                "schedules",
                members(&["name", "plan", "when", "next_ms", "times", "missed_count"]),
            ),
        ),
        (
            "Approvals".to_owned(),
            list_of("approvals", approval.clone()),
        ),
        ("Approval".to_owned(), approval),
        (
            "ApprovalGrant".to_owned(),
            json!({ "type": "object", "additionalProperties": false, "properties": {
                "arguments": { "type": "object", "description": "The call runs with these in place of its own" },
            } }),
        ),
        (
            "State".to_owned(),
            json!({ "type": "object", "properties": { "status": text }, "required": ["status"] }),
        ),
    ])
}

/// Statuses of errors with what they mean, and whether any request may be answered with them.
const ERRORS: [(&str, bool, &str); 15] = [
    ("400", true, "The request cannot be read"),
    ("401", true, "No valid key"),
    (
        "403",
        true,
        "Denied by policy, by the host or by the origin",
    ),
    ("404", false, "No such tool, plan, run, request or value"),
    ("408", false, "The body took too long"),
    ("409", false, "A conflict, or a fact that does not hold"),
    (
        "413",
        false,
        "The body is too large, or a limit is exceeded",
    ),
    ("415", false, "The body is not stated to be JSON"),
    ("416", false, "The range lies beyond the end"),
    (
        "422",
        false,
        "Arguments that do not fit, or a computation without a result",
    ),
    ("429", true, "Too many requests"),
    ("431", true, "The head is too large"),
    ("500", true, "A fault of the server"),
    ("503", true, "The call was stopped"),
    ("504", false, "The call took too long"),
];

fn error_responses() -> Map<String, Json> {
    let response = |(status, _, what): &(&str, bool, &str)| {
        let mut response = json!({
            "description": what,
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
        });
        match *status {
            "429" | "503" => {
                response["headers"] = json!({ "Retry-After": { "schema": { "type": "integer" } } });
            }
            "401" => {
                response["headers"] =
                    json!({ "WWW-Authenticate": { "schema": { "type": "string" } } });
            }
            // The head is not read to its end, so that the answer has no body.
            "431" => drop(response.as_object_mut().and_then(|it| it.remove("content"))),
            _ => {}
        }
        ((*status).to_owned(), response)
    };
    ERRORS.iter().map(response).collect()
}

/// One operation.
struct OpenApiOperation {
    id: &'static str,
    summary: &'static str,
    /// Status, content type and schema of each answer that is no error.
    answers: Json,
    /// Statuses of errors beside those of every request.
    errors: &'static [&'static str],
}

impl OpenApiOperation {
    fn json(&self, parameters: &[Json], body: Option<&str>) -> Json {
        let mut answers = self.answers.clone();
        for (status, always, _) in ERRORS {
            if always || self.errors.contains(&status) {
                answers[status] = json!({ "$ref": format!("#/components/responses/{status}") });
            }
        }
        let mut operation =
            json!({ "operationId": self.id, "summary": self.summary, "responses": answers });
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if let Some(body) = body {
            operation["requestBody"] =
                json!({ "required": true, "content": schema_content("application/json", body) });
        }
        operation
    }
}

fn schema_content(kind: &str, schema: &str) -> Json {
    json!({ kind: { "schema": { "$ref": format!("#/components/schemas/{schema}") } } })
}

fn response_objects(given: &[(&str, &str, &str)]) -> Json {
    let answer = |(status, what, schema): &(&str, &str, &str)| {
        let answer =
            json!({ "description": what, "content": schema_content("application/json", schema) });
        ((*status).to_owned(), answer)
    };
    given.iter().map(answer).collect::<Map<_, _>>().into()
}

fn in_path(name: &str, what: &str) -> Json {
    json!({ "name": name, "in": "path", "required": true, "description": what, "schema": { "type": "string", "minLength": 1 } })
}

fn path_items() -> Json {
    let once = json!({
        "name": "Idempotency-Key", "in": "header", "required": false, "schema": { "type": "string", "pattern": "^[!-~]{1,255}$" },
        "description": format!("The same request sent again under its key is answered as before, for {} hours, and does not act again", journal::REQUEST_HOURS),
    });
    let trace = json!({ "name": "traceparent", "in": "header", "required": false, "schema": { "type": "string" }, "description": "Span of the client" });
    let range = json!({ "name": "Range", "in": "header", "required": false, "schema": { "type": "string" }, "description": "`bytes=FIRST-LAST`" });
    let seen = json!({ "name": "Last-Event-ID", "in": "header", "required": false, "schema": { "type": "integer", "minimum": 0 } });
    let catalogs: Vec<&str> = Catalog::ALL.iter().map(|one| one.as_str()).collect();
    let query = |name: &str, names: Json| json!({ "name": name, "in": "query", "required": false, "schema": { "type": "string", "enum": names } });
    let listing = [
        query("format", json!(DeclarationFormat::names())),
        query("catalog", json!(catalogs)),
    ];
    let (chain, pipeline, run, approval) = (
        [in_path("id", "Id of the plan")],
        [in_path("id", "Id of the pipeline, or its beginning")],
        [in_path("id", "Id of the run")],
        [in_path("id", "Id of the request")],
    );
    let get = |id, summary, schema: &str, errors: &'static [&'static str], parameters: &[Json]| {
        let answers = response_objects(&[("200", "The answer", schema)]);
        json!({ "get": OpenApiOperation { id, summary, answers, errors }.json(parameters, None) })
    };
    let post = |id,
                summary,
                given: &[(&str, &str, &str)],
                errors: &'static [&'static str],
                parameters: &[Json],
                body: Option<&str>| {
        json!({ "post": OpenApiOperation { id, summary, answers: response_objects(given), errors }.json(parameters, body) })
    };
    let of_kinds =
        |id, summary, kinds: &[&str], errors: &'static [&'static str], parameters: &[Json]| {
            let content: Map<String, Json> = kinds
                .iter()
                .map(|kind| ((*kind).to_owned(), json!({})))
                .collect();
            let answers = json!({ "200": { "description": "The answer", "content": content } });
            OpenApiOperation {
                id,
                summary,
                answers,
                errors,
            }
            .json(parameters, None)
        };
    let text = "text/plain";
    let mut artifact = of_kinds(
        "artifact",
        "A large value, whole or a range of its bytes",
        &["application/json"],
        &["404", "409", "413", "416"],
        &[in_path("handle", "Handle, such as `b3:..`"), range],
    );
    artifact["responses"]["206"] = artifact["responses"]["200"].clone();
    let called = [
        ("200", "A result", "Result"),
        ("202", "The call waits for approval", "Pending"),
    ];
    // Beginning one may wait for approval: of two answers with 202 the body says which it is.
    let begun = json!({ "202": {
        "description": "It has begun, or waits for approval",
        "content": { "application/json": { "schema": { "anyOf": [
            { "$ref": "#/components/schemas/Pipeline" }, { "$ref": "#/components/schemas/Pending" },
        ] } } },
    } });
    let begins = |id, summary, parameters: &[Json], body| {
        let errors = &["404", "408", "409", "413", "415", "422"];
        OpenApiOperation {
            id,
            summary,
            answers: begun.clone(),
            errors,
        }
        .json(parameters, Some(body))
    };
    let listed = OpenApiOperation {
        id: "pipelines",
        summary: "Pipelines of the role in the workspace",
        answers: response_objects(&[("200", "The answer", "Pipelines")]),
        errors: &["409"],
    };
    let mut approve = post(
        "approve",
        "Approve a request, as it is or with other arguments",
        &[("200", "It is approved", "Approval")],
        &["404", "409", "413", "422"],
        &approval,
        Some("ApprovalGrant"),
    );
    approve["post"]["requestBody"]["required"] = false.into();
    json!({
        "/": { "get": of_kinds("home", "A page for a person who opens the address", &["text/html"], &[], &[]) },
        "/healthz": open_path_item("healthy", "Whether the process answers", &[("200", "It does", "State")]),
        "/readyz": open_path_item("ready", "Whether the process accepts requests", &[("200", "It does", "State"), ("503", "It is stopping", "State")]),
        "/metrics": { "get": of_kinds("metrics", "Counters for Prometheus", &[text], &[], &[]) },
        "/v1/openapi.json": { "get": of_kinds("openapi", "This document", &["application/json"], &[], &[]) },
        "/v1/call": post("call", "One call", &called, &["404", "408", "409", "413", "415", "422", "504"], &[once.clone(), trace.clone()], Some("Call")),
        "/v1/tools": { "get": of_kinds("tools", "The visible tools, in a format", &["application/json", text], &[], &listing) },
        "/v1/tools/{name}": get("tool", "Every argument of one tool, its result, effects and examples", "Tool", &["404"], &[in_path("name", "Name of the tool")]),
        "/v1/chains": post("submit", "Begin a plan", &[("202", "It has begun", "Chain")], &["404", "408", "409", "413", "415", "422"], &[once.clone(), trace.clone()], Some("Plan")),
        "/v1/chains/{id}": get("chain", "State of a plan, and at the end its answer", "Chain", &["404", "409"], &chain),
        "/v1/chains/{id}/events": { "get": of_kinds("events", "Steps of a plan as they begin and end", &["text/event-stream"], &["404"], &[chain[0].clone(), seen.clone()]) },
        "/v1/chains/{id}/cancel": post("cancel", "Cancel a plan", &[("200", "It has been cancelled", "Chain"), ("202", "It is being cancelled", "Chain")], &["404", "409"], &chain, None),
        "/v1/chains/{id}/resume": post("resume", "Resume a plan that was interrupted, or whose approvals were given", &[("202", "It continues", "Chain")], &["404", "409"], &chain, None),
        "/v1/pipelines": {
            "get": listed.json(&[], None),
            "post": begins("begin_pipeline", "Begin the phases of the configuration", &[once, trace], "PhaseSelection"),
        },
        "/v1/pipelines/{id}": get("pipeline", "A pipeline with its phases and agents, and the gate that it waits at", "Pipeline", &["404", "409"], &pipeline),
        "/v1/pipelines/{id}/events": { "get": of_kinds("pipeline_events", "Events of a pipeline with the output of its agents", &["text/event-stream"], &["404", "409"], &[pipeline[0].clone(), seen.clone()]) },
        "/v1/pipelines/{id}/cancel": post("cancel_pipeline", "Cancel a pipeline that this server runs", &[("202", "It is being cancelled", "Pipeline")], &["404", "409"], &pipeline, None),
        "/v1/pipelines/{id}/resume": { "post": begins("resume_pipeline", "Resume a pipeline that stopped, failed or was interrupted", &pipeline, "PipelineResumption") },
        "/v1/pipelines/{id}/gate": post("answer_gate", "Answer the gate that a pipeline waits at", &[("200", "It is answered", "AnsweredGate")], &["404", "409", "413", "422"], &pipeline, Some("GateAnswer")),
        "/v1/events": { "get": of_kinds("workflow_events", "Events of workflows, from the first or the one after Last-Event-ID, and the next ones", &["text/event-stream"], &["404", "409"], std::slice::from_ref(&seen)) },
        "/v1/runs": get("runs", "Recorded runs of the role in the workspace", "Runs", &["409"], &[]),
        "/v1/runs/{id}": get("run", "A recorded run with its records", "Run", &["404", "409"], &run),
        "/v1/schedules": get("schedules", "Schedules of the role with their next times and what became of the last ones", "Schedules", &[], &[]),
        "/v1/approvals": get("approvals", "Pending requests for approval", "Approvals", &["409"], &[]),
        "/v1/approvals/{id}": get("approval", "A request for approval with the details of its call", "Approval", &["404", "409"], &approval),
        "/v1/approvals/{id}/approve": approve,
        "/v1/approvals/{id}/deny": post("deny", "Decline a request", &[("200", "It is declined", "Approval")], &["404", "409"], &approval, None),
        "/v1/artifacts/{handle}": { "get": artifact },
    })
}

/// A path that needs no key.
fn open_path_item(id: &str, summary: &str, given: &[(&str, &str, &str)]) -> Json {
    let mut all = response_objects(given);
    for status in ["400", "403", "431", "500"] {
        all[status] = json!({ "$ref": format!("#/components/responses/{status}") });
    }
    json!({ "get": { "operationId": id, "summary": summary, "security": [], "responses": all } })
}
