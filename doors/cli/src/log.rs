//! The log: a line for each call and run that ends, for those who watch a program that serves.
//!
//! It repeats what the audit has, in time order and without hashes; a line that cannot be written is reported once, and changes no call.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use registry::CallWitness;
use tool_core::capability::Clock as _;

use super::global::{LogFormat, LogLevel};
use super::prelude::*;
use mathchain::clock::SystemClock;

static OF_PROCESS: OnceLock<Arc<LogWriter>> = OnceLock::new();

struct LogWriter {
    out: Mutex<Box<dyn Write + Send>>,
    level: LogLevel,
    format: LogFormat,
    failed: AtomicBool,
}

/// Opens the log that the options ask for.
///
/// # Errors
/// `invalid_request` for a level or format without `--log`, `tool_error` for a file that cannot be opened.
pub(super) fn start_log(global: &GlobalArgs) -> Result<()> {
    let Some(path) = &global.log else {
        return match (global.log_level, global.log_format) {
            (None, None) => Ok(()),
            _ => Err(tool_error!(InvalidRequest;
                "`--log-level` and `--log-format` concern the log"; "add --log FILE, or --log - for stderr")),
        };
    };
    let out: Box<dyn Write + Send> = match path.as_os_str() == "-" {
        true => Box::new(std::io::stderr()),
        false => {
            let file = OpenOptions::new().append(true).create(true).open(path);
            Box::new(file.map_err(|err| io::cannot_write(path, &err))?)
        }
    };
    let log = LogWriter {
        out: Mutex::new(out),
        level: global.log_level.unwrap_or(LogLevel::Info),
        format: global.log_format.unwrap_or(LogFormat::Text),
        failed: AtomicBool::new(false),
    };
    let _ = OF_PROCESS.set(Arc::new(log)); // set once: the command line is parsed once
    Ok(())
}

/// The log, as an observer of calls and runs.
pub(super) fn log_witness() -> Option<Arc<dyn CallWitness>> {
    OF_PROCESS.get().map(|log| Arc::clone(log) as _)
}

/// Notes the files in use.
pub(super) fn log_opened_files(members: Value) {
    if let Some(log) = OF_PROCESS.get() {
        log.write(LogLevel::Debug, "opened", &members);
    }
}

impl CallWitness for LogWriter {
    fn call(&self, record: &Value, _: &Value, _: Option<&Value>) {
        self.ended("call", record);
    }

    fn chain(&self, record: &Value) {
        self.ended("run", record);
    }
}

/// The members of a record that a line has; the others at the level `debug`.
const MEMBERS: [&str; 14] = [
    "tool",
    "role",
    "agent",
    "phase",
    "decision",
    "layer",
    "status",
    "code",
    "reason",
    "error",
    "elapsed_ms",
    "call_id",
    "chain_id",
    "chain_index",
];

impl LogWriter {
    fn ended(&self, event: &str, record: &Value) {
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        let is_fault = text("code").or(text("error_code")) == Some("internal");
        let is_good = matches!(
            text("status"),
            Some("success" | "pending_approval" | "suspended")
        ) || record.get("success").and_then(Value::as_bool) == Some(true);
        let level = match (is_fault, is_good) {
            (true, _) => LogLevel::Error,
            (_, true) => LogLevel::Info,
            _ => LogLevel::Warn,
        };
        if level > self.level {
            return;
        }
        let wanted = |name: &str| self.level == LogLevel::Debug || MEMBERS.contains(&name);
        let members = record
            .as_object()
            .into_iter()
            .flat_map(|record| record.iter());
        let members = members.filter(|(name, value)| wanted(name) && **value != Value::Null);
        let members: Vec<(&str, Value)> =
            members.map(|(name, value)| (name, value.clone())).collect();
        self.write(level, event, &Value::object(members));
    }

    fn write(&self, level: LogLevel, event: &str, members: &Value) {
        if level > self.level {
            return;
        }
        let name = match level {
            LogLevel::Error => "error",
            LogLevel::Warn => "warn",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        };
        let members = members.as_object().cloned().unwrap_or_default();
        let line = match self.format {
            LogFormat::Json => {
                let time = human::format_utc_time(SystemClock::default().unix_ms());
                let mut line = object! { "time" => time, "level" => name, "event" => event };
                if let Value::Object(object) = &mut line {
                    let object = Arc::make_mut(object);
                    for (name, value) in members.iter() {
                        object.insert(name, value.clone());
                    }
                }
                json::to_text(&line)
            }
            LogFormat::Text => {
                let time = human::format_local_time(SystemClock::default().unix_ms());
                let member = |(name, value): (&str, &Value)| match value.as_str() {
                    Some(text) if !text.contains(' ') => format!(" {name}={text}"),
                    _ => format!(" {name}={value}"),
                };
                let members: String = members.iter().map(member).collect();
                human::replace_controls(&format!("{time} {name:5} {event}{members}")).into_owned()
            }
        };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = writeln!(out, "{line}").and_then(|()| out.flush());
        if let Err(err) = written
            && !self.failed.swap(true, Ordering::Relaxed)
        {
            write_stderr(&format!("warning: cannot write the log: {err}\n"));
        }
    }
}
