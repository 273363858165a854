//! [`SubmittedPipelines`]: the pipelines that this process runs, so that they can be stopped.

use std::sync::{Mutex, PoisonError};

use tool_core::StopFlag;

/// The pipelines that this process runs.
#[derive(Default)]
pub(super) struct SubmittedPipelines(Mutex<RunningPipelines>);

#[derive(Default)]
struct RunningPipelines {
    /// Number of those that have begun here.
    begun: u64,
    running: Vec<RunningPipeline>,
}

struct RunningPipeline {
    number: u64,
    id: String,
    stop: StopFlag,
}

impl SubmittedPipelines {
    /// Adds one that has begun, and returns the number under which it is forgotten: one that is resumed while its last call still ends is
    /// another.
    pub(super) fn add(&self, id: &str, stop: StopFlag) -> u64 {
        let mut pipelines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.begun += 1;
        let number = pipelines.begun;
        pipelines.running.push(RunningPipeline {
            number,
            id: id.to_owned(),
            stop,
        });
        number
    }

    /// Forgets one that has ended.
    pub(super) fn remove(&self, number: u64) {
        let mut pipelines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pipelines.running.retain(|one| one.number != number);
    }

    /// Stops a pipeline that runs here; whether one does.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let pipelines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = pipelines.running.iter().rev().find(|one| one.id == id);
        newest.inspect(|one| one.stop.cancel()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_that_is_resumed_outlives_the_call_before() {
        let pipelines = SubmittedPipelines::default();
        let (before, after) = (StopFlag::default(), StopFlag::default());
        let first = pipelines.add("a", before.clone());
        let second = pipelines.add("a", after.clone());
        pipelines.remove(first);
        assert!(pipelines.cancel("a"));
        assert!(after.is_set() && !before.is_set());
        pipelines.remove(second);
        assert!(!pipelines.cancel("a"));
    }
}
