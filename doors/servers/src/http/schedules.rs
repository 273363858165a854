//! Plans of `[[schedules]]`, begun at their times as any plan that is submitted: the same check, policy, journal and audit.
//!
//! A due time is claimed in the state under the name of its schedule, so that of several servers one begins it, and a server that was killed
//! between the claim and the record of the run begins that run later, under the same id.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Extension, State};
use chain_runtime::Plan;
use jiff::Timestamp;
use journal::{DueClaim, DueTime, OPERATOR, StateStore};
use registry::model::{MissedTimes, Schedule, ScheduleOverlap};
use tool_core::brief::count_phrase;
use tool_core::capability::Clock as _;
use tool_core::{Object, Result, ToolError, Value, object, tool_error};

use super::callers::HttpCaller;
use super::chains::{self, ScheduledChain};
use super::reply::{self, Replied};
use super::server::HttpServer;
use crate::people::schedules::ListedSchedule;
use mathchain::clock::SystemClock;
use mathchain::schedules::DueTimes;

/// Tells the operator a line.
pub(super) type Teller = Arc<dyn Fn(&str) + Send + Sync>;

/// Times of each schedule that a list has.
const LISTED_TIMES: usize = 10;
/// How often the clock is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How often claims of servers that ended are looked for.
const TAKE_OVER: Duration = Duration::from_secs(60);
/// A time that is seen later than this was missed.
const LATE_MS: u64 = 60_000;
/// Missed times that are recorded one by one; earlier ones are counted.
const MISSED_MAX: usize = 100;
/// Runs of a schedule that are looked at for one that has not ended.
const EARLIER_MAX: usize = 50;

/// Lists the schedules that run as the role of a caller, `operator` every one, with their next times and what became of the last ones.
pub(super) async fn list_schedules(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
) -> Replied {
    let listed = server
        .aside(move |server| {
            let own = server.toolkit.caller(&server.settings.mcp.context).who.role;
            let state = server.records().ok().map(Arc::as_ref);
            let config = server.toolkit.config();
            let seen = config
                .schedules
                .iter()
                .filter(|one| caller.sees(server, one.role.as_ref().unwrap_or(&own)));
            let listed = seen.map(|one| {
                let listed = ListedSchedule::of(&server.toolkit, state, one, LISTED_TIMES)?;
                Ok(listed.value())
            });
            Ok(Value::array(listed.collect::<Result<_>>()?))
        })
        .await?;
    Ok(reply::data_response(&object! { "schedules" => listed }))
}

/// A schedule as this server knows it.
struct KnownSchedule {
    due: DueTimes,
    /// Times up to this one were looked at.
    mark_ms: u64,
    taken_over: Option<Instant>,
}

/// Looks at the clock until the server closes.
pub(super) async fn run_schedules(server: Arc<HttpServer>, tell: Teller) {
    let mut known: HashMap<String, KnownSchedule> = HashMap::new();
    let mut fault = None;
    loop {
        let config = server.toolkit.config();
        known.retain(|name, _| config.schedules.iter().any(|one| one.name == *name));
        if !config.schedules.is_empty() {
            let (at, to) = (Arc::clone(&server), Arc::clone(&tell));
            let mut of_round = std::mem::take(&mut known);
            let looked = server
                .aside(move |_| {
                    let round = ScheduleRound {
                        server: &at,
                        tell: &to,
                    };
                    let mut begun = Vec::new();
                    let mut failed = None;
                    for schedule in &config.schedules {
                        let looked = round.look(schedule, &mut of_round, &mut begun);
                        failed = looked.err().or(failed);
                    }
                    Ok((of_round, begun, failed))
                })
                .await;
            if let Ok((of_round, begun, failed)) = looked {
                known = of_round;
                for chain in begun {
                    chain.begin(&server);
                }
                // The same trouble is told once.
                let message = failed.map(|error: ToolError| error.message().to_owned());
                if let Some(message) = message.as_ref().filter(|one| fault.as_ref() != Some(*one)) {
                    tell(&format!("schedules wait: {message}"));
                }
                fault = message;
            }
        }
        tokio::select! {
            () = server.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// A look at the schedules of a server.
struct ScheduleRound<'a> {
    server: &'a Arc<HttpServer>,
    tell: &'a Teller,
}

impl ScheduleRound<'_> {
    /// Begins what is due of a schedule, and names what was missed.
    fn look(
        &self,
        schedule: &Schedule,
        known: &mut HashMap<String, KnownSchedule>,
        begun: &mut Vec<ScheduledChain>,
    ) -> Result<()> {
        let state = self.server.records()?;
        let workspace = self.workspace()?;
        let name = schedule.name.as_str();
        let due = DueTimes::of(schedule)?;
        let now_ms = SystemClock::default().unix_ms();
        if known
            .get(name)
            .is_none_or(|one| one.due.digest() != due.digest())
        {
            let mark_ms = state.schedule_mark(&workspace, name, due.digest())?;
            let next = due.next(now_ms).map_or("never".to_owned(), utc_text);
            (self.tell)(&format!("schedule `{name}`: next at {next}"));
            let first = KnownSchedule {
                due,
                mark_ms,
                taken_over: None,
            };
            known.insert(name.to_owned(), first);
        }
        let Some(of) = known.get_mut(name) else {
            return Ok(());
        };
        if of.taken_over.is_none_or(|at| at.elapsed() >= TAKE_OVER) {
            of.taken_over = Some(Instant::now());
            for (due_ms, run) in state.take_over_due(&workspace, name)? {
                let due = DueTime {
                    workspace: &workspace,
                    name,
                    due_ms,
                };
                begun.extend(self.begin(state, schedule, &due, run)?);
            }
        }
        if of.due.next(of.mark_ms).is_none_or(|next| next > now_ms) {
            return Ok(());
        }
        let (times, more) = of.due.between(of.mark_ms, now_ms, MISSED_MAX);
        let mut missed = Vec::new();
        for (at, due_ms) in times.iter().copied().enumerate() {
            let due = DueTime {
                workspace: &workspace,
                name,
                due_ms,
            };
            let is_late = now_ms.saturating_sub(due_ms) > LATE_MS;
            let is_newest = at + 1 == times.len();
            if is_newest && (!is_late || schedule.missed == MissedTimes::RunOnce) {
                begun.extend(self.claim(state, schedule, &due)?);
            } else if state.claim_due(&due, DueClaim::Missed)? {
                missed.push(due_ms);
            }
            of.mark_ms = due_ms;
        }
        if let Some(newest) = missed.last() {
            let count = count_phrase((missed.len() + more) as u64, "time");
            let newest = utc_text(*newest);
            (self.tell)(&format!(
                "schedule `{name}` missed {count}, the newest at {newest}; `mathchain schedule show {name}` lists them"
            ));
        }
        Ok(())
    }

    /// Claims a due time and begins its run; nothing where another server was first, or an earlier run has not ended.
    fn claim(
        &self,
        state: &StateStore,
        schedule: &Schedule,
        due: &DueTime<'_>,
    ) -> Result<Option<ScheduledChain>> {
        if schedule.overlap == ScheduleOverlap::Skip
            && let Some(earlier) = open_run(state, due)?
        {
            if state.claim_due(due, DueClaim::Overlapped(&earlier))? {
                (self.tell)(&format!(
                    "schedule `{}`: passed over {}: the run `{earlier}` has not ended",
                    due.name,
                    utc_text(due.due_ms)
                ));
            }
            return Ok(None);
        }
        let run = journal::new_id();
        match state.claim_due(due, DueClaim::Run(&run))? {
            true => self.begin(state, schedule, due, run),
            false => Ok(None),
        }
    }

    /// Records the run of a claimed time; a plan that cannot begin is told and recorded.
    fn begin(
        &self,
        state: &StateStore,
        schedule: &Schedule,
        due: &DueTime<'_>,
        run: String,
    ) -> Result<Option<ScheduledChain>> {
        let accepted = object! { "schedule" => due.name, "due_ms" => due.due_ms };
        let recorded = schedule_caller(self.server, schedule.role.as_deref()).and_then(|caller| {
            let plan = plan_of(schedule)?;
            chains::record_scheduled(self.server, caller, plan, (run, accepted))
        });
        match recorded {
            Ok(chain) => {
                // Where this fails, the record of the run says as much.
                let _ = state.begin_due(due);
                Ok(Some(chain))
            }
            Err(error) => {
                let message = match error.hint_str() {
                    Some(hint) => format!("{}; {hint}", error.message()),
                    None => error.message().to_owned(),
                };
                (self.tell)(&format!("schedule `{}` did not begin: {message}", due.name));
                state.refuse_due(due, &message)?;
                Ok(None)
            }
        }
    }

    fn workspace(&self) -> Result<String> {
        let workspace = self.server.toolkit.workspace_id();
        workspace.map(|workspace| workspace.id).ok_or_else(|| {
            tool_error!(PreconditionFailed, "workspace"; "there is no workspace"; "name one with --workspace")
        })
    }
}

/// The plan of a schedule and its inputs, as the configuration was read.
fn plan_of(schedule: &Schedule) -> Result<(Plan, Object)> {
    let text = match &schedule.text {
        Some(Ok(text)) => text,
        Some(Err(why)) => return Err(tool_error!(InvalidRequest, "schedule"; "{why}")),
        None => return Err(tool_error!(InvalidRequest, "schedule"; "the plan was not read")),
    };
    let plan = Plan::read(&schedule.plan, text)?;
    let inputs = schedule.inputs.as_object().cloned().unwrap_or_default();
    Ok((plan, inputs))
}

/// The newest run of a schedule that has not ended.
fn open_run(state: &StateStore, due: &DueTime<'_>) -> Result<Option<String>> {
    let times = state.schedule_times(due.workspace, Some(due.name), EARLIER_MAX)?;
    let begun = times
        .into_iter()
        .filter(|one| matches!(&*one.outcome, "claimed" | "begun"));
    for run in begun.filter_map(|one| one.run) {
        if state
            .run_named(&run)?
            .is_some_and(|found| !found.state.is_final())
        {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// The server as the caller of a schedule: with its own role, or one that it serves.
///
/// # Errors
/// `policy_denied` with reason `schedule_role`.
fn schedule_caller(server: &Arc<HttpServer>, role: Option<&str>) -> Result<Arc<HttpCaller>> {
    let mut caller = HttpCaller::new(server, None);
    let Some(role) = role else {
        return Ok(Arc::new(caller));
    };
    let own = caller.role(server);
    let may = own == role || own == OPERATOR || caller.roles.iter().any(|one| one == role);
    if !may {
        return Err(
            tool_error!(PolicyDenied, "schedule_role"; "the server calls as `{own}` and does not serve the role `{role}`";
            "start it with `--role {role}`, or with `--roles {role}` beside its own"),
        );
    }
    caller.context.role = Some(role.to_owned());
    Ok(Arc::new(caller))
}

/// The caller of a recorded run of a schedule that is still configured.
///
/// # Errors
/// `policy_denied` with reason `schedule` or `schedule_role`.
pub(super) fn accepting_caller(
    server: &Arc<HttpServer>,
    name: &str,
    role: &str,
) -> Result<Arc<HttpCaller>> {
    let config = server.toolkit.config();
    if !config
        .schedules
        .iter()
        .any(|schedule| schedule.name == name)
    {
        return Err(tool_error!(PolicyDenied, "schedule"; "there is no schedule `{name}`"));
    }
    schedule_caller(server, Some(role))
}

fn utc_text(unix_ms: u64) -> String {
    let moment = i64::try_from(unix_ms).ok();
    let moment = moment.and_then(|ms| Timestamp::from_millisecond(ms).ok());
    moment.map_or_else(|| unix_ms.to_string(), |moment| moment.to_string())
}
