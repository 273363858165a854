//! Capabilities: the interfaces of tools and runtime parts to the outside, as traits that the binary implements.
//!
//! A tool sees only those it declares in its [`Spec`](crate::Spec). The crates that decide and schedule know the world only
//! through [`Clock`], [`ArrayLoader`], [`AuditLedger`] and [`ApprovalStore`].

mod algebra;
mod calls;
mod client;
mod commits;
mod events;
mod files;
mod host;
mod http;
mod model;
mod records;

pub use algebra::ComputerAlgebra;
pub use calls::{
    AgentReport, BudgetRaise, CallDelegation, ChainRequest, OperatorQuestion, PipelineRequest,
    PreparedAgent, ToolCaller,
};
pub use client::{CallClient, ClientQuestion, cannot_answer, input_required};
pub use commits::{CommitRules, Presence};
pub use events::{CallerIdentity, Decide, EventLog, Memo, Show};
pub use files::{
    ArrayLoader, DiskSpace, DraftFolder, FileCall, FileChange, FileContent, FileInfo, FileKind,
    FileReader, LinkMode, WorkspaceFiles, WriteMode, could_be_one_name, fold_file_name, near_path,
};
pub use host::{
    Clock, ClockAlarm, OpenWorkspace, Reload, Spawner, ToolStateStore, WorkspaceOpener,
};
pub use http::{HostJudge, HttpMethod, HttpRequest, HttpResponse, HttpService, HttpTransport};
pub use model::{
    LanguageModel, MessageImage, MessageSpeaker, ModelMessage, ModelReply, TextEmbeddings,
};
pub use records::{
    ApprovalFallback, ApprovalRequest, ApprovalState, ApprovalStore, AskedQuestion, AuditLedger,
    BackupCopy, BackupStore, EditedGrant, LedgerHead, Notification, NotificationLog,
    RecordDurability,
};
