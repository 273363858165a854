//! Files: what a command may reach, by Landlock; everything not granted here is denied by the kernel.

use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use tool_core::command::Level;

use super::super::lists::{DEVICES, READABLE, SETTINGS, SYSTEM};
use super::super::policy::Policy;

/// The versions tried, best first. Below 3 the kernel cannot limit truncation.
const VERSIONS: [(ABI, u32); 5] = [
    (ABI::V9, 9),
    (ABI::V6, 6),
    (ABI::V5, 5),
    (ABI::V4, 4),
    (ABI::V3, 3),
];

/// From this version on, signals stay inside the sandbox.
pub(super) const SCOPES_SIGNALS: u32 = 6;

/// Rules that are made and not yet in force.
pub(super) struct Prepared {
    rules: RulesetCreated,
    pub(super) version: u32,
}

/// Opens every path that is granted; in force only after [`Prepared::enforce`].
///
/// `own_proc` says that `/proc` shows the command's own processes only, so that it may be read.
pub(super) fn prepare(policy: &Policy, own_proc: bool) -> io::Result<Prepared> {
    let (rules, version) = create()?;
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
    let system = READABLE.iter().copied();
    let own = own_proc.then_some("/proc");
    let mut rules = rules;
    for path in system.chain(own) {
        rules = grant(rules, path, read, Missing::Skip)?;
    }
    let settings = SETTINGS.iter().copied();
    let settings: Vec<String> = settings
        .filter(|path| std::fs::symlink_metadata(path).is_ok())
        .map(str::to_owned)
        .collect();
    rules = grant_around(rules, SYSTEM, &settings, BitFlags::EMPTY, read)?;
    for path in DEVICES {
        let access = AccessFs::ReadFile | AccessFs::WriteFile;
        rules = grant(rules, path, access, Missing::Skip)?;
    }
    for path in &policy.readable {
        rules = grant(rules, path, read, Missing::Skip)?;
    }
    if let Some(workspace) = &policy.workspace {
        // With mounts of its own a command finds an empty folder in the place of what is closed. Without, rules must do; they
        // only ever add.
        rules = if policy.closed.is_empty() || policy.level >= Level::S3 {
            grant(rules, workspace, read, Missing::Fail)?
        } else {
            grant_around(
                rules,
                workspace,
                &policy.closed,
                AccessFs::ReadDir.into(),
                read,
            )?
        };
    }
    let memory = own_proc.then_some("/dev/shm");
    let scratch = std::iter::once(policy.scratch.as_str());
    for path in scratch.chain(memory) {
        rules = grant(rules, path, read | write, Missing::Fail)?;
    }
    Ok(Prepared { rules, version })
}

impl Prepared {
    /// Puts the rules in force for this process and all it starts, for good.
    pub(super) fn enforce(self) -> io::Result<()> {
        let status = self.rules.restrict_self().map_err(io::Error::other)?;
        if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs {
            Ok(())
        } else {
            Err(io::Error::other(format!(
                "Landlock is not in full force: {:?}",
                status.ruleset
            )))
        }
    }
}

/// Rules that grant nothing, of the best version that the kernel has in full.
fn create() -> io::Result<(RulesetCreated, u32)> {
    let mut last = None;
    for (abi, version) in VERSIONS {
        match create_version(abi) {
            Ok(rules) => return Ok((rules, version)),
            Err(err) => last = Some(err),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no version of Landlock")))
}

fn create_version(abi: ABI) -> io::Result<RulesetCreated> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .map_err(io::Error::other)?;
    if abi >= ABI::V4 {
        rules = rules
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(io::Error::other)?;
    }
    if abi >= ABI::V6 {
        rules = rules
            .scope(Scope::AbstractUnixSocket | Scope::Signal)
            .map_err(io::Error::other)?;
    }
    rules.create().map_err(io::Error::other)
}

/// Grants what a folder holds but for what is closed: some access everywhere (to names), and all of it to each entry beside the way to what is closed. An entry that
/// comes later to a folder on that way is not granted.
fn grant_around(
    mut rules: RulesetCreated,
    top: &str,
    closed: &[String],
    everywhere: BitFlags<AccessFs>,
    access: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    if !everywhere.is_empty() {
        rules = grant(rules, top, everywhere, Missing::Fail)?;
    }
    let mut ahead = vec![PathBuf::from(top)];
    while let Some(folder) = ahead.pop() {
        // Nothing of a folder that cannot be listed is granted.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            // Gone since its folder was read, or a link: what that leads to has a rule of its own, or none.
            let kind = std::fs::symlink_metadata(&path).map(|found| found.file_type());
            if !kind.is_ok_and(|kind| kind.is_dir() || kind.is_file()) {
                continue;
            }
            if closed.iter().any(|closed| path == Path::new(closed)) {
                continue;
            }
            if closed
                .iter()
                .any(|closed| Path::new(closed).starts_with(&path))
            {
                ahead.push(path);
                continue;
            }
            let Some(path) = path.to_str() else { continue };
            rules = grant(rules, path, access, Missing::Skip)?;
        }
    }
    Ok(rules)
}

/// What a path that is not there means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Skip,
    Fail,
}

fn grant(
    rules: RulesetCreated,
    path: &str,
    access: BitFlags<AccessFs>,
    missing: Missing,
) -> io::Result<RulesetCreated> {
    let fd = match PathFd::new(path) {
        Ok(fd) => fd,
        Err(_) if missing == Missing::Skip => return Ok(rules),
        Err(err) => return Err(io::Error::other(err)),
    };
    let folder = rustix::fs::fstat(&fd).map(|stat| {
        rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Directory
    })?;
    let access = if folder {
        access
    } else {
        access & AccessFs::from_file(ABI::V3)
    };
    rules
        .add_rule(PathBeneath::new(fd, access))
        .map_err(io::Error::other)
}
