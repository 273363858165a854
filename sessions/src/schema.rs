//! The JSON Schemas of the documents, published in `docs/schema/`.

use serde_json::json;
use tool_core::schema::Schema;

use super::emitted::Emitted;
use super::event::Event;
use super::record::Record;

/// The schema of a line of input: an event.
pub fn event_line_schema() -> Schema {
    one_of(
        "An event of a mathchain session, version 1",
        Event::schemas(),
    )
}

/// The schema of a line of output, which is a line of the log.
pub fn output_line_schema() -> Schema {
    let mut schemas = Record::schemas();
    schemas.extend(Emitted::schemas());
    one_of(
        "A line of the log of a mathchain session, version 1",
        schemas,
    )
}

fn one_of(title: &str, schemas: Vec<Schema>) -> Schema {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "oneOf": schemas,
    })
}
