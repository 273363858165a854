//! `mathchain pipeline run --dry-run`: what would run, with which command, tools and limits. Nothing starts.

use agents::AgentProgram;
use agents::cli::{ServerStart, formats, quote_shell_word};
use agents::pipeline::{ReadyPhase, ReadyPipeline, order_phases};
use agents::spawn::ReadyAgent;
use registry::Verdict;

use super::super::prelude::*;

/// Stands for paths that exist once the agent runs.
const EXCHANGE: &str = "EXCHANGE";

pub(super) fn print_pipeline_plan(global: &GlobalArgs, ready: &ReadyPipeline) -> Result<ExitCode> {
    let setups = ready.setups();
    let phases: Vec<&ReadyPhase> = order_phases(&setups)
        .into_iter()
        .map(|phase| &ready.phases[phase])
        .collect();
    let mut values = Vec::new();
    let mut text = String::new();
    for phase in phases {
        values.push(phase_value(ready, phase)?);
        text += &render_phase(ready, phase)?;
    }
    let data = object! {
        "file" => ready.file.display().to_string(),
        "workspace" => ready.workspace.display().to_string(),
        "phases" => Value::array(values),
    };
    output::print_data(global, &data, || text)
}

fn skip_reason<'r>(ready: &'r ReadyPipeline, phase: &ReadyPhase) -> Option<&'r str> {
    let mut skips = ready.skipped.iter();
    skips
        .find(|skip| skip.phase == phase.phase.name)
        .map(|skip| skip.reason.as_str())
}

fn agent_command_line(ready: &ReadyPipeline, agent: &ReadyAgent) -> Result<Vec<String>> {
    let at = |name: &str| format!("{EXCHANGE}/{name}");
    let (config, output) = (at("mcp.json"), at("output"));
    let workspace = ready.workspace.display().to_string();
    let words = [
        ("mcp_config", config.as_str()),
        ("workspace", workspace.as_str()),
        ("output", output.as_str()),
    ];
    let join = AgentProgram::at("mathchain").joining(EXCHANGE);
    let start = ServerStart {
        argv: &join,
        file: &config,
    };
    Ok(agent.translate(&words, Some(start))?.argv)
}

fn permitted_tools(agent: &ReadyAgent) -> Vec<(&str, &'static str)> {
    let tools = agent
        .effective
        .tools
        .iter()
        .filter(|one| one.verdict != Verdict::Deny);
    tools
        .map(|one| (one.tool.name(), one.verdict.as_str()))
        .collect()
}

fn phase_value(ready: &ReadyPipeline, of: &ReadyPhase) -> Result<Value> {
    let phase = &of.phase;
    let mut agents = Vec::new();
    for agent in of.agents.iter().map(|agent| &agent.ready) {
        let tools = permitted_tools(agent).into_iter().map(|(tool, verdict)| {
            object! { "tool" => tool, "verdict" => verdict }
        });
        agents.push(object! {
            "agent" => agent.name.as_str(),
            "cli" => agent.cli.name.as_str(),
            "argv" => agent_command_line(ready, agent)?,
            "isolation" => agent.isolation.as_str(),
            "permission" => agent.permission().as_str(),
            "tools" => Value::array(tools.collect()),
            "max_turns" => agent.effective.max_turns,
            "reports_cost" => formats::states_cost(&agent.cli.stream_format),
            "warnings" => agent.warnings.clone(),
        });
    }
    let gate = phase.gate.as_ref();
    Ok(object! {
        "phase" => phase.name.as_str(),
        "skipped" => skip_reason(ready, of),
        "depends_on" => of.setup.depends_on.clone(),
        "required" => phase.required,
        "parallel" => phase.parallel,
        "failure_mode" => phase.failure_mode.as_str(),
        "min_count" => phase.min_count.map(u64::from),
        "retries" => phase.retry_policy.as_ref().map(|policy| u64::from(policy.max_retries)),
        "prompt_from" => of.prompt_from.as_str(),
        "gate" => gate.map(|gate| gate.kind.as_str()),
        "max_cost_usd" => phase.limits.max_cost_usd,
        "agents" => Value::array(agents),
    })
}

fn render_phase(ready: &ReadyPipeline, of: &ReadyPhase) -> Result<String> {
    let phase = &of.phase;
    let mut words = vec![match phase.required {
        true => "required".to_owned(),
        false => "optional".to_owned(),
    }];
    if phase.parallel {
        words.push("parallel".to_owned());
    }
    words.push(phase.failure_mode.to_string());
    if !of.setup.depends_on.is_empty() {
        words.push(format!("after {}", of.setup.depends_on.join(", ")));
    }
    let mut text = match skip_reason(ready, of) {
        Some(reason) => format!("{}: skipped, {reason}\n", phase.name),
        None => format!("{}: {}\n", phase.name, words.join(", ")),
    };
    let _ = writeln!(text, "  task from {}", of.prompt_from);
    for agent in of.agents.iter().map(|agent| &agent.ready) {
        let quoted: Vec<String> = agent_command_line(ready, agent)?
            .iter()
            .map(|word| quote_shell_word(word))
            .collect();
        let listed: Vec<String> = permitted_tools(agent)
            .into_iter()
            .map(|(tool, verdict)| format!("{tool} ({verdict})"))
            .collect();
        let _ = writeln!(
            text,
            "  agent {}: sandbox {} {}",
            agent.name,
            agent.isolation,
            agent.permission()
        );
        let _ = writeln!(text, "    command  {}", quoted.join(" "));
        let _ = writeln!(text, "    tools    {}", listed.join(", "));
        for warning in &agent.warnings {
            let _ = writeln!(text, "    warning  {warning}");
        }
    }
    if let Some(cost) = phase.limits.max_cost_usd {
        let _ = writeln!(text, "  at most ${cost}");
    }
    if let Some(gate) = &phase.gate {
        let _ = writeln!(text, "  gate {}", gate.kind);
    }
    Ok(text)
}
