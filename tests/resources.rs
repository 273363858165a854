//! What steps use, by its real identity: plans against a real workspace.

#![expect(
    clippy::disallowed_methods,
    reason = "tests prepare the workspace from outside"
)]

use std::os::unix::fs::symlink;
use std::path::Path;

use chain_runtime::{Plan, RunOptions};
use mathchain::registry::Answer;
use mathchain::{Context, Toolkit};
use tool_core::{ErrorCode, Object};

fn toolkit(root: &Path, state: &Path) -> Toolkit {
    Toolkit::builder()
        .workspace(root)
        .state(state)
        .build()
        .expect("builds")
}

fn context() -> Context {
    Context {
        answer: Answer::Yes,
        ..Context::default()
    }
}

/// A plan that writes one path and reads another, side by side if they were two files.
fn write_and_read(write: &str, read: &str) -> Plan {
    Plan::parse(&format!(
        "version: 1\nparallel_mutations: true\nsteps:\n  - {{id: w, tool: write_file, args: {{path: {write}, content: new, mode: overwrite}}}}\n  - {{id: r, tool: read_file, args: {{path: {read}}}}}\n"
    ))
    .expect("a plan")
}

/// Case T11: a path through a link, and another name of the same file, are the same resource.
#[test]
fn t11_links_and_other_names_are_the_same_file() {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::create_dir(root.path().join("d")).unwrap();
    std::fs::write(root.path().join("d/x"), "old").unwrap();
    std::fs::write(root.path().join("d/y"), "other").unwrap();
    symlink("d", root.path().join("l")).unwrap();
    std::fs::hard_link(root.path().join("d/x"), root.path().join("hard")).unwrap();
    let toolkit = toolkit(root.path(), state.path());
    for (write, read, together) in [
        ("d/x", "l/x", false),
        ("l/x", "d/x", false),
        ("d/x", "hard", false),
        ("d/x", "d/y", true),
        ("d/x", "l/y", true),
    ] {
        let plan = write_and_read(write, read);
        let checked = toolkit.check(&context(), &plan, &Object::new()).unwrap();
        let waves = if together { 1 } else { 2 };
        assert_eq!(checked.graph.waves().len(), waves, "{write} {read}");
    }
}

/// Case T12: a link that points elsewhere when the step runs is noticed; what it leads to is not read. (Writes follow no link.)
#[test]
fn t12_a_link_that_moved_since_the_check_is_refused() {
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for folder in ["a", "b"] {
        std::fs::create_dir(root.path().join(folder)).unwrap();
        std::fs::write(root.path().join(folder).join("x"), folder).unwrap();
    }
    let link = root.path().join("l");
    symlink("a", &link).unwrap();
    let toolkit = toolkit(root.path(), state.path());
    let plan = Plan::parse(
        "version: 1\nsteps:\n  - {id: r, tool: read_file, args: {path: l/x}}\noutputs: {text: {$ref: r.content}}\n",
    )
    .expect("a plan");
    let run =
        |checked| chain_runtime::run::begin(&checked, &toolkit.dispatcher(), RunOptions::default());
    let checked = toolkit.check(&context(), &plan, &Object::new()).unwrap();
    std::fs::remove_file(&link).unwrap();
    symlink("b", &link).unwrap();
    let result = run(checked);
    let error = result.error.expect("refused");
    assert_eq!(error.code(), ErrorCode::ResourceChanged, "{error:?}");
    assert!(result.outputs.get("text").is_none());
    // As it stands now it is fine.
    let result = run(toolkit.check(&context(), &plan, &Object::new()).unwrap());
    assert_eq!(
        result
            .outputs
            .get("text")
            .and_then(tool_core::Value::as_str),
        Some("b")
    );
}
