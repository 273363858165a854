//! The runs that a worker finds: whether they live, and which of their tickets it holds.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tool_core::{StopFlag, Value, fields};

use super::{LOOK, TicketWorker};
use crate::cluster::executor::{BuildIdentity, TicketId};
use crate::cluster::folder::{FORMAT, RunFolder, owned_name};

/// A run that the worker found.
pub(super) struct ServedRun {
    pub(super) folder: RunFolder,
    pub(super) lease: Duration,
    /// Why it takes no part.
    pub(super) refusal: Option<String>,
    pub(super) over: AtomicBool,
    pub(super) claims: Mutex<HashMap<TicketId, HeldClaim>>,
    pub(super) beat: Mutex<RunBeat>,
}

/// The counts of the head and of the worker, and when they last changed.
pub(super) struct RunBeat {
    pub(super) head: i64,
    pub(super) head_changed: Instant,
    pub(super) own: u64,
    pub(super) own_written: Option<Instant>,
}

/// A ticket that is being computed.
pub(super) struct HeldClaim {
    /// Stops its current call.
    pub(super) stop: StopFlag,
    /// When it was claimed.
    pub(super) since: Instant,
    /// When that call is late.
    pub(super) until: Instant,
    /// Whether it is no longer the worker's.
    pub(super) is_lost: bool,
}

impl ServedRun {
    pub(super) fn claims(&self) -> MutexGuard<'_, HashMap<TicketId, HeldClaim>> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TicketWorker<'_> {
    /// Takes part in runs that are new.
    pub(super) fn find_runs(&self, now: Instant) {
        let Ok(paths) = RunFolder::list(&self.options.dir) else {
            return; // it is looked for again
        };
        for path in paths {
            if self.runs().iter().any(|run| run.folder.path == path) {
                continue;
            }
            let (folder, header) = match RunFolder::open(&path) {
                Ok(opened) => opened,
                Err(_) if !path.join("run").exists() => continue, // it is being made
                Err(err) => {
                    self.refuse_run(&path, err.message());
                    continue;
                }
            };
            if folder.is_closed() {
                continue;
            }
            let text = |key: &str| header.text(key).unwrap_or_default().to_owned();
            let number = |key: &str| header.get(key).and_then(Value::as_i64);
            let head = BuildIdentity {
                build: text("build"),
                profile: text("profile"),
            };
            let refusal = match number("format") == Some(i64::from(FORMAT)) {
                true => self.options.identity.mismatch(&head),
                false => Some("the run folder has another format".to_owned()),
            };
            if let Some(why) = &refusal {
                self.refuse_run(&path, why);
            }
            let lease_ms = number("lease_ms").and_then(|ms| u64::try_from(ms).ok());
            self.runs().push(Arc::new(ServedRun {
                folder,
                lease: Duration::from_millis(lease_ms.unwrap_or(15_000).max(100)),
                refusal,
                over: AtomicBool::new(false),
                claims: Mutex::default(),
                beat: Mutex::new(RunBeat {
                    head: -1,
                    head_changed: now,
                    own: 0,
                    own_written: None,
                }),
            }));
        }
    }

    /// Says once that a run is refused.
    fn refuse_run(&self, path: &Path, why: &str) {
        let refused = self.refused_runs.lock();
        let mut refused = refused.unwrap_or_else(PoisonError::into_inner);
        if !refused.iter().any(|known| known == path) {
            refused.push(path.to_owned());
            self.refused.fetch_add(1, Ordering::Relaxed);
            (self.options.log)(&format!("refused the run in `{}`: {why}", path.display()));
        }
    }

    /// Shows that the worker lives, and learns which runs are over and which claims are lost.
    pub(super) fn look_at_runs(&self, now: Instant) {
        for run in &*self.runs() {
            if run.over.load(Ordering::Relaxed) {
                continue;
            }
            let mut beat = run.beat.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok(file) = run.folder.read(&run.folder.path.join(RunFolder::HEAD)) {
                let beats = file.header.get("beats").and_then(Value::as_i64);
                let beats = beats.unwrap_or_default();
                if beats != beat.head {
                    (beat.head, beat.head_changed) = (beats, now);
                }
            }
            // A head may be busy; one that is silent for long is no more, and its run goes on in another folder.
            let silent = (now - beat.head_changed).max(self.silence_before(run, &beat));
            let is_abandoned = silent > run.lease * 4;
            if run.folder.is_closed() || is_abandoned {
                run.over.store(true, Ordering::SeqCst);
                run.claims()
                    .values_mut()
                    .for_each(|claim| claim.is_lost = true);
                continue;
            }
            if beat.own_written.is_none_or(|at| now - at >= run.lease / 4) {
                beat.own += 1;
                let mut header = fields! {
                    "node" => self.options.node.as_str(),
                    "process" => std::process::id(),
                    "slots" => self.options.slots,
                    "build" => self.options.identity.build.as_str(),
                    "profile" => self.options.identity.profile.as_str(),
                    "beats" => beat.own,
                };
                header.insert_some("refusal", run.refusal.as_deref());
                let name = format!("{}/{}", RunFolder::WORKERS, self.name);
                if run.folder.write(&name, &header, "").is_ok() {
                    beat.own_written = Some(now);
                }
            }
            drop(beat);
            // One that is just being claimed may not be there yet.
            let mut claims = run.claims();
            let settled = claims
                .iter_mut()
                .filter(|(_, claim)| now - claim.since > 2 * LOOK);
            for (id, claim) in settled {
                let name = owned_name(&id.to_string(), &self.name);
                claim.is_lost |= !run.folder.place(RunFolder::CLAIMS, &name).exists();
            }
        }
    }

    /// How long the head had been silent when this worker began, by the clock of the disk.
    fn silence_before(&self, run: &ServedRun, beat: &RunBeat) -> Duration {
        if beat.own != 1 {
            return Duration::ZERO;
        }
        let modified = |place: PathBuf| fs::metadata(place).and_then(|found| found.modified()).ok();
        let head = modified(run.folder.path.join(RunFolder::HEAD));
        let own = modified(run.folder.place(RunFolder::WORKERS, &self.name));
        let silent = head
            .zip(own)
            .and_then(|(head, own)| own.duration_since(head).ok());
        silent.unwrap_or_default()
    }

    /// Claims a ticket: renames it, which exactly one worker can.
    pub(super) fn claim(&self) -> Option<(Arc<ServedRun>, TicketId)> {
        let runs: Vec<Arc<ServedRun>> = self.runs().clone();
        let serves = |run: &&Arc<ServedRun>| {
            let beat = run.beat.lock().unwrap_or_else(PoisonError::into_inner);
            run.refusal.is_none() && !run.over.load(Ordering::SeqCst) && beat.own_written.is_some()
        };
        for run in runs.iter().filter(serves) {
            for name in run.folder.names(RunFolder::TICKETS).unwrap_or_default() {
                let Some(id) = TicketId::parse(&name) else {
                    continue;
                };
                let claim = run
                    .folder
                    .place(RunFolder::CLAIMS, &owned_name(&name, &self.name));
                // Held before it is claimed, so that the watch sees it from the first moment.
                let held = HeldClaim {
                    stop: StopFlag::new(),
                    since: Instant::now(),
                    until: Instant::now() + run.lease,
                    is_lost: false,
                };
                if run.claims().insert(id, held).is_some() {
                    continue;
                }
                if fs::rename(run.folder.place(RunFolder::TICKETS, &name), &claim).is_ok() {
                    return Some((Arc::clone(run), id));
                }
                run.claims().remove(&id);
            }
        }
        None
    }
}
