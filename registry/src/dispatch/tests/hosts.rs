//! Rules with `url.host` hold for hosts that a call meets on its way.

use std::sync::{Arc, Mutex};

use tool_core::capability::{HttpRequest, HttpResponse, HttpService, HttpTransport};
use tool_core::{Capability, Permission, StopFlag, Syntax};

use super::*;
use fakes::UrlArgs;

tool!(Visit(UrlArgs) { id: "visit", permissions: &[Permission::Network], capabilities: &[Capability::Http], determinism: Determinism::External, syntax: &[("/url", Syntax::Url)] }
    = |args, ctx| ctx.http()?.send(&HttpRequest::get(args.url), ctx.stop()).map(|response| Value::from(response.url)));

static VISIT: &[ErasedTool] = &[tool_entry::<Visit>()];

/// Sends every request on to one host, if it may go there.
struct SendingOn(&'static str, Mutex<Vec<String>>);

impl HttpTransport for SendingOn {
    fn send(&self, request: &HttpRequest, _: &StopFlag) -> Result<HttpResponse, ToolError> {
        request.hosts.judge(self.0)?;
        self.1.lock().unwrap().push(request.url.clone());
        Ok(HttpResponse {
            status: 200,
            headers: Vec::new(),
            body: Vec::new(),
            truncated: false,
            url: format!("https://{}/", self.0),
            elapsed: std::time::Duration::ZERO,
        })
    }

    fn service(&self, _: &str) -> Option<HttpService> {
        None
    }
}

/// A visit of `https://a.example/` that is sent on, with one more rule.
fn visit(to: &'static str, rule: &str) -> CallOutcome {
    let config = format!(
        "version = 1\n[permissions.network]\nallowed_hosts = [\"a.example\", \"b.example\"]\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"group:web\"], {rule}\n"
    );
    let mut world = World::new(&[TWELVE, VISIT], &config);
    world.dispatcher.host.capabilities.http = Some(Arc::new(SendingOn(to, Mutex::default())));
    world.call("operator", "visit", r#"{"url":"https://a.example/"}"#)
}

#[test]
fn a_host_on_the_way_is_held_against_the_rules_of_the_call() {
    for (to, rule, refused) in [
        (
            "b.example",
            "url = { host = \"b.example\" } }\ndecision = \"deny\"",
            true,
        ),
        (
            "B.example.",
            "url = { host = \"*.example\" }, role = \"coder_escalation\" }\ndecision = \"deny\"",
            false,
        ),
        (
            "c.b.example",
            "url = { host = \"*.b.example\" } }\ndecision = \"deny\"",
            true,
        ),
        (
            "B.example.",
            "url = { host = \"b.example\" } }\ndecision = \"ask\"",
            true,
        ),
        (
            "b.example",
            "url = { host = \"c.example\" } }\ndecision = \"deny\"",
            false,
        ),
        (
            "b.example",
            "url = { host = \"b.example\" }, bytes = { min = 1000 } }\ndecision = \"deny\"",
            false,
        ),
        (
            "b.example",
            "url = { host = \"b.example\" }, bytes = { min = 3 } }\ndecision = \"deny\"",
            true,
        ),
        (
            "b.example",
            "url = { host = \"b.example\" } }\ndecision = \"allow\"",
            false,
        ),
    ] {
        let outcome = visit(to, rule);
        let Some(error) = outcome.err() else {
            assert!(!refused, "{to} {rule}");
            continue;
        };
        assert!(refused, "{to} {rule}: {error:?}");
        assert_eq!(
            (error.code(), error.reason_str()),
            (ErrorCode::PolicyDenied, Some("host"))
        );
        let message = error.message();
        assert!(
            message.contains("b.example` ") && message.contains("layer global, mathchain.toml:"),
            "{message}"
        );
        assert!(error.hint_str().is_some(), "{message}");
    }
}

#[test]
fn a_host_that_was_asked_about_is_not_asked_about_again() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"visit\"], url = { host = \"*.example\" } }\ndecision = \"ask\"\n";
    let mut world = World::new(&[TWELVE, VISIT], config);
    world.dispatcher.host.capabilities.http =
        Some(Arc::new(SendingOn("a.example", Mutex::default())));
    let mut request = request("operator", "visit", r#"{"url":"https://a.example/"}"#);
    request.context.answer = crate::ApprovalAnswer::Yes;
    assert!(world.dispatcher.call(request.clone()).is_success());
    world.dispatcher.host.capabilities.http =
        Some(Arc::new(SendingOn("b.example", Mutex::default())));
    let other = world.dispatcher.call(request);
    assert_eq!(
        code(&other),
        Some(ErrorCode::PolicyDenied),
        "nobody was asked about that one"
    );
}
