//! Pipelines as their users meet them: real processes, small programs as agents, signals, a second terminal.

mod agents;
mod ending;
mod gates;
mod limits;
mod served;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use tool_core::Value;

use crate::support::{Answer, Place, answer_of, at_terminal};

/// A table of an agent that runs a shell script.
pub(crate) fn agent(name: &str, script: &str) -> String {
    format!(
        "[cli.{name}]\nbinary = \"sh\"\nsubcommand = [\"-c\", '''{script}''', \"{name}\"]\nprompt_argv = [\"{{prompt}}\"]\n"
    )
}

/// A place with a file of this content after the version.
pub(crate) fn place(content: &str) -> Place {
    let place = Place::new();
    place.write("team.toml", &format!("version = 1\n{content}"));
    place
}

pub(crate) fn run(place: &Place, more: &[&str]) -> Answer {
    place.run_as_typed(
        &[&["pipeline", "run", "team.toml", "--json"], more].concat(),
        "",
    )
}

/// The command that runs `team.toml`, to be started.
pub(crate) fn started(place: &Place) -> Child {
    let mut command = place.command(&["pipeline", "run", "team.toml", "--json"]);
    command.spawn().expect("starts")
}

/// The id of a pipeline that was started, from the first lines on its stderr; the rest is read until it ends.
pub(crate) fn id_of(child: &mut Child) -> String {
    let stderr = BufReader::new(child.stderr.take().expect("piped"));
    let mut lines = stderr.lines().map_while(Result::ok);
    let id = lines.find_map(|line| Some(line.strip_prefix("pipeline ")?.to_owned()));
    std::thread::spawn(move || lines.for_each(drop));
    id.expect("says its id")
}

/// The member of a phase in what a pipeline printed.
pub(crate) fn phase(answer: &Answer, name: &str) -> Value {
    let phases = answer.at("/phases");
    let phases = phases.items().expect("a list");
    let found = phases.iter().find(|one| one.text("phase") == Some(name));
    found
        .unwrap_or_else(|| panic!("no phase {name} in {}", answer.stdout))
        .clone()
}

pub(crate) fn status(answer: &Answer, name: &str) -> String {
    phase(answer, name)
        .text("status")
        .expect("a status")
        .to_owned()
}

/// The states of the agents of a phase, in order.
pub(crate) fn states(answer: &Answer, name: &str) -> Vec<String> {
    let phase = phase(answer, name);
    let agents = phase.items_at("agents");
    agents
        .iter()
        .map(|one| one.text("state").expect("a state").to_owned())
        .collect()
}

/// Runs a command as a person at a terminal of their own.
pub(crate) fn as_person(place: &Place, args: &[&str]) -> Answer {
    let mut command = at_terminal(env!("CARGO_BIN_EXE_mathchain"));
    let plain: Command = place.command(args);
    command
        .args(args)
        .current_dir(place.path("work"))
        .env_clear();
    command.envs(
        plain
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    answer_of(command, b"")
}

/// Waits until something holds; a minute at most.
#[track_caller]
pub(crate) fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

pub(crate) fn exists(place: &Place, name: &str) -> bool {
    Path::new(&place.path("work").join(name)).exists()
}

/// A phase of one agent that may write to the workspace.
pub(crate) const WRITES: &str =
    "[phases.tools]\ntools = [\"calculate\"]\npermission = \"workspace-write\"\nmax_turns = 0\n";

#[test]
fn phases_run_after_those_they_depend_on_and_their_answers_are_files() {
    let config = format!(
        "[[phases]]\nname = \"b\"\nagents = [\"two\"]\nprompt = \"second\"\ndepends_on = [\"a\"]\n[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"first\"\n{}{}",
        agent("one", r#"echo "task: $1""#),
        agent("two", r#"cat outputs/a/one.md; echo "task: $1""#),
    );
    let place = place(&config);
    let done = run(&place, &[]);
    done.expect_code(0);
    assert_eq!(done.at("/state"), Value::from("succeeded"));
    let order = done.at("/phases");
    let order = order.items().unwrap();
    let order: Vec<&str> = order.iter().filter_map(|one| one.text("phase")).collect();
    assert_eq!(order, ["a", "b"]);
    assert_eq!(place.read("outputs/a/one.md"), "task: first\n");
    assert_eq!(
        place.read("outputs/b/two.md"),
        "task: first\ntask: second\n",
        "{}",
        done.stderr
    );
    // Neither cost nor turns are known, and neither is nothing.
    assert_eq!(done.at("/cost_usd"), Value::Null);
    assert_eq!(done.at("/turns"), Value::Null);
    let id = done.at("/pipeline");
    let shown = place.run(
        &[
            "--config",
            "team.toml",
            "pipeline",
            "show",
            id.as_str().unwrap(),
        ],
        "",
    );
    assert_eq!(shown.expect_code(0).at("/phases"), done.at("/phases"));
    let log = place.run_as_typed(
        &[
            "--config",
            "team.toml",
            "pipeline",
            "log",
            id.as_str().unwrap(),
        ],
        "",
    );
    for words in ["phase_began", "a/one | task: first", "\"ended\""] {
        assert!(log.stdout.contains(words), "{words}: {}", log.stdout);
    }
    let listed = place.run_as_typed(&["--config", "team.toml", "pipeline", "list"], "");
    assert!(listed.stdout.contains("succeeded"), "{}", listed.stdout);
    place.run(&["audit", "verify"], "").expect_code(0);
}

/// A pipeline in a file of its own, beside no configuration, is found where it ran, without naming the file again.
#[test]
fn a_pipeline_of_its_own_file_is_listed_shown_and_resumed() {
    let place = place(&format!(
        "[[phases]]\nname = \"a\"\nagents = [\"one\"]\nprompt = \"x\"\n{WRITES}{}",
        agent("one", "[ -e ready ] && echo done"),
    ));
    let failed = run(&place, &[]);
    failed.expect_code(1);
    let id = failed.at("/pipeline");
    let id = id.as_str().expect("an id");
    let listed = place.run(&["pipeline", "list"], "");
    assert!(
        listed.expect_code(0).stdout.contains(id),
        "{}",
        listed.stdout
    );
    let shown = place.run(&["pipeline", "show", id], "");
    assert_eq!(shown.expect_code(0).at("/state"), Value::from("failed"));
    let log = place.run_as_typed(&["pipeline", "log", id], "");
    assert!(
        log.expect_code(0).stdout.contains("phase_began"),
        "{}",
        log.stdout
    );
    place.write("ready", "");
    let resumed = place.run(&["pipeline", "resume", id, "--json"], "");
    assert_eq!(
        resumed.expect_code(0).at("/state"),
        Value::from("succeeded")
    );
}

/// Each agent waits for the other's file: both end only if both run at once.
#[test]
fn agents_of_a_parallel_phase_run_at_the_same_time() {
    let wait = |own: &str, other: &str, tries: u32| {
        agent(
            own,
            &format!(
                "touch {own}.here; for i in $(seq {tries}); do [ -e {other}.here ] && echo met && exit 0; sleep 0.1; done; exit 3"
            ),
        )
    };
    let config = |tries: u32, more: &str| {
        format!(
            "{more}[[phases]]\nname = \"p\"\nagents = [\"one\", \"two\"]\nparallel = true\nfailure_mode = \"continue\"\nprompt = \"x\"\n{WRITES}{}{}",
            wait("one", "two", tries),
            wait("two", "one", tries),
        )
    };
    let both = place(&config(300, ""));
    assert_eq!(
        states(run(&both, &[]).expect_code(0), "p"),
        ["done", "done"]
    );
    let alone = place(&config(5, "[pipeline]\nagents_at_once = 1\n"));
    let answer = run(&alone, &[]);
    assert_eq!(
        states(&answer, "p"),
        ["nonzero_exit", "done"],
        "one after the other"
    );
    assert_eq!(status(&answer, "p"), "partial");
}

fn three(mode: &str, parallel: bool) -> Place {
    place(&format!(
        "[[phases]]\nname = \"p\"\nagents = [\"bad\", \"good\", \"fine\"]\nparallel = {parallel}\nprompt = \"x\"\n{mode}\n{}{}{}",
        agent("bad", "echo broken >&2; exit 4"),
        agent("good", "echo good"),
        agent("fine", "echo fine"),
    ))
}

#[test]
fn a_failure_counts_as_the_mode_of_the_phase_says() {
    // In a sequence too, no agent starts after a failure.
    let fast = run(&three("failure_mode = \"fail_fast\"", false), &[]);
    fast.expect_code(1);
    assert_eq!(
        states(&fast, "p"),
        ["nonzero_exit", "cancelled", "cancelled"]
    );
    assert_eq!(status(&fast, "p"), "failed");
    let reason = phase(&fast, "p");
    assert!(
        reason
            .text("reason")
            .unwrap()
            .contains("bad: nonzero_exit: status 4: broken"),
        "{reason}"
    );
    let all = run(&three("failure_mode = \"continue\"", false), &[]);
    all.expect_code(0);
    assert_eq!(states(&all, "p"), ["nonzero_exit", "done", "done"]);
    assert_eq!(status(&all, "p"), "partial");
    let two = run(
        &three("failure_mode = \"require_minimum\"\nmin_count = 2", true),
        &[],
    );
    assert_eq!(status(two.expect_code(0), "p"), "partial");
    let three = run(
        &three("failure_mode = \"require_minimum\"\nmin_count = 3", true),
        &[],
    );
    assert_eq!(status(three.expect_code(1), "p"), "failed");
}

#[test]
fn required_and_optional_phases_differ_in_what_stops() {
    let config = |required: bool| {
        place(&format!(
            "[[phases]]\nname = \"plan\"\nagents = [\"bad\"]\nrequired = false\nprompt = \"x\"\n[[phases]]\nname = \"impl\"\nagents = [\"good\"]\ndepends_on = [\"plan\"]\nrequired = {required}\nprompt = \"x\"\n[[phases]]\nname = \"review\"\nagents = [\"good\"]\nprompt = \"x\"\n{}{}",
            agent("bad", "exit 1"),
            agent("good", "echo good"),
        ))
    };
    let stopped = run(&config(true), &[]);
    stopped.expect_code(1);
    let all = |answer: &Answer| ["plan", "impl", "review"].map(|name| status(answer, name));
    assert_eq!(all(&stopped), ["failed", "skipped", "pending"]);
    let reason = phase(&stopped, "impl");
    assert_eq!(reason.text("reason"), Some("Dependencies not met: plan"));
    // An optional failure does not stop the others, and the pipeline has failed all the same.
    let passed = run(&config(false), &[]);
    passed.expect_code(1);
    assert_eq!(all(&passed), ["failed", "skipped", "done"]);
}

#[test]
fn phases_are_left_out_and_begun_with_as_asked() {
    let config = format!(
        "[[phases]]\nname = \"a\"\nagents = [\"good\"]\nprompt = \"x\"\n[[phases]]\nname = \"b\"\nagents = [\"good\"]\nprompt = \"x\"\ndepends_on = [\"a\"]\nrequired = false\n{}",
        agent("good", "echo good")
    );
    let place = place(&config);
    let both = |answer: &Answer| ["a", "b"].map(|name| status(answer, name));
    let skipped = run(&place, &["--skip", "a"]);
    assert_eq!(
        both(skipped.expect_code(0)),
        ["skipped", "skipped"],
        "optional, not met"
    );
    assert_eq!(
        both(&run(&place, &["--only", "b"])),
        ["skipped", "skipped"],
        "`a` was never done"
    );
    assert_eq!(both(run(&place, &[]).expect_code(0)), ["done", "done"]);
    let only = run(&place, &["--only", "b"]);
    assert_eq!(
        both(only.expect_code(0)),
        ["skipped", "done"],
        "`a` is done by now"
    );
    let reason = phase(&only, "a");
    assert!(
        reason
            .text("reason")
            .unwrap()
            .starts_with("completed in pipeline "),
        "{reason}"
    );
    assert_eq!(
        both(run(&place, &["--from", "b"]).expect_code(0)),
        ["skipped", "done"]
    );
    let unknown = place.run_as_typed(&["pipeline", "run", "team.toml", "--only", "bb"], "");
    assert!(
        unknown.expect_code(2).stderr.contains("did you mean `b`?"),
        "{}",
        unknown.stderr
    );
    let both = place.run_as_typed(
        &["pipeline", "run", "team.toml", "--only", "b", "--from", "a"],
        "",
    );
    both.expect_code(2);
}

#[test]
fn everything_wrong_shows_before_anything_starts() {
    let begun = agent("good", "touch begun; echo good");
    for (more, expected) in [
        ("", "the phase `p` has no task"),
        ("prompt = \" \"", "the phase `p` has no task"),
        ("prompt = \"x\"\nprompt_file = \"x.md\"", "not both"),
        ("prompt_file = \"no.md\"", "no.md"),
        (
            "prompt = \"x\"\nflag_profile = \"--bad\"",
            "no name for a profile",
        ),
        (
            "prompt = \"x\"\nfailure_mode = \"require_minimum\"",
            "needs `min_count`",
        ),
        ("prompt = \"x\"\nmin_count = 1", "is for `failure_mode"),
        (
            "prompt = \"x\"\nfailure_mode = \"require_minimum\"\nmin_count = 9",
            "has 1 agents",
        ),
        ("prompt = \"x\"\ndepends_on = [\"p\"]", "p -> p"),
        ("prompt = \"x\"\ndepends_on = [\"q\"]", "no phase named `q`"),
        (
            "prompt = \"x\"\ngate = { kind = \"human\" }",
            "human_approval",
        ),
        (
            "prompt = \"x\"\ngate = { kind = \"verification_pass\" }",
            "has a `command`",
        ),
        ("prompt = \"x\"\nretry_policy = { waits_s = [] }", "waits_s"),
        (
            "prompt = \"x\"\nlimits = { max_cost_usd = 1.0 }",
            "does not report its cost",
        ),
        (
            "prompt = \"x\"\nlimits = { max_turns = 3 }",
            "neither limits nor reports its turns",
        ),
        (
            "prompt = \"x\"\nisolation = \"none\"",
            "nothing confines `good`",
        ),
    ] {
        let place = place(&format!(
            "[[phases]]\nname = \"p\"\nagents = [\"good\"]\n{more}\n{begun}"
        ));
        let refused = place.run_as_typed(&["pipeline", "run", "team.toml"], "");
        assert_eq!(refused.code, 2, "{more}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(expected),
            "{more}: {}",
            refused.stderr
        );
        assert!(!exists(&place, "outputs"), "{more}");
        let none = place.run_as_typed(&["--config", "team.toml", "pipeline", "list"], "");
        assert!(
            !none.stdout.contains("team.toml"),
            "{more}: {}",
            none.stdout
        );
    }
}

#[test]
fn a_dry_run_shows_everything_and_leaves_no_trace() {
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"good\", \"claude\"]\nprompt = \"the task\"\ngate = {{ kind = \"human_approval\" }}\nclis = {{}}\n[phases.tools]\ntools = [\"calculate\", \"write_file\"]\n[[phases]]\nname = \"q\"\nagents = [\"good\"]\nprompt = \"x\"\n{}",
        agent("good", "echo good")
    );
    let place = place(&config);
    let shown = run(&place, &["--dry-run", "--skip", "q"]);
    shown.expect_code(0);
    let first = phase(&shown, "p");
    let agents = first.items_at("agents");
    let argv = |agent: usize| -> Vec<String> {
        agents[agent]
            .items_at("argv")
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(argv(0)[0], "sh");
    let claude = argv(1);
    for word in [
        "--mcp-config",
        "--strict-mcp-config",
        "--allowedTools",
        "plan",
    ] {
        assert!(claude.iter().any(|one| one == word), "{word}: {claude:?}");
    }
    assert_eq!(agents[1].text("isolation"), Some("network"));
    assert_eq!(agents[0].text("isolation"), Some("offline"));
    assert_eq!(first.text("gate"), Some("human_approval"));
    assert_eq!(
        phase(&shown, "q").text("skipped"),
        Some("left out by --skip")
    );
    let human = place.run_as_typed(&["pipeline", "run", "team.toml", "--dry-run"], "");
    assert!(
        human.stdout.contains("calculate (allow)"),
        "{}",
        human.stdout
    );
    assert!(
        !human.stdout.contains("write_file (")
            && human.stdout.contains("names `write_file`, which is hidden"),
        "hidden by `read-only`: {}",
        human.stdout
    );
    let left = std::fs::read_dir(place.path("work")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["team.toml"]);
}
