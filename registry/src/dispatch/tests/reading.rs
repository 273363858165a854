//! Tools that answer the contents of files need what `read_file` needs.

use super::*;
use fakes::{PathArgs, READS_PATH};
use tool_core::Capability;

use crate::model::Verdict;

tool!(Rows(PathArgs) { id: "rows", capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS_PATH, reads: &["/path"] }
    = |args, ctx| ctx.files()?.read(&args.path, 1 << 20).map(|content| Value::from(content.bytes.len() as i64)));
tool!(Size(PathArgs) { id: "size", capabilities: &[Capability::FilesRead], determinism: Determinism::External, resources: READS_PATH } = |_, _| Ok(Value::Null));

static READERS: &[ErasedTool] = &[tool_entry::<Rows>(), tool_entry::<Size>()];

fn world_with(rule: &str) -> World {
    let head = "version = 1\n[[policies]]\nlevel = \"global\"\n";
    let world = World::new(&[TWELVE, READERS], &format!("{head}{rule}"));
    world.files.put("secret/key.csv", "a,b");
    world.files.put("data/a.csv", "a,b");
    world
}

#[test]
fn a_rule_on_reading_files_holds_for_every_tool_that_answers_them() {
    let rule = "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\nreason = \"no keys\"\n";
    let world = world_with(rule);
    world.files.link("data/link.csv", "secret/key.csv");
    for path in ["secret/key.csv", "data/../secret/key.csv", "data/link.csv"] {
        let args = format!(r#"{{"path":"{path}"}}"#);
        let outcome = world.call("operator", "rows", &args);
        let error = outcome.err().unwrap_or_else(|| panic!("{path} was read"));
        let message = error.message();
        assert!(
            message.contains("needs `read_file`") && message.contains("no keys"),
            "{message}"
        );
        let size = world.call("operator", "size", &args);
        assert!(size.is_success(), "it answers no contents");
    }
    let other = world.call("operator", "rows", r#"{"path":"data/a.csv"}"#);
    assert_eq!(other.output(), Some(&Value::from(3_i64)));
}

/// A pattern is judged as each of the files that it matches.
#[test]
fn every_file_of_a_pattern_is_judged() {
    let rule = "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"data/private\" } }\ndecision = \"deny\"\nreason = \"no keys\"\n";
    let world = world_with(rule);
    world.files.put("data/private/b.csv", "a");
    let verdict = |path: &str| {
        let context = context("operator");
        let tool = world.dispatcher.resolve("rows", &context).unwrap();
        let call = tool.decode(&Value::object([("path", path)])).unwrap();
        world
            .dispatcher
            .preview(tool, Some(call.as_ref()), &context)
            .verdict
    };
    assert_eq!(verdict("data/*.csv"), Verdict::Allow);
    assert_eq!(verdict("data/**/*.csv"), Verdict::Deny);
    assert_eq!(verdict("data/p*/b.csv"), Verdict::Deny);
    assert_eq!(verdict("data/private/*"), Verdict::Deny);
}

#[test]
fn who_has_no_reader_reads_through_no_other_tool() {
    let world = world_with("");
    let outcome = world.call("worker_math", "rows", r#"{"path":"data/a.csv"}"#);
    let message = outcome.err().unwrap().message().to_owned();
    assert!(message.contains("needs `read_file`"), "{message}");
    let size = world.call("worker_math", "size", r#"{"path":"data/a.csv"}"#);
    assert!(size.is_success(), "the tool itself is allowed");
}

#[test]
fn without_arguments_the_strictest_rule_on_reading_counts() {
    let rule = "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let world = world_with(rule);
    let context = context("operator");
    let verdict = |tool: &str| {
        let tool = world.dispatcher.resolve(tool, &context).unwrap();
        world.dispatcher.preview(tool, None, &context).verdict
    };
    assert_eq!(verdict("rows"), verdict("read_file"));
    assert_ne!(verdict("rows"), verdict("size"));
}
