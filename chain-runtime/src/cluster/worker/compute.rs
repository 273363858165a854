//! A claimed ticket: its computation, and the file of its results.

use std::fs;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use tool_core::{AnyTool, StopFlag, fields};

use super::TicketWorker;
use super::runs::ServedRun;
use crate::cluster::compute::{TicketResult, compute_calls, open_ticket};
use crate::cluster::executor::TicketId;
use crate::cluster::folder::{FileFault, RunFolder, folder_error, owned_name};
use crate::cluster::ticket::TicketBody;

/// Pause after results that could not be written, and how often in a row before the worker ends.
const WRITE_PAUSE: Duration = Duration::from_millis(500);
const WRITE_FAULTS_MAX: u64 = 5;

impl TicketWorker<'_> {
    /// Computes a ticket and writes its results, or gives it back.
    pub(super) fn serve_ticket(&self, run: &ServedRun, id: TicketId) {
        let name = owned_name(&id.to_string(), &self.name);
        let claim = run.folder.place(RunFolder::CLAIMS, &name);
        let (began, node) = (Instant::now(), self.options.node.as_str());
        let result = match self.read_ticket(run, id) {
            Err(None) => None,
            Err(Some(why)) => {
                self.refused.fetch_add(1, Ordering::Relaxed);
                (self.options.log)(&format!("refused ticket {id}: {why}"));
                Some((fields! { "node" => node, "refusal" => why }, String::new()))
            }
            Ok((tool, body)) => self.compute_calls(run, id, tool, &body, began).map(|done| {
                self.calls.fetch_add(done.calls as u64, Ordering::Relaxed);
                let header = fields! {
                    "node" => node,
                    "digest" => done.digest,
                    "whole" => done.is_whole,
                    "elapsed_ms" => done.elapsed_ms,
                };
                (header, done.body)
            }),
        };
        let written = match result {
            None => None,
            Some((header, text)) => {
                let place = format!("{}/{name}", RunFolder::RESULTS);
                Some(run.folder.write(&place, &header, &text))
            }
        };
        match written {
            Some(Ok(())) => {
                let _ = fs::remove_file(&claim);
                self.tickets.fetch_add(1, Ordering::Relaxed);
                self.write_faults.store(0, Ordering::Relaxed);
            }
            given_back => {
                let _ = fs::rename(
                    &claim,
                    run.folder.place(RunFolder::TICKETS, &id.to_string()),
                );
                if let Some(Err(err)) = given_back {
                    self.note_write_fault(run, &err);
                }
            }
        }
        run.claims().remove(&id);
        *self
            .last_ticket
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// A result that cannot be written, as on a full disk: the ticket was given back.
    fn note_write_fault(&self, run: &ServedRun, err: &std::io::Error) {
        if run.folder.is_closed() {
            return;
        }
        let faults = self.write_faults.fetch_add(1, Ordering::Relaxed) + 1;
        (self.options.log)(&format!(
            "a result cannot be written, and its ticket goes back: {err}"
        ));
        match faults >= WRITE_FAULTS_MAX {
            true => self.fail(folder_error(&run.folder.path, "cannot be written", err)),
            false => thread::sleep(WRITE_PAUSE),
        }
    }

    /// Reads a claimed ticket; refuses what the head did not write, and tools that are not pure. `None` for one that was taken back.
    fn read_ticket(
        &self,
        run: &ServedRun,
        id: TicketId,
    ) -> std::result::Result<(&'static dyn AnyTool, TicketBody), Option<String>> {
        let name = owned_name(&id.to_string(), &self.name);
        let place = run.folder.place(RunFolder::CLAIMS, &name);
        let file = run.folder.read(&place).map_err(|fault| match fault {
            FileFault::Unsigned => {
                Some("it is damaged, or not signed with the key of the run".to_owned())
            }
            FileFault::Missing => None,
            FileFault::Unreadable(err) => Some(format!("it cannot be read: {err}")),
        })?;
        let tool = file.header.text("tool").unwrap_or_default();
        open_ticket(self.options.tool, tool, &file.body)
            .map_err(|err| Some(err.message().to_owned()))
    }

    /// Computes the calls of a ticket; `None` where it is no longer wanted.
    fn compute_calls(
        &self,
        run: &ServedRun,
        id: TicketId,
        tool: &dyn AnyTool,
        body: &TicketBody,
        began: Instant,
    ) -> Option<TicketResult> {
        let timeout = Duration::from_millis(body.budget.timeout_ms);
        let answers = compute_calls(tool, body, &mut || {
            let stop = StopFlag::new();
            let mut claims = run.claims();
            let held = claims.get_mut(&id)?;
            if held.is_lost || self.options.stop.is_set() {
                return None;
            }
            held.stop = stop.clone();
            held.until = Instant::now() + timeout;
            Some(stop)
        });
        TicketResult::of_answers(&answers?, began).ok()
    }
}
