//! Plans on an engine, with real workers: processes of the binary on a folder.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use tool_core::Value;

use crate::support::{Answer, Place};

/// Elements of some milliseconds with seeds of their own, and a result of all of them.
pub(crate) fn study(elements: usize, samples: usize) -> String {
    let over: Vec<String> = (0..elements).map(|x| format!("{}", x + 1)).collect();
    format!(
        "version: 1\nid: study\nseed: 7\nsteps:\n  - {{id: draws, tool: monte_carlo, map: {{over: [{}]}}, args: {{expression: \"exp(x0/s)\", parameters: {{s: {{$ref: item}}}}, distribution: normal, samples: {samples}}}}}\n  - {{id: all, tool: statistics, args: {{data: {{$ref: \"draws[*].mean\"}}}}}}\noutputs: {{draws: {{$ref: draws}}, mean: {{$ref: all.mean}}}}\n",
        over.join(", ")
    )
}

/// A folder of runs whose lease is short.
fn place_of_runs() -> Place {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[cluster]\nlease = \"1s\"\nwait = \"120s\"\n",
    );
    place
}

/// Workers that end when they are dropped.
struct Workers(Vec<Child>);

impl Workers {
    fn start(place: &Place, count: usize, options: &[&str]) -> Self {
        let start = |number| Self::one(place, number, options);
        Self((0..count).map(start).collect())
    }

    fn one(place: &Place, number: usize, options: &[&str]) -> Child {
        let node = format!("n{number}");
        let args = ["worker", "tickets", "--slots", "1", "--node", &node];
        let mut command = place.command(&[&args, options].concat());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().expect("a worker")
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

pub(crate) fn run(place: &Place, engine: &[&str]) -> Answer {
    let args = ["run", "study.yaml", "--json", "--no-cache"];
    place.run_as_typed(&[&args, engine].concat(), "")
}

const FILES: &[&str] = &["--engine", "files", "--dir", "tickets"];

/// Digest of the result of a run, as its record has it.
pub(crate) fn digest(place: &Place, answer: &Answer) -> String {
    let id = answer.at("/output/chain_id");
    let shown = place.run(&["runs", "show", id.as_str().expect("an id")], "");
    let records = shown.expect_code(0).at("/records");
    let records = records.items().expect("records");
    let digest = records
        .iter()
        .find_map(|record| record.text("result_digest"));
    digest.expect("a digest").to_owned()
}

/// Calls of a run by node, and those that fell back.
pub(crate) fn nodes(place: &Place, answer: &Answer) -> (Vec<String>, usize) {
    let id = answer.at("/output/chain_id");
    let shown = place.run(&["runs", "show", id.as_str().expect("an id")], "");
    let records = shown
        .expect_code(0)
        .at("/records")
        .items()
        .expect("records");
    let fell = records
        .iter()
        .filter(|one| one.get("placement_fallback").is_some());
    let named = records.iter().filter_map(|one| one.text("node"));
    let mut named: Vec<String> = named.map(str::to_owned).collect();
    named.sort();
    named.dedup();
    (named, fell.count())
}

#[test]
fn two_workers_give_the_digest_of_the_local_run_which_replays_identically() {
    let place = place_of_runs();
    place.write("study.yaml", &study(60, 20_000));
    let local = run(&place, &[]);
    local.expect_code(0);
    let workers = Workers::start(&place, 2, &[]);
    let there = run(&place, FILES);
    there.expect_code(0);
    assert_eq!(there.at("/output/outputs"), local.at("/output/outputs"));
    assert_eq!(digest(&place, &there), digest(&place, &local));
    // Either may have taken all before the other one looked.
    let (named, fell) = nodes(&place, &there);
    assert!(
        !named.is_empty() && named.iter().all(|node| node == "n0" || node == "n1"),
        "{named:?}"
    );
    assert_eq!(fell, 0);
    let id = there.at("/output/chain_id");
    let id = id.as_str().expect("an id").to_owned();
    place.run(&["replay", &id], "").expect_code(0);
    let shown = place.run(&["runs", "show", &id, "--output", "human"], "");
    let place_of = format!(" on {}", named[0]);
    assert!(shown.stdout.contains(&place_of), "{}", shown.stdout);
    assert!(
        shown.stdout.contains("moved by files: 60 calls on"),
        "{}",
        shown.stdout
    );
    // The workers end with the run that they saw; one that began late waits for another.
    for (number, worker) in { workers }.0.iter_mut().enumerate() {
        if named.contains(&format!("n{number}")) {
            assert!(worker.wait().expect("ends").success());
        }
    }
}

#[test]
fn workers_that_are_killed_at_any_moment_change_nothing() {
    let place = place_of_runs();
    place.write("study.yaml", &study(150, 60_000));
    let local = run(&place, &[]);
    local.expect_code(0);
    let mut workers = Workers::start(&place, 2, &["--idle", "300"]);
    let head = place.command(&[&["run", "study.yaml", "--json", "--no-cache"], FILES].concat());
    let mut head = { head }.spawn().expect("a head");
    drop(head.stdin.take());
    let mut stdout = head.stdout.take().expect("its output");
    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut text).map(|_| text)
    });
    // Moments that differ from run to run of this test, and not by much.
    let mut kills = 0;
    while head.try_wait().expect("looks").is_none() {
        std::thread::sleep(Duration::from_millis(37 + 61 * (kills % 5)));
        if kills < 8 {
            let victim = &mut workers.0[(kills % 2) as usize];
            let _ = victim.kill();
            let _ = victim.wait();
            workers.0[(kills % 2) as usize] =
                Workers::one(&place, kills as usize + 2, &["--idle", "300"]);
            kills += 1;
        }
    }
    let text = reading.join().expect("reads").expect("text");
    let answer = Answer {
        code: head.wait().expect("ends").code().unwrap_or(-1),
        stdout: text,
        stderr: String::new(),
    };
    answer.expect_code(0);
    assert!(kills > 0);
    assert_eq!(digest(&place, &answer), digest(&place, &local));
}

#[test]
fn a_run_whose_head_is_killed_goes_on_with_another_engine() {
    let place = place_of_runs();
    place.write("study.yaml", &study(200, 60_000));
    let local = run(&place, &[]);
    let _workers = Workers::start(&place, 2, &["--idle", "300"]);
    let head = place.command(&[&["run", "study.yaml", "--json", "--no-cache"], FILES].concat());
    let mut head = { head }.stdout(Stdio::null()).spawn().expect("a head");
    let began = Instant::now();
    let running = || {
        let listed = place.run(&["runs", "list", "--state", "running"], "");
        let runs = listed.expect_code(0).json().items().unwrap_or_default();
        runs.first()
            .and_then(|run| run.text("run"))
            .map(str::to_owned)
    };
    let id = loop {
        assert!(began.elapsed() < Duration::from_secs(100), "no run began");
        if let Some(id) = running() {
            break id;
        }
    };
    std::thread::sleep(Duration::from_millis(300));
    head.kill().expect("kills");
    head.wait().expect("ends");
    // Its lease in the state runs out first.
    let resumed = loop {
        let resumed = place.run_as_typed(&[&["runs", "resume", &id, "--json"], FILES].concat(), "");
        if !resumed.stdout.contains("run_busy") {
            break resumed;
        }
        assert!(
            began.elapsed() < Duration::from_secs(200),
            "{}",
            resumed.stdout
        );
        std::thread::sleep(Duration::from_millis(200));
    };
    resumed.expect_code(0);
    assert_eq!(digest(&place, &resumed), digest(&place, &local));
}

/// The first file of a folder of the run in `tickets`, once there is one.
fn first_file(place: &Place, folder: &str) -> PathBuf {
    let began = Instant::now();
    loop {
        let runs = std::fs::read_dir(place.path("work/tickets"))
            .into_iter()
            .flatten();
        for run in runs.flatten() {
            let files = std::fs::read_dir(run.path().join(folder))
                .into_iter()
                .flatten();
            let mut files = files.flatten().map(|file| file.path());
            let is_whole = |path: &PathBuf| !path.to_string_lossy().contains("/.new-");
            if let Some(file) = files.find(is_whole) {
                return file;
            }
        }
        assert!(
            began.elapsed() < Duration::from_secs(100),
            "no file in {folder}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test damages a file")]
fn a_damaged_ticket_is_refused_and_the_run_is_right() {
    let place = place_of_runs();
    place.write("study.yaml", &study(40, 20_000));
    let local = run(&place, &[]);
    let head = place.command(&[&["run", "study.yaml", "--json", "--no-cache"], FILES].concat());
    let head = { head }.spawn().expect("a head");
    // A worker that is there and takes nothing: tickets are written, and wait.
    let key = first_file(&place, "");
    let folder = key.parent().expect("a folder").to_owned();
    let mut idle = Workers::start(&place, 1, &["--idle", "300"]);
    first_file(&place, "workers");
    unsafe_stop(&idle.0[0]);
    let began = Instant::now();
    let damaged = loop {
        assert!(
            began.elapsed() < Duration::from_secs(100),
            "no ticket waits"
        );
        let tickets = std::fs::read_dir(folder.join("tickets"))
            .expect("lists")
            .flatten();
        let ticket = tickets
            .map(|file| file.path())
            .find(|path| !path.to_string_lossy().contains(".new-"));
        let Some(ticket) = ticket else {
            std::thread::sleep(Duration::from_millis(2));
            continue;
        };
        let mut text = std::fs::read_to_string(&ticket).expect("reads");
        let at = text.rfind("normal").expect("the distribution");
        text.replace_range(at..at + 6, "unifor");
        std::fs::write(&ticket, text).expect("writes");
        break ticket;
    };
    assert!(damaged.exists());
    let _ = idle.0[0].kill();
    let _workers = Workers::start(&place, 2, &[]);
    let output = head.wait_with_output().expect("ends");
    let answer = Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    answer.expect_code(0);
    assert_eq!(digest(&place, &answer), digest(&place, &local));
    let warnings = answer.at("/warnings").to_string();
    assert!(warnings.contains("damaged, or not signed"), "{warnings}");
}

/// Stops a process without ending it.
fn unsafe_stop(child: &Child) {
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a process"), rustix::process::Signal::STOP)
        .expect("stops");
}

#[test]
fn a_worker_that_is_told_to_end_gives_its_ticket_back() {
    let place = place_of_runs();
    place.write("study.yaml", &study(2, 20_000_000));
    let mut workers = Workers::start(&place, 1, &["--idle", "300"]);
    let head = place.command(&[&["run", "study.yaml", "--json", "--no-cache"], FILES].concat());
    let mut head = { head }.stdout(Stdio::null()).spawn().expect("a head");
    let claim = first_file(&place, "claims");
    let pid = i32::try_from(workers.0[0].id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a process"), rustix::process::Signal::TERM)
        .expect("tells");
    assert!(workers.0[0].wait().expect("ends").success());
    let name = claim
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let ticket = name.split('~').next().expect("a ticket");
    let run = claim
        .parent()
        .and_then(|claims| claims.parent())
        .expect("a run");
    assert!(run.join("tickets").join(ticket).exists());
    assert!(!claim.exists());
    let _ = head.kill();
    let _ = head.wait();
}

#[test]
fn a_worker_of_another_build_refuses_the_run_and_says_so() {
    let place = place_of_runs();
    place.write("study.yaml", &study(10, 1_000));
    // The same program with one more byte.
    let other = place.path("other");
    std::fs::copy(env!("CARGO_BIN_EXE_mathchain"), &other).expect("copies");
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&other)
        .expect("opens");
    std::io::Write::write_all(&mut file, b"\n").expect("writes");
    drop(file);
    let mut worker = std::process::Command::new(&other);
    let worker = worker
        .args(["worker", "tickets", "--slots", "1", "--node", "odd"])
        .current_dir(place.path("work"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let worker = worker.spawn().expect("a worker");
    let head = place.command(&[&["run", "study.yaml", "--json", "--no-cache"], FILES].concat());
    let head = { head }.spawn().expect("a head");
    first_file(&place, "workers");
    let _workers = Workers::start(&place, 1, &[]);
    let output = head.wait_with_output().expect("ends");
    assert!(output.status.success());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("`odd` may not compute"), "{text}");
    let refused = worker.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("its build is"), "{said}");
}

#[test]
fn without_an_engine_or_a_worker_what_requires_one_says_what_helps() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[cluster]\nwait = \"1s\"\n");
    let plan = |place: &str| {
        format!(
            "version: 1\nid: study\nsteps:\n  - {{id: a, tool: calculate, place: {place}, args: {{expression: \"6*7\"}}}}\noutputs: {{a: {{$ref: a.value}}}}\n"
        )
    };
    place.write("study.yaml", &plan("require"));
    let refused = run(&place, &[]);
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stdout.contains("no_cluster"), "{}", refused.stdout);
    assert!(
        refused.stdout.contains("mathchain worker DIR"),
        "{}",
        refused.stdout
    );
    let alone = run(&place, FILES);
    assert_eq!(alone.at("/error/reason"), Value::from("no_cluster"));
    place.write("study.yaml", &plan("prefer"));
    let fallen = run(&place, FILES);
    fallen.expect_code(0);
    assert_eq!(nodes(&place, &fallen), (Vec::new(), 1));
    let no_folder = run(&place, &["--engine", "files"]);
    assert_eq!(no_folder.at("/error/reason"), Value::from("run_folder"));
}

#[test]
fn the_table_cluster_names_engine_and_folder_once_the_user_agreed() {
    let place = Place::of_a_stranger();
    place.write(
        "mathchain.toml",
        "version = 1\n[cluster]\nengine = \"files\"\ndir = \"tickets\"\nwait = \"1s\"\nlease = \"1s\"\n",
    );
    place.write("study.yaml", &study(4, 1_000));
    let before = run(&place, &[]);
    before.expect_code(0);
    assert!(before.stderr.contains("`cluster`"), "{}", before.stderr);
    assert_eq!(nodes(&place, &before), (Vec::new(), 0));
    assert!(!place.path("work/tickets").exists());
    place.run(&["trust", "--yes"], "").expect_code(0);
    // Nothing computes there within a second, and everything falls back.
    let after = run(&place, &[]);
    after.expect_code(0);
    assert_eq!(nodes(&place, &after), (Vec::new(), 4));
    assert_eq!(
        run(&place, &["--engine", "local"]).at("/output/status"),
        Value::from("success")
    );
}

/// Commands of Slurm that note how they were called; its workers are started by nobody.
#[test]
fn slurm_is_asked_for_an_array_of_workers_and_told_to_end_it() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[cluster]\nengine = \"slurm\"\ndir = \"tickets\"\nwait = \"1s\"\n[cluster.slurm]\npartition = \"long\"\ntasks = 3\ncpus = 2\ntime = \"90min\"\n",
    );
    place.write("study.yaml", &study(4, 1_000));
    let notes = place.path("called");
    for (name, says) in [("sbatch", "echo 4711"), ("scancel", "true")] {
        let script = format!(
            "#!/bin/sh\n{{ echo {name} \"$@\"; cat; }} >> {}\n{says}\n",
            notes.display()
        );
        place.write_program(&format!("bin/{name}"), &script);
    }
    let path = format!("{}:/usr/bin:/bin", place.path("work/bin").display());
    let mut command = place.command(&["run", "study.yaml", "--json"]);
    let output = command
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .expect("runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut called = String::new();
    let file = std::fs::File::open(&notes);
    std::io::Read::read_to_string(&mut file.expect("was called"), &mut called).expect("reads");
    for part in [
        "--array=1-3 ",
        "--cpus-per-task=2 ",
        "--time=90 ",
        "--partition=long",
        " worker ",
        "--slots 2",
        "scancel --quiet 4711",
    ] {
        assert!(called.contains(part), "{part} in:\n{called}");
    }
}

#[test]
fn a_server_computes_plans_with_the_engine_that_it_was_started_with() {
    let place = place_of_runs();
    let refused = place.run(&["serve", "--jsonl", "--engine", "files"], "");
    assert_eq!(refused.at("/error/reason"), Value::from("engine"));
    let flags = ["--engine", "files", "--dir", "tickets"];
    let server = crate::http::client::Server::start(&place, &flags);
    let workers = Workers::start(&place, 1, &["--idle", "300"]);
    let plan = r#"{"plan":{"version":1,"id":"p","steps":[{"id":"draws","tool":"monte_carlo","map":{"over":[1,2,3]},
        "args":{"expression":"exp(x0/s)","parameters":{"s":{"$ref":"item"}},"distribution":"normal","samples":1000}}],
        "outputs":{"means":{"$ref":"draws[*].mean"}}}}"#;
    let begun = server.post("/v1/chains", &[], plan);
    let id = begun.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let until = Instant::now() + Duration::from_secs(120);
    let answer = loop {
        let answer = server.get(&format!("/v1/chains/{id}"), &[]).json();
        if answer["answer"].is_object() {
            break answer;
        }
        assert!(Instant::now() < until, "{answer}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(answer["answer"]["ok"], serde_json::json!(true), "{answer}");
    let metrics = server.get("/metrics", &[]);
    let metrics = &metrics.expect(200).body;
    let line = |name: &str| metrics.lines().find(|line| line.starts_with(name));
    let done = line("mathchain_engine_tickets_done_total{engine=\"files\"}");
    assert!(done.is_some_and(|line| !line.ends_with(" 0")), "{metrics}");
    let out = line("mathchain_engine_tickets_out{engine=\"files\"}");
    assert!(out.is_some_and(|line| line.ends_with(" 0")), "{metrics}");
    drop(workers);
}

#[test]
fn a_map_of_many_elements_is_recorded_in_packs_and_replays_and_resumes_as_ever() {
    let place = place_of_runs();
    place.write("study.yaml", &study(400, 10));
    let answer = run(&place, &[]);
    answer.expect_code(0);
    let id = answer.at("/output/chain_id");
    let id = id.as_str().expect("an id");
    let export = place.run(&["runs", "export", id], "").stdout;
    let packs = export.matches("\"kind\":\"pack\"").count();
    let lines = export.lines().count();
    assert!(packs > 0 && lines < 600, "{packs} packs, {lines} lines");
    let shown = place.run(&["runs", "show", id, "--json"], "");
    let records = shown.expect_code(0).at("/records");
    let records = records.items().expect("records");
    let of_kind = |kind: &str| {
        records
            .iter()
            .filter(|one| one.text("kind") == Some(kind))
            .count()
    };
    assert_eq!((of_kind("call"), of_kind("settled")), (401, 401));
    let call = records.iter().find(|one| one.text("kind") == Some("call"));
    let call = call.and_then(|call| call.text("call_id")).expect("an id");
    let found = place.run(&["audit", "show", call, "--json"], "");
    assert_eq!(
        found.expect_code(0).at("/record/call_id"),
        Value::from(call)
    );
    place.run(&["replay", id], "").expect_code(0);
    place.run(&["audit", "verify"], "").expect_code(0);
}
