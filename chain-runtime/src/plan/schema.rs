//! The JSON Schema of plans, for editors and for whoever writes plans by machine: the fields that the reader knows, and what
//! they take.
//!
//! It says as much as a schema can: forms, names, ranges. References, types of arguments, permissions and order are the check's.

use serde_json::{Map, Value as Json, json};
use tool_core::schema::Schema;

use super::read::{BUDGET_FIELDS, INPUT_FIELDS, INTEGER_MAX, PLAN_FIELDS};
use super::retry::{RETRY_FIELDS, retried};
use super::step::{MAP_FIELDS, STEP_FIELDS};
use super::{
    Approval, InputType, Mode, NAMES_MAX, OnError, OnItemError, RETRIES_MAX, STEPS_MAX, VERSION,
};
use crate::condition;
use crate::reference;

/// The form of ids.
const ID: &str = "^[a-z][a-z0-9_]{0,63}$";

/// The JSON Schema (draft 2020-12) of a plan.
pub fn schema() -> Schema {
    let mut plan = closed(&PLAN_FIELDS, &["version", "steps"], plan_field);
    let head = [
        (
            "$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", json!("A plan of mathchain")),
        (
            "description",
            json!(
                "Steps that call tools, what they use of each other, and what comes out (docs/plans.md)."
            ),
        ),
        ("$defs", definitions()),
    ];
    if let Some(members) = plan.as_object_mut() {
        for (key, value) in head {
            members.insert(key.to_owned(), value);
        }
    }
    plan
}

/// An object with these fields and no others.
fn closed(fields: &[&str], required: &[&str], of: fn(&str) -> Json) -> Json {
    let properties: Map<String, Json> = fields
        .iter()
        .map(|field| ((*field).to_owned(), of(field)))
        .collect();
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn definitions() -> Json {
    json!({
        "id": {"type": "string", "pattern": ID},
        "positive": {"type": "integer", "minimum": 1, "maximum": INTEGER_MAX},
        "input": closed(&INPUT_FIELDS, &[], input_field),
        "step": closed(&STEP_FIELDS, &["id", "tool"], step_field),
        "map": closed(&MAP_FIELDS, &["over"], map_field),
        "retry": closed(&RETRY_FIELDS, &[], retry_field),
        "budget": closed(&BUDGET_FIELDS, &[], |_| reference_to("positive")),
        "call": {
            "type": "object",
            "properties": {"tool": {"type": "string", "minLength": 1}, "args": reference_to("args")},
            "required": ["tool"],
            "additionalProperties": false,
        },
        "condition": {
            "type": "string",
            "minLength": 1,
            "maxLength": condition::TEXT_BYTES_MAX,
        },
        "reference": {
            "type": "object",
            "properties": {
                "$ref": {
                    "type": "string",
                    "pattern": r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*|\[[0-9]+\]|\[\*\])*$",
                    "maxLength": reference::TEXT_BYTES_MAX,
                },
                "default": {"description": "What holds where it is absent, `null`, or its step did not succeed."},
            },
            "required": ["$ref"],
            "additionalProperties": false,
        },
        "format": {
            "type": "object",
            "properties": {
                "$fmt": {"type": "string", "description": "A text with `{}` for each value; `{{` and `}}` stand for braces."},
                "args": {"type": "array", "items": reference_to("value")},
            },
            "required": ["$fmt"],
            "additionalProperties": false,
        },
        "literal": {
            "type": "object",
            "properties": {"$lit": {}},
            "required": ["$lit"],
            "additionalProperties": false,
        },
        "value": {
            "description": "Data; an object with `$ref`, `$fmt` or `$lit` stands for a value.",
            "if": {"type": "object", "required": ["$ref"]},
            "then": reference_to("reference"),
            "else": {
                "if": {"type": "object", "required": ["$fmt"]},
                "then": reference_to("format"),
                "else": {
                    "if": {"type": "object", "required": ["$lit"]},
                    "then": reference_to("literal"),
                    "else": {
                        "items": reference_to("value"),
                        "additionalProperties": reference_to("value"),
                    },
                },
            },
        },
        "answer": {
            "description": "As a value; it opens no file.",
            "allOf": [
                reference_to("value"),
                {"not": {
                    "type": "object",
                    "maxProperties": 1,
                    "anyOf": [{"required": ["$file"]}, {"required": ["$artifact"]}],
                }},
                {
                    "if": {"type": "object", "required": ["$lit"]},
                    "then": {},
                    "else": {"items": reference_to("answer"), "additionalProperties": reference_to("answer")},
                },
            ],
        },
        "args": {
            "type": "object",
            "description": "The arguments, by name; `mathchain tools show TOOL` lists them.",
            "allOf": [reference_to("value")],
        },
    })
}

fn reference_to(definition: &str) -> Json {
    json!({"$ref": format!("#/$defs/{definition}")})
}

/// What another definition says, with a description.
fn described(definition: &str, description: &str) -> Json {
    json!({"$ref": format!("#/$defs/{definition}"), "description": description})
}

fn plan_field(field: &str) -> Json {
    match field {
        "version" => json!({"const": VERSION, "description": "The version of the plan language."}),
        "id" => described("id", "The name of the plan in records."),
        "description" => json!({"type": "string", "description": "For people."}),
        "inputs" => json!({
            "type": "object",
            "description": "What can be given when it is run: `--input name=value`.",
            "propertyNames": {"pattern": ID},
            "additionalProperties": reference_to("input"),
            "maxProperties": NAMES_MAX,
        }),
        "seed" => json!({
            "description": "From it every random stream derives; beyond 2^53 as a text.",
            "anyOf": [
                {"type": "integer", "minimum": -INTEGER_MAX, "maximum": INTEGER_MAX},
                {"type": "string", "pattern": "^-?[0-9]{1,20}$"},
            ],
        }),
        "mode" => json!({
            "enum": [Mode::Dep.as_str(), Mode::Seq.as_str()],
            "description": "`dep`: independent steps run together; `seq`: one after the other, as written.",
        }),
        "barrier" => {
            json!({"type": "boolean", "description": "Whether a wave starts only when the one before has ended."})
        }
        "parallel_mutations" => {
            json!({"type": "boolean", "description": "Whether steps with effects may run together where they use different resources."})
        }
        "budget" => described(
            "budget",
            "What a run may use at most: calls, milliseconds, bytes of results; plans within it counted.",
        ),
        "deadline_ms" => described("positive", "Longest run of the whole in milliseconds."),
        "steps" => json!({
            "type": "array",
            "description": "The calls, earlier ones first: a step uses earlier steps only.",
            "items": reference_to("step"),
            "maxItems": STEPS_MAX,
        }),
        "outputs" => json!({
            "type": "object",
            "description": "What the plan answers with.",
            "not": {"maxProperties": 1, "anyOf": [{"required": ["$ref"]}, {"required": ["$lit"]}, {"required": ["$fmt"]}]},
            "additionalProperties": reference_to("answer"),
            "maxProperties": NAMES_MAX,
        }),
        _ => json!(true),
    }
}

fn input_field(field: &str) -> Json {
    match field {
        "type" => json!({
            "enum": InputType::ALL.map(InputType::as_str),
            "description": "What it takes; without one, anything.",
        }),
        "default" => {
            json!({"description": "What holds when none is given; without one it must be given."})
        }
        "minimum" => json!({"type": "number", "description": "Least number."}),
        "maximum" => json!({"type": "number", "description": "Greatest number."}),
        "enum" => {
            json!({"type": "array", "minItems": 1, "description": "The only values allowed."})
        }
        "description" => json!({"type": "string", "description": "For people."}),
        _ => json!(true),
    }
}

fn step_field(field: &str) -> Json {
    match field {
        "id" => json!({
            "$ref": "#/$defs/id",
            "not": {"enum": super::RESERVED},
            "description": "The name of the step; unique in the plan.",
        }),
        "tool" => {
            json!({"type": "string", "minLength": 1, "description": "The tool; one that lists `chain` among its callers."})
        }
        "args" => reference_to("args"),
        "after" => json!({
            "type": ["string", "array"],
            "items": {"type": "string"},
            "description": "Steps that must have ended before, beside those it uses.",
        }),
        "when" => json!({
            "description": "Without it holding, the step is skipped: `fit.r2 > 0.9 && len(raw.rows) >= 10`.",
            "anyOf": [
                reference_to("condition"),
                {
                    "type": "object",
                    "properties": {"expr": reference_to("condition")},
                    "required": ["expr"],
                    "additionalProperties": false,
                },
            ],
        }),
        "map" => described(
            "map",
            "Calls the tool for every element of a list; the results come in its order.",
        ),
        "retry" => described("retry", "What is tried again, and after how long."),
        "cost_ms" => described(
            "positive",
            "How long it is expected to run, in milliseconds: a hint for what goes first.",
        ),
        "timeout_ms" => described("positive", "Longest run of one attempt in milliseconds."),
        "deadline_ms" => described(
            "positive",
            "Longest run of all attempts and waits together in milliseconds.",
        ),
        "approval" => json!({
            "enum": Approval::ALL.map(Approval::as_str),
            "description": "`auto`: as the policy says; `required`: a person is always asked; `never-ask`: what would ask is refused.",
        }),
        "on_error" => json!({
            "enum": OnError::ALL.map(OnError::as_str),
            "description": "What its failure means for the others.",
        }),
        "compensate" => described(
            "call",
            "What undoes it when the chain fails later; it may use the step's own result.",
        ),
        "place" => json!({"const": "local", "description": "Where it runs: on this machine."}),
        _ => json!(true),
    }
}

fn map_field(field: &str) -> Json {
    match field {
        "over" => json!({
            "description": "The list: written out, or a reference to one.",
            "allOf": [{"type": ["array", "object"]}, reference_to("value")],
        }),
        "as" => json!({
            "$ref": "#/$defs/id",
            "not": {"enum": ["inputs", "index"]},
            "description": "What references call the element; `item` where absent. `index` is its number, from 0.",
        }),
        "max" => {
            json!({"type": "integer", "minimum": 1, "maximum": STEPS_MAX, "description": "Most elements."})
        }
        "concurrency" => {
            json!({"type": "integer", "minimum": 1, "maximum": STEPS_MAX, "description": "Calls that run together."})
        }
        "on_item_error" => json!({
            "enum": OnItemError::ALL.map(OnItemError::as_str),
            "description": "`fail`: the step fails with the first such element; `collect`: the result has {ok, value, error} for each.",
        }),
        _ => json!(true),
    }
}

fn retry_field(field: &str) -> Json {
    match field {
        "max" => {
            json!({"type": "integer", "minimum": 0, "maximum": RETRIES_MAX, "description": "Most further attempts; 1 where absent."})
        }
        "on" => {
            let known: Vec<&str> = retried().collect();
            json!({
                "type": "array",
                "description": "Codes or reasons of errors that are tried again; `timeout` and `tool_error` where absent.",
                "items": {"enum": known},
            })
        }
        "backoff_ms" => {
            json!({"type": "integer", "minimum": 0, "maximum": super::retry::BACKOFF_MS_MAX, "description": "Milliseconds before the first further attempt; 200 where absent."})
        }
        "factor" => {
            json!({"type": "number", "minimum": 1, "maximum": 10, "description": "By how much the wait grows with each; 2 where absent."})
        }
        "jitter" => {
            json!({"enum": ["none", "full"], "description": "`full`: the wait is taken at random, from the seed, between 0 and its length."})
        }
        _ => json!(true),
    }
}

#[cfg(test)]
mod tests;
