//! Items as results of tools.

use crate::EventTime;
use crate::commands::transition::next_task_statuses;
use crate::names::{
    ChainKind, ChainStatus, FeedbackKind, FeedbackStatus, GateKind, Priority, RequestKind,
    RequestStatus, StageStatus, TaskKind, TaskStatus, Verdict, WorkflowStatus,
};
use crate::state::{
    ChainLock, ChainTask, TaskChain, WorkRequest, WorkReview, WorkflowFeedback, WorkflowInstance,
    WorkflowState,
};
use tool_core::{Describe, Encode};

/// Defines results: structs with documented fields, in the spelling of the arguments.
macro_rules! views {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })+) => {$(
        #[derive(Debug, Encode, Describe)]
        #[value(rename_all = "camelCase")]
        $(#[$doc])*
        pub(super) struct $name {
            $($(#[$field_doc])* pub(super) $field: $type,)*
        }
    )+};
}
pub(super) use views;

views! {
    /// A decision about work.
    ReviewView {
        /// The decision.
        verdict: Verdict,
        /// Who decided.
        by: String,
        /// When, such as `2025-12-06T00:06:57.639Z`.
        at: String,
        /// The reason given.
        reason: Option<String>,
        /// Single suggestions.
        suggestions: Vec<String>,
    }

    /// A task.
    TaskView {
        /// Id of its chain.
        chain_id: String,
        /// Its id.
        task_id: String,
        /// Its title.
        title: String,
        /// Its kind.
        r#type: TaskKind,
        /// Its status.
        status: TaskStatus,
        /// Statuses that may follow.
        allowed: Vec<TaskStatus>,
        /// What is to be reached.
        objective: String,
        /// Files that will be touched.
        expected_files: Vec<String>,
        /// Patterns of files that may be changed.
        file_scope: Vec<String>,
        /// Conditions of acceptance.
        acceptance: Vec<String>,
        /// Constraints.
        constraints: Vec<String>,
        /// Notes.
        notes: String,
        /// Why it is blocked.
        blocked: Option<String>,
        /// The task that it repeats.
        rework_of: Option<String>,
        /// How often it was sent back.
        rework_count: u32,
        /// Who submitted it last.
        submitter: Option<String>,
        /// What its last submission says was done.
        summary: Option<String>,
        /// Its reviews, oldest first.
        reviews: Vec<ReviewView>,
        /// When it last changed.
        updated: String,
    }

    /// A task in a list.
    TaskRow {
        /// Its id.
        task_id: String,
        /// Its title.
        title: String,
        /// Its status.
        status: TaskStatus,
        /// How often it was sent back.
        rework_count: u32,
    }

    /// A chain in a list.
    ChainRow {
        /// Its id.
        chain_id: String,
        /// Its request.
        request_id: String,
        /// Its title.
        title: String,
        /// Its kind.
        r#type: ChainKind,
        /// Its status, derived from its tasks.
        status: ChainStatus,
        /// The last decision about it.
        review: Option<Verdict>,
        /// Number of its tasks.
        tasks: usize,
        /// Number of those that are done.
        done: usize,
        /// Share of tasks that are done, in percent.
        progress: u8,
        /// The task to work on.
        next_task: Option<String>,
    }

    /// A request in a list.
    RequestRow {
        /// Its id.
        request_id: String,
        /// Its kind.
        r#type: RequestKind,
        /// Its title.
        title: String,
        /// The part of the product it is about.
        domain: String,
        /// Its status.
        status: RequestStatus,
        /// How it was closed.
        closed: Option<String>,
        /// The last decision about it.
        review: Option<Verdict>,
        /// Its author.
        author: String,
        /// Its chains.
        chains: Vec<String>,
    }

    /// A question or remark, and its answer.
    FeedbackView {
        /// Id of its workflow.
        workflow_id: String,
        /// Its id in the workflow.
        feedback_id: String,
        /// Its kind.
        r#type: FeedbackKind,
        /// Its priority.
        priority: Priority,
        /// Whether the workflow is paused until there is an answer.
        blocking: bool,
        /// Its status.
        status: FeedbackStatus,
        /// The question or remark.
        content: String,
        /// Labels of possible answers.
        options: Vec<String>,
        /// Who asked.
        author: String,
        /// The chain it is about.
        chain_id: Option<String>,
        /// The task it is about.
        task_id: Option<String>,
        /// The answer.
        answer: Option<String>,
        /// The option chosen.
        selected_option: Option<String>,
        /// Who answered.
        answered_by: Option<String>,
        /// Why it was dismissed.
        dismissed: Option<String>,
    }

    /// A stage of a workflow.
    StageView {
        /// Its name.
        name: String,
        /// Its status.
        status: StageStatus,
        /// Kind of its gate.
        gate: GateKind,
        /// Question to the person, of a human gate.
        prompt: Option<String>,
        /// Possible answers.
        options: Vec<String>,
        /// Who satisfied the gate.
        satisfied_by: Option<String>,
    }

    /// A workflow.
    WorkflowView {
        /// Its id.
        workflow_id: String,
        /// Its template.
        template: String,
        /// Its status; unanswered blocking feedback pauses it.
        status: WorkflowStatus,
        /// The request it serves.
        request_id: Option<String>,
        /// The one chain it serves.
        chain_id: Option<String>,
        /// Name of its stage; none when it has ended.
        stage: Option<String>,
        /// Role that works in the stage.
        role: Option<String>,
        /// Instruction for the agents of the stage.
        prompt: Option<String>,
        /// Why it was paused.
        paused: Option<String>,
        /// Blocking feedback without an answer.
        unanswered: Vec<String>,
        /// Its stages, in order.
        stages: Vec<StageView>,
    }

    /// Files that a chain has locked.
    LockView {
        /// The chain.
        chain_id: String,
        /// Patterns of the files.
        patterns: Vec<String>,
        /// Who acquired it.
        holder: String,
        /// When it ends by itself.
        expires: String,
    }
}

fn format_time(time: EventTime) -> String {
    time.to_string()
}

fn last_verdict(reviews: &[WorkReview]) -> Option<Verdict> {
    reviews.last().map(|review| review.verdict)
}

pub(super) fn review_views(reviews: &[WorkReview]) -> Vec<ReviewView> {
    let view = |review: &WorkReview| ReviewView {
        verdict: review.verdict,
        by: review.by.clone(),
        at: format_time(review.at),
        reason: review.reason.clone(),
        suggestions: review.suggestions.clone(),
    };
    reviews.iter().map(view).collect()
}

impl TaskView {
    pub(super) fn of(chain: &str, task: &ChainTask) -> Self {
        let brief = &task.brief;
        Self {
            chain_id: chain.to_owned(),
            task_id: task.id.clone(),
            title: task.title.clone(),
            r#type: task.kind,
            status: task.status,
            allowed: next_task_statuses(task.status),
            objective: brief.objective.clone(),
            expected_files: brief.expected_files.clone(),
            file_scope: brief.file_scope.clone(),
            acceptance: brief.acceptance.clone(),
            constraints: brief.constraints.clone(),
            notes: brief.notes.clone(),
            blocked: task.blocked.clone(),
            rework_of: task.rework_of.clone(),
            rework_count: task.rework_count,
            submitter: task.submitter.clone(),
            summary: task.summary.clone(),
            reviews: review_views(&task.reviews),
            updated: format_time(task.updated),
        }
    }
}

impl From<&ChainTask> for TaskRow {
    fn from(task: &ChainTask) -> Self {
        Self {
            task_id: task.id.clone(),
            title: task.title.clone(),
            status: task.status,
            rework_count: task.rework_count,
        }
    }
}

impl From<&TaskChain> for ChainRow {
    fn from(chain: &TaskChain) -> Self {
        Self {
            chain_id: chain.id.clone(),
            request_id: chain.request.clone(),
            title: chain.title.clone(),
            r#type: chain.kind,
            status: chain.status(),
            review: last_verdict(&chain.reviews),
            tasks: chain.tasks.len(),
            done: chain.done(),
            progress: chain.progress(),
            next_task: chain.next_task().map(|task| task.id.clone()),
        }
    }
}

impl RequestRow {
    pub(super) fn of(state: &WorkflowState, request: &WorkRequest) -> Self {
        let closed = request.closed.as_ref();
        Self {
            request_id: request.id.clone(),
            r#type: request.kind,
            title: request.title.clone(),
            domain: request.domain.clone(),
            status: state.request_status(request),
            closed: closed.map(|closed| closed.outcome.as_str().to_owned()),
            review: last_verdict(&request.reviews),
            author: request.author.principal.clone(),
            chains: state
                .chains_of(&request.id)
                .map(|chain| chain.id.clone())
                .collect(),
        }
    }
}

impl FeedbackView {
    pub(super) fn of(workflow: &str, feedback: &WorkflowFeedback) -> Self {
        let response = feedback.response.as_ref();
        let options = feedback.context.options.iter();
        Self {
            workflow_id: workflow.to_owned(),
            feedback_id: feedback.id.clone(),
            r#type: feedback.kind,
            priority: feedback.priority,
            blocking: feedback.blocking,
            status: feedback.status,
            content: feedback.content.clone(),
            options: options.map(|option| option.label.clone()).collect(),
            author: feedback.author.principal.clone(),
            chain_id: feedback.chain.clone(),
            task_id: feedback.task.clone(),
            answer: response.map(|response| response.content.clone()),
            selected_option: response.and_then(|response| response.selected_option.clone()),
            answered_by: response.map(|response| response.by.clone()),
            dismissed: feedback.dismissed.clone(),
        }
    }
}

impl From<&WorkflowInstance> for WorkflowView {
    fn from(workflow: &WorkflowInstance) -> Self {
        let current = workflow.current();
        let stages = workflow.stages.iter().enumerate().map(|(number, stage)| {
            let satisfied = workflow
                .gates
                .get(number)
                .and_then(|gate| gate.satisfied.as_ref());
            StageView {
                name: stage.name.clone(),
                status: workflow.stage_status(number),
                gate: stage.gate.kind,
                prompt: stage.gate.prompt.clone(),
                options: stage
                    .gate
                    .options
                    .iter()
                    .map(|option| option.label.clone())
                    .collect(),
                satisfied_by: satisfied.map(|satisfied| satisfied.by.clone()),
            }
        });
        Self {
            workflow_id: workflow.id.clone(),
            template: workflow.template.clone(),
            status: workflow.status(),
            request_id: workflow.request.clone(),
            chain_id: workflow.chain.clone(),
            stage: current.map(|stage| stage.name.clone()),
            role: current.and_then(|stage| stage.role.clone()),
            prompt: current.and_then(|stage| stage.prompt.clone()),
            paused: workflow.paused.clone(),
            unanswered: workflow
                .unanswered()
                .map(|feedback| feedback.id.clone())
                .collect(),
            stages: stages.collect(),
        }
    }
}

impl From<&ChainLock> for LockView {
    fn from(lock: &ChainLock) -> Self {
        Self {
            chain_id: lock.chain.clone(),
            patterns: lock.patterns.clone(),
            holder: lock.holder.clone(),
            expires: format_time(lock.expires),
        }
    }
}
