//! Agents that `spawn_agent` starts: the command line of the configuration, in its sandbox, with a server whose caller is the agent.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use chain_runtime::pipeline::Category;
use registry::model::{Confinement, Level, PipelineLimits, RoleAgent};
use registry::{Config, Dispatcher, PolicyLayer, Principal, Verdict};
use tool_core::Effect;
use tool_core::capability::{AgentReport, PreparedAgent, Spawner};
use tool_core::command::Isolation;

use super::agent_args;
use super::pipeline::border::ExchangeBorder;
use super::pipeline::launch::{AgentLaunch, AgentMessage, AgentMessageKind, AgentStop};
use super::pipeline::prepare::{ASIDE, ReadyAgent, agent_faults};
use super::prelude::*;
use crate::toolkit::AgentStarter;
use crate::trust;

/// Stands for the phase in which pipelines run their agents.
const PHASE: &str = "spawned";
/// Interval at which the call looks whether it was stopped.
const LOOK: Duration = Duration::from_millis(100);
/// Messages of an agent that wait.
const WAITING_MAX: usize = 64;

/// What starts agents, for the options of this run; `None` without a configuration, which would name none.
pub(super) fn agent_starter(
    global: &GlobalArgs,
    opened: open::OpenedConfig,
) -> Option<AgentStarter> {
    let (file, workspace) = (opened.file?, opened.workspace);
    let border = ExchangeBorder {
        protected: opened.protected,
        aside: opened.state?.join(ASIDE),
    };
    let given = global.workspace.clone();
    Some(Arc::new(move |config, dispatcher, who, heir| {
        let (Some(workspace), Some(spawner)) =
            (&workspace, &dispatcher.host().capabilities.spawner)
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
            permission: own.permission.min(agent_permission(dispatcher, who)?),
            ..own.clone()
        };
        let heir = heir.permitted(own.permission, dispatcher.catalogue());
        let heir = inherit_layers(config, who, heir);
        let ready = prepare_agent(config, dispatcher, &own, &heir)?;
        let absolute = |path: &PathBuf| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            path.display().to_string()
        };
        let program = std::env::current_exe()
            .map_err(|err| tool_error!(ToolError, "io"; "cannot find this program: {err}"))?;
        let mut server = vec![program.display().to_string()];
        server.extend(["--config".to_owned(), absolute(&file)]);
        if let Some(workspace) = &given {
            server.extend(["--workspace".to_owned(), absolute(workspace)]);
        }
        server.extend(["serve", "--mcp", "--catalog", "full", "--as"].map(str::to_owned));
        Ok(Box::new(PreparedSpawn {
            config: Arc::clone(config),
            own,
            ready,
            heir,
            server,
            folder: file.parent().map(PathBuf::from).unwrap_or_default(),
            workspace: workspace.clone(),
            border: border.clone(),
            spawner: Arc::clone(spawner),
        }))
    }))
}

/// How far an agent may go by itself, in its sandbox: no further than the tools of who starts it.
fn agent_permission(dispatcher: &Dispatcher, who: &Principal) -> Result<Confinement> {
    let catalogue = dispatcher.catalogue();
    let caller = dispatcher
        .policy()
        .caller(catalogue, who, dispatcher.facts())?;
    let has = |effect: Effect| {
        let mut listed = caller.listed();
        listed.any(|tool| catalogue.tool(tool).spec().effects.contains(&effect))
    };
    Ok(
        match (has(Effect::ModifiesFiles), has(Effect::NetworkAccess)) {
            (false, _) => Confinement::ReadOnly,
            (true, false) => Confinement::WorkspaceWrite,
            (true, true) => Confinement::FullAccess,
        },
    )
}

/// The agent under the layers that restrict who starts it, whichever role, agent or phase they are for.
fn inherit_layers(config: &Config, who: &Principal, mut heir: Principal) -> Principal {
    let is =
        |name: &Option<String>, layer: &PolicyLayer| name.as_deref() == Some(layer.name.as_str());
    for layer in &config.layers {
        let of_caller = match layer.level {
            Level::Role => layer.name == who.role && layer.name != heir.role,
            Level::Agent => is(&who.agent, layer),
            Level::Phase => is(&who.phase, layer),
            // Those hold for the agent too, but for the rules that name the role of who starts it.
            Level::Global | Level::Task | Level::Delegation | Level::User => false,
        };
        let mut taken = PolicyLayer::new(Level::Delegation, layer.title());
        for rule in &layer.rules {
            let of_role = rule.matches.role.as_ref();
            let names_caller = of_role.is_some_and(|role| *role == who.role && *role != heir.role);
            if rule.decision != Verdict::Allow && (names_caller || of_caller && of_role.is_none()) {
                let mut rule = rule.clone();
                rule.matches.role = None;
                taken.rules.push(rule);
            }
        }
        if of_caller {
            // What the caller sees is stated already, and its transitions are the role's own.
            taken.deny.clone_from(&layer.deny);
            taken.without.clone_from(&layer.without);
        }
        if !(taken.rules.is_empty() && taken.deny.is_empty() && taken.without.is_empty()) {
            heir = heir.narrow(taken);
        }
    }
    heir
}

fn prepare_agent(
    config: &Config,
    dispatcher: &Dispatcher,
    own: &RoleAgent,
    heir: &Principal,
) -> Result<ReadyAgent> {
    let cli = agent_args::find_agent_cli(config, &own.cli.text)?;
    let tables = [
        format!("workflow.agents.{}", heir.role),
        format!("cli.{}", own.cli.text),
    ];
    trust::require_trusted(config, &tables)?;
    let who = heir.clone().narrow(own.permission.layer());
    let mut effective = agent_args::effective_of(dispatcher, &who, own.permission)?;
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
    let mut faults = agent_faults(&own.limits, &PipelineLimits::default(), &ready);
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
    /// The command of its server, without the caller.
    server: Vec<String>,
    folder: PathBuf,
    workspace: PathBuf,
    border: ExchangeBorder,
    spawner: Arc<dyn Spawner>,
}

impl PreparedAgent for PreparedSpawn {
    fn depth_max(&self) -> u32 {
        self.config.workflow.agent_depth
    }

    fn run(&self, id: &str, task: &str, stop: &StopFlag) -> AgentReport {
        let mut who = self.heir.clone().narrow(self.own.permission.layer());
        who.spawned = Some(id.to_owned());
        let mut caller = who.to_value().as_object().cloned().unwrap_or_default();
        caller.insert("role", who.role.as_str());
        let mut server = self.server.clone();
        server.push(json::to_text(&Value::Object(caller.into())));
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
            folder: &self.folder,
            workspace: &self.workspace,
            server,
            border: &self.border,
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
