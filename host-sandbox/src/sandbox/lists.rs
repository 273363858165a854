//! The lists of the sandbox: readable paths (separated by spaces), environment, denied system calls.

/// The name under which the binary starts itself as launcher.
pub(super) const LAUNCHER: &str = "mathchain-sandbox-launcher";

/// The program search path in the sandbox.
pub(super) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The only locale.
pub(super) const LANG: &str = "C.UTF-8";

/// The first user and group id for commands of root. Each command gets a different id, so that none can signal the processes of
/// another or exhaust its process limit. No system assigns these ids.
pub(super) const USERS_FROM: u32 = 0x7000_0000;
/// Number of ids.
pub(super) const USERS: u32 = 1 << 24;
/// The id if those do not exist, as in a container with few ids.
pub(super) const NOBODY: u32 = 65_534;

/// Paths that every command may read and execute: programs, libraries, and the parts of `/etc` that they need. None may
/// contain a secret, since a command of root may read files of root.
pub(super) const READABLE: &str = "/bin /lib /lib32 /lib64 /libx32 \
    /etc/alternatives /etc/bash.bashrc /etc/fonts /etc/inputrc \
    /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/locale.alias /etc/localtime \
    /etc/magic /etc/mime.types /etc/nsswitch.conf /etc/os-release /etc/profile \
    /etc/ssl/certs /etc/ssl/openssl.cnf /etc/terminfo /etc/timezone \
    /proc/cpuinfo /proc/filesystems /proc/loadavg /proc/meminfo /proc/stat \
    /proc/sys/kernel/osrelease /proc/sys/vm/overcommit_memory /proc/uptime /proc/version \
    /sys/devices/system/cpu /sys/kernel/mm/transparent_hugepage";

/// What commands with network read beside [`READABLE`]: names of hosts and services.
pub(super) const NAMES: &str =
    "/etc/gai.conf /etc/host.conf /etc/hosts /etc/protocols /etc/resolv.conf /etc/services";

/// Folders of programs and libraries that every command may read and execute, except [`SETTINGS`] in them.
pub(super) const SYSTEM: &str = "/usr";

/// Settings of programs, which may contain secrets such as tokens of a package registry.
pub(super) const SETTINGS: &str = "/usr/etc /usr/local/etc /usr/local/var \
    /usr/lib/node_modules/npm/npmrc /usr/local/lib/node_modules/npm/npmrc \
    /usr/local/cargo/config /usr/local/cargo/config.toml \
    /usr/local/cargo/credentials /usr/local/cargo/credentials.toml";

/// Devices that every command may read and write.
pub(super) const DEVICES: &str = "/dev/full /dev/null /dev/random /dev/urandom /dev/zero";

/// Files of `/proc` in a process namespace that describe the machine, without secrets.
pub(super) const MASKED: &str = "/proc/kallsyms /proc/kcore /proc/keys /proc/key-users \
    /proc/kpagecgroup /proc/kpagecount /proc/kpageflags /proc/latency_stats \
    /proc/pagetypeinfo /proc/sched_debug /proc/slabinfo /proc/sysrq-trigger \
    /proc/timer_list /proc/vmallocinfo";

/// The numbers of system calls, of which some exist on x86-64 alone.
macro_rules! calls {
    ($($name:ident)* $(; x86_64: $($old:ident)*)?) => {{
        use libc::*;
        &[$($name,)* $($(#[cfg(target_arch = "x86_64")] $old),*)?]
    }};
}

/// System calls denied altogether (EPERM).
pub(super) const DENIED: &[i64] = calls! {
    // network: no command accepts connections; see `UNCONNECTED` and `seccomp` for others
    SYS_bind SYS_listen SYS_accept SYS_accept4
    // other processes
    SYS_ptrace SYS_process_vm_readv SYS_process_vm_writev SYS_process_madvise SYS_process_mrelease
    SYS_pidfd_open SYS_pidfd_getfd SYS_kcmp SYS_lookup_dcookie
    // interfaces that bypass the checks on single calls
    SYS_io_uring_setup SYS_io_uring_enter SYS_io_uring_register SYS_bpf SYS_perf_event_open
    SYS_userfaultfd
    // namespaces and mounts
    SYS_unshare SYS_setns SYS_chroot SYS_pivot_root SYS_mount SYS_umount2 SYS_open_tree
    SYS_move_mount SYS_fsopen SYS_fsconfig SYS_fsmount SYS_fspick SYS_mount_setattr
    SYS_OPEN_TREE_ATTR SYS_swapon SYS_swapoff SYS_quotactl SYS_quotactl_fd SYS_STATMOUNT
    SYS_LISTMOUNT SYS_LISTNS
    // files by handle, and watches on files, which Landlock does not limit
    SYS_inotify_add_watch SYS_open_by_handle_at SYS_name_to_handle_at SYS_fanotify_init
    SYS_fanotify_mark
    // keys
    SYS_add_key SYS_request_key SYS_keyctl
    // objects that outlive the command: System V and POSIX queues, memory, semaphores
    SYS_shmget SYS_shmat SYS_shmctl SYS_semget SYS_semctl SYS_semop SYS_semtimedop SYS_msgget
    SYS_msgsnd SYS_msgrcv SYS_msgctl SYS_mq_open SYS_mq_unlink
    // memory that is charged to no process
    SYS_memfd_create SYS_memfd_secret
    // the machine
    SYS_init_module SYS_finit_module SYS_delete_module SYS_kexec_load SYS_KEXEC_FILE_LOAD SYS_reboot
    SYS_acct SYS_syslog SYS_sethostname SYS_setdomainname SYS_settimeofday SYS_clock_settime
    SYS_clock_adjtime SYS_adjtimex SYS_vhangup;
    x86_64: SYS_iopl SYS_ioperm SYS_modify_ldt SYS_uselib
};

/// System calls denied to commands without network: they have connected pairs of sockets only.
pub(super) const UNCONNECTED: &[i64] = calls! { SYS_socket SYS_connect };

/// Numbers that the crate `libc` lacks; newer ones are equal on every architecture.
const SYS_STATMOUNT: i64 = 457;
const SYS_LISTMOUNT: i64 = 458;
const SYS_OPEN_TREE_ATTR: i64 = 467;
const SYS_LISTNS: i64 = 470;
#[cfg(target_arch = "x86_64")]
const SYS_KEXEC_FILE_LOAD: i64 = 320;
#[cfg(not(target_arch = "x86_64"))]
const SYS_KEXEC_FILE_LOAD: i64 = 294;
const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// Modes, owners, times and attributes of files: Landlock does not limit these, so they are denied if neither another
/// user id nor a mount namespace protects the files of the caller.
pub(super) const METADATA: &[i64] = calls! {
    SYS_fchmod SYS_fchmodat SYS_FCHMODAT2 SYS_fchown SYS_fchownat SYS_utimensat SYS_setxattr
    SYS_lsetxattr SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr SYS_SETXATTRAT
    SYS_REMOVEXATTRAT SYS_FILE_SETATTR;
    x86_64: SYS_chmod SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat
};

/// Signals to other processes: denied if neither another user id nor Landlock (from ABI 6) limits them.
pub(super) const SIGNALS: &[i64] = calls! {
    SYS_kill SYS_tkill SYS_tgkill SYS_rt_sigqueueinfo SYS_rt_tgsigqueueinfo SYS_pidfd_send_signal
};

/// The first system call number after the last review of these lists against `syscalls(2)`, on every architecture. From here on
/// calls return ENOSYS, as on a kernel without them.
pub(super) const UNKNOWN_FROM: u32 = 472;

/// Calls that change or inspect the process in this argument; only 0, the calling process, is allowed.
pub(super) const OF_PROCESS: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
    (libc::SYS_get_robust_list, 0),
];

/// Calls whose first argument is the kind of the second (process, group, user), and the number for a process.
pub(super) const OF_KIND: &[(i64, u64)] = &[
    (libc::SYS_setpriority, libc::PRIO_PROCESS as u64),
    (libc::SYS_getpriority, libc::PRIO_PROCESS as u64),
    (libc::SYS_ioprio_set, IOPRIO_WHO_PROCESS),
    (libc::SYS_ioprio_get, IOPRIO_WHO_PROCESS),
];
const IOPRIO_WHO_PROCESS: u64 = 1;

/// Requests of `fcntl` that set the receiver of signals or the signal, and leases, which block other processes.
pub(super) const OWNERS: &[u64] = &[
    libc::F_SETOWN as u64,
    F_SETSIG,
    F_SETOWN_EX,
    libc::F_SETLEASE as u64,
];
const F_SETSIG: u64 = 10;
const F_SETOWN_EX: u64 = 15;

/// Requests of `prctl` that change another process.
pub(super) const CONTROLS: &[u64] = &[PR_SCHED_CORE];
const PR_SCHED_CORE: u64 = 62;

/// Types of `ioctl` requests that change file attributes, or create subvolumes, through a file open for reading.
pub(super) const ATTRIBUTES: &[u64] = &[b'f' as u64, b'X' as u64, b'v' as u64, 0x94];

/// Families and types of the sockets of commands with network.
pub(super) const INTERNET: [i32; 2] = [libc::AF_INET, libc::AF_INET6];
pub(super) const TRANSPORTS: &[i32] = &[libc::SOCK_STREAM, libc::SOCK_DGRAM];

/// Types of sockets that reach only the other end of their pair.
pub(super) const CONNECTED: &[i32] = &[libc::SOCK_STREAM, libc::SOCK_SEQPACKET];

/// Flags of `clone` that create namespaces.
pub(super) const NEW_NAMESPACES: &[u64] = &[
    libc::CLONE_NEWNS as u64,
    libc::CLONE_NEWCGROUP as u64,
    libc::CLONE_NEWUTS as u64,
    libc::CLONE_NEWIPC as u64,
    libc::CLONE_NEWUSER as u64,
    libc::CLONE_NEWPID as u64,
    libc::CLONE_NEWNET as u64,
];

/// Requests of `ioctl` that inject terminal input, or set the receiver of signals.
pub(super) const REQUESTS: &[u64] = &[0x5412, 0x541c, 0x8901, 0x8902]; // TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP
