//! Commands that stay and are spoken with.

use std::time::{Duration, Instant};

use tool_core::capability::Spawner;
use tool_core::command::{Isolation, Level, ProcessExit, SandboxCommand};
use tool_core::conversation::{LineWaitResult, ProcessConversation};
use tool_core::{ErrorCode, StopFlag};

use crate::place::{CANARY, Place};
use crate::survivors::running;

crate::trials!(
    lines_go_both_ways,
    what_it_may_not_it_may_not,
    floods_block_nobody,
    lines_are_bounded,
    a_program_that_is_not_there_is_named,
    stop_flags_end_the_waiting,
    nothing_is_left_of_it,
    what_it_writes_to_the_shared_folder_counts,
    it_ends_at_its_time,
    with_network_it_connects_and_nothing_more,
    without_isolation_it_is_a_program_of_the_user,
);

const LONG: Duration = Duration::from_secs(30);

fn start(place: &Place, command: &SandboxCommand) -> Box<dyn ProcessConversation> {
    place
        .sandbox
        .converse(command, &StopFlag::new())
        .unwrap_or_else(|err| panic!("{err:?}"))
}

fn line(conversation: &dyn ProcessConversation) -> String {
    match conversation.receive(LONG, &StopFlag::new()) {
        Ok(LineWaitResult::Line(line)) => line,
        other => panic!("{other:?}; stderr: {}", conversation.stderr()),
    }
}

fn lines_go_both_ways() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let script =
            "while read word; do echo \"<$word>\"; done; echo last >&2; printf end; exit 3";
        let talk = start(&place, &place.script(script));
        assert_eq!(talk.level(), level);
        for word in ["one", "two", "ä"] {
            talk.send(word, &StopFlag::new()).expect("takes it");
            assert_eq!(line(&*talk), format!("<{word}>"));
        }
        let long = "x".repeat(40_000);
        talk.send(&long, &StopFlag::new()).expect("takes it");
        assert_eq!(line(&*talk).len(), 40_002);
        let quiet = talk.receive(Duration::from_millis(20), &StopFlag::new());
        assert_eq!(quiet.expect("no fault"), LineWaitResult::Silence);
        talk.kill();
        loop {
            match talk.receive(LONG, &StopFlag::new()).expect("no fault") {
                LineWaitResult::Line(_) => {}
                LineWaitResult::Ended(exit) => {
                    assert!(
                        matches!(exit, None | Some(ProcessExit::Signal(9))),
                        "{exit:?}"
                    );
                    break;
                }
                LineWaitResult::Silence => panic!("still there"),
            }
        }
        let gone = talk.send("more", &StopFlag::new()).expect_err("gone");
        assert_eq!(gone.reason_str(), Some("ended"));
    }
}

fn what_it_may_not_it_may_not() {
    let place = Place::at(Level::S3);
    let script = "env; echo x > notes.txt || echo refused; cat @/outside @/home/secret || echo refused; \
                  python3 -I -c 'import socket; socket.socket()' 2>&1 | grep -o PermissionError; cat notes.txt; echo done";
    let talk = start(&place, &place.script(script));
    let mut said = Vec::new();
    while said.last().map(String::as_str) != Some("done") {
        said.push(line(&*talk));
    }
    let names: Vec<&str> = said
        .iter()
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    // A command of root is another user, who reads repositories in the workspace.
    let names = names.iter().filter(|name| !name.starts_with("GIT_CONFIG_"));
    for name in names {
        assert!(
            [
                "PATH", "LANG", "HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"
            ]
            .contains(name),
            "{name}"
        );
    }
    assert_eq!(
        said.iter().filter(|line| *line == "refused").count(),
        2,
        "{said:?}"
    );
    assert!(
        said.contains(&"PermissionError".to_owned()) && said.contains(&"hello".to_owned()),
        "{said:?}"
    );
    assert!(!said.concat().contains(CANARY) && !talk.stderr().contains(CANARY));
}

/// Endless output on both streams, which nobody takes, holds up neither who speaks nor who ends it.
fn floods_block_nobody() {
    let place = Place::at(Level::S3);
    let talk = start(&place, &place.script("yes flood >&2 & yes flood"));
    for _ in 0..5000 {
        assert_eq!(line(&*talk), "flood");
    }
    let stop = StopFlag::new();
    let big = "x".repeat(49_000);
    let refused = std::thread::scope(|scope| {
        let sender = scope.spawn(|| {
            loop {
                if let Err(err) = talk.send(&big, &stop) {
                    return err;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(50));
        stop.time_out();
        sender.join().expect("ends")
    });
    assert_eq!(refused.code(), ErrorCode::Timeout);
    let begun = Instant::now();
    while !talk.stderr().contains("flood") {
        assert!(begun.elapsed() < LONG, "standard error was not read");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(talk.stderr().len() <= 10_000);
    let begun = Instant::now();
    drop(talk);
    assert!(begun.elapsed() < LONG);
}

fn lines_are_bounded() {
    let place = Place::at(Level::S3);
    let mut command =
        place.script("echo first; head -c 300 /dev/zero | tr '\\0' x; echo; sleep 60");
    command.limits.stdout_bytes = 200;
    let talk = start(&place, &command);
    assert_eq!(line(&*talk), "first");
    let long = talk.receive(LONG, &StopFlag::new()).expect_err("too long");
    assert_eq!(
        (long.code(), long.reason_str()),
        (ErrorCode::LimitExceeded, Some("line"))
    );
    let long = talk
        .send(&"x".repeat(201), &StopFlag::new())
        .expect_err("too long");
    assert_eq!(long.code(), ErrorCode::LimitExceeded);
    let bytes = start(&place, &place.script("printf '\\377\\n'; sleep 60"));
    let bytes = bytes.receive(LONG, &StopFlag::new()).expect_err("no text");
    assert_eq!(bytes.reason_str(), Some("line"));
}

fn a_program_that_is_not_there_is_named() {
    let place = Place::at(Level::S3);
    let stop = StopFlag::new();
    // Said at once, or with the first line: whichever looks first.
    let missing = place
        .sandbox
        .converse(&SandboxCommand::new(["no-such-program"]), &stop)
        .and_then(|talk| talk.receive(LONG, &stop).map(drop))
        .expect_err("not there");
    assert_eq!(missing.reason_str(), Some("not_found"));
    assert!(missing.message().contains("`no-such-program`"), "{missing}");
}

fn stop_flags_end_the_waiting() {
    let place = Place::at(Level::S3);
    let talk = start(&place, &place.script("sleep 60"));
    let stop = StopFlag::new();
    let waiting = stop.clone();
    let result = std::thread::scope(|scope| {
        let waits = scope.spawn(|| talk.receive(LONG, &waiting));
        std::thread::sleep(Duration::from_millis(20));
        stop.cancel();
        waits.join().expect("ends")
    });
    assert_eq!(
        result.map_err(|err| err.code()).err(),
        Some(ErrorCode::Cancelled)
    );
    stop.check().expect_err("set");
    let refused = place
        .sandbox
        .converse(&SandboxCommand::new(["true"]), &stop)
        .map(drop);
    assert_eq!(
        refused.map_err(|err| err.code()).err(),
        Some(ErrorCode::Cancelled)
    );
}

fn what_it_writes_to_the_shared_folder_counts() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let folder = place.path("exchange");
        std::fs::create_dir(&folder).expect("makes it");
        let folder = folder.canonicalize().expect("there");
        let script = format!(
            "cd {}; i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > $i; done",
            folder.display()
        );
        let mut command = place.script(&script);
        command.exchange = Some(folder.clone());
        command.limits.scratch_bytes = 8 << 20;
        let talk = start(&place, &command);
        let ended = talk.receive(LONG, &StopFlag::new());
        assert!(
            matches!(ended, Ok(LineWaitResult::Ended(_)) | Err(_)),
            "{level}: {ended:?}"
        );
        let files = std::fs::read_dir(&folder).expect("lists");
        assert!(files.count() >= 8, "{level}: it wrote there");
    }
}

fn nothing_is_left_of_it() {
    for (salt, level) in [(90, Level::S3), (95, Level::S2)] {
        let place = Place::at(level);
        let number = crate::survivors::number(0, salt);
        let script = format!(
            "(setsid sh -c 'trap \"\" TERM HUP; echo up; sleep {number}' &); echo \"$HOME\"; while true; do read x; done"
        );
        let talk = start(&place, &place.script(&script));
        let said = [line(&*talk), line(&*talk)];
        assert!(said.contains(&"up".to_owned()), "{said:?}");
        while running(&number) == 0 {
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(talk);
        assert_eq!(running(&number), 0, "{level}");
        let left = std::fs::read_dir(place.path("scratch"))
            .expect("lists")
            .count();
        assert_eq!(left, 0, "scratch folders are left at {level}");
    }
}

fn it_ends_at_its_time() {
    let place = Place::at(Level::S3);
    let mut command = place.script("sleep 60");
    command.limits.wall = Duration::from_millis(50);
    let talk = start(&place, &command);
    let heard = talk.receive(LONG, &StopFlag::new()).expect("no fault");
    assert_eq!(heard, LineWaitResult::Ended(Some(ProcessExit::Signal(9))));
}

/// The lines that a script says until `done`.
fn said(talk: &dyn ProcessConversation) -> Vec<String> {
    let mut lines = Vec::new();
    while lines.last().map(String::as_str) != Some("done") {
        lines.push(line(talk));
    }
    lines
}

fn with_network_it_connects_and_nothing_more() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("listens");
    let port = listener.local_addr().expect("an address").port();
    let script = format!(
        r#"cat @/outside @/home/secret 2>/dev/null || echo no files
        echo x > notes.txt 2>/dev/null || echo no changes
        python3 -I - <<'END'
import os, socket
print(socket.create_connection(("127.0.0.1", {port})).recv(9).decode())
def refused(*kind):
    try: socket.socket(*kind)
    except PermissionError: print("no", kind[0].name, kind[1].name)
refused(socket.AF_UNIX, socket.SOCK_STREAM)
refused(socket.AF_INET, socket.SOCK_RAW)
refused(socket.AF_NETLINK, socket.SOCK_RAW)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.sendto(b"a", ("127.0.0.1", {port}))
try: udp.bind(("127.0.0.1", 0))
except PermissionError: print("no bind")
print(len(open("/etc/hosts").read()) > 0)
END
        echo done"#
    );
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let mut command = place.script(&script);
        command.isolation = Isolation::Network;
        let before = place.snapshot();
        let talk = start(&place, &command);
        let (mut stream, _) = listener.accept().expect("connects");
        std::io::Write::write_all(&mut stream, b"greetings").expect("sent");
        let expected = [
            "no files",
            "no changes",
            "greetings",
            "no AF_UNIX SOCK_STREAM",
            "no AF_INET SOCK_RAW",
            "no AF_NETLINK SOCK_RAW",
            "no bind",
            "True",
            "done",
        ];
        assert_eq!(said(&*talk), expected, "{level}: {}", talk.stderr());
        assert_eq!(talk.level(), level);
        drop(talk);
        assert_eq!(place.snapshot(), before);
    }
}

fn without_isolation_it_is_a_program_of_the_user() {
    let place = Place::at(Level::S3);
    let number = crate::survivors::number(0, 77);
    let script = format!("cat @/outside; echo; env; pwd; sleep {number} & echo done; wait");
    let mut command = place.script(&script);
    command.isolation = Isolation::None;
    command.environment = vec![
        ("OWN".to_owned(), "x".to_owned()),
        ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
    ];
    let talk = start(&place, &command);
    let said = said(&*talk);
    assert!(said.contains(&CANARY.to_owned()), "{said:?}");
    assert!(said.contains(&"OWN=x".to_owned()), "{said:?}");
    assert!(
        !said.iter().any(|line| line.starts_with("HOME=")),
        "{said:?}"
    );
    assert!(
        said.iter().any(|line| line.ends_with("/workspace")),
        "{said:?}"
    );
    assert_eq!(talk.level(), Level::S0);
    drop(talk);
    assert_eq!(running(&number), 0, "a process is left");
}
