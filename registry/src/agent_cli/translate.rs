//! From what an agent may do to the arguments and the configuration file of its command line.

use tool_core::Value;
use tool_core::nearest::nearest;
use tool_core::spec::wire_name;

use super::managed;
use super::read::is_profile;
use super::template::{Known, Lists, expand, fill, lay, mentions};
use super::{CliArgs, CliRequest, CliSpec, CliTool, ConfigFile, PromptVia, Unenforced};
use crate::agents::ToolName;
use crate::aliases::Aliases;
use crate::policy::{Confinement, Verdict};

/// The name that our own server has at agent command lines.
const OWN_SERVER: &str = "mathchain";

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
    permission: Confinement,
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

    fn name(&mut self, aliases: &Aliases, tool: &ToolName, verdict: Verdict) -> Option<Known> {
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
            ToolName::Tool(id) => {
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
            ToolName::External(name) => {
                let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
                Some(of_server(server, tool))
            }
            ToolName::Provider(name) => {
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
        let mut limited = servers.clone();
        for own in known.iter().filter(|own| !own.shown()) {
            if let Some((server, _)) = &own.of_server
                && server != OWN_SERVER
            {
                limited.entry(server).or_default(); // none of its tools
            }
        }
        for (server, tools) in &limited {
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
            match &own.of_server {
                // Calls of our own tools come back here, and here they ask.
                Some((server, _)) if server == OWN_SERVER => {}
                Some(_) if approval.servers_never_ask.is_some() => {
                    let why = approval.servers_never_ask.as_deref().unwrap_or_default();
                    self.unenforced(format!("`{}` never asks there: {why}", own.name));
                }
                None if approval.never_asks.contains(&own.name) => {
                    self.unenforced(format!("`{}` never asks there", own.name));
                }
                _ if !self.cli.can_ask() => {
                    self.unenforced(format!("`{}` does not ask there", own.name));
                }
                _ => {}
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
