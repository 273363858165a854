//! The computation of a ticket, and its results.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use registry::{digest, is_movable};
use tool_core::{AnyTool, Ctx, ErrorCode, Result, StopFlag, ToolError, Value, fields, tool_error};

use super::TicketWorker;
use super::runs::ServedRun;
use crate::cluster::executor::TicketId;
use crate::cluster::folder::{FileFault, RunFolder, folder_error, owned_name};
use crate::cluster::ticket::{CallAnswer, TicketBody, TicketCall, answers_to_text};

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
            Ok((tool, body)) => {
                let answers = self.compute_calls(run, id, tool, &body);
                let text = answers.and_then(|answers| {
                    let is_whole = answers.iter().all(|answer| ended_by_itself(&answer.output));
                    Some((is_whole, answers_to_text(&answers).ok()?))
                });
                text.map(|(is_whole, text)| {
                    self.calls
                        .fetch_add(body.calls.len() as u64, Ordering::Relaxed);
                    let header = fields! {
                        "node" => node,
                        "digest" => digest::of_texts([&*text]),
                        "whole" => is_whole,
                        "elapsed_ms" => began.elapsed().as_secs_f64() * 1e3,
                    };
                    (header, text)
                })
            }
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
        let stated = file.header.text("tool").unwrap_or_default();
        let tool = (self.options.tool)(stated)
            .ok_or_else(|| format!("there is no tool `{stated}` here"))?;
        let spec = tool.spec();
        if !is_movable(spec) {
            let why = format!("`{stated}` is not a function of arguments and seed alone");
            return Err(Some(why));
        }
        let body = TicketBody::parse(&file.body).map_err(|err| err.message().to_owned())?;
        match body.tool == spec.id && body.version == spec.version {
            true => Ok((tool, body)),
            false => Err(Some(format!("it is for another version of `{stated}`"))),
        }
    }

    /// Computes the calls of a ticket; `None` where it is no longer wanted.
    fn compute_calls(
        &self,
        run: &ServedRun,
        id: TicketId,
        tool: &dyn AnyTool,
        body: &TicketBody,
    ) -> Option<Vec<CallAnswer>> {
        let mut answers = Vec::with_capacity(body.calls.len());
        for call in &body.calls {
            let stop = StopFlag::new();
            {
                let mut claims = run.claims();
                let held = claims.get_mut(&id)?;
                if held.is_lost || self.options.stop.is_set() {
                    return None;
                }
                held.stop = stop.clone();
                held.until = Instant::now() + Duration::from_millis(body.budget.timeout_ms);
            }
            let mut ctx = Ctx::new(stop.clone(), body.budget).with_seed(call.seed);
            if body.verify {
                ctx = ctx.verifying();
            }
            let answer = compute_call(tool, call, &ctx);
            let is_cancelled = stop
                .check()
                .is_err_and(|err| err.code() == ErrorCode::Cancelled);
            if is_cancelled {
                return None;
            }
            answers.push(answer);
        }
        Some(answers)
    }
}

/// Computes one call; its panic is an error.
fn compute_call(tool: &dyn AnyTool, call: &TicketCall, ctx: &Ctx) -> CallAnswer {
    let compute = || {
        let decoded = tool.decode(&call.args)?;
        match decoded.sources() {
            [] => decoded.run(ctx),
            _ => Err(tool_error!(
                InvalidArgs,
                "a worker opens no files and no stored values"
            )),
        }
    };
    let id = tool.spec().id;
    let panicked = |_| {
        Err(tool_error!(Internal, "panic";
            "`{id}` failed unexpectedly on a worker; this is a defect in mathchain"))
    };
    CallAnswer {
        output: catch_unwind(AssertUnwindSafe(compute)).unwrap_or_else(panicked),
        warnings: ctx.take_warnings(),
        notes: ctx.take_notes(),
    }
}

/// Whether a call ended by what it computed, and not by time or a defect.
fn ended_by_itself(output: &Result<Value>) -> bool {
    let code = output.as_ref().err().map(ToolError::code);
    !matches!(
        code,
        Some(ErrorCode::Timeout | ErrorCode::Cancelled | ErrorCode::Internal)
    )
}
