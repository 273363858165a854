//! Every family of denied system calls, tried by a program on what it must not reach, at each level, as the user of the test and as
//! an ordinary one.

use std::os::unix::net::UnixDatagram;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::Duration;

use tool_core::command::{Level, SandboxCommand};

use crate::place::{Place, said};
use crate::survivors::CALLER;

crate::trials!(
    every_family_is_denied,
    every_family_is_denied_to_an_ordinary_user,
    settings_of_the_system_are_not_given,
    states_below_the_root_are_not_read,
);

/// What an attempt prints that was not denied.
const WORKED: &str = "WORKED";

/// Attempts in Python; each must end with EPERM (or what is named) and leave the victim as it was. What must go on working is at
/// the end.
const SCRIPT: &str = r#"
import ctypes, os, sys, socket as s, struct, fcntl, resource
victim, work = int(sys.argv[1]), os.getcwd()
libc = ctypes.CDLL(None, use_errno=True)
x86 = os.uname().machine == "x86_64"
names = {}
for line in """
prlimit64 302 261
sched_setaffinity 203 122
sched_setscheduler 144 119
sched_setparam 142 118
sched_setattr 314 274
migrate_pages 256 238
move_pages 279 239
get_robust_list 274 100
setpriority 141 140
getpriority 140 141
ioprio_set 251 30
ioprio_get 252 31
process_mrelease 448 448
process_madvise 440 440
process_vm_readv 310 270
process_vm_writev 311 271
ptrace 101 117
pidfd_open 434 434
pidfd_getfd 438 438
kcmp 312 272
inotify_add_watch 254 27
fanotify_init 300 262
name_to_handle_at 303 264
open_by_handle_at 304 265
semget 64 190
semtimedop 220 192
semop 65 193
shmget 29 194
msgget 68 186
mq_open 240 180
memfd_create 319 279
unshare 272 97
setns 308 268
mount 165 40
umount2 166 39
pivot_root 155 41
chroot 161 51
open_tree 428 428
fsopen 430 430
mount_setattr 442 442
statmount 457 457
listmount 458 458
io_uring_setup 425 425
bpf 321 280
perf_event_open 298 241
userfaultfd 323 282
add_key 248 217
request_key 249 218
keyctl 250 219
init_module 175 105
kexec_load 246 104
reboot 169 142
syslog 103 116
acct 163 89
swapon 167 224
quotactl 179 60
sethostname 170 161
clock_settime 227 112
adjtimex 159 171
vhangup 153 58
socket 41 198
connect 42 203
bind 49 200
listen 50 201
accept 43 202
accept4 288 242
sendto 44 206
socketpair 53 199
prctl 157 167
fcntl 72 25
ioctl 16 29
""".split("\n")[1:-1]:
    name, of_x86, of_others = line.split()
    names[name] = int(of_x86 if x86 else of_others)
def call(name, *args):
    number = name if isinstance(name, int) else names[name]
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[a if isinstance(a, (bytes, ctypes.Array)) else ctypes.c_long(a) for a in args])
    return 0 if result >= 0 else ctypes.get_errno()
def denied(name, *args, errno=1):
    got = call(name, *args)
    if got != errno:
        print(name, args, "WORKED" if got == 0 else "errno %d" % got)
buffer = ctypes.create_string_buffer(4096)
limit = struct.pack("QQ", 0, 0)
attributes = struct.pack("IIQiIQQQ", 48, 0, 0, 19, 0, 0, 0, 0)
for pid in (victim, os.getppid(), 1):
    denied("prlimit64", pid, 1, limit, 0)
    denied("prlimit64", pid, 1, 0, buffer)
    denied("sched_setaffinity", pid, 8, struct.pack("Q", 1))
    denied("sched_setscheduler", pid, 5, struct.pack("i", 0))
    denied("sched_setparam", pid, struct.pack("i", 0))
    denied("sched_setattr", pid, attributes, 0)
    denied("migrate_pages", pid, 64, struct.pack("Q", 1), struct.pack("Q", 1))
    denied("move_pages", pid, 0, 0, 0, 0, 0)
    denied("get_robust_list", pid, buffer, buffer)
    denied("setpriority", 0, pid, 19)
    denied("getpriority", 0, pid)
    denied("ioprio_set", 1, pid, 3 << 13)
    denied("ioprio_get", 1, pid)
    denied("pidfd_open", pid, 0)
    denied("kcmp", pid, os.getpid(), 0, 0, 0)
    denied("ptrace", 16, pid, 0, 0)
    denied("process_vm_readv", pid, 0, 0, 0, 0, 0)
    denied("process_vm_writev", pid, 0, 0, 0, 0, 0)
    denied("prctl", 62, 2, pid, 0, 0)
    # the owner of a descriptor is sent signals
    denied("fcntl", 0, 8, pid)
for kind in (1, 2):
    denied("setpriority", kind, 0, 19)
    denied("getpriority", kind, 0)
for kind in (2, 3):
    denied("ioprio_set", kind, 0, 3 << 13)
denied("fcntl", 0, 10, 9)
denied("fcntl", 0, 15, struct.pack("ii", 1, victim))
denied("fcntl", 0, 1024, 0)
for request in (0x5412, 0x541c, 0x8901, 0x8902):
    denied("ioctl", 0, request, buffer)
for name in ("process_mrelease process_madvise pidfd_getfd fanotify_init name_to_handle_at open_by_handle_at semget semtimedop semop "
             "shmget msgget mq_open memfd_create unshare setns mount umount2 pivot_root chroot open_tree fsopen mount_setattr statmount "
             "listmount io_uring_setup bpf perf_event_open userfaultfd add_key request_key keyctl init_module kexec_load reboot syslog acct "
             "swapon quotactl sethostname clock_settime adjtimex vhangup socket connect bind listen accept accept4 inotify_add_watch").split():
    denied(name, 0, 0, 0, 0, 0, 0)
denied(500, 0, 0, 0, errno=38)
denied(1000, 0, 0, 0, errno=38)
# pairs: of every type but connected ones, whatever flags it has
for family in (1, 2, 10, 16, 17, 40):
    for kind in range(16):
        for flags in (0, 0o4000, 0o2000000, 0o2004000):
            if family != 1 or kind not in (1, 5):
                denied("socketpair", family, kind | flags, 0, buffer)
datagrams = work + "/datagrams"
for kind in (s.SOCK_RAW, s.SOCK_DGRAM):
    try:
        s.socketpair(s.AF_UNIX, kind)[0].sendto(b"out", datagrams)
        print("a pair of type", kind, "WORKED")
    except PermissionError:
        pass
for kind in (s.SOCK_STREAM, s.SOCK_SEQPACKET):
    for flags in (0, s.SOCK_NONBLOCK, s.SOCK_CLOEXEC):
        a, b = s.socketpair(s.AF_UNIX, kind | flags)
        for send in (lambda: a.sendto(b"out", datagrams), lambda: a.sendmsg([b"out"], [], 0, datagrams)):
            try:
                send()
            except OSError:
                pass
        a.send(b"in")
        b.recv(100)
# what stays: a program's own limits, priority and processors
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
os.nice(1)
os.sched_setaffinity(0, os.sched_getaffinity(0))
os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
a, b = s.socketpair()
s.send_fds(a, [b"x"], [0])
s.recv_fds(b, 1, 1)
print("over")
"#;

fn every_family_is_denied() {
    let mut victim = victim();
    for level in [Level::S3, Level::S2] {
        denied_at(level, &victim);
    }
    victim.kill().expect("ends");
    victim.wait().expect("ends");
}

fn victim() -> std::process::Child {
    let mut command = std::process::Command::new("sleep");
    command.arg("120").spawn().expect("starts")
}

fn denied_at(level: Level, victim: &std::process::Child) {
    let place = Place::at(level);
    let outside = UnixDatagram::bind(place.path("workspace/datagrams")).expect("listens");
    outside.set_nonblocking(true).expect("sets");
    open_to_all(&place.path("workspace/datagrams"));
    let before = state_of(victim.id());
    let pid = victim.id().to_string();
    let mut command = SandboxCommand::new(["python3", "-I", "-c", SCRIPT, &pid]);
    command.limits.wall = Duration::from_secs(30);
    let ran = place.run(&command).expect("runs");
    assert_eq!(said(&ran), "over\n", "{level}: what was not denied");
    assert_eq!(ran.level, level);
    assert!(!said(&ran).contains(WORKED));
    assert!(outside.recv(&mut [0; 8]).is_err(), "{level}: it got out");
    assert_eq!(state_of(victim.id()), before, "{level}");
}

/// What the calls would change of a process.
#[expect(
    clippy::disallowed_methods,
    reason = "a test looks at files of the kernel"
)]
fn state_of(pid: u32) -> String {
    let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).expect("reads");
    let status = read("status");
    let cpus = status
        .lines()
        .find(|line| line.starts_with("Cpus_allowed:"));
    let stat = read("stat");
    let priority: Vec<&str> = stat.split(' ').skip(17).take(2).collect();
    format!("{} {cpus:?} {priority:?}", read("limits"))
}

fn open_to_all(path: &Path) {
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(path, open).expect("sets");
}

/// What this program is asked to do as an ordinary user.
pub(crate) const ORDINARY: &str = "ordinary";

/// The same by a process without any right of root; the victim belongs to that user too.
fn every_family_is_denied_to_an_ordinary_user() {
    let mut again = std::process::Command::new("/proc/self/exe");
    again.env(CALLER, ORDINARY).env("TMPDIR", "/tmp");
    if rustix::process::geteuid().is_root() {
        again.uid(65_534).gid(65_534);
    }
    let output = again.output().expect("starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

/// Every level that this user reaches; S2 is one of them.
pub(crate) fn run_as_ordinary() {
    assert!(!rustix::process::geteuid().is_root());
    let mut victim = victim();
    let reached = Place::at(Level::S3)
        .run(&SandboxCommand::new(["true"]))
        .expect("runs");
    let mut levels = vec![Level::S2];
    levels.extend((reached.level == Level::S3).then_some(Level::S3));
    for level in levels {
        denied_at(level, &victim);
        let place = Place::at(level);
        // Attributes of the user's own files, through a file that is open for reading.
        let ran = place.run(&SandboxCommand::new(["python3", "-I", "-c", ATTRIBUTES]));
        assert_eq!(said(&ran.expect("runs")), "over\n", "{level}");
        read_states(&place);
    }
    victim.kill().expect("ends");
    victim.wait().expect("ends");
}

/// FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, and a subvolume of Btrfs.
const ATTRIBUTES: &str = r#"
import fcntl, os
for path in ("notes.txt", "."):
    for request in (0x40086602, 0x401c5820, 0x40087602, 0x5000940e):
        try:
            fcntl.ioctl(os.open(path, os.O_RDONLY), request, bytearray(4096))
            print(path, hex(request), "WORKED")
        except OSError as e:
            if e.errno not in (1, 25, 30, 95):
                print(path, hex(request), e)
print("over")
"#;

/// What a program prints that lists and reads settings of others.
fn settings_of_the_system_are_not_given() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        for folder in ["/usr/local/etc", "/usr/local/var", "/usr/etc"] {
            let ran = place.shell(&format!("ls {folder} >/dev/null || echo refused"));
            assert!(said(&ran).contains("refused"), "{level} {folder}");
        }
        let ran = place.shell("ls /usr/local/bin /usr/share /usr/lib >/dev/null && echo read");
        assert!(said(&ran).contains("read"), "{level}: {}", said(&ran));
    }
}

fn states_below_the_root_are_not_read() {
    for level in [Level::S3, Level::S2] {
        read_states(&Place::at(level));
    }
}

fn read_states(place: &Place) {
    for state in ["sub/.mathchain", "sub/deep/er/.mathchain"] {
        let folder = place.path("workspace").join(state);
        std::fs::create_dir_all(&folder).expect("makes");
        crate::place::write(&folder.join("state.db"), crate::place::CANARY);
        crate::place::write(&folder.with_file_name("beside"), "beside");
        open_to_all(&folder);
        let ran = place.shell(&format!(
            "cat {state}/state.db; cat $(dirname {state})/beside; grep -rs canary . && echo found"
        ));
        let text = said(&ran);
        assert!(text.contains("beside"), "{state}: {text}");
        assert!(!text.contains(crate::place::CANARY), "{state}: {text}");
        assert!(!text.contains("found"), "{state}: {text}");
    }
}
