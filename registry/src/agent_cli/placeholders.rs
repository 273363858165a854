//! The words in braces that the templates of a table may have.

/// The words of every template.
pub(super) const PLACEHOLDERS: [&str; 17] = [
    "native",
    "visible",
    "allow",
    "ask",
    "deny",
    "servers",
    "turns",
    "model",
    "prompt",
    "server",
    "tool",
    "tools",
    "rule",
    "verdict",
    "mcp_config",
    "workspace",
    "output",
];

/// The placeholders of `own_server` alone.
pub(super) const OF_OWN_SERVER: [&str; 6] = [
    "command",
    "args",
    "argv",
    "own_tools",
    "mcp_json",
    "mcp_config",
];
