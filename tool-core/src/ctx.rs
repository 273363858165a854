//! [`Ctx`]: the environment of a running tool.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::capability::{
    CallClient, CallerIdentity, Clock, CommitRules, ComputerAlgebra, EventLog, HttpTransport,
    LanguageModel, Reload, Spawner, ToolCaller, ToolStateStore, WorkspaceFiles, WorkspaceOpener,
};
use crate::error::ToolError;
use crate::outcome::{EVENT, EVENT_DATA, SHORTFALL, Shortfall};
use crate::source::DataSource;
use crate::spec::{Capability, Spec};
use crate::stop::StopFlag;
use crate::tool_error;
use crate::types::RandomSeed;
use crate::value::{Object, Value};
use random_streams::{StreamRng, stream_rng};

/// Defines [`Capabilities`] and their accessors of [`Ctx`], a line each: field, trait, name in messages, declarations that grant it.
macro_rules! capabilities {
    ($($(#[$doc:meta])* $field:ident: $type:ty, $name:literal, $($declared:ident)|+;)*) => {
        /// The capabilities of an interface or a call.
        #[derive(Clone, Default)]
        pub struct Capabilities {
            $($(#[$doc])* pub $field: Option<Arc<$type>>,)*
        }

        impl Capabilities {
            /// The capabilities that a tool declares, of these.
            #[must_use]
            pub fn declared_by(&self, spec: &Spec) -> Self {
                let has = |one| spec.capabilities.contains(&one);
                Self {
                    $($field: self.$field.clone().filter(|_| $(has(Capability::$declared))||+),)*
                }
            }
        }

        impl Ctx {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// `precondition_failed` when the tool did not declare it, or the interface does not offer it.
                pub fn $field(&self) -> Result<&$type, ToolError> {
                    require_capability(self.capabilities.$field.as_deref(), $name)
                }
            )*
        }
    };
}

capabilities! {
    /// Files in the workspace.
    files: dyn WorkspaceFiles, "files", FilesRead | FilesWrite;
    /// HTTP requests.
    http: dyn HttpTransport, "http", Http;
    /// Sandboxed processes.
    spawner: dyn Spawner, "spawn", Spawn;
    /// The time.
    clock: dyn Clock, "clock", Clock;
    /// Stored state.
    state: dyn ToolStateStore, "state", State;
    /// Calls of other tools.
    calls: dyn ToolCaller, "calls", Calls;
    /// Language and embedding models.
    model: dyn LanguageModel, "model", Model;
    /// Reads plugins and configuration again.
    reload: Reload, "reload", Reload;
    /// Opens and closes the workspace of a session.
    workspaces: dyn WorkspaceOpener, "workspaces", Workspaces;
    /// The client of a direct call, which can ask its user.
    client: dyn CallClient, "client", Client;
    /// Rules of commit messages.
    commit_rules: CommitRules, "commit_rules", CommitRules;
    /// The events of the workspace.
    events: dyn EventLog, "events", Events;
    /// Who makes the call.
    identity: CallerIdentity, "identity", Events;
    /// An outside computer algebra system.
    algebra: dyn ComputerAlgebra, "algebra", Algebra;
}

/// The budget of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallBudget {
    /// Time in milliseconds from the start; the stop flag enforces it, cost estimates are checked against it.
    pub timeout_ms: u64,
    /// Memory whose size depends on the input, in bytes.
    pub memory_bytes: u64,
    /// Evaluations of functions that the arguments define.
    pub evaluations: u64,
}

impl Default for CallBudget {
    fn default() -> Self {
        Self {
            timeout_ms: 60_000,
            memory_bytes: 8 << 30,
            evaluations: 10_000_000_000,
        }
    }
}

/// A receiver of progress: a fraction from 0 to 1 where it is known, and a short text.
pub type Progress = dyn Fn(Option<f64>, &str) + Send + Sync;

/// The environment of a running tool: random streams, budget, and declared capabilities.
#[derive(Clone, Default)]
pub struct Ctx {
    stop: StopFlag,
    budget: CallBudget,
    memory: Arc<AtomicU64>,
    evaluations: Arc<AtomicU64>,
    seed: RandomSeed,
    must_verify: bool,
    idempotency_key: Option<Arc<str>>,
    capabilities: Capabilities,
    loaded: Arc<HashMap<DataSource, Value>>,
    warnings: Arc<Mutex<Vec<String>>>,
    notes: Arc<Mutex<Object>>,
    progress: Option<Arc<Progress>>,
}

impl Ctx {
    /// A context without capabilities, for pure tools.
    pub fn new(stop: StopFlag, budget: CallBudget) -> Self {
        Self {
            stop,
            budget,
            ..Self::default()
        }
    }

    /// Sets the capabilities.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets the seed for calls whose arguments set none.
    #[must_use]
    pub fn with_seed(mut self, seed: RandomSeed) -> Self {
        self.seed = seed;
        self
    }

    /// Asks tools that can to compute their answer a second time, as if the call had `verify`.
    #[must_use]
    pub fn verifying(mut self) -> Self {
        self.must_verify = true;
        self
    }

    /// Whether tools that can compute their answer a second time.
    pub fn must_verify(&self) -> bool {
        self.must_verify
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn with_idempotency_key(mut self, key: impl Into<Arc<str>>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// Names the person who approved the call.
    #[must_use]
    pub fn approved_by(mut self, person: &str) -> Self {
        if let Some(identity) = &mut self.capabilities.identity {
            Arc::make_mut(identity).approved_by = Some(person.to_owned());
        }
        self
    }

    /// Sets the contents of the files and artifacts that the arguments refer to.
    #[must_use]
    pub fn with_loaded(mut self, loaded: HashMap<DataSource, Value>) -> Self {
        self.loaded = Arc::new(loaded);
        self
    }

    /// Sets the receiver of progress.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// A copy with another stop flag.
    #[must_use]
    pub fn stopped_by(&self, stop: StopFlag) -> Self {
        Self {
            stop,
            ..self.clone()
        }
    }

    /// A copy with an unused budget.
    #[must_use]
    pub fn uncounted(&self) -> Self {
        Self {
            memory: Arc::default(),
            evaluations: Arc::default(),
            ..self.clone()
        }
    }

    /// A copy whose reservations of memory end with it: for work that is repeated, and keeps little of what it used.
    #[must_use]
    pub fn scratch(&self) -> Self {
        let memory = self.memory.load(Ordering::Relaxed);
        Self {
            memory: Arc::new(AtomicU64::new(memory)),
            ..self.clone()
        }
    }

    /// Checks the stop flag; every loop calls it at least every 10 ms.
    ///
    /// # Errors
    /// `cancelled` or `timeout`.
    #[inline]
    pub fn check(&self) -> Result<(), ToolError> {
        self.stop.check()
    }

    /// The stop flag, for loops that cannot return a `ToolError`.
    pub fn stop(&self) -> &StopFlag {
        &self.stop
    }

    /// The budget.
    pub fn budget(&self) -> CallBudget {
        self.budget
    }

    /// Reserves memory before an allocation whose size depends on the input.
    ///
    /// # Errors
    /// `limit_exceeded` with the sizes.
    pub fn reserve(&self, bytes: u64) -> Result<(), ToolError> {
        let before = self.memory.fetch_add(bytes, Ordering::Relaxed);
        let total = before.saturating_add(bytes);
        if total <= self.budget.memory_bytes {
            return Ok(());
        }
        self.memory.fetch_sub(bytes, Ordering::Relaxed);
        let most = self.budget.memory_bytes;
        Err(tool_error!(LimitExceeded, "memory";
            "the call needs {total} bytes of memory, its limit is {most}";
            "ask for less, or raise `limits.memory_bytes`"))
    }

    /// Reserves memory for `count` doubles.
    ///
    /// # Errors
    /// As [`Ctx::reserve`]; a count that overflows counts as too large.
    pub fn reserve_doubles(&self, count: usize) -> Result<(), ToolError> {
        self.reserve((count as u64).saturating_mul(8))
    }

    /// Refuses work that cannot be interrupted and would outlast the deadline.
    ///
    /// The estimate assumes a slow core (10^9 operations per second), so that admitted work ends in time.
    ///
    /// # Errors
    /// `limit_exceeded` with the estimate, and those of [`Ctx::check`].
    pub fn afford(&self, operations: f64) -> Result<(), ToolError> {
        const OPERATIONS_PER_MS: f64 = 1e6;
        let needed_ms = operations / OPERATIONS_PER_MS;
        if needed_ms > 1.0 {
            self.stop.hand_over();
            self.stop.check()?;
        }
        if needed_ms <= self.budget.timeout_ms as f64 {
            return Ok(());
        }
        let limit = self.budget.timeout_ms;
        Err(tool_error!(LimitExceeded, "cost";
            "the call needs about {needed_ms:.0} ms and cannot be interrupted; its deadline is {limit} ms";
            "raise `timeout_ms`, or ask for less"))
    }

    /// Counts evaluations of a function that the arguments define.
    ///
    /// # Errors
    /// `limit_exceeded` when the budget is used up.
    #[inline]
    pub fn count_evaluations(&self, count: u64) -> Result<(), ToolError> {
        let before = self.evaluations.fetch_add(count, Ordering::Relaxed);
        let most = self.budget.evaluations;
        if before.saturating_add(count) <= most {
            return Ok(());
        }
        Err(tool_error!(LimitExceeded, "evaluations";
            "more than {most} evaluations"; "ask for fewer"))
    }

    /// The seed of this call: the argument's, else the context's (42 for a direct call, derived for a step).
    pub fn seed(&self, argument: Option<RandomSeed>) -> RandomSeed {
        argument.unwrap_or(self.seed)
    }

    /// The idempotency key: equal for every attempt of a step of a run, also after a crash, so that a service can recognise a repeated
    /// call.
    pub fn idempotency_key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }

    /// The generator of one stream of a seed. Partition work by shape, with a stream per part and never per thread.
    pub fn rng(&self, seed: RandomSeed, stream: u64) -> StreamRng {
        stream_rng(seed.get(), stream)
    }

    /// Adds a warning to the answer.
    pub fn warn(&self, message: impl Into<String>) {
        const WARNINGS_MAX: usize = 100;
        let mut warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if warnings.len() < WARNINGS_MAX {
            warnings.push(message.into());
        }
    }

    /// The same call, whose warnings and notes are not those of the answer, and which tells no progress.
    #[must_use]
    pub fn without_messages(&self) -> Self {
        Self {
            warnings: Arc::default(),
            notes: Arc::default(),
            progress: None,
            ..self.clone()
        }
    }

    /// Whether the answer has a warning or a note so far.
    pub fn has_messages(&self) -> bool {
        let warnings = self.warnings.lock().unwrap_or_else(PoisonError::into_inner);
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        !warnings.is_empty() || !notes.is_empty()
    }

    /// Takes the warnings so far.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a member to the metadata of the answer, about the call and not its result.
    pub fn note(&self, key: &str, value: impl Into<Value>) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.insert(key, value);
    }

    /// Notes what happened outside of the call, such as `git.committed`, with what belongs to it; the audit records both.
    pub fn happened(&self, event: &str, data: impl Into<Value>) {
        self.note(EVENT, event);
        self.note(EVENT_DATA, data);
    }

    /// Marks the answer as falling short of the request, with a warning.
    pub fn fall_short(&self, how: Shortfall, message: impl Into<String>) {
        self.warn(message);
        self.note(SHORTFALL, how.as_str());
    }

    /// Takes the metadata so far.
    pub fn take_notes(&self) -> Object {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reports progress: a fraction from 0 to 1 where it is known, and a short text, such as the number of steps. Loops report every
    /// few thousand operations; without a receiver the text is not made.
    pub fn progress(&self, fraction: impl Into<Option<f64>>, words: impl FnOnce() -> String) {
        if let Some(progress) = &self.progress {
            progress(fraction.into(), &words());
        }
    }

    /// The content of a file or artifact that the arguments refer to.
    ///
    /// # Errors
    /// `internal` when the dispatcher did not load it.
    pub fn loaded(&self, source: &DataSource) -> Result<Value, ToolError> {
        self.loaded.get(source).cloned().ok_or_else(|| {
            tool_error!(InvalidArgs; "`{}` cannot be read here", source.name();
                "this interface reads no files: pass the data inline")
        })
    }
}

fn require_capability<'a, T: ?Sized>(
    capability: Option<&'a T>,
    name: &str,
) -> Result<&'a T, ToolError> {
    capability.ok_or_else(|| {
        tool_error!(PreconditionFailed, "capability";
            "the capability `{name}` does not exist for this call";
            "the tool must declare it, and the door must offer it")
    })
}
