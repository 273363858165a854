//! The clients, their files, and the form of an entry in each.

use clap::builder::PossibleValue;

use super::entry::ClientEntryForm;

/// A client of the Model Context Protocol.
#[derive(Debug)]
pub(super) struct McpClient {
    pub(super) name: &'static str,
    /// The file of a project, relative to its folder.
    pub(super) of_project: Option<&'static str>,
    /// The file of the user, relative to the home folder.
    pub(super) of_user: &'static str,
    pub(super) form: ClientEntryForm,
}

/// From the documentation of each client.
pub(super) const CLIENTS: &[McpClient] = &[
    McpClient {
        name: "claude-code",
        of_project: Some(".mcp.json"),
        of_user: ".claude.json",
        form: ClientEntryForm::Typed("mcpServers"),
    },
    McpClient {
        name: "claude-desktop",
        of_project: None,
        of_user: if cfg!(target_os = "macos") {
            "Library/Application Support/Claude/claude_desktop_config.json"
        } else {
            ".config/Claude/claude_desktop_config.json"
        },
        form: ClientEntryForm::Plain("mcpServers"),
    },
    McpClient {
        name: "cursor",
        of_project: Some(".cursor/mcp.json"),
        of_user: ".cursor/mcp.json",
        form: ClientEntryForm::Plain("mcpServers"),
    },
    McpClient {
        name: "vscode",
        of_project: Some(".vscode/mcp.json"),
        of_user: if cfg!(target_os = "macos") {
            "Library/Application Support/Code/User/mcp.json"
        } else {
            ".config/Code/User/mcp.json"
        },
        form: ClientEntryForm::Typed("servers"),
    },
    McpClient {
        name: "codex",
        of_project: None,
        of_user: ".codex/config.toml",
        form: ClientEntryForm::Table("mcp_servers"),
    },
    McpClient {
        name: "gemini",
        of_project: Some(".gemini/settings.json"),
        of_user: ".gemini/settings.json",
        form: ClientEntryForm::Plain("mcpServers"),
    },
    McpClient {
        name: "opencode",
        of_project: Some("opencode.json"),
        of_user: ".config/opencode/opencode.json",
        form: ClientEntryForm::Local("mcp"),
    },
];

impl McpClient {
    pub(super) fn possible(&self) -> PossibleValue {
        let help = match self.of_project {
            Some(file) => format!("{file}, or ~/{} with --user", self.of_user),
            None => format!("~/{}", self.of_user),
        };
        PossibleValue::new(self.name).help(help)
    }
}
