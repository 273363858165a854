//! [`PluginProcess`]: the supervised child of a plugin. It is started on demand, speaks JSON Lines, is killed when it misses a deadline,
//! and is restarted after a crash with a growing delay.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tool_core::capability::{Clock, Spawner};
use tool_core::command::SandboxCommand;
use tool_core::conversation::LineWaitResult;
use tool_core::json;
use tool_core::{Ctx, ErrorCode, Reason, ToolError, Value, tool_error};

use super::message;
use super::outside::{self, HandshakeExchange, PinnedTool};
use super::running::LiveProcess;
use super::tool::PluginRunner;

/// Polling interval of a waiting call.
pub(super) const LOOK: Duration = Duration::from_millis(10);
/// Time limit of the greeting.
const HELLO: Duration = Duration::from_secs(10);
/// The same of an MCP server or a worker, which may have to load much first.
const HELLO_LOADING: Duration = Duration::from_secs(60);
/// Delay after the first crash; it doubles with each further one.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum delay.
const PAUSE_MAX: Duration = Duration::from_secs(30);
/// Longest delay that a call waits for; with a longer one it is refused.
const PAUSE_WAITED: Duration = Duration::from_secs(2);

/// Parameters of a process.
#[derive(Debug, Clone)]
pub struct ProcessLaunch {
    /// Name of the plugin or server.
    pub name: String,
    /// The command.
    pub command: SandboxCommand,
    /// The protocol of the process.
    pub speech: ProcessProtocol,
    /// Maximum number of calls at a time.
    pub concurrency: usize,
}

/// The protocol of a process.
#[derive(Debug, Clone)]
pub enum ProcessProtocol {
    /// That of plugins (docs/plugins.md).
    Plugin(PluginSpeech),
    /// The same, of a program of the toolkit itself.
    Worker(PluginSpeech),
    /// The Model Context Protocol, with the pinned tools.
    Mcp(Vec<PinnedTool>),
}

/// What a plugin is told when it starts.
#[derive(Debug, Clone)]
pub struct PluginSpeech {
    /// Version of the plugin, which the process must confirm.
    pub version: String,
    /// Python modules that it needs.
    pub modules: Vec<String>,
    /// Its own settings.
    pub config: Value,
}

impl ProcessLaunch {
    /// The process as errors name it.
    pub(super) fn who(&self) -> String {
        let kind = match self.speech {
            ProcessProtocol::Plugin(_) => "plugin",
            ProcessProtocol::Worker(_) => "worker",
            ProcessProtocol::Mcp(_) => "MCP server",
        };
        format!("the {kind} `{}`", self.name)
    }
}

/// Whether the files of a plugin are those that were loaded.
pub type Unchanged = dyn Fn() -> bool + Send + Sync;

/// The supervised child of a plugin.
pub struct PluginProcess {
    launch: ProcessLaunch,
    spawner: Arc<dyn Spawner>,
    clock: Arc<dyn Clock>,
    unchanged: Box<Unchanged>,
    state: Mutex<PluginProcessState>,
    changed: Condvar,
}

#[derive(Default)]
struct PluginProcessState {
    running: Option<Arc<LiveProcess>>,
    starting: bool,
    /// Number of running calls.
    turns: usize,
    crashes: u32,
    /// Earliest time of the next start.
    not_before: Duration,
    closed: Option<String>,
}

impl PluginProcess {
    /// Creates a process without starting it.
    pub fn new(
        launch: ProcessLaunch,
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

    fn state(&self) -> MutexGuard<'_, PluginProcessState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pause<'a>(
        &self,
        state: MutexGuard<'a, PluginProcessState>,
    ) -> MutexGuard<'a, PluginProcessState> {
        self.changed
            .wait_timeout(state, LOOK)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Waits for one of the slots for calls.
    fn turn(&self, ctx: &Ctx) -> Result<CallTurn<'_>, ToolError> {
        let mut state = self.state();
        while state.turns >= self.launch.concurrency.max(1) {
            ctx.check()?;
            state = self.pause(state);
        }
        state.turns += 1;
        Ok(CallTurn(self))
    }

    /// The live process, started if necessary.
    fn running(&self, ctx: &Ctx) -> Result<Arc<LiveProcess>, ToolError> {
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
                    "{} crashed {} times in a row and is not restarted yet",
                    self.launch.who(),
                    state.crashes
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

    fn crashed(&self, state: &mut PluginProcessState) {
        let pause = PAUSE
            .saturating_mul(1 << state.crashes.min(16))
            .min(PAUSE_MAX);
        state.crashes = state.crashes.saturating_add(1);
        state.not_before = self.clock.monotonic() + pause;
    }

    fn start(&self, ctx: &Ctx) -> Result<LiveProcess, ToolError> {
        self.check_unchanged()?;
        let mut first = ProcessGreeting::start(&self.launch, &*self.spawner, &*self.clock, ctx)?;
        let name = &self.launch.name;
        match &self.launch.speech {
            ProcessProtocol::Plugin(plugin) | ProcessProtocol::Worker(plugin) => {
                first.say(&message::hello_message(name, plugin))?;
                let line = first.line()?;
                message::check_hello(name, plugin, &first.running.parse(&line)?)?;
            }
            ProcessProtocol::Mcp(pinned) => outside::greet_server(name, pinned, &mut first)?,
        }
        let running = first.running;
        // By now it has read its own files.
        self.check_unchanged()?;
        Ok(running)
    }

    fn check_unchanged(&self) -> Result<(), ToolError> {
        if (self.unchanged)() {
            return Ok(());
        }
        let plugin = &self.launch.name;
        Err(tool_error!(ResourceChanged, "plugin_changed";
            "the files of the plugin `{plugin}` changed since it was loaded";
            "call again; `serve` reloads them on its own or on `reload_plugins`"))
    }

    /// Updates the state after a call.
    fn settle(&self, running: &Arc<LiveProcess>, crashed: bool) {
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

impl PluginRunner for PluginProcess {
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

/// Asks a server for its tools, compares them with none, and ends it: the text of its pin.
///
/// # Errors
/// As a call.
pub fn pin_of(
    launch: &ProcessLaunch,
    spawner: &dyn Spawner,
    clock: &dyn Clock,
    ctx: &Ctx,
) -> Result<String, ToolError> {
    let mut first = ProcessGreeting::start(launch, spawner, clock, ctx)?;
    let (server, tools) = outside::list_server_tools(&launch.name, &mut first)?;
    Ok(outside::render_pin(&server, &tools))
}

/// A process before its first call.
struct ProcessGreeting<'a> {
    running: LiveProcess,
    clock: &'a dyn Clock,
    ctx: &'a Ctx,
    begun: Duration,
    hello_max: Duration,
}

impl<'a> ProcessGreeting<'a> {
    fn start(
        launch: &ProcessLaunch,
        spawner: &dyn Spawner,
        clock: &'a dyn Clock,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        let talk = spawner.converse(&launch.command, ctx.stop())?;
        Ok(Self {
            running: LiveProcess::new(launch, talk),
            clock,
            ctx,
            begun: clock.monotonic(),
            hello_max: match launch.speech {
                ProcessProtocol::Plugin(_) => HELLO,
                ProcessProtocol::Worker(_) | ProcessProtocol::Mcp(_) => HELLO_LOADING,
            },
        })
    }

    fn line(&mut self) -> Result<String, ToolError> {
        let running = &self.running;
        loop {
            // Also while lines come: one that never greets sends others without end.
            self.ctx.check()?;
            if self.clock.monotonic().saturating_sub(self.begun) > self.hello_max {
                let what = format!("sent no greeting within {} s", self.hello_max.as_secs());
                return Err(message::protocol_error(&running.who, &what));
            }
            match running.talk.receive(LOOK, self.ctx.stop())? {
                LineWaitResult::Line(line) => return Ok(line),
                LineWaitResult::Ended(exit) => return Err(running.crash(exit, "before it greeted")),
                LineWaitResult::Silence => {}
            }
        }
    }
}

impl HandshakeExchange for ProcessGreeting<'_> {
    fn say(&mut self, message: &Value) -> Result<(), ToolError> {
        let text = json::to_text(message);
        let sent = self.running.talk.send(&text, self.ctx.stop());
        sent.map_err(|err| match err.is(Reason::Ended) {
            true => self.running.crash(None, "before it greeted"),
            false => err,
        })
    }

    fn hear(&mut self) -> Result<Value, ToolError> {
        let line = self.line()?;
        self.running.value(&line)
    }
}

struct CallTurn<'a>(&'a PluginProcess);

impl Drop for CallTurn<'_> {
    fn drop(&mut self) {
        self.0.state().turns -= 1;
        self.0.changed.notify_all();
    }
}
