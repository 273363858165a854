//! `mathchain phase`: what an agent may do in a phase, and who says so.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use registry::model::Phase as Defined;
use registry::policy::Field;
use tool_core::{Object, ToolError, Value};

use super::args::Global;
use super::{exit, print_data, session};
use crate::{Context, Toolkit};

#[derive(Debug, Subcommand)]
pub(super) enum Phase {
    /// List the phases of the configuration
    List,
    /// Show the tools of a phase, their verdicts, and where each field came from
    #[command(after_help = "Example:
  mathchain phase show audit --agent codex")]
    Show {
        /// Phase
        name: String,
        /// Agent in it
        #[arg(long)]
        agent: Option<String>,
    },
}

/// Lists phases, or shows one.
pub(super) fn phase(global: &Global, command: &Phase) -> Result<ExitCode, ToolError> {
    let toolkit = session::open_with_agents(global)?;
    match command {
        Phase::List => list(global, &toolkit),
        Phase::Show { name, agent } => show(global, &toolkit, name, agent.as_deref())?,
    }
    Ok(exit::OK.into())
}

fn list(global: &Global, toolkit: &Toolkit) {
    let config = toolkit.config();
    let names = |list: &[registry::Selector]| -> Vec<String> {
        list.iter().map(|one| one.text.clone()).collect()
    };
    let row = |phase: &Defined| {
        Value::object([
            ("name", Value::from(phase.name.as_str())),
            ("agents", Value::from(names(&phase.agents))),
            ("depends_on", Value::from(names(&phase.depends_on))),
            ("parallel", Value::from(phase.parallel)),
            ("required", Value::from(phase.required)),
        ])
    };
    let rows = config.phases.iter().map(row).collect();
    print_data(global, &Value::array(rows), || {
        if config.phases.is_empty() {
            return "no phases; `[[phases]]` in mathchain.toml makes one\n".to_owned();
        }
        let line = |phase: &Defined| {
            let after = names(&phase.depends_on).join(", ");
            let after = match after.is_empty() {
                true => String::new(),
                false => format!("  after {after}"),
            };
            format!(
                "{:<20} {}{after}\n",
                phase.name,
                names(&phase.agents).join(", ")
            )
        };
        config.phases.iter().map(line).collect()
    });
}

fn show(
    global: &Global,
    toolkit: &Toolkit,
    name: &str,
    agent: Option<&str>,
) -> Result<(), ToolError> {
    let context = Context {
        phase: Some(name.to_owned()),
        agent: agent.map(str::to_owned),
        ..Context::default()
    };
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let who = toolkit.caller(&context).who;
    let caller = dispatcher
        .policy()
        .caller(catalogue, &who, dispatcher.facts())?;
    let selected = caller.selected();
    let mut text = format!("phase {name}");
    let _ = match agent {
        Some(agent) => writeln!(text, ", agent {agent}, role {}", who.role),
        None => writeln!(text, ", role {}", who.role),
    };
    let permission = selected.permission.as_ref();
    let _ = writeln!(text, "  {:<12} {}", "tools", origin(&selected.tools));
    if let Some(field) = permission {
        let _ = writeln!(
            text,
            "  {:<12} {}, {}",
            "permission",
            field.value.as_str(),
            origin(field)
        );
    }
    let turns = &selected.max_turns;
    let _ = writeln!(
        text,
        "  {:<12} {}, {}",
        "max_turns",
        turns.value,
        origin(turns)
    );
    let mut rows = Vec::new();
    for index in selected.tools.value.order.iter().copied() {
        let id = catalogue.tool(index).spec().id;
        let decision = caller.decide(catalogue, index, None, None);
        let hidden = !caller.visible().contains(index);
        let verdict = if hidden {
            "hidden"
        } else {
            decision.verdict.as_str()
        };
        let _ = writeln!(
            text,
            "  {verdict:<7} {id:<24} {}: {}",
            decision.layer, decision.reason
        );
        rows.push(Value::object([
            ("tool", Value::from(id)),
            ("verdict", Value::from(verdict)),
            ("layer", Value::from(decision.layer)),
            ("reason", Value::from(decision.reason)),
        ]));
    }
    for name in &selected.tools.value.external {
        let _ = writeln!(
            text,
            "  {:<7} {name:<24} a tool of another server or of a provider",
            "handed"
        );
    }
    let mut object = Object::new();
    object.insert("phase", name);
    object.insert("agent", agent);
    object.insert("role", who.role.as_str());
    object.insert("tools", Value::array(rows));
    object.insert(
        "external",
        Value::from(selected.tools.value.external.clone()),
    );
    object.insert("permission", permission.map(|field| field.value.as_str()));
    object.insert("max_turns", u64::from(turns.value));
    object.insert(
        "from",
        Value::object([
            ("tools", Value::from(origin(&selected.tools))),
            ("permission", Value::from(permission.map(origin))),
            ("max_turns", Value::from(origin(turns))),
        ]),
    );
    print_data(global, &Value::Object(object.into()), || text);
    Ok(())
}

/// The level that set a field, and where.
fn origin<T>(field: &Field<T>) -> String {
    match &field.place {
        Some(place) => format!("from {} ({place})", field.from),
        None => format!("from {}", field.from),
    }
}
