//! [`SubmittedPipelines`]: the pipelines that this process runs, so that they can be stopped.

use std::sync::{Mutex, PoisonError};

use tool_core::StopFlag;

/// The pipelines that this process runs.
#[derive(Default)]
pub(super) struct SubmittedPipelines(Mutex<Vec<(String, StopFlag)>>);

impl SubmittedPipelines {
    /// Adds one that has begun.
    pub(super) fn add(&self, id: &str, stop: StopFlag) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.push((id.to_owned(), stop));
    }

    /// Forgets one that has ended.
    pub(super) fn remove(&self, id: &str) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|(known, _)| known != id);
    }

    /// Stops a pipeline that runs here; whether one does.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = running.iter().find(|(known, _)| known == id);
        found.inspect(|(_, stop)| stop.cancel()).is_some()
    }
}
