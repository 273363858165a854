//! [`Cluster`]: the calls of a run that wait for workers, and the thread that serves them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tool_core::ctx::CallBudget;
use tool_core::{Object, RandomSeed, Result, StopFlag, ToolError, Value, tool_error};

use super::costs::{self, EngineTickets, TicketCosts};
use super::executor::{Executor, SubmittedTicket};
use super::packer::{CallPack, TicketPacker};
use super::ticket::{TicketBody, TicketCall};
use crate::run::{ELSEWHERE_LEAST, ELSEWHERE_MAX};

/// Shortest and longest pause between two looks at the executor.
const PAUSE_LEAST: Duration = Duration::from_millis(2);
const PAUSE_MOST: Duration = Duration::from_millis(25);
/// Pause while nothing is out.
const PAUSE_IDLE: Duration = Duration::from_millis(200);

/// How calls are packed, and how long they wait for a worker.
#[derive(Debug, Clone)]
pub struct ClusterSettings {
    /// How long calls wait for a worker while there is none.
    pub wait: Duration,
    /// How long a ticket should take.
    pub ticket: Duration,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            wait: Duration::from_secs(60),
            ticket: Duration::from_secs(1),
        }
    }
}

/// Calls that may share a ticket: of one step, with one tool and the same limits. A step that comes first in the plan goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallGroup {
    pub(crate) step: usize,
    pub(crate) tool: &'static str,
    pub(crate) version: u32,
    pub(crate) budget: CallBudget,
    pub(crate) verify: bool,
}

impl CallGroup {
    fn order(&self) -> (usize, &str, u32, bool, u64, u64, u64) {
        let CallBudget {
            timeout_ms,
            memory_bytes,
            evaluations,
        } = self.budget;
        (
            self.step,
            self.tool,
            self.version,
            self.verify,
            timeout_ms,
            memory_bytes,
            evaluations,
        )
    }
}

impl PartialOrd for CallGroup {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CallGroup {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

/// A call to be computed elsewhere.
pub(crate) struct WantedCall {
    pub(crate) group: CallGroup,
    pub(crate) args: Value,
    pub(crate) seed: RandomSeed,
    pub(crate) stop: StopFlag,
    /// Time left until the deadline of its step, waiting included.
    pub(crate) left: Option<Duration>,
}

/// What became of a call.
#[derive(Debug, Clone)]
pub(crate) enum RemoteOutcome {
    /// A worker computed it.
    Computed {
        output: Result<Value>,
        warnings: Vec<String>,
        notes: Object,
        node: String,
    },
    /// It has an error that is not the tool's.
    Failed(ToolError),
    /// No worker computes it, for this reason.
    Unplaced(String),
}

/// A call that waits for its answer.
pub(super) struct WaitingCall {
    pub(super) group: CallGroup,
    pub(super) args: Value,
    pub(super) seed: RandomSeed,
    stop: StopFlag,
    until: Option<Instant>,
    outcome: Mutex<Option<RemoteOutcome>>,
    answered: Condvar,
}

impl WaitingCall {
    pub(super) fn new(call: WantedCall, now: Instant) -> Arc<Self> {
        Arc::new(Self {
            group: call.group,
            args: call.args,
            seed: call.seed,
            stop: call.stop,
            until: call.left.and_then(|left| now.checked_add(left)),
            outcome: Mutex::default(),
            answered: Condvar::new(),
        })
    }

    /// Gives the outcome; the first one counts.
    pub(super) fn answer(&self, outcome: RemoteOutcome) {
        let mut known = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert(outcome);
        self.answered.notify_all();
    }

    /// Whether nothing is wanted of it any more: it was stopped, or its deadline passed.
    pub(super) fn is_over(&self, now: Instant) -> bool {
        if self.until.is_some_and(|until| now >= until) {
            self.stop.time_out();
        }
        let stopped = self.stop.check();
        if let Err(why) = &stopped {
            self.answer(RemoteOutcome::Failed(why.clone()));
        }
        stopped.is_err()
    }

    pub(super) fn wait(&self) -> RemoteOutcome {
        let mut known = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = known.take() {
                return outcome;
            }
            let waited = self.answered.wait(known);
            known = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Which tools the workers of an engine have.
type HasTool = dyn Fn(&str) -> bool + Send + Sync;

/// The workers of a run, as its steps see them.
pub struct Cluster {
    shared: Arc<SharedCluster>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

struct SharedCluster {
    executor: Box<dyn Executor>,
    has_tool: Box<HasTool>,
    packer: Mutex<TicketPacker>,
    wake: Condvar,
    closed: AtomicBool,
    /// Calls that the workers can be busy with.
    wanted: AtomicUsize,
    /// What the counts of the process have of this engine.
    counted: Mutex<EngineTickets>,
}

impl Cluster {
    /// Serves calls through an executor until it is closed or dropped; `has_tool` says which tools the workers have.
    ///
    /// # Errors
    /// `internal` where no thread can be started.
    pub fn start(
        executor: Box<dyn Executor>,
        settings: ClusterSettings,
        has_tool: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Result<Arc<Self>> {
        let shared = Arc::new(SharedCluster {
            executor,
            has_tool: Box::new(has_tool),
            packer: Mutex::new(TicketPacker::new(settings)),
            wake: Condvar::new(),
            closed: AtomicBool::new(false),
            wanted: AtomicUsize::new(ELSEWHERE_LEAST),
            counted: Mutex::default(),
        });
        let served = Arc::clone(&shared);
        let thread = thread::Builder::new().name("cluster".to_owned());
        let thread = thread.spawn(move || served.serve());
        let thread = thread.map_err(|err| {
            tool_error!(
                Internal,
                "the thread of the engine cannot be started: {err}"
            )
        })?;
        Ok(Arc::new(Self {
            shared,
            thread: Mutex::new(Some(thread)),
        }))
    }

    /// Name of the engine.
    pub fn engine(&self) -> &'static str {
        self.shared.executor.name()
    }

    /// The next step of a person whose run has no worker.
    pub(crate) fn hint(&self) -> String {
        self.shared.executor.hint()
    }

    /// Whether the workers have a tool.
    pub(crate) fn has_tool(&self, tool: &str) -> bool {
        (self.shared.has_tool)(tool)
    }

    /// Lets a worker compute a call, and waits for its outcome.
    pub(crate) fn compute(&self, call: WantedCall) -> RemoteOutcome {
        let now = Instant::now();
        let waiting = WaitingCall::new(call, now);
        self.shared.lock().add(Arc::clone(&waiting), now);
        self.shared.wake.notify_one();
        waiting.wait()
    }

    /// Number of calls that fill the workers with tickets, as far as it is known.
    pub(crate) fn calls_wanted(&self) -> usize {
        self.shared.wanted.load(Ordering::Relaxed)
    }

    /// What the tickets of each step cost, by its position in the plan.
    pub(crate) fn costs(&self) -> BTreeMap<usize, TicketCosts> {
        self.shared.lock().costs().clone()
    }

    /// Notes a call that was computed here although the engine was wanted.
    pub(crate) fn note_fallback(&self) {
        costs::count_fallback(self.engine());
    }

    /// The error of a run of which one ticket had two different results.
    pub fn alarm(&self) -> Option<ToolError> {
        self.shared.lock().alarm().cloned()
    }

    /// Looks for late results once more, and gives the alarm, if there is one, and what a person should know.
    pub fn settle(&self) -> (Option<ToolError>, Vec<String>) {
        let mut pause = PAUSE_LEAST;
        self.shared.look(&mut pause);
        let mut packer = self.shared.lock();
        let warnings = std::mem::take(&mut packer.warnings);
        (packer.alarm().cloned(), warnings)
    }

    /// Ends the engine: workers learn that nothing follows.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.shared.wake.notify_all();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // Its panic has been reported, and its calls were answered.
            let _ = thread.join();
            self.shared.executor.close();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}

/// Answers what waits when the thread ends, also by a panic.
struct ServingEndGuard<'a>(&'a SharedCluster);

impl Drop for ServingEndGuard<'_> {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::SeqCst);
        self.0.lock().close();
        self.0.count();
    }
}

impl SharedCluster {
    fn lock(&self) -> MutexGuard<'_, TicketPacker> {
        self.packer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the counts of the process up to date.
    fn count(&self) {
        let now = self.lock().tickets();
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *counted, now);
        costs::count_tickets(self.executor.name(), before, now);
    }

    fn serve(&self) {
        let _end = ServingEndGuard(self);
        let mut pause = PAUSE_LEAST;
        while !self.closed.load(Ordering::SeqCst) {
            let is_idle = self.look(&mut pause);
            let packer = self.lock();
            let wait = match is_idle && packer.is_idle() {
                true => PAUSE_IDLE,
                false => pause,
            };
            // A call that arrives is packed at once.
            drop(self.wake.wait_timeout(packer, wait));
        }
    }

    /// Learns what happened, packs what waits and submits what is due; whether nothing is out.
    fn look(&self, pause: &mut Duration) -> bool {
        let report = self.executor.poll();
        let now = Instant::now();
        let mut withdrawn = Vec::new();
        let has_news;
        {
            let mut packer = self.lock();
            match report {
                Ok(report) => {
                    has_news = !report.events.is_empty();
                    packer.note_slots(Ok(report.slots), now);
                    packer.warnings.extend(report.warnings);
                    for event in report.events {
                        withdrawn.extend(packer.learn(event, now));
                    }
                }
                Err(err) => {
                    has_news = false;
                    packer.note_slots(Err(err), now);
                }
            }
            withdrawn.extend(packer.look(now));
            let wanted = packer.calls_wanted();
            let wanted = wanted.clamp(ELSEWHERE_LEAST, ELSEWHERE_MAX);
            self.wanted.store(wanted, Ordering::Relaxed);
        }
        while self.pack_next() {}
        let (due, late) = self.lock().due_copies(now);
        let has_due = !due.is_empty();
        for copy in due {
            let ticket = SubmittedTicket {
                id: copy.id,
                tool: copy.tool,
                body: &copy.body,
            };
            let submitted = self.executor.submit(&ticket);
            self.lock().note_submission(copy.id, submitted, now);
        }
        withdrawn.extend(late);
        for id in withdrawn {
            self.executor.withdraw(id);
        }
        self.count();
        *pause = match has_news || has_due {
            true => PAUSE_LEAST,
            false => (*pause * 2).min(PAUSE_MOST),
        };
        self.lock().is_idle()
    }

    /// Makes one ticket of calls that wait. The text is made outside of the lock, since arguments may be large.
    fn pack_next(&self) -> bool {
        let Some(pack) = self.lock().next_pack() else {
            return false;
        };
        match text_of(&pack) {
            Ok(body) => self.lock().open(pack, body.into()),
            Err(err) => {
                for call in &pack.calls {
                    call.answer(RemoteOutcome::Failed(err.clone()));
                }
            }
        }
        true
    }
}

fn text_of(pack: &CallPack) -> Result<String> {
    let CallPack { group, calls, .. } = pack;
    let calls = calls.iter().map(|call| TicketCall {
        args: call.args.clone(),
        seed: call.seed,
    });
    let body = TicketBody {
        tool: group.tool.to_owned(),
        version: group.version,
        budget: group.budget,
        verify: group.verify,
        calls: calls.collect(),
    };
    body.to_text()
}
