//! `mathchain inbox`: all that waits for a person, in one list: approvals, gates of workflows and pipelines, feedback, questions of agents; and
//! calls with the obligation `notify`.

mod answer;
mod notices;
mod waiting;

use std::path::PathBuf;
use std::time::Duration;

use self::notices::Answered;
use super::folders::FolderArgs;
use super::prelude::*;
use mathchain::waiting::WaitingEntry;
use mathchain_servers::people::waiting::collect_waiting;

/// How often a watch reads the state again.
const PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct InboxArgs {
    #[command(subcommand)]
    command: Option<InboxCommand>,
    #[command(flatten)]
    list: InboxListArgs,
}

#[derive(Debug, Args)]
struct InboxListArgs {
    #[command(flatten)]
    folders: FolderArgs,
    /// Maximum number of questions and notifications
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: u32,
}

#[derive(Debug, Subcommand)]
enum InboxCommand {
    /// List what waits, then questions and notifications, newest first
    List(InboxListArgs),
    /// Show one entry
    Show {
        /// Id, or a unique prefix of that of an approval, question or notification
        id: String,
    },
    /// Answer one entry
    #[command(after_help = "Examples:
  mathchain inbox answer 9f3c yes                              # an approval: yes or no
  mathchain inbox answer WF-20251206-001 yes                   # a gate of a workflow: yes, or one of its options
  mathchain inbox answer 77ab no                               # the gate of a pipeline: yes or no
  mathchain inbox answer WF-20251206-001/FB-001 'Base 10 only' # feedback
  mathchain inbox answer 4be1 'The second file'                # a question; the agent gets the answer when it asks again
Gates and approvals need a person: a terminal, or an approver's key (docs/policy.md).")]
    Answer(answer::AnswerCommand),
    /// Print entries as they come, until Ctrl-C
    Watch,
}

/// Lists, shows, answers or watches.
pub(super) fn run_inbox_command(global: &GlobalArgs, inbox: &InboxArgs) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    match &inbox.command {
        None => list_entries(global, &toolkit, &inbox.list),
        Some(InboxCommand::List(wanted)) => list_entries(global, &toolkit, wanted),
        Some(InboxCommand::Show { id }) => show_entry(global, &toolkit, id),
        Some(InboxCommand::Answer(answer)) => answer::answer_entry(global, &toolkit, answer),
        Some(InboxCommand::Watch) => watch_entries(global, &toolkit),
    }
}

/// An entry of the list.
enum InboxEntry {
    Waiting(WaitingEntry),
    Notice(Answered),
}

impl InboxEntry {
    fn value(&self) -> Value {
        match self {
            Self::Waiting(waiting) => waiting.value(),
            Self::Notice(notice) => notices::notice_value(notice),
        }
    }

    /// As [`InboxEntry::value`], with the time that is left.
    fn timed_value(&self) -> Value {
        match self {
            Self::Waiting(waiting) => waiting::timed_value(waiting),
            Self::Notice(_) => self.value(),
        }
    }

    fn readable(&self, folders: FolderArgs) -> String {
        match self {
            Self::Waiting(one) => waiting::render_waiting(one),
            Self::Notice(notice) => folders.line(
                notices::render_notice(notice),
                notice.0.folder_root.as_deref(),
            ),
        }
    }
}

fn inbox_entries(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    wanted: &InboxListArgs,
) -> Result<Vec<InboxEntry>> {
    let state = open::state_to_read(global, toolkit)?;
    let of = wanted.folders.of(toolkit);
    let waiting = collect_waiting(&state, toolkit, of.as_ref())?;
    let mut entries: Vec<InboxEntry> = waiting.into_iter().map(InboxEntry::Waiting).collect();
    for notice in state.notices(of.as_ref(), wanted.limit as usize)? {
        entries.push(InboxEntry::Notice(state.notice(&notice.id)?));
    }
    Ok(entries)
}

fn list_entries(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    wanted: &InboxListArgs,
) -> Result<ExitCode> {
    let entries = inbox_entries(global, toolkit, wanted)?;
    let none = wanted
        .folders
        .none(toolkit, "nothing waits, and no notifications");
    let line = |entry: &InboxEntry| entry.readable(wanted.folders);
    output::print_list(global, &entries, InboxEntry::timed_value, &none, line)
}

fn show_entry(global: &GlobalArgs, toolkit: &Toolkit, id: &str) -> Result<ExitCode> {
    let state = open::state_to_read(global, toolkit)?;
    let all = collect_waiting(&state, toolkit, None)?;
    let found: Vec<&WaitingEntry> = all.iter().filter(|one| one.is_called(id)).collect();
    if let [one] = found.as_slice() {
        return output::print_data(global, &waiting::timed_value(one), || {
            waiting::render_waiting(one)
        });
    }
    let found = state.notice(id)?;
    output::print_data(global, &notices::notice_value(&found), || {
        notices::render_notice(&found)
    })
}

/// Prints what waits, and each new entry. The list is that of this folder.
fn watch_entries(global: &GlobalArgs, toolkit: &Toolkit) -> Result<ExitCode> {
    use std::io::Write as _;
    let wanted = InboxListArgs {
        folders: FolderArgs { all_folders: false },
        limit: 100,
    };
    let mut seen = std::collections::BTreeSet::new();
    loop {
        for entry in inbox_entries(global, toolkit, &wanted)? {
            let is_open = match &entry {
                InboxEntry::Waiting(_) => true,
                InboxEntry::Notice((notice, answers)) => {
                    notice.kind != "call" && answers.is_empty()
                }
            };
            let value = entry.value();
            let key = json::to_text(&value);
            if is_open && seen.insert(key.clone()) {
                match global.format() {
                    OutputFormat::Json => write_stdout(&(key + "\n")),
                    _ => print_text(&entry.readable(wanted.folders)),
                }
            }
        }
        if standard_output().flush().is_err() || output::is_incomplete() {
            return Ok(exit::OK.into()); // the reader has ended
        }
        std::thread::sleep(PAUSE);
    }
}

/// Prints the answer of a call that an answer led to.
fn answer_of(
    toolkit: &Toolkit,
    global: &GlobalArgs,
    outcome: &tool_core::CallOutcome,
) -> Result<ExitCode> {
    super::answer::finish_answer(toolkit, global, outcome)
}

/// The file of an approver's key.
#[derive(Debug, Clone, Default, Args)]
struct ApproverKeyArgs {
    /// Decide as the approver whose key is in this file (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}
