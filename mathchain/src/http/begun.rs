//! [`Chains`]: the plans that were submitted to this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tool_core::{StopFlag, Value, object};

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
    pub(super) ended: OnceLock<Value>,
}

impl Chains {
    pub(super) fn add(&self, chain: Arc<Chain>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED {
            let ended = known.iter().find(|(_, chain)| chain.ended.get().is_some());
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
