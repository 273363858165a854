//! `mathchain approve|deny ID` and `mathchain approvals list|show`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use journal::Approval;
use registry::WorkspaceId;
use tool_core::{ErrorCode, ToolError, Value, json};

use super::args::{Format, Global};
use super::policy::rules;
use super::{complain, exit, print_data, session};
use crate::approvers::approver;

#[derive(Debug, Args)]
pub(super) struct Approve {
    /// Id of the approval, or its beginning
    pub id: String,
    /// Record a rule, so that calls like this one run without asking in this workspace: this tool and role with these paths or hosts
    /// and this mode, or exactly this program; calls that destroy ask each time
    #[arg(long)]
    pub always: bool,
    /// Answer as the approver whose key this file holds (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Decide {
    /// Id of the approval, or its beginning
    pub id: String,
    /// Answer as the approver whose key this file holds (`approvers.toml` in the user's configuration folder)
    #[arg(long, value_name = "FILE")]
    pub key: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Approvals {
    /// List them
    List {
        /// Settled ones too
        #[arg(long)]
        all: bool,
    },
    /// Show everything about one: full arguments, workspace, resources, digests
    Show {
        /// Id of the approval, or its beginning
        id: String,
    },
}

/// Grants one approval. Without approvers, the user of this command line is the operator.
pub(super) fn approve(global: &Global, approve: &Approve) -> Result<ExitCode, ToolError> {
    // A rule may be about a call of an agent.
    let toolkit = match approve.always {
        true => session::open_with_agents(global)?,
        false => session::open(global)?,
    };
    let by = approver(approve.key.as_deref(), toolkit.config().approvals_from)?;
    let state = session::state(&toolkit)?;
    let (waiting, details) = (state.waiting(&approve.id)?, state.approval(&approve.id)?.1);
    // Whether such a rule would hold is known before anything is settled.
    let rule = match approve.always {
        true => Some((
            workspace_of(details.as_ref())?,
            rules::of_approval(&toolkit, &waiting)?,
        )),
        false => None,
    };
    let (granted, recorded) = match &rule {
        Some((workspace, rule)) => {
            let settled = state.approve_by_rule(&waiting.id, &by)?;
            let number = rules::record(global, state, &by, (workspace, rule))?;
            (settled, Some((number, rule)))
        }
        None => (state.approve(&waiting.id, &by)?, None),
    };
    state.close()?;
    let mut data = fields(&granted, details.as_ref());
    data.push((
        "recorded_rule",
        Value::from(recorded.map(|(number, _)| number)),
    ));
    data.push((
        "rule",
        Value::from(recorded.map(|(_, rule)| rules::words(rule))),
    ));
    if let (Some((number, rule)), Format::Json) = (recorded, global.format()) {
        complain(&format!("recorded rule {number}: {}\n", rules::words(rule)));
    }
    print_data(global, &Value::object(data), || {
        let (id, tool, role) = (&granted.id, &granted.tool, &granted.role);
        let (command, folder) = session::command(global);
        let next = match (recorded, &granted.run) {
            (Some((number, rule)), _) => {
                format!("recorded as rule {number}: {}", rules::words(rule))
            }
            (None, Some(run)) => {
                format!("it runs once\n  {command} runs resume {run}    # in {folder}")
            }
            (None, None) => "send the same call again, and it runs once".to_owned(),
        };
        format!(
            "{}approved {id}: `{tool}` as `{role}`; {next}\n",
            readable(&granted, details.as_ref())
        )
    });
    Ok(exit::OK.into())
}

/// The workspace that a call asks for, while it is the folder that is there.
fn workspace_of(details: Option<&Value>) -> Result<WorkspaceId, ToolError> {
    let asked = details.and_then(|details| WorkspaceId::from_value(details.get("workspace")?));
    asked.ok_or_else(|| {
        let message = "a rule holds in one workspace, and this call has none";
        ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("workspace")
            .hint("approve it without `--always`")
    })
}

/// Declines one approval.
pub(super) fn deny(global: &Global, decide: &Decide) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let by = approver(decide.key.as_deref(), toolkit.config().approvals_from)?;
    let state = session::state(&toolkit)?;
    let settled = state.decline(&decide.id, &by)?;
    state.close()?;
    print_data(global, &value(&settled), || {
        let (id, tool, role) = (&settled.id, &settled.tool, &settled.role);
        format!("declined {id}: `{tool}` as `{role}`\n")
    });
    Ok(exit::OK.into())
}

/// Lists approvals, or shows one.
pub(super) fn approvals(global: &Global, approvals: &Approvals) -> Result<ExitCode, ToolError> {
    const SHOWN_MAX: usize = 1000;
    let toolkit = session::open(global)?;
    let state = session::state_to_read(global, &toolkit)?;
    let all = match approvals {
        Approvals::List { all } => *all,
        Approvals::Show { id } => {
            let (found, details) = state.approval(id)?;
            let data = Value::object(fields(&found, details.as_ref()));
            print_data(global, &data, || readable(&found, details.as_ref()));
            return Ok(exit::OK.into());
        }
    };
    let listed = state.approvals(all, SHOWN_MAX)?;
    print_data(
        global,
        &Value::array(listed.iter().map(value).collect()),
        || {
            if listed.is_empty() {
                return "nothing waits for an approval\n".to_owned();
            }
            let (command, _) = session::command(global);
            listed.iter().map(|one| line(&command, one)).collect()
        },
    );
    Ok(exit::OK.into())
}

/// One approval of a list.
fn line(command: &str, approval: &Approval) -> String {
    let place = match (&approval.run, &approval.step) {
        (Some(run), Some(step)) => format!(", step `{step}` of run {run}"),
        _ => String::new(),
    };
    let mut text = format!(
        "{}  {:9}  {} as `{}`{place}\n",
        approval.id, approval.state, approval.tool, approval.role,
    );
    if let Some(workspace) = &approval.workspace {
        let _ = writeln!(text, "    in {workspace}");
    }
    let _ = writeln!(text, "    {}", approval.preview.replace('\n', "\n    "));
    if approval.cut && approval.state == "pending" {
        let id = &approval.id;
        let _ = writeln!(
            text,
            "    cut: `{command} approvals show {id}` shows all of it"
        );
    }
    let _ = writeln!(text, "    {}", approval.reason);
    text
}

/// Everything about an approval, for a reader.
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
    line("asks", &approval.reason);
    let Some(details) = details else {
        line("arguments", &approval.preview);
        if approval.cut {
            line("", "cut; the full arguments are kept while it waits");
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
            let shown = one
                .as_str()
                .map_or_else(|| json::to_text(&one), str::to_owned);
            line(name, &shown);
        }
    }
    if let Some(count) = details
        .get("redacted")
        .and_then(Value::as_i64)
        .filter(|count| *count > 0)
    {
        line(
            "redacted",
            &chain_runtime::counted(count.unsigned_abs(), "secret"),
        );
    }
    line("arguments", "");
    match details.get("arguments").and_then(Value::as_object) {
        Some(arguments) => {
            for (name, value) in arguments.iter() {
                let _ = writeln!(text, "  {name}: {}", json::to_text(value));
            }
        }
        None => text.push_str("  too long to keep: more than 16 MiB\n"),
    }
    text
}

fn value(approval: &Approval) -> Value {
    Value::object(fields(approval, None))
}

fn fields(approval: &Approval, details: Option<&Value>) -> Vec<(&'static str, Value)> {
    let mut fields = vec![
        ("id", Value::from(approval.id.as_str())),
        ("tool", Value::from(approval.tool.as_str())),
        ("role", Value::from(approval.role.as_str())),
        ("agent", Value::from(approval.agent.clone())),
        ("workspace", Value::from(approval.workspace.clone())),
        ("state", Value::from(approval.state.as_str())),
        ("preview", Value::from(approval.preview.as_str())),
        ("cut", Value::from(approval.cut)),
        ("reason", Value::from(approval.reason.as_str())),
        ("created_ms", Value::from(approval.created_ms)),
        ("expires_ms", Value::from(approval.expires_ms)),
        ("decided_by", Value::from(approval.decided_by.clone())),
        ("decided_ms", Value::from(approval.decided_ms)),
        ("run", Value::from(approval.run.clone())),
        ("step", Value::from(approval.step.clone())),
    ];
    if let Some(details) = details {
        fields.push(("details", details.clone()));
    }
    fields
}
