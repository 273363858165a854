//! Signals, killed processes, and what is resumed.

use rustix::process::{Pid, Signal, kill_process};

use super::*;

fn signal(child: &Child, signal: Signal) {
    let process = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(process, signal).expect("signals");
}

/// Two phases: `a` counts its runs, the agent of `b` shows that it runs and waits for the file `go`.
fn waiting(trap: &str) -> Place {
    let script = format!("{trap} touch running; while [ ! -e go ]; do sleep 0.1; done; echo went");
    place(&format!(
        "[[phases]]\nname = \"a\"\nagents = [\"first\"]\nprompt = \"x\"\n{WRITES}[[phases]]\nname = \"b\"\nagents = [\"second\"]\nprompt = \"x\"\ndepends_on = [\"a\"]\n{WRITES}{}{}",
        agent("first", "echo x >> runs; echo done"),
        agent("second", &script),
    ))
}

/// Whether a process of the agent is alive: its script has the file's name in its words.
fn alive(place: &Place) -> bool {
    let folder = place.path("work");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut folders = entries.filter_map(|entry| {
        let words = std::fs::File::open(entry.path().join("cmdline")).ok()?;
        let words = std::io::read_to_string(words).ok()?;
        words
            .contains("touch running")
            .then(|| std::fs::read_link(entry.path().join("cwd")).ok())?
    });
    folders.any(|found| found == folder)
}

fn resume(place: &Place, id: &str, more: &[&str]) -> Answer {
    place.run_as_typed(
        &[
            &["--config", "team.toml", "pipeline", "resume", id, "--json"],
            more,
        ]
        .concat(),
        "",
    )
}

#[test]
fn a_killed_pipeline_is_resumed_and_what_ran_is_unknown_until_then() {
    let place = waiting("");
    let mut child = started(&place);
    let id = id_of(&mut child);
    until("the agent runs", || exists(&place, "running"));
    assert!(alive(&place));
    let busy = resume(&place, &id, &["--retry-unknown"]);
    assert!(
        busy.expect_code(1).stdout.contains("pipeline_busy"),
        "{}",
        busy.stdout
    );
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    until("the agent is gone", || !alive(&place));
    let shown = place.run(&["--config", "team.toml", "pipeline", "show", &id], "");
    assert_eq!(
        shown.expect_code(0).at("/state"),
        Value::from("interrupted")
    );
    assert_eq!(states(&shown, "b"), ["unknown"]);
    assert_ne!(status(&shown, "b"), "done");
    // What is unknown runs again only where the user says so.
    let refused = resume(&place, &id, &[]);
    assert!(
        refused.expect_code(1).stdout.contains("unknown_outcome"),
        "{}",
        refused.stdout
    );
    place.write("go", "");
    let done = resume(&place, &id, &["--retry-unknown"]);
    assert_eq!(done.expect_code(0).at("/state"), Value::from("succeeded"));
    assert_eq!(place.read("runs"), "x\n", "what was done is not done again");
    assert_eq!(done.at("/phases/1/agents/0/attempts"), Value::from(2_i64));
    let again = resume(&place, &id, &[]);
    assert!(
        again.expect_code(1).stdout.contains("pipeline_ended"),
        "{}",
        again.stdout
    );
    place
        .run(&["--config", "team.toml", "audit", "verify"], "")
        .expect_code(0);
}

#[test]
fn the_first_signal_asks_the_agent_to_end() {
    let place = waiting("trap 'touch asked; exit 0' TERM;");
    let mut child = started(&place);
    let id = id_of(&mut child);
    until("the agent runs", || exists(&place, "running"));
    signal(&child, Signal::INT);
    let answer = Answer::of(&child.wait_with_output().unwrap());
    assert_eq!(answer.expect_code(6).at("/state"), Value::from("stopped"));
    assert_eq!(states(&answer, "b"), ["cancelled"]);
    assert!(exists(&place, "asked"), "it could clean up");
    assert!(!alive(&place));
    place.write("go", "");
    resume(&place, &id, &[]).expect_code(0);
    assert_eq!(place.read("runs"), "x\n");
}

#[test]
fn the_second_signal_kills_at_once() {
    let place = waiting("trap 'touch asked' TERM;");
    let mut child = started(&place);
    id_of(&mut child);
    until("the agent runs", || exists(&place, "running"));
    signal(&child, Signal::INT);
    until("the agent is asked", || exists(&place, "asked"));
    assert!(alive(&place), "it does not end by itself");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    until("the agent is gone", || !alive(&place));
}

#[test]
fn a_failed_phase_is_repeated_and_a_changed_file_is_not_resumed() {
    let config = format!(
        "[[phases]]\nname = \"a\"\nagents = [\"one\", \"two\"]\nfailure_mode = \"fail_fast\"\nprompt = \"x\"\n{WRITES}{}{}",
        agent("one", "echo x >> runs; echo done"),
        agent("two", "[ -e go ] && echo went"),
    );
    let place = place(&config);
    let failed = run(&place, &[]);
    let id = failed.expect_code(1).at("/pipeline");
    let id = id.as_str().unwrap();
    place.write("go", "");
    place.write("team.toml", &format!("version = 1\n{config}# changed\n"));
    let changed = resume(&place, id, &[]);
    assert!(
        changed.expect_code(1).stdout.contains("file_changed"),
        "{}",
        changed.stdout
    );
    place.write("team.toml", &format!("version = 1\n{config}"));
    assert_eq!(
        states(resume(&place, id, &[]).expect_code(0), "a"),
        ["done", "done"]
    );
    assert_eq!(place.read("runs"), "x\n");
    let unknown = resume(&place, "nonesuch", &[]);
    assert!(
        unknown.expect_code(2).stdout.contains("unknown_pipeline"),
        "{}",
        unknown.stdout
    );
}
