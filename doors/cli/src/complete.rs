//! Completion at the prompt of a shell. The script that `completions` prints asks this program for the candidates of each word, so that
//! tools, their arguments, roles and ids of this project are among them.

use std::ffi::OsStr;

use clap::CommandFactory as _;
use clap::builder::PossibleValuesParser;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, Shells};
use journal::StateStore;
use registry::Catalogue;

use super::prelude::*;
use super::{Cli, runs};

/// The variable by which the script asks.
const VARIABLE: &str = "MATHCHAIN_COMPLETE";

/// Maximum number of runs, requests and artifacts among the candidates.
const IDS_MAX: usize = 200;

pub(super) const EXAMPLES: &str = "Examples:
  source <(mathchain completions bash)           # in ~/.bashrc
  source <(mathchain completions zsh)            # in ~/.zshrc
  mathchain completions fish > ~/.config/fish/completions/mathchain.fish";

/// The shells with a script.
pub(super) fn shell_values() -> PossibleValuesParser {
    Shells::builtins().names().collect::<Vec<_>>().into()
}

/// Prints the script for a shell.
pub(super) fn print_completion_script(shell: &str) -> Result<ExitCode> {
    let shells = Shells::builtins();
    let unknown = || tool_error!(InvalidRequest, "no completions for the shell `{shell}`");
    let shell = shells.completer(shell).ok_or_else(unknown)?;
    let mut text = Vec::new();
    let written =
        shell.write_registration(VARIABLE, "mathchain", "mathchain", "mathchain", &mut text);
    written.map_err(|err| ToolError::new(ErrorCode::Internal, err))?;
    write_stdout(&String::from_utf8_lossy(&text));
    Ok(exit::OK.into())
}

/// Prints candidates if a shell asks for them; the exit code then.
pub(super) fn if_asked() -> Option<ExitCode> {
    let here = std::env::current_dir().ok();
    let completer = CompleteEnv::with_factory(completion_command).var(VARIABLE);
    match completer.try_complete(super::words::command_words(), here.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(exit::OK.into()),
        Err(err) => {
            let _ = err.print(); // the shell may be gone
            Some(exit::USAGE.into())
        }
    }
}

/// The command line, with the arguments of the tool that its words name.
fn completion_command() -> clap::Command {
    let words = completed_words();
    let after_call = words.iter().skip_while(|word| *word != "call").skip(1);
    let complete = after_call.clone().count().saturating_sub(1);
    let names: Vec<&String> = after_call.take(complete).collect();
    let with = |catalogue: &Catalogue| {
        let mut tools = names.iter().filter_map(|name| catalogue.called(name));
        tools
            .next()
            .map(|index| Cli::of_tool(catalogue.tool(index)))
    };
    let built_in = Catalogue::new(&mathchain::tool_families().collect::<Vec<_>>()).ok();
    let found = built_in.as_ref().and_then(with);
    let of_plugin = || with(open_completion_toolkit()?.dispatcher().catalogue());
    match names.is_empty() {
        true => None,
        false => found.or_else(of_plugin),
    }
    .unwrap_or_else(Cli::command)
}

/// The words that are being completed.
fn completed_words() -> Vec<String> {
    let words = super::words::command_words().into_iter();
    let words = words.skip_while(|word| word != "--").skip(1);
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

/// The toolkit of the command line that is being completed; nothing is created.
fn open_completion_toolkit() -> Option<Toolkit> {
    let global = GlobalArgs {
        completes: true,
        ..GlobalArgs::in_words(&completed_words())
    };
    open::read_only(&global, false).ok()
}

/// Candidates among names with a short help each.
fn candidate_completer(
    all: impl Fn() -> Vec<(String, String)> + Send + Sync + 'static,
) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| -> Vec<CompletionCandidate> {
        let begun = current.to_string_lossy().into_owned();
        let found = all()
            .into_iter()
            .filter(|(name, _)| name.starts_with(&begun));
        let candidate = |(name, help): (String, String)| {
            let help = human::replace_controls(&help).into_owned();
            CompletionCandidate::new(human::replace_controls(&name).into_owned())
                .help(Some(help.into()))
        };
        found.map(candidate).collect()
    })
}

/// Names of tools.
pub(super) fn complete_tools() -> ArgValueCompleter {
    candidate_completer(tool_names)
}

fn tool_names() -> Vec<(String, String)> {
    let of = |catalogue: &Catalogue| -> Vec<(String, String)> {
        let specs = catalogue.iter().map(|tool| tool.spec());
        specs
            .map(|spec| (spec.id.to_owned(), spec.title.to_owned()))
            .collect()
    };
    match open_completion_toolkit() {
        Some(toolkit) => of(toolkit.dispatcher().catalogue()),
        None => Catalogue::new(&mathchain::tool_families().collect::<Vec<_>>())
            .map_or_else(|_| Vec::new(), |all| of(&all)),
    }
}

/// Names of commands and tools.
pub(super) fn help_words() -> ArgValueCompleter {
    candidate_completer(|| {
        let command = Cli::command();
        let commands = command.get_subcommands().filter(|one| !one.is_hide_set());
        let named = commands.map(|one| {
            let about = one.get_about().map(ToString::to_string);
            (one.get_name().to_owned(), about.unwrap_or_default())
        });
        named.chain(tool_names()).collect()
    })
}

/// Names of roles.
pub(super) fn complete_roles() -> ArgValueCompleter {
    candidate_completer(|| {
        let Some(toolkit) = open_completion_toolkit() else {
            return Vec::new();
        };
        let dispatcher = toolkit.dispatcher();
        let roles = dispatcher.policy().roles();
        roles
            .map(|(name, purpose)| (name.to_owned(), purpose.to_owned()))
            .collect()
    })
}

/// Names of agents with a file.
pub(super) fn complete_agents() -> ArgValueCompleter {
    candidate_completer(|| {
        let texts = open::project_folder(&GlobalArgs::in_words(&completed_words()));
        let texts = texts.and_then(|folder| environment::agent_texts(&folder));
        let texts = texts.unwrap_or_default().into_iter();
        texts.map(|text| (text.name, text.path)).collect()
    })
}

/// Names of phases.
pub(super) fn complete_phases() -> ArgValueCompleter {
    candidate_completer(|| {
        let config = open_completion_toolkit().map(|toolkit| toolkit.config());
        let phases = config.iter().flat_map(|config| &config.phases);
        phases
            .map(|phase| (phase.name.clone(), String::new()))
            .collect()
    })
}

/// Ids of runs, newest first.
pub(super) fn run_ids() -> ArgValueCompleter {
    candidate_completer(|| {
        of_state(|state| {
            let runs = state.runs(None, IDS_MAX).unwrap_or_default();
            runs.iter()
                .map(|run| (run.id.clone(), runs::run_line(run).trim().to_owned()))
                .collect()
        })
    })
}

/// Ids of pending approval requests.
pub(super) fn approval_ids() -> ArgValueCompleter {
    candidate_completer(|| {
        of_state(|state| {
            let waiting = state.approvals(None, true, IDS_MAX).unwrap_or_default();
            waiting.into_iter().map(|one| (one.id, one.tool)).collect()
        })
    })
}

fn of_state(read: impl FnOnce(&StateStore) -> Vec<(String, String)>) -> Vec<(String, String)> {
    let toolkit = open_completion_toolkit();
    let state = toolkit.as_ref().and_then(Toolkit::state);
    state.map_or_else(Vec::new, |state| read(state))
}
