//! What an agent may use and how far it may go: what its command line is told, and its server enforces.

use registry::agents::ToolName;
use registry::model::{CliSpec, Confinement};
use registry::{Config, Dispatcher, Principal};
use tool_core::nearest::nearest_name;
use tool_core::{Result, tool_error};

use super::request::CliTool;

/// Tools and limits of an agent.
#[derive(Debug, Clone)]
pub struct EffectiveAgent {
    /// The tools that it sees, with the verdict on each.
    pub tools: Vec<CliTool>,
    /// How far its program may go in its sandbox.
    pub permission: Confinement,
    /// Whether the phase sets the permission for this agent by name.
    pub permission_is_own: bool,
    /// Maximum number of turns, 0 for no limit.
    pub max_turns: u64,
    /// Whether phase and agent leave tools, permission and turns open.
    pub has_no_selection: bool,
    /// Whether the limit on turns is written somewhere.
    pub turns_stated: bool,
}

impl EffectiveAgent {
    /// The tools and limits of a caller with this permission.
    ///
    /// # Errors
    /// An unknown role, agent, phase or toolset; a selector that selects nothing.
    pub fn of_caller(
        dispatcher: &Dispatcher,
        who: &Principal,
        permission: Confinement,
    ) -> Result<Self> {
        let catalogue = dispatcher.catalogue();
        let policy = dispatcher.policy();
        let caller = policy.caller(catalogue, who, dispatcher.facts())?;
        let mut tools: Vec<CliTool> = caller
            .listed()
            .map(|index| CliTool {
                tool: ToolName::Tool(catalogue.tool(index).spec().id.to_owned()),
                verdict: caller.decide_elsewhere(catalogue, index).verdict,
                is_counted: caller.is_limited(index),
            })
            .collect();
        tools.extend(caller.handed().into_iter().map(|(tool, decision)| CliTool {
            tool: ToolName::handed(&tool),
            verdict: decision.verdict,
            is_counted: false,
        }));
        let turns = caller.selected().max_turns;
        Ok(Self {
            has_no_selection: caller.has_no_selection(),
            tools,
            permission,
            permission_is_own: false,
            max_turns: u64::from(turns.value),
            turns_stated: turns.from != "default",
        })
    }

    /// The tools to translate for a command line. None where nothing sets tools, permission and turns and the profile has flags: these are
    /// passed as they are, with a warning.
    pub fn translated(
        &self,
        cli: &CliSpec,
        profile: Option<&str>,
    ) -> (Option<&[CliTool]>, Option<String>) {
        match profile {
            Some(profile) if self.has_no_selection && cli.has_profile(Some(profile)) => {
                let name = &cli.name;
                let warning = format!(
                    "the phase sets no tools: the flags of `{profile}` are passed as they are, and else the defaults of {name} hold"
                );
                (None, Some(warning))
            }
            _ => (Some(&self.tools), None),
        }
    }
}

/// The table of an agent CLI.
///
/// # Errors
/// `invalid_request` with the nearest name for an unknown one.
pub fn find_agent_cli<'a>(config: &'a Config, name: &str) -> Result<&'a CliSpec> {
    config.cli(name).ok_or_else(|| {
        let clis = CliSpec::built_in().iter().chain(&config.clis);
        let names: Vec<&str> = clis.map(|cli| cli.name.as_str()).collect();
        let error = tool_error!(InvalidRequest, "no agent CLI named `{name}`");
        match nearest_name(name, names.iter().copied()) {
            Some(near) => error.hint(format_args!("did you mean `{near}`?")),
            None => error.hint(format_args!("choose one with --cli: {}", names.join(", "))),
        }
    })
}
