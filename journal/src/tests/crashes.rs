//! Processes that are killed at every place where it matters, and disks that fill up.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use tool_core::Reason;

use super::*;
use crate::artifacts::FOLDER;

/// Names the part a started process plays: `part:folder`.
const PART: &str = "MATHCHAIN_STATE_TEST_PART";
const THE_PART: &str = "tests::crashes::the_other_part";

fn command(part: &str, folder: &Path) -> Command {
    let mut value = OsString::from(part);
    value.push(":");
    value.push(folder);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", THE_PART, "--nocapture"])
        .env(PART, value)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

fn matrix(first: f64) -> Value {
    let mut data = vec![0.25; 10_000];
    data[0] = first;
    Value::vector(data)
}

/// What a started process does; in the ordinary run of the tests there is no part to play.
#[test]
fn the_other_part() {
    let Some(part) = std::env::var_os(PART) else {
        return;
    };
    let part = part.into_string().unwrap();
    let (part, folder) = part.split_once(':').unwrap();
    let folder = Path::new(folder);
    let state = Arc::new(open(folder));
    let begin = || {
        state.begin_run(&RunHeader {
            id: Some("crash".to_owned()),
            ..header()
        })
    };
    let say = |line: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    };
    match part {
        // Two effects, each with intent and outcome; the effect is a file.
        "effects" => {
            let journal = begin().unwrap();
            for number in 0..2 {
                journal
                    .record(&told("intent", number), RecordDurability::Synced)
                    .unwrap();
                std::fs::File::create(folder.join(format!("effect-{number}"))).unwrap();
                journal
                    .record(&told("call", number), RecordDurability::Synced)
                    .unwrap();
                let handle = journal.put(&matrix(number as f64)).unwrap();
                let mut settled = told("settled", number).as_object().unwrap().clone();
                settled.insert("value", handle.to_value());
                journal
                    .write(&Value::Object(settled.into()), RecordDurability::Synced)
                    .unwrap();
            }
            journal.finish(RunState::Succeeded).unwrap();
        }
        "hold" => {
            let _journal = begin().unwrap();
            say("held");
            let _ = std::io::stdin().read(&mut [0]);
        }
        "want" => say(match state.take_run("crash") {
            Ok((journal, _)) => {
                journal
                    .write(&told("intent", 0), RecordDurability::Synced)
                    .unwrap();
                std::thread::sleep(Duration::from_millis(300));
                "won"
            }
            Err(err) if err.is(Reason::RunBusy) => "busy",
            Err(_) => "failed",
        }),
        // The file may grow by a little: then there is no room.
        "full" => {
            let journal = begin().unwrap();
            let err = assert_reason(
                journal.put(&Value::vector(vec![0.5; 200_000])),
                "artifact_full",
            );
            assert!(err.message().contains("b3:"), "{err:?}");
            let text = "x".repeat(1000);
            let full = (0..10_000).find_map(|_| {
                journal
                    .write(
                        &Value::object([("note", text.as_str())]),
                        RecordDurability::Synced,
                    )
                    .err()
            });
            let reason = full.unwrap().reason_str().unwrap().to_owned();
            assert!(reason.starts_with("state_"), "{reason}");
            say("full");
        }
        "prune" => {
            state.prune(u64::MAX, &super::pruning::key()).unwrap();
        }
        other => panic!("no part `{other}`"),
    }
}

/// Every place of a run, each time it is passed.
const PLACES: [(&str, u64); 20] = [
    ("journal.before_intent", 1),
    ("journal.after_intent", 1),
    ("artifact.temp", 1),
    ("artifact.sync", 1),
    ("artifact.rename", 1),
    ("journal.before_settled", 1),
    ("journal.after_settled", 1),
    ("journal.before_intent", 2),
    ("journal.after_intent", 2),
    ("artifact.temp", 2),
    ("artifact.sync", 2),
    ("artifact.rename", 2),
    ("journal.before_settled", 2),
    ("journal.after_settled", 2),
    ("journal.before_finish", 1),
    ("journal.after_finish", 1),
    ("nowhere", 1),
    // Never passed so often: the run ends.
    ("journal.before_intent", 3),
    ("artifact.temp", 3),
    ("journal.after_finish", 2),
];

#[test]
fn killed_anywhere_the_journal_is_whole_and_no_effect_lacks_its_intent() {
    for (place, nth) in PLACES {
        let top = folder();
        let killed = command("effects", top.path())
            .env("MATHCHAIN_FAILPOINT", format!("{place}:{nth}"))
            .status()
            .unwrap();
        let expected = place != "nowhere" && nth <= 1 + u64::from(!place.ends_with("_finish"));
        assert_eq!(!killed.success(), expected, "{place}:{nth}");
        let clock = TestClock::at(NOW);
        let state =
            Arc::new(StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap());
        let report = state.verify(&[], true).unwrap();
        assert!(report.is_sound(), "{place}: {:?}", report.faults);
        let run = state.run("crash").unwrap();
        assert_eq!(run.holder, None, "{place}: the dead hold nothing");
        let ended = !expected || place == "journal.after_finish";
        assert_eq!(run.state == RunState::Succeeded, ended, "{place}");
        let records = if ended {
            assert_reason(state.take_run("crash"), "run_ended");
            state
                .audit_list(Some("crash"), 99)
                .unwrap()
                .into_iter()
                .map(|one| one.record)
                .collect()
        } else {
            state.take_run("crash").unwrap().1
        };
        let has = |kind: &str, number: i64| {
            records.iter().find(|one| {
                one.get("kind") == Some(&Value::from(kind))
                    && one.get("step") == Some(&Value::Int(number))
            })
        };
        for number in 0..2 {
            let done = top.path().join(format!("effect-{number}")).exists();
            assert!(
                !done || has("intent", number).is_some(),
                "{place}:{nth} {number}"
            );
            let Some(settled) = has("settled", number) else {
                continue;
            };
            assert!(done);
            let handle =
                crate::artifacts::ArtifactHandle::from_value(settled.get("value").unwrap())
                    .unwrap();
            assert_eq!(
                state.value(&handle).unwrap(),
                matrix(number as f64),
                "{place}"
            );
        }
        // What a crash leaves half written is removed a day later, by its real age.
        let halves = || {
            let folders = std::fs::read_dir(top.path().join(FOLDER))
                .into_iter()
                .flatten();
            folders
                .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
                .filter(|file| {
                    file.as_ref()
                        .unwrap()
                        .file_name()
                        .to_string_lossy()
                        .starts_with(".new-")
                })
                .count()
        };
        assert_eq!(
            halves(),
            usize::from(expected && matches!(place, "artifact.temp" | "artifact.sync")),
            "{place}:{nth}"
        );
        clock.set(1 << 50);
        let done = state.gc(RetentionPolicy::default()).unwrap();
        assert_eq!((halves(), done.runs.len()), (0, 0), "{place}");
    }
}

/// A pruning that is killed anywhere has happened whole or not at all, and the next one does what is left.
#[test]
fn killed_while_pruning_the_state_is_sound() {
    for place in crate::failpoints::PRUNING.into_iter().chain(["nowhere"]) {
        let top = folder();
        let place_of = |name| match name {
            "nowhere" => String::new(),
            name => name.to_owned(),
        };
        let clock = TestClock::at(NOW - 1000);
        let earlier = StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        let earlier = Arc::new(earlier);
        earlier
            .record(&event(1), RecordDurability::Batched)
            .unwrap();
        let journal = earlier.begin_run(&header()).unwrap();
        let handle = journal.put(&matrix(1.0)).unwrap();
        let settled = Value::object([("kind", Value::from("settled")), ("end", handle.to_value())]);
        journal.write(&settled, RecordDurability::Batched).unwrap();
        journal.finish(RunState::Succeeded).unwrap();
        drop((journal, earlier));
        let ended = command("prune", top.path())
            .env("MATHCHAIN_FAILPOINT", place_of(place))
            .status()
            .unwrap();
        assert_eq!(ended.success(), place == "nowhere", "{place}");
        let state = open(top.path());
        let report = state.verify(&[], true).unwrap();
        assert!(report.is_sound(), "{place}: {:?}", report.faults);
        let was_whole = matches!(place, "prune.after_begin" | "prune.before_commit");
        assert_eq!(report.cut.is_none(), was_whole, "{place}");
        assert_eq!(
            state.runs(None, 9).unwrap().len(),
            usize::from(was_whole),
            "{place}"
        );
        // A file that no row names any more is removed a day later, by its real age.
        clock.set(1 << 50);
        let later = StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
        later.prune(NOW, &super::pruning::key()).unwrap();
        let report = later.verify(&[], true).unwrap();
        assert!(
            report.is_sound() && report.cut.is_some(),
            "{place}: {:?}",
            report.faults
        );
        let folders = std::fs::read_dir(top.path().join(FOLDER)).unwrap();
        let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
        assert_eq!(files.count(), 0, "{place}");
    }
}

fn line(child: &mut Child) -> String {
    let out = BufReader::new(child.stdout.take().unwrap());
    let said = out.lines().map_while(Result::ok);
    let mut words = said.filter_map(|line| {
        let known = ["held", "won", "busy", "failed", "full"];
        known
            .into_iter()
            .find(|word| line.ends_with(word))
            .map(str::to_owned)
    });
    words.next().unwrap_or_default()
}

#[test]
fn the_living_are_waited_for_the_dead_replaced_and_one_of_many_wins() {
    let top = folder();
    let mut holder = command("hold", top.path()).spawn().unwrap();
    assert_eq!(line(&mut holder), "held");
    let state = Arc::new(open(top.path()));
    let err = assert_reason(state.take_run("crash"), "run_busy");
    assert!(err.message().contains(&holder.id().to_string()), "{err:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    let wanting: Vec<Child> = (0..4)
        .map(|_| command("want", top.path()).spawn().unwrap())
        .collect();
    let mut said = Vec::new();
    for child in wanting {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        said.push(["won", "busy"].into_iter().find(|word| text.contains(word)));
    }
    said.sort();
    said.dedup();
    // A later one may win after an earlier one let go; never do two hold it, so the numbers of the leases are all different.
    assert!(
        said == [Some("busy"), Some("won")] || said == [Some("won")],
        "{said:?}"
    );
    let (_, records) = state.take_run("crash").unwrap();
    let fences: Vec<i64> = records
        .iter()
        .filter_map(|one| one.get("fence")?.as_i64())
        .collect();
    let expected: Vec<i64> = (2..2 + fences.len() as i64).collect();
    assert_eq!(fences, expected);
}

/// The end of the write-ahead log is lost, as by a power cut: what is left is the beginning of what was written, whole.
#[test]
fn a_log_without_its_end_leaves_a_shorter_run() {
    for cut in [1, 100, 4096, 5000, 50_000] {
        let top = folder();
        let state = Arc::new(open(top.path()));
        let journal = state.begin_run(&header()).unwrap();
        let id = journal.id().to_owned();
        let mut head = None;
        for number in 0..60 {
            let event = told("settled", number);
            head = journal.write(&event, RecordDurability::Batched).ok();
            journal.state().flush().unwrap();
        }
        // A copy while it is open: as the disk has it.
        let copy = folder();
        for suffix in ["", "-wal"] {
            let name = format!("{FILE_NAME}{suffix}");
            std::fs::copy(top.path().join(&name), copy.path().join(&name)).unwrap();
        }
        let log = copy.path().join(format!("{FILE_NAME}-wal"));
        let length = std::fs::metadata(&log).unwrap().len();
        std::fs::OpenOptions::new()
            .write(true)
            .open(&log)
            .unwrap()
            .set_len(length - cut)
            .unwrap();
        let machine = Arc::new(Machine::default());
        let later = machine.open(copy.path(), &TestClock::at(NOW + 60_000), 9);
        let (_, records) = later.take_run(&id).unwrap();
        assert!(
            records.len() < 60 && (cut > 9000 || records.len() > 50),
            "{cut}: {}",
            records.len()
        );
        for (number, record) in records.iter().enumerate() {
            assert_eq!(record.get("step"), Some(&Value::from(number)));
        }
        assert!(later.verify(&[], true).unwrap().is_sound());
        // Only a head that was kept elsewhere shows that something is gone.
        assert!(!later.verify(&[head.unwrap()], true).unwrap().is_sound());
    }
}

/// No file may grow beyond a limit, which writes see as a disk without room.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_a_typed_error_and_leaves_a_sound_state() {
    let top = folder();
    drop(open(top.path()));
    let program = command("full", top.path());
    let mut limited = Command::new("sh");
    // In blocks of 512 bytes; the signal that comes with the limit is ignored.
    limited
        .args(["-c", "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args())
        .envs(
            program
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = limited.spawn().unwrap();
    assert_eq!(line(&mut child), "full");
    child.wait().unwrap();
    let state = Arc::new(open(top.path()));
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let (journal, _) = state.take_run("crash").unwrap();
    let block = Value::vector(vec![0.5; 200_000]);
    let handle = journal.put(&block).unwrap();
    assert_eq!(journal.state().value(&handle).unwrap(), block);
}
