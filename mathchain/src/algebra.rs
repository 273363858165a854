//! SymPy as the outside computer algebra system: a process of Python in the sandbox, started for the first question and kept for those that
//! follow. It reads nothing but Python and has no network; the supervisor of plugins starts, ends and restarts it.

use std::sync::Arc;
use std::time::Duration;

use registry::model::SymbolicConfig;
use registry::plugins::{
    PluginProcess, PluginRunner as _, PluginSpeech, ProcessLaunch, ProcessProtocol,
};
use tool_core::capability::{Clock, ComputerAlgebra, Spawner};
use tool_core::command::{CommandAccess, SandboxCommand, SandboxProgram};
use tool_core::{Ctx, ErrorCode, Result, ToolError, Value, tool_error};

/// The program that answers.
const WORKER: &str = include_str!("../assets/sympy/worker.py");
/// Longest time for an answer; the deadline of the call ends it sooner.
const ANSWER: Duration = Duration::from_secs(20);
/// Time for its start before the first answer, where the machine is busy.
const START: Duration = Duration::from_secs(30);
/// Lifetime of the process, after which it is started again.
const LIFE: Duration = Duration::from_secs(24 * 3600);
/// Address space of the process.
const MEMORY_BYTES: u64 = 2 << 30;
/// Longest line either way, in bytes.
const LINE_BYTES_MAX: usize = 4 << 20;
/// Number of last bytes of standard error that are kept.
const STDERR_BYTES_MAX: usize = 4096;

/// The system of a configuration; `None` where it has none.
pub(crate) fn of_config(
    config: &SymbolicConfig,
    spawner: Option<Arc<dyn Spawner>>,
    clock: Arc<dyn Clock>,
) -> Option<Arc<dyn ComputerAlgebra>> {
    let spawner = spawner.filter(|_| config.sympy)?;
    let Some(python) = spawner.find("python3") else {
        return Some(Arc::new(LackingPython));
    };
    Some(Arc::new(SympyWorker::new(WORKER, python, spawner, clock)))
}

/// The process, and how long it may take.
struct SympyWorker {
    process: PluginProcess,
    clock: Arc<dyn Clock>,
    answer_max: Duration,
}

impl SympyWorker {
    fn new(
        program: &str,
        python: SandboxProgram,
        spawner: Arc<dyn Spawner>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut command = SandboxCommand::new([python.path.as_str(), "-I", "-B", "-c", program]);
        command.readable = python.readable;
        command.workspace = CommandAccess::None;
        command.limits.wall = LIFE;
        command.limits.cpu = LIFE;
        command.limits.memory_bytes = MEMORY_BYTES;
        command.limits.tree_memory_bytes = MEMORY_BYTES;
        command.limits.processes = 8;
        command.limits.stdout_bytes = LINE_BYTES_MAX;
        command.limits.stderr_bytes = STDERR_BYTES_MAX;
        let launch = ProcessLaunch {
            name: "sympy".to_owned(),
            command,
            speech: ProcessProtocol::Worker(PluginSpeech {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                modules: vec!["sympy".to_owned()],
                config: Value::Null,
            }),
            concurrency: 1,
        };
        let process = PluginProcess::new(launch, spawner, Arc::clone(&clock), Box::new(|| true));
        Self {
            process,
            clock,
            answer_max: ANSWER,
        }
    }
}

impl ComputerAlgebra for SympyWorker {
    fn ask(&self, question: &Value, ctx: &Ctx) -> Result<Value> {
        // Starting is no part of the time for an answer.
        let greeting = ctx.stopped_by(self.until(ctx, START));
        self.process
            .greet(&greeting)
            .map_err(|error| in_own_words(error, ctx, START))?;
        let asking = ctx.stopped_by(self.until(ctx, self.answer_max));
        self.process
            .call("answer", question, &asking)
            .map_err(|error| in_own_words(error, ctx, self.answer_max))
    }
}

impl SympyWorker {
    /// A flag that is also set after a time.
    fn until(&self, ctx: &Ctx, most: Duration) -> tool_core::StopFlag {
        let (clock, begun) = (Arc::clone(&self.clock), self.clock.monotonic());
        let is_late = move || clock.monotonic().saturating_sub(begun) > most;
        ctx.stop().child_until(Arc::new(is_late))
    }
}

/// The errors of the supervisor as those of an engine. What was asked changes nothing, however it ended.
fn in_own_words(error: ToolError, ctx: &Ctx, most: Duration) -> ToolError {
    if ctx.stop().is_set() {
        return error;
    }
    let message = error.message();
    match (error.code(), error.reason_str()) {
        (ErrorCode::Timeout | ErrorCode::Cancelled, _) => {
            let seconds = most.as_secs_f64();
            tool_error!(LimitExceeded at "/engine", "engine_time"; "SymPy gave no answer within {seconds} s and was ended";
                "pose a smaller question, or use `engine: \"native\"`")
        }
        (_, Some("plugin_dependency")) => no_sympy("the Python of the sandbox has no SymPy"),
        (_, Some("plugin_crashed" | "plugin_resting")) => {
            tool_error!(ToolError at "/engine", "engine_crashed"; "{message}"; "use `engine: \"native\"`, or pose a smaller question")
        }
        (_, Some("plugin_protocol" | "plugin_closed")) => {
            tool_error!(ToolError at "/engine", "engine_protocol"; "{message}"; "use `engine: \"native\"`")
        }
        (ErrorCode::LimitExceeded, _) => {
            tool_error!(LimitExceeded at "/engine", "engine_size"; "{message}"; "pose a smaller question")
        }
        _ => error,
    }
}

fn no_sympy(found: &str) -> ToolError {
    tool_error!(PreconditionFailed at "/engine", "engine"; "{found}";
        "`python3 -m pip install sympy` in the environment that `[code] python` names, or use `engine: \"native\"`")
}

/// A machine without Python.
struct LackingPython;

impl ComputerAlgebra for LackingPython {
    fn ask(&self, _: &Value, _: &Ctx) -> Result<Value> {
        Err(no_sympy("`python3` is not installed"))
    }
}

#[cfg(test)]
mod tests {
    use tool_core::command::{CommandOutput, Level};
    use tool_core::conversation::{LineWaitResult, ProcessConversation};
    use tool_core::{StopFlag, object};

    use super::*;
    use crate::clock::SystemClock;

    /// Starts processes that greet and then say nothing.
    struct Silent;

    struct SilentProcess(std::sync::Mutex<Vec<String>>);

    impl Spawner for Silent {
        fn run(&self, _: &SandboxCommand, _: &StopFlag) -> Result<CommandOutput> {
            Err(tool_error!(Internal, "nothing runs"))
        }

        fn converse(
            &self,
            command: &SandboxCommand,
            _: &StopFlag,
        ) -> Result<Box<dyn ProcessConversation>> {
            assert_eq!(command.workspace, CommandAccess::None);
            assert_eq!(command.argv[..4], ["/python3", "-I", "-B", "-c"]);
            let hello = r#"{"type":"hello","protocol":1}"#.to_owned();
            Ok(Box::new(SilentProcess(vec![hello].into())))
        }

        fn find(&self, _: &str) -> Option<SandboxProgram> {
            Some(SandboxProgram {
                path: "/python3".to_owned(),
                readable: Vec::new(),
            })
        }

        fn home(&self) -> Option<std::path::PathBuf> {
            None
        }
    }

    impl ProcessConversation for SilentProcess {
        fn send(&self, _: &str, _: &StopFlag) -> Result<()> {
            Ok(())
        }

        fn receive(&self, _: Duration, stop: &StopFlag) -> Result<LineWaitResult> {
            stop.check()?;
            let said = self.0.lock().expect("no panic").pop();
            Ok(said.map_or(LineWaitResult::Silence, LineWaitResult::Line))
        }

        fn kill(&self) {}

        fn stderr(&self) -> String {
            String::new()
        }

        fn level(&self) -> Level {
            Level::S3
        }
    }

    fn system() -> SympyWorker {
        let python = Silent.find("python3").expect("a program");
        let clock = Arc::new(SystemClock::default());
        SympyWorker {
            answer_max: Duration::from_millis(100),
            ..SympyWorker::new(WORKER, python, Arc::new(Silent), clock)
        }
    }

    #[test]
    fn an_answer_that_takes_too_long_is_an_error_of_the_engine() {
        let question = object! { "task" => "integrate" };
        let error = system()
            .ask(&question, &Ctx::default())
            .expect_err("silence");
        assert_eq!(error.code(), ErrorCode::LimitExceeded);
        assert_eq!(error.reason_str(), Some("engine_time"));
        // One that the caller stops is stopped, and no fault of the engine.
        let ctx = Ctx::default();
        ctx.stop().cancel();
        let error = system().ask(&question, &ctx).expect_err("cancelled");
        assert_eq!(error.code(), ErrorCode::Cancelled);
    }

    #[test]
    fn nothing_is_there_unless_the_configuration_says_so() {
        let clock = Arc::new(SystemClock::default());
        let off = SymbolicConfig::default();
        assert!(of_config(&off, Some(Arc::new(Silent)), clock).is_none());
    }
}
