//! Capabilities: the interfaces of tools and runtime parts to the outside, as traits that the binary implements.
//!
//! A tool sees only those it declares in its [`Spec`](crate::Spec). The crates that decide and schedule know the world only
//! through [`Clock`], [`Arrays`], [`Ledger`] and [`Approvals`].

mod calls;
mod client;
mod commits;
mod events;
mod files;
mod host;
mod http;
mod model;
mod records;

pub use calls::{
    AgentReport, BudgetRaise, Calls, ChainRequest, Delegation, PreparedAgent, Question,
};
pub use client::{Ask, Client, cannot_answer, input_required};
pub use commits::{CommitRules, Presence};
pub use events::{Decide, EventLog, Identity, Memo, Show};
pub use files::{
    Arrays, Change, Draft, FileCall, FileContent, FileInfo, FileKind, FileReader, Files, Links,
    Space, WriteMode, could_be_one_name, folded, near_path,
};
pub use host::{Alarm, Clock, OpenWorkspace, Reload, Spawner, State, Workspaces};
pub use http::{HostJudge, Http, HttpMethod, HttpRequest, HttpResponse, HttpService};
pub use model::{Embeddings, Image, Message, Model, Reply, Speaker};
pub use records::{
    ApprovalRequest, ApprovalState, Approvals, Asked, Backups, Durability, Kept, Ledger,
    LedgerHead, Notice, Notices,
};
