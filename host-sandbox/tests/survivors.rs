//! Nothing of a command is left when it ends, however it hides.

use std::time::{Duration, Instant};

use tool_core::command::{CommandOutput, Level, SandboxCommand};

use crate::place::{Place, said};

crate::trials!(
    nothing_survives_its_end,
    nothing_survives_its_deadline,
    a_holder_of_the_pipe_holds_nobody_up,
    nothing_survives_the_caller,
);

/// Scripts that leave a `sleep` with a number of its own behind.
const HIDERS: &[(&str, &str)] = &[
    ("in the background", "sleep NUMBER & sleep 0.2"),
    ("forked twice", "(sleep NUMBER &) & sleep 0.2"),
    ("in a session of its own", "setsid sleep NUMBER & sleep 0.2"),
    (
        "forked twice in a session of its own",
        "(setsid sh -c 'setsid sleep NUMBER & sleep 0.2' &); sleep 0.2",
    ),
    (
        "ignoring signals",
        "(trap '' TERM HUP INT; sleep NUMBER) & sleep 0.2",
    ),
    (
        "with closed streams",
        "setsid sleep NUMBER <&- >&- 2>&- & sleep 0.2",
    ),
    (
        "several",
        "for i in 1 2 3 4 5; do (setsid sleep NUMBER &); done; sleep 0.2",
    ),
];

#[expect(
    clippy::disallowed_methods,
    reason = "a test looks at files of the kernel"
)]
pub(crate) fn running(number: &str) -> usize {
    std::fs::read_dir("/proc")
        .expect("lists")
        .filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok())
        .filter(|line| line.starts_with(b"sleep\0") && line[6..].starts_with(number.as_bytes()))
        .count()
}

pub(crate) fn number(index: usize, salt: u32) -> String {
    format!(
        "{}",
        7_000_000 + std::process::id() * 100 + salt + index as u32
    )
}

/// Runs a command and says how many hidden processes there were meanwhile, at most.
fn watched(place: &Place, command: &SandboxCommand, number: &str) -> (CommandOutput, usize) {
    std::thread::scope(|scope| {
        let runs = scope.spawn(|| place.run(command).expect("ends"));
        let mut most = 0;
        while !runs.is_finished() {
            most = most.max(running(number));
            std::thread::sleep(Duration::from_millis(5));
        }
        (runs.join().expect("runs"), most)
    })
}

fn nothing_survives_its_end() {
    for (salt, level) in [(0, Level::S3), (20, Level::S2)] {
        let place = Place::at(level);
        for (index, (name, script)) in HIDERS.iter().enumerate() {
            let number = number(index, salt);
            let command = place.script(&script.replace("NUMBER", &number));
            let (ran, most) = watched(&place, &command, &number);
            assert!(
                ran.exit.success() && !ran.timed_out,
                "{level} {name}: {}",
                said(&ran)
            );
            assert!(most > 0, "{level} {name}: it never began");
            assert_eq!(running(&number), 0, "{level} {name}");
        }
    }
}

fn nothing_survives_its_deadline() {
    for (salt, level) in [(40, Level::S3), (60, Level::S2)] {
        let place = Place::at(level);
        for (index, (name, script)) in HIDERS.iter().enumerate() {
            let number = number(index, salt);
            let script = script.replace("NUMBER", &number);
            let mut command = place.script(&format!("trap '' TERM\n{script}\nsleep {number}"));
            command.limits.wall = Duration::from_millis(1000);
            let (ran, most) = watched(&place, &command, &number);
            assert!(ran.timed_out, "{level} {name}: {}", said(&ran));
            assert!(most > 1, "{level} {name}: it never began");
            assert_eq!(running(&number), 0, "{level} {name}");
        }
    }
}

fn a_holder_of_the_pipe_holds_nobody_up() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let ran = place.shell("echo said; setsid sleep 50 & exit 0");
        assert_eq!(ran.stdout.text(), "said\n");
        assert!(!ran.timed_out);
    }
}

/// A caller that is killed in the middle: its launcher sees to the rest.
fn nothing_survives_the_caller() {
    for (salt, level) in [(80, "S3"), (81, "S2")] {
        let number = number(0, salt);
        let folder = tempfile::tempdir().expect("a folder");
        let mut caller = std::process::Command::new("/proc/self/exe")
            .env(
                CALLER,
                format!("{level} {number} {}", folder.path().display()),
            )
            .spawn()
            .expect("starts");
        let begun = Instant::now();
        while running(&number) == 0 {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "the command never began"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        caller.kill().expect("kills");
        caller.wait().expect("ends");
        let killed = Instant::now();
        while running(&number) > 0 {
            assert!(
                killed.elapsed() < Duration::from_secs(30),
                "{level}: it survives its caller"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Names what this program does instead of tests when a test starts it as a caller.
pub(crate) const CALLER: &str = "SANDBOX_TEST_CALLER";

/// Acts as the caller that a test kills; called by `main`.
pub(crate) fn call_if_asked() -> bool {
    #[expect(clippy::disallowed_methods, reason = "set by the test above")]
    let Ok(asked) = std::env::var(CALLER) else {
        return false;
    };
    if asked == crate::levels::INNER {
        crate::levels::run_inside();
        return true;
    }
    if asked == crate::calls::ORDINARY {
        crate::calls::run_as_ordinary();
        return true;
    }
    let words: Vec<&str> = asked.split(' ').collect();
    let level = if words[0] == "S3" {
        Level::S3
    } else {
        Level::S2
    };
    let sandbox = host_sandbox::Sandbox::new(host_sandbox::sandbox::SandboxEnvironment {
        workspace: Some(words[2].into()),
        scratch: words[2].into(),
        ..Default::default()
    })
    .with_ceiling(level);
    let script = format!("(setsid sleep {0} &) ; sleep {0}", words[1]);
    let mut command = SandboxCommand::new(["sh", "-c", &script]);
    command.limits.wall = Duration::from_secs(60);
    let _ = tool_core::capability::Spawner::run(&sandbox, &command, &tool_core::StopFlag::new());
    true
}
