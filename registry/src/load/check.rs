//! Checks of a configuration that its schema cannot state: keys that exclude each other, forms of texts.

use std::fmt::Display;

use tool_core::{Object, RequestProblem, Value};

use crate::agent_cli::{bad_profile, is_plain_secret, is_profile};
use crate::document::{self, ParsedDocument};
use crate::error::LoadError;
use crate::model::{
    CallerSelection, Config, FailureMode, GateKind, KeyVariable, Level, McpServer, OpenApiService,
    Phase, PhaseGate, Schedule, WorkspaceConfig,
};
use crate::policy::relative_path_components;

/// Longest name of an MCP server; with it, those of its tools have at most 48 characters.
const SERVER_NAME_MAX: usize = 20;

/// Collects problems with their pointers.
#[derive(Default)]
struct LoadProblems(Vec<RequestProblem>);

impl LoadProblems {
    fn report(&mut self, pointer: impl AsRef<str>, message: impl Display) {
        self.0.push(RequestProblem::new(pointer, message));
    }

    fn selection(&mut self, pointer: &str, selection: &CallerSelection) {
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
            let below = member_pointer(&format!("{pointer}/agent_tools"), &selection.name);
            self.selection(&below, selection);
        }
        if let (Some(a), Some(b)) = (phase.limits.max_turns, phase.tools.max_turns)
            && a != b
        {
            let message =
                format!("`limits.max_turns` is {a} and `tools.max_turns` is {b}: set one");
            self.report(pointer, message);
        }
        self.runs(pointer, phase);
    }

    /// What is said about a phase as part of a pipeline.
    fn runs(&mut self, pointer: &str, phase: &Phase) {
        if phase.prompt.is_some() && phase.prompt_file.is_some() {
            let message = "a phase has a `prompt` or a `prompt_file`, not both";
            self.report(format!("{pointer}/prompt_file"), message);
        }
        if let Some(profile) = phase.flag_profile.as_ref().filter(|name| !is_profile(name)) {
            self.report(format!("{pointer}/flag_profile"), bad_profile(profile));
        }
        let needs_count = phase.failure_mode == FailureMode::RequireMinimum;
        let agents = phase.agents.len();
        match phase.min_count {
            None if needs_count => self.report(
                format!("{pointer}/failure_mode"),
                "`require_minimum` needs `min_count`, the number of agents that must succeed",
            ),
            Some(_) if !needs_count => self.report(
                format!("{pointer}/min_count"),
                "`min_count` is for `failure_mode = \"require_minimum\"`",
            ),
            Some(count) if count as usize > agents => self.report(
                format!("{pointer}/min_count"),
                format!("`min_count` is {count}, and the phase has {agents} agents"),
            ),
            _ => {}
        }
        if phase
            .retry_policy
            .as_ref()
            .is_some_and(|policy| policy.waits_s.is_empty())
        {
            let message = "`waits_s` lists the seconds before each repetition; leave it out for the usual ones";
            self.report(format!("{pointer}/retry_policy/waits_s"), message);
        }
        let mut seen = Vec::new();
        for agent in phase.agents.iter().map(|agent| &agent.text) {
            if seen.contains(&agent) {
                self.report(
                    format!("{pointer}/agents"),
                    format!("`{agent}` is listed twice"),
                );
            }
            seen.push(agent);
        }
        if let Some(gate) = &phase.gate {
            self.gate(&format!("{pointer}/gate"), gate);
        }
    }

    fn schedules(&mut self, schedules: &[Schedule]) {
        let mut names = Vec::new();
        for (index, schedule) in schedules.iter().enumerate() {
            let pointer = format!("/schedules/{index}");
            let name = schedule.name.as_str();
            if !Schedule::is_name(name) {
                let message = "a schedule has a `name` of 1 to 48 letters, digits, `_` and `-`";
                self.report(format!("{pointer}/name"), message);
            }
            if names.contains(&name) {
                let message = format!("two schedules are named `{name}`");
                self.report(format!("{pointer}/name"), message);
            }
            names.push(name);
            if relative_path_components(&schedule.plan).is_none_or(|parts| parts.is_empty()) {
                let message = format!(
                    "expected the path of a plan below the folder of this file, found `{}`",
                    schedule.plan
                );
                self.report(format!("{pointer}/plan"), message);
            }
            if let Err((key, message)) = schedule.timing() {
                let below = match key {
                    "" => pointer,
                    key => format!("{pointer}/{key}"),
                };
                self.report(below, message);
            }
        }
    }

    fn gate(&mut self, pointer: &str, gate: &PhaseGate) {
        let is_command = gate.kind == GateKind::VerificationPass;
        if is_command != gate.command.first().is_some_and(|word| !word.is_empty()) {
            let message = match is_command {
                true => "a `verification_pass` has a `command`, such as `[\"make\", \"check\"]`",
                false => "`command` is for the kind `verification_pass`",
            };
            self.report(pointer, message);
        }
        if gate.prompt.is_some() && gate.kind != GateKind::HumanApproval {
            self.report(
                format!("{pointer}/prompt"),
                "`prompt` is for the kind `human_approval`",
            );
        }
    }

    fn roots(&mut self, workspace: &WorkspaceConfig) {
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

    fn writable(&mut self, workspace: &WorkspaceConfig) {
        /// Names that no program writes, at any depth.
        const NEVER: [&str; 2] = [".git", ".mathchain"];
        for (index, path) in workspace.writable.iter().enumerate() {
            let parts = relative_path_components(path).filter(|parts| !parts.is_empty());
            let is_closed =
                |part: &String| NEVER.iter().any(|name| part.eq_ignore_ascii_case(name));
            if parts.is_none_or(|parts| parts.iter().any(is_closed)) {
                let message = format!(
                    "expected a folder below the first root, such as `build`, outside of `.git` and the state, found `{path}`"
                );
                self.report(format!("/workspace/writable/{index}"), message);
            }
        }
    }

    fn server(&mut self, server: &McpServer) {
        let pointer = member_pointer("/mcp_servers", &server.name);
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
            let pointer = member_pointer(&format!("{pointer}/env"), variable);
            if variable.is_empty() || variable.contains(['=', '\0']) {
                self.report(&pointer, "expected the name of a variable");
            }
            if McpServer::variable(value).is_some_and(str::is_empty) {
                self.report(&pointer, "expected the name of a variable after `env:`");
            }
        }
    }

    /// Neither the message nor the error repeats the text: it may be the key itself.
    fn service(&mut self, service: &OpenApiService) {
        let pointer = member_pointer("/openapi", &service.name);
        if crate::plugins::check_name(&service.name).is_err()
            || service.name.len() > SERVER_NAME_MAX
        {
            let message = format!(
                "expected a name of the form [a-z][a-z0-9_]* with at most {SERVER_NAME_MAX} characters, found `{}`",
                service.name
            );
            self.report(&pointer, message);
        }
        if relative_path_components(&service.document).is_none_or(|parts| parts.is_empty()) {
            let message = format!(
                "expected the path of a file below the folder of this one, found `{}`",
                service.document
            );
            self.report(format!("{pointer}/document"), message);
        }
        let url = &service.base_url;
        if !is_plain_url(url) || url.contains(['?', '#']) {
            let message = "`base_url` is an http(s) URL without a user, password, query or fragment, such as `https://api.example.org/v1`";
            self.report(format!("{pointer}/base_url"), message);
        }
        let is_local = ["http://127.", "http://[::1]", "http://localhost"]
            .iter()
            .any(|begin| url.starts_with(begin));
        if service.api_key.is_some() && url.starts_with("http://") && !is_local {
            let message = "a key is sent over `https` alone, but for this machine";
            self.report(format!("{pointer}/base_url"), message);
        }
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        let header = service.api_key_header.as_deref();
        if header.is_some_and(|header| header.is_empty() || !header.bytes().all(is_token)) {
            let message = "`api_key_header` is the name of a header, such as `x-api-key`";
            self.report(format!("{pointer}/api_key_header"), message);
        }
        self.key(&pointer, service.api_key.as_ref());
    }

    fn key(&mut self, pointer: &str, key: Option<&KeyVariable>) {
        if key.is_some_and(|key| key.variable().is_none()) {
            let message = "`api_key` names the environment variable that holds the key, such as `env:SEARCH_KEY`; the key itself does not belong here";
            self.report(format!("{pointer}/api_key"), message);
        }
    }
}

/// The pointer of a member of a table.
fn member_pointer(pointer: &str, key: &str) -> String {
    let mut pointer = pointer.to_owned();
    tool_core::path::push_key(&mut pointer, key);
    pointer
}

/// Adds every problem of a configuration that its schema does not show.
pub(super) fn check_config(
    config: &Config,
    document: &ParsedDocument,
    errors: &mut Vec<LoadError>,
) {
    let mut problems = LoadProblems::default();
    for role in config.roles.iter() {
        let message = match (&role.tools, &role.toolset) {
            (Some(_), Some(_)) => "a role has `tools` or `toolset`, not both",
            (None, None) => "a role needs `tools` or `toolset`; an empty list selects nothing",
            _ => continue,
        };
        problems.report(member_pointer("/roles", &role.name), message);
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
    check_phases(config, errors);
    for server in config.mcp_servers.iter() {
        problems.server(server);
    }
    problems.roots(&config.workspace);
    problems.writable(&config.workspace);
    let several = config.workspace.roots.is_some();
    for path in &config.permissions.filesystem.allowed_paths {
        if relative_path_components(path).is_none() && !several || path.contains(['*', '?']) {
            let message = format!(
                "expected paths of folders and files inside the workspace, relative to its root, found `{path}`"
            );
            let problem = RequestProblem::new("/permissions/filesystem/allowed_paths", message);
            problems.0.push(match path.starts_with('/') && !several {
                true => problem.hint(
                    "name the folder in `[workspace] roots`, and here by the same absolute path",
                ),
                false => problem,
            });
        }
    }
    if config.approvals.expire.ms() == 0 {
        let message = "expected how long a request lives, such as `12h`, found nothing";
        problems.report("/approvals/expire", message);
    }
    problems.schedules(&config.schedules);
    for service in config.openapi.iter() {
        problems.service(service);
    }
    for file in config.files.iter() {
        let path = &file.path;
        if relative_path_components(&path.text).is_none_or(|parts| parts.is_empty()) {
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
    document::report_problems(document, problems.0, errors);
}

/// Values in plain text of variables that are called secrets, which tables set for their programs; none is repeated.
pub(super) fn plain_secrets(document: &ParsedDocument) -> Vec<LoadError> {
    let mut errors = Vec::new();
    for table in ["cli", "agents", "mcp_servers"] {
        let programs = document.value.get(table).and_then(Value::as_object);
        for (program, settings) in programs.into_iter().flat_map(Object::iter) {
            for key in ["env", "env_vars"] {
                let variables = settings.get(key).and_then(Value::as_object);
                for (name, value) in variables.into_iter().flat_map(Object::iter) {
                    // What looks like a secret under any name is reported with the document.
                    let is_secret = |text: &str| {
                        is_plain_secret(name, text) && crate::redact::redact_text(text).1 == 0
                    };
                    if !value.as_str().is_some_and(is_secret) {
                        continue;
                    }
                    let pointer = member_pointer(
                        &member_pointer(&member_pointer(&format!("/{table}"), program), key),
                        name,
                    );
                    let place = document.place(&pointer);
                    errors.push(
                        LoadError::new(Some(&place), "a secret is written here in plain text")
                            .at(pointer)
                            .hint("keep it in a variable of the environment: write `env:NAME` for a server, name it in `env_passlist` of an agent"),
                    );
                }
            }
        }
    }
    errors
}

/// Reports dependencies on phases that do not exist, and cycles of them.
fn check_phases(config: &Config, errors: &mut Vec<LoadError>) {
    let names = || config.phases.iter().map(|phase| phase.name.as_str());
    for phase in &config.phases {
        for other in &phase.depends_on {
            if !names().any(|name| name == other.text) {
                errors.push(other.unknown("phase", names()));
            }
        }
    }
    if let Some(path) = find_phase_cycle(&config.phases) {
        let place = path.first().and_then(|phase| phase.place.as_ref());
        let names: Vec<&str> = path.iter().map(|phase| phase.name.as_str()).collect();
        let message = format!("phases depend on each other: {}", names.join(" -> "));
        errors.push(LoadError::new(place, message));
    }
}

/// The first cycle of dependencies, with its first phase at both ends.
fn find_phase_cycle(phases: &[Phase]) -> Option<Vec<&Phase>> {
    let mut done: Vec<&str> = Vec::new();
    loop {
        let open: Vec<&Phase> = phases
            .iter()
            .filter(|phase| !done.contains(&phase.name.as_str()))
            .collect();
        let waits = |phase: &Phase| {
            let mut names = phase.depends_on.iter().map(|other| other.text.as_str());
            names.find_map(|name| open.iter().find(|other| other.name == name).copied())
        };
        let before = done.len();
        done.extend(
            open.iter()
                .filter(|phase| waits(phase).is_none())
                .map(|phase| phase.name.as_str()),
        );
        if done.len() > before {
            continue;
        }
        // Every open phase waits for an open one: a walk along them meets one again.
        let mut path: Vec<&Phase> = vec![open.first()?];
        loop {
            let next = waits(path.last()?)?;
            let met = path.iter().position(|phase| phase.name == next.name);
            path.push(next);
            if let Some(start) = met {
                return Some(path.split_off(start));
            }
        }
    }
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
