//! `mathchain approve`, `deny` and `approvals`: requests for approval, and the decisions on them.

use std::path::PathBuf;

use journal::{Approval, StateScope, StateStore, WITHOUT_KEY};
use tool_core::Object;
use tool_core::capability::Clock as _;
use tool_core::json::{self, JsonLimits};

use super::folders::FolderArgs;
use super::prelude::*;
use super::{asking, resume, stdin};
use mathchain::approvers::{self, authenticate_approver};
use mathchain::clock::SystemClock;
use mathchain_servers::people::grant::{grant_edited, grant_request, record_of};
use mathchain_servers::people::request::ApprovalDetails;
use mathchain_servers::people::waiting::deadline_text;

/// Maximum number of requests that are listed, or approved at once.
const SHOWN_MAX: usize = 1000;

#[derive(Debug, Args)]
pub(super) struct DecideCommand {
    /// Id of the approval request, or a unique prefix
    #[arg(add = complete::approval_ids())]
    pub id: String,
    /// Decide as the approver whose key is in this file (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without a key, the command needs a terminal, and another process group than the call's: type it at the prompt of a shell (docs/policy.md).
Examples:
  mathchain approve 9f3c --resume
  mathchain approve 9f3c --args '{\"path\":\"out.txt\",\"content\":\"x\"}'
  mathchain approve --all --run 3f2a --resume"
)]
pub(super) struct ApproveCommand {
    /// Id of the approval request, or a unique prefix
    #[arg(required_unless_present = "all", conflicts_with = "all", add = complete::approval_ids())]
    pub id: Option<String>,
    /// Decide as the approver whose key is in this file (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
    /// Record a rule that allows calls like this one in this workspace from now on
    ///
    /// The rule covers this tool and role with these paths or hosts and this mode, or exactly this program. Destructive calls still
    /// require approval each time.
    #[arg(long, conflicts_with = "all")]
    pub always: bool,
    /// Let the call run with these arguments in place of its own: one JSON object, or `-` for stdin
    ///
    /// The policy decides about them as about any call. The answer of the call and the audit log name what was changed.
    #[arg(long, value_name = "JSON", conflicts_with_all = ["all", "always"])]
    pub args: Option<String>,
    /// Approve every pending request of this workspace
    #[arg(long)]
    pub all: bool,
    /// Approve the requests of this run only
    #[arg(long, value_name = "RUN", requires = "all")]
    pub run: Option<String>,
    /// Resume the runs that the approved calls belong to
    #[arg(long)]
    pub resume: bool,
}

/// Approves what it names, once.
impl From<DecideCommand> for ApproveCommand {
    fn from(DecideCommand { id, key }: DecideCommand) -> Self {
        Self {
            id: Some(id),
            key,
            always: false,
            args: None,
            all: false,
            run: None,
            resume: false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum ApprovalsCommand {
    /// List pending approval requests
    List {
        /// Include decided and expired requests
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        folders: FolderArgs,
    },
    /// Show one request: full arguments, workspace, resources, digests
    Show {
        /// Id of the approval request, or a unique prefix
        #[arg(add = complete::approval_ids())]
        id: String,
    },
}

/// A request, with the details of its call.
type Detailed = (Approval, Option<Value>);

/// Approves requests, records a rule on demand, and resumes runs on demand.
pub(super) fn approve_requests(global: &GlobalArgs, approve: &ApproveCommand) -> Result<ExitCode> {
    // A rule may be about a call of an agent.
    let toolkit = match approve.always {
        true => open::with_agents(global)?,
        false => open::open_toolkit(global)?,
    };
    let by = authenticate_approver(approve.key.as_deref(), toolkit.config().approvals.from)?;
    let state = open::require_state(&toolkit)?;
    let waiting = match &approve.id {
        Some(id) => vec![state.waiting(id)?],
        None => pending_approvals(&toolkit, state, approve.run.as_deref())?,
    };
    let with_details = |one: Approval| -> Result<Detailed> {
        let details = state.approval(&one.id)?.1;
        Ok((one, details))
    };
    let waiting: Vec<Detailed> = waiting
        .into_iter()
        .map(with_details)
        .collect::<Result<_>>()?;
    // Everything that is refused is refused before anything is decided.
    for (request, _) in &waiting {
        stays_with_original(&toolkit, request)?;
    }
    if approve.key.is_none() {
        for (_, details) in &waiting {
            let group = details.as_ref().and_then(|it| it.get("requester_group"));
            approvers::at_terminal(group.and_then(Value::as_i64))?;
        }
    }
    let mut runs: Vec<&str> = Vec::new();
    for (request, details) in &waiting {
        match &request.run {
            Some(run) if !runs.contains(&run.as_str()) => runs.push(run),
            None if approve.resume && !approve.all => {
                let id = &request.id;
                return Err(tool_error!(InvalidRequest, "resume";
                    "`{id}` is about a call, not about the step of a run";
                    "approve it without `--resume`, then send the call again"));
            }
            _ => {}
        }
        if approve.always {
            record_of(&toolkit, request, details.as_ref())?;
        }
    }
    let edited = approve.args.as_deref();
    let edited = edited.map(|text| edited_arguments(&toolkit, text));
    let edited = edited.transpose()?;
    let mut granted = Vec::new();
    let mut text = String::new();
    for (request, details) in &waiting {
        let shown = ApprovalDetails::new(&toolkit, request, details.as_ref());
        let recorded = match approve.always {
            true => Some(record_of(&toolkit, request, details.as_ref())?),
            false => None,
        };
        // Changes are shown as they are before the call.
        text += &shown.text(&human::format_local_time(request.created_ms));
        let (approval, recorded) = match &edited {
            Some(arguments) => {
                let scope = StateScope::default();
                let granted = grant_edited(&toolkit, state, &scope, request, &by, arguments)?;
                text += "with other arguments:\n";
                text += &format!("  {}\n", human::replace_controls(&arguments.to_string()));
                (granted, None)
            }
            None => grant_request(&open::state_folder(global)?, state, request, &by, recorded)?,
        };
        let (number, rule) = recorded.unzip();
        text += &approval_outcome_text(
            global,
            &approval,
            number.zip(rule.as_deref()),
            approve.resume,
            &by,
        );
        let mut data = approval_fields(&approval, details.as_ref());
        data.insert("recorded_rule", number);
        data.insert("rule", rule.clone());
        if let (Some((number, rule)), OutputFormat::Json) = (number.zip(rule), global.format()) {
            write_stderr(&format!("recorded rule {number}: {rule}\n"));
        }
        granted.push(Value::Object(data.into()));
    }
    if waiting.is_empty() {
        text.push_str("no pending approvals\n");
    }
    state.close()?;
    if approve.resume && !runs.is_empty() {
        // Stdout has the results of the runs.
        write_stderr(&text);
        return resume_all(global, &runs);
    }
    let data = match approve.id {
        Some(_) => granted.pop().unwrap_or_default(),
        None => Value::array(granted),
    };
    output::print_data(global, &data, || text)
}

/// The arguments that an approver gives: a JSON object, or `-` for stdin.
fn edited_arguments(toolkit: &Toolkit, text: &str) -> Result<Value> {
    let bytes_max = toolkit.config().limits.max_input_bytes;
    let text = match text {
        "-" => stdin::read_stdin(bytes_max)
            .map_err(|err| tool_error!(ToolError, "io"; "cannot read stdin: {err}"))?,
        text => text.as_bytes().to_vec(),
    };
    let limits = JsonLimits {
        bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX),
        ..JsonLimits::default()
    };
    Ok(json::parse_bytes(&text, limits)?)
}

/// Refuses to answer, in a copy of a state, what its original asks.
fn stays_with_original(toolkit: &Toolkit, request: &Approval) -> Result<()> {
    let its = request.workspace.as_deref().filter(|root| {
        let is_here = toolkit
            .workspace_id()
            .is_some_and(|here| here.root == **root);
        toolkit.is_copied_from(root) && (toolkit.copy_of().is_some() || !is_here)
    });
    match its {
        None => Ok(()),
        Some(original) => Err(resume::of_original(
            &request.id,
            original,
            "answer it there; a copy asks anew",
        )),
    }
}

/// Resumes runs; gives the first exit code that is no success.
fn resume_all(global: &GlobalArgs, runs: &[&str]) -> Result<ExitCode> {
    let mut code = ExitCode::from(exit::OK);
    for run in runs {
        let ended = resume::resume_approved_run(global, run)?;
        if code == ExitCode::from(exit::OK) {
            code = ended;
        }
    }
    Ok(code)
}

/// The pending requests of this workspace, or of one run and the runs within it; oldest first.
fn pending_approvals(
    toolkit: &Toolkit,
    state: &StateStore,
    run: Option<&str>,
) -> Result<Vec<Approval>> {
    let here = toolkit.workspace_id().filter(|_| run.is_none());
    let mut listed = state.approvals(here.as_ref(), false, SHOWN_MAX)?;
    listed.reverse();
    if let Some(run) = run {
        let run = state.run(run)?;
        let within = state.runs_within(&run.id)?;
        let ids: Vec<&str> = (within.iter().chain([&run]))
            .map(|run| run.id.as_str())
            .collect();
        listed.retain(|one| one.run.as_deref().is_some_and(|run| ids.contains(&run)));
    }
    Ok(listed)
}

/// What approving a request led to.
fn approval_outcome_text(
    global: &GlobalArgs,
    approval: &Approval,
    recorded: Option<(usize, &str)>,
    resumes: bool,
    by: &str,
) -> String {
    let (id, tool, role) = (&approval.id, &approval.tool, &approval.role);
    let (command, folder) = open::own_command_line(global);
    let next = match (recorded, &approval.run) {
        (Some((number, words)), _) => format!("recorded as rule {number}: {words}"),
        (None, Some(_)) if resumes => "it runs once".to_owned(),
        (None, Some(run)) => {
            format!("it runs once\n  {command} runs resume {run}    # in {folder}")
        }
        (None, None) => "send the same call again to run it once".to_owned(),
    };
    // Without a key the decision names the door, which the person at it knows.
    let by = match by {
        WITHOUT_KEY => String::new(),
        approver => format!(" by `{approver}`"),
    };
    format!("approved {id}{by}: `{tool}` as `{role}`; {next}\n")
}

/// Declines one request.
pub(super) fn deny_request(global: &GlobalArgs, decide: &DecideCommand) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let by = authenticate_approver(decide.key.as_deref(), toolkit.config().approvals.from)?;
    let state = open::require_state(&toolkit)?;
    stays_with_original(&toolkit, &state.approval(&decide.id)?.0)?;
    let declined = state.decline(&decide.id, &by)?;
    state.close()?;
    output::print_data(global, &plain_value(&declined), || {
        let (id, tool, role) = (&declined.id, &declined.tool, &declined.role);
        format!("declined {id}: `{tool}` as `{role}`\n")
    })
}

/// Lists requests, or shows one.
pub(super) fn show_approvals(
    global: &GlobalArgs,
    approvals: &ApprovalsCommand,
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let state = open::state_to_read(global, &toolkit)?;
    match approvals {
        ApprovalsCommand::List { all, folders } => {
            let listed = state.approvals(folders.of(&toolkit).as_ref(), *all, SHOWN_MAX)?;
            let (command, _) = open::own_command_line(global);
            let none = folders.none(&toolkit, "no pending approvals");
            output::print_list(global, &listed, plain_value, &none, |one| {
                approval_line(&command, one)
            })
        }
        ApprovalsCommand::Show { id } => {
            let (found, details) = state.approval(id)?;
            let data = Value::Object(approval_fields(&found, details.as_ref()).into());
            if global.format() == OutputFormat::Human {
                let shown = ApprovalDetails::new(&toolkit, &found, details.as_ref());
                asking::page_text(&shown.text(&human::format_local_time(found.created_ms)));
                return Ok(exit::OK.into());
            }
            output::print_record(global, &data)
        }
    }
}

/// One request of a list.
fn approval_line(command: &str, approval: &Approval) -> String {
    let (id, state) = (&approval.id, &approval.state);
    let (tool, role) = (&approval.tool, &approval.role);
    let place = match (&approval.run, &approval.step) {
        (Some(run), Some(step)) => format!(", step `{step}` of run {run}"),
        _ => String::new(),
    };
    let time = human::format_local_time(approval.created_ms);
    let mut text = format!("{id}  {time}  {state:9}  {tool} as `{role}`{place}\n");
    if let Some(workspace) = &approval.workspace {
        let _ = writeln!(text, "    in {workspace}");
    }
    let _ = writeln!(text, "    {}", approval.preview.replace('\n', "\n    "));
    if approval.cut && state == "pending" {
        text += &format!("    truncated; `{command} approvals show {id}` shows everything\n");
    }
    let _ = writeln!(text, "    {}", approval.reason);
    if state == "pending" {
        let deadline = deadline_text(approval, SystemClock::default().unix_ms());
        let _ = writeln!(text, "    {deadline}");
    }
    text
}

/// The request as an object, with the details of its call.
fn approval_fields(approval: &Approval, details: Option<&Value>) -> Object {
    let mut fields = plain_value(approval)
        .as_object()
        .cloned()
        .unwrap_or_default();
    if let Some(details) = details {
        fields.insert("details", details.clone());
    }
    fields
}
