//! Layers as TOML, in the schema of the configuration.

use std::fmt::Write as _;

use tool_core::Value;

use crate::model::{Layer, Obligation, Range, Rule, Selector};

/// Writes layers so that reading the text gives them back.
pub fn to_toml(layers: &[Layer]) -> String {
    let mut text = String::from("version = 1\n");
    for layer in layers {
        let _ = write!(
            text,
            "\n[[policies]]\nlevel = {}\n",
            quoted(layer.level.as_str())
        );
        if !layer.name.is_empty() {
            let _ = writeln!(text, "name = {}", quoted(&layer.name));
        }
        if let Some(allow) = &layer.allow {
            let _ = writeln!(text, "allow = {}", selectors(allow));
        }
        if !layer.deny.is_empty() {
            let _ = writeln!(text, "deny = {}", selectors(&layer.deny));
        }
        for rule in &layer.rules {
            text.push('\n');
            write_rule(&mut text, rule);
        }
    }
    text
}

fn write_rule(text: &mut String, rule: &Rule) {
    let matches = &rule.matches;
    let mut parts = vec![format!("tools = {}", selectors(&matches.tools))];
    if let Some(role) = &matches.role {
        parts.push(format!("role = {}", quoted(role)));
    }
    let paths = [("under", &matches.path_under), ("glob", &matches.path_glob)];
    let paths: Vec<String> = paths
        .into_iter()
        .filter_map(|(inner, texts)| {
            let texts = texts.as_ref()?.iter().map(String::as_str);
            Some(format!("{inner} = {}", list(texts)))
        })
        .collect();
    if !paths.is_empty() {
        parts.push(format!("path = {{ {} }}", paths.join(", ")));
    }
    for (key, inner, texts) in [
        ("argv", "prefix", &matches.argv_prefix),
        ("url", "host", &matches.url_host),
    ] {
        if let Some(texts) = texts {
            let list = list(texts.iter().map(String::as_str));
            parts.push(format!("{key} = {{ {inner} = {list} }}"));
        }
    }
    for (key, found) in [("number", &matches.number), ("bytes", &matches.bytes)] {
        if let Some(found) = found {
            parts.push(format!("{key} = {}", range(found)));
        }
    }
    if let Some(destructive) = matches.destructive {
        parts.push(format!("destructive = {destructive}"));
    }
    if let Some(effects) = &matches.effects {
        let names = effects.iter().map(|effect| effect.as_str());
        parts.push(format!("effects = {}", list(names)));
    }
    if let Some(args) = &matches.args {
        let args = args.iter().map(|(name, value)| {
            let value = match value.as_str() {
                Some(text) => quoted(text),
                None => tool_core::json::to_text(value),
            };
            format!("{} = {value}", quoted(name))
        });
        parts.push(format!(
            "args = {{ {} }}",
            args.collect::<Vec<_>>().join(", ")
        ));
    }
    if let Some(call) = &matches.call {
        parts.push(format!("call = {}", quoted(call)));
    }
    let _ = writeln!(text, "[[policies.rules]]");
    let _ = writeln!(text, "match = {{ {} }}", parts.join(", "));
    let _ = writeln!(text, "decision = {}", quoted(rule.decision.as_str()));
    if rule.priority != 0 {
        let _ = writeln!(text, "priority = {}", rule.priority);
    }
    if !rule.obligations.is_empty() {
        let words: Vec<String> = rule.obligations.iter().map(obligation).collect();
        let _ = writeln!(text, "obligations = [{}]", words.join(", "));
    }
    if let Some(reason) = &rule.reason {
        let _ = writeln!(text, "reason = {}", quoted(reason));
    }
}

fn obligation(obligation: &Obligation) -> String {
    match obligation {
        Obligation::Backup => quoted("backup"),
        Obligation::Notify => quoted("notify"),
        Obligation::Redact => quoted("redact"),
        Obligation::MaxBytes(bytes) => format!("{{ max_bytes = {bytes} }}"),
        Obligation::TimeoutMs(ms) => format!("{{ timeout_ms = {ms} }}"),
    }
}

fn range(range: &Range) -> String {
    let mut parts = Vec::new();
    if let Some(argument) = &range.argument {
        parts.push(format!("argument = {}", quoted(argument)));
    }
    for (key, bound) in [("min", range.min), ("max", range.max)] {
        if let Some(bound) = bound {
            parts.push(format!("{key} = {bound:?}"));
        }
    }
    format!("{{ {} }}", parts.join(", "))
}

fn selectors(selectors: &[Selector]) -> String {
    list(selectors.iter().map(|selector| selector.text.as_str()))
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = texts.map(quoted).collect();
    format!("[{}]", words.join(", "))
}

/// A basic string of TOML, which a string of JSON is but for one character.
fn quoted(text: &str) -> String {
    tool_core::json::to_text(&Value::from(text)).replace('\u{7f}', "\\u007f")
}
