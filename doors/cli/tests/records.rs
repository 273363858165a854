//! What is said of runs and of the audit: long plans, heads, what was damaged, collected, undone or waits.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage what a run left"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use mathchain::clock::SystemClock;
use mathchain::journal::{RunHeader, StateStore};
use tool_core::Value;

use crate::support::{Answer, Place, answer_of};

const ASKS: &str = "version = 1\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"write_file\"] }\n  decision = \"ask\"\n";

fn run_of(answer: &Answer) -> String {
    let id = answer.at("/metadata/chain_id");
    id.as_str().expect("an id").to_owned()
}

fn text(answer: &Answer, pointer: &str) -> String {
    let found = answer.at(pointer);
    found
        .as_str()
        .unwrap_or_else(|| panic!("{found}"))
        .to_owned()
}

fn count(answer: &Answer, pointer: &str) -> usize {
    answer.at(pointer).items().expect("a list").len()
}

/// Steps one after the other, each a wave of its own, or all beside each other.
fn plan_of(steps: usize, chained: bool) -> String {
    let mut plan = "version: 1\nsteps:\n".to_owned();
    for step in 0..steps {
        let after = match step {
            1.. if chained => format!(", after: [step_{:05}]", step - 1),
            _ => String::new(),
        };
        let _ = writeln!(
            plan,
            "  - {{id: step_{step:05}, tool: calculate{after}, args: {{expression: \"{step}+1\"}}}}"
        );
    }
    let last = steps - 1;
    let _ = writeln!(plan, "outputs: {{last: {{$ref: step_{last:05}.value}}}}");
    plan
}

/// The longest plan ends as any: its record is within the limit of a record, and says all that others say.
#[test]
fn a_run_of_ten_thousand_steps_ends_and_is_replayed() {
    let place = Place::new();
    place.write("long.yaml", &plan_of(10_000, true));
    let answer = place.run(&["run", "long.yaml"], "");
    assert_eq!(
        answer.expect_code(0).at("/output/outputs/last"),
        Value::Int(10_000)
    );
    assert_eq!(answer.at("/warnings"), Value::array(Vec::new()));
    for (pointer, shown) in [
        ("/metadata/tools", 100),
        ("/metadata/wave_timeline", 100),
        ("/metadata/tool_chains/0/calls", 100),
        ("/metadata/tool_chains/0/wave_timeline", 100),
        ("/output/steps", 1_000),
    ] {
        assert_eq!(count(&answer, pointer), shown, "{pointer}");
    }
    assert_eq!(answer.at("/output/left_out/steps"), Value::Int(9_000));
    assert_eq!(answer.at("/metadata/waves"), Value::Int(10_000));
    assert_eq!(
        answer.at("/metadata/left_out/wave_timeline"),
        Value::Int(9_900)
    );
    assert_eq!(
        answer.at("/metadata/tool_chains/0/left_out/calls"),
        Value::Int(9_900)
    );
    let run = run_of(&answer);
    let listed = place.run(&["runs", "list"], "");
    assert_eq!(text(&listed, "/0/state"), "succeeded");
    let replayed = place.run(&["replay", &run], "");
    assert_eq!(replayed.expect_code(0).at("/computed"), Value::Int(10_000));
    let verified = place.run(&["replay", &run, "--mode", "verify"], "");
    // Plan, inputs, the ends of all steps, the lists of the chain, its outputs.
    assert_eq!(verified.expect_code(0).at("/values"), Value::Int(10_004));
    let shown = place.run(&["runs", "show", &run, "--output", "human"], "");
    assert!(shown.expect_code(0).stdout.contains("succeeded"));
    let exported = place.run(&["runs", "export", &run], "");
    let record = exported
        .expect_code(0)
        .stdout
        .lines()
        .find(|line| line.contains(r#""kind":"chain""#));
    let record = mathchain::parse_json(record.expect("the chain's record")).expect("JSON");
    let lists = record.pointer("/record/lists/$artifact").expect("a handle");
    let lists = place.run(&["artifacts", "get", lists.as_str().expect("a name")], "");
    for list in ["/tools", "/wave_timeline", "/step_status"] {
        assert_eq!(count(lists.expect_code(0), list), 10_000, "{list}");
    }
    // What looks wrong is looked for in whole lists, also in these.
    place
        .run(&["chain", "anomalies", "--run", &run], "")
        .expect_code(0);
}

#[test]
fn a_reader_is_told_of_the_first_steps_and_how_many_more_there_are() {
    let place = Place::new();
    place.write("chain.yaml", &plan_of(120, true));
    place.write("wide.yaml", &plan_of(120, false));
    let human = |plan: &str, flags: &[&str]| {
        let answer = place.run(
            &[&["run", plan, "-v", "--output", "human"], flags].concat(),
            "",
        );
        answer.expect_code(0).stderr.clone()
    };
    let wide = human("wide.yaml", &[]);
    assert!(wide.contains("step_00019 ... and 100 more\n"), "{wide}");
    assert!(!wide.contains("step_00020"), "{wide}");
    let chain = human("chain.yaml", &[]);
    assert!(
        chain.contains("wave 19: step_00019\n  ... and 100 waves more\n"),
        "{chain}"
    );
    let traced = place.run(&["run", "chain.yaml", "--trace"], "");
    assert_eq!(
        count(traced.expect_code(0), "/metadata/tool_chains/0/calls"),
        120
    );
    assert_eq!(count(&traced, "/metadata/wave_timeline"), 120);
    assert!(traced.json().pointer("/metadata/left_out").is_none());
}

/// One text, in every answer, that `audit verify --head` takes as it is.
#[test]
fn every_answer_has_the_head_of_the_audit() {
    let place = Place::new();
    place.write("plan.yaml", &plan_of(2, true));
    let call = ["call", "calculate", "--expression", "1+1"];
    let mut heads = vec![
        text(&place.run(&call, ""), "/metadata/audit/head"),
        text(
            &place.run(&["run", "plan.yaml"], ""),
            "/metadata/audit/head",
        ),
    ];
    for command in [&call[..], &["run", "plan.yaml"]] {
        let human = place.run(&[command, &["-v", "--output", "human"]].concat(), "");
        let line = human
            .expect_code(0)
            .stderr
            .lines()
            .find_map(|line| line.strip_prefix("audit "));
        heads.push(
            line.unwrap_or_else(|| panic!("{}", human.stderr))
                .to_owned(),
        );
    }
    place.write(
        "wrong.yaml",
        "version: 1\nsteps:\n  - {id: a, tool: calculat}\n",
    );
    let refused = place.run(&["run", "wrong.yaml", "-v"], "");
    heads.push(text(refused.expect_code(2), "/metadata/audit/head"));
    let line = format!("audit {}\n", heads[heads.len() - 1]);
    assert!(refused.stderr.contains(&line), "{}", refused.stderr);
    let served = place.run(
        &["serve", "--jsonl"],
        "{\"id\":1,\"tool\":\"calculate\",\"args\":{\"expression\":\"1\"}}\n",
    );
    heads.push(text(served.expect_code(0), "/metadata/audit/head"));
    let lines = "{\"type\":\"run.requested\"}\n{\"type\":\"calls.observed\",\"calls\":[{\"call_id\":\"a\",\"tool\":\"calculate\",\"args\":{\"expression\":\"1\"}}]}\n";
    let session = place.run(&["session"], lines);
    let mut last: Vec<&str> = session
        .expect_code(0)
        .stdout
        .lines()
        .rev()
        .take(2)
        .collect();
    let replayed = place.run(&["session", "replay", "-"], &session.stdout);
    assert_eq!(
        Some(replayed.expect_code(0).stdout.trim_end()),
        last.first().copied()
    );
    let head = mathchain::parse_json(last.pop().expect("a line")).expect("JSON");
    assert_eq!(head.get("type"), Some(&Value::from("audit")), "{head}");
    heads.push(
        head.get("head")
            .and_then(Value::as_str)
            .expect("a head")
            .to_owned(),
    );
    for head in &heads {
        let verified = place.run(&["audit", "verify", "--head", head], "");
        assert_eq!(
            verified.expect_code(0).at("/sound"),
            Value::Bool(true),
            "{head}"
        );
        let (rest, hash) = head.rsplit_once(':').expect("a head");
        let digit = if hash.starts_with('0') { "1" } else { "0" };
        let other = format!("{rest}:{digit}{}", &hash[1..]);
        place
            .run(&["audit", "verify", "--head", &other], "")
            .expect_code(1);
    }
}

/// The file of the one block of numbers of a place.
fn block(place: &Place) -> PathBuf {
    let folder = place.path("state/mathchain/artifacts");
    let folders = std::fs::read_dir(folder).expect("a folder");
    let entries = folders.flat_map(|folder| {
        let folder = folder.expect("an entry").path();
        std::fs::read_dir(folder).expect("a folder")
    });
    let mut files = entries.map(|entry| entry.expect("an entry").path());
    files
        .find(|file| file.extension().is_some_and(|ending| ending == "npy"))
        .expect("a block")
}

#[test]
fn damage_is_found_by_replay_and_by_the_audit() {
    let place = Place::new();
    place.write(
        "rows.csv",
        &(0..9000).fold("x\n".to_owned(), |rows, row| rows + &format!("{row}.5\n")),
    );
    place.write("plan.yaml", "version: 1\nsteps:\n  - {id: rows, tool: csv_to_json, args: {csv_content: {$file: rows.csv}}}\n  - {id: xs, tool: json_query, args: {data: {$ref: rows.rows}, query: \"[].x\"}}\n");
    let run = run_of(place.run(&["run", "plan.yaml"], "").expect_code(0));
    let sound = place.run(&["audit", "verify"], "");
    assert_eq!(sound.expect_code(0).at("/sound"), Value::Bool(true));
    assert!(sound.at("/values").as_i64().expect("a count") >= 5);
    let file = block(&place);
    let mut bytes = std::fs::read(&file).expect("reads");
    *bytes.last_mut().expect("not empty") ^= 1;
    std::fs::write(&file, bytes).expect("writes");
    let replayed = place.run(&["replay", &run], "");
    assert_eq!(replayed.expect_code(1).at("/same"), Value::Bool(false));
    assert_eq!(
        text(&replayed, "/unreadable/0/error/reason"),
        "artifact_corrupt"
    );
    let human = place.run(&["replay", &run, "--output", "human"], "");
    let words = human.expect_code(1).stdout.clone();
    assert!(
        words.contains("stored values are damaged\ncannot read the stored "),
        "{words}"
    );
    let verified = place.run(&["audit", "verify"], "");
    assert_eq!(text(verified.expect_code(1), "/faults/0/session"), run);
    place
        .run(&["audit", "verify", "--no-values"], "")
        .expect_code(0);
}

/// What a file held is not kept: what was read from it is taken from the record, whatever became of the file.
#[test]
fn a_replay_takes_what_was_read_from_a_file_from_the_record() {
    let place = Place::new();
    place.write("a.csv", "x\n1\n2\n");
    place.write("plan.yaml", "version: 1\nsteps:\n  - {id: rows, tool: csv_to_json, args: {csv_content: {$file: a.csv}}}\n  - {id: xs, tool: json_query, args: {data: {$ref: rows.rows}, query: \"[].x\"}}\n");
    let run = run_of(place.run(&["run", "plan.yaml"], "").expect_code(0));
    for change in [Some("x\n5\n"), None] {
        match change {
            Some(content) => place.write("a.csv", content),
            None => std::fs::remove_file(place.path("work/a.csv")).expect("removes"),
        }
        let replayed = place.run(&["replay", &run], "");
        assert_eq!(replayed.expect_code(0).at("/same"), Value::Bool(true));
        assert_eq!(
            (replayed.at("/computed"), replayed.at("/taken")),
            (Value::Int(1), Value::Int(1))
        );
    }
}

#[test]
fn a_collected_run_is_no_divergence() {
    let place = Place::new();
    place.write("plan.yaml", &plan_of(1, true));
    let run = run_of(place.run(&["run", "plan.yaml"], "").expect_code(0));
    let nothing = place.run(&["runs", "gc", "--output", "human"], "");
    assert!(
        !nothing.expect_code(0).stdout.contains("without values"),
        "{}",
        nothing.stdout
    );
    let gc = place.run(&["runs", "gc", "--keep-days", "0", "--output", "human"], "");
    let words = format!("without values now: 1 run: {run}\n");
    assert!(gc.expect_code(0).stdout.contains(&words), "{}", gc.stdout);
    for mode in ["replay", "verify", "rerun"] {
        let refused = place.run(&["replay", &run, "--mode", mode, "--json"], "");
        assert_eq!(
            text(refused.expect_code(1), "/error/reason"),
            "values_collected",
            "{mode}"
        );
    }
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
}

/// The commands to copy, the list of what was undone, and one name for a state in both forms.
#[test]
fn a_reader_is_told_how_to_go_on_and_what_was_undone() {
    let place = Place::new();
    place.write("mathchain.toml", ASKS);
    place.write("plan.yaml", "version: 1\nsteps:\n  - {id: folder, tool: calculate, args: {expression: \"1\"}, compensate: {tool: calculate, args: {expression: \"2\"}}}\n  - {id: w, tool: write_file, args: {path: out.txt, content: x}}\n");
    let waits = place.run(&["run", "plan.yaml", "--output", "human"], "");
    waits.expect_code(4);
    let commands: Vec<&str> = waits
        .stderr
        .lines()
        .filter_map(|line| line.strip_prefix("  mathchain "))
        .collect();
    let [all, approve, resume] = commands[..] else {
        panic!("{}", waits.stderr)
    };
    let words = |command: &str| -> Vec<String> { command.split(' ').map(str::to_owned).collect() };
    let run = |command: &str, flags: &[&str]| {
        let words = words(command);
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .chain(flags.iter().copied())
            .collect();
        place.run(&words, "")
    };
    assert!(all.starts_with("approve --all --run ") && all.ends_with(" --resume"));
    run(&approve.replace("approve", "deny"), &[]).expect_code(0);
    let ended = run(resume, &["--output", "human"]);
    ended.expect_code(3);
    assert!(
        ended.stderr.contains("  undone: folder (done)\n"),
        "{}",
        ended.stderr
    );
    let checked = place.run(&["plan", "check", "plan.yaml", "--output", "human"], "");
    assert!(
        checked
            .expect_code(0)
            .stdout
            .contains("is valid: 2 steps in 1 wave"),
        "{}",
        checked.stdout
    );
}

/// A process that let go of a run interrupted it: so it is called, for readers and for programs.
#[test]
fn an_interrupted_run_has_one_name() {
    let place = Place::new();
    let clock = Arc::new(SystemClock::default());
    let state = Arc::new(StateStore::open(place.path("state/mathchain"), clock).expect("opens"));
    let journal = state.begin_run(&RunHeader::default()).expect("begins");
    // The run is of no folder.
    let all = ["runs", "list", "--all-folders"];
    let list = |wanted: &str| place.run(&[&all, &["--state", wanted][..]].concat(), "");
    assert_eq!(text(&list("running"), "/0/state"), "running");
    drop(journal);
    assert_eq!(text(&list("interrupted"), "/0/state"), "interrupted");
    assert_eq!(count(&list("running"), ""), 0);
    let human = place.run_as_typed(&all, "");
    assert!(
        human.expect_code(0).stdout.contains("  interrupted  "),
        "{}",
        human.stdout
    );
}

/// Runs the binary where no file may grow beyond 50 KiB, as on a full disk: less than the log of the state has already.
#[cfg(target_os = "linux")]
fn without_room(place: &Place, args: &[&str], stdin: &str) -> Answer {
    use std::process::Command;
    let inner = place.command(args);
    let mut outer = Command::new("sh");
    outer
        .args(["-c", "trap '' 25; ulimit -f 100; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args())
        .current_dir(place.path("work"))
        .env_clear()
        .envs(
            inner
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    answer_of(outer, stdin.as_bytes())
}

/// A head that was given out and is not in the file would make a later verification cry wolf.
#[cfg(target_os = "linux")]
#[test]
fn no_head_is_given_of_what_could_not_be_written() {
    let place = Place::new();
    let call = ["call", "calculate", "--expression", "1", "--json"];
    let first = place.run(&call, "");
    first.expect_code(0).at("/metadata/audit/head");
    let answer = without_room(&place, &call, "");
    answer.expect_code(0);
    assert_eq!(answer.json().pointer("/metadata/audit"), None);
    let warnings = answer.at("/warnings").to_string();
    assert!(
        warnings.contains("the audit of this run is incomplete"),
        "{warnings}"
    );
    let session = without_room(
        &place,
        &["session"],
        "{\"type\":\"run.requested\"}\n{\"type\":\"calls.observed\",\"calls\":[{\"call_id\":\"a\",\"tool\":\"calculate\",\"args\":{\"expression\":\"1\"}}]}\n",
    );
    session.expect_code(0);
    assert!(
        session.stdout.contains("batch.settled"),
        "{}",
        session.stdout
    );
    assert!(
        !session.stdout.contains(r#""type":"audit""#),
        "{}",
        session.stdout
    );
    assert!(session.stderr.contains("incomplete"), "{}", session.stderr);
    let verified = place.run(&["audit", "verify"], "");
    verified.expect_code(0);
}

/// An answer that is not there is no success, whatever was done; nobody who reads is no error.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_told() {
    let place = Place::new();
    place.write(
        "plan.yaml",
        "version: 1\nid: p\nsteps:\n- {id: a, tool: calculate, args: {expression: '1'}}\n",
    );
    place
        .run(&["call", "calculate", "--expression", "1"], "")
        .expect_code(0);
    for (args, stdin) in [
        (&["call", "calculate", "--expression", "1"][..], ""),
        (
            &["call", "calculate", "--expression", "1", "--output", "raw"],
            "",
        ),
        (&["run", "plan.yaml"], ""),
        (&["audit", "verify"], ""),
        (&["session"], "{\"type\":\"run.requested\"}\n"),
        (
            &["serve", "--jsonl"],
            "{\"tool\":\"calculate\",\"args\":{\"expression\":\"1\"}}\n",
        ),
    ] {
        let mut command = place.command(args);
        let full = std::fs::File::options().write(true).open("/dev/full");
        command.stdout(full.expect("a full device"));
        let answer = answer_of(command, stdin.as_bytes());
        answer.expect_code(1);
        let told = "cannot write the answer to stdout: No space left";
        assert!(answer.stderr.contains(told), "{args:?}: {}", answer.stderr);
        let (read, write) = std::io::pipe().expect("a pipe");
        drop(read);
        let mut command = place.command(args);
        command.stdout(write);
        let answer = answer_of(command, stdin.as_bytes());
        assert_ne!(answer.code, 1, "{args:?}: {}", answer.stderr);
        assert!(
            !answer.stderr.contains("stdout"),
            "{args:?}: {}",
            answer.stderr
        );
    }
}

/// A token of GitHub, made here so that no scanner of sources takes it for a leak.
fn token() -> String {
    format!("ghp_{}", "Ab1".repeat(12))
}

#[test]
fn what_came_from_a_file_is_redacted_whichever_tool_hands_it_on() {
    let place = Place::new();
    place.write("f.csv", &format!("name,token\nx,{}\n", token()));
    place.write("f.json", &format!(r#"{{"a":"{}"}}"#, token()));
    let calls = [
        ("csv_to_json", r#"{"csv_content":{"$file":"f.csv"}}"#),
        ("json_query", r#"{"data":{"$file":"f.json"},"query":"a"}"#),
        (
            "sql_query",
            r#"{"query":"select token from t","tables":{"t":{"$file":"f.csv"}}}"#,
        ),
        ("read_file", r#"{"path":"f.csv"}"#),
    ];
    for (tool, args) in calls {
        let answer = place.run(&["call", tool, "--output", "json"], args);
        answer.expect_code(0);
        assert!(
            !answer.stdout.contains(&token()),
            "{tool}: {}",
            answer.stdout
        );
        assert!(
            answer.stdout.contains("[redacted:"),
            "{tool}: {}",
            answer.stdout
        );
    }
    // Through the steps of a plan as well.
    place.write(
        "plan.yaml",
        "version: 1\nsteps:\n  - id: a\n    tool: csv_to_json\n    args: { csv_content: { $file: f.csv } }\noutputs: { rows: { $ref: a } }\n",
    );
    let answer = place.run(&["run", "plan.yaml", "--json"], "");
    assert!(
        !answer.expect_code(0).stdout.contains(&token()),
        "{}",
        answer.stdout
    );
}

#[test]
fn no_secret_of_a_call_stays_with_its_approval() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let args = format!(r#"{{"argv":["echo","{}"]}}"#, token());
    let asked = place.run(&["call", "run_shell"], &args);
    let id = asked.expect_code(4).at("/metadata/approval_id");
    let holds = || {
        let ends =
            ["", "-wal"].map(|end| place.path("work").join(format!(".mathchain/state.db{end}")));
        let found = ends
            .iter()
            .filter_map(|path| std::fs::File::open(path).ok());
        found.into_iter().any(|mut file| {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut file, &mut bytes).expect("reads");
            let token = token();
            bytes
                .windows(token.len())
                .any(|part| part == token.as_bytes())
        })
    };
    assert!(!holds(), "while it waits");
    place
        .run(&["deny", id.as_str().expect("an id")], "")
        .expect_code(0);
    assert!(!holds(), "after its answer");
}

#[test]
fn the_audit_is_exported_as_a_table() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    place
        .run(&["call", "calculate"], r#"{"expression":"1+1"}"#)
        .expect_code(0);
    let export = ["audit", "export", "--format", "csv", "--since", "yesterday"];
    let table = place.run_as_typed(&export, "");
    let mut lines = table.expect_code(0).stdout.lines();
    let head = lines.next().expect("a head");
    assert!(
        head.starts_with("time,session,sequence,hash,kind,event,tool,role"),
        "{head}"
    );
    let rows: Vec<&str> = lines.collect();
    assert!(
        rows.iter().any(|row| row.contains(",call,,calculate,")),
        "{rows:?}"
    );
}
