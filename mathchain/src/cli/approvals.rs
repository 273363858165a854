//! `mathchain approve|deny ID` and `mathchain approvals list`.

use std::process::ExitCode;

use chain_runtime::state::Approval;
use tool_core::{ToolError, Value};

use super::args::{Approvals, Decide, Global};
use super::{exit, print_data, session};

/// Settles one approval. Whoever runs this command line as this user is the operator.
pub(super) fn decide(global: &Global, decide: &Decide, grant: bool) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let state = session::state(&toolkit)?;
    let settled = if grant {
        state.approve(&decide.id, "terminal")
    } else {
        state.decline(&decide.id, "terminal")
    }?;
    state.close()?;
    print_data(global, &value(&settled), || {
        if grant {
            format!(
                "approved {}: `{}` as `{}`; send the same call again and it runs once\n",
                settled.id, settled.tool, settled.role
            )
        } else {
            format!(
                "declined {}: `{}` as `{}`\n",
                settled.id, settled.tool, settled.role
            )
        }
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
                    format!(
                        "{}  {:9}  {} as `{}`\n    {}\n    {}\n",
                        approval.id,
                        approval.state,
                        approval.tool,
                        approval.role,
                        approval.preview,
                        approval.reason
                    )
                })
                .collect()
        },
    );
    Ok(exit::OK.into())
}

fn value(approval: &Approval) -> Value {
    Value::object([
        ("id", Value::from(approval.id.as_str())),
        ("tool", Value::from(approval.tool.as_str())),
        ("role", Value::from(approval.role.as_str())),
        ("state", Value::from(approval.state.as_str())),
        ("preview", Value::from(approval.preview.as_str())),
        ("reason", Value::from(approval.reason.as_str())),
        ("created_ms", Value::from(approval.created_ms)),
        ("expires_ms", Value::from(approval.expires_ms)),
        ("decided_by", Value::from(approval.decided_by.clone())),
        ("decided_ms", Value::from(approval.decided_ms)),
    ])
}
