use std::collections::BTreeSet;

use proptest::prelude::*;
use tool_core::schema::{Schema, check_value};
use tool_core::{Object, Value, json};

use super::*;
use crate::model::Config;

/// The paths of keys without a description; an item of a list is described by its list.
fn undescribed(schema: &Schema, path: &str, found: &mut Vec<String>) {
    if !schema.is_object() {
        return;
    }
    for branch in schema["anyOf"].as_array().into_iter().flatten() {
        // A branch of an enum describes its only key.
        if branch["description"].is_null() {
            undescribed(branch, path, found);
        }
    }
    for (key, member) in schema["properties"].as_object().into_iter().flatten() {
        let below = format!("{path}.{key}");
        if member["description"].as_str().is_none_or(str::is_empty) {
            found.push(below.clone());
        }
        undescribed(member, &below, found);
    }
    for inner in ["items", "additionalProperties"] {
        undescribed(&schema[inner], &format!("{path}.*"), found);
    }
}

#[test]
fn every_key_is_described() {
    let mut found = Vec::new();
    undescribed(&config_schema(), "", &mut found);
    assert!(found.is_empty(), "keys without a description: {found:#?}");
}

#[test]
fn the_schema_has_every_part_of_a_configuration() {
    let schema = config_schema();
    let rule = &schema["properties"]["policies"]["items"]["properties"]["rules"]["items"];
    assert_eq!(rule["required"], Schema::from(vec!["match", "decision"]));
    assert_eq!(
        rule["properties"]["decision"]["enum"],
        Schema::from(vec!["allow", "ask", "deny"])
    );
    let obligation = &rule["properties"]["obligations"]["items"]["anyOf"];
    assert_eq!(obligation.as_array().map(Vec::len), Some(5));
    let phase = &schema["properties"]["phases"]["items"]["properties"];
    assert_eq!(
        phase["agent_tools"]["additionalProperties"]["properties"]["permission"]["enum"][0],
        Schema::from("read-only")
    );
    assert_eq!(
        schema["properties"]["limits"]["properties"]["timeout_ms"]["minimum"],
        Schema::from(1)
    );
    assert_eq!(schema["additionalProperties"], Schema::from(false));
}

/// How one part of a document is spoiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spoil {
    Misspell,
    Omit,
    Nothing,
}

/// Writes documents that fit a schema, by chance; the part of the given number is spoiled.
struct Writer {
    chance: u64,
    parts: usize,
    spoil: Option<(usize, Spoil)>,
    spoiled: bool,
}

impl Writer {
    fn write(seed: u64, spoil: Option<(usize, Spoil)>) -> (Value, Self) {
        let mut writer = Self {
            chance: seed,
            parts: 0,
            spoil,
            spoiled: false,
        };
        let value = writer.value(&config_schema());
        (value, writer)
    }

    /// A number below `count`: the generator of SplitMix64.
    fn below(&mut self, count: usize) -> usize {
        self.chance = self.chance.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.chance;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % count as u64).unwrap()
    }

    fn value(&mut self, schema: &Schema) -> Value {
        if let Some(branches) = schema.get("anyOf").and_then(Schema::as_array) {
            let chosen = self.below(branches.len());
            return self.value(&branches[chosen]);
        }
        let number = self.parts;
        self.parts += 1;
        let spoil = self
            .spoil
            .filter(|(part, _)| *part == number)
            .map(|(_, spoil)| spoil);
        if let Some(constant) = schema.get("const").and_then(Schema::as_i64) {
            return self.or_nothing(Value::from(constant), spoil);
        }
        if let Some(words) = schema.get("enum").and_then(Schema::as_array) {
            let chosen = self.below(words.len());
            return self.or_nothing(Value::from(words[chosen].as_str().unwrap()), spoil);
        }
        let written = match schema.get("type").and_then(Schema::as_str) {
            // Whatever stands there is right.
            None => return Value::from("a"),
            Some("string") => Value::from("a"),
            Some("boolean") => Value::from(self.below(2) == 0),
            Some("integer" | "number") => Value::from(1_i64),
            Some("array") => {
                let count = self.below(3);
                Value::array((0..count).map(|_| self.value(&schema["items"])).collect())
            }
            Some("object") => self.table(schema, spoil),
            Some(other) => panic!("no such type: {other}"),
        };
        self.or_nothing(written, spoil)
    }

    fn or_nothing(&mut self, value: Value, spoil: Option<Spoil>) -> Value {
        if spoil == Some(Spoil::Nothing) {
            self.spoiled = true;
            return Value::Null;
        }
        value
    }

    fn table(&mut self, schema: &Schema, spoil: Option<Spoil>) -> Value {
        let mut table = Object::new();
        if let Some(properties) = schema.get("properties").and_then(Schema::as_object) {
            let empty = Vec::new();
            let required = schema
                .get("required")
                .and_then(Schema::as_array)
                .unwrap_or(&empty);
            for (key, property) in properties {
                let needed = required.contains(&Schema::from(key.as_str()));
                if needed || self.below(3) == 0 {
                    let member = self.value(property);
                    if needed && spoil == Some(Spoil::Omit) {
                        self.spoiled = true;
                    } else {
                        table.insert(key.as_str(), member);
                    }
                }
            }
            if spoil == Some(Spoil::Misspell) {
                // The rest of the document stays as it is.
                let chance = self.chance;
                let chosen = self.below(properties.len());
                self.chance = chance;
                let key = properties.keys().nth(chosen).unwrap();
                table.insert(format!("{key}x"), "a");
                self.spoiled = true;
            }
        } else {
            for name in ["a", "b"].into_iter().take(self.below(3)) {
                table.insert(name, self.value(&schema["additionalProperties"]));
            }
        }
        Value::Object(table.into())
    }
}

/// What the reader says, without what it says of names and of keys that do not go together.
fn read_errors(value: &Value) -> BTreeSet<String> {
    let errors = Config::parse("c.json", &json::to_text(value)).err();
    let list = errors.map(|errors| errors.into_list()).unwrap_or_default();
    list.into_iter().map(|error| error.to_string()).collect()
}

fn is_about_shape(error: &str) -> bool {
    let kinds = [
        "unknown key",
        "expected a table",
        "expected a list",
        "expected text",
        "expected true or false",
        "expected a number",
        "expected an integer",
        "missing key",
        "expected 1,",
        "expected one of",
    ];
    kinds.iter().any(|kind| error.contains(kind))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_fits_the_schema_is_read(seed in any::<u64>()) {
        let (value, _) = Writer::write(seed, None);
        let problems = check_value(&config_schema(), &value);
        prop_assert!(problems.is_empty(), "{problems:?} in {}", json::to_text(&value));
        let errors: Vec<String> =
            read_errors(&value).into_iter().filter(|error| is_about_shape(error)).collect();
        prop_assert!(errors.is_empty(), "{errors:?} in {}", json::to_text(&value));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_both(seed in any::<u64>(), part in any::<usize>(), how in 0..3_usize) {
        let spoil = [Spoil::Misspell, Spoil::Omit, Spoil::Nothing][how];
        let (whole, Writer { parts, .. }) = Writer::write(seed, None);
        let (value, writer) = Writer::write(seed, Some((part % parts, spoil)));
        // A part without keys has none to misspell, and one that needs none, none to leave out.
        prop_assume!(writer.spoiled);
        // A document of nothing sets nothing.
        prop_assume!(!value.is_null());
        let written = json::to_text(&value);
        prop_assert!(!check_value(&config_schema(), &value).is_empty(), "the schema takes {written}");
        let new: Vec<String> = read_errors(&value).difference(&read_errors(&whole)).cloned().collect();
        prop_assert!(!new.is_empty(), "the reader takes {written}");
    }
}
