//! What a workflow, its feedback and a lock answer.

use std::cmp::Ordering;

use super::{ChainLock, TaskChain, WorkflowFeedback, WorkflowInstance, WorkflowOutcome};
use crate::commands::transition::{ItemPhase, has_transition, next_phases};
use crate::fault::WorkflowFault;
use crate::governance::collide::HeldFiles;
use crate::names::{FeedbackStatus, GateKind, StageStatus, WorkflowStatus, join_names};
use crate::template::WorkflowStage;

impl WorkflowInstance {
    /// Its status; blocking feedback without an answer pauses it.
    pub fn status(&self) -> WorkflowStatus {
        match &self.ended {
            Some(WorkflowOutcome::Completed) => WorkflowStatus::Completed,
            Some(WorkflowOutcome::Discarded(_)) => WorkflowStatus::Discarded,
            None if self.paused.is_some() || self.unanswered().next().is_some() => {
                WorkflowStatus::Paused
            }
            None => WorkflowStatus::Active,
        }
    }

    /// Blocking feedback without an answer.
    pub fn unanswered(&self) -> impl Iterator<Item = &WorkflowFeedback> {
        self.feedback
            .values()
            .filter(|feedback| feedback.blocking && feedback.status.is_open())
    }

    /// The stage it is in; `None` when it has ended.
    pub fn current(&self) -> Option<&WorkflowStage> {
        self.stages.get(self.stage).filter(|_| self.ended.is_none())
    }

    /// Whether the gate of a stage awaits a person's decision.
    pub fn awaits(&self, stage: usize) -> bool {
        let (Some(defined), Some(state)) = (self.stages.get(stage), self.gates.get(stage)) else {
            return false;
        };
        let human = defined.gate.kind == GateKind::HumanApproval;
        let open = !defined.gate.agent_triggered || state.announced;
        stage == self.stage && self.ended.is_none() && human && open && state.satisfied.is_none()
    }

    /// The status of a stage.
    pub fn stage_status(&self, stage: usize) -> StageStatus {
        match (&self.ended, stage.cmp(&self.stage)) {
            (Some(WorkflowOutcome::Completed), _) | (_, Ordering::Less) => StageStatus::Completed,
            (Some(WorkflowOutcome::Discarded(_)), _) => StageStatus::Skipped,
            (None, Ordering::Greater) => StageStatus::Pending,
            (None, Ordering::Equal) if self.awaits(stage) => StageStatus::AwaitingGate,
            (None, Ordering::Equal) => StageStatus::Active,
        }
    }

    /// Why nothing asks for the decision at the gate of the current stage.
    pub(crate) fn needs_no_request(&self) -> WorkflowFault {
        WorkflowFault::first(
            format!(
                "the gate of stage `{}` of `{}` needs no request for approval",
                self.stages[self.stage].name, self.id
            ),
            "see its gate with `workflow:status`",
        )
    }

    /// The feedback with an id.
    ///
    /// # Errors
    /// There is none; the fault names the nearest id.
    pub fn feedback(&self, id: &str) -> Result<&WorkflowFeedback, WorkflowFault> {
        let known = || self.feedback.keys().map(String::as_str);
        self.feedback
            .get(id)
            .ok_or_else(|| WorkflowFault::unknown("feedback", id, known()))
    }

    /// Whether a chain belongs to it.
    pub(crate) fn is_about(&self, chain: &TaskChain) -> bool {
        match &self.chain {
            Some(one) => *one == chain.id,
            None => self.request.as_ref() == Some(&chain.request),
        }
    }

    /// Whether work in it may continue: it is not paused. One that has ended holds nothing.
    pub(crate) fn running(&self) -> Result<(), WorkflowFault> {
        if self.ended.is_some() {
            return Ok(());
        }
        let ids: Vec<String> = self
            .unanswered()
            .map(|feedback| format!("`{}`", feedback.id))
            .collect();
        if !ids.is_empty() {
            return Err(WorkflowFault::Unanswered {
                workflow: self.id.clone(),
                ids: ids.join(", "),
            });
        }
        match &self.paused {
            None => Ok(()),
            Some(reason) => Err(WorkflowFault::Paused {
                workflow: self.id.clone(),
                reason: reason.clone(),
            }),
        }
    }

    /// Whether it has not ended.
    pub(crate) fn open(&self) -> Result<(), WorkflowFault> {
        match self.ended {
            None => Ok(()),
            Some(_) => Err(WorkflowFault::first(
                format!("the workflow `{}` is {}", self.id, self.status()),
                "start another with `workflow:start`",
            )),
        }
    }
}

impl ChainLock {
    /// What it holds, for [`crate::governance::collide`].
    pub fn held(&self) -> HeldFiles<'_> {
        HeldFiles {
            chain: &self.chain,
            patterns: &self.patterns,
            until: self.expires,
        }
    }
}

impl WorkflowFeedback {
    /// Whether a command leads from its status to another.
    ///
    /// # Errors
    /// The table of transitions has it not; the fault names what may follow, and the next step.
    pub(crate) fn check_move(
        &self,
        command: &str,
        to: FeedbackStatus,
        next: &'static str,
    ) -> Result<(), WorkflowFault> {
        let phase = ItemPhase::Feedback(self.status);
        if has_transition(phase, command, ItemPhase::Feedback(to)) {
            return Ok(());
        }
        let allowed: Vec<FeedbackStatus> = next_phases(phase)
            .filter_map(|phase| match phase {
                ItemPhase::Feedback(status) => Some(status),
                _ => None,
            })
            .collect();
        Err(WorkflowFault::Transition {
            what: "feedback",
            id: self.id.clone(),
            from: self.status.as_str(),
            to: to.as_str(),
            allowed: if allowed.is_empty() {
                "none".to_owned()
            } else {
                join_names(&allowed)
            },
            next,
        })
    }
}
