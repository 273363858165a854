//! [`SchemaValidator`]: a value against a checked schema.

use tool_core::{Object, path, tool_error};

use super::SchemaFault;
use super::schema::{CheckedSchema, DEPTH_MAX, number_of, schema_error};
use crate::prelude::*;

/// Most steps, each a schema applied to a value.
const STEPS_MAX: u64 = 20_000_000;
/// Steps that are free: beyond them each schema may look at each place of the value once, and one that refers to itself twice looks at places
/// again and again.
const STEPS_FREE: u64 = 100_000;

/// Where the value and the schema stand.
#[derive(Default)]
pub(super) struct PlacePair {
    value: String,
    schema: String,
    depth: usize,
}

pub(super) struct SchemaValidator<'a> {
    schema: &'a CheckedSchema<'a>,
    ctx: &'a Ctx,
    steps: u64,
    steps_max: u64,
    most: usize,
    faults: Vec<SchemaFault>,
}

/// Places in a value: itself, its items and members, at any depth.
fn place_count(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(place_count).sum::<u64>(),
        Value::Numbers(numbers) => 1 + numbers.as_slice().len() as u64,
        Value::Object(object) => {
            1 + object
                .iter()
                .map(|(_, member)| 1 + place_count(member))
                .sum::<u64>()
        }
        _ => 1,
    }
}

impl<'a> SchemaValidator<'a> {
    /// A validator that keeps so many faults.
    pub(super) fn new(
        schema: &'a CheckedSchema<'a>,
        data: &Value,
        most: usize,
        ctx: &'a Ctx,
    ) -> Self {
        let needed = place_count(data).saturating_mul(schema.count);
        Self {
            schema,
            ctx,
            steps: 0,
            steps_max: needed.saturating_add(STEPS_FREE).min(STEPS_MAX),
            most,
            faults: Vec::new(),
        }
    }

    /// Whether the whole value fits the whole schema.
    pub(super) fn check_root(&mut self, data: &Value, schema: &Value) -> Result<bool, ToolError> {
        self.check(data, schema, &mut PlacePair::default())
    }

    /// What did not fit.
    pub(super) fn into_faults(self) -> Vec<SchemaFault> {
        self.faults
    }

    pub(super) fn fault(&mut self, places: &PlacePair, keyword: &str, message: String) -> bool {
        if self.faults.len() < self.most {
            self.faults.push(SchemaFault {
                path: places.value.clone(),
                keyword: format!("{}/{keyword}", places.schema),
                message,
            });
        }
        false
    }

    /// Whether a value fits, with its faults kept.
    fn check(
        &mut self,
        value: &Value,
        schema: &Value,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        self.steps += 1;
        if self.steps.is_multiple_of(1024) {
            self.ctx.check()?;
        }
        if self.steps > self.steps_max {
            return Err(tool_error!(LimitExceeded at "/schema", "steps";
                "the check takes more than {} steps", self.steps_max;
                "schemas that lie in each other several times over multiply: refer to each of them once, or split the value"));
        }
        if places.depth > DEPTH_MAX {
            return Err(tool_error!(LimitExceeded at "/schema", "depth";
                "the check goes more than {DEPTH_MAX} schemas deep at `{}`", places.value;
                "mend the `$ref` that leads back to itself, or nest the value less"));
        }
        let object = match schema {
            Value::Bool(true) => return Ok(true),
            Value::Bool(false) => {
                return Ok(self.fault(places, "", "nothing is allowed here".to_owned()));
            }
            Value::Object(object) => object,
            other => {
                return Err(schema_error(
                    &places.schema,
                    format_args!("expected an object, true or false, found {}", other.kind()),
                    "see json-schema.org",
                ));
            }
        };
        places.depth += 1;
        let mut fits = true;
        for (keyword, wanted) in object.iter() {
            fits &= self.keyword(value, object, keyword, wanted, places)?;
        }
        places.depth -= 1;
        Ok(fits)
    }

    /// Checks below a step into the schema, and into the value where a key or index is given.
    pub(super) fn below(
        &mut self,
        value: &Value,
        schema: &Value,
        steps: &[&str],
        key: Option<&str>,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        let lengths = (places.value.len(), places.schema.len());
        steps
            .iter()
            .for_each(|step| path::push_key(&mut places.schema, step));
        if let Some(key) = key {
            path::push_key(&mut places.value, key);
        }
        let fits = self.check(value, schema, places);
        places.value.truncate(lengths.0);
        places.schema.truncate(lengths.1);
        fits
    }

    /// As [`SchemaValidator::below`], without keeping faults.
    pub(super) fn fits_quietly(
        &mut self,
        value: &Value,
        schema: &Value,
        steps: &[&str],
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        let kept = self.faults.len();
        let fits = self.below(value, schema, steps, None, places);
        self.faults.truncate(kept);
        fits
    }

    fn keyword(
        &mut self,
        value: &Value,
        schema: &Object,
        keyword: &str,
        wanted: &Value,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        match keyword {
            "$ref" | "allOf" | "anyOf" | "oneOf" | "not" | "if" => {
                self.combine(value, schema, keyword, wanted, places)
            }
            "type" | "enum" | "const" => self.kind(value, keyword, wanted, places),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                self.number(value, keyword, wanted, places)
            }
            "minLength" | "maxLength" | "pattern" => self.text(value, keyword, wanted, places),
            "items" | "prefixItems" | "contains" | "minItems" | "maxItems" | "uniqueItems" => {
                self.array(value, schema, keyword, wanted, places)
            }
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "dependentRequired"
            | "dependentSchemas" => self.members(value, schema, keyword, wanted, places),
            // Other keywords are annotations by the standard.
            _ => Ok(true),
        }
    }

    fn combine(
        &mut self,
        value: &Value,
        schema: &Object,
        keyword: &str,
        wanted: &Value,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        let list = || wanted.items().filter(|items| !items.is_empty());
        let malformed = |what: &str, places: &PlacePair| {
            schema_error(
                &format!("{}/{keyword}", places.schema),
                format_args!("expected {what}, found {}", wanted.kind()),
                "see json-schema.org",
            )
        };
        match keyword {
            "$ref" => {
                let reference = wanted.as_str().ok_or_else(|| malformed("a text", places))?;
                let place = format!("{}/$ref", places.schema);
                let target = self.schema.target(reference, &place)?;
                self.below(value, &target, &["$ref"], None, places)
            }
            "not" => match self.fits_quietly(value, wanted, &["not"], places)? {
                true => Ok(self.fault(places, "not", "the value fits what it must not".to_owned())),
                false => Ok(true),
            },
            "if" => {
                let branch = if self.fits_quietly(value, wanted, &["if"], places)? {
                    "then"
                } else {
                    "else"
                };
                match schema.get(branch) {
                    Some(next) => self.below(value, next, &[branch], None, places),
                    None => Ok(true),
                }
            }
            _ => {
                let schemas = list().ok_or_else(|| malformed("a list of schemas", places))?;
                let mut count = 0;
                for (index, one) in schemas.iter().enumerate() {
                    let index = index.to_string();
                    let steps = [keyword, index.as_str()];
                    let fits = match keyword {
                        "allOf" => self.below(value, one, &steps, None, places)?,
                        _ => self.fits_quietly(value, one, &steps, places)?,
                    };
                    count += usize::from(fits);
                }
                let all = schemas.len();
                match keyword {
                    "allOf" => Ok(count == all),
                    "anyOf" if count > 0 => Ok(true),
                    "anyOf" => Ok(self.fault(
                        places,
                        keyword,
                        format!("the value fits none of {all} schemas"),
                    )),
                    _ if count == 1 => Ok(true),
                    _ => Ok(self.fault(
                        places,
                        keyword,
                        format!("the value fits {count} of {all} schemas, expected one"),
                    )),
                }
            }
        }
    }

    fn kind(
        &mut self,
        value: &Value,
        keyword: &str,
        wanted: &Value,
        places: &PlacePair,
    ) -> Result<bool, ToolError> {
        let found = value.kind();
        match keyword {
            "const" if value == wanted => Ok(true),
            "const" => Ok(self.fault(
                places,
                keyword,
                format!("expected {}, found {found}", wanted.kind()),
            )),
            "enum" => match wanted.items().unwrap_or_default().contains(value) {
                true => Ok(true),
                false => Ok(self.fault(
                    places,
                    keyword,
                    format!("{found} is none of the allowed values"),
                )),
            },
            _ => {
                let one = || vec![wanted.clone()];
                let names = match wanted {
                    Value::Array(items) => items.as_ref().clone(),
                    _ => one(),
                };
                let words: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
                match words.iter().any(|word| has_type(value, word)) {
                    true => Ok(true),
                    false => Ok(self.fault(
                        places,
                        keyword,
                        format!("expected {}, found {found}", words.join(" or ")),
                    )),
                }
            }
        }
    }

    fn number(
        &mut self,
        value: &Value,
        keyword: &str,
        wanted: &Value,
        places: &PlacePair,
    ) -> Result<bool, ToolError> {
        let (Some(found), Some(bound)) = (number_of(value), number_of(wanted)) else {
            return Ok(true);
        };
        let (fits, words) = match keyword {
            "minimum" => (found >= bound, "at least"),
            "maximum" => (found <= bound, "at most"),
            "exclusiveMinimum" => (found > bound, "more than"),
            "exclusiveMaximum" => (found < bound, "less than"),
            _ => {
                // Decimals such as 0.3 are multiples of 0.1, though their doubles are not.
                let ratio = found / bound;
                let is_near = (ratio - ratio.round()).abs() <= 1e-9 * ratio.abs().max(1.0)
                    && ratio.is_finite();
                (is_near, "a multiple of")
            }
        };
        match fits {
            true => Ok(true),
            false => Ok(self.fault(
                places,
                keyword,
                format!("expected {words} {wanted}, found {value}"),
            )),
        }
    }

    fn text(
        &mut self,
        value: &Value,
        keyword: &str,
        wanted: &Value,
        places: &PlacePair,
    ) -> Result<bool, ToolError> {
        let Some(text) = value.as_str() else {
            return Ok(true);
        };
        if keyword == "pattern" {
            let pattern = wanted.as_str().unwrap_or_default();
            return match self.matches(pattern, text) {
                true => Ok(true),
                false => Ok(self.fault(
                    places,
                    keyword,
                    format!("the text does not match `{pattern}`"),
                )),
            };
        }
        self.count(text.chars().count(), "characters", keyword, wanted, places)
    }

    /// Whether a text matches a pattern of the schema; reading the schema compiled all of them.
    pub(super) fn matches(&self, pattern: &str, text: &str) -> bool {
        let compiled = self.schema.pattern(pattern);
        compiled.is_some_and(|pattern| pattern.is_match(text))
    }

    /// Checks a count against `min...` or `max...`.
    pub(super) fn count(
        &mut self,
        found: usize,
        what: &str,
        keyword: &str,
        wanted: &Value,
        places: &PlacePair,
    ) -> Result<bool, ToolError> {
        let Some(bound) = wanted.as_f64() else {
            return Ok(true);
        };
        let is_least = keyword.starts_with("min");
        let fits = match is_least {
            true => found as f64 >= bound,
            false => found as f64 <= bound,
        };
        let words = if is_least { "at least" } else { "at most" };
        match fits {
            true => Ok(true),
            false => Ok(self.fault(
                places,
                keyword,
                format!("expected {words} {wanted} {what}, found {found}"),
            )),
        }
    }
}

fn has_type(value: &Value, word: &str) -> bool {
    match word {
        "null" => value.is_null(),
        "boolean" => value.as_bool().is_some(),
        "object" => value.as_object().is_some(),
        "array" => matches!(value, Value::Array(_) | Value::Numbers(_)),
        "string" => value.as_str().is_some(),
        "number" => matches!(value, Value::Int(_) | Value::Float(_)),
        "integer" => match value {
            Value::Int(_) => true,
            Value::Float(number) => number.fract() == 0.0,
            _ => false,
        },
        _ => false,
    }
}
