//! Reader and schema take the same plans: an own validator of what the schema uses, which knows no other keyword.

use registry::document::{self, DocumentFormat};
use serde_json::Value as Json;
use tool_core::{Object, Value};

use super::*;
use crate::plan::Plan;

/// Whether a value fits; panics at a keyword it does not know, so that none is ignored.
fn fits(root: &Json, schema: &Json, value: &Value) -> bool {
    let Some(keywords) = schema.as_object() else {
        return schema == &Json::Bool(true);
    };
    let holds = |(key, wanted): (&String, &Json)| -> bool {
        let number = |key: &str| wanted.as_f64().unwrap_or_else(|| panic!("{key}"));
        let object = value.as_object();
        let count = |items: usize| (items as f64) <= number(key);
        match key.as_str() {
            "$schema" | "$defs" | "title" | "description" | "examples" | "default" | "then"
            | "else" => true,
            "$ref" => {
                let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                fits(root, &root["$defs"][name], value)
            }
            "type" => match wanted {
                Json::Array(types) => types.iter().any(|one| is(one, value)),
                one => is(one, value),
            },
            "const" => equal(wanted, value),
            "enum" => wanted
                .as_array()
                .unwrap()
                .iter()
                .any(|one| equal(one, value)),
            "not" => !fits(root, wanted, value),
            "allOf" => wanted
                .as_array()
                .unwrap()
                .iter()
                .all(|one| fits(root, one, value)),
            "anyOf" | "oneOf" => wanted
                .as_array()
                .unwrap()
                .iter()
                .any(|one| fits(root, one, value)),
            "if" => match fits(root, wanted, value) {
                true => keywords
                    .get("then")
                    .is_none_or(|then| fits(root, then, value)),
                false => keywords.get("else").is_none_or(|or| fits(root, or, value)),
            },
            "minimum" => value.as_f64().is_none_or(|found| found >= number(key)),
            "maximum" => value.as_f64().is_none_or(|found| found <= number(key)),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as f64 >= number(key)),
            "maxLength" => value
                .as_str()
                .is_none_or(|text| count(text.chars().count())),
            "pattern" => value
                .as_str()
                .is_none_or(|text| matches(wanted.as_str().unwrap(), text)),
            "minItems" => value
                .items()
                .is_none_or(|items| items.len() as f64 >= number(key)),
            "maxItems" => value.items().is_none_or(|items| count(items.len())),
            "maxProperties" => object.is_none_or(|object| count(object.len())),
            "items" => {
                let items = value.items().unwrap_or_default();
                items.iter().all(|item| fits(root, wanted, item))
            }
            "required" => object.is_none_or(|object| {
                let mut names = wanted.as_array().unwrap().iter();
                names.all(|name| object.get(name.as_str().unwrap()).is_some())
            }),
            "properties" => object.is_none_or(|object| {
                let properties = wanted.as_object().unwrap();
                object
                    .iter()
                    .filter_map(|(name, member)| Some((properties.get(name)?, member)))
                    .all(|(schema, member)| fits(root, schema, member))
            }),
            "propertyNames" => object.is_none_or(|object| {
                object
                    .iter()
                    .all(|(name, _)| fits(root, wanted, &Value::from(name)))
            }),
            "additionalProperties" => object.is_none_or(|object| {
                let known = keywords.get("properties").and_then(Json::as_object);
                object
                    .iter()
                    .filter(|(name, _)| known.is_none_or(|known| !known.contains_key(*name)))
                    .all(|(_, member)| fits(root, wanted, member))
            }),
            other => panic!("the schema uses `{other}`"),
        }
    };
    keywords.iter().all(holds)
}

fn is(kind: &Json, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.as_object().is_some(),
        "array" => value.items().is_some(),
        "string" => value.as_str().is_some(),
        "boolean" => value.as_bool().is_some(),
        "number" => value.as_f64().is_some(),
        "integer" => value.as_i64().is_some(),
        other => panic!("the schema uses the type `{other}`"),
    }
}

fn equal(wanted: &Json, value: &Value) -> bool {
    match wanted {
        Json::String(text) => value.as_str() == Some(text),
        Json::Number(number) => value.as_f64() == number.as_f64(),
        other => panic!("the schema has the constant {other}"),
    }
}

/// The three patterns that the schema has.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        ID => super::super::read::is_id(text),
        "^-?[0-9]{1,20}$" => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            (1..=20).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
        }
        reference if reference.contains(r"\[\*\]") => {
            crate::reference::PlanReference::parse(text).is_ok()
        }
        other => panic!("the schema has the pattern {other}"),
    }
}

fn yaml(text: &str) -> Value {
    document::parse_document("plan.yaml", text, DocumentFormat::Yaml)
        .unwrap_or_else(|err| panic!("{err}: {text}"))
        .value
}

/// Whether the reader finds nothing wrong with the form.
fn reads(value: &Value) -> bool {
    Plan::from_value(value).faults.is_empty()
}

#[track_caller]
fn agree(value: &Value, expected: bool) {
    let root = plan_schema();
    let faults = Plan::from_value(value).faults;
    assert_eq!(
        (fits(&root, &root, value), faults.is_empty()),
        (expected, expected),
        "{value}\n{faults}"
    );
}

const EVERYTHING: &str = r#"
version: 1
id: everything
description: Every field.
inputs:
  path: {type: path, default: a.csv, description: a file}
  count: {type: integer, minimum: 1, maximum: 9, default: 3, enum: [1, 3, 9]}
seed: 7
mode: dep
barrier: true
parallel_mutations: false
verify: independent
budget: {steps: 100, wall_ms: 1000, cpu_ms: 1000, bytes_out: 1000, artifact_bytes: 1000, cost: 1000}
deadline_ms: 5000
steps:
  - {id: first, tool: f}
  - id: second
    tool: f
    args: {x: {$ref: "first.rows[*].p", default: null}, y: {$lit: {$ref: x}}, z: {$fmt: "n={}", args: [{$ref: first.n}]}, f: {$file: {$ref: inputs.path}}, l: [1, {$ref: first}]}
    after: first
    when: "first.n > 2"
    map: {over: [1, 2], as: one, max: 10, concurrency: 2, on_item_error: collect}
    retry: {max: 2, on: [timeout, rate_limit], backoff_ms: 10, factor: 1.5, jitter: full}
    timeout_ms: 10
    deadline_ms: 20
    cost_ms: 30
    approval: required
    on_error: continue
    compensate: {tool: g, args: {x: {$ref: second}}}
    place: local
  - {id: third, tool: f, after: [first, second], when: {expr: "first.ok"}, map: {over: {$ref: first.rows}}}
outputs: {all: {$ref: second}, n: 3}
"#;

/// Every property of a schema: its pointer, and its own schema.
fn properties<'s>(schema: &'s Json, path: &str, found: &mut Vec<(String, &'s Json)>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        found.push((format!("{path}/{name}"), property));
        properties(property, &format!("{path}/{name}"), found);
    }
    for (key, name) in [("items", "0"), ("additionalProperties", "*")] {
        if schema[key].is_object() {
            properties(&schema[key], &format!("{path}/{name}"), found);
        }
    }
}

#[test]
fn every_key_is_described_and_in_the_example_of_this_test() {
    let (root, example) = (plan_schema(), yaml(EVERYTHING));
    agree(&example, true);
    let mut found = Vec::new();
    properties(&root, "", &mut found);
    assert!(found.len() > 45, "{}", found.len());
    for (path, property) in found {
        assert!(
            property["description"].is_string(),
            "{path} has no description"
        );
        let key = path.rsplit('/').next().unwrap();
        assert!(EVERYTHING.contains(&format!("{key}:")), "{path}");
    }
}

/// Every key of the value, misspelt, one at a time; with whether it is the plan's own and no name that people choose.
fn misspelt(value: &Value, path: &str, out: &mut Vec<(String, Value)>) {
    if let Some(object) = value.as_object() {
        for (key, member) in object.iter() {
            let replaced = |name: &str, with: Value| {
                let mut changed = Object::new();
                for (other, kept) in object.iter() {
                    match other == key {
                        true => changed.insert(name, with.clone()),
                        false => changed.insert(other, kept.clone()),
                    }
                }
                Value::Object(changed.into())
            };
            let at = format!("{path}/{key}");
            out.push((at.clone(), replaced(&format!("{key}x"), member.clone())));
            let mut below = Vec::new();
            misspelt(member, &at, &mut below);
            out.extend(
                below
                    .into_iter()
                    .map(|(at, with)| (at, replaced(key, with))),
            );
        }
    } else if let (Some(items), None) = (value.items(), value.as_numbers()) {
        for (index, item) in items.iter().enumerate() {
            let mut below = Vec::new();
            misspelt(item, &format!("{path}/{index}"), &mut below);
            out.extend(below.into_iter().map(|(at, with)| {
                let mut items = items.clone();
                items[index] = with;
                (at, Value::array(items))
            }));
        }
    }
}

#[test]
fn misspelt_fields_fail_in_both() {
    let root = plan_schema();
    let mut cases = Vec::new();
    misspelt(&yaml(EVERYTHING), "", &mut cases);
    let mut refused = 0;
    for (path, value) in &cases {
        let (schema, reader) = (fits(&root, &root, value), reads(value));
        // `{$refx: ..}` is data to a schema; the reader knows that nobody means it.
        if path
            .rsplit('/')
            .next()
            .is_some_and(|key| key.starts_with('$'))
        {
            continue;
        }
        assert_eq!(schema, reader, "{path}: {value}");
        refused += usize::from(!reader);
    }
    assert!(refused > 55, "{refused} of {}", cases.len());
}

#[test]
fn values_that_do_not_fit_fail_in_both() {
    let base = "version: 1\nsteps: [{id: a, tool: f, REST}]\n";
    let step = |rest: &str| yaml(&base.replace("REST", rest));
    // A duplicate key is no document at all.
    assert!(
        document::parse_document("p", &base.replace("REST", "id: b"), DocumentFormat::Yaml)
            .is_err()
    );
    for rest in [
        "args: 3",
        "args: [1]",
        "args: {x: {$ref: 3}}",
        "args: {x: {$ref: a..b}}",
        "args: {x: {$ref: a.b, defualt: 1}}",
        "args: {x: [{y: {$fmt: 1}}]}",
        "args: {x: {$lit: 1, more: 2}}",
        "after: 3",
        "after: [3]",
        "when: 3",
        "when: ''",
        "when: {text: a.x}",
        "map: [1]",
        "map: {as: x}",
        "map: {over: [1], as: index}",
        "map: {over: [1], as: 'X'}",
        "map: {over: [1], max: 0}",
        "map: {over: [1], concurrency: 10001}",
        "map: {over: [1], on_item_error: skip}",
        "retry: 3",
        "retry: {max: 11}",
        "retry: {max: -1}",
        "retry: {on: timeout}",
        "retry: {on: [policy_denied]}",
        "retry: {on: [No]}",
        "retry: {on: [timout]}",
        "retry: {on: ['']}",
        "timeout_ms: 1e18",
        "cost_ms: 9007199254740994.0",
        "compensate: {tool: ''}",
        "retry: {backoff_ms: 3600001}",
        "retry: {factor: 0.5}",
        "retry: {jitter: some}",
        "timeout_ms: 0",
        "timeout_ms: 1.5",
        "deadline_ms: -1",
        "approval: never",
        "on_error: stop",
        "compensate: {args: {}}",
        "compensate: {tool: g, when: x}",
        "place: cluster",
    ] {
        agree(&step(rest), false);
    }
    for (from, to) in [
        ("version: 1", "version: 2"),
        ("version: 1\n", ""),
        ("id: everything", "id: No"),
        ("seed: 7", "seed: 1.5"),
        ("mode: dep", "mode: both"),
        ("barrier: true", "barrier: 1"),
        ("type: path", "type: file"),
        ("minimum: 1,", "minimum: low,"),
        ("enum: [1, 3, 9]", "enum: 3"),
        ("enum: [1, 3, 9]", "enum: []"),
        ("seed: 7", "seed: 1e18"),
        ("bytes_out: 1000", "bytes_out: 1e18"),
        ("deadline_ms: 5000", "deadline_ms: 1e18"),
        ("{all: {$ref: second}, n: 3}", "{$ref: second}"),
        ("{all: {$ref: second}, n: 3}", "{all: {$file: a.csv}}"),
        (
            "{all: {$ref: second}, n: 3}",
            "{all: [{x: {$artifact: a}}]}",
        ),
        ("  path:", "  Path:"),
        ("steps: 100", "steps: 0"),
        ("id: first", "id: item"),
        ("tool: f}", "tool: 3}"),
        ("tool: f}", "tool: ''}"),
    ] {
        let changed = EVERYTHING.replacen(from, to, 1);
        assert_ne!(changed, EVERYTHING, "{from}");
        agree(&yaml(&changed), false);
    }
    for text in [
        "3",
        "[]",
        "version: 1\nsteps: 3",
        "version: 1\nsteps: [3]",
        "version: 1",
    ] {
        agree(&yaml(text), false);
    }
}

/// Other than the schema the reader knows limits in bytes, ids that are used twice and conditions that cannot be read.
#[test]
fn what_only_the_reader_sees() {
    let root = plan_schema();
    for rest in [
        "steps: [{id: a, tool: f}, {id: a, tool: f}]",
        "steps: [{id: a, tool: f, when: 'a >'}]",
        "steps: [{id: a, tool: f, args: {x: {$fmt: '{} {}', args: [1]}}}]",
        "steps: []\nseed: '99999999999999999999'",
        "steps: []\ninputs: {n: {type: string, minimum: 1}}",
        "steps: []\ninputs: {n: {type: number, minimum: 2, maximum: 1}}",
    ] {
        let value = yaml(&format!("version: 1\n{rest}\n"));
        assert!(fits(&root, &root, &value) && !reads(&value), "{rest}");
    }
}

#[test]
fn every_example_fits() {
    let root = plan_schema();
    let mut count = 0;
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(name.ends_with(".yaml") || name.ends_with(".chain")) {
            continue;
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "the examples are no files of a tool"
        )]
        let text = std::fs::read_to_string(&path).unwrap();
        let value = match name.ends_with(".chain") {
            true => crate::script::parse_script(&name, &text).unwrap().value,
            false => yaml(&text),
        };
        assert!(fits(&root, &root, &value), "{name}");
        assert!(reads(&value), "{name}");
        count += 1;
    }
    assert!(count >= 4, "{count} examples");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the file is compared, and missing is one way to differ"
)]
fn the_published_schema_is_this_one() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/plan.schema.json");
    let text = format!("{:#}\n", plan_schema());
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == text,
        "run this test with UPDATE=1 and review the difference"
    );
}
