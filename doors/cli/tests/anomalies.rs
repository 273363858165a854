//! `mathchain runs anomalies` over journals that real runs left.

#[cfg(target_os = "linux")]
use std::time::{Duration, Instant};

use tool_core::Value;

use crate::support::{Answer, Place};

/// A plan whose one step has this form.
fn plan(place: &Place, name: &str, step: &str) -> String {
    let file = format!("{name}.yaml");
    place.write(
        &file,
        &format!("version: 1\nid: {name}\nsteps:\n  - {step}\n"),
    );
    file
}

fn kinds(answer: &Answer) -> Vec<String> {
    let found = answer.expect_code(0).at("/findings").items();
    let kind = |one: &Value| one.get("kind").and_then(Value::as_str).map(str::to_owned);
    found.expect("a list").iter().filter_map(kind).collect()
}

const SINGULAR: &str = "{A: [[1, 2], [2, 4]], b: [1, 1]}";

#[test]
fn failures_and_storms_of_real_runs_are_found() {
    let place = Place::new();
    let all = ["chain", "anomalies", "--json"];
    let none = place.run(&all, "");
    assert_eq!(kinds(&none), Vec::<String>::new());
    assert_eq!(none.at("/records"), Value::Int(0));

    // Good runs are nothing unusual.
    let good = plan(
        &place,
        "good",
        "{id: a, tool: statistics, args: {data: [1, 2, 3]}}",
    );
    place.run(&["run", &good], "").expect_code(0);
    assert_eq!(kinds(&place.run(&all, "")), Vec::<String>::new());

    let step = format!(
        "{{id: again, tool: matrix_solve, retry: {{max: 5, on: [numeric], backoff_ms: 1}}, args: {SINGULAR}}}"
    );
    let storm = plan(&place, "storm", &step);
    let run = place.run(&["run", &storm], "");
    let run = run.expect_code(1).at("/error/evidence/chain_id");
    let run = run.as_str().expect("an id");
    // How fast it fails is a matter of the machine.
    place.write("mathchain.toml", "version = 1\n[workspace]\nstate = \"../state/mathchain\"\n[chain.anomalies]\ninstant_ms = 60000\n");
    let found = place.run(&all, "");
    assert_eq!(
        kinds(&found),
        ["instant_failures", "retry_storm"],
        "{}",
        found.stdout
    );
    for index in 0..2 {
        let at = |key: &str| found.at(&format!("/findings/{index}/{key}"));
        assert_eq!(at("run"), Value::from(run));
        assert_eq!(at("step"), Value::from("again"));
        assert_eq!(at("tool"), Value::from("matrix_solve"));
        assert!(at("next").as_str().is_some_and(|next| !next.is_empty()));
    }
    assert_eq!(found.at("/findings/0/measured"), Value::from(6.0));
    assert_eq!(found.at("/findings/1/threshold"), Value::from(2.0));
    let call = found.at("/findings/0/calls/0");
    let shown = place.run(
        &["audit", "show", call.as_str().expect("an id"), "--json"],
        "",
    );
    assert_eq!(
        shown.expect_code(0).at("/record/error_code"),
        Value::from("numeric")
    );

    let one = place.run(&["chain", "anomalies", "--run", &run[..8], "--json"], "");
    assert_eq!(kinds(&one).len(), 2);
    assert_eq!(one.at("/run"), Value::from(run));
    let human = place.run(&["chain", "anomalies", "--output", "human"], "");
    let text = &human.expect_code(0).stdout;
    assert!(
        text.contains("retry_storm") && text.contains("next: "),
        "{text}"
    );

    place.write("mathchain.toml", "version = 1\n[workspace]\nstate = \"../state/mathchain\"\n[chain.anomalies]\nattempts_per_call = 6\ninstant_least = 7\nfailures_least = 7\n");
    assert_eq!(kinds(&place.run(&all, "")), Vec::<String>::new());
    place.write(
        "mathchain.toml",
        "version = 1\n[chain.anomalies]\ntool_percent = 101\n",
    );
    let refused = place.run(&all, "");
    assert!(
        refused.code == 2 && refused.stderr.contains("1 to 100"),
        "{}",
        refused.stderr
    );
}

/// A process that does not outlive its test.
#[cfg(target_os = "linux")]
struct Killed(std::process::Child);

#[cfg(target_os = "linux")]
impl Killed {
    fn kill(&mut self) {
        // It may have ended by itself; waited for, it is gone in any case.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(target_os = "linux")]
impl Drop for Killed {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Elsewhere nobody can tell that a process is gone before its lease ends.
#[cfg(target_os = "linux")]
#[test]
fn a_run_whose_process_was_killed_is_found_until_it_goes_on() {
    let place = Place::new();
    let step = format!(
        "{{id: wait, tool: matrix_solve, retry: {{max: 1, on: [numeric], backoff_ms: 3600000}}, args: {SINGULAR}}}"
    );
    let file = plan(&place, "waits", &step);
    let mut child = Killed(place.command(&["run", &file]).spawn().expect("starts"));
    let began = Instant::now();
    let listed = loop {
        let listed = place.run(&["runs", "list", "--state", "running", "--json"], "");
        if listed.expect_code(0).json().at(0).is_some() {
            break listed;
        }
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "it does not begin"
        );
        std::thread::sleep(Duration::from_millis(20));
    };
    let id = listed.at("/0/run");
    let at_work = place.run(&["chain", "anomalies", "--json"], "");
    child.kill();
    assert_eq!(
        kinds(&at_work),
        Vec::<String>::new(),
        "somebody works on it"
    );
    let found = place.run(&["chain", "anomalies", "--json"], "");
    assert_eq!(kinds(&found), ["stalled_run"]);
    assert_eq!(found.at("/findings/0/run"), id);
    let id = id.as_str().expect("an id").to_owned();
    let next = found.at("/findings/0/next");
    assert!(
        next.as_str()
            .is_some_and(|next| next.contains(&format!("runs resume {id}")))
    );
    let one = place.run(&["chain", "anomalies", "--run", &id, "--json"], "");
    assert_eq!(kinds(&one), ["stalled_run"]);
    place.run(&["runs", "cancel", &id], "").expect_code(0);
    assert_eq!(
        kinds(&place.run(&["chain", "anomalies", "--json"], "")),
        Vec::<String>::new()
    );
}

#[test]
fn the_help_has_examples_and_what_cannot_be_is_refused() {
    let place = Place::new();
    let help = place.run(&["chain", "anomalies", "--help"], "");
    let text = &help.expect_code(0).stdout;
    assert!(
        text.contains("Examples:") && text.contains("--since 7"),
        "{text}"
    );
    for args in [
        &["--run", "zzzz"][..],
        &["--run", "aaaa", "--since", "3"],
        &["--since", "-1"],
    ] {
        let refused = place.run(&[&["chain", "anomalies"], args].concat(), "");
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.stderr);
    }
}
