//! Plans that a server runs at times.

use std::collections::BTreeSet;
use std::time::Duration;

use rusqlite::Connection;
use tool_core::Value;

use super::client::Server;
use crate::pipeline::until;
use crate::support::Place;

const ALLOW: &str = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\n";
const LINE: &str = r#"
version: 1
id: line
inputs: {text: {type: string, default: none}}
steps:
  - {id: w, tool: write_file, args: {path: log.txt, content: {$fmt: "{}\n", args: [{$ref: inputs.text}]}, mode: append}}
"#;

fn place_with(schedule: &str) -> Place {
    filled(Place::new(), schedule)
}

fn filled(place: Place, schedule: &str) -> Place {
    place.write("plans/line.yaml", LINE);
    place.write("log.txt", "");
    place.write("mathchain.toml", &format!("{ALLOW}{schedule}"));
    place
}

fn lines(place: &Place) -> usize {
    place.read("log.txt").lines().count()
}

/// The times of a schedule, newest first: due time, outcome, state of the run.
fn times(place: &Place, name: &str) -> Vec<(i64, String, String)> {
    let shown = place.run(&["schedule", "show", name, "--limit", "1000"], "");
    let times = shown.expect_code(0).at("/times");
    let text = |value: &Value, key: &str| value.text(key).unwrap_or_default().to_owned();
    let times = times.items().expect("a list");
    let time = |one: &Value| {
        let due = one.get("due_ms").and_then(Value::as_i64).expect("a time");
        (due, text(one, "outcome"), text(one, "state"))
    };
    times.iter().map(time).collect()
}

fn count(times: &[(i64, String, String)], outcome: &str) -> usize {
    times.iter().filter(|one| one.1 == outcome).count()
}

#[test]
fn of_two_servers_one_runs_a_plan_at_each_of_its_times() {
    let place = place_with(
        "[[schedules]]\nname = \"often\"\nplan = \"plans/line.yaml\"\ninputs = { text = \"now\" }\nevery = \"1s\"\noverlap = \"run\"\n",
    );
    let servers = [Server::start(&place, &[]), Server::start(&place, &[])];
    until("several times came", || lines(&place) >= 4);
    let listed = servers[0].get("/v1/schedules", &[]).expect(200).json();
    let often = &listed["schedules"][0];
    assert_eq!(often["name"], "often", "{listed}");
    assert_eq!(often["next_ms"].as_array().map(Vec::len), Some(3));
    assert!(
        often["times"]
            .as_array()
            .is_some_and(|times| times.len() >= 4)
    );
    drop(servers);
    // What was on its way ends with the next server.
    let server = Server::start(&place, &[]);
    until("the runs end", || {
        let begun = times(&place, "often").into_iter();
        begun
            .skip(1)
            .all(|one| one.1 != "begun" || one.2 == "succeeded")
    });
    drop(server);
    let times = times(&place, "often");
    let distinct: BTreeSet<i64> = times.iter().map(|one| one.0).collect();
    assert_eq!(distinct.len(), times.len(), "{times:?}");
    assert!(distinct.iter().all(|due| due % 1000 == 0), "{times:?}");
    let ended = times.iter().filter(|one| one.2 == "succeeded").count();
    assert!(
        ended >= 4 && ended.abs_diff(lines(&place)) <= 1,
        "{times:?}"
    );
    assert_eq!(place.read("log.txt").replace("now\n", ""), "");
    place.run(&["audit", "verify"], "").expect_code(0);
}

fn set_mark(place: &Place, back_ms: i64) {
    let file = place.path("work/.mathchain/state.db");
    let state = Connection::open(file).expect("opens");
    let moved = "UPDATE schedules SET handled_ms = handled_ms - ?";
    assert_eq!(state.execute(moved, [back_ms]).expect("changes"), 1);
}

#[test]
fn times_at_which_no_server_ran_are_named_and_run_once_where_wanted() {
    for (missed, runs) in [("name", 0), ("run_once", 1)] {
        let place = place_with(&format!(
            "[[schedules]]\nname = \"hourly\"\nplan = \"plans/line.yaml\"\ncron = \"30 * * * *\"\nmissed = \"{missed}\"\n"
        ));
        let until_known = || {
            place.run(&["schedule", "list"], "").expect_code(0);
            let state = Connection::open(place.path("work/.mathchain/state.db")).expect("opens");
            let known = state.query_row("SELECT count(*) FROM schedules", [], |row| {
                row.get::<_, i64>(0)
            });
            known.is_ok_and(|known| known == 1)
        };
        let server = Server::start(&place, &[]);
        until("the server knows it", until_known);
        drop(server);
        assert_eq!(times(&place, "hourly"), []);
        set_mark(&place, 5 * 3_600_000);
        let server = Server::start(&place, &[]);
        until("they are named", || times(&place, "hourly").len() == 5);
        until("it ran", || lines(&place) == runs);
        std::thread::sleep(Duration::from_millis(700));
        drop(server);
        let times = times(&place, "hourly");
        assert_eq!(count(&times, "missed"), 5 - runs, "{times:?}");
        assert_eq!(lines(&place), runs);
        let listed = place.run(&["schedule", "list"], "");
        assert_eq!(listed.at("/0/missed_count").as_i64(), Some(5 - runs as i64));
        // Named once.
        let server = Server::start(&place, &[]);
        std::thread::sleep(Duration::from_millis(700));
        drop(server);
        assert_eq!(self::times(&place, "hourly"), times);
    }
}

#[test]
fn a_time_is_passed_over_while_an_earlier_run_waits() {
    let place = Place::new();
    place.write("plans/line.yaml", LINE);
    place.write(
        "mathchain.toml",
        "version = 1\n[[schedules]]\nname = \"asks\"\nplan = \"plans/line.yaml\"\nevery = \"1s\"\n",
    );
    let server = Server::start(&place, &[]);
    until("it is passed over", || {
        count(&times(&place, "asks"), "overlapped") >= 2
    });
    let found = times(&place, "asks");
    assert_eq!(count(&found, "begun"), 1, "{found:?}");
    let first = found
        .iter()
        .find(|one| one.1 == "begun")
        .expect("one began");
    assert_eq!(first.2, "suspended");
    // A person approves over HTTP or at the terminal; then the next time begins.
    let listed = place.run(&["approvals", "list"], "");
    let run = listed.at("/0/run").as_str().expect("a run").to_owned();
    place.run(&["runs", "cancel", &run], "").expect_code(0);
    until("the next begins", || {
        count(&times(&place, "asks"), "begun") == 2
    });
    drop(server);
}

#[test]
fn a_schedule_has_the_role_of_its_server_or_one_that_it_serves() {
    let schedule = "[[schedules]]\nname = \"s\"\nplan = \"plans/line.yaml\"\nevery = \"1s\"\nrole = \"worker_general\"\noverlap = \"run\"\n";
    let place = place_with(schedule);
    let server = Server::start(&place, &["--role", "worker_math"]);
    until("it is refused", || {
        count(&times(&place, "s"), "refused") >= 1
    });
    drop(server);
    let shown = place.run(&["schedule", "show", "s"], "");
    assert!(
        shown.stdout.contains("--role worker_general"),
        "{}",
        shown.stdout
    );
    assert_eq!(lines(&place), 0);
    let server = Server::start(
        &place,
        &["--role", "worker_math", "--roles", "worker_general"],
    );
    // The role has no tool that writes: its plan is refused by the check, as any plan of that role.
    let narrow = server.get("/v1/schedules", &[]).expect(200).json();
    assert_eq!(
        narrow["schedules"].as_array().map(Vec::len),
        Some(0),
        "of another role"
    );
    until("its plan is refused", || {
        let shown = place.run(&["schedule", "show", "s"], "");
        shown.stdout.contains("write_file")
    });
    drop(server);
    assert_eq!(lines(&place), 0);
}

#[test]
fn a_plan_of_a_stranger_runs_after_consent_to_exactly_it() {
    let place = filled(
        Place::of_a_stranger(),
        "[[schedules]]\nname = \"s\"\nplan = \"plans/line.yaml\"\nevery = \"1s\"\noverlap = \"run\"\n",
    );
    let begun = |place: &Place| {
        !place
            .run(&["runs", "list"], "")
            .json()
            .items()
            .expect("a list")
            .is_empty()
    };
    let server = Server::start(&place, &[]);
    std::thread::sleep(Duration::from_millis(2500));
    assert!(!begun(&place));
    let refused = place.run(&["schedule", "run", "s"], "");
    assert_eq!(
        refused.expect_code(3).at("/error/reason"),
        Value::from("untrusted")
    );
    let given = place.run(&["trust", "--show"], "").at("/given").to_string();
    assert!(
        given.contains("schedules.s") && given.contains("digest"),
        "{given}"
    );
    place.run(&["trust", "--yes"], "").expect_code(0);
    until("it runs", || lines(&place) >= 1);
    // A tool does not change what was agreed to.
    let write = r#"{"path":"plans/line.yaml","content":"version: 1\nid: other\nsteps: []","mode":"overwrite"}"#;
    let refused = place.run(&["call", "write_file", "--yes"], write);
    assert_ne!(refused.code, 0);
    assert_eq!(place.read("plans/line.yaml"), LINE);
    // Whoever does stops it.
    place.write("plans/line.yaml", &LINE.replace("id: line", "id: other"));
    std::thread::sleep(Duration::from_millis(1500));
    let before = lines(&place);
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(lines(&place), before);
    drop(server);
    assert!(!place.run(&["runs", "list"], "").stdout.contains("other"));
}

#[test]
fn a_schedule_runs_now_and_is_printed_for_systemd() {
    let place = place_with(
        "[[schedules]]\nname = \"nightly\"\nplan = \"plans/line.yaml\"\ninputs = { text = \"once\" }\nat = \"02:30\"\nzone = \"Europe/Berlin\"\nmissed = \"run_once\"\n         [[schedules]]\nname = \"work\"\nplan = \"plans/line.yaml\"\ncron = \"*/20 9-17 1 * mon-fri\"\n[[schedules]]\nname = \"odd\"\nplan = \"plans/line.yaml\"\nevery = \"90min\"\n",
    );
    place
        .run(&["schedule", "run", "nightly"], "")
        .expect_code(0);
    assert_eq!(place.read("log.txt"), "once\n");
    let near = place.run(&["schedule", "run", "nighly"], "");
    assert!(near.expect_code(2).stdout.contains("nightly"));
    let printed = place.run_as_typed(&["schedule", "export", "nightly", "--output", "human"], "");
    for part in [
        "OnCalendar=*-*-* 02:30:00 Europe/Berlin",
        "Persistent=true",
        "schedule run nightly",
    ] {
        assert!(printed.stdout.contains(part), "{part}: {}", printed.stdout);
    }
    std::fs::create_dir(place.path("units")).expect("makes a folder");
    let units = place.path("units").display().to_string();
    let written = place.run(&["schedule", "export", "--dir", &units], "");
    assert_eq!(
        written.expect_code(0).json().items().expect("units").len(),
        6
    );
    let analyze = std::path::Path::new("/usr/bin/systemd-analyze");
    if !analyze.exists() {
        return;
    }
    for name in ["nightly", "work", "odd"] {
        let file = format!("{units}/mathchain-{name}.timer");
        let checked = std::process::Command::new(analyze)
            .args(["verify", "--user", "--man=no", &file])
            .env("XDG_RUNTIME_DIR", place.path("units"))
            .output()
            .expect("runs");
        let said = String::from_utf8_lossy(&checked.stderr);
        let about: Vec<&str> = said
            .lines()
            .filter(|line| line.contains("mathchain-"))
            .collect();
        assert!(about.is_empty(), "{said}");
    }
}

#[test]
fn a_schedule_that_means_nothing_is_an_error_of_the_configuration() {
    for (keys, part) in [
        ("", "one of `every`, `cron` and `at`"),
        ("every = \"1h\"\nat = \"02:30\"", "one of"),
        ("every = \"1h\"\nzone = \"UTC\"", "zone"),
        ("cron = \"0 0 30 2 *\"", "never comes"),
        ("cron = \"61 * * * *\"", "minute"),
        ("at = \"2:30\"", "02:30"),
        ("at = \"2027-02-30 12:00\"", "calendar"),
        (
            "at = \"02:30\"\nzone = \"Europe/Nowhere\"",
            "Europe/Nowhere",
        ),
        ("at = \"02:30\"\nmissed = \"all\"", "run_once"),
        (
            "at = \"02:30\"\n[[schedules]]\nname = \"s\"\nplan = \"p\"\nat = \"02:30\"",
            "two schedules",
        ),
    ] {
        let place = place_with(&format!(
            "[[schedules]]\nname = \"s\"\nplan = \"plans/line.yaml\"\n{keys}\n"
        ));
        let checked = place.run(&["check"], "");
        assert_eq!(checked.code, 2, "{keys}: {}", checked.stdout);
        let said = format!("{}{}", checked.stdout, checked.stderr);
        assert!(said.contains(part), "{keys}: {said}");
    }
    let outside =
        place_with("[[schedules]]\nname = \"../s\"\nplan = \"../line.yaml\"\nat = \"02:30\"\n");
    let said = outside.run(&["check"], "").stdout;
    assert!(
        said.contains("/schedules/0/name") && said.contains("/schedules/0/plan"),
        "{said}"
    );
}
