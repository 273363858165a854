//! [`Chains`]: the plans that were submitted to this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use chain_runtime::run::Finished;
use chain_runtime::{CheckedStep, Observer};
use tokio::sync::watch;
use tool_core::{StopFlag, Value, json, object};

/// Plans that are remembered after their end, beside their records.
const REMEMBERED: usize = 1000;

/// The plans that were submitted to this process, by the order in which they came.
#[derive(Default)]
pub(super) struct Chains(Mutex<BTreeMap<u64, Arc<Chain>>>);

/// A plan that runs, or has ended.
pub(super) struct Chain {
    pub(super) id: String,
    /// Role that submitted it.
    pub(super) role: String,
    pub(super) stop: StopFlag,
    /// Its answer.
    ended: OnceLock<Value>,
    /// Its steps as they began and ended, each as JSON.
    told: Mutex<Vec<String>>,
    /// Counts what was told, and the end.
    pub(super) changes: watch::Sender<u64>,
}

impl Chains {
    pub(super) fn add(&self, chain: Arc<Chain>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            let ended = known.iter().find(|(_, chain)| chain.has_ended());
            if let Some(oldest) = ended.map(|(at, _)| *at) {
                known.remove(&oldest);
            }
        }
        let next = known.last_key_value().map_or(0, |(at, _)| at + 1);
        known.insert(next, chain);
    }

    pub(super) fn find(&self, id: &str, role: &str) -> Option<Arc<Chain>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.values();
        let found = all.find(|chain| chain.id == id && chain.role == role);
        found.cloned()
    }
}

impl Chain {
    pub(super) fn new(id: String, role: String, stop: StopFlag) -> Self {
        Self {
            id,
            role,
            stop,
            ended: OnceLock::new(),
            told: Mutex::default(),
            changes: watch::Sender::new(0),
        }
    }

    /// Sets its answer.
    pub(super) fn end(&self, answer: Value) {
        let _ = self.ended.set(answer);
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.get().is_some()
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

    /// What a client is shown of it.
    pub(super) fn shown(&self) -> Value {
        match self.ended.get() {
            None => object! { "id" => self.id.as_str(), "state" => "running" },
            Some(answer) => {
                object! { "id" => self.id.as_str(), "state" => "ended", "answer" => answer.clone() }
            }
        }
    }
}

impl Observer for Chain {
    fn started(&self, step: &CheckedStep, _: usize, wave: usize) {
        self.tell(&object! { "event" => "started", "step" => &*step.id, "tool" => step.tool, "wave" => wave });
    }

    fn finished(&self, step: &CheckedStep, _: usize, end: &Finished) {
        let error = end.error.as_ref().map(|error| error.to_value());
        self.tell(&object! { "event" => "finished", "step" => &*step.id, "status" => end.status.as_str(), "error" => error });
    }
}
