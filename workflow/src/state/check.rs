//! What several events permit, and the faults that they share.

use super::{StartedAgent, TaskChain, WorkflowInstance, WorkflowState};
use crate::fault::WorkflowFault;
use crate::ids::is_id;
use crate::limits;
use crate::names::{ChainStatus, GateKind};
use crate::template::CommandResult;

impl WorkflowState {
    /// The chain of an id, all of whose tasks are done.
    pub(crate) fn chain_to_review(
        &self,
        id: &str,
        action: &'static str,
    ) -> Result<&TaskChain, WorkflowFault> {
        let chain = self.chain(id)?;
        self.open_request(&chain.request)?;
        if chain.status() != ChainStatus::Done {
            let undone = chain.undone();
            let message = match undone.is_empty() {
                true => format!("the chain `{id}` has no tasks"),
                false => format!(
                    "all tasks must be done to {action} the chain `{id}`; not done: {undone}"
                ),
            };
            return Err(WorkflowFault::first(
                message,
                "finish its tasks, or review them one by one with `task:request_changes`",
            ));
        }
        Ok(chain)
    }

    /// The workflow of an id, which must not have ended.
    pub(crate) fn open_workflow(&self, id: &str) -> Result<&WorkflowInstance, WorkflowFault> {
        let workflow = self.workflow(id)?;
        workflow.open()?;
        Ok(workflow)
    }

    /// The workflow of an id, at work in a stage.
    pub(crate) fn at_stage(
        &self,
        id: &str,
        stage: usize,
    ) -> Result<&WorkflowInstance, WorkflowFault> {
        let workflow = self.open_workflow(id)?;
        workflow.running()?;
        match workflow.stage == stage {
            true => Ok(workflow),
            false => Err(wrong_stage(workflow, stage)),
        }
    }

    /// The workflow of an id, at work in a stage whose gate is open.
    pub(crate) fn workflow_to_leave(
        &self,
        id: &str,
        stage: usize,
    ) -> Result<&WorkflowInstance, WorkflowFault> {
        let workflow = self.at_stage(id, stage)?;
        let needed = workflow.stages[stage].gate.needs_event();
        match needed && workflow.gates[stage].satisfied.is_none() {
            true => Err(workflow.unsatisfied()),
            false => Ok(workflow),
        }
    }

    /// Whether the chains that a workflow waits for are done.
    pub(crate) fn chains_complete(&self, workflow: &WorkflowInstance) -> Result<(), WorkflowFault> {
        let named = workflow
            .current()
            .and_then(|stage| stage.gate.chain.as_deref());
        let chains: Vec<&TaskChain> = match named {
            Some(id) => vec![self.chain(id)?],
            None => self.chains_in(workflow).collect(),
        };
        let open: Vec<String> = chains
            .iter()
            .filter(|chain| chain.status() != ChainStatus::Done)
            .map(|chain| format!("`{}` ({})", chain.id, chain.status()))
            .collect();
        if chains.is_empty() {
            return Err(workflow.gate_fault(
                "needs a chain, and there is none",
                "create one with `chain:create`",
            ));
        }
        match open.is_empty() {
            true => Ok(()),
            false => Err(workflow.gate_fault(
                format!("needs every chain done; not done: {}", open.join(", ")),
                "finish their tasks",
            )),
        }
    }

    /// The agent of an id, which must not have ended.
    pub(crate) fn live_agent(&self, id: &str) -> Result<&StartedAgent, WorkflowFault> {
        let known = || self.agents.keys().map(String::as_str);
        let agent = self
            .agents
            .get(id)
            .ok_or_else(|| WorkflowFault::unknown("agent", id, known()))?;
        match agent.outcome {
            None => Ok(agent),
            Some(outcome) => Err(WorkflowFault::first(
                format!("the agent `{id}` has ended ({outcome})"),
                "start another with `spawn_agent`",
            )),
        }
    }
}

impl WorkflowInstance {
    /// Whether the commands of its gate succeeded, each in its turn.
    ///
    /// # Errors
    /// The first command that failed or has no result.
    pub(crate) fn verified(&self, results: &[CommandResult]) -> Result<(), WorkflowFault> {
        let commands = &self.stages[self.stage].gate.commands;
        for (position, command) in commands.iter().enumerate() {
            let Some(result) = results.get(position) else {
                return Err(self.unsatisfied());
            };
            if result.command != *command {
                let expected = format!("the result of `{command}` at position {position}");
                return Err(WorkflowFault::invalid("results", expected, &result.command));
            }
            if result.exit_code != 0 {
                return Err(WorkflowFault::Verification {
                    command: command.clone(),
                    code: result.exit_code,
                });
            }
        }
        match results.get(commands.len()) {
            None => Ok(()),
            Some(extra) => {
                let expected = format!("{} results", commands.len());
                Err(WorkflowFault::invalid("results", expected, &extra.command))
            }
        }
    }

    pub(crate) fn gate_fault(
        &self,
        needs: impl Into<String>,
        next: impl Into<String>,
    ) -> WorkflowFault {
        WorkflowFault::Gate {
            workflow: self.id.clone(),
            stage: self
                .stages
                .get(self.stage)
                .map(|stage| stage.name.clone())
                .unwrap_or_default(),
            needs: needs.into(),
            next: next.into(),
        }
    }

    /// The fault of a gate whose condition is not met.
    pub(crate) fn unsatisfied(&self) -> WorkflowFault {
        let Some(stage) = self.stages.get(self.stage) else {
            return self.gate_fault("has no gate", "see `workflow:status`");
        };
        match stage.gate.kind {
            GateKind::HumanApproval if !self.awaits(self.stage) => self.gate_fault(
                "needs the approval of a person, which was not asked for",
                "ask with `request_approval`",
            ),
            GateKind::HumanApproval => self.gate_fault(
                "needs the approval of a person",
                "a person answers with `gate:satisfy`",
            ),
            GateKind::ChainComplete => {
                self.gate_fault("needs every chain done", "finish their tasks")
            }
            GateKind::VerificationPass => {
                let commands = stage.gate.commands.join("`, `");
                self.gate_fault(
                    format!("needs the commands `{commands}` to succeed"),
                    "run them in this order and pass their results",
                )
            }
            GateKind::Auto | GateKind::PostCommit | GateKind::SessionHandoff => {
                self.gate_fault("is open", "advance")
            }
        }
    }
}

/// The fault of an event about a stage where the workflow is not.
pub(crate) fn wrong_stage(workflow: &WorkflowInstance, stage: usize) -> WorkflowFault {
    WorkflowFault::invalid(
        "stage",
        format!("{}, where the workflow is", workflow.stage),
        &stage.to_string(),
    )
}

/// Whether an id can be given to a new item.
pub(crate) fn check_fresh_id(
    what: &'static str,
    id: &str,
    taken: bool,
) -> Result<(), WorkflowFault> {
    match (is_id(id), taken) {
        (false, _) => Err(WorkflowFault::invalid(
            "id",
            "letters, digits, `.`, `_` and `-`, at most 100 bytes",
            id,
        )),
        (_, true) => Err(WorkflowFault::Exists {
            what,
            id: id.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Whether a reason is there: the fold asks for it too, whatever wrote the event.
pub(crate) fn needs_reason(reason: Option<&str>) -> Result<(), WorkflowFault> {
    if reason.is_some_and(|reason| !reason.trim().is_empty()) {
        Ok(())
    } else {
        Err(WorkflowFault::Missing { field: "reason" })
    }
}

/// Whether there are no more than a limit permits.
pub(crate) fn at_most(what: &'static str, count: usize, max: usize) -> Result<(), WorkflowFault> {
    if count > max {
        return Err(WorkflowFault::TooMany { what, count, max });
    }
    Ok(())
}

/// Whether an item keeps one more review.
pub(crate) fn room_for_review(reviews: usize) -> Result<(), WorkflowFault> {
    at_most("reviews of one item", reviews + 1, limits::REVIEWS_MAX)
}

/// The fault of a change of approved work.
pub(crate) fn already_approved_fault(what: &'static str, id: &str) -> WorkflowFault {
    WorkflowFault::first(
        format!("the {what} `{id}` is approved"),
        format!("request changes with `{what}:request_changes` first"),
    )
}
