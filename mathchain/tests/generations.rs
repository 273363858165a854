//! Acts of the library while what it was made of changes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mathchain::chain_runtime::{Plan, RunOptions};
use mathchain::{Config, Context, Layer, Level, Toolkit};
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
    let layer = Layer::new(Level::Task, "t").allow(["calculate"]);
    let context = Context {
        layers: vec![layer; 1000],
        ..Context::default()
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
