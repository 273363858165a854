//! [`McpServer`]: an outside server whose tools are called like others.

use std::collections::BTreeMap;

use tool_core::command::Isolation;
use tool_core::{Decode, Describe, Effect};

/// A server of the Model Context Protocol, whose tools are `mcp__NAME__TOOL` (docs/mcp.md).
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["command"]))]
pub struct McpServer {
    /// The key of its table.
    #[value(rename = "$name")]
    pub name: String,
    /// Program and arguments; words that begin with `./` are files beside this one, which the process reads
    pub command: Vec<String>,
    /// Variables of its environment: a text, or `env:NAME` for the value of a variable of mathchain's
    pub env: BTreeMap<String, String>,
    /// What the process is kept from: `offline` (no network, no files of the user), `network` (the same files), `none`
    pub sandbox: Isolation,
    /// Whether the process reads the workspace, which is then its folder
    pub reads_workspace: bool,
    /// Files and folders beside those of the system that the process reads: absolute, or beside this file with `./`
    pub readable: Vec<String>,
    /// Most that its tools do; anything where absent, so that every call needs approval
    pub effects: Option<Vec<Effect>>,
    /// Longest call, in milliseconds
    #[schema(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// The pinned list of its tools, or why it could not be read; the caller of the reader provides it.
    #[value(skip)]
    pub pin: Option<Result<ToolListPin, String>>,
}

/// The text of a pinned list of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolListPin {
    /// Its path, as errors name it.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl McpServer {
    /// Folder of the pins, beside the configuration.
    pub const PINS: &str = "mcp-servers";

    /// The name of the plugin that its tools are in.
    pub fn plugin(&self) -> String {
        format!("mcp__{}", self.name)
    }

    /// The variable that a value of [`env`](Self::env) names.
    pub fn variable(value: &str) -> Option<&str> {
        value.strip_prefix("env:")
    }
}
