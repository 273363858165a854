//! Callers as values: what narrowed them is read back, and what cannot be read leaves nothing.

use super::*;
use crate::{Config, ToolOverrides};

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

fn narrowed() -> Principal {
    let rule = PolicyRule::new(Verdict::Deny, ["write_file"]).path_under(["secret"]);
    Principal {
        agent: Some("scout".to_owned()),
        phase: Some("audit".to_owned()),
        task: Some("bugfix".to_owned()),
        profile: Some("openai".to_owned()),
        toolset: Some("few".to_owned()),
        session: ToolOverrides {
            disable: texts(&["plot"]),
            ..ToolOverrides::default()
        },
        run: ToolOverrides {
            enable: texts(&["a"]),
            disable: texts(&["b"]),
            force: texts(&["c"]),
        },
        ..Principal::role("operator")
    }
    .narrow(PolicyLayer::read_only())
    .narrow(PolicyLayer::no_web())
    .narrow(
        PolicyLayer::new(Level::Delegation, "helper \"1\"")
            .allow([])
            .rule(rule),
    )
}

#[test]
fn a_caller_is_read_back_with_all_that_narrows() {
    let who = narrowed();
    let mut read = Principal::from_value("operator", &who.to_value());
    assert_eq!(read.run.disable, texts(&["plot", "b"]));
    assert_eq!(read.to_value(), who.to_value());
    // Where a layer was written is all that it loses.
    for layer in &mut read.layers {
        layer.place = None;
        for selector in layer.allow.iter_mut().flatten().chain(&mut layer.deny) {
            selector.place = None;
        }
        for rule in &mut layer.rules {
            rule.place = None;
            rule.matches
                .tools
                .iter_mut()
                .for_each(|tool| tool.place = None);
        }
    }
    assert_eq!(read.layers, who.layers);
    let plain = Principal::role("operator");
    assert_eq!(Principal::from_value("operator", &plain.to_value()), plain);
    assert_eq!(Principal::from_value("operator", &Value::Null), plain);
}

#[test]
fn a_layer_that_cannot_be_read_leaves_nothing() {
    let catalogue = twelve();
    let (_, policy) = Config::load("m.toml", "version = 1\n", &catalogue).unwrap();
    let visible = |value: &Value| {
        let who = Principal::from_value("operator", value);
        let caller = policy.caller(&catalogue, &who, &ready()).unwrap();
        caller.listed().count()
    };
    assert!(visible(&Value::Null) > 0);
    let layer = |level: &str, without: &str| {
        let layer = Value::object([
            ("level", Value::from(level)),
            ("without", Value::array(vec![Value::from(without)])),
        ]);
        Value::object([("layers", Value::array(vec![layer]))])
    };
    assert!(visible(&layer("delegation", "network_access")) > 0);
    for value in [
        layer("delegation", "no_such_effect"),
        layer("no_such_level", "network_access"),
        Value::object([(
            "layers",
            Value::array(vec![Value::object([("policy", "x")])]),
        )]),
        Value::object([("layers", "all")]),
        Value::object([("layers", Value::array(vec![Value::Null]))]),
    ] {
        assert_eq!(visible(&value), 0, "{value}");
    }
}

#[test]
fn records_say_what_selected_and_narrowed() {
    let mut record = tool_core::Object::new();
    narrowed().note(&mut record);
    for (key, wanted) in [
        ("role", r#""operator""#),
        ("profile", r#""openai""#),
        ("toolset", r#""few""#),
        ("disable", r#"["plot","b"]"#),
        (
            "narrowed",
            r#"["task `read_only`","task `no_web`","delegation `helper \"1\"`"]"#,
        ),
    ] {
        let found = record.get(key).map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(wanted), "{key}");
    }
    let many = Principal {
        run: ToolOverrides {
            enable: (0..70).map(|n| format!("t{n}")).collect(),
            ..ToolOverrides::default()
        },
        ..Principal::default()
    };
    let mut record = tool_core::Object::new();
    many.note(&mut record);
    let shown = record.get("enable").and_then(Value::items).unwrap();
    assert_eq!((shown.len(), &shown[64]), (65, &Value::from("and 6 more")));
}
