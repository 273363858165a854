//! Tools of outside MCP servers: pinned, called under policy and audit, and kept from what the configuration does not grant.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use crate::support::{Answer, Place, answer_of};
use crate::terminal::Screen;

pub(crate) const SERVER: &str = include_str!("server.py");

/// A project with the server, and more lines of its table.
fn project(lines: &str) -> Place {
    let place = Place::new();
    place.write("server.py", SERVER);
    place.write("mode", "");
    configure(&place, lines);
    place
}

/// Pins the tools as they are listed now.
fn pin(place: &Place) {
    place
        .run(&["plugins", "pin", "t", "--yes"], "")
        .expect_code(0);
}

fn configure(place: &Place, lines: &str) {
    let table = format!(
        "version = 1\n[mcp_servers.t]\ncommand = [\"python3\", \"./server.py\", \"./mode\"]\n{lines}\n"
    );
    place.write("mathchain.toml", &table);
}

/// A project whose tools are pinned.
fn pinned(lines: &str) -> Place {
    let place = project(lines);
    pin(&place);
    place
}

/// A server that lists its tools as pinned, and then does something else.
fn in_mode(mode: &str) -> Place {
    let place = pinned("effects = []\ntimeout_ms = 1500");
    place.write("mode", mode);
    place
}

fn call(place: &Place, tool: &str, args: &str) -> Answer {
    place.run(&["call", &format!("mcp__t__{tool}")], args)
}

#[test]
fn tools_of_a_server_are_called_like_others() {
    let place = project("effects = []\nenv = { TOKEN = \"env:THE_TOKEN\" }");
    let mut pinning = place.command(&["plugins", "pin", "t", "--yes"]);
    pinning.env("THE_TOKEN", "?");
    answer_of(pinning, b"").expect_code(0);
    let mut command = place.command(&["call", "mcp__t__say"]);
    command.env("THE_TOKEN", "!");
    let said = answer_of(command, br#"{"text":"hello"}"#);
    assert_eq!(said.at("/output/text"), "hello!".into());
    let unset = call(&place, "say", r#"{"text":"hello"}"#);
    assert_eq!(unset.at("/error/code"), "precondition_failed".into());
    assert!(unset.stdout.contains("THE_TOKEN"), "{}", unset.stdout);

    configure(&place, "effects = []");
    pin(&place);
    let sum = call(&place, "add_numbers", r#"{"a":2,"b":40}"#);
    assert_eq!(sum.at("/output/sum").as_f64(), Some(42.0));
    let wrong = call(&place, "add_numbers", r#"{"a":2}"#);
    assert_eq!(wrong.at("/error/path"), "/b".into());
    let failed = call(&place, "fail", "{}");
    assert_eq!(failed.at("/error/message"), "no such city".into());
    assert_eq!(failed.at("/error/reason"), "mcp_server".into());
    let picture = call(&place, "picture", "{}");
    assert_eq!(picture.at("/output/content/0/mimeType"), "image/png".into());
    // In a plan, whose steps feed each other.
    place.write("p.yaml", "version: 1\nsteps:\n  - {id: a, tool: mcp__t__add_numbers, args: {a: 1, b: 2}}\n  - {id: b, tool: mcp__t__add_numbers, args: {a: {$ref: a.sum}, b: 4}}\noutputs: {sum: {$ref: b.sum}}\n");
    let run = place.run(&["run", "p.yaml"], "");
    assert_eq!(run.at("/output/outputs/sum").as_f64(), Some(7.0));
    // The audit names the server.
    let records = place.run(&["audit", "list", "--tool", "mcp__t__fail"], "");
    assert!(
        records.stdout.contains("mcp__t__fail"),
        "{}",
        records.stdout
    );
    let listed = place.run(&["tools", "list"], "").stdout;
    assert!(listed.contains("mcp__t__add_numbers"), "{listed}");
}

/// A phase names a tool of a configured server by `mcp`: it is offered under this project's own server, judged, and called by our client.
#[test]
fn a_phase_has_tools_of_a_configured_server() {
    let table = "effects = []\n[[phases]]\nname = \"look\"\nagents = [\"claude\"]\ntools = { internal = [\"Read\"], mcp = [\"mcp__t__say\", \"mcp__u__find\"], permission = \"read-only\" }\n";
    let place = pinned(table);
    let shown = place.run(&["phases", "show", "look", "--agent", "claude"], "");
    let ids: Vec<_> = shown.expect_code(0).at("/tools").items().expect("tools");
    let ids = ids.iter().map(|tool| {
        tool.get("tool")
            .and_then(tool_core::Value::as_str)
            .map(str::to_owned)
    });
    assert_eq!(
        ids.flatten().collect::<Vec<_>>(),
        ["read_file", "mcp__t__say"]
    );
    assert_eq!(shown.at("/handed_on/0/tool"), "mcp__u__find".into());
    let command = place.run(
        &["agents", "command", "--phase", "look", "--agent", "claude"],
        "",
    );
    let argv = tool_core::json::to_text(&command.expect_code(0).at("/argv"));
    assert!(argv.contains("Read,mcp__mathchain__mcp__t__say"), "{argv}");
    assert!(
        !argv.contains("--strict-mcp-config"),
        "the server `u` is another's: {argv}"
    );
    let called = place.run(
        &["call", "--phase", "look", "mcp__t__say"],
        r#"{"text":"x"}"#,
    );
    assert_eq!(called.at("/output/text"), "x".into());
    let other = place.run(
        &["call", "--phase", "look", "mcp__t__add_numbers"],
        r#"{"a":1,"b":1}"#,
    );
    assert_eq!(other.at("/error/code"), "not_visible".into());
    let elsewhere = place.run(&["call", "--phase", "look", "mcp__u__find"], "{}");
    assert_eq!(elsewhere.at("/error/code"), "unknown_tool".into());
    assert!(
        elsewhere.stdout.contains("mcp_servers"),
        "{}",
        elsewhere.stdout
    );
    // Of a configured server every tool is known.
    configure(&place, &table.replace("mcp__t__say", "mcp__t__sya"));
    let wrong = place.run(&["check"], "");
    assert!(
        wrong.stderr.contains("did you mean `mcp__t__say`?"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_server_without_declared_effects_is_asked_about() {
    let place = pinned("");
    let asked = call(&place, "say", "{}");
    assert_eq!(asked.code, 4, "{}", asked.stdout);
    // What its process cannot be kept from is among its effects, whatever the configuration says.
    configure(&place, "effects = []\nsandbox = \"none\"");
    pin(&place);
    assert_eq!(call(&place, "say", "{}").code, 4);
    configure(&place, "effects = []\nsandbox = \"network\"");
    pin(&place);
    assert_eq!(call(&place, "say", "{}").code, 4);
    place.write("mathchain.toml", "version = 1\n[mcp_servers.t]\ncommand = [\"python3\", \"./server.py\", \"./mode\"]\neffects = []\n[[policies]]\nlevel = \"global\"\ndeny = [\"mcp__t__say\"]\n");
    pin(&place);
    assert_eq!(call(&place, "say", "{}").code, 3);
    assert_eq!(call(&place, "add_numbers", r#"{"a":1,"b":1}"#).code, 0);
}

#[test]
fn a_server_that_is_not_as_it_was_pinned_is_not_called() {
    for (one, what) in [
        ("renamed", "its tool `Add-Numbers` is gone"),
        ("changed", "`description` of its tool `Add-Numbers` changed"),
    ] {
        let place = in_mode(one);
        for _ in 0..2 {
            let answer = call(&place, "say", "{}");
            assert_eq!(answer.at("/error/code"), "resource_changed".into());
            assert!(answer.stdout.contains(what), "{}", answer.stdout);
        }
        let refused = place.run(&["plugins", "pin", "t"], "");
        assert_eq!(refused.at("/error/code"), "approval_required".into());
        place
            .run(&["plugins", "pin", "t", "--yes"], "")
            .expect_code(0);
        call(&place, "say", "{}").expect_code(0);
    }
}

#[test]
fn a_server_that_is_not_pinned_has_no_tools() {
    let place = project("effects = []");
    assert_eq!(call(&place, "say", "{}").code, 2);
    let check = place.run(&["check"], "");
    assert!(
        check.stdout.contains("mathchain plugins pin t"),
        "{}",
        check.stdout
    );
    // A pin of another form breaks this server alone.
    for text in ["{", "[]", r#"{"schema_version":"1.0","tools":[{}]}"#] {
        place.write("mcp-servers/t.json", text);
        assert_eq!(call(&place, "say", "{}").code, 2, "{text}");
        place
            .run(&["call", "calculate"], r#"{"expression":"1"}"#)
            .expect_code(0);
        place.run(&["check"], "").expect_code(2);
    }
    let unknown = place.run(&["plugins", "pin", "u", "--yes"], "");
    assert!(unknown.stdout.contains("`u`"), "{}", unknown.stdout);
}

#[test]
fn whatever_a_server_does_is_a_typed_error_in_time() {
    for (one, code, words) in [
        ("hangs", "timeout", ""),
        ("floods", "timeout", ""),
        ("silent", "timeout", ""),
        ("dies", "tool_error", "out of luck"),
        ("babbles", "tool_error", "sent `loading ...`"),
        ("other", "tool_error", "which is not pending"),
        ("lies", "tool_error", "does not match its output schema"),
        ("chatters", "timeout", ""),
        ("pings", "timeout", ""),
        ("asks", "tool_error", "asks without end"),
        ("null", "tool_error", "neither `content` nor"),
        ("empty", "tool_error", "neither `content` nor"),
    ] {
        let place = in_mode(one);
        let begun = Instant::now();
        let answer = call(&place, "add_numbers", r#"{"a":2,"b":40}"#);
        assert_eq!(answer.at("/error/code"), code.into(), "{one}");
        assert!(answer.stdout.contains(words), "{one}: {}", answer.stdout);
        assert!(begun.elapsed() < Duration::from_secs(30), "{one}");
    }
}

#[test]
fn a_process_reaches_what_its_sandbox_grants() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let port = listener.local_addr().expect("an address").port();
    let place = project("");
    place.write("notes.txt", "NOTES");
    place.write("../outside/secret.txt", "SECRET");
    place
        .run(&["plugins", "pin", "t", "--yes"], "")
        .expect_code(0);
    let notes = place.path("work/notes.txt");
    let secret = place.path("outside/secret.txt");
    let look = |lines: &str, path: &std::path::Path| {
        configure(&place, lines);
        pin(&place);
        let args = format!(r#"{{"path":{path:?},"port":{port}}}"#);
        let answer = place.run(&["call", "mcp__t__look", "--yes"], &args);
        answer
            .at("/output/text")
            .as_str()
            .expect("a text")
            .to_owned()
    };
    assert_eq!(look("", &notes), "");
    assert_eq!(look("reads_workspace = true", &notes), "NOTES");
    assert_eq!(look("reads_workspace = true", &secret), "");
    let readable = format!("readable = [{secret:?}]");
    assert_eq!(look(&readable, &secret), "SECRET");
    assert_eq!(look("sandbox = \"network\"", &secret), "connected");
    assert_eq!(look("sandbox = \"offline\"", &secret), "");
    assert_eq!(look("sandbox = \"none\"", &secret), "SECRET connected");
}

#[test]
fn what_is_wrong_with_a_server_is_told_at_once() {
    let place = Place::new();
    for (lines, words) in [
        ("[mcp_servers.A]\ncommand = [\"x\"]", "expected a name"),
        ("[mcp_servers.a__b]\ncommand = [\"x\"]", "expected a name"),
        ("[mcp_servers.a]", "missing key `command`"),
        ("[mcp_servers.a]\ncommand = []", "expected a program"),
        (
            "[mcp_servers.a]\ncommand = [\"x\"]\nreadable = [\"x\"]",
            "expected an absolute path",
        ),
        (
            "[mcp_servers.a]\ncommand = [\"x\"]\nenv = { X = \"env:\" }",
            "after `env:`",
        ),
        (
            "[mcp_servers.a]\ncommand = [\"x\"]\nsandbox = \"all\"",
            "offline",
        ),
        (
            "[mcp_servers.a]\ncommand = [\"x\"]\neffects = [\"all\"]",
            "local_exec",
        ),
        (
            "[mcp_servers.a]\ncommand = [\"x\"]\ntimeout_ms = 0",
            "at least 1",
        ),
    ] {
        place.write("mathchain.toml", &format!("version = 1\n{lines}\n"));
        let check = place.run(&["check"], "");
        check.expect_code(2);
        assert!(check.stdout.contains(words), "{lines}: {}", check.stdout);
    }
    place.write(
        "mathchain.toml",
        "version = 1\n[mcp_servers.a]\ncommand = [\"no-such-program\"]\n",
    );
    let pin = place.run(&["plugins", "pin", "a", "--yes"], "");
    assert_eq!(pin.at("/error/reason"), "not_found".into());
}

#[test]
fn what_another_user_pinned_is_neither_started_nor_called() {
    let place = pinned("effects = []");
    place.write("mode", "");
    // A clone: the files are there, and this user has agreed to nothing.
    let elsewhere = place.path("elsewhere");
    let as_another = |words: &[&str]| {
        let mut command = place.command(words);
        command.env("XDG_STATE_HOME", &elsewhere);
        answer_of(command, b"{}")
    };
    assert_eq!(as_another(&["call", "mcp__t__say"]).code, 2);
    let check = as_another(&["plugins", "check", "--json"]);
    assert!(check.stdout.contains("has not agreed"), "{}", check.stdout);
    // Pinning shows how it is started before it is.
    let pin = as_another(&["plugins", "pin", "t", "--json"]);
    assert_eq!(pin.at("/error/code"), "approval_required".into());
    assert!(pin.stdout.contains("starting a server"), "{}", pin.stdout);
    as_another(&["plugins", "pin", "t", "--yes"]).expect_code(0);
    as_another(&["call", "mcp__t__say"]).expect_code(0);
    // Another table, list or place is another server.
    configure(&place, "effects = []\nsandbox = \"none\"");
    assert_eq!(as_another(&["call", "mcp__t__say"]).code, 2);
    configure(&place, "effects = []");
    as_another(&["call", "mcp__t__say"]).expect_code(0);
    let list = place.read("mcp-servers/t.json");
    place.write("mcp-servers/t.json", &list.replace("Adds two", "Adds 2"));
    assert_eq!(as_another(&["call", "mcp__t__say"]).code, 2);
}

#[test]
fn a_terminal_is_shown_what_a_server_is_given_and_its_tools() {
    let place = project("effects = []");
    let mut screen = Screen::start(&place, &["plugins", "pin", "t"], 60, 120, &[]);
    screen.until("a question", |text| text.contains("start it? [y/N]"));
    assert!(!place.path("work/mcp-servers").exists());
    screen.type_in("y\r");
    screen.until("a question", |text| text.contains("write it? [y/N]"));
    screen.type_in("y\r");
    let (code, text, _) = screen.end();
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("wrote") && text.contains("5 tools"), "{text}");
    call(&place, "say", "{}").expect_code(0);
}
