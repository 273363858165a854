use crate::fakes::twelve;
use crate::model::*;
use crate::model::{Level, Obligation, Principal, Verdict};

/// The example of the configuration page, as far as this release reads it.
const FULL: &str = r#"
version = 1
default_role = "reviewer"

[workspace]
root = "."
state = ".mathchain"

[toolsets.read]
include = ["group:read", "plot"]
[toolsets.numeric]
include = ["category:math", "category:data"]
exclude = ["query_db"]
extends = ["read"]

[roles.reviewer]
toolset = "numeric"
deny = ["group:web"]

[[policies]]
level = "global"
deny = ["tag:raw-exec"]
  [[policies.rules]]
  match = { tools = ["write_file"], path = { under = "out" } }
  decision = "allow"
  obligations = ["backup", { max_bytes = 1048576 }]
  reason = "results folder"
  [[policies.rules]]
  match = { tools = ["run_shell"], role = "reviewer" }
  decision = "ask"

[[policies]]
level = "role"
name = "reviewer"
deny = ["effect:modifies_files"]

[permissions.network]
requires_approval = false
allowed_hosts = ["en.wikipedia.org"]
allow_private = []
[permissions.filesystem]
requires_approval = true
allowed_paths = ["."]

[web]
deny_hosts = ["bad.example"]
timeout_s = 20
[web.services]
wikipedia = "https://wiki.example"
[web.search]
provider = "brave"
api_key = "env:BRAVE_KEY"

[limits]
max_input_bytes = 1000
timeout_ms = 2000
max_output_bytes = 3000

[chain]
mode = "seq"
parallel_mutations = true
on_error = "continue"
[chain.anomalies]
stall_times = 4
role_percent = 100

[models.embeddings]
endpoint = "http://127.0.0.1:8080/v1/embeddings"
api_key = "env:EMBED_KEY"
[models.chat]
endpoint = "https://models.example/v1/chat/completions"
model = "small"
timeout_ms = 90000
"#;

fn key(variable: &str) -> KeyVariable {
    tool_core::convert::from_value(&format!("env:{variable}").as_str().into()).unwrap()
}

#[test]
fn the_example_is_read_whole() {
    let (config, policy) =
        Config::load("mathchain.toml", FULL, &twelve()).unwrap_or_else(|err| panic!("{err}"));
    assert_eq!(config.default_role.text, "reviewer");
    assert_eq!(
        config.workspace,
        WorkspaceConfig {
            root: Some(".".to_owned()),
            state: Some(".mathchain".to_owned()),
            ..WorkspaceConfig::default()
        }
    );
    let toolset = config.roles[0].toolset.as_ref();
    assert_eq!(toolset.map(|name| name.text.as_str()), Some("numeric"));
    assert_eq!(
        (
            config.layers.len(),
            config.layers[0].level,
            config.layers[1].level
        ),
        (2, Level::Global, Level::Role)
    );
    assert_eq!(
        config.web,
        WebConfig {
            deny_hosts: vec!["bad.example".to_owned()],
            timeout_s: Some(20),
            services: [("wikipedia".to_owned(), "https://wiki.example".to_owned())].into(),
            search: Some(WebSearchConfig {
                provider: SearchProvider::Brave,
                endpoint: None,
                api_key: Some(key("BRAVE_KEY")),
            }),
            ..WebConfig::default()
        }
    );
    let rule = &config.layers[0].rules[0];
    assert_eq!(
        (rule.decision, rule.reason.as_deref()),
        (Verdict::Allow, Some("results folder"))
    );
    assert_eq!(
        rule.obligations,
        [Obligation::Backup, Obligation::MaxBytes(1_048_576)]
    );
    assert_eq!(
        config.limits,
        CallLimits {
            max_input_bytes: 1000,
            timeout_ms: 2000,
            max_output_bytes: 3000,
            memory_bytes: 8 << 30
        }
    );
    assert_eq!(
        config.chain,
        ChainDefaults {
            mode: ChainMode::Seq,
            parallel_mutations: true,
            on_error: OnError::Continue,
            anomalies: AnomalyLimits {
                stall_times: 4,
                role_percent: 100,
                ..AnomalyLimits::default()
            }
        }
    );
    assert_eq!(
        config.models,
        ModelsConfig {
            embeddings: Some(ModelEndpoint {
                endpoint: "http://127.0.0.1:8080/v1/embeddings".to_owned(),
                api_key: Some(key("EMBED_KEY")),
                model: None,
                timeout_ms: None,
            }),
            chat: Some(ModelEndpoint {
                endpoint: "https://models.example/v1/chat/completions".to_owned(),
                api_key: None,
                model: Some("small".to_owned()),
                timeout_ms: Some(90_000),
            }),
            vision: None,
        }
    );
    let catalogue = twelve();
    let caller = policy
        .caller(
            &catalogue,
            &Principal::role("reviewer"),
            &crate::policy::RuntimeFacts::default().with("workspace=ready"),
        )
        .unwrap();
    let seen: Vec<&str> = caller
        .visible()
        .iter()
        .map(|tool| catalogue.tool(tool).spec().id)
        .collect();
    assert_eq!(
        seen,
        ["list_dir", "read_file", "search_files", "calculate", "plot"]
    );
}

#[test]
fn yaml_and_json_with_the_same_schema_give_the_same_configuration() {
    let toml = "version = 1\n[roles.r]\ntools = [\"plot\"]\n[[policies]]\nlevel = \"user\"\nallow = []\n[limits]\ntimeout_ms = 5\n";
    let yaml = "version: 1\nroles: {r: {tools: [plot]}}\npolicies:\n- level: user\n  allow: []\nlimits: {timeout_ms: 5}\n";
    let json = r#"{"version":1,"roles":{"r":{"tools":["plot"]}},"policies":[{"level":"user","allow":[]}],"limits":{"timeout_ms":5}}"#;
    let plain = |name: &str, text: &str| {
        let config = Config::parse(name, text).unwrap_or_else(|err| panic!("{err}"));
        let tools = config.layers[0].allow.clone().map(|list| list.len());
        (
            config.roles[0].name.clone(),
            config.layers[0].level,
            tools,
            config.limits,
        )
    };
    let expected = plain("c.toml", toml);
    assert_eq!(expected.2, Some(0), "an empty list is not an absent one");
    assert_eq!(plain("c.yaml", yaml), expected);
    assert_eq!(plain("c.json", json), expected);
}

#[test]
fn an_empty_text_sets_nothing_and_an_empty_allow_allows_nothing() {
    assert_eq!(
        Config::parse("c.yaml", "").unwrap().default_role.text,
        "operator"
    );
    let catalogue = twelve();
    let (_, policy) = Config::load(
        "c.yaml",
        "version: 1\npolicies: [{level: global, allow: []}]",
        &catalogue,
    )
    .unwrap();
    for role in policy
        .roles()
        .map(|(name, _)| name.to_owned())
        .collect::<Vec<_>>()
    {
        assert!(
            policy
                .caller(
                    &catalogue,
                    &Principal::role(role.as_str()),
                    &crate::policy::RuntimeFacts::default().with("workspace=ready")
                )
                .unwrap()
                .visible()
                .is_empty()
        );
    }
}

#[test]
fn every_error_is_reported_at_once_with_its_line() {
    let text = r#"version = 2
default_role = "operater"
colour = "red"
[workspace]
rot = "."
[roles.r]
tools = ["plto"]
deny = "plot"
[roles.s]
[[policies]]
level = "glbal"
[[policies]]
level = "role"
[[policies]]
level = "role"
name = "nobody"
[[policies]]
level = "global"
deny = ["group:wbe"]
[[policies.rules]]
match = { tools = ["write_file"], pth = { under = "x" } }
decision = "alow"
obligations = ["bakup"]
[limits]
timeout_ms = -1
[chain]
mode = "fast"
[chain.anomalies]
stall_ms = 0
tool_percent = 101
[cli]
x = 1
"#;
    let errors = Config::load("mathchain.toml", text, &twelve()).unwrap_err();
    let all = errors.to_string();
    for expected in [
        "mathchain.toml:1:1: expected 1, found",
        "mathchain.toml:2:1: no role named `operater` (did you mean `operator`?)",
        "mathchain.toml:3:1: unknown key `colour`",
        "mathchain.toml:5:1: unknown key `rot` (did you mean `root`?)",
        "mathchain.toml:7:10: no tool named `plto` (did you mean `plot`?)",
        "mathchain.toml:8:1: expected a list",
        "a role needs `tools` or `toolset`",
        "mathchain.toml:11:1: expected one of",
        "needs the `name` of the role",
        "no role named `nobody`",
        "mathchain.toml:19:9: no group named `wbe` (did you mean `group:web`?)",
        "mathchain.toml:21:35: unknown key `pth` (did you mean `path`?)",
        "mathchain.toml:22:1: expected one of `allow`, `ask`, `deny`, found `alow` (did you mean `allow`?)",
        "expected one of `backup`, `notify`, `redact`, `verify`, found `bakup` (did you mean `backup`?)",
        "mathchain.toml:25:1: expected an integer of at least 1",
        "mathchain.toml:27:1: expected one of `dep`, `seq`",
        "mathchain.toml:29:1: expected an integer of at least 1",
        "mathchain.toml:30:1: expected an integer from 1 to 100",
    ] {
        assert!(all.contains(expected), "no {expected:?} in\n{all}");
    }
    let error: tool_core::ToolError = errors.into();
    assert_eq!(error.reason_str(), Some("configuration"));
    assert!(error.problems().len() >= 17);
}

#[test]
fn a_secret_in_plain_text_is_an_error_that_does_not_repeat_it() {
    let key = format!("sk-{}", "a1B2c3D4e5F6g7H8".repeat(3));
    let text =
        format!("version: 1\nroles:\n  r:\n    description: ask with {key}\n    tools: [plot]\n");
    let errors = Config::parse("c.yaml", &text).unwrap_err().to_string();
    assert!(
        errors.contains("c.yaml:4:5: a secret is written here") && errors.contains("env:NAME"),
        "{errors}"
    );
    assert!(!errors.contains(&key), "{errors}");
}

#[test]
fn models_are_named_without_their_secrets() {
    for (model, expected) in [
        ("{}", "missing key `endpoint`"),
        ("{endpoint: 7}", "expected"),
        ("{endpoint: ftp://h/v1}", "`endpoint` is an http(s) URL"),
        ("{endpoint: 'http:///v1'}", "`endpoint` is an http(s) URL"),
        (
            "{endpoint: 'http://me:hunter2@h/v1'}",
            "without a user or password",
        ),
        (
            "{endpoint: \"http://h/v1\\r\\nX: hunter2\"}",
            "`endpoint` is an http(s) URL",
        ),
        (
            "{endpoint: 'http://h/v1', api_key: sk-hunter2}",
            "environment variable",
        ),
        (
            "{endpoint: 'http://h/v1', api_key: 'env:'}",
            "environment variable",
        ),
        (
            "{endpoint: 'http://h/v1', api_key: 'env:A-hunter2'}",
            "environment variable",
        ),
        ("{endpoint: 'http://h/v1', timeout_ms: 0}", "at least 1"),
        ("{endpoint: 'http://h/v1', key: x}", "unknown key `key`"),
    ] {
        let text = format!("version: 1\nmodels: {{embeddings: {model}}}");
        let error = Config::parse("c.yaml", &text).unwrap_err().to_string();
        assert!(error.contains(expected), "{model}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let error = Config::parse("c.yaml", "version: 1\nmodels: {embedings: {}}").unwrap_err();
    assert!(
        error.to_string().contains("did you mean `embeddings`?"),
        "{error}"
    );
}

#[test]
fn shapes_that_would_be_misread_are_errors() {
    for (text, expected) in [
        ("[1, 2]", "expected a table"),
        ("{}", "missing key `version` (write `version = 1`)"),
        ("version: 1\npolicies: {}", "expected a list"),
        (
            "version: 1\npolicies: [{level: global, deny: }]",
            "expected a list, found null",
        ),
        (
            "version: 1\npolicies: [{level: global, allow: plot}]",
            "expected a list",
        ),
        (
            "version: 1\npolicies: [{deny: [plot]}]",
            "missing key `level`",
        ),
        (
            "version: 1\npolicies: [{level: global, rules: [{match: {tools: [plot]}}]}]",
            "missing key `decision`",
        ),
        (
            "version: 1\npolicies: [{level: global, rules: [{decision: deny}]}]",
            "missing key `match`",
        ),
        (
            "version: 1\npolicies: [{level: global, rules: [{decision: deny, match: {}}]}]",
            "a rule names its tools",
        ),
        (
            "version: 1\npolicies: [{level: global, rules: [{decision: deny, match: {tools: [write_file], path: {}}}]}]",
            "`path` needs `under`, `glob` or both",
        ),
        (
            "version: 1\npolicies: [{level: global, rules: [{decision: deny, match: {tools: [write_file], path: out}}]}]",
            "expected a table",
        ),
        (
            "version: 1\nroles: {r: {tools: [], toolset: x}}",
            "not both",
        ),
        (
            "version: 1\nroles: {r: {toolset: x}}",
            "no toolset named `x`",
        ),
        (
            "version: 1\ntoolsets: {a: {extends: [b]}, b: {extends: [a]}}\nroles: {r: {toolset: a}}",
            "extends itself",
        ),
        (
            "version: 1\ntoolsets: {a: {extends: [a]}}\nroles: {r: {toolset: a}}",
            "extends itself",
        ),
        (
            "version: 1\npermissions: {network: {requires_approval: no}}",
            "expected true or false, found the string \"no\"",
        ),
        (
            "version: 1\npermissions: {filesystem: {allowed_paths: [/etc]}}",
            "inside the workspace",
        ),
        (
            "version: 1\npermissions: {filesystem: {allowed_paths: [/etc]}}",
            "`[workspace] roots`",
        ),
        (
            "version: 1\nworkspace: {writable: [build, .]}",
            "a folder below the first root",
        ),
        ("version: 1\nworkspace: {writable: [../b]}", "found `../b`"),
        (
            "version: 1\nworkspace: {writable: [a/.GIT/b]}",
            "found `a/.GIT/b`",
        ),
        (
            "version: 1\nworkspace: {writable: [.mathchain]}",
            "outside of `.git` and the state",
        ),
        (
            "version: 1\npermissions: {netwrok: {}}",
            "did you mean `network`?",
        ),
        (
            "version: 1\nweb: {search: {provider: brave, api_key: sk-1234}}",
            "environment variable",
        ),
        (
            "version: 1\nweb: {search: {provider: google}}",
            "expected one of `wikipedia`, `searxng`, `brave`",
        ),
        (
            "version: 1\nweb: {search: {endpoint: 'https://x.example'}}",
            "missing key `provider`",
        ),
        ("version: 1\nweb: {proxy: x}", "unknown key `proxy`"),
        (
            "version: 1\nlimits: {timeout_ms: 1.5}",
            "expected an integer",
        ),
    ] {
        let error = Config::load("c.yaml", text, &twelve())
            .expect_err(text)
            .to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

/// Another type where one of some names is wanted is one mistake, and one error.
#[test]
fn a_wrong_type_for_a_name_is_one_error() {
    for value in ["true", "3", "perhaps"] {
        let text = format!("version: 1\ngit: {{commit: {{reference: {value}}}}}");
        let errors = Config::parse("c.yaml", &text).unwrap_err();
        assert_eq!(errors.list().len(), 1, "{errors}");
        assert!(
            errors.to_string().contains("`optional`, `required`"),
            "{errors}"
        );
    }
}

/// A description of a permission is read and decides nothing.
#[test]
fn permissions_may_say_what_they_are_for() {
    let parse = |text: &str| Config::parse("c.yaml", text).unwrap().permissions;
    for part in ["network", "filesystem", "shell", "compute", "workflow"] {
        let said = parse(&format!(
            "version: 1\npermissions: {{description: all, {part}: {{description: 'What `{part}` is for', requires_approval: true}}}}"
        ));
        let plain = parse(&format!(
            "version: 1\npermissions: {{{part}: {{requires_approval: true}}}}"
        ));
        assert_eq!(said.description, "all");
        // What decides is what is encoded.
        let encoded = |permissions| tool_core::convert::to_value(permissions).unwrap();
        assert_eq!(encoded(&said), encoded(&plain), "{part}");
    }
}

#[test]
fn a_toolset_that_no_role_uses_is_checked_too() {
    let text = "version: 1\ntoolsets: {a: {include: [plto]}}";
    let error = Config::load("c.yaml", text, &twelve())
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean `plot`?"), "{error}");
}

#[test]
fn a_configured_role_replaces_the_built_in_one() {
    let catalogue = twelve();
    let (_, policy) = Config::load(
        "c.yaml",
        "version: 1\nroles: {operator: {tools: [plot]}}",
        &catalogue,
    )
    .unwrap();
    let caller = policy
        .caller(
            &catalogue,
            &Principal::role("operator"),
            &crate::policy::RuntimeFacts::default().with("workspace=ready"),
        )
        .unwrap();
    assert_eq!(caller.visible().iter().count(), 1);
}

proptest::proptest! {
    #[test]
    fn no_configuration_crashes_the_reader(text in "(version|roles|policies|rules|match|tools|allow|deny|limits|: |- |\n|  |\\[|\\]|\\{|\\}|,|1|plot|group:all|null){0,40}") {
        let _ = Config::load("c.yaml", &text, &twelve());
    }
}
