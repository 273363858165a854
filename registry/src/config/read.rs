//! Reads configuration and roles out of a document; goes on after an error, so that all are reported.

use tool_core::Effect;
use tool_core::nearest::nearest;

use super::anomalies::anomalies;
use super::earlier::files;
use super::part::{Part, set};
use super::phases::{budget, phase, profile};
use super::services::{models, web};
use crate::agent_cli::cli_table;
use crate::document::Document;
use crate::error::{LoadError, LoadErrors};
use crate::model::{
    ApprovalsFrom, ChainDefaults, ChainMode, Config, Limits, OnError, Unattended, Workspace,
};
use crate::model::{
    Layer, Level, Match, Obligation, Permissions, Range, Role, Rule, Tools, Toolset, Verdict,
};

const TOP: [&str; 17] = [
    "version",
    "default_role",
    "workspace",
    "toolsets",
    "roles",
    "policies",
    "phases",
    "provider_profiles",
    "budgets",
    "permissions",
    "web",
    "limits",
    "chain",
    "models",
    "approvals",
    "cli",
    "files",
];

/// Reads a configuration as far as it can be read.
pub(crate) fn config(document: &Document) -> (Config, Vec<LoadError>) {
    let mut errors = document.secrets();
    // An empty file sets nothing.
    let config = match document.value.is_null() {
        true => Config::default(),
        false => whole(Part::root(document, &mut errors)),
    };
    (config, errors)
}

/// What a configuration can say.
pub(super) fn whole(part: Part<'_>) -> Config {
    let mut config = Config::default();
    let Some(mut top) = part.into_table(&TOP) else {
        return config;
    };
    top.version();
    if let Some(role) = top.selector("default_role") {
        config.default_role = role.text;
        config.default_role_place = role.place;
    }
    top.within("workspace", |part| config.workspace = workspace(part));
    top.each_named("toolsets", |name, part| {
        config.toolsets.extend(toolset(name, part))
    });
    top.each_named("roles", |name, part| config.roles.extend(role(name, part)));
    top.each("policies", |part| config.layers.extend(layer(part)));
    top.each("phases", |part| config.phases.extend(phase(part)));
    top.each_named("provider_profiles", |name, part| {
        config.profiles.extend(profile(name, part))
    });
    top.each_named("budgets", |task, part| {
        config.budgets.extend(budget(task, part))
    });
    top.within("permissions", |part| config.permissions = permissions(part));
    top.within("web", |part| config.web = web(part));
    top.within("limits", |part| config.limits = limits(part));
    top.within("chain", |part| config.chain = chain(part));
    top.within("models", |part| config.models = models(part));
    top.within("approvals", |part| approvals(part, &mut config));
    top.each_named("cli", |name, part| {
        config.clis.extend(cli_table(name, part))
    });
    top.within("files", |part| config.files = files(part));
    config
}

/// The roles of a roles file, and the contexts that kinds of tasks imply.
pub(crate) type RolesFile = (Vec<Role>, Vec<(String, Vec<String>)>);

/// Reads a roles file.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn roles_file(document: &Document) -> Result<RolesFile, LoadErrors> {
    let mut errors = Vec::new();
    let (mut roles, mut tasks) = (Vec::new(), Vec::new());
    if let Some(mut top) = Part::root(document, &mut errors).table(&["version", "roles", "tasks"]) {
        top.version();
        top.each_named("roles", |name, part| roles.extend(role(name, part)));
        top.each_named("tasks", |name, mut part| {
            let contexts = part.texts();
            for context in &contexts {
                if Layer::context(context).is_none() {
                    part.report(
                        format!("no context named `{context}`"),
                        nearest(context, ["read_only", "no_web"]),
                    );
                }
            }
            tasks.push((name, contexts));
        });
    }
    LoadErrors::check(errors)?;
    Ok((roles, tasks))
}

fn workspace(part: Part<'_>) -> Workspace {
    let mut workspace = Config::default().workspace;
    if let Some(mut table) = part.into_table(&["root", "state"]) {
        if let Some(root) = table.text("root") {
            workspace.root = root;
        }
        workspace.state = table.text("state");
    }
    workspace
}

fn toolset(name: String, part: Part<'_>) -> Option<Toolset> {
    let place = part.place();
    let mut table = part.into_table(&["include", "internal", "mcp", "exclude", "extends"])?;
    // An earlier system calls what is in it `internal` and, of other servers, `mcp`.
    let include = ["include", "internal", "mcp"]
        .into_iter()
        .flat_map(|key| table.selectors(key).unwrap_or_default())
        .collect();
    Some(Toolset {
        name,
        include,
        exclude: table.selectors("exclude").unwrap_or_default(),
        extends: table.selectors("extends").unwrap_or_default(),
        place: Some(place),
    })
}

fn role(name: String, part: Part<'_>) -> Option<Role> {
    let place = part.place();
    let mut table = part.into_table(&["description", "tools", "toolset", "deny"])?;
    let description = table.text("description").unwrap_or_default();
    let listed = table.selectors("tools");
    let named = table.selector("toolset");
    let tools = match (listed, named) {
        (Some(list), None) => Tools::List(list),
        (None, Some(name)) => Tools::Toolset(name),
        (Some(list), Some(_)) => {
            table.report("a role has `tools` or `toolset`, not both");
            Tools::List(list)
        }
        (None, None) => {
            table.report("a role needs `tools` or `toolset`; an empty list selects nothing");
            Tools::List(Vec::new())
        }
    };
    Some(Role {
        name,
        description,
        tools,
        deny: table.selectors("deny").unwrap_or_default(),
        place: Some(place),
    })
}

fn layer(part: Part<'_>) -> Option<Layer> {
    let place = part.place();
    let mut table = part.into_table(&["level", "name", "allow", "deny", "rules"])?;
    let level = table
        .one_of("level", Level::ALL.map(Level::as_str).as_slice())
        .and_then(|text| Level::parse(&text));
    table.need("level", "a layer needs its `level`");
    let level = level.unwrap_or(Level::Global);
    let name = table.text("name");
    match level {
        Level::Role | Level::Agent | Level::Phase | Level::Task if name.is_none() => {
            let level = level.as_str();
            table.report(format!(
                "a layer of level `{level}` needs the `name` of the {level}"
            ));
        }
        _ => {}
    }
    let mut layer = Layer::new(level, name.unwrap_or_default());
    layer.allow = table.selectors("allow");
    layer.deny = table.selectors("deny").unwrap_or_default();
    layer.place = Some(place);
    table.each("rules", |part| layer.rules.extend(rule(part)));
    Some(layer)
}

pub(crate) fn rule(part: Part<'_>) -> Option<Rule> {
    let place = part.place();
    let mut table = part.into_table(&["match", "decision", "priority", "obligations", "reason"])?;
    let decision = table
        .one_of("decision", &["allow", "ask", "deny"])
        .and_then(|text| Verdict::parse(&text));
    table.need(
        "decision",
        "a rule needs its `decision`: `allow`, `ask` or `deny`",
    );
    let mut matches = Match::default();
    table.within("match", |part| matches = condition(part));
    table.need("match", "a rule needs its `match`");
    let mut obligations = Vec::new();
    table.each("obligations", |part| obligations.extend(obligation(part)));
    Some(Rule {
        matches,
        decision: decision.unwrap_or(Verdict::Deny),
        priority: table.integer("priority").unwrap_or(0),
        obligations,
        reason: table.text("reason"),
        place: Some(place),
    })
}

const MATCH: [&str; 11] = [
    "tools",
    "role",
    "path",
    "argv",
    "url",
    "number",
    "bytes",
    "destructive",
    "effects",
    "args",
    "call",
];

fn condition(part: Part<'_>) -> Match {
    let mut matches = Match::default();
    let Some(mut table) = part.into_table(&MATCH) else {
        return matches;
    };
    matches.tools = table.selectors("tools").unwrap_or_default();
    matches.role = table.text("role");
    table.within("path", |part| paths(part, &mut matches));
    table.within("argv", |part| {
        matches.argv_prefix = one_list(part, "prefix")
    });
    table.within("url", |part| matches.url_host = one_list(part, "host"));
    table.within("number", |part| {
        matches.number = range(part, &["argument", "min", "max"])
    });
    table.within("bytes", |part| matches.bytes = range(part, &["min", "max"]));
    matches.destructive = table.truth("destructive");
    table.within("effects", |mut part| {
        let mut effects = Vec::new();
        part.items(|mut item| effects.extend(effect(&mut item)));
        matches.effects = Some(effects);
    });
    if table.has("args") {
        let mut args = Vec::new();
        table.each_named("args", |name, mut part| {
            args.extend(part.scalar().map(|value| (name, value)));
        });
        matches.args = Some(args);
    }
    matches.call = table.text("call");
    matches
}

fn paths(part: Part<'_>, matches: &mut Match) {
    let Some(mut table) = part.into_table(&["under", "glob"]) else {
        return;
    };
    matches.path_under = table.within("under", |mut part| part.text_or_texts());
    matches.path_glob = table.within("glob", |mut part| part.text_or_texts());
    if !table.has("under") && !table.has("glob") {
        table.report("expected `under`, `glob` or both here");
    }
}

fn effect(part: &mut Part<'_>) -> Option<Effect> {
    let names: Vec<&str> = Effect::ALL.iter().map(|effect| effect.as_str()).collect();
    let name = part.word(&names);
    let found = name.as_deref().and_then(Effect::parse);
    if found.is_none() && !part.value.is_null() {
        let found = part.value.as_str().unwrap_or_default();
        let near = nearest(found, names);
        part.report(format!("no effect named `{found}`"), near);
    }
    found
}

/// A table with one key that holds a text or a list of texts.
fn one_list(part: Part<'_>, key: &str) -> Option<Vec<String>> {
    let mut table = part.into_table(&[key])?;
    table.need(key, &format!("expected `{key}` here"));
    let mut list = Vec::new();
    table.within(key, |mut part| list = part.text_or_texts());
    Some(list)
}

fn range(part: Part<'_>, keys: &[&str]) -> Option<Range> {
    let mut table = part.into_table(keys)?;
    Some(Range {
        argument: table.text("argument"),
        min: table.number("min"),
        max: table.number("max"),
    })
}

fn obligation(mut part: Part<'_>) -> Option<Obligation> {
    if let Some(name) = part.word(&["backup", "notify", "redact"]) {
        return match name.as_str() {
            "backup" => Some(Obligation::Backup),
            "notify" => Some(Obligation::Notify),
            "redact" => Some(Obligation::Redact),
            other => {
                let near = nearest(
                    other,
                    ["backup", "notify", "redact", "max_bytes", "timeout_ms"],
                );
                part.report(format!("no obligation named `{other}`"), near);
                None
            }
        };
    }
    let mut table = part.into_table(&["max_bytes", "timeout_ms"])?;
    let (bytes, ms) = (table.positive("max_bytes"), table.positive("timeout_ms"));
    match (bytes, ms) {
        (Some(bytes), None) => Some(Obligation::MaxBytes(bytes)),
        (None, Some(ms)) => Some(Obligation::TimeoutMs(ms)),
        _ => {
            table.report("an obligation is `max_bytes` or `timeout_ms`, one each");
            None
        }
    }
}

fn permissions(part: Part<'_>) -> Permissions {
    let mut found = Permissions::default();
    let Some(mut table) = part.into_table(&["network", "filesystem", "shell", "compute"]) else {
        return found;
    };
    const ASKS: &str = "requires_approval";
    table.within("network", |part| {
        if let Some(mut table) = part.into_table(&[ASKS, "allowed_hosts", "allow_private"]) {
            set(&mut found.network_asks, table.truth(ASKS));
            set(&mut found.allowed_hosts, table.list("allowed_hosts"));
            set(&mut found.allow_private, table.list("allow_private"));
        }
    });
    table.within("filesystem", |part| {
        if let Some(mut table) = part.into_table(&[ASKS, "allowed_paths"]) {
            set(&mut found.filesystem_asks, table.truth(ASKS));
            if let Some(paths) = table.list("allowed_paths") {
                for path in &paths {
                    if crate::policy::components(path).is_none() || path.contains(['*', '?']) {
                        table.report(format!("expected paths of folders and files inside the workspace, relative to its root, found `{path}`"));
                    }
                }
                found.allowed_paths = paths;
            }
        }
    });
    table.within("shell", |part| {
        if let Some(mut table) = part.into_table(&[ASKS]) {
            set(&mut found.shell_asks, table.truth(ASKS));
        }
    });
    table.within("compute", |part| {
        if let Some(mut table) = part.into_table(&[ASKS]) {
            set(&mut found.compute_asks, table.truth(ASKS));
        }
    });
    found
}

fn limits(part: Part<'_>) -> Limits {
    let mut limits = Limits::default();
    if let Some(mut table) = part.into_table(&[
        "max_input_bytes",
        "timeout_ms",
        "max_output_bytes",
        "memory_bytes",
    ]) {
        set(
            &mut limits.max_input_bytes,
            table.positive("max_input_bytes"),
        );
        set(&mut limits.timeout_ms, table.positive("timeout_ms"));
        set(
            &mut limits.max_output_bytes,
            table.positive("max_output_bytes"),
        );
        set(&mut limits.memory_bytes, table.positive("memory_bytes"));
    }
    limits
}

fn approvals(part: Part<'_>, config: &mut Config) {
    let Some(mut table) = part.into_table(&["unattended", "from"]) else {
        return;
    };
    if table.one_of("unattended", &["pending", "deny"]).as_deref() == Some("deny") {
        config.unattended = Unattended::Deny;
    }
    if table.one_of("from", &["terminal", "key"]).as_deref() == Some("key") {
        config.approvals_from = ApprovalsFrom::Key;
    }
}

fn chain(part: Part<'_>) -> ChainDefaults {
    let mut chain = ChainDefaults::default();
    let Some(mut table) = part.into_table(&["mode", "parallel_mutations", "on_error", "anomalies"])
    else {
        return chain;
    };
    set(&mut chain.anomalies, table.within("anomalies", anomalies));
    if table.one_of("mode", &["dep", "seq"]).as_deref() == Some("seq") {
        chain.mode = ChainMode::Seq;
    }
    set(
        &mut chain.parallel_mutations,
        table.truth("parallel_mutations"),
    );
    chain.on_error = match table
        .one_of("on_error", &["fail_chain", "skip_dependents", "continue"])
        .as_deref()
    {
        Some("skip_dependents") => OnError::SkipDependents,
        Some("continue") => OnError::Continue,
        _ => OnError::FailChain,
    };
    chain
}
