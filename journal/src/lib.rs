//! The journal: audit log, approvals and runs in one SQLite file, `state.db`.
//!
//! Read [`StateStore`] first. It implements the [`Ledger`](tool_core::capability::AuditLedger) (every call is a record in a hash chain) and [`Approvals`](tool_core::capability::ApprovalStore) (requests and their
//! answers), and has the operator's views of both: `approvals`, `approve`, `decline` in `approvals.rs`; `audit_list`, `audit_show`,
//! `export` in `audit.rs`, `verify` in `verify/`. The schema and its migrations are in `schema.rs` and nowhere else.
//!
//! Every opened state has a hash chain of its own, so that processes never wait for the chain of another. Chains are linked when
//! they begin and end in the table `heads`, whose newest row confirms all of them. A durable run has such a chain too: its
//! [`Journal`] (`begin_run`, `take_run` in `runs.rs`) is a ledger of its own, held by one process at a time (`lease.rs`). Its values
//! are stored outside the chain (`values.rs`, [`crate::artifacts`]), cached for later runs (`cache.rs`) and collected when
//! no run refers to them (`gc.rs`). Old chains are removed whole, and a cut remains (`prune.rs`, `cut.rs`); `room.rs` measures the files and
//! shrinks them.
//!
//! # Durability
//! Records with [`Durability::Synced`](tool_core::capability::RecordDurability::Synced) are on disk before `record` returns. Batched ones are written by a thread of the state
//! within milliseconds, and at the latest by [`StateStore::close`] or when the state is dropped: a killed process can lose the
//! last few, a power cut a few more; the chain stays intact in both cases.

pub mod anomalies;
mod approvals;
pub mod artifacts;
mod audit;
mod backups;
mod cache;
mod cancelling;
mod chain;
mod counts;
mod cut;
mod error;
pub mod failpoints;
mod folders;
mod gc;
mod grants;
mod journal;
mod lease;
mod ledger;
mod local_disk;
mod memory;
mod notices;
mod open;
mod overdue;
mod packs;
mod pipelines;
mod private;
mod prune;
mod random;
mod read_only;
mod receipt;
mod requests;
mod run;
mod runs;
mod schedules;
mod schema;
mod scope;
mod seal;
mod size;
mod slices;
mod snapshot;
mod sql;
mod state;
mod values;
mod verify;
mod waiting;
mod watching;
mod workflow;

#[cfg(test)]
mod tests;

pub use self::approvals::{Approval, WITHOUT_KEY};
pub use self::audit::{AuditFilter, AuditRecord, parse_head};
pub use self::backups::{BACKUPS, Backup, FileBackups};
pub use self::cut::ChainCut;
pub use self::gc::{COLLECTED_KEY, GcReport, RetentionPolicy};
pub use self::journal::Journal;
pub use self::lease::LEASE;
pub use self::notices::NoticeRecord;
pub use self::overdue::BY_TIMEOUT;
pub use self::pipelines::{PipelineEvent, PipelineRecord, PipelineRequester};
pub use self::prune::PruneReport;
pub use self::random::random_id as new_id;
pub use self::receipt::CallReceipt;
pub use self::requests::{REQUEST_HOURS, RequestClaim, key_reused, request_name};
pub use self::run::{
    END_KEY, LISTS_KEY, RunHeader, RunHolder, RunRecord, RunState, StoredEnd, named_values,
};
pub use self::runs::RunFilter;
pub use self::schedules::{DueClaim, DueTime, ScheduleTime};
pub use self::schema::FILE_NAME;
pub use self::scope::{OPERATOR, StateScope};
pub use self::seal::{CutKey, SEED_BYTES};
pub use self::size::{StatePartSize, StateSize, VacuumReport};
pub use self::slices::ListSlice;
pub use self::state::StateStore;
pub use self::values::StoredArtifact;
pub use self::verify::{VerificationChecks, VerificationFault, VerificationReport};
pub use self::workflow::KnownFolder;

/// The process group of this process; `None` on systems without them.
pub fn process_group() -> Option<i32> {
    #[cfg(unix)]
    return Some(rustix::process::getpgrp().as_raw_nonzero().get());
    #[cfg(not(unix))]
    None
}
