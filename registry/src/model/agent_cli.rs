//! [`CliSpec`]: an agent CLI as a table of templates.

use std::collections::BTreeMap;

use tool_core::command::Isolation;
use tool_core::{Decode, Describe, Encode, Value, names};

use super::stream_formats::stream_format_names;
use super::{Confinement, OneOrMany};
use crate::error::TextPlace;

/// An agent CLI: the command that starts an agent, and the flags and settings that enforce its permissions.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct CliSpec {
    /// Name in phases.
    #[value(skip)]
    pub name: String,
    /// Name in the aliases: that of the built-in table it is like.
    #[value(skip)]
    pub family: String,
    /// Settings of an earlier system for the program that runs it, as written.
    #[value(skip)]
    pub runner: Value,
    /// The program.
    pub binary: String,
    /// Words after the program.
    pub subcommand: OneOrMany,
    /// The model.
    pub model: Option<String>,
    /// Arguments that set the model, `{model}`.
    pub model_args: Vec<String>,
    /// Arguments by profile.
    pub flags: BTreeMap<String, Vec<String>>,
    /// Variables that the program gets with these values, whatever the policy.
    pub env: BTreeMap<String, String>,
    /// Variables of the environment that the program gets.
    pub env_policy: EnvPolicy,
    /// Patterns for whole names of variables that the program gets in any case.
    pub env_passlist: Vec<String>,
    /// How the program gets its task.
    pub prompt_via: PromptVia,
    /// The task as an argument, `{prompt}`.
    pub prompt_argv: Vec<String>,
    /// Arguments that announce the task on stdin.
    pub prompt_stdin: Vec<String>,
    /// What a pipeline keeps the program from: `offline`, `network` (the built-in ones, for the API of their models) or `none`
    pub isolation: Isolation,
    /// Files of the user's home folder that the program finds in the home folder that a pipeline makes for it, such as the one with its login
    pub home_files: Vec<String>,
    /// Files and folders beside those of the system that the program reads in a pipeline: absolute, or beside the configuration with `./`
    pub readable: Vec<String>,
    /// Format of the output, named after the CLI that it comes from.
    #[schema(extend("enum" = stream_format_names()))]
    pub stream_format: String,
    /// Arguments that set the output.
    pub output: Vec<String>,
    /// Treatment of permissions that the CLI cannot enforce.
    pub unenforced: Unenforced,
    /// Spelling of a tool of a server.
    pub mcp_name: String,
    /// Spelling of a tool of a server in rules, where it differs.
    pub mcp_rule: Option<String>,
    /// The CLI's own tools, by the names in the aliases.
    pub tools: Vec<String>,
    /// Tools that the CLI's own tools replace, where the aliases do not say.
    pub native: BTreeMap<String, String>,
    /// Kinds that rules are about, by own tool.
    pub kinds: BTreeMap<String, String>,
    /// Arguments that show and hide tools.
    pub visibility: VisibilityArgs,
    /// Arguments that decide which tools need approval.
    pub approval: ApprovalArgs,
    /// Confinement by permission.
    #[schema(with = "ByPermission")]
    pub sandbox: BTreeMap<Confinement, ConfinementArgs>,
    /// Registration of mathchain's own server, where the agent has a tool of it.
    pub own_server: OwnServer,
    /// Arguments that limit the turns of a run to `{turns}`.
    pub turns: Vec<String>,
    /// The configuration file, for settings without an argument.
    pub config: Option<ConfigTemplate>,
    /// Arguments that profiles cannot set while an agent's tools are set.
    pub managed: BTreeMap<String, FlagArity>,
    /// Source location.
    #[value(skip)]
    pub place: Option<TextPlace>,
}

/// Arguments that show and hide tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct VisibilityArgs {
    /// Arguments whatever is visible, with the lists `{native}` and `{visible}`.
    pub args: Vec<String>,
    /// Arguments where no tool of a server is visible.
    pub without_servers: Vec<String>,
    /// Arguments for each `{server}` with visible `{tools}`.
    pub server: Vec<String>,
    /// Own tools that are hidden one by one.
    pub off: BTreeMap<String, ToolHidingArgs>,
    /// Whether own tools can only be shown and hidden by kind.
    pub by_kind: bool,
    /// Why other tools of a server stay visible, where they do.
    pub other_tools_of_servers: Option<String>,
}

/// How one tool is hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct ToolHidingArgs {
    /// Arguments that hide it.
    pub args: Vec<String>,
    /// Permissions under which it does no harm, where it cannot be hidden.
    pub harmless: Vec<Confinement>,
    /// Why it cannot be hidden.
    pub why: Option<String>,
}

/// Arguments that decide which tools need approval.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct ApprovalArgs {
    /// Arguments where tools run without approval, with the list `{allow}`.
    pub allow: Vec<String>,
    /// Arguments where tools are denied that stay listed, with the list `{deny}`.
    pub deny: Vec<String>,
    /// Arguments where an own tool needs approval.
    pub some_ask: Vec<String>,
    /// Arguments where no own tool needs approval.
    pub none_ask: Vec<String>,
    /// Arguments for each `{tool}` of a `{server}` that runs without approval.
    pub mcp_allow: Vec<String>,
    /// Arguments for each `{tool}` of a `{server}` that needs approval.
    pub mcp_ask: Vec<String>,
    /// Own tools that cannot ask for approval.
    pub never_asks: Vec<String>,
    /// Why tools of servers never ask for approval, where they do not.
    pub servers_never_ask: Option<String>,
}

/// How mathchain's own server is registered. Its placeholders: `{command}` the program, `{args}` its arguments, `{argv}` both,
/// `{own_tools}` the visible tools of the server.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct OwnServer {
    /// Arguments, in which the placeholders are JSON; also `{mcp_json}`, the text of `value`, and `{mcp_config}`, the path of a file with it.
    pub args: Vec<String>,
    /// Members laid over the configuration file.
    pub config: Option<Value>,
    /// Content of `{mcp_json}` and `{mcp_config}`; `{"mcpServers": {"mathchain": {...}}}` where absent.
    pub value: Option<Value>,
}

/// Confinement under one permission.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct ConfinementArgs {
    /// Arguments.
    pub args: Vec<String>,
    /// Members laid over the configuration file.
    pub config: Option<Value>,
    /// Gaps, by the visible own tool that opens each.
    pub unenforced: BTreeMap<String, String>,
}

/// The schema of [`CliSpec::sandbox`].
#[derive(Describe)]
#[value(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is used")]
struct ByPermission {
    read_only: Option<ConfinementArgs>,
    workspace_write: Option<ConfinementArgs>,
    full_access: Option<ConfinementArgs>,
}

/// A configuration file as a template.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
pub struct ConfigTemplate {
    /// Path where the CLI looks for the file.
    pub file: String,
    /// Variable of the environment that names another file for one run.
    pub variable: Option<String>,
    /// Content of the file: a tree with `{native}`, `{visible}`, `{allow}`, `{ask}`, `{deny}`, `{servers}`, `{turns}`, and `{rule}: {verdict}` for each rule.
    #[value(default)]
    pub value: Value,
}

/// Number of arguments after a flag.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(untagged)]
pub enum FlagArity {
    /// A fixed number, or all up to the next flag.
    Count(ArityName),
    /// One, `key=value`; only keys with one of these prefixes are managed.
    Keys(Vec<String>),
}

names! {
    /// Number of arguments after a flag.
    ArityName {
        /// None.
        None = "none",
        /// One.
        One = "one",
        /// All up to the next flag.
        Greedy = "greedy",
    }

    /// Variables of the environment that a program gets.
    #[derive(Default)]
    EnvPolicy {
        /// All.
        Inherit = "inherit",
        /// All except keys and settings of vendors, secrets, proxies and telemetry, by the patterns of `agent_clis.yaml`.
        #[default]
        Filtered = "filtered",
        /// A few names, by the patterns of `agent_clis.yaml`.
        Clean = "clean",
    }

    /// How a program gets its task.
    #[derive(Default)]
    PromptVia {
        /// As an argument.
        #[default]
        Argv = "argv",
        /// On stdin.
        Stdin = "stdin",
    }

    /// Treatment of permissions that a CLI cannot enforce.
    #[derive(Default)]
    Unenforced {
        /// An error: nothing runs.
        #[default]
        Error = "error",
        /// A warning.
        Warn = "warn",
    }
}
