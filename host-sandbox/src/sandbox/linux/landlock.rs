//! File access by Landlock: the kernel denies everything not granted here.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use rustix::fs::{FileType, OFlags, ResolveFlags, fstat};
use tool_core::command::{Isolation, Level};

use super::super::lists::{DEVICES, NAMES, READABLE, SETTINGS, SYSTEM};
use super::super::policy::SandboxPolicy;
use super::confine::open_in_workspace;

/// Landlock versions to try, best first. Version 3 is required to limit truncation.
const VERSIONS: [(ABI, u32); 5] = [
    (ABI::V9, 9),
    (ABI::V6, 6),
    (ABI::V5, 5),
    (ABI::V4, 4),
    (ABI::V3, 3),
];

/// The first version that confines signals.
pub(super) const SCOPES_SIGNALS: u32 = 6;

/// Rules that are not yet in force.
pub(super) struct LandlockRuleset {
    rules: RulesetCreated,
    pub(super) version: u32,
}

/// Opens every granted path; the rules take effect with [`LandlockRuleset::enforce`].
///
/// `own_proc`: `/proc` shows only the processes of the command, so it may be read.
pub(super) fn prepare_ruleset(
    policy: &SandboxPolicy,
    own_proc: bool,
) -> io::Result<LandlockRuleset> {
    let (mut rules, version) = create_ruleset(policy.isolation)?;
    let read = AccessFs::Execute | AccessFs::ReadFile | AccessFs::ReadDir;
    // Never devices, pipes or sockets.
    let write = AccessFs::WriteFile
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Truncate
        | AccessFs::Refer;
    let own = own_proc.then_some("/proc");
    let named = policy.readable.iter().map(String::as_str);
    let names = match policy.isolation {
        Isolation::Offline => None,
        Isolation::Network | Isolation::None => Some(NAMES.split(' ')),
    };
    let names = names.into_iter().flatten();
    for path in READABLE.split(' ').chain(names).chain(own).chain(named) {
        rules = grant_access(rules, path, read, MissingPathMode::Skip)?;
    }
    let settings = SETTINGS.split(' ').map(str::to_owned);
    let settings: Vec<String> = settings
        .filter(|path| std::fs::symlink_metadata(path).is_ok())
        .collect();
    rules = grant_around(rules, SYSTEM, &settings, BitFlags::EMPTY, read)?;
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    for path in DEVICES.split(' ') {
        rules = grant_access(rules, path, device, MissingPathMode::Skip)?;
    }
    for root in policy.roots() {
        // With a mount namespace, closed folders are covered by empty ones. Without it, rules must leave
        // them out, since rules only grant.
        rules = if policy.closed.is_empty() || policy.level >= Level::S3 {
            grant_access(rules, root, read, MissingPathMode::Fail)?
        } else {
            let everywhere = AccessFs::ReadDir.into();
            grant_around(rules, root, &policy.closed, everywhere, read)?
        };
    }
    for folder in &policy.writable {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let fd = open_in_workspace(policy, folder, flags, ResolveFlags::NO_SYMLINKS)?;
        let rule = PathBeneath::new(fd, read | write);
        rules = rules.add_rule(rule).map_err(io::Error::other)?;
    }
    let memory = own_proc.then_some("/dev/shm");
    let scratch = std::iter::once(policy.scratch.as_str());
    for path in scratch.chain(policy.exchange.as_deref()).chain(memory) {
        rules = grant_access(rules, path, read | write, MissingPathMode::Fail)?;
    }
    Ok(LandlockRuleset { rules, version })
}

impl LandlockRuleset {
    /// Enforces the rules permanently for this process and its descendants.
    pub(super) fn enforce(self) -> io::Result<()> {
        let status = self.rules.restrict_self().map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs {
            return Ok(());
        }
        let found = status.ruleset;
        Err(io::Error::other(format!(
            "Landlock is not in full force: {found:?}"
        )))
    }
}

/// An empty rule set of the best version that the kernel fully supports.
fn create_ruleset(isolation: Isolation) -> io::Result<(RulesetCreated, u32)> {
    let mut last = None;
    for (abi, version) in VERSIONS {
        match create_version(abi, isolation) {
            Ok(rules) => return Ok((rules, version)),
            Err(err) => last = Some(err),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no version of Landlock")))
}

fn create_version(abi: ABI, isolation: Isolation) -> io::Result<RulesetCreated> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let mut rules = rules.handle_access(AccessFs::from_all(abi));
    if abi >= ABI::V4 {
        let network = match isolation {
            Isolation::Offline => AccessNet::BindTcp | AccessNet::ConnectTcp,
            Isolation::Network | Isolation::None => AccessNet::BindTcp.into(),
        };
        rules = rules.and_then(|rules| rules.handle_access(network));
    }
    if abi >= ABI::V6 {
        let scopes = Scope::AbstractUnixSocket | Scope::Signal;
        rules = rules.and_then(|rules| rules.scope(scopes));
    }
    rules.and_then(Ruleset::create).map_err(io::Error::other)
}

/// Grants the content of a folder except closed folders: access to names everywhere, and full access to each entry beside the path to a
/// closed folder. An entry added later to a folder on that path is not granted.
fn grant_around(
    mut rules: RulesetCreated,
    top: &str,
    closed: &[String],
    everywhere: BitFlags<AccessFs>,
    access: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    if !everywhere.is_empty() {
        rules = grant_access(rules, top, everywhere, MissingPathMode::Fail)?;
    }
    let mut ahead = vec![PathBuf::from(top)];
    while let Some(folder) = ahead.pop() {
        // Nothing is granted in a folder that cannot be listed.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Deleted meanwhile, or a link: its target needs its own rule.
            let kind = std::fs::symlink_metadata(&path).map(|found| found.file_type());
            if !kind.is_ok_and(|kind| kind.is_dir() || kind.is_file()) {
                continue;
            }
            if closed.iter().any(|closed| path == Path::new(closed)) {
                continue;
            }
            let mut ways = closed.iter().map(Path::new);
            if ways.any(|closed| closed.starts_with(&path)) {
                ahead.push(path);
                continue;
            }
            let Some(path) = path.to_str() else { continue };
            rules = grant_access(rules, path, access, MissingPathMode::Skip)?;
        }
    }
    Ok(rules)
}

/// The result for a missing path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MissingPathMode {
    Skip,
    Fail,
}

fn grant_access(
    rules: RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
    missing: MissingPathMode,
) -> io::Result<RulesetCreated> {
    let fd = match PathFd::new(path) {
        Ok(fd) => fd,
        Err(_) if missing == MissingPathMode::Skip => return Ok(rules),
        Err(err) => return Err(io::Error::other(err)),
    };
    let access = match FileType::from_raw_mode(fstat(&fd)?.st_mode) {
        FileType::Directory => access,
        _ => access & AccessFs::from_file(ABI::V3),
    };
    let rule = PathBeneath::new(fd, access);
    rules.add_rule(rule).map_err(io::Error::other)
}
