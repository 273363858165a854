//! Gates: a person in another terminal, a verification, and what opens neither.

use super::*;

fn gated(gate: &str, more: &str) -> Place {
    place(&format!(
        "{more}[[phases]]\nname = \"a\"\nagents = [\"good\"]\nprompt = \"x\"\ngate = {gate}\n[[phases]]\nname = \"b\"\nagents = [\"good\"]\nprompt = \"x\"\n{}",
        agent("good", "echo good")
    ))
}

const HUMAN: &str = "{ kind = \"human_approval\", prompt = \"Audit complete?\" }";

/// The id of the question that waits in the inbox.
fn question(place: &Place) -> String {
    let list = || place.run(&["--config", "team.toml", "inbox", "list"], "");
    until("the gate waits", || list().stdout.contains("\"gate\""));
    let listed = list().json();
    let first = &listed.items().expect("a list")[0];
    assert!(
        first.text("text").unwrap().contains("Audit complete?"),
        "{first}"
    );
    first.text("id").unwrap().to_owned()
}

fn answered(place: &Place, id: &str, text: &str) -> Answer {
    as_person(
        place,
        &[
            "--config",
            "team.toml",
            "inbox",
            "answer",
            id,
            text,
            "--json",
        ],
    )
}

#[test]
fn a_person_in_another_terminal_opens_a_gate_and_nothing_else_does() {
    // A rule that allows everything is about calls.
    let rule = "[[policies]]\nlevel = \"user\"\n[[policies.rules]]\nmatch = { tools = [\"group:all\"] }\ndecision = \"allow\"\n";
    let place = gated(HUMAN, rule);
    let yes = place.run_as_typed(&["pipeline", "run", "team.toml", "--yes"], "");
    assert!(
        yes.expect_code(2).stderr.contains("--yes"),
        "{}",
        yes.stderr
    );
    let mut child = started(&place);
    let pipeline = id_of(&mut child);
    let id = question(&place);
    let state = || {
        place
            .run(
                &["--config", "team.toml", "pipeline", "show", &pipeline],
                "",
            )
            .at("/state")
    };
    assert_eq!(state(), Value::from("waiting"));
    // Without a terminal there is no person.
    let refused = place.run(
        &["--config", "team.toml", "inbox", "answer", &id, "yes"],
        "",
    );
    assert!(
        refused
            .expect_code(3)
            .stdout
            .contains("requires a terminal"),
        "{}",
        refused.stdout
    );
    let other = answered(&place, &id, "perhaps");
    assert!(
        other
            .expect_code(2)
            .stdout
            .contains("expected `yes` or `no`"),
        "{}",
        other.stdout
    );
    assert_eq!(state(), Value::from("waiting"));
    answered(&place, &id, "yes").expect_code(0);
    let done = Answer::of(&child.wait_with_output().unwrap());
    assert_eq!(done.expect_code(0).at("/state"), Value::from("succeeded"));
    assert_eq!(status(&done, "b"), "done");
    let twice = answered(&place, &id, "no");
    assert!(
        twice.expect_code(1).stdout.contains("has its answer"),
        "{}",
        twice.stdout
    );
    let bare = place.run_as_typed(&["--config", "team.toml", "inbox"], "");
    assert!(bare.stdout.contains("[answered]"), "{}", bare.stdout);
}

#[test]
fn a_declined_gate_fails_its_phase_and_asks_again_when_resumed() {
    let place = gated(HUMAN, "");
    let mut child = started(&place);
    let pipeline = id_of(&mut child);
    let first = question(&place);
    answered(&place, &first, "no").expect_code(0);
    let failed = Answer::of(&child.wait_with_output().unwrap());
    failed.expect_code(1);
    assert_eq!(
        (status(&failed, "a"), status(&failed, "b")),
        ("failed".to_owned(), "pending".to_owned())
    );
    let mut again = place.command(&[
        "--config",
        "team.toml",
        "pipeline",
        "resume",
        &pipeline,
        "--json",
    ]);
    let child = again.spawn().unwrap();
    until("it asks again", || {
        let listed = place
            .run(&["--config", "team.toml", "inbox", "list"], "")
            .json();
        listed.items().unwrap()[0].text("id") != Some(&first)
    });
    let second = question(&place);
    answered(&place, &second, "yes").expect_code(0);
    let done = Answer::of(&child.wait_with_output().unwrap());
    assert_eq!(done.expect_code(0).at("/state"), Value::from("succeeded"));
    assert_eq!(
        done.at("/phases/0/agents/0/attempts"),
        Value::from(1_i64),
        "its agent ran once"
    );
}

/// An answer that was given while no process ran counts when the pipeline is resumed.
#[test]
fn a_gate_outlives_the_process_that_opened_it() {
    let place = gated(HUMAN, "");
    let mut child = started(&place);
    let pipeline = id_of(&mut child);
    let id = question(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    answered(&place, &id, "yes").expect_code(0);
    let done = place.run_as_typed(
        &[
            "--config",
            "team.toml",
            "pipeline",
            "resume",
            &pipeline,
            "--json",
        ],
        "",
    );
    assert_eq!(done.expect_code(0).at("/state"), Value::from("succeeded"));
}

#[test]
fn a_verification_passes_or_fails_and_an_automatic_gate_opens() {
    let pass = gated(
        "{ kind = \"verification_pass\", command = [\"grep\", \"-q\", \"good\", \"outputs/a/good.md\"] }",
        "",
    );
    assert_eq!(status(run(&pass, &[]).expect_code(0), "b"), "done");
    let fail = gated(
        "{ kind = \"verification_pass\", command = [\"grep\", \"bad\", \"outputs/a/good.md\"] }",
        "",
    );
    let failed = run(&fail, &[]);
    assert_eq!(status(failed.expect_code(1), "a"), "failed");
    assert!(
        phase(&failed, "a")
            .text("reason")
            .unwrap()
            .contains("ended with status 1"),
        "{}",
        failed.stdout
    );
    let gone = gated(
        "{ kind = \"verification_pass\", command = [\"no-such-program\"] }",
        "",
    );
    assert_eq!(status(run(&gone, &[]).expect_code(1), "a"), "failed");
    let auto = gated("{ kind = \"auto\" }", "");
    assert_eq!(status(run(&auto, &[]).expect_code(0), "b"), "done");
}

/// The configured program learns what waits; one that fails is a warning.
#[test]
fn a_notifier_is_told_what_waits() {
    let place = gated(
        HUMAN,
        "[notify]\ncommand = [\"sh\", \"-c\", \"cat > told.json\"]\n",
    );
    let child = started(&place);
    let id = question(&place);
    until("it is told", || {
        exists(&place, "told.json") && place.read("told.json").ends_with('\n')
    });
    let told = mathchain::parse_json(place.read("told.json").trim()).unwrap();
    assert_eq!(
        (told.text("event"), told.text("id"), told.text("phase")),
        (Some("gate"), Some(&*id), Some("a"))
    );
    answered(&place, &id, "yes").expect_code(0);
    Answer::of(&child.wait_with_output().unwrap()).expect_code(0);
    let place = gated(HUMAN, "[notify]\ncommand = [\"false\"]\n");
    let child = started(&place);
    let id = question(&place);
    answered(&place, &id, "yes").expect_code(0);
    let done = Answer::of(&child.wait_with_output().unwrap());
    assert!(
        done.expect_code(0)
            .stderr
            .contains("warning: the notifier `false` failed"),
        "{}",
        done.stderr
    );
}
