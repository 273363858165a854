//! Tables of agent command lines in the layout of an earlier system, as tables of ours.

use super::read::{bad_profile, is_profile};
use super::variables;
use crate::error::LoadError;
use crate::model::{CliSpec, EarlierAgent};

/// The tables of `[agents.NAME]`, each like the built-in table of its format of output; what is wrong with them is added to the errors.
pub(crate) fn earlier_tables(
    agents: &[EarlierAgent],
    own: &[CliSpec],
    errors: &mut Vec<LoadError>,
) -> Vec<CliSpec> {
    let mut clis = Vec::new();
    for agent in agents {
        let name = &agent.table;
        let mut report =
            |message: String| errors.push(LoadError::new(agent.place.as_ref(), message));
        if own.iter().any(|cli| cli.name == *name) {
            report(format!(
                "`agents.{name}` and `cli.{name}` are one agent command line: keep one"
            ));
        }
        if agent.name.as_ref().is_some_and(|other| other != name) {
            report(format!(
                "the name of `agents.{name}` is that of its table, or absent"
            ));
        }
        if !is_profile(name) {
            report(format!(
                "`{name}` is no name for an agent: letters, digits, `.`, `_` and `-`"
            ));
        }
        if agent.binary.is_empty() {
            report(format!("`agents.{name}` needs its `binary`"));
        }
        for profile in agent.flags.keys().filter(|profile| !is_profile(profile)) {
            report(bad_profile(profile));
        }
        for text in &agent.env_passlist {
            if let Err(what) = variables::compile_name_pattern(text, false) {
                report(format!("`{text}` is no pattern for names: {what}"));
            }
        }
        for variable in agent.env_vars.keys() {
            if variable.is_empty() || variable.contains(['=', '\0']) {
                report(format!("`{variable}` is no name of a variable"));
            }
        }
        let format = agent.stream_format.as_deref().unwrap_or(name);
        let Some(like) = CliSpec::of_name(format) else {
            let names: Vec<&str> = CliSpec::built_in()
                .iter()
                .map(|cli| cli.name.as_str())
                .collect();
            let names = names.join(", ");
            report(format!(
                "`agents.{name}` needs its `stream_format`, one of {names}"
            ));
            continue;
        };
        clis.push(overlay_earlier_agent(agent, like));
    }
    clis
}

fn overlay_earlier_agent(agent: &EarlierAgent, like: &CliSpec) -> CliSpec {
    let mut cli = CliSpec {
        name: agent.table.clone(),
        binary: agent.binary.clone(),
        model: agent.model.clone().or_else(|| like.model.clone()),
        flags: agent.flags.clone(),
        env: agent.env_vars.clone(),
        env_policy: agent.env_policy,
        env_passlist: agent.env_passlist.clone(),
        prompt_via: agent.prompt_via.unwrap_or(like.prompt_via),
        unenforced: agent.unenforced,
        runner: agent.runner(),
        place: agent.place.clone(),
        ..like.clone()
    };
    if let Some(words) = &agent.subcommand {
        cli.subcommand.clone_from(words);
        cli.subcommand.0.retain(|word| !word.is_empty());
    }
    if let Some(word) = &agent.stdin_sentinel {
        cli.prompt_stdin = vec![word.clone()];
    }
    cli
}
