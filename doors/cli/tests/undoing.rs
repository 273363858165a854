//! Runs that are undone, cancelled, killed and out of time, with a server that notes what it saw.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tool_core::Value;

use crate::support::{Answer, Place};

/// Notes each path, and answers after as long as the path says: `/p1/300` after 300 ms.
#[derive(Clone)]
struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let server = Self {
            port: listener.local_addr().expect("bound").port(),
            seen: Arc::default(),
        };
        let serving = server.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let server = serving.clone();
                std::thread::spawn(move || server.answer(stream));
            }
        });
        server
    }

    fn answer(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
        let mut first = String::new();
        let mut length = 0;
        let _ = reader.read_line(&mut first);
        loop {
            let mut line = String::new();
            let _ = reader.read_line(&mut line);
            if line.trim().is_empty() {
                break;
            }
            if let Some(text) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = text.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        let _ = reader.read_exact(&mut body);
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut parts = path.trim_start_matches('/').split('/');
        let name = parts.next().unwrap_or_default().to_owned();
        self.seen.lock().expect("whole").push(name);
        let wait = parts.next().and_then(|ms| ms.parse().ok()).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(wait));
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
        );
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("whole").clone()
    }

    fn wait_for(&self, name: &str) {
        let began = Instant::now();
        while !self.seen().iter().any(|one| one == name) {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "never saw {name}"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// A step without effects that takes a minute.
    fn slow(&self, after: &str) -> String {
        let url = format!("http://127.0.0.1:{}/slow/60000", self.port);
        format!(
            "  - {{id: slow, tool: http_get, after: [{after}], args: {{url: '{url}', timeout: 90}}}}\n"
        )
    }

    /// A step that sends, and what undoes it; each answered after some milliseconds.
    fn step(&self, name: &str, ms: u64, more: &str, undo: (u64, &str)) -> String {
        let url = format!("http://127.0.0.1:{}", self.port);
        format!(
            "  - {{id: {name}, tool: http_post, {more}args: {{url: '{url}/{name}/{ms}'}}, compensate: {{tool: http_post, args: {{url: '{url}/undo_{name}/{}'{}}}}}}}\n",
            undo.0, undo.1
        )
    }
}

fn place(server: &Server) -> Place {
    let place = Place::new();
    let host = format!("127.0.0.1:{}", server.port);
    place.write(
        "mathchain.toml",
        &format!(
            "version = 1\n[permissions.network]\nallowed_hosts = [\"{host}\"]\nallow_private = [\"{host}\"]\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = {{ tools = [\"http_post\"] }}\n  decision = \"allow\"\n"
        ),
    );
    place
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}

fn run_of(place: &Place) -> String {
    let listed = place.run(&["runs", "list"], "");
    let id = listed.expect_code(0).at("/0/run");
    id.as_str().expect("an id").to_owned()
}

fn state_of(place: &Place) -> Value {
    place.run(&["runs", "list"], "").at("/0/state")
}

fn ended(child: Child) -> Answer {
    Answer::of(&child.wait_with_output().expect("ends"))
}

fn count(server: &Server, name: &str) -> usize {
    server.seen().iter().filter(|one| *one == name).count()
}

/// C1, C2: the undoing goes on where it was killed; what is not known of it is asked about, in the answer itself; nothing of the
/// plan runs any more.
#[test]
fn a_cancel_that_is_killed_is_gone_on_with() {
    let server = Server::start();
    let place = place(&server);
    let mut plan = "version: 1\nsteps:\n".to_owned();
    for name in ["p0", "p1", "p2"] {
        plan += &server.step(name, 0, "", (300, ""));
    }
    plan += "  - {id: w, tool: write_file, approval: required, after: [p0, p1, p2], args: {path: x, content: y}}\n";
    place.write("plan.yaml", &plan);
    place.run(&["run", "plan.yaml"], "").expect_code(4);
    let run = run_of(&place);
    let mut cancel = place
        .command(&["runs", "cancel", &run])
        .spawn()
        .expect("starts");
    server.wait_for("undo_p1");
    cancel.kill().expect("killed");
    cancel.wait().expect("ends");
    assert_eq!(state_of(&place), Value::from("interrupted"));

    let asked = place.run(&["runs", "resume", &run, "--yes"], "");
    asked.expect_code(1);
    assert_eq!(asked.at("/error/reason"), Value::from("outcome_unknown"));
    assert_eq!(
        asked.at("/metadata/run_state"),
        Value::from("needs_decision")
    );
    let message = asked.at("/error/message").to_string();
    assert!(message.contains("p1!compensate"), "{message}");
    let hint = asked.at("/error/hint").to_string();
    assert!(hint.contains("--decide 'p1!compensate=again'"), "{hint}");
    assert_eq!(state_of(&place), Value::from("needs_decision"));
    // Cancelling says the same.
    let again = place.run(&["runs", "cancel", &run], "");
    assert_eq!(
        again.expect_code(1).at("/error/hint"),
        asked.at("/error/hint")
    );

    let decided = [
        "runs",
        "resume",
        &run,
        "--yes",
        "--decide",
        "p1!compensate=again",
    ];
    let done = place.run(&decided, "");
    assert_eq!(
        done.expect_code(6).at("/error/code"),
        Value::from("cancelled")
    );
    assert_eq!(state_of(&place), Value::from("cancelled"));
    let undone: Vec<String> = server.seen().split_off(3);
    assert_eq!(undone, ["undo_p2", "undo_p1", "undo_p1", "undo_p0"]);
    assert!(
        !place.path("work/x").exists(),
        "it waited for approval, and was cancelled"
    );
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
}

/// C1 by `deadline_ms`: a run whose time was up goes on undoing, with no time anew.
#[test]
fn a_run_whose_time_was_up_goes_on_undoing() {
    let server = Server::start();
    let place = place(&server);
    let mut plan = "version: 1\ndeadline_ms: 1500\nsteps:\n".to_owned();
    plan += &server.step("p0", 0, "", (300, ", repeatable: true"));
    plan += &server.step("p1", 0, "", (300, ", repeatable: true"));
    plan += &server.slow("p0, p1");
    place.write("plan.yaml", &plan);
    let mut child = place
        .command(&["run", "plan.yaml", "--yes"])
        .spawn()
        .expect("starts");
    server.wait_for("undo_p1");
    child.kill().expect("killed");
    child.wait().expect("ends");
    let run = run_of(&place);
    let ended = place.run(&["runs", "resume", &run, "--yes"], "");
    assert_eq!(
        ended.expect_code(5).at("/error/reason"),
        Value::from("deadline_ms")
    );
    assert_eq!(count(&server, "slow"), 1, "nothing goes forward any more");
    assert!(
        count(&server, "undo_p0") == 1 && count(&server, "undo_p1") >= 1,
        "{:?}",
        server.seen()
    );
}

/// C3: a call that was on its way at Ctrl-C may have happened: a person is asked, and the run is undone then.
#[test]
fn what_was_on_its_way_at_a_cancel_is_asked_about() {
    for (said, undone) in [
        ("done", &["undo_p1", "undo_p0"][..]),
        ("failed", &["undo_p0"]),
    ] {
        let server = Server::start();
        let place = place(&server);
        let plan = format!(
            "version: 1\nsteps:\n{}{}",
            server.step("p0", 0, "", (0, "")),
            server.step("p1", 60_000, "after: [p0], ", (0, ""))
        );
        place.write("plan.yaml", &plan);
        let child = place
            .command(&["run", "plan.yaml"])
            .spawn()
            .expect("starts");
        server.wait_for("p1");
        signal(&child, "INT");
        let asked = ended(child);
        asked.expect_code(1);
        assert_eq!(asked.at("/error/reason"), Value::from("outcome_unknown"));
        assert_eq!(asked.at("/error/outcome"), Value::from("unknown"));
        assert_eq!(
            asked.at("/metadata/run_state"),
            Value::from("needs_decision")
        );
        let run = run_of(&place);
        let hint = asked.at("/error/hint").to_string();
        assert!(
            hint.contains(&format!("runs resume {run} --decide p1=")),
            "{hint}"
        );
        assert_eq!(server.seen(), ["p0", "p1"]);
        // Nothing goes forward any more.
        let refused = place.run(&["runs", "resume", &run, "--decide", "p1=again"], "");
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        place
            .run(
                &["runs", "resume", &run, "--decide", &format!("p1={said}")],
                "",
            )
            .expect_code(6);
        assert_eq!(server.seen()[2..], *undone, "{said}");
        assert_eq!(state_of(&place), Value::from("cancelled"));
    }
}

/// Where what undoes it may be done twice, it is undone; so is a step whose own time is up.
#[test]
fn what_may_be_undone_twice_is_undone_without_asking() {
    for (more, interrupts, code) in [("", true, 6), ("timeout_ms: 700, ", false, 5)] {
        let server = Server::start();
        let place = place(&server);
        let twice = ", repeatable: true";
        let plan = format!(
            "version: 1\nsteps:\n{}{}",
            server.step("p0", 0, "", (0, "")),
            server.step("p1", 60_000, &format!("after: [p0], {more}"), (0, twice))
        );
        place.write("plan.yaml", &plan);
        let child = place
            .command(&["run", "plan.yaml"])
            .spawn()
            .expect("starts");
        server.wait_for("p1");
        if interrupts {
            signal(&child, "INT");
        }
        let answer = ended(child);
        answer.expect_code(code);
        assert_eq!(server.seen(), ["p0", "p1", "undo_p1", "undo_p0"]);
        let warnings = answer.at("/warnings").to_string();
        assert!(warnings.contains("its outcome is unknown"), "{warnings}");
    }
}

/// A step that timed out after the server did it is asked about, as after `kill -9`.
#[test]
fn a_step_that_timed_out_is_asked_about() {
    let server = Server::start();
    let place = place(&server);
    let plan = format!(
        "version: 1\nsteps:\n{}  - {{id: after, tool: calculate, after: [p1], args: {{expression: '1'}}}}\n",
        server.step("p1", 60_000, "timeout_ms: 700, ", (0, ""))
    );
    place.write("plan.yaml", &plan);
    let asked = place.run(&["run", "plan.yaml"], "");
    assert_eq!(
        asked.expect_code(1).at("/error/outcome"),
        Value::from("unknown")
    );
    assert_eq!(
        asked.at("/metadata/run_state"),
        Value::from("needs_decision")
    );
    let run = run_of(&place);
    // It is the plan that goes on: what the server did counts.
    let done = ["runs", "resume", &run, "--decide", "p1=done"];
    place.run(&done, "").expect_code(0);
    assert_eq!(server.seen(), ["p1"]);
}

/// A run is cancelled from any terminal: the process that works on it stops and undoes.
#[test]
fn a_run_that_another_process_works_on_is_cancelled() {
    let server = Server::start();
    let place = place(&server);
    let plan = format!(
        "version: 1\nsteps:\n{}{}{}",
        server.step("p0", 0, "", (0, "")),
        server.step("p1", 0, "after: [p0], ", (0, "")),
        server.slow("p1")
    );
    place.write("plan.yaml", &plan);
    let child = place
        .command(&["run", "plan.yaml", "--yes"])
        .spawn()
        .expect("starts");
    server.wait_for("slow");
    let run = run_of(&place);
    let cancelled = place.run(&["runs", "cancel", &run], "");
    assert_eq!(
        cancelled.expect_code(0).at("/status"),
        Value::from("cancelled")
    );
    let undone = cancelled.at("/undone").to_string();
    assert!(
        undone.contains("p1 (done)") && undone.contains("p0 (done)"),
        "{undone}"
    );
    ended(child).expect_code(6);
    assert_eq!(server.seen(), ["p0", "p1", "slow", "undo_p1", "undo_p0"]);
    let audit = place.run(&["audit", "list"], "");
    assert!(
        audit.stdout.contains("\"event\":\"cancel\""),
        "{}",
        audit.stdout
    );
}
