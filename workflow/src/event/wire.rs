//! Events as JSON, strict in both directions.

use tool_core::convert::{from_value, to_value};
use tool_core::json::JsonLimits;
use tool_core::nearest::nearest_name;
use tool_core::{Decode, Encode, RequestProblem, Value, brief};

use super::{EventPayload, VERSION, WorkflowEvent};
use crate::actor::{EventActor, EventTime};
use crate::fault::WorkflowFault;
use crate::limits::{EVENT_BYTES_MAX, EVENT_DEPTH_MAX};

#[derive(Encode, Decode)]
#[value(deny_unknown_fields)]
struct WireEvent {
    version: Value,
    seq: u64,
    time: EventTime,
    r#type: String,
    actor: EventActor,
    #[value(default, skip_encoding_if = "Option::is_none")]
    reason: Option<String>,
    data: Value,
}

pub(super) fn parse_event_text(text: &str) -> Result<Value, WorkflowFault> {
    let limits = JsonLimits {
        bytes_max: EVENT_BYTES_MAX,
        depth_max: EVENT_DEPTH_MAX,
        ..JsonLimits::default()
    };
    tool_core::json::parse_json(text, limits).map_err(|error| WorkflowFault::Malformed {
        path: "event".to_owned(),
        message: brief::brief_message(error),
    })
}

pub(super) fn write_event(event: &WorkflowEvent) -> Result<Value, WorkflowFault> {
    let wire = WireEvent {
        version: Value::from(VERSION as i64),
        seq: event.seq,
        time: event.time,
        r#type: event.kind().to_owned(),
        actor: event.actor.clone(),
        reason: event.reason.clone(),
        data: event.data.to_value()?,
    };
    to_value(&wire).map_err(|error| WorkflowFault::Malformed {
        path: "event".to_owned(),
        message: brief::brief_message(error),
    })
}

pub(super) fn read_event(value: &Value) -> Result<WorkflowEvent, WorkflowFault> {
    // The version decides how the rest is read, and an unknown type is told as such.
    if let Some(version) = value.get("version")
        && version.as_i64() != Some(VERSION as i64)
    {
        return Err(WorkflowFault::Version {
            found: brief::brief_name(&version.to_string()).into_owned(),
            known: VERSION,
        });
    }
    let wire: WireEvent =
        from_value(value).map_err(|problem| malformed_event_fault("", problem))?;
    let data = EventPayload::from_parts(&wire.r#type, &wire.data)?;
    Ok(WorkflowEvent {
        seq: wire.seq,
        time: wire.time,
        actor: wire.actor,
        reason: wire.reason,
        data,
    })
}

pub(super) fn unknown_event_fault(kind: &str) -> WorkflowFault {
    WorkflowFault::Kind {
        kind: brief::brief_name(kind).into_owned(),
        near: nearest_name(kind, EventPayload::KINDS.iter().copied()),
    }
}

pub(super) fn malformed_event_fault(above: &str, problem: RequestProblem) -> WorkflowFault {
    WorkflowFault::Malformed {
        path: format!("{above}{}", problem.path),
        message: problem.message,
    }
}
