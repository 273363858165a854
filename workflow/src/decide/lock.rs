//! Locks of files, and agents that were started.

use super::{accept_event, args, text};
use crate::actor::{DecisionContext, EventTime};
use crate::event::{AgentEnded, AgentSpawned, LockAcquired, LockReleased, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::governance::PathGlob;
use crate::limits::{LOCK_MS_DEFAULT, LOCK_MS_MAX};
use crate::roles;
use crate::state::WorkflowState;

args! {
    /// Lock files for a chain; its lock before, if any, is replaced.
    LockAcquire {
        /// Id of the chain.
        chain_id: String,
        /// Patterns of the files; those of the chain and its tasks where absent.
        patterns: Option<Vec<String>>,
        /// How long, in milliseconds, at most 30 days; 24 hours where absent.
        ttl_ms: Option<i64>,
    }

    /// Release the files of a chain.
    LockRelease {
        /// Id of the chain.
        chain_id: String,
    }

    /// Record that an agent is started; its id is its role with a number.
    AgentSpawn {
        /// Its role.
        role: String,
        /// Id of the chain it works on.
        chain_id: Option<String>,
        /// Id of the task it works on; needs `chainId`.
        task_id: Option<String>,
        /// How deep agents may start agents.
        depth_max: u32,
    }
}

/// `lock:acquire`
///
/// # Errors
/// Unknown chain, no patterns, a pattern that overlaps a lock of another chain, a time out of range.
pub fn acquire_lock(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &LockAcquire,
) -> Result<WorkflowEvent, WorkflowFault> {
    let chain = state.chain(&args.chain_id)?;
    let patterns = match &args.patterns {
        Some(patterns) => text::check_text_list("patterns", Some(patterns))?,
        None => {
            let tasks = chain.tasks.iter().flat_map(|task| &task.brief.file_scope);
            let mut all: Vec<String> = chain.file_scope.iter().chain(tasks).cloned().collect();
            all.sort();
            all.dedup();
            text::check_text_list("patterns", Some(&all))?
        }
    };
    if patterns.is_empty() {
        return Err(WorkflowFault::Missing { field: "patterns" });
    }
    for pattern in &patterns {
        PathGlob::parse(pattern)
            .map_err(|message| WorkflowFault::invalid("patterns", message, pattern))?;
    }
    let length = args.ttl_ms.unwrap_or(LOCK_MS_DEFAULT);
    if !(1..=LOCK_MS_MAX).contains(&length) {
        return Err(WorkflowFault::invalid(
            "ttlMs",
            format!("1 to {LOCK_MS_MAX}"),
            &length.to_string(),
        ));
    }
    let data = LockAcquired {
        chain: chain.id.clone(),
        patterns,
        expires: EventTime(context.now.0.saturating_add(length)),
    };
    check_lock_holder(state, context, &chain.id)?;
    accept_event(state, context, None, data)
}

/// `lock:release`; by the holder or a person, or after it has expired.
///
/// # Errors
/// No lock, a lock of another principal.
pub fn release_lock(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &LockRelease,
) -> Result<WorkflowEvent, WorkflowFault> {
    check_lock_holder(state, context, &args.chain_id)?;
    accept_event(
        state,
        context,
        None,
        LockReleased {
            chain: args.chain_id.clone(),
        },
    )
}

/// Whether the principal may replace or release the lock of a chain.
fn check_lock_holder(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    chain: &str,
) -> Result<(), WorkflowFault> {
    let held = state
        .locks
        .get(chain)
        .filter(|lock| lock.expires > context.now);
    match held.filter(|lock| lock.holder != context.actor.principal && !context.actor.is_person()) {
        None => Ok(()),
        Some(lock) => Err(WorkflowFault::first(
            format!(
                "`{}` holds the lock of `{chain}` until {}",
                lock.holder, lock.expires
            ),
            "wait until it ends, or ask its holder or a person to release it",
        )),
    }
}

/// Records that an agent was started.
///
/// # Errors
/// A role that cannot be spawned; an unknown chain or task; agents nested too deeply.
pub fn spawn_agent(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    args: &AgentSpawn,
) -> Result<WorkflowEvent, WorkflowFault> {
    let role = roles::find_role(&args.role)
        .ok_or_else(|| WorkflowFault::unknown("role", &args.role, roles::role_names()))?;
    if !roles::may_spawn(&context.actor.role, role.name) {
        let message = format!(
            "role `{}` cannot spawn role `{}`",
            context.actor.role, role.name
        );
        return Err(WorkflowFault::first(
            message,
            "spawn an agent of your own role, or ask `orchestration` for others",
        ));
    }
    match (&args.chain_id, &args.task_id) {
        (Some(chain), Some(task)) => state.task(chain, task).map(drop)?,
        (Some(chain), None) => state.chain(chain).map(drop)?,
        (None, Some(_)) => return Err(WorkflowFault::Missing { field: "chainId" }),
        (None, None) => {}
    }
    let parent = state.agents.get(&context.actor.principal);
    let depth = parent.map_or(0, |parent| parent.depth + 1);
    if depth > args.depth_max {
        return Err(WorkflowFault::TooMany {
            what: "agents below each other",
            count: depth as usize,
            max: args.depth_max as usize,
        });
    }
    let of_role = state.agents.values().filter(|one| one.role == role.name);
    let data = AgentSpawned {
        agent: format!("{}-{}", role.name, of_role.count() + 1),
        role: role.name.to_owned(),
        parent: parent.map(|parent| parent.id.clone()),
        chain: args.chain_id.clone(),
        task: args.task_id.clone(),
    };
    accept_event(state, context, None, data)
}

/// Records that an agent ended.
///
/// # Errors
/// Unknown agent, or one that has ended.
pub fn end_agent(
    state: &WorkflowState,
    context: &DecisionContext<'_>,
    ended: &AgentEnded,
) -> Result<WorkflowEvent, WorkflowFault> {
    accept_event(state, context, None, ended.clone())
}
