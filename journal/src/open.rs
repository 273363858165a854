//! The chains that this process writes, with their unwritten records.

use std::collections::HashMap;

use registry::WorkspaceId;
use rusqlite::{Transaction, params};
use tool_core::{Result, StopFlag};

use super::chain::RecordChain;
use super::lease::{self, LeaseTime, RENEWAL};
use super::packs::RecordPacks;
use super::sql;
use super::waiting::WriteBuffer;

/// The chains that this process writes.
pub(super) struct OpenChains {
    /// The chain of direct calls.
    pub(super) own: RecordChain,
    /// The chains of runs, by the key of their journal: one run may have had several journals.
    pub(super) runs: HashMap<String, OpenRun>,
    /// Values that are not in the file yet.
    pub(super) values: WriteBuffer,
}

/// A run that this process writes.
pub(super) struct OpenRun {
    pub(super) id: String,
    pub(super) chain: RecordChain,
    /// Records of elements that wait for their packs, before those of the chain.
    pub(super) packs: RecordPacks,
    /// The fencing number of the lease.
    pub(super) fence: i64,
    pub(super) renewed_up_ms: u64,
    /// Set when another process took over the run, or it ended: no more records are written.
    pub(super) closed: Option<RunEnd>,
    /// Whether any record was synced: then its end is synced too.
    pub(super) synced: bool,
    /// A flag to set when another process requests the cancellation of the run.
    pub(super) watched: Option<StopFlag>,
}

/// The reason why a run takes no more records.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RunEnd {
    Lost,
    Ended,
}

/// The chain of a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainTarget<'a> {
    /// The chain of direct calls.
    Own,
    /// The chain of a run, by the key of its journal.
    Run(&'a str),
}

impl OpenChains {
    /// Finds the chain of a target.
    ///
    /// # Errors
    /// `run_lost` or `run_ended` for a run that this process no longer holds.
    pub(super) fn of(&mut self, target: ChainTarget<'_>) -> Result<&mut RecordChain> {
        match target {
            ChainTarget::Own => Ok(&mut self.own),
            ChainTarget::Run(id) => self.run(id).map(|run| &mut run.chain),
        }
    }

    pub(super) fn run(&mut self, key: &str) -> Result<&mut OpenRun> {
        match self.runs.get_mut(key) {
            None => Err(lease::run_lost_error(key)),
            Some(run) => match run.closed {
                None => Ok(run),
                Some(RunEnd::Lost) => Err(lease::run_lost_error(&run.id)),
                Some(RunEnd::Ended) => Err(lease::run_ended_error(&run.id)),
            },
        }
    }

    pub(super) fn unwritten(&self) -> usize {
        let packed = self.runs.values().map(|run| run.packs.len());
        self.unpacked() + packed.sum::<usize>()
    }

    /// As [`OpenChains::unwritten`], without the records that wait for their packs.
    pub(super) fn unpacked(&self) -> usize {
        let runs = self.runs.values().map(|run| run.chain.unwritten());
        self.own.unwritten() + self.values.len() + runs.sum::<usize>()
    }

    /// Appends a record to a chain, after the packs of the records before it.
    ///
    /// # Errors
    /// As [`OpenChains::of`].
    pub(super) fn append(&mut self, target: ChainTarget<'_>, body: String) -> Result<()> {
        if let ChainTarget::Run(key) = target {
            self.run(key)?;
            self.close_packs(key);
        }
        self.of(target)?.append(body);
        Ok(())
    }

    /// Closes the packs of a run.
    pub(super) fn close_packs(&mut self, key: &str) {
        let Some(run) = self.runs.get_mut(key) else {
            return;
        };
        for closed in run.packs.take() {
            if let Some((hash, body)) = closed.value {
                self.values.add(&run.id, hash, Some(body));
            }
            run.chain.append(closed.body);
        }
    }

    /// Closes the packs of all runs.
    pub(super) fn close_all_packs(&mut self) {
        let open = self.runs.iter().filter(|(_, run)| run.packs.len() > 0);
        let keys: Vec<String> = open.map(|(key, _)| key.clone()).collect();
        keys.iter().for_each(|key| self.close_packs(key));
    }

    /// Whether the lease of a run is to be renewed.
    pub(super) fn wants_renewal(&self, up_ms: u64) -> bool {
        let old = RENEWAL.as_millis() as u64;
        let mut open = self.runs.values().filter(|run| run.closed.is_none());
        open.any(|run| up_ms.saturating_sub(run.renewed_up_ms) >= old)
    }

    /// Writes all pending records, except those of runs that other processes have taken over, which are returned.
    pub(super) fn write(
        &self,
        transaction: &Transaction<'_>,
        target: ChainTarget<'_>,
        now: LeaseTime,
        folder: Option<&WorkspaceId>,
    ) -> rusqlite::Result<LeaseChanges> {
        let mut done = LeaseChanges::default();
        if self.own.unwritten() > 0 {
            self.own.write_pending(transaction, folder)?;
        }
        for (key, run) in self.runs.iter().filter(|(_, run)| run.closed.is_none()) {
            let old = now.up_ms.saturating_sub(run.renewed_up_ms) >= RENEWAL.as_millis() as u64;
            let is_target = target == ChainTarget::Run(key);
            if run.chain.unwritten() == 0 && !is_target && !old {
                continue;
            }
            const FENCE: &str = "SELECT lease_fence FROM runs WHERE id = ?";
            let fence: Option<i64> = sql::first_row(transaction, FENCE, [&run.id])?;
            if fence != Some(run.fence) {
                done.lost.push(key.clone());
                continue;
            }
            run.chain.write_pending(transaction, folder)?;
            if old {
                let until = lease::lease_end(now);
                const RENEW: &str =
                    "UPDATE runs SET lease_until_ms = ?, lease_up_ms = ? WHERE id = ?";
                let params = params![until.unix_ms as i64, until.up_ms as i64, run.id];
                sql::execute_statement(transaction, RENEW, params)?;
                done.renewed.push(key.clone());
            }
        }
        self.values.write(transaction, now.unix_ms)?;
        Ok(done)
    }

    /// Notes that the records of [`OpenChains::write`] were committed.
    pub(super) fn written(
        &mut self,
        done: &LeaseChanges,
        target: ChainTarget<'_>,
        link: bool,
        now: LeaseTime,
    ) {
        if self.own.unwritten() > 0 || (link && target == ChainTarget::Own) {
            self.own.written(link && target == ChainTarget::Own);
        }
        for (key, run) in &mut self.runs {
            if run.closed.is_none() && !done.lost.contains(key) {
                run.chain.written(link && target == ChainTarget::Run(key));
            }
            if done.renewed.contains(key) {
                run.renewed_up_ms = now.up_ms;
            }
        }
        self.values.clear();
    }

    pub(super) fn close_lost(&mut self, done: &LeaseChanges) {
        for key in &done.lost {
            if let Some(run) = self.runs.get_mut(key) {
                run.closed = Some(RunEnd::Lost);
                run.chain.discard();
                run.packs.clear();
            }
        }
    }
}

/// The runs that a transaction found lost, and those whose leases it renewed.
#[derive(Default)]
pub(super) struct LeaseChanges {
    lost: Vec<String>,
    renewed: Vec<String>,
}
