//! Signals, sent to processes.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tool_core::Value;

use crate::support::Place;

/// A process with open pipes, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn start(mut command: Command) -> Self {
        Self(command.spawn().expect("starts"))
    }

    fn send(&mut self, text: &str) {
        let stdin = self.0.stdin.as_mut().expect("piped");
        stdin.write_all(text.as_bytes()).expect("takes it");
        stdin.flush().expect("takes it");
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("is there");
    }

    /// Waits until the process hears signals, which its mask of caught ones tells.
    fn until_it_hears(&self) {
        let place = format!("/proc/{}/status", self.0.id());
        eventually("hears signals", || {
            let mut status = String::new();
            let read = File::open(&place).and_then(|mut file| file.read_to_string(&mut status));
            let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
            let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
            read.is_ok() && mask.is_some_and(|mask| mask >> (Signal::TERM.as_raw() - 1) & 1 == 1)
        });
    }

    /// The exit code; a hang breaks the test.
    #[track_caller]
    fn code(&mut self) -> Option<i32> {
        let mut status = None;
        eventually("ends", || {
            status = self.0.try_wait().expect("is ours");
            status.is_some()
        });
        status.and_then(|status| status.code())
    }

    fn rest(&mut self) -> String {
        let mut text = String::new();
        let mut stdout = self.0.stdout.take().expect("piped");
        stdout.read_to_string(&mut text).expect("UTF-8");
        text
    }
}

#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn idle_doors_end_at_the_first_signal() {
    let place = Place::new();
    for door in [&["serve", "--jsonl"][..], &["session"]] {
        for (signal, code) in [(Signal::TERM, 0), (Signal::HUP, 0), (Signal::INT, 6)] {
            let mut running = Running::start(place.command(door));
            running.until_it_hears();
            running.signal(signal);
            assert_eq!(running.code(), Some(code), "{door:?} at {signal:?}");
            let out = running.rest();
            // A session closes its log.
            assert_eq!(out.contains(r#"{"type":"state""#), door[0] == "session");
        }
    }
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
}

const SHELL: &str = "version = 1\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"run_shell\"] }\n  decision = \"allow\"\n";

fn sleeping(id: u32, seconds: &str) -> String {
    format!(r#"{{"id":{id},"tool":"run_shell","args":{{"argv":["sleep","{seconds}"]}}}}"#) + "\n"
}

/// Sends lines to a door, and a signal once the first call has begun.
fn drained(signal: Signal, seconds: &str) -> (Option<i32>, Vec<Value>) {
    let place = Place::new();
    place.write("mathchain.toml", SHELL);
    let mut running = Running::start(place.command(&["serve", "--jsonl", "--workers", "1"]));
    running.until_it_hears();
    let quick = r#"{"id":2,"tool":"calculate","args":{"expression":"6*7"}}"#;
    running.send(&format!("{}{quick}\n{{\"id\":3,", sleeping(1, seconds)));
    let state = place.path("work/.mathchain/state.db-wal");
    // The intent of the first call is on disk before it runs.
    eventually("begins", || {
        let text = std::fs::File::open(&state).and_then(|mut file| {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        text.is_ok_and(|bytes| bytes.windows(8).any(|part| part == b"\"intent\""))
    });
    running.signal(signal);
    let code = running.code();
    let answers = running.rest();
    let answers = answers
        .lines()
        .map(|line| mathchain::parse_json(line).expect("JSON"));
    (code, answers.collect())
}

#[test]
fn what_was_read_is_answered_and_what_runs_may_end() {
    let (code, answers) = drained(Signal::TERM, "1");
    assert_eq!(code, Some(0), "{answers:?}");
    let ids: Vec<_> = answers.iter().map(|answer| answer.get("id")).collect();
    assert_eq!(ids, [Some(&Value::Int(1)), Some(&Value::Int(2))]);
    for answer in &answers {
        assert_eq!(answer.get("ok"), Some(&Value::Bool(true)), "{answer}");
    }
}

#[test]
fn what_does_not_end_is_stopped_and_answered() {
    for (signal, code) in [(Signal::TERM, 7), (Signal::HUP, 7), (Signal::INT, 6)] {
        let (found, answers) = drained(signal, "600");
        assert_eq!(found, Some(code), "{signal:?}: {answers:?}");
        assert_eq!(answers.len(), 2, "{answers:?}");
        let error = answers[0].pointer("/error/code");
        assert_eq!(error, Some(Value::from("cancelled")), "{}", answers[0]);
    }
}

/// Calls whose answers are more than a pipe holds.
fn many() -> String {
    (0..1000)
        .map(|id| {
            format!("{{\"id\":{id},\"tool\":\"calculate\",\"args\":{{\"expression\":\"6*7\"}}}}\n")
        })
        .collect()
}

#[test]
fn a_second_signal_ends_the_process_with_its_own_code() {
    let place = Place::new();
    for (second, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut running = Running::start(place.command(&["serve", "--jsonl"]));
        running.until_it_hears();
        running.send(&many());
        // The pipe, of 65,536 bytes, is full, and nobody takes what is in it.
        let stdout = running.0.stdout.as_ref().expect("piped");
        let mut before = 0;
        eventually("fills the pipe", || {
            let now = rustix::io::ioctl_fionread(stdout).expect("a pipe");
            std::mem::replace(&mut before, now) == now && now > 60_000
        });
        running.signal(Signal::INT);
        let mut told = BufReader::new(running.0.stderr.take().expect("piped")).lines();
        let told = told.next().expect("words").expect("UTF-8");
        assert!(told.contains("again to quit now"), "{told}");
        // A terminal that closes sends several of these.
        running.signal(Signal::HUP);
        running.signal(second);
        assert_eq!(running.code(), Some(code));
    }
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let place = Place::new();
    let mut command = Command::new("/bin/sh");
    let script = r#"trap "" HUP; exec "$0" serve --jsonl"#;
    command.args(["-c", script, env!("CARGO_BIN_EXE_mathchain")]);
    let own = place.command(&[]);
    command.env_clear().current_dir(place.path("work"));
    for (name, value) in own.get_envs() {
        command.env(name, value.expect("is set"));
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut running = Running::start(command);
    running.until_it_hears();
    running.signal(Signal::HUP);
    running.send("{\"id\":1,\"tool\":\"calculate\",\"args\":{\"expression\":\"6*7\"}}\n");
    drop(running.0.stdin.take());
    assert_eq!(running.code(), Some(0));
    assert!(running.rest().contains(r#""ok":true"#));
}

/// A pseudo-terminal: what stands on one side is typed at the other.
fn terminal() -> (File, File) {
    let (ours, name) = crate::support::terminal();
    let theirs = File::options().read(true).write(true).open(name);
    (ours, theirs.expect("opens"))
}

/// Starts a call that asks at a terminal, and waits for the question.
fn asked(place: &Place) -> (Running, File) {
    let (mut ours, theirs) = terminal();
    let call = [
        "call",
        "write_file",
        "--path",
        "a.txt",
        "--content",
        "x",
        "--json",
    ];
    let mut command = place.command(&call);
    command
        .stdin(theirs.try_clone().expect("ours"))
        .stderr(theirs);
    let running = Running::start(command);
    let mut seen = Vec::new();
    eventually("asks", || {
        let mut part = [0; 4096];
        let count = ours.read(&mut part).expect("a terminal");
        seen.extend_from_slice(&part[..count]);
        String::from_utf8_lossy(&seen).contains("run it? [y/N")
    });
    (running, ours)
}

#[test]
fn a_signal_at_the_question_ends_the_process_and_nothing_runs() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let place = Place::new();
        let (mut running, _ours) = asked(&place);
        running.signal(signal);
        assert_eq!(running.code(), Some(code));
        assert!(!place.path("work/a.txt").exists());
        let waiting = place.run(&["approvals", "list"], "");
        assert_eq!(
            waiting.expect_code(0).at("/0/state"),
            Value::from("pending")
        );
    }
}

#[test]
fn the_end_of_input_at_the_question_is_no() {
    let place = Place::new();
    let (mut running, mut ours) = asked(&place);
    ours.write_all(b"\x04").expect("typed");
    assert_eq!(running.code(), Some(3));
    assert!(!place.path("work/a.txt").exists());
    let answer = mathchain::parse_json(running.rest().trim_end()).expect("one document");
    let code = answer.pointer("/error/code");
    assert_eq!(code, Some(Value::from("approval_declined")));
}

/// What a signal prints comes in place of the status line, of which nothing stays.
#[test]
fn an_interrupted_call_leaves_no_status_line() {
    let place = Place::new();
    place.write("mathchain.toml", SHELL);
    let (mut ours, theirs) = terminal();
    let mut command = place.command(&["call", "run_shell"]);
    command.env("TERM", "xterm").stderr(theirs);
    let mut running = Running::start(command);
    running.send(r#"{"argv":["sleep","600"]}"#);
    drop(running.0.stdin.take());
    let mut seen = String::new();
    let mut read = |seen: &mut String| {
        let mut part = [0; 4096];
        // Once no process has the terminal, reading fails.
        let count = ours.read(&mut part).unwrap_or(0);
        seen.push_str(&String::from_utf8_lossy(&part[..count]));
        count > 0
    };
    eventually("draws the status line", || {
        read(&mut seen);
        seen.contains("run_shell")
    });
    running.signal(Signal::INT);
    assert!(running.code().is_some());
    while read(&mut seen) {}
    let (before, after) = seen.split_once("cancelling").expect("says so");
    let erased = |text: &str| {
        let last = text.rsplit("\u{1b}[2K").next().unwrap_or_default();
        !last.contains("run_shell")
    };
    assert!(erased(before), "{seen:?}");
    assert!(erased(after), "{seen:?}");
}

#[test]
fn a_run_that_is_asked_to_end_says_so() {
    let place = Place::new();
    place.write("mathchain.toml", SHELL);
    let mut running = Running::start(place.command(&["call", "run_shell"]));
    running.send(r#"{"argv":["sleep","600"]}"#);
    drop(running.0.stdin.take());
    running.until_it_hears();
    running.signal(Signal::TERM);
    assert_eq!(running.code(), Some(7));
    let answer = mathchain::parse_json(running.rest().trim_end()).expect("one document");
    let reason = answer.pointer("/error/reason");
    assert_eq!(reason, Some(Value::from("interrupted")), "{answer}");
}
