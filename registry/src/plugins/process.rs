//! [`Process`]: the supervised child of a plugin. It is started on demand, speaks JSON Lines, is killed when it misses a deadline,
//! and is restarted after a crash with a growing delay.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::capability::{Clock, Spawner};
use tool_core::command::Command;
use tool_core::conversation::Heard;
use tool_core::json;
use tool_core::{Ctx, ErrorCode, ToolError, Value, tool_error};

use super::message;
use super::running::Running;
use super::tool::Runner;

/// Polling interval of a waiting call.
pub(super) const LOOK: Duration = Duration::from_millis(10);
/// Time limit of the greeting.
const HELLO: Duration = Duration::from_secs(10);
/// Delay after the first crash; it doubles with each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum delay.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Longest delay that a call waits for; with a longer one it is refused.
const PAUSE_WAITED: Duration = Duration::from_secs(2);

/// Parameters of a process.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Name of the plugin.
    pub plugin: String,
    /// Version of the plugin, which the process must confirm.
    pub version: String,
    /// The command.
    pub command: Command,
    /// Python modules that it needs.
    pub modules: Vec<String>,
    /// Its own settings.
    pub config: Value,
    /// Maximum number of calls at a time.
    pub concurrency: usize,
}

/// Whether the files of a plugin are those that were loaded.
pub type Unchanged = dyn Fn() -> bool + Send + Sync;

/// The supervised child of a plugin.
pub struct Process {
    launch: Launch,
    spawner: Arc<dyn Spawner>,
    clock: Arc<dyn Clock>,
    unchanged: Box<Unchanged>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: Option<Arc<Running>>,
    starting: bool,
    /// Number of running calls.
    turns: usize,
    crashes: u32,
    /// Earliest time of the next start.
    not_before: Duration,
    closed: Option<String>,
}

impl Process {
    /// Creates a process without starting it.
    pub fn new(
        launch: Launch,
        spawner: Arc<dyn Spawner>,
        clock: Arc<dyn Clock>,
        unchanged: Box<Unchanged>,
    ) -> Self {
        Self {
            launch,
            spawner,
            clock,
            unchanged,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pause<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait_timeout(state, LOOK)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Waits for one of the slots for calls.
    fn turn(&self, ctx: &Ctx) -> Result<Turn<'_>, ToolError> {
        let mut state = self.state();
        while state.turns >= self.launch.concurrency.max(1) {
            ctx.check()?;
            state = self.pause(state);
        }
        state.turns += 1;
        Ok(Turn(self))
    }

    /// The live process, started if necessary.
    fn running(&self, ctx: &Ctx) -> Result<Arc<Running>, ToolError> {
        let mut state = self.state();
        loop {
            if let Some(reason) = &state.closed {
                return Err(tool_error!(PreconditionFailed, "{reason}").reason("plugin_closed"));
            }
            if let Some(running) = state.running.as_ref().filter(|running| running.is_usable()) {
                return Ok(Arc::clone(running));
            }
            ctx.check()?;
            let early = state.not_before.saturating_sub(self.clock.monotonic());
            if early > PAUSE_WAITED {
                let message = format_args!(
                    "the plugin `{}` crashed {} times in a row and is not restarted yet",
                    self.launch.plugin, state.crashes
                );
                return Err(ToolError::new(ErrorCode::ToolError, message)
                    .reason("plugin_resting")
                    .hint(format!("try again in {} s", early.as_secs() + 1)));
            }
            if !state.starting && early.is_zero() {
                break;
            }
            state = self.pause(state);
        }
        state.starting = true;
        let ended = state.running.take();
        drop(state);
        drop(ended); // when no call holds it any more, its tree is ended here
        let started = self.start(ctx);
        let mut state = self.state();
        state.starting = false;
        match started {
            Ok(running) => {
                let running = Arc::new(running);
                state.running = Some(Arc::clone(&running));
                self.changed.notify_all();
                Ok(running)
            }
            Err(err) => {
                // Who was in a hurry, and files that changed, say nothing about the plugin.
                if !ctx.stop().is_set() && err.code() != ErrorCode::ResourceChanged {
                    self.crashed(&mut state);
                }
                self.changed.notify_all();
                Err(err)
            }
        }
    }

    fn crashed(&self, state: &mut State) {
        let pause = PAUSE
            .saturating_mul(1 << state.crashes.min(16))
            .min(PAUSE_MAX);
        state.crashes = state.crashes.saturating_add(1);
        state.not_before = self.clock.monotonic() + pause;
    }

    fn start(&self, ctx: &Ctx) -> Result<Running, ToolError> {
        self.check_unchanged()?;
        let talk = self.spawner.converse(&self.launch.command, ctx.stop())?;
        let plugin = &self.launch.plugin;
        let running = Running::new(
            plugin.clone(),
            talk,
            self.launch.command.limits.stdout_bytes,
        );
        let hello = json::to_text(&message::hello(&self.launch));
        running.talk.send(&hello, ctx.stop())?;
        let begun = self.clock.monotonic();
        let line = loop {
            match running.talk.receive(LOOK, ctx.stop())? {
                Heard::Line(line) => break line,
                Heard::Ended(exit) => return Err(running.crash(exit, "before it greeted")),
                Heard::Silence if self.clock.monotonic().saturating_sub(begun) > HELLO => {
                    let what = format!("sent no greeting within {} s", HELLO.as_secs());
                    return Err(message::protocol_error(plugin, &what));
                }
                Heard::Silence => {}
            }
        };
        message::check_hello(&self.launch, &running.parse(&line)?)?;
        // By now it has read its own files.
        self.check_unchanged()?;
        Ok(running)
    }

    fn check_unchanged(&self) -> Result<(), ToolError> {
        if (self.unchanged)() {
            return Ok(());
        }
        let plugin = &self.launch.plugin;
        Err(tool_error!(ResourceChanged, "plugin_changed";
            "the files of the plugin `{plugin}` changed since it was loaded";
            "call again; `serve` reloads them on its own or on `reload_plugins`"))
    }

    /// Updates the state after a call.
    fn settle(&self, running: &Arc<Running>, crashed: bool) {
        let mut state = self.state();
        let current = state.running.as_ref();
        let mut ended = None;
        if current.is_some_and(|current| Arc::ptr_eq(current, running)) {
            if running.is_usable() {
                state.crashes = 0;
            } else {
                ended = state.running.take();
                if crashed {
                    self.crashed(&mut state);
                }
            }
        }
        self.changed.notify_all();
        drop(state);
        drop(ended);
    }
}

impl Runner for Process {
    fn call(&self, tool: &str, args: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
        let _turn = self.turn(ctx)?;
        let running = self.running(ctx)?;
        let result = running.call(tool, args, ctx, &*self.clock);
        let crashed = running.is_dead() && !ctx.stop().is_set();
        self.settle(&running, crashed);
        result
    }

    fn greet(&self, ctx: &Ctx) -> Result<(), ToolError> {
        self.running(ctx).map(drop)
    }

    fn close(&self, reason: &str) {
        let mut state = self.state();
        state.closed = Some(reason.to_owned());
        // The last call that holds it ends it.
        let running = state.running.take();
        drop(state);
        drop(running);
    }
}

struct Turn<'a>(&'a Process);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().turns -= 1;
        self.0.changed.notify_all();
    }
}
