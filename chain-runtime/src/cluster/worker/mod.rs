//! A worker: claims tickets in the folders of runs, computes them with pure tools alone, and writes results.
//!
//! It has no workspace, no state, no keys but those of runs, and decides nothing: a ticket that the head did not sign, of another build, or
//! for a tool that is not a function of arguments and seed, is refused. What it holds when it is told to end goes back; what it held when it
//! was killed goes back when the head has missed it for the lease.

mod compute;
mod runs;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tool_core::{Result, StopFlag, ToolError, tool_error};

use self::runs::ServedRun;
use super::compute::{STACK_BYTES, TICK, WorkerTools};
use super::executor::BuildIdentity;
use super::folder::{RunFolder, folder_error, random_bits};

/// Interval at which runs, their heads and the worker's claims are looked at.
const LOOK: Duration = Duration::from_millis(250);
/// Shortest and longest pause between two looks for tickets.
const PAUSE_LEAST: Duration = Duration::from_millis(3);
const PAUSE_MOST: Duration = Duration::from_millis(100);

/// What a worker is, and when it ends.
pub struct WorkerOptions<'a> {
    /// The folder in which runs have theirs.
    pub dir: PathBuf,
    /// Number of tickets computed at a time.
    pub slots: usize,
    /// Time without a ticket after which it ends.
    pub idle: Duration,
    /// Whether it waits for further runs when those that it saw are over.
    pub stays: bool,
    /// Whether it ends after one ticket.
    pub once: bool,
    /// Name of this node.
    pub node: String,
    /// Build and processor of this process.
    pub identity: BuildIdentity,
    /// Set to end it: it gives back what it holds.
    pub stop: StopFlag,
    /// Its tools.
    pub tool: &'a WorkerTools,
    /// Told of what a person should know.
    pub log: &'a (dyn Fn(&str) + Sync),
}

/// What a worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Tickets that it computed.
    pub tickets: u64,
    /// Calls on them.
    pub calls: u64,
    /// Tickets and runs that it refused.
    pub refused: u64,
}

/// Serves the runs of a folder until they are over, or nothing comes.
///
/// # Errors
/// `precondition_failed` where the folder or results cannot be written.
pub fn serve_tickets(options: &WorkerOptions<'_>) -> Result<WorkerReport> {
    fs::create_dir_all(&options.dir)
        .map_err(|err| folder_error(&options.dir, "cannot be served", &err))?;
    let worker = TicketWorker {
        options,
        name: format!("{}-{:08x}", file_name(&options.node), random_bits() as u32),
        runs: Mutex::default(),
        ending: AtomicBool::new(false),
        last_ticket: Mutex::new(Instant::now()),
        tickets: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        write_faults: AtomicU64::new(0),
        refused_runs: Mutex::default(),
        fault: Mutex::default(),
    };
    thread::scope(|scope| {
        for slot in 0..options.slots.max(1) {
            let thread = thread::Builder::new().name(format!("slot-{slot}"));
            let thread = thread.stack_size(STACK_BYTES);
            if let Err(err) = thread.spawn_scoped(scope, || worker.serve_slot()) {
                worker.fail(tool_error!(Internal, "no thread can be started: {err}"));
            }
        }
        worker.watch();
    });
    for run in &*worker.runs() {
        let _ = fs::remove_file(run.folder.place(RunFolder::WORKERS, &worker.name));
    }
    let fault = worker
        .fault
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    match fault {
        Some(fault) => Err(fault),
        None => Ok(WorkerReport {
            tickets: worker.tickets.load(Ordering::Relaxed),
            calls: worker.calls.load(Ordering::Relaxed),
            refused: worker.refused.load(Ordering::Relaxed),
        }),
    }
}

/// A name that is safe in the name of a file.
fn file_name(node: &str) -> String {
    let safe = |one: char| match one.is_ascii_alphanumeric() || one == '-' || one == '_' {
        true => one,
        false => '_',
    };
    node.chars().take(40).map(safe).collect()
}

struct TicketWorker<'a> {
    options: &'a WorkerOptions<'a>,
    name: String,
    /// Every run that it found, also those that are over.
    runs: Mutex<Vec<Arc<ServedRun>>>,
    ending: AtomicBool,
    last_ticket: Mutex<Instant>,
    tickets: AtomicU64,
    calls: AtomicU64,
    refused: AtomicU64,
    write_faults: AtomicU64,
    /// Folders of runs that it said it refuses.
    refused_runs: Mutex<Vec<PathBuf>>,
    fault: Mutex<Option<ToolError>>,
}

impl TicketWorker<'_> {
    fn runs(&self) -> MutexGuard<'_, Vec<Arc<ServedRun>>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fail(&self, error: ToolError) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.get_or_insert(error);
        self.ending.store(true, Ordering::SeqCst);
    }

    fn is_ending(&self) -> bool {
        self.ending.load(Ordering::SeqCst)
    }

    /// Watches deadlines, runs and the worker's own end.
    fn watch(&self) {
        let mut looked: Option<Instant> = None;
        let began = Instant::now();
        loop {
            let now = Instant::now();
            if looked.is_none_or(|at| now - at >= LOOK) {
                looked = Some(now);
                self.find_runs(now);
                self.look_at_runs(now);
                self.end_if_done(now, began);
            }
            if self.options.stop.is_set() {
                self.ending.store(true, Ordering::SeqCst);
            }
            let mut held = 0;
            for run in &*self.runs() {
                for claim in run.claims().values() {
                    held += 1;
                    if self.options.stop.is_set() || claim.is_lost {
                        claim.stop.cancel();
                    } else if now >= claim.until {
                        claim.stop.time_out();
                    }
                }
            }
            if self.is_ending() && held == 0 {
                return;
            }
            thread::sleep(TICK);
        }
    }

    fn end_if_done(&self, now: Instant, began: Instant) {
        let last = *self
            .last_ticket
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let runs = self.runs();
        let are_over = runs.iter().all(|run| run.over.load(Ordering::Relaxed));
        let is_idle = now - last.max(began) >= self.options.idle;
        let is_busy = runs.iter().any(|run| !run.claims().is_empty());
        let is_done = !runs.is_empty() && are_over && !self.options.stays;
        if !is_busy && (is_idle || is_done) {
            self.ending.store(true, Ordering::SeqCst);
        }
    }

    fn serve_slot(&self) {
        let mut pause = PAUSE_LEAST;
        while !self.is_ending() {
            match self.claim() {
                Some((run, id)) => {
                    self.serve_ticket(&run, id);
                    pause = PAUSE_LEAST;
                    if self.options.once {
                        self.ending.store(true, Ordering::SeqCst);
                    }
                }
                None => {
                    thread::sleep(pause);
                    pause = (pause * 2).min(PAUSE_MOST);
                }
            }
        }
    }
}
