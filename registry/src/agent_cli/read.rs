//! Reads tables of agent command lines, field by field over the built-in ones.

use std::collections::BTreeMap;

use tool_core::Value;
use tool_core::nearest::nearest;

use super::environment;
use super::template::PLACEHOLDERS;
use crate::config::part::{Part, Table, set};
use crate::document::Document;
use crate::error::LoadError;
use crate::model::Confinement;
use crate::model::{
    Approval, Arity, CliSpec, ConfigTemplate, EnvPolicy, Off, PromptVia, Sandbox, Unenforced,
    Visibility,
};

/// The formats that agent command lines print; each has its name from the one that it comes from.
const STREAM_FORMATS: [&str; 5] = ["claude", "codex", "gemini", "copilot", "opencode"];

const KEYS: [&str; 24] = [
    "binary",
    "subcommand",
    "model",
    "model_args",
    "flags",
    "env_policy",
    "env_passlist",
    "prompt_via",
    "prompt_argv",
    "prompt_stdin",
    "stream_format",
    "output",
    "unenforced",
    "mcp_name",
    "mcp_rule",
    "tools",
    "kinds",
    "visibility",
    "approval",
    "sandbox",
    "turns",
    "config",
    "managed",
    "native",
];

/// The tables of a file.
pub(super) fn cli_file(
    document: &Document,
    over_built_in: bool,
    errors: &mut Vec<LoadError>,
) -> Vec<CliSpec> {
    let mut clis = Vec::new();
    let keys: &[&str] = if over_built_in {
        &["version", "clis"]
    } else {
        &["version", "environment", "clis"] // what `environment.rs` reads
    };
    if let Some(mut top) = Part::root(document, errors).table(keys) {
        top.version();
        top.each_named("clis", |name, part| {
            let known = if over_built_in {
                CliSpec::built_in()
            } else {
                &[]
            };
            clis.extend(table_over(known, name, part));
        });
    }
    clis
}

/// The table `[cli.NAME]` of a configuration: its fields over those of the built-in table of that name.
pub(crate) fn cli_table(name: String, part: Part<'_>) -> Option<CliSpec> {
    table_over(CliSpec::built_in(), name, part)
}

fn table_over(known: &[CliSpec], name: String, part: Part<'_>) -> Option<CliSpec> {
    let place = part.place();
    let base = known.iter().find(|cli| cli.name == name);
    let mut cli = base.cloned().unwrap_or_default();
    let mut table = part.into_table(&KEYS)?;
    cli.place = Some(place);
    set(&mut cli.binary, table.text("binary"));
    if cli.binary.is_empty() {
        let names = known.iter().map(|cli| cli.name.as_str());
        table.report(match nearest(&name, names) {
            Some(near) => {
                format!("a command line needs its `binary`; did you mean the built-in `{near}`?")
            }
            None => "a command line needs its `binary`".to_owned(),
        });
    }
    cli.name = name;
    set(&mut cli.subcommand, words(&mut table, "subcommand"));
    if let Some(model) = table.text("model") {
        cli.model = Some(model);
    }
    set(&mut cli.model_args, templates(&mut table, "model_args"));
    table.each_named("flags", |profile, mut part| {
        if !is_profile(&profile) {
            part.report(
                format!("`{profile}` is no name for a profile: letters, digits, `.`, `_` and `-`"),
                None,
            );
        }
        let tokens = part.texts();
        cli.flags.insert(profile, tokens);
    });
    cli.env_policy = match table.one_of("env_policy", &EnvPolicy::ALL.map(EnvPolicy::as_str)) {
        Some(name) => EnvPolicy::ALL
            .into_iter()
            .find(|policy| policy.as_str() == name)
            .unwrap_or_default(),
        None => cli.env_policy,
    };
    set(&mut cli.env_passlist, patterns(&mut table, "env_passlist"));
    cli.prompt_via = match table.one_of("prompt_via", &["argv", "stdin"]).as_deref() {
        Some("stdin") => PromptVia::Stdin,
        Some(_) => PromptVia::Argv,
        None => cli.prompt_via,
    };
    set(&mut cli.prompt_argv, templates(&mut table, "prompt_argv"));
    set(&mut cli.prompt_stdin, templates(&mut table, "prompt_stdin"));
    set(
        &mut cli.stream_format,
        table.one_of("stream_format", &STREAM_FORMATS),
    );
    set(&mut cli.output, templates(&mut table, "output"));
    cli.unenforced = match table.one_of("unenforced", &["error", "warn"]).as_deref() {
        Some("warn") => Unenforced::Warn,
        Some(_) => Unenforced::Error,
        None => cli.unenforced,
    };
    set(&mut cli.mcp_name, table.text("mcp_name"));
    if cli.mcp_name.is_empty() {
        cli.mcp_name = "mcp__{server}__{tool}".to_owned();
    }
    if let Some(rule) = table.text("mcp_rule") {
        cli.mcp_rule = Some(rule);
    }
    if let Some(native) = text_map(&mut table, "native") {
        cli.tools = native.keys().cloned().collect();
        cli.native = native;
    }
    set(&mut cli.tools, table.list("tools"));
    set(&mut cli.kinds, text_map(&mut table, "kinds"));
    table.within("visibility", |part| visibility(&mut cli.visibility, part));
    table.within("approval", |part| approval(&mut cli.approval, part));
    table.within("sandbox", |part| sandboxes(&mut cli.sandbox, part));
    set(&mut cli.turns, templates(&mut table, "turns"));
    if let Some(config) = table.within("config", config).flatten() {
        cli.config = Some(config);
    }
    if table.has("managed") {
        cli.managed = managed(&mut table);
    }
    Some(cli)
}

fn visibility(found: &mut Visibility, part: Part<'_>) {
    let Some(mut table) = part.into_table(&[
        "args",
        "without_servers",
        "server",
        "off",
        "by_kind",
        "other_tools_of_servers",
    ]) else {
        return;
    };
    set(&mut found.args, templates(&mut table, "args"));
    set(
        &mut found.without_servers,
        templates(&mut table, "without_servers"),
    );
    set(&mut found.server, templates(&mut table, "server"));
    set(&mut found.by_kind, table.truth("by_kind"));
    if let Some(why) = table.text("other_tools_of_servers") {
        found.other_tools_of_servers = Some(why);
    }
    table.each_named("off", |tool, part| {
        if let Some(mut table) = part.into_table(&["args", "harmless", "why"]) {
            let mut off = Off {
                args: templates(&mut table, "args").unwrap_or_default(),
                harmless: Vec::new(),
                why: table.text("why"),
            };
            table.each("harmless", |mut part| {
                let Some(text) = part.as_text() else { return };
                match Confinement::parse(&text) {
                    Some(permission) => off.harmless.push(permission),
                    None => part.report(
                        format!("no permission named `{text}`"),
                        nearest(&text, Confinement::ALL.map(Confinement::as_str)),
                    ),
                }
            });
            found.off.insert(tool, off);
        }
    });
}

fn approval(found: &mut Approval, part: Part<'_>) {
    let Some(mut table) = part.into_table(&[
        "allow",
        "deny",
        "some_ask",
        "none_ask",
        "mcp_allow",
        "mcp_ask",
        "never_asks",
        "servers_never_ask",
    ]) else {
        return;
    };
    if let Some(why) = table.text("servers_never_ask") {
        found.servers_never_ask = Some(why);
    }
    for (key, slot) in [
        ("allow", &mut found.allow),
        ("deny", &mut found.deny),
        ("some_ask", &mut found.some_ask),
        ("none_ask", &mut found.none_ask),
        ("mcp_allow", &mut found.mcp_allow),
        ("mcp_ask", &mut found.mcp_ask),
        ("never_asks", &mut found.never_asks),
    ] {
        set(slot, templates(&mut table, key));
    }
}

fn sandboxes(found: &mut BTreeMap<Confinement, Sandbox>, part: Part<'_>) {
    let Some(mut table) = part.into_table(&Confinement::ALL.map(Confinement::as_str)) else {
        return;
    };
    for permission in Confinement::ALL {
        let read = table.within(permission.as_str(), |part| {
            let mut table = part.into_table(&["args", "config", "unenforced"])?;
            Some(Sandbox {
                args: templates(&mut table, "args").unwrap_or_default(),
                config: table.within("config", tree),
                unenforced: text_map(&mut table, "unenforced").unwrap_or_default(),
            })
        });
        if let Some(Some(sandbox)) = read {
            found.insert(permission, sandbox);
        }
    }
}

fn config(part: Part<'_>) -> Option<ConfigTemplate> {
    let mut table = part.into_table(&["file", "variable", "value"])?;
    let file = table.text("file");
    table.need("file", "a configuration file needs its name, `file`");
    let variable = table.text("variable");
    let value = table.within("value", tree).unwrap_or_default();
    Some(ConfigTemplate {
        file: file?,
        variable,
        value,
    })
}

fn managed(table: &mut Table<'_>) -> BTreeMap<String, Arity> {
    let mut managed = BTreeMap::new();
    table.each_named("managed", |flag, mut part| {
        if !flag.starts_with('-') {
            part.report(format!("expected a flag, found `{flag}`"), None);
        }
        let arity = match part.word(&["none", "one", "greedy"]).as_deref() {
            Some("none") => Arity::None,
            Some("one") => Arity::One,
            Some("greedy") => Arity::Greedy,
            Some(other) => {
                let message =
                    format!("expected `none`, `one`, `greedy` or a list of keys, found `{other}`");
                let near = nearest(other, ["none", "one", "greedy"]);
                part.report(message, near);
                return;
            }
            None => Arity::Keys(part.texts()),
        };
        managed.insert(flag, arity);
    });
    managed
}

/// A list of patterns for names of the environment.
fn patterns(table: &mut Table<'_>, key: &str) -> Option<Vec<String>> {
    table.within(key, |mut part| {
        let mut list = Vec::new();
        part.items(|mut item| {
            let Some(text) = item.as_text() else { return };
            if let Err(what) = environment::pattern(&text, false) {
                item.report(format!("`{text}` is no pattern for names: {what}"), None);
            }
            list.push(text);
        });
        list
    })
}

fn words(table: &mut Table<'_>, key: &str) -> Option<Vec<String>> {
    table.within(key, |mut part| {
        let mut words = part.text_or_texts();
        words.retain(|word| !word.is_empty());
        words
    })
}

fn text_map(table: &mut Table<'_>, key: &str) -> Option<BTreeMap<String, String>> {
    table.has(key).then(|| {
        let mut map = BTreeMap::new();
        table.each_named(key, |name, mut part| {
            map.extend(part.as_text().map(|text| (name, text)));
        });
        map
    })
}

/// A list of templates, whose `{words}` all mean something.
fn templates(table: &mut Table<'_>, key: &str) -> Option<Vec<String>> {
    table.within(key, |mut part| {
        let mut list = Vec::new();
        part.items(|mut item| {
            let Some(text) = item.as_text() else { return };
            for word in unknown_words(&text) {
                let near = nearest(word, PLACEHOLDERS);
                item.report(format!("no placeholder `{{{word}}}`"), near);
            }
            list.push(text);
        });
        list
    })
}

/// A tree of templates.
fn tree(mut part: Part<'_>) -> Value {
    let value = part.anything();
    let mut unknown = Vec::new();
    collect_unknown(&value, &mut unknown);
    for word in unknown {
        let near = nearest(&word, PLACEHOLDERS);
        part.report(format!("no placeholder `{{{word}}}`"), near);
    }
    value
}

fn collect_unknown(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.extend(unknown_words(text).map(str::to_owned)),
        Value::Object(members) => {
            for (key, member) in members.iter() {
                found.extend(unknown_words(key).map(str::to_owned));
                collect_unknown(member, found);
            }
        }
        other => {
            for item in other.items().unwrap_or_default() {
                collect_unknown(&item, found);
            }
        }
    }
}

fn unknown_words(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|after| {
        let word = after.split_once('}')?.0;
        let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        (is_word && !PLACEHOLDERS.contains(&word)).then_some(word)
    })
}

/// `[A-Za-z0-9][A-Za-z0-9._-]*`
pub(super) fn is_profile(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}
