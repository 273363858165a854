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

use tool_core::{Capability, Category, Determinism, Effect, ErasedTool, Permission, Spec, entry};

use crate::decide;

/// The tools of this family, in the order of the documentation.
pub static TOOLS: &[ErasedTool] = &[
    entry::<decide::RequestCreate>(),
    entry::<decide::RequestApprove>(),
    entry::<decide::RequestRequestChanges>(),
    entry::<decide::RequestClose>(),
    entry::<reads::RequestList>(),
    entry::<decide::ChainCreate>(),
    entry::<decide::ChainApprove>(),
    entry::<decide::ChainRequestChanges>(),
    entry::<reads::ChainStatusArgs>(),
    entry::<reads::ChainList>(),
    entry::<reads::ChainSummary>(),
    entry::<decide::TaskCreate>(),
    entry::<decide::TaskReady>(),
    entry::<decide::TaskStart>(),
    entry::<decide::TaskSubmit>(),
    entry::<decide::TaskApprove>(),
    entry::<decide::TaskRequestChanges>(),
    entry::<decide::TaskBlock>(),
    entry::<decide::TaskUnblock>(),
    entry::<reads::TaskStatusArgs>(),
    entry::<reads::TaskList>(),
    entry::<decide::FeedbackCreate>(),
    entry::<decide::FeedbackRespond>(),
    entry::<decide::FeedbackDismiss>(),
    entry::<reads::FeedbackList>(),
    entry::<transitions::WorkflowStart>(),
    entry::<advance::WorkflowAdvance>(),
    entry::<decide::WorkflowPause>(),
    entry::<decide::WorkflowResume>(),
    entry::<decide::WorkflowDiscard>(),
    entry::<reads::WorkflowStatusArgs>(),
    entry::<decide::RequestApproval>(),
    entry::<decide::GateSatisfy>(),
    entry::<decide::LockAcquire>(),
    entry::<decide::LockRelease>(),
    entry::<reads::LockStatus>(),
    entry::<governance::GovernanceCheck>(),
    entry::<spawn::SpawnAgent>(),
    entry::<spawn::SpawnImplSession>(),
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
