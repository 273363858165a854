//! The JSON Schema of the configuration, held against the configurations of this repository: schema and reader take the same.

use std::path::Path;

use registry::Config;
use registry::document::{self, DocumentFormat};
use tool_core::schema::check_value;
use tool_core::{Object, Value, json};

const STARTER: &str = include_str!("../doors/cli/src/starter.toml");

/// Pages whose TOML is that of a configuration.
const PAGES: [(&str, &str); 7] = [
    ("docs/agents.md", include_str!("../docs/agents.md")),
    ("docs/files.md", include_str!("../docs/files.md")),
    ("docs/mcp.md", include_str!("../docs/mcp.md")),
    ("docs/openapi.md", include_str!("../docs/openapi.md")),
    ("docs/policy.md", include_str!("../docs/policy.md")),
    ("docs/schedules.md", include_str!("../docs/schedules.md")),
    ("docs/web.md", include_str!("../docs/web.md")),
];

const CASES: &str = include_str!("conformance/policy.yaml");

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the file is compared, and missing is one way to differ"
)]
fn the_published_schema_is_that_of_the_reader() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/schema/mathchain.schema.json");
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == format!("{:#}\n", registry::load::config_schema()),
        "run `mathchain schema config > docs/schema/mathchain.schema.json` and look at the difference"
    );
}

/// A configuration, and where it stands.
struct Written {
    place: String,
    value: Value,
}

/// The blocks of a page between ```toml and ```.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    let after = page.split("```toml\n").skip(1);
    after.filter_map(|rest| Some(rest.split_once("```")?.0))
}

/// Comments that are lines of a configuration: what the starter offers.
fn uncommented(text: &str) -> String {
    let offered = |line: &str| {
        let line = line.strip_prefix("# ")?;
        let begins = line.trim_start();
        let is_key = begins.split_once(" = ").is_some_and(|(key, _)| {
            key.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        (is_key || begins.starts_with('[')).then(|| line.to_owned())
    };
    text.lines()
        .map(|line| offered(line).unwrap_or_else(|| line.to_owned()) + "\n")
        .collect()
}

fn toml(place: String, text: &str) -> Written {
    let document = document::parse_document("c.toml", text, DocumentFormat::Toml);
    let document = document.unwrap_or_else(|errors| panic!("{place}: {errors}"));
    Written {
        place,
        value: versioned(&document.value),
    }
}

/// Pages and cases leave the version out.
fn versioned(value: &Value) -> Value {
    let mut table = value.as_object().expect("a table").clone();
    if table.get("version").is_none() {
        table.insert("version", 1_i64);
    }
    Value::Object(table.into())
}

fn configurations() -> Vec<Written> {
    let mut found = vec![
        toml("starter".to_owned(), STARTER),
        toml("starter, all of it".to_owned(), &uncommented(STARTER)),
    ];
    for (name, page) in PAGES {
        for (number, block) in blocks(page).enumerate() {
            found.push(toml(format!("{name}, block {number}"), block));
        }
    }
    let cases = document::parse_yaml(CASES).expect("a document");
    let named = cases
        .value
        .get("configs")
        .and_then(Value::as_object)
        .expect("a table");
    for (name, value) in named.iter() {
        found.push(Written {
            place: format!("policy.yaml, {name}"),
            value: versioned(value),
        });
    }
    for case in cases
        .value
        .get("cases")
        .and_then(Value::items)
        .expect("a list")
    {
        if let Some(config @ Value::Object(_)) =
            case.get("given").and_then(|given| given.get("config"))
        {
            let id = case.get("id").and_then(Value::as_str).expect("an id");
            found.push(Written {
                place: format!("policy.yaml, {id}"),
                value: versioned(config),
            });
        }
    }
    found
}

/// What the reader says of the shape: keys and kinds of values. Other errors are of names that do not go together.
fn refused(value: &Value) -> Vec<String> {
    let errors = Config::parse("c.json", &json::to_text(value)).err();
    let errors = errors.map(|errors| errors.into_list()).unwrap_or_default();
    errors
        .iter()
        .map(ToString::to_string)
        .filter(|error| {
            let shape = ["unknown key", "expected ", "missing key", "has no effect"];
            shape.iter().any(|part| error.contains(part))
        })
        .collect()
}

#[test]
fn configurations_of_this_repository_fit_as_far_as_they_are_read() {
    let schema = registry::load::config_schema();
    let found = configurations();
    assert!(found.len() > 40, "{} configurations", found.len());
    for Written { place, value } in found {
        let (problems, errors) = (check_value(&schema, &value), refused(&value));
        assert_eq!(
            problems.is_empty(),
            errors.is_empty(),
            "{place}: {problems:?}; {errors:?}"
        );
        if place.starts_with("starter") {
            assert!(errors.is_empty(), "{place}: {errors:?}");
        }
    }
}

/// The value with each of its keys misspelt, one at a time; with the path of the key.
fn misspelt(value: &Value, path: &str) -> Vec<(String, Value)> {
    let Some(table) = value.as_object() else {
        let items = value
            .items()
            .filter(|_| !matches!(value, Value::Numbers(_)));
        let items = items.unwrap_or_default();
        let replaced = |index: usize, item: Value| {
            let mut items = items.clone();
            items[index] = item;
            Value::array(items)
        };
        let below = |index: usize| misspelt(&items[index], &format!("{path}[]"));
        return (0..items.len())
            .flat_map(|index| {
                below(index)
                    .into_iter()
                    .map(move |(at, item)| (at, index, item))
            })
            .map(|(at, index, item)| (at, replaced(index, item)))
            .collect();
    };
    let mut found = Vec::new();
    for (key, member) in table.iter() {
        let with = |name: &str, member: Value| {
            let mut changed = Object::new();
            for (other, kept) in table.iter() {
                match other == key {
                    true => changed.insert(name, member.clone()),
                    false => changed.insert(other, kept.clone()),
                }
            }
            Value::Object(changed.into())
        };
        let at = format!("{path}.{key}");
        found.push((at.clone(), with(&format!("{key}x"), member.clone())));
        let below = misspelt(member, &at);
        found.extend(
            below
                .into_iter()
                .map(|(at, member)| (at, with(key, member))),
        );
    }
    found
}

#[test]
fn a_misspelt_key_is_refused_by_both_or_is_a_name() {
    let schema = registry::load::config_schema();
    let mut refusals = 0;
    for Written { place, value } in configurations() {
        if !refused(&value).is_empty() {
            continue;
        }
        for (key, value) in misspelt(&value, "") {
            let (problems, errors) = (check_value(&schema, &value), refused(&value));
            assert_eq!(
                problems.is_empty(),
                errors.is_empty(),
                "{place}, {key}: {problems:?}; {errors:?}"
            );
            refusals += usize::from(!errors.is_empty());
        }
    }
    assert!(refusals > 300, "{refusals} keys");
}
