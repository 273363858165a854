//! What commands may do, and what their results say.

use std::time::Duration;

use tool_core::capability::Spawner;
use tool_core::command::{CommandAccess, Level, ProcessExit, SandboxCommand};
use tool_core::{ErrorCode, StopFlag};

use crate::place::{CANARY, Place, said};

crate::trials!(
    a_command_reads_the_workspace_and_writes_its_scratch_folder,
    results_tell_status_streams_and_signals,
    output_beyond_its_limit_is_counted_and_not_kept,
    standard_input_is_what_was_given,
    a_closed_workspace_is_read_all_the_same,
    every_root_is_read_and_is_a_working_folder,
    the_environment_is_built_from_nothing,
    descriptors_of_the_caller_are_closed,
    a_deadline_ends_the_command,
    a_stop_flag_ends_the_command,
    a_folder_is_chosen_beneath_the_root,
    without_a_workspace_there_is_none,
    a_program_that_is_not_there_is_an_error,
    nothing_is_left_in_the_scratch_folder,
    what_cannot_be_a_command_is_refused,
    many_run_at_a_time,
);

fn a_command_reads_the_workspace_and_writes_its_scratch_folder() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let ran = place.shell("cat notes.txt && echo x > $HOME/a && cat $TMPDIR/a && ls -a sub");
        assert_eq!(ran.exit, ProcessExit::Status(0), "{}", said(&ran));
        assert_eq!(ran.stdout.text(), "hello\nx\n.\n..\n");
        assert_eq!(ran.level, level);
        let ran = place.shell("mkdir $HOME/d && mv $HOME/d $HOME/e && ln -s e $HOME/l && rm -r $HOME/e; ls -l /proc/self/fd | wc -l");
        assert!(ran.exit.success(), "{}", said(&ran));
    }
}

fn results_tell_status_streams_and_signals() {
    let place = Place::at(Level::S3);
    let ran = place.shell("echo out; echo err >&2; exit 3");
    assert_eq!((ran.exit, ran.exit.code()), (ProcessExit::Status(3), 3));
    assert_eq!(
        (ran.stdout.text().as_str(), ran.stderr.text().as_str()),
        ("out\n", "err\n")
    );
    assert!(!ran.timed_out && !ran.stdout.truncated());
    let ran = place.shell("kill -TERM $$");
    assert_eq!((ran.exit, ran.exit.code()), (ProcessExit::Signal(15), 143));
    let ran = place.shell("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
    assert!(ran.cpu > Duration::from_millis(10), "{:?}", ran.cpu);
    assert!(ran.wall >= ran.cpu);
}

fn output_beyond_its_limit_is_counted_and_not_kept() {
    let place = Place::at(Level::S2);
    let mut command = place.script("head -c 300000 /dev/zero | tr '\\0' a; echo tail >&2");
    command.limits.stdout_bytes = 1000;
    let ran = place.run(&command).expect("runs");
    assert_eq!(
        (ran.stdout.bytes.len(), ran.stdout.bytes_total),
        (1000, 300_000)
    );
    assert!(ran.stdout.truncated() && !ran.stderr.truncated());
}

fn every_root_is_read_and_is_a_working_folder() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let more = place.path("more").display().to_string();
        for (folder, script, expected) in [
            (".", "cat @/more/notes.txt", "more\n"),
            (
                &*more,
                "cat notes.txt; cat @/workspace/notes.txt",
                "more\nhello\n",
            ),
            (
                &format!("{more}/sub"),
                "cat ../notes.txt; pwd",
                "more\n@/more/sub\n",
            ),
        ] {
            let mut command = place.script(script);
            command.directory = folder.to_owned();
            let ran = place.run(&command).expect("runs");
            let expected = expected.replace('@', &place.path("").display().to_string());
            assert_eq!(
                ran.stdout.text(),
                expected.replace("//", "/"),
                "{level}: {}",
                said(&ran)
            );
        }
        for folder in [
            format!("{more}/.."),
            place.path("home").display().to_string(),
        ] {
            let mut command = place.script("pwd");
            command.directory = folder;
            let err = place.run(&command).expect_err("it is in no root");
            assert_eq!(err.path(), Some("/cwd"), "{err:?}");
        }
        let mut command = place.script("cat @/more/notes.txt");
        command.workspace = tool_core::command::CommandAccess::None;
        assert_eq!(
            place.run(&command).expect("runs").stdout.text(),
            "",
            "{level}"
        );
    }
}

/// A folder of mode 0700 that belongs to the caller, as temporary folders and homes do: reading works, asking works, and no
/// other closed file opens.
fn a_closed_workspace_is_read_all_the_same() {
    use std::os::unix::fs::PermissionsExt;
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let closed = |name: &str, mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(place.path(name), mode).expect("sets");
        };
        closed("", 0o700);
        closed("workspace", 0o700);
        closed("workspace/notes.txt", 0o600);
        closed("outside", 0o600);
        let script = "cat notes.txt; test -r @/workspace/notes.txt && echo asked; echo x > notes.txt || echo unwritable; cat @/outside /etc/shadow";
        let ran = place.shell(script);
        assert_eq!(
            ran.stdout.text(),
            "hello\nasked\nunwritable\n",
            "{level}: {}",
            said(&ran)
        );
    }
}

fn standard_input_is_what_was_given() {
    let place = Place::at(Level::S2);
    let mut command = place.script("wc -c");
    command.stdin = vec![b'x'; 3 << 20];
    assert_eq!(
        place.run(&command).expect("runs").stdout.text().trim(),
        "3145728"
    );
    let ran = place.shell("wc -c");
    assert_eq!(ran.stdout.text().trim(), "0");
}

fn the_environment_is_built_from_nothing() {
    let place = Place::at(Level::S2);
    let mut command = place.script("env");
    command.environment = vec![("ANSWER".to_owned(), "42".to_owned())];
    let ran = place.run(&command).expect("runs");
    let text = ran.stdout.text();
    let mut names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .filter(|name| *name != "PWD" && *name != "_" && *name != "OLDPWD" && *name != "SHLVL")
        // A command of root is another user, who reads repositories in the workspace.
        .filter(|name| !name.starts_with("GIT_CONFIG_"))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["ANSWER", "HOME", "LANG", "PATH", "TMPDIR"],
        "{text}"
    );
    assert!(!text.contains(CANARY));
}

/// A descriptor that is open without the flag to close it at an exec.
fn descriptors_of_the_caller_are_closed() {
    let place = Place::at(Level::S2);
    let file = std::fs::File::open(place.path("outside")).expect("opens");
    let kept = rustix::io::dup(&file).expect("copies");
    assert!(rustix::io::fcntl_getfd(&kept).expect("flags").is_empty());
    let ran = place.shell("for fd in 3 4 5 6 7 8 9; do cat <&$fd; done; true");
    assert!(!said(&ran).contains(CANARY), "{}", said(&ran));
}

fn a_deadline_ends_the_command() {
    for level in [Level::S3, Level::S2] {
        let place = Place::at(level);
        let mut command =
            place.script("trap '' TERM INT HUP; echo begun; while :; do sleep 1; done");
        command.limits.wall = Duration::from_millis(300);
        let ran = place.run(&command).expect("runs");
        assert!(ran.timed_out, "{level}");
        assert_eq!(ran.stdout.text(), "begun\n");
    }
}

fn a_stop_flag_ends_the_command() {
    let place = Place::at(Level::S3);
    let stop = StopFlag::new();
    let set = stop.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        set.cancel();
    });
    let err = place
        .sandbox
        .run(&place.script("sleep 30"), &stop)
        .expect_err("stopped");
    setter.join().expect("sets");
    assert_eq!(err.code(), ErrorCode::Cancelled);
}

fn a_folder_is_chosen_beneath_the_root() {
    let place = Place::at(Level::S2);
    let run = |folder: &str| {
        let mut command = SandboxCommand::new(["pwd"]);
        folder.clone_into(&mut command.directory);
        place.run(&command)
    };
    assert!(
        run("sub")
            .expect("runs")
            .stdout
            .text()
            .ends_with("/workspace/sub\n")
    );
    for folder in [
        "..",
        "/",
        "/etc",
        "sub/../..",
        "link",
        "nowhere",
        "notes.txt",
        // Longer than the 255 bytes that a file system names.
        &"x".repeat(300),
    ] {
        let err = run(folder).expect_err(folder);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some("/cwd")),
            "{folder}: {err:?}"
        );
    }
}

fn without_a_workspace_there_is_none() {
    let place = Place::at(Level::S2);
    let mut command = place.script("pwd; cat @/workspace/notes.txt");
    command.workspace = CommandAccess::None;
    let ran = place.run(&command).expect("runs");
    assert!(ran.stdout.text().contains("/scratch/"), "{}", said(&ran));
    assert!(!said(&ran).contains("hello"));
}

fn a_program_that_is_not_there_is_an_error() {
    let place = Place::at(Level::S2);
    let run = |program: &str| {
        place
            .run(&SandboxCommand::new([program]))
            .expect_err(program)
    };
    assert_eq!(run("no-such-program").reason_str(), Some("not_found"));
    assert_eq!(run("./notes.txt").reason_str(), Some("exec"));
    assert_eq!(run("/root/secret-program").code(), ErrorCode::ToolError);
}

fn nothing_is_left_in_the_scratch_folder() {
    let place = Place::at(Level::S2);
    place.shell("cd $HOME; mkdir -p a/b/c; chmod 000 a/b; ln -s /etc l; touch .x; mkdir -m 000 z");
    let left = std::fs::read_dir(place.path("scratch"))
        .expect("lists")
        .count();
    assert_eq!(left, 0);
}

fn what_cannot_be_a_command_is_refused() {
    let place = Place::at(Level::S2);
    let mut zero = SandboxCommand::new(["true"]);
    zero.argv.push("a\0b".to_owned());
    let mut named = SandboxCommand::new(["true"]);
    named.environment = vec![("A=B".to_owned(), String::new())];
    for command in [
        SandboxCommand::new(Vec::<String>::new()),
        SandboxCommand::new([""]),
        zero,
        named,
    ] {
        assert_eq!(
            place.run(&command).expect_err("refused").code(),
            ErrorCode::InvalidArgs
        );
    }
    let long = SandboxCommand::new(["true".to_owned(), "x".repeat(2 << 20)]);
    assert_eq!(
        place.run(&long).expect_err("long").code(),
        ErrorCode::LimitExceeded
    );
    let kernel = SandboxCommand::new(["true".to_owned(), "x".repeat(200_000)]);
    assert_eq!(
        place.run(&kernel).expect_err("long").code(),
        ErrorCode::LimitExceeded
    );
}

fn many_run_at_a_time() {
    let place = Place::at(Level::S3);
    std::thread::scope(|scope| {
        for number in 0..16 {
            let place = &place;
            scope.spawn(move || {
                let ran = place.shell(&format!("echo {number} > $HOME/n; cat $HOME/n"));
                assert_eq!(ran.stdout.text(), format!("{number}\n"));
            });
        }
    });
}
