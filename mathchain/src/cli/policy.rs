//! `mathchain policy explain`.

use std::fmt::Write as _;
use std::process::ExitCode;

use registry::policy::Explanation;
use tool_core::{Object, ToolError, Value};

use super::args::{Global, Policy};
use super::{exit, flags, print_data, session};
use crate::Context;

/// Says what would happen to a call, who decides and why.
pub(super) fn policy(global: &Global, policy: &Policy) -> Result<ExitCode, ToolError> {
    let Policy::Explain { tool, role, args } = policy;
    let toolkit = session::open(global)?;
    let context = Context {
        role: role.clone(),
        ..Context::default()
    };
    let schema = toolkit
        .dispatcher()
        .catalogue()
        .get(tool)
        .map(|found| found.input_schema())
        .unwrap_or_default();
    let mut object = Object::new();
    for pair in args {
        let (name, text) = flags::split(pair)?;
        let value = flags::value_of(&schema["properties"][&name], &text);
        object.insert(name, value);
    }
    let given = (!object.is_empty()).then(|| Value::Object(object.into()));
    let explanation = toolkit.explain(&context, tool, given.as_ref())?;
    print_data(global, &explanation.to_value(), || readable(&explanation));
    Ok(exit::OK.into())
}

fn readable(explanation: &Explanation) -> String {
    let decision = &explanation.decision;
    let certain = if decision.certain {
        ""
    } else {
        " at the most (arguments may say less)"
    };
    let mut text = format!(
        "{} as `{}`: {}{certain}\n  by {}: {}\n",
        explanation.tool,
        explanation.role,
        decision.verdict.as_str(),
        decision.layer,
        decision.reason
    );
    if let Some(remedy) = &explanation.remedy {
        let _ = writeln!(text, "  to change it: {remedy}");
    }
    text.push_str("layers\n");
    for step in &explanation.layers {
        let place = step
            .place
            .as_ref()
            .map(|place| format!("  ({place})"))
            .unwrap_or_default();
        let _ = writeln!(text, "  {}: {}{place}", step.layer, step.effect);
    }
    if !explanation.rules.is_empty() {
        text.push_str("rules\n");
    }
    for step in &explanation.rules {
        let counts = if step.counts { "" } else { ", does not count" };
        let _ = writeln!(
            text,
            "  {} {}: {} ({}{counts})",
            step.layer,
            step.rule,
            step.decision.as_str(),
            step.fit
        );
    }
    text
}
