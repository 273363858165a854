//! `mathchain approve|deny ID` and `mathchain approvals list`.

use std::path::PathBuf;
use std::process::ExitCode;

use chain_runtime::state::Approval;
use clap::{Args, Subcommand};
use tool_core::{ToolError, Value};

use super::args::Global;
use super::policy::rules;
use super::{exit, print_data, session};
use crate::approvers::approver;

#[derive(Debug, Args)]
pub(super) struct Approve {
    /// Id of the approval, or its beginning
    pub id: String,
    /// Record a rule, so that calls like this one run without asking: this tool and role, with these paths, this program or these
    /// hosts
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
}

/// Grants one approval. Whoever runs this command line as this user is the operator.
pub(super) fn approve(global: &Global, approve: &Approve) -> Result<ExitCode, ToolError> {
    let by = approver(approve.key.as_deref())?;
    // A rule may be about a call of an agent.
    let toolkit = match approve.always {
        true => session::open_with_agents(global)?,
        false => session::open(global)?,
    };
    let state = session::state(&toolkit)?;
    // Whether such a rule would hold is known before anything is settled.
    let rule = match approve.always {
        true => Some(rules::of_approval(&toolkit, &state.waiting(&approve.id)?)?),
        false => None,
    };
    let (granted, recorded) = match &rule {
        Some(rule) => {
            let settled = state.approve_by_rule(&approve.id, &by)?;
            (settled, Some((rules::record(global, state, rule)?, rule)))
        }
        None => (state.approve(&approve.id, &by)?, None),
    };
    state.close()?;
    let mut data = fields(&granted);
    data.push((
        "recorded_rule",
        Value::from(recorded.map(|(number, _)| number)),
    ));
    print_data(global, &Value::object(data), || {
        let (id, tool, role) = (&granted.id, &granted.tool, &granted.role);
        match recorded {
            Some((number, rule)) => format!(
                "approved {id}: `{tool}` as `{role}`; recorded as rule {number}: {}\n",
                rules::words(rule)
            ),
            None => match &granted.run {
                Some(run) => format!(
                    "approved {id}: `{tool}` as `{role}`; it runs once\n  mathchain runs resume {run}\n"
                ),
                None => format!(
                    "approved {id}: `{tool}` as `{role}`; send the same call again, and it runs once\n"
                ),
            },
        }
    });
    Ok(exit::OK.into())
}

/// Declines one approval.
pub(super) fn deny(global: &Global, decide: &Decide) -> Result<ExitCode, ToolError> {
    let by = approver(decide.key.as_deref())?;
    let toolkit = session::open(global)?;
    let state = session::state(&toolkit)?;
    let settled = state.decline(&decide.id, &by)?;
    state.close()?;
    print_data(global, &value(&settled), || {
        let (id, tool, role) = (&settled.id, &settled.tool, &settled.role);
        format!("declined {id}: `{tool}` as `{role}`\n")
    });
    Ok(exit::OK.into())
}

/// Lists approvals.
pub(super) fn approvals(global: &Global, approvals: &Approvals) -> Result<ExitCode, ToolError> {
    const SHOWN_MAX: usize = 1000;
    let Approvals::List { all } = approvals;
    let toolkit = session::open(global)?;
    let listed = session::state(&toolkit)?.approvals(*all, SHOWN_MAX)?;
    print_data(
        global,
        &Value::array(listed.iter().map(value).collect()),
        || {
            if listed.is_empty() {
                return "nothing waits for an approval\n".to_owned();
            }
            listed
                .iter()
                .map(|approval| {
                    let place = match (&approval.run, &approval.step) {
                        (Some(run), Some(step)) => format!(", step `{step}` of run {run}"),
                        _ => String::new(),
                    };
                    format!(
                        "{}  {:9}  {} as `{}`{place}\n    {}\n    {}\n",
                        approval.id,
                        approval.state,
                        approval.tool,
                        approval.role,
                        approval.preview.replace('\n', "\n    "),
                        approval.reason
                    )
                })
                .collect()
        },
    );
    Ok(exit::OK.into())
}

fn value(approval: &Approval) -> Value {
    Value::object(fields(approval))
}

fn fields(approval: &Approval) -> Vec<(&'static str, Value)> {
    vec![
        ("id", Value::from(approval.id.as_str())),
        ("tool", Value::from(approval.tool.as_str())),
        ("role", Value::from(approval.role.as_str())),
        ("agent", Value::from(approval.agent.clone())),
        ("state", Value::from(approval.state.as_str())),
        ("preview", Value::from(approval.preview.as_str())),
        ("reason", Value::from(approval.reason.as_str())),
        ("created_ms", Value::from(approval.created_ms)),
        ("expires_ms", Value::from(approval.expires_ms)),
        ("decided_by", Value::from(approval.decided_by.clone())),
        ("decided_ms", Value::from(approval.decided_ms)),
        ("run", Value::from(approval.run.clone())),
        ("step", Value::from(approval.step.clone())),
    ]
}
