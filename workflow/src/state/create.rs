//! Items as the events that make them say.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ChainTask, GateState, TaskChain, WorkRequest, WorkflowFeedback, WorkflowInstance, WorkflowState,
};
use crate::event::{
    ChainCreated, FeedbackCreated, RequestCreated, TaskCreated, WorkflowEvent, WorkflowStarted,
};
use crate::ids;
use crate::names::FeedbackStatus;

impl WorkflowState {
    pub(super) fn add_request(&mut self, event: &WorkflowEvent, data: &RequestCreated) {
        self.count(&data.request);
        let request = WorkRequest {
            id: data.request.clone(),
            kind: data.kind,
            title: data.title.clone(),
            domain: data.domain.clone(),
            content: data.content.clone(),
            author: event.actor.clone(),
            created: event.time,
            updated: event.time,
            reviews: Vec::new(),
            closed: None,
            initial: data.status,
        };
        self.requests.insert(data.request.clone(), request);
    }

    pub(super) fn add_chain(&mut self, event: &WorkflowEvent, data: &ChainCreated) {
        self.chain_counter = self
            .chain_counter
            .max(ids::chain_number(&data.chain).unwrap_or(0));
        let chain = TaskChain {
            id: data.chain.clone(),
            request: data.request.clone(),
            title: data.title.clone(),
            kind: data.kind,
            description: data.description.clone(),
            depends_on: data.depends_on.clone(),
            file_scope: data.file_scope.clone(),
            skip_design: data.skip_design.clone(),
            author: event.actor.clone(),
            created: event.time,
            updated: event.time,
            reviews: Vec::new(),
            tasks: Vec::new(),
            task_counter: 0,
        };
        self.chains.insert(data.chain.clone(), chain);
    }

    pub(super) fn add_workflow(&mut self, event: &WorkflowEvent, data: &WorkflowStarted) {
        self.count(&data.workflow);
        let mut gates = vec![GateState::default(); data.stages.len()];
        gates[data.stage].opened_by = Some(event.actor.principal.clone());
        let workflow = WorkflowInstance {
            id: data.workflow.clone(),
            template: data.template.clone(),
            request: data.request.clone(),
            chain: data.chain.clone(),
            stages: data.stages.clone(),
            stage: data.stage,
            author: event.actor.clone(),
            created: event.time,
            updated: event.time,
            paused: None,
            ended: None,
            gates,
            feedback: BTreeMap::new(),
            feedback_counter: 0,
        };
        self.workflows.insert(data.workflow.clone(), workflow);
    }

    /// Numbers of ids with a date are never given twice.
    fn count(&mut self, id: &str) {
        if let Some((prefix, number)) = ids::dated_number(id) {
            let counter = self.dated_counters.entry(prefix.to_owned()).or_default();
            *counter = number.max(*counter);
        }
    }
}

impl TaskChain {
    pub(super) fn add(&mut self, event: &WorkflowEvent, data: &TaskCreated) {
        self.task_counter = self
            .task_counter
            .max(ids::task_number(&data.task).unwrap_or(0));
        self.tasks.push(ChainTask {
            id: data.task.clone(),
            title: data.title.clone(),
            kind: data.kind,
            status: data.status,
            brief: data.brief.clone(),
            rework_of: data.rework_of.clone(),
            rework_count: data.rework_count,
            author: event.actor.clone(),
            created: event.time,
            updated: event.time,
            submitter: None,
            submitters: BTreeSet::new(),
            summary: None,
            reviews: Vec::new(),
            blocked: None,
        });
    }
}

impl WorkflowInstance {
    pub(super) fn ask(&mut self, event: &WorkflowEvent, data: &FeedbackCreated) {
        self.feedback_counter = self
            .feedback_counter
            .max(ids::feedback_number(&data.feedback).unwrap_or(0));
        let feedback = WorkflowFeedback {
            id: data.feedback.clone(),
            kind: data.kind,
            content: data.content.clone(),
            priority: data.priority,
            blocking: data.blocking,
            context: data.context.clone(),
            chain: data.chain.clone(),
            task: data.task.clone(),
            stage: self.stage,
            author: event.actor.clone(),
            created: event.time,
            updated: event.time,
            status: FeedbackStatus::Pending,
            response: None,
            dismissed: None,
        };
        self.feedback.insert(data.feedback.clone(), feedback);
    }
}
