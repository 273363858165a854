//! Plans past one machine: calls of pure and seeded tools that other processes compute.
//!
//! The head, which is the process that runs the plan, decides what runs, asks the policy, keeps the journal and verifies every result.
//! [`Cluster`] packs calls that are ready into tickets and gives each its result; an [`Executor`] brings tickets to workers and results
//! back. [`FilesExecutor`] does so through a folder on a shared disk, which [`serve_tickets`] is the other side of. A worker of any engine
//! computes a ticket by the rules of [`compute_ticket`]. Nothing else of a plan leaves the head: no effects, no secrets, no files, no models.
//!
//! An element of a map has its seed from its index, so that no packing and no node changes a digit. The text of a value in a ticket is the
//! exact one of the journal.

mod calls;
mod compute;
mod costs;
mod executor;
mod files;
mod folder;
mod packer;
mod ticket;
mod worker;

#[cfg(test)]
mod tests;

pub(crate) use calls::{CallGroup, RemoteOutcome, WantedCall};
pub use calls::{Cluster, ClusterSettings};
pub use compute::{TicketRequest, TicketResult, WorkerTools, compute_ticket};
pub use costs::{EngineTickets, engine_tickets};
pub(crate) use costs::{TicketCosts, count_fallback};
pub(crate) use executor::no_cluster_error;
pub use executor::{
    BuildIdentity, Executor, ExecutorReport, SubmittedTicket, TicketEvent, TicketId,
};
pub use files::{FilesExecutor, FilesSettings};
pub use worker::{WorkerOptions, WorkerReport, serve_tickets};

/// Reason of the error of a run whose ticket was computed to two different results.
pub const NONDETERMINISTIC: &str = "nondeterministic_tool";
