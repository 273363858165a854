//! Reads configuration and roles out of a document; goes on after an error, so that all are reported.

use tool_core::nearest::nearest;
use tool_core::path::{push_index, push_key};
use tool_core::{Object, Value};

use super::{
    ChainDefaults, ChainMode, Config, Limits, ModelEndpoint, Models, OnError, Web, WebSearch,
    Workspace,
};
use crate::document::Document;
use crate::error::{LoadError, LoadErrors};
use crate::policy::{
    Layer, Level, Match, Obligation, Permissions, Range, Role, RoleTools, Rule, Selector, Toolset,
    Verdict,
};

const TOP: [&str; 11] = [
    "version",
    "default_role",
    "workspace",
    "toolsets",
    "roles",
    "policies",
    "permissions",
    "web",
    "limits",
    "chain",
    "models",
];
/// Keys of the format that this release does not read yet.
const LATER: [&str; 3] = ["phases", "cli", "provider_profiles"];

/// Reads a configuration as far as it can be read.
pub(crate) fn config(document: &Document) -> (Config, Vec<LoadError>) {
    let mut errors = Vec::new();
    let mut config = Config::default();
    if document.value.is_null() {
        return (config, errors); // an empty file sets nothing
    }
    let mut root = Part::root(document, &mut errors);
    root.later(&LATER);
    if let Some(mut top) = root.table(&TOP) {
        top.version();
        if let Some(role) = top.text("default_role") {
            config.default_role = role;
            config.default_role_place = Some(document.place("/default_role"));
        }
        top.within("workspace", |part| config.workspace = workspace(part));
        top.each_named("toolsets", |name, part| {
            config.toolsets.extend(toolset(name, part))
        });
        top.each_named("roles", |name, part| config.roles.extend(role(name, part)));
        top.each("policies", |part| config.layers.extend(layer(part)));
        top.within("permissions", |part| config.permissions = permissions(part));
        top.within("web", |part| config.web = web(part));
        top.within("limits", |part| config.limits = limits(part));
        top.within("chain", |part| config.chain = chain(part));
        top.within("models", |part| config.models = models(part));
    }
    (config, errors)
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
    let mut table = part.into_table(&["include", "exclude", "extends"])?;
    Some(Toolset {
        name,
        include: table.selectors("include").unwrap_or_default(),
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
        (Some(list), None) => RoleTools::List(list),
        (None, Some(name)) => RoleTools::Toolset(name),
        (Some(list), Some(_)) => {
            table.report("a role has `tools` or `toolset`, not both");
            RoleTools::List(list)
        }
        (None, None) => {
            table.report("a role needs `tools` or `toolset`; an empty list selects nothing");
            RoleTools::List(Vec::new())
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
    if level.is_none() && !table.has("level") {
        table.report("a layer needs its `level`");
    }
    let level = level.unwrap_or(Level::Global);
    let name = table.text("name");
    match level {
        Level::Role if name.is_none() => {
            table.report("a layer of level `role` needs the `name` of the role")
        }
        Level::Agent | Level::Phase | Level::Task | Level::Delegation => {
            table.report(format!(
                "layers of level `{}` in a configuration come with a later release",
                level.as_str()
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

fn rule(part: Part<'_>) -> Option<Rule> {
    let place = part.place();
    let mut table = part.into_table(&["match", "decision", "obligations", "reason"])?;
    let decision = table
        .one_of("decision", &["allow", "ask", "deny"])
        .and_then(|text| Verdict::parse(&text));
    if decision.is_none() && !table.has("decision") {
        table.report("a rule needs its `decision`: `allow`, `ask` or `deny`");
    }
    let mut matches = Match::default();
    if table.has("match") {
        table.within("match", |part| matches = condition(part));
    } else {
        table.report("a rule needs its `match`");
    }
    let mut obligations = Vec::new();
    table.each("obligations", |part| obligations.extend(obligation(part)));
    Some(Rule {
        matches,
        decision: decision.unwrap_or(Verdict::Deny),
        obligations,
        reason: table.text("reason"),
        place: Some(place),
    })
}

fn condition(part: Part<'_>) -> Match {
    let mut matches = Match::default();
    let Some(mut table) =
        part.into_table(&["tools", "role", "path", "argv", "url", "number", "bytes"])
    else {
        return matches;
    };
    matches.tools = table.selectors("tools").unwrap_or_default();
    matches.role = table.text("role");
    table.within("path", |part| matches.path_under = one_list(part, "under"));
    table.within("argv", |part| {
        matches.argv_prefix = one_list(part, "prefix")
    });
    table.within("url", |part| matches.url_host = one_list(part, "host"));
    table.within("number", |part| {
        matches.number = range(part, &["argument", "min", "max"])
    });
    table.within("bytes", |part| matches.bytes = range(part, &["min", "max"]));
    matches
}

/// A table with one key that holds a text or a list of texts.
fn one_list(part: Part<'_>, key: &str) -> Option<Vec<String>> {
    let mut table = part.into_table(&[key])?;
    if !table.has(key) {
        table.report(format!("expected `{key}` here"));
    }
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
    if let Some(name) = part.value.as_str() {
        return match name {
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
                    if crate::policy::components(path).is_none() {
                        table.report(format!("expected paths inside the workspace, relative to its root, found `{path}`"));
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

fn web(part: Part<'_>) -> Web {
    let mut web = Web::default();
    let keys = [
        "allow_hosts",
        "deny_hosts",
        "timeout_s",
        "bytes_max",
        "services",
        "search",
    ];
    let Some(mut table) = part.into_table(&keys) else {
        return web;
    };
    web.allow_hosts = table.list("allow_hosts");
    set(&mut web.deny_hosts, table.list("deny_hosts"));
    web.timeout_s = table.positive("timeout_s");
    web.bytes_max = table.positive("bytes_max");
    table.each_named("services", |name, mut part| {
        web.services
            .extend(part.as_text().map(|address| (name, address)));
    });
    table.within("search", |part| web.search = web_search(part));
    web
}

fn web_search(part: Part<'_>) -> Option<WebSearch> {
    let mut table = part.into_table(&["provider", "endpoint", "api_key"])?;
    let provider = table.one_of("provider", &["wikipedia", "searxng", "brave"]);
    if provider.is_none() && !table.has("provider") {
        table.report("`web.search` needs its `provider`");
    }
    let endpoint = table.text("endpoint");
    let key = table.text("api_key");
    let variable = key.as_deref().and_then(|key| key.strip_prefix("env:"));
    if key.is_some() && variable.is_none_or(str::is_empty) {
        table.report("`api_key` names the environment variable that holds the key, such as `env:BRAVE_KEY`; the key itself does not belong here");
    }
    Some(WebSearch {
        provider: provider?,
        endpoint,
        api_key_variable: variable.map(str::to_owned),
    })
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

fn chain(part: Part<'_>) -> ChainDefaults {
    let mut chain = ChainDefaults::default();
    let Some(mut table) = part.into_table(&["mode", "parallel_mutations", "on_error"]) else {
        return chain;
    };
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

fn models(part: Part<'_>) -> Models {
    let mut models = Models::default();
    if let Some(mut table) = part.into_table(&["embeddings", "chat", "vision"]) {
        table.within("embeddings", |part| {
            models.embeddings = model_endpoint(part)
        });
        table.within("chat", |part| models.chat = model_endpoint(part));
        table.within("vision", |part| models.vision = model_endpoint(part));
    }
    models
}

/// Secrets stay outside: neither the URL nor the key may hold one, and no error repeats what was written there.
fn model_endpoint(part: Part<'_>) -> Option<ModelEndpoint> {
    let mut table = part.into_table(&["endpoint", "api_key", "model", "timeout_ms"])?;
    let endpoint = table.text("endpoint");
    match endpoint.as_deref() {
        None if !table.has("endpoint") => table.report("a model needs its `endpoint`"),
        Some(url) if !is_plain_url(url) => table.report(
            "`endpoint` is an http(s) URL without a user or password, such as `http://127.0.0.1:8080/v1/embeddings`",
        ),
        _ => {}
    }
    let key = table.text("api_key");
    let variable = key.as_deref().and_then(|key| key.strip_prefix("env:"));
    if key.is_some() && !variable.is_some_and(is_variable) {
        table.report("`api_key` names the environment variable that holds the key, such as `env:EMBED_KEY`; the key itself does not belong here");
    }
    Some(ModelEndpoint {
        endpoint: endpoint?,
        api_key_variable: variable.map(str::to_owned),
        model: table.text("model"),
        timeout_ms: table.positive("timeout_ms"),
    })
}

fn is_plain_url(url: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', '\\']).next());
    let printable = url.bytes().all(|byte| byte.is_ascii_graphic());
    printable && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}

fn is_variable(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(word) && name.starts_with(|first: char| !first.is_ascii_digit())
}

fn set<T>(slot: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *slot = value;
    }
}

/// A value of the document with its pointer.
struct Part<'a> {
    document: &'a Document,
    errors: &'a mut Vec<LoadError>,
    pointer: String,
    value: Value,
    later: &'static [&'static str],
}

impl<'a> Part<'a> {
    fn root(document: &'a Document, errors: &'a mut Vec<LoadError>) -> Self {
        Part {
            document,
            errors,
            pointer: String::new(),
            value: document.value.clone(),
            later: &[],
        }
    }

    fn later(&mut self, keys: &'static [&'static str]) {
        self.later = keys;
    }

    fn place(&self) -> crate::error::Place {
        self.document.place(&self.pointer)
    }

    fn report(&mut self, message: String, near: Option<&str>) {
        let mut error = LoadError::new(Some(&self.document.place(&self.pointer)), message)
            .at(self.pointer.clone());
        error.hint = near.map(|near| format!("did you mean `{near}`?"));
        self.errors.push(error);
    }

    /// The value as a table with these keys only.
    fn table(self, keys: &[&str]) -> Option<Table<'a>> {
        self.into_table(keys)
    }

    fn into_table(mut self, keys: &[&str]) -> Option<Table<'a>> {
        let Value::Object(object) = self.value.clone() else {
            self.report(
                format!("expected a table, found {}", self.value.kind()),
                None,
            );
            return None;
        };
        for (key, _) in object.iter() {
            if keys.contains(&key) {
                continue;
            }
            let later = self.later.contains(&key);
            let mut part = self.child_key(key);
            if later {
                part.report(format!("`{key}` comes with a later release"), None);
            } else {
                part.report(
                    format!("unknown key `{key}`"),
                    nearest(key, keys.iter().copied()),
                );
            }
        }
        Some(Table {
            part: self,
            object: object.as_ref().clone(),
        })
    }

    fn child_key(&mut self, key: &str) -> Part<'_> {
        let mut pointer = self.pointer.clone();
        push_key(&mut pointer, key);
        Part {
            document: self.document,
            errors: self.errors,
            value: self.value.get(key).cloned().unwrap_or_default(),
            pointer,
            later: &[],
        }
    }

    fn child_index(&mut self, index: usize, value: Value) -> Part<'_> {
        let mut pointer = self.pointer.clone();
        push_index(&mut pointer, index);
        Part {
            document: self.document,
            errors: self.errors,
            value,
            pointer,
            later: &[],
        }
    }

    /// The value as a list; each item with its own pointer.
    fn items(&mut self, mut each: impl FnMut(Part<'_>)) {
        match self.value.items() {
            Some(items) => {
                for (index, item) in items.into_iter().enumerate() {
                    each(self.child_index(index, item));
                }
            }
            None => self.report(
                format!("expected a list, found {}", self.value.kind()),
                None,
            ),
        }
    }

    fn as_text(&mut self) -> Option<String> {
        let text = self.value.as_str().map(str::to_owned);
        if text.is_none() {
            self.report(format!("expected text, found {}", self.value.kind()), None);
        }
        text
    }

    fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        self.items(|mut item| texts.extend(item.as_text()));
        texts
    }

    fn text_or_texts(&mut self) -> Vec<String> {
        match self.value.as_str() {
            Some(text) => vec![text.to_owned()],
            None => self.texts(),
        }
    }

    fn as_selector(&mut self) -> Option<Selector> {
        let place = Some(self.place());
        self.as_text().map(|text| Selector { text, place })
    }
}

/// A table whose keys are known to be expected.
struct Table<'a> {
    part: Part<'a>,
    object: Object,
}

impl Table<'_> {
    fn has(&self, key: &str) -> bool {
        self.object.get(key).is_some()
    }

    fn report(&mut self, message: impl Into<String>) {
        self.part.report(message.into(), None);
    }

    fn within<T>(&mut self, key: &str, read: impl FnOnce(Part<'_>) -> T) -> Option<T> {
        self.has(key).then(|| read(self.part.child_key(key)))
    }

    fn version(&mut self) {
        if !self.has("version") {
            self.report("expected `version = 1`");
        }
        self.within("version", |mut part| {
            if part.value.as_i64() != Some(1) {
                part.report(
                    format!("expected version 1, found {}", part.value.kind()),
                    None,
                );
            }
        });
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.within(key, |mut part| part.as_text()).flatten()
    }

    fn truth(&mut self, key: &str) -> Option<bool> {
        self.within(key, |mut part| {
            let truth = part.value.as_bool();
            if truth.is_none() {
                part.report(
                    format!("expected true or false, found {}", part.value.kind()),
                    None,
                );
            }
            truth
        })
        .flatten()
    }

    fn number(&mut self, key: &str) -> Option<f64> {
        self.within(key, |mut part| {
            let number = part.value.as_f64();
            if number.is_none() {
                part.report(
                    format!("expected a number, found {}", part.value.kind()),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    fn positive(&mut self, key: &str) -> Option<u64> {
        self.within(key, |mut part| {
            let number = part
                .value
                .as_i64()
                .and_then(|number| u64::try_from(number).ok())
                .filter(|number| *number > 0);
            if number.is_none() {
                part.report(
                    format!(
                        "expected an integer of at least 1, found {}",
                        part.value.kind()
                    ),
                    None,
                );
            }
            number
        })
        .flatten()
    }

    fn one_of(&mut self, key: &str, names: &[&str]) -> Option<String> {
        self.within(key, |mut part| {
            let text = part.as_text()?;
            if names.contains(&text.as_str()) {
                return Some(text);
            }
            part.report(
                format!("expected one of `{}`, found `{text}`", names.join("`, `")),
                nearest(&text, names.iter().copied()),
            );
            None
        })
        .flatten()
    }

    fn list(&mut self, key: &str) -> Option<Vec<String>> {
        self.within(key, |mut part| part.texts())
    }

    fn selector(&mut self, key: &str) -> Option<Selector> {
        self.within(key, |mut part| part.as_selector()).flatten()
    }

    /// `None` when the key is absent; present but empty is an empty list.
    fn selectors(&mut self, key: &str) -> Option<Vec<Selector>> {
        self.within(key, |mut part| {
            let mut list = Vec::new();
            part.items(|mut item| list.extend(item.as_selector()));
            list
        })
    }

    fn each(&mut self, key: &str, mut read: impl FnMut(Part<'_>)) {
        self.within(key, |mut part| part.items(&mut read));
    }

    fn each_named(&mut self, key: &str, mut read: impl FnMut(String, Part<'_>)) {
        self.within(key, |mut part| {
            let Some(object) = part.value.as_object().cloned() else {
                part.report(
                    format!("expected a table, found {}", part.value.kind()),
                    None,
                );
                return;
            };
            for (name, _) in object.iter() {
                read(name.to_owned(), part.child_key(name));
            }
        });
    }
}
