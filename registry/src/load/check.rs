//! Checks of a configuration that its schema cannot state: keys that exclude each other, forms of texts, keys without an effect.

use std::fmt::Display;

use tool_core::Problem;

use crate::agent_cli::is_profile;
use crate::document::{self, Document};
use crate::error::LoadError;
use crate::model::{Config, KeyVariable, Level, McpServer, Phase, Selection, Workspace};
use crate::policy::components;

/// Keys of earlier systems that describe a pipeline of phases, which no command runs.
const INERT: [&str; 8] = [
    "parallel",
    "required",
    "depends_on",
    "gate",
    "flag_profile",
    "failure_mode",
    "min_count",
    "retry_policy",
];

/// Longest name of an MCP server; with it, those of its tools have at most 48 characters.
const SERVER_NAME_MAX: usize = 20;

/// Says of inert keys of phases that they have no effect, in place of that they are unknown.
pub(super) fn explain_inert_keys(errors: &mut [LoadError]) {
    for error in errors {
        let Some(rest) = error.pointer.strip_prefix("/phases/") else {
            continue;
        };
        let Some((_, key)) = rest.split_once('/') else {
            continue;
        };
        if INERT.contains(&key) {
            error.message =
                format!("`{key}` has no effect: no command runs the phases as a pipeline");
            let hint = "remove it; for approval by a user write an `ask` rule, or `approval: required` in a plan";
            error.hint = Some(hint.to_owned());
        }
    }
}

/// Collects problems with their pointers.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn report(&mut self, pointer: impl AsRef<str>, message: impl Display) {
        self.0.push(Problem::new(pointer, message));
    }

    fn selection(&mut self, pointer: &str, selection: &Selection) {
        if selection.tools.is_some() && selection.internal.is_some() {
            self.report(pointer, "`tools` and `internal` mean the same: use one");
        }
        if selection.listed().is_some() && selection.toolset.is_some() {
            let message = "a selection has a list of tools or a `toolset`, not both";
            self.report(pointer, message);
        }
    }

    fn phase(&mut self, pointer: &str, phase: &Phase) {
        if !is_profile(&phase.name) {
            let message = "a phase has a `name` of letters, digits, `.`, `_` and `-`";
            self.report(format!("{pointer}/name"), message);
        }
        self.selection(&format!("{pointer}/tools"), &phase.tools);
        for selection in phase.agent_tools.iter() {
            let below = below(&format!("{pointer}/agent_tools"), &selection.name);
            self.selection(&below, selection);
        }
        if let (Some(a), Some(b)) = (phase.limits.max_turns, phase.tools.max_turns)
            && a != b
        {
            let message =
                format!("`limits.max_turns` is {a} and `tools.max_turns` is {b}: set one");
            self.report(pointer, message);
        }
    }

    fn roots(&mut self, workspace: &Workspace) {
        let Some(roots) = &workspace.roots else {
            return;
        };
        const POINTER: &str = "/workspace/roots";
        if workspace.root.is_some() {
            let message =
                "`root` and `roots` are both set: list the folder of `root` first in `roots`";
            self.report(POINTER, message);
        }
        if roots.is_empty() {
            self.report(
                POINTER,
                "`roots` lists no folder; leave it out for the folder of this file",
            );
        }
        for (index, root) in roots.iter().enumerate() {
            if root.path.is_empty() {
                let message =
                    "expected the path of a folder, found nothing; `.` is the folder of this file";
                self.report(format!("{POINTER}/{index}/path"), message);
            }
        }
    }

    fn server(&mut self, server: &McpServer) {
        let pointer = below("/mcp_servers", &server.name);
        let name = &server.name;
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.len() <= SERVER_NAME_MAX
            && name.bytes().all(plain)
            && !name.contains("__");
        if !is_name {
            let message = format!(
                "expected a name of at most {SERVER_NAME_MAX} lower-case letters, digits and single `_`, found `{name}`"
            );
            self.report(&pointer, message);
        }
        if server.command.first().is_none_or(String::is_empty) {
            let message =
                "expected a program and its arguments, such as `[\"npx\", \"tavily-mcp\"]`";
            self.report(format!("{pointer}/command"), message);
        }
        for (index, path) in server.readable.iter().enumerate() {
            if !path.starts_with('/') && !path.starts_with("./") {
                let message = format!(
                    "expected an absolute path, or one beside this file that begins with `./`, found `{path}`"
                );
                self.report(format!("{pointer}/readable/{index}"), message);
            }
        }
        for (variable, value) in &server.env {
            let pointer = below(&format!("{pointer}/env"), variable);
            if variable.is_empty() || variable.contains(['=', '\0']) {
                self.report(&pointer, "expected the name of a variable");
            }
            if McpServer::variable(value).is_some_and(str::is_empty) {
                self.report(&pointer, "expected the name of a variable after `env:`");
            }
        }
    }

    /// Neither the message nor the error repeats the text: it may be the key itself.
    fn key(&mut self, pointer: &str, key: Option<&KeyVariable>) {
        if key.is_some_and(|key| key.variable().is_none()) {
            let message = "`api_key` names the environment variable that holds the key, such as `env:SEARCH_KEY`; the key itself does not belong here";
            self.report(format!("{pointer}/api_key"), message);
        }
    }
}

/// The pointer of a member of a table.
fn below(pointer: &str, key: &str) -> String {
    let mut pointer = pointer.to_owned();
    tool_core::path::push_key(&mut pointer, key);
    pointer
}

/// Adds every problem of a configuration that its schema does not show.
pub(super) fn config(config: &Config, document: &Document, errors: &mut Vec<LoadError>) {
    let mut problems = Problems::default();
    for role in config.roles.iter() {
        let message = match (&role.tools, &role.toolset) {
            (Some(_), Some(_)) => "a role has `tools` or `toolset`, not both",
            (None, None) => "a role needs `tools` or `toolset`; an empty list selects nothing",
            _ => continue,
        };
        problems.report(below("/roles", &role.name), message);
    }
    for layer in &config.layers {
        if let Level::Role | Level::Agent | Level::Phase | Level::Task = layer.level
            && layer.name.is_empty()
        {
            let level = layer.level;
            let message = format!("a layer of level `{level}` needs the `name` of the {level}");
            errors.push(LoadError::new(layer.place.as_ref(), message));
        }
    }
    for (index, phase) in config.phases.iter().enumerate() {
        problems.phase(&format!("/phases/{index}"), phase);
    }
    for server in config.mcp_servers.iter() {
        problems.server(server);
    }
    problems.roots(&config.workspace);
    let several = config.workspace.roots.is_some();
    for path in &config.permissions.filesystem.allowed_paths {
        if components(path).is_none() && !several || path.contains(['*', '?']) {
            let message = format!(
                "expected paths of folders and files inside the workspace, relative to its root, found `{path}`"
            );
            problems.report("/permissions/filesystem/allowed_paths", message);
        }
    }
    if config.approvals.expire.ms() == 0 {
        let message = "expected how long a request lives, such as `12h`, found nothing";
        problems.report("/approvals/expire", message);
    }
    for file in config.files.iter() {
        let path = &file.path;
        if components(&path.text).is_none_or(|parts| parts.is_empty()) {
            errors.push(path.error(format_args!(
                "expected paths of files below the folder of this file, found `{}`",
                path.text
            )));
        }
    }
    if let Some(search) = &config.web.search {
        problems.key("/web/search", search.api_key.as_ref());
    }
    let models = &config.models;
    for (pointer, model) in [
        ("/models/embeddings", &models.embeddings),
        ("/models/chat", &models.chat),
        ("/models/vision", &models.vision),
    ] {
        let Some(model) = model else { continue };
        if !is_plain_url(&model.endpoint) {
            let message = "`endpoint` is an http(s) URL without a user or password, such as `http://127.0.0.1:8080/v1/embeddings`";
            problems.report(format!("{pointer}/endpoint"), message);
        }
        problems.key(pointer, model.api_key.as_ref());
    }
    document::report(document, problems.0, errors);
}

/// A URL that can hold no secret: no user, no password, printable characters only.
fn is_plain_url(url: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', '\\']).next());
    let printable = url.bytes().all(|byte| byte.is_ascii_graphic());
    printable && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}
