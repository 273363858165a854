//! Everything that is checked before a pipeline starts: phases, tasks, agents with their command lines and limits.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use registry::agents::{AgentChecker, name_of};
use registry::model::{Confinement, Phase, Unenforced};
use registry::{Config, Dispatcher, Principal, ToolAliases};
use tool_core::command::Isolation;
use tool_core::nearest::nearest_name;
use tool_core::{ErrorCode, RequestProblem, Result, ToolError, tool_error};

use super::{PhaseSetup, PhaseSkip, order_phases};
use crate::cli::{EffectiveAgent, find_agent_cli};
use crate::service::AgentService;
use crate::spawn::inherit::{PipelineCaller, inherited_principal};
use crate::spawn::ready::{ReadyAgent, agent_faults};
use crate::spawn::trusted::require_trusted;

/// Which phases run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhaseSelection {
    /// Phases that are left out; those that depend on one do not run.
    pub skip: Vec<String>,
    /// The one phase that runs; those that it depends on must have been done by an earlier pipeline of the file.
    pub only: Option<String>,
    /// The phase to begin with; those before it count as done where an earlier pipeline of the file completed them.
    pub from: Option<String>,
}

/// What a pipeline is made of: the configuration with its phases, and the dispatcher that decides what agents may do.
#[derive(Clone, Copy)]
pub struct PipelineProject<'a> {
    /// The project, its host and the program that serves agents.
    pub service: &'a AgentService,
    /// The configuration with `[[phases]]`.
    pub config: &'a Arc<Config>,
    /// The dispatcher of that configuration.
    pub dispatcher: &'a Dispatcher,
}

/// A pipeline that can start.
pub struct ReadyPipeline {
    /// The file with its phases.
    pub file: PathBuf,
    /// Digest of that file and of the prompts that it names.
    pub digest: String,
    /// The first root of the workspace.
    pub workspace: PathBuf,
    /// The configuration.
    pub config: Arc<Config>,
    /// Its phases, as the file has them.
    pub phases: Vec<ReadyPhase>,
    /// Phases that the user leaves out.
    pub skipped: Vec<PhaseSkip>,
}

/// A phase whose agents can start.
pub struct ReadyPhase {
    /// The phase as the machine needs it.
    pub setup: PhaseSetup,
    /// The phase as the file has it.
    pub phase: Phase,
    /// Its agents.
    pub agents: Vec<PhaseReadyAgent>,
    /// Where its task is from.
    pub prompt_from: String,
}

/// An agent of a phase, with who it is to its server.
pub struct PhaseReadyAgent {
    /// The agent.
    pub ready: ReadyAgent,
    /// The caller of its server's calls, where it was made of who began the pipeline; else the server makes it of phase and agent.
    pub caller: Option<Principal>,
}

impl ReadyPipeline {
    /// The phases as the machine needs them.
    pub fn setups(&self) -> Vec<PhaseSetup> {
        self.phases.iter().map(|one| one.setup.clone()).collect()
    }

    /// A phase by its name.
    pub fn phase(&self, name: &str) -> Option<&ReadyPhase> {
        self.phases.iter().find(|one| one.phase.name == name)
    }

    /// An agent of a phase.
    pub fn agent(&self, phase: &str, name: &str) -> Option<&PhaseReadyAgent> {
        let agents = &self.phase(phase)?.agents;
        agents.iter().find(|one| one.ready.name == name)
    }
}

/// Checks a whole pipeline. `done` are the phases that an earlier one completed, with its id. The agents of a pipeline that a call begins
/// have at most the tools of its `caller`; without one, the phases alone say what they may do.
///
/// # Errors
/// Everything that would keep a phase or agent from starting as the file says.
pub fn prepare_pipeline(
    project: PipelineProject<'_>,
    choice: &PhaseSelection,
    caller: Option<&PipelineCaller<'_>>,
    done: &dyn Fn(&str) -> Option<String>,
) -> Result<ReadyPipeline> {
    let PipelineProject {
        service, config, ..
    } = project;
    let file = service.project.config_file.clone();
    if config.phases.is_empty() {
        return Err(
            tool_error!(InvalidRequest, "no_phases"; "`{}` has no phases", file.display();
            "write `[[phases]]` (docs/pipelines.md)"),
        );
    }
    let workspace = service.workspace.as_ref().ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace"; "a pipeline needs a workspace"; "name one with --workspace")
    })?;
    let setups: Vec<PhaseSetup> = config.phases.iter().map(PhaseSetup::from).collect();
    let skipped = skipped_phases(&setups, choice, done)?;
    let mut problems = Vec::new();
    let mut texts = vec![service.host.read_text(&file)?];
    let mut phases = Vec::new();
    let tables = config
        .phases
        .iter()
        .map(|phase| format!("phases.{}", phase.name));
    require_trusted(config, &tables.collect::<Vec<_>>())?;
    for (setup, phase) in setups.iter().zip(&config.phases) {
        let (prompt, prompt_from) = prompt_of(service, phase)?;
        texts.push(prompt.clone());
        let runs = !skipped.iter().any(|skip| skip.phase == phase.name);
        let pointer = format!("/phases/{}", phase.name);
        if runs && prompt.trim().is_empty() && !phase.agents.is_empty() {
            let message = format!("the phase `{}` has no task for its agents", phase.name);
            problems.push(
                RequestProblem::new(&pointer, message).hint("write `prompt` or `prompt_file`"),
            );
        }
        let mut agents = Vec::new();
        for agent in &phase.agents {
            match ready_agent(project, caller, phase, &agent.text, &prompt) {
                Ok(ready) => {
                    if runs {
                        let faults = agent_faults(
                            &*service.host,
                            &phase.limits,
                            &config.pipeline,
                            &ready.ready,
                        );
                        let problem = |fault: String| RequestProblem::new(&pointer, fault);
                        problems.extend(faults.into_iter().map(problem));
                    }
                    texts.push(ready.ready.prompt.clone());
                    agents.push(ready);
                }
                Err(error) if runs => {
                    let mut problem = RequestProblem::new(&pointer, error.message());
                    problem.hint = error.hint_str().map(str::to_owned);
                    problems.push(problem);
                }
                Err(_) => {}
            }
        }
        phases.push(ReadyPhase {
            setup: setup.clone(),
            phase: phase.clone(),
            agents,
            prompt_from,
        });
    }
    if !problems.is_empty() {
        let error = ToolError::of_problems(ErrorCode::InvalidRequest, problems);
        return Err(error.reason("pipeline"));
    }
    Ok(ReadyPipeline {
        digest: registry::digest::of_texts(texts.iter().map(String::as_str)),
        workspace: workspace.to_owned(),
        file,
        config: Arc::clone(config),
        phases,
        skipped,
    })
}

/// The phases that the user leaves out, each with the reason.
fn skipped_phases(
    setups: &[PhaseSetup],
    choice: &PhaseSelection,
    done: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<PhaseSkip>> {
    let known = || setups.iter().map(|setup| setup.name.as_str());
    for (option, name) in (choice.skip.iter().map(|name| ("skip", name)))
        .chain(choice.only.iter().map(|name| ("only", name)))
        .chain(choice.from.iter().map(|name| ("from", name)))
    {
        if !known().any(|one| one == name) {
            let error =
                tool_error!(InvalidRequest at format!("/{option}"); "no phase named `{name}`");
            let names: Vec<&str> = known().collect();
            let otherwise = format!("there are {}", names.join(", "));
            return Err(match nearest_name(name, known()) {
                Some(near) => error.hint(format_args!("did you mean `{near}`?")),
                None => error.hint(otherwise),
            });
        }
    }
    let order = order_phases(setups);
    let place = |name: &str| order.iter().position(|one| setups[*one].name == name);
    let from = choice.from.as_deref().and_then(place);
    let mut skipped = Vec::new();
    for (position, index) in order.iter().enumerate() {
        let name = &setups[*index].name;
        let earlier = |otherwise: &str| match done(name) {
            Some(id) => (format!("completed in pipeline {id}"), true),
            None => (otherwise.to_owned(), false),
        };
        let (reason, met) = if choice.skip.contains(name) {
            ("left out by --skip".to_owned(), false)
        } else if choice.only.as_ref().is_some_and(|only| only != name) {
            earlier("left out by --only")
        } else if from.is_some_and(|from| position < from) {
            earlier("before the phase of --from")
        } else {
            continue;
        };
        let phase = name.clone();
        skipped.push(PhaseSkip { phase, reason, met });
    }
    Ok(skipped)
}

/// The task of a phase, and where it is from.
fn prompt_of(service: &AgentService, phase: &Phase) -> Result<(String, String)> {
    match (&phase.prompt, &phase.prompt_file) {
        (Some(text), _) => Ok((text.clone(), "prompt".to_owned())),
        (None, Some(path)) => {
            let beside = service.project.config_file.with_file_name(path);
            Ok((service.host.read_text(&beside)?, path.clone()))
        }
        (None, None) => Ok((String::new(), "none".to_owned())),
    }
}

fn ready_agent(
    project: PipelineProject<'_>,
    caller: Option<&PipelineCaller<'_>>,
    phase: &Phase,
    name: &str,
    prompt: &str,
) -> Result<PhaseReadyAgent> {
    let config = project.config;
    let named = phase.clis.get(name).map(|cli| cli.text.as_str());
    let cli = find_agent_cli(config, named.unwrap_or(name)).map_err(|error| {
        error.hint(format!(
            "name its command line: `clis = {{ {name} = \"claude\" }}` in the phase"
        ))
    })?;
    require_trusted(config, &[format!("cli.{}", cli.name)])?;
    let who = phase_principal(project, phase, name);
    let (effective, caller) = effective_in_phase(project, caller, &who)?;
    let mut ready = ReadyAgent {
        name: name.to_owned(),
        isolation: phase.isolation.unwrap_or(cli.isolation),
        cli: cli.clone(),
        effective,
        prompt: task_behind_file(project, name, prompt)?,
        profile: phase.flag_profile.clone(),
        warnings: Vec::new(),
    };
    // Everything that its command line cannot express shows now.
    ready.warnings = ready.translate(&[], None)?.warnings;
    let dispatcher = project.dispatcher;
    let catalogue = dispatcher.catalogue();
    let policy = dispatcher.policy();
    let named = policy.caller(catalogue, &who, dispatcher.facts())?;
    for tool in named.lacking(catalogue, config, phase, Some(name)) {
        let (tool, reason) = (&tool.name.text, &tool.reason);
        ready.warnings.push(format!(
            "the phase names `{tool}`, which is hidden: {reason}"
        ));
    }
    if ready.isolation == Isolation::None && ready.is_plain() {
        let message = format!(
            "nothing confines `{name}`: its table has no sandbox, and the pipeline's is switched off"
        );
        match cli.unenforced {
            Unenforced::Warn => ready.warnings.push(message),
            Unenforced::Error => {
                return Err(tool_error!(InvalidRequest, "agent_cli"; "{message}";
                    "set `isolation` to `offline` or `network`, or `unenforced = \"warn\"` in its table"));
            }
        }
    }
    Ok(PhaseReadyAgent { ready, caller })
}

/// Who an agent is in a phase, by the configuration alone.
fn phase_principal(project: PipelineProject<'_>, phase: &Phase, agent: &str) -> Principal {
    let of_agent = project.dispatcher.policy().role_of_agent(agent);
    let role = of_agent.unwrap_or(&project.config.default_role.text);
    Principal {
        agent: Some(agent.to_owned()),
        phase: Some(phase.name.clone()),
        ..Principal::role(role)
    }
}

/// The tools and limits that phase, file and every layer leave to an agent, and who it is where a call began the pipeline: then nothing is
/// more than its caller has.
fn effective_in_phase(
    project: PipelineProject<'_>,
    caller: Option<&PipelineCaller<'_>>,
    who: &Principal,
) -> Result<(EffectiveAgent, Option<Principal>)> {
    let PipelineProject {
        config, dispatcher, ..
    } = project;
    let base = (dispatcher.policy()).select(dispatcher.catalogue(), who)?;
    let mut permission: Confinement = base.permission.map(|field| field.value).unwrap_or_default();
    let made = match caller {
        None => None,
        Some(caller) => {
            permission = permission.min(caller.permission(dispatcher)?);
            let heir = caller.heir(&who.role)?;
            let heir = heir.permitted(permission, dispatcher.catalogue());
            let mut heir = inherited_principal(config, caller.who, heir);
            heir.agent.clone_from(&who.agent);
            heir.phase.clone_from(&who.phase);
            Some(heir.narrow(permission.layer()))
        }
    };
    let narrowed = made.clone();
    let narrowed = narrowed.unwrap_or_else(|| who.clone().narrow(permission.layer()));
    let mut effective = EffectiveAgent::of_caller(dispatcher, &narrowed, permission)?;
    effective.permission_is_own = base.permission_is_own;
    Ok((effective, made))
}

/// The task behind the prompts of the agent's file, where it has one.
fn task_behind_file(project: PipelineProject<'_>, name: &str, prompt: &str) -> Result<String> {
    let PipelineProject {
        service,
        config,
        dispatcher,
    } = project;
    let folder: &Path = &service.project.folder;
    let texts = service.host.agent_files(folder)?;
    let Some(text) = texts.iter().find(|text| name_of(&text.path) == name) else {
        return Ok(prompt.to_owned());
    };
    let catalogue = dispatcher.catalogue();
    let checker = AgentChecker::new(catalogue, config, ToolAliases::built_in());
    let (agent, checked) = checker.load(&text.path, &text.text)?;
    let tools = checked.tool_descriptions(catalogue);
    let prompts = agent.render(&std::collections::BTreeMap::new(), &tools)?;
    let parts = [prompts.system.trim(), prompts.user.trim(), prompt];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n\n"))
}
