//! `mathchain events`: the events of workflows, as lines, and the next ones as they come.

use std::io::Write as _;
use std::time::Duration;

use registry::policy::fits_name;
use tool_core::json::JsonLimits;

use super::prelude::*;

/// How often the log is read again while it is followed.
const PAUSE: Duration = Duration::from_millis(200);

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain events --type 'task.*'
  mathchain events --follow --json
docs/workflows.md lists the types.")]
pub(super) struct EventsCommand {
    /// Print the next events as they come, until Ctrl-C
    #[arg(long, short)]
    pub follow: bool,
    /// Begin after the event with this number
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub after: u64,
    /// Only types that fit a pattern, such as `task.*`; repeatable
    #[arg(long = "type", value_name = "PATTERN")]
    pub types: Vec<String>,
}

/// Prints the events of this workspace.
pub(super) fn print_events(global: &GlobalArgs, wanted: &EventsCommand) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let log = super::workflow::workflow_log(&toolkit)?;
    let mut number = wanted.after;
    loop {
        for body in log.after(number)? {
            number += 1;
            if let Some(line) = render_event(global, wanted, &body)? {
                match global.format() {
                    OutputFormat::Json => write_stdout(&line),
                    _ => print_text(&line),
                }
            }
        }
        if !wanted.follow {
            return Ok(exit::OK.into());
        }
        if standard_output().flush().is_err() || output::is_incomplete() {
            return Ok(exit::OK.into()); // the reader has ended
        }
        std::thread::sleep(PAUSE);
    }
}

fn render_event(global: &GlobalArgs, wanted: &EventsCommand, body: &str) -> Result<Option<String>> {
    let event = json::parse_json(body, JsonLimits::default())?;
    let text = |key: &str| event.text(key).unwrap_or_default();
    let kind = text("type");
    if !wanted.types.is_empty() && !wanted.types.iter().any(|pattern| fits_name(pattern, kind)) {
        return Ok(None);
    }
    if matches!(global.format(), OutputFormat::Json) {
        return Ok(Some(format!("{body}\n")));
    }
    let actor = event.get("actor");
    let of_actor = |key: &str| actor.and_then(|actor| actor.text(key)).unwrap_or_default();
    let by = format!(
        "{} ({}, {})",
        of_actor("principal"),
        of_actor("kind"),
        of_actor("role")
    );
    let seq = event.get("seq").and_then(Value::as_i64).unwrap_or_default();
    let time = event
        .get("time")
        .and_then(Value::as_i64)
        .unwrap_or_default();
    let time = human::format_local_time(u64::try_from(time).unwrap_or_default());
    let mut line = format!("{seq:>6}  {time}  {kind:<24}  {by}");
    let data = event.get("data");
    for key in ["request", "chain", "task", "workflow", "feedback", "agent"] {
        if let Some(id) = data.and_then(|data| data.text(key)) {
            let _ = write!(line, "  {id}");
        }
    }
    if let (Some(from), Some(to)) = (
        data.and_then(|data| data.text("from")),
        data.and_then(|data| data.text("to")),
    ) {
        let _ = write!(line, "  {from} -> {to}");
    }
    if let Some(stage) = data
        .and_then(|data| data.get("stage"))
        .and_then(Value::as_i64)
    {
        let _ = write!(line, "  stage {}", stage + 1);
    }
    if let Some(option) = data.and_then(|data| data.text("option")) {
        let _ = write!(line, "  `{option}`");
    }
    if let Some(reason) = event.text("reason") {
        let _ = write!(line, "  ({reason})");
    }
    // One event, one line.
    Ok(Some(line.replace(char::is_control, " ") + "\n"))
}
