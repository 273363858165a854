//! Recorded runs, for the roles that may see them: a role sees its own, the operator all.

use journal::{OPERATOR, Run, State};
use tool_core::{Result, Value, object, tool_error};

/// Maximum number of runs among which those of a role are looked for.
const LOOKED_AT: usize = 1000;

/// The newest runs that a role may see.
///
/// # Errors
/// `tool_error` when the state cannot be read.
pub(crate) fn runs(state: &State, role: &str, count_max: usize) -> Result<Vec<Run>> {
    let mut runs = state.runs(None, LOOKED_AT)?;
    runs.retain(|run| may_see(run, role));
    runs.truncate(count_max);
    Ok(runs)
}

/// One run that a role may see.
///
/// # Errors
/// `invalid_args` for any other, the same whether or not it exists.
pub(crate) fn run(state: &State, role: &str, id: &str) -> Result<Run> {
    let found = state.run(id).ok().filter(|run| may_see(run, role));
    found.ok_or_else(|| {
        let shown: String = id.chars().take(60).collect();
        tool_error!(InvalidArgs, "run"; "role `{role}` has no run `{shown}`"; "a role sees its own runs")
    })
}

fn may_see(run: &Run, role: &str) -> bool {
    role == OPERATOR || run.role == role
}

/// A run in a list.
pub(crate) fn summary(run: &Run) -> Value {
    object! {
        "id" => run.id.as_str(), "plan" => run.plan_id.as_str(), "state" => run.state.as_str(), "role" => run.role.as_str(),
        "created_ms" => run.created_ms, "changed_ms" => run.changed_ms,
    }
}
