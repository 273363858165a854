//! [`ReadyAgent`]: an agent whose command line, tools and limits are known and can be enforced.

use registry::ToolAliases;
use registry::model::{
    ApprovalArgs, CliSpec, Confinement, PhaseLimits, PipelineLimits, VisibilityArgs,
};
use tool_core::command::Isolation;
use tool_core::{Result, tool_error};

use crate::cli::formats;
use crate::cli::{self, CliArgs, CliRequest, EffectiveAgent, ServerStart};
use crate::host::AgentHost;

/// An agent that can start.
#[derive(Debug, Clone)]
pub struct ReadyAgent {
    /// Its name in the phase, or that of its command line.
    pub name: String,
    /// Its command line.
    pub cli: CliSpec,
    /// Its tools and limits.
    pub effective: EffectiveAgent,
    /// What its sandbox keeps it from.
    pub isolation: Isolation,
    /// Its task, behind the prompts of its file.
    pub prompt: String,
    /// Profile of arguments in the table of its command line.
    pub profile: Option<String>,
    /// What its command line cannot do quite as it should.
    pub warnings: Vec<String>,
}

/// Limits that cannot be enforced for an agent, and files that are missing.
pub(crate) fn agent_faults(
    host: &dyn AgentHost,
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
        if limit.is_some() && !formats::states_cost(&cli.stream_format) {
            faults.push(format!(
                "`{key}` cannot be enforced: `{name}` does not report its cost"
            ));
        }
    }
    let counted = formats::shows_turns(&cli.stream_format);
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
            if !plain || !host.has_home_file(path) {
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
    pub fn is_plain(&self) -> bool {
        let cli = &self.cli;
        CliSpec::of_name(&cli.name).is_none()
            && cli.tools.is_empty()
            && cli.native.is_empty()
            && cli.sandbox.is_empty()
            && cli.visibility == VisibilityArgs::default()
            && cli.approval == ApprovalArgs::default()
    }

    /// How far its program may go in its sandbox.
    pub fn permission(&self) -> Confinement {
        self.effective.permission
    }

    /// The command, with these words in its templates.
    ///
    /// # Errors
    /// Everything that the command line cannot express or enforce.
    pub fn translate(
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
        let translated = cli::translate_cli_request(&self.cli, ToolAliases::built_in(), &request);
        let mut args = translated.map_err(|problems| {
            tool_error!(InvalidRequest, "agent_cli"; "{}", problems.join("; ");
                "`unenforced = \"warn\"` in its table turns this into a warning")
        })?;
        args.warnings.extend(warning);
        Ok(args)
    }
}
