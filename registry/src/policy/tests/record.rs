//! Rules that a person records, and layers as text.

use super::*;

const CONFIG: &str = r#"
version = 1
[[policies]]
level = "global"
deny = ["plot"]
[[policies.rules]]
match = { tools = ["write_file"], path = { under = ["secret"] } }
decision = "deny"
[[policies.rules]]
match = { tools = ["run_shell"], argv = { prefix = ["git", "push"] } }
decision = "ask"
[[policies.rules]]
match = { tools = ["web_fetch"], url = { host = ["*.example.org"] } }
decision = "deny"
[[policies.rules]]
match = { tools = ["edit_file"], number = { max = 3 } }
decision = "deny"
"#;

fn rule(tool: &str, change: impl FnOnce(&mut RuleMatch)) -> PolicyRule {
    let mut rule = PolicyRule::new(Verdict::Allow, [tool]);
    change(&mut rule.matches);
    rule
}

fn under(list: &[&str]) -> Option<PathMatch> {
    Some(PathMatch {
        under: Some(list.iter().copied().collect()),
        glob: None,
    })
}

fn argv(list: &[&str]) -> Option<ArgvMatch> {
    let prefix = list.iter().copied().collect();
    Some(ArgvMatch { prefix })
}

fn url(list: &[&str]) -> Option<UrlMatch> {
    let host = list.iter().copied().collect();
    Some(UrlMatch { host })
}

#[test]
fn a_rule_is_never_recorded_over_a_deny_or_an_ask() {
    let catalogue = twelve();
    let (_, policy) = Config::load("m.toml", CONFIG, &catalogue).unwrap();
    for (tool, rule, fits) in [
        (
            "write_file",
            rule("write_file", |m| m.path = under(&["out/a"])),
            true,
        ),
        (
            "write_file",
            rule("write_file", |m| m.path = under(&["secret/a"])),
            false,
        ),
        (
            "write_file",
            rule("write_file", |m| m.path = under(&["."])),
            false,
        ),
        ("write_file", rule("write_file", |_| {}), false),
        (
            "run_shell",
            rule("run_shell", |m| m.argv = argv(&["git", "status"])),
            true,
        ),
        (
            "run_shell",
            rule("run_shell", |m| m.argv = argv(&["git"])),
            false,
        ),
        (
            "run_shell",
            rule("run_shell", |m| m.argv = argv(&["git", "push", "-f"])),
            false,
        ),
        (
            "web_fetch",
            rule("web_fetch", |m| m.url = url(&["example.com"])),
            true,
        ),
        (
            "web_fetch",
            rule("web_fetch", |m| m.url = url(&["a.example.org"])),
            false,
        ),
        (
            "edit_file",
            rule("edit_file", |m| m.path = under(&["out"])),
            false,
        ),
        ("plot", rule("plot", |_| {}), false),
    ] {
        let about = (tool, &rule);
        let found = policy.may_record(&catalogue, about, &Principal::role("operator"), &ready());
        assert_eq!(found.is_ok(), fits, "{tool} {:?}: {found:?}", rule.matches);
        if let Err(err) = found {
            assert_eq!(err.code(), ErrorCode::PolicyDenied);
            assert!(err.hint_str().is_some());
        }
    }
}

/// What was recorded lets through what it was taken from, in the layer of the user, and nothing beside it.
#[test]
fn a_recorded_rule_allows_its_call_and_no_other() {
    let mut layer = PolicyLayer::new(Level::User, "terminal");
    let mut recorded = rule("write_file", |m| m.path = under(&["out/a"]));
    recorded.matches.role = Some("operator".to_owned());
    layer.rules.push(recorded);
    let config = crate::load::layers_to_toml(&[layer]);
    let ask = |role, args| decide_with(&config, role, "write_file", args).verdict;
    let verdict = ask(
        "operator",
        r#"{"path":"out/a","content":"x","overwrite":true}"#,
    );
    assert_eq!(verdict, Verdict::Allow);
    assert_eq!(
        ask("operator", r#"{"path":"out/b","content":"x"}"#),
        Verdict::Ask
    );
    assert_eq!(
        ask("toolrunner", r#"{"path":"out/a","content":"x"}"#),
        Verdict::Ask
    );
}

/// P10: what is written is read back as it was.
#[test]
fn layers_survive_being_written() {
    let mut layer = PolicyLayer::new(Level::User, "terminal \"x\"\u{7f}\n")
        .allow(["write_file", "group:all"])
        .deny(["plot"]);
    layer.rules.push(PolicyRule {
        priority: -3,
        reason: Some("why \\ not \u{1}".to_owned()),
        obligations: vec![
            Obligation::Backup,
            Obligation::Notify,
            Obligation::Redact,
            Obligation::MaxBytes(7),
            Obligation::TimeoutMs(9),
        ],
        ..rule("write_file", |m| {
            m.role = Some("operator".to_owned());
            m.path = under(&["out/a b", "ü"]);
            m.bytes = Some(NumberRange {
                min: Some(1.0),
                max: Some(1e300),
            });
        })
    });
    layer.rules.push(rule("run_shell", |m| {
        m.argv = argv(&["git", "-c", "a=\"b\""]);
        m.number = Some(NumberMatch {
            argument: Some("x".to_owned()),
            min: None,
            max: Some(0.1),
        });
    }));
    layer
        .rules
        .push(rule("web_fetch", |m| m.url = url(&["*.example.org"])));
    let text = crate::load::layers_to_toml(std::slice::from_ref(&layer));
    let read = Config::parse("r.toml", &text).unwrap_or_else(|err| panic!("{err}\n{text}"));
    let mut found = read.layers;
    for layer in &mut found {
        layer.place = None;
        let deny = layer
            .deny
            .iter_mut()
            .chain(layer.allow.iter_mut().flatten());
        deny.for_each(|selector| selector.place = None);
        for rule in &mut layer.rules {
            rule.place = None;
            rule.matches
                .tools
                .iter_mut()
                .for_each(|tool| tool.place = None);
        }
    }
    assert_eq!(found, [layer]);
}
