//! [`SubmittedChains`]: the plans that this process runs, and the step events of those that ended last. Their answers are in the records.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use chain_runtime::run::StepOutcome;
use chain_runtime::{CheckedStep, StepObserver};
use tokio::sync::watch;
use tool_core::{StopFlag, Value, json, object};

/// Most bytes of what is remembered of plans that have ended.
const ENDED_BYTES_MAX: usize = 4 << 20;
/// Most plans that have ended and are remembered.
const ENDED_MAX: usize = 1000;

/// The plans that wait or run here, and those that ended last.
#[derive(Default)]
pub(super) struct SubmittedChains(Mutex<SubmittedTable>);

#[derive(Default)]
struct SubmittedTable {
    running: Vec<Arc<SubmittedChain>>,
    /// The newest last.
    ended: VecDeque<Arc<SubmittedChain>>,
}

/// A plan that waits or runs, or has ended.
pub(super) struct SubmittedChain {
    pub(super) id: String,
    /// Role that submitted it.
    pub(super) role: String,
    pub(super) stop: StopFlag,
    /// When it began to wait.
    since: Instant,
    /// Whether it waits no longer.
    runs: AtomicBool,
    has_ended: AtomicBool,
    /// Its answer, where there are no records.
    answer: OnceLock<Value>,
    /// Its steps as they began and ended, each as JSON.
    told: Mutex<Vec<String>>,
    /// Counts what was told, and the end.
    pub(super) changes: watch::Sender<u64>,
}

impl SubmittedChains {
    /// Adds a plan; false where it waits or runs already.
    pub(super) fn add(&self, chain: Arc<SubmittedChain>) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.running.iter().any(|one| one.id == chain.id) {
            return false;
        }
        known.ended.retain(|one| one.id != chain.id);
        known.running.push(chain);
        true
    }

    /// The plan that waits or runs here.
    pub(super) fn running(
        &self,
        id: &str,
        may_see: impl Fn(&str) -> bool,
    ) -> Option<Arc<SubmittedChain>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.running.iter();
        all.find(|chain| chain.id == id && may_see(&chain.role))
            .cloned()
    }

    /// The plan that waits or runs here, or is remembered.
    pub(super) fn find(
        &self,
        id: &str,
        may_see: impl Fn(&str) -> bool,
    ) -> Option<Arc<SubmittedChain>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.running.iter().chain(&known.ended);
        all.find(|chain| chain.id == id && may_see(&chain.role))
            .cloned()
    }

    /// How long the oldest plan that waits has done so.
    pub(super) fn oldest_waiting(&self) -> Duration {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = known.running.iter();
        let waiting = waiting.filter(|one| !one.runs.load(Ordering::Acquire));
        let ages = waiting.map(|one| one.since.elapsed());
        ages.max().unwrap_or_default()
    }

    /// Ends a plan; its answer is given where there are no records.
    pub(super) fn end(&self, chain: &Arc<SubmittedChain>, answer: Option<Value>) {
        if let Some(answer) = answer {
            let _ = chain.answer.set(answer);
        }
        chain.has_ended.store(true, Ordering::Release);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.running.retain(|one| !Arc::ptr_eq(one, chain));
        known.ended.push_back(Arc::clone(chain));
        let mut bytes: usize = known.ended.iter().map(|one| one.bytes()).sum();
        while bytes > ENDED_BYTES_MAX || known.ended.len() > ENDED_MAX {
            let Some(oldest) = known.ended.pop_front() else {
                break;
            };
            bytes -= oldest.bytes();
        }
        drop(known);
        chain.changes.send_modify(|count| *count += 1);
    }
}

impl SubmittedChain {
    pub(super) fn new(id: String, role: String, stop: StopFlag) -> Self {
        Self {
            id,
            role,
            stop,
            since: Instant::now(),
            runs: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            answer: OnceLock::new(),
            told: Mutex::default(),
            changes: watch::Sender::new(0),
        }
    }

    /// States that it has a thread.
    pub(super) fn runs(&self) {
        self.runs.store(true, Ordering::Release);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// The events from one on.
    pub(super) fn told_since(&self, first: usize) -> Vec<String> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.get(first..).unwrap_or_default().to_vec()
    }

    fn tell(&self, event: &Value) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(json::to_text(event));
        self.changes.send_modify(|count| *count += 1);
    }

    /// About how much it takes in memory.
    fn bytes(&self) -> usize {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.answer.get();
        told.iter().map(String::len).sum::<usize>()
            + answer.map_or(0, |answer| json::to_text(answer).len())
    }

    /// What a client is shown of it, where there are no records of its end.
    pub(super) fn shown(&self) -> Value {
        match self.answer.get() {
            None => object! { "id" => self.id.as_str(), "state" => "running" },
            Some(answer) => {
                object! { "id" => self.id.as_str(), "state" => "ended", "answer" => answer.clone() }
            }
        }
    }
}

impl StepObserver for SubmittedChain {
    fn started(&self, step: &CheckedStep, _: usize, wave: usize) {
        self.tell(&object! { "event" => "started", "step" => &*step.id, "tool" => step.tool, "wave" => wave });
    }

    fn finished(&self, step: &CheckedStep, _: usize, end: &StepOutcome) {
        let error = end.error.as_ref().map(|error| error.to_value());
        self.tell(&object! { "event" => "finished", "step" => &*step.id, "status" => end.status.as_str(), "error" => error });
    }
}
