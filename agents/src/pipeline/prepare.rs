//! Everything that is checked before a pipeline starts: phases, tasks, agents with their command lines and limits.

use std::path::PathBuf;

use chain_runtime::pipeline::{PhaseSetup, PhaseSkip, order_phases};
use registry::agent_cli::{self, CliArgs, CliRequest, ServerStart};
use registry::agents::{AgentChecker, name_of};
use registry::model::{
    ApprovalArgs, CliSpec, Confinement, Phase, PhaseLimits, PipelineLimits, Unenforced,
    VisibilityArgs,
};
use registry::{Config, ToolAliases};
use tool_core::RequestProblem;
use tool_core::command::Isolation;

use super::super::agent_args::{self, AgentArgs, EffectiveAgent};
use super::super::phases;
use super::super::prelude::*;
use super::border::ExchangeBorder;
use super::stream;
use crate::trust;

/// Folder below the state for what agents left in the workspace and must not.
pub(in crate::cli) const ASIDE: &str = "set-aside";

/// Which phases run.
#[derive(Debug, Clone, Default, Args)]
pub(in crate::cli) struct PhaseSelectionArgs {
    /// Leave a phase out; those that depend on it do not run; repeatable
    #[arg(long, value_name = "PHASE")]
    pub skip: Vec<String>,
    /// Run one phase only; those that it depends on must be done by an earlier pipeline of this file
    #[arg(long, value_name = "PHASE", conflicts_with = "from")]
    pub only: Option<String>,
    /// Begin with a phase; those before it count as done where an earlier pipeline of this file completed them
    #[arg(long, value_name = "PHASE")]
    pub from: Option<String>,
}

/// A pipeline that can start.
pub(super) struct ReadyPipeline {
    pub file: PathBuf,
    pub digest: String,
    pub workspace: PathBuf,
    pub config: std::sync::Arc<Config>,
    pub phases: Vec<ReadyPhase>,
    /// Phases that the user leaves out.
    pub skipped: Vec<PhaseSkip>,
    pub border: ExchangeBorder,
}

pub(super) struct ReadyPhase {
    pub setup: PhaseSetup,
    pub phase: Phase,
    pub agents: Vec<ReadyAgent>,
    pub prompt_from: String,
}

#[derive(Clone)]
pub(in crate::cli) struct ReadyAgent {
    pub name: String,
    pub cli: CliSpec,
    pub effective: EffectiveAgent,
    pub isolation: Isolation,
    pub prompt: String,
    pub profile: Option<String>,
    pub warnings: Vec<String>,
}

impl ReadyPipeline {
    pub(super) fn setups(&self) -> Vec<PhaseSetup> {
        self.phases.iter().map(|one| one.setup.clone()).collect()
    }

    pub(super) fn phase(&self, name: &str) -> Option<&ReadyPhase> {
        self.phases.iter().find(|one| one.phase.name == name)
    }

    pub(super) fn agent(&self, phase: &str, name: &str) -> Option<&ReadyAgent> {
        let agents = &self.phase(phase)?.agents;
        agents.iter().find(|one| one.name == name)
    }
}

/// Checks a whole pipeline. `done` are the phases that an earlier one completed, with its id.
///
/// # Errors
/// Everything that would keep a phase or agent from starting as the file says.
pub(super) fn prepare_pipeline(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    choice: &PhaseSelectionArgs,
    done: &dyn Fn(&str) -> Option<String>,
) -> Result<ReadyPipeline> {
    let config = toolkit.config();
    let file = open::config_path(global)?.ok_or_else(|| {
        tool_error!(InvalidRequest, "no_file"; "there is no configuration with phases here";
            "name a file: `mathchain pipeline run FILE.toml`")
    })?;
    if config.phases.is_empty() {
        return Err(
            tool_error!(InvalidRequest, "no_phases"; "`{}` has no phases", file.display();
            "write `[[phases]]` (docs/pipelines.md)"),
        );
    }
    let workspace = toolkit.workspace().ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace"; "a pipeline needs a workspace"; "name one with --workspace")
    })?;
    let setups: Vec<PhaseSetup> = config.phases.iter().map(PhaseSetup::from).collect();
    let skipped = skipped_phases(&setups, choice, done)?;
    let mut problems = Vec::new();
    let mut texts = vec![environment::read_named(&file)?];
    let mut phases = Vec::new();
    let tables = config
        .phases
        .iter()
        .map(|phase| format!("phases.{}", phase.name));
    trust::require_trusted(&config, &tables.collect::<Vec<_>>())?;
    for (setup, phase) in setups.iter().zip(&config.phases) {
        let (prompt, prompt_from) = prompt_of(&file, phase)?;
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
            match ready_agent(global, toolkit, &config, phase, &agent.text, &prompt) {
                Ok(ready) => {
                    if runs {
                        let faults = agent_faults(&phase.limits, &config.pipeline, &ready);
                        let problem = |fault: String| RequestProblem::new(&pointer, fault);
                        problems.extend(faults.into_iter().map(problem));
                    }
                    texts.push(ready.prompt.clone());
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
        border: ExchangeBorder {
            protected: toolkit.protected().to_vec(),
            aside: open::state_folder(global)?.join(ASIDE),
        },
        file,
        config,
        phases,
        skipped,
    })
}

/// The phases that the user leaves out, each with the reason.
fn skipped_phases(
    setups: &[PhaseSetup],
    choice: &PhaseSelectionArgs,
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
            return Err(output::suggest_nearest_name(
                error,
                name,
                known(),
                otherwise,
            ));
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
fn prompt_of(file: &std::path::Path, phase: &Phase) -> Result<(String, String)> {
    match (&phase.prompt, &phase.prompt_file) {
        (Some(text), _) => Ok((text.clone(), "prompt".to_owned())),
        (None, Some(path)) => {
            let beside = file.with_file_name(path);
            Ok((environment::read_named(&beside)?, path.clone()))
        }
        (None, None) => Ok((String::new(), "none".to_owned())),
    }
}

fn ready_agent(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    config: &Config,
    phase: &Phase,
    name: &str,
    prompt: &str,
) -> Result<ReadyAgent> {
    let named = phase.clis.get(name).map(|cli| cli.text.as_str());
    let cli = agent_args::find_agent_cli(config, named.unwrap_or(name)).map_err(|error| {
        error.hint(format!(
            "name its command line: `clis = {{ {name} = \"claude\" }}` in the phase"
        ))
    })?;
    trust::require_trusted(config, &[format!("cli.{}", cli.name)])?;
    let args = AgentArgs::of_phase(name, &phase.name);
    let effective = agent_args::effective_selection(toolkit, &args)?;
    let mut ready = ReadyAgent {
        name: name.to_owned(),
        isolation: phase.isolation.unwrap_or(cli.isolation),
        cli: cli.clone(),
        effective,
        prompt: with_file(global, toolkit, config, name, prompt)?,
        profile: phase.flag_profile.clone(),
        warnings: Vec::new(),
    };
    // Everything that its command line cannot express shows now.
    ready.warnings = ready.translate(&[], None)?.warnings;
    for tool in phases::lacking_in(toolkit, phase, Some(name))? {
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
    Ok(ready)
}

/// The task behind the prompts of the agent's file, where it has one.
fn with_file(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    config: &Config,
    name: &str,
    prompt: &str,
) -> Result<String> {
    let texts = environment::agent_texts(&open::project_folder(global)?)?;
    let Some(text) = texts.iter().find(|text| name_of(&text.path) == name) else {
        return Ok(prompt.to_owned());
    };
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let checker = AgentChecker::new(catalogue, config, ToolAliases::built_in());
    let (agent, checked) = checker.load(&text.path, &text.text)?;
    let tools = checked.tool_descriptions(catalogue);
    let prompts = agent.render(&std::collections::BTreeMap::new(), &tools)?;
    let parts = [prompts.system.trim(), prompts.user.trim(), prompt];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Ok(parts.join("\n\n"))
}

/// Limits that cannot be enforced for an agent, and files that are missing.
pub(in crate::cli) fn agent_faults(
    limits: &PhaseLimits,
    pipeline: &PipelineLimits,
    ready: &ReadyAgent,
) -> Vec<String> {
    let mut faults = Vec::new();
    let (name, cli) = (&ready.name, &ready.cli);
    let costs = [
        (limits.max_cost_usd, "limits.max_cost_usd"),
        (pipeline.max_cost_usd, "pipeline.max_cost_usd"),
    ];
    for (limit, key) in costs {
        if limit.is_some() && !stream::states_cost(&cli.stream_format) {
            faults.push(format!(
                "`{key}` cannot be enforced: `{name}` does not report its cost"
            ));
        }
    }
    let counted = stream::shows_turns(&cli.stream_format);
    let by_itself = !ready.is_plain()
        && ready
            .translate(&[], None)
            .is_ok_and(|args| args.count_turns.is_none());
    if pipeline.max_turns.is_some() && !counted {
        faults.push(format!(
            "`pipeline.max_turns` cannot be enforced: `{name}` does not report its turns"
        ));
    }
    let stated = ready.effective.turns_stated && ready.effective.max_turns > 0;
    if stated && !counted && !by_itself {
        faults.push(format!(
            "`max_turns` cannot be enforced: `{name}` neither limits nor reports its turns; set it to 0"
        ));
    }
    if ready.isolation != Isolation::None {
        for path in &cli.home_files {
            let plain = std::path::Path::new(path)
                .components()
                .all(|part| matches!(part, std::path::Component::Normal(_)));
            let there = environment::home_folder().map(|home| home.join(path));
            if !plain || !there.is_some_and(|path| path.is_file()) {
                faults.push(format!(
                    "`home_files` of `{}`: no file `{path}` in the home folder",
                    cli.name
                ));
            }
        }
    }
    faults
}

impl ReadyAgent {
    /// Whether the table only names a program: it has no tools of its own, and no flags that confine it.
    pub(in crate::cli) fn is_plain(&self) -> bool {
        let cli = &self.cli;
        CliSpec::of_name(&cli.name).is_none()
            && cli.tools.is_empty()
            && cli.native.is_empty()
            && cli.sandbox.is_empty()
            && cli.visibility == VisibilityArgs::default()
            && cli.approval == ApprovalArgs::default()
    }

    pub(super) fn permission(&self) -> Confinement {
        self.effective.permission
    }

    /// The command, with these words in its templates.
    ///
    /// # Errors
    /// Everything that the command line cannot express or enforce.
    pub(in crate::cli) fn translate(
        &self,
        words: &[(&str, &str)],
        server: Option<ServerStart<'_>>,
    ) -> Result<CliArgs> {
        let profile = self.profile.as_deref();
        let (tools, warning) = match self.is_plain() {
            true => (None, None),
            false => self.effective.translated(&self.cli, profile),
        };
        let request = CliRequest {
            tools,
            permission: self.permission(),
            permission_is_own: self.effective.permission_is_own,
            reads_output: true,
            max_turns: self.effective.max_turns,
            profile,
            prompt: Some(&self.prompt),
            server,
            words,
        };
        let translated =
            agent_cli::translate_cli_request(&self.cli, ToolAliases::built_in(), &request);
        let mut args = translated.map_err(|problems| {
            tool_error!(InvalidRequest, "agent_cli"; "{}", problems.join("; ");
                "`unenforced = \"warn\"` in its table turns this into a warning")
        })?;
        args.warnings.extend(warning);
        Ok(args)
    }
}
