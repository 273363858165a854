//! `serve --jsonl`: many calls over stdin and stdout, one JSON object a line.
//!
//! A bounded queue feeds a fixed set of threads; answers carry the id of their line and come as they are ready. Every line is
//! answered: a bad one with an error, a line over the size limit without being kept.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use registry::TraceParent;
use tool_core::json::{self, Limits};
use tool_core::{ErrorCode, Object, Outcome, StopFlag, ToolError, Value};

use super::args::Format;
use super::signals::Closing;

/// One call that a line asks for.
pub(super) struct LineCall {
    /// What the client calls it.
    pub id: Option<String>,
    pub tool: String,
    pub args: Value,
    /// The role the line names, already checked against those that were allowed at the start.
    pub role: Option<String>,
    /// The span of the client that the call is part of.
    pub trace: Option<TraceParent>,
}

/// How the door is set up.
pub(super) struct Door {
    /// Roles that a line may name.
    pub roles: Vec<String>,
    /// Threads that run calls.
    pub workers: usize,
    /// Longest line in bytes.
    pub line_bytes_max: usize,
    /// How answers are written: `json` or `npy`.
    pub format: Format,
    /// Stops what runs.
    pub stop: StopFlag,
    /// Says when no further line is read.
    pub closing: Closing,
}

/// Stack of a thread that runs calls.
pub(super) const CALL_STACK_BYTES: usize = 16 << 20;

/// Answers every line of `input` on `output` until the input ends; false when the output was closed before.
///
/// # Errors
/// When the input cannot be read, the output not written though somebody may still read it, or no thread be started.
pub(super) fn serve(
    door: &Door,
    input: impl BufRead,
    output: impl Write + Send,
    call: impl Fn(LineCall, &StopFlag) -> Outcome + Sync,
) -> Result<bool, ToolError> {
    let (queue, lines) = sync_channel::<Line>(door.workers * 2);
    let lines = Mutex::new(lines);
    let output = Mutex::new(output);
    let closed = StopFlag::new();
    let unwritten = Mutex::new(None);
    let work = || {
        while let Some(line) = next(&lines) {
            let answer = answer(door, &line, &call);
            if let Err(err) = write_line(&output, &door.format.line(&answer)) {
                let mut first = unwritten.lock().unwrap_or_else(PoisonError::into_inner);
                *first = first.take().or_else(|| super::unwritable(&err));
                closed.cancel();
                door.closing.close();
                door.stop.cancel();
            }
        }
    };
    let read = std::thread::scope(|scope| {
        for index in 0..door.workers {
            let builder = std::thread::Builder::new()
                .name(format!("call-{index}"))
                .stack_size(CALL_STACK_BYTES);
            let started = builder.spawn_scoped(scope, work);
            started.map_err(|err| failed("no thread could be started", &err))?;
        }
        // Dropping the queue at the end lets the threads finish what is in it.
        let queue = queue;
        read_lines(door, input, &queue).map_err(|err| failed("stdin cannot be read", &err))
    });
    let unwritten = unwritten.into_inner();
    match unwritten.unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => read.map(|()| !closed.is_set()),
    }
}

pub(super) fn failed(what: &str, err: &io::Error) -> ToolError {
    ToolError::new(ErrorCode::ToolError, format_args!("{what}: {err}")).reason("io")
}

/// One line of input, as far as it was kept.
pub(super) enum Line {
    Text { number: u64, bytes: Vec<u8> },
    TooLong { number: u64 },
}

impl Line {
    /// Whether the input ended within it.
    pub(super) fn is_part(&self) -> bool {
        match self {
            Self::Text { bytes, .. } => bytes.last() != Some(&b'\n'),
            Self::TooLong { .. } => false,
        }
    }
}

fn next(lines: &Mutex<Receiver<Line>>) -> Option<Line> {
    lines
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .recv()
        .ok()
}

fn read_lines(door: &Door, mut input: impl BufRead, queue: &SyncSender<Line>) -> io::Result<()> {
    let mut number = 0;
    loop {
        number += 1;
        let Some(line) = read_line(&mut input, number, door.line_bytes_max)? else {
            return Ok(());
        };
        if line.is_part() && door.closing.is_closed() {
            return Ok(());
        }
        if matches!(&line, Line::Text { bytes, .. } if bytes.iter().all(u8::is_ascii_whitespace)) {
            continue;
        }
        if queue.send(line).is_err() {
            return Ok(());
        }
    }
}

/// Lines that grow beyond this many bytes get room for the longest.
const LONG: usize = if cfg!(test) { 100 } else { 1 << 20 };
/// Most room that is made at once.
const ROOM_MAX: usize = 1 << 30;

/// Reads to the end of the line, keeping at most `bytes_max` bytes.
pub(super) fn read_line(
    input: &mut impl BufRead,
    number: u64,
    bytes_max: usize,
) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    let mut any = false;
    let mut too_long = false;
    loop {
        let available = match input.fill_buf() {
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if available.is_empty() {
            break;
        }
        any = true;
        let end = available.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        if bytes.len() + taken > bytes_max.saturating_add(1) {
            too_long = true;
            bytes = Vec::new();
        } else if !too_long {
            if bytes.len() + taken > bytes.capacity() && bytes.len() > LONG {
                // Room for all that may come costs addresses, but no memory before it is used; without it the line is moved as it grows.
                let most = bytes_max.saturating_add(1).min(ROOM_MAX);
                let _ = bytes.try_reserve_exact(most.saturating_sub(bytes.len()));
            }
            bytes.extend_from_slice(&available[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            break;
        }
    }
    Ok(match (any, too_long) {
        (false, _) => None,
        (true, true) => Some(Line::TooLong { number }),
        (true, false) => Some(Line::Text { number, bytes }),
    })
}

fn answer(
    door: &Door,
    line: &Line,
    call: &(impl Fn(LineCall, &StopFlag) -> Outcome + Sync),
) -> Value {
    let (number, parsed) = match line {
        Line::TooLong { number } => {
            let err = ToolError::new(
                ErrorCode::LimitExceeded,
                format_args!("the line is longer than {} bytes", door.line_bytes_max),
            )
            .hint("raise `limits.max_input_bytes`, or pass large arrays as {\"$file\": ...}");
            (*number, Err((Value::Null, err)))
        }
        Line::Text { number, bytes } => (*number, parse(door, bytes)),
    };
    let (id, outcome) = match parsed {
        Ok((id, line_call)) => (id, call(line_call, &door.stop)),
        Err((id, err)) => {
            let mut outcome = Outcome::error(err);
            outcome.metadata.insert("line", number);
            (id, outcome)
        }
    };
    let mut envelope = Object::new();
    envelope.insert("id", id);
    for (key, value) in outcome
        .to_value()
        .as_object()
        .into_iter()
        .flat_map(Object::iter)
    {
        envelope.insert(key, value.clone());
    }
    Value::Object(Arc::new(envelope))
}

/// What a line may have.
const KEYS: [&str; 5] = ["id", "tool", "args", "role", "traceparent"];

fn parse(door: &Door, bytes: &[u8]) -> Result<(Value, LineCall), (Value, ToolError)> {
    let limits = Limits {
        bytes_max: door.line_bytes_max,
        ..Limits::default()
    };
    let value = json::parse_bytes(bytes, limits).map_err(|err| (Value::Null, err.into()))?;
    let invalid =
        |path: &str, message: String| ToolError::new(ErrorCode::InvalidRequest, message).at(path);
    let Some(object) = value.as_object() else {
        return Err((
            Value::Null,
            invalid("", format!("expected an object, found {}", value.kind()))
                .hint("send {\"id\":1,\"tool\":\"statistics\",\"args\":{...}}"),
        ));
    };
    let id = object.get("id").cloned().unwrap_or_default();
    if !matches!(
        id,
        Value::Null | Value::String(_) | Value::Int(_) | Value::Float(_)
    ) {
        return Err((
            Value::Null,
            invalid(
                "/id",
                format!("expected a text or a number, found {}", id.kind()),
            ),
        ));
    }
    if let Some((unknown, _)) = object.iter().find(|(key, _)| !KEYS.contains(key)) {
        return Err((
            id,
            invalid(
                &format!("/{unknown}"),
                format!(
                    "unknown key `{unknown}`; a line has `{}`",
                    KEYS.join("`, `")
                ),
            ),
        ));
    }
    let Some(tool) = object.get("tool").and_then(Value::as_str) else {
        return Err((
            id,
            invalid("/tool", "expected `tool`, the name of a tool".to_owned()),
        ));
    };
    let role = match object.get("role") {
        None | Some(Value::Null) => None,
        Some(Value::String(role)) if door.roles.iter().any(|allowed| **allowed == **role) => {
            Some(role.to_string())
        }
        Some(Value::String(role)) => {
            let err = ToolError::new(
                ErrorCode::PolicyDenied,
                format_args!("a line may not name the role `{role}`"),
            )
            .reason("role")
            .at("/role");
            return Err((id, err.hint("start with --roles to allow it")));
        }
        Some(other) => {
            return Err((
                id,
                invalid(
                    "/role",
                    format!("expected the name of a role, found {}", other.kind()),
                ),
            ));
        }
    };
    let trace = match object.get("traceparent") {
        None | Some(Value::Null) => None,
        // One that is malformed is ignored, as W3C Trace Context says.
        Some(Value::String(text)) => TraceParent::parse(text),
        Some(other) => {
            let message = format!("expected a text, found {}", other.kind());
            return Err((id, invalid("/traceparent", message)));
        }
    };
    let client_id = match &id {
        Value::Null => None,
        Value::String(text) => Some(text.to_string()),
        number => Some(number.to_string()),
    };
    let args = object
        .get("args")
        .cloned()
        .unwrap_or_else(|| Value::object::<&str, Value>([]));
    Ok((
        id,
        LineCall {
            id: client_id,
            tool: tool.to_owned(),
            args,
            role,
            trace,
        },
    ))
}

fn write_line(output: &Mutex<impl Write>, text: &str) -> io::Result<()> {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(text.as_bytes())?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn run(input: &str, line_bytes_max: usize) -> HashMap<String, Value> {
        let door = Door {
            roles: vec!["worker_math".into()],
            workers: 3,
            line_bytes_max,
            stop: StopFlag::new(),
            closing: Closing::on_signal(&StopFlag::new()).expect("a bell"),
            format: Format::Json,
        };
        let mut output = Vec::new();
        let open = serve(&door, input.as_bytes(), &mut output, |call, _| {
            let mut outcome = Outcome::error(ToolError::new(ErrorCode::UnknownTool, call.tool));
            outcome.metadata.insert("role", call.role);
            let span = call.trace.map(|trace| trace.span().to_owned());
            outcome.metadata.insert("span", span);
            outcome
        });
        assert!(open.expect("reads"));
        let text = String::from_utf8(output).expect("UTF-8");
        text.lines()
            .map(|line| json::parse(line, Limits::default()).expect("JSON"))
            .map(|answer| {
                let line = answer
                    .pointer("/metadata/line")
                    .map(|line| format!("line {line}"));
                (
                    line.unwrap_or_else(|| answer.get("id").expect("an id").to_string()),
                    answer,
                )
            })
            .collect()
    }

    #[test]
    fn every_line_is_answered_with_its_id() {
        let long = "x".repeat(400);
        let answers = run(
            &format!(
                "{{\"id\":1,\"tool\":\"a\",\"args\":{{}}}}\n\ngarbage\n{{\"id\":\"two\",\"tool\":\"b\",\"role\":\"worker_math\"}}\n{{\"id\":3,\"tool\":\"c\",\"role\":\"operator\"}}\n{{\"id\":4}}\n{{\"id\":5,\"tool\":\"d\",\"extra\":1}}\n{long}\n[1]\n{{\"id\":6,\"tool\":\"last\"}}\n{{\"id\":7,\"tool\":\"e\",\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}}\n{{\"id\":8,\"tool\":\"f\",\"traceparent\":\"00-0\"}}\n{{\"id\":9,\"tool\":\"g\",\"traceparent\":1}}"
            ),
            200,
        );
        assert_eq!(answers.len(), 12);
        let code = |key: &str| {
            answers[key]
                .pointer("/error/code")
                .expect(key)
                .as_str()
                .expect("a text")
                .to_owned()
        };
        assert_eq!(code("1"), "unknown_tool");
        assert_eq!(code("line 3"), "invalid_request");
        assert_eq!(
            answers["\"two\""].pointer("/metadata/role"),
            Some(Value::from("worker_math"))
        );
        for (id, expected) in [
            ("line 5", "policy_denied"),
            ("line 6", "invalid_request"),
            ("line 7", "invalid_request"),
            ("line 8", "limit_exceeded"),
            ("line 9", "invalid_request"),
            ("6", "unknown_tool"),
            ("line 13", "invalid_request"),
        ] {
            assert_eq!(code(id), expected, "{id}");
        }
        let span = |id: &str| answers[id].pointer("/metadata/span");
        assert_eq!(span("7"), Some(Value::from("b7ad6b7169203331")));
        assert_eq!(span("8"), Some(Value::Null), "a malformed one is ignored");
    }
}
