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

/// System calls denied altogether (EPERM).
pub(super) const DENIED: &[i64] = &[
    // network: no socket of any family except connected pairs, see `seccomp`
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_lookup_dcookie,
    // interfaces that bypass the checks on single calls
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // namespaces and mounts
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    SYS_STATMOUNT,
    SYS_LISTMOUNT,
    SYS_LISTNS,
    // files by handle, and watches on files, which Landlock does not limit
    libc::SYS_inotify_add_watch,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // keys
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // objects that outlive the command: System V and POSIX queues, memory, semaphores
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // memory that is charged to no process
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    // the machine
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    SYS_KEXEC_FILE_LOAD,
    libc::SYS_reboot,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

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
pub(super) const METADATA: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_SETXATTRAT,
    SYS_REMOVEXATTRAT,
    SYS_FILE_SETATTR,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
];

/// Signals to other processes: denied if neither another user id nor Landlock (from ABI 6) limits them.
pub(super) const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
];

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
