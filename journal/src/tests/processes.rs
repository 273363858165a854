//! Several processes at once, and processes that die: this test program starts itself again and plays the other part.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::*;
use registry::CallCounts as _;

/// Names the part a started process plays: `part:folder`.
const PART: &str = "MATHCHAIN_STATE_TEST_PART";

fn start(part: &str, folder: &Path) -> Child {
    let mut value = OsString::from(part);
    value.push(":");
    value.push(folder);
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::processes::the_other_part", "--nocapture"])
        .env(PART, value)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
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
    match part {
        "fifty" => {
            let state = open(folder);
            for number in 0..50 {
                let durability = if number % 5 == 0 {
                    RecordDurability::Synced
                } else {
                    RecordDurability::Batched
                };
                state.record(&event(number), durability).unwrap();
            }
            state.close().unwrap();
        }
        "endless" => {
            let state = open(folder);
            for number in 0.. {
                state
                    .record(&event(number), RecordDurability::Batched)
                    .unwrap();
                let head = state
                    .record(&event(number), RecordDurability::Synced)
                    .unwrap();
                let mut out = std::io::stdout().lock();
                writeln!(out, "ack {}", head).unwrap();
                out.flush().unwrap();
            }
        }
        "counting" => {
            let state = open(folder);
            let passed = (0..30).filter(|number| {
                let call = format!("{}-{number}", std::process::id());
                let claims = super::counts::claims("calls = 40, per = \"1h\"", 1.0);
                state.count(&call, &claims, false).unwrap().is_counted
            });
            let mut out = std::io::stdout().lock();
            writeln!(out, "passed {}", passed.count()).unwrap();
        }
        "unwritable" => {
            assert_reason(
                StateStore::open(folder, TestClock::at(NOW)),
                "state_unwritable",
            );
        }
        other => panic!("no part `{other}`"),
    }
}

/// Exactly as many calls as the limit has places are counted, whatever process makes them.
#[test]
fn processes_take_every_place_of_a_limit_once() {
    let folder = folder();
    // The file is made before they race.
    drop(open(folder.path()));
    let callers: Vec<Child> = (0..3).map(|_| start("counting", folder.path())).collect();
    let passed = callers.into_iter().map(|mut caller| {
        let lines = BufReader::new(caller.stdout.take().unwrap()).lines();
        let told = lines.map_while(Result::ok);
        let counts: Vec<usize> = told
            .filter_map(|line| line.split_once("passed ")?.1.parse().ok())
            .collect();
        assert!(caller.wait().unwrap().success());
        counts[0]
    });
    assert_eq!(passed.sum::<usize>(), 40);
    let claims = super::counts::claims("calls = 40, per = \"1h\"", 1.0);
    assert_eq!(open(folder.path()).used(&claims).unwrap()[0].used, 40.0);
}

#[test]
fn twenty_processes_lose_no_record() {
    let folder = folder();
    let writers: Vec<Child> = (0..20).map(|_| start("fifty", folder.path())).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let report = open(folder.path()).verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    assert_eq!((report.sessions, report.records), (20, 1000));
    assert_eq!(
        report.head.unwrap().sequence,
        40,
        "each session is linked at both ends"
    );
}

/// Killed in the middle of writing: the chain is whole, and every record that was acknowledged as synced is there.
#[test]
fn a_killed_writer_leaves_a_sound_chain() {
    let folder = folder();
    for round in 0..6 {
        let mut writer = start("endless", folder.path());
        let mut lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut acknowledged = Vec::new();
        while acknowledged.len() < 10 + round * 7 {
            let line = lines.next().unwrap().unwrap();
            if let Some((_, head)) = line.split_once("ack ") {
                acknowledged.push(parse_head(head).unwrap());
            }
        }
        writer.kill().unwrap();
        writer.wait().unwrap();
        for line in lines.map_while(Result::ok) {
            // The last line may be cut.
            if let Some(head) = line
                .split_once("ack ")
                .and_then(|(_, head)| parse_head(head).ok())
            {
                acknowledged.push(head);
            }
        }
        let state = open(folder.path());
        let report = state.verify(&acknowledged, true).unwrap();
        assert!(report.is_sound(), "{:?}", report.faults);
        assert!(report.records >= acknowledged.last().unwrap().sequence);
        state.record(&event(0), RecordDurability::Synced).unwrap();
    }
}

/// A folder without the right to write, for a user whom that binds (it does not bind root, who then plays another).
#[cfg(unix)]
#[test]
fn a_read_only_folder_is_a_typed_error() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65534;
    let top = folder();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap()
    };
    let is_root = std::fs::metadata(top.path()).unwrap().uid() == 0;
    set(top.path(), 0o755);
    let empty = top.path().join("empty");
    let full = top.path().join("full");
    std::fs::create_dir(&empty).unwrap();
    filled(&full, 1);
    set(&full.join(FILE_NAME), 0o644);
    for suffix in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(full.join(format!("{FILE_NAME}{suffix}")));
    }
    // The program itself may lie where another user cannot reach it. Another process copies it: what a test forks meanwhile would keep
    // a file of this one open for writing, and no program can start from that.
    let program = top.path().join("program");
    let mut copy = Command::new("cp");
    copy.arg(std::env::current_exe().unwrap()).arg(&program);
    assert!(copy.status().unwrap().success());
    set(&program, 0o755);
    for folder in [&empty, &full, &empty.join("below")] {
        if folder.exists() {
            set(folder, 0o555);
        }
        let mut command = Command::new(&program);
        let mut part = OsString::from("unwritable:");
        part.push(folder);
        command
            .args(["--exact", "tests::processes::the_other_part"])
            .env(PART, part)
            .stdout(Stdio::null());
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        assert!(command.status().unwrap().success(), "{}", folder.display());
    }
    for folder in [&empty, &full] {
        set(folder, 0o755);
    }
}
