//! Who learns what.

use super::*;
use crate::dispatch::ChainPosition;
use crate::model::{PolicyLayer, Verdict};

#[test]
fn a_hidden_tool_is_refused_and_recorded_with_the_deciding_layer() {
    let world = world();
    let outcome = world.call("worker_math", "write_file", r#"{"path":"a"}"#);
    let error = outcome.err().unwrap();
    assert_eq!(error.code(), ErrorCode::NotVisible);
    assert!(
        error
            .message()
            .contains("role `worker_math` may not call `write_file`"),
        "{error}"
    );
    assert!(world.files.get("a").is_none(), "it did not run");
    let record = world.last();
    assert_eq!(field(&record, "/decision"), Value::from("deny"));
    assert_eq!(field(&record, "/layer"), Value::from("role `worker_math`"));
    let seen: Vec<&str> = world
        .dispatcher
        .visible(&context("worker_math"))
        .unwrap()
        .iter()
        .filter(|listing| listing.hidden.is_none())
        .map(|listing| listing.tool.spec().id)
        .collect();
    assert!(
        seen.contains(&"calculate")
            && !seen.contains(&"write_file")
            && !seen.contains(&"web_fetch")
    );
}

#[test]
fn who_may_not_see_a_tool_learns_nothing_of_its_arguments() {
    let world = world();
    let answers: Vec<String> = [
        "{}",
        r#"{"path":"a"}"#,
        r#"{"path":7}"#,
        r#"{"nope":[1,2]}"#,
        "[]",
        "null",
        r#"{"path":"../../x"}"#,
    ]
    .iter()
    .map(|args| {
        let outcome = world.call("worker_math", "write_file", args);
        format!(
            "{:?} {:?} {:?}",
            outcome.err(),
            outcome.effects,
            outcome.err().unwrap().hint_str()
        )
    })
    .collect();
    assert!(
        answers.iter().all(|answer| *answer == answers[0]),
        "{answers:#?}"
    );
    assert!(
        answers[0].contains("[]"),
        "its effects are not shown either: {}",
        answers[0]
    );
}

#[test]
fn suggestions_name_only_what_the_caller_sees() {
    let world = world();
    assert_eq!(
        world
            .call("operator", "writ_file", "{}")
            .err()
            .unwrap()
            .hint_str(),
        Some("did you mean `write_file`?")
    );
    let hint = world
        .call("worker_math", "writ_file", "{}")
        .err()
        .unwrap()
        .hint_str()
        .unwrap_or_default()
        .to_owned();
    assert!(!hint.contains("write_file"), "{hint}");
}

#[test]
fn a_direct_only_tool_is_refused_as_a_step_by_the_dispatcher_itself() {
    let world = world();
    let mut request = request("operator", "run_shell", r#"{"argv":["ls"]}"#);
    request.context.chain = Some(ChainPosition {
        chain_id: "c".to_owned(),
        chain_index: 0,
        step: "s".to_owned(),
        wave: 0,
        ..Default::default()
    });
    request.context.answer = crate::ApprovalAnswer::Yes;
    let step = request.context.clone();
    let outcome = world.dispatcher.call(request);
    assert_eq!(
        outcome
            .err()
            .map(|err| (err.code(), err.reason_str().map(str::to_owned))),
        Some((ErrorCode::NotVisible, Some("caller".to_owned())))
    );
    assert!(world.dispatcher.resolve("run_shell", &step).is_err());
    assert!(
        world
            .dispatcher
            .resolve("run_shell", &context("operator"))
            .is_ok()
    );
}

#[test]
fn contexts_of_a_call_filter_listing_and_call_alike() {
    let world = world();
    for (layer, hidden, shown) in [
        (PolicyLayer::read_only(), "write_file", "read_file"),
        (PolicyLayer::no_web(), "web_fetch", "write_file"),
    ] {
        let mut context = context("operator");
        context.who.layers.push(layer);
        let listing = world.dispatcher.visible(&context).unwrap();
        let is_hidden = |id: &str| {
            listing
                .iter()
                .find(|listing| listing.tool.spec().id == id)
                .unwrap()
                .hidden
                .is_some()
        };
        assert!(is_hidden(hidden) && !is_hidden(shown));
        assert!(world.dispatcher.resolve(hidden, &context).is_err());
        let mut request = request("operator", hidden, "{}");
        request.context = context;
        assert_eq!(
            code(&world.dispatcher.call(request)),
            Some(ErrorCode::NotVisible)
        );
    }
}

/// Reaches the network only when told to.
#[derive(tool_core::Encode, tool_core::Decode, tool_core::Describe)]
#[value(transparent)]
struct MayReach(fakes::WriteArgs);

impl Tool for MayReach {
    const SPEC: Spec = Spec {
        id: "may_reach",
        title: "a fake",
        effects: &[Effect::NetworkAccess, Effect::CallsLlm],
        avoidable: &[Effect::NetworkAccess, Effect::CallsLlm],
        capabilities: &[tool_core::Capability::Model],
        determinism: Determinism::External,
        ..Spec::pure()
    };
    type Output = Value;
    fn run(_: Self, _: &Ctx) -> Result<Value, ToolError> {
        Ok(Value::from("done"))
    }
    fn narrow(args: &Self) -> tool_core::EffectReach {
        tool_core::EffectReach {
            effects: if args.0.overwrite {
                Self::SPEC.effects
            } else {
                &[]
            },
            destructive: false,
            idempotent: false,
            below: false,
        }
    }
}

#[test]
fn without_web_a_tool_that_need_not_reach_it_stays_and_only_calls_that_would_are_refused() {
    static MAY: &[ErasedTool] = &[tool_entry::<MayReach>()];
    let world = World::new(&[TWELVE, MAY], "");
    let mut context = context("operator");
    context.who.layers.push(PolicyLayer::no_web());
    let tool = world.dispatcher.resolve("may_reach", &context).unwrap();
    let unknown = world.dispatcher.preview(tool, None, &context);
    assert_eq!((unknown.verdict, unknown.certain), (Verdict::Deny, false));
    for (args, expected) in [
        (r#"{"path":"a"}"#, None),
        (
            r#"{"path":"a","overwrite":true}"#,
            Some(ErrorCode::PolicyDenied),
        ),
    ] {
        let mut request = request("operator", "may_reach", args);
        request.context = context.clone();
        request.context.answer = crate::ApprovalAnswer::Yes;
        let outcome = world.dispatcher.call(request);
        assert_eq!(code(&outcome), expected, "{args}: {:?}", outcome.err());
        if let Some(error) = outcome.err() {
            assert!(error.message().contains("task `no_web`"), "{error}");
            assert!(error.message().contains("`network_access`"), "{error}");
        }
    }
}

#[test]
fn an_unsound_layer_of_a_call_refuses_it() {
    let world = world();
    let mut request = request("operator", "double", r#"{"x":1}"#);
    request
        .context
        .who
        .layers
        .push(PolicyLayer::new(crate::Level::Delegation, "d").deny(["group:wirte"]));
    assert_eq!(
        code(&world.dispatcher.call(request)),
        Some(ErrorCode::PolicyDenied)
    );
}

#[test]
fn preview_is_the_strictest_that_could_come() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"out\" } }\ndecision = \"allow\"\n";
    let world = World::new(&[TWELVE, TOOLS], config);
    let operator = context("operator");
    let tool = world.dispatcher.resolve("write_file", &operator).unwrap();
    let without = world.dispatcher.preview(tool, None, &operator);
    assert_eq!((without.verdict, without.certain), (Verdict::Ask, false));
    let call = tool.decode(&Value::object([("path", "out/a")])).unwrap();
    let with = world
        .dispatcher
        .preview(tool, Some(call.as_ref()), &operator);
    assert_eq!((with.verdict, with.certain), (Verdict::Allow, true));
    let pure = world.dispatcher.resolve("double", &operator).unwrap();
    let pure = world.dispatcher.preview(pure, None, &operator);
    assert_eq!((pure.verdict, pure.certain), (Verdict::Allow, true));
    assert_eq!(
        world
            .dispatcher
            .preview(tool, None, &context("nobody"))
            .verdict,
        Verdict::Deny
    );
    assert_eq!(
        world
            .dispatcher
            .preview(tool, None, &context("worker_math"))
            .verdict,
        Verdict::Deny
    );
}

#[test]
fn listing_equals_what_resolves() {
    let world = world();
    for role in ["operator", "worker_math", "frontdoor", "toolrunner"] {
        for listing in world.dispatcher.visible(&context(role)).unwrap() {
            let resolved = world
                .dispatcher
                .resolve(listing.tool.spec().id, &context(role))
                .is_ok();
            assert_eq!(
                resolved,
                listing.hidden.is_none(),
                "{role} {}",
                listing.tool.spec().id
            );
        }
    }
}

/// What is considered is what a call would meet: the same refusals, each recorded, and nothing run or recorded otherwise.
#[test]
fn a_call_that_is_considered_does_not_run_and_is_refused_alike() {
    let world = world();
    for (role, tool, args) in [
        ("operator", "writ_file", "{}"),
        ("worker_math", "write_file", r#"{"path":"a"}"#),
        ("nobody", "calculate", r#"{"x":1}"#),
        ("operator", "calculate", r#"{"x":"one"}"#),
        ("operator", "calculate", "[]"),
        ("operator", "read_file", r#"{"path":"../x"}"#),
    ] {
        let before = world.audited();
        let request = request(role, tool, args);
        let refused = world.dispatcher.consider(&request).map(|_| ()).unwrap_err();
        assert_eq!(world.audited(), before + 1, "{tool} {args}");
        let record = world.last();
        let called = world.call(role, tool, args);
        let error = called.err().unwrap();
        assert_eq!(
            (error.code(), error.message()),
            (refused.code(), refused.message())
        );
        for pointer in ["/tool", "/error_code", "/args_digest", "/layer", "/status"] {
            assert_eq!(
                record.pointer(pointer),
                world.last().pointer(pointer),
                "{pointer}"
            );
        }
    }
    let before = world.audited();
    let write = request("operator", "write_file", r#"{"path":"a","content":"b"}"#);
    let found = world.dispatcher.consider(&write).unwrap();
    assert_eq!(found.decision.verdict, Verdict::Ask);
    assert_eq!(found.keys, [tool_core::ResourceKey::write_path("a")]);
    assert_eq!(found.reach.effects, found.tool.spec().effects);
    assert!(world.files.get("a").is_none());
    assert_eq!(world.audited(), before);
}
