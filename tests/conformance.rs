//! Cases of the earlier systems as data: `tests/conformance/`.

use std::collections::BTreeSet;

use registry::dispatch::ChainPosition;
use registry::document::{self, DocumentFormat};
use registry::load::RolePermissions;
use registry::policy::{CallFacts, CallerPolicy, WORKSPACE_READY};
use registry::{
    CallRequest, CallerContext, Catalogue, Config, Policy, PolicyLayer, Principal, RuntimeFacts,
    ToolOverrides, ToolSelector,
};
use tool_core::{RandomSeed, StopFlag, Value, json};

use crate::neutral;

const CASES: &str = include_str!("conformance/policy.yaml");

/// A member, as text.
fn text(of: &Value, key: &str) -> Option<String> {
    of.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// A member, as a list of texts; empty where there is none.
fn texts(of: &Value, key: &str) -> Vec<String> {
    let items = of.get(key).and_then(Value::items).unwrap_or_default();
    let text = |item: &Value| item.as_str().expect("a text").to_owned();
    items.iter().map(text).collect()
}

fn selectors(of: &Value, key: &str) -> Vec<ToolSelector> {
    let texts = texts(of, key);
    texts
        .iter()
        .map(|text| ToolSelector::from(text.as_str()))
        .collect()
}

/// The keys are known, so that no case expects what nobody looks at.
fn only(of: &Value, keys: &[&str]) {
    let object = of.as_object().expect("a table");
    for (key, _) in object.iter() {
        assert!(keys.contains(&key), "unknown key `{key}`");
    }
}

fn config(given: &Value, configs: &Value) -> Result<String, String> {
    let written = match given.get("config") {
        None => Value::object::<&str, Value>([]),
        Some(Value::String(name)) => configs.get(name).ok_or("no such config")?.clone(),
        Some(config) => config.clone(),
    };
    let mut members = vec![("version".to_owned(), Value::from(1_i64))];
    let object = written.as_object().ok_or("a config is a table")?;
    members.extend(
        object
            .iter()
            .map(|(key, value)| (key.to_owned(), value.clone())),
    );
    // A role that only flat permissions speak of starts from every tool.
    if let Some(legacy) = given.get("legacy") {
        let role = text(legacy, "role").ok_or("a role")?;
        let all = Value::object([("tools", Value::array(vec![Value::from("group:all")]))]);
        members.push(("roles".to_owned(), Value::object([(role.as_str(), all)])));
    }
    Ok(json::to_text(&Value::object(members)))
}

fn legacy(given: &Value) -> Option<PolicyLayer> {
    let legacy = given.get("legacy")?;
    let keys = [
        "role",
        "web_access",
        "allowed_categories",
        "allowed_tools",
        "forbidden_tools",
    ];
    only(legacy, &keys);
    let permissions = RolePermissions {
        description: String::new(),
        web_access: legacy.get("web_access").and_then(Value::as_bool) == Some(true),
        allowed_categories: selectors(legacy, "allowed_categories"),
        allowed_tools: selectors(legacy, "allowed_tools"),
        forbidden_tools: selectors(legacy, "forbidden_tools"),
        name: text(legacy, "role").expect("a role"),
        place: None,
    };
    Some(permissions.to_layer())
}

fn who(given: &Value) -> Principal {
    let Some(who) = given.get("who") else {
        return Principal::role("operator");
    };
    only(
        who,
        &[
            "role", "agent", "phase", "task", "profile", "toolset", "session", "run", "context",
        ],
    );
    let overrides = |key: &str| {
        who.get(key).map_or_else(ToolOverrides::default, |scope| {
            only(scope, &["enable", "disable", "force"]);
            ToolOverrides {
                enable: texts(scope, "enable"),
                disable: texts(scope, "disable"),
                force: texts(scope, "force"),
            }
        })
    };
    Principal {
        permission: None,
        spawned: None,
        role: text(who, "role").expect("a role"),
        agent: text(who, "agent"),
        phase: text(who, "phase"),
        task: text(who, "task"),
        profile: text(who, "profile"),
        toolset: text(who, "toolset"),
        session: overrides("session"),
        run: overrides("run"),
        layers: texts(who, "context")
            .iter()
            .map(|name| PolicyLayer::context(name).expect("a context"))
            .collect(),
    }
}

fn facts(given: &Value) -> RuntimeFacts {
    if given.get("facts").is_none() {
        return RuntimeFacts::default().with(WORKSPACE_READY);
    }
    let listed = texts(given, "facts");
    listed
        .iter()
        .fold(RuntimeFacts::default(), |facts, fact| facts.with(fact))
}

fn names(catalogue: &Catalogue, tools: impl Iterator<Item = usize>) -> Vec<String> {
    tools
        .map(|tool| catalogue.tool(tool).spec().id.to_owned())
        .collect()
}

/// What a person reads of errors of all kinds must hold each part.
fn holds(found: &str, parts: &[String]) {
    for part in parts {
        assert!(found.contains(part.as_str()), "no {part:?} in {found:?}");
    }
}

fn check_visible(expect: &Value, catalogue: &Catalogue, caller: &CallerPolicy<'_>) {
    let listed = names(catalogue, caller.listed());
    if expect.get("listed").is_some() {
        assert_eq!(listed, texts(expect, "listed"), "listed");
    }
    if expect.get("visible").is_some() {
        let found: BTreeSet<String> = names(catalogue, caller.visible().iter())
            .into_iter()
            .collect();
        let expected: BTreeSet<String> = texts(expect, "visible").into_iter().collect();
        assert_eq!(found, expected, "visible");
        assert_eq!(
            listed.into_iter().collect::<BTreeSet<_>>(),
            expected,
            "listed as visible"
        );
    }
    let index = |name: &str| catalogue.index(name).expect("a tool");
    for name in texts(expect, "shows") {
        assert!(
            caller.visible().contains(index(&name)),
            "`{name}` is hidden"
        );
    }
    let hides = expect.get("hides").and_then(Value::as_object);
    for (name, part) in hides.into_iter().flat_map(|hides| hides.iter()) {
        let hidden = caller.hidden(catalogue, index(name));
        let reason = hidden
            .unwrap_or_else(|| panic!("`{name}` is visible"))
            .reason;
        holds(&reason, &[part.as_str().expect("a text").to_owned()]);
    }
}

fn check_selection(expected: &Value, catalogue: &Catalogue, caller: &CallerPolicy<'_>) {
    only(expected, &["tools", "from", "permission", "max_turns"]);
    let found = caller.selected();
    let order = found.tools.value.order.iter().copied();
    assert_eq!(names(catalogue, order), texts(expected, "tools"));
    assert_eq!(Some(found.tools.from.clone()), text(expected, "from"));
    if let Some(permission) = text(expected, "permission") {
        let found = found.permission.as_ref().expect("a permission");
        assert_eq!(found.value.as_str(), permission);
    }
    if let Some(turns) = expected.get("max_turns").and_then(Value::as_i64) {
        assert_eq!(i64::from(found.max_turns.value), turns);
    }
}

fn check_verdict(case: &Value, catalogue: &Catalogue, caller: &CallerPolicy<'_>) {
    let expect = case.get("expect").expect("expect");
    let call = case.pointer("/given/call").expect("a verdict on a call");
    let index = catalogue
        .index(&text(&call, "tool").expect("a tool"))
        .expect("a known tool");
    let tool = catalogue.tool(index);
    let decoded = tool.decode(call.get("args").expect("args"));
    let decoded = decoded.unwrap_or_else(|err| panic!("{err:?}"));
    let facts = CallFacts::of(tool, decoded.as_ref(), None);
    let decision = caller.decide(catalogue, index, Some(&facts), None);
    let expected = text(expect, "verdict").expect("a verdict");
    assert_eq!(decision.verdict.as_str(), expected, "{}", decision.reason);
    if let Some(layer) = text(expect, "layer") {
        assert_eq!(decision.layer, layer);
    }
    holds(
        &decision.reason,
        &text(expect, "says").into_iter().collect::<Vec<_>>(),
    );
    let notify = expect.get("notify").and_then(Value::as_bool) == Some(true);
    assert_eq!(decision.obligations.notify, notify, "notify");
}

fn check_answer(case: &Value, catalogue: Catalogue, policy: Policy, who: Principal) {
    let expected = case.pointer("/expect/answer").expect("an answer");
    only(&expected, &["code", "says", "output"]);
    let call = case.pointer("/given/call").expect("an answer to a call");
    only(&call, &["tool", "args", "chain"]);
    let chain = (call.get("chain").is_some()).then(|| ChainPosition {
        chain_id: "c1".to_owned(),
        chain_index: 0,
        step: "s".to_owned(),
        wave: 0,
        ..Default::default()
    });
    let outcome = neutral::dispatcher(catalogue, policy).call(CallRequest {
        tool: text(&call, "tool").expect("a tool"),
        args: call.get("args").expect("args").clone(),
        context: CallerContext {
            who,
            chain,
            ..CallerContext::default()
        },
        seed: RandomSeed::DEFAULT,
        timeout_ms: None,
        stop: StopFlag::new(),
        progress: None,
        client: None,
        remote: None,
    });
    let envelope = outcome.to_value();
    match text(&expected, "code") {
        Some(code) => {
            assert_eq!(
                envelope.pointer("/error/code"),
                Some(Value::from(code.as_str())),
                "{envelope}"
            );
            assert_eq!(envelope.get("ok"), Some(&Value::from(false)));
            holds(
                &envelope.to_string(),
                &text(&expected, "says").into_iter().collect::<Vec<_>>(),
            );
        }
        None => assert_eq!(envelope.get("output"), expected.get("output"), "{envelope}"),
    }
}

/// Checks one case; a failure is a panic that says what differs.
fn check(case: &Value, configs: &Value) {
    only(case, &["id", "source", "given", "expect", "deviation"]);
    let (given, expect) = (
        case.get("given").expect("given"),
        case.get("expect").expect("expect"),
    );
    only(
        given,
        &["config", "legacy", "tools", "empty", "who", "facts", "call"],
    );
    let keys = [
        "error",
        "refused",
        "visible",
        "listed",
        "shows",
        "hides",
        "selection",
        "verdict",
        "says",
        "layer",
        "notify",
        "answer",
    ];
    only(expect, &keys);
    assert!(!text(case, "source").expect("a source").is_empty());
    let described = given
        .get("tools")
        .and_then(Value::items)
        .unwrap_or_default();
    let catalogue = match given.get("empty") {
        Some(_) => Catalogue::new(&[]),
        None => neutral::catalogue(&described),
    };
    let loaded = catalogue.and_then(|catalogue| {
        let written = config(given, configs).expect("a config");
        let (config, _) = Config::load("mathchain.json", &written, &catalogue)?;
        let further: Vec<PolicyLayer> = legacy(given).into_iter().collect();
        let policy = Policy::compile(&catalogue, &config, &further)?;
        Ok((catalogue, policy))
    });
    let (catalogue, policy) = match (loaded, expect.get("error")) {
        (Err(errors), Some(_)) => return holds(&errors.to_string(), &texts(expect, "error")),
        (Err(errors), None) => panic!("{errors}"),
        (Ok(_), Some(error)) => panic!("expected {error}"),
        (Ok(loaded), None) => loaded,
    };
    let who = who(given);
    match (
        policy.caller(&catalogue, &who, &facts(given)),
        expect.get("refused"),
    ) {
        (Err(error), Some(refused)) => {
            only(refused, &["code", "says", "hint"]);
            assert_eq!(
                Some(error.code().as_str().to_owned()),
                text(refused, "code")
            );
            holds(
                error.message(),
                &text(refused, "says").into_iter().collect::<Vec<_>>(),
            );
            if let Some(hint) = text(refused, "hint") {
                assert_eq!(error.hint_str(), Some(hint.as_str()));
            }
        }
        (Ok(_), Some(refused)) => panic!("expected {refused}"),
        (Err(error), None) => assert!(expect.get("answer").is_some(), "{error:?}"),
        (Ok(caller), None) => {
            check_visible(expect, &catalogue, &caller);
            if let Some(selection) = expect.get("selection") {
                check_selection(selection, &catalogue, &caller);
            }
            if expect.get("verdict").is_some() {
                check_verdict(case, &catalogue, &caller);
            }
        }
    }
    if expect.get("answer").is_some() {
        check_answer(case, catalogue, policy, who);
    }
}

#[test]
fn the_cases_of_the_earlier_systems_hold() {
    let document = document::parse_document("policy.yaml", CASES, DocumentFormat::Yaml);
    let document = document.unwrap_or_else(|errors| panic!("{errors}"));
    let cases = document
        .value
        .get("cases")
        .and_then(Value::items)
        .expect("cases");
    let configs = document.value.get("configs").expect("configs");
    let mut ids = BTreeSet::new();
    let mut failed = Vec::new();
    for case in &cases {
        let id = text(case, "id").expect("an id");
        let found = std::panic::catch_unwind(|| check(case, configs));
        if let Err(panic) = found {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| {
                panic
                    .downcast_ref::<&str>()
                    .map(|words| (*words).to_owned())
            });
            failed.push(format!("{id}: {}", words.unwrap_or_default()));
        }
        assert!(ids.insert(id.clone()), "two cases are called {id}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
