//! The engine `ray` up to its driver: what starts it, what it is told, and what happens when it refuses or dies. What a Ray computes is tested
//! with the package (`python/tests/test_ray.py`).

use tool_core::Value;

use crate::cluster::{digest, nodes, run, study};
use crate::support::Place;

/// A folder whose configuration names a driver: a script in place of the interpreter.
fn place_with(driver: &str, table: &str) -> Place {
    let place = Place::new();
    let config = format!(
        "version = 1\n[cluster]\nwait = \"1s\"\n[cluster.ray]\npython = \"./driver\"\n{table}"
    );
    place.write("mathchain.toml", &config);
    place.write_program("driver", &format!("#!/bin/sh\n{driver}\n"));
    place.write("study.yaml", &study(4, 1_000));
    place
}

/// A driver that notes how it is started and what it is told, and has no cluster.
fn noting(place: &str) -> String {
    format!(
        "read hello\n{{ echo \"$@\"; pwd; echo \"$hello\"; }} > {place}\necho '{{\"event\":\"failed\",\"text\":\"no Ray answers\",\"hint\":\"start one\"}}'"
    )
}

#[test]
fn the_driver_is_started_with_address_and_slots_and_says_why_there_is_no_cluster() {
    let scratch = tempfile::tempdir().expect("a folder");
    let notes = scratch.path().join("notes");
    let place = place_with(
        &noting(&notes.display().to_string()),
        "address = \"10.0.0.1:6379\"\nslots = 12\n",
    );
    let read = || {
        let mut text = String::new();
        let file = std::fs::File::open(&notes).expect("was started");
        std::io::Read::read_to_string(&mut { file }, &mut text).expect("reads");
        text
    };
    let refused = run(&place, &["--engine", "ray"]);
    assert_eq!(refused.at("/error/reason"), Value::from("ray"));
    assert_eq!(refused.at("/error/hint"), Value::from("start one"));
    assert!(
        refused.stdout.contains("no Ray answers"),
        "{}",
        refused.stdout
    );
    let noted = read();
    let lines: Vec<&str> = noted.lines().collect();
    let [words, folder, hello] = lines[..] else {
        panic!("{noted}");
    };
    assert_eq!(words, "-m mathchain.ray --address=10.0.0.1:6379");
    // Modules of the folder of the run are none of the driver's.
    assert_eq!(folder, "/");
    let hello = mathchain::parse_json(hello).expect("JSON");
    assert_eq!(hello.get("slots"), Some(&Value::from(12_i64)));
    assert_eq!(hello.get("protocol"), Some(&Value::from(1_i64)));
    assert!(hello.text("build").is_some() && hello.text("profile").is_some());
    run(&place, &["--engine", "ray://head.example:7000"]);
    assert!(read().starts_with("-m mathchain.ray --address=head.example:7000\n"));
    let invalid = run(&place, &["--engine", "ray://--help"]);
    assert_eq!(invalid.at("/error/code"), Value::from("invalid_args"));
}

#[test]
fn the_ray_of_this_machine_is_started_shown_and_ended_by_the_package() {
    let driver = r#"case "$3 $4 $5" in
"up --json --slots=2") echo '{"address":"127.0.0.1:7","slots":2,"started":true}';;
"status --json --address=head:6379") echo '{"address":"head:6379","nodes":[{"node":"a","address":"10.0.0.1","slots":4,"build":"mathchain 1","processor":"x86","usable":true},{"node":"b","address":"10.0.0.2","slots":1,"usable":false,"why":"no package"}]}';;
"status --json ") echo '{"address":null,"nodes":[]}';;
"down --json ") echo '{"ended":true}';;
*) echo '{"error":"what","hint":"that"}'; exit 1;;
esac"#;
    let place = place_with(driver, "");
    let human = |words: &[&str]| {
        let answer = place.run(&[words, &["--output", "human"]].concat(), "");
        answer.expect_code(0);
        answer.stdout
    };
    let started = human(&["cluster", "up", "--slots", "2"]);
    assert!(started.contains("127.0.0.1:7, 2 slots"), "{started}");
    assert!(
        started.contains("mathchain run PLAN --engine ray"),
        "{started}"
    );
    let shown = human(&["cluster", "status", "--address", "head:6379"]);
    assert!(shown.contains("4 slots  mathchain 1"), "{shown}");
    assert!(shown.contains("may not compute: no package"), "{shown}");
    assert!(human(&["cluster", "status"]).contains("no Ray of this machine runs"));
    assert!(human(&["cluster", "down"]).contains("stopped"));
    let refused = place.run(&["cluster", "up"], "");
    assert_eq!(refused.at("/error/reason"), Value::from("ray"));
    assert_eq!(refused.at("/error/hint"), Value::from("that"));
}

#[test]
fn an_interpreter_that_is_missing_or_has_no_package_is_a_clear_error() {
    let place = place_with("echo \"$0: No module named mathchain\" >&2; exit 1", "");
    let refused = run(&place, &["--engine", "ray"]);
    assert_eq!(refused.at("/error/reason"), Value::from("ray"));
    assert!(
        refused.stdout.contains("No module named mathchain"),
        "{}",
        refused.stdout
    );
    assert!(refused.stdout.contains("pip install"), "{}", refused.stdout);
    let refused = place.run(&["cluster", "up"], "");
    assert!(refused.stdout.contains("No module named mathchain"));
    assert!(refused.stdout.contains("pip install"), "{}", refused.stdout);
    std::fs::remove_file(place.path("work").join("driver")).expect("removes");
    let missing = run(&place, &["--engine", "ray"]);
    assert_eq!(missing.at("/error/reason"), Value::from("ray"));
    assert!(
        missing.stdout.contains("cannot be run"),
        "{}",
        missing.stdout
    );
}

/// A driver that is connected, takes a ticket and dies.
const DYING: &str = "read hello\necho '{\"event\":\"ready\",\"ray\":\"2.60.0\",\"address\":\"none\"}'\necho '{\"event\":\"slots\",\"count\":2}'\nread ticket\nkill -9 $$";

#[test]
fn a_driver_that_dies_again_and_again_leaves_the_run_to_this_process() {
    let place = place_with(DYING, "");
    let local = run(&place, &[]);
    local.expect_code(0);
    let fallen = run(&place, &["--engine", "ray"]);
    fallen.expect_code(0);
    assert_eq!(digest(&place, &fallen), digest(&place, &local));
    assert_eq!(nodes(&place, &fallen), (Vec::new(), 4));
    let warnings = fallen.at("/warnings").to_string();
    assert!(warnings.contains("another one is started"), "{warnings}");
    let required = study(4, 1_000).replace("map:", "place: require, map:");
    place.write("study.yaml", &required);
    let failed = run(&place, &["--engine", "ray"]);
    assert_eq!(failed.at("/error/reason"), Value::from("no_cluster"));
}

#[test]
fn results_that_are_not_what_their_digest_says_and_lines_of_nobody_count_nothing() {
    // Says the same of every ticket, which no worker computed.
    let lying = "read hello\necho '{\"event\":\"ready\"}'\necho '{\"event\":\"slots\",\"count\":1}'\nwhile read line; do\n  id=$(expr \"$line\" : '.*\"ticket\":\"\\([0-9-]*\\)\"')\n  echo \"{\\\"event\\\":\\\"done\\\",\\\"ticket\\\":\\\"99999999-1\\\",\\\"node\\\":\\\"n\\\",\\\"digest\\\":\\\"\\\",\\\"body\\\":\\\"\\\"}\"\n  echo \"{\\\"event\\\":\\\"done\\\",\\\"ticket\\\":\\\"$id\\\",\\\"node\\\":\\\"n\\\",\\\"digest\\\":\\\"0\\\",\\\"elapsed_ms\\\":1,\\\"whole\\\":true,\\\"body\\\":\\\"{}\\\"}\"\ndone";
    let place = place_with(&format!("PATH=/usr/bin:/bin\n{lying}"), "");
    let refused = run(&place, &["--engine", "ray"]);
    assert_eq!(refused.at("/error/reason"), Value::from("ticket_refused"));
    let warnings = refused.at("/warnings").to_string();
    assert!(
        warnings.contains("its result is not what its digest says"),
        "{warnings}"
    );
}
