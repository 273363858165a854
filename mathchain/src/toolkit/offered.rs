//! Calls of tools as models are offered them: by wire name, and through the tools that find, describe and call others.

use registry::offer::{self, Dialect, Finder};
use tool_core::{CallOutcome, Object, OutcomeStatus, Result, ToolError, Value, tool_error};

use super::{CallContext, Toolkit};

/// A call that a model asks for.
pub struct ModelCall {
    /// Name of a tool or of a finder, as it was sent.
    pub tool: String,
    pub args: Value,
}

impl ModelCall {
    /// A call through `call_tool` is one of the tool that it names.
    ///
    /// # Errors
    /// `invalid_args` for a `call_tool` without a name.
    pub fn of(name: &str, args: Value) -> Result<Self> {
        if Finder::parse(name) != Some(Finder::Call) {
            let tool = name.to_owned();
            return Ok(Self { tool, args });
        }
        require_known_arguments(Finder::Call, &args)?;
        let tool = text_argument(&args, "name")?;
        let args = match args.get("arguments") {
            None | Some(Value::Null) => Object::new().into(),
            Some(args) => args.clone(),
        };
        Ok(Self { tool, args })
    }
}

impl Toolkit {
    /// Calls a tool of any catalogue, the tools that find, describe and call others included.
    pub fn call_offered(&self, context: &CallContext, name: &str, args: &Value) -> CallOutcome {
        let wanted = match ModelCall::of(name, args.clone()) {
            Ok(wanted) => wanted,
            Err(error) => return CallOutcome::error(error),
        };
        match Finder::parse(&wanted.tool) {
            Some(finder) => self.find(context, finder, &wanted.args),
            None => self.call_with(context, &wanted.tool, &wanted.args),
        }
    }

    /// Answers `search_tools` and `describe_tool`. They read what a listing shows, so that they are no calls of the audit.
    pub fn find(&self, context: &CallContext, finder: Finder, args: &Value) -> CallOutcome {
        match self.found(context, finder, args) {
            Ok(found) => CallOutcome {
                status: OutcomeStatus::Success(found),
                effects: Vec::new(),
                warnings: Vec::new(),
                metadata: Object::new(),
            },
            Err(error) => CallOutcome::error(error),
        }
    }

    fn found(&self, context: &CallContext, finder: Finder, args: &Value) -> Result<Value> {
        require_known_arguments(finder, args)?;
        let dispatcher = self.dispatcher();
        let caller = self.caller(context);
        match finder {
            Finder::Search => {
                let query = args.get("query").and_then(Value::as_str);
                offer::search_catalogue(&dispatcher, &caller, query.unwrap_or_default())
            }
            Finder::Describe => {
                let name = text_argument(args, "name")?;
                match Finder::parse(&name) {
                    Some(finder) => {
                        crate::parse_json(&Dialect::Mcp.tool(&finder.offered()).to_string())
                    }
                    None => offer::describe_named_tool(&dispatcher, &caller, &name),
                }
            }
            Finder::Call => Err(
                tool_error!(InvalidArgs at "/name"; "`call_tool` does not call itself"; "name another tool"),
            ),
        }
    }
}

/// Refuses arguments that a finder does not take.
fn require_known_arguments(finder: Finder, args: &Value) -> Result<()> {
    let known = finder.arguments();
    let members = args.as_object().into_iter().flat_map(Object::iter);
    let mut names = members.map(|(name, _)| name);
    let Some(unknown) = names.find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let error = ToolError::invalid(
        format!("/{unknown}"),
        format_args!("unknown argument `{unknown}`"),
    );
    let near = tool_core::nearest::nearest_name(unknown, known.iter().copied());
    Err(match near {
        Some(near) => error.hint(format_args!("did you mean `{near}`?")),
        None => error.hint(format_args!("`{finder}` takes `{}`", known.join("`, `"))),
    })
}

/// A text among arguments.
fn text_argument(args: &Value, name: &str) -> Result<String> {
    let given = args.get(name).and_then(Value::as_str).map(str::to_owned);
    given.ok_or_else(|| {
        let found = args
            .get(name)
            .map_or_else(|| "nothing".to_owned(), Value::kind);
        ToolError::invalid(
            format!("/{name}"),
            format_args!("expected the name of a tool, found {found}"),
        )
        .hint("`search_tools` finds tools")
    })
}
