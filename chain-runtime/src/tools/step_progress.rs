//! [`StepProgress`]: the steps of a plan as the progress of the call that runs it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::ctx::Progress;

use crate::check::{CheckedPlan, CheckedStep};
use crate::run::{StepObserver, StepOutcome};

/// Reports the share of the steps that have ended, and the step that began or reported last.
pub(super) struct StepProgress {
    progress: Arc<Progress>,
    /// Ids of the steps, by position.
    steps: Vec<String>,
    ended: AtomicUsize,
}

impl StepProgress {
    /// Observes a plan for a receiver of progress.
    pub(super) fn of(plan: &CheckedPlan, progress: &Arc<Progress>) -> Arc<dyn StepObserver> {
        Arc::new(Self {
            progress: Arc::clone(progress),
            steps: plan.steps.iter().map(|step| step.id.to_string()).collect(),
            ended: AtomicUsize::new(0),
        })
    }

    fn report(&self, words: &str) {
        let (ended, all) = (self.ended.load(Ordering::Relaxed), self.steps.len());
        (self.progress)(Some(ended as f64 / all.max(1) as f64), words);
    }
}

impl StepObserver for StepProgress {
    fn started(&self, step: &CheckedStep, _: usize, _: usize) {
        self.report(&format!("step `{}`", step.id));
    }

    fn progress(&self, position: usize, _: Option<f64>, words: &str) {
        let step = self.steps.get(position).map_or("", String::as_str);
        self.report(&format!("step `{step}`: {words}"));
    }

    fn finished(&self, _: &CheckedStep, _: usize, _: &StepOutcome) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}
