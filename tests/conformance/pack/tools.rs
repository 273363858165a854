//! Tools that answer by themselves.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tool_core::{AnyTool, Ctx, ToolError, Value};
use tool_core::{object, tool_error};

use super::TOOLKIT;
use super::fixture::{Fixture, PIXEL, SAMPLE, said};

/// Longer than the server waits between two reports of progress.
const PAUSE: Duration = Duration::from_millis(250);

pub(crate) static ALL: &[Fixture] = &[
    Fixture::new("test_simple_text", "Returns a text", |_, _| {
        Ok(said("This is a simple text response for testing."))
    }),
    Fixture::new("test_image_content", "Returns a picture", |_, _| {
        Ok(object! { "image" => picture() })
    }),
    Fixture::new("test_audio_content", "Returns a sound", |_, _| {
        Ok(object! { "audio" => object! { "$media" => "audio/wav", "base64" => SAMPLE } })
    }),
    Fixture::new("test_embedded_resource", "Returns a document", |_, _| {
        Ok(object! { "document" => object! {
            "$resource" => "test://embedded-resource", "mime_type" => "text/plain", "text" => "This is an embedded resource content.",
        } })
    }),
    Fixture::new(
        "test_multiple_content_types",
        "Returns a text, a picture and a document",
        |_, _| {
            Ok(object! {
                "text" => "Multiple content types test:",
                "image" => picture(),
                "document" => object! {
                    "$resource" => "test://mixed-content-resource", "mime_type" => "application/json",
                    "text" => r#"{"test":"data","value":123}"#,
                },
            })
        },
    ),
    Fixture::new("test_error_handling", "Fails", |_, _| {
        Err(tool_error!(
            ToolError,
            "This tool intentionally returns an error for testing"
        ))
    }),
    Fixture::new(
        "test_tool_with_progress",
        "Reports progress three times",
        |_, ctx| {
            for (fraction, words) in [(0.0, "begun"), (0.5, "half done"), (1.0, "done")] {
                ctx.progress(fraction, || words.to_owned());
                std::thread::sleep(PAUSE);
            }
            Ok(said("Three reports of progress were made."))
        },
    ),
    Fixture::new(
        "test_tool_with_logging",
        "Writes three log messages",
        log_thrice,
    ),
    Fixture::new("test_logging_tool", "Writes three log messages", log_thrice),
    Fixture::new("test_trigger_tool_change", "Adds a tool", |_, _| {
        static ADDED: AtomicUsize = AtomicUsize::new(0);
        let toolkit = TOOLKIT.get().and_then(Weak::upgrade);
        let toolkit = toolkit.ok_or_else(|| tool_error!(Internal, "no server is open"))?;
        let id = format!("test_added_{}", ADDED.fetch_add(1, Ordering::Relaxed));
        let added = Fixture::new(id.leak(), "Was added", |_, _| Ok(said("added")));
        let added: &'static Fixture = Box::leak(Box::new(added));
        toolkit.add_tools(&[Arc::new(added) as Arc<dyn AnyTool>])?;
        Ok(said(format!("`{}` was added.", added.id())))
    }),
];

fn picture() -> Value {
    object! { "$media" => "image/png", "base64" => PIXEL }
}

fn log_thrice(_: &Value, ctx: &Ctx) -> Result<Value, ToolError> {
    let client = ctx.client()?;
    for text in [
        "Tool execution started",
        "Tool processing data",
        "Tool execution completed",
    ] {
        client.log("info", text);
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(said("Three messages were logged."))
}
