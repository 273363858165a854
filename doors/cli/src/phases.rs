//! `mathchain phase`: the tools of an agent in a phase, and the source of each setting.

use registry::Catalogue;
use registry::model::Phase as Defined;
use registry::policy::{
    CallerBaseline, CallerPolicy, HandedTool, LackedTool, PolicyDecision, TracedField,
};

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum PhasesCommand {
    /// List the phases of the configuration
    List,
    /// Show the tools of a phase, their verdicts, and the source of each setting
    #[command(after_help = "Example:
  mathchain phases show audit --agent codex")]
    Show {
        /// Name of the phase
        name: String,
        /// Agent in the phase
        #[arg(long)]
        agent: Option<String>,
    },
}

/// Lists phases, or shows one.
pub(super) fn run_phases_command(global: &GlobalArgs, command: &PhasesCommand) -> Result<ExitCode> {
    let toolkit = open::with_agents(global)?;
    match command {
        PhasesCommand::List => list_phases(global, &toolkit),
        PhasesCommand::Show { name, agent } => show_phase(global, &toolkit, name, agent.as_deref()),
    }
}

fn list_phases(global: &GlobalArgs, toolkit: &Toolkit) -> Result<ExitCode> {
    let config = toolkit.config();
    let agents = |phase: &Defined| -> Vec<String> {
        phase.agents.iter().map(|one| one.text.clone()).collect()
    };
    let value =
        |phase: &Defined| object! { "name" => phase.name.as_str(), "agents" => agents(phase) };
    let none = "no phases; define one by `[[phases]]` in mathchain.toml";
    output::print_list(global, &config.phases, value, none, |phase| {
        format!("{:<20} {}\n", phase.name, agents(phase).join(", "))
    })
}

fn show_phase(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    name: &str,
    agent: Option<&str>,
) -> Result<ExitCode> {
    let context = CallContext {
        phase: Some(name.to_owned()),
        agent: agent.map(str::to_owned),
        ..CallContext::default()
    };
    let config = toolkit.config();
    let Some(phase) = config.phases.iter().find(|phase| phase.name == name) else {
        let error = tool_error!(InvalidRequest, "phase"; "no phase named `{name}`");
        let known = config.phases.iter().map(|phase| phase.name.as_str());
        return Err(output::suggest_nearest_name(
            error,
            name,
            known,
            "`mathchain phases list` lists the phases",
        ));
    };
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let who = toolkit.caller(&context).who;
    let policy = dispatcher.policy();
    let caller = policy.caller(catalogue, &who, dispatcher.facts())?;
    let selected = caller.selected();
    let verdicts = tool_verdicts(catalogue, &caller);
    let tools = verdicts.iter().map(|(tool, verdict, layer, reason)| {
        object! { "tool" => *tool, "verdict" => *verdict, "layer" => layer.as_str(), "reason" => reason.as_str() }
    });
    let handed = caller.handed();
    let of_handed = handed.iter().map(|(tool, decision)| {
        let (verdict, layer) = (decision.verdict.as_str(), decision.layer.to_string());
        object! { "tool" => tool.name.as_str(), "source" => tool.home.as_str(), "verdict" => verdict, "layer" => layer, "reason" => decision.reason.to_string() }
    });
    let permission = selected.permission.as_ref();
    let mut absent = lacking_in(toolkit, phase, agent)?;
    absent.retain(|tool| tool.not_loaded);
    let not_loaded = absent.iter().map(|tool| {
        object! { "tool" => tool.name.text.as_str(), "reason" => tool.reason.as_str() }
    });
    let data = object! {
        "phase" => name,
        "agent" => agent,
        "role" => who.role.as_str(),
        "tools" => tools.collect::<Vec<_>>(),
        "external" => selected.tools.value.external.clone(),
        "handed_on" => of_handed.collect::<Vec<_>>(),
        "not_loaded" => not_loaded.collect::<Vec<_>>(),
        "permission" => permission.map(|field| field.value.as_str()),
        "max_turns" => u64::from(selected.max_turns.value),
        "from" => object! {
            "tools" => field_origin(&selected.tools),
            "permission" => permission.map(field_origin),
            "max_turns" => field_origin(&selected.max_turns),
        },
    };
    output::print_data(global, &data, || {
        let agent = agent.map_or_else(String::new, |agent| format!(", agent {agent}"));
        let heading = format!("phase {name}{agent}, role {}\n", who.role);
        heading + &render_settings(&selected) + &render_verdict_table(&handed, &verdicts, &absent)
    })
}

/// The tools that phases name and their agents do not have, a line each.
pub(super) fn lacking_tools(toolkit: &Toolkit) -> Result<Vec<String>> {
    let config = toolkit.config();
    let mut lines: Vec<String> = Vec::new();
    for phase in &config.phases {
        let agents = phase.agents.iter().map(|agent| Some(agent.text.as_str()));
        let nobody = phase.agents.is_empty().then_some(None);
        for agent in agents.chain(nobody) {
            let of_agent = agent.map_or_else(String::new, |agent| format!(" for `{agent}`"));
            for tool in lacking_in(toolkit, phase, agent)? {
                let place = tool.name.place.as_ref();
                let place = place.map_or_else(String::new, |place| format!("{place}: "));
                let (phase, name, reason) = (&phase.name, &tool.name.text, &tool.reason);
                lines.push(format!(
                    "{place}the phase `{phase}` names `{name}`, which is hidden{of_agent}: {reason}"
                ));
            }
        }
    }
    Ok(lines)
}

/// The tools that a phase names and one of its agents does not have.
pub(super) fn lacking_in(
    toolkit: &Toolkit,
    phase: &Defined,
    agent: Option<&str>,
) -> Result<Vec<LackedTool>> {
    let context = CallContext {
        phase: Some(phase.name.clone()),
        agent: agent.map(str::to_owned),
        ..CallContext::default()
    };
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let who = toolkit.caller(&context).who;
    let caller = (dispatcher.policy()).caller(catalogue, &who, dispatcher.facts())?;
    Ok(caller.lacking(catalogue, &toolkit.config(), phase, agent))
}

/// Tool, verdict, layer and reason.
type Row<'a> = (&'a str, &'static str, String, String);

/// The verdict on each selected tool.
fn tool_verdicts<'a>(catalogue: &'a Catalogue, caller: &CallerPolicy<'_>) -> Vec<Row<'a>> {
    let order = caller.selected().tools.value.order.clone().into_iter();
    let row = |index| {
        let decision = caller.decide(catalogue, index, None, None);
        let verdict = match caller.visible().contains(index) {
            true => decision.verdict.as_str(),
            false => "hidden",
        };
        let id = catalogue.tool(index).spec().id;
        let (layer, reason) = (decision.layer.to_string(), decision.reason.to_string());
        (id, verdict, layer, reason)
    };
    order.map(row).collect()
}

fn render_settings(selected: &CallerBaseline) -> String {
    let mut text = format!("  {:<12} {}\n", "tools", field_origin(&selected.tools));
    if let Some(field) = &selected.permission {
        let (value, origin) = (field.value.as_str(), field_origin(field));
        let _ = writeln!(text, "  {:<12} {value}, {origin}", "permission");
    }
    let turns = &selected.max_turns;
    let (value, origin) = (turns.value, field_origin(turns));
    let _ = writeln!(text, "  {:<12} {value}, {origin}", "max_turns");
    text
}

fn render_verdict_table(
    handed: &[(HandedTool, PolicyDecision)],
    verdicts: &[Row<'_>],
    absent: &[LackedTool],
) -> String {
    let mut text = String::new();
    for (tool, verdict, layer, reason) in verdicts {
        let _ = writeln!(text, "  {verdict:<7} {tool:<24} {layer}: {reason}");
    }
    for (tool, decision) in handed {
        let (name, verdict, home) = (&tool.name, decision.verdict, tool.home);
        let (layer, reason) = (&decision.layer, &decision.reason);
        let _ = writeln!(
            text,
            "  {verdict:<7} {name:<24} handed on to its {home}; {layer}: {reason}"
        );
    }
    for tool in absent {
        let _ = writeln!(
            text,
            "  {:<7} {:<24} {}",
            "absent", tool.name.text, tool.reason
        );
    }
    text
}

/// The level that set a field, and its place.
fn field_origin<T>(field: &TracedField<T>) -> String {
    match &field.place {
        Some(place) => format!("from {} ({place})", field.from),
        None => format!("from {}", field.from),
    }
}
