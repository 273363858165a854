//! Restrictions that the process of a command applies to itself before exec: resources, user, files, system calls.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Access, Mode, OFlags, ResolveFlags, openat2};
use rustix::io::Errno;
use rustix::process::{
    Gid, Resource, Rlimit, Signal, Uid, chdir, fchdir, getegid, geteuid, getrlimit, getuid,
    set_parent_process_death_signal, setrlimit, setsid, umask,
};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, configure_capability_in_ambient_set,
    set_capabilities, set_capabilities_secure_bits, set_keep_capabilities, set_no_new_privs,
    set_thread_groups, set_thread_res_gid, set_thread_res_uid,
};
use tool_core::command::{Isolation, Level};

use super::super::lists::USERS_FROM;
use super::super::policy::SandboxPolicy;
use super::landlock::{self, SCOPES_SIGNALS};
use super::seccomp;

/// A part that could not be applied.
pub(super) struct ConfinementError {
    pub(super) stage: &'static str,
    pub(super) error: io::Error,
}

/// Names the stage of an error.
pub(super) fn fault_at_stage<E: Into<io::Error>>(
    stage: &'static str,
) -> impl FnOnce(E) -> ConfinementError {
    move |error| ConfinementError {
        stage,
        error: error.into(),
    }
}

/// Applies all restrictions in order; returns the Landlock version in force, 0 for none.
pub(super) fn apply_confinement(
    policy: &SandboxPolicy,
    own_proc: bool,
) -> Result<u32, ConfinementError> {
    // A new session: no terminal, and signals to its group do not reach the launcher.
    setsid().map_err(fault_at_stage("session"))?;
    if policy.isolation == Isolation::None {
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(fault_at_stage("session"))?;
        return go_to_folder(policy)
            .map(|()| 0)
            .map_err(fault_at_stage("folder"));
    }
    if policy.writes() && policy.level < Level::S3 {
        return Err(fault_at_stage("mounts")(io::Error::other(
            "writable folders need a mount namespace",
        )));
    }
    // Files of the workspace have the modes that the user's own programs give them.
    if !policy.writes() {
        umask(Mode::from_raw_mode(0o077));
    }
    // Paths are opened with the permissions of the caller, which the user id below may lack.
    let prepared = (policy.level >= Level::S2).then(|| landlock::prepare_ruleset(policy, own_proc));
    let prepared = prepared.transpose().map_err(fault_at_stage("landlock"))?;
    go_to_folder(policy).map_err(fault_at_stage("folder"))?;
    let root = geteuid().is_root();
    limit_resources(policy, own_proc && !root).map_err(fault_at_stage("limits"))?;
    let user = if root {
        become_user(policy)
    } else {
        stay_user()
    };
    user.map_err(fault_at_stage("user"))?;
    // The limit on processes does not apply to root, so root is refused, except in its own folders; `watch` counts processes there.
    if (getuid().is_root() || geteuid().is_root()) && !policy.writes() {
        return Err(fault_at_stage("user")(io::Error::other(
            "the user is still root",
        )));
    }
    // After the change of user, which clears it.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(fault_at_stage("session"))?;
    set_no_new_privs(true).map_err(fault_at_stage("seccomp"))?;
    let version = prepared.as_ref().map_or(0, |prepared| prepared.version);
    if let Some(prepared) = prepared {
        prepared.enforce().map_err(fault_at_stage("landlock"))?;
    }
    let extra = seccomp::SeccompDenials {
        metadata: !root && policy.level < Level::S3,
        signals: !root && policy.level < Level::S3 && version < SCOPES_SIGNALS,
        network: policy.isolation == Isolation::Offline,
    };
    seccomp::apply_filters(extra).map_err(fault_at_stage("seccomp"))?;
    Ok(version)
}

/// The working folder: beneath a root of the workspace despite links, or the scratch folder.
fn go_to_folder(policy: &SandboxPolicy) -> io::Result<()> {
    if policy.workspace.is_none() {
        return Ok(chdir(policy.scratch.as_str())?);
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let folder = open_in_workspace(policy, &policy.directory, flags, ResolveFlags::empty())?;
    Ok(fchdir(folder)?)
}

/// Look-ups of one path that the kernel gives up.
const ATTEMPTS_MAX: usize = 1000;

/// Opens a path beneath a root of the workspace, relative to the first one or absolute.
pub(super) fn open_in_workspace(
    policy: &SandboxPolicy,
    path: &str,
    flags: OFlags,
    resolve: ResolveFlags,
) -> io::Result<OwnedFd> {
    let path = Path::new(path);
    let mut ways = policy.roots().filter_map(|root| {
        let rest = path.strip_prefix(root).ok()?;
        Some((root, Path::new(".").join(rest)))
    });
    let first = || Some((policy.workspace.as_ref()?, path.to_owned()));
    let way = ways.next().or_else(first);
    let (root, path) = way.ok_or_else(|| io::Error::other("there is no workspace"))?;
    let root = File::open(root)?;
    let flags = flags | OFlags::CLOEXEC;
    let resolve = resolve | ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    // The kernel gives up a look-up with `..` while anything on the system is renamed or mounted.
    for _ in 0..ATTEMPTS_MAX {
        match openat2(&root, &path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => std::thread::yield_now(),
            opened => return Ok(opened?),
        }
    }
    Err(Errno::AGAIN.into())
}

fn limit_resources(policy: &SandboxPolicy, own_user_namespace: bool) -> io::Result<()> {
    // A lower limit of the caller remains: only root could raise it.
    let set_both = |resource: Resource, current: u64, maximum: u64| {
        let bound = getrlimit(resource).maximum.unwrap_or(u64::MAX);
        let limit = Rlimit {
            current: Some(current.min(bound)),
            maximum: Some(maximum.min(bound)),
        };
        setrlimit(resource, limit)
    };
    let set = |resource, limit| set_both(resource, limit, limit);
    set(Resource::Core, 0)?;
    set(Resource::Fsize, policy.limits.file_bytes)?;
    set(Resource::Nofile, policy.limits.open_files)?;
    // The soft limit sends a signal that can be handled.
    let cpu_s = policy.limits.cpu.as_secs().max(1);
    set_both(Resource::Cpu, cpu_s, cpu_s + 1)?;
    set(Resource::Msgqueue, 0)?;
    // The kernel counts processes per user. The count starts at zero for a separate user or user namespace, otherwise the other
    // processes of the user count too.
    let others = if own_user_namespace {
        LAUNCHERS
    } else if policy.user.is_some_and(|owner| owner.user >= USERS_FROM) {
        0
    } else {
        let own = || geteuid().as_raw();
        tasks_of(policy.user.map_or_else(own, |owner| owner.user))?
    };
    set(Resource::Nproc, others + policy.limits.processes)?;
    Ok(())
}

/// The last limit, set just before exec, since this program may have mapped more.
pub(super) fn limit_memory(policy: &SandboxPolicy) -> io::Result<()> {
    let bound = getrlimit(Resource::As).maximum.unwrap_or(u64::MAX);
    let limit = Some(policy.limits.memory_bytes.min(bound));
    let both = Rlimit {
        current: limit,
        maximum: limit,
    };
    Ok(setrlimit(Resource::As, both)?)
}

/// Processes of the launcher in a user namespace.
const LAUNCHERS: u64 = 2;

/// Processes and threads of a user.
fn tasks_of(user: u32) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    let mut tasks = 0;
    for entry in std::fs::read_dir("/proc")? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes()[0].is_ascii_digit() {
            continue;
        }
        // A process that ends meanwhile is not counted.
        if entry.metadata().is_ok_and(|found| found.uid() == user) {
            let folder = std::fs::metadata(entry.path().join("task"));
            tasks += folder
                .map_or(1, |found| found.nlink().saturating_sub(2))
                .max(1);
        }
    }
    Ok(tasks)
}

/// Changes to the user of the command and drops the capabilities of root. If the workspace is unreadable otherwise, the capability to read
/// files is retained: Landlock decides what can be read. A command in folders of root stays root, without any capability.
fn become_user(policy: &SandboxPolicy) -> io::Result<()> {
    set_thread_groups(&[])?;
    let may_be_root = policy.writes();
    let Some(owner) = policy.user.filter(|owner| owner.user != 0 || may_be_root) else {
        return Err(io::Error::other("the policy names no user other than root"));
    };
    let group = Gid::from_raw(owner.group);
    set_thread_res_gid(group, group, group)?;
    set_keep_capabilities(true)?;
    let user = Uid::from_raw(owner.user);
    set_thread_res_uid(user, user, user)?;
    let closed = |path: &String| {
        let wanted = Access::READ_OK | Access::EXEC_OK;
        rustix::fs::access(Path::new(path), wanted) == Err(Errno::ACCESS)
    };
    let mut granted = policy.roots().chain(&policy.readable);
    let keep = if policy.level >= Level::S2 && granted.any(closed) {
        CapabilitySet::DAC_READ_SEARCH
    } else {
        CapabilitySet::empty()
    };
    if owner.user == 0 {
        // A program of root has every capability again, unless the bit says that root is a user like others.
        let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
        set_capabilities_secure_bits(bits)?;
    } else if !keep.is_empty() {
        keep_for_access(keep);
    }
    restrict_capabilities(keep, keep)?;
    if !keep.is_empty() {
        configure_capability_in_ambient_set(keep, true)?;
    }
    Ok(())
}

/// A launcher of another user drops all capabilities: some of them (`CAP_SYS_RESOURCE`, `CAP_SYS_ADMIN`) would bypass limits.
fn stay_user() -> io::Result<()> {
    let (user, group) = (geteuid(), getegid());
    set_thread_res_gid(group, group, group)?;
    set_thread_res_uid(user, user, user)?;
    Ok(restrict_capabilities(
        CapabilitySet::empty(),
        CapabilitySet::empty(),
    )?)
}

/// Makes `access` use the retained capability. If this fails, programs that call `access` before opening may miss files; security is
/// unaffected.
fn keep_for_access(keep: CapabilitySet) {
    let for_a_moment = keep | CapabilitySet::SETPCAP;
    let _ = restrict_capabilities(for_a_moment, keep)
        .and_then(|()| set_capabilities_secure_bits(CapabilitiesSecureBits::NO_SETUID_FIXUP));
}

/// Sets exactly these capabilities.
fn restrict_capabilities(held: CapabilitySet, inheritable: CapabilitySet) -> Result<(), Errno> {
    let sets = CapabilitySets {
        effective: held,
        permitted: held,
        inheritable,
    };
    set_capabilities(None, sets)
}
