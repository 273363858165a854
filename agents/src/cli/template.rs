//! Templates and their placeholders.

use std::collections::BTreeMap;
use std::sync::Arc;

use registry::model::{CliSpec, Verdict};
use tool_core::{Object, Value};

/// A tool under its name in the CLI.
#[derive(Debug, Clone)]
pub(super) struct CliToolVerdict {
    /// Name that shows it.
    pub name: String,
    /// Name in rules.
    pub rule: String,
    /// Server and tool, for a tool of a server.
    pub of_server: Option<(String, String)>,
    pub verdict: Verdict,
}

impl CliToolVerdict {
    pub(super) fn shown(&self) -> bool {
        self.verdict != Verdict::Deny
    }
}

/// The values of the placeholders.
pub(super) struct PlaceholderLists<'a> {
    /// The lists, by placeholder.
    lists: BTreeMap<&'static str, Vec<&'a str>>,
    /// Each rule once, with the strictest verdict of the visible tools it is about.
    pub rules: Vec<(&'a str, Verdict)>,
    /// The servers of visible tools, with those tools.
    pub servers: BTreeMap<&'a str, Vec<&'a str>>,
    turns: u64,
    /// Program of mathchain's own server.
    command: &'a str,
    joined: BTreeMap<&'static str, String>,
}

impl<'a> PlaceholderLists<'a> {
    pub(super) fn new(cli: &CliSpec, known: &'a [CliToolVerdict], turns: u64) -> Self {
        let shown = || known.iter().filter(|own| own.shown());
        let mut rules: Vec<(&str, Verdict)> = Vec::new();
        for own in shown() {
            match rules.iter_mut().find(|(name, _)| *name == own.rule) {
                Some((_, verdict)) => *verdict = (*verdict).max(own.verdict),
                None => rules.push((&own.rule, own.verdict)),
            }
        }
        for own in known.iter().filter(|own| !own.shown()) {
            if rules.iter().all(|(name, _)| *name != own.rule) {
                rules.push((&own.rule, Verdict::Deny));
            }
        }
        let with = |verdict: Verdict| -> Vec<&str> {
            let fits = rules.iter().filter(|(_, found)| *found == verdict);
            fits.map(|(name, _)| *name).collect()
        };
        let mut servers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (server, tool) in shown().filter_map(|own| own.of_server.as_ref()) {
            servers.entry(server).or_default().push(tool);
        }
        let names = |own: &'a CliToolVerdict| own.name.as_str();
        let native = shown().filter(|own| own.of_server.is_none());
        let lists = BTreeMap::from([
            ("native", native.map(names).collect()),
            ("visible", shown().map(names).collect()),
            ("allow", with(Verdict::Allow)),
            ("ask", with(Verdict::Ask)),
            ("deny", with(Verdict::Deny)),
            ("servers", servers.keys().copied().collect()),
        ]);
        let mut joined: BTreeMap<&str, String> = lists
            .iter()
            .map(|(word, list)| (*word, list.join(",")))
            .collect();
        joined.insert("turns", turns.to_string());
        joined.insert("model", cli.model.clone().unwrap_or_default());
        Self {
            lists,
            rules,
            servers,
            turns,
            command: "",
            joined,
        }
    }

    /// The same lists, with those of mathchain's own server, which starts with these words.
    pub(super) fn with_server(&self, server: &'a [String], own_tools: &[&'a str]) -> Self {
        let words = || server.iter().map(String::as_str);
        let command = words().next().unwrap_or_default();
        let mut lists = self.lists.clone();
        lists.insert("argv", words().collect());
        lists.insert("args", words().skip(1).collect());
        lists.insert("own_tools", own_tools.to_vec());
        let mut joined = self.joined.clone();
        for word in ["argv", "args", "own_tools"] {
            let list = Value::from(lists.get(word).cloned().unwrap_or_default());
            joined.insert(word, tool_core::json::to_text(&list));
        }
        joined.insert("command", tool_core::json::to_text(&Value::from(command)));
        Self {
            lists,
            rules: self.rules.clone(),
            servers: self.servers.clone(),
            turns: self.turns,
            command,
            joined,
        }
    }

    /// Sets a text for arguments.
    pub(super) fn set(&mut self, word: &'static str, text: String) {
        self.joined.insert(word, text);
    }

    /// The names with a verdict in rules, `allow` or `deny`.
    pub(super) fn list(&self, word: &str) -> &[&'a str] {
        self.lists.get(word).map_or(&[], Vec::as_slice)
    }

    /// A template with its lists substituted.
    pub(super) fn expand(&self, template: &str) -> String {
        expand_placeholders(template, &|word| self.joined.get(word).map(String::as_str))
    }
}

/// Substitutes placeholders; substituted text is not expanded again.
pub(super) fn expand_placeholders<'a>(
    template: &str,
    value: &dyn Fn(&str) -> Option<&'a str>,
) -> String {
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
pub(super) fn fill_config_template(
    template: &Value,
    lists: &PlaceholderLists<'_>,
    verdict: Option<Verdict>,
) -> Option<Value> {
    match template {
        Value::String(text) => {
            let word = text
                .strip_prefix('{')
                .and_then(|rest| rest.strip_suffix('}'));
            match (word, word.and_then(|word| lists.lists.get(word))) {
                (Some("turns"), _) => {
                    let turns = i64::try_from(lists.turns).unwrap_or(i64::MAX);
                    (turns > 0).then(|| Value::from(turns))
                }
                (Some("command"), _) => Some(Value::from(lists.command)),
                (Some("verdict"), _) => verdict.map(|verdict| Value::from(verdict.as_str())),
                (_, Some(list)) => Some(Value::from(list.clone())),
                (_, None) => Some(template.clone()),
            }
        }
        Value::Object(members) => {
            let mut filled = Object::new();
            for (key, member) in members.iter() {
                if key == "{rule}" {
                    for (rule, verdict) in &lists.rules {
                        if let Some(value) = fill_config_template(member, lists, Some(*verdict)) {
                            filled.insert(*rule, value);
                        }
                    }
                } else if let Some(value) = fill_config_template(member, lists, verdict) {
                    filled.insert(key, value);
                }
            }
            Some(Value::Object(Arc::new(filled)))
        }
        other => match other.items() {
            Some(items) => {
                let filled = items
                    .iter()
                    .filter_map(|item| fill_config_template(item, lists, verdict));
                Some(Value::array(filled.collect()))
            }
            None => Some(other.clone()),
        },
    }
}

/// Merges one tree over another: members of objects are joined, other values replaced.
pub(super) fn merge_trees(base: &Value, over: &Value) -> Value {
    let (Value::Object(under), Value::Object(members)) = (base, over) else {
        return over.clone();
    };
    let mut joined = under.as_ref().clone();
    for (key, member) in members.iter() {
        let value = match under.get(key) {
            Some(below) => merge_trees(below, member),
            None => member.clone(),
        };
        joined.insert(key, value);
    }
    Value::Object(Arc::new(joined))
}

/// Whether a placeholder occurs in a template.
pub(super) fn has_placeholder(template: &Value, word: &str) -> bool {
    let mentions = |part: &Value| has_placeholder(part, word);
    match template {
        Value::String(text) => text.contains(word),
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| key == word || mentions(member)),
        other => other
            .items()
            .is_some_and(|items| items.iter().any(mentions)),
    }
}
