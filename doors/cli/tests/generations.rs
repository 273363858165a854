//! Acts of the library while what it was made of changes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mathchain::chain_runtime::{Plan, RunOptions};
use mathchain::registry::plugins::{PluginRunner, own_tool};
use mathchain::{CallContext, Config, Ctx, Level, PolicyLayer, ToolError, Toolkit, Value};
use tool_core::Object;

/// A configuration with one role, which is the default.
fn config(role: &str) -> Config {
    let text = format!(
        "version = 1\ndefault_role = \"{role}\"\n[roles.{role}]\ntools = [\"calculate\"]\n"
    );
    Config::parse("mathchain.toml", &text).expect("a configuration")
}

/// The role of a caller and the policy that judges it are of one generation, however often another one takes its place.
#[test]
fn a_plan_runs_in_one_generation() {
    const ROLES: [&str; 2] = ["alpha", "beta"];
    let turn = AtomicUsize::new(0);
    let toolkit = Toolkit::builder()
        .config(config(ROLES[0]))
        .reread(move || {
            Ok(config(
                ROLES[(turn.fetch_add(1, Ordering::Relaxed) + 1) % 2],
            ))
        })
        .build()
        .expect("a toolkit");
    let text = "version: 1\nid: p\nsteps: [{id: a, tool: calculate, args: {expression: '1'}}]\n";
    let plan = Plan::read("p.yaml", text).expect("a plan");
    // Copying who calls takes long enough that a reload falls between.
    let layer = PolicyLayer::new(Level::Task, "t").allow(["calculate"]);
    let context = CallContext {
        layers: vec![layer; 1000],
        ..CallContext::default()
    };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                toolkit.reload().expect("reads again");
            }
        });
        for _ in 0..40 {
            let ran = toolkit.run_plan(&context, &plan, &Object::new(), RunOptions::default());
            done.store(ran.is_err(), Ordering::Relaxed);
            ran.expect("one generation");
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Returns its arguments.
struct Echo;

impl PluginRunner for Echo {
    fn call(&self, _: &str, args: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(args.clone())
    }
}

#[test]
fn tools_are_added_to_a_running_toolkit_and_survive_reloads() {
    let turn = AtomicUsize::new(0);
    let toolkit = Toolkit::builder()
        .config(config("alpha"))
        .reread(move || {
            let number = turn.fetch_add(1, Ordering::Relaxed);
            let text = format!("version = 1\n[limits]\ntimeout_ms = {}\n", 1000 + number);
            Ok(Config::parse("mathchain.toml", &text)?)
        })
        .build()
        .expect("a toolkit");
    let declared = |name: &str| {
        let text = format!(
            r#"{{"name": "{name}", "description": "Echoes.", "effects": [], "parameters": {{"type": "object", "additionalProperties": true}}}}"#
        );
        own_tool(
            &mathchain::parse_json(&text).expect("JSON"),
            "test",
            Arc::new(Echo),
        )
        .expect("a tool")
    };
    let called = |name: &str| {
        let outcome = toolkit.call(name, &mathchain::parse_json(r#"{"a": 1}"#).expect("JSON"));
        outcome.err().map(|err| err.code().as_str())
    };
    assert_eq!(called("echo"), Some("unknown_tool"));
    toolkit.add_tools(&[declared("echo")]).expect("added");
    assert_eq!(called("echo"), Some("not_visible"), "the role has one tool");
    toolkit.reload().expect("another default role");
    assert_eq!(called("echo"), None);
    for taken in ["echo", "calculate"] {
        let refused = toolkit.add_tools(&[declared("fine"), declared(taken)]);
        let message = refused.expect_err("the name is taken").to_string();
        assert!(message.contains(taken), "{message}");
    }
    assert_eq!(called("fine"), Some("unknown_tool"), "all or none");
    toolkit.reload().expect("again");
    assert_eq!(called("echo"), None);
}
