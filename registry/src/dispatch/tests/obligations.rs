//! Obligations that act before a call runs, and refuse it when they fail.

use std::sync::atomic::Ordering;

use super::*;

fn world_with(tool: &str, obligation: &str) -> World {
    let config = format!(
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"{tool}\"] }}\ndecision = \"allow\"\nobligations = [{obligation}]\n"
    );
    World::new(&[TWELVE, TOOLS], &config)
}

const REPLACE: &str = r#"{"path":"data/a.txt","content":"x","overwrite":true}"#;

fn refused(outcome: &CallOutcome) -> &str {
    let error = outcome.err().unwrap_or_else(|| panic!("it ran"));
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::PolicyDenied, Some("obligation"))
    );
    assert!(error.hint_str().is_some());
    error.message()
}

#[test]
fn a_backup_is_kept_before_the_file_changes_and_the_answer_names_it() {
    let world = world_with("write_file", "\"backup\"");
    let outcome = world.call("operator", "write_file", REPLACE);
    assert!(outcome.is_success(), "{:?}", outcome.err());
    let kept = world.backups.kept.lock().unwrap().clone();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].1, ["data/a.txt"]);
    let envelope = outcome.to_value();
    assert_eq!(
        field(&envelope, "/metadata/backups/0/id"),
        Value::from("b1")
    );
    assert_eq!(
        field(&envelope, "/metadata/backups/0/path"),
        Value::from("data/a.txt")
    );
    assert_eq!(
        field(&envelope, "/metadata/call_id"),
        Value::from(kept[0].0.as_str())
    );
    assert_eq!(field(&world.last(), "/backups/0/id"), Value::from("b1"));
    // The record of what was about to happen names it too: it was kept before.
    let intent = world.ledger.records.lock().unwrap()[0].0.clone();
    assert_eq!(field(&intent, "/kind"), Value::from("intent"));
    assert_eq!(field(&intent, "/backups/0/id"), Value::from("b1"));
}

#[test]
fn the_real_file_behind_a_link_is_kept() {
    let world = world_with("write_file", "\"backup\"");
    let linked = r#"{"path":"out/link/key","content":"x","overwrite":true}"#;
    assert!(world.call("operator", "write_file", linked).is_success());
    assert_eq!(world.backups.kept.lock().unwrap()[0].1, ["secret/key"]);
}

#[test]
fn a_backup_that_fails_refuses_the_call() {
    let world = world_with("write_file", "\"backup\"");
    world.backups.broken.store(true, Ordering::Relaxed);
    let outcome = world.call("operator", "write_file", REPLACE);
    assert!(refused(&outcome).contains("the disk is full"));
    assert_eq!(
        world.files.text("data/a.txt").as_deref(),
        Some("alpha"),
        "nothing ran"
    );
}

#[test]
fn a_call_that_does_not_say_what_it_changes_cannot_be_backed_up() {
    let world = world_with("run_shell", "\"backup\"");
    let outcome = world.call("operator", "run_shell", r#"{"argv":["true"]}"#);
    assert!(refused(&outcome).contains("does not say which files"));
    let pure = world_with("echo", "\"backup\"");
    let outcome = pure.call("operator", "echo", r#"{"value":1}"#);
    assert!(outcome.is_success(), "there is nothing to keep");
    assert!(pure.backups.kept.lock().unwrap().is_empty());
}

#[test]
fn a_person_is_told_before_the_call_runs() {
    let world = world_with("echo", "\"notify\"");
    let outcome = world.call(
        "operator",
        "echo",
        r#"{"value":"password=hunter2hunter and more"}"#,
    );
    assert!(outcome.is_success());
    let told = world.notices.told.lock().unwrap().clone();
    assert_eq!(told.len(), 1);
    assert_eq!(
        (told[0].kind, told[0].tool.as_deref(), told[0].role.as_str()),
        ("call", Some("echo"), "operator")
    );
    assert!(!told[0].text.contains("hunter2"), "{}", told[0].text);
    assert_eq!(outcome.metadata.get("notice"), Some(&Value::from("n1")));
    assert_eq!(field(&world.last(), "/notice"), Value::from("n1"));
}

#[test]
fn a_notice_that_fails_refuses_the_call() {
    let world = world_with("write_file", "\"notify\"");
    world.notices.broken.store(true, Ordering::Relaxed);
    let outcome = world.call("operator", "write_file", REPLACE);
    assert!(refused(&outcome).contains("the disk is full"));
    assert_eq!(world.files.text("data/a.txt").as_deref(), Some("alpha"));
}

/// Without the state folder that keeps them, obligations cannot be met.
#[test]
fn without_a_place_to_keep_things_obligations_refuse() {
    for obligation in ["\"backup\"", "\"notify\""] {
        let world = world_with("write_file", obligation);
        let mut host = world.dispatcher.host().clone();
        (host.backups, host.notices) = (None, None);
        let dispatcher = crate::Dispatcher::new(
            std::sync::Arc::new(world.dispatcher.catalogue().clone()),
            std::sync::Arc::new(world.dispatcher.policy().clone()),
            crate::CallLimits::default(),
            host,
        );
        let outcome = dispatcher.call(request("operator", "write_file", REPLACE));
        assert!(refused(&outcome).contains("no state folder"));
        assert_eq!(world.files.text("data/a.txt").as_deref(), Some("alpha"));
    }
}

/// A call that asks keeps nothing and tells nobody before it is approved.
#[test]
fn obligations_wait_for_the_approval() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\nobligations = [\"backup\", \"notify\"]\n";
    let world = World::new(&[TWELVE, TOOLS], config);
    world.call("operator", "write_file", REPLACE);
    assert!(world.backups.kept.lock().unwrap().is_empty());
    assert!(world.notices.told.lock().unwrap().is_empty());
    world.approvals.answer(Ok("terminal"));
    assert!(world.call("operator", "write_file", REPLACE).is_success());
    assert_eq!(world.backups.kept.lock().unwrap().len(), 1);
    assert_eq!(world.notices.told.lock().unwrap().len(), 1);
}
