//! Cases R59-R68 of the contract, and what a process of a plugin may do to its callers.

mod loading;
mod running;
mod services;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fakes::TestClock;
use tool_core::capability::Spawner;
use tool_core::command::{CommandOutput, Level, ProcessExit, SandboxCommand, SandboxProgram};
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::{Ctx, ErrorCode, Reason, StopFlag, ToolError, Value};

use super::*;

/// What is wrong with any plugin as one error.
fn load(
    bundles: &[PluginBundle],
    machine: &dyn PluginHost,
    previous: &[Plugin],
) -> Result<Vec<Plugin>, LoadErrors> {
    let (plugins, broken) = super::load_plugins(bundles, machine, previous);
    let errors = broken.into_iter().flat_map(|one| one.errors.into_list());
    LoadErrors::check(errors.collect())?;
    Ok(plugins)
}

fn value(text: &str) -> Value {
    tool_core::json::parse_json(text, tool_core::json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{err:?}: {text}"))
}

fn bundle(folder: &str, manifest: &str, settings: Option<&str>) -> PluginBundle {
    PluginBundle {
        manifest_name: format!("plugins/{folder}/manifest.json"),
        manifest: manifest.to_owned(),
        settings: settings.map(|text| (format!("plugin-settings/{folder}.json"), text.to_owned())),
        files: vec!["manifest.json".to_owned(), "run.py".to_owned()],
        digest: crate::digest::of_texts([manifest]),
        server: None,
    }
}

/// Answers a call with its tool and arguments.
struct Echo;

impl PluginRunner for Echo {
    fn call(&self, tool: &str, args: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(Value::object([
            ("tool", Value::from(tool)),
            ("args", args.clone()),
        ]))
    }
}

/// A machine with Python, and nothing else.
#[derive(Default)]
struct Python {
    runners: AtomicUsize,
    configs: Mutex<Vec<Value>>,
}

impl PluginHost for Python {
    fn has_program(&self, name: &str) -> bool {
        name == "python3"
    }
    fn runner(
        &self,
        _: &PluginBundle,
        _: &PluginManifest,
        _: &[String],
        config: &Value,
    ) -> Arc<dyn PluginRunner> {
        self.runners.fetch_add(1, Ordering::Relaxed);
        self.configs.lock().unwrap().push(config.clone());
        Arc::new(Echo)
    }
}

/// Each look takes 40 ms.
fn fast() -> Arc<TestClock> {
    TestClock::ticking(0, Duration::from_millis(40))
}

/// What a scripted process does with a line it is sent.
type Script = dyn Fn(&Value, &mut Outbox) + Send + Sync;

/// What a scripted process says.
#[derive(Default)]
struct Outbox {
    lines: VecDeque<String>,
    ended: Option<ProcessExit>,
}

impl Outbox {
    fn say(&mut self, line: impl Into<String>) {
        self.lines.push_back(line.into());
    }
    fn result(&mut self, id: &Value, output: &str) {
        self.say(format!(
            "{{\"type\":\"result\",\"id\":{id},\"output\":{output}}}"
        ));
    }
}

/// Starts scripted processes, and counts them.
struct Scripted {
    script: Arc<Script>,
    started: AtomicUsize,
    alive: Arc<AtomicUsize>,
}

impl Scripted {
    fn new(script: impl Fn(&Value, &mut Outbox) + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            script: Arc::new(script),
            started: AtomicUsize::new(0),
            alive: Arc::default(),
        })
    }
    fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }
    fn alive(&self) -> usize {
        self.alive.load(Ordering::Relaxed)
    }
}

/// Greets as it should, then does what the script says.
fn greeting(
    script: impl Fn(&Value, &mut Outbox) + Send + Sync + 'static,
) -> impl Fn(&Value, &mut Outbox) + Send + Sync + 'static {
    move |line, out| match line.get("type").and_then(Value::as_str) {
        Some("hello") => {
            out.say(r#"{"type":"hello","protocol":1,"plugin":"demo","version":"1.0.0"}"#)
        }
        _ => script(line, out),
    }
}

impl Spawner for Scripted {
    fn run(&self, _: &SandboxCommand, _: &StopFlag) -> Result<CommandOutput, ToolError> {
        Err(ToolError::new(ErrorCode::Internal, "not used"))
    }
    fn converse(
        &self,
        _: &SandboxCommand,
        _: &StopFlag,
    ) -> Result<Box<dyn ProcessConversation>, ToolError> {
        self.started.fetch_add(1, Ordering::Relaxed);
        self.alive.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Talk {
            script: Arc::clone(&self.script),
            out: Mutex::default(),
            alive: Arc::clone(&self.alive),
        }))
    }
    fn find(&self, _: &str) -> Option<SandboxProgram> {
        None
    }
    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }
}

struct Talk {
    script: Arc<Script>,
    out: Mutex<Outbox>,
    alive: Arc<AtomicUsize>,
}

impl ProcessConversation for Talk {
    fn send(&self, line: &str, _: &StopFlag) -> Result<(), ToolError> {
        let mut out = self.out.lock().unwrap();
        if out.ended.is_some() {
            return Err(ToolError::new(ErrorCode::ToolError, "gone").reason(Reason::Ended));
        }
        (self.script)(&value(line), &mut out);
        Ok(())
    }
    fn receive(&self, wait: Duration, stop: &StopFlag) -> Result<LineWaitResult, ToolError> {
        {
            let mut out = self.out.lock().unwrap();
            if let Some(line) = out.lines.pop_front() {
                return Ok(LineWaitResult::Line(line));
            }
            if let Some(exit) = out.ended {
                return Ok(LineWaitResult::Ended(Some(exit)));
            }
        }
        stop.check()?;
        std::thread::sleep(wait.min(Duration::from_millis(1)));
        Ok(LineWaitResult::Silence)
    }
    fn kill(&self) {
        self.out
            .lock()
            .unwrap()
            .ended
            .get_or_insert(ProcessExit::Signal(9));
    }
    fn stderr(&self) -> String {
        "Traceback:\n  ValueError: no".to_owned()
    }
    fn level(&self) -> Level {
        Level::S3
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}
