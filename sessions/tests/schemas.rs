//! The published schemas are what the code says, and what it writes fits them.

use sessions::{Emitted, Event, Record, schema};
use tool_core::json::{self, JsonLimits};
use tool_core::{ErrorCode, Value};

use super::{OPENED, READY, RUN};
use crate::golden::compare;

#[test]
fn the_published_schemas_are_those_of_the_code() {
    for (path, schema) in [
        (
            "../docs/schema/session-event.json",
            schema::event_line_schema(),
        ),
        (
            "../docs/schema/session-output.json",
            schema::output_line_schema(),
        ),
    ] {
        compare(path, &format!("{schema:#}\n"));
    }
}

#[test]
fn every_line_of_a_log_fits_the_schema_and_reads_back() {
    let (event, output) = (schema::event_line_schema(), schema::output_line_schema());
    let mut kinds = std::collections::BTreeSet::new();
    for line in include_str!("golden/session.jsonl").lines() {
        let value = json::parse_json(line, JsonLimits::default()).unwrap();
        assert_eq!(
            tool_core::schema::check_value(&output, &value),
            [],
            "{line}"
        );
        let kind = value
            .get("type")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned();
        let again = match Emitted::TYPES.contains(&kind.as_str()) {
            true => Emitted::from_value(&value).unwrap().to_value(),
            false => Record::from_value(&value).unwrap().to_value(),
        };
        assert_eq!(json::to_text(&again.unwrap()), line);
        if let Some(applied) = value.get("event") {
            assert_eq!(
                tool_core::schema::check_value(&event, applied),
                [],
                "{line}"
            );
        }
        kinds.insert(kind);
    }
    assert!(
        Emitted::TYPES.iter().all(|kind| kinds.contains(*kind)),
        "{kinds:?}"
    );
}

#[test]
fn documents_are_closed() {
    let event = schema::event_line_schema();
    for text in [
        r#"{"type":"run.requested","extra":1}"#,
        r#"{"type":"run.request"}"#,
        r#"{"type":"run.requested","run":7}"#,
        r#"{"run":"x"}"#,
        r#"[1]"#,
        r#""run.requested""#,
        r#"{"type":"workspace.changed","id":"w","status":"none"}"#,
        r#"{"type":"calls.observed"}"#,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"x","args":{},"id":1}]}"#,
        r#"{"type":"call.settled","call_id":"a","status":"rejected"}"#,
        r#"{"type":"generate.requested"}"#,
    ] {
        let value = json::parse_json(text, JsonLimits::default()).unwrap();
        let err = Event::from_value(&value).unwrap_err();
        assert_eq!(err.code(), ErrorCode::InvalidRequest, "{text}");
        assert_ne!(tool_core::schema::check_value(&event, &value), [], "{text}");
    }
    for text in [OPENED, READY, RUN] {
        let value = json::parse_json(text, JsonLimits::default()).unwrap();
        assert_eq!(tool_core::schema::check_value(&event, &value), [], "{text}");
    }
}
