//! An agent is started; the tools `spawn_agent` and `spawn_impl_session` give the command.

use super::command::{Command, DraftResult, EventDraft, args};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::limits::AGENT_DEPTH_MAX;
use crate::roles;
use crate::state::check::{at_most, check_fresh_id};
use crate::state::{StartedAgent, WorkflowState};

args! {
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

define_event! {
    /// An agent was started.
    AgentSpawned = "agent.spawned" {
        /// Id of the agent.
        agent: String,
        /// Its role.
        role: String;
        /// The agent that started it.
        parent: Option<String>,
        /// The chain it works on.
        chain: Option<String>,
        /// The task it works on.
        task: Option<String>,
    }
}

impl Command for AgentSpawn {
    const ID: &'static str = "spawn_agent";

    /// # Errors
    /// A role that does not exist or that the actor's role does not start, an unknown chain or task, agents nested too deeply.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult {
        let role = roles::find_role(&self.role)
            .ok_or_else(|| WorkflowFault::unknown("role", &self.role, roles::role_names()))?;
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
        match (&self.chain_id, &self.task_id) {
            (Some(chain), Some(task)) => state.task(chain, task).map(drop)?,
            (Some(chain), None) => state.chain(chain).map(drop)?,
            (None, Some(_)) => return Err(WorkflowFault::Missing { field: "chainId" }),
            (None, None) => {}
        }
        let parent = state.agents.get(&context.actor.principal);
        let depth = parent.map_or(0, |parent| parent.depth + 1);
        if depth > self.depth_max {
            return Err(WorkflowFault::TooMany {
                what: "agents below each other",
                count: depth as usize,
                max: self.depth_max as usize,
            });
        }
        let of_role = state.agents.values().filter(|one| one.role == role.name);
        let data = AgentSpawned {
            agent: format!("{}-{}", role.name, of_role.count() + 1),
            role: role.name.to_owned(),
            parent: parent.map(|parent| parent.id.clone()),
            chain: self.chain_id.clone(),
            task: self.task_id.clone(),
        };
        Ok(EventDraft::new(data))
    }
}

impl EventData for AgentSpawned {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        check_fresh_id("agent", &self.agent, state.agents.contains_key(&self.agent))?;
        let depth = match &self.parent {
            None => 0,
            Some(parent) => state.live_agent(parent)?.depth + 1,
        };
        at_most(
            "agents below each other",
            depth as usize,
            AGENT_DEPTH_MAX as usize,
        )
    }

    fn apply(&self, state: &mut WorkflowState, _: EventOrigin<'_>) {
        let parent = self
            .parent
            .as_ref()
            .and_then(|parent| state.agents.get(parent));
        let agent = StartedAgent {
            id: self.agent.clone(),
            role: self.role.clone(),
            parent: self.parent.clone(),
            depth: parent.map_or(0, |parent| parent.depth + 1),
            chain: self.chain.clone(),
            task: self.task.clone(),
            outcome: None,
        };
        state.agents.insert(self.agent.clone(), agent);
    }
}

#[cfg(test)]
mod tests {
    use super::AgentSpawn;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for AgentSpawn {
        const CASES: &'static [CommandCase] = &[
            accepted(
                "task todo",
                "lea/control",
                r#""role":"impl",$task,"depthMax":2"#,
                "agent.spawned",
            ),
            refused(
                "task todo",
                "ann/impl",
                r#""role":"control","depthMax":2"#,
                "role `impl` cannot spawn role `control`",
            ),
            refused(
                "task todo",
                "lea/control",
                r#""role":"implr","depthMax":2"#,
                "did you mean `impl`?",
            ),
            refused(
                "task todo",
                "lea/control",
                r#""role":"impl","taskId":"001-read-numbers","depthMax":2"#,
                "missing `chainId`",
            ),
            refused(
                r#"task todo; lea/control spawn_agent "role":"control","depthMax":2"#,
                "control-1/control",
                r#""role":"impl","depthMax":0"#,
                "1 agents below each other, the limit is 0",
            ),
        ];
    }
}
