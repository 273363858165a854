//! `mathchain policy`: explains, compares and tests the policy.

mod diff;
pub(super) mod rules;
mod tables;

use std::path::PathBuf;

use registry::policy::DecisionExplanation;
use tool_core::Object;

use super::flags;
use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum PolicyCommand {
    /// Explain the verdict on a call: deciding layer, place, and how to allow it
    Explain(Box<ExplainCommand>),
    /// Print the verdict for every role and tool, whatever the arguments
    Matrix {
        /// Assume this phase
        #[arg(long)]
        phase: Option<String>,
        /// Assume a fact instead of the actual one, such as `workspace=closed`; repeatable
        #[arg(long = "fact", value_name = "FACT")]
        facts: Vec<String>,
    },
    /// Compare two configurations: list the permissions granted and revoked
    #[command(after_help = "Examples:
  mathchain policy diff mathchain.toml new.toml       # the same agents and plugins on both sides
  git worktree add ../before main && mathchain policy diff ../before/mathchain.toml mathchain.toml")]
    Diff {
        /// Configuration before
        #[arg(value_name = "BEFORE")]
        before: PathBuf,
        /// Configuration after
        #[arg(value_name = "AFTER")]
        after: PathBuf,
    },
    /// Test the policy against a file of expected verdicts
    Test {
        /// YAML, TOML or JSON: `cases: [{role, tool, args?, phase?, agent?, task?, facts?, expect, layer?}]`
        file: PathBuf,
    },
    /// List the rules that `approve --always` recorded
    Rules,
    /// Delete a recorded rule
    Forget {
        /// Number of the rule in `policy rules`
        #[arg(value_name = "N")]
        number: usize,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain policy explain worker_general write_file
  mathchain policy explain operator write_file --arg path=out.txt --arg content=x
  mathchain policy explain operator run_shell --args '{\"argv\":[\"git\",\"status\"]}' --phase audit
  mathchain policy explain operator statistics --phase audit --enable statistics")]
pub(super) struct ExplainCommand {
    /// Role of the caller
    pub role: String,
    /// Tool name
    pub tool: String,
    #[command(flatten)]
    pub caller: CallerArgs,
    /// All arguments as one JSON object
    #[arg(long, value_name = "JSON", conflicts_with = "arg")]
    pub args: Option<String>,
    /// Argument as NAME=VALUE; repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub arg: Vec<String>,
}

/// Runs one of the commands about the policy.
pub(super) fn run_policy_command(global: &GlobalArgs, policy: &PolicyCommand) -> Result<ExitCode> {
    match policy {
        PolicyCommand::Explain(asked) => explain_verdict(global, asked),
        PolicyCommand::Matrix { phase, facts } => {
            tables::print_policy_matrix(global, phase.as_deref(), facts)
        }
        PolicyCommand::Diff { before, after } => diff::print_policy_diff(global, before, after),
        PolicyCommand::Test { file } => tables::test_policy(global, file),
        PolicyCommand::Rules => rules::list_rules(global),
        PolicyCommand::Forget { number } => rules::forget_rule(global, *number),
    }
}

/// Explains the verdict on a call.
fn explain_verdict(global: &GlobalArgs, asked: &ExplainCommand) -> Result<ExitCode> {
    let toolkit = asked.caller.open(global)?;
    let context = asked.caller.context(Some(asked.role.clone()));
    let given = match &asked.args {
        Some(text) => Some(parse_argument_object(text)?),
        None => {
            let dispatcher = toolkit.dispatcher();
            let found = dispatcher.catalogue().get(&asked.tool);
            let schema = found.map(|found| found.input_schema()).unwrap_or_default();
            let mut object = Object::new();
            for pair in &asked.arg {
                let (name, text) = flags::split_assignment(pair)?;
                let value = flags::value_of(&schema["properties"][&name], &text);
                object.insert(name, value);
            }
            (!object.is_empty()).then(|| Value::Object(object.into()))
        }
    };
    let facts = open::machine_facts(&toolkit, &asked.caller.facts)?;
    let explanation = toolkit.explain_with(&context, &asked.tool, given.as_ref(), Some(&facts))?;
    output::print_data(global, &explanation.to_value(), || {
        render_explanation(&explanation)
    })
}

fn parse_argument_object(text: &str) -> Result<Value> {
    let value = mathchain::parse_json(text)?;
    if value.as_object().is_some() {
        return Ok(value);
    }
    Err(tool_error!(InvalidRequest;
        "expected an object of arguments, found {}", value.kind())
    .hint("for example --args '{\"expression\":\"2**10\"}'"))
}

fn render_explanation(explanation: &DecisionExplanation) -> String {
    let decision = &explanation.decision;
    let certain = match decision.certain {
        true => "",
        false => " unless a rule on the arguments allows it",
    };
    let DecisionExplanation { tool, role, .. } = explanation;
    let (verdict, layer, reason) = (decision.verdict.as_str(), &decision.layer, &decision.reason);
    let mut text = format!("{tool} as `{role}`: {verdict}{certain}\n  by {layer}: {reason}\n");
    match (explanation.file.as_deref(), explanation.line) {
        // A file of the program, which the user has not.
        (Some("roles.yaml"), _) => {
            text.push_str("  built in; a role of the same name in mathchain.toml replaces it\n")
        }
        (Some(file), Some(line)) => {
            let _ = writeln!(text, "  written in {file}, line {line}");
        }
        _ => {}
    }
    if let Some(what) = &explanation.what_would_allow {
        let _ = writeln!(text, "  to allow it: {what}");
    }
    text.push_str("layers\n");
    for step in &explanation.layers {
        let place = step.place.as_ref().map(|place| format!("  ({place})"));
        let place = place.unwrap_or_default();
        let _ = writeln!(text, "  {}: {}{place}", step.layer, step.effect);
    }
    if !explanation.limits.is_empty() {
        text.push_str("limits\n");
    }
    for step in &explanation.limits {
        let (layer, rule, phrase) = (&step.layer, &step.rule, &step.phrase);
        let _ = writeln!(text, "  {layer} {rule}: {phrase}");
    }
    if !explanation.rules.is_empty() {
        text.push_str("rules\n");
    }
    for step in &explanation.rules {
        let counts = if step.counts { "" } else { ", ignored" };
        let (layer, rule, fit) = (&step.layer, &step.rule, &step.fit);
        let decision = step.decision.as_str();
        let _ = writeln!(text, "  {layer} {rule}: {decision} ({fit}{counts})");
    }
    text
}
