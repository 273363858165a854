//! The borders around what decides about tools: configurations, what they name, states, and files in the making.

use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, Served};

/// Writes are allowed, programs are not.
const POLICY: &str = "version = 1\ndefault_role = \"operator\"\n[[policies]]\nlevel = \"global\"\ndeny = [\"run_shell\"]\n[[policies.rules]]\nmatch = { tools = [\"write_file\", \"apply_patch\", \"create_directory\", \"delete_file\", \"archive_extract\"] }\ndecision = \"allow\"\n";

/// The reason of the error of a call, or `ok`.
fn reason(place: &Place, flags: &[&str], tool: &str, args: &str) -> String {
    let mut words = vec!["--json"];
    words.extend(flags);
    words.extend(["call", tool]);
    let answer = place.run(&words, args);
    let json = answer.json();
    match json.pointer("/error/reason") {
        Some(reason) => reason.as_str().unwrap_or_default().to_owned(),
        None => "ok".to_owned(),
    }
}

fn write(place: &Place, flags: &[&str], path: &str) -> String {
    let mut results = Vec::new();
    for mode in ["create", "append", "overwrite"] {
        let args = format!(
            "{{\"path\":\"{path}\",\"content\":\"x\",\"mode\":\"{mode}\",\"parents\":true}}"
        );
        results.push(reason(place, flags, "write_file", &args));
    }
    let patch = format!("*** Begin Patch\\n*** Add File: {path}\\n+x\\n*** End Patch");
    let args = format!("{{\"patch\":\"{patch}\"}}");
    results.push(reason(place, flags, "apply_patch", &args));
    // A file that is there is not added once more.
    results.retain(|reason| reason != "exists");
    results.sort();
    results.dedup();
    results.join(" ")
}

#[test]
fn a_configuration_in_use_is_not_written_wherever_it_lies() {
    let place = Place::new();
    place.write("conf/policy.toml", POLICY);
    place.write(
        "conf/agents/a.md",
        "---\nname: a\ndescription: d\n---\nText\n",
    );
    place.write("real/agent.md", "---\nname: b\ndescription: d\n---\nText\n");
    symlink("../../real/agent.md", place.path("work/conf/agents/b.md")).expect("links");
    for (flags, paths) in [
        (
            ["--config", "conf/policy.toml", "--workspace", "."],
            [
                "conf/policy.toml",
                "conf/agents/a.md",
                "conf/agents/new.md",
                "conf/plugins/x/manifest.json",
                "conf/plugin-settings/x.json",
                "real/agent.md",
                "conf/.mathchain/user-rules.toml",
            ],
        ),
        (
            ["--config", "conf/policy.toml", "--workspace", ".."],
            [
                "work/conf/policy.toml",
                "work/conf/agents/a.md",
                "work/conf/agents/new.md",
                "work/conf/plugins/x/manifest.json",
                "work/conf/plugin-settings/x.json",
                "work/real/agent.md",
                "work/conf/.mathchain/user-rules.toml",
            ],
        ),
    ] {
        for path in paths {
            assert_eq!(write(&place, &flags, path), "protected_path", "{path}");
        }
    }
    assert_eq!(place.read("conf/policy.toml"), POLICY);
    let flags = ["--config", "conf/policy.toml", "--workspace", "conf/agents"];
    assert_eq!(write(&place, &flags, "n.md"), "workspace");
}

#[test]
fn a_root_above_the_configuration_does_not_open_it() {
    let place = Place::new();
    let config = POLICY.replace(
        "default_role",
        "workspace = { root = \"..\" }\ndefault_role",
    );
    place.write("mathchain.toml", &config);
    for path in ["mathchain.toml", "agents/n.md", "plugins/x/manifest.json"] {
        let path = format!("work/{path}");
        assert_eq!(write(&place, &[], &path), "protected_path", "{path}");
    }
    assert_eq!(place.read("mathchain.toml"), config);
}

/// The state of the user holds wherever there is no configuration.
#[test]
fn a_workspace_that_holds_the_state_of_the_user_does_not_open_it() {
    let place = Place::new();
    place.write("mathchain.toml", POLICY);
    place.run(&["--json", "doctor"], "");
    let flags = ["--config", "mathchain.toml", "--workspace", ".."];
    for path in [
        "state/mathchain/user-rules.toml",
        "config/mathchain/mathchain.toml",
        "config/mathchain/approvers.toml",
        "config/mathchain/plugins/x/manifest.json",
    ] {
        assert_eq!(write(&place, &flags, path), "protected_path", "{path}");
    }
}

/// As it was shown: a serving process loads what was written a second later.
#[test]
fn a_serving_process_cannot_be_given_another_policy() {
    let place = Place::new();
    place.write("policy.toml", POLICY);
    let mut served = Served::start(&place, &["--config", "policy.toml"]);
    let content = POLICY.replace('"', "\\\"");
    let content = content.replace('\n', "\\n");
    let args =
        format!("{{\"path\":\"policy.toml\",\"mode\":\"overwrite\",\"content\":\"{content}\"}}");
    let answer = served.call_with("write_file", &args);
    let reason = answer.pointer("/error/reason");
    assert_eq!(
        reason.and_then(|reason| reason.as_str().map(str::to_owned)),
        Some("protected_path".to_owned()),
        "{answer}"
    );
    served.end();
    assert_eq!(place.read("policy.toml"), POLICY);
}

#[test]
fn projects_below_the_root_are_not_written_and_their_states_not_read() {
    let place = Place::new();
    place.write("mathchain.toml", POLICY);
    place.write("sub/mathchain.toml", "version = 1\n");
    place.write("sub/.mathchain/state.db", "SECRET");
    place.write("a/b/c/.mathchain/state.db", "SECRET");
    place.write("own/plugins/p/manifest.json", "{}");
    place.write("web/src/plugins/index.js", "x");
    for path in [
        "sub/mathchain.toml",
        "sub/agents/n.md",
        "sub/plugins/x/plugin.py",
        "sub/plugin-settings/x.json",
        "sub/.mathchain/user-rules.toml",
        "a/b/c/.mathchain/user-rules.toml",
        "a/b/c/agents/n.md",
        "new/mathchain.toml",
        "new/MathChain.yaml",
        "new/.mathchain/user-rules.toml",
        "new/plugins/x/manifest.json",
        "own/plugins/p/plugin.py",
        ".mathchain-1.tmp",
        "d/.mathchain-0011-2.tmp/x",
    ] {
        assert_eq!(write(&place, &[], path), "protected_path", "{path}");
    }
    // Folders of such names that belong to no configuration are a project's own.
    for path in ["web/src/plugins/more.js", "docs/agents/list.md"] {
        assert_eq!(write(&place, &[], path), "ok", "{path}");
    }
    let delete = |path: &str| {
        let args = format!("{{\"path\":\"{path}\"}}");
        reason(&place, &[], "delete_file", &args)
    };
    assert_eq!(delete("sub/mathchain.toml"), "protected_path");
    let made = reason(
        &place,
        &[],
        "create_directory",
        "{\"path\":\"x/.mathchain\"}",
    );
    assert_eq!(made, "protected_path");

    for (tool, args) in [
        ("read_file", "{\"path\":\"sub/.mathchain/state.db\"}"),
        ("stat", "{\"path\":\"a/b/c/.mathchain\"}"),
        ("list_directory", "{\"path\":\"sub/.mathchain\"}"),
        ("disk_usage", "{\"path\":\"sub/.mathchain\"}"),
    ] {
        assert_eq!(reason(&place, &[], tool, args), "protected_path", "{tool}");
    }
    for (tool, args) in [
        ("list_directory", "{\"path\":\".\",\"recursive\":true}"),
        ("glob", "{\"pattern\":\"**/*\"}"),
        ("glob", "{\"pattern\":\"**/.mathchain/*\",\"ignored\":true}"),
        ("grep", "{\"pattern\":\"SECRET\",\"ignored\":true}"),
    ] {
        let answer = place.run(&["--json", "call", tool], args);
        assert!(answer.stdout.contains("\"ok\":true"), "{}", answer.stdout);
        let found = answer.stdout.replace("\"pattern\"", "");
        assert!(!found.contains("state.db"), "{tool}: {}", answer.stdout);
    }
}

/// A configuration that is there and is none.
#[test]
fn what_is_no_readable_regular_file_is_not_taken_as_no_configuration() {
    for kind in ["dangling", "loop", "folder", "pipe", "device", "closed"] {
        let place = Place::new();
        let path = place.path("work/mathchain.toml");
        match kind {
            "dangling" => symlink("/gone/x", &path).expect("links"),
            "loop" => symlink("mathchain.toml", &path).expect("links"),
            "folder" => std::fs::create_dir(&path).expect("makes"),
            "pipe" => {
                let made = Command::new("mkfifo").arg(&path).status().expect("runs");
                assert!(made.success());
            }
            "device" => symlink("/dev/null", &path).expect("links"),
            // Text that is none cannot be read either, also by root.
            _ => std::fs::File::create(&path)
                .and_then(|mut file| std::io::Write::write_all(&mut file, &[0xff, 0xfe]))
                .expect("writes"),
        }
        for args in [
            &["--json", "call", "calculate"][..],
            &["--json", "doctor"],
            &["--json", "check"],
            &["--json", "tools", "list"],
            &["serve", "--jsonl"],
            &["session"],
        ] {
            let answer = within(&place, args, "{\"expression\":\"6*7\"}\n");
            assert_ne!(answer.0, Some(0), "{kind} {args:?}: {}", answer.1);
            assert!(
                answer.1.contains("mathchain.toml"),
                "{kind} {args:?}: {}",
                answer.1
            );
        }
        // From a folder below it, too.
        std::fs::create_dir(place.path("work/below")).expect("makes");
        let mut command = place.command(&["--json", "call", "calculate"]);
        command
            .current_dir(place.path("work/below"))
            .stdin(Stdio::null());
        let output = command.output().expect("runs");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("mathchain.toml")
                || String::from_utf8_lossy(&output.stdout).contains("mathchain.toml")
        );
        assert!(!output.status.success(), "{kind}");
    }
}

/// Exit code and all words of a command that ends within a minute.
fn within(place: &Place, args: &[&str], stdin: &str) -> (Option<i32>, String) {
    let mut child = place.command(args).spawn().expect("starts");
    let mut pipe = child.stdin.take().expect("piped");
    let _ = std::io::Write::write_all(&mut pipe, stdin.as_bytes());
    drop(pipe);
    let begun = Instant::now();
    while child.try_wait().expect("looks").is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().expect("ends");
            panic!("{args:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("ends");
    let words = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&words).into_owned(),
    )
}

/// Needs root, who alone gives files away; who is believed is also asked in `owned`.
#[test]
fn what_belongs_to_another_user_does_not_govern() {
    let place = Place::new();
    place.write("mathchain.toml", POLICY);
    let is_root = place.path("work").metadata().expect("facts").uid() == 0;
    let give = |path: &Path| {
        let done = std::os::unix::fs::lchown(path, Some(12345), Some(12345));
        assert_eq!(done.is_ok(), is_root);
    };
    let call = |flags: &[&str]| {
        let words = [flags, &["--json", "call", "calculate"]].concat();
        within(&place, &words, "{\"expression\":\"6*7\"}")
    };
    assert_eq!(call(&[]).0, Some(0));
    give(&place.path("work/mathchain.toml"));
    if !is_root {
        return;
    }
    let (code, words) = call(&[]);
    assert!(code != Some(0) && words.contains("12345"), "{words}");
    assert!(
        words.contains("mathchain.toml") && words.contains("--config"),
        "{words}"
    );
    let (_, words) = within(&place, &["--json", "doctor"], "");
    assert!(words.contains("belongs to another user"), "{words}");
    // Naming it says that its owner is trusted, with what lies beside it.
    assert_eq!(call(&["--config", "mathchain.toml"]).0, Some(0));

    // A link of another user, a plugin without any configuration, a state with recorded rules.
    let place = Place::new();
    place.write("own.toml", "version = 1\n");
    symlink("own.toml", place.path("work/mathchain.toml")).expect("links");
    give(&place.path("work/mathchain.toml"));
    let call = || {
        within(
            &place,
            &["--json", "call", "calculate"],
            "{\"expression\":\"6*7\"}",
        )
    };
    assert!(call().1.contains("another user"));
    std::fs::remove_file(place.path("work/mathchain.toml")).expect("removes");
    place.write("plugins/p/manifest.json", "{\"schema_version\":1}");
    give(&place.path("work/plugins"));
    assert!(call().1.contains("another user"));
    std::fs::remove_dir_all(place.path("work/plugins")).expect("removes");
    place.write("mathchain.toml", "version = 1\n");
    place.write(".mathchain/user-rules.toml", "version = 1\n");
    give(&place.path("work/.mathchain"));
    assert!(call().1.contains("another user"));
    std::os::unix::fs::chown(place.path("work/.mathchain"), Some(0), Some(0)).expect("gives");
    assert_eq!(call().0, Some(0));
    give(&place.path("work/.mathchain/user-rules.toml"));
    assert!(call().1.contains("another user"));
}

/// Files of a patch, so many that exchanging them takes long enough to be killed in the middle.
const FILES: usize = 150;

fn patched(place: &Place) -> String {
    let mut patch = "*** Begin Patch\\n".to_owned();
    for index in 0..FILES {
        place.write(&format!("d/{index:03}.txt"), "old\n");
        patch += &format!("*** Update File: d/{index:03}.txt\\n@@\\n-old\\n+new\\n");
    }
    format!(
        "{{\"version\":1,\"id\":\"p\",\"steps\":[{{\"id\":\"p\",\"tool\":\"apply_patch\",\"args\":{{\"patch\":\"{patch}*** End Patch\\n\"}}}},\
         {{\"id\":\"l\",\"tool\":\"list_directory\",\"after\":[\"p\"],\"args\":{{\"path\":\"d\"}}}}],\"outputs\":{{\"p\":{{\"$ref\":\"p\"}},\"l\":{{\"$ref\":\"l.entries[*].name\"}}}}}}"
    )
}

/// Temporary files anywhere in the workspace.
fn left(place: &Place) -> usize {
    let entries = std::fs::read_dir(place.path("work/d")).expect("lists");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with(".mathchain-"))
        .count()
}

/// Killed at some moment of the exchanges, a patch is put back and made again: the answer is that of an uninterrupted run.
#[test]
fn a_patch_that_was_killed_leaves_nothing_and_answers_the_same() {
    let outputs = |answer: &crate::support::Answer| {
        let (patch, list) = ("/output/steps/0/output_digest", "/output/outputs/l");
        format!("{} {}", answer.at(patch), answer.at(list))
    };
    let whole = Place::new();
    whole.write("mathchain.toml", POLICY);
    let plan = patched(&whole);
    let expected = outputs(whole.run(&["--json", "run", "-"], &plan).expect_code(0));
    let mut torn = 0;
    for round in 0..12 {
        let place = Place::new();
        place.write("mathchain.toml", POLICY);
        place.write("plan.json", &patched(&place));
        let watched = place.path(&format!("work/d/{:03}.txt", round * 12));
        let before = watched.metadata().expect("facts").ino();
        let mut child = place
            .command(&["--json", "run", "plan.json"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let begun = Instant::now();
        while watched.metadata().map_or(before, |found| found.ino()) == before {
            assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        }
        child.kill().expect("kills");
        child.wait().expect("ends");
        torn += usize::from(left(&place) > 0);
        let listed = place.run(&["runs", "list", "--json"], "");
        let run = listed.at("/0/run");
        let run = run.as_str().expect("an id");
        let resumed = place.run(&["--json", "runs", "resume", run], "");
        if resumed.code != 0 {
            // It had ended before it was killed.
            assert!(resumed.stdout.contains("run_ended"), "{}", resumed.stdout);
        } else {
            assert_eq!(outputs(&resumed), expected, "round {round}");
        }
        assert_eq!(left(&place), 0, "round {round}");
        for index in 0..FILES {
            assert_eq!(place.read(&format!("d/{index:03}.txt")), "new\n");
        }
    }
    assert!(torn > 0, "no kill hit the exchanges");
}

/// What a killed call outside a run left: tools pass it by, and `doctor` says how to remove it.
#[test]
fn files_in_the_making_are_seen_by_doctor_alone() {
    let place = Place::new();
    place.write("mathchain.toml", POLICY);
    let name = "d/.mathchain-0123456789abcdef-0-aa.tmp";
    place.write(name, "SECRET");
    place.write("d/plain.txt", "plain");
    for (tool, args) in [
        ("list_directory", "{\"path\":\".\",\"recursive\":true}"),
        ("glob", "{\"pattern\":\"**/*\",\"ignored\":true}"),
        ("glob", "{\"pattern\":\"**/.mathchain-*\",\"ignored\":true}"),
        ("grep", "{\"pattern\":\"SECRET\",\"ignored\":true}"),
    ] {
        let answer = place
            .run(&["--json", "call", tool], args)
            .expect_code(0)
            .stdout
            .clone();
        assert!(!answer.contains("0123456789abcdef"), "{tool}: {answer}");
    }
    let used = place.run(&["--json", "call", "disk_usage"], "{\"path\":\"d\"}");
    assert_eq!(used.at("/output/bytes").to_string(), "5");
    for tool in ["read_file", "stat", "delete_file"] {
        let args = format!("{{\"path\":\"{name}\"}}");
        assert_eq!(reason(&place, &[], tool, &args), "protected_path", "{tool}");
    }
    let doctor = place.run(&["doctor", "--output", "human"], "");
    assert!(doctor.stdout.contains(name), "{}", doctor.stdout);
    assert!(
        doctor.stdout.contains(" free for the state\n"),
        "{}",
        doctor.stdout
    );
    let cure = doctor
        .stdout
        .lines()
        .find(|line| line.contains("-prune -exec rm"));
    let cure = cure
        .and_then(|line| line.split_once(": ")?.1.split_once(": "))
        .expect("a cure")
        .1;
    let done = Command::new("sh")
        .args(["-c", cure])
        .status()
        .expect("runs");
    assert!(done.success() && !place.path("work").join(name).exists());
    assert!(place.path("work/d/plain.txt").exists());
}

/// Programs run in the folder that a session opened, and see that folder.
#[test]
fn with_a_folder_open_programs_run_in_it() {
    let place = Place::new();
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\", \"python_run\"] }\ndecision = \"allow\"\n";
    place.write("mathchain.toml", config);
    place.write("A/in.txt", "inside");
    place.write("out.txt", "outside");
    let call = |id: &str, tool: &str, args: &str| {
        format!(
            "{{\"type\":\"calls.observed\",\"calls\":[{{\"call_id\":\"{id}\",\"tool\":\"{tool}\",\"args\":{args}}}]}}\n"
        )
    };
    let input = [
        "{\"type\":\"run.requested\"}\n".to_owned(),
        call("1", "workspace_open", "{\"path\":\"A\"}"),
        call("2", "run_shell", "{\"argv\":[\"ls\"],\"cwd\":\"A\"}"),
        call("3", "run_shell", "{\"argv\":[\"ls\"]}"),
        call("4", "run_shell", "{\"argv\":[\"ls\",\"..\"]}"),
        call(
            "5",
            "python_run",
            "{\"code\":\"print(open('in.txt').read())\"}",
        ),
        call("6", "glob", "{\"pattern\":\"**/*.txt\"}"),
        call("7", "read_file", "{\"path\":\"out.txt\"}"),
        call("8", "run_shell", "{\"argv\":[\"ls\"],\"cwd\":\"..\"}"),
    ];
    let answer = place.run(&["session"], &input.concat());
    let mut found = Vec::new();
    for line in answer.expect_code(0).stdout.lines() {
        let line = mathchain::parse_json(line).expect("JSON");
        if line.pointer("/type") == Some("batch.settled".into()) {
            found.push(line.pointer("/results/0").expect("a result").to_string());
        }
    }
    assert_eq!(found.len(), 8, "{found:?}");
    for (index, part) in [(1, "in.txt"), (2, "in.txt"), (4, "inside"), (5, "A/in.txt")] {
        assert!(found[index].contains("succeeded"), "{}", found[index]);
        assert!(found[index].contains(part), "{}", found[index]);
    }
    assert!(!found.concat().contains("outside\""), "{found:?}");
    for index in [6, 7] {
        assert!(
            found[index].contains("rejected") || found[index].contains("failed"),
            "{}",
            found[index]
        );
    }
    assert!(!found[3].contains("out.txt"), "{}", found[3]);
}

/// A link that is turned between two folders all the time: what a rule denies is never read.
#[test]
fn a_link_that_is_turned_leads_no_rule_astray() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"*\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n");
    place.write("secret/k.txt", "DENIED");
    place.write("secret/DENIED.txt", "");
    place.write("open/real/k.txt", "free");
    place.write("open/real/free.txt", "");
    let (link, next) = (place.path("work/open/dd"), place.path("work/open/next"));
    symlink("real", &link).expect("links");
    let over = AtomicBool::new(false);
    let mut served = Served::start(&place, &[]);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                for target in ["../secret", "real"] {
                    let _ = std::fs::remove_file(&next);
                    symlink(target, &next).expect("links");
                    std::fs::rename(&next, &link).expect("turns");
                }
            }
        });
        let (mut read, mut leaked) = (0, 0);
        for round in 0..1500 {
            let answer = match round % 3 {
                0 => served.call_with(
                    "csv_to_json",
                    "{\"csv_content\":{\"$file\":\"open/dd/k.txt\"}}",
                ),
                1 => served.call_with("list_directory", "{\"path\":\"open/dd\"}"),
                _ => served.call_with("read_file", "{\"path\":\"open/dd/k.txt\"}"),
            };
            let answer = answer.to_string();
            read += usize::from(answer.contains("free"));
            leaked += usize::from(answer.contains("DENIED"));
        }
        over.store(true, Ordering::Relaxed);
        assert!(read > 0, "nothing was read at all");
        assert_eq!(leaked, 0);
    });
    served.end();
}
