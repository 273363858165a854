//! The environment of an agent CLI: variables by policy and patterns, and those that a table sets. Values of
//! others are never read.

use std::collections::{BTreeMap, BTreeSet};

use registry::agent_cli::{NamePatterns, variable_patterns};
use registry::model::{CliSpec, EnvPolicy};
use tool_core::{Value, object};

/// The variables of an environment, passed and removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentEnvironment {
    /// The policy.
    pub policy: EnvPolicy,
    /// Variables that are passed, sorted.
    pub passed: Vec<String>,
    /// Variables that are removed, sorted.
    pub removed: Vec<String>,
    /// The variable that names the configuration file; it is passed whatever the policy.
    pub configured: Option<String>,
    /// Variables that are set, with their values.
    pub set: BTreeMap<String, String>,
}

impl AgentEnvironment {
    /// The environment of an agent CLI, from the names of all variables.
    pub fn of_cli<'a>(cli: &CliSpec, names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let config = cli.config.as_ref();
        let configured = config.and_then(|config| config.variable.clone());
        let listed = NamePatterns::compile(&cli.env_passlist, false);
        let built_in = variable_patterns();
        let stays = |name: &str| {
            configured.as_deref() == Some(name)
                || match cli.env_policy {
                    EnvPolicy::Inherit => true,
                    EnvPolicy::Filtered => {
                        let is_removed = built_in.filtered.fit(name) || built_in.secret.fit(name);
                        !is_removed || listed.fit(name)
                    }
                    EnvPolicy::Clean => built_in.clean.fit(name) || listed.fit(name),
                }
        };
        let names = names.iter().filter(|name| !cli.env.contains_key(**name));
        let (passed, removed) = names.partition(|name| stays(name));
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        Self {
            policy: cli.env_policy,
            passed: owned(passed),
            removed: owned(removed),
            configured,
            set: cli.env.clone(),
        }
    }

    /// The `env` command that sets it up, each word quoted for a shell; empty where nothing is removed.
    ///
    /// `env -u NAME` for each removed variable, or `env -i NAME="$NAME"` for each passed one: the shell substitutes the values.
    /// A variable whose name is not a shell identifier is left out.
    pub fn shell_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        match self.policy {
            EnvPolicy::Inherit => {}
            EnvPolicy::Filtered => {
                for name in &self.removed {
                    words.extend(["-u".to_owned(), quote_shell_word(name)]);
                }
            }
            EnvPolicy::Clean => {
                words.push("-i".to_owned());
                let of_file = self.configured.as_deref();
                let passed = self.passed.iter().map(String::as_str);
                for name in passed.filter(|name| is_word(name) && Some(*name) != of_file) {
                    words.push(format!("{name}=\"${name}\""));
                }
                // It may be set later, for the one run.
                if let Some(name) = of_file.filter(|name| is_word(name)) {
                    words.push(format!("${{{name}+{name}=\"${name}\"}}"));
                }
            }
        }
        let set = self.set.iter();
        words.extend(set.map(|(name, value)| quote_shell_word(&format!("{name}={value}"))));
        if !words.is_empty() {
            words.insert(0, "env".to_owned());
        }
        words
    }

    /// As data.
    pub fn to_value(&self) -> Value {
        object! {
            "policy" => self.policy.as_str(),
            "passed" => self.passed.clone(),
            "removed" => self.removed.clone(),
            "set" => Value::object(self.set.iter().map(|(name, value)| (name.as_str(), Value::from(value.as_str())))),
        }
    }
}

/// A word, quoted for a shell.
pub fn quote_shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,=@+%".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether a name is an identifier in every shell.
fn is_word(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.starts_with(|first: char| !first.is_ascii_digit()) && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cli(fields: &str) -> CliSpec {
        let text = format!("version: 1\nclis:\n  mine: {{binary: mine, {fields}}}\n");
        CliSpec::parse_file("clis.yaml", &text).unwrap().remove(0)
    }

    const NAMES: [&str; 12] = [
        "ANTHROPIC_API_KEY",
        "AWS_PROFILE",
        "DB_PASSWORD",
        "EDITOR",
        "HOME",
        "LC_ALL",
        "MY_TOKEN",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "PATH",
        "PROJECT",
        "http_proxy",
        "odd name'",
    ];

    #[test]
    fn each_policy_passes_what_it_says() {
        let passed = |fields: &str| AgentEnvironment::of_cli(&cli(fields), NAMES).passed;
        assert_eq!(passed("env_policy: inherit"), NAMES);
        let filtered = ["EDITOR", "HOME", "LC_ALL", "PATH", "PROJECT", "odd name'"];
        assert_eq!(passed("env_policy: filtered"), filtered);
        assert_eq!(
            passed("model: m"),
            filtered,
            "the policy where none is said"
        );
        assert_eq!(passed("env_policy: clean"), ["HOME", "LC_ALL", "PATH"]);
        // A pattern is for the whole name, as it is written.
        assert_eq!(
            passed("env_policy: clean, env_passlist: [PROJ, 'AWS_.*', my_token, ED|EDITOR]"),
            ["AWS_PROFILE", "EDITOR", "HOME", "LC_ALL", "PATH"]
        );
        assert_eq!(
            passed("env_passlist: ['http_proxy', 'MY_.*']").len(),
            filtered.len() + 2
        );
    }

    #[test]
    fn every_name_is_passed_or_removed_once() {
        for &policy in EnvPolicy::ALL {
            let found =
                AgentEnvironment::of_cli(&cli(&format!("env_policy: {}", policy.as_str())), NAMES);
            let mut all: Vec<&String> = found.passed.iter().chain(&found.removed).collect();
            all.sort();
            assert_eq!(all, NAMES.iter().collect::<Vec<_>>());
            assert_eq!(found.policy, policy);
        }
    }

    #[test]
    fn a_shell_reads_it_back() {
        let words = |fields: &str| {
            AgentEnvironment::of_cli(&cli(fields), NAMES)
                .shell_words()
                .join(" ")
        };
        assert_eq!(words("env_policy: inherit"), "");
        assert_eq!(
            words("env_passlist: ['.*_.*']"),
            "",
            "where nothing is removed"
        );
        assert_eq!(words("env_passlist: ['[A-Z]+_.*']"), "env -u http_proxy");
        assert_eq!(
            words("env_policy: clean, env_passlist: [odd name']"),
            "env -i HOME=\"$HOME\" LC_ALL=\"$LC_ALL\" PATH=\"$PATH\"",
            "no shell can name the odd one"
        );
        let removed = AgentEnvironment {
            policy: EnvPolicy::Filtered,
            removed: vec!["odd $(name)'".to_owned()],
            ..AgentEnvironment::default()
        };
        assert_eq!(removed.shell_words(), ["env", "-u", r"'odd $(name)'\'''"]);
    }

    /// The variable that names the confining file is always passed.
    #[test]
    fn the_name_of_the_configuration_file_always_stays() {
        let mut gemini = CliSpec::of_name("gemini").unwrap().clone();
        let variable = "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
        for &policy in EnvPolicy::ALL {
            gemini.env_policy = policy;
            let found = AgentEnvironment::of_cli(&gemini, [variable, "GEMINI_API_KEY"]);
            assert!(
                found.passed.iter().any(|name| name == variable),
                "{policy:?}"
            );
            assert_eq!(found.removed.is_empty(), policy == EnvPolicy::Inherit);
        }
        let none_set = AgentEnvironment::of_cli(&gemini, ["HOME"]).shell_words();
        assert_eq!(
            none_set.last().unwrap(),
            &format!("${{{variable}+{variable}=\"${variable}\"}}")
        );
    }
}
