//! `mathchain approve`, `deny` and `approvals`: requests for approval, and the decisions on them.

use std::path::PathBuf;

use journal::Approval;
use registry::WorkspaceId;
use tool_core::Object;
use tool_core::convert::from_value;

use super::policy::rules;
use super::prelude::*;
use crate::approvers::approver;

#[derive(Debug, Args)]
pub(super) struct Decide {
    /// Id of the approval request, or a unique prefix
    pub id: String,
    /// Decide as the approver whose key is in this file (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Approve {
    #[command(flatten)]
    pub decide: Decide,
    /// Record a rule that allows calls like this one in this workspace from now on
    ///
    /// The rule covers this tool and role with these paths or hosts and this mode, or exactly this program. Destructive calls still
    /// require approval each time.
    #[arg(long)]
    pub always: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum Approvals {
    /// List pending approval requests
    List {
        /// Include decided and expired requests
        #[arg(long)]
        all: bool,
    },
    /// Show one request: full arguments, workspace, resources, digests
    Show {
        /// Id of the approval request, or a unique prefix
        id: String,
    },
}

impl Decide {
    /// The approver: without configured approvers, the user of this command line as the operator.
    fn approver(&self, toolkit: &Toolkit) -> Result<String> {
        approver(self.key.as_deref(), toolkit.config().approvals.from)
    }
}

/// Approves one request, and records a rule on demand.
pub(super) fn approve(global: &Global, approve: &Approve) -> Result<ExitCode> {
    // A rule may be about a call of an agent.
    let toolkit = match approve.always {
        true => open::with_agents(global)?,
        false => open::toolkit(global)?,
    };
    let (id, by) = (&approve.decide.id, approve.decide.approver(&toolkit)?);
    let state = open::state(&toolkit)?;
    let (waiting, details) = (state.waiting(id)?, state.approval(id)?.1);
    // A rule that the policy would refuse is an error before anything is decided.
    let rule = match approve.always {
        true => Some((
            workspace_of(details.as_ref())?,
            rules::of_approval(&toolkit, &waiting)?,
        )),
        false => None,
    };
    let (granted, recorded) = match &rule {
        Some((workspace, rule)) => {
            let granted = state.approve_by_rule(&waiting.id, &by)?;
            let number = rules::record(global, state, &by, (workspace, rule))?;
            (granted, Some((number, rules::words(rule))))
        }
        None => (state.approve(&waiting.id, &by)?, None),
    };
    state.close()?;
    let (number, words) = recorded.clone().unzip();
    let mut data = fields(&granted, details.as_ref());
    data.insert("recorded_rule", number);
    data.insert("rule", words);
    if let (Some((number, words)), Format::Json) = (&recorded, global.format()) {
        complain(&format!("recorded rule {number}: {words}\n"));
    }
    output::data(global, &Value::Object(data.into()), || {
        let (id, tool, role) = (&granted.id, &granted.tool, &granted.role);
        let (command, folder) = open::command(global);
        let next = match (recorded, &granted.run) {
            (Some((number, words)), _) => format!("recorded as rule {number}: {words}"),
            (None, Some(run)) => {
                format!("it runs once\n  {command} runs resume {run}    # in {folder}")
            }
            (None, None) => "send the same call again to run it once".to_owned(),
        };
        let shown = readable(&granted, details.as_ref());
        format!("{shown}approved {id}: `{tool}` as `{role}`; {next}\n")
    })
}

/// The workspace of the call, if it has one.
fn workspace_of(details: Option<&Value>) -> Result<WorkspaceId> {
    let workspace =
        details.and_then(|details| from_value::<WorkspaceId>(details.get("workspace")?).ok());
    workspace.ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace";
            "a rule applies to one workspace, and this call has none";
            "approve it without `--always`")
    })
}

/// Declines one request.
pub(super) fn deny(global: &Global, decide: &Decide) -> Result<ExitCode> {
    let toolkit = open::toolkit(global)?;
    let by = decide.approver(&toolkit)?;
    let state = open::state(&toolkit)?;
    let declined = state.decline(&decide.id, &by)?;
    state.close()?;
    output::data(global, &plain(&declined), || {
        let (id, tool, role) = (&declined.id, &declined.tool, &declined.role);
        format!("declined {id}: `{tool}` as `{role}`\n")
    })
}

/// Lists requests, or shows one.
pub(super) fn approvals(global: &Global, approvals: &Approvals) -> Result<ExitCode> {
    const SHOWN_MAX: usize = 1000;
    let toolkit = open::toolkit(global)?;
    let state = open::state_to_read(global, &toolkit)?;
    match approvals {
        Approvals::List { all } => {
            let listed = state.approvals(*all, SHOWN_MAX)?;
            let (command, _) = open::command(global);
            output::list(global, &listed, plain, "no pending approvals", |one| {
                line(&command, one)
            })
        }
        Approvals::Show { id } => {
            let (found, details) = state.approval(id)?;
            let data = Value::Object(fields(&found, details.as_ref()).into());
            output::data(global, &data, || readable(&found, details.as_ref()))
        }
    }
}

/// One request of a list.
fn line(command: &str, approval: &Approval) -> String {
    let (id, state) = (&approval.id, &approval.state);
    let (tool, role) = (&approval.tool, &approval.role);
    let place = match (&approval.run, &approval.step) {
        (Some(run), Some(step)) => format!(", step `{step}` of run {run}"),
        _ => String::new(),
    };
    let mut text = format!("{id}  {state:9}  {tool} as `{role}`{place}\n");
    if let Some(workspace) = &approval.workspace {
        let _ = writeln!(text, "    in {workspace}");
    }
    let _ = writeln!(text, "    {}", approval.preview.replace('\n', "\n    "));
    if approval.cut && state == "pending" {
        text += &format!("    truncated; `{command} approvals show {id}` shows everything\n");
    }
    let _ = writeln!(text, "    {}", approval.reason);
    text
}

/// Everything about a request, for a reader.
pub(super) fn readable(approval: &Approval, details: Option<&Value>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:10} {value}");
    };
    line("approval", &format!("{}, {}", approval.id, approval.state));
    line("tool", &format!("{} as `{}`", approval.tool, approval.role));
    for (name, value) in [
        ("agent", &approval.agent),
        ("workspace", &approval.workspace),
        ("run", &approval.run),
        ("step", &approval.step),
        ("decided by", &approval.decided_by),
    ] {
        if let Some(value) = value {
            line(name, value);
        }
    }
    line("reason", &approval.reason);
    let Some(details) = details else {
        line("arguments", &approval.preview);
        if approval.cut {
            let why = "truncated; full arguments are stored only while the request is pending";
            line("", why);
        }
        return text;
    };
    for name in ["folder", "phase", "task", "arguments_digest", "digest"] {
        if let Some(value) = details.get(name).and_then(Value::as_str) {
            line(name, value);
        }
    }
    for name in ["resources", "opens", "destroys"] {
        for one in details.get(name).and_then(Value::items).unwrap_or_default() {
            let text = one.as_str().map(str::to_owned);
            line(name, &text.unwrap_or_else(|| json::to_text(&one)));
        }
    }
    let redacted = details.get("redacted").and_then(Value::as_i64);
    if let Some(count @ 1..) = redacted {
        line("redacted", &counted(count.unsigned_abs(), "secret"));
    }
    line("arguments", "");
    match details.get("arguments").and_then(Value::as_object) {
        Some(arguments) => {
            for (name, value) in arguments.iter() {
                let _ = writeln!(text, "  {name}: {}", json::to_text(value));
            }
        }
        None => text.push_str("  not stored: larger than 16 MiB\n"),
    }
    text
}

/// The request as an object, with the details of its call.
fn fields(approval: &Approval, details: Option<&Value>) -> Object {
    let mut fields = plain(approval).as_object().cloned().unwrap_or_default();
    if let Some(details) = details {
        fields.insert("details", details.clone());
    }
    fields
}
