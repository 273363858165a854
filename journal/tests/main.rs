//! The journal as its callers see it: tools' memory, notifications, backups.

mod backups;
mod memory;
mod notices;
mod pipelines;
mod pruning;
mod support;

use journal::StateStore;
