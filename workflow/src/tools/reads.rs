//! The tools that read.

use tool_core::{Capability, Ctx, Decode, Describe, Encode, JsonExample, Result, Spec, Tool};

use super::views::{
    ChainRow, FeedbackView, LockView, RequestRow, ReviewView, TaskRow, TaskView, WorkflowView,
    review_views, views,
};
use super::{READS, examples, log};
use crate::EventTime;
use crate::names::{
    ChainStatus, FeedbackStatus, RequestKind, RequestStatus, TaskStatus, WorkflowStatus,
};

/// Defines arguments, in the spelling of the other tools.
macro_rules! args {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })+) => {$(
        #[derive(Debug, Clone, Encode, Decode, Describe)]
        #[value(deny_unknown_fields, rename_all = "camelCase")]
        $(#[$doc])*
        pub(super) struct $name {
            $($(#[$field_doc])* $field: $type,)*
        }
    )+};
}

args! {
    /// Show a task.
    TaskStatusArgs {
        /// Id of the chain.
        chain_id: String,
        /// Id of the task.
        task_id: String,
    }

    /// List the tasks of a chain.
    TaskList {
        /// Id of the chain.
        chain_id: String,
        /// Only tasks with this status.
        status: Option<TaskStatus>,
    }

    /// Show a chain with its tasks.
    ChainStatusArgs {
        /// Id of the chain.
        chain_id: String,
    }

    /// List chains.
    ChainList {
        /// Only chains of this request.
        request_id: Option<String>,
        /// Only chains with this status.
        status: Option<ChainStatus>,
    }

    /// Summarise a chain for a review: what each task was for and what was done.
    ChainSummary {
        /// Id of the chain.
        chain_id: String,
    }

    /// List requests.
    RequestList {
        /// Only requests of this kind.
        r#type: Option<RequestKind>,
        /// Only requests with this status.
        status: Option<RequestStatus>,
    }

    /// List feedback with its answers, newest first.
    FeedbackList {
        /// Only feedback in this workflow.
        workflow_id: Option<String>,
        /// Only feedback with this status.
        status: Option<FeedbackStatus>,
        /// Only feedback of this author.
        author: Option<String>,
        /// Only feedback that blocks, or only feedback that does not.
        blocking: Option<bool>,
    }

    /// Show a workflow with its stages; without an id every workflow.
    WorkflowStatusArgs {
        /// Id of the workflow.
        workflow_id: Option<String>,
        /// Only workflows with this status.
        status: Option<WorkflowStatus>,
    }

    /// List locks of files that hold now.
    LockStatus {
        /// Only the lock of this chain.
        chain_id: Option<String>,
    }
}

views! {
    /// Tasks of a chain.
    Tasks {
        /// Id of the chain.
        chain_id: String,
        /// The tasks, in order.
        tasks: Vec<TaskRow>,
    }

    /// A chain with its tasks.
    ChainView {
        /// The chain.
        chain: ChainRow,
        /// What it is about.
        description: String,
        /// The chain that has to be done before.
        depends_on: Option<String>,
        /// Patterns of the files it changes.
        file_scope: Vec<String>,
        /// Its reviews, oldest first.
        reviews: Vec<ReviewView>,
        /// Its tasks, in order.
        tasks: Vec<TaskRow>,
    }

    /// Chains.
    Chains {
        /// The chains, by id.
        chains: Vec<ChainRow>,
    }

    /// A chain for a review.
    Summary {
        /// The chain.
        chain: ChainRow,
        /// Its tasks with objectives, summaries and reviews, in order.
        tasks: Vec<TaskView>,
    }

    /// Requests.
    Requests {
        /// The requests, by id.
        requests: Vec<RequestRow>,
    }

    /// Feedback.
    FeedbackItems {
        /// The feedback, newest first.
        feedback: Vec<FeedbackView>,
    }

    /// Workflows.
    Workflows {
        /// The workflows, by id.
        workflows: Vec<WorkflowView>,
    }

    /// Locks.
    Locks {
        /// The locks, by chain.
        locks: Vec<LockView>,
    }
}

/// Makes tools: id, title, result, and what they read from a state.
macro_rules! reads {
    ($($args:ident: $id:literal, $title:literal, |$given:ident, $state:ident| -> $output:ident $body:block)+) => {$(
        impl Tool for $args {
            const SPEC: Spec = READS.with_name($id, $title);
            type Output = $output;
            const EXAMPLES: &'static [JsonExample] = examples::$args;

            fn run($given: Self, ctx: &Ctx) -> Result<$output> {
                let $state = log::current_state(ctx.events()?)?;
                $body
            }
        }
    )+};
}

reads! {
    TaskStatusArgs: "task:status", "Show a task", |args, state| -> TaskView {
        let task = state.task(&args.chain_id, &args.task_id)?;
        Ok(TaskView::of(&args.chain_id, task))
    }

    TaskList: "task:list", "List the tasks of a chain", |args, state| -> Tasks {
        let chain = state.chain(&args.chain_id)?;
        let wanted = chain.tasks.iter().filter(|task| args.status.is_none_or(|status| task.status == status));
        let tasks = wanted.map(TaskRow::from).collect();
        Ok(Tasks { chain_id: args.chain_id, tasks })
    }

    ChainStatusArgs: "chain:status", "Show a chain", |args, state| -> ChainView {
        let chain = state.chain(&args.chain_id)?;
        Ok(ChainView {
            chain: chain.into(),
            description: chain.description.clone(),
            depends_on: chain.depends_on.clone(),
            file_scope: chain.file_scope.clone(),
            reviews: review_views(&chain.reviews),
            tasks: chain.tasks.iter().map(TaskRow::from).collect(),
        })
    }

    ChainList: "chain:list", "List chains", |args, state| -> Chains {
        if let Some(request) = &args.request_id {
            state.request(request)?;
        }
        let of_request = |request: &String| args.request_id.as_ref().is_none_or(|wanted| wanted == request);
        let all = state.chains().values().filter(|chain| of_request(&chain.request)).map(ChainRow::from);
        let chains = all.filter(|chain| args.status.is_none_or(|status| chain.status == status)).collect();
        Ok(Chains { chains })
    }

    ChainSummary: "chain:summary", "Summarise a chain for a review", |args, state| -> Summary {
        let chain = state.chain(&args.chain_id)?;
        let tasks = chain.tasks.iter().map(|task| TaskView::of(&chain.id, task)).collect();
        Ok(Summary { chain: chain.into(), tasks })
    }

    RequestList: "request:list", "List requests", |args, state| -> Requests {
        let all = state.requests().values().map(|request| RequestRow::of(&state, request));
        let wanted = |row: &RequestRow| {
            args.r#type.is_none_or(|kind| row.r#type == kind) && args.status.is_none_or(|status| row.status == status)
        };
        Ok(Requests { requests: all.filter(wanted).collect() })
    }

    FeedbackList: "feedback:list", "List feedback with its answers", |args, state| -> FeedbackItems {
        if let Some(workflow) = &args.workflow_id {
            state.workflow(workflow)?;
        }
        let workflows = state.workflows().values();
        let workflows = workflows.filter(|workflow| args.workflow_id.as_ref().is_none_or(|wanted| *wanted == workflow.id));
        let all = workflows.flat_map(|workflow| workflow.feedback.values().map(move |one| (workflow, one)));
        let mut found: Vec<_> = all
            .filter(|(_, one)| {
                args.status.is_none_or(|status| one.status == status)
                    && args.blocking.is_none_or(|blocking| one.blocking == blocking)
                    && args.author.as_ref().is_none_or(|author| *author == one.author.principal)
            })
            .collect();
        found.sort_by(|(_, one), (_, other)| other.created.cmp(&one.created).then_with(|| other.id.cmp(&one.id)));
        let feedback = found.iter().map(|(workflow, one)| FeedbackView::of(&workflow.id, one)).collect();
        Ok(FeedbackItems { feedback })
    }

    WorkflowStatusArgs: "workflow:status", "Show workflows", |args, state| -> Workflows {
        let wanted: Vec<_> = match &args.workflow_id {
            Some(id) => vec![state.workflow(id)?],
            None => state.workflows().values().collect(),
        };
        let all = wanted.into_iter().map(WorkflowView::from);
        let workflows = all.filter(|view| args.status.is_none_or(|status| view.status == status)).collect();
        Ok(Workflows { workflows })
    }
}

impl Tool for LockStatus {
    const SPEC: Spec = Spec {
        capabilities: &[Capability::Events, Capability::Clock],
        ..READS
    }
    .with_name("lock:status", "List locks of files");
    type Output = Locks;
    const EXAMPLES: &'static [JsonExample] = examples::LockStatus;

    fn run(args: Self, ctx: &Ctx) -> Result<Locks> {
        let state = log::current_state(ctx.events()?)?;
        if let Some(chain) = &args.chain_id {
            state.chain(chain)?;
        }
        let now = EventTime(i64::try_from(ctx.clock()?.unix_ms()).unwrap_or(i64::MAX));
        let wanted = |lock: &&crate::state::ChainLock| {
            args.chain_id
                .as_ref()
                .is_none_or(|chain| *chain == lock.chain)
        };
        let locks = state
            .locks_at(now)
            .filter(wanted)
            .map(LockView::from)
            .collect();
        Ok(Locks { locks })
    }
}
