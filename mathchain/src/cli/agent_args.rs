//! `mathchain agent-args`: how an agent command line is started so that it can do what an agent may, and no more.

use std::fmt::Write as _;
use std::process::ExitCode;

use registry::agent_cli::{self, CliArgs, CliRequest, CliTool, Environment, quoted};
use registry::agents::ToolName;
use registry::model::CliSpec;
use registry::model::Confinement;
use registry::policy::Selected;
use registry::{Aliases, Config, Verdict};
use tool_core::nearest::nearest;
use tool_core::{ErrorCode, Object, Problem, ToolError, Value};

use super::args::{AgentArgs, Global};
use super::{complain, exit, print_data, session};
use crate::{Context, Toolkit, environment};

/// What an agent may do.
struct Effective {
    tools: Vec<CliTool>,
    permission: Confinement,
    max_turns: u64,
}

/// Prints environment, program, arguments and configuration file.
pub(super) fn agent_args(global: &Global, args: &AgentArgs) -> Result<ExitCode, ToolError> {
    let toolkit = session::open_with_agents(global)?;
    let config = toolkit.config();
    let name = args.cli.as_deref().unwrap_or(&args.agent);
    let cli = table(&config, name)?;
    let effective = effective(&toolkit, args)?;
    let request = CliRequest {
        tools: Some(&effective.tools),
        permission: effective.permission,
        max_turns: effective.max_turns,
        profile: args.profile.as_deref(),
        prompt: args.prompt.as_deref(),
    };
    let answer = agent_cli::translate(cli, Aliases::built_in(), &request).map_err(|problems| {
        let problems = problems
            .into_iter()
            .map(|text| {
                Problem::new("", text).hint("`unenforced = \"warn\"` in its table accepts that")
            })
            .collect();
        ToolError::of_problems(ErrorCode::InvalidRequest, problems).reason("agent_cli")
    })?;
    for warning in &answer.warnings {
        complain(&format!("warning: {warning}\n"));
    }
    let names = environment::names();
    let environment = cli.environment(names.iter().map(String::as_str));
    print_data(global, &to_value(&answer, &environment), || {
        readable(&answer, &environment)
    });
    Ok(exit::OK.into())
}

/// The table of a command line.
fn table<'a>(config: &'a Config, name: &str) -> Result<&'a CliSpec, ToolError> {
    config.cli(name).ok_or_else(|| {
        let mut names: Vec<&str> = CliSpec::built_in()
            .iter()
            .map(|cli| cli.name.as_str())
            .collect();
        names.extend(config.clis.iter().map(|cli| cli.name.as_str()));
        let error = ToolError::new(
            ErrorCode::InvalidRequest,
            format_args!("no agent command line named `{name}`"),
        );
        match nearest(name, names.iter().copied()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(format!("name one with --cli: {}", names.join(", "))),
        }
    })
}

/// What an agent may do, by its phase, its file and every layer.
fn effective(toolkit: &Toolkit, args: &AgentArgs) -> Result<Effective, ToolError> {
    let mut context = Context {
        agent: Some(args.agent.clone()),
        phase: args.phase.clone(),
        ..Context::default()
    };
    // A flag narrows further and never widens what the phase says.
    let of_phase = selected(toolkit, &context)?.permission;
    let of_phase = of_phase.map(|field| field.value);
    let asked = args.permission.map(Confinement::from);
    let permission = match (asked, of_phase) {
        (Some(asked), Some(of_phase)) => asked.min(of_phase),
        (asked, of_phase) => asked.or(of_phase).unwrap_or_default(),
    };
    context = context.narrow(permission.layer());
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let who = toolkit.caller(&context).who;
    let caller = dispatcher
        .policy()
        .caller(catalogue, &who, dispatcher.facts())?;
    let mut tools: Vec<CliTool> = caller
        .listed()
        .map(|index| CliTool {
            tool: ToolName::Tool(catalogue.tool(index).spec().id.to_owned()),
            verdict: caller.decide(catalogue, index, None, None).verdict,
        })
        .collect();
    let no_network = permission != Confinement::FullAccess;
    let network_asks = toolkit.config().permissions.network_asks;
    for name in &caller.selected().tools.value.external {
        let of_provider = Aliases::built_in().provider_tool(name).is_some();
        let (tool, verdict) = match of_provider {
            true if no_network => (ToolName::Provider(name.clone()), Verdict::Deny),
            true if !network_asks => (ToolName::Provider(name.clone()), Verdict::Allow),
            true => (ToolName::Provider(name.clone()), Verdict::Ask),
            false => (ToolName::External(name.clone()), Verdict::Ask),
        };
        tools.push(CliTool { tool, verdict });
    }
    let of_selection = u64::from(caller.selected().max_turns.value);
    Ok(Effective {
        tools,
        permission,
        max_turns: args.max_turns.unwrap_or(of_selection),
    })
}

/// What the agent starts from.
fn selected(toolkit: &Toolkit, context: &Context) -> Result<Selected, ToolError> {
    let dispatcher = toolkit.dispatcher();
    let who = toolkit.caller(context).who;
    dispatcher.policy().select(dispatcher.catalogue(), &who)
}

fn to_value(answer: &CliArgs, environment: &Environment) -> Value {
    let texts = |list: &[String]| {
        Value::array(list.iter().map(|text| Value::from(text.as_str())).collect())
    };
    let mut object = Object::new();
    object.insert("argv", texts(&answer.argv));
    object.insert("environment", environment.to_value());
    if !answer.stream_format.is_empty() {
        object.insert("stream_format", answer.stream_format.as_str());
    }
    if let Some(config) = &answer.config {
        let mut file = Object::new();
        file.insert("file", config.file.as_str());
        if let Some(variable) = &config.variable {
            file.insert("variable", variable.as_str());
        }
        file.insert("text", config.text.as_str());
        object.insert("config", Value::Object(file.into()));
    }
    if let Some(turns) = answer.count_turns {
        object.insert("count_turns", i64::try_from(turns).unwrap_or(i64::MAX));
    }
    object.insert("warnings", texts(&answer.warnings));
    Value::Object(object.into())
}

/// A line for a shell that sets the environment too, and the file with its name.
fn readable(answer: &CliArgs, environment: &Environment) -> String {
    let mut words = environment.shell_words();
    words.extend(answer.argv.iter().map(|word| quoted(word)));
    let mut text = words.join(" ");
    text.push('\n');
    if let Some(config) = &answer.config {
        let named = config
            .variable
            .as_ref()
            .map(|variable| format!(", or any file named by {variable}"))
            .unwrap_or_default();
        let _ = writeln!(text, "\n{}{named}:\n{}", config.file, config.text);
    }
    text
}
