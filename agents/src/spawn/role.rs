//! Agents that `spawn_agent` starts: the command line of the configuration, in its sandbox, with a server whose caller is the agent.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use registry::model::{PipelineLimits, RoleAgent};
use registry::{Config, DelegatedPrincipal, Dispatcher, Principal};
use tool_core::capability::{AgentReport, PreparedAgent, Spawner};
use tool_core::command::Isolation;
use tool_core::{Result, StopFlag, tool_error};

use super::inherit::{inherited_principal, program_permission};
use super::launch::{AgentLaunch, AgentMessage, AgentMessageKind, AgentStop};
use super::ready::{ReadyAgent, agent_faults};
use super::trusted::require_trusted;
use crate::cli::{EffectiveAgent, find_agent_cli};
use crate::host::AgentHost;
use crate::pipeline::Category;
use crate::service::AgentService;

/// Stands for the phase in which pipelines run their agents.
const PHASE: &str = "spawned";
/// Interval at which the call looks whether it was stopped.
const LOOK: Duration = Duration::from_millis(100);
/// Messages of an agent that wait.
const WAITING_MAX: usize = 64;

/// Prepares an agent of the role of `heir`, which `who` starts.
///
/// # Errors
/// `precondition_failed` without a workspace, without a command line for the role, or with one that cannot enforce what the agent may do.
pub fn prepare_role_agent(
    service: &Arc<AgentService>,
    config: &Arc<Config>,
    dispatcher: &Dispatcher,
    who: &Principal,
    heir: DelegatedPrincipal,
) -> Result<Box<dyn PreparedAgent>> {
    let (Some(workspace), Some(spawner)) =
        (&service.workspace, &dispatcher.host().capabilities.spawner)
    else {
        return Err(
            tool_error!(PreconditionFailed, "workspace"; "an agent needs a workspace";
            "set `[workspace] roots` in the configuration"),
        );
    };
    let role = &heir.who.role;
    let own = config.workflow.agents.get(role).ok_or_else(|| {
        tool_error!(PreconditionFailed, "no_agent"; "no command line runs agents of the role `{role}`";
            "name one in the configuration: `[workflow.agents.{role}]` with `cli = \"claude\"`")
    })?;
    let own = RoleAgent {
        permission: own.permission.min(program_permission(dispatcher, who)?),
        ..own.clone()
    };
    let heir = heir.permitted(own.permission, dispatcher.catalogue());
    let heir = inherited_principal(config, who, heir);
    let ready = ready_role_agent(&*service.host, config, dispatcher, &own, &heir)?;
    Ok(Box::new(PreparedSpawn {
        config: Arc::clone(config),
        own,
        ready,
        heir,
        service: Arc::clone(service),
        workspace: workspace.clone(),
        spawner: Arc::clone(spawner),
    }))
}

fn ready_role_agent(
    host: &dyn AgentHost,
    config: &Config,
    dispatcher: &Dispatcher,
    own: &RoleAgent,
    heir: &Principal,
) -> Result<ReadyAgent> {
    let cli = find_agent_cli(config, &own.cli.text)?;
    let tables = [
        format!("workflow.agents.{}", heir.role),
        format!("cli.{}", own.cli.text),
    ];
    require_trusted(config, &tables)?;
    let who = heir.clone().narrow(own.permission.layer());
    let mut effective = EffectiveAgent::of_caller(dispatcher, &who, own.permission)?;
    effective.has_no_selection = false;
    effective.max_turns = u64::from(own.limits.max_turns.unwrap_or(0));
    effective.turns_stated = own.limits.max_turns.is_some();
    let mut ready = ReadyAgent {
        name: own.cli.text.clone(),
        isolation: own.isolation.unwrap_or(cli.isolation),
        cli: cli.clone(),
        effective,
        prompt: "task".to_owned(),
        profile: own.flag_profile.clone(),
        warnings: Vec::new(),
    };
    ready.warnings = ready.translate(&[], None)?.warnings;
    let mut faults = agent_faults(host, &own.limits, &PipelineLimits::default(), &ready);
    if ready.isolation == Isolation::None && ready.is_plain() {
        faults.push(format!(
            "nothing confines `{}`: set `isolation`",
            ready.name
        ));
    }
    match faults.is_empty() {
        true => Ok(ready),
        false => Err(
            tool_error!(PreconditionFailed, "agent_cli"; "{}", faults.join("; ");
            "change `[workflow.agents.{}]` in the configuration", heir.role),
        ),
    }
}

/// An agent that can start.
struct PreparedSpawn {
    config: Arc<Config>,
    own: RoleAgent,
    ready: ReadyAgent,
    heir: Principal,
    service: Arc<AgentService>,
    workspace: PathBuf,
    spawner: Arc<dyn Spawner>,
}

impl PreparedAgent for PreparedSpawn {
    fn depth_max(&self) -> u32 {
        self.config.workflow.agent_depth
    }

    fn run(&self, id: &str, task: &str, stop: &StopFlag) -> AgentReport {
        let mut who = self.heir.clone().narrow(self.own.permission.layer());
        who.spawned = Some(id.to_owned());
        let server = self.service.server_as(&who);
        let ready = ReadyAgent {
            prompt: task.to_owned(),
            ..self.ready.clone()
        };
        let control = Arc::new(AgentStop::default());
        let (tell, told) = sync_channel(WAITING_MAX);
        let launch = AgentLaunch {
            phase: PHASE,
            ready: &ready,
            limits: &self.own.limits,
            folder: self.service.config_folder(),
            workspace: &self.workspace,
            server,
            program: &self.service.program,
            host: &*self.service.host,
            control: Arc::clone(&control),
            tell,
        };
        std::thread::scope(|scope| {
            scope.spawn(move || launch.run(&*self.spawner));
            let mut report = AgentReport::default();
            loop {
                if stop.is_set() {
                    control.stop(Category::Cancelled, "the call was stopped");
                }
                let what = match told.recv_timeout(LOOK) {
                    Ok(AgentMessage { what, .. }) => what,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                match what {
                    AgentMessageKind::Line { said, .. } => {
                        let limit = self.own.limits.max_cost_usd;
                        let cost = said.cost_usd.filter(|_| !said.is_over);
                        if let (Some(limit), Some(cost)) = (limit, cost)
                            && cost > limit
                        {
                            let message = format!("it has cost ${cost:.4}, its limit is ${limit}");
                            control.stop(Category::Limit, message);
                        }
                    }
                    AgentMessageKind::Ended { mut result, answer } => {
                        // One that says its cost at its end was not stopped before.
                        if let (None, Some(limit), Some(cost)) = (
                            result.category,
                            self.own.limits.max_cost_usd,
                            result.cost_usd,
                        ) && cost > limit
                        {
                            result.category = Some(Category::Limit);
                            result.message =
                                format!("it has cost ${cost:.4}, its limit is ${limit}");
                        }
                        report = AgentReport {
                            failure: result.category.map(|category| category.as_str().to_owned()),
                            message: result.message,
                            answer,
                            exit: result.exit,
                            turns: result.turns,
                            cost_usd: result.cost_usd,
                            elapsed_ms: result.elapsed_ms,
                        };
                    }
                }
            }
            report
        })
    }
}
