//! Help: commands in groups, wrapped prose, and examples on lines of their own that a shell takes as they stand.

use std::io::IsTerminal as _;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _};
use registry::Catalogue;
use tool_core::AnyTool;

use super::prelude::*;
use super::{Cli, examples, flags, words};

/// The commands by purpose, in the order in which a newcomer meets them.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    ("Tools", &["call", "tools", "serve", "session"]),
    (
        "Plans",
        &[
            "run",
            "plan",
            "runs",
            "replay",
            "worker",
            "cluster",
            "schedule",
            "artifacts",
            "pipeline",
        ],
    ),
    (
        "Approvals",
        &[
            "approve",
            "deny",
            "approvals",
            "inbox",
            "console",
            "events",
            "workflow",
            "backups",
        ],
    ),
    (
        "Policy",
        &[
            "policy", "roles", "agents", "phases", "plugins", "keys", "trust",
        ],
    ),
    ("Records", &["audit", "state", "workspace"]),
    (
        "Setup",
        &[
            "init",
            "setup",
            "check",
            "doctor",
            "schema",
            "completions",
            "man",
            "help",
        ],
    ),
];

/// Prints the help that was asked for among the words of a command line.
pub(super) fn print_requested_help(words: &[String]) -> ExitCode {
    let mut command = Cli::command();
    command.build();
    let mut path = vec![&command];
    for word in words {
        let found = path[path.len() - 1].find_subcommand(word);
        path.extend(found);
        if word == "-h" || word == "--help" {
            break;
        }
    }
    let short = words.iter().any(|word| word == "-h");
    let found = path[path.len() - 1].clone();
    print_page(found, short, path.len() == 1)
}

/// Prints the help of a command or tool.
pub(super) fn print_help(global: &GlobalArgs, words: &[String]) -> Result<ExitCode> {
    let mut command = Cli::command();
    command.build();
    let mut found = &command;
    for (at, word) in words.iter().enumerate() {
        match found.find_subcommand(word) {
            Some(below) => found = below,
            None if at == 0 => return of_tool(global, word),
            None => return Err(unknown_command_error(found, word)),
        }
    }
    let found = found.clone();
    Ok(print_page(found, false, words.is_empty()))
}

fn of_tool(global: &GlobalArgs, name: &str) -> Result<ExitCode> {
    if let Some(text) = find_help_page(name) {
        write_stdout(text);
        return Ok(exit::OK.into());
    }
    let built_in = Catalogue::new(&mathchain::tool_families().collect::<Vec<_>>())?;
    if let Some(index) = built_in.called(name) {
        return Ok(print_tool_help(built_in.tool(index)));
    }
    let toolkit = open::read_only(global, false)?;
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    if let Some(index) = catalogue.called(name) {
        return Ok(print_tool_help(catalogue.tool(index)));
    }
    let command = Cli::command();
    let commands = command.get_subcommands().map(Command::get_name);
    let error = tool_error!(InvalidRequest, "no command or tool named `{name}`");
    let names = commands.chain(catalogue.ids());
    let otherwise = "`mathchain help` lists the commands, `mathchain tools list` the tools";
    Err(output::suggest_nearest_name(error, name, names, otherwise))
}

fn unknown_command_error(of: &Command, word: &str) -> ToolError {
    let name = of.get_bin_name().unwrap_or_else(|| of.get_name());
    let error = tool_error!(InvalidRequest, "`{name}` has no command `{word}`");
    let names = of.get_subcommands().map(Command::get_name);
    output::suggest_nearest_name(error, word, names, format!("see `{name} --help`"))
}

/// The text of a page of the documentation, by its name or its path.
fn find_help_page(name: &str) -> Option<&'static str> {
    let name = name.strip_prefix("docs/").unwrap_or(name);
    let name = name.strip_suffix(".md").unwrap_or(name);
    let mut pages = PAGES.iter();
    pages
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// Pages that help and errors refer to.
pub(super) const PAGES: &[(&str, &str)] = &[
    ("agents", include_str!("../assets/docs/agents.md")),
    ("answers", include_str!("../assets/docs/answers.md")),
    ("console", include_str!("../assets/docs/console.md")),
    ("expressions", include_str!("../assets/docs/expressions.md")),
    ("files", include_str!("../assets/docs/files.md")),
    ("glossary", include_str!("../assets/docs/glossary.md")),
    ("http", include_str!("../assets/docs/http.md")),
    ("mcp", include_str!("../assets/docs/mcp.md")),
    (
        "observability",
        include_str!("../assets/docs/observability.md"),
    ),
    ("operations", include_str!("../assets/docs/operations.md")),
    ("pipelines", include_str!("../assets/docs/pipelines.md")),
    ("plans", include_str!("../assets/docs/plans.md")),
    ("plugins", include_str!("../assets/docs/plugins.md")),
    ("policy", include_str!("../assets/docs/policy.md")),
    ("runs", include_str!("../assets/docs/runs.md")),
    ("schedules", include_str!("../assets/docs/schedules.md")),
    ("sessions", include_str!("../assets/docs/sessions.md")),
    ("state", include_str!("../assets/docs/state.md")),
    ("web", include_str!("../assets/docs/web.md")),
    ("workflows", include_str!("../assets/docs/workflows.md")),
];

/// Prints the help of a tool: its arguments and examples, and with `--help` the options of a call.
pub(super) fn print_tool_help(tool: &dyn AnyTool) -> ExitCode {
    let root = Cli::of_tool(tool);
    let found = root.find_subcommand("call").cloned().unwrap_or(root);
    let is_brief = words::command_words().iter().any(|word| word == "-h");
    print_command_help(
        hide_common_options(found, is_brief),
        true,
        &flags::tool_examples(tool),
    )
}

/// The command without the options that every command of its kind has, for `-h`.
fn hide_common_options(mut command: Command, is_brief: bool) -> Command {
    if !is_brief {
        return command;
    }
    let is_common = |heading: &str| matches!(heading, "Caller" | "Global options");
    let common: Vec<clap::Id> = command
        .get_arguments()
        .filter(|one| one.get_help_heading().is_some_and(is_common) && one.get_id() != "help")
        .map(|one| one.get_id().clone())
        .collect();
    for id in common {
        command = command.mut_arg(id, |one| one.hide(true));
    }
    command.mut_arg("help", |help| {
        help.help("Print help; `--help` also shows the options of the caller and of all commands")
    })
}

fn print_page(mut command: Command, short: bool, is_root: bool) -> ExitCode {
    let after = command.get_after_help().map(StyledStr::to_string);
    let after = after.unwrap_or_default();
    let path = command.get_bin_name().unwrap_or_default();
    let path = path.split_once(' ').map_or("", |(_, path)| path);
    let examples = match after.contains("Example") {
        true => String::new(),
        false => examples::command_examples(path),
    };
    let gap = if after.is_empty() || examples.is_empty() {
        ""
    } else {
        "\n"
    };
    let after = wrap_prose(&format!("{after}{gap}{examples}"));
    if is_root {
        let template = format!(
            "{{about}}\n\n{{usage-heading}} mathchain <COMMAND> [OPTIONS]\n\n{}{{all-args}}",
            render_command_groups(&command)
        );
        let names: Vec<String> = command
            .get_subcommands()
            .map(|one| one.get_name().to_owned())
            .collect();
        for name in names {
            command = command.mut_subcommand(name, |one| one.hide(true));
        }
        command = command.help_template(template);
    }
    print_command_help(
        hide_common_options(command, short && !is_root),
        short || is_root,
        &after,
    )
}

fn print_command_help(command: Command, short: bool, after: &str) -> ExitCode {
    let mut command = command
        .after_help("")
        .disable_help_subcommand(true)
        .mut_arg("help", |help| {
            let text = help.get_help().map(StyledStr::to_string);
            let text = text.filter(|text| text.contains("`--help`"));
            let text = text.unwrap_or_else(|| "Print help".to_owned());
            help.help_heading("Global options").help(text)
        });
    let help = match short {
        true => command.render_help(),
        false => command.render_long_help(),
    };
    let text = match std::io::stdout().is_terminal() && environment::colour_wanted() {
        true => help.ansi().to_string(),
        false => help.to_string(),
    };
    let text = text.trim_end();
    write_stdout(&match after {
        "" => format!("{text}\n"),
        after => format!("{text}\n\n{after}"),
    });
    exit::OK.into()
}

fn render_command_groups(command: &Command) -> String {
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(text, "{title}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(StyledStr::to_string).unwrap_or_default();
            let about = human::wrap_paragraph(&about, human::terminal_width() - 15, 0);
            let about = about.replace('\n', &format!("\n{}", " ".repeat(15)));
            let _ = writeln!(text, "  {name:11}  {about}");
        }
        text.push('\n');
    }
    text
}

/// Prose wrapped at words; indented lines, which are examples, as they are.
pub(super) fn wrap_prose(text: &str) -> String {
    let line = |line: &str| match line.starts_with(' ') {
        true => format!("{line}\n"),
        false => format!(
            "{}\n",
            human::wrap_paragraph(line, human::terminal_width(), 0)
        ),
    };
    text.lines().map(line).collect()
}
