//! `mathchain runs resume` and `mathchain replay`: runs that go on, or are gone through again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use chain_runtime::run::{self as chains, LISTED_MAX, OutcomeRuling};
use chain_runtime::{Observer, counted};
use clap::{Args, ValueEnum};
use journal::artifacts::Handle;
use journal::{Run, RunState};
use registry::{Answer, Principal};
use tool_core::{ErrorCode, StopFlag, ToolError, Value, json};

use super::args::Global;
use super::session_door::World;
use super::{call, exit, human, print_data, run, session, signals};
use crate::{Context, Toolkit, environment};

#[derive(Debug, Args)]
#[command(
    after_help = "Finished steps are not called again; what the approval was given for is.
Examples:
  mathchain approve 9f3c && mathchain runs resume 3f2a
  mathchain runs resume 3f2a --decide write=done        # it happened: look first
  mathchain runs resume 3f2a --decide 'fetch=done:{\"status\":200}'"
)]
pub(super) struct Resume {
    /// Id of the run, or its beginning
    pub run: String,
    /// What became of a call whose outcome is not known: CALL=again, CALL=failed, CALL=done or CALL=done:JSON; repeatable
    #[arg(long = "decide", value_name = "CALL=WHAT")]
    pub decisions: Vec<String>,
    /// Go on although tools, or the folder it began in, changed since the run began
    #[arg(long)]
    pub accept_changes: bool,
    /// Approve in advance, as the operator, whatever would be asked
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "`mathchain runs list` shows the ids. Of a run that did not come to its end what is recorded is compared; nothing is called whose end is not recorded.
Exit code 0 when everything is the same, 1 when something differs or is damaged; of a rerun, that of the new run.
Examples:
  mathchain run plan.yaml && mathchain replay --last
  mathchain replay 3f2a --mode verify
  mathchain replay 3f2a --mode rerun"
)]
pub(super) struct Replay {
    /// Id of the run, or its beginning
    #[arg(required_unless_present = "last", conflicts_with = "last")]
    pub run: Option<String>,
    /// The newest run that has ended
    #[arg(long)]
    pub last: bool,
    /// What is done
    #[arg(long, value_enum, default_value_t = ReplayMode::Replay)]
    pub mode: ReplayMode,
    /// In a rerun, approve in advance, as the operator, whatever would be asked
    #[arg(long)]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReplayMode {
    /// Read every record and every value, and compare their hashes; call nothing
    Verify,
    /// Compute again what is a function of its arguments, and compare bit for bit; take the rest from the record
    Replay,
    /// Run the plan anew, with the same inputs and seed, effects included, as a run of its own
    Rerun,
}

pub(super) fn resume(global: &Global, resume: &Resume) -> Result<ExitCode, ToolError> {
    let (mut toolkit, mut found) = open(global, &resume.run, resume.accept_changes)?;
    let decisions = resume
        .decisions
        .iter()
        .map(|text| decision(text))
        .collect::<Result<Vec<_>, _>>()?;
    let mut how = chains::Resume {
        decisions,
        accept_changes: resume.accept_changes,
        ..chains::Resume::default()
    };
    // A run that is part of another goes on with it.
    if let Some(outer) = chains::around(session::state(&toolkit)?, &found)? {
        let decisions = std::mem::take(&mut how.decisions);
        how.within = BTreeMap::from([(found.id, decisions)]);
        (toolkit, found) = open(global, &outer.id, resume.accept_changes)?;
    }
    if found.state.is_final() && how.decisions.is_empty() && how.within.values().all(Vec::is_empty)
    {
        let outcome = chains::ended(session::state(&toolkit)?, &found)?;
        return call::finish(&toolkit, global.format(), &outcome);
    }
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = Context {
        answer: session::answer(&toolkit, resume.yes, false)?,
        stop,
        ..context_of(&found)
    };
    count_again(&toolkit, &found)?;
    let display = run::display();
    let observer = display.clone().map(|display| display as Arc<dyn Observer>);
    let result = toolkit.resume(&context, &found.id, &how, observer);
    if let Some(display) = display {
        display.clear();
    }
    Ok(run::finish(global, &toolkit, &result?))
}

/// What the run, and those within it, used of the budget of its task in processes that ended.
fn count_again(toolkit: &Toolkit, found: &Run) -> Result<(), ToolError> {
    if found.who.get("task").is_none() {
        return Ok(());
    }
    let state = session::state(toolkit)?;
    let within = state.runs_within(&found.id)?;
    let dispatcher = toolkit.dispatcher();
    for run in within.iter().chain([found]) {
        for record in state.run_records(&run.id)? {
            dispatcher.count_recorded(&record);
        }
    }
    Ok(())
}

pub(super) fn replay(global: &Global, replay: &Replay) -> Result<ExitCode, ToolError> {
    let (toolkit, found) = match &replay.run {
        Some(id) => open(global, id, false)?,
        None => open_last(global)?,
    };
    let context = Context {
        // Nothing with an effect is called again but in a rerun.
        answer: match replay.mode {
            ReplayMode::Rerun => session::answer(&toolkit, replay.yes, false)?,
            ReplayMode::Verify | ReplayMode::Replay => Answer::Yes,
        },
        ..context_of(&found)
    };
    let code = match replay.mode {
        ReplayMode::Verify => verify(global, &toolkit, &found),
        ReplayMode::Replay => compare(global, &toolkit, &context, &found),
        ReplayMode::Rerun => return rerun(global, &toolkit, &context, &found),
    };
    call::close(&toolkit);
    code
}

/// Reads every record and value of a run.
fn verify(global: &Global, toolkit: &Toolkit, found: &Run) -> Result<ExitCode, ToolError> {
    let state = session::state(toolkit)?;
    let records = state.run_records(&found.id)?;
    found.with_values()?;
    let mut handles = vec![found.plan.clone(), found.inputs.clone()];
    for record in records.iter().filter_map(Value::as_object) {
        handles.extend(
            record
                .iter()
                .filter_map(|(_, value)| Handle::from_value(value)),
        );
    }
    for handle in &handles {
        state.value(handle)?;
    }
    let values = handles.len();
    let data = Value::object([
        ("run", Value::from(found.id.as_str())),
        ("mode", Value::from("verify")),
        ("records", Value::from(records.len())),
        ("values", Value::from(values)),
        ("sound", Value::from(true)),
    ]);
    print_data(global, &data, || {
        format!(
            "run {}: {} records and {values} values are what was written\n",
            found.id,
            records.len()
        )
    });
    Ok(exit::OK.into())
}

/// Computes again and compares.
fn compare(
    global: &Global,
    toolkit: &Toolkit,
    context: &Context,
    found: &Run,
) -> Result<ExitCode, ToolError> {
    let replayed = toolkit.replay(context, &found.id)?;
    let compared = &replayed.compared;
    let divergences = compared.divergences.iter().map(|one| {
        Value::object([
            ("call", Value::from(one.call.as_str())),
            ("recorded", one.recorded.clone()),
            ("found", one.found.clone()),
        ])
    });
    let unreadable = compared.unreadable.iter().map(|one| {
        Value::object([
            ("what", Value::from(one.what.as_str())),
            ("error", one.error.to_value()),
        ])
    });
    let same = replayed.is_same();
    // What there is to compare: a run that did not come to its end has no result.
    let what = match (replayed.result_same, found.state) {
        (Some(_), _) => "result",
        (None, RunState::Running) => "calls",
        (None, _) => "steps",
    };
    let data = Value::object([
        ("run", Value::from(found.id.as_str())),
        ("state", Value::from(found.state.as_str())),
        ("mode", Value::from("replay")),
        ("same", Value::from(same)),
        ("compared", Value::from(what)),
        ("reasons", Value::from(first(&replayed.reasons))),
        ("not_compared", Value::from(first(&replayed.open))),
        (
            "computed",
            Value::from(compared.same + compared.divergences.len()),
        ),
        ("taken", Value::from(compared.taken)),
        ("divergences", Value::array(divergences.collect())),
        ("unreadable", Value::array(unreadable.collect())),
        ("differs", Value::from(replayed.differs.clone())),
    ]);
    print_data(global, &data, || {
        let mut text = format!(
            "run {} ({}): {} computed again, {} taken from the record: {}\n",
            found.id,
            found.state.as_str(),
            counted((compared.same + compared.divergences.len()) as u64, "call"),
            compared.taken,
            match (same, compared.unreadable.is_empty()) {
                (true, _) => "the same, bit for bit",
                (false, true) => "not the same",
                (false, false) => "what was kept is damaged",
            }
        );
        for reason in first(&replayed.reasons) {
            let _ = writeln!(text, "{reason}");
        }
        if !replayed.open.is_empty() {
            let names = human::first_of(&replayed.open, LISTED_MAX);
            let _ = writeln!(text, "not compared, as their end is not recorded: {names}");
        }
        for one in &compared.unreadable {
            let _ = writeln!(
                text,
                "cannot read what was kept of {}: {}",
                one.what,
                one.error.message()
            );
        }
        if let Some(first) = compared.divergences.first() {
            let _ = writeln!(text, "first divergence at {}", first.call);
            let _ = writeln!(text, "  recorded {}", shortened(&first.recorded));
            let _ = writeln!(text, "  found    {}", shortened(&first.found));
        }
        for one in &replayed.differs {
            let _ = writeln!(text, "another {one}: other digits are no fault there");
        }
        text
    });
    if same {
        return Ok(exit::OK.into());
    }
    Ok(exit::TOOL_ERROR.into())
}

fn rerun(
    global: &Global,
    toolkit: &Toolkit,
    context: &Context,
    found: &Run,
) -> Result<ExitCode, ToolError> {
    let (plan, inputs) = chains::again(session::state(toolkit)?, &found.id)?;
    let result = toolkit.run_plan(
        context,
        &plan,
        &inputs,
        chain_runtime::RunOptions::default(),
    )?;
    Ok(run::finish(global, toolkit, &result))
}

/// The first entries of a list, and how many more there are.
fn first(list: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = list.iter().take(LISTED_MAX).cloned().collect();
    if let Some(more @ 1..) = list.len().checked_sub(LISTED_MAX) {
        shown.push(format!("and {more} more"));
    }
    shown
}

fn shortened(value: &Value) -> String {
    const SHOWN: usize = 400;
    let text = json::to_text(value);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Opens the toolkit with the agents that the run may speak of, and finds the run.
pub(super) fn open(
    global: &Global,
    id: &str,
    accept_changes: bool,
) -> Result<(Toolkit, Run), ToolError> {
    let mut toolkit = session::open(global)?;
    let found = session::state(&toolkit)?.run(id)?;
    // A run goes on in the folder that it began in, wherever the command is given.
    let mut global = global.clone();
    if let Err(elsewhere) = chains::same_workspace(&found, &toolkit.dispatcher()) {
        let began = chains::workspace_of(&found);
        let began = began.filter(|began| {
            let there = environment::workspace_id(Path::new(&began.root));
            there.is_some_and(|there| there.id == began.id)
        });
        match began {
            Some(began) if global.workspace.is_none() => {
                global.workspace = Some(PathBuf::from(&began.root));
                toolkit = session::open(&global)?;
            }
            _ if accept_changes => {}
            _ => return Err(elsewhere),
        }
    }
    let global = &global;
    let toolkit = match found.who.get("agent") {
        Some(_) => session::open_with_agents(global)?,
        None => toolkit,
    };
    let toolkit = match found.who.get("world") {
        Some(world) => {
            let dispatcher = World::of_run(&toolkit, world)?;
            toolkit.in_world(dispatcher)
        }
        None => toolkit,
    };
    Ok((toolkit, found))
}

fn open_last(global: &Global) -> Result<(Toolkit, Run), ToolError> {
    const LOOKED_AT: usize = 100;
    let toolkit = session::open(global)?;
    let runs = session::state(&toolkit)?.runs(None, LOOKED_AT)?;
    let last = runs
        .into_iter()
        .find(|run| run.state.is_final() && run.state != RunState::Rejected);
    let found = last.ok_or_else(|| {
        ToolError::new(ErrorCode::InvalidArgs, "no run has ended yet")
            .reason("run")
            .hint("`mathchain run PLAN` makes one")
    })?;
    drop(toolkit);
    open(global, &found.id, false)
}

/// Who began a run, with all that narrowed it.
pub(super) fn context_of(run: &Run) -> Context {
    let who = Principal::from_value(&run.role, &run.who);
    Context {
        role: Some(who.role),
        agent: who.agent,
        phase: who.phase,
        task: who.task,
        profile: who.profile,
        toolset: who.toolset,
        overrides: who.run,
        layers: who.layers,
        ..Context::default()
    }
}

/// `CALL=again`, `CALL=failed`, `CALL=done`, `CALL=done:JSON`.
fn decision(text: &str) -> Result<(String, OutcomeRuling), ToolError> {
    let wrong = |message: String| {
        ToolError::new(ErrorCode::InvalidRequest, message)
            .reason("decision")
            .hint("write `--decide write=again`, `write=failed`, `write=done` or `'write=done:{\"path\":\"a\"}'`")
    };
    let Some((call, what)) = text.split_once('=') else {
        return Err(wrong(format!(
            "`{text}` is no decision: expected CALL=WHAT"
        )));
    };
    let decision = match what.split_once(':') {
        None if what == "again" => OutcomeRuling::Again,
        None if what == "failed" => OutcomeRuling::Failed,
        None if what == "done" => OutcomeRuling::Done(Value::Null),
        Some(("done", result)) => {
            let value = json::parse(result, json::Limits::default())
                .map_err(|err| wrong(format!("the result of `{call}` is no JSON: {err}")))?;
            OutcomeRuling::Done(value)
        }
        _ => return Err(wrong(format!("`{what}` is no decision"))),
    };
    Ok((call.to_owned(), decision))
}
