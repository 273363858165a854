//! Documents as typed values: [`read_typed`] checks a text against the schema that its type derives, reports every problem with its
//! place, and reads what is sound.
//!
//! A type learns where it was written through two hidden fields, `$place: Option<Place>` and, for a member of a table whose names
//! the author chooses, `$name: String`. A text with a place, such as a selector, is a type whose schema says `x-place`.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tool_core::convert::{from_value, to_value};
use tool_core::schema::{self, Schema};
use tool_core::{Decode, Describe, Object, RequestProblem, Value, path};

use super::ParsedDocument;
use crate::error::LoadError;

/// The hidden field that holds where a table was written.
const PLACE: &str = "$place";
/// The hidden field that holds the key of a table in the table around it.
const NAME: &str = "$name";
/// Marks the schema of a text that is read together with its place.
const MARK: &str = "x-place";

/// The schemas of one type.
struct DocumentSchemas {
    /// With the hidden fields.
    marked: Schema,
    /// As editors see it and documents are checked.
    public: Schema,
}

/// The JSON Schema of the documents that a type reads.
pub fn schema_of<T: Describe + 'static>() -> Schema {
    cached_schemas::<T>().public.clone()
}

/// Schemas are made once for each type.
fn cached_schemas<T: Describe + 'static>() -> Arc<DocumentSchemas> {
    static MADE: LazyLock<Mutex<HashMap<TypeId, Arc<DocumentSchemas>>>> =
        LazyLock::new(Mutex::default);
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = made.entry(TypeId::of::<T>()).or_insert_with(|| {
        let marked = schema::of_document::<T>();
        let mut public = marked.clone();
        publish_schema(&mut public);
        Arc::new(DocumentSchemas { marked, public })
    });
    Arc::clone(entry)
}

/// Takes out of a schema what only [`read_typed`] uses, and defaults that say nothing.
fn publish_schema(schema: &mut Schema) {
    match schema {
        Schema::Object(members) => {
            members.retain(|key, value| match (key.as_str(), &value) {
                (PLACE | NAME | MARK | "format", _) => false,
                ("default", Schema::Null) => false,
                ("default", Schema::Array(items)) => !items.is_empty(),
                ("default", Schema::Object(members)) => !members.is_empty(),
                ("default", Schema::String(text)) => !text.is_empty(),
                _ => true,
            });
            members.values_mut().for_each(publish_schema);
        }
        Schema::Array(items) => items.iter_mut().for_each(publish_schema),
        _ => {}
    }
}

/// Reads a document. Every problem is added to the errors; what has none is read all the same, so that later checks report theirs
/// too. `None` where too little is left.
pub fn read_typed<T: Decode + Describe + 'static>(
    document: &ParsedDocument,
    errors: &mut Vec<LoadError>,
) -> Option<T> {
    let schemas = cached_schemas::<T>();
    let problems = schema::check_document(&schemas.public, &document.value);
    let sound = problems.is_empty();
    report_problems(document, problems, errors);
    let value = fill_hidden_fields(document, &schemas.marked)?;
    match from_value(&value) {
        Ok(read) => Some(read),
        Err(problem) => {
            // Anything beyond the schema, such as a number that is too large for its type.
            if sound {
                report_problems(document, vec![problem], errors);
            }
            None
        }
    }
}

/// Adds problems with the places of their pointers.
pub fn report_problems(
    document: &ParsedDocument,
    problems: Vec<RequestProblem>,
    errors: &mut Vec<LoadError>,
) {
    let pointers: Vec<&str> = problems.iter().map(|one| one.path.as_str()).collect();
    let places = document.locate_all(&pointers);
    for (problem, (line, column)) in problems.iter().zip(places) {
        let place = document.at(line, column);
        let mut error = LoadError::new(Some(&place), &problem.message).at(&problem.path);
        error.hint.clone_from(&problem.hint);
        errors.push(error);
    }
}

/// A value as [`ParsedDocument::value`] with the hidden fields filled in; parts that do not fit the schema are left out.
fn fill_hidden_fields(document: &ParsedDocument, schema: &Schema) -> Option<Value> {
    // Once to collect the pointers, so that the text is looked at once for all of them, and once to fill in their places.
    let mut pointers = Vec::new();
    let mut collect = |pointer: &str| {
        pointers.push(pointer.to_owned());
        Value::Null
    };
    SchemaWalk::new(&mut collect).value(schema, &document.value)?;
    let pointers: Vec<&str> = pointers.iter().map(String::as_str).collect();
    let mut places = document.locate_all(&pointers).into_iter();
    let mut fill = |_: &str| {
        let (line, column) = places.next().unwrap_or((1, 1));
        to_value(&document.at(line, column)).unwrap_or_default()
    };
    SchemaWalk::new(&mut fill).value(schema, &document.value)
}

/// A walk along a schema that gives the parts of a value that fit it.
struct SchemaWalk<'a> {
    pointer: String,
    place: &'a mut dyn FnMut(&str) -> Value,
}

impl<'a> SchemaWalk<'a> {
    fn new(place: &'a mut dyn FnMut(&str) -> Value) -> Self {
        Self {
            pointer: String::new(),
            place,
        }
    }

    fn value(&mut self, schema: &Schema, value: &Value) -> Option<Value> {
        let fits = |schema: &Schema| schema::check_document(schema, value).is_empty();
        if let Some(branches) = schema.get("anyOf").or(schema.get("oneOf")) {
            let branches = branches.as_array()?;
            return match branches.iter().find(|branch| fits(branch)) {
                Some(branch) => self.value(branch, value),
                None => branches.iter().find_map(|branch| self.value(branch, value)),
            };
        }
        let is = |name: &str| schema.get("type").is_some_and(|found| found == name);
        match value {
            Value::Object(members)
                if is("object") && schema.get("additionalProperties").is_some() =>
            {
                self.table(schema, members)
            }
            Value::Array(_) | Value::Numbers(_) if is("array") && schema.get("items").is_some() => {
                let most = schema.get("maxItems").and_then(Schema::as_u64);
                let items = value.items()?;
                if most.is_some_and(|most| items.len() as u64 > most) {
                    return None;
                }
                let items = items.iter().enumerate().filter_map(|(index, item)| {
                    let length = self.pointer.len();
                    path::push_index(&mut self.pointer, index);
                    let item = self.value(&schema["items"], item);
                    self.pointer.truncate(length);
                    item
                });
                Some(Value::Array(items.collect::<Vec<_>>().into()))
            }
            _ if !fits(schema) => None,
            text if schema.get(MARK).is_some() => {
                let place = (self.place)(&self.pointer);
                Some(Value::object([("text", text.clone()), ("place", place)]))
            }
            _ => Some(value.clone()),
        }
    }

    fn table(&mut self, schema: &Schema, members: &Object) -> Option<Value> {
        let properties = schema.get("properties").and_then(Schema::as_object);
        let has = |schema: &Schema, key: &str| schema["properties"].get(key).is_some();
        let other = schema
            .get("additionalProperties")
            .filter(|one| one.is_object());
        let mut table = Object::new();
        if has(schema, PLACE) {
            table.insert(PLACE, (self.place)(&self.pointer));
        }
        for (key, member) in members.iter() {
            let known = properties.and_then(|known| known.get(key));
            let Some(inner) = known.or(other).filter(|_| key != PLACE && key != NAME) else {
                continue;
            };
            let length = self.pointer.len();
            path::push_key(&mut self.pointer, key);
            let mut fitting = self.value(inner, member);
            self.pointer.truncate(length);
            if known.is_none()
                && has(inner, NAME)
                && let Some(Value::Object(found)) = &mut fitting
            {
                Arc::make_mut(found).insert(NAME, key);
            }
            if let Some(fitting) = fitting {
                table.insert(key, fitting);
            }
        }
        let required = schema.get("required").and_then(Schema::as_array);
        let mut required = required.into_iter().flatten().filter_map(Schema::as_str);
        // The type decides whether it can do without what a whole document lacks.
        (self.pointer.is_empty() || required.all(|key| table.get(key).is_some()))
            .then(|| Value::Object(table.into()))
    }
}

#[cfg(test)]
mod tests {
    use tool_core::Decode;

    use super::*;
    use crate::document::parse_yaml;
    use crate::error::TextPlace;
    use crate::model::{NamedTable, OneOrMany};

    #[derive(Debug, Default, Decode, Describe)]
    #[value(default)]
    struct House {
        /// Rooms by name.
        rooms: NamedTable<Room>,
        colours: Option<OneOrMany>,
        #[schema(range(min = 1))]
        floors: Option<u64>,
    }

    #[derive(Debug, Decode, Describe)]
    struct Room {
        #[value(rename = "$name", default)]
        name: String,
        #[value(rename = "$place")]
        place: Option<TextPlace>,
        doors: u64,
    }

    #[test]
    fn what_is_sound_is_read_with_names_and_places_beside_every_problem() {
        let text = "rooms:\n  hall: {doors: 2}\n  bath: {dors: 1}\n  attic: {doors: 0, $place: 3}\n\
                    colours: red\nfloors: 0\nflors: 1\n";
        let mut errors = Vec::new();
        let house: House = read_typed(&parse_yaml(text).unwrap(), &mut errors).unwrap();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "yaml:3:3: missing key `doors`",
                "yaml:3:10: unknown key `dors` (did you mean `doors`?)",
                "yaml:4:21: unknown key `$place`",
                "yaml:6:1: expected an integer of at least 1, found the integer 0",
                "yaml:7:1: unknown key `flors` (did you mean `floors`?)",
            ]
        );
        let rooms: Vec<_> = house
            .rooms
            .iter()
            .map(|room| (room.name.as_str(), room.doors))
            .collect();
        assert_eq!(rooms, [("hall", 2), ("attic", 0)]);
        assert_eq!(
            house.rooms[1].place.as_ref().map(|place| place.line),
            Some(4)
        );
        assert_eq!(
            house.colours.map(|colours| colours.0),
            Some(vec!["red".to_owned()])
        );
        assert_eq!(house.floors, None);
        let schema = schema_of::<House>().to_string();
        assert!(
            !schema.contains("$place") && schema.contains("Rooms by name."),
            "{schema}"
        );
    }
}
