//! Running the binary in a folder of its own.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use tool_core::Value;

/// A folder with an empty home, so that no test sees another's state or the user's configuration.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    /// Whether commands run after `mathchain trust --yes`.
    is_trusted: bool,
}

/// What a run answered.
pub(crate) struct Answer {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        hear_signals();
        let place = Self {
            folder: tempfile::tempdir().expect("a folder"),
            is_trusted: true,
        };
        std::fs::create_dir_all(place.path("work")).expect("makes folders");
        place
    }

    /// A path in the folder; `work` is where the binary runs.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path("work").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        std::fs::write(path, text).expect("writes");
        if name.starts_with("mathchain.") || name.starts_with("plugins/") {
            self.trust(&[]);
        }
    }

    /// Writes a program by another process: a test that starts one meanwhile would hand down this file open for writing, and no such file
    /// can be started.
    #[cfg(unix)]
    pub(crate) fn write_program(&self, name: &str, text: &str) {
        let path = self.path("work").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        let mut writer = Command::new("/bin/sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdin = writer.stdin.take().expect("its input");
        stdin.write_all(text.as_bytes()).expect("writes");
        drop(stdin);
        assert!(writer.wait().expect("ends").success());
    }

    /// Puts a file in place at once, so that nobody reads half of it.
    pub(crate) fn replace(&self, name: &str, text: &str) {
        self.write("draft", text);
        std::fs::rename(self.path("work/draft"), self.path("work").join(name)).expect("renames");
        self.trust(&[]);
    }

    /// A folder whose configuration the user has not agreed to.
    pub(crate) fn of_a_stranger() -> Self {
        Self {
            is_trusted: false,
            ..Self::new()
        }
    }

    /// Agrees to what the folder gives, as the user who wrote a test's files; the answer to it does not matter.
    pub(crate) fn trust(&self, options: &[&str]) {
        if self.is_trusted {
            let mut command = self.plain_command(&[&["trust", "--yes"], options].concat());
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let _ = command.status();
        }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a test looks at what was written"
    )]
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path("work").join(name)).expect("reads")
    }

    /// A command in the folder, which its user trusts: that of its configuration, or of the one that the arguments name.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let after = |flag: &str| {
            let at = args.iter().position(|arg| *arg == flag)?;
            args.get(at + 1).filter(|value| !value.starts_with('-'))
        };
        let named = match args {
            ["pipeline", "run" | "resume", file, ..] if self.path("work").join(file).is_file() => {
                Some(file)
            }
            _ => after("--config"),
        };
        let has_given = ["mathchain.toml", "mathchain.yaml", "plugins", "agents"]
            .map(|name| format!("work/{name}"));
        match named {
            Some(file) => self.trust(&["--config", file]),
            None if has_given.iter().any(|name| self.path(name).exists()) => self.trust(&[]),
            None => {}
        }
        self.plain_command(args)
    }

    /// A command that was started from a terminal, in the folder.
    pub(crate) fn command_at_terminal(&self, args: &[&str]) -> Command {
        self.prepared(at_terminal(env!("CARGO_BIN_EXE_mathchain")), args)
    }

    fn plain_command(&self, args: &[&str]) -> Command {
        let binary = env!("CARGO_BIN_EXE_mathchain");
        // Approvals are given at a terminal.
        let command = match args.first() {
            Some(&("approve" | "keys")) => at_terminal(binary),
            _ => Command::new(binary),
        };
        self.prepared(command, args)
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        command
            .args(args)
            .current_dir(self.path("work"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("XDG_CONFIG_HOME", self.path("config"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the binary with a text on stdin.
    /// Runs a command as a program does; see [`asking_json`].
    pub(crate) fn run(&self, args: &[&str], stdin: &str) -> Answer {
        self.run_bytes(&asking_json(args), stdin.as_bytes())
    }

    /// Runs a command with exactly these arguments.
    pub(crate) fn run_as_typed(&self, args: &[&str], stdin: &str) -> Answer {
        self.run_bytes(args, stdin.as_bytes())
    }

    pub(crate) fn run_bytes(&self, args: &[&str], stdin: &[u8]) -> Answer {
        answer_of(self.command(args), stdin)
    }
}

/// The arguments as a program gives them: commands that print text by default are asked for JSON, unless the arguments name a format.
pub(crate) fn asking_json<'a>(args: &[&'a str]) -> Vec<&'a str> {
    const NAMED: [&str; 7] = [
        "call", "run", "serve", "session", "resume", "--json", "--help",
    ];
    let is_named = |arg: &&str| NAMED.contains(arg) || arg.starts_with("--output");
    let json = match args.iter().any(is_named) {
        true => &[][..],
        false => &["--json"],
    };
    [args, json].concat()
}

/// A command with a controlling terminal, in a session of its own; its standard streams are pipes as ever.
pub(crate) fn at_terminal(binary: &str) -> Command {
    let (ours, name) = terminal();
    // The terminal lives as long as this process.
    std::mem::forget(ours);
    let mut command = Command::new("/usr/bin/setsid");
    // The first terminal that the leader of a session opens is its controlling one.
    let open = r#"exec 4<>"$0"; exec "$@""#;
    command.args(["--wait", "/bin/sh", "-c", open, &name, binary]);
    command
}

/// Our side of a pseudo-terminal, and the name of the other.
pub(crate) fn terminal() -> (File, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("ours");
    unlockpt(&ours).expect("open");
    let name = ptsname(&ours, Vec::new()).expect("a name");
    let name = name.to_str().expect("UTF-8").to_owned();
    (ours.into(), name)
}

/// A shell without job control starts programs with some signals ignored, and a program inherits that unless its parent handles them:
/// gives the ones that tests send a handler where they are ignored.
#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "a file of the kernel about this process"
)]
fn hear_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).expect("hex"));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            if mask >> (signal - 1) & 1 == 1 {
                signal_hook::flag::register(signal, Arc::<AtomicBool>::default())
                    .expect("a handler");
            }
        }
    });
}

#[cfg(not(unix))]
fn hear_signals() {}

/// What a command of [`Place::command`] answers to bytes on stdin.
pub(crate) fn answer_of(mut command: Command, stdin: &[u8]) -> Answer {
    let mut child = command.spawn().expect("starts");
    let mut pipe = child.stdin.take().expect("piped");
    let bytes = stdin.to_vec();
    // The process may end without reading all.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&bytes)));
    let output = child.wait_with_output().expect("ends");
    writer.join().expect("writes");
    Answer::of(&output)
}

impl Answer {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout.clone()).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr.clone()).expect("UTF-8"),
        }
    }

    /// The one line of JSON on stdout.
    pub(crate) fn json(&self) -> Value {
        mathchain::parse_json(self.stdout.trim_end())
            .unwrap_or_else(|err| panic!("{err}: {} / {}", self.stdout, self.stderr))
    }

    pub(crate) fn at(&self, pointer: &str) -> Value {
        self.json()
            .pointer(pointer)
            .unwrap_or_else(|| panic!("no {pointer} in {}", self.stdout))
    }

    #[track_caller]
    pub(crate) fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.code, code,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }
}

/// A serving process.
pub(crate) struct Served {
    child: Child,
    stdin: Option<ChildStdin>,
    pub answers: Receiver<Value>,
    told: Receiver<String>,
    pub sent: i64,
}

impl Served {
    pub(crate) fn start(place: &Place, flags: &[&str]) -> Self {
        let mut child = place
            .command(&[&["serve", "--jsonl"], flags].concat())
            .spawn()
            .expect("starts");
        let (answers_in, answers) = channel();
        let (told_in, told) = channel();
        let (stdout, stderr) = (
            child.stdout.take().expect("piped"),
            child.stderr.take().expect("piped"),
        );
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let _ = answers_in.send(mathchain::parse_json(&line).expect("JSON"));
            }
        });
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let _ = told_in.send(line);
            }
        });
        Self {
            stdin: child.stdin.take(),
            child,
            answers,
            told,
            sent: 0,
        }
    }

    /// Sends a call without arguments; gives its id.
    pub(crate) fn send(&mut self, tool: &str) -> i64 {
        self.send_with(tool, "{}")
    }

    fn send_with(&mut self, tool: &str, args: &str) -> i64 {
        self.sent += 1;
        let line = format!(
            "{{\"id\":{},\"tool\":\"{tool}\",\"args\":{args}}}\n",
            self.sent
        );
        self.stdin
            .as_mut()
            .expect("open")
            .write_all(line.as_bytes())
            .expect("takes it");
        self.sent
    }

    pub(crate) fn answer(&self) -> Value {
        self.answers
            .recv_timeout(Duration::from_secs(60))
            .expect("an answer")
    }

    pub(crate) fn call(&mut self, tool: &str) -> Value {
        self.call_with(tool, "{}")
    }

    pub(crate) fn call_with(&mut self, tool: &str, args: &str) -> Value {
        let id = self.send_with(tool, args);
        let answer = self.answer();
        assert_eq!(answer.get("id"), Some(&Value::Int(id)));
        answer
    }

    /// Calls until the answer is as wanted.
    pub(crate) fn until(&mut self, tool: &str, wanted: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        loop {
            let answer = self.call(tool);
            if wanted(&answer) {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "still {answer}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(crate) fn wait_told(&self, words: &str) {
        while !self
            .told
            .recv_timeout(Duration::from_secs(60))
            .unwrap_or_else(|_| panic!("never said {words}"))
            .contains(words)
        {}
    }

    pub(crate) fn end(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().expect("ends").success());
    }
}

/// The root of the repository, where the examples are.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("below the root")
        .to_owned()
}
