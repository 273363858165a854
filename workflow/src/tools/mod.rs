//! The tools of workflows: one for each transition, and those that read. A tool decides on the newest state, writes its events, and then
//! the files below `workflow/` that show them.

mod advance;
mod changes;
pub mod examples;
pub mod governance;
pub mod log;
mod reads;
mod spawn;
mod transitions;
mod views;

use tool_core::{
    Capability, Category, Determinism, Effect, ErasedTool, Permission, Spec, tool_entry,
};

use crate::decide;

/// The tools of this family, in the order of the documentation.
pub static TOOLS: &[ErasedTool] = &[
    tool_entry::<decide::RequestCreate>(),
    tool_entry::<decide::RequestApprove>(),
    tool_entry::<decide::RequestRequestChanges>(),
    tool_entry::<decide::RequestClose>(),
    tool_entry::<reads::RequestList>(),
    tool_entry::<decide::ChainCreate>(),
    tool_entry::<decide::ChainApprove>(),
    tool_entry::<decide::ChainRequestChanges>(),
    tool_entry::<reads::ChainStatusArgs>(),
    tool_entry::<reads::ChainList>(),
    tool_entry::<reads::ChainSummary>(),
    tool_entry::<decide::TaskCreate>(),
    tool_entry::<decide::TaskReady>(),
    tool_entry::<decide::TaskStart>(),
    tool_entry::<decide::TaskSubmit>(),
    tool_entry::<decide::TaskApprove>(),
    tool_entry::<decide::TaskRequestChanges>(),
    tool_entry::<decide::TaskBlock>(),
    tool_entry::<decide::TaskUnblock>(),
    tool_entry::<reads::TaskStatusArgs>(),
    tool_entry::<reads::TaskList>(),
    tool_entry::<decide::FeedbackCreate>(),
    tool_entry::<decide::FeedbackRespond>(),
    tool_entry::<decide::FeedbackDismiss>(),
    tool_entry::<reads::FeedbackList>(),
    tool_entry::<transitions::WorkflowStart>(),
    tool_entry::<advance::WorkflowAdvance>(),
    tool_entry::<decide::WorkflowPause>(),
    tool_entry::<decide::WorkflowResume>(),
    tool_entry::<decide::WorkflowDiscard>(),
    tool_entry::<reads::WorkflowStatusArgs>(),
    tool_entry::<decide::RequestApproval>(),
    tool_entry::<decide::GateSatisfy>(),
    tool_entry::<decide::LockAcquire>(),
    tool_entry::<decide::LockRelease>(),
    tool_entry::<reads::LockStatus>(),
    tool_entry::<governance::GovernanceCheck>(),
    tool_entry::<spawn::SpawnAgent>(),
    tool_entry::<spawn::SpawnImplSession>(),
];

/// The tags of the tools that change items; `registry/roles.yaml` denies them to those who only lead.
const CHANGING_TAGS: &[&str] = &["workflow", "transition"];

/// What the tools that change items share.
const CHANGES: Spec = Spec {
    category: Category::Workflow,
    tags: CHANGING_TAGS,
    effects: &[Effect::SystemState],
    permissions: &[Permission::Workflow],
    capabilities: &[Capability::Events],
    idempotent: false,
    determinism: Determinism::External,
    ..Spec::pure()
};

/// What the tools that read share.
const READS: Spec = Spec {
    category: Category::Workflow,
    tags: &["workflow", "items"],
    permissions: &[Permission::Workflow],
    capabilities: &[Capability::Events],
    determinism: Determinism::External,
    ..Spec::pure()
};
