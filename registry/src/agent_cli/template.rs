//! Templates and their placeholders.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tool_core::{Object, Value};

use crate::model::CliSpec;
use crate::model::Verdict;

/// The placeholders.
pub(super) const PLACEHOLDERS: [&str; 14] = [
    "native", "visible", "allow", "ask", "deny", "servers", "turns", "model", "prompt", "server",
    "tool", "tools", "rule", "verdict",
];

/// A tool under its name in the CLI.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// Name that shows it.
    pub name: String,
    /// Name in rules.
    pub rule: String,
    /// Server and tool, for a tool of a server.
    pub of_server: Option<(String, String)>,
    pub verdict: Verdict,
}

impl Known {
    pub(super) fn shown(&self) -> bool {
        self.verdict != Verdict::Deny
    }
}

/// The values of the placeholders.
pub(super) struct Lists<'a> {
    native: Vec<&'a str>,
    visible: Vec<&'a str>,
    pub allow: Vec<&'a str>,
    ask: Vec<&'a str>,
    pub deny: Vec<&'a str>,
    /// Each rule once, with the strictest verdict of the visible tools it is about.
    pub rules: Vec<(&'a str, Verdict)>,
    of_servers: Vec<(&'a str, &'a str)>,
    turns: u64,
    pub joined: BTreeMap<&'static str, String>,
}

impl<'a> Lists<'a> {
    pub(super) fn new(cli: &CliSpec, known: &'a [Known], turns: u64) -> Self {
        let mut rules: Vec<(&str, Verdict)> = Vec::new();
        for own in known.iter().filter(|own| own.shown()) {
            match rules.iter_mut().find(|(name, _)| *name == own.rule) {
                Some((_, verdict)) => *verdict = (*verdict).max(own.verdict),
                None => rules.push((&own.rule, own.verdict)),
            }
        }
        let mut denied: BTreeSet<&str> = BTreeSet::new();
        for own in known.iter().filter(|own| !own.shown()) {
            if rules.iter().all(|(name, _)| *name != own.rule) && denied.insert(&own.rule) {
                rules.push((&own.rule, Verdict::Deny));
            }
        }
        let with = |verdict: Verdict| -> Vec<&str> {
            let fits = rules.iter().filter(|(_, found)| *found == verdict);
            fits.map(|(name, _)| *name).collect()
        };
        let shown = || known.iter().filter(|own| own.shown());
        let of_servers: Vec<(&str, &str)> = shown()
            .filter_map(|own| own.of_server.as_ref())
            .map(|(server, tool)| (server.as_str(), tool.as_str()))
            .collect();
        let mut lists = Self {
            native: shown()
                .filter(|own| own.of_server.is_none())
                .map(|own| own.name.as_str())
                .collect(),
            visible: shown().map(|own| own.name.as_str()).collect(),
            allow: with(Verdict::Allow),
            ask: with(Verdict::Ask),
            deny: with(Verdict::Deny),
            rules,
            of_servers,
            turns,
            joined: BTreeMap::new(),
        };
        for word in ["native", "visible", "allow", "ask", "deny", "servers"] {
            let joined = lists.list(word).unwrap_or_default().join(",");
            lists.joined.insert(word, joined);
        }
        lists.joined.insert("turns", turns.to_string());
        lists
            .joined
            .insert("model", cli.model.clone().unwrap_or_default());
        lists
    }

    fn list(&self, word: &str) -> Option<Vec<&'a str>> {
        Some(match word {
            "native" => self.native.clone(),
            "visible" => self.visible.clone(),
            "allow" => self.allow.clone(),
            "ask" => self.ask.clone(),
            "deny" => self.deny.clone(),
            "servers" => self.servers().into_keys().collect(),
            _ => return None,
        })
    }

    /// The servers of visible tools, with those tools.
    pub(super) fn servers(&self) -> BTreeMap<&'a str, Vec<&'a str>> {
        let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (server, tool) in &self.of_servers {
            servers.entry(server).or_default().push(tool);
        }
        servers
    }
}

/// Substitutes placeholders; substituted text is not expanded again.
pub(super) fn expand<'a>(template: &str, value: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (before, after) = rest.split_at(open);
        text.push_str(before);
        let word = after[1..].split_once('}').map(|(word, _)| word);
        match word.and_then(|word| Some((word, value(word)?))) {
            Some((word, found)) => {
                text.push_str(found);
                rest = &after[word.len() + 2..];
            }
            None => {
                text.push('{');
                rest = &after[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// Fills the template of a configuration file; a member without a value is left out.
pub(super) fn fill(template: &Value, lists: &Lists<'_>, verdict: Option<Verdict>) -> Option<Value> {
    match template {
        Value::String(text) => {
            let word = text
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            match word {
                Some("turns") => {
                    let turns = i64::try_from(lists.turns).unwrap_or(i64::MAX);
                    (turns > 0).then(|| Value::from(turns))
                }
                Some("verdict") => verdict.map(|verdict| Value::from(verdict.as_str())),
                Some(word) => match lists.list(word) {
                    Some(list) => Some(Value::array(list.into_iter().map(Value::from).collect())),
                    None => Some(template.clone()),
                },
                None => Some(template.clone()),
            }
        }
        Value::Object(members) => {
            let mut filled = Object::new();
            for (key, member) in members.iter() {
                if key == "{rule}" {
                    for (rule, verdict) in &lists.rules {
                        if let Some(value) = fill(member, lists, Some(*verdict)) {
                            filled.insert(*rule, value);
                        }
                    }
                } else if let Some(value) = fill(member, lists, verdict) {
                    filled.insert(key, value);
                }
            }
            Some(Value::Object(Arc::new(filled)))
        }
        other => Some(match other.items() {
            Some(items) => Value::array(
                items
                    .iter()
                    .filter_map(|item| fill(item, lists, verdict))
                    .collect(),
            ),
            None => other.clone(),
        }),
    }
}

/// Merges one tree over another: members of objects are joined, other values replaced.
pub(super) fn lay(base: &Value, over: &Value) -> Value {
    let (Value::Object(under), Value::Object(members)) = (base, over) else {
        return over.clone();
    };
    let mut joined = under.as_ref().clone();
    for (key, member) in members.iter() {
        let value = match under.get(key) {
            Some(below) => lay(below, member),
            None => member.clone(),
        };
        joined.insert(key, value);
    }
    Value::Object(Arc::new(joined))
}

/// Whether a placeholder occurs in a template.
pub(super) fn mentions(template: &Value, word: &str) -> bool {
    match template {
        Value::String(text) => text.contains(word),
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| key == word || mentions(member, word)),
        other => other
            .items()
            .is_some_and(|items| items.iter().any(|item| mentions(item, word))),
    }
}
