//! Attempts to get out, as data: each must fail, and leave the host as it was.

use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::time::Duration;

use tool_core::command::{CommandLimits, Excess, Level, ProcessExit};

use crate::place::{CANARY, Place, said};

crate::trials!(
    every_escape_is_refused,
    sockets_reach_nobody,
    bombs_stay_inside,
    sums_beyond_their_limits_end_the_command,
    other_processes_cannot_be_touched,
    another_architecture_is_killed,
);

/// A script that must print `refused` where it says so; `@` is the folder of the place.
const ESCAPES: &[(&str, &str)] = &[
    ("write to the root", "echo x > /escaped || echo refused"),
    (
        "write to a system folder",
        "echo x > /usr/escaped || echo refused",
    ),
    ("write to /etc", "echo x >> /etc/hosts || echo refused"),
    (
        "write to /dev/shm outside",
        "echo x > /dev/shm/../escaped || echo refused",
    ),
    (
        "write beside the workspace",
        "echo x > @/outside || echo refused",
    ),
    ("write by dot dot", "echo x > ../outside || echo refused"),
    ("make beside the workspace", "mkdir @/made || echo refused"),
    (
        "write in the workspace",
        "echo x > notes.txt || echo refused",
    ),
    ("make in the workspace", "touch new || echo refused"),
    (
        "remove in the workspace",
        "rm -f notes.txt; test -e notes.txt && echo refused",
    ),
    (
        "rename in the workspace",
        "mv notes.txt other || echo refused",
    ),
    (
        "write to the repository",
        "echo x >> .git/config || echo refused",
    ),
    ("make a hook", "mkdir .git/hooks || echo refused"),
    (
        "write to the state",
        "echo x > .mathchain/state.db || echo refused",
    ),
    (
        "replace the state",
        "cp notes.txt $HOME/n; mv -f $HOME/n .mathchain/state.db || echo refused",
    ),
    ("read the state", "cat .mathchain/state.db || echo refused"),
    (
        "read the state by its whole path",
        "cat @/workspace/sub/../.mathchain/state.db || echo refused",
    ),
    (
        "read the state through a link",
        "ln -s @/workspace/.mathchain $HOME/l; cat $HOME/l/state.db || echo refused",
    ),
    (
        "write in a further root",
        "echo x > @/more/new || echo refused",
    ),
    (
        "replace in a further root",
        "cp notes.txt $HOME/n; mv -f $HOME/n @/more/notes.txt || echo refused",
    ),
    (
        "read the state of a further root",
        "cat @/more/.mathchain/state.db || echo refused",
    ),
    (
        "make a configuration",
        "echo x > mathchain.toml || echo refused",
    ),
    ("truncate", "truncate -s 0 notes.txt || echo refused"),
    ("change a mode", "chmod 777 notes.txt || echo refused"),
    (
        "change a mode outside",
        "chmod 777 @/outside || echo refused",
    ),
    ("change an owner", "chown 65534 notes.txt || echo refused"),
    (
        "change a time",
        "touch -d 2001-01-01 notes.txt || echo refused",
    ),
    (
        "change a time outside",
        "touch -d 2001-01-01 @/outside || echo refused",
    ),
    (
        "link out and read",
        "ln -s @/outside $HOME/l; cat $HOME/l || echo refused",
    ),
    (
        "link out and write",
        "ln -s @/outside $HOME/l; echo x > $HOME/l || echo refused",
    ),
    ("hard link out", "ln @/outside $HOME/l || echo refused"),
    (
        "hard link of the workspace",
        "ln notes.txt $HOME/l || echo refused",
    ),
    (
        "a link of the workspace that leads out",
        "cat link || echo refused",
    ),
    ("read outside", "cat @/outside || echo refused"),
    ("read a home", "cat @/home/secret || echo refused"),
    ("list a home", "ls @/home || echo refused"),
    ("read root's home", "ls /root || echo refused"),
    ("read passwords", "cat /etc/shadow || echo refused"),
    ("read users", "cat /etc/passwd || echo refused"),
    ("read private keys", "ls /etc/ssl/private || echo refused"),
    ("read logs", "ls /var/log || echo refused"),
    (
        "read the environment of the caller",
        "cat /proc/$PPID/environ || echo refused",
    ),
    (
        "read the first process",
        "cat /proc/1/environ || echo refused",
    ),
    (
        "read through the root of a process",
        "cat /proc/1/root@/outside || echo refused",
    ),
    (
        "read memory of the kernel",
        "cat /proc/kcore | head -c 1 || true; head -c 1 /dev/mem || echo refused",
    ),
    (
        "read a disk",
        "head -c 1 /dev/vda || head -c 1 /dev/sda || echo refused",
    ),
    ("a device", "mknod $HOME/null c 1 3 || echo refused"),
    ("a disk", "mknod $HOME/disk b 8 0 || echo refused"),
    ("a pipe with a name", "mknod $HOME/pipe p || echo refused"),
    ("a namespace of users", "unshare -Ur true || echo refused"),
    ("a namespace of mounts", "unshare -m true || echo refused"),
    (
        "somebody's namespace",
        "nsenter -t 1 -m true || echo refused",
    ),
    ("a mount", "mount -t tmpfs none $HOME || echo refused"),
    ("another root", "chroot $HOME /bin/true || echo refused"),
    ("another personality", "setarch -R true || echo refused"),
    ("the host name", "hostname escaped || echo refused"),
    ("the clock", "date -s 2001-01-01 || echo refused"),
    ("restart", "reboot -f || echo refused"),
    (
        "a control group",
        "mkdir /sys/fs/cgroup/escaped || echo refused",
    ),
    (
        "a setting of the kernel",
        "echo 1 > /proc/sys/kernel/panic || echo refused",
    ),
    ("root by su", "su -c true || echo refused"),
    (
        "a higher priority",
        "nice -n -5 true 2>&1 | grep -q denied && echo refused",
    ),
];

fn every_escape_is_refused() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let before = place.snapshot();
        for (name, script) in ESCAPES {
            let ran = place.shell(script);
            let said = said(&ran);
            assert!(said.contains("refused"), "{level} {name}: {said}");
            assert!(!said.contains(CANARY), "{level} {name}: {said}");
            assert_eq!(place.snapshot(), before, "{level} {name}");
        }
        for path in ["/escaped", "/usr/escaped", "/dev/escaped"] {
            assert!(!std::path::Path::new(path).exists(), "{path}");
        }
    }
}

/// Run by the interpreter, since the shell makes no sockets; skipped are none: without it the test fails.
fn sockets_reach_nobody() {
    let tcp = TcpListener::bind("127.0.0.1:0").expect("listens");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("listens");
    for listener in [tcp.set_nonblocking(true), udp.set_nonblocking(true)] {
        listener.expect("sets");
    }
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let stream = UnixListener::bind(place.path("workspace/stream")).expect("listens");
        stream.set_nonblocking(true).expect("sets");
        let datagrams = UnixDatagram::bind(place.path("workspace/datagrams")).expect("listens");
        datagrams.set_nonblocking(true).expect("sets");
        for socket in ["stream", "datagrams"] {
            use std::os::unix::fs::PermissionsExt;
            let open = std::fs::Permissions::from_mode(0o777);
            std::fs::set_permissions(place.path(&format!("workspace/{socket}")), open)
                .expect("sets");
        }
        let script = format!(
            r#"
import socket as s, os
def attempt(name, f):
    try:
        f()
        print(name, "WORKED")
    except OSError as e:
        print(name, e.errno)
work = os.getcwd()
attempt("tcp", lambda: s.create_connection(("127.0.0.1", {tcp})))
attempt("udp", lambda: s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {udp})))
attempt("tcp6", lambda: s.socket(s.AF_INET6, s.SOCK_STREAM))
attempt("unix", lambda: s.socket(s.AF_UNIX, s.SOCK_STREAM).connect(work + "/stream"))
attempt("netlink", lambda: s.socket(s.AF_NETLINK, s.SOCK_RAW, 0))
attempt("packet", lambda: s.socket(s.AF_PACKET, s.SOCK_RAW, 0))
attempt("vsock", lambda: s.socket(40, s.SOCK_STREAM))
attempt("alg", lambda: s.socket(38, s.SOCK_SEQPACKET))
attempt("pair of datagrams", lambda: s.socketpair(s.AF_UNIX, s.SOCK_DGRAM)[0].sendto(b"x", work + "/datagrams"))
attempt("pair to listener", lambda: s.socketpair()[0].connect(work + "/stream"))
a, b = s.socketpair()
a.send(b"pair works")
print(b.recv(20).decode())
"#,
            tcp = tcp.local_addr().expect("an address").port(),
            udp = udp.local_addr().expect("an address").port(),
        );
        let mut command = tool_core::command::SandboxCommand::new(["python3", "-I", "-c", &script]);
        command.limits.wall = Duration::from_secs(10);
        let ran = place.run(&command).expect("runs");
        let text = said(&ran);
        assert!(!text.contains("WORKED"), "{level}: {text}");
        assert!(text.contains("pair works"), "{level}: {text}");
        assert_eq!(
            text.matches(" 1\n").count(),
            10,
            "each is EPERM, {level}: {text}"
        );
        assert!(tcp.accept().is_err() && stream.accept().is_err());
        assert!(udp.recv(&mut [0; 8]).is_err() && datagrams.recv(&mut [0; 8]).is_err());
    }
}

fn bombs_stay_inside() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let mut forks = place.script("f() { f | f & }; f; sleep 0.3; echo over");
        forks.limits.wall = Duration::from_secs(5);
        forks.limits.processes = 20;
        place.run(&forks).expect("ends");

        let mut counted = place.script(COUNT_FORKS);
        counted.limits.processes = 20;
        let ran = place.run(&counted).expect("ends");
        let forks: u64 = ran.stdout.text().trim().parse().expect("a number");
        // Of one user's other processes some end meanwhile; a command of root has a user to itself.
        let most = if rustix::process::geteuid().is_root() {
            20
        } else {
            60
        };
        assert!((5..most).contains(&forks), "{level}: {}", said(&ran));

        let mut memory = place.script("python3 -I -c 'x = bytearray(1 << 30)' || echo refused");
        memory.limits.memory_bytes = 256 << 20;
        let ran = place.run(&memory).expect("ends");
        assert!(said(&ran).contains("refused"), "{}", said(&ran));

        let mut file = place.script("head -c 3000000 /dev/zero > $HOME/big; stat -c %s $HOME/big");
        file.limits.file_bytes = 1 << 20;
        let ran = place.run(&file).expect("ends");
        assert_eq!(ran.stdout.text().trim(), "1048576", "{}", said(&ran));

        let mut processor = place.script("while :; do :; done");
        processor.limits.cpu = Duration::from_secs(1);
        let ran = place.run(&processor).expect("ends");
        assert!(
            matches!(ran.exit, ProcessExit::Signal(_)) && !ran.timed_out,
            "{ran:?}"
        );

        let mut output = place.script("yes");
        output.limits.wall = Duration::from_millis(300);
        let ran = place.run(&output).expect("ends");
        assert!(ran.timed_out && ran.stdout.truncated());
        assert_eq!(ran.stdout.bytes.len(), 50_000);

        let files = "i=0; while exec 2>/dev/null && eval \"exec $((i+10))</dev/null\"; do i=$((i+1)); done; echo $i";
        let ran = place.shell(&format!("ulimit -n; {files}"));
        assert!(ran.stdout.text().starts_with("256\n"), "{}", said(&ran));
    }
}

/// Forks until that is refused, and says how often it was not.
const COUNT_FORKS: &str = r#"exec python3 -I -c '
import os, time
count = 0
while count < 100:
    try:
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    except OSError:
        break
    count += 1
print(count)
'"#;

/// Each process and each file is within its limit; together they are not.
fn sums_beyond_their_limits_end_the_command() {
    let hidden = "import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(b\"x\" * (24 << 20))
        time.sleep(30)
time.sleep(30)";
    let shared = "import os, time
x = bytearray(b\"x\" * (24 << 20))
for _ in range(8):
    if os.fork() == 0:
        time.sleep(0.5)
        os._exit(0)
time.sleep(0.5)
print(\"over\")";
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let run = |script: &str, limit: fn(&mut CommandLimits)| {
            let mut command = place.script(script);
            limit(&mut command.limits);
            place.run(&command).expect("ends")
        };
        let python = |code: &str| format!("exec python3 -I -c '{code}'");
        let memory = |limits: &mut CommandLimits| limits.tree_memory_bytes = 128 << 20;
        let ran = run(&python(hidden), memory);
        assert_eq!(ran.exceeded, Some(Excess::Memory), "{level}: {ran:?}");
        assert!(ran.exit == ProcessExit::Signal(9) && !ran.timed_out);
        // What processes share counts once.
        let ran = run(&python(shared), memory);
        assert_eq!((ran.exceeded, ran.stdout.text().trim()), (None, "over"));

        let files = "i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $HOME/$i; done";
        let ran = run(files, |limits| limits.scratch_bytes = 8 << 20);
        assert_eq!(ran.exceeded, Some(Excess::Disk), "{level}: {ran:?}");

        let empty = "i=0; while :; do i=$((i+1)); : > $HOME/$i; done";
        let ran = run(empty, |limits| limits.scratch_entries = 100);
        assert_eq!(ran.exceeded, Some(Excess::Files), "{level}: {ran:?}");

        let deep =
            "cd $HOME; i=0; while [ $i -lt 200 ]; do mkdir d; cd d; i=$((i+1)); done; sleep 5";
        let ran = run(deep, |_| {});
        assert_eq!(ran.exceeded, Some(Excess::Files), "{level}: {ran:?}");

        let within =
            "mkdir -p $HOME/a/b; head -c 3000000 /dev/zero > $HOME/a/b/c; sleep 0.3; echo over";
        let ran = run(within, |limits| limits.scratch_bytes = 8 << 20);
        assert_eq!((ran.exceeded, ran.stdout.text().trim()), (None, "over"));
        let left = std::fs::read_dir(place.path("scratch")).expect("lists");
        assert_eq!(left.count(), 0);
    }
}

fn other_processes_cannot_be_touched() {
    let mut victim = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .expect("starts");
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let pid = victim.id();
        let own = std::process::id();
        for script in [
            format!("kill -9 {pid} || echo refused"),
            format!("kill -9 {own} || echo refused"),
            "kill -9 $PPID || echo refused".to_owned(),
            format!("cat /proc/{pid}/environ || echo refused"),
            format!("cat /proc/{own}/environ || echo refused"),
            format!("cat /proc/{own}/cmdline || echo refused"),
            format!("ls /proc/{own}/fd || echo refused"),
            format!(
                "python3 -I -c 'import ctypes,sys; sys.exit(ctypes.CDLL(None).ptrace(16, {pid}, 0, 0) == 0)' && echo refused"
            ),
        ] {
            let ran = place.shell(&script);
            assert!(
                said(&ran).contains("refused"),
                "{level} {script}: {}",
                said(&ran)
            );
        }
        place.shell("kill -9 -1");
        assert!(victim.try_wait().expect("looks").is_none(), "{level}");
    }
    victim.kill().expect("ends");
    victim.wait().expect("ends");
}

/// 32-bit numbers and those of x32 mean other calls than the lists name.
fn another_architecture_is_killed() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    // getpid by `int 0x80`, then by the x32 number; both would print a line if they came back.
    const SCRIPT: &str = r#"
import ctypes, mmap, sys
code = {"int80": b"\xb8\x14\x00\x00\x00\xcd\x80\xc3", "x32": b"\xb8\x27\x00\x00\x40\x0f\x05\xc3"}[sys.argv[1]]
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
f = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
print("begun", flush=True)
f()
print("CAME BACK")
"#;
    let place = Place::at(Level::S2);
    for way in ["int80", "x32"] {
        let ran = place
            .run(&tool_core::command::SandboxCommand::new([
                "python3", "-I", "-c", SCRIPT, way,
            ]))
            .expect("ends");
        let text = said(&ran);
        assert!(
            text.contains("begun") && !text.contains("CAME BACK"),
            "{way}: {text}"
        );
        assert_eq!(ran.exit, ProcessExit::Signal(31), "{way}: {text}");
    }
    drop(std::io::empty().read(&mut []));
}
