//! Commands that change folders of the workspace: only these, and not what tools never write.

use tool_core::ErrorCode;
use tool_core::command::{CommandAccess, Isolation, Level, SandboxCommand};

use crate::place::{Place, read, said, write};

crate::trials!(
    a_command_changes_its_folders_and_nothing_else,
    what_tools_never_write_stays_read_only,
    a_folder_behind_a_link_is_not_writable,
    without_namespaces_nothing_is_writable,
    a_command_that_writes_has_no_capabilities,
    files_have_the_modes_and_the_owner_of_the_user,
    processes_are_counted_where_the_kernel_does_not,
);

fn writes(place: &Place, folders: &[&str], script: &str) -> SandboxCommand {
    let mut command = place.script(script);
    command.writable = folders.iter().map(|&folder| folder.to_owned()).collect();
    command
}

fn a_command_changes_its_folders_and_nothing_else() {
    let place = Place::at(Level::S3);
    let before = place.snapshot();
    let script = "echo x > notes.txt; echo x > new; echo x > .git/config; echo x > .git/index; echo x > ../outside; \
                  echo x > ../more/new; mv .git/index .git/other; mv .git/other sub/; rm notes.txt; true";
    let mut command = writes(&place, &[".git"], script);
    command.kept = vec![".git/config".to_owned(), ".git/absent".to_owned()];
    let ran = place.run(&command).expect("runs");
    assert!(
        ran.exit.success() && ran.level == Level::S3,
        "{}",
        said(&ran)
    );
    assert_eq!(read(&place.path("workspace/.git/other")), "x\n");
    std::fs::remove_file(place.path("workspace/.git/other")).expect("was written");
    let after = place.snapshot();
    // The time of the folder itself changed.
    let without = |files: Vec<(std::path::PathBuf, String)>| -> Vec<_> {
        let others = files.into_iter();
        others.filter(|(path, _)| !path.ends_with(".git")).collect()
    };
    assert_eq!(without(before), without(after), "{}", said(&ran));
}

fn what_tools_never_write_stays_read_only() {
    let place = Place::at(Level::S3);
    for folder in ["agents", "sub/inner/.git", "sub/named", "sub/plugins/one"] {
        std::fs::create_dir_all(place.path("workspace").join(folder)).expect("makes");
    }
    write(&place.path("workspace/mathchain.toml"), "version = 1\n");
    write(
        &place.path("workspace/sub/plugins/one/manifest.json"),
        "{}\n",
    );
    let script = "for f in mathchain.toml agents/a .mathchain/state.db sub/inner/.git/config sub/named/x \
                  sub/plugins/one/main.py; do echo x > $f; done 2>/dev/null; mv mathchain.toml gone.toml; \
                  mv agents other; echo ok > sub/free; echo ok > .git/index; true";
    let command = writes(&place, &[".", ".git"], script);
    let ran = place.run(&command).expect("runs");
    assert!(ran.exit.success(), "{}", said(&ran));
    let there = |name: &str| place.path("workspace").join(name).exists();
    assert!(there("sub/free") && there(".git/index"), "{}", said(&ran));
    for none in [
        "gone.toml",
        "other",
        "agents/a",
        "sub/inner/.git/config",
        "sub/named/x",
        "sub/plugins/one/main.py",
    ] {
        assert!(!there(none), "{none}: {}", said(&ran));
    }
    assert_eq!(
        read(&place.path("workspace/mathchain.toml")),
        "version = 1\n"
    );
    assert_eq!(
        read(&place.path("workspace/.mathchain/state.db")),
        crate::place::CANARY
    );
}

fn a_folder_behind_a_link_is_not_writable() {
    let place = Place::at(Level::S3);
    std::os::unix::fs::symlink(place.path("home"), place.path("workspace/out")).expect("links");
    std::os::unix::fs::symlink("sub", place.path("workspace/inside")).expect("links");
    for folder in ["out", "inside", "..", "../home", "absent"] {
        let command = writes(&place, &[folder], "echo x > out/new; echo x > inside/new");
        let err = place.run(&command).expect_err(folder);
        assert_eq!(err.code(), ErrorCode::SandboxUnavailable, "{err:?}");
    }
    assert!(!place.path("home/new").exists() && !place.path("workspace/sub/new").exists());
}

fn without_namespaces_nothing_is_writable() {
    let place = Place::at(Level::S2);
    let err = place
        .run(&writes(&place, &[".git"], "echo x > .git/index"))
        .expect_err("refused");
    assert_eq!(err.code(), ErrorCode::SandboxUnavailable, "{err:?}");
    assert!(!place.path("workspace/.git/index").exists());
    let place = Place::at(Level::S3);
    let mut command = writes(&place, &[".git"], "true");
    command.isolation = Isolation::None;
    let err = place.run(&command).expect_err("refused");
    assert_eq!(err.code(), ErrorCode::InvalidArgs, "{err:?}");
    let mut command = writes(&place, &[".git"], "true");
    command.workspace = CommandAccess::None;
    let err = place.run(&command).expect_err("refused");
    assert_eq!(err.code(), ErrorCode::InvalidArgs, "{err:?}");
}

fn a_command_that_writes_has_no_capabilities() {
    let place = Place::at(Level::S3);
    let script = "while read name value; do case $name in Cap[PEA]*|CapInh:) echo $name $value;; esac; done < /proc/self/status";
    let ran = place.run(&writes(&place, &[".git"], script)).expect("runs");
    let none = "0000000000000000";
    assert_eq!(
        ran.stdout.text(),
        format!("CapInh: {none}\nCapPrm: {none}\nCapEff: {none}\nCapAmb: {none}\n"),
        "{}",
        said(&ran)
    );
}

fn files_have_the_modes_and_the_owner_of_the_user() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::at(Level::S3);
    let made = place.path("workspace/sub/mine");
    write(&made, "");
    let ran = place
        .run(&writes(&place, &["sub"], "echo x > sub/theirs"))
        .expect("runs");
    let theirs = place.path("workspace/sub/theirs").metadata();
    let (mine, theirs) = (made.metadata().expect("made"), theirs.expect("was written"));
    assert_eq!(
        (mine.mode(), mine.uid(), mine.gid()),
        (theirs.mode(), theirs.uid(), theirs.gid()),
        "{}",
        said(&ran)
    );
}

fn processes_are_counted_where_the_kernel_does_not() {
    let place = Place::at(Level::S3);
    let script =
        "i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; wait; echo all > .git/all";
    let mut command = writes(&place, &[".git"], script);
    command.limits.processes = 20;
    let ran = place.run(&command).expect("runs");
    // Of root the launcher counts them, of other users the kernel refuses to start more.
    assert!(
        !ran.exit.success() && !place.path("workspace/.git/all").exists(),
        "{ran:?}"
    );
}
