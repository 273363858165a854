//! Keywords of arrays and objects.

use tool_core::Object;

use super::validator::{PlacePair, SchemaValidator};
use crate::prelude::*;

impl SchemaValidator<'_> {
    pub(super) fn array(
        &mut self,
        value: &Value,
        schema: &Object,
        keyword: &str,
        wanted: &Value,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        let Some(items) = value.items() else {
            return Ok(true);
        };
        let mut fits = true;
        match keyword {
            "prefixItems" => {
                let schemas = wanted.items().unwrap_or_default();
                for (index, (item, one)) in items.iter().zip(&schemas).enumerate() {
                    let index = index.to_string();
                    fits &= self.below(item, one, &[keyword, &index], Some(&index), places)?;
                }
            }
            "items" => {
                let first = schema
                    .get("prefixItems")
                    .and_then(Value::items)
                    .map_or(0, |items| items.len());
                for (index, item) in items.iter().enumerate().skip(first) {
                    fits &=
                        self.below(item, wanted, &[keyword], Some(&index.to_string()), places)?;
                }
            }
            "contains" => {
                let mut found = 0;
                for item in &items {
                    found += usize::from(self.fits_quietly(item, wanted, &[keyword], places)?);
                }
                let bound = |key: &str, default: f64| {
                    schema.get(key).and_then(Value::as_f64).unwrap_or(default)
                };
                let (least, most) = (
                    bound("minContains", 1.0),
                    bound("maxContains", f64::INFINITY),
                );
                if (found as f64) < least || found as f64 > most {
                    fits = self.fault(places, keyword, format!("{found} items fit"));
                }
            }
            "uniqueItems" => {
                let mut texts: Vec<String> =
                    items.iter().map(tool_core::json::canonical_json).collect();
                texts.sort_unstable();
                if *wanted == Value::Bool(true) && texts.windows(2).any(|pair| pair[0] == pair[1]) {
                    fits = self.fault(places, keyword, "two items are equal".to_owned());
                }
            }
            _ => fits = self.count(items.len(), "items", keyword, wanted, places)?,
        }
        Ok(fits)
    }

    pub(super) fn members(
        &mut self,
        value: &Value,
        schema: &Object,
        keyword: &str,
        wanted: &Value,
        places: &mut PlacePair,
    ) -> Result<bool, ToolError> {
        let Some(object) = value.as_object() else {
            return Ok(true);
        };
        let entries = || wanted.as_object().into_iter().flat_map(Object::iter);
        let missing = |key: &Value| {
            key.as_str()
                .filter(|key| object.get(key).is_none())
                .map(str::to_owned)
        };
        let mut fits = true;
        match keyword {
            "required" => {
                for key in wanted
                    .items()
                    .unwrap_or_default()
                    .iter()
                    .filter_map(missing)
                {
                    fits = self.fault(places, keyword, format!("the member `{key}` is missing"));
                }
            }
            "properties" => {
                for (key, one) in entries() {
                    if let Some(member) = object.get(key) {
                        fits &= self.below(member, one, &[keyword, key], Some(key), places)?;
                    }
                }
            }
            "patternProperties" => {
                for (pattern, one) in entries() {
                    for (key, member) in object.iter() {
                        if self.matches(pattern, key) {
                            fits &=
                                self.below(member, one, &[keyword, pattern], Some(key), places)?;
                        }
                    }
                }
            }
            "additionalProperties" => {
                for (key, member) in object.iter() {
                    if !self.is_named(schema, key) {
                        fits &= match wanted {
                            Value::Bool(false) => self.fault(
                                places,
                                keyword,
                                format!("the member `{key}` is not allowed"),
                            ),
                            one => self.below(member, one, &[keyword], Some(key), places)?,
                        };
                    }
                }
            }
            "propertyNames" => {
                for (key, _) in object.iter() {
                    fits &= self.below(&Value::from(key), wanted, &[keyword], Some(key), places)?;
                }
            }
            "dependentRequired" => {
                for (key, others) in entries().filter(|(key, _)| object.get(key).is_some()) {
                    for other in others
                        .items()
                        .unwrap_or_default()
                        .iter()
                        .filter_map(missing)
                    {
                        fits = self.fault(
                            places,
                            keyword,
                            format!("`{key}` needs the member `{other}`"),
                        );
                    }
                }
            }
            "dependentSchemas" => {
                for (key, one) in entries().filter(|(key, _)| object.get(key).is_some()) {
                    fits &= self.below(value, one, &[keyword, key], None, places)?;
                }
            }
            _ => fits = self.count(object.len(), "members", keyword, wanted, places)?,
        }
        Ok(fits)
    }

    /// Whether `properties` or `patternProperties` names a member.
    fn is_named(&self, schema: &Object, key: &str) -> bool {
        let named = schema.get("properties");
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let mut patterns = patterns.into_iter().flat_map(Object::iter);
        named.is_some_and(|named| named.get(key).is_some())
            || patterns.any(|(pattern, _)| self.matches(pattern, key))
    }
}
