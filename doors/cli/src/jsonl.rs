//! `serve --jsonl`: many calls over stdin and stdout, one JSON object a line.
//!
//! A bounded queue feeds a fixed set of threads; answers carry the id of their line and are written as soon as they are ready. Every
//! line is answered: an invalid one with an error, one over the size limit without being stored. A call that wants it has lines of progress
//! before its answer.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tool_core::CallOutcome;
use tool_core::ctx::Progress;

use super::answer::CALL_STACK_BYTES;
use super::prelude::*;
use super::signals::ServerClosing;
use mathchain_servers::line::{self, LineCall};

/// Settings of the server.
pub(super) struct JsonlSettings {
    /// Roles that a line may name.
    pub roles: Vec<String>,
    /// Threads that run calls.
    pub workers: usize,
    /// Longest line in bytes.
    pub line_bytes_max: usize,
    /// Format of answers: `json` or `npy`.
    pub format: OutputFormat,
    /// Stops running calls.
    pub stop: StopFlag,
    /// Set when no further line is to be read.
    pub closing: ServerClosing,
}

/// Answers every line of `input` on `output` until the input ends; false when the output was closed before.
///
/// # Errors
/// An input that cannot be read, an output that cannot be written although its reader is there, a thread that cannot be started.
pub(super) fn serve_lines(
    door: &JsonlSettings,
    input: impl BufRead,
    output: impl Write + Send + 'static,
    call: impl Fn(LineCall, &StopFlag, Option<Arc<Progress>>) -> CallOutcome + Sync,
) -> Result<bool> {
    let (queue, lines) = sync_channel::<JsonlLine>(door.workers * 2);
    let lines = Mutex::new(lines);
    let output = Arc::new(Mutex::new(output));
    let closed = StopFlag::new();
    let unwritten = Mutex::new(None);
    let work = || {
        while let Some(line) = next(&lines) {
            let answer = answer_line(door, &line, &output, &call);
            if let Err(err) = write_line(&output, &door.format.line(&answer)) {
                let mut first = unwritten.lock().unwrap_or_else(PoisonError::into_inner);
                *first = first.take().or_else(|| output::stdout_error(&err));
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
            started.map_err(|err| stream_error("cannot start a thread", &err))?;
        }
        // Dropping the queue at the end lets the threads finish its lines.
        let queue = queue;
        read_lines(door, input, &queue).map_err(|err| stream_error("cannot read stdin", &err))
    });
    let unwritten = unwritten.into_inner();
    match unwritten.unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => read.map(|()| !closed.is_set()),
    }
}

pub(super) fn stream_error(what: &str, err: &io::Error) -> ToolError {
    tool_error!(ToolError, "io"; "{what}: {err}")
}

/// The number of threads that run calls: that of an option, else one for each core.
pub(super) fn worker_count(wanted: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(2, usize::from);
    wanted.map_or_else(cores, usize::from)
}

/// The size limit of a line, in bytes.
pub(super) fn line_bytes_max(toolkit: &Toolkit) -> usize {
    let limit = toolkit.config().limits.max_input_bytes;
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// One line of input.
pub(super) struct JsonlLine {
    /// Number from 1.
    pub number: u64,
    /// The text with its end; `None` for a line over the size limit.
    pub bytes: Option<Vec<u8>>,
}

impl JsonlLine {
    /// Whether the input ended before the end of the line.
    pub(super) fn is_part(&self) -> bool {
        let last = self.bytes.as_ref().map(|bytes| bytes.last());
        last.is_some_and(|last| last != Some(&b'\n'))
    }

    /// Whether the line has white space alone.
    pub(super) fn is_empty(&self) -> bool {
        let bytes = self.bytes.as_ref();
        bytes.is_some_and(|bytes| bytes.iter().all(u8::is_ascii_whitespace))
    }
}

fn next(lines: &Mutex<Receiver<JsonlLine>>) -> Option<JsonlLine> {
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    lines.recv().ok()
}

fn read_lines(
    door: &JsonlSettings,
    mut input: impl BufRead,
    queue: &SyncSender<JsonlLine>,
) -> io::Result<()> {
    let mut number = 0;
    loop {
        number += 1;
        let Some(line) = read_line(&mut input, number, door.line_bytes_max)? else {
            return Ok(());
        };
        if line.is_part() && door.closing.is_closed() {
            return Ok(());
        }
        if !line.is_empty() && queue.send(line).is_err() {
            return Ok(());
        }
    }
}

/// Lines longer than this get a buffer for the longest.
const LONG: usize = if cfg!(test) { 100 } else { 1 << 20 };
/// Maximum buffer reserved at once.
const RESERVE_MAX: usize = 1 << 30;

/// Reads to the end of the line, keeping at most `bytes_max` bytes.
pub(super) fn read_line(
    input: &mut impl BufRead,
    number: u64,
    bytes_max: usize,
) -> io::Result<Option<JsonlLine>> {
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
                // Reserving the maximum costs address space but no memory until it is used, and avoids moving the line as it grows.
                let most = bytes_max.saturating_add(1).min(RESERVE_MAX);
                let _ = bytes.try_reserve_exact(most.saturating_sub(bytes.len()));
            }
            bytes.extend_from_slice(&available[..taken]);
        }
        input.consume(taken);
        if end.is_some() {
            break;
        }
    }
    let bytes = (!too_long).then_some(bytes);
    Ok(any.then_some(JsonlLine { number, bytes }))
}

fn answer_line<W: Write + Send + 'static>(
    door: &JsonlSettings,
    line: &JsonlLine,
    output: &Arc<Mutex<W>>,
    call: &(impl Fn(LineCall, &StopFlag, Option<Arc<Progress>>) -> CallOutcome + Sync),
) -> Value {
    let (id, parsed) = match &line.bytes {
        None => (Value::Null, Err(too_long(door.line_bytes_max))),
        Some(bytes) => line::parse_line(
            line::CallOrigin::Lines,
            bytes,
            &door.roles,
            door.line_bytes_max,
        ),
    };
    let progress = |wanted: bool| wanted.then(|| progress_writer(id.clone(), Arc::clone(output)));
    let outcome = parsed.map_or_else(
        |err| {
            let mut outcome = CallOutcome::error(err);
            outcome.metadata.insert("line", line.number);
            outcome
        },
        |line_call| {
            let progress = progress(line_call.progress);
            call(line_call, &door.stop, progress)
        },
    );
    line::line_envelope(id, &outcome)
}

/// Shortest time between two lines of progress of one call.
const PROGRESS_AFTER: Duration = Duration::from_millis(100);

/// Writes the progress of a call: `{"id":..,"progress":{"fraction":..,"message":..}}`.
fn progress_writer<W: Write + Send + 'static>(id: Value, output: Arc<Mutex<W>>) -> Arc<Progress> {
    let last = Mutex::new(None::<Instant>);
    Arc::new(move |fraction, message| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < PROGRESS_AFTER) {
            return;
        }
        *last = Some(Instant::now());
        let progress = object! { "fraction" => fraction, "message" => message };
        let line = object! { "id" => id.clone(), "progress" => progress };
        // While another line is written there is no need to wait. An output that is gone is found by the answer.
        if let Ok(mut output) = output.try_lock() {
            let _ = output.write_all(format!("{line}\n").as_bytes());
            let _ = output.flush();
        }
    })
}

/// The error for a line over the size limit.
pub(super) fn too_long(bytes_max: usize) -> ToolError {
    tool_error!(LimitExceeded, "the line is longer than {bytes_max} bytes")
        .hint("raise `limits.max_input_bytes`, or pass large arrays as {\"$file\": ...}")
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
    use tool_core::json::JsonLimits;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("written").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn progress_precedes_the_answer_where_it_is_wanted() {
        let text = raw("{\"id\":\"a\",\"tool\":\"b\",\"progress\":true}\n", 200);
        let lines: Vec<&str> = text.lines().collect();
        let expected = r#"{"id":"a","progress":{"fraction":0.25,"message":"begun"}}"#;
        assert_eq!((lines[0], lines.len()), (expected, 2), "{text}");
        for without in ["false", "null"] {
            let line = format!("{{\"id\":1,\"tool\":\"b\",\"progress\":{without}}}\n");
            assert_eq!(raw(&line, 200).lines().count(), 1);
        }
        let wrong = raw("{\"id\":1,\"tool\":\"b\",\"progress\":1}\n", 200);
        assert!(
            wrong.contains("/progress") && wrong.lines().count() == 1,
            "{wrong}"
        );
    }

    fn run(input: &str, line_bytes_max: usize) -> HashMap<String, Value> {
        raw(input, line_bytes_max)
            .lines()
            .map(|line| json::parse_json(line, JsonLimits::default()).expect("JSON"))
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

    /// Everything that is written.
    fn raw(input: &str, line_bytes_max: usize) -> String {
        let door = JsonlSettings {
            roles: vec!["worker_math".into()],
            workers: 3,
            line_bytes_max,
            stop: StopFlag::new(),
            closing: ServerClosing::on_signal(&StopFlag::new()).expect("a bell"),
            format: OutputFormat::Json,
        };
        let output = Shared::default();
        let open = serve_lines(
            &door,
            input.as_bytes(),
            output.clone(),
            |call, _, progress| {
                if let Some(progress) = progress {
                    progress(Some(0.25), "begun");
                    progress(Some(0.5), "too soon after it");
                }
                let mut outcome =
                    CallOutcome::error(ToolError::new(ErrorCode::UnknownTool, call.tool));
                outcome.metadata.insert("role", call.role);
                let span = call.trace.map(|trace| trace.span().to_owned());
                outcome.metadata.insert("span", span);
                outcome
            },
        );
        assert!(open.expect("reads"));
        let written = output.0.lock().expect("written").clone();
        String::from_utf8(written).expect("UTF-8")
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
