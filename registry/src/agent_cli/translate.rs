//! From what an agent may do to the arguments and the configuration file of its command line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tool_core::nearest::nearest;
use tool_core::spec::wire_name;
use tool_core::{Object, Value};

use super::managed;
use super::read::is_profile;
use super::{CliSpec, PromptVia, Unenforced};
use crate::agents::Selected;
use crate::aliases::Aliases;
use crate::policy::Verdict;

/// What templates can name.
pub(super) const PLACEHOLDERS: [&str; 14] = [
    "native", "visible", "allow", "ask", "deny", "servers", "turns", "model", "prompt", "server",
    "tool", "tools", "rule", "verdict",
];

/// The name that our own server has at agent command lines.
const OWN_SERVER: &str = "mathchain";

/// What an agent may change, whatever its tools could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Permission {
    /// Nothing.
    #[default]
    ReadOnly,
    /// Files of the workspace; no network.
    WorkspaceWrite,
    /// What its tools can.
    FullAccess,
}

impl Permission {
    /// Every permission, the narrowest first.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::WorkspaceWrite, Self::FullAccess];

    /// The spelling in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::FullAccess => "full-access",
        }
    }

    /// Reads the spelling back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// A tool of an agent and what may happen to its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliTool {
    /// Which.
    pub tool: Selected,
    /// Calls without arguments that say otherwise.
    pub verdict: Verdict,
}

/// What an agent command line is to be told.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliRequest<'a> {
    /// The agent's tools; `None` leaves its own defaults alone.
    pub tools: Option<&'a [CliTool]>,
    /// What it may change.
    pub permission: Permission,
    /// Most turns; 0 is no limit.
    pub max_turns: u64,
    /// Which of its profiles.
    pub profile: Option<&'a str>,
    /// Its task; without one it reads stdin.
    pub prompt: Option<&'a str>,
}

/// How to start an agent command line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CliArgs {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// What has to be in a file.
    pub config: Option<ConfigFile>,
    /// What a reader should know.
    pub warnings: Vec<String>,
    /// Turns that whoever runs it has to count, since it does not.
    pub count_turns: Option<u64>,
}

/// A file that an agent command line reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Where it looks for it.
    pub file: String,
    /// The environment variable that names another file for one run.
    pub variable: Option<String>,
    /// JSON.
    pub text: String,
}

/// A tool as the command line knows it.
#[derive(Debug, Clone)]
struct Known {
    /// What makes it visible.
    name: String,
    /// What rules call it.
    rule: String,
    /// Server and tool, where it belongs to one.
    of_server: Option<(String, String)>,
    verdict: Verdict,
}

/// Says how to start an agent command line.
///
/// # Errors
/// All that it cannot be told or cannot enforce.
pub fn translate(
    cli: &CliSpec,
    aliases: &Aliases,
    request: &CliRequest<'_>,
) -> Result<CliArgs, Vec<String>> {
    let mut work = Work {
        cli,
        permission: request.permission,
        problems: Vec::new(),
        args: CliArgs::default(),
    };
    let profile = work.profile(request.profile);
    work.start(request.prompt);
    match request.tools {
        None => work.args.argv.extend(profile),
        Some(tools) => {
            let (kept, taken) = managed::strip(cli, &profile);
            if !taken.is_empty() {
                work.args.warnings.push(format!(
                    "left out of the profile, since the agent's tools set it: {}",
                    taken.join(" ")
                ));
            }
            work.args.argv.extend(kept);
            let known = work.known(aliases, tools);
            let lists = Lists::new(cli, &known, request.max_turns);
            work.visibility(&known, &lists);
            work.approval(&known, &lists);
            work.turns(request.max_turns, &lists);
            work.sandbox(&known, &lists);
            work.args.argv.extend(cli.output.iter().cloned());
            work.config(&lists);
        }
    }
    if work.problems.is_empty() {
        Ok(work.args)
    } else {
        Err(work.problems)
    }
}

struct Work<'a> {
    cli: &'a CliSpec,
    permission: Permission,
    problems: Vec<String>,
    args: CliArgs,
}

impl Work<'_> {
    /// What it cannot enforce.
    fn unenforced(&mut self, what: String) {
        let text = format!("{} cannot enforce it: {what}", self.cli.name);
        match self.cli.unenforced {
            Unenforced::Error => self.problems.push(text),
            Unenforced::Warn => self.args.warnings.push(text),
        }
    }

    fn profile(&mut self, name: Option<&str>) -> Vec<String> {
        let Some(name) = name else { return Vec::new() };
        if !is_profile(name) {
            let shown: String = name.chars().take(80).collect();
            self.problems.push(format!(
                "`{shown}` is no name for a profile: letters, digits, `.`, `_` and `-`"
            ));
            return Vec::new();
        }
        if let Some(tokens) = self.cli.flags.get(name) {
            return tokens.clone();
        }
        let names: Vec<&str> = self.cli.flags.keys().map(String::as_str).collect();
        let near = nearest(name, names.iter().copied())
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        let there = if names.is_empty() {
            "it has none".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        self.args.warnings.push(format!(
            "{} has no profile `{name}`: {there}{near}",
            self.cli.name
        ));
        Vec::new()
    }

    /// Program, task and model.
    fn start(&mut self, prompt: Option<&str>) {
        let cli = self.cli;
        self.args.argv.push(cli.binary.clone());
        self.args.argv.extend(cli.subcommand.iter().cloned());
        match prompt {
            Some(text) if cli.prompt_via == PromptVia::Argv => {
                let alone = cli.prompt_argv.iter().any(|token| token == "{prompt}");
                if text.contains('\0') {
                    self.problems
                        .push("a task as an argument cannot contain a zero byte".to_owned());
                } else if alone && text.starts_with('-') {
                    self.problems.push(format!(
                        "{} would read a task that begins with `-` as a flag; set `prompt_via = \"stdin\"`",
                        cli.name
                    ));
                }
                let put =
                    |token: &String| expand(token, &|word| (word == "prompt").then_some(text));
                self.args.argv.extend(cli.prompt_argv.iter().map(put));
            }
            _ => self.args.argv.extend(cli.prompt_stdin.iter().cloned()),
        }
        if let Some(model) = &cli.model {
            let put =
                |token: &String| expand(token, &|word| (word == "model").then_some(model.as_str()));
            self.args.argv.extend(cli.model_args.iter().map(put));
        }
    }

    /// The tools as the command line knows them, each once, with the strictest verdict.
    fn known(&mut self, aliases: &Aliases, tools: &[CliTool]) -> Vec<Known> {
        let mut known: Vec<Known> = Vec::new();
        for CliTool { tool, verdict } in tools {
            let Some(found) = self.name(aliases, tool, *verdict) else {
                continue;
            };
            match known.iter_mut().find(|other| other.name == found.name) {
                Some(other) => other.verdict = other.verdict.max(found.verdict),
                None => known.push(found),
            }
        }
        known
    }

    fn name(&mut self, aliases: &Aliases, tool: &Selected, verdict: Verdict) -> Option<Known> {
        let cli = self.cli;
        let native = |name: &str| Known {
            name: name.to_owned(),
            rule: cli.kinds.get(name).map_or(name, String::as_str).to_owned(),
            of_server: None,
            verdict,
        };
        let of_server = |server: &str, tool: &str| {
            let put = |template: &str| {
                expand(template, &|word| match word {
                    "server" => Some(server),
                    "tool" => Some(tool),
                    _ => None,
                })
            };
            Known {
                name: put(&cli.mcp_name),
                rule: put(cli.mcp_rule.as_deref().unwrap_or(&cli.mcp_name)),
                of_server: Some((server.to_owned(), tool.to_owned())),
                verdict,
            }
        };
        match tool {
            Selected::Tool(id) => {
                let own = cli.native.iter().find(|(_, ours)| *ours == id);
                let own = own
                    .map(|(name, _)| name.as_str())
                    .or_else(|| aliases.native(&cli.name, id))
                    .filter(|name| cli.tools.iter().any(|tool| tool == name));
                Some(match own {
                    Some(name) => native(name),
                    None => of_server(OWN_SERVER, &wire_name(id)),
                })
            }
            Selected::External(name) => {
                let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
                Some(of_server(server, tool))
            }
            Selected::Provider(name) => {
                let found = aliases
                    .provider_tool(name)
                    .and_then(|tool| tool.native.get(&cli.name));
                if found.is_none() {
                    self.args.warnings.push(format!(
                        "{} is not of the provider that runs `{name}` and does not get it",
                        cli.name
                    ));
                }
                found.map(|name| native(name))
            }
        }
    }

    fn visibility(&mut self, known: &[Known], lists: &Lists<'_>) {
        let cli = self.cli;
        let visible = |tool: &str| known.iter().any(|own| own.shown() && own.name == tool);
        self.put(&cli.visibility.args, lists);
        let servers = lists.servers();
        if servers.is_empty() {
            self.put(&cli.visibility.without_servers, lists);
        }
        for (server, tools) in &servers {
            let tools = Value::array(tools.iter().map(|tool| Value::from(*tool)).collect());
            let text = tool_core::json::to_text(&tools);
            let put = |token: &String| {
                expand(token, &|word| match word {
                    "server" => Some(server),
                    "tools" => Some(text.as_str()),
                    _ => None,
                })
            };
            self.args.argv.extend(cli.visibility.server.iter().map(put));
        }
        let by_list = cli.names_its_tools();
        for tool in cli.tools.iter().filter(|tool| !visible(tool)) {
            if let Some(off) = cli.visibility.off.get(tool) {
                if !off.args.is_empty() {
                    self.put(&off.args, lists);
                } else if !off.harmless.contains(&self.permission) {
                    let why = off.why.as_deref().unwrap_or("it cannot be hidden");
                    self.unenforced(format!("`{tool}` stays visible: {why}"));
                }
            } else if !by_list {
                self.unenforced(format!("`{tool}` stays visible: it cannot be hidden"));
            } else if cli.visibility.by_kind {
                let kind = cli.kind(tool);
                let other = known
                    .iter()
                    .find(|own| own.shown() && own.of_server.is_none() && own.rule == kind);
                if let Some(other) = other {
                    self.unenforced(format!(
                        "`{tool}` stays visible with `{}`: one setting, `{kind}`, is for both",
                        other.name
                    ));
                }
            }
        }
        if cli.tools.is_empty() && !by_list {
            self.unenforced("its own tools stay visible: its table names none".to_owned());
        }
        if let Some(why) = &cli.visibility.other_tools_of_servers {
            for server in servers.keys().filter(|server| **server != OWN_SERVER) {
                self.unenforced(format!("other tools of the server `{server}`: {why}"));
            }
        }
    }

    fn approval(&mut self, known: &[Known], lists: &Lists<'_>) {
        let approval = &self.cli.approval;
        for own in known.iter().filter(|own| own.shown()) {
            let rule = lists.rules.iter().find(|(name, _)| *name == own.rule);
            let verdict = rule.map_or(own.verdict, |(_, verdict)| *verdict);
            if own.verdict == Verdict::Allow && verdict == Verdict::Ask {
                self.args.warnings.push(format!(
                    "`{}` asks too: one rule, `{}`, is for it and for a tool that asks",
                    own.name, own.rule
                ));
            }
            if verdict != Verdict::Ask {
                continue;
            }
            if own.of_server.is_none() && approval.never_asks.contains(&own.name) {
                self.unenforced(format!("`{}` never asks there", own.name));
            } else if !self.cli.can_ask() {
                self.unenforced(format!("`{}` does not ask there", own.name));
            }
        }
        if !lists.allow.is_empty() {
            self.put(&approval.allow, lists);
        }
        if !lists.deny.is_empty() {
            self.put(&approval.deny, lists);
        }
        let asks = |own: &Known| own.of_server.is_none() && own.verdict == Verdict::Ask;
        self.put(
            if known.iter().any(asks) {
                &approval.some_ask
            } else {
                &approval.none_ask
            },
            lists,
        );
        for own in known {
            let Some((server, tool)) = &own.of_server else {
                continue;
            };
            let template = match own.verdict {
                Verdict::Allow => &approval.mcp_allow,
                Verdict::Ask => &approval.mcp_ask,
                Verdict::Deny => continue,
            };
            let put = |token: &String| {
                expand(token, &|word| match word {
                    "server" => Some(server.as_str()),
                    "tool" => Some(tool.as_str()),
                    _ => None,
                })
            };
            self.args.argv.extend(template.iter().map(put));
        }
    }

    fn turns(&mut self, turns: u64, lists: &Lists<'_>) {
        if turns == 0 {
            return;
        }
        let in_file = self
            .cli
            .config
            .as_ref()
            .is_some_and(|config| mentions(&config.value, "{turns}"));
        if !self.cli.turns.is_empty() {
            self.put(&self.cli.turns, lists);
        } else if !in_file {
            self.args.count_turns = Some(turns);
            self.args.warnings.push(format!(
                "{} has no limit on turns: whoever runs it counts to {turns}",
                self.cli.name
            ));
        }
    }

    fn sandbox(&mut self, known: &[Known], lists: &Lists<'_>) {
        let Some(sandbox) = self.cli.sandbox.get(&self.permission) else {
            let what = format!("its table has nothing for `{}`", self.permission.as_str());
            return self.unenforced(what);
        };
        self.put(&sandbox.args, lists);
        for (tool, why) in &sandbox.unenforced {
            if known.iter().any(|own| own.shown() && own.name == *tool) {
                self.unenforced(format!(
                    "`{}` with `{tool}`: {why}",
                    self.permission.as_str()
                ));
            }
        }
    }

    fn config(&mut self, lists: &Lists<'_>) {
        let Some(config) = &self.cli.config else {
            return;
        };
        let mut value = fill(&config.value, lists, None).unwrap_or_default();
        let over = self.cli.sandbox.get(&self.permission);
        if let Some(over) = over.and_then(|sandbox| sandbox.config.as_ref()) {
            value = lay(&value, over);
        }
        self.args.config = Some(ConfigFile {
            file: config.file.clone(),
            variable: config.variable.clone(),
            text: tool_core::json::to_text(&value),
        });
    }

    fn put(&mut self, templates: &[String], lists: &Lists<'_>) {
        for template in templates {
            let text = expand(template, &|word| lists.joined.get(word).map(String::as_str));
            self.args.argv.push(text);
        }
    }
}

impl Known {
    fn shown(&self) -> bool {
        self.verdict != Verdict::Deny
    }
}

impl CliSpec {
    fn kind<'a>(&'a self, tool: &'a str) -> &'a str {
        self.kinds.get(tool).map_or(tool, String::as_str)
    }

    /// Whether its visible tools are given to it as a list, so that all others are hidden.
    fn names_its_tools(&self) -> bool {
        let in_args = |word: &str| self.visibility.args.iter().any(|arg| arg.contains(word));
        ["{native}", "{visible}", "{rule}"].iter().any(|word| {
            in_args(word)
                || self
                    .config
                    .as_ref()
                    .is_some_and(|config| mentions(&config.value, word))
        })
    }

    /// Whether it asks for what it is not told to allow.
    fn can_ask(&self) -> bool {
        !self.approval.allow.is_empty()
            || !self.approval.some_ask.is_empty()
            || self
                .config
                .as_ref()
                .is_some_and(|config| mentions(&config.value, "{verdict}"))
    }
}

/// What the placeholders stand for.
struct Lists<'a> {
    native: Vec<&'a str>,
    visible: Vec<&'a str>,
    allow: Vec<&'a str>,
    ask: Vec<&'a str>,
    deny: Vec<&'a str>,
    /// Each rule once, with the strictest verdict of the visible tools it is about.
    rules: Vec<(&'a str, Verdict)>,
    of_servers: Vec<(&'a str, &'a str)>,
    turns: u64,
    joined: BTreeMap<&'static str, String>,
}

impl<'a> Lists<'a> {
    fn new(cli: &CliSpec, known: &'a [Known], turns: u64) -> Self {
        let mut rules: Vec<(&str, Verdict)> = Vec::new();
        for own in known.iter().filter(|own| own.shown()) {
            match rules.iter_mut().find(|(name, _)| *name == own.rule) {
                Some((_, verdict)) => *verdict = (*verdict).max(own.verdict),
                None => rules.push((&own.rule, own.verdict)),
            }
        }
        let mut denied: BTreeSet<&str> = BTreeSet::new();
        for own in known.iter().filter(|own| !own.shown()) {
            if rules.iter().all(|(name, _)| *name != own.rule) && denied.insert(&own.rule) {
                rules.push((&own.rule, Verdict::Deny));
            }
        }
        let with = |verdict: Verdict| -> Vec<&str> {
            let fits = rules.iter().filter(|(_, found)| *found == verdict);
            fits.map(|(name, _)| *name).collect()
        };
        let shown = || known.iter().filter(|own| own.shown());
        let of_servers: Vec<(&str, &str)> = shown()
            .filter_map(|own| own.of_server.as_ref())
            .map(|(server, tool)| (server.as_str(), tool.as_str()))
            .collect();
        let mut lists = Self {
            native: shown()
                .filter(|own| own.of_server.is_none())
                .map(|own| own.name.as_str())
                .collect(),
            visible: shown().map(|own| own.name.as_str()).collect(),
            allow: with(Verdict::Allow),
            ask: with(Verdict::Ask),
            deny: with(Verdict::Deny),
            rules,
            of_servers,
            turns,
            joined: BTreeMap::new(),
        };
        for word in ["native", "visible", "allow", "ask", "deny", "servers"] {
            let joined = lists.list(word).unwrap_or_default().join(",");
            lists.joined.insert(word, joined);
        }
        lists.joined.insert("turns", turns.to_string());
        lists
            .joined
            .insert("model", cli.model.clone().unwrap_or_default());
        lists
    }

    fn list(&self, word: &str) -> Option<Vec<&'a str>> {
        Some(match word {
            "native" => self.native.clone(),
            "visible" => self.visible.clone(),
            "allow" => self.allow.clone(),
            "ask" => self.ask.clone(),
            "deny" => self.deny.clone(),
            "servers" => self.servers().into_keys().collect(),
            _ => return None,
        })
    }

    /// The servers of visible tools, with those tools.
    fn servers(&self) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (server, tool) in &self.of_servers {
            servers.entry(server).or_default().push(tool);
        }
        servers
    }
}

/// Puts in what placeholders stand for; what is put in is not looked at again.
fn expand<'a>(template: &str, value: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        text.push_str(before);
        let word = after[1..].split_once('}').map(|(word, _)| word);
        match word.and_then(|word| Some((word, value(word)?))) {
            Some((word, found)) => {
                text.push_str(found);
                rest = &after[word.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &after[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// Fills a configuration file's template; a member without a value is left out.
fn fill(template: &Value, lists: &Lists<'_>, verdict: Option<Verdict>) -> Option<Value> {
    match template {
        Value::String(text) => {
            let word = text
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            match word {
                Some("turns") => {
                    let turns = i64::try_from(lists.turns).unwrap_or(i64::MAX);
                    (turns > 0).then(|| Value::from(turns))
                }
                Some("verdict") => verdict.map(|verdict| Value::from(verdict.as_str())),
                Some(word) => match lists.list(word) {
                    Some(list) => Some(Value::array(list.into_iter().map(Value::from).collect())),
                    None => Some(template.clone()),
                },
                None => Some(template.clone()),
            }
        }
        Value::Object(members) => {
            let mut filled = Object::new();
            for (key, member) in members.iter() {
                if key == "{rule}" {
                    for (rule, verdict) in &lists.rules {
                        if let Some(value) = fill(member, lists, Some(*verdict)) {
                            filled.insert(*rule, value);
                        }
                    }
                } else if let Some(value) = fill(member, lists, verdict) {
                    filled.insert(key, value);
                }
            }
            Some(Value::Object(Arc::new(filled)))
        }
        other => Some(match other.items() {
            Some(items) => Value::array(
                items
                    .iter()
                    .filter_map(|item| fill(item, lists, verdict))
                    .collect(),
            ),
            None => other.clone(),
        }),
    }
}

/// One tree over another: members join, anything else is replaced.
fn lay(base: &Value, over: &Value) -> Value {
    let (Value::Object(under), Value::Object(members)) = (base, over) else {
        return over.clone();
    };
    let mut joined = under.as_ref().clone();
    for (key, member) in members.iter() {
        let value = match under.get(key) {
            Some(below) => lay(below, member),
            None => member.clone(),
        };
        joined.insert(key, value);
    }
    Value::Object(Arc::new(joined))
}

/// Whether a placeholder occurs in a template.
fn mentions(template: &Value, word: &str) -> bool {
    match template {
        Value::String(text) => text.contains(word),
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| key == word || mentions(member, word)),
        other => other
            .items()
            .is_some_and(|items| items.iter().any(|item| mentions(item, word))),
    }
}
