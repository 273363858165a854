//! [`FilesExecutor`]: the head's side of a run folder on a shared disk.
//!
//! | in the folder of a run | written by | what it is |
//! | --- | --- | --- |
//! | `run`, `key` | head | build and processor of the head; the key that signs every file |
//! | `head`, `workers/NAME` | head, worker | a count that grows while the process lives; a worker's node, slots, build |
//! | `tickets/ID` | head | a ticket that waits |
//! | `claims/ID~NAME` | worker | the same file, renamed: exactly one worker can |
//! | `results/ID~NAME` | worker | its results, or why it refused |
//! | `closed` | head | the run is over |
//!
//! No clock is compared with another: a process counts as lost when its count has not changed for the lease, by the clock of who looks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use registry::digest;
use tool_core::{Result, Value, fields, tool_error};

use super::executor::{
    BuildIdentity, Executor, ExecutorReport, SubmittedTicket, TicketEvent, TicketId,
};
use super::folder::{FORMAT, FileFault, RunFolder, folder_error, split_owned};

/// Settings of a run folder.
#[derive(Debug, Clone)]
pub struct FilesSettings {
    /// The folder in which each run has one of its own.
    pub dir: PathBuf,
    /// Time after which a silent worker counts as lost.
    pub lease: Duration,
    /// Build and processor of this process.
    pub identity: BuildIdentity,
}

/// Tickets as files in the folder of a run.
pub struct FilesExecutor {
    folder: RunFolder,
    dir: PathBuf,
    lease: Duration,
    state: Mutex<HeadState>,
}

/// What the head has seen in the folder.
#[derive(Default)]
struct HeadState {
    workers: BTreeMap<String, SeenWorker>,
    /// The claims of the last look, with their worker.
    claimed: HashMap<TicketId, String>,
    /// Tickets that no longer count.
    withdrawn: BTreeSet<TicketId>,
    looked: Option<Instant>,
    beat: Option<Instant>,
    beats: u64,
    warned: BTreeSet<String>,
    warnings: Vec<String>,
}

/// A worker as its file shows it.
struct SeenWorker {
    node: String,
    slots: usize,
    beats: i64,
    /// When its count last changed.
    changed: Instant,
    refusal: Option<String>,
}

impl HeadState {
    fn warn(&mut self, text: String) {
        if self.warned.insert(text.clone()) {
            self.warnings.push(text);
        }
    }

    fn node_of(&self, worker: &str) -> String {
        let known = self.workers.get(worker);
        known.map_or_else(|| worker.to_owned(), |known| known.node.clone())
    }
}

impl FilesExecutor {
    /// Makes the folder of a run.
    ///
    /// # Errors
    /// `precondition_failed` where it cannot be made.
    pub fn create(settings: FilesSettings) -> Result<Self> {
        let lease_ms = u64::try_from(settings.lease.as_millis()).unwrap_or(u64::MAX);
        let header = fields! {
            "format" => FORMAT,
            "build" => settings.identity.build.as_str(),
            "profile" => settings.identity.profile.as_str(),
            "lease_ms" => lease_ms,
        };
        let folder = RunFolder::create(&settings.dir, &header)
            .map_err(|err| folder_error(&settings.dir, "cannot be the folder of a run", &err))?;
        Ok(Self {
            folder,
            dir: settings.dir,
            lease: settings.lease,
            state: Mutex::default(),
        })
    }

    /// The folder of the run.
    pub fn path(&self) -> &Path {
        &self.folder.path
    }

    fn lock(&self) -> MutexGuard<'_, HeadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows that the head lives.
    fn beat(&self, state: &mut HeadState, now: Instant) {
        let is_due = state.beat.is_none_or(|at| now - at >= self.lease / 4);
        if !is_due {
            return;
        }
        state.beats += 1;
        let header = fields! { "beats" => state.beats };
        match self.folder.write(RunFolder::HEAD, &header, "") {
            Ok(()) => state.beat = Some(now),
            Err(err) => state.warn(format!("the run folder cannot be written: {err}")),
        }
    }

    /// Reads the files of the workers.
    fn look_at_workers(&self, state: &mut HeadState, now: Instant) -> std::io::Result<()> {
        let names = self.folder.names(RunFolder::WORKERS)?;
        // One that ended removed its file.
        state.workers.retain(|name, _| names.contains(name));
        for name in names {
            let Ok(file) = self
                .folder
                .read(&self.folder.place(RunFolder::WORKERS, &name))
            else {
                continue; // it is read again
            };
            let number = |key: &str| file.header.get(key).and_then(Value::as_i64);
            let text = |key: &str| file.header.text(key).map(str::to_owned);
            let beats = number("beats").unwrap_or_default();
            if let Some(known) = state.workers.get_mut(&name)
                && known.beats == beats
            {
                continue;
            }
            let refusal = text("refusal");
            let node = text("node").unwrap_or_else(|| name.clone());
            if let Some(why) = &refusal {
                state.warn(format!(
                    "the worker on `{node}` may not compute for this run: {why}"
                ));
            }
            let seen = SeenWorker {
                slots: usize::try_from(number("slots").unwrap_or_default()).unwrap_or_default(),
                changed: now,
                node,
                beats,
                refusal,
            };
            state.workers.insert(name, seen);
        }
        Ok(())
    }

    /// Reads the claims: new ones, and those of workers that are lost, which go back.
    fn look_at_claims(
        &self,
        state: &mut HeadState,
        now: Instant,
        events: &mut Vec<TicketEvent>,
    ) -> std::io::Result<()> {
        let mut claimed = HashMap::new();
        for name in self.folder.names(RunFolder::CLAIMS)? {
            let Some((ticket, worker)) = split_owned(&name) else {
                continue;
            };
            let Some(id) = TicketId::parse(ticket) else {
                continue;
            };
            let place = self.folder.place(RunFolder::CLAIMS, &name);
            if state.withdrawn.contains(&id) {
                let _ = fs::remove_file(place);
                continue;
            }
            let lives = state.workers.get(worker);
            // A worker shows itself before its first claim.
            let is_lost = lives.is_none_or(|seen| now - seen.changed > self.lease);
            if is_lost && fs::rename(&place, self.folder.place(RunFolder::TICKETS, ticket)).is_ok()
            {
                let node = state.node_of(worker);
                state.warn(format!("the worker `{worker}` on `{node}` is lost"));
                events.push(TicketEvent::Returned { id });
                continue;
            }
            if state.claimed.get(&id).is_none_or(|before| before != worker) {
                let node = state.node_of(worker);
                events.push(TicketEvent::Started { id, node });
            }
            claimed.insert(id, worker.to_owned());
        }
        // A worker that cannot write its results gives the ticket back.
        for id in state.claimed.keys().filter(|id| !claimed.contains_key(id)) {
            let ticket = self.folder.place(RunFolder::TICKETS, &id.to_string());
            if ticket.exists() {
                events.push(TicketEvent::Returned { id: *id });
            }
        }
        state.claimed = claimed;
        Ok(())
    }

    /// Reads the results; one that is not signed is no result.
    fn look_at_results(
        &self,
        state: &mut HeadState,
        events: &mut Vec<TicketEvent>,
    ) -> std::io::Result<()> {
        for name in self.folder.names(RunFolder::RESULTS)? {
            let place = self.folder.place(RunFolder::RESULTS, &name);
            let owned = split_owned(&name);
            let id = owned.and_then(|(ticket, _)| TicketId::parse(ticket));
            let read = self.folder.read(&place);
            let (Some((_, worker)), Some(id), Ok(file)) = (owned, id, &read) else {
                if !matches!(read, Err(FileFault::Missing | FileFault::Unreadable(_))) {
                    state.warn(format!(
                        "the file `{name}` of the run folder is not signed with the key of the run, and counts nothing"
                    ));
                    let _ = fs::remove_file(&place);
                }
                continue;
            };
            let header = &file.header;
            // A worker that has ended shows itself no more.
            let node = header.text("node").map(str::to_owned);
            let node = node.unwrap_or_else(|| state.node_of(worker));
            let stated = header.text("digest").unwrap_or_default();
            let digest = digest::of_texts([&*file.body]);
            let event = match header.text("refusal") {
                Some(why) => TicketEvent::Refused {
                    id,
                    node,
                    why: why.to_owned(),
                },
                None if digest != stated => TicketEvent::Refused {
                    id,
                    node,
                    why: "its result is not what its digest says".to_owned(),
                },
                None => TicketEvent::Done {
                    id,
                    node,
                    body: file.body.clone(),
                    digest,
                    elapsed_ms: header
                        .get("elapsed_ms")
                        .and_then(Value::as_f64)
                        .unwrap_or(0.0),
                    is_whole: header.get("whole") == Some(&Value::Bool(true)),
                },
            };
            events.push(event);
            let _ = fs::remove_file(&place);
        }
        Ok(())
    }
}

impl Executor for FilesExecutor {
    fn name(&self) -> &'static str {
        "files"
    }

    fn hint(&self) -> String {
        format!("start one: `mathchain worker {}`", self.dir.display())
    }

    fn submit(&self, ticket: &SubmittedTicket<'_>) -> Result<()> {
        let header = fields! { "tool" => ticket.tool, "digest" => digest::of_texts([ticket.body]) };
        let name = format!("{}/{}", RunFolder::TICKETS, ticket.id);
        let written = self.folder.write(&name, &header, ticket.body);
        written.map_err(|err| folder_error(&self.folder.path, "cannot be written", &err))
    }

    fn poll(&self) -> Result<ExecutorReport> {
        /// Interval at which workers and claims are read; results are at each call.
        const LOOK: Duration = Duration::from_millis(100);
        let now = Instant::now();
        let mut state = self.lock();
        let state = &mut *state;
        self.beat(state, now);
        let mut events = Vec::new();
        let looked = (|| {
            let is_due = state
                .looked
                .is_none_or(|at| now - at >= LOOK.min(self.lease / 4));
            if is_due {
                state.looked = Some(now);
                self.look_at_workers(state, now)?;
                self.look_at_claims(state, now, &mut events)?;
            }
            self.look_at_results(state, &mut events)
        })();
        if let Err(err) = looked {
            let path = self.folder.path.display();
            return Err(tool_error!(PreconditionFailed, "run_folder";
                "the run folder `{path}` cannot be read: {err}"));
        }
        let live = state.workers.values().filter(|seen| {
            seen.refusal.is_none() && now.saturating_duration_since(seen.changed) <= self.lease
        });
        Ok(ExecutorReport {
            slots: live.map(|seen| seen.slots).sum(),
            events,
            warnings: std::mem::take(&mut state.warnings),
        })
    }

    fn withdraw(&self, id: TicketId) {
        let mut state = self.lock();
        state.withdrawn.insert(id);
        let ticket = id.to_string();
        let _ = fs::remove_file(self.folder.place(RunFolder::TICKETS, &ticket));
        if let Some(worker) = state.claimed.get(&id) {
            let name = super::folder::owned_name(&ticket, worker);
            let _ = fs::remove_file(self.folder.place(RunFolder::CLAIMS, &name));
        }
    }

    fn close(&self) {
        self.folder.close();
        self.folder.remove();
    }
}
