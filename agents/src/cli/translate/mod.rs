//! Translates the permissions of an agent into arguments and a configuration file.

mod approval;
mod names;
pub(super) mod server;
mod visibility;

use tool_core::nearest::nearest_name;

use super::managed;
use super::template::{
    CliToolVerdict, PlaceholderLists, expand_placeholders, fill_config_template, has_placeholder,
    merge_trees,
};
use super::{CliArgs, CliConfigFile, CliRequest};
use registry::ToolAliases;
use registry::agent_cli::{bad_profile, is_profile};
use registry::model::{CliSpec, Confinement, PromptVia, Unenforced};

/// The name of mathchain's own server in agent CLIs.
const OWN_SERVER: &str = "mathchain";

/// Translates the permissions and the task of an agent into the command of its CLI.
///
/// # Errors
/// Everything the CLI cannot express or enforce.
pub fn translate_cli_request(
    cli: &CliSpec,
    aliases: &ToolAliases,
    request: &CliRequest<'_>,
) -> Result<CliArgs, Vec<String>> {
    let mut work = CliTranslation {
        cli,
        permission: request.permission,
        permission_is_own: request.permission_is_own,
        problems: Vec::new(),
        args: CliArgs {
            stream_format: cli.stream_format.clone(),
            ..CliArgs::default()
        },
    };
    let profile = work.profile(request.profile);
    work.start(request);
    match request.tools {
        None => {
            work.args.argv.extend(profile);
            if request.reads_output {
                work.put_words(&cli.output, request.words);
            }
        }
        Some(tools) => {
            let (kept, taken) = managed::strip_managed_arguments(cli, &profile);
            if !taken.is_empty() {
                work.args.warnings.push(format!(
                    "left out of the profile, since the agent's tools set it: {}",
                    taken.join(" ")
                ));
            }
            work.args.argv.extend(kept);
            let known = work.known(aliases, tools);
            let lists = PlaceholderLists::new(cli, &known, request.max_turns);
            let registered = work.registered(request.server, &lists);
            work.visibility(&known, &lists, registered.is_some());
            if let Some(own) = &registered {
                work.put(&cli.own_server.args, own);
            }
            work.approval(&known, &lists);
            work.turns(request.max_turns, &lists);
            work.sandbox(&known, &lists);
            work.put_words(&cli.output, request.words);
            work.config(&lists, registered.as_ref());
        }
    }
    match work.problems.is_empty() {
        true => Ok(work.args),
        false => Err(work.problems),
    }
}

struct CliTranslation<'a> {
    cli: &'a CliSpec,
    permission: Confinement,
    permission_is_own: bool,
    problems: Vec<String>,
    args: CliArgs,
}

impl CliTranslation<'_> {
    /// Reports a permission that the CLI cannot enforce.
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
            self.problems.push(bad_profile(name));
            return Vec::new();
        }
        if let Some(tokens) = self.cli.flags.get(name) {
            return tokens.clone();
        }
        let names: Vec<&str> = self.cli.flags.keys().map(String::as_str).collect();
        let near = nearest_name(name, names.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?"));
        let there = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("there are {}{}", names.join(", "), near.unwrap_or_default()),
        };
        let cli = &self.cli.name;
        self.args
            .warnings
            .push(format!("{cli} has no profile `{name}`: {there}"));
        Vec::new()
    }

    /// Program, task and model.
    fn start(&mut self, request: &CliRequest<'_>) {
        let (cli, prompt) = (self.cli, request.prompt);
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
                let words = [&[("prompt", text)], request.words].concat();
                self.put_words(&cli.prompt_argv, &words);
            }
            _ => self.put_words(&cli.prompt_stdin, request.words),
        }
        if let Some(model) = &cli.model {
            self.put_words(&cli.model_args, &[("model", model)]);
        }
    }

    /// Adds the limit on turns.
    fn turns(&mut self, turns: u64, lists: &PlaceholderLists<'_>) {
        if turns == 0 {
            return;
        }
        if !self.cli.turns.is_empty() {
            self.put(&self.cli.turns, lists);
        } else if !in_file(self.cli, "{turns}") {
            self.args.count_turns = Some(turns);
            let name = &self.cli.name;
            self.args.warnings.push(format!(
                "{name} has no limit on turns: the caller must stop it after {turns}"
            ));
        }
    }

    /// Adds the confinement of its programs.
    fn sandbox(&mut self, known: &[CliToolVerdict], lists: &PlaceholderLists<'_>) {
        let Some(sandbox) = self.cli.sandbox.get(&self.permission) else {
            let what = format!("its table has nothing for `{}`", self.permission.as_str());
            return self.unenforced(what);
        };
        self.put(&sandbox.args, lists);
        for (tool, why) in &sandbox.unenforced {
            if known.iter().any(|own| own.shown() && own.name == *tool) {
                let permission = self.permission.as_str();
                self.unenforced(format!("`{permission}` with `{tool}`: {why}"));
            }
        }
    }

    /// Makes the configuration file.
    fn config(&mut self, lists: &PlaceholderLists<'_>, own: Option<&PlaceholderLists<'_>>) {
        let Some(config) = &self.cli.config else {
            return;
        };
        let mut value = fill_config_template(&config.value, lists, None).unwrap_or_default();
        let of_server = own
            .and_then(|own| fill_config_template(self.cli.own_server.config.as_ref()?, own, None));
        if let Some(over) = &of_server {
            value = merge_trees(&value, over);
        }
        let over = self.cli.sandbox.get(&self.permission);
        if let Some(over) = over.and_then(|sandbox| sandbox.config.as_ref()) {
            value = merge_trees(&value, over);
        }
        self.args.config = Some(CliConfigFile {
            file: config.file.clone(),
            variable: config.variable.clone(),
            text: tool_core::json::to_text(&value),
        });
    }

    /// Adds templates with their lists substituted.
    fn put(&mut self, templates: &[String], lists: &PlaceholderLists<'_>) {
        let texts = templates.iter().map(|template| lists.expand(template));
        self.args.argv.extend(texts);
    }

    /// Adds templates with these words substituted.
    fn put_words(&mut self, templates: &[String], words: &[(&str, &str)]) {
        let texts = templates.iter().map(|template| with_words(template, words));
        self.args.argv.extend(texts);
    }
}

/// A template with these words substituted.
fn with_words(template: &str, words: &[(&str, &str)]) -> String {
    let value = |word: &str| words.iter().find(|(known, _)| *known == word);
    expand_placeholders(template, &|word| value(word).map(|(_, text)| *text))
}

/// Whether a placeholder occurs in the configuration file of a CLI.
fn in_file(cli: &CliSpec, word: &str) -> bool {
    let config = cli.config.as_ref();
    config.is_some_and(|config| has_placeholder(&config.value, word))
}
