//! Leases: one process at a time may write a run, with a fencing number that grows with every takeover.
//!
//! Safety comes from the number: every transaction of a journal compares it, so that a process whose lease was taken over can write
//! no more records, and without a recorded intent there is no effect. The time only decides when a silent owner may be replaced. It
//! is read from the uptime of the machine, which cannot be set; the wall clock counts only between machines or after a restart.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use tool_core::{Decode, Encode, Reason, ToolError, convert, json, object, tool_error};

/// Duration of a lease after its last renewal.
pub const LEASE: Duration = Duration::from_secs(30);
/// Age at which a write or the thread of the state renews a lease.
pub(super) const RENEWAL: Duration = Duration::from_secs(8);

/// A time on both clocks of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeaseTime {
    pub(super) unix_ms: u64,
    /// Uptime of the machine; 0 where it is unknown.
    pub(super) up_ms: u64,
}

/// A process, identified so that others on the same machine can check whether it still runs.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct LeaseOwner {
    /// Identifies one boot of one machine; empty where unknown.
    pub(super) boot: String,
    /// The PID namespace.
    pub(super) space: String,
    pub(super) process: u32,
    /// Start time in ticks, since PIDs are reused.
    pub(super) started: u64,
}

impl LeaseOwner {
    pub(super) fn to_text(&self) -> String {
        json::canonical_json(&convert::to_value(self).unwrap_or_default())
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        convert::from_value(&json::parse_json(text, json::JsonLimits::default()).ok()?).ok()
    }
}

/// The facts about this machine that leases need.
pub(super) trait LeaseMachine: Send + Sync {
    /// This process.
    fn here(&self) -> LeaseOwner;
    /// Milliseconds since the machine was started.
    fn up_ms(&self) -> u64;
    /// Whether a process still runs; `None` where that is unknown.
    fn runs(&self, owner: &LeaseOwner) -> Option<bool>;
}

/// A lease in the table of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunLease {
    pub(super) owner: Option<LeaseOwner>,
    pub(super) until: LeaseTime,
}

impl RunLease {
    /// Remaining time in milliseconds; 0 when another process may take it over.
    pub(super) fn left_ms(&self, machine: &dyn LeaseMachine, unix_ms: u64) -> u64 {
        let Some(owner) = &self.owner else {
            return 0;
        };
        if machine.runs(owner) == Some(false) {
            return 0;
        }
        let here = machine.here();
        let longest = LEASE.as_millis() as u64;
        if !here.boot.is_empty() && here.boot == owner.boot {
            let left = self.until.up_ms.saturating_sub(machine.up_ms());
            return left.min(longest);
        }
        match self.until.unix_ms.saturating_sub(unix_ms) {
            // No lease is that long: a clock was set back.
            left if left > 2 * longest => 0,
            left => left,
        }
    }
}

/// The end of a lease that begins now.
pub(super) fn lease_end(now: LeaseTime) -> LeaseTime {
    let length = LEASE.as_millis() as u64;
    LeaseTime {
        unix_ms: now.unix_ms.saturating_add(length).min(i64::MAX as u64),
        up_ms: now.up_ms.saturating_add(length).min(i64::MAX as u64),
    }
}

pub(super) fn run_busy_error(
    run: &str,
    owner: Option<&LeaseOwner>,
    left_ms: u64,
    until_ms: u64,
) -> ToolError {
    let process = owner.map(|owner| owner.process);
    let by = process.map_or_else(String::new, |process| format!(" by process {process}"));
    let evidence = object! {
        "run" => run,
        "process" => process,
        "until_ms" => until_ms,
        "left_ms" => left_ms,
    };
    let left_s = left_ms.div_ceil(1000);
    tool_error!(Conflict, "run `{run}` is being executed{by}; its lease ends in {left_s} s")
        .reason(Reason::RunBusy)
        .hint("wait until that process ends; a dead process is replaced at once, a hanging one when its lease ends")
        .evidence(evidence)
}

pub(super) fn run_lost_error(run: &str) -> ToolError {
    tool_error!(Conflict, "run_lost";
        "run `{run}` was taken over by another process; this one may no longer write to it";
        "`mathchain runs show` shows its progress")
}

/// The error for a run that has ended.
pub(super) fn run_ended_error(id: &str) -> ToolError {
    tool_error!(Conflict, Reason::RunEnded; "run `{id}` has ended and takes no more records";
        "`mathchain runs show` shows the outcome; run the plan again for another run")
}

/// This machine, according to `/proc`.
#[derive(Default)]
pub(super) struct ThisMachine {
    /// Found once a run needs it: a direct call has no lease.
    here: OnceLock<LeaseOwner>,
}

impl ThisMachine {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn owner(&self) -> &LeaseOwner {
        self.here.get_or_init(|| {
            let process = std::process::id();
            let boot = text_of("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            LeaseOwner {
                boot: boot.trim().to_owned(),
                space: pid_namespace(),
                process,
                started: process_start_ticks(process).unwrap_or(0),
            }
        })
    }
}

impl LeaseMachine for ThisMachine {
    fn here(&self) -> LeaseOwner {
        self.owner().clone()
    }

    #[cfg(target_os = "linux")]
    fn up_ms(&self) -> u64 {
        // What `/proc/uptime` shows, without opening it.
        let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        let (seconds, nanoseconds) = (up.tv_sec.unsigned_abs(), up.tv_nsec.unsigned_abs());
        seconds.saturating_mul(1000) + nanoseconds / 1_000_000
    }

    #[cfg(not(target_os = "linux"))]
    fn up_ms(&self) -> u64 {
        0
    }

    fn runs(&self, owner: &LeaseOwner) -> Option<bool> {
        let (known, here) = (
            !owner.boot.is_empty() && !owner.space.is_empty(),
            self.owner(),
        );
        if !known || owner.boot != here.boot || owner.space != here.space {
            return None;
        }
        match process_start_ticks(owner.process) {
            Some(started) => Some(started == owner.started),
            // Absent, or `/proc` hides the processes of others.
            None if Path::new("/proc/self/stat").exists() => {
                let there = Path::new("/proc").join(owner.process.to_string());
                (!there.exists()).then_some(false)
            }
            None => None,
        }
    }
}

/// The PID namespace of this process: containers reuse the same numbers.
fn pid_namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

/// Start time of a process in ticks since boot; `None` when it does not exist, `u64::MAX` for a zombie.
fn process_start_ticks(process: u32) -> Option<u64> {
    let text = text_of(&format!("/proc/{process}/stat"))?;
    // The name is in parentheses and may contain any character.
    let mut fields = text.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return Some(u64::MAX);
    }
    const FIELDS_BETWEEN: usize = 18;
    fields.nth(FIELDS_BETWEEN)?.parse().ok()
}

fn text_of(path: &str) -> Option<String> {
    let file = File::open(path).ok()?;
    std::io::read_to_string(file.take(1 << 16)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fake {
        boot: &'static str,
        up_ms: u64,
        runs: Option<bool>,
    }

    fn owner(boot: &str) -> LeaseOwner {
        LeaseOwner {
            boot: boot.to_owned(),
            space: "s".to_owned(),
            process: 7,
            started: 9,
        }
    }

    impl LeaseMachine for Fake {
        fn here(&self) -> LeaseOwner {
            owner(self.boot)
        }

        fn up_ms(&self) -> u64 {
            self.up_ms
        }

        fn runs(&self, _: &LeaseOwner) -> Option<bool> {
            self.runs
        }
    }

    #[test]
    fn a_lease_ends_with_its_owner_or_its_time_and_not_when_a_clock_is_set() {
        let start = LeaseTime {
            unix_ms: 1_000_000,
            up_ms: 5_000,
        };
        let lease = RunLease {
            owner: Some(owner("one")),
            until: lease_end(start),
        };
        let year = 365 * 24 * 3_600_000;
        // Machine, milliseconds since its start, whether the owner runs, the wall clock, what is left.
        for (boot, up_ms, runs, unix_ms, expected) in [
            ("one", 5_000, Some(true), 1_000_000, 30_000),
            ("one", 15_000, Some(true), 1_010_000, 20_000),
            ("one", 15_000, Some(true), 1_010_000 + year, 20_000),
            ("one", 15_000, Some(true), 0, 20_000),
            ("one", 35_000, Some(true), 1_030_000, 0),
            ("one", 6_000, Some(false), 1_001_000, 0),
            ("one", 6_000, None, 1_001_000, 29_000),
            ("two", 100, None, 1_010_000, 20_000),
            ("two", 100, None, 1_031_000, 0),
            ("two", 100, None, 1_000_000 - year.min(999_000), 0),
        ] {
            let machine = Fake { boot, up_ms, runs };
            assert_eq!(
                lease.left_ms(&machine, unix_ms),
                expected,
                "{boot} {up_ms} {runs:?} {unix_ms}"
            );
        }
        let free = RunLease {
            owner: None,
            until: lease_end(start),
        };
        let machine = Fake {
            boot: "one",
            up_ms: 5_000,
            runs: None,
        };
        assert_eq!(free.left_ms(&machine, 1_000_000), 0);
    }

    #[test]
    fn owners_are_written_and_read() {
        let here = ThisMachine::new().here();
        assert_eq!(LeaseOwner::parse(&here.to_text()), Some(here));
        assert_eq!(LeaseOwner::parse("{}"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_machine_knows_its_processes() {
        let machine = ThisMachine::new();
        let here = machine.here();
        assert_eq!(machine.runs(&here), Some(true));
        let before = LeaseOwner {
            started: here.started.wrapping_sub(1),
            ..here.clone()
        };
        assert_eq!(
            machine.runs(&before),
            Some(false),
            "the number is another's now"
        );
        let elsewhere = LeaseOwner {
            space: "pid:[1]".to_owned(),
            ..here.clone()
        };
        assert_eq!(machine.runs(&elsewhere), None);
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = LeaseOwner {
            process: child.id(),
            started: process_start_ticks(child.id()).unwrap(),
            ..here
        };
        child.wait().unwrap();
        assert_eq!(machine.runs(&gone), Some(false));
        assert!(machine.up_ms() > 0);
    }
}
