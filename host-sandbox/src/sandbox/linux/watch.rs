//! Limits without kernel support: total memory of the processes of a command, and the size of its scratch folder. The
//! launcher samples both; between two samples a command can exceed them.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FileType, Mode, StatVfs, fstatvfs, open, openat, statat};
use rustix::process::getpid;
use tool_core::command::Excess;

use super::super::policy::SandboxPolicy;
use super::supervise::OrphanReaper;
use crate::below::FOLDER;

/// Minimum interval between samples.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// Maximum fraction of time spent on sampling.
const SHARE: u32 = 10;

/// Maximum depth of folders; deeper ones count as an exceeded limit.
const DEPTH_MAX: usize = 128;

/// Space of the file system reserved for others, or half of the initial free space.
const SPACE_LEFT: u64 = 256 << 20;

/// The sampled limits and the time of the next sample.
pub(super) struct ResourceMonitor<'a> {
    policy: &'a SandboxPolicy,
    tree: OrphanReaper,
    scratch: Option<OwnedFd>,
    /// The folder that the command shares with its caller, which counts as its scratch folder does.
    exchange: Option<OwnedFd>,
    /// Minimum free space in bytes.
    floor: u64,
    next: Instant,
}

impl<'a> ResourceMonitor<'a> {
    pub(super) fn new(policy: &'a SandboxPolicy, tree: OrphanReaper) -> Self {
        let scratch = open(policy.scratch.as_str(), FOLDER, Mode::empty()).ok();
        let space = scratch.as_ref().and_then(|folder| fstatvfs(folder).ok());
        Self {
            policy,
            tree,
            scratch,
            exchange: (policy.exchange.as_ref())
                .and_then(|folder| open(folder.as_str(), FOLDER, Mode::empty()).ok()),
            floor: space.map_or(0, |space| SPACE_LEFT.min(available_bytes(&space) / 2)),
            next: Instant::now() + PAUSE,
        }
    }

    /// Takes a sample if one is due; returns the exceeded limit.
    pub(super) fn look(&mut self) -> Option<Excess> {
        let started = Instant::now();
        if started < self.next {
            return None;
        }
        let found = self.memory().or_else(|| self.disk());
        let ended = Instant::now();
        self.next = ended + PAUSE.max(SHARE * (ended - started));
        found
    }

    /// Resident and swapped memory counts shared pages once per process; only if that exceeds the limit, the proportional shares are
    /// read, which is slower.
    fn memory(&self) -> Option<Excess> {
        let limit = self.policy.limits.tree_memory_bytes;
        let processes = command_processes(self.tree);
        let own_folders = self.policy.writes();
        if own_folders && processes.len() as u64 > self.policy.limits.processes {
            return Some(Excess::Processes);
        }
        let held: u64 = processes.iter().map(|process| process.held).sum();
        if held <= limit {
            return None;
        }
        // A process that has ended meanwhile holds nothing; one whose shares cannot be read counts whole.
        let shares = processes.iter().map(|&ProcessStat { pid, .. }| {
            proportional_memory(pid)
                .unwrap_or_else(|| read_process(pid).map_or(0, |process| process.held))
        });
        (shares.sum::<u64>() > limit).then_some(Excess::Memory)
    }

    fn disk(&self) -> Option<Excess> {
        let scratch = self.scratch.as_ref()?;
        // Open files that were deleted are in no folder; only free space reveals them.
        let space = fstatvfs(scratch).ok()?;
        if available_bytes(&space) < self.floor {
            return Some(Excess::Disk);
        }
        let mut used = FolderUsage {
            bytes: 0,
            entries: 0,
            entries_max: self.policy.limits.scratch_entries,
        };
        for folder in std::iter::once(scratch).chain(&self.exchange) {
            if used.add(folder, DEPTH_MAX).is_none() {
                return Some(Excess::Files);
            }
        }
        (used.bytes > self.policy.limits.scratch_bytes).then_some(Excess::Disk)
    }
}

fn available_bytes(space: &StatVfs) -> u64 {
    space.f_bavail.saturating_mul(space.f_frsize)
}

/// The counted content of a folder.
struct FolderUsage {
    bytes: u64,
    entries: u64,
    entries_max: u64,
}

impl FolderUsage {
    /// Adds a tree without following links; `None` if a limit is exceeded. Entries that disappear meanwhile or cannot
    /// be opened are not counted.
    fn add(&mut self, folder: impl AsFd, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        let Ok(entries) = Dir::read_from(&folder) else {
            return Some(());
        };
        for entry in entries {
            let Ok(entry) = entry else { break };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.entries += 1;
            if self.entries > self.entries_max {
                return None;
            }
            let Ok(stat) = statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) else {
                continue;
            };
            if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                if let Ok(below) = openat(&folder, name, FOLDER, Mode::empty()) {
                    self.add(below, depth)?;
                }
            } else {
                // A file with hard links counts once.
                let bytes = stat.st_blocks.unsigned_abs() * 512;
                self.bytes += bytes / u64::from(u32::try_from(stat.st_nlink).unwrap_or(1)).max(1);
            }
        }
        Some(())
    }
}

/// A process from `/proc`.
#[derive(Clone, Copy)]
struct ProcessStat {
    pid: i32,
    parent: i32,
    /// Resident and swapped memory, in bytes.
    held: u64,
}

/// The processes of the command.
fn command_processes(tree: OrphanReaper) -> Vec<ProcessStat> {
    let own = getpid().as_raw_nonzero().get();
    let mut all = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        all.extend(pid.filter(|pid| *pid != own).and_then(read_process));
    }
    if tree == OrphanReaper::Namespace {
        return all;
    }
    let mut found: Vec<ProcessStat> = Vec::new();
    let mut parents = vec![own];
    while let Some(parent) = parents.pop() {
        let (below, rest) = all
            .into_iter()
            .partition::<Vec<_>, _>(|process| process.parent == parent);
        parents.extend(below.iter().map(|process| process.pid));
        found.extend(below);
        all = rest;
    }
    found
}

fn read_process(pid: i32) -> Option<ProcessStat> {
    let text = read_lossy_text(&format!("/proc/{pid}/status"))?;
    let kibibytes = |name| status_number(&text, name).unwrap_or(0) * 1024;
    Some(ProcessStat {
        pid,
        parent: status_number(&text, "PPid:")?.try_into().ok()?,
        held: kibibytes("VmRSS:") + kibibytes("VmSwap:"),
    })
}

/// Memory of a process with its proportional share of shared pages.
fn proportional_memory(pid: i32) -> Option<u64> {
    let text = read_lossy_text(&format!("/proc/{pid}/smaps_rollup"))?;
    Some((status_number(&text, "Pss:")? + status_number(&text, "SwapPss:").unwrap_or(0)) * 1024)
}

/// The number on the line with this prefix.
fn status_number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the launcher has no workspace, and reads a file of the kernel"
)]
fn read_lossy_text(path: &str) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_counted_once_and_not_through_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("a/b")).unwrap();
        std::fs::File::create(path("a/b/file"))
            .and_then(|mut file| std::io::Write::write_all(&mut file, &[1; 100_000]))
            .unwrap();
        std::fs::hard_link(path("a/b/file"), path("second")).unwrap();
        std::os::unix::fs::symlink("/usr", path("link")).unwrap();
        let count = |entries_max, depth| {
            let mut used = FolderUsage {
                bytes: 0,
                entries: 0,
                entries_max,
            };
            let fd = open(folder.path(), FOLDER, Mode::empty()).unwrap();
            used.add(fd, depth).map(|()| (used.entries, used.bytes))
        };
        let (entries, bytes) = count(10, 10).unwrap();
        assert_eq!(entries, 5);
        assert!((100_000..120_000).contains(&bytes), "{bytes}");
        assert_eq!(count(5, 3).map(|found| found.0), Some(5));
        assert_eq!(count(4, 10), None);
        assert_eq!(count(10, 2), None);
    }

    #[test]
    fn the_processes_below_this_one_are_found_with_their_memory() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .spawn()
            .unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        let found = command_processes(OrphanReaper::Mine);
        let seen = found.iter().find(|process| process.pid == pid).copied();
        let share = proportional_memory(pid);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(seen.unwrap().held >= 4096);
        assert!(share.unwrap() > 0);
        assert!(found.iter().all(|process| process.pid != 1));
    }
}
