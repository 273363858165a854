//! The environment of an agent CLI: variables by policy and patterns, and those that a table sets. Values of
//! others are never read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use tool_core::{Decode, Describe, Value, object};

use crate::model::{CliSpec, EnvPolicy};

/// Largest compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

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

impl CliSpec {
    /// Its environment, from the names of all variables.
    pub fn environment<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> AgentEnvironment {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let config = self.config.as_ref();
        let configured = config.and_then(|config| config.variable.clone());
        let listed = NamePatterns::of(&self.env_passlist, false);
        let (clean, filtered, secret) = built_in();
        let stays = |name: &str| {
            configured.as_deref() == Some(name)
                || match self.env_policy {
                    EnvPolicy::Inherit => true,
                    EnvPolicy::Filtered => {
                        !(filtered.fit(name) || secret.fit(name)) || listed.fit(name)
                    }
                    EnvPolicy::Clean => clean.fit(name) || listed.fit(name),
                }
        };
        let names = names.iter().filter(|name| !self.env.contains_key(**name));
        let (passed, removed) = names.partition(|name| stays(name));
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        AgentEnvironment {
            policy: self.env_policy,
            passed: owned(passed),
            removed: owned(removed),
            configured,
            set: self.env.clone(),
        }
    }
}

impl AgentEnvironment {
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

/// A pattern for whole names.
///
/// # Errors
/// The fault, on one line.
pub(super) fn compile_name_pattern(text: &str, any_case: bool) -> Result<Regex, String> {
    // Alone first, so that a bracket of its own cannot open ours.
    for whole in [text, &format!("^(?:{text})$")] {
        let built = RegexBuilder::new(whole)
            .case_insensitive(any_case)
            .size_limit(PATTERN_BYTES_MAX)
            .build();
        match built {
            Ok(found) if whole.len() != text.len() => return Ok(found),
            Ok(_) => {}
            Err(err) => {
                let words = err.to_string();
                let last = words.lines().last().unwrap_or_default();
                return Err(last.trim_start_matches("error: ").to_owned());
            }
        }
    }
    Err("it is none".to_owned())
}

struct NamePatterns(Vec<Regex>);

impl NamePatterns {
    /// Compiles patterns; one that does not compile was reported when it was read, and matches nothing.
    fn of(texts: &[String], any_case: bool) -> Self {
        let compiled = texts
            .iter()
            .map(|text| compile_name_pattern(text, any_case));
        Self(compiled.filter_map(Result::ok).collect())
    }

    fn fit(&self, name: &str) -> bool {
        self.0.iter().any(|pattern| pattern.is_match(name))
    }
}

/// Patterns for names of variables, as `agent_clis.yaml` lists them.
#[derive(Default, Decode, Describe)]
#[value(default)]
pub(super) struct VariablePatterns {
    /// Names that the policy `clean` keeps.
    clean: Vec<String>,
    /// Names that the policy `filtered` removes, in letters of either case.
    filtered: Vec<String>,
    /// Names of secrets, which it removes too.
    secret: Vec<String>,
}

/// The compiled patterns of the built-in file.
fn built_in() -> &'static (NamePatterns, NamePatterns, NamePatterns) {
    static COMPILED: OnceLock<(NamePatterns, NamePatterns, NamePatterns)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let names = &super::built_in().0.environment;
        (
            NamePatterns::of(&names.clean, false),
            NamePatterns::of(&names.filtered, true),
            NamePatterns::of(&names.secret, true),
        )
    })
}

/// Whether a variable is called a secret, and its value is more than a setting, a number or the path of a file.
pub(crate) fn is_plain_secret(name: &str, value: &str) -> bool {
    let is_setting = value.len() < 8 || value.starts_with(['/', '.', '~']) || value.contains("://");
    let is_named = value.starts_with("env:");
    !is_setting && !is_named && built_in().2.fit(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cli(fields: &str) -> CliSpec {
        let text = format!("version: 1\nclis:\n  mine: {{binary: mine, {fields}}}\n");
        CliSpec::parse_file("clis.yaml", &text).unwrap().remove(0)
    }

    #[test]
    fn the_built_in_patterns_all_compile() {
        let (names, (clean, filtered, secret)) =
            (&super::super::built_in().0.environment, built_in());
        assert_eq!(secret.0.len(), names.secret.len());
        assert!(names.clean.len() > 5 && names.filtered.len() > 4);
        assert_eq!(clean.0.len(), names.clean.len());
        assert_eq!(filtered.0.len(), names.filtered.len());
    }

    #[test]
    fn a_secret_in_plain_text_is_refused_by_the_name_of_its_variable() {
        let parse = |env: &str| {
            let text = format!(
                "version = 1\n[cli.claude]\nenv = {{ {env} }}\n[mcp_servers.t]\ncommand = [\"t\"]\nenv = {{ {env} }}\n"
            );
            crate::Config::parse("mathchain.toml", &text).map(|_| ())
        };
        let errors = parse("MY_API_KEY = \"tvly-abcdefghijklmnopqrstuvwxyz\"").unwrap_err();
        assert_eq!(errors.list().len(), 2, "{errors}");
        assert!(errors.to_string().contains("env:NAME"), "{errors}");
        assert!(!errors.to_string().contains("tvly"), "{errors}");
        for env in [
            "MY_API_KEY = \"env:MY_API_KEY\"",
            "SSH_AUTH_SOCK = \"/run/user/agent.sock\"",
            "API_KEY_FILE = \"./key-of-the-service\"",
            "EDITOR = \"some-long-editor-name\"",
        ] {
            parse(env).expect(env);
        }
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
        let passed = |fields: &str| cli(fields).environment(NAMES).passed;
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
            let found = cli(&format!("env_policy: {}", policy.as_str())).environment(NAMES);
            let mut all: Vec<&String> = found.passed.iter().chain(&found.removed).collect();
            all.sort();
            assert_eq!(all, NAMES.iter().collect::<Vec<_>>());
            assert_eq!(found.policy, policy);
        }
    }

    #[test]
    fn a_shell_reads_it_back() {
        let words = |fields: &str| cli(fields).environment(NAMES).shell_words().join(" ");
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
            let found = gemini.environment([variable, "GEMINI_API_KEY"]);
            assert!(
                found.passed.iter().any(|name| name == variable),
                "{policy:?}"
            );
            assert_eq!(found.removed.is_empty(), policy == EnvPolicy::Inherit);
        }
        let none_set = gemini.environment(["HOME"]).shell_words();
        assert_eq!(
            none_set.last().unwrap(),
            &format!("${{{variable}+{variable}=\"${variable}\"}}")
        );
    }

    #[test]
    fn a_pattern_that_is_none_is_an_error_with_its_place() {
        let text =
            "version: 1\nclis:\n  mine: {binary: mine, env_passlist: ['A(', 'B)(C', 'D.*']}\n";
        let errors = CliSpec::parse_file("clis.yaml", text)
            .unwrap_err()
            .to_string();
        for part in [
            "clis.yaml:3",
            "`A(` is no pattern for names: unclosed group",
            "`B)(C`",
        ] {
            assert!(errors.contains(part), "{errors}");
        }
        assert!(!errors.contains("`D"), "{errors}");
        let text = "version: 1\nclis: {}\nenvironment: {clean: []}\n";
        assert!(
            CliSpec::parse_file("clis.yaml", text).is_err(),
            "a user's file has tables only"
        );
    }
}
