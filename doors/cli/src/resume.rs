//! `mathchain runs resume`: continues a run that is suspended, needs a decision, or was interrupted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chain_runtime::run::{self as chains, OutcomeRuling};
use journal::{RunRecord, RunState, StateScope};

use super::prelude::*;
use super::session::SessionWorld;
use super::worker::EngineArgs;
use super::{asking, progress, run, signals};
use mathchain::real_paths::RealPaths;
use mathchain::roots;

#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Completed steps are not repeated; the approved call runs now.
Examples:
  mathchain approve 9f3c && mathchain runs resume 3f2a
  mathchain runs resume --interrupted                   # after a restart of the machine
  mathchain runs resume 3f2a --decide write=done        # after checking that it happened
  mathchain runs resume 3f2a --decide 'fetch=done:{\"status\":200}'"
)]
pub(super) struct ResumeCommand {
    /// Id of the run, or a unique prefix
    #[arg(required_unless_present = "interrupted", add = complete::run_ids())]
    pub run: Option<String>,
    /// Resume every run of this workspace whose process ended, oldest first
    #[arg(long, conflicts_with_all = ["run", "decisions"])]
    pub interrupted: bool,
    /// Outcome of a call whose outcome is unknown: CALL=again, CALL=failed, CALL=done or CALL=done:JSON; repeatable
    #[arg(long = "decide", value_name = "CALL=OUTCOME")]
    pub decisions: Vec<String>,
    /// Resume although tools or the workspace folder changed since the run began
    #[arg(long)]
    pub accept_changes: bool,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Approve every request automatically, as the operator
    #[arg(short, long)]
    pub yes: bool,
}

/// Resumes a run, and asks at the terminal for what its steps need.
pub(super) fn resume_run(global: &GlobalArgs, resume: &ResumeCommand) -> Result<ExitCode> {
    if resume.interrupted {
        return resume_interrupted(global, resume);
    }
    resume_as(global, resume, false)
}

/// Resumes the runs of this workspace whose processes ended; gives the first exit code that is no success.
fn resume_interrupted(global: &GlobalArgs, resume: &ResumeCommand) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let scope = StateScope::workspace(toolkit.workspace_id());
    let running = Some(RunState::Running);
    let mut runs = open::require_state(&toolkit)?.runs_in(&scope, running, usize::MAX)?;
    runs.retain(|run| run.is_resumable() && run.parent.is_none());
    drop(toolkit);
    if runs.is_empty() {
        write_stderr("no interrupted runs in this workspace\n");
    }
    let mut code = ExitCode::from(exit::OK);
    for run in runs.iter().rev() {
        let one = ResumeCommand {
            run: Some(run.id.clone()),
            interrupted: false,
            ..resume.clone()
        };
        let ended = match resume_as(global, &one, false) {
            Ok(ended) => ended,
            // The others go on.
            Err(error) => {
                write_stderr(&format!("run {}: {}", run.id, human::render_error(&error)));
                exit::of_error(&error).into()
            }
        };
        if code == ExitCode::from(exit::OK) {
            code = ended;
        }
    }
    Ok(code)
}

/// Resumes a run whose approver runs this process: what its next steps need stays pending, so that it is shown before it is approved.
pub(super) fn resume_approved_run(global: &GlobalArgs, run: &str) -> Result<ExitCode> {
    let resume = ResumeCommand {
        run: Some(run.to_owned()),
        interrupted: false,
        decisions: Vec::new(),
        accept_changes: false,
        engine: EngineArgs::default(),
        yes: false,
    };
    resume_as(global, &resume, true)
}

fn resume_as(global: &GlobalArgs, resume: &ResumeCommand, by_approver: bool) -> Result<ExitCode> {
    let id = resume.run.as_deref().unwrap_or_default();
    let (mut toolkit, mut found) = open_run(global, id, resume.accept_changes)?;
    let decisions = resume.decisions.iter().map(|text| parse_decision(text));
    let mut how = chains::ResumeRequest {
        decisions: decisions.collect::<Result<_>>()?,
        accept_changes: resume.accept_changes,
        ..chains::ResumeRequest::default()
    };
    // A nested run is resumed with its top-level run.
    if let Some(outer) = chains::root_run(open::require_state(&toolkit)?, &found)? {
        let decisions = std::mem::take(&mut how.decisions);
        how.within = BTreeMap::from([(found.id, decisions)]);
        (toolkit, found) = open_run(global, &outer.id, resume.accept_changes)?;
    }
    if found.state.is_final() && how.decisions.is_empty() && how.within.values().all(Vec::is_empty)
    {
        let outcome = chains::ended_run_outcome(open::require_state(&toolkit)?, &found)?;
        return answer::finish_answer(&toolkit, global, &outcome);
    }
    let asks = !by_approver && asking::may_ask(&toolkit);
    if by_approver {
        open::require_state(&toolkit)?.act_for_approver();
    }
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = CallContext {
        answer: open::approval_answer(&toolkit, resume.yes, asks)?,
        stop,
        cluster: toolkit.open_engine(&resume.engine.request())?,
        ..CallContext::of_run(&found)
    };
    toolkit.count_recorded(&found)?;
    let result =
        progress::with_display(|observer| toolkit.resume(&context, &found.id, &how, observer));
    let result = match asks {
        true => asking::continue_suspended_run(global, &toolkit, &context, result?)?,
        false => result?,
    };
    Ok(run::print_run_result(global, &toolkit, &result))
}

/// Finds a run, and opens the toolkit in the workspace, with the agents and the session folder that it began with.
///
/// # Errors
/// A workspace that was replaced or removed, unless changes are accepted.
pub(super) fn open_run(
    global: &GlobalArgs,
    id: &str,
    accept_changes: bool,
) -> Result<(Toolkit, RunRecord)> {
    let mut toolkit = open::open_toolkit(global)?;
    let found = open::require_state(&toolkit)?.run(id)?;
    // Whatever the current folder, the run continues in its own workspace.
    let mut global = global.clone();
    if let Err(elsewhere) = chains::same_workspace(&found, &toolkit.dispatcher()) {
        let began = chains::workspace_of(&found);
        let there = |root: &str| {
            let root = roots::single_root(PathBuf::from(root));
            let there = roots::workspace_identity(&root, &RealPaths::default());
            there.map(|there| there.id)
        };
        if let Some(began) = began
            .as_ref()
            .filter(|began| toolkit.is_copied_from(&began.root))
            && !accept_changes
        {
            return Err(of_original(
                &found.id,
                &began.root,
                "resume it there; `--accept-changes` continues it here, with effects that the original may have had too",
            ));
        }
        let began = began.filter(|began| !toolkit.is_copied_from(&began.root));
        let began = began.filter(|began| there(&began.root).as_ref() == Some(&began.id));
        match began {
            Some(began) if global.workspace.is_none() => {
                global.workspace = Some(PathBuf::from(&began.root));
                toolkit = open::open_toolkit(&global)?;
            }
            _ if accept_changes => {}
            _ => return Err(elsewhere),
        }
    }
    if found.who.get("agent").is_some() {
        toolkit = open::with_agents(&global)?;
    }
    if let Some(world) = found.who.get("world") {
        let dispatcher = SessionWorld::of_run(&toolkit, world)?;
        toolkit = toolkit.in_world(dispatcher);
    }
    Ok((toolkit, found))
}

/// Why a copy does nothing with what its original began.
pub(super) fn of_original(what: &str, original: &str, hint: &str) -> ToolError {
    tool_error!(PreconditionFailed, "workspace_copied"; "`{what}` belongs to `{original}`, and this state is a copy of its state"; "{hint}")
}

/// `CALL=again`, `CALL=failed`, `CALL=done`, `CALL=done:JSON`.
fn parse_decision(text: &str) -> Result<(String, OutcomeRuling)> {
    let wrong = |message: String| {
        ToolError::new(ErrorCode::InvalidRequest, message)
            .reason("decision")
            .hint("write `--decide write=again`, `write=failed`, `write=done` or `'write=done:{\"path\":\"a\"}'`")
    };
    let other = || wrong(format!("`{text}` is not a decision: expected CALL=OUTCOME"));
    let (call, what) = text.split_once('=').ok_or_else(other)?;
    let decision = match what.split_once(':') {
        None if what == "again" => OutcomeRuling::Again,
        None if what == "failed" => OutcomeRuling::Failed,
        None if what == "done" => OutcomeRuling::Done(Value::Null),
        Some(("done", result)) => {
            let value = json::parse_json(result, json::JsonLimits::default())
                .map_err(|err| wrong(format!("the result of `{call}` is not valid JSON: {err}")))?;
            OutcomeRuling::Done(value)
        }
        _ => return Err(wrong(format!("`{what}` is not an outcome"))),
    };
    Ok((call.to_owned(), decision))
}
