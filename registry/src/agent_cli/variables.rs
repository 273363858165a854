//! Names of environment variables: patterns that say which an agent CLI gets, and which are called secrets.

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};
use tool_core::{Decode, Describe};

/// Largest compiled pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

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

/// Patterns for whole names of variables.
pub struct NamePatterns(Vec<Regex>);

impl NamePatterns {
    /// Compiles patterns, for letters of either case where `any_case`; one that does not compile was reported when it was read, and
    /// matches nothing.
    pub fn compile(texts: &[String], any_case: bool) -> Self {
        let compiled = texts
            .iter()
            .map(|text| compile_name_pattern(text, any_case));
        Self(compiled.filter_map(Result::ok).collect())
    }

    /// Whether one of them is the name.
    pub fn fit(&self, name: &str) -> bool {
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
pub struct BuiltInPatterns {
    /// Names that the policy `clean` keeps.
    pub clean: NamePatterns,
    /// Names that the policy `filtered` removes.
    pub filtered: NamePatterns,
    /// Names of secrets, which it removes too.
    pub secret: NamePatterns,
}

/// The patterns of the built-in file, compiled once.
pub fn variable_patterns() -> &'static BuiltInPatterns {
    static COMPILED: OnceLock<BuiltInPatterns> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let names = &super::built_in().0.environment;
        BuiltInPatterns {
            clean: NamePatterns::compile(&names.clean, false),
            filtered: NamePatterns::compile(&names.filtered, true),
            secret: NamePatterns::compile(&names.secret, true),
        }
    })
}

/// Whether a variable is called a secret, and its value is more than a setting, a number or the path of a file.
pub(crate) fn is_plain_secret(name: &str, value: &str) -> bool {
    let is_setting = value.len() < 8 || value.starts_with(['/', '.', '~']) || value.contains("://");
    let is_named = value.starts_with("env:");
    !is_setting && !is_named && variable_patterns().secret.fit(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CliSpec;

    #[test]
    fn the_built_in_patterns_all_compile() {
        let names = &super::super::built_in().0.environment;
        let compiled = variable_patterns();
        assert_eq!(compiled.secret.0.len(), names.secret.len());
        assert!(names.clean.len() > 5 && names.filtered.len() > 4);
        assert_eq!(compiled.clean.0.len(), names.clean.len());
        assert_eq!(compiled.filtered.0.len(), names.filtered.len());
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
