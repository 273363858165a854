//! Overhead of the sandbox when starting a program: `cargo bench -p benches --bench sandbox`. Not criterion's harness, since a
//! launcher must take over before anything else does.

use std::time::{Duration, Instant};

use host_sandbox::Sandbox;
use host_sandbox::sandbox::{SandboxEnvironment, launch_if_asked};
use tool_core::StopFlag;
use tool_core::capability::Spawner;
use tool_core::command::{Level, SandboxCommand};

/// Runs per row.
const RUNS: usize = 300;

#[expect(clippy::print_stdout, reason = "a program that prints its figures")]
fn main() {
    launch_if_asked();
    let folder = tempfile::tempdir().expect("a folder");
    let plain = || {
        let status = std::process::Command::new("/bin/true").status();
        assert!(status.expect("starts").success());
    };
    let bare = median(plain);
    println!(
        "{:<28}{:>10}{:>12}",
        "start of /bin/true", "median ms", "added ms"
    );
    row("plain", bare, bare);
    for level in [Level::S1, Level::S2, Level::S3] {
        let sandbox = Sandbox::new(SandboxEnvironment {
            workspace: Some(folder.path().to_owned()),
            scratch: std::env::temp_dir(),
            ..SandboxEnvironment::default()
        })
        .with_ceiling(level);
        let mut command = SandboxCommand::new(["/bin/true"]);
        command.minimum = level;
        let run = || {
            let ran = sandbox.run(&command, &StopFlag::new()).expect("runs");
            assert!(ran.exit.success() && ran.level == level);
        };
        row(level.as_str(), median(run), bare);
    }
}

fn median(run: impl Fn()) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

#[expect(clippy::print_stdout, reason = "a program that prints its figures")]
fn row(name: &str, time: Duration, bare: Duration) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{name:<28}{:>10.2}{:>12.2}",
        milliseconds(time),
        milliseconds(time.saturating_sub(bare))
    );
}
