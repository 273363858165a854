//! The clients, their files, and the form of an entry in each.

use clap::builder::PossibleValue;

use super::entry::Form;

/// A client of the Model Context Protocol.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) name: &'static str,
    /// The file of a project, relative to its folder.
    pub(super) of_project: Option<&'static str>,
    /// The file of the user, relative to the home folder.
    pub(super) of_user: &'static str,
    pub(super) form: Form,
}

/// From the documentation of each client.
pub(super) const CLIENTS: &[Client] = &[
    Client {
        name: "claude-code",
        of_project: Some(".mcp.json"),
        of_user: ".claude.json",
        form: Form::Typed("mcpServers"),
    },
    Client {
        name: "claude-desktop",
        of_project: None,
        of_user: if cfg!(target_os = "macos") {
            "Library/Application Support/Claude/claude_desktop_config.json"
        } else {
            ".config/Claude/claude_desktop_config.json"
        },
        form: Form::Plain("mcpServers"),
    },
    Client {
        name: "cursor",
        of_project: Some(".cursor/mcp.json"),
        of_user: ".cursor/mcp.json",
        form: Form::Plain("mcpServers"),
    },
    Client {
        name: "vscode",
        of_project: Some(".vscode/mcp.json"),
        of_user: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/mcp.json"
        } else {
            ".config/Code/User/mcp.json"
        },
        form: Form::Typed("servers"),
    },
    Client {
        name: "codex",
        of_project: None,
        of_user: ".codex/config.toml",
        form: Form::Table("mcp_servers"),
    },
    Client {
        name: "gemini",
        of_project: Some(".gemini/settings.json"),
        of_user: ".gemini/settings.json",
        form: Form::Plain("mcpServers"),
    },
    Client {
        name: "opencode",
        of_project: Some("opencode.json"),
        of_user: ".config/opencode/opencode.json",
        form: Form::Local("mcp"),
    },
];

impl Client {
    pub(super) fn possible(&self) -> PossibleValue {
        let help = match self.of_project {
            Some(file) => format!("{file}, or ~/{} with --user", self.of_user),
            None => format!("~/{}", self.of_user),
        };
        PossibleValue::new(self.name).help(help)
    }
}
