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
fn a_file_keeps_its_link_and_its_readers() {
    let place = Place::new();
    place.write("kept/mcp.json", OTHERS);
    let kept = place.path("work/kept/mcp.json");
    std::fs::set_permissions(&kept, Permissions::from_mode(0o640)).expect("sets");
    std::os::unix::fs::symlink(&kept, place.path("work/.mcp.json")).expect("links");
    place
        .run(&["setup", "claude-code", "--yes"], "")
        .expect_code(0);
    let link = std::fs::symlink_metadata(place.path("work/.mcp.json")).expect("there");
    assert!(link.is_symlink());
    let mode = |path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(kept), 0o640);
    assert_eq!(mode(place.path("work/.mcp.json.before-mathchain")), 0o600);
    assert!(place.read("kept/mcp.json").contains("serve"));
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
