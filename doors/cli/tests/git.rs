//! The git tools from outside: wire names, rules, approvals, configuration, runs, and a server.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use tool_core::Value;

use crate::support::{Answer, Place};

/// A workspace that is a repository with one commit of `notes.txt`, with a bare remote in it.
fn place(config: &str) -> Place {
    let place = Place::new();
    place.write("mathchain.toml", &format!("version = 1\n{config}"));
    place.write("notes.txt", "hello\n");
    std::fs::create_dir_all(place.path("home")).expect("makes");
    std::fs::create_dir(place.path("work/remote.git")).expect("makes");
    git(&place, "work/remote.git", &["init", "--quiet", "--bare"]);
    git(
        &place,
        "work",
        &["init", "--quiet", "--initial-branch=main"],
    );
    git(&place, "work", &["config", "user.name", "Ada"]);
    git(&place, "work", &["config", "user.email", "ada@example.org"]);
    git(&place, "work", &["remote", "add", "origin", "remote.git"]);
    place.write(
        ".git/info/exclude",
        "remote.git\n.mathchain\nmathchain.toml\n*.yaml\n",
    );
    git(&place, "work", &["add", "notes.txt"]);
    git(
        &place,
        "work",
        &["commit", "--quiet", "-m", "docs: add notes"],
    );
    place
}

#[track_caller]
fn git(place: &Place, folder: &str, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(words)
        .current_dir(place.path(folder))
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

fn call(place: &Place, tool: &str, args: &str) -> Answer {
    place.run(&["call", tool], args)
}

fn reason(answer: &Answer) -> Value {
    answer.at("/error/reason")
}

const COMMITS: &str = "[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"git:commit\", \"git:branch\"] }\n  decision = \"allow\"\n";

#[test]
fn reading_needs_no_approval_and_has_both_spellings() {
    let place = place("");
    place.write("notes.txt", "changed\n");
    place.write("new", "x\n");
    for name in ["git_status", "git:status"] {
        let answer = call(&place, name, r#"{"repo_path": "."}"#);
        answer.expect_code(0);
        assert_eq!(answer.at("/output/branch"), Value::from("main"));
        assert_eq!(answer.at("/output/modified/0"), Value::from("notes.txt"));
        assert_eq!(answer.at("/output/staged").to_string(), "[]");
        assert_eq!(answer.at("/output/untracked/0"), Value::from("new"));
    }
    let diff = call(&place, "git_diff", "{}");
    assert!(diff.expect_code(0).stdout.contains("+changed"));
    call(&place, "git_log", "{}").expect_code(0);
    let audit = place.run(&["audit", "list"], "");
    assert!(
        audit.expect_code(0).stdout.contains("git:log"),
        "{}",
        audit.stdout
    );
    // Writing asks.
    let asks = call(
        &place,
        "git_commit",
        r#"{"message": "docs: x", "files": ["notes.txt"]}"#,
    );
    asks.expect_code(4);
    call(&place, "git_branch", r#"{"name": "x", "action": "create"}"#).expect_code(4);
}

#[test]
fn a_message_against_the_grammar_is_an_error_with_the_expected_shape() {
    let place = place(COMMITS);
    let answer = call(
        &place,
        "git_commit",
        r#"{"message": "bad message", "files": ["notes.txt"]}"#,
    );
    answer.expect_code(2);
    assert_eq!(reason(&answer), Value::from("commit_message"));
    let hint = answer.at("/error/hint");
    assert!(
        hint.as_str()
            .expect("a text")
            .contains("`type[(scope)]: subject`"),
        "{hint}"
    );
}

#[test]
fn messages_have_a_type_and_as_configured_a_reference() {
    let required =
        format!("[git.commit]\nreference = \"required\"\nscope = \"required\"\n{COMMITS}");
    for (config, accepted, refused) in [
        (
            COMMITS.to_owned(),
            &[
                "feat(x): y\\n\\n[CR-20250101-001]",
                "feat(x):y",
                "feat: y\\n\\nbody",
                "ci!: y",
            ][..],
            &[
                "feat(x): y\\n[CR-20250101-001]",
                "feat(x): y\\n\\n[CR-20251301-001]",
            ][..],
        ),
        (
            required,
            &[
                "feat(x): y\\n\\n[FR-20250101-001]",
                "feat(x):y\\n\\nbody\\n\\n[CR-20250101-001]",
            ],
            &["feat(x): y", "feat: y\\n\\n[CR-20250101-001]"],
        ),
    ] {
        let place = place(&config);
        for (index, message) in accepted.iter().enumerate() {
            place.write("notes.txt", &format!("{index}\n"));
            let args = format!(r#"{{"message": "{message}", "files": ["notes.txt"]}}"#);
            call(&place, "git_commit", &args).expect_code(0);
        }
        place.write("notes.txt", "last\n");
        for message in refused {
            let args = format!(r#"{{"message": "{message}", "files": ["notes.txt"]}}"#);
            let answer = call(&place, "git_commit", &args);
            answer.expect_code(2);
            assert_eq!(reason(&answer), Value::from("commit_message"), "{message}");
        }
    }
}

#[test]
fn each_key_of_the_rules_of_messages_acts() {
    let config = format!("[git.commit]\ntypes = [\"change\"]\nscopes = [\"core\"]\n{COMMITS}");
    let place = place(&config);
    place.write("notes.txt", "changed\n");
    for message in ["feat: y", "change(x): y"] {
        let args = format!(r#"{{"message": "{message}", "files": ["notes.txt"]}}"#);
        call(&place, "git_commit", &args).expect_code(2);
    }
    let args = r#"{"message": "change(core): y", "files": ["notes.txt"]}"#;
    call(&place, "git_commit", args).expect_code(0);
    place.write(
        "mathchain.toml",
        "version = 1\n[git.commit]\ntype = [\"x\"]\n",
    );
    let answer = call(&place, "git_status", "{}");
    assert!(
        answer.code != 0 && answer.stdout.contains("types"),
        "{}",
        answer.stdout
    );
}

#[test]
fn branches_are_not_deleted_by_any_name() {
    let place = place(COMMITS);
    git(&place, "work", &["branch", "feat1"]);
    for (name, action) in [
        ("feat1", "delete"),
        ("-D feat1", "create"),
        ("-D", "create"),
    ] {
        let args = format!(r#"{{"name": "{name}", "action": "{action}"}}"#);
        call(&place, "git_branch", &args).expect_code(2);
    }
    assert_eq!(
        git(&place, "work", &["branch", "--list", "feat1"]),
        "  feat1"
    );
}

/// Neither a rule nor `--yes` pushes.
#[test]
fn a_push_has_defaults_and_needs_a_person() {
    let allows = COMMITS.replace("git:branch", "git:push");
    let place = place(&allows);
    let remote = || {
        git(
            &place,
            "work/remote.git",
            &["for-each-ref", "--format=%(refname)"],
        )
    };
    call(&place, "git_push", "{}").expect_code(4);
    let asks = place.run(&["call", "git_push", "--yes"], "{}");
    let id = asks.expect_code(4).at("/metadata/approval_id");
    assert_eq!(remote(), "");
    let id = id.as_str().expect("an id");
    let explained = place.run(&["policy", "explain", "operator", "git:push"], "");
    assert!(
        explained.stdout.contains("needs a person's approval"),
        "{}",
        explained.stdout
    );
    assert_ne!(
        place.run(&["approve", id, "--always"], "").code,
        0,
        "no rule replaces a person"
    );
    place.run(&["approve", id], "").expect_code(0);
    let answer = call(&place, "git_push", "{}");
    answer.expect_code(0);
    assert_eq!(answer.at("/output/remote"), Value::from("origin"));
    assert_eq!(answer.at("/output/branch"), Value::from("main"));
    assert_eq!(answer.at("/output/result"), Value::from("new"));
    assert_eq!(remote(), "refs/heads/main");
    // An approval is for one push.
    call(&place, "git_push", "{}").expect_code(4);
}

#[test]
fn a_push_cannot_be_forced_by_a_name() {
    let place = place("");
    for args in [
        r#"{"remote": "--force origin"}"#,
        r#"{"branch": "+main"}"#,
        r#"{"branch": "main", "force": true}"#,
    ] {
        let answer = call(&place, "git_push", args);
        // The first two are found when the call runs, which a person would have to approve.
        assert!([2, 4].contains(&answer.code), "{}", answer.stdout);
        if answer.code == 4 {
            let id = answer.at("/metadata/approval_id");
            place
                .run(&["approve", id.as_str().expect("an id")], "")
                .expect_code(0);
            call(&place, "git_push", args).expect_code(2);
        }
    }
    assert_eq!(git(&place, "work/remote.git", &["for-each-ref"]), "");
}

#[test]
fn the_name_of_a_file_is_no_command() {
    let place = place("");
    let answer = call(&place, "git_diff", r#"{"files": ["a.txt; echo X > p"]}"#);
    answer.expect_code(0);
    assert_eq!(answer.at("/output/files").to_string(), "[]");
    assert!(!place.path("work/p").exists());
}

/// The audit says which commit a call made, and what was pushed where; also of a step.
#[test]
fn commits_and_pushes_are_events_of_the_audit() {
    let place = place(COMMITS);
    place.write("notes.txt", "changed\n");
    let committed = call(
        &place,
        "git_commit",
        r#"{"message": "docs: change", "files": ["notes.txt"]}"#,
    );
    committed.expect_code(0);
    let head = git(&place, "work", &["rev-parse", "HEAD"]);
    let asks = call(&place, "git_push", "{}");
    let id = asks.expect_code(4).at("/metadata/approval_id");
    let id = id.as_str().expect("an id");
    place.run(&["approve", id], "").expect_code(0);
    call(&place, "git_push", "{}").expect_code(0);
    place.write("notes.txt", "again\n");
    place.write(
        "p.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: c, tool: \"git:commit\", args: {message: \"docs: again\", files: [notes.txt]}}\n",
    );
    place.run(&["run", "p.yaml"], "").expect_code(0);
    let exported = place.run(&["audit", "export", "--output", "json"], "");
    exported.expect_code(0);
    let happened = |event: &str| -> Vec<Value> {
        let lines = exported.stdout.lines();
        let records = lines.map(|line| mathchain::parse_json(line).expect("JSON"));
        let of_event = records.filter(|one| {
            one.pointer("/record/event")
                .as_ref()
                .and_then(Value::as_str)
                == Some(event)
        });
        of_event
            .map(|one| one.pointer("/record/event_data").expect("data"))
            .collect()
    };
    let step = git(&place, "work", &["rev-parse", "HEAD"]);
    let commit = |commit: &str| tool_core::object! { "repository" => ".", "commit" => commit, "branch" => "main" };
    assert_eq!(happened("git.committed"), [commit(&head), commit(&step)]);
    let [pushed] = &happened("git.pushed")[..] else {
        panic!("one push");
    };
    for (name, expected) in [
        ("commit", head.as_str()),
        ("branch", "main"),
        ("remote", "origin"),
        ("result", "new"),
    ] {
        assert_eq!(pushed.text(name), Some(expected), "{name}");
    }
}

/// The steps of a plan use one repository, and are ordered as they are written.
#[test]
fn a_plan_commits_once() {
    let place = place(COMMITS);
    place.write("notes.txt", "changed\n");
    place.write(
        "p.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: b, tool: \"git:branch\", args: {name: topic, action: create}}\n  \
         - {id: c, tool: \"git:commit\", args: {message: \"docs: change\", files: [notes.txt]}}\n  \
         - {id: s, tool: \"git:status\", args: {}}\n",
    );
    let ran = place.run(&["run", "p.yaml"], "");
    ran.expect_code(0);
    let waves = place.run(&["plan", "explain", "p.yaml"], "");
    assert!(waves.code == 0, "{}", waves.stderr);
    assert_eq!(git(&place, "work", &["rev-list", "--count", "HEAD"]), "2");
}

#[test]
fn rules_on_paths_hold_for_files_of_a_repository() {
    let config = "[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  \
        match = { tools = [\"group:all\"], path = { under = \"secret\" } }\n  decision = \"deny\"\n";
    let place = place(config);
    std::fs::create_dir(place.path("work/secret")).expect("makes");
    git(&place, "work/secret", &["init", "--quiet"]);
    call(&place, "git_status", r#"{"repo_path": "secret"}"#).expect_code(3);
    // The repository of the root has everything in it.
    call(&place, "git_status", "{}").expect_code(3);
}

/// A server of git that asks for a user, as a child of this test.
struct Server {
    child: Child,
    port: String,
}

impl Server {
    fn start(folder: &std::path::Path) -> Self {
        const SCRIPT: &str = r#"
import base64, os, subprocess, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
WANTED = "Basic " + base64.b64encode(b"ada:right").decode()
class Handler(BaseHTTPRequestHandler):
    def answer(self):
        if self.headers.get("Authorization") != WANTED:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        env = {"PATH": "/usr/bin:/bin", "GIT_PROJECT_ROOT": sys.argv[1], "GIT_HTTP_EXPORT_ALL": "1",
               "REMOTE_USER": "ada", "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command,
               "CONTENT_TYPE": self.headers.get("Content-Type") or "", "CONTENT_LENGTH": str(length),
               "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
        done = subprocess.run(["git", "http-backend"], input=self.rfile.read(length), env=env, capture_output=True)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_POST = answer
    def log_message(self, *_):
        pass
server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"#;
        let mut child = Command::new("python3")
            .args(["-c", SCRIPT])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("python is installed");
        let mut port = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut port).expect("a port");
        Self {
            child,
            port: port.trim().to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_is_pushed_to_with_the_users_credential_helper() {
    let served = tempfile::tempdir().expect("a folder");
    let bare = served.path().join("r.git").display().to_string();
    let place = place("");
    git(&place, "work", &["init", "--quiet", "--bare", &bare]);
    git(
        &place,
        "work",
        &["-C", &bare, "config", "http.receivepack", "true"],
    );
    let server = Server::start(served.path());
    let url = format!("http://127.0.0.1:{}/r.git", server.port);
    git(&place, "work", &["remote", "set-url", "origin", &url]);
    let push = |expected: i32| {
        let id = call(&place, "git_push", "{}")
            .expect_code(4)
            .at("/metadata/approval_id");
        place
            .run(&["approve", id.as_str().expect("an id")], "")
            .expect_code(0);
        let answer = call(&place, "git_push", "{}");
        answer.expect_code(expected);
        answer
    };
    // The rules of the web hold: an address of this machine is reached only where the configuration lists it.
    let answer = push(3);
    assert_eq!(
        answer.at("/error/code"),
        Value::from("policy_denied"),
        "{}",
        answer.stdout
    );
    let config = format!(
        "version = 1\n[permissions.network]\nallow_private = [\"127.0.0.1:{}\"]\n",
        server.port
    );
    place.write("mathchain.toml", &config);
    let answer = push(1);
    assert_eq!(
        reason(&answer),
        Value::from("credentials"),
        "{}",
        answer.stdout
    );
    let store = place.path("home/secrets").display().to_string();
    place.write(
        "../home/.gitconfig",
        &format!("[credential]\n\thelper = store --file={store}\n"),
    );
    place.write(
        "../home/secrets",
        &format!("http://ada:right@127.0.0.1:{}\n", server.port),
    );
    let answer = push(0);
    assert_eq!(answer.at("/output/result"), Value::from("new"));
    let head = git(&place, "work", &["rev-parse", "HEAD"]);
    assert_eq!(
        git(
            &place,
            "work",
            &["-C", &bare, "rev-parse", "refs/heads/main"]
        ),
        head
    );
    assert!(!answer.stdout.contains("right"), "{}", answer.stdout);
}

/// A program in the place of `ssh`, which runs the command of the other side here, as the user.
const FAKE_SSH: &str = "#!/bin/sh\necho \"$SSH_AUTH_SOCK $*\" > \"$HOME/ssh.log\"\nfor last; do :; done\nexec sh -c \"$last\"\n";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test looks at its own files")]
fn a_remote_of_ssh_is_pushed_to_as_the_user_and_only_after_a_yes() {
    let served = tempfile::tempdir().expect("a folder");
    let bare = served.path().join("r.git").display().to_string();
    let place = place("");
    git(&place, "work", &["init", "--quiet", "--bare", &bare]);
    place.write_program("../home/ssh", FAKE_SSH);
    let program = place.path("home/ssh");
    place.write(
        "../home/.gitconfig",
        &format!("[core]\n\tsshCommand = {}\n", program.display()),
    );
    let url = format!("git@example.org:{bare}");
    git(&place, "work", &["remote", "set-url", "origin", &url]);
    // What the repository itself says of `ssh` does not count.
    git(&place, "work", &["config", "core.sshCommand", "false"]);
    let asked = call(&place, "git_push", "{}");
    let id = asked.expect_code(4).at("/metadata/approval_id");
    let id = id.as_str().expect("an id");
    assert!(!place.path("home/ssh.log").exists(), "before the yes");
    let shown = place.run_as_typed(&["approvals", "show", id, "--output", "human"], "");
    assert!(shown.stdout.contains("example.org"), "{}", shown.stdout);
    place.run(&["approve", id], "").expect_code(0);
    let answer = call(&place, "git_push", "{}");
    answer.expect_code(0);
    assert_eq!(answer.at("/output/result"), Value::from("new"));
    let head = git(&place, "work", &["rev-parse", "HEAD"]);
    let there = git(
        &place,
        "work",
        &["-C", &bare, "rev-parse", "refs/heads/main"],
    );
    assert_eq!(there, head);
    let said = std::fs::read_to_string(place.path("home/ssh.log")).expect("it ran");
    for option in ["BatchMode=yes", "StrictHostKeyChecking=yes"] {
        assert!(said.contains(option), "{said}");
    }
}

#[test]
fn a_push_that_cannot_be_is_refused_before_anyone_is_asked() {
    let place = place("");
    for url in [
        "git://example.org/a",
        "ftp://example.org/a",
        "git@host:$(id)",
    ] {
        git(&place, "work", &["remote", "set-url", "origin", url]);
        let answer = call(&place, "git_push", "{}");
        assert_eq!(reason(&answer), Value::from("transport"), "{url}");
    }
    let waiting = place.run(&["approvals", "list"], "");
    assert!(!waiting.expect_code(0).stdout.contains("git:push"));
}

#[test]
fn the_request_of_a_commit_lists_every_file_that_it_will_hold() {
    let place = place("");
    place.write("secret.env", "K=1\n");
    place.write("a.txt", "a\n");
    git(&place, "work", &["add", "secret.env"]);
    let shown = |args: &str| {
        let asked = call(&place, "git_commit", args);
        let id = asked.expect_code(4).at("/metadata/approval_id");
        let id = id.as_str().expect("an id").to_owned();
        place
            .run_as_typed(&["approvals", "show", &id, "--output", "human"], "")
            .stdout
    };
    let named = shown(r#"{"message": "feat: add", "files": ["a.txt"]}"#);
    assert!(
        named.contains("A a.txt") && !named.contains("secret.env"),
        "{named}"
    );
    let staged = shown(r#"{"message": "feat: add"}"#);
    assert!(
        staged.contains("A secret.env") && !staged.contains("a.txt"),
        "{staged}"
    );
}

#[test]
fn the_request_of_a_patch_shows_what_it_deletes() {
    let place = Place::new();
    place.write("old.txt", "first line\nlast line\n");
    let patch = r#"{"patch": "*** Begin Patch\n*** Delete File: old.txt\n*** End Patch\n"}"#;
    for (tool, args) in [
        ("apply_patch", patch),
        ("delete_file", r#"{"path": "old.txt"}"#),
    ] {
        let asked = call(&place, tool, args);
        let id = asked.expect_code(4).at("/metadata/approval_id");
        let id = id.as_str().expect("an id");
        let shown = place.run_as_typed(&["approvals", "show", id, "--output", "human"], "");
        assert!(
            shown.stdout.contains("-first line") && shown.stdout.contains("-last line"),
            "{}",
            shown.stdout
        );
    }
}

#[test]
fn a_name_that_looks_the_same_is_named() {
    let place = Place::new();
    place.write("Caf\u{e9} 1\u{202f}PM.txt", "x\n");
    place.write("folder/README.md", "x\n");
    place.write("data.csv", "v\n1\n");
    for (tool, args, near) in [
        (
            "read_file",
            r#"{"path": "Cafe\u0301 1 PM.txt"}"#,
            "Caf\u{e9} 1\u{202f}PM.txt",
        ),
        (
            "read_file",
            r#"{"path": "Folder/readme.md"}"#,
            "folder/README.md",
        ),
        (
            "stat",
            r#"{"path": "folder/readme.md"}"#,
            "folder/README.md",
        ),
        ("list_directory", r#"{"path": "FOLDER"}"#, "folder"),
        (
            "statistics",
            r#"{"data": {"$file": "Data.csv", "column": "v"}}"#,
            "data.csv",
        ),
    ] {
        let answer = call(&place, tool, args);
        let hint = answer.at("/error/hint");
        let hint = hint.as_str().unwrap_or_default();
        assert!(hint.contains(near), "{tool} {args}: {}", answer.stdout);
    }
    let answer = call(&place, "read_file", r#"{"path": "nothing.txt"}"#);
    let hint = answer.at("/error/hint");
    assert!(
        hint.as_str()
            .is_some_and(|hint| hint.contains("list_directory"))
    );
}
