//! What workflows, gates, feedback, locks and agents permit.

use super::{at_most, check_fresh_id};
use crate::actor::EventTime;
use crate::event::{FeedbackCreated, GateSatisfied, LockAcquired, WorkflowStarted};
use crate::fault::WorkflowFault;
use crate::governance::collide;
use crate::limits;
use crate::names::{ChainStatus, GateAction, GateKind};
use crate::state::{ChainLock, StartedAgent, TaskChain, WorkflowInstance, WorkflowState};
use crate::template::{CommandResult, WorkflowStage};

impl WorkflowState {
    pub(super) fn may_ask(&self, data: &FeedbackCreated) -> Result<(), WorkflowFault> {
        let workflow = self.open_workflow(&data.workflow)?;
        check_fresh_id(
            "feedback",
            &data.feedback,
            workflow.feedback.contains_key(&data.feedback),
        )?;
        at_most(
            "feedback items in one workflow",
            workflow.feedback.len() + 1,
            limits::FEEDBACK_MAX,
        )?;
        match (&data.chain, &data.task) {
            (None, Some(_)) => Err(WorkflowFault::Missing { field: "chainId" }),
            (Some(chain), Some(task)) => self.task(chain, task).map(drop),
            (Some(chain), None) => self.chain(chain).map(drop),
            (None, None) => Ok(()),
        }
    }

    pub(super) fn may_start(&self, data: &WorkflowStarted) -> Result<(), WorkflowFault> {
        check_fresh_id(
            "workflow",
            &data.workflow,
            self.workflows.contains_key(&data.workflow),
        )?;
        at_most("stages", data.stages.len(), limits::STAGES_MAX)?;
        if data.stage >= data.stages.len() {
            return Err(WorkflowFault::invalid(
                "stage",
                format!("a number below {}", data.stages.len()),
                &data.stage.to_string(),
            ));
        }
        let empty = |stage: &WorkflowStage| {
            stage.gate.kind == GateKind::VerificationPass && stage.gate.commands.is_empty()
        };
        if data.stages.iter().any(empty) {
            return Err(WorkflowFault::Missing { field: "commands" });
        }
        if let Some(request) = &data.request {
            self.open_request(request)?;
        }
        let Some(chain) = &data.chain else {
            return Ok(());
        };
        let chain = self.chain(chain)?;
        self.open_request(&chain.request)?;
        match &data.request {
            Some(request) if *request != chain.request => Err(WorkflowFault::invalid(
                "chainId",
                format!("a chain of the request `{request}`"),
                &chain.id,
            )),
            _ => Ok(()),
        }
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

    pub(super) fn may_leave(
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

    pub(super) fn may_satisfy(&self, data: &GateSatisfied) -> Result<(), WorkflowFault> {
        let workflow = self.at_stage(&data.workflow, data.stage)?;
        let gate = &workflow.stages[data.stage].gate;
        if workflow.gates[data.stage].satisfied.is_some() || !gate.needs_event() {
            return Err(WorkflowFault::first(
                format!(
                    "the gate of stage `{}` of `{}` is satisfied already",
                    workflow.stages[data.stage].name, workflow.id
                ),
                "advance with `workflow:advance`",
            ));
        }
        match gate.kind {
            GateKind::HumanApproval if !workflow.awaits(data.stage) => Err(workflow.unsatisfied()),
            GateKind::HumanApproval => match gate.choose(data.option.as_deref())? {
                GateAction::Advance => Ok(()),
                GateAction::Discard => Err(WorkflowFault::invalid(
                    "option",
                    "an option that advances",
                    data.option.as_deref().unwrap_or_default(),
                )),
            },
            GateKind::ChainComplete => self.chains_complete(workflow),
            GateKind::VerificationPass => workflow.verified(&data.results),
            GateKind::Auto | GateKind::PostCommit | GateKind::SessionHandoff => Ok(()),
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

    pub(super) fn may_lock(
        &self,
        data: &LockAcquired,
        now: EventTime,
    ) -> Result<(), WorkflowFault> {
        self.chain(&data.chain)?;
        let length = data.expires.0.saturating_sub(now.0);
        if length <= 0 || length > limits::LOCK_MS_MAX {
            return Err(WorkflowFault::invalid(
                "ttlMs",
                format!("1 to {}", limits::LOCK_MS_MAX),
                &length.to_string(),
            ));
        }
        let held = self.locks_at(now).map(ChainLock::held);
        collide::check_lock_overlap(&data.chain, &data.patterns, held)
    }

    pub(super) fn live_agent(&self, id: &str) -> Result<&StartedAgent, WorkflowFault> {
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

pub(super) fn wrong_stage(workflow: &WorkflowInstance, stage: usize) -> WorkflowFault {
    WorkflowFault::invalid(
        "stage",
        format!("{}, where the workflow is", workflow.stage),
        &stage.to_string(),
    )
}
