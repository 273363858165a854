//! `mathchain setup`: the files of clients, from outside.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::Place;
use crate::terminal::Screen;

const OTHERS: &str = "{\n  // mine\n  \"mcpServers\": { \"other\": { \"command\": \"x\" } }\n}\n";

#[test]
fn every_client_gets_an_entry_that_starts_the_server() {
    for (client, file, key) in [
        ("claude-code", "work/.mcp.json", "mcpServers"),
        ("cursor", "work/.cursor/mcp.json", "mcpServers"),
        ("vscode", "work/.vscode/mcp.json", "servers"),
        ("gemini", "work/.gemini/settings.json", "mcpServers"),
        ("opencode", "work/opencode.json", "mcp"),
        ("codex", "home/.codex/config.toml", "mcp_servers"),
        (
            "claude-desktop",
            "home/.config/Claude/claude_desktop_config.json",
            "mcpServers",
        ),
    ] {
        let place = Place::new();
        let words = ["setup", client, "--catalog", "core"];
        let dry = place.run(&[&words[..], &["--dry-run"]].concat(), "");
        dry.expect_code(0);
        assert!(!place.path(file).exists(), "{client}: a dry run writes");
        let refused = place.run(&words, "");
        assert_eq!(refused.at("/error/code"), "approval_required".into());
        assert!(
            !place.path(file).exists(),
            "{client}: written without a yes"
        );
        place
            .run(&[&words[..], &["--yes"]].concat(), "")
            .expect_code(0);
        let text = place.read(&format!("../{file}"));
        assert_eq!(dry.at("/content"), text.as_str().into(), "{client}");
        let program = env!("CARGO_BIN_EXE_mathchain");
        for part in [
            key,
            "mathchain",
            program,
            "serve",
            "--mcp",
            "--role",
            "worker_general",
            "--catalog",
            "core",
        ] {
            assert!(text.contains(part), "{client}: no `{part}` in\n{text}");
        }
        // The same again changes nothing.
        let again = place.run(&words, "");
        assert_eq!(again.at("/changed"), false.into());
    }
}

#[test]
fn a_terminal_is_shown_the_change_and_asked() {
    let place = Place::new();
    place.write(".mcp.json", OTHERS);
    for (answer, code) in [("n\r", 3), ("y\r", 0)] {
        let mut screen = Screen::start(&place, &["setup", "claude-code"], 40, 100, &[]);
        screen.until("a question", |text| text.contains("[y/N]"));
        screen.type_in(answer);
        let (ended, text, _) = screen.end();
        assert_eq!(ended, Some(code), "{text}");
        assert!(text.contains("+    \"mathchain\": {"), "{text}");
        assert_eq!(place.read(".mcp.json") == OTHERS, code == 3);
    }
    let text = place.read(".mcp.json");
    assert!(text.contains("// mine") && text.contains("\"other\": { \"command\": \"x\" }"));
    assert_eq!(place.read(".mcp.json.before-mathchain"), OTHERS);
}

#[test]
fn a_link_of_a_project_leads_nowhere_and_one_of_the_user_is_followed() {
    let place = Place::new();
    let mode = |path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(place.path(target), place.path(name)).expect("links");
    };
    place.write("../home/kept.json", OTHERS);
    let kept = place.path("home/kept.json");
    std::fs::set_permissions(&kept, Permissions::from_mode(0o640)).expect("sets");
    // The file of a project, or a folder on the way, is a link.
    link("home/kept.json", "work/.mcp.json");
    link("home", "work/.cursor");
    for client in ["claude-code", "cursor"] {
        let refused = place.run(&["setup", client, "--yes"], "");
        assert_eq!(refused.at("/error/reason"), "link".into());
    }
    std::fs::remove_file(place.path("work/.mcp.json")).expect("removes");
    // The copy replaces a link, and never writes through it.
    place.write(".mcp.json", OTHERS);
    link("home/kept.json", "work/.mcp.json.before-mathchain");
    place
        .run(&["setup", "claude-code", "--yes"], "")
        .expect_code(0);
    assert_eq!(place.read("../home/kept.json"), OTHERS);
    let copy = place.path("work/.mcp.json.before-mathchain");
    assert!(!copy.is_symlink() && mode(copy) == 0o600);
    // The user's own link.
    link("home/kept.json", "home/.claude.json");
    let done = place.run(&["setup", "claude-code", "--user", "--yes"], "");
    let path = done.at("/path").as_str().expect("a path").to_owned();
    assert!(path.ends_with("home/kept.json"), "{path}");
    assert!(place.path("home/.claude.json").is_symlink());
    assert!(place.read("../home/kept.json").contains("serve"));
    assert_eq!(mode(kept), 0o640);
}

#[test]
fn what_cannot_be_changed_is_left_as_it_is() {
    let place = Place::new();
    for text in ["{", "[]", "{\"mcpServers\": []}", "{} {}"] {
        place.write(".mcp.json", text);
        let answer = place.run(&["setup", "claude-code", "--yes"], "");
        assert_eq!(answer.at("/error/code"), "invalid_request".into(), "{text}");
        assert_eq!(place.read(".mcp.json"), text);
    }
    let named = place.run(&["setup", "claude-code", "--name", "a b", "--yes"], "");
    named.expect_code(2);
}
