//! Tools of the extension for tasks. This server makes a task of a call that takes more than two seconds, so these take longer; nothing here
//! makes one otherwise.

use std::time::{Duration, Instant};

use tool_core::capability::ClientQuestion;
use tool_core::{Ctx, ToolError, tool_error};

use super::fixture::{Fixture, json, said};

/// Longer than a call takes that is no task.
const LONG: Duration = Duration::from_millis(2300);
const CONFIRM: &str = r#"{"type": "object", "properties": {"confirm": {"type": "boolean"}}, "required": ["confirm"]}"#;
const NAME: &str =
    r#"{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}"#;

pub(crate) static ALL: &[Fixture] = &[
    Fixture::new("greet", "Greets", |args, _| {
        let name = args.text("name").unwrap_or_default();
        Ok(said(format!("Hello, {name}!")))
    })
    .with(r#"{"name": {"type": "string", "description": "Who is greeted"}}"#),
    Fixture::new("slow_compute", "Takes a time", |args, ctx| {
        let seconds = args.get("seconds").and_then(|seconds| seconds.as_f64());
        let seconds = seconds.unwrap_or_default().clamp(0.0, 60.0);
        if seconds > 0.0 {
            wait(ctx, LONG.max(Duration::from_secs_f64(seconds)))?;
        }
        Ok(said("computed"))
    })
    .with(r#"{"seconds": {"type": "number", "description": "The time"}, "label": {"type": "string", "description": "A name"}}"#),
    Fixture::new("failing_job", "Fails after a time", |_, ctx| {
        wait(ctx, LONG)?;
        Err(tool_error!(ToolError, "the job failed"))
    }),
    Fixture::new("confirm_delete", "Asks the user after a time", |_, ctx| {
        wait(ctx, LONG)?;
        let form = ClientQuestion::form("Delete the file?", json(CONFIRM));
        let answer = ctx.client()?.ask("confirm", &form, ctx.stop())?;
        Ok(said(format!("answered: {answer}")))
    })
    .with(r#"{"filename": {"type": "string", "description": "Name of the file"}}"#),
    Fixture::new("multi_input", "Asks the user two questions after a time", |_, ctx| {
        wait(ctx, LONG)?;
        let ask = |key: &str, message: &str, schema: &str| {
            ctx.client()?.ask(key, &ClientQuestion::form(message, json(schema)), ctx.stop())
        };
        let name = ask("name", "What is your name?", NAME);
        let sure = ask("confirm", "Are you sure?", CONFIRM);
        Ok(said(format!("answered: {} {}", name?, sure?)))
    }),
    Fixture::new("test_tool_with_task", "Asks the user, then takes a time", |_, ctx| {
        let form = ClientQuestion::form("What is your name?", json(NAME));
        let answer = ctx.client()?.ask("user_name", &form, ctx.stop())?;
        wait(ctx, LONG)?;
        Ok(said(format!("answered: {answer}")))
    }),
];

fn wait(ctx: &Ctx, time: Duration) -> Result<(), ToolError> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        ctx.check()?;
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}
