//! The screen of a terminal as a reader sees it: commands run on a pseudo-terminal whose output an emulator draws.

use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::AsFd;
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{Place, root};

/// A plan of two quick steps.
const PLAN: &str = "version: 1
steps:
  - {id: first, tool: calculate, args: {expression: 6*7}}
  - {id: second, tool: calculate, args: {expression: 1+1}, after: [first]}
outputs: {}
";

/// A call that goes on until it is stopped, and reports its steps.
const LONG: [&str; 10] = [
    "call",
    "solve_ode",
    "--system",
    r#"["cos(1e6*t)"]"#,
    "--y0",
    "[0]",
    "--t_span",
    "[0,1e5]",
    "--max-steps",
    "10000000",
];

/// A program on a terminal of its own.
pub(crate) struct Screen {
    parser: vt100::Parser,
    child: Child,
    terminal: File,
    output: Receiver<Vec<u8>>,
    /// Everything that was ever written.
    bytes: Vec<u8>,
}

fn whole(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("not zero")
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

impl Screen {
    pub(crate) fn start(
        place: &Place,
        args: &[&str],
        rows: u16,
        columns: u16,
        variables: &[(&str, &str)],
    ) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("ours");
        unlockpt(&ours).expect("open");
        tcsetwinsize(&ours, size(rows, columns)).expect("a size");
        let name = ptsname(&ours, Vec::new()).expect("a name");
        let theirs = File::options()
            .read(true)
            .write(true)
            .open(name.to_str().expect("UTF-8"));
        let theirs = theirs.expect("opens");
        let mut command = place.command(args);
        let child = command
            .env("TERM", "xterm-256color")
            .envs(variables.iter().copied())
            .stdin(theirs.try_clone().expect("a copy"))
            .stdout(theirs.try_clone().expect("a copy"))
            .stderr(theirs)
            .spawn()
            .expect("starts");
        // The command holds the other end open.
        drop(command);
        let terminal = File::from(ours);
        let mut reader = terminal.try_clone().expect("a copy");
        let (send, output) = channel();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            // The last end that closes is an error on Linux.
            while let Ok(count @ 1..) = reader.read(&mut part) {
                if send.send(part[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            parser: vt100::Parser::new(whole(rows), whole(columns), 1000),
            child,
            terminal,
            output,
            bytes: Vec::new(),
        }
    }

    fn resize(&mut self, rows: u16, columns: u16) {
        tcsetwinsize(self.terminal.as_fd(), size(rows, columns)).expect("a size");
        self.parser
            .screen_mut()
            .set_size(whole(rows), whole(columns));
    }

    fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// Sends what a person types.
    pub(crate) fn type_in(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).expect("typed");
    }

    /// Draws what was written until the screen has what is wanted.
    pub(crate) fn until(&mut self, what: &str, wanted: impl Fn(&str) -> bool) {
        while !wanted(&self.text()) {
            match self.output.recv_timeout(Duration::from_secs(60)) {
                Ok(part) => self.take(&part),
                Err(err) => panic!("{what}: {err}; the screen:\n{}", self.text()),
            }
        }
    }

    fn take(&mut self, part: &[u8]) {
        self.parser.process(part);
        self.bytes.extend_from_slice(part);
    }

    /// Draws everything until the program has ended; gives its exit code and the last screen.
    pub(crate) fn end(mut self) -> (Option<i32>, String, Vec<u8>) {
        loop {
            match self.output.recv_timeout(Duration::from_secs(60)) {
                Ok(part) => self.take(&part),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("goes on; the screen:\n{}", self.text()),
            }
        }
        let code = self.child.wait().expect("ends").code();
        (code, self.text(), self.bytes)
    }
}

/// A place with the plan.
fn place() -> Place {
    let place = Place::new();
    place.write("plan.yaml", PLAN);
    place
}

fn assert_clean(screen: &str) {
    let odd = |one: char| one == '\u{fffd}' || (one.is_control() && one != '\n');
    assert!(
        !screen.contains(odd) && !screen.contains("[K"),
        "{screen:?}"
    );
}

#[test]
fn a_run_shows_each_step_once_and_no_status_line_at_its_end() {
    for (rows, columns, variables) in [
        (24, 80, vec![]),
        (20, 40, vec![]),
        (24, 80, vec![("NO_COLOR", "1")]),
        (24, 80, vec![("TERM", "dumb")]),
    ] {
        let place = place();
        let screen = Screen::start(&place, &["run", "plan.yaml"], rows, columns, &variables);
        let (code, text, bytes) = screen.end();
        assert_eq!(code, Some(0), "{text}");
        assert_clean(&text);
        for step in ["first", "second"] {
            let shown = text.matches(&format!("ok     {step}")).count();
            assert_eq!(shown, 1, "{columns} {variables:?}\n{text}");
        }
        assert!(!text.contains("running:"), "{text}");
        let has = |sequence: &[u8]| bytes.windows(sequence.len()).any(|part| part == sequence);
        assert_eq!(has(b"\x1b[32m"), variables.is_empty(), "{variables:?}");
        let is_dumb = variables.iter().any(|(_, value)| *value == "dumb");
        assert_eq!(!has(b"\x1b"), is_dumb, "{variables:?}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test copies an example")]
fn the_quickstart_of_the_readme_leaves_a_clean_screen() {
    let place = Place::new();
    for file in ["examples/quickstart.yaml", "examples/data/houses.csv"] {
        let text = std::fs::read_to_string(root().join(file)).expect("reads");
        place.write(file, &text);
    }
    let plan = ["run", "examples/quickstart.yaml", "--input", "draws=200"];
    let (code, text, _) = Screen::start(&place, &plan, 120, 80, &[]).end();
    assert_eq!(code, Some(0), "{text}");
    assert_clean(&text);
    assert!(text.contains("ok     posterior"), "{text}");
}

#[test]
fn a_long_call_shows_the_elapsed_time_and_its_steps_at_any_width() {
    let place = Place::new();
    let mut screen = Screen::start(&place, &LONG, 24, 80, &[]);
    let is_shown = |text: &str| text.contains("solve_ode") && text.contains("steps");
    screen.until("shows its steps", is_shown);
    screen.until("counts seconds", |text| text.contains(" 2s"));
    screen.resize(24, 30);
    screen.until("is redrawn", |text| {
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines.len() <= 3 && lines.iter().any(|line| line.contains("solve_ode"))
    });
    let pid = rustix::process::Pid::from_child(&screen.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("runs");
    let (code, text, _) = screen.end();
    assert_eq!(code, Some(6), "{text}");
    assert_clean(&text);
    let status = text
        .lines()
        .filter(|line| line.contains("steps") && line.contains('%'));
    assert_eq!(status.count(), 0, "{text}");
}

#[test]
fn a_short_call_draws_nothing_but_its_answer() {
    let place = Place::new();
    let call = ["call", "calculate", "--expression", "6*7"];
    let (code, text, bytes) = Screen::start(&place, &call, 24, 80, &[]).end();
    assert_eq!(code, Some(0));
    assert!(text.contains("42"), "{text}");
    assert!(!bytes.contains(&0x1b), "{text}");
}

/// A pipeline that says much on a narrow terminal: a line for each agent, cut, and none is left at the end.
#[test]
fn a_pipeline_shows_its_agents_on_lines_of_their_own() {
    let long = "a very long line of what the agent does at this moment ".repeat(4);
    let table = |name: &str| {
        crate::pipeline::agent(
            name,
            &format!("for i in 1 2 3 4 5 6 7 8; do echo \"{name} $i {long}\"; sleep 0.3; done"),
        )
    };
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"one\", \"two\"]\nparallel = true\nprompt = \"x\"\n{}{}",
        table("one"),
        table("two"),
    );
    for columns in [80, 40] {
        let place = crate::pipeline::place(&config);
        let mut screen = Screen::start(&place, &["pipeline", "run", "team.toml"], 24, columns, &[]);
        screen.until("shows both", |text| {
            text.contains("p/one running") && text.contains("p/two running")
        });
        screen.until("redraws them", |text| text.contains(" 2 s"));
        let drawn = screen.text();
        for agent in ["p/one running", "p/two running"] {
            assert_eq!(drawn.matches(agent).count(), 1, "{columns}\n{drawn}");
        }
        let (code, text, _) = screen.end();
        assert_eq!(code, Some(0), "{text}");
        assert_clean(&text);
        assert!(
            !text.contains("running") && !text.contains("in all"),
            "{text}"
        );
        assert_eq!(text.matches("p/one: done").count(), 1, "{text}");
    }
}
