//! `spawn_agent` and `spawn_impl_session`: an agent of a role works, as a program of its own, and its end is an event.

use tool_core::capability::{AgentReport, PreparedAgent};
use tool_core::{
    Caller, Capability, Category, Ctx, Decode, Describe, Determinism, Effect, Encode, JsonExample,
    Permission, Result, Shortfall, Spec, Tool, ToolError, tool_error,
};

use super::views::views;
use super::{examples, log};
use crate::commands::{AgentEnd, AgentSpawn, TaskStart};
use crate::decide::ItemCommand;
use crate::event::{AgentEnded, EventPayload};
use crate::limits::AGENT_ANSWER_BYTES_MAX;
use crate::names::{AgentOutcome, TaskStatus};
use crate::roles;
use crate::state::WorkflowState;

/// Tags of the tools that a role has of its own, whoever starts an agent of it.
const OWN: &[&str] = &["transition", "git"];
/// Longest context that a caller gives, in bytes.
const CONTEXT_BYTES_MAX: usize = 64 << 10;

/// Start an agent of a role on a task or chain, and wait for its end.
///
/// The configuration names the command line for each role (`[workflow.agents]`). The agent has at most the tools of the caller, and the
/// transitions and commits of its own role. Its start and its end, with the exit code and the answer, are events.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SpawnAgent {
    /// Its role; `control` and `orchestration` start every role, others their own.
    role: String,
    /// Id of the chain it works on.
    chain_id: Option<String>,
    /// Id of the task it works on; needs `chainId`.
    task_id: Option<String>,
    /// What else it has to know, up to 64 KiB.
    context: Option<String>,
}

/// Start an agent of the role `impl` on a task, and wait for its end.
///
/// As `spawn_agent` with this role.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct SpawnImplSession {
    /// Id of the chain it works on.
    chain_id: String,
    /// Id of the task it works on.
    task_id: String,
    /// What else it has to know, up to 64 KiB.
    context: Option<String>,
}

views! {
    /// How an agent ended.
    Ended {
        /// Its id, under which it made its calls.
        agent_id: String,
        /// Its role.
        role: String,
        /// How it ended.
        outcome: AgentOutcome,
        /// Why it failed: `timeout`, `stall_timeout`, `rate_limit`, `nonzero_exit`, `empty_output`, `limit`, `cancelled` or another.
        category: Option<String>,
        /// What happened, where it failed.
        message: Option<String>,
        /// Its answer.
        answer: String,
        /// The exit code of its process, where it ended by itself.
        exit: Option<i32>,
        /// Its turns, where its command line reports them.
        turns: Option<u64>,
        /// Its cost in US dollars, where its command line reports it.
        cost_usd: Option<f64>,
        /// Its duration, in milliseconds.
        elapsed_ms: u64,
        /// Number of its `agent.ended` event; none where it could not be written.
        event: Option<u64>,
    }
}

const SPAWNS: Spec = Spec {
    category: Category::Workflow,
    tags: &["workflow", "agents"],
    effects: &[Effect::LocalExec, Effect::SystemState],
    permissions: &[Permission::Shell, Permission::Workflow],
    capabilities: &[Capability::Events, Capability::Calls],
    idempotent: false,
    determinism: Determinism::External,
    callers: &[Caller::Direct],
    waits_ms: Some(604_800_000),
    ..Spec::pure()
};

impl Tool for SpawnAgent {
    const SPEC: Spec = SPAWNS.with_name("spawn_agent", "Start an agent of a role");
    type Output = Ended;
    const EXAMPLES: &'static [JsonExample] = examples::SpawnAgent;

    fn run(args: Self, ctx: &Ctx) -> Result<Ended> {
        spawn_role_agent(args, ctx)
    }
}

impl Tool for SpawnImplSession {
    const SPEC: Spec = SPAWNS.with_name("spawn_impl_session", "Start an agent on a task");
    type Output = Ended;
    const EXAMPLES: &'static [JsonExample] = examples::SpawnImplSession;

    fn run(args: Self, ctx: &Ctx) -> Result<Ended> {
        let args = SpawnAgent {
            role: "impl".to_owned(),
            chain_id: Some(args.chain_id),
            task_id: Some(args.task_id),
            context: args.context,
        };
        spawn_role_agent(args, ctx)
    }
}

fn spawn_role_agent(args: SpawnAgent, ctx: &Ctx) -> Result<Ended> {
    let context = args.context.as_deref().unwrap_or_default();
    if context.len() > CONTEXT_BYTES_MAX {
        let found = context.len();
        let message = format_args!("expected at most {CONTEXT_BYTES_MAX} bytes, found {found}");
        return Err(ToolError::invalid("/context", message)
            .hint("put it into a file of the workspace, and name the file"));
    }
    let role = roles::find_role(&args.role).map_or(args.role.as_str(), |role| role.name);
    let mut command = AgentSpawn {
        role: role.to_owned(),
        chain_id: args.chain_id.clone(),
        task_id: args.task_id.clone(),
        depth_max: u32::MAX,
    };
    // What the rules say about roles and items comes before what is configured.
    let before = log::current_state(ctx.events()?)?;
    let actor = log::resolve_actor(ctx.identity()?);
    let now = crate::EventTime(0);
    log::decide_as(
        &before,
        &ItemCommand::AgentSpawn(command.clone()),
        &log::DecisionActor {
            actor: &actor,
            has_grant: false,
            checkout: "",
        },
        now,
    )?;
    let prepared = ctx.calls()?.agent(role, OWN)?;
    command.depth_max = prepared.depth_max();
    let task = agent_task_text(&before, &args, role)?;
    // Work on a task that waits for it begins with its agent.
    if let (Some(chain_id), Some(task_id)) = (&args.chain_id, &args.task_id)
        && before.task(chain_id, task_id)?.status == TaskStatus::Todo
    {
        let start = TaskStart {
            chain_id: chain_id.clone(),
            task_id: task_id.clone(),
        };
        log::run_command(ctx, &ItemCommand::TaskStart(start))?;
    }
    let done = log::run_command(ctx, &ItemCommand::AgentSpawn(command))?;
    let Some(EventPayload::AgentSpawned(spawned)) = done.events.first().map(|event| &event.data)
    else {
        return Err(tool_error!(ToolError, "no agent was started"));
    };
    let report = run_prepared_agent(&*prepared, &spawned.agent, &task, ctx);
    Ok(record_agent_end(ctx, &spawned.agent, role, report))
}

fn run_prepared_agent(
    prepared: &dyn PreparedAgent,
    id: &str,
    task: &str,
    ctx: &Ctx,
) -> AgentReport {
    ctx.note("agent", id);
    prepared.run(id, task, ctx.stop())
}

/// Writes the end of an agent, and answers it in any case.
fn record_agent_end(ctx: &Ctx, id: &str, role: &str, report: AgentReport) -> Ended {
    let outcome = match report.failure.as_deref() {
        None => AgentOutcome::Completed,
        Some("cancelled") => AgentOutcome::Cancelled,
        Some(_) => AgentOutcome::Failed,
    };
    // The log keeps the beginning of the answer, the caller gets all of it.
    let shown = report.answer.floor_char_boundary(AGENT_ANSWER_BYTES_MAX);
    let ended = AgentEnded {
        agent: id.to_owned(),
        outcome,
        category: report.failure.clone(),
        message: report.message.clone(),
        exit: report.exit,
        turns: report.turns,
        cost_usd: report.cost_usd,
        elapsed_ms: report.elapsed_ms,
        answer: report.answer[..shown].to_owned(),
    };
    let event = match log::run_command(ctx, &AgentEnd(ended).into()) {
        Ok(done) => done.events.first().map(|event| event.seq),
        Err(err) => {
            let message = err.message();
            ctx.warn(format!("the end of `{id}` is not in the log: {message}"));
            None
        }
    };
    if let Some(category) = &report.failure {
        let message = match report.message.as_str() {
            "" => format!("the agent `{id}` failed ({category})"),
            said => format!("the agent `{id}` failed ({category}): {said}"),
        };
        let how = match category.as_str() {
            "timeout" | "stall_timeout" => Shortfall::TimedOut,
            "limit" => Shortfall::Exceeded,
            "nonzero_exit" => Shortfall::ExitStatus,
            _ => Shortfall::Incomplete,
        };
        ctx.fall_short(how, message);
    }
    Ended {
        agent_id: id.to_owned(),
        role: role.to_owned(),
        outcome,
        category: report.failure,
        message: Some(report.message).filter(|text| !text.is_empty()),
        answer: report.answer,
        exit: report.exit,
        turns: report.turns,
        cost_usd: report.cost_usd,
        elapsed_ms: report.elapsed_ms,
        event,
    }
}

/// What the agent is told: its role, its work as the log has it, and the context.
fn agent_task_text(state: &WorkflowState, args: &SpawnAgent, role: &str) -> Result<String> {
    let mut text = format!(
        "You work in the role `{role}` on this project's workflow. Your tools are those of the MCP server `mathchain`; read and change \
         requests, chains and tasks with them alone. End with a short report of what you did.\n"
    );
    let mut add = |title: &str, content: &str| {
        if !content.trim().is_empty() {
            text.push_str(&format!("\n## {title}\n\n{}\n", content.trim()));
        }
    };
    if let Some(chain) = &args.chain_id {
        let chain = state.chain(chain)?;
        add("Chain", &format!("`{}`: {}", chain.id, chain.title));
        if let Some(task) = &args.task_id {
            let task = state.task(&chain.id, task)?;
            let brief = &task.brief;
            add("Task", &format!("`{}`: {}", task.id, task.title));
            add("Objective", &brief.objective);
            let lists = [
                ("Expected files", &brief.expected_files),
                ("Files that may be changed", &brief.file_scope),
                ("Acceptance", &brief.acceptance),
                ("Constraints", &brief.constraints),
            ];
            for (title, items) in lists {
                let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
                add(title, &items.join("\n"));
            }
            add("Notes", &brief.notes);
            if let Some(review) = task.reviews.last() {
                add("Last review", &review.reason.clone().unwrap_or_default());
            }
        }
    }
    add("Context", args.context.as_deref().unwrap_or_default());
    Ok(text)
}
